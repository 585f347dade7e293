/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages and answers in their order, and what counts as a latency. */
#include "support.h"

#include "workload/schbench.h"
#include "workload/toy_engine.h"

/* One message thread, number 1, and two workers, 2 and 3. */
#define MESSENGER 1u

static struct schbench_params params(void)
{
	return (struct schbench_params){.messengers = 1,
					.workers = 2,
					.sleep_ns = 4000,
					.cpu_ns = 10000,
					.runtime_ns = NS_PER_MS,
					.buckets = 10,
					.seed = 1};
}

static struct action expect(struct behaviour *b, uint32_t task, uint64_t now_ns,
			    enum action_kind kind)
{
	struct action a;

	memset(&a, 0, sizeof(a));
	b->ops->next(b, task, now_ns, &a);
	if (a.kind != kind)
		fail_msg("task %u does %d, not %d", task, (int)a.kind, (int)kind);
	return a;
}

static struct behaviour_report report(const struct behaviour *b)
{
	struct behaviour_report r;

	memset(&r, 0, sizeof(r));
	assert_true(b->ops->report(b, 0, &r));
	assert_false(b->ops->report(b, 1, &r));
	assert_true(b->ops->report(b, 0, &r));
	return r;
}

static struct behaviour *started(const struct schbench_params *p)
{
	struct behaviour *b = schbench_create(p);

	assert_int_equal(b->ntasks, 4);
	expect(b, 0, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, 0, ACTION_FORK).task, MESSENGER);
	assert_int_equal(expect(b, 0, 0, ACTION_SLEEP).ns, NS_PER_MS);
	assert_int_equal(expect(b, MESSENGER, 0, ACTION_FORK).task, 2);
	assert_int_equal(expect(b, MESSENGER, 0, ACTION_FORK).task, 3);
	expect(b, MESSENGER, 0, ACTION_BLOCK);
	return b;
}

static void test_the_last_that_waits_is_answered_first(void **state)
{
	struct schbench_params p = params();
	struct behaviour *b = started(&p);
	uint64_t sleep_ns;

	for (uint32_t i = 2; i <= 3; i++)
		assert_int_equal(expect(b, i, 100, ACTION_RUN_UNTIL).ns, 10100);
	/* the first one posts the message thread, the second finds it posted */
	assert_int_equal(expect(b, 2, 10100, ACTION_WAKE).task, MESSENGER);
	expect(b, 2, 10100, ACTION_BLOCK);
	expect(b, 3, 10200, ACTION_BLOCK);
	sleep_ns = expect(b, MESSENGER, 10300, ACTION_SLEEP).ns;
	assert_in_range(sleep_ns, 4000, 4999);
	assert_int_equal(expect(b, MESSENGER, 20000, ACTION_WAKE).task, 3);
	assert_int_equal(expect(b, MESSENGER, 21000, ACTION_WAKE).task, 2);
	expect(b, MESSENGER, 22000, ACTION_BLOCK);
	/* latencies count from when the list was taken */
	assert_int_equal(expect(b, 3, 22500, ACTION_DONE).value, 1);
	expect(b, 2, 27000, ACTION_DONE);
	assert_int_equal(report(b).count, 2);
	assert_int_equal(report(b).min_ns, 2500);
	assert_int_equal(report(b).max_ns, 7000);
	assert_int_equal(report(b).bucket[2], 1);
	assert_int_equal(report(b).bucket[7], 1);
	schbench_destroy(b);
}

static void test_below_a_microsecond_is_no_latency_and_the_rest_overflows(void **state)
{
	struct schbench_params p = params();
	struct behaviour *b = started(&p);

	for (uint64_t round = 0; round < 2; round++) {
		uint64_t ns = 100000 * round;

		expect(b, 2, ns, ACTION_RUN_UNTIL);
		expect(b, 2, ns + 10000, ACTION_WAKE);
		expect(b, 2, ns + 10000, ACTION_BLOCK);
		expect(b, MESSENGER, ns + 11000, ACTION_SLEEP);
		expect(b, MESSENGER, ns + 15000, ACTION_WAKE);
		expect(b, MESSENGER, ns + 15000, ACTION_BLOCK);
		expect(b, 2, ns + (round ? 15000 + 50000 : 15999), ACTION_DONE);
	}
	assert_int_equal(report(b).count, 1);
	assert_int_equal(report(b).overflow, 1);
	assert_int_equal(report(b).max_ns, 50000);
	schbench_destroy(b);
}

static void run_to_the_end(const struct schbench_params *p)
{
	struct behaviour *b = schbench_create(p);
	struct toy toy;

	toy_start(&toy, b, NULL);
	assert_false(toy_run(&toy, NS_PER_S, 1000000));
	assert_int_equal(toy.nlist, b->ntasks);
	assert_int_equal(toy.live, 0);
	assert_true(toy.done > 0);
	toy_end(&toy);
	schbench_destroy(b);
}

static void test_all_end_after_the_run_time(void **state)
{
	struct schbench_params p = params();

	run_to_the_end(&p);
	p.messengers = 3;
	p.workers = 5;
	run_to_the_end(&p);
	p.cpu_ns = 0;
	run_to_the_end(&p);
	p.cpu_ns = 1000;
	p.sleep_ns = 0;
	p.buckets = 0;
	run_to_the_end(&p);
}

static void test_without_a_run_time_it_is_endless(void **state)
{
	struct schbench_params p = params();
	struct behaviour *b;

	p.runtime_ns = 0;
	b = schbench_create(&p);
	assert_true(b->endless);
	expect(b, 0, 0, ACTION_START_MARK);
	expect(b, 0, 0, ACTION_FORK);
	expect(b, 0, 0, ACTION_BLOCK);
	schbench_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_that_waits_is_answered_first),
		cmocka_unit_test(test_below_a_microsecond_is_no_latency_and_the_rest_overflows),
		cmocka_unit_test(test_all_end_after_the_run_time),
		cmocka_unit_test(test_without_a_run_time_it_is_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
