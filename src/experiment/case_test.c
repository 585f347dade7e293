/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/case.h"
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

static void judge(const void *all, double *x)
{
	const struct measured *m = all;

	x[0] = (double)m[0].nr_running;
	x[1] = (double)m[1].nr_running;
	x[2] = (double)m[1].samples;
}

static const struct case_run runs[] = {
	{"one", "1x1x1", "2.6.35", {"spin:n=1"}, "1s", "2s"},
	{"two", "1x1x1", "2.6.34", {"/a", "spin:n=2"}, "1s", "2s"},
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
	static const struct case_run bad[] = {{"bad", "1x1x1", "2.6.99", {"spin:n=1"}, "1s", "1s"}};
	struct case_def broken = def;
	struct case_result r;
	struct rql_error e;

	broken.runs = bad;
	broken.nruns = 1;
	assert_false(case_execute(&broken, false, &r, &e));
	assert_string_equal(e.where, "2.6.99");
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
			assert_int_equal(isnan(c->figures[j].low), isnan(c->figures[j].high));
		}
		for (uint32_t j = 0; j < c->nruns; j++)
			assert_non_null(c->runs[j].work[0]);
	}
	assert_null(case_by_id("none"));
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
		cmocka_unit_test(test_every_case_is_complete),
		cmocka_unit_test(test_numbers_are_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
