/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four CPUs of one cache; a CPU that "goes idle" here is one that never ran anything. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"

static struct hand h;

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 4, 1);
	/* long after the last look, so that 2.6.35's rate limit lets go */
	for (uint32_t i = 0; i < 4; i++)
		hand_rq(&h, i)->clock_ns = HAND_START_NS;
}

static uint32_t owner(void)
{
	return h.m->nohz.load_balancer;
}

static void test_the_first_to_stop_its_tick_keeps_it_for_all(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};

	for (int v = 0; v < 3; v++) {
		start(kernels[v]);
		hand_tasks(&h, 0, 1);
		assert_false(sched_idle_stop_tick(hand_k(&h, 2)));
		assert_int_equal(owner(), 2);
		assert_false(hand_rq(&h, 2)->tick_stopped);
		assert_true(sched_idle_stop_tick(hand_k(&h, 1)));
		assert_true(hand_rq(&h, 1)->tick_stopped);
		assert_true(sched_idle_stop_tick(hand_k(&h, 3)));
		assert_int_equal(owner(), 2);
		assert_int_equal(h.m->nohz.ncpus, 3);
		hand_free(&h);
	}
}

/* When the last CPU goes idle too nobody balances; an owner still ticking is told at its tick. */
static void test_nobody_owns_a_machine_that_is_all_idle(void **state)
{
	start("2.6.34");
	assert_false(sched_idle_stop_tick(hand_k(&h, 2)));
	assert_true(sched_idle_stop_tick(hand_k(&h, 1)));
	assert_true(sched_idle_stop_tick(hand_k(&h, 3)));
	assert_true(sched_idle_stop_tick(hand_k(&h, 0)));
	assert_int_equal(owner(), 2);
	/* the owner's tick: no softirq, but a kick to itself */
	sched_tick(hand_k(&h, 2));
	assert_false(sched_softirq_pending(hand_k(&h, 2)));
	assert_true(sched_need_resched(hand_k(&h, 2)));
	sched_schedule(hand_k(&h, 2));
	assert_true(sched_idle_stop_tick(hand_k(&h, 2)));
	assert_int_equal(owner(), CPU_NONE);
	hand_free(&h);
}

static void test_a_restart_of_the_tick_leaves_the_set(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	sched_idle_stop_tick(hand_k(&h, 2));
	sched_idle_stop_tick(hand_k(&h, 1));
	sched_idle_restart_tick(hand_k(&h, 1));
	assert_false(mask_test(h.m->nohz.cpu_mask, 1));
	assert_int_equal(h.m->nohz.ncpus, 1);
	/* the owner never stopped its tick: nothing to restart, it stays in and owner */
	sched_idle_restart_tick(hand_k(&h, 2));
	assert_true(mask_test(h.m->nohz.cpu_mask, 2));
	assert_int_equal(owner(), 2);
	hand_free(&h);
}

/* The owner's first busy tick hands the duty on: the first CPU of the set is kicked. */
static void test_a_busy_owner_gives_up_and_kicks_the_first_of_the_set(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	sched_idle_stop_tick(hand_k(&h, 2));
	sched_idle_stop_tick(hand_k(&h, 3));
	sched_idle_stop_tick(hand_k(&h, 1));
	hand_tasks(&h, 2, 1);
	assert_int_equal(owner(), 2);
	sched_tick(hand_k(&h, 2));
	assert_int_equal(owner(), CPU_NONE);
	assert_false(mask_test(h.m->nohz.cpu_mask, 2));
	assert_false(hand_rq(&h, 2)->in_nohz_recently);
	assert_int_equal(h.ipis[1], 1);
	assert_int_equal(h.ipis[3], 0);
	/* the kicked CPU restarts its tick, finds nothing to run, and takes the duty */
	sched_idle_restart_tick(hand_k(&h, 1));
	sched_schedule(hand_k(&h, 1));
	assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
	assert_int_equal(owner(), 1);
	/* a second busy tick does nothing more */
	sched_tick(hand_k(&h, 2));
	assert_int_equal(h.ipis[1], 1);
	hand_free(&h);
}

/* A CPU that idled recently and is busy now looks even if it was not the owner. */
static void test_any_cpu_back_from_idling_may_name_an_owner(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	sched_idle_stop_tick(hand_k(&h, 2));
	sched_idle_stop_tick(hand_k(&h, 3));
	sched_idle_stop_tick(hand_k(&h, 1));
	h.m->nohz.load_balancer = CPU_NONE;
	sched_idle_restart_tick(hand_k(&h, 3));
	hand_tasks(&h, 3, 1);
	sched_tick(hand_k(&h, 3));
	assert_int_equal(h.ipis[1], 1);
	/* CPU 0 never idled: its tick names nobody */
	hand_rq(&h, 1)->idle->need_resched = false;
	sched_tick(hand_k(&h, 0));
	assert_int_equal(h.ipis[1], 1);
	hand_free(&h);
}

/* The kick only tries the lock. */
static void test_a_kick_is_lost_when_the_lock_is_taken(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	sched_idle_stop_tick(hand_k(&h, 2));
	sched_idle_stop_tick(hand_k(&h, 1));
	hand_tasks(&h, 2, 1);
	rq_lock(hand_k(&h, 3), hand_rq(&h, 1));
	sched_tick(hand_k(&h, 2));
	rq_unlock(hand_k(&h, 3), hand_rq(&h, 1));
	assert_int_equal(h.ipis[1], 0);
	assert_int_equal(owner(), CPU_NONE);
	hand_free(&h);
}

/* Idle and in the set, but not the owner: no softirq. The owner and busy CPUs raise it. */
static void test_who_raises_the_softirq(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	sched_idle_stop_tick(hand_k(&h, 2));
	sched_idle_stop_tick(hand_k(&h, 1));
	for (uint32_t i = 0; i < 4; i++)
		sched_tick(hand_k(&h, i));
	assert_true(sched_softirq_pending(hand_k(&h, 0)));
	assert_false(sched_softirq_pending(hand_k(&h, 1)));
	assert_true(sched_softirq_pending(hand_k(&h, 2)));
	assert_true(sched_softirq_pending(hand_k(&h, 3)));
	hand_free(&h);
}

static void test_no_softirq_before_next_balance_or_without_domains(void **state)
{
	start("2.6.35");
	hand_tasks(&h, 0, 1);
	hand_rq(&h, 0)->next_balance = HAND_START_NS / NS_PER_MS + 1;
	sched_tick(hand_k(&h, 0));
	assert_false(sched_softirq_pending(hand_k(&h, 0)));
	hand_at(&h, NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	assert_true(sched_softirq_pending(hand_k(&h, 0)));
	hand_free(&h);
	hand_init(&h, "2.6.35", 1, 1, 1);
	sched_tick(hand_k(&h, 0));
	assert_false(sched_softirq_pending(hand_k(&h, 0)));
	hand_free(&h);
}

static void test_pending_work_keeps_the_tick(void **state)
{
	start("2.6.34");
	hand_tasks(&h, 0, 1);
	hand_rq(&h, 1)->idle->need_resched = true;
	assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
	hand_rq(&h, 1)->idle->need_resched = false;
	h.m->cpus[1].softirq_pending |= SOFTIRQ_SCHED;
	assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
	assert_int_equal(owner(), CPU_NONE);
	assert_false(hand_rq(&h, 1)->in_nohz_recently);
	hand_free(&h);
}

/* Half a tick must have passed since the last look, by the queue's own sampled clock. */
static void test_the_tick_is_kept_for_half_a_tick(void **state)
{
	static const struct {
		const char *kernel;
		bool limited;
	} rows[] = {{"2.6.34", false},
		    {"2.6.35-rc2", true},
		    {"2.6.35", true},
		    {"2.6.35,-nohz-ratelimit", false}};

	for (int i = 0; i < 4; i++) {
		struct rq *rq;

		start(rows[i].kernel);
		hand_tasks(&h, 0, 1);
		rq = hand_rq(&h, 1);
		h.m->nohz.load_balancer = 3;
		rq->nohz_stamp_ns = HAND_START_NS - 499999;
		assert_int_equal(sched_idle_stop_tick(hand_k(&h, 1)), !rows[i].limited);
		if (rows[i].limited) {
			assert_int_equal(rq->nohz_stamp_ns, HAND_START_NS);
			/* the stamp moved, and so must the clock before it is asked again */
			assert_false(sched_idle_stop_tick(hand_k(&h, 1)));
			rq->clock_ns += 500000;
			assert_true(sched_idle_stop_tick(hand_k(&h, 1)));
		}
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_to_stop_its_tick_keeps_it_for_all),
		cmocka_unit_test(test_nobody_owns_a_machine_that_is_all_idle),
		cmocka_unit_test(test_a_restart_of_the_tick_leaves_the_set),
		cmocka_unit_test(test_a_busy_owner_gives_up_and_kicks_the_first_of_the_set),
		cmocka_unit_test(test_any_cpu_back_from_idling_may_name_an_owner),
		cmocka_unit_test(test_a_kick_is_lost_when_the_lock_is_taken),
		cmocka_unit_test(test_who_raises_the_softirq),
		cmocka_unit_test(test_no_softirq_before_next_balance_or_without_domains),
		cmocka_unit_test(test_pending_work_keeps_the_tick),
		cmocka_unit_test(test_the_tick_is_kept_for_half_a_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
