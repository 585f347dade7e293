/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every difference between the modelled kernels, in the order in which
 * upstream made them. A bug is a delta with an end: its fix is its removal.
 * Commit ids are Linus Torvalds' tree's.
 */
#include "kver/deltas.h"

#include "base/check.h"
#include "sched/balance/balance.h"
#include "sched/domain/domain.h"
#include "sched/fair/group.h"
#include "sched/fair/preempt.h"
#include "sched/select/select.h"

static void set(struct kver *v, enum feature f)
{
	v->features |= UINT64_C(1) << f;
}

static void clear(struct kver *v, enum feature f)
{
	v->features &= ~(UINT64_C(1) << f);
}

/* The switch is gone from sched_features; its value stays as set. */
static void forget(struct kver *v, enum feature f)
{
	v->known &= ~(UINT64_C(1) << f);
}

static void remove_off(struct kver *v, enum feature f)
{
	clear(v, f);
	forget(v, f);
}

void kver_base(struct kver *v)
{
	static const enum feature on[] = {
		FEAT_FAIR_SLEEPERS,    FEAT_GENTLE_FAIR_SLEEPERS, FEAT_START_DEBIT,
		FEAT_WAKEUP_PREEMPT,   FEAT_ADAPTIVE_GRAN,        FEAT_ASYM_GRAN,
		FEAT_SYNC_WAKEUPS,     FEAT_AFFINE_WAKEUPS,       FEAT_SYNC_LESS,
		FEAT_LAST_BUDDY,       FEAT_CACHE_HOT_BUDDY,      FEAT_LB_BIAS,
		FEAT_LB_SHARES_UPDATE, FEAT_ASYM_EFF_LOAD,
	};
	static const enum feature off[] = {
		FEAT_NORMALIZED_SLEEPER, FEAT_WAKEUP_SYNC, FEAT_WAKEUP_OVERLAP, FEAT_SYNC_MORE,
		FEAT_NEXT_BUDDY,         FEAT_ARCH_POWER,  FEAT_HRTICK,         FEAT_DOUBLE_TICK,
	};

	for (unsigned i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
		set(v, on[i]);
		v->known |= UINT64_C(1) << on[i];
	}
	for (unsigned i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		v->known |= UINT64_C(1) << off[i];
	set(v, FEAT_AVG_WAKEUP);
	set(v, FEAT_AVG_OVERLAP);
	v->tun = (struct tunables){
		.latency_ns = 5000000,
		.min_granularity_ns = 1000000,
		.wakeup_granularity_ns = 1000000,
		.nr_latency = 5,
		.shares_ratelimit_ns = 250000,
		.shares_thresh = 4,
		.migration_cost_ns = 500000,
		.nr_migrate = 32,
		.child_runs_first = 0,
	};
	v->tun_known = (UINT64_C(1) << TUNABLE_COUNT) - 1;
	v->hz = 1000;
	v->preempt = PREEMPT_NONE;
	v->no_hz = true;
	v->inverse_plus_one = 1;
	v->schedstat_version = 15;
	v->sched_debug_version = "v0.09";
	v->fair = &fair_ops_adaptive;
	v->select = &select_ops_idle_in_walk;
	v->lb = &lb_ops_classic;
	v->share = &share_ops_domain;
	v->domains = &domain_rules_classic;
}

static void stale_h_load(struct kver *v)
{
	set(v, FEAT_STALE_H_LOAD);
}

static void short_slices(struct kver *v)
{
	v->tun.latency_ns = 6000000;
	v->tun.min_granularity_ns = 2000000;
	v->tun.nr_latency = 3;
}

static void no_normalized_sleeper(struct kver *v)
{
	remove_off(v, FEAT_NORMALIZED_SLEEPER);
}

static void no_fair_sleepers(struct kver *v)
{
	forget(v, FEAT_FAIR_SLEEPERS);
}

static void no_wakeup_sync(struct kver *v)
{
	remove_off(v, FEAT_WAKEUP_SYNC);
}

static void no_sync_wakeups(struct kver *v)
{
	forget(v, FEAT_SYNC_WAKEUPS);
}

static void no_avg_wakeup(struct kver *v)
{
	clear(v, FEAT_AVG_WAKEUP);
	remove_off(v, FEAT_ADAPTIVE_GRAN);
}

static void no_avg_overlap(struct kver *v)
{
	clear(v, FEAT_AVG_OVERLAP);
	remove_off(v, FEAT_SYNC_LESS);
	remove_off(v, FEAT_SYNC_MORE);
	remove_off(v, FEAT_WAKEUP_OVERLAP);
}

static void no_asym_gran(struct kver *v)
{
	forget(v, FEAT_ASYM_GRAN);
	v->fair = &fair_ops_fixed_gran;
}

static void no_affine_wakeups(struct kver *v)
{
	/* still listed by the kernel, but nothing reads it */
	forget(v, FEAT_AFFINE_WAKEUPS);
}

static void affine_then_idle(struct kver *v)
{
	v->select = &select_ops_affine_then_idle;
}

static void clock_in_queue_ops(struct kver *v)
{
	set(v, FEAT_CLOCK_IN_QUEUE_OPS);
}

static void select_under_rq_lock(struct kver *v)
{
	set(v, FEAT_SELECT_UNDER_RQ_LOCK);
}

static void nohz_ratelimit(struct kver *v)
{
	set(v, FEAT_NOHZ_RATELIMIT);
}

static void rq_cpu_power(struct kver *v)
{
	set(v, FEAT_RQ_CPU_POWER);
	set(v, FEAT_AFFINE_POWER);
}

/* clang-format off */
static const struct kver_delta deltas[DELTA_COUNT] = {
	[DELTA_STALE_H_LOAD] = {
		"stale-h-load",
		"update_h_load() returns early while the root group has no children, so the root's h_load is stale",
		"e709715915d6 sched: Optimize unused cgroup configuration; fixed by 3c93717cfa51 sched: Fix over-scheduling bug",
		"2.6.32-rc1", "2.6.35-rc4", NULL, NULL, stale_h_load },
	[DELTA_SHORT_SLICES] = {
		"latency-6ms",
		"sched_latency 5 to 6 ms, min_granularity 1 to 2 ms, nr_latency 5 to 3 (before scaling)",
		"21406928afe4 sched: Tweak sched_latency and min_granularity",
		"2.6.35-rc1", NULL, NULL, NULL, short_slices },
	[DELTA_NO_NORMALIZED_SLEEPER] = {
		"no-normalized-sleeper", "the feature NORMALIZED_SLEEPER is gone (off)",
		"6bc6cf2b6133 sched: Remove NORMALIZED_SLEEPER",
		"2.6.35-rc1", NULL, NULL, NULL, no_normalized_sleeper },
	[DELTA_NO_FAIR_SLEEPERS] = {
		"no-fair-sleepers-switch", "the feature FAIR_SLEEPERS is gone (always on)",
		"5ca9880c6f4b sched: Remove FAIR_SLEEPERS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_fair_sleepers },
	[DELTA_NO_WAKEUP_SYNC] = {
		"no-wakeup-sync", "the feature WAKEUP_SYNC is gone (off)",
		"f2e74eeac03f sched: Remove WAKEUP_SYNC feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_wakeup_sync },
	[DELTA_NO_SYNC_WAKEUPS] = {
		"no-sync-wakeups-switch", "the feature SYNC_WAKEUPS is gone (always on)",
		"c6ee36c423c3 sched: Remove SYNC_WAKEUPS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_sync_wakeups },
	[DELTA_NO_AVG_WAKEUP] = {
		"no-avg-wakeup", "no average of runs between wake-ups, so no adaptive wake-up granularity",
		"b42e0c41a422 sched: Remove avg_wakeup",
		"2.6.35-rc1", NULL, NULL, NULL, no_avg_wakeup },
	[DELTA_NO_AVG_OVERLAP] = {
		"no-avg-overlap", "no average of overlap: a sync hint always holds, SYNC_LESS, SYNC_MORE and WAKEUP_OVERLAP are gone",
		"e12f31d3e5d3 sched: Remove avg_overlap",
		"2.6.35-rc1", NULL, NULL, NULL, no_avg_overlap },
	[DELTA_NO_ASYM_GRAN] = {
		"no-asym-gran", "the feature ASYM_GRAN is gone (always on)",
		"13814d42e45d sched: Remove ASYM_GRAN feature",
		"2.6.35-rc1", NULL, "no-avg-wakeup", NULL, no_asym_gran },
	[DELTA_NO_AFFINE_WAKEUPS] = {
		"no-affine-wakeups-switch", "the feature AFFINE_WAKEUPS is no longer read (always on)",
		"beac4c7e4a1c sched: Remove AFFINE_WAKEUPS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_affine_wakeups },
	[DELTA_AFFINE_THEN_IDLE] = {
		"affine-then-idle", "a wake-up first decides between waker's and previous CPU, then looks for an idle one near the winner",
		"99bd5e2f245d sched: Fix select_idle_sibling() logic in select_task_rq_fair(); 8b911acdf084",
		"2.6.35-rc1", NULL, NULL, NULL, affine_then_idle },
	[DELTA_CLOCK_IN_QUEUE_OPS] = {
		"clock-in-queue-ops", "the rq clock is sampled in enqueue, dequeue and put_prev instead of at entry and lock",
		"a64692a3afd8 sched: Cleanup/optimize clock updates",
		"2.6.35-rc1", NULL, NULL, NULL, clock_in_queue_ops },
	[DELTA_SELECT_UNDER_RQ_LOCK] = {
		"select-under-rq-lock", "wake-up, fork and exec choose the CPU while holding the task's rq lock",
		"0017d7350928 sched: Fix TASK_WAKING vs fork deadlock",
		"2.6.35-rc1", NULL, NULL, NULL, select_under_rq_lock },
	[DELTA_NOHZ_RATELIMIT] = {
		"nohz-ratelimit", "an idle CPU keeps its tick for half a tick after it last went idle",
		"39c0cbe2150c sched: Rate-limit nohz; 3310d4d38fbc nohz: Fix nohz ratelimit; removed by 396e894d289d",
		"2.6.35-rc1", "2.6.36-rc1", NULL, NULL, nohz_ratelimit },
	[DELTA_RQ_CPU_POWER] = {
		"rq-cpu-power", "a CPU's power is kept in its rq; wake_affine() weighs loads by power",
		"e51fd5e22e12 sched: Fix wake_affine() vs RT tasks",
		"2.6.35-rc2", NULL, NULL, NULL, rq_cpu_power },
};
/* clang-format on */

const struct kver_delta *kver_delta(uint32_t i)
{
	return i < DELTA_COUNT ? &deltas[i] : NULL;
}

#define CLASSIC_35 DELTA_RANGE(DELTA_SHORT_SLICES, DELTA_RQ_CPU_POWER)

static const struct kver_profile profiles[] = {
	{"2.6.31", 0, true, "2.6.34's rules without stale-h-load"},
	{"2.6.32", DELTA_BIT(DELTA_STALE_H_LOAD), true, "2.6.34's rules"},
	{"2.6.33", DELTA_BIT(DELTA_STALE_H_LOAD), true, "2.6.34's rules"},
	{"2.6.34", DELTA_BIT(DELTA_STALE_H_LOAD), false, NULL},
	{"2.6.35-rc2", DELTA_BIT(DELTA_STALE_H_LOAD) | CLASSIC_35, false, NULL},
	{"2.6.35", CLASSIC_35, false, NULL},
};

const struct kver_profile *kver_profile(uint32_t i)
{
	return i < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[i] : NULL;
}
