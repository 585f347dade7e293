/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runqlab case list|show|run: published regressions, and whether the simulation shows them. */
#include <json-c/json.h>
#include <string.h>

#include "base/params.h"
#include "cli/cmd.h"
#include "cli/table.h"
#include "experiment/case.h"
#include "experiment/err_printf.h"
#include "experiment/result.h"
#include "kver/kver.h"

#define IDS_MAX 64u
#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

enum case_verb {
	CASE_LIST,
	CASE_SHOW,
	CASE_RUN,
	CASE_VERBS,
};

static const char *const verbs[CASE_VERBS] = {"list", "show", "run"};

struct question {
	enum case_verb verb; /* CASE_VERBS: not told yet */
	const struct case_def *defs[IDS_MAX];
	uint32_t ndefs;
	bool all, full, quick;
	struct json_out json;
};

/* -- options -- */

static bool take_verb(struct question *q, const char *word, struct rql_error *e)
{
	for (uint32_t i = 0; i < CASE_VERBS; i++) {
		if (strcmp(word, verbs[i]) == 0) {
			q->verb = (enum case_verb)i;
			return true;
		}
	}
	return err_printf(e, word,
			  "not something to do with cases; list, show ID or run ID is right");
}

static bool take_id(struct question *q, const char *id, struct rql_error *e)
{
	const char *names[IDS_MAX];
	const struct case_def *def = case_by_id(id);
	uint32_t n = 0, nearest[3];

	if (q->verb == CASE_LIST)
		return err_printf(
			e, id, "after `case list`, which lists all; `case show %s` shows one", id);
	if (q->ndefs == IDS_MAX)
		return err_printf(e, id, "more than %u cases; that is the most", IDS_MAX);
	for (uint32_t i = 0; i < q->ndefs; i++)
		if (q->defs[i] == def)
			return err_printf(e, id, "named twice; once is right");
	if (def) {
		q->defs[q->ndefs++] = def;
		return true;
	}
	for (; case_at(n) && n < IDS_MAX; n++)
		names[n] = case_at(n)->id;
	param_nearest(id, strlen(id), names, n, nearest);
	return err_printf(e, id, "unknown case; nearest: %s (`runqlab case list` lists all)",
			  names[nearest[0]]);
}

static bool take_option(struct question *q, const struct opt *o, struct rql_error *e)
{
	switch ((int)o->id) {
	case OPT_JSON:
		return json_out_open(&q->json, o, e);
	case OPT_ALL:
		q->all = true;
		return true;
	case OPT_QUICK:
		q->quick = true;
		return true;
	case OPT_FULL:
		q->full = true;
		return true;
	default:
		return q->verb == CASE_VERBS ? take_verb(q, o->value, e) : take_id(q, o->value, e);
	}
}

static bool read_options(struct question *q, struct opt_walk *w, struct rql_error *e)
{
	struct opt o;

	while (opt_next(w, &o, e))
		if (!take_option(q, &o, e))
			return false;
	if (w->failed)
		return false;
	if (q->verb == CASE_VERBS)
		return err_printf(e, "case", "no verb; list, show ID or run ID is right");
	if (q->full && q->quick)
		return err_printf(e, "option --full", "beside --quick; one of them is right");
	if (q->all && (q->verb != CASE_RUN || q->ndefs))
		return err_printf(
			e, "option --all",
			"with case names, or not with `case run`; `case run --all` is right");
	for (uint32_t i = 0; (q->all || q->verb == CASE_LIST) && case_at(i); i++)
		q->defs[q->ndefs++] = case_at(i);
	return q->ndefs || err_printf(e, "case",
				      "which one? `runqlab case list` lists all; --all runs "
				      "all");
}

/* -- what comes out -- */

static struct json_object *number_or_null(double x)
{
	char text[DECIMAL_BYTES];

	case_number(text, x);
	return *text ? json_number_text(text, x) : NULL;
}

static void add_number(struct json_object *o, const char *key, double x)
{
	json_object_object_add(o, key, number_or_null(x));
}

static void add_bool(struct json_object *o, const char *key, bool x)
{
	json_object_object_add(o, key, json_object_new_boolean(x));
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static struct json_object *figure_json(const struct case_figure *f, const struct case_result *r,
				       uint32_t i)
{
	struct json_object *o = json_object_new_object(), *also = json_object_new_array(), *one;

	add_text(o, "name", f->name);
	add_number(o, "published", f->published);
	if (!isnan(f->published_low)) {
		add_number(o, "published_low", f->published_low);
		add_number(o, "published_high", f->published_high);
	}
	if (f->noise > 0)
		add_number(o, "noise", f->noise);
	add_number(o, "simulated", r->simulated[i]);
	if (!isnan(r->interval[i].low)) {
		add_number(o, "interval_low", r->interval[i].low);
		add_number(o, "interval_high", r->interval[i].high);
	}
	add_number(o, "low", f->low);
	add_number(o, "high", f->high);
	add_number(o, "aim_low", f->aim_low);
	add_number(o, "aim_high", f->aim_high);
	add_text(o, "unit", f->unit);
	if (f->kind)
		add_text(o, "kind", f->kind);
	add_bool(o, "required", f->required);
	add_bool(o, "holds", r->figure_holds[i]);
	for (uint32_t j = 0; j < CASE_ALSO_MAX && f->also[j].than; j++) {
		one = json_object_new_object();
		add_text(one, "test", f->also[j].test);
		add_bool(one, "holds", r->also_holds[i][j]);
		json_object_array_add(also, one);
	}
	json_object_object_add(o, "also", also);
	return o;
}

/* The kernels of the case; each that is not exact says so. */
static struct json_object *kernels_json(const struct case_def *def)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < SCENARIO_KERNELS_MAX && def->kernels[i]; i++) {
		struct json_object *o = json_object_new_object();
		struct rql_error e;
		struct kver v;

		add_text(o, "kernel", def->kernels[i]);
		if (kver_parse(def->kernels[i], &v, &e))
			json_add_exactness(o, v.approximate, v.rt_only);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *result_json_of(const struct case_def *def, const struct case_result *r)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();

	add_text(o, "case", def->id);
	add_bool(o, "holds", r->holds);
	if (r->nseeds > 1)
		json_object_object_add(o, "seeds", json_object_new_uint64(r->nseeds));
	json_object_object_add(o, "kernels", kernels_json(def));
	for (uint32_t i = 0; i < def->nfigures; i++)
		if (r->figure_ran[i])
			json_object_array_add(list, figure_json(&def->figures[i], r, i));
	json_object_object_add(o, "figures", list);
	return o;
}

static void bounds_text(char *out, size_t cap, const struct case_figure *f)
{
	char low[DECIMAL_BYTES], high[DECIMAL_BYTES];

	case_number(low, f->low);
	case_number(high, f->high);
	snprintf(out, cap, "%s%s%s", low, *low || *high ? ".." : "-", high);
}

static void published_text(char *out, size_t cap, const struct case_figure *f)
{
	char low[DECIMAL_BYTES], high[DECIMAL_BYTES];

	case_number(low, isnan(f->published_low) ? f->published : f->published_low);
	case_number(high, f->published_high);
	snprintf(out, cap, "%s%s%s", *low ? low : "-", *high ? ".." : "", high);
}

static void interval_cell(struct table *t, const struct stats_interval *x)
{
	if (isnan(x->low))
		table_cell(t, "-");
	else
		table_cell(t, "%.4g..%.4g", x->low, x->high);
}

static const char *verdict(const struct case_figure *f, const struct case_result *r, uint32_t i)
{
	if (!r->figure_ran[i])
		return "(with --full)";
	if (!r->figure_holds[i])
		return "NO";
	return case_is_judged(f) ? "yes" : "(not judged)";
}

/* R NULL: nothing was run, the columns about it are left out. */
static void print_figures(const struct case_def *def, const struct case_result *r)
{
	static const struct table_column columns[] = {
		{"name", false, false},       {"published", true, false}, {"noise", true, false},
		{"kind", false, false},       {"simulated", true, false}, {"95 %", true, false},
		{"must lie in", true, false}, {"holds", false, false},
	};
	static const struct table_column plain_columns[] = {
		{"name", false, false},     {"published", true, false},
		{"simulated", true, false}, {"must lie in", true, false},
		{"holds", false, false},
	};
	static const struct table_column show_columns[] = {
		{"name", false, false},
		{"published", true, false},
		{"must lie in", true, false},
		{"meaning", false, false},
	};
	bool intervals = r && def->intervals;
	struct table t;

	if (intervals)
		table_init(&t, columns, COUNT_OF(columns));
	else
		table_init(&t, r ? plain_columns : show_columns,
			   r ? COUNT_OF(plain_columns) : COUNT_OF(show_columns));
	for (uint32_t i = 0; i < def->nfigures; i++) {
		const struct case_figure *f = &def->figures[i];
		char published[2 * DECIMAL_BYTES + 4], bounds[2 * DECIMAL_BYTES + 4];

		published_text(published, sizeof(published), f);
		bounds_text(bounds, sizeof(bounds), f);
		table_cell(&t, "%s", f->name);
		table_cell(&t, "%s", published);
		if (intervals) {
			table_cell(&t, f->noise > 0 ? "%.4g" : "-", f->noise);
			table_cell(&t, "%s", f->kind ? f->kind : "");
		}
		if (r)
			table_cell(&t, isnan(r->simulated[i]) ? "-" : "%.4g", r->simulated[i]);
		if (intervals)
			interval_cell(&t, &r->interval[i]);
		table_cell(&t, "%s", bounds);
		table_cell(&t, "%s", r ? verdict(f, r, i) : f->what);
	}
	table_print(&t, stdout);
	table_free(&t);
}

/* What does not hold, in a line each. */
static void print_failures(const struct case_def *def, const struct case_result *r)
{
	for (uint32_t i = 0; i < def->nfigures; i++) {
		const struct case_figure *f = &def->figures[i];

		if (!r->figure_ran[i] || r->figure_holds[i])
			continue;
		if (f->if_not)
			printf("%s: %s\n", f->name, f->if_not);
		for (uint32_t j = 0; j < CASE_ALSO_MAX && f->also[j].than; j++)
			if (!r->also_holds[i][j])
				printf("%s: not %s\n", f->name, f->also[j].test);
	}
}

static bool same_version(const char *a, const char *b)
{
	size_t n = strcspn(a, ",");

	return n == strcspn(b, ",") && memcmp(a, b, n) == 0;
}

/* A line on the kernels that are not exact, if there are any; variants of one version stand together. */
static void print_inexact(const struct case_def *def)
{
	const char *before = "kernels that are not exact: ", *last = "";

	for (uint32_t i = 0; i < SCENARIO_KERNELS_MAX && def->kernels[i]; i++) {
		const char *kernel = def->kernels[i];
		struct rql_error e;
		struct kver v;

		if (same_version(kernel, last) || !kver_parse(kernel, &v, &e) ||
		    !(v.approximate || v.rt_only))
			continue;
		printf("%s%.*s%s", before, (int)strcspn(kernel, ","), kernel,
		       kver_exactness_mark(v.approximate, v.rt_only));
		before = ", ";
		last = kernel;
	}
	if (*last)
		puts("");
}

/* -- the verbs -- */

static struct json_object *list_json(const struct question *q)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < q->ndefs; i++) {
		const struct case_def *def = q->defs[i];
		struct json_object *o = json_object_new_object();
		struct json_object *kernels = json_object_new_array();

		add_text(o, "id", def->id);
		add_text(o, "title", def->title);
		add_text(o, "source", def->source);
		for (uint32_t k = 0; k < SCENARIO_KERNELS_MAX && def->kernels[k]; k++)
			json_object_array_add(kernels, json_object_new_string(def->kernels[k]));
		json_object_object_add(o, "kernels", kernels);
		json_object_object_add(o, "cost_s", json_object_new_uint64(def->cost_s));
		json_object_array_add(list, o);
	}
	return list;
}

static void print_list(const struct question *q)
{
	static const struct table_column columns[] = {
		{"case", false, false}, {"seconds", true, false}, {"title", false, false}};
	struct table t;

	table_init(&t, columns, COUNT_OF(columns));
	for (uint32_t i = 0; i < q->ndefs; i++) {
		table_cell(&t, "%s", q->defs[i]->id);
		table_cell(&t, "%u", (unsigned)q->defs[i]->cost_s);
		table_cell(&t, "%s", q->defs[i]->title);
	}
	table_print(&t, stdout);
	table_free(&t);
}

static void show_run(const struct case_def *def, const struct case_run *run, bool full)
{
	const char *time = full ? run->time_full : run->time_quick;
	uint32_t nseeds = case_nseeds(def, full);

	printf("  runqlab run -m %s -k %s", run->machine, run->kernel);
	if (time)
		printf(" -t %s", time);
	if (run->prices)
		printf(" --prices %s", run->prices);
	if (run->autogroup)
		printf(" --autogroup");
	if (run->atomic)
		printf(" --atomic");
	for (uint32_t j = 0; j < CASE_WORK_MAX && run->work[j]; j++) {
		const char *work = j ? run->work[j] : case_first_work(run, full);

		printf(" %s %s", work[0] == '/' ? "--cgroup" : "-w", work);
	}
	if (nseeds > 1)
		printf(" -s 1..%u", (unsigned)nseeds);
	if (run->fork_pct)
		printf(" (fork at %u %% of its price)", (unsigned)run->fork_pct);
	if (run->first_run_pct)
		printf(" (child_first_run at %u %% of its price)", (unsigned)run->first_run_pct);
	puts("");
}

static void show(const struct case_def *def, bool full)
{
	printf("%s: %s\nsource: %s\n", def->id, def->title, def->source);
	print_inexact(def);
	puts("");
	print_figures(def, NULL);
	puts("\nsimulations:");
	for (uint32_t i = 0; i < def->nruns; i++) {
		const struct case_run *run = &def->runs[i];

		if (!run->full_only || full)
			show_run(def, run, full);
	}
}

/* Runs all; *JSON, if wanted, is what they make. */
static bool run_cases(struct question *q, uint32_t *nhold, struct json_object **json,
		      struct rql_error *e)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < q->ndefs; i++) {
		const struct case_def *def = q->defs[i];
		struct case_result r;

		if (!case_execute(def, q->full, &r, e)) {
			json_object_put(list);
			return false;
		}
		*nhold += r.holds;
		json_object_array_add(list, result_json_of(def, &r));
		if (q->json.to_stdout)
			continue;
		printf("%s%s: %s\n", i ? "\n" : "", def->id, def->title);
		if (r.nseeds > 1)
			printf("%s over %u paired seeds\n", def->middle, (unsigned)r.nseeds);
		print_inexact(def);
		puts("");
		print_figures(def, &r);
		print_failures(def, &r);
		printf("\n%s %s\n", def->id, r.holds ? "holds" : "does not hold");
		fflush(stdout);
	}
	if (q->all && !q->json.to_stdout)
		printf("\n%u of %u cases hold\n", (unsigned)*nhold, (unsigned)q->ndefs);
	*json = list;
	if (q->ndefs == 1 && !q->all) {
		*json = json_object_get(json_object_array_get_idx(list, 0));
		json_object_put(list);
	}
	return true;
}

static int answer(struct question *q, struct rql_error *e)
{
	struct json_object *json = NULL;
	uint32_t nhold = q->ndefs;

	if (q->verb == CASE_LIST) {
		json = list_json(q);
		if (!q->json.to_stdout)
			print_list(q);
	} else if (q->verb == CASE_SHOW) {
		json = list_json(q);
		for (uint32_t i = 0; i < q->ndefs && !q->json.to_stdout; i++)
			show(q->defs[i], q->full);
	} else {
		uint64_t rt_only = 0;

		for (uint32_t i = 0; i < q->ndefs; i++)
			rt_only |= case_rt_only(q->defs[i], q->full);
		cmd_warn_rt_only(rt_only);
		nhold = 0;
		if (!run_cases(q, &nhold, &json, e))
			return cmd_fail(e);
	}
	if (!q->json.wanted)
		json_object_put(json);
	else if (!json_out_write(&q->json, json, e))
		return cmd_fail(e);
	return nhold == q->ndefs ? EXIT_DONE : EXIT_DOES_NOT_HOLD;
}

int cmd_case(struct opt_walk *w)
{
	struct question q;
	struct rql_error e;
	int status;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	q.verb = CASE_VERBS;
	status = read_options(&q, w, &e) ? answer(&q, &e) : cmd_fail(&e);
	json_out_abandon(&q.json);
	return status;
}
