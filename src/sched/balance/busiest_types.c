/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that 5.5 brought: a group is put into one of six types by what it needs, and
 * two groups of the same type are compared by what matters to that type. What is
 * moved follows from the types of both groups: utilisation to fill spare capacity,
 * tasks to even out their number or that of idle CPUs, load only between
 * groups that are both overloaded.
 *
 * Quirks that stay: the average load of a group that is not overloaded is 0, so the first of
 * several fully busy groups is taken; the difference of idle CPUs is unsigned and of 32
 * bits, and the one of loads wraps when the local group is above the average.
 *
 * Linux: kernel/sched/fair.c group_classify(), update_sd_pick_busiest(), find_busiest_group(),
 * calculate_imbalance(); from 0b0695f2b34a to 5.5.
 * Deviation: no energy model: balancing is never left to the placing of woken tasks.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/lb_env.h"

static uint64_t pct_of(const struct lb_env *env)
{
	return env->sd->imbalance_pct;
}

static bool has_capacity(const struct lb_env *env, const struct sg_lb_stats *s)
{
	return s->sum_nr < s->group_weight || s->group_capacity * 100 > s->group_util * pct_of(env);
}

static bool is_overloaded(const struct lb_env *env, const struct sg_lb_stats *s)
{
	return s->sum_nr > s->group_weight && s->group_capacity * 100 < s->group_util * pct_of(env);
}

static enum group_type classify(const struct lb_env *env, const struct sched_group *g,
				const struct sg_lb_stats *s)
{
	if (is_overloaded(env, s))
		return GROUP_OVERLOADED;
	if (g->sgc->imbalance)
		return GROUP_IMBALANCED;
	if (s->asym_packing)
		return GROUP_ASYM_PACKING;
	if (s->misfit_load)
		return GROUP_MISFIT_TASK;
	return has_capacity(env, s) ? GROUP_HAS_SPARE : GROUP_FULLY_BUSY;
}

static void begin_types(const struct lb_env *env, struct sd_lb_stats *sds)
{
	*sds = (struct sd_lb_stats){.prefer_sibling = env->sd->child &&
						      (env->sd->child->flags & SD_PREFER_SIBLING)};
	sds->busiest_stat.idle_cpus = UINT32_MAX;
	sds->busiest_stat.group_type = GROUP_HAS_SPARE;
}

static void rate_by_type(const struct kctx *k, const struct lb_env *env,
			 const struct sd_lb_stats *sds, const struct sched_group *g,
			 struct sg_lb_stats *s)
{
	(void)sds;
	s->asym_packing = (env->sd->flags & SD_ASYM_PACKING) && env->idle != CPU_NOT_IDLE &&
			  s->sum_h_nr && sched_asym_prefer(k, env->dst_cpu, g->asym_prefer_cpu);
	s->group_type = classify(env, g, s);
	if (s->group_type == GROUP_OVERLOADED)
		s->avg_load = s->group_load * 1024 / s->group_capacity;
}

/* Of two groups of one type. */
static bool is_busier_in_type(const struct kctx *k, const struct sd_lb_stats *sds,
			      const struct sched_group *g, const struct sg_lb_stats *s)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	switch (s->group_type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		return s->avg_load > busiest->avg_load;
	case GROUP_IMBALANCED:
		return false;
	case GROUP_ASYM_PACKING:
		return !sched_asym_prefer(k, g->asym_prefer_cpu, sds->busiest->asym_prefer_cpu);
	case GROUP_MISFIT_TASK:
		return s->misfit_load >= busiest->misfit_load;
	case GROUP_HAS_SPARE:
		return s->idle_cpus < busiest->idle_cpus;
	}
	CHECK(false);
	return false;
}

static bool is_busier_by_type(const struct kctx *k, const struct lb_env *env,
			      struct sd_lb_stats *sds, const struct sched_group *g,
			      struct sg_lb_stats *s)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	if (!s->sum_h_nr)
		return false;
	if (s->group_type == GROUP_MISFIT_TASK &&
	    (!capacity_smaller(g->sgc->max_capacity, sds->local->sgc->max_capacity) ||
	     sds->local_stat.group_type != GROUP_HAS_SPARE))
		return false;
	if (s->group_type != busiest->group_type) {
		if (s->group_type < busiest->group_type)
			return false;
	} else if (!is_busier_in_type(k, sds, g, s)) {
		return false;
	}
	/* what small CPUs can do well is left to them */
	return !(env->sd->flags & SD_ASYM_CPUCAPACITY) || s->group_type > GROUP_FULLY_BUSY ||
	       !capacity_smaller(sds->local->sgc->min_capacity, g->sgc->min_capacity);
}

static void move(struct lb_env *env, enum migration_type type, int64_t amount)
{
	env->migration_type = type;
	env->imbalance = amount;
}

/* The local group has room: fill it, or even out tasks or idle CPUs. */
static void imbalance_into_spare(struct lb_env *env, const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (busiest->group_type > GROUP_FULLY_BUSY) {
		move(env, MIGRATE_UTIL,
		     (int64_t)(max_u64(local->group_capacity, local->group_util) -
			       local->group_util));
		/* utilisation is high only because of past load: one task */
		if (env->idle != CPU_NOT_IDLE && env->imbalance == 0)
			move(env, MIGRATE_TASK, 1);
		return;
	}
	if (busiest->group_weight == 1 || sds->prefer_sibling) {
		uint32_t diff = busiest->sum_nr > local->sum_nr ? busiest->sum_nr - local->sum_nr :
								  0;

		move(env, MIGRATE_TASK, diff >> 1);
		return;
	}
	move(env, MIGRATE_TASK, (local->idle_cpus - busiest->idle_cpus) >> 1);
}

static void calculate_imbalance(const struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	switch (busiest->group_type) {
	case GROUP_MISFIT_TASK:
		move(env, MIGRATE_MISFIT,
		     feat(k, FEAT_LB_MISFIT_UTIL) ? 1 : (int64_t)busiest->misfit_load);
		return;
	case GROUP_ASYM_PACKING:
		move(env, MIGRATE_TASK, busiest->sum_h_nr);
		return;
	case GROUP_IMBALANCED:
		move(env, MIGRATE_TASK, 1);
		return;
	case GROUP_HAS_SPARE:
	case GROUP_FULLY_BUSY:
	case GROUP_OVERLOADED:
		break;
	}
	if (local->group_type == GROUP_HAS_SPARE) {
		imbalance_into_spare(env, sds);
		return;
	}
	if (local->group_type < GROUP_OVERLOADED) {
		local->avg_load = local->group_load * 1024 / local->group_capacity;
		sds->avg_load = sds->total_load * 1024 / sds->total_capacity;
	}
	move(env, MIGRATE_LOAD,
	     (int64_t)(min_u64((busiest->avg_load - sds->avg_load) * busiest->group_capacity,
			       (sds->avg_load - local->avg_load) * local->group_capacity) /
		       1024));
}

/* Both groups are overloaded: is the local one loaded enough? */
static bool loads_are_balanced(const struct lb_env *env, struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (local->avg_load >= busiest->avg_load)
		return true;
	sds->avg_load = sds->total_load * 1024 / sds->total_capacity;
	return local->avg_load >= sds->avg_load ||
	       100 * busiest->avg_load <= pct_of(env) * local->avg_load;
}

/* The busiest is not overloaded: leave its tasks where they are? */
static bool tasks_are_balanced(const struct kctx *k, const struct lb_env *env,
			       const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	bool idle_alike = local->idle_cpus <= busiest->idle_cpus + 1;

	if (env->idle == CPU_NOT_IDLE)
		return true;
	if (!feat(k, FEAT_LB_SPREAD_CPUS))
		return idle_alike;
	return (busiest->group_weight > 1 && idle_alike) || busiest->sum_h_nr == 1;
}

static bool is_balanced(const struct kctx *k, const struct lb_env *env, struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (busiest->group_type == GROUP_MISFIT_TASK || busiest->group_type == GROUP_ASYM_PACKING ||
	    busiest->group_type == GROUP_IMBALANCED)
		return false;
	if (local->group_type > busiest->group_type)
		return true;
	if (local->group_type == GROUP_OVERLOADED && loads_are_balanced(env, sds))
		return true;
	if (sds->prefer_sibling && local->group_type == GROUP_HAS_SPARE &&
	    busiest->sum_nr > local->sum_nr + 1)
		return false;
	return busiest->group_type != GROUP_OVERLOADED && tasks_are_balanced(k, env, sds);
}

static struct sched_group *decide_by_types(const struct kctx *k, struct lb_env *env,
					   struct sd_lb_stats *sds)
{
	if (!sds->busiest || is_balanced(k, env, sds))
		return NULL;
	calculate_imbalance(k, env, sds);
	return env->imbalance ? sds->busiest : NULL;
}

const struct busiest_ops busiest_ops_types = {
	.name = "types",
	.begin = begin_types,
	.rate = rate_by_type,
	.is_busier = is_busier_by_type,
	.decide = decide_by_types,
};
