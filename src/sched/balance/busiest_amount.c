/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the types of the local and the busiest group lead to: utilisation to fill spare
 * capacity, tasks to even out their number or that of idle CPUs, load only between groups
 * that are both overloaded.
 *
 * Later kernels: CPUs that share a cache even out tasks where utilisation would be moved
 * (LB_SPREAD_LLC); nodes with few tasks may be unequal (LB_NUMA_IMBALANCE); a difference of
 * loads that would wrap moves nothing (LB_NO_WRAP, LB_NO_WRAP_AVERAGE).
 *
 * Quirks that stay: the difference of idle CPUs is unsigned and of 32 bits, and between
 * nodes it is then taken as signed, so that a negative one moves nothing after all; before
 * LB_NO_WRAP the difference of loads wraps when the local group is above the average.
 *
 * In 6.12 tasks are spread in proportion to cores, where the level of the busiest group says
 * so, and only by CPUs that idle (LB_SIBLING_CORES).
 *
 * Linux: kernel/sched/fair.c find_busiest_group(), calculate_imbalance(),
 * adjust_numa_imbalance(), sibling_imbalance(); from 0b0695f2b34a to 5.5, 6.1, 6.12.
 * Deviation: no energy model: balancing is never left to the placing of woken tasks.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/lb_env.h"

static uint64_t pct_of(const struct lb_env *env)
{
	return env->sd->imbalance_pct;
}

static void move(struct lb_env *env, enum migration_type type, int64_t amount)
{
	env->migration_type = type;
	env->imbalance = amount;
}

/*
 * How many tasks the busiest group is ahead. With LB_SIBLING_CORES and unequal numbers of cores
 * twice as many as are to move so that tasks per core become equal, rounded to the nearest.
 * Linux: sibling_imbalance(), 6.6 on.
 */
static int64_t tasks_ahead(const struct kctx *k, const struct lb_env *env,
			   const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	uint64_t here = local->sum_nr, there = busiest->sum_nr, cores_here = 1, cores_there = 1;
	uint64_t ahead;

	if (feat(k, FEAT_LB_SIBLING_CORES)) {
		if (env->idle == CPU_NOT_IDLE || !there)
			return 0;
		cores_here = sds->local->cores;
		cores_there = sds->busiest->cores;
	}
	if (cores_here == cores_there)
		return there > here ? (int64_t)(there - here) : 0;
	there *= cores_here;
	here *= cores_there;
	ahead = there > here ? there - here : 0;
	ahead = (2 * ahead + cores_here + cores_there) / (cores_here + cores_there);
	/* an empty group is of use even so */
	if (ahead <= 1 && !local->sum_nr && busiest->sum_nr > 1)
		return 2;
	return (int64_t)ahead;
}

/* How many tasks, or idle CPUs, the busiest group is ahead (behind). */
static int64_t difference(const struct kctx *k, const struct lb_env *env,
			  const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (busiest->group_weight != 1 && !sds->prefer_sibling)
		return local->idle_cpus - busiest->idle_cpus;
	return tasks_ahead(k, env, sds);
}

/* The local group has room: fill it, or even out tasks or idle CPUs. */
static void imbalance_into_spare(const struct kctx *k, struct lb_env *env,
				 const struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	bool shares_cache = env->sd->flags & SD_SHARE_PKG_RESOURCES;
	int64_t tasks;

	if (busiest->group_type > GROUP_FULLY_BUSY &&
	    !(shares_cache && feat(k, FEAT_LB_SPREAD_LLC))) {
		move(env, MIGRATE_UTIL,
		     (int64_t)(max_u64(local->group_capacity, local->group_util) -
			       local->group_util));
		/* utilisation is high only because of past load: one task */
		if (env->idle != CPU_NOT_IDLE && env->imbalance == 0)
			move(env, MIGRATE_TASK, 1);
		return;
	}
	tasks = difference(k, env, sds);
	if ((env->sd->flags & SD_NUMA) && feat(k, FEAT_LB_NUMA_IMBALANCE))
		tasks = adjust_numa_imbalance((int32_t)tasks, local->sum_nr + 1,
					      env->sd->imb_numa_nr);
	/* an arithmetic shift, as gcc has it */
	move(env, MIGRATE_TASK, tasks >> 1);
}

/* Both are compared by load. */
static void imbalance_of_loads(const struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sg_lb_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	env->migration_type = MIGRATE_LOAD;
	env->imbalance = 0;
	if (local->group_type < GROUP_OVERLOADED) {
		local->avg_load = local->group_load * 1024 / local->group_capacity;
		if (feat(k, FEAT_LB_NO_WRAP) && local->avg_load >= busiest->avg_load)
			return;
		sds->avg_load = sds->total_load * 1024 / sds->total_capacity;
		if (feat(k, FEAT_LB_NO_WRAP_AVERAGE) && local->avg_load >= sds->avg_load)
			return;
	}
	env->imbalance =
		(int64_t)(min_u64((busiest->avg_load - sds->avg_load) * busiest->group_capacity,
				  (sds->avg_load - local->avg_load) * local->group_capacity) /
			  1024);
}

/* A task too big for its CPU, or, where CPUs are equal, beside something else on it. */
static void imbalance_of_misfit(const struct kctx *k, struct lb_env *env,
				const struct sg_lb_stats *busiest)
{
	if (feat(k, FEAT_LB_REDUCED_MISFIT) && !(env->sd->flags & SD_ASYM_CPUCAPACITY))
		move(env, MIGRATE_LOAD, (int64_t)busiest->misfit_load);
	else
		move(env, MIGRATE_MISFIT,
		     feat(k, FEAT_LB_MISFIT_UTIL) ? 1 : (int64_t)busiest->misfit_load);
}

static void calculate_imbalance(const struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	const struct sg_lb_stats *busiest = &sds->busiest_stat;

	switch (busiest->group_type) {
	case GROUP_MISFIT_TASK:
		imbalance_of_misfit(k, env, busiest);
		return;
	case GROUP_ASYM_PACKING:
		move(env, MIGRATE_TASK, busiest->sum_h_nr);
		return;
	case GROUP_SMT_BALANCE:
	case GROUP_IMBALANCED:
		move(env, MIGRATE_TASK, 1);
		return;
	case GROUP_HAS_SPARE:
	case GROUP_FULLY_BUSY:
	case GROUP_OVERLOADED:
		break;
	}
	if (sds->local_stat.group_type == GROUP_HAS_SPARE)
		imbalance_into_spare(k, env, sds);
	else
		imbalance_of_loads(k, env, sds);
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
	/* an idle core beside a busy one, or a CPU that is no core's beside one */
	if (busiest->group_type == GROUP_SMT_BALANCE &&
	    ((sds->local->flags ^ sds->busiest->flags) & SD_SHARE_CPUPOWER))
		return false;
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
	    tasks_ahead(k, env, sds) > 1)
		return false;
	return busiest->group_type != GROUP_OVERLOADED && tasks_are_balanced(k, env, sds);
}

struct sched_group *decide_by_types(const struct kctx *k, struct lb_env *env,
				    struct sd_lb_stats *sds)
{
	if (!sds->busiest)
		return NULL;
	if (feat(k, FEAT_LB_SIBLING_CORES))
		sds->prefer_sibling = sds->busiest->flags & SD_PREFER_SIBLING;
	if (is_balanced(k, env, sds))
		return NULL;
	calculate_imbalance(k, env, sds);
	return env->imbalance ? sds->busiest : NULL;
}
