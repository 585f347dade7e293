/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of real-time tasks on one CPU, and what changes of policy and CPUs do. Priorities are users' ones. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/rt/rt.h"

#define ALL 0u

static struct hand h;

static struct task *curr(uint32_t cpu)
{
	return hand_rq(&h, cpu)->curr;
}

static struct task *first_of(uint32_t cpu, int32_t rt_prio)
{
	struct list *queue = &hand_rq(&h, cpu)->rt.active.queue[99 - rt_prio];

	return list_is_empty(queue) ? NULL : task_of_run_node(queue->next);
}

static struct task *round_robin(uint32_t cpu, int32_t rt_prio, uint64_t bits)
{
	struct task_attr attr = {.policy = POLICY_RR, .rt_priority = rt_prio};

	attr.cpus = hand_cpus(&h, bits);
	return hand_task_in(&h, cpu, &attr, NULL);
}

/* -- order -- */

static void test_equals_run_in_the_order_of_their_arrival(void **state)
{
	struct task *p[3];

	hand_init(&h, "3.19", 1, 2, 1);
	for (int i = 0; i < 3; i++)
		p[i] = hand_rt_on(&h, 0, 50, 1);
	sched_schedule(hand_k(&h, 0));
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(curr(0), p[i]);
		hand_sleep(&h, 0);
	}
	assert_ptr_equal(curr(0), hand_rq(&h, 0)->idle);
	hand_free(&h);
}

static void test_the_most_important_runs_and_the_preempted_goes_on_first(void **state)
{
	struct task *a, *b, *high, *low;

	hand_init(&h, "3.19", 1, 1, 1);
	low = hand_rt_on(&h, 0, 10, 1);
	a = hand_rt_running(&h, 0, 50, 1);
	b = hand_rt_on(&h, 0, 50, 1);
	assert_false(a->need_resched);
	high = hand_rt_on(&h, 0, 60, 1);
	assert_true(a->need_resched);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), high);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), a);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), b);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), low);
	hand_free(&h);
}

static void test_fair_tasks_wait_for_all_of_them(void **state)
{
	struct task *fair, *p;

	hand_init(&h, "3.3", 1, 1, 1);
	fair = hand_task(&h, 0, -20);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), fair);
	p = hand_rt_running(&h, 0, 1, 1);
	hand_task(&h, 0, -20);
	assert_false(p->need_resched);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0)->class, &fair_sched_class);
	hand_free(&h);
}

static void test_a_yield_lets_equals_go_first(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 1, 1);
	a = hand_rt_running(&h, 0, 50, 1);
	b = hand_rt_on(&h, 0, 50, 1);
	hand_rt_on(&h, 0, 40, 1);
	sched_do_yield(hand_k(&h, 0));
	assert_ptr_equal(curr(0), b);
	sched_do_yield(hand_k(&h, 0));
	assert_ptr_equal(curr(0), a);
	hand_free(&h);
}

/* Ticks until CPU 0's task is asked to go, at most MAX. */
static uint32_t ticks_until_resched(uint32_t max)
{
	uint32_t n = 0;

	while (n < max && !curr(0)->need_resched) {
		n++;
		for (uint32_t i = 0; i < h.m->ncpus; i++)
			hand_k(&h, i)->now_ns += h.m->tick_ns;
		sched_tick(hand_k(&h, 0));
	}
	return n;
}

static void test_a_slice_of_round_robin_is_100_ms(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t ticks;
	} rows[] = {{"3.19", 100}, {"3.3,hz=250", 25}, {"3.19,hz=500", 50}, {"2.6.35,hz=100", 10}};

	for (int v = 0; v < 4; v++) {
		struct task *a, *b;

		hand_init(&h, rows[v].kernel, 1, 1, 1);
		a = round_robin(0, 50, 1);
		b = round_robin(0, 50, 1);
		hand_rt_on(&h, 0, 40, 1);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(curr(0), a);
		for (int turn = 0; turn < 3; turn++) {
			assert_int_equal(ticks_until_resched(1000), rows[v].ticks);
			sched_schedule(hand_k(&h, 0));
			assert_ptr_equal(curr(0), turn & 1 ? a : b);
		}
		hand_free(&h);
	}
}

/* Half a slice used, preempted: it goes on with the other half, ahead of its equals. */
static void test_a_preempted_slice_is_continued(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 1, 1);
	a = round_robin(0, 50, 1);
	b = round_robin(0, 50, 1);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(ticks_until_resched(40), 40);
	hand_rt_running(&h, 0, 60, 1);
	ticks_until_resched(100);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), a);
	assert_int_equal(ticks_until_resched(1000), 60);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), b);
	hand_free(&h);
}

static void test_slices_end_only_beside_an_equal_and_only_with_round_robin(void **state)
{
	hand_init(&h, "3.19,sched_rt_runtime_us=-1", 1, 1, 1);
	round_robin(0, 50, 1);
	hand_rt_on(&h, 0, 40, 1);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(ticks_until_resched(500), 500);
	hand_free(&h);

	hand_init(&h, "3.19,sched_rt_runtime_us=-1", 1, 1, 1);
	hand_rt_running(&h, 0, 50, 1);
	round_robin(0, 50, 1);
	assert_int_equal(ticks_until_resched(500), 500);
	hand_free(&h);
}

static void test_a_child_has_the_rest_of_its_parents_slice(void **state)
{
	struct task_attr attr = {.policy = POLICY_RR, .rt_priority = 50};
	struct task *parent, *child;

	hand_init(&h, "3.19", 1, 1, 1);
	parent = round_robin(0, 50, 1);
	sched_schedule(hand_k(&h, 0));
	ticks_until_resched(30);
	child = sched_new_task(hand_k(&h, 0), parent, &attr, &h.m->groups_mem[0]);
	assert_int_equal(parent->rt.time_slice, 70);
	assert_int_equal(child->rt.time_slice, 70);
	hand_free(&h);
}

/* -- equal priority -- */

/* CPU 0 runs 50; CPU 1 idles or runs 90; CPU 2 runs 90. P of 50 comes to CPU 0. */
static void test_of_two_equals_the_one_that_can_go_makes_room(void **state)
{
	static const struct {
		uint64_t curr_cpus;
		bool room; /* CPU 1 idles */
		uint64_t p_cpus;
		bool preempts;
	} rows[] = {
		{ALL, true, 1, true},    /* only the running one can go */
		{ALL, true, 5, true},    /* P may run elsewhere, but there is no room */
		{ALL, true, ALL, false}, /* P will be pushed */
		{ALL, false, 1, false},  /* nowhere to go */
		{ALL, false, ALL, false}, {1, true, 1, false}, /* the running one is bound */
		{1, true, ALL, false},    {5, true, 1, false}, {3, true, 1, true},
	};
	static const char *const kernels[] = {"3.3", "3.19", "2.6.35", "3.19,+rt-push-lower-only"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) * 4; i++) {
		size_t row = i / 4;
		struct task *running, *p;
		struct rq *rq;

		hand_init(&h, kernels[i % 4], 1, 3, 1);
		rq = hand_rq(&h, 0);
		running = hand_rt_running(&h, 0, 50, rows[row].curr_cpus);
		hand_rt_running(&h, 2, 90, 4);
		if (!rows[row].room)
			hand_rt_running(&h, 1, 90, 2);
		p = hand_rt_waiting(&h, 0, 50, rows[row].p_cpus);
		rq_lock(hand_k(&h, 0), rq);
		check_preempt_curr(hand_k(&h, 0), rq, p, 0);
		rq_unlock(hand_k(&h, 0), rq);
		if (running->need_resched != rows[row].preempts ||
		    first_of(0, 50) != (rows[row].preempts ? p : running))
			fail_msg("row %d, %s", (int)row, kernels[i % 4]);
		hand_free(&h);
	}
}

/* The running one leaves: P runs at its place at once, it on the other CPU. */
static void test_the_running_equal_is_pushed_off(void **state)
{
	struct task *running, *p;

	hand_init(&h, "3.19", 1, 2, 1);
	running = hand_rt_running(&h, 0, 50, ALL);
	p = hand_rt_on(&h, 0, 50, 1);
	assert_true(running->need_resched);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), p);
	assert_int_equal(running->cpu, 1);
	sched_schedule(hand_k(&h, 1));
	assert_ptr_equal(curr(1), running);
	hand_free(&h);
}

static void test_an_equal_changes_nothing_once_a_reschedule_is_due(void **state)
{
	struct task *running, *p;
	struct rq *rq;

	hand_init(&h, "3.19", 1, 2, 1);
	rq = hand_rq(&h, 0);
	running = hand_rt_running(&h, 0, 50, ALL);
	p = hand_rt_waiting(&h, 0, 50, 1);
	running->need_resched = true;
	rq_lock(hand_k(&h, 0), rq);
	check_preempt_curr(hand_k(&h, 0), rq, p, 0);
	rq_unlock(hand_k(&h, 0), rq);
	assert_ptr_equal(first_of(0, 50), running);
	hand_free(&h);
}

/* -- pushable tasks, overload -- */

/* CPU 1 is more important than all, so nothing moves. */
static void test_pushable_tasks_are_kept_by_priority_then_arrival(void **state)
{
	struct task *low, *first, *second, *high;
	const struct rt_rq *rt;

	hand_init(&h, "3.19", 1, 2, 1);
	rt = &hand_rq(&h, 0)->rt;
	hand_rt_running(&h, 1, 95, 2);
	hand_rt_running(&h, 0, 90, 1);
	assert_int_equal(rt->highest_next, MAX_RT_PRIO);
	hand_rt_waiting(&h, 0, 80, 1);
	assert_null(pick_next_pushable_task(hand_rq(&h, 0)));
	low = hand_rt_waiting(&h, 0, 40, ALL);
	assert_int_equal(rt->highest_next, 59);
	first = hand_rt_waiting(&h, 0, 50, ALL);
	second = hand_rt_waiting(&h, 0, 50, ALL);
	high = hand_rt_waiting(&h, 0, 60, ALL);
	assert_int_equal(rt->highest_next, 39);
	assert_int_equal(rt->npushable, 4);
	hand_sleep(&h, 0);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), high);
	assert_ptr_equal(pick_next_pushable_task(hand_rq(&h, 0)), first);
	assert_int_equal(rt->highest_next, 49);
	hand_sleep(&h, 0);
	assert_ptr_equal(pick_next_pushable_task(hand_rq(&h, 0)), second);
	hand_sleep(&h, 0);
	assert_ptr_equal(pick_next_pushable_task(hand_rq(&h, 0)), low);
	hand_sleep(&h, 0);
	assert_null(pick_next_pushable_task(hand_rq(&h, 0)));
	assert_int_equal(rt->highest_next, MAX_RT_PRIO);
	assert_int_equal(rt->npushable, 0);
	hand_free(&h);
}

/* A preempted task joins behind its equals there, though ahead of them in the lists of all. */
static void test_a_preempted_task_is_pushable_last_of_its_equals(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	hand_rt_running(&h, 1, 95, 2);
	a = hand_rt_running(&h, 0, 50, ALL);
	b = hand_rt_waiting(&h, 0, 50, ALL);
	hand_rt_running(&h, 0, 90, 1);
	assert_ptr_equal(first_of(0, 50), a);
	assert_ptr_equal(pick_next_pushable_task(hand_rq(&h, 0)), b);
	hand_free(&h);
}

static bool overloaded(uint32_t cpu)
{
	const struct root_domain *rd = &h.m->rd;

	assert_int_equal(mask_weight(rd->rto_mask), rd->rto_count);
	assert_int_equal(mask_test(rd->rto_mask, cpu), hand_rq(&h, cpu)->rt.overloaded);
	return mask_test(rd->rto_mask, cpu);
}

/* Two tasks of which one, be it the running one, may go elsewhere. */
static void test_two_tasks_of_which_one_may_go_are_an_overload(void **state)
{
	hand_init(&h, "3.19", 1, 2, 1);
	hand_rt_running(&h, 1, 95, 2);
	hand_rt_running(&h, 0, 90, 1);
	assert_false(overloaded(0));
	hand_rt_waiting(&h, 0, 80, 1);
	assert_false(overloaded(0));
	hand_rt_waiting(&h, 0, 70, ALL);
	assert_true(overloaded(0));
	hand_sleep(&h, 0);
	assert_true(overloaded(0));
	hand_sleep(&h, 0);
	assert_false(overloaded(0));
	hand_rt_waiting(&h, 0, 60, 1);
	assert_true(overloaded(0));
	assert_int_equal(h.m->rd.rto_count, 1);
	hand_free(&h);
}

/* -- changes -- */

static void test_the_last_real_time_task_that_turns_fair_pulls(void **state)
{
	static const char *const kernels[] = {"3.3", "3.19"};

	for (int v = 0; v < 2; v++) {
		struct task *p, *q;

		hand_init(&h, kernels[v], 1, 2, 1);
		p = hand_rt_running(&h, 0, 80, 1);
		hand_rt_running(&h, 1, 90, 2);
		q = hand_rt_waiting(&h, 1, 50, ALL);
		hand_policy(&h, 0, p, POLICY_NORMAL, 5);
		assert_int_equal(q->cpu, 0);
		assert_true(p->need_resched);
		assert_int_equal(p->prio, 125);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(curr(0), q);
		hand_free(&h);
	}
}

/* Others of the class remain here: what comes next is picked as always. */
static void test_one_of_several_that_turns_fair_does_not_pull(void **state)
{
	struct task *p, *q, *other;

	hand_init(&h, "3.19", 1, 2, 1);
	p = hand_rt_running(&h, 0, 80, 1);
	other = hand_rt_waiting(&h, 0, 10, 1);
	hand_rt_running(&h, 1, 90, 2);
	q = hand_rt_waiting(&h, 1, 50, ALL);
	hand_policy(&h, 0, p, POLICY_NORMAL, 0);
	assert_int_equal(q->cpu, 1);
	assert_true(p->need_resched);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), other);
	hand_free(&h);
}

static void test_a_running_task_that_turns_real_time_runs_on(void **state)
{
	struct task *p, *fair;

	hand_init(&h, "3.19", 1, 2, 1);
	p = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	fair = hand_task(&h, 0, 0);
	hand_policy(&h, 0, p, POLICY_RR, 30);
	assert_ptr_equal(p->class, &rt_sched_class);
	assert_int_equal(p->prio, 69);
	assert_int_equal(h.m->rd.cpupri.level_of[0], 32);
	assert_false(p->need_resched);
	assert_int_equal(p->cpu, 0);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 2);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), p);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), fair);
	hand_free(&h);
}

/* A waiting one is pushed, or else preempts. */
static void test_a_waiting_task_that_turned_real_time_is_pushed_or_preempts(void **state)
{
	static const struct {
		int32_t curr, p;
		uint64_t p_cpus;
		bool pushed, resched;
	} rows[] = {
		{60, 50, ALL, true, false},
		{60, 50, 1, false, false},
		{40, 50, 1, false, true},
		{40, 50, ALL, false, true}, /* it beats the running one: no push */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kctx *k;
		struct task *p;
		struct rq *rq;

		hand_init(&h, "3.19", 1, 2, 1);
		k = hand_k(&h, 0);
		rq = hand_rq(&h, 0);
		hand_rt_running(&h, 0, rows[i].curr, 1);
		p = hand_rt_waiting(&h, 0, rows[i].p, rows[i].p_cpus);
		rq_lock(k, rq);
		rt_sched_class.switched_to(k, rq, p);
		rq_unlock(k, rq);
		assert_int_equal(p->cpu, rows[i].pushed);
		assert_int_equal(curr(0)->need_resched, rows[i].resched);
		hand_free(&h);
	}
}

static void test_a_running_task_of_lowered_priority_pulls_and_gives_way(void **state)
{
	static const struct {
		int32_t from, to;
		bool pulls, resched;
	} rows[] = {
		{80, 40, true, true},
		{80, 60, false, false}, /* still better than what waits */
		{40, 80, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p, *q;

		hand_init(&h, "3.19", 1, 2, 1);
		p = hand_rt_running(&h, 0, rows[i].from, 1);
		hand_rt_running(&h, 1, 90, 2);
		q = hand_rt_waiting(&h, 1, 50, ALL);
		hand_policy(&h, 0, p, POLICY_FIFO, rows[i].to);
		assert_int_equal(q->cpu, rows[i].pulls ? 0 : 1);
		assert_int_equal(p->need_resched, rows[i].resched);
		assert_int_equal(h.m->rd.cpupri.level_of[0], (rows[i].pulls ? 50 : rows[i].to) + 2);
		hand_free(&h);
	}
}

static void test_a_running_task_gives_way_to_one_that_waited_here(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_rt_running(&h, 0, 80, 1);
	hand_rt_waiting(&h, 0, 50, 1);
	hand_policy(&h, 0, p, POLICY_FIFO, 51);
	assert_false(p->need_resched);
	hand_policy(&h, 0, p, POLICY_FIFO, 49);
	assert_true(p->need_resched);
	hand_free(&h);
}

static void test_a_waiting_task_preempts_when_its_change_lifts_it(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct kctx *k;
		struct task *p;
		struct rq *rq;

		hand_init(&h, "3.19", 1, 1, 1);
		k = hand_k(&h, 0);
		rq = hand_rq(&h, 0);
		hand_rt_running(&h, 0, i ? 40 : 60, 1);
		p = hand_rt_waiting(&h, 0, 50, 1);
		rq_lock(k, rq);
		rt_sched_class.prio_changed(k, rq, p, 70);
		rq_unlock(k, rq);
		assert_int_equal(curr(0)->need_resched, i);
		hand_free(&h);
	}
}

/* P runs and becomes an equal of Q, which waits. */
static void test_who_is_not_lifted_stays_first_from_3_15_on(void **state)
{
	static const struct {
		const char *kernel;
		int32_t from;
		bool first;
	} rows[] = {
		{"3.19", 60, true},
		{"4.0", 60, true},
		{"3.3", 60, false},
		{"3.3,+rt-head-on-drop", 60, true},
		/* lifted: behind those that were there */
		{"3.19", 45, false},
		{"3.3", 45, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p, *q;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		p = hand_rt_running(&h, 0, rows[i].from, 1);
		q = hand_rt_waiting(&h, 0, 50, 1);
		hand_policy(&h, 0, p, POLICY_FIFO, 50);
		assert_ptr_equal(first_of(0, 50), rows[i].first ? p : q);
		assert_ptr_equal(curr(0), p);
		hand_free(&h);
	}
}

static void test_no_change_leaves_the_order_from_2_6_39_on(void **state)
{
	static const char *const kernels[] = {"2.6.35", "3.3", "3.19"};

	for (int v = 0; v < 3; v++) {
		struct task *p;

		hand_init(&h, kernels[v], 1, 1, 1);
		p = hand_rt_running(&h, 0, 50, 1);
		hand_rt_waiting(&h, 0, 50, 1);
		hand_policy(&h, 0, p, POLICY_FIFO, 50);
		assert_int_equal(first_of(0, 50) == p, v > 0);
		hand_free(&h);
	}
}

static void test_nice_leaves_the_order(void **state)
{
	struct task *p;

	hand_init(&h, "3.3", 1, 1, 1);
	p = hand_rt_running(&h, 0, 50, 1);
	hand_rt_waiting(&h, 0, 50, 1);
	sched_set_nice(hand_k(&h, 0), p, -7);
	assert_ptr_equal(first_of(0, 50), p);
	assert_false(p->need_resched);
	assert_int_equal(p->prio, 49);
	/* kept for the fair class; the policy is a change although the priority is none */
	assert_int_equal(p->nice, -7);
	hand_policy(&h, 0, p, POLICY_RR, 50);
	assert_ptr_not_equal(first_of(0, 50), p);
	hand_free(&h);
}

static void test_cpus_allowed_decide_over_pushing_and_overload(void **state)
{
	struct task *p, *q;

	hand_init(&h, "3.19", 1, 2, 1);
	p = hand_rt_running(&h, 0, 80, ALL);
	hand_rt_running(&h, 1, 90, 2);
	q = hand_rt_waiting(&h, 0, 50, 1);
	assert_int_equal(hand_rq(&h, 0)->rt.nr_migratory, 1);
	assert_true(overloaded(0));
	sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 1));
	assert_int_equal(hand_rq(&h, 0)->rt.nr_migratory, 0);
	assert_false(overloaded(0));
	sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 3));
	assert_int_equal(hand_rq(&h, 0)->rt.nr_migratory, 1);
	assert_true(overloaded(0));
	/* the running one is not pushable, a waiting one becomes so */
	assert_int_equal(hand_rq(&h, 0)->rt.npushable, 0);
	rq_lock(hand_k(&h, 0), hand_rq(&h, 0));
	rt_sched_class.affinity(hand_k(&h, 0), hand_rq(&h, 0), q, 2);
	q->allowed = h.m->online;
	q->nr_allowed = 2;
	assert_ptr_equal(pick_next_pushable_task(hand_rq(&h, 0)), q);
	assert_int_equal(hand_rq(&h, 0)->rt.nr_migratory, 2);
	rt_sched_class.affinity(hand_k(&h, 0), hand_rq(&h, 0), q, 1);
	q->allowed = hand_cpus(&h, 1);
	q->nr_allowed = 1;
	rq_unlock(hand_k(&h, 0), hand_rq(&h, 0));
	assert_null(pick_next_pushable_task(hand_rq(&h, 0)));
	assert_int_equal(hand_rq(&h, 0)->rt.highest_next, MAX_RT_PRIO);
	hand_free(&h);
}

/* The stopper carries it over. */
static void test_a_task_leaves_a_cpu_it_may_not_use(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 2, 1);
	p = hand_rt_running(&h, 0, 80, ALL);
	hand_rt_running(&h, 1, 40, 2);
	sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 2));
	assert_true(p->need_resched);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(curr(0), hand_rq(&h, 0)->stop);
	sched_stopper_run(hand_k(&h, 0));
	assert_int_equal(p->cpu, 1);
	assert_true(curr(1)->need_resched);
	sched_schedule(hand_k(&h, 1));
	assert_ptr_equal(curr(1), p);
	hand_free(&h);
}

/* 3.3 sets the flag whenever the class is asked, 3.19 only when it had something to run. */
static void test_a_throttled_queue_asks_for_a_push_in_3_3_alone(void **state)
{
	for (int v = 0; v < 2; v++) {
		struct rq *rq;

		hand_init(&h, v ? "3.19" : "3.3", 1, 2, 1);
		rq = hand_rq(&h, 0);
		hand_tasks(&h, 0, 1);
		hand_rt_running(&h, 1, 95, 2);
		hand_rt_running(&h, 0, 50, 1);
		hand_rt_waiting(&h, 0, 40, ALL);
		hand_at(&h, NS_PER_S);
		sched_tick(hand_k(&h, 0));
		rq->rt.runtime_ns = 1;
		hand_at(&h, 2 * NS_PER_S);
		sched_tick(hand_k(&h, 0));
		assert_true(rq->rt.throttled);
		hand_count_locks(&h);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(rq->curr->class, &fair_sched_class);
		assert_int_equal(rq->lock.acquired_count, v ? 1 : 2);
		assert_int_equal(hand_other_locks(&h, 0), 0);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equals_run_in_the_order_of_their_arrival),
		cmocka_unit_test(test_the_most_important_runs_and_the_preempted_goes_on_first),
		cmocka_unit_test(test_fair_tasks_wait_for_all_of_them),
		cmocka_unit_test(test_a_yield_lets_equals_go_first),
		cmocka_unit_test(test_a_slice_of_round_robin_is_100_ms),
		cmocka_unit_test(test_a_preempted_slice_is_continued),
		cmocka_unit_test(test_slices_end_only_beside_an_equal_and_only_with_round_robin),
		cmocka_unit_test(test_a_child_has_the_rest_of_its_parents_slice),
		cmocka_unit_test(test_of_two_equals_the_one_that_can_go_makes_room),
		cmocka_unit_test(test_the_running_equal_is_pushed_off),
		cmocka_unit_test(test_an_equal_changes_nothing_once_a_reschedule_is_due),
		cmocka_unit_test(test_pushable_tasks_are_kept_by_priority_then_arrival),
		cmocka_unit_test(test_a_preempted_task_is_pushable_last_of_its_equals),
		cmocka_unit_test(test_two_tasks_of_which_one_may_go_are_an_overload),
		cmocka_unit_test(test_the_last_real_time_task_that_turns_fair_pulls),
		cmocka_unit_test(test_one_of_several_that_turns_fair_does_not_pull),
		cmocka_unit_test(test_a_running_task_that_turns_real_time_runs_on),
		cmocka_unit_test(test_a_waiting_task_that_turned_real_time_is_pushed_or_preempts),
		cmocka_unit_test(test_a_running_task_of_lowered_priority_pulls_and_gives_way),
		cmocka_unit_test(test_a_running_task_gives_way_to_one_that_waited_here),
		cmocka_unit_test(test_a_waiting_task_preempts_when_its_change_lifts_it),
		cmocka_unit_test(test_who_is_not_lifted_stays_first_from_3_15_on),
		cmocka_unit_test(test_no_change_leaves_the_order_from_2_6_39_on),
		cmocka_unit_test(test_nice_leaves_the_order),
		cmocka_unit_test(test_cpus_allowed_decide_over_pushing_and_overload),
		cmocka_unit_test(test_a_task_leaves_a_cpu_it_may_not_use),
		cmocka_unit_test(test_a_throttled_queue_asks_for_a_push_in_3_3_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
