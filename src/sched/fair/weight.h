/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights of nice levels and the fair class's scaled multiplication.
 * Rounding is the kernel's to the bit: vruntime depends on it.
 */
#ifndef RUNQLAB_SCHED_FAIR_WEIGHT_H
#define RUNQLAB_SCHED_FAIR_WEIGHT_H

#include "model/entity.h"
#include "model/kver.h"

#define NICE_0_LOAD UINT64_C(1024)
#define MIN_SHARES UINT64_C(2)
#define MAX_SHARES (UINT64_C(1) << 18)

/* Load of a task of NICE (-20..19). Linux: sched.c prio_to_weight[], prio_to_wmult[]. */
struct load_weight weight_of_nice(int32_t nice);

/* Load of a SCHED_IDLE task. */
struct load_weight weight_of_idle_policy(void);

/* What a task of nice 0 weighs in this kernel. */
static inline uint64_t nice_0_load(const struct kver *v)
{
	return kver_has(v, FEAT_WEIGHTS_SCALED) ? NICE_0_LOAD << WEIGHT_SHIFT : NICE_0_LOAD;
}

static inline void load_add(struct load_weight *lw, uint64_t weight)
{
	lw->weight += weight;
	lw->inv = 0;
}

static inline void load_sub(struct load_weight *lw, uint64_t weight)
{
	lw->weight -= weight;
	lw->inv = 0;
}

/*
 * DELTA * WEIGHT / lw->weight by multiplication with a 32-bit inverse, which is
 * computed and kept in *LW when it is 0. Safe for DELTA * WEIGHT < 2^64.
 * Linux: sched.c calc_delta_mine(), 2.6.24 to 3.12.
 */
uint64_t calc_delta_mine(const struct kver *v, uint64_t delta, uint64_t weight,
			 struct load_weight *lw);

/*
 * DELTA in virtual time of an entity with load LW: DELTA * 1024 / weight.
 * Linux: sched_fair.c calc_delta_fair().
 */
static inline uint64_t calc_delta_fair(const struct kver *v, uint64_t delta, struct load_weight *lw)
{
	uint64_t nice_0 = nice_0_load(v);

	if (lw->weight == nice_0)
		return delta;
	return calc_delta_mine(v, delta, nice_0, lw);
}

#endif
