/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a CPU's time classes above fair take: rq->rt_avg, in ns, is their run time,
 * halved every half second of rq clock. balance/power.c takes it off the CPU's power.
 *
 * The caller holds the rq's lock, or runs on its CPU.
 */
#ifndef RUNQLAB_SCHED_RT_AVG_H
#define RUNQLAB_SCHED_RT_AVG_H

#include "base/fixed.h"
#include "model/machine.h"

/* Half of sched_time_avg, 1 s, that no kernel here has as a tunable. Linux: sched_avg_period(). */
#define SCHED_AVG_PERIOD_NS (500 * NS_PER_MS)

/*
 * Halve for every period that is over. After it the stamp is at most a period behind the clock.
 * Linux: kernel/sched.c, kernel/sched/core.c sched_avg_update(), 2.6.32 to 4.0.
 */
static inline void sched_avg_update(struct rq *rq)
{
	/* bound: 64 halvings leave nothing; a clock far ahead is caught up with at once */
	while (rq->clock_ns > rq->age_stamp_ns &&
	       rq->clock_ns - rq->age_stamp_ns > SCHED_AVG_PERIOD_NS) {
		if (!rq->rt_avg) {
			uint64_t behind_ns = rq->clock_ns - rq->age_stamp_ns - 1;

			rq->age_stamp_ns += behind_ns / SCHED_AVG_PERIOD_NS * SCHED_AVG_PERIOD_NS;
			return;
		}
		rq->age_stamp_ns += SCHED_AVG_PERIOD_NS;
		rq->rt_avg /= 2;
	}
}

/* A task above fair ran for DELTA_NS. Linux: sched_rt_avg_update(), 2.6.32 to 4.0. */
static inline void sched_rt_avg_update(struct rq *rq, uint64_t delta_ns)
{
	rq->rt_avg += delta_ns;
	sched_avg_update(rq);
}

#endif
