/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares by entity: each cfs_rq of a group reports its average load to the
 * group, and its entity's weight is its part of the sum. 2.6.38 to 3.7.
 */
#ifndef RUNQLAB_SCHED_FAIR_SHARES_ENTITY_H
#define RUNQLAB_SCHED_FAIR_SHARES_ENTITY_H

#include "model/machine.h"

struct share_ops;

extern const struct share_ops share_ops_entity;

#endif
