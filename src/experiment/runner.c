/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins what does not know each other: the scenario's workloads and groups,
 * the kernel, the engine and the observers.
 *
 * The engine creates the first tasks within engine_create() and tells its
 * sinks, but an observer of the machine needs the machine first. So the engine
 * is created with a relay for its only sink, which keeps the records of the
 * beginning. As soon as the observers are there it hands these on, in order, and
 * leaves its place to them.
 */
#include "experiment/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"
#include "kver/kver.h"
#include "observe/fairness.h"
#include "observe/latency.h"
#include "observe/wasted.h"

struct relay {
	struct record_sink sink; /* first */
	struct record *kept;
	size_t nkept, cap;
	bool failed;
};

struct run {
	struct run_setup setup;
	struct kver v;
	struct workload **workloads; /* [nwork] */
	struct engine_work_config *work;
	struct engine_group *groups;
	uint32_t ngroups;
	char **paths; /* of the groups */
	struct engine_config config;
	struct engine *engine;
	struct engine_totals totals;
	struct relay relay;
	struct latency *latency;
	struct wasted *wasted;
	struct fairness *fairness;
};

static void pass_on(struct record_sink *to, const struct record *rec)
{
	for (struct record_sink *s = to; s; s = s->next)
		if ((s->wants >> rec->kind) & 1)
			s->take(s, rec);
}

static void relay_take(struct record_sink *sink, const struct record *rec)
{
	struct relay *relay = (struct relay *)(void *)sink;
	struct record *kept;

	if (relay->nkept == relay->cap) {
		relay->cap = relay->cap ? 2 * relay->cap : 64;
		kept = realloc(relay->kept, relay->cap * sizeof(*kept));
		if (!kept) {
			relay->failed = true;
			relay->cap = relay->nkept;
			return;
		}
		relay->kept = kept;
	}
	relay->kept[relay->nkept++] = *rec;
}

/* ENG's records go to TO from now on, and so does what was kept. */
static bool relay_leave(struct relay *relay, struct engine *eng, struct record_sink *to,
			struct rql_error *e)
{
	if (relay->failed)
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	for (size_t i = 0; i < relay->nkept; i++)
		pass_on(to, &relay->kept[i]);
	engine_set_sinks(eng, to);
	free(relay->kept);
	relay->kept = NULL;
	relay->nkept = 0;
	return true;
}

/* -- groups -- */

/* Index of the group PATH[0..n), ENGINE_ROOT_GROUP for the root; NGROUPS if there is none. */
static uint32_t find_group(const struct run *r, const char *path, size_t n)
{
	if (n == 0 || (n == 1 && path[0] == '/'))
		return ENGINE_ROOT_GROUP;
	for (uint32_t i = 0; i < r->ngroups; i++)
		if (strlen(r->paths[i]) == n && memcmp(r->paths[i], path, n) == 0)
			return i;
	return r->ngroups;
}

static bool add_group(struct run *r, const char *path, size_t n, uint32_t parent,
		      struct rql_error *e)
{
	struct engine_group *groups = realloc(r->groups, (r->ngroups + 1) * sizeof(*groups));
	char **paths;

	if (groups)
		r->groups = groups;
	paths = realloc(r->paths, (r->ngroups + 1) * sizeof(*paths));
	if (paths)
		r->paths = paths;
	if (!groups || !paths)
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	paths[r->ngroups] = strndup(path, n);
	if (!paths[r->ngroups])
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	groups[r->ngroups] =
		(struct engine_group){.path = paths[r->ngroups], .parent = parent, .shares = 1024};
	r->ngroups++;
	return true;
}

/* PATH and its parents; *INDEX is its place. */
static bool make_group(struct run *r, const char *path, uint32_t *index, struct rql_error *e)
{
	size_t n = 0, len = strlen(path);

	*index = ENGINE_ROOT_GROUP;
	while (n < len && len > 1) {
		uint32_t found;

		n += 1 + strcspn(path + n + 1, "/");
		found = find_group(r, path, n);
		if (found == r->ngroups && !add_group(r, path, n, *index, e))
			return false;
		*index = found;
	}
	return true;
}

/* cpu.weight 100 is 1024 shares, rounded to the nearest. Linux: cpu_weight_write_u64(). */
static uint64_t shares_of_weight(uint32_t weight)
{
	return ((uint64_t)weight * 1024 + 50) / 100;
}

/* What ITEM says of GROUP; what it does not say stays. */
static void set_group(struct engine_group *group, const struct scenario_item *item)
{
	if (item->limits.weight)
		group->shares = shares_of_weight(item->limits.weight);
	group->idle |= item->limits.idle;
	if (!item->limits.period_us)
		return;
	group->burst_ns = item->limits.burst_us * NS_PER_US;
	group->period_ns = item->limits.period_us * NS_PER_US;
	group->quota_ns = item->limits.quota_us == CPU_MAX_NONE ? QUOTA_NONE :
								  item->limits.quota_us * NS_PER_US;
}

static bool make_groups(struct run *r, struct rql_error *e)
{
	const struct scenario *s = r->setup.scenario;
	uint32_t index, at = 0;

	for (uint32_t i = 0; i < s->nitems; i++) {
		const struct scenario_item *item = &s->items[i];
		char path[32];
		bool session = s->autogroup && item->kind == SCENARIO_WORK &&
			       strcmp(item->cgroup, "/") == 0;

		snprintf(path, sizeof(path), "/autogroup-%u", (unsigned)at + 1);
		if (!make_group(r, session ? path : item->cgroup, &index, e))
			return false;
		if (item->kind == SCENARIO_WORK)
			r->work[at++].group = index;
		else if (index != ENGINE_ROOT_GROUP)
			set_group(&r->groups[index], item);
	}
	return true;
}

/* Are there as many groups as workloads name by number? */
static bool check_groups(const struct run *r, struct rql_error *e)
{
	for (uint32_t i = 0; i < r->setup.scenario->nwork; i++) {
		uint32_t named = r->work[i].behaviour->ngroups;

		if (named > r->ngroups)
			return err_printf(e, r->workloads[i]->text,
					  "names group %u of %u; a --cgroup for each is right",
					  (unsigned)named, (unsigned)r->ngroups);
	}
	return true;
}

/* -- work -- */

static bool make_work(struct run *r, struct rql_error *e)
{
	const struct scenario *s = r->setup.scenario;

	r->workloads = calloc(s->nwork, sizeof(*r->workloads));
	r->work = calloc(s->nwork, sizeof(*r->work));
	if (!r->workloads || !r->work)
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	r->config.duration_ns = s->duration_ns;
	for (uint32_t i = 0; i < s->nwork; i++) {
		struct workload *w = scenario_workload(s, i, r->setup.seed, e);

		if (!w)
			return false;
		r->workloads[i] = w;
		r->work[i].behaviour = w->behaviour;
		r->work[i].start_cpu = w->start_cpu == WORKLOAD_START_ANY ? CPU_NONE : w->start_cpu;
		r->work[i].cpus = w->cpus;
		if (w->duration_ns)
			r->config.duration_ns = min_u64(r->config.duration_ns, w->duration_ns);
	}
	return true;
}

static uint32_t max_tasks(const struct run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->setup.scenario->nwork; i++)
		n += r->work[i].behaviour->ntasks;
	return n;
}

/* -- observers -- */

static struct record_sink *chain(struct record_sink *sink, struct record_sink *next)
{
	sink->next = next;
	return sink;
}

static bool make_early_observers(struct run *r, struct rql_error *e)
{
	r->relay.sink.take = relay_take;
	if (r->setup.unobserved) {
		r->relay.sink.wants = r->setup.sink ? r->setup.sink->wants : 0;
		r->config.sinks = r->setup.sink ? &r->relay.sink : NULL;
		return true;
	}
	r->relay.sink.wants = (1u << RECORD_KINDS) - 1;
	r->config.sinks = &r->relay.sink;
	r->latency = latency_create(max_tasks(r), e);
	if (!r->latency)
		return false;
	r->fairness = fairness_create(max_tasks(r), e);
	return r->fairness != NULL;
}

static bool make_late_observers(struct run *r, struct rql_error *e)
{
	struct record_sink *to = r->setup.sink;

	if (to)
		to->next = NULL;
	if (r->setup.unobserved)
		return relay_leave(&r->relay, r->engine, to, e);
	if (r->setup.latency_of)
		latency_restrict(r->latency, engine_machine(r->engine), r->setup.latency_of);
	r->wasted = wasted_create(engine_machine(r->engine), e);
	if (!r->wasted)
		return false;
	to = chain(&r->wasted->sink, to);
	to = chain(&r->fairness->sink, to);
	to = chain(&r->latency->sink, to);
	return relay_leave(&r->relay, r->engine, to, e);
}

/* -- the run -- */

static bool build(struct run *r, struct rql_error *e)
{
	const struct scenario *s = r->setup.scenario;
	struct engine_config *c = &r->config;

	CHECK(r->setup.kernel < s->nkernels);
	if (!kver_parse(s->kernels[r->setup.kernel], &r->v, e) || !make_work(r, e) ||
	    !make_groups(r, e) || !check_groups(r, e) || !make_early_observers(r, e))
		return false;
	c->topo = &s->topo;
	c->v = &r->v;
	c->prices = &s->prices;
	c->seed = r->setup.seed;
	c->memory_limit_bytes = s->memory_limit_bytes;
	c->events_limit = s->events_limit;
	c->atomic = s->atomic;
	c->audit = r->setup.audit;
	c->groups = r->groups;
	c->ngroups = r->ngroups;
	c->work = r->work;
	c->nwork = s->nwork;
	c->sampler = r->setup.sampler;
	r->engine = engine_create(c, e);
	return r->engine && make_late_observers(r, e);
}

struct run *run_create(const struct run_setup *setup, struct rql_error *e)
{
	struct run *r = calloc(1, sizeof(*r));

	if (!r) {
		err_printf(e, NULL, "out of memory; a smaller scenario is needed");
		return NULL;
	}
	r->setup = *setup;
	memset(e, 0, sizeof(*e));
	if (build(r, e))
		return r;
	run_destroy(r);
	return NULL;
}

void run_destroy(struct run *r)
{
	if (!r)
		return;
	engine_destroy(r->engine);
	latency_free(r->latency);
	wasted_free(r->wasted);
	fairness_free(r->fairness);
	for (uint32_t i = 0; r->workloads && i < r->setup.scenario->nwork; i++)
		workload_destroy(r->workloads[i]);
	for (uint32_t i = 0; i < r->ngroups; i++)
		free(r->paths[i]);
	free(r->relay.kept);
	free(r->paths);
	free(r->groups);
	free(r->work);
	free(r->workloads);
	free(r);
}

bool run_execute(struct run *r, struct rql_error *e)
{
	enum engine_end end = engine_run(r->engine, e);

	r->totals = engine_totals(r->engine);
	if (end == ENGINE_END_WORK || end == ENGINE_END_DURATION)
		return true;
	e->limit = end != ENGINE_END_REFUSED;
	return false;
}

const struct kver *run_kver(const struct run *r)
{
	return &r->v;
}

const struct machine *run_machine(const struct run *r)
{
	return engine_machine(r->engine);
}

const struct engine_totals *run_totals(const struct run *r)
{
	return &r->totals;
}

uint64_t run_busy_ns(const struct run *r, uint32_t cpu)
{
	return engine_busy_ns(r->engine, cpu);
}

uint32_t run_work_count(const struct run *r)
{
	return r->setup.scenario->nwork;
}

const struct behaviour *run_behaviour(const struct run *r, uint32_t among_work)
{
	CHECK(among_work < r->setup.scenario->nwork);
	return r->work[among_work].behaviour;
}

const struct engine_work *run_work(const struct run *r, uint32_t among_work)
{
	CHECK(among_work < r->setup.scenario->nwork);
	return engine_work(r->engine, among_work);
}

/* Is workload I among those measured? */
static bool is_measured(const struct run *r, uint32_t i)
{
	bool some_end = false;

	for (uint32_t j = 0; j < r->setup.scenario->nwork; j++)
		some_end = some_end || !r->work[j].behaviour->endless;
	return some_end ? !r->work[i].behaviour->endless : i == 0;
}

uint64_t run_elapsed_ns(const struct run *r)
{
	uint64_t start_ns = TIME_NEVER, end_ns = 0;

	for (uint32_t i = 0; i < r->setup.scenario->nwork; i++) {
		const struct engine_work *w = engine_work(r->engine, i);

		if (!is_measured(r, i))
			continue;
		start_ns = min_u64(start_ns, w->start_mark_ns);
		end_ns = max_u64(end_ns, w->end_ns == TIME_NEVER ? r->totals.now_ns : w->end_ns);
	}
	return end_ns > start_ns ? end_ns - start_ns : 0;
}

uint64_t run_done_count(const struct run *r)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < r->setup.scenario->nwork; i++)
		if (is_measured(r, i))
			n += engine_work(r->engine, i)->done_count;
	return n;
}

void run_metrics(struct run *r, struct metric_value *value)
{
	struct observe_totals totals = {
		.elapsed_ns = run_elapsed_ns(r),
		.simulated_ns = r->totals.now_ns,
		.done_count = run_done_count(r),
		.events = r->totals.events,
		.lock_acquired = r->totals.lock_acquired_count,
		.lock_contended = r->totals.lock_contended_count,
		.lock_wait_ns = r->totals.lock_wait_ns,
		.sched_ns = r->totals.sched_ns,
	};
	struct metric_sources from = {run_machine(r), &totals, r->latency, r->wasted, r->fairness};

	metrics_collect(value, &from);
}

void run_group_cpu_ns(const struct run *r, uint64_t *cpu_ns)
{
	const struct machine *m = run_machine(r);

	memset(cpu_ns, 0, m->ngroups * sizeof(*cpu_ns));
	for (uint32_t i = 0; i < m->ntasks; i++)
		for (const struct task_group *tg = m->tasks[i].tg; tg; tg = tg->parent)
			cpu_ns[tg->id] += m->tasks[i].se.sum_exec_ns;
}
