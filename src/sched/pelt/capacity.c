/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real-time, deadline and interrupt work used lately is taken from the CPU's
 * capacity. Classes' utilization is measured in the time that interrupts leave, so
 * interrupts shrink the rest in proportion instead of being subtracted.
 */
#include "sched/pelt/capacity.h"

#include "base/fixed.h"

uint64_t scale_rt_capacity(const struct capacity_use *use)
{
	uint64_t most = use->whole > use->pressure ? use->whole - use->pressure : 0;
	uint64_t used = use->rt_util + use->dl_util + use->thermal_load;

	if (use->irq_util >= most || used >= most)
		return 1;
	return max_u64((most - used) * (most - use->irq_util) / most, 1);
}

uint64_t rq_cpu_capacity(const struct rq *rq)
{
	struct capacity_use use = {
		.whole = rq->cpu_capacity_orig,
		.rt_util = rq->pelt.avg_rt.util_avg,
		.dl_util = rq->pelt.avg_dl.util_avg,
		.irq_util = rq->pelt.avg_irq.util_avg,
	};

	return scale_rt_capacity(&use);
}
