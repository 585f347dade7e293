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
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/count.h"
#include "sched/fair/preempt.h"
#include "sched/pelt/fits.h"
#include "sched/pelt/load_avg.h"

/*
 * SE, an ancestor that stays queued, and its queue follow a change below. A queue counts before
 * or, with LOAD_BEFORE_COUNT, after its averages were brought up to date. False: the way ends
 * here, the queue is throttled.
 */
static bool change_ancestor(struct kctx *k, struct entity *se, struct change *c)
{
	bool load_first = feat(k, FEAT_LOAD_BEFORE_COUNT);

	if (load_first)
		k->v->share->ancestor(k, se);
	count_task(k, se->cfs_rq, c);
	if (cfs_rq_throttled(se->cfs_rq))
		return false;
	if (!load_first && k->v->share->ancestor)
		k->v->share->ancestor(k, se);
	return true;
}

static void enqueue_task_fair(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	bool load_first = feat(k, FEAT_LOAD_BEFORE_COUNT), stopped = false;
	struct change c = change_of(p, 1);
	struct entity *se;

	if (feat(k, FEAT_LAG)) {
		k->v->fair->enqueue_task(k, rq, p, flags);
		return;
	}
	if (k->v->util_est)
		util_est_enqueue(k, rq->cfs, p);
	for (se = &p->se; se && !se->on_rq; se = se->parent) {
		enqueue_entity(k, se->cfs_rq, se, flags);
		if (!load_first && cfs_rq_throttled(se->cfs_rq))
			break;
		count_task(k, se->cfs_rq, &c);
		stopped = cfs_rq_throttled(se->cfs_rq);
		if (stopped)
			break;
		flags = ENQUEUE_WAKEUP;
	}
	/* the rest of the way was queued before, or is until a throttled queue goes on */
	while (se && !stopped && change_ancestor(k, se, &c))
		se = se->parent;
	if (!se)
		add_nr_running(k, rq, 1);
	else if (!feat(k, FEAT_LEAF_OF_THROTTLED))
		close_leaf_branch(se);
}

/* P leaves the queues it is on; false: one of them is throttled. */
static bool leave_queues(struct kctx *k, struct task *p, uint32_t flags)
{
	bool task_sleeps = flags & DEQUEUE_SLEEP;
	struct change c = change_of(p, -1);
	struct entity *se;

	for (se = &p->se; se; se = se->parent) {
		dequeue_entity(k, se->cfs_rq, se, flags);
		if (!feat(k, FEAT_LOAD_BEFORE_COUNT) && cfs_rq_throttled(se->cfs_rq))
			break;
		count_task(k, se->cfs_rq, &c);
		if (cfs_rq_throttled(se->cfs_rq))
			return false;
		if (se->cfs_rq->load.weight) {
			mark_parent_as_next(k, se, task_sleeps);
			se = se->parent;
			break;
		}
		flags |= DEQUEUE_SLEEP;
	}
	for (; se; se = se->parent)
		if (!change_ancestor(k, se, &c))
			return false;
	return true;
}

static void dequeue_task_fair(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	bool early = feat(k, FEAT_UTIL_EST_EARLY);
	bool was_sched_idle;

	if (feat(k, FEAT_LAG)) {
		k->v->fair->dequeue_task(k, rq, p, flags);
		return;
	}
	was_sched_idle = has_only_idle(rq);
	if (k->v->util_est && early)
		util_est_dequeue(k, rq->cfs, p);
	if (leave_queues(k, p, flags)) {
		sub_nr_running(rq, 1);
		/* what waits elsewhere is more important than what is left here */
		if (feat(k, FEAT_SCHED_IDLE_BALANCES) && !was_sched_idle && has_only_idle(rq))
			rq->next_balance = jiffies(k);
	}
	if (!k->v->util_est)
		return;
	if (!early)
		util_est_dequeue(k, rq->cfs, p);
	if (flags & DEQUEUE_SLEEP)
		util_est_update(k, rq->cfs, p);
}

static void set_next_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	if (feat(k, FEAT_BUDDIES_TILL_SET))
		k->v->fair->clear_buddies(cfs_rq, se);
	if (se->on_rq)
		k->v->fair->take(k, cfs_rq, se);
	if (k->v->share->set_next)
		k->v->share->set_next(k, se);
	se->exec_start_ns = cfs_rq->rq->clock_ns;
	cfs_rq->curr = se;
	se->prev_sum_exec_ns = se->sum_exec_ns;
}

static ALWAYS_INLINE void put_prev_entity(struct kctx *k, struct entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	if (se->on_rq)
		update_curr(k, cfs_rq);
	check_cfs_rq_runtime(k, cfs_rq);
	if (se->on_rq)
		k->v->fair->insert(k, cfs_rq, se);
	if (k->v->share->put_prev)
		k->v->share->put_prev(k, se);
	cfs_rq->curr = NULL;
}

/* P was picked: it is the last that balancing should take, and it may be too big for its CPU. */
static void note_picked(struct kctx *k, struct rq *rq, struct task *p)
{
	if (!feat(k, FEAT_LB_RECENT_LAST))
		return;
	list_del(&p->lb_node);
	list_add(&rq->cfs_tasks, &p->lb_node);
	update_misfit_status(k, rq, p);
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
		set_next_entity(k, cfs_rq, se);
		levels++;
	}
	charge(k, WORK_PICK, levels);
	note_picked(k, rq, task_of(se));
	return task_of(se);
}

static void put_prev_task_fair(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct entity *se;

	(void)rq;
	for (se = &prev->se; se; se = se->parent)
		put_prev_entity(k, se);
}

static bool same_queue(const struct entity *a, const struct entity *b)
{
	return a->cfs_rq == b->cfs_rq;
}

/* PREV is followed by P: only the levels in which they differ are put back and set. */
static ALWAYS_INLINE void exchange_fair(struct kctx *k, struct task *prev, struct task *p)
{
	struct entity *se = &p->se, *pse = &prev->se;

	/* bound: each turn goes up a level */
	while (!same_queue(se, pse)) {
		uint32_t depth = se->cfs_rq->tg->depth, pdepth = pse->cfs_rq->tg->depth;

		if (depth <= pdepth) {
			put_prev_entity(k, pse);
			pse = pse->parent;
		}
		if (depth >= pdepth) {
			set_next_entity(k, se->cfs_rq, se);
			se = se->parent;
		}
	}
	put_prev_entity(k, pse);
	set_next_entity(k, se->cfs_rq, se);
}

/*
 * PREV, of this class, goes on or is followed by another: only the levels in which they differ
 * are put back and set. If a queue on the way to PREV is found to be out of runtime, all of PREV
 * is put back first; NULL, with PREV as it was, if nothing is left then.
 * Linux: pick_next_task_fair(), 3.15 on.
 */
static struct task *pick_next_after_fair(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct entity *se = NULL;
	uint32_t levels = 0;
	struct task *p;

	for (struct cfs_rq *q = rq->cfs; q; q = se->my_q) {
		struct entity *curr = q->curr;

		if (curr && curr->on_rq)
			update_curr(k, q);
		if (curr && check_cfs_rq_runtime(k, q)) {
			charge(k, WORK_PICK, levels);
			if (!rq->cfs->nr_running)
				return NULL;
			put_prev_task_fair(k, rq, prev);
			return pick_next_task_fair(k, rq);
		}
		se = k->v->fair->pick_with_curr(k, q, curr && curr->on_rq ? curr : NULL);
		levels++;
	}
	charge(k, WORK_PICK, levels);
	p = task_of(se);
	if (p != prev)
		exchange_fair(k, prev, p);
	note_picked(k, rq, p);
	return p;
}

/* Kernels that choose before putting back. */
static struct task *pick_task_fair(struct kctx *k, struct rq *rq)
{
	return k->v->fair->pick_task(k, rq);
}

/* PREV is followed by P, which was chosen. */
static void exchange_chosen(struct kctx *k, struct rq *rq, struct task *prev, struct task *p)
{
	exchange_fair(k, prev, p);
	note_picked(k, rq, p);
}

static void task_tick_fair(struct kctx *k, struct rq *rq, struct task *curr)
{
	struct entity *se;

	(void)rq;
	for (se = &curr->se; se; se = se->parent) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		update_curr(k, cfs_rq);
		if (k->v->share->tick)
			k->v->share->tick(k, se);
		if ((cfs_rq->nr_running > 1 || !feat(k, FEAT_WAKEUP_PREEMPT)) && !feat(k, FEAT_LAG))
			check_preempt_tick(k, cfs_rq, se);
	}
	update_misfit_status(k, rq, curr);
}

static void task_waking_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	/* its time stays as it is unless it goes to another CPU */
	if (feat(k, FEAT_SLEEP_ABSOLUTE))
		return;
	p->se.vruntime_vns -= p->se.cfs_rq->min_vruntime_vns;
}

/* P's averages are left at its old queue, to be taken out there. */
static void leave_asleep(struct kctx *k, struct task *p)
{
	migrate_sleeping_se(k, &p->se);
	charge(k, WORK_SHARED_AVG, 1);
}

/*
 * A sleeper leaves its old queue without a lock; a task that balancing moves is off its queue
 * already, under its lock. Either's past no longer makes it cache hot. Linux: migrate_task_rq_fair().
 */
static void migrate_task_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	if (!k->v->util_est)
		return;
	if (p->state == TASK_WAKING && !feat(k, FEAT_LAG))
		p->se.vruntime_vns -= p->se.cfs_rq->min_vruntime_vns;
	if (!p->migrating)
		leave_asleep(k, p);
	else if (!feat(k, FEAT_ATTACH_IN_QUEUE_OPS))
		detach_entity_cfs_rq(k, &p->se);
	p->se.avg.last_update_time_ns = 0;
	p->se.exec_start_ns = 0;
}

/* Linux: task_fork_fair(). P is on the parent's CPU, its rq locked, and was never queued. */
static void task_fork_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	struct cfs_rq *cfs_rq = p->se.cfs_rq;
	struct entity *curr = cfs_rq->curr;
	struct entity *se = &p->se;

	/* it is placed when it is queued */
	if (feat(k, FEAT_LAG))
		return;
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

	for (se = &p->se; se; se = se->parent)
		set_next_entity(k, se->cfs_rq, se);
	if (feat(k, FEAT_LAG))
		note_picked(k, rq, p);
}

static bool has_runnable_fair(const struct kctx *k, const struct rq *rq)
{
	(void)k;
	return rq->cfs->nr_running > 0;
}

/* P's averages leave the queue with it: it may not come back here. Linux: switched_from_fair(). */
static void switched_from_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	if (k->v->util_est)
		detach_entity_cfs_rq(k, &p->se);
}

static void dead_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	if (k->v->util_est)
		remove_entity_load_avg(k, &p->se);
}

static void switched_to_fair(struct kctx *k, struct rq *rq, struct task *p)
{
	if (k->v->util_est)
		attach_entity_cfs_rq(k, &p->se);
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
	/* there is no other of the root queue that could run instead */
	if (feat(k, FEAT_NICE_ASKS_CLASS) && rq->cfs->nr_running == 1)
		return;
	if (!task_is_running(rq, p))
		check_preempt_curr(k, rq, p, 0);
	else if (p->prio > old_prio)
		resched_task(k, rq);
}

const struct sched_class fair_sched_class = {
	.name = "fair",
	.rank = 1,
	.counts_running = true,
	.has_runnable = has_runnable_fair,
	.switched_from = switched_from_fair,
	.switched_to = switched_to_fair,
	.dead = dead_fair,
	.prio_changed = prio_changed_fair,
	.enqueue = enqueue_task_fair,
	.dequeue = dequeue_task_fair,
	.pick_next = pick_next_task_fair,
	.put_prev = put_prev_task_fair,
	.pick_after = pick_next_after_fair,
	.pick_task = pick_task_fair,
	.exchange = exchange_chosen,
	.migrate = migrate_task_fair,
	.tick = task_tick_fair,
	.check_preempt = check_preempt_wakeup,
	.select_path = PATH_SELECT_TASK_RQ,
	.select_rq = select_task_rq_fair,
	.waking = task_waking_fair,
	.fork = task_fork_fair,
	.yield = yield_task_fair,
	.set_curr = set_curr_task_fair,
};
