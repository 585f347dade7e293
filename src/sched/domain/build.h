/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the parts of the domain builder; nobody else includes this.
 *
 * A plan is made in scratch memory: partitions of the online CPUs (cores,
 * caches, nodes), from them levels (each CPU's span at that level) and rings of
 * groups. Only what the attached domains refer to is then copied to the
 * result. Sets of CPUs are ascending lists, so equal sets have equal bytes.
 */
#ifndef RUNQLAB_SCHED_DOMAIN_BUILD_H
#define RUNQLAB_SCHED_DOMAIN_BUILD_H

#include "sched/domain/domain.h"

#define SPAN_NONE UINT16_MAX /* the CPU has no domain at this level */

/* A set of online CPUs. */
struct cpu_span {
	const uint16_t *cpu; /* ascending; in scratch until published */
	uint32_t ncpus;      /* at least 1 */
	struct mask *mask;   /* NULL until published */
	struct mask *draft;  /* in scratch, for the planner that needs it (draft.h) */
};

/* Disjoint spans that cover all online CPUs. */
struct partition {
	struct cpu_span *span; /* [nspans] */
	uint32_t nspans;
	uint16_t *of; /* [cpu] index of its span, SPAN_NONE if offline */
};

struct group_plan {
	struct cpu_span *span;
	uint32_t power;
};

/* The groups of one domain span: group[first .. first + ngroups), in ring order. */
struct ring_plan {
	uint32_t first, ngroups;
	struct sched_group *made; /* [ngroups] the published groups; NULL until then */
};

/* One level of the table, as all CPUs see it. */
struct level_plan {
	const struct domain_params *params;
	uint32_t nspans;
	struct cpu_span **span; /* [nspans] */
	const uint16_t *of;     /* [cpu] its span, or SPAN_NONE */
	struct ring_plan *ring; /* [nspans] */
	struct group_plan *group;
	uint32_t ngroups;
	uint32_t *own;                 /* [cpu] its own group in group[] */
	const struct level_plan *from; /* powers are sums over this level's rings; NULL: base */
};

struct domain_build {
	const struct topology *t;
	const struct domain_rules *rules;
	struct arena *a;
	struct arena *scratch;
	struct domain_start start;

	struct cpu_span all;   /* every online CPU */
	struct partition cpu;  /* each alone */
	struct partition core; /* SMT siblings, within one node */
	struct partition
		cluster;      /* cluster, within a last-level cache; kernels that have the level */
	struct partition llc; /* last-level cache, within one node */
	struct partition node;
	uint16_t *node_part; /* [topology node] its index in node.span[], SPAN_NONE: no CPU online */

	struct level_plan *level; /* [nlevels], lowest first */
	uint32_t nlevels;
	uint32_t ngroups; /* published so far */
};

/*
 * One way to make levels, called once the partitions exist and there is at least
 * one online CPU: either all at once or in parts that build.c puts together.
 */
struct topo_ops {
	const char *name;
	/* NULL, or: do everything. False: out of memory. The other two are then NULL. */
	bool (*build)(struct domain_build *b, struct domain_set *out);
	/* Plan every level, its spans, rings and initial powers. False: out of memory. */
	bool (*plan)(struct domain_build *b);
	/* Set the numbers of one domain; the caller set its span, and sets groups and links. */
	void (*init)(struct sched_domain *sd, const struct domain_build *b,
		     const struct level_plan *l);
};

extern const struct topo_ops topo_ops_classic;
extern const struct topo_ops topo_ops_one_init;
extern const struct topo_ops topo_ops_by_mask; /* by_mask.c */

/* build.c: give S its mask and a list that outlives the scratch memory. False: out of memory. */
bool span_publish(struct domain_build *b, struct cpu_span *s);

/* classic.c: the numbers of a level as its parameters say. */
void domain_init_from_params(struct sched_domain *sd, const struct domain_build *b,
			     const struct level_plan *l);

/* levels.c */
bool partitions_make(struct domain_build *b);
/* A level whose spans are those of P. */
bool level_from_partition(struct domain_build *b, struct level_plan *l,
			  const struct domain_params *params, struct partition *p);

/* numa.c */
bool level_of_near_nodes(struct domain_build *b, struct level_plan *l,
			 const struct domain_params *params);
bool level_of_all_nodes(struct domain_build *b, struct level_plan *l,
			const struct domain_params *params);

/* numa_distance.c */
/*
 * The distances from node 0 beyond its own, ascending: the Ith of them, 0 if there are no more.
 * Linux: sched_init_numa().
 */
uint32_t numa_distance_at(const struct topology *t, uint32_t i);
/* How many there are. */
uint32_t numa_distances(const struct topology *t);
/* L's spans: the nodes within DISTANCE, where the level BELOW does not unite all CPUs yet. */
bool spans_by_distance(struct domain_build *b, struct level_plan *l, uint32_t distance,
		       const struct level_plan *below);
/*
 * The nodes within DISTANCE of each CPU's, for the CPUs that no lower level already unites with
 * all others. BELOW is the next lower level; rings and powers are made, too, powers as the sums
 * of the CPUs' at the level BASE.
 */
bool level_by_distance(struct domain_build *b, struct level_plan *l,
		       const struct domain_params *params, uint32_t distance,
		       const struct level_plan *below, const struct level_plan *base);

/* groups.c */
/* Rings of the parts of P, ordered by first CPU; P refines the spans of L. */
bool rings_by_first_cpu(struct domain_build *b, struct level_plan *l, struct partition *p);
/* Rings of the nodes in each node's span, in order of node number from the own one on. */
bool rings_by_node(struct domain_build *b, struct level_plan *l);

/* capacity.c */
/* Initial power of every group of L; the level L->from must have its powers. */
void powers_init(struct level_plan *l);

#endif
