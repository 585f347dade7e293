/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting tasks on all levels: what each queue on the way from a task to the root adds up when
 * the task comes or goes. The rq is locked.
 */
#ifndef RUNQLAB_SCHED_FAIR_COUNT_H
#define RUNQLAB_SCHED_FAIR_COUNT_H

#include "model/machine.h"

/* A task comes (1) or goes (-1), or none does (0): a group's entity alone; for the queue at hand. */
struct change {
	int by;
	bool idle;    /* is it idle for it? */
	bool delayed; /* it sleeps on its queue before and after */
};

static inline struct change change_of(const struct task *p, int by)
{
	return (struct change){.by = by, .idle = p->policy == POLICY_IDLE};
}

/* Q is the task's queue or one above. All of an idle group is idle from there on up. */
static inline void count_task(struct kctx *k, struct cfs_rq *q, struct change *c)
{
	q->h_nr_running += (uint32_t)c->by;
	if (c->idle) {
		q->idle_h_nr_running += (uint32_t)c->by;
		if (c->by > 0)
			mask_set(k->m->had_idle_policy, q->rq->cpu);
	}
	if (c->delayed)
		q->h_nr_delayed += (uint32_t)c->by;
	c->idle |= q->tg->idle;
}

/* Linux: sched_idle_rq(). */
static inline bool has_only_idle(const struct rq *rq)
{
	return rq->nr_running && rq->nr_running == rq->cfs->idle_h_nr_running;
}

#endif
