/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First what was asked: do the ends differ, and which change does it. Then every
 * kernel that was tried, why the ends differ as `runqlab compare` tells it, and
 * where the good kernel parts from the same with the culprit.
 */
#include "cli/bisect_out.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare_out.h"
#include "cli/numbers.h"
#include "cli/parting_out.h"
#include "cli/table.h"
#include "experiment/result.h"

static const char *const like_names[] = {"good", "bad"};

/* Was SET enough? The one added to good shall be bad, the one taken from bad good. */
static bool is_enough(const struct bisect *b, const struct bisect_set *set)
{
	return set->like == (set == &b->search.adding ? BISECT_LIKE_BAD : BISECT_LIKE_GOOD);
}

bool bisect_holds(const struct bisect *b)
{
	return b->differ && is_enough(b, &b->search.adding) && is_enough(b, &b->search.removing);
}

/* Is STEP one of the culprits: what has to be added or removed? */
static bool is_culprit(const struct bisect *b, uint32_t step)
{
	const struct bisect_set *sets[] = {&b->search.adding, &b->search.removing};

	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t j = 0; j < sets[i]->nsteps; j++)
			if (sets[i]->step[j] == step)
				return true;
	return false;
}

/* -- for people -- */

static const char *direction_name(const struct bisect *b)
{
	return b->differ ? compare_verdict_name(b->line.verdict) : "cannot be told apart";
}

/* The differences' mean and interval, where zeros leave no ratio. */
static struct stats_interval difference_of_ends(const struct bisect *b)
{
	double good[COMPARE_SEEDS_MAX], bad[COMPARE_SEEDS_MAX];

	compare_values(&b->ends, 0, b->metric, good);
	compare_values(&b->ends, 1, b->metric, bad);
	return stats_paired_difference(good, bad, b->nseeds);
}

static void print_ends(const struct bisect *b)
{
	const struct scenario *s = b->scenario;
	const struct metric_info *metric = metric_info(b->metric);
	struct stats_interval x = b->line.ratio;
	char a[NUMBER_BYTES], c[NUMBER_BYTES], mid[NUMBER_BYTES], interval[2 * NUMBER_BYTES];
	bool is_ratio = !isnan(x.mid);

	printf("%s (bad) against %s (good) on %s, ", b->plan.text[1], b->plan.text[0],
	       strlen(s->machine) < 60 ? s->machine : s->topo.name);
	if (b->nseeds > 1)
		printf("seeds %" PRIu64 " to %" PRIu64 "\n", s->seed, s->seed + b->nseeds - 1);
	else
		printf("seed %" PRIu64 " alone: no intervals\n", s->seed);
	if (!is_ratio)
		x = difference_of_ends(b);
	interval_text(interval, &x);
	printf("%s: good %s, bad %s %s; %s %s, 95 %% %s: %s\n", metric->name,
	       number_text(a, b->line.first), number_text(c, b->line.mean), metric->unit,
	       is_ratio ? "ratio" : "difference", ratio_text(mid, x.mid), interval,
	       direction_name(b));
}

static void print_change(const struct bisect *b, const struct bisect_change *change)
{
	const struct kver_delta *d = bisect_plan_delta(change);
	char item[BISECT_ITEM_BYTES];

	bisect_plan_item(&b->plan, change, item);
	if (!d) {
		printf("  %s: set in a KERNEL text, no change of upstream's\n", item);
		return;
	}
	printf("  %s (%s has it): %s\n    %s\n", item, item[0] == '+' ? "bad" : "good", d->what,
	       d->origin);
	if (strcmp(d->since, "-") != 0)
		printf("    since %s%s%s\n", d->since, d->until ? ", until " : "",
		       d->until ? d->until : "");
}

static void print_step(const struct bisect *b, uint32_t step)
{
	for (uint32_t i = 0; i < b->plan.nchanges; i++)
		if (b->plan.change[i].step == step)
			print_change(b, &b->plan.change[i]);
}

/* The items of SET but its first step, as "+a, -b". */
static void print_others(const struct bisect *b, const struct bisect_set *set)
{
	char item[BISECT_ITEM_BYTES];
	const char *comma = "";

	for (uint32_t j = 1; j < set->nsteps; j++) {
		for (uint32_t i = 0; i < b->plan.nchanges; i++) {
			if (b->plan.change[i].step != set->step[j])
				continue;
			bisect_plan_item(&b->plan, &b->plan.change[i], item);
			printf("%s%s", comma, item);
			comma = ", ";
		}
	}
}

/* Does SET's state differ from its end in more steps than the set has? */
static bool has_company(const struct bisect *b, const struct bisect_set *set)
{
	bool adding = set == &b->search.adding;
	uint32_t n = 0;

	for (uint32_t i = 0; i < b->plan.nsteps; i++)
		n += set->as_bad[i] == adding;
	return n > set->nsteps;
}

static void print_set(const struct bisect *b, const struct bisect_set *set)
{
	const struct bisect_tried *t = bisect_tried_of(b, set);
	bool adding = set == &b->search.adding;

	fputs(adding ? "added to good" : "taken from bad", stdout);
	if (set->nsteps > 1) {
		fputs(adding ? ", it is not enough alone; with " : ", it is no cure alone; with ",
		      stdout);
		print_others(b, set);
	}
	if (has_company(b, set))
		fputs(adding ? ", and what is needed" : ", and what needs it", stdout);
	printf(": %s is like %s\n", t->kernel, like_names[set->like]);
	if (!is_enough(b, set))
		puts("  that is not enough, and more are not looked for");
	else if (set->nsteps > 1)
		puts("  they were found one after the other; others might do as well");
}

static void print_culprits(const struct bisect *b)
{
	uint32_t first = b->search.culprit;

	puts("\nculprit:");
	print_step(b, first);
	for (uint32_t step = 0; step < b->plan.nsteps; step++)
		if (step != first && is_culprit(b, step))
			print_step(b, step);
	print_set(b, &b->search.adding);
	print_set(b, &b->search.removing);
}

static void print_tried(const struct bisect *b)
{
	const struct table_column columns[] = {
		{metric_info(b->metric)->name, true, false},
		{"to good", true, false},
		{"95 %", true, false},
		{"to bad", true, false},
		{"95 %", true, false},
		{"is like", false, false},
		{"kernel", false, false},
	};
	char text[2 * NUMBER_BYTES];
	struct table t;

	printf("\n%u step%s between good and bad, %u kernels compared:\n", (unsigned)b->plan.nsteps,
	       b->plan.nsteps == 1 ? "" : "s", (unsigned)b->search.njudged);
	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < b->search.njudged; i++) {
		const struct bisect_tried *x = &b->tried[i];

		table_cell(&t, "%s", number_text(text, x->to_good.mean));
		table_cell(&t, "%s", ratio_text(text, x->to_good.ratio.mid));
		interval_text(text, &x->to_good.ratio);
		table_cell(&t, "%s", text);
		table_cell(&t, "%s", ratio_text(text, x->to_bad.ratio.mid));
		interval_text(text, &x->to_bad.ratio);
		table_cell(&t, "%s", text);
		table_cell(&t, "%s%s", like_names[x->like], x->between ? ", between" : "");
		table_cell(&t, "%s%s", x->kernel, kver_exactness_mark(x->approximate, x->rt_only));
	}
	table_print(&t, stdout);
	table_free(&t);
}

bool bisect_print(const struct bisect *b, struct rql_error *e)
{
	print_ends(b);
	if (!b->differ) {
		puts("nothing to look for: more seeds (-n) or longer work may tell them apart");
		fflush(stdout);
		return true;
	}
	print_culprits(b);
	print_tried(b);
	if (!compare_print_why(&b->ends, 1, e))
		return false;
	parting_print(&b->parting, b->without, bisect_tried_of(b, &b->search.adding)->kernel,
		      b->scenario->seed);
	fflush(stdout); /* before what is said on standard error */
	return true;
}

/* -- for programs -- */

static void add_bool(struct json_object *o, const char *key, bool x)
{
	json_object_object_add(o, key, json_object_new_boolean(x));
}

static void add_ratio(struct json_object *o, const char *ratio, const char *interval,
		      const struct stats_interval *x)
{
	json_add_number(o, ratio, x->mid);
	json_object_object_add(o, interval, json_interval(x));
}

static struct json_object *item_json(const struct bisect *b, const struct bisect_change *change)
{
	char item[BISECT_ITEM_BYTES];

	bisect_plan_item(&b->plan, change, item);
	return json_object_new_string(item);
}

static struct json_object *change_json(const struct bisect *b, const struct bisect_change *change)
{
	const struct kver_delta *d = bisect_plan_delta(change);
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "change", item_json(b, change));
	json_object_object_add(o, "step", json_object_new_uint64(change->step));
	add_bool(o, "culprit", b->differ && is_culprit(b, change->step));
	json_add_text(o, "delta", d ? d->name : NULL);
	json_add_text(o, "what", d ? d->what : NULL);
	json_add_text(o, "origin", d ? d->origin : NULL);
	json_add_text(o, "since", d ? d->since : NULL);
	json_add_text(o, "until", d ? d->until : NULL);
	return o;
}

/* The changes in the order of steps. */
static struct json_object *changes_json(const struct bisect *b)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t step = 0; step < b->plan.nsteps; step++)
		for (uint32_t i = 0; i < b->plan.nchanges; i++)
			if (b->plan.change[i].step == step)
				json_object_array_add(list, change_json(b, &b->plan.change[i]));
	return list;
}

/* The changes of steps that are culprits, the first one found first. */
static struct json_object *culprit_json(const struct bisect *b)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t pass = 0; b->differ && pass < 2; pass++) {
		for (uint32_t i = 0; i < b->plan.nchanges; i++) {
			const struct bisect_change *change = &b->plan.change[i];
			bool first = change->step == b->search.culprit;

			if (is_culprit(b, change->step) && first == !pass)
				json_object_array_add(list, item_json(b, change));
		}
	}
	return list;
}

static struct json_object *set_json(const struct bisect *b, const struct bisect_set *set)
{
	struct json_object *o, *list;

	if (!b->differ)
		return NULL;
	o = json_object_new_object();
	list = json_object_new_array();
	for (uint32_t j = 0; j < set->nsteps; j++)
		for (uint32_t i = 0; i < b->plan.nchanges; i++)
			if (b->plan.change[i].step == set->step[j])
				json_object_array_add(list, item_json(b, &b->plan.change[i]));
	json_object_object_add(o, "changes", list);
	json_add_text(o, "kernel", bisect_tried_of(b, set)->kernel);
	json_add_text(o, "like", like_names[set->like]);
	add_bool(o, "enough", is_enough(b, set));
	return o;
}

static struct json_object *tried_json(const struct bisect *b)
{
	uint32_t n = b->differ ? b->search.njudged : 2;
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct bisect_tried *x = &b->tried[i];
		struct json_object *o = json_object_new_object();
		char text[17];

		json_add_text(o, "kernel", x->kernel);
		json_add_exactness(o, x->approximate, x->rt_only);
		snprintf(text, sizeof(text), "%016" PRIx64, x->fingerprint);
		json_add_text(o, "fingerprint", text);
		json_add_number(o, "mean", x->to_good.mean);
		add_ratio(o, "ratio_to_good", "interval_to_good", &x->to_good.ratio);
		add_ratio(o, "ratio_to_bad", "interval_to_bad", &x->to_bad.ratio);
		json_add_text(o, "like", b->differ ? like_names[x->like] : NULL);
		add_bool(o, "between", x->between);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *ends_json(const struct bisect *b)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "good", b->plan.text[0]);
	json_add_text(o, "bad", b->plan.text[1]);
	json_add_number(o, "good_mean", b->line.first);
	json_add_number(o, "bad_mean", b->line.mean);
	add_ratio(o, "ratio", "interval", &b->line.ratio);
	json_add_text(o, "verdict", compare_verdict_name(b->line.verdict));
	return o;
}

static struct json_object *parting_of(const struct bisect *b)
{
	return parting_json(&b->parting, b->without, bisect_tried_of(b, &b->search.adding)->kernel,
			    b->scenario->seed);
}

struct json_object *bisect_json(const struct bisect *b, struct rql_error *e)
{
	struct json_object *o = json_object_new_object(), *why;

	json_object_object_add(o, "runqlab", json_object_new_uint64(1));
	json_object_object_add(o, "scenario", scenario_json(b->scenario));
	json_object_object_add(o, "seeds", json_object_new_uint64(b->nseeds));
	json_add_text(o, "metric", metric_info(b->metric)->name);
	json_add_text(o, "unit", metric_info(b->metric)->unit);
	json_object_object_add(o, "ends", ends_json(b));
	json_object_object_add(o, "culprit", culprit_json(b));
	json_object_object_add(o, "comparisons",
			       json_object_new_uint64(b->differ ? b->search.njudged : 2));
	add_bool(o, "holds", bisect_holds(b));
	json_object_object_add(o, "steps", json_object_new_uint64(b->plan.nsteps));
	json_object_object_add(o, "changes", changes_json(b));
	json_object_object_add(o, "adding", set_json(b, &b->search.adding));
	json_object_object_add(o, "removing", set_json(b, &b->search.removing));
	json_object_object_add(o, "kernels", tried_json(b));
	why = b->differ ? compare_why_json(&b->ends, 1, e) : NULL;
	if (b->differ && !why) {
		json_object_put(o);
		return NULL;
	}
	json_object_object_add(o, "why", why);
	json_object_object_add(o, "parting", b->differ ? parting_of(b) : NULL);
	return o;
}
