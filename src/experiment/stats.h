/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a handful of pairs says: simulation i of two kernels has the same seed,
 * hence the same arrivals and service times, so its two values are compared
 * with each other and not with other seeds'.
 *
 * A value that is not there is STATS_NONE; a pair in which one is missing does
 * not count.
 */
#ifndef RUNQLAB_EXPERIMENT_STATS_H
#define RUNQLAB_EXPERIMENT_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define STATS_NONE ((double)NAN)

/* Student's t for 95 % on both sides: the 0.975 quantile with DF >= 1 degrees of freedom. */
double stats_t_975(uint32_t df);

/* The mean of the values that are there; STATS_NONE if none is. */
double stats_mean(const double *x, uint32_t n);

/* The standard error of that mean; STATS_NONE for fewer than two values. */
double stats_standard_error(const double *x, uint32_t n);

struct stats_interval {
	double mid, low, high; /* low and high are STATS_NONE where one pair is all there is */
};

/*
 * The ratio other / first: geometric mean of the pairs' ratios, with the 95 %
 * interval of Student's t on their logarithms. Two zeros are a ratio of 1; one
 * zero alone has no ratio, and then there is none at all (mid is STATS_NONE).
 */
struct stats_interval stats_paired_ratio(const double *first, const double *other, uint32_t n);

/* other - first: the mean and its 95 % interval, for values that may be 0. */
struct stats_interval stats_paired_difference(const double *first, const double *other, uint32_t n);

/*
 * Is OTHER above FIRST (1), below (-1), or can they not be told apart (0)?
 * Decided by whether the interval of the ratio contains 1, or that of the
 * difference 0 where there is no ratio; a single pair is taken at its word.
 */
int stats_direction(const double *first, const double *other, uint32_t n);

#endif
