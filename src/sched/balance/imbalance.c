/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much to move: no more than brings the busiest group down to the average,
 * no more than it has above its capacity, no more than brings this group up to the
 * average. If that is less than one task, the question is whether moving one
 * would make both groups together do more work.
 *
 * All arithmetic is unsigned 64-bit and wraps as in the kernel.
 *
 * Linux: fair.c calculate_imbalance(), fix_small_imbalance(); the same from 2.6.34 to 3.4.
 */
#include "sched/balance/imbalance.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/select.h"

uint32_t lb_load_idx(const struct lb *lb)
{
	switch (lb->idle) {
	case CPU_NOT_IDLE:
		return lb->sd->busy_idx;
	case CPU_NEWLY_IDLE:
		return lb->sd->newidle_idx;
	case CPU_IDLE:
	case CPU_IDLE_TYPES:
		break;
	}
	return lb->sd->idle_idx;
}

/*
 * Less than one task is to move: would moving one make the two groups do more
 * work together? Linux: fix_small_imbalance().
 */
static uint64_t fix_small_imbalance(struct kctx *k, const struct lb *lb, struct sd_stats *sds,
				    uint64_t imbalance)
{
	uint64_t busiest_power = sds->busiest->cpu_power, this_power = sds->this->cpu_power;
	uint64_t scaled, now = 0, after = 0, t, factor = 2;

	if (sds->this_nr_running) {
		sds->this_load_per_task /= sds->this_nr_running;
		if (sds->busiest_load_per_task > sds->this_load_per_task)
			factor = 1;
	} else {
		sds->this_load_per_task = cpu_avg_load_per_task(k, lb->this_rq->cpu);
	}
	scaled = sds->busiest_load_per_task * LOAD_SCALE / busiest_power;
	if (sds->max_load - sds->this_load + scaled >= scaled * factor)
		return sds->busiest_load_per_task;

	now += busiest_power * min_u64(sds->busiest_load_per_task, sds->max_load);
	now += this_power * min_u64(sds->this_load_per_task, sds->this_load);
	now /= LOAD_SCALE;

	t = sds->busiest_load_per_task * LOAD_SCALE / busiest_power;
	if (sds->max_load > t)
		after += busiest_power * min_u64(sds->busiest_load_per_task, sds->max_load - t);
	if (sds->max_load * busiest_power < sds->busiest_load_per_task * LOAD_SCALE)
		t = sds->max_load * busiest_power / this_power;
	else
		t = sds->busiest_load_per_task * LOAD_SCALE / this_power;
	after += this_power * min_u64(sds->this_load_per_task, sds->this_load + t);
	after /= LOAD_SCALE;

	return after > now ? sds->busiest_load_per_task : imbalance;
}

/* Linux: calculate_imbalance(). */
uint64_t calculate_imbalance(struct kctx *k, const struct lb *lb, struct sd_stats *sds)
{
	uint64_t above_capacity = UINT64_MAX;
	uint64_t max_pull, imbalance;

	sds->busiest_load_per_task /= sds->busiest_nr_running;
	if (sds->group_imb)
		sds->busiest_load_per_task = min_u64(sds->busiest_load_per_task, sds->avg_load);
	if (sds->max_load < sds->avg_load)
		return fix_small_imbalance(k, lb, sds, 0);
	if (!sds->group_imb)
		above_capacity = (sds->busiest_nr_running - sds->busiest_capacity) * LOAD_SCALE *
				 LOAD_SCALE / sds->busiest->cpu_power;
	max_pull = min_u64(sds->max_load - sds->avg_load, above_capacity);
	imbalance = min_u64(max_pull * sds->busiest->cpu_power,
			    (sds->avg_load - sds->this_load) * sds->this->cpu_power) /
		    LOAD_SCALE;
	if (imbalance < sds->busiest_load_per_task)
		return fix_small_imbalance(k, lb, sds, imbalance);
	return imbalance;
}
