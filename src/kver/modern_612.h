/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed between 6.1 and 6.12 outside of balancing and placing, and what 6.12's stable tree
 * took over later: deltas of kernels from 5.4 on.
 */
#ifndef RUNQLAB_KVER_MODERN_612_H
#define RUNQLAB_KVER_MODERN_612_H

#include "model/kver.h"

void kver_async_unthrottle(struct kver *v);
void kver_quota_phase(struct kver *v);
void kver_wake_queued_quiet(struct kver *v);
void kver_wake_list_not_stop(struct kver *v);
void kver_eevdf(struct kver *v);
void kver_run_to_parity(struct kver *v);
void kver_tg_load_ratelimit(struct kver *v);
void kver_shares_if_loaded(struct kver *v);
void kver_leaf_keeps_contrib(struct kver *v);
void kver_util_est_single(struct kver *v);
void kver_init_util_scaled(struct kver *v);
void kver_place_rel_deadline(struct kver *v);
void kver_pick_before_put(struct kver *v);
void kver_delay_dequeue(struct kver *v);
void kver_preempt_short(struct kver *v);
void kver_group_min_slice(struct kver *v);
void kver_schedstat_16(struct kver *v);
void kver_fair_server(struct kver *v);
void kver_no_rt_throttle(struct kver *v);

void kver_base_slice_700us(struct kver *v);
void kver_pick_buddy(struct kver *v);
void kver_yield_to_deadline(struct kver *v);
void kver_server_stays(struct kver *v);

#endif
