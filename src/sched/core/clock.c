/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rq clock is sampled from the CPU's clock only where the kernel samples
 * it; everything in the fair class reads the sample. Versions differ in where:
 * 2.6.34 at the entry of each operation and after locking two queues, 2.6.35 and
 * later ones in enqueue, dequeue and put_prev, skipping when a reschedule is due
 * anyway: that of the woken task in 2.6.35, of the current one in 3.3 and 3.4.
 *
 * The clock of another CPU's rq is read from the executing CPU's clock, which may lag behind
 * what the owner already did; it never goes back.
 */
#include "sched/core/core.h"
#include "sched/pelt/clock.h"

void update_rq_clock(struct kctx *k, struct rq *rq)
{
	uint64_t before_ns = rq->clock_ns;

	if (rq->skip_clock_update && !feat(k, FEAT_CLOCK_SKIP_ONCE))
		return;
	if (k->now_ns <= before_ns)
		return;
	rq->clock_ns = k->now_ns;
	if (k->v->util_est)
		update_rq_clock_task(k, rq, rq->clock_ns - before_ns, 0);
}
