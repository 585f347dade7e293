/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bit for bit the same rules are tried at random by tests/reference/pelt_test.c. */
#include "support.h"

#include "sched/pelt/pelt_kernels.h"

/* A queue of the root group on CPU 0, 32 ms old, and a task that is not attached. */
static struct cfs_rq *with_task(struct hand *h, const char *kernel, struct task *p)
{
	struct cfs_rq *q;

	pelt_init(h, kernel, 1);
	q = hand_rq(h, 0)->cfs;
	q->avg.last_update_time_ns = UINT64_C(32) << 20;
	q->avg.period_contrib = 100;
	*p = (struct task){.se = {.load = {1 << 20, 0}, .cfs_rq = q}};
	return q;
}

static void test_attaching_takes_over_the_queues_time(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t weight, load_avg, load_sum;
	} rows[] = {
		{"5.4", 1 << 20, 512, 512 * 46818 / 1024},
		{"5.4", 1023, 512, 46818},
		{"6.1", 1 << 20, 512, 512 * 46818 / 1024},
		{"6.1", 1023, 1, 46818 / 2},
		{"6.1", 1 << 20, 0, 1},
		{"6.12", 1 << 20, 0, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, rows[i].kernel, &p);
		const struct kctx *k = hand_k(&h, 0);

		p.se.load.weight = rows[i].weight;
		p.se.avg.load_avg = rows[i].load_avg;
		p.se.avg.util_avg = 77;
		p.se.avg.runnable_avg = 88;
		attach_entity_load_avg(k, &p.se);
		assert_int_equal(p.se.avg.last_update_time_ns, UINT64_C(32) << 20);
		assert_int_equal(p.se.avg.period_contrib, 100);
		assert_int_equal(p.se.avg.load_sum, rows[i].load_sum);
		assert_int_equal(p.se.avg.util_sum, 77 * 46818);
		assert_int_equal(q->avg.load_avg, rows[i].load_avg);
		assert_int_equal(q->avg.load_sum, se_weight(k, &p.se) * rows[i].load_sum);
		assert_int_equal(q->avg.util_sum, 77 * 46818);
		assert_int_equal(q->avg.runnable_avg, feat(k, FEAT_RUNNABLE_COUNT) ? 88 : 0);
		assert_true(q->pelt.propagate);
		assert_int_equal(q->pelt.prop_runnable_sum, rows[i].load_sum);
		hand_free(&h);
	}
}

static void test_attach_and_detach_cancel(void **state)
{
	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, pelt_kernel_names[v], &p);

		p.se.avg.load_avg = 700;
		p.se.avg.util_avg = 300;
		p.se.avg.runnable_avg = 500;
		attach_entity_load_avg(hand_k(&h, 0), &p.se);
		detach_entity_load_avg(hand_k(&h, 0), &p.se);
		assert_int_equal(q->avg.load_avg, 0);
		assert_int_equal(q->avg.load_sum, 0);
		assert_int_equal(q->avg.util_avg, 0);
		assert_int_equal(q->avg.util_sum, 0);
		assert_int_equal(q->avg.runnable_avg, 0);
		assert_int_equal(q->pelt.prop_runnable_sum, 0);
		hand_free(&h);
	}
}

static void test_taking_out_leaves_a_sum_that_is_possible(void **state)
{
	/* 100 always runnable tasks of nice 0, of which one goes */
	static const struct {
		const char *kernel;
		bool mended;
		uint64_t sum;
	} rows[] = {
		{"5.4", false, UINT64_C(99) * 1024 * 47000},
		{"6.1", false, (UINT64_C(99) * 1024 * 47000) % (UINT64_C(1) << 32)},
		{"6.1", true, UINT64_C(99) * 1024 * 47000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, rows[i].kernel, &p);

		if (rows[i].mended)
			feature_set_remove(&h.v.features, FEAT_PELT_FLOOR_32BIT);
		q->avg.load_avg = 100 * 1000;
		q->avg.load_sum = UINT64_C(100) * 1024 * 47000;
		p.se.avg.load_avg = 1000;
		p.se.avg.load_sum = 47000;
		detach_entity_load_avg(hand_k(&h, 0), &p.se);
		assert_int_equal(q->avg.load_avg, 99 * 1000);
		assert_true(q->avg.load_sum >= rows[i].sum);
		if (rows[i].mended || !strcmp(rows[i].kernel, "5.4"))
			assert_int_equal(q->avg.load_sum, rows[i].sum);
		else
			assert_true(q->avg.load_sum < UINT64_C(1) << 32);
		hand_free(&h);
	}
}

static void test_a_removed_task_is_felt_at_the_next_update(void **state)
{
	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, pelt_kernel_names[v], &p);
		const struct kctx *k = hand_k(&h, 0);

		p.se.avg.load_avg = 700;
		p.se.avg.util_avg = 300;
		p.se.avg.runnable_avg = 500;
		attach_entity_load_avg(k, &p.se);
		q->pelt.prop_runnable_sum = 0;
		remove_entity_load_avg(k, &p.se);
		assert_int_equal(q->avg.load_avg, 700);
		assert_int_equal(q->pelt.removed.nr, 1);
		assert_true(update_cfs_rq_load_avg(k, q->avg.last_update_time_ns, q));
		assert_int_equal(q->avg.load_avg, 0);
		assert_int_equal(q->avg.util_sum, 0);
		assert_int_equal(q->pelt.removed.nr, 0);
		assert_true(q->pelt.prop_runnable_sum < 0);
		if (feat(k, FEAT_RUNNABLE_COUNT))
			assert_int_equal(q->pelt.prop_runnable_sum, -(500 * 46818 + 1023) / 1024);
		assert_false(update_cfs_rq_load_avg(k, q->avg.last_update_time_ns, q));
		hand_free(&h);
	}
}

static void test_a_task_leaving_an_idle_cpu_is_aged_for_what_that_has_not_seen(void **state)
{
	static const struct {
		const char *kernel;
		bool idle, throttled;
		uint64_t util;
	} rows[] = {
		{"5.4", true, false, 600}, {"6.1", true, false, 300},  {"6.1", false, false, 600},
		{"6.1", true, true, 600},  {"6.12", true, false, 300},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, rows[i].kernel, &p);
		struct rq *rq = hand_rq(&h, 0);

		p.se.avg.util_avg = 600;
		attach_entity_load_avg(hand_k(&h, 0), &p.se);
		rq->pelt.clock_pelt_idle_ns = q->avg.last_update_time_ns;
		rq->pelt.clock_idle_ns = 5000;
		hand_k(&h, 0)->now_ns = 5000 + (UINT64_C(32) << 20);
		rq->curr = rows[i].idle ? rq->idle : &p;
		q->pelt.throttle_count = rows[i].throttled;
		migrate_sleeping_se(hand_k(&h, 0), &p.se);
		assert_in_range(p.se.avg.util_avg, rows[i].util - 2, rows[i].util);
		assert_int_equal(p.se.avg.last_update_time_ns, 0);
		/* what the old queue loses is not aged by that */
		assert_int_equal(q->pelt.removed.util_avg, 600);
		rq->curr = rq->idle;
		hand_free(&h);
	}
}

static void test_a_new_task_is_guessed(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t queue_util, queue_load, util;
	} rows[] = {
		{"5.4", 0, 0, 512},      {"5.4", 400, 2047, 312}, /* the weight is 1024 times too big */
		{"6.1", 400, 2047, 312}, {"6.12", 400, 2047, 200}, {"6.12", 1000, 100, 12},
		{"6.12", 1024, 100, 0},  {"6.1", 1023, 100, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task p;
		struct hand h;
		struct cfs_rq *q = with_task(&h, rows[i].kernel, &p);
		const struct kctx *k = hand_k(&h, 0);

		q->avg.util_avg = rows[i].queue_util;
		q->avg.load_avg = rows[i].queue_load;
		init_entity_load_avg(k, &p.se);
		assert_int_equal(p.se.avg.load_avg, 1024);
		post_init_entity_util_avg(k, &p.se, true);
		assert_int_equal(p.se.avg.util_avg, rows[i].util);
		assert_int_equal(p.se.avg.runnable_avg,
				 feat(k, FEAT_RUNNABLE_COUNT) ? rows[i].util : 1024);
		assert_int_equal(p.se.avg.last_update_time_ns, 0);
		hand_free(&h);
	}
}

static void test_a_new_real_time_task_only_gets_a_time(void **state)
{
	struct task p;
	struct hand h;

	with_task(&h, "6.1", &p);
	hand_rq(&h, 0)->pelt.clock_pelt_ns = 123;
	init_entity_load_avg(hand_k(&h, 0), &p.se);
	post_init_entity_util_avg(hand_k(&h, 0), &p.se, false);
	assert_int_equal(p.se.avg.last_update_time_ns, 123);
	assert_int_equal(p.se.avg.util_avg, 0);
	hand_free(&h);
}

static void test_a_queue_reports_changes_above_a_64th(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t contrib, load, since_ns, now_ns;
		bool reported;
	} rows[] = {
		{"6.1", 0, 1, 0, 0, true},
		{"6.1", 6400, 6500, 0, 0, false},
		{"6.1", 6400, 6501, 0, 0, true},
		{"6.1", 6400, 6299, 0, 0, true},
		{"6.1", 6400, 6300, 0, 0, false},
		{"6.1", 100, 900, 5, 6, true},
		{"6.12", 100, 900, 0, 6, true},
		{"6.12", 100, 900, 5, 6, false},
		{"6.12", 100, 900, 5, 1000004, false},
		{"6.12", 100, 900, 5, 1000005, true},
		{"6.12", 100, 900, 1000, 5, false}, /* another CPU's clock was ahead */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand h;
		struct task_group *tg;
		struct cfs_rq *q;

		pelt_init(&h, rows[i].kernel, 1);
		tg = hand_group(&h, NULL, "/a");
		q = &tg->cfs_rq[0];
		tg->load_avg = (int64_t)rows[i].contrib + 5000;
		q->pelt.tg_load_avg_contrib = rows[i].contrib;
		q->pelt.tg_load_avg_since_ns = rows[i].since_ns;
		q->avg.load_avg = rows[i].load;
		hand_k(&h, 0)->now_ns = rows[i].now_ns;
		update_tg_load_avg(hand_k(&h, 0), q);
		assert_int_equal(tg->load_avg,
				 5000 + (rows[i].reported ? rows[i].load : rows[i].contrib));
		assert_int_equal(q->pelt.tg_load_avg_contrib,
				 rows[i].reported ? rows[i].load : rows[i].contrib);
		hand_free(&h);
	}
}

static void test_a_move_within_a_cpu_keeps_the_age(void **state)
{
	struct task p;
	struct hand h;
	struct cfs_rq *q = with_task(&h, "6.1", &p);
	struct cfs_rq next = {.avg.last_update_time_ns = 99 << 10};

	p.se.avg.util_avg = 600;
	attach_entity_load_avg(hand_k(&h, 0), &p.se);
	q->avg.last_update_time_ns += UINT64_C(32) << 20;
	set_task_rq_fair(hand_k(&h, 0), &p.se, q, &next);
	assert_in_range(p.se.avg.util_avg, 298, 300);
	assert_int_equal(p.se.avg.last_update_time_ns, 99 << 10);
	feature_set_remove(&h.v.features, FEAT_ATTACH_AGE_LOAD);
	set_task_rq_fair(hand_k(&h, 0), &p.se, q, q);
	assert_int_equal(p.se.avg.last_update_time_ns, 99 << 10);
	hand_free(&h);
}

static void test_a_group_takes_over_what_runs_in_it(void **state)
{
	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct hand h;
		struct task_group *tg;
		struct entity *se;
		struct task p;

		pelt_init(&h, pelt_kernel_names[v], 1);
		tg = hand_group(&h, NULL, "/a");
		se = &tg->se[0];
		se->load.weight = 1 << 20;
		pelt_clock(&h, 0, HAND_START_NS + NS_PER_MS);
		p = (struct task){
			.se = {.load = {1 << 20, 0}, .cfs_rq = &tg->cfs_rq[0], .parent = se}};
		p.se.avg.load_avg = 1024;
		p.se.avg.util_avg = 400;
		attach_entity_cfs_rq(hand_k(&h, 0), &p.se);
		assert_int_equal(se->avg.util_avg, 400);
		assert_int_equal(hand_rq(&h, 0)->cfs->avg.util_avg, 400);
		assert_int_equal(tg->load_avg, 1024);
		assert_in_range(se->avg.load_avg, 1000, 1024);
		assert_int_equal(hand_rq(&h, 0)->cfs->avg.load_avg, se->avg.load_avg);
		detach_entity_cfs_rq(hand_k(&h, 0), &p.se);
		assert_int_equal(hand_rq(&h, 0)->cfs->avg.util_avg, 0);
		assert_int_equal(hand_rq(&h, 0)->cfs->avg.load_avg, 0);
		/* one report a ms */
		assert_int_equal(tg->load_avg, kver_has(&h.v, FEAT_TG_LOAD_RATELIMIT) ? 1024 : 0);
		hand_free(&h);
	}
}

/* A group's entity is part of its queue before a task is: what the task brings goes up once. */
static void test_first_task_of_a_group_counts_once_above(void **state)
{
	struct hand h;
	static const char *const kernels[] = {"5.4", "5.5", "6.1", "6.12"};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		static const struct task_attr nice_0 = {.nice = 0};
		struct task_group *tg;
		const struct cfs_rq *root;

		hand_init(&h, kernels[i], 1, 2, 1);
		tg = hand_group(&h, hand_group(&h, NULL, "/a"), "/a/b");
		hand_task_in(&h, 0, &nice_0, tg);
		root = hand_rq(&h, 0)->cfs;
		assert_int_equal(root->avg.load_avg, tg->parent->se[0].avg.load_avg);
		assert_int_equal(tg->parent->cfs_rq[0].avg.load_avg, tg->se[0].avg.load_avg);
		assert_in_range(root->avg.load_avg, 1000, 1024);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_task_of_a_group_counts_once_above),
		cmocka_unit_test(test_attaching_takes_over_the_queues_time),
		cmocka_unit_test(test_attach_and_detach_cancel),
		cmocka_unit_test(test_taking_out_leaves_a_sum_that_is_possible),
		cmocka_unit_test(test_a_removed_task_is_felt_at_the_next_update),
		cmocka_unit_test(
			test_a_task_leaving_an_idle_cpu_is_aged_for_what_that_has_not_seen),
		cmocka_unit_test(test_a_new_task_is_guessed),
		cmocka_unit_test(test_a_new_real_time_task_only_gets_a_time),
		cmocka_unit_test(test_a_queue_reports_changes_above_a_64th),
		cmocka_unit_test(test_a_move_within_a_cpu_keeps_the_age),
		cmocka_unit_test(test_a_group_takes_over_what_runs_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
