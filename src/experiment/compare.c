/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job i of the pool is kernel i / nseeds with seed i % nseeds. All a comparison
 * may need of a simulation is copied into its sample there and then: a run is
 * gone with its process. A sample takes 20 kB, so their number is bounded by
 * the limits of seeds and kernels.
 */
#include "experiment/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/params.h"
#include "experiment/err_printf.h"
#include "experiment/pool.h"

#define GATE_PERCENT_MAX 1000000u

/* -- one simulation -- */

static void add_domain(struct domain_stats *sum, const struct domain_stats *s)
{
	for (uint32_t i = 0; i < CPU_IDLE_TYPES; i++) {
		sum->lb_count[i] += s->lb_count[i];
		sum->lb_balanced[i] += s->lb_balanced[i];
		sum->lb_failed[i] += s->lb_failed[i];
		sum->lb_imbalance[i] += s->lb_imbalance[i];
		sum->lb_gained[i] += s->lb_gained[i];
		sum->lb_hot_gained[i] += s->lb_hot_gained[i];
		sum->lb_nobusyq[i] += s->lb_nobusyq[i];
		sum->lb_nobusyg[i] += s->lb_nobusyg[i];
	}
	sum->alb_count += s->alb_count;
	sum->alb_failed += s->alb_failed;
	sum->alb_pushed += s->alb_pushed;
	sum->ttwu_wake_remote += s->ttwu_wake_remote;
	sum->ttwu_move_affine += s->ttwu_move_affine;
}

static void count_cpu(struct compare_sample *out, const struct rq *rq)
{
	struct compare_counts *c = &out->counts;

	c->yld_count += rq->stats.yld_count;
	c->sched_count += rq->stats.sched_count;
	c->sched_goidle += rq->stats.sched_goidle;
	c->ttwu_count += rq->stats.ttwu_count;
	c->ttwu_local += rq->stats.ttwu_local;
	c->rt_push_locks += rq->rt.stats.push_locks;
	c->rt_push_lock_failed += rq->rt.stats.push_lock_failed;
	c->rt_push_relocks += rq->rt.stats.push_relocks;
	c->rt_pushes += rq->rt.stats.pushes;
	c->rt_pull_locks += rq->rt.stats.pull_locks;
	c->rt_pulls += rq->rt.stats.pulls;
	for (const struct sched_domain *sd = rq->sd; sd; sd = sd->parent) {
		uint32_t level = min_u32(sd->level, COMPARE_LEVELS_MAX - 1);

		add_domain(&c->level[level], &sd->stats);
		if (!out->level_name[level][0])
			snprintf(out->level_name[level], sizeof(out->level_name[level]), "%s",
				 sd->name);
	}
}

static void take_sample(struct compare_sample *out, struct run *r)
{
	const struct machine *m = run_machine(r);
	const struct engine_totals *t = run_totals(r);

	run_metrics(r, out->value);
	out->fingerprint = t->fingerprint;
	out->events = t->events;
	out->approximate = run_kver(r)->approximate;
	out->rt_only = run_kver(r)->rt_only;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		if (!m->cpus[i].online)
			continue;
		out->busy_ns += run_busy_ns(r, i);
		count_cpu(out, &m->cpus[i].rq);
	}
	out->counts.context_switches = m->count.switches;
	out->counts.migrations = m->count.migrations;
	out->counts.rq_lock_contended = t->lock_contended_count;
	out->nnodes = m->paths->nnodes;
	CHECK(out->nnodes <= PATH_NODES_MAX);
	memcpy(out->node, m->paths->node, out->nnodes * sizeof(out->node[0]));
}

/* A message says of which of the simulations it speaks. */
static void tell_which(const struct compare *c, const struct run_setup *setup, struct rql_error *e)
{
	struct rql_error inner = *e;

	snprintf(e->where, sizeof(e->where), "%s, seed %llu%s%s",
		 c->scenario->kernels[setup->kernel], (unsigned long long)setup->seed,
		 inner.where[0] ? ": " : "", inner.where);
}

/* Some kernels of a comparison, from FIRST on. */
struct part {
	const struct compare *c;
	uint32_t first;
};

static bool job(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	const struct part *part = arg;
	const struct compare *c = part->c;
	struct run_setup setup = {.scenario = c->scenario,
				  .kernel = part->first + i / c->nseeds,
				  .seed = c->scenario->seed + i % c->nseeds,
				  .audit = c->audit};
	struct run *r = run_create(&setup, e);
	bool ok = r && run_execute(r, e);

	if (ok)
		take_sample(out, r);
	else
		tell_which(c, &setup, e);
	run_destroy(r);
	return ok;
}

static void tell_progress(void *arg, uint32_t ndone)
{
	const struct part *part = arg;

	part->c->progress((void *)(uintptr_t)part->c, ndone);
}

/* COUNT kernels from FIRST on; their samples to OUT. */
static bool simulate(const struct compare *c, uint32_t first, uint32_t count,
		     struct compare_sample *out, struct rql_error *e)
{
	struct part part = {c, first};
	struct pool_work w = {.job = job,
			      .arg = &part,
			      .n = count * c->nseeds,
			      .out = out,
			      .size = sizeof(*out),
			      .at_once = c->at_once,
			      .progress = c->progress ? tell_progress : NULL};

	return pool_run(&w, e);
}

bool compare_execute_one(const struct compare *c, uint32_t kernel, struct compare_sample *out,
			 struct rql_error *e)
{
	CHECK(kernel < c->scenario->nkernels);
	return simulate(c, kernel, 1, out, e);
}

bool compare_execute(struct compare *c, struct rql_error *e)
{
	uint32_t n = c->scenario->nkernels * c->nseeds;

	CHECK(c->scenario->nkernels >= 2);
	CHECK(c->nseeds >= 1);
	CHECK(c->nseeds <= COMPARE_SEEDS_MAX);
	c->samples = calloc(n, sizeof(*c->samples));
	if (!c->samples)
		return err_printf(e, "compare", "out of memory; fewer seeds are needed");
	return simulate(c, 0, c->scenario->nkernels, c->samples, e);
}

void compare_free(struct compare *c)
{
	free(c->samples);
	c->samples = NULL;
}

const struct compare_sample *compare_sample(const struct compare *c, uint32_t kernel,
					    uint32_t seed_idx)
{
	CHECK(kernel < c->scenario->nkernels);
	CHECK(seed_idx < c->nseeds);
	return &c->samples[kernel * c->nseeds + seed_idx];
}

/* -- what they say -- */

void compare_values(const struct compare *c, uint32_t kernel, enum metric_id id, double *x)
{
	for (uint32_t i = 0; i < c->nseeds; i++) {
		struct metric_value v = compare_sample(c, kernel, i)->value[id];

		x[i] = v.den ? (double)v.num / (double)v.den : STATS_NONE;
	}
}

static enum compare_verdict verdict_of(enum metric_better better, int direction)
{
	if (!direction)
		return COMPARE_SAME;
	if (better == METRIC_BETTER_NONE)
		return COMPARE_DIFFERS;
	return (better == METRIC_BETTER_HIGHER) == (direction > 0) ? COMPARE_BETTER : COMPARE_WORSE;
}

struct compare_line compare_line_of(enum metric_id id, const double *first, const double *other,
				    uint32_t n)
{
	struct compare_line line;

	line.first = stats_mean(first, n);
	line.mean = stats_mean(other, n);
	line.ratio = stats_paired_ratio(first, other, n);
	line.verdict =
		isnan(stats_paired_difference(first, other, n).mid) ?
			COMPARE_UNKNOWN :
			verdict_of(metric_info(id)->better, stats_direction(first, other, n));
	return line;
}

struct compare_line compare_metric(const struct compare *c, uint32_t kernel, enum metric_id id)
{
	double first[COMPARE_SEEDS_MAX], other[COMPARE_SEEDS_MAX];

	compare_values(c, 0, id, first);
	compare_values(c, kernel, id, other);
	return compare_line_of(id, first, other, c->nseeds);
}

const char *compare_verdict_name(enum compare_verdict v)
{
	static const char *const names[] = {"same", "better", "worse", "differs", "-"};
	_Static_assert(sizeof(names) / sizeof(names[0]) == COMPARE_VERDICTS, "one name a verdict");

	CHECK(v < COMPARE_VERDICTS);
	return names[v];
}

/* -- gates -- */

static bool unknown_metric(const char *text, size_t n, struct rql_error *e)
{
	const char *names[METRIC_COUNT];
	uint32_t nearest[3];

	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		names[i] = metric_info(i)->name;
	param_nearest(text, n, names, METRIC_COUNT, nearest);
	return err_printf(e, NULL,
			  "unknown metric \"%.*s\"; nearest: %s, %s or %s (`runqlab list metrics` "
			  "lists all)",
			  n < 40 ? (int)n : 40, text, names[nearest[0]], names[nearest[1]],
			  names[nearest[2]]);
}

bool compare_metric_parse(const char *name, size_t n, enum metric_id *out, struct rql_error *e)
{
	*out = metric_by_name(name, n);
	return *out != METRIC_COUNT || unknown_metric(name, n, e);
}

bool compare_gate_parse(const char *text, struct compare_gate *out, struct rql_error *e)
{
	size_t n = strcspn(text, "=");
	struct param v = {NULL, NULL, text + n + 1, 0};
	uint64_t percent;

	memset(e, 0, sizeof(*e));
	if (!compare_metric_parse(text, n, &out->metric, e))
		return false;
	if (text[n] != '=')
		return err_printf(e, NULL, "%s has no bound; METRIC=PERCENT%%, as %s=5%%, is right",
				  text, text);
	if (metric_info(out->metric)->better == METRIC_BETTER_NONE)
		return err_printf(e, NULL,
				  "%.*s is neither better high nor low; a metric that is, such as "
				  "elapsed_s, is right (`runqlab list metrics`)",
				  (int)n, text);
	v.name = metric_info(out->metric)->name;
	v.n = strlen(v.s);
	if (!param_percent(&v, 0, GATE_PERCENT_MAX, &percent, e))
		return false;
	out->percent = (uint32_t)percent;
	return true;
}

/* other / first of the means, for what may be 0. */
static double ratio_of_means(const struct compare_line *line)
{
	if (line->first == line->mean)
		return 1;
	return line->mean / line->first;
}

bool compare_gate_holds(const struct compare *c, const struct compare_gate *g, uint32_t kernel)
{
	struct compare_line line = compare_metric(c, kernel, g->metric);
	double ratio = isnan(line.ratio.mid) ? ratio_of_means(&line) : line.ratio.mid;
	double bound = (double)g->percent / 100;

	if (line.verdict == COMPARE_UNKNOWN)
		return false;
	if (metric_info(g->metric)->better == METRIC_BETTER_HIGHER)
		return ratio >= 1 - bound;
	return ratio <= 1 + bound;
}
