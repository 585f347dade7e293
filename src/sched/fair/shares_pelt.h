/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares of groups by load averages: see shares_pelt.c. The rq's lock is held. */
#ifndef RUNQLAB_SCHED_FAIR_SHARES_PELT_H
#define RUNQLAB_SCHED_FAIR_SHARES_PELT_H

#include "model/machine.h"

struct share_ops;

/* From 4.3 on, as of 5.4: shares follow load averages. */
extern const struct share_ops share_ops_pelt;

/* SE, if it is a group's, gets the weight it should have now. Linux: update_cfs_group(). */
void update_cfs_group(struct kctx *k, struct entity *se);

/* P, of the fair class, gets LOAD; averages of its queue follow. Linux: reweight_task(). */
void reweight_task_pelt(struct kctx *k, struct task *p, const struct load_weight *load);

#endif
