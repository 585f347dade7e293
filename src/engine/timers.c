/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers: of sleeping tasks (id: the task's), and of the kernel itself (ids
 * after those of all tasks). One that fires joins its CPU's list; the CPU is
 * interrupted, now or at the end of its section, and works the list off.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "engine/internal.h"
#include "sched/sched.h"

static uint32_t id_of_kernel_timer(const struct engine *eng, uint32_t timer)
{
	CHECK(timer < eng->nkernel_timers);
	return eng->m->max_tasks + 1 + timer;
}

void timer_arm_at(struct engine *eng, struct ecpu *c, uint32_t id, uint64_t at_ns)
{
	timer_push(&eng->timers, event_key(at_ns, RANK_TIMER, c->id), id);
}

/* Take ID off the list of what fired on C. */
static bool take_back(struct engine *eng, struct ecpu *c, uint32_t id)
{
	uint32_t *link = &c->fired_first, prev = 0;

	/* bound: a timer is on the list once */
	while (*link && *link != id) {
		prev = *link;
		link = &eng->fired_next[prev];
	}
	if (!*link)
		return false;
	*link = eng->fired_next[id];
	eng->fired_next[id] = 0;
	if (c->fired_last == id)
		c->fired_last = prev;
	return true;
}

bool timer_disarm(struct engine *eng, struct ecpu *c, uint32_t id)
{
	return timer_cancel(&eng->timers, id) || take_back(eng, c, id);
}

void timer_fire(struct engine *eng)
{
	uint64_t key = timer_min(&eng->timers);
	uint32_t id = timer_pop(&eng->timers);
	struct ecpu *c = &eng->cpus[event_cpu(key)];

	eng->fired_next[id] = 0;
	if (c->fired_last)
		eng->fired_next[c->fired_last] = id;
	else
		c->fired_first = id;
	c->fired_last = id;
	if (!c->in_section)
		cpu_run_event(eng, c, event_time(key), RANK_TIMER);
}

/* ID, which fired, does what it is for. */
static void run_timer(struct engine *eng, struct ecpu *c, uint32_t id)
{
	if (id <= eng->m->max_tasks) {
		struct task *p = &eng->m->tasks[id - 1];

		p->exec.timer_cpu = CPU_NONE;
		sched_wake(c->k, p, 0);
	} else {
		uint32_t timer = id - eng->m->max_tasks - 1;

		eng->kernel_timer_cpu[timer] = 0;
		sched_timer(c->k, timer);
	}
}

void timers_take(struct engine *eng, struct ecpu *c)
{
	struct kctx *k = c->k;
	uint32_t saved = path_enter(k, PATH_TIMER);

	charge(k, WORK_TIMER_IRQ, 1);
	/* bound: a timer is on the list once, and what it arms is due later */
	while (c->fired_first) {
		uint32_t id = c->fired_first;

		c->fired_first = eng->fired_next[id];
		if (!c->fired_first)
			c->fired_last = 0;
		eng->fired_next[id] = 0;
		run_timer(eng, c, id);
	}
	path_leave(k, saved);
}

void sim_timer_arm(struct kctx *k, uint32_t timer, uint64_t at_ns)
{
	struct engine *eng = engine_of(k);
	uint32_t id = id_of_kernel_timer(eng, timer);
	uint32_t saved = path_enter(k, PATH_TIMER_ARM);

	CHECK(!eng->kernel_timer_cpu[timer]);
	charge(k, WORK_TIMER_ARM, 1);
	path_leave(k, saved);
	/* never in this section's past, and three days away is never */
	at_ns = max_u64(at_ns, k->now_ns + 1);
	if (at_ns >= EVENT_TIME_MAX)
		return;
	eng->kernel_timer_cpu[timer] = k->cpu->id + 1;
	timer_arm_at(eng, ecpu_of(k), id, at_ns);
}

bool sim_timer_stop(struct kctx *k, uint32_t timer)
{
	struct engine *eng = engine_of(k);
	uint32_t cpu = eng->kernel_timer_cpu[timer];

	if (!cpu)
		return false;
	eng->kernel_timer_cpu[timer] = 0;
	return timer_disarm(eng, &eng->cpus[cpu - 1], id_of_kernel_timer(eng, timer));
}
