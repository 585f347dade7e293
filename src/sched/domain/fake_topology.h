/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of this folder only: machines made by hand, built domains with the
 * memory they live in, and chains as one line of text.
 */
#ifndef RUNQLAB_SCHED_DOMAIN_FAKE_TOPOLOGY_H
#define RUNQLAB_SCHED_DOMAIN_FAKE_TOPOLOGY_H

#include "base/buf.h"
#include "sched/domain/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NCPUS CPUs that share nothing, all online in node 0; NNODES nodes, 10 and 20 apart. */
static inline struct topology *fake_machine(uint32_t ncpus, uint32_t nnodes)
{
	struct topology *t = calloc(1, sizeof(*t));

	t->cpu = calloc(ncpus, sizeof(*t->cpu));
	t->node = calloc(nnodes, sizeof(*t->node));
	t->distance = calloc((size_t)nnodes * nnodes, 1);
	t->ncpus = ncpus;
	t->npresent = ncpus;
	t->nonline = ncpus;
	t->nnodes = nnodes;
	for (uint32_t i = 0; i < ncpus; i++) {
		t->cpu[i].present = true;
		t->cpu[i].online = true;
		t->cpu[i].core = i;
		t->cpu[i].llc = i;
		t->cpu[i].cluster = TOPO_NONE;
		t->cpu[i].book = TOPO_NONE;
		t->cpu[i].drawer = TOPO_NONE;
		t->cpu[i].capacity = 1024;
	}
	for (uint32_t i = 0; i < nnodes; i++)
		t->node[i].os_id = i;
	for (uint32_t i = 0; i < nnodes * nnodes; i++)
		t->distance[i] = i / nnodes == i % nnodes ? 10 : 20;
	return t;
}

/* S sockets, each a node with one cache, of C cores of T threads, numbered as SxCxT is. */
static inline struct topology *fake_sockets(uint32_t s, uint32_t c, uint32_t t)
{
	struct topology *m = fake_machine(s * c * t, s);

	for (uint32_t i = 0; i < m->ncpus; i++) {
		m->cpu[i].core = i % (s * c);
		m->cpu[i].llc = i % (s * c) / c;
		m->cpu[i].package = m->cpu[i].llc;
		m->cpu[i].node = m->cpu[i].llc;
	}
	return m;
}

static inline void fake_offline(struct topology *t, uint32_t cpu)
{
	t->cpu[cpu].online = false;
	t->nonline--;
}

static inline void fake_distance(struct topology *t, uint32_t from, uint32_t to, uint8_t distance)
{
	t->distance[from * t->nnodes + to] = distance;
}

static inline void fake_free(struct topology *t)
{
	free(t->cpu);
	free(t->node);
	free(t->distance);
	free(t);
}

struct built {
	struct domain_set set;
	struct arena a, scratch;
	bool done;
};

/* Build with exactly the memory the bounds promise to be enough. */
static inline struct built build_fake(const struct topology *t, const struct domain_rules *rules)
{
	struct built b;
	size_t bytes = domains_bytes_max(t, rules), scratch = domains_scratch_bytes_max(t, rules);
	void *mem = aligned_alloc(64, (bytes + 63) / 64 * 64);
	void *smem = aligned_alloc(64, (scratch + 63) / 64 * 64);
	const struct domain_start start = {.jiffies = 300, .hz = 250};

	memset(mem, 0, bytes);
	memset(smem, 0xa5, scratch);
	arena_init(&b.a, mem, bytes);
	arena_init(&b.scratch, smem, scratch);
	b.done = domains_build(&b.set, t, rules, &start, &b.a, &b.scratch);
	memset(smem, 0x5a, scratch);
	return b;
}

static inline void built_free(struct built *b)
{
	free(b->a.base);
	free(b->scratch.base);
}

static inline void put_cpulist(struct buf *out, const struct mask *m)
{
	uint32_t cpu = mask_first(m);
	const char *comma = "";

	while (cpu != MASK_NONE) {
		uint32_t last = cpu;

		while (last / 64 < m->nwords && mask_next(m, last + 1) == last + 1)
			last++;
		buf_str(out, comma);
		buf_u64(out, cpu);
		if (last > cpu) {
			buf_char(out, '-');
			buf_u64(out, last);
		}
		comma = ",";
		cpu = mask_next(m, last + 1);
	}
}

/* "SIBLING 0,8: 0=589 8=589; MC ..." */
static inline void put_chain(struct buf *out, const struct domain_set *s, uint32_t cpu)
{
	for (const struct sched_domain *sd = s->bottom[cpu]; sd; sd = sd->parent) {
		const struct sched_group *g = sd->groups;

		if (sd->child)
			buf_str(out, "; ");
		buf_str(out, sd->name);
		buf_char(out, ' ');
		put_cpulist(out, sd->span);
		buf_char(out, ':');
		do {
			buf_char(out, ' ');
			put_cpulist(out, g->cpus);
			buf_char(out, '=');
			buf_u64(out, g->cpu_power);
			g = g->next;
		} while (g != sd->groups);
	}
}

#endif
