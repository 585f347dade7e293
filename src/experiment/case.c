/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs cases. Each simulation is one job of the pool; what it measured comes
 * back as bytes, so figures depend on the simulations alone. Prices, seed and
 * all else are the defaults of the command: nothing is tuned for a case. A row
 * may change the prices of a fork and of a child's first run, to show how much
 * hangs on them, or name another of the command's price profiles.
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
	&case_2012_hackbench_cgroup,
	&case_2015_rt_equal_prio_push,
	&case_2019_load_balance_rework,
};

const struct case_def *case_at(uint32_t i)
{
	uint32_t n = sizeof(cases) / sizeof(cases[0]);

	if (i < n)
		return cases[i];
	for (i -= n, n = 0; case_truth(n); n++)
		if (n == i)
			return case_truth(n);
	return case_truth_topo(i - n);
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

double case_median(double *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (isnan(x[i]))
			return CASE_NONE;
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t j = i; j > 0 && x[j] < x[j - 1]; j--) {
			double greater = x[j - 1];

			x[j - 1] = x[j];
			x[j] = greater;
		}
	return n ? (x[(n - 1) / 2] + x[n / 2]) / 2 : CASE_NONE;
}

struct job_argument {
	const struct case_def *def;
	bool full;
};

/* What the engine's sampler hands back. */
struct sampling {
	struct record_sink sink; /* first */
	const struct case_def *def;
	struct run *run;
	void *measured;
};

static void take_sample(void *arg, const struct machine *m, uint64_t now_ns)
{
	struct sampling *s = arg;

	(void)m;
	s->def->sample(s->def, s->measured, s->run, now_ns);
}

static void take_record(struct record_sink *sink, const struct record *rec)
{
	struct sampling *s = (struct sampling *)(void *)sink;

	if (s->run)
		s->def->take(s->measured, s->run, rec);
}

static uint32_t scaled(uint32_t price_ns, uint32_t pct)
{
	return pct ? (uint32_t)((uint64_t)price_ns * pct / 100) : price_ns;
}

uint32_t case_nseeds(const struct case_def *def, bool full)
{
	return full && def->nseeds_full ? def->nseeds_full : def->nseeds;
}

const char *case_first_work(const struct case_run *row, bool full)
{
	return full && row->work_full ? row->work_full : row->work[0];
}

static bool make_scenario(struct scenario *s, const struct case_run *row, bool full,
			  struct rql_error *e)
{
	const char *duration = full ? row->time_full : row->time_quick;

	if (!scenario_set_machine(s, row->machine, e) || !scenario_add_kernel(s, row->kernel, e) ||
	    (duration && !scenario_set_duration(s, duration, e)) ||
	    (row->prices && !scenario_set_prices(s, row->prices, e)))
		return false;
	s->autogroup = row->autogroup;
	s->atomic = row->atomic;
	for (uint32_t i = 0; i < CASE_WORK_MAX && row->work[i]; i++) {
		const char *work = i ? row->work[i] : case_first_work(row, full);

		if (!(work[0] == '/' ? scenario_add_cgroup(s, work, e) :
				       scenario_add_work(s, work, e)))
			return false;
	}
	if (!scenario_finish(s, e))
		return false;
	s->prices.work.fork_ns = scaled(s->prices.work.fork_ns, row->fork_pct);
	s->prices.work.child_first_run_ns =
		scaled(s->prices.work.child_first_run_ns, row->first_run_pct);
	return true;
}

bool case_check(const struct case_def *def, bool full, struct rql_error *e)
{
	bool ok = true;

	for (uint32_t i = 0; i < def->nruns && ok; i++) {
		struct scenario s;
		struct rql_error why;

		scenario_init(&s);
		ok = make_scenario(&s, &def->runs[i], full, &why);
		scenario_free(&s);
		if (!ok)
			err_printf(e, def->runs[i].name, "%s: %s", why.where, why.what);
	}
	return ok;
}

uint64_t case_rt_only(const struct case_def *def, bool full)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < def->nruns; i++) {
		struct scenario s;
		struct rql_error e;

		if (def->runs[i].full_only && !full)
			continue;
		scenario_init(&s);
		/* what is wrong with it is told when it is to be simulated */
		if (make_scenario(&s, &def->runs[i], full, &e))
			set |= scenario_rt_only(&s);
		scenario_free(&s);
	}
	return set;
}

static bool simulate(const struct scenario *s, uint32_t seed_idx, const struct case_run *row,
		     struct sampling *sampling, struct rql_error *e)
{
	struct run_setup setup = {.scenario = s,
				  .seed = s->seed + seed_idx,
				  .unobserved = !row->latency_of && !row->observed,
				  .latency_of = row->latency_of};
	bool ok;

	if (sampling->def->sample_ns)
		setup.sampler =
			(struct engine_sampler){sampling->def->sample_ns, take_sample, sampling};
	if (sampling->def->wants) {
		sampling->sink =
			(struct record_sink){.take = take_record, .wants = sampling->def->wants};
		setup.sink = &sampling->sink;
	}
	sampling->run = run_create(&setup, e);
	if (!sampling->run)
		return false;
	ok = run_execute(sampling->run, e);
	if (ok && sampling->def->finish)
		sampling->def->finish(sampling->def, sampling->measured, sampling->run);
	run_destroy(sampling->run);
	return ok;
}

/* Job I is row I / seeds with seed I % seeds. */
static bool job(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	const struct job_argument *a = arg;
	uint32_t nseeds = case_nseeds(a->def, a->full);
	const struct case_run *row = &a->def->runs[i / nseeds];
	struct sampling sampling = {.def = a->def, .measured = out};
	struct scenario s;
	bool ok;

	if (row->full_only && !a->full)
		return true;
	scenario_init(&s);
	ok = make_scenario(&s, row, a->full, e) && simulate(&s, i % nseeds, row, &sampling, e);
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

bool case_is_judged(const struct case_figure *f)
{
	return !isnan(f->low) || !isnan(f->high) || f->also[0].than;
}

bool case_in_bounds(const struct case_figure *f, double x, const struct stats_interval *interval)
{
	if (f->beyond_zero && !(interval->low > 0) && !(interval->high < 0))
		return false;
	return (isnan(f->low) || x >= f->low) && (isnan(f->high) || x <= f->high);
}

/* Comparisons with a number that is not there are false. */
static void judge_figure(const struct case_def *def, uint32_t i, struct case_result *r)
{
	const struct case_figure *f = &def->figures[i];
	double x = r->simulated[i];
	bool holds = case_in_bounds(f, x, &r->interval[i]);

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
	uint32_t nseeds = case_nseeds(def, full), njobs = def->nruns * nseeds;
	void *measured = calloc(njobs, def->measured_bytes);
	bool ok;

	CHECK(def->nfigures <= CASE_FIGURES_MAX);
	CHECK(nseeds >= 1 && nseeds <= CASE_SEEDS_MAX);
	memset(out, 0, sizeof(*out));
	out->nseeds = nseeds;
	for (uint32_t i = 0; i < CASE_FIGURES_MAX; i++)
		out->interval[i] = (struct stats_interval){CASE_NONE, CASE_NONE, CASE_NONE};
	if (!measured)
		return err_printf(e, def->id, "out of memory");
	ok = pool_run(&(struct pool_work){.job = job,
					  .arg = &a,
					  .n = njobs,
					  .out = measured,
					  .size = def->measured_bytes},
		      e);
	if (ok) {
		def->judge(def, measured, nseeds, out->simulated);
		if (def->intervals)
			def->intervals(measured, nseeds, out->interval);
		out->holds = true;
		for (uint32_t i = 0; i < def->nfigures; i++) {
			out->figure_ran[i] = full || !def->figures[i].full_only;
			if (out->figure_ran[i])
				judge_figure(def, i, out);
		}
	}
	free(measured);
	return ok;
}
