/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From 6.1 to 6.12: EEVDF in place of CFS, the delayed dequeue, what changed in load tracking. In
 * upstream order; then what 6.12's stable tree, as Debian 12 has it in its backports, took over later.
 */
#include "kver/modern_612.h"

#include "sched/core/core.h"
#include "sched/fair/eevdf.h"
#include "sched/pelt/util_est.h"

static void set(struct kver *v, enum feature f)
{
	feature_set_add(&v->features, f);
}

/* A switch of sched_features that is on. */
static void add_on(struct kver *v, enum feature f)
{
	set(v, f);
	feature_set_add(&v->known, f);
}

static void remove_feature(struct kver *v, enum feature f)
{
	feature_set_remove(&v->features, f);
	feature_set_remove(&v->known, f);
}

static void forget_tunable(struct kver *v, enum tunable_id id)
{
	v->tun_known &= ~(UINT64_C(1) << id);
}

void kver_async_unthrottle(struct kver *v)
{
	set(v, FEAT_ASYNC_UNTHROTTLE);
}

void kver_quota_phase(struct kver *v)
{
	set(v, FEAT_QUOTA_PHASE);
}

void kver_wake_queued_quiet(struct kver *v)
{
	set(v, FEAT_WAKE_QUEUED_QUIET);
}

void kver_wake_list_not_stop(struct kver *v)
{
	set(v, FEAT_WAKE_LIST_NOT_STOP);
}

void kver_eevdf(struct kver *v)
{
	v->fair = &fair_ops_eevdf;
	set(v, FEAT_LAG);
	add_on(v, FEAT_PLACE_LAG);
	add_on(v, FEAT_PLACE_DEADLINE_INITIAL);
	remove_feature(v, FEAT_GENTLE_FAIR_SLEEPERS);
	remove_feature(v, FEAT_START_DEBIT);
	remove_feature(v, FEAT_LAST_BUDDY);
	remove_feature(v, FEAT_ALT_PERIOD);
	remove_feature(v, FEAT_BASE_SLICE);
	v->tun.base_slice_ns = 750000;
	v->tun_known |= UINT64_C(1) << TUN_base_slice_ns;
	forget_tunable(v, TUN_latency_ns);
	forget_tunable(v, TUN_min_granularity_ns);
	forget_tunable(v, TUN_idle_min_granularity_ns);
	forget_tunable(v, TUN_wakeup_granularity_ns);
	forget_tunable(v, TUN_nr_latency);
	forget_tunable(v, TUN_child_runs_first);
}

void kver_run_to_parity(struct kver *v)
{
	add_on(v, FEAT_RUN_TO_PARITY);
}

void kver_tg_load_ratelimit(struct kver *v)
{
	set(v, FEAT_TG_LOAD_RATELIMIT);
}

void kver_shares_if_loaded(struct kver *v)
{
	set(v, FEAT_SHARES_IF_LOADED);
}

void kver_leaf_keeps_contrib(struct kver *v)
{
	set(v, FEAT_LEAF_KEEPS_CONTRIB);
}

void kver_util_est_single(struct kver *v)
{
	v->util_est = &util_est_single;
	/* always so, and no switch any more */
	feature_set_remove(&v->known, FEAT_UTIL_EST_FASTUP);
}

void kver_init_util_scaled(struct kver *v)
{
	set(v, FEAT_INIT_UTIL_SCALED);
}

void kver_place_rel_deadline(struct kver *v)
{
	add_on(v, FEAT_PLACE_REL_DEADLINE);
}

void kver_pick_before_put(struct kver *v)
{
	v->pick = &pick_ops_before_put;
}

void kver_delay_dequeue(struct kver *v)
{
	add_on(v, FEAT_DELAY_DEQUEUE);
	add_on(v, FEAT_DELAY_ZERO);
}

void kver_preempt_short(struct kver *v)
{
	add_on(v, FEAT_PREEMPT_SHORT);
}

void kver_group_min_slice(struct kver *v)
{
	set(v, FEAT_GROUP_MIN_SLICE);
}

void kver_schedstat_16(struct kver *v)
{
	v->schedstat_version = 16;
}

void kver_fair_server(struct kver *v)
{
	set(v, FEAT_FAIR_SERVER);
}

void kver_no_rt_throttle(struct kver *v)
{
	set(v, FEAT_NO_RT_THROTTLE);
}

void kver_server_stays(struct kver *v)
{
	set(v, FEAT_SERVER_STAYS);
}

void kver_base_slice_700us(struct kver *v)
{
	v->tun.base_slice_ns = 700000;
}

void kver_pick_buddy(struct kver *v)
{
	add_on(v, FEAT_PICK_BUDDY);
}

void kver_yield_to_deadline(struct kver *v)
{
	set(v, FEAT_YIELD_TO_DEADLINE);
}
