/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine of 8 CPUs, so latency 24, minimum 3 and wake-up granularity 4 ms. */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/preempt.h"
#include "sched/hand_machine.h"

#define BASE_VNS (UINT64_C(1000) * NS_PER_MS)
#define GRAN_NS (4 * NS_PER_MS)

static struct hand h;
static struct rq *rq;
static struct kctx *k;

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 8, 1);
	rq = hand_rq(&h, 0);
	k = hand_k(&h, 0);
}

static void set_vruntime(struct task *p, uint64_t vns)
{
	bool queued = &p->se != p->se.cfs_rq->curr;

	if (queued)
		timeline_erase(p->se.cfs_rq, &p->se);
	p->se.vruntime_vns = vns;
	if (queued)
		timeline_insert(p->se.cfs_rq, &p->se);
}

/* N waiting tasks of the root group on CPU 0, BASE_VNS + LEAD_NS[i] each. */
static void queue_n(const uint64_t *lead_ns, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		hand_task(&h, 0, 0);
	for (uint32_t i = 0; i < n; i++)
		set_vruntime(&h.m->tasks[i], BASE_VNS + lead_ns[i]);
	rq->cfs->next = rq->cfs->last = rq->cfs->skip = NULL;
	rq->idle->need_resched = false;
}

static struct entity *se_of(int i)
{
	return i < 0 ? NULL : &h.m->tasks[i].se;
}

static void test_which_buddy_wins(void **state)
{
	static const struct {
		uint64_t lead[3];
		int skip, last, next, picked;
	} rows[] = {
		{{0, 1, 2}, -1, -1, -1, 0},
		/* the leftmost is passed over if the second is within the granularity */
		{{0, 1, 2}, 0, -1, -1, 1},
		{{0, GRAN_NS, GRAN_NS}, 0, -1, -1, 1},
		{{0, GRAN_NS + 1, GRAN_NS + 1}, 0, -1, -1, 0},
		/* skip concerns the leftmost only */
		{{0, 1, 2}, 1, -1, -1, 0},
		/* last, then next, each within the granularity of the leftmost; next wins */
		{{0, 1, 2}, -1, 1, -1, 1},
		{{0, 1, 2}, -1, -1, 2, 2},
		{{0, 1, 2}, -1, 1, 2, 2},
		{{0, GRAN_NS, GRAN_NS + 1}, -1, 1, 2, 1},
		{{0, GRAN_NS + 1, GRAN_NS + 2}, -1, 1, 2, 0},
		/* a buddy is asked even if it is the one to skip */
		{{0, 1, 2}, 0, 0, -1, 0},
		{{0, 1, 2}, 0, 2, -1, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_rq *q;

		start(kernels[i % 4]);
		queue_n(rows[i].lead, 3);
		q = rq->cfs;
		q->skip = se_of(rows[i].skip);
		q->last = se_of(rows[i].last);
		q->next = se_of(rows[i].next);
		assert_ptr_equal(h.v.fair->pick_entity(k, q), se_of(rows[i].picked));
		/* the picked one is a buddy no more, the others stay */
		assert_ptr_equal(q->skip,
				 rows[i].skip == rows[i].picked ? NULL : se_of(rows[i].skip));
		assert_ptr_equal(q->last,
				 rows[i].last == rows[i].picked ? NULL : se_of(rows[i].last));
		assert_ptr_equal(q->next,
				 rows[i].next == rows[i].picked ? NULL : se_of(rows[i].next));
		hand_free(&h);
	}
}

/* One that waits alone is picked even if it is to be skipped. */
static void test_nobody_to_take_instead(void **state)
{
	static const uint64_t lead[] = {0};

	start("3.3");
	queue_n(lead, 1);
	rq->cfs->skip = se_of(0);
	assert_ptr_equal(h.v.fair->pick_entity(k, rq->cfs), se_of(0));
	assert_null(rq->cfs->skip);
	hand_free(&h);
}

/* Forgetting goes up only as far as the path is marked. */
static void test_forgetting_stops_at_the_first_other_buddy(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *a, *b;
	struct task *p, *other;

	start("3.4");
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	p = hand_task_in(&h, 0, &attr, b);
	other = hand_task_in(&h, 0, &attr, a);
	set_next_buddy(&p->se);
	a->cfs_rq[0].next = &other->se;
	h.v.fair->clear_buddies(&b->cfs_rq[0], &p->se);
	assert_null(b->cfs_rq[0].next);
	assert_ptr_equal(a->cfs_rq[0].next, &other->se);
	assert_ptr_equal(rq->cfs->next, &a->se[0]);
	/* not a buddy at its own level: nothing at all is forgotten */
	b->cfs_rq[0].last = NULL;
	a->cfs_rq[0].last = &b->se[0];
	h.v.fair->clear_buddies(&b->cfs_rq[0], &p->se);
	assert_ptr_equal(a->cfs_rq[0].last, &b->se[0]);
	hand_free(&h);
}

static void test_yielding(void **state)
{
	for (int v = 0; v < 4; v++) {
		uint64_t locks;
		struct task *p;

		start(kernels[v]);
		hand_tasks(&h, 0, 2);
		p = rq->curr;
		hand_at(&h, NS_PER_MS);
		locks = h.locks_taken;
		sched_do_yield(k);
		assert_int_equal(h.locks_taken - locks, 2);
		/* the other runs, though it would not lead yet; who yielded stays marked */
		assert_ptr_not_equal(rq->curr, p);
		assert_ptr_equal(rq->cfs->skip, &p->se);
		assert_int_equal(p->se.sum_exec_ns, NS_PER_MS);
		assert_int_equal(rq->stats.yld_count, 1);
		assert_false(rq->skip_clock_update);
		hand_free(&h);
	}
}

static void test_what_yield_does_to_the_clock(void **state)
{
	static const struct {
		enum sched_policy policy;
		uint32_t n;
		bool updates, marks;
	} rows[] = {{POLICY_NORMAL, 2, true, true},
		    {POLICY_BATCH, 2, false, true},
		    {POLICY_NORMAL, 1, false, false}};

	for (int i = 0; i < 3; i++) {
		struct task *p;

		start("3.3");
		hand_tasks(&h, 0, rows[i].n);
		p = rq->curr;
		p->policy = (uint8_t)rows[i].policy;
		hand_at(&h, NS_PER_MS);
		fair_sched_class.yield(k, rq);
		assert_int_equal(p->se.sum_exec_ns, rows[i].updates ? NS_PER_MS : 0);
		assert_int_equal(rq->skip_clock_update, rows[i].updates);
		assert_ptr_equal(rq->cfs->skip, rows[i].marks ? &p->se : NULL);
		/* frozen for everybody until schedule() */
		hand_at(&h, 2 * NS_PER_MS);
		if (rows[i].updates) {
			update_rq_clock(hand_k(&h, 1), rq);
			assert_int_equal(rq->clock_ns, HAND_START_NS + NS_PER_MS);
		}
		rq->skip_clock_update = false;
		hand_free(&h);
	}
}

static void test_who_preempts(void **state)
{
	static const struct {
		enum sched_policy curr, woken;
		int64_t lead_ns;
		uint32_t n;
		bool resched, next, last;
	} rows[] = {
		{POLICY_NORMAL, POLICY_NORMAL, GRAN_NS, 3, false, false, false},
		{POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 3, true, true, false},
		/* 8 tasks or more: the preempted one is remembered */
		{POLICY_NORMAL, POLICY_NORMAL, GRAN_NS + 1, 8, true, true, true},
		{POLICY_NORMAL, POLICY_BATCH, 100 * GRAN_NS, 8, false, false, false},
		{POLICY_NORMAL, POLICY_IDLE, 100 * GRAN_NS, 8, false, false, false},
		{POLICY_IDLE, POLICY_IDLE, 100 * GRAN_NS, 8, false, false, false},
		/* by policy alone: no next buddy, and SCHED_IDLE is nobody's last buddy */
		{POLICY_IDLE, POLICY_NORMAL, -(int64_t)GRAN_NS, 8, true, false, false},
		{POLICY_IDLE, POLICY_BATCH, -(int64_t)GRAN_NS, 8, true, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = NULL;

		start(kernels[i % 4]);
		hand_tasks(&h, 0, rows[i].n);
		for (uint32_t t = 0; t < rows[i].n; t++) {
			if (&h.m->tasks[t] != rq->curr)
				p = &h.m->tasks[t];
			set_vruntime(&h.m->tasks[t], BASE_VNS);
		}
		set_vruntime(p, BASE_VNS - (uint64_t)rows[i].lead_ns);
		rq->curr->policy = (uint8_t)rows[i].curr;
		p->policy = (uint8_t)rows[i].woken;
		rq->cfs->next = NULL;
		check_preempt_curr(k, rq, p, 0);
		assert_int_equal(rq->curr->need_resched, rows[i].resched);
		assert_ptr_equal(rq->cfs->next, rows[i].next ? &p->se : NULL);
		assert_ptr_equal(rq->cfs->last, rows[i].last ? &rq->curr->se : NULL);
		/* the clock rests from then on, until schedule() */
		assert_int_equal(rq->skip_clock_update, rows[i].resched);
		/* as they were counted */
		rq->curr->policy = POLICY_NORMAL;
		p->policy = POLICY_NORMAL;
		hand_free(&h);
	}
}

/* Neither the idle task nor one that is dequeued already stops the clock. */
static void test_an_idle_cpu_keeps_its_clock(void **state)
{
	start("3.3");
	hand_task(&h, 0, 0);
	assert_true(rq->idle->need_resched);
	assert_false(rq->skip_clock_update);
	hand_free(&h);
}

/* A group that still has work is to run next when one of its tasks sleeps. */
static void test_a_group_whose_task_sleeps_is_next(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task_attr attr = {.nice = 0};
		struct task_group *a, *b;

		start(kernels[v]);
		a = hand_group(&h, NULL, "/a");
		b = hand_group(&h, a, "/a/b");
		hand_task_in(&h, 0, &attr, b);
		sched_schedule(k);
		hand_task_in(&h, 0, &attr, b);
		rq->curr->need_resched = false;
		rq->cfs->next = a->cfs_rq[0].next = b->cfs_rq[0].next = NULL;
		rq->curr->state = TASK_INTERRUPTIBLE;
		deactivate_task(k, rq, rq->curr, DEQUEUE_SLEEP);
		assert_null(b->cfs_rq[0].next);
		assert_ptr_equal(a->cfs_rq[0].next, &b->se[0]);
		assert_ptr_equal(rq->cfs->next, &a->se[0]);
		/* not if it only moves */
		rq->cfs->next = a->cfs_rq[0].next = NULL;
		hand_task_in(&h, 0, &attr, b);
		rq->cfs->next = a->cfs_rq[0].next = b->cfs_rq[0].next = NULL;
		deactivate_task(k, rq, &h.m->tasks[2], 0);
		assert_null(rq->cfs->next);
		activate_task(k, rq, &h.m->tasks[2], 0);
		activate_task(k, rq, rq->curr, ENQUEUE_WAKEUP);
		hand_free(&h);
	}
}

/* The tick compares with a signed lead: one behind the leftmost goes on, one a slice ahead not. */
static void test_the_tick_and_the_leftmost(void **state)
{
	static const struct {
		uint64_t ran_ns;
		int64_t lead_ns;
		bool resched;
	} rows[] = {
		{3 * NS_PER_MS, -1, false},
		{3 * NS_PER_MS, 12 * NS_PER_MS, false},
		{3 * NS_PER_MS, 12 * NS_PER_MS + 1, true},
		{3 * NS_PER_MS - 1, 100 * NS_PER_MS, false},
		{12 * NS_PER_MS, -100 * (int64_t)NS_PER_MS, false},
		{12 * NS_PER_MS + 1, -100 * (int64_t)NS_PER_MS, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *curr;

		start(kernels[i % 4]);
		hand_tasks(&h, 0, 2);
		curr = rq->curr;
		for (int t = 0; t < 2; t++)
			set_vruntime(&h.m->tasks[t], BASE_VNS);
		set_vruntime(curr, BASE_VNS + (uint64_t)rows[i].lead_ns);
		curr->se.sum_exec_ns = curr->se.prev_sum_exec_ns + rows[i].ran_ns;
		check_preempt_tick(k, rq->cfs, &curr->se);
		assert_int_equal(curr->need_resched, rows[i].resched);
		hand_free(&h);
	}
}

static void test_slices_of_equal_tasks(void **state)
{
	static const struct {
		uint32_t n;
		uint64_t slice_ns;
	} rows[] = {{2, 12000000}, {8, 3000000}, {40, 2999983}};

	for (int i = 0; i < 3; i++) {
		for (int v = 0; v < 4; v++) {
			start(kernels[v]);
			for (uint32_t n = 0; n < rows[i].n; n++)
				hand_task(&h, 0, 0);
			assert_int_equal(sched_slice(k, rq->cfs, cfs_rq_leftmost(rq->cfs)),
					 rows[i].slice_ns);
			hand_free(&h);
		}
	}
}

/* Made relative with the min_vruntime from before the departure. */
static void test_a_departure_is_relative_to_the_old_minimum(void **state)
{
	static const uint64_t lead[] = {5, 100};

	start("3.3");
	queue_n(lead, 2);
	rq->cfs->min_vruntime_vns = BASE_VNS;
	deactivate_task(k, rq, &h.m->tasks[0], 0);
	assert_int_equal(h.m->tasks[0].se.vruntime_vns, 5);
	assert_int_equal(rq->cfs->min_vruntime_vns, BASE_VNS + 100);
	activate_task(k, rq, &h.m->tasks[0], 0);
	hand_free(&h);
}

/* Three ways to join the list balancing takes from. */
static void test_where_tasks_join_the_list(void **state)
{
	static const struct {
		const char *kernel;
		bool per_rq, tail;
	} rows[] = {{"3.3", false, false},
		    {"3.3,+lb-rq-list", true, false},
		    {"3.4-rc2", true, true},
		    {"3.4-rc2,+nr-migrate-cap", true, true},
		    {"3.4-rc2,+nr-migrate-cap,+lb-list-head", true, false},
		    {"3.4", true, false}};

	for (int i = 0; i < 6; i++) {
		struct task_attr attr = {.nice = 0};
		const struct list *list;
		struct task_group *tg;

		start(rows[i].kernel);
		tg = hand_group(&h, NULL, "/a");
		hand_task_in(&h, 0, &attr, tg);
		hand_task_in(&h, 0, &attr, tg);
		list = rows[i].per_rq ? &rq->cfs_tasks : &tg->cfs_rq[0].tasks;
		assert_ptr_equal(list->next, &h.m->tasks[!rows[i].tail].lb_node);
		assert_ptr_equal(list->prev, &h.m->tasks[rows[i].tail].lb_node);
		assert_true(list_is_empty(rows[i].per_rq ? &tg->cfs_rq[0].tasks : &rq->cfs_tasks));
		/* a new weight of the group moves nothing */
		h.v.share->written(k, &tg->cfs_rq[0]);
		assert_ptr_equal(list->next, &h.m->tasks[!rows[i].tail].lb_node);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_buddy_wins),
		cmocka_unit_test(test_nobody_to_take_instead),
		cmocka_unit_test(test_forgetting_stops_at_the_first_other_buddy),
		cmocka_unit_test(test_yielding),
		cmocka_unit_test(test_what_yield_does_to_the_clock),
		cmocka_unit_test(test_who_preempts),
		cmocka_unit_test(test_an_idle_cpu_keeps_its_clock),
		cmocka_unit_test(test_a_group_whose_task_sleeps_is_next),
		cmocka_unit_test(test_the_tick_and_the_leftmost),
		cmocka_unit_test(test_slices_of_equal_tasks),
		cmocka_unit_test(test_a_departure_is_relative_to_the_old_minimum),
		cmocka_unit_test(test_where_tasks_join_the_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
