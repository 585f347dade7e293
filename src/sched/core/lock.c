/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locking a task's queue, which may change while one waits for it, and two
 * queues at once, always the lower CPU's first.
 *
 * Linux: kernel/sched.c task_rq_lock(), double_rq_lock(), double_lock_balance().
 */
#include "base/check.h"
#include "sched/core/core.h"
#include "sched/rq_lock.h"

struct rq *task_rq_lock(struct kctx *k, struct task *p)
{
	/* bound: a task moves only under its rq's lock, so each turn is another CPU's progress */
	for (;;) {
		struct rq *rq = task_rq(k->m, p);

		rq_lock(k, rq);
		if (rq == task_rq(k->m, p) && !p->migrating)
			return rq;
		rq_unlock(k, rq);
		peek(k);
		if (p->migrating)
			k->port->wait(k, &task_rq(k->m, p)->attached);
	}
}

void double_rq_lock(struct kctx *k, struct rq *a, struct rq *b)
{
	if (a == b) {
		rq_lock(k, a);
	} else if (a->cpu < b->cpu) {
		rq_lock(k, a);
		rq_lock(k, b);
	} else {
		rq_lock(k, b);
		rq_lock(k, a);
	}
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS)) {
		update_rq_clock(k, a);
		update_rq_clock(k, b);
	}
}

void double_rq_unlock(struct kctx *k, struct rq *a, struct rq *b)
{
	rq_unlock(k, a);
	if (a != b)
		rq_unlock(k, b);
}

bool double_lock_balance(struct kctx *k, struct rq *this_rq, struct rq *other)
{
	if (k->v->preempt == PREEMPT_FULL) {
		rq_unlock(k, this_rq);
		double_rq_lock(k, this_rq, other);
		return true;
	}
	if (rq_trylock(k, other))
		return false;
	if (other->cpu < this_rq->cpu) {
		rq_unlock(k, this_rq);
		rq_lock(k, other);
		rq_lock(k, this_rq);
		return true;
	}
	rq_lock(k, other);
	return false;
}
