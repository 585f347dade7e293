/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that real kernels 6.1 and 6.12 built for five machines (tests/truth/topo-*)
 * against those built here: of every CPU every domain, with its name, span, flags, intervals
 * and other numbers, and its ring of groups with balance masks and capacities. Nothing may
 * differ.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "import/machine.h"
#include "import/machine_build.h"
#include "observe/cpulist.h"
#include "observe/topo_text.h"
#include "sched/domain/domain.h"

#define CPUS 64u
#define NODES 8u
#define TEXT_MAX 4096

static struct topology topo;
static struct domain_set set;
static void *memory, *scratch;

/* ---- The machine of a file ---- */

static void list_to_mask(const char *list, struct mask *m)
{
	while (*list) {
		char *end;
		unsigned long low = strtoul(list, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		for (; low <= high; low++)
			mask_set(m, (uint32_t)low);
		list = *end == ',' ? end + 1 : end;
	}
}

/* "core 0-1 cluster=0-1 llc=0-7 package=0-7": ids are first CPUs. */
static void add_core(const char *line)
{
	static uint64_t mem[MASK_WORDS(CPUS)];
	unsigned cluster, llc, package;
	struct mask *cpus = mask_init(mem, CPUS);
	char list[100];
	uint32_t cpu;

	assert_int_equal(sscanf(line, "core %99s cluster=%u%*[-,0-9] llc=%u%*[-,0-9] package=%u",
				list, &cluster, &llc, &package) == 4 ||
				 sscanf(line, "core %99s cluster=%u llc=%u%*[-,0-9] package=%u",
					list, &cluster, &llc, &package) == 4,
			 1);
	list_to_mask(list, cpus);
	mask_for_each(cpu, cpus) {
		struct topo_cpu *c = &topo.cpu[cpu];

		c->present = true;
		c->online = true;
		c->core = mask_first(cpus);
		c->cluster = cluster;
		c->llc = llc;
		c->package = package;
		c->die = package;
	}
}

/* "node 0-7 distance=10,21" */
static void add_node(const char *line, uint32_t node)
{
	static uint64_t mem[MASK_WORDS(CPUS)];
	struct mask *cpus = mask_init(mem, CPUS);
	char list[100], distances[100], *at = distances;
	uint32_t cpu;

	assert_int_equal(sscanf(line, "node %99s distance=%99s", list, distances), 2);
	list_to_mask(list, cpus);
	mask_for_each(cpu, cpus)
		topo.cpu[cpu].node = node;
	topo.node[node].os_id = node;
	for (uint32_t to = 0; to < topo.nnodes; to++) {
		topo.distance[node * topo.nnodes + to] = (uint8_t)strtoul(at, &at, 10);
		assert_int_equal(*at, to + 1 < topo.nnodes ? ',' : 0);
		at++;
	}
}

static void count(const char *path, uint32_t *ncpus, uint32_t *nnodes)
{
	FILE *f = fopen(path, "r");
	char line[TEXT_MAX];

	assert_non_null(f);
	*ncpus = *nnodes = 0;
	while (fgets(line, sizeof(line), f)) {
		const char *dash = strchr(line, ' ') ? strpbrk(line + 5, "- ") : NULL;

		if (strncmp(line, "core ", 5) == 0)
			*ncpus = 1 + (uint32_t)strtoul(dash && *dash == '-' ? dash + 1 : line + 5,
						       NULL, 10);
		*nnodes += strncmp(line, "node ", 5) == 0;
	}
	fclose(f);
}

static void make_machine(const char *path)
{
	FILE *f = fopen(path, "r");
	uint32_t ncpus, nnodes, node = 0;
	struct rql_error e;
	char line[TEXT_MAX];

	count(path, &ncpus, &nnodes);
	assert_true(ncpus >= 1 && ncpus <= CPUS && nnodes >= 1 && nnodes <= NODES);
	assert_true(topology_create(&topo, ncpus, nnodes, &e));
	topo.arch = TOPO_ARCH_X86;
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "core ", 5) == 0)
			add_core(line);
		else if (strncmp(line, "node ", 5) == 0)
			add_node(line, node++);
	}
	fclose(f);
	assert_true(topology_finish(&topo, &e));
	assert_int_equal(topo.nonline, ncpus);
}

static void build(const struct domain_rules *rules)
{
	const struct domain_start start = {.jiffies = 0, .hz = 250};
	size_t size = domains_bytes_max(&topo, rules);
	size_t scratch_size = domains_scratch_bytes_max(&topo, rules);
	struct arena a, s;

	memory = calloc(1, size);
	scratch = calloc(1, scratch_size);
	assert_non_null(memory);
	assert_non_null(scratch);
	arena_init(&a, memory, size);
	arena_init(&s, scratch, scratch_size);
	assert_true(domains_build(&set, &topo, rules, &start, &a, &s));
}

/* ---- A domain as the files write it ---- */

static void put_number(struct buf *b, const char *key, uint64_t v)
{
	buf_str(b, key);
	buf_u64(b, v);
}

static void put_flags(struct buf *b, const char *key, uint32_t flags)
{
	const char *name, *between = "SD_";
	uint32_t flag;

	buf_str(b, key);
	for (size_t i = 0; (name = sd_flag_name(set.words, i, &flag)); i++) {
		if (!(flags & flag))
			continue;
		buf_str(b, between);
		buf_str(b, name);
		between = "|SD_";
		flags &= ~flag;
	}
	assert_int_equal(flags, 0);
}

static uint32_t speaker_of(const struct sched_group *sg)
{
	return mask_first(sg->sgc->balance_mask);
}

/* From the group that speaks for the lowest CPU on; a mask where it is not the whole group. */
static void put_ring(struct buf *b, const struct sched_domain *sd)
{
	const struct sched_group *first = sd->groups, *sg;
	const char *between = "";

	for (sg = sd->groups->next; sg != sd->groups; sg = sg->next)
		if (speaker_of(sg) < speaker_of(first))
			first = sg;
	buf_str(b, " groups=");
	sg = first;
	do {
		buf_str(b, between);
		cpulist_put(b, sg->cpus);
		if (!mask_equal(sg->cpus, sg->sgc->balance_mask)) {
			buf_char(b, '@');
			cpulist_put(b, sg->sgc->balance_mask);
		}
		put_number(b, ":", sg->sgc->capacity);
		between = "+";
		sg = sg->next;
	} while (sg != first);
}

static void put_domain(struct buf *b, const struct sched_domain *sd, bool tells_groups)
{
	buf_str(b, "span=");
	cpulist_put(b, sd->span);
	buf_str(b, " name=");
	buf_str(b, sd->name);
	put_number(b, " min_interval=", sd->min_interval_ms);
	put_number(b, " max_interval=", sd->max_interval_ms);
	put_number(b, " busy_factor=", sd->busy_factor);
	put_number(b, " imbalance_pct=", sd->imbalance_pct);
	put_number(b, " cache_nice_tries=", sd->cache_nice_tries);
	if (tells_groups)
		put_number(b, " level=", sd->topo_level);
	put_flags(b, " flags=", sd->flags);
	if (tells_groups)
		put_flags(b, " groups_flags=", sd->groups->flags);
	put_ring(b, sd);
}

/* ---- Comparison ---- */

static const struct sched_domain *domain_at(uint32_t cpu, unsigned long depth)
{
	const struct sched_domain *sd = set.bottom[cpu];

	while (sd && depth--)
		sd = sd->parent;
	return sd;
}

/* "domain1 cpus=0-3 span=..."; how many domains of CPUs it speaks of. */
static uint32_t compare_line(const char *path, char *line, bool tells_groups)
{
	static uint64_t mem[MASK_WORDS(CPUS)];
	struct mask *cpus = mask_init(mem, CPUS);
	char *rest = strstr(line, " span="), *list = strstr(line, " cpus=");
	unsigned long depth = strtoul(line + strlen("domain"), NULL, 10);
	uint32_t cpu;

	assert_non_null(rest);
	assert_non_null(list);
	*rest++ = 0;
	rest[strcspn(rest, "\n")] = 0;
	list_to_mask(list + strlen(" cpus="), cpus);
	mask_for_each(cpu, cpus) {
		const struct sched_domain *sd = domain_at(cpu, depth);
		char ours[TEXT_MAX];
		struct buf b;

		if (!sd)
			fail_msg("%s: CPU %u has no domain %lu", path, (unsigned)cpu, depth);
		assert_true(mask_test(sd->groups->cpus, cpu));
		buf_init(&b, ours, sizeof(ours));
		put_domain(&b, sd, tells_groups);
		assert_false(b.cut);
		if (strcmp(ours, rest) != 0)
			fail_msg("%s: CPU %u, domain %lu:\n%s\nand here\n%s", path, (unsigned)cpu,
				 depth, rest, ours);
	}
	return mask_weight(cpus);
}

static void compare(const char *path, const struct domain_rules *rules, bool tells_groups)
{
	FILE *f;
	char line[TEXT_MAX];
	uint32_t ndomains = 0;

	make_machine(path);
	build(rules);
	f = fopen(path, "r");
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "domain", 6) == 0)
			ndomains += compare_line(path, line, tells_groups);
	fclose(f);
	assert_int_equal(ndomains, set.ndomains);
	free(memory);
	free(scratch);
	topology_free(&topo);
}

static void compare_machines(const char *kernel, const struct domain_rules *rules,
			     bool tells_groups)
{
	static const char *const machines[] = {"t4", "t16", "t2x16", "t64", "t4x4ring"};

	for (uint32_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		char path[100];

		snprintf(path, sizeof(path), "tests/truth/topo-%s-%s.txt", kernel, machines[i]);
		compare(path, rules, tells_groups);
	}
}

static void test_domains_are_those_of_a_real_6_1(void **state)
{
	compare_machines("6.1", &domain_rules_61, false);
}

/* It also tells levels as numbers and the flags of groups. */
static void test_domains_are_those_of_a_real_6_12(void **state)
{
	compare_machines("6.12", &domain_rules_612, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains_are_those_of_a_real_6_1),
		cmocka_unit_test(test_domains_are_those_of_a_real_6_12),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
