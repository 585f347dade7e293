/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/hand_machine.h"

static struct hand h;
static struct kctx *k;
static struct rq *rq;

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 8, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
}

/* ---- fork ------------------------------------------------------------------- */

static void test_a_child_starts_one_slice_behind_min_vruntime(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task *parent, *child;

	start("2.6.35");
	hand_tasks(&h, 0, 1);
	parent = rq->curr;
	rq->cfs->min_vruntime_vns = 1000;
	parent->se.vruntime_vns = 1000;
	child = sched_new_task(k, parent, &attr, parent->tg);
	/* relative to min_vruntime until it is queued; half of 24 ms for two */
	assert_int_equal(child->se.vruntime_vns, 11994146);
	assert_false(child->se.on_rq);
	sched_wake_up_first(k, child);
	assert_int_equal(child->se.vruntime_vns, 1000 + 11994146);
	hand_free(&h);
}

/* A parent far ahead takes its child along: no gain by forking. */
static void test_a_child_is_not_ahead_of_its_parent(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task *parent, *child;

	start("2.6.35");
	hand_tasks(&h, 0, 1);
	parent = rq->curr;
	rq->cfs->min_vruntime_vns = 1000;
	parent->se.vruntime_vns = 1000 + 50000000;
	/* nothing is booked, so min_vruntime does not follow */
	child = sched_new_task(k, parent, &attr, parent->tg);
	assert_int_equal(child->se.vruntime_vns, 50000000);
	sched_wake_up_first(k, child);
	hand_free(&h);
}

static void test_a_fork_uses_the_clock_as_last_sampled(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task *parent, *child;
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (int i = 0; i < 2; i++) {
		start(kernels[i]);
		hand_tasks(&h, 0, 1);
		parent = rq->curr;
		hand_at(&h, NS_PER_MS);
		child = sched_new_task(k, parent, &attr, parent->tg);
		assert_int_equal(parent->se.sum_exec_ns, 0);
		sched_wake_up_first(k, child);
		assert_int_equal(parent->se.sum_exec_ns, NS_PER_MS);
		hand_free(&h);
	}
}

static void test_child_runs_first_swaps_times_and_reschedules(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task *parent, *child;

	start("2.6.35,sched_child_runs_first=1");
	hand_tasks(&h, 0, 1);
	parent = rq->curr;
	rq->cfs->min_vruntime_vns = 1000;
	parent->se.vruntime_vns = 1000;
	child = sched_new_task(k, parent, &attr, parent->tg);
	assert_true(parent->need_resched);
	assert_int_equal(child->se.vruntime_vns, 0);
	assert_int_equal(parent->se.vruntime_vns, 1000 + 11994146);
	sched_wake_up_first(k, child);
	sched_schedule(k);
	assert_ptr_equal(rq->curr, child);
	hand_free(&h);
}

/* ---- yield -------------------------------------------------------------------- */

static void test_yield_books_time_and_forgets_buddies_but_stays_first(void **state)
{
	struct task *p;

	start("2.6.35");
	hand_tasks(&h, 0, 2);
	p = rq->curr;
	p->se.vruntime_vns -= 100000000;
	rq->cfs->last = &p->se;
	hand_at(&h, NS_PER_MS);
	sched_do_yield(k);
	assert_int_equal(rq->stats.yld_count, 1);
	assert_null(rq->cfs->last);
	assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
	assert_ptr_equal(rq->curr, p);
	hand_free(&h);
}

static void test_yield_alone_does_nothing(void **state)
{
	struct task *p;

	start("2.6.35");
	hand_tasks(&h, 0, 1);
	p = rq->curr;
	rq->cfs->last = &p->se;
	p->class->yield(k, rq);
	assert_ptr_equal(rq->cfs->last, &p->se);
	hand_free(&h);
}

/* Without booking its time; behind the one that ran most, unless it is there already. */
static void test_a_yielding_batch_task_goes_behind_all(void **state)
{
	struct task *p, *a, *b;

	start("2.6.35");
	hand_tasks(&h, 0, 3);
	p = rq->curr;
	p->policy = POLICY_BATCH;
	a = &h.m->tasks[p->id == 1];
	b = &h.m->tasks[p->id == 3 ? 1 : 2];
	timeline_erase(rq->cfs, &a->se);
	timeline_erase(rq->cfs, &b->se);
	p->se.vruntime_vns = 100;
	a->se.vruntime_vns = 200;
	b->se.vruntime_vns = 300;
	timeline_insert(rq->cfs, &a->se);
	timeline_insert(rq->cfs, &b->se);
	hand_at(&h, NS_PER_MS);
	p->class->yield(k, rq);
	assert_int_equal(p->se.vruntime_vns, 301);
	assert_int_equal(p->se.sum_exec_ns, 0);
	p->class->yield(k, rq);
	assert_int_equal(p->se.vruntime_vns, 301);
	hand_free(&h);
}

/* ---- levels ------------------------------------------------------------------- */

static void test_a_group_is_queued_with_its_first_task_and_leaves_with_its_last(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a, *b;
	struct task *p[2];

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	for (int i = 0; i < 2; i++) {
		p[i] = hand_task_in(&h, 0, &attr, b);
		assert_true(b->se[0].on_rq);
		assert_true(a->se[0].on_rq);
		assert_int_equal(a->cfs_rq[0].nr_running, 1);
		assert_int_equal(a->cfs_rq[0].h_nr_running, i + 1);
		assert_int_equal(rq->nr_running, i + 1);
		/* the root sees one entity of 1024 however many tasks are below */
		assert_int_equal(rq->load.weight, 1024);
	}
	deactivate_task(k, rq, p[0], DEQUEUE_SLEEP);
	assert_true(a->se[0].on_rq);
	deactivate_task(k, rq, p[1], DEQUEUE_SLEEP);
	assert_false(b->se[0].on_rq);
	assert_false(a->se[0].on_rq);
	assert_int_equal(rq->load.weight, 0);
	hand_free(&h);
}

/* A group entity above a queued task counts as woken: it gets a sleeper's credit. */
static void test_a_group_that_wakes_is_placed_as_a_sleeper(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a;

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	rq->cfs->min_vruntime_vns = UINT64_C(1) << 40;
	hand_task_in(&h, 0, &attr, a);
	assert_int_equal(a->se[0].vruntime_vns, (UINT64_C(1) << 40) - 12000000);
	hand_free(&h);
}

static void test_picking_and_putting_go_through_all_levels(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a, *b;
	struct task *p;

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	p = hand_task_in(&h, 0, &attr, b);
	sched_schedule(k);
	assert_ptr_equal(rq->cfs->curr, &a->se[0]);
	assert_ptr_equal(a->cfs_rq[0].curr, &b->se[0]);
	assert_ptr_equal(b->cfs_rq[0].curr, &p->se);
	hand_at(&h, NS_PER_MS);
	sched_tick(k);
	assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
	assert_int_equal(b->se[0].sum_exec_ns, NS_PER_MS);
	assert_int_equal(a->se[0].sum_exec_ns, NS_PER_MS);
	hand_sleep(&h, 0);
	assert_null(rq->cfs->curr);
	assert_null(b->cfs_rq[0].curr);
	assert_ptr_equal(rq->curr, rq->idle);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_child_starts_one_slice_behind_min_vruntime),
		cmocka_unit_test(test_a_child_is_not_ahead_of_its_parent),
		cmocka_unit_test(test_a_fork_uses_the_clock_as_last_sampled),
		cmocka_unit_test(test_child_runs_first_swaps_times_and_reschedules),
		cmocka_unit_test(test_yield_books_time_and_forgets_buddies_but_stays_first),
		cmocka_unit_test(test_yield_alone_does_nothing),
		cmocka_unit_test(test_a_yielding_batch_task_goes_behind_all),
		cmocka_unit_test(
			test_a_group_is_queued_with_its_first_task_and_leaves_with_its_last),
		cmocka_unit_test(test_a_group_that_wakes_is_placed_as_a_sleeper),
		cmocka_unit_test(test_picking_and_putting_go_through_all_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
