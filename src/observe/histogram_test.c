/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>

#include "base/rng.h"
#include "observe/histogram.h"

static struct histogram *new_histogram(void)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	return h;
}

static void test_buckets_cover_all_values_without_gap(void **state)
{
	uint64_t v = 0;
	uint32_t n = 0;

	for (;;) {
		uint64_t high = histogram_high(v);

		assert_true(histogram_low(v) == v);
		assert_true(histogram_low(high) == v);
		assert_true(high >= v);
		if (v < 256)
			assert_true(high == v);
		else
			assert_true((high - v) <= v / 128);
		n++;
		if (high == UINT64_MAX)
			break;
		v = high + 1;
	}
	assert_int_equal(n, HISTOGRAM_BUCKETS);
}

static void test_small_values_are_exact(void **state)
{
	struct histogram *h = new_histogram();

	for (uint64_t v = 1; v <= 200; v++)
		histogram_add(h, v);
	assert_int_equal(histogram_quantile(h, 500000), 100);
	assert_int_equal(histogram_quantile(h, 990000), 198);
	assert_int_equal(histogram_quantile(h, 1), 1);
	assert_int_equal(histogram_quantile(h, QUANTILE_ONE), 200);
	assert_int_equal(h->max, 200);
	free(h);
}

static void test_empty_histogram_has_quantile_zero(void **state)
{
	struct histogram *h = new_histogram();

	assert_int_equal(histogram_quantile(h, 500000), 0);
	free(h);
}

static void test_quantile_never_exceeds_the_maximum(void **state)
{
	struct histogram *h = new_histogram();

	histogram_add(h, 1000001);
	assert_int_equal(histogram_quantile(h, 500000), 1000001);
	histogram_add(h, UINT64_MAX);
	assert_true(histogram_quantile(h, QUANTILE_ONE) == UINT64_MAX);
	free(h);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void test_quantiles_agree_with_sorted_values(void **state)
{
	enum {
		N = 5000
	};
	static const uint32_t ppm[] = {1, 10000, 500000, 900000, 990000, 999900, 1000000};
	static uint64_t v[N];

	for (uint64_t seed = 1; seed <= property_seeds(5); seed++) {
		struct histogram *h = new_histogram();
		struct rng r = rng_stream(seed, "histogram", 0);

		for (uint32_t i = 0; i < N; i++) {
			v[i] = rng_next(&r) >> rng_below(&r, 64);
			histogram_add(h, v[i]);
		}
		qsort(v, N, sizeof(v[0]), compare_u64);
		for (uint32_t i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
			uint64_t rank = ((uint64_t)N * ppm[i] + 999999) / 1000000;
			uint64_t exact = v[rank - 1];
			uint64_t got = histogram_quantile(h, ppm[i]);

			assert_true(got >= exact);
			assert_true(got - exact <= exact / 128);
		}
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_cover_all_values_without_gap),
		cmocka_unit_test(test_small_values_are_exact),
		cmocka_unit_test(test_empty_histogram_has_quantile_zero),
		cmocka_unit_test(test_quantile_never_exceeds_the_maximum),
		cmocka_unit_test(test_quantiles_agree_with_sorted_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
