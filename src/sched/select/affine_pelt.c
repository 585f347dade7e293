/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Near the waker or near where it was? If the waking CPU idles (an interrupt woke the task)
 * or the waker is about to sleep and alone, there is the place; else loads over
 * capacities decide, biased towards staying. From 5.11 on (WAKE_PREV_IDLE) an idle CPU where
 * the task was comes before loads.
 *
 * Linux: kernel/sched/fair.c wake_affine(), wake_affine_idle(), wake_affine_weight(); 5.4, 5.5,
 * 6.1, 6.12.
 */
#include "base/fixed.h"

#include "sched/pelt/load_avg.h"
#include "sched/pelt/fits.h"
#include "sched/select/select_pelt.h"

static uint32_t affine_by_idle(struct kctx *k, uint32_t prev, bool sync)
{
	const struct rq *this_rq = &k->cpu->rq;

	if (idle_cpu(k, this_rq->cpu) &&
	    this_rq->top.sd_llc_id == rq_of_cpu(k->m, prev)->top.sd_llc_id)
		return idle_cpu(k, prev) ? prev : this_rq->cpu;
	/* tasks that are kept although they sleep do not count (6.12) */
	if (sync && this_rq->nr_running - this_rq->cfs->h_nr_delayed == 1)
		return this_rq->cpu;
	return feat(k, FEAT_WAKE_PREV_IDLE) && idle_cpu(k, prev) ? prev : CPU_NONE;
}

static uint32_t affine_by_weight(struct kctx *k, const struct sched_domain *sd,
				 const struct task *p, uint32_t prev, bool sync)
{
	struct rq *this_rq = &k->cpu->rq, *prev_rq = rq_of_cpu(k->m, prev);
	int64_t this_load = (int64_t)wake_load(k, this_rq), prev_load;
	int64_t task_load;

	if (sync) {
		int64_t current_load = (int64_t)task_h_load(k, this_rq->curr);

		if (current_load > this_load)
			return this_rq->cpu;
		this_load -= current_load;
	}
	task_load = (int64_t)task_h_load(k, p);
	this_load = wrap_add_s64(this_load, task_load);
	if (feat(k, FEAT_WA_BIAS))
		this_load = wrap_mul_s64(this_load, 100);
	this_load = wrap_mul_s64(this_load, (int64_t)prev_rq->cpu_capacity);
	prev_load = (int64_t)wake_load(k, prev_rq) - task_load;
	if (feat(k, FEAT_WA_BIAS))
		prev_load = wrap_mul_s64(prev_load, 100 + (int64_t)(sd->imbalance_pct - 100) / 2);
	prev_load = wrap_mul_s64(prev_load, (int64_t)this_rq->cpu_capacity);
	/* a tie goes to the waker that is about to leave */
	if (sync)
		prev_load++;
	return this_load < prev_load ? this_rq->cpu : CPU_NONE;
}

uint32_t wake_affine_pelt(struct kctx *k, struct sched_domain *sd, struct task *p, uint32_t prev,
			  bool sync)
{
	uint32_t target = CPU_NONE;

	peek(k);
	if (feat(k, FEAT_WA_IDLE))
		target = affine_by_idle(k, prev, sync);
	if (feat(k, FEAT_WA_WEIGHT) && target == CPU_NONE)
		target = affine_by_weight(k, sd, p, prev, sync);
	if (target == CPU_NONE)
		return prev;
	/* to stay is no move */
	if (target != k->cpu->id && feat(k, FEAT_AFFINE_COUNT))
		return prev;
	sd->stats.ttwu_move_affine++;
	return target;
}
