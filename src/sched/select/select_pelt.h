/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where tasks wake and start in kernels with PELT (5.4 on): the parts, and the entry. */
#ifndef RUNQLAB_SCHED_SELECT_SELECT_PELT_H
#define RUNQLAB_SCHED_SELECT_SELECT_PELT_H

#include "sched/class.h"
#include "sched/select/select.h"

/* wake_flips.c: the current task wakes P: count it. */
void record_wakee(struct kctx *k, struct task *p);
/* Should P not be pulled near the current task? */
bool wake_wide(const struct kctx *k, const struct task *p);
/*
 * Is one of the two CPUs so small that P would not fit? Asymmetric machines only; there P's
 * averages are aged to its queue's last update.
 */
bool wake_cap(struct kctx *k, struct task *p, uint32_t cpu, uint32_t prev);

/* affine_pelt.c: PREV or this CPU, around which an idle one is to be looked for. Linux: wake_affine(). */
uint32_t wake_affine_pelt(struct kctx *k, struct sched_domain *sd, struct task *p, uint32_t prev,
			  bool sync);

/* idle_scan.c: an idle CPU of TARGET's cache, or TARGET. Linux: select_idle_sibling(), 5.4 on. */
uint32_t select_idle_sibling_scan(struct kctx *k, struct task *p, uint32_t prev, uint32_t target);

/*
 * idle_walk.c: an idle CPU of TARGET's cache beside the ones that come to mind first, for P which
 * was on PREV; or CPU_NONE. Kernels with SIS_ONE_WALK.
 */
uint32_t select_idle_walk(struct kctx *k, const struct task *p, uint32_t prev, uint32_t target);

/*
 * RQ goes idle: if the other threads of its core idle, too, its cache has an idle core. [rq]
 * Linux: update_idle_core(), set_next_task_idle(); 4.9 on. Kernels with PELT only.
 */
void update_idle_core(struct kctx *k, struct rq *rq);

/* Idle, or running nothing but tasks of SCHED_IDLE. Linux: available_idle_cpu(), sched_idle_cpu(). */
bool sched_idle_cpu(const struct kctx *k, uint32_t cpu);

/*
 * idlest_pelt.c: down from SD, a domain of CPU, to the idlest group and CPU.
 * Linux: find_idlest_cpu(), 5.4.
 */
uint32_t find_idlest_pelt(struct kctx *k, struct task *p, struct sched_domain *sd, uint32_t cpu,
			  uint32_t prev, uint32_t sd_flag);

/* The threads of CPU's core that are online; NULL: it is alone. Linux: cpu_smt_mask(). */
static inline const struct mask *smt_span(const struct kctx *k, uint32_t cpu)
{
	const struct sched_domain *sd = k->m->cpus[cpu].rq.sd;

	return sd && (sd->flags & SD_SHARE_CPUPOWER) ? sd->span : NULL;
}

/* The load a CPU counts with when tasks are placed. */
static inline uint64_t wake_load(const struct kctx *k, const struct rq *rq)
{
	return feat(k, FEAT_WAKE_LOAD_AVG) ? rq->cfs->avg.load_avg : rq->cfs->avg.runnable_avg;
}

/* From 3.12 on, as 5.4 has it. */
extern const struct select_ops select_ops_scan;

#endif
