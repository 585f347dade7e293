/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A whole trace in memory, and the tasks it speaks of. */
#ifndef RUNQLAB_REPLAY_EVENTS_H
#define RUNQLAB_REPLAY_EVENTS_H

#include "base/err.h"
#include "import/ftrace_read.h"

struct replay_event {
	struct ftrace_event ev;
	uint32_t task, other; /* numbers of tasks; NO_TASK: idle, or none */
	bool done;            /* taken already */
};

#define NO_TASK UINT32_MAX

/* A task of the trace, by its number. */
struct replay_task {
	char comm[16];
	int32_t pid;
	int32_t prio; /* as first told; until then that of nice 0 */
	bool prio_told;
	uint32_t first_cpu; /* where it is first seen */
	bool forked;        /* the trace has its beginning */
};

struct replay_events {
	struct replay_event *event;
	uint32_t n, cap;
	struct replay_task *task;
	uint32_t ntasks, task_cap;
	uint64_t lost;
};

/* All events of the kinds a replay uses; false with *E. replay_events_free() in any case. */
bool replay_events_read(struct replay_events *out, const char *where, ftrace_read_fn read,
			void *arg, struct rql_error *e);
void replay_events_free(struct replay_events *events);

#endif
