/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NUMA levels by distance. Each distance from node 0 to another node makes a level; there a CPU
 * spans all nodes that are no further from its own node than that. Distances that only other
 * nodes have make no level: node 0 is taken to be representative.
 *
 * The groups of a span are the spans of the level below, taken from its CPUs in turn: each CPU
 * that no group holds yet adds the one it has below. Where distances form no hierarchy, as in a
 * ring of nodes, groups overlap, and a CPU's own group need not be what its lower domain
 * spans: it is the first that holds the CPU, or the last whose first CPU it is. With three
 * steps between nodes a group may even reach out of its domain's span, as it does in these
 * kernels. Equal spans share one ring.
 *
 * Cost: for each level nodes squared to find spans, and CPUs * groups.
 *
 * Linux: kernel/sched/core.c sched_init_numa(), build_overlap_sched_groups(),
 * group_balance_cpu(), 3.16 to 4.0.
 * Deviation: where distances are not symmetric the kernel may leave CPUs of a span in no
 * group; here their nodes become groups at the end of the ring.
 */
#include "base/check.h"
#include "sched/domain/build.h"

#include <string.h>

uint32_t numa_distance_at(const struct topology *t, uint32_t i)
{
	uint32_t at = topo_distance(t, 0, 0);

	/* bound: distances are below 256, so there are no more than that */
	for (;; i--) {
		uint32_t next = UINT32_MAX;

		for (uint32_t n = 0; n < t->nnodes; n++) {
			uint32_t distance = topo_distance(t, 0, n);

			if (distance > at && distance < next)
				next = distance;
		}
		if (next == UINT32_MAX)
			return 0;
		if (i == 0)
			return next;
		at = next;
	}
}

uint32_t numa_distances(const struct topology *t)
{
	uint32_t n = 0;

	while (numa_distance_at(t, n))
		n++;
	return n;
}

/* Does the level below already span every CPU for the node part P? */
static bool is_united(const struct domain_build *b, const struct level_plan *below, uint32_t p)
{
	uint32_t cpu = b->node.span[p].cpu[0];

	return below->of[cpu] == SPAN_NONE || below->span[below->of[cpu]]->ncpus == b->all.ncpus;
}

/* The CPUs of all nodes within DISTANCE of NODE; false: out of memory. */
static bool span_within(struct domain_build *b, uint32_t node, uint32_t distance,
			struct cpu_span *s)
{
	uint16_t *list = arena_alloc(b->scratch, b->all.ncpus, sizeof(*list));
	uint32_t n = 0;

	if (!list)
		return false;
	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		uint32_t other = b->t->cpu[b->all.cpu[i]].node;

		if (other == node || topo_distance(b->t, node, other) <= distance)
			list[n++] = b->all.cpu[i];
	}
	s->cpu = list;
	s->ncpus = n;
	s->mask = NULL;
	s->draft = NULL;
	return true;
}

/* The span of L that is S, made if there is none yet. */
static uint16_t span_index(struct level_plan *l, struct cpu_span *s)
{
	for (uint32_t i = 0; i < l->nspans; i++)
		if (l->span[i]->ncpus == s->ncpus &&
		    memcmp(l->span[i]->cpu, s->cpu, s->ncpus * sizeof(*s->cpu)) == 0)
			return (uint16_t)i;
	l->span[l->nspans] = s;
	return (uint16_t)l->nspans++;
}

bool spans_by_distance(struct domain_build *b, struct level_plan *l, uint32_t distance,
		       const struct level_plan *below)
{
	struct cpu_span *span = arena_alloc(b->scratch, b->node.nspans, sizeof(*span));
	uint16_t *of = arena_alloc(b->scratch, b->t->ncpus, sizeof(*of));

	l->span = arena_alloc(b->scratch, b->node.nspans, sizeof(struct cpu_span *));
	l->nspans = 0;
	l->of = of;
	if (!span || !of || !l->span)
		return false;
	for (uint32_t cpu = 0; cpu < b->t->ncpus; cpu++)
		of[cpu] = SPAN_NONE;
	for (uint32_t p = 0; p < b->node.nspans; p++) {
		const struct cpu_span *own = &b->node.span[p];
		uint16_t index;

		if (is_united(b, below, p))
			continue;
		if (!span_within(b, b->t->cpu[own->cpu[0]].node, distance, &span[p]))
			return false;
		index = span_index(l, &span[p]);
		for (uint32_t i = 0; i < own->ncpus; i++)
			of[own->cpu[i]] = index;
	}
	return true;
}

/* -- rings -- */

struct ring_maker {
	struct domain_build *b;
	struct level_plan *l;
	uint32_t span_idx;
	uint8_t *covered; /* [cpu] in a group of the ring under way */
};

/* Add G to the ring; it becomes the own group of the span's CPUs that ask for it. */
static void add_group(struct ring_maker *r, struct cpu_span *g)
{
	struct level_plan *l = r->l;
	uint32_t at = l->ngroups++;
	bool first = true; /* no CPU of G with this level was met yet */

	l->group[at] = (struct group_plan){.span = g};
	l->ring[r->span_idx].ngroups++;
	for (uint32_t i = 0; i < g->ncpus; i++) {
		uint32_t cpu = g->cpu[i];

		if (l->of[cpu] == r->span_idx && (first || !r->covered[cpu]))
			l->own[cpu] = at;
		first = first && l->of[cpu] == SPAN_NONE;
		r->covered[cpu] = 1;
	}
}

static void make_ring(struct ring_maker *r, const struct level_plan *below)
{
	struct level_plan *l = r->l;
	const struct cpu_span *whole = l->span[r->span_idx];

	l->ring[r->span_idx] = (struct ring_plan){.first = l->ngroups};
	memset(r->covered, 0, r->b->t->ncpus);
	for (uint32_t i = 0; i < whole->ncpus; i++) {
		uint32_t cpu = whole->cpu[i];

		if (!r->covered[cpu] && l->of[cpu] != SPAN_NONE)
			add_group(r, below->span[below->of[cpu]]);
	}
	for (uint32_t i = 0; i < whole->ncpus; i++)
		if (!r->covered[whole->cpu[i]])
			add_group(r, &r->b->node.span[r->b->node.of[whole->cpu[i]]]);
}

/* At most as many groups a ring as nodes in its span, as each group holds whole nodes. */
static uint32_t groups_max(const struct domain_build *b, const struct level_plan *l)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < l->nspans; s++)
		n += l->span[s]->ncpus < b->node.nspans ? l->span[s]->ncpus : b->node.nspans;
	return n;
}

bool level_by_distance(struct domain_build *b, struct level_plan *l,
		       const struct domain_params *params, uint32_t distance,
		       const struct level_plan *below, const struct level_plan *base)
{
	struct ring_maker r = {.b = b, .l = l};

	l->params = params;
	l->from = NULL;
	l->ngroups = 0;
	if (!spans_by_distance(b, l, distance, below))
		return false;
	r.covered = arena_alloc(b->scratch, b->t->ncpus, 1);
	l->ring = arena_alloc(b->scratch, l->nspans, sizeof(*l->ring));
	l->group = arena_alloc(b->scratch, groups_max(b, l), sizeof(*l->group));
	l->own = arena_alloc(b->scratch, b->t->ncpus, sizeof(*l->own));
	if (!r.covered || !l->own || (l->nspans && (!l->ring || !l->group)))
		return false;
	for (; r.span_idx < l->nspans; r.span_idx++)
		make_ring(&r, below);
	for (uint32_t g = 0; g < l->ngroups; g++)
		for (uint32_t i = 0; i < l->group[g].span->ncpus; i++)
			l->group[g].power += base->group[base->own[l->group[g].span->cpu[i]]].power;
	return true;
}
