/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/core/core.h"
#include "sched/fair/cfs_rq.h"
#include "sched/hand_machine.h"
#include "sched/rq_lock.h"

static struct hand h;

static void test_counts_of_schedule(void **state)
{
	struct rq *rq;
	struct task *p;

	hand_init(&h, "2.6.35", 1, 2, 1);
	rq = hand_rq(&h, 0);
	/* idle and nothing to do: counted, no switch */
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(rq->stats.sched_count, 1);
	assert_int_equal(rq->stats.sched_goidle, 1);
	assert_int_equal(rq->nr_switches, 0);
	hand_tasks(&h, 0, 1);
	p = rq->curr;
	assert_int_equal(rq->stats.sched_count, 2);
	assert_int_equal(rq->nr_switches, 1);
	assert_int_equal(rq->stats.pcount, 1);
	/* alone: picked again */
	hand_at(&h, NS_PER_MS);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(rq->stats.sched_count, 3);
	assert_int_equal(rq->nr_switches, 1);
	hand_sleep(&h, 0);
	assert_int_equal(rq->nr_switches, 2);
	assert_int_equal(rq->stats.sched_goidle, 2);
	assert_int_equal(p->stats.nr_switches_voluntary, 1);
	assert_int_equal(rq->stats.rq_cpu_time_ns, NS_PER_MS);
	assert_int_equal(h.nrecords[RECORD_SWITCH], 2);
	assert_int_equal(h.nrecords[RECORD_BLOCK], 1);
	hand_free(&h);
}

static void test_waiting_is_measured_from_queue_to_cpu(void **state)
{
	struct task *a, *b;
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 1, 1);
	rq = hand_rq(&h, 0);
	hand_tasks(&h, 0, 2);
	a = rq->curr;
	b = &h.m->tasks[1];
	hand_at(&h, 3 * NS_PER_MS);
	hand_sleep(&h, 0);
	assert_ptr_equal(rq->curr, b);
	assert_int_equal(b->stats.run_delay_ns, 3 * NS_PER_MS);
	assert_int_equal(rq->stats.run_delay_ns, 3 * NS_PER_MS);
	/* preempted, it waits again */
	sched_wake(hand_k(&h, 0), a, 0);
	b->se.vruntime_vns += NS_PER_S;
	hand_at(&h, 5 * NS_PER_MS);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(rq->curr, a);
	assert_int_equal(b->stats.nr_switches_involuntary, 1);
	hand_at(&h, 9 * NS_PER_MS);
	hand_sleep(&h, 0);
	assert_int_equal(b->stats.run_delay_ns, 7 * NS_PER_MS);
	hand_free(&h);
}

/* Where schedule() samples the clock; idle to task in 2.6.35: the clock of the enqueue stays. */
static void test_where_schedule_samples_the_clock(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t exec_start_ns;
	} rows[] = {{"2.6.34", 5}, {"2.6.35", 2}};

	for (int i = 0; i < 2; i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		hand_at(&h, 2);
		p = hand_task(&h, 0, 0);
		hand_at(&h, 5);
		sched_schedule(hand_k(&h, 0));
		assert_int_equal(p->se.exec_start_ns, HAND_START_NS + rows[i].exec_start_ns);
		hand_free(&h);
	}
}

/* Going idle, a CPU pulls; the departing task's flag set by the arrival stays with it. */
static void test_a_pull_marks_the_departing_task(void **state)
{
	struct task *p;
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 2, 1);
	rq = hand_rq(&h, 0);
	hand_tasks(&h, 0, 1);
	hand_tasks(&h, 1, 4);
	p = rq->curr;
	/* all there are behind, and so they are where they come to */
	hand_rq(&h, 1)->cfs->min_vruntime_vns += NS_PER_S;
	hand_sleep(&h, 0);
	assert_ptr_not_equal(rq->curr, rq->idle);
	assert_true(rq->nr_running > 0);
	assert_true(p->need_resched);
	assert_int_equal(rq->stats.sched_goidle, 0);
	hand_free(&h);
}

/* The loop turns once more when the task switched to carries such a flag. */
static void test_a_flag_kept_costs_a_second_turn(void **state)
{
	struct rq *rq;
	struct task *p;
	uint64_t count;

	hand_init(&h, "2.6.35", 1, 1, 1);
	rq = hand_rq(&h, 0);
	p = hand_task(&h, 0, 0);
	p->need_resched = true;
	count = rq->stats.sched_count;
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(rq->curr, p);
	assert_int_equal(rq->stats.sched_count - count, 2);
	assert_false(p->need_resched);
	hand_free(&h);
}

static void test_an_exit_leaves_for_good(void **state)
{
	struct task *p;

	hand_init(&h, "2.6.35", 1, 1, 1);
	hand_tasks(&h, 0, 1);
	p = hand_rq(&h, 0)->curr;
	hand_at(&h, 8);
	sched_exit(hand_k(&h, 0));
	assert_int_equal(p->state, TASK_DEAD);
	assert_false(sched_wake(hand_k(&h, 0), p, 0));
	assert_int_equal(h.last[RECORD_EXIT].a, p->id);
	assert_int_equal(h.last[RECORD_EXIT].b, 8);
	assert_int_equal(h.nrecords[RECORD_BLOCK], 0);
	assert_int_equal(h.m->count.blocks, 0);
	hand_free(&h);
}

/* ---- two queues at once --------------------------------------------------------- */

static void test_two_queues_are_locked_and_their_clocks_sampled_in_2_6_34(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t clock_ns;
	} rows[] = {{"2.6.34", 5}, {"2.6.35", 0}};

	for (int i = 0; i < 2; i++) {
		struct rq *a, *b;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		a = hand_rq(&h, 0);
		b = hand_rq(&h, 1);
		hand_at(&h, 5);
		double_rq_lock(hand_k(&h, 1), b, a);
		assert_int_equal(h.locks_held, 2);
		assert_int_equal(a->clock_ns, HAND_START_NS + rows[i].clock_ns);
		assert_int_equal(b->clock_ns, HAND_START_NS + rows[i].clock_ns);
		double_rq_unlock(hand_k(&h, 1), b, a);
		double_rq_lock(hand_k(&h, 1), a, a);
		assert_int_equal(h.locks_held, 1);
		double_rq_unlock(hand_k(&h, 1), a, a);
		hand_free(&h);
	}
}

/* A second lock is tried; a preemptible kernel lets the first go always. */
static void test_the_first_lock_is_let_go_only_when_it_must(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t locks;
		bool let_go;
	} rows[] = {{"2.6.35", 1, false},
		    {"2.6.35,preempt=voluntary", 1, false},
		    {"2.6.35,preempt=full", 2, true}};

	for (int i = 0; i < 3; i++) {
		struct rq *a, *b;
		uint64_t before;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		a = hand_rq(&h, 0);
		b = hand_rq(&h, 1);
		rq_lock(hand_k(&h, 1), b);
		before = h.locks_taken;
		assert_int_equal(double_lock_balance(hand_k(&h, 1), b, a), rows[i].let_go);
		assert_int_equal(h.locks_taken - before, rows[i].locks);
		assert_int_equal(h.locks_held, 2);
		double_rq_unlock(hand_k(&h, 1), a, b);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_of_schedule),
		cmocka_unit_test(test_waiting_is_measured_from_queue_to_cpu),
		cmocka_unit_test(test_where_schedule_samples_the_clock),
		cmocka_unit_test(test_a_pull_marks_the_departing_task),
		cmocka_unit_test(test_a_flag_kept_costs_a_second_turn),
		cmocka_unit_test(test_an_exit_leaves_for_good),
		cmocka_unit_test(test_two_queues_are_locked_and_their_clocks_sampled_in_2_6_34),
		cmocka_unit_test(test_the_first_lock_is_let_go_only_when_it_must),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
