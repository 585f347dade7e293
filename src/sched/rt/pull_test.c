/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four CPUs; 0 is about to run something less important. Priorities are users' ones. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/rt/rt.h"

#define ALL 0u

static struct hand h;

/* All CPUs run bound tasks: 0 one of PRIO, the others of 90. */
static void start(const char *kernel, int32_t prio)
{
	hand_init(&h, kernel, 1, 4, 1);
	hand_rt_running(&h, 0, prio, 1);
	for (uint32_t i = 1; i < 4; i++)
		hand_rt_running(&h, i, 90, UINT64_C(1) << i);
}

static bool pull(void)
{
	bool pulled;

	hand_count_locks(&h);
	rq_lock(hand_k(&h, 0), hand_rq(&h, 0));
	pulled = pull_rt_task(hand_k(&h, 0), hand_rq(&h, 0));
	rq_unlock(hand_k(&h, 0), hand_rq(&h, 0));
	return pulled;
}

static void test_what_is_more_important_comes(void **state)
{
	struct task *p;

	start("3.19", 40);
	p = hand_rt_waiting(&h, 2, 50, ALL);
	assert_true(pull());
	assert_int_equal(p->cpu, 0);
	assert_int_equal(h.last[RECORD_MIGRATE].a, p->id);
	assert_int_equal(h.last[RECORD_MIGRATE].b, 2);
	assert_int_equal(h.last[RECORD_MIGRATE].c, 0);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 4);
	assert_int_equal(hand_rq(&h, 0)->rt.stats.pulls, 1);
	assert_int_equal(hand_rq(&h, 0)->rt.stats.pull_locks, 1);
	hand_free(&h);
}

static void test_equals_are_left_where_they_are(void **state)
{
	struct task *p;

	start("3.19", 50);
	p = hand_rt_waiting(&h, 2, 50, ALL);
	assert_false(pull());
	assert_int_equal(p->cpu, 2);
	assert_int_equal(hand_other_locks(&h, 0), 0);
	hand_free(&h);
}

/* From CPU 1: 50 comes; 2 has no better; 3 has. The pulled ones may be pulled on from here. */
static void test_each_source_is_measured_by_what_came_before(void **state)
{
	static const char *const kernels[] = {"3.3", "3.18", "3.19", "4.0", "2.6.35"};

	for (int v = 0; v < 5; v++) {
		struct task *p[4] = {NULL};

		start(kernels[v], 40);
		p[1] = hand_rt_waiting(&h, 1, 50, ALL);
		p[2] = hand_rt_waiting(&h, 2, 50, ALL);
		p[3] = hand_rt_waiting(&h, 3, 60, ALL);
		assert_true(pull());
		assert_int_equal(p[1]->cpu, 0);
		assert_int_equal(p[2]->cpu, 2);
		assert_int_equal(p[3]->cpu, 0);
		assert_int_equal(hand_other_locks(&h, 0), 2);
		hand_free(&h);
	}
}

static void test_the_first_that_may_run_here_comes(void **state)
{
	static const char *const kernels[] = {"3.3", "3.19"};

	for (int v = 0; v < 2; v++) {
		struct task *bound, *elsewhere, *first, *second;

		start(kernels[v], 40);
		bound = hand_rt_waiting(&h, 2, 70, 4);
		elsewhere = hand_rt_waiting(&h, 2, 60, 6);
		first = hand_rt_waiting(&h, 2, 50, ALL);
		second = hand_rt_waiting(&h, 2, 50, ALL);
		assert_true(pull());
		assert_int_equal(bound->cpu, 2);
		assert_int_equal(elsewhere->cpu, 2);
		assert_int_equal(first->cpu, 0);
		assert_int_equal(second->cpu, 2);
		hand_free(&h);
	}
}

/* What just woke on its CPU is about to run there. */
static void test_what_preempts_at_its_source_is_left(void **state)
{
	struct task *p;

	start("3.19", 40);
	p = hand_rt_waiting(&h, 2, 95, ALL);
	assert_false(pull());
	assert_int_equal(p->cpu, 2);
	assert_int_equal(hand_other_locks(&h, 0), 1);
	hand_free(&h);
}

/*
 * Equals, put off by a yield: the lists of all begin with the task that waited longest for its
 * turn, the pushable ones with the one that waited longest on that list.
 */
static void test_both_ways_of_choosing_differ_in_the_order_of_equals(void **state)
{
	static const struct {
		const char *kernel;
		bool first_queued;
	} rows[] = {{"3.3", true}, {"3.3,+rt-pull-pushable", false}, {"3.19", false}};

	for (int v = 0; v < 3; v++) {
		struct task *a, *b;
		struct rq *rq;

		start(rows[v].kernel, 40);
		rq = hand_rq(&h, 2);
		a = hand_rt_waiting(&h, 2, 50, ALL);
		b = hand_rt_waiting(&h, 2, 50, ALL);
		/* B goes before A among all, as a preemption by an equal puts it */
		rq_lock(hand_k(&h, 2), rq);
		requeue_task_rt(rq, b, true);
		rq_unlock(hand_k(&h, 2), rq);
		assert_true(pull());
		assert_int_equal(a->cpu, rows[v].first_queued ? 2 : 0);
		assert_int_equal(b->cpu, rows[v].first_queued ? 0 : 2);
		hand_free(&h);
	}
}

/* -- when -- */

static void sleep_0(void)
{
	hand_sleep(&h, 0);
}

/* 3.3 asks the class of who leaves, later kernels each class they come to. */
static void test_a_cpu_whose_priority_drops_pulls(void **state)
{
	static const char *const kernels[] = {"2.6.35", "3.3", "3.19", "4.0"};

	for (int v = 0; v < 4; v++) {
		struct task *p;

		start(kernels[v], 60);
		p = hand_rt_waiting(&h, 2, 50, ALL);
		sleep_0();
		assert_int_equal(p->cpu, 0);
		assert_ptr_equal(hand_rq(&h, 0)->curr, p);
		hand_free(&h);
	}
}

static void test_a_cpu_that_goes_on_with_an_equal_does_not_pull(void **state)
{
	struct task *p;

	start("3.19", 60);
	hand_rt_waiting(&h, 0, 60, 1);
	p = hand_rt_waiting(&h, 2, 70, ALL);
	hand_count_locks(&h);
	sleep_0();
	assert_int_equal(p->cpu, 2);
	assert_int_equal(hand_other_locks(&h, 0), 0);
	hand_free(&h);
}

/* A fair task sleeps: nobody's priority drops. */
static void test_a_cpu_without_real_time_tasks_does_not_pull(void **state)
{
	static const char *const kernels[] = {"3.3", "3.19"};

	for (int v = 0; v < 2; v++) {
		struct task *p;

		hand_init(&h, kernels[v], 1, 2, 1);
		hand_tasks(&h, 0, 2);
		hand_rt_running(&h, 1, 90, 2);
		p = hand_rt_waiting(&h, 1, 50, ALL);
		sleep_0();
		assert_int_equal(p->cpu, 1);
		hand_free(&h);
	}
}

/* The stopper's end lowers the priority too; only where classes are asked one by one is that seen. */
static void test_the_end_of_a_stopper_pulls_in_later_kernels(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t cpu;
	} rows[] = {{"3.3", 1}, {"3.4", 1}, {"3.3,+rt-pull-in-pick", 0}, {"3.18", 0}, {"3.19", 0}};

	for (int v = 0; v < 5; v++) {
		struct task *p;

		hand_init(&h, rows[v].kernel, 1, 2, 1);
		hand_tasks(&h, 0, 1);
		hand_rt_running(&h, 1, 90, 2);
		p = hand_rt_waiting(&h, 1, 50, ALL);
		sched_wake(hand_k(&h, 0), hand_rq(&h, 0)->stop, 0);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(hand_rq(&h, 0)->curr, hand_rq(&h, 0)->stop);
		assert_int_equal(p->cpu, 1);
		sched_stopper_run(hand_k(&h, 0));
		assert_int_equal(p->cpu, rows[v].cpu);
		hand_free(&h);
	}
}

static struct task *stop_slips_in;

/* While CPU 0's rq is unlocked its stopper is woken. */
static void wake_the_stopper(struct hand *hand, struct kctx *k, struct klock *l)
{
	struct rq *rq = hand_rq(hand, 0);
	struct kctx *waker = hand_k(hand, 3);

	(void)k;
	/* not before schedule() has it: the departing task is dequeued by then */
	if (!l || stop_slips_in || rq->lock.owner != CPU_NONE || rq->curr->se.on_rq)
		return;
	stop_slips_in = rq->stop;
	rq_lock(waker, rq);
	rq->stop->state = TASK_RUNNING;
	activate_task(waker, rq, rq->stop, 0);
	rq_unlock(waker, rq);
}

/* With the lock dropped in a pull, a stopper that comes goes first. */
static void test_what_slips_in_during_a_pull_goes_first(void **state)
{
	static const char *const kernels[] = {"3.19,preempt=full", "3.3,preempt=full"};

	for (int v = 0; v < 2; v++) {
		struct task *p;

		start(kernels[v], 60);
		p = hand_rt_waiting(&h, 2, 50, ALL);
		stop_slips_in = NULL;
		sched_set_sleeping(hand_k(&h, 0));
		h.before = wake_the_stopper;
		sched_schedule(hand_k(&h, 0));
		h.before = NULL;
		assert_non_null(stop_slips_in);
		assert_ptr_equal(hand_rq(&h, 0)->curr, hand_rq(&h, 0)->stop);
		assert_int_equal(p->cpu, 0);
		sched_stopper_run(hand_k(&h, 0));
		assert_ptr_equal(hand_rq(&h, 0)->curr, p);
		hand_free(&h);
	}
}

static uint32_t busy_at;

/* What CPU 2 offers gets to run there before its lock is taken. */
static void source_serves_itself(struct hand *hand, struct kctx *k, struct klock *l)
{
	if (l != &hand_rq(hand, 2)->lock || k->cpu->id != 0 || busy_at++)
		return;
	sched_set_sleeping(hand_k(hand, 2));
	sched_schedule(hand_k(hand, 2));
}

static void test_a_source_that_has_nothing_left_costs_its_lock(void **state)
{
	struct task *p;

	start("3.19", 40);
	p = hand_rt_waiting(&h, 2, 50, ALL);
	busy_at = 0;
	h.before = source_serves_itself;
	assert_false(pull());
	h.before = NULL;
	assert_int_equal(p->cpu, 2);
	assert_ptr_equal(hand_rq(&h, 2)->curr, p);
	assert_int_equal(hand_rq(&h, 0)->rt.stats.pull_locks, 1);
	assert_int_equal(hand_rq(&h, 0)->rt.stats.pulls, 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_more_important_comes),
		cmocka_unit_test(test_equals_are_left_where_they_are),
		cmocka_unit_test(test_each_source_is_measured_by_what_came_before),
		cmocka_unit_test(test_the_first_that_may_run_here_comes),
		cmocka_unit_test(test_what_preempts_at_its_source_is_left),
		cmocka_unit_test(test_both_ways_of_choosing_differ_in_the_order_of_equals),
		cmocka_unit_test(test_a_cpu_whose_priority_drops_pulls),
		cmocka_unit_test(test_a_cpu_that_goes_on_with_an_equal_does_not_pull),
		cmocka_unit_test(test_a_cpu_without_real_time_tasks_does_not_pull),
		cmocka_unit_test(test_the_end_of_a_stopper_pulls_in_later_kernels),
		cmocka_unit_test(test_what_slips_in_during_a_pull_goes_first),
		cmocka_unit_test(test_a_source_that_has_nothing_left_costs_its_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
