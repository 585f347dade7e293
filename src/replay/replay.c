/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core is driven through its ordinary door, with nothing costing time and nobody else
 * moving meanwhile. Three of the kernel's tables are replaced by tables that ask the
 * kernel's own and then obey the trace:
 *
 * - select_ops: the model's choice is noted, the recorded CPU is returned;
 * - fair_ops: who is picked is the task that the trace switches to;
 * - lb_ops: attempts move nothing by themselves.
 *
 * When the trace moves a waiting task, the whole machine, which is one block of memory, is
 * kept aside; the kernel's own balancing is asked; then the block is put back and the task is
 * moved as recorded.
 */
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "replay/events.h"
#include "sched/balance/lb_steps.h"
#include "sched/class.h"
#include "sched/rq_lock.h"
#include "sched/sched.h"

#define START_NS (10 * NS_PER_S) /* the model's time is the trace's and this; whole ticks */
#define SKEW_NS (25 * NS_PER_US)
#define SYNC_NS (10 * NS_PER_US)
#define ASKED_MAX 4u /* attempts a busy CPU makes until its patience is over, and one */
#define LOOK_AHEAD 4096u

struct replay {
	struct replay_events events;
	struct replay_report *report;
	struct kver v; /* with replaced tables */
	struct fair_ops fair;
	struct lb_ops lb;
	const struct kver *asked_v; /* the kernel's own */
	struct prices prices;
	struct machine *m;
	struct arena arena;
	void *kept;
	struct mask **one_cpu; /* [cpu] it alone */
	void *masks;
	struct task **task; /* [number in events] */
	uint64_t next_tick_ns;
	uint32_t at; /* all events before it were taken */

	uint32_t dictated; /* where select_ops sends the task; CPU_NONE: as the model likes */
	uint32_t chosen;   /* what the model chose; CPU_NONE: it was not asked */
	struct task *next; /* whom fair_ops picks; NULL: as the model likes */
	bool asking;       /* records of moves and attempts are noted below */
	uint32_t took_from, took_task;
	char attempts[REPLAY_WHY];
	bool *interrupted; /* [cpu] an interrupt is on its way */
};

static struct replay *replay_of(const struct kctx *k)
{
	return k->driver;
}

/* Does P wait or run? One that stays queued while it sleeps does not. */
static bool is_queued(const struct task *p)
{
	return p->se.on_rq && !p->se.sched_delayed;
}

/* --- the port: nothing is waited for --------------------------------------- */

static void port_lock(struct kctx *k, struct klock *l)
{
	CHECK(l->owner == CPU_NONE);
	l->owner = k->cpu->id;
}

static bool port_trylock(struct kctx *k, struct klock *l)
{
	if (l->owner != CPU_NONE)
		return false;
	l->owner = k->cpu->id;
	return true;
}

static void port_unlock(struct kctx *k, struct klock *l)
{
	CHECK(l->owner == k->cpu->id);
	l->owner = CPU_NONE;
}

static void port_nothing(struct kctx *k)
{
	(void)k;
}

static void port_wait(struct kctx *k, struct kwait *w)
{
	(void)k;
	(void)w;
	CHECK(false && "nobody else can be in the middle of something");
}

static void port_wait_until_done(struct kctx *k, struct kwait *w)
{
	(void)k;
	(void)w;
}

/* At once: clocks differ, and a waker whose clock is behind must not find the task still there. */
static void port_complete(struct kctx *k, struct kwait *w)
{
	(void)k;
	w->done_ns = 0;
}

static void port_ipi(struct kctx *k, uint32_t cpu)
{
	replay_of(k)->interrupted[cpu] = true;
}

static void port_timer_arm(struct kctx *k, uint32_t timer, uint64_t at_ns)
{
	(void)k;
	(void)timer;
	(void)at_ns;
}

static bool port_timer_stop(struct kctx *k, uint32_t timer)
{
	(void)k;
	(void)timer;
	return false;
}

static void note_attempt(struct replay *r, uint64_t level_idle, uint64_t imbalance, uint64_t moved)
{
	static const char *const idle_names[] = {"idle", "busy", "newly idle"};
	size_t n = strlen(r->attempts);

	snprintf(r->attempts + n, sizeof(r->attempts) - n,
		 "%s%s level %u: imbalance %lld, moves %u", n ? "; " : "",
		 idle_names[level_idle & 3], (unsigned)(level_idle >> 8), (long long)imbalance,
		 (unsigned)moved);
}

static void port_record(struct kctx *k, enum record_kind kind, uint64_t a, uint64_t b, uint64_t c,
			uint64_t d)
{
	struct replay *r = replay_of(k);

	(void)d;
	if (!r->asking)
		return;
	if (kind == RECORD_MIGRATE && r->took_from == CPU_NONE) {
		r->took_task = (uint32_t)a;
		r->took_from = (uint32_t)b;
	} else if (kind == RECORD_BALANCE) {
		note_attempt(r, a, b, c);
	}
}

static const struct port_ops replay_port = {
	.lock = port_lock,
	.trylock = port_trylock,
	.unlock = port_unlock,
	.peek = port_nothing,
	.interrupts = port_nothing,
	.wait = port_wait,
	.wait_until_done = port_wait_until_done,
	.complete = port_complete,
	.ipi = port_ipi,
	.notice = port_ipi,
	.timer_arm = port_timer_arm,
	.timer_stop = port_timer_stop,
	.record = port_record,
};

/* --- tables that ask and obey ---------------------------------------------- */

static uint32_t obey_select(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags)
{
	struct replay *r = replay_of(k);

	r->chosen = r->asked_v->select->select(k, p, sd_flag, wake_flags);
	return r->dictated == CPU_NONE ? r->chosen : r->dictated;
}

static const struct select_ops select_ops_obey = {.name = "replay", .select = obey_select};

/* The entity of CFS_RQ on the way to whom the trace has next; NULL: it is not below. */
static struct entity *way_to_next(const struct replay *r, const struct cfs_rq *cfs_rq)
{
	struct entity *se = r->next ? &r->next->se : NULL;

	while (se && se->cfs_rq != cfs_rq)
		se = se->parent;
	return se && se->on_rq ? se : NULL;
}

static struct entity *obey_pick(struct kctx *k, struct cfs_rq *cfs_rq)
{
	struct replay *r = replay_of(k);
	struct entity *se = way_to_next(r, cfs_rq);

	return se ? se : r->asked_v->fair->pick_entity(k, cfs_rq);
}

static struct entity *obey_pick_with_curr(struct kctx *k, struct cfs_rq *cfs_rq,
					  struct entity *curr)
{
	struct replay *r = replay_of(k);
	struct entity *se = way_to_next(r, cfs_rq);

	return se ? se : r->asked_v->fair->pick_with_curr(k, cfs_rq, curr);
}

/* Kernels that choose a task first; what they put right on the way stays done. */
static struct task *obey_pick_task(struct kctx *k, struct rq *rq)
{
	struct replay *r = replay_of(k);
	struct task *best = r->asked_v->fair->pick_task(k, rq), *p = r->next;

	return p && is_queued(p) && p->cpu == rq->cpu ? p : best;
}

static int32_t obey_balance(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
			    enum cpu_idle_type idle, bool *should_balance)
{
	(void)k;
	(void)this_cpu;
	(void)sd;
	(void)idle;
	(void)should_balance;
	return 0;
}

/* --- the machine ------------------------------------------------------------- */

static struct kctx *cpu_at(struct replay *r, uint32_t cpu, uint64_t time_ns)
{
	struct kctx *k = &r->m->cpus[cpu].k;

	k->now_ns = max_u64(k->now_ns, time_ns + START_NS);
	return k;
}

static bool make_masks(struct replay *r, uint32_t ncpus)
{
	r->one_cpu = calloc(ncpus, sizeof(*r->one_cpu));
	r->masks = calloc(ncpus, mask_size(ncpus));
	r->interrupted = calloc(ncpus, sizeof(*r->interrupted));
	if (!r->one_cpu || !r->masks || !r->interrupted)
		return false;
	for (uint32_t i = 0; i < ncpus; i++) {
		r->one_cpu[i] = mask_init((char *)r->masks + i * mask_size(ncpus), ncpus);
		mask_set(r->one_cpu[i], i);
	}
	return true;
}

static void replace_tables(struct replay *r, const struct kver *v)
{
	r->asked_v = v;
	r->v = *v;
	r->fair = *v->fair;
	r->fair.pick_entity = obey_pick;
	if (v->fair->pick_with_curr)
		r->fair.pick_with_curr = obey_pick_with_curr;
	if (v->fair->pick_task)
		r->fair.pick_task = obey_pick_task;
	r->lb = *v->lb;
	r->lb.load_balance = obey_balance;
	r->v.fair = &r->fair;
	r->v.lb = &r->lb;
	r->v.select = &select_ops_obey;
}

static bool build(struct replay *r, const struct replay_config *c, struct rql_error *e)
{
	struct sched_config cfg = {.topo = c->topo,
				   .v = &r->v,
				   .prices = &r->prices,
				   .port = &replay_port,
				   .driver = r,
				   .max_tasks = r->events.ntasks + 1,
				   .max_groups = 1};
	uint64_t bytes;
	void *memory;

	replace_tables(r, c->v);
	r->prices.hardware.smt_slowdown_pct = 100;
	bytes = sched_memory_bound(&cfg);
	memory = calloc(1, bytes);
	r->kept = malloc(bytes);
	r->task = calloc(r->events.ntasks + 1, sizeof(*r->task));
	if (!memory || !r->kept || !r->task || !make_masks(r, c->topo->ncpus)) {
		free(memory);
		return err_set(e, c->where, "out of memory; a shorter trace is needed", NULL, NULL);
	}
	arena_init(&r->arena, memory, bytes);
	r->m = sched_init(&r->arena, &cfg, e);
	return r->m != NULL;
}

/* The CPU that a kernel thread named "NAME/CPU" or "NAME/CPU:N" is confined to, or CPU_NONE. */
static uint32_t cpu_by_name(const struct replay *r, const char *comm)
{
	const char *slash = strchr(comm, '/');
	char *end;
	unsigned long cpu;

	if (!slash || slash[1] < '0' || slash[1] > '9')
		return CPU_NONE;
	cpu = strtoul(slash + 1, &end, 10);
	return (*end == '\0' || *end == ':') && cpu < r->m->ncpus ? (uint32_t)cpu : CPU_NONE;
}

static struct task_attr attr_of(const struct replay *r, const struct replay_task *t)
{
	struct task_attr attr = {.policy = POLICY_NORMAL};
	uint32_t cpu = cpu_by_name(r, t->comm);

	memcpy(attr.comm, t->comm, sizeof(attr.comm));
	if (t->prio >= 100) {
		attr.nice = t->prio - 120;
	} else if (t->prio >= 0) {
		attr.policy = POLICY_FIFO;
		attr.rt_priority = t->prio == 99 ? 1 : 99 - t->prio;
	}
	if (cpu != CPU_NONE)
		attr.cpus = r->one_cpu[cpu];
	return attr;
}

/* CPU switches to NEXT (NULL: to whom the model likes) from whom it runs, who may sleep. */
static void switch_to(struct replay *r, struct kctx *k, struct task *next)
{
	struct rq *rq = &k->cpu->rq;

	if (rq->curr == rq->idle)
		sched_idle_restart_tick(k);
	r->next = next;
	sched_schedule(k);
	r->next = NULL;
	if (rq->curr == rq->idle && !rq->tick_stopped)
		sched_idle_stop_tick(k);
}

/* P, asleep, wakes on CPU and gets it; nobody is asked. */
static void make_current(struct replay *r, struct kctx *k, struct task *p)
{
	if (p->state == TASK_INTERRUPTIBLE) {
		r->dictated = k->cpu->id;
		sched_wake(k, p, 0);
		r->dictated = CPU_NONE;
		if (!is_queued(p))
			sched_ipi(k);
	}
	if (is_queued(p) && p->cpu == k->cpu->id && k->cpu->rq.curr != p)
		switch_to(r, k, p);
}

/* Tasks whose beginning the trace has not exist and sleep. */
static void make_sleepers(struct replay *r)
{
	for (uint32_t i = 0; i < r->events.ntasks; i++) {
		const struct replay_task *t = &r->events.task[i];
		struct task_attr attr = attr_of(r, t);
		uint32_t bound = cpu_by_name(r, t->comm);
		struct kctx *k = &r->m->cpus[bound == CPU_NONE ? t->first_cpu : bound].k;

		if (t->forked)
			continue;
		r->task[i] = sched_new_task(k, NULL, &attr, &r->m->groups_mem[0]);
		CHECK(r->task[i]);
		sched_wake_up_first(k, r->task[i]);
		switch_to(r, k, r->task[i]);
		sched_set_sleeping(k);
		switch_to(r, k, NULL);
	}
}

/* --- time between events ----------------------------------------------------- */

static void take_interrupts(struct replay *r, uint64_t time_ns)
{
	for (uint32_t i = 0; i < r->m->ncpus; i++) {
		struct kctx *k;

		if (!r->interrupted[i])
			continue;
		r->interrupted[i] = false;
		k = cpu_at(r, i, time_ns);
		k->in_irq = true;
		sched_ipi(k);
		if (sched_softirq_pending(k))
			sched_softirq(k);
		k->in_irq = false;
	}
}

static void tick_until(struct replay *r, uint64_t time_ns)
{
	while (r->next_tick_ns <= time_ns) {
		for (uint32_t i = 0; i < r->m->ncpus; i++) {
			struct kctx *k = &r->m->cpus[i].k;

			if (!r->m->cpus[i].online || k->cpu->rq.tick_stopped)
				continue;
			cpu_at(r, i, r->next_tick_ns);
			k->in_irq = true;
			sched_tick(k);
			if (sched_softirq_pending(k))
				sched_softirq(k);
			k->in_irq = false;
		}
		take_interrupts(r, r->next_tick_ns);
		r->next_tick_ns += r->m->tick_ns;
	}
}

/* --- decisions --------------------------------------------------------------- */

static void put_cpu(char *out, size_t cap, const struct replay *r, const char *what, uint32_t cpu)
{
	const struct rq *rq = &r->m->cpus[cpu].rq;

	snprintf(out, cap, "%s CPU %u: %u running, load %llu, util %llu", what, (unsigned)cpu,
		 (unsigned)rq->nr_running, (unsigned long long)rq->cfs->avg.load_avg,
		 (unsigned long long)rq->cfs->avg.util_avg);
}

static struct replay_difference *count_decision(struct replay *r, enum replay_kind kind,
						bool agrees, const struct replay_event *x)
{
	struct replay_difference *d;

	r->report->decisions[kind]++;
	r->report->agreed[kind] += agrees;
	if (agrees || r->report->ndifferences == REPLAY_DIFFERENCES)
		return NULL;
	d = &r->report->difference[r->report->ndifferences++];
	memset(d, 0, sizeof(*d));
	d->kind = kind;
	d->line = x->ev.line;
	d->time_ns = x->ev.time_ns;
	memcpy(d->comm, x->ev.task.comm, sizeof(d->comm));
	d->pid = x->ev.task.pid;
	return d;
}

static void out_of_step(struct replay *r)
{
	r->report->out_of_step++;
}

/* The state of both CPUs as the model saw it goes into WHY before the task is queued. */
static void describe_choice(const struct replay *r, uint32_t real_cpu, char *why)
{
	size_t n;

	if (r->chosen == CPU_NONE) {
		why[0] = '\0';
		return;
	}
	put_cpu(why, REPLAY_WHY, r, "its", r->chosen);
	n = strlen(why);
	put_cpu(why + n, REPLAY_WHY - n, r, "; the real", real_cpu);
}

static void judge_placement(struct replay *r, enum replay_kind kind, const struct replay_event *x,
			    uint32_t from_cpu, uint32_t real_cpu, const char *why)
{
	struct replay_difference *d;

	if (r->chosen == CPU_NONE)
		return; /* it is real-time: another class chose */
	/* the task is queued on the real one meanwhile */
	r->report->as_loaded += r->chosen != real_cpu && r->m->cpus[r->chosen].rq.nr_running + 1 ==
								 r->m->cpus[real_cpu].rq.nr_running;
	d = count_decision(r, kind, r->chosen == real_cpu, x);
	if (!d)
		return;
	d->real_cpu = real_cpu;
	d->from_cpu = from_cpu;
	d->model_cpu = r->chosen;
	snprintf(d->why, sizeof(d->why), "%s", why);
}

/* The next event after AT that FITS, at most SKEW_NS after it; NULL. */
static struct replay_event *later(struct replay *r, uint32_t at, uint32_t task,
				  enum ftrace_kind kind, uint64_t within_ns)
{
	const struct ftrace_event *now = &r->events.event[at].ev;

	for (uint32_t i = at + 1; i < r->events.n && i <= at + LOOK_AHEAD; i++) {
		struct replay_event *x = &r->events.event[i];

		if (x->ev.time_ns > now->time_ns + within_ns)
			return NULL;
		if (!x->done && x->ev.kind == kind &&
		    (kind == FTRACE_FORK ? x->other : x->task) == task)
			return x;
	}
	return NULL;
}

static void take(struct replay *r, uint32_t at);

/* X comes first, and before it whatever its CPU did until then. */
static void take_first(struct replay *r, const struct replay_event *x)
{
	uint32_t last = (uint32_t)(x - r->events.event);

	for (uint32_t i = r->at; i <= last; i++)
		if (r->events.event[i].ev.cpu == x->ev.cpu)
			take(r, i);
}

/* Is TASK queued on CPU? */
static bool is_queued_on(const struct replay *r, uint32_t task, uint32_t cpu)
{
	const struct task *p = r->task[task];

	return p && is_queued(p) && p->cpu == cpu;
}

/* TASK is to be queued on CPU at event AT; what brings it there may stand behind it. */
static void catch_up(struct replay *r, uint32_t at, uint32_t task, uint32_t cpu)
{
	static const enum ftrace_kind before[] = {FTRACE_FORK, FTRACE_WAKEUP_NEW, FTRACE_WAKING,
						  FTRACE_MIGRATE};

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		const struct replay_event *x;

		if (is_queued_on(r, task, cpu))
			return;
		x = later(r, at, task, before[i], SKEW_NS);
		if (x)
			take_first(r, x);
	}
}

/* TASK, which event AT wakes or moves, leaves its CPU only behind it: that comes first. */
static void catch_up_leaving(struct replay *r, uint32_t at, uint32_t task, bool to_sleep)
{
	const struct replay_event *leaves = later(r, at, task, FTRACE_SWITCH, SKEW_NS);

	if (leaves && (!to_sleep || !leaves->ev.runnable))
		take_first(r, leaves);
}

/* P, which waits, goes to CPU TO. Linux: detach_task(), attach_task(). */
static void move(struct replay *r, struct kctx *k, struct task *p, uint32_t to)
{
	struct rq *src = &r->m->cpus[p->cpu].rq, *dst = &r->m->cpus[to].rq;

	rq_lock(k, src);
	update_rq_clock(k, src);
	p->migrating = true;
	deactivate_task(k, src, p, 0);
	set_task_cpu(k, p, to);
	rq_unlock(k, src);
	rq_lock(k, dst);
	update_rq_clock(k, dst);
	activate_task(k, dst, p, 0);
	p->migrating = false;
	rq_unlock(k, dst);
}

/* Is the waker of event AT about to sleep? */
static bool is_sync(const struct replay *r, uint32_t at)
{
	const struct ftrace_event *now = &r->events.event[at].ev;

	for (uint32_t i = at + 1; i < r->events.n; i++) {
		const struct ftrace_event *ev = &r->events.event[i].ev;

		if (ev->time_ns > now->time_ns + SYNC_NS)
			return false;
		if (ev->cpu != now->cpu || ev->kind == FTRACE_WAKEUP || ev->kind == FTRACE_MIGRATE)
			continue;
		return ev->kind == FTRACE_SWITCH && !ev->runnable && ev->task.pid == now->pid &&
		       now->pid != 0;
	}
	return false;
}

/* Where the wake-up that begins with event AT ends: the waker tells of a move at once. */
static uint32_t woken_on(struct replay *r, uint32_t at)
{
	const struct replay_event *now = &r->events.event[at];

	for (uint32_t i = at + 1; i < r->events.n; i++) {
		struct replay_event *x = &r->events.event[i];

		if (x->ev.time_ns > now->ev.time_ns + SKEW_NS)
			break;
		if (x->done || x->task != now->task)
			continue;
		if (x->ev.kind == FTRACE_MIGRATE && x->ev.cpu == now->ev.cpu) {
			x->done = true;
			return x->ev.to_cpu;
		}
		if (x->ev.kind == FTRACE_WAKEUP && x->ev.cpu == now->ev.cpu)
			break;
	}
	return now->ev.to_cpu;
}

static void take_waking(struct replay *r, uint32_t at)
{
	const struct replay_event *x = &r->events.event[at];
	struct task *p = x->task == NO_TASK ? NULL : r->task[x->task];
	uint32_t real_cpu = woken_on(r, at), from_cpu;
	char why[REPLAY_WHY];
	struct kctx *k;

	if (p && p->state != TASK_INTERRUPTIBLE)
		catch_up_leaving(r, at, x->task, true);
	k = cpu_at(r, x->ev.cpu, x->ev.time_ns);
	if (!p || p->state != TASK_INTERRUPTIBLE) {
		out_of_step(r);
		return;
	}
	from_cpu = p->cpu;
	/* it is still queued: it stays, without a choice */
	r->chosen = p->se.on_rq ? p->cpu : CPU_NONE;
	r->dictated = real_cpu;
	sched_wake(k, p, is_sync(r, at) ? WF_SYNC : 0);
	r->dictated = CPU_NONE;
	take_interrupts(r, x->ev.time_ns);
	describe_choice(r, real_cpu, why);
	if (p->nr_allowed > 1)
		judge_placement(r, REPLAY_WAKE, x, from_cpu, real_cpu, why);
	if (p->cpu == real_cpu)
		return;
	if (is_queued(p) && p->class == &fair_sched_class && r->m->cpus[p->cpu].rq.curr != p)
		move(r, k, p, real_cpu);
	else
		out_of_step(r);
}

static void take_fork(struct replay *r, uint32_t at)
{
	const struct replay_event *x = &r->events.event[at];
	struct kctx *k = cpu_at(r, x->ev.cpu, x->ev.time_ns);
	struct task *parent = x->task == NO_TASK ? NULL : r->task[x->task];
	struct task_attr attr;

	if (x->other == NO_TASK || r->task[x->other]) {
		out_of_step(r);
		return;
	}
	if (parent && k->cpu->rq.curr != parent)
		make_current(r, k, parent);
	if (parent && k->cpu->rq.curr != parent) {
		out_of_step(r);
		parent = NULL;
	}
	attr = attr_of(r, &r->events.task[x->other]);
	if (parent) {
		attr.policy = (enum sched_policy)parent->policy;
		attr.nice = parent->nice;
		attr.rt_priority = parent->rt_priority;
	}
	r->task[x->other] = sched_new_task(k, parent, &attr, &r->m->groups_mem[0]);
	CHECK(r->task[x->other]);
}

static void take_wakeup_new(struct replay *r, uint32_t at)
{
	const struct replay_event *x = &r->events.event[at];
	struct task *p = x->task == NO_TASK ? NULL : r->task[x->task];
	struct kctx *k = cpu_at(r, x->ev.cpu, x->ev.time_ns);
	char why[REPLAY_WHY];

	if (!p || p->state != TASK_NEW) {
		out_of_step(r);
		return;
	}
	r->chosen = CPU_NONE;
	r->dictated = x->ev.to_cpu;
	sched_wake_up_new(k, p);
	r->dictated = CPU_NONE;
	describe_choice(r, x->ev.to_cpu, why);
	judge_placement(r, REPLAY_FORK, x, x->ev.cpu, x->ev.to_cpu, why);
}

/* The nice value that the trace tells of TASK next, from event AT on. */
static void renice(struct replay *r, struct kctx *k, uint32_t at, uint32_t task)
{
	struct task *p = r->task[task];

	for (uint32_t i = at; i < r->events.n && i <= at + LOOK_AHEAD; i++) {
		const struct replay_event *x = &r->events.event[i];
		int32_t prio;

		if (x->task != task || x->ev.kind == FTRACE_FORK || i == at)
			continue;
		prio = x->ev.task.prio;
		if (prio >= 100 && p->class == &fair_sched_class && p->nice != prio - 120)
			sched_set_nice(k, p, prio - 120);
		return;
	}
}

static void take_switch(struct replay *r, uint32_t at)
{
	const struct replay_event *x = &r->events.event[at];
	struct kctx *k = cpu_at(r, x->ev.cpu, x->ev.time_ns);
	struct rq *rq = &k->cpu->rq;
	struct task *prev = x->task == NO_TASK ? rq->idle : r->task[x->task];
	struct task *next = x->other == NO_TASK ? rq->idle : r->task[x->other];

	if (x->other != NO_TASK && !is_queued_on(r, x->other, rq->cpu)) {
		catch_up(r, at, x->other, x->ev.cpu);
		next = r->task[x->other];
		cpu_at(r, x->ev.cpu, x->ev.time_ns);
	}
	if (prev && prev != rq->idle && rq->curr != prev)
		make_current(r, k, prev);
	if (!prev || rq->curr != prev || !next) {
		out_of_step(r);
		return;
	}
	if (prev != rq->idle && !x->ev.runnable)
		sched_set_sleeping(k);
	/* a wake-up may be on its way here */
	if (next != rq->idle && !is_queued(next))
		sched_ipi(k);
	switch_to(r, k, next == rq->idle ? NULL : next);
	if (rq->curr != next)
		out_of_step(r);
	else if (x->other != NO_TASK)
		renice(r, k, at, x->other);
}

/* --- moves --------------------------------------------------------------------- */

/* Ask the kernel's own balancing for CPU TO, as long as it would ask itself. */
static void ask_balance(struct replay *r, uint32_t from, uint32_t to, uint64_t time_ns)
{
	struct kctx *k = cpu_at(r, to, time_ns);
	struct rq *rq = &k->cpu->rq;
	enum cpu_idle_type idle = rq->curr == rq->idle ? CPU_IDLE :
				  rq->nr_running       ? CPU_NOT_IDLE :
							 CPU_NEWLY_IDLE;

	r->asking = true;
	r->took_from = CPU_NONE;
	for (uint32_t i = 0; i < ASKED_MAX && r->took_from == CPU_NONE; i++) {
		r->attempts[0] = '\0';
		for (struct sched_domain *sd = rq->sd; sd && r->took_from == CPU_NONE;
		     sd = sd->parent) {
			bool should_balance = true;

			if (!mask_test(sd->span, from))
				continue;
			r->asked_v->lb->load_balance(k, to, sd, idle, &should_balance);
		}
	}
	/* it has the other CPU's stopper do it */
	if (r->took_from == CPU_NONE && r->m->cpus[from].rq.active_balance &&
	    r->m->cpus[from].rq.push_cpu == to)
		r->took_from = from;
	r->asking = false;
}

static void judge_move(struct replay *r, const struct replay_event *x, const struct task *p)
{
	uint32_t from = x->ev.from_cpu, to = x->ev.to_cpu;
	bool *interrupted = r->interrupted;
	struct replay_difference *d;

	memcpy(r->kept, r->arena.base, r->arena.used);
	ask_balance(r, from, to, x->ev.time_ns);
	memcpy(r->arena.base, r->kept, r->arena.used);
	memset(interrupted, 0, r->m->ncpus * sizeof(*interrupted));
	r->report->same_task += r->took_from == from && r->took_task == p->id;
	d = count_decision(r, REPLAY_MOVE, r->took_from == from, x);
	if (!d)
		return;
	d->real_cpu = to;
	d->from_cpu = from;
	d->model_cpu = r->took_from;
	snprintf(d->why, sizeof(d->why), "%s", r->attempts[0] ? r->attempts : "it is not its turn");
}

static void take_migrate(struct replay *r, uint32_t at)
{
	const struct replay_event *x = &r->events.event[at];
	struct task *p = x->task == NO_TASK ? NULL : r->task[x->task];
	struct kctx *k = cpu_at(r, x->ev.cpu, x->ev.time_ns);

	if (p)
		catch_up(r, at, x->task, x->ev.from_cpu);
	if (p && r->m->cpus[p->cpu].rq.curr == p)
		catch_up_leaving(r, at, x->task, false);
	/* of another class, or asleep: placed elsewhere before its wake-up is told */
	if (!p || !is_queued(p) || p->cpu != x->ev.from_cpu || p->class != &fair_sched_class ||
	    r->m->cpus[p->cpu].rq.curr == p) {
		out_of_step(r);
		return;
	}
	if (p->nr_allowed > 1)
		judge_move(r, x, p);
	move(r, k, p, x->ev.to_cpu);
}

/* --- all of it ------------------------------------------------------------------- */

static void take(struct replay *r, uint32_t at)
{
	struct replay_event *x = &r->events.event[at];

	if (x->done)
		return;
	x->done = true;
	switch (x->ev.kind) {
	case FTRACE_SWITCH:
		take_switch(r, at);
		break;
	case FTRACE_WAKING:
		take_waking(r, at);
		break;
	case FTRACE_FORK:
		take_fork(r, at);
		break;
	case FTRACE_WAKEUP_NEW:
		take_wakeup_new(r, at);
		break;
	case FTRACE_MIGRATE:
		take_migrate(r, at);
		break;
	case FTRACE_WAKEUP: /* told by its waking already; or that stands behind it */
		if (r->task[x->task])
			catch_up(r, at, x->task, x->ev.to_cpu);
		break;
	case FTRACE_EXEC:
	case FTRACE_EXIT:
	case FTRACE_STAT_WAIT:
	case FTRACE_STAT_SLEEP:
	case FTRACE_STAT_IOWAIT:
	case FTRACE_STAT_BLOCKED:
	case FTRACE_STAT_RUNTIME:
	case FTRACE_LOST:
	case FTRACE_KINDS:
		break;
	}
	take_interrupts(r, x->ev.time_ns);
}

static bool check_cpus(const struct replay *r, const struct replay_config *c, struct rql_error *e)
{
	for (uint32_t i = 0; i < r->events.n; i++) {
		const struct ftrace_event *ev = &r->events.event[i].ev;
		uint32_t most = max_u32(ev->cpu, max_u32(ev->from_cpu, ev->to_cpu));
		char text[64];

		if (most < c->topo->ncpus && c->topo->cpu[most].online)
			continue;
		snprintf(text, sizeof(text), "CPU %u is not one of the machine's; ",
			 (unsigned)most);
		err_set(e, c->where, text, "the machine it was recorded on is right", NULL);
		e->line = (uint32_t)ev->line;
		return false;
	}
	return true;
}

static void run(struct replay *r)
{
	uint64_t first_ns = r->events.n ? r->events.event[0].ev.time_ns : 0;

	for (uint32_t i = 0; i < r->m->ncpus; i++) {
		cpu_at(r, i, 0);
		update_rq_clock(&r->m->cpus[i].k, &r->m->cpus[i].rq);
		if (r->m->cpus[i].online)
			sched_idle_stop_tick(&r->m->cpus[i].k);
	}
	make_sleepers(r);
	/* what sleeps has slept for long, and left nothing behind */
	for (uint32_t i = 0; i < r->m->ncpus; i++) {
		cpu_at(r, i, first_ns);
		if (r->m->cpus[i].online)
			update_blocked_averages(&r->m->cpus[i].k, i);
	}
	r->next_tick_ns = first_ns / r->m->tick_ns * r->m->tick_ns + r->m->tick_ns;
	for (uint32_t i = 0; i < r->events.n; i++) {
		r->at = i;
		tick_until(r, r->events.event[i].ev.time_ns);
		take(r, i);
	}
}

bool replay_run(const struct replay_config *config, struct replay_report *out, struct rql_error *e)
{
	struct replay *r = calloc(1, sizeof(*r));
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!r)
		return err_set(e, config->where, "out of memory; a shorter trace is needed", NULL,
			       NULL);
	r->report = out;
	r->dictated = CPU_NONE;
	ok = replay_events_read(&r->events, config->where, config->read, config->arg, e) &&
	     check_cpus(r, config, e) && build(r, config, e);
	if (ok) {
		out->events = r->events.n;
		out->lost = r->events.lost;
		run(r);
	}
	replay_events_free(&r->events);
	free(r->arena.base);
	free(r->kept);
	free(r->task);
	free(r->one_cpu);
	free(r->masks);
	free(r->interrupted);
	free(r);
	return ok;
}

const char *replay_kind_name(enum replay_kind kind)
{
	static const char *const names[REPLAY_KINDS] = {"wake-up", "fork", "move"};

	CHECK(kind < REPLAY_KINDS);
	return names[kind];
}
