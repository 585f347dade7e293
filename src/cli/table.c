/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns are as wide as their widest cell; the last one is not padded. */
#include "cli/table.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define CELL_MAX 512

void table_init(struct table *t, const struct table_column *columns, uint32_t n)
{
	CHECK(n > 0);
	CHECK(n <= TABLE_COLUMNS_MAX);
	memset(t, 0, sizeof(*t));
	t->columns = columns;
	t->ncolumns = n;
}

void table_free(struct table *t)
{
	for (size_t i = 0; i < t->ncells; i++)
		free(t->cells[i]);
	free(t->cells);
	t->cells = NULL;
	t->ncells = 0;
}

void table_cell(struct table *t, const char *format, ...)
{
	char text[CELL_MAX];
	va_list args;

	va_start(args, format);
	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = '\0';
	va_end(args);
	if (t->ncells == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		char **cells = realloc(t->cells, cap * sizeof(*cells));

		if (!cells) {
			t->failed = true;
			return;
		}
		t->cells = cells;
		t->cap = cap;
	}
	t->cells[t->ncells] = strdup(text);
	if (t->cells[t->ncells])
		t->ncells++;
	else
		t->failed = true;
}

/* One row; blanks at its end are left out. */
static void print_row(FILE *f, const struct table *t, const int *width, const char *const *text)
{
	uint32_t last = t->ncolumns - 1;

	while (last > 0 && !*text[last])
		last--;
	for (uint32_t c = 0; c <= last; c++) {
		if (c == last && !t->columns[c].right)
			fputs(text[c], f);
		else
			fprintf(f, t->columns[c].right ? "%*s" : "%-*s", width[c], text[c]);
		fputs(c == last ? "\n" : "  ", f);
	}
}

void table_print(const struct table *t, FILE *f)
{
	const char *text[TABLE_COLUMNS_MAX];
	int width[TABLE_COLUMNS_MAX];

	for (uint32_t c = 0; c < t->ncolumns; c++) {
		text[c] = t->columns[c].name;
		width[c] = (int)strlen(text[c]);
		for (size_t i = c; i < t->ncells; i += t->ncolumns)
			if ((int)strlen(t->cells[i]) > width[c])
				width[c] = (int)strlen(t->cells[i]);
	}
	print_row(f, t, width, text);
	for (size_t i = 0; i + t->ncolumns <= t->ncells; i += t->ncolumns) {
		for (uint32_t c = 0; c < t->ncolumns; c++)
			text[c] = t->cells[i + c];
		print_row(f, t, width, text);
	}
}

static struct json_object *cell_json(const struct table_column *column, const char *text)
{
	if (!column->number)
		return json_object_new_string(text);
	return *text ? json_object_new_double_s(strtod(text, NULL), text) : NULL;
}

struct json_object *table_json(const struct table *t)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i + t->ncolumns <= t->ncells; i += t->ncolumns) {
		struct json_object *o = json_object_new_object();

		for (uint32_t c = 0; c < t->ncolumns; c++)
			json_object_object_add(o, t->columns[c].name,
					       cell_json(&t->columns[c], t->cells[i + c]));
		json_object_array_add(list, o);
	}
	return list;
}
