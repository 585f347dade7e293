/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole balancing attempts: what moves, what is counted, what is returned. */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;
static uint64_t own_cpu[MASK_WORDS(64)];

static void settle_loads(void)
{
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		for (int j = 0; j < CPU_LOAD_IDX_MAX; j++)
			hand_rq(&h, i)->cpu_load[j] = hand_rq(&h, i)->load.weight;
}

static void start(const char *kernel, uint32_t cores, uint32_t threads, const uint32_t *n)
{
	hand_init(&h, kernel, 1, cores, threads);
	for (uint32_t i = 0; i < cores * threads; i++)
		hand_tasks(&h, i, n[i]);
	settle_loads();
}

static int32_t balance(uint32_t cpu, uint32_t level, enum cpu_idle_type idle)
{
	bool should_balance = true;

	return h.v.lb->load_balance(hand_k(&h, cpu), cpu, hand_sd(&h, cpu, level), idle,
				    &should_balance);
}

static const struct domain_stats *stats(uint32_t cpu, uint32_t level)
{
	return &hand_sd(&h, cpu, level)->stats;
}

/* Every task of CPU may run there only. */
static void pin_all(uint32_t cpu)
{
	struct mask *m = mask_init(own_cpu, h.m->ncpus);

	mask_set(m, cpu);
	for (uint32_t i = 0; i < h.m->ntasks; i++)
		if (h.m->tasks[i].cpu == cpu)
			h.m->tasks[i].allowed = m;
}

/* 4 move; the rest of the amount fits no task, so the queue counts as pinned and is given up. */
static void test_four_against_thirteen_moves_four_and_ends_as_pinned(void **state)
{
	static const char *const kernels[] = {"2.6.35", "2.6.34,-stale-h-load"};
	static const uint32_t n[] = {4, 13};

	for (int v = 0; v < 2; v++) {
		const struct domain_stats *s;

		start(kernels[v], 1, 2, n);
		s = stats(0, 0);
		hand_sd(&h, 0, 0)->nr_balance_failed = 3;
		assert_int_equal(balance(0, 0, CPU_NOT_IDLE), -1);
		assert_int_equal(hand_rq(&h, 0)->nr_running, 8);
		assert_int_equal(hand_rq(&h, 1)->nr_running, 9);
		assert_int_equal(s->lb_count[CPU_NOT_IDLE], 1);
		assert_int_equal(s->lb_gained[CPU_NOT_IDLE], 4);
		assert_int_equal(s->lb_imbalance[CPU_NOT_IDLE], 4607);
		assert_int_equal(s->lb_balanced[CPU_NOT_IDLE], 1);
		assert_int_equal(s->lb_nobusyg[CPU_NOT_IDLE], 1);
		assert_int_equal(s->lb_failed[CPU_NOT_IDLE], 0);
		assert_int_equal(hand_sd(&h, 0, 0)->nr_balance_failed, 0);
		assert_int_equal(hand_sd(&h, 0, 0)->balance_interval_ms, 2);
		hand_free(&h);
	}
}

static void test_six_against_seven_moves_one(void **state)
{
	static const char *const kernels[] = {"2.6.31", "2.6.35", "2.6.34,-stale-h-load"};
	static const uint32_t n[] = {6, 7};

	for (int v = 0; v < 3; v++) {
		start(kernels[v], 1, 2, n);
		assert_int_equal(balance(0, 0, CPU_NOT_IDLE), 1);
		assert_int_equal(hand_rq(&h, 0)->nr_running, 7);
		assert_int_equal(hand_rq(&h, 1)->nr_running, 6);
		assert_int_equal(stats(0, 0)->lb_gained[CPU_NOT_IDLE], 1);
		assert_int_equal(stats(0, 0)->lb_failed[CPU_NOT_IDLE], 0);
		assert_int_equal(hand_sd(&h, 0, 0)->balance_interval_ms, 1);
		hand_free(&h);
	}
}

/*
 * With h_load 0 the amount is 1024 x 7168 / 1 = 7340032: all but the running task move, what
 * moved is booked as 0, and the pass counts as failed.
 */
static void test_stale_h_load_moves_all_and_calls_it_a_failure(void **state)
{
	static const char *const kernels[] = {"2.6.32", "2.6.34", "2.6.35-rc2",
					      "2.6.35,+stale-h-load"};
	static const uint32_t n[] = {6, 7};

	for (int v = 0; v < 4; v++) {
		start(kernels[v], 1, 2, n);
		assert_int_equal(balance(0, 0, CPU_NOT_IDLE), -1);
		assert_int_equal(hand_rq(&h, 0)->nr_running, 12);
		assert_int_equal(hand_rq(&h, 1)->nr_running, 1);
		assert_int_equal(stats(0, 0)->lb_gained[CPU_NOT_IDLE], 6);
		assert_int_equal(stats(0, 0)->lb_failed[CPU_NOT_IDLE], 1);
		assert_int_equal(stats(0, 0)->lb_balanced[CPU_NOT_IDLE], 0);
		assert_int_equal(stats(0, 0)->lb_imbalance[CPU_NOT_IDLE], 1024);
		assert_int_equal(hand_sd(&h, 0, 0)->nr_balance_failed, 1);
		hand_free(&h);
	}
}

/* Where no threads share a core the same failure is 0. */
static void test_a_failure_outside_smt_is_zero(void **state)
{
	static const uint32_t n[] = {2, 7};

	start("2.6.34", 2, 1, n);
	assert_int_equal(balance(0, 0, CPU_NOT_IDLE), 0);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 1);
	assert_int_equal(stats(0, 0)->lb_failed[CPU_NOT_IDLE], 1);
	hand_free(&h);
}

/* A group anywhere cures it: then h_load is computed. */
static void test_with_a_group_h_load_is_right_in_stale_kernels_too(void **state)
{
	static const uint32_t n[] = {6, 7};

	start("2.6.34", 1, 2, n);
	hand_group(&h, NULL, "/a");
	assert_int_equal(balance(0, 0, CPU_NOT_IDLE), 1);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 7);
	hand_free(&h);
}

/* One more than nr_migrate tasks are looked at, newest first; the running one is the oldest. */
static void test_thirty_three_tasks_are_examined(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t gained;
	} rows[] = {{"2.6.34", 33}, {"2.6.34,sched_nr_migrate=8", 9}};
	static const uint32_t n[] = {1, 60};

	for (int i = 0; i < 2; i++) {
		start(rows[i].kernel, 1, 2, n);
		balance(0, 0, CPU_NOT_IDLE);
		assert_int_equal(stats(0, 0)->lb_gained[CPU_NOT_IDLE], rows[i].gained);
		hand_free(&h);
	}
}

/* A preemptible kernel going idle takes one task and leaves. */
static void test_newly_idle_and_preemptible_takes_one(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint32_t gained;
	} rows[] = {
		{"2.6.34,preempt=full", CPU_NEWLY_IDLE, 1},
		{"2.6.34,preempt=voluntary", CPU_NEWLY_IDLE, 9},
		{"2.6.34", CPU_NEWLY_IDLE, 9},
		{"2.6.34,preempt=full", CPU_IDLE, 9},
		{"2.6.35,preempt=full", CPU_NEWLY_IDLE, 1},
		{"2.6.35", CPU_NEWLY_IDLE, 5},
	};
	static const uint32_t n[] = {0, 10};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(rows[i].kernel, 1, 2, n);
		balance(0, 0, rows[i].idle);
		assert_int_equal(stats(0, 0)->lb_gained[rows[i].idle], rows[i].gained);
		hand_free(&h);
	}
}

/* Weights 1024 and 423 against 1024 at 110 %: imbalance 211, of which 210 remain; both are too big. */
static void test_the_size_test_with_group_scheduling(void **state)
{
	static const uint32_t n[] = {1, 1};

	start("2.6.35", 2, 1, n);
	hand_task(&h, 1, 4);
	settle_loads();
	hand_sd(&h, 0, 0)->imbalance_pct = 110;
	assert_int_equal(balance(0, 0, CPU_NOT_IDLE), 0);
	assert_int_equal(stats(0, 0)->lb_gained[CPU_NOT_IDLE], 0);
	assert_int_equal(stats(0, 0)->lb_imbalance[CPU_NOT_IDLE], 211);
	/* never asked: all pinned, so balanced, not failed */
	assert_int_equal(stats(0, 0)->lb_failed[CPU_NOT_IDLE], 0);
	assert_int_equal(stats(0, 0)->lb_balanced[CPU_NOT_IDLE], 1);
	hand_free(&h);
}

struct result_row {
	uint32_t cores, level;
	uint32_t n[4];
	enum cpu_idle_type idle;
	int32_t result;
};

/* Two threads a core. -1: nothing moved in an SMT domain where somebody is busy. */
static void test_minus_one_says_that_a_sibling_is_busy(void **state)
{
	static const struct result_row rows[] = {
		{1, 0, {0, 0}, CPU_NEWLY_IDLE, 0},
		{1, 0, {0, 1}, CPU_NEWLY_IDLE, -1},
		{1, 0, {0, 0}, CPU_IDLE, 0},
		{1, 0, {0, 1}, CPU_IDLE, -1},
		/* not idle: always, even when all is balanced */
		{1, 0, {1, 0}, CPU_NOT_IDLE, -1},
		{1, 0, {1, 1}, CPU_NOT_IDLE, -1},
		/* moved: 1 whatever the siblings do */
		{1, 0, {0, 2}, CPU_NEWLY_IDLE, 1},
		/* above SMT: never */
		{2, 1, {1, 1, 1, 1}, CPU_NOT_IDLE, 0},
		{2, 1, {0, 1, 0, 0}, CPU_NEWLY_IDLE, 0},
	};
	static const char *const kernels[] = {"2.6.35", "2.6.34,-stale-h-load"};

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		const struct result_row *r = &rows[i / 2];

		start(kernels[i % 2], r->cores, 2, r->n);
		assert_int_equal(balance(0, r->level, r->idle), r->result);
		hand_free(&h);
	}
}

static void test_the_interval_doubles_to_the_maximum_while_balanced(void **state)
{
	static const uint32_t n[] = {1, 1};
	static const uint32_t after[] = {2, 4, 4, 4};

	start("2.6.35", 2, 1, n);
	for (int i = 0; i < 4; i++) {
		balance(0, 0, CPU_NOT_IDLE);
		assert_int_equal(hand_sd(&h, 0, 0)->balance_interval_ms, after[i]);
	}
	hand_free(&h);
}

/* All pinned: doubled while below 512 ms, far above the level's maximum. */
static void test_the_interval_doubles_to_512_ms_while_pinned(void **state)
{
	static const uint32_t n[] = {1, 5};
	uint32_t expected = 1;

	start("2.6.35", 1, 2, n);
	pin_all(1);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(balance(0, 0, CPU_NOT_IDLE), -1);
		expected = min_u32(2 * expected, 512);
		assert_int_equal(hand_sd(&h, 0, 0)->balance_interval_ms, expected);
	}
	assert_int_equal(stats(0, 0)->lb_balanced[CPU_NOT_IDLE], 12);
	assert_int_equal(stats(0, 0)->lb_failed[CPU_NOT_IDLE], 0);
	assert_int_equal(stats(0, 0)->lb_gained[CPU_NOT_IDLE], 0);
	hand_free(&h);
}

/* CPU 1's tasks are pinned, so the search is repeated and CPU 2 is pulled from. */
static void test_a_pinned_queue_is_left_out_and_the_search_repeated(void **state)
{
	static const uint32_t n[] = {0, 6, 4, 0};

	start("2.6.35", 4, 1, n);
	pin_all(1);
	assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 1);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 6);
	assert_in_range(hand_rq(&h, 2)->nr_running, 2, 3);
	assert_int_equal(stats(0, 0)->lb_count[CPU_NEWLY_IDLE], 1);
	hand_free(&h);
}

/* Tasks pulled for another CPU: it is told. */
static void test_a_cpu_balanced_for_is_rescheduled(void **state)
{
	static const uint32_t n[] = {1, 4, 0, 1};
	bool should_balance = true;

	start("2.6.35", 4, 1, n);
	assert_int_equal(h.v.lb->load_balance(hand_k(&h, 3), 2, hand_sd(&h, 2, 0), CPU_IDLE,
					      &should_balance),
			 1);
	assert_true(hand_rq(&h, 2)->nr_running > 0);
	assert_true(hand_rq(&h, 2)->curr->need_resched);
	hand_free(&h);
}

/* ---- active balance --------------------------------------------------------------- */

/* Two cores of two threads; core 1 (CPUs 1, 3) has one running task each, core 0 nothing. */
static void two_running_on_one_core(const char *kernel)
{
	static const uint32_t n[] = {0, 1, 0, 1};

	start(kernel, 2, 2, n);
}

static void test_the_running_task_is_pushed_after_four_failures(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};

	for (int v = 0; v < 3; v++) {
		struct sched_domain *sd;
		struct task *p;

		two_running_on_one_core(kernels[v]);
		sd = hand_sd(&h, 0, 1);
		p = hand_rq(&h, 1)->curr;
		hand_k(&h, 0)->in_irq = true;
		/* cache_nice_tries 1: more than 3 */
		for (uint32_t i = 1; i <= 3; i++) {
			assert_int_equal(balance(0, 1, CPU_IDLE), 0);
			assert_int_equal(sd->nr_balance_failed, i);
			assert_int_equal(sd->balance_interval_ms, 1);
			assert_false(hand_rq(&h, 1)->active_balance);
		}
		assert_int_equal(balance(0, 1, CPU_IDLE), 0);
		assert_true(hand_rq(&h, 1)->active_balance);
		assert_int_equal(hand_rq(&h, 1)->push_cpu, 0);
		assert_int_equal(sd->nr_balance_failed, 2);
		assert_int_equal(sd->balance_interval_ms, 2);
		assert_int_equal(sd->stats.lb_failed[CPU_IDLE], 4);
		/* already under way: not started again, and the interval starts anew */
		sd->nr_balance_failed = 9;
		assert_int_equal(balance(0, 1, CPU_IDLE), 0);
		assert_int_equal(sd->nr_balance_failed, 2);
		assert_int_equal(sd->balance_interval_ms, 1);
		/* the stopper runs */
		assert_true(hand_rq(&h, 1)->curr->need_resched);
		sched_schedule(hand_k(&h, 1));
		assert_ptr_equal(hand_rq(&h, 1)->curr, hand_rq(&h, 1)->stop);
		sched_stopper_run(hand_k(&h, 1));
		assert_int_equal(p->cpu, 0);
		assert_false(hand_rq(&h, 1)->active_balance);
		assert_int_equal(sd->stats.alb_count, 1);
		assert_int_equal(sd->stats.alb_pushed, 1);
		assert_int_equal(sd->stats.alb_failed, 0);
		assert_ptr_equal(hand_rq(&h, 1)->curr, hand_rq(&h, 1)->idle);
		hand_free(&h);
	}
}

static void test_a_newly_idle_cpu_never_asks_for_it(void **state)
{
	two_running_on_one_core("2.6.35");
	hand_sd(&h, 0, 1)->nr_balance_failed = 100;
	assert_int_equal(balance(0, 1, CPU_NEWLY_IDLE), 0);
	assert_false(hand_rq(&h, 1)->active_balance);
	assert_int_equal(hand_sd(&h, 0, 1)->nr_balance_failed, 101);
	hand_free(&h);
}

/* cache_nice_tries + 2 of every level: 2 at SIBLING, 3 at MC, 4 at NODE. */
static void test_thresholds_by_level(void **state)
{
	for (uint32_t tries = 0; tries <= 2; tries++) {
		for (uint32_t failed = 0; failed < 8; failed++) {
			struct sched_domain *sd;

			two_running_on_one_core("2.6.35");
			sd = hand_sd(&h, 0, 1);
			sd->cache_nice_tries = tries;
			sd->nr_balance_failed = failed;
			hand_k(&h, 0)->in_irq = true;
			balance(0, 1, CPU_IDLE);
			assert_int_equal(hand_rq(&h, 1)->active_balance, failed + 1 > tries + 2);
			hand_free(&h);
		}
	}
}

/* The running task may not come here: pinned, no count of balance, failures stay. */
static void test_one_pinned(void **state)
{
	struct sched_domain *sd;

	two_running_on_one_core("2.6.35");
	pin_all(1);
	sd = hand_sd(&h, 0, 1);
	sd->nr_balance_failed = 3;
	assert_int_equal(balance(0, 1, CPU_IDLE), 0);
	assert_false(hand_rq(&h, 1)->active_balance);
	assert_int_equal(sd->nr_balance_failed, 4);
	assert_int_equal(sd->balance_interval_ms, 2);
	assert_int_equal(sd->stats.lb_failed[CPU_IDLE], 1);
	assert_int_equal(sd->stats.lb_balanced[CPU_IDLE], 0);
	/* as pinned, the interval goes beyond the level's maximum of 4 ms */
	for (int i = 0; i < 3; i++)
		balance(0, 1, CPU_IDLE);
	assert_int_equal(sd->balance_interval_ms, 16);
	hand_free(&h);
}

/* An idle task is bound to its CPU: a queue whose first task has not been switched to yet. */
static void test_an_idle_task_counts_as_pinned(void **state)
{
	static const uint32_t none[] = {0, 0, 0, 0};
	struct sched_domain *sd;

	start("2.6.35", 2, 2, none);
	hand_task(&h, 1, 0);
	hand_task(&h, 3, 0);
	sd = hand_sd(&h, 0, 1);
	sd->nr_balance_failed = 3;
	assert_int_equal(balance(0, 1, CPU_IDLE), 0);
	assert_false(hand_rq(&h, 1)->active_balance);
	assert_int_equal(sd->nr_balance_failed, 4);
	assert_int_equal(sd->balance_interval_ms, 2);
	hand_free(&h);
}

/* One task only, however many there are; the newest first, without a test of size. */
static void test_active_balance_moves_one_task(void **state)
{
	static const uint32_t n[] = {0, 4};
	struct task *newest;
	struct rq *busiest;

	start("2.6.35", 2, 1, n);
	busiest = hand_rq(&h, 1);
	newest = &h.m->tasks[3];
	busiest->active_balance = true;
	busiest->push_cpu = 0;
	rq_lock(hand_k(&h, 1), busiest);
	active_load_balance(hand_k(&h, 1), busiest);
	rq_unlock(hand_k(&h, 1), busiest);
	assert_int_equal(busiest->nr_running, 3);
	assert_int_equal(newest->cpu, 0);
	assert_int_equal(stats(0, 0)->lb_gained[CPU_IDLE], 1);
	assert_int_equal(stats(0, 0)->alb_pushed, 1);
	/* nothing to push from a queue with no more than one */
	busiest = hand_rq(&h, 0);
	busiest->active_balance = true;
	busiest->push_cpu = 1;
	rq_lock(hand_k(&h, 0), busiest);
	active_load_balance(hand_k(&h, 0), busiest);
	rq_unlock(hand_k(&h, 0), busiest);
	assert_false(busiest->active_balance);
	assert_int_equal(stats(1, 0)->alb_count, 0);
	hand_free(&h);
}

static void test_active_balance_may_fail(void **state)
{
	static const uint32_t n[] = {0, 4};
	struct rq *busiest;

	start("2.6.35", 2, 1, n);
	pin_all(1);
	busiest = hand_rq(&h, 1);
	busiest->active_balance = true;
	busiest->push_cpu = 0;
	rq_lock(hand_k(&h, 1), busiest);
	active_load_balance(hand_k(&h, 1), busiest);
	rq_unlock(hand_k(&h, 1), busiest);
	assert_int_equal(stats(0, 0)->alb_count, 1);
	assert_int_equal(stats(0, 0)->alb_failed, 1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four_against_thirteen_moves_four_and_ends_as_pinned),
		cmocka_unit_test(test_six_against_seven_moves_one),
		cmocka_unit_test(test_stale_h_load_moves_all_and_calls_it_a_failure),
		cmocka_unit_test(test_a_failure_outside_smt_is_zero),
		cmocka_unit_test(test_with_a_group_h_load_is_right_in_stale_kernels_too),
		cmocka_unit_test(test_thirty_three_tasks_are_examined),
		cmocka_unit_test(test_newly_idle_and_preemptible_takes_one),
		cmocka_unit_test(test_the_size_test_with_group_scheduling),
		cmocka_unit_test(test_minus_one_says_that_a_sibling_is_busy),
		cmocka_unit_test(test_the_interval_doubles_to_the_maximum_while_balanced),
		cmocka_unit_test(test_the_interval_doubles_to_512_ms_while_pinned),
		cmocka_unit_test(test_a_pinned_queue_is_left_out_and_the_search_repeated),
		cmocka_unit_test(test_a_cpu_balanced_for_is_rescheduled),
		cmocka_unit_test(test_the_running_task_is_pushed_after_four_failures),
		cmocka_unit_test(test_a_newly_idle_cpu_never_asks_for_it),
		cmocka_unit_test(test_thresholds_by_level),
		cmocka_unit_test(test_one_pinned),
		cmocka_unit_test(test_an_idle_task_counts_as_pinned),
		cmocka_unit_test(test_active_balance_moves_one_task),
		cmocka_unit_test(test_active_balance_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
