/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling domains and groups, one chain of domains per CPU, lowest first.
 *
 * A domain says over which CPUs (span) and how a CPU balances at one level; its
 * groups partition the span. Each CPU has its own copy of a domain, because the
 * kernel keeps timers, failure counts and statistics per CPU; spans are shared
 * by all CPUs that have the same ones. Groups are shared as the kernel shares
 * them: by all CPUs of a span, except at NODE, where each node has a ring of
 * its own, so that power refreshed in one node is not seen by another.
 *
 * sched/domain/domain.h builds them. All is in one arena, read-only except for
 * the fields said to change.
 *
 * Linux: include/linux/sched.h struct sched_domain, struct sched_group, 2.6.3x to 3.4.
 */
#ifndef RUNQLAB_MODEL_DOMAIN_H
#define RUNQLAB_MODEL_DOMAIN_H

#include "base/mask.h"

#include <stdbool.h>
#include <stdint.h>

enum sd_flag {
#define SD_FLAG(name, bit) SD_##name = (bit),
#include "model/sd_flags.def"
#undef SD_FLAG
};

/* Why a CPU balances; also the index of the statistics below, as in /proc/schedstat. */
enum cpu_idle_type {
	CPU_IDLE,
	CPU_NOT_IDLE,
	CPU_NEWLY_IDLE,
	CPU_IDLE_TYPES,
};

/* Counters of one domain copy, 32-bit unsigned in the kernel; here 64-bit, printed modulo 2^32. */
struct domain_stats {
	uint64_t lb_count[CPU_IDLE_TYPES];
	uint64_t lb_balanced[CPU_IDLE_TYPES];
	uint64_t lb_failed[CPU_IDLE_TYPES];
	uint64_t lb_imbalance[CPU_IDLE_TYPES];
	uint64_t lb_gained[CPU_IDLE_TYPES];
	uint64_t lb_hot_gained[CPU_IDLE_TYPES];
	uint64_t lb_nobusyq[CPU_IDLE_TYPES];
	uint64_t lb_nobusyg[CPU_IDLE_TYPES];
	uint64_t alb_count, alb_failed, alb_pushed;
	uint64_t ttwu_wake_remote, ttwu_move_affine;
};

struct sched_group {
	struct sched_group *next; /* ring over the groups of a domain: by first CPU, NODE by node */
	const struct mask *cpus;
	const uint16_t *cpu; /* the same CPUs as a list, ascending */
	uint32_t ncpus;
	uint32_t id;             /* dense over the machine; printing and audits order by it */
	uint32_t cpu_power;      /* 1024 = one full CPU; refreshed by balancing */
	uint32_t cpu_power_orig; /* before frequency and real-time scaling */
	uint64_t next_update;    /* [jiffies] next power refresh, kernels that rate-limit it */
	uint32_t nr_busy_cpus;   /* CPUs that do not idle, kernels that count them */
};

struct sched_domain {
	/* read by every walk */
	struct sched_domain *parent; /* NULL at the top */
	struct sched_domain *child;  /* NULL at the bottom */
	struct sched_group *groups;  /* this CPU's own group; the ring starts here */
	const struct mask *span;
	uint32_t span_weight;
	uint32_t flags; /* enum sd_flag */
	uint32_t imbalance_pct;
	uint32_t level; /* 0 at the bottom, after degenerate levels were removed */
	uint32_t busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	uint32_t busy_factor;
	uint32_t cache_nice_tries;
	uint32_t smt_gain;
	uint32_t min_interval_ms, max_interval_ms;

	/* changed by balancing on behalf of this domain's CPU */
	uint64_t last_balance; /* [jiffies] */
	uint32_t balance_interval_ms;
	uint32_t nr_balance_failed;
	uint64_t last_update_ns; /* shares were distributed over the domain (classic shares) */

	struct domain_stats stats;
	const char *name; /* the kernel's: SIBLING, MC, DIE ... */
};

/* The domains of a whole machine. */
struct domain_set {
	uint32_t ncpus;               /* length of bottom[] and width of every mask */
	struct sched_domain **bottom; /* [cpu] lowest domain; NULL if offline or alone */
	uint32_t ndomains;            /* copies over all CPUs */
	uint32_t nlevels;             /* length of the longest chain */
	uint32_t ngroups;
	struct sched_group **group; /* [id] */
};

#endif
