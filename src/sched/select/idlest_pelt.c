/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Down the domains to the idlest CPU, for fork and exec. At each level the idlest group
 * is chosen by one of three ideas (k->v->idlest): loads and the most spare capacity (5.4),
 * one load (fc1273f4cefe), or the types of the balancer (57abff067a08, 5.5).
 *
 * Quirks that stay: sums of loads wrap where the local group was passed over because of
 * affinity; with types, up to 5.6, the weight of a group is 0 in its statistics, and the
 * average load of groups that are full is never computed (IDLEST_FULL_STATS mends both).
 *
 * Cost: groups at each level, by the sums kept of them (cpu_sums.h), and the idle CPUs of the
 * last. Where spare capacity counts (5.4, not for new tasks) each CPU.
 *
 * Linux: kernel/sched/fair.c find_idlest_cpu(), find_idlest_group(), find_idlest_group_cpu(),
 * update_sg_wakeup_stats(), update_pick_idlest(); 5.4, 5.5, 6.1.
 * Deviation: all idle CPUs are in the same idle state. Before IDLEST_AFFINITY the kernel compares
 * with what is not initialized if the local group was passed over: here with a group of
 * spare capacity and no idle CPU.
 */
#include "base/check.h"
#include "base/fixed.h"

#include "sched/pelt/load_avg.h"
#include "sched/pelt/fits.h"
#include "sched/pelt/pelt.h"
#include "sched/select/cpu_sums.h"
#include "sched/select/group_type.h"
#include "sched/select/select_pelt.h"

/* What a search is about. */
struct search {
	struct task *p;
	const struct sched_domain *sd;
	uint32_t this_cpu, sd_flag;
	uint64_t pct, half_pct;
	uint64_t imbalance; /* loads closer than that are equal */
};

static uint64_t spare_capacity(struct kctx *k, uint32_t cpu, const struct task *p)
{
	uint64_t capacity = rq_of_cpu(k->m, cpu)->cpu_capacity;
	uint64_t used = cpu_util_without(k, cpu, p);

	return capacity > used ? capacity - used : 0;
}

/* Loads of a group per capacity, and its most spare CPU. */
struct group_loads {
	uint64_t runnable, load, spare;
};

static struct group_loads walk_loads(struct kctx *k, const struct search *s,
				     const struct sched_group *g)
{
	struct group_loads l = {0, 0, 0};

	for (uint32_t i = 0; i < g->ncpus; i++) {
		const struct rq *rq = rq_of_cpu(k->m, g->cpu[i]);

		l.runnable += wake_load(k, rq);
		l.load += rq->cfs->avg.load_avg;
		l.spare = max_u64(l.spare, spare_capacity(k, g->cpu[i], s->p));
	}
	return l;
}

/* A new task's utilization is a guess: only load counts. */
static bool spare_counts(const struct search *s)
{
	return !(s->sd_flag & SD_BALANCE_FORK);
}

static struct group_loads loads_of(struct kctx *k, const struct search *s,
				   const struct sched_group *g)
{
	const struct cpu_sums *sums = g->sgc->sums;
	struct group_loads l;

	if (sums && !spare_counts(s))
		l = (struct group_loads){
			.runnable = feat(k, FEAT_WAKE_LOAD_AVG) ? sums->load_avg :
								  sums->runnable_avg,
			.load = sums->load_avg,
		};
	else
		l = walk_loads(k, s, g);
	l.runnable = l.runnable * 1024 / g->sgc->capacity;
	l.load = l.load * 1024 / g->sgc->capacity;
	charge(k, WORK_SELECT_SCAN, g->ncpus);
	return l;
}

/* The best of the groups so far. What was not seen has all load there is. */
struct choice {
	struct group_loads here, min; /* of the local group; min.spare is the most */
	struct sched_group *idlest, *roomiest;
};

/* Two loads are equal if they differ by less than the imbalance; then the other one counts. */
static void offer_group(struct kctx *k, const struct search *s, struct choice *c,
			struct sched_group *g)
{
	struct group_loads l = loads_of(k, s, g), *min = &c->min;
	bool less;

	if (mask_test(g->cpus, s->this_cpu)) {
		c->here = l;
		return;
	}
	if (l.spare > min->spare) {
		min->spare = l.spare;
		c->roomiest = g;
	}
	if (feat(k, FEAT_IDLEST_SINGLE_LOAD))
		less = l.load < min->load;
	else
		less = min->runnable > l.runnable + s->imbalance;
	if (less)
		min->runnable = l.runnable;
	else if (!feat(k, FEAT_IDLEST_SINGLE_LOAD))
		less = l.runnable < min->runnable + s->imbalance &&
		       100 * min->load > s->half_pct * l.load;
	if (!less)
		return;
	min->load = l.load;
	c->idlest = g;
}

/* Does the local group have as much room for P as any other? */
static bool stay_with_room(const struct search *s, const struct choice *c)
{
	return c->here.spare > s->p->se.avg.util_avg / 2 &&
	       s->half_pct * c->here.spare > 100 * c->min.spare;
}

/* Is the local group as idle as any other? */
static bool stay_by_load(const struct kctx *k, const struct search *s, const struct choice *c)
{
	bool single = feat(k, FEAT_IDLEST_SINGLE_LOAD);
	uint64_t min = single ? c->min.load : c->min.runnable;
	uint64_t here = single ? c->here.load : c->here.runnable;

	if ((s->sd->flags & SD_NUMA) && min + s->imbalance >= here)
		return true;
	if (single ? min >= here + s->imbalance : min > here + s->imbalance)
		return true;
	return here < min + s->imbalance && 100 * c->here.load < s->half_pct * c->min.load;
}

static struct sched_group *idlest_by_loads(struct kctx *k, const struct search *s)
{
	struct choice c = {.here = {UINT64_MAX, UINT64_MAX, 0}, .min = {UINT64_MAX, UINT64_MAX, 0}};
	struct sched_group *g = s->sd->groups;

	do {
		if (mask_intersects(g->cpus, s->p->allowed))
			offer_group(k, s, &c, g);
		g = g->next;
	} while (g != s->sd->groups);

	if (spare_counts(s)) {
		if (stay_with_room(s, &c))
			return NULL;
		if (c.min.spare > s->p->se.avg.util_avg / 2)
			return c.roomiest;
	}
	return c.idlest && !stay_by_load(k, s, &c) ? c.idlest : NULL;
}

/* -- by types -- */

struct wakeup_stats {
	uint64_t load, util, runnable, capacity, avg_load, misfit_load;
	uint32_t sum_nr, sum_h_nr, idle_cpus, weight;
	enum group_type type;
};

/* CPU's load without P, if P counts there. Linux: cpu_load_without(). */
static uint64_t load_without(struct kctx *k, uint32_t cpu, const struct task *p)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);

	if (!feat(k, FEAT_IDLEST_WITHOUT_TASK) || p->cpu != cpu || !p->se.avg.last_update_time_ns)
		return rq->cfs->avg.load_avg;
	return sub_positive(rq->cfs->avg.load_avg, task_h_load(k, p));
}

/* CPU's runnable tasks without P. Linux: cpu_runnable_without(). */
static uint64_t runnable_without(struct kctx *k, uint32_t cpu, const struct task *p)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);

	if (p->cpu != cpu || !p->se.avg.last_update_time_ns)
		return rq->cfs->avg.runnable_avg;
	return sub_positive(rq->cfs->avg.runnable_avg, p->se.avg.runnable_avg);
}

/* Does P, queued there, count among CPU's tasks? Linux: task_running_on_cpu(). */
static bool counts_there(const struct kctx *k, uint32_t cpu, const struct task *p)
{
	return feat(k, FEAT_IDLEST_WITHOUT_TASK) && p->cpu == cpu && p->se.on_rq;
}

/* Linux: idle_cpu_without(). */
static bool idle_without(const struct kctx *k, uint32_t cpu, const struct task *p)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);

	if (!feat(k, FEAT_IDLEST_WITHOUT_TASK))
		return idle_cpu(k, cpu);
	return (rq->curr == rq->idle || rq->curr == p) && !rq->wake_list;
}

/* As the balancer's, in busiest_types.c. Linux: group_classify(). */
static enum group_type classify(const struct kctx *k, const struct search *s,
				const struct sched_group *g, const struct wakeup_stats *w)
{
	uint64_t capacity = w->capacity * 100, util = w->util * s->pct;
	bool waiting = feat(k, FEAT_LB_RUNNABLE_TYPES) && w->capacity * s->pct < w->runnable * 100;

	if (w->sum_nr > w->weight && (capacity < util || waiting))
		return GROUP_OVERLOADED;
	if (g->sgc->imbalance)
		return GROUP_IMBALANCED;
	if (w->misfit_load)
		return GROUP_MISFIT_TASK;
	if (w->sum_nr < w->weight || (!waiting && capacity > util))
		return GROUP_HAS_SPARE;
	return GROUP_FULLY_BUSY;
}

/* Does P fit nowhere in G? */
static bool fits_nowhere(const struct kctx *k, const struct search *s, const struct sched_group *g)
{
	if (!(s->sd->flags & SD_ASYM_CPUCAPACITY))
		return false;
	if (!feat(k, FEAT_IDLEST_ALLOWED))
		return !task_fits_capacity(k, s->p, g->sgc->max_capacity);
	for (uint32_t i = 0; i < g->ncpus; i++)
		if (mask_test(s->p->allowed, g->cpu[i]) &&
		    task_fits_capacity(k, s->p, rq_of_cpu(k->m, g->cpu[i])->cpu_capacity))
			return false;
	return true;
}

/* CPU's part in what is summed up over a group: without P. */
static struct cpu_sums sums_without(struct kctx *k, uint32_t cpu, const struct task *p)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);
	uint32_t here = counts_there(k, cpu, p), nr_running = rq->nr_running - here;

	return (struct cpu_sums){
		.load_avg = load_without(k, cpu, p),
		.runnable_avg = runnable_without(k, cpu, p),
		.util = (uint32_t)cpu_util_without(k, cpu, p),
		.h_nr_running = rq->cfs->h_nr_running - here,
		.nr_running = nr_running,
		.idle_cpus = !nr_running && idle_without(k, cpu, p),
	};
}

static void add_sums(struct wakeup_stats *w, const struct cpu_sums *sums)
{
	w->load += sums->load_avg;
	w->runnable += sums->runnable_avg;
	w->util += sums->util;
	w->sum_h_nr += sums->h_nr_running;
	w->sum_nr += sums->nr_running;
	w->idle_cpus += sums->idle_cpus;
}

static void take_off(struct wakeup_stats *w, const struct cpu_sums *sums)
{
	w->load -= sums->load_avg;
	w->runnable -= sums->runnable_avg;
	w->util -= sums->util;
	w->sum_h_nr -= sums->h_nr_running;
	w->sum_nr -= sums->nr_running;
	w->idle_cpus -= sums->idle_cpus;
}

/* P makes a difference only on the CPU it is on. */
static void add_cpus(struct kctx *k, const struct search *s, const struct sched_group *g,
		     struct wakeup_stats *w)
{
	bool all = !feat(k, FEAT_IDLEST_ALLOWED) || mask_is_subset(g->cpus, s->p->allowed);
	struct cpu_sums own;

	if (!all || !g->sgc->sums) {
		for (uint32_t i = 0; i < g->ncpus; i++) {
			if (!all && !mask_test(s->p->allowed, g->cpu[i]))
				continue;
			own = sums_without(k, g->cpu[i], s->p);
			add_sums(w, &own);
		}
		return;
	}
	add_sums(w, g->sgc->sums);
	if (!mask_test(g->cpus, s->p->cpu))
		return;
	take_off(w, &k->m->share[s->p->cpu].now);
	own = sums_without(k, s->p->cpu, s->p);
	add_sums(w, &own);
}

static struct wakeup_stats stats_of(struct kctx *k, const struct search *s,
				    const struct sched_group *g)
{
	bool full = feat(k, FEAT_IDLEST_FULL_STATS);
	struct wakeup_stats w = {.capacity = g->sgc->capacity, .weight = full ? g->ncpus : 0};

	add_cpus(k, s, g, &w);
	charge(k, WORK_SELECT_SCAN, g->ncpus);
	w.misfit_load = fits_nowhere(k, s, g);
	w.type = classify(k, s, g, &w);
	if (full ? w.type == GROUP_FULLY_BUSY || w.type == GROUP_OVERLOADED :
		   w.type < GROUP_FULLY_BUSY)
		w.avg_load = w.load * 1024 / w.capacity;
	return w;
}

/* Linux: update_pick_idlest(). */
static bool is_idler(const struct kctx *k, const struct wakeup_stats *w,
		     const struct sched_group *g, const struct wakeup_stats *idlest,
		     const struct sched_group *idlest_group)
{
	if (w->type != idlest->type)
		return w->type < idlest->type;
	switch (w->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		return w->avg_load < idlest->avg_load;
	case GROUP_IMBALANCED:
	case GROUP_ASYM_PACKING:
	case GROUP_SMT_BALANCE:
		return false;
	case GROUP_MISFIT_TASK:
		return g->sgc->max_capacity > idlest_group->sgc->max_capacity;
	case GROUP_HAS_SPARE:
		if (w->idle_cpus == idlest->idle_cpus && feat(k, FEAT_IDLEST_LEAST_UTIL))
			return w->util < idlest->util;
		return w->idle_cpus > idlest->idle_cpus;
	}
	CHECK(false);
	return false;
}

/*
 * Between nodes: are there so few tasks here that P may stay, though there are more idle CPUs
 * elsewhere? Few is what the domain says, at most the CPUs here that P may use.
 */
static bool stay_in_node(const struct kctx *k, const struct search *s,
			 const struct wakeup_stats *local, const struct sched_group *local_group,
			 const struct wakeup_stats *idlest)
{
	int32_t ahead = (int32_t)(local->idle_cpus - idlest->idle_cpus);
	uint32_t few = 0;

	if (!(s->sd->flags & SD_NUMA))
		return false;
	if (!feat(k, FEAT_LB_NUMA_IMBALANCE))
		return local->idle_cpus > 0;
	for (uint32_t i = 0; local_group && i < local_group->ncpus; i++)
		few += mask_test(s->p->allowed, local_group->cpu[i]);
	return adjust_numa_imbalance(ahead < 0 ? -ahead : ahead, local->sum_nr + 1,
				     min_u32(few, s->sd->imb_numa_nr)) == 0;
}

/* Both are of one type: stay in the local group? */
static bool stay_in_type(const struct kctx *k, const struct search *s,
			 const struct wakeup_stats *local, const struct sched_group *local_group,
			 const struct wakeup_stats *idlest, const struct sched_group *idlest_group)
{
	switch (local->type) {
	case GROUP_OVERLOADED:
	case GROUP_FULLY_BUSY:
		if ((s->sd->flags & SD_NUMA) && idlest->avg_load + s->imbalance >= local->avg_load)
			return true;
		return idlest->avg_load >= local->avg_load + s->imbalance ||
		       100 * local->avg_load <= s->pct * idlest->avg_load;
	case GROUP_IMBALANCED:
	case GROUP_ASYM_PACKING:
	case GROUP_SMT_BALANCE:
		return true;
	case GROUP_MISFIT_TASK:
		return local_group->sgc->max_capacity >= idlest_group->sgc->max_capacity;
	case GROUP_HAS_SPARE:
		return stay_in_node(k, s, local, local_group, idlest) ||
		       local->idle_cpus >= idlest->idle_cpus;
	}
	CHECK(false);
	return true;
}

static struct sched_group *idlest_by_types(struct kctx *k, const struct search *s)
{
	struct wakeup_stats local = {.type = GROUP_HAS_SPARE};
	struct wakeup_stats idlest = {.type = GROUP_OVERLOADED, .avg_load = UINT32_MAX};
	struct sched_group *g = s->sd->groups, *idlest_group = NULL, *local_group = NULL;

	do {
		if (mask_intersects(g->cpus, s->p->allowed)) {
			struct wakeup_stats w = stats_of(k, s, g);

			if (mask_test(g->cpus, s->this_cpu)) {
				local = w;
				local_group = g;
			} else if (is_idler(k, &w, g, &idlest, idlest_group)) {
				idlest = w;
				idlest_group = g;
			}
		}
		g = g->next;
	} while (g != s->sd->groups);

	if (!idlest_group)
		return NULL;
	/* the local group was passed over because of affinity */
	if (!local_group && feat(k, FEAT_IDLEST_AFFINITY))
		return idlest_group;
	if (local.type != idlest.type)
		return local.type < idlest.type ? NULL : idlest_group;
	return stay_in_type(k, s, &local, local_group, &idlest, idlest_group) ? NULL : idlest_group;
}

/* -- down the domains -- */

static struct sched_group *find_idlest_group(struct kctx *k, const struct sched_domain *sd,
					     struct task *p, uint32_t cpu, uint32_t sd_flag)
{
	struct search s = {.p = p,
			   .sd = sd,
			   .this_cpu = cpu,
			   .sd_flag = sd_flag,
			   .pct = sd->imbalance_pct,
			   .half_pct = 100 + (sd->imbalance_pct - 100) / 2,
			   .imbalance = 1024 * (uint64_t)(sd->imbalance_pct - 100) / 100};

	return feat(k, FEAT_IDLEST_TYPES) ? idlest_by_types(k, &s) : idlest_by_loads(k, &s);
}

/* The CPU of G that went idle last and runs nothing; CPU_NONE. */
static uint32_t last_idle_cpu(const struct kctx *k, const struct sched_group *g,
			      const struct task *p)
{
	uint32_t last_idle = CPU_NONE;
	uint64_t last_stamp = 0;

	for (uint32_t word = 0; word < g->cpus->nwords; word++) {
		uint64_t left = g->cpus->w[word] & p->allowed->w[word] & k->m->idling->w[word];

		for (; left; left &= left - 1) {
			uint32_t cpu = word * 64 + (uint32_t)__builtin_ctzll(left);
			const struct rq *rq = rq_of_cpu(k->m, cpu);

			if (rq->idle_stamp_ns <= last_stamp || !idle_cpu(k, cpu))
				continue;
			last_stamp = rq->idle_stamp_ns;
			last_idle = cpu;
		}
	}
	return last_idle;
}

/* The first CPU of G with SCHED_IDLE tasks only; CPU_NONE. */
static uint32_t first_sched_idle_cpu(const struct kctx *k, const struct sched_group *g,
				     const struct task *p)
{
	uint32_t cpu;

	mask_for_each_and(cpu, g->cpus, k->m->had_idle_policy)
		if (mask_test(p->allowed, cpu) && sched_idle_cpu(k, cpu))
			return cpu;
	return CPU_NONE;
}

/* No CPU of G is idle: one with SCHED_IDLE tasks only, else the least loaded, else THIS_CPU. */
static uint32_t least_busy_cpu(const struct kctx *k, const struct sched_group *g,
			       const struct task *p, uint32_t this_cpu)
{
	uint32_t least = this_cpu, cpu;
	uint64_t least_load = UINT64_MAX;

	mask_for_each_and(cpu, g->cpus, p->allowed) {
		uint64_t load;

		/* idle, but never went idle: no candidate of either kind */
		if (idle_cpu(k, cpu))
			continue;
		if (sched_idle_cpu(k, cpu))
			return cpu;
		load = wake_load(k, rq_of_cpu(k->m, cpu));
		if (load < least_load) {
			least_load = load;
			least = cpu;
		}
	}
	return least;
}

/*
 * The CPU of G that went idle last, else one with SCHED_IDLE tasks only, else the least loaded.
 * With SCHED_IDLE_FIRST one with SCHED_IDLE tasks only before all.
 */
static uint32_t find_idlest_group_cpu(struct kctx *k, const struct sched_group *g,
				      const struct task *p, uint32_t this_cpu)
{
	uint32_t cpu;

	if (g->ncpus == 1)
		return g->cpu[0];
	if (feat(k, FEAT_SCHED_IDLE_FIRST))
		cpu = first_sched_idle_cpu(k, g, p);
	else
		cpu = CPU_NONE;
	if (cpu == CPU_NONE)
		cpu = last_idle_cpu(k, g, p);
	charge(k, WORK_SELECT_SCAN, g->ncpus);
	return cpu != CPU_NONE ? cpu : least_busy_cpu(k, g, p, this_cpu);
}

/* The highest domain of CPU that balances FLAG and is smaller than WEIGHT CPUs. */
static struct sched_domain *domain_below(const struct kctx *k, uint32_t cpu, uint32_t weight,
					 uint32_t flag)
{
	struct sched_domain *found = NULL;

	for (struct sched_domain *sd = rq_of_cpu(k->m, cpu)->sd; sd && sd->span_weight < weight;
	     sd = sd->parent)
		if (sd->flags & flag)
			found = sd;
	return found;
}

uint32_t find_idlest_pelt(struct kctx *k, struct task *p, struct sched_domain *sd, uint32_t cpu,
			  uint32_t prev, uint32_t sd_flag)
{
	uint32_t new_cpu = cpu;

	peek(k);
	if (!mask_intersects(sd->span, p->allowed))
		return prev;
	cpu_sums_refresh(k);
	if (!(sd_flag & SD_BALANCE_FORK))
		update_load_avg_blocked_se(k, p->se.cfs_rq->avg.last_update_time_ns, &p->se);
	/* bound: each turn takes a smaller domain */
	while (sd) {
		struct sched_group *g =
			sd->flags & sd_flag ? find_idlest_group(k, sd, p, cpu, sd_flag) : NULL;

		if (g)
			new_cpu = find_idlest_group_cpu(k, g, p, cpu);
		if (!g || new_cpu == cpu) {
			sd = sd->child;
			continue;
		}
		cpu = new_cpu;
		sd = domain_below(k, cpu, sd->span_weight, sd_flag);
	}
	return new_cpu;
}
