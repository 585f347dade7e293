/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU whose deadline task leaves asks all overloaded CPUs whether they have a
 * waiting one that is due before all that is left here. Each that seems to is
 * locked, and what it has is compared again.
 *
 * Linux: kernel/sched/deadline.c pull_dl_task(), 3.18 to 4.0. Deviation: later kernels look at
 * the first pushable task; these at all but the first of the tree.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"
#include "sched/rq_lock.h"

/* Nothing is queued on RQ, or it is due after DEADLINE_NS. */
static bool runs_after(const struct rq *rq, uint64_t deadline_ns)
{
	return !rq->dl.nr_running || dl_time_before(deadline_ns, rq->dl.earliest_ns);
}

/* Both rqs are locked: the task to take, or NULL. It must be due before LIMIT_NS. */
static struct task *choose(const struct rq *this_rq, const struct rq *src, uint64_t limit_ns)
{
	struct task *p = NULL;

	if (src->dl.nr_running > 1)
		p = pick_next_earliest_dl_task(src, this_rq->cpu);
	if (!p || !dl_time_before(p->dl->deadline_ns, limit_ns) ||
	    !runs_after(this_rq, p->dl->deadline_ns))
		return NULL;
	/* it just woke there and is about to run */
	if (is_dl(src->curr) && dl_entity_preempt(p->dl, src->curr->dl))
		return NULL;
	return p;
}

/* Take a task from SRC if one is due before *LIMIT_NS, which becomes its deadline. */
static bool pull_from(struct kctx *k, struct rq *this_rq, struct rq *src, uint64_t *limit_ns)
{
	struct task *p;

	double_lock_balance(k, this_rq, src);
	p = choose(this_rq, src, *limit_ns);
	if (p) {
		deactivate_task(k, src, p, 0);
		set_task_cpu(k, p, this_rq->cpu);
		activate_task(k, this_rq, p, 0);
		charge(k, WORK_MIGRATE, 1);
		k->port->record(k, RECORD_MIGRATE, p->id, src->cpu, this_rq->cpu, 6);
		*limit_ns = p->dl->deadline_ns;
	}
	rq_unlock(k, src);
	return p != NULL;
}

bool pull_dl_task(struct kctx *k, struct rq *this_rq)
{
	uint32_t saved = path_enter(k, PATH_PULL_DL_TASK);
	const struct root_domain *rd = &k->m->rd;
	uint64_t limit_ns = INT64_MAX;
	bool pulled = false;
	uint32_t cpu;

	peek(k);
	if (rd->dlo_count) {
		/* the mask is read as it changes */
		mask_for_each(cpu, rd->dlo_mask) {
			struct rq *src = rq_of_cpu(k->m, cpu);

			if (src == this_rq)
				continue;
			charge(k, WORK_RTO_SCAN, 1);
			peek(k);
			if (runs_after(this_rq, src->dl.next_ns) || !src->dl.next_ns)
				pulled |= pull_from(k, this_rq, src, &limit_ns);
		}
	}
	path_leave(k, saved);
	return pulled;
}
