/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splitmix64 (Steele, Lea, Flood 2014) as a counter-based generator: the
 * stream's name and id choose the start, each draw adds an odd constant and
 * mixes. Exponential draws use -ln(u) = ln 2 * -log2(u) with log2 from a table
 * of 257 mantissas and linear interpolation; the interpolation error is below
 * 2^-18 of one bit of log2, i.e. 2e-6 of the mean.
 */
#include "base/rng.h"

#include "base/check.h"
#include "base/fixed.h"
#include "base/log2_table.h"

static uint64_t mix64(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

struct rng rng_stream(uint64_t seed, const char *name, uint64_t id)
{
	uint64_t h = mix64(seed + UINT64_C(0x9e3779b97f4a7c15));
	struct rng r;

	for (; *name; name++)
		h = mix64(h ^ (uint64_t)(unsigned char)*name);
	r.state = mix64(h ^ mix64(id + UINT64_C(0xd1b54a32d192ed03)));
	return r;
}

uint64_t rng_next(struct rng *r)
{
	r->state += UINT64_C(0x9e3779b97f4a7c15);
	return mix64(r->state);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	CHECK(n > 0);
	return (uint64_t)(((u128)rng_next(r) * n) >> 64);
}

uint64_t rng_between(struct rng *r, uint64_t low, uint64_t high)
{
	CHECK(low <= high);
	if (high - low == UINT64_MAX)
		return rng_next(r);
	return low + rng_below(r, high - low + 1);
}

uint64_t rng_exponential(struct rng *r, uint64_t mean)
{
	const uint64_t ln2_q32 = UINT64_C(2977044471); /* ln 2 * 2^32, truncated */
	uint64_t u = rng_next(r);
	uint64_t mant, log2_q32, neg_q32, ln_q32;
	uint32_t exp, idx;

	CHECK(mean < UINT64_C(1) << 40);
	if (u == 0)
		u = 1;
	exp = log2_floor(u);
	mant = u << (63 - exp); /* bit 63 set */
	idx = (uint32_t)((mant >> 55) & 255);
	log2_q32 = log2_table[idx] +
		   (((log2_table[idx + 1] - log2_table[idx]) * ((mant >> 23) & 0xffffffffu)) >> 32);
	/* -log2(u / 2^64), at most 64 in q32 */
	neg_q32 = ((uint64_t)(63 - exp) << 32) + ((UINT64_C(1) << 32) - log2_q32);
	ln_q32 = (uint64_t)(((u128)neg_q32 * ln2_q32) >> 32);
	return (uint64_t)(((u128)ln_q32 * mean) >> 32);
}
