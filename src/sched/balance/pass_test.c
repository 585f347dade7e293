/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attempts of the kernels of 3.3 to 3.4 over long queues. Two sockets; every CPU but
 * CPU 0 has N tasks of nice 0, of one group or of the root; nobody is hot and what
 * runs is the last of its list; CPU 0 is newly idle. Examining a task takes 1 ns.
 */
#define HAND_TASKS 13000u
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;

#define D1 "3.3,+lb-rq-list"
#define RC2 "3.4-rc2"
#define P1 "3.4-rc2,+nr-migrate-cap"
#define P2 "3.4-rc2,+nr-migrate-cap,+lb-list-head"
#define FULL ",preempt=full"

/* N tasks of TG on CPU: the first runs, there are no buddies. */
static void fill(struct task_group *tg, uint32_t cpu, uint32_t n)
{
	static const struct task_attr nice_0 = {.nice = 0};
	struct rq *rq = hand_rq(&h, cpu);
	struct cfs_rq *q = NULL;

	for (uint32_t i = 0; i < n; i++) {
		q = hand_task_in(&h, cpu, &nice_0, tg)->se.cfs_rq;
		if (rq->curr == rq->idle)
			sched_schedule(hand_k(&h, cpu));
		rq->curr->need_resched = false;
		rq->skip_clock_update = false;
		q->last = rq->cfs->last = NULL;
		q->next = rq->cfs->next = NULL;
	}
	if (q && kver_has(&h.v, FEAT_LB_RQ_LIST)) {
		list_del(&rq->curr->lb_node);
		list_add_tail(&rq->cfs_tasks, &rq->curr->lb_node);
	}
}

static void settle_loads(void)
{
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		for (int j = 0; j < CPU_LOAD_IDX_MAX; j++)
			hand_rq(&h, i)->cpu_load[j] = hand_rq(&h, i)->load.weight;
}

/* Long enough after the start for shares to be what they stay. */
static void settle_shares(void)
{
	for (uint64_t t = 1; t <= 8; t++) {
		hand_at(&h, t * 11 * NS_PER_MS);
		for (uint32_t i = 0; i < h.m->ncpus; i++)
			h.v.share->update_cpu(hand_k(&h, i), i);
	}
	settle_loads();
}

static void start(const char *kernel, uint32_t cores, uint32_t n, bool grouped)
{
	struct task_group *tg;

	hand_init(&h, kernel, 2, cores, 2);
	tg = grouped ? hand_group(&h, NULL, "/a") : NULL;
	for (uint32_t i = 1; i < h.m->ncpus; i++)
		fill(tg, i, n);
	settle_shares();
	h.prices.sched_ns[WORK_EXAMINE] = 1;
}

static int32_t balance(uint32_t cpu, uint32_t level, enum cpu_idle_type idle)
{
	bool should_balance = true;

	return h.v.lb->load_balance(hand_k(&h, cpu), cpu, hand_sd(&h, cpu, level), idle,
				    &should_balance);
}

static struct domain_stats *stats(uint32_t cpu, uint32_t level)
{
	return &hand_sd(&h, cpu, level)->stats;
}

/* How often the queues of CPUs other than 0 were locked. */
static uint64_t remote_locks(void)
{
	uint64_t sum = 0;

	for (uint32_t i = 1; i < h.m->ncpus; i++)
		sum += hand_rq(&h, i)->lock.acquired_count;
	return sum;
}

static void test_one_attempt_of_a_thread_beside_a_long_queue(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t n;
		bool grouped;
		uint64_t examined, holds, moved;
		int32_t result;
	} rows[] = {
		{"3.3", 125, true, 68, 2, 68, 1},
		/* the fourth pause ends the attempt */
		{"3.3", 400, true, 132, 4, 132, 0},
		{"3.3" FULL, 125, true, 1, 1, 1, 0},
		/* 33 and 29 moved, the search after the second pause finds balance */
		{"3.3", 125, false, 66, 2, 62, 0},
		/* the walk ends in an abort, whatever moved */
		{D1, 125, true, 122, 4, 0, 0},
		{D1, 400, true, 388, 13, 0, 0},
		{D1, 125, false, 66, 3, 60, 0},
		{D1 FULL, 125, false, 1, 1, 1, 0},
		{RC2, 125, true, 122, 4, 0, 0},
		{RC2 FULL, 125, true, 122, 4, 0, 0},
		{RC2, 400, true, 388, 13, 0, 0},
		{RC2, 125, false, 122, 4, 49, 49},
		{RC2 FULL, 125, false, 1, 1, 1, 1},
		{P1, 125, true, 32, 1, 0, 0},
		{P1 FULL, 125, true, 29, 4, 0, 0},
		{P2, 125, true, 32, 1, 0, 0},
		{P2 FULL, 125, true, 29, 4, 0, 0},
		{"3.4", 125, true, 32, 1, 32, 32},
		{"3.4", 400, true, 32, 1, 32, 32},
		{"3.4", 125, false, 32, 1, 32, 32},
		{"3.4" FULL, 125, true, 1, 1, 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t began_ns;

		start(rows[i].kernel, 8, rows[i].n, rows[i].grouped);
		began_ns = hand_k(&h, 0)->now_ns;
		for (uint32_t c = 0; c < h.m->ncpus; c++)
			hand_rq(&h, c)->lock.acquired_count = 0;
		assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), rows[i].result);
		assert_int_equal(hand_k(&h, 0)->now_ns - began_ns, rows[i].examined);
		assert_int_equal(remote_locks(), rows[i].holds);
		assert_int_equal(hand_rq(&h, 0)->lock.acquired_count, rows[i].holds);
		assert_int_equal(hand_rq(&h, 0)->nr_running, rows[i].moved);
		assert_int_equal(stats(0, 0)->lb_gained[CPU_NEWLY_IDLE], rows[i].moved);
		/* nothing that moved nothing failed: no task was asked, the queue was given up */
		assert_int_equal(stats(0, 0)->lb_failed[CPU_NEWLY_IDLE], 0);
		assert_int_equal(stats(0, 0)->lb_balanced[CPU_NEWLY_IDLE], rows[i].result == 0);
		hand_free(&h);
	}
}

/* A queue in which all are filtered counts as pinned; the search then finds nobody. */
static void test_a_filtered_queue_ends_as_balanced_and_lengthens_the_interval(void **state)
{
	static const char *const kernels[] = {RC2, P1, P2};

	for (int v = 0; v < 3; v++) {
		struct sched_domain *sd;

		start(kernels[v], 8, 125, true);
		sd = hand_sd(&h, 0, 0);
		sd->balance_interval_ms = 256;
		assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 0);
		assert_int_equal(sd->stats.lb_nobusyg[CPU_NEWLY_IDLE], 1);
		assert_int_equal(sd->stats.lb_balanced[CPU_NEWLY_IDLE], 1);
		assert_int_equal(sd->stats.lb_failed[CPU_NEWLY_IDLE], 0);
		assert_int_equal(sd->nr_balance_failed, 0);
		assert_int_equal(sd->balance_interval_ms, 512);
		/* even far above max_interval, up to 512 ms */
		assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 0);
		assert_int_equal(sd->balance_interval_ms, 512);
		hand_free(&h);
	}
}

struct walk_row {
	const char *kernel;
	uint32_t cores, n;
	uint64_t holds[3];
	uint64_t examined, moved;
};

/* From the lowest domain up until something came. */
static void check_walk(const struct walk_row *r)
{
	uint64_t began_ns, before;
	int32_t pulled = 0;

	start(r->kernel, r->cores, r->n, true);
	began_ns = hand_k(&h, 0)->now_ns;
	for (uint32_t level = 0; level < 3; level++) {
		before = remote_locks();
		if (!pulled)
			pulled = balance(0, level, CPU_NEWLY_IDLE);
		assert_int_equal(remote_locks() - before, r->holds[level]);
	}
	assert_int_equal(hand_k(&h, 0)->now_ns - began_ns, r->examined);
	assert_int_equal(hand_rq(&h, 0)->nr_running, r->moved);
	assert_int_equal(pulled, r->moved);
	hand_free(&h);
}

static void test_a_newly_idle_walk_over_three_domains(void **state)
{
	static const struct walk_row rows[] = {
		{RC2, 8, 2, {1, 7, 0}, 4, 0},
		{RC2, 8, 10, {1, 7, 0}, 20, 0},
		/* from 34 tasks on, more than the group's weight here: every CPU is locked */
		{RC2, 8, 33, {2, 8, 0}, 64, 0},
		{RC2, 8, 34, {2, 15, 17}, 99, 0},
		{RC2, 8, 40, {2, 15, 17}, 117, 0},
		{RC2 FULL, 8, 40, {2, 15, 17}, 117, 0},
		{RC2, 8, 125, {4, 17, 19}, 366, 0},
		{RC2 FULL, 8, 125, {4, 17, 19}, 366, 0},
		{P1, 8, 40, {1, 14, 16}, 96, 0},
		{P1, 8, 125, {1, 14, 16}, 96, 0},
		{P1 FULL, 8, 40, {4, 17, 19}, 87, 0},
		{P1 FULL, 8, 125, {4, 17, 19}, 87, 0},
		{"3.4", 8, 2, {1, 0, 0}, 2, 1},
		{"3.4", 8, 10, {1, 0, 0}, 5, 5},
		{"3.4", 8, 40, {1, 0, 0}, 25, 25},
		{"3.4", 8, 125, {1, 0, 0}, 32, 32},
		{RC2, 6, 2, {1, 0, 0}, 2, 1},
		{RC2, 6, 10, {1, 5, 0}, 20, 0},
		{RC2, 6, 40, {2, 6, 0}, 78, 0},
		{RC2, 6, 44, {2, 6, 0}, 86, 0},
		{RC2, 6, 45, {2, 11, 13}, 132, 0},
		{RC2, 6, 125, {4, 13, 15}, 366, 0},
		/* an abort ends the attempt before the next queue */
		{D1, 8, 40, {2, 2, 2}, 117, 0},
		{D1, 8, 125, {4, 4, 4}, 366, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_walk(&rows[i]);
}

/* The pause comes after a constant number from the first patch on, before that after nr_migrate. */
static void test_what_sched_nr_migrate_bounds(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t examined, holds;
	} rows[] = {
		{"3.4,sched_nr_migrate=64", 63, 2},           {"3.4,sched_nr_migrate=8", 8, 1},
		{"3.4,LB_MIN,sched_nr_migrate=1000", 122, 4}, {RC2 ",sched_nr_migrate=64", 124, 2},
		{RC2 ",sched_nr_migrate=8", 110, 16},         {P1 ",sched_nr_migrate=64", 63, 2},
		{D1 ",sched_nr_migrate=64", 124, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t began_ns, before;

		start(rows[i].kernel, 8, 125, true);
		began_ns = hand_k(&h, 0)->now_ns;
		before = remote_locks();
		balance(0, 0, CPU_NEWLY_IDLE);
		assert_int_equal(hand_k(&h, 0)->now_ns - began_ns, rows[i].examined);
		assert_int_equal(remote_locks() - before, rows[i].holds);
		hand_free(&h);
	}
}

/* The walk to the group's h_load is made once an attempt, for the first queue only. */
static void test_a_redone_search_keeps_old_h_loads(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t refreshed;
	} rows[] = {{RC2, 1}, {P1, 1}, {"3.4", 1}, {D1, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t refreshed = 0;

		start(rows[i].kernel, 8, 40, true);
		balance(0, 1, CPU_NEWLY_IDLE);
		for (uint32_t c = 0; c < h.m->ncpus; c++)
			refreshed += h.m->groups_mem[1].cfs_rq[c].h_load != 0;
		assert_int_equal(refreshed, rows[i].refreshed);
		hand_free(&h);
	}
}

static void test_a_counted_failure_opens_the_filter(void **state)
{
	start(RC2, 8, 125, true);
	hand_sd(&h, 0, 0)->nr_balance_failed = 1;
	/* with loads of 0 the amount lasts until each task left counts 1 or more */
	assert_true(balance(0, 0, CPU_NEWLY_IDLE) > 62);
	assert_int_equal(stats(0, 0)->lb_balanced[CPU_NEWLY_IDLE], 0);
	assert_int_equal(hand_sd(&h, 0, 0)->nr_balance_failed, 0);
	hand_free(&h);
}

/* As a feature the filter can be switched on again. */
static void test_the_filter_as_a_feature(void **state)
{
	start("3.4,LB_MIN", 8, 125, true);
	assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 0);
	assert_int_equal(stats(0, 0)->lb_nobusyg[CPU_NEWLY_IDLE], 1);
	hand_free(&h);
}

/* What is skipped goes to the tail: a bounded pass is a window that moves on, and round. */
static void test_a_bounded_pass_rotates_the_list(void **state)
{
	static const struct {
		uint32_t n, steps;
	} rows[] = {{125, 32}, {20, 12}};

	for (int i = 0; i < 2; i++) {
		struct list *expected;
		struct rq *rq;

		start(P1, 8, rows[i].n, true);
		rq = hand_rq(&h, hand_sd(&h, 0, 0)->groups->next->cpu[0]);
		expected = rq->cfs_tasks.next;
		for (uint32_t n = 0; n < rows[i].steps; n++)
			expected = expected->next;
		balance(0, 0, CPU_NEWLY_IDLE);
		assert_ptr_equal(rq->cfs_tasks.next, expected);
		hand_free(&h);
	}
}

static const char *const all_kernels[] = {"3.3", RC2, P1, P2, "3.4"};

/* Asked, but hot: that failed, which only a periodic attempt remembers. */
static void test_newly_idle_failures_are_not_remembered(void **state)
{
	for (int v = 0; v < 5; v++) {
		start(all_kernels[v], 1, 0, false);
		fill(NULL, 2, 3);
		settle_loads();
		for (uint32_t i = 0; i < h.m->ntasks; i++)
			h.m->tasks[i].se.exec_start_ns = hand_rq(&h, 2)->clock_ns;
		assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 0);
		assert_int_equal(stats(0, 0)->lb_failed[CPU_NEWLY_IDLE], 1);
		assert_int_equal(hand_sd(&h, 0, 0)->nr_balance_failed, 0);
		assert_int_equal(balance(0, 0, CPU_IDLE), 0);
		assert_int_equal(stats(0, 0)->lb_failed[CPU_IDLE], 1);
		assert_int_equal(hand_sd(&h, 0, 0)->nr_balance_failed, 1);
		/* ... which makes hot tasks movable where cache_nice_tries is 0 */
		assert_true(balance(0, 0, CPU_IDLE) > 0);
		assert_true(stats(0, 0)->lb_hot_gained[CPU_IDLE] > 0);
		hand_free(&h);
	}
}

/* 367456c7 aborts there: the walk goes round until its budget is used up. */
static void test_a_walk_that_found_all_hot_aborts(void **state)
{
	start(D1, 1, 0, false);
	fill(NULL, 2, 3);
	settle_loads();
	for (uint32_t i = 0; i < h.m->ntasks; i++)
		h.m->tasks[i].se.exec_start_ns = hand_rq(&h, 2)->clock_ns;
	assert_int_equal(balance(0, 0, CPU_IDLE), 0);
	assert_int_equal(stats(0, 0)->lb_failed[CPU_IDLE], 0);
	assert_int_equal(stats(0, 0)->lb_balanced[CPU_IDLE], 1);
	assert_int_equal(stats(0, 0)->lb_nobusyg[CPU_IDLE], 0);
	hand_free(&h);
}

/* On a preemptible kernel it aborts too when work has arrived meanwhile, whatever it found. */
static void test_a_walk_aborts_when_work_has_arrived(void **state)
{
	static const char *const kernels[] = {D1 FULL, D1};
	uint64_t mem[MASK_WORDS(64)];

	for (int v = 0; v < 2; v++) {
		struct task *p;

		start(kernels[v], 1, 0, false);
		hand_tasks(&h, 0, 1);
		p = hand_task(&h, 2, -10);
		mask_set(mask_init(mem, h.m->ncpus), 2);
		p->allowed = (const struct mask *)mem;
		/* a list of one is not gone round: the stopper is the second that runs */
		wake_stopper(hand_k(&h, 2), 2);
		settle_loads();
		assert_int_equal(balance(0, 0, CPU_NEWLY_IDLE), 0);
		assert_int_equal(stats(0, 0)->lb_balanced[CPU_NEWLY_IDLE], 1);
		assert_int_equal(stats(0, 0)->lb_nobusyg[CPU_NEWLY_IDLE], v);
		hand_free(&h);
	}
}

/* SCHED_IDLE tasks are never hot, whatever they did last. */
static void test_idle_policy_tasks_are_cold(void **state)
{
	static const struct {
		const char *kernel;
		bool moves;
	} rows[] = {{"2.6.35", false}, {"3.3", true}, {"3.4", true}};

	for (int i = 0; i < 3; i++) {
		struct task_attr attr = {.policy = POLICY_IDLE};
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 1, 2);
		rq = hand_rq(&h, 1);
		for (int n = 0; n < 8; n++)
			hand_task_in(&h, 1, &attr, NULL);
		sched_schedule(hand_k(&h, 1));
		settle_loads();
		for (uint32_t t = 0; t < h.m->ntasks; t++)
			h.m->tasks[t].se.exec_start_ns = rq->clock_ns;
		balance(0, 0, CPU_IDLE);
		assert_int_equal(hand_rq(&h, 0)->nr_running > 0, rows[i].moves);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_attempt_of_a_thread_beside_a_long_queue),
		cmocka_unit_test(test_a_filtered_queue_ends_as_balanced_and_lengthens_the_interval),
		cmocka_unit_test(test_a_newly_idle_walk_over_three_domains),
		cmocka_unit_test(test_what_sched_nr_migrate_bounds),
		cmocka_unit_test(test_a_redone_search_keeps_old_h_loads),
		cmocka_unit_test(test_a_counted_failure_opens_the_filter),
		cmocka_unit_test(test_the_filter_as_a_feature),
		cmocka_unit_test(test_a_bounded_pass_rotates_the_list),
		cmocka_unit_test(test_newly_idle_failures_are_not_remembered),
		cmocka_unit_test(test_a_walk_that_found_all_hot_aborts),
		cmocka_unit_test(test_a_walk_aborts_when_work_has_arrived),
		cmocka_unit_test(test_idle_policy_tasks_are_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
