/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counts as idle beside others: tasks of SCHED_IDLE and, from 5.15 on, groups that were made
 * idle (cpu.idle), with all that is below them. Only beside: within an idle group its tasks
 * are as any.
 */
#ifndef RUNQLAB_SCHED_FAIR_IDLE_ENTITY_H
#define RUNQLAB_SCHED_FAIR_IDLE_ENTITY_H

#include "model/machine.h"

/* Linux: se_is_idle(); up to 5.14 task_has_idle_policy(), and no group is. */
static inline bool se_is_idle(struct entity *se)
{
	if (!entity_is_task(se))
		return se->my_q->tg->idle;
	return task_of(se)->policy == POLICY_IDLE;
}

/* Is all that Q has idle? False if it is empty. Linux: sched_idle_cfs_rq(), 5.16 on. */
static inline bool sched_idle_cfs_rq(const struct cfs_rq *q)
{
	return q->nr_running && q->nr_running == q->idle_nr_running;
}

#endif
