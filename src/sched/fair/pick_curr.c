/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choosing with the running entity as a candidate of its own: it is not in the tree and
 * need not be put back to be compared. Otherwise as fair/pick_skip.c.
 *
 * Linux: kernel/sched/fair.c pick_next_entity(), 3.15 on, as of 5.4 and 6.1.
 */
#include "sched/fair/preempt.h"

#include "base/check.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"

static struct entity *after(struct entity *se)
{
	struct rb_node *n = rb_next(&se->node);

	return n ? container_of(n, struct entity, node) : NULL;
}

/* Whom to take instead of SE, which asked to be passed over. */
static struct entity *second_best(struct cfs_rq *cfs_rq, struct entity *se, struct entity *curr)
{
	struct entity *second;

	if (se == curr)
		return cfs_rq_leftmost(cfs_rq);
	second = after(se);
	if (!second || (curr && entity_before(curr, second)))
		second = curr;
	return second;
}

static struct entity *pick_with_curr(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *curr)
{
	struct entity *left = cfs_rq_leftmost(cfs_rq), *se;

	if (!left || (curr && entity_before(curr, left)))
		left = curr;
	CHECK(left);
	se = left;
	if (cfs_rq->skip == se) {
		struct entity *second = second_best(cfs_rq, se, curr);

		if (second && wakeup_preempt_entity(k, second, left) < 1)
			se = second;
	}
	if (cfs_rq->last && wakeup_preempt_entity(k, cfs_rq->last, left) < 1)
		se = cfs_rq->last;
	if (cfs_rq->next && wakeup_preempt_entity(k, cfs_rq->next, left) < 1)
		se = cfs_rq->next;
	if (!feat(k, FEAT_BUDDIES_TILL_SET))
		clear_buddies_on_path(cfs_rq, se);
	return se;
}

static struct entity *pick_without_curr(struct kctx *k, struct cfs_rq *cfs_rq)
{
	return pick_with_curr(k, cfs_rq, NULL);
}

const struct fair_ops fair_ops_with_curr = {
	.name = "with-curr",
	.wakeup_gran = wakeup_gran_fixed,
	.pick_with_curr = pick_with_curr,
	.pick_entity = pick_without_curr,
	.clear_buddies = clear_buddies_on_path,
	.check_preempt = check_preempt_next_buddy,
	.yield = yield_with_skip,
	.insert = insert_by_vruntime,
	.erase = erase_by_vruntime,
	.take = erase_by_vruntime,
};
