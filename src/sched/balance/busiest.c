/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is busiest, and by how much. Loads of groups are compared per power. The
 * local group (always first in the ring) counts with target loads, the others
 * with source loads, so that small differences do not move tasks.
 *
 * All arithmetic is unsigned 64-bit and wraps as in the kernel: for the local
 * group the difference of greatest and least CPU load is 1 because neither is
 * collected.
 *
 * Reads every CPU of the domain without locks: cost O(span), interleaving point
 * at the start.
 *
 * Linux: sched_fair.c find_busiest_group(), update_sd_lb_stats(), update_sg_lb_stats();
 * 2.6.34 and 2.6.35.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/balance/imbalance.h"
#include "sched/select/select.h"

struct sg_stats {
	uint64_t avg_load; /* group_load per 1024 of power */
	uint64_t group_load, sum_nr_running, sum_weighted_load, capacity;
	bool imb; /* its CPUs differ by more than two average tasks */
};

/* Linux: update_sg_lb_stats(). Clears lb->should_balance if another CPU of the local group is to do it. */
static void update_sg_stats(struct kctx *k, struct lb *lb, struct sched_group *g, bool local,
			    struct sg_stats *s)
{
	uint64_t max_load = 0, min_load = UINT64_MAX, per_task = 0;
	uint32_t load_idx = lb_load_idx(lb);
	uint32_t balance_cpu = g->cpu[0];
	bool found_idle = false;

	for (uint32_t n = 0; n < g->ncpus; n++) {
		uint32_t i = g->cpu[n];
		const struct rq *rq = &k->m->cpus[i].rq;
		uint64_t load;

		if (!lb->all_candidates && !mask_test(lb->cpus, i))
			continue;
		if (lb->sd_idle && rq->nr_running)
			lb->sd_idle = false;
		if (local) {
			if (!found_idle && rq->curr == rq->idle) {
				found_idle = true;
				balance_cpu = i;
			}
			load = target_load(k, i, load_idx);
		} else {
			load = source_load(k, i, load_idx);
			max_load = max_u64(max_load, load);
			min_load = min_u64(min_load, load);
		}
		s->group_load += load;
		s->sum_nr_running += rq->nr_running;
		s->sum_weighted_load += rq->load.weight;
	}
	if (local && lb->idle != CPU_NEWLY_IDLE && balance_cpu != lb->this_rq->cpu) {
		lb->should_balance = false;
		return;
	}
	update_group_power(k, lb->sd, lb->this_rq->cpu);
	s->avg_load = s->group_load * LOAD_SCALE / g->cpu_power;
	if (s->sum_nr_running)
		per_task = s->sum_weighted_load / s->sum_nr_running;
	s->imb = max_load - min_load > 2 * per_task;
	s->capacity = ratio_round(g->cpu_power, LOAD_SCALE);
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
		if (prefer_sibling)
			s.capacity = min_u64(s.capacity, 1);
		if (local) {
			sds->this = g;
			sds->this_load = s.avg_load;
			sds->this_nr_running = s.sum_nr_running;
			sds->this_load_per_task = s.sum_weighted_load;
		} else if (s.avg_load > sds->max_load && (s.sum_nr_running > s.capacity || s.imb)) {
			sds->busiest = g;
			sds->max_load = s.avg_load;
			sds->busiest_nr_running = s.sum_nr_running;
			sds->busiest_capacity = s.capacity;
			sds->busiest_load_per_task = s.sum_weighted_load;
			sds->group_imb = s.imb;
		}
		g = g->next;
	} while (g != lb->sd->groups);
}

struct sched_group *find_busiest_group(struct kctx *k, struct lb *lb)
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
	if (sds.this_load >= sds.max_load)
		return NULL;
	sds.avg_load = LOAD_SCALE * sds.total_load / sds.total_pwr;
	if (sds.this_load >= sds.avg_load)
		return NULL;
	if (100 * sds.max_load <= lb->sd->imbalance_pct * sds.this_load)
		return NULL;
	lb->imbalance = calculate_imbalance(k, lb, &sds);
	return sds.busiest;
}
