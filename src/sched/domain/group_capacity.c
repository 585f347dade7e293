/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The capacity of a group, put together from below when a CPU of the group balances. So it is as
 * old as the last balancing at each level on the way up, and a group of another CPU is as old as
 * that one's.
 *
 * Where the child's groups overlap they do not add up to this group, and the CPUs are asked one
 * by one. 5.4 then takes least and most of the sums on the way: the least is the first CPU's
 * capacity, the most the whole. Later kernels take them of the single CPUs.
 *
 * Sums stay far below 2^64: 4,096 CPUs of 1,024.
 *
 * Linux: kernel/sched/fair.c update_group_capacity(), update_cpu_capacity(), 5.4 to 6.12.
 * Deviation: 5.4 asks for the capacity of the group a CPU has at its lowest level; that is always
 * the CPU's own.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/domain/domain.h"

static void add_cpus(struct sched_group_capacity *sum, const struct sched_group *g,
		     const struct capacity_source *s)
{
	for (uint32_t i = 0; i < g->ncpus; i++) {
		uint64_t capacity = s->capacity_of(s->ctx, g->cpu[i]), extreme;

		sum->capacity += capacity;
		extreme = s->extremes_of_sums ? sum->capacity : capacity;
		sum->min_capacity = min_u64(sum->min_capacity, extreme);
		sum->max_capacity = max_u64(sum->max_capacity, extreme);
	}
}

static void add_groups(struct sched_group_capacity *sum, const struct sched_domain *child)
{
	const struct sched_group *g = child->groups;

	do {
		sum->capacity += g->sgc->capacity;
		sum->min_capacity = min_u64(sum->min_capacity, g->sgc->min_capacity);
		sum->max_capacity = max_u64(sum->max_capacity, g->sgc->max_capacity);
		g = g->next;
	} while (g != child->groups);
}

/* MS in jiffies, rounded up. Linux: msecs_to_jiffies(). */
static uint64_t ms_to_jiffies(uint64_t ms, uint32_t hz)
{
	return (ms * hz + 999) / 1000;
}

void update_group_capacity(struct sched_domain *sd, uint32_t cpu, const struct capacity_source *s)
{
	struct sched_group_capacity *sgc = sd->groups->sgc;
	struct sched_group_capacity sum = {.min_capacity = UINT64_MAX};
	uint64_t interval = ms_to_jiffies(sd->balance_interval_ms, s->hz);

	CHECK(sgc);
	CHECK(mask_test(sd->groups->cpus, cpu));
	sgc->next_update = s->jiffies + clamp_u64(interval, 1, s->interval_max);
	if (!sd->child) {
		sum.capacity = s->refresh(s->ctx, cpu);
		CHECK(sum.capacity > 0);
		sum.min_capacity = sum.max_capacity = sum.capacity;
	} else if (sd->child->flags & SD_OVERLAP) {
		add_cpus(&sum, sd->groups, s);
	} else {
		add_groups(&sum, sd->child);
	}
	sgc->capacity = sum.capacity;
	sgc->min_capacity = sum.min_capacity;
	sgc->max_capacity = sum.max_capacity;
}
