/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each invariant is broken once by hand; the audit must name it. */
#include "support.h"

#include "sched/domain/fake_topology.h"

static void break_level(struct domain_set *s)
{
	s->bottom[1]->parent->level = 7;
}

static void break_child(struct domain_set *s)
{
	s->bottom[1]->parent->child = NULL;
}

static void break_weight(struct domain_set *s)
{
	s->bottom[2]->span_weight++;
}

static void break_span(struct domain_set *s)
{
	s->bottom[0]->span = s->bottom[1]->span;
}

static void break_own_group(struct domain_set *s)
{
	s->bottom[3]->groups = s->bottom[3]->groups->next;
}

static void break_ring(struct domain_set *s)
{
	s->bottom[3]->groups->next = NULL;
}

static void break_ring_end(struct domain_set *s)
{
	struct sched_group *second = s->bottom[0]->parent->groups->next;

	second->next = second;
}

static void break_partition(struct domain_set *s)
{
	struct sched_group *g = s->bottom[0]->parent->groups;

	g->next->cpus = g->cpus;
	g->next->cpu = g->cpu;
}

static void break_cover(struct domain_set *s)
{
	s->bottom[0]->parent->groups->next = s->bottom[0]->parent->groups;
}

static void break_list(struct domain_set *s)
{
	struct sched_group *g = s->bottom[0]->parent->groups;

	g->cpu = g->next->cpu;
}

static void break_id(struct domain_set *s)
{
	s->bottom[0]->groups->id++;
}

static void break_power(struct domain_set *s)
{
	s->bottom[0]->parent->groups->cpu_power++;
}

static void break_count(struct domain_set *s)
{
	s->ndomains++;
}

static void test_every_broken_invariant_is_named(void **state)
{
	static const struct {
		void (*damage)(struct domain_set *s);
		const char *why;
	} rows[] = {
		{break_level, "cpu 1 level 7 MC: levels do not count up"},
		{break_child, "cpu 1 level 0 SIBLING: the parent does not know its child"},
		{break_weight, "cpu 2 level 0 SIBLING: span_weight is not the span's weight"},
		{break_span, "cpu 0 level 0 SIBLING: the span misses the CPU"},
		{break_own_group,
		 "cpu 3 level 0 SIBLING: the ring does not start at the CPU's own group"},
		{break_ring, "cpu 3 level 0 SIBLING: the ring of groups is broken"},
		{break_ring_end, "cpu 0 level 1 MC: the ring of groups does not close"},
		{break_partition, "cpu 0 level 1 MC: a CPU of the span is in two groups"},
		{break_cover, "cpu 0 level 1 MC: a CPU of the span is in no group"},
		{break_list, "cpu 1 level 1 MC: a group's list and mask differ"},
		{break_id, "cpu 0 level 0 SIBLING: a group's id is not its index"},
		{break_power, "cpu 0 level 1 MC: the own group's power is not the sum of the "
			      "domain below"},
		{break_count, "cpu 0: ndomains is not the number of domains"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topology *t = fake_sockets(2, 2, 2);
		struct built b = build_fake(t, &domain_rules_classic);
		char text[256];
		struct buf why;

		buf_init(&why, text, sizeof(text));
		assert_true(domains_audit(&b.set, true, &why));
		rows[i].damage(&b.set);
		assert_false(domains_audit(&b.set, true, &why));
		assert_string_equal(text, rows[i].why);
		built_free(&b);
		fake_free(t);
	}
}

/* --- kernels that share capacities: a ring of four nodes of two CPUs --- */

static struct sched_group *top_group(struct domain_set *s)
{
	return s->bottom[0]->parent->parent->groups;
}

static void break_sharing(struct domain_set *s)
{
	s->bottom[1]->groups->sgc = NULL;
}

static void break_index(struct domain_set *s)
{
	s->sgc[1] = s->sgc[0];
}

static void break_balance_mask(struct domain_set *s)
{
	top_group(s)->sgc->balance_mask = top_group(s)->next->cpus;
}

static void break_sgc_id(struct domain_set *s)
{
	top_group(s)->sgc->id = 1;
}

static void break_whole_mask(struct domain_set *s)
{
	s->bottom[0]->groups->next->sgc->balance_mask = s->bottom[0]->span;
}

static void break_order(struct domain_set *s)
{
	top_group(s)->sgc->min_capacity = top_group(s)->sgc->max_capacity + 1;
}

static void break_cores(struct domain_set *s)
{
	top_group(s)->next->cores = 9;
}

static void break_sharers(struct domain_set *s)
{
	/* of the same mask, but with other CPUs */
	top_group(s)->sgc = s->bottom[0]->parent->groups->sgc;
}

static void break_child_span(struct domain_set *s)
{
	s->bottom[0]->parent->groups->cpus = s->bottom[0]->groups->cpus;
}

static void break_right_to_balance(struct domain_set *s)
{
	s->bottom[1]->groups->sgc->balance_mask = s->bottom[0]->groups->cpus;
}

static void break_cache(struct domain_set *s)
{
	s->bottom[2]->shared = NULL;
}

static void break_cache_id(struct domain_set *s)
{
	s->bottom[2]->shared->id = 3;
}

static void break_busy(struct domain_set *s)
{
	s->bottom[2]->shared->nr_busy_cpus--;
}

static void break_sum(struct domain_set *s)
{
	s->bottom[4]->parent->groups->sgc->capacity += 7;
}

static void break_cover_of_nodes(struct domain_set *s)
{
	/* node 1 has a domain at this level, too */
	struct sched_group *near = s->bottom[0]->parent->groups;

	near->next = near->next->next;
}

static struct topology *ring_of_nodes(void)
{
	struct topology *t = fake_machine(8, 4);

	for (uint32_t i = 0; i < 8; i++)
		t->cpu[i].node = t->cpu[i].llc = t->cpu[i].package = i / 2;
	for (uint32_t i = 0; i < 4; i++)
		fake_distance(t, i, (i + 2) % 4, 30);
	return t;
}

static void test_every_broken_share_is_named(void **state)
{
	static const struct {
		void (*damage)(struct domain_set *s);
		const char *why;
	} rows[] = {
		{break_sharing, "cpu 0 level 0 MC: some groups share a capacity and some do not"},
		{break_index, "a group's shared capacity is not in the index once"},
		{break_balance_mask,
		 "cpu 0 level 2 NUMA: the CPU may not balance for its own group"},
		{break_sgc_id,
		 "cpu 0 level 2 NUMA: a shared capacity's id is not the first CPU that "
		 "may balance"},
		{break_whole_mask,
		 "cpu 0 level 0 MC: a balance mask is empty or reaches out of its group"},
		{break_order, "cpu 0 level 2 NUMA: a group's capacities are out of order"},
		{break_cores, "cpu 0 level 2 NUMA: a group has no core or more cores than CPUs"},
		{break_sharers, "groups of different CPUs share a capacity"},
		{break_child_span, "cpu 0 level 1 NUMA: the own group is not what the child spans"},
		{break_right_to_balance,
		 "cpu 0 level 0 MC: a balance mask is empty or reaches out of its group"},
		{break_cache, "cpu 2 level 0 MC: a shared cache and its object are not together"},
		{break_cache_id, "cpu 2 level 0 MC: the cache's object is another span's"},
		{break_busy, "cpu 2 level 0 MC: not all CPUs of a cache are busy at start"},
		{break_sum, "the own group's capacity is not the sum of the domain below"},
		{break_cover_of_nodes, "cpu 0 level 1 NUMA: a CPU of the span is in no group"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct topology *t = ring_of_nodes();
		struct built b = build_fake(t, &domain_rules_54);
		char text[256];
		struct buf why;

		buf_init(&why, text, sizeof(text));
		assert_true(domains_audit(&b.set, true, &why));
		rows[i].damage(&b.set);
		assert_false(domains_audit(&b.set, true, &why));
		if (!strstr(text, rows[i].why))
			fail_msg("row %zu: \"%s\", expected \"%s\"", i, text, rows[i].why);
		built_free(&b);
		fake_free(t);
	}
}

static void test_only_overlapping_groups_have_other_balance_masks(void **state)
{
	struct topology *t = fake_sockets(2, 2, 2);
	struct built b = build_fake(t, &domain_rules_54);
	struct sched_group *core = b.set.bottom[0]->parent->groups->next;
	char text[256];
	struct buf why;

	buf_init(&why, text, sizeof(text));
	core->sgc->balance_mask = b.set.bottom[1]->groups->cpus;
	assert_false(domains_audit(&b.set, true, &why));
	assert_string_equal(text, "cpu 0 level 1 MC: a balance mask is not the group");
	built_free(&b);
	fake_free(t);
}

static void test_refreshed_powers_need_not_add_up(void **state)
{
	struct topology *t = fake_sockets(2, 2, 2);
	struct built b = build_fake(t, &domain_rules_classic);
	char text[256];
	struct buf why;

	buf_init(&why, text, sizeof(text));
	b.set.bottom[0]->groups->cpu_power = 100;
	assert_true(domains_audit(&b.set, false, &why));
	built_free(&b);
	fake_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_broken_invariant_is_named),
		cmocka_unit_test(test_every_broken_share_is_named),
		cmocka_unit_test(test_only_overlapping_groups_have_other_balance_masks),
		cmocka_unit_test(test_refreshed_powers_need_not_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
