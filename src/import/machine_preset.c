/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The presets, and how a machine of equal sockets becomes a topology.
 *
 * A preset stands for a machine that published results come from, or for a
 * shape that schedulers trip over. docs/MACHINES.md tells the source of each
 * number and says which are assumed. What a number of CPUs shares follows from
 * counts alone: cores are dealt out to LLCs and nodes in equal, consecutive
 * parts. Machines that are not so regular come from files.
 */
#include "import/machine_preset.h"

#include "base/check.h"
#include "base/fixed.h"
#include "import/machine_build.h"

#include <stdio.h>
#include <string.h>

/* Four packages of two nodes, HyperTransport between them: Opteron 6272, as its firmware says. */
static const uint8_t ladder_distance[8 * 8] = {
	10, 16, 16, 22, 16, 22, 16, 22, /* node 0 */
	16, 10, 22, 16, 16, 22, 22, 16, /* node 1 */
	16, 22, 10, 16, 16, 16, 16, 16, /* node 2 */
	22, 16, 16, 10, 16, 16, 22, 22, /* node 3 */
	16, 16, 16, 16, 10, 16, 16, 22, /* node 4 */
	22, 22, 16, 16, 16, 10, 22, 16, /* node 5 */
	16, 22, 16, 22, 16, 22, 10, 16, /* node 6 */
	22, 16, 16, 22, 22, 16, 16, 10, /* node 7 */
};

static const uint8_t epyc_distance[2 * 2] = {10, 32, 32, 10};

/* As QEMU's default is, and four nodes in a ring. */
static const uint8_t emulated_distance[2 * 2] = {10, 21, 21, 10};
static const uint8_t ring_distance[4 * 4] = {
	10, 20, 30, 20, /* node 0 */
	20, 10, 20, 30, /* node 1 */
	30, 20, 10, 20, /* node 2 */
	20, 30, 20, 10, /* node 3 */
};

static const uint16_t hikey960_capacity[2] = {462, 1024};

static const struct machine_preset presets[] = {
	{.name = "nhm-ep",
	 .socket_count = 2,
	 .core_count = 4,
	 .thread_count = 2,
	 .what = "2 sockets x 4 cores x 2 threads, Xeon 5500 (Nehalem-EP)"},
	{.name = "wsm-ep",
	 .socket_count = 2,
	 .core_count = 6,
	 .thread_count = 2,
	 .what = "2 sockets x 6 cores x 2 threads, Xeon 5600 (Westmere-EP)"},
	{.name = "snb-ep",
	 .socket_count = 2,
	 .core_count = 8,
	 .thread_count = 2,
	 .what = "2 sockets x 8 cores x 2 threads, Xeon E5-2600 (Sandy Bridge-EP)"},
	{.name = "arm64-2x4",
	 .socket_count = 1,
	 .core_count = 8,
	 .thread_count = 1,
	 .what = "2 clusters of 4 cores in one node, arm64",
	 .llc_count = 2,
	 .arch = TOPO_ARCH_OTHER},
	{.name = "arm64-224",
	 .socket_count = 2,
	 .core_count = 28,
	 .thread_count = 4,
	 .what = "2 nodes x 28 cores x 4 threads, arm64 (ThunderX2)",
	 .numbering = MACHINE_THREADS_IN_SOCKET,
	 .arch = TOPO_ARCH_OTHER},
	{.name = "biglittle-4+4",
	 .socket_count = 1,
	 .core_count = 8,
	 .thread_count = 1,
	 .what = "4 cores of capacity 462 and 4 of 1024, arm64 (HiKey 960)",
	 .llc_count = 2,
	 .arch = TOPO_ARCH_OTHER,
	 .llc_capacity = hikey960_capacity},
	{.name = "ladder-8x8",
	 .socket_count = 4,
	 .core_count = 8,
	 .thread_count = 2,
	 .what = "8 nodes of 8 CPUs, one and two hops apart, four Opteron 6272",
	 .llc_count = 2,
	 .node_count = 2,
	 .numbering = MACHINE_THREADS_ADJACENT,
	 .distance = ladder_distance},
	{.name = "epyc-16llc",
	 .socket_count = 2,
	 .core_count = 64,
	 .thread_count = 2,
	 .what = "2 sockets x 8 LLCs x 8 cores x 2 threads, EPYC 7763 (Milan)",
	 .llc_count = 8,
	 .distance = epyc_distance},
	{.name = "lockstep-4",
	 .socket_count = 1,
	 .core_count = 4,
	 .thread_count = 1,
	 .what = "4 cores, an emulated machine of tests/truth"},
	{.name = "lockstep-16",
	 .socket_count = 2,
	 .core_count = 4,
	 .thread_count = 2,
	 .what = "2 sockets x 4 cores x 2 threads, an emulated machine of tests/truth",
	 .numbering = MACHINE_THREADS_ADJACENT,
	 .distance = emulated_distance},
	{.name = "lockstep-32",
	 .socket_count = 2,
	 .core_count = 16,
	 .thread_count = 1,
	 .what = "2 sockets x 16 cores, an emulated machine of tests/truth",
	 .distance = emulated_distance},
	{.name = "lockstep-64",
	 .socket_count = 2,
	 .core_count = 16,
	 .thread_count = 2,
	 .what = "2 sockets x 16 cores x 2 threads, an emulated machine of tests/truth",
	 .numbering = MACHINE_THREADS_ADJACENT,
	 .distance = emulated_distance},
	{.name = "lockstep-ring",
	 .socket_count = 4,
	 .core_count = 4,
	 .thread_count = 1,
	 .what = "4 sockets x 4 cores, nodes in a ring, an emulated machine of tests/truth",
	 .distance = ring_distance},
};

const struct machine_preset *machine_presets(size_t *count)
{
	*count = sizeof(presets) / sizeof(presets[0]);
	return presets;
}

const struct machine_preset *machine_preset_find(const char *name)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

/* The core of CPU number CPU, counted over the whole machine. */
static uint32_t core_of(const struct machine_preset *p, uint32_t cpu)
{
	uint32_t in_socket = p->core_count * p->thread_count;

	switch (p->numbering) {
	case MACHINE_THREADS_LAST:
		return cpu % (p->socket_count * p->core_count);
	case MACHINE_THREADS_IN_SOCKET:
		return cpu / in_socket * p->core_count + cpu % in_socket % p->core_count;
	case MACHINE_THREADS_ADJACENT:
		return cpu / p->thread_count;
	}
	CHECK(false);
	return 0;
}

bool machine_preset_make(const struct machine_preset *p, struct topology *out, struct rql_error *e)
{
	uint32_t cpu_count = p->socket_count * p->core_count * p->thread_count;
	uint32_t llc_count = max_u32(p->llc_count, 1), node_count = max_u32(p->node_count, 1);

	CHECK(p->core_count % llc_count == 0);
	CHECK(p->core_count % node_count == 0);
	if (!topology_create(out, cpu_count, p->socket_count * node_count, e))
		return false;
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct topo_cpu *cpu = &out->cpu[i];

		cpu->present = true;
		cpu->online = true;
		cpu->core = core_of(p, i);
		cpu->llc = cpu->core / (p->core_count / llc_count);
		cpu->package = cpu->core / p->core_count;
		cpu->die = cpu->package;
		cpu->node = cpu->core / (p->core_count / node_count);
		if (p->llc_capacity)
			cpu->capacity = p->llc_capacity[cpu->llc % llc_count];
	}
	for (uint32_t node = 0; node < out->nnodes; node++)
		out->node[node].os_id = node;
	if (p->distance)
		memcpy(out->distance, p->distance, (size_t)out->nnodes * out->nnodes);
	out->arch = p->arch;
	snprintf(out->name, sizeof(out->name), "%s", p->name);
	return topology_finish(out, e);
}
