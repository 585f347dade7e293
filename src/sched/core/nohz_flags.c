/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle CPUs without a tick, from 5.4 on: a busy CPU's tick kicks one of
 * them, either to balance for all (BALANCE) or only to age the load that tasks left
 * behind on all (STATS), which is due every 32 ms as long as there is such load.
 *
 * A CPU enters the mask when its tick stops, and leaves it on its first busy tick, not
 * when it wakes. Who balances goes through the mask in ascending order, himself last.
 *
 * With NOHZ_NEXT the round begins after himself; a CPU that enters the mask has the next
 * kick look when all are due (NEXT); and the interrupt takes what is asked for, so that the
 * next kick need not wait for the softirq. With NOHZ_NEWILB a CPU about to idle ages the load
 * of the others from its idle loop, where a wake-up finds it idle, and not with its queue's
 * lock just dropped.
 *
 * Linux: kernel/sched/fair.c nohz_balancer_kick(), kick_ilb(), nohz_balance_enter_idle(),
 * nohz_balance_exit_idle(), nohz_idle_balance(), _nohz_idle_balance(), nohz_newidle_balance(),
 * nohz_run_idle_balance(), update_nohz_stats(); core.c got_nohz_idle_kick(), nohz_csd_func();
 * 5.4, 5.5, 6.1.
 * Deviation: only need_resched, a pending softirq and RCU (rcu.h) keep the tick.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/balance/lb_steps.h"
#include "sched/core/core.h"
#include "sched/core/rcu.h"

#include "sched/pelt/load_avg.h"
#include "sched/pelt/fits.h"
#include "sched/select/select.h"

#define NOHZ_BALANCE_KICK 1u
#define NOHZ_STATS_KICK 2u
#define NOHZ_NEXT_KICK 4u
#define NOHZ_KICK_MASK (NOHZ_BALANCE_KICK | NOHZ_STATS_KICK | NOHZ_NEXT_KICK)
#define NOHZ_NEWILB_KICK 8u /* by the CPU itself, for its idle loop */

/* Linux: tick_nohz_idle_got_tick(). */
static bool take_idle_tick(struct rq *rq)
{
	bool got = rq->got_idle_tick;

	rq->got_idle_tick = false;
	return got;
}

static bool flags_stop_tick(struct kctx *k)
{
	struct nohz *nohz = &k->m->nohz;
	struct rq *rq = &k->cpu->rq;

	CHECK(rq->curr == rq->idle);
	CHECK(!rq->tick_stopped);
	if (feat(k, FEAT_NOHZ_STOP_AFTER_TICK) && !take_idle_tick(rq))
		return false;
	if (!k->v->no_hz || rq->curr->need_resched || k->cpu->softirq_pending || rcu_needs_cpu(k))
		return false;
	rq->tick_stopped = true;
	rcu_stop_tick(k);
	if (!rq->sd)
		return true;
	rq->has_blocked_load = true;
	nohz_forget(k->m, rq);
	if (!mask_test(nohz->cpu_mask, rq->cpu)) {
		mask_set(nohz->cpu_mask, rq->cpu);
		nohz->ncpus++;
		if (rq->top.sd_llc_shared)
			rq->top.sd_llc_shared->nr_busy_cpus--;
		nohz->needs_update = feat(k, FEAT_NOHZ_NEXT);
	}
	nohz->has_blocked = true;
	return true;
}

static void flags_restart_tick(struct kctx *k)
{
	k->cpu->rq.tick_stopped = false;
	k->cpu->rq.got_idle_tick = false;
}

/* Linux: nohz_balance_exit_idle(). */
static void leave_mask(struct kctx *k, struct rq *rq)
{
	struct nohz *nohz = &k->m->nohz;

	if (!mask_test(nohz->cpu_mask, rq->cpu))
		return;
	mask_clear(nohz->cpu_mask, rq->cpu);
	nohz->ncpus--;
	if (rq->top.sd_llc_shared)
		rq->top.sd_llc_shared->nr_busy_cpus++;
}

/* Some idle CPU is preferred to this one. */
static bool better_cpu_idles(const struct kctx *k, const struct rq *rq)
{
	uint32_t i;

	if (!rq->top.sd_asym_packing)
		return false;
	mask_for_each_and(i, rq->top.sd_asym_packing->span, k->m->nohz.cpu_mask)
		if (feat(k, FEAT_LB_ASYM_IDLE_CORE) ?
			    sched_asym(k, rq->top.sd_asym_packing, i, rq->cpu) :
			    sched_asym_prefer(k, i, rq->cpu))
			return true;
	return false;
}

/* What an idle CPU is to do for RQ's sake and that of all idle ones. */
static bool balance_is_needed(const struct kctx *k, const struct rq *rq)
{
	if (rq->nr_running >= 2)
		return true;
	if (rq->sd && rq->cfs->h_nr_running >= 1 && capacity_is_reduced(rq->sd, rq))
		return true;
	if (better_cpu_idles(k, rq))
		return true;
	if (rq->top.sd_asym_cpucapacity)
		return rq->misfit_task_load &&
		       (feat(k, FEAT_LB_MISFIT_QUIET) ||
			rq->cpu_capacity_orig < k->m->rd.max_cpu_capacity ||
			capacity_is_reduced(rq->top.sd_asym_cpucapacity, rq));
	return rq->top.sd_llc_shared && rq->top.sd_llc_shared->nr_busy_cpus > 1;
}

/* The first idle CPU without a tick; MASK_NONE: there is none. Linux: find_new_ilb(). */
static uint32_t find_new_ilb(struct kctx *k)
{
	bool other = feat(k, FEAT_NOHZ_NEXT);
	uint32_t cpu, looked_at = 0;

	mask_for_each(cpu, k->m->nohz.cpu_mask) {
		looked_at++;
		if (idle_cpu(k, cpu) && !(other && cpu == k->cpu->id))
			break;
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	return cpu;
}

/* Linux: kick_ilb(). */
static void kick_ilb(struct kctx *k, uint32_t flags)
{
	struct nohz *nohz = &k->m->nohz;
	uint32_t cpu, before;
	struct rq *rq;

	if (!feat(k, FEAT_NOHZ_NEXT))
		nohz->next_balance++;
	else if (flags & NOHZ_BALANCE_KICK)
		nohz->next_balance = jiffies(k) + 1;
	cpu = find_new_ilb(k);
	if (cpu == MASK_NONE)
		return;
	rq = rq_of_cpu(k->m, cpu);
	before = rq->nohz_flags;
	rq->nohz_flags |= flags;
	if (!(before & NOHZ_KICK_MASK) && cpu != k->cpu->id)
		k->port->ipi(k, cpu);
}

/* Linux: nohz_balancer_kick(). */
static bool flags_tick(struct kctx *k, struct rq *rq)
{
	const struct nohz *nohz = &k->m->nohz;
	uint32_t flags = 0;

	rq->got_idle_tick = rq->curr == rq->idle;
	if (rq->idle_at_tick || !rq->sd)
		return false;
	peek(k);
	leave_mask(k, rq);
	if (!nohz->ncpus)
		return false;
	if (nohz->has_blocked && jiffies(k) > nohz->next_blocked)
		flags = NOHZ_STATS_KICK;
	if (jiffies(k) >= nohz->next_balance && balance_is_needed(k, rq))
		flags = NOHZ_BALANCE_KICK | NOHZ_STATS_KICK;
	if (nohz->needs_update)
		flags |= NOHZ_NEXT_KICK;
	if (flags)
		kick_ilb(k, flags);
	return false;
}

/* The kick has arrived: what it asks for is the softirq's now. Linux: nohz_csd_func(). */
static void take_kick(struct kctx *k, struct rq *rq)
{
	uint32_t flags = rq->nohz_flags;

	rq->nohz_flags = 0;
	rq->idle_at_tick = idle_cpu(k, rq->cpu);
	if (!rq->idle_at_tick)
		return;
	rq->nohz_work = flags;
	k->cpu->softirq_pending |= SOFTIRQ_SCHED;
}

static void flags_ipi(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;

	if (!(rq->nohz_flags & NOHZ_KICK_MASK))
		return;
	if (feat(k, FEAT_NOHZ_NEXT)) {
		take_kick(k, rq);
		return;
	}
	if (!idle_cpu(k, rq->cpu) || rq->curr->need_resched) {
		rq->nohz_flags &= ~NOHZ_KICK_MASK;
		return;
	}
	rq->idle_at_tick = true;
	k->cpu->softirq_pending |= SOFTIRQ_SCHED;
}

/* FORCE: whether or not it was done in this jiffy. True: load is left. Linux: update_nohz_stats(). */
static bool update_stats_of(struct kctx *k, struct rq *rq, bool force)
{
	if (!rq->has_blocked_load || !mask_test(k->m->nohz.cpu_mask, rq->cpu))
		return false;
	if (!force && jiffies(k) <= rq->last_blocked_update)
		return true;
	/* its lines are elsewhere */
	charge(k, WORK_BUSIEST_SCAN, 1);
	update_blocked_averages(k, rq->cpu);
	return rq->has_blocked_load;
}

/* Balance for the idle CPU of RQ, if it is due. */
static void balance_for(struct kctx *k, struct rq *rq, uint32_t flags)
{
	if (jiffies(k) < rq->next_balance)
		return;
	rq_lock(k, rq);
	update_rq_clock(k, rq);
	rq_unlock(k, rq);
	if (flags & NOHZ_BALANCE_KICK)
		k->v->trigger->rebalance(k, rq->cpu, CPU_IDLE);
}

/* False: given up because something wants to run. Linux: _nohz_idle_balance(). */
static bool balance_all_idle(struct kctx *k, uint32_t flags, bool newly_idle)
{
	struct nohz *nohz = &k->m->nohz;
	struct rq *this_rq = &k->cpu->rq;
	uint64_t now = jiffies(k), none = now + 60 * k->v->hz, next = none;
	bool has_blocked = false, finished = true;
	uint32_t cpu;

	nohz->has_blocked = false;
	peek(k);
	mask_for_each(cpu, nohz->cpu_mask) {
		struct rq *rq = rq_of_cpu(k->m, cpu);

		if (rq == this_rq || !idle_cpu(k, cpu))
			continue;
		if (this_rq->curr->need_resched) {
			has_blocked = true;
			finished = false;
			break;
		}
		has_blocked |= update_stats_of(k, rq, true);
		balance_for(k, rq, flags);
		next = min_u64(next, rq->next_balance);
	}
	if (finished && !newly_idle) {
		update_blocked_averages(k, this_rq->cpu);
		has_blocked |= this_rq->has_blocked_load;
	}
	if (finished && (flags & NOHZ_BALANCE_KICK))
		k->v->trigger->rebalance(k, this_rq->cpu, CPU_IDLE);
	if (finished)
		nohz->next_blocked = now + ms_to_jiffies(k, BLOCKED_PERIOD_MS);
	if (has_blocked)
		nohz->has_blocked = true;
	if (next < none)
		nohz->next_balance = next;
	return finished;
}

/* Round from the CPU after this one, itself last. Linux: _nohz_idle_balance(), 5.15 on. */
static void balance_all_idle_round(struct kctx *k, uint32_t flags)
{
	struct nohz *nohz = &k->m->nohz;
	struct rq *this_rq = &k->cpu->rq;
	uint64_t now = jiffies(k), none = now + 60 * k->v->hz, next = none;
	bool stats = flags & NOHZ_STATS_KICK, has_blocked = false, wrapped;
	uint32_t cpu;

	if (stats)
		nohz->has_blocked = false;
	if (flags & NOHZ_NEXT_KICK)
		nohz->needs_update = false;
	peek(k);
	mask_for_each_wrap(cpu, nohz->cpu_mask, this_rq->cpu + 1, wrapped) {
		struct rq *rq = rq_of_cpu(k->m, cpu);

		if (!idle_cpu(k, cpu))
			continue;
		if (!idle_cpu(k, this_rq->cpu) && this_rq->curr->need_resched) {
			nohz->has_blocked |= stats;
			nohz->needs_update |= (flags & NOHZ_NEXT_KICK) != 0;
			return;
		}
		if (stats)
			has_blocked |= update_stats_of(k, rq, false);
		balance_for(k, rq, flags);
		next = min_u64(next, rq->next_balance);
	}
	if (next < none)
		nohz->next_balance = next;
	if (stats)
		nohz->next_blocked = now + ms_to_jiffies(k, BLOCKED_PERIOD_MS);
	if (has_blocked)
		nohz->has_blocked = true;
}

/* What the kick asked for, once. */
static uint32_t take_work(struct kctx *k, struct rq *rq)
{
	uint32_t flags;

	if (feat(k, FEAT_NOHZ_NEXT)) {
		flags = rq->nohz_work;
		rq->nohz_work = 0;
	} else {
		flags = rq->nohz_flags & NOHZ_KICK_MASK;
		rq->nohz_flags &= ~NOHZ_KICK_MASK;
	}
	return flags;
}

/* True: all was done. Linux: nohz_idle_balance(). */
static bool flags_softirq(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	uint32_t flags = take_work(k, rq), saved;

	if (!flags || !rq->idle_at_tick)
		return false;
	saved = path_enter(k, PATH_NOHZ_BALANCE);
	if (feat(k, FEAT_NOHZ_NEXT))
		balance_all_idle_round(k, flags);
	else
		balance_all_idle(k, flags, false);
	path_leave(k, saved);
	return true;
}

/* A CPU about to go idle ages the load of the idle ones, if that is due. [rq] */
static void flags_newidle(struct kctx *k, struct rq *rq)
{
	const struct nohz *nohz = &k->m->nohz;

	if (rq->avg_idle_ns < k->m->tun.migration_cost_ns || !nohz->has_blocked ||
	    jiffies(k) < nohz->next_blocked)
		return;
	if (feat(k, FEAT_NOHZ_NEWILB)) {
		rq->nohz_flags |= NOHZ_NEWILB_KICK;
		return;
	}
	rq_unlock(k, rq);
	if (!balance_all_idle(k, NOHZ_STATS_KICK, true))
		kick_ilb(k, NOHZ_STATS_KICK);
	rq_lock(k, rq);
}

/* Linux: nohz_run_idle_balance(). */
static bool flags_idle_work(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	uint32_t flags = rq->nohz_flags, saved;

	rq->nohz_flags &= ~NOHZ_NEWILB_KICK;
	if (flags != NOHZ_NEWILB_KICK || rq->curr->need_resched)
		return false;
	saved = path_enter(k, PATH_NOHZ_BALANCE);
	if (feat(k, FEAT_NOHZ_NEXT))
		balance_all_idle_round(k, NOHZ_STATS_KICK);
	else
		balance_all_idle(k, NOHZ_STATS_KICK, true);
	path_leave(k, saved);
	return true;
}

static bool flags_refresh(struct kctx *k, uint32_t cpu)
{
	return update_stats_of(k, rq_of_cpu(k->m, cpu), false);
}

/* CPU, without a tick, needs no ageing at NOW, the fresh_jiffy: note that, so that it is asked once. */
static void note_fresh(struct nohz *nohz, const struct rq *rq)
{
	mask_set(nohz->fresh, rq->cpu);
	if (rq->has_blocked_load)
		mask_set(nohz->fresh_with_load, rq->cpu);
	else
		mask_clear(nohz->fresh_with_load, rq->cpu);
}

/*
 * What was not due in a jiffy is not due in an earlier one, which CPUs whose clocks are behind
 * may still ask for.
 */
static bool flags_refresh_due(struct kctx *k, const struct mask *cpus, bool *left)
{
	struct nohz *nohz = &k->m->nohz;
	uint64_t now = jiffies(k), load = 0;

	if (now > nohz->fresh_jiffy) {
		mask_zero(nohz->fresh);
		nohz->fresh_jiffy = now;
	}
	for (uint32_t word = 0; word < cpus->nwords; word++) {
		uint64_t asked = cpus->w[word] & nohz->cpu_mask->w[word];

		load |= asked & nohz->fresh->w[word] & nohz->fresh_with_load->w[word];
		for (asked &= ~nohz->fresh->w[word]; asked; asked &= asked - 1) {
			const struct rq *rq =
				rq_of_cpu(k->m, word * 64 + (uint32_t)__builtin_ctzll(asked));

			if (rq->has_blocked_load && now > rq->last_blocked_update)
				return true;
			load |= rq->has_blocked_load;
			if (now == nohz->fresh_jiffy)
				note_fresh(nohz, rq);
		}
	}
	*left |= load != 0;
	return false;
}

const struct nohz_ops nohz_ops_flags = {
	.name = "flags",
	.stop_tick = flags_stop_tick,
	.restart_tick = flags_restart_tick,
	.tick = flags_tick,
	.balance_idle = flags_softirq,
	.ipi = flags_ipi,
	.newidle = flags_newidle,
	.refresh = flags_refresh,
	.refresh_due = flags_refresh_due,
	.idle_work = flags_idle_work,
};
