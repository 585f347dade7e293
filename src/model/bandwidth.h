/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CFS bandwidth control: what a group with a quota keeps, for all CPUs and for each of its
 * queues. sched/fair/bandwidth.c does what there is to do.
 *
 * Linux: struct cfs_bandwidth, and of struct cfs_rq what CONFIG_CFS_BANDWIDTH adds; 5.4, 5.5, 6.1.
 */
#ifndef RUNQLAB_MODEL_BANDWIDTH_H
#define RUNQLAB_MODEL_BANDWIDTH_H

#include "base/list.h"

#include <stdbool.h>
#include <stdint.h>

/* A quota that is none. Linux: RUNTIME_INF. */
#define QUOTA_NONE UINT64_MAX

/* What may be asked for. The upper end of a quota is 2^44 us in later kernels; here it is ns. */
#define CFS_PERIOD_NS_MIN UINT64_C(1000000)
#define CFS_PERIOD_NS_MAX UINT64_C(1000000000)
#define CFS_PERIOD_NS_DEFAULT UINT64_C(100000000)
#define CFS_QUOTA_NS_MIN UINT64_C(1000000)
#define CFS_QUOTA_NS_MAX (UINT64_C(1) << 44)

/* Of a group. Its lock is free: what it guards changes at once. */
struct cfs_bandwidth {
	uint64_t quota_ns;  /* of CPU time in a period, all CPUs together; QUOTA_NONE: any */
	uint64_t period_ns; /* the kernel may double both: see sched_cfs_period_timer() */
	uint64_t burst_ns; /* what the pool may have beside a quota, of earlier periods; at most the quota */
	uint64_t runtime_ns; /* the pool: what no CPU has taken yet, what CPUs gave back included */
	uint64_t ratio;     /* quota over period, 2^20 = one CPU; the least of it and those above */
	bool idle;          /* nobody took from the pool since the last refill */
	bool period_active; /* the period timer is armed, or being served */
	bool period_running;   /* ... being served */
	bool slack_started;    /* the slack timer is armed */
	bool distributing;     /* somebody is handing runtime to throttled queues */
	uint64_t expires_ns;   /* last or next expiry of the period timer, on the CPUs' clock */
	struct list throttled; /* of cfs_rq.bw.throttled_node, in the order of serving */
	uint64_t nr_periods;   /* that began while the timer ran */
	uint64_t nr_throttled; /* ... with a throttled queue at their beginning */
	uint64_t runtime_at_refill_ns; /* the pool when it was last refilled */
	uint64_t nr_burst;             /* periods that used more than the quota */
	uint64_t burst_time_ns;        /* ... by so much */
	uint64_t throttled_time_ns;    /* sum over the queues, of pauses that are over */
};

/* Of a queue. */
struct cfs_rq_bandwidth {
	int64_t remaining_ns;        /* may still run; negative: ran too long */
	uint64_t throttled_clock_ns; /* rq clock when it was throttled */
	bool enabled;                /* its group has a quota */
	bool throttled; /* its entity is off the parent's queue until there is runtime */
	struct list throttled_node; /* in cfs_bandwidth.throttled */
	struct list csd_node; /* in rq.cfsb_csd: it has runtime, its CPU is to unthrottle it */
};

#endif
