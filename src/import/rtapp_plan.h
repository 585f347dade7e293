/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rtapp_parse.c reads and rtapp_build.c makes a program of. Private to the rt-app importer. */
#ifndef RUNQLAB_IMPORT_RTAPP_PLAN_H
#define RUNQLAB_IMPORT_RTAPP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "workload/program.h"

struct json_text;
struct rtapp_target;

#define RTAPP_NAME_MAX 256       /* bytes of a name, with its end */
#define RTAPP_FORKS_MAX 1024u    /* rt-app's own limit of forks of one task */
#define RTAPP_FOREVER UINT32_MAX /* a loop without end */
#define RTAPP_NO_CPUS UINT32_MAX
#define RTAPP_NO_TASK UINT32_MAX
#define RTAPP_MASKS_MAX 1024u /* different CPU sets */

enum rtapp_event_kind {
	RTAPP_RUN,
	RTAPP_RUN_FOREVER,
	RTAPP_RUNTIME,
	RTAPP_SLEEP,
	RTAPP_TIMER,
	RTAPP_LOCK,
	RTAPP_UNLOCK,
	RTAPP_WAIT,
	RTAPP_SIGNAL,
	RTAPP_BROAD,
	RTAPP_SYNC,
	RTAPP_SUSPEND,
	RTAPP_RESUME,
	RTAPP_BARRIER,
	RTAPP_YIELD,
	RTAPP_FORK,
	RTAPP_SEM_POST,
	RTAPP_SEM_WAIT,
};

/* A thing events refer to by name. */
enum rtapp_resource_kind {
	RTAPP_MUTEX,
	RTAPP_CONDITION,
	RTAPP_SEMAPHORE,
	RTAPP_BARRIER_POINT,
	RTAPP_SHARED_TIMER,
	RTAPP_OWN_TIMER, /* of the instances of one task */
	RTAPP_TASK,      /* a task, by fork events or by its own entry */
};

struct rtapp_resource {
	enum rtapp_resource_kind kind;
	uint32_t owner; /* RTAPP_OWN_TIMER: the task, else 0 */
	uint32_t name;  /* offset in the plan's names */
	uint32_t token; /* first mention */
	uint32_t users; /* barrier: arrivals it waits for; own timer: its number in the task */
	uint32_t task;  /* RTAPP_TASK: its first entry, or RTAPP_NO_TASK */
	bool forked;    /* RTAPP_TASK: some event forks it */
	bool absolute;  /* timer */
};

struct rtapp_event {
	enum rtapp_event_kind kind;
	uint32_t resource, mutex;
	uint64_t value_us;
};

struct rtapp_phase {
	uint32_t first_event, nevents;
	uint32_t loop;
	uint32_t cpus; /* mask of the plan, or RTAPP_NO_CPUS */
	struct program_attr attr;
	bool attr_given;
};

struct rtapp_task {
	uint32_t name;
	uint32_t instances;
	uint32_t first_phase, nphases;
	uint32_t loop;
	uint32_t cpus;
	uint32_t own_timers;
	uint64_t delay_us;
	struct program_attr attr;
};

struct rtapp_plan {
	const struct json_text *j;
	const struct rtapp_target *target;
	uint64_t duration_s; /* 0: none */
	enum sched_policy default_policy;

	char *names; /* texts one after the other, each with its end */
	struct rtapp_resource *resources;
	uint32_t *slots; /* hash table of resource numbers + 1, a power of two */
	struct rtapp_event *events;
	struct rtapp_phase *phases;
	struct rtapp_task *tasks;
	struct mask **masks;
	uint32_t nnames, nresources, nevents, nphases, ntasks, nmasks;
	uint32_t names_cap, resources_cap, nslots, events_cap, phases_cap, tasks_cap, masks_cap;
	uint32_t threads; /* instances of all tasks */
};

/* Fills the zeroed plan PL (j and target set) from the file; rtapp_plan_free() in any case. */
bool rtapp_plan_read(struct rtapp_plan *pl, struct rql_error *e);
void rtapp_plan_free(struct rtapp_plan *pl);
/* Adds all of the plan to an empty program; takes its masks. False when memory is out. */
bool rtapp_plan_build(struct rtapp_plan *pl, struct program *p, bool *endless);

#endif
