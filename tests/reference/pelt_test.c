/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load tracking against a second implementation, written from the rules as plain
 * loops: no table, no shortcut, signed 128-bit numbers wherever something may
 * overflow or become negative.
 *
 * Two equal machines of two CPUs with groups /a, /a/b and /c live through the same
 * random story: tasks wake, sleep, run, change weight, move between CPUs asleep and
 * queued, change group; queues are throttled; time passes by nothing to hours. One
 * machine uses the module, the other the reference. After each step all numbers of
 * both are equal.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/pelt/blocked.h"
#include "sched/pelt/h_load.h"
#include "sched/pelt/pelt_kernels.h"
#include "sched/pelt/shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NCPUS 2u
#define NTASKS 7u
#define NGROUPS 4u /* with the root */
#define NSTEPS 600

__extension__ typedef __int128 s128;

/* ---- the rules, slowly -------------------------------------------------------------------- */

static bool has(const struct kctx *k, enum feature f)
{
	return feat(k, f);
}

static bool later(const struct kctx *k)
{
	return has(k, FEAT_RUNNABLE_COUNT);
}

static uint64_t y_power(unsigned i)
{
	return (uint64_t)floorl(4294967295.0L * powl(2, -(long double)i / 32));
}

static uint64_t ref_decay(uint64_t v, uint64_t n)
{
	if (n > 2016)
		return 0;
	for (uint64_t i = 0; i < n / 32; i++)
		v /= 2;
	return (uint64_t)((u128)v * y_power((unsigned)(n % 32)) / ((u128)1 << 32));
}

static uint64_t ref_down(const struct kctx *k, uint64_t w)
{
	if (!has(k, FEAT_WEIGHT_MIN_2))
		return w / 1024;
	return w == 0 ? 0 : w < 2048 ? 2 : w / 1024;
}

/* Section "accumulation": one step, true if a boundary was crossed. */
static bool ref_step(uint64_t now, struct sched_avg *sa, uint64_t load, uint64_t runnable,
		     uint64_t running)
{
	s128 delta = (s128)now - (s128)sa->last_update_time_ns;
	uint64_t periods, contrib, total;

	if (delta < 0) {
		sa->last_update_time_ns = now;
		return false;
	}
	delta /= 1024;
	if (delta == 0)
		return false;
	sa->last_update_time_ns += (uint64_t)delta * 1024;
	if (load == 0)
		runnable = running = 0;
	contrib = (uint64_t)delta;
	total = (uint64_t)delta + sa->period_contrib;
	periods = total / 1024;
	if (periods > 0) {
		sa->load_sum = ref_decay(sa->load_sum, periods);
		sa->runnable_sum = ref_decay(sa->runnable_sum, periods);
		sa->util_sum = (uint32_t)ref_decay(sa->util_sum, periods);
		contrib = ref_decay(1024 - sa->period_contrib, periods) +
			  (47742 - ref_decay(47742, periods) - 1024) + total % 1024;
		total %= 1024;
	}
	sa->period_contrib = (uint32_t)total;
	sa->load_sum += load * contrib;
	sa->runnable_sum += runnable * contrib;
	sa->util_sum += (uint32_t)(running * contrib * 1024);
	return periods > 0;
}

static void ref_average(struct sched_avg *sa, uint64_t l, uint64_t r)
{
	uint64_t div = 46718 + sa->period_contrib;

	sa->load_avg = l * sa->load_sum / div;
	sa->runnable_avg = r * sa->runnable_sum / div;
	sa->util_avg = sa->util_sum / div;
}

static uint64_t ref_runnable_weight(const struct kctx *k, const struct entity *se)
{
	return ref_down(k, se->my_q ? se->runnable_weight : se->load.weight);
}

static void ref_se(const struct kctx *k, uint64_t now, struct entity *se, bool blocked)
{
	uint64_t l = !blocked && se->on_rq, r = l;
	uint64_t u = !blocked && se->cfs_rq->curr == se;

	if (later(k) && !blocked)
		r = 1024 * (se->my_q ? se->runnable_weight : se->on_rq && !se->sched_delayed);
	if (!ref_step(now, &se->avg, l, r, u))
		return;
	ref_average(&se->avg, ref_down(k, se->load.weight),
		    later(k) ? 1 : ref_runnable_weight(k, se));
	if (!blocked && !strcmp(k->v->util_est->name, "low-flag"))
		se->avg.util_est.enqueued = se->avg.util_est.enqueued / 2 * 2;
	else if (!blocked)
		se->avg.util_est.enqueued %= 0x80000000u;
}

static uint64_t ref_clock(const struct cfs_rq *q)
{
	const struct rq_pelt *p = &q->rq->pelt;

	if (q->pelt.throttle_count > 0)
		return q->pelt.throttled_clock_ns - q->pelt.throttled_time_ns;
	return p->clock_pelt_ns - p->lost_idle_time_ns - q->pelt.throttled_time_ns;
}

static uint64_t ref_add(uint64_t x, s128 v)
{
	s128 sum = (s128)x + v;

	return sum < 0 ? 0 : (uint64_t)sum;
}

static uint64_t ref_floor(const struct kctx *k, uint64_t sum, uint64_t avg)
{
	uint64_t a = sum % ((uint64_t)1 << 32), b = avg * 46718 % ((uint64_t)1 << 32);

	if (!later(k))
		return sum;
	return a > b ? a : b;
}

static void ref_tell(struct cfs_rq *q, s128 v)
{
	q->pelt.propagate = true;
	q->pelt.prop_runnable_sum += (int64_t)v;
}

static void ref_load_out(const struct kctx *k, struct cfs_rq *q, const struct entity *se)
{
	uint64_t w = ref_down(k, se->load.weight);

	q->avg.load_avg = ref_add(q->avg.load_avg, -(s128)se->avg.load_avg);
	q->avg.load_sum = ref_add(q->avg.load_sum, -(s128)(w * se->avg.load_sum));
	q->avg.load_sum = ref_floor(k, q->avg.load_sum, q->avg.load_avg);
}

static void ref_attach(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	uint64_t div = 46718 + up->period_contrib, w = ref_down(k, se->load.weight);
	uint64_t x = sa->load_avg * div;

	sa->last_update_time_ns = up->last_update_time_ns;
	sa->period_contrib = up->period_contrib;
	sa->util_sum = (uint32_t)(sa->util_avg * div);
	if (later(k)) {
		sa->runnable_sum = sa->runnable_avg * div;
		sa->load_sum = w < x ? x / w : 1;
		up->runnable_avg += sa->runnable_avg;
		up->runnable_sum += sa->runnable_sum;
	} else {
		sa->load_sum = w ? x / w : div;
		sa->runnable_sum = sa->load_sum;
	}
	up->load_avg += sa->load_avg;
	up->load_sum += w * sa->load_sum;
	up->util_avg += sa->util_avg;
	up->util_sum += sa->util_sum;
	ref_tell(se->cfs_rq, sa->load_sum);
}

static void ref_detach(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;

	ref_load_out(k, se->cfs_rq, se);
	up->util_avg = ref_add(up->util_avg, -(s128)sa->util_avg);
	up->util_sum = (uint32_t)ref_add(up->util_sum, -(s128)sa->util_sum);
	up->util_sum = (uint32_t)ref_floor(k, up->util_sum, up->util_avg);
	if (later(k)) {
		up->runnable_avg = ref_add(up->runnable_avg, -(s128)sa->runnable_avg);
		up->runnable_sum = ref_add(up->runnable_sum, -(s128)sa->runnable_sum);
		up->runnable_sum = ref_floor(k, up->runnable_sum, up->runnable_avg);
	}
	ref_tell(se->cfs_rq, -(s128)sa->load_sum);
}

static s128 floor_div(s128 a, s128 b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static bool ref_queue(const struct kctx *k, uint64_t now, struct cfs_rq *q)
{
	struct pelt_removed r = q->pelt.removed;
	struct sched_avg *sa = &q->avg;
	uint64_t div = 46718 + sa->period_contrib;
	bool decayed = r.nr > 0;

	if (decayed) {
		q->pelt.removed = (struct pelt_removed){0};
		sa->load_avg = ref_add(sa->load_avg, -(s128)r.load_avg);
		sa->load_sum = ref_add(sa->load_sum, -(s128)r.load_avg * div);
		sa->load_sum = ref_floor(k, sa->load_sum, sa->load_avg);
		sa->util_avg = ref_add(sa->util_avg, -(s128)r.util_avg);
		sa->util_sum = (uint32_t)ref_add(sa->util_sum, -(s128)r.util_avg * div);
		sa->util_sum = (uint32_t)ref_floor(k, sa->util_sum, sa->util_avg);
		if (later(k)) {
			sa->runnable_avg = ref_add(sa->runnable_avg, -(s128)r.runnable);
			sa->runnable_sum = ref_add(sa->runnable_sum, -(s128)r.runnable * div);
			sa->runnable_sum = ref_floor(k, sa->runnable_sum, sa->runnable_avg);
			ref_tell(q, floor_div(-(s128)r.runnable * div, 1024));
		} else {
			ref_tell(q, -(s128)r.runnable);
		}
	}
	if (ref_step(now, sa, ref_down(k, q->load.weight),
		     later(k) ? 1024 * (uint64_t)(q->h_nr_running - q->h_nr_delayed) :
				ref_down(k, q->pelt.runnable_weight),
		     q->curr != NULL)) {
		ref_average(sa, 1, 1);
		decayed = true;
	}
	return decayed;
}

static void ref_propagate_util(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	uint64_t div = 46718 + up->period_contrib;
	s128 d = (s128)se->my_q->avg.util_avg - sa->util_avg, old = sa->util_sum;

	if (d == 0)
		return;
	sa->util_avg = se->my_q->avg.util_avg;
	up->util_avg = ref_add(up->util_avg, d);
	if (!later(k)) {
		sa->util_sum = (uint32_t)(sa->util_avg * 47742);
		up->util_sum = (uint32_t)(up->util_avg * 47742);
		return;
	}
	sa->util_sum = (uint32_t)(sa->util_avg * div);
	up->util_sum = (uint32_t)ref_add(up->util_sum, sa->util_sum - old);
	up->util_sum = (uint32_t)ref_floor(k, up->util_sum, up->util_avg);
}

static void ref_propagate_runnable(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	uint64_t div = 46718 + up->period_contrib;
	s128 d = (s128)se->my_q->avg.runnable_avg - sa->runnable_avg, old = sa->runnable_sum;

	if (d == 0)
		return;
	sa->runnable_avg = se->my_q->avg.runnable_avg;
	sa->runnable_sum = (uint32_t)(sa->runnable_avg * div);
	up->runnable_avg = ref_add(up->runnable_avg, d);
	up->runnable_sum = ref_add(up->runnable_sum, (s128)sa->runnable_sum - old);
	up->runnable_sum = ref_floor(k, up->runnable_sum, up->runnable_avg);
}

static void ref_propagate_load(const struct kctx *k, struct entity *se)
{
	struct sched_avg *sa = &se->avg, *up = &se->cfs_rq->avg;
	struct cfs_rq *g = se->my_q;
	uint64_t max = later(k) ? 46718 + up->period_contrib : 47742;
	uint64_t w = ref_down(k, se->load.weight), gw = ref_down(k, g->load.weight);
	s128 v = g->pelt.prop_runnable_sum, r, total, d, dsum;
	uint64_t rw = ref_runnable_weight(k, se);

	if (v == 0)
		return;
	g->pelt.prop_runnable_sum = 0;
	if (v >= 0) {
		r = v + sa->load_sum;
		if (r > max)
			r = max;
	} else {
		r = gw ? g->avg.load_sum / gw : 0;
		if (r > sa->load_sum)
			r = sa->load_sum;
	}
	if (r < sa->util_sum / 1024)
		r = sa->util_sum / 1024;
	total = w * r;
	d = total / max - sa->load_avg;
	if (later(k) && d == 0)
		return;
	dsum = total - (s128)w * sa->load_sum;
	sa->load_sum = (uint64_t)r;
	sa->load_avg = (uint64_t)(total / max);
	up->load_avg = ref_add(up->load_avg, d);
	up->load_sum = ref_floor(k, ref_add(up->load_sum, dsum), up->load_avg);
	if (later(k))
		return;
	total = rw * r;
	d = total / max - sa->runnable_avg;
	dsum = total - (s128)w * sa->runnable_sum;
	sa->runnable_sum = (uint64_t)r;
	sa->runnable_avg = (uint64_t)(total / max);
	if (!se->on_rq)
		return;
	up->runnable_avg = ref_add(up->runnable_avg, d);
	up->runnable_sum = ref_add(up->runnable_sum, dsum);
}

static void ref_report(const struct kctx *k, struct cfs_rq *q)
{
	s128 d = (s128)q->avg.load_avg - q->pelt.tg_load_avg_contrib;
	uint64_t since = q->pelt.tg_load_avg_since_ns;

	if (q->tg->parent == NULL)
		return;
	if (has(k, FEAT_TG_LOAD_RATELIMIT) && since && (s128)k->now_ns - since < 1000000)
		return;
	if ((d < 0 ? -d : d) <= q->pelt.tg_load_avg_contrib / 64)
		return;
	q->tg->load_avg += (int64_t)d;
	q->pelt.tg_load_avg_contrib = q->avg.load_avg;
	q->pelt.tg_load_avg_since_ns = k->now_ns;
}

static void ref_update(struct kctx *k, struct entity *se, uint32_t flags)
{
	struct cfs_rq *q = se->cfs_rq;
	uint64_t now = ref_clock(q);
	bool detached = se->avg.last_update_time_ns == 0, decayed;

	if (!detached && !(flags & SKIP_AGE_LOAD))
		ref_se(k, now, se, false);
	decayed = ref_queue(k, now, q);
	if (se->my_q && se->my_q->pelt.propagate) {
		se->my_q->pelt.propagate = false;
		ref_tell(q, se->my_q->pelt.prop_runnable_sum);
		ref_propagate_util(k, se);
		if (later(k))
			ref_propagate_runnable(k, se);
		ref_propagate_load(k, se);
		decayed = true;
	}
	if (detached && (flags & DO_ATTACH))
		ref_attach(k, se);
	else if (flags & DO_DETACH)
		ref_detach(k, se);
	else if (!decayed || !(flags & UPDATE_TG))
		return;
	ref_report(k, q);
}

static void ref_up(struct kctx *k, struct entity *se)
{
	for (se = se->parent; se && !se->cfs_rq->pelt.throttle_count; se = se->parent)
		ref_update(k, se, UPDATE_TG);
}

static void ref_attach_up(struct kctx *k, struct entity *se)
{
	ref_update(k, se, 0);
	ref_attach(k, se);
	ref_report(k, se->cfs_rq);
	ref_up(k, se);
}

static void ref_detach_up(struct kctx *k, struct entity *se)
{
	if (se->avg.last_update_time_ns == 0)
		return;
	ref_update(k, se, 0);
	ref_detach(k, se);
	ref_report(k, se->cfs_rq);
	ref_up(k, se);
}

static void ref_migrate(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;
	const struct rq_pelt *p = &q->rq->pelt;
	uint64_t now = p->clock_pelt_idle_ns - q->pelt.throttled_time_ns;

	ref_se(k, q->avg.last_update_time_ns, se, true);
	q->pelt.removed.nr++;
	q->pelt.removed.load_avg += se->avg.load_avg;
	q->pelt.removed.util_avg += se->avg.util_avg;
	q->pelt.removed.runnable += later(k) ? se->avg.runnable_avg : se->avg.load_sum;
	if (has(k, FEAT_PELT_LAG) && q->rq->curr == q->rq->idle && !q->pelt.throttle_count) {
		if (now < q->avg.last_update_time_ns)
			now = q->avg.last_update_time_ns;
		else if (k->now_ns > p->clock_idle_ns)
			now += k->now_ns - p->clock_idle_ns;
		ref_se(k, now, se, true);
	}
	se->avg.last_update_time_ns = 0;
}

static void ref_runnable_in(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;

	if (later(k))
		return;
	q->pelt.runnable_weight += se->my_q ? se->runnable_weight : se->load.weight;
	q->avg.runnable_avg += se->avg.runnable_avg;
	q->avg.runnable_sum += ref_runnable_weight(k, se) * se->avg.runnable_sum;
}

static void ref_runnable_out(const struct kctx *k, struct entity *se)
{
	struct cfs_rq *q = se->cfs_rq;
	s128 sum = (s128)ref_runnable_weight(k, se) * se->avg.runnable_sum;

	if (later(k))
		return;
	q->pelt.runnable_weight -= se->my_q ? se->runnable_weight : se->load.weight;
	q->avg.runnable_avg = ref_add(q->avg.runnable_avg, -(s128)se->avg.runnable_avg);
	q->avg.runnable_sum = ref_add(q->avg.runnable_sum, -sum);
}

static void ref_reweight(const struct kctx *k, struct entity *se, uint64_t weight,
			 uint64_t runnable)
{
	uint64_t div = 46718 + se->avg.period_contrib;

	if (se->on_rq)
		ref_runnable_out(k, se);
	ref_load_out(k, se->cfs_rq, se);
	se->load.weight = weight;
	se->load.inv = 0;
	se->avg.load_avg = ref_down(k, weight) * se->avg.load_sum / div;
	if (!later(k)) {
		se->runnable_weight = runnable;
		se->avg.runnable_avg = ref_runnable_weight(k, se) * se->avg.runnable_sum / div;
	}
	se->cfs_rq->avg.load_avg += se->avg.load_avg;
	se->cfs_rq->avg.load_sum += ref_down(k, weight) * se->avg.load_sum;
	if (se->on_rq)
		ref_runnable_in(k, se);
}

static s128 ref_clamp(s128 x, s128 low, s128 high)
{
	return x < low ? low : x > high ? high : x;
}

static bool ref_weights(const struct kctx *k, const struct entity *se, struct group_weights *w)
{
	const struct cfs_rq *g = se->my_q;
	uint64_t load, runnable, down;
	s128 all, shares;

	if (!g || g->pelt.throttle_count)
		return false;
	if (has(k, FEAT_SHARES_IF_LOADED) && g->load.weight == 0)
		return false;
	down = ref_down(k, g->load.weight);
	load = down > g->avg.load_avg ? down : g->avg.load_avg;
	all = (s128)g->tg->load_avg - g->pelt.tg_load_avg_contrib + load;
	shares = (s128)g->tg->shares * load;
	if (all)
		shares /= all;
	shares = ref_clamp(shares, 2, (s128)g->tg->shares);
	w->weight = (uint64_t)shares;
	w->runnable_weight = 0;
	if (!later(k)) {
		runnable = ref_down(k, g->pelt.runnable_weight);
		if (runnable < g->avg.runnable_avg)
			runnable = g->avg.runnable_avg;
		shares *= runnable;
		if (load)
			shares /= load;
		w->runnable_weight = (uint64_t)ref_clamp(shares, 2, (s128)w->weight);
	}
	return !has(k, FEAT_SHARES_IF_LOADED) || w->weight != se->load.weight;
}

static void ref_snapshot(const struct kctx *k, struct entity *se)
{
	if (later(k) && se->my_q)
		se->runnable_weight = se->my_q->h_nr_running - se->my_q->h_nr_delayed;
}

/* From the root down, level by level; the cache is honoured at each. */
static void ref_h_load(struct kctx *k, struct cfs_rq *q)
{
	struct cfs_rq *path[8];
	uint64_t stamp = k->now_ns / k->m->tick_ns + 1;
	int n = 0;

	for (;; q = &q->tg->parent->cfs_rq[q->rq->cpu]) {
		path[n++] = q;
		if (!q->tg->parent || q->pelt.h_load_at == stamp)
			break;
	}
	if (path[n - 1]->pelt.h_load_at != stamp)
		path[n - 1]->h_load = path[n - 1]->avg.load_avg;
	path[n - 1]->pelt.h_load_at = stamp;
	while (--n > 0) {
		const struct entity *se = &path[n - 1]->tg->se[q->rq->cpu];

		path[n - 1]->h_load =
			path[n]->h_load * se->avg.load_avg / (path[n]->avg.load_avg + 1);
		path[n - 1]->pelt.h_load_at = stamp;
	}
}

/* Numbers of the groups in the order in which the other machine lists their queues. */
static const uint32_t *order_of(const struct kctx *k);

static bool ref_blocked(struct kctx *k, struct rq *rq)
{
	const uint32_t *order = order_of(k);
	bool left = false;

	for (uint32_t i = 0; i < NGROUPS && order[i] < NGROUPS; i++) {
		struct task_group *tg = &k->m->groups_mem[order[i]];
		struct cfs_rq *q = &tg->cfs_rq[rq->cpu];
		struct entity *se = tg->parent ? &tg->se[rq->cpu] : NULL;
		bool child = false;

		assert_true(q->on_leaf_list);
		if (ref_queue(k, ref_clock(q), q))
			ref_report(k, q);
		if (se && (se->avg.load_avg || se->avg.util_avg || q->pelt.propagate))
			ref_update(k, se, later(k) ? UPDATE_TG : 0);
		for (uint32_t c = 1; c < NGROUPS; c++)
			child |= k->m->groups_mem[c].parent == tg &&
				 k->m->groups_mem[c].cfs_rq[rq->cpu].on_leaf_list;
		if (!q->load.weight && !q->avg.load_sum && !q->avg.util_sum &&
		    !q->avg.runnable_sum && !(later(k) && child) &&
		    !(has(k, FEAT_LEAF_KEEPS_CONTRIB) && q->pelt.tg_load_avg_contrib))
			q->on_leaf_list = false;
		left |= q->avg.load_avg || q->avg.util_avg;
	}
	return left;
}

static bool ref_list(struct cfs_rq *q)
{
	q->on_leaf_list = true;
	return true;
}

static uint32_t ref_est_value(const struct kctx *k, const struct util_est *ue)
{
	uint32_t e = ue->enqueued;

	if (!strcmp(k->v->util_est->name, "low-flag"))
		return (ue->ewma > e ? ue->ewma : e) | 1;
	e %= 0x80000000u;
	return ue->ewma > e ? ue->ewma : e;
}

static void ref_est_in(const struct kctx *k, struct cfs_rq *q, const struct task *p)
{
	q->avg.util_est.enqueued += ref_est_value(k, &p->se.avg.util_est);
}

static void ref_est_out(const struct kctx *k, struct cfs_rq *q, const struct task *p)
{
	q->avg.util_est.enqueued = (uint32_t)ref_add(q->avg.util_est.enqueued,
						     -(s128)ref_est_value(k, &p->se.avg.util_est));
}

static void ref_est_update(const struct kctx *k, struct cfs_rq *q, struct task *p)
{
	struct util_est *ue = &p->se.avg.util_est;
	int64_t util = (int64_t)p->se.avg.util_avg, ewma = ue->ewma, new, prev = ue->enqueued;
	int64_t cap = (int64_t)q->rq->cpu_capacity_orig;
	bool fast = has(k, FEAT_UTIL_EST_FASTUP);

	if (!strcmp(k->v->util_est->name, "low-flag")) {
		if (prev % 2)
			return;
		new = util | 1;
		if (fast && ewma < new) {
			ewma = new;
		} else {
			if (llabs(new - ewma) < 10 || util > cap)
				return;
			ewma = (4 * ewma + (new - ewma)) / 4;
		}
		*ue = (struct util_est){(uint32_t) new, (uint32_t)ewma};
		return;
	}
	if (prev >= 0x80000000)
		return;
	if (!strcmp(k->v->util_est->name, "single")) {
		if (prev <= util)
			prev = util;
		else if (prev - util >= 10) {
			if (util > cap)
				return;
			if (util + 10 >= (int64_t)p->se.avg.runnable_avg)
				prev = (4 * prev - (prev - util)) / 4;
		}
		ue->enqueued = 0x80000000u + (uint32_t)prev;
		return;
	}
	if (fast && ewma < util) {
		ewma = util;
	} else if (llabs(util - ewma) < 10) {
		if (llabs(prev - util) < 10)
			return;
	} else {
		if (util > cap)
			return;
		ewma = (4 * ewma + (util - ewma)) / 4;
	}
	*ue = (struct util_est){0x80000000u + (uint32_t)util, (uint32_t)ewma};
}

static void ref_first(const struct kctx *k, struct entity *se, bool fair)
{
	const struct cfs_rq *q = se->cfs_rq;
	int64_t cap = (1024 - (int64_t)q->avg.util_avg) / 2;
	uint64_t w = has(k, FEAT_INIT_UTIL_SCALED) ? ref_down(k, se->load.weight) : se->load.weight;

	assert_true(fair);
	if (cap > 0) {
		int64_t util = cap;

		if (q->avg.util_avg)
			util = (int64_t)(q->avg.util_avg * w / (q->avg.load_avg + 1));
		se->avg.util_avg = (uint64_t)(util > cap ? cap : util);
	}
	if (later(k))
		se->avg.runnable_avg = se->avg.util_avg;
}

/* ---- what both machines do ------------------------------------------------------------------ */

struct impl {
	void (*update)(struct kctx *k, struct entity *se, uint32_t flags);
	void (*attach_up)(struct kctx *k, struct entity *se);
	void (*detach_up)(struct kctx *k, struct entity *se);
	void (*migrate)(const struct kctx *k, struct entity *se);
	void (*runnable_in)(const struct kctx *k, struct entity *se);
	void (*runnable_out)(const struct kctx *k, struct entity *se);
	void (*reweight)(const struct kctx *k, struct entity *se, uint64_t w, uint64_t r);
	bool (*weights)(const struct kctx *k, const struct entity *se, struct group_weights *w);
	void (*snapshot)(const struct kctx *k, struct entity *se);
	void (*h_load)(struct kctx *k, struct cfs_rq *q);
	bool (*blocked)(struct kctx *k, struct rq *rq);
	bool (*list)(struct cfs_rq *q);
	void (*est_in)(const struct kctx *k, struct cfs_rq *q, const struct task *p);
	void (*est_out)(const struct kctx *k, struct cfs_rq *q, const struct task *p);
	void (*est_update)(const struct kctx *k, struct cfs_rq *q, struct task *p);
	void (*first)(const struct kctx *k, struct entity *se, bool fair);
};

static const struct impl module = {
	.update = update_load_avg,
	.attach_up = attach_entity_cfs_rq,
	.detach_up = detach_entity_cfs_rq,
	.migrate = migrate_sleeping_se,
	.runnable_in = enqueue_runnable_load_avg,
	.runnable_out = dequeue_runnable_load_avg,
	.reweight = reweight_entity_load_avg,
	.weights = cfs_group_weights,
	.snapshot = se_update_runnable,
	.h_load = update_cfs_rq_h_load,
	.blocked = update_blocked_fair,
	.list = list_add_leaf_cfs_rq,
	.est_in = util_est_enqueue,
	.est_out = util_est_dequeue,
	.est_update = util_est_update,
	.first = post_init_entity_util_avg,
};

static const struct impl reference = {
	.update = ref_update,
	.attach_up = ref_attach_up,
	.detach_up = ref_detach_up,
	.migrate = ref_migrate,
	.runnable_in = ref_runnable_in,
	.runnable_out = ref_runnable_out,
	.reweight = ref_reweight,
	.weights = ref_weights,
	.snapshot = ref_snapshot,
	.h_load = ref_h_load,
	.blocked = ref_blocked,
	.list = ref_list,
	.est_in = ref_est_in,
	.est_out = ref_est_out,
	.est_update = ref_est_update,
	.first = ref_first,
};

/* One of the two machines. Its tasks are never queued by the simulator's own classes. */
struct world {
	struct hand h;
	const struct impl *impl;
	struct task task[NTASKS];
	uint32_t group[NTASKS];
	uint32_t order[NGROUPS]; /* leaf list of the module's machine; NGROUPS: no more */
};

static const uint32_t *order_of(const struct kctx *k)
{
	return container_of(k->driver, struct world, h)->order;
}

static void note_order(struct world *from, uint32_t cpu, struct world *to)
{
	struct rq *rq = hand_rq(&from->h, cpu);
	struct list *pos;
	uint32_t n = 0;

	list_for_each(pos, &rq->leaf_cfs_rqs) {
		assert_true(n < NGROUPS);
		to->order[n++] = container_of(pos, struct cfs_rq, leaf_node)->tg->id;
	}
	while (n < NGROUPS)
		to->order[n++] = NGROUPS;
}

static struct task_group *group_of(struct world *w, uint32_t g)
{
	return &w->h.m->groups_mem[g];
}

static void put_in(struct world *w, struct task *p, uint32_t g, uint32_t cpu)
{
	struct task_group *tg = group_of(w, g);

	p->cpu = cpu;
	p->tg = tg;
	p->se.cfs_rq = &tg->cfs_rq[cpu];
	p->se.parent = tg->parent ? &tg->se[cpu] : NULL;
	w->group[p - w->task] = g;
}

static void world_init(struct world *w, const char *kernel, const struct impl *impl)
{
	struct task_group *a;

	memset(w, 0, sizeof(*w));
	pelt_init(&w->h, kernel, NCPUS);
	w->impl = impl;
	a = hand_group(&w->h, NULL, "/a");
	hand_group(&w->h, a, "/a/b");
	hand_group(&w->h, NULL, "/c");
	for (uint32_t g = 1; g < NGROUPS; g++) {
		group_of(w, g)->shares = g == 3 ? 2 << 10 : 1024 << 10;
		for (uint32_t cpu = 0; cpu < NCPUS; cpu++) {
			struct entity *se = &group_of(w, g)->se[cpu];

			se->load = (struct load_weight){0, 0};
			init_entity_load_avg(hand_k(&w->h, cpu), se);
			w->impl->attach_up(hand_k(&w->h, cpu), se);
		}
	}
	for (uint32_t cpu = 0; cpu < NCPUS; cpu++)
		pelt_clock(&w->h, cpu, HAND_START_NS);
	for (uint32_t t = 0; t < NTASKS; t++) {
		put_in(w, &w->task[t], t % NGROUPS, t % NCPUS);
		w->task[t].se.load = (struct load_weight){(15u << 10) << t, 0};
		init_entity_load_avg(hand_k(&w->h, 0), &w->task[t].se);
		w->impl->first(hand_k(&w->h, w->task[t].cpu), &w->task[t].se, true);
	}
}

static void world_free(struct world *w)
{
	free(w->h.arena.base);
	free(w->h.topo.cpu);
	free(w->h.topo.node);
	free(w->h.topo.distance);
}

/* The weight of SE by the shares of its group. */
static void regroup(struct world *w, struct kctx *k, struct entity *se)
{
	struct group_weights gw;

	if (!w->impl->weights(k, se, &gw))
		return;
	if (se->on_rq)
		se->cfs_rq->load.weight -= se->load.weight;
	w->impl->reweight(k, se, gw.weight, gw.runnable_weight);
	if (se->on_rq)
		se->cfs_rq->load.weight += se->load.weight;
}

static void enqueue(struct world *w, struct task *p)
{
	struct kctx *k = hand_k(&w->h, p->cpu);

	w->impl->est_in(k, &group_of(w, 0)->cfs_rq[p->cpu], p);
	for (struct entity *se = &p->se; se; se = se->parent) {
		w->impl->update(k, se, UPDATE_TG | (se->on_rq ? 0 : DO_ATTACH));
		w->impl->snapshot(k, se);
		regroup(w, k, se);
		if (!se->on_rq) {
			w->impl->runnable_in(k, se);
			se->cfs_rq->load.weight += se->load.weight;
			se->cfs_rq->nr_running++;
			se->on_rq = true;
			w->impl->list(se->cfs_rq);
		} else if (!se->cfs_rq->on_leaf_list) {
			w->impl->list(se->cfs_rq);
		}
		se->cfs_rq->h_nr_running++;
	}
}

static void unpick(struct world *w, struct task *p)
{
	struct kctx *k = hand_k(&w->h, p->cpu);

	for (struct entity *se = &p->se; se; se = se->parent) {
		w->impl->update(k, se, 0);
		se->cfs_rq->curr = NULL;
	}
	set_rq_curr(w->h.m, hand_rq(&w->h, p->cpu), hand_rq(&w->h, p->cpu)->idle);
	update_idle_rq_clock_pelt(k, hand_rq(&w->h, p->cpu));
}

static void dequeue(struct world *w, struct task *p, bool sleeps)
{
	struct kctx *k = hand_k(&w->h, p->cpu);
	bool gone = true;

	if (p->se.cfs_rq->curr == &p->se)
		unpick(w, p);
	if (p->se.sched_delayed) {
		p->se.sched_delayed = false;
		for (struct entity *se = &p->se; se; se = se->parent)
			se->cfs_rq->h_nr_delayed--;
	}
	w->impl->est_out(k, &group_of(w, 0)->cfs_rq[p->cpu], p);
	for (struct entity *se = &p->se; se; se = se->parent) {
		bool leaves = later(k) && se == &p->se && !sleeps;

		w->impl->update(k, se, UPDATE_TG | (leaves ? DO_DETACH : 0));
		w->impl->snapshot(k, se);
		if (gone) {
			w->impl->runnable_out(k, se);
			se->on_rq = false;
			se->cfs_rq->load.weight -= se->load.weight;
			se->cfs_rq->nr_running--;
			gone = !se->cfs_rq->nr_running;
		}
		regroup(w, k, se);
		se->cfs_rq->h_nr_running--;
	}
	if (sleeps)
		w->impl->est_update(k, &group_of(w, 0)->cfs_rq[p->cpu], p);
}

static void pick(struct world *w, struct task *p)
{
	struct kctx *k = hand_k(&w->h, p->cpu);
	struct rq *rq = hand_rq(&w->h, p->cpu);

	for (uint32_t t = 0; t < NTASKS; t++)
		if (rq->curr == &w->task[t])
			unpick(w, &w->task[t]);
	for (struct entity *se = &p->se; se; se = se->parent) {
		w->impl->update(k, se, UPDATE_TG);
		se->cfs_rq->curr = se;
	}
	set_rq_curr(w->h.m, rq, p);
}

static void tick(struct world *w, struct task *p)
{
	struct kctx *k = hand_k(&w->h, p->cpu);

	for (struct entity *se = &p->se; se; se = se->parent) {
		w->impl->update(k, se, UPDATE_TG);
		regroup(w, k, se);
	}
}

static void throttle(struct world *w, uint32_t g, uint32_t cpu)
{
	struct cfs_rq *q = &group_of(w, g)->cfs_rq[cpu];

	if (q->pelt.throttle_count)
		cfs_rq_clock_go(hand_k(&w->h, cpu), q);
	else
		cfs_rq_clock_stop(hand_k(&w->h, cpu), q);
}

/* One step of the story; what it is was drawn by the caller. */
struct step {
	uint32_t what, task, group, cpu;
	uint64_t pass_ns[NCPUS], weight;
	bool sync;
};

static void migrate(struct world *w, struct task *p, const struct step *s)
{
	if (!p->se.on_rq) {
		w->impl->migrate(hand_k(&w->h, s->cpu), &p->se);
		put_in(w, p, w->group[s->task], s->cpu);
		return;
	}
	dequeue(w, p, false);
	if (!later(hand_k(&w->h, 0)))
		w->impl->detach_up(hand_k(&w->h, p->cpu), &p->se);
	p->se.avg.last_update_time_ns = 0;
	put_in(w, p, w->group[s->task], s->cpu);
	enqueue(w, p);
}

static void change_group(struct world *w, struct task *p, const struct step *s)
{
	bool queued = p->se.on_rq;
	struct kctx *k = hand_k(&w->h, p->cpu);

	if (queued)
		dequeue(w, p, true);
	w->impl->detach_up(k, &p->se);
	p->se.avg.last_update_time_ns = 0;
	put_in(w, p, s->group, p->cpu);
	w->impl->attach_up(k, &p->se);
	if (queued)
		enqueue(w, p);
}

static void live(struct world *w, const struct step *s)
{
	struct task *p = &w->task[s->task];
	struct kctx *k;

	for (uint32_t cpu = 0; cpu < NCPUS; cpu++)
		if (s->sync || cpu == p->cpu || cpu == s->cpu)
			pelt_clock(&w->h, cpu, hand_k(&w->h, cpu)->now_ns + s->pass_ns[cpu]);
	k = hand_k(&w->h, p->cpu);
	switch (s->what) {
	case 0:
	case 1:
	case 2:
		if (p->se.on_rq)
			dequeue(w, p, true);
		else
			enqueue(w, p);
		break;
	case 3:
	case 4:
		if (p->se.on_rq && p->se.cfs_rq->curr != &p->se)
			pick(w, p);
		break;
	case 5:
		if (p->se.on_rq)
			tick(w, p);
		break;
	case 6:
	case 7:
		if (s->cpu != p->cpu)
			migrate(w, p, s);
		break;
	case 8:
		if (!p->se.avg.last_update_time_ns)
			break; /* never queued */
		w->impl->update(k, &p->se, 0);
		if (p->se.on_rq)
			p->se.cfs_rq->load.weight += s->weight - p->se.load.weight;
		w->impl->reweight(k, &p->se, s->weight, s->weight);
		break;
	case 9:
		w->impl->h_load(k, p->se.cfs_rq);
		break;
	case 10:
		w->impl->blocked(k, hand_rq(&w->h, s->cpu));
		break;
	case 11:
		if (s->group)
			throttle(w, s->group, s->cpu);
		break;
	case 12:
		change_group(w, p, s);
		break;
	default:
		if (!p->se.on_rq || p->se.sched_delayed || w->h.v.util_est != &util_est_single)
			break;
		p->se.sched_delayed = true;
		for (struct entity *se = &p->se; se; se = se->parent)
			se->cfs_rq->h_nr_delayed++;
		break;
	}
}

static struct step draw(struct rng *r)
{
	static const uint64_t longest_ns[] = {0,       1024,     100000,    1100000,      5000000,
					      5000000, 40000000, 400000000, 3600000000000};
	struct step s = {0};

	s.what = (uint32_t)rng_below(r, 14);
	s.task = (uint32_t)rng_below(r, NTASKS);
	s.group = (uint32_t)rng_below(r, NGROUPS);
	s.cpu = (uint32_t)rng_below(r, NCPUS);
	s.sync = rng_below(r, 2);
	for (uint32_t i = 0; i < NCPUS; i++)
		s.pass_ns[i] = rng_below(
			r, 1 + longest_ns[rng_below(r, sizeof(longest_ns) / sizeof(uint64_t))]);
	s.weight = rng_below(r, 4) ? rng_between(r, 3, 88761) << 10 : rng_between(r, 1, 4000);
	return s;
}

/* ---- comparing --------------------------------------------------------------------------------- */

static bool same_avg(const struct sched_avg *a, const struct sched_avg *b)
{
	return a->last_update_time_ns == b->last_update_time_ns && a->load_sum == b->load_sum &&
	       a->runnable_sum == b->runnable_sum && a->util_sum == b->util_sum &&
	       a->period_contrib == b->period_contrib && a->load_avg == b->load_avg &&
	       a->runnable_avg == b->runnable_avg && a->util_avg == b->util_avg &&
	       a->util_est.enqueued == b->util_est.enqueued && a->util_est.ewma == b->util_est.ewma;
}

static bool same_entity(const struct entity *a, const struct entity *b)
{
	return same_avg(&a->avg, &b->avg) && a->load.weight == b->load.weight &&
	       a->runnable_weight == b->runnable_weight;
}

static bool same_queue(const struct cfs_rq *a, const struct cfs_rq *b)
{
	const struct cfs_rq_pelt *x = &a->pelt, *y = &b->pelt;

	return same_avg(&a->avg, &b->avg) && a->load.weight == b->load.weight &&
	       a->h_load == b->h_load && a->on_leaf_list == b->on_leaf_list &&
	       x->runnable_weight == y->runnable_weight &&
	       x->tg_load_avg_contrib == y->tg_load_avg_contrib &&
	       x->tg_load_avg_since_ns == y->tg_load_avg_since_ns &&
	       x->removed.nr == y->removed.nr && x->removed.load_avg == y->removed.load_avg &&
	       x->removed.util_avg == y->removed.util_avg &&
	       x->removed.runnable == y->removed.runnable &&
	       x->prop_runnable_sum == y->prop_runnable_sum && x->propagate == y->propagate;
}

static bool same(struct world *a, struct world *b)
{
	for (uint32_t t = 0; t < NTASKS; t++)
		if (!same_entity(&a->task[t].se, &b->task[t].se))
			return false;
	for (uint32_t g = 0; g < NGROUPS; g++) {
		if (group_of(a, g)->load_avg != group_of(b, g)->load_avg)
			return false;
		for (uint32_t cpu = 0; cpu < NCPUS; cpu++) {
			if (!same_queue(&group_of(a, g)->cfs_rq[cpu], &group_of(b, g)->cfs_rq[cpu]))
				return false;
			if (g && !same_entity(&group_of(a, g)->se[cpu], &group_of(b, g)->se[cpu]))
				return false;
		}
	}
	return true;
}

/* ---- laws ---------------------------------------------------------------------------------------- */

/* What an entity can reach, and what a group's load is the sum of. */
static void check_laws(struct world *w)
{
	for (uint32_t t = 0; t < NTASKS; t++) {
		const struct entity *se = &w->task[t].se;

		assert_true(se->avg.period_contrib < 1024);
		assert_true(se->avg.load_sum <= LOAD_AVG_MAX);
		assert_true(se->avg.util_sum <= LOAD_AVG_MAX << 10);
		assert_true(se->avg.util_avg <= 1024);
	}
	for (uint32_t g = 0; g < NGROUPS; g++) {
		int64_t sum = 0;

		for (uint32_t cpu = 0; cpu < NCPUS; cpu++) {
			const struct cfs_rq *q = &group_of(w, g)->cfs_rq[cpu];

			sum += (int64_t)q->pelt.tg_load_avg_contrib;
			assert_true(q->avg.period_contrib < 1024);
		}
		assert_int_equal(group_of(w, g)->load_avg, sum);
	}
}

static void one_story(const char *kernel, uint64_t seed)
{
	struct world *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	struct rng r = rng_stream(seed, "pelt", 0);

	assert_true(a && b);
	world_init(a, kernel, &module);
	world_init(b, kernel, &reference);
	for (int i = 0; i < NSTEPS; i++) {
		struct step s = draw(&r);

		note_order(a, s.cpu, b);
		live(a, &s);
		live(b, &s);
		check_laws(a);
		if (same(a, b))
			continue;
		fail_msg("kernel %s, step %d of kind %u: RUNQLAB_SEED=%" PRIu64
			 " build/release/test/reference/pelt_test",
			 kernel, i, s.what, seed);
	}
	world_free(a);
	world_free(b);
	free(a);
	free(b);
}

static void try_seed(uint64_t seed)
{
	for (int v = 0; v < NPELT_KERNELS; v++)
		one_story(pelt_kernel_names[v], seed);
}

static void test_stories_end_alike(void **state)
{
	property_run(20, try_seed);
}

/* A single average, all gaps, all weights. */
static void test_one_average_ages_alike(void **state)
{
	struct rng r = rng_stream(1, "pelt-step", 0);
	struct sched_avg a = {0}, b = {0};
	uint64_t now = 0;

	for (int i = 0; i < 50000; i++) {
		uint64_t load = rng_below(&r, 3) ? rng_below(&r, UINT64_C(1) << rng_below(&r, 30)) :
						   rng_below(&r, 2);
		struct pelt_state s = {load, rng_below(&r, 5000), rng_below(&r, 2)};
		uint64_t gap = rng_next(&r) >> rng_between(&r, 20, 64 - 1);
		uint64_t old_ns = a.last_update_time_ns;

		now = rng_below(&r, 100) ? now + gap : now - gap % 100000 % (now + 1);
		assert_int_equal(update_load_sum(&a, now, &s),
				 ref_step(now, &b, s.load, s.runnable, s.running));
		update_averages(&a, 3, 5);
		ref_average(&b, 3, 5);
		assert_true(same_avg(&a, &b));
		assert_true(a.last_update_time_ns <= now);
		assert_true(a.last_update_time_ns >= old_ns || a.last_update_time_ns == now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_average_ages_alike),
		cmocka_unit_test(test_stories_end_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
