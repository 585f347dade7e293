/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queues of a CPU that still have load, and their ageing while nothing runs
 * there. A queue joins the leaf list with its first entity and leaves it when its
 * averages have gone. The rq's lock is held.
 */
#ifndef RUNQLAB_SCHED_PELT_BLOCKED_H
#define RUNQLAB_SCHED_PELT_BLOCKED_H

#include "model/machine.h"

/*
 * Q joins its rq's leaf list in front of its parent's queue. Add a branch from the bottom up and
 * without a gap, up to a queue that was already listed or the root's; true: that is reached.
 * Linux: fair.c list_add_leaf_cfs_rq(), 4.20 on.
 */
bool list_add_leaf_cfs_rq(struct cfs_rq *q);

/* Linux: fair.c list_del_leaf_cfs_rq(). Nothing if Q is not listed. */
void list_del_leaf_cfs_rq(struct cfs_rq *q);

/* Has Q nothing left that ages, and no child's queue that does? Linux: cfs_rq_is_decayed(). */
bool cfs_rq_is_decayed(const struct kctx *k, const struct cfs_rq *q);

/*
 * Bring all listed queues of RQ up to date, children first, report loads to the groups and
 * take off the list what has decayed. The clock has been updated. True: something is left that
 * will decay. Classes other than fair are the caller's business.
 * Linux: fair.c update_blocked_averages(), __update_blocked_fair(); 5.4 to 6.12.
 */
bool update_blocked_fair(struct kctx *k, struct rq *rq);

#endif
