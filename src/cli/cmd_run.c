/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runqlab run: one simulation. Everything that can be wrong with the question
 * is found, and every output file opened, before it starts; files get their
 * names only when it is over, so a run that ends early writes nothing.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/params.h"
#include "cli/cmd.h"
#include "cli/host.h"
#include "cli/table.h"
#include "experiment/err_printf.h"
#include "experiment/result.h"
#include "experiment/work_report.h"
#include "kver/kver.h"
#include "observe/export_sched_debug.h"
#include "observe/export_schedstat.h"
#include "observe/profile.h"
#include "observe/report_text.h"
#include "observe/sched_files.h"

#define PROFILE_LINES 10
#define ONE_PLACE "two outputs have this name; one for each is right"

/* A file of text that one of the exporters makes of the machine. */
enum run_file {
	FILE_SCHEDSTAT,
	FILE_SCHED_DEBUG,
	FILE_SCHED_FILES,
	FILE_PROFILE,
	FILE_HISTOGRAM,
	FILE_HOST_STATS,
	RUN_FILES,
};

struct question {
	struct scenario scenario;
	bool from_options; /* some part of the scenario came from an option */
	bool from_file;
	struct json_out json;
	struct out_file files[RUN_FILES];
	bool audit;
	bool progress;
	struct run *run;
	struct timespec start;
};

/* -- options -- */

static bool take_file(struct question *q, enum run_file which, const struct opt *o,
		      struct rql_error *e)
{
	if (q->files[which].f)
		return err_printf(e, o->place, "given twice; once is right");
	if (!*o->value)
		return err_printf(e, o->place, "an empty file name; a file to write is needed");
	return out_open(&q->files[which], o->value, e);
}

static bool take_option(struct question *q, const struct opt *o, struct rql_error *e)
{
	bool done;

	switch ((int)o->id) {
	case OPT_JSON:
		return json_out_open(&q->json, o, e);
	case OPT_SCHEDSTAT:
		return take_file(q, FILE_SCHEDSTAT, o, e);
	case OPT_SCHED_DEBUG:
		return take_file(q, FILE_SCHED_DEBUG, o, e);
	case OPT_SCHED_FILES:
		return take_file(q, FILE_SCHED_FILES, o, e);
	case OPT_PROFILE:
		return take_file(q, FILE_PROFILE, o, e);
	case OPT_HISTOGRAM:
		return take_file(q, FILE_HISTOGRAM, o, e);
	case OPT_HOST_STATS:
		return take_file(q, FILE_HOST_STATS, o, e);
	case OPT_TRACE:
		return err_printf(e, o->place,
				  "not available yet; --schedstat, --sched-debug and "
				  "--profile are");
	case OPT_AUDIT:
		q->audit = true;
		return true;
	case OPT_ARGUMENT:
		if (q->from_file || q->from_options)
			return err_printf(e, o->place,
					  "a scenario's file stands alone; write either "
					  "the file or -m, -k and -w");
		q->from_file = true;
		return scenario_load(&q->scenario, o->value, e);
	default:
		break;
	}
	if (q->from_file)
		return err_printf(e, o->place, "the scenario's file says this; change it there");
	q->from_options = true;
	if (!cmd_scenario_option(&q->scenario, o, &done, e))
		return false;
	CHECK(done);
	return true;
}

/* Has the kernel the files that are asked for? */
static bool check_files(const struct question *q, struct rql_error *e)
{
	struct kver v;

	if (!kver_parse(q->scenario.kernels[0], &v, e))
		return false;
	return (!q->files[FILE_SCHEDSTAT].f || export_schedstat_knows(&v, e)) &&
	       (!q->files[FILE_SCHED_DEBUG].f || export_sched_debug_knows(&v, e)) &&
	       (!q->files[FILE_SCHED_FILES].f || export_sched_files_knows(&v, e));
}

/* Two files of one name: the later would replace the earlier. What is written directly may mix. */
static bool check_places(const struct question *q, struct rql_error *e)
{
	for (int i = 0; i < RUN_FILES; i++) {
		if (!out_is_replaced(&q->files[i]))
			continue;
		for (int j = 0; j < i; j++)
			if (out_is_replaced(&q->files[j]) &&
			    strcmp(q->files[i].path, q->files[j].path) == 0)
				return err_printf(e, q->files[i].path, "%s", ONE_PLACE);
		if (out_is_replaced(&q->json.file) &&
		    strcmp(q->files[i].path, q->json.file.path) == 0)
			return err_printf(e, q->files[i].path, "%s", ONE_PLACE);
	}
	return true;
}

static bool read_options(struct question *q, struct opt_walk *w, struct rql_error *e)
{
	struct opt o;

	while (opt_next(w, &o, e))
		if (!take_option(q, &o, e))
			return false;
	if (w->failed)
		return false;
	if (!q->from_file && !scenario_finish(&q->scenario, e))
		return e->where[0] ? false : err_printf(e, "run", "%s", e->what);
	if (q->scenario.nkernels != 1)
		return err_printf(e, "run",
				  "%u kernels; one is right (`runqlab compare` takes several)",
				  (unsigned)q->scenario.nkernels);
	return check_places(q, e) && check_files(q, e);
}

/* -- progress -- */

static void show_progress(void *arg, const struct machine *m, uint64_t now_ns)
{
	const struct question *q = arg;
	char at[DECIMAL_BYTES];

	(void)m;
	decimal_print(at, now_ns / NS_PER_MS, 1000);
	if (q->scenario.duration_ns == TIME_NEVER)
		fprintf(stderr, "\r%s s simulated ", at);
	else
		fprintf(stderr, "\r%s s simulated, %llu %% ", at,
			(unsigned long long)((u128)now_ns * 100 / q->scenario.duration_ns));
	fflush(stderr);
}

/* Steps of progress: a hundredth of what is known to come, else 10 ms. */
static uint64_t progress_step_ns(const struct question *q)
{
	if (q->scenario.duration_ns == TIME_NEVER)
		return 10 * NS_PER_MS;
	return max_u64(q->scenario.duration_ns / 100, NS_PER_MS);
}

/* -- what comes out -- */

static void print_metrics(const struct question *q)
{
	static const struct table_column columns[] = {
		{"metric", false, false}, {"value", true, false}, {"unit", false, false}};
	struct metric_value value[METRIC_COUNT];
	struct table t;

	run_metrics(q->run, value);
	table_init(&t, columns, 3);
	for (enum metric_id i = 0; i < METRIC_COUNT; i++) {
		char text[DECIMAL_BYTES] = "-";

		if (!value[i].den && metric_is_rt(i))
			continue;
		if (value[i].den)
			decimal_print(text, value[i].num, value[i].den);
		table_cell(&t, "%s", metric_info(i)->name);
		table_cell(&t, "%s", text);
		table_cell(&t, "%s", metric_info(i)->unit);
	}
	table_print(&t, stdout);
	table_free(&t);
}

/* The name of a workload, or of the file it is from. */
static void work_name(const struct scenario *s, uint32_t among_work, char *out, size_t cap)
{
	const struct scenario_item *item = scenario_work_item(s, among_work);

	if (item->rtapp_name)
		snprintf(out, cap, "%s", item->rtapp_name);
	else
		snprintf(out, cap, "%.*s", (int)strcspn(item->workload, ":"), item->workload);
}

/* Where a priority is the user's and where the kernel's is told by its name. */
static void print_policies(const struct scenario *s, const struct work_report *w)
{
	static const struct table_column columns[] = {
		{"workload", false, false},   {"policy", false, false},
		{"rt_priority", true, false}, {"kernel priority", true, false},
		{"runtime", true, false},     {"deadline", true, false},
		{"period", true, false},
	};
	struct table t;

	if (!w->npolicies)
		return;
	puts("\nreal-time and deadline policies:");
	table_init(&t, columns, 7);
	for (uint32_t i = 0; i < w->npolicies; i++) {
		const struct task_attr *attr = &w->policy[i].attr;
		const uint64_t times_ns[] = {attr->dl.runtime_ns, attr->dl.deadline_ns,
					     attr->dl.period_ns};
		bool deadline = attr->policy == POLICY_DEADLINE;
		char text[80];

		work_name(s, w->policy[i].work, text, sizeof(text));
		table_cell(&t, "%s", text);
		table_cell(&t, "%s", policy_name(attr->policy));
		snprintf(text, sizeof(text), "%d", (int)attr->rt_priority);
		table_cell(&t, "%s", deadline ? "-" : text);
		table_cell(&t, "%d", (int)policy_prio(attr));
		for (int j = 0; j < 3; j++) {
			param_print_time(text, sizeof(text), times_ns[j]);
			table_cell(&t, "%s", deadline ? text : "-");
		}
	}
	table_print(&t, stdout);
	table_free(&t);
}

static bool print_reports(const struct scenario *s, const struct work_report *w,
			  struct rql_error *e)
{
	struct text t;
	bool ok;

	text_init(&t);
	for (uint32_t i = 0; i < w->nrows; i++) {
		char name[80];

		if (w->from[i].index == 0) {
			work_name(s, w->from[i].work, name, sizeof(name));
			text_char(&t, '\n');
			text_str(&t, name);
			text_str(&t, ", ");
			text_str(&t, w->row[i].what);
			text_str(&t, " in us:\n");
		}
		report_line(&t, w->from[i].index, w->from[i].tid, &w->row[i]);
	}
	fputs(text_cstr(&t), stdout);
	ok = !t.failed;
	text_free(&t);
	return ok || err_printf(e, NULL, "out of memory");
}

static bool print_work(const struct question *q, struct rql_error *e)
{
	struct work_report w;
	bool ok;

	if (!work_report_collect(&w, q->run, e))
		return false;
	print_policies(&q->scenario, &w);
	ok = print_reports(&q->scenario, &w, e);
	work_report_free(&w);
	return ok;
}

/* Groups with a quota: how much they used and how often they wanted more. */
static bool print_bandwidth(const struct run *r, struct rql_error *e)
{
	static const struct table_column columns[] = {
		{"group", false, false},         {"cpu.max", true, false},
		{"CPUs", true, false},           {"cpu time", true, false},
		{"nr_periods", true, false},     {"nr_throttled", true, false},
		{"throttled_time", true, false},
	};
	const struct machine *m = run_machine(r);
	uint64_t *cpu_ns = calloc(m->ngroups, sizeof(*cpu_ns));
	bool some = false;
	struct table t;

	if (!cpu_ns)
		return err_printf(e, NULL, "out of memory");
	run_group_cpu_ns(r, cpu_ns);
	table_init(&t, columns, 7);
	for (uint32_t i = 0; i < m->ngroups; i++) {
		const struct cfs_bandwidth *b = &m->groups_mem[i].bandwidth;
		char text[DECIMAL_BYTES];

		if (b->quota_ns == QUOTA_NONE)
			continue;
		some = true;
		group_limits_max_text(text, b->quota_ns / NS_PER_US, b->period_ns / NS_PER_US);
		table_cell(&t, "%s", m->groups_mem[i].path);
		table_cell(&t, "%s", text);
		decimal_print(text, (b->ratio * 1000 + (1 << 19)) >> 20, 1000);
		table_cell(&t, "%s", text);
		decimal_print(text, cpu_ns[i], NS_PER_S);
		table_cell(&t, "%s s", text);
		table_cell(&t, "%llu", (unsigned long long)b->nr_periods);
		table_cell(&t, "%llu", (unsigned long long)b->nr_throttled);
		decimal_print(text, b->throttled_time_ns, NS_PER_S);
		table_cell(&t, "%s s", text);
	}
	if (some) {
		puts("\nquotas of groups:");
		table_print(&t, stdout);
	}
	table_free(&t);
	free(cpu_ns);
	return true;
}

/* Sixteen CPUs a line. */
static void print_nr_running(const struct machine *m)
{
	uint32_t n = 0;

	puts("\nnr_running at the end:");
	for (uint32_t i = 0; i < m->ncpus; i++) {
		if (!m->cpus[i].online)
			continue;
		if (n % 16 == 0)
			printf("%scpu %4u:", n ? "\n" : "", (unsigned)i);
		printf(" %3u", (unsigned)m->cpus[i].rq.nr_running);
		n++;
	}
	puts("");
}

static void print_lock_share(const struct profile *p)
{
	uint64_t lock_ns = profile_lock_ns(p);

	printf("waiting for and taking locks: %.2f %% of scheduler time (%llu ns)\n",
	       p->total_ns ? 100 * (double)lock_ns / (double)p->total_ns : 0.0,
	       (unsigned long long)lock_ns);
}

static bool print_profile(const struct machine *m, struct rql_error *e)
{
	struct profile p;
	struct text t;
	bool ok;

	if (!profile_build(&p, m->paths, e))
		return false;
	text_init(&t);
	ok = profile_top(&p, PROFILE_BY_PATH, PROFILE_LINES, &t) && !t.failed;
	if (ok)
		printf("\nscheduler time:\n%s", text_cstr(&t));
	if (ok)
		print_lock_share(&p);
	text_free(&t);
	profile_free(&p);
	return ok || err_printf(e, NULL, "out of memory");
}

static bool print_result(const struct question *q, struct rql_error *e)
{
	const struct scenario *s = &q->scenario;
	const struct engine_totals *t = run_totals(q->run);
	const struct kver *v = run_kver(q->run);
	char seconds[DECIMAL_BYTES];

	decimal_print(seconds, t->now_ns, NS_PER_S);
	printf("%s, %s%s, seed %llu, %s s simulated\n\n",
	       strlen(s->machine) < 60 ? s->machine : s->topo.name, s->kernels[0],
	       kver_exactness_mark(v->approximate, v->rt_only), (unsigned long long)s->seed,
	       seconds);
	print_metrics(q);
	if (!print_work(q, e))
		return false;
	if (!print_bandwidth(q->run, e))
		return false;
	print_nr_running(run_machine(q->run));
	if (!print_profile(run_machine(q->run), e))
		return false;
	printf("\nfingerprint %016llx, %llu events\n", (unsigned long long)t->fingerprint,
	       (unsigned long long)t->events);
	return true;
}

/* What the simulation took of this computer: a line on standard error, or a file. */
static void tell_host_stats(const struct question *q, FILE *f)
{
	const struct engine_totals *t = run_totals(q->run);
	struct host_stats h = host_measure(&q->start);
	double rate = h.cpu_s > 0 ? (double)t->events / h.cpu_s : 0.0;

	if (!f) {
		fprintf(stderr, "host: %.2f s CPU, %.2f s in all, %.1f M events/s, %.1f MiB\n",
			h.cpu_s, h.wall_s, rate / 1e6, (double)h.peak_bytes / 1048576.0);
		return;
	}
	fprintf(f,
		"{ \"cpu_s\": %.3f, \"wall_s\": %.3f, \"events\": %llu, \"engine_events\": %llu, "
		"\"fibre_switches\": %llu, \"events_per_cpu_s\": %.0f, \"arena_bytes\": %llu, "
		"\"peak_memory_bytes\": %llu }\n",
		h.cpu_s, h.wall_s, (unsigned long long)t->events,
		(unsigned long long)t->engine_events, (unsigned long long)t->fibre_switches, rate,
		(unsigned long long)t->memory_bytes, (unsigned long long)h.peak_bytes);
}

static bool write_histogram(struct text *t, const struct run *r, struct rql_error *e)
{
	struct work_report w;

	if (!work_report_collect(&w, r, e))
		return false;
	report_histogram(t, w.row, w.nrows);
	work_report_free(&w);
	return true;
}

/* Will there be a histogram, if one is asked for? */
static bool check_histogram(const struct question *q, struct rql_error *e)
{
	struct work_report w;
	bool ok;

	if (!q->files[FILE_HISTOGRAM].f)
		return true;
	if (!work_report_collect(&w, q->run, e))
		return false;
	ok = w.has_histogram;
	work_report_free(&w);
	return ok || err_printf(e, "option --histogram",
				"no workload keeps a histogram; cyclictest:histogram=400 does");
}

static bool write_exports(struct question *q, struct rql_error *e)
{
	const struct machine *m = run_machine(q->run);
	uint64_t now_ns = run_totals(q->run)->now_ns;
	struct profile p;
	struct text t;
	bool ok = true;

	for (int i = 0; i < FILE_HOST_STATS && ok; i++) {
		if (!q->files[i].f)
			continue;
		text_init(&t);
		if (i == FILE_SCHEDSTAT) {
			ok = export_schedstat(&t, m, now_ns, e);
		} else if (i == FILE_SCHED_DEBUG) {
			ok = export_sched_debug(&t, m, now_ns, e);
		} else if (i == FILE_SCHED_FILES) {
			ok = export_sched_files(&t, m, e);
		} else if (i == FILE_HISTOGRAM) {
			ok = write_histogram(&t, q->run, e);
		} else {
			ok = profile_build(&p, m->paths, e);
			if (ok) {
				profile_folded(&p, &t);
				profile_free(&p);
			}
		}
		if (ok && t.failed)
			ok = err_printf(e, NULL, "out of memory");
		if (ok)
			fwrite(text_cstr(&t), 1, t.len, q->files[i].f);
		text_free(&t);
	}
	if (ok && q->files[FILE_HOST_STATS].f)
		tell_host_stats(q, q->files[FILE_HOST_STATS].f);
	for (int i = 0; i < RUN_FILES && ok; i++)
		ok = !q->files[i].f || out_commit(&q->files[i], e);
	return ok;
}

static bool simulate(struct question *q, struct rql_error *e)
{
	struct run_setup setup = {
		.scenario = &q->scenario, .seed = q->scenario.seed, .audit = q->audit};
	bool host_file = q->files[FILE_HOST_STATS].f != NULL;
	bool ok;

	cmd_warn_rt_only(scenario_rt_only(&q->scenario));
	if (q->progress)
		setup.sampler = (struct engine_sampler){progress_step_ns(q), show_progress, q};
	q->run = run_create(&setup, e);
	if (!q->run || !check_histogram(q, e))
		return false;
	ok = run_execute(q->run, e);
	if (q->progress)
		fputs("\r\033[K", stderr);
	if (!ok)
		return false;
	if (!q->json.to_stdout && !print_result(q, e))
		return false;
	if (!write_exports(q, e) ||
	    (q->json.wanted && !json_out_write(&q->json, result_json(q->run, &q->scenario), e)))
		return false;
	/* last: what cannot be written is told alone */
	if (!host_file && fflush(stdout) == 0 && !ferror(stdout))
		tell_host_stats(q, NULL);
	return true;
}

int cmd_run(struct opt_walk *w)
{
	struct question q;
	struct rql_error e;
	int status = EXIT_DONE;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	clock_gettime(CLOCK_MONOTONIC, &q.start);
	scenario_init(&q.scenario);
	q.progress = isatty(STDERR_FILENO);
	if (!read_options(&q, w, &e) || !simulate(&q, &e))
		status = cmd_fail(&e);
	json_out_abandon(&q.json);
	for (int i = 0; i < RUN_FILES; i++)
		out_abandon(&q.files[i]);
	run_destroy(q.run);
	scenario_free(&q.scenario);
	return status;
}
