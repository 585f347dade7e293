/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From 5.5 to 6.1: what changed in load tracking, in the fair class below balancing, in wake-ups,
 * in quotas and in the real-time classes. In upstream order; then what stable trees of 6.1 took
 * over later.
 */
#include "kver/modern_61.h"

#include "sched/pelt/util_est.h"

static void set(struct kver *v, enum feature f)
{
	feature_set_add(&v->features, f);
}

/* A switch of sched_features that is on. */
static void add(struct kver *v, enum feature f)
{
	set(v, f);
	feature_set_add(&v->known, f);
}

static void clear(struct kver *v, enum feature f)
{
	feature_set_remove(&v->features, f);
}

void kver_nice_asks_class(struct kver *v)
{
	set(v, FEAT_NICE_ASKS_CLASS);
}

void kver_weight_min_2(struct kver *v)
{
	set(v, FEAT_WEIGHT_MIN_2);
}

void kver_runnable_avg(struct kver *v)
{
	set(v, FEAT_RUNNABLE_COUNT);
	set(v, FEAT_LOAD_BEFORE_COUNT);
}

void kver_sched_idle_balances(struct kver *v)
{
	set(v, FEAT_SCHED_IDLE_BALANCES);
}

void kver_pelt_exact_sums(struct kver *v)
{
	set(v, FEAT_PELT_EXACT_SUMS);
}

void kver_idle_switches(struct kver *v)
{
	feature_set_add(&v->known, FEAT_HRTICK_DL);
	feature_set_add(&v->known, FEAT_LATENCY_WARN);
}

void kver_alt_period(struct kver *v)
{
	add(v, FEAT_ALT_PERIOD);
	add(v, FEAT_BASE_SLICE);
}

void kver_util_est_high_flag(struct kver *v)
{
	v->util_est = &util_est_high_flag;
	set(v, FEAT_UTIL_EST_EARLY);
}

void kver_leaf_keeps_parent(struct kver *v)
{
	set(v, FEAT_LEAF_KEEPS_PARENT);
	set(v, FEAT_LEAF_ON_CHANGE);
	set(v, FEAT_BLOCKED_UPDATE_TG);
}

void kver_buddies_till_set(struct kver *v)
{
	set(v, FEAT_BUDDIES_TILL_SET);
}

void kver_idle_groups(struct kver *v)
{
	set(v, FEAT_IDLE_GROUPS);
}

void kver_idle_slices(struct kver *v)
{
	set(v, FEAT_IDLE_SLICES);
	v->tun.idle_min_granularity_ns = 750000;
	v->tun_known |= UINT64_C(1) << TUN_idle_min_granularity_ns;
}

void kver_pelt_sum_floor(struct kver *v)
{
	set(v, FEAT_PELT_SUM_FLOOR);
	set(v, FEAT_PELT_FLOOR_32BIT);
}

void kver_throttle_by_pelt(struct kver *v)
{
	set(v, FEAT_THROTTLE_BY_PELT);
}

void kver_pelt_lag(struct kver *v)
{
	set(v, FEAT_PELT_LAG);
	set(v, FEAT_IDLE_CLOCK_SYNC);
}

void kver_attach_in_queue_ops(struct kver *v)
{
	set(v, FEAT_ATTACH_IN_QUEUE_OPS);
}

void kver_wake_list_fifo(struct kver *v)
{
	set(v, FEAT_WAKE_LIST_FIFO);
}

void kver_wake_list_switching(struct kver *v)
{
	set(v, FEAT_WAKE_LIST_SWITCHING);
}

void kver_wake_list_idle(struct kver *v)
{
	set(v, FEAT_WAKE_LIST_IDLE);
}

void kver_avg_idle_aged(struct kver *v)
{
	set(v, FEAT_AVG_IDLE_AGED);
}

void kver_throttle_retry(struct kver *v)
{
	set(v, FEAT_THROTTLE_RETRY);
}

void kver_leaf_of_throttled(struct kver *v)
{
	set(v, FEAT_LEAF_OF_THROTTLED);
}

void kver_cfs_burst(struct kver *v)
{
	set(v, FEAT_CFS_BURST);
}

void kver_any_distributes(struct kver *v)
{
	set(v, FEAT_ANY_DISTRIBUTES);
}

void kver_cpupri_higher(struct kver *v)
{
	set(v, FEAT_CPUPRI_HIGHER);
}

void kver_switch_ages(struct kver *v)
{
	set(v, FEAT_SWITCH_AGES);
}

void kver_dl_limits(struct kver *v)
{
	set(v, FEAT_DL_LIMITS);
}

void kver_push_rechecks(struct kver *v)
{
	set(v, FEAT_PUSH_RECHECKS);
}

void kver_pelt_idle_always(struct kver *v)
{
	set(v, FEAT_PELT_IDLE_ALWAYS);
}

void kver_no_rt_share(struct kver *v)
{
	clear(v, FEAT_RT_RUNTIME_SHARE);
}

void kver_no_rt_push_ipi(struct kver *v)
{
	clear(v, FEAT_RT_PUSH_IPI);
}
