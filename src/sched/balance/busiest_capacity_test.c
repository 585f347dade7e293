/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is busiest and how much is too much, from 3.3 on; every decayed load equals the present one. */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;
static uint64_t mask_mem[MASK_WORDS(64)];

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

static void settle_loads(void)
{
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		for (int j = 0; j < CPU_LOAD_IDX_MAX; j++)
			hand_rq(&h, i)->cpu_load[j] = hand_rq(&h, i)->load.weight;
}

/* N[cpu] tasks of nice 0 on each CPU of a socket of CORES cores of THREADS threads. */
static void start(const char *kernel, uint32_t cores, uint32_t threads, const uint32_t *n)
{
	hand_init(&h, kernel, 1, cores, threads);
	for (uint32_t i = 0; i < cores * threads; i++)
		hand_tasks(&h, i, n[i]);
	settle_loads();
}

static struct lb attempt(uint32_t cpu, uint32_t level, enum cpu_idle_type idle)
{
	struct lb lb = {.sd = hand_sd(&h, cpu, level),
			.this_rq = hand_rq(&h, cpu),
			.idle = idle,
			.cpus = mask_init(mask_mem, h.m->ncpus),
			.all_candidates = true,
			.fix_small_capacity = true,
			.should_balance = true};

	mask_copy(lb.cpus, h.m->online);
	return lb;
}

static int32_t balance(uint32_t cpu, uint32_t level, enum cpu_idle_type idle)
{
	bool should_balance = true;

	return h.v.lb->load_balance(hand_k(&h, cpu), cpu, hand_sd(&h, cpu, level), idle,
				    &should_balance);
}

static void test_six_against_seven_on_two_threads(void **state)
{
	static const uint32_t n[] = {6, 7};

	for (int v = 0; v < 4; v++) {
		struct sched_group *g;
		struct lb lb;

		start(kernels[v], 1, 2, n);
		assert_int_equal(hand_rq(&h, 0)->cpu_power, 589);
		lb = attempt(0, 0, CPU_NOT_IDLE);
		g = find_busiest_group_capacity(hand_k(&h, 0), &lb);
		assert_non_null(g);
		assert_int_equal(g->cpu[0], 1);
		assert_int_equal(lb.imbalance, 1024);
		assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
		hand_free(&h);
	}
}

/* Two tasks move; twice the load of one is too much for 367456c7. */
static void test_four_cores_of_two_threads(void **state)
{
	static const uint32_t moved[] = {2, 0, 2, 2};
	static const int32_t result[] = {1, 0, 2, 2};
	static const enum cpu_idle_type types[] = {CPU_NOT_IDLE, CPU_NEWLY_IDLE};
	static const uint32_t n[] = {1, 2, 3, 2, 1, 2, 3, 1};

	for (int v = 0; v < 8; v++) {
		struct sched_group *g;
		struct lb lb;

		start(kernels[v / 2], 4, 2, n);
		lb = attempt(0, 1, types[v % 2]);
		g = find_busiest_group_capacity(hand_k(&h, 0), &lb);
		assert_non_null(g);
		assert_int_equal(g->cpu[0], 2);
		assert_int_equal(lb.imbalance, 1791);
		assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 2));
		assert_int_equal(balance(0, 1, types[v % 2]), result[v / 2]);
		assert_int_equal(hand_rq(&h, 0)->nr_running, 1 + moved[v / 2]);
		hand_free(&h);
	}
}

/* Half a task too many: 3.3's amount is less than half of the lighter one, later it just fits. */
static void test_an_amount_of_half_a_task(void **state)
{
	static const struct {
		const char *kernel;
		bool moves;
	} rows[] = {{"3.3", false}, {"3.3,+lb-rq-list", false}, {"3.4-rc2", true}, {"3.4", true}};

	for (int v = 0; v < 4; v++) {
		struct lb lb;

		hand_init(&h, rows[v].kernel, 1, 2, 1);
		hand_tasks(&h, 0, 1);
		hand_tasks(&h, 1, 1);
		hand_task(&h, 1, 4);
		settle_loads();
		hand_sd(&h, 0, 0)->imbalance_pct = 110;
		lb = attempt(0, 0, CPU_NOT_IDLE);
		assert_non_null(find_busiest_group_capacity(hand_k(&h, 0), &lb));
		assert_int_equal(lb.imbalance, 211);
		assert_int_equal(balance(0, 0, CPU_NOT_IDLE), rows[v].moves);
		assert_int_equal(hand_rq(&h, 0)->nr_running, 1 + rows[v].moves);
		assert_int_equal(hand_sd(&h, 0, 0)->stats.lb_failed[CPU_NOT_IDLE], 0);
		hand_free(&h);
	}
}

/* Two tasks of one group on each of 31 CPUs of 32. */
static void test_a_wide_group_beside_an_empty_cpu(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task_attr attr = {.nice = 0};
		struct task_group *tg;
		struct lb lb;

		hand_init(&h, kernels[v], 2, 8, 2);
		tg = hand_group(&h, NULL, "/a");
		for (uint32_t i = 1; i < 32; i++) {
			hand_task_in(&h, i, &attr, tg);
			sched_schedule(hand_k(&h, i));
			hand_task_in(&h, i, &attr, tg);
		}
		for (uint64_t t = 1; t <= 8; t++) {
			hand_at(&h, t * 11 * NS_PER_MS);
			for (uint32_t i = 1; i < 32; i++)
				h.v.share->update_cpu(hand_k(&h, i), i);
		}
		settle_loads();
		assert_int_equal(tg->se[5].load.weight, 33);
		lb = attempt(0, 0, CPU_NEWLY_IDLE);
		assert_non_null(find_busiest_group_capacity(hand_k(&h, 0), &lb));
		assert_int_equal(lb.imbalance, 16);
		lb = attempt(0, 1, CPU_NEWLY_IDLE);
		assert_non_null(find_busiest_group_capacity(hand_k(&h, 0), &lb));
		assert_int_equal(lb.imbalance, 16);
		lb = attempt(0, 2, CPU_NEWLY_IDLE);
		assert_null(find_busiest_group_capacity(hand_k(&h, 0), &lb));
		hand_free(&h);
	}
}

/* An idle CPU leaves a core of as many tasks as threads alone unless its own has two more idle. */
static void test_idle_cpus_leave_full_cores_alone(void **state)
{
	static const struct {
		uint32_t n[4]; /* core 0 is CPUs 0 and 2 */
		bool found;
	} rows[] = {
		{{0, 1, 1, 1}, false},
		{{0, 1, 0, 1}, true},
		/* two on one thread: unbalanced inside, which forces */
		{{0, 2, 1, 1}, true},
	};

	for (int i = 0; i < 3; i++) {
		struct lb lb;

		start(kernels[i], 2, 2, rows[i].n);
		lb = attempt(0, 1, CPU_IDLE);
		assert_int_equal(find_busiest_group_capacity(hand_k(&h, 0), &lb) != NULL,
				 rows[i].found);
		assert_true(lb.should_balance);
		hand_free(&h);
	}
}

/* The first idle CPU of the own group balances, else its first; newly idle ones always may. */
static void test_whose_job_it_is(void **state)
{
	static const uint32_t busy[] = {1, 2, 1, 2}, idle[] = {0, 2, 0, 2},
			      first_busy[] = {1, 2, 0, 2};
	static const struct {
		const uint32_t *n;
		uint32_t cpu;
		enum cpu_idle_type idle;
		bool job;
	} rows[] = {
		{busy, 0, CPU_NOT_IDLE, true},
		{busy, 2, CPU_NOT_IDLE, false},
		{idle, 0, CPU_IDLE, true},
		{idle, 2, CPU_IDLE, false},
		{idle, 2, CPU_NEWLY_IDLE, true},
		{first_busy, 2, CPU_IDLE, true},
		{first_busy, 0, CPU_NOT_IDLE, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb lb;

		start(kernels[i % 4], 2, 2, rows[i].n);
		lb = attempt(rows[i].cpu, 1, rows[i].idle);
		find_busiest_group_capacity(hand_k(&h, rows[i].cpu), &lb);
		assert_int_equal(lb.should_balance, rows[i].job);
		hand_free(&h);
	}
}

/*
 * Four threads of 294 each: a thread alone rounds to no capacity. Within the core it is given
 * one; seen from above it has none, so a single heavy task does not hide its queue.
 */
static void test_threads_of_little_power(void **state)
{
	static const uint32_t n[] = {0, 1, 0, 0, 0, 0, 0, 0};

	for (int v = 0; v < 4; v++) {
		struct sched_group *g;
		struct lb lb;

		start(kernels[v], 2, 4, n);
		assert_int_equal(hand_rq(&h, 1)->cpu_power, 294);
		lb = attempt(0, 1, CPU_IDLE);
		lb.imbalance = 100;
		g = lb.sd->groups->next;
		assert_true(mask_test(g->cpus, 1));
		assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
		lb = attempt(3, 0, CPU_IDLE);
		lb.imbalance = 100;
		for (g = lb.sd->groups; !mask_test(g->cpus, 1);)
			g = g->next;
		assert_null(find_busiest_queue(hand_k(&h, 3), &lb, g));
		hand_free(&h);
	}
}

/* Power is refreshed by newly idle CPUs too from 367456c7 on, but not before its time. */
static void test_when_power_is_refreshed(void **state)
{
	static const uint32_t n[] = {0, 0, 0, 0};
	static const struct {
		const char *kernel;
		bool newly;
	} rows[] = {{"3.3", false}, {"3.3,+lb-rq-list", true}, {"3.4-rc2", true}, {"3.4", true}};

	for (int v = 0; v < 4; v++) {
		struct sched_group *g;
		uint64_t now;
		struct lb lb;

		start(rows[v].kernel, 2, 2, n);
		now = jiffies(hand_k(&h, 0));
		lb = attempt(0, 1, CPU_NEWLY_IDLE);
		g = lb.sd->groups;
		lb.sd->balance_interval_ms = 5;
		g->next_update = now + 1;
		find_busiest_group_capacity(hand_k(&h, 0), &lb);
		assert_int_equal(g->next_update, now + 1);
		g->next_update = now;
		find_busiest_group_capacity(hand_k(&h, 0), &lb);
		assert_int_equal(g->next_update, rows[v].newly ? now + 5 : now);
		g->next_update = now + 100;
		lb = attempt(0, 1, CPU_IDLE);
		find_busiest_group_capacity(hand_k(&h, 0), &lb);
		assert_int_equal(g->next_update, now + 5);
		assert_int_equal(g->cpu_power, 1178);
		hand_free(&h);
	}
}

/* The interval to the next refresh is rounded up to ticks. */
static void test_a_refresh_interval_of_half_ticks(void **state)
{
	static const uint32_t n[] = {0, 0, 0, 0};

	start("3.4,hz=250", 2, 2, n);
	hand_sd(&h, 0, 1)->balance_interval_ms = 6;
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 1), 0);
	assert_int_equal(hand_sd(&h, 0, 1)->groups->next_update, jiffies(hand_k(&h, 0)) + 2);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_six_against_seven_on_two_threads),
		cmocka_unit_test(test_four_cores_of_two_threads),
		cmocka_unit_test(test_an_amount_of_half_a_task),
		cmocka_unit_test(test_a_wide_group_beside_an_empty_cpu),
		cmocka_unit_test(test_idle_cpus_leave_full_cores_alone),
		cmocka_unit_test(test_whose_job_it_is),
		cmocka_unit_test(test_threads_of_little_power),
		cmocka_unit_test(test_when_power_is_refreshed),
		cmocka_unit_test(test_a_refresh_interval_of_half_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
