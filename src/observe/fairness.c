/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fairness among equal tasks. Births and deaths come from records, the rest is
 * read from the machine when the run is over: first every task finds its class
 * (compared with one member; the last class found is tried first, since tasks
 * of a kind are created together), then those whose demand is comparable
 * enter their class's least and most.
 *
 * CPU time is what the kernel accounted, which for a task on a CPU ends at the
 * last clock update, at most a tick ago. A wait still under way counts.
 */
#include "observe/fairness.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"

#define NO_CLASS UINT32_MAX

static void take(struct record_sink *sink, const struct record *r)
{
	struct fairness *f = (struct fairness *)(void *)sink;

	if (r->kind != RECORD_FORK && r->kind != RECORD_EXIT)
		return;
	CHECK(r->a >= 1);
	CHECK(r->a <= f->max_tasks);
	if (r->kind == RECORD_FORK)
		f->task[r->a - 1].born_ns = r->time_ns;
	else
		f->task[r->a - 1].died_ns = r->time_ns;
}

struct fairness *fairness_create(uint32_t max_tasks, struct rql_error *e)
{
	struct fairness *f = calloc(1, sizeof(*f));

	if (f) {
		f->task = calloc((size_t)max_tasks + 1, sizeof(f->task[0]));
		f->class = calloc((size_t)max_tasks + 1, sizeof(f->class[0]));
	}
	if (!f || !f->task || !f->class) {
		fairness_free(f);
		err_set(e, "limits", "no memory to measure fairness; use fewer tasks", NULL, NULL);
		e->limit = true;
		return NULL;
	}
	for (uint32_t i = 0; i < max_tasks; i++)
		f->task[i] = (struct fairness_task){TIME_NEVER, TIME_NEVER};
	f->max_tasks = max_tasks;
	f->sink.wants = 1u << RECORD_FORK | 1u << RECORD_EXIT;
	f->sink.take = take;
	return f;
}

void fairness_free(struct fairness *f)
{
	if (!f)
		return;
	free(f->task);
	free(f->class);
	free(f);
}

static bool lived_whole_run(const struct fairness *f, const struct task *p, uint64_t end_ns)
{
	const struct fairness_task *t = &f->task[p->id - 1];

	return t->born_ns <= end_ns / 10 && t->died_ns >= end_ns - end_ns / 10;
}

static uint64_t demand_ns(const struct task *p, uint64_t end_ns)
{
	uint64_t ns = p->se.sum_exec_ns + p->stats.run_delay_ns;

	if (p->se.on_rq && !p->on_cpu && end_ns > p->stats.queued_since_ns)
		ns += end_ns - p->stats.queued_since_ns;
	return ns;
}

static bool are_alike(const struct task *a, const struct task *b)
{
	return a->exec.behaviour == b->exec.behaviour && a->tg == b->tg && a->policy == b->policy &&
	       a->nice == b->nice && a->rt_priority == b->rt_priority &&
	       (a->allowed == b->allowed || mask_equal(a->allowed, b->allowed));
}

static uint32_t find_class(const struct fairness *f, const struct machine *m, uint32_t nclasses,
			   uint32_t last, const struct task *p)
{
	if (last != NO_CLASS && are_alike(p, &m->tasks[f->class[last].first]))
		return last;
	for (uint32_t i = 0; i < nclasses; i++)
		if (are_alike(p, &m->tasks[f->class[i].first]))
			return i;
	return NO_CLASS;
}

/* Returns how many classes there are. */
static uint32_t make_classes(struct fairness *f, const struct machine *m, uint64_t end_ns)
{
	uint32_t n = 0, c = NO_CLASS;

	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];

		if (!lived_whole_run(f, p, end_ns))
			continue;
		c = find_class(f, m, n, c, p);
		if (c == NO_CLASS) {
			c = n++;
			f->class[c] = (struct fairness_class){.first = i, .least_ns = UINT64_MAX};
		}
		f->class[c].demand_ns_max =
			max_u64(f->class[c].demand_ns_max, demand_ns(p, end_ns));
	}
	return n;
}

static void enter_tasks(struct fairness *f, const struct machine *m, uint64_t end_ns, uint32_t n)
{
	uint32_t c = NO_CLASS;

	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];
		struct fairness_class *class;

		if (!lived_whole_run(f, p, end_ns))
			continue;
		c = find_class(f, m, n, c, p);
		CHECK(c != NO_CLASS);
		class = &f->class[c];
		if (demand_ns(p, end_ns) < class->demand_ns_max - class->demand_ns_max / 2)
			continue;
		class->least_ns = min_u64(class->least_ns, p->se.sum_exec_ns);
		class->most_ns = max_u64(class->most_ns, p->se.sum_exec_ns);
		class->count++;
	}
}

bool fairness_get(struct fairness *f, const struct machine *m, uint64_t end_ns, uint64_t *least_ns,
		  uint64_t *most_ns)
{
	uint32_t n;
	bool found = false;

	CHECK(m->ntasks <= f->max_tasks);
	n = make_classes(f, m, end_ns);
	enter_tasks(f, m, end_ns, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct fairness_class *c = &f->class[i];

		if (c->count < 2 || c->most_ns == 0)
			continue;
		/* c->least / c->most < *least / *most, without dividing */
		if (found && (u128)c->least_ns * *most_ns >= (u128)*least_ns * c->most_ns)
			continue;
		*least_ns = c->least_ns;
		*most_ns = c->most_ns;
		found = true;
	}
	return found;
}
