/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every difference between the modelled kernels, in the order in which
 * upstream made them. A bug is a delta with an end: its fix is its removal.
 * Commit ids are Linus Torvalds' tree's.
 */
#include "kver/deltas.h"

#include "base/check.h"
#include "kver/modern.h"
#include "kver/modern_61.h"
#include "kver/modern_612.h"
#include "kver/modern_lb.h"
#include "sched/balance/balance.h"
#include "sched/core/core.h"
#include "sched/domain/domain.h"
#include "sched/fair/group.h"
#include "sched/fair/preempt.h"
#include "sched/fair/shares_entity.h"
#include "sched/select/select.h"

static void set(struct kver *v, enum feature f)
{
	feature_set_add(&v->features, f);
}

static void clear(struct kver *v, enum feature f)
{
	feature_set_remove(&v->features, f);
}

/* The switch is gone from sched_features; its value stays as set. */
static void forget(struct kver *v, enum feature f)
{
	feature_set_remove(&v->known, f);
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
		feature_set_add(&v->known, on[i]);
	}
	for (unsigned i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		feature_set_add(&v->known, off[i]);
	set(v, FEAT_AVG_WAKEUP);
	set(v, FEAT_AVG_OVERLAP);
	/* always so, and no switch yet */
	set(v, FEAT_RT_RUNTIME_SHARE);
	set(v, FEAT_CPUPRI_ALL);
	v->rt_weight = RT_WEIGHT_DOUBLE;
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
		.rt_period_us = 1000000,
		.rt_runtime_us = 950000,
	};
	v->tun_known = (UINT64_C(1) << TUNABLE_COUNT) - 1;
	v->tun_known &=
		~(UINT64_C(1) << TUN_cfs_bandwidth_slice_us |
		  UINT64_C(1) << TUN_idle_min_granularity_ns | UINT64_C(1) << TUN_base_slice_ns);
	v->hz = 1000;
	v->preempt = PREEMPT_NONE;
	v->no_hz = true;
	v->inverse_plus_one = 1;
	v->schedstat_version = 15;
	v->fair = &fair_ops_adaptive;
	v->select = &select_ops_idle_in_walk;
	v->lb = &lb_ops_classic;
	v->share = &share_ops_domain;
	v->wake = &wake_ops_lock;
	v->nohz = &nohz_ops_owner;
	v->pick = &pick_ops_after_put;
	v->trigger = &trigger_ops_load;
	v->domains = &domain_rules_classic;
	v->tick_skew = true;
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
	v->rt_weight = RT_WEIGHT_NONE;
	set(v, FEAT_RQ_CPU_POWER);
	set(v, FEAT_AFFINE_POWER);
}

static void no_tick_skew(struct kver *v)
{
	v->tick_skew = false;
}

static void nohz_kick(struct kver *v)
{
	v->nohz = &nohz_ops_kick;
	clear(v, FEAT_NOHZ_RATELIMIT);
}

static void cpu_load_catch_up(struct kver *v)
{
	set(v, FEAT_CPU_LOAD_CATCH_UP);
}

static void rt_avg_at_tick(struct kver *v)
{
	set(v, FEAT_RT_AVG_AT_TICK);
}

static void short_min_gran(struct kver *v)
{
	v->tun.latency_ns = 6000000;
	v->tun.min_granularity_ns = 750000;
	v->tun.nr_latency = 8;
}

static void rt_keep_higher(struct kver *v)
{
	set(v, FEAT_RT_KEEP_HIGHER);
}

static void rt_weight_as_nice(struct kver *v)
{
	v->rt_weight = RT_WEIGHT_AS_NICE;
}

static void entity_shares(struct kver *v)
{
	v->share = &share_ops_entity;
	v->tun_known &=
		~(UINT64_C(1) << TUN_shares_ratelimit_ns | UINT64_C(1) << TUN_shares_thresh);
	remove_off(v, FEAT_LB_SHARES_UPDATE);
	remove_off(v, FEAT_ASYM_EFF_LOAD);
	set(v, FEAT_SIGNED_AFFINE);
}

static void autogroup(struct kver *v)
{
	v->has_autogroup = true;
}

static void plain_inverse(struct kver *v)
{
	v->inverse_plus_one = 0;
}

static void skip_buddy(struct kver *v)
{
	v->fair = &fair_ops_skip_buddy;
	forget(v, FEAT_WAKEUP_PREEMPT);
	set(v, FEAT_SKIP_CLOCK_BY_CURR);
	set(v, FEAT_LATE_RESCHED_CLEAR);
	set(v, FEAT_RELATIVE_BEFORE_MIN);
	set(v, FEAT_FORK_CLOCK);
	set(v, FEAT_CLASS_ORDER_PREEMPT);
}

static void signed_tick_lead(struct kver *v)
{
	set(v, FEAT_SIGNED_TICK_LEAD);
}

static void next_buddy_on_sleep(struct kver *v)
{
	set(v, FEAT_NEXT_BUDDY_ON_SLEEP);
}

static void ttwu_queue(struct kver *v)
{
	v->wake = &wake_ops_queue;
	set(v, FEAT_TTWU_QUEUE);
	feature_set_add(&v->known, FEAT_TTWU_QUEUE);
	set(v, FEAT_IDLE_NEEDS_EMPTY);
	clear(v, FEAT_SELECT_UNDER_RQ_LOCK);
}

static void full_span_domains(struct kver *v)
{
	v->domains = &domain_rules_full_span;
}

static void rt_share_switch(struct kver *v)
{
	feature_set_add(&v->known, FEAT_RT_RUNTIME_SHARE);
}

static void idle_group(struct kver *v)
{
	v->select = &select_ops_idle_group;
}

static void lb_group_break(struct kver *v)
{
	v->lb = &lb_ops_group_break;
	set(v, FEAT_IDLE_POLICY_COLD);
}

static void lb_rq_list(struct kver *v)
{
	v->lb = &lb_ops_list_redo;
	set(v, FEAT_LB_RQ_LIST);
	set(v, FEAT_LB_MIN_FILTER);
}

static void lb_relock(struct kver *v)
{
	v->lb = &lb_ops_list_relock;
	set(v, FEAT_LB_TAIL_INSERT);
}

static void nr_migrate_cap(struct kver *v)
{
	set(v, FEAT_LB_MAX_FIXED);
	set(v, FEAT_LB_BREAK_8);
}

static void lb_list_head(struct kver *v)
{
	clear(v, FEAT_LB_TAIL_INSERT);
}

static void lb_min_feature(struct kver *v)
{
	clear(v, FEAT_LB_MIN_FILTER);
	clear(v, FEAT_LB_TAIL_INSERT);
	feature_set_add(&v->known, FEAT_LB_MIN);
	set(v, FEAT_LB_MAX_CAPPED);
}

static void same_policy_stays(struct kver *v)
{
	v->same_policy_stays = true;
}

static void rt_fork_select(struct kver *v)
{
	set(v, FEAT_RT_FORK_SELECT);
}

static void rt_equal_push(struct kver *v)
{
	set(v, FEAT_RT_PUSH_EQUAL);
}

static void cpupri_not_top(struct kver *v)
{
	clear(v, FEAT_CPUPRI_ALL);
}

static void rt_pull_pushable(struct kver *v)
{
	set(v, FEAT_RT_PULL_PUSHABLE);
}

static void dl_class(struct kver *v)
{
	set(v, FEAT_DL_CLASS);
}

static void rt_pull_in_pick(struct kver *v)
{
	set(v, FEAT_RT_PULL_IN_PICK);
}

static void rt_uncount_throttled(struct kver *v)
{
	set(v, FEAT_RT_UNCOUNT_THROTTLED);
}

static void rt_head_on_drop(struct kver *v)
{
	set(v, FEAT_RT_HEAD_ON_DROP);
}

static void one_sd_init(struct kver *v)
{
	v->domains = &domain_rules_one_init;
}

static void rt_select_check(struct kver *v)
{
	set(v, FEAT_RT_SELECT_CHECK);
}

static void rt_find_check(struct kver *v)
{
	set(v, FEAT_RT_FIND_CHECK);
}

static void rt_push_lower_only(struct kver *v)
{
	clear(v, FEAT_RT_PUSH_EQUAL);
}

static void dl_grub(struct kver *v)
{
	set(v, FEAT_DL_GRUB);
}

/* clang-format off */
static const struct kver_delta deltas[DELTA_COUNT] = {
	[DELTA_STALE_H_LOAD] = {
		"stale-h-load",
		"update_h_load() returns early while the root group has no children, so the root's h_load is stale",
		"e709715915d6 sched: Optimize unused cgroup configuration; fixed by 3c93717cfa51 sched: Fix over-scheduling bug",
		"2.6.32-rc1", "2.6.35-rc4", NULL, NULL, stale_h_load, NULL },
	[DELTA_SHORT_SLICES] = {
		"latency-6ms",
		"sched_latency 5 to 6 ms, min_granularity 1 to 2 ms, nr_latency 5 to 3 (before scaling)",
		"21406928afe4 sched: Tweak sched_latency and min_granularity",
		"2.6.35-rc1", NULL, NULL, NULL, short_slices, NULL },
	[DELTA_NO_NORMALIZED_SLEEPER] = {
		"no-normalized-sleeper", "the feature NORMALIZED_SLEEPER is gone (off)",
		"6bc6cf2b6133 sched: Remove NORMALIZED_SLEEPER",
		"2.6.35-rc1", NULL, NULL, NULL, no_normalized_sleeper, NULL },
	[DELTA_NO_FAIR_SLEEPERS] = {
		"no-fair-sleepers-switch", "the feature FAIR_SLEEPERS is gone (always on)",
		"5ca9880c6f4b sched: Remove FAIR_SLEEPERS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_fair_sleepers, NULL },
	[DELTA_NO_WAKEUP_SYNC] = {
		"no-wakeup-sync", "the feature WAKEUP_SYNC is gone (off)",
		"f2e74eeac03f sched: Remove WAKEUP_SYNC feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_wakeup_sync, NULL },
	[DELTA_NO_SYNC_WAKEUPS] = {
		"no-sync-wakeups-switch", "the feature SYNC_WAKEUPS is gone (always on)",
		"c6ee36c423c3 sched: Remove SYNC_WAKEUPS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_sync_wakeups, NULL },
	[DELTA_NO_AVG_WAKEUP] = {
		"no-avg-wakeup", "no average of runs between wake-ups, so no adaptive wake-up granularity",
		"b42e0c41a422 sched: Remove avg_wakeup",
		"2.6.35-rc1", NULL, NULL, NULL, no_avg_wakeup, NULL },
	[DELTA_NO_AVG_OVERLAP] = {
		"no-avg-overlap", "no average of overlap: a sync hint always holds, SYNC_LESS, SYNC_MORE and WAKEUP_OVERLAP are gone",
		"e12f31d3e5d3 sched: Remove avg_overlap",
		"2.6.35-rc1", NULL, NULL, NULL, no_avg_overlap, NULL },
	[DELTA_NO_ASYM_GRAN] = {
		"no-asym-gran", "the feature ASYM_GRAN is gone (always on)",
		"13814d42e45d sched: Remove ASYM_GRAN feature",
		"2.6.35-rc1", NULL, "no-avg-wakeup", NULL, no_asym_gran, NULL },
	[DELTA_NO_AFFINE_WAKEUPS] = {
		"no-affine-wakeups-switch", "the feature AFFINE_WAKEUPS is no longer read (always on)",
		"beac4c7e4a1c sched: Remove AFFINE_WAKEUPS feature",
		"2.6.35-rc1", NULL, NULL, NULL, no_affine_wakeups, NULL },
	[DELTA_AFFINE_THEN_IDLE] = {
		"affine-then-idle", "a wake-up first decides between waker's and previous CPU, then looks for an idle one near the winner",
		"99bd5e2f245d sched: Fix select_idle_sibling() logic in select_task_rq_fair(); 8b911acdf084",
		"2.6.35-rc1", NULL, NULL, NULL, affine_then_idle, NULL },
	[DELTA_CLOCK_IN_QUEUE_OPS] = {
		"clock-in-queue-ops", "the rq clock is sampled in enqueue, dequeue and put_prev instead of at entry and lock",
		"a64692a3afd8 sched: Cleanup/optimize clock updates",
		"2.6.35-rc1", NULL, NULL, NULL, clock_in_queue_ops, NULL },
	[DELTA_SELECT_UNDER_RQ_LOCK] = {
		"select-under-rq-lock", "wake-up, fork and exec choose the CPU while holding the task's rq lock",
		"0017d7350928 sched: Fix TASK_WAKING vs fork deadlock",
		"2.6.35-rc1", NULL, NULL, NULL, select_under_rq_lock, NULL },
	[DELTA_NOHZ_RATELIMIT] = {
		"nohz-ratelimit", "an idle CPU keeps its tick for half a tick after it last went idle",
		"39c0cbe2150c sched: Rate-limit nohz; 3310d4d38fbc nohz: Fix nohz ratelimit; removed by 396e894d289d",
		"2.6.35-rc1", "2.6.36-rc1", NULL, NULL, nohz_ratelimit, NULL },
	[DELTA_RQ_CPU_POWER] = {
		"rq-cpu-power", "a CPU's power is kept in its rq; wake_affine() weighs loads by power",
		"e51fd5e22e12 sched: Fix wake_affine() vs RT tasks",
		"2.6.35-rc2", NULL, NULL, NULL, rq_cpu_power, NULL },
	[DELTA_CPU_LOAD_CATCH_UP] = {
		"cpu-load-catch-up", "cpu_load is decayed for ticks an idle CPU missed",
		"fdf3e95d3916 sched: Avoid side-effect of tickless idle on update_cpu_load",
		"2.6.36-rc1", NULL, NULL, NULL, cpu_load_catch_up, NULL },
	[DELTA_NOHZ_KICK] = {
		"nohz-kick", "busy CPUs kick an idle one that balances for all idle CPUs; none keeps its tick for that",
		"83cd4fe27ad8 sched: Change nohz idle load balancing logic to push model; 396e894d289d, 5343bdb8fd07, f6c3f1686e7e; count of busy CPUs in 3.3: 69e1e811dcc4, 0b005cf54eac",
		"2.6.36-rc1", NULL, NULL, NULL, nohz_kick, NULL },
	[DELTA_NO_TICK_SKEW] = {
		"no-tick-skew", "all CPUs tick at the same instant",
		"af5ab277ded0 clockevents: Remove the per cpu tick skew",
		"2.6.36-rc1", NULL, NULL, NULL, no_tick_skew, NULL },
	[DELTA_RT_AVG_AT_TICK] = {
		"rt-avg-at-tick", "the average of real-time work, that lowers a CPU's power, is aged at the tick, not where it is used",
		"da2b71edd8a7 sched: Move sched_avg_update() to update_cpu_load()",
		"2.6.36-rc4", NULL, NULL, NULL, rt_avg_at_tick, NULL },
	[DELTA_SHORT_MIN_GRAN] = {
		"min-gran-750us", "min_granularity 2 to 0.75 ms, nr_latency 3 to 8 (before scaling)",
		"0bf377bbb0be sched: Improve latencies under load by decreasing minimum scheduling granularity",
		"2.6.36", NULL, NULL, NULL, short_min_gran, NULL },
	[DELTA_RT_KEEP_HIGHER] = {
		"rt-keep-higher", "a woken real-time task looks for another CPU, and makes its own push, only if a bound or more important task runs",
		"43fa5460fe60 sched: Try not to migrate higher priority RT tasks; b3bc211cfe7d sched: Give CPU bound RT tasks preference",
		"2.6.37-rc1", NULL, NULL, NULL, rt_keep_higher, NULL },
	[DELTA_RT_WEIGHT_AS_NICE] = {
		"rt-weight-as-nice", "a real-time task keeps the fair weight of its nice value, which wake_affine() may read",
		"17bdcf949d03 sched: Drop all load weight manipulation for RT tasks",
		"2.6.37-rc1", NULL, "rq-cpu-power", NULL, rt_weight_as_nice, NULL },
	[DELTA_ENTITY_SHARES] = {
		"entity-shares", "each cfs_rq of a group reports its load; shares are split where the load changes",
		"2069dd75c7d0 sched: Rewrite tg_shares_up); 3d4b47b4b040, 9e3081ca6114, f0d7442a5924, e33078baa4d3, 67e86250f8ea, a7a4f8a752ec, c66eaf619c0c, 3b3d190ec368, d6b5591829bd, 43365bd7ff37, 19e5eebb8eaa; 977dda7c9b54, e37b6a7b27b4, 05ca62c6ca17 in 2.6.38",
		"2.6.38-rc1", NULL, NULL, NULL, entity_shares, NULL },
	[DELTA_AUTOGROUP] = {
		"autogroup", "one task group per session, if asked for",
		"5091faa449ee sched: Add 'autogroup' scheduling feature: automated per session task groups",
		"2.6.38-rc1", NULL, "entity-shares", NULL, autogroup, NULL },
	[DELTA_SIGNED_TICK_LEAD] = {
		"signed-tick-lead", "a task behind the leftmost is no longer preempted by the tick",
		"d7d8294415f0 sched: Fix signed unsigned comparison in check_preempt_tick()",
		"2.6.38", NULL, NULL, NULL, signed_tick_lead, NULL },
	[DELTA_SKIP_BUDDY] = {
		"skip-buddy", "a yielding task is passed over once; next buddy wins over last; schedule() clears need_resched after picking",
		"ac53db596cc0 sched: Use a buddy to implement yield_task_fair() (release not verified); f26f9aff6aaf and 1e5a74059f90 in 2.6.37, 861d034ee814 in 2.6.36",
		"2.6.39-rc1", NULL, "no-asym-gran", NULL, skip_buddy, NULL },
	[DELTA_SAME_POLICY_STAYS] = {
		"same-policy-stays", "a task that is given the policy and priority it has is not queued anew",
		"a51e91981870 sched: Leave sched_setscheduler() earlier if possible, do not disturb SCHED_FIFO tasks (release not verified)",
		"2.6.39-rc1", NULL, NULL, NULL, same_policy_stays, NULL },
	[DELTA_PLAIN_INVERSE] = {
		"plain-inverse", "inverse weights are 2^32 / w, not 1 + (2^32 - w/2) / (w + 1)",
		"c8b281161dfa sched: Increase SCHED_LOAD_SCALE resolution (release not verified)",
		"3.0-rc1", NULL, NULL, NULL, plain_inverse, NULL },
	[DELTA_NEXT_BUDDY_ON_SLEEP] = {
		"next-buddy-on-sleep", "a group whose task sleeps becomes next buddy",
		"2f36825b176f sched: Next buddy hint on sleep and preempt path",
		"3.0-rc1", NULL, "skip-buddy", NULL, next_buddy_on_sleep, NULL },
	[DELTA_TTWU_QUEUE] = {
		"ttwu-queue", "wake-ups take no old queue's lock; those of other caches are queued and told by an interrupt",
		"317f394160e9 sched: Move the second half of ttwu() to the remote cpu; e4a52bcb9a18, 3ca7a440da39; other caches only, 3.3: 518cd6234178",
		"3.0-rc1", NULL, "clock-in-queue-ops", NULL, ttwu_queue, NULL },
	[DELTA_FULL_SPAN_DOMAINS] = {
		"full-span-domains", "no domain level above the first that spans every CPU; a CPU's power is known from boot on",
		"e3589f6c81e4 sched: Allow for overlapping sched_domain spans; 9c3f75cbd144 (release and the latter not verified)",
		"3.0-rc1", NULL, NULL, NULL, full_span_domains, NULL },
	[DELTA_RT_FORK_SELECT] = {
		"rt-fork-select", "a new real-time task looks for a CPU as a woken one does",
		"c37495fd0f64 sched: Balance RT tasks when forked as well (not verified; in 3.3, not in 2.6.37-rc1)",
		"3.2-rc1", NULL, NULL, NULL, rt_fork_select, NULL },
	[DELTA_RT_EQUAL_PUSH] = {
		"rt-equal-push", "a woken real-time task that finds one of equal priority running looks for another CPU, and is pushed",
		"3be209a8e22c sched/rt: Migrate equal priority tasks to available CPUs",
		"3.2-rc1", NULL, "rt-keep-higher", NULL, rt_equal_push, NULL },
	[DELTA_CPUPRI_NOT_TOP] = {
		"cpupri-not-top", "tasks of rt_priority 98 and 99 are neither routed nor pushed",
		"sched/cpupri: Remove the vec->lock, or Remove cpupri->pri_active, of 2011-08-14 (which one and their ids not verified); fixed by 6227cb00cc12 sched: Use CPUPRI_NR_PRIORITIES instead of MAX_RT_PRIO in cpupri check, of 2014-05-07 (release not verified)",
		"3.2-rc1", "3.16-rc1", NULL, NULL, cpupri_not_top, NULL },
	[DELTA_RT_SHARE_SWITCH] = {
		"rt-runtime-share-switch", "the feature RT_RUNTIME_SHARE can be switched off",
		"4a6184ce7a48 sched, rt: Provide means of disabling cross-cpu bandwidth sharing",
		"3.3-rc1", NULL, NULL, NULL, rt_share_switch, NULL },
	[DELTA_IDLE_GROUP] = {
		"idle-group", "a wake-up looks for a wholly idle core of the cache, then for an idle sibling",
		"4dcfe1025b51 sched: Avoid SMT siblings in select_idle_sibling() if possible",
		"3.3-rc1", NULL, "affine-then-idle", NULL, idle_group, NULL },
	[DELTA_LB_GROUP_BREAK] = {
		"lb-group-break", "groups with room pull when newly idle, no SMT rule with result -1, newly-idle failures do not count, tasks of SCHED_IDLE are never hot; a pass over more than 32 tasks pauses, the fourth pause ends the attempt",
		"a195f004e949 sched: Fix load-balance lock-breaking (its limit of four pauses is a later commit, not identified); 58b26c4c0257, ef8002f68482, 2582f0eba540, fab476228ba3, 75dd321d79d4, bbc8cb5baead, 9d5efe05eb0c, 694f5a111295, aae6d3ddd8b9, b5482cfa1c95, d5ad140bc150 in 2.6.36 and 2.6.37; 46e49b3836c7 (not verified)",
		"3.3-rc1", NULL, "entity-shares", NULL, lb_group_break, NULL },
	[DELTA_LB_RQ_LIST] = {
		"lb-rq-list", "tasks are moved from one list per rq by their load seen from the root, none below 16",
		"367456c756a6 sched: Ditch per cgroup task lists for load-balancing; 8e45cb545d98, 4ec4412e1e91",
		"3.4-rc1", NULL, "lb-group-break", NULL, lb_rq_list, NULL },
	[DELTA_LB_RELOCK] = {
		"lb-relock", "a pass pauses by letting the locks go and goes on, over the whole queue; tasks join the list's tail",
		"5d6523ebd2f6 sched: Fix load-balance wreckage (file not seen at that commit)",
		"3.4-rc2", NULL, "lb-rq-list", NULL, lb_relock, NULL },
	[DELTA_NR_MIGRATE_CAP] = {
		"nr-migrate-cap", "a pass examines nr_migrate tasks, in pieces of 8 on preemptible kernels",
		"never landed: Peter Zijlstra's first patch in 'load balancing regression since commit 367456c7', 2012-04-17",
		"-", NULL, "lb-relock", "lb-min-feature", nr_migrate_cap, NULL },
	[DELTA_LB_LIST_HEAD] = {
		"lb-list-head", "tasks join the head of the list again",
		"never landed alone: Peter Zijlstra's second patch in the same thread, 2012-04-20",
		"-", NULL, "lb-relock", "lb-min-feature", lb_list_head, NULL },
	[DELTA_LB_MIN_FEATURE] = {
		"lb-min-feature", "the filter is a feature, off; a pass examines at most nr_migrate tasks; tasks join the head",
		"eb95308ee2a6 sched: Fix more load-balancing fallout",
		"3.4-rc5", NULL, "lb-relock", NULL, lb_min_feature, NULL },
	[DELTA_RT_PULL_PUSHABLE] = {
		"rt-pull-pushable", "pulling takes the first pushable task, not the first of the lists of all",
		"e23ee74777f3 sched/rt: Simplify pull_rt_task() logic and remove .leaf_rt_rq_list (what it does not verified)",
		"3.11-rc1", NULL, NULL, NULL, rt_pull_pushable, NULL },
	[DELTA_DL_CLASS] = {
		"dl-class", "there is SCHED_DEADLINE, above the real-time class",
		"aab03e05e8f7 sched/deadline: Add SCHED_DEADLINE structures & implementation; 1baca4ce16b8, 332ac17ef5bf, 6bfd6d72f51c",
		"3.14-rc1", NULL, "ttwu-queue", NULL, dl_class, NULL },
	[DELTA_RT_PULL_IN_PICK] = {
		"rt-pull-in-pick", "pulling is part of picking the next task, class by class, not of schedule()",
		"38033c37faab sched: Push down pre_schedule() and idle_balance()",
		"3.15-rc1", NULL, NULL, NULL, rt_pull_in_pick, NULL },
	[DELTA_RT_UNCOUNT_THROTTLED] = {
		"rt-uncount-throttled", "throttled real-time tasks do not count in nr_running",
		"f4ebcbc0d7e0 sched/rt: Substract number of tasks of throttled queues from rq->nr_running, of March 2014 (subject and release not verified)",
		"3.15-rc1", NULL, NULL, NULL, rt_uncount_throttled, NULL },
	[DELTA_RT_HEAD_ON_DROP] = {
		"rt-head-on-drop", "a change of policy that does not raise the priority queues the task first, not last, of its priority",
		"81a44c5441d7 sched: Queue RT tasks to head when prio drops",
		"3.15-rc1", NULL, NULL, NULL, rt_head_on_drop, NULL },
	[DELTA_ONE_SD_INIT] = {
		"one-sd-init",
		"domain levels SMT, MC, DIE and a NUMA for each distance, all from one initializer",
		"143e1e28cb40 sched: Rework sched_domain topology definition; NUMA by distance: cb83b629bae0 sched/numa: Rewrite the CONFIG_NUMA sched domain support, in 3.5-rc1",
		"3.16-rc1", NULL, "full-span-domains", NULL, one_sd_init, NULL },
	[DELTA_RT_SELECT_CHECK] = {
		"rt-select-check", "a real-time wake-up only chooses a CPU that runs something less important at that moment",
		"80e3d87b2c55 sched/rt: Reduce rq lock contention by eliminating locking of non-feasible target, its first half",
		"4.0-rc1", NULL, NULL, NULL, rt_select_check, NULL },
	[DELTA_RT_FIND_CHECK] = {
		"rt-find-check", "pushing gives up without taking the lock of a CPU that runs nothing less important",
		"80e3d87b2c55, its second half",
		"4.0-rc1", NULL, NULL, NULL, rt_find_check, NULL },
	[DELTA_RT_PUSH_LOWER_ONLY] = {
		"rt-push-lower-only", "takes rt-equal-push back: an equal priority is no reason to go elsewhere",
		"never landed: Tim Chen's patch in 'sched-rt: Reduce excessive task push rate by not pushing tasks with equal priority as the current task', 2015-01-22",
		"-", NULL, "rt-equal-push", NULL, rt_push_lower_only, NULL },
	[DELTA_DL_GRUB] = {
		"dl-grub", "deadline tasks with the flag RECLAIM use bandwidth that others leave",
		"2d4283e9d583 sched/deadline: Make GRUB a task's flag; c52f14d38462 sched/deadline: Implement GRUB accounting; 4da3abcefe17",
		"4.13-rc1", NULL, "dl-class", NULL, dl_grub, NULL },
	/* -- 5.4 -- */
	[DELTA_LB_ASYM_MARK] = {
		"lb-asym-mark", "packing is asked of a group that passed all other tests only",
		"490ba971d8b4 sched/fair: Clean up asym packing",
		"5.5-rc1", NULL, NULL, NULL, kver_lb_asym_mark, "lb-p1" },
	[DELTA_LB_SUM_H_NR] = {
		"lb-sum-h-nr", "sum_nr_running is called sum_h_nr_running: no behaviour",
		"a3498347 sched/fair: Rename sg_lb_stats::sum_nr_running to sum_h_nr_running (id not verified)",
		"5.5-rc1", NULL, NULL, NULL, kver_lb_sum_h_nr, "lb-p2" },
	[DELTA_LB_NO_SMALL_FIX] = {
		"lb-no-small-fix", "an imbalance of less than a task is left as it is",
		"fcf0553db6f4 sched/fair: Remove meaningless imbalance calculation",
		"5.5-rc1", NULL, "lb-asym-mark", NULL, kver_lb_no_small_fix, "lb-p3" },
	[DELTA_LB_GROUP_TYPES] = {
		"lb-group-types", "six group types and four kinds of migration replace the average load",
		"0b0695f2b34a sched/fair: Rework load_balance()",
		"5.5-rc1", NULL, "lb-no-small-fix", NULL, kver_lb_group_types, "lb-p4" },
	[DELTA_LB_ALL_CLASSES] = {
		"lb-all-classes", "tasks of all classes count in what a group can take",
		"5e23e4744315 sched/fair: Use rq->nr_running when balancing load",
		"5.5-rc1", NULL, "lb-group-types", NULL, kver_lb_all_classes, "lb-p5" },
	[DELTA_LB_LOAD_AVG] = {
		"lb-load-avg", "balancing sees the load of sleepers, too",
		"b0fb1eb4f04a sched/fair: Use load instead of runnable load in load_balance()",
		"5.5-rc1", NULL, "lb-group-types", NULL, kver_lb_load_avg, "lb-p6" },
	[DELTA_LB_SPREAD_CPUS] = {
		"lb-spread-cpus", "single CPUs even out their tasks, and a group's only task stays",
		"2ab4092fc82d sched/fair: Spread out tasks evenly when not overloaded",
		"5.5-rc1", NULL, "lb-group-types", NULL, kver_lb_spread_cpus, "lb-p7" },
	[DELTA_LB_MISFIT_UTIL] = {
		"lb-misfit-util", "a task too big for its CPU is told by its utilization, not its load",
		"c63be7be59de sched/fair: Use utilization to select misfit task",
		"5.5-rc1", NULL, "lb-group-types", NULL, kver_lb_misfit_util, "lb-p8" },
	[DELTA_WAKE_LOAD_AVG] = {
		"wake-load-avg", "placing sees the load of sleepers, too",
		"11f10e5420f6 sched/fair: Use load instead of runnable load in wakeup path",
		"5.5-rc1", NULL, NULL, NULL, kver_wake_load_avg, "lb-p9" },
	[DELTA_IDLEST_SINGLE_LOAD] = {
		"idlest-single-load", "fork and exec go to the group of least load, one load compared",
		"fc1273f4cefe sched/fair: Optimize find_idlest_group()",
		"5.5-rc1", NULL, "wake-load-avg", NULL, kver_idlest_single_load, "lb-p10" },
	[DELTA_IDLEST_TYPES] = {
		"idlest-types", "fork and exec compare groups by the balancer's types",
		"57abff067a08 sched/fair: Rework find_idlest_group()",
		"5.5-rc1", NULL, NULL, NULL, kver_idlest_types, "lb-p11" },
	[DELTA_IDLEST_WITHOUT_TASK] = {
		"idlest-without-task", "... without the task in question",
		"3318544b721d sched/fair: Fix rework of find_idlest_group()",
		"5.5-rc2", NULL, "idlest-types", NULL, kver_idlest_without_task, NULL },
	[DELTA_IDLEST_AFFINITY] = {
		"idlest-affinity", "... even if the task may not run in the local group",
		"find_idlest_group() handles CPU affinity (commit not identified)",
		"5.5", NULL, "idlest-types", NULL, kver_idlest_affinity, NULL },
	[DELTA_LB_RELAX_ON_FAILURE] = {
		"lb-relax-on-failure", "after failures a task of any load may be moved",
		"fix of spurious active migration (commit not identified)",
		"5.5", NULL, "lb-group-types", NULL, kver_lb_relax_on_failure, NULL },
	[DELTA_UTIL_EST_FASTUP] = {
		"util-est-fastup", "the remembered utilization follows a rise at once",
		"b8c96361402a sched/fair/util_est: Implement faster ramp-up EWMA on utilization increases",
		"5.5-rc1", NULL, NULL, NULL, kver_util_est_fastup, NULL },
	/* -- after 5.5: balancing and placing -- */
	[DELTA_ASYM_WAKE_SCAN] = {
		"asym-wake-scan", "on machines with unequal CPUs a waking task looks for an idle one on which it fits",
		"b7a331615d25 sched/fair: Add asymmetric CPU capacity wakeup scan; 000619680c37 sched/fair: Remove wake_cap()",
		"5.7-rc1", NULL, NULL, NULL, kver_asym_wake_scan, NULL },
	[DELTA_SCHED_IDLE_FIRST] = {
		"sched-idle-first", "a new task goes to a CPU with SCHED_IDLE tasks only before an idle one",
		"17346452b25b sched/fair: Make sched-idle CPU selection consistent throughout (id not verified)",
		"5.7-rc1", NULL, NULL, NULL, kver_sched_idle_first, NULL },
	[DELTA_IDLEST_FULL_STATS] = {
		"idlest-full-stats", "fork and exec see a group's number of CPUs and the average load of full ones",
		"289de3598481 sched/fair: Fix statistics for find_idlest_group(); 6c8116c914b6 sched/fair: Fix condition of avg_load calculation",
		"5.7-rc1", NULL, "idlest-types", NULL, kver_idlest_full_stats, NULL },
	[DELTA_LB_RUNNABLE_TYPES] = {
		"lb-runnable-types", "a group in which tasks wait for CPUs is overloaded, however little it seems to be used",
		"070f5e860ee2 sched/fair: Take into account runnable_avg to classify group",
		"5.7-rc1", NULL, "lb-group-types runnable-avg", NULL, kver_lb_runnable_types, NULL },
	[DELTA_LB_SPARE_TIES] = {
		"lb-spare-ties", "of two groups with as many idle CPUs the one with more tasks is the busier",
		"5f68eb19b571 sched/fair : Improve update_sd_pick_busiest for spare capacity case",
		"5.7-rc1", NULL, "lb-group-types", NULL, kver_lb_spare_ties, NULL },
	[DELTA_LB_QUEUE_FILTER] = {
		"lb-queue-filter", "a queue without fair tasks is not asked, nor for utilization one with a single task",
		"c32b4308295a sched/fair: Improve spreading of utilization; 0b9d46fc5ef7 in 5.8 (id not verified)",
		"5.7-rc1", NULL, "lb-group-types", NULL, kver_lb_queue_filter, NULL },
	[DELTA_IDLEST_LEAST_UTIL] = {
		"idlest-least-util", "fork and exec prefer the less used of two groups with as many idle CPUs",
		"3edecfef0280 sched/fair: update_pick_idlest() Select group with lowest group_util when idle_cpus are equal",
		"5.9-rc1", NULL, "idlest-types", NULL, kver_idlest_least_util, NULL },
	[DELTA_TIGHTER_DOMAINS] = {
		"tighter-domains", "17 % more load is too much between nodes, too, not 25 %; busy CPUs balance every 16th, not 32nd time",
		"2208cdaa56c9 sched/fair: Reduce minimal imbalance threshold; 6e7499135db7 sched/fair: Reduce busy load balance interval",
		"5.10-rc1", NULL, NULL, NULL, kver_tighter_domains, NULL },
	[DELTA_LB_BUSY_INTERVAL] = {
		"lb-busy-interval", "busy CPUs balance a jiffy earlier, so that levels do not come due together",
		"e4d32e4d5444 sched/fair: Minimize concurrent LBs between domain level",
		"5.10-rc1", NULL, NULL, NULL, kver_lb_busy_interval, NULL },
	[DELTA_LB_SHIFT_BOUND] = {
		"lb-shift-bound", "a task may be moved whose load or utilization is the imbalance; each failure doubles that",
		"5a7f55590467 sched/fair: Relax constraint on task's load during load balance; 39a2a6eb5c9b sched/fair: Fix shift-out-of-bounds in load_balance(); that of utilization is not identified",
		"5.10-rc1", NULL, "lb-group-types", NULL, kver_lb_shift_bound, NULL },
	[DELTA_LB_SMT_NOT_HOT] = {
		"lb-smt-not-hot", "no task is cache hot for the other thread of its core",
		"sched/fair: Ignore cache hotness for SMT migration (commit not identified)",
		"5.10-rc1", NULL, NULL, NULL, kver_lb_smt_not_hot, NULL },
	[DELTA_LB_NO_WRAP] = {
		"lb-no-wrap", "a local group busier than the busiest takes nothing, where the difference wrapped",
		"111688ca1c4a sched/fair: Fix negative imbalance in imbalance calculation",
		"5.10-rc1", NULL, "lb-group-types", NULL, kver_lb_no_wrap, NULL },
	[DELTA_LB_SPREAD_LLC] = {
		"lb-spread-llc", "CPUs that share a cache even out tasks or idle CPUs instead of utilization",
		"16b0a7a1a0af sched/fair: Ensure tasks spreading in LLC during LB",
		"5.10-rc4", NULL, "lb-group-types", NULL, kver_lb_spread_llc, NULL },
	[DELTA_WAKE_PREV_IDLE] = {
		"wake-prev-idle", "a waking task stays near its last CPU if that idles",
		"d8fcb81f1acf sched/fair: Check for idle core in wake_affine",
		"5.11-rc1", NULL, NULL, NULL, kver_wake_prev_idle, NULL },
	[DELTA_SIS_ONE_WALK] = {
		"sis-one-walk", "cores and CPUs are looked at in one walk, before that the task's old core",
		"9fe1f127b913 sched/fair: Merge select_idle_core/cpu(); c722f35b513f sched/fair: Bring back select_idle_smt(), but differently",
		"5.12-rc1", NULL, NULL, NULL, kver_sis_one_walk, NULL },
	[DELTA_SIS_SCAN_NEXT] = {
		"sis-scan-next", "the walk begins at the CPU after the target",
		"select_idle_cpu() starts at target + 1 (commit not identified)",
		"6.0", NULL, "sis-one-walk", NULL, kver_sis_scan_next, NULL },
	[DELTA_NOHZ_NEWILB] = {
		"nohz-newilb", "a CPU about to idle ages the load of other idle ones from its idle loop; balancing ages none",
		"0826530de3cb sched/fair: Remove update of blocked load from newidle_balance; c6f886546cb8 sched/fair: Trigger the update of blocked load on newly idle cpu",
		"5.13-rc1", NULL, NULL, NULL, kver_nohz_newilb, NULL },
	[DELTA_LB_ACTIVE_BY_TASK] = {
		"lb-active-by-task", "after failures a running task is pushed only to even out tasks; it may be hot, and the interval stays",
		"e9b9734b7465 sched/fair: Reduce cases for active balance; 23fb06d9602d, e5e678e4fea2 (ids not verified)",
		"5.13-rc1", NULL, "lb-group-types", NULL, kver_lb_active_by_task, NULL },
	[DELTA_LB_SKIP_KTHREADS] = {
		"lb-skip-kthreads", "kernel threads of one CPU stay without being taken for pinned tasks that hinder balancing",
		"9bcb959d05ee sched/fair: Ignore percpu threads for imbalance pulls",
		"5.13-rc1", NULL, NULL, NULL, kver_lb_skip_kthreads, NULL },
	[DELTA_LB_CAPACITY_MARGIN] = {
		"lb-capacity-margin", "capacities of CPUs differ from 5 % on, and the balancing CPU's own counts",
		"4aed8aa41524 sched/fair: Introduce a CPU capacity comparison helper",
		"5.13-rc1", NULL, "lb-group-types", NULL, kver_lb_capacity_margin, NULL },
	[DELTA_NOHZ_NEXT] = {
		"nohz-next", "who balances for idle CPUs begins with the next one; a CPU that goes idle has the others' due times looked at; a kick is free once it arrived",
		"7a82e5f52a35 sched/fair: Merge for each idle cpu loop of ILB; efd984c481ab sched/fair: Trigger nohz.next_balance updates when a CPU goes NOHZ-idle; 90b5363acd47",
		"5.15-rc1", NULL, NULL, NULL, kver_nohz_next, NULL },
	[DELTA_CLUSTER_LEVEL] = {
		"cluster-level", "a level of CPUs that share an L2 cache; NUMA levels from all distances; no domain reaches out of its parent; groups know their level",
		"778c558f49a2 sched: Add cluster scheduler level; 66558b730f25; 620a6dc40754 in 5.12, 585b6d2723dc in 5.13, c744dc4ab58d and 16d364ba6ef2 in 5.14",
		"5.16-rc1", NULL, "tighter-domains", NULL, kver_cluster_level, NULL },
	[DELTA_LB_ASYM_SMT] = {
		"lb-asym-smt", "packing counts the busy threads of a core; who is packed is not asked of the local group",
		"4006a72bdd93 sched/fair: Consider SMT in ASYM_PACKING load balance",
		"5.16-rc1", NULL, "cluster-level lb-group-types", NULL, kver_lb_asym_smt, NULL },
	[DELTA_RECENT_USED_PREV] = {
		"recent-used-prev", "a task remembers the CPU before its last one at each wake-up; its waker's memory is left alone",
		"89aafd67f28c sched/fair: Use prev instead of new target as recent_used_cpu",
		"5.16-rc1", NULL, NULL, NULL, kver_recent_used_prev, NULL },
	[DELTA_NEWIDLE_COST_GATE] = {
		"newidle-cost-gate", "a CPU going idle compares its idle time with the cost of its lowest domain, not with 0.5 ms",
		"c5b0a7eefc70 sched/fair: Remove sysctl_sched_migration_cost condition",
		"5.17-rc1", NULL, NULL, NULL, kver_newidle_cost_gate, NULL },
	[DELTA_NEWIDLE_COST_DECAY] = {
		"newidle-cost-decay", "the cost of newly-idle balancing includes ageing, and is forgotten a second after it last grew",
		"9e9af819db5d sched/fair: Account update_blocked_averages in newidle_balance cost; e60b56e46b38 sched/fair: Wait before decaying max_newidle_lb_cost",
		"5.17-rc1", NULL, NULL, NULL, kver_newidle_cost_decay, NULL },
	[DELTA_LB_NUMA_IMBALANCE] = {
		"lb-numa-imbalance", "a node with few tasks may be ahead of another by two",
		"b396f52326de sched/fair: Allow a small load imbalance between low utilisation SD_NUMA domains; 7d2b5dd0bcc4, e496132ebedd, cb29a5c19d2d",
		"5.18-rc1", NULL, "lb-group-types idlest-types cluster-level", NULL, kver_lb_numa_imbalance, NULL },
	[DELTA_IDLEST_ALLOWED] = {
		"idlest-allowed", "fork and exec count only CPUs the task may use",
		"update_sg_wakeup_stats() over p->cpus_ptr (commit not identified)",
		"6.1", NULL, "idlest-types", NULL, kver_idlest_allowed, NULL },
	[DELTA_LB_REDUCED_MISFIT] = {
		"lb-reduced-misfit", "the only task of a CPU that something else needs is moved like one too big for it",
		"c82a69629c53 sched/fair: fix case with reduced capacity CPU",
		"6.0-rc1", NULL, "lb-group-types", NULL, kver_lb_reduced_misfit, NULL },
	[DELTA_LB_NEWIDLE_EMPTY] = {
		"lb-newidle-empty", "a CPU that got a task while it balanced before idling stops",
		"792b9f65a568 sched: Allow newidle balancing to bail out of load_balance",
		"6.0-rc1", NULL, NULL, NULL, kver_lb_newidle_empty, NULL },
	[DELTA_SIS_UTIL] = {
		"sis-util", "the walk goes as far as the cache's utilization allows: SIS_UTIL, for SIS_PROP",
		"70fb5ccf2ebb sched/fair: Introduce SIS_UTIL to search idle CPU based on sum of util_avg",
		"6.0-rc1", NULL, "sis-one-walk", NULL, kver_sis_util, NULL },
	/* -- the rest of what came after 5.5 -- */
	[DELTA_NICE_ASKS_CLASS] = {
		"nice-asks-class", "a new nice value preempts as a wake-up would, and a task alone is left to run",
		"5443a0be6121 sched: Use fair:prio_changed() instead of ad-hoc implementation; 7c2e8bbd87db sched: Spare resched IPI when prio changes on a single fair task",
		"5.6-rc1", NULL, NULL, NULL, kver_nice_asks_class, NULL },
	[DELTA_WEIGHT_MIN_2] = {
		"weight-min-2", "a group of few shares weighs 2, not 0, where load is computed",
		"26cf52229efc sched: Avoid scale real weight down to zero",
		"5.7-rc1", NULL, NULL, NULL, kver_weight_min_2, NULL },
	[DELTA_RUNNABLE_AVG] = {
		"runnable-avg", "what could run is averaged as a number of tasks, not as the load of what is queued",
		"9f68395333ad sched/pelt: Add a new runnable average signal; 0dacee1bfa70 sched/pelt: Remove unused runnable load average; 6d4d22468dae sched/fair: Reorder enqueue/dequeue_task_fair path, 5ab297bab984",
		"5.7-rc1", NULL, "lb-load-avg wake-load-avg", NULL, kver_runnable_avg, NULL },
	[DELTA_SCHED_IDLE_BALANCES] = {
		"sched-idle-balances", "a CPU that has only SCHED_IDLE tasks left balances soon, and as often as an idle one",
		"323af6deaf70 sched/fair: Load balance aggressively for SCHED_IDLE CPUs",
		"5.7-rc1", NULL, NULL, NULL, kver_sched_idle_balances, NULL },
	[DELTA_PELT_EXACT_SUMS] = {
		"pelt-exact-sums", "what groups pass up is divided by the sum possible by now, not by the greatest",
		"95d685935a2e sched/pelt: Sync util/runnable_sum with PELT window when propagating; 87e867b4269f",
		"5.8-rc1", NULL, "runnable-avg", NULL, kver_pelt_exact_sums, NULL },
	[DELTA_THROTTLE_RETRY] = {
		"throttle-retry", "a queue about to be throttled asks for runtime once more; the pool is handed out as it is, not as it was",
		"e98fa02c4f2e sched/fair: Eliminate bandwidth race between throttling and distribution; ab93a4bc955b sched/fair: Remove distribute_running from CFS bandwidth; 26a8b12747c9",
		"5.8-rc1", NULL, NULL, NULL, kver_throttle_retry, NULL },
	[DELTA_WAKE_LIST_FIFO] = {
		"wake-list-fifo", "what others queued on a CPU's wake list is woken in that order, not the last one first",
		"a148866489fb sched: Replace rq::wake_list",
		"5.8-rc1", NULL, NULL, NULL, kver_wake_list_fifo, NULL },
	[DELTA_WAKE_LIST_SWITCHING] = {
		"wake-list-switching", "a task woken before it has left its CPU is queued there by that CPU, if no other runs there or it is far away",
		"2ebb17717550 sched/core: Offload wakee task activation if it the wakee is descheduling; c6e7bd7afaeb",
		"5.8-rc1", NULL, NULL, NULL, kver_wake_list_switching, NULL },
	[DELTA_DL_LIMITS] = {
		"dl-limits", "deadline periods lie between 100 us and 4 s, and small CPUs admit less",
		"b14c876b994f sched/deadline: Impose global limits on sched_attr::sched_period; 60ffd5edc5e4 sched/deadline: Improve admission control for asymmetric CPU capacities",
		"5.9-rc1", NULL, NULL, NULL, kver_dl_limits, NULL },
	[DELTA_NO_RT_SHARE] = {
		"no-rt-share", "RT_RUNTIME_SHARE is off by default: a CPU out of real-time runtime borrows none",
		"2586af1ac187 sched/rt: Disable RT_RUNTIME_SHARE by default",
		"5.10-rc1", NULL, NULL, NULL, kver_no_rt_share, NULL },
	[DELTA_ANY_DISTRIBUTES] = {
		"any-distributes", "where any CPU will do for a real-time or deadline task or for new allowed CPUs, each question gets another one",
		"14e292f8d453 sched,rt: Use cpumask_any*_distribute(); 46a87b3851f0 sched/core: Distribute tasks within affinity masks, in 5.7",
		"5.11-rc1", NULL, NULL, NULL, kver_any_distributes, NULL },
	[DELTA_CPUPRI_HIGHER] = {
		"cpupri-higher", "a CPU's first deadline task keeps real-time tasks from looking there",
		"b13772f81358 sched/cpupri: Add CPUPRI_HIGHER",
		"5.11-rc1", NULL, NULL, NULL, kver_cpupri_higher, NULL },
	[DELTA_IDLE_SWITCHES] = {
		"idle-switches", "the features HRTICK_DL and LATENCY_WARN, off: no behaviour here",
		"e0ee463c93c4 sched/features: Distinguish between NORMAL and DEADLINE hrtick; c006fac556e4 sched: Warn on long periods of pending need_resched",
		"5.13-rc1", NULL, NULL, NULL, kver_idle_switches, NULL },
	[DELTA_ALT_PERIOD] = {
		"alt-period", "slices share a period of all tasks of the CPU, and none is shorter than min_granularity: ALT_PERIOD, BASE_SLICE",
		"0c2de3f054a5 sched,fair: Alternative sched_slice()",
		"5.13-rc1", NULL, NULL, NULL, kver_alt_period, NULL },
	[DELTA_UTIL_EST_HIGH_FLAG] = {
		"util-est-high-flag", "the mark in a remembered utilization is the highest bit and does not count; a changed last value is kept",
		"68d7a190682a sched/fair: Fix util_est UTIL_AVG_UNCHANGED handling; b89997aa88f0 in 5.12; 8c1f560c1ea3 in 5.11",
		"5.13-rc6", NULL, "util-est-fastup", NULL, kver_util_est_high_flag, NULL },
	[DELTA_LEAF_KEEPS_PARENT] = {
		"leaf-keeps-parent", "a queue is aged as long as one of a child is, and whenever averages join it; ageing reports the parents' load, too",
		"fdaba61ef8a2 sched/fair: Ensure that the CFS parent is added after unthrottling; 0258bdfaff5b sched/fair: Fix unfairness caused by missing load decay; that of the parents' load is not identified",
		"5.13-rc7", NULL, NULL, NULL, kver_leaf_keeps_parent, NULL },
	[DELTA_BUDDIES_TILL_SET] = {
		"buddies-till-set", "a buddy is forgotten when it becomes current, not when it is picked: one that goes on stays a buddy",
		"21f56ffe4482 sched: Introduce sched_class::pick_task()",
		"5.14-rc1", NULL, NULL, NULL, kver_buddies_till_set, NULL },
	[DELTA_AVG_IDLE_AGED] = {
		"avg-idle-aged", "a wake-up's view of the average idle time is halved with each tick; the average is rounded towards what it was",
		"94aafc3ee31d sched/fair: Age the average idle time; the commit of the rounding is not identified",
		"5.14-rc1", NULL, NULL, NULL, kver_avg_idle_aged, NULL },
	[DELTA_CFS_BURST] = {
		"cfs-burst", "a group may save some of its quota for later periods",
		"f4183717b370 sched/fair: Introduce the burstable CFS controller",
		"5.14-rc1", NULL, NULL, NULL, kver_cfs_burst, NULL },
	[DELTA_LEAF_OF_THROTTLED] = {
		"leaf-of-throttled", "queues below a throttled one are not aged, and are again as long as their averages last when it goes on",
		"39f23ce07b93 sched/fair: Fix unthrottle_cfs_rq() for leaf_cfs_rq list; a7b359fc6a37, 2630cde26711, 51bf903b64bd in 6.1 (ids and releases not verified)",
		"5.15-rc1", NULL, "leaf-keeps-parent runnable-avg", NULL, kver_leaf_of_throttled, NULL },
	[DELTA_SWITCH_AGES] = {
		"switch-ages", "a running task that becomes real-time or deadline ages its class's utilization first",
		"fecfcbc288e9 sched/rt: Fix RT utilization tracking during policy change; d7d607096ae6",
		"5.14-rc1", NULL, NULL, NULL, kver_switch_ages, NULL },
	[DELTA_IDLE_GROUPS] = {
		"idle-groups", "a group may be idle (cpu.idle): beside others its tasks count as SCHED_IDLE",
		"304000390f88 sched: Cgroup SCHED_IDLE support; a480addecc0d in 5.16",
		"5.15-rc1", NULL, NULL, NULL, kver_idle_groups, NULL },
	[DELTA_IDLE_SLICES] = {
		"idle-slices", "what is idle has slices of idle_min_granularity at least, and less credit for sleeping",
		"51ce83ed523b sched: reduce sched slice for SCHED_IDLE entities; 2cae3948edd4 sched: adjust sleeper credit for SCHED_IDLE entities",
		"5.16-rc1", NULL, "alt-period idle-groups", NULL, kver_idle_slices, NULL },
	[DELTA_PELT_SUM_FLOOR] = {
		"pelt-sum-floor", "a sum from which something was taken stays possible for its average, computed in 32 bits",
		"98b0d890220d sched/pelt: Relax the sync of util_sum with util_avg; 95246d1ec80b, 2d02fa8cc21a",
		"5.17-rc2", NULL, "pelt-exact-sums", NULL, kver_pelt_sum_floor, NULL },
	[DELTA_THROTTLE_BY_PELT] = {
		"throttle-by-pelt", "for how long a queue was throttled is measured by the PELT clock",
		"64eaf50731ac sched/fair: Fix cfs_rq_clock_pelt() for throttled cfs_rq",
		"5.19-rc1", NULL, NULL, NULL, kver_throttle_by_pelt, NULL },
	[DELTA_PELT_LAG] = {
		"pelt-lag", "a sleeper that leaves an idle CPU is aged for the time that CPU has not seen; the PELT clock catches up when a CPU goes idle",
		"e2f3e35f1f5a sched/fair: Decay task PELT values during wakeup migration",
		"6.0-rc1", NULL, "runnable-avg", NULL, kver_pelt_lag, NULL },
	[DELTA_WAKE_LIST_IDLE] = {
		"wake-list-idle", "any task that goes to a CPU with nothing to run is queued there by that CPU",
		"f3dd3f674555 sched: Remove the limitation of WF_ON_CPU on wakelist if wakee cpu is idle; 28156108fecb",
		"6.0-rc1", NULL, "wake-list-switching", NULL, kver_wake_list_idle, NULL },
	[DELTA_ATTACH_IN_QUEUE_OPS] = {
		"attach-in-queue-ops", "a task joins a queue's averages when it is first queued there, and leaves them when it is taken off to migrate",
		"d6531ab6e5c7 sched/fair: Move task sched_avg attach to enqueue_task_fair(); e1f078f50478 sched/fair: Combine detach into dequeue when migrating task",
		"6.1-rc1", NULL, "runnable-avg", NULL, kver_attach_in_queue_ops, NULL },
	/* -- 6.1's stable tree -- */
	[DELTA_PUSH_RECHECKS] = {
		"push-rechecks", "a push that let its lock go asks whether its task is still the first, not what became of it",
		"690e47d1403e sched/rt: Fix race in push_rt_task; 8fd5485fb4f3 sched/deadline: Fix race in push_dl_task()",
		"6.1.y", NULL, NULL, NULL, kver_push_rechecks, NULL },
	[DELTA_PELT_IDLE_ALWAYS] = {
		"pelt-idle-always", "a CPU that goes idle after real-time or deadline work looks whether it had idle time, too",
		"17e3e88ed0b6 sched/fair: Fix pelt lost idle time detection, of 2025",
		"6.1.y", NULL, "pelt-lag", NULL, kver_pelt_idle_always, NULL },
	[DELTA_NO_RT_PUSH_IPI] = {
		"no-rt-push-ipi", "RT_PUSH_IPI is off by default: a CPU pulls by taking others' locks",
		"dd29c017aed6 sched/rt: Have RT_PUSH_IPI be default off for non PREEMPT_RT, 2026; in stable trees of 6.1 and 6.12",
		"6.1.y", NULL, NULL, NULL, kver_no_rt_push_ipi, NULL },
	[DELTA_LB_NO_WRAP_AVERAGE] = {
		"lb-no-wrap-average", "a local group above the average takes nothing, where the difference wrapped",
		"91dcf1e8068e sched/fair: Fix imbalance overflow; 6.3, in stable trees of 6.1",
		"6.1.y", NULL, "lb-no-wrap", NULL, kver_lb_no_wrap_average, NULL },
	[DELTA_AFFINE_COUNT] = {
		"affine-count", "an affine wake-up counts as one only if the task comes to the waker",
		"39afe5d6fc59 sched/fair: Fix inaccurate tally of ttwu_move_affine; in stable trees of 6.1",
		"6.1.y", NULL, NULL, NULL, kver_affine_count, NULL },
	[DELTA_LB_BALANCE_MASK] = {
		"lb-balance-mask", "a task that is pinned goes to a CPU that balances for the group, not to any of it",
		"6d7e4782bcf5 sched/fair: Fix the decision for load balance; in stable trees of 6.1",
		"6.1.y", NULL, NULL, NULL, kver_lb_balance_mask, NULL },
	[DELTA_LB_HOT_AT_DETACH] = {
		"lb-hot-at-detach", "a hot task counts as moved when it is moved",
		"a430d99e3490 sched/fair: Fix value reported by hot tasks pulled in /proc/schedstat; in stable trees of 6.1 and 6.12",
		"6.1.y", NULL, NULL, NULL, kver_lb_hot_at_detach, NULL },
	[DELTA_NEWIDLE_RANDOM] = {
		"newidle-random", "a CPU going idle tries a domain as often as that has helped lately: NI_RANDOM",
		"33cf66d88306 sched/fair: Proportional newidle balance; in stable trees of 6.1 and 6.12",
		"6.1.y", NULL, NULL, NULL, kver_newidle_random, NULL },
	[DELTA_NOHZ_STOP_AFTER_TICK] = {
		"nohz-stop-after-tick", "an idle CPU without a cpuidle driver keeps its tick until one has come while it idled",
		"f4c31b07b136 sched: idle: Consolidate the handling of two special cases, of 2026; in stable trees of 6.1 and 6.12",
		"6.1.y", NULL, NULL, NULL, kver_nohz_stop_after_tick, NULL },
	/* -- after 6.1: balancing and placing -- */
	[DELTA_LB_ASYM_IDLE_CORE] = {
		"lb-asym-idle-core", "ranks of CPUs count only between threads of a core and for CPUs of idle cores",
		"ca528cc501ac sched/fair: Do not even the number of busy CPUs via asym_packing, eefefa716c9f, 18ad34532755, c9ca07886aaa (ids not verified)",
		"6.5-rc1", NULL, "lb-asym-smt", NULL, kver_lb_asym_idle_core, NULL },
	[DELTA_LB_UTIL_BOOST] = {
		"lb-util-boost", "the queue that gives utilization is found by what runs or waits there",
		"7d0583cf9ec7 sched/fair, cpufreq: Introduce 'runnable boosting'",
		"6.5-rc1", NULL, "lb-group-types runnable-avg", NULL, kver_lb_util_boost, NULL },
	[DELTA_PKG_LEVEL] = {
		"pkg-level", "DIE is called PKG and ranked, SMT is not; clusters are marked; groups know the level that is left below them",
		"f577cd57bfaa sched/topology: Rename 'DIE' domain to 'PKG'; 16d364ba6ef2; cluster and group flags not identified",
		"6.7-rc1", NULL, "cluster-level", NULL, kver_pkg_level, NULL },
	[DELTA_LB_SMT_BALANCE] = {
		"lb-smt-balance", "an idle CPU takes a task of a core that has two; of full groups the last is the busiest",
		"fee1759e4f04 sched/fair: Determine active load balance for SMT sched groups; 5fd6d7f43958 sched/fair: Keep a fully_busy SMT sched group as busiest",
		"6.6-rc1", NULL, "lb-spare-ties pkg-level", NULL, kver_lb_smt_balance, NULL },
	[DELTA_LB_SIBLING_CORES] = {
		"lb-sibling-cores", "idle CPUs alone spread tasks, in proportion to cores, and as the busiest group's level says",
		"7ff1693236f5 sched/fair: Implement prefer sibling imbalance calculation between asymmetric groups; d24cb0d9113f sched/topology: Record number of cores in sched group",
		"6.6-rc1", NULL, "pkg-level lb-group-types", NULL, kver_lb_sibling_cores, NULL },
	[DELTA_LB_CORE_FIRST] = {
		"lb-core-first", "a CPU of an idle core balances for its group before one of a busy core",
		"b1bfeab9b002 sched/fair: Consider the idle state of the whole core for load balance; f8858d96061f sched/fair: Optimize should_we_balance() for large SMT systems",
		"6.6-rc1", NULL, NULL, NULL, kver_lb_core_first, NULL },
	[DELTA_SIS_CLUSTERS] = {
		"sis-clusters", "the walk begins with the target's cluster; there is no SIS_PROP any more",
		"8881e1639f1f sched/fair: Scan cluster before scanning LLC in wake-up path; 22165f61d0c4; 984ffb6a4366 sched/fair: Remove SIS_PROP, 6.7",
		"6.8-rc1", NULL, "pkg-level sis-util", NULL, kver_sis_clusters, NULL },
	[DELTA_NEWIDLE_CONTINUE] = {
		"newidle-continue", "balancing before idling ends when an attempt finds that a task came, not by another look",
		"c829d6818b60 sched/fair: Simplify the continue_balancing logic in sched_balance_newidle()",
		"6.10-rc1", NULL, "lb-newidle-empty", NULL, kver_newidle_continue, NULL },
	[DELTA_LB_MISFIT_QUIET] = {
		"lb-misfit-quiet", "unequal CPUs: a misfit that could not be moved is no failure, and one on the best CPU it may use is none",
		"6.10's changes of misfits (commits not identified)",
		"6.10-rc1", NULL, "lb-group-types", NULL, kver_lb_misfit_quiet, NULL },
	/* -- after 6.1 -- */
	[DELTA_ASYNC_UNTHROTTLE] = {
		"async-unthrottle", "who hands runtime to throttled queues of other CPUs interrupts these, and each sees to its own",
		"8ad075c2eb1f sched: Async unthrottling for cfs bandwidth",
		"6.3-rc1", NULL, "throttle-retry", NULL, kver_async_unthrottle, NULL },
	[DELTA_QUOTA_PHASE] = {
		"quota-phase", "periods of quotas begin at a time of their own for each group, drawn when it is made",
		"41abdba93747 sched: Interleave cfs bandwidth timers for improved single thread performance at low utilization",
		"6.3-rc1", NULL, NULL, NULL, kver_quota_phase, NULL },
	[DELTA_WAKE_QUEUED_QUIET] = {
		"wake-queued-quiet", "a wake-up that finds its task queued preempts nobody if it runs, pushes nothing and ends no idle time",
		"ttwu_runnable() as of 6.12 (commits not identified)",
		"6.3", NULL, NULL, NULL, kver_wake_queued_quiet, NULL },
	[DELTA_EEVDF] = {
		"eevdf", "of the tasks that had no more than their part the one with the earliest deadline runs; a sleeper comes back with the lag it left with",
		"147f3efaa241 sched/fair: Implement an EEVDF-like scheduling policy; 86bfbb7ce4f6 sched/fair: Add lag based placement; e8f331bcc270, d07f09a1f99c, e4ec3318a17f",
		"6.6-rc1", NULL, "runnable-avg util-est-high-flag buddies-till-set", NULL, kver_eevdf, NULL },
	[DELTA_RUN_TO_PARITY] = {
		"run-to-parity", "what runs finishes its slice while it has had no more than its part",
		"63304558ba5d sched/eevdf: Curb wakeup-preemption",
		"6.6-rc4", NULL, "eevdf", NULL, kver_run_to_parity, NULL },
	[DELTA_WAKE_LIST_NOT_STOP] = {
		"wake-list-not-stop", "a stopper is woken under its queue's lock, never through a wake list",
		"f0498d2a54e7 sched: Fix stop_one_cpu_nowait() vs hotplug",
		"6.7-rc1", NULL, NULL, NULL, kver_wake_list_not_stop, NULL },
	[DELTA_TG_LOAD_RATELIMIT] = {
		"tg-load-ratelimit", "a queue reports to its group's load once per ms at most",
		"1528c661c24b sched/fair: Ratelimit update to tg->load_avg",
		"6.7-rc1", NULL, NULL, NULL, kver_tg_load_ratelimit, NULL },
	[DELTA_LEAF_KEEPS_CONTRIB] = {
		"leaf-keeps-contrib", "a queue is aged as long as its group's load counts it",
		"cfs_rq_is_decayed() looks at the contribution (commit not identified)",
		"6.7", NULL, "leaf-keeps-parent", NULL, kver_leaf_keeps_contrib, NULL },
	[DELTA_UTIL_EST_SINGLE] = {
		"util-est-single", "one average is remembered of a task's utilization, kept while the task had to wait",
		"11137d384996 sched/fair: Simplify util_est",
		"6.8-rc1", NULL, "util-est-high-flag", NULL, kver_util_est_single, NULL },
	[DELTA_SHARES_IF_LOADED] = {
		"shares-if-loaded", "a group's weight stays while its queue is empty, and is not written anew if it is equal",
		"update_cfs_group() returns early (commit not identified)",
		"6.9", NULL, NULL, NULL, kver_shares_if_loaded, NULL },
	[DELTA_INIT_UTIL_SCALED] = {
		"init-util-scaled", "a new task's utilization is guessed by its weight, not by 1024 times that",
		"72bffbf57c52 sched/fair: Fix initial util_avg calculation",
		"6.10-rc1", NULL, NULL, NULL, kver_init_util_scaled, NULL },
	[DELTA_SCHEDSTAT_16] = {
		"schedstat-16", "/proc/schedstat has version 16: of a domain's balancing that of busy CPUs comes first",
		"sched/debug: Increase SCHEDSTAT_VERSION to 16 (commit not identified)",
		"6.11-rc1", NULL, NULL, NULL, kver_schedstat_16, NULL },
	[DELTA_PLACE_REL_DEADLINE] = {
		"place-rel-deadline", "a task that is moved or changed keeps what is left until its deadline",
		"82e9d0456e06 sched/fair: Avoid re-setting virtual deadline on 'migrations'",
		"6.12-rc1", NULL, "eevdf", NULL, kver_place_rel_deadline, NULL },
	[DELTA_PICK_BEFORE_PUT] = {
		"pick-before-put", "the next task is chosen before the last one is put back, and one that goes on is not touched",
		"fd03c5b85855 sched: Rework pick_next_task(); b2d70222dbf2",
		"6.12-rc1", NULL, "eevdf", NULL, kver_pick_before_put, NULL },
	[DELTA_DELAY_DEQUEUE] = {
		"delay-dequeue", "a task that sleeps with a debt stays on its queue until it is paid back, and is woken there",
		"152e11f6df29 sched/fair: Implement delayed dequeue; 54a58a787791 sched/fair: Implement DELAY_ZERO; fc1892becd56",
		"6.12-rc1", NULL, "eevdf pick-before-put", NULL, kver_delay_dequeue, NULL },
	[DELTA_PREEMPT_SHORT] = {
		"preempt-short", "a woken task with a shorter slice may end that of the running one",
		"85e511df3cec sched/eevdf: Allow shorter slices to wakeup-preempt",
		"6.12-rc1", NULL, "run-to-parity", NULL, kver_preempt_short, NULL },
	[DELTA_GROUP_MIN_SLICE] = {
		"group-min-slice", "a group's entity has the shortest slice of its queue",
		"aef6987d8954 sched/eevdf: Propagate min_slice up the cgroup hierarchy",
		"6.12-rc1", NULL, "eevdf", NULL, kver_group_min_slice, NULL },
	[DELTA_FAIR_SERVER] = {
		"fair-server", "a deadline server gives fair tasks 50 ms in each second where real-time tasks leave them less",
		"557a6bfc662c sched/fair: Add trivial fair server; 63ba8422f876, a110a81c52a9",
		"6.12-rc1", NULL, "eevdf pick-before-put", NULL, kver_fair_server, NULL },
	[DELTA_NO_RT_THROTTLE] = {
		"no-rt-throttle", "real-time tasks of a CPU are not throttled, however long they run",
		"5f6bd380c7bd sched/rt: Remove default bandwidth control",
		"6.12-rc1", NULL, NULL, NULL, kver_no_rt_throttle, NULL },
	[DELTA_BASE_SLICE_700US] = {
		"base-slice-700us", "base_slice 0.75 to 0.7 ms (before scaling), so that it is no multiple of a tick",
		"2ae891b82695 sched: Reduce the default slice to avoid tasks getting an extra tick; in 6.12's stable tree",
		"6.15-rc1", NULL, "eevdf", NULL, kver_base_slice_700us, NULL },
	[DELTA_PICK_BUDDY] = {
		"pick-buddy", "a group that lost a task to sleep runs next if it is eligible; its switch is not NEXT_BUDDY any more",
		"commit not identified; in 6.12's stable tree",
		"6.14", NULL, "eevdf", NULL, kver_pick_buddy, NULL },
	[DELTA_SERVER_STAYS] = {
		"server-stays", "the fair server goes on looking when the last fair task sleeps, and stops when it finds none to run",
		"cccb45d7c429 sched/deadline: Less agressive dl_server handling, 4ae8d9aa9f9d; in 6.12's stable tree",
		"6.17", NULL, "fair-server", NULL, kver_server_stays, NULL },
	[DELTA_YIELD_TO_DEADLINE] = {
		"yield-to-deadline", "a task that yields and is eligible has its deadline behind it: its vruntime, not only the deadline, moves",
		"79104becf42b sched/fair: Forfeit vruntime on yield; in 6.12's stable tree",
		"6.18", NULL, "eevdf", NULL, kver_yield_to_deadline, NULL },
};
/* clang-format on */

const struct kver_delta *kver_delta(uint32_t i)
{
	return i < DELTA_COUNT ? &deltas[i] : NULL;
}

#define CLASSIC_35 DELTA_RANGE(DELTA_SHORT_SLICES, DELTA_RQ_CPU_POWER)

#define RULES_33                                                                                   \
	((CLASSIC_35 & ~DELTA_BIT(DELTA_NOHZ_RATELIMIT)) |                                         \
	 DELTA_RANGE(DELTA_CPU_LOAD_CATCH_UP, DELTA_LB_GROUP_BREAK))
/* One set for the real-time class of 3.18 and 3.19; the fair class is 3.4's. */
#define RULES_318                                                                                  \
	((RULES_34RC2 & ~DELTA_BIT(DELTA_CPUPRI_NOT_TOP)) | DELTA_BIT(DELTA_LB_MIN_FEATURE) |      \
	 DELTA_RANGE(DELTA_RT_PULL_PUSHABLE, DELTA_ONE_SD_INIT))
#define RULES_34RC2 (RULES_33 | DELTA_BIT(DELTA_LB_RQ_LIST) | DELTA_BIT(DELTA_LB_RELOCK))

#define RULES_55 DELTA_RANGE(DELTA_LB_ASYM_MARK, DELTA_UTIL_EST_FASTUP)
#define RULES_61 (RULES_55 | DELTA_RANGE(DELTA_ASYM_WAKE_SCAN, DELTA_ATTACH_IN_QUEUE_OPS))
/* What 6.1.192, as Debian 12 has it, took over after 6.1. */
#define RULES_61_STABLE DELTA_RANGE(DELTA_PUSH_RECHECKS, DELTA_NOHZ_STOP_AFTER_TICK)
#define RULES_612                                                                                  \
	(RULES_61 | DELTA_RANGE(DELTA_LB_NO_WRAP_AVERAGE, DELTA_LB_BALANCE_MASK) |                 \
	 DELTA_RANGE(DELTA_LB_ASYM_IDLE_CORE, DELTA_NO_RT_THROTTLE))
/* What 6.12.117, as Debian 12 has it in its backports, took over after 6.12. */
#define RULES_612_STABLE                                                                           \
	(RULES_61_STABLE | DELTA_RANGE(DELTA_BASE_SLICE_700US, DELTA_YIELD_TO_DEADLINE))

/* clang-format off */
static const struct kver_profile profiles[] = {
	{ "2.6.31", KVER_CLASSIC, 0, "v0.09", true, false, "2.6.34's rules without stale-h-load" },
	{ "2.6.32", KVER_CLASSIC, DELTA_BIT(DELTA_STALE_H_LOAD), "v0.09", true, false, "2.6.34's rules" },
	{ "2.6.33", KVER_CLASSIC, DELTA_BIT(DELTA_STALE_H_LOAD), "v0.09", true, false, "2.6.34's rules" },
	{ "2.6.34", KVER_CLASSIC, DELTA_BIT(DELTA_STALE_H_LOAD), "v0.09", false, false, NULL },
	{ "2.6.35-rc2", KVER_CLASSIC, DELTA_BIT(DELTA_STALE_H_LOAD) | CLASSIC_35, "v0.09", false, false, NULL },
	{ "2.6.35", KVER_CLASSIC, CLASSIC_35, "v0.09", false, false, NULL },
	{ "3.3", KVER_CLASSIC, RULES_33, "v0.10", false, false, NULL },
	{ "3.4-rc2", KVER_CLASSIC, RULES_34RC2, "v0.10", false, false, NULL },
	{ "3.4", KVER_CLASSIC, RULES_34RC2 | DELTA_BIT(DELTA_LB_MIN_FEATURE), "v0.10", false, false, NULL },
	{ "3.18", KVER_CLASSIC, RULES_318, "v0.11", false, true, "the real-time class is exact; fair tasks run by 3.4's rules" },
	{ "3.19", KVER_CLASSIC, RULES_318, "v0.11", false, true, "the real-time class is exact; fair tasks run by 3.4's rules" },
	{ "4.0", KVER_CLASSIC, RULES_318 | DELTA_BIT(DELTA_RT_SELECT_CHECK) | DELTA_BIT(DELTA_RT_FIND_CHECK), "v0.11", false, true, "the real-time class is exact; fair tasks run by 3.4's rules" },
	{ "5.4", KVER_PELT, 0, "v0.11", true, false, "NUMA balancing is missing" },
	{ "5.5", KVER_PELT, RULES_55, "v0.11", true, false, "as 5.4; what changed outside balancing and wake-ups was not read" },
	{ "6.1", KVER_PELT, RULES_61, "v0.11", true, false, "without NUMA balancing, energy model and core scheduling" },
	{ "6.1-debian", KVER_PELT, RULES_61 | RULES_61_STABLE, "v0.11", true, false, "6.1.192; as 6.1" },
	{ "6.12", KVER_PELT, RULES_612, "v0.11", true, false, "NUMA balancing is missing" },
	{ "6.12-debian", KVER_PELT, RULES_612 | RULES_612_STABLE, "v0.11", true, false, "6.12.117; as 6.12" },
};
/* clang-format on */

enum kver_family kver_delta_family(uint32_t i)
{
	return i < DELTA_PELT_FIRST ? KVER_CLASSIC : KVER_PELT;
}

u128 kver_delta_bit(uint32_t i)
{
	CHECK(i < DELTA_COUNT);
	return DELTA_BIT(i);
}

bool kver_set_has(const struct kver_profile *p, u128 set, uint32_t i)
{
	return kver_delta_family(i) == p->family && (set & kver_delta_bit(i));
}

const struct kver_profile *kver_profile(uint32_t i)
{
	return i < sizeof(profiles) / sizeof(profiles[0]) ? &profiles[i] : NULL;
}
