/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-up latency from records: WAKE starts a task's clock, the SWITCH to it
 * stops it. Both times are those of the CPU that wrote the record; where the
 * waker's clock was ahead of the CPU that picked the task, the latency is 0.
 *
 * A wake-up that finds the task still on its CPU (it had been dequeued, and
 * that CPU was looking for other work) is served at once: latency 0. First
 * runs of new tasks are not wake-ups. A wake-up not yet served when the run
 * ends does not count. Idle tasks and stoppers (id 0) are left out.
 *
 * One array of 16 bytes a task; a record costs O(1).
 */
#include "observe/latency.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"
#include "model/machine.h"

static struct latency_task *task_of_id(struct latency *l, uint64_t id)
{
	CHECK(id >= 1);
	CHECK(id <= l->max_tasks);
	return &l->task[id - 1];
}

static bool counts(const struct latency *l, uint64_t id)
{
	return !l->m || l->m->tasks[id - 1].rt_priority == l->rt_priority;
}

static void woken(struct latency *l, uint64_t id, uint64_t now_ns)
{
	struct latency_task *t = task_of_id(l, id);

	if (t->running && counts(l, id))
		histogram_add(&l->hist, 0);
	else if (!t->running)
		t->woken_ns = now_ns;
}

static void got_cpu(struct latency *l, uint64_t id, uint64_t now_ns)
{
	struct latency_task *t = task_of_id(l, id);

	t->running = true;
	if (t->woken_ns == TIME_NEVER)
		return;
	if (counts(l, id))
		histogram_add(&l->hist, now_ns > t->woken_ns ? now_ns - t->woken_ns : 0);
	t->woken_ns = TIME_NEVER;
}

static void take(struct record_sink *sink, const struct record *r)
{
	struct latency *l = (struct latency *)(void *)sink;

	if (r->kind == RECORD_WAKE && r->a) {
		woken(l, r->a, r->time_ns);
		return;
	}
	if (r->kind != RECORD_SWITCH)
		return;
	if (r->a)
		task_of_id(l, r->a)->running = false;
	if (r->b)
		got_cpu(l, r->b, r->time_ns);
}

struct latency *latency_create(uint32_t max_tasks, struct rql_error *e)
{
	struct latency *l = calloc(1, sizeof(*l));

	if (l)
		l->task = calloc((size_t)max_tasks + 1, sizeof(l->task[0]));
	if (!l || !l->task) {
		free(l);
		err_set(e, "limits", "no memory to measure wake-up latency; use fewer tasks", NULL,
			NULL);
		e->limit = true;
		return NULL;
	}
	for (uint32_t i = 0; i < max_tasks; i++)
		l->task[i].woken_ns = TIME_NEVER;
	l->max_tasks = max_tasks;
	l->sink.wants = 1u << RECORD_WAKE | 1u << RECORD_SWITCH;
	l->sink.take = take;
	return l;
}

void latency_restrict(struct latency *l, const struct machine *m, uint32_t rt_priority)
{
	l->m = m;
	l->rt_priority = rt_priority;
}

void latency_free(struct latency *l)
{
	if (!l)
		return;
	free(l->task);
	free(l);
}

uint64_t latency_count(const struct latency *l)
{
	return l->hist.count;
}

uint64_t latency_quantile_ns(const struct latency *l, uint32_t ppm)
{
	return histogram_quantile(&l->hist, ppm);
}

uint64_t latency_max_ns(const struct latency *l)
{
	return l->hist.max;
}
