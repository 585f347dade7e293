/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dbench as a behaviour: clients of a file system with a journal.
 * docs/WORKLOADS.md says what it stands for.
 *
 * dbench_create(), hand it to the engine, dbench_destroy() after the run. All memory is
 * allocated by dbench_create(): 64 bytes a client.
 */
#ifndef RUNQLAB_WORKLOAD_DBENCH_H
#define RUNQLAB_WORKLOAD_DBENCH_H

#include <stdint.h>

#include "model/behaviour.h"

#define DBENCH_CLIENTS_MAX 999998u

struct dbench_params {
	uint32_t clients; /* 1 to DBENCH_CLIENTS_MAX */
	uint64_t disk_ns; /* mean wait of a journal commit for its disk, exponential */
	uint64_t journal_ns; /* work under the journal's spinlock, twice an operation that changes metadata */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *dbench_create(const struct dbench_params *p);
/* NULL is allowed. */
void dbench_destroy(struct behaviour *b);

#endif
