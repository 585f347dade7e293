/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFS bandwidth control: a group may use a quota of CPU time in a period, all CPUs together.
 * Of each period the group's pool is filled; its queues take slices out of the pool as their
 * tasks run. A queue that needs some and gets none is throttled: its entity leaves the
 * parent's queue, with all that is below, until a timer has runtime for it.
 *
 * In use: set_cfs_bandwidth() gives a group its quota. From then on update_curr() calls
 * account_cfs_rq_runtime(), and a queue is throttled where its tasks stop being current or begin
 * to be queued: check_cfs_rq_runtime(), check_enqueue_throttle(). Groups without a quota and
 * kernels without CFS_BANDWIDTH pay one test.
 *
 * Unless said otherwise the queue's rq is locked.
 * Linux: kernel/sched/fair.c, functions of the same names, 5.4, 5.5 and 6.1.
 */
#ifndef RUNQLAB_SCHED_FAIR_BANDWIDTH_H
#define RUNQLAB_SCHED_FAIR_BANDWIDTH_H

#include "base/check.h"
#include "base/fixed.h"
#include "model/machine.h"

/* What a queue that runs empty keeps. Linux: min_cfs_rq_runtime. */
#define CFS_RQ_RUNTIME_KEPT_NS NS_PER_MS

/* TG, whose id is set, is made. */
void cfs_bandwidth_init(const struct machine *m, struct task_group *tg);

/* Is Q itself out of runtime? */
static inline bool cfs_rq_throttled(const struct cfs_rq *q)
{
	return q->bw.throttled;
}

/* ... or a queue above it? */
static inline bool throttled_hierarchy(const struct cfs_rq *q)
{
	return q->pelt.throttle_count > 0;
}

/* Would a task of TG stand still on either CPU? No lock. */
static inline bool throttled_lb_pair(const struct task_group *tg, uint32_t src_cpu,
				     uint32_t dst_cpu)
{
	return throttled_hierarchy(&tg->cfs_rq[src_cpu]) ||
	       throttled_hierarchy(&tg->cfs_rq[dst_cpu]);
}

void account_runtime(struct kctx *k, struct cfs_rq *q, uint64_t delta_ns);

/* Q's current entity ran for DELTA_NS. Reschedules if there is no more for it. */
static inline void account_cfs_rq_runtime(struct kctx *k, struct cfs_rq *q, uint64_t delta_ns)
{
	if (unlikely(q->bw.enabled))
		account_runtime(k, q, delta_ns);
}

bool throttle_if_out(struct kctx *k, struct cfs_rq *q);

/*
 * What Q runs is about to be put back, or to be compared with others: Q is throttled if it has
 * used its runtime up. True: it is throttled now, its entity has left the parent's queue.
 */
static inline bool check_cfs_rq_runtime(struct kctx *k, struct cfs_rq *q)
{
	if (likely(!q->bw.enabled || q->bw.remaining_ns > 0))
		return false;
	return throttle_if_out(k, q);
}

void throttle_at_enqueue(struct kctx *k, struct cfs_rq *q);

/* Q has got its first entity and nothing of it runs: it takes runtime, or is throttled. */
static inline void check_enqueue_throttle(struct kctx *k, struct cfs_rq *q)
{
	if (unlikely(q->bw.enabled))
		throttle_at_enqueue(k, q);
}

void return_runtime(struct kctx *k, struct cfs_rq *q);

/* An entity left Q: if it was the last, most of what is left goes back to the pool. */
static inline void return_cfs_rq_runtime(struct kctx *k, struct cfs_rq *q)
{
	if (unlikely(q->bw.enabled) && !q->nr_running)
		return_runtime(k, q);
}

/* An entity was put on Q or above it while that is throttled: list what is listed no more. */
void close_leaf_branch(struct entity *se);

/*
 * TG, not the root, may use QUOTA_NS (QUOTA_NONE: any amount) in each PERIOD_NS, both within
 * the bounds of model/bandwidth.h. Its pool is filled, what its queues had is gone, those
 * throttled go on, and the period timer runs from now on at multiples of the period since time
 * 0, with QUOTA_PHASE since a time of the group's own. A quota above the parent's is taken; the parent's holds. No lock.
 * Linux: core.c tg_set_cfs_bandwidth(), as by cgroup v2's cpu.max.
 */
void set_cfs_bandwidth(struct kctx *k, struct task_group *tg, uint64_t quota_ns,
		       uint64_t period_ns);

/*
 * TG, which has a quota, may save up to BURST_NS, at most the quota, for later periods; its pool is
 * filled once more. Kernels with CFS_BURST. No lock. Linux: core.c tg_set_cfs_burst(), 5.14 on.
 */
void set_cfs_burst(struct kctx *k, struct task_group *tg, uint64_t burst_ns);

/* A group was made below one that may be throttled. Linux: sync_throttle(). */
void sync_throttle(struct cfs_rq *q);

/*
 * TG's timers fired on this CPU; no lock. Behaviour: a period timer that is served more than
 * three times in one interrupt doubles period and quota, while that keeps the period below 1 s.
 */
void sched_cfs_period_timer(struct kctx *k, struct task_group *tg);
void sched_cfs_slack_timer(struct kctx *k, struct task_group *tg);

/*
 * Another CPU gave runtime to throttled queues of this one: they go on. No lock. Kernels with
 * ASYNC_UNTHROTTLE. Linux: __cfsb_csd_unthrottle(), 6.3 on.
 */
void cfsb_csd_unthrottle(struct kctx *k);

/* TG's pool, its list and its queues are sound; every rq is at rest. CHECK fails on a bug. */
void cfs_bandwidth_audit(const struct machine *m, const struct task_group *tg);

#endif
