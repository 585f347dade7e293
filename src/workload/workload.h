/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One workload of a run, however it was made: from the library by name
 * (workload/library.h) or from a file (import/rtapp.h). Whoever creates it
 * hands it to workload_destroy() after the run; text and behaviour live as
 * long as it does.
 */
#ifndef RUNQLAB_WORKLOAD_WORKLOAD_H
#define RUNQLAB_WORKLOAD_WORKLOAD_H

#include <stdint.h>

#include "model/behaviour.h"

#define WORKLOAD_START_ANY UINT32_MAX

struct workload {
	struct behaviour *behaviour;
	uint32_t start_cpu;      /* where task 0 starts; WORKLOAD_START_ANY: the run draws a CPU */
	const struct mask *cpus; /* what task 0 is confined to; NULL: all CPUs */
	uint64_t duration_ns;    /* the workload ends the run at this time; 0: it does not */
	bool fair_tasks;         /* it has tasks of policy OTHER, BATCH or IDLE, creators aside */
	char *text;              /* canonical: creates the same workload again */
	void (*destroy)(struct behaviour *b); /* ends the behaviour */
};

/* NULL is allowed. */
void workload_destroy(struct workload *w);

#endif
