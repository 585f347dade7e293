/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of 6.1, what is idle by policy or group, and how long buddies last. Eight CPUs: factor 4. */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/idle_entity.h"
#include "sched/fair/preempt.h"
#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

static struct hand h;
static const struct task_attr nice_0 = {.nice = 0};
static const struct task_attr idle_policy = {.policy = POLICY_IDLE};

static struct task *on_cpu_0(struct task_group *tg, const struct task_attr *attr)
{
	return hand_task_in(&h, 0, attr, tg);
}

static uint64_t slice_of(struct task *p)
{
	return sched_slice(hand_k(&h, 0), p->se.cfs_rq, &p->se);
}

/* Eight tasks in the root group and one in /a: of nine tasks of the CPU, or of one of the queue. */
static void test_the_period_is_that_of_the_whole_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t low_ns, high_ns;
	} rows[] = {
		/* 24 ms / 9, truncated on the way */
		{"5.5", 2666660, 2666666},
		/* 9 x 3 ms / 9, truncated, then at least 3 ms */
		{"6.1", 3000000, 3000000},
		{"6.1,NO_BASE_SLICE", 2999990, 2999999},
		{"6.1,NO_ALT_PERIOD,NO_BASE_SLICE", 2666660, 2666666},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 8, 1);
		for (int n = 0; n < 8; n++)
			on_cpu_0(NULL, &nice_0);
		p = on_cpu_0(hand_group(&h, NULL, "/a"), &nice_0);
		/* the group's entity weighs as much as a task */
		h.m->groups_mem[1].se[0].load = h.m->tasks[0].se.load;
		hand_rq(&h, 0)->cfs->load.weight = UINT64_C(9) << 20;
		hand_rq(&h, 0)->cfs->load.inv = 0;
		assert_in_range(slice_of(p), rows[i].low_ns, rows[i].high_ns);
		hand_drop(&h);
	}
}

static void test_idle_tasks_have_short_slices_beside_others(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t beside_others, among_themselves;
	} rows[] = {
		/* 3 of 1027 of 24 ms; half of it */
		{"5.5", 70107, 12000000},
		{"6.1", 750000, 12000000},
		{"6.1,sched_idle_min_granularity_ns=1000000", 1000000, 12000000},
		{"6.1,-idle-slices", 3000000, 12000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 8, 1);
		p = on_cpu_0(NULL, &idle_policy);
		on_cpu_0(NULL, &nice_0);
		assert_int_equal(slice_of(p), rows[i].beside_others);
		hand_free(&h);
		hand_init(&h, rows[i].kernel, 1, 8, 1);
		p = on_cpu_0(NULL, &idle_policy);
		on_cpu_0(NULL, &idle_policy);
		assert_in_range(slice_of(p), rows[i].among_themselves - 4,
				rows[i].among_themselves);
		hand_free(&h);
	}
}

/* Before min_vruntime: half of the latency, half of the least run. */
static void test_idle_sleepers_get_less_credit(void **state)
{
	static const struct {
		const char *kernel;
		bool idle;
		uint64_t credit_ns;
	} rows[] = {
		{"5.5", true, 12000000},
		{"6.1", true, 1500000},
		{"6.1", false, 12000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct cfs_rq *q;

		hand_init(&h, rows[i].kernel, 1, 8, 1);
		p = on_cpu_0(NULL, rows[i].idle ? &idle_policy : &nice_0);
		q = p->se.cfs_rq;
		q->min_vruntime_vns = UINT64_C(1) << 40;
		p->se.vruntime_vns = 0;
		place_entity(hand_k(&h, 0), q, &p->se, false);
		assert_int_equal(q->min_vruntime_vns - p->se.vruntime_vns, rows[i].credit_ns);
		hand_drop(&h);
	}
}

/* The running one is RAN_NS further than the other. */
static bool preempts(struct task_group *running, struct task_group *waking, uint64_t ran_ns)
{
	struct task *p, *curr = on_cpu_0(running, &nice_0);
	bool preempted;

	sched_schedule(hand_k(&h, 0));
	CHECK(hand_rq(&h, 0)->curr == curr);
	p = on_cpu_0(waking, &nice_0);
	curr->need_resched = false;
	if (running != waking)
		waking->se[0].vruntime_vns = running->se[0].vruntime_vns - ran_ns;
	check_preempt_wakeup(hand_k(&h, 0), hand_rq(&h, 0), p, 0);
	preempted = curr->need_resched;
	return preempted;
}

static void test_an_idle_group_is_preempted_by_others_and_never_preempts(void **state)
{
	for (int idle_runs = 0; idle_runs < 2; idle_runs++) {
		struct task_group *idle, *other;

		hand_init(&h, "6.1", 1, 8, 1);
		idle = hand_group(&h, NULL, "/idle");
		other = hand_group(&h, NULL, "/other");
		sched_group_make_idle(hand_k(&h, 0), idle);
		if (idle_runs)
			assert_true(preempts(idle, other, 0));
		else
			assert_false(preempts(other, idle, NS_PER_S));
		hand_drop(&h);
	}
}

static void test_an_idle_groups_tasks_count_as_idle_above_it(void **state)
{
	struct task_group *idle, *below;
	struct rq *rq;

	hand_init(&h, "6.1", 1, 8, 1);
	idle = hand_group(&h, NULL, "/idle");
	below = hand_group(&h, idle, "/idle/below");
	sched_group_make_idle(hand_k(&h, 0), idle);
	assert_int_equal(idle->shares, 3 << 10);
	rq = hand_rq(&h, 0);
	on_cpu_0(below, &nice_0);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(below->cfs_rq[0].idle_h_nr_running, 0);
	assert_int_equal(idle->cfs_rq[0].idle_h_nr_running, 0);
	assert_int_equal(rq->cfs->idle_h_nr_running, 1);
	assert_int_equal(rq->cfs->idle_nr_running, 1);
	assert_true(sched_idle_cpu(hand_k(&h, 1), 0));
	assert_true(mask_test(h.m->had_idle_policy, 0));
	sched_audit(h.m);
	on_cpu_0(NULL, &nice_0);
	assert_false(sched_idle_cpu(hand_k(&h, 1), 0));
	sched_audit(h.m);
	hand_at(&h, 8 * NS_PER_MS);
	hand_sleep(&h, 0);
	hand_free(&h);
}

/* The last of the others leaves: what waits elsewhere is more important than what stays. */
static void test_a_cpu_with_idle_tasks_only_balances_soon(void **state)
{
	static const char *const kernels[] = {"6.1", "6.1,-sched-idle-balances", "5.5"};

	for (int i = 0; i < 3; i++) {
		struct rq *rq;

		hand_init(&h, kernels[i], 1, 8, 1);
		rq = hand_rq(&h, 0);
		on_cpu_0(NULL, &nice_0);
		sched_schedule(hand_k(&h, 0));
		on_cpu_0(NULL, &idle_policy);
		hand_at(&h, 40 * NS_PER_MS);
		rq->next_balance = UINT64_MAX;
		hand_sleep(&h, 0);
		assert_true(rq->curr->policy == POLICY_IDLE);
		assert_int_equal(rq->next_balance == jiffies(hand_k(&h, 0)), i == 0);
		/* not when it was so before */
		rq->next_balance = UINT64_MAX;
		hand_at(&h, 50 * NS_PER_MS);
		on_cpu_0(NULL, &idle_policy);
		hand_sleep(&h, 0);
		assert_true(rq->next_balance == UINT64_MAX);
		hand_free(&h);
	}
}

/* Picked again, the running task stays next buddy in 6.1. */
static void test_a_buddy_that_goes_on_is_forgotten_up_to_55(void **state)
{
	static const char *const kernels[] = {"5.5", "6.1", "6.1,-buddies-till-set"};

	for (int i = 0; i < 3; i++) {
		struct cfs_rq *q;
		struct task *p;

		hand_init(&h, kernels[i], 1, 8, 1);
		p = on_cpu_0(NULL, &nice_0);
		on_cpu_0(NULL, &nice_0);
		sched_schedule(hand_k(&h, 0));
		p = hand_rq(&h, 0)->curr;
		q = p->se.cfs_rq;
		set_next_buddy(&p->se);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(hand_rq(&h, 0)->curr, p);
		assert_true((q->next == &p->se) == (i == 1));
		/* another that becomes current is forgotten in all */
		q->next = container_of(q->timeline.leftmost, struct entity, node);
		hand_at(&h, 15 * NS_PER_MS);
		sched_schedule(hand_k(&h, 0));
		assert_true(hand_rq(&h, 0)->curr != p);
		assert_null(q->next);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_period_is_that_of_the_whole_cpu),
		cmocka_unit_test(test_idle_tasks_have_short_slices_beside_others),
		cmocka_unit_test(test_idle_sleepers_get_less_credit),
		cmocka_unit_test(test_an_idle_group_is_preempted_by_others_and_never_preempts),
		cmocka_unit_test(test_an_idle_groups_tasks_count_as_idle_above_it),
		cmocka_unit_test(test_a_cpu_with_idle_tasks_only_balances_soon),
		cmocka_unit_test(test_a_buddy_that_goes_on_is_forgotten_up_to_55),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
