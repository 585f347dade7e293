/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/dl/dl.h"

#define MS NS_PER_MS
#define NOW (1000 * MS)
/* a time that the comparison's units of 1024 ns do not round */
#define EVEN (1024 * NS_PER_US)

static struct dl_entity entity(uint64_t runtime_ns, uint64_t deadline_ns, uint64_t period_ns)
{
	return (struct dl_entity){.dl_runtime_ns = runtime_ns,
				  .dl_deadline_ns = deadline_ns,
				  .dl_period_ns = period_ns,
				  .dl_bw = to_ratio(period_ns, runtime_ns),
				  .dl_density = to_ratio(deadline_ns, runtime_ns)};
}

static void test_bandwidth_is_rounded_down(void **state)
{
	assert_int_equal(to_ratio(10 * MS, 10 * MS), 1048576);
	assert_int_equal(to_ratio(10 * MS, 4 * MS), 419430); /* .4 */
	assert_int_equal(to_ratio(3 * MS, MS), 349525);      /* .33 */
	assert_int_equal(to_ratio(1000000, 950000), 996147); /* .2 */
	assert_int_equal(to_ratio(0, MS), 0);
	assert_int_equal(to_ratio(UINT64_C(1) << 62, UINT64_C(1) << 61), 524288);
}

static void test_first_instance_begins_when_it_is_queued(void **state)
{
	struct dl_entity se = entity(4 * MS, 8 * MS, 10 * MS);

	se.fresh = true;
	dl_update_entity(&se, NOW);
	assert_int_equal(se.deadline_ns, NOW + 8 * MS);
	assert_int_equal(se.runtime_ns, 4 * MS);
	assert_false(se.fresh);
	assert_int_equal(dl_next_period(&se), NOW + 10 * MS);
}

/* 4 of 10: what is left may be used until the deadline if that is no more than 0.4 of the time. */
static void test_sleeper_keeps_what_fits_its_bandwidth(void **state)
{
	static const struct {
		int64_t left_ns, to_deadline_ns;
		bool kept;
	} rows[] = {
		{2 * EVEN, 6 * EVEN, true},
		{2 * EVEN, 5 * EVEN, true}, /* exactly 0.4 */
		{2 * EVEN, 5 * EVEN - 1, false},
		{2 * EVEN + 1024, 5 * EVEN, false},
		{2 * EVEN + 1023, 5 * EVEN, true}, /* rounded down */
		{2 * EVEN, 4 * EVEN, false},
		{4 * EVEN, 10 * EVEN, true},
		{1024, 0, false}, /* due now */
		{2 * EVEN, -1, false},
		{0, -1, false},
		{0, 1, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dl_entity se = entity(4 * EVEN, 10 * EVEN, 10 * EVEN);
		uint64_t deadline_ns = NOW + (uint64_t)rows[i].to_deadline_ns;

		se.runtime_ns = rows[i].left_ns;
		se.deadline_ns = deadline_ns;
		dl_update_entity(&se, NOW);
		if (rows[i].kept) {
			assert_int_equal(se.deadline_ns, deadline_ns);
			assert_int_equal(se.runtime_ns, rows[i].left_ns);
		} else {
			assert_int_equal(se.deadline_ns, NOW + 10 * EVEN);
			assert_int_equal(se.runtime_ns, 4 * EVEN);
		}
	}
}

/* 2 of 5 of 10 ms, 3 ms before the deadline: density floor(0.4 x 2^20) = 419430. */
static void test_constrained_sleeper_keeps_its_deadline_and_gets_less(void **state)
{
	struct dl_entity se = entity(2 * MS, 5 * MS, 10 * MS);

	se.runtime_ns = 2 * MS;
	se.deadline_ns = NOW + 3 * MS;
	dl_update_entity(&se, NOW);
	assert_int_equal(se.deadline_ns, NOW + 3 * MS);
	assert_int_equal(se.runtime_ns, 1199998);
	/* past its deadline it begins anew */
	dl_update_entity(&se, NOW + 4 * MS);
	assert_int_equal(se.deadline_ns, NOW + 9 * MS);
	assert_int_equal(se.runtime_ns, 2 * MS);
}

/* 4 of 10 ms; the deadline is NOW. What was run over is paid by whole periods. */
static void test_replenishment_pays_for_what_was_run_over(void **state)
{
	static const struct {
		int64_t before_ms, after_ms;
		uint64_t later_ms;
	} rows[] = {{0, 4, 10},  {-1, 3, 10}, {-3, 1, 10}, {-4, 4, 20},
		    {-5, 3, 20}, {-9, 3, 30}, {1, 1, 0},   {-40, 4, 110}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dl_entity se = entity(4 * MS, 10 * MS, 10 * MS);

		se.runtime_ns = rows[i].before_ms * (int64_t)MS;
		se.deadline_ns = NOW;
		se.throttled = true;
		dl_replenish_entity(&se, NOW);
		assert_int_equal(se.runtime_ns, rows[i].after_ms * (int64_t)MS);
		assert_int_equal(se.deadline_ns, NOW + rows[i].later_ms * MS);
		assert_false(se.throttled);
	}
}

static void test_one_that_lags_too_far_begins_anew(void **state)
{
	struct dl_entity se = entity(4 * MS, 8 * MS, 10 * MS);

	se.runtime_ns = -(int64_t)MS;
	se.deadline_ns = NOW;
	/* the new deadline is just not over */
	dl_replenish_entity(&se, NOW + 10 * MS);
	assert_int_equal(se.deadline_ns, NOW + 10 * MS);
	assert_int_equal(se.runtime_ns, 3 * MS);
	se.runtime_ns = -(int64_t)MS;
	dl_replenish_entity(&se, NOW + 20 * MS + 1);
	assert_int_equal(se.deadline_ns, NOW + 28 * MS + 1);
	assert_int_equal(se.runtime_ns, 4 * MS);
}

static void test_what_a_yield_gave_up_is_lost(void **state)
{
	struct dl_entity se = entity(4 * MS, 10 * MS, 10 * MS);

	se.runtime_ns = 3 * MS;
	se.deadline_ns = NOW;
	se.yielded = true;
	dl_replenish_entity(&se, NOW);
	assert_int_equal(se.runtime_ns, 4 * MS);
	assert_int_equal(se.deadline_ns, NOW + 10 * MS);
	assert_false(se.yielded);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bandwidth_is_rounded_down),
		cmocka_unit_test(test_first_instance_begins_when_it_is_queued),
		cmocka_unit_test(test_sleeper_keeps_what_fits_its_bandwidth),
		cmocka_unit_test(test_constrained_sleeper_keeps_its_deadline_and_gets_less),
		cmocka_unit_test(test_replenishment_pays_for_what_was_run_over),
		cmocka_unit_test(test_one_that_lags_too_far_begins_anew),
		cmocka_unit_test(test_what_a_yield_gave_up_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
