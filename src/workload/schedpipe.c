/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tools/perf/bench/sched-pipe.c does. The clock starts before the tasks
 * are made. As processes, main forks a child; the child reads from pipe 0 and
 * answers into pipe 1, main writes first and then reads; each may confine itself to a CPU before
 * it begins. As threads, main
 * makes two for these parts, the reader first, and joins them in that order.
 * After `loops` rounds the partner is waited for and the clock stops. A unit is a
 * round, perf's "op".
 *
 * The pipes never hold more than one message, so nobody waits for room.
 * Left out: the work of perf itself between two calls, which is a few
 * instructions, and setting up the pipes.
 */
#include "workload/schedpipe.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mask.h"
#include "workload/pipe.h"

#define MAIN_TASK 0u
#define TASKS_MAX 3u
#define DONE_BATCH 64u /* rounds that are reported at once */

enum stage {
	STAGE_MARK, /* main */
	STAGE_FORK,
	STAGE_CONFINE,    /* who plays */
	STAGE_FIRST_CALL, /* write if it begins, else read */
	STAGE_SECOND_CALL,
	STAGE_COUNT,
	STAGE_END,  /* of its part */
	STAGE_JOIN, /* main */
	STAGE_STOP,
	STAGE_EXIT,
};

struct player {
	struct rng rng;
	struct pipe_call call;
	uint32_t rounds; /* played */
	uint8_t stage;
	bool begins; /* writes first */
	bool ended;
};

struct schedpipe {
	struct behaviour behaviour; /* first */
	struct schedpipe_params p;
	struct wpipe pipes[2]; /* [0] from who begins, [1] back */
	struct player players[TASKS_MAX];
	void *masks; /* two of them */
	uint32_t nforked, njoined;
	bool main_waits;
};

static struct schedpipe *schedpipe_of(struct behaviour *b)
{
	return (struct schedpipe *)(void *)b;
}

static bool plays(const struct schedpipe *s, uint32_t task)
{
	return !s->p.threads || task != MAIN_TASK;
}

static bool act(struct action *out, enum action_kind kind)
{
	out->kind = kind;
	return true;
}

/* The one CPU of who writes first (0), who answers (1). */
static struct mask *mask_of(const struct schedpipe *s, uint32_t who)
{
	return (struct mask *)(void *)((char *)s->masks + who * mask_size(s->p.ncpus));
}

static bool do_fork(struct schedpipe *s, struct player *t, struct action *out)
{
	if (s->nforked + 1 < s->behaviour.ntasks) {
		out->task = ++s->nforked;
		return act(out, ACTION_FORK);
	}
	t->stage = plays(s, MAIN_TASK) ? STAGE_CONFINE : STAGE_JOIN;
	return false;
}

static bool do_confine(struct schedpipe *s, struct player *t, struct action *out)
{
	uint32_t who = t->begins ? 0 : 1;

	t->stage = STAGE_FIRST_CALL;
	if (s->p.cpu[who] == SCHEDPIPE_ANY_CPU)
		return false;
	out->cpus = mask_of(s, who);
	return act(out, ACTION_SET_AFFINITY);
}

/* One of the two calls of a round. */
static bool do_call(struct schedpipe *s, struct player *t, uint32_t task, bool writes,
		    struct action *out)
{
	struct wpipe *pipe = &s->pipes[t->begins == writes ? 0 : 1];
	enum pipe_result result = writes ? pipe_write(pipe, &t->call, &t->rng, out) :
					   pipe_read(pipe, &t->call, task, &t->rng, out);

	CHECK(result != PIPE_EOF);
	if (result == PIPE_ACTS)
		return true;
	t->stage++;
	return false;
}

/* Only who began reports: one unit a round. */
static bool do_count(struct schedpipe *s, struct player *t, struct action *out)
{
	bool last = ++t->rounds == s->p.loops;

	t->stage = last ? STAGE_END : STAGE_FIRST_CALL;
	if (!t->begins || (t->rounds % DONE_BATCH != 0 && !last))
		return false;
	out->value = t->rounds % DONE_BATCH ? t->rounds % DONE_BATCH : DONE_BATCH;
	return act(out, ACTION_DONE);
}

/* Main waits for the others in the order in which it made them. */
static bool do_join(struct schedpipe *s, struct player *t, struct action *out)
{
	/* bound: tasks */
	while (s->njoined < s->nforked && s->players[s->njoined + 1].ended)
		s->njoined++;
	s->main_waits = s->njoined < s->nforked;
	if (s->main_waits)
		return act(out, ACTION_BLOCK);
	t->stage = STAGE_STOP;
	return false;
}

static bool do_stage(struct schedpipe *s, struct player *t, uint32_t task, struct action *out)
{
	switch ((enum stage)t->stage) {
	case STAGE_MARK:
		t->stage = STAGE_FORK;
		return act(out, ACTION_START_MARK);
	case STAGE_FORK:
		return do_fork(s, t, out);
	case STAGE_CONFINE:
		return do_confine(s, t, out);
	case STAGE_FIRST_CALL:
		return do_call(s, t, task, t->begins, out);
	case STAGE_SECOND_CALL:
		return do_call(s, t, task, !t->begins, out);
	case STAGE_COUNT:
		return do_count(s, t, out);
	case STAGE_END:
		t->stage = task == MAIN_TASK ? STAGE_JOIN : STAGE_EXIT;
		return false;
	case STAGE_JOIN:
		return do_join(s, t, out);
	case STAGE_STOP:
		t->stage = STAGE_EXIT;
		return act(out, ACTION_END_MARK);
	case STAGE_EXIT:
		return act(out, ACTION_EXIT);
	}
	CHECK(false);
	return false;
}

static void schedpipe_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct schedpipe *s = schedpipe_of(b);

	(void)now_ns;
	CHECK(task < b->ntasks);
	/* bound: no stage is left without an action more than a few times in a row */
	while (!do_stage(s, &s->players[task], task, out))
		;
}

static bool schedpipe_ended(struct behaviour *b, uint32_t task, struct action *out)
{
	struct schedpipe *s = schedpipe_of(b);

	s->players[task].ended = true;
	if (!s->main_waits || task != s->njoined + 1)
		return false;
	s->main_waits = false;
	out->kind = ACTION_WAKE;
	out->flags = s->p.threads ? 0 : ACTION_SYNC;
	out->task = MAIN_TASK;
	return true;
}

static void schedpipe_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct schedpipe *s = schedpipe_of(b);

	CHECK(task < b->ntasks);
	*out = s->p.common;
	memcpy(out->comm, "sched-pipe", sizeof("sched-pipe"));
	out->process = !s->p.threads;
}

static bool schedpipe_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	*out = ((const struct schedpipe *)(const void *)b)->p.common;
	return i == 0;
}

static const struct behaviour_ops schedpipe_ops = {
	.next = schedpipe_next,
	.attr = schedpipe_attr,
	.ended = schedpipe_ended,
	.policy = schedpipe_policy,
};

struct behaviour *schedpipe_create(const struct schedpipe_params *p)
{
	struct schedpipe *s = calloc(1, sizeof(*s));
	void *masks = calloc(2, mask_size(p->ncpus));

	CHECK(p->loops > 0);
	CHECK(p->common.policy != POLICY_DEADLINE);
	if (!s || !masks) {
		free(s);
		free(masks);
		return NULL;
	}
	s->p = *p;
	s->masks = masks;
	for (uint32_t i = 0; i < 2; i++) {
		struct mask *m = mask_init(mask_of(s, i), p->ncpus);

		if (p->cpu[i] != SCHEDPIPE_ANY_CPU)
			mask_set(m, p->cpu[i]);
	}
	s->behaviour.ops = &schedpipe_ops;
	s->behaviour.ntasks = p->threads ? 3 : 2;
	s->behaviour.nlocks = 2;
	for (uint32_t i = 0; i < 2; i++)
		pipe_init(&s->pipes[i], i, 1);
	for (uint32_t i = 0; i < TASKS_MAX; i++) {
		s->players[i].rng = rng_stream(p->seed, "schedpipe", i);
		s->players[i].stage = i == MAIN_TASK ? STAGE_MARK : STAGE_CONFINE;
		/* the first of the others only answers */
		s->players[i].begins = i != 1;
	}
	return &s->behaviour;
}

void schedpipe_destroy(struct behaviour *b)
{
	struct schedpipe *s = schedpipe_of(b);

	if (!b)
		return;
	free(s->p.cpus);
	free(s->masks);
	free(s);
}
