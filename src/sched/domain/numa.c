/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two NUMA levels of the classic kernels.
 *
 * NODE spans a node and its nearest others, nodes_per_domain in all. "Nearest"
 * is by the distance from the node; among equals the first in node number order
 * from the node on, wrapping, wins. Nodes without an online CPU do not count.
 * With more nodes than that, spans of different nodes overlap.
 *
 * ALLNODES spans the machine, for the CPUs of those nodes that hold less than
 * one nodes_per_domain-th of all CPUs: the kernel compares CPUs, not nodes, and
 * does so node by node. So on a machine of unequal nodes some CPUs have the
 * level and others do not.
 *
 * Node numbers enter only by their order, so topology indices serve as well.
 * Cost: nodes_per_domain * nodes per node, and CPUs per node.
 *
 * Linux: kernel/sched.c sched_domain_node_span(), find_next_best_node(),
 * __build_numa_sched_domains(), 2.6.34.
 */
#include "base/check.h"
#include "sched/domain/build.h"

#include <string.h>

/* The unused node with CPUs that is nearest to NODE, or TOPO_NONE. */
static uint32_t next_best_node(const struct domain_build *b, uint32_t node, const uint8_t *used)
{
	const struct topology *t = b->t;
	uint32_t best = TOPO_NONE, best_distance = UINT32_MAX;

	for (uint32_t i = 0; i < t->nnodes; i++) {
		uint32_t n = (node + i) % t->nnodes;

		if (used[n] || b->node_part[n] == SPAN_NONE)
			continue;
		if (topo_distance(t, node, n) < best_distance) {
			best_distance = topo_distance(t, node, n);
			best = n;
		}
	}
	return best;
}

/* Mark the nodes of NODE's span in USED; returns their number of CPUs. */
static uint32_t mark_near_nodes(const struct domain_build *b, uint32_t node, uint8_t *used)
{
	uint32_t ncpus = b->node.span[b->node_part[node]].ncpus;

	memset(used, 0, b->t->nnodes);
	used[node] = 1;
	for (uint32_t i = 1; i < b->rules->nodes_per_domain; i++) {
		uint32_t next = next_best_node(b, node, used);

		if (next == TOPO_NONE)
			break;
		used[next] = 1;
		ncpus += b->node.span[b->node_part[next]].ncpus;
	}
	return ncpus;
}

static bool span_of_nodes(struct domain_build *b, struct cpu_span *s, const uint8_t *used,
			  uint32_t ncpus)
{
	uint16_t *list = arena_alloc(b->scratch, ncpus, sizeof(*list));
	uint32_t n = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < b->all.ncpus; i++)
		if (used[b->t->cpu[b->all.cpu[i]].node])
			list[n++] = b->all.cpu[i];
	CHECK(n == ncpus);
	s->cpu = list;
	s->ncpus = ncpus;
	s->mask = NULL;
	return true;
}

bool level_of_near_nodes(struct domain_build *b, struct level_plan *l,
			 const struct domain_params *params)
{
	struct cpu_span *span = arena_alloc(b->scratch, b->node.nspans, sizeof(*span));
	uint8_t *used = arena_alloc(b->scratch, b->t->nnodes, 1);

	l->params = params;
	l->nspans = b->node.nspans;
	l->of = b->node.of;
	l->span = arena_alloc(b->scratch, l->nspans, sizeof(struct cpu_span *));
	if (!span || !used || !l->span)
		return false;
	for (uint32_t node = 0; node < b->t->nnodes; node++) {
		uint32_t p = b->node_part[node], ncpus;

		if (p == SPAN_NONE)
			continue;
		l->span[p] = &b->all;
		if (b->node.nspans <= b->rules->nodes_per_domain)
			continue;
		ncpus = mark_near_nodes(b, node, used);
		if (!span_of_nodes(b, &span[p], used, ncpus))
			return false;
		l->span[p] = &span[p];
	}
	return true;
}

bool level_of_all_nodes(struct domain_build *b, struct level_plan *l,
			const struct domain_params *params)
{
	uint16_t *of = arena_alloc(b->scratch, b->t->ncpus, sizeof(*of));

	l->params = params;
	l->nspans = 1;
	l->of = of;
	l->span = arena_alloc(b->scratch, 1, sizeof(struct cpu_span *));
	if (!of || !l->span)
		return false;
	l->span[0] = &b->all;
	for (uint32_t cpu = 0; cpu < b->t->ncpus; cpu++)
		of[cpu] = SPAN_NONE;
	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		uint32_t cpu = b->all.cpu[i];
		uint32_t own_ncpus = b->node.span[b->node.of[cpu]].ncpus;

		if (b->all.ncpus > b->rules->nodes_per_domain * own_ncpus)
			of[cpu] = 0;
	}
	return true;
}
