/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sockets of two cores of two threads: core 0 is CPUs 0 and 4, CPU 1 is beside it. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"

static struct hand h;

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

/* All CPUs idle without a tick, 20 ticks after the start. */
static void start(const char *kernel)
{
	hand_init(&h, kernel, 2, 2, 2);
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		assert_true(sched_idle_stop_tick(hand_k(&h, i)));
	hand_at(&h, 20 * h.m->tick_ns);
	h.m->nohz.next_balance = 0;
}

static void run_on(uint32_t cpu, uint32_t n)
{
	sched_idle_restart_tick(hand_k(&h, cpu));
	hand_tasks(&h, cpu, n);
	memset(h.ipis, 0, sizeof(h.ipis));
}

static uint32_t nr_busy(uint32_t cpu, uint32_t level)
{
	return hand_sd(&h, cpu, level)->groups->nr_busy_cpus;
}

/* A CPU counts as busy until it idles, and again only from its first busy tick on. */
static void test_who_counts_as_busy(void **state)
{
	for (int v = 0; v < 4; v++) {
		start(kernels[v]);
		assert_int_equal(h.m->nohz.ncpus, 8);
		for (uint32_t level = 0; level < 3; level++)
			assert_int_equal(nr_busy(0, level), 0);
		run_on(0, 1);
		assert_int_equal(nr_busy(0, 1), 0);
		assert_int_equal(h.m->nohz.ncpus, 8);
		sched_tick(hand_k(&h, 0));
		for (uint32_t level = 0; level < 3; level++)
			assert_int_equal(nr_busy(0, level), 1);
		assert_int_equal(h.m->nohz.ncpus, 7);
		assert_false(mask_test(h.m->nohz.cpu_mask, 0));
		/* idle again: out at once, even if the tick cannot stop */
		hand_sleep(&h, 0);
		hand_k(&h, 0)->cpu->softirq_pending |= SOFTIRQ_SCHED;
		assert_false(sched_idle_stop_tick(hand_k(&h, 0)));
		assert_int_equal(nr_busy(0, 1), 0);
		assert_int_equal(h.m->nohz.ncpus, 7);
		hand_free(&h);
	}
}

/* Even one that finds work at once has idled. */
static void test_the_shortest_idling_counts(void **state)
{
	start("3.4");
	run_on(0, 1);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(nr_busy(0, 1), 1);
	hand_sleep(&h, 0);
	hand_task(&h, 0, 0);
	assert_true(sched_need_resched(hand_k(&h, 0)));
	sched_idle_restart_tick(hand_k(&h, 0));
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(nr_busy(0, 1), 0);
	hand_free(&h);
}

static void test_who_kicks(void **state)
{
	for (int v = 0; v < 4; v++) {
		start(kernels[v]);
		/* alone on its core: nothing to give */
		run_on(0, 1);
		sched_tick(hand_k(&h, 0));
		assert_int_equal(h.ipis[1], 0);
		/* two tasks: the first idle CPU is kicked, once */
		run_on(0, 1);
		sched_tick(hand_k(&h, 0));
		assert_int_equal(h.ipis[1], 1);
		assert_true(hand_rq(&h, 1)->nohz_kicked);
		assert_int_equal(h.m->nohz.next_balance, 1);
		sched_tick(hand_k(&h, 0));
		assert_int_equal(h.ipis[1], 1);
		assert_int_equal(h.m->nohz.next_balance, 2);
		hand_free(&h);
	}
}

static void test_two_busy_threads_of_a_core_kick(void **state)
{
	start("3.3");
	run_on(0, 1);
	sched_tick(hand_k(&h, 0));
	run_on(4, 1);
	/* the second thread is not known to be busy before its tick */
	sched_tick(hand_k(&h, 0));
	assert_int_equal(h.ipis[1], 0);
	sched_tick(hand_k(&h, 4));
	assert_int_equal(h.ipis[1], 1);
	hand_free(&h);
}

/* Two cores busy with one task each, or two sockets, are no reason. */
static void test_busy_neighbours_do_not_kick(void **state)
{
	start("3.4");
	for (uint32_t i = 0; i < 4; i++) {
		run_on(i, 1);
		sched_tick(hand_k(&h, i));
	}
	for (uint32_t i = 0; i < 4; i++)
		sched_tick(hand_k(&h, i));
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(h.ipis[i], 0);
	hand_free(&h);
}

static void test_when_nobody_is_kicked(void **state)
{
	start("3.3");
	run_on(0, 2);
	h.m->nohz.next_balance = jiffies(hand_k(&h, 0)) + 1;
	sched_tick(hand_k(&h, 0));
	assert_int_equal(h.ipis[1], 0);
	assert_int_equal(h.m->nohz.next_balance, jiffies(hand_k(&h, 0)) + 1);
	/* the first of the mask is not idle any more: nobody else is asked */
	h.m->nohz.next_balance = jiffies(hand_k(&h, 0));
	run_on(1, 1);
	sched_tick(hand_k(&h, 0));
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(h.ipis[i], 0);
	assert_int_equal(h.m->nohz.next_balance, jiffies(hand_k(&h, 0)) + 1);
	hand_free(&h);
}

/* The kicked CPU balances for itself, due or not, and for the others; then says when next. */
static void test_the_kicked_balances_for_all(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct rq *rq;

		start(kernels[v]);
		run_on(0, 2);
		sched_tick(hand_k(&h, 0));
		rq = hand_rq(&h, 1);
		rq->next_balance = jiffies(hand_k(&h, 0)) + 100;
		sched_ipi(hand_k(&h, 1));
		assert_true(sched_softirq_pending(hand_k(&h, 1)));
		sched_softirq(hand_k(&h, 1));
		assert_int_equal(hand_sd(&h, 1, 0)->stats.lb_count[CPU_IDLE], 1);
		/* a task came: the rest of the idle CPUs is left to it */
		assert_true(rq->curr->need_resched == (rq->nr_running > 0));
		assert_false(rq->nohz_kicked);
		assert_int_equal(h.m->nohz.next_balance, rq->next_balance);
		hand_free(&h);
	}
}

static void test_all_idle_cpus_are_balanced(void **state)
{
	start("3.3");
	run_on(0, 1);
	hand_rq(&h, 1)->nohz_kicked = true;
	sched_ipi(hand_k(&h, 1));
	sched_softirq(hand_k(&h, 1));
	assert_int_equal(hand_sd(&h, 0, 0)->stats.lb_count[CPU_IDLE], 0);
	for (uint32_t i = 1; i < 8; i++) {
		assert_int_equal(hand_sd(&h, i, 0)->stats.lb_count[CPU_IDLE], 1);
		/* own loads only, whoever is balanced for */
		assert_int_equal(hand_rq(&h, i)->nr_load_updates, i == 1 ? 6 : 0);
	}
	hand_free(&h);
}

/* It got work before the interrupt: no balancing, and the mark stays until its next softirq. */
static void test_a_kick_that_comes_too_late(void **state)
{
	start("3.3");
	run_on(0, 2);
	sched_tick(hand_k(&h, 0));
	run_on(1, 1);
	sched_ipi(hand_k(&h, 1));
	assert_false(sched_softirq_pending(hand_k(&h, 1)));
	assert_true(hand_rq(&h, 1)->nohz_kicked);
	hand_rq(&h, 1)->idle_at_tick = false;
	h.m->cpus[1].softirq_pending = SOFTIRQ_SCHED;
	sched_softirq(hand_k(&h, 1));
	assert_false(hand_rq(&h, 1)->nohz_kicked);
	assert_int_equal(hand_sd(&h, 2, 0)->stats.lb_count[CPU_IDLE], 0);
	hand_free(&h);
}

/* A CPU without domains is busy like any other, only it kicks nobody. */
static void test_a_cpu_without_domains_leaves_the_mask(void **state)
{
	start("3.3");
	run_on(0, 2);
	hand_rq(&h, 0)->sd = NULL;
	sched_tick(hand_k(&h, 0));
	assert_false(mask_test(h.m->nohz.cpu_mask, 0));
	assert_int_equal(h.ipis[1], 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_counts_as_busy),
		cmocka_unit_test(test_the_shortest_idling_counts),
		cmocka_unit_test(test_who_kicks),
		cmocka_unit_test(test_two_busy_threads_of_a_core_kick),
		cmocka_unit_test(test_busy_neighbours_do_not_kick),
		cmocka_unit_test(test_when_nobody_is_kicked),
		cmocka_unit_test(test_the_kicked_balances_for_all),
		cmocka_unit_test(test_all_idle_cpus_are_balanced),
		cmocka_unit_test(test_a_kick_that_comes_too_late),
		cmocka_unit_test(test_a_cpu_without_domains_leaves_the_mask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
