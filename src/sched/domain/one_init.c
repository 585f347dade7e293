/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The levels of 3.16 to 4.0 with SMT, MC and NUMA compiled in: SMT over the threads of a core,
 * MC over the last-level cache, DIE over the node, and a NUMA level for each distance that
 * node 0 has to others. One initializer serves all: every level starts from the same numbers,
 * intervals from the number of CPUs spanned, and what its CPUs share changes a few of them. A
 * node further away than the machine would reclaim memory from is neither woken nor forked to.
 *
 * DIE asks for its groups to be spread over; where it is dropped because a cache spans the
 * node, MC inherits that.
 *
 * Linux: kernel/sched/core.c sd_init(), default_topology[], build_sched_domains(), 3.16 to 4.0.
 * Deviation: groups of a level with the same CPUs share their power in the kernel, whatever
 * ring they are in; here a ring's groups are its own.
 */
#include "base/check.h"
#include "sched/domain/build.h"

enum one_init_level {
	ONE_SMT,
	ONE_MC,
	ONE_DIE,
	ONE_NUMA,
	ONE_NUMA_FAR,
	ONE_PARAMS,
};

#define RECLAIM_DISTANCE 30u

#define SD_FAR (SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE)
#define SD_NEAR (SD_FAR | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)
#define SD_NODES (SD_NUMA | SD_OVERLAP | SD_SERIALIZE)

static const struct domain_params one_init_params[ONE_PARAMS] = {
	[ONE_SMT] =
		{
			.name = "SMT",
			.flags = SD_NEAR | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES,
			.imbalance_pct = 110,
			.busy_factor = 32,
			.smt_gain = 1178,
		},
	[ONE_MC] =
		{
			.name = "MC",
			.flags = SD_NEAR | SD_SHARE_PKG_RESOURCES,
			.imbalance_pct = 117,
			.busy_idx = 2,
			.busy_factor = 32,
			.cache_nice_tries = 1,
		},
	[ONE_DIE] =
		{
			.name = "DIE",
			.flags = SD_NEAR | SD_PREFER_SIBLING,
			.imbalance_pct = 125,
			.busy_idx = 2,
			.idle_idx = 1,
			.busy_factor = 32,
			.cache_nice_tries = 1,
		},
	[ONE_NUMA] =
		{
			.name = "NUMA",
			.flags = SD_NEAR | SD_NODES,
			.imbalance_pct = 125,
			.busy_idx = 3,
			.idle_idx = 2,
			.busy_factor = 32,
			.cache_nice_tries = 2,
		},
	[ONE_NUMA_FAR] =
		{
			.name = "NUMA",
			.flags = SD_FAR | SD_NODES,
			.imbalance_pct = 125,
			.busy_idx = 3,
			.idle_idx = 2,
			.busy_factor = 32,
			.cache_nice_tries = 2,
		},
};

static bool plan_one_init(struct domain_build *b)
{
	const struct domain_params *params = b->rules->params;
	uint32_t nlevels = ONE_NUMA + numa_distances(b->t);
	struct level_plan *l = arena_alloc(b->scratch, nlevels, sizeof(*l));

	CHECK(b->rules->nparams == ONE_PARAMS);
	if (!l)
		return false;
	if (!level_from_partition(b, &l[ONE_SMT], &params[ONE_SMT], &b->core) ||
	    !level_from_partition(b, &l[ONE_MC], &params[ONE_MC], &b->llc) ||
	    !level_from_partition(b, &l[ONE_DIE], &params[ONE_DIE], &b->node))
		return false;
	if (!rings_by_first_cpu(b, &l[ONE_SMT], &b->cpu) ||
	    !rings_by_first_cpu(b, &l[ONE_MC], &b->core) ||
	    !rings_by_first_cpu(b, &l[ONE_DIE], &b->llc))
		return false;
	l[ONE_SMT].from = NULL;
	l[ONE_MC].from = &l[ONE_SMT];
	l[ONE_DIE].from = &l[ONE_MC];
	for (uint32_t i = 0; i < ONE_NUMA; i++)
		powers_init(&l[i]);
	for (uint32_t i = ONE_NUMA; i < nlevels; i++) {
		uint32_t distance = numa_distance_at(b->t, i - ONE_NUMA);
		bool far = distance > b->rules->far_distance;

		if (!level_by_distance(b, &l[i], &params[far ? ONE_NUMA_FAR : ONE_NUMA], distance,
				       &l[i - 1], &l[ONE_SMT]))
			return false;
	}
	b->level = l;
	b->nlevels = nlevels;
	return true;
}

static void init_by_weight(struct sched_domain *sd, const struct domain_build *b,
			   const struct level_plan *l)
{
	domain_init_from_params(sd, b, l);
	sd->min_interval_ms = sd->span_weight;
	sd->max_interval_ms = 2 * sd->span_weight;
	sd->balance_interval_ms = sd->span_weight;
}

const struct topo_ops topo_ops_one_init = {
	.name = "one initializer",
	.plan = plan_one_init,
	.init = init_by_weight,
};

const struct domain_rules domain_rules_one_init = {
	.name = "SMT, MC, DIE, NUMA by distance",
	.ops = &topo_ops_one_init,
	.params = one_init_params,
	.nparams = ONE_PARAMS,
	.flags_need_groups = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK |
			     SD_BALANCE_EXEC | SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES |
			     SD_PREFER_SIBLING,
	.flags_alone = SD_WAKE_AFFINE,
	.flags_handed_down = SD_PREFER_SIBLING,
	.stop_at_full_span = true,
	.powers_cpus = true,
	.numa_by_distance = true,
	.far_distance = RECLAIM_DISTANCE,
};
