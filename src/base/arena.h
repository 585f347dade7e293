/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All memory of a run is one block, handed over by whoever drives the run and
 * given out from front to back before the run starts; nothing is freed singly.
 * The block must be zeroed.
 *
 * Running out is not an error here: arena_alloc() then returns NULL and sets
 * `failed`, so that a builder may allocate freely and test once at the end.
 */
#ifndef RUNQLAB_BASE_ARENA_H
#define RUNQLAB_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
	unsigned char *base;
	size_t size; /* bytes at base */
	size_t used; /* bytes given out, padding included */
	bool failed; /* some request did not fit */
};

static inline void arena_init(struct arena *a, void *base, size_t size)
{
	a->base = base;
	a->size = size;
	a->used = 0;
	a->failed = false;
}

/*
 * COUNT objects of SIZE bytes, zeroed, aligned to 64 bytes when they are at
 * least that large and to 16 otherwise. NULL when the block is exhausted or
 * the product overflows; then a->failed is set.
 */
void *arena_alloc(struct arena *a, size_t count, size_t size);

#endif
