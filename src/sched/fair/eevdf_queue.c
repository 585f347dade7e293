/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks and groups on all levels, with a dequeue that may not happen. An entity that goes to sleep
 * with a negative lag, having run more than its part, stays on its queue and competes on: it is
 * *delayed*. It keeps its deadline while the others run, so its lag comes back to 0; when it is
 * picked for the next time it is eligible, and is then taken off in fact. So nobody gets rid of a
 * debt by a short sleep. A wake-up meanwhile finds the task queued where it is: no CPU is chosen.
 *
 * A delayed task counts in h_nr_running, rq->nr_running and all weights, and in h_nr_delayed of
 * each level, which is taken off where runnable tasks are meant. A group's entity whose last task
 * left may be delayed too; no task counts for it.
 *
 * Linux: kernel/sched/fair.c enqueue_task_fair(), dequeue_task_fair(), dequeue_entities(),
 * set_delayed(), clear_delayed(), requeue_delayed_entity(), pick_task_fair(); 6.12.
 */
#include "sched/fair/eevdf.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/count.h"
#include "sched/fair/preempt.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/util_est.h"

/* ---- delayed entities ------------------------------------------------------------------------- */

/* SE, a task, is delayed (CHANGE 1) or no more (-1): all levels count it. */
static void count_delayed(struct entity *se, int change)
{
	for (; se; se = se->parent) {
		se->cfs_rq->h_nr_delayed += (uint32_t)change;
		if (cfs_rq_throttled(se->cfs_rq))
			break;
	}
}

static void set_delayed(struct entity *se)
{
	se->sched_delayed = true;
	if (entity_is_task(se))
		count_delayed(se, 1);
}

static void clear_delayed(struct entity *se)
{
	CHECK(se->sched_delayed);
	se->sched_delayed = false;
	if (entity_is_task(se))
		count_delayed(se, -1);
}

bool delay_dequeue(struct kctx *k, struct cfs_rq *q, struct entity *se, uint32_t flags)
{
	if (!(flags & DEQUEUE_SLEEP) || (flags & (DEQUEUE_SPECIAL | DEQUEUE_DELAYED)))
		return false;
	CHECK(!se->sched_delayed);
	if (!feat(k, FEAT_DELAY_DEQUEUE) || entity_eligible(k, q, se))
		return false;
	update_load_avg(k, se, 0);
	set_delayed(se);
	return true;
}

void finish_delayed_dequeue_entity(const struct kctx *k, struct entity *se)
{
	clear_delayed(se);
	/* a debt is paid back, but nothing is earned by sleeping */
	if (feat(k, FEAT_DELAY_ZERO) && se->vlag_vns > 0)
		se->vlag_vns = 0;
}

/* SE wants to run again before it was taken off. */
static void requeue_delayed_entity(struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;
	bool in_tree = se != q->curr;

	CHECK(se->on_rq);
	if (feat(k, FEAT_DELAY_ZERO)) {
		update_entity_lag(k, q, se);
		if (se->vlag_vns > 0) {
			q->nr_running--;
			if (in_tree)
				eevdf_erase(k, q, se);
			se->vlag_vns = 0;
			eevdf_place(k, q, se, 0);
			if (in_tree)
				eevdf_insert(k, q, se);
			q->nr_running++;
		}
	}
	update_load_avg(k, se, 0);
	clear_delayed(se);
}

/* ---- queueing ----------------------------------------------------------------------------------- */

/*
 * SE stays queued while something changed below it. *SLICE_NS, the shortest slice of its queue, 0
 * if it has none of its own, becomes that of the queue above. False: the way ends here.
 */
static bool change_ancestor(struct kctx *k, struct entity *se, struct change *c, uint64_t *slice_ns)
{
	k->v->share->ancestor(k, se);
	if (feat(k, FEAT_GROUP_MIN_SLICE)) {
		eevdf_set_slice(se->cfs_rq, se, *slice_ns);
		*slice_ns = cfs_rq_min_slice(se->cfs_rq);
	}
	count_task(k, se->cfs_rq, c);
	return !cfs_rq_throttled(se->cfs_rq);
}

/* P sleeps on its queue and is moved or changed: nobody is to notice. */
static bool moves_delayed(const struct task *p, uint32_t flags)
{
	return p->se.sched_delayed && (p->migrating || (flags & DEQUEUE_SAVE));
}

/* P and what of its groups is not queued. False: a throttled queue is on the way. */
static bool enqueue_entities(struct kctx *k, struct task *p, uint32_t flags)
{
	struct change c = change_of(p, 1);
	struct entity *se = &p->se;
	uint64_t slice_ns = 0;

	c.delayed = p->se.sched_delayed;
	for (; se && !se->on_rq; se = se->parent) {
		if (slice_ns) {
			se->slice_ns = slice_ns;
			se->custom_slice = true;
		}
		enqueue_entity(k, se->cfs_rq, se, flags);
		if (feat(k, FEAT_GROUP_MIN_SLICE))
			slice_ns = cfs_rq_min_slice(se->cfs_rq);
		count_task(k, se->cfs_rq, &c);
		if (cfs_rq_throttled(se->cfs_rq))
			return false;
		flags = ENQUEUE_WAKEUP;
	}
	if (se && se->sched_delayed)
		requeue_delayed_entity(k, se);
	for (; se; se = se->parent)
		if (!change_ancestor(k, se, &c, &slice_ns))
			return false;
	return true;
}

void enqueue_task_eevdf(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	bool was_empty;

	if (!moves_delayed(p, flags))
		util_est_enqueue(k, rq->cfs, p);
	if (flags & ENQUEUE_DELAYED) {
		requeue_delayed_entity(k, &p->se);
		return;
	}
	was_empty = !rq->cfs->h_nr_running;
	if (!enqueue_entities(k, p, flags))
		return;
	if (was_empty && feat(k, FEAT_FAIR_SERVER)) {
		if (!rq->nr_running)
			fair_server_idled(k, rq);
		fair_server_start(k, rq);
	}
	add_nr_running(k, rq, 1);
}

/* How far a dequeue came. */
enum reached {
	REACHED_NOTHING,   /* the task is delayed, nothing changed */
	REACHED_THROTTLED, /* a throttled queue: what is above does not count what is below */
	REACHED_ROOT,
};

/* SE and the groups that are left empty leave their queues. */
static enum reached leave_queues(struct kctx *k, struct entity *se, uint32_t flags,
				 struct change *c)
{
	const bool task_sleeps = flags & DEQUEUE_SLEEP;
	uint64_t slice_ns = 0;

	for (; se; se = se->parent) {
		struct cfs_rq *q = se->cfs_rq;

		if (!dequeue_entity(k, q, se, flags)) {
			if (entity_is_task(se))
				return REACHED_NOTHING;
			slice_ns = cfs_rq_min_slice(q);
			break;
		}
		count_task(k, q, c);
		if (cfs_rq_throttled(q))
			return REACHED_THROTTLED;
		if (q->load.weight) {
			slice_ns = cfs_rq_min_slice(q);
			mark_parent_as_next(k, se, task_sleeps);
			se = se->parent;
			break;
		}
		flags |= DEQUEUE_SLEEP;
		flags &= ~(DEQUEUE_DELAYED | DEQUEUE_SPECIAL);
	}
	for (; se; se = se->parent)
		if (!change_ancestor(k, se, c, &slice_ns))
			return REACHED_THROTTLED;
	return REACHED_ROOT;
}

/* SE is a task or a delayed group. Linux: dequeue_entities(). */
static void dequeue_entities(struct kctx *k, struct rq *rq, struct entity *se, uint32_t flags)
{
	struct task *p = entity_is_task(se) ? task_of(se) : NULL;
	bool was_sched_idle = has_only_idle(rq);
	struct change c = {0};

	if (p) {
		c = change_of(p, -1);
		c.delayed = se->sched_delayed && !(flags & (DEQUEUE_SLEEP | DEQUEUE_DELAYED));
	}
	if (leave_queues(k, se, flags, &c) == REACHED_ROOT) {
		sub_nr_running(rq, p ? 1 : 0);
		if (p && !rq->cfs->h_nr_running && feat(k, FEAT_FAIR_SERVER))
			fair_server_emptied(k, rq);
		/* what waits elsewhere is more important than what is left here */
		if (feat(k, FEAT_SCHED_IDLE_BALANCES) && !was_sched_idle && has_only_idle(rq))
			rq->next_balance = jiffies(k);
	}
	if (p && (flags & DEQUEUE_DELAYED))
		task_blocked(k, rq, p);
}

void dequeue_task_eevdf(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	if (!moves_delayed(p, flags))
		util_est_dequeue(k, rq->cfs, p);
	if (flags & DEQUEUE_SLEEP)
		util_est_update(k, rq->cfs, p);
	dequeue_entities(k, rq, &p->se, flags);
}

/* ---- picking ------------------------------------------------------------------------------------ */

/*
 * The task to run, from the root down; nothing is put back or set. It begins anew if a queue on the
 * way is throttled, or if what was picked sleeps and is taken off for good.
 */
struct task *pick_task_eevdf(struct kctx *k, struct rq *rq)
{
	struct cfs_rq *q = rq->cfs;
	struct entity *se = NULL;
	uint32_t levels = 0;

	/* bound: each new beginning takes an entity off its queue */
	while (q) {
		if (!rq->cfs->nr_running) {
			se = NULL;
			break;
		}
		if (q->curr && q->curr->on_rq)
			update_curr(k, q);
		levels++;
		if (check_cfs_rq_runtime(k, q)) {
			q = rq->cfs;
			continue;
		}
		se = eevdf_pick_entity(k, q);
		if (se->sched_delayed) {
			dequeue_entities(k, rq, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
			q = rq->cfs;
			continue;
		}
		q = se->my_q;
	}
	charge(k, WORK_PICK, levels);
	return se ? task_of(se) : NULL;
}
