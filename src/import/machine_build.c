/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine may come from a preset, a file or a line of text, but equal
 * machines must be equal structs: the domain builder, the fingerprint of a run
 * and the description all read the ids. So every reader ends here. Ids are
 * renumbered from 0 in the order of the lowest CPU that has them; CPUs and
 * nodes are counted; and the containments that the rest of the program relies
 * on are verified, because a file or a line of text may claim anything:
 *
 *	core inside cluster inside LLC, core inside die inside package,
 *	package inside book inside drawer, core inside one node.
 *
 * LLC and die, LLC and package, LLC and node are not ordered: a node may be a
 * part of an LLC (sub-NUMA clustering) or hold several.
 */
#include "import/machine_build.h"

#include "base/check.h"
#include "import/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct topo_part_info topo_part_info[TOPO_PARTS] = {
	[TOPO_PART_CORE] = {"core", false},       [TOPO_PART_CLUSTER] = {"cluster", true},
	[TOPO_PART_LLC] = {"llc", false},         [TOPO_PART_DIE] = {"die", false},
	[TOPO_PART_PACKAGE] = {"package", false}, [TOPO_PART_BOOK] = {"book", true},
	[TOPO_PART_DRAWER] = {"drawer", true},
};

bool machine_err(struct rql_error *e, const char *format, ...)
{
	char what[sizeof(e->what)];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	return err_set(e, NULL, what, NULL, NULL);
}

uint32_t *topo_cpu_part(struct topo_cpu *cpu, enum topo_part part)
{
	switch (part) {
	case TOPO_PART_CORE:
		return &cpu->core;
	case TOPO_PART_CLUSTER:
		return &cpu->cluster;
	case TOPO_PART_LLC:
		return &cpu->llc;
	case TOPO_PART_DIE:
		return &cpu->die;
	case TOPO_PART_PACKAGE:
		return &cpu->package;
	case TOPO_PART_BOOK:
		return &cpu->book;
	case TOPO_PART_DRAWER:
		return &cpu->drawer;
	case TOPO_PARTS:
		break;
	}
	check_failed(__FILE__, __LINE__, "part < TOPO_PARTS");
}

uint32_t topo_cpu_part_id(const struct topo_cpu *cpu, enum topo_part part)
{
	struct topo_cpu copy = *cpu;

	return *topo_cpu_part(&copy, part);
}

bool topology_create(struct topology *t, uint32_t ncpus, uint32_t nnodes, struct rql_error *e)
{
	memset(t, 0, sizeof(*t));
	if (ncpus == 0 || ncpus > TOPO_CPUS_MAX)
		return machine_err(e, "the machine has CPU numbers up to %u; 0 to %u can be used",
				   ncpus ? ncpus - 1 : 0, TOPO_CPUS_MAX - 1);
	if (nnodes == 0 || nnodes > TOPO_NODES_MAX)
		return machine_err(e, "the machine has %u NUMA nodes; 1 to %u can be used", nnodes,
				   TOPO_NODES_MAX);
	t->cpu = calloc(ncpus, sizeof(*t->cpu));
	t->node = calloc(nnodes, sizeof(*t->node));
	t->distance = malloc((size_t)nnodes * nnodes);
	if (!t->cpu || !t->node || !t->distance) {
		topology_free(t);
		return machine_err(e, "no memory for a machine of %u CPUs; free some", ncpus);
	}
	t->ncpus = ncpus;
	t->nnodes = nnodes;
	for (uint32_t cpu = 0; cpu < ncpus; cpu++) {
		for (uint32_t part = 0; part < TOPO_PARTS; part++)
			*topo_cpu_part(&t->cpu[cpu], (enum topo_part)part) = TOPO_NONE;
		t->cpu[cpu].node = TOPO_NONE;
		t->cpu[cpu].capacity = 1024;
	}
	memset(t->distance, 20, (size_t)nnodes * nnodes);
	for (uint32_t node = 0; node < nnodes; node++)
		t->distance[(size_t)node * nnodes + node] = 10;
	return true;
}

void topology_free(struct topology *t)
{
	free(t->cpu);
	free(t->node);
	free(t->distance);
	memset(t, 0, sizeof(*t));
}

/*
 * Number the ids of PART from 0 in order of first appearance. An id is below
 * TOPO_CPUS_MAX here, which every reader takes care of. Absent CPUs get TOPO_NONE.
 */
static void renumber(struct topology *t, enum topo_part part)
{
	uint32_t new_id[TOPO_CPUS_MAX];
	uint32_t id_count = 0;

	for (uint32_t id = 0; id < TOPO_CPUS_MAX; id++)
		new_id[id] = TOPO_NONE;
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++) {
		uint32_t *id = topo_cpu_part(&t->cpu[cpu], part);

		if (!t->cpu[cpu].present)
			*id = TOPO_NONE;
		if (*id == TOPO_NONE)
			continue;
		CHECK(*id < TOPO_CPUS_MAX);
		if (new_id[*id] == TOPO_NONE)
			new_id[*id] = id_count++;
		*id = new_id[*id];
	}
}

static void count_cpus(struct topology *t)
{
	t->npresent = 0;
	t->nonline = 0;
	for (uint32_t node = 0; node < t->nnodes; node++)
		t->node[node].memory_only = true;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		struct topo_cpu *cpu = &t->cpu[i];

		if (!cpu->present) {
			cpu->online = false;
			cpu->node = TOPO_NONE;
			cpu->capacity = 1024;
			continue;
		}
		t->npresent++;
		t->nonline += cpu->online;
		if (cpu->node < t->nnodes)
			t->node[cpu->node].memory_only = false;
	}
}

/* Every present CPU has what it must have. */
static bool verify_cpus(const struct topology *t, struct rql_error *e)
{
	for (uint32_t i = 0; i < t->ncpus; i++) {
		const struct topo_cpu *cpu = &t->cpu[i];

		if (!cpu->present)
			continue;
		for (uint32_t part = 0; part < TOPO_PARTS; part++)
			if (!topo_part_info[part].optional &&
			    topo_cpu_part_id(cpu, (enum topo_part)part) == TOPO_NONE)
				return machine_err(e, "CPU %u has no %s; every CPU needs one", i,
						   topo_part_info[part].name);
		if (cpu->node >= t->nnodes)
			return machine_err(e, "CPU %u is in no NUMA node; every CPU needs one", i);
		if (cpu->capacity < 1 || cpu->capacity > 1024)
			return machine_err(e, "CPU %u has capacity %u; 1 to 1024 is right", i,
					   cpu->capacity);
	}
	return true;
}

struct containment {
	enum topo_part inner, outer; /* TOPO_PARTS: the node */
};

static uint32_t part_or_node(const struct topo_cpu *cpu, enum topo_part part)
{
	return part == TOPO_PARTS ? cpu->node : topo_cpu_part_id(cpu, part);
}

/* CPUs of one C->inner have the same C->outer (or all none). */
static bool verify_containment(const struct topology *t, const struct containment *c,
			       struct rql_error *e)
{
	uint32_t first[TOPO_CPUS_MAX]; /* inner id -> lowest CPU that has it */

	for (uint32_t id = 0; id < TOPO_CPUS_MAX; id++)
		first[id] = TOPO_NONE;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		uint32_t inner = part_or_node(&t->cpu[i], c->inner);

		if (!t->cpu[i].present || inner == TOPO_NONE)
			continue;
		if (first[inner] == TOPO_NONE)
			first[inner] = i;
		if (part_or_node(&t->cpu[first[inner]], c->outer) ==
		    part_or_node(&t->cpu[i], c->outer))
			continue;
		return machine_err(e, "CPUs %u and %u share a %s but not a %s; they must share it",
				   first[inner], i, topo_part_info[c->inner].name,
				   c->outer == TOPO_PARTS ? "NUMA node" :
							    topo_part_info[c->outer].name);
	}
	return true;
}

static bool verify(const struct topology *t, struct rql_error *e)
{
	static const struct containment containments[] = {
		{TOPO_PART_CORE, TOPO_PART_CLUSTER}, {TOPO_PART_CORE, TOPO_PART_LLC},
		{TOPO_PART_CLUSTER, TOPO_PART_LLC},  {TOPO_PART_CORE, TOPO_PART_DIE},
		{TOPO_PART_DIE, TOPO_PART_PACKAGE},  {TOPO_PART_PACKAGE, TOPO_PART_BOOK},
		{TOPO_PART_BOOK, TOPO_PART_DRAWER},  {TOPO_PART_CORE, TOPO_PARTS},
	};

	if (t->nonline == 0)
		return machine_err(e, "the machine has no online CPU; one at least is needed");
	if (!verify_cpus(t, e))
		return false;
	for (size_t i = 0; i < sizeof(containments) / sizeof(containments[0]); i++)
		if (!verify_containment(t, &containments[i], e))
			return false;
	for (uint32_t node = 1; node < t->nnodes; node++)
		if (t->node[node].os_id <= t->node[node - 1].os_id)
			return machine_err(e,
					   "NUMA node %u is told twice or out of order; nodes "
					   "must ascend",
					   t->node[node].os_id);
	return true;
}

bool topology_finish(struct topology *t, struct rql_error *e)
{
	CHECK(t->cpu != NULL);
	CHECK(t->ncpus > 0);

	while (t->ncpus > 1 && !t->cpu[t->ncpus - 1].present)
		t->ncpus--;
	for (uint32_t part = 0; part < TOPO_PARTS; part++)
		renumber(t, (enum topo_part)part);
	count_cpus(t);
	if (verify(t, e))
		return true;
	topology_free(t);
	return false;
}

static bool cpu_equal(const struct topo_cpu *a, const struct topo_cpu *b)
{
	for (uint32_t part = 0; part < TOPO_PARTS; part++)
		if (topo_cpu_part_id(a, (enum topo_part)part) !=
		    topo_cpu_part_id(b, (enum topo_part)part))
			return false;
	return a->present == b->present && a->online == b->online && a->node == b->node &&
	       a->capacity == b->capacity;
}

bool topology_equal(const struct topology *a, const struct topology *b)
{
	if (strcmp(a->name, b->name) != 0 || a->arch != b->arch || a->ncpus != b->ncpus ||
	    a->npresent != b->npresent || a->nonline != b->nonline || a->nnodes != b->nnodes)
		return false;
	for (uint32_t cpu = 0; cpu < a->ncpus; cpu++)
		if (!cpu_equal(&a->cpu[cpu], &b->cpu[cpu]))
			return false;
	for (uint32_t node = 0; node < a->nnodes; node++)
		if (a->node[node].os_id != b->node[node].os_id ||
		    a->node[node].memory_only != b->node[node].memory_only)
			return false;
	return memcmp(a->distance, b->distance, (size_t)a->nnodes * a->nnodes) == 0;
}
