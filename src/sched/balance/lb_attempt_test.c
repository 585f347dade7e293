/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an attempt of 5.4, and with each change up to 6.12, goes on and what it leaves behind. Two sockets of two cores; what
 * the groups' numbers lead to is said by the test: take AMOUNT tasks from group FROM.
 */
#include "support.h"

#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"

static struct hand h;
static struct {
	uint32_t from; /* CPU of the group; CPU_NONE: balanced */
	int64_t amount;
	enum migration_type what;
	uint32_t searches;
} decision;

static void begin_nothing(const struct lb_env *env, struct sd_lb_stats *sds)
{
	(void)env;
	*sds = (struct sd_lb_stats){.busiest = NULL};
}

static void rate_nothing(const struct kctx *k, const struct lb_env *env,
			 const struct sd_lb_stats *sds, const struct sched_group *g,
			 struct sg_lb_stats *s)
{
	(void)k, (void)env, (void)sds, (void)g, (void)s;
}

static bool never_busier(const struct kctx *k, const struct lb_env *env, struct sd_lb_stats *sds,
			 const struct sched_group *g, struct sg_lb_stats *s)
{
	(void)k, (void)env, (void)sds, (void)g, (void)s;
	return false;
}

static struct sched_group *as_decided(const struct kctx *k, struct lb_env *env,
				      struct sd_lb_stats *sds)
{
	struct sched_group *g = env->sd->groups;

	(void)k, (void)sds;
	decision.searches++;
	if (decision.from == CPU_NONE)
		return NULL;
	while (!mask_test(g->cpus, decision.from))
		g = g->next;
	env->imbalance = decision.amount;
	env->migration_type = decision.what;
	return g;
}

static const struct busiest_ops decided = {
	.name = "decided",
	.begin = begin_nothing,
	.rate = rate_nothing,
	.is_busier = never_busier,
	.decide = as_decided,
};

/*
 * CPU 0 is idle, CPU 2 runs a task and N - 1 wait, all cold. MC: 0-1 and 2-3, groups of one; NUMA:
 * all, two groups of two. By load, as the decision is not that of types.
 */
static struct sched_domain *start_on(const char *kernel, uint32_t level, uint32_t n)
{
	hand_init(&h, kernel, 2, 2, 1);
	h.v.busiest = &decided;
	decision.from = 2;
	decision.amount = 500;
	decision.what = MIGRATE_LOAD;
	decision.searches = 0;
	hand_tasks(&h, 2, n);
	for (uint32_t i = 0; i < h.m->ntasks; i++)
		h.m->tasks[i].se.exec_start_ns = 0;
	return hand_sd(&h, 0, level);
}

static struct sched_domain *start(uint32_t level, uint32_t n)
{
	return start_on("5.4", level, n);
}

static int32_t balance(struct sched_domain *sd, enum cpu_idle_type idle, bool *go_on)
{
	*go_on = true;
	return h.v.lb->load_balance(hand_k(&h, 0), 0, sd, idle, go_on);
}

static int32_t balance_idle(struct sched_domain *sd)
{
	bool go_on;

	return balance(sd, CPU_IDLE, &go_on);
}

/* The first idle CPU of the group, or its first; but newly idle ones each for itself. */
static void test_whose_turn_it_is(void **state)
{
	static const struct {
		uint32_t busy_0, busy_1;
		enum cpu_idle_type idle;
		bool turn; /* of CPU 0 */
	} rows[] = {
		{0, 0, CPU_IDLE, true},       {0, 1, CPU_IDLE, true},
		{1, 0, CPU_NOT_IDLE, false},  {1, 1, CPU_NOT_IDLE, true},
		{1, 0, CPU_NEWLY_IDLE, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd = start(1, 1);
		bool go_on;

		decision.from = CPU_NONE;
		hand_tasks(&h, 0, rows[i].busy_0);
		hand_tasks(&h, 1, rows[i].busy_1);
		balance(sd, rows[i].idle, &go_on);
		assert_int_equal(go_on, rows[i].turn);
		assert_int_equal(decision.searches, rows[i].turn);
		assert_int_equal(sd->stats.lb_count[rows[i].idle], 1);
		assert_int_equal(sd->stats.lb_balanced[rows[i].idle], 1);
		assert_int_equal(sd->stats.lb_nobusyg[rows[i].idle], rows[i].turn);
		hand_free(&h);
	}
}

/* Balanced: longer until the next time, up to the limit, and what failed before is forgotten. */
static void test_a_balanced_domain_waits_longer(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint32_t before, after;
	} rows[] = {{CPU_IDLE, 2, 4},
		    {CPU_IDLE, 3, 6},
		    {CPU_IDLE, 4, 4},
		    {CPU_NOT_IDLE, 2, 4},
		    {CPU_NEWLY_IDLE, 2, 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd = start(0, 0);
		bool go_on;

		assert_int_equal(sd->max_interval_ms, 4);
		decision.from = CPU_NONE;
		sd->balance_interval_ms = rows[i].before;
		sd->nr_balance_failed = 7;
		sd->parent->groups->sgc->imbalance = true;
		assert_int_equal(balance(sd, rows[i].idle, &go_on), 0);
		assert_int_equal(sd->balance_interval_ms, rows[i].after);
		assert_int_equal(sd->nr_balance_failed, 0);
		assert_false(sd->parent->groups->sgc->imbalance);
		hand_free(&h);
	}
}

static void test_what_moved_is_counted_and_the_interval_is_short_again(void **state)
{
	struct sched_domain *sd = start(1, 3);

	/* 1023, then 1535: the queue's h_load is of before, its load is not */
	decision.amount = 1023 + 767;
	sd->balance_interval_ms = 8;
	sd->nr_balance_failed = 2;
	assert_int_equal(balance_idle(sd), 2);
	assert_int_equal(sd->balance_interval_ms, sd->min_interval_ms);
	assert_int_equal(sd->nr_balance_failed, 0);
	assert_int_equal(sd->stats.lb_imbalance[CPU_IDLE], 1023 + 767);
	assert_int_equal(sd->stats.lb_gained[CPU_IDLE], 2);
	assert_int_equal(sd->stats.lb_failed[CPU_IDLE], 0);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 2);
	assert_int_equal(hand_rq(&h, 2)->nr_running, 1);
	hand_free(&h);
}

/* A group without a queue worth the amount. */
static void test_no_queue_is_no_failure(void **state)
{
	struct sched_domain *sd = start(1, 1);

	/* one task, whose 1024 are more */
	assert_int_equal(balance_idle(sd), 0);
	assert_int_equal(sd->stats.lb_nobusyq[CPU_IDLE], 1);
	assert_int_equal(sd->stats.lb_balanced[CPU_IDLE], 1);
	assert_int_equal(sd->stats.lb_failed[CPU_IDLE], 0);
	hand_free(&h);
}

/* All pinned: that queue is left out and the search goes on; none left: up to half a second. */
static void test_a_pinned_queue_is_left_out(void **state)
{
	for (int other = 0; other < 2; other++) {
		struct sched_domain *sd = start(1, 3);
		int32_t moved;

		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].allowed = hand_cpus(&h, 12);
		hand_tasks(&h, 3, other ? 2 : 0);
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].se.exec_start_ns = 0;
		decision.amount = 600;
		sd->balance_interval_ms = 300;
		sd->nr_balance_failed = 1;
		sd->parent = NULL;
		moved = balance_idle(sd);
		assert_int_equal(moved, other);
		assert_int_equal(sd->balance_interval_ms, other ? sd->min_interval_ms : 600);
		assert_int_equal(decision.searches, 2);
		/* the second search found CPU 3, or nobody worth it */
		assert_int_equal(sd->nr_balance_failed, 0);
		for (uint32_t i = 0; i < 3; i++)
			h.m->tasks[i].allowed = h.m->online;
		hand_free(&h);
	}
}

/* Some of the tasks may not come here: the domain above is told that tasks are stuck below. */
static void test_pinned_tasks_mark_the_group_above(void **state)
{
	struct sched_domain *sd = start(0, 0);

	hand_tasks(&h, 1, 3);
	for (uint32_t i = 0; i < h.m->ntasks; i++) {
		h.m->tasks[i].se.exec_start_ns = 0;
		h.m->tasks[i].allowed = hand_cpus(&h, i == 1 ? 2 : 15);
	}
	decision.from = 1;
	decision.amount = 3000;
	assert_int_equal(balance_idle(sd), 1);
	assert_true(sd->parent->groups->sgc->imbalance);
	h.m->tasks[1].allowed = h.m->online;
	hand_free(&h);
}

/* What may not come to CPU 0 goes to CPU 1 of its group, if it may. */
static void test_another_cpu_of_the_group_takes_what_this_one_may_not(void **state)
{
	struct sched_domain *sd = start(1, 3);

	for (uint32_t i = 0; i < h.m->ntasks; i++)
		h.m->tasks[i].allowed = hand_cpus(&h, 14);
	/* 1023, then 1535: the queue's h_load is of before, its load is not */
	decision.amount = 1023 + 767;
	assert_int_equal(balance_idle(sd), 2);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 0);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 2);
	assert_int_equal(decision.searches, 1);
	for (uint32_t i = 0; i < h.m->ntasks; i++)
		h.m->tasks[i].allowed = h.m->online;
	hand_free(&h);
}

/* More than tries + 2 failures: the running task is pushed; as often again only after two more. */
static void test_failures_lead_to_a_push(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint32_t before, after; /* failures beyond the domain's tries */
		bool pushes;
		uint32_t interval_ms; /* 4 before; 4 at least, 8 at most */
	} rows[] = {
		{CPU_IDLE, 0, 1, false, 4},      {CPU_IDLE, 1, 2, false, 4},
		{CPU_IDLE, 2, 1, true, 8},       {CPU_NEWLY_IDLE, 2, 2, false, 4},
		{CPU_NEWLY_IDLE, 3, 1, true, 8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd = start(1, 2);
		bool go_on;

		/* no task is small enough: half of 1023 */
		decision.amount = 510;
		sd->balance_interval_ms = sd->min_interval_ms;
		assert_int_equal(sd->min_interval_ms, 4);
		sd->nr_balance_failed = sd->cache_nice_tries + rows[i].before;
		assert_int_equal(balance(sd, rows[i].idle, &go_on), 0);
		assert_int_equal(sd->stats.lb_failed[rows[i].idle], 1);
		assert_int_equal(sd->nr_balance_failed, sd->cache_nice_tries + rows[i].after);
		assert_int_equal(hand_rq(&h, 2)->active_balance, rows[i].pushes);
		assert_int_equal(sd->balance_interval_ms, rows[i].interval_ms);
		if (rows[i].pushes) {
			assert_int_equal(hand_rq(&h, 2)->push_cpu, 0);
			/* its stopper wakes by its list: no cache is shared */
			assert_ptr_equal(hand_rq(&h, 2)->wake_list, hand_rq(&h, 2)->stop);
			hand_rq(&h, 2)->wake_list = NULL;
		}
		hand_free(&h);
	}
}

/* Under way already: not asked again, but the failures count as tried. */
static void test_a_push_under_way_is_not_asked_again(void **state)
{
	struct sched_domain *sd = start(1, 2);

	decision.amount = 510;
	sd->nr_balance_failed = sd->cache_nice_tries + 5;
	sd->balance_interval_ms = 8;
	hand_rq(&h, 2)->active_balance = true;
	hand_rq(&h, 2)->push_cpu = 3;
	assert_int_equal(balance_idle(sd), 0);
	assert_int_equal(hand_rq(&h, 2)->push_cpu, 3);
	assert_null(hand_rq(&h, 2)->wake_list);
	assert_int_equal(sd->nr_balance_failed, sd->cache_nice_tries + 1);
	assert_int_equal(sd->balance_interval_ms, sd->min_interval_ms);
	hand_rq(&h, 2)->active_balance = false;
	hand_free(&h);
}

/* The running task may not come here: that is a reason to wait longer. */
static void test_a_running_task_that_may_not_come_is_not_pushed(void **state)
{
	struct sched_domain *sd = start(1, 2);

	decision.amount = 510;
	hand_rq(&h, 2)->curr->allowed = hand_cpus(&h, 12);
	sd->nr_balance_failed = sd->cache_nice_tries + 2;
	sd->balance_interval_ms = 300;
	assert_int_equal(balance_idle(sd), 0);
	assert_false(hand_rq(&h, 2)->active_balance);
	assert_int_equal(sd->balance_interval_ms, 600);
	assert_int_equal(sd->nr_balance_failed, sd->cache_nice_tries + 3);
	hand_rq(&h, 2)->curr->allowed = h.m->online;
	hand_free(&h);
}

/* No failure is needed: packing, a CPU with little left for fair tasks, a misfit task. */
static void test_reasons_to_push_at_once(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		bool packs;
		uint64_t capacity; /* of CPU 2 */
		enum migration_type what;
		bool pushes;
	} rows[] = {
		{CPU_IDLE, false, 1024, MIGRATE_LOAD, false},
		{CPU_IDLE, true, 1024, MIGRATE_LOAD, true},
		{CPU_NOT_IDLE, true, 1024, MIGRATE_LOAD, false},
		{CPU_IDLE, false, 819, MIGRATE_LOAD, true}, /* * 125 < 1024 * 100 */
		{CPU_IDLE, false, 820, MIGRATE_LOAD, false},
		{CPU_NOT_IDLE, false, 819, MIGRATE_LOAD, false},
		{CPU_NOT_IDLE, false, 1024, MIGRATE_MISFIT, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd = start(1, 1);
		struct rq *src = hand_rq(&h, 2);
		bool go_on;

		decision.amount = 2000;
		decision.what = rows[i].what;
		src->misfit_task_load = 700;
		sd->flags |= rows[i].packs ? SD_ASYM_PACKING : 0;
		src->cpu_capacity = rows[i].capacity;
		sd->imbalance_pct = 125;
		sd->balance_interval_ms = 8;
		balance(sd, rows[i].idle, &go_on);
		assert_int_equal(src->active_balance, rows[i].pushes);
		/* then the interval is not the push's affair */
		assert_int_equal(sd->balance_interval_ms, sd->min_interval_ms);
		hand_free(&h);
	}
}

/* The stopper: lowest domain that holds both, the first task that may go. */
static void test_the_stopper_pushes_one_task(void **state)
{
	for (int pinned = 0; pinned < 2; pinned++) {
		struct sched_domain *sd = start(1, 2);
		struct rq *src = hand_rq(&h, 2);
		struct kctx *k = hand_k(&h, 2);

		src->active_balance = true;
		src->push_cpu = 0;
		sd->nr_balance_failed = 3;
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].allowed = pinned ? hand_cpus(&h, 12) : h.m->online;
		rq_lock(k, src);
		h.v.lb->active_balance(k, src);
		rq_unlock(k, src);
		assert_false(src->active_balance);
		assert_int_equal(sd->stats.alb_count, 1);
		assert_int_equal(sd->stats.alb_pushed, !pinned);
		assert_int_equal(sd->stats.alb_failed, pinned);
		assert_int_equal(sd->nr_balance_failed, pinned ? 3 : 0);
		assert_int_equal(hand_rq(&h, 0)->nr_running, !pinned);
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].allowed = h.m->online;
		hand_free(&h);
	}
}

/* What is left of a small CPU is never more than that CPU. */
static void test_the_capacity_of_a_small_cpu(void **state)
{
	struct rq *rq;

	start(0, 0);
	rq = hand_rq(&h, 0);
	rq->cpu_capacity_orig = 512;
	rq->pelt.avg_rt.util_avg = 100;
	lb_update_capacity(hand_k(&h, 0), rq->sd, 0);
	assert_int_equal(rq->cpu_capacity, 412);
	assert_int_equal(rq->sd->groups->sgc->capacity, 412);
	lb_update_capacity(hand_k(&h, 0), rq->sd->parent, 0);
	assert_int_equal(rq->sd->parent->groups->sgc->capacity, 412 + 1024);
	assert_int_equal(rq->sd->parent->groups->sgc->min_capacity, 412);
	assert_int_equal(rq->sd->parent->groups->sgc->max_capacity, 1024);
	rq->pelt.avg_rt.util_avg = 0;
	hand_free(&h);
}

/* -- later kernels -- */

#define BY_TASK "5.4,+lb-asym-mark,+lb-no-small-fix,+lb-group-types,+lb-active-by-task"

/* Only to even out tasks; failures go on counting, and the interval is the shortest. */
static void test_failures_lead_to_a_push_of_tasks_only(void **state)
{
	static const struct {
		enum migration_type what;
		uint32_t before; /* failures beyond the domain's tries */
		bool pushes;
	} rows[] = {
		{MIGRATE_TASK, 1, false},
		{MIGRATE_TASK, 2, true},
		{MIGRATE_LOAD, 9, false},
		{MIGRATE_UTIL, 9, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd = start_on(BY_TASK, 1, 1);
		struct rq *src = hand_rq(&h, 2);

		decision.what = rows[i].what;
		decision.amount = 2000;
		sd->balance_interval_ms = 8;
		sd->nr_balance_failed = sd->cache_nice_tries + rows[i].before;
		assert_int_equal(balance_idle(sd), 0);
		assert_int_equal(sd->nr_balance_failed, sd->cache_nice_tries + rows[i].before + 1);
		assert_int_equal(src->active_balance, rows[i].pushes);
		assert_int_equal(sd->balance_interval_ms, sd->min_interval_ms);
		src->wake_list = NULL;
		hand_free(&h);
	}
}

/* It got a task, or one is on its way: then it is not newly idle any more. */
static void test_a_cpu_that_got_a_task_is_not_newly_idle(void **state)
{
	for (uint32_t what = 0; what < 6; what++) {
		struct sched_domain *sd =
			start_on(what < 3 ? "5.4" : "5.4,+lb-newidle-empty", 1, 1);
		bool go_on, has = what % 3;

		decision.from = CPU_NONE;
		hand_tasks(&h, 0, what % 3 == 1);
		hand_rq(&h, 0)->wake_list = what % 3 == 2 ? hand_rq(&h, 0)->stop : NULL;
		balance(sd, CPU_NEWLY_IDLE, &go_on);
		assert_int_equal(go_on, what < 3 || !has);
		hand_rq(&h, 0)->wake_list = NULL;
		hand_free(&h);
	}
}

/* CPU 1 is of the group but does not balance for it: a pinned task may not go there. */
static void test_pinned_tasks_go_to_who_balances(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct sched_domain *sd = start_on(later ? "5.4,+lb-balance-mask" : "5.4", 1, 3);

		sd->groups->sgc->balance_mask = hand_cpus(&h, 1);
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].allowed = hand_cpus(&h, 14);
		decision.amount = 1000;
		balance_idle(sd);
		assert_int_equal(hand_rq(&h, 1)->nr_running, !later);
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].allowed = h.m->online;
		sd->groups->sgc->balance_mask = sd->groups->cpus;
		hand_free(&h);
	}
}

/* Misfits that could not be moved: 6.12 counts no failure. */
static void test_misfits_that_stay_are_no_failures(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct sched_domain *sd =
			start_on(later ? BY_TASK ",+lb-misfit-quiet" : BY_TASK, 1, 2);

		decision.what = MIGRATE_MISFIT;
		decision.amount = 100000;
		hand_rq(&h, 2)->misfit_task_load = 700;
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].se.exec_start_ns = hand_rq(&h, 2)->clock_ns;
		balance_idle(sd);
		assert_int_equal(sd->stats.lb_failed[CPU_IDLE], 1);
		assert_int_equal(sd->nr_balance_failed, !later);
		hand_rq(&h, 2)->wake_list = NULL;
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_turn_it_is),
		cmocka_unit_test(test_a_balanced_domain_waits_longer),
		cmocka_unit_test(test_what_moved_is_counted_and_the_interval_is_short_again),
		cmocka_unit_test(test_no_queue_is_no_failure),
		cmocka_unit_test(test_a_pinned_queue_is_left_out),
		cmocka_unit_test(test_pinned_tasks_mark_the_group_above),
		cmocka_unit_test(test_another_cpu_of_the_group_takes_what_this_one_may_not),
		cmocka_unit_test(test_failures_lead_to_a_push),
		cmocka_unit_test(test_a_push_under_way_is_not_asked_again),
		cmocka_unit_test(test_a_running_task_that_may_not_come_is_not_pushed),
		cmocka_unit_test(test_reasons_to_push_at_once),
		cmocka_unit_test(test_the_stopper_pushes_one_task),
		cmocka_unit_test(test_the_capacity_of_a_small_cpu),
		cmocka_unit_test(test_failures_lead_to_a_push_of_tasks_only),
		cmocka_unit_test(test_a_cpu_that_got_a_task_is_not_newly_idle),
		cmocka_unit_test(test_pinned_tasks_go_to_who_balances),
		cmocka_unit_test(test_misfits_that_stay_are_no_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
