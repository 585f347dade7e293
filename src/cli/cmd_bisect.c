/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runqlab bisect: which change between two kernels makes the difference. */
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/bisect_out.h"
#include "cli/cmd.h"
#include "cli/host.h"
#include "experiment/err_printf.h"
#include "experiment/pool.h"

#define SEEDS_DEFAULT 5u

struct question {
	struct scenario scenario;
	struct bisect bisect;
	const char *good, *bad, *metric;
	struct json_out json;
	struct host_out host;
};

/* -- options -- */

static bool take_once(const struct opt *o, const char **at, struct rql_error *e)
{
	if (*at)
		return err_printf(e, o->place, "given twice; once is right");
	*at = o->value;
	return true;
}

static bool take_option(struct question *q, const struct opt *o, struct rql_error *e)
{
	bool done;

	switch ((int)o->id) {
	case OPT_GOOD:
		return take_once(o, &q->good, e);
	case OPT_BAD:
		return take_once(o, &q->bad, e);
	case OPT_METRIC:
		return take_once(o, &q->metric, e) &&
		       (compare_metric_parse(o->value, strlen(o->value), &q->bisect.metric, e) ||
			opt_error(o, e));
	case OPT_JSON:
		return json_out_open(&q->json, o, e);
	case OPT_SEEDS:
		return opt_count(o, "seeds", COMPARE_SEEDS_MAX, &q->bisect.nseeds, e);
	case OPT_JOBS:
		return opt_count(o, "jobs", POOL_AT_ONCE_MAX, &q->bisect.at_once, e);
	case OPT_AUDIT:
		q->bisect.audit = true;
		return true;
	case OPT_HOST_STATS:
		return host_out_open(&q->host, o, e);
	case OPT_ARGUMENT:
		return err_printf(e, o->place,
				  "takes no file; -m, --good, --bad, -w and --metric are right");
	default:
		if (!cmd_scenario_option(&q->scenario, o, &done, e))
			return false;
		CHECK(done);
		return true;
	}
}

static bool missing(const char *option, const char *what, struct rql_error *e)
{
	return err_printf(e, "bisect", "no %s; %s is right", option, what);
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
	if (!q->good)
		return missing("good kernel", "--good KERNEL, one without the difference,", e);
	if (!q->bad)
		return missing("bad kernel", "--bad KERNEL, one with the difference,", e);
	if (!q->metric)
		return missing("metric", "--metric METRIC, one of `runqlab list metrics`,", e);
	if (!scenario_add_kernel(s, q->good, e) || !scenario_add_kernel(s, q->bad, e))
		return false;
	if (!scenario_finish(s, e))
		return e->where[0] ? false : err_printf(e, "bisect", "%s", e->what);
	return cmd_seeds_fit(s, q->bisect.nseeds, e);
}

/* -- the answer -- */

static void show_progress(void *arg, const char *kernel)
{
	const struct bisect *b = arg;

	fprintf(stderr, "\r\033[K%u compared; %.60s ", (unsigned)b->search.njudged, kernel);
	fflush(stderr);
}

static uint32_t simulations(const struct bisect *b)
{
	/* and the two that were compared record by record */
	return b->differ ? b->search.njudged * b->nseeds + 2 : 2 * b->nseeds;
}

static bool answer(struct question *q, struct rql_error *e)
{
	struct bisect *b = &q->bisect;
	struct json_object *json;
	bool ok;

	if (isatty(STDERR_FILENO))
		b->progress = show_progress;
	ok = bisect_execute(b, e);
	if (b->progress)
		fputs("\r\033[K", stderr);
	if (!ok)
		return e->where[0] ? false : opt_error(&(struct opt){.place = "bisect"}, e);
	cmd_warn_rt_only(scenario_rt_only(&q->scenario));
	if (!q->json.to_stdout && !bisect_print(b, e))
		return false;
	if (q->json.wanted) {
		json = bisect_json(b, e);
		if (!json || !json_out_write(&q->json, json, e))
			return false;
	}
	return host_out_finish(&q->host, simulations(b), b->events, e);
}

int cmd_bisect(struct opt_walk *w)
{
	struct question q;
	struct rql_error e;
	int status;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	host_out_start(&q.host);
	scenario_init(&q.scenario);
	q.bisect.scenario = &q.scenario;
	q.bisect.nseeds = SEEDS_DEFAULT;
	if (!read_options(&q, w, &e) || !answer(&q, &e))
		status = cmd_fail(&e);
	else
		status = bisect_holds(&q.bisect) ? EXIT_DONE : EXIT_DOES_NOT_HOLD;
	json_out_abandon(&q.json);
	host_out_abandon(&q.host);
	bisect_free(&q.bisect);
	scenario_free(&q.scenario);
	return status;
}
