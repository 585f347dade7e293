/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every cfs_rq of a group keeps an average of its load over some ten
 * milliseconds and contributes it to its group's sum. The group's entity on a
 * CPU then weighs shares x (load here) / (sum of loads, with the load here as it
 * is now). This is computed where the load changes, so no lock of another CPU
 * is needed, but the sum follows changes elsewhere only as the contributions do.
 *
 * When a CPU balances it brings all its cfs_rqs up to date, children before
 * parents, taking its own rq lock once for each.
 *
 * Invariant: tg->load_weight is the sum of load_contribution over all CPUs.
 *
 * Linux: kernel/sched/fair.c update_cfs_load(), update_cfs_shares(), calc_cfs_shares(),
 * update_shares(), effective_load(); 3.3 and 3.4.
 */
#include "sched/fair/shares_entity.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/weight.h"

#define SHARES_WINDOW_NS (UINT64_C(10) * NS_PER_MS)

/* Report the average to the group, if asked to or if it moved by more than an eighth. */
static void update_contribution(struct cfs_rq *q, bool global)
{
	int64_t diff =
		(int64_t)(q->load_avg / (q->load_period_ns + 1)) - (int64_t)q->load_contribution;
	uint64_t size = (uint64_t)(diff < 0 ? -diff : diff);

	if (!global && size <= q->load_contribution / 8)
		return;
	q->tg->load_weight += diff;
	q->load_contribution += (uint64_t)diff;
}

/* Take Q out but leave its link, for a walk that stands on it: it goes on to the next. */
static void leaf_list_del(struct cfs_rq *q)
{
	if (!q->on_leaf_list)
		return;
	q->leaf_node.prev->next = q->leaf_node.next;
	q->leaf_node.next->prev = q->leaf_node.prev;
	q->on_leaf_list = false;
}

/* Children before parents: in front if the parent is listed, else at the end. */
static void leaf_list_add(struct cfs_rq *q)
{
	const struct task_group *parent = q->tg->parent;

	if (q->on_leaf_list)
		return;
	if (parent && parent->cfs_rq[q->rq->cpu].on_leaf_list)
		list_add(&q->rq->leaf_cfs_rqs, &q->leaf_node);
	else
		list_add_tail(&q->rq->leaf_cfs_rqs, &q->leaf_node);
	q->on_leaf_list = true;
}

static void update_cfs_load(struct cfs_rq *q, bool global)
{
	uint64_t now = q->rq->clock_ns;
	/* the stamp is 1 at first, the clock 0 where nothing costs anything */
	uint64_t delta = now - min_u64(now, q->load_stamp_ns);

	if (!q->tg->parent)
		return;
	/* signed: a new queue's times lie before the start of the run */
	if (delta_s64(q->load_stamp_ns, q->load_last_ns) > 0 &&
	    now - q->load_last_ns > 4 * SHARES_WINDOW_NS) {
		/* idle for long: forget */
		q->load_period_ns = 0;
		q->load_avg = 0;
		delta = SHARES_WINDOW_NS - 1;
	}
	q->load_stamp_ns = now;
	q->load_unacc_exec_ns = 0;
	q->load_period_ns += delta;
	if (q->load.weight) {
		q->load_last_ns = now;
		q->load_avg += delta * q->load.weight;
	}
	if (global || q->load_period_ns > SHARES_WINDOW_NS || !q->load_period_ns)
		update_contribution(q, global);
	while (q->load_period_ns > SHARES_WINDOW_NS) {
		q->load_period_ns /= 2;
		q->load_avg /= 2;
	}
	if (!q->curr && !q->nr_running && !q->load_avg)
		leaf_list_del(q);
}

/* Sum of the group's loads with this CPU's as it is now. Linux: calc_tg_weight(). */
static int64_t group_weight(const struct cfs_rq *q)
{
	return q->tg->load_weight - (int64_t)q->load_contribution + (int64_t)q->load.weight;
}

static uint64_t calc_cfs_shares(const struct cfs_rq *q)
{
	int64_t sum = group_weight(q);
	int64_t shares = (int64_t)(q->tg->shares * q->load.weight);

	if (sum)
		shares /= sum;
	if (shares < (int64_t)MIN_SHARES)
		shares = MIN_SHARES;
	return min_u64((uint64_t)shares, q->tg->shares);
}

/* Linux: reweight_entity(). */
static void reweight(struct kctx *k, struct entity *se, uint64_t weight)
{
	struct cfs_rq *q = se->cfs_rq;
	bool queued = se->on_rq;

	if (queued) {
		if (q->curr == se)
			update_curr(k, q);
		account_entity_dequeue(k, q, se);
	}
	se->load.weight = weight;
	se->load.inv = 0;
	if (queued)
		account_entity_enqueue(k, q, se);
}

static void update_cfs_shares(struct kctx *k, struct cfs_rq *q)
{
	struct entity *se;

	if (!q->tg->parent)
		return;
	se = &q->tg->se[q->rq->cpu];
	reweight(k, se, calc_cfs_shares(q));
}

static void load_before_change(struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	(void)k;
	(void)se;
	update_cfs_load(q, false);
}

static void shares_after_change(struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	(void)se;
	update_cfs_shares(k, q);
}

static void joined(struct kctx *k, struct cfs_rq *q)
{
	(void)k;
	if (q->nr_running == 1)
		leaf_list_add(q);
}

static void refresh(struct kctx *k, struct cfs_rq *q)
{
	update_cfs_load(q, false);
	update_cfs_shares(k, q);
}

static void refresh_ancestor(struct kctx *k, struct entity *se)
{
	refresh(k, se->cfs_rq);
}

static void ran(struct cfs_rq *q, uint64_t delta_ns)
{
	q->load_unacc_exec_ns += delta_ns;
}

/* Linux: update_entity_shares_tick(). */
static void shares_tick(struct kctx *k, struct entity *curr)
{
	if (curr->cfs_rq->load_unacc_exec_ns > SHARES_WINDOW_NS)
		refresh(k, curr->cfs_rq);
}

/* Linux: update_shares(). One lock of CPU's rq for each of its leaves. */
static void update_cpu_shares(struct kctx *k, uint32_t cpu)
{
	uint32_t saved = path_enter(k, PATH_UPDATE_SHARES);
	struct rq *rq = rq_of_cpu(k->m, cpu);
	struct list *pos;
	uint32_t visited = 0;

	peek(k);
	/* bound: no more leaves than groups, even if some come and go meanwhile */
	for (pos = rq->leaf_cfs_rqs.next; pos != &rq->leaf_cfs_rqs && visited < k->m->ngroups;
	     pos = pos->next) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, leaf_node);

		visited++;
		if (!q->tg->parent)
			continue;
		rq_lock(k, rq);
		update_rq_clock(k, rq);
		update_cfs_load(q, true);
		update_cfs_shares(k, q);
		charge(k, WORK_SHARES, 1);
		rq_unlock(k, rq);
	}
	path_leave(k, saved);
}

/* The division is unsigned, as in the kernel: a load below 0 makes the group huge. */
static int64_t effective_load_by_entity(struct kctx *k, const struct task_group *tg, uint32_t cpu,
					int64_t wl, int64_t wg)
{
	const struct entity *se;

	(void)k;
	if (!tg->parent)
		return wl;
	for (se = &tg->se[cpu]; se; se = se->parent) {
		const struct cfs_rq *q = se->my_q;
		int64_t sum = wg + group_weight(q);
		int64_t w = (int64_t)q->load.weight + wl;

		if (sum > 0 && w < sum)
			wl = (int64_t)((uint64_t)w * q->tg->shares / (uint64_t)sum);
		else
			wl = (int64_t)q->tg->shares;
		if (wl < (int64_t)MIN_SHARES)
			wl = MIN_SHARES;
		wl -= (int64_t)se->load.weight;
		wg = 0;
	}
	return wl;
}

static uint64_t part_by_weight(const struct task_group *tg, uint32_t cpu)
{
	return tg->se[cpu].load.weight;
}

static void shares_written(struct kctx *k, struct cfs_rq *q)
{
	for (const struct task_group *g = q->tg; g; g = g->parent)
		update_cfs_shares(k, &g->cfs_rq[q->rq->cpu]);
}

const struct share_ops share_ops_entity = {
	.name = "entity",
	.initial_weight = 0,
	.update_cpu = update_cpu_shares,
	.joining = load_before_change,
	.counted = shares_after_change,
	.joined = joined,
	.leaving = load_before_change,
	.left = shares_after_change,
	.written = shares_written,
	.ancestor = refresh_ancestor,
	.ran = ran,
	.tick = shares_tick,
	.part = part_by_weight,
	.effective_load = effective_load_by_entity,
};
