/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * h_load of a queue is the load of the root's queue times the fractions that the
 * groups' entities have of their queues on the way down. The walk climbs until it
 * meets a queue that is fresh this jiffy, or the root, leaves a thread behind
 * (h_load_next) and comes down along it. Bounded by the depth of groups.
 */
#include "sched/pelt/h_load.h"

#include "sched/port.h"

/* The entity that stands for Q in its parent's queue; NULL for the root's. */
static struct entity *entity_of_queue(const struct cfs_rq *q)
{
	return q->tg->parent ? &q->tg->se[q->rq->cpu] : NULL;
}

void update_cfs_rq_h_load(struct kctx *k, struct cfs_rq *q)
{
	uint64_t stamp = jiffies(k) + 1;
	uint32_t visited = 0;
	struct entity *se;

	q->pelt.h_load_next = NULL;
	while (q->pelt.h_load_at != stamp && (se = entity_of_queue(q))) {
		q = se->cfs_rq;
		q->pelt.h_load_next = se;
	}
	if (q->pelt.h_load_at != stamp) {
		q->h_load = q->avg.load_avg;
		q->pelt.h_load_at = stamp;
	}
	while ((se = q->pelt.h_load_next)) {
		uint64_t load = q->h_load * se->avg.load_avg / (q->avg.load_avg + 1);

		q = se->my_q;
		q->h_load = load;
		q->pelt.h_load_at = stamp;
		visited++;
	}
	charge(k, WORK_TG_WALK, visited);
}

uint64_t task_h_load(struct kctx *k, const struct task *p)
{
	struct cfs_rq *q = p->se.cfs_rq;

	update_cfs_rq_h_load(k, q);
	return p->se.avg.load_avg * q->h_load / (q->avg.load_avg + 1);
}
