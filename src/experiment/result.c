/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function for each part of the result; keys in the order of the manual. */
#include "experiment/result.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "experiment/work_report.h"
#include "kver/kver.h"
#include "observe/cpulist.h"
#include "observe/profile.h"

#define DECIMALS UINT64_C(1000000000)

void decimal_print(char *out, uint64_t num, uint64_t den)
{
	u128 scaled;
	uint64_t whole, part;
	size_t n;

	CHECK(den > 0);
	/* num below 2^64 and the factor below 2^30 */
	scaled = ((u128)num * DECIMALS + den / 2) / den;
	whole = (uint64_t)(scaled / DECIMALS);
	part = (uint64_t)(scaled % DECIMALS);
	n = (size_t)snprintf(out, DECIMAL_BYTES, "%llu.%09llu", (unsigned long long)whole,
			     (unsigned long long)part);
	while (out[n - 1] == '0')
		out[--n] = '\0';
	if (out[n - 1] == '.')
		out[n - 1] = '\0';
}

struct json_object *json_number_text(const char *text, double value)
{
	return json_object_new_double_s(value, text);
}

void json_add_exactness(struct json_object *o, bool approximate, bool rt_only)
{
	if (approximate || rt_only)
		json_object_object_add(o, kver_exactness(approximate, rt_only),
				       json_object_new_boolean(1));
}

const char *json_text(struct json_object *o)
{
	return json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
							 JSON_C_TO_STRING_NOSLASHESCAPE);
}

void json_print(FILE *f, struct json_object *o)
{
	fputs(json_text(o), f);
	fputc('\n', f);
}

static void add_u64(struct json_object *o, const char *key, uint64_t x)
{
	json_object_object_add(o, key, json_object_new_uint64(x));
}

static void add_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, json_object_new_string(text));
}

static struct json_object *metric_json(enum metric_id id, struct metric_value v)
{
	char text[DECIMAL_BYTES];

	if (!v.den)
		return NULL;
	if (metric_info(id)->kind == METRIC_KIND_INTEGER)
		return json_object_new_uint64(v.num);
	decimal_print(text, v.num, v.den);
	return json_number_text(text, (double)v.num / (double)v.den);
}

static struct json_object *metrics_json(struct run *r)
{
	struct json_object *o = json_object_new_object();
	struct metric_value value[METRIC_COUNT];

	run_metrics(r, value);
	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		json_object_object_add(o, metric_info(i)->name, metric_json(i, value[i]));
	return o;
}

static struct json_object *cpus_json(const struct run *r)
{
	const struct machine *m = run_machine(r);
	struct json_object *list = json_object_new_array(), *o;

	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct rq *rq = &m->cpus[i].rq;

		if (!m->cpus[i].online)
			continue;
		o = json_object_new_object();
		add_u64(o, "cpu", i);
		add_u64(o, "nr_running", rq->nr_running);
		add_u64(o, "sched_count", rq->stats.sched_count);
		add_u64(o, "sched_goidle", rq->stats.sched_goidle);
		add_u64(o, "busy_ns", run_busy_ns(r, i));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *balance_json(const struct domain_stats *s, enum cpu_idle_type type)
{
	struct json_object *o = json_object_new_object();

	add_u64(o, "count", s->lb_count[type]);
	add_u64(o, "balanced", s->lb_balanced[type]);
	add_u64(o, "failed", s->lb_failed[type]);
	add_u64(o, "imbalance", s->lb_imbalance[type]);
	add_u64(o, "gained", s->lb_gained[type]);
	add_u64(o, "hot_gained", s->lb_hot_gained[type]);
	add_u64(o, "nobusyq", s->lb_nobusyq[type]);
	add_u64(o, "nobusyg", s->lb_nobusyg[type]);
	return o;
}

static struct json_object *domain_json(uint32_t cpu, const struct sched_domain *sd, char *span,
				       size_t cap)
{
	static const char *const types[CPU_IDLE_TYPES] = {"idle", "not_idle", "newly_idle"};
	struct json_object *o = json_object_new_object(), *lb = json_object_new_object();
	struct buf b;

	buf_init(&b, span, cap);
	cpulist_put(&b, sd->span);
	add_u64(o, "cpu", cpu);
	add_u64(o, "level", sd->level);
	add_text(o, "name", sd->name);
	add_text(o, "span", span);
	for (uint32_t i = 0; i < CPU_IDLE_TYPES; i++)
		json_object_object_add(lb, types[i],
				       balance_json(&sd->stats, (enum cpu_idle_type)i));
	add_u64(lb, "alb_count", sd->stats.alb_count);
	add_u64(lb, "alb_failed", sd->stats.alb_failed);
	add_u64(lb, "alb_pushed", sd->stats.alb_pushed);
	json_object_object_add(o, "lb", lb);
	add_u64(o, "ttwu_wake_remote", sd->stats.ttwu_wake_remote);
	add_u64(o, "ttwu_move_affine", sd->stats.ttwu_move_affine);
	return o;
}

static struct json_object *domains_json(const struct run *r)
{
	const struct machine *m = run_machine(r);
	struct json_object *list = json_object_new_array();
	size_t cap = CPULIST_BYTES(m->ncpus);
	char *span = malloc(cap);

	for (uint32_t i = 0; span && i < m->ncpus; i++)
		for (const struct sched_domain *sd = m->cpus[i].rq.sd; sd; sd = sd->parent)
			json_object_array_add(list, domain_json(i, sd, span, cap));
	free(span);
	return list;
}

/* Of a group with a quota: what it is at the end, and how often it was used up. */
static void add_bandwidth(struct json_object *o, const struct cfs_bandwidth *b)
{
	char text[CPU_MAX_BYTES];

	if (b->quota_ns == QUOTA_NONE)
		return;
	group_limits_max_text(text, b->quota_ns / NS_PER_US, b->period_ns / NS_PER_US);
	add_text(o, "cpu.max", text);
	add_u64(o, "nr_periods", b->nr_periods);
	add_u64(o, "nr_throttled", b->nr_throttled);
	add_u64(o, "throttled_time_ns", b->throttled_time_ns);
}

static struct json_object *groups_json(const struct run *r)
{
	const struct machine *m = run_machine(r);
	struct json_object *list = json_object_new_array(), *o;
	uint64_t *cpu_ns = calloc(m->ngroups, sizeof(*cpu_ns));

	if (!cpu_ns)
		return list;
	run_group_cpu_ns(r, cpu_ns);
	for (uint32_t i = 0; i < m->ngroups; i++) {
		o = json_object_new_object();
		add_text(o, "path", m->groups_mem[i].path);
		add_u64(o, "cpu_ns", cpu_ns[i]);
		add_bandwidth(o, &m->groups_mem[i].bandwidth);
		json_object_array_add(list, o);
	}
	free(cpu_ns);
	return list;
}

static struct json_object *profile_json(const struct run *r)
{
	struct json_object *list = json_object_new_array(), *o;
	struct profile p;
	struct rql_error e;

	if (!profile_build(&p, run_machine(r)->paths, &e))
		return list;
	for (uint32_t i = 0; i < p.nrows; i++) {
		o = json_object_new_object();
		add_text(o, "path", p.row[i].path);
		add_u64(o, "ns", p.row[i].ns);
		add_u64(o, "count", p.row[i].count);
		json_object_array_add(list, o);
	}
	profile_free(&p);
	return list;
}

static void add_s64(struct json_object *o, const char *key, int64_t x)
{
	json_object_object_add(o, key, json_object_new_int64(x));
}

static struct json_object *policies_json(const struct work_report *w)
{
	struct json_object *list = json_object_new_array(), *o;

	for (uint32_t i = 0; i < w->npolicies; i++) {
		const struct task_attr *attr = &w->policy[i].attr;

		o = json_object_new_object();
		add_u64(o, "work", w->policy[i].work);
		add_text(o, "policy", policy_name(attr->policy));
		if (attr->policy == POLICY_DEADLINE) {
			add_u64(o, "runtime_ns", attr->dl.runtime_ns);
			add_u64(o, "deadline_ns", attr->dl.deadline_ns);
			add_u64(o, "period_ns", attr->dl.period_ns);
		} else {
			add_s64(o, "rt_priority", attr->rt_priority);
		}
		add_s64(o, "prio", policy_prio(attr));
		json_object_array_add(list, o);
	}
	return list;
}

/* A time of a row; undefined without a sample. */
static void add_sample(struct json_object *o, const char *key, const struct behaviour_report *r,
		       uint64_t ns)
{
	json_object_object_add(o, key, r->count ? json_object_new_uint64(ns) : NULL);
}

/* Upper end of the bucket up to which there are PER_MILLE of R's samples; 0: beyond the histogram. */
static uint64_t percentile_ns(const struct behaviour_report *r, uint32_t per_mille)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < r->nbuckets; i++) {
		sum += r->bucket[i];
		/* counts are below 2^50 */
		if (sum * 1000 >= r->count * per_mille)
			return (i + UINT64_C(1)) * r->bucket_ns;
	}
	return 0;
}

/* Those that schbench prints; undefined without a sample and beyond the histogram. */
static struct json_object *percentiles_json(const struct behaviour_report *r)
{
	static const struct {
		const char *name;
		uint32_t per_mille;
	} rows[] = {{"p50_ns", 500}, {"p75_ns", 750},   {"p90_ns", 900},  {"p95_ns", 950},
		    {"p99_ns", 990}, {"p99.5_ns", 995}, {"p99.9_ns", 999}};
	struct json_object *o = json_object_new_object();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ns = r->count ? percentile_ns(r, rows[i].per_mille) : 0;

		json_object_object_add(o, rows[i].name, ns ? json_object_new_uint64(ns) : NULL);
	}
	return o;
}

static struct json_object *report_json(const struct behaviour_report *r,
				       const struct work_row *from)
{
	struct json_object *o = json_object_new_object(), *list;

	add_u64(o, "work", from->work);
	add_text(o, "what", r->what);
	add_u64(o, "task", r->task);
	add_u64(o, "tid", from->tid);
	add_s64(o, "rt_priority", r->rt_priority);
	add_u64(o, "interval_ns", r->interval_ns);
	add_u64(o, "count", r->count);
	add_sample(o, "min_ns", r, r->min_ns);
	add_sample(o, "last_ns", r, r->last_ns);
	add_sample(o, "avg_ns", r, r->count ? r->sum_ns / r->count : 0);
	add_sample(o, "max_ns", r, r->max_ns);
	if (!r->nbuckets)
		return o;
	add_u64(o, "bucket_ns", r->bucket_ns);
	list = json_object_new_array();
	for (uint32_t i = 0; i < r->nbuckets; i++)
		json_object_array_add(list, json_object_new_uint64(r->bucket[i]));
	json_object_object_add(o, "histogram", list);
	add_u64(o, "overflows", r->overflow);
	json_object_object_add(o, "percentiles", percentiles_json(r));
	return o;
}

/* Only where there is something to say: most workloads have neither. */
static void add_work_report(struct json_object *o, const struct run *r)
{
	struct json_object *list;
	struct work_report w;
	struct rql_error e;

	if (!work_report_collect(&w, r, &e))
		return;
	if (w.npolicies)
		json_object_object_add(o, "policies", policies_json(&w));
	if (w.nrows) {
		list = json_object_new_array();
		for (uint32_t i = 0; i < w.nrows; i++)
			json_object_array_add(list, report_json(&w.row[i], &w.from[i]));
		json_object_object_add(o, "reports", list);
	}
	work_report_free(&w);
}

static struct json_object *result_part(struct run *r)
{
	const struct engine_totals *t = run_totals(r);
	struct json_object *o = json_object_new_object();
	char fingerprint[17];

	snprintf(fingerprint, sizeof(fingerprint), "%016llx", (unsigned long long)t->fingerprint);
	add_text(o, "fingerprint", fingerprint);
	json_add_exactness(o, run_kver(r)->approximate, run_kver(r)->rt_only);
	add_u64(o, "elapsed_ns", run_elapsed_ns(r));
	add_u64(o, "simulated_ns", t->now_ns);
	add_u64(o, "events", t->events);
	add_u64(o, "context_switches", run_machine(r)->count.switches);
	json_object_object_add(o, "metrics", metrics_json(r));
	add_work_report(o, r);
	json_object_object_add(o, "cpus", cpus_json(r));
	json_object_object_add(o, "domains", domains_json(r));
	json_object_object_add(o, "groups", groups_json(r));
	json_object_object_add(o, "profile", profile_json(r));
	return o;
}

struct json_object *result_json(struct run *r, const struct scenario *s)
{
	struct json_object *o = json_object_new_object();

	add_u64(o, "runqlab", 1);
	json_object_object_add(o, "scenario", scenario_json(s));
	json_object_object_add(o, "result", result_part(r));
	return o;
}
