/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cyclictest (of rt-tests) as a behaviour: threads that sleep until a time and
 * measure how late they run.
 *
 * cyclictest_create(), hand it to the engine, look at ops->report at any time,
 * cyclictest_destroy() after the run. All memory is allocated by
 * cyclictest_create(): 96 bytes a thread, 8 a bucket of each thread, and with
 * affinity a mask for each CPU used.
 */
#ifndef RUNQLAB_WORKLOAD_CYCLICTEST_H
#define RUNQLAB_WORKLOAD_CYCLICTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/behaviour.h"

#define CYCLICTEST_BUCKETS_MAX 16777216u /* over all threads */
#define CYCLICTEST_BUCKET_NS 1000u

struct cyclictest_params {
	uint32_t threads; /* at least 1; the main thread comes on top */
	uint64_t interval_ns;
	uint64_t distance_ns; /* how much longer the interval of each thread is than of the one before */
	uint32_t loops;       /* the run ends soon after a thread has done so many; 0: never */
	uint32_t buckets; /* of 1 us, of each thread's histogram; 0: none */
	bool affinity;    /* thread i is confined to CPU i of CPUS, begun again at the end */
	bool smp;         /* all threads have the same priority */
	enum sched_policy policy; /* NORMAL, FIFO or RR */
	int32_t rt_priority;      /* of the first thread; 1..99 for FIFO and RR, else 0 */
	int32_t nice;
	struct mask *cpus; /* from malloc(), taken over when it is made; NULL: all */
	uint32_t ncpus;    /* of the machine */
};

/* NULL when memory is out. threads * buckets must not exceed CYCLICTEST_BUCKETS_MAX. */
struct behaviour *cyclictest_create(const struct cyclictest_params *p);
/* NULL is allowed. */
void cyclictest_destroy(struct behaviour *b);

#endif
