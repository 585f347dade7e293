/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of groups from 5.4 on, and what their members share.
 *
 * Below NUMA a group is the span of a domain one level down (a CPU alone at the lowest), one
 * object for all CPUs of the span it is in. Every CPU links the ring anew as it meets the groups
 * from itself on, wrapping; the last CPU is the last to do so. So where CPU numbers of the
 * groups cross, its order is everyone's.
 *
 * At NUMA levels spans overlap, and so do groups. A CPU walks its span from itself on and takes,
 * for each CPU no group holds yet, the span that one's domain has below. The groups are the
 * CPU's own, but what matters of them is in an sgc that all groups with these CPUs share: the one
 * of the first CPU in the balance mask, which holds the CPUs that have just this span below, so
 * whose own group it is. With three steps between nodes a group may reach out of its domain;
 * kernels from 5.14 on then go down the other CPU's chain to a span that does not, and to the sgc
 * of that level.
 *
 * Capacities are first computed as balancing will refresh them later, from the last CPU to the
 * first, each for the groups it speaks for. A CPU that was not reached counts 1024.
 *
 * Cost: CPUs * levels, and for NUMA, runs of CPUs in one node * CPUs spanned.
 *
 * Linux: kernel/sched/topology.c build_sched_groups(), get_group(), build_overlap_sched_groups(),
 * find_descended_sibling(), build_balance_mask(), init_sched_groups_capacity(), 5.4 to 6.12.
 * Deviation: each CPU has its own overlapping groups there; see model/domain.h.
 */
#include "sched/domain/draft.h"

#include "base/check.h"
#include "base/fixed.h"

#define FULL_CAPACITY 1024u

/* --- one group --- */

static uint32_t cores_of(const struct draft *d, const struct cpu_span *s)
{
	const struct partition *core = &d->b->core;
	uint32_t n = 0;

	/* count a core at its first thread in S */
	for (uint32_t i = 0; i < s->ncpus; i++) {
		const struct cpu_span *threads = &core->span[core->of[s->cpu[i]]];
		uint32_t j = 0;

		while (!mask_test(s->draft, threads->cpu[j]))
			j++;
		n += threads->cpu[j] == s->cpu[i];
	}
	return n;
}

int64_t asym_cpu_priority(const struct topology *t, uint32_t cpu)
{
	return t->has_priority ? t->cpu[cpu].priority : -(int64_t)cpu;
}

static uint32_t preferred_cpu(const struct draft *d, const struct cpu_span *s)
{
	uint32_t best = s->cpu[0];

	for (uint32_t i = 1; i < s->ncpus; i++)
		if (asym_cpu_priority(d->b->t, s->cpu[i]) > asym_cpu_priority(d->b->t, best))
			best = s->cpu[i];
	return best;
}

static void use_sgc(struct draft_group *g, struct draft_sgc *sgc, struct cpu_span *balance)
{
	if (!sgc->c.balance_mask) {
		sgc->balance = balance;
		sgc->c.balance_mask = balance->draft;
		sgc->c.id = balance->cpu[0];
		sgc->c.capacity = (uint64_t)FULL_CAPACITY * g->span->ncpus;
		sgc->c.min_capacity = FULL_CAPACITY;
		sgc->c.max_capacity = FULL_CAPACITY;
	}
	CHECK(sgc->balance->cpu[0] == balance->cpu[0]);
	CHECK(sgc->balance->ncpus == balance->ncpus);
	g->sgc = sgc;
	g->g.sgc = &sgc->c;
}

/* G = S, the span of BELOW or of a CPU alone, in a ring of level LEVEL. */
static void init_group(const struct draft *d, struct draft_group *g, struct cpu_span *s,
		       uint32_t level, const struct sched_domain *below)
{
	g->span = s;
	g->g.cpus = s->draft;
	g->g.cpu = s->cpu;
	g->g.ncpus = s->ncpus;
	g->g.cores = cores_of(d, s);
	if (below && d->b->rules->group_flags != GROUP_FLAGS_NONE)
		g->g.flags = below->flags;
	if (d->level[level].flags & SD_ASYM_PACKING)
		g->g.asym_prefer_cpu = preferred_cpu(d, s);
}

/* --- groups that do not overlap --- */

/* What CPU has below LEVEL. */
static struct cpu_span *span_below(const struct draft *d, uint32_t level, uint32_t cpu)
{
	if (level == 0)
		return &d->b->cpu.span[d->b->cpu.of[cpu]];
	return draft_span(d, level - 1, cpu);
}

static struct draft_group *get_group(struct draft *d, uint32_t level, uint32_t cpu)
{
	struct cpu_span *s = span_below(d, level, cpu);
	struct draft_group *g = &d->level[level].group[s->cpu[0]];

	if (g->span)
		return g;
	init_group(d, g, s, level, d->level[level].sd[cpu].sd.child);
	use_sgc(g, &d->level[level].sgc[s->cpu[0]], s);
	return g;
}

static void make_ring(struct draft *d, uint32_t level, const struct cpu_span *whole)
{
	struct draft_group *first = NULL, *last = NULL;

	for (uint32_t i = 0; i < whole->ncpus; i++) {
		/* from the last CPU on, wrapping */
		uint32_t cpu = whole->cpu[(whole->ncpus - 1 + i) % whole->ncpus];
		struct draft_group *g = get_group(d, level, cpu);

		if (g->ring == whole)
			continue;
		g->ring = whole;
		if (last)
			last->g.next = &g->g;
		else
			first = g;
		last = g;
	}
	CHECK(last);
	last->g.next = &first->g;
	for (uint32_t i = 0; i < whole->ncpus; i++)
		d->level[level].sd[whole->cpu[i]].sd.groups =
			&get_group(d, level, whole->cpu[i])->g;
}

static void make_rings(struct draft *d, uint32_t level)
{
	struct level_plan *l = &d->level[level].l;

	for (uint32_t s = 0; s < l->nspans; s++)
		if (draft_has(d, level, l->span[s]->cpu[0]))
			make_ring(d, level, l->span[s]);
}

/* --- groups that overlap --- */

/*
 * The level at which the chain of CPU gives a group to a domain that spans WHOLE at LEVEL. The
 * kernel also steps over levels that span what the one below does; here it finds none, as this
 * one reaches out of WHOLE and the one below does not.
 */
static uint32_t descend(const struct draft *d, uint32_t level, uint32_t cpu,
			const struct cpu_span *whole)
{
	if (!d->b->rules->groups_descend)
		return level;
	while (level > 0 && !mask_is_subset(span_below(d, level, cpu)->draft, whole->draft))
		level--;
	return level;
}

/* The CPUs that have S below LEVEL; NULL: out of memory. S is what one of its CPUs has. */
static struct cpu_span *balance_span(struct draft *d, uint32_t level, const struct cpu_span *s)
{
	struct cpu_span *balance = draft_alloc(d->b, 1, sizeof(*balance));
	uint16_t *list = draft_alloc(d->b, s->ncpus, sizeof(*list));
	void *mem = draft_alloc(d->b, 1, mask_size(d->b->t->ncpus));

	if (!balance || !list || !mem)
		return NULL;
	balance->cpu = list;
	balance->draft = mask_init(mem, d->b->t->ncpus);
	for (uint32_t i = 0; i < s->ncpus; i++) {
		uint32_t cpu = s->cpu[i];

		if (!draft_has(d, level, cpu) || span_below(d, level, cpu) != s)
			continue;
		list[balance->ncpus++] = (uint16_t)cpu;
		mask_set(balance->draft, cpu);
	}
	CHECK(balance->ncpus > 0);
	return balance;
}

/* First CPU of the balance mask of S below LEVEL. */
static uint32_t balance_cpu(const struct draft *d, uint32_t level, const struct cpu_span *s)
{
	uint32_t i = 0;

	while (!draft_has(d, level, s->cpu[i]) || span_below(d, level, s->cpu[i]) != s)
		i++;
	return s->cpu[i];
}

static struct draft_group *new_overlapping(struct draft *d, uint32_t level, uint32_t from,
					   uint32_t cpu)
{
	struct draft_group *g = draft_alloc(d->b, 1, sizeof(*g));
	struct cpu_span *s = span_below(d, from, cpu), *balance;
	struct draft_sgc *sgc = &d->level[from].sgc[balance_cpu(d, from, s)];

	CHECK(from > 0);
	balance = sgc->balance ? sgc->balance : balance_span(d, from, s);
	if (!g || !balance)
		return NULL;
	init_group(d, g, s, level, &d->level[from - 1].sd[cpu].sd);
	use_sgc(g, sgc, balance);
	return g;
}

static bool make_own_ring(struct draft *d, uint32_t level, uint32_t self)
{
	struct cpu_span *whole = draft_span(d, level, self);
	struct draft_group *first = NULL, *last = NULL;
	uint32_t start = 0;

	while (whole->cpu[start] != self)
		start++;
	mask_zero(d->covered);
	for (uint32_t i = 0; i < whole->ncpus; i++) {
		uint32_t cpu = whole->cpu[(start + i) % whole->ncpus];
		struct draft_group *g;

		if (mask_test(d->covered, cpu) || !draft_has(d, level, cpu))
			continue;
		g = new_overlapping(d, level, descend(d, level, cpu, whole), cpu);
		if (!g)
			return false;
		mask_or(d->covered, d->covered, g->span->draft);
		if (last)
			last->g.next = &g->g;
		else
			first = g;
		last = g;
	}
	CHECK(last);
	last->g.next = &first->g;
	d->level[level].sd[self].sd.groups = &first->g;
	return true;
}

static bool make_own_rings(struct draft *d, uint32_t level)
{
	const struct cpu_span *all = &d->b->all;

	for (uint32_t i = 0; i < all->ncpus; i++) {
		uint32_t cpu = all->cpu[i], prev = i > 0 ? all->cpu[i - 1] : cpu;

		if (!draft_has(d, level, cpu))
			continue;
		if (i > 0 && d->b->t->cpu[prev].node == d->b->t->cpu[cpu].node)
			d->level[level].sd[cpu].sd.groups = d->level[level].sd[prev].sd.groups;
		else if (!make_own_ring(d, level, cpu))
			return false;
	}
	return true;
}

bool draft_groups(struct draft *d)
{
	for (uint32_t i = 0; i < d->nlevels; i++) {
		if (!(d->level[i].flags & SD_OVERLAP))
			make_rings(d, i);
		else if (!make_own_rings(d, i))
			return false;
	}
	return true;
}

/* --- capacities --- */

static uint64_t refresh_capacity(void *ctx, uint32_t cpu)
{
	struct draft *d = ctx;

	d->capacity[cpu] = arch_cpu_capacity(d->b->t, cpu);
	return d->capacity[cpu];
}

static uint64_t kept_capacity(void *ctx, uint32_t cpu)
{
	struct draft *d = ctx;

	return d->capacity[cpu];
}

void draft_capacities(struct draft *d)
{
	const struct domain_build *b = d->b;
	const struct capacity_source source = {
		.refresh = refresh_capacity,
		.capacity_of = kept_capacity,
		.ctx = d,
		.jiffies = b->start.jiffies,
		.hz = b->start.hz,
		.interval_max = max_load_balance_interval(b->start.hz, b->all.ncpus),
		.extremes_of_sums = b->rules->extremes_of_sums,
	};

	for (uint32_t i = b->all.ncpus; i-- > 0;) {
		uint32_t cpu = b->all.cpu[i];

		for (struct sched_domain *sd = d->bottom[cpu]; sd; sd = sd->parent)
			if (sd->groups->sgc->id == cpu)
				update_group_capacity(sd, cpu, &source);
	}
}
