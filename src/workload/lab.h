/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program with which the figures of tests/truth were recorded, as a behaviour: a
 * monitor forks one or two processes, each of which creates its threads; these compute
 * for ever, or for a time in each period. docs/WORKLOADS.md says what it does.
 *
 * lab_create(), hand it to the engine, lab_destroy() after the run. All memory is allocated by
 * lab_create(): 64 bytes a thread.
 */
#ifndef RUNQLAB_WORKLOAD_LAB_H
#define RUNQLAB_WORKLOAD_LAB_H

#include <stdint.h>

#include "model/behaviour.h"

#define LAB_PROCESSES 2u
#define LAB_ANY_CPU UINT32_MAX
#define LAB_MONITOR_TASK 0u
/* Process I is task 1 + I, and the threads of the first come after both. */
#define LAB_FIRST_THREAD (1u + LAB_PROCESSES)

/* One process and its threads, which set all of this for themselves once they run. */
struct lab_process {
	uint32_t threads; /* 0: there is no such process */
	int32_t nice;
	uint32_t cpu;    /* they are confined to it, or LAB_ANY_CPU */
	uint32_t group;  /* the run's task group number GROUP, counted from 1; 0: the workload's */
	int32_t rt_prio; /* SCHED_FIFO at this rt_priority, run RUN_NS every PERIOD_NS; 0: compute */
	uint64_t run_ns, period_ns;
};

struct lab_params {
	struct lab_process process[LAB_PROCESSES];
	uint64_t monitor_ns; /* it looks every so often; 0: never */
	uint64_t look_ns;    /* CPU time of a look, in the kernel */
	uint64_t delay_ns;   /* it begins after a time drawn from 0 to this */
	uint64_t first_ns;   /* a process works so long before its first thread */
	uint64_t held_ns;  /* a process holds its memory's lock so long after each thread it made */
	bool frees;        /* a look leaves something for RCU to free at its end */
	int32_t nice;      /* of monitor and processes */
	struct mask *cpus; /* of all, from malloc(), taken over when made; NULL: all CPUs */
	uint32_t ncpus;    /* of the machine */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *lab_create(const struct lab_params *p);
/* NULL is allowed. */
void lab_destroy(struct behaviour *b);

#endif
