/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wasted time, exact for any affinities and O(1) per record for tasks that may
 * run everywhere. The number of wasting CPUs is constant between two records,
 * so the integral is a sum of products; the question is that number.
 *
 * Waiting tasks that may run on all online CPUs are only counted, in all (F)
 * and by queue (f[c]); for the others, each CPU they may use but do not wait on
 * counts them (b[c]). An idle CPU c wastes time if b[c] > 0 or F > f[c].
 *
 *	F = 0:  the idle CPUs with b > 0, a number kept at every change;
 *	F > 0:  all idle CPUs, but for one that holds all F on its own queue (it
 *		is on its way out of idle) with b = 0. Only one CPU can hold
 *		them all, and only if no other has any: then the sum of the
 *		numbers of the CPUs that have some is its number.
 *
 * A restricted task costs one step per CPU it may use, when its wait begins and
 * when it ends; its mask is remembered, since it may change meanwhile.
 *
 * Records come in the order in which the kernel code ran. Each CPU's clock
 * runs ahead while it executes a section, so a record may be a little older than
 * one of another CPU that came before; it then counts as of the later time. The
 * error is below the length of a section each time; late_count and late_ns_max
 * say how often and how much.
 *
 * A task below a throttled queue waits for runtime, not for a CPU. It counts from when the
 * queue goes on, and no more from when it is throttled: then all tasks of that CPU are looked at.
 *
 * A stopper is not a task that waits here, but a CPU that runs one does not
 * idle: its switch shows next 0 with a queue that is not empty.
 */
#include "observe/wasted.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"

static bool may_run_everywhere(const struct wasted *w, const struct mask *allowed)
{
	return allowed == w->m->online || mask_is_subset(w->m->online, allowed);
}

static void add_bound(struct wasted *w, uint32_t cpu, uint32_t own, bool waits)
{
	struct wasted_cpu *c = &w->cpu[cpu];

	if (cpu == own)
		return;
	if (waits) {
		c->bound_elsewhere++;
		if (c->bound_elsewhere == 1 && c->idle)
			w->nidle_bound++;
		return;
	}
	CHECK(c->bound_elsewhere > 0);
	c->bound_elsewhere--;
	if (c->bound_elsewhere == 0 && c->idle)
		w->nidle_bound--;
}

static void add_free(struct wasted *w, uint32_t cpu, bool waits)
{
	struct wasted_cpu *c = &w->cpu[cpu];

	if (waits) {
		w->free_waiting++;
		c->free_here++;
		if (c->free_here == 1) {
			w->nfree_cpus++;
			w->free_cpus_sum += cpu;
		}
		return;
	}
	CHECK(c->free_here > 0);
	w->free_waiting--;
	c->free_here--;
	if (c->free_here == 0) {
		w->nfree_cpus--;
		w->free_cpus_sum -= cpu;
	}
}

static struct wasted_task *task_of_id(struct wasted *w, uint64_t id)
{
	CHECK(id >= 1);
	CHECK(id <= w->m->max_tasks);
	return &w->task[id - 1];
}

static bool is_throttled(const struct task *p)
{
	bool fair = p->prio >= MAX_RT_PRIO && p->prio != DL_PRIO;

	return fair && p->se.cfs_rq->pelt.throttle_count;
}

static void begin_wait(struct wasted *w, uint64_t id)
{
	struct wasted_task *t = task_of_id(w, id);
	const struct task *p = &w->m->tasks[id - 1];
	uint32_t cpu;

	CHECK(t->cpu == CPU_NONE);
	CHECK(!t->held);
	CHECK(p->cpu < w->m->ncpus);
	if (is_throttled(p)) {
		t->held = true;
		return;
	}
	t->cpu = p->cpu;
	t->allowed = NULL;
	if (may_run_everywhere(w, p->allowed)) {
		add_free(w, t->cpu, true);
		return;
	}
	t->allowed = p->allowed;
	mask_for_each_and(cpu, t->allowed, w->m->online)
		add_bound(w, cpu, t->cpu, true);
}

static void end_wait(struct wasted *w, uint64_t id)
{
	struct wasted_task *t = task_of_id(w, id);
	uint32_t cpu;

	if (t->held) {
		t->held = false;
		return;
	}
	CHECK(t->cpu != CPU_NONE);
	if (t->allowed) {
		mask_for_each_and(cpu, t->allowed, w->m->online)
			add_bound(w, cpu, t->cpu, false);
	} else {
		add_free(w, t->cpu, false);
	}
	t->cpu = CPU_NONE;
}

/* Some queue of CPU was throttled or goes on: whoever waits there may wait for another thing now. */
static void look_again(struct wasted *w, uint64_t cpu)
{
	struct list *tasks, *pos;

	CHECK(cpu < w->m->ncpus);
	tasks = &w->m->cpus[cpu].rq.cfs_tasks;
	list_for_each(pos, tasks) {
		const struct task *p = container_of(pos, struct task, lb_node);
		struct wasted_task *t = task_of_id(w, p->id);

		if (t->cpu != CPU_NONE && is_throttled(p)) {
			end_wait(w, p->id);
			t->held = true;
		} else if (t->held && !is_throttled(p)) {
			t->held = false;
			begin_wait(w, p->id);
		}
	}
}

static void set_idle(struct wasted *w, uint32_t cpu, bool idle)
{
	struct wasted_cpu *c = &w->cpu[cpu];

	if (c->idle == idle)
		return;
	c->idle = idle;
	if (idle) {
		w->nidle++;
		w->nidle_bound += c->bound_elsewhere > 0;
	} else {
		w->nidle--;
		w->nidle_bound -= c->bound_elsewhere > 0;
	}
}

uint32_t wasted_cpus(const struct wasted *w)
{
	const struct wasted_cpu *only;

	if (w->free_waiting == 0)
		return w->nidle_bound;
	if (w->nfree_cpus > 1)
		return w->nidle;
	CHECK(w->free_cpus_sum < w->m->ncpus);
	only = &w->cpu[w->free_cpus_sum];
	return w->nidle - (only->idle && only->bound_elsewhere == 0);
}

/* Add what was wasted up to NOW_NS. */
static void advance(struct wasted *w, uint64_t now_ns)
{
	if (now_ns < w->last_ns) {
		w->late_count++;
		w->late_ns_max = max_u64(w->late_ns_max, w->last_ns - now_ns);
		return;
	}
	w->total_ns += (now_ns - w->last_ns) * wasted_cpus(w);
	w->last_ns = now_ns;
}

static void take(struct record_sink *sink, const struct record *r)
{
	struct wasted *w = (struct wasted *)(void *)sink;
	uint64_t task = r->a;

	if (r->kind == RECORD_SWITCH) {
		CHECK(r->cpu < w->m->ncpus);
		advance(w, r->time_ns);
		set_idle(w, r->cpu, r->b == 0 && r->d == 0);
	} else if (task != 0 && r->kind == RECORD_WAIT_START) {
		advance(w, r->time_ns);
		begin_wait(w, task);
	} else if (task != 0 && r->kind == RECORD_WAIT_END) {
		advance(w, r->time_ns);
		end_wait(w, task);
	} else if (r->kind == RECORD_THROTTLE || r->kind == RECORD_UNTHROTTLE) {
		advance(w, r->time_ns);
		look_again(w, r->b);
	}
}

struct wasted *wasted_create(const struct machine *m, struct rql_error *e)
{
	struct wasted *w = calloc(1, sizeof(*w));
	uint32_t cpu;

	if (w) {
		w->cpu = calloc((size_t)m->ncpus + 1, sizeof(w->cpu[0]));
		w->task = calloc((size_t)m->max_tasks + 1, sizeof(w->task[0]));
	}
	if (!w || !w->cpu || !w->task) {
		wasted_free(w);
		err_set(e, "limits", "no memory to measure wasted time; use fewer tasks", NULL,
			NULL);
		e->limit = true;
		return NULL;
	}
	w->m = m;
	for (uint32_t i = 0; i < m->max_tasks; i++)
		w->task[i].cpu = CPU_NONE;
	mask_for_each(cpu, m->online)
		set_idle(w, cpu, true);
	w->sink.wants = 1u << RECORD_SWITCH | 1u << RECORD_WAIT_START | 1u << RECORD_WAIT_END |
			1u << RECORD_THROTTLE | 1u << RECORD_UNTHROTTLE;
	w->sink.take = take;
	return w;
}

void wasted_free(struct wasted *w)
{
	if (!w)
		return;
	free(w->cpu);
	free(w->task);
	free(w);
}

uint64_t wasted_total_ns(const struct wasted *w, uint64_t end_ns)
{
	if (end_ns <= w->last_ns)
		return w->total_ns;
	return w->total_ns + (end_ns - w->last_ns) * wasted_cpus(w);
}
