/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A task's load as the root sees it, for the balancer. The rq's lock is held. */
#ifndef RUNQLAB_SCHED_PELT_H_LOAD_H
#define RUNQLAB_SCHED_PELT_H_LOAD_H

#include "model/machine.h"

/*
 * Refresh q->h_load, at most once per jiffy and queue; so within a jiffy what Q holds may be
 * old. Linux: fair.c update_cfs_rq_h_load(), 5.4 to 6.12.
 */
void update_cfs_rq_h_load(struct kctx *k, struct cfs_rq *q);

/*
 * P's load_avg in units of the root's queue. Rounds down: without groups it is usually one less
 * than P's load_avg. Linux: fair.c task_h_load(), 5.4 to 6.12.
 */
uint64_t task_h_load(struct kctx *k, const struct task *p);

#endif
