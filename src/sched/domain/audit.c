/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The invariants of a domain set, verified from the result alone:
 *  - a chain is linked both ways, levels count up, names are set;
 *  - a span holds its CPU, is inside the parent's, and span_weight counts it;
 *  - the ring starts at the CPU's own group, which is the CPU alone or the span
 *    of a domain below (the child, but at ALLNODES the one below NODE) unless
 *    groups overlap, and closes; lists equal masks;
 *  - unless SD_OVERLAP is set, each CPU of the span is in exactly one group and no
 *    other CPU is;
 *  - group ids are their index;
 *  - in a fresh set a group's power is the sum over the ring of that domain, if
 *    its groups do not overlap.
 * Where groups share capacities (kernels from 5.4 on):
 *  - all groups have one and it is in the index; groups that share one hold the same CPUs;
 *  - its balance mask is in the group, its id is the mask's first CPU; unless groups overlap
 *    the mask is the group; the CPU's own group has it in the mask;
 *  - the own group is what the child spans, or the CPU alone, even if groups overlap;
 *  - a CPU of the span that is in no group has a domain that spans as much and more;
 *  - the least of a group's capacities is not above the most, nor that above the whole; a fresh
 *    group of one CPU, or over groups that do not overlap, has what is below;
 *  - a domain whose CPUs share a cache has an object for that, which names the span's first CPU
 *    and, in a fresh set, counts all CPUs as busy.
 * A ring shared by many CPUs is looked at in depth for one of them only, which
 * keeps the cost near CPUs * groups of the widest ring.
 */
#include "base/check.h"
#include "sched/domain/domain.h"

struct audit {
	const struct domain_set *s;
	bool fresh;
	uint32_t cpu;
	const struct sched_domain *sd;
	struct buf *why;
};

static bool fail(const struct audit *a, const char *what)
{
	buf_str(a->why, "cpu ");
	buf_u64(a->why, a->cpu);
	if (a->sd) {
		buf_str(a->why, " level ");
		buf_u64(a->why, a->sd->level);
		buf_char(a->why, ' ');
		buf_str(a->why, a->sd->name ? a->sd->name : "(no name)");
	}
	buf_str(a->why, ": ");
	buf_str(a->why, what);
	return false;
}

/* Do all groups with the sgc of G hold its CPUs? Asked for the first of them. */
static bool sharers_are_equal(const struct audit *a, const struct sched_group *g)
{
	for (uint32_t i = g->id + 1; i < a->s->ngroups; i++)
		if (a->s->group[i]->sgc == g->sgc && !mask_equal(a->s->group[i]->cpus, g->cpus))
			return fail(a, "groups of different CPUs share a capacity");
	return true;
}

static bool sgc_is_known(const struct audit *a, const struct sched_group_capacity *sgc)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->s->nsgcs; i++)
		n += a->s->sgc[i] == sgc;
	return n == 1;
}

static bool capacity_is_sound(const struct audit *a, const struct sched_group *g)
{
	const struct sched_group_capacity *sgc = g->sgc;

	if (!sgc_is_known(a, sgc))
		return fail(a, "a group's shared capacity is not in the index once");
	if (mask_is_empty(sgc->balance_mask) || !mask_is_subset(sgc->balance_mask, g->cpus))
		return fail(a, "a balance mask is empty or reaches out of its group");
	if (mask_first(sgc->balance_mask) != sgc->id)
		return fail(a, "a shared capacity's id is not the first CPU that may balance");
	if (!(a->sd->flags & SD_OVERLAP) && !mask_equal(sgc->balance_mask, g->cpus))
		return fail(a, "a balance mask is not the group");
	if (sgc->min_capacity == 0 || sgc->min_capacity > sgc->max_capacity ||
	    sgc->max_capacity > sgc->capacity)
		return fail(a, "a group's capacities are out of order");
	if (g->cores == 0 || g->cores > g->ncpus)
		return fail(a, "a group has no core or more cores than CPUs");
	return sharers_are_equal(a, g);
}

static bool group_is_sound(const struct audit *a, const struct sched_group *g)
{
	if (g->ncpus == 0)
		return fail(a, "a group is empty");
	if (g->id >= a->s->ngroups || a->s->group[g->id] != g)
		return fail(a, "a group's id is not its index");
	if (!(a->sd->flags & SD_OVERLAP) && !mask_is_subset(g->cpus, a->sd->span))
		return fail(a, "a group reaches out of the span");
	if (mask_weight(g->cpus) != g->ncpus)
		return fail(a, "a group's list and mask differ in length");
	for (uint32_t i = 0; i < g->ncpus; i++) {
		if (!mask_test(g->cpus, g->cpu[i]))
			return fail(a, "a group's list and mask differ");
		if (i > 0 && g->cpu[i] <= g->cpu[i - 1])
			return fail(a, "a group's list is not ascending");
	}
	if (!g->sgc == (a->s->nsgcs > 0))
		return fail(a, "some groups share a capacity and some do not");
	if (g->sgc)
		return capacity_is_sound(a, g);
	if (g->cpu_power == 0)
		return fail(a, "a group has no power");
	return true;
}

/* Groups holding CPU in the ring of a->sd. */
static uint32_t groups_with(const struct audit *a, uint32_t cpu)
{
	const struct sched_group *g = a->sd->groups;
	uint32_t n = 0;

	do {
		n += mask_test(g->cpus, cpu);
		g = g->next;
	} while (g != a->sd->groups);
	return n;
}

/* May CPU be left out, because its own domains end below with a span like that of a->sd? */
static bool is_united(const struct audit *a, uint32_t cpu)
{
	const struct sched_domain *top = a->s->bottom[cpu];

	if (!(a->sd->flags & SD_OVERLAP) || !a->sd->groups->sgc)
		return false;
	while (top && top->parent)
		top = top->parent;
	return top && top->topo_level < a->sd->topo_level && mask_is_subset(a->sd->span, top->span);
}

/* The ring must already be known to close. */
static bool ring_is_sound(const struct audit *a)
{
	const struct sched_group *g = a->sd->groups;
	uint32_t cpu;

	do {
		if (!group_is_sound(a, g))
			return false;
		g = g->next;
	} while (g != a->sd->groups);
	mask_for_each(cpu, a->sd->span) {
		uint32_t n = groups_with(a, cpu);

		if (n == 0 && !is_united(a, cpu))
			return fail(a, "a CPU of the span is in no group");
		if (n > 1 && !(a->sd->flags & SD_OVERLAP))
			return fail(a, "a CPU of the span is in two groups");
	}
	return true;
}

static bool ring_closes(const struct audit *a)
{
	const struct sched_group *g = a->sd->groups;

	for (uint32_t n = 0; n < a->s->ngroups; n++) {
		if (!g)
			return fail(a, "the ring of groups is broken");
		g = g->next;
		if (g == a->sd->groups)
			return true;
	}
	return fail(a, "the ring of groups does not close");
}

static uint32_t ring_power(const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;
	uint32_t sum = 0;

	do {
		sum += g->cpu_power;
		g = g->next;
	} while (g != sd->groups);
	return sum;
}

static uint64_t ring_capacity(const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;
	uint64_t sum = 0;

	do {
		sum += g->sgc->capacity;
		g = g->next;
	} while (g != sd->groups);
	return sum;
}

static bool links_are_sound(const struct audit *a)
{
	const struct sched_domain *sd = a->sd;

	if (!sd->name)
		return fail(a, "the domain has no name");
	if (sd->parent && sd->parent->child != sd)
		return fail(a, "the parent does not know its child");
	if (sd->level != (sd->child ? sd->child->level + 1 : 0))
		return fail(a, "levels do not count up");
	if (!mask_test(sd->span, a->cpu))
		return fail(a, "the span misses the CPU");
	if (mask_weight(sd->span) != sd->span_weight)
		return fail(a, "span_weight is not the span's weight");
	if (sd->child && !mask_is_subset(sd->child->span, sd->span))
		return fail(a, "the child's span is not inside");
	return true;
}

/* The domain from SD down that spans just the CPUs of G, or NULL. */
static const struct sched_domain *domain_spanning(const struct sched_domain *sd,
						  const struct sched_group *g)
{
	while (sd && !mask_equal(sd->span, g->cpus))
		sd = sd->child;
	return sd;
}

/* Kernels with shared capacities: what a domain has in common with those of other CPUs. */
static bool shares_are_sound(const struct audit *a)
{
	const struct sched_domain *sd = a->sd, *child = sd->child;
	const struct sched_group *own = sd->groups;

	if (child ? !mask_equal(own->cpus, child->span) : own->ncpus != 1)
		return fail(a, "the own group is not what the child spans");
	if (!own->sgc->balance_mask || !mask_test(own->sgc->balance_mask, a->cpu))
		return fail(a, "the CPU may not balance for its own group");
	if (!sd->shared != !(sd->flags & SD_SHARE_PKG_RESOURCES))
		return fail(a, "a shared cache and its object are not together");
	if (sd->shared && sd->shared->id != mask_first(sd->span))
		return fail(a, "the cache's object is another span's");
	if (a->fresh && sd->shared && sd->shared->nr_busy_cpus != sd->span_weight)
		return fail(a, "not all CPUs of a cache are busy at start");
	if (a->fresh && child && !(child->flags & SD_OVERLAP) &&
	    own->sgc->capacity != ring_capacity(child))
		return fail(a, "the own group's capacity is not the sum of the domain below");
	return true;
}

static bool domain_is_sound(const struct audit *a)
{
	const struct sched_domain *sd = a->sd, *below;

	if (!links_are_sound(a))
		return false;
	if (!sd->groups || !mask_test(sd->groups->cpus, a->cpu))
		return fail(a, "the ring does not start at the CPU's own group");
	if (!ring_closes(a))
		return false;
	if (sd->groups->sgc && !shares_are_sound(a))
		return false;
	below = domain_spanning(sd->child, sd->groups);
	if (!below && sd->groups->ncpus > 1 && !(sd->flags & SD_OVERLAP))
		return fail(a, "the own group is no lower domain's span");
	if (a->fresh && below && !(below->flags & SD_OVERLAP) &&
	    sd->groups->cpu_power != ring_power(below))
		return fail(a, "the own group's power is not the sum of the domain below");
	if (a->fresh && sd->groups->cpu_power_orig != sd->groups->cpu_power)
		return fail(a, "cpu_power_orig differs at start");
	return true;
}

static bool has_ring(const struct sched_domain *sd, const struct sched_group *own)
{
	while (sd && sd->groups != own)
		sd = sd->parent;
	return sd != NULL;
}

/* Does a lower-numbered CPU have the ring of a->sd, in a row of CPUs or in the own group? */
static bool ring_was_seen(const struct audit *a)
{
	uint32_t cpu = a->cpu, first = a->sd->groups->cpu[0];

	while (cpu-- > 0) {
		if (!a->s->bottom[cpu])
			continue;
		if (has_ring(a->s->bottom[cpu], a->sd->groups))
			return true;
		break;
	}
	return first < a->cpu && has_ring(a->s->bottom[first], a->sd->groups);
}

/*
 * Is the ring of a->sd looked at when it is CPU FIRST's turn? True when FIRST
 * owns the same group in a domain with the same ring. Then a->cpu may skip it.
 */
static bool ring_is_anothers(const struct audit *a)
{
	const struct sched_group *lowest = a->sd->groups, *g = lowest;
	const struct sched_domain *other;

	do {
		if (g->cpu[0] < lowest->cpu[0])
			lowest = g;
		g = g->next;
	} while (g != a->sd->groups);
	if (lowest->cpu[0] == a->cpu)
		return false;
	if (a->sd->groups->sgc)
		return ring_was_seen(a);
	for (other = a->s->bottom[lowest->cpu[0]]; other; other = other->parent)
		if (other->groups == lowest)
			return other->span == a->sd->span;
	return a->sd->groups->cpu[0] != a->cpu;
}

bool domains_audit(const struct domain_set *s, bool fresh, struct buf *why)
{
	struct audit a = {.s = s, .fresh = fresh, .why = why};
	uint32_t ndomains = 0;

	for (a.cpu = 0; a.cpu < s->ncpus; a.cpu++) {
		a.sd = NULL;
		if (s->bottom[a.cpu] && s->bottom[a.cpu]->child)
			return fail(&a, "the lowest domain has a child");
		for (a.sd = s->bottom[a.cpu]; a.sd; a.sd = a.sd->parent) {
			if (!domain_is_sound(&a))
				return false;
			if (!ring_is_anothers(&a) && !ring_is_sound(&a))
				return false;
			ndomains++;
		}
	}
	a.sd = NULL;
	a.cpu = 0;
	return ndomains == s->ndomains || fail(&a, "ndomains is not the number of domains");
}
