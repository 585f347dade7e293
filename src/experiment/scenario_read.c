/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios from JSON. Reading is a table of keys for each kind of object: an
 * unknown key, a second one or a value of the wrong kind is an error with its
 * line and column.
 *
 *	{ "machine": "nhm-ep", "kernels": ["2.6.35"],
 *	  "work": [ { "cgroup": "/a", "cpu.weight": 200, "cpu.max": "50000 100000" },
 *	            { "workload": "spin:n=4", "cgroup": "/a", "start": null },
 *	            { "workload": { "rt-app": "x.json", "text": "{ ... }" }, ... } ],
 *	  "config": { "autogroup": false, "atomic": false },
 *	  "prices": "default", "seed": 1, "duration_ns": 1000000000,
 *	  "limits": { "memory_bytes": N, "events": N } }
 *
 * An element of "work" without a workload makes a group. Prices from a file
 * are { "name": ..., "text": ... }. A whole result is read too: then its
 * "scenario" counts and its "result" is not looked at.
 */
#include "experiment/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/params.h"
#include "experiment/err_printf.h"
#include "experiment/file.h"
#include "experiment/prices.h"
#include "import/json_text.h"
#include "import/machine.h"
#include "import/machine_text.h"

#define KEYS_MAX 16u

struct reader {
	const struct json_text *j;
	struct scenario *s;
	struct rql_error *e;
};

struct key {
	const char *name;
	/* Reads the value TOKEN into OUT, which the table's user knows. */
	bool (*read)(const struct reader *r, uint32_t token, void *out);
	bool required;
};

static bool unknown_key(const struct reader *r, uint32_t token, const struct key *keys, uint32_t n)
{
	const struct json_token *t = &r->j->tokens[token];
	const char *names[KEYS_MAX] = {NULL};
	char what[256];
	uint32_t nearest[3];
	struct buf b;

	for (uint32_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	param_nearest(r->j->text + t->start, t->end - t->start, names, n, nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, "unknown key, nearest \"");
	buf_str(&b, names[nearest[0]]);
	buf_str(&b, "\"; the keys here are");
	for (uint32_t i = 0; i < n; i++) {
		buf_str(&b, i ? ", " : " ");
		buf_str(&b, names[i]);
	}
	return json_error(r->j, token, what, NULL, NULL, r->e);
}

/* Reads the object TOKEN by the table KEYS (N of them). */
static bool read_object(const struct reader *r, uint32_t token, const struct key *keys, uint32_t n,
			void *out)
{
	struct json_walk w;
	struct json_member m;
	uint32_t seen = 0, i;

	CHECK(n <= KEYS_MAX);
	if (json_type_of(r->j, token) != JSON_OBJECT)
		return json_error(r->j, token, "not an object; write { ... }", NULL, NULL, r->e);
	w = json_walk(r->j, token);
	while (json_next_member(&w, &m)) {
		for (i = 0; i < n; i++)
			if (json_is(r->j, m.key, keys[i].name))
				break;
		if (i == n)
			return unknown_key(r, m.key, keys, n);
		if (m.value == JSON_NONE)
			return json_error(r->j, m.key, "\"", keys[i].name,
					  "\" has no value; write one after a colon", r->e);
		if ((seen >> i) & 1)
			return json_error(r->j, m.key, "a second \"", keys[i].name,
					  "\"; one is right", r->e);
		seen |= 1u << i;
		if (!keys[i].read(r, m.value, out))
			return false;
	}
	for (i = 0; i < n; i++)
		if (keys[i].required && !((seen >> i) & 1))
			return json_error(r->j, token, "\"", keys[i].name,
					  "\" is missing here; write it", r->e);
	return true;
}

/* A copy of the string TOKEN, of any length; NULL and *E. */
static char *read_string(const struct reader *r, uint32_t token)
{
	size_t cap;
	char *text;

	if (json_type_of(r->j, token) != JSON_STRING) {
		json_error(r->j, token, "not a string; write one in quotes", NULL, NULL, r->e);
		return NULL;
	}
	cap = r->j->tokens[token].end - r->j->tokens[token].start + 1;
	text = malloc(cap);
	if (!text) {
		err_printf(r->e, r->j->where, "out of memory");
		return NULL;
	}
	if (json_string(r->j, token, text, cap, r->e))
		return text;
	free(text);
	return NULL;
}

static bool read_kept_string(const struct reader *r, uint32_t token, char **out)
{
	*out = read_string(r, token);
	return *out != NULL;
}

static bool read_bool(const struct reader *r, uint32_t token, bool *out)
{
	if (json_type_of(r->j, token) != JSON_BOOL)
		return json_error(r->j, token, "neither true nor false; write one of them", NULL,
				  NULL, r->e);
	*out = json_is(r->j, token, "true");
	return true;
}

static bool read_u64(const struct reader *r, uint32_t token, const char *name, uint64_t low,
		     uint64_t high, uint64_t *out)
{
	int64_t value;

	CHECK(high <= INT64_MAX);
	if (!json_integer(r->j, token, name, (int64_t)low, (int64_t)high, &value, r->e))
		return false;
	*out = (uint64_t)value;
	return true;
}

/*
 * An error of a builder speaks of a text within the file: it becomes an error
 * of the file at TOKEN, the text named in the message. Always false.
 */
static bool at_token(const struct reader *r, uint32_t token)
{
	struct rql_error inner = *r->e;
	char place[32] = "";

	if (inner.line)
		snprintf(place, sizeof(place), ":%u:%u", (unsigned)inner.line,
			 (unsigned)inner.column);
	if (inner.where[0])
		snprintf(inner.where + strlen(inner.where),
			 sizeof(inner.where) - strlen(inner.where), "%s: ", place);
	json_error(r->j, token, inner.where, inner.what, NULL, r->e);
	r->e->limit = inner.limit;
	return false;
}

/* -- values -- */

/* Was T read from a file, a folder or this computer, not from TEXT itself? */
static bool is_from_elsewhere(const char *text, const struct topology *t)
{
	static const char *const names[] = {"xml", "sysfs", "live"};

	if (strncmp(text, MACHINE_TEXT_PREFIX, strlen(MACHINE_TEXT_PREFIX)) == 0)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(t->name, names[i]) == 0)
			return true;
	return false;
}

static bool read_machine(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;
	char *text = read_string(r, token);
	bool ok = text && (scenario_set_machine(s, text, r->e) || at_token(r, token));

	if (ok && is_from_elsewhere(text, &s->topo))
		ok = json_error(r->j, token,
				"a file or this computer; the machine itself stands in a scenario, "
				"as in the JSON of a run",
				NULL, NULL, r->e);
	free(text);
	return ok;
}

static bool read_kernels(const struct reader *r, uint32_t token, void *out)
{
	struct json_walk w;
	uint32_t at;
	bool ok = true;

	if (json_type_of(r->j, token) != JSON_ARRAY)
		return json_error(r->j, token, "not a list; write kernels in [ ... ]", NULL, NULL,
				  r->e);
	w = json_walk(r->j, token);
	while (ok && json_next_element(&w, &at)) {
		char *text = read_string(r, at);

		ok = text && (scenario_add_kernel(out, text, r->e) || at_token(r, at));
		free(text);
	}
	return ok;
}

static bool read_rtapp_name(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;

	return read_kept_string(r, token, &item->rtapp_name);
}

static bool read_rtapp_text(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;

	return read_kept_string(r, token, &item->workload);
}

static bool read_workload(const struct reader *r, uint32_t token, void *out)
{
	static const struct key keys[] = {
		{"rt-app", read_rtapp_name, true},
		{"text", read_rtapp_text, true},
	};
	struct scenario_item *item = out;

	if (json_type_of(r->j, token) == JSON_STRING)
		return read_kept_string(r, token, &item->workload);
	return read_object(r, token, keys, 2, item);
}

static bool read_cgroup(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;

	return read_kept_string(r, token, &item->cgroup);
}

static bool read_weight(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;
	int64_t weight;

	if (!json_integer(r->j, token, "cpu.weight", 1, 10000, &weight, r->e))
		return false;
	item->limits.weight = (uint32_t)weight;
	return true;
}

static bool read_max(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;
	char *text = read_string(r, token);
	bool ok = text && (group_limits_read_max(&item->limits, "", text, strlen(text), r->e) ||
			   at_token(r, token));

	free(text);
	return ok;
}

static bool read_burst(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;
	int64_t us;

	if (!json_integer(r->j, token, "cpu.max.burst", 1, CFS_QUOTA_NS_MAX / NS_PER_US, &us, r->e))
		return false;
	item->limits.burst_us = (uint64_t)us;
	return true;
}

static bool read_idle(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;
	int64_t idle;

	if (!json_integer(r->j, token, "cpu.idle", 0, 1, &idle, r->e))
		return false;
	item->limits.idle = idle;
	return true;
}

static bool read_start(const struct reader *r, uint32_t token, void *out)
{
	struct scenario_item *item = out;
	int64_t cpu;

	if (json_type_of(r->j, token) == JSON_NULL)
		return true;
	if (!json_integer(r->j, token, "start", 0, TOPO_CPUS_MAX - 1, &cpu, r->e))
		return false;
	item->start_cpu = (uint32_t)cpu;
	return true;
}

static bool add_item(const struct reader *r, uint32_t token, struct scenario_item *item)
{
	char root[] = "/";
	bool ok;

	if (!item->workload && (!item->cgroup || item->start_cpu != WORKLOAD_START_ANY))
		return json_error(r->j, token,
				  "neither a workload nor a cgroup alone; one of them is needed",
				  NULL, NULL, r->e);
	if (!item->workload) {
		if (!scenario_add_group_at(r->s, item->cgroup, item->cgroup, &item->limits, r->e))
			return at_token(r, token);
		r->s->items[r->s->nitems - 1].token = token;
		return true;
	}
	if (group_limits_name(&item->limits))
		return json_error(r->j, token, group_limits_name(&item->limits),
				  " beside a workload; an element with cgroup and it alone before "
				  "is right",
				  NULL, r->e);
	item->where = item->rtapp_name ? item->rtapp_name : item->workload;
	if (item->cgroup)
		return scenario_add_work_at(r->s, item, r->e) || at_token(r, token);
	item->cgroup = root;
	ok = scenario_add_work_at(r->s, item, r->e) || at_token(r, token);
	item->cgroup = NULL;
	return ok;
}

static bool read_item(const struct reader *r, uint32_t token)
{
	static const struct key keys[] = {
		{"workload", read_workload, false},   {"cgroup", read_cgroup, false},
		{"cpu.weight", read_weight, false},   {"cpu.max", read_max, false},
		{"cpu.max.burst", read_burst, false}, {"cpu.idle", read_idle, false},
		{"start", read_start, false},
	};
	struct scenario_item item = {.start_cpu = WORKLOAD_START_ANY, .token = token};
	bool ok = read_object(r, token, keys, sizeof(keys) / sizeof(keys[0]), &item) &&
		  add_item(r, token, &item);

	free(item.workload);
	free(item.rtapp_name);
	free(item.cgroup);
	return ok;
}

static bool read_work(const struct reader *r, uint32_t token, void *out)
{
	struct json_walk w;
	uint32_t at;

	(void)out;
	if (json_type_of(r->j, token) != JSON_ARRAY)
		return json_error(r->j, token, "not a list; write work in [ ... ]", NULL, NULL,
				  r->e);
	w = json_walk(r->j, token);
	while (json_next_element(&w, &at))
		if (!read_item(r, at))
			return false;
	return true;
}

static bool read_autogroup(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_bool(r, token, &s->autogroup);
}

static bool read_atomic(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_bool(r, token, &s->atomic);
}

static bool read_config(const struct reader *r, uint32_t token, void *out)
{
	static const struct key keys[] = {
		{"autogroup", read_autogroup, false},
		{"atomic", read_atomic, false},
	};

	return read_object(r, token, keys, 2, out);
}

static bool read_prices_name(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_kept_string(r, token, &s->prices_name);
}

static bool read_prices_text(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	s->prices_text = read_string(r, token);
	return s->prices_text &&
	       (prices_parse("prices", s->prices_text, &s->prices, r->e) || at_token(r, token));
}

static bool read_prices(const struct reader *r, uint32_t token, void *out)
{
	static const struct key keys[] = {
		{"name", read_prices_name, true},
		{"text", read_prices_text, true},
	};
	struct scenario *s = out;

	if (json_type_of(r->j, token) != JSON_STRING)
		return read_object(r, token, keys, 2, out);
	if (!read_kept_string(r, token, &s->prices_name))
		return false;
	if (prices_builtin(s->prices_name, &s->prices))
		return true;
	return json_error(r->j, token,
			  "no such price profile; \"default\", \"free\", \"qemu-lockstep\" or "
			  "{ \"name\": ..., \"text\": ... } is right",
			  NULL, NULL, r->e);
}

static bool read_seed(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_u64(r, token, "seed", 0, SCENARIO_SEED_MAX, &s->seed);
}

static bool read_duration(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	if (json_type_of(r->j, token) == JSON_NULL)
		return true;
	return read_u64(r, token, "duration_ns", 1, SCENARIO_DURATION_NS_MAX, &s->duration_ns);
}

static bool read_memory(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_u64(r, token, "memory_bytes", SCENARIO_MEMORY_MIN, SCENARIO_MEMORY_MAX,
			&s->memory_limit_bytes);
}

static bool read_events(const struct reader *r, uint32_t token, void *out)
{
	struct scenario *s = out;

	return read_u64(r, token, "events", 1, SCENARIO_EVENTS_MAX, &s->events_limit);
}

static bool read_limits(const struct reader *r, uint32_t token, void *out)
{
	static const struct key keys[] = {
		{"memory_bytes", read_memory, false},
		{"events", read_events, false},
	};

	return read_object(r, token, keys, 2, out);
}

static bool read_scenario(const struct reader *r, uint32_t token, void *out)
{
	static const struct key keys[] = {
		{"machine", read_machine, true},
		{"kernels", read_kernels, true},
		{"work", read_work, true},
		{"config", read_config, false},
		{"prices", read_prices, false},
		{"seed", read_seed, false},
		{"duration_ns", read_duration, false},
		{"limits", read_limits, false},
	};

	return read_object(r, token, keys, sizeof(keys) / sizeof(keys[0]), out);
}

static bool read_version(const struct reader *r, uint32_t token, void *out)
{
	int64_t version;

	(void)out;
	return json_integer(r->j, token, "runqlab", 1, 1, &version, r->e);
}

static bool ignore(const struct reader *r, uint32_t token, void *out)
{
	(void)r;
	(void)token;
	(void)out;
	return true;
}

/* Does the root look like a whole result? */
static bool is_result(const struct json_text *j)
{
	struct json_walk w;
	struct json_member m;

	if (json_type_of(j, 0) != JSON_OBJECT)
		return false;
	w = json_walk(j, 0);
	while (json_next_member(&w, &m))
		if (json_is(j, m.key, "scenario") || json_is(j, m.key, "runqlab"))
			return true;
	return false;
}

bool scenario_read(struct scenario *s, const char *where, const char *text, size_t len,
		   struct rql_error *e)
{
	static const struct key keys[] = {
		{"runqlab", read_version, true},
		{"scenario", read_scenario, true},
		{"result", ignore, false},
	};
	struct json_text j;
	struct reader r = {.j = &j, .s = s, .e = e};
	bool ok;

	if (!json_text_parse(&j, where, text, len, e))
		return false;
	ok = is_result(&j) ? read_object(&r, 0, keys, 3, s) : read_scenario(&r, 0, s);
	if (ok && !scenario_finish(s, e))
		ok = at_token(&r, s->bad_item < s->nitems ? s->items[s->bad_item].token : 0);
	json_text_free(&j);
	return ok;
}

bool scenario_load(struct scenario *s, const char *path, struct rql_error *e)
{
	size_t len;
	char *text = file_read(path, JSON_TEXT_MAX, &len, e);
	bool ok;

	if (!text)
		return false;
	ok = scenario_read(s, path, text, len, e);
	free(text);
	return ok;
}
