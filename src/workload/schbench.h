/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schbench as a behaviour: workers that compute, post a message thread and wait for
 * its answer, and how late they run after it. docs/WORKLOADS.md says what it stands for.
 *
 * schbench_create(), hand it to the engine, schbench_destroy() after the run. All
 * memory is allocated by schbench_create(): 80 bytes a task and 8 a bucket.
 */
#ifndef RUNQLAB_WORKLOAD_SCHBENCH_H
#define RUNQLAB_WORKLOAD_SCHBENCH_H

#include <stdint.h>

#include "model/behaviour.h"

#define SCHBENCH_TASKS_MAX 1000000u /* message threads and workers */
#define SCHBENCH_BUCKET_NS 1000u

struct schbench_params {
	uint32_t messengers; /* message threads; at least 1 */
	uint32_t workers;    /* of each; at least 1 */
	uint64_t sleep_ns;   /* of a message thread before it answers, and up to a quarter more */
	uint64_t cpu_ns;     /* a worker busy-waits so long before each message */
	uint64_t runtime_ns; /* 0: endless */
	uint32_t buckets;    /* of 1 us, of the histogram; 0: none */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *schbench_create(const struct schbench_params *p);
/* NULL is allowed. */
void schbench_destroy(struct behaviour *b);

#endif
