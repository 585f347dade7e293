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

#include "random_topology.h"

#define CPUS RANDOM_CPUS
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

/* Who goes with whom, by definition; filled for one machine at a time. */
enum {
	ALONE,
	SAME_CORE,
	SAME_CACHE,
	SAME_NODE,
	NEAR,
	ANYWHERE,
	RELATIONS
};
static const int spanned[] = {SAME_CORE, SAME_CACHE, SAME_NODE, NEAR, ANYWHERE};
static const int grouped[] = {ALONE, SAME_CORE, SAME_CACHE, SAME_NODE, SAME_NODE};
static struct set related[RELATIONS][CPUS];
static uint32_t thread_power[CPUS];

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
		uint32_t distance = topo_distance(t, node, o), own = topo_distance(t, node, n);

		if (o == n || !node_has_cpu(t, o))
			continue;
		if (o == node || distance < own || (distance == own && o_steps < steps))
			before++;
	}
	return n == node || before < SIXTEEN;
}

static void relate_pair(const struct topology *t, uint32_t a, uint32_t b, bool near)
{
	const struct topo_cpu *x = &t->cpu[a], *y = &t->cpu[b];

	related[ANYWHERE][a].has[b] = true;
	related[NEAR][a].has[b] = near;
	related[SAME_NODE][a].has[b] = x->node == y->node;
	related[SAME_CORE][a].has[b] = x->node == y->node && x->core == y->core;
	related[ALONE][a].has[b] = a == b;
}

/* The cache of a core is that of its first CPU. */
static uint32_t cache_of(const struct topology *t, uint32_t cpu)
{
	return t->cpu[first(&related[SAME_CORE][cpu])].llc;
}

static void relate_all(const struct topology *t)
{
	static bool near[CPUS][CPUS];

	memset(related, 0, sizeof(related));
	for (uint32_t a = 0; a < t->nnodes; a++)
		for (uint32_t b = 0; b < t->nnodes; b++)
			near[a][b] = node_is_near(t, a, b);
	for (uint32_t a = 0; a < t->ncpus; a++)
		for (uint32_t b = 0; b < t->ncpus; b++)
			if (is_online(t, a) && is_online(t, b))
				relate_pair(t, a, b, near[t->cpu[a].node][t->cpu[b].node]);
	for (uint32_t a = 0; a < t->ncpus; a++)
		for (uint32_t b = 0; b < t->ncpus; b++)
			if (related[SAME_NODE][a].has[b])
				related[SAME_CACHE][a].has[b] = cache_of(t, a) == cache_of(t, b);
	for (uint32_t a = 0; a < t->ncpus; a++) {
		uint32_t threads = weight(&related[SAME_CORE][a]);

		thread_power[a] = threads > 1 ? 1178 / threads : 1024;
	}
}

static uint32_t power_of(const struct set *s)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < CPUS; i++)
		sum += s->has[i] ? thread_power[i] : 0;
	return sum;
}

/* Place of the group of CPU in the ring of OWN: groups are visited by rising place. */
static uint32_t place_of(const struct topology *t, int level, uint32_t own, uint32_t cpu)
{
	const struct set *sets = related[grouped[level]];

	if (level == NODE)
		return (t->cpu[cpu].node + t->nnodes - t->cpu[own].node) % t->nnodes;
	return (first(&sets[cpu]) + CPUS - first(&sets[own])) % CPUS;
}

static void naive_domain(const struct topology *t, int level, uint32_t cpu, struct naive *d)
{
	uint32_t member[CPUS];
	bool taken[CPUS] = {false};

	d->exists = level != ALLNODES ||
		    weight(&related[ANYWHERE][cpu]) > SIXTEEN * weight(&related[SAME_NODE][cpu]);
	d->span = related[spanned[level]][cpu];
	d->ngroups = 0;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		if (d->span.has[i]) {
			taken[place_of(t, level, cpu, i)] = true;
			member[place_of(t, level, cpu, i)] = i;
		}
	}
	for (uint32_t place = 0; place < CPUS; place++) {
		if (!taken[place])
			continue;
		d->group[d->ngroups] = related[grouped[level]][member[place]];
		d->power[d->ngroups] = power_of(&d->group[d->ngroups]);
		d->ngroups++;
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
		relate_all(t);
		compare_chains(t, &b, id);
		built_free(&b);
		fake_free(t);
	}
}

/* The levels by distance have no second builder: what the audit asks must hold, also with odd distances. */
static void test_levels_by_distance_are_sound(void **state)
{
	uint64_t machines = property_seeds(300);

	for (uint64_t id = 0; id < machines; id++) {
		struct topology *t = random_machine(id);
		struct built b = build_fake(t, &domain_rules_one_init);
		char text[256];
		struct buf why;

		buf_init(&why, text, sizeof(text));
		if (!b.done)
			fail_msg("machine %llu: the memory promised is not enough",
				 (unsigned long long)id);
		if (!domains_audit(&b.set, true, &why))
			fail_msg("machine %llu: %s", (unsigned long long)id, text);
		built_free(&b);
		fake_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder_agrees_with_the_definitions),
		cmocka_unit_test(test_levels_by_distance_are_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
