/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A checker of a whole run, from its records alone: who ran where and when must
 * make sense, whatever the scheduler thought.
 *
 *	struct audit_time *a = audit_time_create(m->ncpus, m->max_tasks, &err);
 *
 *	put &a->sink into the list of sinks before the first task is created; run;
 *	audit_time_finish(a, end_ns);
 *	const char *bad = audit_time_violation(a);	NULL: all is well
 *	audit_time_free(a);
 */
#ifndef RUNQLAB_OBSERVE_AUDIT_TIME_H
#define RUNQLAB_OBSERVE_AUDIT_TIME_H

#include "base/err.h"
#include "model/record.h"

struct audit_cpu {
	uint64_t current;  /* task that runs; 0: idle task or stopper */
	uint64_t since_ns; /* since when */
	uint64_t last_ns;  /* of its last record */
	uint64_t run_ns;   /* sum of the finished runs of tasks */
};

struct audit_task {
	bool born, dead;
	bool leaving;      /* it left its CPU for the last time; only its end may follow, */
	bool asleep;       /* blocked and not woken since */
	bool waiting;      /* queued and not running */
	bool woken_on_cpu; /* ... or a wait if it blocked and was woken while it had its CPU */
	uint32_t cpu;      /* where it runs; CPU_NONE: nowhere */
	uint64_t born_ns;
	uint64_t run_ns;
};

struct audit_time {
	struct record_sink sink; /* first */
	uint32_t ncpus, max_tasks;
	struct audit_cpu *cpu;   /* [cpu] */
	struct audit_task *task; /* [id - 1] */
	uint64_t nrecords;
	/* Longest section of kernel code: 1 ms; set more where a kernel's balancing takes longer. */
	uint64_t slack_ns;
	/*
	 * Set it for kernels that leave a queue's clock alone while a reschedule is
	 * due: what runs in the kernel until then is accounted to who runs next.
	 */
	bool clock_may_stand;
	bool failed;
	char violation[256];
};

/* For CPUs 0..NCPUS-1, all idle, and task ids 1..MAX_TASKS. NULL and *E when memory runs out. */
struct audit_time *audit_time_create(uint32_t ncpus, uint32_t max_tasks, struct rql_error *e);
void audit_time_free(struct audit_time *a);

/* The run ended at END_NS: check the sums. Call once, after the last record. */
void audit_time_finish(struct audit_time *a, uint64_t end_ns);

/* The first violation as one line with time, CPU and record, or NULL. Valid until freed. */
const char *audit_time_violation(const struct audit_time *a);

#endif
