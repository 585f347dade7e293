/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorded scheduler trace, decision by decision. The model's queues and current tasks
 * follow the trace; before each recorded placement of a task, and each move of a waiting one, the
 * model is asked what it would do in that state. Virtual times and averages are the model's own: it ticks
 * in between.
 *
 *	struct replay_report r;
 *	if (!replay_run(&config, &r, &e)) ...
 *
 * What a trace does not tell is guessed, the same way for every trace:
 *
 * - A task that the trace mentions first without its fork sleeps before, where it is first seen.
 * - "NAME/5" and "NAME/5:1" are confined to CPU 5. Other masks are not known.
 * - A wake-up is synchronous (WF_SYNC) if the waker's next event on its CPU is its own sleep,
 *   at most 10 us later.
 * - Since when an idle CPU idles, before it is first used: which of equally idle CPUs gets a new
 *   task hangs on that.
 * - Ticks of all CPUs are at whole multiples of the tick.
 * - Clocks of CPUs differ: what an event needs may stand up to 25 us later in the trace, and
 *   is then taken first.
 *
 * A moved task counts as agreed if the model's balancing, asked for the CPU it went to, takes some task from
 * the queue it came from; it is asked as often as a busy CPU would ask until its patience is over.
 * The model's answer is undone: moves are those of the trace.
 */
#ifndef RUNQLAB_REPLAY_REPLAY_H
#define RUNQLAB_REPLAY_REPLAY_H

#include "base/err.h"
#include "import/ftrace_read.h"
#include "model/kver.h"
#include "model/topology.h"

#define REPLAY_DIFFERENCES 10u
#define REPLAY_WHY 160u

enum replay_kind {
	REPLAY_WAKE,
	REPLAY_FORK,
	REPLAY_MOVE,
	REPLAY_KINDS
};

/* A decision that came out otherwise. */
struct replay_difference {
	enum replay_kind kind;
	uint64_t line, time_ns; /* of the trace */
	char comm[16];
	int32_t pid;
	uint32_t real_cpu;
	uint32_t from_cpu;    /* where it was */
	uint32_t model_cpu;   /* for a move: where the model takes a task from; CPU_NONE: none */
	char why[REPLAY_WHY]; /* what the model saw */
};

struct replay_report {
	uint64_t events;
	uint64_t decisions[REPLAY_KINDS], agreed[REPLAY_KINDS];
	uint64_t as_loaded; /* placements that differ, but on a CPU with as many tasks as the real one */
	uint64_t same_task;   /* moves of which the model takes the very task */
	uint64_t out_of_step; /* events that do not fit what the model's queues hold */
	uint64_t lost;        /* events that the trace says are missing */
	uint32_t ndifferences;
	struct replay_difference difference[REPLAY_DIFFERENCES]; /* the first ones */
};

struct replay_config {
	const char *where; /* the trace's name, for messages */
	ftrace_read_fn read;
	void *arg;
	const struct topology *topo;
	const struct kver *v; /* a kernel with PELT: 5.4 or later */
};

/* False with *E for a trace that cannot be read or names a CPU the machine has not. */
bool replay_run(const struct replay_config *config, struct replay_report *out, struct rql_error *e);

/* "wake-up", "fork", "move" */
const char *replay_kind_name(enum replay_kind kind);

#endif
