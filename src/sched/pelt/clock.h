/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks PELT runs on. The rq's PELT clock moves with the work done: on a CPU
 * at half speed a task must run twice as long for the same utilization. When the
 * CPU idles it catches up with the task clock, so the lost time shows as idle
 * time; unless the CPU had no idle time anyhow, then the jump is taken out.
 *
 * A queue's clock is the rq's without the time in which the queue was throttled.
 *
 * Order: after each sample of the rq clock update_rq_clock_task(), which moves
 * both; when the idle task becomes current, update_idle_rq_clock_pelt().
 * The rq's lock is held.
 */
#ifndef RUNQLAB_SCHED_PELT_CLOCK_H
#define RUNQLAB_SCHED_PELT_CLOCK_H

#include "model/machine.h"

/* Full speed; the capacity is rq->cpu_capacity_orig. */
void rq_pelt_init(struct rq_pelt *p);

/*
 * rq->clock_ns moved by DELTA_NS, of which IRQ_NS (at most that) went to interrupts
 * and hypervisor; updates avg_irq where there were any.
 * Linux: core.c update_rq_clock_task(), pelt.h update_rq_clock_pelt(), 5.4 to 6.12.
 */
void update_rq_clock_task(const struct kctx *k, struct rq *rq, uint64_t delta_ns, uint64_t irq_ns);

/*
 * The idle task becomes current. Linux: pelt.h update_idle_rq_clock_pelt(). Behaviour of
 * IDLE_CLOCK_SYNC: clock_pelt catches up at once and not at the next clock update, before
 * which time would go back by what was lost.
 */
void update_idle_rq_clock_pelt(const struct kctx *k, struct rq *rq);

/* Linux: rq_clock_pelt(). */
static inline uint64_t rq_clock_pelt(const struct rq *rq)
{
	return rq->pelt.clock_pelt_ns - rq->pelt.lost_idle_time_ns;
}

/* Linux: cfs_rq_clock_pelt(). */
static inline uint64_t cfs_rq_clock_pelt(const struct cfs_rq *q)
{
	uint64_t now_ns = q->pelt.throttle_count ? q->pelt.throttled_clock_ns :
						   rq_clock_pelt(q->rq);

	return now_ns - q->pelt.throttled_time_ns;
}

/*
 * Q, or a queue above it, is throttled: its clock stands until as many calls of
 * cfs_rq_clock_go(). Linux: fair.c tg_throttle_down(), tg_unthrottle_up(). Behaviour of
 * THROTTLE_BY_PELT: the pause is measured in the PELT clock, before in the task clock.
 */
void cfs_rq_clock_stop(const struct kctx *k, struct cfs_rq *q);
void cfs_rq_clock_go(const struct kctx *k, struct cfs_rq *q);

#endif
