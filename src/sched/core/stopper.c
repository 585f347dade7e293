/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the stopper does when it gets the CPU: active balance, and moving tasks
 * that may no longer run where they are.
 *
 * Linux: kernel/sched.c migration_thread(), __migrate_task(), migrate_task(); 2.6.34 to 4.0.
 * Deviation: the task that asked to be moved stays runnable until the stopper
 * preempts it; the kernel's waits for a completion. 2.6.35's order of works
 * (first come first served) is used for all.
 */
#include "base/check.h"
#include "sched/balance/balance.h"
#include "sched/core/core.h"
#include "sched/rq_lock.h"

void wake_stopper(struct kctx *k, uint32_t cpu)
{
	sched_wake(k, k->m->cpus[cpu].rq.stop, 0);
}

/* Move P, which is on SRC (not locked), to where it asked. Linux: __migrate_task(). */
static void migrate_task(struct kctx *k, struct rq *src, struct task *p, uint32_t dest)
{
	struct rq *dst = rq_of_cpu(k->m, dest);

	double_rq_lock(k, src, dst);
	if (p->cpu == src->cpu && mask_test(p->allowed, dest) && p->se.on_rq && src != dst) {
		deactivate_task(k, src, p, 0);
		set_task_cpu(k, p, dest);
		activate_task(k, dst, p, 0);
		check_preempt_curr(k, dst, p, 0);
		charge(k, WORK_MIGRATE, 1);
		k->port->record(k, RECORD_MIGRATE, p->id, src->cpu, dest, 2);
	}
	double_rq_unlock(k, src, dst);
}

/* The same with one lock at a time. Linux: migration_cpu_stop(), move_queued_task(), 5.4. */
static void migrate_in_stages(struct kctx *k, struct rq *src, struct task *p, uint32_t dest)
{
	struct rq *dst = rq_of_cpu(k->m, dest), *locked = src;

	/* P may be on the wake list only */
	if (k->v->wake->leave_idle)
		k->v->wake->leave_idle(k);
	rq_lock(k, src);
	if (p->cpu == src->cpu && mask_test(p->allowed, dest) && p->se.on_rq && src != dst) {
		update_rq_clock(k, src);
		p->migrating = true;
		deactivate_task(k, src, p, 0);
		set_task_cpu(k, p, dest);
		charge(k, WORK_MIGRATE, 1);
		rq_unlock(k, src);
		rq_lock(k, dst);
		locked = dst;
		update_rq_clock(k, dst);
		activate_task(k, dst, p, 0);
		p->migrating = false;
		k->port->complete(k, &dst->attached);
		check_preempt_curr(k, dst, p, 0);
		k->port->record(k, RECORD_MIGRATE, p->id, src->cpu, dest, 2);
	}
	rq_unlock(k, locked);
}

void sched_stopper_run(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_STOPPER);
	struct rq *rq = &k->cpu->rq;

	CHECK(rq->curr == rq->stop);
	charge(k, WORK_STOPPER, 1);
	rq_lock(k, rq);
	rq->stop->state = TASK_INTERRUPTIBLE;
	if (rq->active_balance)
		k->v->lb->active_balance(k, rq);
	/* bound: every turn takes one task off the list */
	while (!list_is_empty(&rq->migrate_list)) {
		struct task *p = container_of(rq->migrate_list.next, struct task, migrate_node);
		uint32_t dest = p->migrate_to;

		list_del(&p->migrate_node);
		rq_unlock(k, rq);
		if (feat(k, FEAT_MOVE_IN_STAGES))
			migrate_in_stages(k, rq, p, dest);
		else
			migrate_task(k, rq, p, dest);
		p->migrate_to = CPU_NONE;
		rq_lock(k, rq);
	}
	rq_unlock(k, rq);
	sched_schedule(k);
	path_leave(k, saved);
}

void push_task_to(struct kctx *k, struct task *p, uint32_t dest)
{
	struct rq *rq = task_rq_lock(k, p);

	if (p->migrate_to == CPU_NONE)
		list_add_tail(&rq->migrate_list, &p->migrate_node);
	p->migrate_to = dest;
	rq_unlock(k, rq);
	wake_stopper(k, rq->cpu);
}
