/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real-time bandwidth: of each period a CPU's real-time tasks get a part (0.95
 * of 1 s). A CPU that has used its part borrows what others have left
 * (RT_RUNTIME_SHARE); if that is not enough its queue is throttled until the
 * period timer, one for the machine, has paid back enough.
 *
 * Linux: kernel/sched/rt.c (kernel/sched_rt.c) sched_rt_runtime_exceeded(),
 * do_balance_runtime(), do_sched_rt_period_timer(), 2.6.34 to 4.0; one group, the root, of
 * kernels without RT_GROUP_SCHED.
 * Deviation: the queues' rt_runtime_lock is free: what it guards changes at once. A runtime of 0
 * is refused up to 3.14 at least; here it means what it means later. A period timer that finds
 * rt_time 0 reschedules real-time tasks in 2.6.34 and 2.6.35 too, where it does nothing.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/rt/rt.h"
#include "sched/rt_avg.h"

static uint64_t period_ns(const struct kctx *k)
{
	return k->m->tun.rt_period_us * NS_PER_US;
}

bool rt_bandwidth_enabled(const struct kctx *k)
{
	return k->m->tun.rt_runtime_us != TUNABLE_NONE && !feat(k, FEAT_NO_RT_THROTTLE);
}

void rt_rq_count(struct kctx *k, struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;

	if (rt->queued || !rt->nr_running)
		return;
	if (rt->throttled && feat(k, FEAT_RT_UNCOUNT_THROTTLED))
		return;
	rt->queued = true;
	add_nr_running(k, rq, rt->nr_running);
}

void rt_rq_uncount(struct kctx *k, struct rq *rq)
{
	(void)k;
	if (!rq->rt.queued)
		return;
	rq->rt.queued = false;
	sub_nr_running(rq, rq->rt.nr_running);
}

/* Take from each other CPU its N-th part of what it has left. Linux: do_balance_runtime(). */
static void balance_runtime(struct kctx *k, struct rq *rq)
{
	uint64_t period = period_ns(k);
	struct rt_rq *rt = &rq->rt;
	uint32_t cpu;

	if (!feat(k, FEAT_RT_RUNTIME_SHARE) || rt->time_ns <= rt->runtime_ns)
		return;
	mask_for_each(cpu, k->m->online) {
		struct rt_rq *other = &rq_of_cpu(k->m, cpu)->rt;
		uint64_t spare_ns;

		if (other == rt)
			continue;
		charge(k, WORK_RTO_SCAN, 1);
		if (other->runtime_ns == UINT64_MAX || other->runtime_ns <= other->time_ns)
			continue;
		spare_ns = (other->runtime_ns - other->time_ns) / k->m->nonline;
		if (rt->runtime_ns + spare_ns > period)
			spare_ns = period - rt->runtime_ns;
		other->runtime_ns -= spare_ns;
		rt->runtime_ns += spare_ns;
		if (rt->runtime_ns == period)
			break;
	}
}

bool rt_charge_runtime(struct kctx *k, struct rq *rq, uint64_t delta_ns)
{
	struct rt_rq *rt = &rq->rt;

	if (rt->runtime_ns == UINT64_MAX)
		return false;
	rt->time_ns += delta_ns;
	if (rt->throttled)
		return true;
	if (rt->runtime_ns >= period_ns(k))
		return false;
	balance_runtime(k, rq);
	if (rt->time_ns <= rt->runtime_ns)
		return false;
	/* a runtime of 0 throttles nobody */
	if (!k->m->tun.rt_runtime_us) {
		rt->time_ns = 0;
		return false;
	}
	rt_rq_uncount(k, rq);
	rt->throttled = true;
	rt_rq_count(k, rq);
	return true;
}

void rt_account_above(struct kctx *k, struct rq *rq, uint64_t delta_ns)
{
	const struct root_domain *rd = &k->m->rd;
	struct rt_rq *rt = &rq->rt;

	sched_rt_avg_update(rq, delta_ns);
	if (rt_bandwidth_enabled(k) &&
	    (rd->rt_period_active || rt->time_ns < k->m->tun.rt_runtime_us * NS_PER_US))
		rt->time_ns += delta_ns;
}

void start_rt_bandwidth(struct kctx *k)
{
	struct root_domain *rd = &k->m->rd;
	uint64_t period = period_ns(k);

	if (!rt_bandwidth_enabled(k) || rd->rt_period_active)
		return;
	rd->rt_period_active = true;
	/* the next multiple of the period after its last expiry */
	if (rd->rt_period_expires_ns <= k->now_ns)
		rd->rt_period_expires_ns +=
			((k->now_ns - rd->rt_period_expires_ns) / period + 1) * period;
	k->port->timer_arm(k, KTIMER_RT_PERIOD, rd->rt_period_expires_ns);
}

/* RQ's used time is paid back for OVERRUN periods; true: it needs no next period. */
static bool pay_back(struct kctx *k, struct rq *rq, uint64_t overrun)
{
	struct rt_rq *rt = &rq->rt;
	bool idle = true, unthrottled = false;

	if (rt->time_ns) {
		if (rt->throttled)
			balance_runtime(k, rq);
		rt->time_ns -= min_u64(rt->time_ns, overrun * rt->runtime_ns);
		if (rt->throttled && rt->time_ns < rt->runtime_ns) {
			rt_rq_uncount(k, rq);
			rt->throttled = false;
			unthrottled = true;
		}
		idle = !rt->time_ns && !rt->nr_running;
	} else if (rt->nr_running) {
		idle = false;
		unthrottled = !rt->throttled;
	}
	/* whatever runs: without real-time groups priorities are not compared here */
	if (unthrottled && rt->nr_running) {
		rt_rq_count(k, rq);
		resched_task(k, rq);
	}
	return idle;
}

void rt_period_timer(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_RT_PERIOD_TIMER);
	struct root_domain *rd = &k->m->rd;
	uint64_t period = period_ns(k);
	bool idle = false;

	/* bound: each turn moves the expiry on; a turn's work is shorter than a period */
	while (rd->rt_period_expires_ns <= k->now_ns) {
		uint64_t overrun = (k->now_ns - rd->rt_period_expires_ns) / period + 1;
		uint32_t cpu;

		rd->rt_period_expires_ns += overrun * period;
		idle = true;
		mask_for_each(cpu, k->m->online) {
			struct rq *rq = rq_of_cpu(k->m, cpu);

			rq_lock(k, rq);
			idle &= pay_back(k, rq, overrun);
			rq_unlock(k, rq);
		}
		if (idle)
			break;
	}
	rd->rt_period_active = !idle;
	if (!idle)
		k->port->timer_arm(k, KTIMER_RT_PERIOD, rd->rt_period_expires_ns);
	path_leave(k, saved);
}
