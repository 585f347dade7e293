/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Active balance: when pulling fails again and again because the only movable
 * task is running, the busiest CPU's stopper, which preempts that task, pushes
 * one task to the CPU that asked.
 *
 * Linux: sched_fair.c active_load_balance(), 2.6.34 (active_load_balance_cpu_stop(), 2.6.35
 * to 3.4); move_one_task(), 2.6.34 and 2.6.35.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/rq_lock.h"

bool move_one_of(struct kctx *k, struct lb *lb, struct rq *busiest, struct list *tasks)
{
	struct list *pos;

	list_for_each(pos, tasks) {
		struct task *p = container_of(pos, struct task, lb_node);

		charge(k, WORK_EXAMINE, 1);
		if (!can_migrate_task(k, lb, busiest, p))
			continue;
		pull_task(k, lb, busiest, p);
		lb->sd->stats.lb_gained[lb->idle]++;
		return true;
	}
	return false;
}

/* First movable task, groups newest first. Linux: move_one_task(). */
bool move_one_task_by_group(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	struct list *pos;

	list_for_each(pos, &k->m->groups) {
		struct task_group *tg = container_of(pos, struct task_group, all);

		if (move_one_of(k, lb, busiest, &tg->cfs_rq[busiest->cpu].tasks))
			return true;
	}
	return false;
}

void active_load_balance(struct kctx *k, struct rq *busiest_rq)
{
	struct rq *target_rq = rq_of_cpu(k->m, busiest_rq->push_cpu);
	uint32_t saved = path_enter(k, PATH_ACTIVE_BALANCE);
	struct lb lb = {.this_rq = target_rq, .idle = CPU_IDLE, .all_candidates = true};
	struct sched_domain *sd;

	CHECK(busiest_rq->active_balance);
	/* the stopper itself is counted */
	if (busiest_rq->nr_running <= 1 || target_rq == busiest_rq) {
		busiest_rq->active_balance = false;
		path_leave(k, saved);
		return;
	}
	double_lock_balance(k, busiest_rq, target_rq);
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS)) {
		update_rq_clock(k, busiest_rq);
		update_rq_clock(k, target_rq);
	}
	for (sd = target_rq->sd; sd; sd = sd->parent)
		if ((sd->flags & SD_LOAD_BALANCE) && mask_test(sd->span, busiest_rq->cpu))
			break;
	if (sd) {
		lb.sd = sd;
		sd->stats.alb_count++;
		if (k->v->lb->move_one_task(k, &lb, busiest_rq))
			sd->stats.alb_pushed++;
		else
			sd->stats.alb_failed++;
	}
	rq_unlock(k, target_rq);
	/* only now: nobody may ask again while the lock was let go above */
	busiest_rq->active_balance = false;
	path_leave(k, saved);
}
