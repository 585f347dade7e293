/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of one queue. If every entity had run just what its weight entitles it to, all had
 * the same vruntime V; an entity's lag is V - vruntime. The weighted sum of all lags is 0, so V is
 * the mean of the vruntimes by weight. It is kept as two sums over the tree, of weight x key and of
 * weights, where a key is the distance from a zero near V: S = sum w (v - zero), W = sum w. The
 * current entity is not in the tree and is added where V is asked for.
 *
 * An entity is eligible if its lag is not negative, v - zero <= S / W. The quotient is not computed,
 * S >= (v - zero) x W is asked instead, so no rounding decides.
 *
 * An entity asks for a slice; its deadline is its vruntime, when the request began, plus the slice
 * in its own virtual time. So a shorter slice runs earlier but not more. The tree is ordered by
 * deadline, and each node knows the least vruntime of its subtree: a subtree that holds no
 * eligible entity is passed over, and the earliest eligible deadline is found in O(log n).
 *
 * Who leaves takes its lag along and is placed by it when it returns. The newcomer moves V itself,
 * so its lag is inflated by (W + w) / W first; then it has the same lag once it is in.
 *
 * Invariants: avg_vruntime and avg_load are what the tree's entities make them, wrapping at 64 bits;
 * min_vruntime_vns is the zero; a current entity whose vlag is its deadline is protected.
 *
 * After I. Stoica, H. Abdel-Wahab, "Earliest Eligible Virtual Deadline First", 1995.
 * Linux: kernel/sched/fair.c, 6.6 on, as of 6.12.
 * Deviation: the zero follows V in v6.12.0 too, which keeps it at min_vruntime: decisions are the
 * same as long as sums do not overflow.
 */
#include "sched/fair/eevdf.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/idle_entity.h"
#include "sched/fair/preempt.h"
#include "sched/fair/shares_pelt.h"
#include "sched/fair/weight.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/shares.h"

static int64_t weight_of(const struct kctx *k, const struct entity *se)
{
	return (int64_t)scale_load_down(k->v, se->load.weight);
}

/* a x b modulo 2^64, as the kernel's arithmetic wraps. */
static int64_t mul_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t key_of(const struct cfs_rq *q, uint64_t vruntime_vns)
{
	return delta_s64(vruntime_vns, q->min_vruntime_vns);
}

/* ---- V ---------------------------------------------------------------------------------- */

/* S and W, the current entity included. */
struct lag_sums {
	int64_t vruntime, load;
};

static struct lag_sums sums_with_curr(const struct kctx *k, const struct cfs_rq *q)
{
	struct lag_sums sums = {q->avg_vruntime, q->avg_load};
	const struct entity *curr = q->curr;

	if (curr && curr->on_rq) {
		int64_t weight = weight_of(k, curr);

		sums.vruntime += mul_s64(key_of(q, curr->vruntime_vns), weight);
		sums.load += weight;
	}
	return sums;
}

uint64_t avg_vruntime(const struct kctx *k, struct cfs_rq *q)
{
	struct lag_sums sums = sums_with_curr(k, q);
	int64_t delta = 0;

	if (q->avg_load) {
		/* the quotient rounded down */
		if (sums.vruntime < 0)
			sums.vruntime -= sums.load - 1;
		delta = sums.vruntime / sums.load;
	} else if (sums.load) {
		delta = key_of(q, q->curr->vruntime_vns);
	}
	q->avg_vruntime -= mul_s64(q->avg_load, delta);
	q->min_vruntime_vns += (uint64_t)delta;
	return q->min_vruntime_vns;
}

static bool vruntime_eligible(const struct cfs_rq *q, struct lag_sums sums, uint64_t vruntime_vns)
{
	return sums.vruntime >= mul_s64(key_of(q, vruntime_vns), sums.load);
}

bool entity_eligible(const struct kctx *k, const struct cfs_rq *q, const struct entity *se)
{
	return vruntime_eligible(q, sums_with_curr(k, q), se->vruntime_vns);
}

/* V - vruntime of SE within what it may carry. Linux: entity_lag(). */
static int64_t lag_within(const struct kctx *k, uint64_t v_vns, struct entity *se)
{
	uint64_t most_ns = max_u64(2 * se->slice_ns, k->m->tick_ns);
	int64_t most_vns = (int64_t)calc_delta_fair(k->v, most_ns, &se->load);
	int64_t lag_vns = delta_s64(v_vns, se->vruntime_vns);

	return lag_vns < -most_vns ? -most_vns : min_s64(lag_vns, most_vns);
}

void update_entity_lag(const struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	CHECK(se->on_rq);
	se->vlag_vns = lag_within(k, avg_vruntime(k, q), se);
}

/* ---- the tree ----------------------------------------------------------------------------- */

static struct entity *entity_of(struct rb_node *n)
{
	return container_of(n, struct entity, node);
}

static void take_least(struct entity *se, struct rb_node *child)
{
	const struct entity *c;

	if (!child)
		return;
	c = container_of(child, struct entity, node);
	if (delta_s64(c->least_vruntime_vns, se->least_vruntime_vns) < 0)
		se->least_vruntime_vns = c->least_vruntime_vns;
	se->least_slice_ns = min_u64(se->least_slice_ns, c->least_slice_ns);
}

static bool gather_least(struct rb_node *n)
{
	struct entity *se = entity_of(n);
	uint64_t vruntime_vns = se->least_vruntime_vns, slice_ns = se->least_slice_ns;

	se->least_vruntime_vns = se->vruntime_vns;
	se->least_slice_ns = se->slice_ns;
	take_least(se, n->left);
	take_least(se, n->right);
	return vruntime_vns != se->least_vruntime_vns || slice_ns != se->least_slice_ns;
}

void eevdf_insert(const struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	struct rb_node **link = &q->timeline.root, *parent = NULL;
	int64_t weight = weight_of(k, se);
	bool leftmost = true;

	q->avg_vruntime += mul_s64(key_of(q, se->vruntime_vns), weight);
	q->avg_load += weight;
	while (*link) {
		parent = *link;
		if (deadline_before(se, entity_of(parent))) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert_gather(&q->timeline, &se->node, parent, link, leftmost, gather_least);
}

void eevdf_erase(const struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	int64_t weight = weight_of(k, se);

	rb_erase_gather(&q->timeline, &se->node, gather_least);
	q->avg_vruntime -= mul_s64(key_of(q, se->vruntime_vns), weight);
	q->avg_load -= weight;
}

/* SE becomes current: it may finish its slice. Linux: set_next_entity(). */
static void take_to_run(const struct kctx *k, struct cfs_rq *q, struct entity *se)
{
	eevdf_erase(k, q, se);
	se->vlag_vns = (int64_t)se->deadline_vns;
}

uint64_t cfs_rq_min_slice(const struct cfs_rq *q)
{
	uint64_t slice_ns = UINT64_MAX;

	if (q->curr && q->curr->on_rq)
		slice_ns = q->curr->slice_ns;
	if (q->timeline.root)
		slice_ns = min_u64(slice_ns, entity_of(q->timeline.root)->least_slice_ns);
	return slice_ns;
}

void eevdf_set_slice(struct cfs_rq *q, struct entity *se, uint64_t slice_ns)
{
	CHECK(se->on_rq);
	se->slice_ns = slice_ns;
	if (se != q->curr)
		rb_gather_up(&se->node, gather_least);
}

void set_custom_slice(const struct kctx *k, struct entity *se, uint64_t slice_ns)
{
	CHECK(!se->on_rq);
	se->custom_slice = slice_ns != 0;
	se->slice_ns = se->custom_slice ?
			       clamp_u64(slice_ns, CUSTOM_SLICE_NS_MIN, CUSTOM_SLICE_NS_MAX) :
			       k->m->tun.base_slice_ns;
}

/* ---- deadlines and places --------------------------------------------------------------------- */

/* The next request begins if the last one is used up. Linux: update_deadline(). */
static bool update_deadline(const struct kctx *k, struct entity *se)
{
	if (delta_s64(se->vruntime_vns, se->deadline_vns) < 0)
		return false;
	if (!se->custom_slice)
		se->slice_ns = k->m->tun.base_slice_ns;
	se->deadline_vns = se->vruntime_vns + calc_delta_fair(k->v, se->slice_ns, &se->load);
	return true;
}

/* A current entity without protection stops as soon as it has run more than its part. */
static bool preempted_by_short(const struct kctx *k, const struct cfs_rq *q,
			       const struct entity *curr)
{
	return feat(k, FEAT_PREEMPT_SHORT) && !slice_protected(curr) &&
	       !entity_eligible(k, q, curr);
}

/* Linux: the end of update_curr(). */
static void eevdf_ran(struct kctx *k, struct cfs_rq *q, struct entity *curr, uint64_t delta_ns)
{
	bool resched = update_deadline(k, curr);

	if (entity_is_task(curr) && q->rq->dl.server.server_active)
		fair_server_ran(k, q->rq, delta_ns);
	if (q->nr_running == 1)
		return;
	if (resched || preempted_by_short(k, q, curr)) {
		resched_task(k, q->rq);
		k->v->fair->clear_buddies(q, curr);
	}
}

/* The lag SE gets so that, once it is in, it has the one it came with. */
static int64_t inflated_lag(const struct kctx *k, const struct cfs_rq *q, const struct entity *se)
{
	int64_t load = sums_with_curr(k, q).load;

	return mul_s64(se->vlag_vns, load + weight_of(k, se)) / (load ? load : 1);
}

void eevdf_place(struct kctx *k, struct cfs_rq *q, struct entity *se, uint32_t flags)
{
	uint64_t v_vns = avg_vruntime(k, q), vslice_vns;
	int64_t lag_vns = 0;

	if (!se->custom_slice)
		se->slice_ns = k->m->tun.base_slice_ns;
	vslice_vns = calc_delta_fair(k->v, se->slice_ns, &se->load);
	if (feat(k, FEAT_PLACE_LAG) && q->nr_running)
		lag_vns = inflated_lag(k, q, se);
	se->vruntime_vns = v_vns - (uint64_t)lag_vns;
	if (feat(k, FEAT_PLACE_REL_DEADLINE) && se->rel_deadline) {
		se->deadline_vns += se->vruntime_vns;
		se->rel_deadline = false;
		return;
	}
	/* the others are half through their slices, on average */
	if (feat(k, FEAT_PLACE_DEADLINE_INITIAL) && (flags & ENQUEUE_INITIAL))
		vslice_vns /= 2;
	se->deadline_vns = se->vruntime_vns + vslice_vns;
}

/* SE leaves, its lag goes along; one that does not sleep keeps what is left until its deadline. */
static bool eevdf_leave(struct kctx *k, struct cfs_rq *q, struct entity *se, uint32_t flags)
{
	if (delay_dequeue(k, q, se, flags))
		return false;
	update_entity_lag(k, q, se);
	if (feat(k, FEAT_PLACE_REL_DEADLINE) && !(flags & DEQUEUE_SLEEP)) {
		se->deadline_vns -= se->vruntime_vns;
		se->rel_deadline = true;
	}
	return true;
}

/* VNS in virtual time of weight FROM, in that of weight TO; truncates. */
static int64_t rescale(int64_t vns, uint64_t from, uint64_t to)
{
	CHECK(to > 0);
	return mul_s64(vns, (int64_t)from) / (int64_t)to;
}

/* SE, which stays queued, stops to count (or counts again) with its weight. */
static void uncount_weight(struct cfs_rq *q, const struct entity *se)
{
	load_sub(&q->load, se->load.weight);
	if (!se->parent)
		load_sub(&q->rq->load, se->load.weight);
	if (entity_is_task(se))
		q->task_weight -= se->load.weight;
}

static void count_weight(struct cfs_rq *q, const struct entity *se)
{
	load_add(&q->load, se->load.weight);
	if (!se->parent)
		load_add(&q->rq->load, se->load.weight);
	if (entity_is_task(se))
		q->task_weight += se->load.weight;
}

void eevdf_reweight(struct kctx *k, struct entity *se, const struct group_weights *w)
{
	struct cfs_rq *q = se->cfs_rq;
	uint64_t old_weight = se->load.weight, v_vns;
	bool in_tree;

	if (!se->on_rq) {
		se->vlag_vns = rescale(se->vlag_vns, old_weight, w->weight);
		reweight_entity_load_avg(k, se, w->weight, w->runnable_weight);
		return;
	}
	in_tree = q->curr != se;
	update_curr(k, q);
	v_vns = avg_vruntime(k, q);
	if (in_tree)
		eevdf_erase(k, q, se);
	uncount_weight(q, se);
	if (v_vns != se->vruntime_vns)
		se->vruntime_vns =
			v_vns - (uint64_t)rescale(lag_within(k, v_vns, se), old_weight, w->weight);
	se->deadline_vns = v_vns + (uint64_t)rescale(delta_s64(se->deadline_vns, v_vns), old_weight,
						     w->weight);
	reweight_entity_load_avg(k, se, w->weight, w->runnable_weight);
	count_weight(q, se);
	if (in_tree)
		eevdf_insert(k, q, se);
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* Of those in the tree that are eligible the one with the earliest deadline; NULL: none is. */
static struct entity *earliest_eligible(const struct cfs_rq *q, struct lag_sums sums)
{
	struct rb_node *n = q->timeline.root;

	if (!n)
		return NULL;
	if (vruntime_eligible(q, sums, entity_of(q->timeline.leftmost)->vruntime_vns))
		return entity_of(q->timeline.leftmost);
	while (n) {
		if (n->left && vruntime_eligible(q, sums, entity_of(n->left)->least_vruntime_vns)) {
			n = n->left;
			continue;
		}
		if (vruntime_eligible(q, sums, entity_of(n)->vruntime_vns))
			return entity_of(n);
		n = n->right;
	}
	return NULL;
}

/* Linux: pick_eevdf(). */
static struct entity *pick_eevdf(const struct kctx *k, const struct cfs_rq *q)
{
	struct entity *curr = q->curr && q->curr->on_rq ? q->curr : NULL;
	struct entity *best;
	struct lag_sums sums;

	if (q->nr_running == 1)
		return curr ? curr : entity_of(q->timeline.leftmost);
	sums = sums_with_curr(k, q);
	if (curr && !vruntime_eligible(q, sums, curr->vruntime_vns))
		curr = NULL;
	if (feat(k, FEAT_RUN_TO_PARITY) && curr && slice_protected(curr))
		return curr;
	best = earliest_eligible(q, sums);
	if (!best || (curr && deadline_before(curr, best)))
		best = curr;
	/* the least vruntime of all is eligible */
	CHECK(best);
	return best;
}

struct entity *eevdf_pick_entity(struct kctx *k, struct cfs_rq *q)
{
	/* before it had a switch of its own, that of setting it was asked */
	bool own = feature_set_has(&k->v->known, FEAT_PICK_BUDDY);

	if (feat(k, own ? FEAT_PICK_BUDDY : FEAT_NEXT_BUDDY) && q->next &&
	    entity_eligible(k, q, q->next)) {
		CHECK(!q->next->sched_delayed);
		return q->next;
	}
	return pick_eevdf(k, q);
}

static struct entity *pick_with_curr(struct kctx *k, struct cfs_rq *q, struct entity *curr)
{
	(void)curr;
	return eevdf_pick_entity(k, q);
}

/* ---- preemption ------------------------------------------------------------------------------ */

static void cancel_protection(struct entity *se)
{
	if (slice_protected(se))
		se->vlag_vns = (int64_t)(se->deadline_vns + 1);
}

/* May PSE, which has a shorter slice than SE, cut SE's short? Linux: do_preempt_short(). */
static bool preempts_short(const struct kctx *k, const struct cfs_rq *q, const struct entity *pse,
			   const struct entity *se)
{
	if (!feat(k, FEAT_PREEMPT_SHORT) || pse->slice_ns >= se->slice_ns)
		return false;
	if (!entity_eligible(k, q, pse))
		return false;
	return deadline_before(pse, se) || !entity_eligible(k, q, se);
}

/* Linux: check_preempt_wakeup_fair(). */
static void check_preempt_eevdf(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	struct entity *se = &rq->curr->se, *pse = &p->se;
	struct cfs_rq *q;

	if (se == pse || throttled_hierarchy(pse->cfs_rq))
		return;
	if (feat(k, FEAT_NEXT_BUDDY) && !(wake_flags & WF_FORK) && !pse->sched_delayed)
		set_next_buddy(pse);
	if (rq->curr->need_resched || !feat(k, FEAT_WAKEUP_PREEMPTION))
		return;
	find_matching_se(&se, &pse);
	if (se_is_idle(se) && !se_is_idle(pse)) {
		cancel_protection(se);
		resched_task(k, rq);
		return;
	}
	if (se_is_idle(se) != se_is_idle(pse) || p->policy != POLICY_NORMAL)
		return;
	q = se->cfs_rq;
	update_curr(k, q);
	if (preempts_short(k, q, pse, se))
		cancel_protection(se);
	if (pick_eevdf(k, q) == pse)
		resched_task(k, rq);
}

static void yield_eevdf(struct kctx *k, struct rq *rq)
{
	struct entity *se = &rq->curr->se;
	struct cfs_rq *q = se->cfs_rq;

	if (rq->nr_running == 1)
		return;
	k->v->fair->clear_buddies(q, se);
	update_rq_clock(k, rq);
	update_curr(k, q);
	rq->skip_clock_update = true;
	if (!feat(k, FEAT_YIELD_TO_DEADLINE)) {
		se->deadline_vns += calc_delta_fair(k->v, se->slice_ns, &se->load);
	} else if (entity_eligible(k, q, se)) {
		se->vruntime_vns = se->deadline_vns;
		update_deadline(k, se);
	}
}

const struct fair_ops fair_ops_eevdf = {
	.name = "eevdf",
	.pick_with_curr = pick_with_curr,
	.pick_entity = eevdf_pick_entity,
	.clear_buddies = clear_buddies_on_path,
	.check_preempt = check_preempt_eevdf,
	.yield = yield_eevdf,
	.insert = eevdf_insert,
	.erase = eevdf_erase,
	.take = take_to_run,
	.ran = eevdf_ran,
	.place = eevdf_place,
	.leave = eevdf_leave,
	.reweight = eevdf_reweight,
	.enqueue_task = enqueue_task_eevdf,
	.dequeue_task = dequeue_task_eevdf,
	.pick_task = pick_task_eevdf,
};

/* ---- audit ------------------------------------------------------------------------------------ */

void eevdf_audit(const struct machine *m, const struct cfs_rq *q)
{
	uint64_t vruntime = 0, load = 0;

	for (struct rb_node *n = q->timeline.leftmost; n; n = rb_next(n)) {
		struct entity *se = entity_of(n), least = *se;
		uint64_t weight = scale_load_down(m->v, se->load.weight);

		load += weight;
		vruntime += (se->vruntime_vns - q->min_vruntime_vns) * weight;
		least.least_vruntime_vns = se->vruntime_vns;
		least.least_slice_ns = se->slice_ns;
		take_least(&least, n->left);
		take_least(&least, n->right);
		CHECK(least.least_vruntime_vns == se->least_vruntime_vns);
		CHECK(least.least_slice_ns == se->least_slice_ns);
		CHECK(!se->rel_deadline);
	}
	CHECK((uint64_t)q->avg_load == load);
	CHECK((uint64_t)q->avg_vruntime == vruntime);
}
