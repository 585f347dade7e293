/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of 64-bit values in buckets whose width is at most 1/128 of their
 * lowest value: any quantile is right to 0.8 % (and upwards, never below),
 * values below 256 exactly. Fixed size, nothing is ever allocated; a zeroed
 * struct is an empty histogram.
 */
#ifndef RUNQLAB_OBSERVE_HISTOGRAM_H
#define RUNQLAB_OBSERVE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 7 /* 128 buckets an octave */
#define HISTOGRAM_SUBS (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_BUCKETS ((64u - HISTOGRAM_SUB_BITS + 1u) * HISTOGRAM_SUBS)
#define QUANTILE_ONE 1000000u

struct histogram {
	uint64_t count; /* of all values */
	uint64_t max;   /* exact; 0 when empty */
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t value);

/*
 * The least value that PPM millionths of all values do not exceed (500000: the
 * median; PPM in 1..1000000), rounded up to the end of its bucket but never
 * beyond the maximum. 0 when empty. O(buckets).
 */
uint64_t histogram_quantile(const struct histogram *h, uint32_t ppm);

/* First and last value that share VALUE's bucket. */
uint64_t histogram_low(uint64_t value);
uint64_t histogram_high(uint64_t value);

#endif
