/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Initial power of groups: at the lowest level a CPU counts 1024, or its share
 * of what the threads of a core achieve together (smt_gain); above it a group
 * counts what the groups of the domain below it sum to. NUMA levels sum over
 * the package level, as every group there is a whole node.
 *
 * Rounds down at each thread: 1178 / 2 = 589. Below 2^32 for 4,096 CPUs.
 *
 * Linux: kernel/sched.c init_sched_groups_power(), init_numa_sched_groups_power(),
 * 2.6.34.
 */
#include "base/check.h"
#include "sched/domain/build.h"

#define CPU_POWER 1024u

static uint32_t base_power(const struct domain_params *params, uint32_t span_ncpus)
{
	if (!(params->flags & SD_SHARE_CPUPOWER) || span_ncpus == 1)
		return CPU_POWER;
	return CPU_POWER * params->smt_gain / span_ncpus / CPU_POWER;
}

static uint32_t ring_power(const struct level_plan *l, uint32_t span_idx)
{
	const struct ring_plan *r = &l->ring[span_idx];
	uint32_t sum = 0;

	for (uint32_t i = 0; i < r->ngroups; i++)
		sum += l->group[r->first + i].power;
	CHECK(sum > 0);
	return sum;
}

void powers_init(struct level_plan *l)
{
	for (uint32_t s = 0; s < l->nspans; s++) {
		const struct ring_plan *r = &l->ring[s];

		for (uint32_t i = 0; i < r->ngroups; i++) {
			struct group_plan *g = &l->group[r->first + i];
			uint32_t cpu = g->span->cpu[0];

			if (l->from)
				g->power = ring_power(l->from, l->from->of[cpu]);
			else
				g->power = base_power(l->params, l->span[s]->ncpus);
		}
	}
}
