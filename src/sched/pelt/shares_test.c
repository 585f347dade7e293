/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/h_load.h"
#include "sched/pelt/pelt_kernels.h"
#include "sched/pelt/shares.h"

static void test_a_groups_part_of_its_shares(void **state)
{
	static const struct {
		uint64_t weight, load_avg, contrib;
		int64_t everywhere;
		uint64_t shares;
	} rows[] = {
		{1 << 20, 1024, 1024, 1024, 1 << 20}, /* all of it is here */
		{1 << 20, 1024, 1024, 2048, 1 << 19},
		{1 << 20, 0, 0, 1024, 1 << 19}, /* it just woke: the weight counts */
		{0, 512, 512, 1024, 1 << 19},   /* it just slept: the average does */
		{0, 0, 0, 0, 2},
		{0, 0, 0, 1024, 2},
		{1 << 20, 5000, 5000, 4000, 1 << 20}, /* others reported less than nothing */
		{1 << 20, 1024, 0, 1 << 30, 2},       /* 0.99 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct task_group root = {0}, tg = {.parent = &root, .shares = 1 << 20};
		struct cfs_rq g = {.tg = &tg, .load = {rows[i].weight, 0}};

		pelt_kernel(&kernel, "6.1");
		tg.load_avg = rows[i].everywhere;
		g.avg.load_avg = rows[i].load_avg;
		g.pelt.tg_load_avg_contrib = rows[i].contrib;
		if (i == 7)
			tg.shares = 1 << 11;
		assert_int_equal(calc_group_shares(&k, &g), rows[i].shares);
	}
}

static void test_the_runnable_part_of_a_weight(void **state)
{
	static const struct {
		uint64_t weight, load_avg, runnable_weight, runnable_avg, runnable;
	} rows[] = {
		{1 << 20, 1024, 1 << 20, 1024, 800},
		{1 << 20, 1024, 0, 512, 400},
		{1 << 20, 1024, 0, 0, 2},
		{0, 0, 0, 0, 2},
		{0, 100, 1 << 20, 0, 800}, /* at most the shares */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct cfs_rq g = {.load = {rows[i].weight, 0}};

		pelt_kernel(&kernel, "5.4");
		g.avg.load_avg = rows[i].load_avg;
		g.avg.runnable_avg = rows[i].runnable_avg;
		g.pelt.runnable_weight = rows[i].runnable_weight;
		assert_int_equal(calc_group_runnable(&k, &g, 800), rows[i].runnable);
	}
}

static void test_when_a_group_is_weighed_anew(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t weight_here, weight_now;
		uint32_t throttle_count;
		bool weighed;
	} rows[] = {
		{"5.4", 1 << 20, 5, 0, true},   {"5.4", 1 << 20, 1 << 20, 0, true},
		{"5.4", 0, 5, 0, true},         {"5.4", 1 << 20, 5, 1, false},
		{"6.1", 0, 5, 0, true},         {"6.12", 1 << 20, 5, 0, true},
		{"6.12", 0, 5, 0, false},       {"6.12", 1 << 20, 1 << 20, 0, false},
		{"6.12", 1 << 20, 5, 1, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct task_group root = {0}, tg = {.parent = &root, .shares = 1 << 20};
		struct cfs_rq g = {.tg = &tg, .load = {rows[i].weight_here, 0}};
		struct entity se = {.my_q = &g, .load = {rows[i].weight_now, 0}}, task = {0};
		struct group_weights w = {0};

		pelt_kernel(&kernel, rows[i].kernel);
		g.pelt.throttle_count = rows[i].throttle_count;
		assert_int_equal(cfs_group_weights(&k, &se, &w), rows[i].weighed);
		assert_false(cfs_group_weights(&k, &task, &w));
	}
}

/* /a and /a/b on one CPU with loads 1000, 500, 200 and entities 400 of the root, 300 of /a. */
static struct task_group *nested(struct hand *h, struct task *p)
{
	struct task_group *a, *b;

	pelt_init(h, "6.1", 1);
	a = hand_group(h, NULL, "/a");
	b = hand_group(h, a, "/a/b");
	hand_rq(h, 0)->cfs->avg.load_avg = 1000;
	a->cfs_rq[0].avg.load_avg = 500;
	a->se[0].avg.load_avg = 400;
	b->cfs_rq[0].avg.load_avg = 200;
	b->se[0].avg.load_avg = 300;
	*p = (struct task){.se = {.cfs_rq = &b->cfs_rq[0], .avg.load_avg = 100}};
	return a;
}

static void test_a_tasks_load_seen_from_the_root(void **state)
{
	struct task p;
	struct hand h;
	struct task_group *a = nested(&h, &p);
	uint64_t h_a = 1000 * 400 / 1001, h_b = h_a * 300 / 501;

	assert_int_equal(h_a, 399);
	assert_int_equal(h_b, 238);
	assert_int_equal(task_h_load(hand_k(&h, 0), &p), 100 * h_b / 201);
	assert_int_equal(a->cfs_rq[0].h_load, h_a);
	hand_free(&h);
}

static void test_without_groups_a_tasks_load_loses_one(void **state)
{
	struct task p = {.se.avg.load_avg = 1024};
	struct hand h;

	pelt_init(&h, "5.4", 1);
	p.se.cfs_rq = hand_rq(&h, 0)->cfs;
	p.se.cfs_rq->avg.load_avg = 1024;
	assert_int_equal(task_h_load(hand_k(&h, 0), &p), 1023);
	hand_free(&h);
}

static void test_h_load_is_computed_once_a_jiffy_and_queue(void **state)
{
	struct task p;
	struct hand h;
	struct task_group *a = nested(&h, &p);
	struct kctx *k = hand_k(&h, 0);

	update_cfs_rq_h_load(k, &a->cfs_rq[0]);
	hand_rq(&h, 0)->cfs->avg.load_avg = 9999;
	a->se[0].avg.load_avg = 9999;
	update_cfs_rq_h_load(k, &a->cfs_rq[0]);
	assert_int_equal(a->cfs_rq[0].h_load, 399);
	/* below, nothing is fresh yet; it hangs on what is above */
	update_cfs_rq_h_load(k, p.se.cfs_rq);
	assert_int_equal(p.se.cfs_rq->h_load, 238);
	hand_at(&h, h.m->tick_ns);
	update_cfs_rq_h_load(k, p.se.cfs_rq);
	assert_int_equal(a->cfs_rq[0].h_load, 9999 * 9999 / 10000);
	hand_free(&h);
}

static void weigh(struct kctx *k, struct entity *se, const struct group_weights *w)
{
	reweight_entity_load_avg(k, se, w->weight, w->runnable_weight);
}

static void test_written_shares_reach_the_root(void **state)
{
	struct task p;
	struct hand h;
	struct task_group *a = nested(&h, &p), *b = a->child;

	a->shares = 1 << 20;
	b->shares = 4 << 20;
	a->cfs_rq[0].load.weight = 1 << 20;
	b->cfs_rq[0].load.weight = 1 << 20;
	update_cfs_groups_up(hand_k(&h, 0), &b->se[0], weigh);
	/* b has reported nothing before: alone here */
	assert_int_equal(b->se[0].load.weight, 4 << 20);
	assert_int_equal(a->se[0].load.weight, 1 << 20);
	a->cfs_rq[0].load.weight = 0;
	b->cfs_rq[0].load.weight = 0;
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_groups_part_of_its_shares),
		cmocka_unit_test(test_the_runnable_part_of_a_weight),
		cmocka_unit_test(test_when_a_group_is_weighed_anew),
		cmocka_unit_test(test_a_tasks_load_seen_from_the_root),
		cmocka_unit_test(test_without_groups_a_tasks_load_loses_one),
		cmocka_unit_test(test_h_load_is_computed_once_a_jiffy_and_queue),
		cmocka_unit_test(test_written_shares_reach_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
