/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue's averages are kept beside those of its entities, not computed from
 * them: both age alike, and attaching, detaching, a change of weight or of a group
 * below changes both by the same amount. Rounding lets them drift by some units;
 * what would become negative is set to 0.
 *
 * A group's entity has no life of its own: its utilization is that of the
 * group's queue, and so is the count of runnable tasks. Its load is the weight
 * it has here times the part of the time its queue had something to run. How
 * much that part changes when tasks come is told by the sum of their load_sum
 * (prop_runnable_sum); when they leave nobody knows which time they shared with
 * others, so the part is taken from the queue's load over its weight.
 *
 * Invariant: tg->load_avg is the sum of tg_load_avg_contrib over all CPUs.
 * Cost: constant a call; the walks are bounded by the depth of groups.
 *
 * Linux: kernel/sched/fair.c, 5.4 to 6.12. Left out: cpufreq hooks, the lock of
 * removed.* (the fields change at one instant), NUMA, tracing.
 */
#include "sched/pelt/load_avg.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/blocked.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/pelt.h"
#include "sched/port.h"

#define TG_LOAD_PERIOD_NS NS_PER_MS

/*
 * A sum that something was taken from, but not less than AVG needs at the start of a period: a
 * smaller one would let the average drop by more than was taken. Behaviour of PELT_FLOOR_32BIT:
 * both are cut to 32 bits first, so a queue of more than some 88 always runnable tasks of nice 0
 * loses most of its sum, and of its average at the next period.
 */
static uint64_t sum_floor(const struct kctx *k, uint64_t sum, uint64_t avg)
{
	uint64_t least = avg * PELT_MIN_DIVIDER;

	if (!feat(k, FEAT_PELT_SUM_FLOOR))
		return sum;
	if (feat(k, FEAT_PELT_FLOOR_32BIT))
		return max_u32((uint32_t)sum, (uint32_t)least);
	return max_u64(sum, least);
}

static void floor_load(const struct kctx *k, struct sched_avg *sa)
{
	sa->load_sum = sum_floor(k, sa->load_sum, sa->load_avg);
}

static void floor_util(const struct kctx *k, struct sched_avg *sa)
{
	sa->util_sum = (uint32_t)sum_floor(k, sa->util_sum, sa->util_avg);
}

static void floor_runnable(const struct kctx *k, struct sched_avg *sa)
{
	sa->runnable_sum = sum_floor(k, sa->runnable_sum, sa->runnable_avg);
}

static void enqueue_load_avg(const struct kctx *k, struct cfs_rq *q, const struct entity *se)
{
	q->avg.load_avg += se->avg.load_avg;
	q->avg.load_sum += se_weight(k, se) * se->avg.load_sum;
}

static void dequeue_load_avg(const struct kctx *k, struct cfs_rq *q, const struct entity *se)
{
	q->avg.load_avg = sub_positive(q->avg.load_avg, se->avg.load_avg);
	q->avg.load_sum = sub_positive(q->avg.load_sum, se_weight(k, se) * se->avg.load_sum);
	floor_load(k, &q->avg);
}

static void add_tg_cfs_propagate(struct cfs_rq *q, int64_t runnable_sum)
{
	q->pelt.propagate = true;
	q->pelt.prop_runnable_sum = wrap_add_s64(q->pelt.prop_runnable_sum, runnable_sum);
}

/* ---- entities come and go ------------------------------------------------------------ */

/* The unweighted sum that has SE's load_avg. */
static uint64_t attached_load_sum(const struct kctx *k, const struct entity *se, uint32_t divider)
{
	uint64_t weight = se_weight(k, se);
	uint64_t sum = se->avg.load_avg * divider;

	if (!feat(k, FEAT_RUNNABLE_COUNT))
		return weight ? sum / weight : divider;
	return weight < sum ? sum / weight : 1;
}

void attach_entity_load_avg(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;
	struct sched_avg *sa = &se->avg;
	uint32_t divider = pelt_divider(&q->avg);

	sa->last_update_time_ns = q->avg.last_update_time_ns;
	sa->period_contrib = q->avg.period_contrib;
	sa->util_sum = (uint32_t)(sa->util_avg * divider);
	sa->load_sum = attached_load_sum(k, se, divider);
	enqueue_load_avg(k, q, se);
	q->avg.util_avg += sa->util_avg;
	q->avg.util_sum += sa->util_sum;
	if (feat(k, FEAT_RUNNABLE_COUNT)) {
		sa->runnable_sum = sa->runnable_avg * divider;
		q->avg.runnable_avg += sa->runnable_avg;
		q->avg.runnable_sum += sa->runnable_sum;
	} else {
		sa->runnable_sum = sa->load_sum;
	}
	add_tg_cfs_propagate(q, (int64_t)sa->load_sum);
}

void detach_entity_load_avg(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;

	dequeue_load_avg(k, q, se);
	q->avg.util_avg = sub_positive(q->avg.util_avg, se->avg.util_avg);
	q->avg.util_sum = (uint32_t)sub_positive(q->avg.util_sum, se->avg.util_sum);
	floor_util(k, &q->avg);
	if (feat(k, FEAT_RUNNABLE_COUNT)) {
		q->avg.runnable_avg = sub_positive(q->avg.runnable_avg, se->avg.runnable_avg);
		q->avg.runnable_sum = sub_positive(q->avg.runnable_sum, se->avg.runnable_sum);
		floor_runnable(k, &q->avg);
	}
	add_tg_cfs_propagate(q, -(int64_t)se->avg.load_sum);
}

void enqueue_runnable_load_avg(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;

	if (feat(k, FEAT_RUNNABLE_COUNT))
		return;
	q->pelt.runnable_weight += entity_is_task(se) ? se->load.weight : se->runnable_weight;
	q->avg.runnable_avg += se->avg.runnable_avg;
	q->avg.runnable_sum += se_runnable_weight(k, se) * se->avg.runnable_sum;
}

void dequeue_runnable_load_avg(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;

	if (feat(k, FEAT_RUNNABLE_COUNT))
		return;
	q->pelt.runnable_weight -= entity_is_task(se) ? se->load.weight : se->runnable_weight;
	q->avg.runnable_avg = sub_positive(q->avg.runnable_avg, se->avg.runnable_avg);
	q->avg.runnable_sum =
		sub_positive(q->avg.runnable_sum, se_runnable_weight(k, se) * se->avg.runnable_sum);
}

void reweight_entity_load_avg(const struct kctx *k, struct entity *se, uint64_t weight,
			      uint64_t runnable_weight)
{
	struct cfs_rq *q = se->cfs_rq;
	uint32_t divider = pelt_divider(&se->avg);
	bool by_weight = !feat(k, FEAT_RUNNABLE_COUNT);

	if (by_weight && se->on_rq)
		dequeue_runnable_load_avg(k, se);
	dequeue_load_avg(k, q, se);
	se->load.weight = weight;
	se->load.inv = 0;
	se->avg.load_avg = se_weight(k, se) * se->avg.load_sum / divider;
	if (by_weight) {
		se->runnable_weight = runnable_weight;
		se->avg.runnable_avg = se_runnable_weight(k, se) * se->avg.runnable_sum / divider;
	}
	enqueue_load_avg(k, q, se);
	if (by_weight && se->on_rq)
		enqueue_runnable_load_avg(k, se);
}

/* ---- tasks that left without the lock ------------------------------------------------- */

static void take_out_removed(const struct kctx *k, struct cfs_rq *q)
{
	struct pelt_removed r = q->pelt.removed;
	struct sched_avg *sa = &q->avg;
	uint32_t divider = pelt_divider(sa);

	q->pelt.removed = (struct pelt_removed){0};
	sa->load_avg = sub_positive(sa->load_avg, r.load_avg);
	sa->load_sum = sub_positive(sa->load_sum, r.load_avg * divider);
	floor_load(k, sa);
	sa->util_avg = sub_positive(sa->util_avg, r.util_avg);
	sa->util_sum = (uint32_t)sub_positive(sa->util_sum, (uint32_t)(r.util_avg * divider));
	floor_util(k, sa);
	if (!feat(k, FEAT_RUNNABLE_COUNT)) {
		add_tg_cfs_propagate(q, -(int64_t)r.runnable);
		return;
	}
	sa->runnable_avg = sub_positive(sa->runnable_avg, r.runnable);
	sa->runnable_sum = sub_positive(sa->runnable_sum, r.runnable * divider);
	floor_runnable(k, sa);
	/* away from 0: the whole product is negative when it is shifted */
	add_tg_cfs_propagate(q, asr_s64(-(int64_t)(r.runnable * divider), CAPACITY_SHIFT));
}

bool update_cfs_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct cfs_rq *q)
{
	bool decayed = q->pelt.removed.nr != 0;

	if (decayed)
		take_out_removed(k, q);
	return update_load_avg_cfs_rq(k, now_ns, q) || decayed;
}

void remove_entity_load_avg(const struct kctx *k, struct entity *se)
{
	struct pelt_removed *r = &se->cfs_rq->pelt.removed;

	update_load_avg_blocked_se(k, se->cfs_rq->avg.last_update_time_ns, se);
	r->nr++;
	r->util_avg += se->avg.util_avg;
	r->load_avg += se->avg.load_avg;
	r->runnable += feat(k, FEAT_RUNNABLE_COUNT) ? se->avg.runnable_avg : se->avg.load_sum;
}

/* What time it would be for Q if its idle CPU had looked at its clock now. */
static uint64_t estimated_clock(const struct kctx *k, const struct cfs_rq *q)
{
	const struct rq_pelt *p = &q->rq->pelt;
	uint64_t now_ns = p->clock_pelt_idle_ns - q->pelt.throttled_time_ns;
	int64_t unseen_ns = delta_s64(k->now_ns, p->clock_idle_ns);

	if (now_ns < q->avg.last_update_time_ns)
		return q->avg.last_update_time_ns;
	/* this CPU's clock may lag behind what the idle one already did */
	return unseen_ns > 0 ? now_ns + (uint64_t)unseen_ns : now_ns;
}

void migrate_sleeping_se(const struct kctx *k, struct entity *se)
{
	const struct cfs_rq *q = se->cfs_rq;

	remove_entity_load_avg(k, se);
	if (feat(k, FEAT_PELT_LAG) && q->rq->curr == q->rq->idle && !q->pelt.throttle_count)
		update_load_avg_blocked_se(k, estimated_clock(k, q), se);
	se->avg.last_update_time_ns = 0;
}

void set_task_rq_fair(const struct kctx *k, struct entity *se, const struct cfs_rq *prev,
		      const struct cfs_rq *next)
{
	if (!feat(k, FEAT_ATTACH_AGE_LOAD) || !se->avg.last_update_time_ns)
		return;
	update_load_avg_blocked_se(k, prev->avg.last_update_time_ns, se);
	se->avg.last_update_time_ns = next->avg.last_update_time_ns;
}

/* ---- up the hierarchy ------------------------------------------------------------------ */

/* The utilization of SE's queue becomes SE's. Linux: update_tg_cfs_util(). */
static void update_tg_cfs_util(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	int64_t delta = (int64_t)(se->my_q->avg.util_avg - sa->util_avg);
	uint32_t old_sum = sa->util_sum;

	if (!delta)
		return;
	sa->util_avg = se->my_q->avg.util_avg;
	up->util_avg = add_positive(up->util_avg, delta);
	if (!feat(k, FEAT_PELT_EXACT_SUMS)) {
		sa->util_sum = (uint32_t)(sa->util_avg * LOAD_AVG_MAX);
		up->util_sum = (uint32_t)(up->util_avg * LOAD_AVG_MAX);
		return;
	}
	sa->util_sum = (uint32_t)(sa->util_avg * pelt_divider(up));
	up->util_sum = add_positive_u32(up->util_sum, (int64_t)sa->util_sum - (int64_t)old_sum);
	floor_util(k, up);
}

/*
 * The same for the count of runnable tasks. Behaviour of PELT_FLOOR_32BIT: SE's new sum is cut
 * to 32 bits, too. Linux: update_tg_cfs_runnable(), 6.1, 6.12.
 */
static void update_tg_cfs_runnable(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	int64_t delta = (int64_t)(se->my_q->avg.runnable_avg - sa->runnable_avg);
	uint64_t old_sum = sa->runnable_sum;

	if (!delta)
		return;
	sa->runnable_avg = se->my_q->avg.runnable_avg;
	sa->runnable_sum = sa->runnable_avg * pelt_divider(up);
	if (feat(k, FEAT_PELT_FLOOR_32BIT))
		sa->runnable_sum = (uint32_t)sa->runnable_sum;
	up->runnable_avg = add_positive(up->runnable_avg, delta);
	up->runnable_sum = add_positive(up->runnable_sum, (int64_t)(sa->runnable_sum - old_sum));
	floor_runnable(k, up);
}

/* For how long SE's queue had something to run, after CHANGE came or left below; in load_sum. */
static uint64_t group_load_sum(const struct kctx *k, const struct entity *se, int64_t change,
			       uint32_t divider)
{
	const struct cfs_rq *g = se->my_q;
	uint64_t weight = scale_load_down(k->v, g->load.weight);
	uint64_t sum;

	if (change >= 0)
		sum = min_u64((uint64_t)change + se->avg.load_sum, divider);
	else
		sum = min_u64(se->avg.load_sum, weight ? g->avg.load_sum / weight : 0);
	/* it had at least something that ran */
	return max_u64(sum, se->avg.util_sum >> CAPACITY_SHIFT);
}

/* 5.4, 5.5: the runnable half of the load. The old sum is weighed with the load's weight. */
static void update_tg_cfs_runnable_load(const struct kctx *k, struct entity *se, uint64_t sum)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	uint64_t weighted = se_runnable_weight(k, se) * sum;
	uint64_t avg = weighted / LOAD_AVG_MAX;
	int64_t delta_sum = (int64_t)(weighted - se_weight(k, se) * sa->runnable_sum);
	int64_t delta_avg = (int64_t)(avg - sa->runnable_avg);

	sa->runnable_sum = sum;
	sa->runnable_avg = avg;
	if (!se->on_rq)
		return;
	up->runnable_avg = add_positive(up->runnable_avg, delta_avg);
	up->runnable_sum = add_positive(up->runnable_sum, delta_sum);
}

/* Linux: update_tg_cfs_load(); 5.4, 5.5: update_tg_cfs_runnable(). */
static void update_tg_cfs_load(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	bool exact = feat(k, FEAT_PELT_EXACT_SUMS);
	uint32_t divider = exact ? pelt_divider(up) : LOAD_AVG_MAX;
	int64_t change = se->my_q->pelt.prop_runnable_sum;
	uint64_t sum, weighted, avg;
	int64_t delta_avg, delta_sum;

	if (!change)
		return;
	se->my_q->pelt.prop_runnable_sum = 0;
	sum = group_load_sum(k, se, change, divider);
	weighted = se_weight(k, se) * sum;
	avg = weighted / divider;
	delta_avg = (int64_t)(avg - sa->load_avg);
	if (exact && !delta_avg)
		return;
	delta_sum = (int64_t)(weighted - se_weight(k, se) * sa->load_sum);
	sa->load_sum = sum;
	sa->load_avg = avg;
	up->load_avg = add_positive(up->load_avg, delta_avg);
	up->load_sum = add_positive(up->load_sum, delta_sum);
	floor_load(k, up);
	if (!feat(k, FEAT_RUNNABLE_COUNT))
		update_tg_cfs_runnable_load(k, se, sum);
}

/* SE is a group's. Linux: propagate_entity_load_avg(). */
static bool propagate(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *g = se->my_q;

	if (!g->pelt.propagate)
		return false;
	g->pelt.propagate = false;
	add_tg_cfs_propagate(se->cfs_rq, g->pelt.prop_runnable_sum);
	update_tg_cfs_util(k, se);
	if (feat(k, FEAT_RUNNABLE_COUNT))
		update_tg_cfs_runnable(k, se);
	update_tg_cfs_load(k, se);
	return true;
}

void update_tg_load_avg(struct kctx *k, struct cfs_rq *q)
{
	int64_t delta = (int64_t)(q->avg.load_avg - q->pelt.tg_load_avg_contrib);

	if (!q->tg->parent)
		return;
	if (feat(k, FEAT_TG_LOAD_RATELIMIT)) {
		if (!k->m->cpus[q->rq->cpu].online)
			return;
		if (q->pelt.tg_load_avg_since_ns &&
		    delta_s64(k->now_ns, q->pelt.tg_load_avg_since_ns) < (int64_t)TG_LOAD_PERIOD_NS)
			return;
	}
	if ((uint64_t)(delta < 0 ? -delta : delta) <= q->pelt.tg_load_avg_contrib / 64)
		return;
	q->tg->load_avg = wrap_add_s64(q->tg->load_avg, delta);
	q->pelt.tg_load_avg_contrib = q->avg.load_avg;
	q->pelt.tg_load_avg_since_ns = k->now_ns;
	charge(k, WORK_SHARED_AVG, 1);
}

/* UPDATES of an entity and its queue, in which CROSSED averages came into another period. */
static void charge_updates(struct kctx *k, uint32_t updates, uint32_t crossed)
{
	charge(k, WORK_LOAD_AVG, updates);
	charge(k, WORK_LOAD_PERIOD, crossed);
}

void update_load_avg(struct kctx *k, struct entity *se, uint32_t flags)
{
	struct cfs_rq *q = se->cfs_rq;
	uint64_t now_ns = cfs_rq_clock_pelt(q);
	bool attached = se->avg.last_update_time_ns != 0;
	bool decayed, se_crossed = false;

	if (attached && !(flags & SKIP_AGE_LOAD))
		se_crossed = update_load_avg_se(k, now_ns, q, se);
	decayed = update_cfs_rq_load_avg(k, now_ns, q);
	charge_updates(k, 1, (uint32_t)se_crossed + decayed);
	decayed |= !entity_is_task(se) && propagate(k, se);
	if (!attached && (flags & DO_ATTACH)) {
		attach_entity_load_avg(k, se);
		update_tg_load_avg(k, q);
	} else if (flags & DO_DETACH) {
		detach_entity_load_avg(k, se);
		update_tg_load_avg(k, q);
	} else if (decayed && (flags & UPDATE_TG)) {
		update_tg_load_avg(k, q);
	}
}

/* Q's averages changed without its being queued to: they are to age. False: Q is throttled. */
static bool list_changed(struct cfs_rq *q)
{
	if (q->bw.throttled)
		return false;
	if (!q->pelt.throttle_count)
		list_add_leaf_cfs_rq(q);
	return true;
}

/*
 * Pass up what changed in SE's queue, to the root or the first throttled queue.
 * Linux: propagate_entity_cfs_rq().
 */
static void propagate_entity_cfs_rq(struct kctx *k, struct entity *se)
{
	if (feat(k, FEAT_LEAF_ON_CHANGE)) {
		bool on = list_changed(se->cfs_rq);

		for (se = se->parent; se && on; se = se->parent) {
			update_load_avg(k, se, UPDATE_TG);
			on = list_changed(se->cfs_rq);
		}
		return;
	}
	for (se = se->parent; se; se = se->parent) {
		if (se->cfs_rq->pelt.throttle_count)
			break;
		update_load_avg(k, se, UPDATE_TG);
	}
}

void attach_entity_cfs_rq(struct kctx *k, struct entity *se)
{
	update_load_avg(k, se, feat(k, FEAT_ATTACH_AGE_LOAD) ? 0 : SKIP_AGE_LOAD);
	attach_entity_load_avg(k, se);
	update_tg_load_avg(k, se->cfs_rq);
	propagate_entity_cfs_rq(k, se);
}

void attach_group_entity(const struct kctx *k, struct entity *se)
{
	update_cfs_rq_load_avg(k, cfs_rq_clock_pelt(se->cfs_rq), se->cfs_rq);
	attach_entity_load_avg(k, se);
}

void detach_entity_cfs_rq(struct kctx *k, struct entity *se)
{
	if (!se->avg.last_update_time_ns)
		return;
	update_load_avg(k, se, 0);
	detach_entity_load_avg(k, se);
	update_tg_load_avg(k, se->cfs_rq);
	propagate_entity_cfs_rq(k, se);
}

/* ---- new ones -------------------------------------------------------------------------- */

void init_entity_load_avg(const struct kctx *k, struct entity *se)
{
	se->avg = (struct sched_avg){0};
	se->runnable_weight = 0;
	if (!entity_is_task(se))
		return;
	se->avg.load_avg = se_weight(k, se);
	if (!feat(k, FEAT_RUNNABLE_COUNT)) {
		se->runnable_weight = se->load.weight;
		se->avg.runnable_avg = se->avg.load_avg;
	}
}

void post_init_entity_util_avg(const struct kctx *k, struct entity *se, bool fair)
{
	const struct cfs_rq *q = se->cfs_rq;
	int64_t left = ((int64_t)q->rq->cpu_capacity_orig - (int64_t)q->avg.util_avg) / 2;
	uint64_t weight = feat(k, FEAT_INIT_UTIL_SCALED) ? se_weight(k, se) : se->load.weight;

	CHECK(entity_is_task(se));
	if (!fair) {
		se->avg.last_update_time_ns = cfs_rq_clock_pelt(q);
		return;
	}
	if (left > 0 && q->avg.util_avg)
		se->avg.util_avg =
			min_u64(q->avg.util_avg * weight / (q->avg.load_avg + 1), (uint64_t)left);
	else if (left > 0)
		se->avg.util_avg = (uint64_t)left;
	if (feat(k, FEAT_RUNNABLE_COUNT))
		se->avg.runnable_avg = se->avg.util_avg;
}
