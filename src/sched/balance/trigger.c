/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When balancing happens: on the tick, in softirq context, for every domain
 * whose interval has passed; and when a CPU is about to go idle, at once for
 * every domain until something came.
 *
 * Linux: sched_fair.c rebalance_domains(), run_rebalance_domains(), idle_balance();
 * 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/sched.h"

uint64_t ms_to_jiffies(const struct kctx *k, uint64_t ms)
{
	return (ms * k->v->hz + 999) / 1000;
}

uint64_t lb_max_interval(const struct kctx *k)
{
	uint64_t cpus = k->v->lb->max_interval_cpus;

	if (!cpus)
		cpus = k->m->nonline;
	return max_u64((uint64_t)k->v->hz * cpus / 10, 1);
}

/* Ticks between two attempts in SD. */
static uint64_t balance_interval(const struct kctx *k, const struct sched_domain *sd,
				 enum cpu_idle_type idle)
{
	uint64_t ms = sd->balance_interval_ms;

	if (idle != CPU_IDLE)
		ms *= sd->busy_factor;
	return clamp_u64(ms_to_jiffies(k, ms), 1, lb_max_interval(k));
}

static void rebalance_domains(struct kctx *k, uint32_t cpu, enum cpu_idle_type idle)
{
	uint32_t saved = path_enter(k, PATH_REBALANCE_DOMAINS);
	struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t next_balance = jiffies(k) + 60 * k->v->hz;
	bool should_balance = true;
	struct sched_domain *sd;

	if (k->v->share->update_cpu)
		k->v->share->update_cpu(k, cpu);
	for (sd = rq->sd; sd && should_balance; sd = sd->parent) {
		uint64_t interval = balance_interval(k, sd, idle);
		bool serialize = sd->flags & SD_SERIALIZE;

		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (!serialize || k->port->trylock(k, &k->m->balancing)) {
			if (jiffies(k) >= sd->last_balance + interval) {
				/* pulled, or a busy sibling: idle no longer */
				if (k->v->lb->load_balance(k, cpu, sd, idle, &should_balance))
					idle = CPU_NOT_IDLE;
				sd->last_balance = jiffies(k);
			}
			if (serialize)
				k->port->unlock(k, &k->m->balancing);
		}
		next_balance = min_u64(next_balance, sd->last_balance + interval);
	}
	if (rq->sd)
		rq->next_balance = next_balance;
	path_leave(k, saved);
}

void idle_balance(struct kctx *k, struct rq *this_rq)
{
	uint32_t saved = path_enter(k, PATH_IDLE_BALANCE);
	uint64_t next_balance = jiffies(k) + k->v->hz;
	struct sched_domain *sd;
	int32_t pulled = 0;

	this_rq->idle_stamp_ns = this_rq->clock_ns;
	if (this_rq->avg_idle_ns < k->m->tun.migration_cost_ns) {
		path_leave(k, saved);
		return;
	}
	rq_unlock(k, this_rq);
	if (k->v->share->update_cpu)
		k->v->share->update_cpu(k, this_rq->cpu);
	for (sd = this_rq->sd; sd && !pulled; sd = sd->parent) {
		bool should_balance = true;

		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (sd->flags & SD_BALANCE_NEWIDLE)
			pulled = k->v->lb->load_balance(k, this_rq->cpu, sd, CPU_NEWLY_IDLE,
							&should_balance);
		next_balance = min_u64(
			next_balance, sd->last_balance + ms_to_jiffies(k, sd->balance_interval_ms));
		if (pulled)
			this_rq->idle_stamp_ns = 0;
	}
	rq_lock(k, this_rq);
	if (pulled || jiffies(k) > this_rq->next_balance)
		this_rq->next_balance = next_balance;
	path_leave(k, saved);
}

static void softirq_by_load(struct kctx *k)
{
	const struct rq *rq = &k->cpu->rq;

	rebalance_domains(k, k->cpu->id, rq->idle_at_tick ? CPU_IDLE : CPU_NOT_IDLE);
	k->v->nohz->softirq(k);
}

const struct trigger_ops trigger_ops_load = {
	.name = "load",
	.softirq = softirq_by_load,
	.rebalance = rebalance_domains,
};

bool sched_idle_work(struct kctx *k)
{
	return k->v->nohz->idle_work && k->v->nohz->idle_work(k);
}

bool sched_idle_stop_tick(struct kctx *k)
{
	return k->v->nohz->stop_tick(k);
}

void sched_idle_restart_tick(struct kctx *k)
{
	k->v->nohz->restart_tick(k);
	/* from here on an interrupt is needed to be heard */
	k->cpu->rq.polls = false;
	if (k->v->wake->leave_idle)
		k->v->wake->leave_idle(k);
}
