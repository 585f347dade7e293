/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What balancing and placing add up over the CPUs of a group (kernels with PELT), kept so that
 * a group need not be gone through. sched/select/cpu_sums.h keeps it.
 */
#ifndef RUNQLAB_MODEL_CPU_SUMS_H
#define RUNQLAB_MODEL_CPU_SUMS_H

#include <stdint.h>

/* Of one CPU, or of several together: 4,096 of 1,024 each are far below 2^32. */
struct cpu_sums {
	uint64_t load_avg, runnable_avg; /* of the root cfs_rq */
	uint64_t missing_cap;            /* of its capacity, what is not left for fair tasks */
	uint32_t util;                   /* cpu_util(): at most the CPU's capacity */
	uint32_t nr_running;
	uint32_t h_nr_running; /* ... of the fair class */
	uint16_t idle_cpus;    /* nothing runs, is queued or about to be */
	uint16_t crowded_cpus; /* CPUs with more than one task */
};

/* Sets of CPUs a CPU can be counted in; what goes beyond is summed up when it is needed. */
#define CPU_SETS_MAX 7

struct cpu_share {
	struct cpu_sums now; /* as it was when the CPU was last looked at */
	uint32_t nsets;
	uint32_t set[CPU_SETS_MAX]; /* indices into machine.set_sums */
};

#endif
