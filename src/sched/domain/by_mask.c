/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The levels of kernels from 5.4 on: a table of masks, SMT, (from 6.1 on: CLS,) MC, DIE, NODE and
 * a NUMA level for each further distance. A CPU has a domain at each level up to the first that
 * spans all CPUs. One initializer serves all of them: the same numbers and flags everywhere,
 * intervals from the number of CPUs, and a few changes by what the CPUs share. Every level
 * below NUMA asks for tasks to be spread over the groups of its parent.
 *
 * The masks, by the ids of struct topo_cpu:
 *
 *	SMT	core
 *	CLS	cluster; CPUs in none have their core's threads
 *	MC	llc. x86 takes its last-level cache. arm64 takes the smallest of node, package and
 *		last-level cache that lie in each other, and the package is the cluster on machines
 *		described by a device tree, which know no caches. A big.LITTLE cluster has its own
 *		L2, so its `llc` is the cluster; on servers `llc` lies in the package. So `llc` is
 *		right for all of them, and `cluster`, a part of it, is not looked at by 5.4.
 *	DIE, NODE	node
 *
 * Where a package of an x86 machine has several nodes, DIE is left out. CPUs of different
 * capacity: 5.4 marks one level, the lowest from which everyone sees the greatest capacity, and
 * has wake-ups balance there and below; later kernels look at each domain.
 *
 * Linux: kernel/sched/topology.c sd_init(), sched_init_numa(), asym_cpu_capacity_level(),
 * asym_cpu_capacity_classify(), build_sched_domains(), 5.4 to 6.12; arch/x86/kernel/smpboot.c
 * x86_topology, drivers/base/arch_topology.c cpu_coregroup_mask().
 * Deviation: a machine of a device tree without any cache is taken to share nothing. 6.1 and
 * 6.12 call a cluster that spans the whole cache MC on arm64; a topology has no such cluster.
 */
#include "sched/domain/draft.h"

#include "base/check.h"
#include "base/fixed.h"

#include <string.h>

enum by_mask_level {
	BY_MASK_SMT,
	BY_MASK_CLS,
	BY_MASK_MC,
	BY_MASK_DIE,
	BY_MASK_NODE,
	BY_MASK_NUMA,
	BY_MASK_PARAMS,
};

#define NODE_RECLAIM_DISTANCE 30u
#define FULL_CAPACITY 1024u

#define SD_BASE                                                                                    \
	(SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE |                 \
	 SD_PREFER_SIBLING)
#define SD_54 (SD_LOAD_BALANCE | SD_BASE)
#define SD_NODES (SD_NUMA | SD_OVERLAP | SD_SERIALIZE)
/* What a domain of nodes that are far apart lacks. */
#define SD_NEAR_ONLY (SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)

#define LEVEL(level_name, level_flags, pct, busy, tries, packs_cpus)                               \
	{                                                                                          \
		.name = (level_name), .flags = (level_flags), .imbalance_pct = (pct),              \
		.busy_factor = (busy), .cache_nice_tries = (tries), .packs = (packs_cpus),         \
	}

/* clang-format off */
static const struct domain_params params_54[BY_MASK_PARAMS] = {
	[BY_MASK_SMT]  = LEVEL("SMT", SD_54 | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 110, 32, 0, true),
	[BY_MASK_CLS]  = {.name = NULL},
	[BY_MASK_MC]   = LEVEL("MC", SD_54 | SD_SHARE_PKG_RESOURCES, 117, 32, 1, true),
	[BY_MASK_DIE]  = LEVEL("DIE", SD_54, 125, 32, 1, false),
	[BY_MASK_NODE] = LEVEL("NODE", SD_54, 125, 32, 1, false),
	[BY_MASK_NUMA] = LEVEL("NUMA", (SD_54 & ~SD_PREFER_SIBLING) | SD_NODES, 125, 32, 2, false),
};

static const struct domain_params params_510[BY_MASK_PARAMS] = {
	[BY_MASK_SMT]  = LEVEL("SMT", SD_54 | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 110, 16, 0, true),
	[BY_MASK_CLS]  = {.name = NULL},
	[BY_MASK_MC]   = LEVEL("MC", SD_54 | SD_SHARE_PKG_RESOURCES, 117, 16, 1, true),
	[BY_MASK_DIE]  = LEVEL("DIE", SD_54, 117, 16, 1, false),
	[BY_MASK_NODE] = LEVEL("NODE", SD_54, 117, 16, 1, false),
	[BY_MASK_NUMA] = LEVEL("NUMA", (SD_54 & ~SD_PREFER_SIBLING) | SD_NODES, 117, 16, 2, false),
};

static const struct domain_params params_61[BY_MASK_PARAMS] = {
	[BY_MASK_SMT]  = LEVEL("SMT", SD_BASE | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 110, 16, 0, true),
	[BY_MASK_CLS]  = LEVEL("CLS", SD_BASE | SD_SHARE_PKG_RESOURCES, 117, 16, 1, true),
	[BY_MASK_MC]   = LEVEL("MC", SD_BASE | SD_SHARE_PKG_RESOURCES, 117, 16, 1, true),
	[BY_MASK_DIE]  = LEVEL("DIE", SD_BASE, 117, 16, 1, false),
	[BY_MASK_NODE] = LEVEL("NODE", SD_BASE, 117, 16, 1, false),
	[BY_MASK_NUMA] = LEVEL("NUMA", (SD_BASE & ~SD_PREFER_SIBLING) | SD_NODES, 117, 16, 2, false),
};

static const struct domain_params params_612[BY_MASK_PARAMS] = {
	[BY_MASK_SMT]  = LEVEL("SMT", SD_BASE | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES, 110, 16, 0, false),
	[BY_MASK_CLS]  = LEVEL("CLS", SD_BASE | SD_CLUSTER | SD_SHARE_PKG_RESOURCES, 117, 16, 1, true),
	[BY_MASK_MC]   = LEVEL("MC", SD_BASE | SD_SHARE_PKG_RESOURCES, 117, 16, 1, true),
	[BY_MASK_DIE]  = LEVEL("PKG", SD_BASE, 117, 16, 1, true),
	[BY_MASK_NODE] = LEVEL("NODE", SD_BASE, 117, 16, 1, false),
	[BY_MASK_NUMA] = LEVEL("NUMA", (SD_BASE & ~SD_PREFER_SIBLING) | SD_NODES, 117, 16, 2, false),
};
/* clang-format on */

void *draft_alloc(struct domain_build *b, size_t n, size_t size)
{
	void *p = arena_alloc(b->scratch, n, size);

	if (p)
		memset(p, 0, n * size);
	return p;
}

uint64_t arch_cpu_capacity(const struct topology *t, uint32_t cpu)
{
	return t->arch == TOPO_ARCH_X86 ? FULL_CAPACITY : t->cpu[cpu].capacity;
}

/* --- levels --- */

/*
 * Does a package of this x86 machine reach over several nodes? HOME is scratch for one node a
 * package. Linux: x86_has_numa_in_package.
 */
static bool has_numa_in_package(const struct domain_build *b, uint16_t *home)
{
	const struct topology *t = b->t;

	if (t->arch != TOPO_ARCH_X86)
		return false;
	for (uint32_t i = 0; i < TOPO_CPUS_MAX; i++)
		home[i] = SPAN_NONE;
	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		const struct topo_cpu *c = &t->cpu[b->all.cpu[i]];

		CHECK(c->package < TOPO_CPUS_MAX);
		if (home[c->package] != SPAN_NONE && home[c->package] != c->node)
			return true;
		home[c->package] = (uint16_t)c->node;
	}
	return false;
}

/* Distances that make NUMA levels, ascending in DISTANCE[255]; returns how many. */
static uint32_t distances_used(const struct domain_build *b, uint32_t *distance)
{
	const struct topology *t = b->t;
	bool seen[256] = {false};
	uint32_t n = 0;

	if (!b->rules->distances_of_all) {
		for (; (distance[n] = numa_distance_at(t, n)) > 0; n++)
			CHECK(n < 255);
		return n;
	}
	for (uint32_t i = 0; i < t->nnodes; i++)
		for (uint32_t j = 0; j < t->nnodes; j++)
			if (i != j && b->node_part[i] != SPAN_NONE && b->node_part[j] != SPAN_NONE)
				seen[topo_distance(t, i, j)] = true;
	for (uint32_t i = 0; i < 256; i++)
		if (seen[i])
			distance[n++] = i;
	return n;
}

static struct draft_level *add_level(struct draft *d, enum by_mask_level kind)
{
	const struct domain_params *params = &d->b->rules->params[kind];
	struct draft_level *lv = &d->level[d->nlevels++];

	lv->l.params = params;
	lv->flags = params->flags;
	if (params->packs && d->b->t->has_priority)
		lv->flags |= SD_ASYM_PACKING;
	return lv;
}

static bool add_partition(struct draft *d, enum by_mask_level kind, struct partition *p)
{
	struct draft_level *lv = add_level(d, kind);

	return level_from_partition(d->b, &lv->l, lv->l.params, p);
}

static bool add_nodes(struct draft *d, uint32_t distance)
{
	const struct topology *t = d->b->t;
	uint32_t far = t->reclaim_distance ? t->reclaim_distance : d->b->rules->far_distance;
	struct draft_level *below = &d->level[d->nlevels - 1];
	struct draft_level *lv = add_level(d, BY_MASK_NUMA);

	if (distance > far)
		lv->flags &= ~(uint32_t)SD_NEAR_ONLY;
	return spans_by_distance(d->b, &lv->l, distance, &below->l);
}

static bool plan_levels(struct draft *d)
{
	struct domain_build *b = d->b;
	uint16_t *home = draft_alloc(b, TOPO_CPUS_MAX, sizeof(*home));
	uint32_t distance[256], ndistances = distances_used(b, distance);

	CHECK(b->rules->nparams == BY_MASK_PARAMS);
	d->level = draft_alloc(b, BY_MASK_NUMA + ndistances, sizeof(*d->level));
	if (!home || !d->level)
		return false;
	if (!add_partition(d, BY_MASK_SMT, &b->core))
		return false;
	if (b->rules->has_cluster && !add_partition(d, BY_MASK_CLS, &b->cluster))
		return false;
	if (!add_partition(d, BY_MASK_MC, &b->llc))
		return false;
	if (!has_numa_in_package(b, home) && !add_partition(d, BY_MASK_DIE, &b->node))
		return false;
	if (!add_partition(d, BY_MASK_NODE, &b->node))
		return false;
	for (uint32_t i = 0; i < ndistances; i++)
		if (!add_nodes(d, distance[i]))
			return false;
	return true;
}

static bool span_draw(struct domain_build *b, struct cpu_span *s)
{
	void *mem;

	if (s->draft)
		return true;
	mem = draft_alloc(b, 1, mask_size(b->t->ncpus));
	if (!mem)
		return false;
	s->draft = mask_init(mem, b->t->ncpus);
	for (uint32_t i = 0; i < s->ncpus; i++)
		mask_set(s->draft, s->cpu[i]);
	return true;
}

/* Masks of all spans, and of each CPU alone. */
static bool draw_spans(struct draft *d)
{
	for (uint32_t i = 0; i < d->b->cpu.nspans; i++)
		if (!span_draw(d->b, &d->b->cpu.span[i]))
			return false;
	for (uint32_t i = 0; i < d->nlevels; i++)
		for (uint32_t s = 0; s < d->level[i].l.nspans; s++)
			if (!span_draw(d->b, d->level[i].l.span[s]))
				return false;
	return true;
}

/* --- CPUs of different capacity --- */

static bool cpus_differ(const struct domain_build *b)
{
	for (uint32_t i = 1; i < b->all.ncpus; i++)
		if (arch_cpu_capacity(b->t, b->all.cpu[i]) !=
		    arch_cpu_capacity(b->t, b->all.cpu[0]))
			return true;
	return false;
}

/* The lowest level at which every CPU sees one as great as any it ever sees; nlevels: none. */
static uint32_t asym_level(const struct draft *d)
{
	const struct domain_build *b = d->b;
	uint32_t found = 0;
	bool any = false;

	for (uint32_t n = 0; n < b->all.ncpus && cpus_differ(b); n++) {
		uint32_t cpu = b->all.cpu[n];
		uint64_t greatest = arch_cpu_capacity(b->t, cpu);

		for (uint32_t i = found; i < d->nlevels; i++) {
			const struct level_plan *l = &d->level[i].l;
			const struct cpu_span *s;

			if (l->of[cpu] == SPAN_NONE)
				continue;
			s = l->span[l->of[cpu]];
			for (uint32_t j = 0; j < s->ncpus; j++) {
				uint64_t capacity = arch_cpu_capacity(b->t, s->cpu[j]);

				if (capacity <= greatest)
					continue;
				greatest = capacity;
				found = i;
				any = true;
			}
		}
	}
	return any ? found : d->nlevels;
}

/* Flags for how many of the machine's capacities are in S. */
static uint32_t asym_flags_of(const struct domain_build *b, const struct cpu_span *s)
{
	bool everywhere[FULL_CAPACITY + 1] = {false}, here[FULL_CAPACITY + 1] = {false};
	uint32_t missed = 0, seen = 0;

	for (uint32_t i = 0; i < b->all.ncpus; i++)
		everywhere[arch_cpu_capacity(b->t, b->all.cpu[i])] = true;
	for (uint32_t i = 0; i < s->ncpus; i++)
		here[arch_cpu_capacity(b->t, s->cpu[i])] = true;
	for (uint32_t i = 0; i <= FULL_CAPACITY; i++) {
		seen += here[i];
		missed += everywhere[i] && !here[i];
	}
	if (seen < 2)
		return 0;
	return missed ? SD_ASYM_CPUCAPACITY : SD_ASYM_CPUCAPACITY | SD_ASYM_CPUCAPACITY_FULL;
}

/* A domain that sees unequal CPUs does not have tasks spread over its groups. */
static void note_asym(struct draft *d, struct sched_domain *sd, uint32_t flags)
{
	if (!flags)
		return;
	d->out->has_asym = true;
	sd->flags |= flags;
	if (sd->child)
		sd->child->flags &= ~(uint32_t)SD_PREFER_SIBLING;
	if (d->b->rules->asym_by_domain)
		return;
	for (; sd; sd = sd->child)
		sd->flags |= SD_BALANCE_WAKE;
}

/* --- domains --- */

static void init_domain(struct draft *d, uint32_t level, uint32_t cpu, uint32_t asym)
{
	struct draft_level *lv = &d->level[level];
	struct draft_domain *dd = &lv->sd[cpu];
	struct sched_domain *sd = &dd->sd;

	dd->span = lv->l.span[lv->l.of[cpu]];
	domain_init_from_params(sd, d->b, &lv->l);
	sd->span = dd->span->draft;
	sd->span_weight = dd->span->ncpus;
	sd->flags = lv->flags;
	sd->min_interval_ms = sd->span_weight;
	sd->max_interval_ms = 2 * sd->span_weight;
	sd->balance_interval_ms = sd->span_weight;
	sd->last_balance = d->b->start.jiffies;
	sd->next_decay_max_lb_cost = d->b->start.jiffies;
	sd->topo_level = level;
	if (level > 0) {
		sd->child = &d->level[level - 1].sd[cpu].sd;
		sd->child->parent = sd;
	}
	note_asym(d, sd, asym);
	if (lv->shared) {
		dd->shared = &lv->shared[lv->l.of[cpu]];
		dd->shared->s.id = dd->span->cpu[0];
		dd->shared->s.nr_busy_cpus = dd->span->ncpus;
		sd->shared = &dd->shared->s;
	}
}

static bool alloc_level(struct draft *d, struct draft_level *lv)
{
	struct domain_build *b = d->b;

	lv->sd = draft_alloc(b, b->t->ncpus, sizeof(*lv->sd));
	lv->group = draft_alloc(b, b->t->ncpus, sizeof(*lv->group));
	lv->sgc = draft_alloc(b, b->t->ncpus, sizeof(*lv->sgc));
	if (lv->flags & SD_SHARE_PKG_RESOURCES) {
		lv->shared = draft_alloc(b, lv->l.nspans, sizeof(*lv->shared));
		if (!lv->shared)
			return false;
	}
	return lv->sd && lv->group && lv->sgc;
}

static void init_chains(struct draft *d)
{
	struct domain_build *b = d->b;
	bool by_domain = b->rules->asym_by_domain, differ = cpus_differ(b);
	uint32_t marked = by_domain ? d->nlevels : asym_level(d);

	for (uint32_t n = 0; n < b->all.ncpus; n++) {
		uint32_t cpu = b->all.cpu[n];

		for (uint32_t i = 0; i < d->nlevels; i++) {
			const struct level_plan *l = &d->level[i].l;
			uint32_t asym = i == marked ? SD_ASYM_CPUCAPACITY : 0;

			CHECK(l->of[cpu] != SPAN_NONE);
			if (by_domain && differ)
				asym = asym_flags_of(b, l->span[l->of[cpu]]);
			init_domain(d, i, cpu, asym);
			if (draft_span(d, i, cpu)->ncpus == b->all.ncpus)
				break;
		}
		d->bottom[cpu] = &d->level[0].sd[cpu].sd;
	}
}

/*
 * How many tasks a NUMA domain lets its busier group be ahead: a part of what a node has in
 * caches or CPUs, more where more nodes are spanned.
 * Linux: build_sched_domains(), 6.1 to 6.12.
 */
static void init_imb_numa(struct sched_domain *bottom)
{
	uint32_t imb = 0, imb_span = 1;

	for (struct sched_domain *sd = bottom; sd; sd = sd->parent) {
		const struct sched_domain *child = sd->child, *up = sd->parent;
		uint32_t nr_llcs;

		if ((sd->flags & SD_SHARE_PKG_RESOURCES) || !child ||
		    !(child->flags & SD_SHARE_PKG_RESOURCES)) {
			sd->imb_numa_nr = imb * max_u32(1, sd->span_weight / imb_span);
			continue;
		}
		nr_llcs = sd->span_weight / child->span_weight;
		imb = max_u32(1, nr_llcs == 1 ? sd->span_weight >> 3 : nr_llcs);
		sd->imb_numa_nr = imb;
		while (up && !(up->flags & SD_NUMA))
			up = up->parent;
		imb_span = up ? up->span_weight : sd->span_weight;
	}
}

static bool build_by_mask(struct domain_build *b, struct domain_set *out)
{
	struct draft d = {.b = b, .out = out};
	void *covered = draft_alloc(b, 1, mask_size(b->t->ncpus));

	d.bottom = draft_alloc(b, b->t->ncpus, sizeof(struct sched_domain *));
	d.capacity = draft_alloc(b, b->t->ncpus, sizeof(*d.capacity));
	if (!covered || !d.bottom || !d.capacity || !plan_levels(&d) || !draw_spans(&d))
		return false;
	d.covered = mask_init(covered, b->t->ncpus);
	for (uint32_t i = 0; i < d.nlevels; i++)
		if (!alloc_level(&d, &d.level[i]))
			return false;
	for (uint32_t cpu = 0; cpu < b->t->ncpus; cpu++)
		d.capacity[cpu] = FULL_CAPACITY;
	init_chains(&d);
	if (!draft_groups(&d))
		return false;
	draft_capacities(&d);
	for (uint32_t i = 0; b->rules->has_imb_numa && i < b->all.ncpus; i++)
		init_imb_numa(d.bottom[b->all.cpu[i]]);
	for (uint32_t i = 0; i < b->all.ncpus; i++)
		draft_degenerate(&d, b->all.cpu[i]);
	return draft_publish(&d);
}

const struct topo_ops topo_ops_by_mask = {
	.name = "table of masks",
	.build = build_by_mask,
};

/* Flags that are of no use to a domain of one group; 5.4's list is by hand, later ones whole. */
#define NEED_GROUPS_54                                                                             \
	(SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK | SD_BALANCE_EXEC |                \
	 SD_SHARE_CPUPOWER | SD_ASYM_CPUCAPACITY | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING)
#define NEED_GROUPS_61                                                                             \
	(NEED_GROUPS_54 | SD_BALANCE_WAKE | SD_ASYM_CPUCAPACITY_FULL | SD_SERIALIZE |              \
	 SD_ASYM_PACKING | SD_OVERLAP | SD_NUMA | SD_CLUSTER)

const struct domain_rules domain_rules_54 = {
	.name = "SMT, MC, DIE, NODE, NUMA by the distances of node 0",
	.ops = &topo_ops_by_mask,
	.params = params_54,
	.nparams = BY_MASK_PARAMS,
	.stop_at_full_span = true,
	.flags_need_groups = NEED_GROUPS_54,
	.flags_alone = SD_WAKE_AFFINE,
	.flags_handed_down = SD_PREFER_SIBLING,
	.numa_by_distance = true,
	.far_distance = NODE_RECLAIM_DISTANCE,
	.shares_capacity = true,
	.extremes_of_sums = true,
	.words = SD_WORDS_CPUCAPACITY,
};

const struct domain_rules domain_rules_510 = {
	.name = "SMT, MC, DIE, NODE, NUMA by the distances of node 0, balanced more often",
	.ops = &topo_ops_by_mask,
	.params = params_510,
	.nparams = BY_MASK_PARAMS,
	.stop_at_full_span = true,
	.flags_need_groups = NEED_GROUPS_54,
	.flags_alone = SD_WAKE_AFFINE,
	.flags_handed_down = SD_PREFER_SIBLING,
	.numa_by_distance = true,
	.far_distance = NODE_RECLAIM_DISTANCE,
	.shares_capacity = true,
	.extremes_of_sums = true,
	.words = SD_WORDS_CPUCAPACITY,
};

const struct domain_rules domain_rules_61 = {
	.name = "SMT, CLS, MC, DIE, NODE, NUMA by all distances",
	.ops = &topo_ops_by_mask,
	.params = params_61,
	.nparams = BY_MASK_PARAMS,
	.stop_at_full_span = true,
	.flags_need_groups = NEED_GROUPS_61,
	.flags_alone = SD_WAKE_AFFINE,
	.flags_handed_down = SD_PREFER_SIBLING,
	.numa_by_distance = true,
	.far_distance = NODE_RECLAIM_DISTANCE,
	.shares_capacity = true,
	.has_cluster = true,
	.distances_of_all = true,
	.groups_descend = true,
	.asym_by_domain = true,
	.has_imb_numa = true,
	.group_flags = GROUP_FLAGS_AS_BUILT,
	.words = SD_WORDS_CPUCAPACITY,
};

const struct domain_rules domain_rules_612 = {
	.name = "SMT, CLS, MC, PKG, NODE, NUMA by all distances",
	.ops = &topo_ops_by_mask,
	.params = params_612,
	.nparams = BY_MASK_PARAMS,
	.stop_at_full_span = true,
	.flags_need_groups = NEED_GROUPS_61,
	.flags_alone = SD_WAKE_AFFINE,
	.flags_handed_down = SD_PREFER_SIBLING,
	.numa_by_distance = true,
	.far_distance = NODE_RECLAIM_DISTANCE,
	.shares_capacity = true,
	.has_cluster = true,
	.distances_of_all = true,
	.groups_descend = true,
	.asym_by_domain = true,
	.has_imb_numa = true,
	.group_flags = GROUP_FLAGS_REPAIRED,
	.words = SD_WORDS_LLC,
};
