/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/hand_machine.h"

static struct hand h;

/* N tasks of nice 0 wait on CPU 0 of a machine of 8 CPUs. */
static struct cfs_rq *queue_of(const char *kernel, uint32_t n)
{
	hand_init(&h, kernel, 1, 8, 1);
	while (n--)
		hand_task(&h, 0, 0);
	return hand_rq(&h, 0)->cfs;
}

static void test_slices_of_equal_tasks(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t n;
		uint64_t slice_ns;
	} rows[] = {
		{"2.6.34", 2, 9995122},      {"2.6.34", 10, 3999605}, {"2.6.35", 2, 11994146},
		{"2.6.35", 7, 7998888},      {"2.6.35", 13, 7999411}, {"2.6.35-rc2", 2, 11994146},
		{"2.6.35-rc2", 13, 7999411},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_rq *q = queue_of(rows[i].kernel, rows[i].n);

		assert_int_equal(sched_slice(hand_k(&h, 0), q, cfs_rq_leftmost(q)),
				 rows[i].slice_ns);
		hand_free(&h);
	}
}

/* An entity that is not queued yet is counted as if it were. */
static void test_the_slice_of_a_newcomer_counts_it_in(void **state)
{
	struct cfs_rq *q = queue_of("2.6.35", 2);
	struct entity newcomer = {.load = {1024, 4194304}, .cfs_rq = q};
	uint64_t three;

	assert_int_equal(sched_slice(hand_k(&h, 0), q, cfs_rq_leftmost(q)), 11994146);
	three = sched_slice(hand_k(&h, 0), q, &newcomer);
	hand_task(&h, 0, 0);
	assert_int_equal(sched_slice(hand_k(&h, 0), q, cfs_rq_leftmost(q)), three);
	assert_int_equal(q->nr_running, 3);
	hand_free(&h);
}

/* Above nr_latency tasks the period grows by a minimum granularity each. */
static void test_the_period_stretches_above_nr_latency(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t n;
		uint64_t period_ns;
	} rows[] = {{"2.6.34", 5, 20000000},
		    {"2.6.34", 6, 24000000},
		    {"2.6.35", 3, 24000000},
		    {"2.6.35", 4, 32000000}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_rq *q = queue_of(rows[i].kernel, rows[i].n);
		uint64_t sum = rows[i].n * sched_slice(hand_k(&h, 0), q, cfs_rq_leftmost(q));

		/* the inverse of the sum rounds the slice down a little */
		assert_in_range(sum, rows[i].period_ns - rows[i].period_ns / 1000,
				rows[i].period_ns);
		hand_free(&h);
	}
}

/* The slice of a task in a group is its part of the group's part, of the task's own period. */
static void test_a_slice_shrinks_at_every_level(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *tg;
	struct task *p;

	hand_init(&h, "2.6.35", 1, 8, 1);
	tg = hand_group(&h, NULL, "/a");
	hand_task(&h, 0, 0);
	p = hand_task_in(&h, 0, &attr, tg);
	hand_task_in(&h, 0, &attr, tg);
	/* 24 ms for two tasks; half of it twice, each by the inverse 2096129 of 2048 */
	assert_int_equal(sched_slice(hand_k(&h, 0), p->se.cfs_rq, &p->se), 5994163);
	hand_free(&h);
}

static void test_a_fork_is_placed_one_slice_behind(void **state)
{
	struct cfs_rq *q = queue_of("2.6.35", 1);
	struct entity se = {.load = {1024, 4194304}, .cfs_rq = q};

	q->min_vruntime_vns = 1000000000;
	place_entity(hand_k(&h, 0), q, &se, true);
	assert_int_equal(se.vruntime_vns, 1000000000 + 11994146);
	hand_free(&h);
	q = queue_of("2.6.35,NO_START_DEBIT", 1);
	q->min_vruntime_vns = 1000000000;
	se = (struct entity){.load = {1024, 4194304}, .cfs_rq = q};
	place_entity(hand_k(&h, 0), q, &se, true);
	assert_int_equal(se.vruntime_vns, 1000000000);
	hand_free(&h);
}

static void test_a_waking_sleeper_is_placed_up_to_half_a_latency_ahead(void **state)
{
	static const struct {
		const char *kernel;
		int32_t credit_ns;
	} rows[] = {
		{"2.6.34", 10000000},
		{"2.6.34,NO_GENTLE_FAIR_SLEEPERS", 20000000},
		{"2.6.34,NO_FAIR_SLEEPERS", 0},
		{"2.6.35", 12000000},
		{"2.6.35,NO_GENTLE_FAIR_SLEEPERS", 24000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_rq *q = queue_of(rows[i].kernel, 0);
		struct task p = {.se = {.load = {1024, 4194304}, .cfs_rq = q}};

		q->min_vruntime_vns = 1000000000;
		place_entity(hand_k(&h, 0), q, &p.se, false);
		assert_int_equal(p.se.vruntime_vns, 1000000000 - rows[i].credit_ns);
		/* nobody gains time by sleeping shortly */
		p.se.vruntime_vns = 999999999;
		place_entity(hand_k(&h, 0), q, &p.se, false);
		assert_int_equal(p.se.vruntime_vns, rows[i].credit_ns ? 999999999 : 1000000000);
		hand_free(&h);
	}
}

/* NORMALIZED_SLEEPER: 20 ms in the virtual time of nice 5 (335), halved; idle tasks excepted. */
static void test_normalized_credit_depends_on_weight_except_for_idle_policy(void **state)
{
	struct cfs_rq *q = queue_of("2.6.34,NORMALIZED_SLEEPER", 0);
	struct task p = {.se = {.load = {335, 12820798}, .cfs_rq = q}};

	q->min_vruntime_vns = UINT64_C(1) << 40;
	place_entity(hand_k(&h, 0), q, &p.se, false);
	assert_int_equal((UINT64_C(1) << 40) - p.se.vruntime_vns, 61134329 / 2);
	p.policy = POLICY_IDLE;
	p.se.vruntime_vns = 0;
	place_entity(hand_k(&h, 0), q, &p.se, false);
	assert_int_equal((UINT64_C(1) << 40) - p.se.vruntime_vns, 10000000);
	hand_free(&h);
}

/* Insert in the order of ROWS; the tree must give them back as ORDER says. */
static void test_the_timeline_is_ordered_and_first_in_first_out_among_equals(void **state)
{
	static const uint64_t vruntime[] = {5, 3, 5, UINT64_MAX, 3, 5};
	static const uint32_t order[] = {3, 1, 4, 0, 2, 5};
	struct entity se[6] = {{.vruntime_vns = 0}};
	struct cfs_rq *q = queue_of("2.6.35", 0);

	for (uint32_t i = 0; i < 6; i++) {
		se[i].vruntime_vns = vruntime[i];
		timeline_insert(q, &se[i]);
	}
	assert_ptr_equal(cfs_rq_rightmost(q), &se[5]);
	for (uint32_t i = 0; i < 6; i++) {
		assert_ptr_equal(cfs_rq_leftmost(q), &se[order[i]]);
		timeline_erase(q, &se[order[i]]);
	}
	assert_null(cfs_rq_leftmost(q));
	assert_null(cfs_rq_rightmost(q));
	hand_free(&h);
}

static void test_min_vruntime_follows_the_least_and_never_goes_back(void **state)
{
	/* 0: absent */
	static const struct {
		uint64_t min, curr, left, expected;
	} rows[] = {
		{100, 0, 0, 100},     {100, 150, 0, 150},   {100, 0, 130, 130},
		{100, 150, 130, 130}, {100, 120, 130, 120}, {100, 90, 130, 100},
		{100, 150, 90, 100},
	};
	struct cfs_rq *q = queue_of("2.6.35", 0);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct entity curr = {.vruntime_vns = rows[i].curr};
		struct entity left = {.vruntime_vns = rows[i].left};

		q->min_vruntime_vns = rows[i].min;
		q->curr = rows[i].curr ? &curr : NULL;
		if (rows[i].left)
			timeline_insert(q, &left);
		update_min_vruntime(hand_k(&h, 0), q);
		assert_int_equal(q->min_vruntime_vns, rows[i].expected);
		if (rows[i].left)
			timeline_erase(q, &left);
		q->curr = NULL;
	}
	hand_free(&h);
}

static void test_min_vruntime_passes_zero_from_below(void **state)
{
	struct cfs_rq *q = queue_of("2.6.35", 0);
	struct entity curr = {.vruntime_vns = 5};

	q->curr = &curr;
	update_min_vruntime(hand_k(&h, 0), q);
	assert_int_equal(q->min_vruntime_vns, 5);
	q->curr = NULL;
	hand_free(&h);
}

static void test_run_time_is_booked_by_the_clock_of_the_queue_as_last_sampled(void **state)
{
	struct kctx *k;
	struct rq *rq;
	struct task *p;
	uint64_t v;

	hand_init(&h, "2.6.35", 1, 8, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
	p = hand_task(&h, 0, 5);
	sched_schedule(k);
	v = p->se.vruntime_vns;
	hand_at(&h, NS_PER_MS);
	update_curr(k, rq->cfs);
	assert_int_equal(p->se.sum_exec_ns, 0);
	update_rq_clock(k, rq);
	update_curr(k, rq->cfs);
	assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
	assert_int_equal(p->se.vruntime_vns - v, 3056716);
	assert_int_equal(rq->cfs->min_vruntime_vns, p->se.vruntime_vns);
	update_curr(k, rq->cfs);
	assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
	hand_free(&h);
}

/* The running entity is counted, on the list of movable tasks, but not in the tree. */
static void test_accounting_of_running_and_waiting(void **state)
{
	struct task *a, *b;
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 8, 1);
	rq = hand_rq(&h, 0);
	a = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	b = hand_task(&h, 0, 5);
	assert_ptr_equal(rq->curr, a);
	assert_ptr_equal(cfs_rq_leftmost(rq->cfs), &b->se);
	assert_ptr_equal(cfs_rq_rightmost(rq->cfs), &b->se);
	assert_int_equal(rq->cfs->nr_running, 2);
	assert_int_equal(rq->cfs->load.weight, 1024 + 335);
	assert_int_equal(rq->load.weight, 1024 + 335);
	assert_int_equal(rq->cfs->task_weight, 1024 + 335);
	/* newest first */
	assert_ptr_equal(rq->cfs->tasks.next, &b->lb_node);
	assert_ptr_equal(rq->cfs->tasks.prev, &a->lb_node);
	hand_free(&h);
}

/* Vruntime travels relative to min_vruntime: a task moved keeps its lag. */
static void test_vruntime_is_relative_between_queues(void **state)
{
	struct cfs_rq *from = queue_of("2.6.35", 2);
	struct cfs_rq *to = hand_rq(&h, 1)->cfs;
	struct task *p = &h.m->tasks[1];
	uint64_t lag;

	from->min_vruntime_vns = 7000000000;
	p->se.vruntime_vns = 7000123456;
	timeline_erase(from, &p->se);
	timeline_insert(from, &p->se);
	to->min_vruntime_vns = 100;
	lag = p->se.vruntime_vns - from->min_vruntime_vns;
	deactivate_task(hand_k(&h, 0), hand_rq(&h, 0), p, 0);
	assert_int_equal(p->se.vruntime_vns, lag);
	set_task_cpu(hand_k(&h, 0), p, 1);
	activate_task(hand_k(&h, 0), hand_rq(&h, 1), p, 0);
	assert_int_equal(p->se.vruntime_vns, lag + 100);
	assert_int_equal(p->stats.nr_migrations, 1);
	hand_free(&h);
}

static void test_a_sleeper_keeps_its_absolute_vruntime(void **state)
{
	struct task *p;
	uint64_t v;

	hand_init(&h, "2.6.35", 1, 8, 1);
	hand_tasks(&h, 0, 2);
	p = hand_rq(&h, 0)->curr;
	hand_at(&h, NS_PER_MS);
	v = p->se.vruntime_vns;
	hand_sleep(&h, 0);
	assert_int_equal(p->se.vruntime_vns, v + NS_PER_MS);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices_of_equal_tasks),
		cmocka_unit_test(test_the_slice_of_a_newcomer_counts_it_in),
		cmocka_unit_test(test_the_period_stretches_above_nr_latency),
		cmocka_unit_test(test_a_slice_shrinks_at_every_level),
		cmocka_unit_test(test_a_fork_is_placed_one_slice_behind),
		cmocka_unit_test(test_a_waking_sleeper_is_placed_up_to_half_a_latency_ahead),
		cmocka_unit_test(test_normalized_credit_depends_on_weight_except_for_idle_policy),
		cmocka_unit_test(test_the_timeline_is_ordered_and_first_in_first_out_among_equals),
		cmocka_unit_test(test_min_vruntime_follows_the_least_and_never_goes_back),
		cmocka_unit_test(test_min_vruntime_passes_zero_from_below),
		cmocka_unit_test(test_run_time_is_booked_by_the_clock_of_the_queue_as_last_sampled),
		cmocka_unit_test(test_accounting_of_running_and_waiting),
		cmocka_unit_test(test_vruntime_is_relative_between_queues),
		cmocka_unit_test(test_a_sleeper_keeps_its_absolute_vruntime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
