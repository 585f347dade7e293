/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the workloads of a run say of themselves: the real-time and deadline
 * policies their tasks take, and what they measured.
 *
 *	struct work_report w;
 *	if (!work_report_collect(&w, run, e)) ...
 *	... w.policy[i], w.row[i] ...
 *	work_report_free(&w);
 *
 * The rows are as they stand at the call; histograms belong to the run.
 */
#ifndef RUNQLAB_EXPERIMENT_WORK_REPORT_H
#define RUNQLAB_EXPERIMENT_WORK_REPORT_H

#include "experiment/runner.h"

/* A set of policy and parameters that tasks of a workload have at some time; FIFO, RR or DEADLINE. */
struct work_policy {
	uint32_t work; /* which of the scenario's */
	struct task_attr attr;
};

/* Where a row comes from. */
struct work_row {
	uint32_t work;
	uint32_t index; /* among the rows of its workload */
	uint32_t tid;   /* its task's id; 0: the task was never created */
};

struct work_report {
	struct work_policy *policy;
	uint32_t npolicies;
	struct behaviour_report *row;
	struct work_row *from; /* [nrows] */
	uint32_t nrows;
	bool has_histogram; /* some row has */
};

/* By work, then in the order of the workload. False and *E when memory is out. */
bool work_report_collect(struct work_report *w, const struct run *r, struct rql_error *e);
/* Harmless on a zeroed one. */
void work_report_free(struct work_report *w);

/* "SCHED_FIFO" ... */
const char *policy_name(enum sched_policy policy);

/*
 * The kernel's priority of a task with the policy of ATTR, FIFO, RR or DEADLINE; the least goes
 * first. Linux: include/linux/sched/prio.h: MAX_RT_PRIO - 1 - rt_priority; -1 for deadline tasks.
 */
int32_t policy_prio(const struct task_attr *attr);

#endif
