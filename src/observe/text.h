/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that grows: what exporters write into.
 *
 *	struct text t;
 *
 *	text_init(&t);
 *	text_str(&t, "cpu");
 *	... text_cstr(&t), t.len ...
 *	text_free(&t);
 *
 * When memory runs out `failed` is set, the text so far stays and everything
 * after is dropped: look at it once, at the end.
 */
#ifndef RUNQLAB_OBSERVE_TEXT_H
#define RUNQLAB_OBSERVE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *s; /* ends in a zero byte; NULL while empty */
	size_t len, cap;
	bool failed;
};

void text_init(struct text *t);
void text_free(struct text *t);

/* The text so far, never NULL; valid until the next call that changes T. */
const char *text_cstr(const struct text *t);

void text_char(struct text *t, char c);
void text_str(struct text *t, const char *s);
void text_u64(struct text *t, uint64_t v);
void text_s64(struct text *t, int64_t v);

/* S, then spaces up to WIDTH columns in all. */
void text_left(struct text *t, const char *s, size_t width);
/* Spaces and S, WIDTH columns at least. */
void text_right(struct text *t, const char *s, size_t width);
void text_u64_right(struct text *t, uint64_t v, size_t width);
/* The low DIGITS (1..16) hexadecimal digits of V, with leading zeros. */
void text_hex(struct text *t, uint64_t v, uint32_t digits);
/* V with leading zeros, WIDTH (1..20) digits at least. */
void text_u64_zeros(struct text *t, uint64_t v, size_t width);

#endif
