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
		cmocka_unit_test(test_refreshed_powers_need_not_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
