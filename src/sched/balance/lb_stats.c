/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over a domain's groups that gathers what a balancing attempt decides by, the
 * local group first, and the search for the queue to take from. What the sums lead
 * to is up to the kernel's busiest_ops.
 *
 * Cost: groups, by the sums kept of them (sched/select/cpu_sums.h). What is not kept, capacities
 * that differ, a candidate that was taken out and a CPU that must be aged first need a look at
 * each CPU: then it is made as the kernel makes it, once and without a lock.
 *
 * Linux: kernel/sched/fair.c update_sg_lb_stats(), update_sd_lb_stats(), find_busiest_queue();
 * 5.4, 5.5.
 * Deviation: NUMA balancing is off, so no queue is passed over for the sake of its tasks' nodes.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/balance/lb_steps.h"

#include "sched/pelt/pelt.h"
#include "sched/pelt/fits.h"
#include "sched/select/cpu_sums.h"
#include "sched/select/select.h"

/* The load a CPU counts with. */
static uint64_t load_of(const struct kctx *k, const struct rq *rq)
{
	return feat(k, FEAT_LB_LOAD_AVG) ? rq->cfs->avg.load_avg : rq->cfs->avg.runnable_avg;
}

/* Is RQ's capacity noticeably reduced by what is not fair? Linux: check_cpu_capacity(). */
static bool capacity_is_reduced(const struct sched_domain *sd, const struct rq *rq)
{
	return rq->cpu_capacity * sd->imbalance_pct < rq->cpu_capacity_orig * 100;
}

static bool has_types(const struct kctx *k)
{
	return k->v->busiest == &busiest_ops_types;
}

/* One CPU's part in its group's sums; true: it runs more than one task. */
static bool add_cpu(struct kctx *k, const struct lb_env *env, bool local, uint32_t cpu,
		    struct sg_lb_stats *s)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);
	uint32_t nr_running = rq->nr_running;
	bool types = has_types(k);

	s->group_load += load_of(k, rq);
	s->group_util += cpu_util(k, cpu);
	s->sum_h_nr += rq->cfs->h_nr_running;
	s->sum_nr += feat(k, FEAT_LB_ALL_CLASSES) ? nr_running : rq->cfs->h_nr_running;
	if (!nr_running && idle_cpu(k, cpu)) {
		s->idle_cpus++;
		if (types)
			return false;
	}
	if (types && local)
		return nr_running > 1;
	if ((env->sd->flags & SD_ASYM_CPUCAPACITY) && s->misfit_load < rq->misfit_task_load)
		s->misfit_load = rq->misfit_task_load;
	return nr_running > 1 || (s->misfit_load && (env->sd->flags & SD_ASYM_CPUCAPACITY));
}

/*
 * Do all of the domain's CPUs count as they are, so that sums will do? If what was left on some
 * is to be aged, env->load_is_left says so then, as the walk over the CPUs would.
 */
static bool sums_will_do(struct kctx *k, struct lb_env *env)
{
	const struct sched_domain *sd = env->sd;

	if ((sd->flags & SD_ASYM_CPUCAPACITY) || !mask_equal(env->cpus, sd->span))
		return false;
	return !env->refresh_idle || !k->v->nohz->refresh_due(k, sd->span, &env->load_is_left);
}

static bool take_sums(struct kctx *k, const struct sched_group *g, struct sg_lb_stats *s)
{
	const struct cpu_sums *sums = g->sgc->sums;

	s->group_load = feat(k, FEAT_LB_LOAD_AVG) ? sums->load_avg : sums->runnable_avg;
	s->group_util = sums->util;
	s->sum_h_nr = sums->h_nr_running;
	s->sum_nr = feat(k, FEAT_LB_ALL_CLASSES) ? sums->nr_running : sums->h_nr_running;
	s->idle_cpus = sums->idle_cpus;
	return sums->crowded_cpus;
}

static bool walk_cpus(struct kctx *k, struct lb_env *env, const struct sched_group *g, bool local,
		      struct sg_lb_stats *s)
{
	bool overload = false;

	for (uint32_t i = 0; i < g->ncpus; i++) {
		if (!mask_test(env->cpus, g->cpu[i]))
			continue;
		if (env->refresh_idle)
			env->load_is_left |= k->v->nohz->refresh(k, g->cpu[i]);
		overload |= add_cpu(k, env, local, g->cpu[i], s);
	}
	return overload;
}

/* Sums will do until SUMS_END_NS; true: some CPU runs more than one task. */
static bool gather(struct kctx *k, struct lb_env *env, const struct sched_group *g, bool local,
		   uint64_t sums_end_ns, struct sg_lb_stats *s)
{
	bool overload;

	*s = (struct sg_lb_stats){.group_weight = g->ncpus, .group_capacity = g->sgc->capacity};
	if (k->now_ns < sums_end_ns && g->sgc->sums)
		overload = take_sums(k, g, s);
	else
		overload = walk_cpus(k, env, g, local, s);
	charge(k, WORK_BUSIEST_SCAN, g->ncpus);
	return overload;
}

/* Until when sums will do: CPUs are aged once in a jiffy. 0: they will not. */
static uint64_t sums_end_ns(struct kctx *k, struct lb_env *env)
{
	if (!sums_will_do(k, env))
		return 0;
	cpu_sums_refresh(k);
	return env->refresh_idle ? (jiffies(k) + 1) * k->m->tick_ns : UINT64_MAX;
}

void update_sd_lb_stats(struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sched_group *g = env->sd->groups;
	bool overload = false;
	uint64_t end_ns;

	env->refresh_idle = env->idle == CPU_NEWLY_IDLE && k->m->nohz.has_blocked;
	env->load_is_left = false;
	k->v->busiest->begin(env, sds);
	peek(k);
	end_ns = sums_end_ns(k, env);
	do {
		bool local = mask_test(g->cpus, env->dst_cpu);
		struct sg_lb_stats here, *s = local ? &sds->local_stat : &here;

		if (local) {
			sds->local = g;
			if (env->idle != CPU_NEWLY_IDLE || jiffies(k) >= g->sgc->next_update)
				lb_update_capacity(k, env->sd, env->dst_cpu);
		}
		overload |= gather(k, env, g, local, end_ns, s);
		k->v->busiest->rate(k, env, sds, g, s);
		if (!local && k->v->busiest->is_busier(k, env, sds, g, s)) {
			sds->busiest = g;
			sds->busiest_stat = *s;
		}
		sds->total_load += s->group_load;
		sds->total_capacity += s->group_capacity;
		g = g->next;
	} while (g != env->sd->groups);
	if (env->load_is_left && mask_is_subset(k->m->nohz.cpu_mask, env->sd->span))
		k->m->nohz.next_blocked = jiffies(k) + ms_to_jiffies(k, BLOCKED_PERIOD_MS);
	if (!env->sd->parent)
		k->m->rd.overload = overload;
}

/* What RQ, with NR tasks, is measured by for the kind of migration; 0: never chosen. */
static uint64_t worth_of_queue(struct kctx *k, const struct lb_env *env, const struct rq *rq,
			       uint32_t nr)
{
	uint64_t load = load_of(k, rq);

	switch (env->migration_type) {
	case MIGRATE_LOAD:
		/* a single task too big to move */
		if (nr == 1 && load > (uint64_t)env->imbalance && !capacity_is_reduced(env->sd, rq))
			return 0;
		return load;
	case MIGRATE_UTIL:
		return cpu_util(k, rq->cpu);
	case MIGRATE_TASK:
		return rq->cfs->h_nr_running;
	case MIGRATE_MISFIT:
		return rq->misfit_task_load;
	}
	CHECK(false);
	return 0;
}

struct rq *find_busiest_queue_env(struct kctx *k, struct lb_env *env, const struct sched_group *g)
{
	uint32_t saved = path_enter(k, PATH_FIND_BUSIEST_QUEUE);
	uint64_t most = 0, capacity_of_most = 1;
	struct rq *busiest = NULL;

	peek(k);
	for (uint32_t i = 0; i < g->ncpus; i++) {
		struct rq *rq = rq_of_cpu(k->m, g->cpu[i]);
		uint32_t nr = has_types(k) ? rq->cfs->h_nr_running : rq->nr_running;
		uint64_t worth, capacity = 1;

		if (!mask_test(env->cpus, g->cpu[i]))
			continue;
		/* it would end in pushing a single task to a smaller CPU */
		if ((env->sd->flags & SD_ASYM_CPUCAPACITY) && nr == 1 &&
		    (has_types(k) || env->migration_type != MIGRATE_MISFIT) &&
		    env->dst_rq->cpu_capacity < rq->cpu_capacity)
			continue;
		worth = worth_of_queue(k, env, rq, nr);
		if (env->migration_type == MIGRATE_LOAD)
			capacity = rq->cpu_capacity;
		if (worth * capacity_of_most > most * capacity) {
			most = worth;
			capacity_of_most = capacity;
			busiest = rq;
		}
	}
	charge(k, WORK_BUSIEST_SCAN, g->ncpus);
	path_leave(k, saved);
	return busiest;
}
