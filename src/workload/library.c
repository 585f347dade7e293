/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a workload's text. It is the same for all workloads, which are rows of
 * the table in library_kinds.c: split at ':' and ',', find each key among the workload's own and
 * the common ones, read its value by the key's type; the first thing that is
 * not exactly right ends it with one line that says what would be right.
 *
 * The canonical text has all of the workload's own keys in the table's order,
 * then those common keys that were given; it creates the same workload even
 * when a default changes one day.
 */
#include "workload/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/mask.h"
#include "base/params.h"
#include "workload/hackbench.h"
#include "workload/launch.h"
#include "workload/library_kinds.h"
#include "workload/program.h"

#define RT_PRIO_DEFAULT 50
#define DL_NS_MIN UINT64_C(1024) /* Linux: __checkparam_dl(), 3.14 on */
#define TEXT_MAX 4096
#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static const struct workload_key_info common_keys[COMMON_KEYS] = {
	{"start", "CPU", "", "CPU where the first task starts"},
	{"nice", "N", "0", "nice value of all tasks, -20 to 19"},
	{"cpus", "LIST", "", "CPUs the tasks are confined to, as 0+2-4"},
	{"policy", "normal|batch|idle|fifo|rr|deadline", "normal",
	 "scheduling policy of all tasks"},
	{"prio", "N", "50", "rt_priority with fifo and rr, 1 to 99; 99 goes first"},
	{"dl_runtime", "TIME", "", "with deadline: CPU time of each task in a period"},
	{"dl_deadline", "TIME", "", "... within so much of the period's start; default: dl_period"},
	{"dl_period", "TIME", "", "... the period; default: dl_deadline"},
	{"shell", "TIME", "",
	 "a shell starts it after this, and up to a tenth more, by fork and exec"},
	{"align", "TIME", "0ns", "... that is a multiple of this; 0: any"},
	{"command", "TIME", "0ns", "... after another command that works so long; 0: none"},
	{"setup", "TIME", "0ns", "... and it works so long before it begins"},
};

static const struct {
	const char *name;
	enum sched_policy policy;
} policies[] = {
	{"normal", POLICY_NORMAL}, {"batch", POLICY_BATCH}, {"idle", POLICY_IDLE},
	{"fifo", POLICY_FIFO},     {"rr", POLICY_RR},       {"deadline", POLICY_DEADLINE},
};

const struct workload_info *workload_info(uint32_t i)
{
	uint32_t count;
	const struct workload_kind *kinds = workload_kinds(&count);

	return i < count ? &kinds[i].info : NULL;
}

const struct workload_key_info *workload_common_key(uint32_t i)
{
	return i < COMMON_KEYS ? &common_keys[i] : NULL;
}

/* " A", " A or B", " A, B or C" of names[nearest[...]]. */
static void append_choice(struct buf *b, const char *const *names, const uint32_t *nearest,
			  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_str(b, i == 0 ? "" : i + 1 == n ? " or " : ", ");
		buf_str(b, names[nearest[i]]);
	}
}

static bool unknown_workload(const char *text, size_t n, struct rql_error *e)
{
	const char *names[KINDS_MAX];
	char what[256];
	uint32_t nearest[3], found, count;
	const struct workload_kind *kinds = workload_kinds(&count);
	struct buf b;

	for (uint32_t i = 0; i < count; i++)
		names[i] = kinds[i].info.name;
	found = param_nearest(text, n, names, count, nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, n ? "unknown workload; nearest: " : "no workload named; for example ");
	append_choice(&b, names, nearest, found);
	buf_str(&b, " (a file needs a / in its path or ends in .json)");
	return err_set(e, text, what, NULL, NULL);
}

static bool unknown_key(const char *text, const struct request *r, const struct param *key,
			struct rql_error *e)
{
	const struct workload_info *info = &r->kind->info;
	const char *names[KIND_KEYS_MAX + COMMON_KEYS];
	uint32_t n = 0, nearest[3];
	char what[512];
	struct buf b;

	for (uint32_t i = 0; i < info->nkeys; i++)
		names[n++] = info->keys[i].name;
	for (uint32_t i = 0; i < COMMON_KEYS; i++)
		names[n++] = common_keys[i].name;
	param_nearest(key->s, key->n, names, n, nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, "unknown key \"");
	buf_strn(&b, key->s, min_u64(key->n, 40));
	buf_str(&b, "\", nearest ");
	buf_str(&b, names[nearest[0]]);
	buf_str(&b, "; the keys of ");
	buf_str(&b, info->name);
	buf_str(&b, " are");
	for (uint32_t i = 0; i < n; i++) {
		buf_str(&b, i ? ", " : " ");
		buf_str(&b, names[i]);
	}
	return err_set(e, text, what, NULL, NULL);
}

/* Own keys come first, then the common ones; UINT32_MAX: unknown. */
static uint32_t find_key(const struct workload_kind *kind, const char *s, size_t n)
{
	for (uint32_t i = 0; i < kind->info.nkeys; i++)
		if (str_equal_n(s, n, kind->info.keys[i].name))
			return i;
	for (uint32_t i = 0; i < COMMON_KEYS; i++)
		if (str_equal_n(s, n, common_keys[i].name))
			return kind->info.nkeys + i;
	return UINT32_MAX;
}

static const char *key_name(const struct workload_kind *kind, uint32_t key)
{
	uint32_t own = kind->info.nkeys;

	return key < own ? kind->info.keys[key].name : common_keys[key - own].name;
}

/*
 * A spread is kept as typed until the step is known: a percentage is marked
 * by the top bit, which no time has.
 */
#define PERCENT_MARK (UINT64_C(1) << 63)

static bool read_wait(const struct param *v, uint64_t *ns, struct rql_error *e)
{
	*ns = 0;
	if (str_equal_n(v->s, v->n, "block"))
		return true;
	*ns = UINT64_MAX;
	if (str_equal_n(v->s, v->n, "spin"))
		return true;
	return param_time(v, 1, KIND_TIME_MAX_NS, ns, e);
}

static bool read_mode(const struct param *v, uint64_t *mode, struct rql_error *e)
{
	*mode = str_equal_n(v->s, v->n, "process") ? MODE_PROCESS : MODE_THREADS;
	if (*mode == MODE_PROCESS || str_equal_n(v->s, v->n, "threads"))
		return true;
	return param_error(v, "unknown; write process or threads", NULL, e);
}

static bool read_spread(const struct param *v, uint64_t *out, struct rql_error *e)
{
	if (!param_is_percent(v))
		return param_time(v, 0, KIND_TIME_MAX_NS, out, e);
	if (!param_percent(v, 0, 100, out, e))
		return false;
	*out |= PERCENT_MARK;
	return true;
}

static bool read_cpus(const struct param *v, struct request *r, struct rql_error *e)
{
	void *memory = malloc(mask_size(r->ncpus));

	if (!memory)
		return err_set(e, v->where, "out of memory", NULL, NULL);
	r->cpus = mask_init(memory, r->ncpus);
	return param_cpus(v, '+', r->ncpus, r->cpus, e);
}

static bool read_policy(const struct param *v, enum sched_policy *policy, struct rql_error *e)
{
	for (uint32_t i = 0; i < COUNT_OF(policies); i++) {
		if (str_equal_n(v->s, v->n, policies[i].name)) {
			*policy = policies[i].policy;
			return true;
		}
	}
	return param_error(v, "unknown; write normal, batch, idle, fifo, rr or deadline", NULL, e);
}

/* Where the value of a common key that is a time is kept. */
static uint64_t *common_time(struct request *r, enum common_key key)
{
	switch (key) {
	case COMMON_DL_RUNTIME:
		return &r->attr.dl.runtime_ns;
	case COMMON_DL_DEADLINE:
		return &r->attr.dl.deadline_ns;
	case COMMON_DL_PERIOD:
		return &r->attr.dl.period_ns;
	case COMMON_SHELL:
		return &r->shell_ns;
	case COMMON_ALIGN:
		return &r->align_ns;
	case COMMON_COMMAND:
		return &r->command_ns;
	case COMMON_SETUP:
		return &r->setup_ns;
	case COMMON_START:
	case COMMON_NICE:
	case COMMON_CPUS:
	case COMMON_POLICY:
	case COMMON_PRIO:
	case COMMON_KEYS:
		break;
	}
	CHECK(false);
	return NULL;
}

static bool read_common(struct request *r, enum common_key key, const struct param *v,
			struct rql_error *e)
{
	uint64_t count = 0;
	int64_t nice = 0;
	bool ok = false;

	switch (key) {
	case COMMON_START:
		ok = param_count(v, 0, r->ncpus - 1, &count, e);
		r->start_cpu = (uint32_t)count;
		return ok;
	case COMMON_NICE:
		ok = param_integer(v, -20, 19, &nice, e);
		r->attr.nice = (int32_t)nice;
		return ok;
	case COMMON_CPUS:
		return read_cpus(v, r, e);
	case COMMON_POLICY:
		return read_policy(v, &r->attr.policy, e);
	case COMMON_PRIO:
		ok = param_count(v, 1, 99, &count, e);
		r->attr.rt_priority = (int32_t)count;
		return ok;
	case COMMON_DL_RUNTIME:
	case COMMON_DL_DEADLINE:
	case COMMON_DL_PERIOD:
		return param_time(v, DL_NS_MIN, KIND_TIME_MAX_NS, common_time(r, key), e);
	case COMMON_SHELL:
	case COMMON_ALIGN:
	case COMMON_COMMAND:
	case COMMON_SETUP:
		return param_time(v, 0, KIND_TIME_MAX_NS, common_time(r, key), e);
	case COMMON_KEYS:
		break;
	}
	CHECK(false);
	return false;
}

static bool read_nice(const struct param *v, uint64_t *out, struct rql_error *e)
{
	int64_t nice = 0;
	bool ok = param_integer(v, -20, 19, &nice, e);

	*out = (uint64_t)(nice + NICE_BIAS);
	return ok;
}

static bool read_cpu(const struct param *v, const struct request *r, uint64_t *cpu,
		     struct rql_error *e)
{
	*cpu = KEY_ANY_CPU;
	return str_equal_n(v->s, v->n, "any") || param_count(v, 0, r->ncpus - 1, cpu, e);
}

static bool read_own(struct request *r, uint32_t key, const struct param *v, struct rql_error *e)
{
	switch (r->kind->types[key]) {
	case KEY_COUNT:
		return param_count(v, 1, KIND_TASKS_MAX, &r->values[key], e);
	case KEY_NUMBER:
		return param_count(v, 0, KIND_TASKS_MAX, &r->values[key], e);
	case KEY_PRIO:
		return param_count(v, 1, 99, &r->values[key], e);
	case KEY_LOOPS:
		return param_count(v, 0, KIND_LOOPS_MAX, &r->values[key], e);
	case KEY_SIZE:
		return param_count(v, 1, HACKBENCH_SIZE_MAX, &r->values[key], e);
	case KEY_SWITCH:
		return param_count(v, 0, 1, &r->values[key], e);
	case KEY_MODE:
		return read_mode(v, &r->values[key], e);
	case KEY_TIME:
		return param_time(v, 1, KIND_TIME_MAX_NS, &r->values[key], e);
	case KEY_SPAN:
		return param_time(v, 0, KIND_TIME_MAX_NS, &r->values[key], e);
	case KEY_WAIT:
		return read_wait(v, &r->values[key], e);
	case KEY_NICE:
		return read_nice(v, &r->values[key], e);
	case KEY_CPU:
		return read_cpu(v, r, &r->values[key], e);
	case KEY_SPREAD:
		return read_spread(v, &r->values[key], e);
	}
	CHECK(false);
	return false;
}

static bool read_value(struct request *r, uint32_t key, const struct param *v, struct rql_error *e)
{
	uint32_t own = r->kind->info.nkeys;

	return key < own ? read_own(r, key, v, e) :
			   read_common(r, (enum common_key)(key - own), v, e);
}

/* One item KEY=VALUE of N bytes. */
static bool read_item(const char *text, const char *item, size_t n, struct request *r,
		      struct rql_error *e)
{
	const char *equals = memchr(item, '=', n);
	struct param name = {text, "key", item, equals ? (size_t)(equals - item) : n};
	uint32_t key, own = r->kind->info.nkeys;
	struct param value;
	bool *given;

	if (n == 0)
		return err_set(e, text, "an empty item; write key=value between commas", NULL,
			       NULL);
	key = find_key(r->kind, name.s, name.n);
	if (key == UINT32_MAX)
		return unknown_key(text, r, &name, e);
	if (!equals)
		return err_set(e, text, key_name(r->kind, key), " has no value; write it as ",
			       "key=value");
	given = key < own ? &r->given[key] : &r->common_given[key - own];
	if (*given)
		return err_set(e, text, key_name(r->kind, key), " is given twice; once is right",
			       NULL);
	value = (struct param){text, key_name(r->kind, key), equals + 1, n - name.n - 1};
	*given = true;
	return read_value(r, key, &value, e);
}

static bool read_items(const char *text, const char *items, struct request *r, struct rql_error *e)
{
	for (;;) {
		const char *comma = strchr(items, ',');
		size_t n = comma ? (size_t)(comma - items) : strlen(items);

		if (!read_item(text, items, n, r, e))
			return false;
		if (!comma)
			return true;
		items = comma + 1;
	}
}

static bool has_rt_policy(const struct request *r)
{
	return r->attr.policy == POLICY_FIFO || r->attr.policy == POLICY_RR;
}

/* Of SCHED_DEADLINE: what is left out, and what the kernel would take. Linux: __checkparam_dl(). */
static bool complete_deadline(const char *text, struct request *r, struct rql_error *e)
{
	struct dl_params *dl = &r->attr.dl;

	if (!dl->runtime_ns)
		return err_set(e, text, "policy=deadline needs dl_runtime; ",
			       "write it, and dl_period or dl_deadline", NULL);
	if (!dl->deadline_ns && !dl->period_ns)
		return err_set(e, text, "policy=deadline needs a dl_period or dl_deadline; ",
			       "write one or both", NULL);
	if (!dl->deadline_ns)
		dl->deadline_ns = dl->period_ns;
	if (!dl->period_ns)
		dl->period_ns = dl->deadline_ns;
	if (dl->runtime_ns > dl->deadline_ns)
		return err_set(e, text, "dl_runtime is longer than the deadline; ",
			       "dl_runtime <= dl_deadline <= dl_period is right", NULL);
	if (dl->deadline_ns > dl->period_ns)
		return err_set(e, text, "dl_deadline is longer than dl_period; ",
			       "dl_runtime <= dl_deadline <= dl_period is right", NULL);
	return true;
}

/* The policy and what belongs to it; what belongs to another is an error. */
static bool complete_policy(const char *text, struct request *r, struct rql_error *e)
{
	for (uint32_t i = COMMON_POLICY; r->kind->own_policies && i <= COMMON_DL_PERIOD; i++)
		if (r->common_given[i])
			return err_set(e, text, common_keys[i].name,
				       ": the tasks of this workload have policies of their own; ",
				       "leave it out");
	if (!r->common_given[COMMON_POLICY])
		r->attr.policy = r->kind->policy;
	if (r->common_given[COMMON_PRIO] && !has_rt_policy(r))
		return err_set(e, text, "prio is of policy=fifo and policy=rr; ",
			       "write one of these or leave prio out", NULL);
	if (has_rt_policy(r) && !r->attr.rt_priority)
		r->attr.rt_priority = r->kind->prio ? r->kind->prio : RT_PRIO_DEFAULT;
	if (r->attr.policy == POLICY_DEADLINE)
		return complete_deadline(text, r, e);
	for (uint32_t i = COMMON_DL_RUNTIME; i <= COMMON_DL_PERIOD; i++)
		if (r->common_given[i])
			return err_set(e, text, common_keys[i].name,
				       " is of policy=deadline; write that or leave it out", NULL);
	return true;
}

/* Defaults for what was not given, then what depends on more than one value. */
static bool complete(const char *text, struct request *r, struct rql_error *e)
{
	const struct workload_info *info = &r->kind->info;

	for (uint32_t i = 0; i < info->nkeys; i++) {
		struct param v = {text, info->keys[i].name, info->keys[i].initial,
				  strlen(info->keys[i].initial)};

		if (!r->given[i] && !read_own(r, i, &v, e))
			return false;
		if (r->kind->types[i] != KEY_SPREAD)
			continue;
		CHECK(i > 0);
		/* at most 10^12 * 100 */
		if (r->values[i] & PERCENT_MARK)
			r->values[i] = r->values[i - 1] * (r->values[i] & ~PERCENT_MARK) / 100;
		if (r->values[i] > r->values[i - 1])
			return err_set(e, text, info->keys[i].name, " is too long; write at most ",
				       info->keys[i - 1].name);
	}
	if (r->cpus && r->start_cpu != WORKLOAD_START_ANY && !mask_test(r->cpus, r->start_cpu))
		return err_set(e, text, "start is not among cpus; one of them is right", NULL,
			       NULL);
	if (!complete_policy(text, r, e))
		return false;
	for (uint32_t i = COMMON_ALIGN; i <= COMMON_SETUP; i++)
		if (r->common_given[i] && !r->common_given[COMMON_SHELL])
			return err_set(e, text, common_keys[i].name, " is of what a shell starts; ",
				       "write shell=TIME or leave it out");
	if (r->kind->settle)
		r->kind->settle(r);
	return !r->kind->check || r->kind->check(text, r, e);
}

static void print_cpus(struct buf *b, const struct mask *cpus)
{
	uint32_t cpu = mask_first(cpus);
	const char *before = "";

	while (cpu != MASK_NONE) {
		uint32_t last = cpu;

		while (mask_next(cpus, last + 1) == last + 1)
			last++;
		buf_str(b, before);
		buf_u64(b, cpu);
		if (last > cpu) {
			buf_char(b, '-');
			buf_u64(b, last);
		}
		before = "+";
		cpu = mask_next(cpus, last + 1);
	}
}

static void print_value(struct buf *b, enum key_type type, uint64_t value)
{
	char time_text[24];

	switch (type) {
	case KEY_COUNT:
	case KEY_NUMBER:
	case KEY_PRIO:
	case KEY_LOOPS:
	case KEY_SIZE:
	case KEY_SWITCH:
		buf_u64(b, value);
		return;
	case KEY_NICE:
		buf_s64(b, (int64_t)value - NICE_BIAS);
		return;
	case KEY_CPU:
		if (value == KEY_ANY_CPU)
			buf_str(b, "any");
		else
			buf_u64(b, value);
		return;
	case KEY_MODE:
		buf_str(b, value == MODE_PROCESS ? "process" : "threads");
		return;
	case KEY_WAIT:
		if (value == 0 || value == UINT64_MAX) {
			buf_str(b, value ? "spin" : "block");
			return;
		}
		break;
	case KEY_TIME:
	case KEY_SPAN:
	case KEY_SPREAD:
		break;
	}
	param_print_time(time_text, sizeof(time_text), value);
	buf_str(b, time_text);
}

/* The common keys from FIRST to LAST, which are times. */
static void print_times(struct buf *b, struct request *r, enum common_key first,
			enum common_key last)
{
	for (uint32_t key = first; key <= last; key++) {
		buf_char(b, ',');
		buf_str(b, common_keys[key].name);
		buf_char(b, '=');
		print_value(b, KEY_SPAN, *common_time(r, (enum common_key)key));
	}
}

/* What the policy needs is printed whether it was given or not. */
static void print_policy(struct buf *b, struct request *r)
{
	if (r->attr.policy == POLICY_NORMAL && !r->common_given[COMMON_POLICY])
		return;
	for (uint32_t i = 0; i < COUNT_OF(policies); i++) {
		if (policies[i].policy == r->attr.policy) {
			buf_str(b, ",policy=");
			buf_str(b, policies[i].name);
		}
	}
	if (has_rt_policy(r)) {
		buf_str(b, ",prio=");
		buf_s64(b, r->attr.rt_priority);
	}
	if (r->attr.policy != POLICY_DEADLINE)
		return;
	print_times(b, r, COMMON_DL_RUNTIME, COMMON_DL_PERIOD);
}

static void print_request(struct buf *b, struct request *r)
{
	const struct workload_info *info = &r->kind->info;

	buf_str(b, info->name);
	for (uint32_t i = 0; i < info->nkeys; i++) {
		buf_char(b, i ? ',' : ':');
		buf_str(b, info->keys[i].name);
		buf_char(b, '=');
		print_value(b, r->kind->types[i], r->values[i]);
	}
	if (r->common_given[COMMON_START]) {
		buf_str(b, ",start=");
		buf_u64(b, r->start_cpu);
	}
	if (r->common_given[COMMON_NICE]) {
		buf_str(b, ",nice=");
		buf_s64(b, r->attr.nice);
	}
	if (r->cpus) {
		buf_str(b, ",cpus=");
		print_cpus(b, r->cpus);
	}
	print_policy(b, r);
	if (r->common_given[COMMON_SHELL])
		print_times(b, r, COMMON_SHELL, COMMON_SETUP);
}

/* Canonical text of R in memory of its own: a list of CPUs takes at most 11 bytes a CPU. */
static char *canonical_text(struct request *r)
{
	size_t cap = 1024 + (r->cpus ? (size_t)r->ncpus * 11 : 0);
	char *text = malloc(cap);
	struct buf b;

	if (!text)
		return NULL;
	buf_init(&b, text, cap);
	print_request(&b, r);
	CHECK(!b.cut);
	return text;
}

static bool out_of_memory(struct rql_error *e)
{
	return err_set(e, "workload", "out of memory", NULL, NULL);
}

static bool build_program(struct workload *w, struct request *r, uint64_t seed, struct rql_error *e)
{
	struct program *p = program_create(seed, r->kind->purpose);

	if (!p)
		return out_of_memory(e);
	r->attr_id = program_attr(p, r->attr);
	r->cpus_id = PROGRAM_CPUS_SAME;
	if (r->cpus)
		r->cpus_id = program_mask(p, r->cpus);
	r->cpus = NULL; /* the program's now */
	r->kind->build(p, r);
	if (!program_finish(p, e)) {
		memcpy(e->where, "workload", sizeof("workload"));
		program_destroy(p);
		return false;
	}
	w->behaviour = program_behaviour(p);
	w->destroy = program_destroy_behaviour;
	return true;
}

static bool make_behaviour(struct workload *w, struct request *r, uint64_t seed,
			   struct rql_error *e)
{
	w->behaviour = r->kind->make(r, seed);
	w->destroy = r->kind->destroy;
	if (!w->behaviour)
		return out_of_memory(e);
	r->cpus = NULL; /* the behaviour's now */
	return true;
}

/* Let a shell start what W does. */
static bool build_launch(const char *text, struct workload *w, const struct request *r,
			 uint64_t seed, struct rql_error *e)
{
	const struct launch_params p = {w->behaviour,  w->destroy,  r->shell_ns, r->align_ns,
					r->command_ns, r->setup_ns, seed};
	struct behaviour *b;

	if (w->behaviour->nfirst > 1)
		return err_set(e, text, "shell: there are several first tasks; ", "leave shell out",
			       NULL);
	b = launch_create(&p);
	if (!b)
		return out_of_memory(e);
	w->behaviour = b;
	w->destroy = launch_destroy;
	return true;
}

static bool build(const char *text, struct workload *w, struct request *r, uint64_t seed,
		  struct rql_error *e)
{
	w->start_cpu = r->start_cpu;
	w->cpus = r->cpus;
	w->text = canonical_text(r);
	if (!w->text)
		return out_of_memory(e);
	if (r->kind->build ? !build_program(w, r, seed, e) : !make_behaviour(w, r, seed, e))
		return false;
	if (r->kind->endless)
		w->behaviour->endless = true;
	if (r->common_given[COMMON_SHELL] && !build_launch(text, w, r, seed, e))
		return false;
	w->fair_tasks = !r->kind->own_policies && policy_is_fair(r->attr.policy);
	return true;
}

struct workload *workload_create(const char *text, uint64_t seed, uint32_t ncpus,
				 struct rql_error *e)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	struct request r = {.start_cpu = WORKLOAD_START_ANY, .ncpus = ncpus};
	struct workload *w = NULL;
	uint32_t count;
	const struct workload_kind *kinds = workload_kinds(&count);
	bool ok;

	CHECK(ncpus > 0);
	if (strlen(text) > TEXT_MAX) {
		err_set(e, "workload", "a text of more than 4096 bytes; that is the most", NULL,
			NULL);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		if (str_equal_n(text, n, kinds[i].info.name))
			r.kind = &kinds[i];
	if (!r.kind) {
		unknown_workload(text, n, e);
		return NULL;
	}
	ok = (!colon || read_items(text, colon + 1, &r, e)) && complete(text, &r, e);
	if (ok) {
		w = calloc(1, sizeof(*w));
		ok = w ? build(text, w, &r, seed, e) : out_of_memory(e);
	}
	free(r.cpus);
	if (!ok) {
		workload_destroy(w);
		return NULL;
	}
	return w;
}
