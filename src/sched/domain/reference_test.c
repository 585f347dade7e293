/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second, naive builder: sets of CPUs straight from the definitions, nothing
 * shared, nothing ordered by construction. On random machines (unequal nodes,
 * holes, offline CPUs, memory-only nodes, caches and cores across nodes, any
 * distances) both must give the same chains to every CPU.
 *
 * RUNQLAB_SEEDS=N tries N machines; a failure names its number.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/domain/fake_topology.h"

#define CPUS 256u
#define SIXTEEN 16u

struct set {
	bool has[CPUS];
};

enum {
	SIBLING,
	MC,
	CPU,
	NODE,
	ALLNODES,
	LEVELS
};
static const char *const level_name[] = {"SIBLING", "MC", "CPU", "NODE", "ALLNODES"};
static const uint32_t level_flags[] = {0x2af, 0x122f, 0x102f, 0x42f, 0x403};

/* A domain as text needs it: span and groups from the own one on. */
struct naive {
	bool exists;
	struct set span;
	struct set group[CPUS];
	uint32_t power[CPUS];
	uint32_t ngroups;
};

static bool is_online(const struct topology *t, uint32_t cpu)
{
	return t->cpu[cpu].present && t->cpu[cpu].online;
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

static bool same_node(const struct topology *t, uint32_t a, uint32_t b)
{
	return is_online(t, a) && is_online(t, b) && t->cpu[a].node == t->cpu[b].node;
}

static bool same_core(const struct topology *t, uint32_t a, uint32_t b)
{
	return same_node(t, a, b) && t->cpu[a].core == t->cpu[b].core;
}

/* The cache of a core is that of its first CPU. */
static uint32_t cache_of(const struct topology *t, uint32_t cpu)
{
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (same_core(t, i, cpu))
			return t->cpu[i].llc;
	return TOPO_NONE;
}

static bool same_cache(const struct topology *t, uint32_t a, uint32_t b)
{
	return same_node(t, a, b) && cache_of(t, a) == cache_of(t, b);
}

static struct set all_with(const struct topology *t, uint32_t cpu,
			   bool (*same)(const struct topology *, uint32_t, uint32_t))
{
	struct set s = {{false}};

	for (uint32_t i = 0; i < t->ncpus; i++)
		s.has[i] = same(t, i, cpu);
	return s;
}

static bool alone(const struct topology *t, uint32_t a, uint32_t b)
{
	return is_online(t, a) && a == b;
}

static bool anywhere(const struct topology *t, uint32_t a, uint32_t b)
{
	return is_online(t, a) && is_online(t, b);
}

static bool node_has_cpu(const struct topology *t, uint32_t node)
{
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (is_online(t, i) && t->cpu[i].node == node)
			return true;
	return false;
}

/*
 * Node N is near NODE when fewer than sixteen nodes come before it: closer ones
 * and, of equally far ones, those that follow NODE sooner. NODE itself is first
 * even where the distances say otherwise.
 */
static bool node_is_near(const struct topology *t, uint32_t node, uint32_t n)
{
	uint32_t nn = t->nnodes, before = 0, steps = (n + nn - node) % nn;

	for (uint32_t o = 0; o < nn; o++) {
		uint32_t o_steps = (o + nn - node) % nn;

		if (o == n || !node_has_cpu(t, o))
			continue;
		if (o == node || topo_distance(t, node, o) < topo_distance(t, node, n) ||
		    (topo_distance(t, node, o) == topo_distance(t, node, n) && o_steps < steps))
			before++;
	}
	return n == node || before < SIXTEEN;
}

static bool near(const struct topology *t, uint32_t a, uint32_t b)
{
	return anywhere(t, a, b) && node_is_near(t, t->cpu[b].node, t->cpu[a].node);
}

typedef bool (*relation)(const struct topology *, uint32_t, uint32_t);
static const relation spanned[] = {same_core, same_cache, same_node, near, anywhere};
static const relation grouped[] = {alone, same_core, same_cache, same_node, same_node};

/* What the cores inside S achieve; a lone thread counts as at the lowest level. */
static uint32_t power_of(const struct topology *t, int level, const struct set *s)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < t->ncpus; i++) {
		struct set core;

		if (!s->has[i])
			continue;
		core = all_with(t, i, same_core);
		if (level == SIBLING)
			return weight(&core) > 1 ? 1178 / weight(&core) : 1024;
		sum += weight(&core) > 1 ? 1178 / weight(&core) : 1024;
	}
	return sum;
}

/* Place of the group of CPU in the ring of OWN: groups are visited by rising place. */
static uint32_t place_of(const struct topology *t, int level, uint32_t own, uint32_t cpu)
{
	struct set g = all_with(t, cpu, grouped[level]), o = all_with(t, own, grouped[level]);

	if (level == NODE)
		return (t->cpu[cpu].node + t->nnodes - t->cpu[own].node) % t->nnodes;
	return (first(&g) + CPUS - first(&o)) % CPUS;
}

static void naive_domain(const struct topology *t, int level, uint32_t cpu, struct naive *d)
{
	struct set whole = all_with(t, cpu, anywhere), mates = all_with(t, cpu, same_node);

	d->exists = level != ALLNODES || weight(&whole) > SIXTEEN * weight(&mates);
	d->span = all_with(t, cpu, spanned[level]);
	if (level == NODE || level == ALLNODES)
		for (uint32_t i = 0; i < t->ncpus; i++)
			d->span.has[i] = spanned[level](t, i, cpu);
	d->ngroups = 0;
	for (uint32_t place = 0; place < CPUS; place++) {
		for (uint32_t i = 0; i < t->ncpus; i++) {
			if (!d->span.has[i] || place_of(t, level, cpu, i) != place)
				continue;
			d->group[d->ngroups] = all_with(t, i, grouped[level]);
			d->power[d->ngroups] = power_of(t, level, &d->group[d->ngroups]);
			d->ngroups++;
			break;
		}
	}
}

/* 0xef: of no use without a second group, but WAKE_AFFINE (0x20) has a use by itself. */
static bool useless(const struct naive *d, int level)
{
	if (weight(&d->span) == 1)
		return true;
	return d->ngroups == 1 && !(level_flags[level] & 0x20);
}

static bool redundant(const struct topology *t, const struct naive *d, int lower, int upper)
{
	uint32_t flags = level_flags[upper];

	if (useless(&d[upper], upper))
		return true;
	if (memcmp(&d[lower].span, &d[upper].span, sizeof(struct set)) != 0)
		return false;
	if (d[upper].ngroups == 1)
		flags &= ~(uint32_t)(0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x200);
	if (d[upper].ngroups == 1 && t->nnodes == 1 && t->node[0].os_id == 0)
		flags &= ~(uint32_t)0x400;
	return !(flags & ~level_flags[lower]);
}

static void put_set(struct buf *out, const struct set *s)
{
	const char *comma = "";

	for (uint32_t i = 0; i < CPUS; i++) {
		uint32_t last = i;

		if (!s->has[i])
			continue;
		while (last + 1 < CPUS && s->has[last + 1])
			last++;
		buf_str(out, comma);
		buf_u64(out, i);
		if (last > i) {
			buf_char(out, '-');
			buf_u64(out, last);
		}
		comma = ",";
		i = last;
	}
}

static void put_naive_chain(struct buf *out, const struct topology *t, uint32_t cpu)
{
	static struct naive d[LEVELS];
	int lower = SIBLING;
	bool any = false;

	for (int l = 0; l < LEVELS; l++)
		naive_domain(t, l, cpu, &d[l]);
	for (int l = MC; l < LEVELS; l++) {
		if (!d[l].exists)
			continue;
		if (redundant(t, d, lower, l))
			d[l].exists = false;
		else
			lower = l;
	}
	if (useless(&d[SIBLING], SIBLING))
		d[SIBLING].exists = false;
	for (int l = 0; l < LEVELS; l++) {
		if (!d[l].exists)
			continue;
		buf_str(out, any ? "; " : "");
		buf_str(out, level_name[l]);
		buf_char(out, ' ');
		put_set(out, &d[l].span);
		buf_char(out, ':');
		for (uint32_t g = 0; g < d[l].ngroups; g++) {
			buf_char(out, ' ');
			put_set(out, &d[l].group[g]);
			buf_char(out, '=');
			buf_u64(out, d[l].power[g]);
		}
		any = true;
	}
}

/* --- random machines --- */

static bool chance(struct rng *r, uint64_t pct)
{
	return rng_below(r, 100) < pct;
}

static void shuffle(struct rng *r, uint32_t *number, uint32_t n)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = (uint32_t)rng_below(r, i), swap = number[i - 1];

		number[i - 1] = number[j];
		number[j] = swap;
	}
}

static void random_distances(struct rng *r, struct topology *t)
{
	uint64_t kinds = rng_between(r, 1, 6);
	bool symmetric = chance(r, 60), odd_local = chance(r, 10);

	for (uint32_t i = 0; i < t->nnodes; i++)
		for (uint32_t j = 0; j < t->nnodes; j++)
			fake_distance(t, i, j, (uint8_t)(15 + 5 * rng_below(r, kinds)));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		for (uint32_t j = 0; symmetric && j < i; j++)
			fake_distance(t, i, j, (uint8_t)topo_distance(t, j, i));
		if (!odd_local)
			fake_distance(t, i, i, 10);
	}
}

/* Hand out cores, caches and nodes to the numbers in NUMBER, then break some of it. */
static void random_sharing(struct rng *r, struct topology *t, const uint32_t *number)
{
	uint64_t threads = rng_between(r, 1, 4), cores = rng_between(r, 1, 6);
	uint64_t caches = rng_between(r, 1, 3), in_core = 0, in_cache = 0, in_node = 0;
	uint64_t memory_only = chance(r, 30) ? 40 : 0;
	uint32_t core = 0, cache = 0, node = 0;

	for (uint32_t i = 0; i < t->npresent; i++) {
		struct topo_cpu *c = &t->cpu[number[i]];

		if (in_core++ == threads) {
			in_core = 1;
			core++;
			in_cache++;
			threads = chance(r, 10) ? rng_between(r, 1, 4) : threads;
		}
		if (in_cache == cores) {
			in_cache = 0;
			cache++;
			in_node++;
			cores = chance(r, 10) ? rng_between(r, 1, 6) : cores;
		}
		if (in_node == caches && node + 1 < t->nnodes) {
			in_node = 0;
			node++;
			while (node + 1 < t->nnodes && chance(r, memory_only))
				node++;
		}
		c->core = core;
		c->llc = chance(r, 1) ? cache / 2 : cache;
		c->node = chance(r, 1) ? (uint32_t)rng_below(r, t->nnodes) : node;
	}
}

static struct topology *random_machine(uint64_t id)
{
	struct rng r = rng_stream(1, "topology", id);
	uint32_t ncpus = (uint32_t)rng_between(&r, 1, chance(&r, 30) ? CPUS : 48);
	uint32_t nnodes = (uint32_t)rng_between(&r, 1, chance(&r, 40) ? 40 : 4);
	struct topology *t = fake_machine(ncpus, nnodes);
	uint64_t holes = chance(&r, 20) ? 30 : 0, offline = chance(&r, 40) ? 20 : 0;
	uint32_t number[CPUS], os_id = chance(&r, 10) ? 1 : 0;

	t->npresent = t->nonline = 0;
	for (uint32_t i = 0; i < ncpus; i++) {
		t->cpu[i].present = !chance(&r, holes);
		t->cpu[i].online = t->cpu[i].present && !chance(&r, offline);
		if (t->cpu[i].present)
			number[t->npresent++] = i;
		t->nonline += t->cpu[i].online;
	}
	for (uint32_t i = 0; i < nnodes; i++) {
		t->node[i].os_id = os_id;
		os_id += chance(&r, 10) ? 7 : 1;
	}
	if (chance(&r, 50))
		shuffle(&r, number, t->npresent);
	random_sharing(&r, t, number);
	random_distances(&r, t);
	return t;
}

static void compare_chains(const struct topology *t, const struct built *b, uint64_t id)
{
	static char text[2][1 << 16];
	struct buf fast, naive;

	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++) {
		buf_init(&fast, text[0], sizeof(text[0]));
		buf_init(&naive, text[1], sizeof(text[1]));
		put_chain(&fast, &b->set, cpu);
		if (is_online(t, cpu))
			put_naive_chain(&naive, t, cpu);
		assert_false(fast.cut);
		if (strcmp(text[0], text[1]) != 0)
			fail_msg("machine %llu cpu %u: built \"%s\", expected \"%s\"",
				 (unsigned long long)id, cpu, text[0], text[1]);
	}
}

static void test_builder_agrees_with_the_definitions(void **state)
{
	uint64_t machines = property_seeds(300);

	for (uint64_t id = 0; id < machines; id++) {
		struct topology *t = random_machine(id);
		struct built b = build_fake(t, &domain_rules_classic);
		char text[256];
		struct buf why;

		buf_init(&why, text, sizeof(text));
		if (!b.done)
			fail_msg("machine %llu: not built", (unsigned long long)id);
		if (!domains_audit(&b.set, true, &why))
			fail_msg("machine %llu: %s", (unsigned long long)id, text);
		compare_chains(t, &b, id);
		built_free(&b);
		fake_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder_agrees_with_the_definitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
