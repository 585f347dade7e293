/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking for an idle CPU of the target's cache: the target, where the task was, where it
 * was before; a core all of whose threads idle, if there may be one; then CPU after
 * CPU, as many as the CPU's idle time can pay for given what a scan has cost; then a
 * thread of the target's core.
 *
 * The scan measures itself. What it costs decides how far the next one goes.
 *
 * Linux: kernel/sched/fair.c select_idle_sibling(), select_idle_core(), select_idle_cpu(),
 * select_idle_smt(), sched_idle_cpu(), __update_idle_core(); 5.4, 5.5.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/idle_find.h"
#include "sched/select/select_pelt.h"

#define AVG_IDLE_PART 512u /* of the idle time, before a scan is worth it */
#define SCAN_AT_LEAST 4u

bool sched_idle_cpu(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);

	return rq->nr_running && rq->nr_running == rq->cfs->idle_h_nr_running;
}

static bool idle_enough(const struct kctx *k, uint32_t cpu)
{
	return idle_cpu(k, cpu) || sched_idle_cpu(k, cpu);
}

static bool shares_llc(const struct kctx *k, uint32_t a, uint32_t b)
{
	return rq_of_cpu(k->m, a)->top.sd_llc_id == rq_of_cpu(k->m, b)->top.sd_llc_id;
}

/* The CPU of SPAN after CPU on a round that began at START; MASK_NONE: the round is over. */
static uint32_t next_wrapped(const struct mask *span, uint32_t cpu, uint32_t start, bool *wrapped)
{
	uint32_t next = mask_next(span, cpu + 1);

	if (next == MASK_NONE && !*wrapped) {
		*wrapped = true;
		next = mask_first(span);
	}
	return *wrapped && (next == MASK_NONE || next >= start) ? MASK_NONE : next;
}

/* Does every thread of CPU's core idle? */
static bool core_is_idle(struct kctx *k, uint32_t cpu, uint32_t *looked_at)
{
	const struct mask *threads = smt_span(k, cpu);
	bool idle = true;
	uint32_t i;

	if (!threads) {
		++*looked_at;
		return idle_cpu(k, cpu);
	}
	mask_for_each(i, threads) {
		++*looked_at;
		idle = idle && idle_cpu(k, i);
	}
	return idle;
}

void update_idle_core(struct kctx *k, struct rq *rq)
{
	struct sched_domain_shared *llc = rq->top.sd_llc_shared;
	const struct mask *threads = smt_span(k, rq->cpu);
	uint32_t i, looked_at = 0;
	bool idle = true;

	if (!k->m->smt_active || !llc || llc->has_idle_cores)
		return;
	peek(k);
	if (threads)
		mask_for_each(i, threads) {
			if (i == rq->cpu)
				continue;
			looked_at++;
			if (!idle_cpu(k, i)) {
				idle = false;
				break;
			}
		}
	charge(k, WORK_SELECT_SCAN, looked_at);
	if (idle)
		llc->has_idle_cores = true;
}

/* First allowed thread, in wrapped order, of a core that idles. Linux: select_idle_core(). */
static uint32_t select_idle_core(struct kctx *k, const struct task *p,
				 const struct sched_domain *sd, uint32_t target)
{
	struct sched_domain_shared *llc = rq_of_cpu(k->m, target)->top.sd_llc_shared;
	struct mask *left = k->cpu->select_mask;
	uint32_t cpu = target, looked_at = 0;
	bool wrapped = false;

	if (!k->m->smt_active || !llc->has_idle_cores)
		return CPU_NONE;
	mask_and(left, sd->span, p->allowed);
	if (!mask_test(left, cpu))
		cpu = next_wrapped(left, cpu, target, &wrapped);
	while (cpu != MASK_NONE) {
		if (core_is_idle(k, cpu, &looked_at)) {
			charge(k, WORK_SELECT_SCAN, looked_at);
			return cpu;
		}
		if (smt_span(k, cpu))
			mask_andnot(left, left, smt_span(k, cpu));
		else
			mask_clear(left, cpu);
		cpu = next_wrapped(left, cpu, target, &wrapped);
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	llc->has_idle_cores = false;
	return CPU_NONE;
}

/* How many CPUs a scan may look at, plus one. */
static uint32_t scan_depth(const struct kctx *k, const struct sched_domain *sd,
			   const struct sched_domain *this_sd)
{
	uint64_t avg_idle = k->cpu->rq.avg_idle_ns / AVG_IDLE_PART;
	uint64_t avg_cost = this_sd->avg_scan_cost_ns + 1;
	uint64_t span_avg = sd->span_weight * avg_idle;

	if (!feat(k, FEAT_SIS_PROP))
		return UINT32_MAX;
	return span_avg > SCAN_AT_LEAST * avg_cost ? (uint32_t)(span_avg / avg_cost) :
						     SCAN_AT_LEAST;
}

/* Linux: select_idle_cpu(). */
static uint32_t select_idle_cpu(struct kctx *k, const struct task *p, const struct sched_domain *sd,
				uint32_t target)
{
	struct sched_domain *this_sd = k->cpu->rq.top.sd_llc;
	struct idle_walk walk = {.span = sd->span, .allowed = p->allowed, .start = target};
	uint64_t start_ns = k->now_ns;
	struct idle_found found;

	if (!this_sd)
		return CPU_NONE;
	if (feat(k, FEAT_SIS_AVG_CPU) &&
	    k->cpu->rq.avg_idle_ns / AVG_IDLE_PART < this_sd->avg_scan_cost_ns + 1)
		return CPU_NONE;
	walk.steps = scan_depth(k, sd, this_sd) - 1;
	found = idle_find(k, &walk);
	charge(k, WORK_SELECT_SCAN, found.looked_at);
	if (found.cut)
		return found.sched_idle;
	this_sd->avg_scan_cost_ns +=
		(uint64_t)((int64_t)(k->now_ns - start_ns - this_sd->avg_scan_cost_ns) / 8);
	return found.cpu;
}

/* Linux: select_idle_smt(). */
static uint32_t select_idle_smt(struct kctx *k, const struct task *p, uint32_t target)
{
	const struct mask *threads = smt_span(k, target);
	uint32_t cpu, looked_at = 0, sched_idle = CPU_NONE;

	/* the target itself does not idle */
	if (!k->m->smt_active || !threads)
		return CPU_NONE;
	mask_for_each_and(cpu, threads, p->allowed) {
		looked_at++;
		if (idle_cpu(k, cpu))
			break;
		if (sched_idle == CPU_NONE && sched_idle_cpu(k, cpu))
			sched_idle = cpu;
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	return cpu == MASK_NONE ? sched_idle : cpu;
}

uint32_t select_idle_sibling_scan(struct kctx *k, struct task *p, uint32_t prev, uint32_t target)
{
	uint32_t recent = p->recent_used_cpu, cpu;
	const struct sched_domain *sd;

	peek(k);
	if (idle_enough(k, target))
		return target;
	if (prev != target && shares_llc(k, prev, target) && idle_enough(k, prev))
		return prev;
	if (recent != CPU_NONE && recent != prev && recent != target &&
	    shares_llc(k, recent, target) && idle_enough(k, recent) &&
	    mask_test(p->allowed, recent)) {
		p->recent_used_cpu = prev;
		return recent;
	}
	sd = rq_of_cpu(k->m, target)->top.sd_llc;
	if (!sd)
		return target;
	cpu = select_idle_core(k, p, sd, target);
	if (cpu == CPU_NONE)
		cpu = select_idle_cpu(k, p, sd, target);
	if (cpu == CPU_NONE)
		cpu = select_idle_smt(k, p, target);
	return cpu == CPU_NONE ? target : cpu;
}
