/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over CPUs in search of an idle one, word by word of the masks: what it finds and how
 * many CPUs it looked at are those of the walk CPU by CPU, which tests/reference compares it
 * with. Reads other CPUs' state: a peek stands before.
 */
#ifndef RUNQLAB_SCHED_SELECT_IDLE_FIND_H
#define RUNQLAB_SCHED_SELECT_IDLE_FIND_H

#include "model/machine.h"

struct idle_walk {
	const struct mask *span;    /* CPUs in whose order the walk goes */
	const struct mask *allowed; /* the others are stepped over, but count as steps */
	uint32_t start;             /* the walk begins there, or at the next of SPAN, and wraps */
	uint32_t steps;             /* CPUs of SPAN it may take */
	bool either;                /* one that runs SCHED_IDLE only is as good as an idle one */
};

struct idle_found {
	uint32_t cpu; /* the first idle one (or either), or CPU_NONE */
	/* the first before it that runs SCHED_IDLE only, or CPU_NONE; not if either is as good */
	uint32_t sched_idle;
	uint32_t looked_at; /* allowed CPUs up to where the walk ended */
	bool cut;           /* it ended because no step was left */
};

struct idle_found idle_find(const struct kctx *k, const struct idle_walk *walk);

#endif
