/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question as a user puts it: a machine, kernels, work in order with its
 * task groups, and what decides the rest of a run. It comes from options of
 * the command line or from JSON, and goes back to JSON.
 *
 *	scenario_init(&s);
 *	scenario_set_machine(), scenario_add_kernel(), scenario_add_cgroup(), scenario_add_work() ...
 *	scenario_finish()		everything fits together; texts become canonical
 *	... run it (experiment/runner.h), scenario_write() ...
 *	scenario_free(&s);
 *
 * or scenario_read(), which does all of these from JSON. Nothing in a finished
 * scenario refers to a file: machines and rt-app workloads from files are kept
 * whole, so the JSON gives the same run on any computer.
 */
#ifndef RUNQLAB_EXPERIMENT_SCENARIO_H
#define RUNQLAB_EXPERIMENT_SCENARIO_H

#include <stddef.h>

#include "base/err.h"
#include "engine/engine.h"
#include "model/prices.h"
#include "model/topology.h"
#include "workload/workload.h"

struct json_object;

#define SCENARIO_KERNELS_MAX 16u
#define SCENARIO_ITEMS_MAX 1000u
#define SCENARIO_SEED_MAX (UINT64_C(1) << 62)
#define SCENARIO_MEMORY_MIN (UINT64_C(1) << 20)
#define SCENARIO_MEMORY_MAX (UINT64_C(1) << 46)
#define SCENARIO_EVENTS_MAX (UINT64_C(1) << 60)
#define SCENARIO_DURATION_NS_MAX ENGINE_DURATION_NS_MAX

enum scenario_item_kind {
	SCENARIO_CGROUP, /* a group is made, or its weight set */
	SCENARIO_WORK,
};

/* cpu.max without a quota: "max". */
#define CPU_MAX_NONE UINT64_MAX

/* What is said of a cgroup beside its path. */
struct group_limits {
	uint32_t weight;    /* cpu.weight; 0: not given */
	uint64_t quota_us;  /* cpu.max; CPU_MAX_NONE: "max" */
	uint64_t period_us; /* 0: cpu.max is not given */
	uint64_t burst_us;  /* cpu.max.burst, at most quota_us; 0: none */
	bool idle;          /* cpu.idle is 1 */
};

/* Room for cpu.max as text. */
#define CPU_MAX_BYTES 48

/* One --cgroup or -w, in the order in which they were given. */
struct scenario_item {
	enum scenario_item_kind kind;
	char *cgroup;               /* "/a/b"; of work: where it runs, "/" is the root */
	struct group_limits limits; /* of a cgroup */
	char *workload;             /* of work: a library's text, or rt-app JSON */
	char *rtapp_name;           /* the file's name without folders; NULL: a library's text */
	char *where;                /* for messages: the text or path as given */
	uint32_t start_cpu;         /* WORKLOAD_START_ANY: not given beside the text */
	uint32_t token;             /* of the JSON it came from, for messages */
};

struct scenario {
	char *machine; /* what machine_load() reads, no path */
	struct topology topo;
	char *kernels[SCENARIO_KERNELS_MAX]; /* canonical after scenario_finish() */
	uint32_t nkernels;
	struct scenario_item *items;
	uint32_t nitems;
	uint32_t nwork;    /* those items that are work */
	uint32_t bad_item; /* the item scenario_finish() failed at; nitems: none of them */
	char *next_cgroup; /* while building: where the next work runs; NULL: the root */
	bool autogroup;
	bool atomic;
	bool fair_tasks;   /* after scenario_finish(): some work has tasks of the fair class */
	char *prices_name; /* "default", "free", "qemu-lockstep" or a file's name */
	char *prices_text; /* a profile from a file; NULL: compiled in */
	struct prices prices;
	uint64_t seed;
	uint64_t duration_ns; /* as asked; TIME_NEVER: until the work ends */
	uint64_t memory_limit_bytes, events_limit;
};

void scenario_init(struct scenario *s);
void scenario_free(struct scenario *s);

/* Builders; each false with *E. Texts are as on the command line. */
bool scenario_set_machine(struct scenario *s, const char *text, struct rql_error *e);
bool scenario_add_kernel(struct scenario *s, const char *text, struct rql_error *e);
/* PATH[:cpu.weight=N][:cpu.max=QUOTA/PERIOD][:cpu.max.burst=BURST][:cpu.idle=1] */
bool scenario_add_cgroup(struct scenario *s, const char *text, struct rql_error *e);
/* NAME[:key=value,...] or an rt-app file. */
bool scenario_add_work(struct scenario *s, const char *text, struct rql_error *e);
/* default, free, qemu-lockstep or a file. */
bool scenario_set_prices(struct scenario *s, const char *text, struct rql_error *e);
/* memory=4G,events=10G, one or both. */
bool scenario_set_limits(struct scenario *s, const char *text, struct rql_error *e);
bool scenario_set_duration(struct scenario *s, const char *text, struct rql_error *e);
bool scenario_set_seed(struct scenario *s, const char *text, struct rql_error *e);
/* Of the same, already read: for scenario_read(). */
bool scenario_add_group_at(struct scenario *s, const char *where, const char *path,
			   const struct group_limits *limits, struct rql_error *e);
bool scenario_add_work_at(struct scenario *s, const struct scenario_item *item,
			  struct rql_error *e);

/*
 * cpu.max as cgroup v2 has it: N bytes at TEXT are QUOTA in us or "max", then, if not 100000, a
 * space or / and PERIOD in us. WHERE is for messages.
 */
bool group_limits_read_max(struct group_limits *limits, const char *where, const char *text,
			   size_t n, struct rql_error *e);
/* The same as text, "50000 100000". */
bool group_limits_read_burst(struct group_limits *limits, const char *where, const char *text,
			     size_t n, struct rql_error *e);
/* The first of what LIMITS say, "cpu.weight" and the like; NULL: they say nothing. */
const char *group_limits_name(const struct group_limits *limits);
void group_limits_max_text(char out[CPU_MAX_BYTES], uint64_t quota_us, uint64_t period_us);

/* Verify the whole: at least a machine, a kernel and work, an end; canonical texts. */
bool scenario_finish(struct scenario *s, struct rql_error *e);

/*
 * The kernels of a finished scenario whose profile is rt-only and that have fair tasks to run, as
 * a set of bits by kver_profile(). Empty where all is as exact as the profiles say.
 */
uint64_t scenario_rt_only(const struct scenario *s);

/*
 * The workload of the item's place AMONG WORK (0..nwork-1). Its chance depends
 * on the run's SEED and that place, so that equal texts do not draw equal numbers.
 */
struct workload *scenario_workload(const struct scenario *s, uint32_t among_work, uint64_t seed,
				   struct rql_error *e);
/* The item behind it. */
const struct scenario_item *scenario_work_item(const struct scenario *s, uint32_t among_work);

/* From the file PATH: a scenario, or a result that holds one. Finished. */
bool scenario_load(struct scenario *s, const char *path, struct rql_error *e);
/* The same from LEN bytes at TEXT. */
bool scenario_read(struct scenario *s, const char *where, const char *text, size_t len,
		   struct rql_error *e);
/* A new object of the caller; NULL when memory is out. */
struct json_object *scenario_json(const struct scenario *s);

#endif
