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
 * Linux: kernel/sched/fair.c update_sg_lb_stats(), update_sd_lb_stats(), find_busiest_queue(),
 * update_idle_cpu_scan(); 5.4, 5.5, 6.1.
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

static bool has_types(const struct kctx *k)
{
	return k->v->busiest == &busiest_ops_types;
}

/*
 * The load of a task that is too big for its CPU, or the only one of a CPU on which something
 * else leaves it little. True: the domain counts as overloaded for it.
 */
static bool add_misfit(const struct kctx *k, const struct lb_env *env, const struct rq *rq,
		       struct sg_lb_stats *s)
{
	if (env->sd->flags & SD_ASYM_CPUCAPACITY) {
		s->misfit_load = max_u64(s->misfit_load, rq->misfit_task_load);
		return s->misfit_load;
	}
	if (feat(k, FEAT_LB_REDUCED_MISFIT) && env->idle != CPU_NOT_IDLE &&
	    rq->cfs->h_nr_running == 1 && capacity_is_reduced(env->sd, rq))
		s->misfit_load = max_u64(s->misfit_load, load_of(k, rq));
	return false;
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
	s->group_runnable += rq->cfs->avg.runnable_avg;
	s->sum_h_nr += rq->cfs->h_nr_running;
	s->sum_nr += feat(k, FEAT_LB_ALL_CLASSES) ? nr_running : rq->cfs->h_nr_running;
	if (!nr_running && idle_cpu(k, cpu)) {
		s->idle_cpus++;
		if (types)
			return false;
	}
	if (types && local)
		return nr_running > 1;
	return add_misfit(k, env, rq, s) || nr_running > 1;
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

/* Some CPU of G may have a task for which its capacity does not suffice: see add_misfit(). */
static bool may_have_misfit(const struct kctx *k, const struct lb_env *env,
			    const struct sched_group *g)
{
	return feat(k, FEAT_LB_REDUCED_MISFIT) && env->idle != CPU_NOT_IDLE &&
	       g->sgc->sums->missing_cap;
}

static bool take_sums(struct kctx *k, const struct sched_group *g, struct sg_lb_stats *s)
{
	const struct cpu_sums *sums = g->sgc->sums;

	s->group_load = feat(k, FEAT_LB_LOAD_AVG) ? sums->load_avg : sums->runnable_avg;
	s->group_util = sums->util;
	s->group_runnable = sums->runnable_avg;
	s->sum_h_nr = sums->h_nr_running;
	s->sum_nr = feat(k, FEAT_LB_ALL_CLASSES) ? sums->nr_running : sums->h_nr_running;
	s->idle_cpus = sums->idle_cpus;
	return sums->crowded_cpus;
}

static SELDOM bool walk_cpus(struct kctx *k, struct lb_env *env, const struct sched_group *g,
			     bool local, struct sg_lb_stats *s)
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
	if (k->now_ns < sums_end_ns && g->sgc->sums && (local || !may_have_misfit(k, env, g)))
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

/*
 * How far wake-ups may look for an idle CPU in the cache whose CPUs together use SUM_UTIL: with
 * u the part of it that is used, 1 - (u x pct)^2 of all CPUs.
 * All fit in 64 bits: x is at most 1024, CPUs are fewer than 2^32.
 * Linux: update_idle_cpu_scan(), 6.0 on.
 */
static void update_idle_cpu_scan(struct kctx *k, const struct lb_env *env, uint64_t sum_util)
{
	uint64_t llc_size = env->dst_rq->top.sd_llc_size, pct = env->sd->imbalance_pct, x, t;
	struct sched_domain_shared *llc = env->dst_rq->top.sd_llc_shared;

	if (!feat(k, FEAT_SIS_UTIL) || env->idle == CPU_NEWLY_IDLE || !llc ||
	    env->sd->span_weight != llc_size)
		return;
	x = sum_util / llc_size;
	t = min_u64(x * x * pct * pct / (10000 * 1024), 1024);
	llc->nr_idle_scan = (uint32_t)((1024 - t) * llc_size / 1024);
}

void update_sd_lb_stats(struct kctx *k, struct lb_env *env, struct sd_lb_stats *sds)
{
	struct sched_group *g = env->sd->groups;
	bool overload = false;
	uint64_t end_ns;

	env->refresh_idle = env->idle == CPU_NEWLY_IDLE && k->m->nohz.has_blocked &&
			    !feat(k, FEAT_NOHZ_NEWILB);
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
		sds->total_util += s->group_util;
		sds->total_capacity += s->group_capacity;
		g = g->next;
	} while (g != env->sd->groups);
	if (env->load_is_left && mask_is_subset(k->m->nohz.cpu_mask, env->sd->span))
		k->m->nohz.next_blocked = jiffies(k) + ms_to_jiffies(k, BLOCKED_PERIOD_MS);
	if (!env->sd->parent)
		k->m->rd.overload = overload;
	update_idle_cpu_scan(k, env, sds->total_util);
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
		/* the only one cannot be taken, however much it uses */
		if (nr <= 1 && feat(k, FEAT_LB_QUEUE_FILTER))
			return 0;
		if (feat(k, FEAT_LB_UTIL_BOOST))
			return cpu_util_if(k,
					   &(struct util_question){rq->cpu, CPU_NONE, NULL, true});
		return cpu_util(k, rq->cpu);
	case MIGRATE_TASK:
		return rq->cfs->h_nr_running;
	case MIGRATE_MISFIT:
		return rq->misfit_task_load;
	}
	CHECK(false);
	return 0;
}

/* RQ, with NR tasks, is not to be asked. */
static bool queue_is_passed_over(const struct kctx *k, const struct lb_env *env,
				 const struct rq *rq, uint32_t nr)
{
	uint64_t here = env->dst_rq->cpu_capacity;

	if (!nr && has_types(k) && feat(k, FEAT_LB_QUEUE_FILTER))
		return true;
	if (nr != 1)
		return false;
	/* it would end in pushing a single task to a smaller CPU, or to a less preferred one */
	if ((env->sd->flags & SD_ASYM_CPUCAPACITY) &&
	    (has_types(k) || env->migration_type != MIGRATE_MISFIT) &&
	    (feat(k, FEAT_LB_CAPACITY_MARGIN) ? !capacity_greater(here, rq->cpu_capacity) :
						here < rq->cpu_capacity))
		return true;
	if (feat(k, FEAT_LB_ASYM_IDLE_CORE))
		return sched_asym(k, env->sd, rq->cpu, env->dst_cpu);
	return (env->sd->flags & SD_ASYM_PACKING) && feat(k, FEAT_LB_ASYM_SMT) &&
	       sched_asym_prefer(k, rq->cpu, env->dst_cpu);
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

		if (!mask_test(env->cpus, g->cpu[i]) || queue_is_passed_over(k, env, rq, nr))
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
