/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills a struct rql_error with printf's means, for the layers that may use libc. */
#ifndef RUNQLAB_EXPERIMENT_ERR_PRINTF_H
#define RUNQLAB_EXPERIMENT_ERR_PRINTF_H

#include <stddef.h>

#include "base/err.h"

/* WHERE may be NULL. Always false, so that callers can write `return err_printf(...)`. */
__attribute__((format(printf, 3, 4))) bool err_printf(struct rql_error *e, const char *where,
						      const char *format, ...);

/* The same with the line of a text. */
__attribute__((format(printf, 4, 5))) bool err_printf_line(struct rql_error *e, const char *where,
							   uint32_t line, const char *format, ...);

/* E as one line without its end: "PLACE:LINE:COLUMN: what". SIZE bytes at OUT; 1100 suffice. */
void err_text(const struct rql_error *e, char *out, size_t size);

#endif
