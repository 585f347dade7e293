/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 3.3 and 3.4 build differently; the levels themselves are in build_test.c. */
#include "support.h"

#include "sched/domain/fake_topology.h"

static void assert_chain(struct topology *t, uint32_t cpu, const char *expected)
{
	struct built b = build_fake(t, &domain_rules_full_span);
	char text[1024], why_text[256];
	struct buf out, why;

	buf_init(&out, text, sizeof(text));
	buf_init(&why, why_text, sizeof(why_text));
	assert_true(b.done);
	if (!domains_audit(&b.set, true, &why))
		fail_msg("%s", why_text);
	put_chain(&out, &b.set, cpu);
	assert_string_equal(text, expected);
	built_free(&b);
	fake_free(t);
}

static void test_two_sockets_have_the_levels_of_before(void **state)
{
	assert_chain(fake_sockets(2, 2, 2), 5,
		     "SIBLING 1,5: 5=589 1=589; MC 0-1,4-5: 1,5=1178 0,4=1178; "
		     "NODE 0-7: 0-1,4-5=2356 2-3,6-7=2356");
}

/* Nothing is built above the first level that spans every CPU. */
static void test_levels_end_at_the_first_full_span(void **state)
{
	struct topology *t = fake_machine(2, 1);

	t->cpu[1].core = 0;
	t->cpu[1].llc = 0;
	assert_chain(t, 0, "SIBLING 0-1: 0=589 1=589");
	assert_chain(fake_sockets(1, 4, 1), 2, "MC 0-3: 2=1024 3=1024 0=1024 1=1024");
}

/* A node of one group, its neighbour having memory only, is not reached. */
static void test_memory_only_neighbours_add_no_level(void **state)
{
	struct topology *t = fake_machine(2, 2);

	t->cpu[0].llc = t->cpu[1].llc = 0;
	t->cpu[0].node = t->cpu[1].node = 0;
	assert_chain(t, 1, "MC 0-1: 1=1024 0=1024");
}

/* Groups of nodes follow their first CPUs from the own node on, whatever the nodes' numbers. */
static void test_node_rings_follow_first_cpus(void **state)
{
	static const uint32_t node[] = {2, 0, 1, 3};

	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		struct topology *t = fake_machine(4, 4);

		for (uint32_t i = 0; i < 4; i++)
			t->cpu[i].node = node[i];
		assert_chain(t, cpu,
			     cpu ? "NODE 0-3: 1=1024 2=1024 3=1024 0=1024" :
				   "NODE 0-3: 0=1024 1=1024 2=1024 3=1024");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_sockets_have_the_levels_of_before),
		cmocka_unit_test(test_levels_end_at_the_first_full_span),
		cmocka_unit_test(test_memory_only_neighbours_add_no_level),
		cmocka_unit_test(test_node_rings_follow_first_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
