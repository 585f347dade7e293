/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU that is about to run something less important than before asks all
 * overloaded CPUs whether they have something better waiting. Each that seems to
 * is locked; what it has is compared again under its lock.
 *
 * 3.3 takes the best waiting task out of the lists of all; later kernels the
 * first of the pushable ones.
 *
 * With RT_PUSH_IPI it asks them to push instead (rt/push_ipi.c).
 *
 * Linux: pull_rt_task(), kernel/sched/rt.c, 3.3, 3.18 to 4.0, 5.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/rq_lock.h"
#include "sched/rt/rt.h"

/* The best waiting task of SRC that may run on CPU, in the order of its lists. */
static struct task *pick_waiting(const struct rq *src, uint32_t cpu)
{
	const struct rt_prio_array *a = &src->rt.active;

	for (uint32_t prio = prio_array_first(a); prio < MAX_RT_PRIO; prio++) {
		struct list *pos;

		if (!(a->bits[prio / 64] >> prio % 64 & 1))
			continue;
		list_for_each(pos, &a->queue[prio]) {
			struct task *p = task_of_run_node(pos);

			if (!task_is_running(src, p) && mask_test(p->allowed, cpu) &&
			    p->nr_allowed > 1)
				return p;
		}
	}
	return NULL;
}

/* The first pushable task of SRC that may run on CPU. Linux: pick_highest_pushable_task(). */
static struct task *pick_pushable(const struct rq *src, uint32_t cpu)
{
	const struct rt_prio_array *a = &src->rt.pushable;

	for (uint32_t prio = prio_array_first(a); prio < MAX_RT_PRIO; prio++) {
		struct list *pos;

		if (!(a->bits[prio / 64] >> prio % 64 & 1))
			continue;
		list_for_each(pos, &a->queue[prio]) {
			struct task *p = task_of_pushable(pos);

			if (!task_is_running(src, p) && mask_test(p->allowed, cpu))
				return p;
		}
	}
	return NULL;
}

/* Both rqs are locked: the task to take, or NULL. */
static struct task *choose(const struct kctx *k, const struct rq *this_rq, const struct rq *src)
{
	struct task *p;

	if (feat(k, FEAT_RT_PULL_PUSHABLE))
		p = pick_pushable(src, this_rq->cpu);
	else
		p = src->rt.nr_running > 1 ? pick_waiting(src, this_rq->cpu) : NULL;
	if (!p || p->prio >= this_rq->rt.highest_curr)
		return NULL;
	/* it just woke there and is about to run */
	return prio_before(p->prio, src->curr->prio) ? NULL : p;
}

static bool pull_from(struct kctx *k, struct rq *this_rq, struct rq *src)
{
	struct task *p;

	this_rq->rt.stats.pull_locks++;
	double_lock_balance(k, this_rq, src);
	p = choose(k, this_rq, src);
	if (p) {
		deactivate_task(k, src, p, 0);
		set_task_cpu(k, p, this_rq->cpu);
		activate_task(k, this_rq, p, 0);
		charge(k, WORK_MIGRATE, 1);
		k->port->record(k, RECORD_MIGRATE, p->id, src->cpu, this_rq->cpu, 4);
		this_rq->rt.stats.pulls++;
	}
	rq_unlock(k, src);
	return p != NULL;
}

bool pull_rt_task(struct kctx *k, struct rq *this_rq)
{
	uint32_t saved = path_enter(k, PATH_PULL_RT_TASK);
	const struct root_domain *rd = &k->m->rd;
	bool pulled = false;
	uint32_t cpu;

	peek(k);
	if (feat(k, FEAT_RT_PUSH_IPI)) {
		/* the only one that is overloaded does not ask itself */
		if (rd->rto_count > 1 || (rd->rto_count && !this_rq->rt.overloaded))
			tell_cpu_to_push(k, this_rq);
	} else if (rd->rto_count) {
		/* the mask is read as it changes */
		mask_for_each(cpu, rd->rto_mask) {
			struct rq *src = rq_of_cpu(k->m, cpu);

			if (src == this_rq)
				continue;
			charge(k, WORK_RTO_SCAN, 1);
			peek(k);
			if (src->rt.highest_next < this_rq->rt.highest_curr)
				pulled |= pull_from(k, this_rq, src);
		}
	}
	path_leave(k, saved);
	return pulled;
}
