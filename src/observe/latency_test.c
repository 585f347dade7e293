/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/latency.h"

static struct latency *fresh(void)
{
	struct rql_error e;
	struct latency *l = latency_create(8, &e);

	assert_non_null(l);
	return l;
}

static void say(struct latency *l, uint64_t time_ns, uint32_t cpu, enum record_kind kind,
		uint64_t a, uint64_t b)
{
	struct record r = {.time_ns = time_ns, .cpu = cpu, .kind = kind, .a = a, .b = b};

	assert_true((l->sink.wants >> kind) & 1);
	l->sink.take(&l->sink, &r);
}

static void test_latency_runs_from_wake_to_switch(void **state)
{
	struct latency *l = fresh();

	say(l, 1000, 0, RECORD_WAKE, 3, 1);
	say(l, 1200, 1, RECORD_SWITCH, 0, 3);
	assert_int_equal(latency_count(l), 1);
	assert_int_equal(latency_quantile_ns(l, 500000), 200);
	assert_int_equal(latency_max_ns(l), 200);
	latency_free(l);
}

static void test_switch_without_wake_is_no_latency(void **state)
{
	struct latency *l = fresh();

	say(l, 5, 0, RECORD_SWITCH, 0, 1);
	say(l, 9, 0, RECORD_SWITCH, 1, 2);
	say(l, 12, 0, RECORD_SWITCH, 2, 1);
	assert_int_equal(latency_count(l), 0);
	latency_free(l);
}

static void test_each_wake_counts_once(void **state)
{
	struct latency *l = fresh();

	say(l, 100, 0, RECORD_WAKE, 1, 0);
	say(l, 110, 0, RECORD_SWITCH, 0, 1);
	say(l, 150, 0, RECORD_SWITCH, 1, 2); /* preempted, later again on the CPU */
	say(l, 190, 0, RECORD_SWITCH, 2, 1);
	assert_int_equal(latency_count(l), 1);
	assert_int_equal(latency_max_ns(l), 10);
	latency_free(l);
}

static void test_task_woken_on_its_cpu_waits_for_nothing(void **state)
{
	struct latency *l = fresh();

	say(l, 100, 0, RECORD_SWITCH, 0, 1);
	say(l, 200, 1, RECORD_WAKE, 1, 0);   /* dequeued but still current */
	say(l, 900, 0, RECORD_SWITCH, 1, 2); /* it was picked again and ran until here */
	say(l, 990, 0, RECORD_SWITCH, 2, 1);
	assert_int_equal(latency_count(l), 1);
	assert_int_equal(latency_max_ns(l), 0);
	latency_free(l);
}

static void test_clock_of_the_waker_ahead_gives_zero(void **state)
{
	struct latency *l = fresh();

	say(l, 100, 0, RECORD_WAKE, 1, 1);
	say(l, 90, 1, RECORD_SWITCH, 0, 1);
	assert_int_equal(latency_count(l), 1);
	assert_int_equal(latency_max_ns(l), 0);
	latency_free(l);
}

static void test_stoppers_and_idle_tasks_are_left_out(void **state)
{
	struct latency *l = fresh();

	say(l, 100, 0, RECORD_WAKE, 0, 1);
	say(l, 190, 1, RECORD_SWITCH, 0, 0);
	assert_int_equal(latency_count(l), 0);
	latency_free(l);
}

static void test_unknown_task_is_a_bug(void **state)
{
	struct latency *l = fresh();

	expect_assert_failure(say(l, 1, 0, RECORD_WAKE, 9, 0));
	latency_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latency_runs_from_wake_to_switch),
		cmocka_unit_test(test_switch_without_wake_is_no_latency),
		cmocka_unit_test(test_each_wake_counts_once),
		cmocka_unit_test(test_task_woken_on_its_cpu_waits_for_nothing),
		cmocka_unit_test(test_clock_of_the_waker_ahead_gives_zero),
		cmocka_unit_test(test_stoppers_and_idle_tasks_are_left_out),
		cmocka_unit_test(test_unknown_task_is_a_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
