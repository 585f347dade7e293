/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the parts of the builder of kernels from 5.4 on; nobody else includes this.
 *
 * These kernels build every level for every CPU, then groups, then capacities, and only then
 * remove what is of no use; what was there before leaves traces. So a whole draft is made in
 * scratch memory, with the structures of the result, and what is left of it is copied:
 *
 *	by_mask.c	levels, a domain of each CPU at each of them
 *	draft_groups.c	rings of groups, what groups share
 *	draft_attach.c	removal of levels, the copy
 */
#ifndef RUNQLAB_SCHED_DOMAIN_DRAFT_H
#define RUNQLAB_SCHED_DOMAIN_DRAFT_H

#include "sched/domain/build.h"

struct draft_sgc {
	struct sched_group_capacity c;     /* balance_mask: in scratch, NULL while unused */
	struct cpu_span *balance;          /* the same CPUs */
	struct sched_group_capacity *made; /* the copy; NULL until then */
};

struct draft_shared {
	struct sched_domain_shared s;
	struct sched_domain_shared *made;
};

struct draft_group {
	struct sched_group g; /* first: g.next and sd.groups point to it */
	struct cpu_span *span;
	struct draft_sgc *sgc;
	const struct cpu_span *ring; /* the span whose ring it was last put into */
	struct sched_group *made;
};

struct draft_domain {
	struct sched_domain sd; /* first: parent and child point to it */
	struct cpu_span *span;  /* NULL: the CPU has no domain at this level */
	struct draft_shared *shared;
};

struct draft_level {
	struct level_plan l; /* params and spans; no rings */
	uint32_t flags;      /* of every domain, before unequal CPUs were looked for */
	struct draft_domain *sd;
	struct draft_group *group;   /* [cpu] first CPU of the group, where groups do not overlap */
	struct draft_sgc *sgc;       /* [cpu] first CPU of the balance mask */
	struct draft_shared *shared; /* [span] where CPUs share a cache, else NULL */
};

struct draft {
	struct domain_build *b;
	struct domain_set *out;
	struct draft_level *level; /* lowest first */
	uint32_t nlevels;
	struct sched_domain **bottom; /* [cpu] what is left of its chain */
	uint64_t *capacity;           /* [cpu] as far as refreshed; 1024 before */
	struct mask *covered;         /* of no meaning between two calls */
};

/* N zeroed things of SIZE bytes from the scratch memory; NULL: out of memory. */
void *draft_alloc(struct domain_build *b, size_t n, size_t size);

static inline struct draft_group *draft_of_group(struct sched_group *g)
{
	return (struct draft_group *)g;
}

static inline struct draft_domain *draft_of_domain(struct sched_domain *sd)
{
	return (struct draft_domain *)sd;
}

static inline bool draft_has(const struct draft *d, uint32_t level, uint32_t cpu)
{
	return d->level[level].sd[cpu].span != NULL;
}

static inline struct cpu_span *draft_span(const struct draft *d, uint32_t level, uint32_t cpu)
{
	return d->level[level].sd[cpu].span;
}

/* draft_groups.c */
/* Give every domain its ring. False: out of memory. */
bool draft_groups(struct draft *d);
/* The first capacity of every group, by the CPUs from the last one down. */
void draft_capacities(struct draft *d);

/* draft_attach.c */
/* Remove the levels that are of no use to CPU from its chain. */
void draft_degenerate(struct draft *d, uint32_t cpu);
/* Copy what is left. False: out of memory. */
bool draft_publish(struct draft *d);

#endif
