/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who preempts whom. A woken entity preempts when its vruntime leads the
 * running one's by more than a granularity; a running one is preempted by the
 * tick when its slice is used up, or when it is a slice ahead of the leftmost.
 *
 * Buddies: `last` is the task that was preempted, `next` the one that was
 * meant to run; picking prefers them while that is not unfair by more than
 * the granularity. They keep caches warm over short interruptions.
 *
 * A quirk that must stay: up to 2.6.37 the tick compares the lead of the current
 * entity, a signed number, with an unsigned slice; so an entity that is *behind*
 * the leftmost counts as far ahead and is rescheduled as soon as it has run
 * the minimum granularity. It is usually picked again at once, but its slice
 * starts anew. SIGNED_TICK_LEAD (2.6.38 on) is the mend.
 *
 * Picking and preemption by a wake-up of 3.3 and 3.4 are in fair/pick_skip.c.
 *
 * Linux: kernel/sched_fair.c, 2.6.34 and 2.6.35; check_preempt_tick(), 2.6.34 to 3.4.
 */
#include "sched/fair/preempt.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/idle_entity.h"
#include "sched/fair/weight.h"

void clear_buddies(struct cfs_rq *cfs_rq, struct entity *se)
{
	(void)cfs_rq;
	for (; se; se = se->parent) {
		struct cfs_rq *q = se->cfs_rq;

		if (q->last == se)
			q->last = NULL;
		if (q->next == se)
			q->next = NULL;
	}
}

void set_last_buddy(struct entity *se)
{
	for (; se && se->on_rq && !se_is_idle(se); se = se->parent)
		se->cfs_rq->last = se;
}

void set_next_buddy(struct entity *se)
{
	for (; se && se->on_rq && !se_is_idle(se); se = se->parent)
		se->cfs_rq->next = se;
}

void mark_parent_as_next(const struct kctx *k, const struct entity *se, bool task_sleeps)
{
	if (task_sleeps && se->parent && feat(k, FEAT_NEXT_BUDDY_ON_SLEEP) &&
	    !throttled_hierarchy(se->cfs_rq))
		set_next_buddy(se->parent);
}

uint64_t wakeup_gran_fixed(const struct kctx *k, const struct entity *curr, struct entity *se)
{
	(void)curr;
	return calc_delta_fair(k->v, k->m->tun.wakeup_granularity_ns, &se->load);
}

/*
 * What is left of twice the woken task's usual run between wake-ups, times the
 * number of tasks it competes with; a group entity has no such average.
 */
static uint64_t adaptive_gran(const struct kctx *k, const struct entity *curr, struct entity *se)
{
	uint64_t this_run = curr->sum_exec_ns - curr->prev_sum_exec_ns;
	uint64_t avg_wakeup = 0;
	uint64_t expected, gran = 0;

	if (entity_is_task(se))
		avg_wakeup = task_of(se)->avg_wakeup_ns;
	expected = 2 * avg_wakeup * se->cfs_rq->nr_running;
	if (this_run < expected)
		gran = expected - this_run;
	return (uint64_t)min_s64((int64_t)gran, (int64_t)k->m->tun.wakeup_granularity_ns);
}

static uint64_t wakeup_gran_adaptive(const struct kctx *k, const struct entity *curr,
				     struct entity *se)
{
	uint64_t gran = k->m->tun.wakeup_granularity_ns;
	struct load_weight curr_load = curr->load;

	if (curr->cfs_rq->curr && feat(k, FEAT_ADAPTIVE_GRAN))
		gran = adaptive_gran(k, curr, se);
	if (feat(k, FEAT_ASYM_GRAN))
		return calc_delta_fair(k->v, gran, &se->load);
	return calc_delta_fair(k->v, gran, &curr_load);
}

int wakeup_preempt_entity(const struct kctx *k, const struct entity *curr, struct entity *se)
{
	int64_t vdiff = delta_s64(curr->vruntime_vns, se->vruntime_vns);

	if (vdiff <= 0)
		return -1;
	return vdiff > (int64_t)k->v->fair->wakeup_gran(k, curr, se);
}

static uint32_t entity_depth(const struct entity *se)
{
	uint32_t depth = 0;

	for (; se->parent; se = se->parent)
		depth++;
	return depth;
}

/* Walk both up until they queue on the same cfs_rq. */
void find_matching_se(struct entity **a, struct entity **b)
{
	uint32_t depth_a = entity_depth(*a);
	uint32_t depth_b = entity_depth(*b);

	for (; depth_a > depth_b; depth_a--)
		*a = (*a)->parent;
	for (; depth_b > depth_a; depth_b--)
		*b = (*b)->parent;
	while ((*a)->cfs_rq != (*b)->cfs_rq) {
		*a = (*a)->parent;
		*b = (*b)->parent;
	}
}

/* Tests that need no virtual times. 1: preempt, 0: do not, -1: compare. */
static int preempt_by_policy(struct kctx *k, const struct task *curr, const struct task *p,
			     uint32_t wake_flags)
{
	uint64_t cost = k->m->tun.migration_cost_ns;

	if (curr->need_resched)
		return 0;
	if (p->policy != POLICY_NORMAL)
		return 0;
	if (curr->policy == POLICY_IDLE)
		return 1;
	if (feat(k, FEAT_WAKEUP_SYNC) && (wake_flags & WF_SYNC))
		return 1;
	if (feat(k, FEAT_WAKEUP_OVERLAP) && curr->avg_overlap_ns < cost && p->avg_overlap_ns < cost)
		return 1;
	return feat(k, FEAT_WAKEUP_PREEMPT) ? -1 : 0;
}

/* Preempt rq's current task, remembering SE (it or the group entity at the matched level) as last buddy. */
static void preempt_curr(struct kctx *k, struct rq *rq, struct entity *se, bool scale)
{
	resched_task(k, rq);
	if (!se->on_rq)
		return;
	if (feat(k, FEAT_LAST_BUDDY) && scale && entity_is_task(se))
		set_last_buddy(se);
}

static void check_preempt_last_buddy(struct kctx *k, struct rq *rq, struct task *p,
				     uint32_t wake_flags)
{
	struct task *curr = rq->curr;
	struct entity *se = &curr->se, *pse = &p->se;
	bool scale = se->cfs_rq->nr_running >= k->m->tun.nr_latency;
	int verdict;

	if (se == pse)
		return;
	if (p->class->rank > fair_sched_class.rank) {
		preempt_curr(k, rq, se, scale);
		return;
	}
	if (p->class != &fair_sched_class)
		return;
	if (feat(k, FEAT_NEXT_BUDDY) && scale && !(wake_flags & WF_FORK))
		set_next_buddy(pse);
	verdict = preempt_by_policy(k, curr, p, wake_flags);
	if (verdict < 0) {
		update_curr(k, se->cfs_rq);
		find_matching_se(&se, &pse);
		verdict = wakeup_preempt_entity(k, se, pse) == 1;
	}
	if (verdict)
		preempt_curr(k, rq, se, scale);
}

void check_preempt_wakeup(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	k->v->fair->check_preempt(k, rq, p, wake_flags);
}

/* Best entity of one level. Linux: pick_next_entity(), up to 2.6.37: the last buddy is asked last and wins. */
static struct entity *pick_last_wins(struct kctx *k, struct cfs_rq *cfs_rq)
{
	struct entity *left = cfs_rq_leftmost(cfs_rq);
	struct entity *se = left;

	CHECK(left);
	if (cfs_rq->next && wakeup_preempt_entity(k, cfs_rq->next, left) < 1)
		se = cfs_rq->next;
	if (cfs_rq->last && wakeup_preempt_entity(k, cfs_rq->last, left) < 1)
		se = cfs_rq->last;
	clear_buddies(cfs_rq, se);
	return se;
}

/*
 * A yielding task only brings its times up to date; a SCHED_BATCH one goes behind
 * the last of its queue. Linux: yield_task_fair() with sched_compat_yield 0.
 */
static void yield_in_place(struct kctx *k, struct rq *rq)
{
	struct task *curr = rq->curr;
	struct cfs_rq *cfs_rq = curr->se.cfs_rq;
	const struct entity *last;

	if (cfs_rq->nr_running == 1)
		return;
	clear_buddies(cfs_rq, &curr->se);
	if (curr->policy != POLICY_BATCH) {
		update_rq_clock(k, rq);
		update_curr(k, cfs_rq);
		return;
	}
	last = cfs_rq_rightmost(cfs_rq);
	if (!last || entity_before(last, &curr->se))
		return;
	curr->se.vruntime_vns = last->vruntime_vns + 1;
}

void check_preempt_tick(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *curr)
{
	uint64_t ideal_ns = sched_slice(k, cfs_rq, curr);
	uint64_t ran_ns = curr->sum_exec_ns - curr->prev_sum_exec_ns;
	const struct entity *left;

	if (ran_ns > ideal_ns) {
		resched_task(k, cfs_rq->rq);
		k->v->fair->clear_buddies(cfs_rq, curr);
		return;
	}
	if (!feat(k, FEAT_WAKEUP_PREEMPT))
		return;
	if (ran_ns < k->m->tun.min_granularity_ns)
		return;
	left = cfs_rq_leftmost(cfs_rq);
	if (!left)
		return;
	if (feat(k, FEAT_SIGNED_TICK_LEAD) && entity_before(curr, left))
		return;
	/* unsigned on purpose: see the top of this file */
	if (curr->vruntime_vns - left->vruntime_vns > ideal_ns)
		resched_task(k, cfs_rq->rq);
}

const struct fair_ops fair_ops_adaptive = {
	.name = "adaptive-gran",
	.wakeup_gran = wakeup_gran_adaptive,
	.pick_entity = pick_last_wins,
	.clear_buddies = clear_buddies,
	.check_preempt = check_preempt_last_buddy,
	.yield = yield_in_place,
	.insert = insert_by_vruntime,
	.erase = erase_by_vruntime,
	.take = erase_by_vruntime,
};

const struct fair_ops fair_ops_fixed_gran = {
	.name = "fixed-gran",
	.wakeup_gran = wakeup_gran_fixed,
	.pick_entity = pick_last_wins,
	.clear_buddies = clear_buddies,
	.check_preempt = check_preempt_last_buddy,
	.yield = yield_in_place,
	.insert = insert_by_vruntime,
	.erase = erase_by_vruntime,
	.take = erase_by_vruntime,
};
