/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of texts, printed in aligned columns or as JSON (an array of objects
 * whose keys are the columns' names).
 *
 *	struct table t;
 *	table_init(&t, columns, n);
 *	table_cell(&t, "text"); ...		row by row
 *	table_print(&t, stdout); or table_json(&t);
 *	table_free(&t);
 */
#ifndef RUNQLAB_CLI_TABLE_H
#define RUNQLAB_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

#define TABLE_COLUMNS_MAX 8u

struct table_column {
	const char *name;
	bool right;  /* aligned to the right */
	bool number; /* its cells are numbers of JSON, "" is null */
};

struct table {
	const struct table_column *columns;
	uint32_t ncolumns;
	char **cells; /* row after row */
	size_t ncells, cap;
	bool failed; /* memory ran out: cells are missing */
};

void table_init(struct table *t, const struct table_column *columns, uint32_t n);
void table_free(struct table *t);
__attribute__((format(printf, 2, 3))) void table_cell(struct table *t, const char *format, ...);
void table_print(const struct table *t, FILE *f);
struct json_object *table_json(const struct table *t);

#endif
