/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed between 5.5 and 6.1 outside of balancing and placing: deltas of kernels from 5.4 on. */
#ifndef RUNQLAB_KVER_MODERN_61_H
#define RUNQLAB_KVER_MODERN_61_H

#include "model/kver.h"

void kver_nice_asks_class(struct kver *v);
void kver_weight_min_2(struct kver *v);
void kver_runnable_avg(struct kver *v);
void kver_sched_idle_balances(struct kver *v);
void kver_pelt_exact_sums(struct kver *v);
void kver_idle_switches(struct kver *v);
void kver_alt_period(struct kver *v);
void kver_util_est_high_flag(struct kver *v);
void kver_leaf_keeps_parent(struct kver *v);
void kver_buddies_till_set(struct kver *v);
void kver_idle_groups(struct kver *v);
void kver_idle_slices(struct kver *v);
void kver_pelt_sum_floor(struct kver *v);
void kver_throttle_by_pelt(struct kver *v);
void kver_pelt_lag(struct kver *v);
void kver_attach_in_queue_ops(struct kver *v);
void kver_wake_list_fifo(struct kver *v);
void kver_wake_list_switching(struct kver *v);
void kver_wake_list_idle(struct kver *v);
void kver_avg_idle_aged(struct kver *v);
void kver_throttle_retry(struct kver *v);
void kver_leaf_of_throttled(struct kver *v);
void kver_cfs_burst(struct kver *v);
void kver_any_distributes(struct kver *v);
void kver_cpupri_higher(struct kver *v);
void kver_switch_ages(struct kver *v);
void kver_dl_limits(struct kver *v);
void kver_pelt_idle_always(struct kver *v);
void kver_push_rechecks(struct kver *v);
void kver_no_rt_share(struct kver *v);
void kver_no_rt_push_ipi(struct kver *v);

#endif
