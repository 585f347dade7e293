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
	uint32_t imbalance_pct;
	uint32_t busy_idx, idle_idx, newidle_idx, wake_idx, forkexec_idx;
	uint32_t busy_factor;
	uint32_t cache_nice_tries;
	uint32_t smt_gain;
	uint32_t min_interval_ms, max_interval_ms;
	bool max_interval_per_cpu; /* max_interval_ms is multiplied by the number of CPUs */
	uint32_t balance_interval_ms;
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
};

/* 2.6.34 and 2.6.35 on x86-64: SIBLING, MC, CPU, NODE, ALLNODES. */
extern const struct domain_rules domain_rules_classic;
/* 3.3 and 3.4: the same levels, but none above the first that spans every CPU. */
extern const struct domain_rules domain_rules_full_span;
/* From 3.16 on, up to 4.0: SMT, MC, DIE and a NUMA for each distance from node 0. */
extern const struct domain_rules domain_rules_one_init;

/*
 * Build the domains of all online CPUs of T. Results live in A (zeroed, as an
 * arena must be); SCRATCH needs no zeroing and may be reset afterwards. False
 * when one of them is too small; then `failed` is set there and OUT is useless.
 * domains_bytes_max() and domains_scratch_bytes_max() are always enough; 4,096
 * CPUs take about 10 MiB and 1 MiB.
 */
bool domains_build(struct domain_set *out, const struct topology *t,
		   const struct domain_rules *rules, uint64_t jiffies, struct arena *a,
		   struct arena *scratch);

/* What domains_build() can need at most for T under RULES, in bytes. */
size_t domains_bytes_max(const struct topology *t, const struct domain_rules *rules);
size_t domains_scratch_bytes_max(const struct topology *t, const struct domain_rules *rules);

/*
 * Verify every invariant of S the slow way: spans grow, own group first and
 * a lower domain's span, groups partition the span unless they overlap,
 * ids are dense. FRESH: nothing ran yet, so powers also add up. Returns false
 * and says in WHY what is wrong first.
 */
bool domains_audit(const struct domain_set *s, bool fresh, struct buf *why);

#endif
