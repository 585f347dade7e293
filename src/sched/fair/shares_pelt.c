/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Group shares from load averages (4.3 on, as of 5.4): each queue reports its average load to
 * its group, and a group's entity weighs shares x (load here) / (load everywhere). Weights
 * follow where an entity joins or leaves, at the tick and when blocked load is aged.
 *
 * Linux: kernel/sched/fair.c update_cfs_group(), reweight_entity(), and the calls of
 * update_load_avg() in enqueue_entity(), dequeue_entity(), set_next_entity(),
 * put_prev_entity(), entity_tick(); 5.4, 5.5, 6.1.
 */
#include "sched/fair/shares_pelt.h"

#include "base/check.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"
#include "sched/pelt/blocked.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/pelt.h"
#include "sched/pelt/shares.h"

/* Linux: reweight_entity(). */
static void reweight_entity(struct kctx *k, struct entity *se, const struct group_weights *w)
{
	struct cfs_rq *q = se->cfs_rq;
	bool queued = se->on_rq;

	if (feat(k, FEAT_LAG)) {
		k->v->fair->reweight(k, se, w);
		return;
	}
	if (queued) {
		if (q->curr == se)
			update_curr(k, q);
		account_entity_dequeue(k, q, se);
		dequeue_runnable_load_avg(k, se);
	}
	reweight_entity_load_avg(k, se, w->weight, w->runnable_weight);
	if (queued) {
		account_entity_enqueue(k, q, se);
		enqueue_runnable_load_avg(k, se);
	}
}

void reweight_task_pelt(struct kctx *k, struct task *p, const struct load_weight *load)
{
	const struct group_weights w = {load->weight, load->weight};

	reweight_entity(k, &p->se, &w);
	p->se.load.inv = load->inv;
}

void update_cfs_group(struct kctx *k, struct entity *se)
{
	struct group_weights w;

	if (!cfs_group_weights(k, se, &w))
		return;
	charge(k, WORK_SHARES, 1);
	reweight_entity(k, se, &w);
}

static void joining(struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	(void)q;
	update_load_avg(k, se, UPDATE_TG | DO_ATTACH);
	se_update_runnable(k, se);
	update_cfs_group(k, se);
	enqueue_runnable_load_avg(k, se);
}

static void joined(struct kctx *k, struct cfs_rq *q)
{
	(void)k;
	if (q->nr_running == 1)
		list_add_leaf_cfs_rq(q);
}

static void leaving(struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	uint32_t flags = UPDATE_TG;

	(void)q;
	if (feat(k, FEAT_ATTACH_IN_QUEUE_OPS) && entity_is_task(se) && task_of(se)->migrating)
		flags |= DO_DETACH;
	update_load_avg(k, se, flags);
	se_update_runnable(k, se);
	dequeue_runnable_load_avg(k, se);
}

static void left(struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	(void)q;
	update_cfs_group(k, se);
}

static void refresh(struct kctx *k, struct entity *se)
{
	update_load_avg(k, se, UPDATE_TG);
	se_update_runnable(k, se);
	update_cfs_group(k, se);
}

static void tick(struct kctx *k, struct entity *se)
{
	update_load_avg(k, se, UPDATE_TG);
	update_cfs_group(k, se);
}

static void set_next(struct kctx *k, struct entity *se)
{
	if (se->on_rq)
		update_load_avg(k, se, UPDATE_TG);
}

static void put_prev(struct kctx *k, struct entity *se)
{
	if (se->on_rq)
		update_load_avg(k, se, 0);
}

static void shares_written(struct kctx *k, struct cfs_rq *q)
{
	update_rq_clock(k, q->rq);
	update_cfs_groups_up(k, &q->tg->se[q->rq->cpu], reweight_entity);
}

static uint64_t part_by_weight(const struct task_group *tg, uint32_t cpu)
{
	return tg->se[cpu].load.weight;
}

const struct share_ops share_ops_pelt = {
	.name = "pelt",
	.initial_weight = 1024 << WEIGHT_SHIFT,
	.joining = joining,
	.joined = joined,
	.leaving = leaving,
	.left = left,
	.ancestor = refresh,
	.tick = tick,
	.set_next = set_next,
	.put_prev = put_prev,
	.written = shares_written,
	.part = part_by_weight,
};
