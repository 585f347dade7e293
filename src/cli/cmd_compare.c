/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runqlab compare: the same work on several kernels, seed by seed. */
#include <json-c/json.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/cmd.h"
#include "cli/compare_out.h"
#include "cli/host.h"
#include "experiment/err_printf.h"
#include "experiment/pool.h"

#define SEEDS_DEFAULT 5u

struct question {
	struct scenario scenario;
	struct compare compare;
	struct compare_gates gates;
	bool from_options, from_file; /* the scenario, or a part of it */
	struct json_out json;
	struct host_out host;
};

/* -- options -- */

static bool take_gate(struct question *q, const struct opt *o, struct rql_error *e)
{
	struct compare_gates *g = &q->gates;

	if (g->n == COMPARE_GATES_MAX)
		return err_printf(e, o->place, "more than %u gates; that is the most",
				  COMPARE_GATES_MAX);
	if (!compare_gate_parse(o->value, &g->gate[g->n], e))
		return opt_error(o, e);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->gate[i].metric == g->gate[g->n].metric)
			return err_printf(e, o->place, "%s has a gate before; once is right",
					  metric_info(g->gate[i].metric)->name);
	g->n++;
	return true;
}

static bool take_scenario_part(struct question *q, const struct opt *o, struct rql_error *e)
{
	bool done;

	if (o->id == OPT_ARGUMENT) {
		if (q->from_file || q->from_options)
			return err_printf(e, o->place,
					  "a scenario's file stands alone; write either "
					  "the file or -m, -k and -w");
		q->from_file = true;
		return scenario_load(&q->scenario, o->value, e);
	}
	if (q->from_file)
		return err_printf(e, o->place, "the scenario's file says this; change it there");
	q->from_options = true;
	if (!cmd_scenario_option(&q->scenario, o, &done, e))
		return false;
	CHECK(done);
	return true;
}

static bool take_option(struct question *q, const struct opt *o, struct rql_error *e)
{
	switch ((int)o->id) {
	case OPT_JSON:
		return json_out_open(&q->json, o, e);
	case OPT_SEEDS:
		return opt_count(o, "seeds", COMPARE_SEEDS_MAX, &q->compare.nseeds, e);
	case OPT_JOBS:
		return opt_count(o, "jobs", POOL_AT_ONCE_MAX, &q->compare.at_once, e);
	case OPT_GATE:
		return take_gate(q, o, e);
	case OPT_AUDIT:
		q->compare.audit = true;
		return true;
	case OPT_HOST_STATS:
		return host_out_open(&q->host, o, e);
	default:
		return take_scenario_part(q, o, e);
	}
}

static bool read_options(struct question *q, struct opt_walk *w, struct rql_error *e)
{
	struct scenario *s = &q->scenario;
	struct opt o;

	while (opt_next(w, &o, e))
		if (!take_option(q, &o, e))
			return false;
	if (w->failed)
		return false;
	if (!q->from_file && !scenario_finish(s, e))
		return e->where[0] ? false : err_printf(e, "compare", "%s", e->what);
	if (s->nkernels < 2)
		return err_printf(e, "compare",
				  "one kernel, %s; two or more are right, as -k %s -k OTHER "
				  "(`runqlab run` takes one)",
				  s->kernels[0], s->kernels[0]);
	return cmd_seeds_fit(s, q->compare.nseeds, e);
}

/* -- the comparison -- */

static void show_progress(void *arg, uint32_t ndone)
{
	const struct compare *c = arg;

	fprintf(stderr, "\r%u of %u simulations ", (unsigned)ndone,
		(unsigned)(c->nseeds * c->scenario->nkernels));
	fflush(stderr);
}

static uint64_t all_events(const struct compare *c, uint32_t nsimulations)
{
	uint64_t events = 0;

	for (uint32_t i = 0; i < nsimulations; i++)
		events += c->samples[i].events;
	return events;
}

static bool answer(struct question *q, struct rql_error *e)
{
	struct compare *c = &q->compare;
	uint32_t nsimulations = c->nseeds * q->scenario.nkernels;
	struct json_object *json;
	bool ok;

	cmd_warn_rt_only(scenario_rt_only(&q->scenario));
	if (isatty(STDERR_FILENO))
		c->progress = show_progress;
	ok = compare_execute(c, e);
	if (c->progress)
		fputs("\r\033[K", stderr);
	if (!ok)
		return false;
	if (!q->json.to_stdout && !compare_print(c, &q->gates, e))
		return false;
	if (q->json.wanted) {
		json = compare_json(c, &q->gates, e);
		if (!json || !json_out_write(&q->json, json, e))
			return false;
	}
	return host_out_finish(&q->host, nsimulations, all_events(c, nsimulations), e);
}

int cmd_compare(struct opt_walk *w)
{
	struct question q;
	struct rql_error e;
	int status;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	host_out_start(&q.host);
	scenario_init(&q.scenario);
	q.compare.scenario = &q.scenario;
	q.compare.nseeds = SEEDS_DEFAULT;
	if (!read_options(&q, w, &e) || !answer(&q, &e))
		status = cmd_fail(&e);
	else
		status = compare_gates_hold(&q.compare, &q.gates) ? EXIT_DONE : EXIT_DOES_NOT_HOLD;
	json_out_abandon(&q.json);
	host_out_abandon(&q.host);
	compare_free(&q.compare);
	scenario_free(&q.scenario);
	return status;
}
