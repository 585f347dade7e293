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
 * Kernels from 5.4 on keep what changes about a group beside it, in a struct
 * sched_group_capacity (sgc). Groups of overlapping spans are each CPU's own in
 * these kernels, and those with the same CPUs share one sgc. CPUs of a node with
 * numbers in a row have the same groups in the same order, so here they share
 * the groups, too.
 *
 * sched/domain/domain.h builds them. All is in one arena, read-only except for
 * the fields said to change.
 *
 * Linux: include/linux/sched.h struct sched_domain, struct sched_group, 2.6.3x to 3.4;
 * include/linux/sched/topology.h struct sched_domain, struct sched_domain_shared,
 * kernel/sched/sched.h struct sched_group, struct sched_group_capacity, 5.4 to 6.12.
 */
#ifndef RUNQLAB_MODEL_DOMAIN_H
#define RUNQLAB_MODEL_DOMAIN_H

#include "base/mask.h"
#include "model/cpu_sums.h"

#include <stdbool.h>
#include <stdint.h>

enum sd_flag {
#define SD_FLAG(name, bit) SD_##name = (bit),
#include "model/sd_flags.def"
#undef SD_FLAG
};

/* How a kernel calls the flags, for printing. */
enum sd_words {
	SD_WORDS_CPUPOWER,    /* SHARE_CPUPOWER, SHARE_PKG_RESOURCES */
	SD_WORDS_CPUCAPACITY, /* SHARE_CPUCAPACITY, SHARE_PKG_RESOURCES; 5.4 */
	SD_WORDS_LLC,         /* SHARE_CPUCAPACITY, SHARE_LLC; 6.12 */
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

/*
 * What groups with the same CPUs at the same level have in common. Everything but
 * the balance mask changes: balancing refreshes the capacities.
 */
struct sched_group_capacity {
	uint64_t capacity;                   /* of its CPUs together, 1024 = one full CPU */
	uint64_t min_capacity, max_capacity; /* of a CPU of the group */
	uint64_t next_update; /* [jiffies] refreshed by a newly idle CPU from then on */
	bool imbalance;       /* tasks that may not run elsewhere keep the group below unequal */
	/* the kernel's number: first CPU of the balance mask, the one that speaks for the group */
	uint32_t id;
	/* CPUs whose own group at this level it is; only they may balance for it */
	const struct mask *balance_mask;
	const struct cpu_sums *sums; /* of its CPUs, sched/select/cpu_sums.h; NULL: not kept */
};

/* What the CPUs of a span that share a cache have in common. Changes. */
struct sched_domain_shared {
	uint32_t nr_busy_cpus; /* CPUs of the span that do not idle */
	uint32_t nr_idle_scan; /* how many CPUs a wake-up may look at; kernels that bound it by load */
	uint32_t id;           /* first CPU of the span */
	bool has_idle_cores; /* a core may be wholly idle */
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
	/* kernels from 5.4 on; they leave power and next_update above 0 */
	struct sched_group_capacity *sgc; /* NULL in other kernels */
	uint32_t flags;           /* of the domain whose span it is; kernels that keep them */
	uint32_t cores;           /* cores its CPUs belong to */
	uint32_t asym_prefer_cpu; /* its CPU of highest priority; with SD_ASYM_PACKING */
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
	uint32_t level;       /* 0 at the bottom, after degenerate levels were removed */
	uint32_t topo_level;  /* the kernel's own number: counts removed ones, too; from 5.4 on */
	uint32_t imb_numa_nr; /* tasks that may be ahead in another node; kernels from 6.1 on */
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
	/* kernels from 5.4 on */
	struct sched_domain_shared *shared; /* of CPUs that share a cache; else NULL */
	uint64_t max_newidle_lb_cost_ns;    /* what balancing here took at most, decaying */
	/* [jiffies] when that decays next; kernels with NEWIDLE_COST_DECAY: when it last changed */
	uint64_t next_decay_max_lb_cost;
	/* newly-idle attempts lately, how many of them helped, and out of 1024 before that; NI_RANDOM */
	uint32_t newidle_call, newidle_success, newidle_ratio;
	uint64_t avg_scan_cost_ns; /* what looking for an idle CPU takes */

	struct domain_stats stats;
	const char *name; /* the kernel's: SIBLING, MC, DIE ... */
};

/*
 * Domains that a CPU looks up often, found once; NULL if there is none.
 * Linux: kernel/sched/topology.c update_top_cache_domain(), per-CPU variables of these names.
 */
struct top_domains {
	struct sched_domain *sd_llc; /* highest whose CPUs share a cache */
	struct sched_domain_shared *sd_llc_shared;
	struct sched_domain *sd_numa;             /* lowest that spans nodes */
	struct sched_domain *sd_asym_packing;     /* highest that packs */
	struct sched_domain *sd_asym_cpucapacity; /* lowest that sees unequal CPUs (6.1: all kinds) */
	uint32_t sd_llc_size;                     /* CPUs in sd_llc; 1 without */
	uint32_t sd_llc_id; /* first CPU of sd_llc; the CPU itself without: equal ids share a cache */
	uint32_t sd_share_id; /* first CPU of the cluster, or else sd_llc_id */
};

/* The domains of a whole machine. */
struct domain_set {
	uint32_t ncpus;               /* length of bottom[] and width of every mask */
	struct sched_domain **bottom; /* [cpu] lowest domain; NULL if offline or alone */
	uint32_t ndomains;            /* copies over all CPUs */
	uint32_t nlevels;             /* length of the longest chain */
	uint32_t ngroups;
	struct sched_group **group; /* [id] */
	uint32_t nsgcs;
	struct sched_group_capacity **sgc; /* [nsgcs], each once; none in kernels before 5.4 */
	enum sd_words words;
	bool has_smt;     /* a core has two threads online */
	bool has_asym;    /* a domain sees CPUs of different capacities */
	bool has_cluster; /* a domain spans a cluster and is no other */
};

#endif
