/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Laws of a run, checked record by record; after the first violation nothing
 * more is looked at, since everything later may follow from it.
 *
 *  - The records of one CPU do not go back in time.
 *  - A switch's prev is what the CPU ran: the next of its switch before.
 *  - What it switches to was born, waited, is awake and runs nowhere else.
 *  - A task that leaves a CPU waits again if it is still queued; else it sleeps,
 *    or it has ended and is never seen again.
 *  - Only a task that sleeps is woken; only one that runs blocks; a tick finds
 *    the task that runs.
 *  - Waits begin and end in turn; only tasks that do not run are migrated.
 *  - The runs of tasks on a CPU add up to no more than the time that passed,
 *    and those of a task to no more than its life; nor does the CPU time that
 *    the scheduler accounted to a task that ended, unless its clock may stand.
 *
 * A task may be woken after it was dequeued but before its CPU let it go; then
 * it is queued without having waited or, from 5.8 on, after it has left.
 *
 * A task's life is measured across CPUs, whose clocks may differ by the length
 * of a section of kernel code: slack_ns allows for it. Accounted time is not compared
 * with the runs themselves: accounting reads clocks sampled a little before each
 * switch, and the differences add up over many switches.
 *
 * Idle tasks and stoppers have no id and are not followed.
 */
#include "observe/audit_time.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "model/klock.h"

static const char *kind_name(enum record_kind kind)
{
	static const char *const names[] = {
#define RECORD(name, fingerprint, a, b, c, d) #name,
#include "model/record.def"
	};
	_Static_assert(sizeof(names) / sizeof(names[0]) == RECORD_KINDS, "one name a kind");

	return names[kind];
}

static void describe(struct buf *b, const struct record *r)
{
	const uint64_t args[] = {r->a, r->b, r->c, r->d};

	buf_str(b, "at ");
	buf_u64(b, r->time_ns);
	buf_str(b, " ns cpu ");
	buf_u64(b, r->cpu);
	buf_char(b, ' ');
	buf_str(b, kind_name(r->kind));
	for (uint32_t i = 0; i < 4; i++) {
		buf_char(b, i ? ',' : '(');
		buf_u64(b, args[i]);
	}
	buf_str(b, "): ");
}

/* Unless HOLDS, remember what is wrong with R. Returns HOLDS. */
static bool law(struct audit_time *a, const struct record *r, bool holds, const char *what)
{
	struct buf b;

	if (holds || a->failed)
		return holds;
	a->failed = true;
	buf_init(&b, a->violation, sizeof(a->violation));
	describe(&b, r);
	buf_str(&b, what);
	return false;
}

/* Task ID of R if it may exist, else a violation and NULL. */
static struct audit_task *task_of_id(struct audit_time *a, const struct record *r, uint64_t id)
{
	if (!law(a, r, id >= 1 && id <= a->max_tasks, "there is no such task"))
		return NULL;
	return &a->task[id - 1];
}

/* ... and lives. */
static struct audit_task *living(struct audit_time *a, const struct record *r, uint64_t id)
{
	struct audit_task *t = task_of_id(a, r, id);

	if (!t || !law(a, r, t->born, "the task was not created yet") ||
	    !law(a, r, !t->dead && (!t->leaving || t->woken_on_cpu), "the task has ended"))
		return NULL;
	return t;
}

static void on_fork(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = task_of_id(a, r, r->a);

	if (!t || !law(a, r, !t->born, "the task exists already"))
		return;
	t->born = true;
	t->born_ns = r->time_ns;
}

static void on_exit_record(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = task_of_id(a, r, r->a);

	if (!t || !law(a, r, t->born, "the task was not created yet"))
		return;
	law(a, r, !t->dead, "the task has ended already");
	law(a, r, t->leaving, "the task ends without having left its CPU");
	law(a, r,
	    a->clock_may_stand ||
		    r->b <= r->time_ns - min_u64(t->born_ns, r->time_ns) + a->slack_ns,
	    "the task got more CPU time than it lived");
	t->dead = true;
}

static void leave_cpu(struct audit_time *a, const struct record *r)
{
	struct audit_cpu *c = &a->cpu[r->cpu];
	struct audit_task *t;

	if (!law(a, r, r->a == c->current, "prev is not the task this CPU ran"))
		return;
	if (r->a == 0)
		return;
	t = living(a, r, r->a);
	if (!t)
		return;
	if (r->c == 1)
		law(a, r, t->waiting, "prev is still queued but does not wait");
	else
		law(a, r, !t->waiting, "prev waits but is not queued");
	law(a, r, !r->c || !t->asleep, "prev is still queued but sleeps");
	t->leaving = !r->c && !t->asleep;
	t->cpu = CPU_NONE;
	t->run_ns += r->time_ns - c->since_ns;
	c->run_ns += r->time_ns - c->since_ns;
}

static void on_switch(struct audit_time *a, const struct record *r)
{
	struct audit_cpu *c = &a->cpu[r->cpu];
	struct audit_task *t;

	law(a, r, r->a != r->b || r->a == 0, "prev is next");
	leave_cpu(a, r);
	c->current = r->b;
	c->since_ns = r->time_ns;
	if (r->b == 0)
		return;
	t = living(a, r, r->b);
	if (!t)
		return;
	law(a, r, t->cpu == CPU_NONE, "next runs on another CPU");
	law(a, r, !t->asleep, "next sleeps");
	law(a, r, !t->waiting, "next gets the CPU but its wait did not end");
	t->cpu = r->cpu;
}

static void on_wake(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = living(a, r, r->a);

	if (!t)
		return;
	law(a, r, !t->waiting, "the woken task waits for a CPU already");
	law(a, r, t->asleep, "the woken task does not sleep");
	law(a, r, r->b < a->ncpus, "there is no such CPU");
	t->asleep = false;
	t->woken_on_cpu = t->cpu != CPU_NONE;
}

static void on_block(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = living(a, r, r->a);

	if (!t)
		return;
	law(a, r, a->cpu[r->cpu].current == r->a, "the task that blocks does not run here");
	law(a, r, !t->asleep, "the task sleeps already");
	t->asleep = true;
	t->woken_on_cpu = false;
}

static void on_migrate(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = living(a, r, r->a);

	if (!t)
		return;
	law(a, r, t->cpu == CPU_NONE, "a running task is moved");
	law(a, r, r->b < a->ncpus && r->c < a->ncpus, "there is no such CPU");
	law(a, r, r->b != r->c, "the task is moved to where it is");
}

static void on_wait_start(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = living(a, r, r->a);

	if (!t)
		return;
	law(a, r, !t->waiting, "the task waits already");
	law(a, r, !t->asleep, "the task is queued but sleeps");
	t->waiting = true;
	t->leaving = false;
	t->woken_on_cpu = false;
}

static void on_wait_end(struct audit_time *a, const struct record *r)
{
	struct audit_task *t = living(a, r, r->a);

	if (!t)
		return;
	law(a, r, t->waiting, "the task did not wait");
	law(a, r, t->cpu == CPU_NONE, "the task ran while it waited");
	t->waiting = false;
}

static void dispatch(struct audit_time *a, const struct record *r)
{
	switch (r->kind) {
	case RECORD_SWITCH:
		on_switch(a, r);
		return;
	case RECORD_TICK:
		law(a, r, a->cpu[r->cpu].current == r->a, "the tick finds another task running");
		return;
	case RECORD_FORK:
		on_fork(a, r);
		return;
	case RECORD_EXIT:
		on_exit_record(a, r);
		return;
	case RECORD_WAKE:
	case RECORD_BLOCK:
	case RECORD_MIGRATE:
	case RECORD_WAIT_START:
	case RECORD_WAIT_END:
	case RECORD_BALANCE:
	case RECORD_KINDS:
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		return; /* a group, and time does not show whom it keeps from running */
	}
	if (r->a == 0)
		return; /* a stopper */
	if (r->kind == RECORD_WAKE)
		on_wake(a, r);
	else if (r->kind == RECORD_BLOCK)
		on_block(a, r);
	else if (r->kind == RECORD_MIGRATE)
		on_migrate(a, r);
	else if (r->kind == RECORD_WAIT_START)
		on_wait_start(a, r);
	else if (r->kind == RECORD_WAIT_END)
		on_wait_end(a, r);
}

static void take(struct record_sink *sink, const struct record *r)
{
	struct audit_time *a = (struct audit_time *)(void *)sink;
	struct audit_cpu *c;

	if (a->failed || !law(a, r, r->cpu < a->ncpus, "there is no such CPU"))
		return;
	c = &a->cpu[r->cpu];
	if (!law(a, r, r->time_ns >= c->last_ns, "this CPU's time goes back"))
		return;
	c->last_ns = r->time_ns;
	a->nrecords++;
	dispatch(a, r);
}

struct audit_time *audit_time_create(uint32_t ncpus, uint32_t max_tasks, struct rql_error *e)
{
	struct audit_time *a = calloc(1, sizeof(*a));

	if (a) {
		a->cpu = calloc((size_t)ncpus + 1, sizeof(a->cpu[0]));
		a->task = calloc((size_t)max_tasks + 1, sizeof(a->task[0]));
	}
	if (!a || !a->cpu || !a->task) {
		audit_time_free(a);
		err_set(e, "limits", "no memory to audit the run; use fewer tasks", NULL, NULL);
		e->limit = true;
		return NULL;
	}
	for (uint32_t i = 0; i < max_tasks; i++)
		a->task[i].cpu = CPU_NONE;
	a->ncpus = ncpus;
	a->max_tasks = max_tasks;
	a->slack_ns = NS_PER_MS;
	a->sink.wants = (1u << RECORD_KINDS) - 1 - (1u << RECORD_BALANCE);
	a->sink.take = take;
	return a;
}

void audit_time_free(struct audit_time *a)
{
	if (!a)
		return;
	free(a->cpu);
	free(a->task);
	free(a);
}

/* What a sum at the end is compared with, in the words of a violation. */
static void sum_law(struct audit_time *a, bool holds, const char *whose, uint64_t id,
		    uint64_t run_ns, uint64_t limit_ns)
{
	struct buf b;

	if (holds || a->failed)
		return;
	a->failed = true;
	buf_init(&b, a->violation, sizeof(a->violation));
	buf_str(&b, "at the end: the runs of ");
	buf_str(&b, whose);
	buf_u64(&b, id);
	buf_str(&b, " add up to ");
	buf_u64(&b, run_ns);
	buf_str(&b, " ns of ");
	buf_u64(&b, limit_ns);
}

static void finish_cpu(struct audit_time *a, uint32_t cpu, uint64_t end_ns)
{
	struct audit_cpu *c = &a->cpu[cpu];

	if (c->current && end_ns > c->since_ns) {
		c->run_ns += end_ns - c->since_ns;
		a->task[c->current - 1].run_ns += end_ns - c->since_ns;
	}
	/* a CPU's clock may have run ahead of the end, within its last section */
	sum_law(a, c->run_ns <= max_u64(end_ns, c->last_ns), "cpu ", cpu, c->run_ns, end_ns);
}

void audit_time_finish(struct audit_time *a, uint64_t end_ns)
{
	if (a->failed)
		return;
	for (uint32_t i = 0; i < a->ncpus; i++)
		finish_cpu(a, i, end_ns);
	for (uint32_t i = 0; i < a->max_tasks; i++) {
		const struct audit_task *t = &a->task[i];
		uint64_t life_ns = end_ns > t->born_ns ? end_ns - t->born_ns : 0;

		sum_law(a, t->run_ns <= life_ns + a->slack_ns, "task ", i + 1, t->run_ns, life_ns);
	}
}

const char *audit_time_violation(const struct audit_time *a)
{
	return a->failed ? a->violation : NULL;
}
