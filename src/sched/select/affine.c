/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The affine question: the waking task's data may be warm on this CPU, so
 * pull the wakee here unless that makes this CPU too busy compared with the
 * one it slept on. Loads are unsigned: a negative sum is a huge one, as in
 * the kernel up to 2.6.37; later ones compute with signed loads.
 *
 * Linux: sched_fair.c wake_affine(), 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/select.h"

/* Loads of both sides as the decision changes them. */
struct affine_loads {
	uint64_t this, prev;
};

static int64_t eff_load(struct kctx *k, const struct task_group *tg, uint32_t cpu, int64_t wl,
			int64_t wg)
{
	return k->v->share->effective_load(k, tg, cpu, wl, wg);
}

/* Loads as the version compares them: a negative one is huge, or negative. */
static bool less_or_equal(const struct kctx *k, uint64_t a, uint64_t b)
{
	if (feat(k, FEAT_SIGNED_AFFINE))
		return (int64_t)a <= (int64_t)b;
	return a <= b;
}

/* Would both CPUs be about equally loaded with P here? */
static bool affine_is_balanced(struct kctx *k, const struct sched_domain *sd, const struct task *p,
			       uint32_t prev_cpu, const struct affine_loads *load)
{
	int64_t w = (int64_t)p->se.load.weight;
	uint64_t this_eff, prev_eff;

	if (feat(k, FEAT_SIGNED_AFFINE) ? (int64_t)load->this <= 0 : !load->this)
		return true;
	this_eff = load->this + (uint64_t)eff_load(k, p->tg, k->cpu->id, w, w);
	prev_eff = load->prev + (uint64_t)eff_load(k, p->tg, prev_cpu, 0, w);
	this_eff *= 100;
	prev_eff *= 100 + (sd->imbalance_pct - 100) / 2;
	if (feat(k, FEAT_AFFINE_POWER)) {
		this_eff *= power_of(k, prev_cpu);
		prev_eff *= power_of(k, k->cpu->id);
	}
	return less_or_equal(k, this_eff, prev_eff);
}

/* Does the sync hint hold, given how much both tasks usually overlap? */
static bool sync_holds(const struct kctx *k, const struct task *p, bool sync)
{
	uint64_t cost = k->m->tun.migration_cost_ns;
	const struct task *curr = k->cpu->rq.curr;

	if (feat(k, FEAT_SYNC_LESS) && sync &&
	    (curr->avg_overlap_ns > cost || p->avg_overlap_ns > cost))
		return false;
	if (feat(k, FEAT_SYNC_MORE) && !sync && curr->avg_overlap_ns < cost &&
	    p->avg_overlap_ns < cost)
		return true;
	return sync;
}

bool wake_affine(struct kctx *k, struct sched_domain *sd, struct task *p, bool sync)
{
	uint32_t this_cpu = k->cpu->id;
	uint32_t prev_cpu = p->cpu;
	uint64_t per_task;
	struct affine_loads load;
	bool balanced;

	load.prev = source_load(k, prev_cpu, sd->wake_idx);
	load.this = target_load(k, this_cpu, sd->wake_idx);
	sync = sync_holds(k, p, sync);
	if (sync) {
		const struct task *curr = k->cpu->rq.curr;
		int64_t w = (int64_t)curr->se.load.weight;

		load.this += (uint64_t)eff_load(k, curr->tg, this_cpu, -w, -w);
		load.prev += (uint64_t)eff_load(k, curr->tg, prev_cpu, 0, -w);
	}
	balanced = affine_is_balanced(k, sd, p, prev_cpu, &load);
	if (sync && balanced)
		return true;

	per_task = cpu_avg_load_per_task(k, this_cpu);
	if (balanced || (less_or_equal(k, load.this, load.prev) &&
			 load.this + target_load(k, prev_cpu, sd->wake_idx) <= per_task)) {
		sd->stats.ttwu_move_affine++;
		return true;
	}
	return false;
}
