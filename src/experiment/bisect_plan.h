/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way from a good kernel to a bad one, in steps. What differs between the
 * two is a list of changes: deltas, and whatever the texts set beside them. A
 * step is one change; several where none of them is possible without the others.
 *
 *	struct bisect_plan p;
 *	if (!bisect_plan_make(&p, "3.3", "3.4-rc2", &e)) ...
 *	as_bad[0 .. p.nsteps-1]: which steps are as in the bad kernel
 *	bisect_plan_kernel(&p, as_bad, text)
 *
 * All false is the good kernel, all true the bad one, and steps 0 .. i-1 alone
 * make a possible kernel for every i. Plain bytes; nothing is to be freed.
 */
#ifndef RUNQLAB_EXPERIMENT_BISECT_PLAN_H
#define RUNQLAB_EXPERIMENT_BISECT_PLAN_H

#include "kver/kver.h"

#define BISECT_STEPS_MAX 512u

enum bisect_kind {
	BISECT_DELTA, /* id: index of the delta table */
	BISECT_FEATURE,
	BISECT_TUNABLE,
	BISECT_HZ,
	BISECT_PREEMPT,
};

struct bisect_change {
	enum bisect_kind kind;
	uint32_t id;
	uint32_t step; /* made with it */
};

struct bisect_plan {
	char text[2][KVER_NAME_BYTES]; /* good's and bad's as given */
	struct kver_parts good, bad;
	bool bad_is_newer; /* it has the last of the deltas that differ */
	struct bisect_change change[BISECT_STEPS_MAX];
	uint32_t nchanges;
	uint32_t nsteps;
};

_Static_assert(128 + FEATURE_COUNT + TUNABLE_COUNT + 2 <= BISECT_STEPS_MAX,
	       "all changes have room");

/* False and *E: one of the texts is wrong, or nothing differs between them. */
bool bisect_plan_make(struct bisect_plan *p, const char *good, const char *bad,
		      struct rql_error *e);

/*
 * The kernel whose steps are as AS_BAD[nsteps] says, as a text over the
 * version that needs the fewest deltas: the good one's, the bad one's or an
 * exact one. False: there is no such kernel, because a delta would lack what it
 * needs, meet what it excludes, or a feature be set that is not there.
 */
bool bisect_plan_kernel(const struct bisect_plan *p, const bool *as_bad,
			char text[KVER_NAME_BYTES]);

/*
 * What CHANGE does on the way from good to bad, as items of a KERNEL text:
 * "+lb-rq-list", "-stale-h-load", "hz=250"; "(hz)" for one that bad leaves to its version.
 */
#define BISECT_ITEM_BYTES 96
void bisect_plan_item(const struct bisect_plan *p, const struct bisect_change *change,
		      char out[BISECT_ITEM_BYTES]);

/* The delta of a change, or NULL. */
const struct kver_delta *bisect_plan_delta(const struct bisect_change *change);

/*
 * Put N changes, in the order in which they would best be made, into steps:
 * STEP_OF[i] is that of change i. POSSIBLE says whether exactly those of
 * MADE[n] can be; nothing and all must be possible. Each step is the first run
 * of as few as possible of the changes left. Returns the number of steps.
 */
typedef bool bisect_possible(void *arg, const bool *made);
uint32_t bisect_plan_order(uint32_t n, bisect_possible *possible, void *arg, uint32_t *step_of);

#endif
