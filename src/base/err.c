/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors as text; control characters from hostile input are replaced so that a message is one line. */
#include "base/err.h"

#include "base/buf.h"

static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

bool err_set(struct rql_error *e, const char *where, const char *what_1, const char *what_2,
	     const char *what_3)
{
	const char *parts[3] = {what_1, what_2, what_3};
	struct buf b;

	e->line = 0;
	e->column = 0;
	e->limit = false;
	buf_init(&b, e->where, sizeof(e->where));
	if (where)
		buf_str(&b, where);
	buf_init(&b, e->what, sizeof(e->what));
	for (int i = 0; i < 3; i++)
		if (parts[i])
			buf_str(&b, parts[i]);
	make_printable(e->where);
	make_printable(e->what);
	return false;
}
