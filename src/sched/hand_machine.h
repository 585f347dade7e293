/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of the scheduler core: a machine whose clock is set by hand, on
 * which nothing costs time and no other CPU moves, unless the test says so:
 * `before` is called where other CPUs could come in between, at a peek and
 * before a lock is taken. Locks are not waited for, but each must be free when
 * taken and held when let go; `refused` is one that the next trylock finds held.
 *
 *	hand_init(&h, "2.6.35", 1, 2, 1);	1 socket, 2 cores, 1 thread each
 *	hand_at(&h, 20 * NS_PER_MS);		20 ms after the start
 *	p = hand_task(&h, 0, 0);		on CPU 0, nice 0, queued
 *	sched_schedule(hand_k(&h, 0));
 *	hand_free(&h);				checks that no lock is held
 *
 * The clock begins at HAND_START_NS, so that a task that never ran is not cache hot.
 */
#ifndef RUNQLAB_SCHED_HAND_MACHINE_H
#define RUNQLAB_SCHED_HAND_MACHINE_H

#include "base/check.h"
#include "base/fixed.h"
#include "sched/class.h"
#include "sched/sched.h"

#include <stdlib.h>
#include <string.h>

#define HAND_START_NS (10 * NS_PER_S)
#ifndef HAND_TASKS
#define HAND_TASKS 600u
#endif
#define HAND_GROUPS 4u
#define HAND_MASKS 32u
#define HAND_TIMERS (KTIMER_TASKS + 2 * HAND_TASKS + 2 * HAND_GROUPS + 64)

/* The layer above knows how a kernel is written; tests link with it. */
bool kver_parse(const char *text, struct kver *out, struct rql_error *e);

struct hand {
	struct machine *m;
	struct kver v;
	struct prices prices;
	struct topology topo;
	struct arena arena;
	uint32_t locks_held;
	uint64_t locks_taken;
	uint64_t ipis[64]; /* [cpu] */
	/* L: the lock about to be taken; NULL: a peek. What it does itself calls it no more. */
	void (*before)(struct hand *h, struct kctx *k, struct klock *l);
	bool in_before;
	bool by_rules; /* the test writes to no queue: what changed is what the scheduler says */
	struct klock *refused;
	uint64_t waits; /* for another CPU's switch; they take until it is over, or no time */
	uint64_t timer_ns[HAND_TIMERS]; /* [kernel timer] when it fires; 0: not armed */
	uint32_t timer_cpu[HAND_TIMERS];
	uint64_t nrecords[RECORD_KINDS];
	struct record last[RECORD_KINDS];
	uint64_t mask_mem[HAND_MASKS][MASK_WORDS(64)]; /* of hand_cpus() */
	uint32_t nmasks;
};

static inline struct kctx *hand_k(struct hand *h, uint32_t cpu)
{
	return &h->m->cpus[cpu].k;
}

static inline struct rq *hand_rq(struct hand *h, uint32_t cpu)
{
	return &h->m->cpus[cpu].rq;
}

static inline void hand_before(struct kctx *k, struct klock *l)
{
	struct hand *h = k->driver;

	if (!h->before || h->in_before)
		return;
	h->in_before = true;
	h->before(h, k, l);
	h->in_before = false;
}

static inline bool hand_take(struct kctx *k, struct klock *l)
{
	struct hand *h = k->driver;

	CHECK(l->owner != k->cpu->id);
	if (l->owner != CPU_NONE)
		return false;
	l->owner = k->cpu->id;
	l->acquired_count++;
	h->locks_held++;
	h->locks_taken++;
	return true;
}

static inline bool hand_trylock(struct kctx *k, struct klock *l)
{
	struct hand *h = k->driver;

	hand_before(k, l);
	if (h->refused == l) {
		h->refused = NULL;
		return false;
	}
	return hand_take(k, l);
}

static inline void hand_lock(struct kctx *k, struct klock *l)
{
	bool taken;

	hand_before(k, l);
	taken = hand_take(k, l);
	CHECK(taken);
}

static inline void hand_unlock(struct kctx *k, struct klock *l)
{
	struct hand *h = k->driver;

	CHECK(l->owner == k->cpu->id);
	l->owner = CPU_NONE;
	h->locks_held--;
}

/* A test may have written to any queue without its lock. */
static inline void hand_changed_all(struct hand *h)
{
	if (!h->m->stale_sums)
		return;
	mask_copy(h->m->stale_sums, h->m->online);
	mask_zero(h->m->nohz.fresh);
}

static inline void hand_peek(struct kctx *k)
{
	struct hand *h = k->driver;

	hand_before(k, NULL);
	if (!h->by_rules)
		hand_changed_all(h);
}

/* Interrupts are never pending. */
static inline void hand_interrupts(struct kctx *k)
{
	(void)k;
}

static inline void hand_wait(struct kctx *k, struct kwait *w)
{
	struct hand *h = k->driver;

	(void)w;
	h->waits++;
}

static inline void hand_wait_until_done(struct kctx *k, struct kwait *w)
{
	struct hand *h = k->driver;

	if (w->done_ns <= k->now_ns)
		return;
	k->now_ns = w->done_ns;
	h->waits++;
}

static inline void hand_complete(struct kctx *k, struct kwait *w)
{
	w->done_ns = k->now_ns;
}

static inline void hand_ipi(struct kctx *k, uint32_t cpu)
{
	struct hand *h = k->driver;

	/* only the work of RT_PUSH_IPI may come back to where it was */
	CHECK(cpu != k->cpu->id || k->cpu->rq.rt.push_due);
	h->ipis[cpu]++;
}

static inline void hand_timer_arm(struct kctx *k, uint32_t timer, uint64_t at_ns)
{
	struct hand *h = k->driver;

	CHECK(timer < HAND_TIMERS);
	CHECK(!h->timer_ns[timer]);
	h->timer_ns[timer] = at_ns;
	h->timer_cpu[timer] = k->cpu->id;
}

static inline bool hand_timer_stop(struct kctx *k, uint32_t timer)
{
	struct hand *h = k->driver;
	bool armed = h->timer_ns[timer] != 0;

	h->timer_ns[timer] = 0;
	return armed;
}

static inline void hand_record(struct kctx *k, enum record_kind kind, uint64_t a, uint64_t b,
			       uint64_t c, uint64_t d)
{
	struct hand *h = k->driver;

	h->nrecords[kind]++;
	h->last[kind] = (struct record){k->now_ns, k->cpu->id, kind, a, b, c, d};
}

static const struct port_ops hand_port = {
	.lock = hand_lock,
	.trylock = hand_trylock,
	.unlock = hand_unlock,
	.peek = hand_peek,
	.interrupts = hand_interrupts,
	.wait = hand_wait,
	.wait_until_done = hand_wait_until_done,
	.complete = hand_complete,
	.timer_arm = hand_timer_arm,
	.timer_stop = hand_timer_stop,
	.ipi = hand_ipi,
	.notice = hand_ipi,
	.record = hand_record,
};

/* Sockets are nodes with one cache each; CPUs numbered cores first, then second threads. */
static inline void hand_topology(struct topology *t, uint32_t sockets, uint32_t cores,
				 uint32_t threads)
{
	uint32_t ncores = sockets * cores;

	t->ncpus = ncores * threads;
	t->npresent = t->ncpus;
	t->nonline = t->ncpus;
	t->nnodes = sockets;
	t->cpu = calloc(t->ncpus, sizeof(*t->cpu));
	t->node = calloc(t->nnodes, sizeof(*t->node));
	t->distance = calloc((size_t)t->nnodes * t->nnodes, 1);
	for (uint32_t i = 0; i < t->ncpus; i++) {
		uint32_t socket = i % ncores / cores;

		t->cpu[i] = (struct topo_cpu){.present = true,
					      .online = true,
					      .core = i % ncores,
					      .llc = socket,
					      .die = socket,
					      .package = socket,
					      .node = socket,
					      .cluster = TOPO_NONE,
					      .book = TOPO_NONE,
					      .drawer = TOPO_NONE,
					      .capacity = 1024};
	}
	for (uint32_t i = 0; i < sockets; i++)
		t->node[i].os_id = i;
	for (uint32_t i = 0; i < sockets * sockets; i++)
		t->distance[i] = i / sockets == i % sockets ? 10 : 20;
}

/* All CPUs' clocks show NS after the start. */
static inline void hand_at(struct hand *h, uint64_t ns)
{
	for (uint32_t i = 0; i < h->m->ncpus; i++)
		h->m->cpus[i].k.now_ns = HAND_START_NS + ns;
}

/* The second half of hand_init(): a machine of h->topo, all else of which is zero. */
static inline void hand_build(struct hand *h, const char *kernel)
{
	struct sched_config cfg = {.v = &h->v,
				   .prices = &h->prices,
				   .topo = &h->topo,
				   .port = &hand_port,
				   .driver = h,
				   .max_tasks = HAND_TASKS,
				   .max_groups = HAND_GROUPS};
	struct rql_error e = {.line = 0};
	uint64_t bytes;
	bool known;

	known = kver_parse(kernel, &h->v, &e);
	CHECK(known);
	bytes = sched_memory_bound(&cfg);
	arena_init(&h->arena, calloc(1, bytes), bytes);
	h->m = sched_init(&h->arena, &cfg, &e);
	CHECK(h->m);
	hand_at(h, 0);
	for (uint32_t i = 0; i < h->m->ncpus; i++)
		update_rq_clock(hand_k(h, i), hand_rq(h, i));
}

static inline void hand_init(struct hand *h, const char *kernel, uint32_t sockets, uint32_t cores,
			     uint32_t threads)
{
	memset(h, 0, sizeof(*h));
	hand_topology(&h->topo, sockets, cores, threads);
	hand_build(h, kernel);
}

/* Of a machine whose state was made up: nothing is checked. */
static inline void hand_drop(struct hand *h)
{
	free(h->arena.base);
	free(h->topo.cpu);
	free(h->topo.node);
	free(h->topo.distance);
}

static inline void hand_free(struct hand *h)
{
	if (!h->by_rules)
		hand_changed_all(h);
	sched_audit(h->m);
	CHECK(h->locks_held == 0);
	hand_drop(h);
}

static inline struct task *hand_task_in(struct hand *h, uint32_t cpu, const struct task_attr *attr,
					struct task_group *tg)
{
	struct kctx *k = hand_k(h, cpu);
	struct task *p = sched_new_task(k, NULL, attr, tg ? tg : &h->m->groups_mem[0]);

	CHECK(p);
	sched_wake_up_first(k, p);
	return p;
}

/* A task of the root group, queued on CPU. */
static inline struct task *hand_task(struct hand *h, uint32_t cpu, int32_t nice)
{
	struct task_attr attr = {.nice = nice};

	return hand_task_in(h, cpu, &attr, NULL);
}

/* The CPUs whose bits are set in BITS; valid until hand_init(). */
static inline const struct mask *hand_cpus(struct hand *h, uint64_t bits)
{
	struct mask *m;

	CHECK(h->nmasks < HAND_MASKS);
	CHECK(h->m->ncpus <= 64);
	m = mask_init(h->mask_mem[h->nmasks++], h->m->ncpus);
	m->w[0] = bits;
	return m;
}

/* A task of SCHED_FIFO and rt_priority RT_PRIO, queued on CPU, allowed on BITS (0: everywhere). */
static inline struct task *hand_rt_on(struct hand *h, uint32_t cpu, int32_t rt_prio, uint64_t bits)
{
	struct task_attr attr = {.policy = POLICY_FIFO, .rt_priority = rt_prio};

	if (bits)
		attr.cpus = hand_cpus(h, bits);
	return hand_task_in(h, cpu, &attr, NULL);
}

/* ... allowed everywhere: it may have been pushed away before this returns. */
static inline struct task *hand_rt_task(struct hand *h, uint32_t cpu, int32_t rt_prio)
{
	return hand_rt_on(h, cpu, rt_prio, 0);
}

/* ... and running there: nothing better may wait on CPU. */
static inline struct task *hand_rt_running(struct hand *h, uint32_t cpu, int32_t rt_prio,
					   uint64_t bits)
{
	struct task *p = hand_rt_on(h, cpu, rt_prio, bits);

	sched_schedule(hand_k(h, cpu));
	CHECK(hand_rq(h, cpu)->curr == p);
	return p;
}

/* ... and waiting there: nobody was asked to make room for it. */
static inline struct task *hand_rt_waiting(struct hand *h, uint32_t cpu, int32_t rt_prio,
					   uint64_t bits)
{
	struct task *curr = hand_rq(h, cpu)->curr, *p;

	CHECK(!curr->need_resched);
	curr->need_resched = true;
	p = hand_rt_on(h, cpu, rt_prio, bits);
	curr->need_resched = false;
	hand_rq(h, cpu)->skip_clock_update = false;
	CHECK(p->cpu == cpu);
	return p;
}

/* Locks of CPUs other than CPU that were taken since hand_count_locks(). */
static inline uint64_t hand_other_locks(const struct hand *h, uint32_t cpu)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < h->m->ncpus; i++)
		if (i != cpu)
			n += h->m->cpus[i].rq.lock.acquired_count;
	return n;
}

static inline void hand_count_locks(struct hand *h)
{
	for (uint32_t i = 0; i < h->m->ncpus; i++)
		h->m->cpus[i].rq.lock.acquired_count = 0;
}

/* A deadline task with times in ms, queued on CPU; what would be refused fails. */
static inline struct task *hand_dl_task(struct hand *h, uint32_t cpu, uint64_t runtime_ms,
					uint64_t deadline_ms, uint64_t period_ms)
{
	struct task_attr attr = {.policy = POLICY_DEADLINE,
				 .dl = {.runtime_ns = runtime_ms * NS_PER_MS,
					.deadline_ns = deadline_ms * NS_PER_MS,
					.period_ns = period_ms * NS_PER_MS}};

	return hand_task_in(h, cpu, &attr, NULL);
}

/* P, current on CPU or queued there, changes its policy; VALUE is the nice value or rt_priority. */
static inline void hand_policy(struct hand *h, uint32_t cpu, struct task *p,
			       enum sched_policy policy, int32_t value)
{
	const struct policy_change c = {policy, value, NULL};
	enum policy_refusal why = sched_set_policy(hand_k(h, cpu), p, &c);

	CHECK(why == POLICY_GRANTED);
}

/* TIMER, which is armed, goes off where it was armed. */
static inline void hand_fire(struct hand *h, uint32_t timer)
{
	CHECK(h->timer_ns[timer]);
	h->timer_ns[timer] = 0;
	sched_timer(hand_k(h, h->timer_cpu[timer]), timer);
}

/* N more tasks of nice 0 on CPU. If it was idle the first runs; nobody is to be preempted. */
static inline void hand_tasks(struct hand *h, uint32_t cpu, uint32_t n)
{
	struct rq *rq = hand_rq(h, cpu);

	while (n--) {
		hand_task(h, cpu, 0);
		if (rq->curr == rq->idle)
			sched_schedule(hand_k(h, cpu));
		rq->curr->need_resched = false;
		rq->skip_clock_update = false;
		rq->cfs->last = NULL;
	}
}

static inline struct task_group *hand_group(struct hand *h, struct task_group *parent,
					    const char *path)
{
	struct rql_error e = {.line = 0};
	struct task_group *tg =
		sched_create_group(h->m, parent ? parent : &h->m->groups_mem[0], path, &e);

	CHECK(tg);
	return tg;
}

/* CPU's current task goes to sleep and the next is picked. */
static inline void hand_sleep(struct hand *h, uint32_t cpu)
{
	sched_set_sleeping(hand_k(h, cpu));
	sched_schedule(hand_k(h, cpu));
}

/* Level LEVEL of CPU's domains, 0 at the bottom. */
static inline struct sched_domain *hand_sd(struct hand *h, uint32_t cpu, uint32_t level)
{
	struct sched_domain *sd = hand_rq(h, cpu)->sd;

	while (level--)
		sd = sd->parent;
	return sd;
}

#endif
