/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine as its owner would describe it: CPUs, what they share, NUMA nodes.
 * Plain numbers, filled by `import` (from hwloc, a preset, a tree of files) and
 * read by sched/domain, which derives what a kernel builds from it. Nothing
 * here depends on a kernel version.
 *
 * CPU numbers are Linux's and may be sparse: cpu[] is indexed by them and has
 * holes (present false). All other ids (core, package ...) only say "equal or
 * not": CPUs with the same id share the thing. They are dense from 0, in order
 * of the lowest CPU that has them, so equal machines have equal topologies.
 * Memory belongs to whoever called topology_create().
 */
#ifndef RUNQLAB_MODEL_TOPOLOGY_H
#define RUNQLAB_MODEL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#define TOPO_CPUS_MAX 4096u  /* CPU numbers are below this */
#define TOPO_NODES_MAX 1024u /* NUMA nodes, memory-only ones included */
#define TOPO_NONE UINT32_MAX /* the machine does not say */

enum topo_arch {
	TOPO_ARCH_X86,
	TOPO_ARCH_OTHER, /* or unknown */
};

struct topo_cpu {
	bool present;  /* the machine has this CPU number */
	bool online;   /* and it takes part in scheduling */
	uint32_t core; /* SMT siblings share it; never TOPO_NONE on a present CPU */
	uint32_t cluster; /* shared L2 (or architecture's cluster) smaller than the LLC; TOPO_NONE if none */
	uint32_t llc; /* last-level cache; a CPU without cache information has one of its own core */
	uint32_t die; /* dies of a package; equal to `package` in partition where not told */
	uint32_t package;
	uint32_t book;     /* s390 book; TOPO_NONE if none */
	uint32_t drawer;   /* s390 drawer; TOPO_NONE if none */
	uint32_t node;     /* index into node[]; never TOPO_NONE on a present CPU */
	uint32_t capacity; /* 1..1024, 1024 = the biggest CPU of the machine */
	int32_t priority;  /* favoured cores: higher is better; see topology.has_priority */
};

struct topo_node {
	uint32_t os_id;   /* Linux's node number; ascending over node[] */
	bool memory_only; /* no CPU at all */
};

struct topology {
	char name[64]; /* preset or description's kind, printable, never a path */
	enum topo_arch arch;
	uint32_t ncpus; /* length of cpu[]: highest CPU number + 1 */
	uint32_t npresent, nonline;
	uint32_t nnodes; /* length of node[], at least 1 */
	struct topo_cpu *cpu;
	struct topo_node *node;
	uint8_t *distance; /* [from * nnodes + to]; 10 = local; as firmware's SLIT */
	/* Firmware ranks the CPUs and kernels that know of it pack tasks (x86: ITMT). */
	bool has_priority;
	/* Memory is reclaimed before a node further away is asked; 0: the kernel's 30. AMD EPYC: 32. */
	uint32_t reclaim_distance;
};

static inline uint32_t topo_distance(const struct topology *t, uint32_t from, uint32_t to)
{
	return t->distance[from * t->nnodes + to];
}

#endif
