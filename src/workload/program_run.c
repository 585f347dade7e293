/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter of programs: next() runs the task's steps until one has an
 * action for the engine. A step with several actions (fork many, wake many)
 * keeps its place in the task's state and is entered again.
 *
 * Waiting. A task that waits stands in exactly one FIFO, linked through its
 * state, and has the flag QUEUED; whoever takes it out clears the flag and
 * returns ACTION_WAKE for it. A waiting step that is entered again while the
 * flag stands blocks again, so a wake-up from elsewhere does no harm. To wake
 * many, the whole queue becomes the waker's chain, which is worked off one
 * ACTION_WAKE per next() before anything else; a chained task keeps its flag
 * until its turn. A task between entering a condition's queue and blocking
 * (ENTERING: it may be waking the next owner of the mutex meanwhile) is taken
 * out without a wake-up: it will see that and not block. So each ACTION_WAKE
 * meets a task that has blocked, and none can arrive late.
 *
 * Invariant: queue and chain links are used by QUEUED tasks only; a task is
 * QUEUED only between its enqueueing and its wake-up.
 *
 * A program whose steps never produce an action (a loop over free locks) would
 * keep next() for ever: after STEPS_MAX steps it answers ACTION_DONE of 0
 * units, which counts nothing and lets the engine's limit on actions without
 * progress of time do its work.
 *
 * Cost: a few ns a step; nothing is allocated.
 */
#include "workload/program_state.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"

#define STEPS_MAX 64
#define FOREVER_NS (UINT64_C(100) * NS_PER_S) /* one piece of an endless computation */

/* One call of next(). */
struct frame {
	struct program *p;
	struct task_state *t;
	const struct step *s;
	struct action *out;
	uint64_t now_ns;
	uint32_t task;
};

static uint64_t draw(struct frame *f)
{
	const struct step *s = f->s;

	switch ((enum amount_kind)s->amount) {
	case AMOUNT_FIXED:
		break;
	case AMOUNT_UNIFORM:
		return rng_between(&f->t->rng, s->a, s->b);
	case AMOUNT_EXPONENTIAL:
		return rng_exponential(&f->t->rng, s->a);
	}
	return s->a;
}

static bool act(struct frame *f, enum action_kind kind, uint64_t ns)
{
	f->out->kind = kind;
	f->out->ns = ns;
	return true;
}

/* Make TASK, just taken out of its queue, go on: from its sleep or from its busy-wait. */
static bool act_wake(struct frame *f, uint32_t task)
{
	struct task_state *t = &f->p->tasks[task];

	f->out->kind = t->flags & TASK_SPINNING ? ACTION_RELEASE : ACTION_WAKE;
	f->out->task = task;
	t->flags &= (uint8_t)~TASK_SPINNING;
	return true;
}

static void enqueue(struct frame *f, struct wait_queue *q)
{
	CHECK(!(f->t->flags & TASK_QUEUED));
	f->t->flags |= TASK_QUEUED;
	f->t->link = NO_TASK;
	if (q->head == NO_TASK)
		q->head = f->task;
	else
		f->p->tasks[q->tail].link = f->task;
	q->tail = f->task;
}

/* Take the first task out of Q; true when it must be woken. */
static bool release_first(struct frame *f, struct wait_queue *q, uint32_t *task)
{
	struct task_state *t;
	bool entering;

	CHECK(q->head != NO_TASK);
	*task = q->head;
	t = &f->p->tasks[*task];
	CHECK(t->flags & TASK_QUEUED);
	entering = t->flags & TASK_ENTERING;
	q->head = t->link;
	t->flags &= (uint8_t) ~(TASK_QUEUED | TASK_ENTERING);
	return !entering;
}

/* All of Q are F's to wake from now on. */
static void chain_all(struct frame *f, struct wait_queue *q)
{
	CHECK(f->t->chain == NO_TASK);
	f->t->chain = q->head;
	q->head = NO_TASK;
}

/* Wake the next of the chain; false when there is none to wake. */
static bool work_off_chain(struct frame *f)
{
	while (f->t->chain != NO_TASK) {
		struct wait_queue rest = {f->t->chain, NO_TASK, 0, 0};
		uint32_t task;
		bool wake = release_first(f, &rest, &task);

		f->t->chain = rest.head;
		if (wake)
			return act_wake(f, task);
	}
	return false;
}

static bool do_run(struct frame *f)
{
	uint64_t ns = draw(f);

	f->t->pc++;
	return ns > 0 && act(f, ACTION_RUN, ns);
}

static bool do_run_cputime(struct frame *f)
{
	uint64_t ns = draw(f);

	f->t->pc++;
	return ns > 0 && act(f, ACTION_RUN_CPUTIME, ns);
}

static bool do_run_for(struct frame *f)
{
	uint64_t ns = draw(f);

	f->t->pc++;
	return ns > 0 && act(f, ACTION_RUN_UNTIL, f->now_ns + ns);
}

static bool do_run_forever(struct frame *f)
{
	return act(f, ACTION_RUN, FOREVER_NS);
}

static bool do_sleep(struct frame *f)
{
	uint64_t span_ns = max_u64(draw(f), 1);

	f->t->pc++;
	if ((f->s->flags & STEP_ELSEWHERE) && rng_below(&f->t->rng, 100) < f->s->level) {
		f->out->flags = ACTION_IRQ_ON;
		f->out->value = (int64_t)rng_below(&f->t->rng, f->s->index);
	}
	return act(f, ACTION_SLEEP, span_ns);
}

static bool do_block_forever(struct frame *f)
{
	return act(f, ACTION_BLOCK, 0);
}

static uint64_t *timer_of(struct frame *f)
{
	const struct group *g = &f->p->groups[f->t->group];
	uint32_t i = f->s->index;

	if (f->s->flags & STEP_OWN)
		i += g->timer_first + (f->task - g->first) * g->timers;
	CHECK(i < f->p->ntimers);
	return &f->p->timers[i];
}

static bool do_timer(struct frame *f)
{
	uint64_t *next_ns = timer_of(f);

	f->t->pc++;
	if (*next_ns == TIME_NEVER)
		*next_ns = f->p->zero_ns + f->s->b;
	*next_ns += f->s->a;
	if (f->now_ns < *next_ns)
		return act(f, ACTION_SLEEP_UNTIL, *next_ns);
	if (!(f->s->flags & STEP_ABSOLUTE))
		*next_ns = f->now_ns;
	return false;
}

static bool do_timer_start(struct frame *f)
{
	uint64_t *next_ns = timer_of(f);

	f->t->pc++;
	*next_ns = f->now_ns + draw(f);
	return *next_ns > f->now_ns && act(f, ACTION_SLEEP_UNTIL, *next_ns);
}

static bool do_zero(struct frame *f)
{
	f->t->pc++;
	if (f->p->zero_set)
		return false;
	f->p->zero_ns = f->now_ns;
	f->p->zero_set = true;
	return act(f, ACTION_START_MARK, 0);
}

static bool do_delay(struct frame *f)
{
	uint64_t until_ns = f->p->zero_ns + f->s->a;

	f->t->pc++;
	return until_ns > f->now_ns && act(f, ACTION_SLEEP_UNTIL, until_ns);
}

static bool wait_at_barrier(struct frame *f, const struct wait_queue *q)
{
	if (q->spin_ns == 0)
		return act(f, ACTION_BLOCK, 0);
	f->t->flags |= TASK_SPINNING;
	return act(f, ACTION_SPIN,
		   q->spin_ns > UINT64_MAX - f->now_ns ? UINT64_MAX : f->now_ns + q->spin_ns);
}

static bool do_barrier(struct frame *f)
{
	struct wait_queue *q = &f->p->queues[f->s->index];

	if (f->t->flags & TASK_QUEUED) {
		/* the busy-wait took too long */
		f->t->flags &= (uint8_t)~TASK_SPINNING;
		return act(f, ACTION_BLOCK, 0);
	}
	if (f->t->flags & TASK_ARRIVED) {
		f->t->flags &= (uint8_t)~TASK_ARRIVED;
		f->t->pc++;
		return false;
	}
	if (++q->value < f->s->a) {
		f->t->flags |= TASK_ARRIVED;
		enqueue(f, q);
		return wait_at_barrier(f, q);
	}
	q->value = 0;
	chain_all(f, q);
	f->t->pc++;
	if (f->s->b == 0)
		return false;
	f->out->value = (int64_t)f->s->b;
	return act(f, ACTION_DONE, 0);
}

static bool do_lock(struct frame *f)
{
	struct wait_queue *q = &f->p->queues[f->s->index];

	if (f->t->flags & TASK_QUEUED)
		return act(f, ACTION_BLOCK, 0);
	if (q->value == 0) {
		q->value = 1;
		f->t->pc++;
		return false;
	}
	enqueue(f, q);
	return act(f, ACTION_BLOCK, 0);
}

/* Take one out of the step's queue, if there is one, and wake it. */
static bool wake_one(struct frame *f)
{
	struct wait_queue *q = &f->p->queues[f->s->index];
	uint32_t task;

	if (q->head == NO_TASK || !release_first(f, q, &task))
		return false;
	return act_wake(f, task);
}

static bool do_unlock(struct frame *f)
{
	f->p->queues[f->s->index].value = 0;
	f->t->pc++;
	return wake_one(f);
}

static bool do_wait_enter(struct frame *f)
{
	enqueue(f, &f->p->queues[f->s->index]);
	f->t->flags |= TASK_ENTERING;
	f->t->pc++;
	return false;
}

static bool do_wait_block(struct frame *f)
{
	f->t->flags &= (uint8_t)~TASK_ENTERING;
	if (f->t->flags & TASK_QUEUED)
		return act(f, ACTION_BLOCK, 0);
	f->t->pc++;
	return false;
}

static bool do_signal(struct frame *f)
{
	f->t->pc++;
	return wake_one(f);
}

static bool do_broadcast(struct frame *f)
{
	chain_all(f, &f->p->queues[f->s->index]);
	f->t->pc++;
	return false;
}

static bool do_post(struct frame *f)
{
	f->p->queues[f->s->index].value++;
	f->t->pc++;
	return wake_one(f);
}

static bool do_sem_wait(struct frame *f)
{
	struct wait_queue *q = &f->p->queues[f->s->index];

	if (f->t->flags & TASK_QUEUED)
		return act(f, ACTION_BLOCK, 0);
	if (q->value > 0) {
		q->value--;
		f->t->pc++;
		return false;
	}
	enqueue(f, q);
	return act(f, ACTION_BLOCK, 0);
}

/* The child's name carries how many tasks there were before it. */
static bool act_fork(struct frame *f, uint32_t task)
{
	f->p->tasks[task].cursor = f->p->created++;
	f->p->live++;
	f->out->kind = ACTION_FORK;
	f->out->task = task;
	return true;
}

static bool do_fork(struct frame *f)
{
	const struct group *g = &f->p->groups[f->s->index];

	if (f->t->cursor < g->count)
		return act_fork(f, g->first + f->t->cursor++);
	f->t->cursor = 0;
	f->t->pc++;
	return false;
}

static bool do_fork_pool(struct frame *f)
{
	struct group *g = &f->p->groups[f->s->index];

	f->t->pc++;
	if (g->used == g->count)
		return false;
	return act_fork(f, g->first + g->used++);
}

/* Passes over the tasks until only the joiner lives: a late pass finds what was created behind it. */
static bool do_join_all(struct frame *f)
{
	struct program *p = f->p;

	while (p->live > 1) {
		const struct task_state *t = &p->tasks[f->t->cursor];

		if (f->t->cursor != f->task && (t->flags & TASK_CREATED) &&
		    !(t->flags & TASK_EXITED)) {
			CHECK(p->joiner == NO_TASK || p->joiner == f->task);
			p->joiner = f->task;
			p->join_target = f->t->cursor;
			return act(f, ACTION_BLOCK, 0);
		}
		if (++f->t->cursor < p->behaviour.ntasks)
			continue;
		f->t->cursor = 0;
	}
	p->joiner = NO_TASK;
	f->t->cursor = 0;
	f->t->pc++;
	return false;
}

static bool do_loop_begin(struct frame *f)
{
	f->t->count[f->s->level] = 0;
	f->t->pc++;
	return false;
}

static bool do_loop_end(struct frame *f)
{
	uint32_t *count = &f->t->count[f->s->level];

	if (f->s->a == 0 || ++*count < f->s->a)
		f->t->pc = f->s->index;
	else
		f->t->pc++;
	return false;
}

static bool do_done(struct frame *f)
{
	f->t->pc++;
	f->out->value = (int64_t)f->s->a;
	return act(f, ACTION_DONE, 0);
}

static bool do_start_mark(struct frame *f)
{
	f->t->pc++;
	return act(f, ACTION_START_MARK, 0);
}

static bool do_end_mark(struct frame *f)
{
	f->t->pc++;
	return act(f, ACTION_END_MARK, 0);
}

static bool do_yield(struct frame *f)
{
	f->t->pc++;
	return act(f, ACTION_YIELD, 0);
}

static bool do_rcu(struct frame *f)
{
	f->t->pc++;
	return act(f, ACTION_RCU, 0);
}

/* The change of policy alone: a nice value in force stays. */
static bool act_policy(struct frame *f, const struct program_attr *new, int32_t nice_now)
{
	f->out->policy = new->policy;
	switch (new->policy) {
	case POLICY_FIFO:
	case POLICY_RR:
		f->out->value = new->rt_priority;
		break;
	case POLICY_DEADLINE:
		f->out->dl = &new->dl;
		break;
	case POLICY_NORMAL:
	case POLICY_BATCH:
	case POLICY_IDLE:
		f->out->value = nice_now;
		break;
	}
	return act(f, ACTION_SET_POLICY, 0);
}

/* Policy first, then the nice value, as two calls of the task; what is in force already is left. */
static bool do_set_attr(struct frame *f)
{
	const struct program_attr *old = &f->p->attrs[f->t->attr];
	const struct program_attr *new = &f->p->attrs[f->s->index];
	bool policy = old->policy != new->policy || old->rt_priority != new->rt_priority ||
		      !program_same_dl(&old->dl, &new->dl);

	if (policy && f->t->cursor == 0) {
		f->t->cursor = 1;
		return act_policy(f, new, old->nice);
	}
	f->t->cursor = 0;
	f->t->attr = (uint16_t)f->s->index;
	f->t->pc++;
	if (old->nice == new->nice)
		return false;
	f->out->value = new->nice;
	return act(f, ACTION_SET_NICE, 0);
}

static bool do_set_cpus(struct frame *f)
{
	f->t->pc++;
	if (f->s->index == PROGRAM_CPUS_SAME || f->t->cpus == f->s->index)
		return false;
	f->t->cpus = (uint16_t)f->s->index;
	f->out->cpus = f->p->masks[f->s->index];
	return act(f, ACTION_SET_AFFINITY, 0);
}

static bool do_exit(struct frame *f)
{
	struct program *p = f->p;

	if (!(f->t->flags & TASK_EXITED)) {
		f->t->flags |= TASK_EXITED;
		p->live--;
		if (p->joiner != NO_TASK && p->join_target == f->task) {
			p->join_target = NO_TASK;
			return act_wake(f, p->joiner);
		}
	}
	return act(f, ACTION_EXIT, 0);
}

static bool (*const step_table[OP_COUNT])(struct frame *f) = {
	[OP_RUN] = do_run,
	[OP_RUN_CPUTIME] = do_run_cputime,
	[OP_RUN_FOR] = do_run_for,
	[OP_RUN_FOREVER] = do_run_forever,
	[OP_SLEEP] = do_sleep,
	[OP_BLOCK_FOREVER] = do_block_forever,
	[OP_TIMER] = do_timer,
	[OP_TIMER_START] = do_timer_start,
	[OP_ZERO] = do_zero,
	[OP_DELAY] = do_delay,
	[OP_BARRIER] = do_barrier,
	[OP_LOCK] = do_lock,
	[OP_UNLOCK] = do_unlock,
	[OP_WAIT_ENTER] = do_wait_enter,
	[OP_WAIT_BLOCK] = do_wait_block,
	[OP_SIGNAL] = do_signal,
	[OP_BROADCAST] = do_broadcast,
	[OP_POST] = do_post,
	[OP_SEM_WAIT] = do_sem_wait,
	[OP_FORK] = do_fork,
	[OP_FORK_POOL] = do_fork_pool,
	[OP_JOIN_ALL] = do_join_all,
	[OP_LOOP_BEGIN] = do_loop_begin,
	[OP_LOOP_END] = do_loop_end,
	[OP_DONE] = do_done,
	[OP_START_MARK] = do_start_mark,
	[OP_END_MARK] = do_end_mark,
	[OP_YIELD] = do_yield,
	[OP_RCU] = do_rcu,
	[OP_SET_ATTR] = do_set_attr,
	[OP_SET_CPUS] = do_set_cpus,
	[OP_EXIT] = do_exit,
};

static void program_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct program *p = (struct program *)(void *)b;
	struct frame f = {p, &p->tasks[task], NULL, out, now_ns, task};

	CHECK(task < b->ntasks);
	CHECK(f.t->flags & TASK_CREATED);
	if (work_off_chain(&f))
		return;
	for (int i = 0; i < STEPS_MAX; i++) {
		CHECK(f.t->pc < p->nsteps);
		f.s = &p->steps[f.t->pc];
		if (step_table[f.s->op](&f))
			return;
		if (f.t->chain != NO_TASK && work_off_chain(&f))
			return;
	}
	act(&f, ACTION_DONE, 0);
}

/* Groups hold tasks with rising numbers; empty ones share their first with the next. */
static uint32_t group_of(const struct program *p, uint32_t task)
{
	uint32_t low = 0, high = p->ngroups;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (p->groups[middle].first <= task)
			low = middle;
		else
			high = middle;
	}
	CHECK(task - p->groups[low].first < p->groups[low].count);
	return low;
}

/* Decimal N with at least four digits. */
static void append_four_digits(struct buf *b, uint32_t n)
{
	for (uint32_t limit = 1000; limit > 1 && n < limit; limit /= 10)
		buf_char(b, '0');
	buf_u64(b, n);
}

/* The number at the end of a name is never cut: the name before it is. */
static void name_task(const struct group *g, uint32_t index, uint32_t nth, struct task_attr *out)
{
	char number[24], comm[16];
	struct buf b, name;

	buf_init(&b, number, sizeof(number));
	if (g->numbered) {
		buf_char(&b, '-');
		buf_u64(&b, index);
	}
	if (g->numbered && g->pool) {
		buf_char(&b, '-');
		append_four_digits(&b, nth);
	}
	buf_init(&name, comm, sizeof(comm));
	buf_strn(&name, g->comm, sizeof(comm) - 1 - min_u64(b.len, sizeof(comm) - 1));
	buf_str(&name, number);
	for (size_t i = 0; i < sizeof(comm); i++)
		out->comm[i] = i <= name.len ? comm[i] : 0;
}

static void program_attr_of(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	struct program *p = (struct program *)(void *)b;
	struct task_state *t = &p->tasks[task];
	const struct program_attr *attr;
	const struct group *g;

	CHECK(task < b->ntasks);
	CHECK(!(t->flags & TASK_CREATED));
	t->group = group_of(p, task);
	g = &p->groups[t->group];
	attr = &p->attrs[g->attr];
	name_task(g, t->cursor, task - g->first, out);
	out->policy = attr->policy;
	out->nice = attr->nice;
	out->rt_priority = attr->rt_priority;
	out->dl = attr->dl;
	out->kthread = attr->kthread;
	out->cpus = g->cpus == PROGRAM_CPUS_SAME ? NULL : p->masks[g->cpus];
	t->rng = rng_stream(p->seed, p->purpose, task);
	t->pc = g->pc;
	t->link = NO_TASK;
	t->chain = NO_TASK;
	t->cursor = 0;
	t->attr = g->attr;
	t->cpus = g->cpus;
	t->flags = TASK_CREATED;
}

static bool program_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct program *p = (const struct program *)(const void *)b;

	if (i >= p->nattrs)
		return false;
	out->policy = p->attrs[i].policy;
	out->nice = p->attrs[i].nice;
	out->rt_priority = p->attrs[i].rt_priority;
	out->dl = p->attrs[i].dl;
	return true;
}

const struct behaviour_ops program_ops = {
	.next = program_next,
	.attr = program_attr_of,
	.policy = program_policy,
};
