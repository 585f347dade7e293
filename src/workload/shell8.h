/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UnixBench's shell scripts as a behaviour: copies of a script that makes
 * short processes, all at once, again and again. docs/WORKLOADS.md says what
 * it stands for.
 *
 * shell8_create(), hand it to the engine, shell8_destroy() after the run. All memory is
 * allocated by shell8_create(): about 100 bytes a process.
 */
#ifndef RUNQLAB_WORKLOAD_SHELL8_H
#define RUNQLAB_WORKLOAD_SHELL8_H

#include <stdint.h>

#include "model/behaviour.h"

#define SHELL8_COPIES_MAX 1000u
#define SHELL8_PROCESSES_OF_COPY 8u
#define SHELL8_TESTS_MAX 1000u
#define SHELL8_TASKS_MAX 1000000u /* above tests x (1 + iterations x (1 + 8 x copies)) */

struct shell8_params {
	uint32_t copies;         /* of the script, at a time; 1 to SHELL8_COPIES_MAX */
	uint32_t iterations;     /* of the group, in each test; at least 1 */
	uint32_t tests;          /* that run at once; 1 to SHELL8_TESTS_MAX */
	uint64_t work_ns;        /* of a program beside its start; varies by a quarter */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *shell8_create(const struct shell8_params *p);
/* NULL is allowed. */
void shell8_destroy(struct behaviour *b);

#endif
