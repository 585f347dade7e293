/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is busiest, with an eye on room. A group with fewer tasks than its power can
 * take has capacity: a newly idle CPU of such a group pulls from a group that
 * has none whatever the averages say, and only then are the others held to less
 * than they could take (prefer_sibling). A group whose CPUs differ by a whole
 * average task while its fullest has more than one is unbalanced inside, which
 * forces a move too.
 *
 * Linux: kernel/sched/fair.c find_busiest_group(), update_sd_lb_stats(),
 * update_sg_lb_stats(); 3.3 and 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/imbalance.h"
#include "sched/select/select.h"

struct sg_stats {
	uint64_t avg_load; /* group_load per 1024 of power */
	uint64_t group_load, sum_nr_running, sum_weighted_load, capacity, idle_cpus;
	uint64_t max_load, min_load, max_nr_running;
	bool imb, has_capacity;
};

/* What RQ, with LOAD, adds to the sums of its group. */
static inline void add_queue(struct sg_stats *s, const struct rq *rq, uint64_t load, bool idle)
{
	s->group_load += load;
	s->sum_nr_running += rq->nr_running;
	s->sum_weighted_load += rq->load.weight;
	s->idle_cpus += idle;
}

/* Loads of G's candidate CPUs; G is the local group. Returns the CPU of it that balances. */
static uint32_t collect_local(struct kctx *k, const struct lb *lb, const struct sched_group *g,
			      struct sg_stats *s)
{
	uint32_t load_idx = lb_load_idx(lb);
	uint32_t balance_cpu = g->cpu[0];
	bool found_idle = false;

	for (uint32_t n = 0; n < g->ncpus; n++) {
		uint32_t i = g->cpu[n];
		bool idle;

		if (!lb->all_candidates && !mask_test(lb->cpus, i))
			continue;
		idle = idle_cpu(k, i);
		if (idle && !found_idle) {
			found_idle = true;
			balance_cpu = i;
		}
		add_queue(s, rq_of_cpu(k->m, i), target_load(k, i, load_idx), idle);
	}
	return balance_cpu;
}

/* ... of another group. */
static void collect_loads(struct kctx *k, const struct lb *lb, const struct sched_group *g,
			  struct sg_stats *s)
{
	uint32_t load_idx = lb_load_idx(lb);
	struct sg_stats sum = *s;

	for (uint32_t n = 0; n < g->ncpus; n++) {
		uint32_t i = g->cpu[n];
		const struct rq *rq = rq_of_cpu(k->m, i);
		uint64_t load;

		if (!lb->all_candidates && !mask_test(lb->cpus, i))
			continue;
		load = source_load(k, i, load_idx);
		if (load > sum.max_load) {
			sum.max_load = load;
			sum.max_nr_running = rq->nr_running;
		}
		sum.min_load = min_u64(sum.min_load, load);
		add_queue(&sum, rq, load, idle_cpu(k, i));
	}
	*s = sum;
}

/* Linux: update_sg_lb_stats(). */
static void update_sg_stats(struct kctx *k, struct lb *lb, struct sched_group *g, bool local,
			    struct sg_stats *s)
{
	uint32_t balance_cpu = lb->this_rq->cpu;
	uint64_t per_task = 0;

	s->min_load = UINT64_MAX;
	if (local)
		balance_cpu = collect_local(k, lb, g, s);
	else
		collect_loads(k, lb, g, s);
	if (local && lb->idle != CPU_NEWLY_IDLE) {
		if (balance_cpu != lb->this_rq->cpu) {
			lb->should_balance = false;
			return;
		}
		update_group_power(k, lb->sd, lb->this_rq->cpu);
	} else if (local && feat(k, FEAT_LB_RQ_LIST) && jiffies(k) >= g->next_update) {
		update_group_power(k, lb->sd, lb->this_rq->cpu);
	}
	s->avg_load = s->group_load * LOAD_SCALE / g->cpu_power;
	if (s->sum_nr_running)
		per_task = s->sum_weighted_load / s->sum_nr_running;
	s->imb = s->max_load - s->min_load >= per_task && s->max_nr_running > 1;
	s->capacity = lb_capacity_of(lb, g, g->cpu_power);
	s->has_capacity = s->capacity > s->sum_nr_running;
}

/* Linux: update_sd_pick_busiest(). */
static bool is_busier(const struct sd_stats *sds, const struct sg_stats *s)
{
	if (s->avg_load <= sds->max_load)
		return false;
	return s->sum_nr_running > s->capacity || s->imb;
}

/* Linux: update_sd_lb_stats(). */
static void update_sd_stats(struct kctx *k, struct lb *lb, struct sd_stats *sds)
{
	const struct sched_domain *child = lb->sd->child;
	bool prefer_sibling = child && (child->flags & SD_PREFER_SIBLING);
	struct sched_group *g = lb->sd->groups;

	do {
		bool local = mask_test(g->cpus, lb->this_rq->cpu);
		struct sg_stats s = {0};

		update_sg_stats(k, lb, g, local, &s);
		if (!lb->should_balance)
			return;
		sds->total_load += s.group_load;
		sds->total_pwr += g->cpu_power;
		if (prefer_sibling && !local && sds->this_has_capacity)
			s.capacity = min_u64(s.capacity, 1);
		if (local) {
			sds->this = g;
			sds->this_load = s.avg_load;
			sds->this_nr_running = s.sum_nr_running;
			sds->this_load_per_task = s.sum_weighted_load;
			sds->this_has_capacity = s.has_capacity;
			sds->this_idle_cpus = s.idle_cpus;
		} else if (is_busier(sds, &s)) {
			sds->busiest = g;
			sds->max_load = s.avg_load;
			sds->busiest_nr_running = s.sum_nr_running;
			sds->busiest_idle_cpus = s.idle_cpus;
			sds->busiest_capacity = s.capacity;
			sds->busiest_load_per_task = s.sum_weighted_load;
			sds->busiest_has_capacity = s.has_capacity;
			sds->busiest_group_weight = g->ncpus;
			sds->group_imb = s.imb;
		}
		g = g->next;
	} while (g != lb->sd->groups);
}

/* Must something move whatever the averages say? */
static bool move_is_forced(const struct lb *lb, const struct sd_stats *sds)
{
	if (sds->group_imb)
		return true;
	return lb->idle == CPU_NEWLY_IDLE && sds->this_has_capacity && !sds->busiest_has_capacity;
}

static bool is_balanced(const struct lb *lb, const struct sd_stats *sds)
{
	if (sds->this_load >= sds->max_load)
		return true;
	if (sds->this_load >= sds->avg_load)
		return true;
	if (lb->idle == CPU_IDLE)
		return sds->this_idle_cpus <= sds->busiest_idle_cpus + 1 &&
		       sds->busiest_nr_running <= sds->busiest_group_weight;
	return 100 * sds->max_load <= lb->sd->imbalance_pct * sds->this_load;
}

struct sched_group *find_busiest_group_capacity(struct kctx *k, struct lb *lb)
{
	struct sd_stats sds = {0};
	uint32_t saved = path_enter(k, PATH_FIND_BUSIEST_GROUP);

	peek(k);
	update_sd_stats(k, lb, &sds);
	charge(k, WORK_BUSIEST_SCAN, lb->sd->span_weight);
	path_leave(k, saved);

	if (!lb->should_balance)
		return NULL;
	if (!sds.busiest || !sds.busiest_nr_running)
		return NULL;
	sds.avg_load = LOAD_SCALE * sds.total_load / sds.total_pwr;
	if (!move_is_forced(lb, &sds) && is_balanced(lb, &sds))
		return NULL;
	lb->imbalance = calculate_imbalance(k, lb, &sds);
	return sds.busiest;
}
