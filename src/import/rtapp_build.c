/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a plan to a program that does what rt-app does, seen from the kernel.
 *
 * The main thread creates all instances in the file's order and sleeps for the
 * duration, or joins the threads. Every thread meets the others at a barrier,
 * sleeps its delay, sets its policy and nice value, and then, phase by phase,
 * sets its CPUs and attributes and goes through the events. The first thread
 * to run takes the time from which delays and timers count. A forked thread
 * does not meet the others.
 *
 * One pass through a phase counts as one unit of useful work, as it is one
 * line in rt-app's log.
 *
 * Deviations: a name too long for the kernel is cut before its number, where
 * rt-app leaves the creator's name; the time rt-app itself needs between events
 * is not there; a fork beyond the limit of 1024 is without effect, where rt-app
 * gives up; mutexes do not inherit priorities.
 */
#include "import/rtapp_plan.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "import/rtapp.h"

#define NO_POOL UINT32_MAX

/* The plan's things as the program numbers them. */
struct building {
	struct rtapp_plan *pl;
	struct program *p;
	uint32_t *objects; /* queue or timer of each resource */
	uint32_t *pools;   /* group of each task's forked instances, or NO_POOL */
	uint32_t *forks;   /* how many there may be */
	uint16_t *masks;
	uint16_t all_cpus;
	uint32_t start_barrier;
	bool confined; /* the task at hand names CPUs */
	bool endless;
};

static void add_objects(struct building *b)
{
	struct rtapp_plan *pl = b->pl;

	for (uint32_t i = 0; i < pl->nresources; i++) {
		switch (pl->resources[i].kind) {
		case RTAPP_MUTEX:
		case RTAPP_CONDITION:
		case RTAPP_SEMAPHORE:
		case RTAPP_BARRIER_POINT:
			b->objects[i] = program_queue(b->p);
			break;
		case RTAPP_SHARED_TIMER:
			b->objects[i] = program_timers(b->p, 1);
			break;
		case RTAPP_OWN_TIMER:
			b->objects[i] = pl->resources[i].users;
			break;
		case RTAPP_TASK:
			break;
		}
	}
	for (uint32_t i = 0; i < pl->nmasks; i++) {
		b->masks[i] = program_mask(b->p, pl->masks[i]);
		pl->masks[i] = NULL;
	}
	pl->nmasks = 0;
	b->start_barrier = program_queue(b->p);
}

static void add_timer(struct building *b, const struct rtapp_task *task,
		      const struct rtapp_event *event)
{
	const struct rtapp_resource *r = &b->pl->resources[event->resource];
	struct program_timer timer = {
		.timer = b->objects[event->resource],
		.own = r->kind == RTAPP_OWN_TIMER,
		.absolute = r->absolute,
		.period_ns = event->value_us * NS_PER_US,
		.delay_ns = task->delay_us * NS_PER_US,
	};

	program_timer(b->p, &timer);
}

/* The pool of the task that a fork event names, by its first entry. */
static uint32_t pool_of(const struct building *b, const struct rtapp_event *event)
{
	return b->pools[b->pl->resources[event->resource].task];
}

static void add_event(struct building *b, const struct rtapp_task *task,
		      const struct rtapp_event *event)
{
	struct amount span = amount_fixed(event->value_us * NS_PER_US);
	uint32_t object = b->objects[event->resource];
	uint32_t mutex = b->objects[event->mutex];
	struct program *p = b->p;

	switch (event->kind) {
	case RTAPP_RUN:
		program_run(p, span);
		break;
	case RTAPP_RUN_FOREVER:
		program_run_forever(p);
		break;
	case RTAPP_RUNTIME:
		program_run_for(p, span);
		break;
	case RTAPP_SLEEP:
		program_sleep(p, span);
		break;
	case RTAPP_TIMER:
		add_timer(b, task, event);
		break;
	case RTAPP_LOCK:
		program_lock(p, object);
		break;
	case RTAPP_UNLOCK:
		program_unlock(p, object);
		break;
	case RTAPP_WAIT:
		program_wait(p, object, mutex);
		break;
	case RTAPP_SIGNAL:
		program_signal(p, object);
		break;
	case RTAPP_BROAD:
		program_broadcast(p, object);
		break;
	case RTAPP_SYNC:
		program_signal(p, object);
		program_wait(p, object, mutex);
		break;
	case RTAPP_SUSPEND:
		program_lock(p, mutex);
		program_wait(p, object, mutex);
		program_unlock(p, mutex);
		break;
	case RTAPP_RESUME:
		program_lock(p, mutex);
		program_broadcast(p, object);
		program_unlock(p, mutex);
		break;
	case RTAPP_BARRIER:
		program_barrier(p, object, b->pl->resources[event->resource].users, 0);
		break;
	case RTAPP_YIELD:
		program_yield(p);
		break;
	case RTAPP_FORK:
		program_fork_pool(p, pool_of(b, event));
		break;
	case RTAPP_SEM_POST:
		program_post(p, object);
		break;
	case RTAPP_SEM_WAIT:
		program_sem_wait(p, object);
		break;
	}
}

static uint16_t cpus_of(const struct building *b, const struct rtapp_task *task,
			const struct rtapp_phase *phase)
{
	if (phase->cpus != RTAPP_NO_CPUS)
		return b->masks[phase->cpus];
	return task->cpus != RTAPP_NO_CPUS ? b->masks[task->cpus] : b->all_cpus;
}

static void add_phase(struct building *b, const struct rtapp_task *task,
		      const struct rtapp_phase *phase)
{
	if (b->confined)
		program_set_cpus(b->p, cpus_of(b, task, phase));
	if (phase->attr_given)
		program_set_attr(b->p, program_attr(b->p, phase->attr));
	program_loop_begin(b->p, phase->loop == RTAPP_FOREVER ? 0 : phase->loop);
	for (uint32_t i = 0; i < phase->nevents; i++)
		add_event(b, task, &b->pl->events[phase->first_event + i]);
	program_done(b->p, 1);
	program_loop_end(b->p);
}

/* A task without any CPUs of its own keeps those it is created with. */
static bool names_cpus(const struct building *b, const struct rtapp_task *task)
{
	if (task->cpus != RTAPP_NO_CPUS)
		return true;
	for (uint32_t i = 0; i < task->nphases; i++)
		if (b->pl->phases[task->first_phase + i].cpus != RTAPP_NO_CPUS)
			return true;
	return false;
}

static void add_group(struct building *b, const struct rtapp_task *task, uint32_t count, bool pool)
{
	bool confined = names_cpus(b, task);
	struct program_group g = {
		.comm = b->pl->names + task->name,
		.count = count,
		.numbered = true,
		.pool = pool,
		.attr = program_attr(b->p, (struct program_attr){.policy = POLICY_NORMAL}),
		.cpus = confined ? b->all_cpus : PROGRAM_CPUS_SAME,
	};
	struct program_attr last = {.policy = POLICY_NORMAL, .nice = task->attr.nice};

	b->confined = confined;
	program_group(b->p, &g);
	if (!pool) {
		program_zero(b->p);
		program_barrier(b->p, b->start_barrier, b->pl->threads, 0);
	}
	if (task->delay_us)
		program_delay(b->p, task->delay_us * NS_PER_US);
	program_set_attr(b->p, program_attr(b->p, task->attr));
	if (task->loop == 0)
		return;
	program_loop_begin(b->p, task->loop == RTAPP_FOREVER ? 0 : task->loop);
	for (uint32_t i = 0; i < task->nphases; i++) {
		const struct rtapp_phase *phase = &b->pl->phases[task->first_phase + i];

		add_phase(b, task, phase);
		if (phase->attr_given)
			last.nice = phase->attr.nice;
	}
	program_loop_end(b->p);
	program_set_attr(b->p, program_attr(b->p, last));
}

static bool task_is_endless(const struct rtapp_plan *pl, const struct rtapp_task *task)
{
	if (task->loop == 0)
		return false;
	if (task->loop == RTAPP_FOREVER)
		return true;
	for (uint32_t i = 0; i < task->nphases; i++) {
		const struct rtapp_phase *phase = &pl->phases[task->first_phase + i];

		if (phase->loop == RTAPP_FOREVER)
			return true;
		for (uint32_t k = 0; k < phase->nevents; k++)
			if (pl->events[phase->first_event + k].kind == RTAPP_RUN_FOREVER)
				return true;
	}
	return false;
}

/*
 * How often the tasks fork each other at most, capped by rt-app's limit. A
 * task that is forked itself may do so any number of times.
 */
static void count_forks(struct building *b)
{
	const struct rtapp_plan *pl = b->pl;

	for (uint32_t t = 0; t < pl->ntasks; t++) {
		const struct rtapp_task *task = &pl->tasks[t];

		for (uint32_t i = 0; i < task->nphases; i++) {
			const struct rtapp_phase *phase = &pl->phases[task->first_phase + i];
			uint64_t times = min_u64(phase->loop, RTAPP_FORKS_MAX) *
					 min_u64(task->loop, RTAPP_FORKS_MAX) *
					 min_u64(task->instances, RTAPP_FORKS_MAX);

			if (b->pools[t] != NO_POOL)
				times = RTAPP_FORKS_MAX;
			for (uint32_t k = 0; k < phase->nevents; k++) {
				const struct rtapp_event *event =
					&pl->events[phase->first_event + k];
				uint32_t *forks;

				if (event->kind != RTAPP_FORK)
					continue;
				forks = &b->forks[pl->resources[event->resource].task];
				*forks = (uint32_t)min_u64(*forks + times, RTAPP_FORKS_MAX);
			}
		}
	}
}

/* Group 0 is the main thread, then come the tasks, then the pools, in the order of the tasks. */
static void number_pools(struct building *b)
{
	uint32_t group = 1 + b->pl->ntasks;

	for (uint32_t t = 0; t < b->pl->ntasks; t++)
		b->pools[t] = NO_POOL;
	for (uint32_t i = 0; i < b->pl->nresources; i++)
		if (b->pl->resources[i].kind == RTAPP_TASK && b->pl->resources[i].forked)
			b->pools[b->pl->resources[i].task] = 0;
	for (uint32_t t = 0; t < b->pl->ntasks; t++)
		if (b->pools[t] != NO_POOL)
			b->pools[t] = group++;
}

static void add_main(struct building *b)
{
	struct program_group g = {
		.comm = "rt-app",
		.count = 1,
		.attr = program_attr(b->p, (struct program_attr){.policy = POLICY_NORMAL}),
		.cpus = PROGRAM_CPUS_SAME,
	};

	program_group(b->p, &g);
	for (uint32_t t = 0; t < b->pl->ntasks; t++)
		if (b->pl->tasks[t].instances)
			program_fork(b->p, 1 + t);
	if (b->pl->duration_s)
		program_sleep(b->p, amount_fixed(b->pl->duration_s * NS_PER_S));
	program_join_all(b->p);
}

static void add_all(struct building *b)
{
	struct rtapp_plan *pl = b->pl;
	uint32_t ncpus = pl->target->ncpus;
	void *memory = malloc(mask_size(ncpus));

	if (memory)
		mask_fill(mask_init(memory, ncpus), ncpus);
	b->all_cpus = program_mask(b->p, memory);
	add_objects(b);
	number_pools(b);
	count_forks(b);
	add_main(b);
	for (uint32_t t = 0; t < pl->ntasks; t++) {
		add_group(b, &pl->tasks[t], pl->tasks[t].instances, false);
		if (pl->tasks[t].instances || b->pools[t] != NO_POOL)
			b->endless |= task_is_endless(pl, &pl->tasks[t]);
	}
	for (uint32_t t = 0; t < pl->ntasks; t++)
		if (b->pools[t] != NO_POOL)
			add_group(b, &pl->tasks[t], b->forks[t], true);
}

bool rtapp_plan_build(struct rtapp_plan *pl, struct program *p, bool *endless)
{
	struct building b = {.pl = pl, .p = p};

	b.objects = calloc((size_t)pl->nresources + 1, sizeof(*b.objects));
	b.pools = calloc((size_t)pl->ntasks + 1, sizeof(*b.pools));
	b.forks = calloc((size_t)pl->ntasks + 1, sizeof(*b.forks));
	b.masks = calloc((size_t)pl->nmasks + 1, sizeof(*b.masks));
	if (b.objects && b.pools && b.forks && b.masks)
		add_all(&b);
	*endless = b.endless;
	free(b.objects);
	free(b.pools);
	free(b.forks);
	free(b.masks);
	return b.objects && b.pools && b.forks && b.masks;
}
