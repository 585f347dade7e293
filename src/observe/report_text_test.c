/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/report_text.h"

static const uint64_t first_counts[] = {0, 3, 1}, second_counts[] = {7};

static const struct behaviour_report rows[] = {
	{.what = "wakeup_latency",
	 .rt_priority = 80,
	 .interval_ns = 1000000,
	 .count = 5,
	 .min_ns = 1000,
	 .last_ns = 1999,
	 .max_ns = 123456789,
	 .sum_ns = 5 * 12999,
	 .bucket_ns = 1000,
	 .nbuckets = 3,
	 .bucket = first_counts,
	 .overflow = 1},
	{.what = "wakeup_latency", .interval_ns = 1500000, .count = 2, .min_ns = 1, .max_ns = 2},
	{.what = "wakeup_latency",
	 .count = 7,
	 .bucket_ns = 1000,
	 .nbuckets = 1,
	 .bucket = second_counts},
};

static void test_a_line_is_cyclictests(void **state)
{
	struct text t;

	text_init(&t);
	report_line(&t, 0, 12, &rows[0]);
	report_line(&t, 10, 123456, &rows[1]);
	assert_string_equal(
		text_cstr(&t),
		"T: 0 (   12) P:80 I:1000 C:      5 Min:      1 Act:    1 Avg:   12 Max:  123456\n"
		"T:10 (123456) P: 0 I:1500 C:      2 Min:      0 Act:    0 Avg:    0 Max:       0\n");
	text_free(&t);
}

static void test_a_line_without_a_sample_has_zeros(void **state)
{
	struct behaviour_report none = {.what = "x", .interval_ns = 1000};
	struct text t;

	text_init(&t);
	report_line(&t, 1, 2, &none);
	assert_string_equal(
		text_cstr(&t),
		"T: 1 (    2) P: 0 I:1 C:      0 Min:      0 Act:    0 Avg:    0 Max:       0\n");
	text_free(&t);
}

/* A report without a histogram has no column; a short one has no counts in later rows. */
static void test_a_histogram_has_a_column_for_each_that_is_kept(void **state)
{
	struct text t;

	text_init(&t);
	report_histogram(&t, rows, 3);
	assert_string_equal(text_cstr(&t), "# Histogram\n"
					   "000000 000000\t000007\n"
					   "000001 000003\t000000\n"
					   "000002 000001\t000000\n"
					   "# Total: 000000004 000000007\n"
					   "# Min Latencies: 00001 00000\n"
					   "# Avg Latencies: 00012 00000\n"
					   "# Max Latencies: 123456 00000\n"
					   "# Histogram Overflows: 00001 00000\n");
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_cyclictests),
		cmocka_unit_test(test_a_line_without_a_sample_has_zeros),
		cmocka_unit_test(test_a_histogram_has_a_column_for_each_that_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
