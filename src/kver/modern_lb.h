/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed after 5.5 in domains, balancing and placing: deltas of kernels from 5.4 on. */
#ifndef RUNQLAB_KVER_MODERN_LB_H
#define RUNQLAB_KVER_MODERN_LB_H

#include "model/kver.h"

void kver_asym_wake_scan(struct kver *v);
void kver_sched_idle_first(struct kver *v);
void kver_idlest_full_stats(struct kver *v);
void kver_lb_runnable_types(struct kver *v);
void kver_lb_spare_ties(struct kver *v);
void kver_lb_queue_filter(struct kver *v);
void kver_idlest_least_util(struct kver *v);
void kver_tighter_domains(struct kver *v);
void kver_lb_busy_interval(struct kver *v);
void kver_lb_shift_bound(struct kver *v);
void kver_lb_smt_not_hot(struct kver *v);
void kver_lb_no_wrap(struct kver *v);
void kver_lb_spread_llc(struct kver *v);
void kver_wake_prev_idle(struct kver *v);
void kver_sis_one_walk(struct kver *v);
void kver_sis_scan_next(struct kver *v);
void kver_nohz_newilb(struct kver *v);
void kver_lb_active_by_task(struct kver *v);
void kver_lb_skip_kthreads(struct kver *v);
void kver_lb_capacity_margin(struct kver *v);
void kver_nohz_next(struct kver *v);
void kver_cluster_level(struct kver *v);
void kver_lb_asym_smt(struct kver *v);
void kver_recent_used_prev(struct kver *v);
void kver_newidle_cost_gate(struct kver *v);
void kver_newidle_cost_decay(struct kver *v);
void kver_lb_numa_imbalance(struct kver *v);
void kver_idlest_allowed(struct kver *v);
void kver_lb_reduced_misfit(struct kver *v);
void kver_lb_newidle_empty(struct kver *v);
void kver_sis_util(struct kver *v);
void kver_lb_no_wrap_average(struct kver *v);
void kver_affine_count(struct kver *v);
void kver_lb_balance_mask(struct kver *v);
void kver_lb_hot_at_detach(struct kver *v);
void kver_newidle_random(struct kver *v);
void kver_nohz_stop_after_tick(struct kver *v);
void kver_lb_asym_idle_core(struct kver *v);
void kver_lb_util_boost(struct kver *v);
void kver_pkg_level(struct kver *v);
void kver_lb_smt_balance(struct kver *v);
void kver_lb_sibling_cores(struct kver *v);
void kver_lb_core_first(struct kver *v);
void kver_sis_clusters(struct kver *v);
void kver_newidle_continue(struct kver *v);
void kver_lb_misfit_quiet(struct kver *v);

#endif
