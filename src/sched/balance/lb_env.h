/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Balancing from averages per entity (5.4 on): one attempt is a struct lb_env, what it
 * saw of the groups a struct sd_lb_stats. What the numbers lead to is decided by
 * functions of these alone (busiest_avg.c, busiest_types.c, busiest_amount.c), which is how
 * tests ask them.
 */
#ifndef RUNQLAB_SCHED_BALANCE_LB_ENV_H
#define RUNQLAB_SCHED_BALANCE_LB_ENV_H

#include "sched/class.h"
#include "sched/select/group_type.h"

/* What is to be moved: imbalance is in units of it. */
enum migration_type {
	MIGRATE_LOAD,
	MIGRATE_UTIL,
	MIGRATE_TASK,
	MIGRATE_MISFIT,
};

#define LBF_ALL_PINNED 1u  /* no examined task may run on the destination */
#define LBF_NEED_BREAK 2u  /* the pass paused */
#define LBF_DST_PINNED 4u  /* a task may not run on dst_cpu, but on new_dst_cpu */
#define LBF_SOME_PINNED 8u /* some task may not run on dst_cpu */
#define LBF_ACTIVE_LB 16u  /* a stopper moves its CPU's task; kernels with LB_ACTIVE_BY_TASK */

/* Load that tasks left behind is aged every so often. Linux: LOAD_AVG_PERIOD. */
#define BLOCKED_PERIOD_MS 32u

struct lb_env {
	struct sched_domain *sd;
	struct rq *src_rq, *dst_rq;
	uint32_t src_cpu, dst_cpu, new_dst_cpu;
	const struct mask *dst_grpmask; /* CPUs of the local group */
	enum cpu_idle_type idle;
	int64_t imbalance;
	struct mask *cpus; /* candidates */
	uint32_t flags;
	uint64_t loop, loop_break, loop_max;
	enum migration_type migration_type;
	bool refresh_idle; /* what was left on idle CPUs is to be aged */
	bool load_is_left; /* ... and some remains */
	bool hot;          /* the task that may be moved is cache hot */
	uint64_t moved;    /* tasks; what load_balance() returns */
};

struct sg_lb_stats {
	uint64_t avg_load; /* load per capacity, 1024 = one CPU full of nice 0 */
	uint64_t group_load;
	uint64_t load_per_task;
	uint64_t group_capacity;
	uint64_t group_util;
	uint64_t group_runnable; /* tasks that run or wait, 1024 each; kernels with RUNNABLE_COUNT */
	uint64_t misfit_load;    /* of the largest task too big for its CPU */
	uint32_t sum_nr;         /* running tasks of all classes */
	uint32_t sum_h_nr;       /* ... of the fair class */
	uint32_t idle_cpus;
	uint32_t group_weight;
	enum group_type group_type;
	bool no_capacity;  /* overloaded, or has more tasks than siblings should */
	bool smt_balance;  /* a core of which an idle CPU should take a task */
	bool asym_packing; /* tasks should move to the destination's more preferred CPU */
};

struct sd_lb_stats {
	struct sched_group *busiest, *local;
	uint64_t total_load, total_capacity, total_util;
	uint64_t avg_load;   /* of all groups */
	bool prefer_sibling; /* tasks are to be spread over the groups */
	struct sg_lb_stats busiest_stat, local_stat;
};

/* How groups are rated; one table per idea. */
struct busiest_ops {
	const char *name;
	/* Before the groups are looked at. */
	void (*begin)(const struct lb_env *env, struct sd_lb_stats *sds);
	/* S holds G's sums: derive its averages and type. */
	void (*rate)(const struct kctx *k, const struct lb_env *env, const struct sd_lb_stats *sds,
		     const struct sched_group *g, struct sg_lb_stats *s);
	/* Is G, not the local group, the busiest so far? */
	bool (*is_busier)(const struct kctx *k, const struct lb_env *env, struct sd_lb_stats *sds,
			  const struct sched_group *g, struct sg_lb_stats *s);
	/* Is there something to do? Sets env->imbalance and what goes with it. */
	struct sched_group *(*decide)(const struct kctx *k, struct lb_env *env,
				      struct sd_lb_stats *sds);
};

/* Average load, four group types: 5.4, and with LB_ASYM_MARK, LB_NO_SMALL_FIX. */
extern const struct busiest_ops busiest_ops_average;
/* Types of groups, four kinds of migration: 5.5 on. */
extern const struct busiest_ops busiest_ops_types;

/*
 * busiest_amount.c, for busiest_types.c: what the types of the local and the busiest group lead
 * to. The busiest group, or NULL; sets env->imbalance. Linux: find_busiest_group().
 */
struct sched_group *decide_by_types(const struct kctx *k, struct lb_env *env,
				    struct sd_lb_stats *sds);

/* CPU's queue may give fair tasks about all its time. Linux: check_cpu_capacity(), 4.0 on. */
static inline bool capacity_is_reduced(const struct sched_domain *sd, const struct rq *rq)
{
	return rq->cpu_capacity * sd->imbalance_pct < rq->cpu_capacity_orig * 100;
}

/* Is A more than 5 % more than B? Linux: capacity_greater(), 5.13 on. */
static inline bool capacity_greater(uint64_t a, uint64_t b)
{
	return a * 1024 > b * 1078;
}

/* Is SRC of less capacity than DST by more than a fifth? Linux: group_smaller_min_cpu_capacity(). */
static inline bool capacity_smaller(uint64_t capacity, uint64_t than)
{
	return capacity * 1280 < than * 1024;
}

/* -- lb_asym.c -- */

/* Is A better packed with tasks than B? Linux: sched_asym_prefer(). */
bool sched_asym_prefer(const struct kctx *k, uint32_t a, uint32_t b);
/* Do the other threads of CPU's core idle? Linux: is_core_idle(). */
bool rest_of_core_idles(const struct kctx *k, uint32_t cpu);
/* Do ranks count on CPU in SD? With LB_ASYM_IDLE_CORE. Linux: sched_use_asym_prio(), 6.5 on. */
bool sched_use_asym_prio(const struct kctx *k, const struct sched_domain *sd, uint32_t cpu);
/* Is DST a better place than SRC, as far as ranks count in SD? Linux: sched_asym(), 6.5 on. */
bool sched_asym(const struct kctx *k, const struct sched_domain *sd, uint32_t dst, uint32_t src);

#endif
