/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy a group is, in one word; balancing and placing by types use the same ones. */
#ifndef RUNQLAB_SCHED_SELECT_GROUP_TYPE_H
#define RUNQLAB_SCHED_SELECT_GROUP_TYPE_H

#include <stdint.h>

/*
 * In what state a group is, the more in need of relief the higher. Kernels up to
 * the rework of 5.5 know GROUP_OTHER, MISFIT, IMBALANCED and OVERLOADED.
 */
enum group_type {
	GROUP_HAS_SPARE,
	GROUP_FULLY_BUSY,
	GROUP_MISFIT_TASK,
	GROUP_SMT_BALANCE, /* a core with two tasks; kernels with LB_SMT_BALANCE */
	GROUP_ASYM_PACKING,
	GROUP_IMBALANCED,
	GROUP_OVERLOADED,
	GROUP_OTHER = GROUP_HAS_SPARE,
};

/* Up to so many tasks (idle CPUs) one node may be ahead of another. Linux: NUMA_IMBALANCE_MIN. */
#define NUMA_IMBALANCE_MIN 2

/*
 * What is left of an IMBALANCE between nodes if the one that would get tasks then had DST_RUNNING:
 * nothing if both are small. Linux: fair.c adjust_numa_imbalance(), 5.18 on.
 */
static inline int32_t adjust_numa_imbalance(int32_t imbalance, uint32_t dst_running,
					    uint32_t imb_numa_nr)
{
	if (dst_running > imb_numa_nr || imbalance > NUMA_IMBALANCE_MIN)
		return imbalance;
	return 0;
}

#endif
