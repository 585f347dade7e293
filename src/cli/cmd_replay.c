/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runqlab replay TRACE -m MACHINE -k KERNEL: how many recorded decisions the model would make. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/table.h"
#include "experiment/err_printf.h"
#include "experiment/result.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "replay/replay.h"

struct replay_question {
	const char *trace, *machine, *kernel;
	struct json_out json;
	struct topology topo;
	struct kver v;
	struct replay_report report;
};

static bool take_once(const char **slot, const char *what, const struct opt *o, struct rql_error *e)
{
	if (*slot)
		return err_printf(e, o->place, "a second %s; one is right", what);
	*slot = o->value;
	return true;
}

static bool take_option(struct replay_question *q, const struct opt *o, struct rql_error *e)
{
	switch ((int)o->id) {
	case OPT_JSON:
		return json_out_open(&q->json, o, e);
	case OPT_KERNEL:
		return take_once(&q->kernel, "kernel", o, e);
	case OPT_MACHINE:
		return take_once(&q->machine, "machine", o, e);
	default:
		return take_once(&q->trace, "trace", o, e);
	}
}

static bool read_options(struct replay_question *q, struct opt_walk *w, struct rql_error *e)
{
	struct opt o;

	while (opt_next(w, &o, e))
		if (!take_option(q, &o, e))
			return false;
	if (w->failed)
		return false;
	if (!q->trace)
		return err_printf(e, "replay",
				  "no trace; `runqlab replay TRACE -m MACHINE -k KERNEL` is right");
	if (!q->machine)
		return err_printf(e, "replay",
				  "no machine; -m with the one it was recorded on is right");
	if (!q->kernel)
		return err_printf(e, "replay", "no kernel; -k with one from 5.4 on is right");
	if (!kver_parse(q->kernel, &q->v, e) || !machine_load(q->machine, &q->topo, e))
		return false;
	return q->v.util_est ||
	       err_printf(e, q->kernel,
			  "a kernel without averages per task; one from 5.4 on is right");
}

static bool replay(struct replay_question *q, struct rql_error *e)
{
	FILE *f = fopen(q->trace, "r");
	struct replay_config config = {
		.where = q->trace,
		.read = ftrace_read_file,
		.arg = f,
		.topo = &q->topo,
		.v = &q->v,
	};
	bool ok;

	if (!f)
		return err_printf(e, q->trace,
				  "cannot be opened; the text that the kernel's file `trace` "
				  "shows is right");
	ok = replay_run(&config, &q->report, e);
	fclose(f);
	return ok;
}

/* -- what comes out -- */

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void print_rates(const struct replay_report *r)
{
	static const struct table_column columns[] = {{"decisions", false, false},
						      {"recorded", true, false},
						      {"model agrees", true, false},
						      {"%", true, false}};
	struct table t;

	table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
	for (uint32_t i = 0; i < REPLAY_KINDS; i++) {
		table_cell(&t, "%s", replay_kind_name((enum replay_kind)i));
		table_cell(&t, "%llu", (unsigned long long)r->decisions[i]);
		table_cell(&t, "%llu", (unsigned long long)r->agreed[i]);
		if (r->decisions[i])
			table_cell(&t, "%.1f", share(r->agreed[i], r->decisions[i]));
		else
			table_cell(&t, "-");
	}
	table_print(&t, stdout);
	table_free(&t);
	if (r->as_loaded)
		printf("wake-ups and forks that differ, but on a CPU with as many tasks: %llu\n",
		       (unsigned long long)r->as_loaded);
	if (r->decisions[REPLAY_MOVE])
		printf("of the moves, the model takes the same task: %llu\n",
		       (unsigned long long)r->same_task);
}

static void print_difference(const struct replay_difference *d)
{
	printf("  line %llu, %llu.%06llu s: %s of %s (%d) from CPU %u: real CPU %u, ",
	       (unsigned long long)d->line, (unsigned long long)(d->time_ns / NS_PER_S),
	       (unsigned long long)(d->time_ns % NS_PER_S / 1000), replay_kind_name(d->kind),
	       d->comm, (int)d->pid, (unsigned)d->from_cpu, (unsigned)d->real_cpu);
	if (d->kind != REPLAY_MOVE)
		printf("model CPU %u", (unsigned)d->model_cpu);
	else if (d->model_cpu == CPU_NONE)
		printf("model takes none");
	else
		printf("model takes from CPU %u", (unsigned)d->model_cpu);
	printf("%s%s\n", d->why[0] ? "\n    " : "", d->why);
}

static void print(const struct replay_question *q)
{
	const struct replay_report *r = &q->report;

	printf("%s: %llu events, kernel %s%s\n", q->trace, (unsigned long long)r->events, q->v.name,
	       kver_exactness_mark(q->v.approximate, q->v.rt_only));
	if (r->lost)
		printf("%llu events are missing in the trace\n", (unsigned long long)r->lost);
	printf("%llu events do not fit the model's queues and were left out\n\n",
	       (unsigned long long)r->out_of_step);
	print_rates(r);
	if (r->ndifferences)
		printf("\nthe first that differ:\n");
	for (uint32_t i = 0; i < r->ndifferences; i++)
		print_difference(&r->difference[i]);
}

static void add_count(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_uint64(n));
}

static struct json_object *difference_json(const struct replay_difference *d)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "decision", json_object_new_string(replay_kind_name(d->kind)));
	add_count(o, "line", d->line);
	add_count(o, "time_ns", d->time_ns);
	json_object_object_add(o, "task", json_object_new_string(d->comm));
	json_object_object_add(o, "pid", json_object_new_int(d->pid));
	add_count(o, "from_cpu", d->from_cpu);
	add_count(o, "real_cpu", d->real_cpu);
	json_object_object_add(o, "model_cpu",
			       d->model_cpu == CPU_NONE ? NULL :
							  json_object_new_uint64(d->model_cpu));
	json_object_object_add(o, "why", json_object_new_string(d->why));
	return o;
}

static struct json_object *report_json(const struct replay_question *q)
{
	const struct replay_report *r = &q->report;
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();

	json_object_object_add(o, "kernel", json_object_new_string(q->v.name));
	json_add_exactness(o, q->v.approximate, q->v.rt_only);
	add_count(o, "events", r->events);
	add_count(o, "lost", r->lost);
	add_count(o, "out_of_step", r->out_of_step);
	for (uint32_t i = 0; i < REPLAY_KINDS; i++) {
		struct json_object *kind = json_object_new_object();

		add_count(kind, "recorded", r->decisions[i]);
		add_count(kind, "agreed", r->agreed[i]);
		json_object_object_add(o, replay_kind_name((enum replay_kind)i), kind);
	}
	add_count(o, "as_loaded", r->as_loaded);
	add_count(o, "same_task", r->same_task);
	for (uint32_t i = 0; i < r->ndifferences; i++)
		json_object_array_add(list, difference_json(&r->difference[i]));
	json_object_object_add(o, "differences", list);
	return o;
}

int cmd_replay(struct opt_walk *w)
{
	struct replay_question q;
	struct rql_error e;
	int status = EXIT_DONE;

	memset(&q, 0, sizeof(q));
	memset(&e, 0, sizeof(e));
	if (!read_options(&q, w, &e) || !replay(&q, &e))
		status = cmd_fail(&e);
	if (status == EXIT_DONE && !q.json.to_stdout)
		print(&q);
	if (status == EXIT_DONE && q.json.wanted && !json_out_write(&q.json, report_json(&q), &e))
		status = cmd_fail(&e);
	json_out_abandon(&q.json);
	topology_free(&q.topo);
	return status;
}
