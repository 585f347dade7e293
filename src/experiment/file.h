/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files in and out. An output file is written beside its place, without a name
 * where the file system can do that, and renamed when it is complete: whoever
 * dies on the way leaves the old file or none.
 *
 *	struct out_file o;
 *	if (!out_open(&o, path, e))
 *		return false;
 *	fprintf(o.f, ...);
 *	return out_commit(&o, e);	(or out_abandon(&o))
 *
 * Devices and pipes cannot be renamed over; they are written directly.
 */
#ifndef RUNQLAB_EXPERIMENT_FILE_H
#define RUNQLAB_EXPERIMENT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* The bytes of the regular file PATH, at most MAX, and a zero byte; to be freed. NULL and *E. */
char *file_read(const char *path, size_t max, size_t *len, struct rql_error *e);

/* What follows the last slash. */
const char *file_base_name(const char *path);

struct out_file {
	FILE *f; /* NULL: not open */
	char *path;
	char *beside; /* its name until it is complete; NULL: none, or written directly */
	bool unnamed;
};

bool out_open(struct out_file *o, const char *path, struct rql_error *e);
/* Is it open, and will it take the place of what has its name? */
bool out_is_replaced(const struct out_file *o);
bool out_commit(struct out_file *o, struct rql_error *e);
/* Harmless on a file that is not open. */
void out_abandon(struct out_file *o);

#endif
