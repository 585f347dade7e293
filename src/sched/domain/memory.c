/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upper bounds of what a build takes, so that a driver can reserve it before it
 * knows the result: every CPU keeps every level and every part of every
 * partition is published. Real machines need about half.
 *
 * Each request may cost up to 63 bytes of alignment.
 */
#include "sched/domain/draft.h"

#define PADDING 64u
#define PARTITIONS 4u /* CPUs, cores, caches, nodes */

static size_t levels_max(const struct topology *t, const struct domain_rules *rules)
{
	return rules->nparams + (rules->numa_by_distance ? numa_distances(t) : 0);
}

/* NUMA spans beside that of the whole machine. */
static size_t near_spans(const struct topology *t, const struct domain_rules *rules)
{
	if (rules->numa_by_distance)
		return (size_t)t->nnodes * numa_distances(t);
	return t->nnodes > rules->nodes_per_domain ? t->nnodes : 0;
}

/* Groups of the level where NODE spans the nodes within DISTANCE; *ALL: these are all nodes. */
static size_t groups_within(const struct topology *t, uint32_t node, uint32_t distance, bool *all)
{
	size_t n = 0;

	for (uint32_t other = 0; other < t->nnodes; other++)
		n += other == node || topo_distance(t, node, other) <= distance;
	*all = n == t->nnodes;
	return n;
}

static size_t groups_by_distance(const struct topology *t)
{
	uint32_t distance;
	size_t sum = 0;

	for (uint32_t i = 0; (distance = numa_distance_at(t, i)) > 0; i++) {
		/* all that span the machine share one ring */
		bool counted = false;

		for (uint32_t node = 0; node < t->nnodes; node++) {
			bool all;
			size_t n = groups_within(t, node, distance, &all);

			sum += all && counted ? 0 : n;
			counted = counted || all;
		}
	}
	return sum;
}

static size_t node_groups(const struct topology *t, const struct domain_rules *rules)
{
	size_t per_node = t->nnodes;

	if (rules->numa_by_distance)
		return groups_by_distance(t);
	if (per_node > rules->nodes_per_domain)
		per_node = rules->nodes_per_domain;
	return t->nnodes * per_node;
}

static size_t classic_bytes_max(const struct topology *t, const struct domain_rules *rules)
{
	size_t n = t->nonline, mask = mask_size(t->ncpus) + PADDING;
	size_t domains = n * (levels_max(t, rules) * sizeof(struct sched_domain) + PADDING);
	size_t parts = PARTITIONS * n * (mask + sizeof(uint16_t) + PADDING);
	size_t wide = (near_spans(t, rules) + 1) * (mask + n * sizeof(uint16_t) + PADDING);
	size_t groups = PARTITIONS * n + node_groups(t, rules);

	groups *= sizeof(struct sched_group) + PADDING + sizeof(struct sched_group *);
	return t->ncpus * sizeof(struct sched_domain *) + domains + parts + wide + groups +
	       4 * PADDING;
}

static size_t classic_scratch_max(const struct topology *t, const struct domain_rules *rules)
{
	size_t n = t->nonline, all = t->ncpus;
	size_t ids = TOPO_CPUS_MAX > t->nnodes ? TOPO_CPUS_MAX : t->nnodes;
	size_t partition = n * (sizeof(uint16_t) + sizeof(struct cpu_span)) +
			   (ids + all) * sizeof(uint16_t) + 4 * PADDING;
	size_t levels = levels_max(t, rules) *
			(sizeof(struct level_plan) + 2 * sizeof(void *) +
			 n * (sizeof(void *) + sizeof(struct cpu_span) + sizeof(struct ring_plan)) +
			 all * (sizeof(uint32_t) + sizeof(uint16_t) + 1) + 8 * PADDING);
	size_t groups = (PARTITIONS * n + node_groups(t, rules)) * sizeof(struct group_plan);
	size_t near = (near_spans(t, rules) + 1) * (n * sizeof(uint16_t) + PADDING);
	size_t nodes = t->nnodes * (sizeof(struct cpu_span) + sizeof(uint16_t) + 1) + 4 * PADDING;

	return all * (sizeof(uint32_t) + sizeof(uint16_t)) + PARTITIONS * partition + levels +
	       groups + near + nodes + 8 * PADDING;
}

/* --- kernels that share capacities --- */

#define MASKS 5u /* SMT, CLS, MC, DIE, NODE */

static size_t numa_levels_max(const struct topology *t, const struct domain_rules *rules)
{
	bool seen[256] = {false};
	size_t n = 0;

	if (!rules->distances_of_all)
		return numa_distances(t);
	for (uint32_t i = 0; i < t->nnodes * t->nnodes; i++) {
		n += !seen[t->distance[i]];
		seen[t->distance[i]] = true;
	}
	return n;
}

/* Overlapping groups: CPUs in a row have the same, and each brings a node at least. */
static size_t overlapping_max(const struct topology *t, size_t nlevels)
{
	uint32_t node = TOPO_NONE;
	size_t runs = 0;

	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++) {
		if (!t->cpu[cpu].present || !t->cpu[cpu].online)
			continue;
		runs += t->cpu[cpu].node != node;
		node = t->cpu[cpu].node;
	}
	return runs * (t->nnodes < t->nonline ? t->nnodes : t->nonline) * nlevels;
}

/* NUMA spans, and balance masks, of which a level has no more than groups or CPUs. */
static size_t node_spans_max(const struct topology *t, size_t nlevels, size_t overlapping)
{
	size_t masks = t->nonline * nlevels;

	return t->nnodes * nlevels + (masks < overlapping ? masks : overlapping);
}

static size_t shared_bytes_max(const struct topology *t, const struct domain_rules *rules)
{
	size_t n = t->nonline, numa = numa_levels_max(t, rules);
	size_t overlapping = overlapping_max(t, numa), groups = MASKS * n + overlapping;
	size_t span = mask_size(t->ncpus) + 2 * PADDING;
	size_t spans = MASKS * n * (span + sizeof(uint16_t)) +
		       node_spans_max(t, numa, overlapping) * (span + n * sizeof(uint16_t));

	return t->ncpus * sizeof(struct sched_domain *) + spans +
	       n * ((MASKS + numa) * sizeof(struct sched_domain) + PADDING) +
	       groups * (sizeof(struct sched_group) + sizeof(struct sched_group_capacity) +
			 2 * sizeof(void *) + 2 * PADDING) +
	       MASKS * n * (sizeof(struct sched_domain_shared) + PADDING) + 4 * PADDING;
}

static size_t shared_scratch_max(const struct topology *t, const struct domain_rules *rules)
{
	size_t n = t->nonline, all = t->ncpus, numa = numa_levels_max(t, rules);
	size_t overlapping = overlapping_max(t, numa), levels = MASKS + numa;
	size_t partition = n * (sizeof(uint16_t) + sizeof(struct cpu_span)) +
			   (2 * TOPO_CPUS_MAX + all) * sizeof(uint16_t) + 4 * PADDING;
	size_t span = sizeof(struct cpu_span) + mask_size(t->ncpus) + 3 * PADDING;
	size_t spans = MASKS * n * span + node_spans_max(t, numa, overlapping) *
						  (span + n * sizeof(uint16_t) + sizeof(void *));
	size_t level = sizeof(struct draft_level) + n * sizeof(void *) +
		       all * (sizeof(struct draft_domain) + sizeof(struct draft_group) +
			      sizeof(struct draft_sgc) + sizeof(uint16_t)) +
		       n * sizeof(struct draft_shared) + 8 * PADDING;

	return (MASKS + 1) * partition + spans + levels * level +
	       overlapping * (sizeof(struct draft_group) + PADDING) +
	       all * (sizeof(uint32_t) + sizeof(void *) + sizeof(uint64_t)) +
	       TOPO_CPUS_MAX * sizeof(uint16_t) + t->nnodes * sizeof(uint16_t) +
	       mask_size(t->ncpus) + 16 * PADDING;
}

/* --- for all --- */

size_t domains_bytes_max(const struct topology *t, const struct domain_rules *rules)
{
	return rules->shares_capacity ? shared_bytes_max(t, rules) : classic_bytes_max(t, rules);
}

size_t domains_scratch_bytes_max(const struct topology *t, const struct domain_rules *rules)
{
	return rules->shares_capacity ? shared_scratch_max(t, rules) :
					classic_scratch_max(t, rules);
}
