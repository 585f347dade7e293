/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of one attempt described by a struct lb_env, between the files that do them. */
#ifndef RUNQLAB_SCHED_BALANCE_LB_STEPS_H
#define RUNQLAB_SCHED_BALANCE_LB_STEPS_H

#include "sched/balance/lb_env.h"

/* lb_stats.c: look at all groups of env->sd. Linux: update_sd_lb_stats(). */
void update_sd_lb_stats(struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds);
/* The queue of G to take from, or NULL. Linux: find_busiest_queue(). */
struct rq *find_busiest_queue_env(struct kctx *k, struct lb_env *env, const struct sched_group *g);

/* lb_detach.c: may P, of env->src_rq (locked), go to env->dst_cpu? Linux: can_migrate_task(). */
bool can_detach(struct kctx *k, struct lb_env *env, struct task *p);
/* Take tasks worth env->imbalance off env->src_rq (locked) into LIST. How many. Linux: detach_tasks(). */
uint32_t detach_tasks(struct kctx *k, struct lb_env *env, struct list *tasks);
/* Put them on env->dst_rq, which is locked here. Linux: attach_tasks(). */
void attach_tasks(struct kctx *k, struct lb_env *env, struct list *tasks);
/* Take the first that may go; NULL: none. src_rq is locked. Linux: detach_one_task(). */
struct task *detach_one_task(struct kctx *k, struct lb_env *env);
/* Put P, detached, on RQ, which is locked here. Linux: attach_one_task(). */
void attach_one_task(struct kctx *k, struct rq *rq, struct task *p);

/* lb_capacity.c: refresh the capacity of CPU's own group of SD. */
void lb_update_capacity(struct kctx *k, struct sched_domain *sd, uint32_t cpu);

/* lb_trigger.c: age what is left on CPU; takes its rq's lock. Linux: update_blocked_averages(). */
void update_blocked_averages(struct kctx *k, uint32_t cpu);

/* Tasks are detached and attached under one lock each; 4.0 on, as of 5.4. */
extern const struct lb_ops lb_ops_detach;
/* Attempts are made as far as their cost is worth it; 3.13 on, as of 5.4. */
extern const struct trigger_ops trigger_ops_cost;

#endif
