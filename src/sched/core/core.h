/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of core/ share among themselves; sched.h is what others see. */
#ifndef RUNQLAB_SCHED_CORE_CORE_H
#define RUNQLAB_SCHED_CORE_CORE_H

#include "sched/class.h"
#include "sched/sched.h"

/* Lock the rq P is on, however it moves meanwhile. Linux: task_rq_lock(). */
struct rq *task_rq_lock(struct kctx *k, struct task *p);

/* Lock the rq of K's own CPU. */
static inline struct rq *this_rq_lock(struct kctx *k)
{
	rq_lock(k, &k->cpu->rq);
	return &k->cpu->rq;
}

/* activate_task() and deactivate_task() without the count of rq->nr_running. [rq] */
void enqueue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);
void dequeue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);

/* The class's choice, made valid: allowed and online. Linux: select_task_rq(). */
uint32_t select_task_rq(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags);

/* Have the stopper of P's CPU move it to DEST. No rq locked. */
void push_task_to(struct kctx *k, struct task *p, uint32_t dest);

/* Once per tick, rq locked. Linux: update_cpu_load(), without missed-tick decay. */
void update_cpu_load(struct rq *rq);

/* Balancing on the tick: raise the softirq, kick the idle balancer. Linux: trigger_load_balance(). */
void trigger_load_balance(struct kctx *k, struct rq *rq);

/* Averages of kernels with AVG_WAKEUP or AVG_OVERLAP: CURR woke someone; P is put back though it runs on. */
void waker_averages(struct kctx *k, struct task *curr);
void preempted_averages(struct kctx *k, struct task *p);

/* P begins to wait for its CPU again, or stops waiting. [rq] */
void task_requeued(struct kctx *k, struct rq *rq, struct task *p);
void task_wait_end(struct kctx *k, struct rq *rq, struct task *p, bool got_cpu);

#endif
