/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/pelt_kernels.h"

#define HIGH 0x80000000u

static void test_what_a_sleep_leaves(void **state)
{
	/* a task remembers enqueued and ewma, used util, and falls asleep */
	static const struct {
		const char *kernel;
		uint32_t enqueued, ewma;
		uint64_t util, runnable;
		uint32_t capacity, enqueued_after, ewma_after;
	} rows[] = {
		/* no period since it was queued */
		{"5.4", 101, 100, 300, 0, 1024, 101, 100},
		{"6.1", HIGH | 100, 100, 300, 0, 1024, HIGH | 100, 100},
		{"6.12", HIGH | 100, 0, 300, 0, 1024, HIGH | 100, 0},
		/* a rise: a quarter of the way, or at once */
		{"5.4", 100, 100, 300, 0, 1024, 301, 150},
		{"5.5", 100, 100, 300, 0, 1024, 301, 301},
		{"6.1", 100, 100, 300, 0, 1024, HIGH | 300, 300},
		{"6.12", 100, 0, 300, 0, 1024, HIGH | 300, 0},
		/* a fall: a quarter of the way */
		{"5.4", 400, 400, 200, 0, 1024, 201, 350},
		{"5.5", 400, 400, 200, 0, 1024, 201, 350},
		{"6.1", 400, 400, 200, 0, 1024, HIGH | 200, 350},
		{"6.12", 400, 0, 200, 0, 1024, HIGH | 350, 0},
		/* nearly the same: nothing is stored, not even the flag */
		{"5.4", 200, 200, 208, 0, 1024, 200, 200},
		{"5.4", 200, 200, 190, 0, 1024, 200, 200},
		{"5.4", 200, 200, 189, 0, 1024, 189, 197},
		{"5.4", 200, 200, 188, 0, 1024, 189, 197},
		{"5.5", 200, 200, 192, 0, 1024, 200, 200},
		{"6.1", 200, 200, 192, 0, 1024, 200, 200},
		/* ... but the last value if that moved */
		{"6.1", 300, 200, 192, 0, 1024, HIGH | 192, 200},
		{"6.12", 200, 0, 192, 0, 1024, HIGH | 200, 0},
		/* more than the CPU can give is not believed, a rise in 5.5 apart */
		{"5.4", 900, 900, 600, 0, 512, 900, 900},
		{"5.5", 100, 100, 600, 0, 512, 601, 601},
		{"6.1", 900, 900, 600, 0, 512, 900, 900},
		{"6.12", 900, 0, 600, 0, 512, 900, 0},
		/* it waited, so it used less than it would */
		{"6.12", 400, 0, 200, 211, 1024, HIGH | 400, 0},
		{"6.12", 400, 0, 200, 210, 1024, HIGH | 350, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct task_group root = {0};
		struct rq rq = {0};
		struct cfs_rq q = {.tg = &root, .rq = &rq};
		struct task p = {0};

		pelt_kernel(&kernel, rows[i].kernel);
		rq.cpu_capacity_orig = rows[i].capacity;
		p.se.avg.util_est = (struct util_est){rows[i].enqueued, rows[i].ewma};
		p.se.avg.util_avg = rows[i].util;
		p.se.avg.runnable_avg = rows[i].runnable;
		/* 5.4 compares with the flag in: 208 | 1 is 9 away, 188 | 1 is 11 */
		util_est_update(&k, &q, &p);
		if (p.se.avg.util_est.enqueued != rows[i].enqueued_after ||
		    p.se.avg.util_est.ewma != rows[i].ewma_after)
			fail_msg("row %zu: %x %u", i, p.se.avg.util_est.enqueued,
				 p.se.avg.util_est.ewma);
	}
}

static void test_a_queue_adds_up_what_its_tasks_remember(void **state)
{
	static const struct {
		const char *kernel;
		struct util_est ue;
		uint32_t value;
	} rows[] = {
		{"5.4", {200, 100}, 201},        {"5.4", {101, 300}, 301},
		{"6.1", {HIGH | 200, 100}, 200}, {"6.1", {HIGH | 100, 300}, 300},
		{"6.12", {HIGH | 200, 0}, 200},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct task_group root = {0};
		struct cfs_rq q = {.tg = &root};
		struct task p = {.se.avg.util_est = rows[i].ue};

		pelt_kernel(&kernel, rows[i].kernel);
		q.avg.util_est.enqueued = 1000;
		util_est_enqueue(&k, &q, &p);
		assert_int_equal(q.avg.util_est.enqueued, 1000 + rows[i].value);
		util_est_dequeue(&k, &q, &p);
		assert_int_equal(q.avg.util_est.enqueued, 1000);
		q.avg.util_est.enqueued = 5;
		util_est_dequeue(&k, &q, &p);
		assert_int_equal(q.avg.util_est.enqueued, 0);
		p.se.avg.util_avg = 999;
		assert_int_equal(task_util_est(&k, &p), 999);
		p.se.avg.util_avg = 1;
		assert_int_equal(task_util_est(&k, &p), rows[i].value);
	}
}

static void test_without_the_feature_nothing_is_remembered(void **state)
{
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct task_group root = {0};
	struct cfs_rq q = {.tg = &root};
	struct task p = {.se.avg = {.util_avg = 500, .util_est = {100, 100}}};

	pelt_kernel(&kernel, "6.1");
	feature_set_remove(&kernel.features, FEAT_UTIL_EST);
	util_est_enqueue(&k, &q, &p);
	util_est_update(&k, &q, &p);
	assert_int_equal(q.avg.util_est.enqueued, 0);
	assert_int_equal(p.se.avg.util_est.enqueued, 100);
}

static void test_a_period_clears_the_flag(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t before, after;
	} rows[] = {{"5.4", 101, 100}, {"6.1", HIGH | 101, 101}, {"6.12", HIGH | 101, 101}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct cfs_rq q = {0};
		struct task p = {.se = {.load = {1 << 20, 0}, .on_rq = true}};

		pelt_kernel(&kernel, rows[i].kernel);
		p.se.avg.util_est.enqueued = rows[i].before;
		update_load_avg_se(&k, 1 << 19, &q, &p.se);
		assert_int_equal(p.se.avg.util_est.enqueued, rows[i].before);
		update_load_avg_se(&k, 1 << 20, &q, &p.se);
		assert_int_equal(p.se.avg.util_est.enqueued, rows[i].after);
	}
}

/* CPU 0 with fair utilization 300, of which p has 120; its tasks remember 400, p 250. */
static void with_task(struct hand *h, const char *kernel, struct task *p)
{
	struct cfs_rq *q;

	pelt_init(h, kernel, 2);
	q = hand_rq(h, 0)->cfs;
	q->avg.util_avg = 300;
	q->avg.runnable_avg = 700;
	q->avg.util_est.enqueued = 400;
	*p = (struct task){.cpu = 0};
	p->se.avg.util_avg = 120;
	p->se.avg.last_update_time_ns = 1024;
	p->se.avg.util_est.enqueued = 250;
}

static void test_a_cpus_utilization_with_and_without_a_task(void **state)
{
	struct task p;
	struct hand h;
	struct kctx *k;

	with_task(&h, "6.1", &p);
	k = hand_k(&h, 0);
	assert_int_equal(cpu_util(k, 0), 400);
	assert_int_equal(cpu_util_without(k, 1, &p), 0);
	/* it sleeps: only the utilization is taken out; the sum of memories has it not */
	assert_int_equal(cpu_util_without(k, 0, &p), 400);
	p.se.on_rq = true;
	assert_int_equal(cpu_util_without(k, 0, &p), 180);
	p.se.avg.last_update_time_ns = 0;
	assert_int_equal(cpu_util_without(k, 0, &p), 400);
	hand_rq(&h, 0)->cpu_capacity_orig = 350;
	assert_int_equal(cpu_util(k, 0), 350);
	feature_set_remove(&h.v.features, FEAT_UTIL_EST);
	assert_int_equal(cpu_util(k, 0), 300);
	hand_free(&h);
}

static void test_a_cpus_utilization_if_a_task_moved(void **state)
{
	static const struct {
		uint32_t cpu, dst;
		bool with, queued, boost;
		uint64_t util;
	} rows[] = {
		{0, CPU_NONE, false, false, false, 400}, {0, CPU_NONE, false, false, true, 700},
		{0, CPU_NONE, true, false, false, 400}, /* 180 and 400 */
		{0, CPU_NONE, true, true, false, 180},  /* 180 and 150 */
		{0, 1, true, true, true, 580},          /* 700 - 120 and 150 */
		{0, 0, true, false, false, 650}, /* it wakes where it slept: 300, 400 + 250 */
		{1, 1, true, false, false, 250}, /* 120 and 250 */
		{1, 0, true, false, false, 0},
	};
	struct task p;
	struct hand h;

	with_task(&h, "6.12", &p);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct util_question q = {rows[i].cpu, rows[i].dst, rows[i].with ? &p : NULL,
					  rows[i].boost};

		p.se.on_rq = rows[i].queued;
		assert_int_equal(cpu_util_if(hand_k(&h, 0), &q), rows[i].util);
	}
	p.se.on_rq = true;
	assert_int_equal(cpu_util_if_without(hand_k(&h, 0), 0, &p), 180);
	assert_int_equal(cpu_util_if_without(hand_k(&h, 0), 1, &p), 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_sleep_leaves),
		cmocka_unit_test(test_a_queue_adds_up_what_its_tasks_remember),
		cmocka_unit_test(test_without_the_feature_nothing_is_remembered),
		cmocka_unit_test(test_a_period_clears_the_flag),
		cmocka_unit_test(test_a_cpus_utilization_with_and_without_a_task),
		cmocka_unit_test(test_a_cpus_utilization_if_a_task_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
