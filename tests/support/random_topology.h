/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines nobody would build, for naive second builders: unequal nodes, holes, offline CPUs,
 * memory-only nodes, caches and cores across nodes, any distances. Equal numbers, equal machines.
 */
#ifndef RUNQLAB_TESTS_RANDOM_TOPOLOGY_H
#define RUNQLAB_TESTS_RANDOM_TOPOLOGY_H

#include "base/rng.h"
#include "sched/domain/fake_topology.h"

#define RANDOM_CPUS 160u

static inline bool chance(struct rng *r, uint64_t pct)
{
	return rng_below(r, 100) < pct;
}

static inline void shuffle(struct rng *r, uint32_t *number, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)rng_below(r, i), swap = number[i - 1];

		number[i - 1] = number[j];
		number[j] = swap;
	}
}

static inline void random_distances(struct rng *r, struct topology *t)
{
	uint64_t kinds = rng_between(r, 1, 6);
	bool symmetric = chance(r, 60), odd_local = chance(r, 10);

	for (uint32_t i = 0; i < t->nnodes; i++)
		for (uint32_t j = 0; j < t->nnodes; j++)
			fake_distance(t, i, j, (uint8_t)(15 + 5 * rng_below(r, kinds)));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		for (uint32_t j = 0; symmetric && j < i; j++)
			fake_distance(t, i, j, (uint8_t)topo_distance(t, j, i));
		if (!odd_local)
			fake_distance(t, i, i, 10);
	}
}

/* Hand out cores, caches and nodes to the numbers in NUMBER, then break some of it. */
static inline void random_sharing(struct rng *r, struct topology *t, const uint32_t *number)
{
	bool small = t->nnodes > 4; /* else few nodes would have a CPU */
	uint64_t threads = rng_between(r, 1, small ? 2 : 4),
		 cores = rng_between(r, 1, small ? 2 : 6);
	uint64_t caches = rng_between(r, 1, small ? 2 : 3), in_core = 0, in_cache = 0, in_node = 0;
	uint64_t memory_only = chance(r, 30) ? 40 : 0;
	uint32_t core = 0, cache = 0, node = 0;

	for (uint32_t i = 0; i < t->npresent; i++) {
		struct topo_cpu *c = &t->cpu[number[i]];

		if (in_core++ == threads) {
			in_core = 1;
			core++;
			in_cache++;
			threads = chance(r, 10) ? rng_between(r, 1, 4) : threads;
		}
		if (in_cache == cores) {
			in_cache = 0;
			cache++;
			in_node++;
			cores = chance(r, 10) ? rng_between(r, 1, 6) : cores;
		}
		if (in_node == caches && node + 1 < t->nnodes) {
			in_node = 0;
			node++;
			while (node + 1 < t->nnodes && chance(r, memory_only))
				node++;
		}
		c->core = core;
		c->llc = chance(r, 1) ? cache / 2 : cache;
		c->node = chance(r, 1) ? (uint32_t)rng_below(r, t->nnodes) : node;
	}
}

static inline struct topology *random_machine(uint64_t id)
{
	struct rng r = rng_stream(1, "topology", id);
	bool wide = chance(&r, 40);
	uint32_t ncpus = (uint32_t)rng_between(&r, 1, wide ? RANDOM_CPUS : 48);
	uint32_t nnodes = (uint32_t)rng_between(&r, 1, wide ? 40 : 4);
	struct topology *t = fake_machine(ncpus, nnodes);
	uint64_t holes = chance(&r, 20) ? 30 : 0, offline = chance(&r, 40) ? 20 : 0;
	uint32_t number[RANDOM_CPUS], os_id = chance(&r, 10) ? 1 : 0;

	t->npresent = t->nonline = 0;
	for (uint32_t i = 0; i < ncpus; i++) {
		t->cpu[i].present = !chance(&r, holes);
		t->cpu[i].online = t->cpu[i].present && !chance(&r, offline);
		if (t->cpu[i].present)
			number[t->npresent++] = i;
		t->nonline += t->cpu[i].online;
	}
	for (uint32_t i = 0; i < nnodes; i++) {
		t->node[i].os_id = os_id;
		os_id += chance(&r, 10) ? 7 : 1;
	}
	if (chance(&r, 50))
		shuffle(&r, number, t->npresent);
	random_sharing(&r, t, number);
	random_distances(&r, t);
	return t;
}

#endif
