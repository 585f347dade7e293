/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The deltas by index, for the profiles' sets. The order is the order of application and of bisection. */
#ifndef RUNQLAB_KVER_DELTAS_H
#define RUNQLAB_KVER_DELTAS_H

#include "kver/kver.h"

enum delta_id {
	DELTA_STALE_H_LOAD,
	DELTA_SHORT_SLICES,
	DELTA_NO_NORMALIZED_SLEEPER,
	DELTA_NO_FAIR_SLEEPERS,
	DELTA_NO_WAKEUP_SYNC,
	DELTA_NO_SYNC_WAKEUPS,
	DELTA_NO_AVG_WAKEUP,
	DELTA_NO_AVG_OVERLAP,
	DELTA_NO_ASYM_GRAN,
	DELTA_NO_AFFINE_WAKEUPS,
	DELTA_AFFINE_THEN_IDLE,
	DELTA_CLOCK_IN_QUEUE_OPS,
	DELTA_SELECT_UNDER_RQ_LOCK,
	DELTA_NOHZ_RATELIMIT,
	DELTA_RQ_CPU_POWER,
	DELTA_COUNT
};

_Static_assert(DELTA_COUNT <= 64, "a set of deltas fits one word");

#define DELTA_BIT(d) (UINT64_C(1) << (d))
/* All deltas from A to B, both included. */
#define DELTA_RANGE(a, b) ((DELTA_BIT(b) - DELTA_BIT(a)) | DELTA_BIT(b))

/* The kernel all deltas are applied to: 2.6.34's rules without STALE_H_LOAD. */
void kver_base(struct kver *v);

#endif
