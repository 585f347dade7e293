/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixed vectors are what makes fingerprints comparable between releases:
 * they may never change.
 */
#include "support.h"

#include "base/rng.h"

#define DRAWS 200000

static void test_vectors_never_change(void **state)
{
	static const struct {
		uint64_t seed;
		const char *name;
		uint64_t id;
		uint64_t first, second;
	} rows[] = {
		{0, "", 0, UINT64_C(0xfc0415bd76a1fb9c), UINT64_C(0xa4323f8ab4758681)},
		{1, "arrival", 0, UINT64_C(0x0864a23de790fd93), UINT64_C(0x5213c33504a99a6a)},
		{1, "arrival", 1, UINT64_C(0x17dc9d5e5ec32434), UINT64_C(0x3b39e4b5a8ab27ae)},
		{2, "arrival", 0, UINT64_C(0x74f6437daf34e5e2), UINT64_C(0x067c9a398497badb)},
		{1, "start-cpu", 0, UINT64_C(0xc3ed71a4c1a7640e), UINT64_C(0x61334a3a4ce66282)},
		{UINT64_MAX, "x", UINT64_MAX, UINT64_C(0x9b76837f7f5b603b),
		 UINT64_C(0xec318f747f0763b3)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rng r = rng_stream(rows[i].seed, rows[i].name, rows[i].id);

		assert_int_equal(rng_next(&r), rows[i].first);
		assert_int_equal(rng_next(&r), rows[i].second);
	}
}

static void test_exponential_vectors_never_change(void **state)
{
	static const uint64_t want[] = {993533, 783729, 313996, 171877};
	struct rng r = rng_stream(1, "service", 5);

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		assert_int_equal(rng_exponential(&r, 1000000), want[i]);
}

static void test_same_name_gives_the_same_stream(void **state)
{
	struct rng a = rng_stream(7, "arrival", 3);
	struct rng b = rng_stream(7, "arrival", 3);

	for (int i = 0; i < 100; i++)
		assert_int_equal(rng_next(&a), rng_next(&b));
}

/* Bits of two streams that agree, of 64 * n: half of them when independent. */
static uint64_t agreeing_bits(struct rng a, struct rng b, int n)
{
	uint64_t agree = 0;

	for (int i = 0; i < n; i++)
		agree += (uint64_t)__builtin_popcountll(~(rng_next(&a) ^ rng_next(&b)));
	return agree;
}

static void test_neighbouring_streams_are_independent(void **state)
{
	const int n = 10000;
	const uint64_t half = 64 * (uint64_t)n / 2, bound = 5 * 400; /* 5 standard deviations */
	struct rng base = rng_stream(1, "arrival", 0);
	struct rng other[] = {
		rng_stream(2, "arrival", 0), rng_stream(1, "arrival", 1),
		rng_stream(1, "arrivam", 0), rng_stream(1, "arrival", UINT64_C(1) << 32),
		rng_stream(0, "arrival", 0), rng_stream(1, "laviarr", 0),
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		uint64_t agree = agreeing_bits(base, other[i], n);

		assert_in_range(agree, half - bound, half + bound);
	}
}

static void test_below_fills_its_range_evenly(void **state)
{
	uint32_t count[10] = {0};
	struct rng r = rng_stream(1, "below", 0);

	for (int i = 0; i < DRAWS; i++)
		count[rng_below(&r, 10)]++;
	for (int i = 0; i < 10; i++)
		assert_in_range(count[i], DRAWS / 10 - 700, DRAWS / 10 + 700);
	assert_int_equal(rng_below(&r, 1), 0);
}

static void test_between_includes_both_ends(void **state)
{
	struct rng r = rng_stream(1, "between", 0);
	bool low = false, high = false;

	for (int i = 0; i < 1000; i++) {
		uint64_t x = rng_between(&r, 5, 8);

		assert_in_range(x, 5, 8);
		low |= x == 5;
		high |= x == 8;
	}
	assert_true(low);
	assert_true(high);
	assert_int_equal(rng_between(&r, 9, 9), 9);
	rng_between(&r, 0, UINT64_MAX);
}

/* Mean and the part of draws above the mean (1/e), both within 5 standard errors. */
static void test_exponential_has_its_mean_and_shape(void **state)
{
	static const uint64_t means[] = {1000, 1000000, (UINT64_C(1) << 40) - 1};

	for (size_t m = 0; m < sizeof(means) / sizeof(means[0]); m++) {
		struct rng r = rng_stream(1, "exponential", m);
		uint64_t sum = 0, above = 0, mean;

		for (int i = 0; i < DRAWS; i++) {
			uint64_t x = rng_exponential(&r, means[m]);

			assert_true(x <= means[m] * 45);
			sum += x;
			above += x > means[m];
		}
		mean = sum / DRAWS;
		/* 5 / sqrt(200000) = 1.2 % */
		assert_in_range(mean, means[m] - means[m] * 12 / 1000,
				means[m] + means[m] * 12 / 1000);
		/* 200000 / e = 73576, deviation 216 */
		assert_in_range(above, 73576 - 5 * 216, 73576 + 5 * 216);
	}
}

static void test_exponential_of_zero_mean_is_zero(void **state)
{
	struct rng r = rng_stream(1, "zero", 0);

	assert_int_equal(rng_exponential(&r, 0), 0);
}

static void draw_below_zero(void)
{
	struct rng r = rng_stream(1, "x", 0);

	rng_below(&r, 0);
}

static void draw_between_reversed(void)
{
	struct rng r = rng_stream(1, "x", 0);

	rng_between(&r, 2, 1);
}

static void draw_of_huge_mean(void)
{
	struct rng r = rng_stream(1, "x", 0);

	rng_exponential(&r, UINT64_C(1) << 40);
}

static void test_senseless_ranges_are_bugs(void **state)
{
	expect_assert_failure(draw_below_zero());
	expect_assert_failure(draw_between_reversed());
	expect_assert_failure(draw_of_huge_mean());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_never_change),
		cmocka_unit_test(test_exponential_vectors_never_change),
		cmocka_unit_test(test_same_name_gives_the_same_stream),
		cmocka_unit_test(test_neighbouring_streams_are_independent),
		cmocka_unit_test(test_below_fills_its_range_evenly),
		cmocka_unit_test(test_between_includes_both_ends),
		cmocka_unit_test(test_exponential_has_its_mean_and_shape),
		cmocka_unit_test(test_exponential_of_zero_mean_is_zero),
		cmocka_unit_test(test_senseless_ranges_are_bugs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
