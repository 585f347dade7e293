/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a group is worth on one CPU, computed from the load averages: the group's
 * shares times its load here over its load everywhere. tg->shares has the 10 more
 * bits of all internal weights here. The rq's lock is held.
 */
#ifndef RUNQLAB_SCHED_PELT_SHARES_H
#define RUNQLAB_SCHED_PELT_SHARES_H

#include "model/machine.h"

struct group_weights {
	uint64_t weight;          /* of the group's entity */
	uint64_t runnable_weight; /* 5.4, 5.5: of what of it is queued; later 0 */
};

/*
 * The weight of the entity of G, a group's queue: 2 to tg->shares. What runs here counts as
 * it is now, what runs elsewhere as last reported. Linux: fair.c calc_group_shares().
 */
uint64_t calc_group_shares(const struct kctx *k, const struct cfs_rq *g);

/* 5.4, 5.5: which part of SHARES is queued; 2 to SHARES. Linux: fair.c calc_group_runnable(). */
uint64_t calc_group_runnable(const struct kctx *k, const struct cfs_rq *g, uint64_t shares);

/*
 * Is SE to be given new weights, and which? Not a task, not one with a throttled queue, and, by
 * SHARES_IF_LOADED, not one with an empty queue or the same weight. Before that switch an equal
 * weight is set again, which a queued entity may notice. Linux: fair.c update_cfs_group().
 */
bool cfs_group_weights(const struct kctx *k, const struct entity *se, struct group_weights *w);

/* The class's way to change a weight; around reweight_entity_load_avg(). */
typedef void (*reweight_fn)(struct kctx *k, struct entity *se, const struct group_weights *w);

/*
 * From SE up to the root: averages, then weights. For a group whose shares were written.
 * Linux: fair.c sched_group_set_shares(), the walk on one CPU.
 */
void update_cfs_groups_up(struct kctx *k, struct entity *se, reweight_fn reweight);

#endif
