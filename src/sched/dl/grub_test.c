/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reclaiming, computed by hand. A CPU is 2^20, its real-time share 996147, and 1 / 0.95 in 256ths
 * is 1103764 >> 12 = 269.
 */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

#define KERNEL "3.19,+dl-grub"
#define MS NS_PER_MS
#define T0 HAND_START_NS

static struct hand h;

static struct task *reclaimer(uint64_t runtime_ms, uint64_t period_ms)
{
	struct task_attr attr = {.policy = POLICY_DEADLINE,
				 .dl = {runtime_ms * MS, period_ms * MS, 0, DL_RECLAIM}};

	return hand_task_in(&h, 0, &attr, NULL);
}

static void sums(uint32_t cpu, uint64_t this_bw, uint64_t running_bw, uint64_t total_bw)
{
	assert_int_equal(hand_rq(&h, cpu)->dl.this_bw, this_bw);
	assert_int_equal(hand_rq(&h, cpu)->dl.running_bw, running_bw);
	assert_int_equal(h.m->rd.dl_bw.total_bw, total_bw);
}

/*
 * 2 of 10: 209715. Nobody has extra = 996147 - 209715 = 786432, so it is charged 2^20 - 786432 =
 * 262144, a quarter.
 */
static void test_lone_task_is_charged_what_others_were_not_promised(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = reclaimer(2, 10);
	sched_schedule(hand_k(&h, 0));
	sums(0, 209715, 209715, 209715);
	assert_int_equal(h.m->rd.dl_bw.extra_bw, 786432);
	assert_int_equal(h.m->rd.dl_bw.ratio, 269);
	hand_at(&h, 4 * MS);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(p->dl->runtime_ns, MS);
	assert_int_equal(p->se.sum_exec_ns, 4 * MS);
	hand_free(&h);
}

/*
 * Another of 4 of 10 (419430) is active: extra is 367002, charged 2^20 - 367002 = 681574;
 * 4 ms x 681574 >> 20 = 2599998. Asleep and past its zero-lag time: 2^20 - 419430 - 367002 =
 * 262144, a quarter again.
 */
static void test_others_bandwidth_is_reclaimed_while_they_are_inactive(void **state)
{
	struct rq *rq;
	struct task *p, *q;

	hand_init(&h, KERNEL, 1, 1, 1);
	rq = hand_rq(&h, 0);
	p = reclaimer(2, 10);
	q = hand_dl_task(&h, 0, 4, 10, 10);
	sums(0, 629145, 629145, 629145);
	assert_int_equal(grub_reclaim(hand_k(&h, 0), rq, p->dl, 4 * MS), 2599998);
	rq->dl.running_bw -= q->dl->dl_bw;
	assert_int_equal(grub_reclaim(hand_k(&h, 0), rq, p->dl, 4 * MS), MS);
	rq->dl.running_bw += q->dl->dl_bw;
	/* who does not ask for it pays in full */
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(rq->curr, p);
	hand_sleep(&h, 0);
	hand_at(&h, MS);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(q->dl->runtime_ns, 3 * MS);
	hand_free(&h);
}

/*
 * Two CPUs, 9 of 10 (943718): extra is 996147 - 471859 = 524288, more than 2^20 - 991641, where
 * 943718 x 269 >> 8 = 991641 is what it must pay at least: 4 ms x 991641 >> 20 = 3782810.
 */
static void test_nobody_pays_less_than_its_part_of_the_share(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 2, 1);
	p = reclaimer(9, 10);
	assert_int_equal(h.m->rd.dl_bw.extra_bw, 524288);
	assert_int_equal(grub_reclaim(hand_k(&h, 0), hand_rq(&h, 0), p->dl, 4 * MS), 3782810);
	hand_free(&h);
}

static void test_without_a_limit_only_what_is_active_counts(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL ",sched_rt_runtime_us=-1", 1, 1, 1);
	p = reclaimer(5, 10);
	assert_int_equal(h.m->rd.dl_bw.ratio, 256);
	assert_int_equal(h.m->rd.dl_bw.extra_bw, 524288);
	assert_int_equal(grub_reclaim(hand_k(&h, 0), hand_rq(&h, 0), p->dl, 4 * MS), 2 * MS);
	hand_free(&h);
}

/* 4 of 10, 1 ms used at 1 ms: the 3 left would last until 10 - 3 x 10 / 4 = 2.5 ms. */
static void test_sleeper_is_active_until_its_zero_lag_time(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	hand_at(&h, MS);
	hand_sleep(&h, 0);
	assert_true(p->dl->non_contending);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], T0 + 2500 * NS_PER_US);
	sums(0, 419430, 419430, 419430);
	/* back before: nothing happened */
	hand_at(&h, 2 * MS);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], 0);
	sums(0, 419430, 419430, 419430);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	hand_at(&h, 2500 * NS_PER_US);
	hand_fire(&h, ktimer_inactive(p->id));
	sums(0, 419430, 0, 419430);
	sched_wake(hand_k(&h, 0), p, 0);
	sums(0, 419430, 419430, 419430);
	hand_free(&h);
}

static void test_sleeper_past_its_zero_lag_time_is_inactive_at_once(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	hand_at(&h, 5 * MS);
	update_rq_clock(hand_k(&h, 0), hand_rq(&h, 0));
	sched_schedule(hand_k(&h, 0));
	hand_at(&h, 6 * MS);
	/* 3 ms left at 6 ms: it was over at 2.5 */
	hand_sleep(&h, 0);
	assert_false(p->dl->non_contending);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], 0);
	sums(0, 419430, 0, 419430);
	hand_free(&h);
}

static void test_throttled_task_stays_active(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	hand_at(&h, 5 * MS);
	sched_tick(hand_k(&h, 0));
	sched_schedule(hand_k(&h, 0));
	assert_true(p->dl->throttled);
	sums(0, 419430, 419430, 419430);
	hand_free(&h);
}

/* 1 ms over at 5 ms: its zero-lag time is 10 + 2.5 ms. */
static void test_bandwidth_of_one_that_ended_is_freed_at_its_zero_lag_time(void **state)
{
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	hand_at(&h, 5 * MS);
	sched_exit(hand_k(&h, 0));
	sums(0, 419430, 419430, 419430);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], T0 + 12500 * NS_PER_US);
	hand_at(&h, 13 * MS);
	hand_fire(&h, ktimer_inactive(p->id));
	sums(0, 0, 0, 0);
	assert_int_equal(h.m->rd.dl_bw.extra_bw, 996147);
	hand_free(&h);
}

static void test_bandwidth_of_one_that_left_the_class_too(void **state)
{
	const struct dl_params again = {MS, 10 * MS, 0, 0};
	const struct policy_change c = {POLICY_DEADLINE, 0, &again};
	struct task *p;

	hand_init(&h, KERNEL, 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	hand_at(&h, MS);
	hand_policy(&h, 0, p, POLICY_NORMAL, 0);
	sums(0, 0, 0, 419430);
	/* it comes back before: only the new part counts */
	assert_int_equal(sched_set_policy(hand_k(&h, 0), p, &c), POLICY_GRANTED);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], 0);
	sums(0, 104857, 104857, 104857);
	hand_policy(&h, 0, p, POLICY_NORMAL, 0);
	hand_at(&h, 30 * MS);
	hand_fire(&h, ktimer_inactive(p->id));
	sums(0, 0, 0, 0);
	hand_free(&h);
}

/* Asleep and still active on CPU 0, it wakes on CPU 1. */
static void test_bandwidth_moves_with_a_woken_task(void **state)
{
	struct task *p, *q;

	hand_init(&h, KERNEL, 1, 2, 1);
	p = hand_dl_task(&h, 0, 4, 100, 100); /* 41943 */
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	q = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(hand_rq(&h, 0)->curr, q);
	sums(0, 419430 + 41943, 419430 + 41943, 419430 + 41943);
	sched_wake(hand_k(&h, 0), p, 0);
	assert_int_equal(p->cpu, 1);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], 0);
	sums(0, 419430, 419430, 419430 + 41943);
	sums(1, 41943, 41943, 419430 + 41943);
	hand_free(&h);
}

static void test_kernels_without_it_keep_no_such_sums(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_dl_task(&h, 0, 4, 10, 10);
	sched_schedule(hand_k(&h, 0));
	sums(0, 0, 0, 419430);
	hand_sleep(&h, 0);
	assert_int_equal(h.timer_ns[ktimer_inactive(p->id)], 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lone_task_is_charged_what_others_were_not_promised),
		cmocka_unit_test(test_others_bandwidth_is_reclaimed_while_they_are_inactive),
		cmocka_unit_test(test_nobody_pays_less_than_its_part_of_the_share),
		cmocka_unit_test(test_without_a_limit_only_what_is_active_counts),
		cmocka_unit_test(test_sleeper_is_active_until_its_zero_lag_time),
		cmocka_unit_test(test_sleeper_past_its_zero_lag_time_is_inactive_at_once),
		cmocka_unit_test(test_throttled_task_stays_active),
		cmocka_unit_test(test_bandwidth_of_one_that_ended_is_freed_at_its_zero_lag_time),
		cmocka_unit_test(test_bandwidth_of_one_that_left_the_class_too),
		cmocka_unit_test(test_bandwidth_moves_with_a_woken_task),
		cmocka_unit_test(test_kernels_without_it_keep_no_such_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
