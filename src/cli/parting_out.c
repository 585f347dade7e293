/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record tells what was done; which function does it follows from its kind. */
#include "cli/parting_out.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "cli/numbers.h"
#include "model/domain.h"

#define LINE_BYTES 400

/* The kernel's functions, by what a MIGRATE record gives as the reason. */
static const char *const migrate_functions[] = {"set_task_cpu", "move_tasks",
						"active_load_balance_cpu_stop", "push_rt_task",
						"pull_rt_task"};

static const char *function_of(const struct record *r)
{
	static const char *const names[RECORD_KINDS] = {
		[RECORD_SWITCH] = "schedule",
		[RECORD_WAKE] = "select_task_rq",
		[RECORD_FORK] = "select_task_rq",
		[RECORD_EXIT] = "do_exit",
		[RECORD_BALANCE] = "load_balance",
		[RECORD_THROTTLE] = "throttle_cfs_rq",
		[RECORD_UNTHROTTLE] = "unthrottle_cfs_rq",
	};

	if (r->kind == RECORD_MIGRATE &&
	    r->d < sizeof(migrate_functions) / sizeof(migrate_functions[0]))
		return migrate_functions[r->d];
	CHECK(r->kind < RECORD_KINDS);
	return names[r->kind] ? names[r->kind] : "";
}

/* Task number I of X: "comm(id)". */
static const char *task_text(char *out, const struct parting_side *x, uint32_t i, uint64_t id)
{
	if (id == 0)
		snprintf(out, NUMBER_BYTES, "idle");
	else
		snprintf(out, NUMBER_BYTES, "%.15s(%" PRIu64 ")", x->comm[i], id);
	return out;
}

/* The CPUs' state: "; CPU 3 has 2 running, load 2048". */
static void add_cpus(char *out, const struct parting_side *x)
{
	for (uint32_t i = 0; i < 2; i++) {
		size_t n = strlen(out);

		if (x->cpu[i] == CPU_NONE || (i == 1 && x->cpu[1] == x->cpu[0]))
			continue;
		snprintf(out + n, LINE_BYTES - n,
			 "; CPU %" PRIu32 " has %" PRIu32 " running, load %" PRIu64, x->cpu[i],
			 x->nr_running[i], x->load[i]);
	}
}

static void describe_switch(char *out, const struct parting_side *x)
{
	char prev[NUMBER_BYTES], next[NUMBER_BYTES];
	size_t n;

	snprintf(out, LINE_BYTES, "switches from %s%s to %s", task_text(prev, x, 0, x->record.a),
		 x->record.c ? ", still queued," : "", task_text(next, x, 1, x->record.b));
	n = strlen(out);
	if (x->has_vruntime)
		snprintf(out + n, LINE_BYTES - n, "; vruntime %" PRIu64 " and %" PRIu64,
			 x->vruntime_vns[0], x->vruntime_vns[1]);
}

static void describe_balance(char *out, const struct record *r)
{
	static const char *const who[CPU_IDLE_TYPES] = {"idle", "busy", "about to idle"};
	uint64_t type = r->a & 0xff;

	snprintf(out, LINE_BYTES,
		 "level %" PRIu64 ", CPU %s: imbalance %" PRIu64 ", %" PRIu64
		 " tasks moved, result %" PRId64,
		 r->a >> 8, type < CPU_IDLE_TYPES ? who[type] : "-", r->b, r->c, (int64_t)r->d);
}

/* What X did, and the numbers it did it by. */
static void describe(char *out, const struct parting_side *x)
{
	const struct record *r = &x->record;
	char a[NUMBER_BYTES], b[NUMBER_BYTES];

	out[0] = '\0';
	switch (r->kind) {
	case RECORD_SWITCH:
		describe_switch(out, x);
		break;
	case RECORD_WAKE:
		snprintf(out, LINE_BYTES,
			 "CPU %" PRIu64 " for %s, last on CPU %" PRIu64 ", woken by %s", r->b,
			 task_text(a, x, 0, r->a), r->d,
			 r->c ? task_text(b, x, 1, r->c) : "an interrupt or the idle task");
		break;
	case RECORD_FORK:
		snprintf(out, LINE_BYTES, "CPU %" PRIu64 " for %s, a new task of %s", r->c,
			 task_text(a, x, 0, r->a), task_text(b, x, 1, r->b));
		break;
	case RECORD_EXIT:
		snprintf(out, LINE_BYTES, "%s ends, after %" PRIu64 " ns of CPU time",
			 task_text(a, x, 0, r->a), r->b);
		break;
	case RECORD_MIGRATE:
		snprintf(out, LINE_BYTES, "%s goes from CPU %" PRIu64 " to CPU %" PRIu64,
			 task_text(a, x, 0, r->a), r->b, r->c);
		break;
	case RECORD_BALANCE:
		describe_balance(out, r);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		snprintf(out, LINE_BYTES, "group %" PRIu64 " %s on CPU %" PRIu64, r->a,
			 r->kind == RECORD_THROTTLE ? "is out of runtime" : "goes on", r->b);
		break;
	case RECORD_BLOCK:
	case RECORD_TICK:
	case RECORD_WAIT_START:
	case RECORD_WAIT_END:
	case RECORD_KINDS:
		break;
	}
	add_cpus(out, x);
}

static void print_side(const char *kernel, const struct parting_side *x)
{
	char text[LINE_BYTES];

	if (!x->there) {
		printf("  %s: nothing of that kind\n", kernel);
		return;
	}
	describe(text, x);
	printf("  %s: %" PRIu64 ".%09" PRIu64 " s, CPU %" PRIu32 ", %s(): %s\n", kernel,
	       x->record.time_ns / NS_PER_S, x->record.time_ns % NS_PER_S, x->record.cpu,
	       function_of(&x->record), text);
}

static bool same_side(const struct parting_side *a, const struct parting_side *b)
{
	return a->there == b->there &&
	       (!a->there || memcmp(&a->record, &b->record, sizeof(a->record)) == 0);
}

void parting_print(const struct parting *p, const char *first, const char *other, uint64_t seed)
{
	bool once = p->chooses && same_side(&p->first, &p->first_any) &&
		    same_side(&p->other, &p->other_any);

	if (!p->differs) {
		printf("\n%s and %s do the same with seed %" PRIu64 ", record by record\n", first,
		       other, seed);
		return;
	}
	printf("\nwhere %s and %s part, seed %" PRIu64 ", after %" PRIu64 " equal records:\n",
	       first, other, seed, p->nsame);
	print_side(first, &p->first_any);
	print_side(other, &p->other_any);
	if (once)
		return;
	if (!p->chooses) {
		puts("only times and numbers differ: both choose the same to the end");
		return;
	}
	puts("the first choice that differs:");
	print_side(first, &p->first);
	print_side(other, &p->other);
}

/* -- for programs -- */

static void add_u64(struct json_object *o, const char *key, uint64_t x)
{
	json_object_object_add(o, key, json_object_new_uint64(x));
}

/* What record.def calls them; "0" is not used. */
static struct json_object *values_json(const struct record *r)
{
	static const char *const keys[RECORD_KINDS][4] = {
#define RECORD(name, fingerprint, a, b, c, d) {a, b, c, d},
#include "model/record.def"
	};
	const uint64_t values[4] = {r->a, r->b, r->c, r->d};
	struct json_object *o = json_object_new_object();

	for (uint32_t i = 0; i < 4; i++) {
		if (strcmp(keys[r->kind][i], "0") == 0)
			continue;
		if (r->kind == RECORD_BALANCE && i == 3)
			json_object_object_add(o, "result",
					       json_object_new_int64((int64_t)values[i]));
		else if (r->kind == RECORD_MIGRATE && i == 3)
			add_u64(o, "reason", values[i]);
		else
			add_u64(o, keys[r->kind][i], values[i]);
	}
	return o;
}

static struct json_object *side_json(const struct parting_side *x)
{
	static const char *const kinds[RECORD_KINDS] = {
#define RECORD(name, fingerprint, a, b, c, d) #name,
#include "model/record.def"
	};
	struct json_object *o, *list;
	char text[LINE_BYTES];

	if (!x->there)
		return NULL;
	o = json_object_new_object();
	add_u64(o, "time_ns", x->record.time_ns);
	add_u64(o, "cpu", x->record.cpu);
	json_add_text(o, "record", kinds[x->record.kind]);
	json_add_text(o, "function", function_of(&x->record));
	describe(text, x);
	json_add_text(o, "text", text);
	json_object_object_add(o, "values", values_json(&x->record));
	list = json_object_new_array();
	for (uint32_t i = 0; i < 2; i++) {
		struct json_object *cpu;

		if (x->cpu[i] == CPU_NONE)
			continue;
		cpu = json_object_new_object();
		add_u64(cpu, "cpu", x->cpu[i]);
		add_u64(cpu, "nr_running", x->nr_running[i]);
		add_u64(cpu, "load", x->load[i]);
		json_object_array_add(list, cpu);
	}
	json_object_object_add(o, "cpus", list);
	return o;
}

static struct json_object *both_json(const struct parting_side *first,
				     const struct parting_side *other)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "first", side_json(first));
	json_object_object_add(o, "other", side_json(other));
	return o;
}

struct json_object *parting_json(const struct parting *p, const char *first, const char *other,
				 uint64_t seed)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "first", first);
	json_add_text(o, "other", other);
	add_u64(o, "seed", seed);
	add_u64(o, "equal_records", p->nsame);
	json_object_object_add(o, "difference",
			       p->differs ? both_json(&p->first_any, &p->other_any) : NULL);
	json_object_object_add(o, "choice", p->chooses ? both_json(&p->first, &p->other) : NULL);
	return o;
}
