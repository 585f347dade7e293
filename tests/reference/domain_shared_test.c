/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second, naive builder for kernels from 5.4 on: sets of CPUs straight from the rules, every
 * CPU for itself, nothing shared. On random machines, some with unequal CPUs, priorities or
 * clusters, both must say the same of every CPU: levels, numbers, flags, rings, balance masks,
 * capacities, and what groups remember.
 *
 * RUNQLAB_SEEDS=N tries N machines; a failure names its number.
 */
#include "support.h"

#include "random_topology.h"

#define CPUS RANDOM_CPUS
#define LEVELS 24
#define NEAR_FLAGS (SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)

struct set {
	bool has[CPUS];
};

struct naive_group {
	struct set cpus, mask;
	int from;         /* level whose shared capacity it has */
	uint32_t through; /* CPU whose domain below it was taken from */
};

struct naive {
	bool exists;
	struct set span;
	uint32_t flags, imb;
};

/* One machine under one set of rules. */
static const struct topology *t;
static const struct domain_rules *rules;
static struct set online;
static int nlevels, first_numa;
static const char *name[LEVELS];
static uint32_t level_flags[LEVELS], distance_of[LEVELS];
static struct set related[LEVELS][CPUS];
static struct naive dom[LEVELS][CPUS];

static bool is_54(void)
{
	return rules == &domain_rules_54;
}

static uint32_t weight(const struct set *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < CPUS; i++)
		n += s->has[i];
	return n;
}

static uint32_t first(const struct set *s)
{
	uint32_t i = 0;

	while (!s->has[i])
		i++;
	return i;
}

static bool equal(const struct set *a, const struct set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool inside(const struct set *a, const struct set *b)
{
	for (uint32_t i = 0; i < CPUS; i++)
		if (a->has[i] && !b->has[i])
			return false;
	return true;
}

static uint32_t capacity_of(uint32_t cpu)
{
	return t->arch == TOPO_ARCH_X86 ? 1024 : t->cpu[cpu].capacity;
}

/* --- who is related at which level --- */

static bool same_core(uint32_t a, uint32_t b)
{
	return t->cpu[a].node == t->cpu[b].node && t->cpu[a].core == t->cpu[b].core;
}

/* What holds of a core is what holds of its first CPU. */
static const struct topo_cpu *core_of(uint32_t cpu)
{
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (online.has[i] && same_core(i, cpu))
			return &t->cpu[i];
	return NULL;
}

static bool same_cache(uint32_t a, uint32_t b)
{
	return t->cpu[a].node == t->cpu[b].node && core_of(a)->llc == core_of(b)->llc;
}

static bool same_cluster(uint32_t a, uint32_t b)
{
	uint32_t cluster = core_of(a)->cluster;

	if (!same_cache(a, b) || cluster != core_of(b)->cluster)
		return false;
	return cluster != TOPO_NONE || same_core(a, b);
}

static bool same_node(uint32_t a, uint32_t b)
{
	return t->cpu[a].node == t->cpu[b].node;
}

static void add_level(const char *what, uint32_t flags, bool packs,
		      bool (*same)(uint32_t, uint32_t), uint32_t distance)
{
	assert_true(nlevels < LEVELS);
	name[nlevels] = what;
	level_flags[nlevels] = flags | (is_54() ? (uint32_t)SD_LOAD_BALANCE : 0) |
			       (packs && t->has_priority ? (uint32_t)SD_ASYM_PACKING : 0) |
			       SD_BALANCE_NEWIDLE | NEAR_FLAGS;
	distance_of[nlevels] = distance;
	memset(related[nlevels], 0, sizeof(related[nlevels]));
	for (uint32_t a = 0; a < t->ncpus; a++)
		for (uint32_t b = 0; b < t->ncpus; b++) {
			uint32_t apart = topo_distance(t, t->cpu[a].node, t->cpu[b].node);

			if (!online.has[a] || !online.has[b])
				continue;
			related[nlevels][a].has[b] = same ? same(a, b) :
							    same_node(a, b) || apart <= distance;
		}
	nlevels++;
}

static bool package_of_two_nodes(void)
{
	for (uint32_t a = 0; a < t->ncpus; a++)
		for (uint32_t b = 0; b < t->ncpus; b++)
			if (online.has[a] && online.has[b] && !same_node(a, b) &&
			    t->cpu[a].package == t->cpu[b].package)
				return t->arch == TOPO_ARCH_X86;
	return false;
}

static bool is_used(uint32_t distance)
{
	if (is_54()) {
		for (uint32_t n = 0; n < t->nnodes; n++)
			if (topo_distance(t, 0, n) == distance)
				return distance > topo_distance(t, 0, 0);
		return false;
	}
	for (uint32_t a = 0; a < t->ncpus; a++)
		for (uint32_t b = 0; b < t->ncpus; b++)
			if (online.has[a] && online.has[b] && !same_node(a, b) &&
			    topo_distance(t, t->cpu[a].node, t->cpu[b].node) == distance)
				return true;
	return false;
}

static void make_levels(void)
{
	bool late = rules == &domain_rules_612;
	uint32_t spread = SD_PREFER_SIBLING, cache = spread | SD_SHARE_PKG_RESOURCES;
	uint32_t far = t->reclaim_distance ? t->reclaim_distance : 30;

	nlevels = 0;
	add_level("SMT", cache | SD_SHARE_CPUPOWER, !late, same_core, 0);
	if (!is_54())
		add_level("CLS", cache | (late ? (uint32_t)SD_CLUSTER : 0), true, same_cluster, 0);
	add_level("MC", cache, true, same_cache, 0);
	if (!package_of_two_nodes())
		add_level(late ? "PKG" : "DIE", spread, late, same_node, 0);
	add_level("NODE", spread, false, same_node, 0);
	first_numa = nlevels;
	for (uint32_t d = 0; d < 256; d++) {
		if (!is_used(d))
			continue;
		add_level("NUMA", SD_NUMA | SD_OVERLAP | SD_SERIALIZE, false, NULL, d);
		if (d > far)
			level_flags[nlevels - 1] &= ~(uint32_t)NEAR_FLAGS;
	}
}

/* --- domains --- */

static uint32_t greatest(const struct set *s)
{
	uint32_t max = 0;

	for (uint32_t i = 0; i < CPUS; i++)
		if (s->has[i] && capacity_of(i) > max)
			max = capacity_of(i);
	return max;
}

/* The lowest level from which everyone sees as great a CPU as from any; -1: all see equal ones. */
static int marked_level(void)
{
	bool unequal = false;

	for (int l = 0; l < nlevels; l++) {
		bool enough = true;

		for (uint32_t i = 0; i < CPUS; i++) {
			uint32_t most = 0;

			if (!online.has[i])
				continue;
			for (int above = 0; above < nlevels; above++)
				if (greatest(&related[above][i]) > most)
					most = greatest(&related[above][i]);
			unequal = unequal || most > capacity_of(i);
			enough = enough && greatest(&related[l][i]) == most;
		}
		if (enough)
			return unequal ? l : -1;
	}
	return -1;
}

static uint32_t kinds(const struct set *s)
{
	uint32_t n = 0;

	for (uint32_t c = 1; c <= 1024; c++)
		for (uint32_t i = 0; i < CPUS; i++)
			if (s->has[i] && capacity_of(i) == c) {
				n++;
				break;
			}
	return n;
}

static void make_domains(void)
{
	bool unequal = kinds(&online) > 1;
	int marked = is_54() && unequal ? marked_level() : -1;

	memset(dom, 0, sizeof(dom));
	for (uint32_t i = 0; i < CPUS; i++) {
		if (!online.has[i])
			continue;
		for (int l = 0; l < nlevels; l++) {
			struct naive *d = &dom[l][i];
			uint32_t n = !is_54() && unequal ? kinds(&related[l][i]) : 0;

			d->exists = true;
			d->span = related[l][i];
			d->flags |= level_flags[l];
			if (n > 1)
				d->flags |= SD_ASYM_CPUCAPACITY;
			if (n > 1 && n == kinds(&online))
				d->flags |= SD_ASYM_CPUCAPACITY_FULL;
			if (l == marked)
				d->flags |= SD_ASYM_CPUCAPACITY;
			if (l > 0 && (d->flags & SD_ASYM_CPUCAPACITY))
				dom[l - 1][i].flags &= ~(uint32_t)SD_PREFER_SIBLING;
			if (equal(&d->span, &online))
				break;
		}
		for (int l = 0; l <= marked && dom[marked][i].exists; l++)
			dom[l][i].flags |= SD_BALANCE_WAKE;
	}
}

static void make_imb(uint32_t cpu)
{
	uint32_t imb = 0, span = 1;

	for (int l = 0; l < nlevels && dom[l][cpu].exists; l++) {
		struct naive *d = &dom[l][cpu];
		uint32_t w = weight(&d->span);
		bool shares = d->flags & SD_SHARE_PKG_RESOURCES;

		if (l > 0 && !shares && (dom[l - 1][cpu].flags & SD_SHARE_PKG_RESOURCES)) {
			uint32_t llcs = w / weight(&dom[l - 1][cpu].span);

			imb = llcs == 1 ? w / 8 : llcs;
			if (imb == 0)
				imb = 1;
			d->imb = imb;
			span = w;
			for (int up = nlevels - 1; up > l; up--)
				if (dom[up][cpu].exists && up >= first_numa)
					span = weight(&dom[up][cpu].span);
		} else {
			d->imb = imb * (w / span > 0 ? w / span : 1);
		}
	}
}

/* --- groups --- */

static struct set below(int level, uint32_t cpu)
{
	struct set s = {{false}};

	if (level > 0)
		return dom[level - 1][cpu].span;
	s.has[cpu] = true;
	return s;
}

static void fill_group(struct naive_group *g, int from, uint32_t cpu)
{
	memset(g, 0, sizeof(*g));
	g->cpus = below(from, cpu);
	g->from = from;
	g->through = cpu;
	for (uint32_t i = 0; i < CPUS; i++) {
		struct set s;

		if (!g->cpus.has[i] || !dom[from][i].exists)
			continue;
		s = below(from, i);
		g->mask.has[i] = equal(&s, &g->cpus);
	}
}

/* The groups of CPU's domain at LEVEL, walking from START on. */
static uint32_t walk(int level, uint32_t cpu, uint32_t start, struct naive_group *group)
{
	const struct set *span = &dom[level][cpu].span;
	struct set covered = {{false}};
	uint32_t n = 0;

	for (uint32_t step = 0; step < CPUS; step++) {
		uint32_t i = (start + step) % CPUS;
		int from = level;
		struct set s;

		if (!span->has[i] || covered.has[i] || !dom[level][i].exists)
			continue;
		s = below(from, i);
		while (!is_54() && level >= first_numa && !inside(&s, span)) {
			from--;
			s = below(from, i);
		}
		fill_group(&group[n], from, i);
		for (uint32_t c = 0; c < CPUS; c++)
			covered.has[c] = covered.has[c] || group[n].cpus.has[c];
		n++;
	}
	return n;
}

/* Shared rings are in the order the last CPU of the span gave them. */
static uint32_t make_groups(int level, uint32_t cpu, struct naive_group *group)
{
	static struct naive_group ring[CPUS];
	uint32_t last = CPUS - 1, n, own = 0;

	if (level >= first_numa)
		return walk(level, cpu, cpu, group);
	while (!dom[level][cpu].span.has[last])
		last--;
	n = walk(level, cpu, last, ring);
	while (!ring[own].cpus.has[cpu])
		own++;
	for (uint32_t i = 0; i < n; i++)
		group[i] = ring[(own + i) % n];
	return n;
}

/* --- removal --- */

static uint32_t need_groups(void)
{
	uint32_t need = SD_LOAD_BALANCE | SD_BALANCE_NEWIDLE | SD_BALANCE_FORK | SD_BALANCE_EXEC |
			SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES | SD_ASYM_CPUCAPACITY |
			SD_PREFER_SIBLING;

	return is_54() ? need : ~(uint32_t)SD_WAKE_AFFINE;
}

static bool useless(int level, uint32_t cpu)
{
	static struct naive_group group[CPUS];

	if (weight(&dom[level][cpu].span) == 1)
		return true;
	if (make_groups(level, cpu, group) > 1)
		return false;
	return !(dom[level][cpu].flags & SD_WAKE_AFFINE);
}

static bool redundant(int level, uint32_t cpu, int lower, uint32_t lower_flags)
{
	static struct naive_group group[CPUS];
	uint32_t flags = dom[level][cpu].flags;

	if (useless(level, cpu))
		return true;
	if (!equal(&dom[level][cpu].span, &dom[lower][cpu].span))
		return false;
	if (make_groups(level, cpu, group) == 1) {
		flags &= ~need_groups();
		if (t->nnodes == 1 && t->node[0].os_id == 0)
			flags &= ~(uint32_t)SD_SERIALIZE;
	}
	return !(flags & ~lower_flags);
}

/* What is left of CPU's chain; flags[] of each level and of what its own group remembers. */
struct left {
	bool has[LEVELS];
	uint32_t flags[LEVELS], own[LEVELS];
};

static void remove_levels(uint32_t cpu, struct left *left)
{
	int lower = 0;

	memset(left, 0, sizeof(*left));
	for (int l = 0; l < nlevels && dom[l][cpu].exists; l++) {
		left->has[l] = true;
		left->flags[l] = dom[l][cpu].flags;
		left->own[l] = l > 0 && !is_54() ? dom[l - 1][cpu].flags : 0;
	}
	for (int l = 1; l < nlevels && left->has[l]; l++) {
		if (!redundant(l, cpu, lower, left->flags[lower])) {
			lower = l;
			continue;
		}
		left->has[l] = false;
		if (rules == &domain_rules_612 && l + 1 < nlevels)
			left->own[l + 1] = left->flags[lower];
		left->flags[lower] |= dom[l][cpu].flags & SD_PREFER_SIBLING;
	}
	if (!useless(0, cpu))
		return;
	left->has[0] = false;
	for (int l = 1; l < nlevels; l++)
		if (left->has[l]) {
			left->own[l] = 0;
			break;
		}
}

/* --- as text --- */

static void put_set(struct buf *out, const struct set *s)
{
	const char *comma = "";

	for (uint32_t i = 0; i < CPUS; i++) {
		if (!s->has[i])
			continue;
		buf_str(out, comma);
		buf_u64(out, i);
		comma = ",";
	}
}

static void put_mask(struct buf *out, const struct mask *m)
{
	struct set s = {{false}};
	uint32_t cpu;

	mask_for_each(cpu, m)
		s.has[cpu] = true;
	put_set(out, &s);
}

static void put_numbers(struct buf *out, const char *before, const uint64_t *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_str(out, before);
		buf_u64(out, n[i]);
	}
}

/* Capacities at start: of CPUs below the one that speaks for the group 1024 is assumed. */
static void put_naive_capacity(struct buf *out, const struct naive_group *g)
{
	uint64_t sum = 0, min = UINT64_MAX, max = 0;
	bool over_overlap = g->from - 1 >= first_numa;

	for (uint32_t i = 0; i < CPUS; i++) {
		uint64_t one, extreme;

		if (!g->cpus.has[i])
			continue;
		one = over_overlap && i < first(&g->mask) ? 1024 : capacity_of(i);
		sum += one;
		extreme = is_54() && over_overlap ? sum : one;
		min = extreme < min ? extreme : min;
		max = extreme > max ? extreme : max;
	}
	put_numbers(out, "=", (uint64_t[]){sum, min, max}, 3);
}

static void put_naive_group(struct buf *out, int level, uint32_t cpu, const struct naive_group *g)
{
	uint64_t flags = g->from > 0 && !is_54() ? dom[g->from - 1][g->through].flags : 0;
	uint32_t prefer = first(&g->cpus), cores = 0;
	bool packs = level_flags[level] & SD_ASYM_PACKING;
	struct left left;

	if (!is_54() && (level < first_numa || g->cpus.has[cpu])) {
		bool own = level < first_numa || g->through == cpu;

		remove_levels(level < first_numa ? g->through : cpu, &left);
		if (own)
			flags = left.own[level];
	}
	for (uint32_t i = 0; i < CPUS; i++) {
		bool leads = g->cpus.has[i];

		if (g->cpus.has[i] && t->cpu[i].priority > t->cpu[prefer].priority)
			prefer = i;
		for (uint32_t j = 0; leads && j < i; j++)
			leads = !(g->cpus.has[j] && same_core(i, j));
		cores += leads;
	}
	buf_str(out, " ");
	put_set(out, &g->cpus);
	buf_str(out, "/");
	put_set(out, &g->mask);
	put_naive_capacity(out, g);
	put_numbers(out, ":", (uint64_t[]){first(&g->mask), flags, cores, packs ? prefer : 0}, 4);
}

static void put_naive_chain(struct buf *out, uint32_t cpu)
{
	static struct naive_group group[CPUS];
	struct left left;

	make_imb(cpu);
	remove_levels(cpu, &left);
	for (int l = 0; l < nlevels; l++) {
		uint32_t w, n, pct = is_54() ? 125 : 117, tries = 1;

		if (!left.has[l])
			continue;
		w = weight(&dom[l][cpu].span);
		if (l == 0)
			pct = 110, tries = 0;
		else if (level_flags[l] & SD_SHARE_PKG_RESOURCES)
			pct = 117;
		else if (l >= first_numa)
			tries = 2;
		buf_str(out, name[l]);
		buf_str(out, " ");
		put_set(out, &dom[l][cpu].span);
		put_numbers(out, " ",
			    (uint64_t[]){left.flags[l], pct, tries, w, 2 * w, w, is_54() ? 32 : 16,
					 is_54() ? 0 : dom[l][cpu].imb, (uint64_t)l},
			    9);
		n = make_groups(l, cpu, group);
		for (uint32_t i = 0; i < n; i++)
			put_naive_group(out, l, cpu, &group[i]);
		buf_str(out, "\n");
	}
}

static void put_group(struct buf *out, const struct sched_group *g)
{
	const struct sched_group_capacity *c = g->sgc;

	buf_str(out, " ");
	put_mask(out, g->cpus);
	buf_str(out, "/");
	put_mask(out, c->balance_mask);
	put_numbers(out, "=", (uint64_t[]){c->capacity, c->min_capacity, c->max_capacity}, 3);
	put_numbers(out, ":", (uint64_t[]){c->id, g->flags, g->cores, g->asym_prefer_cpu}, 4);
}

static void put_built_chain(struct buf *out, const struct domain_set *s, uint32_t cpu)
{
	for (const struct sched_domain *sd = s->bottom[cpu]; sd; sd = sd->parent) {
		const struct sched_group *g = sd->groups;

		buf_str(out, sd->name);
		buf_str(out, " ");
		put_mask(out, sd->span);
		put_numbers(out, " ",
			    (uint64_t[]){sd->flags, sd->imbalance_pct, sd->cache_nice_tries,
					 sd->min_interval_ms, sd->max_interval_ms,
					 sd->balance_interval_ms, sd->busy_factor, sd->imb_numa_nr,
					 sd->topo_level},
			    9);
		do {
			put_group(out, g);
			g = g->next;
		} while (g != sd->groups);
		buf_str(out, "\n");
	}
}

/* --- the comparison --- */

static void compare_chains(const struct built *b, uint64_t id)
{
	static char text[2][1 << 18];

	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++) {
		struct buf fast, naive;

		buf_init(&fast, text[0], sizeof(text[0]));
		buf_init(&naive, text[1], sizeof(text[1]));
		put_built_chain(&fast, &b->set, cpu);
		if (online.has[cpu])
			put_naive_chain(&naive, cpu);
		assert_false(fast.cut);
		if (strcmp(text[0], text[1]) != 0)
			fail_msg("%s, machine %llu cpu %u: built\n%sexpected\n%s", rules->name,
				 (unsigned long long)id, cpu, text[0], text[1]);
	}
}

/* Clusters inside caches, unequal CPUs, priorities, packages: what old kernels do not look at. */
static void add_what_is_new(struct topology *m, uint64_t id)
{
	static const uint32_t capacity[] = {1024, 446, 700};
	struct rng r = rng_stream(1, "newer topology", id);
	bool clusters = chance(&r, 30), unequal = chance(&r, 40), by_cache = chance(&r, 50);
	uint64_t nodes_a_package = rng_between(&r, 1, 2);

	m->arch = chance(&r, 50) ? TOPO_ARCH_X86 : TOPO_ARCH_OTHER;
	m->has_priority = chance(&r, 20);
	m->reclaim_distance = chance(&r, 20) ? 32 : 0;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		struct topo_cpu *c = &m->cpu[i];

		c->package = (uint32_t)(c->node / nodes_a_package);
		if (clusters)
			c->cluster = c->core / 2;
		if (unequal)
			c->capacity = capacity[(by_cache ? c->llc : rng_below(&r, 3)) % 3];
		if (m->has_priority)
			c->priority = (int32_t)rng_below(&r, 5);
	}
}

static void compare_under(const struct topology *m, const struct domain_rules *with, uint64_t id)
{
	struct built b = build_fake(m, with);
	char text[256];
	struct buf why;

	t = m;
	rules = with;
	buf_init(&why, text, sizeof(text));
	if (!b.done)
		fail_msg("%s, machine %llu: not built", with->name, (unsigned long long)id);
	if (!domains_audit(&b.set, true, &why))
		fail_msg("%s, machine %llu: %s", with->name, (unsigned long long)id, text);
	memset(&online, 0, sizeof(online));
	for (uint32_t i = 0; i < m->ncpus; i++)
		online.has[i] = m->cpu[i].present && m->cpu[i].online;
	if (m->nonline > 0) {
		make_levels();
		make_domains();
	}
	compare_chains(&b, id);
	built_free(&b);
}

static void test_builder_agrees_with_the_rules(void **state)
{
	uint64_t machines = property_seeds(60);

	for (uint64_t id = 0; id < machines; id++) {
		struct topology *m = random_machine(id);

		add_what_is_new(m, id);
		compare_under(m, &domain_rules_54, id);
		compare_under(m, &domain_rules_61, id);
		compare_under(m, &domain_rules_612, id);
		fake_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder_agrees_with_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
