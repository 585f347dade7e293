/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the deadline class keeps: per task, per run queue, and for the machine
 * (one root domain). Deadlines are points of the rq clock; a bandwidth is a part
 * of one CPU in 2^20ths.
 *
 * Linux: struct sched_dl_entity, struct dl_rq, struct dl_bw,
 * kernel/sched/cpudeadline.h struct cpudl; 3.14 to 5.4.
 */
#ifndef RUNQLAB_MODEL_DL_H
#define RUNQLAB_MODEL_DL_H

#include "base/mask.h"
#include "base/rbtree.h"

#include <stdbool.h>
#include <stdint.h>

struct task;

#define DL_BW_SHIFT 20
#define DL_BW_UNIT (UINT64_C(1) << DL_BW_SHIFT)

struct dl_entity {
	struct rb_node node;     /* in dl_rq.tree while queued */
	struct rb_node pushable; /* in dl_rq.pushable while is_pushable */
	struct task *task;       /* NULL: the fair server of a CPU */

	/* what was asked for */
	uint64_t dl_runtime_ns, dl_deadline_ns, dl_period_ns;
	uint64_t dl_bw;      /* runtime / period */
	uint64_t dl_density; /* runtime / deadline */
	uint32_t flags;      /* DL_RECLAIM */

	/* the instance under way; [rq] */
	int64_t runtime_ns;   /* left; negative: overrun */
	uint64_t deadline_ns; /* absolute */

	uint64_t admitted_bw; /* its part of dl_bw.total_bw */
	bool fresh;           /* has no instance yet */
	bool throttled;       /* waits for its next period: on its rq but not queued */
	bool yielded;         /* gave up the rest of its runtime */
	bool queued;          /* in the tree */
	bool is_pushable;
	bool replenish_armed; /* its replenishment timer is set */

	/* the fair server, whose task is NULL */
	bool server_active; /* its run time counts; it waits for its timer or is queued */
	bool defer_armed;   /* it waits for the point where it must run to have its runtime */
	bool defer_running; /* that point was reached: until it idles it is queued at once */

	/* GRUB: which sums of its rq its bandwidth is part of */
	bool in_this_bw, in_running_bw;
	bool non_contending; /* sleeps, still in running_bw until its zero-lag time */
	bool inactive_armed; /* the timer of that time is set */
};

struct dl_rq {
	struct rb_tree tree;     /* queued tasks by deadline, the running one included */
	struct rb_tree pushable; /* queued, not running, more than one CPU allowed */
	uint32_t nr_running;     /* in the tree */
	uint32_t nr_migratory;   /* ... that may run on more than one CPU */
	bool overloaded;         /* in root_domain.dlo_mask */
	uint64_t earliest_ns;    /* deadline of the first in the tree; 0: empty */
	/* of the one after it, as last computed; 0: none that may be pushed. A hint for others. */
	uint64_t next_ns;

	struct dl_entity server; /* gives fair tasks their part; kernels with FAIR_SERVER */

	uint64_t this_bw;    /* GRUB: bandwidth of all tasks of this rq, asleep or not */
	uint64_t running_bw; /* ... of those that are active, or non-contending */
};

struct cpudl_item {
	uint64_t deadline_ns;
	uint32_t cpu;
};

#define CPUDL_NONE UINT32_MAX

/* Earliest deadline of each CPU, the latest of them on top. Read without a lock. */
struct cpudl {
	struct cpudl_item *heap; /* [size], each not earlier than its children */
	uint32_t size;
	uint32_t *place;   /* [cpu] index into heap[]; CPUDL_NONE: no deadline task there */
	struct mask *free; /* CPUs without deadline tasks */
};

#define DL_BW_UNLIMITED UINT64_MAX
#define DL_BW_RATIO_SHIFT 8

/* Admission: what deadline tasks were promised of the root domain. */
struct dl_bw {
	uint64_t bw; /* of each CPU at most; DL_BW_UNLIMITED: no admission test */
	uint64_t total_bw;
	uint64_t extra_bw; /* GRUB: what of each CPU nobody was promised */
	uint64_t ratio;    /* GRUB: 1 / bw, in 256ths */
};

#endif
