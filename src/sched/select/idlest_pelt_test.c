/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From CPU 0 to the idlest core, in kernels from 5.4 on. One socket of four cores; core i
 * is CPUs i and i + 4. What the rows say of queues is set by hand. At MC (117 %) an imbalance
 * is 174, and a group's load is half of the sum of its two CPUs'.
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

#define KERNELS 6u

static const char *const kernels[KERNELS] = {
	"5.4",
	"5.4,+lb-p9",
	"5.4,+lb-p9,+lb-p10",
	"5.4,+lb-p11",
	"5.4,+lb-p11,+idlest-without-task",
	"5.5",
};

static struct hand h;

/* Of a core; the first CPU has all of it. */
struct core_state {
	uint64_t runnable, load, util;
	uint32_t nr; /* tasks: one on each CPU, the rest on the first */
};

struct row {
	struct core_state core[4];
	uint32_t allowed;         /* cores, a bit each */
	uint32_t chosen[KERNELS]; /* core */
};

/* P: forked by a task of CPU 0, which counts there if core 0 says so. */
static struct task *start(const char *kernel, const struct core_state core[4])
{
	struct task_attr attr = {.nice = 0};
	struct task *p;

	hand_init(&h, kernel, 1, 4, 2);
	p = sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]);
	for (uint32_t cpu = 0; cpu < 8; cpu++) {
		const struct core_state *c = &core[cpu % 4];
		struct rq *rq = hand_rq(&h, cpu);
		bool first = cpu < 4;

		rq->nr_running = first ? c->nr - c->nr / 2 : c->nr / 2;
		rq->cfs->h_nr_running = rq->nr_running;
		set_rq_curr(h.m, rq, rq->nr_running ? rq->stop : rq->idle);
		rq->cfs->avg.runnable_avg = first ? c->runnable : 0;
		rq->cfs->avg.load_avg = first ? c->load : 0;
		rq->cfs->avg.util_avg = c->util / 2;
	}
	return p;
}

static void allow_cores(struct task *p, uint32_t cores)
{
	p->allowed = hand_cpus(&h, cores | (uint64_t)cores << 4);
	p->nr_allowed = mask_weight(p->allowed);
}

/* Only MC is asked: below it CPUs of one core are compared. */
static uint32_t idlest_core(struct task *p, uint32_t sd_flag)
{
	return find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, 1), 0, 0, sd_flag) % 4;
}

static void test_fork_by_kernel(void **state)
{
	static const struct row rows[] = {
		/* nothing runs: no load is not 8 % less than no load; idle CPUs are as many */
		{{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, 15, {1, 1, 1, 0, 0, 0}},
		/* sleepers' load makes core 2 the idlest, but 5.4 does not see it; nor do types */
		{{{2048, 2048, 2000, 2}, {0, 2000, 0, 0}, {1000, 1000, 0, 1}, {2048, 2048, 0, 2}},
		 15,
		 {1, 2, 2, 1, 1, 1}},
		/* runnable loads of 100 and 0 are alike to 5.4: the second load decides */
		{{{2048, 2048, 2000, 2}, {200, 2000, 0, 1}, {0, 1400, 0, 0}, {2048, 2048, 0, 2}},
		 15,
		 {2, 2, 2, 2, 2, 2}},
		/* loads within the imbalance of the first, and in 5.4 not less by 8 % */
		{{{2048, 2048, 2000, 2}, {600, 600, 0, 1}, {560, 560, 0, 1}, {2048, 2048, 0, 2}},
		 15,
		 {1, 1, 2, 1, 1, 1}},
		/* nobody is better than the local one by the imbalance; by 8 % neither: 500 to 463 */
		{{{1000, 1000, 0, 1}, {926, 926, 0, 1}, {2000, 2000, 0, 1}, {2000, 2000, 0, 1}},
		 15,
		 {0, 0, 0, 0, 0, 0}},
		/* 500 to 462 */
		{{{1000, 1000, 0, 1}, {924, 924, 0, 1}, {2000, 2000, 0, 1}, {2000, 2000, 0, 1}},
		 15,
		 {1, 1, 1, 0, 0, 0}},
		/* the best is worse by an imbalance, 674 to 500 */
		{{{1000, 1000, 0, 1}, {1348, 1348, 0, 1}, {2000, 2000, 0, 1}, {2000, 2000, 0, 1}},
		 15,
		 {0, 0, 0, 0, 0, 0}},
		/* the group's weight of 0: one task and util above 2048 / 1.17 is overload */
		{{{100, 100, 1800, 1}, {2000, 2000, 0, 0}, {2000, 2000, 0, 2}, {2000, 2000, 0, 2}},
		 15,
		 {0, 0, 0, 1, 1, 1}},
		/* however many tasks, without load there is room; idle CPUs decide */
		{{{2048, 2048, 0, 9}, {100, 100, 0, 8}, {200, 200, 0, 1}, {100, 100, 0, 2}},
		 15,
		 {1, 1, 1, 2, 2, 2}},
		/* all overloaded, averages of 0 all: none is better */
		{{{4000, 4000, 2000, 2}, {100, 100, 2000, 2}, {0, 0, 2000, 2}, {0, 0, 2000, 2}},
		 15,
		 {2, 2, 2, 0, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t v = 0; v < KERNELS; v++) {
			struct task *p = start(kernels[v], rows[i].core);
			uint32_t chosen = idlest_core(p, SD_BALANCE_FORK);

			if (chosen != rows[i].chosen[v])
				fail_msg("row %zu, %s: core %u", i, kernels[v], (unsigned)chosen);
			hand_drop(&h);
		}
}

/* The local group is not allowed: what it has is 2^64 - 1, which wraps. */
static void test_without_the_local_group(void **state)
{
	static const struct row rows[] = {
		/* 172 < 174 - 1: taken by all but those who see the local core as room without end */
		{{{0, 0, 0, 0}, {344, 344, 0, 1}, {600, 600, 0, 1}, {0, 0, 0, 0}},
		 6,
		 {1, 1, 1, 1, 1, 1}},
		/* 173: from fc1273f4cefe on as much is too much */
		{{{0, 0, 0, 0}, {346, 346, 0, 1}, {600, 600, 0, 1}, {0, 0, 0, 0}},
		 6,
		 {1, 1, 0, 1, 1, 1}},
		{{{0, 0, 0, 0}, {348, 348, 0, 1}, {600, 600, 0, 1}, {0, 0, 0, 0}},
		 6,
		 {0, 0, 0, 1, 1, 1}},
		/* what is busier than room without end is refused, until the fix of 5.5 */
		{{{0, 0, 0, 0}, {0, 0, 2000, 2}, {10, 10, 2000, 2}, {0, 0, 0, 0}},
		 6,
		 {1, 1, 1, 0, 0, 1}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t v = 0; v < KERNELS; v++) {
			struct task *p = start(kernels[v], rows[i].core);
			uint32_t chosen;

			allow_cores(p, rows[i].allowed);
			chosen = idlest_core(p, SD_BALANCE_FORK);
			if (chosen != rows[i].chosen[v])
				fail_msg("row %zu, %s: core %u", i, kernels[v], (unsigned)chosen);
			hand_drop(&h);
		}
}

/*
 * P, alone on CPU 0, execs. Spare capacity lets it stay up to fc1273f4cefe; then its own CPU
 * counts as busy with it, until the fix leaves it out.
 */
static void test_exec_by_kernel(void **state)
{
	static const uint32_t chosen[KERNELS] = {0, 0, 0, 1, 0, 0};

	for (uint32_t v = 0; v < KERNELS; v++) {
		struct task *p;

		hand_init(&h, kernels[v], 1, 4, 2);
		p = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		hand_at(&h, 10 * NS_PER_MS);
		assert_int_equal(idlest_core(p, SD_BALANCE_EXEC), chosen[v]);
		hand_free(&h);
	}
}

/* Half of its 600 must be free: 1024 - 900 here, 1024 in core 3, which is loaded most. */
static void test_exec_goes_where_capacity_is_spare(void **state)
{
	static const struct core_state core[4] = {
		{100, 100, 1800, 2}, {200, 200, 1800, 2}, {300, 300, 1800, 2}, {4000, 4000, 0, 1}};
	static const uint32_t chosen[KERNELS] = {3, 3, 3, 3, 3, 3};

	for (uint32_t v = 0; v < KERNELS; v++) {
		struct task *p = start(kernels[v], core);

		p->se.avg.util_avg = 600;
		assert_int_equal(idlest_core(p, SD_BALANCE_EXEC), chosen[v]);
		/* a new task's utilization is not looked at */
		assert_int_equal(idlest_core(p, SD_BALANCE_FORK), v < 3 ? 0 : 3);
		hand_drop(&h);
	}
}

/* Two nodes of 8 CPUs: the parent is alone on its node, where CPUs idle; nobody leaves it. */
static void test_a_child_stays_on_a_node_with_room(void **state)
{
	for (uint32_t v = 0; v < KERNELS; v++) {
		struct task_attr attr = {.nice = 0};
		struct task *p;
		uint32_t cpu;

		hand_init(&h, kernels[v], 2, 8, 1);
		hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		hand_at(&h, 20 * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		p = sched_new_task(hand_k(&h, 0), hand_rq(&h, 0)->curr, &attr, &h.m->groups_mem[0]);
		cpu = find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, 1), 0, 0, SD_BALANCE_FORK);
		assert_in_range(cpu, 1, 7);
		sched_wake_up_first(hand_k(&h, 0), p);
		hand_free(&h);
	}
}

/* Within a group: who went idle last; who has tasks of SCHED_IDLE only; who has least. */
static void test_the_cpu_of_a_group(void **state)
{
	static const struct {
		uint64_t stamp[3]; /* of CPUs 1 to 3; 0: busy */
		uint64_t load[3];
		uint32_t sched_idle; /* CPU; 0: none */
		uint32_t chosen;
	} rows[] = {
		{{5, 9, 7}, {0, 0, 0}, 0, 2}, {{5, 9, 9}, {0, 0, 0}, 0, 2},
		{{0, 0, 4}, {1, 1, 1}, 1, 3}, {{0, 0, 0}, {1, 9, 9}, 3, 3},
		{{0, 0, 0}, {9, 8, 8}, 0, 2}, {{0, 0, 0}, {3, 8, 1}, 2, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_attr attr = {.nice = 0};
		struct task *p;

		/* node 1 is CPUs 4 to 7 */
		hand_init(&h, "5.5", 2, 4, 1);
		p = sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]);
		for (uint32_t cpu = 0; cpu < 8; cpu++) {
			struct rq *rq = hand_rq(&h, cpu);
			uint32_t n = cpu - 5;
			bool idle = n < 3 && rows[i].stamp[n];

			rq->idle_stamp_ns = idle ? rows[i].stamp[n] : 0;
			set_rq_curr(h.m, rq, idle ? rq->idle : rq->stop);
			rq->nr_running = !idle;
			rq->cfs->avg.load_avg = n < 3 ? rows[i].load[n] : 100;
			rq->cfs->idle_h_nr_running = n + 1 == rows[i].sched_idle;
		}
		/* node 0 is not allowed, nor is CPU 4: it is in the group, and not looked at */
		p->allowed = hand_cpus(&h, 0xe0);
		p->nr_allowed = 3;
		/* the group of the one domain that is asked, then the groups of one CPU below it */
		hand_sd(&h, 5, 0)->flags &= ~(uint32_t)SD_BALANCE_FORK;
		for (uint32_t cpu = 4; cpu < 8; cpu++)
			hand_sd(&h, cpu, 0)->flags &= ~(uint32_t)SD_BALANCE_FORK;
		assert_int_equal(find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, 1), 0, 0,
						  SD_BALANCE_FORK),
				 4 + rows[i].chosen);
		hand_drop(&h);
	}
}

/* -- later kernels: the idlest core with each delta and without -- */

#define WITHOUT "5.5"

/* Cores as in the rows above; ALLOWED: CPUs, a bit each. */
static void test_each_delta_of_later_kernels(void **state)
{
	static const struct {
		const char *delta;
		struct core_state core[4];
		uint32_t allowed, without, with;
	} rows[] = {
		/* two tasks on two CPUs fill a core, though it looks little used: in 5.5 it is full */
		{"idlest-full-stats",
		 {{1000, 1000, 1800, 2},
		  {1000, 1000, 1800, 3},
		  {100, 100, 1800, 2},
		  {0, 0, 2000, 4}},
		 0xff,
		 0,
		 2},
		/* as many idle CPUs: the core less used; in 5.5 the first */
		{"idlest-least-util",
		 {{1000, 1000, 1000, 2}, {0, 0, 600, 1}, {0, 0, 300, 1}, {0, 0, 900, 1}},
		 0xff,
		 1,
		 2},
		/* core 1 idles on CPU 5 only, where P may not go; core 2 on CPU 6, where it may */
		{"idlest-allowed",
		 {{1000, 1000, 1000, 2}, {0, 0, 0, 1}, {0, 0, 0, 1}, {1000, 1000, 1000, 2}},
		 0xdf,
		 1,
		 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int with = 0; with < 2; with++) {
			char kernel[100];
			struct task *p;
			uint32_t chosen;

			snprintf(kernel, sizeof(kernel), with ? WITHOUT ",+%s" : WITHOUT,
				 rows[i].delta);
			p = start(kernel, rows[i].core);
			p->allowed = hand_cpus(&h, rows[i].allowed);
			p->nr_allowed = mask_weight(p->allowed);
			chosen = idlest_core(p, SD_BALANCE_FORK);
			if (chosen != (with ? rows[i].with : rows[i].without))
				fail_msg("%s: core %u", kernel, (unsigned)chosen);
			hand_drop(&h);
		}
}

/* Nine tasks wait on CPU 1 of core 1; all cores are used little. With runnable counts it is overloaded. */
static void test_waiting_tasks_make_a_core_busy(void **state)
{
	static const struct core_state core[4] = {{3000, 3000, 1000, 3},
						  {9000, 0, 1000, 9},
						  {4000, 4000, 1000, 4},
						  {3500, 0, 1000, 3}};
	static const char base[] = "5.5,+runnable-avg,+idlest-full-stats";

	for (int with = 0; with < 2; with++) {
		char kernel[100];
		struct task *p;

		snprintf(kernel, sizeof(kernel), "%s%s", base, with ? ",+lb-runnable-types" : "");
		p = start(kernel, core);
		/* room in all of them, no idle CPU in any: stay; else the least loaded of the overloaded */
		assert_int_equal(idlest_core(p, SD_BALANCE_FORK), with ? 1 : 0);
		hand_drop(&h);
	}
}

/*
 * The conformance vector: two nodes, the parent alone on its one. 8 CPUs each: more than one
 * task would be too much for a node, so the child leaves; 32: it may stay.
 */
static void test_a_child_may_leave_a_node_with_few_tasks(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t cores;
		bool leaves;
	} rows[] = {{"5.5", 8, false}, {"6.1", 8, true},    {"6.1", 30, false},
		    {"6.12", 8, true}, {"6.12", 30, false}, {"6.1,-lb-numa-imbalance", 8, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_attr attr = {.nice = 0};
		struct task *p;
		uint32_t cpu;

		hand_init(&h, rows[i].kernel, 2, rows[i].cores, 1);
		hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		p = sched_new_task(hand_k(&h, 0), hand_rq(&h, 0)->curr, &attr, &h.m->groups_mem[0]);
		cpu = find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, 1), 0, 0, SD_BALANCE_FORK);
		assert_int_equal(cpu >= rows[i].cores, rows[i].leaves);
		hand_drop(&h);
	}
}

/* In a group one with SCHED_IDLE tasks only: last in 5.5, first later. */
static void test_sched_idle_before_idle(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct task_attr attr = {.nice = 0}, low = {.policy = POLICY_IDLE};
		struct task *p;

		hand_init(&h, later ? "5.5,+sched-idle-first" : "5.5", 2, 4, 1);
		hand_task_in(&h, 6, &low, NULL);
		sched_schedule(hand_k(&h, 6));
		hand_tasks(&h, 4, 1);
		p = sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]);
		p->allowed = hand_cpus(&h, 0xf0);
		p->nr_allowed = 4;
		for (uint32_t cpu = 4; cpu < 8; cpu++)
			hand_sd(&h, cpu, 0)->flags &= ~(uint32_t)SD_BALANCE_FORK;
		assert_int_equal(find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, 1), 0, 0,
						  SD_BALANCE_FORK) == 6,
				 later);
		hand_drop(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_by_kernel),
		cmocka_unit_test(test_without_the_local_group),
		cmocka_unit_test(test_exec_by_kernel),
		cmocka_unit_test(test_exec_goes_where_capacity_is_spare),
		cmocka_unit_test(test_a_child_stays_on_a_node_with_room),
		cmocka_unit_test(test_the_cpu_of_a_group),
		cmocka_unit_test(test_each_delta_of_later_kernels),
		cmocka_unit_test(test_waiting_tasks_make_a_core_busy),
		cmocka_unit_test(test_a_child_may_leave_a_node_with_few_tasks),
		cmocka_unit_test(test_sched_idle_before_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
