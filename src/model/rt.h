/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the real-time class keeps: per task, per run queue, and for the machine
 * (one root domain). Priorities are the kernel's: 0 is the highest, 99 the
 * lowest, 100 stands for no real-time task; a user's rt_priority p is 99 - p.
 *
 * Linux: struct sched_rt_entity, struct rt_rq, struct root_domain,
 * kernel/sched/cpupri.h struct cpupri; 3.3 to 4.0.
 */
#ifndef RUNQLAB_MODEL_RT_H
#define RUNQLAB_MODEL_RT_H

#include "base/list.h"
#include "base/mask.h"
#include "model/dl.h"
#include "model/klock.h"

#include <stdbool.h>
#include <stdint.h>

#define MAX_RT_PRIO 100u   /* lowest real-time priority + 1 */
#define DEFAULT_PRIO 120u  /* nice 0 */
#define DL_PRIO UINT32_MAX /* of a deadline task: -1, above all */

/* Does priority A go before B? DL_PRIO before all. */
static inline bool prio_before(uint32_t a, uint32_t b)
{
	return (int32_t)a < (int32_t)b;
}

/*
 * Levels of cpupri, ascending in importance: 0 idle (unused in this era), 1 not real-time, 2..101;
 * above them a deadline task, from 5.11 on.
 */
#define CPUPRI_LEVELS 103u
#define CPUPRI_HIGHER 102u
#define CPUPRI_WORDS 2u

/* Lists of tasks by priority, first come first served within one. */
struct rt_prio_array {
	uint64_t bits[2]; /* bit per priority that has tasks */
	struct list queue[MAX_RT_PRIO];
};

struct rt_entity {
	struct list run_list;      /* in rt_rq.active while queued */
	struct list pushable_node; /* in rt_rq.pushable; empty: not on it */
	uint32_t time_slice;       /* [ticks] left, SCHED_RR */
};

/* Counters of the push and pull paths of one CPU. */
struct rt_stats {
	uint64_t enqueued;         /* times a real-time task was queued here */
	uint64_t push_locks;       /* target locks taken by pushing */
	uint64_t push_lock_failed; /* ... without a task moving there */
	uint64_t push_relocks;     /* own lock taken again on the way */
	uint64_t push_searches;    /* for targets, by pushing */
	uint64_t push_given_up;    /* pushes that found a target and lost it to others */
	uint64_t pushes, pulls;    /* tasks moved */
	uint64_t pull_locks;       /* source locks taken by pulling */
	uint64_t push_requests;    /* that others push, instead of pulling; RT_PUSH_IPI */
	uint64_t push_works;       /* works of theirs that arrived here */
};

struct rt_rq {
	struct rt_prio_array active;
	struct rt_prio_array pushable; /* queued, not running, more than one CPU allowed */
	uint32_t npushable;
	uint32_t nr_running;
	uint32_t nr_migratory; /* tasks that may run on more than one CPU, the running one included */
	uint32_t highest_curr; /* best priority queued or running; MAX_RT_PRIO: none */
	uint32_t highest_next; /* best pushable one */
	bool overloaded;       /* in root_domain.rto_mask */

	/* bandwidth */
	uint64_t time_ns;    /* used, not yet paid back by the period timer */
	uint64_t runtime_ns; /* this CPU's part, borrowed time included; UINT64_MAX: unlimited */
	bool throttled;
	bool queued; /* its tasks are counted in rq.nr_running */

	bool push_due; /* the work of RT_PUSH_IPI was sent here */

	struct rt_stats stats;
};

/* Which CPUs have what as their highest priority. Read without a lock. */
struct cpupri {
	uint64_t populated[CPUPRI_WORDS]; /* bit per level with CPUs */
	uint32_t count[CPUPRI_LEVELS];
	struct mask *mask[CPUPRI_LEVELS];
	uint8_t *level_of; /* [cpu] */
};

/*
 * Numbers of kernel timers: the first ones are the machine's, then come those of tasks, then
 * those of groups (model/machine.h).
 */
enum kernel_timer {
	KTIMER_RT_PERIOD,
	KTIMER_TASKS, /* from here on two for each task: see the two functions below */
};

/* Task ID gets runtime for its next period; reaches its zero-lag time. Kernels with SCHED_DEADLINE. */
static inline uint32_t ktimer_replenish(uint32_t id)
{
	return KTIMER_TASKS + 2 * (id - 1);
}

static inline uint32_t ktimer_inactive(uint32_t id)
{
	return KTIMER_TASKS + 2 * (id - 1) + 1;
}

struct root_domain {
	bool overload; /* a CPU has more than one task, or one that does not fit; from 5.4 on */
	uint64_t max_cpu_capacity; /* [ro] the greatest cpu_capacity_orig; from 5.4 on */
	struct cpupri cpupri;
	struct mask *rto_mask; /* CPUs with real-time tasks to give away */
	uint32_t rto_count;
	/* RT_PUSH_IPI: one work goes round the CPUs of rto_mask, see sched/rt/push_ipi.c */
	struct klock rto_lock;
	bool rto_starting;      /* a CPU is about to send the work off; the others leave it to it */
	uint32_t rto_cpu;       /* [rto_lock] where the work is; CPU_NONE: it is not under way */
	uint32_t rto_loop;      /* [rto_lock] requests up to which it has gone round */
	uint32_t rto_loop_next; /* requests so far */
	struct mask *lowest;    /* scratch of find_lowest_rq(), of no meaning between two calls */
	bool rt_period_active;  /* the period timer is armed */
	uint64_t rt_period_expires_ns; /* its last or next expiry */

	/* kernels with SCHED_DEADLINE; else NULL and 0 */
	struct cpudl cpudl;
	struct dl_bw dl_bw;
	struct mask *dlo_mask; /* CPUs with deadline tasks to give away */
	uint32_t dlo_count;
	struct mask *later; /* scratch of find_later_rq() */
};

#endif
