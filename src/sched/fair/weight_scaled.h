/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The multiplication by weights of kernels whose internal weights have 10 more
 * bits than nice weights (64-bit kernels from 4.7 on), and the times made of it.
 * weight_of_nice() gives nice weights; scale_load() makes internal ones.
 */
#ifndef RUNQLAB_SCHED_FAIR_WEIGHT_SCALED_H
#define RUNQLAB_SCHED_FAIR_WEIGHT_SCALED_H

#include "model/machine.h"

#define NICE_0_LOAD_SCALED (UINT64_C(1024) << WEIGHT_SHIFT)

/* The internal weight of nice weight LW; the inverse is of the nice weight. */
static inline struct load_weight scale_load(struct load_weight lw)
{
	return (struct load_weight){lw.weight << WEIGHT_SHIFT, lw.inv};
}

/*
 * DELTA * WEIGHT / lw->weight, both weights without their extra bits, by a 32-bit inverse which
 * is computed and kept in *LW when it is 0. Truncates in up to four places, so 24 ms shared by
 * three give 7999998 ns. Linux: fair.c __calc_delta(), 4.7 to 6.12.
 */
uint64_t calc_delta_scaled(const struct kver *v, uint64_t delta, uint64_t weight,
			   struct load_weight *lw);

/* DELTA in virtual time of an entity with internal load LW. Linux: fair.c calc_delta_fair(). */
static inline uint64_t calc_delta_fair_scaled(const struct kver *v, uint64_t delta,
					      struct load_weight *lw)
{
	if (lw->weight == NICE_0_LOAD_SCALED)
		return delta;
	return calc_delta_scaled(v, delta, NICE_0_LOAD_SCALED, lw);
}

#endif
