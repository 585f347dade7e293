/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/fair/weight.h"

/* Only the rule of inverses matters here. */
static const struct kver rounds_plus_one = {.inverse_plus_one = 1};
static const struct kver rounds_plain = {.inverse_plus_one = 0};

static void test_weights_and_inverses_by_nice(void **state)
{
	/* clang-format off */
	static const struct { int32_t nice; uint64_t weight, inv; } rows[] = {
		{-20, 88761, 48388},     {-19, 71755, 59856},     {-18, 56483, 76040},
		{-17, 46273, 92818},     {-16, 36291, 118348},    {-15, 29154, 147320},
		{-14, 23254, 184698},    {-13, 18705, 229616},    {-12, 14949, 287308},
		{-11, 11916, 360437},    {-10, 9548, 449829},     {-9, 7620, 563644},
		{-8, 6100, 704093},      {-7, 4904, 875809},      {-6, 3906, 1099582},
		{-5, 3121, 1376151},     {-4, 2501, 1717300},     {-3, 1991, 2157191},
		{-2, 1586, 2708050},     {-1, 1277, 3363326},     {0, 1024, 4194304},
		{1, 820, 5237765},       {2, 655, 6557202},       {3, 526, 8165337},
		{4, 423, 10153587},      {5, 335, 12820798},      {6, 272, 15790321},
		{7, 215, 19976592},      {8, 172, 24970740},      {9, 137, 31350126},
		{10, 110, 39045157},     {11, 87, 49367440},      {12, 70, 61356676},
		{13, 56, 76695844},      {14, 45, 95443717},      {15, 36, 119304647},
		{16, 29, 148102320},     {17, 23, 186737708},     {18, 18, 238609294},
		{19, 15, 286331153},
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct load_weight lw = weight_of_nice(rows[i].nice);

		assert_int_equal(lw.weight, rows[i].weight);
		assert_int_equal(lw.inv, rows[i].inv);
	}
	assert_int_equal(weight_of_idle_policy().weight, 3);
	assert_int_equal(weight_of_idle_policy().inv, 1431655765);
}

static void test_nice_outside_its_range_is_a_bug(void **state)
{
	expect_assert_failure(weight_of_nice(-21));
	expect_assert_failure(weight_of_nice(20));
}

static void test_a_computed_inverse_is_kept_and_follows_the_kernels_rule(void **state)
{
	static const struct {
		uint64_t weight, plus_one, plain;
	} rows[] = {
		{3072, 1397646, 1398101},    {1024, 4190212, 4194304},  {2, 1431655766, 2147483648},
		{0, 4294967297, 4294967296}, {UINT64_C(1) << 32, 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct load_weight a = {rows[i].weight, 0}, b = a;

		calc_delta_mine(&rounds_plus_one, 1, 1, &a);
		calc_delta_mine(&rounds_plain, 1, 1, &b);
		assert_int_equal(a.inv, rows[i].plus_one);
		assert_int_equal(b.inv, rows[i].plain);
	}
}

static void test_a_cached_inverse_is_used_and_a_change_of_load_forgets_it(void **state)
{
	struct load_weight lw = {1024, UINT64_C(1) << 31};

	assert_int_equal(calc_delta_mine(&rounds_plus_one, 1000, 1, &lw), 500);
	load_add(&lw, 2048);
	assert_int_equal(lw.inv, 0);
	assert_int_equal(lw.weight, 3072);
	calc_delta_mine(&rounds_plus_one, 1, 1, &lw);
	assert_int_equal(lw.inv, 1397646);
	load_sub(&lw, 1024);
	assert_int_equal(lw.inv, 0);
	assert_int_equal(lw.weight, 2048);
}

static void test_vruntime_of_one_millisecond_by_nice(void **state)
{
	static const struct {
		int32_t nice;
		uint64_t vns;
	} rows[] = {{-20, 11537}, {-10, 107248}, {-5, 328100},  {0, 1000000},
		    {5, 3056716}, {10, 9309091}, {19, 68266667}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct load_weight lw = weight_of_nice(rows[i].nice);

		assert_int_equal(calc_delta_fair(&rounds_plus_one, 1000000, &lw), rows[i].vns);
		assert_int_equal(calc_delta_fair(&rounds_plain, 1000000, &lw), rows[i].vns);
	}
}

static void test_weight_1024_is_exact_whatever_its_inverse(void **state)
{
	struct load_weight lw = {1024, 7};

	assert_int_equal(calc_delta_fair(&rounds_plus_one, 123456789, &lw), 123456789);
}

/* 2^32 itself still goes in one step, anything above in two roundings of 16 bits. */
static void test_products_round_in_one_step_up_to_2_to_the_32(void **state)
{
	struct load_weight lw = {3, 1431655765};

	assert_int_equal(calc_delta_mine(&rounds_plus_one, UINT64_C(1) << 22, 1024, &lw),
			 1431655765);
	assert_int_equal(calc_delta_mine(&rounds_plus_one, (UINT64_C(1) << 22) + 1, 1024, &lw),
			 1431655765);
}

static void test_a_weight_of_one_or_less_counts_as_one_in_the_later_rule(void **state)
{
	struct load_weight lw = weight_of_nice(0);

	assert_int_equal(calc_delta_mine(&rounds_plain, 1024000, 0, &lw), 1000);
	assert_int_equal(calc_delta_mine(&rounds_plain, 1024000, 1, &lw), 1000);
	assert_int_equal(calc_delta_mine(&rounds_plus_one, 1024000, 0, &lw), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_and_inverses_by_nice),
		cmocka_unit_test(test_nice_outside_its_range_is_a_bug),
		cmocka_unit_test(test_a_computed_inverse_is_kept_and_follows_the_kernels_rule),
		cmocka_unit_test(test_a_cached_inverse_is_used_and_a_change_of_load_forgets_it),
		cmocka_unit_test(test_vruntime_of_one_millisecond_by_nice),
		cmocka_unit_test(test_weight_1024_is_exact_whatever_its_inverse),
		cmocka_unit_test(test_products_round_in_one_step_up_to_2_to_the_32),
		cmocka_unit_test(test_a_weight_of_one_or_less_counts_as_one_in_the_later_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
