/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run queue of a task, and two run queues at once. */
#ifndef RUNQLAB_SCHED_RQ_LOCK_H
#define RUNQLAB_SCHED_RQ_LOCK_H

#include "sched/port.h"

/* Lock the rq P is on, however it moves meanwhile, or the one it is on its way to once it is there. Linux: task_rq_lock(). */
struct rq *task_rq_lock(struct kctx *k, struct task *p);

/* Lock both, the lower CPU's first; A and B may be the same. */
void double_rq_lock(struct kctx *k, struct rq *a, struct rq *b);
void double_rq_unlock(struct kctx *k, struct rq *a, struct rq *b);

/*
 * THIS_RQ is locked; lock OTHER too. True if THIS_RQ was let go meanwhile.
 * Linux: double_lock_balance().
 */
bool double_lock_balance(struct kctx *k, struct rq *this_rq, struct rq *other);

#endif
