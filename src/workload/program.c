/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The builder of programs. All groups' steps lie in one array, so that a
 * task's place in its program is one number; objects (queues, timers, masks,
 * attributes) are numbered arrays beside it. A reference to a group may point
 * forwards: the interpreter looks the group up when the step runs.
 *
 * Errors are sticky: after the first failed allocation or passed limit the
 * calls do nothing that matters and program_finish() tells. Memory: 48 bytes
 * a task, 8 a timer, 24 a step.
 *
 * Left out on purpose: jumps other than loops, and conditions. A workload that
 * needs them is better written as a behaviour of its own.
 */
#include "workload/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "workload/program_state.h"

struct program *program_create(uint64_t seed, const char *purpose)
{
	struct program *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->behaviour.ops = &program_ops;
	p->seed = seed;
	p->purpose = purpose;
	return p;
}

void program_destroy(struct program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->nmasks; i++)
		free(p->masks[i]);
	free(p->steps);
	free(p->groups);
	free(p->queues);
	free(p->masks);
	free(p->attrs);
	free(p->tasks);
	free(p->timers);
	free(p);
}

/*
 * Room for one more element of SIZE bytes in the array *BASE of *CAP elements,
 * N of them used. The array doubles, so all growth together is linear.
 */
static bool grow(struct program *p, void *base, uint32_t n, uint32_t *cap, size_t size)
{
	void **array = base;
	uint32_t wanted = *cap ? *cap * 2 : 16;
	void *bigger;

	if (n < *cap)
		return true;
	if (wanted <= *cap) {
		p->out_of_memory = true;
		return false;
	}
	bigger = realloc(*array, (size_t)wanted * size);
	if (!bigger) {
		p->out_of_memory = true;
		return false;
	}
	*array = bigger;
	*cap = wanted;
	return true;
}

uint32_t program_queue(struct program *p)
{
	if (!grow(p, &p->queues, p->nqueues, &p->queues_cap, sizeof(*p->queues)))
		return 0;
	p->queues[p->nqueues].spin_ns = 0;
	return p->nqueues++;
}

uint32_t program_timers(struct program *p, uint32_t n)
{
	uint32_t first = p->shared_timers;

	if (n > PROGRAM_TIMERS_MAX - first) {
		p->too_many_timers = true;
		return 0;
	}
	p->shared_timers += n;
	return first;
}

uint16_t program_mask(struct program *p, struct mask *mask)
{
	if (!mask) {
		p->out_of_memory = true;
		return PROGRAM_CPUS_SAME;
	}
	for (uint32_t i = 0; i < p->nmasks; i++) {
		if (mask_equal(p->masks[i], mask)) {
			free(mask);
			return (uint16_t)i;
		}
	}
	if (p->nmasks == PROGRAM_CPUS_SAME ||
	    !grow(p, &p->masks, p->nmasks, &p->masks_cap, sizeof(*p->masks))) {
		p->out_of_memory = true;
		free(mask);
		return PROGRAM_CPUS_SAME;
	}
	p->masks[p->nmasks] = mask;
	return (uint16_t)p->nmasks++;
}

bool program_same_dl(const struct dl_params *a, const struct dl_params *b)
{
	return a->runtime_ns == b->runtime_ns && a->deadline_ns == b->deadline_ns &&
	       a->period_ns == b->period_ns && a->flags == b->flags;
}

uint16_t program_attr(struct program *p, struct program_attr attr)
{
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (p->attrs[i].policy == attr.policy && p->attrs[i].nice == attr.nice &&
		    p->attrs[i].kthread == attr.kthread &&
		    p->attrs[i].rt_priority == attr.rt_priority &&
		    program_same_dl(&p->attrs[i].dl, &attr.dl))
			return (uint16_t)i;
	if (p->nattrs == PROGRAM_ATTRS_MAX) {
		p->too_many_attrs = true;
		return 0;
	}
	if (!grow(p, &p->attrs, p->nattrs, &p->attrs_cap, sizeof(*p->attrs)))
		return 0;
	p->attrs[p->nattrs] = attr;
	return (uint16_t)p->nattrs++;
}

static void add_step(struct program *p, struct step s)
{
	if (!grow(p, &p->steps, p->nsteps, &p->steps_cap, sizeof(*p->steps)))
		return;
	p->steps[p->nsteps++] = s;
}

static void add_op(struct program *p, enum op op)
{
	add_step(p, (struct step){.op = (uint8_t)op});
}

static void add_index(struct program *p, enum op op, uint32_t index)
{
	add_step(p, (struct step){.op = (uint8_t)op, .index = index});
}

static void add_amount(struct program *p, enum op op, struct amount x)
{
	CHECK(x.ns <= x.high_ns);
	add_step(p,
		 (struct step){
			 .op = (uint8_t)op, .amount = (uint8_t)x.kind, .a = x.ns, .b = x.high_ns});
}

uint32_t program_group(struct program *p, const struct program_group *g)
{
	uint32_t first = 0;
	struct group *n;

	CHECK(p->loops_open == 0);
	if (p->ngroups > 0)
		program_exit(p);
	if (!grow(p, &p->groups, p->ngroups, &p->groups_cap, sizeof(*p->groups)))
		return 0;
	if (p->ngroups > 0)
		first = program_first_task(p, p->ngroups - 1) + p->groups[p->ngroups - 1].count;
	/* one creator, and everybody else counted in full */
	if (g->count > PROGRAM_TASKS_MAX + 1 - first)
		p->too_many_tasks = true;
	n = &p->groups[p->ngroups];
	memset(n, 0, sizeof(*n));
	for (size_t i = 0; i + 1 < sizeof(n->comm) && g->comm[i]; i++)
		n->comm[i] = g->comm[i];
	n->first = first;
	n->count = p->too_many_tasks ? 0 : g->count;
	n->pc = p->nsteps;
	n->attr = g->attr;
	n->cpus = g->cpus;
	n->numbered = g->numbered;
	n->pool = g->pool;
	return p->ngroups++;
}

uint32_t program_first_task(const struct program *p, uint32_t group)
{
	CHECK(group < p->ngroups);
	return p->groups[group].first;
}

void program_run(struct program *p, struct amount work)
{
	add_amount(p, OP_RUN, work);
}

void program_run_cputime(struct program *p, struct amount cputime)
{
	add_amount(p, OP_RUN_CPUTIME, cputime);
}

void program_run_for(struct program *p, struct amount span)
{
	add_amount(p, OP_RUN_FOR, span);
}

void program_run_forever(struct program *p)
{
	add_op(p, OP_RUN_FOREVER);
}

void program_sleep(struct program *p, struct amount span)
{
	add_amount(p, OP_SLEEP, span);
}

void program_sleep_elsewhere(struct program *p, struct amount span, uint32_t percent,
			     uint32_t ncpus)
{
	CHECK(ncpus > 0 && percent <= 100 && span.ns <= span.high_ns);
	add_step(p, (struct step){.op = OP_SLEEP,
				  .amount = (uint8_t)span.kind,
				  .flags = STEP_ELSEWHERE,
				  .level = (uint8_t)percent,
				  .index = ncpus,
				  .a = span.ns,
				  .b = span.high_ns});
}

void program_block_forever(struct program *p)
{
	add_op(p, OP_BLOCK_FOREVER);
}

/* A group has as many own timers as the highest number used says. */
static void note_own_timer(struct program *p, uint32_t timer)
{
	struct group *g;

	if (p->ngroups == 0)
		return;
	g = &p->groups[p->ngroups - 1];
	if (timer >= PROGRAM_TIMERS_MAX)
		p->too_many_timers = true;
	else if (timer >= g->timers)
		g->timers = timer + 1;
}

void program_timer(struct program *p, const struct program_timer *t)
{
	unsigned flags = (t->own ? STEP_OWN : 0) | (t->absolute ? STEP_ABSOLUTE : 0);

	if (t->own)
		note_own_timer(p, t->timer);
	add_step(p, (struct step){.op = OP_TIMER,
				  .flags = (uint8_t)flags,
				  .index = t->timer,
				  .a = t->period_ns,
				  .b = t->delay_ns});
}

void program_timer_start(struct program *p, uint32_t timer, struct amount after)
{
	note_own_timer(p, timer);
	add_step(p, (struct step){.op = OP_TIMER_START,
				  .amount = (uint8_t)after.kind,
				  .flags = STEP_OWN,
				  .index = timer,
				  .a = after.ns,
				  .b = after.high_ns});
}

void program_zero(struct program *p)
{
	add_op(p, OP_ZERO);
}

void program_delay(struct program *p, uint64_t delay_ns)
{
	add_step(p, (struct step){.op = OP_DELAY, .a = delay_ns});
}

void program_barrier(struct program *p, uint32_t queue, uint32_t need, uint32_t done)
{
	CHECK(need > 0);
	add_step(p, (struct step){.op = OP_BARRIER, .index = queue, .a = need, .b = done});
}

void program_first_tasks(struct program *p, uint32_t n)
{
	p->behaviour.nfirst = n;
}

void program_barrier_spin(struct program *p, uint32_t queue, uint64_t spin_ns)
{
	if (queue < p->nqueues)
		p->queues[queue].spin_ns = spin_ns;
}

void program_lock(struct program *p, uint32_t queue)
{
	add_index(p, OP_LOCK, queue);
}

void program_unlock(struct program *p, uint32_t queue)
{
	add_index(p, OP_UNLOCK, queue);
}

void program_wait(struct program *p, uint32_t condition, uint32_t mutex)
{
	add_index(p, OP_WAIT_ENTER, condition);
	add_index(p, OP_UNLOCK, mutex);
	add_index(p, OP_WAIT_BLOCK, condition);
	add_index(p, OP_LOCK, mutex);
}

void program_signal(struct program *p, uint32_t condition)
{
	add_index(p, OP_SIGNAL, condition);
}

void program_broadcast(struct program *p, uint32_t condition)
{
	add_index(p, OP_BROADCAST, condition);
}

void program_post(struct program *p, uint32_t semaphore)
{
	add_index(p, OP_POST, semaphore);
}

void program_sem_wait(struct program *p, uint32_t semaphore)
{
	add_index(p, OP_SEM_WAIT, semaphore);
}

void program_fork(struct program *p, uint32_t group)
{
	add_index(p, OP_FORK, group);
}

void program_fork_pool(struct program *p, uint32_t group)
{
	add_index(p, OP_FORK_POOL, group);
}

void program_join_all(struct program *p)
{
	add_op(p, OP_JOIN_ALL);
}

void program_loop_begin(struct program *p, uint32_t count)
{
	CHECK(p->loops_open < PROGRAM_LOOPS_MAX);
	add_step(p,
		 (struct step){.op = OP_LOOP_BEGIN, .level = (uint8_t)p->loops_open, .a = count});
	p->loop_pc[p->loops_open++] = p->nsteps;
}

void program_loop_end(struct program *p)
{
	uint32_t level, begin;

	CHECK(p->loops_open > 0);
	level = --p->loops_open;
	begin = p->loop_pc[level];
	if (begin == 0 || begin > p->nsteps)
		return; /* out of memory on the way */
	add_step(p, (struct step){.op = OP_LOOP_END,
				  .level = (uint8_t)level,
				  .index = begin,
				  .a = p->steps[begin - 1].a});
}

void program_done(struct program *p, uint32_t units)
{
	add_step(p, (struct step){.op = OP_DONE, .a = units});
}

void program_start_mark(struct program *p)
{
	add_op(p, OP_START_MARK);
}

void program_end_mark(struct program *p)
{
	add_op(p, OP_END_MARK);
}

void program_rcu(struct program *p)
{
	p->behaviour.rcu = true;
	add_op(p, OP_RCU);
}

void program_yield(struct program *p)
{
	add_op(p, OP_YIELD);
}

void program_set_attr(struct program *p, uint16_t attr)
{
	add_index(p, OP_SET_ATTR, attr);
}

void program_set_cpus(struct program *p, uint16_t cpus)
{
	add_index(p, OP_SET_CPUS, cpus);
}

void program_exit(struct program *p)
{
	add_op(p, OP_EXIT);
}

uint32_t program_steps(const struct program *p)
{
	return p->nsteps;
}

/* Numbers the groups' own timers behind the shared ones and counts all. */
static void place_timers(struct program *p)
{
	uint64_t n = p->shared_timers;

	for (uint32_t i = 0; i < p->ngroups; i++) {
		struct group *g = &p->groups[i];

		g->timer_first = (uint32_t)n;
		n += (uint64_t)g->count * g->timers; /* below 2^20 * 2^22 each */
		if (n > PROGRAM_TIMERS_MAX) {
			p->too_many_timers = true;
			return;
		}
	}
	p->ntimers = (uint32_t)n;
}

/* Steps that name a group, attribute or mask name one that exists. */
static void check_references(const struct program *p)
{
	for (uint32_t i = 0; i < p->nsteps; i++) {
		const struct step *s = &p->steps[i];

		if (s->op == OP_FORK || s->op == OP_FORK_POOL)
			CHECK(s->index < p->ngroups);
		if (s->op == OP_SET_ATTR)
			CHECK(s->index < p->nattrs);
		if (s->op == OP_SET_CPUS)
			CHECK(s->index < p->nmasks || s->index == PROGRAM_CPUS_SAME);
	}
}

bool program_finish(struct program *p, struct rql_error *e)
{
	uint32_t ntasks;

	CHECK(p->ngroups > 0 || p->out_of_memory);
	CHECK(p->loops_open == 0);
	program_exit(p);
	place_timers(p);
	if (p->too_many_tasks) {
		err_set(e, NULL, "too many tasks; at most 1000000 in one workload", NULL, NULL);
		return false;
	}
	if (p->too_many_timers) {
		err_set(e, NULL, "too many timers; at most 4000000 in one workload", NULL, NULL);
		return false;
	}
	if (p->too_many_attrs) {
		err_set(e, NULL, "too many sets of policy and its parameters; ",
			"at most 65535 different ones in one workload", NULL);
		return false;
	}
	if (p->out_of_memory)
		return err_set(e, NULL, "out of memory for the workload", NULL, NULL);
	check_references(p);
	ntasks = p->groups[p->ngroups - 1].first + p->groups[p->ngroups - 1].count;
	CHECK(ntasks > 0);
	p->tasks = calloc(ntasks, sizeof(*p->tasks));
	p->timers = calloc((size_t)p->ntimers + 1, sizeof(*p->timers));
	if (!p->tasks || !p->timers)
		return err_set(e, NULL, "out of memory for the workload", NULL, NULL);
	p->behaviour.ntasks = ntasks;
	program_reset(p, p->seed);
	return true;
}

struct behaviour *program_behaviour(struct program *p)
{
	CHECK(p->tasks != NULL);
	return &p->behaviour;
}

void program_destroy_behaviour(struct behaviour *b)
{
	program_destroy((struct program *)(void *)b);
}

void program_reset(struct program *p, uint64_t seed)
{
	CHECK(p->tasks != NULL);
	memset(p->tasks, 0, sizeof(*p->tasks) * p->behaviour.ntasks);
	for (uint32_t i = 0; i < p->ntimers; i++)
		p->timers[i] = TIME_NEVER;
	for (uint32_t i = 0; i < p->nqueues; i++) {
		p->queues[i].head = NO_TASK;
		p->queues[i].tail = NO_TASK;
		p->queues[i].value = 0;
	}
	for (uint32_t i = 0; i < p->ngroups; i++)
		p->groups[i].used = 0;
	p->seed = seed;
	p->zero_ns = 0;
	p->zero_set = false;
	p->created = 0;
	p->live = p->behaviour.nfirst ? p->behaviour.nfirst : 1;
	p->joiner = NO_TASK;
	p->join_target = NO_TASK;
}
