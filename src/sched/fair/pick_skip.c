/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choosing and preempting with three buddies. `skip` is an entity that yielded:
 * it is passed over if the next in line is not too far behind. `next` wins
 * over `last`. Forgetting a buddy stops at the first level where the entity
 * is not it, because buddies are set on whole paths.
 *
 * Linux: kernel/sched/fair.c pick_next_entity(), clear_buddies(), yield_task_fair(),
 * check_preempt_wakeup(); 3.3 and 3.4.
 */
#include "sched/fair/preempt.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/idle_entity.h"

void clear_buddies_on_path(struct cfs_rq *cfs_rq, struct entity *se)
{
	struct entity *s;

	if (cfs_rq->last == se)
		for (s = se; s && s->cfs_rq->last == s; s = s->parent)
			s->cfs_rq->last = NULL;
	if (cfs_rq->next == se)
		for (s = se; s && s->cfs_rq->next == s; s = s->parent)
			s->cfs_rq->next = NULL;
	if (cfs_rq->skip == se)
		for (s = se; s && s->cfs_rq->skip == s; s = s->parent)
			s->cfs_rq->skip = NULL;
}

static struct entity *pick_with_skip(struct kctx *k, struct cfs_rq *cfs_rq)
{
	struct entity *left = cfs_rq_leftmost(cfs_rq);
	struct entity *se = left;

	CHECK(left);
	if (cfs_rq->skip == se) {
		struct rb_node *n = rb_next(&se->node);
		struct entity *second = n ? container_of(n, struct entity, node) : NULL;

		if (second && wakeup_preempt_entity(k, second, left) < 1)
			se = second;
	}
	if (cfs_rq->last && wakeup_preempt_entity(k, cfs_rq->last, left) < 1)
		se = cfs_rq->last;
	if (cfs_rq->next && wakeup_preempt_entity(k, cfs_rq->next, left) < 1)
		se = cfs_rq->next;
	clear_buddies_on_path(cfs_rq, se);
	return se;
}

/* 1: preempt, 0: do not, -1: compare virtual times. */
static int preempt_by_policy(const struct task *curr, const struct task *p, bool may_preempt)
{
	if (curr->need_resched)
		return 0;
	if (curr->policy == POLICY_IDLE && p->policy != POLICY_IDLE)
		return 1;
	return p->policy == POLICY_NORMAL && may_preempt ? -1 : 0;
}

void check_preempt_next_buddy(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	struct task *curr = rq->curr;
	struct entity *se = &curr->se, *pse = &p->se;
	bool scale = se->cfs_rq->nr_running >= k->m->tun.nr_latency;
	bool marked = false;
	int verdict;

	if (se == pse || throttled_hierarchy(pse->cfs_rq))
		return;
	if (feat(k, FEAT_NEXT_BUDDY) && scale && !(wake_flags & WF_FORK)) {
		set_next_buddy(pse);
		marked = true;
	}
	verdict = preempt_by_policy(curr, p, feat(k, FEAT_WAKEUP_PREEMPTION) || !k->v->util_est);
	if (verdict < 0) {
		find_matching_se(&se, &pse);
		if (feat(k, FEAT_IDLE_GROUPS) && se_is_idle(se) != se_is_idle(pse))
			verdict = se_is_idle(se);
	}
	if (verdict < 0) {
		update_curr(k, se->cfs_rq);
		verdict = wakeup_preempt_entity(k, se, pse) == 1;
		if (verdict && !marked)
			set_next_buddy(pse);
	}
	if (!verdict)
		return;
	resched_task(k, rq);
	if (!se->on_rq)
		return;
	if (feat(k, FEAT_LAST_BUDDY) && scale && entity_is_task(se))
		set_last_buddy(se);
}

void yield_with_skip(struct kctx *k, struct rq *rq)
{
	struct entity *se = &rq->curr->se;

	if (rq->nr_running == 1)
		return;
	clear_buddies_on_path(se->cfs_rq, se);
	if (rq->curr->policy != POLICY_BATCH) {
		update_rq_clock(k, rq);
		update_curr(k, se->cfs_rq);
		rq->skip_clock_update = true;
	}
	for (; se; se = se->parent)
		se->cfs_rq->skip = se;
}

const struct fair_ops fair_ops_skip_buddy = {
	.name = "skip-buddy",
	.wakeup_gran = wakeup_gran_fixed,
	.pick_entity = pick_with_skip,
	.clear_buddies = clear_buddies_on_path,
	.check_preempt = check_preempt_next_buddy,
	.yield = yield_with_skip,
	.insert = insert_by_vruntime,
	.erase = erase_by_vruntime,
	.take = erase_by_vruntime,
};
