/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question on several kernels, each with the same seeds: what differs from
 * the first kernel, and by how much.
 *
 *	struct compare c = {.scenario = &s, .nseeds = 5};
 *	if (!compare_execute(&c, &e)) ...
 *	line = compare_metric(&c, kernel, METRIC_ELAPSED_S);
 *	... compare_why() (experiment/compare_why.h) ...
 *	compare_free(&c);
 *
 * The scenario must be finished, have two kernels or more, and outlive it.
 * Seeds are the scenario's and those that follow it. What comes out does not
 * depend on how many simulations ran at once.
 */
#ifndef RUNQLAB_EXPERIMENT_COMPARE_H
#define RUNQLAB_EXPERIMENT_COMPARE_H

#include "experiment/runner.h"
#include "experiment/stats.h"
#include "model/domain.h"
#include "model/path.h"

#define COMPARE_SEEDS_MAX 200u
#define COMPARE_LEVELS_MAX 16u /* levels of domains; higher ones count with the last */

/* Machine totals; the names are those of the metrics and of /proc/schedstat. */
struct compare_counts {
	uint64_t yld_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	uint64_t context_switches, migrations, rq_lock_contended;
	uint64_t rt_push_locks, rt_push_lock_failed, rt_push_relocks, rt_pushes;
	uint64_t rt_pull_locks, rt_pulls;
	struct domain_stats level[COMPARE_LEVELS_MAX];
};

/* What is kept of one simulation: plain bytes, they come from another process. */
struct compare_sample {
	struct metric_value value[METRIC_COUNT];
	uint64_t fingerprint, events;
	uint64_t busy_ns; /* CPU time that was not idle */
	struct compare_counts counts;
	char level_name[COMPARE_LEVELS_MAX][16];
	uint32_t nnodes;
	bool approximate, rt_only; /* the kernel's profile is */
	struct path_node node[PATH_NODES_MAX];
};

struct compare {
	const struct scenario *scenario;
	uint32_t nseeds;
	uint32_t at_once; /* processes; 0: one a processor */
	bool audit;
	void (*progress)(void *arg, uint32_t ndone); /* ARG is this struct; NULL: nobody asks */
	struct compare_sample *samples;              /* filled by compare_execute() */
};

bool compare_execute(struct compare *c, struct rql_error *e);

/*
 * Simulate KERNEL of the scenario alone, into OUT[nseeds] of the caller; what is there of
 * samples stays.
 */
bool compare_execute_one(const struct compare *c, uint32_t kernel, struct compare_sample *out,
			 struct rql_error *e);

void compare_free(struct compare *c);

const struct compare_sample *compare_sample(const struct compare *c, uint32_t kernel,
					    uint32_t seed_idx);

/* A metric of each seed in X[nseeds]; STATS_NONE where the run does not define it. */
void compare_values(const struct compare *c, uint32_t kernel, enum metric_id id, double *x);

enum compare_verdict {
	COMPARE_SAME,   /* cannot be told apart from the first kernel */
	COMPARE_BETTER, /* by the metric's better direction */
	COMPARE_WORSE,
	COMPARE_DIFFERS, /* of a metric that has none */
	COMPARE_UNKNOWN, /* no seed defines it for both */
	COMPARE_VERDICTS,
};

struct compare_line {
	double first, mean;          /* means over the seeds: the first kernel's, this one's */
	struct stats_interval ratio; /* to the first kernel, see stats.h */
	enum compare_verdict verdict;
};

/* The same of values by hand: FIRST[n] and OTHER[n] of the same seeds. */
struct compare_line compare_line_of(enum metric_id id, const double *first, const double *other,
				    uint32_t n);

struct compare_line compare_metric(const struct compare *c, uint32_t kernel, enum metric_id id);

/* "same", "better" ...; COMPARE_UNKNOWN is "-". */
const char *compare_verdict_name(enum compare_verdict v);

/*
 * A gate: no kernel may be worse than the first by more than PERCENT. The mean
 * paired ratio decides; where there is none because of zeros, the ratio of the
 * means. What no run defines does not hold.
 */
struct compare_gate {
	enum metric_id metric; /* one with a better direction */
	uint32_t percent;
};

/* The metric NAME[0..n). */
bool compare_metric_parse(const char *name, size_t n, enum metric_id *out, struct rql_error *e);

/* METRIC=PERCENT% */
bool compare_gate_parse(const char *text, struct compare_gate *out, struct rql_error *e);
bool compare_gate_holds(const struct compare *c, const struct compare_gate *g, uint32_t kernel);

#endif
