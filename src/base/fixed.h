/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small integer arithmetic shared by all layers. Everything is 64-bit unless
 * its name says otherwise; divisions truncate, as in the kernel.
 */
#ifndef RUNQLAB_BASE_FIXED_H
#define RUNQLAB_BASE_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define TIME_NEVER UINT64_MAX

__extension__ typedef unsigned __int128 u128;

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline int64_t min_s64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static inline uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline uint64_t clamp_u64(uint64_t x, uint64_t low, uint64_t high)
{
	return min_u64(max_u64(x, low), high);
}

/* a / b rounded to the nearest, halves up; b > 0 and a + b/2 fits 64 bits. */
static inline uint64_t ratio_round(uint64_t a, uint64_t b)
{
	return (a + b / 2) / b;
}

/* floor(log2(x)), x > 0. */
static inline uint32_t log2_floor(uint64_t x)
{
	return 63u - (uint32_t)__builtin_clzll(x);
}

/* Bits set in x. The baseline of x86-64 has no instruction for it, and the compiler's function is slow. */
static inline uint32_t popcount64(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* x / 2^s rounded towards minus infinity, as the kernel's signed shifts do. */
static inline int64_t asr_s64(int64_t x, unsigned s)
{
	return x >= 0 ? x >> s : ~(~x >> s);
}

/* Sum and product modulo 2^64, as the kernel's compiler makes them. */
static inline int64_t wrap_add_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t wrap_mul_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Signed distance a - b of two wrapping 64-bit clocks. */
static inline int64_t delta_s64(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

#endif
