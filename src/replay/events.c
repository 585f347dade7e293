/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pid is one task: pids that come back after an exit would be taken for the old
 * task, which short traces do not have.
 */
#include "replay/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

#define EVENTS_MAX 4000000u
#define PRIO_DEFAULT 120

static bool grow(void **array, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? 2 * *cap : 1024;
	void *new = realloc(*array, more * size);

	if (!new)
		return false;
	*array = new;
	*cap = more;
	return true;
}

/* The task T, new if nobody has spoken of it; NO_TASK: no memory. */
static uint32_t number_of(struct replay_events *x, const struct ftrace_task *t, uint32_t cpu)
{
	struct replay_task *new;

	/* bound: tasks; the last ones are the most frequent */
	for (uint32_t i = x->ntasks; i-- > 0;)
		if (x->task[i].pid == t->pid)
			return i;
	if (x->ntasks == x->task_cap && !grow((void **)&x->task, &x->task_cap, sizeof(*x->task)))
		return NO_TASK;
	new = &x->task[x->ntasks];
	memset(new, 0, sizeof(*new));
	memcpy(new->comm, t->comm, sizeof(new->comm));
	new->pid = t->pid;
	new->prio = PRIO_DEFAULT;
	new->first_cpu = cpu;
	return x->ntasks++;
}

/* Of task T of EV; an idle one has no number. False: no memory. */
static bool number(struct replay_events *x, const struct ftrace_event *ev,
		   const struct ftrace_task *t, uint32_t cpu, uint32_t *out)
{
	struct replay_task *task;

	*out = NO_TASK;
	if (t->pid == 0)
		return true;
	*out = number_of(x, t, cpu);
	if (*out == NO_TASK)
		return false;
	task = &x->task[*out];
	/* clocks differ: it may have run before its fork is told */
	if (ev->kind == FTRACE_FORK) {
		task->forked = task->forked || t == &ev->other;
	} else if (!task->prio_told) {
		task->prio = t->prio;
		task->prio_told = true;
	}
	return true;
}

/* Where a task that EV speaks of was at the time. */
static uint32_t cpu_of(const struct ftrace_event *ev)
{
	switch (ev->kind) {
	case FTRACE_WAKING:
	case FTRACE_WAKEUP:
	case FTRACE_WAKEUP_NEW:
		return ev->to_cpu;
	case FTRACE_MIGRATE:
		return ev->from_cpu;
	case FTRACE_SWITCH:
	case FTRACE_FORK:
	case FTRACE_EXEC:
	case FTRACE_EXIT:
	case FTRACE_STAT_WAIT:
	case FTRACE_STAT_SLEEP:
	case FTRACE_STAT_IOWAIT:
	case FTRACE_STAT_BLOCKED:
	case FTRACE_STAT_RUNTIME:
	case FTRACE_LOST:
	case FTRACE_KINDS:
		break;
	}
	return ev->cpu;
}

static bool is_used(enum ftrace_kind kind)
{
	return kind == FTRACE_SWITCH || kind == FTRACE_WAKING || kind == FTRACE_WAKEUP ||
	       kind == FTRACE_WAKEUP_NEW || kind == FTRACE_MIGRATE || kind == FTRACE_FORK;
}

static bool add(struct replay_events *x, const struct ftrace_event *ev)
{
	struct replay_event *new;

	if (x->n == x->cap && !grow((void **)&x->event, &x->cap, sizeof(*x->event)))
		return false;
	new = &x->event[x->n++];
	new->ev = *ev;
	new->done = false;
	new->other = NO_TASK;
	return number(x, &new->ev, &new->ev.task, cpu_of(ev), &new->task) &&
	       ((ev->kind != FTRACE_SWITCH && ev->kind != FTRACE_FORK) ||
		number(x, &new->ev, &new->ev.other, ev->cpu, &new->other));
}

bool replay_events_read(struct replay_events *out, const char *where, ftrace_read_fn read,
			void *arg, struct rql_error *e)
{
	struct ftrace_reader *r = malloc(sizeof(*r));
	enum ftrace_result result = FTRACE_ERROR;
	struct ftrace_event ev;
	bool memory = r != NULL;

	memset(out, 0, sizeof(*out));
	if (memory)
		ftrace_start(r, where, read, arg);
	while (memory && (result = ftrace_next(r, &ev, e)) == FTRACE_OK) {
		if (!is_used(ev.kind))
			continue;
		if (out->n == EVENTS_MAX) {
			free(r);
			return err_set(e, where, "more than 4000000 events; ",
				       "a shorter trace is right", NULL);
		}
		memory = add(out, &ev);
	}
	if (!memory) {
		free(r);
		return err_set(e, where, "out of memory; a shorter trace is needed", NULL, NULL);
	}
	out->lost = r->count.lost + r->count.overwritten;
	free(r);
	return result == FTRACE_END;
}

void replay_events_free(struct replay_events *events)
{
	free(events->event);
	free(events->task);
	memset(events, 0, sizeof(*events));
}
