/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From JSON to a plan: global, tasks, phases. Each object is read twice: first
 * its settings, in any order, then its events in theirs, because a setting
 * (the policy, the number of instances) may stand behind an event it concerns.
 *
 * Where rt-app ignores what it does not know, this is an error: a misspelt key
 * is a different workload. Keys that only steer rt-app's logging are accepted.
 * Known keys whose effect is not modelled are errors that say so.
 *
 * A phase that gives a priority without a policy keeps the policy in force;
 * rt-app decides that when the phase first runs, which is in the order of the
 * phases, so it is decided here in that order.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "import/json_text.h"
#include "import/rtapp.h"
#include "import/rtapp_events.h"
#include "import/rtapp_names.h"
#include "import/rtapp_plan.h"
#include "base/params.h"

#define RT_PRIORITY_DEFAULT 10
#define DL_US_MIN 2 /* the kernel takes no runtime below 1024 ns */

enum setting {
	SET_LOOP,
	SET_PRIORITY,
	SET_POLICY,
	SET_CPUS,
	SET_DL_RUNTIME,
	SET_DL_PERIOD,
	SET_DL_DEADLINE,
	SET_DL_RECLAIM,
	SET_INSTANCE,
	SET_DELAY,
	SET_PHASES,
	SET_LATER, /* known to rt-app, not modelled */
	SET_OLD,   /* of older versions of rt-app */
};

struct setting_key {
	const char *name;
	enum setting what;
	const char *hint; /* SET_LATER: what it is; SET_OLD: what to write now */
};

static const struct setting_key setting_keys[] = {
	{"loop", SET_LOOP, NULL},
	{"priority", SET_PRIORITY, NULL},
	{"policy", SET_POLICY, NULL},
	{"cpus", SET_CPUS, NULL},
	{"dl-runtime", SET_DL_RUNTIME, NULL},
	{"dl-period", SET_DL_PERIOD, NULL},
	{"dl-deadline", SET_DL_DEADLINE, NULL},
	{"instance", SET_INSTANCE, NULL},
	{"delay", SET_DELAY, NULL},
	{"phases", SET_PHASES, NULL},
	{"dl-reclaim", SET_DL_RECLAIM, NULL},
	{"util_min", SET_LATER, "utilization clamping"},
	{"util_max", SET_LATER, "utilization clamping"},
	{"nodes_membind", SET_LATER, "memory binding"},
	{"taskgroup", SET_LATER, "task groups in a file"},
	{"exec", SET_OLD, "write run for the work, and dl-runtime with SCHED_DEADLINE"},
	{"period", SET_OLD, "write timer, and dl-period with SCHED_DEADLINE"},
	{"deadline", SET_OLD, "write timer, and dl-deadline with SCHED_DEADLINE"},
	{"lock_order", SET_OLD, "write lock, run, unlock"},
	{"resources", SET_OLD, "write lock, run, unlock"},
};

#define SETTING_KEY_COUNT (sizeof(setting_keys) / sizeof(setting_keys[0]))
#define SETTINGS_OF_TODAY 10 /* the first ones are offered in messages */

/* The settings of a task or a phase as given. */
struct settings {
	bool given[SET_PHASES + 1];
	int64_t loop, priority, instance, delay_us;
	int64_t runtime_us, period_us, deadline_us; /* of SCHED_DEADLINE */
	enum sched_policy policy;
	uint32_t object; /* that they stand in */
	uint32_t policy_token, priority_token, loop_token, phases, first_event;
	uint32_t runtime_token, period_token, deadline_token;
	uint32_t cpus;
};

static const struct setting_key *find_setting(const struct json_text *j, uint32_t key)
{
	for (size_t i = 0; i < SETTING_KEY_COUNT; i++)
		if (json_is(j, key, setting_keys[i].name))
			return &setting_keys[i];
	return NULL;
}

/* Says which of N names is nearest to the key. */
static bool unknown_key(const struct json_text *j, uint32_t key, const char *const *names,
			uint32_t n, struct rql_error *e)
{
	const struct json_token *t = &j->tokens[key];
	uint32_t nearest[3], len = t->end - t->start;
	char what[128];
	struct buf b;

	param_nearest(j->text + t->start, len, names, n, nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, "unknown key \"");
	buf_strn(&b, j->text + t->start, len < 40 ? len : 40);
	buf_str(&b, "\"; nearest is \"");
	buf_str(&b, names[nearest[0]]);
	buf_str(&b, "\"");
	return json_error(j, key, what, NULL, NULL, e);
}

static bool read_policy(struct rtapp_plan *pl, uint32_t token, enum sched_policy *out,
			struct rql_error *e)
{
	static const struct {
		const char *name;
		enum sched_policy policy;
	} policies[] = {
		{"SCHED_OTHER", POLICY_NORMAL}, {"SCHED_BATCH", POLICY_BATCH},
		{"SCHED_IDLE", POLICY_IDLE},    {"SCHED_FIFO", POLICY_FIFO},
		{"SCHED_RR", POLICY_RR},        {"SCHED_DEADLINE", POLICY_DEADLINE},
	};

	if (json_type_of(pl->j, token) == JSON_STRING) {
		for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
			if (json_is(pl->j, token, policies[i].name)) {
				*out = policies[i].policy;
				return true;
			}
		}
	}
	return json_error(pl->j, token,
			  "not a policy; write SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, ",
			  "SCHED_FIFO, SCHED_RR or SCHED_DEADLINE", NULL, e);
}

/* Keep MASK, or the equal one that is there already. */
static bool keep_mask(struct rtapp_plan *pl, uint32_t token, struct mask *mask, uint32_t *out,
		      struct rql_error *e)
{
	for (uint32_t i = 0; i < pl->nmasks; i++) {
		if (mask_equal(pl->masks[i], mask)) {
			free(mask);
			*out = i;
			return true;
		}
	}
	if (pl->nmasks == RTAPP_MASKS_MAX) {
		free(mask);
		return json_error(pl->j, token, "\"cpus\": more than 1024 different sets; ",
				  "write fewer", NULL, e);
	}
	if (!rtapp_grow(&pl->masks, pl->nmasks, 1, &pl->masks_cap, sizeof(*pl->masks), e)) {
		free(mask);
		return false;
	}
	pl->masks[pl->nmasks] = mask;
	*out = pl->nmasks++;
	return true;
}

static bool read_cpus(struct rtapp_plan *pl, uint32_t token, uint32_t *out, struct rql_error *e)
{
	uint32_t element, ncpus = pl->target->ncpus;
	void *memory;
	struct mask *mask;
	struct json_walk w;
	int64_t cpu;

	if (json_type_of(pl->j, token) != JSON_ARRAY)
		return json_error(pl->j, token,
				  "\"cpus\": not a list; write CPU numbers, as [0, 2]", NULL, NULL,
				  e);
	w = json_walk(pl->j, token);
	if (w.at == w.end)
		return json_error(pl->j, token, "\"cpus\": is empty; a task needs a CPU", NULL,
				  NULL, e);
	memory = malloc(mask_size(ncpus));
	if (!memory)
		return err_set(e, NULL, "out of memory", NULL, NULL);
	mask = mask_init(memory, ncpus);
	while (json_next_element(&w, &element)) {
		if (!json_integer(pl->j, element, "cpus", 0, ncpus - 1, &cpu, e)) {
			free(memory);
			return false;
		}
		if (pl->target->present && !mask_test(pl->target->present, (uint32_t)cpu)) {
			free(memory);
			return json_error(pl->j, element, "\"cpus\": the machine has no such CPU; ",
					  "`runqlab topo MACHINE` shows those it has", NULL, e);
		}
		mask_set(mask, (uint32_t)cpu);
	}
	if (pl->target->online && !mask_intersects(mask, pl->target->online)) {
		free(memory);
		return json_error(pl->j, token, "\"cpus\": none of these CPUs is online; ",
				  "name one that the machine has online", NULL, e);
	}
	return keep_mask(pl, token, mask, out, e);
}

static bool read_dl_time(const struct json_text *j, const char *name, uint32_t token,
			 uint32_t *keep, int64_t *us, struct rql_error *e)
{
	*keep = token;
	return json_integer(j, token, name, DL_US_MIN, INT32_MAX, us, e);
}

/* GRUB, in patches for rt-app: only "no" is what happens here. */
static bool read_reclaim(const struct json_text *j, uint32_t token, struct rql_error *e)
{
	if (json_type_of(j, token) == JSON_BOOL && json_is(j, token, "false"))
		return true;
	return json_error(j, token, "\"dl-reclaim\": not supported yet: ",
			  "reclaiming of unused bandwidth; write false", NULL, e);
}

static bool read_setting(struct rtapp_plan *pl, const struct setting_key *key,
			 const struct json_member *m, struct settings *s, struct rql_error *e)
{
	const struct json_text *j = pl->j;

	switch (key->what) {
	case SET_LOOP:
		s->loop_token = m->value;
		return json_integer(j, m->value, "loop", -1, INT32_MAX, &s->loop, e);
	case SET_PRIORITY:
		s->priority_token = m->value;
		return json_integer(j, m->value, "priority", INT32_MIN, INT32_MAX, &s->priority, e);
	case SET_POLICY:
		s->policy_token = m->value;
		return read_policy(pl, m->value, &s->policy, e);
	case SET_CPUS:
		return read_cpus(pl, m->value, &s->cpus, e);
	case SET_DL_RUNTIME:
		return read_dl_time(j, key->name, m->value, &s->runtime_token, &s->runtime_us, e);
	case SET_DL_PERIOD:
		return read_dl_time(j, key->name, m->value, &s->period_token, &s->period_us, e);
	case SET_DL_DEADLINE:
		return read_dl_time(j, key->name, m->value, &s->deadline_token, &s->deadline_us, e);
	case SET_DL_RECLAIM:
		return read_reclaim(j, m->value, e);
	case SET_INSTANCE:
		return json_integer(j, m->value, "instance", 0, PROGRAM_TASKS_MAX, &s->instance, e);
	case SET_DELAY:
		return json_integer(j, m->value, "delay", 0, INT32_MAX, &s->delay_us, e);
	case SET_PHASES:
		s->phases = m->value;
		if (json_type_of(j, m->value) != JSON_OBJECT)
			return json_error(j, m->value, "\"phases\": not an object; write { }", NULL,
					  NULL, e);
		return true;
	case SET_LATER:
	case SET_OLD:
		break;
	}
	CHECK(false);
	return false;
}

static bool unknown_member(const struct json_text *j, uint32_t key, struct rql_error *e)
{
	const char *names[SETTINGS_OF_TODAY + 32];
	uint32_t n = 0;

	for (; n < SETTINGS_OF_TODAY; n++)
		names[n] = setting_keys[n].name;
	for (uint32_t i = 0; rtapp_event_name(i) && n < sizeof(names) / sizeof(names[0]); i++)
		names[n++] = rtapp_event_name(i);
	return unknown_key(j, key, names, n, e);
}

/* May the setting stand here, and does it stand here once, with a value? */
static bool check_setting(const struct json_text *j, const struct setting_key *key,
			  const struct json_member *m, bool in_phase, const struct settings *s,
			  struct rql_error *e)
{
	char what[96];
	struct buf b;

	buf_init(&b, what, sizeof(what));
	buf_str(&b, "\"");
	buf_str(&b, key->name);
	if (key->what == SET_LATER)
		return json_error(j, m->key, what, "\": not supported yet; leave out ", key->hint,
				  e);
	if (key->what == SET_OLD)
		return json_error(j, m->key, what, "\": a key of old rt-app versions; ", key->hint,
				  e);
	if (in_phase && key->what >= SET_INSTANCE)
		return json_error(j, m->key, what, "\": a task's, not a phase's; ",
				  "write it beside \"phases\"", e);
	if (s->given[key->what])
		return json_error(j, m->key, what, "\": given twice; once is right", NULL, e);
	if (m->value == JSON_NONE)
		return json_error(j, m->key, what, "\": has no value; write one after a colon",
				  NULL, e);
	return true;
}

static bool read_settings(struct rtapp_plan *pl, uint32_t object, bool in_phase, struct settings *s,
			  struct rql_error *e)
{
	struct json_walk w = json_walk(pl->j, object);
	struct json_member m;

	memset(s, 0, sizeof(*s));
	s->object = object;
	s->first_event = JSON_NONE;
	s->cpus = RTAPP_NO_CPUS;
	while (json_next_member(&w, &m)) {
		const struct setting_key *key = find_setting(pl->j, m.key);

		if (key) {
			if (!check_setting(pl->j, key, &m, in_phase, s, e))
				return false;
			s->given[key->what] = true;
			if (!read_setting(pl, key, &m, s, e))
				return false;
		} else if (rtapp_is_event(pl->j, m.key)) {
			if (s->first_event == JSON_NONE)
				s->first_event = m.key;
		} else {
			return unknown_member(pl->j, m.key, e);
		}
	}
	return true;
}

static bool no_deadline(const struct rtapp_plan *pl, uint32_t token, struct rql_error *e)
{
	return json_error(pl->j, token, "SCHED_DEADLINE, which this kernel does not have: ",
			  pl->target->no_deadline, "; write another policy, or run kernel 3.18", e);
}

static bool is_rt(enum sched_policy policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

/* "priority" fits the policy: a nice value, a real-time priority, or 0, as rt-app hands it on. */
static bool check_priority(const struct rtapp_plan *pl, const struct settings *s,
			   enum sched_policy policy, struct rql_error *e)
{
	const char *range = is_rt(policy) ? "1 to 99" : "-20 to 19";
	int64_t low = is_rt(policy) ? 1 : -20, high = is_rt(policy) ? 99 : 19;

	if (policy == POLICY_DEADLINE) {
		range = "0, or leave it out,";
		low = high = 0;
	}
	if (s->priority >= low && s->priority <= high)
		return true;
	return json_error(pl->j, s->priority_token, "\"priority\": out of range; write ", range,
			  " with this policy", e);
}

/*
 * The parameters of SCHED_DEADLINE with rt-app's defaults: the period is the runtime, the deadline
 * the period. A runtime of 0, rt-app's default, is refused by the kernel.
 */
static bool resolve_deadline(const struct rtapp_plan *pl, const struct settings *s,
			     struct dl_params *out, struct rql_error *e)
{
	int64_t period_us = s->given[SET_DL_PERIOD] ? s->period_us : s->runtime_us;
	int64_t deadline_us = s->given[SET_DL_DEADLINE] ? s->deadline_us : period_us;
	uint32_t place = s->given[SET_POLICY] ? s->policy_token : s->object;

	if (pl->target->no_deadline)
		return no_deadline(pl, place, e);
	if (!s->given[SET_DL_RUNTIME])
		return json_error(pl->j, place, "SCHED_DEADLINE without \"dl-runtime\"; ",
				  "write it, with dl-runtime <= dl-deadline <= dl-period", NULL, e);
	if (s->runtime_us > deadline_us)
		return json_error(pl->j, s->runtime_token,
				  "\"dl-runtime\": longer than the deadline; ",
				  "dl-runtime <= dl-deadline <= dl-period is right", NULL, e);
	if (deadline_us > period_us)
		return json_error(pl->j, s->deadline_token,
				  "\"dl-deadline\": longer than the period; ",
				  "dl-runtime <= dl-deadline <= dl-period is right", NULL, e);
	/* each below 2^31 us */
	out->runtime_ns = (uint64_t)s->runtime_us * NS_PER_US;
	out->deadline_ns = (uint64_t)deadline_us * NS_PER_US;
	out->period_ns = (uint64_t)period_us * NS_PER_US;
	return true;
}

/* A dl- key where another policy is in force. */
static bool check_no_deadline_keys(const struct rtapp_plan *pl, const struct settings *s,
				   struct rql_error *e)
{
	uint32_t token = s->given[SET_DL_RUNTIME]  ? s->runtime_token :
			 s->given[SET_DL_PERIOD]   ? s->period_token :
			 s->given[SET_DL_DEADLINE] ? s->deadline_token :
						     JSON_NONE;

	if (token == JSON_NONE)
		return true;
	return json_error(pl->j, token, "a parameter of SCHED_DEADLINE with another policy; ",
			  "write \"policy\": \"SCHED_DEADLINE\" or leave it out", NULL, e);
}

static bool gives_attr(const struct settings *s)
{
	return s->given[SET_POLICY] || s->given[SET_PRIORITY] || s->given[SET_DL_RUNTIME] ||
	       s->given[SET_DL_PERIOD] || s->given[SET_DL_DEADLINE];
}

/* The attributes that S asks for where BASE were in force. */
static bool resolve_attr(const struct rtapp_plan *pl, const struct settings *s,
			 const struct program_attr *base, struct program_attr *out,
			 struct rql_error *e)
{
	*out = (struct program_attr){.policy = base->policy, .nice = base->nice};
	if (s->given[SET_POLICY])
		out->policy = s->policy;
	if (s->given[SET_PRIORITY] && !check_priority(pl, s, out->policy, e))
		return false;
	if (out->policy == POLICY_DEADLINE)
		return resolve_deadline(pl, s, &out->dl, e);
	if (!check_no_deadline_keys(pl, s, e))
		return false;
	if (is_rt(out->policy))
		out->rt_priority = s->given[SET_PRIORITY] ? (int32_t)s->priority :
							    RT_PRIORITY_DEFAULT;
	else if (out->policy != POLICY_IDLE)
		out->nice = s->given[SET_PRIORITY] ? (int32_t)s->priority : 0;
	return true;
}

/* POLICY is in force. Linux: sched_fork() of a deadline task is EAGAIN. */
static bool read_events(struct rtapp_plan *pl, uint32_t task, uint32_t object,
			enum sched_policy policy, struct rtapp_phase *phase, struct rql_error *e)
{
	struct json_walk w = json_walk(pl->j, object);
	struct json_member m;

	phase->first_event = pl->nevents;
	while (json_next_member(&w, &m)) {
		if (find_setting(pl->j, m.key))
			continue;
		if (!rtapp_read_event(pl, task, &m, e))
			return false;
		if (policy == POLICY_DEADLINE && pl->events[pl->nevents - 1].kind == RTAPP_FORK)
			return json_error(pl->j, m.key,
					  "\"fork\": a deadline task cannot create others; ",
					  "have a task of another policy do it", NULL, e);
	}
	phase->nevents = pl->nevents - phase->first_event;
	if (phase->nevents == 0)
		return json_error(pl->j, object,
				  "no events; a phase needs at least one, such as run", NULL, NULL,
				  e);
	return true;
}

/* A phase's loop: -1 for ever; 0 would be for ever in rt-app too, surely not as meant. */
static bool phase_loop(const struct rtapp_plan *pl, const struct settings *s, uint32_t *out,
		       struct rql_error *e)
{
	*out = 1;
	if (!s->given[SET_LOOP])
		return true;
	if (s->loop == 0)
		return json_error(pl->j, s->loop_token, "\"loop\": 0 makes no sense for a phase; ",
				  "write -1 (for ever) or 1 and more", NULL, e);
	*out = s->loop < 0 ? RTAPP_FOREVER : (uint32_t)s->loop;
	return true;
}

static bool add_phase(struct rtapp_plan *pl, uint32_t task, const struct rtapp_phase *phase,
		      struct rql_error *e)
{
	if (!rtapp_grow(&pl->phases, pl->nphases, 1, &pl->phases_cap, sizeof(*pl->phases), e))
		return false;
	pl->phases[pl->nphases++] = *phase;
	pl->tasks[task].nphases++;
	return true;
}

static bool read_phases(struct rtapp_plan *pl, uint32_t task, uint32_t object, struct rql_error *e)
{
	struct program_attr attr = pl->tasks[task].attr;
	struct json_walk w = json_walk(pl->j, object);
	struct json_member m;

	while (json_next_member(&w, &m)) {
		struct rtapp_phase phase;
		struct settings s;

		memset(&phase, 0, sizeof(phase));
		if (m.value == JSON_NONE || json_type_of(pl->j, m.value) != JSON_OBJECT)
			return json_error(pl->j, m.key, "a phase without an object; write { }",
					  NULL, NULL, e);
		if (!read_settings(pl, m.value, true, &s, e) || !phase_loop(pl, &s, &phase.loop, e))
			return false;
		phase.cpus = s.cpus;
		phase.attr_given = gives_attr(&s);
		if (phase.attr_given) {
			if (!resolve_attr(pl, &s, &attr, &phase.attr, e))
				return false;
			attr = phase.attr;
		}
		if (!read_events(pl, task, m.value, attr.policy, &phase, e) ||
		    !add_phase(pl, task, &phase, e))
			return false;
	}
	if (pl->tasks[task].nphases == 0)
		return json_error(pl->j, object, "\"phases\": is empty; a task needs a phase", NULL,
				  NULL, e);
	return true;
}

/* The whole task is one phase: its "loop" counts that phase, and without it the task is endless. */
static bool read_only_phase(struct rtapp_plan *pl, uint32_t task, uint32_t object,
			    const struct settings *s, struct rql_error *e)
{
	struct rtapp_phase phase;

	memset(&phase, 0, sizeof(phase));
	phase.cpus = RTAPP_NO_CPUS;
	pl->tasks[task].loop = s->given[SET_LOOP] ? 1 : RTAPP_FOREVER;
	return phase_loop(pl, s, &phase.loop, e) &&
	       read_events(pl, task, object, pl->tasks[task].attr.policy, &phase, e) &&
	       add_phase(pl, task, &phase, e);
}

/* Numbers the task and makes it known by its name; of equal names the first is meant. */
static bool add_task(struct rtapp_plan *pl, uint32_t key, const struct rtapp_task *task,
		     struct rql_error *e)
{
	struct rtapp_resource name_key = {.kind = RTAPP_TASK, .token = key};
	char name[RTAPP_NAME_MAX];
	uint32_t resource;

	if (!rtapp_grow(&pl->tasks, pl->ntasks, 1, &pl->tasks_cap, sizeof(*pl->tasks), e) ||
	    !json_string(pl->j, key, name, sizeof(name), e) ||
	    !rtapp_resource(pl, &name_key, name, &resource, e))
		return false;
	pl->tasks[pl->ntasks] = *task;
	pl->tasks[pl->ntasks].name = pl->resources[resource].name;
	if (pl->resources[resource].task == RTAPP_NO_TASK)
		pl->resources[resource].task = pl->ntasks;
	pl->ntasks++;
	return true;
}

static bool read_task(struct rtapp_plan *pl, const struct json_member *m, struct rql_error *e)
{
	struct program_attr base = {.policy = pl->default_policy};
	struct rtapp_task task;
	uint32_t number = pl->ntasks;
	struct settings s;

	if (m->value == JSON_NONE || json_type_of(pl->j, m->value) != JSON_OBJECT)
		return json_error(pl->j, m->key, "a task without an object; write { }", NULL, NULL,
				  e);
	memset(&task, 0, sizeof(task));
	if (!read_settings(pl, m->value, false, &s, e) ||
	    !resolve_attr(pl, &s, &base, &task.attr, e))
		return false;
	task.instances = s.given[SET_INSTANCE] ? (uint32_t)s.instance : 1;
	if (task.instances > PROGRAM_TASKS_MAX - pl->threads)
		return json_error(pl->j, m->key, "more than 1000000 instances in all; write fewer",
				  NULL, NULL, e);
	pl->threads += task.instances;
	task.cpus = s.cpus;
	task.delay_us = (uint64_t)s.delay_us;
	task.first_phase = pl->nphases;
	task.loop = !s.given[SET_LOOP] || s.loop < 0 ? RTAPP_FOREVER : (uint32_t)s.loop;
	if (!add_task(pl, m->key, &task, e))
		return false;
	if (!s.given[SET_PHASES])
		return read_only_phase(pl, number, m->value, &s, e);
	if (s.first_event != JSON_NONE)
		return json_error(pl->j, s.first_event,
				  "an event beside \"phases\" has no effect; ",
				  "move it into a phase", NULL, e);
	return read_phases(pl, number, s.phases, e);
}

/* What can only be judged when all tasks are known. */
static bool check_references(const struct rtapp_plan *pl, struct rql_error *e)
{
	for (uint32_t i = 0; i < pl->nresources; i++) {
		const struct rtapp_resource *r = &pl->resources[i];

		if (r->kind == RTAPP_TASK && r->task == RTAPP_NO_TASK)
			return json_error(pl->j, r->token, "\"fork\": there is no such task; ",
					  "name one of \"tasks\"", NULL, e);
		if (r->kind == RTAPP_BARRIER_POINT && r->users == 0)
			return json_error(
				pl->j, r->token,
				"\"barrier\": no task with an instance comes here; leave it out",
				NULL, NULL, e);
	}
	return true;
}

static bool read_tasks(struct rtapp_plan *pl, uint32_t object, struct rql_error *e)
{
	struct json_walk w = json_walk(pl->j, object);
	struct json_member m;

	while (json_next_member(&w, &m))
		if (!read_task(pl, &m, e))
			return false;
	if (pl->threads == 0)
		return json_error(pl->j, object, "\"tasks\": no task has an instance; one is right",
				  NULL, NULL, e);
	return check_references(pl, e);
}

static bool read_global(struct rtapp_plan *pl, uint32_t object, struct rql_error *e)
{
	static const char
		*const names[] =
			{
				"duration",
				"calibration",
				"default_policy", /* these first, the rest is ignored */
				"pi_enabled",
				"lock_pages",
				"logdir",
				"log_basename",
				"log_size",
				"ftrace",
				"gnuplot",
				"io_device",
				"mem_buffer_size",
				"cumulative_slack",
				"frag",
			};
	const uint32_t n = sizeof(names) / sizeof(names[0]);
	struct json_walk w = json_walk(pl->j, object);
	uint32_t seen = 0;
	struct json_member m;

	while (json_next_member(&w, &m)) {
		int64_t duration_s;
		uint32_t i = 0;

		while (i < n && !json_is(pl->j, m.key, names[i]))
			i++;
		if (i == n)
			return unknown_key(pl->j, m.key, names, n, e);
		if ((seen >> i) & 1)
			return json_error(pl->j, m.key, "\"", names[i],
					  "\": given twice; once is right", e);
		seen |= 1u << i;
		if (m.value == JSON_NONE)
			return json_error(pl->j, m.key, "\"", names[i],
					  "\": has no value; write one after a colon", e);
		if (i == 0) {
			if (!json_integer(pl->j, m.value, "duration", -1, INT32_MAX, &duration_s,
					  e))
				return false;
			pl->duration_s = duration_s > 0 ? (uint64_t)duration_s : 0;
		}
		if (i == 2 && !read_policy(pl, m.value, &pl->default_policy, e))
			return false;
		if (i == 2 && pl->default_policy == POLICY_DEADLINE && pl->target->no_deadline)
			return no_deadline(pl, m.value, e);
	}
	return true;
}

/* Old files declare mutexes and conditions; they are made by their use. */
static bool read_resources(const struct rtapp_plan *pl, uint32_t object, struct rql_error *e)
{
	struct json_walk w = json_walk(pl->j, object);
	struct json_member m, inner;

	while (json_next_member(&w, &m)) {
		struct json_walk v;

		if (m.value == JSON_NONE || json_type_of(pl->j, m.value) != JSON_OBJECT)
			return json_error(pl->j, m.key, "a resource without an object; write { }",
					  NULL, NULL, e);
		v = json_walk(pl->j, m.value);
		while (json_next_member(&v, &inner))
			if (!json_is(pl->j, inner.key, "type"))
				return json_error(pl->j, inner.key,
						  "unknown key; a resource has a ",
						  "type, and is best left out", NULL, e);
	}
	return true;
}

bool rtapp_plan_read(struct rtapp_plan *pl, struct rql_error *e)
{
	static const char *const names[3] = {"global", "resources", "tasks"};
	uint32_t sections[3] = {JSON_NONE, JSON_NONE, JSON_NONE};
	struct json_member m;
	struct json_walk w;

	pl->default_policy = POLICY_NORMAL;
	if (json_type_of(pl->j, 0) != JSON_OBJECT)
		return json_error(pl->j, 0, "not a workload of rt-app; it is an object { }", NULL,
				  NULL, e);
	w = json_walk(pl->j, 0);
	while (json_next_member(&w, &m)) {
		int i = 0;

		while (i < 3 && !json_is(pl->j, m.key, names[i]))
			i++;
		if (i == 3)
			return unknown_key(pl->j, m.key, names, 3, e);
		if (sections[i] != JSON_NONE)
			return json_error(pl->j, m.key, "\"", names[i],
					  "\": given twice; once is right", e);
		if (m.value == JSON_NONE || json_type_of(pl->j, m.value) != JSON_OBJECT)
			return json_error(pl->j, m.key, "\"", names[i],
					  "\": not an object; write { }", e);
		sections[i] = m.value;
	}
	if (sections[0] != JSON_NONE && !read_global(pl, sections[0], e))
		return false;
	if (sections[2] == JSON_NONE)
		return json_error(pl->j, 0, "no \"tasks\"; a workload needs at least one task",
				  NULL, NULL, e);
	if (!read_tasks(pl, sections[2], e))
		return false;
	return sections[1] == JSON_NONE || read_resources(pl, sections[1], e);
}
