/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does a task find room on a CPU? A fifth is kept free. */
#ifndef RUNQLAB_SCHED_PELT_FITS_H
#define RUNQLAB_SCHED_PELT_FITS_H

#include "sched/pelt/h_load.h"
#include "sched/pelt/util_est.h"

/* Linux: fits_capacity(). */
static inline bool fits_capacity(uint64_t util, uint64_t capacity)
{
	return util * 1280 < capacity * 1024;
}

/* Linux: task_fits_capacity(), 5.4. */
static inline bool task_fits_capacity(const struct kctx *k, const struct task *p, uint64_t capacity)
{
	return fits_capacity(task_util_est(k, p), capacity);
}

/* No CPU that P may use has more capacity than RQ's. Linux: task_struct.max_allowed_capacity, 6.10 on. */
static inline bool has_best_allowed(const struct kctx *k, const struct rq *rq, const struct task *p)
{
	uint32_t cpu;

	mask_for_each(cpu, p->allowed)
		if (k->m->cpus[cpu].rq.cpu_capacity_orig > rq->cpu_capacity_orig)
			return false;
	return true;
}

/* What P (NULL: nobody fair) running on RQ means for balancing. Linux: update_misfit_status(). */
static inline void update_misfit_status(struct kctx *k, struct rq *rq, const struct task *p)
{
	if (!k->m->asym_cpucapacity)
		return;
	rq->misfit_task_load = 0;
	if (p && !task_fits_capacity(k, p, rq->cpu_capacity) &&
	    !(feat(k, FEAT_LB_MISFIT_QUIET) && has_best_allowed(k, rq, p)))
		rq->misfit_task_load = task_h_load(k, p);
}

#endif
