/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines and the chains a classic kernel builds for them. A chain is written
 *	LEVEL SPAN: GROUP=POWER GROUP=POWER ...; LEVEL ...
 * with the CPU's own group first.
 */
#include "support.h"

#include "sched/domain/fake_topology.h"

#define RULES (&domain_rules_classic)
static const struct domain_start START = {.jiffies = 0, .hz = 250};

static struct built build_sound(const struct topology *t)
{
	struct built b = build_fake(t, RULES);
	char text[256];
	struct buf why;

	buf_init(&why, text, sizeof(text));
	assert_true(b.done);
	if (!domains_audit(&b.set, true, &why))
		fail_msg("%s", text);
	return b;
}

static void assert_chain(const struct built *b, uint32_t cpu, const char *expected)
{
	static char text[1 << 16];
	struct buf out;

	buf_init(&out, text, sizeof(text));
	put_chain(&out, &b->set, cpu);
	assert_false(out.cut);
	assert_string_equal(text, expected);
}

static const struct sched_domain *level_named(const struct built *b, uint32_t cpu, const char *name)
{
	const struct sched_domain *sd = b->set.bottom[cpu];

	while (sd && strcmp(sd->name, name) != 0)
		sd = sd->parent;
	assert_non_null(sd);
	return sd;
}

static uint32_t ring_length(const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;
	uint32_t n = 0;

	do {
		n++;
		g = g->next;
	} while (g != sd->groups);
	return n;
}

struct chain_row {
	uint32_t cpu;
	const char *chain;
};

static void check_and_free(struct topology *t, const struct chain_row *row, size_t rows)
{
	struct built b = build_sound(t);

	for (size_t i = 0; i < rows; i++)
		assert_chain(&b, row[i].cpu, row[i].chain);
	built_free(&b);
	fake_free(t);
}

#define CHECK_CHAINS(t, rows) check_and_free(t, rows, sizeof(rows) / sizeof((rows)[0]))

static void test_nhm_ep_has_sibling_mc_node(void **state)
{
	static const struct chain_row rows[] = {
		{0, "SIBLING 0,8: 0=589 8=589; "
		    "MC 0-3,8-11: 0,8=1178 1,9=1178 2,10=1178 3,11=1178; "
		    "NODE 0-15: 0-3,8-11=4712 4-7,12-15=4712"},
		{13, "SIBLING 5,13: 13=589 5=589; "
		     "MC 4-7,12-15: 5,13=1178 6,14=1178 7,15=1178 4,12=1178; "
		     "NODE 0-15: 4-7,12-15=4712 0-3,8-11=4712"},
	};

	CHECK_CHAINS(fake_sockets(2, 4, 2), rows);
}

static void test_wsm_ep_and_snb_ep_node_powers(void **state)
{
	static const struct {
		uint32_t cores, span, power;
	} rows[] = {{6, 24, 7068}, {8, 32, 9424}};

	for (size_t i = 0; i < 2; i++) {
		struct topology *t = fake_sockets(2, rows[i].cores, 2);
		struct built b = build_sound(t);
		const struct sched_domain *node = level_named(&b, 1, "NODE");

		assert_int_equal(b.set.nlevels, 3);
		assert_int_equal(node->span_weight, rows[i].span);
		assert_int_equal(node->groups->cpu_power, rows[i].power);
		assert_int_equal(level_named(&b, 1, "MC")->span_weight, rows[i].cores * 2);
		built_free(&b);
		fake_free(t);
	}
}

static void test_numbers_of_every_level(void **state)
{
	static const struct {
		const char *name;
		uint32_t flags, pct, busy, idle, factor, tries, gain, min, max, interval;
	} rows[] = {
		{"SIBLING", 0x2af, 110, 0, 0, 64, 0, 1178, 1, 2, 1},
		{"MC", 0x122f, 125, 2, 0, 64, 1, 0, 1, 4, 1},
		{"CPU", 0x102f, 125, 2, 1, 64, 1, 0, 1, 4, 1},
		{"NODE", 0x42f, 125, 3, 2, 32, 2, 0, 8, 32, 1},
		{"ALLNODES", 0x403, 133, 3, 3, 128, 1, 0, 64, 64 * 136, 64},
	};
	/* 17 nodes of two caches of two cores of two threads. */
	struct topology *t = fake_machine(136, 17);
	struct built b;

	for (uint32_t i = 0; i < 136; i++) {
		t->cpu[i].core = i / 2;
		t->cpu[i].llc = i / 4;
		t->cpu[i].node = i / 8;
	}
	b = build_sound(t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sched_domain *sd = level_named(&b, 77, rows[i].name);

		assert_int_equal(sd->level, i);
		assert_int_equal(sd->flags, rows[i].flags);
		assert_int_equal(sd->imbalance_pct, rows[i].pct);
		assert_int_equal(sd->busy_idx, rows[i].busy);
		assert_int_equal(sd->idle_idx, rows[i].idle);
		assert_int_equal(sd->newidle_idx, 0);
		assert_int_equal(sd->busy_factor, rows[i].factor);
		assert_int_equal(sd->cache_nice_tries, rows[i].tries);
		assert_int_equal(sd->smt_gain, rows[i].gain);
		assert_int_equal(sd->min_interval_ms, rows[i].min);
		assert_int_equal(sd->max_interval_ms, rows[i].max);
		assert_int_equal(sd->balance_interval_ms, rows[i].interval);
		assert_int_equal(sd->last_balance, 300);
		assert_int_equal(sd->nr_balance_failed, 0);
	}
	built_free(&b);
	fake_free(t);
}

static void test_one_cpu_has_no_domain(void **state)
{
	struct topology *t = fake_machine(1, 1);
	struct built b = build_sound(t);

	assert_null(b.set.bottom[0]);
	assert_int_equal(b.set.ngroups, 0);
	assert_int_equal(b.set.nlevels, 0);
	built_free(&b);
	fake_free(t);
}

static void test_no_cpu_online_has_no_domain(void **state)
{
	struct topology *t = fake_machine(2, 1);
	struct built b;

	fake_offline(t, 0);
	fake_offline(t, 1);
	b = build_sound(t);
	assert_null(b.set.bottom[0]);
	assert_null(b.set.bottom[1]);
	built_free(&b);
	fake_free(t);
}

static void test_without_smt_the_base_is_mc_of_whole_cpus(void **state)
{
	static const struct chain_row rows[] = {
		{1, "MC 0-1: 1=1024 0=1024; NODE 0-3: 0-1=2048 2-3=2048"},
	};

	CHECK_CHAINS(fake_sockets(2, 2, 1), rows);
}

/* Four CPUs without shared cache: only CPU remains. */
static void test_cpus_sharing_nothing_have_cpu_only(void **state)
{
	static const struct chain_row rows[] = {
		{2, "CPU 0-3: 2=1024 3=1024 0=1024 1=1024"},
	};

	CHECK_CHAINS(fake_machine(4, 1), rows);
}

/* SIBLING does not prefer siblings, MC does, so MC stays although it adds no CPU. */
static void test_lone_hyperthreaded_core_keeps_mc_of_one_group(void **state)
{
	static const struct chain_row rows[] = {
		{0, "SIBLING 0-1: 0=589 1=589; MC 0-1: 0-1=1178"},
	};
	struct topology *t = fake_machine(2, 1);

	t->cpu[1].core = 0;
	t->cpu[1].llc = 0;
	CHECK_CHAINS(t, rows);
}

static void test_four_threads_share_the_smt_gain(void **state)
{
	static const struct chain_row rows[] = {
		{0, "SIBLING 0,2,4,6: 0=294 2=294 4=294 6=294; MC 0-7: 0,2,4,6=1176 1,3,5,7=1176"},
	};

	CHECK_CHAINS(fake_sockets(1, 2, 4), rows);
}

/* Two packages with a cache each in one node: the node's CPU level joins them. */
static void test_two_sockets_in_one_node_meet_at_cpu(void **state)
{
	static const struct chain_row rows[] = {
		{3, "MC 2-3: 3=1024 2=1024; CPU 0-3: 2-3=2048 0-1=2048"},
	};
	struct topology *t = fake_machine(4, 1);

	for (uint32_t i = 0; i < 4; i++)
		t->cpu[i].llc = t->cpu[i].package = i / 2;
	CHECK_CHAINS(t, rows);
}

/* One package of two nodes with a cache each: the package is no level. */
static void test_two_nodes_in_one_package_meet_at_node(void **state)
{
	static const struct chain_row rows[] = {
		{0, "MC 0-1: 0=1024 1=1024; NODE 0-3: 0-1=2048 2-3=2048"},
	};
	struct topology *t = fake_machine(4, 2);

	for (uint32_t i = 0; i < 4; i++)
		t->cpu[i].llc = t->cpu[i].node = i / 2;
	CHECK_CHAINS(t, rows);
}

static void test_cache_across_nodes_is_cut_at_the_node(void **state)
{
	static const struct chain_row rows[] = {
		{3, "MC 2-3: 3=1024 2=1024; NODE 0-3: 2-3=2048 0-1=2048"},
	};
	struct topology *t = fake_machine(4, 2);

	for (uint32_t i = 0; i < 4; i++) {
		t->cpu[i].llc = 0;
		t->cpu[i].node = i / 2;
	}
	CHECK_CHAINS(t, rows);
}

static void test_asymmetric_caches_give_groups_of_their_sizes(void **state)
{
	static const struct chain_row rows[] = {
		{0, "MC 0-1: 0=1024 1=1024; CPU 0-6: 0-1=2048 2-5=4096 6=1024"},
		{4, "MC 2-5: 4=1024 5=1024 2=1024 3=1024; CPU 0-6: 2-5=4096 6=1024 0-1=2048"},
		{6, "CPU 0-6: 6=1024 0-1=2048 2-5=4096"},
	};
	static const uint32_t llc[] = {0, 0, 1, 1, 1, 1, 2};
	struct topology *t = fake_machine(7, 1);

	for (uint32_t i = 0; i < 7; i++)
		t->cpu[i].llc = llc[i];
	CHECK_CHAINS(t, rows);
}

static void test_offline_cpus_are_nowhere(void **state)
{
	/* 2x2x2: cores 0,4 1,5 | 2,6 3,7 */
	static const struct chain_row rows[] = {
		{0, "MC 0-1,5: 0=1024 1,5=1178; NODE 0-1,3,5-7: 0-1,5=2202 3,6-7=2202"},
		{5, "SIBLING 1,5: 5=589 1=589; MC 0-1,5: 1,5=1178 0=1024; "
		    "NODE 0-1,3,5-7: 0-1,5=2202 3,6-7=2202"},
		{4, ""},
	};
	struct topology *t = fake_sockets(2, 2, 2);

	fake_offline(t, 4);
	fake_offline(t, 2);
	CHECK_CHAINS(t, rows);
}

static void test_cpu_numbers_may_have_holes(void **state)
{
	static const struct chain_row rows[] = {
		{70, "MC 3,70: 70=1024 3=1024; NODE 3,9,70,128: 3,70=2048 9,128=2048"},
		{4, ""},
	};
	struct topology *t = fake_machine(129, 2);

	for (uint32_t i = 0; i < 129; i++) {
		t->cpu[i].present = t->cpu[i].online = i == 3 || i == 9 || i == 70 || i == 128;
		t->cpu[i].llc = t->cpu[i].node = i == 9 || i == 128;
	}
	t->nonline = t->npresent = 4;
	CHECK_CHAINS(t, rows);
}

/* Rings follow node numbers from the own node on, whatever CPUs are in them. */
static void test_node_ring_is_in_order_of_node_number(void **state)
{
	static const struct chain_row rows[] = {
		{0, "NODE 0-3: 0=1024 3=1024 1=1024 2=1024"},
		{1, "NODE 0-3: 1=1024 2=1024 0=1024 3=1024"},
	};
	static const uint32_t node[] = {2, 0, 1, 3};
	struct topology *t = fake_machine(4, 4);

	for (uint32_t i = 0; i < 4; i++)
		t->cpu[i].node = node[i];
	CHECK_CHAINS(t, rows);
}

static void test_each_node_has_groups_of_its_own(void **state)
{
	struct topology *t = fake_sockets(2, 2, 1);
	struct built b = build_sound(t);
	const struct sched_domain *zero = level_named(&b, 0, "NODE");
	const struct sched_domain *one = level_named(&b, 2, "NODE");

	assert_ptr_equal(level_named(&b, 1, "NODE")->groups, zero->groups);
	assert_ptr_not_equal(zero->groups->next, one->groups);
	assert_true(mask_equal(zero->groups->next->cpus, one->groups->cpus));
	assert_ptr_equal(zero->span, one->span);
	built_free(&b);
	fake_free(t);
}

static void test_ladder_of_eight_nodes_is_one_node_level(void **state)
{
	static const struct chain_row rows[] = {
		{6, "MC 6-7: 6=1024 7=1024; NODE 0-15: 6-7=2048 8-9=2048 10-11=2048 "
		    "12-13=2048 14-15=2048 0-1=2048 2-3=2048 4-5=2048"},
	};
	struct topology *t = fake_sockets(8, 2, 1);

	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t j = 0; j < 8; j++)
			fake_distance(t, i, j, (uint8_t)(10 + 6 * (i > j ? i - j : j - i)));
	CHECK_CHAINS(t, rows);
}

/* One NODE of one group: other nodes exist, so SERIALIZE counts as a reason to stay. */
static void test_memory_only_neighbour_leaves_a_node_of_one_group(void **state)
{
	static const struct chain_row rows[] = {
		{0, "MC 0-1: 0=1024 1=1024; NODE 0-1: 0-1=2048"},
	};
	struct topology *t = fake_machine(2, 2);

	t->cpu[1].llc = 0;
	t->node[1].memory_only = true;
	CHECK_CHAINS(t, rows);
}

static void test_lone_node_with_a_number_above_zero_keeps_node(void **state)
{
	static const struct chain_row rows[] = {
		{0, "MC 0-1: 0=1024 1=1024; NODE 0-1: 0-1=2048"},
	};
	struct topology *t = fake_machine(2, 1);

	t->cpu[1].llc = 0;
	t->node[0].os_id = 1;
	CHECK_CHAINS(t, rows);
}

static void test_memory_only_node_in_the_middle_is_skipped(void **state)
{
	static const struct chain_row rows[] = {
		{2, "MC 2-3: 2=1024 3=1024; NODE 0-3: 2-3=2048 0-1=2048"},
	};
	struct topology *t = fake_machine(4, 3);

	for (uint32_t i = 0; i < 4; i++) {
		t->cpu[i].llc = i / 2;
		t->cpu[i].node = i / 2 * 2;
	}
	t->node[1].memory_only = true;
	CHECK_CHAINS(t, rows);
}

/* A node whose CPUs are all offline does not use up one of the sixteen places. */
static void test_nodes_without_online_cpu_do_not_count_among_sixteen(void **state)
{
	struct topology *t = fake_sockets(18, 1, 1);
	struct built b;

	fake_offline(t, 1);
	fake_offline(t, 17);
	b = build_sound(t);
	assert_int_equal(level_named(&b, 0, "NODE")->span_weight, 16);
	assert_int_equal(b.set.nlevels, 1);
	built_free(&b);
	fake_free(t);
}

static void assert_span(const struct sched_domain *sd, const char *expected)
{
	char text[512];
	struct buf out;

	buf_init(&out, text, sizeof(text));
	put_cpulist(&out, sd->span);
	assert_string_equal(text, expected);
}

/* All others equally far: the span is the sixteen from the own node on, wrapping. */
static void test_24_equal_nodes_span_sixteen_from_the_own_on(void **state)
{
	struct topology *t = fake_sockets(24, 2, 1);
	struct built b = build_sound(t);

	assert_span(level_named(&b, 0, "NODE"), "0-31");
	assert_span(level_named(&b, 20, "NODE"), "0-3,20-47");
	assert_span(level_named(&b, 20, "ALLNODES"), "0-47");
	assert_int_equal(ring_length(level_named(&b, 20, "NODE")), 16);
	assert_int_equal(ring_length(level_named(&b, 20, "ALLNODES")), 24);
	assert_int_equal(level_named(&b, 20, "NODE")->groups->next->cpu[0], 22);
	assert_int_equal(level_named(&b, 20, "ALLNODES")->groups->cpu_power, 2048);
	assert_int_equal(level_named(&b, 20, "ALLNODES")->max_interval_ms, 64 * 48);
	/* One ring for all at ALLNODES, one per node at NODE. */
	assert_int_equal(b.set.ngroups, 48 + 24 * 16 + 24);
	built_free(&b);
	fake_free(t);
}

/* Near nodes win over low numbers; the distance is read from the own node's row. */
static void test_64_nodes_on_a_line_span_the_nearest(void **state)
{
	struct topology *t = fake_sockets(64, 1, 1);
	struct built b;

	for (uint32_t i = 0; i < 64; i++)
		for (uint32_t j = 0; j < 64; j++)
			fake_distance(t, i, j, (uint8_t)(10 + (i > j ? i - j : j - i)));
	b = build_sound(t);
	/* Fifteen others: seven each side, and of the two at distance eight the higher first. */
	assert_span(level_named(&b, 30, "NODE"), "23-38");
	/* From 60 on, wrapping: 61, 62, 63, 0 ... so 59 ties with 61 and comes later. */
	assert_span(level_named(&b, 60, "NODE"), "48-63");
	assert_span(level_named(&b, 0, "NODE"), "0-15");
	assert_int_equal(level_named(&b, 30, "NODE")->groups->next->cpu[0], 31);
	built_free(&b);
	fake_free(t);
}

/* 17 nodes, the last of 3 CPUs: 19 CPUs are more than 16 * 1, not more than 16 * 3. */
static void test_only_cpus_of_small_nodes_have_allnodes(void **state)
{
	struct topology *t = fake_machine(19, 17);
	struct built b;

	for (uint32_t i = 0; i < 19; i++)
		t->cpu[i].node = i < 16 ? i : 16;
	b = build_sound(t);
	assert_string_equal(b.set.bottom[3]->parent->name, "ALLNODES");
	assert_null(b.set.bottom[18]->parent->parent);
	assert_string_equal(b.set.bottom[18]->parent->name, "NODE");
	built_free(&b);
	fake_free(t);
}

static void test_too_little_memory_is_reported(void **state)
{
	struct topology *t = fake_sockets(4, 4, 2);
	size_t bytes = domains_bytes_max(t, RULES), scratch = domains_scratch_bytes_max(t, RULES);
	void *mem = malloc(bytes), *smem = malloc(scratch);
	struct built whole = build_sound(t);
	struct domain_set set;
	struct arena a, s;

	for (size_t part = 0; part < 50; part++) {
		memset(mem, 0, bytes);
		arena_init(&a, mem, whole.a.used * part / 50);
		arena_init(&s, smem, scratch);
		assert_false(domains_build(&set, t, RULES, &START, &a, &s));
		assert_true(a.failed);

		memset(mem, 0, bytes);
		arena_init(&a, mem, bytes);
		arena_init(&s, smem, whole.scratch.used * part / 50);
		assert_false(domains_build(&set, t, RULES, &START, &a, &s));
		assert_true(s.failed);
	}
	built_free(&whole);
	free(mem);
	free(smem);
	fake_free(t);
}

static void test_4096_cpus_share_spans_and_groups(void **state)
{
	struct topology *t = fake_sockets(64, 32, 2);
	struct built b = build_fake(t, RULES);

	assert_true(b.done);
	assert_int_equal(b.set.ndomains, 4096 * 4);
	assert_int_equal(b.set.ngroups, 4096 + 2048 + 64 * 16 + 64);
	assert_ptr_equal(level_named(&b, 0, "MC")->span, level_named(&b, 31, "MC")->span);
	assert_true(b.a.used < 4096 * 4096);
	built_free(&b);
	fake_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nhm_ep_has_sibling_mc_node),
		cmocka_unit_test(test_wsm_ep_and_snb_ep_node_powers),
		cmocka_unit_test(test_numbers_of_every_level),
		cmocka_unit_test(test_one_cpu_has_no_domain),
		cmocka_unit_test(test_no_cpu_online_has_no_domain),
		cmocka_unit_test(test_without_smt_the_base_is_mc_of_whole_cpus),
		cmocka_unit_test(test_cpus_sharing_nothing_have_cpu_only),
		cmocka_unit_test(test_lone_hyperthreaded_core_keeps_mc_of_one_group),
		cmocka_unit_test(test_four_threads_share_the_smt_gain),
		cmocka_unit_test(test_two_sockets_in_one_node_meet_at_cpu),
		cmocka_unit_test(test_two_nodes_in_one_package_meet_at_node),
		cmocka_unit_test(test_cache_across_nodes_is_cut_at_the_node),
		cmocka_unit_test(test_asymmetric_caches_give_groups_of_their_sizes),
		cmocka_unit_test(test_offline_cpus_are_nowhere),
		cmocka_unit_test(test_cpu_numbers_may_have_holes),
		cmocka_unit_test(test_node_ring_is_in_order_of_node_number),
		cmocka_unit_test(test_each_node_has_groups_of_its_own),
		cmocka_unit_test(test_ladder_of_eight_nodes_is_one_node_level),
		cmocka_unit_test(test_memory_only_neighbour_leaves_a_node_of_one_group),
		cmocka_unit_test(test_lone_node_with_a_number_above_zero_keeps_node),
		cmocka_unit_test(test_memory_only_node_in_the_middle_is_skipped),
		cmocka_unit_test(test_nodes_without_online_cpu_do_not_count_among_sixteen),
		cmocka_unit_test(test_24_equal_nodes_span_sixteen_from_the_own_on),
		cmocka_unit_test(test_64_nodes_on_a_line_span_the_nearest),
		cmocka_unit_test(test_only_cpus_of_small_nodes_have_allnodes),
		cmocka_unit_test(test_too_little_memory_is_reported),
		cmocka_unit_test(test_4096_cpus_share_spans_and_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
