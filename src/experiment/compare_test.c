/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons: the same for any number of processes, verdicts, gates, reasons. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "experiment/compare_why.h"

static void must(bool ok, const struct rql_error *e)
{
	if (!ok)
		fail_msg("%s: %s", e->where, e->what);
}

static void build(struct scenario *s)
{
	struct rql_error e;

	scenario_init(s);
	must(scenario_set_machine(s, "1x2x2", &e), &e);
	must(scenario_add_kernel(s, "2.6.35", &e), &e);
	must(scenario_add_kernel(s, "2.6.35-rc2", &e), &e);
	must(scenario_add_work(s, "forkjoin:n=24,step=20ms", &e), &e);
	must(scenario_add_work(s, "daemons", &e), &e);
	must(scenario_set_duration(s, "2s", &e), &e);
	must(scenario_finish(s, &e), &e);
}

static void test_any_number_of_processes_gives_the_same(void **state)
{
	static const uint32_t at_once[] = {1, 2, 7};
	struct scenario s;
	struct compare c[3];
	struct rql_error e;

	build(&s);
	for (uint32_t i = 0; i < 3; i++) {
		c[i] = (struct compare){.scenario = &s, .nseeds = 3, .at_once = at_once[i]};
		must(compare_execute(&c[i], &e), &e);
		assert_memory_equal(c[i].samples, c[0].samples, 6 * sizeof(*c[0].samples));
	}
	/* seeds differ, and so do kernels on one seed */
	assert_int_not_equal(c[0].samples[0].fingerprint, c[0].samples[1].fingerprint);
	assert_int_not_equal(c[0].samples[0].fingerprint, c[0].samples[3].fingerprint);
	for (uint32_t i = 0; i < 3; i++)
		compare_free(&c[i]);
	scenario_free(&s);
}

static void test_the_bad_kernel_is_worse_and_it_is_told_why(void **state)
{
	struct compare_why why;
	struct scenario s;
	struct compare c = {.scenario = &s, .nseeds = 3};
	struct compare_line line;
	struct rql_error e;
	bool gained = false;

	build(&s);
	must(compare_execute(&c, &e), &e);
	line = compare_metric(&c, 1, METRIC_THROUGHPUT_PER_S);
	assert_true(line.ratio.mid < 1);
	assert_true(line.ratio.low <= line.ratio.mid && line.ratio.mid <= line.ratio.high);
	line = compare_metric(&c, 0, METRIC_THROUGHPUT_PER_S);
	assert_true(line.ratio.mid == 1);
	assert_int_equal(line.verdict, COMPARE_SAME);
	must(compare_why(&c, 1, &why, &e), &e);
	assert_true(why.sched_share.other > 0 && why.sched_share.other < 1);
	assert_true(why.lock_share.other < why.sched_share.other);
	assert_true(why.newly_idle.attempts.other >= 1);
	assert_true(why.newly_idle.moved.first > 0);
	assert_true(why.newly_idle.ns.first > 0);
	for (uint32_t i = 0; i < why.ncounters; i++)
		gained = gained || strcmp(why.counter[i].name, "lb_gained") == 0;
	assert_true(gained);
	compare_free(&c);
	scenario_free(&s);
}

/* A comparison filled by hand: metric values FIRST and OTHER of NSEEDS seeds. */
struct by_hand {
	struct scenario s;
	struct compare c;
	struct compare_sample samples[6];
};

static void fill(struct by_hand *h, enum metric_id id, const uint64_t *first, const uint64_t *other)
{
	memset(h, 0, sizeof(*h));
	h->s.nkernels = 2;
	h->c = (struct compare){.scenario = &h->s, .nseeds = 3, .samples = h->samples};
	for (uint32_t i = 0; i < 3; i++) {
		h->samples[i].value[id] = (struct metric_value){first[i], 1};
		h->samples[3 + i].value[id] = (struct metric_value){other[i], 1};
	}
}

static void test_verdicts_follow_the_better_direction(void **state)
{
	static const struct {
		enum metric_id id;
		uint64_t first[3], other[3];
		enum compare_verdict verdict;
	} rows[] = {
		{METRIC_ELAPSED_S, {10, 20, 30}, {11, 22, 33}, COMPARE_WORSE},
		{METRIC_ELAPSED_S, {10, 20, 30}, {9, 18, 27}, COMPARE_BETTER},
		{METRIC_ELAPSED_S, {10, 20, 30}, {11, 19, 30}, COMPARE_SAME},
		{METRIC_THROUGHPUT_PER_S, {10, 20, 30}, {11, 22, 33}, COMPARE_BETTER},
		{METRIC_MIGRATIONS, {10, 20, 30}, {11, 22, 33}, COMPARE_DIFFERS},
		{METRIC_WASTED_NS, {0, 0, 0}, {11, 12, 13}, COMPARE_WORSE},
	};
	static struct by_hand h;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fill(&h, rows[i].id, rows[i].first, rows[i].other);
		assert_int_equal(compare_metric(&h.c, 1, rows[i].id).verdict, rows[i].verdict);
	}
	assert_int_equal(compare_metric(&h.c, 1, METRIC_FAIRNESS).verdict, COMPARE_UNKNOWN);
}

static void test_a_gate_is_a_bound_on_the_ratio(void **state)
{
	static const struct {
		const char *gate;
		uint64_t first, other;
		bool holds;
	} rows[] = {
		{"elapsed_s=5%", 100, 105, true},        {"elapsed_s=5%", 100, 106, false},
		{"elapsed_s=0%", 100, 100, true},        {"elapsed_s=0%", 100, 1, true},
		{"throughput_per_s=5%", 100, 95, true},  {"throughput_per_s=5%", 100, 94, false},
		{"throughput_per_s=5%", 100, 900, true}, {"wasted_ns=5%", 0, 0, true},
		{"wasted_ns=5%", 0, 1, false},           {"wasted_ns=5%", 1, 0, true},
	};
	static struct by_hand h;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t first[3] = {rows[i].first, rows[i].first, rows[i].first};
		uint64_t other[3] = {rows[i].other, rows[i].other, rows[i].other};
		struct compare_gate g;
		struct rql_error e;

		must(compare_gate_parse(rows[i].gate, &g, &e), &e);
		fill(&h, g.metric, first, other);
		if (compare_gate_holds(&h.c, &g, 1) != rows[i].holds)
			fail_msg("row %zu", i);
		g.metric = METRIC_FAIRNESS;
		assert_false(compare_gate_holds(&h.c, &g, 1));
	}
}

static void test_bad_gates_are_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"elapsed=5%", "unknown metric \"elapsed\"; nearest: elapsed_s"},
		{"=5%", "unknown metric \"\""},
		{"", "unknown metric \"\""},
		{"elapsed_s", "elapsed_s has no bound"},
		{"elapsed_s=", "not a percentage"},
		{"elapsed_s=5", "not a percentage"},
		{"elapsed_s=-5%", "out of range; write 0 to 1000000"},
		{"elapsed_s=5%%", "not a percentage"},
		{"migrations=5%", "migrations is neither better high nor low"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct compare_gate g;
		struct rql_error e;

		memset(&e, 0xff, sizeof(e));
		assert_false(compare_gate_parse(rows[i].text, &g, &e));
		if (!strstr(e.what, rows[i].why))
			fail_msg("%s: %s", rows[i].text, e.what);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_number_of_processes_gives_the_same),
		cmocka_unit_test(test_the_bad_kernel_is_worse_and_it_is_told_why),
		cmocka_unit_test(test_verdicts_follow_the_better_direction),
		cmocka_unit_test(test_a_gate_is_a_bound_on_the_ratio),
		cmocka_unit_test(test_bad_gates_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
