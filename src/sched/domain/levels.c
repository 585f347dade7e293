/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who shares what: partitions of the online CPUs, each a refinement of the next
 * coarser one (CPU < core < cluster < last-level cache < node), and levels whose spans
 * are the parts of one of them.
 *
 * Sharing is cut at node borders. Kernels from 3.5 on do so with a warning;
 * earlier ones let MC reach over two nodes and then describe the second node's
 * CPUs in a group that the first node's domains still point to, which no
 * balancer survives. A core is in one cache: its first CPU says in which.
 *
 * Offline CPUs are in no part. Cost: linear in CPUs for each partition.
 *
 * Linux: arch/x86/kernel/smpboot.c set_cpu_sibling_map(), cpu_coregroup_mask(),
 * 2.6.34.
 * Deviation: caches and cores shared across nodes, see above.
 */
#include "base/check.h"
#include "sched/domain/build.h"

static bool partition_alloc(struct domain_build *b, struct partition *p)
{
	p->nspans = 0;
	p->span = arena_alloc(b->scratch, b->all.ncpus, sizeof(*p->span));
	p->of = arena_alloc(b->scratch, b->t->ncpus, sizeof(*p->of));
	if (!p->span || !p->of)
		return false;
	for (uint32_t cpu = 0; cpu < b->t->ncpus; cpu++)
		p->of[cpu] = SPAN_NONE;
	return true;
}

/*
 * Give each CPU of WHOLE its part in P: equal ids, equal part; new parts are
 * numbered from p->nspans on. SLOT maps ids to parts and is SPAN_NONE everywhere
 * on entry and on return. LIST receives the members, part by part.
 */
static void split_span(struct partition *p, const struct cpu_span *whole, const uint32_t *id,
		       uint16_t *slot, uint16_t *list)
{
	uint32_t first = p->nspans, start = 0;

	for (uint32_t i = 0; i < whole->ncpus; i++) {
		uint32_t cpu = whole->cpu[i];

		if (slot[id[cpu]] == SPAN_NONE) {
			slot[id[cpu]] = (uint16_t)p->nspans;
			p->span[p->nspans].ncpus = 0;
			p->span[p->nspans].mask = NULL;
			p->span[p->nspans].draft = NULL;
			p->nspans++;
		}
		p->of[cpu] = slot[id[cpu]];
		p->span[p->of[cpu]].ncpus++;
	}
	for (uint32_t s = first; s < p->nspans; s++) {
		p->span[s].cpu = list + start;
		start += p->span[s].ncpus;
		p->span[s].ncpus = 0;
	}
	for (uint32_t i = 0; i < whole->ncpus; i++) {
		struct cpu_span *s = &p->span[p->of[whole->cpu[i]]];

		list[(uint32_t)(s->cpu - list) + s->ncpus++] = whole->cpu[i];
		slot[id[whole->cpu[i]]] = SPAN_NONE;
	}
}

/* P = the parts of WHOLE[0..nwhole), each split by id[cpu]; ids are below NIDS. */
static bool partition_refine(struct domain_build *b, struct partition *p,
			     const struct cpu_span *whole, uint32_t nwhole, const uint32_t *id,
			     uint32_t nids)
{
	uint16_t *list = arena_alloc(b->scratch, b->all.ncpus, sizeof(*list));
	uint16_t *slot = arena_alloc(b->scratch, nids, sizeof(*slot));
	uint32_t done = 0;

	if (!list || !slot || !partition_alloc(b, p))
		return false;
	for (uint32_t i = 0; i < nids; i++)
		slot[i] = SPAN_NONE;
	for (uint32_t i = 0; i < nwhole; i++) {
		split_span(p, &whole[i], id, slot, list + done);
		done += whole[i].ncpus;
	}
	CHECK(done == b->all.ncpus);
	return true;
}

static bool online_list(struct domain_build *b)
{
	const struct topology *t = b->t;
	uint16_t *list = arena_alloc(b->scratch, t->ncpus, sizeof(*list));
	uint32_t n = 0;

	if (!list)
		return false;
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		if (t->cpu[cpu].present && t->cpu[cpu].online)
			list[n++] = (uint16_t)cpu;
	b->all.cpu = list;
	b->all.ncpus = n;
	b->all.mask = NULL;
	b->all.draft = NULL;
	return true;
}

static bool node_parts(struct domain_build *b)
{
	b->node_part = arena_alloc(b->scratch, b->t->nnodes, sizeof(*b->node_part));
	if (!b->node_part)
		return false;
	for (uint32_t n = 0; n < b->t->nnodes; n++)
		b->node_part[n] = SPAN_NONE;
	for (uint32_t p = 0; p < b->node.nspans; p++)
		b->node_part[b->t->cpu[b->node.span[p].cpu[0]].node] = (uint16_t)p;
	return true;
}

/* A CPU in no cluster has one with the threads of its core only. */
static bool cluster_parts(struct domain_build *b, uint32_t *id)
{
	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		uint32_t cpu = b->all.cpu[i];
		const struct topo_cpu *first = &b->t->cpu[b->core.span[b->core.of[cpu]].cpu[0]];

		if (first->cluster == TOPO_NONE)
			id[cpu] = TOPO_CPUS_MAX + first->core;
		else
			id[cpu] = first->cluster;
		CHECK(id[cpu] < 2 * TOPO_CPUS_MAX);
	}
	return partition_refine(b, &b->cluster, b->llc.span, b->llc.nspans, id, 2 * TOPO_CPUS_MAX);
}

bool partitions_make(struct domain_build *b)
{
	const struct topology *t = b->t;
	uint32_t *id, nids = t->nnodes;

	id = arena_alloc(b->scratch, t->ncpus, sizeof(*id));
	if (!id || !online_list(b))
		return false;
	if (b->all.ncpus == 0)
		return true;

	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		const struct topo_cpu *c = &t->cpu[b->all.cpu[i]];

		CHECK(c->node < t->nnodes);
		CHECK(c->core < TOPO_CPUS_MAX);
		CHECK(c->llc < TOPO_CPUS_MAX);
		id[b->all.cpu[i]] = c->node;
	}
	if (!partition_refine(b, &b->node, &b->all, 1, id, nids) || !node_parts(b))
		return false;

	for (uint32_t i = 0; i < b->all.ncpus; i++)
		id[b->all.cpu[i]] = t->cpu[b->all.cpu[i]].core;
	if (!partition_refine(b, &b->core, b->node.span, b->node.nspans, id, TOPO_CPUS_MAX))
		return false;

	for (uint32_t i = 0; i < b->all.ncpus; i++) {
		const struct cpu_span *core = &b->core.span[b->core.of[b->all.cpu[i]]];

		id[b->all.cpu[i]] = t->cpu[core->cpu[0]].llc;
	}
	if (!partition_refine(b, &b->llc, b->node.span, b->node.nspans, id, TOPO_CPUS_MAX))
		return false;

	if (b->rules->has_cluster && !cluster_parts(b, id))
		return false;

	for (uint32_t i = 0; i < b->all.ncpus; i++)
		id[b->all.cpu[i]] = b->all.cpu[i];
	return partition_refine(b, &b->cpu, &b->all, 1, id, t->ncpus);
}

bool level_from_partition(struct domain_build *b, struct level_plan *l,
			  const struct domain_params *params, struct partition *p)
{
	CHECK(p->nspans > 0);
	l->params = params;
	l->nspans = p->nspans;
	l->of = p->of;
	l->span = arena_alloc(b->scratch, p->nspans, sizeof(struct cpu_span *));
	if (!l->span)
		return false;
	for (uint32_t i = 0; i < p->nspans; i++)
		l->span[i] = &p->span[i];
	return true;
}
