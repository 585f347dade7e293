/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the PELT clock follows the task clock. "No idle time" is judged by the
 * utilization of all classes together: if it is as high as it can get within a
 * period, the CPU was always busy and there was no idle time to show.
 * Invariant: lost_idle_time_ns <= clock_pelt_ns <= clock_task_ns, outside of the gap that
 * IDLE_CLOCK_SYNC closes.
 */
#include "sched/pelt/clock.h"

#include "base/check.h"
#include "sched/pelt/pelt.h"

void rq_pelt_init(struct rq_pelt *p)
{
	p->freq_scale_cap = CAPACITY_SCALE;
}

/* Linux: _update_idle_rq_clock_pelt(). What is noted is read by wakers without the lock. */
static void catch_up(struct rq *rq)
{
	rq->pelt.clock_pelt_ns = rq->pelt.clock_task_ns;
	rq->pelt.clock_idle_ns = rq->clock_ns;
	rq->pelt.clock_pelt_idle_ns = rq_clock_pelt(rq);
}

void update_rq_clock_task(const struct kctx *k, struct rq *rq, uint64_t delta_ns, uint64_t irq_ns)
{
	uint64_t task_ns = delta_ns - irq_ns;

	CHECK(irq_ns <= delta_ns);
	rq->pelt.clock_task_ns += task_ns;
	if (irq_ns)
		update_irq_load_avg(k, rq, irq_ns);
	if (rq->curr == rq->idle) {
		catch_up(rq);
		return;
	}
	task_ns = task_ns * rq->cpu_capacity_orig >> CAPACITY_SHIFT;
	task_ns = task_ns * rq->pelt.freq_scale_cap >> CAPACITY_SHIFT;
	rq->pelt.clock_pelt_ns += task_ns;
}

void update_idle_rq_clock_pelt(const struct kctx *k, struct rq *rq)
{
	static const uint32_t full = (PELT_MIN_DIVIDER << CAPACITY_SHIFT) - LOAD_AVG_MAX;
	uint32_t util_sum =
		rq->cfs->avg.util_sum + rq->pelt.avg_rt.util_sum + rq->pelt.avg_dl.util_sum;

	if (util_sum >= full)
		rq->pelt.lost_idle_time_ns += rq->pelt.clock_task_ns - rq->pelt.clock_pelt_ns;
	if (feat(k, FEAT_IDLE_CLOCK_SYNC))
		catch_up(rq);
}

static uint64_t throttle_clock(const struct kctx *k, const struct rq *rq)
{
	return feat(k, FEAT_THROTTLE_BY_PELT) ? rq_clock_pelt(rq) : rq->pelt.clock_task_ns;
}

void cfs_rq_clock_stop(const struct kctx *k, struct cfs_rq *q)
{
	if (!q->pelt.throttle_count++)
		q->pelt.throttled_clock_ns = throttle_clock(k, q->rq);
}

void cfs_rq_clock_go(const struct kctx *k, struct cfs_rq *q)
{
	CHECK(q->pelt.throttle_count > 0);
	if (!--q->pelt.throttle_count)
		q->pelt.throttled_time_ns += throttle_clock(k, q->rq) - q->pelt.throttled_clock_ns;
}
