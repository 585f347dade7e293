/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes as a shell and make see them. A fork takes the price of a process
 * in the parent and again in the child before its own code; a vforked child shares
 * its parent's memory, which costs as little as a thread, and the parent sleeps
 * until the child's exec is over. A wait sleeps until one of the children has
 * ended; the end of a child wakes its sleeping parent, synchronously, after the time the
 * exit takes. So a chain of processes is as long as the sum of its parts.
 *
 * Main makes the jobs. It works main_ns for each, keeps nparallel of them
 * running and waits when there are so many; the clock runs from before the first
 * to after the last.
 *
 * A task's number is 1 + job x nprocs + place. Locks belong to the pipes of the jobs that run at a time:
 * a job uses those of its slot, job % nparallel; two jobs of one slot that overlap share the lock, not the pipe.
 *
 * Left out: a shell's own work for its command line beside PROC_RUN, files
 * and their locks, and memory. Who has ended leaves no trace to be reaped.
 */
#include "workload/proctree.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/rng.h"
#include "workload/pipe.h"

#define MAIN_TASK 0u
/* The 16ths of the long tail and its means, in thirds of the whole mean: 15 x 2/3 + 1 x 6 = 16. */
#define TAIL_PARTS 16u
#define BODY_MEAN_THIRDS 2u
#define TAIL_MEAN_THIRDS 18u

/* Where in a step that needs several actions a process is. */
enum phase {
	PHASE_BEGIN,
	PHASE_MADE,    /* PROC_VFORK: the child is there */
	PHASE_EXECED,  /* PROC_EXEC: the exec is over */
	PHASE_MESSAGE, /* PROC_READ: a message was read */
};

struct process {
	struct rng rng;
	struct pipe_call call;
	uint32_t parent;
	uint32_t nchildren; /* that live */
	uint16_t step;
	uint8_t phase;
	bool waits;  /* sleeps until a child has ended */
	bool vforks; /* sleeps until its vforked child's exec is over */
	bool execed;
};

/* What main does next. */
enum main_step {
	MAIN_MARK,
	MAIN_WORK, /* on the next job, or there is none */
	MAIN_MAKE,
	MAIN_BORN, /* the job's first process is there */
	MAIN_WAIT,
	MAIN_STOP,
	MAIN_EXIT,
};

struct proctree {
	struct behaviour behaviour; /* first */
	struct proctree_params p;
	struct process *processes; /* by task number */
	struct wpipe *pipes;       /* of all jobs */
	uint32_t nmade;            /* jobs */
	uint8_t main_step;         /* enum main_step */
};

static struct proctree *proctree_of(struct behaviour *b)
{
	return (struct proctree *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

static uint32_t job_of(const struct proctree *t, uint32_t task)
{
	return (task - 1) / t->p.nprocs;
}

static const struct proctree_proc *description_of(const struct proctree *t, uint32_t task)
{
	return &t->p.procs[(task - 1) % t->p.nprocs];
}

static struct wpipe *pipe_of(struct proctree *t, uint32_t task, uint32_t pipe)
{
	CHECK(pipe < t->p.npipes);
	return &t->pipes[job_of(t, task) * t->p.npipes + pipe];
}

static bool next_step(struct process *p)
{
	p->step++;
	p->phase = PHASE_BEGIN;
	return false;
}

static bool make(struct proctree *t, uint32_t parent, uint32_t child, struct action *out)
{
	t->processes[child].parent = parent;
	t->processes[parent].nchildren++;
	out->task = child;
	return act(out, ACTION_FORK, 0);
}

static uint64_t draw_ns(struct process *p, const struct proctree_step *s)
{
	uint64_t mean_ns = s->ns;

	if (s->time == TIME_NEAR)
		return rng_between(&p->rng, mean_ns - mean_ns / 4, mean_ns + mean_ns / 4);
	mean_ns *= rng_between(&p->rng, 0, TAIL_PARTS - 1) ? BODY_MEAN_THIRDS : TAIL_MEAN_THIRDS;
	return max_u64(rng_exponential(&p->rng, max_u64(mean_ns / 3, 1)), 1);
}

static bool wait_for_children(struct process *p, struct action *out)
{
	p->waits = p->nchildren > 0;
	return p->waits ? act(out, ACTION_BLOCK, 0) : next_step(p);
}

/* A vforked child's exec is over: its parent goes on. */
static bool do_exec(struct proctree *t, struct process *p, uint32_t task, struct action *out)
{
	struct process *parent = &t->processes[p->parent];

	if (p->phase == PHASE_BEGIN) {
		p->phase = PHASE_EXECED;
		return act(out, ACTION_EXEC, 0);
	}
	next_step(p);
	p->execed = true;
	if (!description_of(t, task)->vforked || !parent->vforks)
		return false;
	parent->vforks = false;
	out->task = p->parent;
	return act(out, ACTION_WAKE, 0);
}

static bool do_vfork(struct proctree *t, struct process *p, uint32_t task, uint32_t child,
		     struct action *out)
{
	if (p->phase == PHASE_BEGIN) {
		p->phase = PHASE_MADE;
		return make(t, task, child, out);
	}
	p->vforks = !t->processes[child].execed;
	return p->vforks ? act(out, ACTION_BLOCK, 0) : next_step(p);
}

static bool do_read(struct proctree *t, struct process *p, uint32_t task,
		    const struct proctree_step *s, struct action *out)
{
	if (p->phase == PHASE_MESSAGE) {
		p->phase = PHASE_BEGIN;
		return s->ns && act(out, ACTION_RUN, draw_ns(p, s));
	}
	switch (pipe_read(pipe_of(t, task, s->arg), &p->call, task, &p->rng, out)) {
	case PIPE_ACTS:
		return true;
	case PIPE_DONE:
		p->phase = PHASE_MESSAGE;
		return false;
	case PIPE_EOF:
		break;
	}
	return next_step(p);
}

static bool do_write(struct proctree *t, struct process *p, uint32_t task, uint32_t pipe,
		     struct action *out)
{
	if (pipe_write(pipe_of(t, task, pipe), &p->call, &p->rng, out) == PIPE_ACTS)
		return true;
	return next_step(p);
}

/* Its pipe is closed on the way. */
static bool do_exit(struct proctree *t, struct process *p, uint32_t task, struct action *out)
{
	uint32_t pipe = description_of(t, task)->writes;

	if (pipe != PROCTREE_NONE && p->phase == PHASE_BEGIN) {
		if (pipe_close(pipe_of(t, task, pipe), &p->call, out) == PIPE_ACTS)
			return true;
		p->phase = PHASE_MADE;
	}
	return act(out, ACTION_EXIT, 0);
}

static bool do_step(struct proctree *t, uint32_t task, struct action *out)
{
	struct process *p = &t->processes[task];
	const struct proctree_step *s = &description_of(t, task)->steps[p->step];
	uint32_t child = job_of(t, task) * t->p.nprocs + 1 + s->arg;

	switch (s->op) {
	case PROC_EXIT:
		return do_exit(t, p, task, out);
	case PROC_EXEC:
		return do_exec(t, p, task, out);
	case PROC_RUN:
		next_step(p);
		return act(out, ACTION_RUN, draw_ns(p, s));
	case PROC_IO:
		next_step(p);
		out->flags = ACTION_IRQ_ON;
		out->value = -1;
		return act(out, ACTION_SLEEP, max_u64(rng_exponential(&p->rng, s->ns), 1));
	case PROC_FORK:
		next_step(p);
		return make(t, task, child, out);
	case PROC_VFORK:
		return do_vfork(t, p, task, child, out);
	case PROC_WAIT:
		return wait_for_children(p, out);
	case PROC_WRITE:
		return do_write(t, p, task, s->arg, out);
	case PROC_READ:
		return do_read(t, p, task, s, out);
	case PROC_DONE:
		next_step(p);
		out->value = 1;
		return act(out, ACTION_DONE, 0);
	}
	CHECK(false);
	return false;
}

/* Main: as many jobs as may run, and what comes after the last. */
static bool do_main(struct proctree *t, struct action *out)
{
	struct process *p = &t->processes[MAIN_TASK];

	switch ((enum main_step)t->main_step) {
	case MAIN_MARK:
		t->main_step = MAIN_WORK;
		return act(out, ACTION_START_MARK, 0);
	case MAIN_WORK:
		t->main_step = t->nmade == t->p.njobs || p->nchildren == t->p.nparallel ?
				       MAIN_WAIT :
				       MAIN_MAKE;
		return t->main_step == MAIN_MAKE && t->p.main_ns &&
		       act(out, ACTION_RUN, t->p.main_ns);
	case MAIN_MAKE:
		t->main_step = MAIN_BORN;
		return make(t, MAIN_TASK, 1 + t->nmade++ * t->p.nprocs, out);
	case MAIN_BORN:
		t->main_step = MAIN_WORK;
		p->vforks = t->p.procs[0].vforked &&
			    !t->processes[1 + (t->nmade - 1) * t->p.nprocs].execed;
		return p->vforks && act(out, ACTION_BLOCK, 0);
	case MAIN_WAIT:
		p->waits = p->nchildren == t->p.nparallel ||
			   (t->nmade == t->p.njobs && p->nchildren > 0);
		if (p->waits)
			return act(out, ACTION_BLOCK, 0);
		t->main_step = t->nmade == t->p.njobs ? MAIN_STOP : MAIN_WORK;
		return false;
	case MAIN_STOP:
		t->main_step = MAIN_EXIT;
		return act(out, ACTION_END_MARK, 0);
	case MAIN_EXIT:
		return act(out, ACTION_EXIT, 0);
	}
	CHECK(false);
	return false;
}

static void proctree_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct proctree *t = proctree_of(b);

	(void)now_ns;
	CHECK(task < b->ntasks);
	/* bound: steps of a description, of which each is done once but for its actions */
	while (!(task == MAIN_TASK ? do_main(t, out) : do_step(t, task, out)))
		;
}

static bool proctree_ended(struct behaviour *b, uint32_t task, struct action *out)
{
	struct proctree *t = proctree_of(b);
	struct process *parent;

	if (task == MAIN_TASK)
		return false;
	parent = &t->processes[t->processes[task].parent];
	CHECK(parent->nchildren > 0);
	parent->nchildren--;
	if (!parent->waits)
		return false;
	parent->waits = false;
	out->flags = ACTION_SYNC;
	out->task = t->processes[task].parent;
	return act(out, ACTION_WAKE, 0);
}

static void proctree_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct proctree *t = proctree_of(b);
	const char *comm = task == MAIN_TASK ? t->p.comm : description_of(t, task)->comm;
	struct buf name;

	CHECK(task < b->ntasks);
	*out = t->p.common;
	buf_init(&name, out->comm, sizeof(out->comm));
	buf_str(&name, comm);
	out->process = task == MAIN_TASK || !description_of(t, task)->vforked;
}

static bool proctree_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	*out = ((const struct proctree *)(const void *)b)->p.common;
	return i == 0;
}

static const struct behaviour_ops proctree_ops = {
	.next = proctree_next,
	.attr = proctree_attr,
	.ended = proctree_ended,
	.policy = proctree_policy,
};

struct behaviour *proctree_create(const struct proctree_params *p)
{
	uint64_t ntasks = 1 + (uint64_t)p->njobs * p->nprocs;
	size_t npipes = (size_t)p->njobs * p->npipes;
	struct proctree *t = calloc(1, sizeof(*t));

	CHECK(p->nprocs > 0);
	CHECK(p->njobs > 0);
	CHECK(p->nparallel > 0);
	CHECK(ntasks <= PROCTREE_TASKS_MAX);
	CHECK(p->common.policy != POLICY_DEADLINE);
	if (!t)
		return NULL;
	t->p = *p;
	t->behaviour.ops = &proctree_ops;
	t->behaviour.ntasks = (uint32_t)ntasks;
	t->behaviour.nlocks = min_u32(p->nparallel, p->njobs) * p->npipes;
	t->processes = calloc(ntasks, sizeof(*t->processes));
	t->pipes = calloc(npipes + 1, sizeof(*t->pipes));
	if (!t->processes || !t->pipes) {
		t->p.cpus = NULL;
		t->p.owned = NULL;
		proctree_destroy(&t->behaviour);
		return NULL;
	}
	for (uint32_t i = 0; i < ntasks; i++)
		t->processes[i].rng = rng_stream(p->seed, p->purpose, i);
	for (uint32_t i = 0; i < npipes; i++)
		pipe_init(&t->pipes[i], i % t->behaviour.nlocks, 1);
	return &t->behaviour;
}

void proctree_destroy(struct behaviour *b)
{
	struct proctree *t = proctree_of(b);

	if (!b)
		return;
	free(t->p.cpus);
	free(t->p.owned);
	free(t->processes);
	free(t->pipes);
	free(t);
}
