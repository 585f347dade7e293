/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of groups: how the span of a domain is divided for balancing.
 *
 * Below NODE the groups of a span are the parts of the next finer partition, in
 * order of their first CPU, one ring for all CPUs of the span. At NODE every
 * node has a ring of its own: its own CPUs first, then the other nodes of its
 * span in order of node number, wrapping. These groups are separate objects
 * even where they hold the same CPUs, since their power is refreshed
 * separately. Kernels with overlapping spans order these by first CPU, too.
 *
 * Cost: linear in the CPUs of the spans; for NODE, nodes squared.
 *
 * Linux: kernel/sched.c init_sched_build_groups(), build_sched_groups(),
 * build_numa_sched_groups(), 2.6.34.
 */
#include "base/check.h"
#include "sched/domain/build.h"

static bool rings_alloc(struct domain_build *b, struct level_plan *l, uint32_t ngroups)
{
	l->ring = arena_alloc(b->scratch, l->nspans, sizeof(*l->ring));
	l->group = arena_alloc(b->scratch, ngroups, sizeof(*l->group));
	l->own = arena_alloc(b->scratch, b->t->ncpus, sizeof(*l->own));
	l->ngroups = 0;
	return l->ring && l->group && l->own;
}

static void ring_start(struct level_plan *l, uint32_t span_idx)
{
	l->ring[span_idx].first = l->ngroups;
	l->ring[span_idx].ngroups = 0;
	l->ring[span_idx].made = NULL;
}

static void ring_add(struct level_plan *l, uint32_t span_idx, struct cpu_span *cpus)
{
	l->group[l->ngroups].span = cpus;
	l->group[l->ngroups].power = 0;
	l->ngroups++;
	l->ring[span_idx].ngroups++;
}

bool rings_by_first_cpu(struct domain_build *b, struct level_plan *l, struct partition *p)
{
	if (!rings_alloc(b, l, p->nspans))
		return false;
	for (uint32_t s = 0; s < l->nspans; s++) {
		const struct cpu_span *whole = l->span[s];

		ring_start(l, s);
		for (uint32_t i = 0; i < whole->ncpus; i++) {
			uint32_t cpu = whole->cpu[i];
			struct cpu_span *part = &p->span[p->of[cpu]];

			if (part->cpu[0] != cpu)
				continue;
			for (uint32_t j = 0; j < part->ncpus; j++)
				l->own[part->cpu[j]] = l->ngroups;
			ring_add(l, s, part);
		}
	}
	CHECK(l->ngroups == p->nspans);
	return true;
}

/* Is node part OTHER inside SPAN? Spans hold whole nodes, so one CPU tells. */
static bool span_has_part(const struct cpu_span *span, const struct cpu_span *other)
{
	uint32_t low = 0, high = span->ncpus;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (span->cpu[mid] < other->cpu[0])
			low = mid + 1;
		else
			high = mid;
	}
	return low < span->ncpus && span->cpu[low] == other->cpu[0];
}

/* The Ith node part in the ring of NODE, whose own part is OWN; SPAN_NONE: no CPU online there. */
static uint32_t ith_part(const struct domain_build *b, uint32_t node, uint32_t own, uint32_t i)
{
	/* parts are numbered by first CPU */
	if (b->rules->node_rings_by_cpu)
		return i < b->node.nspans ? (own + i) % b->node.nspans : SPAN_NONE;
	return b->node_part[(node + i) % b->t->nnodes];
}

bool rings_by_node(struct domain_build *b, struct level_plan *l)
{
	uint32_t nnodes = b->t->nnodes, per_ring = b->rules->nodes_per_domain;

	if (per_ring > b->node.nspans)
		per_ring = b->node.nspans;
	if (!rings_alloc(b, l, b->node.nspans * per_ring))
		return false;
	for (uint32_t node = 0; node < nnodes; node++) {
		uint32_t own = b->node_part[node];

		if (own == SPAN_NONE)
			continue;
		ring_start(l, own);
		for (uint32_t i = 0; i < b->node.span[own].ncpus; i++)
			l->own[b->node.span[own].cpu[i]] = l->ngroups;
		for (uint32_t i = 0; i < nnodes; i++) {
			uint32_t other = ith_part(b, node, own, i);

			if (other != SPAN_NONE && span_has_part(l->span[own], &b->node.span[other]))
				ring_add(l, own, &b->node.span[other]);
		}
		CHECK(l->ring[own].ngroups <= per_ring);
	}
	return true;
}
