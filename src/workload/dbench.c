/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What dbench's clients ask of a file system whose data is in the page cache,
 * as the scheduler sees it: a stream of short system calls without a pause.
 *
 * Which operation comes is drawn with the frequencies of dbench 4's client.txt,
 * counted in a published run; how long one takes is that run's mean, varied by half. What
 * operations share is a journal:
 *
 *  - One that changes metadata begins and ends a handle, each under the
 *    journal's spinlock.
 *  - Those that unlink a file also hold a sleeping mutex, as ext4's for
 *    the list of orphans, for a part of their work.
 *  - A flush waits until the journal thread has committed: the thread takes all
 *    who have come, works, waits for its disk, whose interrupt comes to the CPU that
 *    asked it, and wakes them one by one. Who comes meanwhile is in the next commit.
 *
 * The mutex sleeps at once; its unlock wakes the first waiter, which tries again, so
 * another may be faster.
 *
 * Left out: the order of the load file, spinning on a mutex's owner, locks
 * of directories (each client has its own), reads from the disk, the commit every
 * five seconds, memory pressure.
 */
#include "workload/dbench.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/rng.h"

#define MAIN_TASK 0u
#define JOURNAL_TASK 1u
#define CLIENT_TASKS 2u /* the first of them */
#define NO_TASK UINT32_MAX

#define LOCK_JOURNAL 0u
#define LOCKS 1u

/* Assumed: a commit's own work, and what is done under the mutex. */
#define COMMIT_NS (25 * NS_PER_US)
#define COMMIT_EACH_NS 500u
#define ORPHAN_NS (2 * NS_PER_US)

#define DONE_BATCH 32u /* operations that are reported at once */

enum kind {
	KIND_PLAIN,
	KIND_META,   /* changes metadata: a handle */
	KIND_UNLINK, /* ... under the mutex for a part */
	KIND_FLUSH,
};

/*
 * Counts and mean times: dbench 4.00, client.txt, 4 clients, 60 s, on ext4 of a SATA SSD. As many opens
 * create a file as are unlinked or renamed away. Directories are made and deleted too seldom to count.
 */
static const struct {
	uint32_t count;
	uint32_t ns;
	enum kind kind;
} ops[] = {
	{750467, 31000, KIND_PLAIN},  /* NTCreateX of files that are there */
	{189895, 31000, KIND_META},   /* NTCreateX that creates */
	{690773, 3000, KIND_PLAIN},   /* Close */
	{39816, 83000, KIND_META},    /* Rename */
	{189895, 74000, KIND_UNLINK}, /* Unlink */
	{852313, 13000, KIND_PLAIN},  /* Qpathinfo */
	{149372, 1000, KIND_PLAIN},   /* Qfileinfo */
	{156277, 6000, KIND_PLAIN},   /* Qfsinfo */
	{76600, 31000, KIND_META},    /* Sfileinfo */
	{329527, 45000, KIND_PLAIN},  /* Find */
	{468874, 49000, KIND_META},   /* WriteX */
	{1474053, 7000, KIND_PLAIN},  /* ReadX */
	{6124, 4000, KIND_PLAIN},     /* LockX and UnlockX */
	{65918, 10000, KIND_FLUSH},   /* Flush; its time is the journal's */
};

#define OPS (sizeof(ops) / sizeof(ops[0]))

/* What a client does next. */
enum step {
	STEP_READY, /* waits for main */
	STEP_CHOOSE,
	STEP_LOCK, /* the journal's spinlock is taken next */
	STEP_HOLD,
	STEP_UNLOCK,
	STEP_MUTEX,
	STEP_ORPHAN, /* it has the mutex */
	STEP_WORK,
	STEP_FLUSH,  /* tells the journal thread */
	STEP_COMMIT, /* waits for it */
	STEP_COUNT,
};

struct client {
	struct rng rng;
	uint32_t link;  /* next in the list of the mutex or of a commit */
	uint32_t ndone; /* not reported yet */
	uint8_t op;
	uint8_t step;
	bool second; /* the handle's end, not its beginning */
	bool committed;
	bool listed; /* at the mutex */
};

/* What main and the journal thread do next. */
enum main_step {
	MAIN_FORK,
	MAIN_MARK,
	MAIN_RELEASE,
	MAIN_SLEEP,
};

enum journal_step {
	JOURNAL_COLLECT,
	JOURNAL_WRITE,
	JOURNAL_WAKE,
};

struct queue {
	uint32_t first, last;
};

struct dbench {
	struct behaviour behaviour; /* first */
	struct dbench_params p;
	struct client *clients;
	uint64_t weight; /* of all operations */
	struct rng journal_rng;
	struct queue mutex;   /* who sleeps for it */
	struct queue waiting; /* who waits for the next commit */
	uint32_t committing;  /* the first of those in this one */
	uint32_t next_client; /* for main */
	bool mutex_held;
	bool journal_sleeps;
	uint8_t main_step, journal_step;
};

static struct dbench *dbench_of(struct behaviour *b)
{
	return (struct dbench *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

static struct client *client_of(struct dbench *d, uint32_t task)
{
	return &d->clients[task - CLIENT_TASKS];
}

static void put(struct dbench *d, struct queue *q, uint32_t task)
{
	client_of(d, task)->link = NO_TASK;
	if (q->first == NO_TASK)
		q->first = task;
	else
		client_of(d, q->last)->link = task;
	q->last = task;
}

/* --- main and the journal thread ---------------------------------------------- */

static bool do_main(struct dbench *d, struct action *out)
{
	uint32_t end = CLIENT_TASKS + d->p.clients;

	switch ((enum main_step)d->main_step) {
	case MAIN_FORK:
		out->task = d->next_client++;
		if (d->next_client == end)
			d->main_step = MAIN_MARK;
		return act(out, ACTION_FORK, 0);
	case MAIN_MARK:
		d->next_client = CLIENT_TASKS;
		d->main_step = MAIN_RELEASE;
		return act(out, ACTION_START_MARK, 0);
	case MAIN_RELEASE:
		out->task = d->next_client++;
		client_of(d, out->task)->committed = true;
		if (d->next_client == end)
			d->main_step = MAIN_SLEEP;
		return act(out, ACTION_WAKE, 0);
	case MAIN_SLEEP:
		return act(out, ACTION_BLOCK, 0);
	}
	CHECK(false);
	return false;
}

static bool collect(struct dbench *d, struct action *out)
{
	uint64_t n = 0;

	d->committing = d->waiting.first;
	d->waiting.first = NO_TASK;
	if (d->committing == NO_TASK) {
		d->journal_sleeps = true;
		return act(out, ACTION_BLOCK, 0);
	}
	/* bound: a client is in one list */
	for (uint32_t i = d->committing; i != NO_TASK; i = client_of(d, i)->link)
		n++;
	d->journal_step = JOURNAL_WRITE;
	out->flags = ACTION_IN_KERNEL;
	return act(out, ACTION_RUN, COMMIT_NS + n * COMMIT_EACH_NS);
}

static bool do_journal(struct dbench *d, struct action *out)
{
	struct client *c;

	switch ((enum journal_step)d->journal_step) {
	case JOURNAL_COLLECT:
		return collect(d, out);
	case JOURNAL_WRITE:
		d->journal_step = JOURNAL_WAKE;
		out->flags = ACTION_IRQ_ON;
		out->value = -1;
		return act(out, ACTION_SLEEP,
			   max_u64(rng_exponential(&d->journal_rng, d->p.disk_ns), 1));
	case JOURNAL_WAKE:
		out->task = d->committing;
		c = client_of(d, d->committing);
		c->committed = true;
		d->committing = c->link;
		if (d->committing == NO_TASK)
			d->journal_step = JOURNAL_COLLECT;
		return act(out, ACTION_WAKE, 0);
	}
	CHECK(false);
	return false;
}

/* --- clients ---------------------------------------------------------------------- */

static uint8_t draw_op(const struct dbench *d, struct rng *rng)
{
	uint64_t at = rng_between(rng, 0, d->weight - 1);
	uint8_t op = 0;

	/* bound: OPS, because at is below the sum */
	while (at >= ops[op].count)
		at -= ops[op++].count;
	return op;
}

static bool work(struct client *c, enum step next, uint64_t ns, struct action *out)
{
	c->step = (uint8_t)next;
	out->flags = ACTION_IN_KERNEL;
	return act(out, ACTION_RUN, rng_between(&c->rng, ns - ns / 2, ns + ns / 2));
}

static bool choose(const struct dbench *d, struct client *c)
{
	c->op = draw_op(d, &c->rng);
	c->second = false;
	c->step = ops[c->op].kind == KIND_META || ops[c->op].kind == KIND_UNLINK ? STEP_LOCK :
										   STEP_WORK;
	return false;
}

/* The handle has begun or ended. */
static enum step after_handle(const struct client *c)
{
	if (c->second)
		return STEP_COUNT;
	return ops[c->op].kind == KIND_UNLINK ? STEP_MUTEX : STEP_WORK;
}

/* Linux: mutex_lock(). Deviation: no spinning on the owner; the list is changed without its lock. */
static bool take_mutex(struct dbench *d, struct client *c, uint32_t task, struct action *out)
{
	if (!d->mutex_held) {
		d->mutex_held = true;
		/* only the first of the list is ever woken */
		CHECK(!c->listed || d->mutex.first == task);
		if (c->listed)
			d->mutex.first = c->link;
		c->listed = false;
		return work(c, STEP_ORPHAN, ORPHAN_NS, out);
	}
	if (!c->listed)
		put(d, &d->mutex, task);
	c->listed = true;
	return act(out, ACTION_BLOCK, 0);
}

static bool release_mutex(struct dbench *d, struct client *c, struct action *out)
{
	c->step = STEP_WORK;
	d->mutex_held = false;
	if (d->mutex.first == NO_TASK)
		return false;
	out->task = d->mutex.first;
	return act(out, ACTION_WAKE, 0);
}

static bool flush(struct dbench *d, struct client *c, uint32_t task, struct action *out)
{
	c->step = STEP_COMMIT;
	c->committed = false;
	put(d, &d->waiting, task);
	if (!d->journal_sleeps)
		return false;
	d->journal_sleeps = false;
	out->task = JOURNAL_TASK;
	return act(out, ACTION_WAKE, 0);
}

static bool count(struct client *c, struct action *out)
{
	c->step = STEP_CHOOSE;
	if (++c->ndone < DONE_BATCH)
		return false;
	c->ndone = 0;
	out->value = DONE_BATCH;
	return act(out, ACTION_DONE, 0);
}

/* After the work of an operation. */
static enum step after_work(const struct client *c)
{
	switch (ops[c->op].kind) {
	case KIND_PLAIN:
		return STEP_COUNT;
	case KIND_META:
	case KIND_UNLINK:
		return STEP_LOCK;
	case KIND_FLUSH:
		return STEP_FLUSH;
	}
	CHECK(false);
	return STEP_COUNT;
}

static bool wait_for_wake(struct client *c, enum step next, struct action *out)
{
	if (!c->committed)
		return act(out, ACTION_BLOCK, 0);
	c->step = (uint8_t)next;
	return false;
}

static bool do_client(struct dbench *d, uint32_t task, struct action *out)
{
	struct client *c = client_of(d, task);

	out->task = LOCK_JOURNAL;
	switch ((enum step)c->step) {
	case STEP_READY:
		return wait_for_wake(c, STEP_CHOOSE, out);
	case STEP_CHOOSE:
		return choose(d, c);
	case STEP_LOCK:
		c->step = STEP_HOLD;
		return act(out, ACTION_LOCK, 0);
	case STEP_HOLD:
		c->step = STEP_UNLOCK;
		return act(out, ACTION_LOCKED_WORK, d->p.journal_ns);
	case STEP_UNLOCK:
		c->step = (uint8_t)after_handle(c);
		return act(out, ACTION_UNLOCK, 0);
	case STEP_MUTEX:
		return take_mutex(d, c, task, out);
	case STEP_ORPHAN:
		return release_mutex(d, c, out);
	case STEP_WORK:
		c->second = true;
		return work(c, after_work(c), ops[c->op].ns, out);
	case STEP_FLUSH:
		return flush(d, c, task, out);
	case STEP_COMMIT:
		return wait_for_wake(c, STEP_COUNT, out);
	case STEP_COUNT:
		return count(c, out);
	}
	CHECK(false);
	return false;
}

static bool do_step(struct dbench *d, uint32_t task, struct action *out)
{
	if (task == MAIN_TASK)
		return do_main(d, out);
	return task == JOURNAL_TASK ? do_journal(d, out) : do_client(d, task, out);
}

static void dbench_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	(void)now_ns;
	CHECK(task < b->ntasks);
	/* bound: an operation has few steps without an action */
	while (!do_step(dbench_of(b), task, out))
		;
}

static void dbench_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct dbench *d = dbench_of(b);
	struct buf name;

	CHECK(task < b->ntasks);
	buf_init(&name, out->comm, sizeof(out->comm));
	buf_str(&name, task == JOURNAL_TASK ? "jbd2" : "dbench");
	/* a kernel thread has none of the others' attributes */
	if (task == JOURNAL_TASK)
		return;
	out->policy = d->p.common.policy;
	out->nice = d->p.common.nice;
	out->rt_priority = d->p.common.rt_priority;
	out->cpus = d->p.common.cpus;
	out->process = true;
}

static bool dbench_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	*out = ((const struct dbench *)(const void *)b)->p.common;
	return i == 0;
}

static const struct behaviour_ops dbench_ops = {
	.next = dbench_next,
	.attr = dbench_attr,
	.policy = dbench_policy,
};

struct behaviour *dbench_create(const struct dbench_params *p)
{
	struct dbench *d = calloc(1, sizeof(*d));

	CHECK(p->clients > 0 && p->clients <= DBENCH_CLIENTS_MAX);
	CHECK(p->disk_ns > 0);
	CHECK(p->common.policy != POLICY_DEADLINE);
	if (!d)
		return NULL;
	d->p = *p;
	d->clients = calloc(p->clients, sizeof(*d->clients));
	if (!d->clients) {
		d->p.cpus = NULL;
		dbench_destroy(&d->behaviour);
		return NULL;
	}
	for (uint32_t i = 0; i < p->clients; i++)
		d->clients[i].rng = rng_stream(p->seed, "dbench", CLIENT_TASKS + i);
	d->journal_rng = rng_stream(p->seed, "dbench", JOURNAL_TASK);
	for (uint32_t i = 0; i < OPS; i++)
		d->weight += ops[i].count;
	d->mutex.first = NO_TASK;
	d->waiting.first = NO_TASK;
	d->next_client = CLIENT_TASKS;
	d->behaviour.ops = &dbench_ops;
	d->behaviour.nfirst = CLIENT_TASKS;
	d->behaviour.ntasks = CLIENT_TASKS + p->clients;
	d->behaviour.nlocks = LOCKS;
	return &d->behaviour;
}

void dbench_destroy(struct behaviour *b)
{
	struct dbench *d = dbench_of(b);

	if (!b)
		return;
	free(d->p.cpus);
	free(d->clients);
	free(d);
}
