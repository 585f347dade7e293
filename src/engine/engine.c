/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building a run and looking at it afterwards. All memory is one mapping whose
 * size is computed from the configuration and compared with the limit; pages
 * that are never touched cost nothing.
 */
/* MAP_ANONYMOUS and MAP_NORESERVE are not POSIX */
#define _DEFAULT_SOURCE 1

#include "engine/engine.h"

#include "base/check.h"
#include "base/fixed.h"
#include "base/hash.h"
#include "base/rng.h"
#include "engine/internal.h"
#include "sched/sched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static uint64_t tasks_of(const struct engine_config *cfg)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < cfg->nwork; i++)
		n += cfg->work[i].behaviour->ntasks;
	return n;
}

static uint64_t locks_of(const struct engine_config *cfg)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < cfg->nwork; i++)
		n += cfg->work[i].behaviour->nlocks;
	return n;
}

static struct sched_config sched_config_of(const struct engine_config *cfg, struct engine *eng)
{
	return (struct sched_config){
		.topo = cfg->topo,
		.v = cfg->v,
		.prices = cfg->prices,
		.port = &engine_port,
		.driver = eng,
		.seed = cfg->seed,
		.max_tasks = (uint32_t)tasks_of(cfg),
		.max_groups = cfg->ngroups,
	};
}

static uint64_t engine_bound(const struct engine_config *cfg)
{
	uint64_t ncpus = cfg->topo->ncpus, ntasks = tasks_of(cfg);
	struct sched_config sc = sched_config_of(cfg, NULL);
	uint64_t ntimers = ntasks + sched_timers(&sc);

	return sizeof(struct engine) + 8192 +
	       ncpus * (sizeof(struct ecpu) + sizeof(uint32_t) + 5 * 64) +
	       locks_of(cfg) * sizeof(struct klock) +
	       ntimers * (2 * sizeof(struct timer) + sizeof(uint32_t)) +
	       ntimers * sizeof(uint32_t) + ntasks * sizeof(void *) +
	       cfg->nwork * (sizeof(struct engine_work) + 256) + (uint64_t)cfg->ngroups * 64;
}

/* Map what the run needs, if the limit allows it. */
static bool reserve(struct engine *eng, const struct engine_config *cfg, struct rql_error *e)
{
	struct sched_config sc = sched_config_of(cfg, eng);
	uint64_t bytes;

	if (tasks_of(cfg) > ENGINE_TASKS_MAX) {
		err_set(e, "workload", "too many tasks; at most 1000000000 in all", NULL, NULL);
		return false;
	}
	bytes = sched_memory_bound(&sc) + engine_bound(cfg);
	if (bytes > cfg->memory_limit_bytes) {
		snprintf(e->where, sizeof(e->where), "limit memory");
		snprintf(
			e->what, sizeof(e->what),
			"the run needs up to %llu MB before it starts; --limit memory= allows %llu MB",
			(unsigned long long)(bytes >> 20) + 1,
			(unsigned long long)(cfg->memory_limit_bytes >> 20));
		e->limit = true;
		return false;
	}
	eng->memory_bytes = bytes;
	eng->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (eng->memory == MAP_FAILED) {
		eng->memory = NULL;
		err_set(e, "memory", "the system has no memory for the run; try a smaller one",
			NULL, NULL);
		e->limit = true;
		return false;
	}
	arena_init(&eng->arena, eng->memory, bytes);
	return true;
}

/* Ring of the threads of C's core. */
static void link_siblings(struct engine *eng)
{
	struct machine *m = eng->m;

	for (uint32_t i = 0; i < m->ncpus; i++)
		eng->cpus[i].smt_next = i;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		if (!m->cpus[i].online)
			continue;
		/* the last earlier thread of this core points to the first: insert between them */
		for (uint32_t j = i; j-- > 0;) {
			if (!m->cpus[j].online || m->cpus[j].core != m->cpus[i].core)
				continue;
			eng->cpus[i].smt_next = eng->cpus[j].smt_next;
			eng->cpus[j].smt_next = i;
			break;
		}
	}
}

static void init_ecpu(struct engine *eng, uint32_t i)
{
	const struct engine_config *cfg = &eng->cfg;
	struct ecpu *c = &eng->cpus[i];
	uint32_t cap = max_u32(cfg->topo->cpu[i].capacity, 1);
	uint64_t shared_pct = max_u64(cfg->prices->hardware.smt_slowdown_pct, 100);

	c->k = &eng->m->cpus[i].k;
	c->id = i;
	eng->llc[i] = eng->m->cpus[i].llc;
	c->tick_ns = TIME_NEVER;
	c->ipi_ns = TIME_NEVER;
	c->notice_ns = TIME_NEVER;
	c->burst_end_ns = TIME_NEVER;
	c->burst_start_ns = TIME_NEVER;
	c->idle_since_ns = TIME_NEVER;
	c->slow_alone_q10 = 1024 * 1024 / cap;
	c->slow_shared_q10 = (uint32_t)(c->slow_alone_q10 * shared_pct / 100);
	c->slow_q10 = c->slow_alone_q10;
	if (cfg->v->tick_skew)
		c->tick_offset_ns = eng->m->tick_ns / 2 / cfg->topo->npresent * i;
	c->slow_before_q10 = c->slow_q10;
}

static bool allocate(struct engine *eng)
{
	const struct engine_config *cfg = &eng->cfg;
	struct sched_config sc = sched_config_of(cfg, eng);
	struct arena *a = &eng->arena;
	uint32_t ncpus = cfg->topo->ncpus, ntimers;

	eng->cpus = arena_alloc(a, ncpus, sizeof(struct ecpu));
	eng->llc = arena_alloc(a, ncpus, sizeof(uint32_t));
	eng->work = arena_alloc(a, cfg->nwork, sizeof(struct engine_work));
	eng->work_tasks = arena_alloc(a, cfg->nwork, sizeof(struct task **));
	eng->groups = arena_alloc(a, (size_t)cfg->ngroups + 1, sizeof(struct task_group *));
	eng->max_fibres = ncpus + 2;
	eng->free_fibres = arena_alloc(a, eng->max_fibres, sizeof(struct fibre *));
	eng->all_fibres = arena_alloc(a, eng->max_fibres, sizeof(struct fibre *));
	eng->nkernel_timers = sched_timers(&sc);
	ntimers = eng->m->max_tasks + eng->nkernel_timers;
	eng->fired_next = arena_alloc(a, (size_t)ntimers + 1, sizeof(uint32_t));
	eng->kernel_timer_cpu = arena_alloc(a, eng->nkernel_timers, sizeof(uint32_t));
	if (!event_tree_init(&eng->events, ncpus, a) ||
	    !timer_tree_init(&eng->timers, ntimers, a) || a->failed)
		return false;
	eng->work_locks = arena_alloc(a, cfg->nwork, sizeof(struct klock *));
	if (a->failed)
		return false;
	for (uint32_t i = 0; i < cfg->nwork; i++) {
		uint32_t nlocks = cfg->work[i].behaviour->nlocks;

		eng->work_locks[i] = arena_alloc(a, nlocks, sizeof(struct klock));
		for (uint32_t j = 0; j < nlocks && eng->work_locks[i]; j++)
			klock_init(&eng->work_locks[i][j], PATH_OTHER_LOCK);
		eng->work_tasks[i] =
			arena_alloc(a, cfg->work[i].behaviour->ntasks, sizeof(struct task *));
		eng->work[i].start_mark_ns = TIME_NEVER;
		eng->work[i].end_ns = TIME_NEVER;
	}
	eng->root = fibre_adopt();
	return eng->root && !a->failed;
}

static bool create_groups(struct engine *eng, struct rql_error *e)
{
	const struct engine_config *cfg = &eng->cfg;
	struct machine *m = eng->m;

	for (uint32_t i = 0; i < cfg->ngroups; i++) {
		const struct engine_group *g = &cfg->groups[i];
		struct task_group *parent = &m->groups_mem[0];

		CHECK(g->parent == ENGINE_ROOT_GROUP || g->parent < i);
		if (g->parent != ENGINE_ROOT_GROUP)
			parent = eng->groups[g->parent];
		eng->groups[i] = sched_create_group(m, parent, g->path, e);
		if (!eng->groups[i])
			return false;
	}
	return true;
}

/* A CPU for workload W's first task INDEX; CPU_NONE: the one asked for will not do. */
static uint32_t start_cpu_of(struct engine *eng, uint32_t w, uint32_t index)
{
	const struct engine_work_config *wc = &eng->cfg.work[w];
	struct rng r = rng_stream(eng->cfg.seed, "start-cpu", (uint64_t)index << 32 | w);
	const struct mask *allowed = wc->cpus ? wc->cpus : eng->m->online;
	uint32_t n = 0, cpu;
	uint64_t pick;

	if (wc->start_cpu != CPU_NONE) {
		bool ok = wc->start_cpu < eng->m->ncpus &&
			  mask_test(eng->m->online, wc->start_cpu) &&
			  mask_test(allowed, wc->start_cpu);

		return ok ? wc->start_cpu : CPU_NONE;
	}
	mask_for_each_and(cpu, allowed, eng->m->online)
		n++;
	if (!n)
		return CPU_NONE;
	pick = rng_below(&r, n);
	mask_for_each_and(cpu, allowed, eng->m->online)
		if (pick-- == 0)
			break;
	return cpu;
}

/* The tasks of workload W that exist at the start. */
static bool start_work(struct engine *eng, uint32_t w, struct rql_error *e)
{
	uint32_t nfirst = max_u32(eng->cfg.work[w].behaviour->nfirst, 1);

	eng->work_left++;
	for (uint32_t i = 0; i < nfirst; i++) {
		uint32_t cpu = start_cpu_of(eng, w, i);

		if (cpu == CPU_NONE)
			return err_set(
				e, "workload",
				"its first task cannot start: the CPU is not online or not allowed; ",
				"choose start= among online CPUs of cpus=", NULL);
		action_start_task(eng, &eng->cpus[cpu], w, i);
		if (eng->stop)
			return false;
	}
	return true;
}

static struct kctx *boot_k(struct engine *eng)
{
	return eng->cpus[mask_first(eng->m->online)].k;
}

static void set_weight(struct engine *eng, uint32_t i)
{
	const struct engine_group *g = &eng->cfg.groups[i];

	if (g->idle)
		sched_group_make_idle(boot_k(eng), eng->groups[i]);
	else if (g->shares != eng->groups[i]->shares)
		sched_group_set_shares(boot_k(eng), eng->groups[i], g->shares);
}

static void set_quota(struct engine *eng, uint32_t i)
{
	const struct engine_group *g = &eng->cfg.groups[i];

	sched_group_set_bandwidth(boot_k(eng), eng->groups[i], g->quota_ns, g->period_ns);
	if (g->burst_ns)
		sched_group_set_burst(boot_k(eng), eng->groups[i], g->burst_ns);
}

/* All groups and first tasks, at time 0; nothing interleaves yet. */
static bool start(struct engine *eng, struct rql_error *e)
{
	bool atomic = eng->cfg.atomic;
	bool ok = true;

	eng->cfg.atomic = true;
	for (uint32_t i = 0; i < eng->cfg.ngroups; i++)
		set_weight(eng, i);
	for (uint32_t i = 0; i < eng->cfg.ngroups; i++)
		if (eng->cfg.groups[i].period_ns)
			set_quota(eng, i);
	cpu_boot(eng);
	for (uint32_t w = 0; w < eng->cfg.nwork && ok; w++)
		ok = start_work(eng, w, e);
	eng->cfg.atomic = atomic;
	return ok;
}

void engine_set_sinks(struct engine *eng, struct record_sink *sinks)
{
	eng->cfg.sinks = sinks;
	for (uint32_t kind = 0; kind < RECORD_KINDS; kind++) {
		uint32_t n = 0;

		memset(eng->takers[kind], 0, sizeof(eng->takers[kind]));
		for (struct record_sink *s = sinks; s && n < TAKERS_MAX; s = s->next)
			if (s->wants >> kind & 1)
				eng->takers[kind][n++] = s;
	}
}

struct engine *engine_create(const struct engine_config *cfg, struct rql_error *e)
{
	struct engine *eng = calloc(1, sizeof(*eng));
	struct sched_config sc;

	if (!eng) {
		err_set(e, "memory", "none left; free some", NULL, NULL);
		return NULL;
	}
	CHECK(cfg->nwork > 0);
	eng->cfg = *cfg;
	eng->error = e;
	eng->fingerprint = HASH_INIT;
	eng->end_ns = cfg->duration_ns;
	eng->next_sample_ns = cfg->sampler.interval_ns ? cfg->sampler.interval_ns : TIME_NEVER;
	engine_set_sinks(eng, cfg->sinks);
	if (!reserve(eng, cfg, e))
		goto fail;
	sc = sched_config_of(cfg, eng);
	eng->m = sched_init(&eng->arena, &sc, e);
	if (!eng->m)
		goto fail;
	if (!allocate(eng)) {
		err_set(e, "limits", "memory limit reached; raise --limit memory=SIZE", NULL, NULL);
		e->limit = true;
		goto fail;
	}
	for (uint32_t i = 0; i < eng->m->ncpus; i++)
		init_ecpu(eng, i);
	link_siblings(eng);
	if (!create_groups(eng, e) || !start(eng, e))
		goto fail;
	return eng;
fail:
	engine_destroy(eng);
	return NULL;
}

void engine_destroy(struct engine *eng)
{
	if (!eng)
		return;
	for (uint32_t i = 0; i < eng->nall_fibres; i++)
		fibre_destroy(eng->all_fibres[i]);
	fibre_destroy(eng->root);
	if (eng->memory)
		munmap(eng->memory, eng->memory_bytes);
	free(eng);
}

const struct machine *engine_machine(const struct engine *eng)
{
	return eng->m;
}

const struct engine_work *engine_work(const struct engine *eng, uint32_t i)
{
	CHECK(i < eng->cfg.nwork);
	return &eng->work[i];
}

uint64_t engine_busy_ns(const struct engine *eng, uint32_t cpu)
{
	const struct ecpu *c = &eng->cpus[cpu];
	uint64_t idle_ns = c->idle_ns;

	if (c->idle_since_ns != TIME_NEVER && c->idle_since_ns < eng->last_ns)
		idle_ns += eng->last_ns - c->idle_since_ns;
	return eng->last_ns > idle_ns ? eng->last_ns - idle_ns : 0;
}

uint64_t engine_task_ns(const struct engine *eng, uint32_t cpu)
{
	uint64_t busy_ns = engine_busy_ns(eng, cpu);
	uint64_t sched_ns = eng->cpus[cpu].k->sched_ns;

	return busy_ns > sched_ns ? busy_ns - sched_ns : 0;
}

struct engine_totals engine_totals(const struct engine *eng)
{
	struct engine_totals t = {
		.now_ns = eng->last_ns,
		.fingerprint = eng->fingerprint,
		.events = total_events(eng),
		.engine_events = eng->engine_events,
		.fibre_switches = eng->fibre_switches,
		.memory_bytes = eng->arena.used,
	};

	for (uint32_t i = 0; i < eng->m->ncpus; i++) {
		const struct klock *l = &eng->m->cpus[i].rq.lock;

		if (!eng->m->cpus[i].online)
			continue;
		t.lock_acquired_count += l->acquired_count;
		t.lock_contended_count += l->contended_count;
		t.lock_wait_ns += l->wait_ns;
		t.sched_ns += eng->cpus[i].k->sched_ns;
	}
	return t;
}
