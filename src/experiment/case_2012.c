/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench in a task group, 3.3 to 3.4-rc2. Balancing from one list of tasks
 * per queue, 3.4-rc2 leaves tasks of little load alone and looks at a whole
 * queue before it gives up. In a group spread over the machine the tasks of a
 * long queue are all that light. A CPU about to go idle then takes two queues'
 * locks, examines hundreds of tasks, moves none, and takes the queue to be
 * pinned, so that nothing counts as a failure and the filter stays shut. The
 * pile that the start of hackbench leaves on one CPU is never cleared.
 *
 * All ratios are of two kernels with the same seed; their median over the seeds
 * is the figure. Counters are sums over the machine's CPUs.
 *
 * Linux: kernel/sched/fair.c load_balance(), move_tasks(), 3.4-rc1 to 3.4-rc5.
 */
#include "experiment/case.h"

#include "base/check.h"

enum number {
	ELAPSED_NS,
	BUSY_NS,
	LOCK_NS,              /* waiting for spinlocks and taking them */
	LOCK_IN_BALANCING_NS, /* ... below load_balance() */
	SCHED_COUNT,
	SCHED_GOIDLE,
	TTWU_REMOTE_D0,
	TTWU_REMOTE_D1,
	TTWU_REMOTE_D2,
	CPU0_SCHED_COUNT, /* the same of CPU 0 alone */
	CPU0_SCHED_GOIDLE,
	CPU0_TTWU_REMOTE_D0,
	CPU0_TTWU_REMOTE_D1,
	CPU0_TTWU_REMOTE_D2,
	NUMBERS,
};

#define DOMAINS 3u

struct measured {
	uint64_t n[NUMBERS];
};

enum run_row {
	SNB_33,
	SNB_D1,
	SNB_RC2,
	SNB_PATCH1,
	SNB_PATCH2,
	SNB_34,
	SNB_ROOT_33,
	SNB_ROOT_RC2,
	WSM_33,
	WSM_RC2,
	WSM_ROOT_33,
	WSM_ROOT_RC2,
	FORK_HALF_33,
	FORK_HALF_RC2,
	FORK_DOUBLE_33,
	FORK_DOUBLE_RC2,
	FIRST_RUN_HALF_33,
	FIRST_RUN_HALF_RC2,
	FIRST_RUN_DOUBLE_33,
	FIRST_RUN_DOUBLE_RC2,
	BOTH_HALF_33,
	BOTH_HALF_RC2,
	BOTH_DOUBLE_33,
	BOTH_DOUBLE_RC2,
	FULL_33,
	FULL_RC2,
	FULL_PATCH1,
	FULL_PATCH2,
	FULL_34,
	RUN_ROWS,
};

#define V33 "3.3"
#define D1 "3.3,+lb-rq-list"
#define RC2 "3.4-rc2"
#define PATCH1 "3.4-rc2,+nr-migrate-cap"
#define PATCH2 "3.4-rc2,+nr-migrate-cap,+lb-list-head"
#define V34 "3.4"
#define HACKBENCH(loops) "hackbench:groups=100,mode=process,loops=" loops

#define ROW(text, on, version, loops, group, full, fork, first_run)                                \
	{                                                                                          \
		.name = text, .machine = on, .kernel = version, .work = {HACKBENCH(loops)},        \
		.autogroup = group, .full_only = full, .fork_pct = fork,                           \
		.first_run_pct = first_run                                                         \
	}

/* clang-format off */
static const struct case_run runs[RUN_ROWS] = {
	[SNB_33]       = ROW("in a group, before",       "snb-ep", V33,    "60", true,  false, 0, 0),
	[SNB_D1]       = ROW("in a group, one list",     "snb-ep", D1,     "60", true,  false, 0, 0),
	[SNB_RC2]      = ROW("in a group, bad",          "snb-ep", RC2,    "60", true,  false, 0, 0),
	[SNB_PATCH1]   = ROW("in a group, first patch",  "snb-ep", PATCH1, "60", true,  false, 0, 0),
	[SNB_PATCH2]   = ROW("in a group, second patch", "snb-ep", PATCH2, "60", true,  false, 0, 0),
	[SNB_34]       = ROW("in a group, fixed",        "snb-ep", V34,    "60", true,  false, 0, 0),
	[SNB_ROOT_33]  = ROW("no group, before",         "snb-ep", V33,    "60", false, false, 0, 0),
	[SNB_ROOT_RC2] = ROW("no group, bad",            "snb-ep", RC2,    "60", false, false, 0, 0),
	[WSM_33]       = ROW("in a group, before",       "wsm-ep", V33,    "60", true,  false, 0, 0),
	[WSM_RC2]      = ROW("in a group, bad",          "wsm-ep", RC2,    "60", true,  false, 0, 0),
	[WSM_ROOT_33]  = ROW("no group, before",         "wsm-ep", V33,    "60", false, false, 0, 0),
	[WSM_ROOT_RC2] = ROW("no group, bad",            "wsm-ep", RC2,    "60", false, false, 0, 0),
	[FORK_HALF_33]         = ROW("fork at half price, before",         "snb-ep", V33, "60", true, false, 50, 0),
	[FORK_HALF_RC2]        = ROW("fork at half price, bad",            "snb-ep", RC2, "60", true, false, 50, 0),
	[FORK_DOUBLE_33]       = ROW("fork at double price, before",       "snb-ep", V33, "60", true, false, 200, 0),
	[FORK_DOUBLE_RC2]      = ROW("fork at double price, bad",          "snb-ep", RC2, "60", true, false, 200, 0),
	[FIRST_RUN_HALF_33]    = ROW("first run at half price, before",    "snb-ep", V33, "60", true, false, 0, 50),
	[FIRST_RUN_HALF_RC2]   = ROW("first run at half price, bad",       "snb-ep", RC2, "60", true, false, 0, 50),
	[FIRST_RUN_DOUBLE_33]  = ROW("first run at double price, before",  "snb-ep", V33, "60", true, false, 0, 200),
	[FIRST_RUN_DOUBLE_RC2] = ROW("first run at double price, bad",     "snb-ep", RC2, "60", true, false, 0, 200),
	[BOTH_HALF_33]         = ROW("both at half price, before",         "snb-ep", V33, "60", true, false, 50, 50),
	[BOTH_HALF_RC2]        = ROW("both at half price, bad",            "snb-ep", RC2, "60", true, false, 50, 50),
	[BOTH_DOUBLE_33]       = ROW("both at double price, before",       "snb-ep", V33, "60", true, false, 200, 200),
	[BOTH_DOUBLE_RC2]      = ROW("both at double price, bad",          "snb-ep", RC2, "60", true, false, 200, 200),
	[FULL_33]     = ROW("the thread's length, before",       "snb-ep", V33,    "2000", true, true, 0, 0),
	[FULL_RC2]    = ROW("the thread's length, bad",          "snb-ep", RC2,    "2000", true, true, 0, 0),
	[FULL_PATCH1] = ROW("the thread's length, first patch",  "snb-ep", PATCH1, "2000", true, true, 0, 0),
	[FULL_PATCH2] = ROW("the thread's length, second patch", "snb-ep", PATCH2, "2000", true, true, 0, 0),
	[FULL_34]     = ROW("the thread's length, fixed",        "snb-ep", V34,    "2000", true, true, 0, 0),
};

#define NONE CASE_NONE
/* ... and no noise, word or bound of an interval */
#define NO_ALSO { { NULL, NULL, false } }, 0, NULL, false
#define PLAIN(published) published, NONE, NONE
/* Not judged. */
#define SHOWN(name, what, published, full) \
	{ name, what, "1", PLAIN(published), NONE, NONE, NONE, NONE, false, full, NULL, NO_ALSO }
#define JUDGED(name, what, published, low, high, aim_low, aim_high) \
	{ name, what, "1", PLAIN(published), low, high, aim_low, aim_high, true, false, NULL, NO_ALSO }

/* Where to look for the figure of the thread's own length. */
#define SHORT_RUN "in so short a run the pile-up of the start weighs too much; at the thread's own 2000 loops (--full) see "

enum figure {
	TIME_RC2,
	TIME_PATCH1,
	TIME_PATCH2,
	TIME_FIXED,
	TIME_RC2_ROOT,
	TIME_RC2_WSM,
	TIME_RC2_WSM_ROOT,
	FIG_SCHED_COUNT,
	FIG_SCHED_GOIDLE,
	TTWU_D0,
	TTWU_D1,
	TTWU_D2,
	SPIN_SHARE,
	SPIN_IN_LOAD_BALANCE,
	TIME_RC2_FULL,
	TIME_PATCH1_FULL,
	TIME_PATCH2_FULL,
	TIME_FIXED_FULL,
	SCHED_COUNT_FULL,
	SCHED_GOIDLE_FULL,
	TTWU_D0_FULL,
	TTWU_D1_FULL,
	TTWU_D2_FULL,
	SPIN_SHARE_FULL,
	SPIN_IN_LOAD_BALANCE_FULL,
	TIME_D1,
	TIME_FORK_HALF,
	TIME_FORK_DOUBLE,
	TIME_FIRST_RUN_HALF,
	TIME_FIRST_RUN_DOUBLE,
	TIME_BOTH_HALF,
	TIME_BOTH_DOUBLE,
	CPU0_COUNT,
	CPU0_GOIDLE,
	CPU0_D0,
	CPU0_D1,
	CPU0_D2,
	FIGURES,
};

static const struct case_figure figures[FIGURES] = {
	[TIME_RC2] = { "time_rc2", "elapsed, 3.4-rc2 / 3.3", "1", PLAIN(4.0), 2.3, 7, 3, 5,
		       true, false, SHORT_RUN "time_rc2_full", NO_ALSO },
	[TIME_PATCH1] = { "time_patch1", "elapsed, first patch / 3.3", "1", PLAIN(2.0), 1.5, 4, 1.6, 2.6,
			  true, false, NULL, { { "below time_rc2", "time_rc2", true } }, 0, NULL, false },
	[TIME_PATCH2] = { "time_patch2", "elapsed, second patch / first patch", "1", NONE, 0.85, 0.90,
			  0.75, 1.2, NONE, 1, true, false, NULL, NO_ALSO },
	[TIME_FIXED]        = JUDGED("time_fixed", "elapsed, 3.4 / 3.3", 1.0, 0.90, 1.10, NONE, NONE),
	[TIME_RC2_ROOT]     = JUDGED("time_rc2_root", "elapsed, 3.4-rc2 / 3.3, without a group", 1.0, 0.93, 1.07, NONE, NONE),
	[TIME_RC2_WSM]      = JUDGED("time_rc2_wsm", "as time_rc2, on wsm-ep in a group", NONE, 1.5, NONE, NONE, NONE),
	[TIME_RC2_WSM_ROOT] = JUDGED("time_rc2_wsm_root", "as time_rc2, on wsm-ep without a group", 1.0, 0.93, 1.07, NONE, NONE),
	[FIG_SCHED_COUNT]   = JUDGED("sched_count", "passes through schedule(), 3.4-rc2 / 3.3", 13, 4, 60, NONE, NONE),
	[FIG_SCHED_GOIDLE]  = JUDGED("sched_goidle", "passes that went idle, 3.4-rc2 / 3.3", 530, 50, NONE, 200, 1000),
	[TTWU_D0] = JUDGED("ttwu_remote_d0", "ttwu_wake_remote of domain 0, 3.4-rc2 / 3.3", 6.4, 1, NONE, NONE, NONE),
	[TTWU_D1] = JUDGED("ttwu_remote_d1", "... of domain 1", 76.7, 5, NONE, NONE, NONE),
	[TTWU_D2] = { "ttwu_remote_d2", "... of domain 2", "1", PLAIN(45.3), 5, NONE, NONE, NONE, true, false,
		      SHORT_RUN "ttwu_remote_d2_full", NO_ALSO },
	[SPIN_SHARE] = { "spin_share", "waiting for run queue, wait queue and socket locks, part of busy CPU time, 3.4-rc2",
			 "1", PLAIN(0.072), 0.03, 0.45, NONE, NONE, true, false,
			 SHORT_RUN "spin_share_full", NO_ALSO },
	[SPIN_IN_LOAD_BALANCE] = JUDGED("spin_in_load_balance", "part of that below load_balance()", 0.565, 0.5, 0.99, NONE, NONE),
	[TIME_RC2_FULL] = { "time_rc2_full", "time_rc2 at the thread's 2000 loops", "1", PLAIN(4.0), 1.5, NONE, NONE, NONE,
			    true, true, NULL, NO_ALSO },
	[TIME_PATCH1_FULL] = SHOWN("time_patch1_full", "time_patch1 at 2000 loops", 2.0, true),
	[TIME_PATCH2_FULL] = { "time_patch2_full", "time_patch2 at 2000 loops", "1", NONE, 0.85, 0.90, NONE, NONE,
			       NONE, NONE, false, true, NULL, NO_ALSO },
	[TIME_FIXED_FULL]  = SHOWN("time_fixed_full", "time_fixed at 2000 loops", 1.0, true),
	[SCHED_COUNT_FULL]  = SHOWN("sched_count_full", "sched_count at 2000 loops", 13, true),
	[SCHED_GOIDLE_FULL] = SHOWN("sched_goidle_full", "sched_goidle at 2000 loops", 530, true),
	[TTWU_D0_FULL] = SHOWN("ttwu_remote_d0_full", "ttwu_remote_d0 at 2000 loops", 6.4, true),
	[TTWU_D1_FULL] = SHOWN("ttwu_remote_d1_full", "ttwu_remote_d1 at 2000 loops", 76.7, true),
	[TTWU_D2_FULL] = SHOWN("ttwu_remote_d2_full", "ttwu_remote_d2 at 2000 loops", 45.3, true),
	[SPIN_SHARE_FULL] = SHOWN("spin_share_full", "spin_share at 2000 loops", 0.072, true),
	[SPIN_IN_LOAD_BALANCE_FULL] = SHOWN("spin_in_load_balance_full", "spin_in_load_balance at 2000 loops", 0.565, true),
	[TIME_D1] = SHOWN("time_d1", "elapsed, " D1 " / 3.3: the first commit alone", NONE, false),
	[TIME_FORK_HALF]        = SHOWN("time_rc2_fork_half", "time_rc2, a fork at half its price", NONE, false),
	[TIME_FORK_DOUBLE]      = SHOWN("time_rc2_fork_double", "... at double its price", NONE, false),
	[TIME_FIRST_RUN_HALF]   = SHOWN("time_rc2_first_run_half", "time_rc2, a child's first run at half its price", NONE, false),
	[TIME_FIRST_RUN_DOUBLE] = SHOWN("time_rc2_first_run_double", "... at double its price", NONE, false),
	[TIME_BOTH_HALF]        = SHOWN("time_rc2_both_half", "time_rc2, both at half price", NONE, false),
	[TIME_BOTH_DOUBLE]      = SHOWN("time_rc2_both_double", "... both at double price", NONE, false),
	[CPU0_COUNT]  = SHOWN("cpu0_sched_count", "sched_count of CPU 0 alone", 13, false),
	[CPU0_GOIDLE] = SHOWN("cpu0_sched_goidle", "sched_goidle of CPU 0 alone", 530, false),
	[CPU0_D0]     = SHOWN("cpu0_ttwu_remote_d0", "ttwu_wake_remote of domain 0 of CPU 0 alone", 6.4, false),
	[CPU0_D1]     = SHOWN("cpu0_ttwu_remote_d1", "... of domain 1", 76.7, false),
	[CPU0_D2]     = SHOWN("cpu0_ttwu_remote_d2", "... of domain 2", 45.3, false),
};

/* A figure is the number N of the row OVER, divided by N_UNDER of the row UNDER. */
static const struct quotient {
	enum run_row over;
	enum number n;
	enum run_row under;
	enum number n_under;
} quotients[FIGURES] = {
	[TIME_RC2]             = { SNB_RC2, ELAPSED_NS, SNB_33, ELAPSED_NS },
	[TIME_PATCH1]          = { SNB_PATCH1, ELAPSED_NS, SNB_33, ELAPSED_NS },
	[TIME_PATCH2]          = { SNB_PATCH2, ELAPSED_NS, SNB_PATCH1, ELAPSED_NS },
	[TIME_FIXED]           = { SNB_34, ELAPSED_NS, SNB_33, ELAPSED_NS },
	[TIME_RC2_ROOT]        = { SNB_ROOT_RC2, ELAPSED_NS, SNB_ROOT_33, ELAPSED_NS },
	[TIME_RC2_WSM]         = { WSM_RC2, ELAPSED_NS, WSM_33, ELAPSED_NS },
	[TIME_RC2_WSM_ROOT]    = { WSM_ROOT_RC2, ELAPSED_NS, WSM_ROOT_33, ELAPSED_NS },
	[FIG_SCHED_COUNT]      = { SNB_RC2, SCHED_COUNT, SNB_33, SCHED_COUNT },
	[FIG_SCHED_GOIDLE]     = { SNB_RC2, SCHED_GOIDLE, SNB_33, SCHED_GOIDLE },
	[TTWU_D0]              = { SNB_RC2, TTWU_REMOTE_D0, SNB_33, TTWU_REMOTE_D0 },
	[TTWU_D1]              = { SNB_RC2, TTWU_REMOTE_D1, SNB_33, TTWU_REMOTE_D1 },
	[TTWU_D2]              = { SNB_RC2, TTWU_REMOTE_D2, SNB_33, TTWU_REMOTE_D2 },
	[SPIN_SHARE]           = { SNB_RC2, LOCK_NS, SNB_RC2, BUSY_NS },
	[SPIN_IN_LOAD_BALANCE] = { SNB_RC2, LOCK_IN_BALANCING_NS, SNB_RC2, LOCK_NS },
	[TIME_RC2_FULL]        = { FULL_RC2, ELAPSED_NS, FULL_33, ELAPSED_NS },
	[TIME_PATCH1_FULL]     = { FULL_PATCH1, ELAPSED_NS, FULL_33, ELAPSED_NS },
	[TIME_PATCH2_FULL]     = { FULL_PATCH2, ELAPSED_NS, FULL_PATCH1, ELAPSED_NS },
	[TIME_FIXED_FULL]      = { FULL_34, ELAPSED_NS, FULL_33, ELAPSED_NS },
	[SCHED_COUNT_FULL]     = { FULL_RC2, SCHED_COUNT, FULL_33, SCHED_COUNT },
	[SCHED_GOIDLE_FULL]    = { FULL_RC2, SCHED_GOIDLE, FULL_33, SCHED_GOIDLE },
	[TTWU_D0_FULL]         = { FULL_RC2, TTWU_REMOTE_D0, FULL_33, TTWU_REMOTE_D0 },
	[TTWU_D1_FULL]         = { FULL_RC2, TTWU_REMOTE_D1, FULL_33, TTWU_REMOTE_D1 },
	[TTWU_D2_FULL]         = { FULL_RC2, TTWU_REMOTE_D2, FULL_33, TTWU_REMOTE_D2 },
	[SPIN_SHARE_FULL]      = { FULL_RC2, LOCK_NS, FULL_RC2, BUSY_NS },
	[SPIN_IN_LOAD_BALANCE_FULL] = { FULL_RC2, LOCK_IN_BALANCING_NS, FULL_RC2, LOCK_NS },
	[TIME_D1]              = { SNB_D1, ELAPSED_NS, SNB_33, ELAPSED_NS },
	[TIME_FORK_HALF]       = { FORK_HALF_RC2, ELAPSED_NS, FORK_HALF_33, ELAPSED_NS },
	[TIME_FORK_DOUBLE]     = { FORK_DOUBLE_RC2, ELAPSED_NS, FORK_DOUBLE_33, ELAPSED_NS },
	[TIME_FIRST_RUN_HALF]  = { FIRST_RUN_HALF_RC2, ELAPSED_NS, FIRST_RUN_HALF_33, ELAPSED_NS },
	[TIME_FIRST_RUN_DOUBLE] = { FIRST_RUN_DOUBLE_RC2, ELAPSED_NS, FIRST_RUN_DOUBLE_33, ELAPSED_NS },
	[TIME_BOTH_HALF]       = { BOTH_HALF_RC2, ELAPSED_NS, BOTH_HALF_33, ELAPSED_NS },
	[TIME_BOTH_DOUBLE]     = { BOTH_DOUBLE_RC2, ELAPSED_NS, BOTH_DOUBLE_33, ELAPSED_NS },
	[CPU0_COUNT]           = { SNB_RC2, CPU0_SCHED_COUNT, SNB_33, CPU0_SCHED_COUNT },
	[CPU0_GOIDLE]          = { SNB_RC2, CPU0_SCHED_GOIDLE, SNB_33, CPU0_SCHED_GOIDLE },
	[CPU0_D0]              = { SNB_RC2, CPU0_TTWU_REMOTE_D0, SNB_33, CPU0_TTWU_REMOTE_D0 },
	[CPU0_D1]              = { SNB_RC2, CPU0_TTWU_REMOTE_D1, SNB_33, CPU0_TTWU_REMOTE_D1 },
	[CPU0_D2]              = { SNB_RC2, CPU0_TTWU_REMOTE_D2, SNB_33, CPU0_TTWU_REMOTE_D2 },
};
/* clang-format on */

/* Adds what /proc/schedstat says of RQ to the three numbers from AT on. */
static void count_rq(uint64_t *n, enum number at, const struct rq *rq)
{
	uint32_t d = 0;

	n[at] += rq->stats.sched_count;
	n[at + 1] += rq->stats.sched_goidle;
	for (const struct sched_domain *sd = rq->sd; sd && d < DOMAINS; sd = sd->parent)
		n[at + 2 + d++] += sd->stats.ttwu_wake_remote;
}

static bool is_below_load_balance(const struct path_tree *t, uint32_t node)
{
	while (node && t->node[node].elem != PATH_LOAD_BALANCE)
		node = t->node[node].parent;
	return node != 0;
}

static void count_locks(uint64_t *n, const struct path_tree *t)
{
	for (uint32_t i = 1; i < t->nnodes; i++) {
		const struct path_node *node = &t->node[i];

		if (node->elem != PATH_RQ_LOCK && node->elem != PATH_OTHER_LOCK)
			continue;
		n[LOCK_NS] += node->ns;
		if (is_below_load_balance(t, i))
			n[LOCK_IN_BALANCING_NS] += node->ns;
	}
}

static void finish(const struct case_def *def, void *out, struct run *r)
{
	const struct machine *m = run_machine(r);
	uint64_t *n = ((struct measured *)out)->n;

	(void)def;
	n[ELAPSED_NS] = run_elapsed_ns(r);
	for (uint32_t i = 0; i < m->ncpus; i++) {
		n[BUSY_NS] += run_busy_ns(r, i);
		count_rq(n, SCHED_COUNT, &m->cpus[i].rq);
	}
	count_rq(n, CPU0_SCHED_COUNT, &m->cpus[0].rq);
	count_locks(n, m->paths);
}

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;

	(void)def;
	for (uint32_t i = 0; i < FIGURES; i++) {
		const struct quotient *q = &quotients[i];
		double pairs[CASE_SEEDS_MAX];

		for (uint32_t s = 0; s < nseeds; s++) {
			uint64_t over = m[q->over * nseeds + s].n[q->n];
			uint64_t under = m[q->under * nseeds + s].n[q->n_under];

			pairs[s] = under ? (double)over / (double)under : CASE_NONE;
		}
		x[i] = case_median(pairs, nseeds);
	}
}

const struct case_def case_2012_hackbench_cgroup = {
	.id = "2012-hackbench-cgroup",
	.title =
		"newly idle CPUs walk whole queues of a group and move nothing (3.4-rc1 to 3.4-rc5)",
	.source =
		"\"load balancing regression since commit 367456c7\", Tim Chen and Peter Zijlstra, "
		"linux-kernel, April 2012; commit eb95308ee2a6 \"sched: Fix more load-balancing "
		"fallout\"",
	.kernels = {V33, D1, RC2, PATCH1, PATCH2, V34},
	.cost_s = 65,
	.figures = figures,
	.nfigures = FIGURES,
	.runs = runs,
	.nruns = RUN_ROWS,
	.nseeds = 5,
	.middle = "medians",
	.measured_bytes = sizeof(struct measured),
	.finish = finish,
	.judge = judge,
};
