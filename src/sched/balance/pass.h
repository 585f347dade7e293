/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How kernels from 3.3 on move tasks: a pass is bounded, may pause so that the locks
 * are let go, and says by flags how it ended.
 */
#ifndef RUNQLAB_SCHED_BALANCE_PASS_H
#define RUNQLAB_SCHED_BALANCE_PASS_H

#include "sched/balance/balance.h"

/* One way of moving tasks and of going on after a pause. */
struct pass_ops {
	/* Both rqs locked: move tasks worth lb->imbalance; how many. */
	uint64_t (*move)(struct kctx *k, struct lb *lb, struct rq *busiest);
	/* Most tasks a pass may examine, and when it pauses; called once per attempt. */
	void (*start)(const struct kctx *k, struct lb *lb);
	/* ... called for each queue. Both may be NULL. */
	void (*new_queue)(const struct kctx *k, struct lb *lb, const struct rq *busiest);
	bool redo_after_break; /* search anew, forgetting what moved; else lock again and go on */
	uint32_t breaks_max;   /* this many pauses end the attempt; 0: any number */
};

/*
 * One attempt of THIS_CPU in SD by PASS. The number of tasks or load moved, 0 if
 * none, or if the attempt was aborted although some did. Linux: load_balance(), 3.3 and 3.4.
 */
int32_t load_balance_by_pass(struct kctx *k, const struct pass_ops *pass, uint32_t this_cpu,
			     struct sched_domain *sd, enum cpu_idle_type idle,
			     bool *should_balance);

#endif
