/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fairness: least over most CPU time of equal tasks; 1 is perfectly fair.
 *
 *	struct fairness *f = fairness_create(max_tasks, &err);
 *
 *	put &f->sink into the list of sinks before the first task is created;
 *	run; fairness_get(f, m, end_ns, &least_ns, &most_ns); fairness_free(f);
 *
 * Equal are tasks of one workload and group with the same policy, nice value,
 * priority and allowed CPUs, that
 *  - lived the whole run: created in its first tenth and not ended before its last;
 *  - wanted about the same: CPU time and time spent waiting for a CPU add up to at
 *    least half of the most any of them has. So a main thread that sleeps while its
 *    children compute is not compared with them, but a starved task is.
 * Attributes are those at the end of the run. Where a run has several sets of
 * equal tasks, the least fair one counts.
 */
#ifndef RUNQLAB_OBSERVE_FAIRNESS_H
#define RUNQLAB_OBSERVE_FAIRNESS_H

#include "base/err.h"
#include "model/machine.h"

struct fairness_task {
	uint64_t born_ns, died_ns; /* TIME_NEVER: not yet */
};

struct fairness_class {
	uint64_t demand_ns_max; /* CPU time and wait of whoever wanted most */
	uint64_t least_ns, most_ns;
	uint32_t first; /* index of a task of the class */
	uint32_t count; /* tasks compared */
};

struct fairness {
	struct record_sink sink; /* first */
	uint32_t max_tasks;
	struct fairness_task *task;   /* [id - 1] */
	struct fairness_class *class; /* room for one per task */
};

/* For task ids 1..MAX_TASKS. NULL and *E when memory runs out. */
struct fairness *fairness_create(uint32_t max_tasks, struct rql_error *e);
void fairness_free(struct fairness *f);

/*
 * CPU time of the least and the most favoured task of M's least fair set, the
 * run having ended at END_NS. False if no two tasks are equal. Tasks times
 * sets in the worst case, tasks as a rule.
 */
bool fairness_get(struct fairness *f, const struct machine *m, uint64_t end_ns, uint64_t *least_ns,
		  uint64_t *most_ns);

#endif
