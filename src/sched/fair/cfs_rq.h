/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One level of the fair class: a cfs_rq with its timeline and its accounting.
 * All calls need the lock of the rq it belongs to.
 */
#ifndef RUNQLAB_SCHED_FAIR_CFS_RQ_H
#define RUNQLAB_SCHED_FAIR_CFS_RQ_H

#include "model/machine.h"

static inline bool entity_before(const struct entity *a, const struct entity *b)
{
	return (int64_t)(a->vruntime_vns - b->vruntime_vns) < 0;
}

/* Entity that has run least of those waiting; NULL if none waits. O(1). */
static inline struct entity *cfs_rq_leftmost(const struct cfs_rq *cfs_rq)
{
	struct rb_node *n = cfs_rq->timeline.leftmost;

	return n ? container_of(n, struct entity, node) : NULL;
}

/* Entity that has run most of those waiting; NULL if none waits. O(log n). */
struct entity *cfs_rq_rightmost(const struct cfs_rq *cfs_rq);

void cfs_rq_init(struct cfs_rq *cfs_rq, struct rq *rq, struct task_group *tg);

/* Put SE in the tree, behind all of equal vruntime. Linux: __enqueue_entity(). */
void timeline_insert(struct cfs_rq *cfs_rq, struct entity *se);
/* Linux: __dequeue_entity(). */
void timeline_erase(struct cfs_rq *cfs_rq, struct entity *se);
/* The same as members of fair_ops. */
void insert_by_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);
void erase_by_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);

/* Move min_vruntime up to the least of current and leftmost, never back. */
void update_min_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq);

/*
 * Book the time since exec_start on the level's current entity, if it has one.
 * Linux: sched_fair.c update_curr().
 */
void update_curr(struct kctx *k, struct cfs_rq *cfs_rq);

/* Nanoseconds SE may run before the tick preempts it. Linux: sched_slice(). */
uint64_t sched_slice(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);

/* Give SE its vruntime as it joins. INITIAL: by fork. Linux: place_entity(). */
void place_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, bool initial);

/* Count SE in or out of cfs_rq (and rq) without touching the tree. */
void account_entity_enqueue(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);
void account_entity_dequeue(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se);

/* FLAGS: ENQUEUE_*, DEQUEUE_* of class.h. */
void enqueue_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags);
/* False: it stays queued, delayed (fair/eevdf_queue.c). */
bool dequeue_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags);

#endif
