/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels from 5.4 on: the rules of 5.4 as the base, and what later commits changed. The
 * eleven patches of the load balancing rework come one by one, in upstream order, then
 * the fixes that 5.5 got before its release.
 */
#include "kver/modern.h"

#include "sched/balance/lb_steps.h"
#include "sched/core/core.h"
#include "sched/domain/domain.h"
#include "sched/fair/preempt.h"
#include "sched/fair/shares_pelt.h"
#include "sched/pelt/util_est.h"
#include "sched/select/select_pelt.h"

static void set_all(struct kver *v, const enum feature *f, unsigned n, bool known)
{
	for (unsigned i = 0; i < n; i++) {
		feature_set_add(&v->features, f[i]);
		if (known)
			feature_set_add(&v->known, f[i]);
	}
}

#define COUNT_OF(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))

void kver_base_54(struct kver *v)
{
	/* sched_features in the kernel's order, those that are on */
	static const enum feature on[] = {
		FEAT_GENTLE_FAIR_SLEEPERS,
		FEAT_START_DEBIT,
		FEAT_LAST_BUDDY,
		FEAT_CACHE_HOT_BUDDY,
		FEAT_WAKEUP_PREEMPTION,
		FEAT_NONTASK_CAPACITY,
		FEAT_TTWU_QUEUE,
		FEAT_SIS_PROP,
		FEAT_RT_PUSH_IPI,
		FEAT_RT_RUNTIME_SHARE,
		FEAT_ATTACH_AGE_LOAD,
		FEAT_WA_IDLE,
		FEAT_WA_WEIGHT,
		FEAT_WA_BIAS,
		FEAT_UTIL_EST,
	};
	static const enum feature off[] = {
		FEAT_NEXT_BUDDY,  FEAT_HRTICK, FEAT_DOUBLE_TICK,
		FEAT_SIS_AVG_CPU, FEAT_LB_MIN, FEAT_WARN_DOUBLE_CLOCK,
	};
	static const enum feature rules[] = {
		FEAT_FAIR_SLEEPERS,
		FEAT_WAKEUP_PREEMPT,
		FEAT_LATE_RESCHED_CLEAR,
		FEAT_SIGNED_TICK_LEAD,
		FEAT_RELATIVE_BEFORE_MIN,
		FEAT_NEXT_BUDDY_ON_SLEEP,
		FEAT_FORK_CLOCK,
		FEAT_CLASS_ORDER_PREEMPT,
		FEAT_IDLE_NEEDS_EMPTY,
		FEAT_IDLE_POLICY_COLD,
		FEAT_LB_RQ_LIST,
		FEAT_RT_KEEP_HIGHER,
		FEAT_RT_PUSH_EQUAL,
		FEAT_RT_FORK_SELECT,
		FEAT_RT_SELECT_CHECK,
		FEAT_RT_FIND_CHECK,
		FEAT_RT_PULL_PUSHABLE,
		FEAT_RT_PULL_IN_PICK,
		FEAT_RT_UNCOUNT_THROTTLED,
		FEAT_RT_HEAD_ON_DROP,
		FEAT_CPUPRI_ALL,
		FEAT_BALANCE_CALLBACKS,
		FEAT_DL_CLASS,
		FEAT_DL_GRUB,
		FEAT_WEIGHTS_SCALED,
		FEAT_MIN_OF_QUEUED,
		FEAT_RENORM_AFTER_UPDATE,
		FEAT_SLEEP_ABSOLUTE,
		FEAT_AVG_IDLE_CAPPED,
		FEAT_FORK_NOT_COUNTED,
		FEAT_MOVE_IN_STAGES,
		FEAT_CHANGE_REQUEUES,
		FEAT_LB_RECENT_LAST,
		FEAT_CLOCK_SKIP_ONCE,
		FEAT_SKIP_CLOCK_BY_CURR,
		FEAT_WAKE_SELF,
		FEAT_WAKE_LIST_POLLED,
		FEAT_CFS_BANDWIDTH,
		FEAT_QUEUED_LOCKS,
	};

	set_all(v, on, COUNT_OF(on), true);
	set_all(v, rules, COUNT_OF(rules), false);
	for (unsigned i = 0; i < COUNT_OF(off); i++)
		feature_set_add(&v->known, off[i]);
	v->tun = (struct tunables){
		.latency_ns = 6000000,
		.min_granularity_ns = 750000,
		.wakeup_granularity_ns = 1000000,
		.nr_latency = 8,
		.migration_cost_ns = 500000,
		.nr_migrate = 32,
		.child_runs_first = 0,
		.rt_period_us = 1000000,
		.rt_runtime_us = 950000,
		.cfs_bandwidth_slice_us = 5000,
	};
	v->tun_known = (UINT64_C(1) << TUNABLE_COUNT) - 1;
	v->tun_known &=
		~(UINT64_C(1) << TUN_shares_ratelimit_ns | UINT64_C(1) << TUN_shares_thresh |
		  UINT64_C(1) << TUN_idle_min_granularity_ns | UINT64_C(1) << TUN_base_slice_ns);
	v->hz = 250;
	v->preempt = PREEMPT_VOLUNTARY;
	v->no_hz = true;
	v->has_autogroup = true;
	v->same_policy_stays = true;
	v->rt_weight = RT_WEIGHT_AS_NICE;
	v->schedstat_version = 15;
	v->fair = &fair_ops_with_curr;
	v->select = &select_ops_scan;
	v->lb = &lb_ops_detach;
	v->busiest = &busiest_ops_average;
	v->trigger = &trigger_ops_cost;
	v->share = &share_ops_pelt;
	v->wake = &wake_ops_queue;
	v->pick = &pick_ops_in_class;
	v->nohz = &nohz_ops_flags;
	v->domains = &domain_rules_54;
	v->util_est = &util_est_low_flag;
}

void kver_lb_asym_mark(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_ASYM_MARK);
}

void kver_lb_sum_h_nr(struct kver *v)
{
	/* a name only: sum_nr_running became sum_h_nr_running */
	(void)v;
}

void kver_lb_no_small_fix(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_NO_SMALL_FIX);
}

void kver_lb_group_types(struct kver *v)
{
	v->busiest = &busiest_ops_types;
}

void kver_lb_all_classes(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_ALL_CLASSES);
}

void kver_lb_load_avg(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_LOAD_AVG);
}

void kver_lb_spread_cpus(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_SPREAD_CPUS);
}

void kver_lb_misfit_util(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_MISFIT_UTIL);
}

void kver_wake_load_avg(struct kver *v)
{
	feature_set_add(&v->features, FEAT_WAKE_LOAD_AVG);
}

void kver_idlest_single_load(struct kver *v)
{
	feature_set_add(&v->features, FEAT_IDLEST_SINGLE_LOAD);
}

void kver_idlest_types(struct kver *v)
{
	feature_set_add(&v->features, FEAT_IDLEST_TYPES);
}

void kver_idlest_without_task(struct kver *v)
{
	feature_set_add(&v->features, FEAT_IDLEST_WITHOUT_TASK);
}

void kver_idlest_affinity(struct kver *v)
{
	feature_set_add(&v->features, FEAT_IDLEST_AFFINITY);
}

void kver_lb_relax_on_failure(struct kver *v)
{
	feature_set_add(&v->features, FEAT_LB_RELAX_ON_FAILURE);
}

void kver_util_est_fastup(struct kver *v)
{
	feature_set_add(&v->features, FEAT_UTIL_EST_FASTUP);
	feature_set_add(&v->known, FEAT_UTIL_EST_FASTUP);
}
