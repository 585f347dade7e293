/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of 5.4: the busiest group is the one of the highest type, then of the highest
 * average load per capacity; it is relieved down to the domain's average. Where that
 * comes to less than a task, a second computation asks whether moving one whole
 * task would use capacities better. Tasks are spread over siblings by calling a
 * group overloaded that has more of them than the local one.
 *
 * All arithmetic is unsigned and wraps as the kernel's does.
 *
 * Linux: kernel/sched/fair.c group_classify(), update_sd_pick_busiest(), find_busiest_group(),
 * calculate_imbalance(), fix_small_imbalance(), check_asym_packing(); 5.4.
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
	return s->sum_h_nr < s->group_weight ||
	       s->group_capacity * 100 > s->group_util * pct_of(env);
}

static bool is_overloaded(const struct lb_env *env, const struct sg_lb_stats *s)
{
	return s->sum_h_nr > s->group_weight &&
	       s->group_capacity * 100 < s->group_util * pct_of(env);
}

static enum group_type classify(const struct sched_group *g, const struct sg_lb_stats *s)
{
	if (s->no_capacity)
		return GROUP_OVERLOADED;
	if (g->sgc->imbalance)
		return GROUP_IMBALANCED;
	if (s->misfit_load)
		return GROUP_MISFIT_TASK;
	return GROUP_OTHER;
}

static void begin_average(const struct lb_env *env, struct sd_lb_stats *sds)
{
	*sds = (struct sd_lb_stats){.prefer_sibling = env->sd->child &&
						      (env->sd->child->flags & SD_PREFER_SIBLING)};
	sds->busiest_stat.group_type = GROUP_OTHER;
}

static void rate_by_average(const struct kctx *k, const struct lb_env *env,
			    const struct sd_lb_stats *sds, const struct sched_group *g,
			    struct sg_lb_stats *s)
{
	(void)k;
	s->avg_load = s->group_load * 1024 / s->group_capacity;
	s->load_per_task = s->sum_h_nr ? s->group_load / s->sum_h_nr : 0;
	s->no_capacity = is_overloaded(env, s);
	s->group_type = classify(g, s);
	/* siblings: the local group, seen before, has room for one more than this */
	if (g != sds->local && sds->prefer_sibling && sds->local &&
	    has_capacity(env, &sds->local_stat) && s->sum_h_nr > sds->local_stat.sum_h_nr + 1) {
		s->no_capacity = true;
		s->group_type = classify(g, s);
	}
}

/* A misfit task that the destination's group cannot help either. */
static bool misfit_is_hopeless(const struct lb_env *env, const struct sd_lb_stats *sds,
			       const struct sched_group *g, const struct sg_lb_stats *s)
{
	if (s->group_type != GROUP_MISFIT_TASK)
		return false;
	return !capacity_smaller(g->sgc->max_capacity, sds->local->sgc->max_capacity) ||
	       !has_capacity(env, &sds->local_stat);
}

/* ASYM_PACKING: the destination is preferred over what G would prefer. */
static bool is_asym_candidate(const struct kctx *k, const struct lb_env *env,
			      struct sd_lb_stats *sds, const struct sched_group *g,
			      struct sg_lb_stats *s)
{
	if (!s->sum_h_nr || !sched_asym_prefer(k, env->dst_cpu, g->asym_prefer_cpu))
		return false;
	if (feat(k, FEAT_LB_ASYM_MARK))
		s->asym_packing = true;
	return !sds->busiest ||
	       sched_asym_prefer(k, sds->busiest->asym_prefer_cpu, g->asym_prefer_cpu);
}

static bool is_busier_by_average(const struct kctx *k, const struct lb_env *env,
				 struct sd_lb_stats *sds, const struct sched_group *g,
				 struct sg_lb_stats *s)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	if (misfit_is_hopeless(env, sds, g, s))
		return false;
	if (s->group_type != busiest->group_type)
		return s->group_type > busiest->group_type;
	if (s->avg_load <= busiest->avg_load)
		return false;
	if (env->sd->flags & SD_ASYM_CPUCAPACITY) {
		/* a group of small CPUs with a CPU for each task is left alone by bigger ones */
		if (s->sum_h_nr <= s->group_weight &&
		    capacity_smaller(sds->local->sgc->min_capacity, g->sgc->min_capacity))
			return false;
		if (s->group_type == GROUP_MISFIT_TASK && s->misfit_load < busiest->misfit_load)
			return false;
	}
	if (!(env->sd->flags & SD_ASYM_PACKING) || env->idle == CPU_NOT_IDLE)
		return true;
	return is_asym_candidate(k, env, sds, g, s);
}

/* Load of all queue's tasks over their number, on the destination. */
static uint64_t load_per_task_there(const struct lb_env *env)
{
	const struct cfs_rq *q = env->dst_rq->cfs;

	return q->h_nr_running ? q->avg.runnable_avg / q->h_nr_running : 0;
}

/* Linux: fix_small_imbalance(). */
static void fix_small_imbalance(struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	uint64_t tmp, now = 0, move = 0, scaled, imbn = 2;

	if (!local->sum_h_nr)
		local->load_per_task = load_per_task_there(env);
	else if (busiest->load_per_task > local->load_per_task)
		imbn = 1;
	scaled = busiest->load_per_task * 1024 / busiest->group_capacity;
	if (busiest->avg_load + scaled >= local->avg_load + scaled * imbn) {
		env->imbalance = (int64_t)busiest->load_per_task;
		return;
	}
	now += busiest->group_capacity * min_u64(busiest->load_per_task, busiest->avg_load);
	now += local->group_capacity * min_u64(local->load_per_task, local->avg_load);
	now /= 1024;
	if (busiest->avg_load > scaled)
		move += busiest->group_capacity *
			min_u64(busiest->load_per_task, busiest->avg_load - scaled);
	if (busiest->avg_load * busiest->group_capacity < busiest->load_per_task * 1024)
		tmp = busiest->avg_load * busiest->group_capacity / local->group_capacity;
	else
		tmp = busiest->load_per_task * 1024 / local->group_capacity;
	move += local->group_capacity * min_u64(local->load_per_task, local->avg_load + tmp);
	move /= 1024;
	if (move > now)
		env->imbalance = (int64_t)busiest->load_per_task;
}

/* With LB_NO_SMALL_FIX an imbalance of less than a task stays as it is, and none stays none. */
static void small_imbalance(const struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	if (!feat(k, FEAT_LB_NO_SMALL_FIX))
		fix_small_imbalance(env, sds);
}

static void calculate_imbalance(const struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	uint64_t max_pull, above = UINT64_MAX;

	if (busiest->asym_packing) {
		env->imbalance = (int64_t)busiest->group_load;
		return;
	}
	if (busiest->group_type == GROUP_IMBALANCED && !feat(k, FEAT_LB_NO_SMALL_FIX))
		busiest->load_per_task = min_u64(busiest->load_per_task, sds->avg_load);
	if (busiest->group_type != GROUP_MISFIT_TASK &&
	    (busiest->avg_load <= sds->avg_load || local->avg_load >= sds->avg_load)) {
		env->imbalance = 0;
		small_imbalance(k, env, sds);
		return;
	}
	if (busiest->group_type == GROUP_OVERLOADED && local->group_type == GROUP_OVERLOADED) {
		above = (uint64_t)busiest->sum_h_nr * 1024;
		if (above > busiest->group_capacity) {
			above -= busiest->group_capacity;
			above = above * 1024 / busiest->group_capacity;
		} else {
			above = UINT64_MAX;
		}
	}
	max_pull = min_u64(busiest->avg_load - sds->avg_load, above);
	env->imbalance =
		(int64_t)(min_u64(max_pull * busiest->group_capacity,
				  (sds->avg_load - local->avg_load) * local->group_capacity) /
			  1024);
	if (busiest->group_type == GROUP_MISFIT_TASK &&
	    env->imbalance < (int64_t)busiest->misfit_load)
		env->imbalance = (int64_t)busiest->misfit_load;
	if ((uint64_t)env->imbalance < busiest->load_per_task)
		small_imbalance(k, env, sds);
}

/* Linux: check_asym_packing(). */
static bool asym_packing_is_due(const struct kctx *k, const struct lb_env *env,
				const struct sd_lb_stats *sds)
{
	if (!(env->sd->flags & SD_ASYM_PACKING) || env->idle == CPU_NOT_IDLE || !sds->busiest)
		return false;
	return !sched_asym_prefer(k, sds->busiest->asym_prefer_cpu, env->dst_cpu);
}

/* Are the two too equal to move anything? */
static bool is_balanced(const struct lb_env *env, const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (local->avg_load >= busiest->avg_load || local->avg_load >= sds->avg_load)
		return true;
	if (env->idle == CPU_IDLE)
		return busiest->group_type != GROUP_OVERLOADED &&
		       local->idle_cpus <= busiest->idle_cpus + 1;
	return 100 * busiest->avg_load <= pct_of(env) * local->avg_load;
}

static struct sched_group *decide_by_average(const struct kctx *k, struct lb_env *env,
					     struct sd_lb_stats *sds)
{
	struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	bool marked = feat(k, FEAT_LB_ASYM_MARK), force;

	if (!marked && asym_packing_is_due(k, env, sds)) {
		env->imbalance = (int64_t)busiest->group_load;
		return sds->busiest;
	}
	if (!sds->busiest || !busiest->sum_h_nr)
		return NULL;
	sds->avg_load = 1024 * sds->total_load / sds->total_capacity;
	force = (marked && busiest->asym_packing) || busiest->group_type == GROUP_IMBALANCED ||
		busiest->group_type == GROUP_MISFIT_TASK ||
		(env->idle != CPU_NOT_IDLE && has_capacity(env, local) && busiest->no_capacity);
	if (!force && is_balanced(env, sds))
		return NULL;
	env->migration_type = busiest->group_type == GROUP_MISFIT_TASK ? MIGRATE_MISFIT :
									 MIGRATE_LOAD;
	calculate_imbalance(k, env, sds);
	return env->imbalance ? sds->busiest : NULL;
}

const struct busiest_ops busiest_ops_average = {
	.name = "average",
	.begin = begin_average,
	.rate = rate_by_average,
	.is_busier = is_busier_by_average,
	.decide = decide_by_average,
};
