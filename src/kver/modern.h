/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The base of kernels from 5.4 on, and what its deltas change. */
#ifndef RUNQLAB_KVER_MODERN_H
#define RUNQLAB_KVER_MODERN_H

#include "kver/kver.h"

void kver_base_54(struct kver *v);

void kver_lb_asym_mark(struct kver *v);
void kver_lb_sum_h_nr(struct kver *v);
void kver_lb_no_small_fix(struct kver *v);
void kver_lb_group_types(struct kver *v);
void kver_lb_all_classes(struct kver *v);
void kver_lb_load_avg(struct kver *v);
void kver_lb_spread_cpus(struct kver *v);
void kver_lb_misfit_util(struct kver *v);
void kver_wake_load_avg(struct kver *v);
void kver_idlest_single_load(struct kver *v);
void kver_idlest_types(struct kver *v);
void kver_idlest_without_task(struct kver *v);
void kver_idlest_affinity(struct kver *v);
void kver_lb_relax_on_failure(struct kver *v);
void kver_util_est_fastup(struct kver *v);

#endif
