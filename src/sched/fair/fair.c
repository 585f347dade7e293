/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fair class: a tree of cfs_rqs per CPU, one level per group. Queueing a
 * task queues every group entity above it that was not queued; picking walks
 * down, taking the best entity of each level.
 *
 * Linux: kernel/sched_fair.c, 2.6.34 to 3.4 (3.3 on kernel/sched/fair.c); deviations
 * are told where they are.
 */
#include "sched/fair/fair.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/preempt.h"

static void enqueue_task_fair(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	struct entity *se;

	(void)rq;
	for (se = &p->se; se && !se->on_rq; se = se->parent) {
		enqueue_entity(k, se->cfs_rq, se, flags);
		flags = ENQUEUE_WAKEUP;
	}
	/* the rest of the way was queued before */
	for (; se && k->v->share->ancestor; se = se->parent)
		k->v->share->ancestor(k, se->cfs_rq);
	for (se = &p->se; se; se = se->parent)
		se->cfs_rq->h_nr_running++;
}

/* The task that kept SE's group busy here sleeps: what it waits for may come from the group. */
static void mark_parent_as_next(struct kctx *k, const struct entity *se, bool task_sleeps)
{
	if (task_sleeps && se->parent && feat(k, FEAT_NEXT_BUDDY_ON_SLEEP))
		set_next_buddy(se->parent);
}

static void dequeue_task_fair(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	bool task_sleeps = flags & DEQUEUE_SLEEP;
	struct entity *se;

	(void)rq;
	for (se = &p->se; se; se = se->parent) {
		dequeue_entity(k, se->cfs_rq, se, flags);
		if (se->cfs_rq->load.weight) {
			mark_parent_as_next(k, se, task_sleeps);
			se = se->parent;
			break;
		}
		flags |= DEQUEUE_SLEEP;
	}
	for (; se && k->v->share->ancestor; se = se->parent)
		k->v->share->ancestor(k, se->cfs_rq);
	for (se = &p->se; se; se = se->parent)
		se->cfs_rq->h_nr_running--;
}

static void set_next_entity(struct cfs_rq *cfs_rq, struct entity *se)
{
	if (se->on_rq)
		timeline_erase(cfs_rq, se);
	se->exec_start_ns = cfs_rq->rq->clock_ns;
	cfs_rq->curr = se;
	se->prev_sum_exec_ns = se->sum_exec_ns;
}

static struct task *pick_next_task_fair(struct kctx *k, struct rq *rq)
{
	struct cfs_rq *cfs_rq = rq->cfs;
	struct entity *se = NULL;
	uint32_t levels = 0;

	if (!cfs_rq->nr_running)
		return NULL;
	for (; cfs_rq; cfs_rq = se->my_q) {
		se = k->v->fair->pick_entity(k, cfs_rq);
		set_next_entity(cfs_rq, se);
		levels++;
	}
	charge(k, WORK_PICK, levels);
	return task_of(se);
}

static void put_prev_task_fair(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct entity *se;

	(void)rq;
	for (se = &prev->se; se; se = se->parent) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (se->on_rq) {
			update_curr(k, cfs_rq);
			timeline_insert(cfs_rq, se);
		}
		cfs_rq->curr = NULL;
	}
}

static void task_tick_fair(struct kctx *k, struct rq *rq, struct task *curr)
{
	struct entity *se;

	(void)rq;
	for (se = &curr->se; se; se = se->parent) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		update_curr(k, cfs_rq);
		if (k->v->share->tick)
			k->v->share->tick(k, cfs_rq);
		if (cfs_rq->nr_running > 1 || !feat(k, FEAT_WAKEUP_PREEMPT))
			check_preempt_tick(k, cfs_rq, se);
	}
}

static void task_waking_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)k;
	(void)rq;
	p->se.vruntime_vns -= p->se.cfs_rq->min_vruntime_vns;
}

/* Linux: task_fork_fair(). P is on the parent's CPU, its rq locked, and was never queued. */
static void task_fork_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	struct cfs_rq *cfs_rq = p->se.cfs_rq;
	struct entity *curr = cfs_rq->curr;
	struct entity *se = &p->se;

	if (feat(k, FEAT_FORK_CLOCK))
		update_rq_clock(k, rq);
	update_curr(k, cfs_rq);
	if (curr)
		se->vruntime_vns = curr->vruntime_vns;
	place_entity(k, cfs_rq, se, true);
	if (k->m->tun.child_runs_first && curr && entity_before(curr, se)) {
		uint64_t v = curr->vruntime_vns;

		curr->vruntime_vns = se->vruntime_vns;
		se->vruntime_vns = v;
		resched_task(k, rq);
	}
	se->vruntime_vns -= cfs_rq->min_vruntime_vns;
}

static void yield_task_fair(struct kctx *k, struct rq *rq)
{
	k->v->fair->yield(k, rq);
}

static uint32_t select_task_rq_fair(struct kctx *k, struct task *p, uint32_t sd_flag,
				    uint32_t wake_flags)
{
	return k->v->select->select(k, p, sd_flag, wake_flags);
}

/* P became current without being picked. Linux: set_curr_task_fair(). */
static void set_curr_task_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	struct entity *se;

	(void)k;
	(void)rq;
	for (se = &p->se; se; se = se->parent)
		set_next_entity(se->cfs_rq, se);
}

static bool has_runnable_fair(const struct kctx *k, const struct rq *rq)
{
	(void)k;
	return rq->cfs->nr_running > 0;
}

static void switched_to_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	if (!p->se.on_rq)
		return;
	if (task_is_running(rq, p))
		resched_task(k, rq);
	else
		check_preempt_curr(k, rq, p, 0);
}

static void prio_changed_fair(struct kctx *k, struct rq *rq, struct task *p, uint32_t old_prio)
{
	if (!p->se.on_rq)
		return;
	if (!task_is_running(rq, p))
		check_preempt_curr(k, rq, p, 0);
	else if (p->prio > old_prio)
		resched_task(k, rq);
}

const struct sched_class fair_sched_class = {
	.name = "fair",
	.rank = 1,
	.has_runnable = has_runnable_fair,
	.switched_to = switched_to_fair,
	.prio_changed = prio_changed_fair,
	.enqueue = enqueue_task_fair,
	.dequeue = dequeue_task_fair,
	.pick_next = pick_next_task_fair,
	.put_prev = put_prev_task_fair,
	.tick = task_tick_fair,
	.check_preempt = check_preempt_wakeup,
	.select_path = PATH_SELECT_TASK_RQ,
	.select_rq = select_task_rq_fair,
	.waking = task_waking_fair,
	.fork = task_fork_fair,
	.yield = yield_task_fair,
	.set_curr = set_curr_task_fair,
};
