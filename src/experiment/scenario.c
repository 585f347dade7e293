/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builders take what the user wrote apart as far as that can be judged alone;
 * scenario_finish() judges the rest, because a workload can only be read for
 * a machine and the machine may come last on a command line. It does so by
 * making every workload once and throwing it away: what a run will not accept
 * is found before anything is simulated or written.
 *
 * The work of a scenario is kept in order. A --cgroup is an item of its own,
 * because an empty group is part of the question too.
 */
#include "experiment/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "base/params.h"
#include "base/rng.h"
#include "experiment/err_printf.h"
#include "experiment/file.h"
#include "experiment/prices.h"
#include "import/json_text.h"
#include "import/machine.h"
#include "import/rtapp.h"
#include "kver/kver.h"
#include "workload/library.h"

#define PATH_BYTES_MAX 255u
#define PATH_DEPTH_MAX 16u
#define WEIGHT_MAX 10000u
#define RTAPP_BYTES_MAX ((size_t)4 << 20)
#define MEMORY_LIMIT_DEFAULT (UINT64_C(4) << 30)
#define EVENTS_LIMIT_DEFAULT (UINT64_C(10) << 30)

void scenario_init(struct scenario *s)
{
	memset(s, 0, sizeof(*s));
	s->seed = 1;
	s->duration_ns = TIME_NEVER;
	s->memory_limit_bytes = MEMORY_LIMIT_DEFAULT;
	s->events_limit = EVENTS_LIMIT_DEFAULT;
}

void scenario_free(struct scenario *s)
{
	free(s->machine);
	topology_free(&s->topo);
	for (uint32_t i = 0; i < s->nkernels; i++)
		free(s->kernels[i]);
	for (uint32_t i = 0; i < s->nitems; i++) {
		free(s->items[i].cgroup);
		free(s->items[i].workload);
		free(s->items[i].rtapp_name);
		free(s->items[i].where);
	}
	free(s->items);
	free(s->next_cgroup);
	free(s->prices_name);
	free(s->prices_text);
	memset(s, 0, sizeof(*s));
}

static bool out_of_memory(struct rql_error *e)
{
	return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
}

/* Replace the string *AT by a copy of TEXT. */
static bool keep(char **at, const char *text, struct rql_error *e)
{
	char *copy = strdup(text);

	if (!copy)
		return out_of_memory(e);
	free(*at);
	*at = copy;
	return true;
}

bool scenario_set_machine(struct scenario *s, const char *text, struct rql_error *e)
{
	if (s->machine)
		return err_printf(e, text, "a second machine; one is right");
	if (!machine_load(text, &s->topo, e))
		return false;
	s->machine = topology_describe(&s->topo);
	return s->machine ? true : out_of_memory(e);
}

bool scenario_add_kernel(struct scenario *s, const char *text, struct rql_error *e)
{
	struct kver v;

	if (s->nkernels == SCENARIO_KERNELS_MAX)
		return err_printf(e, text, "more than %u kernels; that is the most",
				  SCENARIO_KERNELS_MAX);
	if (!kver_parse(text, &v, e) || !keep(&s->kernels[s->nkernels], v.name, e))
		return false;
	s->nkernels++;
	return true;
}

/* -- task groups -- */

static bool bad_path(const char *where, const char *path, const char *why, struct rql_error *e)
{
	return err_printf(e, where,
			  "cgroup path \"%.80s\" %s; a path is /NAME[/NAME]... of at most %u bytes",
			  path, why, PATH_BYTES_MAX);
}

static bool check_path(const char *where, const char *path, struct rql_error *e)
{
	uint32_t depth = 0;

	if (path[0] != '/')
		return bad_path(where, path, "does not start with /", e);
	if (strlen(path) > PATH_BYTES_MAX)
		return bad_path(where, path, "is too long", e);
	if (strcmp(path, "/") == 0)
		return true;
	for (const char *at = path; *at;) {
		const char *name = at + 1;
		size_t n = strcspn(name, "/");

		if (n == 0)
			return bad_path(where, path, "has an empty name", e);
		if (name[0] == '.' && (n == 1 || (n == 2 && name[1] == '.')))
			return bad_path(where, path, "has a name of dots only", e);
		for (size_t i = 0; i < n; i++)
			if (name[i] <= ' ' || name[i] > '~' || name[i] == ':' || name[i] == '"')
				return bad_path(
					where, path,
					"has a character other than letters, digits and -_.@+=", e);
		if (++depth > PATH_DEPTH_MAX)
			return bad_path(where, path, "is deeper than 16 groups", e);
		at = name + n;
	}
	return true;
}

/* A new item at the end, zeroed; NULL and *E. */
static struct scenario_item *add_item(struct scenario *s, const char *where, struct rql_error *e)
{
	struct scenario_item *items;

	if (s->nitems == SCENARIO_ITEMS_MAX) {
		err_printf(e, where, "more than %u workloads and cgroups; that is the most",
			   SCENARIO_ITEMS_MAX);
		return NULL;
	}
	items = realloc(s->items, (s->nitems + 1) * sizeof(*items));
	if (!items) {
		out_of_memory(e);
		return NULL;
	}
	s->items = items;
	memset(&items[s->nitems], 0, sizeof(*items));
	items[s->nitems].start_cpu = WORKLOAD_START_ANY;
	return &items[s->nitems++];
}

/* Was PATH given before what LIMITS gives? Returns the name of the first such, or NULL. */
static const char *given_before(const struct scenario *s, const char *path,
				const struct group_limits *limits)
{
	for (uint32_t i = 0; i < s->nitems; i++) {
		const struct group_limits *before = &s->items[i].limits;

		if (s->items[i].kind != SCENARIO_CGROUP || strcmp(s->items[i].cgroup, path) != 0)
			continue;
		if (limits->weight && before->weight)
			return "cpu.weight";
		if (limits->period_us && before->period_us)
			return "cpu.max";
		if ((limits->idle || limits->weight) && (before->idle || before->weight))
			return "weight";
	}
	return NULL;
}

bool scenario_add_group_at(struct scenario *s, const char *where, const char *path,
			   const struct group_limits *limits, struct rql_error *e)
{
	struct scenario_item *item;
	const char *before;

	if (!check_path(where, path, e))
		return false;
	if (group_limits_name(limits) && strcmp(path, "/") == 0)
		return err_printf(e, where, "the root has no %s; name a group below it",
				  group_limits_name(limits));
	if (limits->weight && limits->idle)
		return err_printf(e, where,
				  "cpu.weight beside cpu.idle; an idle group has no other "
				  "weight");
	if (limits->burst_us && (!limits->period_us || limits->quota_us == CPU_MAX_NONE ||
				 limits->burst_us > limits->quota_us))
		return err_printf(e, where,
				  "cpu.max.burst without a quota as large; cpu.max=50000/100000 "
				  "and up to cpu.max.burst=50000 is right");
	before = given_before(s, path, limits);
	if (before)
		return err_printf(e, where, "%s was given a %s before; once is right", path,
				  before);
	item = add_item(s, where, e);
	if (!item)
		return false;
	item->kind = SCENARIO_CGROUP;
	item->limits = *limits;
	return keep(&item->cgroup, path, e) && keep(&item->where, where, e);
}

static bool bad_max(const char *where, const char *text, size_t n, const char *why,
		    struct rql_error *e)
{
	return err_printf(e, where, "cpu.max=%.*s: %s", n < 40 ? (int)n : 40, text, why);
}

/* N bytes at TEXT are a number of us from LOW to HIGH, without a unit. */
static bool read_us(const char *text, size_t n, uint64_t low, uint64_t high, uint64_t *us)
{
	uint64_t x = 0;

	if (n == 0 || n > 15)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		x = 10 * x + (uint64_t)(text[i] - '0');
	}
	*us = x;
	return x >= low && x <= high;
}

bool group_limits_read_max(struct group_limits *limits, const char *where, const char *text,
			   size_t n, struct rql_error *e)
{
	size_t quota_n = 0;
	bool max;

	while (quota_n < n && text[quota_n] != ' ' && text[quota_n] != '/')
		quota_n++;
	max = quota_n == 3 && memcmp(text, "max", 3) == 0;
	limits->quota_us = CPU_MAX_NONE;
	limits->period_us = CFS_PERIOD_NS_DEFAULT / NS_PER_US;
	if (!max && !read_us(text, quota_n, CFS_QUOTA_NS_MIN / NS_PER_US,
			     CFS_QUOTA_NS_MAX / NS_PER_US, &limits->quota_us))
		return bad_max(where, text, n,
			       "the quota is max or 1000 to 17592186044 microseconds; "
			       "50000/100000 is half a CPU",
			       e);
	if (quota_n < n &&
	    !read_us(text + quota_n + 1, n - quota_n - 1, CFS_PERIOD_NS_MIN / NS_PER_US,
		     CFS_PERIOD_NS_MAX / NS_PER_US, &limits->period_us))
		return bad_max(where, text, n,
			       "the period is 1000 to 1000000 microseconds; 50000/100000 is half "
			       "a CPU",
			       e);
	return true;
}

void group_limits_max_text(char out[CPU_MAX_BYTES], uint64_t quota_us, uint64_t period_us)
{
	if (quota_us == CPU_MAX_NONE)
		snprintf(out, CPU_MAX_BYTES, "max %llu", (unsigned long long)period_us);
	else
		snprintf(out, CPU_MAX_BYTES, "%llu %llu", (unsigned long long)quota_us,
			 (unsigned long long)period_us);
}

const char *group_limits_name(const struct group_limits *limits)
{
	if (limits->weight)
		return "cpu.weight";
	if (limits->period_us)
		return "cpu.max";
	if (limits->burst_us)
		return "cpu.max.burst";
	return limits->idle ? "cpu.idle" : NULL;
}

bool group_limits_read_burst(struct group_limits *limits, const char *where, const char *text,
			     size_t n, struct rql_error *e)
{
	if (read_us(text, n, 1, CFS_QUOTA_NS_MAX / NS_PER_US, &limits->burst_us))
		return true;
	return err_printf(e, where,
			  "cpu.max.burst=%.*s: microseconds, 1 up to the quota, are right",
			  n < 40 ? (int)n : 40, text);
}

static bool read_group_weight(const char *text, const char *value, size_t n,
			      struct group_limits *limits, struct rql_error *e)
{
	struct param v = {text, "cpu.weight", value, n};
	uint64_t weight;

	if (limits->weight)
		return err_printf(e, text, "cpu.weight is given twice; once is right");
	if (!param_count(&v, 1, WEIGHT_MAX, &weight, e))
		return false;
	limits->weight = (uint32_t)weight;
	return true;
}

/* One `key=value` of a --cgroup, N bytes. */
static bool read_group_key(const char *text, const char *item, size_t n,
			   struct group_limits *limits, struct rql_error *e)
{
	const char *equals = memchr(item, '=', n);
	size_t key_n = equals ? (size_t)(equals - item) : n;

	if (equals && key_n == 10 && memcmp(item, "cpu.weight", 10) == 0)
		return read_group_weight(text, equals + 1, n - key_n - 1, limits, e);
	if (equals && key_n == 13 && memcmp(item, "cpu.max.burst", 13) == 0) {
		if (limits->burst_us)
			return err_printf(e, text, "cpu.max.burst is given twice; once is right");
		return group_limits_read_burst(limits, text, equals + 1, n - key_n - 1, e);
	}
	if (n == 10 && memcmp(item, "cpu.idle=1", 10) == 0) {
		limits->idle = true;
		return true;
	}
	if (!equals || key_n != 7 || memcmp(item, "cpu.max", 7) != 0)
		return err_printf(
			e, text,
			"unknown item \"%.*s\"; PATH[:cpu.weight=N][:cpu.max=QUOTA/PERIOD]"
			"[:cpu.max.burst=BURST][:cpu.idle=1] is right",
			n < 40 ? (int)n : 40, item);
	if (limits->period_us)
		return err_printf(e, text, "cpu.max is given twice; once is right");
	return group_limits_read_max(limits, text, equals + 1, n - key_n - 1, e);
}

bool scenario_add_cgroup(struct scenario *s, const char *text, struct rql_error *e)
{
	size_t n = strcspn(text, ":");
	const char *item = text + n;
	struct group_limits limits = {0};
	char *path;
	bool ok = true;

	while (ok && *item == ':') {
		size_t len = strcspn(item + 1, ":");

		ok = read_group_key(text, item + 1, len, &limits, e);
		item += 1 + len;
	}
	if (!ok)
		return false;
	path = strndup(text, n);
	if (!path)
		return out_of_memory(e);
	ok = scenario_add_group_at(s, text, path, &limits, e) && keep(&s->next_cgroup, path, e);
	free(path);
	return ok;
}

/* -- work -- */

bool scenario_add_work_at(struct scenario *s, const struct scenario_item *from, struct rql_error *e)
{
	struct scenario_item *item;

	if (!check_path(from->where, from->cgroup, e))
		return false;
	item = add_item(s, from->where, e);
	if (!item)
		return false;
	item->kind = SCENARIO_WORK;
	item->start_cpu = from->start_cpu;
	item->token = from->token;
	s->nwork++;
	return keep(&item->workload, from->workload, e) && keep(&item->where, from->where, e) &&
	       keep(&item->cgroup, from->cgroup, e) &&
	       (!from->rtapp_name || keep(&item->rtapp_name, from->rtapp_name, e));
}

static bool is_file(const char *text)
{
	size_t n = strlen(text), head = strcspn(text, ":");

	/* A slash within the values of a library's text does not make it a path. */
	return memchr(text, '/', head) || (n >= 5 && strcmp(text + n - 5, ".json") == 0);
}

bool scenario_add_work(struct scenario *s, const char *text, struct rql_error *e)
{
	char root[] = "/";
	struct scenario_item item = {.start_cpu = WORKLOAD_START_ANY};
	char *where = strdup(text), *bytes = NULL, *name = NULL;
	size_t len = 0;
	bool ok = where != NULL;

	if (!ok)
		return out_of_memory(e);
	if (is_file(text)) {
		bytes = file_read(text, RTAPP_BYTES_MAX, &len, e);
		name = bytes ? strdup(file_base_name(text)) : NULL;
		ok = bytes && name;
		if (ok && strlen(bytes) != len)
			ok = err_printf(e, text, "a zero byte; JSON is text");
	}
	if (ok) {
		item.cgroup = s->next_cgroup ? s->next_cgroup : root;
		item.workload = bytes ? bytes : where;
		item.rtapp_name = name;
		item.where = where;
		ok = scenario_add_work_at(s, &item, e);
	}
	free(s->next_cgroup);
	s->next_cgroup = NULL;
	free(where);
	free(bytes);
	free(name);
	return ok;
}

const struct scenario_item *scenario_work_item(const struct scenario *s, uint32_t among_work)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nitems; i++)
		if (s->items[i].kind == SCENARIO_WORK && n++ == among_work)
			return &s->items[i];
	CHECK(false && "no such work");
	return NULL;
}

/* The CPUs of the machine, those online or all it has; to be freed. NULL: out of memory. */
static struct mask *cpus_of(const struct topology *topo, bool online)
{
	void *memory = malloc(mask_size(topo->ncpus));
	struct mask *cpus = memory ? mask_init(memory, topo->ncpus) : NULL;

	for (uint32_t i = 0; cpus && i < topo->ncpus; i++)
		if (online ? topo->cpu[i].online : topo->cpu[i].present)
			mask_set(cpus, i);
	return cpus;
}

/* The first of the scenario's kernels that has no SCHED_DEADLINE, or NULL. */
static const char *kernel_without_deadline(const struct scenario *s)
{
	for (uint32_t i = 0; i < s->nkernels; i++) {
		struct rql_error e;
		struct kver v;

		if (kver_parse(s->kernels[i], &v, &e) && !kver_has(&v, FEAT_DL_CLASS))
			return s->kernels[i];
	}
	return NULL;
}

static struct workload *read_rtapp(const struct scenario *s, const struct scenario_item *item,
				   uint64_t seed, struct rql_error *e)
{
	struct mask *present = cpus_of(&s->topo, false), *online = cpus_of(&s->topo, true);
	struct rtapp_target target = {s->topo.ncpus, present, online, kernel_without_deadline(s)};
	struct workload *w = NULL;

	if (present && online)
		w = rtapp_parse(item->where, item->workload, strlen(item->workload), seed, &target,
				e);
	else
		out_of_memory(e);
	free(present);
	free(online);
	return w;
}

uint64_t scenario_rt_only(const struct scenario *s)
{
	uint64_t set = 0;

	for (uint32_t k = 0; k < s->nkernels && s->fair_tasks; k++) {
		struct rql_error e;
		struct kver v;

		if (!kver_parse(s->kernels[k], &v, &e) || !v.rt_only)
			continue;
		for (uint32_t i = 0; kver_profile(i); i++)
			if (strcmp(kver_profile(i)->version, v.version) == 0)
				set |= UINT64_C(1) << i;
	}
	return set;
}

struct workload *scenario_workload(const struct scenario *s, uint32_t among_work, uint64_t seed,
				   struct rql_error *e)
{
	const struct scenario_item *item = scenario_work_item(s, among_work);
	struct rng chance = rng_stream(seed, "workload", among_work);
	uint64_t own_seed = rng_next(&chance);
	struct workload *w;

	if (item->rtapp_name)
		w = read_rtapp(s, item, own_seed, e);
	else
		w = workload_create(item->workload, own_seed, s->topo.ncpus, e);
	if (w && item->start_cpu != WORKLOAD_START_ANY)
		w->start_cpu = item->start_cpu;
	return w;
}

/* -- the rest -- */

bool scenario_set_prices(struct scenario *s, const char *text, struct rql_error *e)
{
	size_t len;

	if (s->prices_name)
		return err_printf(e, text, "a second price profile; one is right");
	if (prices_builtin(text, &s->prices))
		return keep(&s->prices_name, text, e);
	s->prices_text = file_read(text, PRICES_TEXT_MAX, &len, e);
	if (!s->prices_text) {
		if (!strchr(text, '/'))
			err_printf(e, text,
				   "no price profile and no readable file; "
				   "default, free, qemu-lockstep or a profile's file is right");
		return false;
	}
	if (strlen(s->prices_text) != len)
		return err_printf(e, text, "a zero byte; a price profile is text");
	return prices_parse(text, s->prices_text, &s->prices, e) &&
	       keep(&s->prices_name, file_base_name(text), e);
}

bool scenario_set_limits(struct scenario *s, const char *text, struct rql_error *e)
{
	for (const char *item = text;; item++) {
		size_t n = strcspn(item, ",");
		struct param v = {text, "memory", item + 7, n};

		if (n > 7 && memcmp(item, "memory=", 7) == 0) {
			v.n = n - 7;
			if (!param_size(&v, SCENARIO_MEMORY_MIN, SCENARIO_MEMORY_MAX,
					&s->memory_limit_bytes, e))
				return false;
		} else if (n > 7 && memcmp(item, "events=", 7) == 0) {
			v.name = "events";
			v.n = n - 7;
			if (!param_size(&v, 1, SCENARIO_EVENTS_MAX, &s->events_limit, e))
				return false;
		} else {
			return err_printf(e, text,
					  "unknown limit \"%.*s\"; memory=4G,events=10G is right",
					  n < 40 ? (int)n : 40, item);
		}
		item += n;
		if (!*item)
			return true;
	}
}

bool scenario_set_duration(struct scenario *s, const char *text, struct rql_error *e)
{
	struct param v = {NULL, "duration", text, strlen(text)};

	return param_time(&v, 1, SCENARIO_DURATION_NS_MAX, &s->duration_ns, e);
}

bool scenario_set_seed(struct scenario *s, const char *text, struct rql_error *e)
{
	struct param v = {NULL, "seed", text, strlen(text)};

	return param_count(&v, 0, SCENARIO_SEED_MAX, &s->seed, e);
}

static bool no_deadline(const struct scenario_item *item, const char *kernel, struct rql_error *e)
{
	return err_printf(e, item->where,
			  "SCHED_DEADLINE, which kernel %s does not have; 3.18 has it", kernel);
}

/* Does a task of B take SCHED_DEADLINE, as far as B tells beforehand? */
static bool takes_deadline(const struct behaviour *b)
{
	struct task_attr attr = {0};

	for (uint32_t i = 0; b->ops->policy && b->ops->policy(b, i, &attr); i++) {
		if (attr.policy == POLICY_DEADLINE)
			return true;
		attr = (struct task_attr){0};
	}
	return false;
}

/* Policies, and the CPUs that each task is created with; W is thrown away afterwards. */
static bool check_tasks(const struct scenario *s, const struct scenario_item *item,
			const struct workload *w, struct rql_error *e)
{
	const char *without = kernel_without_deadline(s);
	struct behaviour *b = w->behaviour;
	struct mask *online = cpus_of(&s->topo, true);
	const struct mask *seen = NULL;
	bool ok = true;

	if (!online)
		return out_of_memory(e);
	if (without && takes_deadline(b))
		ok = no_deadline(item, without, e);
	for (uint32_t i = 0; ok && i < b->ntasks; i++) {
		struct task_attr attr = {0};

		b->ops->attr(b, i, &attr);
		if (without && attr.policy == POLICY_DEADLINE)
			ok = no_deadline(item, without, e);
		else if (attr.cpus && attr.cpus != seen && !mask_intersects(attr.cpus, online))
			ok = err_printf(e, item->where,
					"a task is confined to CPU %u, which is not online; "
					"name online CPUs by cpus=",
					(unsigned)mask_first(attr.cpus));
		seen = attr.cpus;
	}
	free(online);
	return ok;
}

/* Whatever W is confined to from its start; a file's phases were judged when it was read. */
static bool check_cpus(const struct scenario *s, const struct scenario_item *item,
		       const struct workload *w, struct rql_error *e)
{
	bool some_online = !w->cpus;
	uint32_t cpu;

	if (w->start_cpu != WORKLOAD_START_ANY &&
	    (w->start_cpu >= s->topo.ncpus || !s->topo.cpu[w->start_cpu].online))
		return err_printf(e, item->where,
				  "start=%u: the machine has no such CPU online; one of its "
				  "%u online CPUs is right",
				  (unsigned)w->start_cpu, (unsigned)s->topo.nonline);
	for (cpu = w->cpus ? mask_first(w->cpus) : MASK_NONE; cpu != MASK_NONE;
	     cpu = mask_next(w->cpus, cpu + 1)) {
		if (!s->topo.cpu[cpu].present)
			return err_printf(e, item->where,
					  "cpus: the machine has no CPU %u; `runqlab topo MACHINE` "
					  "shows those it has",
					  (unsigned)cpu);
		some_online = some_online || s->topo.cpu[cpu].online;
	}
	return some_online ||
	       err_printf(e, item->where,
			  "cpus: none of these CPUs is online; one of the %u online CPUs is right",
			  (unsigned)s->topo.nonline);
}

/* Make each workload once: it must be possible, and its text becomes canonical. */
static bool check_work(struct scenario *s, struct rql_error *e)
{
	bool endless = false, ends = s->duration_ns != TIME_NEVER, rcu = false;
	uint64_t end_ns = s->duration_ns;
	const char *endless_where = NULL;

	s->fair_tasks = false;
	for (uint32_t i = 0, at = 0; i < s->nitems; i++) {
		struct scenario_item *item = &s->items[i];
		struct workload *w;
		bool ok;

		if (item->kind != SCENARIO_WORK)
			continue;
		s->bad_item = i;
		w = scenario_workload(s, at++, s->seed, e);
		if (!w)
			return false;
		if (!endless && w->behaviour->endless) {
			endless = true;
			endless_where = item->where;
		}
		ends = ends || w->duration_ns;
		if (w->duration_ns)
			end_ns = min_u64(end_ns, w->duration_ns);
		s->fair_tasks = s->fair_tasks || w->fair_tasks;
		ok = check_cpus(s, item, w, e) && check_tasks(s, item, w, e);
		if (ok && rcu && w->behaviour->rcu)
			ok = err_printf(e, item->where, "rcu is there twice; once is right");
		rcu = rcu || w->behaviour->rcu;
		if (ok && !item->rtapp_name)
			ok = keep(&item->workload, w->text, e);
		workload_destroy(w);
		if (!ok)
			return false;
	}
	s->bad_item = s->nitems;
	if (endless && !ends)
		return err_printf(e, endless_where,
				  "this work has no end; give the time to simulate, as -t 10s");
	if (ends && end_ns > SCENARIO_DURATION_NS_MAX)
		return err_printf(e, NULL,
				  "the work lasts %llu s; give the time to simulate, as -t 10s, of "
				  "at most %llu s",
				  (unsigned long long)(end_ns / NS_PER_S),
				  (unsigned long long)(SCENARIO_DURATION_NS_MAX / NS_PER_S));
	return true;
}

static bool check_kernels(const struct scenario *s, struct rql_error *e)
{
	for (uint32_t i = 0; s->autogroup && i < s->nkernels; i++) {
		struct kver v;

		if (!kver_parse(s->kernels[i], &v, e))
			return false;
		if (!v.has_autogroup)
			return err_printf(e, s->kernels[i],
					  "this kernel has no autogroup; leave --autogroup out");
	}
	return true;
}

/* Has V what LIMITS ask for? Else what is wrong. */
static const char *lacks_limit(const struct kver *v, const struct group_limits *limits)
{
	if (limits->period_us && !kver_has(v, FEAT_CFS_BANDWIDTH))
		return "quotas are modelled from 5.4 on (Linux has them from 3.2 on); leave cpu.max out";
	if (limits->burst_us && !kver_has(v, FEAT_CFS_BURST))
		return "there are bursts from 6.1 on (5.14); leave cpu.max.burst out";
	if (limits->idle && !kver_has(v, FEAT_IDLE_GROUPS))
		return "there are idle groups from 6.1 on (5.15); leave cpu.idle out";
	return NULL;
}

/* Quotas and the like are of kernels that have them here. */
static bool check_quotas(struct scenario *s, struct rql_error *e)
{
	for (uint32_t i = 0; i < s->nitems; i++) {
		const struct group_limits *limits = &s->items[i].limits;

		for (uint32_t k = 0; group_limits_name(limits) && k < s->nkernels; k++) {
			const char *why;
			struct kver v;

			if (!kver_parse(s->kernels[k], &v, e))
				return false;
			why = lacks_limit(&v, limits);
			if (!why)
				continue;
			s->bad_item = i;
			return err_printf(e, s->items[i].where, "%s with kernel %s: %s",
					  limits->idle && !limits->period_us ? "cpu.idle" :
									       "cpu.max",
					  s->kernels[k], why);
		}
	}
	return true;
}

bool scenario_finish(struct scenario *s, struct rql_error *e)
{
	s->bad_item = s->nitems;
	if (!s->machine)
		return err_printf(
			e, NULL,
			"no machine; -m MACHINE names one, `runqlab list machines` them all");
	if (!s->nkernels)
		return err_printf(
			e, NULL, "no kernel; -k KERNEL names one, `runqlab list kernels` them all");
	if (!s->nwork)
		return err_printf(
			e, NULL,
			"no work; -w WORKLOAD names some, `runqlab list workloads` it all");
	if (!s->prices_name && !scenario_set_prices(s, "default", e))
		return false;
	return check_kernels(s, e) && check_quotas(s, e) && check_work(s, e);
}
