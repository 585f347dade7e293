/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time tasks of a few priorities fill a machine just to saturation. Since
 * 3.2 a woken task that finds one of its own priority running looks for another
 * CPU, and if it stays, its CPU tries to push it away. cpupri names CPUs that run
 * something less important for a moment only, between two tasks; by the time
 * such a CPU's queue is locked another CPU has filled it. So queues' locks are
 * taken for nothing, caches go cold, and no CPU is used better, since none was
 * idle.
 *
 * Gains are of the patch that takes the change back, over the same kernel
 * without it, as means over pairs of equal seeds.
 *
 * Linux: kernel/sched/rt.c select_task_rq_rt(), task_woken_rt(), find_lock_lowest_rq().
 */
#include "experiment/case.h"

#include "base/check.h"
#include "experiment/stats.h"
#include "observe/metrics.h"

enum number {
	DONE,
	ELAPSED_NS,
	BUSY_NS, /* sum over the CPUs */
	CPU_NS,  /* ... of the whole time */
	PUSH_LOCKS,
	PUSH_LOCKS_FAILED,
	PUSHES,
	PULLS,
	LATENCY_P99_NS,
	NUMBERS,
};

struct measured {
	uint64_t n[NUMBERS];
};

/* Rows come in pairs: without the patch, with it. */
enum pair {
	R64,
	R64_NO_CHECKS,
	R32,
	HALF,
	ATOMIC,
	SERVERS_260, /* how much hangs on the load */
	SERVERS_350,
	SIX_WAITS, /* the other reading of the workload */
	PAIRS,
};

#define ROWS (2 * PAIRS)

#define UNLIMITED ",sched_rt_runtime_us=-1"
#define PATCH ",+rt-push-lower-only"
#define PLAIN_KERNEL "3.19"
#define CHECKS "3.19,+rt-select-check,+rt-find-check"

#define OLTP_64 "oltp:servers=300,burst=100us,writers=4,lower=64,irqs=16"
#define OLTP_64_HALF "oltp:servers=150,burst=100us,writers=4,lower=64,irqs=16"
#define OLTP_64_LESS "oltp:servers=260,burst=100us,writers=4,lower=64,irqs=16"
#define OLTP_64_MORE "oltp:servers=350,burst=100us,writers=4,lower=64,irqs=16"
#define OLTP_64_SIX "oltp:servers=300,burst=100us,bursts=5,reply=100us,writers=4,lower=64,irqs=16"
#define OLTP_32 "oltp:servers=225,burst=50us,writers=2,lower=32,short=50,irqs=8"
#define SERVER_PRIO 50u

#define DURATION "300ms"

#define ROW(text, on, version, load, no_interleaving, latency)                                     \
	{                                                                                          \
		.name = text, .machine = on, .kernel = version UNLIMITED, .work = {load},          \
		.time_quick = DURATION, .time_full = "2s", .atomic = no_interleaving,              \
		.latency_of = latency                                                              \
	}

/* clang-format off */
static const struct case_run runs[ROWS] = {
	[2 * R64]               = ROW("4x8x2, equal priorities pushed",     "4x8x2",  CHECKS, OLTP_64, false, 0),
	[2 * R64 + 1]           = ROW("4x8x2, patched",                     "4x8x2",  CHECKS PATCH, OLTP_64, false, 0),
	[2 * R64_NO_CHECKS]     = ROW("... without both checks",            "4x8x2",  PLAIN_KERNEL, OLTP_64, false, 0),
	[2 * R64_NO_CHECKS + 1] = ROW("... without both checks, patched",   "4x8x2",  PLAIN_KERNEL PATCH, OLTP_64, false, 0),
	[2 * R32]               = ROW("snb-ep, equal priorities pushed",    "snb-ep", CHECKS, OLTP_32, false, 0),
	[2 * R32 + 1]           = ROW("snb-ep, patched",                    "snb-ep", CHECKS PATCH, OLTP_32, false, 0),
	[2 * HALF]              = ROW("4x8x2 at half load",                 "4x8x2",  CHECKS, OLTP_64_HALF, false, SERVER_PRIO),
	[2 * HALF + 1]          = ROW("4x8x2 at half load, patched",        "4x8x2",  CHECKS PATCH, OLTP_64_HALF, false, SERVER_PRIO),
	[2 * ATOMIC]            = ROW("4x8x2, nothing interleaves",         "4x8x2",  CHECKS, OLTP_64, true, 0),
	[2 * ATOMIC + 1]        = ROW("4x8x2, nothing interleaves, patched", "4x8x2", CHECKS PATCH, OLTP_64, true, 0),
	[2 * SERVERS_260]       = ROW("4x8x2, 260 servers",                 "4x8x2",  CHECKS, OLTP_64_LESS, false, 0),
	[2 * SERVERS_260 + 1]   = ROW("4x8x2, 260 servers, patched",        "4x8x2",  CHECKS PATCH, OLTP_64_LESS, false, 0),
	[2 * SERVERS_350]       = ROW("4x8x2, 350 servers",                 "4x8x2",  CHECKS, OLTP_64_MORE, false, 0),
	[2 * SERVERS_350 + 1]   = ROW("4x8x2, 350 servers, patched",        "4x8x2",  CHECKS PATCH, OLTP_64_MORE, false, 0),
	[2 * SIX_WAITS]         = ROW("4x8x2, the last burst after the commit", "4x8x2", CHECKS, OLTP_64_SIX, false, 0),
	[2 * SIX_WAITS + 1]     = ROW("4x8x2, the last burst after the commit, patched", "4x8x2", CHECKS PATCH, OLTP_64_SIX, false, 0),
};

#define NONE CASE_NONE
/* ... and no noise, word or bound of an interval */
#define NO_ALSO { { NULL, NULL, false } }, 0, NULL, false
#define PLAIN(published) published, NONE, NONE
/* Not judged. */
#define SHOWN(name, what, published) \
	{ name, what, "1", PLAIN(published), NONE, NONE, NONE, NONE, false, false, NULL, NO_ALSO }
#define JUDGED(name, what, published, low, high) \
	{ name, what, "1", PLAIN(published), low, high, NONE, NONE, true, false, NULL, NO_ALSO }
#define ABOVE(than) { { "above " than, than, false } }, 0, NULL, false

enum figure {
	PUSH_LOCK_RATIO,
	THROUGHPUT_GAIN,
	GAIN_WITHOUT_CHECKS,
	CHECKS_WORTH,
	UTILISATION_CHANGE,
	PUSH_LOCK_RATIO_32,
	THROUGHPUT_GAIN_32,
	HALF_LOAD_P99_RATIO,
	ATOMIC_GAIN,
	GAIN_ERROR,
	GAIN_ERROR_WITHOUT_CHECKS,
	GAIN_ERROR_32,
	HALF_LOAD_GAIN,
	GAIN_260,
	GAIN_350,
	GAIN_SIX_WAITS,
	PUSH_LOCKS_PER_TRANSACTION,
	PUSH_LOCKS_FAILED_SHARE,
	PUSH_LOCKS_FAILED_SHARE_PATCHED,
	PUSH_RATIO,
	PULL_RATIO,
	ATOMIC_PUSH_LOCK_RATIO,
	FIGURES,
};

static const struct case_figure figures[FIGURES] = {
	[PUSH_LOCK_RATIO] = JUDGED("push_lock_ratio", "target locks taken by pushing, equal priorities pushed / patched", 1.70, 1.35, 2.3),
	[THROUGHPUT_GAIN] = { "throughput_gain", "of the patch", "1", PLAIN(0.015), 0.008, 0.03, NONE, NONE, true, false, NULL,
			      ABOVE("throughput_gain_3se") },
	[GAIN_WITHOUT_CHECKS] = { "throughput_gain_without_checks", "... with both feasibility checks off", "1", PLAIN(0.020), NONE, NONE, NONE, NONE,
				  true, false, NULL, ABOVE("throughput_gain") },
	[CHECKS_WORTH] = JUDGED("checks_worth", "the difference of the two gains", 0.005, 0.001, 0.008),
	[UTILISATION_CHANGE] = JUDGED("utilisation_change", "part of CPU time that is used, by the patch", NONE, -0.002, 0.002),
	[PUSH_LOCK_RATIO_32] = JUDGED("push_lock_ratio_32", "push_lock_ratio on snb-ep", NONE, 1.3, 2.5),
	[THROUGHPUT_GAIN_32] = JUDGED("throughput_gain_32", "throughput_gain on snb-ep", NONE, 0.005, 0.03),
	[HALF_LOAD_P99_RATIO] = JUDGED("half_load_p99_ratio", "wake-up latency of servers at half load, 99 %, patched / not", NONE, 2, NONE),
	[ATOMIC_GAIN] = JUDGED("atomic_gain", "throughput_gain if sections of the kernel were atomic", NONE, -0.004, 0.004),
	[GAIN_ERROR] = SHOWN("throughput_gain_3se", "3 standard errors of throughput_gain", NONE),
	[GAIN_ERROR_WITHOUT_CHECKS] = SHOWN("throughput_gain_without_checks_3se", "... of throughput_gain_without_checks", NONE),
	[GAIN_ERROR_32] = SHOWN("throughput_gain_32_3se", "... of throughput_gain_32", NONE),
	[HALF_LOAD_GAIN] = SHOWN("half_load_gain", "throughput_gain at half load", NONE),
	[GAIN_260] = SHOWN("throughput_gain_260", "throughput_gain with 260 servers, not 300", NONE),
	[GAIN_350] = SHOWN("throughput_gain_350", "... with 350", NONE),
	[GAIN_SIX_WAITS] = SHOWN("throughput_gain_six_waits", "... with a wait less and the last burst after the commit", NONE),
	[PUSH_LOCKS_PER_TRANSACTION] = SHOWN("push_locks_per_transaction", "target locks taken by pushing, not patched", NONE),
	[PUSH_LOCKS_FAILED_SHARE] = SHOWN("push_locks_failed_share", "part of them taken for nothing", NONE),
	[PUSH_LOCKS_FAILED_SHARE_PATCHED] = SHOWN("push_locks_failed_share_patched", "... patched", NONE),
	[PUSH_RATIO] = SHOWN("push_ratio", "tasks pushed, not patched / patched", NONE),
	[PULL_RATIO] = SHOWN("pull_ratio", "tasks pulled, not patched / patched", NONE),
	[ATOMIC_PUSH_LOCK_RATIO] = SHOWN("atomic_push_lock_ratio", "push_lock_ratio if sections were atomic", NONE),
};
/* clang-format on */

static void finish(const struct case_def *def, void *out, struct run *r)
{
	const struct machine *m = run_machine(r);
	uint64_t *n = ((struct measured *)out)->n;
	struct metric_value value[METRIC_COUNT];

	(void)def;
	n[DONE] = run_done_count(r);
	n[ELAPSED_NS] = run_elapsed_ns(r);
	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct rt_stats *s = &m->cpus[i].rq.rt.stats;

		n[BUSY_NS] += run_busy_ns(r, i);
		n[CPU_NS] += run_totals(r)->now_ns;
		n[PUSH_LOCKS] += s->push_locks;
		n[PUSH_LOCKS_FAILED] += s->push_lock_failed;
		n[PUSHES] += s->pushes;
		n[PULLS] += s->pulls;
	}
	run_metrics(r, value);
	if (value[METRIC_WAKEUP_LATENCY_NS_P99].den)
		n[LATENCY_P99_NS] = value[METRIC_WAKEUP_LATENCY_NS_P99].num;
}

static double quotient(uint64_t over, uint64_t under)
{
	return under ? (double)over / (double)under : CASE_NONE;
}

/* Of one seed: row 2 * P is M[0], the patched one M[nseeds]. */
typedef double of_pair(const struct measured * not, const struct measured *patched);

static double gain(const struct measured * not, const struct measured *patched)
{
	return quotient(patched->n[DONE], patched->n[ELAPSED_NS]) /
		       quotient(not ->n[DONE], not ->n[ELAPSED_NS]) -
	       1;
}

static double utilisation_change(const struct measured * not, const struct measured *patched)
{
	return quotient(patched->n[BUSY_NS], patched->n[CPU_NS]) -
	       quotient(not ->n[BUSY_NS], not ->n[CPU_NS]);
}

static double push_lock_ratio(const struct measured * not, const struct measured *patched)
{
	return quotient(not ->n[PUSH_LOCKS], patched->n[PUSH_LOCKS]);
}

static double push_ratio(const struct measured * not, const struct measured *patched)
{
	return quotient(not ->n[PUSHES], patched->n[PUSHES]);
}

static double pull_ratio(const struct measured * not, const struct measured *patched)
{
	return quotient(not ->n[PULLS], patched->n[PULLS]);
}

static double latency_ratio(const struct measured * not, const struct measured *patched)
{
	return quotient(patched->n[LATENCY_P99_NS], not ->n[LATENCY_P99_NS]);
}

static double locks_per_transaction(const struct measured * not, const struct measured *patched)
{
	(void)patched;
	return quotient(not ->n[PUSH_LOCKS], not ->n[DONE]);
}

static double failed_share(const struct measured * not, const struct measured *patched)
{
	(void)patched;
	return quotient(not ->n[PUSH_LOCKS_FAILED], not ->n[PUSH_LOCKS]);
}

static double failed_share_patched(const struct measured * not, const struct measured *patched)
{
	(void)not ;
	return quotient(patched->n[PUSH_LOCKS_FAILED], patched->n[PUSH_LOCKS]);
}

/* Figures that are the mean over the seeds of what a pair says, or three standard errors of it. */
static const struct from_pairs {
	enum pair pair;
	of_pair *value;
	bool error;
} from_pairs[FIGURES] = {
	[PUSH_LOCK_RATIO] = {R64, push_lock_ratio, false},
	[THROUGHPUT_GAIN] = {R64, gain, false},
	[GAIN_WITHOUT_CHECKS] = {R64_NO_CHECKS, gain, false},
	[UTILISATION_CHANGE] = {R64, utilisation_change, false},
	[PUSH_LOCK_RATIO_32] = {R32, push_lock_ratio, false},
	[THROUGHPUT_GAIN_32] = {R32, gain, false},
	[HALF_LOAD_P99_RATIO] = {HALF, latency_ratio, false},
	[ATOMIC_GAIN] = {ATOMIC, gain, false},
	[GAIN_ERROR] = {R64, gain, true},
	[GAIN_ERROR_WITHOUT_CHECKS] = {R64_NO_CHECKS, gain, true},
	[GAIN_ERROR_32] = {R32, gain, true},
	[HALF_LOAD_GAIN] = {HALF, gain, false},
	[GAIN_260] = {SERVERS_260, gain, false},
	[GAIN_350] = {SERVERS_350, gain, false},
	[GAIN_SIX_WAITS] = {SIX_WAITS, gain, false},
	[PUSH_LOCKS_PER_TRANSACTION] = {R64, locks_per_transaction, false},
	[PUSH_LOCKS_FAILED_SHARE] = {R64, failed_share, false},
	[PUSH_LOCKS_FAILED_SHARE_PATCHED] = {R64, failed_share_patched, false},
	[PUSH_RATIO] = {R64, push_ratio, false},
	[PULL_RATIO] = {R64, pull_ratio, false},
	[ATOMIC_PUSH_LOCK_RATIO] = {ATOMIC, push_lock_ratio, false},
};

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;

	(void)def;
	for (uint32_t i = 0; i < FIGURES; i++) {
		const struct from_pairs *f = &from_pairs[i];
		double pairs[CASE_SEEDS_MAX];

		if (!f->value)
			continue;
		for (uint32_t s = 0; s < nseeds; s++)
			pairs[s] = f->value(&m[2 * f->pair * nseeds + s],
					    &m[(2 * f->pair + 1) * nseeds + s]);
		x[i] = f->error ? 3 * stats_standard_error(pairs, nseeds) :
				  stats_mean(pairs, nseeds);
	}
	x[CHECKS_WORTH] = x[GAIN_WITHOUT_CHECKS] - x[THROUGHPUT_GAIN];
}

const struct case_def case_2015_rt_equal_prio_push = {
	.id = "2015-rt-equal-prio-push",
	.title = "real-time tasks of equal priority are pushed around a saturated machine (3.2 on)",
	.source = "\"[PATCH] sched-rt: Reduce excessive task push rate by not pushing tasks with "
		  "equal priority as the current task\", Tim Chen, linux-kernel, 22 January 2015",
	.kernels = {PLAIN_KERNEL, PLAIN_KERNEL PATCH, CHECKS, CHECKS PATCH},
	.cost_s = 20,
	.figures = figures,
	.nfigures = FIGURES,
	.runs = runs,
	.nruns = ROWS,
	.nseeds = 8,
	.middle = "means",
	.measured_bytes = sizeof(struct measured),
	.finish = finish,
	.judge = judge,
};
