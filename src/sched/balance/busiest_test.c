/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is busiest and how much is too much; every decayed load equals the present one. */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;
static uint64_t mask_mem[MASK_WORDS(64)];

/* N[cpu] tasks of nice 0 on each CPU of a socket of CORES cores of THREADS threads. */
static void start(const char *kernel, uint32_t cores, uint32_t threads, const uint32_t *n)
{
	hand_init(&h, kernel, 1, cores, threads);
	for (uint32_t i = 0; i < cores * threads; i++) {
		struct rq *rq = hand_rq(&h, i);

		hand_tasks(&h, i, n[i]);
		for (int j = 0; j < CPU_LOAD_IDX_MAX; j++)
			rq->cpu_load[j] = rq->load.weight;
	}
}

static struct lb attempt(uint32_t cpu, uint32_t level, enum cpu_idle_type idle)
{
	struct lb lb = {.sd = hand_sd(&h, cpu, level),
			.this_rq = hand_rq(&h, cpu),
			.idle = idle,
			.cpus = mask_init(mask_mem, h.m->ncpus),
			.all_candidates = true,
			.should_balance = true};

	mask_copy(lb.cpus, h.m->online);
	return lb;
}

/* Two threads, 6 tasks here and 7 there: less than a task, so the small rule moves one. */
static void test_six_against_seven_on_two_threads(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};
	static const uint32_t n[] = {6, 7};

	for (int v = 0; v < 3; v++) {
		struct sched_group *g;
		struct lb lb;

		start(kernels[v], 1, 2, n);
		lb = attempt(0, 0, CPU_NOT_IDLE);
		g = find_busiest_group(hand_k(&h, 0), &lb);
		assert_non_null(g);
		assert_int_equal(g->cpu[0], 1);
		assert_int_equal(lb.imbalance, 1024);
		assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
		hand_free(&h);
	}
}

static void test_four_against_thirteen_on_two_threads(void **state)
{
	static const uint32_t n[] = {4, 13};
	struct lb lb;

	start("2.6.35", 1, 2, n);
	lb = attempt(0, 0, CPU_NOT_IDLE);
	assert_non_null(find_busiest_group(hand_k(&h, 0), &lb));
	assert_int_equal(lb.imbalance, 4607);
	hand_free(&h);
}

/* Four cores with 2, 4, 6 and 3 tasks: the third by what is above the average, limited by this one's lack. */
static void test_the_fullest_of_four_cores(void **state)
{
	static const uint32_t n[] = {1, 2, 3, 2, 1, 2, 3, 1};
	static const enum cpu_idle_type idle[] = {CPU_NOT_IDLE, CPU_NEWLY_IDLE};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (int i = 0; i < 4; i++) {
		struct sched_group *g;
		struct lb lb;

		start(kernels[i / 2], 4, 2, n);
		lb = attempt(0, 1, idle[i % 2]);
		g = find_busiest_group(hand_k(&h, 0), &lb);
		assert_non_null(g);
		assert_int_equal(lb.imbalance, 1791);
		assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 2));
		hand_free(&h);
	}
}

/* Nice 0 against nice 0 and nice 4, at 110 %: neither rule gains, the small imbalance stays. */
static void test_a_small_imbalance_that_gains_nothing_stays(void **state)
{
	static const uint32_t n[] = {1, 1};
	struct lb lb;

	start("2.6.35", 2, 1, n);
	hand_task(&h, 1, 4);
	hand_rq(&h, 1)->cpu_load[1] = 1447;
	lb = attempt(0, 0, CPU_NOT_IDLE);
	lb.sd->imbalance_pct = 110;
	assert_non_null(find_busiest_group(hand_k(&h, 0), &lb));
	assert_int_equal(lb.imbalance, 211);
	/* within 142 % nothing is to be done: 144700 <= 142 x 1024 */
	lb = attempt(0, 0, CPU_NOT_IDLE);
	lb.sd->imbalance_pct = 142;
	assert_null(find_busiest_group(hand_k(&h, 0), &lb));
	hand_free(&h);
}

struct balanced_row {
	uint32_t cores, threads, level;
	uint32_t n[8];
	enum cpu_idle_type idle;
	bool found;
};

static void test_when_there_is_nothing_to_balance(void **state)
{
	static const struct balanced_row rows[] = {
		/* no more than the average */
		{1, 2, 0, {7, 7}, CPU_NOT_IDLE, false},
		{1, 2, 0, {7, 6}, CPU_NOT_IDLE, false},
		/* a single task is no more than the capacity of a thread */
		{1, 2, 0, {0, 1}, CPU_IDLE, false},
		{1, 2, 0, {0, 2}, CPU_IDLE, true},
		/* within 110 %: 11 against 12 */
		{1, 2, 0, {11, 12}, CPU_NOT_IDLE, false},
		{1, 2, 0, {9, 10}, CPU_NOT_IDLE, true},
		/* a core's capacity is 1: two tasks on one core and none on the other */
		{2, 2, 1, {0, 1, 0, 1}, CPU_IDLE, true},
		{2, 2, 1, {0, 1, 0, 0}, CPU_IDLE, false},
		{2, 2, 1, {0, 1, 1, 1}, CPU_IDLE, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct balanced_row *r = &rows[i];
		struct lb lb;

		start("2.6.35", r->cores, r->threads, r->n);
		lb = attempt(0, r->level, r->idle);
		if ((find_busiest_group(hand_k(&h, 0), &lb) != NULL) != r->found)
			fail_msg("row %zu", i);
		assert_true(lb.should_balance);
		hand_free(&h);
	}
}

/* The first idle CPU of the local group balances, else its first; the newly idle always may. */
static void test_whose_job_it_is(void **state)
{
	static const struct {
		uint32_t n[4]; /* core 0: CPUs 0, 2; core 1: CPUs 1, 3 */
		uint32_t cpu;
		enum cpu_idle_type idle;
		bool mine;
	} rows[] = {
		{{1, 3, 1, 3}, 0, CPU_NOT_IDLE, true},  {{1, 3, 1, 3}, 2, CPU_NOT_IDLE, false},
		{{1, 3, 0, 3}, 0, CPU_NOT_IDLE, false}, {{1, 3, 0, 3}, 2, CPU_IDLE, true},
		{{0, 3, 0, 3}, 2, CPU_IDLE, false},     {{0, 3, 0, 3}, 2, CPU_NEWLY_IDLE, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb lb;

		start("2.6.35", 2, 2, rows[i].n);
		lb = attempt(rows[i].cpu, 1, rows[i].idle);
		assert_int_equal(find_busiest_group(hand_k(&h, 0), &lb) != NULL, rows[i].mine);
		assert_int_equal(lb.should_balance, rows[i].mine);
		hand_free(&h);
	}
}

/* Two threads differ by more than two average tasks: one core of one heavy and one light task. */
static void test_an_uneven_group_counts_whatever_its_capacity(void **state)
{
	static const uint32_t none[] = {0, 0, 0, 0};
	struct lb lb;

	start("2.6.35", 2, 2, none);
	/* CPU 1: nice -10, CPU 3: 8 of nice 19: sum 9668, 9 tasks, average 1074 */
	hand_task(&h, 1, -10);
	for (int i = 0; i < 8; i++)
		hand_task(&h, 3, 19);
	lb = attempt(0, 1, CPU_IDLE);
	assert_non_null(find_busiest_group(hand_k(&h, 0), &lb));
	/* max_load 8404, avg 4202; 4202 x 1178 / 1024 */
	assert_int_equal(lb.imbalance, 4833);
	hand_free(&h);
}

/* A CPU taken out of the candidates is neither counted nor chosen. */
static void test_masked_cpus_vanish(void **state)
{
	static const uint32_t n[] = {0, 3, 0, 2};
	struct sched_group *g;
	struct lb lb;

	start("2.6.35", 2, 2, n);
	lb = attempt(0, 1, CPU_IDLE);
	g = find_busiest_group(hand_k(&h, 0), &lb);
	assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
	lb = attempt(0, 1, CPU_IDLE);
	lb.all_candidates = false;
	mask_clear(lb.cpus, 1);
	g = find_busiest_group(hand_k(&h, 0), &lb);
	assert_non_null(g);
	assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 3));
	mask_clear(lb.cpus, 3);
	assert_null(find_busiest_group(hand_k(&h, 0), &lb));
	hand_free(&h);
}

/* A lone task heavier than the imbalance is left alone; loads are compared by power. */
static void test_the_queue_is_the_most_loaded_by_power(void **state)
{
	static const uint32_t n[] = {0, 2, 0, 2};
	struct lb lb;
	struct sched_group *g;

	start("2.6.35", 2, 2, n);
	lb = attempt(0, 1, CPU_IDLE);
	g = lb.sd->groups->next;
	lb.imbalance = 500;
	/* equal: the first */
	assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
	hand_rq(&h, 1)->cpu_power = 1024;
	hand_rq(&h, 3)->cpu_power = 589;
	assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 3));
	hand_free(&h);
	start("2.6.35", 2, 2, (const uint32_t[]){0, 1, 0, 1});
	lb = attempt(0, 1, CPU_IDLE);
	g = lb.sd->groups->next;
	lb.imbalance = 1023;
	assert_null(find_busiest_queue(hand_k(&h, 0), &lb, g));
	lb.imbalance = 1024;
	assert_ptr_equal(find_busiest_queue(hand_k(&h, 0), &lb, g), hand_rq(&h, 1));
	hand_free(&h);
}

/* sd_idle is lost as soon as a visited CPU has a task, the own one included. */
static void test_a_visited_task_ends_smt_idleness(void **state)
{
	static const struct {
		uint32_t n[2];
		bool still;
	} rows[] = {{{0, 0}, true}, {{0, 1}, false}, {{1, 0}, false}};

	for (int i = 0; i < 3; i++) {
		struct lb lb;

		start("2.6.35", 1, 2, rows[i].n);
		lb = attempt(0, 0, CPU_NEWLY_IDLE);
		lb.sd_idle = true;
		find_busiest_group(hand_k(&h, 0), &lb);
		assert_int_equal(lb.sd_idle, rows[i].still);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_six_against_seven_on_two_threads),
		cmocka_unit_test(test_four_against_thirteen_on_two_threads),
		cmocka_unit_test(test_the_fullest_of_four_cores),
		cmocka_unit_test(test_a_small_imbalance_that_gains_nothing_stays),
		cmocka_unit_test(test_when_there_is_nothing_to_balance),
		cmocka_unit_test(test_whose_job_it_is),
		cmocka_unit_test(test_an_uneven_group_counts_whatever_its_capacity),
		cmocka_unit_test(test_masked_cpus_vanish),
		cmocka_unit_test(test_the_queue_is_the_most_loaded_by_power),
		cmocka_unit_test(test_a_visited_task_ends_smt_idleness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
