/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Planted culprits are found, and what a kernel is like. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "experiment/bisect.h"

static void must(bool ok, const struct rql_error *e)
{
	if (!ok)
		fail_msg("%s: %s", e->where, e->what);
}

/* A planted culprit and the work that shows it. */
struct plant {
	const char *machine, *cgroup, *work[2], *duration;
	const char *good, *bad;
	enum metric_id metric;
	uint32_t nseeds;
	const char *culprit; /* NULL: the ends cannot be told apart */
	uint32_t at_most;    /* comparisons */
	/* what is said of the good kernel with it, of the bad one without it */
	const char *added, *taken;
	const char *without; /* what the former parts from; NULL: the good kernel */
};

#define HACKBENCH "snb-ep", "/g", {"hackbench:groups=20,loops=10"}, NULL
#define FORKJOIN "nhm-ep", NULL, {"forkjoin:n=100,step=20ms", "daemons"}, "2s"
#define OLTP "snb-ep", NULL, {"oltp"}, "100ms"

static void build(struct scenario *s, const struct plant *x)
{
	struct rql_error e;

	scenario_init(s);
	must(scenario_set_machine(s, x->machine, &e), &e);
	must(scenario_add_kernel(s, x->good, &e), &e);
	must(scenario_add_kernel(s, x->bad, &e), &e);
	if (x->cgroup)
		must(scenario_add_cgroup(s, x->cgroup, &e), &e);
	for (uint32_t i = 0; i < 2 && x->work[i]; i++)
		must(scenario_add_work(s, x->work[i], &e), &e);
	if (x->duration)
		must(scenario_set_duration(s, x->duration, &e), &e);
	must(scenario_finish(s, &e), &e);
}

static void check_plant(const struct plant *x)
{
	struct scenario s;
	struct bisect b = {.scenario = &s, .metric = x->metric, .nseeds = x->nseeds};
	struct rql_error e;

	build(&s, x);
	must(bisect_execute(&b, &e), &e);
	assert_int_equal(b.differ, x->culprit != NULL);
	if (b.differ) {
		char item[BISECT_ITEM_BYTES] = "";

		for (uint32_t i = 0; i < b.plan.nchanges; i++)
			if (b.plan.change[i].step == b.search.culprit)
				bisect_plan_item(&b.plan, &b.plan.change[i], item);
		assert_string_equal(item, x->culprit);
		assert_in_range(b.search.njudged, 2, x->at_most);
		assert_int_equal(b.search.adding.nsteps, 1);
		assert_int_equal(b.search.removing.nsteps, 1);
		assert_int_equal(b.search.adding.like, BISECT_LIKE_BAD);
		assert_int_equal(b.search.removing.like, BISECT_LIKE_GOOD);
		assert_string_equal(bisect_tried_of(&b, &b.search.adding)->kernel, x->added);
		assert_string_equal(bisect_tried_of(&b, &b.search.removing)->kernel, x->taken);
		assert_string_equal(b.without, x->without ? x->without : x->good);
		assert_true(b.parting.differs && b.parting.chooses);
		assert_true(b.tried[0].to_good.ratio.mid == 1 && b.tried[1].to_bad.ratio.mid == 1);
	}
	bisect_free(&b);
	scenario_free(&s);
}

static void test_planted_culprits_are_found(void **state)
{
	static const struct plant plants[] = {
		{FORKJOIN, "2.6.35", "2.6.35,+stale-h-load", METRIC_THROUGHPUT_PER_S, 3,
		 "+stale-h-load", 2, "2.6.35,+stale-h-load", "2.6.35", NULL},
		/* the older kernel is the bad one; 15 steps */
		{FORKJOIN, "2.6.35", "2.6.34", METRIC_THROUGHPUT_PER_S, 3, "+stale-h-load", 8,
		 "2.6.35-rc2", "2.6.34,-stale-h-load", NULL},
		/* "bad" is the better one */
		{FORKJOIN, "2.6.34", "2.6.35", METRIC_THROUGHPUT_PER_S, 3, "-stale-h-load", 8,
		 "2.6.34,-stale-h-load", "2.6.35-rc2", NULL},
		{HACKBENCH, "3.3", "3.4-rc2", METRIC_ELAPSED_S, 3, "+lb-rq-list", 5,
		 "3.3,+lb-rq-list", "3.3", NULL},
		{HACKBENCH, "3.4", "3.4-rc2", METRIC_ELAPSED_S, 3, "-lb-min-feature", 2, "3.4-rc2",
		 "3.4", NULL},
		{HACKBENCH, "2.6.35", "3.4-rc2", METRIC_ELAPSED_S, 2, "+lb-rq-list", 9,
		 "2.6.35,+entity-shares,+lb-group-break,+lb-rq-list", "3.3",
		 "2.6.35,+entity-shares,+lb-group-break"},
		{HACKBENCH, "3.3", "3.4", METRIC_ELAPSED_S, 3, NULL, 2, NULL, NULL, NULL},
		{OLTP, "3.19", "3.19,+rt-select-check,+rt-find-check,+rt-push-lower-only",
		 METRIC_MIGRATIONS, 3, "+rt-push-lower-only", 6, "3.19,+rt-push-lower-only",
		 "3.19,+rt-select-check,+rt-find-check", NULL},
	};

	for (size_t i = 0; i < sizeof(plants) / sizeof(plants[0]); i++)
		check_plant(&plants[i]);
}

static void test_any_number_of_processes_gives_the_same(void **state)
{
	static const struct plant x = {FORKJOIN, "2.6.34", "2.6.35", METRIC_THROUGHPUT_PER_S,
				       2,        NULL,     0,        NULL,
				       NULL,     NULL};
	static const uint32_t at_once[] = {1, 2, 7};
	struct scenario s;
	struct bisect b[3];
	struct rql_error e;

	build(&s, &x);
	for (uint32_t i = 0; i < 3; i++) {
		b[i] = (struct bisect){.scenario = &s,
				       .metric = x.metric,
				       .nseeds = x.nseeds,
				       .at_once = at_once[i]};
		must(bisect_execute(&b[i], &e), &e);
		assert_int_equal(b[i].search.njudged, b[0].search.njudged);
		for (uint32_t j = 0; j < b[i].search.njudged; j++) {
			assert_string_equal(b[i].tried[j].kernel, b[0].tried[j].kernel);
			assert_true(b[i].tried[j].fingerprint == b[0].tried[j].fingerprint);
			assert_true(b[i].tried[j].to_good.mean == b[0].tried[j].to_good.mean);
		}
		assert_memory_equal(&b[i].parting, &b[0].parting, sizeof(b[i].parting));
	}
	for (uint32_t i = 0; i < 3; i++)
		bisect_free(&b[i]);
	scenario_free(&s);
}

static void test_a_metric_that_no_run_defines_is_refused(void **state)
{
	/* one task: no two equal ones to be fair between */
	static const struct plant x = {
		"1x2x1", NULL, {"spin:n=1"}, "10ms", "2.6.34", "2.6.35", METRIC_FAIRNESS, 2,
		NULL,    0,    NULL,         NULL,   NULL};
	struct scenario s;
	struct bisect b = {.scenario = &s, .metric = x.metric, .nseeds = x.nseeds};
	struct rql_error e;

	build(&s, &x);
	assert_false(bisect_execute(&b, &e));
	assert_string_equal(e.where, "option --metric");
	assert_non_null(strstr(e.what, "no run of 2.6.34 defines fairness here"));
	bisect_free(&b);
	scenario_free(&s);
}

static void test_the_nearer_end_is_by_ratio_or_else_by_difference(void **state)
{
	static const struct {
		double good[2], bad[2], x[2];
		enum bisect_like like;
	} rows[] = {
		/* the geometric middle of 1 and 100 is 10 */
		{{1, 1}, {100, 100}, {9, 9}, BISECT_LIKE_GOOD},
		{{1, 1}, {100, 100}, {11, 11}, BISECT_LIKE_BAD},
		{{100, 100}, {1, 1}, {11, 11}, BISECT_LIKE_GOOD},
		{{100, 100}, {1, 1}, {9, 9}, BISECT_LIKE_BAD},
		{{1, 1}, {100, 100}, {0.1, 0.1}, BISECT_LIKE_GOOD},
		/* pairs count, not means */
		{{1, 100}, {4, 25}, {1.5, 80}, BISECT_LIKE_GOOD},
		/* no ratio to 0; the middle of the differences is 50 */
		{{0, 0}, {100, 100}, {49, 49}, BISECT_LIKE_GOOD},
		{{0, 0}, {100, 100}, {51, 51}, BISECT_LIKE_BAD},
		{{1, 1}, {100, 100}, {0, 99}, BISECT_LIKE_GOOD},
		{{(double)NAN, 1}, {5, 100}, {5, 11}, BISECT_LIKE_BAD},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (bisect_nearer(rows[i].good, rows[i].bad, rows[i].x, 2) != rows[i].like)
			fail_msg("row %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_culprits_are_found),
		cmocka_unit_test(test_any_number_of_processes_gives_the_same),
		cmocka_unit_test(test_a_metric_that_no_run_defines_is_refused),
		cmocka_unit_test(test_the_nearer_end_is_by_ratio_or_else_by_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
