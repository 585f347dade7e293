/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bad input is an error, not a bug: the function that finds it fills a
 * struct rql_error and returns false (or NULL); only the command prints it, as
 *   runqlab: FILE:LINE:COLUMN: what is wrong; what would be right
 * Fill it with err_set() (freestanding) or, where libc is at hand, err_printf().
 */
#ifndef RUNQLAB_BASE_ERR_H
#define RUNQLAB_BASE_ERR_H

#include <stdbool.h>
#include <stdint.h>

struct rql_error {
	char where[256]; /* file, option or object path; empty if none */
	uint32_t line;   /* 0: none */
	uint32_t column; /* 0: none */
	bool limit;      /* a limit was reached: exit status 3 instead of 2 */
	char what[768];  /* "what is wrong; what would be right" */
};

/*
 * WHERE and WHAT_n are joined as they are; NULL parts are skipped. Always
 * returns false, so that callers can write `return err_set(...)`.
 */
bool err_set(struct rql_error *e, const char *where, const char *what_1, const char *what_2,
	     const char *what_3);

#endif
