/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU (or node) masks of a width chosen at run time. All masks that meet in
 * one call have the same width; bits at or above the width are always zero.
 * Memory belongs to the caller: mask_size() bytes each, usually from an arena.
 */
#ifndef RUNQLAB_BASE_MASK_H
#define RUNQLAB_BASE_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MASK_NONE UINT32_MAX

struct mask {
	uint32_t nwords;
	uint32_t pad;
	uint64_t w[];
};

/* Words of uint64_t that hold a mask of NBITS bits, for masks on the stack. */
#define MASK_WORDS(nbits) (sizeof(struct mask) / sizeof(uint64_t) + ((nbits) + 63) / 64)

/* Bytes needed for a mask of NBITS bits. */
static inline size_t mask_size(uint32_t nbits)
{
	return sizeof(struct mask) + (size_t)((nbits + 63) / 64) * sizeof(uint64_t);
}

/* Make MEM (mask_size(NBITS) bytes) an empty mask of NBITS bits. */
struct mask *mask_init(void *mem, uint32_t nbits);

static inline bool mask_test(const struct mask *m, uint32_t bit)
{
	return (m->w[bit >> 6] >> (bit & 63)) & 1;
}

static inline void mask_set(struct mask *m, uint32_t bit)
{
	m->w[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

static inline void mask_clear(struct mask *m, uint32_t bit)
{
	m->w[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}

void mask_zero(struct mask *m);
void mask_fill(struct mask *m, uint32_t nbits);
void mask_copy(struct mask *dst, const struct mask *src);
void mask_and(struct mask *dst, const struct mask *a, const struct mask *b);
void mask_or(struct mask *dst, const struct mask *a, const struct mask *b);
void mask_andnot(struct mask *dst, const struct mask *a, const struct mask *b);
bool mask_equal(const struct mask *a, const struct mask *b);
/* Is every bit of A in B? */
bool mask_is_subset(const struct mask *a, const struct mask *b);
bool mask_intersects(const struct mask *a, const struct mask *b);
bool mask_is_empty(const struct mask *m);
uint32_t mask_weight(const struct mask *m);

/* For mask_next(): the lowest bit that is set in the words from I on, or MASK_NONE. */
uint32_t mask_next_from_word(const struct mask *m, uint32_t i);

/* Lowest bit >= FROM that is set, or MASK_NONE. */
static inline uint32_t mask_next(const struct mask *m, uint32_t from)
{
	uint32_t i = from >> 6;
	uint64_t word;

	if (i >= m->nwords)
		return MASK_NONE;
	word = m->w[i] & (UINT64_MAX << (from & 63));
	if (word)
		return i * 64 + (uint32_t)__builtin_ctzll(word);
	return i + 1 < m->nwords ? mask_next_from_word(m, i + 1) : MASK_NONE;
}

/* Lowest bit >= FROM set in both, or MASK_NONE. */
uint32_t mask_next_and(const struct mask *a, const struct mask *b, uint32_t from);

static inline uint32_t mask_first(const struct mask *m)
{
	return mask_next(m, 0);
}

#define mask_for_each(bit, m)                                                                      \
	for ((bit) = mask_next((m), 0); (bit) != MASK_NONE; (bit) = mask_next((m), (bit) + 1))

/*
 * Of a round over M that begins at START and ends before it: the next bit from FROM on, or
 * MASK_NONE. *WRAPPED, false at first, says that the round has passed the last bit. Bits may be
 * cleared on the way.
 */
static inline uint32_t mask_next_wrap(const struct mask *m, uint32_t from, uint32_t start,
				      bool *wrapped)
{
	uint32_t next = mask_next(m, from);

	if (next == MASK_NONE && !*wrapped) {
		*wrapped = true;
		next = mask_next(m, 0);
	}
	return *wrapped && next >= start ? MASK_NONE : next;
}

#define mask_for_each_wrap(bit, m, start, wrapped)                                                 \
	for ((wrapped) = false, (bit) = mask_next_wrap((m), (start), (start), &(wrapped));         \
	     (bit) != MASK_NONE; (bit) = mask_next_wrap((m), (bit) + 1, (start), &(wrapped)))

#define mask_for_each_and(bit, a, b)                                                               \
	for ((bit) = mask_next_and((a), (b), 0); (bit) != MASK_NONE;                               \
	     (bit) = mask_next_and((a), (b), (bit) + 1))

#endif
