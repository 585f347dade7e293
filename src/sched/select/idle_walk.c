/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The search for an idle CPU in one walk, from 5.12 on. If a core of the cache may be wholly
 * idle the walk goes core by core, takes the first that is, and remembers the first thread on the
 * way that would do; else CPU by CPU. Before, if there is no such core, a thread of the task's
 * old core is asked.
 *
 * How far it goes: with SIS_UTIL (6.0) as far as the cache's utilization allows, which balancing
 * computes from time to time (lb_stats.c), and nowhere at all if that says 0; cores are then looked
 * at without a limit. With SIS_PROP as far as this CPU's idle time, aged by the
 * jiffies since it was measured, pays for.
 *
 * In 6.12 the CPUs of the target's cluster come first (SIS_CLUSTERS).
 *
 * Linux: kernel/sched/fair.c select_idle_cpu(), select_idle_core(), select_idle_smt(); 6.1, 6.12.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/idle_find.h"
#include "sched/select/select_pelt.h"

#define SCAN_AT_LEAST 4u
#define AVG_IDLE_PART 512u /* of the idle time, before a scan is worth it; without AVG_IDLE_AGED */

struct walk {
	const struct task *p;
	uint32_t target, start;
	struct mask *left;  /* CPUs not yet looked at */
	uint32_t steps;     /* CPUs that may still be looked at */
	uint32_t candidate; /* a thread that would do, met on the way; or CPU_NONE */
	uint32_t looked_at;
	bool cut; /* no step was left */
};

/* Another thread of PREV's core, if it is in TARGET's cache. Linux: select_idle_smt(). */
static uint32_t select_idle_smt(struct kctx *k, const struct task *p, uint32_t prev)
{
	const struct mask *threads = smt_span(k, prev);
	uint32_t cpu, looked_at = 0;

	if (!threads)
		return CPU_NONE;
	mask_for_each_and(cpu, threads, p->allowed) {
		if (cpu == prev)
			continue;
		looked_at++;
		if (idle_cpu(k, cpu) || sched_idle_cpu(k, cpu))
			break;
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	return cpu == MASK_NONE ? CPU_NONE : cpu;
}

/* Is CPU's core wholly idle? If not it is not looked at again. Linux: select_idle_core(). */
static bool core_is_idle(struct kctx *k, struct walk *w, uint32_t cpu)
{
	const struct mask *threads = smt_span(k, cpu);
	bool idle = true;
	uint32_t i;

	if (!threads) {
		w->looked_at++;
		if (w->candidate == CPU_NONE && sched_idle_cpu(k, cpu))
			w->candidate = cpu;
		return idle_cpu(k, cpu);
	}
	mask_for_each(i, threads) {
		bool would_do = w->candidate == CPU_NONE && mask_test(w->p->allowed, i);

		w->looked_at++;
		if (idle_cpu(k, i)) {
			if (would_do)
				w->candidate = i;
			continue;
		}
		idle = false;
		if (would_do && sched_idle_cpu(k, i))
			w->candidate = i;
		if (w->candidate != CPU_NONE)
			break;
	}
	if (!idle)
		mask_andnot(w->left, w->left, threads);
	return idle;
}

/* Cores of what is left of SPAN. */
static uint32_t walk_cores(struct kctx *k, struct walk *w, const struct mask *span)
{
	bool wrapped;
	uint32_t cpu;

	mask_for_each_wrap(cpu, span, w->start, wrapped)
		if (mask_test(w->left, cpu) && core_is_idle(k, w, cpu))
			return cpu;
	return CPU_NONE;
}

/* CPUs of what is left of SPAN. */
static uint32_t walk_cpus(struct kctx *k, struct walk *w, const struct mask *span)
{
	struct mask *here = k->cpu->select_mask2;
	struct idle_walk walk = {.span = here,
				 .allowed = here,
				 .start = w->start < k->m->ncpus ? w->start : 0,
				 .steps = w->steps,
				 .either = true};
	struct idle_found found;

	mask_and(here, w->left, span);
	found = idle_find(k, &walk);
	w->looked_at += found.looked_at;
	w->steps -= min_u32(w->steps, found.looked_at);
	w->cut = found.cut;
	return found.cpu;
}

static uint32_t walk_over(struct kctx *k, struct walk *w, const struct mask *span, bool cores)
{
	return cores ? walk_cores(k, w, span) : walk_cpus(k, w, span);
}

/* The idle time this CPU may hope for: halved for each jiffy since it was measured. */
static uint64_t aged_idle_ns(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	uint64_t now = jiffies(k);

	if (!feat(k, FEAT_AVG_IDLE_AGED))
		return rq->avg_idle_ns / AVG_IDLE_PART;
	/* bound: 64, then nothing is left */
	while (rq->wake_stamp < now && rq->wake_avg_idle_ns) {
		rq->wake_stamp++;
		rq->wake_avg_idle_ns >>= 1;
	}
	return rq->wake_avg_idle_ns;
}

/* CPUs a walk may look at, and one more, as SIS_PROP says. */
static uint32_t depth_by_time(struct kctx *k, uint32_t weight, const struct sched_domain *this_sd)
{
	uint64_t cost = this_sd->avg_scan_cost_ns + 1, span_avg = weight * aged_idle_ns(k);

	return span_avg > SCAN_AT_LEAST * cost ? (uint32_t)min_u64(span_avg / cost, UINT32_MAX) :
						 SCAN_AT_LEAST;
}

/* The walk took from START_NS to now. */
static void measure(struct kctx *k, struct sched_domain *this_sd, uint64_t start_ns)
{
	uint64_t took_ns = k->now_ns - start_ns;
	struct rq *rq = &k->cpu->rq;

	rq->wake_avg_idle_ns -= min_u64(rq->wake_avg_idle_ns, took_ns);
	this_sd->avg_scan_cost_ns += (uint64_t)((int64_t)(took_ns - this_sd->avg_scan_cost_ns) / 8);
}

/* TARGET's cluster, if it is less than the cache. */
static const struct mask *cluster_of(const struct kctx *k, const struct sched_domain *sd)
{
	bool has = k->m->cluster_active && feat(k, FEAT_SIS_CLUSTERS) &&
		   (sd->groups->flags & SD_CLUSTER);

	return has ? sd->groups->cpus : NULL;
}

/* Linux: select_idle_cpu(). */
static uint32_t select_idle_cpu(struct kctx *k, struct walk *w, const struct sched_domain *sd,
				bool cores)
{
	const struct mask *cluster = cluster_of(k, sd);
	uint32_t cpu = CPU_NONE;

	if (cluster) {
		cpu = walk_over(k, w, cluster, cores);
		mask_andnot(w->left, w->left, cluster);
	}
	if (cpu == CPU_NONE && !w->cut)
		cpu = walk_over(k, w, sd->span, cores);
	charge(k, WORK_SELECT_SCAN, w->looked_at);
	return cpu;
}

uint32_t select_idle_walk(struct kctx *k, const struct task *p, uint32_t prev, uint32_t target)
{
	const struct top_domains *top = &rq_of_cpu(k->m, target)->top;
	struct walk w = {.p = p,
			 .target = target,
			 .start = target + feat(k, FEAT_SIS_SCAN_NEXT),
			 .left = k->cpu->select_mask,
			 .steps = UINT32_MAX,
			 .candidate = CPU_NONE};
	struct sched_domain *this_sd = k->cpu->rq.top.sd_llc;
	uint64_t start_ns = k->now_ns;
	bool cores, by_time;
	uint32_t cpu;

	if (!top->sd_llc)
		return CPU_NONE;
	cores = k->m->smt_active && top->sd_llc_shared->has_idle_cores;
	if (k->m->smt_active && !cores && top->sd_llc_id == rq_of_cpu(k->m, prev)->top.sd_llc_id) {
		cpu = select_idle_smt(k, p, prev);
		if (cpu != CPU_NONE)
			return cpu;
	}
	start_ns = k->now_ns;
	by_time = feat(k, FEAT_SIS_PROP) && !cores;
	if (by_time && !this_sd)
		return CPU_NONE;
	if (by_time)
		w.steps = depth_by_time(k, top->sd_llc->span_weight, this_sd) - 1;
	if (feat(k, FEAT_SIS_UTIL))
		w.steps = top->sd_llc_shared->nr_idle_scan;
	if (!w.steps)
		return CPU_NONE;
	mask_and(w.left, top->sd_llc->span, p->allowed);
	cpu = select_idle_cpu(k, &w, top->sd_llc, cores);
	if (cpu != CPU_NONE && cores)
		return cpu;
	if (cores)
		top->sd_llc_shared->has_idle_cores = false;
	if (by_time && !w.cut)
		measure(k, this_sd, start_ns);
	return cores ? w.candidate : cpu;
}
