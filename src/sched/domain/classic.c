/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The level table of 2.6.34 to 3.4 on x86-64 with SMT, MC and NUMA compiled
 * in and power savings off: SIBLING over the threads of a core, MC over the
 * last-level cache, CPU over the node, NODE over near nodes, ALLNODES. The
 * package plays no part: several caches in a node are groups of its CPU domain,
 * whichever packages they are in.
 *
 * Every level is built for every CPU; what is useless is dropped when domains
 * are attached.
 *
 * Linux: kernel/sched.c __build_sched_domains(), include/linux/topology.h and
 * arch/x86/include/asm/topology.h SD_*_INIT, 2.6.34 to 3.4.
 * Deviation: where only the highest-numbered CPU lacks ALLNODES, the kernel
 * leaves that level's groups unset for the others and dies; here they are built.
 */
#include "base/check.h"
#include "sched/domain/build.h"

enum classic_level {
	CLASSIC_SIBLING,
	CLASSIC_MC,
	CLASSIC_CPU,
	CLASSIC_NODE,
	CLASSIC_ALLNODES,
	CLASSIC_LEVELS,
};

#define SD_EVERYWHERE (SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE)
#define SD_NEAR (SD_EVERYWHERE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)

static const struct domain_params classic_params[CLASSIC_LEVELS] = {
	[CLASSIC_SIBLING] =
		{
			.name = "SIBLING",
			.flags = SD_NEAR | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES,
			.imbalance_pct = 110,
			.busy_factor = 64,
			.smt_gain = 1178,
			.min_interval_ms = 1,
			.max_interval_ms = 2,
			.balance_interval_ms = 1,
		},
	[CLASSIC_MC] =
		{
			.name = "MC",
			.flags = SD_NEAR | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING,
			.imbalance_pct = 125,
			.busy_idx = 2,
			.busy_factor = 64,
			.cache_nice_tries = 1,
			.min_interval_ms = 1,
			.max_interval_ms = 4,
			.balance_interval_ms = 1,
		},
	[CLASSIC_CPU] =
		{
			.name = "CPU",
			.flags = SD_NEAR | SD_PREFER_SIBLING,
			.imbalance_pct = 125,
			.busy_idx = 2,
			.idle_idx = 1,
			.busy_factor = 64,
			.cache_nice_tries = 1,
			.min_interval_ms = 1,
			.max_interval_ms = 4,
			.balance_interval_ms = 1,
		},
	[CLASSIC_NODE] =
		{
			.name = "NODE",
			.flags = SD_NEAR | SD_SERIALIZE,
			.imbalance_pct = 125,
			.busy_idx = 3,
			.idle_idx = 2,
			.busy_factor = 32,
			.cache_nice_tries = 2,
			.min_interval_ms = 8,
			.max_interval_ms = 32,
			.balance_interval_ms = 1,
		},
	[CLASSIC_ALLNODES] =
		{
			.name = "ALLNODES",
			.flags = SD_EVERYWHERE | SD_SERIALIZE,
			.imbalance_pct = 133,
			.busy_idx = 3,
			.idle_idx = 3,
			.busy_factor = 128,
			.cache_nice_tries = 1,
			.min_interval_ms = 64,
			.max_interval_ms = 64,
			.max_interval_per_cpu = true,
			.balance_interval_ms = 64,
		},
};

static bool plan_classic(struct domain_build *b)
{
	const struct domain_params *params = b->rules->params;
	struct level_plan *l = arena_alloc(b->scratch, CLASSIC_LEVELS, sizeof(*l));

	CHECK(b->rules->nparams == CLASSIC_LEVELS);
	CHECK(b->rules->nodes_per_domain > 0);
	if (!l)
		return false;
	if (!level_from_partition(b, &l[CLASSIC_SIBLING], &params[CLASSIC_SIBLING], &b->core) ||
	    !level_from_partition(b, &l[CLASSIC_MC], &params[CLASSIC_MC], &b->llc) ||
	    !level_from_partition(b, &l[CLASSIC_CPU], &params[CLASSIC_CPU], &b->node) ||
	    !level_of_near_nodes(b, &l[CLASSIC_NODE], &params[CLASSIC_NODE]) ||
	    !level_of_all_nodes(b, &l[CLASSIC_ALLNODES], &params[CLASSIC_ALLNODES]))
		return false;
	if (!rings_by_first_cpu(b, &l[CLASSIC_SIBLING], &b->cpu) ||
	    !rings_by_first_cpu(b, &l[CLASSIC_MC], &b->core) ||
	    !rings_by_first_cpu(b, &l[CLASSIC_CPU], &b->llc) ||
	    !rings_by_node(b, &l[CLASSIC_NODE]) ||
	    !rings_by_first_cpu(b, &l[CLASSIC_ALLNODES], &b->node))
		return false;

	l[CLASSIC_SIBLING].from = NULL;
	l[CLASSIC_MC].from = &l[CLASSIC_SIBLING];
	l[CLASSIC_CPU].from = &l[CLASSIC_MC];
	l[CLASSIC_NODE].from = &l[CLASSIC_CPU];
	l[CLASSIC_ALLNODES].from = &l[CLASSIC_CPU];
	for (uint32_t i = 0; i < CLASSIC_LEVELS; i++)
		powers_init(&l[i]);
	b->level = l;
	b->nlevels = CLASSIC_LEVELS;
	return true;
}

void domain_init_from_params(struct sched_domain *sd, const struct domain_build *b,
			     const struct level_plan *l)
{
	const struct domain_params *p = l->params;

	sd->name = p->name;
	sd->flags = p->flags;
	sd->imbalance_pct = p->imbalance_pct;
	sd->busy_idx = p->busy_idx;
	sd->idle_idx = p->idle_idx;
	sd->newidle_idx = p->newidle_idx;
	sd->wake_idx = p->wake_idx;
	sd->forkexec_idx = p->forkexec_idx;
	sd->busy_factor = p->busy_factor;
	sd->cache_nice_tries = p->cache_nice_tries;
	sd->smt_gain = p->smt_gain;
	sd->min_interval_ms = p->min_interval_ms;
	sd->max_interval_ms = p->max_interval_ms;
	if (p->max_interval_per_cpu)
		sd->max_interval_ms *= b->all.ncpus;
	sd->balance_interval_ms = p->balance_interval_ms;
}

const struct topo_ops topo_ops_classic = {
	.name = "classic",
	.plan = plan_classic,
	.init = domain_init_from_params,
};

const struct domain_rules domain_rules_classic = {
	.name = "x86 levels, near nodes",
	.ops = &topo_ops_classic,
	.params = classic_params,
	.nparams = CLASSIC_LEVELS,
	.nodes_per_domain = 16,
	.stop_at_full_span = false,
	.flags_need_groups = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK |
			     SD_BALANCE_EXEC | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES,
	.flags_alone = SD_WAKE_AFFINE,
};

const struct domain_rules domain_rules_full_span = {
	.name = "x86 levels, near nodes, up to the first full span",
	.ops = &topo_ops_classic,
	.params = classic_params,
	.nparams = CLASSIC_LEVELS,
	.nodes_per_domain = 16,
	.flags_need_groups = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK |
			     SD_BALANCE_EXEC | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES,
	.flags_alone = SD_WAKE_AFFINE,
	.stop_at_full_span = true,
	.powers_cpus = true,
	.node_rings_by_cpu = true,
};
