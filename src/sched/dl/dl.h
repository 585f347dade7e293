/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The deadline class: what its files share, and what the core calls. Everything
 * here needs the lock of the rq it is given, unless it says otherwise. Kernels
 * without SCHED_DEADLINE (FEAT_DL_CLASS) call none of it but the class itself,
 * which then never has a task.
 */
#ifndef RUNQLAB_SCHED_DL_DL_H
#define RUNQLAB_SCHED_DL_DL_H

#include "base/fixed.h"
#include "sched/class.h"
#include "sched/sched.h"

/* -- for the core -- */

/* Bytes dl_init() needs at most for CFG. */
uint64_t dl_memory_bound(const struct sched_config *cfg);
/* Entities, cpudl and bandwidth of M, from its arena; false when that is exhausted. Linux: init_rootdomain(). */
bool dl_init(struct machine *m);
/* A new task, of whatever class; p->id is set. */
void dl_task_init(const struct kctx *k, struct task *p);

/* admission.c: would DL be refused to a task allowed on ALLOWED that has OLD_BW of the total now? */
enum policy_refusal dl_admit(const struct machine *m, const struct dl_params *dl,
			     const struct mask *allowed, uint64_t old_bw);
/* May P, a deadline task, be confined to CPUS? */
bool dl_may_confine(const struct machine *m, const struct mask *cpus);
/* P, admitted, takes its part of the bandwidth; what it had is given back. No lock needed. */
void dl_take_bw(struct kctx *k, struct task *p, const struct dl_params *dl);
/* P's part is free again. */
void dl_free_bw(struct kctx *k, struct task *p);

/* P, not queued, gets parameters DL; its first instance begins when it is queued. Linux: __setparam_dl(). */
void dl_set_params(struct kctx *k, struct task *p, const struct dl_params *dl);

/* P's replenishment, inactive timer fired. No lock held. Linux: dl_task_timer(), inactive_task_timer(). */
void dl_task_timer(struct kctx *k, struct task *p);
void dl_inactive_timer(struct kctx *k, struct task *p);

/* -- among the files of the class -- */

static inline bool is_dl(const struct task *p)
{
	return p->class == &dl_sched_class;
}

static inline bool dl_time_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* Linux: dl_entity_preempt(), without the special tasks of later kernels. */
static inline bool dl_entity_preempt(const struct dl_entity *a, const struct dl_entity *b)
{
	return dl_time_before(a->deadline_ns, b->deadline_ns);
}

static inline struct dl_entity *dl_of_node(struct rb_node *n)
{
	return container_of(n, struct dl_entity, node);
}

static inline struct dl_entity *dl_of_pushable(struct rb_node *n)
{
	return container_of(n, struct dl_entity, pushable);
}

/* RUNTIME_NS of each PERIOD_NS in 2^20ths, rounded down. Linux: to_ratio(), whose product is 64 bits. */
static inline uint64_t to_ratio(uint64_t period_ns, uint64_t runtime_ns)
{
	return period_ns ? (uint64_t)(((u128)runtime_ns << DL_BW_SHIFT) / period_ns) : 0;
}

/* cpudl.c: CPU's earliest deadline is now DEADLINE_NS; CPU has no deadline task any more. Linux: cpudl_set(). */
void cpudl_set(struct kctx *k, uint32_t cpu, uint64_t deadline_ns);
void cpudl_clear(struct kctx *k, uint32_t cpu);
/*
 * Among the CPUs P may use, those without deadline tasks, or else the one whose
 * earliest deadline is the latest of all, if it is later than P's; LATER receives them. With LATER
 * NULL only the second is looked for. Returns the first of them, or CPU_NONE. No lock is needed;
 * peek before. Linux: cpudl_find().
 */
uint32_t cpudl_find(struct kctx *k, const struct task *p, struct mask *later);
bool cpudl_init(struct machine *m);
/* Verify the heap; CHECK fails. */
void cpudl_audit(const struct machine *m);

/* cbs.c: the rules of the constant bandwidth server, at the rq clock NOW_NS. */

/* P wakes, or has a new instance: keep what is left of the old one if that is within its bandwidth. True: all is new. Linux: update_dl_entity(). */
bool dl_update_entity(struct dl_entity *se, uint64_t now_ns);
/* A whole new one, from now on. Linux: replenish_dl_new_period(). */
void dl_new_instance(struct dl_entity *se, uint64_t now_ns);
/* Its next period: runtime for it, and for those it has used up in advance. Linux: replenish_dl_entity(). */
void dl_replenish_entity(struct dl_entity *se, uint64_t now_ns);
/* When the period after the current one begins. Linux: dl_next_period(). */
uint64_t dl_next_period(const struct dl_entity *se);

static inline bool dl_is_implicit(const struct dl_entity *se)
{
	return se->dl_deadline_ns == se->dl_period_ns;
}

/* dl.c: SE, a task's or the fair server, joins the tree of RQ, leaves it if it is there. */
void dl_insert(struct kctx *k, struct rq *rq, struct dl_entity *se);
void dl_take_out(struct kctx *k, struct rq *rq, struct dl_entity *se);

/* dl.c: book the running deadline task's time. Linux: update_curr_dl(). */
void update_curr_dl(struct kctx *k, struct rq *rq);
/* The waiting task of RQ that may run on CPU, earliest but one on. Linux: pick_next_earliest_dl_task(). */
struct task *pick_next_earliest_dl_task(const struct rq *rq, uint32_t cpu);
/* Of those that may be pushed away the first, or NULL. Linux: pick_next_pushable_dl_task(). */
struct task *pick_next_pushable_dl_task(const struct rq *rq);
void check_preempt_curr_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags);

/* push.c: where P, of CPU P->cpu, could run at once; CPU_NONE: nowhere. Linux: find_later_rq(). */
uint32_t find_later_rq(struct kctx *k, struct task *p);
/* Send one task away; true: try again. rq may be unlocked meanwhile. Linux: push_dl_task(). */
bool push_dl_task(struct kctx *k, struct rq *rq);
void push_dl_tasks(struct kctx *k, struct rq *rq);
uint32_t select_task_rq_dl(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags);
void task_woken_dl(struct kctx *k, struct rq *rq, struct task *p);

/* pull.c: fetch what should run on THIS_RQ; true if something came. rq may be unlocked meanwhile. Linux: pull_dl_task(). */
bool pull_dl_task(struct kctx *k, struct rq *this_rq);

/*
 * grub.c: which bandwidth is active where, and what reclaiming makes of run time. Without
 * FEAT_DL_GRUB all of it does nothing. Linux: 4.13 on.
 */

/* P joined RQ; WAKEUP: it slept. Linux: add_rq_bw(), task_contending(). */
void grub_enqueue(struct kctx *k, struct rq *rq, struct task *p, bool wakeup);
/* P left RQ; SLEEP: it sleeps or ends, else it moves or changes. Linux: task_non_contending(). */
void grub_dequeue(struct kctx *k, struct rq *rq, struct task *p, bool sleep);
/* P, not queued, is no part of RQ's sums any more. Linux: migrate_task_rq_dl(). */
void grub_forget(struct kctx *k, struct rq *rq, struct task *p);
/* P leaves the class; its bandwidth is freed at its zero-lag time. Linux: switched_from_dl(). */
void grub_leave(struct kctx *k, struct rq *rq, struct task *p);
/* Its inactive timer fired. */
void grub_inactive(struct kctx *k, struct rq *rq, struct task *p);
/* What of DELTA_NS is taken from the runtime of SE, which runs on RQ and reclaims. Linux: grub_reclaim(). */
uint64_t grub_reclaim(const struct kctx *k, const struct rq *rq, const struct dl_entity *se,
		      uint64_t delta_ns);

/*
 * fair_server.c: what the fair class and the core call is in class.h, beside these.
 */
void fair_server_init(struct machine *m, struct rq *rq);
/* The server of RQ is the first of its class: a fair task for it, or NULL and it is stopped. */
struct task *fair_server_pick(struct kctx *k, struct rq *rq);
/* CPU's server's timer fired. No lock held. Linux: dl_server_timer(). */
void fair_server_timer(struct kctx *k, uint32_t cpu);
/* What must hold of RQ's server. CHECK fails on a bug. */
void fair_server_audit(const struct machine *m, const struct rq *rq);

#endif
