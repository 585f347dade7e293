/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tick: bring the clock and the decayed loads up to date, let the class
 * decide whether the slice is over, and raise balancing if it is due.
 *
 * Linux: kernel/sched.c scheduler_tick(), update_cpu_load(), 2.6.34 and 2.6.35:
 * a stopped tick is not made up for, cpu_load stays as it was.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"

void update_cpu_load(struct rq *rq)
{
	uint64_t this_load = rq->load.weight;

	rq->nr_load_updates++;
	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++) {
		uint64_t scale = UINT64_C(1) << i;
		uint64_t old_load = rq->cpu_load[i];
		uint64_t new_load = this_load;

		/* round up while rising, so that the average gets there */
		if (new_load > old_load)
			new_load += scale - 1;
		rq->cpu_load[i] = (old_load * (scale - 1) + new_load) >> i;
	}
}

void sched_tick(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_SCHEDULER_TICK);
	struct rq *rq = &k->cpu->rq;

	k->m->count.ticks++;
	charge(k, WORK_TICK, 1);
	rq_lock(k, rq);
	update_rq_clock(k, rq);
	update_cpu_load(rq);
	rq->curr->class->tick(k, rq, rq->curr);
	k->port->record(k, RECORD_TICK, rq->curr->id, rq->nr_running, 0, 0);
	rq_unlock(k, rq);
	rq->idle_at_tick = rq->curr == rq->idle;
	trigger_load_balance(k, rq);
	path_leave(k, saved);
}
