/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What schbench did in its first years (2016 to 2022, before requests per
 * second and matrices took over), by its source. Main makes the message
 * threads, sleeps for the run time, says stop, and posts and joins them one after the other. A message thread makes its
 * workers; then again and again it takes the list of workers that wait, wakes
 * them one by one, the last that came first, sleeps on its futex until a worker posts
 * it, and sleeps a while more. A worker busy-waits by the clock, enters the list,
 * posts its message thread and sleeps on its own futex.
 *
 * The latency of a worker is the time from the moment its message thread took the list
 * to the moment it runs again, so the last of a long list counts the wake-ups before
 * its own. As in schbench, what is below 1 us is not counted.
 *
 * A futex is a flag and a sleeper: who posts sets the flag and wakes only who sleeps.
 * Left out: the system calls' own time beside sleeping, the hash bucket locks of
 * futexes, interval statistics and warm-up.
 */
#include "workload/schbench.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/rng.h"

#define NO_TASK UINT32_MAX
#define MAIN_TASK 0u

enum step {
	STEP_MARK,    /* main */
	STEP_FORK,    /* main and message threads */
	STEP_RUNTIME, /* main */
	STEP_STOP,
	STEP_TAKE, /* message threads: the list */
	STEP_WAKE,
	STEP_WAIT, /* for a post */
	STEP_DELAY,
	STEP_POST, /* main and message threads, at the end: the child to be joined */
	STEP_JOIN, /* main and message threads */
	STEP_SPIN, /* workers */
	STEP_SEND,
	STEP_ANSWER,
	STEP_MEASURE,
	STEP_EXIT, /* all */
};

struct schbench_task {
	struct rng rng;                          /* message threads */
	uint64_t wake_ns;                        /* worker: when its message thread took the list */
	uint32_t parent;                         /* NO_TASK: main */
	uint32_t first_child, nchildren, stride; /* children are stride apart */
	uint32_t nforked, njoined;
	uint32_t list;  /* message thread: first worker that waits; worker: the next one */
	uint32_t taken; /* message thread: first of those it is waking */
	uint8_t step;
	bool posted; /* its futex */
	bool sleeps; /* on it, or for the end of a child */
	bool joins;  /* it sleeps for the end of its child number njoined */
	bool ended;
};

struct schbench {
	struct behaviour behaviour; /* first */
	struct schbench_params p;
	struct schbench_task *tasks;
	uint64_t *bucket;
	struct behaviour_report latency;
	bool stopping;
};

static struct schbench *schbench_of(struct behaviour *b)
{
	return (struct schbench *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

static uint32_t child_of(const struct schbench_task *t, uint32_t i)
{
	return t->first_child + i * t->stride;
}

static bool wake(struct schbench *s, uint32_t task, struct action *out)
{
	struct schbench_task *t = &s->tasks[task];

	t->posted = true;
	if (!t->sleeps)
		return false;
	t->sleeps = false;
	out->task = task;
	return act(out, ACTION_WAKE, 0);
}

/* Sleep until posted, then go on with NEXT. */
static bool wait_for_post(struct schbench_task *t, enum step next, struct action *out)
{
	if (t->posted) {
		t->step = (uint8_t)next;
		return false;
	}
	t->sleeps = true;
	return act(out, ACTION_BLOCK, 0);
}

static bool do_fork(struct schbench_task *t, enum step next, struct action *out)
{
	if (t->nforked == t->nchildren) {
		t->step = (uint8_t)next;
		return false;
	}
	out->task = child_of(t, t->nforked++);
	return act(out, ACTION_FORK, 0);
}

/* At the end: each child is posted, then waited for. */
static bool post_child(struct schbench *s, struct schbench_task *t, struct action *out)
{
	t->step = STEP_JOIN;
	return t->njoined < t->nchildren && wake(s, child_of(t, t->njoined), out);
}

static bool do_join(struct schbench *s, struct schbench_task *t, struct action *out)
{
	t->joins = false;
	if (t->njoined == t->nchildren) {
		t->step = STEP_EXIT;
		return false;
	}
	if (s->tasks[child_of(t, t->njoined)].ended) {
		t->njoined++;
		t->step = STEP_POST;
		return false;
	}
	t->joins = true;
	return act(out, ACTION_BLOCK, 0);
}

static bool do_main(struct schbench *s, struct schbench_task *t, struct action *out)
{
	switch ((enum step)t->step) {
	case STEP_MARK:
		t->step = STEP_FORK;
		return act(out, ACTION_START_MARK, 0);
	case STEP_FORK:
		return do_fork(t, STEP_RUNTIME, out);
	case STEP_RUNTIME:
		if (!s->p.runtime_ns)
			return act(out, ACTION_BLOCK, 0);
		t->step = STEP_STOP;
		return act(out, ACTION_SLEEP, s->p.runtime_ns);
	case STEP_STOP:
		s->stopping = true;
		t->step = STEP_POST;
		return act(out, ACTION_END_MARK, 0);
	case STEP_POST:
		return post_child(s, t, out);
	case STEP_JOIN:
		return do_join(s, t, out);
	case STEP_EXIT:
		return act(out, ACTION_EXIT, 0);
	case STEP_TAKE:
	case STEP_WAKE:
	case STEP_WAIT:
	case STEP_DELAY:
	case STEP_SPIN:
	case STEP_SEND:
	case STEP_ANSWER:
	case STEP_MEASURE:
		break;
	}
	CHECK(false);
	return false;
}

/* Wake the next of the list that was taken. */
static bool wake_next(struct schbench *s, struct schbench_task *t, struct action *out)
{
	uint32_t worker = t->taken;

	if (worker == NO_TASK) {
		t->step = s->stopping ? STEP_POST : STEP_WAIT;
		return false;
	}
	t->taken = s->tasks[worker].list;
	return wake(s, worker, out);
}

static bool delay(struct schbench *s, struct schbench_task *t, struct action *out)
{
	uint64_t more_ns = s->p.sleep_ns / 4;

	t->step = STEP_TAKE;
	if (!s->p.sleep_ns)
		return false;
	if (more_ns)
		more_ns = rng_between(&t->rng, 0, more_ns - 1);
	return act(out, ACTION_SLEEP, s->p.sleep_ns + more_ns);
}

static bool do_messenger(struct schbench *s, struct schbench_task *t, uint64_t now_ns,
			 struct action *out)
{
	switch ((enum step)t->step) {
	case STEP_FORK:
		return do_fork(t, STEP_TAKE, out);
	case STEP_TAKE:
		/* who enters the list from now on posts again */
		t->posted = false;
		t->step = STEP_WAKE;
		/* bound: workers */
		for (uint32_t i = t->list; i != NO_TASK; i = s->tasks[i].list)
			s->tasks[i].wake_ns = now_ns;
		t->taken = t->list;
		t->list = NO_TASK;
		return false;
	case STEP_WAKE:
		return wake_next(s, t, out);
	case STEP_WAIT:
		return wait_for_post(t, STEP_DELAY, out);
	case STEP_DELAY:
		return delay(s, t, out);
	case STEP_POST:
		return post_child(s, t, out);
	case STEP_JOIN:
		return do_join(s, t, out);
	case STEP_EXIT:
		return act(out, ACTION_EXIT, 0);
	case STEP_MARK:
	case STEP_RUNTIME:
	case STEP_STOP:
	case STEP_SPIN:
	case STEP_SEND:
	case STEP_ANSWER:
	case STEP_MEASURE:
		break;
	}
	CHECK(false);
	return false;
}

static void count_latency(struct schbench *s, uint64_t ns)
{
	struct behaviour_report *r = &s->latency;
	uint64_t bucket = ns / SCHBENCH_BUCKET_NS;

	if (bucket == 0)
		return;
	r->min_ns = r->count ? min_u64(r->min_ns, ns) : ns;
	r->max_ns = max_u64(r->max_ns, ns);
	r->last_ns = ns;
	r->sum_ns += ns;
	r->count++;
	if (bucket < s->p.buckets)
		s->bucket[bucket]++;
	else
		r->overflow++;
}

static bool send(struct schbench *s, struct schbench_task *t, uint32_t task, uint64_t now_ns,
		 struct action *out)
{
	struct schbench_task *messenger = &s->tasks[t->parent];

	t->posted = false;
	t->wake_ns = now_ns;
	t->list = messenger->list;
	messenger->list = task;
	t->step = STEP_ANSWER;
	return wake(s, t->parent, out);
}

static bool do_worker(struct schbench *s, struct schbench_task *t, uint32_t task, uint64_t now_ns,
		      struct action *out)
{
	switch ((enum step)t->step) {
	case STEP_SPIN:
		t->step = s->stopping ? STEP_EXIT : STEP_SEND;
		return !s->stopping && s->p.cpu_ns &&
		       act(out, ACTION_RUN_UNTIL, now_ns + s->p.cpu_ns);
	case STEP_SEND:
		return send(s, t, task, now_ns, out);
	case STEP_ANSWER:
		if (!s->stopping)
			return wait_for_post(t, STEP_MEASURE, out);
		t->step = STEP_EXIT;
		return false;
	case STEP_MEASURE:
		t->step = STEP_SPIN;
		if (s->stopping)
			return false;
		count_latency(s, now_ns - t->wake_ns);
		out->value = 1;
		return act(out, ACTION_DONE, 0);
	case STEP_EXIT:
		return act(out, ACTION_EXIT, 0);
	case STEP_MARK:
	case STEP_FORK:
	case STEP_RUNTIME:
	case STEP_STOP:
	case STEP_TAKE:
	case STEP_WAKE:
	case STEP_WAIT:
	case STEP_DELAY:
	case STEP_POST:
	case STEP_JOIN:
		break;
	}
	CHECK(false);
	return false;
}

static bool do_step(struct schbench *s, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct schbench_task *t = &s->tasks[task];

	if (task == MAIN_TASK)
		return do_main(s, t, out);
	if (t->parent == NO_TASK)
		return do_messenger(s, t, now_ns, out);
	return do_worker(s, t, task, now_ns, out);
}

static void schbench_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	CHECK(task < b->ntasks);
	/* bound: no step is left without an action more than twice for each worker */
	while (!do_step(schbench_of(b), task, now_ns, out))
		;
}

static bool schbench_ended(struct behaviour *b, uint32_t task, struct action *out)
{
	struct schbench *s = schbench_of(b);
	uint32_t parent = s->tasks[task].parent;
	struct schbench_task *t;

	s->tasks[task].ended = true;
	if (task == MAIN_TASK)
		return false;
	parent = parent == NO_TASK ? MAIN_TASK : parent;
	t = &s->tasks[parent];
	if (!t->joins || child_of(t, t->njoined) != task)
		return false;
	t->joins = false;
	out->task = parent;
	return act(out, ACTION_WAKE, 0);
}

static void schbench_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct schbench *s = schbench_of(b);
	bool worker = task != MAIN_TASK && s->tasks[task].parent != NO_TASK;

	CHECK(task < b->ntasks);
	*out = s->p.common;
	memcpy(out->comm, worker ? "schbench-worker" : "schbench-msg\0  ",
	       sizeof("schbench-worker"));
}

static bool schbench_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	*out = ((const struct schbench *)(const void *)b)->p.common;
	return i == 0;
}

static bool schbench_report(const struct behaviour *b, uint32_t i, struct behaviour_report *out)
{
	const struct schbench *s = (const struct schbench *)(const void *)b;

	*out = s->latency;
	return i == 0;
}

static const struct behaviour_ops schbench_ops = {
	.next = schbench_next,
	.attr = schbench_attr,
	.ended = schbench_ended,
	.policy = schbench_policy,
	.report = schbench_report,
};

/* Main, then each message thread with its workers behind it. */
static void init_tasks(struct schbench *s)
{
	uint32_t stride = s->p.workers + 1;

	s->tasks[MAIN_TASK] = (struct schbench_task){.parent = NO_TASK,
						     .first_child = 1,
						     .nchildren = s->p.messengers,
						     .stride = stride,
						     .step = STEP_MARK};
	for (uint32_t i = 1; i < s->behaviour.ntasks; i++) {
		struct schbench_task *t = &s->tasks[i];
		uint32_t messenger = (i - 1) / stride * stride + 1;

		t->list = NO_TASK;
		t->parent = i == messenger ? NO_TASK : messenger;
		t->step = i == messenger ? STEP_FORK : STEP_SPIN;
		if (i != messenger)
			continue;
		t->rng = rng_stream(s->p.seed, "schbench", i);
		t->first_child = i + 1;
		t->nchildren = s->p.workers;
		t->stride = 1;
	}
}

struct behaviour *schbench_create(const struct schbench_params *p)
{
	struct schbench *s = calloc(1, sizeof(*s));

	CHECK(p->messengers > 0);
	CHECK(p->workers > 0);
	CHECK((uint64_t)p->messengers * (p->workers + UINT64_C(1)) <= SCHBENCH_TASKS_MAX);
	CHECK(p->common.policy != POLICY_DEADLINE);
	if (!s)
		return NULL;
	s->p = *p;
	s->behaviour.ops = &schbench_ops;
	s->behaviour.ntasks = 1 + p->messengers * (p->workers + 1);
	s->behaviour.endless = !p->runtime_ns;
	s->tasks = calloc(s->behaviour.ntasks, sizeof(*s->tasks));
	s->bucket = calloc((size_t)p->buckets + 1, sizeof(*s->bucket));
	if (!s->tasks || !s->bucket) {
		s->p.cpus = NULL;
		schbench_destroy(&s->behaviour);
		return NULL;
	}
	init_tasks(s);
	s->latency.what = "wakeup_latency";
	s->latency.rt_priority = p->common.rt_priority;
	s->latency.bucket_ns = p->buckets ? SCHBENCH_BUCKET_NS : 0;
	s->latency.nbuckets = p->buckets;
	s->latency.bucket = p->buckets ? s->bucket : NULL;
	return &s->behaviour;
}

void schbench_destroy(struct behaviour *b)
{
	struct schbench *s = schbench_of(b);

	if (!b)
		return;
	free(s->p.cpus);
	free(s->tasks);
	free(s->bucket);
	free(s);
}
