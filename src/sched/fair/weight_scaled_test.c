/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/fixed.h"
#include "base/rng.h"
#include "sched/fair/weight.h"
#include "sched/fair/weight_scaled.h"

static const struct kver to_zero = {0};

static struct kver at_least_2(void)
{
	struct kver v = {0};

	feature_set_add(&v.features, FEAT_WEIGHT_MIN_2);
	return v;
}

static void test_four_ms_in_virtual_time_by_nice(void **state)
{
	static const struct {
		int32_t nice;
		uint64_t vns;
	} rows[] = {{-20, 46146}, {-5, 1312399}, {0, 4000000},
		    {1, 4995121}, {5, 12226865}, {19, 273066666}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct load_weight lw = scale_load(weight_of_nice(rows[i].nice));

		assert_int_equal(calc_delta_fair_scaled(&to_zero, 4000000, &lw), rows[i].vns);
	}
}

static void test_slices_of_24_ms(void **state)
{
	struct load_weight three = {UINT64_C(3) << 20, 0};
	struct load_weight with_nice_5 = {(1024 + 335) << 10, 0};

	assert_int_equal(calc_delta_scaled(&to_zero, 24000000, 1 << 20, &three), 7999998);
	assert_int_equal(three.inv, UINT32_MAX / 3072);
	assert_int_equal(calc_delta_scaled(&to_zero, 24000000, 1 << 20, &with_nice_5), 18083885);
}

static void test_tables_inverses_are_the_nearest_but_for_four(void **state)
{
	static const int32_t truncated[] = {13, 14, 16, 17};

	for (int32_t nice = -20; nice < 20; nice++) {
		struct load_weight lw = weight_of_nice(nice);
		uint64_t expected = ((UINT64_C(1) << 32) + lw.weight / 2) / lw.weight;

		for (size_t i = 0; i < sizeof(truncated) / sizeof(truncated[0]); i++)
			if (truncated[i] == nice)
				expected = (UINT64_C(1) << 32) / lw.weight;
		assert_int_equal(lw.inv, expected);
	}
}

static void test_computed_inverses(void **state)
{
	static const struct {
		uint64_t weight, to_zero, at_least_2;
	} rows[] = {
		{0, UINT32_MAX, UINT32_MAX},
		{2, UINT32_MAX, UINT32_MAX / 2},
		{1023, UINT32_MAX, UINT32_MAX / 2},
		{1024, UINT32_MAX, UINT32_MAX / 2},
		{3 << 10, UINT32_MAX / 3, UINT32_MAX / 3},
		{UINT64_C(0xfffffffe) << 10, 1, 1},
		{UINT64_C(0xffffffff) << 10, 1, 1},
		{UINT64_C(1) << 43, 1, 1},
	};
	struct kver v = at_least_2();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct load_weight a = {rows[i].weight, 0}, b = a;

		calc_delta_scaled(&to_zero, 1, 1 << 20, &a);
		calc_delta_scaled(&v, 1, 1 << 20, &b);
		assert_int_equal(a.inv, rows[i].to_zero);
		assert_int_equal(b.inv, rows[i].at_least_2);
	}
}

/* With shifts one bit at a time, as 5.4 does it. */
static uint64_t by_single_bits(uint64_t delta, uint64_t weight, uint64_t inv)
{
	uint64_t fact = weight;
	int shift = 32;

	for (; fact >> 32; shift--)
		fact >>= 1;
	fact *= inv;
	for (; fact >> 32; shift--)
		fact >>= 1;
	return (uint64_t)((u128)delta * fact >> shift);
}

static void test_normalizing_by_single_bits_gives_the_same(void **state)
{
	struct rng r = rng_stream(1, "calc-delta", 0);

	for (int i = 0; i < 100000; i++) {
		uint64_t weight = rng_next(&r) >> rng_between(&r, 30, 60);
		uint64_t delta = rng_next(&r) >> rng_between(&r, 20, 60);
		struct load_weight lw = {(weight + rng_below(&r, 1 << 20)) << 10 | 1024, 0};
		uint64_t got = calc_delta_scaled(&to_zero, delta, weight << 10, &lw);

		assert_int_equal(got, by_single_bits(delta, weight, lw.inv));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four_ms_in_virtual_time_by_nice),
		cmocka_unit_test(test_slices_of_24_ms),
		cmocka_unit_test(test_tables_inverses_are_the_nearest_but_for_four),
		cmocka_unit_test(test_computed_inverses),
		cmocka_unit_test(test_normalizing_by_single_bits_gives_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
