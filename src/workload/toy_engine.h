/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests and fuzzers only: executes a behaviour on a machine with a CPU for
 * every task, where nothing costs time but computing, sleeping and creating a
 * task (1 us of the creator's time). What happens is written as lines of text,
 * "time task action", to be compared with what should happen.
 *
 * toy_start(); toy_run() until a time or a number of actions; toy_end().
 * Checked on the way: tasks are created once, wake-ups meet blocked tasks,
 * times do not run backwards, attributes are in range.
 */
#ifndef RUNQLAB_WORKLOAD_TOY_ENGINE_H
#define RUNQLAB_WORKLOAD_TOY_ENGINE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "model/behaviour.h"

enum toy_state {
	TOY_NONE,
	TOY_READY,
	TOY_BLOCKED,
	TOY_LOCKING, /* waits for a lock */
	TOY_DEAD
};

struct toy {
	struct behaviour *b;
	uint64_t *ready_ns; /* per task: when it asks next() again */
	uint64_t *serial;   /* among equal times, the one made ready first goes first */
	uint8_t *state;
	uint32_t *list; /* created tasks */
	uint32_t nlist, live;
	uint32_t *owner;     /* per lock: task + 1, 0: free */
	uint32_t *wants;     /* per task: the lock it waits for */
	bool wakes_may_miss; /* a wake-up of a task that does not sleep is fine */
	uint64_t now_ns, serials, actions;
	uint64_t done, starts, wakes, releases, start_ns;
	struct buf *log; /* may be NULL */
	bool log_all;    /* DONE, marks and runs too */
};

static inline void toy_make_ready(struct toy *t, uint32_t task, uint64_t at_ns)
{
	CHECK(at_ns >= t->now_ns);
	t->state[task] = TOY_READY;
	t->ready_ns[task] = at_ns;
	t->serial[task] = t->serials++;
}

static inline void toy_create(struct toy *t, uint32_t task)
{
	struct task_attr attr;

	CHECK(task < t->b->ntasks);
	CHECK(t->state[task] == TOY_NONE);
	memset(&attr, 0, sizeof(attr));
	t->b->ops->attr(t->b, task, &attr);
	CHECK(memchr(attr.comm, 0, sizeof(attr.comm)) != NULL);
	CHECK(attr.nice >= -20 && attr.nice <= 19);
	CHECK(attr.rt_priority >= 0 && attr.rt_priority <= 99);
	if (t->log) {
		buf_str(t->log, "  [");
		buf_u64(t->log, task);
		buf_str(t->log, " is ");
		buf_str(t->log, attr.comm);
		buf_str(t->log, attr.cpus ? " cpus]\n" : "]\n");
	}
	t->list[t->nlist++] = task;
	t->live++;
	toy_make_ready(t, task, t->now_ns);
}

static inline void toy_start(struct toy *t, struct behaviour *b, struct buf *log)
{
	memset(t, 0, sizeof(*t));
	t->b = b;
	t->log = log;
	t->log_all = true;
	t->ready_ns = calloc(b->ntasks, sizeof(*t->ready_ns));
	t->serial = calloc(b->ntasks, sizeof(*t->serial));
	t->state = calloc(b->ntasks, 1);
	t->list = calloc(b->ntasks, sizeof(*t->list));
	t->owner = calloc((size_t)b->nlocks + 1, sizeof(*t->owner));
	t->wants = calloc(b->ntasks, sizeof(*t->wants));
	CHECK(t->ready_ns && t->serial && t->state && t->list && t->owner && t->wants);
	for (uint32_t i = 0; i < max_u32(b->nfirst, 1); i++)
		toy_create(t, i);
}

static inline void toy_end(struct toy *t)
{
	free(t->ready_ns);
	free(t->serial);
	free(t->state);
	free(t->list);
	free(t->owner);
	free(t->wants);
}

static inline void toy_log(struct toy *t, uint32_t task, const struct action *a)
{
	static const char *const names[ACTION_KIND_COUNT] = {
		"run",   "cputime", "run-until",   "sleep",    "sleep-until",
		"block", "spin",    "release",     "wake",     "fork",
		"lock",  "unlock",  "locked-work", "yield",    "exec",
		"exit",  "nice",    "policy",      "cpus",     "done",
		"start", "end",     "rcu",         "call-rcu", "synchronize-rcu",
	};
	char line[128];

	if (!t->log)
		return;
	if (!t->log_all && (a->kind == ACTION_DONE || a->kind == ACTION_RUN))
		return;
	snprintf(line, sizeof(line), "%llu %u %s", (unsigned long long)t->now_ns, task,
		 names[a->kind]);
	buf_str(t->log, line);
	line[0] = 0;
	if (a->kind == ACTION_WAKE || a->kind == ACTION_RELEASE || a->kind == ACTION_FORK)
		snprintf(line, sizeof(line), " %u", a->task);
	if (a->kind <= ACTION_SLEEP_UNTIL)
		snprintf(line, sizeof(line), " %llu", (unsigned long long)a->ns);
	if (a->kind == ACTION_SET_NICE || a->kind == ACTION_DONE)
		snprintf(line, sizeof(line), " %lld", (long long)a->value);
	if (a->kind == ACTION_SET_POLICY && a->policy == POLICY_DEADLINE)
		snprintf(line, sizeof(line), " %d %llu/%llu/%llu", (int)a->policy,
			 (unsigned long long)a->dl->runtime_ns,
			 (unsigned long long)a->dl->deadline_ns,
			 (unsigned long long)a->dl->period_ns);
	else if (a->kind == ACTION_SET_POLICY)
		snprintf(line, sizeof(line), " %d %lld", (int)a->policy, (long long)a->value);
	if (a->kind == ACTION_SET_AFFINITY)
		snprintf(line, sizeof(line), " %llx", (unsigned long long)a->cpus->w[0]);
	buf_str(t->log, line);
	buf_str(t->log, "\n");
}

static inline void toy_lock(struct toy *t, uint32_t task, uint32_t lock)
{
	CHECK(lock < t->b->nlocks);
	CHECK(t->owner[lock] != task + 1);
	if (t->owner[lock]) {
		t->state[task] = TOY_LOCKING;
		t->wants[task] = lock;
		t->serial[task] = t->serials++;
		return;
	}
	t->owner[lock] = task + 1;
	toy_make_ready(t, task, t->now_ns);
}

/* The first that came for the lock gets it. */
static inline void toy_unlock(struct toy *t, uint32_t task, uint32_t lock)
{
	uint32_t first = UINT32_MAX;

	CHECK(lock < t->b->nlocks);
	CHECK(t->owner[lock] == task + 1);
	t->owner[lock] = 0;
	for (uint32_t i = 0; i < t->nlist; i++) {
		uint32_t other = t->list[i];

		if (t->state[other] == TOY_LOCKING && t->wants[other] == lock &&
		    (first == UINT32_MAX || t->serial[other] < t->serial[first]))
			first = other;
	}
	if (first == UINT32_MAX)
		return;
	t->owner[lock] = first + 1;
	toy_make_ready(t, first, t->now_ns);
}

/* Nothing costs time here: a task's end is complete at once. */
static inline void toy_tell_end(struct toy *t, uint32_t task)
{
	struct action a;

	memset(&a, 0, sizeof(a));
	if (!t->b->ops->ended || !t->b->ops->ended(t->b, task, &a))
		return;
	CHECK(a.kind == ACTION_WAKE);
	CHECK(t->state[a.task] == TOY_BLOCKED || t->wakes_may_miss);
	if (t->state[a.task] != TOY_BLOCKED)
		return;
	t->wakes++;
	toy_make_ready(t, a.task, t->now_ns);
}

static inline void toy_act(struct toy *t, uint32_t task, const struct action *a)
{
	uint64_t at_ns = t->now_ns;

	switch (a->kind) {
	case ACTION_RUN:
	case ACTION_RUN_CPUTIME:
	case ACTION_SLEEP:
		CHECK(a->ns > 0);
		at_ns += a->ns;
		break;
	case ACTION_RUN_UNTIL:
	case ACTION_SLEEP_UNTIL:
		at_ns = max_u64(at_ns, a->ns);
		break;
	case ACTION_BLOCK:
		t->state[task] = TOY_BLOCKED;
		return;
	case ACTION_SPIN:
		at_ns = max_u64(at_ns, a->ns);
		break;
	case ACTION_RELEASE:
		CHECK(t->state[a->task] == TOY_READY);
		t->releases++;
		toy_make_ready(t, a->task, t->now_ns);
		break;
	case ACTION_WAKE:
		CHECK(t->state[a->task] == TOY_BLOCKED || t->wakes_may_miss);
		if (t->state[a->task] != TOY_BLOCKED)
			break;
		t->wakes++;
		toy_make_ready(t, a->task, t->now_ns);
		break;
	case ACTION_FORK:
		toy_create(t, a->task);
		at_ns += NS_PER_US;
		break;
	case ACTION_EXIT:
		t->state[task] = TOY_DEAD;
		t->live--;
		toy_tell_end(t, task);
		return;
	case ACTION_SET_AFFINITY:
		CHECK(a->cpus != NULL);
		CHECK(!mask_is_empty(a->cpus));
		break;
	case ACTION_DONE:
		t->done += (uint64_t)a->value;
		break;
	case ACTION_START_MARK:
		if (t->starts++ == 0)
			t->start_ns = t->now_ns;
		break;
	case ACTION_LOCKED_WORK:
		at_ns += a->ns;
		break;
	case ACTION_LOCK:
		toy_lock(t, task, a->task);
		return;
	case ACTION_UNLOCK:
		toy_unlock(t, task, a->task);
		break;
	case ACTION_SET_NICE:
	case ACTION_SET_POLICY:
	case ACTION_YIELD:
	case ACTION_EXEC:
	case ACTION_RCU:
	case ACTION_CALL_RCU:
	case ACTION_SYNCHRONIZE_RCU:
	case ACTION_END_MARK:
		break;
	case ACTION_KIND_COUNT:
		CHECK(false);
		break;
	}
	toy_make_ready(t, task, at_ns);
}

/* The ready task with the least (time, serial); UINT32_MAX when all wait or are gone. */
static inline uint32_t toy_pick(const struct toy *t)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < t->nlist; i++) {
		uint32_t task = t->list[i];

		if (t->state[task] != TOY_READY)
			continue;
		if (best == UINT32_MAX || t->ready_ns[task] < t->ready_ns[best] ||
		    (t->ready_ns[task] == t->ready_ns[best] && t->serial[task] < t->serial[best]))
			best = task;
	}
	return best;
}

/* False when nothing can happen any more, true when a limit was reached. */
static inline bool toy_run(struct toy *t, uint64_t until_ns, uint64_t actions)
{
	while (actions-- > 0) {
		uint32_t task = toy_pick(t);
		struct action a;

		if (task == UINT32_MAX)
			return false;
		if (t->ready_ns[task] > until_ns)
			return true;
		t->now_ns = t->ready_ns[task];
		memset(&a, 0, sizeof(a));
		t->b->ops->next(t->b, task, t->now_ns, &a);
		t->actions++;
		toy_log(t, task, &a);
		toy_act(t, task, &a);
	}
	return true;
}

#endif
