/* SPDX-License-Identifier: GPL-2.0-or-later */
#define HAND_TASKS 1300u
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/group.h"
#include "sched/fair/shares_entity.h"
#include "sched/hand_machine.h"

static struct hand h;
static const struct task_attr nice_0 = {.nice = 0};

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

static struct task *put_task(struct task_group *tg, uint32_t cpu)
{
	return hand_task_in(&h, cpu, &nice_0, tg);
}

/* CPU balances: all its groups are brought up to date. */
static void update(uint32_t cpu)
{
	h.v.share->update_cpu(hand_k(&h, cpu), cpu);
}

static void assert_load(const struct cfs_rq *q, uint64_t period, uint64_t avg,
			uint64_t contribution)
{
	assert_int_equal(q->load_period_ns, period);
	assert_int_equal(q->load_avg, avg);
	assert_int_equal(q->load_contribution, contribution);
}

/* A task that runs on from FROM_NS; the first two updates forget, the third reports. */
static void check_new_group(const char *kernel, uint64_t from_ns)
{
	struct task_group *tg;
	struct cfs_rq *q;

	hand_init(&h, kernel, 1, 4, 1);
	tg = hand_group(&h, NULL, "/a");
	q = &tg->cfs_rq[0];
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(tg->se[i].load.weight, 0);
		hand_rq(&h, i)->clock_ns = 0;
	}
	hand_at(&h, from_ns - HAND_START_NS);
	put_task(tg, 0);
	sched_schedule(hand_k(&h, 0));
	assert_load(q, 9999999, 0, 0);
	assert_int_equal(tg->se[0].load.weight, 1024);
	hand_at(&h, from_ns - HAND_START_NS + 11 * NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	assert_load(q, 9999999, UINT64_C(10239998976), 0);
	put_task(tg, 1);
	assert_int_equal(tg->se[1].load.weight, 1024);
	hand_at(&h, from_ns - HAND_START_NS + 22 * NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	assert_load(q, 5249999, UINT64_C(5375999744), 1023);
	assert_int_equal(tg->load_weight, 1023);
	put_task(tg, 2);
	assert_int_equal(tg->se[2].load.weight, 512);
	assert_int_equal(hand_rq(&h, 2)->load.weight, 512);
	hand_free(&h);
}

/* The same at any time, also where the run begins: a machine was up before. */
static void test_the_average_of_a_new_group(void **state)
{
	for (int v = 0; v < 4; v++) {
		check_new_group(kernels[v], NS_PER_S);
		check_new_group(kernels[v], 0);
		check_new_group(kernels[v], 1);
		check_new_group(kernels[v], 5 * NS_PER_MS);
	}
}

/* N tasks on every CPU of a group's LLCs, long enough for all to be reported. */
static struct task_group *spread(const char *kernel, uint32_t cores, uint32_t n)
{
	struct task_group *tg;

	hand_init(&h, kernel, 2, cores, 2);
	tg = hand_group(&h, NULL, "/a");
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		for (uint32_t t = 0; t < n; t++)
			put_task(tg, i);
	for (uint64_t t = 1; t <= 8; t++) {
		hand_at(&h, t * 11 * NS_PER_MS);
		for (uint32_t i = 0; i < h.m->ncpus; i++)
			update(i);
	}
	return tg;
}

static void test_what_a_task_of_a_wide_group_counts(void **state)
{
	static const struct {
		uint32_t cores, n;
		uint64_t weight, h_load, task_h_load, per_task;
	} rows[] = {
		{8, 1, 32, 31, 30, 32}, {8, 2, 32, 31, 15, 16}, {8, 4, 32, 31, 7, 8},
		{8, 18, 32, 31, 1, 1},  {8, 40, 32, 31, 0, 0},  {6, 2, 42, 41, 20, 21},
		{6, 3, 42, 41, 13, 14}, {6, 10, 42, 41, 4, 4},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int v = 0; v < 4; v++) {
			struct task_group *tg;
			const struct cfs_rq *q;

			tg = spread(kernels[v], rows[i].cores, rows[i].n);
			q = &tg->cfs_rq[5];
			update_h_load(hand_k(&h, 0), 5);
			assert_int_equal(tg->se[5].load.weight, rows[i].weight);
			assert_int_equal(q->h_load, rows[i].h_load);
			assert_int_equal(1024 * q->h_load / (q->load.weight + 1),
					 rows[i].task_h_load);
			assert_int_equal(hand_rq(&h, 5)->load.weight / hand_rq(&h, 5)->nr_running,
					 rows[i].per_task);
			hand_free(&h);
		}
	}
}

static void test_load_a_wakeup_adds_and_takes(void **state)
{
	static const struct {
		int64_t wl, wg, effect;
	} rows[] = {{1024, 1024, 15}, {0, 1024, -1}, {-1024, -1024, -16}, {0, -1024, 0}};

	for (int v = 0; v < 4; v++) {
		struct task_group *tg = spread(kernels[v], 8, 2);

		for (uint32_t i = 0; i < 32; i++)
			tg->cfs_rq[i].load_contribution = 2048;
		tg->load_weight = 65536;
		assert_int_equal(tg->se[3].load.weight, 32);
		for (int i = 0; i < 4; i++)
			assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), tg, 3, rows[i].wl,
								   rows[i].wg),
					 rows[i].effect);
		assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), &h.m->groups_mem[0], 3,
							   -77, 5),
				 -77);
		hand_free(&h);
	}
}

/* All of the shares where the group is alone, and never less than 2. */
static void test_bounds_of_an_effective_load(void **state)
{
	struct task_group *tg;

	hand_init(&h, "3.3", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_task(tg, 0);
	assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), tg, 0, 1024, 1024), 0);
	assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), tg, 0, -1024, -1024), 0);
	tg->load_weight = 100000;
	assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), tg, 0, -1024, -1024), 2 - 1024);
	/* more than there is cannot go; asked all the same it counts as very much */
	assert_int_equal(h.v.share->effective_load(hand_k(&h, 0), tg, 1, -1024, 0),
			 (int64_t)((0 - UINT64_C(1048576)) / 100000));
	tg->load_weight = 0;
	hand_free(&h);
}

/* An emptied group's entity ends with the least weight, whatever it had. */
static void test_the_weight_of_a_group_without_tasks(void **state)
{
	struct task_group *tg;

	hand_init(&h, "3.4", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_task(tg, 0);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	assert_int_equal(tg->se[0].load.weight, 2);
	assert_int_equal(hand_rq(&h, 0)->load.weight, 0);
	hand_free(&h);
}

/* One lock a listed group, none for the root; children first; gone 40 ms after the last load. */
static void test_the_list_of_leaves(void **state)
{
	struct task_group *a, *b;
	const struct list *pos;
	uint64_t before;
	struct rq *rq;

	hand_init(&h, "3.3", 1, 2, 1);
	rq = hand_rq(&h, 0);
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	hand_task(&h, 0, 0);
	before = rq->lock.acquired_count;
	update(0);
	assert_int_equal(rq->lock.acquired_count - before, 0);
	/* the child joins first, when its parent is not there yet; the parent before the root */
	put_task(b, 0);
	pos = rq->leaf_cfs_rqs.next;
	assert_ptr_equal(pos, &a->cfs_rq[0].leaf_node);
	assert_ptr_equal(pos->next, &h.m->groups_mem[0].cfs_rq[0].leaf_node);
	assert_ptr_equal(pos->next->next, &b->cfs_rq[0].leaf_node);
	before = rq->lock.acquired_count;
	update(0);
	assert_int_equal(rq->lock.acquired_count - before, 2);
	hand_free(&h);
}

static void test_a_group_leaves_the_list_long_after_its_last_task(void **state)
{
	struct task_group *tg;
	struct cfs_rq *q;

	hand_init(&h, "3.3", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	q = &tg->cfs_rq[0];
	put_task(tg, 0);
	sched_schedule(hand_k(&h, 0));
	for (uint64_t t = 1; t <= 4; t++) {
		hand_at(&h, t * 11 * NS_PER_MS);
		update(0);
	}
	hand_sleep(&h, 0);
	hand_at(&h, 54 * NS_PER_MS);
	update(0);
	assert_true(q->on_leaf_list);
	assert_true(q->load_avg > 0);
	hand_at(&h, (44 + 40) * NS_PER_MS);
	update(0);
	assert_true(q->on_leaf_list);
	hand_at(&h, (44 + 40) * NS_PER_MS + 1);
	update(0);
	assert_false(q->on_leaf_list);
	assert_int_equal(tg->load_weight, 0);
	hand_free(&h);
}

/* Written shares reach the entities of all CPUs, under each CPU's lock, at once. */
static void test_written_shares(void **state)
{
	struct task_group *tg;

	hand_init(&h, "3.3", 1, 2, 1);
	tg = hand_group(&h, NULL, "/a");
	put_task(tg, 1);
	hand_at(&h, NS_PER_MS);
	sched_group_set_shares(hand_k(&h, 0), tg, 512);
	assert_int_equal(tg->se[1].load.weight, 512);
	assert_int_equal(tg->se[0].load.weight, 2);
	assert_int_equal(hand_rq(&h, 1)->load.weight, 512);
	assert_int_equal(hand_rq(&h, 1)->clock_ns, HAND_START_NS);
	sched_group_set_shares(hand_k(&h, 0), tg, 1);
	assert_int_equal(tg->shares, 2);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_average_of_a_new_group),
		cmocka_unit_test(test_what_a_task_of_a_wide_group_counts),
		cmocka_unit_test(test_load_a_wakeup_adds_and_takes),
		cmocka_unit_test(test_bounds_of_an_effective_load),
		cmocka_unit_test(test_the_weight_of_a_group_without_tasks),
		cmocka_unit_test(test_the_list_of_leaves),
		cmocka_unit_test(test_a_group_leaves_the_list_long_after_its_last_task),
		cmocka_unit_test(test_written_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
