/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where real-time tasks go: chosen at the wake-up, pushed afterwards. Priorities are users' ones. */
#include "support.h"

#include <stdio.h>

#include "sched/hand_machine.h"
#include "sched/rq_lock.h"
#include "sched/rt/rt.h"

#define ALL 0u

static struct hand h;

/* A task of priority RT_PRIO that sleeps; it last ran on CPU. */
static struct task *sleeper(uint32_t cpu, int32_t rt_prio, uint64_t bits)
{
	struct task *p = hand_rt_running(&h, cpu, rt_prio, bits);

	hand_sleep(&h, cpu);
	CHECK(p->cpu == cpu);
	return p;
}

/* -- find_lowest_rq() -- */

/* Two sockets of eight cores of two threads; all CPUs are equally unimportant. */
static void test_the_nearest_of_the_lowest_is_found(void **state)
{
	static const struct {
		uint64_t lowest;
		uint32_t executing, found;
	} rows[] = {
		/* CPU 17 is no sibling of 0 but shares its cache, so it goes before CPU 5 there */
		{UINT64_C(1) << 5 | 1u << 17 | 1u << 24, 17, 17},
		{UINT64_C(1) << 5 | 1u << 17 | 1u << 24, 24, 5},
		{UINT64_C(1) << 5 | 1u << 17 | 1u << 24, 3, 5},
		{UINT64_C(1) << 0 | 1u << 5 | 1u << 17, 17, 0},
		/* the sibling before the cache, whoever executes */
		{UINT64_C(1) << 16 | 1u << 17, 17, 16},
		/* only the other socket */
		{UINT64_C(1) << 9 | 1u << 24, 24, 24},
		{UINT64_C(1) << 9 | 1u << 24, 3, 9},
	};
	struct task *p;

	hand_init(&h, "3.19", 2, 8, 2);
	p = sleeper(0, 50, ALL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p->allowed = hand_cpus(&h, rows[i].lowest);
		p->nr_allowed = mask_weight(p->allowed);
		assert_int_equal(find_lowest_rq(hand_k(&h, rows[i].executing), p), rows[i].found);
	}
	hand_free(&h);
}

static void test_a_bound_task_finds_nothing(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 2, 1);
	p = sleeper(0, 50, 1);
	assert_int_equal(find_lowest_rq(hand_k(&h, 1), p), CPU_NONE);
	hand_free(&h);
}

/* -- select_task_rq_rt() -- */

#define SELECT_FROM 1u /* P's last CPU; CPU 0 runs something of 99, 2 and 3 idle */

static struct task *start_select(const char *kernel, int32_t curr_prio, uint64_t curr_cpus,
				 int32_t prio)
{
	struct task *p;

	hand_init(&h, kernel, 1, 4, 1);
	hand_rt_running(&h, 0, 97, 1);
	p = sleeper(SELECT_FROM, prio, ALL);
	if (curr_prio)
		hand_rt_running(&h, SELECT_FROM, curr_prio, curr_cpus);
	else
		hand_tasks(&h, SELECT_FROM, 1);
	return p;
}

static void test_who_runs_decides_whether_a_woken_task_looks_elsewhere(void **state)
{
	static const struct {
		const char *kernel;
		int32_t curr; /* 0: fair */
		uint64_t curr_cpus;
		int32_t p;
		uint32_t cpu;
	} rows[] = {
		{"3.19", 0, ALL, 50, 1},
		{"3.19", 60, ALL, 50, 2},
		{"3.19", 50, ALL, 50, 2},
		{"3.19", 40, ALL, 50, 1},
		{"3.19", 40, 2, 50, 2}, /* the one that runs is bound */
		{"3.19,+rt-push-lower-only", 60, ALL, 50, 2},
		{"3.19,+rt-push-lower-only", 50, ALL, 50, 1},
		{"3.19,+rt-push-lower-only", 50, 2, 50, 2},
		{"3.19,+rt-push-lower-only", 40, ALL, 50, 1},
		{"3.3", 50, ALL, 50, 2},
		{"3.3", 40, ALL, 50, 1},
		{"3.3", 60, ALL, 98, 1},
		{"3.3", 98, 2, 98, 1}, /* it looks and finds nothing */
		{"3.18", 98, 2, 98, 2},
		{"4.0", 50, ALL, 50, 2},
		{"4.0", 40, ALL, 50, 1},
		/* up to 2.6.36 whatever real-time task runs is a reason */
		{"2.6.35", 0, ALL, 50, 1},
		{"2.6.35", 40, ALL, 50, 2},
		{"2.6.35,+rt-keep-higher", 40, ALL, 50, 1},
		{"2.6.35,+rt-keep-higher", 50, ALL, 50, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p =
			start_select(rows[i].kernel, rows[i].curr, rows[i].curr_cpus, rows[i].p);
		uint32_t cpu = select_task_rq_rt(hand_k(&h, 3), p, SD_BALANCE_WAKE, 0);

		/* CPU 3, which wakes it, is as good as CPU 2 and nearer */
		if (cpu == 3)
			cpu = 2;
		if (cpu != rows[i].cpu)
			fail_msg("row %d: %s", (int)i, rows[i].kernel);
		hand_free(&h);
	}
}

static void test_a_stopper_is_in_the_way(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 2, 1);
	p = sleeper(0, 50, ALL);
	sched_wake(hand_k(&h, 0), hand_rq(&h, 0)->stop, 0);
	sched_schedule(hand_k(&h, 0));
	assert_ptr_equal(hand_rq(&h, 0)->curr, hand_rq(&h, 0)->stop);
	/* cpupri does not know stoppers */
	assert_int_equal(select_task_rq_rt(hand_k(&h, 0), p, SD_BALANCE_WAKE, 0), 0);
	hand_rt_waiting(&h, 0, 60, 1);
	assert_int_equal(select_task_rq_rt(hand_k(&h, 0), p, SD_BALANCE_WAKE, 0), 1);
	sched_stopper_run(hand_k(&h, 0));
	hand_free(&h);
}

static void test_forks_look_too_in_later_kernels_but_not_execs(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t sd_flag, cpu;
	} rows[] = {
		{"3.19", SD_BALANCE_FORK, 3},   {"3.3", SD_BALANCE_FORK, 3},
		{"2.6.35", SD_BALANCE_FORK, 3}, /* the CPU that forks */
		{"3.19", SD_BALANCE_EXEC, 1},   {"2.6.35,+rt-fork-select", SD_BALANCE_EXEC, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = start_select(rows[i].kernel, 50, ALL, 50);

		assert_int_equal(select_task_rq_rt(hand_k(&h, 3), p, rows[i].sd_flag, 0),
				 rows[i].cpu);
		hand_free(&h);
	}
	/* told apart where the forking CPU is busy */
	for (int v = 0; v < 2; v++) {
		struct task *p = start_select(v ? "3.19" : "2.6.35", 50, ALL, 50);

		assert_int_equal(select_task_rq_rt(hand_k(&h, 0), p, SD_BALANCE_FORK, 0),
				 v ? 2 : 0);
		hand_free(&h);
	}
}

static uint32_t peeks;

/* Another CPU's doing: a bound task of 50 is queued on CPU. Its locks do not count. */
static void fill(struct hand *hand, uint32_t cpu)
{
	struct klock *l = &hand_rq(hand, cpu)->lock;
	uint64_t before = l->acquired_count;

	hand_rt_waiting(hand, cpu, 50, UINT64_C(1) << cpu);
	l->acquired_count = before;
}

/* At the third peek everything is filled. */
static void fill_at_third_peek(struct hand *hand, struct kctx *k, struct klock *l)
{
	(void)k;
	if (l || ++peeks != 3)
		return;
	for (uint32_t i = 0; i < hand->m->ncpus; i++)
		fill(hand, i);
}

static void test_a_target_filled_since_is_only_seen_with_the_check(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t cpu;
	} rows[] = {
		{"3.19", 2},
		{"3.19,+rt-select-check", 1},
		{"4.0", 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = start_select(rows[i].kernel, 50, ALL, 50);

		peeks = 0;
		h.before = fill_at_third_peek;
		assert_int_equal(select_task_rq_rt(hand_k(&h, 0), p, SD_BALANCE_WAKE, 0),
				 rows[i].cpu);
		h.before = NULL;
		hand_free(&h);
	}
}

/* -- push -- */

static uint32_t fills, fills_max;

/* Someone else fills each target just before its lock is taken, FILLS_MAX times. */
static void fill_before_lock(struct hand *hand, struct kctx *k, struct klock *l)
{
	struct rq *rq;

	if (!l)
		return;
	rq = container_of(l, struct rq, lock);
	if (rq->cpu == k->cpu->id || fills == fills_max)
		return;
	fills++;
	fill(hand, rq->cpu);
}

static void test_a_woken_task_that_must_wait_is_pushed(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 3, 1);
	hand_rt_running(&h, 0, 60, 1);
	hand_tasks(&h, 1, 1);
	p = hand_rt_on(&h, 0, 50, ALL);
	assert_int_equal(p->cpu, 1);
	assert_true(hand_rq(&h, 1)->curr->need_resched);
	assert_int_equal(h.ipis[1], 1);
	assert_int_equal(h.last[RECORD_MIGRATE].a, p->id);
	assert_int_equal(h.last[RECORD_MIGRATE].b, 0);
	assert_int_equal(h.last[RECORD_MIGRATE].c, 1);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 3);
	assert_int_equal(hand_rq(&h, 0)->rt.stats.pushes, 1);
	hand_free(&h);
}

static void test_who_runs_decides_whether_a_woken_task_is_pushed(void **state)
{
	static const struct {
		const char *kernel;
		int32_t curr;
		uint64_t curr_cpus;
		int32_t p;
		bool pushed;
	} rows[] = {
		{"3.19", 60, ALL, 50, true},
		{"3.19", 50, ALL, 50, true},
		{"3.19", 50, 1, 50, true},
		{"3.19,+rt-push-lower-only", 60, ALL, 50, true},
		{"3.19,+rt-push-lower-only", 50, ALL, 50, false},
		{"3.19,+rt-push-lower-only", 50, 1, 50, true},
		/* it preempts and stays */
		{"3.19", 40, ALL, 50, false},
		{"3.19", 40, 1, 50, false},
		{"3.3", 50, ALL, 50, true},
		{"3.3", 99, ALL, 98, false},
		{"3.18", 99, ALL, 98, true},
		{"4.0", 50, ALL, 50, true},
		{"2.6.35", 50, ALL, 50, true},
		{"2.6.35,+rt-keep-higher", 50, ALL, 50, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 3, 1);
		hand_rt_running(&h, 0, rows[i].curr, rows[i].curr_cpus);
		p = hand_rt_on(&h, 0, rows[i].p, ALL);
		if ((p->cpu != 0) != rows[i].pushed)
			fail_msg("row %d: %s", (int)i, rows[i].kernel);
		hand_free(&h);
	}
}

static void test_a_task_that_is_about_to_preempt_is_not_pushed(void **state)
{
	struct task *low, *high;
	struct rq *rq;

	hand_init(&h, "3.19", 1, 2, 1);
	rq = hand_rq(&h, 0);
	low = hand_rt_running(&h, 0, 40, 1);
	high = hand_rt_waiting(&h, 0, 60, ALL);
	rq_lock(hand_k(&h, 0), rq);
	assert_false(push_rt_task(hand_k(&h, 0), rq));
	rq_unlock(hand_k(&h, 0), rq);
	assert_true(low->need_resched);
	assert_int_equal(high->cpu, 0);
	hand_free(&h);
}

/* CPU 0 runs 60 and gets 50; the other seven idle. */
static struct task *start_push(const char *kernel)
{
	hand_init(&h, kernel, 1, 8, 1);
	hand_rt_running(&h, 0, 60, 1);
	fills = 0;
	return hand_rt_waiting(&h, 0, 50, ALL);
}

static bool push(void)
{
	struct rq *rq = hand_rq(&h, 0);
	bool pushed;

	hand_count_locks(&h);
	rq_lock(hand_k(&h, 0), rq);
	h.before = fill_before_lock;
	pushed = push_rt_task(hand_k(&h, 0), rq);
	h.before = NULL;
	rq_unlock(hand_k(&h, 0), rq);
	return pushed;
}

static void test_three_filled_targets_end_a_push(void **state)
{
	static const char *const kernels[] = {"3.3", "3.19", "4.0", "3.19,preempt=full"};

	for (int v = 0; v < 4; v++) {
		for (fills_max = 0; fills_max < 5; fills_max++) {
			struct task *p = start_push(kernels[v]);
			const struct rt_stats *s = &hand_rq(&h, 0)->rt.stats;
			uint32_t failed = min_u32(fills_max, 3);

			assert_int_equal(push(), fills_max < 3);
			assert_int_equal(fills, failed);
			assert_int_equal(s->push_lock_failed, failed);
			assert_int_equal(s->push_locks, min_u32(fills_max + 1, 3));
			assert_int_equal(hand_other_locks(&h, 0), min_u32(fills_max + 1, 3));
			/* the lowest numbered first; each fill moves the search on */
			assert_int_equal(p->cpu, fills_max < 3 ? fills_max + 1 : 0);
			hand_free(&h);
		}
	}
}

static uint32_t seen_at;

/* The first idle CPUs are filled between the look at cpupri and the look at the target. */
static void fill_before_check(struct hand *hand, struct kctx *k, struct klock *l)
{
	(void)k;
	if (l || ++peeks != seen_at)
		return;
	fill(hand, 1);
}

static void test_the_unlocked_check_gives_up_without_a_lock(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t locks;
		uint32_t cpu;
	} rows[] = {
		/* without the check the second peek is that of the next search */
		{"3.19,+rt-find-check", 0, 0},
		{"4.0", 0, 0},
		{"3.19", 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = start_push(rows[i].kernel);
		struct rq *rq = hand_rq(&h, 0);

		peeks = 0;
		seen_at = 2;
		hand_count_locks(&h);
		rq_lock(hand_k(&h, 0), rq);
		h.before = fill_before_check;
		assert_int_equal(push_rt_task(hand_k(&h, 0), rq), rows[i].locks > 0);
		h.before = NULL;
		rq_unlock(hand_k(&h, 0), rq);
		assert_int_equal(hand_other_locks(&h, 0), rows[i].locks);
		assert_int_equal(p->cpu, rows[i].cpu);
		hand_free(&h);
	}
}

static struct task *thief_wants;

/* While CPU 5's rq is unlocked for a lower one, another CPU takes the task to CPU 7. */
static void take_it_away(struct hand *hand, struct kctx *k, struct klock *l)
{
	struct rq *src = hand_rq(hand, 5), *dst = hand_rq(hand, 7);
	struct kctx *thief = hand_k(hand, 7);

	(void)k;
	if (!l || src->lock.owner != CPU_NONE || thief_wants->cpu == 7)
		return;
	double_rq_lock(thief, src, dst);
	deactivate_task(thief, src, thief_wants, 0);
	set_task_cpu(thief, thief_wants, 7);
	activate_task(thief, dst, thief_wants, 0);
	resched_task(thief, dst);
	double_rq_unlock(thief, src, dst);
}

static void test_a_task_that_left_meanwhile_is_let_go(void **state)
{
	static const char *const kernels[] = {"3.19", "3.19,preempt=full"};

	for (int v = 0; v < 2; v++) {
		struct rq *rq;

		hand_init(&h, kernels[v], 1, 8, 1);
		rq = hand_rq(&h, 5);
		hand_rt_running(&h, 5, 60, 32);
		thief_wants = hand_rt_waiting(&h, 5, 50, ALL);
		/* CPU 0's lock is busy; it is below 5, so 5's goes first */
		h.refused = &hand_rq(&h, 0)->lock;
		hand_count_locks(&h);
		rq_lock(hand_k(&h, 5), rq);
		h.before = take_it_away;
		assert_false(push_rt_task(hand_k(&h, 5), rq));
		h.before = NULL;
		h.refused = NULL;
		rq_unlock(hand_k(&h, 5), rq);
		assert_int_equal(thief_wants->cpu, 7);
		assert_int_equal(rq->rt.stats.push_locks, 1);
		assert_int_equal(rq->rt.stats.push_lock_failed, 1);
		assert_int_equal(rq->rt.stats.push_relocks, 1);
		assert_int_equal(rq->rt.stats.pushes, 0);
		hand_free(&h);
	}
}

/* The best pushable task goes first, and all that can go do. */
static void test_pushes_go_on_until_nobody_can_go(void **state)
{
	struct task *a, *b, *c;
	struct rq *rq;

	hand_init(&h, "3.19", 1, 3, 1);
	rq = hand_rq(&h, 0);
	hand_rt_running(&h, 0, 60, 1);
	a = hand_rt_waiting(&h, 0, 30, ALL);
	b = hand_rt_waiting(&h, 0, 50, ALL);
	c = hand_rt_waiting(&h, 0, 40, ALL);
	rq_lock(hand_k(&h, 0), rq);
	push_rt_tasks(hand_k(&h, 0), rq);
	rq_unlock(hand_k(&h, 0), rq);
	assert_int_equal(b->cpu, 1);
	assert_int_equal(c->cpu, 2);
	assert_int_equal(a->cpu, 0);
	hand_free(&h);
}

/* -- lock acquisitions of each path; all on CPU 0 -- */

struct path {
	const char *name;
	void (*prepare)(void);
	void (*act)(void);
	/* of other CPUs' locks, of CPU 0's own without and with kernel preemption */
	uint64_t other, own, own_preempt;
	const char *delta;
};

static struct task *actor;

static void wake_actor(void)
{
	sched_wake(hand_k(&h, 0), actor, 0);
}

static void schedule_0(void)
{
	sched_schedule(hand_k(&h, 0));
}

static void sleep_0(void)
{
	hand_sleep(&h, 0);
}

/* All run bound tasks of 50. */
static void fill_all(void)
{
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		hand_rt_running(&h, i, 50, UINT64_C(1) << i);
}

static void fair_runs(void)
{
	actor = sleeper(0, 50, ALL);
	hand_tasks(&h, 0, 1);
}

static void lower_runs(void)
{
	actor = sleeper(0, 60, ALL);
	hand_rt_running(&h, 0, 50, ALL);
}

static void nobody_is_lower(void)
{
	actor = sleeper(0, 50, ALL);
	fill_all();
}

static void others_idle(void)
{
	hand_rt_running(&h, 0, 60, 1);
	actor = hand_rt_waiting(&h, 0, 50, ALL);
}

static void push_actor(void)
{
	rq_lock(hand_k(&h, 0), hand_rq(&h, 0));
	rt_sched_class.task_woken(hand_k(&h, 0), hand_rq(&h, 0), actor);
	rq_unlock(hand_k(&h, 0), hand_rq(&h, 0));
}

static void push_with_fills(uint32_t max)
{
	fills = 0;
	fills_max = max;
	h.before = fill_before_lock;
	push_actor();
	h.before = NULL;
}

static void push_after_one_change(void)
{
	push_with_fills(1);
}

static void push_and_find_all_changed(void)
{
	push_with_fills(7);
}

static void push_and_see_it(void)
{
	peeks = 0;
	seen_at = 2;
	h.before = fill_before_check;
	push_actor();
	h.before = NULL;
}

/* 50 runs, 60 preempts it. */
static void preempted_may_go(void)
{
	hand_rt_running(&h, 0, 50, ALL);
	hand_rt_on(&h, 0, 60, 1);
	CHECK(hand_rq(&h, 0)->curr->need_resched);
}

static void preempted_cannot_go(void)
{
	fill_all();
	hand_sleep(&h, 0);
	preempted_may_go();
}

/* Three overloaded CPUs; what waits on 2 is worse than what 1 gives away, on 3 it is better. */
static void three_are_overloaded(void)
{
	hand_rt_running(&h, 0, 80, 1);
	for (uint32_t i = 1; i < h.m->ncpus; i++)
		hand_rt_running(&h, i, 90, UINT64_C(1) << i);
	hand_rt_waiting(&h, 1, 50, ALL);
	hand_rt_waiting(&h, 2, 40, ALL);
	hand_rt_waiting(&h, 3, 60, ALL);
}

/* What CPU 1 has may not run on CPU 0: its lock is taken for nothing. */
static void overloaded_for_others(void)
{
	hand_tasks(&h, 0, 1);
	hand_rt_running(&h, 0, 80, 1);
	for (uint32_t i = 1; i < h.m->ncpus; i++)
		hand_rt_running(&h, i, 90, UINT64_C(1) << i);
	hand_rt_waiting(&h, 1, 50, 6);
}

static void nobody_is_overloaded(void)
{
	hand_tasks(&h, 0, 1);
	hand_rt_running(&h, 0, 80, 1);
	hand_rt_waiting(&h, 1, 50, 2);
}

static const struct path paths[] = {
	{"wake-up, fair runs", fair_runs, wake_actor, 0, 1, 1, ""},
	{"wake-up, lower runs", lower_runs, wake_actor, 0, 1, 1, ""},
	{"wake-up, nobody lower", nobody_is_lower, wake_actor, 0, 1, 1, ""},
	{"push, first try", others_idle, push_actor, 1, 1, 2, ""},
	{"push, second try", others_idle, push_after_one_change, 2, 1, 3, ""},
	{"push, three failed", others_idle, push_and_find_all_changed, 3, 1, 4, ""},
	{"push, seen, not checked", others_idle, push_and_see_it, 1, 1, 2, ""},
	{"push, seen", others_idle, push_and_see_it, 0, 1, 1, ",+rt-find-check"},
	{"push, not seen", others_idle, push_after_one_change, 2, 1, 3, ",+rt-find-check"},
	{"post_schedule, one goes", preempted_may_go, schedule_0, 1, 2, 3, ""},
	{"post_schedule, none goes", preempted_cannot_go, schedule_0, 0, 2, 2, ""},
	{"pull, two of three", three_are_overloaded, sleep_0, 2, 2, 4, ""},
	{"pull, not allowed", overloaded_for_others, sleep_0, 1, 1, 2, ""},
	{"pull, none overloaded", nobody_is_overloaded, sleep_0, 0, 1, 1, ""},
};

static void test_each_path_takes_the_locks_the_rules_state(void **state)
{
	static const char *const kernels[] = {"3.19", "3.18", "3.3"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) * 6; i++) {
		const struct path *path = &paths[i / 6];
		bool preempt = i & 1;
		char kernel[64];
		uint64_t other, own;

		snprintf(kernel, sizeof(kernel), "%s%s%s", kernels[i / 2 % 3], path->delta,
			 preempt ? ",preempt=full" : "");
		hand_init(&h, kernel, 1, 4, 1);
		path->prepare();
		hand_count_locks(&h);
		path->act();
		other = hand_other_locks(&h, 0);
		own = hand_rq(&h, 0)->lock.acquired_count;
		if (other != path->other || own != (preempt ? path->own_preempt : path->own))
			fail_msg("%s, %s: %d others' and %d own", path->name, kernel, (int)other,
				 (int)own);
		hand_free(&h);
	}
}

/* Without preemption the own lock is taken again only if the other is busy and lower. */
static void test_a_busy_lower_lock_costs_the_own_one_again(void **state)
{
	static const struct {
		uint32_t target;
		uint64_t own;
	} rows[] = {{0, 2}, {3, 1}};

	for (int i = 0; i < 2; i++) {
		struct rq *rq;

		hand_init(&h, "3.19", 1, 4, 1);
		rq = hand_rq(&h, 2);
		hand_rt_running(&h, 2, 60, 4);
		actor = hand_rt_waiting(&h, 2, 50, UINT64_C(1) << rows[i].target | 4);
		h.refused = &hand_rq(&h, rows[i].target)->lock;
		hand_count_locks(&h);
		rq_lock(hand_k(&h, 2), rq);
		assert_true(push_rt_task(hand_k(&h, 2), rq));
		rq_unlock(hand_k(&h, 2), rq);
		assert_null(h.refused);
		assert_int_equal(actor->cpu, rows[i].target);
		assert_int_equal(hand_other_locks(&h, 2), 1);
		assert_int_equal(rq->lock.acquired_count, rows[i].own);
		assert_int_equal(rq->rt.stats.push_relocks, rows[i].own - 1);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_nearest_of_the_lowest_is_found),
		cmocka_unit_test(test_a_bound_task_finds_nothing),
		cmocka_unit_test(test_who_runs_decides_whether_a_woken_task_looks_elsewhere),
		cmocka_unit_test(test_a_stopper_is_in_the_way),
		cmocka_unit_test(test_forks_look_too_in_later_kernels_but_not_execs),
		cmocka_unit_test(test_a_target_filled_since_is_only_seen_with_the_check),
		cmocka_unit_test(test_a_woken_task_that_must_wait_is_pushed),
		cmocka_unit_test(test_who_runs_decides_whether_a_woken_task_is_pushed),
		cmocka_unit_test(test_a_task_that_is_about_to_preempt_is_not_pushed),
		cmocka_unit_test(test_three_filled_targets_end_a_push),
		cmocka_unit_test(test_the_unlocked_check_gives_up_without_a_lock),
		cmocka_unit_test(test_a_task_that_left_meanwhile_is_let_go),
		cmocka_unit_test(test_pushes_go_on_until_nobody_can_go),
		cmocka_unit_test(test_each_path_takes_the_locks_the_rules_state),
		cmocka_unit_test(test_a_busy_lower_lock_costs_the_own_one_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
