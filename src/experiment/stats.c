/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ratios of run times are skewed, their logarithms much less so; a ratio and
 * its reciprocal then get the same verdict, which a mean of ratios would not
 * give. Quantiles of Student's t come from a table, linear in 1 / df between
 * its rows, which is within 0.0002 of the exact ones.
 *
 * Sums run in the order of the pairs, so the same values give the same bits.
 */
#include "experiment/stats.h"

#include "base/check.h"

/* clang-format off */
static const double t_table[30] = {
	12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
	 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
	 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
};
/* clang-format on */

struct t_row {
	double df, t;
};

double stats_t_975(uint32_t df)
{
	static const struct t_row rows[] = {
		{30, 2.042272}, {40, 2.021075}, {60, 2.000298}, {120, 1.979930}, {1e300, 1.959964}};
	uint32_t i = 1;
	double part;

	CHECK(df >= 1);
	if (df <= 30)
		return t_table[df - 1];
	while (df > rows[i].df)
		i++;
	part = (1 / rows[i - 1].df - 1.0 / df) / (1 / rows[i - 1].df - 1 / rows[i].df);
	return rows[i - 1].t + part * (rows[i].t - rows[i - 1].t);
}

double stats_mean(const double *x, uint32_t n)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			continue;
		sum += x[i];
		count++;
	}
	return count ? sum / count : STATS_NONE;
}

double stats_standard_error(const double *x, uint32_t n)
{
	double mean = stats_mean(x, n), squares = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (isnan(x[i]))
			continue;
		squares += (x[i] - mean) * (x[i] - mean);
		count++;
	}
	return count > 1 ? sqrt(squares / (count - 1) / count) : STATS_NONE;
}

typedef double stats_pair(double first, double other);

/* Zeros on one side alone are told by an infinity. */
static double log_ratio(double first, double other)
{
	if (first == other)
		return 0;
	return log(other / first);
}

static double difference(double first, double other)
{
	return other - first;
}

/* Mean and interval of what PAIR makes of the pairs. */
static struct stats_interval interval(stats_pair *pair, const double *first, const double *other,
				      uint32_t n)
{
	struct stats_interval out = {STATS_NONE, STATS_NONE, STATS_NONE};
	double sum = 0, squares = 0, half;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (isnan(first[i]) || isnan(other[i]))
			continue;
		sum += pair(first[i], other[i]);
		count++;
	}
	if (!count || !isfinite(sum))
		return out;
	out.mid = sum / count;
	if (count == 1)
		return out;
	for (uint32_t i = 0; i < n; i++) {
		double off;

		if (isnan(first[i]) || isnan(other[i]))
			continue;
		off = pair(first[i], other[i]) - out.mid;
		squares += off * off;
	}
	half = stats_t_975(count - 1) * sqrt(squares / (count - 1) / count);
	out.low = out.mid - half;
	out.high = out.mid + half;
	return out;
}

struct stats_interval stats_paired_ratio(const double *first, const double *other, uint32_t n)
{
	struct stats_interval logs = interval(log_ratio, first, other, n);

	return (struct stats_interval){exp(logs.mid), exp(logs.low), exp(logs.high)};
}

struct stats_interval stats_paired_difference(const double *first, const double *other, uint32_t n)
{
	return interval(difference, first, other, n);
}

static int sign_of(double x)
{
	return (x > 0) - (x < 0);
}

int stats_direction(const double *first, const double *other, uint32_t n)
{
	struct stats_interval x = interval(log_ratio, first, other, n);

	if (isnan(x.mid))
		x = interval(difference, first, other, n);
	if (isnan(x.mid) || isnan(x.low))
		return sign_of(x.mid);
	return sign_of(x.low) == sign_of(x.high) ? sign_of(x.low) : 0;
}
