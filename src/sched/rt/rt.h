/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real-time class: what its files share, and what the core calls at boot.
 * Everything here needs the lock of the rq it is given.
 */
#ifndef RUNQLAB_SCHED_RT_RT_H
#define RUNQLAB_SCHED_RT_RT_H

#include "sched/class.h"

/* An rq at boot. Linux: init_rt_rq(). */
void rt_rq_init(struct machine *m, struct rq *rq);

/*
 * A new task, of whatever class. A forked one has what is left of PARENT's slice.
 * Linux: INIT_TASK(), dup_task_struct(), 2.6.34 to 4.0.
 */
void rt_task_init(const struct kctx *k, struct task *p, const struct task *parent);

/* Masks of the machine's root domain, from its arena; false when that is exhausted. Linux: init_rootdomain(). */
bool root_domain_init(struct machine *m);

/*
 * cpupri.c: CPU's best real-time priority is now PRIO (MAX_RT_PRIO: none; DL_PRIO: a deadline task
 * came first). Linux: cpupri_set().
 */
void cpupri_set(struct kctx *k, uint32_t cpu, uint32_t prio);
/*
 * The CPUs P may use that run the least important things of all, if these are less important than
 * P; LOWEST (may be NULL) receives them. No lock is needed; peek before. Linux: cpupri_find().
 */
bool cpupri_find(struct kctx *k, const struct task *p, struct mask *lowest);
/* Which level PRIO has. */
uint32_t cpupri_level(uint32_t prio);

/* prio arrays */
void prio_array_init(struct rt_prio_array *a);
/* Best priority with tasks; MAX_RT_PRIO: none. */
uint32_t prio_array_first(const struct rt_prio_array *a);
void prio_array_add(struct rt_prio_array *a, struct list *node, uint32_t prio, bool head);
void prio_array_del(struct rt_prio_array *a, struct list *node, uint32_t prio);

static inline bool is_rt(const struct task *p)
{
	return p->class == &rt_sched_class;
}

/*
 * Does P go before all fair tasks? The stopper and deadline tasks do too.
 * Linux: rt_task().
 */
static inline bool rt_task(const struct task *p)
{
	return prio_before(p->prio, MAX_RT_PRIO);
}

static inline struct task *task_of_run_node(struct list *n)
{
	return container_of(n, struct task, rt.run_list);
}

static inline struct task *task_of_pushable(struct list *n)
{
	return container_of(n, struct task, rt.pushable_node);
}

/* rt.c: book the running real-time task's time. Linux: update_curr_rt(). */
void update_curr_rt(struct kctx *k, struct rq *rq);
/* To the head or tail of its priority. Linux: requeue_task_rt(). */
void requeue_task_rt(struct rq *rq, struct task *p, bool head);
/* The first task that may be pushed away, or NULL. Linux: pick_next_pushable_task(). */
struct task *pick_next_pushable_task(const struct rq *rq);

/* push.c: where P, of CPU P->cpu, could run at once; CPU_NONE: nowhere better. Linux: find_lowest_rq(). */
uint32_t find_lowest_rq(struct kctx *k, struct task *p);
/* Send one task away; true: try again. rq may be unlocked meanwhile. Linux: push_rt_task(). */
bool push_rt_task(struct kctx *k, struct rq *rq);
void push_rt_tasks(struct kctx *k, struct rq *rq);
/* Linux: select_task_rq_rt(). */
uint32_t select_task_rq_rt(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags);
void task_woken_rt(struct kctx *k, struct rq *rq, struct task *p);

/* pull.c: fetch what should run on THIS_RQ; true if something came. rq may be unlocked meanwhile. Linux: pull_rt_task(). */
bool pull_rt_task(struct kctx *k, struct rq *this_rq);

/*
 * push_ipi.c: THIS_RQ, which is locked, is about to run something less important: see that all
 * overloaded CPUs push. Linux: tell_cpu_to_push(), 4.15 on.
 */
void tell_cpu_to_push(struct kctx *k, struct rq *this_rq);
/* The work that it sent arrived here. Linux: rto_push_irq_work_func(). */
void rto_push_irq_work(struct kctx *k);

/* bandwidth.c: is real-time time limited at all? Linux: rt_bandwidth_enabled(). */
bool rt_bandwidth_enabled(const struct kctx *k);
/* The task running on rq used DELTA_NS; true: rq is throttled now. */
bool rt_charge_runtime(struct kctx *k, struct rq *rq, uint64_t delta_ns);
/*
 * A task of a class above ran DELTA_NS on rq: less power is left for fair ones, and while
 * real-time bandwidth matters it is part of that. Linux: update_curr_dl(), its last part.
 */
void rt_account_above(struct kctx *k, struct rq *rq, uint64_t delta_ns);
/* A real-time task was queued: the period timer must run. Linux: start_rt_bandwidth(). */
void start_rt_bandwidth(struct kctx *k);
/* The period is over. Linux: sched_rt_period_timer(). */
void rt_period_timer(struct kctx *k);
/* Count the queue's tasks in rq->nr_running, or not any more; where throttled ones are not. */
void rt_rq_count(struct kctx *k, struct rq *rq);
void rt_rq_uncount(struct kctx *k, struct rq *rq);

#endif
