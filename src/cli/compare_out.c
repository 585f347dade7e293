/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table for each kernel beside the first, and below it in sentences what
 * changed inside the scheduler. Numbers are cut to what means something; the
 * JSON has nine digits.
 */
#include "cli/compare_out.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/numbers.h"
#include "cli/table.h"
#include "experiment/compare_why.h"
#include "experiment/result.h"
#include "kver/kver.h"

#define NAME_MAX_SHOWN 16u /* longer names of kernels do not head a column */

/* -- for people -- */

static void print_table(const struct compare *c, uint32_t kernel)
{
	const char *first = c->scenario->kernels[0], *other = c->scenario->kernels[kernel];
	const struct table_column columns[] = {
		{"metric", false, false},
		{"unit", false, false},
		{strlen(first) <= NAME_MAX_SHOWN ? first : "first", true, false},
		{strlen(other) <= NAME_MAX_SHOWN ? other : "this", true, false},
		{"ratio", true, false},
		{"95 %", true, false},
		{"verdict", false, false},
	};
	char text[2 * NUMBER_BYTES];
	struct table t;

	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (enum metric_id i = 0; i < METRIC_COUNT; i++) {
		struct compare_line line = compare_metric(c, kernel, i);

		if (isnan(line.first) && isnan(line.mean))
			continue;
		table_cell(&t, "%s", metric_info(i)->name);
		table_cell(&t, "%s", metric_info(i)->unit);
		table_cell(&t, "%s", number_text(text, line.first));
		table_cell(&t, "%s", number_text(text, line.mean));
		table_cell(&t, "%s", ratio_text(text, line.ratio.mid));
		interval_text(text, &line.ratio);
		table_cell(&t, "%s", text);
		table_cell(&t, "%s", compare_verdict_name(line.verdict));
	}
	table_print(&t, stdout);
	table_free(&t);
}

static void print_path(const struct why_path *p, const char *first, const char *other)
{
	const char *meaning = why_path_meaning(p->path);

	printf("  %s spends %.3g %% of CPU time in %s (%s: %.3g %%)%s%s\n", other,
	       100 * p->share.other, p->path, first, 100 * p->share.first, meaning ? ": " : "",
	       meaning ? meaning : "");
}

static void print_counter(const struct why_counter *x, const char *first)
{
	static const char *const types[] = {" idle", " not_idle", " newly_idle", ""};
	static const char *const who[] = {" by an idle CPU", " by a busy CPU",
					  " by a CPU about to go idle", ""};
	char a[NUMBER_BYTES], b[NUMBER_BYTES], times[NUMBER_BYTES];

	printf("  %s%s", x->what, who[x->type]);
	if (x->level != WHY_NO_LEVEL)
		printf(", level %u (%s)", (unsigned)x->level, x->level_name);
	printf(": %s a run, ", number_text(a, x->count.other));
	if (x->count.first > 0)
		printf("%s times %s's ", number_text(times, x->count.other / x->count.first),
		       first);
	else
		printf("%s: ", first);
	printf("%s [%s%s]\n", number_text(b, x->count.first), x->name, types[x->type]);
}

/* N attempts that moved M tasks, and what one took. */
static void print_attempts(double attempts, double moved, double ns)
{
	char a[NUMBER_BYTES], b[NUMBER_BYTES], us[NUMBER_BYTES];

	printf("%s attempts moved %s tasks and took %s us each", number_text(a, attempts),
	       number_text(b, moved), number_text(us, attempts > 0 ? ns / attempts / 1000 : 0));
}

static void print_newly_idle(const struct why_newly_idle *x, const char *first, const char *other)
{
	if (!(x->attempts.first > 0) && !(x->attempts.other > 0))
		return;
	printf("  balancing by CPUs about to go idle: %s's ", other);
	print_attempts(x->attempts.other, x->moved.other, x->ns.other);
	printf("; %s's ", first);
	print_attempts(x->attempts.first, x->moved.first, x->ns.first);
	puts("");
}

bool compare_print_why(const struct compare *c, uint32_t kernel, struct rql_error *e)
{
	const char *first = c->scenario->kernels[0], *other = c->scenario->kernels[kernel];
	struct compare_why why;

	if (!compare_why(c, kernel, &why, e))
		return false;
	printf("\nwhy, as means over the seeds; CPU time is that of CPUs not idle:\n");
	printf("  %s spends %.3g %% of CPU time in the scheduler (%s: %.3g %%), %.3g %% waiting "
	       "for and taking locks (%s: %.3g %%)\n",
	       other, 100 * why.sched_share.other, first, 100 * why.sched_share.first,
	       100 * why.lock_share.other, first, 100 * why.lock_share.first);
	print_newly_idle(&why.newly_idle, first, other);
	for (uint32_t i = 0; i < why.npaths; i++)
		print_path(&why.path[i], first, other);
	if (!why.npaths)
		puts("  no place in the scheduler changed by 0.1 % of CPU time");
	for (uint32_t i = 0; i < why.ncounters; i++)
		print_counter(&why.counter[i], first);
	if (!why.ncounters)
		puts("  no counter changed by half or more");
	return true;
}

static void print_gates(const struct compare *c, const struct compare_gates *gates)
{
	if (gates->n)
		puts("");
	for (uint32_t i = 0; i < gates->n; i++) {
		const struct compare_gate *g = &gates->gate[i];

		for (uint32_t k = 1; k < c->scenario->nkernels; k++) {
			struct compare_line line = compare_metric(c, k, g->metric);
			char text[NUMBER_BYTES];

			printf("gate %s=%u%%, %s: ratio %s, %s\n", metric_info(g->metric)->name,
			       (unsigned)g->percent, c->scenario->kernels[k],
			       ratio_text(text, line.ratio.mid),
			       compare_gate_holds(c, g, k) ? "holds" :
			       line.verdict == COMPARE_UNKNOWN ?
							     "DOES NOT HOLD: no run defines it" :
							     "DOES NOT HOLD");
		}
	}
}

static const char *exactness_mark(const struct compare_sample *s)
{
	return kver_exactness_mark(s->approximate, s->rt_only);
}

bool compare_print(const struct compare *c, const struct compare_gates *gates, struct rql_error *e)
{
	const struct scenario *s = c->scenario;

	for (uint32_t k = 1; k < s->nkernels; k++) {
		printf("%s%s%s against %s%s (first) on %s, ", k > 1 ? "\n" : "", s->kernels[k],
		       exactness_mark(compare_sample(c, k, 0)), s->kernels[0],
		       exactness_mark(compare_sample(c, 0, 0)),
		       strlen(s->machine) < 60 ? s->machine : s->topo.name);
		if (c->nseeds > 1)
			printf("seeds %llu to %llu\n\n", (unsigned long long)s->seed,
			       (unsigned long long)(s->seed + c->nseeds - 1));
		else
			printf("seed %llu alone: no intervals\n\n", (unsigned long long)s->seed);
		print_table(c, k);
		if (!compare_print_why(c, k, e))
			return false;
	}
	print_gates(c, gates);
	fflush(stdout); /* before what is said on standard error */
	return true;
}

bool compare_gates_hold(const struct compare *c, const struct compare_gates *gates)
{
	bool hold = true;

	for (uint32_t i = 0; i < gates->n; i++)
		for (uint32_t k = 1; k < c->scenario->nkernels; k++)
			hold = compare_gate_holds(c, &gates->gate[i], k) && hold;
	return hold;
}

/* -- for programs -- */

static struct json_object *kernel_json(const struct compare *c, uint32_t kernel)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	char text[17];

	json_add_text(o, "kernel", c->scenario->kernels[kernel]);
	json_add_exactness(o, compare_sample(c, kernel, 0)->approximate,
			   compare_sample(c, kernel, 0)->rt_only);
	for (uint32_t i = 0; i < c->nseeds; i++) {
		snprintf(text, sizeof(text), "%016llx",
			 (unsigned long long)compare_sample(c, kernel, i)->fingerprint);
		json_object_array_add(list, json_object_new_string(text));
	}
	json_object_object_add(o, "fingerprints", list);
	return o;
}

/* A metric of one kernel. */
static struct json_object *line_json(const struct compare *c, uint32_t kernel, enum metric_id id)
{
	struct compare_line line = compare_metric(c, kernel, id);
	struct json_object *o = json_object_new_object(), *list;
	double x[COMPARE_SEEDS_MAX];

	json_add_text(o, "kernel", c->scenario->kernels[kernel]);
	json_add_number(o, "mean", line.mean);
	json_add_number(o, "ratio", line.ratio.mid);
	json_object_object_add(o, "interval", json_interval(&line.ratio));
	json_add_text(o, "verdict",
		      line.verdict == COMPARE_UNKNOWN ? NULL : compare_verdict_name(line.verdict));
	compare_values(c, kernel, id, x);
	list = json_object_new_array();
	for (uint32_t i = 0; i < c->nseeds; i++)
		json_object_array_add(list, json_number(x[i]));
	json_object_object_add(o, "values", list);
	return o;
}

static struct json_object *metric_json(const struct compare *c, enum metric_id id)
{
	static const char *const better[] = {NULL, "lower", "higher"};
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();

	json_add_text(o, "metric", metric_info(id)->name);
	json_add_text(o, "unit", metric_info(id)->unit);
	json_add_text(o, "better", better[metric_info(id)->better]);
	for (uint32_t k = 0; k < c->scenario->nkernels; k++)
		json_object_array_add(list, line_json(c, k, id));
	json_object_object_add(o, "kernels", list);
	return o;
}

static struct json_object *path_json(const struct why_path *p)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "path", p->path);
	json_add_number(o, "first_ns", p->ns.first);
	json_add_number(o, "ns", p->ns.other);
	json_add_number(o, "first_share", p->share.first);
	json_add_number(o, "share", p->share.other);
	return o;
}

static struct json_object *counter_json(const struct why_counter *x)
{
	static const char *const types[] = {"idle", "not_idle", "newly_idle", NULL};
	struct json_object *o = json_object_new_object();

	json_add_text(o, "counter", x->name);
	json_object_object_add(o, "level",
			       x->level == WHY_NO_LEVEL ? NULL : json_object_new_uint64(x->level));
	json_add_text(o, "level_name", x->level_name);
	json_add_text(o, "idle_type", types[x->type]);
	json_add_number(o, "first", x->count.first);
	json_add_number(o, "count", x->count.other);
	json_add_number(o, "ratio",
			x->count.first > 0 ? x->count.other / x->count.first : STATS_NONE);
	return o;
}

static struct json_object *newly_idle_json(const struct why_newly_idle *x)
{
	struct json_object *o = json_object_new_object();

	json_add_number(o, "first_attempts", x->attempts.first);
	json_add_number(o, "attempts", x->attempts.other);
	json_add_number(o, "first_moved", x->moved.first);
	json_add_number(o, "moved", x->moved.other);
	json_add_number(o, "first_ns", x->ns.first);
	json_add_number(o, "ns", x->ns.other);
	return o;
}

struct json_object *compare_why_json(const struct compare *c, uint32_t kernel, struct rql_error *e)
{
	struct json_object *o, *list;
	struct compare_why why;

	if (!compare_why(c, kernel, &why, e))
		return NULL;
	o = json_object_new_object();
	json_add_text(o, "kernel", c->scenario->kernels[kernel]);
	json_add_number(o, "first_sched_share", why.sched_share.first);
	json_add_number(o, "sched_share", why.sched_share.other);
	json_add_number(o, "first_lock_share", why.lock_share.first);
	json_add_number(o, "lock_share", why.lock_share.other);
	json_object_object_add(o, "newly_idle", newly_idle_json(&why.newly_idle));
	list = json_object_new_array();
	for (uint32_t i = 0; i < why.npaths; i++)
		json_object_array_add(list, path_json(&why.path[i]));
	json_object_object_add(o, "paths", list);
	list = json_object_new_array();
	for (uint32_t i = 0; i < why.ncounters; i++)
		json_object_array_add(list, counter_json(&why.counter[i]));
	json_object_object_add(o, "counters", list);
	return o;
}

static struct json_object *gate_json(const struct compare *c, const struct compare_gate *g,
				     uint32_t kernel)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "metric", metric_info(g->metric)->name);
	json_object_object_add(o, "percent", json_object_new_uint64(g->percent));
	json_add_text(o, "kernel", c->scenario->kernels[kernel]);
	json_add_number(o, "ratio", compare_metric(c, kernel, g->metric).ratio.mid);
	json_object_object_add(o, "holds",
			       json_object_new_boolean(compare_gate_holds(c, g, kernel)));
	return o;
}

struct json_object *compare_json(const struct compare *c, const struct compare_gates *gates,
				 struct rql_error *e)
{
	uint32_t nkernels = c->scenario->nkernels;
	struct json_object *o = json_object_new_object(), *list, *why = json_object_new_array();

	json_object_object_add(o, "runqlab", json_object_new_uint64(1));
	json_object_object_add(o, "scenario", scenario_json(c->scenario));
	json_object_object_add(o, "seeds", json_object_new_uint64(c->nseeds));
	list = json_object_new_array();
	for (uint32_t k = 0; k < nkernels; k++)
		json_object_array_add(list, kernel_json(c, k));
	json_object_object_add(o, "kernels", list);
	list = json_object_new_array();
	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		json_object_array_add(list, metric_json(c, i));
	json_object_object_add(o, "metrics", list);
	json_object_object_add(o, "why", why);
	for (uint32_t k = 1; k < nkernels; k++) {
		struct json_object *one = compare_why_json(c, k, e);

		if (!one) {
			json_object_put(o);
			return NULL;
		}
		json_object_array_add(why, one);
	}
	list = json_object_new_array();
	for (uint32_t i = 0; i < gates->n; i++)
		for (uint32_t k = 1; k < nkernels; k++)
			json_object_array_add(list, gate_json(c, &gates->gate[i], k));
	json_object_object_add(o, "gates", list);
	json_object_object_add(o, "holds", json_object_new_boolean(compare_gates_hold(c, gates)));
	return o;
}
