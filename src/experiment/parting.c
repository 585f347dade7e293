/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two processes simulate and write their records into pipes; this one reads a
 * record of each in turn. Memory is what the pipes hold: a run that is ahead
 * waits. The answer found, the pipes are closed and the writers die of it.
 *
 * Most changes of a kernel change what its work costs, so that soon after the
 * start all times differ while everybody still does the same. So there
 * are two answers: the first record that differs in anything and, for
 * the choices, a comparison CPU by CPU. The records of a CPU come in the order
 * of its clock; a record waits in the CPU's queue until the other
 * run's record of the same place comes. If one run makes QUEUE_MAX records on a CPU
 * where the other makes none, they have parted there, too.
 */
/* kill() and the like */
#define _POSIX_C_SOURCE 200809L

#include "experiment/parting.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "experiment/child.h"
#include "experiment/err_printf.h"

#define QUEUE_MAX 256u
#define BUFFER_MAX 256u

/* -- comparing -- */

/* Records of one CPU and one run that wait for the other run's. */
struct queue {
	uint32_t side, head, count;
	struct parting_side record[QUEUE_MAX];
};

static bool same_record(const struct record *a, const struct record *b)
{
	return a->time_ns == b->time_ns && a->cpu == b->cpu && a->kind == b->kind && a->a == b->a &&
	       a->b == b->b && a->c == b->c && a->d == b->d;
}

/* Is the same done, whenever and by whatever numbers? */
static bool same_choice(const struct record *a, const struct record *b)
{
	if (a->cpu != b->cpu || a->kind != b->kind || a->a != b->a)
		return false;
	if (a->kind == RECORD_EXIT)
		return true; /* b is CPU time */
	if (a->kind == RECORD_BALANCE)
		return a->c == b->c && a->d == b->d; /* b is the imbalance */
	return a->b == b->b && a->c == b->c && a->d == b->d;
}

static void set_choice(struct parting *p, uint32_t side, const struct parting_side *mine,
		       const struct parting_side *others)
{
	p->chooses = true;
	*(side ? &p->other : &p->first) = *mine;
	if (others)
		*(side ? &p->first : &p->other) = *others;
}

/* A record of run SIDE meets what waits on its CPU. */
static void meet(struct queue *q, uint32_t side, const struct parting_side *x, struct parting *p)
{
	if (q->count == 0 || q->side == side) {
		if (q->count == QUEUE_MAX) {
			set_choice(p, side, &q->record[q->head], NULL);
			return;
		}
		q->side = side;
		q->record[(q->head + q->count++) % QUEUE_MAX] = *x;
		return;
	}
	if (!same_choice(&q->record[q->head].record, &x->record)) {
		set_choice(p, side, x, &q->record[q->head]);
		return;
	}
	q->head = (q->head + 1) % QUEUE_MAX;
	q->count--;
}

/* Both runs are over: what still waits, waits in vain. The earliest of it. */
static void meet_nobody(const struct queue *queues, uint32_t ncpus, struct parting *p)
{
	const struct queue *first = NULL;

	for (uint32_t i = 0; i < ncpus; i++) {
		const struct queue *q = &queues[i];

		if (q->count && (!first || q->record[q->head].record.time_ns <
						   first->record[first->head].record.time_ns))
			first = q;
	}
	if (first)
		set_choice(p, first->side, &first->record[first->head], NULL);
}

static bool read_both(const struct parting_source *source, struct parting_side *x,
		      struct rql_error *e)
{
	for (uint32_t side = 0; side < 2; side++) {
		bool failed = false;

		memset(&x[side], 0, sizeof(x[side]));
		x[side].there = source->next(source->arg, side, &x[side], &failed, e);
		if (failed)
			return false;
	}
	return true;
}

static bool compare(const struct parting_source *source, struct queue *queues, uint32_t ncpus,
		    struct parting *p, struct rql_error *e)
{
	struct parting_side x[2];

	while (!p->chooses) {
		if (!read_both(source, x, e))
			return false;
		if (!x[0].there && !x[1].there) {
			meet_nobody(queues, ncpus, p);
			return true;
		}
		if (!p->differs && x[0].there && x[1].there &&
		    same_record(&x[0].record, &x[1].record)) {
			p->nsame++;
			continue;
		}
		if (!p->differs) {
			p->differs = true;
			p->first_any = x[0];
			p->other_any = x[1];
		}
		for (uint32_t side = 0; side < 2 && !p->chooses; side++) {
			if (!x[side].there)
				continue;
			CHECK(x[side].record.cpu < ncpus);
			meet(&queues[x[side].record.cpu], side, &x[side], p);
		}
	}
	return true;
}

bool parting_compare(const struct parting_source *source, uint32_t ncpus, struct parting *out,
		     struct rql_error *e)
{
	struct queue *queues = calloc(ncpus, sizeof(*queues));
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!queues)
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	ok = compare(source, queues, ncpus, out, e);
	free(queues);
	return ok;
}

/* -- a run that tells -- */

/* What goes through a pipe: records, and at the end one that is none. */
struct message {
	bool end;
	bool ok; /* of the end; else E says why */
	struct parting_side side;
};

struct teller {
	struct record_sink sink; /* first */
	const struct run *run;   /* NULL: it is being made */
	int fd;
	uint32_t n;
	struct message buffer[BUFFER_MAX];
};

static const uint32_t fingerprint_kinds =
#define RECORD(name, fingerprint, a, b, c, d) (uint32_t)(fingerprint) << RECORD_##name |
#include "model/record.def"
	0;

/* False: nobody reads any more, or nobody writes. */
static bool transfer(int fd, void *bytes, size_t n, bool out)
{
	char *at = bytes;

	while (n) {
		ssize_t done = out ? write(fd, at, n) : read(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static void flush(struct teller *t)
{
	if (!transfer(t->fd, t->buffer, t->n * sizeof(t->buffer[0]), true))
		_exit(0);
	t->n = 0;
}

/* The ids of the tasks and CPUs that R names; UINT64_MAX: none. */
static void named_by(const struct record *r, uint64_t *task, uint64_t *cpu)
{
	task[0] = r->a;
	task[1] = cpu[0] = cpu[1] = UINT64_MAX;
	switch (r->kind) {
	case RECORD_SWITCH:
		task[1] = r->b;
		cpu[0] = r->cpu;
		break;
	case RECORD_WAKE:
		task[1] = r->c;
		cpu[0] = r->b;
		cpu[1] = r->d;
		break;
	case RECORD_FORK:
		task[1] = r->b;
		cpu[0] = r->c;
		cpu[1] = r->cpu;
		break;
	case RECORD_MIGRATE:
		cpu[0] = r->b;
		cpu[1] = r->c;
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		task[0] = UINT64_MAX;
		cpu[0] = r->b;
		break;
	case RECORD_BALANCE:
		task[0] = UINT64_MAX;
		cpu[0] = r->cpu;
		break;
	case RECORD_EXIT:
	case RECORD_BLOCK:
	case RECORD_TICK:
	case RECORD_WAIT_START:
	case RECORD_WAIT_END:
	case RECORD_KINDS:
		break;
	}
}

static const struct task *task_by_id(const struct machine *m, uint64_t id)
{
	return id >= 1 && id <= m->ntasks ? &m->tasks[id - 1] : NULL;
}

static bool is_fair(const struct task *p)
{
	return p->prio >= 100 && p->prio < 140;
}

static void add_vruntimes(struct parting_side *x, const struct machine *m)
{
	const struct task *prev = task_by_id(m, x->record.a), *next = task_by_id(m, x->record.b);

	if (x->record.kind != RECORD_SWITCH || !prev || !next || !is_fair(prev) || !is_fair(next) ||
	    prev->se.cfs_rq != next->se.cfs_rq)
		return;
	x->has_vruntime = true;
	x->vruntime_vns[0] = prev->se.vruntime_vns;
	x->vruntime_vns[1] = next->se.vruntime_vns;
}

static void look_around(struct parting_side *x, const struct machine *m)
{
	uint64_t task[2], cpu[2];

	named_by(&x->record, task, cpu);
	for (uint32_t i = 0; i < 2; i++) {
		const struct task *p = task_by_id(m, task[i]);

		if (p) {
			CHECK(p->id == task[i]);
			memcpy(x->comm[i], p->comm, sizeof(x->comm[i]));
		}
		if (cpu[i] >= m->ncpus)
			continue;
		x->cpu[i] = (uint32_t)cpu[i];
		x->nr_running[i] = m->cpus[cpu[i]].rq.nr_running;
		x->load[i] = m->cpus[cpu[i]].rq.load.weight;
	}
	add_vruntimes(x, m);
}

static void tell(struct record_sink *sink, const struct record *r)
{
	struct teller *t = (struct teller *)(void *)sink;
	struct message *m = &t->buffer[t->n++];

	memset(m, 0, sizeof(*m));
	m->side.there = true;
	m->side.record = *r;
	m->side.cpu[0] = m->side.cpu[1] = CPU_NONE;
	if (t->run)
		look_around(&m->side, run_machine(t->run));
	if (t->n == BUFFER_MAX)
		flush(t);
}

/* All of a simulation, in a process of its own. */
static void simulate(const struct run_setup *asked, int fd)
{
	struct teller t = {.fd = fd};
	struct run_setup setup = *asked;
	struct message end = {.end = true};
	struct rql_error e;
	struct run *r;

	t.sink = (struct record_sink){.wants = fingerprint_kinds, .take = tell};
	setup.unobserved = true;
	setup.sink = &t.sink;
	memset(&e, 0, sizeof(e));
	r = run_create(&setup, &e);
	t.run = r;
	end.ok = r && run_execute(r, &e);
	flush(&t);
	if (transfer(fd, &end, sizeof(end), true) && !end.ok)
		transfer(fd, &e, sizeof(e), true);
	_exit(0);
}

/* -- listening to two of them -- */

struct pair {
	pid_t pid[2]; /* 0: none */
	int fd[2];    /* -1: closed */
	bool ended[2];
};

static bool died(struct pair *p, uint32_t side, struct rql_error *e)
{
	int status;

	CHECK(p->pid[side] > 0);
	/* the pipe is closed; a process that lives on nevertheless has to go */
	kill(p->pid[side], SIGTERM);
	child_reap(p->pid[side], &status);
	p->pid[side] = 0;
	return child_died(status, "a simulation", e);
}

static bool hear(void *arg, uint32_t side, struct parting_side *out, bool *failed,
		 struct rql_error *e)
{
	struct pair *p = arg;
	struct message m;

	if (p->ended[side])
		return false;
	if (!transfer(p->fd[side], &m, sizeof(m), false)) {
		*failed = true;
		return died(p, side, e);
	}
	if (!m.end) {
		*out = m.side;
		return true;
	}
	p->ended[side] = true;
	if (!m.ok) {
		*failed = true;
		if (!transfer(p->fd[side], e, sizeof(*e), false))
			died(p, side, e);
	}
	return false;
}

static bool start(struct pair *p, uint32_t side, const struct run_setup *setup, struct rql_error *e)
{
	int ends[2];

	if (pipe(ends) != 0)
		return err_printf(e, NULL, "no pipe: %s; one is needed", strerror(errno));
	p->fd[side] = ends[0];
	p->pid[side] = child_fork();
	if (p->pid[side] == 0) {
		close(ends[0]);
		simulate(setup, ends[1]);
	}
	close(ends[1]);
	if (p->pid[side] < 0) {
		p->pid[side] = 0;
		return err_printf(e, NULL, "no process: %s; one is needed", strerror(errno));
	}
	return true;
}

static void stop(struct pair *p)
{
	int status;

	for (uint32_t side = 0; side < 2; side++) {
		if (p->pid[side]) {
			kill(p->pid[side], SIGKILL);
			child_reap(p->pid[side], &status);
		}
		if (p->fd[side] >= 0)
			close(p->fd[side]);
	}
}

bool parting_find(const struct parting_question *q, struct parting *out, struct rql_error *e)
{
	struct pair p = {.fd = {-1, -1}};
	struct parting_source source = {hear, &p};
	bool ok = start(&p, 0, q->first, e) && start(&p, 1, q->other, e) &&
		  parting_compare(&source, q->ncpus, out, e);

	stop(&p);
	return ok;
}
