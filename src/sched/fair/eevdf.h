/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EEVDF, the fair class of 6.6 on: every entity has a lag, what it should have run less what it
 * did. One that has run no more than its part is eligible, and of the eligible ones the one with
 * the earliest virtual deadline runs. eevdf.c has the virtual time of one queue, eevdf_queue.c
 * what is done with tasks on all levels.
 *
 * All calls need the lock of the queue's rq.
 * Linux: kernel/sched/fair.c, functions of the same names, 6.12.
 */
#ifndef RUNQLAB_SCHED_FAIR_EEVDF_H
#define RUNQLAB_SCHED_FAIR_EEVDF_H

#include "model/machine.h"

struct fair_ops;
struct group_weights;

/* What a task may ask for as a slice, ns. */
#define CUSTOM_SLICE_NS_MIN UINT64_C(100000)
#define CUSTOM_SLICE_NS_MAX UINT64_C(100000000)

/* Does A have an earlier virtual deadline than B? */
static inline bool deadline_before(const struct entity *a, const struct entity *b)
{
	return (int64_t)(a->deadline_vns - b->deadline_vns) < 0;
}

/*
 * V, the mean vruntime of Q's entities by weight, rounded down; of a queue without any its zero.
 * The zero moves to V: sums of products stay small. Only differences of vruntimes mean anything.
 */
uint64_t avg_vruntime(const struct kctx *k, struct cfs_rq *q);

/* Has SE, of Q, run no more than its part? Exact, unlike a comparison with V. */
bool entity_eligible(const struct kctx *k, const struct cfs_rq *q, const struct entity *se);

/*
 * se->vlag_vns becomes V - vruntime, within two slices or a tick, whichever is longer, of SE's own
 * virtual time.
 */
void update_entity_lag(const struct kctx *k, struct cfs_rq *q, struct entity *se);

/* May SE, current, run until its deadline whoever comes? */
static inline bool slice_protected(const struct entity *se)
{
	return se->vlag_vns == (int64_t)se->deadline_vns;
}

/* The shortest slice of those queued on Q, its current entity included; UINT64_MAX: none is. O(1). */
uint64_t cfs_rq_min_slice(const struct cfs_rq *q);

/* SE, which stays queued, gets SLICE_NS: what is known of subtrees follows. */
void eevdf_set_slice(struct cfs_rq *q, struct entity *se, uint64_t slice_ns);

/*
 * SE, of a task that is not queued, asks for SLICE_NS, brought within the bounds; 0: for nothing
 * of its own. Linux: __setparam_fair().
 */
void set_custom_slice(const struct kctx *k, struct entity *se, uint64_t slice_ns);

/* As fair_ops.place. */
void eevdf_place(struct kctx *k, struct cfs_rq *q, struct entity *se, uint32_t flags);

/* Members of fair_ops: put SE in the tree, take it out. */
void eevdf_insert(const struct kctx *k, struct cfs_rq *q, struct entity *se);
void eevdf_erase(const struct kctx *k, struct cfs_rq *q, struct entity *se);

/* The entity of Q, which has some, that is to run; it may be one that sleeps. */
struct entity *eevdf_pick_entity(struct kctx *k, struct cfs_rq *q);

/*
 * SE gets other weights: its lag, not its vruntime, means something then.
 * Linux: reweight_entity(), reweight_eevdf().
 */
void eevdf_reweight(struct kctx *k, struct entity *se, const struct group_weights *w);

/* The sums and trees of Q are what its entities make them. CHECK fails on a bug. */
void eevdf_audit(const struct machine *m, const struct cfs_rq *q);

/* -- eevdf_queue.c -- */

/* Members of fair_ops. */
void enqueue_task_eevdf(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
void dequeue_task_eevdf(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
struct task *pick_task_eevdf(struct kctx *k, struct rq *rq);

/* SE is to leave Q; true if it stays, delayed. FLAGS: DEQUEUE_*. */
bool delay_dequeue(struct kctx *k, struct cfs_rq *q, struct entity *se, uint32_t flags);

/* SE, which slept on its queue, has left it. Linux: finish_delayed_dequeue_entity(). */
void finish_delayed_dequeue_entity(const struct kctx *k, struct entity *se);

/* From 6.6, as of 6.12. */
extern const struct fair_ops fair_ops_eevdf;

#endif
