/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fork and exec balancing: from the highest suitable domain down, choose the
 * group with the least load per power, in it the CPU with the least load, and
 * continue from that CPU's next lower domain. The local group is left only if
 * another is clearly less loaded.
 *
 * Cost: every CPU of the domain is looked at once per level.
 *
 * Linux: sched_fair.c find_idlest_group(), find_idlest_cpu(), 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/select.h"

static struct sched_group *find_idlest_group(struct kctx *k, struct sched_domain *sd,
					     const struct task *p, uint32_t cpu)
{
	uint64_t min_load = UINT64_MAX, this_load = 0;
	uint64_t imbalance = 100 + (sd->imbalance_pct - 100) / 2;
	struct sched_group *idlest = NULL, *g = sd->groups;
	uint32_t scanned = 0;

	do {
		bool local = mask_test(g->cpus, cpu);
		uint64_t avg = 0;

		if (mask_intersects(g->cpus, p->allowed)) {
			for (uint32_t i = 0; i < g->ncpus; i++)
				avg += local ? source_load(k, g->cpu[i], sd->forkexec_idx) :
					       target_load(k, g->cpu[i], sd->forkexec_idx);
			scanned += g->ncpus;
			avg = avg * 1024 / g->cpu_power;
			if (local) {
				this_load = avg;
			} else if (avg < min_load) {
				min_load = avg;
				idlest = g;
			}
		}
		g = g->next;
	} while (g != sd->groups);
	charge(k, WORK_SELECT_SCAN, scanned);
	if (!idlest || 100 * this_load < imbalance * min_load)
		return NULL;
	return idlest;
}

static uint32_t find_idlest_cpu(struct kctx *k, const struct sched_group *g, const struct task *p,
				uint32_t this_cpu)
{
	uint64_t min_load = UINT64_MAX;
	uint32_t idlest = CPU_NONE;

	for (uint32_t i = 0; i < g->ncpus; i++) {
		uint32_t cpu = g->cpu[i];
		uint64_t load;

		if (!mask_test(p->allowed, cpu))
			continue;
		load = k->m->cpus[cpu].rq.load.weight;
		if (load < min_load || (load == min_load && cpu == this_cpu)) {
			min_load = load;
			idlest = cpu;
		}
	}
	charge(k, WORK_SELECT_SCAN, g->ncpus);
	return idlest;
}

/* Highest domain of CPU with SD_FLAG that spans fewer CPUs than WEIGHT. */
static struct sched_domain *domain_below(const struct kctx *k, uint32_t cpu, uint32_t weight,
					 uint32_t sd_flag)
{
	struct sched_domain *sd, *found = NULL;

	for (sd = k->m->cpus[cpu].rq.sd; sd; sd = sd->parent) {
		if (weight <= sd->span_weight)
			break;
		if (sd->flags & sd_flag)
			found = sd;
	}
	return found;
}

uint32_t find_idlest(struct kctx *k, struct task *p, struct sched_domain *sd, uint32_t cpu,
		     uint32_t sd_flag)
{
	while (sd) {
		struct sched_group *g;
		uint32_t new_cpu;

		if (!(sd->flags & sd_flag)) {
			sd = sd->child;
			continue;
		}
		g = find_idlest_group(k, sd, p, cpu);
		new_cpu = g ? find_idlest_cpu(k, g, p, cpu) : CPU_NONE;
		if (new_cpu == CPU_NONE || new_cpu == cpu) {
			sd = sd->child;
			continue;
		}
		cpu = new_cpu;
		sd = domain_below(k, cpu, sd->span_weight, sd_flag);
	}
	return cpu;
}
