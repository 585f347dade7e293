/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exact rule would divide by the sum of the group's loads on all CPUs at this
 * moment. tg->load_avg is that sum as the CPUs last reported it; this CPU's report
 * is replaced by what it is now. "Now" is the greater of weight and average: a
 * group that just woke up has weight but no average yet, one that just slept an
 * average but no weight.
 *
 * A product of shares (below 2^28) and load (below 2^35) fits 64 bits.
 * Linux: kernel/sched/fair.c, 5.4 to 6.12.
 */
#include "sched/pelt/shares.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/pelt.h"

/* In raw units: without the extra bits this is 0, or 2 where WEIGHT_MIN_2 is. */
#define SHARES_LEAST 2

static int64_t clamp_s64(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : min_s64(x, high);
}

uint64_t calc_group_shares(const struct kctx *k, const struct cfs_rq *g)
{
	int64_t most = (int64_t)g->tg->shares;
	int64_t load = (int64_t)max_u64(scale_load_down(k->v, g->load.weight), g->avg.load_avg);
	int64_t everywhere = wrap_add_s64(
		delta_s64((uint64_t)g->tg->load_avg, g->pelt.tg_load_avg_contrib), load);
	int64_t shares = wrap_mul_s64(most, load);

	CHECK(g->tg->parent);
	if (everywhere)
		shares /= everywhere;
	return (uint64_t)clamp_s64(shares, SHARES_LEAST, most);
}

uint64_t calc_group_runnable(const struct kctx *k, const struct cfs_rq *g, uint64_t shares)
{
	uint64_t load = max_u64(g->avg.load_avg, scale_load_down(k->v, g->load.weight));
	uint64_t runnable =
		max_u64(g->avg.runnable_avg, scale_load_down(k->v, g->pelt.runnable_weight)) *
		shares;

	if (load)
		runnable /= load;
	return (uint64_t)clamp_s64((int64_t)runnable, SHARES_LEAST, (int64_t)shares);
}

bool cfs_group_weights(const struct kctx *k, const struct entity *se, struct group_weights *w)
{
	const struct cfs_rq *g = se->my_q;
	bool lazy = feat(k, FEAT_SHARES_IF_LOADED);

	if (!g || g->pelt.throttle_count || (lazy && !g->load.weight))
		return false;
	w->weight = calc_group_shares(k, g);
	w->runnable_weight = feat(k, FEAT_RUNNABLE_COUNT) ? 0 :
							    calc_group_runnable(k, g, w->weight);
	return !lazy || w->weight != se->load.weight;
}

void update_cfs_groups_up(struct kctx *k, struct entity *se, reweight_fn reweight)
{
	struct group_weights w;

	for (; se; se = se->parent) {
		update_load_avg(k, se, UPDATE_TG);
		if (cfs_group_weights(k, se, &w))
			reweight(k, se, &w);
	}
}
