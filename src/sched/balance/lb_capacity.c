/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU has left for fair tasks, and groups of CPUs: refreshed by who balances, for his
 * own group only.
 *
 * Linux: kernel/sched/fair.c update_cpu_capacity(), update_group_capacity(); 5.4, 5.5.
 */
#include "base/fixed.h"
#include "sched/balance/lb_steps.h"
#include "sched/domain/domain.h"
#include "sched/pelt/capacity.h"

static uint64_t refresh_cpu(void *ctx, uint32_t cpu)
{
	struct machine *m = ctx;
	struct rq *rq = rq_of_cpu(m, cpu);

	rq->cpu_capacity = rq_cpu_capacity(rq);
	rq_changed(m, rq);
	return rq->cpu_capacity;
}

static uint64_t kept_of_cpu(void *ctx, uint32_t cpu)
{
	struct machine *m = ctx;

	return rq_of_cpu(m, cpu)->cpu_capacity;
}

void lb_update_capacity(struct kctx *k, struct sched_domain *sd, uint32_t cpu)
{
	const struct capacity_source source = {
		.refresh = refresh_cpu,
		.capacity_of = kept_of_cpu,
		.ctx = k->m,
		.jiffies = jiffies(k),
		.hz = k->v->hz,
		.interval_max = max_load_balance_interval(k->v->hz, k->m->nonline),
		.extremes_of_sums = k->v->domains->extremes_of_sums,
	};

	update_group_capacity(sd, cpu, &source);
}
