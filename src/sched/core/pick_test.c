/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who fetches work before the next task is picked, kernels that leave it to the classes. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"

static struct hand h;

/* A real-time task waits on CPU 1; CPU 0's deadline task has used what it was promised. */
static void test_a_throttled_deadline_task_lets_real_time_ones_come(void **state)
{
	static const char *const kernels[] = {"5.4", "5.5", "5.4,NO_RT_PUSH_IPI"};

	for (int v = 0; v < 3; v++) {
		struct task *dl, *waiting;

		hand_init(&h, kernels[v], 1, 2, 1);
		dl = hand_dl_task(&h, 0, 10, 100, 100);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(hand_rq(&h, 0)->curr, dl);
		hand_rt_running(&h, 1, 50, 0);
		waiting = hand_rt_waiting(&h, 1, 40, 0);
		hand_at(&h, 12 * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		assert_true(dl->dl->throttled);
		assert_true(dl->se.on_rq);
		sched_schedule(hand_k(&h, 0));
		if (kver_has(&h.v, FEAT_RT_PUSH_IPI)) {
			/* it asks for it, and is sent it */
			sched_ipi(hand_k(&h, 1));
			sched_schedule(hand_k(&h, 0));
		}
		assert_ptr_equal(hand_rq(&h, 0)->curr, waiting);
		hand_free(&h);
	}
}

/* The last task sleeps: one is fetched in picking, and the idle task is not even picked. */
static void test_a_fair_task_comes_before_the_cpu_idles(void **state)
{
	struct rq *rq;

	hand_init(&h, "5.4", 1, 2, 1);
	rq = hand_rq(&h, 0);
	hand_tasks(&h, 0, 1);
	hand_tasks(&h, 1, 3);
	hand_at(&h, 20 * NS_PER_MS);
	h.m->rd.overload = true;
	rq->avg_idle_ns = 1000000;
	hand_sleep(&h, 0);
	assert_ptr_not_equal(rq->curr, rq->idle);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 2);
	assert_int_equal(rq->idle_stamp_ns, 0);
	hand_free(&h);
}

/*
 * A CPU of half the speed runs a real-time task for 1.5 s, then nothing: it had no idle time, so what
 * its PELT clock was behind is lost. 6.1 sees that after fair tasks only.
 */
static void test_an_always_busy_cpu_shows_no_idle_time(void **state)
{
	static const struct {
		const char *kernel;
		bool real_time, is_lost;
	} rows[] = {
		{"6.1", true, false},
		{"6.1", false, true},
		{"6.1-debian", true, true},
		{"6.1-debian", false, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[80];
		struct rq *rq;

		snprintf(text, sizeof(text), "%s,sched_rt_runtime_us=-1", rows[i].kernel);
		hand_init(&h, text, 1, 1, 1);
		rq = hand_rq(&h, 0);
		rq->cpu_capacity_orig = 512;
		if (rows[i].real_time)
			hand_rt_running(&h, 0, 50, 0);
		else
			hand_tasks(&h, 0, 1);
		for (uint64_t ms = 4; ms <= 1500; ms += 4) {
			hand_at(&h, ms * NS_PER_MS);
			sched_tick(hand_k(&h, 0));
		}
		hand_sleep(&h, 0);
		assert_ptr_equal(rq->curr, rq->idle);
		assert_int_equal(rq->pelt.lost_idle_time_ns, rows[i].is_lost ? 750 * NS_PER_MS : 0);
		hand_free(&h);
	}
}

/* An idle CPU that finds nothing goes idle anew, up to 6.1, or just stays idle. */
static void test_an_idle_cpu_that_finds_nothing(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t goidle;
	} rows[] = {{"5.4", 1}, {"6.1", 1}, {"6.12", 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		rq = hand_rq(&h, 0);
		hand_at(&h, NS_PER_MS);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(rq->curr, rq->idle);
		assert_int_equal(rq->stats.sched_count, 1);
		assert_int_equal(rq->stats.sched_goidle, rows[i].goidle);
		/* after a task it is gone to in each */
		hand_tasks(&h, 0, 1);
		hand_sleep(&h, 0);
		assert_ptr_equal(rq->curr, rq->idle);
		assert_int_equal(rq->stats.sched_goidle, rows[i].goidle + 1);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_throttled_deadline_task_lets_real_time_ones_come),
		cmocka_unit_test(test_a_fair_task_comes_before_the_cpu_idles),
		cmocka_unit_test(test_an_always_busy_cpu_shows_no_idle_time),
		cmocka_unit_test(test_an_idle_cpu_that_finds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
