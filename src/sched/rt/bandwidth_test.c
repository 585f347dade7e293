/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three CPUs; 0 runs real-time tasks all the time. 950 ms of each second unless said otherwise. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/rt/rt.h"

#define MS NS_PER_MS

static struct hand h;
static struct task *p, *fair;

static struct rt_rq *rt(uint32_t cpu)
{
	return &hand_rq(&h, cpu)->rt;
}

/* CPU 0 runs P from time 0 on; a fair task waits. */
static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 3, 1);
	fair = hand_task(&h, 0, 0);
	p = hand_rt_running(&h, 0, 50, 1);
}

/* CPU 0's tick at NS. */
static void tick_at(uint64_t ns)
{
	hand_at(&h, ns);
	sched_tick(hand_k(&h, 0));
}

static void fire_at(uint64_t ns)
{
	hand_at(&h, ns);
	hand_fire(&h, KTIMER_RT_PERIOD);
}

static void test_without_sharing_a_cpu_stops_after_its_runtime(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t counted; /* in nr_running once throttled */
	} rows[] = {{"3.19,NO_RT_RUNTIME_SHARE", 1},
		    {"3.3,NO_RT_RUNTIME_SHARE", 2},
		    {"3.3,NO_RT_RUNTIME_SHARE,+rt-uncount-throttled", 1}};

	for (int v = 0; v < 3; v++) {
		struct rq *rq;

		start(rows[v].kernel);
		rq = hand_rq(&h, 0);
		tick_at(950 * MS);
		assert_int_equal(rt(0)->time_ns, 950 * MS);
		assert_false(rt(0)->throttled);
		assert_false(p->need_resched);
		assert_int_equal(rq->nr_running, 2);
		tick_at(950 * MS + 1);
		assert_true(rt(0)->throttled);
		assert_true(p->need_resched);
		assert_int_equal(rq->nr_running, rows[v].counted);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(rq->curr, fair);
		/* others cannot tell: cpupri and the lists stay as they are */
		assert_int_equal(h.m->rd.cpupri.level_of[0], 52);
		assert_int_equal(rt(0)->nr_running, 1);
		hand_free(&h);
	}
}

/* A third of what each other has left, up to the period: 1/3 of 950 ms is more than the 50 missing. */
static void test_a_cpu_borrows_until_it_has_the_whole_period(void **state)
{
	static const char *const kernels[] = {"2.6.35", "3.3", "3.19"};

	for (int v = 0; v < 3; v++) {
		start(kernels[v]);
		tick_at(950 * MS);
		assert_int_equal(rt(0)->runtime_ns, 950 * MS);
		tick_at(950 * MS + 1);
		assert_int_equal(rt(0)->runtime_ns, 1000 * MS);
		assert_int_equal(rt(1)->runtime_ns, 900 * MS);
		assert_int_equal(rt(2)->runtime_ns, 950 * MS);
		assert_false(rt(0)->throttled);
		/* never more than the period, and then never throttled */
		tick_at(1500 * MS);
		assert_int_equal(rt(0)->runtime_ns, 1000 * MS);
		assert_int_equal(rt(1)->runtime_ns, 900 * MS);
		assert_false(rt(0)->throttled);
		hand_free(&h);
	}
}

/* 1 has 20 ms left, 2 has 10: a third of each, rounded down, and only when it is short. */
static void test_what_is_borrowed_is_a_share_of_what_is_left(void **state)
{
	start("3.19");
	rt(1)->time_ns = 930 * MS;
	rt(2)->time_ns = 940 * MS;
	tick_at(951 * MS);
	assert_int_equal(rt(0)->runtime_ns, 950 * MS + 6666666 + 3333333);
	assert_int_equal(rt(1)->runtime_ns, 950 * MS - 6666666);
	assert_int_equal(rt(2)->runtime_ns, 950 * MS - 3333333);
	assert_false(rt(0)->throttled);
	/* 1 has 13333334 left, 2 has 6666667 */
	tick_at(960 * MS);
	assert_int_equal(rt(0)->runtime_ns, 959999999 + 4444444 + 2222222);
	assert_int_equal(rt(1)->runtime_ns, 943333334 - 4444444);
	assert_int_equal(rt(2)->runtime_ns, 946666667 - 2222222);
	assert_false(rt(0)->throttled);
	/* still short after borrowing once more: 2962963 and 1481481 */
	tick_at(980 * MS);
	assert_int_equal(rt(0)->runtime_ns, 966666665 + 2962963 + 1481481);
	assert_true(rt(0)->throttled);
	hand_free(&h);
}

static void test_who_has_used_all_lends_nothing(void **state)
{
	start("3.19");
	rt(1)->time_ns = 950 * MS;
	rt(2)->time_ns = 970 * MS;
	tick_at(950 * MS + 1);
	assert_int_equal(rt(0)->runtime_ns, 950 * MS);
	assert_int_equal(rt(2)->runtime_ns, 950 * MS);
	assert_true(rt(0)->throttled);
	hand_free(&h);
}

/* Time goes on while it is throttled only for what still runs; further ticks change nothing. */
static void test_a_throttled_task_that_still_runs_is_asked_again(void **state)
{
	start("3.19,NO_RT_RUNTIME_SHARE");
	tick_at(951 * MS);
	p->need_resched = false;
	tick_at(952 * MS);
	assert_true(p->need_resched);
	assert_int_equal(rt(0)->time_ns, 952 * MS);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	hand_free(&h);
}

/* -- the period timer -- */

static void test_the_timer_is_set_by_the_first_task_for_the_next_period(void **state)
{
	static struct kctx *k;

	hand_init(&h, "3.19", 1, 3, 1);
	k = hand_k(&h, 0);
	hand_at(&h, 300 * MS);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], 0);
	hand_rt_running(&h, 0, 50, 1);
	/* the clock began at a multiple of the period */
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + NS_PER_S);
	assert_int_equal(h.timer_cpu[KTIMER_RT_PERIOD], k->cpu->id);
	hand_rt_running(&h, 1, 50, 2);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + NS_PER_S);
	hand_free(&h);
}

static void test_each_period_pays_a_runtime_back(void **state)
{
	static const char *const kernels[] = {"3.19,NO_RT_RUNTIME_SHARE",
					      "3.3,NO_RT_RUNTIME_SHARE"};

	for (int v = 0; v < 2; v++) {
		struct rq *rq;

		start(kernels[v]);
		rq = hand_rq(&h, 0);
		tick_at(960 * MS);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(rq->curr, fair);
		assert_int_equal(rt(0)->time_ns, 960 * MS);
		hand_count_locks(&h);
		fire_at(1000 * MS);
		assert_int_equal(rt(0)->time_ns, 10 * MS);
		assert_false(rt(0)->throttled);
		assert_int_equal(rq->nr_running, 2);
		assert_true(fair->need_resched);
		/* every CPU's lock, once */
		assert_int_equal(hand_other_locks(&h, 0), 2);
		assert_int_equal(rq->lock.acquired_count, 1);
		assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + 2 * NS_PER_S);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(rq->curr, p);
		hand_free(&h);
	}
}

static void test_one_period_may_not_be_enough(void **state)
{
	start("3.19,NO_RT_RUNTIME_SHARE");
	tick_at(1950 * MS);
	sched_schedule(hand_k(&h, 0));
	/* 1950 - 950 is not below 950 */
	fire_at(1000 * MS);
	assert_int_equal(rt(0)->time_ns, 1000 * MS);
	assert_true(rt(0)->throttled);
	assert_false(fair->need_resched);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	fire_at(2000 * MS);
	assert_int_equal(rt(0)->time_ns, 50 * MS);
	assert_false(rt(0)->throttled);
	assert_true(fair->need_resched);
	hand_free(&h);
}

static void test_missed_periods_pay_too(void **state)
{
	start("3.19,NO_RT_RUNTIME_SHARE");
	tick_at(2000 * MS);
	sched_schedule(hand_k(&h, 0));
	fire_at(2500 * MS);
	assert_int_equal(rt(0)->time_ns, 100 * MS);
	assert_false(rt(0)->throttled);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + 3 * NS_PER_S);
	hand_free(&h);
}

/* A throttled queue borrows first: 2000 - 1000, not 2000 - 950. */
static void test_the_timer_borrows_for_a_throttled_queue(void **state)
{
	start("3.19");
	rt(1)->time_ns = 950 * MS;
	rt(2)->time_ns = 950 * MS;
	tick_at(960 * MS);
	assert_true(rt(0)->throttled);
	sched_schedule(hand_k(&h, 0));
	rt(2)->time_ns = 0;
	fire_at(1000 * MS);
	/* 950 / 3 is more than the 50 missing */
	assert_int_equal(rt(0)->runtime_ns, 1000 * MS);
	assert_int_equal(rt(2)->runtime_ns, 900 * MS);
	assert_int_equal(rt(0)->time_ns, 0);
	assert_false(rt(0)->throttled);
	/* the others were paid in their turn, with what they had then */
	assert_int_equal(rt(1)->time_ns, 0);
	hand_free(&h);
}

static void test_the_timer_stops_when_nobody_needs_it(void **state)
{
	start("3.19");
	tick_at(10 * MS);
	hand_sleep(&h, 0);
	/* it pays back 10 ms and is done */
	fire_at(1000 * MS);
	assert_int_equal(rt(0)->time_ns, 0);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], 0);
	assert_false(h.m->rd.rt_period_active);
	/* the next task sets it again */
	hand_at(&h, 3300 * MS);
	hand_rt_running(&h, 1, 50, 2);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + 4 * NS_PER_S);
	assert_int_equal(h.timer_cpu[KTIMER_RT_PERIOD], 1);
	hand_free(&h);
}

/* Debts are paid off before it stops. */
static void test_the_timer_goes_on_while_time_is_owed(void **state)
{
	start("3.19,NO_RT_RUNTIME_SHARE");
	tick_at(960 * MS);
	hand_sleep(&h, 0);
	fire_at(1000 * MS);
	assert_int_equal(rt(0)->time_ns, 10 * MS);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + 2 * NS_PER_S);
	fire_at(2000 * MS);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], 0);
	hand_free(&h);
}

/* Whatever runs is rescheduled where a queue has tasks and used no time. */
static void test_the_timer_reschedules_a_queue_that_used_no_time(void **state)
{
	start("3.19");
	assert_int_equal(rt(0)->time_ns, 0);
	fire_at(1000 * MS);
	assert_true(p->need_resched);
	assert_int_equal(h.ipis[1] + h.ipis[2], 0);
	assert_int_not_equal(h.timer_ns[KTIMER_RT_PERIOD], 0);
	hand_free(&h);
}

/* -- limits -- */

static void test_a_runtime_of_minus_1_is_no_limit(void **state)
{
	start("3.19,sched_rt_runtime_us=-1");
	tick_at(5000 * MS);
	assert_false(rt(0)->throttled);
	assert_int_equal(rt(0)->time_ns, 0);
	assert_int_equal(p->se.sum_exec_ns, 5000 * MS);
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], 0);
	hand_free(&h);
}

static void test_a_runtime_of_0_throttles_nobody(void **state)
{
	start("3.19,sched_rt_runtime_us=0");
	tick_at(5000 * MS);
	assert_false(rt(0)->throttled);
	assert_int_equal(rt(0)->time_ns, 0);
	hand_free(&h);
}

static void test_a_runtime_of_the_period_is_no_limit(void **state)
{
	start("3.19,sched_rt_runtime_us=1000000,NO_RT_RUNTIME_SHARE");
	tick_at(5000 * MS);
	assert_false(rt(0)->throttled);
	assert_int_equal(rt(0)->time_ns, 5000 * MS);
	hand_free(&h);
}

static void test_other_periods(void **state)
{
	start("3.19,sched_rt_period_us=10000,sched_rt_runtime_us=4000,NO_RT_RUNTIME_SHARE");
	assert_int_equal(h.timer_ns[KTIMER_RT_PERIOD], HAND_START_NS + 10 * MS);
	tick_at(4 * MS);
	assert_false(rt(0)->throttled);
	tick_at(5 * MS);
	assert_true(rt(0)->throttled);
	sched_schedule(hand_k(&h, 0));
	fire_at(10 * MS);
	assert_int_equal(rt(0)->time_ns, 1 * MS);
	assert_false(rt(0)->throttled);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_sharing_a_cpu_stops_after_its_runtime),
		cmocka_unit_test(test_a_cpu_borrows_until_it_has_the_whole_period),
		cmocka_unit_test(test_what_is_borrowed_is_a_share_of_what_is_left),
		cmocka_unit_test(test_who_has_used_all_lends_nothing),
		cmocka_unit_test(test_a_throttled_task_that_still_runs_is_asked_again),
		cmocka_unit_test(test_the_timer_is_set_by_the_first_task_for_the_next_period),
		cmocka_unit_test(test_each_period_pays_a_runtime_back),
		cmocka_unit_test(test_one_period_may_not_be_enough),
		cmocka_unit_test(test_missed_periods_pay_too),
		cmocka_unit_test(test_the_timer_borrows_for_a_throttled_queue),
		cmocka_unit_test(test_the_timer_stops_when_nobody_needs_it),
		cmocka_unit_test(test_the_timer_goes_on_while_time_is_owed),
		cmocka_unit_test(test_the_timer_reschedules_a_queue_that_used_no_time),
		cmocka_unit_test(test_a_runtime_of_minus_1_is_no_limit),
		cmocka_unit_test(test_a_runtime_of_0_throttles_nobody),
		cmocka_unit_test(test_a_runtime_of_the_period_is_no_limit),
		cmocka_unit_test(test_other_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
