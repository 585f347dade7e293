/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages that do not fit are cut: the place and the beginning matter most. */
#include "experiment/err_printf.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct rql_error *e, const char *where, const char *format, va_list args)
{
	char what[sizeof(e->what)];

	if (vsnprintf(what, sizeof(what), format, args) < 0)
		what[0] = '\0';
	err_set(e, where, what, NULL, NULL);
}

bool err_printf(struct rql_error *e, const char *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(e, where, format, args);
	va_end(args);
	return false;
}

bool err_printf_line(struct rql_error *e, const char *where, uint32_t line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(e, where, format, args);
	va_end(args);
	e->line = line;
	return false;
}

void err_text(const struct rql_error *e, char *out, size_t size)
{
	char line[16] = "", column[16] = "";

	if (e->line)
		snprintf(line, sizeof(line), "%u:", (unsigned)e->line);
	if (e->line && e->column)
		snprintf(column, sizeof(column), "%u:", (unsigned)e->column);
	snprintf(out, size, "%s%s%s%s%s%s", e->where, e->where[0] ? ":" : "", line, column,
		 e->where[0] || e->line ? " " : "", e->what);
}
