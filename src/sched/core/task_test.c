/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changing what a task is, and moving it by the stopper. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/fair/cfs_rq.h"
#include "sched/hand_machine.h"

static struct hand h;

static void test_a_new_nice_value_changes_weight_and_reschedules(void **state)
{
	static const int32_t nice[] = {5, -5};

	for (int i = 0; i < 2; i++) {
		struct rq *rq;
		struct task *p;

		hand_init(&h, "2.6.35", 1, 2, 1);
		hand_tasks(&h, 0, 2);
		rq = hand_rq(&h, 0);
		p = rq->curr;
		hand_at(&h, NS_PER_MS);
		sched_set_nice(hand_k(&h, 0), p, nice[i]);
		assert_int_equal(p->se.load.weight, i ? 3121 : 335);
		assert_int_equal(rq->load.weight, 1024 + (i ? 3121 : 335));
		assert_int_equal(rq->nr_running, 2);
		/* what it ran before counts with the old weight */
		assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
		assert_true(p->need_resched);
		/* newest again: at the head of the movable tasks */
		assert_ptr_equal(rq->cfs->tasks.next, &p->lb_node);
		hand_free(&h);
	}
}

static void test_an_equal_nice_value_is_no_change(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_tasks(&h, 0, 2);
	sched_set_nice(hand_k(&h, 0), hand_rq(&h, 0)->curr, 0);
	assert_false(hand_rq(&h, 0)->curr->need_resched);
	hand_free(&h);
}

/* A running task begins a new slice and is rescheduled only if it became less important. */
static void test_a_new_policy_restarts_the_slice(void **state)
{
	static const struct {
		enum sched_policy policy;
		int32_t nice;
		uint64_t weight;
		bool resched;
	} rows[] = {
		{POLICY_BATCH, 0, 1024, false},   {POLICY_IDLE, 0, 3, false},
		{POLICY_NORMAL, 0, 1024, false},  {POLICY_NORMAL, 5, 335, true},
		{POLICY_NORMAL, -5, 3121, false},
	};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;
		struct task *p;

		hand_init(&h, kernels[i % 2], 1, 2, 1);
		hand_tasks(&h, 0, 2);
		rq = hand_rq(&h, 0);
		p = rq->curr;
		hand_at(&h, NS_PER_MS);
		hand_policy(&h, 0, p, rows[i / 2].policy, rows[i / 2].nice);
		assert_int_equal(p->policy, rows[i / 2].policy);
		assert_int_equal(p->se.load.weight, rows[i / 2].weight);
		assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
		assert_int_equal(p->se.prev_sum_exec_ns, NS_PER_MS);
		assert_int_equal(p->need_resched, rows[i / 2].resched);
		assert_ptr_equal(rq->cfs->curr, &p->se);
		assert_int_equal(rq->nr_running, 2);
		hand_free(&h);
	}
}

static void test_a_policy_change_in_a_group_keeps_all_levels(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a;
	struct task *p;

	hand_init(&h, "2.6.35", 1, 2, 1);
	a = hand_group(&h, NULL, "/a");
	hand_task_in(&h, 0, &attr, a);
	sched_schedule(hand_k(&h, 0));
	hand_task_in(&h, 0, &attr, a);
	p = hand_rq(&h, 0)->curr;
	hand_policy(&h, 0, p, POLICY_BATCH, 0);
	assert_ptr_equal(hand_rq(&h, 0)->cfs->curr, &a->se[0]);
	assert_ptr_equal(a->cfs_rq[0].curr, &p->se);
	sched_schedule(hand_k(&h, 0));
	hand_free(&h);
}

/* A task that may no longer run where it is: its stopper moves it to the first allowed CPU. */
static void test_a_new_affinity_moves_by_the_stopper(void **state)
{
	uint64_t mem[MASK_WORDS(4)];
	struct mask *m = mask_init(mem, 4);
	struct task *p;
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 4, 1);
	hand_tasks(&h, 0, 2);
	rq = hand_rq(&h, 0);
	p = rq->curr;
	mask_set(m, 2);
	mask_set(m, 3);
	sched_set_affinity(hand_k(&h, 0), p, m);
	assert_int_equal(p->nr_allowed, 2);
	assert_int_equal(p->cpu, 0);
	assert_true(p->need_resched);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(rq->curr, rq->stop);
	sched_stopper_run(hand_k(&h, 0));
	assert_int_equal(p->cpu, 2);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 2);
	assert_int_equal(p->migrate_to, CPU_NONE);
	assert_int_equal(h.ipis[2], 1);
	assert_int_equal(rq->nr_running, 1);
	/* where it is allowed it stays */
	sched_schedule(hand_k(&h, 2));
	mask_clear(m, 3);
	sched_set_affinity(hand_k(&h, 2), p, m);
	assert_false(p->need_resched);
	hand_free(&h);
}

/* exec looks for the idlest CPU and has the stopper push the task there. */
static void test_exec_moves_to_the_idlest_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t locks; /* choice, push request, wake-up of the stopper twice */
	} rows[] = {{"2.6.34", 3}, {"2.6.35", 5}};

	for (int i = 0; i < 2; i++) {
		struct task *p;
		struct rq *rq;
		uint64_t before;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		hand_tasks(&h, 0, 2);
		rq = hand_rq(&h, 0);
		p = rq->curr;
		before = h.locks_taken;
		sched_exec(hand_k(&h, 0));
		assert_int_equal(h.locks_taken - before, rows[i].locks);
		sched_schedule(hand_k(&h, 0));
		sched_stopper_run(hand_k(&h, 0));
		assert_int_equal(p->cpu, 1);
		hand_free(&h);
	}
}

static void test_a_task_that_fits_stays_at_exec(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_tasks(&h, 0, 1);
	hand_tasks(&h, 1, 1);
	sched_exec(hand_k(&h, 0));
	assert_false(hand_rq(&h, 0)->stop->se.on_rq);
	hand_free(&h);
}

/* A CPU that already has to reschedule is not interrupted again. */
static void test_one_interrupt_per_reschedule(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	rq_lock(hand_k(&h, 0), hand_rq(&h, 1));
	resched_task(hand_k(&h, 0), hand_rq(&h, 1));
	resched_task(hand_k(&h, 0), hand_rq(&h, 1));
	rq_unlock(hand_k(&h, 0), hand_rq(&h, 1));
	assert_int_equal(h.ipis[1], 1);
	resched_cpu(hand_k(&h, 0), hand_rq(&h, 0));
	assert_true(hand_rq(&h, 0)->curr->need_resched);
	assert_int_equal(h.ipis[0], 0);
	hand_free(&h);
}

/* In 5.4 and 6.1 the stopper holds one lock at a time, and the task's load goes along. */
static void test_the_stopper_of_54_moves_in_stages(void **state)
{
	static const char *const kernels[] = {"5.4", "6.1", "6.1,-attach-in-queue-ops"};

	for (int i = 0; i < 3; i++) {
		struct task *p;
		struct rq *rq;

		hand_init(&h, kernels[i], 1, 2, 1);
		p = hand_task(&h, 0, 0);
		rq = hand_rq(&h, 0);
		sched_schedule(hand_k(&h, 0));
		hand_at(&h, 30 * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		assert_true(rq->cfs->avg.load_avg > 0);
		sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 2));
		sched_schedule(hand_k(&h, 0));
		hand_count_locks(&h);
		sched_stopper_run(hand_k(&h, 0));
		assert_int_equal(hand_other_locks(&h, 0), 1);
		assert_int_equal(p->cpu, 1);
		assert_int_equal(p->stats.nr_migrations, 1);
		assert_int_equal(rq->cfs->avg.load_avg, 0);
		assert_int_equal(hand_rq(&h, 1)->cfs->avg.load_avg, p->se.avg.load_avg);
		assert_true(p->se.avg.last_update_time_ns != 0);
		hand_free(&h);
	}
}

/*
 * A running task that is given another nice value: in 5.4 it leaves its CPU for a moment, so that
 * its slice begins anew, and the queue's time stands although what was left of it is ahead.
 */
static void test_a_change_of_nice_takes_a_task_off_its_cpu(void **state)
{
	static const struct {
		const char *kernel;
		bool policy, anew, stands;
	} rows[] = {{"3.4", false, false, true},
		    {"5.4", false, true, true},
		    /* with the policy its nice value changes: what is left decides */
		    {"5.4", true, true, false}};

	for (int i = 0; i < 3; i++) {
		struct task *p, *other;
		struct rq *rq;
		uint64_t min;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		hand_tasks(&h, 0, 2);
		rq = hand_rq(&h, 0);
		p = rq->curr;
		other = task_of(cfs_rq_leftmost(rq->cfs));
		hand_at(&h, NS_PER_MS);
		rq_lock(hand_k(&h, 0), rq);
		update_rq_clock(hand_k(&h, 0), rq);
		update_curr(hand_k(&h, 0), rq->cfs);
		rq_unlock(hand_k(&h, 0), rq);
		/* without P the queue's time would jump to OTHER's */
		other->se.vruntime_vns += 5 * NS_PER_MS;
		min = rq->cfs->min_vruntime_vns;
		if (rows[i].policy)
			hand_policy(&h, 0, p, POLICY_BATCH, -1);
		else
			sched_set_nice(hand_k(&h, 0), p, -1);
		assert_int_equal(p->se.prev_sum_exec_ns == p->se.sum_exec_ns, rows[i].anew);
		assert_int_equal(rq->cfs->min_vruntime_vns == min, rows[i].stands);
		assert_ptr_equal(rq->cfs->curr, &p->se);
		assert_int_equal(rq->nr_running, 2);
		hand_free(&h);
	}
}

/*
 * Up to 5.5 a waiting task that is made nicer to itself reschedules whatever runs, and so does one
 * that is alone; 6.1 asks as at a wake-up.
 */
static void test_a_new_nice_value_asks_the_class(void **state)
{
	static const struct {
		const char *kernel;
		bool alone, running;
		int32_t nice;
		int64_t lead_ms; /* of the waiting one */
		bool resched;
	} rows[] = {
		{"5.5", false, false, -5, -9, true},
		{"6.1", false, false, -5, -9, false},
		{"6.1", false, false, -5, 9, true},
		{"6.1", false, false, 5, 99, true},
		{"5.5", false, true, 5, -9, true},
		{"6.1", false, true, 5, -9, true},
		{"5.5", false, true, -5, -9, true},
		{"6.1", false, true, -5, -9, false},
		{"5.5", true, true, 5, 0, true},
		{"6.1", true, true, 5, 0, false},
		{"6.1,-nice-asks-class", true, true, 5, 0, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		hand_tasks(&h, 0, rows[i].alone ? 1 : 2);
		rq = hand_rq(&h, 0);
		p = rq->curr;
		if (!rows[i].alone) {
			struct task *other = task_of(cfs_rq_leftmost(rq->cfs));

			other->se.vruntime_vns =
				p->se.vruntime_vns - (uint64_t)rows[i].lead_ms * NS_PER_MS;
			if (!rows[i].running)
				p = other;
		}
		sched_set_nice(hand_k(&h, 0), p, rows[i].nice);
		if (rq->curr->need_resched != rows[i].resched)
			fail_msg("row %zu: %d", i, rq->curr->need_resched);
		hand_free(&h);
	}
}

/* A real-time task whose priority stays keeps its place among its equals. */
static void test_an_equal_priority_keeps_its_place(void **state)
{
	static const struct {
		const char *kernel;
		int32_t prio;
		bool first;
	} rows[] = {
		/* FIFO to RR of the same priority; lowered to that of others; raised to it */
		{"3.19", 50, true}, {"5.4", 50, true},  {"5.4", 40, true},
		{"3.3", 50, false}, {"5.4", 60, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		p = hand_rt_running(&h, 0, 50, 1);
		hand_rt_waiting(&h, 0, 40, 1);
		if (rows[i].prio == 50)
			hand_rt_waiting(&h, 0, 50, 1);
		rq = hand_rq(&h, 0);
		if (rows[i].prio == 60) {
			rq->curr->need_resched = true;
			hand_rt_on(&h, 0, 60, 1);
		}
		hand_policy(&h, 0, p, POLICY_RR, rows[i].prio);
		assert_int_equal(rq->rt.active.queue[p->prio].next == &p->rt.run_list,
				 rows[i].first);
		assert_int_equal(rq->rt.highest_curr, 99 - max_u32(40, (uint32_t)rows[i].prio));
		hand_free(&h);
	}
}

/* New CPUs for a running real-time task: it keeps its place; what may be pushed is counted. */
static void test_new_cpus_keep_the_place(void **state)
{
	struct task *p, *q;
	struct rq *rq;

	hand_init(&h, "5.4", 1, 2, 1);
	hand_rt_running(&h, 1, 90, 2);
	p = hand_rt_running(&h, 0, 50, 1);
	q = hand_rt_waiting(&h, 0, 50, 1);
	rq = hand_rq(&h, 0);
	assert_int_equal(rq->rt.nr_migratory, 0);
	sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 3));
	assert_int_equal(rq->rt.nr_migratory, 1);
	assert_true(rq->rt.overloaded);
	assert_int_equal(rq->rt.npushable, 0);
	assert_ptr_equal(rq->rt.active.queue[p->prio].next, &p->rt.run_list);
	assert_ptr_equal(rq->rt.active.queue[p->prio].prev, &q->rt.run_list);
	assert_int_equal(rq->nr_running, 2);
	hand_free(&h);
}

/* The child of a task on CPU 0 starts on CPU 1: it has not migrated there, in 5.4. */
static void test_a_fork_is_no_migration(void **state)
{
	static const char *const kernels[] = {"3.4", "5.4"};

	for (int i = 0; i < 2; i++) {
		static const struct task_attr attr;
		struct task *p;

		hand_init(&h, kernels[i], 1, 2, 1);
		hand_tasks(&h, 0, 2);
		hand_at(&h, 20 * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		p = sched_new_task(hand_k(&h, 0), hand_rq(&h, 0)->curr, &attr, &h.m->groups_mem[0]);
		sched_wake_up_new(hand_k(&h, 0), p);
		assert_int_equal(p->cpu, 1);
		assert_int_equal(h.m->count.migrations, i == 0);
		assert_int_equal(p->recent_used_cpu, 0);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_new_nice_value_changes_weight_and_reschedules),
		cmocka_unit_test(test_an_equal_nice_value_is_no_change),
		cmocka_unit_test(test_a_new_policy_restarts_the_slice),
		cmocka_unit_test(test_a_policy_change_in_a_group_keeps_all_levels),
		cmocka_unit_test(test_a_new_affinity_moves_by_the_stopper),
		cmocka_unit_test(test_exec_moves_to_the_idlest_cpu),
		cmocka_unit_test(test_a_task_that_fits_stays_at_exec),
		cmocka_unit_test(test_one_interrupt_per_reschedule),
		cmocka_unit_test(test_the_stopper_of_54_moves_in_stages),
		cmocka_unit_test(test_a_change_of_nice_takes_a_task_off_its_cpu),
		cmocka_unit_test(test_a_new_nice_value_asks_the_class),
		cmocka_unit_test(test_an_equal_priority_keeps_its_place),
		cmocka_unit_test(test_new_cpus_keep_the_place),
		cmocka_unit_test(test_a_fork_is_no_migration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
