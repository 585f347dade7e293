/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of the events' names with the shape of their values and one reader a
 * shape. A key is an event when it begins with an event's name, as in rt-app,
 * so that run1, run_b and run are all run; longer names stand before those
 * they begin with (runtime before run).
 *
 * suspend takes its string where there is one, as rt-app did for most of its
 * life; files in which several tasks suspend on one name depend on it. Newer
 * versions ignore the string and use the task's own name, which is also what a
 * missing or empty string means here.
 */
#include "import/rtapp_events.h"

#include <string.h>

#include "base/check.h"
#include "import/rtapp_names.h"

#define VALUE_US_MAX INT32_MAX /* rt-app keeps durations in an int */

enum shape {
	SHAPE_RUN,      /* a duration, or -1: for ever */
	SHAPE_DURATION, /* microseconds */
	SHAPE_NAME,     /* a string: what resource kind */
	SHAPE_WAIT,     /* an object: ref, mutex */
	SHAPE_TIMER,    /* an object: ref, period, mode */
	SHAPE_SUSPEND,
	SHAPE_RESUME,
	SHAPE_NOTHING, /* the value, if any, means nothing */
	SHAPE_LATER,   /* not modelled */
};

struct event_type {
	const char *name;
	enum shape shape;
	enum rtapp_event_kind kind;
	enum rtapp_resource_kind resource; /* SHAPE_NAME */
};

static const struct event_type event_types[] = {
	{"lock", SHAPE_NAME, RTAPP_LOCK, RTAPP_MUTEX},
	{"unlock", SHAPE_NAME, RTAPP_UNLOCK, RTAPP_MUTEX},
	{"wait", SHAPE_WAIT, RTAPP_WAIT, RTAPP_CONDITION},
	{"signal", SHAPE_NAME, RTAPP_SIGNAL, RTAPP_CONDITION},
	{"broad", SHAPE_NAME, RTAPP_BROAD, RTAPP_CONDITION},
	{"sync", SHAPE_WAIT, RTAPP_SYNC, RTAPP_CONDITION},
	{"sleep", SHAPE_DURATION, RTAPP_SLEEP, RTAPP_TASK},
	{"runtime", SHAPE_DURATION, RTAPP_RUNTIME, RTAPP_TASK},
	{"run", SHAPE_RUN, RTAPP_RUN, RTAPP_TASK},
	{"timer", SHAPE_TIMER, RTAPP_TIMER, RTAPP_SHARED_TIMER},
	{"suspend", SHAPE_SUSPEND, RTAPP_SUSPEND, RTAPP_CONDITION},
	{"resume", SHAPE_RESUME, RTAPP_RESUME, RTAPP_CONDITION},
	{"barrier", SHAPE_NAME, RTAPP_BARRIER, RTAPP_BARRIER_POINT},
	{"yield", SHAPE_NOTHING, RTAPP_YIELD, RTAPP_TASK},
	{"fork", SHAPE_NAME, RTAPP_FORK, RTAPP_TASK},
	{"sem_post", SHAPE_NAME, RTAPP_SEM_POST, RTAPP_SEMAPHORE},
	{"sem_wait", SHAPE_NAME, RTAPP_SEM_WAIT, RTAPP_SEMAPHORE},
	{"memrun", SHAPE_LATER, RTAPP_RUN, RTAPP_TASK},
	{"mem", SHAPE_LATER, RTAPP_RUN, RTAPP_TASK},
	{"iorun", SHAPE_LATER, RTAPP_RUN, RTAPP_TASK},
};

#define EVENT_TYPE_COUNT (sizeof(event_types) / sizeof(event_types[0]))

static const struct event_type *find_type(const struct json_text *j, uint32_t key)
{
	for (size_t i = 0; i < EVENT_TYPE_COUNT; i++)
		if (json_begins(j, key, event_types[i].name))
			return &event_types[i];
	return NULL;
}

bool rtapp_is_event(const struct json_text *j, uint32_t key)
{
	return find_type(j, key) != NULL;
}

const char *rtapp_event_name(uint32_t i)
{
	return i < EVENT_TYPE_COUNT ? event_types[i].name : NULL;
}

/* What one event's reading needs. */
struct reading {
	struct rtapp_plan *pl;
	const struct event_type *type;
	const struct json_member *m;
	uint32_t task;
	struct rtapp_event *event;
};

static bool name_of(struct reading *r, uint32_t token, const char *what, char *name,
		    struct rql_error *e)
{
	if (json_type_of(r->pl->j, token) != JSON_STRING)
		return json_error(r->pl->j, token, "\"", what,
				  "\": not a name; write one in quotes", e);
	return json_string(r->pl->j, token, name, RTAPP_NAME_MAX, e);
}

static bool resource(struct reading *r, enum rtapp_resource_kind kind, uint32_t owner,
		     const char *name, uint32_t *out, struct rql_error *e)
{
	struct rtapp_resource key = {.kind = kind, .owner = owner, .token = r->m->key};

	return rtapp_resource(r->pl, &key, name, out, e);
}

static bool read_duration(struct reading *r, int64_t low, struct rql_error *e)
{
	int64_t us;

	if (!json_integer(r->pl->j, r->m->value, r->type->name, low, VALUE_US_MAX, &us, e))
		return false;
	if (us < 0)
		r->event->kind = RTAPP_RUN_FOREVER;
	else
		r->event->value_us = (uint64_t)us;
	return true;
}

static bool read_name(struct reading *r, struct rql_error *e)
{
	const struct rtapp_task *task = &r->pl->tasks[r->task];
	char name[RTAPP_NAME_MAX];
	struct rtapp_resource *found;

	if (!name_of(r, r->m->value, r->type->name, name, e) ||
	    !resource(r, r->type->resource, 0, name, &r->event->resource, e))
		return false;
	found = &r->pl->resources[r->event->resource];
	if (r->type->kind == RTAPP_FORK && !found->forked) {
		found->forked = true;
		found->token = r->m->value;
	}
	if (r->type->kind == RTAPP_BARRIER) {
		uint64_t users = (uint64_t)found->users + task->instances;

		found->users = users > UINT32_MAX ? UINT32_MAX : (uint32_t)users;
	}
	return true;
}

/* Condition NAME with the mutex MUTEX. */
static bool set_condition(struct reading *r, const char *name, const char *mutex,
			  struct rql_error *e)
{
	return resource(r, RTAPP_CONDITION, 0, name, &r->event->resource, e) &&
	       resource(r, RTAPP_MUTEX, 0, mutex, &r->event->mutex, e);
}

static bool need_object(struct reading *r, struct rql_error *e)
{
	if (json_type_of(r->pl->j, r->m->value) == JSON_OBJECT)
		return true;
	return json_error(r->pl->j, r->m->value, "\"", r->type->name,
			  "\": not an object; write { }", e);
}

static bool member_error(struct reading *r, const struct json_member *m, const char *keys,
			 struct rql_error *e)
{
	return json_error(r->pl->j, m->key,
			  "not a key of an event of this kind, or one without "
			  "a value or given twice; its keys are ",
			  keys, NULL, e);
}

static bool read_wait(struct reading *r, struct rql_error *e)
{
	char ref[RTAPP_NAME_MAX] = "unknown", mutex[RTAPP_NAME_MAX] = "unknown";
	const struct json_text *j = r->pl->j;
	bool have_ref = false, have_mutex = false;
	struct json_member m;
	struct json_walk w;

	if (!need_object(r, e))
		return false;
	w = json_walk(j, r->m->value);
	while (json_next_member(&w, &m)) {
		if (m.value != JSON_NONE && json_is(j, m.key, "ref") && !have_ref) {
			have_ref = true;
			if (!name_of(r, m.value, "ref", ref, e))
				return false;
		} else if (m.value != JSON_NONE && json_is(j, m.key, "mutex") && !have_mutex) {
			have_mutex = true;
			if (!name_of(r, m.value, "mutex", mutex, e))
				return false;
		} else {
			return member_error(r, &m, "ref and mutex", e);
		}
	}
	return set_condition(r, ref, mutex, e);
}

static bool read_mode(struct reading *r, uint32_t token, bool *absolute, struct rql_error *e)
{
	char mode[RTAPP_NAME_MAX];

	if (!name_of(r, token, "mode", mode, e))
		return false;
	*absolute = strcmp(mode, "absolute") == 0;
	if (*absolute || strcmp(mode, "relative") == 0)
		return true;
	return json_error(r->pl->j, token, "\"mode\": unknown; write relative or absolute", NULL,
			  NULL, e);
}

/* A name that begins with "unique" is a timer of each instance, any other is shared by all tasks. */
static bool set_timer(struct reading *r, const char *ref, bool absolute, struct rql_error *e)
{
	bool own = strncmp(ref, "unique", strlen("unique")) == 0;
	uint32_t before = r->pl->nresources;
	struct rtapp_resource *timer;

	if (!resource(r, own ? RTAPP_OWN_TIMER : RTAPP_SHARED_TIMER, own ? r->task : 0, ref,
		      &r->event->resource, e))
		return false;
	timer = &r->pl->resources[r->event->resource];
	if (own && r->pl->nresources > before)
		timer->users = r->pl->tasks[r->task].own_timers++;
	timer->absolute |= absolute;
	return true;
}

static bool read_timer(struct reading *r, struct rql_error *e)
{
	const struct json_text *j = r->pl->j;
	bool seen[3] = {false, false, false}, absolute = false;
	char ref[RTAPP_NAME_MAX] = "unknown";
	struct json_member m;
	struct json_walk w;
	int64_t us = 0;

	if (!need_object(r, e))
		return false;
	w = json_walk(j, r->m->value);
	while (json_next_member(&w, &m)) {
		static const char *const names[3] = {"ref", "period", "mode"};
		int which = 0;

		while (which < 3 && !json_is(j, m.key, names[which]))
			which++;
		if (which == 3 || seen[which] || m.value == JSON_NONE)
			return member_error(r, &m, "ref, period and mode", e);
		seen[which] = true;
		if (which == 0 && !name_of(r, m.value, "ref", ref, e))
			return false;
		if (which == 1 && !json_integer(j, m.value, "period", 0, VALUE_US_MAX, &us, e))
			return false;
		if (which == 2 && !read_mode(r, m.value, &absolute, e))
			return false;
	}
	r->event->value_us = (uint64_t)us;
	return set_timer(r, ref, absolute, e);
}

static bool read_suspend(struct reading *r, struct rql_error *e)
{
	char name[RTAPP_NAME_MAX] = "";

	if (r->m->value != JSON_NONE && !name_of(r, r->m->value, "suspend", name, e))
		return false;
	if (!name[0])
		strcpy(name, r->pl->names + r->pl->tasks[r->task].name);
	return set_condition(r, name, name, e);
}

static bool read_resume(struct reading *r, struct rql_error *e)
{
	char name[RTAPP_NAME_MAX];

	return name_of(r, r->m->value, "resume", name, e) && set_condition(r, name, name, e);
}

static bool read_value(struct reading *r, struct rql_error *e)
{
	switch (r->type->shape) {
	case SHAPE_RUN:
		return read_duration(r, -1, e);
	case SHAPE_DURATION:
		return read_duration(r, 0, e);
	case SHAPE_NAME:
		return read_name(r, e);
	case SHAPE_WAIT:
		return read_wait(r, e);
	case SHAPE_TIMER:
		return read_timer(r, e);
	case SHAPE_SUSPEND:
		return read_suspend(r, e);
	case SHAPE_RESUME:
		return read_resume(r, e);
	case SHAPE_NOTHING:
		return true;
	case SHAPE_LATER:
		return json_error(r->pl->j, r->m->key, "\"", r->type->name,
				  "\": memory and I/O are not supported yet; write run", e);
	}
	CHECK(false);
	return false;
}

bool rtapp_read_event(struct rtapp_plan *pl, uint32_t task, const struct json_member *m,
		      struct rql_error *e)
{
	const struct event_type *type = find_type(pl->j, m->key);
	struct rtapp_event event;
	struct reading r = {pl, type, m, task, &event};

	CHECK(type != NULL);
	memset(&event, 0, sizeof(event));
	event.kind = type->kind;
	if (m->value == JSON_NONE && type->shape != SHAPE_SUSPEND && type->shape != SHAPE_NOTHING)
		return json_error(pl->j, m->key, "\"", type->name,
				  "\": has no value; write one after a colon", e);
	if (!read_value(&r, e))
		return false;
	if (!rtapp_grow(&pl->events, pl->nevents, 1, &pl->events_cap, sizeof(*pl->events), e))
		return false;
	pl->events[pl->nevents++] = event;
	return true;
}
