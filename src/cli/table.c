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

static void print_cell(FILE *f, const char *text, int width, bool right, bool last)
{
	if (last && !right)
		fputs(text, f);
	else
		fprintf(f, right ? "%*s" : "%-*s", width, text);
	fputs(last ? "\n" : "  ", f);
}

void table_print(const struct table *t, FILE *f)
{
	int width[TABLE_COLUMNS_MAX];

	for (uint32_t c = 0; c < t->ncolumns; c++) {
		width[c] = (int)strlen(t->columns[c].name);
		for (size_t i = c; i < t->ncells; i += t->ncolumns)
			if ((int)strlen(t->cells[i]) > width[c])
				width[c] = (int)strlen(t->cells[i]);
	}
	for (uint32_t c = 0; c < t->ncolumns; c++)
		print_cell(f, t->columns[c].name, width[c], t->columns[c].right,
			   c + 1 == t->ncolumns);
	for (size_t i = 0; i < t->ncells; i++) {
		uint32_t c = (uint32_t)(i % t->ncolumns);

		print_cell(f, t->cells[i], width[c], t->columns[c].right, c + 1 == t->ncolumns);
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
