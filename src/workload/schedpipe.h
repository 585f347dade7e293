/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf bench sched pipe as a behaviour: two tasks pass an int back and forth
 * over two pipes. docs/WORKLOADS.md says what it stands for.
 *
 * schedpipe_create(), hand it to the engine, schedpipe_destroy() after the run. All memory is
 * allocated by schedpipe_create(): some hundred bytes.
 */
#ifndef RUNQLAB_WORKLOAD_SCHEDPIPE_H
#define RUNQLAB_WORKLOAD_SCHEDPIPE_H

#include <stdint.h>

#include "model/behaviour.h"

#define SCHEDPIPE_ANY_CPU UINT32_MAX

struct schedpipe_params {
	uint32_t loops;          /* messages each way; at least 1 */
	bool threads;            /* two threads that main joins; else a child and main itself */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	/* who writes first and who answers confine themselves to it; SCHEDPIPE_ANY_CPU: they do not */
	uint32_t cpu[2];
	uint32_t ncpus; /* of the machine */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *schedpipe_create(const struct schedpipe_params *p);
/* NULL is allowed. */
void schedpipe_destroy(struct behaviour *b);

#endif
