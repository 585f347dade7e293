/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A parallel build as a behaviour: make keeps so many chains of sh, gcc, cc1 and as
 * running. docs/WORKLOADS.md says what it stands for.
 *
 * kbuild_create(), hand it to the engine, kbuild_destroy() after the run. All memory is
 * allocated by kbuild_create(): about 500 bytes a file.
 */
#ifndef RUNQLAB_WORKLOAD_KBUILD_H
#define RUNQLAB_WORKLOAD_KBUILD_H

#include <stdint.h>

#include "model/behaviour.h"

#define KBUILD_PROCESSES_OF_FILE 5u
#define KBUILD_TASKS_MAX 1000000u /* 1 + 5 x files */

struct kbuild_params {
	uint32_t jobs;           /* files compiled at a time; at least 1 */
	uint32_t files;          /* at least 1 */
	uint64_t cc_ns;          /* mean CPU time of the compiler proper; long-tailed */
	uint64_t io_ns;          /* mean wait for a file's sources, exponential; 0: none */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *kbuild_create(const struct kbuild_params *p);
/* NULL is allowed. */
void kbuild_destroy(struct behaviour *b);

#endif
