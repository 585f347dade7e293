/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

#define MS NS_PER_MS
#define T0 HAND_START_NS

static struct hand h;

static void at(uint64_t ms)
{
	hand_at(&h, ms * MS);
}

static void tick(uint32_t cpu)
{
	sched_tick(hand_k(&h, cpu));
}

static void schedule(uint32_t cpu)
{
	sched_schedule(hand_k(&h, cpu));
}

static struct task *curr(uint32_t cpu)
{
	return hand_rq(&h, cpu)->curr;
}

static void test_deadline_task_goes_before_real_time_and_fair_ones(void **state)
{
	struct task *fair, *rt, *dl;

	hand_init(&h, "3.19", 1, 1, 1);
	fair = hand_task(&h, 0, -20);
	schedule(0);
	rt = hand_rt_task(&h, 0, 99);
	assert_true(fair->need_resched);
	schedule(0);
	assert_ptr_equal(curr(0), rt);
	dl = hand_dl_task(&h, 0, 1, 10, 10);
	assert_true(rt->need_resched);
	schedule(0);
	assert_ptr_equal(curr(0), dl);
	assert_int_equal(dl->prio, DL_PRIO);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 3);
	/* and nothing of these preempts it */
	hand_rt_task(&h, 0, 99);
	hand_task(&h, 0, 0);
	assert_false(dl->need_resched);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), rt);
	hand_free(&h);
}

static void test_runtime_used_up_throttles_until_the_next_period(void **state)
{
	struct task *p, *fair;
	struct rq *rq;

	hand_init(&h, "3.19", 1, 1, 1);
	rq = hand_rq(&h, 0);
	fair = hand_task(&h, 0, 0);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(3);
	tick(0);
	assert_int_equal(p->dl->runtime_ns, MS);
	assert_false(p->need_resched);
	at(4);
	tick(0);
	assert_true(p->dl->throttled);
	assert_true(p->need_resched);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], T0 + 10 * MS);
	schedule(0);
	assert_ptr_equal(curr(0), fair);
	assert_int_equal(rq->nr_running, 1);
	assert_true(p->se.on_rq);
	/* it is queued but does not wait */
	assert_int_equal(h.last[RECORD_SWITCH].c, 2);
	sched_audit(h.m);
	at(10);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_false(p->dl->throttled);
	assert_int_equal(p->dl->deadline_ns, T0 + 20 * MS);
	assert_int_equal(p->dl->runtime_ns, 4 * MS);
	assert_int_equal(rq->nr_running, 2);
	assert_true(fair->need_resched);
	assert_int_equal(h.last[RECORD_WAIT_START].a, p->id);
	schedule(0);
	assert_ptr_equal(curr(0), p);
	assert_int_equal(p->se.sum_exec_ns, 4 * MS);
	/* real-time tasks' bandwidth is used by it too */
	assert_int_equal(rq->rt.time_ns, 4 * MS);
	hand_free(&h);
}

static void test_overrun_is_taken_from_the_next_period(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(6);
	tick(0);
	assert_int_equal(p->dl->runtime_ns, -2 * (int64_t)MS);
	schedule(0);
	assert_ptr_equal(curr(0), hand_rq(&h, 0)->idle);
	at(10);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_int_equal(p->dl->runtime_ns, 2 * MS);
	assert_int_equal(p->dl->deadline_ns, T0 + 20 * MS);
	hand_free(&h);
}

/* The next period began before the overrun was seen: 26 ms over, seven periods of 4 later it has 2. */
static void test_overrun_past_the_period_is_replenished_at_once(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(30);
	tick(0);
	assert_false(p->dl->throttled);
	assert_int_equal(p->dl->runtime_ns, 2 * MS);
	assert_int_equal(p->dl->deadline_ns, T0 + 80 * MS);
	assert_false(p->need_resched);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], 0);
	hand_free(&h);
}

static void test_late_timer_begins_a_new_instance(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(4);
	tick(0);
	schedule(0);
	at(35);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_int_equal(p->dl->runtime_ns, 4 * MS);
	assert_int_equal(p->dl->deadline_ns, T0 + 45 * MS);
	hand_free(&h);
}

static void test_earlier_deadline_preempts_and_a_later_one_waits(void **state)
{
	struct task *a, *b, *c;

	hand_init(&h, "3.19", 1, 1, 1);
	a = hand_dl_task(&h, 0, 2, 20, 20);
	schedule(0);
	c = hand_dl_task(&h, 0, 2, 30, 30);
	assert_false(a->need_resched);
	at(1);
	b = hand_dl_task(&h, 0, 2, 10, 10);
	assert_true(a->need_resched);
	schedule(0);
	assert_ptr_equal(curr(0), b);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), a);
	assert_int_equal(a->dl->runtime_ns, MS);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), c);
	hand_free(&h);
}

static void test_equal_deadlines_run_in_order_of_arrival(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 1, 1);
	a = hand_dl_task(&h, 0, 2, 20, 20);
	schedule(0);
	b = hand_dl_task(&h, 0, 2, 20, 20);
	assert_int_equal(a->dl->deadline_ns, b->dl->deadline_ns);
	assert_false(a->need_resched);
	schedule(0);
	assert_ptr_equal(curr(0), a);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), b);
	hand_free(&h);
}

/* The running one could go to CPU 1, where a later deadline runs; the other is confined to CPU 0. */
static void test_equal_deadline_preempts_if_only_the_running_one_can_move(void **state)
{
	uint64_t mem[MASK_WORDS(2)];
	struct mask *only = mask_init(mem, 2);
	struct task_attr attr = {
		.policy = POLICY_DEADLINE, .dl = {2 * MS, 20 * MS, 0, 0}, .cpus = only};
	struct task *a;

	hand_init(&h, "3.19,sched_rt_runtime_us=-1", 1, 2, 1);
	mask_set(only, 0);
	a = hand_dl_task(&h, 0, 2, 20, 20);
	schedule(0);
	hand_dl_task(&h, 1, 2, 50, 50);
	schedule(1);
	assert_false(a->need_resched);
	hand_task_in(&h, 0, &attr, NULL);
	assert_true(a->need_resched);
	hand_free(&h);
}

/* 2 ms within 5 of each 20. */
static void test_constrained_task_that_wakes_between_deadline_and_period_is_throttled(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 2, 5, 20);
	schedule(0);
	at(1);
	hand_sleep(&h, 0);
	assert_int_equal(p->dl->runtime_ns, MS);
	/* 1 ms left of 2 ms to go is too dense: 0.4 x 2 ms */
	at(3);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(p->dl->runtime_ns, 799999);
	assert_int_equal(p->dl->deadline_ns, T0 + 5 * MS);
	schedule(0);
	hand_sleep(&h, 0);
	at(8);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_true(p->dl->throttled);
	assert_true(p->se.on_rq);
	assert_false(p->dl->queued);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 0);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], T0 + 20 * MS);
	sched_audit(h.m);
	at(20);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_true(p->dl->queued);
	assert_int_equal(p->dl->runtime_ns, 2 * MS);
	assert_int_equal(p->dl->deadline_ns, T0 + 25 * MS);
	schedule(0);
	hand_sleep(&h, 0);
	/* the period after is over too: nothing to wait for */
	at(50);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_true(p->dl->queued);
	assert_int_equal(p->dl->deadline_ns, T0 + 55 * MS);
	hand_free(&h);
}

/* At its first wake-up, near the machine's start, a task has no deadline that could be over. */
static void test_new_constrained_task_is_not_throttled(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	h.m->cpus[0].k.now_ns = MS;
	hand_rq(&h, 0)->clock_ns = MS;
	p = hand_dl_task(&h, 0, 1, 5, 100);
	assert_true(p->dl->queued);
	assert_int_equal(p->dl->deadline_ns, 6 * MS);
	hand_free(&h);
}

static void test_yield_gives_up_the_rest_of_the_period(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(1);
	sched_do_yield(hand_k(&h, 0));
	assert_true(p->dl->throttled);
	assert_ptr_equal(curr(0), hand_rq(&h, 0)->idle);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], T0 + 10 * MS);
	at(10);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_int_equal(p->dl->runtime_ns, 4 * MS);
	assert_int_equal(p->dl->deadline_ns, T0 + 20 * MS);
	/* also in the instant it is picked */
	schedule(0);
	sched_do_yield(hand_k(&h, 0));
	assert_true(p->dl->throttled);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], T0 + 20 * MS);
	hand_free(&h);
}

/* It used up its runtime and fell asleep before it lost the CPU. */
static void test_throttled_sleeper_is_replenished_but_not_queued(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(4);
	tick(0);
	assert_true(p->dl->throttled);
	hand_sleep(&h, 0);
	at(10);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_false(p->dl->throttled);
	assert_false(p->se.on_rq);
	assert_int_equal(p->dl->runtime_ns, 4 * MS);
	/* 4 of the 8 ms that are left is too much */
	at(12);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(p->dl->deadline_ns, T0 + 22 * MS);
	hand_free(&h);
}

static void test_throttled_sleeper_that_wakes_waits_for_its_timer(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(5);
	hand_sleep(&h, 0);
	assert_true(p->dl->throttled);
	at(7);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_true(p->se.on_rq);
	assert_false(p->dl->queued);
	sched_audit(h.m);
	at(10);
	hand_fire(&h, ktimer_replenish(p->id));
	assert_true(p->dl->queued);
	assert_int_equal(p->dl->runtime_ns, 3 * MS);
	hand_free(&h);
}

static void test_timer_of_a_task_that_left_the_class_is_stopped(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	at(4);
	tick(0);
	schedule(0);
	assert_true(p->dl->throttled);
	hand_policy(&h, 0, p, POLICY_NORMAL, 0);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], 0);
	assert_false(p->dl->throttled);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	sched_audit(h.m);
	schedule(0);
	assert_ptr_equal(curr(0), p);
	hand_free(&h);
}

static void test_policy_change_begins_an_instance_and_keeps_the_cpu(void **state)
{
	const struct dl_params dl = {2 * MS, 10 * MS, 0, 0};
	const struct policy_change c = {POLICY_DEADLINE, 0, &dl};
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_task(&h, 0, 5);
	schedule(0);
	at(3);
	assert_int_equal(sched_set_policy(hand_k(&h, 0), p, &c), POLICY_GRANTED);
	assert_true(p->dl->queued);
	assert_int_equal(p->dl->deadline_ns, T0 + 13 * MS);
	assert_int_equal(p->dl->dl_period_ns, 10 * MS);
	assert_int_equal(p->nice, 5);
	at(4);
	tick(0);
	assert_int_equal(p->dl->runtime_ns, MS);
	assert_int_equal(p->se.sum_exec_ns, 4 * MS);
	hand_policy(&h, 0, p, POLICY_NORMAL, 5);
	assert_int_equal(p->prio, 125);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 0);
	hand_free(&h);
}

static void test_exit_frees_bandwidth_and_stops_the_timer(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	schedule(0);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 419430);
	at(5);
	sched_exit(hand_k(&h, 0));
	assert_int_equal(h.m->rd.dl_bw.total_bw, 0);
	assert_int_equal(h.timer_ns[ktimer_replenish(p->id)], 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deadline_task_goes_before_real_time_and_fair_ones),
		cmocka_unit_test(test_runtime_used_up_throttles_until_the_next_period),
		cmocka_unit_test(test_overrun_is_taken_from_the_next_period),
		cmocka_unit_test(test_overrun_past_the_period_is_replenished_at_once),
		cmocka_unit_test(test_late_timer_begins_a_new_instance),
		cmocka_unit_test(test_earlier_deadline_preempts_and_a_later_one_waits),
		cmocka_unit_test(test_equal_deadlines_run_in_order_of_arrival),
		cmocka_unit_test(test_equal_deadline_preempts_if_only_the_running_one_can_move),
		cmocka_unit_test(
			test_constrained_task_that_wakes_between_deadline_and_period_is_throttled),
		cmocka_unit_test(test_new_constrained_task_is_not_throttled),
		cmocka_unit_test(test_yield_gives_up_the_rest_of_the_period),
		cmocka_unit_test(test_throttled_sleeper_is_replenished_but_not_queued),
		cmocka_unit_test(test_throttled_sleeper_that_wakes_waits_for_its_timer),
		cmocka_unit_test(test_timer_of_a_task_that_left_the_class_is_stopped),
		cmocka_unit_test(test_policy_change_begins_an_instance_and_keeps_the_cpu),
		cmocka_unit_test(test_exit_frees_bandwidth_and_stops_the_timer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
