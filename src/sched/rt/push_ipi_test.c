/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four CPUs; 0 is about to run something less important. Priorities are users' ones. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/pelt.h"
#include "sched/rt/rt.h"

#define ALL 0u

static struct hand h;

/* CPU 0 runs a bound task of PRIO, the others bound ones of 90. */
static void start(const char *kernel, int32_t prio)
{
	hand_init(&h, kernel, 1, 4, 1);
	hand_rt_running(&h, 0, prio, 1);
	for (uint32_t i = 1; i < 4; i++)
		hand_rt_running(&h, i, 90, UINT64_C(1) << i);
}

static void count_from_here(void)
{
	hand_count_locks(&h);
	h.m->rd.rto_lock.acquired_count = 0;
	h.locks_taken = 0;
	memset(h.ipis, 0, sizeof(h.ipis));
}

/* CPU asks. True: a task came at once. */
static bool ask(uint32_t cpu)
{
	bool pulled;

	rq_lock(hand_k(&h, cpu), hand_rq(&h, cpu));
	pulled = pull_rt_task(hand_k(&h, cpu), hand_rq(&h, cpu));
	rq_unlock(hand_k(&h, cpu), hand_rq(&h, cpu));
	return pulled;
}

static void assert_ipis(uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3)
{
	assert_int_equal(h.ipis[0], c0);
	assert_int_equal(h.ipis[1], c1);
	assert_int_equal(h.ipis[2], c2);
	assert_int_equal(h.ipis[3], c3);
}

/* Two CPUs have something to give; asking takes no lock of theirs, whatever they have. */
static void test_asking_takes_one_lock_and_one_interrupt(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t others, rto, ipis;
	} rows[] = {{"4.0", 2, 0, 0}, {"5.4,NO_RT_PUSH_IPI", 2, 0, 0}, {"5.4", 0, 1, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool at_once = rows[i].others > 0;

		start(rows[i].kernel, 40);
		hand_rt_waiting(&h, 1, 50, ALL);
		hand_rt_waiting(&h, 3, 60, ALL);
		count_from_here();
		assert_int_equal(ask(0), at_once);
		assert_int_equal(hand_other_locks(&h, 0), rows[i].others);
		assert_int_equal(h.m->rd.rto_lock.acquired_count, rows[i].rto);
		assert_ipis(0, rows[i].ipis, 0, 0);
		assert_int_equal(hand_rq(&h, 0)->rt.stats.pull_locks, rows[i].others);
		hand_free(&h);
	}
}

/* In ascending order each pushes what it can, under its own lock and the target's. */
static void test_the_work_goes_round(void **state)
{
	struct task *first, *second;

	start("5.4", 40);
	first = hand_rt_waiting(&h, 1, 50, ALL);
	second = hand_rt_waiting(&h, 3, 60, ALL);
	ask(0);
	count_from_here();
	sched_ipi(hand_k(&h, 1));
	assert_int_equal(first->cpu, 0);
	assert_int_equal(hand_rq(&h, 1)->lock.acquired_count, 1);
	assert_int_equal(hand_rq(&h, 0)->lock.acquired_count, 1);
	assert_int_equal(h.m->rd.rto_lock.acquired_count, 1);
	/* CPU 0 is to reschedule; the work goes on */
	assert_ipis(1, 0, 0, 1);
	sched_ipi(hand_k(&h, 3));
	assert_int_equal(second->cpu, 0);
	assert_int_equal(hand_rq(&h, 3)->rt.stats.pushes, 1);
	/* the request counts too: a second round, to CPU 0 that has too many now */
	assert_ipis(2, 0, 0, 1);
	sched_ipi(hand_k(&h, 0));
	assert_ipis(2, 0, 0, 1);
	assert_int_equal(h.m->rd.rto_cpu, CPU_NONE);
	hand_free(&h);
}

/* Nothing waits any more where the work arrives: its queue is not locked. */
static void test_a_queue_with_nothing_to_push_is_not_locked(void **state)
{
	struct task *p;

	start("5.4", 40);
	p = hand_rt_waiting(&h, 2, 50, ALL);
	ask(0);
	assert_ipis(0, 0, 1, 0);
	/* another CPU took it */
	rq_lock(hand_k(&h, 2), hand_rq(&h, 2));
	deactivate_task(hand_k(&h, 2), hand_rq(&h, 2), p, DEQUEUE_SLEEP);
	p->state = TASK_INTERRUPTIBLE;
	rq_unlock(hand_k(&h, 2), hand_rq(&h, 2));
	count_from_here();
	sched_ipi(hand_k(&h, 2));
	assert_int_equal(h.locks_taken, 1);
	assert_int_equal(h.m->rd.rto_lock.acquired_count, 1);
	assert_int_equal(hand_rq(&h, 2)->rt.stats.push_works, 1);
	hand_free(&h);
}

/* Who asks while the work is under way sends none; it goes round once more. */
static void test_requests_are_answered_by_another_round(void **state)
{
	start("5.4", 40);
	/* nobody runs less than 30 but for its own CPU's bound task: it stays */
	hand_rt_waiting(&h, 2, 30, ALL);
	ask(0);
	ask(1);
	assert_ipis(0, 0, 1, 0);
	assert_int_equal(hand_rq(&h, 1)->rt.stats.push_requests, 1);
	/* the second round is for both */
	sched_ipi(hand_k(&h, 2));
	assert_ipis(0, 0, 2, 0);
	sched_ipi(hand_k(&h, 2));
	assert_ipis(0, 0, 2, 0);
	assert_int_equal(h.m->rd.rto_cpu, CPU_NONE);
	assert_int_equal(h.m->rd.rto_loop, h.m->rd.rto_loop_next);
	/* a new request starts it anew */
	ask(0);
	assert_ipis(0, 0, 3, 0);
	hand_free(&h);
}

static void another_asks(struct hand *hand, struct kctx *k, struct klock *l)
{
	(void)hand;
	if (l != &k->m->rd.rto_lock || k->cpu->id != 0)
		return;
	tell_cpu_to_push(hand_k(&h, 1), hand_rq(&h, 1));
}

/* Only one CPU at a time goes for the lock. */
static void test_who_asks_beside_another_does_not_wait(void **state)
{
	start("5.4", 40);
	hand_rt_waiting(&h, 2, 30, ALL);
	count_from_here();
	h.before = another_asks;
	ask(0);
	h.before = NULL;
	assert_int_equal(h.m->rd.rto_lock.acquired_count, 1);
	assert_int_equal(h.m->rd.rto_loop_next, 2);
	assert_ipis(0, 0, 1, 0);
	hand_free(&h);
}

/* The only CPU with something to give asks nobody; beside others it may be the first of them. */
static void test_a_cpu_that_is_overloaded_itself(void **state)
{
	start("5.4", 60);
	hand_rt_waiting(&h, 0, 50, ALL);
	count_from_here();
	ask(0);
	assert_ipis(0, 0, 0, 0);
	assert_int_equal(h.m->rd.rto_lock.acquired_count, 0);
	hand_rt_waiting(&h, 2, 50, ALL);
	ask(0);
	assert_ipis(1, 0, 0, 0);
	sched_ipi(hand_k(&h, 0));
	assert_ipis(1, 0, 1, 0);
	sched_ipi(hand_k(&h, 2));
	hand_free(&h);
}

/* A CPU whose task sleeps asks on its way to the next one; the answer comes as a push. */
static void test_a_sleeping_task_makes_others_push(void **state)
{
	struct task *p;

	start("5.4", 80);
	p = hand_rt_waiting(&h, 2, 50, ALL);
	count_from_here();
	hand_sleep(&h, 0);
	assert_ptr_equal(hand_rq(&h, 0)->curr, hand_rq(&h, 0)->idle);
	assert_ipis(0, 0, 1, 0);
	assert_int_equal(hand_other_locks(&h, 0), 0);
	sched_ipi(hand_k(&h, 2));
	assert_int_equal(p->cpu, 0);
	assert_true(hand_rq(&h, 0)->curr->need_resched);
	hand_free(&h);
}

/* A change of priority: 3.19 pulls under the lock of the change, 5.4 asks under one of its own. */
static void test_a_lowered_task_asks_after_its_change(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t own, others, rto;
	} rows[] = {
		{"3.19", 1, 1, 0},
		{"5.4,NO_RT_PUSH_IPI", 2, 1, 0},
		{"5.4", 2, 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p, *waits;

		start(rows[i].kernel, 80);
		p = hand_rq(&h, 0)->curr;
		waits = hand_rt_waiting(&h, 2, 50, ALL);
		count_from_here();
		hand_policy(&h, 0, p, POLICY_FIFO, 40);
		assert_int_equal(hand_rq(&h, 0)->lock.acquired_count, rows[i].own);
		assert_int_equal(hand_other_locks(&h, 0), rows[i].others);
		assert_int_equal(h.m->rd.rto_lock.acquired_count, rows[i].rto);
		assert_int_equal(hand_rq(&h, 0)->callbacks, 0);
		assert_int_equal(waits->cpu, rows[i].rto ? 2 : 0);
		if (rows[i].rto)
			sched_ipi(hand_k(&h, 2));
		assert_int_equal(waits->cpu, 0);
		assert_true(p->need_resched);
		hand_free(&h);
	}
}

/* 5.4 as 4.0: what is left over after a switch is pushed, under one more lock. */
static void test_a_switch_pushes_what_is_left(void **state)
{
	static const char *const kernels[] = {"4.0", "5.4"};

	for (int v = 0; v < 2; v++) {
		struct task *left;

		hand_init(&h, kernels[v], 1, 2, 1);
		hand_rt_running(&h, 0, 90, 1);
		left = hand_rt_waiting(&h, 0, 50, ALL);
		hand_rt_waiting(&h, 0, 60, 1);
		count_from_here();
		hand_sleep(&h, 0);
		assert_int_equal(left->cpu, 1);
		assert_int_equal(hand_rq(&h, 0)->lock.acquired_count, 2);
		assert_int_equal(hand_other_locks(&h, 0), 1);
		hand_free(&h);
	}
}

/* 32 periods of 1.048576 ms: half of what a CPU has; again as long asleep: half of that. */
static void test_what_real_time_tasks_use_is_averaged(void **state)
{
	const uint64_t half_life_ns = 32 * UINT64_C(1048576);
	struct rq *rq;

	hand_init(&h, "5.4", 1, 2, 1);
	rq = hand_rq(&h, 0);
	/* an old update, and an idle CPU until now */
	hand_at(&h, NS_PER_S);
	hand_rt_running(&h, 0, 50, 1);
	assert_int_equal(rq->pelt.avg_rt.util_avg, 0);
	for (uint64_t ms = 1; ms <= 33; ms++) {
		hand_at(&h, NS_PER_S + ms * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
	}
	hand_at(&h, NS_PER_S + half_life_ns);
	hand_sleep(&h, 0);
	assert_in_range(rq->pelt.avg_rt.util_avg, 500, 524);
	hand_at(&h, NS_PER_S + 2 * half_life_ns);
	rq_lock(hand_k(&h, 0), rq);
	update_rq_clock(hand_k(&h, 0), rq);
	update_rt_rq_load_avg(hand_k(&h, 0), rq_clock_pelt(rq), rq, false);
	rq_unlock(hand_k(&h, 0), rq);
	assert_in_range(rq->pelt.avg_rt.util_avg, 250, 262);
	assert_int_equal(rq->pelt.avg_dl.util_avg, 0);
	hand_free(&h);
}

/* The same of a deadline task, that runs for 10 ms of each 100. */
static void test_what_deadline_tasks_use_is_averaged(void **state)
{
	struct rq *rq;

	hand_init(&h, "5.4", 1, 1, 1);
	rq = hand_rq(&h, 0);
	hand_at(&h, NS_PER_S);
	hand_dl_task(&h, 0, 50, 100, 100);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(rq->pelt.avg_dl.util_avg, 0);
	hand_at(&h, NS_PER_S + 10 * NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	/* 1 - 2^(-10/33.55) = 0.187 */
	assert_in_range(rq->pelt.avg_dl.util_avg, 185, 198);
	assert_int_equal(rq->pelt.avg_rt.util_avg, 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asking_takes_one_lock_and_one_interrupt),
		cmocka_unit_test(test_the_work_goes_round),
		cmocka_unit_test(test_a_queue_with_nothing_to_push_is_not_locked),
		cmocka_unit_test(test_requests_are_answered_by_another_round),
		cmocka_unit_test(test_who_asks_beside_another_does_not_wait),
		cmocka_unit_test(test_a_cpu_that_is_overloaded_itself),
		cmocka_unit_test(test_a_sleeping_task_makes_others_push),
		cmocka_unit_test(test_a_lowered_task_asks_after_its_change),
		cmocka_unit_test(test_a_switch_pushes_what_is_left),
		cmocka_unit_test(test_what_real_time_tasks_use_is_averaged),
		cmocka_unit_test(test_what_deadline_tasks_use_is_averaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
