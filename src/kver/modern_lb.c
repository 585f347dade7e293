/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From 5.5 to 6.1 and 6.12: what changed in domains, balancing and placing. In upstream order:
 * up to 6.1; what stable trees of 6.1 took over later; up to 6.12.
 */
#include "kver/modern_lb.h"

#include "sched/domain/domain.h"

static void set(struct kver *v, enum feature f)
{
	feature_set_add(&v->features, f);
}

void kver_asym_wake_scan(struct kver *v)
{
	set(v, FEAT_ASYM_WAKE_SCAN);
}

void kver_sched_idle_first(struct kver *v)
{
	set(v, FEAT_SCHED_IDLE_FIRST);
}

void kver_idlest_full_stats(struct kver *v)
{
	set(v, FEAT_IDLEST_FULL_STATS);
}

void kver_lb_runnable_types(struct kver *v)
{
	set(v, FEAT_LB_RUNNABLE_TYPES);
}

void kver_lb_spare_ties(struct kver *v)
{
	set(v, FEAT_LB_SPARE_TIES);
}

void kver_lb_queue_filter(struct kver *v)
{
	set(v, FEAT_LB_QUEUE_FILTER);
}

void kver_idlest_least_util(struct kver *v)
{
	set(v, FEAT_IDLEST_LEAST_UTIL);
}

void kver_tighter_domains(struct kver *v)
{
	v->domains = &domain_rules_510;
}

void kver_lb_busy_interval(struct kver *v)
{
	set(v, FEAT_LB_BUSY_INTERVAL);
}

void kver_lb_shift_bound(struct kver *v)
{
	set(v, FEAT_LB_SHIFT_BOUND);
}

void kver_lb_smt_not_hot(struct kver *v)
{
	set(v, FEAT_LB_SMT_NOT_HOT);
}

void kver_lb_no_wrap(struct kver *v)
{
	set(v, FEAT_LB_NO_WRAP);
}

void kver_lb_spread_llc(struct kver *v)
{
	set(v, FEAT_LB_SPREAD_LLC);
}

void kver_wake_prev_idle(struct kver *v)
{
	set(v, FEAT_WAKE_PREV_IDLE);
}

void kver_sis_one_walk(struct kver *v)
{
	set(v, FEAT_SIS_ONE_WALK);
}

void kver_sis_scan_next(struct kver *v)
{
	set(v, FEAT_SIS_SCAN_NEXT);
}

void kver_nohz_newilb(struct kver *v)
{
	set(v, FEAT_NOHZ_NEWILB);
}

void kver_lb_active_by_task(struct kver *v)
{
	set(v, FEAT_LB_ACTIVE_BY_TASK);
}

void kver_lb_skip_kthreads(struct kver *v)
{
	set(v, FEAT_LB_SKIP_KTHREADS);
}

void kver_lb_capacity_margin(struct kver *v)
{
	set(v, FEAT_LB_CAPACITY_MARGIN);
}

void kver_nohz_next(struct kver *v)
{
	set(v, FEAT_NOHZ_NEXT);
}

void kver_cluster_level(struct kver *v)
{
	v->domains = &domain_rules_61;
	set(v, FEAT_SD_ALL_BALANCE);
}

void kver_lb_asym_smt(struct kver *v)
{
	set(v, FEAT_LB_ASYM_SMT);
}

void kver_recent_used_prev(struct kver *v)
{
	set(v, FEAT_RECENT_USED_PREV);
}

void kver_newidle_cost_gate(struct kver *v)
{
	set(v, FEAT_NEWIDLE_COST_GATE);
}

void kver_newidle_cost_decay(struct kver *v)
{
	set(v, FEAT_NEWIDLE_COST_DECAY);
}

void kver_lb_numa_imbalance(struct kver *v)
{
	set(v, FEAT_LB_NUMA_IMBALANCE);
}

void kver_idlest_allowed(struct kver *v)
{
	set(v, FEAT_IDLEST_ALLOWED);
}

void kver_lb_reduced_misfit(struct kver *v)
{
	set(v, FEAT_LB_REDUCED_MISFIT);
}

void kver_lb_newidle_empty(struct kver *v)
{
	set(v, FEAT_LB_NEWIDLE_EMPTY);
}

void kver_sis_util(struct kver *v)
{
	set(v, FEAT_SIS_UTIL);
	feature_set_add(&v->known, FEAT_SIS_UTIL);
	feature_set_remove(&v->features, FEAT_SIS_PROP);
	feature_set_remove(&v->known, FEAT_SIS_AVG_CPU);
}

void kver_lb_no_wrap_average(struct kver *v)
{
	set(v, FEAT_LB_NO_WRAP_AVERAGE);
}

void kver_affine_count(struct kver *v)
{
	set(v, FEAT_AFFINE_COUNT);
}

void kver_lb_balance_mask(struct kver *v)
{
	set(v, FEAT_LB_BALANCE_MASK);
}

void kver_lb_hot_at_detach(struct kver *v)
{
	set(v, FEAT_LB_HOT_AT_DETACH);
}

void kver_newidle_random(struct kver *v)
{
	set(v, FEAT_NI_RANDOM);
	feature_set_add(&v->known, FEAT_NI_RANDOM);
}

void kver_nohz_stop_after_tick(struct kver *v)
{
	set(v, FEAT_NOHZ_STOP_AFTER_TICK);
}

void kver_lb_asym_idle_core(struct kver *v)
{
	set(v, FEAT_LB_ASYM_IDLE_CORE);
}

void kver_lb_util_boost(struct kver *v)
{
	set(v, FEAT_LB_UTIL_BOOST);
}

void kver_pkg_level(struct kver *v)
{
	v->domains = &domain_rules_612;
}

void kver_lb_smt_balance(struct kver *v)
{
	set(v, FEAT_LB_SMT_BALANCE);
}

void kver_lb_sibling_cores(struct kver *v)
{
	set(v, FEAT_LB_SIBLING_CORES);
}

void kver_lb_core_first(struct kver *v)
{
	set(v, FEAT_LB_CORE_FIRST);
}

void kver_sis_clusters(struct kver *v)
{
	set(v, FEAT_SIS_CLUSTERS);
	feature_set_remove(&v->known, FEAT_SIS_PROP);
}

void kver_newidle_continue(struct kver *v)
{
	set(v, FEAT_NEWIDLE_CONTINUE);
}

void kver_lb_misfit_quiet(struct kver *v)
{
	set(v, FEAT_LB_MISFIT_QUIET);
}
