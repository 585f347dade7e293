/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fair server: who starves for 950 ms runs for 50 ms, above real-time tasks. */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

static struct hand h;
static struct kctx *k;
static struct rq *rq;
static struct dl_entity *s;

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 1, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
	s = &rq->dl.server;
}

static uint32_t timer(void)
{
	return ktimer_fair_server(h.m, 0);
}

/* Time of the server's timer after the start, in us; 0: it is not armed. */
static uint64_t timer_us(void)
{
	uint64_t at_ns = h.timer_ns[timer()];

	return at_ns ? (at_ns - HAND_START_NS) / NS_PER_US : 0;
}

static void run_until(uint64_t ns)
{
	hand_at(&h, ns);
	sched_tick(k);
	if (rq->curr->need_resched)
		sched_schedule(k);
}

static void fire_at(uint64_t ns)
{
	hand_at(&h, ns);
	hand_fire(&h, timer());
	if (rq->curr->need_resched)
		sched_schedule(k);
}

/* A real-time task runs, a fair one waits. */
static void starve(const char *kernel, struct task **rt, struct task **fair)
{
	start(kernel);
	*rt = hand_rt_running(&h, 0, 50, 0);
	*fair = hand_task(&h, 0, 0);
	if (rq->curr->need_resched)
		sched_schedule(k);
	assert_ptr_equal(rq->curr, *rt);
	assert_true(s->server_active);
	assert_true(s->defer_armed);
	assert_int_equal(timer_us(), 950000);
}

static void test_a_starved_task_runs_at_the_last_moment(void **state)
{
	struct task *rt, *fair;

	starve("6.12-debian", &rt, &fair);
	run_until(900 * NS_PER_MS);
	assert_ptr_equal(rq->curr, rt);
	fire_at(950 * NS_PER_MS);
	assert_ptr_equal(rq->curr, fair);
	assert_true(s->queued);
	assert_true(s->defer_running);
	/* not even a new real-time task goes before it */
	hand_rt_task(&h, 0, 99);
	sched_schedule(k);
	assert_ptr_equal(rq->curr, fair);
	assert_int_equal(rq->nr_running, 3);
	sched_audit(h.m);
	/* its runtime is used up: it waits for its next period, which begins at the deadline */
	run_until(999 * NS_PER_MS);
	assert_ptr_equal(rq->curr, fair);
	run_until(1000 * NS_PER_MS);
	assert_ptr_not_equal(rq->curr, fair);
	assert_true(s->throttled);
	assert_int_equal(timer_us(), 1000000);
	/* no deferral in the next one: the task still starves */
	fire_at(1000 * NS_PER_MS);
	assert_ptr_equal(rq->curr, fair);
	assert_int_equal(s->runtime_ns, 50 * NS_PER_MS);
	hand_free(&h);
}

static void test_who_ran_by_itself_puts_the_server_off(void **state)
{
	struct task *rt, *fair;

	starve("6.12-debian", &rt, &fair);
	/* the real-time task sleeps for 20 ms */
	hand_at(&h, 100 * NS_PER_MS);
	hand_sleep(&h, 0);
	assert_ptr_equal(rq->curr, fair);
	run_until(120 * NS_PER_MS);
	sched_wake(k, rt, 0);
	sched_schedule(k);
	assert_ptr_equal(rq->curr, rt);
	assert_int_equal(s->runtime_ns, 30 * NS_PER_MS);
	/* only when the timer fires it sees that 20 ms less are needed */
	fire_at(950 * NS_PER_MS);
	assert_ptr_equal(rq->curr, rt);
	assert_int_equal(timer_us(), 970000);
	fire_at(970 * NS_PER_MS);
	assert_ptr_equal(rq->curr, fair);
	hand_free(&h);
}

static void test_a_whole_runtime_by_itself_begins_a_new_period(void **state)
{
	struct task *rt, *fair;

	starve("6.12-debian", &rt, &fair);
	hand_sleep(&h, 0);
	run_until(40 * NS_PER_MS);
	assert_int_equal(timer_us(), 950000);
	run_until(52 * NS_PER_MS);
	/* from now on: 52 + 950 */
	assert_int_equal(timer_us(), 1002000);
	assert_int_equal(s->runtime_ns, 50 * NS_PER_MS);
	assert_true(s->defer_armed);
	hand_free(&h);
}

static void test_when_the_last_fair_task_sleeps(void **state)
{
	static const struct {
		const char *kernel;
		bool stays;
	} rows[] = {{"6.12", false}, {"6.12-debian", true}, {"6.12,+server-stays", true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		start(rows[i].kernel);
		p = hand_task(&h, 0, 0);
		sched_schedule(k);
		assert_true(s->server_active);
		hand_at(&h, 10 * NS_PER_MS);
		hand_sleep(&h, 0);
		assert_ptr_equal(rq->curr, rq->idle);
		assert_int_equal(s->server_active, rows[i].stays);
		assert_int_equal(timer_us() != 0, rows[i].stays);
		/* idle time counts as if a fair task had run */
		hand_at(&h, 25 * NS_PER_MS);
		sched_wake(k, p, 0);
		sched_schedule(k);
		assert_true(s->server_active);
		assert_int_equal(s->runtime_ns, 25 * NS_PER_MS);
		/* all of it, and more */
		hand_sleep(&h, 0);
		hand_at(&h, 125 * NS_PER_MS);
		sched_wake(k, p, 0);
		sched_schedule(k);
		assert_true(s->runtime_ns >= 0);
		assert_false(s->defer_running);
		hand_free(&h);
	}
}

/* The only way it ends in the stable tree: it is to run and there is nothing to run. */
static void test_a_server_that_finds_nothing_stops(void **state)
{
	struct task *rt, *fair;

	starve("6.12-debian", &rt, &fair);
	hand_sleep(&h, 0);
	hand_at(&h, NS_PER_MS);
	hand_sleep(&h, 0);
	assert_true(s->server_active);
	sched_wake(k, rt, 0);
	sched_schedule(k);
	fire_at(970 * NS_PER_MS);
	assert_ptr_equal(rq->curr, rt);
	assert_false(s->server_active);
	assert_int_equal(timer_us(), 0);
	hand_free(&h);
}

/* Where it finds the CPU idle, that does not balance: its last idling is still the same. */
static void test_an_idle_cpu_does_not_balance_for_it(void **state)
{
	uint64_t idle_stamp_ns;

	start("6.12-debian");
	hand_tasks(&h, 0, 1);
	hand_at(&h, NS_PER_MS);
	hand_sleep(&h, 0);
	assert_true(s->server_active);
	idle_stamp_ns = rq->idle_stamp_ns;
	assert_true(idle_stamp_ns > 0);
	fire_at(970 * NS_PER_MS);
	assert_ptr_equal(rq->curr, rq->idle);
	assert_false(s->server_active);
	assert_int_equal(rq->idle_stamp_ns, idle_stamp_ns);
	hand_free(&h);
}

static void test_without_starvation_it_only_looks_on(void **state)
{
	start("6.12-debian");
	hand_tasks(&h, 0, 2);
	for (uint64_t ms = 4; ms < 3000; ms += 4) {
		hand_at(&h, ms * NS_PER_MS);
		if (h.timer_ns[timer()] && h.timer_ns[timer()] <= k->now_ns)
			hand_fire(&h, timer());
		run_until(ms * NS_PER_MS);
		assert_false(s->queued);
		assert_false(s->defer_running);
	}
	hand_free(&h);
}

static void test_who_throttles_real_time_tasks(void **state)
{
	static const struct {
		const char *kernel;
		bool throttled, served;
	} rows[] = {
		{"6.1", true, false},
		{"6.12", false, true},
		{"6.12,-no-rt-throttle,-fair-server", true, false},
		{"6.12,-fair-server", false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(rows[i].kernel);
		hand_rt_running(&h, 0, 50, 0);
		hand_task(&h, 0, 0);
		for (uint64_t ms = 4; ms <= 960; ms += 4)
			run_until(ms * NS_PER_MS);
		assert_int_equal(rq->rt.throttled, rows[i].throttled);
		assert_int_equal(s->server_active, rows[i].served);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_starved_task_runs_at_the_last_moment),
		cmocka_unit_test(test_who_ran_by_itself_puts_the_server_off),
		cmocka_unit_test(test_a_whole_runtime_by_itself_begins_a_new_period),
		cmocka_unit_test(test_when_the_last_fair_task_sleeps),
		cmocka_unit_test(test_a_server_that_finds_nothing_stops),
		cmocka_unit_test(test_an_idle_cpu_does_not_balance_for_it),
		cmocka_unit_test(test_without_starvation_it_only_looks_on),
		cmocka_unit_test(test_who_throttles_real_time_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
