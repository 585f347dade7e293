/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks move from CPU 1 to CPU 0, both locked. */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/fair/cfs_rq.h"
#include "sched/hand_machine.h"
#include "sched/rq_lock.h"

static struct hand h;
static uint64_t mask_mem[MASK_WORDS(64)];

static struct lb attempt(const char *kernel, uint32_t n, enum cpu_idle_type idle)
{
	struct lb lb = {.idle = idle, .all_candidates = true, .all_pinned = true};

	hand_init(&h, kernel, 1, 2, 1);
	hand_tasks(&h, 1, n);
	lb.sd = hand_sd(&h, 0, 0);
	lb.this_rq = hand_rq(&h, 0);
	return lb;
}

static bool move(struct lb *lb, uint64_t imbalance)
{
	bool moved;

	lb->imbalance = imbalance;
	double_rq_lock(hand_k(&h, 0), lb->this_rq, hand_rq(&h, 1));
	moved = move_tasks_by_group(hand_k(&h, 0), lb, hand_rq(&h, 1));
	double_rq_unlock(hand_k(&h, 0), lb->this_rq, hand_rq(&h, 1));
	return moved;
}

struct may_row {
	uint64_t ago_ns; /* since it last started to run, by its queue's clock */
	uint32_t failed; /* attempts; cache_nice_tries is 1 */
	bool allowed, running, buddy, may, hot_gained, pinned;
};

static void test_who_may_be_moved(void **state)
{
	static const struct may_row rows[] = {
		{500000, 0, true, false, false, true, false, false},
		{499999, 0, true, false, false, false, false, false},
		{499999, 1, true, false, false, false, false, false},
		{499999, 2, true, false, false, true, true, false},
		{500000, 2, true, false, false, true, false, false},
		{500000, 0, false, false, false, false, false, true},
		{500000, 9, true, true, false, false, false, false},
		/* a buddy is hot however long ago it ran */
		{500000, 0, true, false, true, false, false, false},
		{500000, 2, true, false, true, true, true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct may_row *r = &rows[i];
		struct lb lb = attempt("2.6.35", 3, CPU_IDLE);
		struct mask *m = mask_init(mask_mem, 2);
		struct rq *src = hand_rq(&h, 1);
		struct task *p = r->running ? src->curr : &h.m->tasks[2];

		hand_tasks(&h, 0, 1);
		mask_set(m, 1);
		if (!r->allowed)
			p->allowed = m;
		if (r->buddy)
			src->cfs->last = &p->se;
		p->se.exec_start_ns = src->clock_ns - r->ago_ns;
		lb.sd->nr_balance_failed = r->failed;
		if (can_migrate_task(hand_k(&h, 0), &lb, src, p) != r->may ||
		    (lb.sd->stats.lb_hot_gained[CPU_IDLE] == 1) != r->hot_gained ||
		    lb.all_pinned != r->pinned)
			fail_msg("row %zu", i);
		hand_free(&h);
	}
}

/* Buddies are hot only to a CPU that has something to run itself, and by a switch. */
static void test_buddies_are_not_hot_to_an_empty_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t here;
		bool may;
	} rows[] = {
		{"2.6.35", 0, true}, {"2.6.35", 1, false}, {"2.6.35,NO_CACHE_HOT_BUDDY", 1, true}};

	for (int i = 0; i < 3; i++) {
		struct lb lb = attempt(rows[i].kernel, 3, CPU_IDLE);
		struct rq *src = hand_rq(&h, 1);

		hand_tasks(&h, 0, rows[i].here);
		src->cfs->next = &h.m->tasks[2].se;
		assert_int_equal(can_migrate_task(hand_k(&h, 0), &lb, src, &h.m->tasks[2]),
				 rows[i].may);
		hand_free(&h);
	}
}

static void test_nothing_is_hot_without_a_migration_cost(void **state)
{
	struct lb lb = attempt("2.6.35,sched_migration_cost=0", 2, CPU_IDLE);

	h.m->tasks[1].se.exec_start_ns = hand_rq(&h, 1)->clock_ns;
	assert_true(can_migrate_task(hand_k(&h, 0), &lb, hand_rq(&h, 1), &h.m->tasks[1]));
	hand_free(&h);
}

/* A task is moved when half of it is still wanted; the newest goes first. */
static void test_half_a_task_is_enough(void **state)
{
	static const struct {
		uint64_t imbalance;
		uint32_t moved;
		bool pinned;
	} rows[] = {
		/* 3 tasks: amount x 3072 / 3073; one is booked as 1023, the rest tried again */
		{512, 0, true},  {513, 1, false}, {1024, 1, false},
		{1025, 1, true}, {1535, 1, true}, {1536, 2, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb lb = attempt("2.6.35", 3, CPU_IDLE);

		assert_int_equal(move(&lb, rows[i].imbalance), rows[i].moved > 0);
		if (lb.moved != rows[i].moved)
			fail_msg("row %zu: moved %u", i, (unsigned)lb.moved);
		assert_int_equal(lb.all_pinned, rows[i].pinned);
		if (rows[i].moved)
			assert_int_equal(h.m->tasks[2].cpu, 0);
		hand_free(&h);
	}
}

/* Groups newest first, the root last; an amount is scaled into each group's own units. */
static void test_groups_are_emptied_newest_first(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct lb lb = attempt("2.6.35", 2, CPU_IDLE);
	struct task_group *a, *b;
	struct task *in_a, *in_b;

	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, NULL, "/b");
	in_a = hand_task_in(&h, 1, &attr, a);
	in_b = hand_task_in(&h, 1, &attr, b);
	a->cfs_rq[1].shares = 1024;
	b->cfs_rq[1].shares = 1024;
	/* h_load of both 4096 x 1024 / 4097 = 1023: 1000 is 1000 x 1024 / 1024 in b */
	assert_true(move(&lb, 1000));
	assert_int_equal(in_b->cpu, 0);
	assert_int_equal(in_a->cpu, 1);
	assert_int_equal(lb.moved, 1);
	hand_free(&h);
}

/* A group without shares yet weighs nothing: its tasks move by the dozen. */
static void test_a_new_group_is_infinitely_light(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct lb lb = attempt("2.6.35", 1, CPU_IDLE);
	struct task_group *a = hand_group(&h, NULL, "/a");

	for (int i = 0; i < 5; i++)
		hand_task_in(&h, 1, &attr, a);
	/* booked as 0, so nothing was moved, officially */
	assert_false(move(&lb, 100));
	assert_int_equal(lb.moved, 5);
	hand_free(&h);
}

/* A preemptible kernel lets a waiting CPU have the lock. */
static void test_a_contended_lock_ends_a_preemptible_pass(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t moved;
	} rows[] = {{"2.6.35", 5}, {"2.6.35,preempt=full", 4}};

	for (int i = 0; i < 2; i++) {
		struct lb lb = attempt(rows[i].kernel, 12, CPU_IDLE);

		/* 5120 x 12288 / 12289 = 5119: 4 tasks and the fifth by half; a second pass for the rest */
		hand_rq(&h, 1)->lock.nwaiters = 1;
		move(&lb, 4 * 1024 + 500);
		hand_rq(&h, 1)->lock.nwaiters = 0;
		assert_in_range(lb.moved, 4, rows[i].moved);
		hand_free(&h);
	}
}

static void test_a_moved_task_tells_where_from_and_may_preempt(void **state)
{
	struct lb lb = attempt("2.6.35", 2, CPU_IDLE);
	struct task *p = &h.m->tasks[1];

	double_rq_lock(hand_k(&h, 0), hand_rq(&h, 0), hand_rq(&h, 1));
	pull_task(hand_k(&h, 0), &lb, hand_rq(&h, 1), p);
	double_rq_unlock(hand_k(&h, 0), hand_rq(&h, 0), hand_rq(&h, 1));
	assert_int_equal(h.last[RECORD_MIGRATE].a, p->id);
	assert_int_equal(h.last[RECORD_MIGRATE].b, 1);
	assert_int_equal(h.last[RECORD_MIGRATE].c, 0);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 1);
	assert_true(hand_rq(&h, 0)->curr->need_resched);
	assert_int_equal(p->stats.nr_migrations, 1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_may_be_moved),
		cmocka_unit_test(test_buddies_are_not_hot_to_an_empty_cpu),
		cmocka_unit_test(test_nothing_is_hot_without_a_migration_cost),
		cmocka_unit_test(test_half_a_task_is_enough),
		cmocka_unit_test(test_groups_are_emptied_newest_first),
		cmocka_unit_test(test_a_new_group_is_infinitely_light),
		cmocka_unit_test(test_a_contended_lock_ends_a_preemptible_pass),
		cmocka_unit_test(test_a_moved_task_tells_where_from_and_may_preempt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
