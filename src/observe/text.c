/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Growing text. The block doubles, so that appending n bytes costs O(n) in
 * all; numbers are made by base/buf in a small array first. There is no
 * locale and no format string: the same call gives the same bytes everywhere.
 */
#include "observe/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"

#define NUMBER_MAX 24 /* digits of a 64-bit number, sign and zero byte included */

void text_init(struct text *t)
{
	*t = (struct text){.s = NULL};
}

void text_free(struct text *t)
{
	free(t->s);
	text_init(t);
}

const char *text_cstr(const struct text *t)
{
	return t->s ? t->s : "";
}

/* Room for N more bytes and the zero byte. */
static bool reserve(struct text *t, size_t n)
{
	size_t cap = t->cap ? t->cap : 256;
	char *s;

	if (t->failed)
		return false;
	if (n >= SIZE_MAX / 4 - t->len) {
		t->failed = true;
		return false;
	}
	while (cap < t->len + n + 1)
		cap *= 2;
	if (cap == t->cap)
		return true;
	s = realloc(t->s, cap);
	if (!s) {
		t->failed = true;
		return false;
	}
	t->s = s;
	t->cap = cap;
	return true;
}

static void append(struct text *t, const char *s, size_t n)
{
	if (!reserve(t, n))
		return;
	memcpy(t->s + t->len, s, n);
	t->len += n;
	t->s[t->len] = 0;
}

static void fill(struct text *t, char c, size_t n)
{
	if (!reserve(t, n))
		return;
	memset(t->s + t->len, c, n);
	t->len += n;
	t->s[t->len] = 0;
}

void text_char(struct text *t, char c)
{
	append(t, &c, 1);
}

void text_str(struct text *t, const char *s)
{
	append(t, s, strlen(s));
}

void text_u64(struct text *t, uint64_t v)
{
	text_u64_right(t, v, 0);
}

void text_s64(struct text *t, int64_t v)
{
	char mem[NUMBER_MAX];
	struct buf b;

	buf_init(&b, mem, sizeof(mem));
	buf_s64(&b, v);
	append(t, mem, b.len);
}

void text_left(struct text *t, const char *s, size_t width)
{
	size_t n = strlen(s);

	append(t, s, n);
	if (n < width)
		fill(t, ' ', width - n);
}

void text_right(struct text *t, const char *s, size_t width)
{
	size_t n = strlen(s);

	if (n < width)
		fill(t, ' ', width - n);
	append(t, s, n);
}

void text_u64_right(struct text *t, uint64_t v, size_t width)
{
	char mem[NUMBER_MAX];
	struct buf b;

	buf_init(&b, mem, sizeof(mem));
	buf_u64(&b, v);
	text_right(t, mem, width);
}

void text_hex(struct text *t, uint64_t v, uint32_t digits)
{
	CHECK(digits >= 1);
	CHECK(digits <= 16);
	while (digits--)
		text_char(t, "0123456789abcdef"[(v >> (4 * digits)) & 15]);
}

void text_u64_zeros(struct text *t, uint64_t v, size_t width)
{
	char mem[NUMBER_MAX];
	struct buf b;

	CHECK(width <= 20);
	buf_init(&b, mem, sizeof(mem));
	buf_u64(&b, v);
	if (b.len < width)
		fill(t, '0', width - b.len);
	append(t, mem, b.len);
}
