/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masks are arrays of 64-bit words. Every operation is a loop over the words
 * of the mask, so its cost is width / 64; searches use count-trailing-zeros.
 * The invariant that bits beyond the width are zero is kept by mask_fill()
 * and by the fact that no other operation can create bits.
 */
#include "base/mask.h"

#include "base/check.h"
#include "base/fixed.h"

struct mask *mask_init(void *mem, uint32_t nbits)
{
	struct mask *m = mem;

	CHECK(nbits > 0);
	m->nwords = (nbits + 63) / 64;
	m->pad = 0;
	mask_zero(m);
	return m;
}

void mask_zero(struct mask *m)
{
	for (uint32_t i = 0; i < m->nwords; i++)
		m->w[i] = 0;
}

void mask_fill(struct mask *m, uint32_t nbits)
{
	CHECK((nbits + 63) / 64 <= m->nwords);
	mask_zero(m);
	for (uint32_t i = 0; i < nbits / 64; i++)
		m->w[i] = UINT64_MAX;
	if (nbits % 64)
		m->w[nbits / 64] = (UINT64_C(1) << (nbits % 64)) - 1;
}

void mask_copy(struct mask *dst, const struct mask *src)
{
	CHECK(dst->nwords == src->nwords);
	for (uint32_t i = 0; i < dst->nwords; i++)
		dst->w[i] = src->w[i];
}

void mask_and(struct mask *dst, const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < dst->nwords; i++)
		dst->w[i] = a->w[i] & b->w[i];
}

void mask_or(struct mask *dst, const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < dst->nwords; i++)
		dst->w[i] = a->w[i] | b->w[i];
}

void mask_andnot(struct mask *dst, const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < dst->nwords; i++)
		dst->w[i] = a->w[i] & ~b->w[i];
}

bool mask_equal(const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < a->nwords; i++)
		if (a->w[i] != b->w[i])
			return false;
	return true;
}

bool mask_is_subset(const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < a->nwords; i++)
		if (a->w[i] & ~b->w[i])
			return false;
	return true;
}

bool mask_intersects(const struct mask *a, const struct mask *b)
{
	for (uint32_t i = 0; i < a->nwords; i++)
		if (a->w[i] & b->w[i])
			return true;
	return false;
}

bool mask_is_empty(const struct mask *m)
{
	for (uint32_t i = 0; i < m->nwords; i++)
		if (m->w[i])
			return false;
	return true;
}

uint32_t mask_weight(const struct mask *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->nwords; i++)
		n += popcount64(m->w[i]);
	return n;
}

uint32_t mask_next_from_word(const struct mask *m, uint32_t i)
{
	for (; i < m->nwords; i++)
		if (m->w[i])
			return i * 64 + (uint32_t)__builtin_ctzll(m->w[i]);
	return MASK_NONE;
}

uint32_t mask_next_and(const struct mask *a, const struct mask *b, uint32_t from)
{
	uint32_t i = from >> 6;
	uint64_t word;

	if (i >= a->nwords)
		return MASK_NONE;
	word = a->w[i] & b->w[i] & (UINT64_MAX << (from & 63));
	while (!word) {
		if (++i == a->nwords)
			return MASK_NONE;
		word = a->w[i] & b->w[i];
	}
	return i * 64 + (uint32_t)__builtin_ctzll(word);
}
