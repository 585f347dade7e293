/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a machine to the sched domains a kernel builds for it.
 *
 * domains_build() derives everything anew from the topology and the rules of
 * the kernel at hand; call it at start and, with another arena (or the same one
 * zeroed again), when CPUs go on- or offline. Nothing refers to the topology or
 * to the scratch memory afterwards.
 *
 * Kernels differ in data (struct domain_rules: level parameters, limits, flags)
 * and in the way levels come about (struct topo_ops, one file per idea, see
 * build.h). An ops only plans spans and rings of groups; dropping degenerate
 * levels, copying domains per CPU and sharing memory is common to all.
 */
#ifndef RUNQLAB_SCHED_DOMAIN_DOMAIN_H
#define RUNQLAB_SCHED_DOMAIN_DOMAIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/domain.h"
#include "model/topology.h"

struct topo_ops;

/* The numbers of one level; zero where the kernel's initializer says nothing. */
struct domain_params {
	const char *name;
	uint32_t flags; /* enum sd_flag */
	bool packs;     /* and SD_ASYM_PACKING on machines that rank their CPUs, from 5.4 on */
	uint32_t imbalance_pct;
	uint32_t busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	uint32_t busy_factor;
	uint32_t cache_nice_tries;
	uint32_t smt_gain;
	uint32_t min_interval_ms, max_interval_ms;
	bool max_interval_per_cpu; /* max_interval_ms is multiplied by the number of CPUs */
	uint32_t balance_interval_ms;
};

/* Whether groups remember the flags of the domain whose span they are. */
enum group_flags {
	GROUP_FLAGS_NONE,
	GROUP_FLAGS_AS_BUILT, /* also of one that was then removed, but cleared above the lowest */
	GROUP_FLAGS_REPAIRED, /* of the one that is left, in a CPU's own group */
};

struct domain_rules {
	const char *name;
	const struct topo_ops *ops;
	const struct domain_params *params; /* [nparams], lowest level first; meaning is the ops' */
	uint32_t nparams;
	uint32_t nodes_per_domain; /* most nodes one NUMA domain spans */
	bool stop_at_full_span;    /* no level above the first that spans every CPU */
	bool powers_cpus;       /* CPUs know their power from boot on, not from the first refresh */
	bool node_rings_by_cpu; /* groups of nodes are ordered by first CPU, not by node number */
	uint32_t flags_need_groups; /* useless in a domain with a single group */
	uint32_t flags_alone;       /* useful in a domain with a single group */
	uint32_t flags_handed_down; /* a dropped domain leaves these to the one below it */
	bool numa_by_distance; /* a NUMA level for each distance; nodes_per_domain plays no part */
	uint32_t far_distance; /* beyond it a NUMA level has the parameters for far ones */

	/* kernels from 5.4 on */
	bool shares_capacity; /* groups have a struct sched_group_capacity, CPUs their top_domains */
	bool has_cluster;     /* a level for the CPUs of a cluster */
	bool distances_of_all; /* NUMA levels by the distances between all nodes, not node 0's only */
	bool groups_descend;   /* a group that would reach out of its domain is taken from below */
	bool asym_by_domain; /* each domain is asked for unequal CPUs; else one level has the flag */
	bool extremes_of_sums; /* see struct capacity_source */
	bool has_imb_numa;     /* domains have an imb_numa_nr */
	enum group_flags group_flags;
	enum sd_words words;
};

/* 2.6.34 and 2.6.35 on x86-64: SIBLING, MC, CPU, NODE, ALLNODES. */
extern const struct domain_rules domain_rules_classic;
/* 3.3 and 3.4: the same levels, but none above the first that spans every CPU. */
extern const struct domain_rules domain_rules_full_span;
/* From 3.16 on, up to 4.0: SMT, MC, DIE and a NUMA for each distance from node 0. */
extern const struct domain_rules domain_rules_one_init;

/* 5.4 and 5.5: SMT, MC, DIE, NODE and NUMA levels, groups that share their capacity. */
extern const struct domain_rules domain_rules_54;
/* 5.10 changed their numbers: less imbalance is too much, busy CPUs balance more often. */
extern const struct domain_rules domain_rules_510;
/* 6.1: a level for clusters, NUMA levels from all distances, other numbers. */
extern const struct domain_rules domain_rules_61;
/* 6.12: DIE is called PKG, groups' flags follow the levels that are left. */
extern const struct domain_rules domain_rules_612;

/* The moment at which domains come to life. */
struct domain_start {
	uint64_t jiffies;
	uint32_t hz; /* ticks per second, for intervals that are kept in jiffies */
};

/*
 * Build the domains of all online CPUs of T. Results live in A (zeroed, as an
 * arena must be); SCRATCH needs no zeroing and may be reset afterwards. False
 * when one of them is too small; then `failed` is set there and OUT is useless.
 * domains_bytes_max() and domains_scratch_bytes_max() are always enough; 4,096
 * CPUs take about 10 MiB and 1 MiB.
 */
bool domains_build(struct domain_set *out, const struct topology *t,
		   const struct domain_rules *rules, const struct domain_start *start,
		   struct arena *a, struct arena *scratch);

/* What domains_build() can need at most for T under RULES, in bytes. */
size_t domains_bytes_max(const struct topology *t, const struct domain_rules *rules);
size_t domains_scratch_bytes_max(const struct topology *t, const struct domain_rules *rules);

/*
 * Capacity of CPU as the scheduler of these kernels knows it before any load, 1..1024.
 * Linux: arch_scale_cpu_capacity(); 5.4 to 6.1: 1024 on x86.
 * Deviation: 6.12 knows the capacities of hybrid x86 machines without SMT.
 */
uint64_t arch_cpu_capacity(const struct topology *t, uint32_t cpu);

/*
 * How much CPU is preferred when tasks are packed: lower numbers unless firmware ranks them.
 * Linux: arch_asym_cpu_priority().
 */
int64_t asym_cpu_priority(const struct topology *t, uint32_t cpu);

/* --- while running: kernels with shares_capacity --- */

/* Where update_group_capacity() learns what a CPU can do, and when it is. */
struct capacity_source {
	/* The capacity of CPU, computed anew and kept for capacity_of(); at least 1. */
	uint64_t (*refresh)(void *ctx, uint32_t cpu);
	/* The capacity of CPU as last kept. */
	uint64_t (*capacity_of)(void *ctx, uint32_t cpu);
	void *ctx;
	uint64_t jiffies;
	uint32_t hz;
	uint64_t interval_max; /* [jiffies] see max_load_balance_interval() */
	/* Over overlapping groups least and most are taken of the running sums, as 5.4 does. */
	bool extremes_of_sums;
};

/*
 * Refresh the capacity of CPU's own group of SD, one of its domains, from what is
 * below: the CPU itself, the groups of the child, or, where the child's groups
 * overlap, the CPUs. When the next refresh is due, too.
 * Linux: kernel/sched/fair.c update_group_capacity(), 5.4 to 6.12.
 */
void update_group_capacity(struct sched_domain *sd, uint32_t cpu, const struct capacity_source *s);

/* [jiffies] Longest time between two attempts in a domain. Linux: update_max_interval(). */
static inline uint64_t max_load_balance_interval(uint32_t hz, uint32_t nonline)
{
	return (uint64_t)hz * nonline / 10;
}

/*
 * What CPU, with the chain from BOTTOM (NULL: none), looks up often.
 * Linux: kernel/sched/topology.c update_top_cache_domain(), 5.4 to 6.12.
 */
void top_domains_find(struct top_domains *out, struct sched_domain *bottom, uint32_t cpu,
		      const struct domain_rules *rules);

/*
 * Verify every invariant of S the slow way: spans grow, own group first and
 * a lower domain's span, groups partition the span unless they overlap,
 * ids are dense, what groups share is shared rightly. FRESH: nothing ran yet, so
 * powers and capacities also add up. Returns false
 * and says in WHY what is wrong first.
 */
bool domains_audit(const struct domain_set *s, bool fresh, struct buf *why);

#endif
