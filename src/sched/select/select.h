/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a task wakes, starts or execs. The entry is a version's select_ops;
 * the rest are its parts.
 */
#ifndef RUNQLAB_SCHED_SELECT_SELECT_H
#define RUNQLAB_SCHED_SELECT_SELECT_H

#include "base/fixed.h"
#include "sched/class.h"

/* Load of CPU as a source of tasks: the lesser of now and decayed. Linux: source_load(). */
static inline uint64_t source_load(const struct kctx *k, uint32_t cpu, uint32_t idx)
{
	const struct rq *rq = &k->m->cpus[cpu].rq;

	if (idx == 0 || !feat(k, FEAT_LB_BIAS))
		return rq->load.weight;
	return min_u64(rq->cpu_load[idx - 1], rq->load.weight);
}

/* ... as a target: the greater. Linux: target_load(). */
static inline uint64_t target_load(const struct kctx *k, uint32_t cpu, uint32_t idx)
{
	const struct rq *rq = &k->m->cpus[cpu].rq;

	if (idx == 0 || !feat(k, FEAT_LB_BIAS))
		return rq->load.weight;
	return max_u64(rq->cpu_load[idx - 1], rq->load.weight);
}

/* rq->load / nr_running; 0 on an empty rq. Linux: cpu_avg_load_per_task(). */
uint64_t cpu_avg_load_per_task(const struct kctx *k, uint32_t cpu);

/* Computing power of CPU, 1024 = full. Linux: power_of(). */
uint64_t power_of(const struct kctx *k, uint32_t cpu);

/* Is CPU running its idle task, with nothing on its way there? Linux: idle_cpu(). */
static inline bool idle_cpu(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = &k->m->cpus[cpu].rq;

	if (rq->curr != rq->idle)
		return false;
	return !feat(k, FEAT_IDLE_NEEDS_EMPTY) || (!rq->nr_running && !rq->wake_list);
}

/*
 * May P be pulled to this CPU rather than stay near its previous one?
 * Linux: wake_affine().
 */
bool wake_affine(struct kctx *k, struct sched_domain *sd, struct task *p, bool sync);

/*
 * Go down from SD (a domain of CPU) to the idlest group and CPU of each level.
 * Linux: the loop at the end of select_task_rq_fair(), find_idlest_group(), find_idlest_cpu().
 */
uint32_t find_idlest(struct kctx *k, struct task *p, struct sched_domain *sd, uint32_t cpu,
		     uint32_t sd_flag);

/* 2.6.34: an idle LLC neighbour found on the walk replaces the waking CPU as affine target. */
extern const struct select_ops select_ops_idle_in_walk;
/* From 2.6.35 on: affine decision first, then an idle CPU near the target. */
extern const struct select_ops select_ops_affine_then_idle;

/* From 3.3 on: affine decision first, then a group of the LLC whose CPUs are all idle. */
extern const struct select_ops select_ops_idle_group;

#endif
