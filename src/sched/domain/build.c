/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the plan of levels to each CPU's chain of domains.
 *
 * Walking up from the lowest level, a level is dropped for a CPU when it adds
 * nothing to the one kept below it: it spans one CPU, or it has no flag of use;
 * or it spans the same CPUs and has no useful flag that the lower one lacks.
 * Finally the lowest goes, too, if it is of no use by itself. The decision is
 * the kernel's, so odd survivors survive: an MC of one group over a lone
 * hyperthreaded core (SIBLING does not prefer siblings), a NODE of one group
 * where other nodes have memory only.
 *
 * Only then memory is taken: one array of domains per CPU, one array of groups
 * per ring, one mask and list per set of CPUs, shared by all who refer to it.
 * Cost: CPUs * levels, plus the comparison of equal spans.
 *
 * Linux: kernel/sched.c sd_degenerate(), sd_parent_degenerate(),
 * cpu_attach_domain(), 2.6.34 to 3.4; kernel/sched/core.c, 3.16 to 4.0.
 */
#include "sched/domain/build.h"

#include "base/check.h"

#include <string.h>

static const struct cpu_span *span_at(const struct level_plan *l, uint32_t cpu)
{
	return l->span[l->of[cpu]];
}

static bool has_one_group(const struct level_plan *l, uint32_t cpu)
{
	return l->ring[l->of[cpu]].ngroups == 1;
}

static bool spans_are_equal(const struct cpu_span *a, const struct cpu_span *b)
{
	if (a == b)
		return true;
	return a->ncpus == b->ncpus && memcmp(a->cpu, b->cpu, a->ncpus * sizeof(*a->cpu)) == 0;
}

/* A level that is kept for a CPU. */
struct kept_level {
	struct level_plan *l;
	uint32_t flags; /* the level's, and what dropped ones above left to it */
};

static bool level_is_useless(const struct domain_rules *rules, const struct level_plan *l,
			     uint32_t cpu)
{
	uint32_t flags = l->params->flags;

	if (span_at(l, cpu)->ncpus == 1)
		return true;
	if ((flags & rules->flags_need_groups) && !has_one_group(l, cpu))
		return false;
	return !(flags & rules->flags_alone);
}

/* Does UPPER add nothing to LOWER, for CPU? */
static bool level_adds_nothing(const struct domain_build *b, const struct kept_level *lower,
			       const struct level_plan *upper, uint32_t cpu)
{
	uint32_t flags = upper->params->flags;

	if (level_is_useless(b->rules, upper, cpu))
		return true;
	if (!spans_are_equal(span_at(lower->l, cpu), span_at(upper, cpu)))
		return false;
	if (has_one_group(upper, cpu)) {
		flags &= ~b->rules->flags_need_groups;
		/* Node numbers up to the highest known count, used or not. */
		if (b->t->node[b->t->nnodes - 1].os_id == 0)
			flags &= ~(uint32_t)SD_SERIALIZE;
	}
	return !(flags & ~lower->flags);
}

/* The levels CPU keeps, lowest first, in KEPT[nlevels]; returns how many. */
static uint32_t levels_kept(const struct domain_build *b, uint32_t cpu, struct kept_level *kept)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->nlevels; i++) {
		struct level_plan *l = &b->level[i];

		if (l->of[cpu] == SPAN_NONE)
			continue;
		if (n == 0 || !level_adds_nothing(b, &kept[n - 1], l, cpu))
			kept[n++] = (struct kept_level){l, l->params->flags};
		else
			kept[n - 1].flags |= l->params->flags & b->rules->flags_handed_down;
		if (b->rules->stop_at_full_span && span_at(l, cpu)->ncpus == b->all.ncpus)
			break;
	}
	CHECK(n > 0);
	if (!level_is_useless(b->rules, kept[0].l, cpu))
		return n;
	memmove(kept, kept + 1, (n - 1) * sizeof(*kept));
	return n - 1;
}

bool span_publish(struct domain_build *b, struct cpu_span *s)
{
	uint16_t *list;
	void *mem;

	if (s->mask)
		return true;
	list = arena_alloc(b->a, s->ncpus, sizeof(*list));
	mem = arena_alloc(b->a, 1, mask_size(b->t->ncpus));
	if (!list || !mem)
		return false;
	memcpy(list, s->cpu, s->ncpus * sizeof(*list));
	s->cpu = list;
	s->mask = mask_init(mem, b->t->ncpus);
	for (uint32_t i = 0; i < s->ncpus; i++)
		mask_set(s->mask, list[i]);
	return true;
}

static bool ring_publish(struct domain_build *b, struct level_plan *l, struct ring_plan *r)
{
	if (r->made)
		return true;
	r->made = arena_alloc(b->a, r->ngroups, sizeof(*r->made));
	if (!r->made)
		return false;
	for (uint32_t i = 0; i < r->ngroups; i++) {
		struct group_plan *plan = &l->group[r->first + i];
		struct sched_group *g = &r->made[i];

		if (!span_publish(b, plan->span))
			return false;
		g->next = &r->made[(i + 1) % r->ngroups];
		g->cpus = plan->span->mask;
		g->cpu = plan->span->cpu;
		g->ncpus = plan->span->ncpus;
		g->id = b->ngroups++;
		g->cpu_power = plan->power;
		g->cpu_power_orig = plan->power;
		g->next_update = b->start.jiffies;
	}
	return true;
}

static bool chain_make(struct domain_build *b, struct domain_set *out, uint32_t cpu,
		       const struct kept_level *kept, uint32_t n)
{
	struct sched_domain *sd = arena_alloc(b->a, n, sizeof(*sd));

	if (!sd)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct level_plan *l = kept[i].l;
		struct cpu_span *span = l->span[l->of[cpu]];
		struct ring_plan *ring = &l->ring[l->of[cpu]];

		if (!span_publish(b, span) || !ring_publish(b, l, ring))
			return false;
		sd[i].span = span->mask;
		sd[i].span_weight = span->ncpus;
		b->rules->ops->init(&sd[i], b, l);
		sd[i].flags = kept[i].flags;
		sd[i].groups = &ring->made[l->own[cpu] - ring->first];
		sd[i].level = i;
		sd[i].child = i > 0 ? &sd[i - 1] : NULL;
		sd[i].parent = i + 1 < n ? &sd[i + 1] : NULL;
		sd[i].last_balance = b->start.jiffies;
	}
	out->bottom[cpu] = sd;
	out->ndomains += n;
	if (n > out->nlevels)
		out->nlevels = n;
	return true;
}

static bool index_groups(struct domain_build *b, struct domain_set *out)
{
	out->ngroups = b->ngroups;
	out->group = NULL;
	if (b->ngroups == 0)
		return true;
	out->group = arena_alloc(b->a, b->ngroups, sizeof(struct sched_group *));
	if (!out->group)
		return false;
	for (uint32_t i = 0; i < b->nlevels; i++) {
		const struct level_plan *l = &b->level[i];

		for (uint32_t s = 0; s < l->nspans; s++) {
			struct sched_group *made = l->ring[s].made;

			for (uint32_t g = 0; made && g < l->ring[s].ngroups; g++)
				out->group[made[g].id] = &made[g];
		}
	}
	return true;
}

bool domains_build(struct domain_set *out, const struct topology *t,
		   const struct domain_rules *rules, const struct domain_start *start,
		   struct arena *a, struct arena *scratch)
{
	struct domain_build b = {
		.t = t, .rules = rules, .a = a, .scratch = scratch, .start = *start};
	struct kept_level *kept;

	CHECK(t->ncpus > 0 && t->ncpus <= TOPO_CPUS_MAX);
	CHECK(t->nnodes > 0 && t->nnodes <= TOPO_NODES_MAX);
	memset(out, 0, sizeof(*out));
	out->ncpus = t->ncpus;
	out->words = rules->words;
	out->bottom = arena_alloc(a, t->ncpus, sizeof(struct sched_domain *));
	if (!out->bottom || !partitions_make(&b))
		return false;
	if (b.all.ncpus == 0)
		return true;
	for (uint32_t i = 0; i < b.core.nspans; i++)
		out->has_smt = out->has_smt || b.core.span[i].ncpus > 1;
	if (rules->ops->build)
		return rules->ops->build(&b, out);
	if (!rules->ops->plan(&b))
		return false;
	kept = arena_alloc(scratch, b.nlevels, sizeof(*kept));
	if (!kept)
		return false;
	for (uint32_t i = 0; i < b.all.ncpus; i++) {
		uint32_t n = levels_kept(&b, b.all.cpu[i], kept);

		if (n > 0 && !chain_make(&b, out, b.all.cpu[i], kept, n))
			return false;
	}
	return index_groups(&b, out);
}
