/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds text in a caller's array without libc. Text that does not fit is cut
 * and `cut` is set; the result always ends in a zero byte (cap > 0).
 */
#ifndef RUNQLAB_BASE_BUF_H
#define RUNQLAB_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *s;
	size_t cap, len;
	bool cut;
};

void buf_init(struct buf *b, char *mem, size_t cap);
void buf_str(struct buf *b, const char *s);
/* At most N bytes of S. */
void buf_strn(struct buf *b, const char *s, size_t n);
void buf_char(struct buf *b, char c);
void buf_u64(struct buf *b, uint64_t v);
void buf_s64(struct buf *b, int64_t v);

bool str_equal(const char *a, const char *b);
/* Is A[0..n) equal to the whole of B? */
bool str_equal_n(const char *a, size_t n, const char *b);
size_t str_len(const char *s);

#endif
