/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"

static struct hand h;

/* A task asleep on CPU, where nothing else runs. */
static struct task *sleeper(uint32_t cpu)
{
	struct task *p = hand_task(&h, cpu, 0);

	sched_schedule(hand_k(&h, cpu));
	hand_sleep(&h, cpu);
	return p;
}

/* Two acquisitions a wake-up; one more where the choice is made under a lock that is let go. */
static void test_locks_of_a_wakeup(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t wake, new;
	} rows[] = {{"2.6.34", 2, 1},
		    {"2.6.35-rc2", 3, 3},
		    {"2.6.35", 3, 3},
		    {"2.6.35,NO_LB_SHARES_UPDATE", 2, 2}};

	for (int i = 0; i < 4; i++) {
		struct task_attr attr = {.nice = 0};
		uint64_t before;
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		p = sleeper(1);
		hand_tasks(&h, 0, 1);
		before = h.locks_taken;
		assert_true(sched_wake(hand_k(&h, 0), p, 0));
		assert_int_equal(h.locks_taken - before, rows[i].wake);
		p = sched_new_task(hand_k(&h, 0), hand_rq(&h, 0)->curr, &attr, p->tg);
		before = h.locks_taken;
		sched_wake_up_new(hand_k(&h, 0), p);
		assert_int_equal(h.locks_taken - before, rows[i].new);
		hand_free(&h);
	}
}

static void test_counts_of_a_wakeup(void **state)
{
	struct task *p;

	hand_init(&h, "2.6.35", 2, 1, 1);
	p = sleeper(1);
	hand_tasks(&h, 0, 1);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(p->cpu, 1);
	assert_int_equal(hand_rq(&h, 1)->stats.ttwu_count, 1);
	assert_int_equal(hand_rq(&h, 1)->stats.ttwu_local, 0);
	assert_int_equal(hand_sd(&h, 0, 0)->stats.ttwu_wake_remote, 1);
	assert_int_equal(h.ipis[1], 1);
	sched_schedule(hand_k(&h, 1));
	hand_sleep(&h, 1);
	sched_wake(hand_k(&h, 1), p, 0);
	assert_int_equal(hand_rq(&h, 1)->stats.ttwu_count, 2);
	assert_int_equal(hand_rq(&h, 1)->stats.ttwu_local, 1);
	hand_free(&h);
}

/* Still queued: it only becomes runnable again; nothing is counted and no CPU chosen. */
static void test_a_task_about_to_sleep_is_kept_awake(void **state)
{
	struct task *p;

	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_tasks(&h, 0, 1);
	p = hand_rq(&h, 0)->curr;
	sched_set_sleeping(hand_k(&h, 0));
	assert_true(sched_wake(hand_k(&h, 1), p, 0));
	assert_int_equal(p->state, TASK_RUNNING);
	assert_int_equal(hand_rq(&h, 0)->stats.ttwu_count, 0);
	assert_int_equal(h.nrecords[RECORD_WAKE], 0);
	assert_false(sched_wake(hand_k(&h, 1), p, 0));
	hand_free(&h);
}

/* Dequeued but still on its CPU: put back there, with a sleeper's placement, uncounted. */
static void test_a_task_still_on_its_cpu_is_woken_in_place(void **state)
{
	struct task *p;
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_tasks(&h, 0, 1);
	rq = hand_rq(&h, 0);
	p = rq->curr;
	sched_set_sleeping(hand_k(&h, 0));
	deactivate_task(hand_k(&h, 0), rq, p, DEQUEUE_SLEEP);
	p->se.vruntime_vns = UINT64_C(1) << 40;
	assert_true(sched_wake(hand_k(&h, 1), p, 0));
	assert_int_equal(p->cpu, 0);
	assert_int_equal(rq->stats.ttwu_count, 0);
	/* absolute time: nothing was made relative */
	assert_int_equal(p->se.vruntime_vns, UINT64_C(1) << 40);
	assert_true(p->se.on_rq);
	hand_free(&h);
}

/* The times of both queues' zeros: what was a lag of 5 there is one here. */
static void test_a_wakeup_elsewhere_carries_the_lag_along(void **state)
{
	struct task *p;

	hand_init(&h, "2.6.35", 1, 2, 1);
	p = sleeper(1);
	hand_rq(&h, 1)->cfs->min_vruntime_vns = UINT64_C(1) << 41;
	hand_rq(&h, 0)->cfs->min_vruntime_vns = UINT64_C(1) << 40;
	p->se.vruntime_vns = (UINT64_C(1) << 41) + 5;
	/* CPU 0 is idle and wakes: pulled there */
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(p->cpu, 0);
	assert_int_equal(p->se.vruntime_vns, (UINT64_C(1) << 40) + 5);
	hand_free(&h);
}

/* avg += (idle - avg) / 8 rounded down, but 1 ms at once when idle longer than that. */
static void test_average_idle_time(void **state)
{
	static const struct {
		uint64_t avg, idle, after;
	} rows[] = {
		{1000000, 0, 875000},        {1000000, 1, 875000},
		{1000000, 1000000, 1000000}, {1000000, 1000001, 1000000},
		{500000, 1000001, 1000000},  {500000, 900000, 550000},
		{500000, 499999, 499999},    {500000, 500007, 500000},
		{0, 1000000, 125000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct rq *rq;

		hand_init(&h, "2.6.35", 1, 2, 1);
		p = sleeper(1);
		rq = hand_rq(&h, 1);
		hand_tasks(&h, 0, 1);
		rq->avg_idle_ns = rows[i].avg;
		rq->idle_stamp_ns = HAND_START_NS;
		hand_at(&h, rows[i].idle);
		sched_wake(hand_k(&h, 0), p, 0);
		assert_int_equal(p->cpu, 1);
		assert_int_equal(rq->avg_idle_ns, rows[i].after);
		assert_int_equal(rq->idle_stamp_ns, 0);
		/* no stamp, no sample */
		rq->avg_idle_ns = 7;
		sched_schedule(hand_k(&h, 1));
		hand_sleep(&h, 1);
		rq->idle_stamp_ns = 0;
		sched_wake(hand_k(&h, 0), p, 0);
		assert_int_equal(rq->avg_idle_ns, 7);
		hand_free(&h);
	}
}

/* Starting a task is no wake-up: the stamp stays. */
static void test_a_new_task_leaves_the_idle_stamp(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_rq(&h, 1)->idle_stamp_ns = 5;
	hand_task(&h, 1, 0);
	assert_int_equal(hand_rq(&h, 1)->idle_stamp_ns, 5);
	hand_free(&h);
}

/* Where the task may not run any more: a CPU of the same node first. */
static void test_a_forbidden_choice_falls_back_to_the_own_node(void **state)
{
	uint64_t mem[MASK_WORDS(4)];
	struct mask *m = mask_init(mem, 4);
	struct task *p;

	hand_init(&h, "2.6.35", 2, 2, 1);
	p = sleeper(2);
	hand_tasks(&h, 3, 1);
	mask_set(m, 0);
	mask_set(m, 3);
	p->allowed = m;
	/* the waker's CPU 1 is not allowed, nor is the previous one, 2 */
	hand_tasks(&h, 1, 1);
	sched_wake(hand_k(&h, 1), p, 0);
	assert_int_equal(p->cpu, 3);
	sched_schedule(hand_k(&h, 3));
	while (hand_rq(&h, 3)->curr != p)
		hand_sleep(&h, 3);
	hand_sleep(&h, 3);
	mask_clear(m, 3);
	sched_wake(hand_k(&h, 1), p, 0);
	assert_int_equal(p->cpu, 0);
	hand_free(&h);
}

/* ---- 2.6.34's averages ------------------------------------------------------------ */

static void test_averages_of_waker_and_sleeper(void **state)
{
	struct task *waker, *p;

	hand_init(&h, "2.6.34", 1, 8, 1);
	p = sleeper(1);
	hand_tasks(&h, 0, 1);
	waker = hand_rq(&h, 0)->curr;
	assert_int_equal(waker->avg_wakeup_ns, 4000000);
	/* p slept without having woken anyone: a sample of 4 ms leaves 4 ms */
	assert_int_equal(p->avg_wakeup_ns, 4000000);
	assert_int_equal(p->avg_overlap_ns, 0);
	waker->se.sum_exec_ns = 800000;
	waker->start_runtime_ns = 0;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(waker->avg_wakeup_ns, 4000000 - 3200000 / 8);
	assert_int_equal(waker->last_wakeup_ns, 800000);
	assert_int_equal(p->start_runtime_ns, p->se.sum_exec_ns);
	/* the next sample begins at the last wake-up */
	sched_schedule(hand_k(&h, 1));
	hand_sleep(&h, 1);
	waker->se.sum_exec_ns = 900000;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(waker->avg_wakeup_ns, 3600000 - 3500000 / 8);
	/* asleep after a wake-up: overlap of what it ran since, and the mark is gone */
	waker->se.sum_exec_ns = 900000 + 80000;
	waker->avg_overlap_ns = 160000;
	hand_sleep(&h, 0);
	assert_int_equal(waker->avg_overlap_ns, 150000);
	assert_int_equal(waker->last_wakeup_ns, 0);
	hand_free(&h);
}

static void test_interrupts_and_later_kernels_keep_no_averages(void **state)
{
	struct task *waker, *p;

	hand_init(&h, "2.6.34", 1, 8, 1);
	p = sleeper(1);
	hand_tasks(&h, 0, 1);
	waker = hand_rq(&h, 0)->curr;
	waker->se.sum_exec_ns = 800000;
	hand_k(&h, 0)->in_irq = true;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(waker->last_wakeup_ns, 0);
	assert_int_equal(h.last[RECORD_WAKE].c, 0);
	hand_free(&h);
	hand_init(&h, "2.6.35", 1, 8, 1);
	p = sleeper(1);
	hand_tasks(&h, 0, 1);
	waker = hand_rq(&h, 0)->curr;
	waker->se.sum_exec_ns = 800000;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(waker->last_wakeup_ns, 0);
	assert_int_equal(waker->avg_wakeup_ns, 4000000);
	assert_int_equal(h.last[RECORD_WAKE].c, waker->id);
	hand_free(&h);
}

/* Put back though it runs on: overlap of the run, at most 1 ms. */
static void test_a_preempted_task_samples_its_run(void **state)
{
	static const struct {
		uint64_t ran, avg;
	} rows[] = {{800000, 100000}, {1000000, 125000}, {5000000, 125000}};

	for (int i = 0; i < 3; i++) {
		struct task *p;

		hand_init(&h, "2.6.34", 1, 8, 1);
		hand_tasks(&h, 0, 1);
		p = hand_rq(&h, 0)->curr;
		p->se.sum_exec_ns = rows[i].ran;
		p->se.prev_sum_exec_ns = 0;
		sched_schedule(hand_k(&h, 0));
		assert_int_equal(p->avg_overlap_ns, rows[i].avg);
		hand_free(&h);
	}
}

/* ---- clocks ------------------------------------------------------------------------ */

/* A wake-up that finds its task still queued samples the clock in 2.6.34 only. */
static void test_where_wakeups_sample_the_clock(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t queued_ns;
	} rows[] = {{"2.6.34", 7}, {"2.6.35", 0}};

	for (int i = 0; i < 2; i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		p = sleeper(1);
		hand_tasks(&h, 0, 1);
		hand_at(&h, 5);
		sched_wake(hand_k(&h, 0), p, 0);
		assert_int_equal(hand_rq(&h, 1)->clock_ns, HAND_START_NS + 5);
		hand_at(&h, 7);
		sched_set_sleeping(hand_k(&h, 0));
		sched_wake(hand_k(&h, 1), hand_rq(&h, 0)->curr, 0);
		assert_int_equal(hand_rq(&h, 0)->clock_ns, HAND_START_NS + rows[i].queued_ns);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locks_of_a_wakeup),
		cmocka_unit_test(test_counts_of_a_wakeup),
		cmocka_unit_test(test_a_task_about_to_sleep_is_kept_awake),
		cmocka_unit_test(test_a_task_still_on_its_cpu_is_woken_in_place),
		cmocka_unit_test(test_a_wakeup_elsewhere_carries_the_lag_along),
		cmocka_unit_test(test_average_idle_time),
		cmocka_unit_test(test_a_new_task_leaves_the_idle_stamp),
		cmocka_unit_test(test_a_forbidden_choice_falls_back_to_the_own_node),
		cmocka_unit_test(test_averages_of_waker_and_sleeper),
		cmocka_unit_test(test_interrupts_and_later_kernels_keep_no_averages),
		cmocka_unit_test(test_a_preempted_task_samples_its_run),
		cmocka_unit_test(test_where_wakeups_sample_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
