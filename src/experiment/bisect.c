/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins the plan (which kernels there are on the way), the search (which of
 * them to try) and the comparison (what a kernel is like). The ends are simulated
 * first and together; if they cannot be told apart there is nothing to
 * search. Each further kernel is the only one of a scenario that is the
 * user's but for it, and is compared with both ends.
 */
#include "experiment/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"

static bool out_of_memory(struct rql_error *e)
{
	return err_printf(e, "bisect", "out of memory; fewer seeds are needed");
}

/* -- like good or like bad -- */

static double log_distance(const double *a, const double *b, uint32_t n)
{
	return fabs(log(stats_paired_ratio(a, b, n).mid));
}

static double difference(const double *a, const double *b, uint32_t n)
{
	return fabs(stats_paired_difference(a, b, n).mid);
}

enum bisect_like bisect_nearer(const double *good, const double *bad, const double *x, uint32_t n)
{
	double to_good = log_distance(good, x, n), to_bad = log_distance(bad, x, n);

	if (isnan(to_good) || isnan(to_bad)) {
		to_good = difference(good, x, n);
		to_bad = difference(bad, x, n);
	}
	return to_good <= to_bad ? BISECT_LIKE_GOOD : BISECT_LIKE_BAD;
}

static bool is_told_apart(const struct compare_line *line)
{
	return line->verdict != COMPARE_SAME && line->verdict != COMPARE_UNKNOWN;
}

static bool not_defined(const struct bisect *b, const char *kernel, struct rql_error *e)
{
	return err_printf(e, "option --metric",
			  "no run of %.200s defines %s here; a metric that `runqlab run` shows "
			  "for this work is right",
			  kernel, metric_info(b->metric)->name);
}

/* What the next state of the search is like, from the samples of its runs. */
static bool weigh(struct bisect *b, const char *kernel, const struct compare_sample *samples,
		  struct rql_error *e)
{
	struct bisect_tried *t = &b->tried[b->search.njudged];
	double good[COMPARE_SEEDS_MAX], bad[COMPARE_SEEDS_MAX], x[COMPARE_SEEDS_MAX];

	compare_values(&b->ends, 0, b->metric, good);
	compare_values(&b->ends, 1, b->metric, bad);
	for (uint32_t i = 0; i < b->nseeds; i++) {
		struct metric_value v = samples[i].value[b->metric];

		x[i] = v.den ? (double)v.num / (double)v.den : STATS_NONE;
		b->events += samples[i].events;
	}
	memcpy(t->kernel, kernel, strlen(kernel) + 1);
	t->to_good = compare_line_of(b->metric, good, x, b->nseeds);
	t->to_bad = compare_line_of(b->metric, bad, x, b->nseeds);
	t->like = bisect_nearer(good, bad, x, b->nseeds);
	t->between = is_told_apart(&t->to_good) && is_told_apart(&t->to_bad);
	t->fingerprint = samples[0].fingerprint;
	t->approximate = samples[0].approximate;
	t->rt_only = samples[0].rt_only;
	if (t->to_good.verdict == COMPARE_UNKNOWN || t->to_bad.verdict == COMPARE_UNKNOWN)
		return not_defined(b, kernel, e);
	return true;
}

/* -- the search's questions -- */

static bool possible(void *arg, const bool *as_bad)
{
	const struct bisect *b = arg;
	char text[KVER_NAME_BYTES];

	return bisect_plan_kernel(&b->plan, as_bad, text);
}

/* B's scenario with KERNEL alone; nothing of it is to be freed. */
static struct scenario scenario_of(const struct bisect *b, char *kernel)
{
	struct scenario s = *b->scenario;

	memset(s.kernels, 0, sizeof(s.kernels));
	s.kernels[0] = kernel;
	s.nkernels = 1;
	return s;
}

static bool judge(void *arg, const bool *as_bad, enum bisect_like *out, struct rql_error *e)
{
	struct bisect *b = arg;
	char text[KVER_NAME_BYTES];
	struct scenario s = scenario_of(b, text);
	struct compare one = {
		.scenario = &s, .nseeds = b->nseeds, .at_once = b->at_once, .audit = b->audit};
	struct compare_sample *samples = calloc(b->nseeds, sizeof(*samples));
	bool ok;

	if (!samples)
		return out_of_memory(e);
	ok = bisect_plan_kernel(&b->plan, as_bad, text);
	CHECK(ok && "the search asks for possible kernels only");
	if (b->progress)
		b->progress(b, text);
	ok = compare_execute_one(&one, 0, samples, e) && weigh(b, text, samples, e);
	free(samples);
	*out = b->tried[b->search.njudged].like;
	return ok;
}

/* -- the whole -- */

static bool compare_ends(struct bisect *b, struct rql_error *e)
{
	b->ends = (struct compare){.scenario = b->scenario,
				   .nseeds = b->nseeds,
				   .at_once = b->at_once,
				   .audit = b->audit};
	if (b->progress)
		b->progress(b, "both ends");
	if (!compare_execute(&b->ends, e))
		return false;
	b->line = compare_metric(&b->ends, 1, b->metric);
	if (b->line.verdict == COMPARE_UNKNOWN)
		return not_defined(b, isnan(b->line.first) ? b->plan.text[0] : b->plan.text[1], e);
	b->differ = is_told_apart(&b->line);
	return true;
}

/* The ends are states like others. */
static bool weigh_ends(struct bisect *b, struct rql_error *e)
{
	bool ok = true;

	for (uint32_t i = 0; i < 2 && ok; i++) {
		b->search.njudged = i;
		ok = weigh(b, b->plan.text[i], compare_sample(&b->ends, i, 0), e);
	}
	b->search.njudged = 0;
	return ok;
}

const struct bisect_tried *bisect_tried_of(const struct bisect *b, const struct bisect_set *set)
{
	for (uint32_t i = 0; i < b->search.njudged; i++)
		if (bisect_search_same(&b->search, b->search.judged[i].as_bad, set->as_bad))
			return &b->tried[i];
	CHECK(false && "every set's state was judged");
	return NULL;
}

/* What the culprit needs to be there at all shall not be taken for what it does. */
static void choose_without(struct bisect *b)
{
	bool as_bad[BISECT_STEPS_MAX];

	memcpy(as_bad, b->search.adding.as_bad, sizeof(as_bad));
	as_bad[b->search.culprit] = false;
	if (!bisect_plan_kernel(&b->plan, as_bad, b->without))
		memcpy(b->without, b->plan.text[0], sizeof(b->without));
}

static bool find_parting(struct bisect *b, struct rql_error *e)
{
	char with[KVER_NAME_BYTES];
	struct scenario s_without = scenario_of(b, b->without), s_with = scenario_of(b, with);
	struct run_setup without = {.scenario = &s_without, .seed = b->scenario->seed},
			 other = {.scenario = &s_with, .seed = b->scenario->seed};
	struct parting_question q = {&without, &other, b->scenario->topo.ncpus};

	choose_without(b);
	memcpy(with, bisect_tried_of(b, &b->search.adding)->kernel, sizeof(with));
	if (b->progress)
		b->progress(b, with);
	return parting_find(&q, &b->parting, e);
}

bool bisect_execute(struct bisect *b, struct rql_error *e)
{
	CHECK(b->scenario->nkernels == 2);
	CHECK(b->nseeds >= 1);
	CHECK(b->nseeds <= COMPARE_SEEDS_MAX);
	if (!bisect_plan_make(&b->plan, b->scenario->kernels[0], b->scenario->kernels[1], e))
		return false;
	b->tried = calloc(BISECT_JUDGED_MAX, sizeof(*b->tried));
	if (!b->tried)
		return out_of_memory(e);
	b->search.nsteps = b->plan.nsteps;
	b->search.arg = b;
	b->search.possible = possible;
	b->search.judge = judge;
	if (!compare_ends(b, e) || !weigh_ends(b, e))
		return false;
	return !b->differ || (bisect_search_run(&b->search, e) && find_parting(b, e));
}

void bisect_free(struct bisect *b)
{
	compare_free(&b->ends);
	free(b->tried);
	b->tried = NULL;
}
