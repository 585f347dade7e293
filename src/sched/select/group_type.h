/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy a group is, in one word; balancing and placing by types use the same ones. */
#ifndef RUNQLAB_SCHED_SELECT_GROUP_TYPE_H
#define RUNQLAB_SCHED_SELECT_GROUP_TYPE_H

/*
 * In what state a group is, the more in need of relief the higher. Kernels up to
 * the rework of 5.5 know GROUP_OTHER, MISFIT, IMBALANCED and OVERLOADED.
 */
enum group_type {
	GROUP_HAS_SPARE,
	GROUP_FULLY_BUSY,
	GROUP_MISFIT_TASK,
	GROUP_ASYM_PACKING,
	GROUP_IMBALANCED,
	GROUP_OVERLOADED,
	GROUP_OTHER = GROUP_HAS_SPARE,
};

#endif
