/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/group.h"
#include "sched/hand_machine.h"

static struct hand h;
static const struct task_attr nice_0 = {.nice = 0};

static void put_tasks(struct task_group *tg, uint32_t cpu, uint32_t n)
{
	while (n--)
		hand_task_in(&h, cpu, &nice_0, tg);
}

static void distribute(struct sched_domain *sd)
{
	h.v.share->update_domain(hand_k(&h, 0), sd);
}

/* Loads 2048, 1024, 0, 0 on four CPUs. An empty CPU is given what a first task there would get. */
static void test_shares_are_split_by_load(void **state)
{
	static const uint64_t weight[] = {682, 341, 341, 341}, shares[] = {682, 341, 0, 0};
	static const uint64_t rq_weight[] = {2048, 1024, 0, 0};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (int v = 0; v < 2; v++) {
		struct task_group *tg;

		hand_init(&h, kernels[v], 1, 4, 1);
		tg = hand_group(&h, NULL, "/a");
		put_tasks(tg, 0, 2);
		put_tasks(tg, 1, 1);
		distribute(hand_sd(&h, 0, 0));
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(tg->se[i].load.weight, weight[i]);
			assert_int_equal(tg->cfs_rq[i].shares, shares[i]);
			assert_int_equal(tg->cfs_rq[i].rq_weight, rq_weight[i]);
		}
		/* a queued entity's weight counts in the root */
		assert_int_equal(hand_rq(&h, 0)->load.weight, 682);
		assert_int_equal(hand_rq(&h, 1)->load.weight, 341);
		hand_free(&h);
	}
}

/* Nothing runs anywhere: everyone pretends, a quarter each. */
static void test_an_empty_group_is_split_evenly(void **state)
{
	struct task_group *tg;

	hand_init(&h, "2.6.35", 1, 4, 1);
	tg = hand_group(&h, NULL, "/a");
	distribute(hand_sd(&h, 0, 0));
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(tg->se[i].load.weight, 256);
		assert_int_equal(tg->cfs_rq[i].shares, 0);
	}
	hand_free(&h);
}

/* Below the top only what the domain's CPUs hold is split; at the top all of it. */
static void test_a_lower_domain_splits_what_it_holds(void **state)
{
	struct task_group *tg;

	hand_init(&h, "2.6.35", 2, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_tasks(tg, 0, 1);
	put_tasks(tg, 2, 1);
	distribute(hand_sd(&h, 0, 1));
	assert_int_equal(tg->cfs_rq[0].shares, 512);
	assert_int_equal(tg->cfs_rq[2].shares, 512);
	/* a second task appears on CPU 1: 512 are split over CPUs 0 and 1 */
	put_tasks(tg, 1, 1);
	distribute(hand_sd(&h, 0, 0));
	assert_int_equal(tg->cfs_rq[0].shares, 256);
	assert_int_equal(tg->cfs_rq[1].shares, 256);
	assert_int_equal(tg->cfs_rq[2].shares, 512);
	hand_free(&h);
}

/* A domain that holds nothing yet, or more than all, takes all. */
static void test_no_shares_or_too_many_count_as_all(void **state)
{
	struct task_group *tg;

	hand_init(&h, "2.6.35", 2, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_tasks(tg, 0, 1);
	distribute(hand_sd(&h, 0, 0));
	assert_int_equal(tg->cfs_rq[0].shares, 0);
	assert_int_equal(tg->se[0].load.weight, 1024);
	hand_free(&h);
	hand_init(&h, "2.6.35", 2, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_tasks(tg, 0, 1);
	put_tasks(tg, 1, 1);
	tg->cfs_rq[0].shares = 900;
	tg->cfs_rq[1].shares = 900;
	distribute(hand_sd(&h, 0, 0));
	assert_int_equal(tg->cfs_rq[0].shares, 512);
	hand_free(&h);
}

/* Changes of up to shares_thresh are not worth a lock. */
static void test_small_changes_are_not_written(void **state)
{
	static const struct {
		uint64_t old, now;
	} rows[] = {{508, 508}, {516, 516}, {507, 512}, {517, 512}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_group *tg;
		uint64_t locks;

		hand_init(&h, "2.6.35", 1, 2, 1);
		tg = hand_group(&h, NULL, "/a");
		put_tasks(tg, 0, 1);
		put_tasks(tg, 1, 1);
		set_se_shares(hand_k(&h, 0), &tg->se[0], rows[i].old);
		set_se_shares(hand_k(&h, 0), &tg->se[1], 512);
		locks = h.locks_taken;
		distribute(hand_sd(&h, 0, 0));
		assert_int_equal(tg->se[0].load.weight, rows[i].now);
		/* not even cfs_rq.shares */
		assert_int_equal(tg->cfs_rq[0].shares, rows[i].now == 512 ? 512 : 0);
		assert_int_equal(h.locks_taken - locks, rows[i].now == 512);
		hand_free(&h);
	}
}

static void test_a_group_never_weighs_less_than_two(void **state)
{
	struct task_group *tg;

	hand_init(&h, "2.6.35", 1, 8, 1);
	tg = hand_group(&h, NULL, "/a");
	sched_group_set_shares(hand_k(&h, 0), tg, 10);
	for (uint32_t i = 0; i < 8; i++)
		put_tasks(tg, i, 1);
	distribute(hand_sd(&h, 0, 0));
	/* 10 / 8 is 1 */
	assert_int_equal(tg->se[5].load.weight, 2);
	assert_int_equal(tg->cfs_rq[5].shares, 2);
	hand_free(&h);
}

static void test_shares_are_split_again_only_after_the_ratelimit(void **state)
{
	struct sched_domain *sd;
	struct task_group *tg;

	hand_init(&h, "2.6.35", 1, 8, 1);
	tg = hand_group(&h, NULL, "/a");
	sd = hand_sd(&h, 0, 0);
	distribute(sd);
	assert_int_equal(sd->last_update_ns, HAND_START_NS);
	put_tasks(tg, 0, 1);
	hand_at(&h, NS_PER_MS - 1);
	distribute(sd);
	assert_int_equal(tg->se[0].load.weight, 128);
	hand_at(&h, NS_PER_MS);
	distribute(sd);
	assert_int_equal(tg->se[0].load.weight, 1024);
	hand_free(&h);
}

/* The clock of who comes by may be behind that of who was here last. */
static void test_a_clock_behind_the_last_split_waits(void **state)
{
	struct sched_domain *sd;
	struct task_group *tg;

	hand_init(&h, "2.6.35", 1, 8, 1);
	tg = hand_group(&h, NULL, "/a");
	put_tasks(tg, 0, 1);
	sd = hand_sd(&h, 0, 0);
	sd->last_update_ns = HAND_START_NS + 5;
	distribute(sd);
	assert_int_equal(sd->last_update_ns, HAND_START_NS + 5);
	assert_int_equal(tg->cfs_rq[0].shares, 0);
	hand_free(&h);
}

static void test_without_groups_nothing_is_split(void **state)
{
	hand_init(&h, "2.6.35", 1, 8, 1);
	distribute(hand_sd(&h, 0, 0));
	assert_int_equal(hand_sd(&h, 0, 0)->last_update_ns, LONG_AGO_NS);
	hand_free(&h);
}

/* A queued entity is taken out and put in again: behind its equals, no buddy any more. */
static void test_a_new_weight_requeues_the_entity(void **state)
{
	struct task_group *a;
	struct rq *rq;
	struct task *p;

	hand_init(&h, "2.6.35", 1, 8, 1);
	rq = hand_rq(&h, 0);
	a = hand_group(&h, NULL, "/a");
	put_tasks(a, 0, 1);
	p = hand_task(&h, 0, 0);
	timeline_erase(rq->cfs, &p->se);
	p->se.vruntime_vns = a->se[0].vruntime_vns;
	timeline_insert(rq->cfs, &p->se);
	rq->cfs->last = &a->se[0];
	assert_ptr_equal(cfs_rq_leftmost(rq->cfs), &a->se[0]);
	set_se_shares(hand_k(&h, 0), &a->se[0], 300);
	assert_ptr_equal(cfs_rq_leftmost(rq->cfs), &p->se);
	assert_null(rq->cfs->last);
	assert_int_equal(rq->load.weight, 1324);
	hand_free(&h);
}

/* ---- h_load -------------------------------------------------------------------- */

/* Without groups the stale kernels keep the boot value. */
static void test_root_h_load_without_groups(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t h_load;
	} rows[] = {{"2.6.31", 3072},
		    {"2.6.32", 0},
		    {"2.6.33", 0},
		    {"2.6.34", 0},
		    {"2.6.35-rc2", 0},
		    {"2.6.35", 3072},
		    {"2.6.35,+stale-h-load", 0},
		    {"2.6.34,-stale-h-load", 3072}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		hand_init(&h, rows[i].kernel, 1, 2, 1);
		hand_tasks(&h, 1, 3);
		update_h_load(hand_k(&h, 0), 1);
		assert_int_equal(hand_rq(&h, 1)->cfs->h_load, rows[i].h_load);
		hand_free(&h);
	}
}

/* Parents first; a group's share of its parent's load, over that load plus 1. */
static void test_h_load_is_a_product_down_the_tree(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (int v = 0; v < 2; v++) {
		struct task_group *a, *b;

		hand_init(&h, kernels[v], 1, 2, 1);
		a = hand_group(&h, NULL, "/a");
		b = hand_group(&h, a, "/a/b");
		hand_task(&h, 1, 0);
		put_tasks(b, 1, 3);
		update_h_load(hand_k(&h, 0), 1);
		assert_int_equal(hand_rq(&h, 1)->cfs->h_load, 2048);
		/* new groups hold no shares yet: infinitely light */
		assert_int_equal(a->cfs_rq[1].h_load, 0);
		a->cfs_rq[1].shares = 1024;
		b->cfs_rq[1].shares = 600;
		update_h_load(hand_k(&h, 0), 1);
		assert_int_equal(a->cfs_rq[1].h_load, 2048 * 1024 / 2049);
		assert_int_equal(b->cfs_rq[1].h_load, 1023 * 600 / 1025);
		hand_free(&h);
	}
}

static void test_groups_are_walked_newest_first(void **state)
{
	struct task_group *root, *a, *b, *c;

	hand_init(&h, "2.6.35", 1, 1, 1);
	root = &h.m->groups_mem[0];
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, NULL, "/b");
	c = hand_group(&h, a, "/a/c");
	assert_ptr_equal(tg_next_preorder(root), b);
	assert_ptr_equal(tg_next_preorder(b), a);
	assert_ptr_equal(tg_next_preorder(a), c);
	assert_null(tg_next_preorder(c));
	assert_ptr_equal(tg_first_postorder(root), b);
	assert_ptr_equal(tg_next_postorder(b), c);
	assert_ptr_equal(tg_next_postorder(c), a);
	assert_ptr_equal(tg_next_postorder(a), root);
	assert_null(tg_next_postorder(root));
	hand_free(&h);
}

/* ---- effective_load --------------------------------------------------------------- */

static int64_t effective(const struct task_group *tg, int64_t wl, int64_t wg)
{
	return (int64_t)h.v.share->effective_load(hand_k(&h, 0), tg, 0, wl, wg);
}

/* shares 64 of 1024 on this CPU, computed when its load was 2048 */
static void test_effective_load_of_a_group(void **state)
{
	static const struct {
		uint32_t tasks;
		int64_t wl, wg, eff;
	} rows[] = {
		{2, 1024, 1024, 29}, {2, -1024, -1024, -30}, {3, 1024, 1024, 56},
		{2, 0, 1024, 0},     {2, 0, -1024, 0},
	};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_group *tg;

		hand_init(&h, kernels[i % 2], 1, 2, 1);
		tg = hand_group(&h, NULL, "/a");
		put_tasks(tg, 0, rows[i / 2].tasks);
		tg->cfs_rq[0].shares = 64;
		tg->cfs_rq[0].rq_weight = 2048;
		assert_int_equal(effective(tg, rows[i / 2].wl, rows[i / 2].wg), rows[i / 2].eff);
		hand_free(&h);
	}
}

static void test_effective_load_of_the_root_and_of_a_new_group(void **state)
{
	struct task_group *tg;

	hand_init(&h, "2.6.35", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	assert_int_equal(effective(&h.m->groups_mem[0], 1024, 1024), 1024);
	assert_int_equal(effective(&h.m->groups_mem[0], -1024, -1024), -1024);
	put_tasks(tg, 0, 1);
	assert_int_equal(effective(tg, 1024, 1024), 0);
	hand_free(&h);
	/* without ASYM_EFF_LOAD a change elsewhere counts: b grows, a does not */
	hand_init(&h, "2.6.35,NO_ASYM_EFF_LOAD", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_tasks(tg, 0, 2);
	tg->cfs_rq[0].shares = 64;
	tg->cfs_rq[0].rq_weight = 2048;
	assert_int_equal(effective(tg, 0, 1024), -1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_are_split_by_load),
		cmocka_unit_test(test_an_empty_group_is_split_evenly),
		cmocka_unit_test(test_a_lower_domain_splits_what_it_holds),
		cmocka_unit_test(test_no_shares_or_too_many_count_as_all),
		cmocka_unit_test(test_small_changes_are_not_written),
		cmocka_unit_test(test_a_group_never_weighs_less_than_two),
		cmocka_unit_test(test_shares_are_split_again_only_after_the_ratelimit),
		cmocka_unit_test(test_a_clock_behind_the_last_split_waits),
		cmocka_unit_test(test_without_groups_nothing_is_split),
		cmocka_unit_test(test_a_new_weight_requeues_the_entity),
		cmocka_unit_test(test_root_h_load_without_groups),
		cmocka_unit_test(test_h_load_is_a_product_down_the_tree),
		cmocka_unit_test(test_groups_are_walked_newest_first),
		cmocka_unit_test(test_effective_load_of_a_group),
		cmocka_unit_test(test_effective_load_of_the_root_and_of_a_new_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
