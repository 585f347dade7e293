/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-up latency: from a wake-up of a task to the moment it gets a CPU.
 *
 *	struct latency *l = latency_create(max_tasks, &err);
 *
 *	put &l->sink into the list of sinks; run;
 *	latency_quantile(l, 990000), latency_max(l) ...
 *	latency_free(l);
 */
#ifndef RUNQLAB_OBSERVE_LATENCY_H
#define RUNQLAB_OBSERVE_LATENCY_H

#include "base/err.h"
#include "model/record.h"
#include "observe/histogram.h"

struct latency_task {
	uint64_t woken_ns; /* TIME_NEVER: no wake-up waits to be served */
	bool running;
};

struct machine;

struct latency {
	struct record_sink sink; /* first */
	uint32_t max_tasks;
	const struct machine *m;   /* NULL: all tasks count */
	uint32_t rt_priority;      /* else only those of this rt_priority */
	struct latency_task *task; /* [id - 1] */
	struct histogram hist;     /* [ns] */
};

/* For task ids 1..MAX_TASKS. NULL and *E when memory runs out. */
struct latency *latency_create(uint32_t max_tasks, struct rql_error *e);
/* From now on only tasks of M with RT_PRIORITY count, as they are when they get their CPU. */
void latency_restrict(struct latency *l, const struct machine *m, uint32_t rt_priority);
void latency_free(struct latency *l);

/* Number of wake-ups that were served. */
uint64_t latency_count(const struct latency *l);
/* As histogram_quantile(), in ns. */
uint64_t latency_quantile_ns(const struct latency *l, uint32_t ppm);
uint64_t latency_max_ns(const struct latency *l);

#endif
