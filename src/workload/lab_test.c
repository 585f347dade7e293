/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who forks whom in which order, what threads do before they begin, when they are released. */
#include "by_hand.h"
#include "support.h"

#include "base/fixed.h"
#include "base/mask.h"
#include "workload/lab.h"

static struct lab_params params(void)
{
	return (struct lab_params){
		.process = {{.threads = 2, .cpu = LAB_ANY_CPU}, {.cpu = LAB_ANY_CPU}},
		.monitor_ns = NS_PER_S,
		.look_ns = 16000,
		.ncpus = 4,
		.seed = 1,
	};
}

static struct action at(struct behaviour *b, uint32_t task, uint64_t now_ns)
{
	struct action a = {0};

	b->ops->next(b, task, now_ns, &a);
	return a;
}

static void test_monitor_forks_processes_and_looks_on_a_grid(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;
	struct action a;

	p.process[1].threads = 3;
	p.delay_ns = 1000;
	b = lab_create(&p);
	assert_int_equal(b->ntasks, 8);
	a = at(b, 0, 0);
	assert_int_equal(a.kind, ACTION_SLEEP);
	assert_in_range(a.ns, 1, 1000);
	assert_int_equal(at(b, 0, 500).kind, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 1);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 2);
	assert_int_equal(expect(b, 0, ACTION_SLEEP_UNTIL).ns, NS_PER_S + 500);
	for (int i = 0; i < 16; i++) {
		a = expect(b, 0, ACTION_RUN);
		assert_int_equal(a.ns, 1000);
		assert_int_equal(a.flags, ACTION_IN_KERNEL);
	}
	/* late or not, the next look keeps the grid */
	a = at(b, 0, NS_PER_S + 300 * NS_PER_MS);
	assert_int_equal(a.kind, ACTION_SLEEP_UNTIL);
	assert_int_equal(a.ns, 2 * NS_PER_S + 500);
	lab_destroy(b);
}

static void test_processes_with_a_group_wait_for_it_and_all_set_up(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;

	p.process[1].threads = 1;
	p.process[1].group = 2;
	p.first_ns = 83000;
	b = lab_create(&p);
	assert_int_equal(at(b, 0, 500).kind, ACTION_START_MARK);
	/* the first has no group */
	assert_int_equal(expect(b, 1, ACTION_RUN).ns, 83000);
	expect(b, 1, ACTION_FORK);
	expect(b, 2, ACTION_SYNCHRONIZE_RCU);
	assert_int_equal(expect(b, 2, ACTION_RUN).ns, 83000);
	expect(b, 2, ACTION_FORK);
	expect(b, 2, ACTION_BLOCK);
	lab_destroy(b);
}

static void test_who_joins_a_group_second_waits_for_the_first(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;

	p.process[0].group = 1;
	p.process[1].threads = 1;
	p.process[1].group = 2;
	b = lab_create(&p);
	expect(b, 2, ACTION_SYNCHRONIZE_RCU);
	expect(b, 1, ACTION_BLOCK);
	assert_int_equal(expect(b, 2, ACTION_WAKE).task, 1);
	expect(b, 2, ACTION_FORK);
	expect(b, 1, ACTION_FORK);
	lab_destroy(b);
}

static void test_a_look_may_leave_something_to_rcu(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;

	p.frees = true;
	b = lab_create(&p);
	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	expect(b, 0, ACTION_SLEEP_UNTIL);
	for (int i = 0; i < 16; i++)
		expect(b, 0, ACTION_RUN);
	expect(b, 0, ACTION_CALL_RCU);
	expect(b, 0, ACTION_SLEEP_UNTIL);
	lab_destroy(b);
}

static void test_each_process_creates_its_own_threads_and_waits(void **state)
{
	struct lab_params p = params();
	struct task_attr attr = {0};
	struct behaviour *b;

	p.process[1].threads = 1;
	p.process[1].group = 2;
	b = lab_create(&p);
	assert_int_equal(b->ngroups, 2);
	expect(b, 2, ACTION_SYNCHRONIZE_RCU);
	assert_int_equal(expect(b, 2, ACTION_FORK).task, 5);
	expect(b, 2, ACTION_BLOCK);
	assert_int_equal(expect(b, 1, ACTION_FORK).task, 3);
	assert_int_equal(expect(b, 1, ACTION_FORK).task, 4);
	expect(b, 1, ACTION_BLOCK);
	b->ops->attr(b, 1, &attr);
	assert_true(attr.process);
	assert_int_equal(attr.group, 0);
	b->ops->attr(b, 2, &attr);
	assert_int_equal(attr.group, 2);
	b->ops->attr(b, 5, &attr);
	assert_false(attr.process);
	assert_int_equal(attr.group, 2);
	lab_destroy(b);
}

static void test_without_a_second_process_there_is_one_fork(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;

	p.monitor_ns = 0;
	b = lab_create(&p);
	expect(b, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 1);
	expect(b, 0, ACTION_BLOCK);
	lab_destroy(b);
}

static void test_threads_change_themselves_in_order(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;
	struct action a;

	p.process[0] = (struct lab_process){
		.threads = 2, .nice = 19, .cpu = 3, .rt_prio = 50, .run_ns = 2, .period_ns = 1000};
	b = lab_create(&p);
	a = expect(b, 4, ACTION_SET_AFFINITY);
	assert_int_equal(mask_weight(a.cpus), 1);
	assert_true(mask_test(a.cpus, 3));
	assert_int_equal(expect(b, 4, ACTION_SET_NICE).value, 19);
	a = expect(b, 4, ACTION_SET_POLICY);
	assert_int_equal(a.policy, POLICY_FIFO);
	assert_int_equal(a.value, 50);
	/* the second of two: a period and half of one later */
	a = at(b, 4, 100);
	assert_int_equal(a.kind, ACTION_SLEEP_UNTIL);
	assert_int_equal(a.ns, 1600);
	a = at(b, 4, 1610);
	assert_int_equal(a.kind, ACTION_RUN_UNTIL);
	assert_int_equal(a.ns, 1612);
	/* a release that was missed is skipped */
	a = at(b, 4, 2700);
	assert_int_equal(a.kind, ACTION_SLEEP_UNTIL);
	assert_int_equal(a.ns, 3600);
	lab_destroy(b);
}

static void test_periodic_threads_report_how_late_they_ran(void **state)
{
	struct lab_params p = params();
	struct behaviour_report report = {0};
	struct behaviour *b;

	/* of two processes only the second is periodic */
	p.process[1] = (struct lab_process){
		.threads = 1, .cpu = LAB_ANY_CPU, .rt_prio = 7, .run_ns = 10, .period_ns = 1000};
	b = lab_create(&p);
	expect(b, 5, ACTION_SET_POLICY);
	at(b, 5, 0);
	at(b, 5, 1030);
	at(b, 5, 1040);
	at(b, 5, 2005);
	assert_true(b->ops->report(b, 0, &report));
	assert_int_equal(report.task, 5);
	assert_int_equal(report.rt_priority, 7);
	assert_int_equal(report.count, 2);
	assert_int_equal(report.min_ns, 5);
	assert_int_equal(report.last_ns, 5);
	assert_int_equal(report.max_ns, 30);
	assert_int_equal(report.sum_ns, 35);
	assert_false(b->ops->report(b, 1, &report));
	lab_destroy(b);
}

static void test_plain_threads_compute_at_once(void **state)
{
	struct lab_params p = params();
	struct behaviour *b = lab_create(&p);

	expect(b, 3, ACTION_RUN);
	expect(b, 3, ACTION_RUN);
	lab_destroy(b);
}

static void test_all_policies_are_told(void **state)
{
	struct lab_params p = params();
	struct task_attr attr = {0};
	struct behaviour *b;

	p.process[0].rt_prio = 50;
	b = lab_create(&p);
	assert_true(b->ops->policy(b, 0, &attr));
	assert_int_equal(attr.policy, POLICY_NORMAL);
	attr = (struct task_attr){0};
	assert_true(b->ops->policy(b, 1, &attr));
	assert_int_equal(attr.policy, POLICY_FIFO);
	assert_int_equal(attr.rt_priority, 50);
	assert_false(b->ops->policy(b, 3, &attr));
	lab_destroy(b);
}

static void test_threads_wait_for_the_lock_of_their_memory(void **state)
{
	struct lab_params p = params();
	struct behaviour *b;
	struct action a;

	p.held_ns = 15000;
	b = lab_create(&p);
	assert_int_equal(expect(b, 1, ACTION_FORK).task, 3);
	expect(b, 3, ACTION_BLOCK);
	a = expect(b, 1, ACTION_RUN);
	assert_int_equal(a.ns, 15000);
	assert_int_equal(a.flags, ACTION_IN_KERNEL);
	assert_int_equal(expect(b, 1, ACTION_WAKE).task, 3);
	expect(b, 3, ACTION_RUN);
	/* this one starts when the lock was let go */
	assert_int_equal(expect(b, 1, ACTION_FORK).task, 4);
	expect(b, 1, ACTION_RUN);
	expect(b, 1, ACTION_BLOCK);
	expect(b, 4, ACTION_RUN);
	lab_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_wait_for_the_lock_of_their_memory),
		cmocka_unit_test(test_monitor_forks_processes_and_looks_on_a_grid),
		cmocka_unit_test(test_processes_with_a_group_wait_for_it_and_all_set_up),
		cmocka_unit_test(test_who_joins_a_group_second_waits_for_the_first),
		cmocka_unit_test(test_a_look_may_leave_something_to_rcu),
		cmocka_unit_test(test_each_process_creates_its_own_threads_and_waits),
		cmocka_unit_test(test_without_a_second_process_there_is_one_fork),
		cmocka_unit_test(test_threads_change_themselves_in_order),
		cmocka_unit_test(test_periodic_threads_report_how_late_they_ran),
		cmocka_unit_test(test_plain_threads_compute_at_once),
		cmocka_unit_test(test_all_policies_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
