/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the fair class schedules: a task, or a group's share of one CPU.
 *
 * An entity sits in the timeline of its cfs_rq, except while it runs: then it
 * is the cfs_rq's `curr`, not in the tree but still counted.
 * All fields are guarded by the lock of the rq the cfs_rq belongs to.
 */
#ifndef RUNQLAB_MODEL_ENTITY_H
#define RUNQLAB_MODEL_ENTITY_H

#include "base/list.h"
#include "base/rbtree.h"
#include "model/bandwidth.h"
#include "model/pelt.h"

#include <stdbool.h>
#include <stdint.h>

struct rq;
struct task_group;

struct load_weight {
	uint64_t weight; /* 1024 = nice 0 */
	uint64_t inv;    /* 2^32 / weight as the kernel rounds it; 0: computed on demand */
};

struct entity {
	struct rb_node node;
	uint64_t vruntime_vns; /* relative to min_vruntime while it migrates */
	uint64_t deadline_vns; /* EEVDF: virtual deadline; relative to vruntime if rel_deadline */
	struct load_weight load;
	struct entity *parent; /* the group entity above, NULL in the root group */
	struct cfs_rq *cfs_rq; /* where it queues */
	struct cfs_rq *my_q;   /* what a group entity owns; NULL: a task */
	uint64_t exec_start_ns;
	uint64_t sum_exec_ns;
	uint64_t prev_sum_exec_ns; /* sum_exec_ns when it was last picked */
	bool on_rq;                /* counted in cfs_rq (in the tree, or curr) */
	bool sched_delayed;        /* it sleeps but stays queued until its lag is gone (6.12) */
	bool rel_deadline;         /* EEVDF: off its queue with the rest of its request */
	bool custom_slice;         /* EEVDF: slice_ns was asked for */

	/* EEVDF */
	uint64_t slice_ns; /* a request's length */
	/* Off the queue: V - vruntime it left with. Current: the deadline it began with, protected. */
	int64_t vlag_vns;
	uint64_t least_vruntime_vns, least_slice_ns; /* of its subtree, itself included */

	/* Of a group, kernels with PELT: tasks queued below when last taken down; 5.4, 5.5: weight. */
	uint64_t runnable_weight;
	struct sched_avg avg;
};

struct cfs_rq {
	struct load_weight load;    /* sum over its entities; inv as any */
	uint32_t nr_running;        /* entities, curr included */
	uint32_t h_nr_running;      /* tasks below it */
	uint32_t idle_h_nr_running; /* ... of SCHED_IDLE, or of idle groups below */
	uint32_t idle_nr_running;   /* entities that are idle, see sched/fair/idle_entity.h */
	uint32_t h_nr_delayed;      /* ... that are kept although they sleep (6.12) */
	uint64_t min_vruntime_vns;  /* EEVDF: what keys are measured from, near the mean */
	int64_t avg_vruntime;       /* EEVDF: sum of weight x key over the tree */
	int64_t avg_load;           /* ... of the weights */
	struct rb_tree timeline;    /* by vruntime; EEVDF: by deadline */
	struct entity *curr;        /* running */
	struct entity *next, *last, *skip; /* buddies: meant to run, preempted last, yielding */

	struct rq *rq;
	struct task_group *tg;

	struct list tasks;    /* tasks that may be moved, newest first */
	uint64_t task_weight; /* sum of the weights on that list */

	/* what the group is worth here, classic shares (2.6.3x) */
	uint64_t h_load;    /* load as seen from the root, when last computed */
	uint64_t shares;    /* part of tg->shares given to this CPU; 0 if nothing runs */
	uint64_t rq_weight; /* load when shares was computed; 0 if nothing ran */

	/* per-entity shares (2.6.38 to 3.7): an average of the load over some 10 ms */
	uint64_t load_avg; /* sum of load x time over load_period_ns */
	uint64_t load_period_ns;
	uint64_t load_stamp_ns;      /* last update */
	uint64_t load_last_ns;       /* last time there was load */
	uint64_t load_unacc_exec_ns; /* run time since the last update */
	uint64_t load_contribution;  /* what of tg->load_weight comes from here */
	struct list leaf_node;       /* in rq.leaf_cfs_rqs, children before parents */
	bool on_leaf_list;

	/* kernels with PELT */
	struct sched_avg avg;
	struct cfs_rq_pelt pelt;
	struct cfs_rq_bandwidth bw; /* kernels with CFS_BANDWIDTH */
};

static inline bool entity_is_task(const struct entity *se)
{
	return !se->my_q;
}

#endif
