/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After each record the machine is looked at. Of each overloaded CPU Q the
 * first pushable task F is taken, and each CPU C that F may use: does C run
 * something less important, with no reschedule due there? The pair (Q, C) may
 * be so for bound_ns if somebody owes F a move:
 *
 *  - F began to wait on Q, with C as it is: whoever woke, forked or pushed it
 * pushes;
 *  - Q switched: it pushes afterwards;
 *  - Q searched for a target for F, with C as it is: it found one;
 *  - C came to run something less important than before: it pulls, or (RT_PUSH_IPI) sends a work
 *    round that makes Q push.
 *
 * The kernel looks at no other time. What it leaves is excused, until one of
 * the above:
 *
 *  - A task that is not the first pushable is not tried while the first has
 * nowhere to go, and when another CPU takes that first away, nobody tries the
 * next.
 *  - A push is given up when its target was filled before it was locked: three
 *    times, or at once with RT_FIND_CHECK (rt_stats.push_given_up).
 *  - Without RT_PUSH_EQUAL a woken task waits behind an equal that is not
 * bound.
 *  - A task that a stopper brings is not pushed.
 *  - A CPU whose task leaves the real-time class while others of the class
 *    wait there does not pull. Nor does, before RT_PULL_IN_PICK, one whose
 * stopper ends.
 *
 * And these are never looked at:
 *
 *  - tasks of rt_priority 98 and 99 without CPUPRI_ALL: they are never pushed;
 *  - bound tasks: they wait for their CPU;
 *  - CPUs whose real-time tasks are throttled: theirs do not run, and to others
 *    they look as important as what they hold back;
 *  - a CPU whose only real-time task waits for a stopper: it is not overloaded;
 *  - CPUs that are about to reschedule, on either side: what they then do
 * counts.
 *
 * The last is answered for by a second law: a CPU does not run something less
 * important than what is queued there for longer than answer_ns.
 *
 * A switch is recorded a little before the state it tells of, others amid one;
 * the former is taken for done, at the latter nothing is looked at. Costs CPUs
 * times overloaded CPUs a record.
 */
#include "observe/rt_order.h"

#include <stdlib.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"

/* What is reasonable to hold a lock for: see rt_order_bound_ns(). */
#define PASS_TASKS 32u

uint64_t rt_order_bound_ns(const struct prices *prices, uint32_t ncpus)
{
	const uint32_t *work = prices->sched_ns;
	const struct lock_prices *lock = &prices->lock;
	const struct hardware_prices *hw = &prices->hardware;
	uint64_t hold_ns = 0;

	for (unsigned i = 0; i < WORK_KINDS; i++)
		hold_ns += work[i];
	hold_ns += (uint64_t)PASS_TASKS * (work[WORK_EXAMINE] + work[WORK_MIGRATE] +
					   work[WORK_ENQUEUE] + work[WORK_DEQUEUE]);
	hold_ns += lock->remote_ns + (uint64_t)lock->per_waiter_ns * ncpus;
	return hold_ns * (ncpus + 1) + hw->ipi_latency_ns + hw->idle_exit_ns;
}

uint64_t rt_order_rounds_ns(const struct prices *prices, uint32_t ncpus)
{
	const struct hardware_prices *hw = &prices->hardware;
	uint64_t hop_ns = (uint64_t)hw->ipi_latency_ns + hw->idle_exit_ns;

	for (unsigned i = 0; i < WORK_KINDS; i++)
		hop_ns += prices->sched_ns[i];
	return 2 * ncpus * hop_ns;
}

static struct rt_order_task *task_of_id(struct rt_order *o, uint64_t id)
{
	CHECK(id >= 1);
	CHECK(id <= o->m->max_tasks);
	return &o->task[id - 1];
}

static void fail(struct rt_order *o, uint64_t now_ns, const struct task *p, uint32_t cpu,
		 uint64_t since_ns, const char *what)
{
	struct buf b;

	if (o->failed)
		return;
	o->failed = true;
	buf_init(&b, o->violation, sizeof(o->violation));
	buf_str(&b, "at ");
	buf_u64(&b, now_ns);
	buf_str(&b, " ns: task ");
	buf_u64(&b, p->id);
	buf_str(&b, " of priority ");
	buf_u64(&b, p->prio);
	buf_str(&b, " waits on cpu ");
	buf_u64(&b, p->cpu);
	buf_str(&b, what);
	buf_u64(&b, cpu);
	buf_str(&b, " runs priority ");
	buf_u64(&b, o->cpu[cpu].now.prio);
	buf_str(&b, ", since ");
	buf_u64(&b, since_ns);
	buf_str(&b, " ns");
}

static uint32_t first_prio(const struct rt_prio_array *a)
{
	for (uint32_t w = 0; w < 2; w++)
		if (a->bits[w])
			return w * 64 + (uint32_t)__builtin_ctzll(a->bits[w]);
	return MAX_RT_PRIO;
}

/* The first pushable task of RQ, or NULL. All others that wait there were seen
 * behind it. */
static const struct task *first_pushable(struct rt_order *o, const struct rq *rq)
{
	const struct rt_prio_array *a = &rq->rt.pushable;
	const struct task *first = NULL;

	for (uint32_t prio = first_prio(a); prio < MAX_RT_PRIO; prio++) {
		struct list *pos;

		if (!(a->bits[prio / 64] >> prio % 64 & 1))
			continue;
		list_for_each(pos, &a->queue[prio]) {
			const struct task *p = container_of(pos, struct task, rt.pushable_node);

			if (first)
				task_of_id(o, p->id)->fresh = false;
			else
				first = p;
		}
	}
	return first;
}

/* What runs on a CPU, CURR, against when it was last looked at. */
static void look_at_cpu(struct rt_order *o, const struct rq *rq, const struct task *curr)
{
	struct rt_order_cpu *c = &o->cpu[rq->cpu];
	const struct task *before = c->curr ? &o->m->tasks[c->curr - 1] : NULL;
	bool stopper = curr == rq->stop;

	c->before = c->now;
	c->switched = curr->id != c->curr || stopper != c->before.stopper;
	c->dropped = false;
	if (prio_before(c->before.prio, MAX_RT_PRIO) && prio_before(c->before.prio, curr->prio)) {
		if (c->before.stopper)
			c->dropped = kver_has(o->m->v, FEAT_RT_PULL_IN_PICK);
		else if (before && prio_before(before->prio, MAX_RT_PRIO))
			c->dropped = true;
		else
			/* it turned fair: it pulls if it was the last */
			c->dropped = !c->switched && !rq->rt.nr_running;
	}
	c->curr = curr->id;
	c->now.prio = curr->prio;
	c->now.stopper = stopper;
	c->now.due = curr->need_resched;
	c->now.throttled = rq->rt.throttled;
}

/* Would F run at once on a CPU that is as C? */
static bool gives_way(const struct rt_order_look *c, const struct task *f)
{
	return !c->throttled && !c->due && !c->stopper && prio_before(f->prio, c->prio);
}

/* At NOW_NS nobody found, or looked for, a CPU for T. */
static void is_not_asked_for(struct rt_order_task *t, uint64_t now_ns)
{
	t->fresh = false;
	t->unasked_ns = now_ns;
}

/* C pulls. What it does so for came before, or saw C as it is when it looked for a CPU. */
static bool is_pulled(const struct rt_order *o, const struct rt_order_cpu *c, const struct task *f,
		      uint64_t now_ns)
{
	const struct rt_order_task *t = &o->task[f->id - 1];

	return c->dropped && (!t->unasked_ns || now_ns > t->unasked_ns + o->bound_ns);
}

static void look_at_pair(struct rt_order *o, struct rt_order_pair *pair, bool wrong, bool owed,
			 uint64_t now_ns)
{
	if (!wrong) {
		if (pair->state == RT_ORDER_OWED && now_ns > pair->since_ns)
			o->longest_ns = max_u64(o->longest_ns, now_ns - pair->since_ns);
		pair->state = RT_ORDER_FINE;
	} else if (pair->state != RT_ORDER_OWED) {
		pair->state = owed ? RT_ORDER_OWED : RT_ORDER_EXCUSED;
		pair->since_ns = now_ns;
		o->nowed += owed;
	}
}

static bool is_looked_at(const struct rt_order *o, const struct rq *rq, const struct task *f)
{
	if (!f || !rq->rt.overloaded || rq->rt.throttled || o->cpu[rq->cpu].now.due)
		return false;
	return f->prio >= 2 || kver_has(o->m->v, FEAT_CPUPRI_ALL);
}

static void look_at_first(struct rt_order *o, const struct rq *rq, uint64_t now_ns)
{
	struct rt_order_cpu *q = &o->cpu[rq->cpu];
	struct rt_order_pair *row = &o->pair[(size_t)rq->cpu * o->m->ncpus];
	const struct rt_stats *stats = &rq->rt.stats;
	const struct task *f = first_pushable(o, rq);
	bool same = !q->new_first, looked_at = is_looked_at(o, rq, f);
	bool given_up = stats->push_given_up != q->given_up;
	/* for F, that is */
	bool searched = f &&
			(o->task[f->id - 1].fresh || (same && stats->push_searches != q->searches));
	uint32_t cpu;

	if (f && given_up)
		is_not_asked_for(task_of_id(o, f->id), now_ns);
	mask_for_each(cpu, o->m->online) {
		const struct rt_order_cpu *c = &o->cpu[cpu];
		bool wrong = looked_at && c != q && mask_test(f->allowed, cpu) &&
			     gives_way(&c->now, f);
		/* the search may have been before the other CPU changed */
		bool owed = wrong && (q->switched || is_pulled(o, c, f, now_ns) ||
				      (searched && gives_way(&c->before, f)));

		if (!same)
			look_at_pair(o, &row[cpu], false, false, now_ns);
		else if (given_up)
			row[cpu].state = RT_ORDER_FINE;
		look_at_pair(o, &row[cpu], wrong, !given_up && owed, now_ns);
		if (row[cpu].state == RT_ORDER_OWED && now_ns > row[cpu].since_ns + o->bound_ns)
			fail(o, now_ns, f, cpu, row[cpu].since_ns, " while cpu ");
	}
	q->new_first = false;
	q->searches = stats->push_searches;
	q->given_up = stats->push_given_up;
	if (looked_at)
		task_of_id(o, f->id)->fresh = false;
}

/* The second law. */
static void look_at_best(struct rt_order *o, const struct rq *rq, uint64_t now_ns)
{
	struct rt_order_cpu *q = &o->cpu[rq->cpu];
	const struct task *best;

	if (rq->rt.throttled || !prio_before(rq->rt.highest_curr, q->now.prio) ||
	    rq->rt.highest_curr >= MAX_RT_PRIO) {
		q->late_since_ns = TIME_NEVER;
		return;
	}
	if (q->late_since_ns == TIME_NEVER)
		q->late_since_ns = now_ns;
	if (o->answer_ns == TIME_NEVER || now_ns <= q->late_since_ns + o->answer_ns)
		return;
	best = container_of(rq->rt.active.queue[rq->rt.highest_curr].next, struct task,
			    rt.run_list);
	fail(o, now_ns, best, rq->cpu, q->late_since_ns, " where cpu ");
}

/* What RQ runs once what R tells has happened. */
static const struct task *curr_after(const struct machine *m, const struct rq *rq,
				     const struct record *r)
{
	if (r->kind != RECORD_SWITCH || r->cpu != rq->cpu)
		return rq->curr;
	if (r->b)
		return &m->tasks[r->b - 1];
	return rq->stop->se.on_rq ? rq->stop : rq->idle;
}

static void look(struct rt_order *o, const struct record *r)
{
	uint32_t cpu;

	mask_for_each(cpu, o->m->online) {
		const struct rq *rq = &o->m->cpus[cpu].rq;

		look_at_cpu(o, rq, curr_after(o->m, rq, r));
	}
	mask_for_each(cpu, o->m->online) {
		look_at_first(o, &o->m->cpus[cpu].rq, r->time_ns);
		look_at_best(o, &o->m->cpus[cpu].rq, r->time_ns);
	}
}

/* At every record, since a first task may come and go between two looks. */
static void note_firsts(struct rt_order *o)
{
	uint32_t cpu;

	mask_for_each(cpu, o->m->online) {
		struct rt_order_cpu *q = &o->cpu[cpu];
		const struct task *f = first_pushable(o, &o->m->cpus[cpu].rq);
		uint32_t id = f ? f->id : 0;

		if (q->first != id)
			q->new_first = true;
		q->first = id;
	}
}

/* A task begins to wait: does that make the kernel look for another CPU? */
static void begin_wait(struct rt_order *o, const struct task *p, uint64_t now_ns)
{
	const struct task *curr = o->m->cpus[p->cpu].rq.curr;
	struct rt_order_task *t = task_of_id(o, p->id);
	bool behind_equal = curr->prio == p->prio && curr->nr_allowed > 1;

	*t = (struct rt_order_task){.fresh = true};
	if (behind_equal && !kver_has(o->m->v, FEAT_RT_PUSH_EQUAL))
		is_not_asked_for(t, now_ns);
}

static void take(struct record_sink *sink, const struct record *r)
{
	struct rt_order *o = (struct rt_order *)(void *)sink;

	if (o->failed)
		return;
	note_firsts(o);
	if (r->kind == RECORD_WAIT_START && r->a)
		begin_wait(o, &o->m->tasks[r->a - 1], r->time_ns);
	/* amid a switch */
	if (r->kind == RECORD_WAIT_START || r->kind == RECORD_WAIT_END || r->kind == RECORD_BLOCK)
		return;
	if (r->kind == RECORD_MIGRATE && r->d == 2)
		is_not_asked_for(task_of_id(o, r->a), r->time_ns);
	look(o, r);
}

struct rt_order *rt_order_create(const struct machine *m, struct rql_error *e)
{
	struct rt_order *o = calloc(1, sizeof(*o));

	if (o) {
		o->cpu = calloc(m->ncpus, sizeof(o->cpu[0]));
		o->task = calloc((size_t)m->max_tasks + 1, sizeof(o->task[0]));
		o->pair = calloc((size_t)m->ncpus * m->ncpus, sizeof(o->pair[0]));
	}
	if (!o || !o->cpu || !o->task || !o->pair) {
		rt_order_free(o);
		err_set(e, "limits", "no memory to check real-time order; use fewer tasks", NULL,
			NULL);
		e->limit = true;
		return NULL;
	}
	o->m = m;
	o->bound_ns = rt_order_bound_ns(m->prices, m->nonline);
	if (kver_has(m->v, FEAT_RT_PUSH_IPI))
		o->bound_ns += rt_order_rounds_ns(m->prices, m->nonline);
	o->answer_ns = TIME_NEVER;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		o->cpu[i].now.prio = UINT32_MAX >> 1;
		o->cpu[i].late_since_ns = TIME_NEVER;
	}
	o->sink.wants = (1u << RECORD_KINDS) - 1;
	o->sink.take = take;
	return o;
}

void rt_order_free(struct rt_order *o)
{
	if (!o)
		return;
	free(o->cpu);
	free(o->task);
	free(o->pair);
	free(o);
}

const char *rt_order_violation(const struct rt_order *o)
{
	return o->failed ? o->violation : NULL;
}
