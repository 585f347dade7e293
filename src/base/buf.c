/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text without libc, for the messages of layers that have none. */
#include "base/buf.h"

#include "base/check.h"

void buf_init(struct buf *b, char *mem, size_t cap)
{
	CHECK(cap > 0);
	b->s = mem;
	b->cap = cap;
	b->len = 0;
	b->cut = false;
	mem[0] = 0;
}

void buf_char(struct buf *b, char c)
{
	if (b->len + 1 >= b->cap) {
		b->cut = true;
		return;
	}
	b->s[b->len++] = c;
	b->s[b->len] = 0;
}

void buf_strn(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n && s[i]; i++)
		buf_char(b, s[i]);
}

void buf_str(struct buf *b, const char *s)
{
	buf_strn(b, s, SIZE_MAX);
}

void buf_u64(struct buf *b, uint64_t v)
{
	char digits[20];
	unsigned n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	while (n)
		buf_char(b, digits[--n]);
}

void buf_s64(struct buf *b, int64_t v)
{
	if (v < 0)
		buf_char(b, '-');
	buf_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

bool str_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

bool str_equal_n(const char *a, size_t n, const char *b)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i] || !b[i])
			return false;
	return !b[i];
}

size_t str_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}
