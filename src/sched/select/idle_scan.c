/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking for an idle CPU of the target's cache: the target, where the task was, where it
 * was before; then, up to 5.11, a core all of whose threads idle, if there may be one; then
 * CPU after CPU, as many as the CPU's idle time can pay for given what a scan has cost; then a
 * thread of the target's core. Later kernels look in one walk (idle_walk.c).
 *
 * The scan measures itself. What it costs decides how far the next one goes.
 *
 * Machines with CPUs of different capacity: from 5.7 on (ASYM_WAKE_SCAN) a place must be big
 * enough for the task, and the walk goes over all CPUs, not only those of a cache.
 * In 6.12 (SIS_CLUSTERS) where the task was is only a fallback if it is in another cluster.
 *
 * Linux: kernel/sched/fair.c select_idle_sibling(), select_idle_core(), select_idle_cpu(),
 * select_idle_smt(), select_idle_capacity(), sched_idle_cpu(), __update_idle_core(); 5.4, 5.5,
 * 6.1, 6.12.
 * Deviation: there are no kernel threads of a CPU that wake a task which is then stacked there
 * (52262ee567ad, 5.6).
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/idle_find.h"
#include "sched/select/select_pelt.h"

#include "sched/pelt/fits.h"
#include "sched/pelt/pelt.h"

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

static bool all_idle(const struct kctx *k, const struct mask *cpus)
{
	uint32_t i;

	mask_for_each(i, cpus)
		if (!idle_cpu(k, i))
			return false;
	return true;
}

/*
 * Does every thread of CPU's core idle? They all count as looked at, and leave LEFT. A thread
 * that does not run its idle task settles it, so that queues need not be asked.
 */
static bool take_idle_core(const struct kctx *k, uint32_t cpu, struct mask *left,
			   uint32_t *looked_at)
{
	const struct mask *threads = smt_span(k, cpu);
	uint64_t busy = 0;

	if (!threads) {
		++*looked_at;
		mask_clear(left, cpu);
		return idle_cpu(k, cpu);
	}
	*looked_at += rq_of_cpu(k->m, cpu)->sd->span_weight;
	for (uint32_t i = 0; i < threads->nwords; i++) {
		left->w[i] &= ~threads->w[i];
		busy |= threads->w[i] & ~k->m->idling->w[i];
	}
	return !busy && all_idle(k, threads);
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
	uint32_t cpu, looked_at = 0;
	bool wrapped;

	if (!k->m->smt_active || !llc->has_idle_cores)
		return CPU_NONE;
	mask_and(left, sd->span, p->allowed);
	mask_for_each_wrap(cpu, left, target, wrapped) {
		if (!take_idle_core(k, cpu, left, &looked_at))
			continue;
		charge(k, WORK_SELECT_SCAN, looked_at);
		return cpu;
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

/* A core, then CPU after CPU, then TARGET's core: up to 5.11. */
static uint32_t scan_thrice(struct kctx *k, const struct task *p, uint32_t target)
{
	const struct sched_domain *sd = rq_of_cpu(k->m, target)->top.sd_llc;
	uint32_t cpu;

	if (!sd)
		return CPU_NONE;
	cpu = select_idle_core(k, p, sd, target);
	if (cpu == CPU_NONE)
		cpu = select_idle_cpu(k, p, sd, target);
	return cpu == CPU_NONE ? select_idle_smt(k, p, target) : cpu;
}

/* P may be run on CPU, which is idle enough. Linux: asym_fits_cpu(). */
static bool is_free(const struct kctx *k, const struct task *p, uint32_t cpu)
{
	if (!idle_enough(k, cpu))
		return false;
	return !k->m->asym_cpucapacity || !feat(k, FEAT_ASYM_WAKE_SCAN) ||
	       task_fits_capacity(k, p, rq_of_cpu(k->m, cpu)->cpu_capacity);
}

/*
 * The first idle CPU of SD on which P fits, or the idle one with the most capacity.
 * Linux: select_idle_capacity(), 5.7 on.
 */
static uint32_t select_idle_capacity(struct kctx *k, const struct task *p,
				     const struct sched_domain *sd, uint32_t target)
{
	struct mask *left = k->cpu->select_mask;
	uint32_t cpu, best = CPU_NONE, looked_at = 0;
	uint64_t best_cap = 0;
	bool wrapped;

	mask_and(left, sd->span, p->allowed);
	mask_for_each_wrap(cpu, left, target, wrapped) {
		uint64_t capacity = rq_of_cpu(k->m, cpu)->cpu_capacity;

		looked_at++;
		if (!idle_enough(k, cpu))
			continue;
		if (capacity <= best_cap && !task_fits_capacity(k, p, capacity))
			continue;
		best = cpu;
		best_cap = capacity;
		if (task_fits_capacity(k, p, capacity))
			break;
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	return best;
}

/* Where P was before, if that is a place for it; what it remembers follows. */
static uint32_t recent_place(struct kctx *k, struct task *p, uint32_t prev, uint32_t target)
{
	uint32_t recent = p->recent_used_cpu;
	bool found = recent != CPU_NONE && recent != prev && recent != target &&
		     shares_llc(k, recent, target) && is_free(k, p, recent) &&
		     mask_test(p->allowed, recent);

	if (found || feat(k, FEAT_RECENT_USED_PREV))
		p->recent_used_cpu = prev;
	return found ? recent : CPU_NONE;
}

/* Do A and B share what is nearest, a cluster where there are some? Linux: cpus_share_resources(). */
static bool shares_cluster(const struct kctx *k, uint32_t a, uint32_t b)
{
	return !k->m->cluster_active || !feat(k, FEAT_SIS_CLUSTERS) ||
	       rq_of_cpu(k->m, a)->top.sd_share_id == rq_of_cpu(k->m, b)->top.sd_share_id;
}

uint32_t select_idle_sibling_scan(struct kctx *k, struct task *p, uint32_t prev, uint32_t target)
{
	const struct sched_domain *asym = rq_of_cpu(k->m, target)->top.sd_asym_cpucapacity;
	uint32_t prev_too = CPU_NONE, recent, cpu;

	peek(k);
	if (k->m->asym_cpucapacity && feat(k, FEAT_ASYM_WAKE_SCAN))
		/* as long asleep as its queue knows */
		update_load_avg_blocked_se(k, p->se.cfs_rq->avg.last_update_time_ns, &p->se);
	if (is_free(k, p, target))
		return target;
	if (prev != target && shares_llc(k, prev, target) && is_free(k, p, prev)) {
		if (shares_cluster(k, prev, target))
			return prev;
		prev_too = prev;
	}
	recent = recent_place(k, p, prev, target);
	if (recent != CPU_NONE && shares_cluster(k, recent, target))
		return recent;
	if (asym && feat(k, FEAT_ASYM_WAKE_SCAN)) {
		cpu = select_idle_capacity(k, p, asym, target);
		return cpu == CPU_NONE ? target : cpu;
	}
	cpu = feat(k, FEAT_SIS_ONE_WALK) ? select_idle_walk(k, p, prev, target) :
					   scan_thrice(k, p, target);
	if (cpu != CPU_NONE)
		return cpu;
	/* idle, but in another cluster */
	if (prev_too != CPU_NONE)
		return prev_too;
	return recent != CPU_NONE ? recent : target;
}
