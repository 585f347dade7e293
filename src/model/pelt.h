/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What per-entity load tracking keeps (kernels from 5.4 on): geometric averages
 * of how much an object weighed, waited and ran. sched/pelt/ computes them;
 * kernels without PELT leave all of it zero.
 *
 * Time is the PELT clock of the object's cfs_rq or rq (sched/pelt/clock.h). A
 * period is 1024 units of 1024 ns; 32 periods ago counts half.
 * Guards: the lock of the rq the object belongs to, unless said otherwise.
 */
#ifndef RUNQLAB_MODEL_PELT_H
#define RUNQLAB_MODEL_PELT_H

#include "model/kver.h"

#include <stdbool.h>
#include <stdint.h>

struct entity;
struct list;

#define CAPACITY_SHIFT 10
#define CAPACITY_SCALE 1024u

/* Internal weights have this many bits more than nice weights. */
#define WEIGHT_SHIFT 10

/* What PELT computes with: a weight in nice units (1024 = nice 0). Linux: scale_load_down(). */
static inline uint64_t scale_load_down(const struct kver *v, uint64_t weight)
{
	uint64_t down = weight >> WEIGHT_SHIFT;

	if (down >= 2 || !weight)
		return down;
	return kver_has(v, FEAT_WEIGHT_MIN_2) ? 2 : down;
}

/*
 * How much a task uses between two sleeps, remembered over the sleep. 1024 = a big CPU.
 * In the root cfs_rq's average `enqueued` is the sum over the queued tasks.
 */
struct util_est {
	uint32_t enqueued; /* when it last went to sleep, with a flag bit (sched/pelt/util_est.h) */
	uint32_t ewma;     /* moving average of that; 0 where one number is kept */
};

struct sched_avg {
	uint64_t last_update_time_ns; /* steps of 1024; 0: not part of its cfs_rq's average */
	uint64_t load_sum;       /* an entity's counts 1 for being queued, a queue's its load */
	uint64_t runnable_sum;   /* 5.4, 5.5: runnable_load_sum, as load_sum but when queued */
	uint32_t util_sum;       /* 1024 x time spent running */
	uint32_t period_contrib; /* 0..1023, units since the last period boundary */
	uint64_t load_avg;       /* 1024 = nice 0 */
	uint64_t runnable_avg;   /* 1024 = one runnable task; 5.4, 5.5: runnable_load_avg */
	uint64_t util_avg;       /* 1024 = a big CPU */
	struct util_est util_est;
};

/* Averages of tasks that left a queue without its lock. Folded in at its next update. */
struct pelt_removed {
	uint32_t nr;
	uint64_t load_avg, util_avg;
	uint64_t runnable; /* runnable_avg; 5.4, 5.5: load_sum */
};

/* What a cfs_rq keeps beside its sched_avg. */
struct cfs_rq_pelt {
	uint64_t runnable_weight;      /* 5.4, 5.5: sum over queued entities, 10 more bits */
	uint64_t tg_load_avg_contrib;  /* what of tg->load_avg comes from here */
	uint64_t tg_load_avg_since_ns; /* sched clock of the last report; 0: none yet */
	struct pelt_removed removed;
	int64_t prop_runnable_sum; /* load_sum that came (left) below, not yet told above */
	bool propagate;            /* ... or anything else of the kind */

	uint64_t h_load_at;          /* 1 + the jiffy in which h_load was computed; 0: never */
	struct entity *h_load_next;  /* the way back down while h_load is computed */
	uint32_t throttle_count;     /* throttled queues from here to the root: the clock stands */
	uint64_t throttled_clock_ns; /* when it stopped */
	uint64_t throttled_time_ns;  /* for how long it stood, stops that are over */
};

struct rq_pelt {
	uint64_t clock_task_ns;     /* rq clock without interrupts and stolen time */
	uint64_t clock_pelt_ns;     /* ... slowed to the work really done */
	uint64_t lost_idle_time_ns; /* what clock_pelt jumped ahead after a CPU without idle time */
	uint64_t clock_idle_ns;     /* rq clock and PELT clock when the idle CPU last looked */
	uint64_t clock_pelt_idle_ns;
	uint32_t freq_scale_cap; /* its frequency, 1024 = the highest */
	struct sched_avg avg_rt, avg_dl, avg_irq;
	struct list *tmp_alone_branch; /* where a new branch of the leaf list grows; NULL: nowhere */
};

#endif
