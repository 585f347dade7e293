/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every idle CPU stops its tick; a busy CPU that has something to give kicks
 * one of them, which then balances for itself and for all others.
 *
 * Each group counts its busy CPUs, per level: two busy CPUs that share a core or
 * a cache are a reason to kick even if each runs one task only. A CPU leaves the
 * count when it idles and the mask of stopped CPUs is joined when its tick stops;
 * both are undone on its first busy tick, not when it wakes.
 *
 * Linux: kernel/sched/fair.c nohz_kick_needed(), nohz_balancer_kick(), nohz_idle_balance(),
 * set_cpu_sd_state_busy(), set_cpu_sd_state_idle(), select_nohz_load_balancer(); 3.3 and 3.4.
 * Deviation: as in nohz.c, only need_resched and a pending softirq keep the tick.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/select/select.h"

static void leave_busy(struct rq *rq)
{
	if (!rq->nohz_busy)
		return;
	rq->nohz_busy = false;
	for (struct sched_domain *sd = rq->sd; sd; sd = sd->parent)
		sd->groups->nr_busy_cpus--;
}

static void join_busy(struct rq *rq)
{
	if (rq->nohz_busy)
		return;
	rq->nohz_busy = true;
	for (struct sched_domain *sd = rq->sd; sd; sd = sd->parent)
		sd->groups->nr_busy_cpus++;
}

static bool kick_stop_tick(struct kctx *k)
{
	struct nohz *nohz = &k->m->nohz;
	struct rq *rq = &k->cpu->rq;

	CHECK(rq->curr == rq->idle);
	CHECK(!rq->tick_stopped);
	if (!k->v->no_hz)
		return false;
	leave_busy(rq);
	if (rq->curr->need_resched || k->cpu->softirq_pending)
		return false;
	if (!mask_test(nohz->cpu_mask, rq->cpu)) {
		mask_set(nohz->cpu_mask, rq->cpu);
		nohz->ncpus++;
	}
	rq->tick_stopped = true;
	return true;
}

/* The shortest idling leaves the count too: its entry comes before the look at need_resched. */
static void kick_restart_tick(struct kctx *k)
{
	leave_busy(&k->cpu->rq);
	k->cpu->rq.tick_stopped = false;
}

/* Linux: clear_nohz_tick_stopped(). */
static void leave_mask(struct kctx *k, const struct rq *rq)
{
	struct nohz *nohz = &k->m->nohz;

	if (!mask_test(nohz->cpu_mask, rq->cpu))
		return;
	mask_clear(nohz->cpu_mask, rq->cpu);
	nohz->ncpus--;
}

static bool kick_is_needed(struct kctx *k, struct rq *rq)
{
	const struct nohz *nohz = &k->m->nohz;

	if (idle_cpu(k, rq->cpu))
		return false;
	join_busy(rq);
	leave_mask(k, rq);
	if (!nohz->ncpus || jiffies(k) < nohz->next_balance)
		return false;
	if (rq->nr_running >= 2)
		return true;
	for (const struct sched_domain *sd = rq->sd; sd; sd = sd->parent) {
		if (!(sd->flags & SD_SHARE_PKG_RESOURCES))
			return false;
		if (sd->groups->nr_busy_cpus > 1)
			return true;
	}
	return false;
}

static void kick(struct kctx *k)
{
	struct nohz *nohz = &k->m->nohz;
	uint32_t ilb = mask_first(nohz->cpu_mask);
	struct rq *rq;

	nohz->next_balance++;
	if (ilb == MASK_NONE || !idle_cpu(k, ilb))
		return;
	rq = rq_of_cpu(k->m, ilb);
	if (rq->nohz_kicked)
		return;
	rq->nohz_kicked = true;
	k->port->ipi(k, ilb);
}

static bool kick_tick(struct kctx *k, struct rq *rq)
{
	peek(k);
	if (kick_is_needed(k, rq) && rq->sd)
		kick(k);
	return false;
}

static void kick_ipi(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;

	if (!rq->nohz_kicked || !idle_cpu(k, rq->cpu) || rq->curr->need_resched)
		return;
	rq->idle_at_tick = true;
	k->cpu->softirq_pending |= SOFTIRQ_SCHED;
}

/* Linux: nohz_idle_balance(). */
static void kick_softirq(struct kctx *k)
{
	struct rq *this_rq = &k->cpu->rq;
	struct nohz *nohz = &k->m->nohz;
	uint32_t saved, cpu;

	if (!this_rq->idle_at_tick || !this_rq->nohz_kicked) {
		this_rq->nohz_kicked = false;
		return;
	}
	saved = path_enter(k, PATH_NOHZ_BALANCE);
	mask_for_each(cpu, nohz->cpu_mask) {
		if (cpu == k->cpu->id || !idle_cpu(k, cpu))
			continue;
		if (this_rq->curr->need_resched)
			break;
		rq_lock(k, this_rq);
		update_rq_clock(k, this_rq);
		update_cpu_load(k, this_rq);
		rq_unlock(k, this_rq);
		k->v->trigger->rebalance(k, cpu, CPU_IDLE);
		this_rq->next_balance =
			min_u64(this_rq->next_balance, rq_of_cpu(k->m, cpu)->next_balance);
	}
	nohz->next_balance = this_rq->next_balance;
	this_rq->nohz_kicked = false;
	path_leave(k, saved);
}

const struct nohz_ops nohz_ops_kick = {
	.name = "kick",
	.stop_tick = kick_stop_tick,
	.restart_tick = kick_restart_tick,
	.tick = kick_tick,
	.softirq = kick_softirq,
	.ipi = kick_ipi,
};
