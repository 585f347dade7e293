/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time. Each entity's vruntime advances by its run time divided by
 * its weight; the one that is furthest behind runs next. min_vruntime follows
 * the least vruntime of the queue and never goes back; it is the zero of the
 * queue's time, which entities carry with them relative to it when they move.
 *
 * Invariants: `curr` is counted in nr_running and load but is not in the tree;
 * load is the sum of the weights of all counted entities; an entity is on the
 * migration list exactly while it is a task and counted.
 * Cost: one tree operation per enqueue, dequeue, pick and put.
 *
 * Linux: kernel/sched_fair.c, 2.6.34 to 3.4 (3.3 on kernel/sched/fair.c).
 */
#include "sched/fair/cfs_rq.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/eevdf.h"
#include "sched/fair/idle_entity.h"
#include "sched/fair/preempt.h"
#include "sched/fair/weight.h"

void cfs_rq_init(struct cfs_rq *cfs_rq, struct rq *rq, struct task_group *tg)
{
	cfs_rq->rq = rq;
	cfs_rq->tg = tg;
	cfs_rq->min_vruntime_vns = 0 - (UINT64_C(1) << 20);
	list_init(&cfs_rq->tasks);
	list_init(&cfs_rq->leaf_node);
	list_init(&cfs_rq->bw.throttled_node);
	list_init(&cfs_rq->bw.csd_node);
	cfs_rq->load_last_ns = LONG_AGO_NS;
	cfs_rq->load_stamp_ns = LONG_AGO_NS + 1;
}

void timeline_insert(struct cfs_rq *cfs_rq, struct entity *se)
{
	struct rb_node **link = &cfs_rq->timeline.root;
	struct rb_node *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (entity_before(se, container_of(parent, struct entity, node))) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&cfs_rq->timeline, &se->node, parent, link, leftmost);
}

void timeline_erase(struct cfs_rq *cfs_rq, struct entity *se)
{
	rb_erase(&cfs_rq->timeline, &se->node);
}

void insert_by_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	(void)k;
	timeline_insert(cfs_rq, se);
}

void erase_by_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	(void)k;
	rb_erase(&cfs_rq->timeline, &se->node);
}

struct entity *cfs_rq_rightmost(const struct cfs_rq *cfs_rq)
{
	struct rb_node *n = cfs_rq->timeline.root;

	if (!n)
		return NULL;
	while (n->right)
		n = n->right;
	return container_of(n, struct entity, node);
}

void update_min_vruntime(const struct kctx *k, struct cfs_rq *cfs_rq)
{
	const struct entity *left = cfs_rq_leftmost(cfs_rq), *curr = cfs_rq->curr;
	uint64_t v;

	if (curr && !curr->on_rq && feat(k, FEAT_MIN_OF_QUEUED))
		curr = NULL;
	if (curr) {
		v = curr->vruntime_vns;
		if (left && delta_s64(left->vruntime_vns, v) < 0)
			v = left->vruntime_vns;
	} else if (left) {
		v = left->vruntime_vns;
	} else {
		return;
	}
	if (delta_s64(v, cfs_rq->min_vruntime_vns) > 0)
		cfs_rq->min_vruntime_vns = v;
}

void update_curr(struct kctx *k, struct cfs_rq *cfs_rq)
{
	struct entity *curr = cfs_rq->curr;
	uint64_t now = cfs_rq->rq->clock_ns;
	uint64_t delta;

	if (!curr)
		return;
	delta = now - curr->exec_start_ns;
	if (!delta)
		return;
	CHECK(delta <= INT64_MAX);
	curr->sum_exec_ns += delta;
	if (k->v->share->ran)
		k->v->share->ran(cfs_rq, delta);
	curr->vruntime_vns += calc_delta_fair(k->v, delta, &curr->load);
	curr->exec_start_ns = now;
	if (feat(k, FEAT_LAG))
		k->v->fair->ran(k, cfs_rq, curr, delta);
	else
		update_min_vruntime(k, cfs_rq);
	account_cfs_rq_runtime(k, cfs_rq, delta);
}

uint64_t sched_slice(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	const struct tunables *tun = &k->m->tun;
	struct entity *of = se;
	uint64_t nr, slice;

	nr = feat(k, FEAT_ALT_PERIOD) ? cfs_rq->rq->cfs->h_nr_running : cfs_rq->nr_running;
	nr += !se->on_rq;
	slice = nr > tun->nr_latency ? nr * tun->min_granularity_ns : tun->latency_ns;
	for (; se; se = se->parent) {
		struct cfs_rq *q = se->cfs_rq;

		if (likely(se->on_rq)) {
			slice = calc_delta_mine(k->v, slice, se->load.weight, &q->load);
		} else {
			struct load_weight with_se = q->load;

			load_add(&with_se, se->load.weight);
			slice = calc_delta_mine(k->v, slice, se->load.weight, &with_se);
		}
	}
	if (!feat(k, FEAT_BASE_SLICE))
		return slice;
	if (feat(k, FEAT_IDLE_SLICES) && se_is_idle(of) && !sched_idle_cfs_rq(cfs_rq))
		return max_u64(slice, tun->idle_min_granularity_ns);
	return max_u64(slice, tun->min_granularity_ns);
}

/* How far before min_vruntime a waking sleeper may be placed. */
static uint64_t sleeper_credit(struct kctx *k, struct entity *se)
{
	uint64_t credit = k->m->tun.latency_ns;

	if (feat(k, FEAT_IDLE_SLICES) && se_is_idle(se))
		credit = k->m->tun.min_granularity_ns;
	if (!feat(k, FEAT_FAIR_SLEEPERS))
		return 0;
	if (feat(k, FEAT_NORMALIZED_SLEEPER) &&
	    (!entity_is_task(se) || task_of(se)->policy != POLICY_IDLE))
		credit = calc_delta_fair(k->v, credit, &se->load);
	if (feat(k, FEAT_GENTLE_FAIR_SLEEPERS))
		credit >>= 1;
	return credit;
}

void place_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, bool initial)
{
	uint64_t v = cfs_rq->min_vruntime_vns;

	if (!initial)
		v -= sleeper_credit(k, se);
	else if (feat(k, FEAT_START_DEBIT))
		v += calc_delta_fair(k->v, sched_slice(k, cfs_rq, se), &se->load);
	if (delta_s64(v, se->vruntime_vns) > 0)
		se->vruntime_vns = v;
}

/* The list balancing takes tasks from: of the cfs_rq, or of the whole rq. */
static void join_balance_list(struct kctx *k, struct cfs_rq *cfs_rq, struct task *p)
{
	if (!feat(k, FEAT_LB_RQ_LIST))
		list_add(&cfs_rq->tasks, &p->lb_node);
	else if (feat(k, FEAT_LB_TAIL_INSERT))
		list_add_tail(&cfs_rq->rq->cfs_tasks, &p->lb_node);
	else
		list_add(&cfs_rq->rq->cfs_tasks, &p->lb_node);
}

void account_entity_enqueue(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	load_add(&cfs_rq->load, se->load.weight);
	if (!se->parent)
		load_add(&cfs_rq->rq->load, se->load.weight);
	if (entity_is_task(se)) {
		cfs_rq->task_weight += se->load.weight;
		join_balance_list(k, cfs_rq, task_of(se));
	}
	cfs_rq->nr_running++;
	cfs_rq->idle_nr_running += se_is_idle(se);
	se->on_rq = true;
}

void account_entity_dequeue(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se)
{
	(void)k;
	CHECK(cfs_rq->load.weight >= se->load.weight);
	CHECK(cfs_rq->nr_running > 0);
	load_sub(&cfs_rq->load, se->load.weight);
	if (!se->parent)
		load_sub(&cfs_rq->rq->load, se->load.weight);
	if (entity_is_task(se)) {
		cfs_rq->task_weight -= se->load.weight;
		list_del(&task_of(se)->lb_node);
	}
	CHECK(cfs_rq->idle_nr_running >= se_is_idle(se));
	cfs_rq->nr_running--;
	cfs_rq->idle_nr_running -= se_is_idle(se);
	se->on_rq = false;
}

void enqueue_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags)
{
	const struct fair_ops *fair = k->v->fair;
	const struct share_ops *share = k->v->share;
	bool late_leaf = feat(k, FEAT_LEAF_OF_THROTTLED), by_lag = feat(k, FEAT_LAG);

	bool relative = !by_lag && (!(flags & ENQUEUE_WAKEUP) || (flags & ENQUEUE_WAKING));
	bool renorm_late = feat(k, FEAT_RENORM_AFTER_UPDATE) && se != cfs_rq->curr;

	CHECK(!se->on_rq);
	if (relative && !renorm_late)
		se->vruntime_vns += cfs_rq->min_vruntime_vns;
	if (by_lag && se == cfs_rq->curr)
		fair->place(k, cfs_rq, se, flags);
	update_curr(k, cfs_rq);
	if (relative && renorm_late)
		se->vruntime_vns += cfs_rq->min_vruntime_vns;
	if (share->joining)
		share->joining(k, cfs_rq, se);
	if (by_lag && se != cfs_rq->curr)
		fair->place(k, cfs_rq, se, flags);
	account_entity_enqueue(k, cfs_rq, se);
	if (share->counted)
		share->counted(k, cfs_rq, se);
	if ((flags & ENQUEUE_WAKEUP) && !by_lag)
		place_entity(k, cfs_rq, se, false);
	if (se != cfs_rq->curr)
		fair->insert(k, cfs_rq, se);
	if (late_leaf && cfs_rq->nr_running == 1)
		check_enqueue_throttle(k, cfs_rq);
	if (share->joined && !(late_leaf && throttled_hierarchy(cfs_rq)))
		share->joined(k, cfs_rq);
	if (!late_leaf && cfs_rq->nr_running == 1)
		check_enqueue_throttle(k, cfs_rq);
	charge(k, WORK_ENQUEUE, 1);
}

bool dequeue_entity(struct kctx *k, struct cfs_rq *cfs_rq, struct entity *se, uint32_t flags)
{
	const struct fair_ops *fair = k->v->fair;
	const struct share_ops *share = k->v->share;
	bool by_lag = feat(k, FEAT_LAG), make_relative = !by_lag && !(flags & DEQUEUE_SLEEP);

	CHECK(se->on_rq);
	update_curr(k, cfs_rq);
	fair->clear_buddies(cfs_rq, se);
	if (by_lag && !fair->leave(k, cfs_rq, se, flags))
		return false;
	if (se != cfs_rq->curr)
		fair->erase(k, cfs_rq, se);
	if (share->leaving)
		share->leaving(k, cfs_rq, se);
	account_entity_dequeue(k, cfs_rq, se);
	if (make_relative && feat(k, FEAT_RELATIVE_BEFORE_MIN)) {
		se->vruntime_vns -= cfs_rq->min_vruntime_vns;
		make_relative = false;
	}
	return_cfs_rq_runtime(k, cfs_rq);
	if (!by_lag && !keeps_place(flags))
		update_min_vruntime(k, cfs_rq);
	if (make_relative)
		se->vruntime_vns -= cfs_rq->min_vruntime_vns;
	if (share->left)
		share->left(k, cfs_rq, se);
	if (by_lag && (flags & DEQUEUE_DELAYED))
		finish_delayed_dequeue_entity(k, se);
	charge(k, WORK_DEQUEUE, 1);
	return true;
}
