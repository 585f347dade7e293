/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task groups: a group's shares are spread over the CPUs where its tasks are,
 * and each CPU's part is the weight of the group's entity there.
 */
#ifndef RUNQLAB_SCHED_FAIR_GROUP_H
#define RUNQLAB_SCHED_FAIR_GROUP_H

#include "model/machine.h"

struct share_ops;

/*
 * Refresh h_load of all groups on CPU, with both rqs locked as when moving tasks.
 * Linux: sched.c update_h_load(), tg_load_down(). Behaviour of STALE_H_LOAD: nothing happens
 * while no group but the root exists, so the root's h_load keeps its last value (0 from boot).
 */
void update_h_load(struct kctx *k, uint32_t cpu);

/* Give SE (a group's entity, its rq locked) a new weight. Linux: __set_se_shares(). */
void set_se_shares(struct kctx *k, struct entity *se, uint64_t shares);

/*
 * Next group after TG in the kernel's walk order, parents before children and
 * children newest first; NULL at the end. Start with the root.
 */
struct task_group *tg_next_preorder(struct task_group *tg);

/* First and next group in the order children before parents. */
struct task_group *tg_first_postorder(struct task_group *root);
struct task_group *tg_next_postorder(struct task_group *tg);

/* Shares distributed over a domain at balancing time; up to 2.6.37. */
extern const struct share_ops share_ops_domain;

#endif
