/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of N steps makes a good thing bad. Knows nothing of kernels: what is
 * judged is a state, one truth value a step, true where it is as in the bad end.
 *
 *	struct bisect_search s = {.nsteps = n, .possible = ..., .judge = ..., .arg = ...};
 *	if (!bisect_search_run(&s, &e)) ...
 *	... s.culprit, s.adding, s.removing, s.njudged ...
 *
 * The prefixes must be possible: steps 0 .. i-1, for every i. Where a single
 * step is guilty, at most ceil(log2 N) + 4 states are judged, both ends included.
 */
#ifndef RUNQLAB_EXPERIMENT_BISECT_SEARCH_H
#define RUNQLAB_EXPERIMENT_BISECT_SEARCH_H

#include "experiment/bisect_plan.h"

/* Steps that act together: more are not looked for. */
#define BISECT_SET_MAX 8u
/* Judged states of which the answer is remembered. */
#define BISECT_JUDGED_MAX 256u

enum bisect_like {
	BISECT_LIKE_GOOD,
	BISECT_LIKE_BAD,
};

/* Some steps, and the state in which they alone are made or undone. */
struct bisect_set {
	uint32_t step[BISECT_SET_MAX]; /* in the order in which they were found */
	uint32_t nsteps;
	bool as_bad[BISECT_STEPS_MAX]; /* with what they need, or what needs them */
	enum bisect_like like;         /* what that state is */
};

struct bisect_judged {
	bool as_bad[BISECT_STEPS_MAX];
	enum bisect_like like;
};

struct bisect_search {
	uint32_t nsteps;
	void *arg;
	bool (*possible)(void *arg, const bool *as_bad);
	/* False with *E: it cannot be judged; the search ends. */
	bool (*judge)(void *arg, const bool *as_bad, enum bisect_like *out, struct rql_error *e);

	uint32_t culprit;           /* where the prefixes turn bad */
	struct bisect_set adding;   /* made in the good end; enough when like bad */
	struct bisect_set removing; /* undone in the bad end; enough when like good */
	struct bisect_judged judged[BISECT_JUDGED_MAX]; /* the good and the bad end first */
	uint32_t njudged;
};

/*
 * Find them. The ends are not judged but taken as good and bad. False with *E
 * when a judge failed. ADDING or REMOVING may be not enough when more than
 * BISECT_SET_MAX steps act together.
 */
bool bisect_search_run(struct bisect_search *s, struct rql_error *e);

/* Are A and B the same state? */
bool bisect_search_same(const struct bisect_search *s, const bool *a, const bool *b);

#endif
