/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bump allocator over a block that arrives zeroed (fresh from mmap or
 * calloc); zero pages that are never touched cost nothing, so a generous
 * limit is free.
 */
#include "base/arena.h"

#include "base/check.h"

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes, align, start;
	unsigned char *p;

	CHECK(a->base);
	if (__builtin_mul_overflow(count, size, &bytes)) {
		a->failed = true;
		return NULL;
	}
	align = bytes >= 64 ? 64 : 16;
	start = (a->used + align - 1) & ~(align - 1);
	if (start > a->size || bytes > a->size - start) {
		a->failed = true;
		return NULL;
	}
	p = a->base + start;
	a->used = start + bytes;
	return p;
}
