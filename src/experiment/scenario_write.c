/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios to JSON; scenario_read.c says what stands where. Nothing that
 * decides a run is left out, defaults included, so that a scenario means the
 * same when a default changes.
 */
#include "experiment/scenario.h"

#include <json-c/json.h>

static struct json_object *u64(uint64_t x)
{
	return json_object_new_uint64(x);
}

static struct json_object *u64_or_null(uint64_t x, uint64_t none)
{
	return x == none ? NULL : json_object_new_uint64(x);
}

static struct json_object *max_json(const struct group_limits *limits)
{
	char text[CPU_MAX_BYTES];

	group_limits_max_text(text, limits->quota_us, limits->period_us);
	return json_object_new_string(text);
}

static struct json_object *item_json(const struct scenario_item *item)
{
	struct json_object *o = json_object_new_object(), *w;

	if (item->kind == SCENARIO_CGROUP) {
		json_object_object_add(o, "cgroup", json_object_new_string(item->cgroup));
		if (item->limits.weight)
			json_object_object_add(o, "cpu.weight", u64(item->limits.weight));
		if (item->limits.period_us)
			json_object_object_add(o, "cpu.max", max_json(&item->limits));
		if (item->limits.burst_us)
			json_object_object_add(o, "cpu.max.burst", u64(item->limits.burst_us));
		if (item->limits.idle)
			json_object_object_add(o, "cpu.idle", u64(1));
		return o;
	}
	if (item->rtapp_name) {
		w = json_object_new_object();
		json_object_object_add(w, "rt-app", json_object_new_string(item->rtapp_name));
		json_object_object_add(w, "text", json_object_new_string(item->workload));
	} else {
		w = json_object_new_string(item->workload);
	}
	json_object_object_add(o, "workload", w);
	json_object_object_add(o, "cgroup", json_object_new_string(item->cgroup));
	json_object_object_add(o, "start", u64_or_null(item->start_cpu, WORKLOAD_START_ANY));
	return o;
}

static struct json_object *prices_json(const struct scenario *s)
{
	struct json_object *o;

	if (!s->prices_text)
		return json_object_new_string(s->prices_name);
	o = json_object_new_object();
	json_object_object_add(o, "name", json_object_new_string(s->prices_name));
	json_object_object_add(o, "text", json_object_new_string(s->prices_text));
	return o;
}

struct json_object *scenario_json(const struct scenario *s)
{
	struct json_object *o = json_object_new_object();
	struct json_object *kernels = json_object_new_array();
	struct json_object *work = json_object_new_array();
	struct json_object *config = json_object_new_object();
	struct json_object *limits = json_object_new_object();

	for (uint32_t i = 0; i < s->nkernels; i++)
		json_object_array_add(kernels, json_object_new_string(s->kernels[i]));
	for (uint32_t i = 0; i < s->nitems; i++)
		json_object_array_add(work, item_json(&s->items[i]));
	json_object_object_add(config, "autogroup", json_object_new_boolean(s->autogroup));
	json_object_object_add(config, "atomic", json_object_new_boolean(s->atomic));
	json_object_object_add(limits, "memory_bytes", u64(s->memory_limit_bytes));
	json_object_object_add(limits, "events", u64(s->events_limit));

	json_object_object_add(o, "machine", json_object_new_string(s->machine));
	json_object_object_add(o, "kernels", kernels);
	json_object_object_add(o, "work", work);
	json_object_object_add(o, "config", config);
	json_object_object_add(o, "prices", prices_json(s));
	json_object_object_add(o, "seed", u64(s->seed));
	json_object_object_add(o, "duration_ns", u64_or_null(s->duration_ns, TIME_NEVER));
	json_object_object_add(o, "limits", limits);
	return o;
}
