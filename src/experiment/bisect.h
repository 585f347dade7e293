/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which change between two kernels makes the difference in one metric.
 *
 *	struct bisect b = {.scenario = &s, .metric = METRIC_ELAPSED_S, .nseeds = 5};
 *	if (!bisect_execute(&b, &e)) ...
 *	if (b.differ) ... b.search.culprit, b.tried, b.why, b.parting ...
 *	bisect_free(&b);
 *
 * The scenario must be finished, have two kernels, the good one first, and
 * outlive it. Kernels are compared seed by seed, as in experiment/compare.h; what
 * comes out does not depend on how many simulations ran at once.
 */
#ifndef RUNQLAB_EXPERIMENT_BISECT_H
#define RUNQLAB_EXPERIMENT_BISECT_H

#include "experiment/bisect_search.h"
#include "experiment/compare_why.h"
#include "experiment/parting.h"

/* A kernel that was simulated. */
struct bisect_tried {
	char kernel[KVER_NAME_BYTES];
	struct compare_line to_good, to_bad; /* its ratio to either end */
	enum bisect_like like;               /* the end it is nearer to */
	bool between;                        /* it can be told apart from both ends */
	uint64_t fingerprint;                /* of the first seed */
	bool approximate, rt_only;           /* its profile is */
};

struct bisect {
	const struct scenario *scenario;
	enum metric_id metric;
	uint32_t nseeds;
	uint32_t at_once; /* processes; 0: one a processor */
	bool audit;
	void (*progress)(void *arg, const char *kernel); /* ARG is this struct; before each; NULL */

	struct bisect_plan plan;
	struct compare ends;      /* good and bad, for compare_why() */
	struct compare_line line; /* bad to good */
	bool differ;              /* they do; the rest is filled only then */
	struct bisect_search search;
	struct bisect_tried *tried; /* [search.njudged], in the order of search.judged */
	uint64_t events;            /* scheduler events of all these simulations */
	/* the kernel of search.adding but for the culprit itself: good, or good and what it needs */
	char without[KVER_NAME_BYTES];
	struct parting parting; /* of that and of search.adding's kernel, first seed */
};

/*
 * False with *E: nothing differs between the kernels, no run defines the
 * metric, or a simulation failed.
 */
bool bisect_execute(struct bisect *b, struct rql_error *e);
void bisect_free(struct bisect *b);

/* The simulated kernel in which SET is made or undone. */
const struct bisect_tried *bisect_tried_of(const struct bisect *b, const struct bisect_set *set);

/*
 * Is a kernel with the values X[n] of a metric nearer to GOOD[n] or to BAD[n]? By
 * the logarithm of the mean paired ratio; where one of these ratios is not
 * there, because of zeros, by the mean difference. As near to both: good.
 */
enum bisect_like bisect_nearer(const double *good, const double *bad, const double *x, uint32_t n);

#endif
