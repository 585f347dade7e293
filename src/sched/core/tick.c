/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tick: bring the clock and the decayed loads up to date, let the class
 * decide whether the slice is over, and raise balancing if it is due.
 *
 * Linux: kernel/sched.c scheduler_tick(), update_cpu_load(). Up to 2.6.35 a stopped
 * tick is not made up for, cpu_load stays as it was; later kernels decay it.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/core/rcu.h"
#include "sched/rt_avg.h"
#include "sched/select/select.h"

/* What is left of 128 after 2^j missed ticks of an idle CPU, by index of cpu_load. */
static const uint8_t missed_factor[CPU_LOAD_IDX_MAX][7] = {
	{0},
	{64, 32, 8, 0, 0, 0, 0},
	{96, 72, 40, 12, 1, 0, 0},
	{112, 98, 75, 43, 15, 1, 0},
	{120, 112, 98, 76, 45, 16, 2},
};

/* LOAD decayed for MISSED ticks with no load. Linux: decay_load_missed(). */
static uint64_t decay_missed(uint64_t load, uint64_t missed, uint32_t idx)
{
	static const uint64_t zero_after[CPU_LOAD_IDX_MAX] = {0, 8, 32, 64, 128};

	if (!missed)
		return load;
	if (missed >= zero_after[idx])
		return 0;
	if (idx == 1)
		return load >> missed;
	for (uint32_t j = 0; missed; missed >>= 1, j++)
		if (missed & 1)
			load = load * missed_factor[idx][j] >> 7;
	return load;
}

/* Is LOAD what all averages are already? */
static bool is_steady(const struct rq *rq, uint64_t load)
{
	uint64_t differs = 0;

	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++)
		differs |= rq->cpu_load[i] ^ load;
	return !differs;
}

static void average_load(struct rq *rq, uint64_t missed)
{
	uint64_t this_load = rq->load.weight;

	/* what is everywhere stays, and nothing is left of no load however many ticks were missed */
	if (is_steady(rq, this_load) && (!missed || !this_load))
		return;
	rq->cpu_load[0] = this_load;
	for (uint32_t i = 1; i < CPU_LOAD_IDX_MAX; i++) {
		uint64_t scale = UINT64_C(1) << i;
		uint64_t old_load = decay_missed(rq->cpu_load[i], missed, i);
		uint64_t new_load = this_load;

		/* round up while rising, so that the average gets there */
		if (new_load > old_load)
			new_load += scale - 1;
		rq->cpu_load[i] = (old_load * (scale - 1) + new_load) >> i;
	}
}

void update_cpu_load(struct kctx *k, struct rq *rq)
{
	uint64_t missed = 0;

	rq->nr_load_updates++;
	if (feat(k, FEAT_CPU_LOAD_CATCH_UP)) {
		uint64_t now = jiffies(k);

		if (now == rq->last_load_update_jiffies)
			return;
		missed = now - rq->last_load_update_jiffies - 1;
		rq->last_load_update_jiffies = now;
	}
	average_load(rq, missed);
	if (feat(k, FEAT_RT_AVG_AT_TICK))
		sched_avg_update(rq);
}

void sched_tick(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_SCHEDULER_TICK);
	struct rq *rq = &k->cpu->rq;

	k->m->count.ticks++;
	charge(k, WORK_TICK, 1);
	rcu_tick(k);
	rq_lock(k, rq);
	update_rq_clock(k, rq);
	if (!k->v->util_est)
		update_cpu_load(k, rq);
	rq->curr->class->tick(k, rq, rq->curr);
	k->port->record(k, RECORD_TICK, rq->curr->id, rq->nr_running, 0, 0);
	rq_unlock(k, rq);
	rq->idle_at_tick = idle_cpu(k, rq->cpu);
	if (!k->v->nohz->tick(k, rq) && jiffies(k) >= rq->next_balance && rq->sd)
		k->cpu->softirq_pending |= SOFTIRQ_SCHED;
	path_leave(k, saved);
}

void sched_softirq(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_SOFTIRQ), pending = k->cpu->softirq_pending;

	CHECK(pending);
	k->cpu->softirq_pending = 0;
	if (pending & SOFTIRQ_TIMER)
		rcu_run_timer(k);
	if (pending & SOFTIRQ_SCHED) {
		charge(k, WORK_SOFTIRQ, 1);
		k->v->trigger->softirq(k);
	}
	if (pending & SOFTIRQ_RCU)
		rcu_core(k);
	path_leave(k, saved);
}
