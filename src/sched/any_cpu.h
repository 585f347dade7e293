/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any CPU will do: the first one up to 5.7, so that all who ask at once come to the same; later
 * the one after that which this CPU named last, whoever asked.
 */
#ifndef RUNQLAB_SCHED_ANY_CPU_H
#define RUNQLAB_SCHED_ANY_CPU_H

#include "model/machine.h"

/*
 * A CPU of both sets, MASK_NONE if there is none. What was named before a CPU's first question is
 * CPU 0, so that is skipped at first.
 * Linux: cpumask_any_and(), cpumask_any_and_distribute().
 */
static inline uint32_t any_cpu_and(struct kctx *k, const struct mask *a, const struct mask *b)
{
	uint32_t next;

	if (!feat(k, FEAT_ANY_DISTRIBUTES))
		return mask_next_and(a, b, 0);
	next = mask_next_and(a, b, k->cpu->distributed + 1);
	if (next == MASK_NONE)
		next = mask_next_and(a, b, 0);
	if (next != MASK_NONE)
		k->cpu->distributed = next;
	return next;
}

#endif
