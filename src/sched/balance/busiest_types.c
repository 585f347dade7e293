/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules that 5.5 brought: a group is put into one of six types (from 6.6 on
 * seven) by what it needs, and
 * two groups of the same type are compared by what matters to that type. What
 * follows from the types of both groups is told in busiest_amount.c.
 *
 * Later kernels change single rules. With LB_RUNNABLE_TYPES tasks that wait for a CPU make a
 * group overloaded although it does not look busy. LB_SPARE_TIES takes the group with more
 * tasks of two with as many idle CPUs. LB_REDUCED_MISFIT has a lone task on a CPU that something
 * else needs treated like one that is too big for it. LB_CAPACITY_MARGIN and LB_ASYM_SMT are of
 * use only where CPUs are unequal or ranked. LB_SMT_BALANCE makes a core with two tasks a
 * type of its own, for CPUs that idle; and of several full groups it takes the last, or a core.
 *
 * Quirk that stays: the average load of a group that is not overloaded is 0, so the first of
 * several fully busy groups is taken.
 *
 * Linux: kernel/sched/fair.c group_classify(), sched_asym(), asym_smt_can_pull_tasks(),
 * sched_group_asym(), smt_balance(), update_sd_pick_busiest(); from 0b0695f2b34a to 5.5, 6.1, 6.12.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/lb_env.h"

static uint64_t pct_of(const struct lb_env *env)
{
	return env->sd->imbalance_pct;
}

/* More wait in the group than it has CPUs for. */
static bool has_waiting(const struct kctx *k, const struct lb_env *env, const struct sg_lb_stats *s)
{
	return feat(k, FEAT_LB_RUNNABLE_TYPES) &&
	       s->group_capacity * pct_of(env) < s->group_runnable * 100;
}

/* Linux: group_has_capacity(). */
static bool has_capacity(const struct kctx *k, const struct lb_env *env,
			 const struct sg_lb_stats *s)
{
	if (s->sum_nr < s->group_weight)
		return true;
	return !has_waiting(k, env, s) && s->group_capacity * 100 > s->group_util * pct_of(env);
}

/* Linux: group_is_overloaded(). */
static bool is_overloaded(const struct kctx *k, const struct lb_env *env,
			  const struct sg_lb_stats *s)
{
	if (s->sum_nr <= s->group_weight)
		return false;
	return s->group_capacity * 100 < s->group_util * pct_of(env) || has_waiting(k, env, s);
}

static enum group_type classify(const struct kctx *k, const struct lb_env *env,
				const struct sched_group *g, const struct sg_lb_stats *s)
{
	if (is_overloaded(k, env, s))
		return GROUP_OVERLOADED;
	if (g->sgc->imbalance)
		return GROUP_IMBALANCED;
	if (s->asym_packing)
		return GROUP_ASYM_PACKING;
	if (s->smt_balance)
		return GROUP_SMT_BALANCE;
	if (s->misfit_load)
		return GROUP_MISFIT_TASK;
	return has_capacity(k, env, s) ? GROUP_HAS_SPARE : GROUP_FULLY_BUSY;
}

static void begin_types(const struct lb_env *env, struct sd_lb_stats *sds)
{
	*sds = (struct sd_lb_stats){.prefer_sibling = env->sd->child &&
						      (env->sd->child->flags & SD_PREFER_SIBLING)};
	sds->busiest_stat.idle_cpus = UINT32_MAX;
	sds->busiest_stat.group_type = GROUP_HAS_SPARE;
}

static bool is_smt(const struct sched_group *g)
{
	return g->flags & SD_SHARE_CPUPOWER;
}

/*
 * Is the destination a better place for tasks of G? Where groups are cores that share their
 * capacity: only if one of its threads can be relieved. Linux: sched_asym(), 5.16 to 6.4; sched_group_asym().
 */
static SELDOM bool packs_better(const struct kctx *k, const struct lb_env *env,
				const struct sd_lb_stats *sds, const struct sched_group *g,
				const struct sg_lb_stats *s)
{
	const struct sg_lb_stats *local = &sds->local_stat;
	bool preferred = sched_asym_prefer(k, env->dst_cpu, g->asym_prefer_cpu);
	uint32_t busy = s->group_weight - s->idle_cpus;

	if (feat(k, FEAT_LB_ASYM_IDLE_CORE))
		return !(is_smt(g) && busy != 1) &&
		       sched_asym(k, env->sd, env->dst_cpu, g->asym_prefer_cpu);
	if (!feat(k, FEAT_LB_ASYM_SMT) || (!is_smt(sds->local) && !is_smt(g)))
		return preferred;
	if (!is_smt(sds->local))
		return busy >= 2 || preferred;
	if (is_smt(g))
		return busy == local->group_weight - local->idle_cpus + 1 && preferred;
	return !local->sum_nr && preferred;
}

static void rate_by_type(const struct kctx *k, const struct lb_env *env,
			 const struct sd_lb_stats *sds, const struct sched_group *g,
			 struct sg_lb_stats *s)
{
	bool local = g == sds->local;

	if ((env->sd->flags & SD_ASYM_PACKING) && env->idle != CPU_NOT_IDLE && s->sum_h_nr &&
	    !(local && feat(k, FEAT_LB_ASYM_SMT)))
		s->asym_packing = packs_better(k, env, sds, g, s);
	s->smt_balance = feat(k, FEAT_LB_SMT_BALANCE) && env->idle != CPU_NOT_IDLE && !local &&
			 is_smt(g) && s->sum_h_nr > 1;
	s->group_type = classify(k, env, g, s);
	if (s->group_type == GROUP_OVERLOADED)
		s->avg_load = s->group_load * 1024 / s->group_capacity;
}

static bool has_less_room(const struct kctx *k, const struct sg_lb_stats *s,
			  const struct sg_lb_stats *busiest)
{
	if (s->idle_cpus != busiest->idle_cpus)
		return s->idle_cpus < busiest->idle_cpus;
	return feat(k, FEAT_LB_SPARE_TIES) && s->sum_nr > busiest->sum_nr;
}

/* With spare CPUs in both. A core and a group of another kind: the core is if it has two tasks. */
static bool is_busier_with_spare(const struct kctx *k, const struct sd_lb_stats *sds,
				 const struct sched_group *g, const struct sg_lb_stats *s)
{
	if (feat(k, FEAT_LB_SMT_BALANCE) && sds->busiest && is_smt(sds->busiest) != is_smt(g))
		return !(is_smt(g) && s->sum_h_nr <= 1);
	return has_less_room(k, s, &sds->busiest_stat);
}

/* None has a CPU to spare. */
static bool is_busier_when_full(const struct kctx *k, const struct sd_lb_stats *sds,
				const struct sg_lb_stats *s)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	if (s->avg_load != busiest->avg_load || !feat(k, FEAT_LB_SMT_BALANCE))
		return s->avg_load > busiest->avg_load;
	return !(sds->busiest && is_smt(sds->busiest));
}

static SELDOM bool is_busier_to_pack(const struct kctx *k, const struct sd_lb_stats *sds,
				     const struct sched_group *g)
{
	uint32_t busiest = sds->busiest->asym_prefer_cpu;

	if (feat(k, FEAT_LB_ASYM_IDLE_CORE))
		return sched_asym_prefer(k, busiest, g->asym_prefer_cpu);
	return !sched_asym_prefer(k, g->asym_prefer_cpu, busiest);
}

/* Of two groups of one type. */
static bool is_busier_in_type(const struct kctx *k, const struct sd_lb_stats *sds,
			      const struct sched_group *g, const struct sg_lb_stats *s)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	switch (s->group_type) {
	case GROUP_OVERLOADED:
		return s->avg_load > busiest->avg_load;
	case GROUP_IMBALANCED:
		return false;
	case GROUP_ASYM_PACKING:
		return is_busier_to_pack(k, sds, g);
	case GROUP_MISFIT_TASK:
		if (feat(k, FEAT_LB_MISFIT_QUIET))
			return s->misfit_load > busiest->misfit_load;
		return s->misfit_load >= busiest->misfit_load;
	case GROUP_SMT_BALANCE:
		if (s->idle_cpus || busiest->idle_cpus)
			return has_less_room(k, s, busiest);
		return is_busier_when_full(k, sds, s);
	case GROUP_FULLY_BUSY:
		return is_busier_when_full(k, sds, s);
	case GROUP_HAS_SPARE:
		return is_busier_with_spare(k, sds, g, s);
	}
	CHECK(false);
	return false;
}

/* A misfit that the destination cannot help. */
static SELDOM bool misfit_is_hopeless(const struct kctx *k, const struct lb_env *env,
				      const struct sd_lb_stats *sds, const struct sched_group *g)
{
	if (sds->local_stat.group_type != GROUP_HAS_SPARE)
		return true;
	if (!feat(k, FEAT_LB_CAPACITY_MARGIN))
		return !capacity_smaller(g->sgc->max_capacity, sds->local->sgc->max_capacity);
	return !rest_of_core_idles(k, env->dst_cpu) ||
	       !capacity_greater(env->dst_rq->cpu_capacity, g->sgc->max_capacity);
}

/* What G's CPUs, smaller than the destination, can do well is left to them. CPUs are unequal. */
static SELDOM bool is_left_to_small(const struct kctx *k, const struct lb_env *env,
				    const struct sd_lb_stats *sds, const struct sched_group *g,
				    const struct sg_lb_stats *s)
{
	if (s->group_type > GROUP_FULLY_BUSY)
		return false;
	if (feat(k, FEAT_LB_CAPACITY_MARGIN))
		return capacity_greater(g->sgc->min_capacity, env->dst_rq->cpu_capacity);
	return capacity_smaller(sds->local->sgc->min_capacity, g->sgc->min_capacity);
}

static bool is_busier_by_type(const struct kctx *k, const struct lb_env *env,
			      struct sd_lb_stats *sds, const struct sched_group *g,
			      struct sg_lb_stats *s)
{
	bool asym = env->sd->flags & SD_ASYM_CPUCAPACITY;

	if (!s->sum_h_nr)
		return false;
	/* where CPUs are equal a misfit is a task beside something else, which no size cures */
	if (s->group_type == GROUP_MISFIT_TASK && (asym || !feat(k, FEAT_LB_REDUCED_MISFIT)) &&
	    misfit_is_hopeless(k, env, sds, g))
		return false;
	if (s->group_type != sds->busiest_stat.group_type) {
		if (s->group_type < sds->busiest_stat.group_type)
			return false;
	} else if (!is_busier_in_type(k, sds, g, s)) {
		return false;
	}
	return !(asym && is_left_to_small(k, env, sds, g, s));
}

const struct busiest_ops busiest_ops_types = {
	.name = "types",
	.begin = begin_types,
	.rate = rate_by_type,
	.is_busier = is_busier_by_type,
	.decide = decide_by_types,
};
