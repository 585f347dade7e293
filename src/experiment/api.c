/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The public interface, include/runqlab.h, on top of scenario, runner and result. */
#include "runqlab.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/err_printf.h"
#include "experiment/result.h"

struct rql_scenario {
	struct scenario scenario;
};

struct rql_result {
	char *json;
	uint64_t fingerprint;
	struct metric_value metrics[METRIC_COUNT];
};

static enum rql_status failed(const struct rql_error *e, char *error)
{
	err_text(e, error, RQL_ERROR_BYTES);
	return e->limit ? RQL_LIMIT : RQL_BAD_INPUT;
}

static enum rql_status out_of_memory(char *error)
{
	struct rql_error e;

	err_printf(&e, NULL, "out of memory; a smaller scenario is needed");
	e.limit = true;
	return failed(&e, error);
}

enum rql_status rql_scenario_read(const char *name, const char *text, size_t len,
				  struct rql_scenario **out, char *error)
{
	struct rql_scenario *s = malloc(sizeof(*s));
	struct rql_error e;

	*out = NULL;
	if (!s)
		return out_of_memory(error);
	memset(&e, 0, sizeof(e));
	scenario_init(&s->scenario);
	if (!scenario_read(&s->scenario, name, text, len, &e)) {
		rql_scenario_free(s);
		return failed(&e, error);
	}
	*out = s;
	return RQL_DONE;
}

void rql_scenario_free(struct rql_scenario *s)
{
	if (!s)
		return;
	scenario_free(&s->scenario);
	free(s);
}

static bool fill(struct rql_result *out, struct run *r, const struct scenario *s)
{
	struct json_object *o = result_json(r, s);

	out->fingerprint = run_totals(r)->fingerprint;
	run_metrics(r, out->metrics);
	out->json = strdup(json_text(o));
	json_object_put(o);
	return out->json != NULL;
}

enum rql_status rql_run(const struct rql_scenario *s, struct rql_result **out, char *error)
{
	struct run_setup setup = {.scenario = &s->scenario, .seed = s->scenario.seed};
	struct rql_result *result = calloc(1, sizeof(*result));
	struct run *r = NULL;
	struct rql_error e;
	enum rql_status status;

	*out = NULL;
	memset(&e, 0, sizeof(e));
	if (!result)
		return out_of_memory(error);
	r = run_create(&setup, &e);
	if (!r || !run_execute(r, &e))
		status = failed(&e, error);
	else
		status = fill(result, r, &s->scenario) ? RQL_DONE : out_of_memory(error);
	run_destroy(r);
	if (status == RQL_DONE)
		*out = result;
	else
		rql_result_free(result);
	return status;
}

void rql_result_free(struct rql_result *r)
{
	if (!r)
		return;
	free(r->json);
	free(r);
}

const char *rql_result_json(const struct rql_result *r)
{
	return r->json;
}

uint64_t rql_result_fingerprint(const struct rql_result *r)
{
	return r->fingerprint;
}

bool rql_result_metric(const struct rql_result *r, const char *name, double *value)
{
	enum metric_id id = metric_by_name(name, strlen(name));

	if (id == METRIC_COUNT || !r->metrics[id].den)
		return false;
	*value = (double)r->metrics[id].num / (double)r->metrics[id].den;
	return true;
}

const char *rql_version(void)
{
	return RUNQLAB_VERSION;
}
