/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks keep their order, LAUNCH_MAIN_TASK numbers up; what names another task of the program is
 * translated. The shell waits for the program's first task, as for a foreground job, and ends.
 */
#include "workload/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/rng.h"

enum shell_step {
	SHELL_SLEEP,
	SHELL_COMMAND,
	SHELL_WAIT_COMMAND,
	SHELL_FORK,
	SHELL_WAIT,
	SHELL_EXIT,
};

enum command_step {
	COMMAND_EXEC,
	COMMAND_RUN,
	COMMAND_EXIT,
};

enum main_step {
	MAIN_EXEC,
	MAIN_SET_UP,
	MAIN_FREE,
	MAIN_PROGRAM,
};

struct launch {
	struct behaviour behaviour; /* first */
	struct launch_params p;
	uint8_t shell;   /* enum shell_step */
	uint8_t command; /* enum command_step */
	uint8_t main;    /* enum main_step */
	bool job_ended; /* what the shell forked last: perhaps before it is asked what it does next */
};

static struct launch *launch_of(struct behaviour *b)
{
	return (struct launch *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

static uint64_t delay_ns(const struct launch *l)
{
	struct rng r = rng_stream(l->p.seed, "launch", 0);
	uint64_t more_ns = rng_between(&r, 0, l->p.after_ns / 10);

	return l->p.after_ns + (l->p.align_ns ? more_ns / l->p.align_ns * l->p.align_ns : more_ns);
}

static bool shell_fork(struct launch *l, uint32_t task, struct action *out)
{
	l->job_ended = false;
	out->task = task;
	return act(out, ACTION_FORK, 0);
}

static bool shell_step(struct launch *l, struct action *out)
{
	switch ((enum shell_step)l->shell) {
	case SHELL_SLEEP:
		l->shell = l->p.command_ns ? SHELL_COMMAND : SHELL_FORK;
		return l->p.after_ns && act(out, ACTION_SLEEP, delay_ns(l));
	case SHELL_COMMAND:
		l->shell = SHELL_WAIT_COMMAND;
		return shell_fork(l, LAUNCH_COMMAND_TASK, out);
	case SHELL_WAIT_COMMAND:
		l->shell = SHELL_FORK;
		return !l->job_ended && act(out, ACTION_BLOCK, 0);
	case SHELL_FORK:
		l->shell = SHELL_WAIT;
		return shell_fork(l, LAUNCH_MAIN_TASK, out);
	case SHELL_WAIT:
		l->shell = SHELL_EXIT;
		return !l->job_ended && act(out, ACTION_BLOCK, 0);
	case SHELL_EXIT:
		return act(out, ACTION_EXIT, 0);
	}
	CHECK(false);
	return false;
}

static void command_step(struct launch *l, struct action *out)
{
	switch ((enum command_step)l->command++) {
	case COMMAND_EXEC:
		act(out, ACTION_EXEC, 0);
		return;
	case COMMAND_RUN:
		act(out, ACTION_RUN, l->p.command_ns);
		return;
	case COMMAND_EXIT:
		act(out, ACTION_EXIT, 0);
		return;
	}
	CHECK(false);
}

/* A task of the program that OUT names has another number here. Locks have their own. */
static void renumber(struct action *out)
{
	if (out->kind == ACTION_FORK || out->kind == ACTION_WAKE || out->kind == ACTION_RELEASE)
		out->task += LAUNCH_MAIN_TASK;
}

static bool main_step(struct launch *l, struct action *out)
{
	if (l->main == MAIN_EXEC) {
		l->main = MAIN_SET_UP;
		return act(out, ACTION_EXEC, 0);
	}
	if (l->main == MAIN_SET_UP) {
		l->main = MAIN_FREE;
		return l->p.setup_ns && act(out, ACTION_RUN, l->p.setup_ns);
	}
	/* maps were made and grew meanwhile, and their old nodes go */
	if (l->main == MAIN_FREE) {
		l->main = MAIN_PROGRAM;
		return l->p.setup_ns && act(out, ACTION_CALL_RCU, 0);
	}
	return false;
}

static void launch_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct launch *l = launch_of(b);

	if (task == LAUNCH_SHELL_TASK) {
		/* bound: a few steps without an action */
		while (!shell_step(l, out))
			;
		return;
	}
	if (task == LAUNCH_COMMAND_TASK) {
		command_step(l, out);
		return;
	}
	/* bound: one step without an action */
	while (task == LAUNCH_MAIN_TASK && l->main != MAIN_PROGRAM)
		if (main_step(l, out))
			return;
	l->p.program->ops->next(l->p.program, task - LAUNCH_MAIN_TASK, now_ns, out);
	renumber(out);
}

static void launch_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	struct launch *l = launch_of(b);

	if (task < LAUNCH_MAIN_TASK) {
		memcpy(out->comm, "sh", sizeof("sh"));
		out->process = true;
		return;
	}
	l->p.program->ops->attr(l->p.program, task - LAUNCH_MAIN_TASK, out);
	out->process |= task == LAUNCH_MAIN_TASK;
}

static bool launch_ended(struct behaviour *b, uint32_t task, struct action *out)
{
	struct launch *l = launch_of(b);
	const struct behaviour_ops *ops = l->p.program->ops;

	if (task == LAUNCH_SHELL_TASK)
		return false;
	if (task == LAUNCH_COMMAND_TASK || task == LAUNCH_MAIN_TASK) {
		l->job_ended = true;
		out->task = LAUNCH_SHELL_TASK;
		return act(out, ACTION_WAKE, 0);
	}
	if (!ops->ended || !ops->ended(l->p.program, task - LAUNCH_MAIN_TASK, out))
		return false;
	renumber(out);
	return true;
}

static bool launch_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct launch *l = (const struct launch *)(const void *)b;
	const struct behaviour_ops *ops = l->p.program->ops;

	return ops->policy && ops->policy(l->p.program, i, out);
}

static bool launch_report(const struct behaviour *b, uint32_t i, struct behaviour_report *out)
{
	const struct launch *l = (const struct launch *)(const void *)b;
	const struct behaviour_ops *ops = l->p.program->ops;

	if (!ops->report || !ops->report(l->p.program, i, out))
		return false;
	out->task += LAUNCH_MAIN_TASK;
	return true;
}

static const struct behaviour_ops all_ops = {
	.next = launch_next,
	.attr = launch_attr,
	.ended = launch_ended,
	.policy = launch_policy,
	.report = launch_report,
};

/* A program without policies of its own is one whose attr() says all; so are its shell's. */
static const struct behaviour_ops plain_ops = {
	.next = launch_next,
	.attr = launch_attr,
	.ended = launch_ended,
	.report = launch_report,
};

struct behaviour *launch_create(const struct launch_params *p)
{
	struct launch *l = calloc(1, sizeof(*l));

	CHECK(p->program->nfirst <= 1);
	if (!l)
		return NULL;
	l->p = *p;
	l->behaviour = *p->program;
	l->behaviour.ops = p->program->ops->policy ? &all_ops : &plain_ops;
	l->behaviour.nfirst = 0;
	l->behaviour.state = NULL; /* its tasks have other numbers */
	l->behaviour.ntasks = p->program->ntasks + LAUNCH_MAIN_TASK;
	return &l->behaviour;
}

void launch_destroy(struct behaviour *b)
{
	struct launch *l = launch_of(b);

	if (!b)
		return;
	l->p.destroy(l->p.program);
	free(l);
}
