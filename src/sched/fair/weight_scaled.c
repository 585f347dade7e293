/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weight / divisor is one fixed-point factor with as many bits as fit 32: first
 * the weight is shifted until it fits, then its product with the divisor's inverse
 * is. The last product is 64 x 32 bits; what is shifted out last is what was not
 * shifted out before, so a part of it lies above bit 63.
 *
 * In kernels before this the product was rounded to nearest in two steps
 * (fair/weight.c); here everything truncates.
 */
#include "sched/fair/weight_scaled.h"

#include "base/check.h"
#include "base/fixed.h"

/* Linux: __update_inv_weight(). */
static uint64_t inverse_of(uint64_t weight)
{
	if (weight >= UINT32_MAX)
		return 1;
	return weight ? UINT32_MAX / weight : UINT32_MAX;
}

/* *FACT / 2^s in 32 bits; returns s. */
static uint32_t fit_32_bits(uint64_t *fact)
{
	uint64_t upper = *fact >> 32;
	uint32_t s = upper ? log2_floor(upper) + 1 : 0;

	*fact >>= s;
	return s;
}

uint64_t calc_delta_scaled(const struct kver *v, uint64_t delta, uint64_t weight,
			   struct load_weight *lw)
{
	uint64_t fact = scale_load_down(v, weight);
	uint32_t shift = 32;

	if (unlikely(!lw->inv))
		lw->inv = inverse_of(scale_load_down(v, lw->weight));
	shift -= fit_32_bits(&fact);
	fact *= lw->inv;
	shift -= fit_32_bits(&fact);
	CHECK(shift <= 32);
	return (uint64_t)((u128)delta * fact >> shift);
}
