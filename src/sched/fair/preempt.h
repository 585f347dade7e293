/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wake-up preemption and the buddies that soften it. All calls need the rq's lock. */
#ifndef RUNQLAB_SCHED_FAIR_PREEMPT_H
#define RUNQLAB_SCHED_FAIR_PREEMPT_H

#include "model/machine.h"

struct fair_ops;

/*
 * -1: SE does not lead CURR; 0: it leads by no more than the granularity; 1: by more.
 * Both of one cfs_rq. Linux: wakeup_preempt_entity().
 */
int wakeup_preempt_entity(const struct kctx *k, const struct entity *curr, struct entity *se);

/*
 * P was queued on rq, whose current is a fair task: preempt it? Handles other
 * classes, the rest is the version's fair_ops. Linux: check_preempt_wakeup().
 */
void check_preempt_wakeup(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags);

/* SE is meant to run next, was preempted last: on its level and all above. */
void set_next_buddy(struct entity *se);
void set_last_buddy(struct entity *se);

/*
 * A task went, or is about to (TASK_SLEEPS), that kept SE's group busy; SE's queue goes on: what it
 * waits for may come from its group. With NEXT_BUDDY_ON_SLEEP. Linux: dequeue_task_fair().
 */
void mark_parent_as_next(const struct kctx *k, const struct entity *se, bool task_sleeps);

/* Forget SE as a buddy, at its level and all above. */
void clear_buddies(struct cfs_rq *cfs_rq, struct entity *se);

/* Walk both up until they queue on the same cfs_rq. */
void find_matching_se(struct entity **a, struct entity **b);

uint64_t wakeup_gran_fixed(const struct kctx *k, const struct entity *curr, struct entity *se);

/* The tick found CURR running. Linux: check_preempt_tick(). */
void check_preempt_tick(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *curr);

/* Granularity that follows the woken task's average run between wake-ups; before 2.6.35. */
extern const struct fair_ops fair_ops_adaptive;
/* A fixed granularity in the woken entity's virtual time; from 2.6.35. */
extern const struct fair_ops fair_ops_fixed_gran;
/* ... and a third buddy for yielding; next wins over last. From 2.6.39. */
extern const struct fair_ops fair_ops_skip_buddy;
/* ... and the running entity is a candidate without being put back. From 3.15, as of 5.4. */
extern const struct fair_ops fair_ops_with_curr;

/* pick_skip.c, what fair_ops_skip_buddy and its successors share: members of fair_ops. */
void clear_buddies_on_path(struct cfs_rq *cfs_rq, struct entity *se);
void check_preempt_next_buddy(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags);
void yield_with_skip(struct kctx *k, struct rq *rq);

#endif
