/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated time: CPUs, interrupts, locks, costs. The engine drives the core
 * (sched/sched.h) with the actions of workloads (model/behaviour.h).
 *
 *	struct engine *e = engine_create(&cfg, &err);
 *	enum engine_end end = engine_run(e, &err);
 *	... look at engine_machine(e), engine_work(e, i), engine_totals(e) ...
 *	engine_destroy(e);
 *
 * The same configuration gives the same run to the bit. Everything is
 * allocated by engine_create(); engine_run() allocates nothing but stacks of
 * interleaved CPUs, within the memory limit. The configuration and all it
 * points to must outlive the engine.
 */
#ifndef RUNQLAB_ENGINE_ENGINE_H
#define RUNQLAB_ENGINE_ENGINE_H

#include "base/err.h"
#include "base/fixed.h"
#include "model/behaviour.h"
#include "model/machine.h"

/* Tasks of a run, over all its workloads. */
#define ENGINE_TASKS_MAX 1000000000u

/* Three days. The times of events end at 2^48 ns, and the longest sleep fits in between. */
#define ENGINE_DURATION_NS_MAX (UINT64_C(259200) * NS_PER_S)

struct engine;

/* A task group of the run. Parents come before their children; the root is not listed. */
struct engine_group {
	const char *path; /* "/a/b", kept, not copied */
	uint32_t parent;  /* index into groups[], or ENGINE_ROOT_GROUP */
	uint64_t shares;  /* 1024 = default */
	/* CPU time in each period, kernels with CFS_BANDWIDTH; period 0: no quota was ever set */
	uint64_t quota_ns, period_ns;
	uint64_t burst_ns; /* with a quota, kernels with CFS_BURST: what may be saved; else 0 */
	bool idle;         /* kernels with IDLE_GROUPS; its shares are not looked at then */
};

#define ENGINE_ROOT_GROUP UINT32_MAX

struct engine_work_config {
	struct behaviour *behaviour;
	uint32_t start_cpu; /* where its first task starts; CPU_NONE: drawn from stream "start-cpu" */
	const struct mask *cpus; /* what its first task is confined to; NULL: all */
	uint32_t group;          /* index into groups[], or ENGINE_ROOT_GROUP */
};

/* Called at k * interval, before anything else of that time happens; must not change the machine. */
struct engine_sampler {
	uint64_t interval_ns; /* 0: none */
	void (*take)(void *arg, const struct machine *m, uint64_t now_ns);
	void *arg;
};

struct engine_config {
	const struct topology *topo;
	const struct kver *v;
	const struct prices *prices;
	uint64_t seed;
	uint64_t duration_ns; /* TIME_NEVER: until every workload has ended */
	uint64_t memory_limit_bytes;
	uint64_t events_limit; /* scheduler events */
	bool atomic; /* sections of kernel code do not interleave and never wait for locks */
	bool audit;  /* sched_audit() after every section */
	const struct engine_group *groups;
	uint32_t ngroups;
	const struct engine_work_config *work;
	uint32_t nwork;            /* at least 1 */
	struct record_sink *sinks; /* linked list, or NULL */
	struct engine_sampler sampler;
};

enum engine_end {
	ENGINE_END_WORK,     /* every workload ended */
	ENGINE_END_DURATION, /* the duration is over */
	ENGINE_END_LIMIT,    /* events or memory: see the error */
	ENGINE_END_STUCK,    /* no progress of time, or nothing will ever happen: see the error */
	ENGINE_END_REFUSED,  /* the modelled kernel refused what a task asked for: see the error */
};

/* What became of one workload. Times are TIME_NEVER where it did not happen. */
struct engine_work {
	uint64_t start_mark_ns; /* first ACTION_START_MARK; else when its first task started */
	uint64_t end_ns;        /* last ACTION_END_MARK; else last exit */
	uint64_t done_count;    /* sum of ACTION_DONE */
	uint32_t ntasks_created, ntasks_ended;
};

struct engine_totals {
	uint64_t now_ns; /* where simulated time stopped */
	uint64_t fingerprint;
	uint64_t events;         /* scheduler events: switches, wake-ups, blocks, ticks */
	uint64_t engine_events;  /* queue pops */
	uint64_t fibre_switches; /* times two CPUs' kernel sections were interleaved */
	uint64_t memory_bytes;   /* of the arena, used */
	uint64_t lock_acquired_count, lock_contended_count, lock_wait_ns; /* rq locks only */
	uint64_t sched_ns; /* CPU time in the scheduler, lock waits included, all CPUs */
};

/* NULL and *E: limits too small, no online CPU, a workload that cannot start. */
struct engine *engine_create(const struct engine_config *cfg, struct rql_error *e);

/*
 * From now on records go to SINKS (a linked list that outlives the run, or NULL) instead of those of
 * the config. Before engine_run().
 */
void engine_set_sinks(struct engine *eng, struct record_sink *sinks);

/* Run to the end. *E is filled for ENGINE_END_LIMIT, _STUCK and _REFUSED. Call once. */
enum engine_end engine_run(struct engine *eng, struct rql_error *e);

/* Valid until engine_destroy(). */
const struct machine *engine_machine(const struct engine *eng);
const struct engine_work *engine_work(const struct engine *eng, uint32_t i);
struct engine_totals engine_totals(const struct engine *eng);
/* Nanoseconds CPU ran tasks (idle and the scheduler's own time excluded), up to now. */
uint64_t engine_task_ns(const struct engine *eng, uint32_t cpu);
/* Nanoseconds CPU was not idle, up to now. */
uint64_t engine_busy_ns(const struct engine *eng, uint32_t cpu);

void engine_destroy(struct engine *eng);

#endif
