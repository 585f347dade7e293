/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jiffies as a kernel's files show them. */
#ifndef RUNQLAB_OBSERVE_JIFFIES_H
#define RUNQLAB_OBSERVE_JIFFIES_H

#include "model/machine.h"

/*
 * The count that M's kernel shows for JIFFIES ticks after the run began. Kernels count
 * from five minutes before 2^32. Linux: include/linux/jiffies.h INITIAL_JIFFIES.
 * Deviation: before 5.4 from 0.
 */
static inline uint64_t jiffies_shown(const struct machine *m, uint64_t jiffies)
{
	const uint64_t five_minutes_ns = UINT64_C(300000000000);

	if (!m->v->util_est)
		return jiffies;
	return (UINT64_C(1) << 32) - five_minutes_ns / m->tick_ns + jiffies;
}

#endif
