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

static void sample(void *out, const struct run *r, const struct machine *m)
{
	struct measured *x = out;

	x->nr_running = m->cpus[0].rq.nr_running;
	x->samples++;
}

static void judge(const void *all, uint32_t nseeds, double *x)
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

static void finish_sums(void *out, struct run *r)
{
	struct sums *x = out;

	x->elapsed_ns = run_elapsed_ns(r);
	x->ngroups = run_machine(r)->ngroups;
}

static void judge_sums(const void *all, uint32_t nseeds, double *x)
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
		cmocka_unit_test(test_medians),
		cmocka_unit_test(test_every_case_is_complete),
		cmocka_unit_test(test_no_case_runs_fair_tasks_on_an_rt_only_kernel),
		cmocka_unit_test(test_numbers_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
