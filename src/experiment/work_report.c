/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two passes over the workloads: one counts, one fills, so that each list is
 * allocated once. A row's task is looked for among the machine's tasks, which
 * are in order of creation; workloads create theirs in the order of their rows
 * or nearly so, therefore the search goes on where the last one ended.
 */
#include "experiment/work_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"

static bool is_shown(enum sched_policy policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR || policy == POLICY_DEADLINE;
}

/* With ROOM the lists are filled, else only counted. */
static void collect(struct work_report *w, const struct run *r, uint32_t work, bool room)
{
	const struct behaviour *b = run_behaviour(r, work);
	struct behaviour_report row;
	struct task_attr attr;

	for (uint32_t i = 0; b->ops->policy; i++) {
		memset(&attr, 0, sizeof(attr));
		if (!b->ops->policy(b, i, &attr))
			break;
		if (!is_shown(attr.policy))
			continue;
		if (room)
			w->policy[w->npolicies] = (struct work_policy){work, attr};
		w->npolicies++;
	}
	for (uint32_t i = 0; b->ops->report; i++) {
		memset(&row, 0, sizeof(row));
		if (!b->ops->report(b, i, &row))
			break;
		w->has_histogram = w->has_histogram || row.nbuckets;
		if (room) {
			w->row[w->nrows] = row;
			w->from[w->nrows] = (struct work_row){work, i, 0};
		}
		w->nrows++;
	}
}

static void find_tasks(struct work_report *w, const struct machine *m)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < w->nrows && m->ntasks; i++) {
		struct work_row *from = &w->from[i];

		for (uint32_t n = 0; n < m->ntasks && !from->tid; n++) {
			const struct task *p = &m->tasks[at];

			if (p->exec.work == from->work && p->exec.index == w->row[i].task)
				from->tid = p->id;
			at = at + 1 == m->ntasks ? 0 : at + 1;
		}
	}
}

bool work_report_collect(struct work_report *w, const struct run *r, struct rql_error *e)
{
	uint32_t nwork = run_work_count(r);

	memset(w, 0, sizeof(*w));
	for (uint32_t i = 0; i < nwork; i++)
		collect(w, r, i, false);
	w->policy = calloc((size_t)w->npolicies + 1, sizeof(*w->policy));
	w->row = calloc((size_t)w->nrows + 1, sizeof(*w->row));
	w->from = calloc((size_t)w->nrows + 1, sizeof(*w->from));
	if (!w->policy || !w->row || !w->from) {
		work_report_free(w);
		return err_printf(e, NULL, "out of memory; a smaller scenario is needed");
	}
	w->npolicies = 0;
	w->nrows = 0;
	for (uint32_t i = 0; i < nwork; i++)
		collect(w, r, i, true);
	find_tasks(w, run_machine(r));
	return true;
}

void work_report_free(struct work_report *w)
{
	free(w->policy);
	free(w->row);
	free(w->from);
	memset(w, 0, sizeof(*w));
}

const char *policy_name(enum sched_policy policy)
{
	switch (policy) {
	case POLICY_NORMAL:
		return "SCHED_NORMAL";
	case POLICY_FIFO:
		return "SCHED_FIFO";
	case POLICY_RR:
		return "SCHED_RR";
	case POLICY_BATCH:
		return "SCHED_BATCH";
	case POLICY_IDLE:
		return "SCHED_IDLE";
	case POLICY_DEADLINE:
		return "SCHED_DEADLINE";
	}
	CHECK(false);
	return NULL;
}

int32_t policy_prio(const struct task_attr *attr)
{
	CHECK(is_shown(attr->policy));
	if (attr->policy == POLICY_DEADLINE)
		return -1;
	return (int32_t)MAX_RT_PRIO - 1 - attr->rt_priority;
}
