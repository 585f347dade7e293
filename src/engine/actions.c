/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a workload's actions to calls of the core. An action that takes time
 * becomes `left` in the task, which cpu.c works off; a fork or exit first
 * takes the time it costs and then happens.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "engine/internal.h"
#include "sched/sched.h"

#include <stdio.h>

#define IDLE_ACTIONS_MAX 100000u

/* What the task has to do before anything else: nothing that a signal could stop. */
static void work_in_kernel(struct task *p, enum action_kind kind, uint64_t ns)
{
	p->exec.kind = (uint8_t)kind;
	p->exec.in_kernel = true;
	p->exec.left = ns;
}

static void note_end_of_task(struct engine *eng, struct ecpu *c, struct task *p)
{
	struct engine_work *w = &eng->work[p->exec.work];

	w->ntasks_ended++;
	if (w->ntasks_ended < w->ntasks_created)
		return;
	if (w->end_ns == TIME_NEVER)
		w->end_ns = c->k->now_ns;
	if (--eng->work_left == 0)
		engine_stop(eng, ENGINE_END_WORK);
}

/* What is wrong with POLICY, in the words of the program that asked for it. */
static const char *refusal_text(enum policy_refusal why)
{
	switch (why) {
	case POLICY_EBUSY:
		return "EBUSY: no bandwidth is left for this deadline task; "
		       "less runtime, a longer period or fewer tasks are right";
	case POLICY_EPERM:
		return "EPERM: a deadline task must be allowed on every CPU; "
		       "leave its CPUs out";
	case POLICY_EINVAL:
		return "EINVAL: this kernel has no such policy, or not with these parameters";
	case POLICY_EBUSY_CPUS:
		return "EBUSY: a deadline task cannot be confined to some CPUs; "
		       "leave it on all, or change its policy first";
	case POLICY_EINVAL_CPUS:
		return "EINVAL: confines itself to CPUs of which none is online; "
		       "one that is online is right";
	case POLICY_GRANTED:
		break;
	}
	CHECK(false);
	return NULL;
}

/* The run cannot go on as the workload wants it: its mistake, not a limit. */
static void refuse(struct engine *eng, const char *comm, enum policy_refusal why)
{
	snprintf(eng->error->where, sizeof(eng->error->where), "task %s", comm);
	snprintf(eng->error->what, sizeof(eng->error->what), "%s", refusal_text(why));
	engine_stop(eng, ENGINE_END_REFUSED);
}

/* NULL: the kernel refused it and the run ends. */
static struct task *create_task(struct engine *eng, struct ecpu *c, struct task *parent,
				uint32_t work, uint32_t index)
{
	const struct engine_work_config *wc = &eng->cfg.work[work];
	struct task_group *tg = &eng->m->groups_mem[0];
	struct task_attr attr = {.policy = POLICY_NORMAL};
	enum policy_refusal why;
	struct task *p;

	CHECK(index < wc->behaviour->ntasks);
	CHECK(!eng->work_tasks[work][index]);
	if (wc->group != ENGINE_ROOT_GROUP)
		tg = eng->groups[wc->group];
	wc->behaviour->ops->attr(wc->behaviour, index, &attr);
	CHECK(attr.group <= eng->cfg.ngroups);
	if (attr.group)
		tg = eng->groups[attr.group - 1];
	why = sched_may_create(eng->m, &attr);
	if (why != POLICY_GRANTED) {
		refuse(eng, attr.comm, why);
		return NULL;
	}
	p = sched_new_task(c->k, parent, &attr, tg);
	CHECK(p);
	p->exec.behaviour = wc->behaviour;
	p->exec.index = index;
	p->exec.work = work;
	p->exec.process = attr.process;
	p->exec.timer_cpu = CPU_NONE;
	work_in_kernel(p, ACTION_RUN,
		       attr.process ? eng->cfg.prices->work.child_first_run_ns :
				      eng->cfg.prices->work.thread_first_run_ns);
	eng->work_tasks[work][index] = p;
	eng->work[work].ntasks_created++;
	return p;
}

void action_start_task(struct engine *eng, struct ecpu *c, uint32_t w, uint32_t index)
{
	struct task *p = create_task(eng, c, NULL, w, index);

	if (!p)
		return;
	p->exec.left = 0;
	eng->work[w].start_mark_ns = c->k->now_ns;
	sched_wake_up_first(c->k, p);
	/* the CPU idles without a tick: have it look */
	c->ipi_ns = c->k->now_ns;
	cpu_arm(eng, c);
}

/* The price of the fork was paid: the child may run. */
static void finish_fork(struct engine *eng, struct ecpu *c, const struct task *curr)
{
	struct task *child = eng->work_tasks[curr->exec.work][curr->exec.target];

	/* its stack was mapped, and a map's old nodes go */
	if (!child->exec.process)
		sched_call_rcu(c->k);
	sched_wake_up_new(c->k, child);
}

static void wake_peer(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a)
{
	struct task *p = eng->work_tasks[curr->exec.work][a->task];
	uint64_t start_ns = c->k->now_ns;

	if (p)
		sched_wake(c->k, p, a->flags & ACTION_SYNC ? WF_SYNC : 0);
	/* one write may wake any number of tasks */
	if (c->k->now_ns > start_ns)
		curr->exec.idle_actions = 0;
}

static void finish_exit(struct engine *eng, struct ecpu *c, struct task *curr)
{
	struct behaviour *b = curr->exec.behaviour;
	struct action a = {0};

	if (b->ops->ended && b->ops->ended(b, curr->exec.index, &a)) {
		CHECK(a.kind == ACTION_WAKE);
		/* who waits for a process frees it */
		if (curr->exec.process)
			eng->work_tasks[curr->exec.work][a.task]->exec.reaps = true;
		wake_peer(eng, c, curr, &a);
	}
	sched_exit(c->k);
	note_end_of_task(eng, c, curr);
}

static void go_to_sleep(struct engine *eng, struct ecpu *c)
{
	c->k->now_ns += eng->cfg.prices->work.syscall_sleep_ns;
	sched_set_sleeping(c->k);
}

static void arm_sleep_timer(struct ecpu *c)
{
	uint32_t saved = path_enter(c->k, PATH_TIMER_ARM);

	charge(c->k, WORK_TIMER_ARM, 1);
	path_leave(c->k, saved);
}

/* CURR was woken before its timer, or before what it set off was handled. Linux: hrtimer_cancel(). */
static void cancel_sleep_timer(struct engine *eng, struct task *curr)
{
	struct ecpu *c = &eng->cpus[curr->exec.timer_cpu];

	curr->exec.timer_cpu = CPU_NONE;
	timer_disarm(eng, c, curr->id);
}

/*
 * Sleep until UNTIL_NS, unless that is over before the timer is set. With ACTION_IRQ_ON a
 * device's interrupt ends the sleep; nothing is set up for it here.
 */
static void sleep_until(struct engine *eng, struct ecpu *c, struct task *curr, uint64_t until_ns,
			const struct action *a)
{
	struct ecpu *where = c;

	if (until_ns <= c->k->now_ns)
		return;
	go_to_sleep(eng, c);
	if (a->flags & ACTION_IRQ_ON) {
		if (a->value >= 0 && (uint64_t)a->value < eng->m->ncpus &&
		    eng->m->cpus[a->value].online)
			where = &eng->cpus[a->value];
	} else {
		arm_sleep_timer(c);
	}
	/* never in this section's past: the other CPUs' times may be behind */
	until_ns = max_u64(until_ns, c->k->now_ns + 1);
	if (until_ns < EVENT_TIME_MAX) {
		curr->exec.timer_cpu = where->id;
		timer_arm_at(eng, where, curr->id, until_ns);
	}
	sched_schedule(c->k);
}

/* The child is made at the start of the fork, as the kernel's copy_process() does, and woken at its end. */
static void start_fork(struct engine *eng, struct ecpu *c, struct task *curr,
		       const struct action *a)
{
	const struct work_prices *p = &eng->cfg.prices->work;
	struct task *child = create_task(eng, c, curr, curr->exec.work, a->task);
	uint64_t ns;

	if (!child)
		return;
	ns = child->exec.process ? p->fork_ns : p->thread_ns;
	if (a->flags & ACTION_FORK_EXTRA)
		ns = a->ns;
	curr->exec.target = a->task;
	work_in_kernel(curr, ACTION_FORK, ns);
}

/* A busy-waiting peer sees the store as soon as the cache line has reached it. */
static void release_peer(struct engine *eng, struct ecpu *c, const struct task *curr,
			 const struct action *a)
{
	const struct lock_prices *price = &eng->cfg.prices->lock;
	struct task *p = eng->work_tasks[curr->exec.work][a->task];
	struct ecpu *there;
	uint64_t seen_ns;

	if (!p || p->exec.kind != ACTION_SPIN || !p->exec.left)
		return;
	p->exec.left = 0;
	there = &eng->cpus[p->cpu];
	if (there->in_section || there->k->cpu->rq.curr != p)
		return;
	seen_ns = c->k->now_ns +
		  (there->k->cpu->llc == c->k->cpu->llc ? price->same_llc_ns : price->remote_ns);
	seen_ns = seen_from(eng, c->id, p->cpu, seen_ns);
	there->burst_end_ns = min_u64(there->burst_end_ns, max_u64(seen_ns, there->burst_start_ns));
	cpu_arm(eng, there);
}

/* A message is written or read: `ns` of A is a share of its price. */
static uint64_t price_of_message(struct engine *eng, struct ecpu *c, const struct task *curr,
				 const struct action *a)
{
	const struct work_prices *p = &eng->cfg.prices->work;
	struct klock *l = &eng->work_locks[curr->exec.work][a->task];
	bool writes = a->flags & ACTION_PRICE_WRITE;
	uint64_t ns = writes ? p->write_ns : p->read_ns;

	if (a->flags & ACTION_PRICE_SOCKET)
		ns = writes ? p->socket_write_ns : p->socket_read_ns;
	ns = (ns * a->ns >> 10) + klock_transfer_ns(c->k, l);
	l->last_cpu = c->id;
	/* who sends to one queue after the other comes to the next one's: a queue has two */
	prefetch(l + 2);
	return ns;
}

static void set_policy(struct engine *eng, struct ecpu *c, struct task *curr,
		       const struct action *a)
{
	const struct policy_change change = {a->policy, (int32_t)a->value, a->dl};
	enum policy_refusal why = sched_set_policy(c->k, curr, &change);

	if (why != POLICY_GRANTED)
		refuse(eng, curr->comm, why);
}

static void set_affinity(struct engine *eng, struct ecpu *c, struct task *curr,
			 const struct action *a)
{
	enum policy_refusal why = sched_set_affinity(c->k, curr, a->cpus);

	if (why != POLICY_GRANTED)
		refuse(eng, curr->comm, why);
}

void action_run(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a)
{
	curr->exec.kind = (uint8_t)a->kind;
	curr->exec.in_kernel = a->flags & ACTION_IN_KERNEL;
	curr->exec.left = a->ns;
	if (a->flags & (ACTION_PRICE_WRITE | ACTION_PRICE_READ))
		curr->exec.left = price_of_message(eng, c, curr, a);
}

/* Actions that take time or leave the CPU. */
static void do_timed(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a)
{
	switch (a->kind) {
	case ACTION_RUN:
	case ACTION_RUN_CPUTIME:
	case ACTION_RUN_UNTIL:
	case ACTION_SPIN:
		action_run(eng, c, curr, a);
		break;
	case ACTION_SLEEP:
		sleep_until(eng, c, curr, c->k->now_ns + a->ns, a);
		break;
	case ACTION_SLEEP_UNTIL:
		sleep_until(eng, c, curr, a->ns, a);
		break;
	case ACTION_BLOCK:
		go_to_sleep(eng, c);
		sched_schedule(c->k);
		break;
	case ACTION_YIELD:
		sched_do_yield(c->k);
		break;
	case ACTION_FORK:
		start_fork(eng, c, curr, a);
		break;
	case ACTION_EXEC:
		/* no work yet: a stopper that is to move the task may preempt it here */
		work_in_kernel(curr, ACTION_EXEC, 0);
		sched_exec(c->k);
		break;
	case ACTION_RCU:
		sched_rcu_step(c->k);
		go_to_sleep(eng, c);
		sched_schedule(c->k);
		break;
	case ACTION_SYNCHRONIZE_RCU:
		if (!sched_synchronize_rcu(c->k))
			break;
		go_to_sleep(eng, c);
		sched_schedule(c->k);
		break;
	case ACTION_EXIT:
		sched_call_rcu(c->k);
		work_in_kernel(curr, ACTION_EXIT, eng->cfg.prices->work.exit_ns);
		break;
	case ACTION_LOCK:
	case ACTION_UNLOCK:
	case ACTION_LOCKED_WORK:
	case ACTION_WAKE:
	case ACTION_RELEASE:
	case ACTION_SET_NICE:
	case ACTION_SET_POLICY:
	case ACTION_SET_AFFINITY:
	case ACTION_DONE:
	case ACTION_START_MARK:
	case ACTION_END_MARK:
	case ACTION_CALL_RCU:
	case ACTION_KIND_COUNT:
		CHECK(false && "not a timed action");
	}
}

void action_do(struct engine *eng, struct ecpu *c, struct task *curr, const struct action *a)
{
	struct engine_work *w = &eng->work[curr->exec.work];

	switch (a->kind) {
	case ACTION_WAKE:
		wake_peer(eng, c, curr, a);
		break;
	case ACTION_RELEASE:
		release_peer(eng, c, curr, a);
		break;
	case ACTION_LOCK:
		c->locks_held++;
		c->k->port->lock(c->k, &eng->work_locks[curr->exec.work][a->task]);
		break;
	case ACTION_UNLOCK:
		CHECK(c->locks_held > 0);
		c->locks_held--;
		c->k->port->unlock(c->k, &eng->work_locks[curr->exec.work][a->task]);
		break;
	case ACTION_LOCKED_WORK:
		c->k->now_ns += a->ns;
		break;
	case ACTION_SET_NICE:
		sched_set_nice(c->k, curr, (int32_t)a->value);
		break;
	case ACTION_SET_POLICY:
		set_policy(eng, c, curr, a);
		break;
	case ACTION_SET_AFFINITY:
		set_affinity(eng, c, curr, a);
		break;
	case ACTION_DONE:
		w->done_count += (uint64_t)a->value;
		break;
	case ACTION_START_MARK:
		w->start_mark_ns = c->k->now_ns;
		break;
	case ACTION_END_MARK:
		w->end_ns = c->k->now_ns;
		break;
	case ACTION_CALL_RCU:
		sched_call_rcu(c->k);
		break;
	case ACTION_RUN:
	case ACTION_RUN_CPUTIME:
	case ACTION_RUN_UNTIL:
	case ACTION_SPIN:
	case ACTION_SLEEP:
	case ACTION_SLEEP_UNTIL:
	case ACTION_BLOCK:
	case ACTION_FORK:
	case ACTION_YIELD:
	case ACTION_EXEC:
	case ACTION_RCU:
	case ACTION_SYNCHRONIZE_RCU:
	case ACTION_EXIT:
	case ACTION_KIND_COUNT:
		do_timed(eng, c, curr, a);
		break;
	}
}

static void stop_because_stuck(struct engine *eng, const struct task *p)
{
	snprintf(eng->error->where, sizeof(eng->error->where), "task %u (%s)", p->id, p->comm);
	snprintf(eng->error->what, sizeof(eng->error->what),
		 "did %u actions without any time passing; a workload must compute or sleep",
		 IDLE_ACTIONS_MAX);
	eng->error->limit = true;
	engine_stop(eng, ENGINE_END_STUCK);
}

bool action_ask(struct engine *eng, struct ecpu *c, struct task *curr, struct action *a)
{
	struct task_exec *x = &curr->exec;

	if (unlikely(++x->idle_actions > IDLE_ACTIONS_MAX)) {
		stop_because_stuck(eng, curr);
		return false;
	}
	*a = (struct action){0};
	x->behaviour->ops->next(x->behaviour, x->index, c->k->now_ns, a);
	return true;
}

void action_next(struct engine *eng, struct ecpu *c, struct task *curr)
{
	struct task_exec *x = &curr->exec;
	struct action a;

	if (x->timer_cpu != CPU_NONE)
		cancel_sleep_timer(eng, curr);
	if (x->reaps) {
		x->reaps = false;
		sched_call_rcu(c->k);
	}
	if (x->kind == ACTION_FORK) {
		x->kind = ACTION_RUN;
		finish_fork(eng, c, curr);
		return;
	}
	if (x->kind == ACTION_EXEC) {
		sched_call_rcu(c->k);
		work_in_kernel(curr, ACTION_RUN, eng->cfg.prices->work.exec_ns);
		return;
	}
	if (x->kind == ACTION_EXIT) {
		finish_exit(eng, c, curr);
		return;
	}
	if (action_ask(eng, c, curr, &a))
		action_do(eng, c, curr, &a);
}
