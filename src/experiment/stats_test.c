/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Quantiles and intervals against published tables and examples worked by hand. */
#include "support.h"

#include <math.h>

#include "experiment/stats.h"

static void near(double x, double wanted, double within)
{
	if (!(fabs(x - wanted) <= within))
		fail_msg("%.9g, expected %.9g", x, wanted);
}

static void test_quantiles_are_those_of_the_tables(void **state)
{
	static const struct {
		uint32_t df;
		double t;
	} rows[] = {
		{1, 12.7062},  {2, 4.3027},   {4, 2.7764},   {9, 2.2622},    {30, 2.0423},
		{31, 2.0395},  {35, 2.0301},  {40, 2.0211},  {50, 2.0086},   {80, 1.9901},
		{100, 1.9840}, {120, 1.9799}, {199, 1.9720}, {1000, 1.9623},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		near(stats_t_975(rows[i].df), rows[i].t, 0.0002);
}

/* logs of 1, 2, 4, 8, 16 are 0 to 4 times log 2: mean 2, deviation sqrt(2.5) */
static void test_an_interval_is_that_of_student(void **state)
{
	static const double first[] = {3, 1, 2, 10, 5}, other[] = {3, 2, 8, 80, 80};
	struct stats_interval r = stats_paired_ratio(first, other, 5);
	double half = 2.776445 * sqrt(2.5 / 5) * log(2);

	near(r.mid, 4, 1e-12);
	near(r.low, 4 * exp(-half), 1e-9);
	near(r.high, 4 * exp(half), 1e-9);
}

/* 10, 20, 30: mean 20, deviation 10 */
static void test_differences_have_an_interval_too(void **state)
{
	static const double first[] = {0, 5, 0}, other[] = {10, 25, 30};
	struct stats_interval d = stats_paired_difference(first, other, 3);

	near(d.mid, 20, 1e-12);
	near(d.low, 20 - 4.302653 * 10 / sqrt(3), 1e-9);
	near(d.high, 20 + 4.302653 * 10 / sqrt(3), 1e-9);
}

/* 10, 20, 30: deviation 10 */
static void test_a_mean_has_a_standard_error(void **state)
{
	static const double x[] = {10, STATS_NONE, 20, 30};

	near(stats_mean(x, 4), 20, 1e-12);
	near(stats_standard_error(x, 4), 10 / sqrt(3), 1e-12);
	assert_true(isnan(stats_standard_error(x, 2)));
}

static void test_one_pair_has_no_interval(void **state)
{
	static const double first[] = {2}, other[] = {3};
	struct stats_interval r = stats_paired_ratio(first, other, 1);

	near(r.mid, 1.5, 1e-12);
	assert_true(isnan(r.low));
	assert_true(isnan(r.high));
	assert_int_equal(stats_direction(first, other, 1), 1);
}

static void test_missing_values_do_not_count(void **state)
{
	static const double first[] = {2, STATS_NONE, 4}, other[] = {3, 7, 6};

	near(stats_paired_ratio(first, other, 3).mid, 1.5, 1e-12);
	near(stats_mean(first, 3), 3, 1e-12);
	assert_true(isnan(stats_mean(first + 1, 1)));
	assert_true(isnan(stats_paired_ratio(first + 1, other + 1, 1).mid));
	assert_int_equal(stats_direction(first + 1, other + 1, 1), 0);
}

static void test_zeros(void **state)
{
	static const double zeros[] = {0, 0, 0}, some[] = {0, 5, 6}, all[] = {5, 6, 7};

	near(stats_paired_ratio(zeros, zeros, 3).mid, 1, 0);
	assert_int_equal(stats_direction(zeros, zeros, 3), 0);
	assert_true(isnan(stats_paired_ratio(zeros, all, 3).mid));
	assert_true(isnan(stats_paired_ratio(all, zeros, 3).mid));
	assert_int_equal(stats_direction(zeros, all, 3), 1);
	assert_int_equal(stats_direction(all, zeros, 3), -1);
	/* 0, 5, 6: the interval of the difference contains 0 */
	assert_int_equal(stats_direction(zeros, some, 3), 0);
}

static void test_what_cannot_be_told_apart_has_no_direction(void **state)
{
	static const struct {
		double first[3], other[3];
		int direction;
	} rows[] = {
		{{1, 2, 3}, {1, 2, 3}, 0},
		{{1, 2, 3}, {1.1, 1.9, 3.1}, 0},
		{{1, 2, 3}, {1.1, 2.2, 3.3}, 1},
		{{1, 2, 3}, {0.5, 1, 1.5}, -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(stats_direction(rows[i].first, rows[i].other, 3),
				 rows[i].direction);
		assert_int_equal(stats_direction(rows[i].other, rows[i].first, 3),
				 -rows[i].direction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_are_those_of_the_tables),
		cmocka_unit_test(test_an_interval_is_that_of_student),
		cmocka_unit_test(test_differences_have_an_interval_too),
		cmocka_unit_test(test_a_mean_has_a_standard_error),
		cmocka_unit_test(test_one_pair_has_no_interval),
		cmocka_unit_test(test_missing_values_do_not_count),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_what_cannot_be_told_apart_has_no_direction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
