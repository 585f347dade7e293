/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kernels from 5.4 on build. With the rules of 6.1 and 6.12 that is compared with what
 * these kernels printed when they booted on five machines.
 */
#include "support.h"

#include "sched/domain/fake_topology.h"

#define ALL_FLAGS (SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)
#define NODES (SD_SERIALIZE | SD_OVERLAP | SD_NUMA)

static struct built build_sound(const struct topology *t, const struct domain_rules *rules)
{
	struct built b = build_fake(t, rules);
	char text[256];
	struct buf why;

	buf_init(&why, text, sizeof(text));
	assert_true(b.done);
	if (!domains_audit(&b.set, true, &why))
		fail_msg("%s", text);
	return b;
}

/* "MC 0-3: 0=1024 1=1024; NUMA 0-7: 0-3/0-1=4096 ..."; after / the balance mask if it is another */
static void put_shared_chain(struct buf *out, const struct domain_set *s, uint32_t cpu)
{
	for (const struct sched_domain *sd = s->bottom[cpu]; sd; sd = sd->parent) {
		const struct sched_group *g = sd->groups;

		buf_str(out, sd->child ? "; " : "");
		buf_str(out, sd->name);
		buf_char(out, ' ');
		put_cpulist(out, sd->span);
		buf_char(out, ':');
		do {
			buf_char(out, ' ');
			put_cpulist(out, g->cpus);
			if (!mask_equal(g->cpus, g->sgc->balance_mask)) {
				buf_char(out, '/');
				put_cpulist(out, g->sgc->balance_mask);
			}
			buf_char(out, '=');
			buf_u64(out, g->sgc->capacity);
			g = g->next;
		} while (g != sd->groups);
	}
}

static void assert_chain(const struct built *b, uint32_t cpu, const char *expected)
{
	char text[1024];
	struct buf out;

	buf_init(&out, text, sizeof(text));
	put_shared_chain(&out, &b->set, cpu);
	assert_false(out.cut);
	assert_string_equal(text, expected);
}

static const struct sched_domain *domain_at(const struct built *b, uint32_t cpu, uint32_t level)
{
	const struct sched_domain *sd = b->set.bottom[cpu];

	while (sd && sd->level != level)
		sd = sd->parent;
	assert_non_null(sd);
	return sd;
}

/* Name NAMED of CPU, or NULL. */
static const struct sched_domain *domain_named(const struct built *b, uint32_t cpu,
					       const char *name)
{
	const struct sched_domain *sd = b->set.bottom[cpu];

	while (sd && strcmp(sd->name, name) != 0)
		sd = sd->parent;
	return sd;
}

/* S nodes of C cores of T threads, threads of a core and cores of a node in a row. */
static struct topology *in_a_row(uint32_t s, uint32_t c, uint32_t t)
{
	struct topology *m = fake_machine(s * c * t, s);

	for (uint32_t i = 0; i < m->ncpus; i++) {
		m->cpu[i].core = i / t;
		m->cpu[i].llc = i / (c * t);
		m->cpu[i].package = i / (c * t);
		m->cpu[i].node = i / (c * t);
	}
	return m;
}

/* Nodes in a row or ring, D further for each step between them. */
static void set_steps(struct topology *t, bool ring, uint32_t d)
{
	uint32_t n = t->nnodes;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			uint32_t steps = i > j ? i - j : j - i;

			if (ring && steps > n - steps)
				steps = n - steps;
			fake_distance(t, i, j, (uint8_t)(10 + d * steps));
		}
}

static struct topology *t4(void)
{
	return in_a_row(1, 4, 1);
}

static struct topology *t16(void)
{
	return in_a_row(2, 4, 2);
}

static struct topology *t2x16(void)
{
	return in_a_row(2, 16, 1);
}

static struct topology *t64(void)
{
	return in_a_row(2, 16, 2);
}

static struct topology *t4x4ring(void)
{
	struct topology *t = in_a_row(4, 4, 1);

	set_steps(t, true, 10);
	return t;
}

/* --- as recorded --- */

struct recorded_level {
	const char *name;
	uint32_t flags, min, pct, tries, imb, topo_level;
};

/* Interval, imbalance_pct, cache_nice_tries, imb_numa_nr, level of what was recorded. */
static const struct recorded {
	struct topology *(*make)(void);
	struct recorded_level level[4];
} recorded[] = {
	{t4, {{"MC", SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 4, 117, 1, 0, 2}}},
	{t16,
	 {{"SMT", SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 2, 110, 0, 0, 0},
	  {"MC", SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 8, 117, 1, 0, 2},
	  {"NUMA", NODES, 16, 117, 2, 1, 5}}},
	{t2x16,
	 {{"MC", SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 16, 117, 1, 0, 2},
	  {"NUMA", NODES, 32, 117, 2, 2, 5}}},
	{t64,
	 {{"SMT", SD_SHARE_CPUPOWER | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 2, 110, 0, 0, 0},
	  {"MC", SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 32, 117, 1, 0, 2},
	  {"NUMA", NODES, 64, 117, 2, 4, 5}}},
	{t4x4ring,
	 {{"MC", SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING, 4, 117, 1, 0, 2},
	  {"NUMA", NODES, 12, 117, 2, 1, 5},
	  {"NUMA", NODES, 16, 117, 2, 1, 6}}},
};

static void check_recorded(const struct recorded *r, const struct domain_rules *rules)
{
	struct topology *t = r->make();
	struct built b = build_sound(t, rules);
	const struct sched_domain *sd = b.set.bottom[0];

	for (const struct recorded_level *l = r->level; l < r->level + 4 && l->name; l++) {
		assert_non_null(sd);
		assert_string_equal(sd->name, l->name);
		assert_int_equal(sd->flags, ALL_FLAGS | l->flags);
		assert_int_equal(sd->imbalance_pct, l->pct);
		assert_int_equal(sd->busy_factor, 16);
		assert_int_equal(sd->cache_nice_tries, l->tries);
		assert_int_equal(sd->min_interval_ms, l->min);
		assert_int_equal(sd->max_interval_ms, 2 * l->min);
		assert_int_equal(sd->balance_interval_ms, l->min);
		assert_int_equal(sd->imb_numa_nr, l->imb);
		assert_int_equal(sd->topo_level, l->topo_level);
		sd = sd->parent;
	}
	assert_null(sd);
	built_free(&b);
	fake_free(t);
}

static void test_levels_are_those_of_booted_kernels(void **state)
{
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++) {
		check_recorded(&recorded[i], &domain_rules_61);
		check_recorded(&recorded[i], &domain_rules_612);
	}
}

/* The line "groups:" that a booted kernel prints for SD, without its head. */
static void put_recorded_groups(struct buf *out, const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;

	do {
		buf_str(out, g == sd->groups ? "" : ", ");
		buf_u64(out, g->sgc->id);
		buf_str(out, ":{ span=");
		put_cpulist(out, g->cpus);
		if ((sd->flags & SD_OVERLAP) && !mask_equal(g->cpus, g->sgc->balance_mask)) {
			buf_str(out, " mask=");
			put_cpulist(out, g->sgc->balance_mask);
		}
		if (g->sgc->capacity != 1024) {
			buf_str(out, " cap=");
			buf_u64(out, g->sgc->capacity);
		}
		buf_str(out, " }");
		g = g->next;
	} while (g != sd->groups);
}

/* All that the kernel's log says of the domains of all CPUs, line by line. */
static void compare_with_log(const char *kernel, const char *name, struct topology *t,
			     const struct domain_rules *rules)
{
	struct built b = build_sound(t, rules);
	char path[160], command[256], line[8192];
	const struct sched_domain *sd = NULL;
	uint32_t ngroups = 0;
	FILE *log;

	snprintf(path, sizeof(path), "truth/data/%s/topo-%s-rep0/dmesg.txt.gz", kernel, name);
	snprintf(command, sizeof(command), "gzip -dc '%s'", shared_path(path));
	log = popen(command, "r");
	assert_non_null(log);
	while (fgets(line, sizeof(line), log)) {
		char text[8192], *found;
		struct buf out;

		line[strcspn(line, "\n")] = '\0';
		buf_init(&out, text, sizeof(text) - 1);
		if ((found = strstr(line, "] CPU")) && strstr(line, "attaching sched-domain(s)")) {
			assert_null(sd);
			sd = b.set.bottom[strtoul(found + 5, NULL, 10)];
		} else if (sd && (found = strstr(line, "span=")) && strstr(line, " level=")) {
			buf_str(&out, "span=");
			put_cpulist(&out, sd->span);
			buf_str(&out, " level=");
			buf_str(&out, sd->name);
			assert_string_equal(found, text);
		} else if (sd && (found = strstr(line, "groups: "))) {
			put_recorded_groups(&out, sd);
			assert_string_equal(found + 8, text);
			ngroups++;
			sd = sd->parent;
		}
	}
	assert_int_equal(pclose(log), 0);
	assert_null(sd);
	assert_int_equal(ngroups, b.set.ndomains);
	built_free(&b);
	fake_free(t);
}

static void test_groups_are_those_of_booted_kernels(void **state)
{
	static const struct {
		const char *name;
		struct topology *(*make)(void);
	} rows[] = {
		{"t4", t4}, {"t16", t16}, {"t2x16", t2x16}, {"t64", t64}, {"t4x4ring", t4x4ring},
	};

	(void)shared_path("truth/data/6.1/topo-t4-rep0/dmesg.txt.gz");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		compare_with_log("6.1", rows[i].name, rows[i].make(), &domain_rules_61);
		compare_with_log("6.12", rows[i].name, rows[i].make(), &domain_rules_612);
	}
}

static void test_a_ring_of_nodes_shares_what_groups_have_in_common(void **state)
{
	struct topology *t = t4x4ring();
	struct built b = build_sound(t, &domain_rules_61);

	assert_chain(&b, 0,
		     "MC 0-3: 0=1024 1=1024 2=1024 3=1024; "
		     "NUMA 0-7,12-15: 0-3=4096 4-7=4096 12-15=4096; "
		     "NUMA 0-15: 0-7,12-15/0-3=12288 4-15/8-11=12288");
	assert_chain(&b, 5,
		     "MC 4-7: 5=1024 6=1024 7=1024 4=1024; NUMA 0-11: 4-7=4096 8-11=4096 0-3=4096; "
		     "NUMA 0-15: 0-11/4-7=12288 0-3,8-15/12-15=12288");
	/* node 1's group of node 2 is another object than node 2's own, with the same capacity */
	assert_ptr_not_equal(domain_at(&b, 5, 1)->groups->next, domain_at(&b, 8, 1)->groups);
	assert_ptr_equal(domain_at(&b, 5, 1)->groups->next->sgc, domain_at(&b, 8, 1)->groups->sgc);
	assert_ptr_equal(domain_at(&b, 0, 2)->groups->next->sgc, domain_at(&b, 8, 2)->groups->sgc);
	assert_int_equal(domain_at(&b, 0, 2)->groups->next->sgc->id, 8);
	/* CPUs of a node in a row have the very groups, and below NUMA all CPUs of a span */
	assert_ptr_equal(domain_at(&b, 1, 2)->groups, domain_at(&b, 0, 2)->groups);
	assert_ptr_equal(domain_at(&b, 1, 0)->groups, domain_at(&b, 0, 0)->groups->next);
	built_free(&b);
	fake_free(t);
}

static uint32_t group_flags_at(const struct built *b, uint32_t level, uint32_t nth)
{
	const struct sched_group *g = domain_at(b, 0, level)->groups;

	while (nth-- > 0)
		g = g->next;
	return g->flags;
}

static void test_groups_remember_flags_as_their_kernel_does(void **state)
{
	struct topology *smt = t16(), *ring = t4x4ring();
	struct built s61 = build_sound(smt, &domain_rules_61);
	struct built s612 = build_sound(smt, &domain_rules_612);
	struct built r612 = build_sound(ring, &domain_rules_612);
	uint32_t cache = ALL_FLAGS | SD_SHARE_PKG_RESOURCES | SD_PREFER_SIBLING;

	assert_int_equal(group_flags_at(&s612, 0, 0), 0);
	assert_int_equal(group_flags_at(&s612, 1, 0), cache | SD_SHARE_CPUPOWER);
	assert_int_equal(group_flags_at(&s612, 1, 1), cache | SD_SHARE_CPUPOWER);
	/* those of the level for clusters, which is gone */
	assert_int_equal(group_flags_at(&s61, 1, 0), cache);
	/* only the own group follows the levels that are left; others keep NODE's */
	assert_int_equal(group_flags_at(&s612, 2, 0), cache);
	assert_int_equal(group_flags_at(&s612, 2, 1), ALL_FLAGS | SD_PREFER_SIBLING);
	assert_int_equal(group_flags_at(&r612, 0, 0), 0);
	assert_int_equal(group_flags_at(&r612, 0, 3), 0);
	assert_int_equal(group_flags_at(&r612, 1, 0), cache);
	assert_int_equal(group_flags_at(&r612, 2, 0), ALL_FLAGS | NODES);
	built_free(&s61);
	built_free(&s612);
	built_free(&r612);
	fake_free(smt);
	fake_free(ring);
}

/* CASE: nodes of one LLC of W CPUs; 12.6 of the specification. */
static void test_imb_numa_nr_is_an_eighth_of_a_node_or_its_caches(void **state)
{
	static const struct {
		uint32_t nodes, llcs, cpus, imb;
	} rows[] = {{2, 1, 8, 1}, {2, 1, 16, 2}, {2, 1, 32, 4}, {2, 4, 16, 4}, {4, 2, 4, 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topology *t = in_a_row(rows[i].nodes, rows[i].llcs * rows[i].cpus, 1);
		const struct sched_domain *die;
		struct built b;

		for (uint32_t c = 0; c < t->ncpus; c++)
			t->cpu[c].llc = c / rows[i].cpus;
		b = build_sound(t, &domain_rules_61);
		assert_int_equal(domain_named(&b, 0, "NUMA")->imb_numa_nr, rows[i].imb);
		die = domain_named(&b, 0, "DIE");
		assert_int_equal(die ? die->imb_numa_nr : rows[i].imb, rows[i].imb);
		assert_int_equal(domain_named(&b, 0, "MC")->imb_numa_nr, 0);
		built_free(&b);
		fake_free(t);
	}
}

/* --- 5.4 --- */

/* Two caches in each of two nodes: only NODE is dropped. */
static struct topology *all_levels(void)
{
	struct topology *t = fake_sockets(2, 4, 2);

	for (uint32_t i = 0; i < t->ncpus; i++)
		t->cpu[i].llc = t->cpu[i].core / 2;
	return t;
}

static void test_numbers_of_every_level_of_5_4(void **state)
{
	static const struct {
		const char *name;
		uint32_t flags, pct, tries, min, topo_level;
	} rows[] = {
		{"SMT", 0x12af, 110, 0, 2, 0},
		{"MC", 0x122f, 117, 1, 4, 1},
		{"DIE", 0x102f, 125, 1, 8, 2},
		{"NUMA", 0x642f, 125, 2, 16, 4},
	};
	struct topology *t = all_levels();
	struct built b = build_sound(t, &domain_rules_54);

	for (uint32_t i = 0; i < 4; i++) {
		const struct sched_domain *sd = domain_at(&b, 0, i);

		assert_string_equal(sd->name, rows[i].name);
		assert_int_equal(sd->flags, rows[i].flags);
		assert_int_equal(sd->imbalance_pct, rows[i].pct);
		assert_int_equal(sd->cache_nice_tries, rows[i].tries);
		assert_int_equal(sd->min_interval_ms, rows[i].min);
		assert_int_equal(sd->max_interval_ms, 2 * rows[i].min);
		assert_int_equal(sd->balance_interval_ms, rows[i].min);
		assert_int_equal(sd->busy_factor, 32);
		assert_int_equal(sd->imb_numa_nr, 0);
		assert_int_equal(sd->topo_level, rows[i].topo_level);
		assert_int_equal(sd->last_balance, 300);
		assert_int_equal(sd->next_decay_max_lb_cost, 300);
		assert_int_equal(sd->max_newidle_lb_cost_ns, 0);
	}
	assert_chain(&b, 1,
		     "SMT 1,9: 1=1024 9=1024; MC 0-1,8-9: 1,9=2048 0,8=2048; "
		     "DIE 0-3,8-11: 0-1,8-9=4096 2-3,10-11=4096; "
		     "NUMA 0-15: 0-3,8-11=8192 4-7,12-15=8192");
	built_free(&b);
	fake_free(t);
}

/* A cache of a cluster is not looked at by 5.4; 6.1 makes a level of it, 6.12 a flagged one. */
static void test_clusters_are_a_level_from_6_1_on(void **state)
{
	struct topology *t = in_a_row(1, 8, 1);
	struct built b54, b61, b612;

	for (uint32_t i = 0; i < 8; i++)
		t->cpu[i].cluster = i / 4;
	b54 = build_sound(t, &domain_rules_54);
	b61 = build_sound(t, &domain_rules_61);
	b612 = build_sound(t, &domain_rules_612);
	assert_string_equal(domain_at(&b54, 0, 0)->name, "MC");
	assert_int_equal(domain_at(&b54, 0, 0)->span_weight, 8);
	assert_chain(&b61, 4, "CLS 4-7: 4=1024 5=1024 6=1024 7=1024; MC 0-7: 4-7=4096 0-3=4096");
	assert_false(b61.set.has_cluster);
	assert_true(b612.set.has_cluster);
	assert_true(domain_at(&b612, 0, 0)->flags & SD_CLUSTER);
	assert_false(domain_at(&b612, 0, 1)->flags & SD_CLUSTER);
	built_free(&b54);
	built_free(&b61);
	built_free(&b612);
	fake_free(t);
}

/* A package with two nodes has no DIE on x86: node and NODE have the same CPUs, MC unites less. */
static void test_nodes_inside_a_package_leave_out_die(void **state)
{
	struct topology *t = in_a_row(2, 4, 1);
	struct built b;

	for (uint32_t i = 0; i < 8; i++) {
		t->cpu[i].package = 0;
		t->cpu[i].llc = i / 2;
	}
	b = build_sound(t, &domain_rules_54);
	assert_chain(&b, 0,
		     "MC 0-1: 0=1024 1=1024; NODE 0-3: 0-1=2048 2-3=2048; "
		     "NUMA 0-7: 0-3=4096 4-7=4096");
	assert_int_equal(domain_at(&b, 0, 1)->topo_level, 2);
	built_free(&b);
	t->arch = TOPO_ARCH_OTHER;
	b = build_sound(t, &domain_rules_54);
	assert_string_equal(domain_at(&b, 0, 1)->name, "DIE");
	built_free(&b);
	fake_free(t);
}

/* DIE, which is MC again, goes; SERIALIZE and NUMA keep a level of one group with other flags. */
static void test_what_is_of_no_use_is_dropped_as_in_5_4(void **state)
{
	struct topology *t = in_a_row(2, 4, 1), *memory = in_a_row(1, 2, 1);
	struct built b = build_sound(t, &domain_rules_54);

	assert_chain(&b, 4, "MC 4-7: 4=1024 5=1024 6=1024 7=1024; NUMA 0-7: 4-7=4096 0-3=4096");
	assert_true(domain_at(&b, 4, 0)->flags & SD_PREFER_SIBLING);
	built_free(&b);
	fake_free(t);

	/* one CPU on each of two nodes of three: two levels of distance, but one CPU is no level */
	fake_free(memory);
	memory = fake_machine(4, 3);
	memory->cpu[2].node = memory->cpu[3].node = 1;
	for (uint32_t i = 0; i < 2; i++) {
		fake_distance(memory, i, 2, 15);
		fake_distance(memory, 2, i, 15);
	}
	memory->arch = TOPO_ARCH_OTHER;
	b = build_sound(memory, &domain_rules_54);
	/* 5.4: a NUMA level of the node alone survives, as it is the only one with these flags */
	assert_chain(&b, 0,
		     "DIE 0-1: 0=1024 1=1024; NUMA 0-1: 0-1=2048; NUMA 0-3: 0-1=2048 2-3=2048");
	built_free(&b);
	/* 6.1: that a group is needed for such flags is known, and nodes without CPUs do not count */
	b = build_sound(memory, &domain_rules_61);
	assert_chain(&b, 0, "DIE 0-1: 0=1024 1=1024; NUMA 0-3: 0-1=2048 2-3=2048");
	assert_int_equal(domain_at(&b, 0, 1)->topo_level, 5);
	built_free(&b);
	fake_free(memory);
}

static void test_only_5_4_asks_node_0_alone_for_distances(void **state)
{
	struct topology *t = in_a_row(3, 2, 1);
	struct built b;

	fake_distance(t, 1, 2, 40);
	fake_distance(t, 2, 1, 40);
	b = build_sound(t, &domain_rules_54);
	assert_chain(&b, 2, "MC 2-3: 2=1024 3=1024; NUMA 0-3: 2-3=2048 0-1=2048");
	built_free(&b);
	b = build_sound(t, &domain_rules_61);
	assert_chain(&b, 2,
		     "MC 2-3: 2=1024 3=1024; NUMA 0-3: 2-3=2048 0-1=2048; "
		     "NUMA 0-5: 0-3/2-3=4096 0-1,4-5/4-5=4096");
	built_free(&b);
	fake_free(t);
}

/* 0 - 1 - 2 - 3: in 5.4 a group of node 0 reaches out of its domain; later it is cut down. */
static void test_groups_stay_inside_the_span_from_6_1_on(void **state)
{
	struct topology *t = in_a_row(4, 1, 1);
	struct built b;

	set_steps(t, false, 5);
	b = build_sound(t, &domain_rules_54);
	assert_chain(&b, 0,
		     "NUMA 0-1: 0=1024 1=1024; NUMA 0-2: 0-1/0=2048 1-3/2=3072; "
		     "NUMA 0-3: 0-2/0=3072 1-3/3=3072");
	built_free(&b);
	b = build_sound(t, &domain_rules_61);
	assert_chain(&b, 0,
		     "NUMA 0-1: 0=1024 1=1024; NUMA 0-2: 0-1/0=2048 2=1024; "
		     "NUMA 0-3: 0-2/0=3072 1-3/3=3072");
	/* and has what node 2 has at the level it was taken from */
	assert_ptr_equal(domain_at(&b, 0, 1)->groups->next->sgc, domain_at(&b, 2, 0)->groups->sgc);
	built_free(&b);
	fake_free(t);
}

static void test_far_nodes_are_only_balanced_with(void **state)
{
	static const struct {
		uint8_t distance;
		uint32_t reclaim, flags;
	} rows[] = {{30, 0, 0x642f}, {32, 0, 0x6403}, {32, 32, 0x642f}, {33, 32, 0x6403}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topology *t = in_a_row(2, 2, 1);
		struct built b;

		fake_distance(t, 0, 1, rows[i].distance);
		fake_distance(t, 1, 0, rows[i].distance);
		t->reclaim_distance = rows[i].reclaim;
		b = build_sound(t, &domain_rules_54);
		assert_int_equal(domain_named(&b, 0, "NUMA")->flags, rows[i].flags);
		built_free(&b);
		fake_free(t);
	}
}

/* Groups {0,2} {1,5} {3,4}: from each CPU on another order, and the last one's is what stays. */
static void test_the_last_cpu_links_a_shared_ring(void **state)
{
	static const uint32_t core[6] = {0, 1, 0, 3, 3, 1};
	struct topology *t = in_a_row(1, 6, 1);
	struct built b;

	for (uint32_t i = 0; i < 6; i++)
		t->cpu[i].core = core[i];
	b = build_sound(t, &domain_rules_54);
	assert_chain(&b, 0, "SMT 0,2: 0=1024 2=1024; MC 0-5: 0,2=2048 3-4=2048 1,5=2048");
	assert_chain(&b, 5, "SMT 1,5: 5=1024 1=1024; MC 0-5: 1,5=2048 0,2=2048 3-4=2048");
	built_free(&b);
	fake_free(t);
}

/* --- unequal CPUs --- */

/* Four little ones and four big ones, each with a cache, in one node or on a node each. */
static struct topology *big_little(uint32_t nnodes)
{
	struct topology *t = in_a_row(2, 4, 1);

	t->arch = TOPO_ARCH_OTHER;
	for (uint32_t i = 0; i < 8; i++) {
		t->cpu[i].capacity = i < 4 ? 446 : 1024;
		t->cpu[i].node = nnodes == 1 ? 0 : i / 4;
	}
	t->nnodes = nnodes;
	t->distance[1] = t->distance[2] = 20;
	return t;
}

static void test_5_4_marks_the_level_that_sees_the_greatest(void **state)
{
	struct topology *t = big_little(1);
	struct built b = build_sound(t, &domain_rules_54);

	assert_chain(&b, 0, "MC 0-3: 0=446 1=446 2=446 3=446; DIE 0-7: 0-3=1784 4-7=4096");
	assert_int_equal(domain_at(&b, 0, 0)->flags, 0x23f);
	assert_int_equal(domain_at(&b, 0, 1)->flags, 0x103f | SD_ASYM_CPUCAPACITY);
	assert_int_equal(domain_at(&b, 0, 1)->groups->sgc->min_capacity, 446);
	assert_int_equal(domain_at(&b, 0, 1)->groups->next->sgc->min_capacity, 1024);
	assert_true(b.set.has_asym);
	built_free(&b);
	/* x86 takes all CPUs for equal */
	t->arch = TOPO_ARCH_X86;
	b = build_sound(t, &domain_rules_54);
	assert_false(b.set.has_asym);
	assert_int_equal(domain_at(&b, 0, 1)->flags, 0x102f);
	built_free(&b);
	fake_free(t);
}

/* In node 0 one cache unites all and DIE, which is marked, goes; MC then spreads in its place. */
static void test_a_dropped_level_leaves_prefer_sibling(void **state)
{
	struct topology *t = big_little(2);
	struct built b;

	for (uint32_t i = 0; i < 8; i++) {
		t->cpu[i].capacity = i == 4 || i == 5 ? 446 : 1024;
		t->cpu[i].llc = i < 4 ? 0 : i / 2;
	}
	b = build_sound(t, &domain_rules_54);
	assert_string_equal(domain_at(&b, 0, 0)->name, "MC");
	assert_string_equal(domain_at(&b, 0, 1)->name, "NUMA");
	assert_int_equal(domain_at(&b, 0, 0)->flags, 0x123f);
	assert_string_equal(domain_at(&b, 4, 1)->name, "DIE");
	assert_int_equal(domain_at(&b, 4, 0)->flags, 0x23f);
	built_free(&b);
	fake_free(t);
}

static void test_6_1_asks_each_domain_for_unequal_cpus(void **state)
{
	struct topology *t = big_little(1);
	struct built b;

	/* a cache with two kinds of the three */
	t->cpu[7].capacity = 600;
	b = build_sound(t, &domain_rules_61);
	assert_int_equal(domain_at(&b, 0, 0)->flags, ALL_FLAGS | SD_SHARE_PKG_RESOURCES);
	assert_int_equal(domain_at(&b, 4, 0)->flags,
			 ALL_FLAGS | SD_SHARE_PKG_RESOURCES | SD_ASYM_CPUCAPACITY);
	assert_int_equal(domain_at(&b, 4, 1)->flags, ALL_FLAGS | SD_PREFER_SIBLING |
							     SD_ASYM_CPUCAPACITY |
							     SD_ASYM_CPUCAPACITY_FULL);
	built_free(&b);
	fake_free(t);
}

static void test_priorities_pack_where_the_kernel_does(void **state)
{
	static const struct {
		const struct domain_rules *rules;
		bool smt, mc, top;
	} rows[] = {
		{&domain_rules_54, true, true, false},
		{&domain_rules_61, true, true, false},
		{&domain_rules_612, false, true, true},
	};

	for (size_t i = 0; i < 3; i++) {
		struct topology *t = all_levels();
		const struct sched_group *g;
		struct built b;

		t->has_priority = true;
		for (uint32_t c = 0; c < t->ncpus; c++)
			t->cpu[c].priority = c == 9 ? 40 : 30;
		b = build_sound(t, rows[i].rules);
		assert_int_equal(!!(domain_at(&b, 0, 0)->flags & SD_ASYM_PACKING), rows[i].smt);
		assert_int_equal(!!(domain_at(&b, 0, 1)->flags & SD_ASYM_PACKING), rows[i].mc);
		assert_int_equal(!!(domain_at(&b, 0, 2)->flags & SD_ASYM_PACKING), rows[i].top);
		g = domain_at(&b, 0, 1)->groups;
		assert_int_equal(g->asym_prefer_cpu, 0);
		assert_int_equal(g->next->asym_prefer_cpu, 9);
		assert_int_equal(g->cores, 1);
		assert_int_equal(domain_at(&b, 0, 2)->groups->cores, 2);
		built_free(&b);
		fake_free(t);
	}
}

/* --- capacities while running --- */

struct speeds {
	uint64_t now[16], kept[16];
};

static uint64_t refresh(void *ctx, uint32_t cpu)
{
	struct speeds *s = ctx;

	s->kept[cpu] = s->now[cpu];
	return s->kept[cpu];
}

static uint64_t kept(void *ctx, uint32_t cpu)
{
	return ((struct speeds *)ctx)->kept[cpu];
}

static struct sched_domain *mutable_at(const struct built *b, uint32_t cpu, uint32_t level)
{
	struct sched_domain *sd = b->set.bottom[cpu];

	while (sd->level != level)
		sd = sd->parent;
	return sd;
}

static void test_a_refresh_reaches_as_far_as_balancing_does(void **state)
{
	struct topology *t = t4x4ring();
	struct built b = build_sound(t, &domain_rules_54);
	struct speeds s;
	struct capacity_source source = {.refresh = refresh,
					 .capacity_of = kept,
					 .ctx = &s,
					 .jiffies = 1000,
					 .hz = 250,
					 .interval_max = max_load_balance_interval(250, 16),
					 .extremes_of_sums = true};
	const struct sched_group_capacity *mc = mutable_at(&b, 1, 0)->groups->sgc;
	const struct sched_group_capacity *near = mutable_at(&b, 1, 1)->groups->sgc;
	const struct sched_group_capacity *far = mutable_at(&b, 1, 2)->groups->sgc;

	for (uint32_t i = 0; i < 16; i++)
		s.now[i] = s.kept[i] = 1000 + i;
	s.now[1] = 700;
	/* min of the sums is the first CPU's, max is all */
	assert_int_equal(far->min_capacity, 1024);
	assert_int_equal(far->max_capacity, 12288);
	update_group_capacity(mutable_at(&b, 1, 0), 1, &source);
	assert_int_equal(mc->capacity, 700);
	assert_int_equal(mc->min_capacity, 700);
	assert_int_equal(mc->next_update, 1000 + 1); /* 4 ms are one tick */
	assert_int_equal(near->capacity, 4096);
	update_group_capacity(mutable_at(&b, 1, 1), 1, &source);
	assert_int_equal(near->capacity, 700 + 3 * 1024);
	assert_int_equal(near->min_capacity, 700);
	assert_int_equal(near->max_capacity, 1024);
	assert_int_equal(near->next_update, 1000 + 3); /* 12 ms */
	update_group_capacity(mutable_at(&b, 1, 2), 1, &source);
	/* CPUs 0-7 and 12-15, of which 1 has 700 */
	assert_int_equal(far->capacity, 12 * 1000 + 28 + 54 - 301);
	assert_int_equal(far->min_capacity, 1000);
	assert_int_equal(far->max_capacity, far->capacity);
	source.extremes_of_sums = false;
	update_group_capacity(mutable_at(&b, 1, 2), 1, &source);
	assert_int_equal(far->min_capacity, 700);
	assert_int_equal(far->max_capacity, 1015);
	built_free(&b);
	fake_free(t);
}

static void test_refreshes_are_bounded_by_the_longest_interval(void **state)
{
	struct topology *t = in_a_row(1, 4, 1);
	struct built b = build_sound(t, &domain_rules_54);
	struct speeds s = {.now = {1, 2, 3, 4}};
	struct capacity_source source = {
		.refresh = refresh, .capacity_of = kept, .ctx = &s, .jiffies = 50, .hz = 1000};
	struct sched_domain *sd = mutable_at(&b, 2, 0);

	source.interval_max = max_load_balance_interval(1000, 4);
	assert_int_equal(source.interval_max, 400);
	sd->balance_interval_ms = 3000;
	update_group_capacity(sd, 2, &source);
	assert_int_equal(sd->groups->sgc->next_update, 450);
	assert_int_equal(sd->groups->sgc->capacity, 3);
	sd->balance_interval_ms = 0;
	update_group_capacity(sd, 2, &source);
	assert_int_equal(sd->groups->sgc->next_update, 51);
	built_free(&b);
	fake_free(t);
}

/* When CPU 8 speaks for its nodes, those before it are not known yet and count as full. */
static void test_the_first_capacities_come_from_the_last_cpu_down(void **state)
{
	struct topology *t = t4x4ring();
	struct built b;

	t->arch = TOPO_ARCH_OTHER;
	for (uint32_t i = 0; i < 16; i++)
		t->cpu[i].capacity = i / 4 == 3 ? 1024 : 512;
	b = build_sound(t, &domain_rules_54);
	assert_chain(&b, 0,
		     "MC 0-3: 0=512 1=512 2=512 3=512; "
		     "NUMA 0-7,12-15: 0-3=2048 4-7=2048 12-15=4096; "
		     "NUMA 0-15: 0-7,12-15/0-3=8192 4-15/8-11=10240");
	built_free(&b);
	fake_free(t);
}

/* --- what a CPU looks up often --- */

static void test_top_domains_are_found(void **state)
{
	struct topology *t = all_levels();
	struct built b = build_sound(t, &domain_rules_54);
	struct top_domains top;

	top_domains_find(&top, b.set.bottom[10], 10, &domain_rules_54);
	assert_ptr_equal(top.sd_llc, domain_named(&b, 10, "MC"));
	assert_ptr_equal(top.sd_llc_shared, top.sd_llc->shared);
	assert_ptr_equal(top.sd_numa, domain_named(&b, 10, "NUMA"));
	assert_int_equal(top.sd_llc_size, 4);
	assert_int_equal(top.sd_llc_id, 2);
	assert_int_equal(top.sd_share_id, 2);
	assert_null(top.sd_asym_packing);
	assert_null(top.sd_asym_cpucapacity);
	/* one object for the cache, another for the core */
	assert_ptr_equal(domain_named(&b, 2, "MC")->shared, top.sd_llc_shared);
	assert_ptr_not_equal(b.set.bottom[10]->shared, top.sd_llc_shared);
	assert_int_equal(top.sd_llc_shared->nr_busy_cpus, 4);
	assert_true(b.set.has_smt);
	top_domains_find(&top, NULL, 7, &domain_rules_54);
	assert_null(top.sd_llc);
	assert_int_equal(top.sd_llc_size, 1);
	assert_int_equal(top.sd_llc_id, 7);
	built_free(&b);
	fake_free(t);
}

static void test_top_domains_of_clusters_and_unequal_cpus(void **state)
{
	struct topology *t = big_little(1);
	struct top_domains top;
	struct built b;

	t->cpu[7].capacity = 600;
	for (uint32_t i = 0; i < 8; i++)
		t->cpu[i].cluster = i / 2;
	b = build_sound(t, &domain_rules_612);
	top_domains_find(&top, b.set.bottom[7], 7, &domain_rules_612);
	assert_int_equal(top.sd_llc_id, 4);
	assert_int_equal(top.sd_share_id, 6);
	/* the lowest that sees all three capacities, not two */
	assert_ptr_equal(top.sd_asym_cpucapacity, domain_named(&b, 7, "PKG"));
	built_free(&b);
	b = build_sound(t, &domain_rules_54);
	top_domains_find(&top, b.set.bottom[7], 7, &domain_rules_54);
	assert_ptr_equal(top.sd_asym_cpucapacity, domain_named(&b, 7, "DIE"));
	built_free(&b);
	fake_free(t);
}

/* --- memory --- */

static void test_the_memory_promised_is_enough_for_many_nodes(void **state)
{
	struct topology *t = in_a_row(24, 2, 1);
	struct built b;

	/* neighbours in number are on different nodes */
	for (uint32_t i = 0; i < t->ncpus; i++) {
		t->cpu[i].node = i % 24;
		t->cpu[i].llc = t->cpu[i].package = i % 24;
	}
	set_steps(t, true, 10);
	b = build_sound(t, &domain_rules_54);
	assert_int_equal(b.set.nlevels, 13);
	built_free(&b);
	b = build_sound(t, &domain_rules_612);
	built_free(&b);
	fake_free(t);
}

static void test_too_little_memory_is_reported(void **state)
{
	static const struct domain_start start = {.jiffies = 0, .hz = 1000};
	const struct domain_rules *rules = &domain_rules_61;
	struct topology *t = t4x4ring();
	size_t bytes = domains_bytes_max(t, rules), scratch = domains_scratch_bytes_max(t, rules);
	void *mem = malloc(bytes), *smem = malloc(scratch);
	struct built whole = build_sound(t, rules);
	struct domain_set set;
	struct arena a, s;

	for (size_t part = 0; part < 200; part++) {
		memset(mem, 0, bytes);
		arena_init(&a, mem, whole.a.used * part / 200);
		arena_init(&s, smem, scratch);
		assert_false(domains_build(&set, t, rules, &start, &a, &s));

		memset(mem, 0, bytes);
		arena_init(&a, mem, bytes);
		arena_init(&s, smem, whole.scratch.used * part / 200);
		assert_false(domains_build(&set, t, rules, &start, &a, &s));
	}
	built_free(&whole);
	free(mem);
	free(smem);
	fake_free(t);
}

static void test_a_lone_cpu_has_no_domain(void **state)
{
	struct topology *t = fake_machine(1, 1);
	struct built b = build_sound(t, &domain_rules_54);

	assert_null(b.set.bottom[0]);
	assert_int_equal(b.set.ngroups, 0);
	built_free(&b);
	fake_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_are_those_of_booted_kernels),
		cmocka_unit_test(test_groups_are_those_of_booted_kernels),
		cmocka_unit_test(test_a_ring_of_nodes_shares_what_groups_have_in_common),
		cmocka_unit_test(test_groups_remember_flags_as_their_kernel_does),
		cmocka_unit_test(test_imb_numa_nr_is_an_eighth_of_a_node_or_its_caches),
		cmocka_unit_test(test_numbers_of_every_level_of_5_4),
		cmocka_unit_test(test_clusters_are_a_level_from_6_1_on),
		cmocka_unit_test(test_nodes_inside_a_package_leave_out_die),
		cmocka_unit_test(test_what_is_of_no_use_is_dropped_as_in_5_4),
		cmocka_unit_test(test_only_5_4_asks_node_0_alone_for_distances),
		cmocka_unit_test(test_groups_stay_inside_the_span_from_6_1_on),
		cmocka_unit_test(test_far_nodes_are_only_balanced_with),
		cmocka_unit_test(test_the_last_cpu_links_a_shared_ring),
		cmocka_unit_test(test_5_4_marks_the_level_that_sees_the_greatest),
		cmocka_unit_test(test_a_dropped_level_leaves_prefer_sibling),
		cmocka_unit_test(test_6_1_asks_each_domain_for_unequal_cpus),
		cmocka_unit_test(test_priorities_pack_where_the_kernel_does),
		cmocka_unit_test(test_a_refresh_reaches_as_far_as_balancing_does),
		cmocka_unit_test(test_refreshes_are_bounded_by_the_longest_interval),
		cmocka_unit_test(test_the_first_capacities_come_from_the_last_cpu_down),
		cmocka_unit_test(test_top_domains_are_found),
		cmocka_unit_test(test_top_domains_of_clusters_and_unequal_cpus),
		cmocka_unit_test(test_the_memory_promised_is_enough_for_many_nodes),
		cmocka_unit_test(test_too_little_memory_is_reported),
		cmocka_unit_test(test_a_lone_cpu_has_no_domain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
