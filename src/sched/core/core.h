/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of core/ share among themselves; sched.h is what others see. */
#ifndef RUNQLAB_SCHED_CORE_CORE_H
#define RUNQLAB_SCHED_CORE_CORE_H

#include "sched/class.h"
#include "sched/rq_lock.h"
#include "sched/sched.h"

/* Lock the rq of K's own CPU. */
static inline struct rq *this_rq_lock(struct kctx *k)
{
	rq_lock(k, &k->cpu->rq);
	return &k->cpu->rq;
}

/* activate_task() and deactivate_task() without the count of rq->nr_running. [rq] */
void enqueue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
void dequeue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);

/* As set_task_cpu(), for a task that never ran. */
void set_first_cpu(struct kctx *k, struct task *p, uint32_t cpu);

/* The class's choice, made valid: allowed and online. Linux: select_task_rq(). */
uint32_t select_task_rq(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags);

/* Have the stopper of P's CPU move it to DEST. No rq locked. */
void push_task_to(struct kctx *k, struct task *p, uint32_t dest);

/*
 * A wake-up that puts its task on CPU. COUNTED keeps ttwu_count and ttwu_local: the
 * target's rq in 2.6.3x, the waker's from 2.6.39 on. Linux: ttwu_stat(), 2.6.39 to 3.4;
 * part of try_to_wake_up() before.
 */
void count_wakeup(struct kctx *k, struct rq *counted, uint32_t cpu);

/*
 * What was left in rq->callbacks while RQ, this CPU's, was locked. It is not locked now, and may be
 * unlocked meanwhile. Linux: balance_callback(), 4.2 on. Deviation: pushes come before pulls; the
 * kernel does first what was left last, which is that.
 */
void balance_callback(struct kctx *k, struct rq *rq);

/* RQ was idle until now, as far as a wake-up can tell: keep the average. [rq] */
void update_avg_idle(struct kctx *k, struct rq *rq);

/* Others are asked, PREV is put back, the classes are asked from the top; up to 4.0. */
extern const struct pick_ops pick_ops_after_put;
/* Classes fetch work when it is their turn, the fair class exchanges tasks; 5.4 on. */
extern const struct pick_ops pick_ops_in_class;
/* Classes choose before the task that leaves is put back; 6.12. */
extern const struct pick_ops pick_ops_before_put;
/* A sleeping task's old queue is locked first; up to 2.6.39. */
extern const struct wake_ops wake_ops_lock;
/* No old queue's lock; other caches are told through a list. From 3.0. */
extern const struct wake_ops wake_ops_queue;
/* One idle CPU keeps its tick and balances for all; up to 2.6.35. */
extern const struct nohz_ops nohz_ops_owner;
/* Busy CPUs kick an idle one to balance for all; from 2.6.36. */
extern const struct nohz_ops nohz_ops_kick;
/* They kick one to balance or only to age load for all; 5.4, 5.5. */
extern const struct nohz_ops nohz_ops_flags;

/* Once per tick, rq locked. Linux: update_cpu_load(). */
void update_cpu_load(struct kctx *k, struct rq *rq);

/* Averages of kernels with AVG_WAKEUP or AVG_OVERLAP: CURR woke someone; P is put back though it runs on. */
void waker_averages(struct kctx *k, struct task *curr);
void preempted_averages(struct kctx *k, struct task *p);

#endif
