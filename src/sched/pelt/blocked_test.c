/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/blocked.h"
#include "sched/pelt/pelt_kernels.h"

/* Ids of the groups whose queues are listed on CPU 0, as "2 1 0". */
static const char *listed(struct hand *h, char *text)
{
	struct list *pos;
	size_t n = 0;

	text[0] = 0;
	list_for_each(pos, &hand_rq(h, 0)->leaf_cfs_rqs) {
		text[n++] = (char)('0' + container_of(pos, struct cfs_rq, leaf_node)->tg->id);
		text[n++] = ' ';
	}
	text[n ? n - 1 : 0] = 0;
	return text;
}

/* Groups 1 /a, 2 /a/b, 3 /c. */
static void groups(struct hand *h, const char *kernel, struct cfs_rq *q[4])
{
	struct task_group *a;

	pelt_init(h, kernel, 1);
	a = hand_group(h, NULL, "/a");
	hand_group(h, a, "/a/b");
	hand_group(h, NULL, "/c");
	for (uint32_t g = 0; g < 4; g++)
		q[g] = &h->m->groups_mem[g].cfs_rq[0];
}

static void test_branches_grow_children_first(void **state)
{
	struct cfs_rq *q[4];
	struct hand h;
	char text[16];

	groups(&h, "6.1", q);
	assert_false(list_add_leaf_cfs_rq(q[2]));
	assert_false(list_add_leaf_cfs_rq(q[1]));
	assert_true(list_add_leaf_cfs_rq(q[0]));
	assert_string_equal(listed(&h, text), "2 1 0");
	assert_true(list_add_leaf_cfs_rq(q[3]));
	assert_string_equal(listed(&h, text), "2 1 3 0");
	assert_true(list_add_leaf_cfs_rq(q[1]));
	list_del_leaf_cfs_rq(q[2]);
	list_del_leaf_cfs_rq(q[2]);
	assert_string_equal(listed(&h, text), "1 3 0");
	assert_true(list_add_leaf_cfs_rq(q[2]));
	assert_string_equal(listed(&h, text), "2 1 3 0");
	for (int g = 0; g < 4; g++)
		list_del_leaf_cfs_rq(q[g]);
	hand_free(&h);
}

static void test_a_branch_that_is_given_up_leaves_no_trace(void **state)
{
	struct cfs_rq *q[4];
	struct hand h;
	char text[16];

	groups(&h, "6.1", q);
	assert_false(list_add_leaf_cfs_rq(q[2]));
	list_del_leaf_cfs_rq(q[2]);
	assert_true(list_add_leaf_cfs_rq(q[0]));
	assert_true(list_add_leaf_cfs_rq(q[3]));
	assert_string_equal(listed(&h, text), "3 0");
	list_del_leaf_cfs_rq(q[3]);
	list_del_leaf_cfs_rq(q[0]);
	hand_free(&h);
}

static void test_a_sleeping_group_decays_up_to_the_root(void **state)
{
	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct cfs_rq *q[4];
		struct task p = {.se.load = {1 << 20, 0}};
		struct hand h;
		char text[16];
		bool left = true;
		int rounds;

		groups(&h, pelt_kernel_names[v], q);
		for (uint32_t g = 1; g < 4; g++)
			h.m->groups_mem[g].se[0].load.weight = 1 << 20;
		pelt_clock(&h, 0, HAND_START_NS + NS_PER_MS);
		p.se.cfs_rq = q[2];
		p.se.parent = &q[2]->tg->se[0];
		p.se.avg.load_avg = 1024;
		p.se.avg.util_avg = 800;
		attach_entity_cfs_rq(hand_k(&h, 0), &p.se);
		list_add_leaf_cfs_rq(q[2]);
		list_add_leaf_cfs_rq(q[1]);
		list_add_leaf_cfs_rq(q[0]);
		assert_int_equal(q[0]->avg.util_avg, 800);
		for (rounds = 0; left && rounds < 100; rounds++) {
			uint64_t util = q[0]->avg.util_avg;

			pelt_clock(&h, 0, hand_k(&h, 0)->now_ns + (UINT64_C(32) << 20));
			left = update_blocked_fair(hand_k(&h, 0), hand_rq(&h, 0));
			assert_true(q[0]->avg.util_avg <= util / 2);
		}
		assert_in_range(rounds, 9, 20);
		/* all that remains is below one unit, and goes */
		for (; rounds < 100; rounds++) {
			pelt_clock(&h, 0, hand_k(&h, 0)->now_ns + (UINT64_C(32) << 20));
			assert_false(update_blocked_fair(hand_k(&h, 0), hand_rq(&h, 0)));
		}
		assert_string_equal(listed(&h, text), "");
		assert_int_equal(q[2]->tg->load_avg, 0);
		/* a's own turn finds a up to date: it reports only if b's entity does it */
		assert_int_equal(q[1]->tg->load_avg != 0, !kver_has(&h.v, FEAT_BLOCKED_UPDATE_TG));
		hand_free(&h);
	}
}

static void test_what_keeps_an_empty_queue_listed(void **state)
{
	static const struct {
		const char *kernel;
		bool child, contrib, stays;
	} rows[] = {
		{"5.4", true, true, false},    {"6.1", false, true, false},
		{"6.1", true, false, true},    {"6.12", false, true, true},
		{"6.12", false, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_rq *q[4];
		struct hand h;

		groups(&h, rows[i].kernel, q);
		if (rows[i].child) {
			list_add_leaf_cfs_rq(q[2]);
			q[2]->load.weight = 1 << 20;
		}
		list_add_leaf_cfs_rq(q[1]);
		list_add_leaf_cfs_rq(q[0]);
		/* not reported away: the load is as it was reported */
		q[1]->pelt.tg_load_avg_contrib = rows[i].contrib ? 1000 : 0;
		update_blocked_fair(hand_k(&h, 0), hand_rq(&h, 0));
		assert_int_equal(q[1]->on_leaf_list, rows[i].stays);
		q[2]->load.weight = 0;
		for (int g = 0; g < 4; g++)
			list_del_leaf_cfs_rq(q[g]);
		hand_free(&h);
	}
}

static void test_parents_loads_are_reported_from_6_1_on(void **state)
{
	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct cfs_rq *q[4];
		struct hand h;

		groups(&h, pelt_kernel_names[v], q);
		list_add_leaf_cfs_rq(q[2]);
		list_add_leaf_cfs_rq(q[1]);
		list_add_leaf_cfs_rq(q[0]);
		q[2]->tg->se[0].avg.load_avg = 1; /* there is something to age */
		q[1]->avg.load_avg = 1000;
		q[1]->avg.load_sum = 47000 * 1000;
		pelt_clock(&h, 0, hand_k(&h, 0)->now_ns + (UINT64_C(1) << 20));
		/* the update of b's entity brings a up to date; a's own turn finds no change */
		update_blocked_fair(hand_k(&h, 0), hand_rq(&h, 0));
		assert_int_equal(q[1]->pelt.tg_load_avg_contrib != 0, v >= 2);
		for (int g = 0; g < 4; g++)
			list_del_leaf_cfs_rq(q[g]);
		hand_free(&h);
	}
}

/* Each queue that is listed costs its price, once a visit. */
static void test_ageing_takes_time_by_queues(void **state)
{
	struct cfs_rq *q[4];
	struct hand h;

	groups(&h, "5.4", q);
	h.prices.sched_ns[WORK_LEAF] = 1000;
	for (uint64_t n = 0; n <= 3; n++) {
		static const int order[] = {0, 1, 3};
		uint64_t before_ns = hand_k(&h, 0)->now_ns;

		for (uint64_t i = 0; i < n; i++)
			list_add_leaf_cfs_rq(q[order[i]]);
		update_blocked_fair(hand_k(&h, 0), hand_rq(&h, 0));
		assert_int_equal(hand_k(&h, 0)->now_ns - before_ns, 1000 * n);
	}
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches_grow_children_first),
		cmocka_unit_test(test_a_branch_that_is_given_up_leaves_no_trace),
		cmocka_unit_test(test_a_sleeping_group_decays_up_to_the_root),
		cmocka_unit_test(test_what_keeps_an_empty_queue_listed),
		cmocka_unit_test(test_parents_loads_are_reported_from_6_1_on),
		cmocka_unit_test(test_ageing_takes_time_by_queues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
