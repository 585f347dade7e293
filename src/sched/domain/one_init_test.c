/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 3.16 to 4.0 build: levels by name, numbers by span, NUMA levels by distance. */
#include "support.h"

#include "sched/domain/fake_topology.h"

static struct built build_sound(const struct topology *t)
{
	struct built b = build_fake(t, &domain_rules_one_init);
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
	char text[1024];
	struct buf out;

	buf_init(&out, text, sizeof(text));
	put_chain(&out, &b->set, cpu);
	assert_false(out.cut);
	assert_string_equal(text, expected);
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

/* NNODES nodes of one CPU each, D between neighbours in a row (or a ring), D more for each step. */
static struct topology *chain_of_nodes(uint32_t nnodes, bool ring, uint32_t d)
{
	struct topology *t = fake_machine(nnodes, nnodes);

	for (uint32_t i = 0; i < nnodes; i++) {
		t->cpu[i].node = i;
		for (uint32_t j = 0; j < nnodes; j++) {
			uint32_t steps = i > j ? i - j : j - i;

			if (ring && steps > nnodes - steps)
				steps = nnodes - steps;
			fake_distance(t, i, j, (uint8_t)(10 + d * steps));
		}
	}
	return t;
}

static const struct sched_domain *level_at(const struct built *b, uint32_t cpu, uint32_t level)
{
	const struct sched_domain *sd = b->set.bottom[cpu];

	while (sd && sd->level != level)
		sd = sd->parent;
	assert_non_null(sd);
	return sd;
}

static void test_two_sockets_have_smt_mc_numa(void **state)
{
	static const struct chain_row rows[] = {
		{5, "SMT 1,5: 5=589 1=589; MC 0-1,4-5: 1,5=1178 0,4=1178; "
		    "NUMA 0-7: 0-1,4-5=2356 2-3,6-7=2356"},
		{3, "SMT 3,7: 3=589 7=589; MC 2-3,6-7: 3,7=1178 2,6=1178; "
		    "NUMA 0-7: 2-3,6-7=2356 0-1,4-5=2356"},
	};

	CHECK_CHAINS(fake_sockets(2, 2, 2), rows);
}

/* Two caches in each of two nodes: no level is dropped. */
static struct topology *all_levels(void)
{
	struct topology *t = fake_sockets(2, 4, 2);

	for (uint32_t i = 0; i < t->ncpus; i++)
		t->cpu[i].llc = t->cpu[i].core / 2;
	return t;
}

static void test_numbers_of_every_level(void **state)
{
	static const struct {
		const char *name;
		uint32_t flags, pct, busy, idle, tries, gain, min;
	} rows[] = {
		{"SMT", 0x2af, 110, 0, 0, 0, 1178, 2},
		{"MC", 0x22f, 117, 2, 0, 1, 0, 4},
		{"DIE", 0x102f, 125, 2, 1, 1, 0, 8},
		{"NUMA", 0x642f, 125, 3, 2, 2, 0, 16},
	};
	struct topology *t = all_levels();
	struct built b = build_sound(t);

	for (uint32_t i = 0; i < 4; i++) {
		const struct sched_domain *sd = level_at(&b, 0, i);

		assert_string_equal(sd->name, rows[i].name);
		assert_int_equal(sd->flags, rows[i].flags);
		assert_int_equal(sd->imbalance_pct, rows[i].pct);
		assert_int_equal(sd->busy_idx, rows[i].busy);
		assert_int_equal(sd->idle_idx, rows[i].idle);
		assert_int_equal(sd->newidle_idx, 0);
		assert_int_equal(sd->wake_idx, 0);
		assert_int_equal(sd->forkexec_idx, 0);
		assert_int_equal(sd->busy_factor, 32);
		assert_int_equal(sd->cache_nice_tries, rows[i].tries);
		assert_int_equal(sd->smt_gain, rows[i].gain);
		assert_int_equal(sd->min_interval_ms, rows[i].min);
		assert_int_equal(sd->max_interval_ms, 2 * rows[i].min);
		assert_int_equal(sd->balance_interval_ms, rows[i].min);
		assert_int_equal(sd->span_weight, rows[i].min);
	}
	built_free(&b);
	fake_free(t);
}

/* DIE is MC again and goes, but MC then spreads tasks over cores as DIE would have. */
static void test_a_dropped_die_leaves_prefer_sibling_to_mc(void **state)
{
	struct topology *t = fake_sockets(2, 4, 1), *alone = fake_sockets(1, 4, 1);
	struct built b = build_sound(t), one = build_sound(alone);

	assert_string_equal(level_at(&b, 0, 0)->name, "MC");
	assert_true(level_at(&b, 0, 0)->flags & SD_PREFER_SIBLING);
	/* where MC spans all, DIE was never built */
	assert_string_equal(level_at(&one, 0, 0)->name, "MC");
	assert_false(level_at(&one, 0, 0)->flags & SD_PREFER_SIBLING);
	built_free(&b);
	built_free(&one);
	fake_free(t);
	fake_free(alone);
}

/*
 *	0 - 1
 *	|   |	A level for one step, of three nodes each, and one for two; their groups overlap.
 *	3 - 2
 */
static void test_a_ring_of_nodes_has_overlapping_groups(void **state)
{
	static const struct chain_row rows[] = {
		{0, "NUMA 0-1,3: 0=1024 1=1024 3=1024; NUMA 0-3: 0-1,3=3072 1-3=3072"},
		/* first of a group: that is its own, though its lower domain spans 0-2 */
		{1, "NUMA 0-2: 1=1024 2=1024 0=1024; NUMA 0-3: 1-3=3072 0-1,3=3072"},
		{2, "NUMA 1-3: 2=1024 3=1024 1=1024; NUMA 0-3: 1-3=3072 0-1,3=3072"},
		{3, "NUMA 0,2-3: 3=1024 0=1024 2=1024; NUMA 0-3: 0-1,3=3072 1-3=3072"},
	};

	CHECK_CHAINS(chain_of_nodes(4, true, 10), rows);
}

/*
 * 0 - 1 - 2 - 3: the inner nodes reach all in two steps and have no level for three. Groups are
 * what lies below of the first CPU not held yet, even if that is more than the span.
 */
static void test_nodes_in_the_middle_have_fewer_levels(void **state)
{
	static const struct chain_row rows[] = {
		{0, "NUMA 0-1: 0=1024 1=1024; NUMA 0-2: 0-1=2048 1-3=3072; "
		    "NUMA 0-3: 0-2=3072 1-3=3072"},
		{1, "NUMA 0-2: 1=1024 2=1024 0=1024; NUMA 0-3: 1-3=3072 0-1=2048"},
		{2, "NUMA 1-3: 2=1024 3=1024 1=1024; NUMA 0-3: 1-3=3072 0-1=2048"},
		{3, "NUMA 2-3: 3=1024 2=1024; NUMA 1-3: 2-3=2048 0-2=3072; "
		    "NUMA 0-3: 1-3=3072 0-2=3072"},
	};

	CHECK_CHAINS(chain_of_nodes(4, false, 5), rows);
}

/* Beyond a distance of 30 a node is not forked, executed or woken to. */
static void test_far_nodes_are_only_balanced_with(void **state)
{
	static const struct {
		uint32_t d, flags;
	} rows[] = {{20, 0x642f}, {21, 0x6403}};

	for (size_t i = 0; i < 2; i++) {
		struct topology *t = chain_of_nodes(2, false, rows[i].d);
		struct built b = build_sound(t);

		assert_string_equal(level_at(&b, 0, 0)->name, "NUMA");
		assert_int_equal(level_at(&b, 0, 0)->flags, rows[i].flags);
		assert_int_equal(level_at(&b, 0, 0)->cache_nice_tries, 2);
		built_free(&b);
		fake_free(t);
	}
}

/* Distances are node 0's: another pair that is further apart is in no domain together. */
static void test_only_distances_of_node_0_make_levels(void **state)
{
	static const struct chain_row rows[] = {
		{0, "NUMA 0-2: 0=1024 1=1024 2=1024"},
		{1, "NUMA 0-1: 1=1024 0=1024"},
		{2, "NUMA 0,2: 2=1024 0=1024"},
	};
	struct topology *t = chain_of_nodes(3, true, 10);

	fake_distance(t, 1, 2, 40);
	fake_distance(t, 2, 1, 40);
	CHECK_CHAINS(t, rows);
}

/* Memory alone makes a level of distance, but no CPU gains anything from it. */
static void test_memory_only_nodes_add_no_level(void **state)
{
	static const struct chain_row rows[] = {{1, "NUMA 0-1: 1=1024 0=1024"}};
	struct topology *t = fake_machine(2, 3);

	t->cpu[1].node = 1;
	fake_distance(t, 0, 2, 15);
	fake_distance(t, 1, 2, 15);
	fake_distance(t, 2, 0, 15);
	fake_distance(t, 2, 1, 15);
	CHECK_CHAINS(t, rows);
}

static void test_the_memory_promised_is_enough_for_many_nodes(void **state)
{
	struct topology *t = chain_of_nodes(24, true, 10);
	struct built b = build_sound(t);

	assert_int_equal(b.set.nlevels, 12);
	built_free(&b);
	fake_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_sockets_have_smt_mc_numa),
		cmocka_unit_test(test_numbers_of_every_level),
		cmocka_unit_test(test_a_dropped_die_leaves_prefer_sibling_to_mc),
		cmocka_unit_test(test_a_ring_of_nodes_has_overlapping_groups),
		cmocka_unit_test(test_nodes_in_the_middle_have_fewer_levels),
		cmocka_unit_test(test_far_nodes_are_only_balanced_with),
		cmocka_unit_test(test_only_distances_of_node_0_make_levels),
		cmocka_unit_test(test_memory_only_nodes_add_no_level),
		cmocka_unit_test(test_the_memory_promised_is_enough_for_many_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
