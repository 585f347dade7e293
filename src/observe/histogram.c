/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log-linear histogram, the idea known from HdrHistogram: each octave
 * [2^n, 2^(n+1)) is cut into 128 equal buckets; below 2^8 a bucket is one value.
 *
 *	value v < 128:  bucket v
 *	otherwise:      shift = floor(log2 v) - 7,
 *	                bucket = 128 * shift + (v >> shift)        (v >> shift is 128..255)
 *
 * The width of a bucket is 2^shift <= v / 128. Adding is a handful of
 * instructions; the whole range of 64 bits needs 58 * 128 counters, 59 KB.
 */
#include "observe/histogram.h"

#include "base/check.h"
#include "base/fixed.h"

static uint32_t shift_of(uint64_t value)
{
	return value < HISTOGRAM_SUBS ? 0 : log2_floor(value) - HISTOGRAM_SUB_BITS;
}

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift = shift_of(value);

	return HISTOGRAM_SUBS * shift + (uint32_t)(value >> shift);
}

/* The last value of bucket I: inverse of bucket_of(). */
static uint64_t last_of_bucket(uint32_t i)
{
	uint32_t shift = i < 2 * HISTOGRAM_SUBS ? 0 : i / HISTOGRAM_SUBS - 1;
	uint64_t sub = i - (uint64_t)HISTOGRAM_SUBS * shift;

	return (sub << shift) + ((UINT64_C(1) << shift) - 1);
}

uint64_t histogram_low(uint64_t value)
{
	uint32_t shift = shift_of(value);

	return value >> shift << shift;
}

uint64_t histogram_high(uint64_t value)
{
	return last_of_bucket(bucket_of(value));
}

void histogram_add(struct histogram *h, uint64_t value)
{
	uint32_t i = bucket_of(value);

	CHECK(i < HISTOGRAM_BUCKETS);
	h->bucket[i]++;
	h->count++;
	h->max = max_u64(h->max, value);
}

uint64_t histogram_quantile(const struct histogram *h, uint32_t ppm)
{
	uint64_t seen = 0;
	uint64_t rank;

	CHECK(ppm >= 1);
	CHECK(ppm <= QUANTILE_ONE);
	/* ceil(count * ppm / 10^6): how many values must not exceed the answer */
	rank = (uint64_t)(((u128)h->count * ppm + QUANTILE_ONE - 1) / QUANTILE_ONE);
	if (rank == 0)
		return 0;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			return min_u64(last_of_bucket(i), h->max);
	}
	CHECK(seen >= rank);
	return h->max;
}
