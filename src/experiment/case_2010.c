/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The over-scheduling of 2.6.32 to 2.6.35-rc3: without a child group the root's
 * h_load is never refreshed, stays 0, and the balancer multiplies what it may
 * pull by the queue's weight instead of limiting it. The lighter thread of a
 * core takes nearly all tasks of its sibling, and 64 ms later they go back.
 * Cores stay balanced among each other; within a core one thread has a dozen
 * tasks and the other one or two.
 *
 * Independent spinners lose little by that; work that waits for its slowest
 * part loses much, which is what was first noticed.
 *
 * Linux: kernel/sched.c update_h_load(), 2.6.32 to 2.6.35-rc3.
 */
#include "experiment/case.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"

#define CPUS 16u
#define CORES 8u

struct measured {
	uint32_t nr_running[CPUS]; /* as sched_debug shows it; the last sample */
	uint32_t spinners[CPUS];   /* of these, threads of the first workload; the last sample */
	uint64_t spread_sum;       /* |difference| within cores, over cores and samples */
	uint64_t samples;
	uint64_t done, elapsed_ns;
};

enum run_row {
	SPIN_BAD,
	SPIN_FIXED,
	SPIN_REFRESHED, /* the bad kernel without its delta */
	SPIN_GROUP,     /* the bad kernel beside an empty child group */
	FORKJOIN_300MS_BAD,
	FORKJOIN_300MS_FIXED,
	FORKJOIN_100MS_BAD,
	FORKJOIN_100MS_FIXED,
	FORKJOIN_1S_BAD,
	FORKJOIN_1S_FIXED,
	BLOCK_BAD, /* steps of 300 ms whose threads sleep at the barrier */
	BLOCK_FIXED,
	SPIN_200MS_BAD, /* ... or sleep after 200 ms */
	SPIN_200MS_FIXED,
	RUN_ROWS,
};

#define BAD "2.6.35-rc2"
#define FIXED "2.6.35"
#define REFRESHED "2.6.35-rc2,-stale-h-load"
#define SPIN "spin:n=100"
#define FORKJOIN(step) "forkjoin:n=100,step=" step ",spread=0"

/* 100 s suffice for the quick form */
#define ROW(text, version, full, ...)                                                              \
	{                                                                                          \
		.name = text, .machine = "nhm-ep", .kernel = version, .work = {__VA_ARGS__},       \
		.time_quick = "100s", .time_full = full                                            \
	}

/* clang-format off */
static const struct case_run runs[RUN_ROWS] = {
	[SPIN_BAD]       = ROW("spinners, bad kernel", BAD, "100s", SPIN, "daemons"),
	[SPIN_FIXED]     = ROW("spinners, fixed kernel", FIXED, "100s", SPIN, "daemons"),
	[SPIN_REFRESHED] = ROW("spinners, h_load refreshed", REFRESHED, "100s", SPIN, "daemons"),
	[SPIN_GROUP]     = ROW("spinners beside a group", BAD, "100s", SPIN, "daemons", "/empty"),
	[FORKJOIN_300MS_BAD]   = ROW("steps of 300 ms, bad", BAD, "1000s", FORKJOIN("300ms"), "daemons"),
	[FORKJOIN_300MS_FIXED] = ROW("steps of 300 ms, fixed", FIXED, "1000s", FORKJOIN("300ms"), "daemons"),
	[FORKJOIN_100MS_BAD]   = ROW("steps of 100 ms, bad", BAD, "1000s", FORKJOIN("100ms"), "daemons"),
	[FORKJOIN_100MS_FIXED] = ROW("steps of 100 ms, fixed", FIXED, "1000s", FORKJOIN("100ms"), "daemons"),
	[FORKJOIN_1S_BAD]      = ROW("steps of 1 s, bad", BAD, "1000s", FORKJOIN("1s"), "daemons"),
	[FORKJOIN_1S_FIXED]    = ROW("steps of 1 s, fixed", FIXED, "1000s", FORKJOIN("1s"), "daemons"),
	[BLOCK_BAD]        = ROW("sleep at the barrier, bad", BAD, "1000s", FORKJOIN("300ms") ",wait=block", "daemons"),
	[BLOCK_FIXED]      = ROW("sleep at the barrier, fixed", FIXED, "1000s", FORKJOIN("300ms") ",wait=block", "daemons"),
	[SPIN_200MS_BAD]   = ROW("sleep after 200 ms, bad", BAD, "1000s", FORKJOIN("300ms") ",wait=200ms", "daemons"),
	[SPIN_200MS_FIXED] = ROW("sleep after 200 ms, fixed", FIXED, "1000s", FORKJOIN("300ms") ",wait=200ms", "daemons"),
};

enum figure {
	CORE_SUM_MIN,
	CORE_SUM_MAX,
	SPREAD_BAD,
	SPREAD_FIXED,
	CPU_MIN_FIXED,
	CPU_MAX_FIXED,
	THROUGHPUT_RATIO,
	THROUGHPUT_RATIO_100MS,
	THROUGHPUT_RATIO_1S,
	THROUGHPUT_RATIO_BLOCK,
	THROUGHPUT_RATIO_200MS,
	SPREAD_REFRESHED,
	CPU_MIN_REFRESHED,
	CPU_MAX_REFRESHED,
	SPREAD_GROUP,
	FIGURES,
};

#define FIGURE(name, what, unit, published, low, high, required) \
	{ name, what, unit, published, CASE_NONE, CASE_NONE, low, high, CASE_NONE, CASE_NONE, required, \
	  false, NULL, { { NULL, NULL, false } }, 0, NULL, false }

static const struct case_figure figures[FIGURES] = {
	[CORE_SUM_MIN]  = FIGURE("core_sum_min", "fewest spinners of a core (CPUs i and i+8) at the end, bad kernel",
				 "tasks", 12, 11, 14, true),
	[CORE_SUM_MAX]  = FIGURE("core_sum_max", "most spinners of a core at the end, bad kernel",
				 "tasks", 13, 11, 14, true),
	[SPREAD_BAD]    = FIGURE("within_core_spread_bad",
				 "difference between the threads of a core, mean over cores and samples, bad kernel",
				 "tasks", 8.6, 6, 12, true),
	[SPREAD_FIXED]  = FIGURE("within_core_spread_fixed", "the same, fixed kernel", "tasks", 0.6, 0, 1, true),
	[CPU_MIN_FIXED] = FIGURE("cpu_min_fixed", "least nr_running at the end, fixed kernel", "tasks", 6, 5, 8, true),
	[CPU_MAX_FIXED] = FIGURE("cpu_max_fixed", "most nr_running at the end, fixed kernel", "tasks", 7, 5, 8, true),
	[THROUGHPUT_RATIO] = FIGURE("forkjoin_throughput_ratio", "steps of 300 ms done, bad kernel / fixed kernel",
				    "1", 0.60, 0.35, 0.85, true),
	[THROUGHPUT_RATIO_100MS] = FIGURE("forkjoin_throughput_ratio_100ms", "the same with steps of 100 ms",
					  "1", CASE_NONE, CASE_NONE, CASE_NONE, false),
	[THROUGHPUT_RATIO_1S] = FIGURE("forkjoin_throughput_ratio_1s", "the same with steps of 1 s",
				       "1", CASE_NONE, CASE_NONE, CASE_NONE, false),
	[THROUGHPUT_RATIO_BLOCK] = FIGURE("forkjoin_throughput_ratio_block",
					  "steps of 300 ms whose threads sleep at the barrier",
					  "1", CASE_NONE, CASE_NONE, CASE_NONE, false),
	[THROUGHPUT_RATIO_200MS] = FIGURE("forkjoin_throughput_ratio_200ms",
					  "... whose threads busy-wait 200 ms and then sleep",
					  "1", CASE_NONE, CASE_NONE, CASE_NONE, false),
	[SPREAD_REFRESHED]  = FIGURE("within_core_spread_refreshed", "as the fixed kernel's, for " REFRESHED,
				     "tasks", CASE_NONE, 0, 1, true),
	[CPU_MIN_REFRESHED] = FIGURE("cpu_min_refreshed", "the same", "tasks", CASE_NONE, 5, 8, true),
	[CPU_MAX_REFRESHED] = FIGURE("cpu_max_refreshed", "the same", "tasks", CASE_NONE, 5, 8, true),
	[SPREAD_GROUP]      = FIGURE("within_core_spread_with_group",
				     "as the fixed kernel's, for the bad kernel beside one empty child group",
				     "tasks", CASE_NONE, 0, 1, true),
};
/* clang-format on */

static void sample(const struct case_def *def, void *out, const struct run *r, uint64_t now_ns)
{
	struct measured *measured = out;
	const struct machine *m = run_machine(r);
	const struct behaviour *spinning = run_behaviour(r, 0);

	(void)def;
	(void)now_ns;
	CHECK(m->ncpus == CPUS);
	memset(measured->spinners, 0, sizeof(measured->spinners));
	for (uint32_t i = 0; i < CPUS; i++)
		measured->nr_running[i] = m->cpus[i].rq.nr_running;
	/* task 0 of the workload is the main thread, which sleeps */
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];

		if (p->exec.behaviour == spinning && p->exec.index > 0 && p->se.on_rq)
			measured->spinners[p->cpu]++;
	}
	for (uint32_t i = 0; i < CORES; i++)
		measured->spread_sum += (uint64_t)abs((int)measured->nr_running[i] -
						      (int)measured->nr_running[i + CORES]);
	measured->samples++;
}

static void finish(const struct case_def *def, void *out, struct run *r)
{
	struct measured *measured = out;

	(void)def;
	measured->done = run_done_count(r);
	measured->elapsed_ns = run_elapsed_ns(r);
}

static double spread(const struct measured *m)
{
	return m->samples ? (double)m->spread_sum / (double)(m->samples * CORES) : CASE_NONE;
}

static double core_sum(const struct measured *m, bool most)
{
	uint32_t best = m->spinners[0] + m->spinners[CORES];

	for (uint32_t i = 1; i < CORES; i++) {
		uint32_t sum = m->spinners[i] + m->spinners[i + CORES];

		best = most ? max_u32(best, sum) : min_u32(best, sum);
	}
	return best;
}

static double cpu_extreme(const struct measured *m, bool most)
{
	uint32_t best = m->nr_running[0];

	for (uint32_t i = 1; i < CPUS; i++)
		best = most ? max_u32(best, m->nr_running[i]) : min_u32(best, m->nr_running[i]);
	return best;
}

/* Steps per time of BAD over those of GOOD. */
static double ratio(const struct measured *bad, const struct measured *good)
{
	if (!bad->elapsed_ns || !good->done)
		return CASE_NONE;
	return (double)bad->done * (double)good->elapsed_ns /
	       ((double)bad->elapsed_ns * (double)good->done);
}

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;

	(void)def;
	CHECK(nseeds == 1);

	x[CORE_SUM_MIN] = core_sum(&m[SPIN_BAD], false);
	x[CORE_SUM_MAX] = core_sum(&m[SPIN_BAD], true);
	x[SPREAD_BAD] = spread(&m[SPIN_BAD]);
	x[SPREAD_FIXED] = spread(&m[SPIN_FIXED]);
	x[CPU_MIN_FIXED] = cpu_extreme(&m[SPIN_FIXED], false);
	x[CPU_MAX_FIXED] = cpu_extreme(&m[SPIN_FIXED], true);
	x[THROUGHPUT_RATIO] = ratio(&m[FORKJOIN_300MS_BAD], &m[FORKJOIN_300MS_FIXED]);
	x[THROUGHPUT_RATIO_100MS] = ratio(&m[FORKJOIN_100MS_BAD], &m[FORKJOIN_100MS_FIXED]);
	x[THROUGHPUT_RATIO_1S] = ratio(&m[FORKJOIN_1S_BAD], &m[FORKJOIN_1S_FIXED]);
	x[THROUGHPUT_RATIO_BLOCK] = ratio(&m[BLOCK_BAD], &m[BLOCK_FIXED]);
	x[THROUGHPUT_RATIO_200MS] = ratio(&m[SPIN_200MS_BAD], &m[SPIN_200MS_FIXED]);
	x[SPREAD_REFRESHED] = spread(&m[SPIN_REFRESHED]);
	x[CPU_MIN_REFRESHED] = cpu_extreme(&m[SPIN_REFRESHED], false);
	x[CPU_MAX_REFRESHED] = cpu_extreme(&m[SPIN_REFRESHED], true);
	x[SPREAD_GROUP] = spread(&m[SPIN_GROUP]);
}

const struct case_def case_2010_over_scheduling = {
	.id = "2010-over-scheduling",
	.title = "a stale h_load makes the balancer pull too much (2.6.32 to 2.6.35-rc3)",
	.source = "\"Over schedule issue fixing\", Alex Shi, linux-kernel, June 2010; commit "
		  "3c93717cfa51 \"sched: Fix over-scheduling bug\"",
	.kernels = {BAD, FIXED},
	.cost_s = 1,
	.figures = figures,
	.nfigures = FIGURES,
	.runs = runs,
	.nruns = RUN_ROWS,
	.nseeds = 1,
	.measured_bytes = sizeof(struct measured),
	.sample_ns = NS_PER_S,
	.sample = sample,
	.finish = finish,
	.judge = judge,
};
