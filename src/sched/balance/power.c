/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Power: how much work a group can do, 1024 per full CPU. A CPU's power is
 * reduced by its busy SMT siblings (a fixed gain shared by the threads) and by
 * the time real-time tasks take; a group's is the sum of its children's as
 * they were last computed.
 *
 * Linux: sched_fair.c update_cpu_power(), scale_rt_power(), update_group_power(), 2.6.34 to 3.4.
 * Deviation: frequency scaling is 1; no time of interrupts is taken off, which NONTASK_POWER of
 * 2.6.37 and later ones does.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/rt_avg.h"

/*
 * 1024ths of CPU's time that classes above fair leave: (total - rt_avg) / (total / 1024), both
 * rounded down, where total is at least half a second. 1024 where they never ran.
 */
static uint64_t scale_rt_power(struct kctx *k, uint32_t cpu)
{
	struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t total = SCHED_AVG_PERIOD_NS;

	if (!feat(k, FEAT_RT_AVG_AT_TICK))
		sched_avg_update(rq);
	CHECK(rq->clock_ns >= rq->age_stamp_ns);
	total += rq->clock_ns - rq->age_stamp_ns;
	return (total > rq->rt_avg ? total - rq->rt_avg : 0) / (total >> 10);
}

static void update_cpu_power(struct kctx *k, struct sched_domain *sd, uint32_t cpu)
{
	uint64_t power = 1024;

	if ((sd->flags & SD_SHARE_CPUPOWER) && sd->span_weight > 1)
		power = power * (sd->smt_gain / sd->span_weight) >> 10;
	power = power * scale_rt_power(k, cpu) >> 10;
	if (!power)
		power = 1;
	k->m->cpus[cpu].rq.cpu_power = (uint32_t)power;
	sd->groups->cpu_power = (uint32_t)power;
}

void update_group_power(struct kctx *k, struct sched_domain *sd, uint32_t cpu)
{
	const struct sched_domain *child = sd->child;
	const struct sched_group *g;
	uint64_t interval =
		clamp_u64(ms_to_jiffies(k, sd->balance_interval_ms), 1, lb_max_interval(k));
	uint32_t power = 0;

	sd->groups->next_update = jiffies(k) + interval;
	if (!child) {
		update_cpu_power(k, sd, cpu);
		return;
	}
	if (child->flags & SD_OVERLAP) {
		/* its groups may hold a CPU twice */
		for (uint32_t i = 0; i < sd->groups->ncpus; i++)
			power += rq_of_cpu(k->m, sd->groups->cpu[i])->cpu_power;
		sd->groups->cpu_power = power;
		return;
	}
	g = child->groups;
	do {
		power += g->cpu_power;
		g = g->next;
	} while (g != child->groups);
	sd->groups->cpu_power = power;
}
