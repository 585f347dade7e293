/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The leaf list holds children before their parents, so that one walk carries what
 * decayed below up to the root. A queue is put directly in front of its parent's;
 * if that is not listed yet, the branch grows at its own place (tmp_alone_branch)
 * until it meets a listed queue.
 * Invariant: a queue stands before its parent's if both are listed. Without LEAF_KEEPS_PARENT
 * a parent may decay first (by rounding), leave, and come back in front of the child.
 * Cost: two updates for each listed queue; one look at each child of a decayed one.
 */
#include "sched/pelt/blocked.h"

#include "base/check.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/load_avg.h"
#include "sched/port.h"

static struct cfs_rq *parent_queue(const struct cfs_rq *q)
{
	return q->tg->parent ? &q->tg->parent->cfs_rq[q->rq->cpu] : NULL;
}

bool list_add_leaf_cfs_rq(struct cfs_rq *q)
{
	struct rq *rq = q->rq;
	struct cfs_rq *parent = parent_queue(q);
	struct list *at = rq->pelt.tmp_alone_branch;

	if (q->on_leaf_list)
		return !at;
	q->on_leaf_list = true;
	if (parent && !parent->on_leaf_list) {
		list_add(at ? at : &rq->leaf_cfs_rqs, &q->leaf_node);
		rq->pelt.tmp_alone_branch = &q->leaf_node;
		return false;
	}
	/* in front of the parent; the root's goes to the end */
	list_add_tail(parent ? &parent->leaf_node : &rq->leaf_cfs_rqs, &q->leaf_node);
	rq->pelt.tmp_alone_branch = NULL;
	return true;
}

void list_del_leaf_cfs_rq(struct cfs_rq *q)
{
	struct rq *rq = q->rq;

	if (!q->on_leaf_list)
		return;
	if (rq->pelt.tmp_alone_branch == &q->leaf_node) {
		struct list *prev = q->leaf_node.prev;

		rq->pelt.tmp_alone_branch = prev == &rq->leaf_cfs_rqs ? NULL : prev;
	}
	list_del(&q->leaf_node);
	q->on_leaf_list = false;
}

/*
 * Linux: child_cfs_rq_on_list(). Deviation: the kernel looks only at the element in front, which
 * is a child's queue unless the branch was begun while its parent was not listed.
 */
static bool child_is_listed(const struct cfs_rq *q)
{
	for (const struct task_group *tg = q->tg->child; tg; tg = tg->sibling)
		if (tg->cfs_rq[q->rq->cpu].on_leaf_list)
			return true;
	return false;
}

bool cfs_rq_is_decayed(const struct kctx *k, const struct cfs_rq *q)
{
	if (q->load.weight || q->avg.load_sum || q->avg.util_sum || q->avg.runnable_sum)
		return false;
	if (feat(k, FEAT_LEAF_KEEPS_PARENT) && child_is_listed(q))
		return false;
	return !feat(k, FEAT_LEAF_KEEPS_CONTRIB) || !q->pelt.tg_load_avg_contrib;
}

/* Nothing that could still decay or has to be passed up. Linux: skip_blocked_update(). */
static bool has_nothing_to_age(const struct entity *se)
{
	return !se->avg.load_avg && !se->avg.util_avg && !se->my_q->pelt.propagate;
}

static void update_leaf(struct kctx *k, struct cfs_rq *q)
{
	struct entity *se;

	if (update_cfs_rq_load_avg(k, cfs_rq_clock_pelt(q), q)) {
		charge(k, WORK_LOAD_PERIOD, 1);
		update_tg_load_avg(k, q);
	}
	if (!q->tg->parent)
		return;
	se = &q->tg->se[q->rq->cpu];
	if (!has_nothing_to_age(se))
		update_load_avg(k, se, feat(k, FEAT_BLOCKED_UPDATE_TG) ? UPDATE_TG : 0);
}

bool update_blocked_fair(struct kctx *k, struct rq *rq)
{
	struct list *pos, *next;
	uint32_t leaves = 0;
	bool left = false;

	CHECK(!rq->pelt.tmp_alone_branch);
	list_for_each_safe(pos, next, &rq->leaf_cfs_rqs) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, leaf_node);

		update_leaf(k, q);
		leaves++;
		if (cfs_rq_is_decayed(k, q))
			list_del_leaf_cfs_rq(q);
		left |= q->avg.load_avg || q->avg.util_avg;
	}
	charge(k, WORK_LEAF, leaves);
	return left;
}
