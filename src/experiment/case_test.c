/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/case.h"
#include "kver/kver.h"
#include "experiment/result.h"

/* A case of two spinners on one CPU, and three figures of it. */
struct measured {
	uint64_t nr_running, samples;
};

static void sample(const struct case_def *def, void *out, const struct run *r, uint64_t now_ns)
{
	struct measured *x = out;

	x->nr_running = run_machine(r)->cpus[0].rq.nr_running;
	x->samples++;
}

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;

	x[0] = (double)m[0].nr_running;
	x[1] = (double)m[nseeds].nr_running;
	x[2] = (double)m[nseeds].samples;
}

static const struct case_run runs[] = {
	{.machine = "1x1x1",
	 .kernel = "2.6.35",
	 .work = {"spin:n=1"},
	 .time_quick = "1s",
	 .time_full = "2s"},
	{.machine = "1x1x1",
	 .kernel = "2.6.34",
	 .work = {"/a", "spin:n=2"},
	 .time_quick = "1s",
	 .time_full = "2s"},
};

static struct case_figure figures[] = {
	{.name = "one", .low = 1, .high = 1, .required = true},
	{.name = "two",
	 .low = 0,
	 .high = 5,
	 .required = true,
	 .also = {{"above one", "one", false}}},
	{.name = "samples", .low = CASE_NONE, .high = CASE_NONE},
};

static const struct case_def def = {
	.id = "spinners",
	.figures = figures,
	.nfigures = 3,
	.runs = runs,
	.nruns = 2,
	.nseeds = 1,
	.measured_bytes = sizeof(struct measured),
	.sample_ns = 100000000,
	.sample = sample,
	.judge = judge,
};

static void test_figures_are_judged_by_bounds_and_by_each_other(void **state)
{
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(&def, false, &r, &e));
	assert_int_equal(r.simulated[0], 1);
	assert_int_equal(r.simulated[1], 2);
	assert_int_equal(r.simulated[2], 10);
	assert_true(r.holds);

	figures[1].also[0].below = true;
	assert_true(case_execute(&def, true, &r, &e));
	assert_int_equal(r.simulated[2], 20);
	assert_true(r.figure_holds[0]);
	assert_false(r.figure_holds[1]);
	assert_false(r.holds);

	figures[1].required = false;
	assert_true(case_execute(&def, false, &r, &e));
	assert_true(r.holds);
}

static void test_a_simulation_that_cannot_run_is_an_error(void **state)
{
	static const struct case_run bad[] = {{.machine = "1x1x1",
					       .kernel = "2.6.99",
					       .work = {"spin:n=1"},
					       .time_quick = "1s",
					       .time_full = "1s"}};
	struct case_def broken = def;
	struct case_result r;
	struct rql_error e;

	broken.runs = bad;
	broken.nruns = 1;
	assert_false(case_execute(&broken, false, &r, &e));
	assert_string_equal(e.where, "2.6.99");
}

/* -- seeds, the full form and prices: one hackbench -- */

struct sums {
	uint64_t elapsed_ns, ngroups;
};

static void finish_sums(const struct case_def *c, void *out, struct run *r)
{
	struct sums *x = out;

	x->elapsed_ns = run_elapsed_ns(r);
	x->ngroups = run_machine(r)->ngroups;
}

static void judge_sums(const struct case_def *c, const void *all, uint32_t nseeds, double *x)
{
	const struct sums *m = all;

	assert_int_equal(nseeds, 2);
	x[0] = (double)m[0].elapsed_ns;
	x[1] = (double)m[1].elapsed_ns;
	x[2] = (double)m[2].elapsed_ns;
	x[3] = (double)m[4].elapsed_ns;
	x[4] = (double)m[2].ngroups;
}

#define SMALL "hackbench:groups=1,fds=2,loops=5"
/* clang-format off */
static const struct case_run sum_runs[] = {
	{.machine = "1x2x1", .kernel = "3.4", .work = {SMALL}},
	{.machine = "1x2x1", .kernel = "3.4", .work = {SMALL}, .autogroup = true, .fork_pct = 1000},
	{.machine = "1x2x1", .kernel = "3.4", .work = {SMALL}, .full_only = true},
};

static const struct case_figure sum_figures[] = {
	{.name = "seed 1", .low = 1, .high = CASE_NONE, .required = true},
	{.name = "seed 2", .low = CASE_NONE, .high = 1e9, .required = true},
	{.name = "dear", .low = CASE_NONE, .high = CASE_NONE},
	{.name = "full", .low = 1, .high = CASE_NONE, .required = true, .full_only = true},
	{.name = "groups", .low = 2, .high = 2, .required = true},
};
/* clang-format on */

static void test_rows_have_seeds_prices_and_a_full_form(void **state)
{
	const struct case_def sums = {.id = "sums",
				      .figures = sum_figures,
				      .nfigures = 5,
				      .runs = sum_runs,
				      .nruns = 3,
				      .nseeds = 2,
				      .measured_bytes = sizeof(struct sums),
				      .finish = finish_sums,
				      .judge = judge_sums};
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(&sums, false, &r, &e));
	assert_true(r.holds);
	assert_true(r.simulated[0] > 0 && r.simulated[1] > 0);
	assert_true(r.simulated[0] != r.simulated[1]);
	assert_true(r.simulated[2] != r.simulated[0]);
	assert_true(r.figure_ran[0]);
	assert_false(r.figure_ran[3]);
	assert_false(case_is_judged(&sum_figures[2]));

	assert_true(case_execute(&sums, true, &r, &e));
	assert_true(r.figure_ran[3] && r.figure_holds[3]);
	assert_true(r.simulated[3] == r.simulated[0]);
}

/* -- intervals, and works of the full form -- */

static double mid, low, high;

static void judge_mid(const struct case_def *c, const void *all, uint32_t nseeds, double *x)
{
	const struct sums *m = all;

	for (uint32_t i = 0; i < nseeds; i++)
		assert_true(m[i].elapsed_ns > 0);
	x[0] = mid;
	x[1] = nseeds;
	x[2] = (double)m[0].elapsed_ns;
}

static void tell_interval(const void *all, uint32_t nseeds, struct stats_interval *out)
{
	(void)all;
	(void)nseeds;
	out[0] = (struct stats_interval){mid, low, high};
}

static void test_an_interval_may_have_to_exclude_zero(void **state)
{
	static const struct case_run rows[] = {
		{.machine = "1x2x1", .kernel = "3.4", .work = {SMALL}, .work_full = SMALL "0"},
	};
	static const struct case_figure few[] = {
		{.name = "strong", .low = 2, .high = 8, .required = true, .beyond_zero = true},
		{.name = "seeds", .low = CASE_NONE, .high = CASE_NONE},
		{.name = "ns", .low = CASE_NONE, .high = CASE_NONE},
	};
	static const struct {
		double mid, low, high;
		bool holds;
	} rows_of[] = {
		{3, 1, 5, true},
		{3, -1, 7, false},
		{3, 0, 6, false},
		{1, 0.5, 1.5, false},
		{-3, -5, -1, false},
		{9, 8, 10, false},
		{3, CASE_NONE, CASE_NONE, false},
	};
	const struct case_def one = {.id = "one",
				     .figures = few,
				     .nfigures = 3,
				     .runs = rows,
				     .nruns = 1,
				     .nseeds = 1,
				     .nseeds_full = 3,
				     .measured_bytes = sizeof(struct sums),
				     .finish = finish_sums,
				     .judge = judge_mid,
				     .intervals = tell_interval};
	struct case_result quick, full;
	struct rql_error e;

	for (uint32_t i = 0; i < sizeof(rows_of) / sizeof(rows_of[0]); i++) {
		mid = rows_of[i].mid;
		low = rows_of[i].low;
		high = rows_of[i].high;
		assert_true(case_execute(&one, false, &quick, &e));
		assert_int_equal(quick.holds, rows_of[i].holds);
		assert_int_equal(quick.nseeds, 1);
		assert_true(isnan(quick.interval[1].low));
	}
	assert_true(case_execute(&one, true, &full, &e));
	assert_int_equal(full.nseeds, 3);
	assert_int_equal(full.simulated[1], 3);
	assert_true(full.simulated[2] > quick.simulated[2]);
	assert_string_equal(case_first_work(&rows[0], false), SMALL);
	assert_string_equal(case_first_work(&rows[0], true), SMALL "0");
}

/* What follows from the numbers as published. */
static void test_the_rows_of_2019_are_judged_by_the_published_numbers(void **state)
{
	const struct case_def *c = case_by_id("2019-load-balance-rework");
	uint32_t strong = 0, weak = 0, not_counted = 0;

	for (uint32_t i = 0; i < c->nfigures; i++) {
		const struct case_figure *f = &c->figures[i];
		double size = fabs(f->published);

		if (!f->kind)
			continue;
		if (strcmp(f->kind, "not counted") == 0) {
			not_counted++;
			assert_false(case_is_judged(f));
		} else if (size > f->noise + 2) {
			strong++;
			assert_string_equal(f->kind, "strong");
			assert_true(f->beyond_zero);
			assert_true(fabs(fmin(fabs(f->low), fabs(f->high)) - size / 2.5) < 1e-9);
			assert_true(fabs(fmax(fabs(f->low), fabs(f->high)) - size * 2.5) < 1e-9);
			assert_true(f->low * f->published > 0 && f->high * f->published > 0);
		} else {
			weak++;
			assert_string_equal(f->kind, "weak");
			assert_false(f->beyond_zero);
			assert_true(fabs(f->high - f->noise - 2) < 1e-9 && f->low == -f->high);
		}
	}
	assert_int_equal(strong, 7);
	assert_int_equal(weak, 14);
	assert_int_equal(not_counted, 3);
}

static void test_medians(void **state)
{
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2}, hole[] = {1, CASE_NONE, 2};

	assert_true(case_median(odd, 3) == 2);
	assert_true(case_median(even, 4) == 2.5);
	assert_true(isnan(case_median(hole, 3)));
	assert_true(isnan(case_median(odd, 0)));
}

static void test_every_case_is_complete(void **state)
{
	for (uint32_t i = 0; case_at(i); i++) {
		const struct case_def *c = case_at(i);

		assert_ptr_equal(case_by_id(c->id), c);
		assert_true(c->nfigures > 0 && c->nfigures <= CASE_FIGURES_MAX);
		assert_non_null(c->kernels[0]);
		for (uint32_t j = 0; j < c->nfigures; j++) {
			assert_non_null(c->figures[j].name);
			assert_true(!c->figures[j].required || case_is_judged(&c->figures[j]));
		}
		for (uint32_t j = 0; j < c->nruns; j++)
			assert_non_null(c->runs[j].work[0]);
	}
	assert_null(case_by_id("none"));
}

static uint64_t duration_ns(const char *text)
{
	struct scenario s;
	struct rql_error e;
	uint64_t ns;

	scenario_init(&s);
	assert_true(scenario_set_duration(&s, text, &e));
	ns = s.duration_ns;
	scenario_free(&s);
	return ns;
}

/* The full form is not run by other tests: it takes minutes. */
static void test_every_simulation_of_both_forms_can_be_made(void **state)
{
	for (uint32_t i = 0; case_at(i); i++) {
		const struct case_def *c = case_at(i);
		struct rql_error e;

		for (int full = 0; full < 2; full++)
			if (!case_check(c, full, &e))
				fail_msg("%s: %s: %s", c->id, e.where, e.what);
		for (uint32_t j = 0; j < c->nruns; j++) {
			const struct case_run *r = &c->runs[j];

			assert_int_equal(r->time_quick == NULL, r->time_full == NULL);
			if (r->time_quick)
				assert_true(duration_ns(r->time_quick) <=
					    duration_ns(r->time_full));
		}
	}
}

/* The published cases run fair tasks on kernels with exact fair rules only. */
static void test_no_case_runs_fair_tasks_on_an_rt_only_kernel(void **state)
{
	static const struct case_run rows[] = {
		{.machine = "1x2x1", .kernel = "3.4", .work = {"spin:n=1"}, .time_quick = "1ms"},
		{.machine = "1x2x1", .kernel = "4.0", .work = {"oltp"}, .time_quick = "1ms"},
		{.machine = "1x2x1",
		 .kernel = "3.19",
		 .work = {"oltp", "spin:n=1"},
		 .time_quick = "1ms",
		 .time_full = "1ms",
		 .full_only = true},
	};
	const struct case_def mixed = {.runs = rows, .nruns = 3, .nseeds = 1};
	uint64_t set = case_rt_only(&mixed, true);

	for (uint32_t i = 0; case_at(i); i++)
		assert_int_equal(case_rt_only(case_at(i), true), 0);
	assert_int_equal(case_rt_only(&mixed, false), 0);
	assert_int_equal(__builtin_popcountll(set), 1);
	assert_string_equal(kver_profile((uint32_t)__builtin_ctzll(set))->version, "3.19");
}

static void test_numbers_are_short(void **state)
{
	char text[DECIMAL_BYTES];

	case_number(text, 8.6);
	assert_string_equal(text, "8.6");
	case_number(text, 12);
	assert_string_equal(text, "12");
	case_number(text, CASE_NONE);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_are_judged_by_bounds_and_by_each_other),
		cmocka_unit_test(test_a_simulation_that_cannot_run_is_an_error),
		cmocka_unit_test(test_rows_have_seeds_prices_and_a_full_form),
		cmocka_unit_test(test_an_interval_may_have_to_exclude_zero),
		cmocka_unit_test(test_the_rows_of_2019_are_judged_by_the_published_numbers),
		cmocka_unit_test(test_medians),
		cmocka_unit_test(test_every_case_is_complete),
		cmocka_unit_test(test_every_simulation_of_both_forms_can_be_made),
		cmocka_unit_test(test_no_case_runs_fair_tasks_on_an_rt_only_kernel),
		cmocka_unit_test(test_numbers_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
