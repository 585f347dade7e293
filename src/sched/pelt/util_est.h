/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Utilization that outlives a sleep. util_avg of a task decays while it sleeps, so
 * a task that wakes after a while looks small until it has run again. So each
 * task remembers what it used up to its last sleeps, and each CPU adds up what
 * its queued tasks remember.
 *
 * Order: util_est_enqueue() when a task is queued, util_est_dequeue() when it
 * leaves, util_est_update() when it leaves to sleep. When within the dequeue they
 * are called differs by version: 5.4 and 5.5 do both after the entities are
 * dequeued; 6.1 the second before and the third after; 6.12 both before.
 * Feature UTIL_EST. The rq's lock is held.
 */
#ifndef RUNQLAB_SCHED_PELT_UTIL_EST_H
#define RUNQLAB_SCHED_PELT_UTIL_EST_H

#include "model/machine.h"

/* How versions remember; kver.util_est. */
struct util_est_ops {
	const char *name;
	uint32_t flag; /* in enqueued: set when stored, cleared when a period has passed */
	/* What is remembered, flag included where it leaks. Linux: _task_util_est(). */
	uint32_t (*value)(const struct util_est *ue);
	/* A sleeping task used its util_avg. Linux: util_est_update(). */
	void (*update)(const struct kctx *k, struct sched_avg *sa, uint64_t capacity);
};

/* Last value and average, the flag is the lowest bit and counts as one unit; 5.4, 5.5. */
extern const struct util_est_ops util_est_low_flag;
/* The same, the flag is the highest bit; small changes of the last value are kept; 6.1. */
extern const struct util_est_ops util_est_high_flag;
/* One average, which rises at once; 6.12. It is kept in `enqueued`. */
extern const struct util_est_ops util_est_single;

/* Queue Q, the root's, gets P, loses P. Linux: util_est_enqueue(), util_est_dequeue(). */
void util_est_enqueue(const struct kctx *k, struct cfs_rq *q, const struct task *p);
void util_est_dequeue(const struct kctx *k, struct cfs_rq *q, const struct task *p);

/* P leaves Q, the root's, to sleep. Linux: util_est_update(). */
void util_est_update(const struct kctx *k, struct cfs_rq *q, struct task *p);

/* A period has passed: what is stored is not of this moment any more. Linux: cfs_se_util_change(). */
static inline void util_est_change(const struct kctx *k, struct sched_avg *sa)
{
	if (feat(k, FEAT_UTIL_EST))
		sa->util_est.enqueued &= ~k->v->util_est->flag;
}

/* What P will use: the greater of now and remembered. Linux: task_util_est(). */
uint64_t task_util_est(const struct kctx *k, const struct task *p);

/* Up to 6.1: what CPU's fair tasks use, at most its capacity. Linux: cpu_util(), cpu_util_cfs(). */
static inline uint64_t cpu_util(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t util = rq->cfs->avg.util_avg;

	if (feat(k, FEAT_UTIL_EST))
		util = max_u64(util, rq->cfs->avg.util_est.enqueued);
	return min_u64(util, rq->cpu_capacity_orig);
}

/* ... if P, which last was on CPU, were not there. Linux: cpu_util_without(), up to 6.1. */
uint64_t cpu_util_without(const struct kctx *k, uint32_t cpu, const struct task *p);

/* 6.12: what CPU's fair tasks would use with P on DST (CPU_NONE: nowhere). P may be NULL. */
struct util_question {
	uint32_t cpu, dst_cpu;
	const struct task *p;
	bool boost; /* waiting tasks count, too */
};

/* Linux: cpu_util(), 6.12. */
uint64_t cpu_util_if(const struct kctx *k, const struct util_question *question);

/* Linux: cpu_util_without(), 6.12. */
uint64_t cpu_util_if_without(const struct kctx *k, uint32_t cpu, const struct task *p);

#endif
