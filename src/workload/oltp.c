/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database as its scheduler sees it, in a closed loop. Each server serves one
 * client: a request arrives and is worked on in bursts of CPU time with a wait for
 * the disk between two; then the server commits, for which it waits until a log
 * writer has written its record; then the reply goes out, which completes the
 * transaction, and the client takes its time.
 *
 * A log writer takes all records that have come, works on them, waits for its
 * disk and wakes all servers that waited for them, one after the other; then
 * it takes what has come meanwhile, or sleeps.
 *
 * Disks interrupt the CPU that submitted the request; the network interrupts
 * the CPU to which a client's connection is bound, of `irqs` CPUs spread
 * evenly over the machine. Tasks of low priority compute for ever, so no CPU ever
 * idles; short ones of high priority run by their own timers.
 *
 * All tasks are FIFO and exist from the beginning: the database was up before
 * the run. Servers begin as if each had just replied. Bursts are CPU time as it
 * would be measured on the loaded machine: a busy SMT sibling does not stretch them.
 *
 * Left out on purpose: locks of the database's own, the work of the network and
 * disk stacks beside their interrupts, memory.
 */
#include "workload/oltp.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/rng.h"

#define NO_TASK UINT32_MAX
#define FOR_EVER (UINT64_C(1) << 62)

enum kind {
	KIND_SERVER, /* task numbers in this order */
	KIND_WRITER,
	KIND_LOWER,
	KIND_SHORT,
	KINDS,
};

/* What a task does next. */
enum step {
	STEP_WAIT_CLIENT, /* server */
	STEP_BURST,
	STEP_AFTER_BURST,
	STEP_WAIT_LOG, /* its record is with the writer, which will wake it */
	STEP_WORK_ON_REPLY,
	STEP_REPLY,   /* the transaction is complete */
	STEP_COLLECT, /* writer */
	STEP_WRITE,
	STEP_WAKE,
	STEP_ARM, /* short */
	STEP_RUN,
};

struct oltp_task {
	struct rng rng;
	uint64_t next_ns; /* short: its next release */
	uint32_t link; /* server: next in the writer's list; writer: first of those it works for */
	uint32_t waiting; /* writer: first of those that have come meanwhile */
	uint32_t last;    /* writer: the last of them */
	uint32_t burst;   /* server: bursts done of this transaction */
	uint8_t step;
	bool served; /* server: its record has been written */
	bool sleeps; /* writer */
};

struct oltp {
	struct behaviour behaviour; /* first */
	struct oltp_params p;
	struct oltp_task *tasks;
	uint32_t first[KINDS + 1]; /* task numbers */
};

static struct oltp *oltp_of(struct behaviour *b)
{
	return (struct oltp *)(void *)b;
}

static enum kind kind_of(const struct oltp *o, uint32_t task)
{
	uint32_t kind = KIND_SERVER;

	while (task >= o->first[kind + 1])
		kind++;
	return (enum kind)kind;
}

static uint64_t draw(struct oltp_task *t, uint64_t mean_ns)
{
	return max_u64(rng_exponential(&t->rng, mean_ns), 1);
}

/* The number of the writer that server number TASK commits to. */
static uint32_t writer_of(const struct oltp *o, uint32_t task)
{
	return o->first[KIND_WRITER] + task % o->p.writers;
}

static void wait_for_disk(struct action *out, uint64_t ns)
{
	out->kind = ACTION_SLEEP;
	out->flags = ACTION_IRQ_ON;
	out->value = -1;
	out->ns = ns;
}

static void compute(struct action *out, uint64_t ns)
{
	out->kind = ACTION_RUN_CPUTIME;
	out->ns = ns;
}

static void wait_for_client(const struct oltp *o, uint32_t task, struct oltp_task *t,
			    struct action *out)
{
	out->kind = ACTION_SLEEP;
	out->flags = ACTION_IRQ_ON;
	out->value = (int64_t)((uint64_t)(task % o->p.irqs) * o->p.ncpus / o->p.irqs);
	out->ns = draw(t, o->p.client_ns);
	t->step = STEP_BURST;
	t->burst = 0;
}

/* Put TASK's record into its writer's list. */
static void commit(struct oltp *o, uint32_t task)
{
	struct oltp_task *w = &o->tasks[writer_of(o, task)];

	o->tasks[task].link = NO_TASK;
	o->tasks[task].served = false;
	if (w->waiting == NO_TASK)
		w->waiting = task;
	else
		o->tasks[w->last].link = task;
	w->last = task;
}

static void next_of_server(struct oltp *o, uint32_t task, struct action *out)
{
	struct oltp_task *t = &o->tasks[task];
	struct oltp_task *w = &o->tasks[writer_of(o, task)];

	switch (t->step) {
	case STEP_BURST:
		compute(out, draw(t, o->p.burst_ns));
		t->burst++;
		t->step = STEP_AFTER_BURST;
		return;
	case STEP_AFTER_BURST:
		if (t->burst < o->p.bursts) {
			wait_for_disk(out, draw(t, o->p.io_ns));
			t->step = STEP_BURST;
			return;
		}
		commit(o, task);
		t->step = STEP_WAIT_LOG;
		if (!w->sleeps) {
			next_of_server(o, task, out);
			return;
		}
		w->sleeps = false;
		out->kind = ACTION_WAKE;
		out->task = writer_of(o, task);
		return;
	case STEP_WAIT_LOG:
		t->step = STEP_WORK_ON_REPLY;
		/* it may have been served before it came to sleep */
		if (!t->served)
			out->kind = ACTION_BLOCK;
		else
			next_of_server(o, task, out);
		return;
	case STEP_WORK_ON_REPLY:
		t->step = STEP_REPLY;
		if (o->p.reply_ns)
			compute(out, draw(t, o->p.reply_ns));
		else
			next_of_server(o, task, out);
		return;
	case STEP_REPLY:
		out->kind = ACTION_DONE;
		out->value = 1;
		t->step = STEP_WAIT_CLIENT;
		return;
	case STEP_WAIT_CLIENT:
		wait_for_client(o, task, t, out);
		return;
	default:
		CHECK(false);
	}
}

static void next_of_writer(struct oltp *o, uint32_t task, struct action *out)
{
	struct oltp_task *t = &o->tasks[task];
	uint64_t n = 0;

	switch (t->step) {
	case STEP_COLLECT:
		t->link = t->waiting;
		t->waiting = NO_TASK;
		if (t->link == NO_TASK) {
			t->sleeps = true;
			out->kind = ACTION_BLOCK;
			return;
		}
		/* bound: a server is in one list */
		for (uint32_t i = t->link; i != NO_TASK; i = o->tasks[i].link)
			n++;
		compute(out, o->p.log_ns + n * o->p.log_per_waiter_ns);
		t->step = STEP_WRITE;
		return;
	case STEP_WRITE:
		wait_for_disk(out, o->p.log_io_ns);
		t->step = STEP_WAKE;
		return;
	case STEP_WAKE:
		out->kind = ACTION_WAKE;
		out->task = t->link;
		o->tasks[t->link].served = true;
		t->link = o->tasks[t->link].link;
		if (t->link == NO_TASK)
			t->step = STEP_COLLECT;
		return;
	default:
		CHECK(false);
	}
}

static void next_of_short(struct oltp *o, struct oltp_task *t, struct action *out)
{
	if (t->step == STEP_ARM) {
		out->kind = ACTION_SLEEP_UNTIL;
		out->ns = t->next_ns;
		t->next_ns += o->p.short_period_ns;
		t->step = STEP_RUN;
	} else {
		compute(out, o->p.short_ns);
		t->step = STEP_ARM;
	}
}

static void oltp_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct oltp *o = oltp_of(b);

	(void)now_ns;
	switch (kind_of(o, task)) {
	case KIND_SERVER:
		next_of_server(o, task, out);
		return;
	case KIND_WRITER:
		next_of_writer(o, task, out);
		return;
	case KIND_LOWER:
		compute(out, FOR_EVER);
		return;
	case KIND_SHORT:
		next_of_short(o, &o->tasks[task], out);
		return;
	case KINDS:
		break;
	}
	CHECK(false);
}

static void oltp_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	static const char *const names[KINDS] = {"server", "logwriter", "lower", "short"};
	struct oltp *o = oltp_of(b);
	enum kind kind = kind_of(o, task);
	const int32_t prios[KINDS] = {o->p.server_prio, o->p.writer_prio, o->p.lower_prio,
				      o->p.short_prio};
	uint32_t index = task - o->first[kind];
	struct buf name;

	buf_init(&name, out->comm, sizeof(out->comm));
	buf_str(&name, names[kind]);
	buf_char(&name, '-');
	buf_u64(&name, index);
	out->policy = POLICY_FIFO;
	out->nice = o->p.nice;
	out->rt_priority = prios[kind];
	if (kind == KIND_SERVER)
		out->rt_priority -= (int32_t)(index % o->p.classes);
	out->cpus = o->p.cpus;
}

/* The servers' priorities, then that of each other kind there is. */
static bool oltp_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct oltp *o = (const struct oltp *)(const void *)b;
	const int32_t others[] = {o->p.writer_prio, o->p.lower_prio, o->p.short_prio};
	const uint32_t counts[] = {o->p.writers, o->p.lower, o->p.shorts};
	uint32_t servers = min_u32(o->p.classes, o->p.servers);

	out->policy = POLICY_FIFO;
	out->nice = o->p.nice;
	out->rt_priority = o->p.server_prio - (int32_t)i;
	if (i < servers)
		return true;
	i -= servers;
	for (uint32_t k = 0; k < 3; k++) {
		out->rt_priority = others[k];
		if (counts[k] && i-- == 0)
			return true;
	}
	return false;
}

static const struct behaviour_ops oltp_ops = {
	.next = oltp_next,
	.attr = oltp_attr,
	.policy = oltp_policy,
};

static void init_tasks(struct oltp *o)
{
	static const enum step first_step[KINDS] = {STEP_WAIT_CLIENT, STEP_COLLECT, STEP_RUN,
						    STEP_ARM};

	for (uint32_t i = 0; i < o->first[KINDS]; i++) {
		struct oltp_task *t = &o->tasks[i];

		t->rng = rng_stream(o->p.seed, "oltp", i);
		t->link = NO_TASK;
		t->waiting = NO_TASK;
		t->step = (uint8_t)first_step[kind_of(o, i)];
		if (kind_of(o, i) == KIND_SHORT)
			t->next_ns = rng_between(&t->rng, 1, o->p.short_period_ns);
	}
}

struct behaviour *oltp_create(const struct oltp_params *p)
{
	const uint32_t counts[KINDS] = {p->servers, p->writers, p->lower, p->shorts};
	struct oltp *o = calloc(1, sizeof(*o));

	CHECK(p->servers > 0);
	CHECK(p->writers > 0);
	CHECK(p->irqs > 0);
	CHECK(p->bursts > 0);
	CHECK(p->classes > 0);
	if (!o)
		return NULL;
	o->p = *p;
	for (uint32_t i = 0; i < KINDS; i++)
		o->first[i + 1] = o->first[i] + counts[i];
	CHECK(o->first[KINDS] <= OLTP_TASKS_MAX);
	o->tasks = calloc(o->first[KINDS], sizeof(*o->tasks));
	if (!o->tasks) {
		o->p.cpus = NULL;
		oltp_destroy(&o->behaviour);
		return NULL;
	}
	init_tasks(o);
	o->behaviour.ops = &oltp_ops;
	o->behaviour.ntasks = o->first[KINDS];
	o->behaviour.nfirst = o->first[KINDS];
	return &o->behaviour;
}

void oltp_destroy(struct behaviour *b)
{
	struct oltp *o = oltp_of(b);

	if (!b)
		return;
	free(o->p.cpus);
	free(o->tasks);
	free(o);
}
