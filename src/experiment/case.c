/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs cases. Each simulation is one job of the pool; what it measured comes
 * back as bytes, so figures depend on the simulations alone. Prices, seed and
 * all else are the defaults of the command: nothing is tuned for a case.
 */
#include "experiment/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"
#include "experiment/pool.h"
#include "experiment/result.h"

static const struct case_def *const cases[] = {
	&case_2010_over_scheduling,
};

const struct case_def *case_at(uint32_t i)
{
	return i < sizeof(cases) / sizeof(cases[0]) ? cases[i] : NULL;
}

const struct case_def *case_by_id(const char *id)
{
	for (uint32_t i = 0; case_at(i); i++)
		if (strcmp(case_at(i)->id, id) == 0)
			return case_at(i);
	return NULL;
}

void case_number(char *out, double x)
{
	if (isnan(x))
		out[0] = '\0';
	else
		snprintf(out, DECIMAL_BYTES, "%.9g", x);
}

struct job_argument {
	const struct case_def *def;
	bool full;
};

/* What the engine's sampler hands back. */
struct sampling {
	const struct case_def *def;
	struct run *run;
	void *measured;
};

static void take_sample(void *arg, const struct machine *m, uint64_t now_ns)
{
	struct sampling *s = arg;

	(void)now_ns;
	s->def->sample(s->measured, s->run, m);
}

static bool make_scenario(struct scenario *s, const struct case_run *row, bool full,
			  struct rql_error *e)
{
	if (!scenario_set_machine(s, row->machine, e) || !scenario_add_kernel(s, row->kernel, e) ||
	    !scenario_set_duration(s, full ? row->time_full : row->time_quick, e))
		return false;
	for (uint32_t i = 0; i < CASE_WORK_MAX && row->work[i]; i++)
		if (!(row->work[i][0] == '/' ? scenario_add_cgroup(s, row->work[i], e) :
					       scenario_add_work(s, row->work[i], e)))
			return false;
	return scenario_finish(s, e);
}

static bool simulate(const struct scenario *s, struct sampling *sampling, struct rql_error *e)
{
	struct run_setup setup = {.scenario = s, .seed = s->seed, .unobserved = true};
	bool ok;

	if (sampling->def->sample_ns)
		setup.sampler =
			(struct engine_sampler){sampling->def->sample_ns, take_sample, sampling};
	sampling->run = run_create(&setup, e);
	if (!sampling->run)
		return false;
	ok = run_execute(sampling->run, e);
	if (ok && sampling->def->finish)
		sampling->def->finish(sampling->measured, sampling->run);
	run_destroy(sampling->run);
	return ok;
}

static bool job(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	const struct job_argument *a = arg;
	struct sampling sampling = {.def = a->def, .measured = out};
	struct scenario s;
	bool ok;

	scenario_init(&s);
	ok = make_scenario(&s, &a->def->runs[i], a->full, e) && simulate(&s, &sampling, e);
	scenario_free(&s);
	return ok;
}

static double value_of(const struct case_def *def, const struct case_result *r, const char *name)
{
	for (uint32_t i = 0; i < def->nfigures; i++)
		if (strcmp(def->figures[i].name, name) == 0)
			return r->simulated[i];
	CHECK(false && "a case compares with a figure it does not have");
	return CASE_NONE;
}

/* Comparisons with a number that is not there are false. */
static void judge_figure(const struct case_def *def, uint32_t i, struct case_result *r)
{
	const struct case_figure *f = &def->figures[i];
	double x = r->simulated[i];
	bool holds = isnan(f->low) || (x >= f->low && x <= f->high);

	for (uint32_t j = 0; j < CASE_ALSO_MAX && f->also[j].than; j++) {
		double other = value_of(def, r, f->also[j].than);

		r->also_holds[i][j] = f->also[j].below ? x < other : x > other;
		holds = holds && r->also_holds[i][j];
	}
	r->figure_holds[i] = holds;
	r->holds = r->holds && (holds || !f->required);
}

bool case_execute(const struct case_def *def, bool full, struct case_result *out,
		  struct rql_error *e)
{
	struct job_argument a = {def, full};
	void *measured = calloc(def->nruns, def->measured_bytes);
	bool ok;

	CHECK(def->nfigures <= CASE_FIGURES_MAX);
	memset(out, 0, sizeof(*out));
	if (!measured)
		return err_printf(e, def->id, "out of memory");
	ok = pool_run(&(struct pool_work){.job = job,
					  .arg = &a,
					  .n = def->nruns,
					  .out = measured,
					  .size = def->measured_bytes},
		      e);
	if (ok) {
		def->judge(measured, out->simulated);
		out->holds = true;
		for (uint32_t i = 0; i < def->nfigures; i++)
			judge_figure(def, i, out);
	}
	free(measured);
	return ok;
}
