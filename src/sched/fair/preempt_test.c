/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU 0 of a machine of 8 runs `curr`; other tasks wait there. Virtual times
 * are set by hand, `lead` is how far a waiting task is behind the running one.
 */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/preempt.h"
#include "sched/hand_machine.h"

#define BASE_VNS (UINT64_C(1) << 40)
#define GRAN_NS ((int64_t)4000000)

static struct hand h;
static struct kctx *k;
static struct rq *rq;

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 8, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
}

static void set_vruntime(struct task *p, uint64_t vns)
{
	if (p != rq->curr)
		timeline_erase(p->se.cfs_rq, &p->se);
	p->se.vruntime_vns = vns;
	if (p != rq->curr)
		timeline_insert(p->se.cfs_rq, &p->se);
}

/* N tasks, all at BASE_VNS, the first running with a fresh slice; returns a waiting one. */
static struct task *run_n(uint32_t n)
{
	hand_tasks(&h, 0, n);
	for (uint32_t i = 0; i < n; i++)
		set_vruntime(&h.m->tasks[i], BASE_VNS);
	rq->cfs->min_vruntime_vns = BASE_VNS;
	rq->curr->need_resched = false;
	rq->cfs->last = NULL;
	for (uint32_t i = 0; i < n; i++)
		if (&h.m->tasks[i] != rq->curr)
			return &h.m->tasks[i];
	return NULL;
}

static void test_the_lead_is_compared_with_the_granularity(void **state)
{
	static const struct {
		int64_t lead;
		int32_t nice;
		int verdict;
	} rows[] = {
		{-1, 0, -1},
		{0, 0, -1},
		{1, 0, 0},
		{GRAN_NS, 0, 0},
		{GRAN_NS + 1, 0, 1},
		/* the granularity is in the woken one's virtual time: 4 ms at nice 5 and -5 */
		{12226866, 5, 0},
		{12226867, 5, 1},
		{1312399, -5, 0},
		{1312401, -5, 1},
	};

	start("2.6.35");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct entity curr = {.vruntime_vns = BASE_VNS, .cfs_rq = rq->cfs};
		struct task p = {.nice = 0};

		p.se.cfs_rq = rq->cfs;
		p.se.load.weight = rows[i].nice == 5 ? 335 : rows[i].nice ? 3121 : 1024;
		p.se.load.inv = rows[i].nice == 5 ? 12820798 : rows[i].nice ? 1376151 : 4194304;
		p.se.vruntime_vns = BASE_VNS - (uint64_t)rows[i].lead;
		assert_int_equal(wakeup_preempt_entity(k, &curr, &p.se), rows[i].verdict);
	}
	hand_free(&h);
}

struct preempt_row {
	const char *kernel;
	uint32_t n; /* tasks on the CPU, all of nice 0 */
	enum sched_policy curr, woken;
	int64_t lead_ns;
	uint32_t wake_flags;
	bool resched, last_buddy;
};

static void test_who_preempts_whom(void **state)
{
	static const struct preempt_row rows[] = {
		/* 2.6.35: nr_latency 3 */
		{"2.6.35", 2, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS, 0, false, false},
		{"2.6.35", 2, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 0, true, false},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS, 0, false, false},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 0, true, true},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, WF_FORK, true, true},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_NORMAL, 0, WF_SYNC, false, false},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_NORMAL, -1, 0, false, false},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_BATCH, 1000000000, 0, false, false},
		{"2.6.35", 3, POLICY_NORMAL, POLICY_IDLE, 1000000000, 0, false, false},
		{"2.6.35", 3, POLICY_IDLE, POLICY_IDLE, 1000000000, 0, false, false},
		{"2.6.35", 3, POLICY_BATCH, POLICY_NORMAL, GRAN_NS + 1, 0, true, true},
		/* everyone preempts an idle-policy task, which is nobody's last buddy */
		{"2.6.35", 3, POLICY_IDLE, POLICY_NORMAL, -1000000000, 0, true, false},
		{"2.6.35,NO_WAKEUP_PREEMPT", 3, POLICY_NORMAL, POLICY_NORMAL, 1000000000, 0, false,
		 false},
		{"2.6.35,NO_WAKEUP_PREEMPT", 3, POLICY_IDLE, POLICY_NORMAL, -1, 0, true, false},
		{"2.6.35,NO_LAST_BUDDY", 3, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 0, true,
		 false},
		/* 2.6.34: nr_latency 5; a fresh average of 4 ms makes the granularity full */
		{"2.6.34", 4, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS, 0, false, false},
		{"2.6.34", 4, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 0, true, false},
		{"2.6.34", 5, POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 0, true, true},
		{"2.6.34", 5, POLICY_NORMAL, POLICY_BATCH, 1000000000, 0, false, false},
		{"2.6.34", 5, POLICY_IDLE, POLICY_NORMAL, -1, 0, true, false},
		{"2.6.34,WAKEUP_SYNC", 5, POLICY_NORMAL, POLICY_NORMAL, -1, WF_SYNC, true, true},
		{"2.6.34,WAKEUP_SYNC", 5, POLICY_NORMAL, POLICY_NORMAL, -1, 0, false, false},
		{"2.6.34,WAKEUP_OVERLAP", 5, POLICY_NORMAL, POLICY_NORMAL, -1, 0, true, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct preempt_row *r = &rows[i];
		struct task *p;

		start(r->kernel);
		p = run_n(r->n);
		rq->curr->policy = (uint8_t)r->curr;
		p->policy = (uint8_t)r->woken;
		p->avg_overlap_ns = 0;
		rq->curr->avg_overlap_ns = 0;
		set_vruntime(p, BASE_VNS - (uint64_t)r->lead_ns);
		check_preempt_wakeup(k, rq, p, r->wake_flags);
		if (rq->curr->need_resched != r->resched ||
		    (rq->cfs->last == &rq->curr->se) != r->last_buddy)
			fail_msg("row %zu: resched %d, last buddy %d", i, rq->curr->need_resched,
				 rq->cfs->last == &rq->curr->se);
		/* as they were counted */
		rq->curr->policy = POLICY_NORMAL;
		p->policy = POLICY_NORMAL;
		hand_free(&h);
	}
}

static void test_nothing_happens_twice_or_to_oneself(void **state)
{
	struct task *p;

	start("2.6.35");
	p = run_n(3);
	set_vruntime(p, BASE_VNS - 1000000000);
	check_preempt_wakeup(k, rq, rq->curr, 0);
	assert_false(rq->curr->need_resched);
	rq->curr->need_resched = true;
	check_preempt_wakeup(k, rq, p, 0);
	assert_null(rq->cfs->last);
	hand_free(&h);
}

static void test_a_task_that_left_its_queue_is_no_last_buddy(void **state)
{
	struct task *p;

	start("2.6.35");
	p = run_n(4);
	set_vruntime(p, BASE_VNS - 1000000000);
	deactivate_task(k, rq, rq->curr, DEQUEUE_SLEEP);
	check_preempt_wakeup(k, rq, p, 0);
	assert_true(rq->curr->need_resched);
	assert_null(rq->cfs->last);
	activate_task(k, rq, rq->curr, ENQUEUE_WAKEUP);
	hand_free(&h);
}

static void test_the_stopper_preempts_at_once(void **state)
{
	start("2.6.35");
	run_n(3);
	sched_wake(k, rq->stop, 0);
	assert_true(rq->curr->need_resched);
	assert_ptr_equal(rq->cfs->last, &rq->curr->se);
	rq->cfs->last = NULL;
	sched_schedule(k);
	assert_ptr_equal(rq->curr, rq->stop);
	check_preempt_curr(k, rq, &h.m->tasks[0], 0);
	assert_false(rq->curr->need_resched);
	sched_stopper_run(k);
	hand_free(&h);
}

static void test_next_buddy_is_who_was_woken_but_not_forked(void **state)
{
	struct task *p;

	start("2.6.35,NEXT_BUDDY");
	p = run_n(3);
	check_preempt_wakeup(k, rq, p, WF_FORK);
	assert_null(rq->cfs->next);
	check_preempt_wakeup(k, rq, p, 0);
	assert_ptr_equal(rq->cfs->next, &p->se);
	rq->cfs->next = NULL;
	p->policy = POLICY_IDLE;
	check_preempt_wakeup(k, rq, p, 0);
	assert_null(rq->cfs->next);
	p->policy = POLICY_NORMAL;
	hand_free(&h);
	/* too few tasks for buddies */
	start("2.6.35,NEXT_BUDDY");
	p = run_n(2);
	check_preempt_wakeup(k, rq, p, 0);
	assert_null(rq->cfs->next);
	hand_free(&h);
}

/* Tasks in different groups are compared by the entities that queue side by side. */
static void test_groups_are_compared_where_they_meet(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a, *b;
	struct task *deep, *flat;

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	flat = hand_task(&h, 0, 0);
	sched_schedule(k);
	deep = hand_task_in(&h, 0, &attr, b);
	flat->se.vruntime_vns = BASE_VNS;
	flat->need_resched = false;
	/* the deep task's own vruntime says nothing here */
	deep->se.vruntime_vns = BASE_VNS - 1000000000;
	a->se[0].vruntime_vns = BASE_VNS - (uint64_t)GRAN_NS;
	check_preempt_wakeup(k, rq, deep, 0);
	assert_false(flat->need_resched);
	a->se[0].vruntime_vns -= 1;
	check_preempt_wakeup(k, rq, deep, 0);
	assert_true(flat->need_resched);
	hand_free(&h);
}

/* Preempted within a group beside which nothing else queues: no task at the level, no buddy. */
static void test_a_group_entity_is_no_last_buddy(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a;
	struct task *flat, *in[3];

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	for (int i = 0; i < 3; i++)
		in[i] = hand_task_in(&h, 0, &attr, a);
	sched_schedule(k);
	assert_ptr_equal(rq->curr->tg, a);
	flat = hand_task(&h, 0, 0);
	rq->curr->need_resched = false;
	a->se[0].vruntime_vns = BASE_VNS;
	set_vruntime(flat, BASE_VNS - (uint64_t)GRAN_NS - 1);
	/* three tasks in the current one's queue: many enough */
	check_preempt_wakeup(k, rq, flat, 0);
	assert_true(rq->curr->need_resched);
	assert_null(rq->cfs->last);
	assert_null(in[0]->se.cfs_rq->last);
	hand_free(&h);
}

static void test_a_last_buddy_is_set_at_every_level(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a;
	struct task *p = NULL;

	start("2.6.35");
	a = hand_group(&h, NULL, "/a");
	for (int i = 0; i < 3; i++)
		hand_task_in(&h, 0, &attr, a);
	sched_schedule(k);
	for (uint32_t i = 0; i < 3; i++)
		if (&h.m->tasks[i] != rq->curr)
			p = &h.m->tasks[i];
	rq->curr->se.vruntime_vns = BASE_VNS;
	set_vruntime(p, BASE_VNS - (uint64_t)GRAN_NS - 1);
	check_preempt_wakeup(k, rq, p, 0);
	assert_ptr_equal(a->cfs_rq[0].last, &rq->curr->se);
	assert_ptr_equal(rq->cfs->last, &a->se[0]);
	clear_buddies(&a->cfs_rq[0], &rq->curr->se);
	assert_null(a->cfs_rq[0].last);
	assert_null(rq->cfs->last);
	hand_free(&h);
}

/* ---- the tick -------------------------------------------------------------- */

struct tick_row {
	const char *kernel;
	uint32_t n;
	uint64_t ran_ns;
	int64_t lead_ns; /* how far the running one is ahead of the leftmost after that */
	bool resched;
};

static void test_the_tick_preempts_by_slice_and_by_lead(void **state)
{
	static const struct tick_row rows[] = {
		/* slice of 2: 11994146, minimum 8 ms */
		{"2.6.35", 2, 11994146, 0, false},
		{"2.6.35", 2, 11994147, 0, true},
		{"2.6.35", 2, 7999999, 1000000000, false},
		{"2.6.35", 2, 8000000, 11994146, false},
		{"2.6.35", 2, 8000000, 11994147, true},
		/* behind the leftmost: counts as far ahead once the minimum is run */
		{"2.6.35", 2, 7999999, -1, false},
		{"2.6.35", 2, 8000000, -1, true},
		{"2.6.35", 2, 11000000, -1000000000, true},
		/* slice of 2: 9995122, minimum 4 ms */
		{"2.6.34", 2, 9995122, 0, false},
		{"2.6.34", 2, 9995123, 0, true},
		{"2.6.34", 2, 3999999, -1, false},
		{"2.6.34", 2, 4000000, -1, true},
		{"2.6.34", 2, 4000000, 9995122, false},
		{"2.6.34", 2, 4000000, 9995123, true},
		/* slice of 10: 3999605, below the minimum */
		{"2.6.34", 10, 3999605, -1, false},
		{"2.6.34", 10, 3999606, -1, true},
		{"2.6.35,NO_WAKEUP_PREEMPT", 2, 11994146, -1, false},
		{"2.6.35,NO_WAKEUP_PREEMPT", 2, 11994147, 0, true},
		/* alone: the class does not ask */
		{"2.6.35", 1, 1000000000, 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tick_row *r = &rows[i];
		struct task *curr;

		start(r->kernel);
		run_n(r->n);
		curr = rq->curr;
		/* the tick will find it has run so long, at that lead */
		curr->se.exec_start_ns = rq->clock_ns;
		curr->se.prev_sum_exec_ns = curr->se.sum_exec_ns;
		curr->se.vruntime_vns = BASE_VNS + (uint64_t)r->lead_ns - r->ran_ns;
		hand_at(&h, r->ran_ns);
		sched_tick(k);
		if (curr->need_resched != r->resched)
			fail_msg("row %zu: resched %d", i, curr->need_resched);
		hand_free(&h);
	}
}

/* A slice used up takes the buddies along; a mere lead does not. */
static void test_the_end_of_a_slice_clears_buddies(void **state)
{
	start("2.6.35");
	run_n(2);
	rq->cfs->last = &rq->curr->se;
	rq->cfs->next = &rq->curr->se;
	rq->curr->se.exec_start_ns = rq->clock_ns;
	hand_at(&h, 11994147);
	sched_tick(k);
	assert_null(rq->cfs->last);
	assert_null(rq->cfs->next);
	hand_free(&h);
	start("2.6.35");
	run_n(2);
	rq->cfs->last = &rq->curr->se;
	rq->curr->se.exec_start_ns = rq->clock_ns;
	rq->curr->se.vruntime_vns = BASE_VNS + 100000000;
	hand_at(&h, 8000000);
	sched_tick(k);
	assert_true(rq->curr->need_resched);
	assert_ptr_equal(rq->cfs->last, &rq->curr->se);
	hand_free(&h);
}

/* Rescheduled for being behind it is picked again: no switch, but a new slice. */
static void test_being_behind_restarts_the_slice_without_a_switch(void **state)
{
	struct task *curr;
	uint64_t switches;

	start("2.6.35");
	run_n(2);
	curr = rq->curr;
	curr->se.exec_start_ns = rq->clock_ns;
	curr->se.vruntime_vns = BASE_VNS - 100000000;
	switches = rq->nr_switches;
	hand_at(&h, 9000000);
	sched_tick(k);
	assert_true(curr->need_resched);
	sched_schedule(k);
	assert_ptr_equal(rq->curr, curr);
	assert_int_equal(rq->nr_switches, switches);
	assert_int_equal(curr->se.prev_sum_exec_ns, curr->se.sum_exec_ns);
	hand_free(&h);
}

/* ---- 2.6.34's adaptive granularity -------------------------------------------- */

static void test_granularity_follows_the_average_run_between_wakeups(void **state)
{
	static const struct {
		uint64_t avg_ns, ran_ns;
		int64_t gran_ns;
	} rows[] = {
		/* 3 tasks: expected 6 times the average */
		{100000, 0, 600000}, {100000, 200000, 400000}, {100000, 600000, 0},
		{100000, 700000, 0}, {1000000, 0, 4000000},    {1000000, 3000000, 3000000},
		{0, 0, 0},
	};

	start("2.6.34");
	run_n(3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = &h.m->tasks[rq->curr == &h.m->tasks[0]];
		struct entity *se = &rq->curr->se;
		struct task copy = *p;

		copy.avg_wakeup_ns = rows[i].avg_ns;
		se->prev_sum_exec_ns = se->sum_exec_ns - rows[i].ran_ns;
		copy.se.vruntime_vns = se->vruntime_vns - (uint64_t)rows[i].gran_ns - 1;
		assert_int_equal(wakeup_preempt_entity(k, se, &copy.se), 1);
		copy.se.vruntime_vns++;
		assert_int_equal(wakeup_preempt_entity(k, se, &copy.se), rows[i].gran_ns ? 0 : -1);
		se->prev_sum_exec_ns = se->sum_exec_ns;
	}
	hand_free(&h);
}

/* While picking nobody is current, and the granularity is the fixed one. */
static void test_granularity_is_fixed_while_picking(void **state)
{
	struct entity *curr;
	struct task copy;

	start("2.6.34");
	copy = *run_n(3);
	curr = &rq->curr->se;
	copy.avg_wakeup_ns = 0;
	copy.se.vruntime_vns = BASE_VNS - 1000000;
	assert_int_equal(wakeup_preempt_entity(k, curr, &copy.se), 1);
	rq->cfs->curr = NULL;
	assert_int_equal(wakeup_preempt_entity(k, curr, &copy.se), 0);
	rq->cfs->curr = curr;
	hand_free(&h);
}

/* NO_ASYM_GRAN: in the running one's virtual time, rounded like any other. */
static void test_granularity_without_asym_gran_is_the_running_tasks(void **state)
{
	struct entity curr = {.load = {335, 12820798}, .vruntime_vns = BASE_VNS};
	struct task p = {.se = {.load = {1024, 4194304}}};

	start("2.6.34,NO_ASYM_GRAN,NO_ADAPTIVE_GRAN");
	curr.cfs_rq = rq->cfs;
	p.se.cfs_rq = rq->cfs;
	p.se.vruntime_vns = BASE_VNS - 12226866;
	assert_int_equal(wakeup_preempt_entity(k, &curr, &p.se), 0);
	p.se.vruntime_vns--;
	assert_int_equal(wakeup_preempt_entity(k, &curr, &p.se), 1);
	hand_free(&h);
}

/* ---- picking ---------------------------------------------------------------- */

struct pick_row {
	int64_t next_ns,
		last_ns; /* how far the buddies are ahead of the leftmost; -1: no such buddy */
	int picked;      /* 0: the leftmost, 1: next, 2: last */
};

static void test_buddies_are_picked_within_a_granularity_and_the_last_wins(void **state)
{
	static const struct pick_row rows[] = {
		{-1, -1, 0},
		{GRAN_NS, -1, 1},
		{GRAN_NS + 1, -1, 0},
		{-1, GRAN_NS, 2},
		{-1, GRAN_NS + 1, 0},
		{1000, 2000, 2},
		{1000, GRAN_NS + 1, 1},
		{GRAN_NS + 1, 1000, 2},
	};
	static const char *const kernels[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};

	for (size_t i = 0; i < 3 * sizeof(rows) / sizeof(rows[0]); i++) {
		const struct pick_row *r = &rows[i / 3];
		struct task *t[3];

		start(kernels[i % 3]);
		for (int j = 0; j < 3; j++)
			t[j] = hand_task(&h, 0, 0);
		set_vruntime(t[0], BASE_VNS);
		set_vruntime(t[1], BASE_VNS + (uint64_t)(r->next_ns < 0 ? 9000000 : r->next_ns));
		set_vruntime(t[2], BASE_VNS + (uint64_t)(r->last_ns < 0 ? 9000000 : r->last_ns));
		rq->cfs->next = r->next_ns < 0 ? NULL : &t[1]->se;
		rq->cfs->last = r->last_ns < 0 ? NULL : &t[2]->se;
		sched_schedule(k);
		if (rq->curr != t[r->picked])
			fail_msg("row %zu on %s: picked task %u", i / 3, kernels[i % 3],
				 (unsigned)rq->curr->id);
		/* who was picked is a buddy no longer; the other stays */
		assert_true(rq->cfs->next != &rq->curr->se);
		assert_true(rq->cfs->last != &rq->curr->se);
		if (r->picked == 2 && r->next_ns >= 0)
			assert_ptr_equal(rq->cfs->next, &t[1]->se);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_lead_is_compared_with_the_granularity),
		cmocka_unit_test(test_who_preempts_whom),
		cmocka_unit_test(test_nothing_happens_twice_or_to_oneself),
		cmocka_unit_test(test_a_task_that_left_its_queue_is_no_last_buddy),
		cmocka_unit_test(test_the_stopper_preempts_at_once),
		cmocka_unit_test(test_next_buddy_is_who_was_woken_but_not_forked),
		cmocka_unit_test(test_groups_are_compared_where_they_meet),
		cmocka_unit_test(test_a_group_entity_is_no_last_buddy),
		cmocka_unit_test(test_a_last_buddy_is_set_at_every_level),
		cmocka_unit_test(test_the_tick_preempts_by_slice_and_by_lead),
		cmocka_unit_test(test_the_end_of_a_slice_clears_buddies),
		cmocka_unit_test(test_being_behind_restarts_the_slice_without_a_switch),
		cmocka_unit_test(test_granularity_follows_the_average_run_between_wakeups),
		cmocka_unit_test(test_granularity_is_fixed_while_picking),
		cmocka_unit_test(test_granularity_without_asym_gran_is_the_running_tasks),
		cmocka_unit_test(test_buddies_are_picked_within_a_granularity_and_the_last_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
