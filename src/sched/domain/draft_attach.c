/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the whole draft to what CPUs get: levels that add nothing to the one below are removed,
 * from the bottom up, then the lowest if it is of no use by itself; what is left is copied.
 *
 * A removed level leaves something to the one below: PREFER_SIBLING, and in 6.12 its place as
 * that whose flags the parent's group remembers. Each CPU sees to its own group only, so
 * groups of other CPUs that it does not share with them keep the flags they were built with.
 *
 * Cost: CPUs * levels.
 *
 * Linux: kernel/sched/topology.c sd_degenerate(), sd_parent_degenerate(), cpu_attach_domain(),
 * 5.4 to 6.12.
 */
#include "base/check.h"
#include "sched/domain/draft.h"

/* --- what is of no use --- */

static bool has_one_group(const struct sched_domain *sd)
{
	return sd->groups->next == sd->groups;
}

static bool domain_is_useless(const struct domain_rules *rules, const struct sched_domain *sd)
{
	if (sd->span_weight == 1)
		return true;
	if ((sd->flags & rules->flags_need_groups) && !has_one_group(sd))
		return false;
	return !(sd->flags & rules->flags_alone);
}

static bool parent_adds_nothing(const struct domain_build *b, const struct sched_domain *sd)
{
	const struct sched_domain *parent = sd->parent;
	uint32_t flags = parent->flags;

	if (domain_is_useless(b->rules, parent))
		return true;
	if (!mask_equal(sd->span, parent->span))
		return false;
	if (has_one_group(parent)) {
		flags &= ~b->rules->flags_need_groups;
		/* node numbers up to the highest known count, used or not */
		if (b->t->node[b->t->nnodes - 1].os_id == 0)
			flags &= ~(uint32_t)SD_SERIALIZE;
	}
	return !(flags & ~sd->flags);
}

void draft_degenerate(struct draft *d, uint32_t cpu)
{
	const struct domain_rules *rules = d->b->rules;
	struct sched_domain *sd = d->bottom[cpu];

	while (sd->parent) {
		struct sched_domain *parent = sd->parent;

		if (!parent_adds_nothing(d->b, sd)) {
			sd = parent;
			continue;
		}
		sd->parent = parent->parent;
		if (sd->parent) {
			sd->parent->child = sd;
			if (rules->group_flags == GROUP_FLAGS_REPAIRED)
				sd->parent->groups->flags = sd->flags;
		}
		sd->flags |= parent->flags & rules->flags_handed_down;
	}
	sd = d->bottom[cpu];
	if (!domain_is_useless(rules, sd))
		return;
	sd = sd->parent;
	d->bottom[cpu] = sd;
	if (!sd)
		return;
	sd->child = NULL;
	sd->groups->flags = 0;
}

/* --- the copy --- */

static struct sched_group_capacity *publish_sgc(struct draft *d, struct draft_sgc *sgc)
{
	if (sgc->made)
		return sgc->made;
	sgc->made = arena_alloc(d->b->a, 1, sizeof(*sgc->made));
	if (!sgc->made || !span_publish(d->b, sgc->balance))
		return NULL;
	*sgc->made = sgc->c;
	sgc->made->balance_mask = sgc->balance->mask;
	d->out->nsgcs++;
	return sgc->made;
}

/* The copy of the ring of FIRST, in ring order from it on. */
static struct sched_group *publish_ring(struct draft *d, struct draft_group *first)
{
	struct draft_group *g = first;
	struct sched_group *made;
	uint32_t n = 0;

	if (first->made)
		return first->made;
	do {
		n++;
		g = draft_of_group(g->g.next);
	} while (g != first);
	made = arena_alloc(d->b->a, n, sizeof(*made));
	if (!made)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		if (!span_publish(d->b, g->span))
			return NULL;
		made[i] = g->g;
		made[i].next = &made[(i + 1) % n];
		made[i].cpus = g->span->mask;
		made[i].cpu = g->span->cpu;
		made[i].id = d->b->ngroups++;
		made[i].sgc = publish_sgc(d, g->sgc);
		if (!made[i].sgc)
			return NULL;
		g->made = &made[i];
		g = draft_of_group(g->g.next);
	}
	return made;
}

static bool publish_shared(struct draft *d, struct sched_domain *sd, struct draft_shared *shared)
{
	if (!shared)
		return true;
	if (!shared->made) {
		shared->made = arena_alloc(d->b->a, 1, sizeof(*shared->made));
		if (!shared->made)
			return false;
		*shared->made = shared->s;
	}
	sd->shared = shared->made;
	return true;
}

static bool publish_chain(struct draft *d, uint32_t cpu)
{
	struct sched_domain *chain, *from = d->bottom[cpu];
	uint32_t n = 0;

	for (const struct sched_domain *sd = from; sd; sd = sd->parent)
		n++;
	if (n == 0)
		return true;
	chain = arena_alloc(d->b->a, n, sizeof(*chain));
	if (!chain)
		return false;
	for (uint32_t i = 0; i < n; i++, from = from->parent) {
		struct draft_domain *dd = draft_of_domain(from);

		chain[i] = *from;
		if (!span_publish(d->b, dd->span) || !publish_shared(d, &chain[i], dd->shared))
			return false;
		chain[i].span = dd->span->mask;
		chain[i].groups = publish_ring(d, draft_of_group(from->groups));
		if (!chain[i].groups)
			return false;
		chain[i].level = i;
		chain[i].child = i > 0 ? &chain[i - 1] : NULL;
		chain[i].parent = i + 1 < n ? &chain[i + 1] : NULL;
		if (from->flags & SD_CLUSTER)
			d->out->has_cluster = true;
	}
	d->out->bottom[cpu] = chain;
	d->out->ndomains += n;
	if (n > d->out->nlevels)
		d->out->nlevels = n;
	return true;
}

/* Put the groups of the ring of FIRST into the index. */
static void index_ring(struct domain_set *out, struct sched_group *first)
{
	struct sched_group *g = first;

	do {
		out->group[g->id] = g;
		g = g->next;
	} while (g != first);
}

static bool index_groups(struct draft *d)
{
	struct domain_set *out = d->out;
	uint32_t n = 0;

	out->ngroups = d->b->ngroups;
	if (out->ngroups == 0)
		return true;
	out->group = arena_alloc(d->b->a, out->ngroups, sizeof(struct sched_group *));
	out->sgc = arena_alloc(d->b->a, out->nsgcs, sizeof(struct sched_group_capacity *));
	if (!out->group || !out->sgc)
		return false;
	for (uint32_t i = 0; i < d->b->all.ncpus; i++)
		for (struct sched_domain *sd = out->bottom[d->b->all.cpu[i]]; sd; sd = sd->parent)
			if (!out->group[sd->groups->id])
				index_ring(out, sd->groups);
	for (uint32_t i = 0; i < d->nlevels; i++)
		for (uint32_t cpu = 0; cpu < d->b->t->ncpus; cpu++)
			if (d->level[i].sgc[cpu].made)
				out->sgc[n++] = d->level[i].sgc[cpu].made;
	CHECK(n == out->nsgcs);
	return true;
}

bool draft_publish(struct draft *d)
{
	for (uint32_t i = 0; i < d->b->all.ncpus; i++)
		if (!publish_chain(d, d->b->all.cpu[i]))
			return false;
	return index_groups(d);
}
