/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wasted time: a CPU idles while a task that is allowed on it waits on another
 * CPU's queue. Summed over CPUs: two such CPUs for 1 ms waste 2 ms, however
 * many tasks wait.
 *
 *	struct wasted *w = wasted_create(m, &err);
 *
 *	give &w->sink every record of the run from the first on;
 *	wasted_total_ns(w, end_ns); wasted_free(w);
 *
 * Where the machine exists only after the first tasks were created, their records
 * are to be kept and handed on before any other.
 *
 * The machine is only read: where a task waits and which CPUs it may use are
 * looked up when its wait begins.
 */
#ifndef RUNQLAB_OBSERVE_WASTED_H
#define RUNQLAB_OBSERVE_WASTED_H

#include "base/err.h"
#include "model/machine.h"

struct wasted_cpu {
	uint32_t free_here;       /* unrestricted tasks waiting on this CPU's queue */
	uint32_t bound_elsewhere; /* restricted tasks allowed here that wait on other queues */
	bool idle;
};

struct wasted_task {
	const struct mask *allowed; /* of a waiting restricted task, as when its wait began */
	uint32_t cpu;               /* where it waits; CPU_NONE: it does not */
	bool held;                  /* it is queued, but a queue above it is throttled */
};

struct wasted {
	struct record_sink sink; /* first */
	const struct machine *m;
	struct wasted_cpu *cpu;   /* [cpu] */
	struct wasted_task *task; /* [id - 1] */

	uint32_t nidle;         /* CPUs that idle */
	uint32_t nidle_bound;   /* ... and have bound_elsewhere > 0 */
	uint64_t free_waiting;  /* unrestricted tasks that wait */
	uint32_t nfree_cpus;    /* CPUs with free_here > 0 */
	uint64_t free_cpus_sum; /* sum of their numbers: names the CPU when there is one */

	uint64_t last_ns; /* up to here the integral is done */
	uint64_t total_ns;
	uint64_t late_count;  /* records that were older than last_ns */
	uint64_t late_ns_max; /* by how much at most */
};

/* For M, whose CPUs are all idle before the first record. NULL and *E when memory runs out. */
struct wasted *wasted_create(const struct machine *m, struct rql_error *e);
void wasted_free(struct wasted *w);

/* CPUs that waste time now. O(1). */
uint32_t wasted_cpus(const struct wasted *w);

/* Wasted time from 0 to END_NS, the end of the run or any time after the last record. */
uint64_t wasted_total_ns(const struct wasted *w, uint64_t end_ns);

#endif
