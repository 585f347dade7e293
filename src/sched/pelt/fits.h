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

/* What P (NULL: nobody fair) running on RQ means for balancing. Linux: update_misfit_status(). */
static inline void update_misfit_status(struct kctx *k, struct rq *rq, const struct task *p)
{
	if (!k->m->asym_cpucapacity)
		return;
	rq->misfit_task_load = 0;
	if (p && !task_fits_capacity(k, p, rq->cpu_capacity))
		rq->misfit_task_load = task_h_load(k, p);
}

#endif
