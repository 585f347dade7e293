/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle CPUs stop their tick. One of them, the owner, keeps ticking and balances
 * for all others, unless every CPU is idle. A CPU leaves the set when its tick
 * is restarted; an owner that becomes busy notices on its first busy tick,
 * gives ownership up and kicks the first CPU of the set to take it.
 *
 * Linux: kernel/sched.c select_nohz_load_balancer(), trigger_load_balance(), 2.6.34 and
 * 2.6.35; kernel/time/tick-sched.c tick_nohz_stop_sched_tick(), nohz_ratelimit().
 * Deviation: RCU, printk and timer-wheel timers never keep the tick running;
 * a high-resolution timer due within a tick does not either.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"

static void nohz_mask_set(struct machine *m, uint32_t cpu)
{
	if (mask_test(m->nohz.cpu_mask, cpu))
		return;
	mask_set(m->nohz.cpu_mask, cpu);
	m->nohz.ncpus++;
}

static void nohz_mask_clear(struct machine *m, uint32_t cpu)
{
	if (!mask_test(m->nohz.cpu_mask, cpu))
		return;
	mask_clear(m->nohz.cpu_mask, cpu);
	m->nohz.ncpus--;
}

/* This CPU is about to stop its tick. True: it owns idle balancing and must keep it. */
static bool become_nohz(struct kctx *k)
{
	struct nohz *nohz = &k->m->nohz;
	uint32_t cpu = k->cpu->id;

	k->cpu->rq.in_nohz_recently = true;
	nohz_mask_set(k->m, cpu);
	if (nohz->ncpus == k->m->nonline) {
		if (nohz->load_balancer == cpu)
			nohz->load_balancer = CPU_NONE;
		return false;
	}
	if (nohz->load_balancer == CPU_NONE)
		nohz->load_balancer = cpu;
	return nohz->load_balancer == cpu;
}

/* Less than half a tick since the last look, by the clock as last sampled? */
static bool is_rate_limited(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	uint64_t since_ns = rq->clock_ns - rq->nohz_stamp_ns;

	rq->nohz_stamp_ns = rq->clock_ns;
	return since_ns < k->m->tick_ns / 2;
}

static bool owner_stop_tick(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;

	CHECK(rq->curr == rq->idle);
	CHECK(!rq->tick_stopped);
	if (!k->v->no_hz || rq->curr->need_resched || k->cpu->softirq_pending)
		return false;
	if (feat(k, FEAT_NOHZ_RATELIMIT) && is_rate_limited(k))
		return false;
	if (become_nohz(k))
		return false;
	rq->tick_stopped = true;
	return true;
}

static void owner_restart_tick(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;

	if (!rq->tick_stopped)
		return;
	rq->tick_stopped = false;
	nohz_mask_clear(k->m, k->cpu->id);
	if (k->m->nohz.load_balancer == k->cpu->id)
		k->m->nohz.load_balancer = CPU_NONE;
}

/* First busy tick after idling: if nobody balances for the idle CPUs, name someone. */
static void leave_nohz(struct kctx *k, struct rq *rq)
{
	struct nohz *nohz = &k->m->nohz;
	uint32_t ilb;

	rq->in_nohz_recently = false;
	if (nohz->load_balancer == rq->cpu) {
		nohz_mask_clear(k->m, rq->cpu);
		nohz->load_balancer = CPU_NONE;
	}
	if (nohz->load_balancer != CPU_NONE)
		return;
	ilb = mask_first(nohz->cpu_mask);
	if (ilb != MASK_NONE)
		resched_cpu(k, rq_of_cpu(k->m, ilb));
}

/* Linux: trigger_load_balance(), the part about idle CPUs. */
static bool owner_tick(struct kctx *k, struct rq *rq)
{
	const struct nohz *nohz = &k->m->nohz;

	if (rq->in_nohz_recently && !rq->idle_at_tick)
		leave_nohz(k, rq);
	if (rq->idle_at_tick && nohz->load_balancer == rq->cpu && nohz->ncpus == k->m->nonline) {
		/* all are idle: the owner may sleep too */
		resched_cpu(k, rq);
		return true;
	}
	return rq->idle_at_tick && nohz->load_balancer != rq->cpu &&
	       mask_test(nohz->cpu_mask, rq->cpu);
}

/* The idle CPU that kept its tick balances for all that stopped theirs. */
static void owner_softirq(struct kctx *k)
{
	struct rq *this_rq = &k->cpu->rq;
	const struct mask *idle = k->m->nohz.cpu_mask;
	uint32_t cpu;

	if (!this_rq->idle_at_tick || k->m->nohz.load_balancer != k->cpu->id)
		return;
	mask_for_each(cpu, idle) {
		if (cpu == k->cpu->id)
			continue;
		if (sched_need_resched(k))
			break;
		k->v->trigger->rebalance(k, cpu, CPU_IDLE);
		this_rq->next_balance =
			min_u64(this_rq->next_balance, rq_of_cpu(k->m, cpu)->next_balance);
	}
}

const struct nohz_ops nohz_ops_owner = {
	.name = "owner",
	.stop_tick = owner_stop_tick,
	.restart_tick = owner_restart_tick,
	.tick = owner_tick,
	.softirq = owner_softirq,
};
