/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The growing arrays and the names of a plan. Private to the rt-app importer. */
#ifndef RUNQLAB_IMPORT_RTAPP_NAMES_H
#define RUNQLAB_IMPORT_RTAPP_NAMES_H

#include <stddef.h>

#include "import/rtapp_plan.h"

/* Room for MORE elements of SIZE bytes behind N in the array *BASE (a pointer's address). */
bool rtapp_grow(void *base, uint32_t n, uint32_t more, uint32_t *cap, size_t size,
		struct rql_error *e);
bool rtapp_add_name(struct rtapp_plan *pl, const char *name, uint32_t *offset, struct rql_error *e);
/* The number of the resource NAME with KEY's kind and owner; made, with KEY's token, if new. */
bool rtapp_resource(struct rtapp_plan *pl, const struct rtapp_resource *key, const char *name,
		    uint32_t *out, struct rql_error *e);

#endif
