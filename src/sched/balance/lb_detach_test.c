/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tasks of a queue are taken, in which order and how many, and which may not go. */
#include "support.h"

#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"
#include "sched/pelt/h_load.h"
#include "sched/pelt/util_est.h"

static struct hand h;
static struct task *task[HAND_TASKS];
static uint64_t mask_mem[MASK_WORDS(64)];
static struct list taken;

#define TYPES "5.4,+lb-asym-mark,+lb-no-small-fix,+lb-group-types"

/* CPU 1 of two runs task[0]; task[1] to task[n - 1] wait, the last was queued last. All are cold. */
static struct lb_env start(const char *kernel, uint32_t n)
{
	hand_init(&h, kernel, 1, 2, 1);
	for (uint32_t i = 0; i < n; i++) {
		task[i] = hand_task(&h, 1, 0);
		if (i == 0)
			sched_schedule(hand_k(&h, 1));
		hand_rq(&h, 1)->curr->need_resched = false;
		hand_rq(&h, 1)->cfs->last = NULL;
		task[i]->se.exec_start_ns = 0;
	}
	assert_ptr_equal(hand_rq(&h, 1)->curr, task[0]);
	list_init(&taken);
	return (struct lb_env){.sd = hand_rq(&h, 0)->sd,
			       .src_rq = hand_rq(&h, 1),
			       .src_cpu = 1,
			       .dst_rq = hand_rq(&h, 0),
			       .dst_grpmask = hand_rq(&h, 0)->sd->groups->cpus,
			       .idle = CPU_IDLE,
			       .cpus = mask_init(mask_mem, 2),
			       .flags = LBF_ALL_PINNED,
			       .loop_break = 32,
			       .loop_max = 32};
}

/* What P weighs for the balancer: LOAD - 1, for the root's queue has as much. */
static void set_load(struct task *p, uint64_t load)
{
	p->se.avg.load_avg = load;
	p->se.cfs_rq->avg.load_avg = UINT32_MAX;
	p->se.cfs_rq->pelt.h_load_at = 0;
}

static void set_util(struct task *p, uint32_t util)
{
	p->se.avg.util_avg = util;
	p->se.avg.util_est = (struct util_est){0, 0};
}

static uint32_t detach(struct lb_env *env)
{
	struct kctx *k = hand_k(&h, 0);
	uint32_t n;

	rq_lock(k, env->src_rq);
	n = detach_tasks(k, env, &taken);
	rq_unlock(k, env->src_rq);
	return n;
}

static bool may_go(struct lb_env *env, struct task *p)
{
	bool may;

	rq_lock(hand_k(&h, 0), env->src_rq);
	may = can_detach(hand_k(&h, 0), env, p);
	rq_unlock(hand_k(&h, 0), env->src_rq);
	return may;
}

static void finish(struct lb_env *env)
{
	attach_tasks(hand_k(&h, 0), env, &taken);
	hand_free(&h);
}

/* The tail first: who was queued first. Each is put before the one taken earlier. */
static void test_the_oldest_is_taken_first_and_put_last(void **state)
{
	struct lb_env env = start("5.4", 4);

	env.imbalance = 2 * 1023 - 100;
	assert_int_equal(detach(&env), 2);
	/* task[0] runs and went to the head */
	assert_ptr_equal(container_of(taken.next, struct task, lb_node), task[2]);
	assert_ptr_equal(container_of(taken.prev, struct task, lb_node), task[1]);
	assert_ptr_equal(container_of(env.src_rq->cfs_tasks.next, struct task, lb_node), task[0]);
	assert_int_equal(env.loop, 3);
	assert_int_equal(env.moved, 2);
	assert_int_equal(env.sd->stats.lb_gained[CPU_IDLE], 2);
	attach_tasks(hand_k(&h, 0), &env, &taken);
	/* attached from the head of the private list: the list of the new queue has task[1] first */
	assert_ptr_equal(container_of(hand_rq(&h, 0)->cfs_tasks.next, struct task, lb_node),
			 task[1]);
	assert_ptr_equal(container_of(hand_rq(&h, 0)->cfs_tasks.prev, struct task, lb_node),
			 task[2]);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 2);
	finish(&env);
}

/* ... and does not count as pinned or hot. */
static void test_what_is_throttled_here_or_there_stays(void **state)
{
	struct lb_env env = start("5.4", 3);
	struct cfs_rq *here = hand_rq(&h, 1)->cfs, *there = hand_rq(&h, 0)->cfs;

	assert_true(may_go(&env, task[1]));
	env.flags = LBF_ALL_PINNED;
	here->pelt.throttle_count = 1;
	assert_false(may_go(&env, task[1]));
	here->pelt.throttle_count = 0;
	there->pelt.throttle_count = 1;
	assert_false(may_go(&env, task[1]));
	there->pelt.throttle_count = 0;
	assert_int_equal(env.flags, LBF_ALL_PINNED);
	finish(&env);
}

static void test_nothing_is_looked_at_without_an_imbalance(void **state)
{
	struct lb_env env = start("5.4", 3);

	assert_int_equal(detach(&env), 0);
	env.imbalance = -1;
	assert_int_equal(detach(&env), 0);
	assert_int_equal(env.loop, 0);
	finish(&env);
}

/* A CPU that has nothing to do leaves the source its last task; a busy one does not. */
static void test_the_last_task_stays_unless_the_taker_is_busy(void **state)
{
	static const enum cpu_idle_type idle[] = {CPU_IDLE, CPU_NEWLY_IDLE, CPU_NOT_IDLE};

	for (int i = 0; i < 3; i++) {
		struct lb_env env = start("5.4", 2);

		/* the running one is at the tail: it was queued first */
		env.idle = idle[i];
		env.imbalance = 100000;
		assert_int_equal(detach(&env), 1);
		assert_int_equal(env.loop, idle[i] == CPU_NOT_IDLE ? 33 : 2);
		finish(&env);
	}
}

/* Half of a task's load may not exceed what is left. F3: unless attempts failed before. */
static void test_half_a_task_may_be_too_much(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t load;
		int64_t imbalance;
		uint32_t failed; /* beyond what the domain tolerates */
		bool moves;
	} rows[] = {
		{"5.4", 1024, 511, 0, true},  {"5.4", 1025, 511, 0, false},
		{"5.4", 1025, 511, 9, false}, {TYPES, 1025, 511, 9, false},
		{TYPES, 1024, 511, 0, true},  {"5.5", 1024, 511, 0, true},
		{"5.5", 1025, 511, 0, false}, {"5.5", 1025, 511, 1, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(rows[i].kernel, 2);

		env.imbalance = rows[i].imbalance;
		env.sd->nr_balance_failed = env.sd->cache_nice_tries + rows[i].failed;
		set_load(task[1], rows[i].load);
		assert_int_equal(task_h_load(hand_k(&h, 1), task[1]), rows[i].load - 1);
		assert_int_equal(detach(&env), rows[i].moves);
		if (rows[i].moves)
			assert_int_equal(env.imbalance,
					 rows[i].imbalance - (int64_t)rows[i].load + 1);
		finish(&env);
	}
}

/* The filter, if it is on: 15 is too little as long as nothing failed. */
static void test_lb_min_leaves_small_tasks(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t load;
		uint32_t failed;
		bool moves;
	} rows[] = {{"5.4", 16, 0, true},         {"5.4,LB_MIN", 16, 0, false},
		    {"5.4,LB_MIN", 17, 0, true},  {"5.4,LB_MIN", 16, 1, true},
		    {"5.5,LB_MIN", 16, 0, false}, {"5.5,LB_MIN", 17, 0, true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(rows[i].kernel, 2);

		env.imbalance = 100;
		env.sd->nr_balance_failed = rows[i].failed;
		set_load(task[1], rows[i].load);
		assert_int_equal(detach(&env), rows[i].moves);
		finish(&env);
	}
}

/* By utilization: none bigger than what is left, and what it uses is taken off. */
static void test_utilization_moves_what_fits(void **state)
{
	struct lb_env env = start("5.5", 4);

	env.migration_type = MIGRATE_UTIL;
	env.imbalance = 500;
	set_util(task[1], 501);
	set_util(task[2], 299);
	set_util(task[3], 201);
	/* the remembered 0 counts 1 by its flag: 299 is 299, then 201 fits 201 */
	assert_int_equal(detach(&env), 2);
	assert_int_equal(env.imbalance, 0);
	assert_int_equal(task[1]->cpu, 1);
	finish(&env);
}

/* By tasks: that many, whatever they weigh. */
static void test_tasks_are_counted(void **state)
{
	struct lb_env env = start("5.5", 6);

	env.migration_type = MIGRATE_TASK;
	env.imbalance = 3;
	set_load(task[1], 900000);
	assert_int_equal(detach(&env), 3);
	assert_int_equal(env.imbalance, 0);
	finish(&env);
}

/* P8: the task that does not fit the CPU; before the one with most of the load that was seen. */
static void test_misfit_tasks_by_load_or_by_utilization(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t load;
		uint32_t util;
		int64_t imbalance;
		bool moves;
	} rows[] = {
		/* CPU of 512: 409 fits, 410 does not */
		{"5.5", 1001, 409, 1, false},   {"5.5", 1001, 410, 1, true},
		{"5.5", 101, 410, 1, true},     {TYPES, 1001, 100, 500, true},
		{TYPES, 1001, 410, 501, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(rows[i].kernel, 3);

		env.migration_type = MIGRATE_MISFIT;
		env.imbalance = rows[i].imbalance;
		env.src_rq->cpu_capacity = 512;
		for (int j = 1; j < 3; j++) {
			set_load(task[j], rows[i].load);
			set_util(task[j], rows[i].util);
		}
		/* one is enough */
		assert_int_equal(detach(&env), rows[i].moves);
		if (rows[i].moves)
			assert_int_equal(env.imbalance, 0);
		finish(&env);
	}
}

/* In 5.4 a misfit group's tasks are taken by load. */
static void test_before_the_types_all_is_load(void **state)
{
	struct lb_env env = start("5.4", 2);

	env.migration_type = MIGRATE_MISFIT;
	env.imbalance = 2000;
	env.src_rq->cpu_capacity = 1024;
	set_load(task[1], 1001);
	set_util(task[1], 10);
	assert_int_equal(detach(&env), 1);
	assert_int_equal(env.imbalance, 1000);
	assert_int_equal(env.migration_type, MIGRATE_MISFIT);
	finish(&env);
}

/* 32 tasks under one lock, the running one too, then a pause; the count goes on up to loop_max. */
static void test_a_pass_pauses_after_32_tasks(void **state)
{
	struct lb_env env = start("5.5", 60);

	env.migration_type = MIGRATE_TASK;
	env.imbalance = 1000;
	env.loop_max = 40;
	assert_int_equal(detach(&env), 31);
	assert_true(env.flags & LBF_NEED_BREAK);
	assert_int_equal(env.loop, 33);
	assert_int_equal(env.loop_break, 64);
	env.flags &= ~LBF_NEED_BREAK;
	assert_int_equal(detach(&env), 7);
	assert_int_equal(env.loop, 41);
	assert_false(env.flags & LBF_NEED_BREAK);
	assert_int_equal(env.sd->stats.lb_gained[CPU_IDLE], 38);
	finish(&env);
}

/* A preemptible kernel that goes idle takes one task. */
static void test_a_preemptible_newly_idle_cpu_takes_one(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint32_t n;
	} rows[] = {{"5.5,preempt=full", CPU_NEWLY_IDLE, 1},
		    {"5.5,preempt=full", CPU_IDLE, 2},
		    {"5.5", CPU_NEWLY_IDLE, 2}};

	for (int i = 0; i < 3; i++) {
		struct lb_env env = start(rows[i].kernel, 4);

		env.migration_type = MIGRATE_TASK;
		env.imbalance = 2;
		env.idle = rows[i].idle;
		assert_int_equal(detach(&env), rows[i].n);
		finish(&env);
	}
}

/* What is passed over goes to the head of the list and is seen last next time. */
static void test_what_stays_goes_to_the_head(void **state)
{
	struct lb_env env = start("5.4", 3);

	env.imbalance = 100;
	set_load(task[1], 9000);
	set_load(task[2], 9000);
	env.loop_max = 2;
	assert_int_equal(detach(&env), 0);
	assert_ptr_equal(container_of(env.src_rq->cfs_tasks.next, struct task, lb_node), task[1]);
	finish(&env);
}

/* -- may it go? -- */

static void test_a_running_task_stays_but_is_not_pinned(void **state)
{
	struct lb_env env = start("5.5", 2);

	assert_false(may_go(&env, task[0]));
	assert_false(env.flags & LBF_ALL_PINNED);
	assert_true(may_go(&env, task[1]));
	finish(&env);
}

/* Within 0.5 ms of its last run; not SCHED_IDLE; a buddy if this CPU has work; after failures any. */
static void test_hot_tasks_stay(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t ran_ns; /* ago */
		bool idle_policy, buddy, dst_busy;
		uint32_t failed; /* of one tolerated */
		bool may, hot_gained;
	} rows[] = {
		{"5.4", 499999, false, false, false, 0, false, false},
		{"5.4", 500000, false, false, false, 0, true, false},
		{"5.4", 499999, true, false, false, 0, true, false},
		{"5.4", 499999, false, false, false, 1, false, false},
		{"5.4", 499999, false, false, false, 2, true, true},
		{"5.4", 900000, false, true, true, 0, false, false},
		{"5.4", 900000, false, true, false, 0, true, false},
		{"5.4,NO_CACHE_HOT_BUDDY", 900000, false, true, true, 0, true, false},
		{"5.4,sched_migration_cost=0", 1, false, false, false, 0, true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(rows[i].kernel, 2);

		env.sd->cache_nice_tries = 1;
		env.sd->nr_balance_failed = rows[i].failed;
		task[1]->se.exec_start_ns = env.src_rq->clock_ns - rows[i].ran_ns;
		task[1]->policy = rows[i].idle_policy ? POLICY_IDLE : POLICY_NORMAL;
		env.src_rq->cfs->next = rows[i].buddy ? &task[1]->se : NULL;
		if (rows[i].dst_busy)
			hand_task(&h, 0, 0);
		assert_int_equal(may_go(&env, task[1]), rows[i].may);
		assert_int_equal(env.sd->stats.lb_hot_gained[CPU_IDLE], rows[i].hot_gained);
		task[1]->policy = POLICY_NORMAL;
		finish(&env);
	}
}

/* A task that may not come here may go to another CPU of the group; one such is enough. */
static void test_pinned_tasks_name_another_cpu_of_the_group(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint64_t candidates, allowed;
		uint32_t flags_before, flags;
	} rows[] = {
		{CPU_IDLE, 3, 3, LBF_ALL_PINNED, 0},
		{CPU_IDLE, 3, 2, LBF_ALL_PINNED, LBF_ALL_PINNED | LBF_SOME_PINNED | LBF_DST_PINNED},
		{CPU_NEWLY_IDLE, 3, 2, LBF_ALL_PINNED, LBF_ALL_PINNED | LBF_SOME_PINNED},
		{CPU_IDLE, 1, 2, LBF_ALL_PINNED, LBF_ALL_PINNED | LBF_SOME_PINNED},
		{CPU_IDLE, 3, 2, LBF_DST_PINNED, LBF_SOME_PINNED | LBF_DST_PINNED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start("5.4", 2);

		env.idle = rows[i].idle;
		env.dst_grpmask = hand_cpus(&h, 3);
		env.flags = rows[i].flags_before;
		env.new_dst_cpu = 77;
		mask_copy(env.cpus, hand_cpus(&h, rows[i].candidates));
		task[1]->allowed = hand_cpus(&h, rows[i].allowed);
		assert_int_equal(may_go(&env, task[1]), rows[i].allowed == 3);
		assert_int_equal(env.flags, rows[i].flags);
		assert_int_equal(env.new_dst_cpu,
				 rows[i].flags & ~rows[i].flags_before & LBF_DST_PINNED ? 1 : 77);
		finish(&env);
	}
}

/* The stopper takes the first that may go, whatever it weighs. */
static void test_one_task_is_detached_for_the_stopper(void **state)
{
	struct lb_env env = start("5.4", 3);
	struct task *p;

	set_load(task[1], 900000);
	task[1]->allowed = hand_cpus(&h, 2);
	rq_lock(hand_k(&h, 1), env.src_rq);
	p = detach_one_task(hand_k(&h, 1), &env);
	rq_unlock(hand_k(&h, 1), env.src_rq);
	assert_ptr_equal(p, task[2]);
	assert_int_equal(env.sd->stats.lb_gained[CPU_IDLE], 1);
	attach_one_task(hand_k(&h, 1), env.dst_rq, p);
	assert_int_equal(p->cpu, 0);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	assert_true(hand_rq(&h, 0)->curr->need_resched);
	finish(&env);
}

/* -- later kernels -- */

#define SHIFT TYPES ",+lb-shift-bound"

/* The imbalance is the bound, and each failure doubles it; a task without load counts 1. */
static void test_each_failure_doubles_what_may_go(void **state)
{
	static const struct {
		enum migration_type what;
		uint64_t value;
		int64_t imbalance;
		uint32_t failed;
		int64_t left; /* -1: it stays */
	} rows[] = {
		{MIGRATE_LOAD, 511, 511, 0, 0},  {MIGRATE_LOAD, 512, 511, 0, -1},
		{MIGRATE_LOAD, 1023, 511, 1, 0}, {MIGRATE_LOAD, 1024, 511, 1, -1},
		{MIGRATE_LOAD, 0, 511, 0, 510},  {MIGRATE_LOAD, 1000000, 1, 70, 0},
		{MIGRATE_UTIL, 511, 511, 0, 0},  {MIGRATE_UTIL, 512, 511, 0, -1},
		{MIGRATE_UTIL, 1023, 511, 1, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(SHIFT, 2);
		bool goes = rows[i].left >= 0;
		uint64_t worth = rows[i].value;

		env.imbalance = rows[i].imbalance;
		env.migration_type = rows[i].what;
		env.sd->nr_balance_failed = rows[i].failed;
		set_load(task[1], rows[i].value + 1);
		set_util(task[1], (uint32_t)rows[i].value);
		if (rows[i].value == 0)
			worth = 1;
		/* a stored value of none still has its flag */
		if (rows[i].what == MIGRATE_UTIL)
			worth = task_util_est(hand_k(&h, 1), task[1]);
		assert_int_equal(detach(&env), goes);
		if (goes)
			assert_int_equal(env.imbalance, rows[i].imbalance - (int64_t)worth);
		finish(&env);
	}
}

/* Between threads of a core nothing is hot; the stopper does not ask. */
static void test_who_does_not_ask_for_hot_tasks(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t sd_flags, env_flags;
		bool may;
	} rows[] = {
		{"5.4", 0, 0, false},
		{"5.4", SD_SHARE_CPUPOWER, 0, false},
		{"5.4,+lb-smt-not-hot", 0, 0, false},
		{"5.4,+lb-smt-not-hot", SD_SHARE_CPUPOWER, 0, true},
		{TYPES ",+lb-active-by-task", 0, 0, false},
		{TYPES ",+lb-active-by-task", 0, LBF_ACTIVE_LB, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lb_env env = start(rows[i].kernel, 3);

		env.sd->flags |= rows[i].sd_flags;
		env.flags = rows[i].env_flags;
		task[1]->se.exec_start_ns = env.src_rq->clock_ns;
		assert_int_equal(may_go(&env, task[1]), rows[i].may);
		finish(&env);
	}
}

/* A CPU's own kernel thread is left alone; any other pinned task counts as one. */
static void test_kernel_threads_of_a_cpu_are_no_obstacle(void **state)
{
	for (uint32_t i = 0; i < 8; i++) {
		bool later = i & 1, kthread = i & 2, one_cpu = i & 4;
		struct lb_env env = start(later ? "5.4,+lb-skip-kthreads" : "5.4", 3);

		task[1]->kthread = kthread;
		task[1]->allowed = hand_cpus(&h, 2);
		task[1]->nr_allowed = one_cpu ? 1 : 2;
		env.idle = CPU_IDLE;
		env.flags = LBF_ALL_PINNED;
		assert_false(may_go(&env, task[1]));
		assert_int_equal((env.flags & LBF_SOME_PINNED) != 0,
				 !(later && kthread && one_cpu));
		finish(&env);
	}
}

/* A hot task that is let through and then is too big was not moved. */
static void test_a_hot_task_counts_when_it_goes(void **state)
{
	for (int later = 0; later < 2; later++) {
		for (int goes = 0; goes < 2; goes++) {
			struct lb_env env = start(later ? "5.4,+lb-hot-at-detach" : "5.4", 2);
			env.imbalance = goes ? 1000 : 100;
			env.sd->nr_balance_failed = env.sd->cache_nice_tries + 1;
			task[1]->se.exec_start_ns = env.src_rq->clock_ns;
			assert_int_equal(detach(&env), goes);
			/* before, each look counts */
			assert_int_equal(env.sd->stats.lb_hot_gained[CPU_IDLE] > 0, !later || goes);
			finish(&env);
		}
	}
}

/* The source ran dry before it was locked: that is not for pinned tasks. */
static void test_a_source_that_ran_dry_is_not_pinned(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct lb_env env = start(later ? TYPES ",+lb-active-by-task" : TYPES, 1);

		env.imbalance = 1000;
		assert_int_equal(detach(&env), 0);
		assert_int_equal(env.flags, later ? 0 : LBF_ALL_PINNED);
		finish(&env);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_oldest_is_taken_first_and_put_last),
		cmocka_unit_test(test_what_is_throttled_here_or_there_stays),
		cmocka_unit_test(test_nothing_is_looked_at_without_an_imbalance),
		cmocka_unit_test(test_the_last_task_stays_unless_the_taker_is_busy),
		cmocka_unit_test(test_half_a_task_may_be_too_much),
		cmocka_unit_test(test_lb_min_leaves_small_tasks),
		cmocka_unit_test(test_utilization_moves_what_fits),
		cmocka_unit_test(test_tasks_are_counted),
		cmocka_unit_test(test_misfit_tasks_by_load_or_by_utilization),
		cmocka_unit_test(test_before_the_types_all_is_load),
		cmocka_unit_test(test_kernel_threads_of_a_cpu_are_no_obstacle),
		cmocka_unit_test(test_a_pass_pauses_after_32_tasks),
		cmocka_unit_test(test_a_preemptible_newly_idle_cpu_takes_one),
		cmocka_unit_test(test_what_stays_goes_to_the_head),
		cmocka_unit_test(test_a_running_task_stays_but_is_not_pinned),
		cmocka_unit_test(test_hot_tasks_stay),
		cmocka_unit_test(test_pinned_tasks_name_another_cpu_of_the_group),
		cmocka_unit_test(test_one_task_is_detached_for_the_stopper),
		cmocka_unit_test(test_each_failure_doubles_what_may_go),
		cmocka_unit_test(test_who_does_not_ask_for_hot_tasks),
		cmocka_unit_test(test_a_hot_task_counts_when_it_goes),
		cmocka_unit_test(test_a_source_that_ran_dry_is_not_pinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
