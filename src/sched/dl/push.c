/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a deadline task goes when it cannot run where it is: chosen at its
 * wake-up, or pushed by the CPU it waits on. Both find the target in cpudl
 * without a lock; a push then locks it and looks again, up to three times.
 *
 * Linux: kernel/sched/deadline.c, 3.18 to 4.0.
 * Deviation: near CPUs are preferred as from 4.13 on: any in the domain that will do,
 * not only the one that cpudl names.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/any_cpu.h"
#include "sched/dl/dl.h"
#include "sched/rq_lock.h"

#define DL_MAX_TRIES 3u

uint32_t find_later_rq(struct kctx *k, struct task *p)
{
	uint32_t cpu = p->cpu, this_cpu = k->cpu->id;
	struct mask *later = k->m->rd.later;
	const struct sched_domain *sd;

	if (p->nr_allowed == 1)
		return CPU_NONE;
	peek(k);
	if (cpudl_find(k, p, later) == CPU_NONE)
		return CPU_NONE;
	/* its caches are warm there */
	if (mask_test(later, cpu))
		return cpu;
	if (!mask_test(later, this_cpu))
		this_cpu = CPU_NONE;
	for (sd = rq_of_cpu(k->m, cpu)->sd; sd; sd = sd->parent) {
		uint32_t best;

		if (!(sd->flags & SD_WAKE_AFFINE))
			continue;
		if (this_cpu != CPU_NONE && mask_test(sd->span, this_cpu))
			return this_cpu;
		best = any_cpu_and(k, later, sd->span);
		if (best != MASK_NONE)
			return best;
	}
	return this_cpu != CPU_NONE ? this_cpu : any_cpu_and(k, later, later);
}

/* Does CURR keep P from running on its CPU, and cannot go away itself? */
static bool in_the_way(const struct task *curr, const struct task *p)
{
	return is_dl(curr) && (curr->nr_allowed < 2 || !dl_entity_preempt(p->dl, curr->dl));
}

/*
 * A woken task that could not run at once where it was looks for another CPU. With an earlier
 * deadline than what runs there it stays: the other is pushed away.
 */
uint32_t select_task_rq_dl(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags)
{
	uint32_t target;

	(void)wake_flags;
	if (sd_flag != SD_BALANCE_WAKE || p->nr_allowed < 2)
		return p->cpu;
	peek(k);
	if (!in_the_way(task_rq(k->m, p)->curr, p))
		return p->cpu;
	target = find_later_rq(k, p);
	return target == CPU_NONE ? p->cpu : target;
}

/* Has TARGET nothing that is due before P? */
static bool runs_later(const struct rq *target, const struct task *p)
{
	return !target->dl.nr_running || dl_time_before(p->dl->deadline_ns, target->dl.earliest_ns);
}

/* Lock TARGET beside RQ; false: P changed while RQ was unlocked, and TARGET is not locked. */
static bool lock_target(struct kctx *k, struct rq *rq, struct rq *target, const struct task *p)
{
	if (!double_lock_balance(k, rq, target))
		return true;
	if (feat(k, FEAT_PUSH_RECHECKS) && !p->dl->throttled) {
		if (p == pick_next_pushable_dl_task(rq) && mask_test(p->allowed, target->cpu))
			return true;
	} else if (p->cpu == rq->cpu && mask_test(p->allowed, target->cpu) &&
		   !task_is_running(rq, p) && is_dl(p) && p->dl->queued) {
		return true;
	}
	rq_unlock(k, target);
	return false;
}

/*
 * A CPU that runs nothing due before P, its rq locked beside RQ; NULL: there is none.
 * RQ may have been unlocked meanwhile. Linux: find_lock_later_rq().
 */
static struct rq *find_lock_later_rq(struct kctx *k, struct rq *rq, struct task *p)
{
	for (uint32_t tries = 0; tries < DL_MAX_TRIES; tries++) {
		uint32_t cpu = find_later_rq(k, p);
		struct rq *target;

		if (cpu == CPU_NONE || cpu == rq->cpu)
			return NULL;
		target = rq_of_cpu(k->m, cpu);
		if (!lock_target(k, rq, target, p))
			return NULL;
		if (runs_later(target, p))
			return target;
		rq_unlock(k, target);
	}
	return NULL;
}

/* P, of RQ, goes to TARGET; both are locked. */
static void push_to(struct kctx *k, struct rq *rq, struct rq *target, struct task *p)
{
	deactivate_task(k, rq, p, 0);
	set_task_cpu(k, p, target->cpu);
	activate_task(k, target, p, 0);
	charge(k, WORK_MIGRATE, 1);
	k->port->record(k, RECORD_MIGRATE, p->id, rq->cpu, target->cpu, 5);
	resched_task(k, target);
}

static struct rq *find_target(struct kctx *k, struct rq *rq, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_FIND_LOCK_LATER_RQ);
	struct rq *target = find_lock_later_rq(k, rq, p);

	path_leave(k, saved);
	return target;
}

bool push_dl_task(struct kctx *k, struct rq *rq)
{
	uint32_t saved = path_enter(k, PATH_PUSH_DL_TASK);
	struct task *p = rq->dl.overloaded ? pick_next_pushable_dl_task(rq) : NULL;
	struct rq *target = NULL;

	/* bound: each turn follows a change of the queue by another CPU */
	while (p) {
		struct task *first;

		CHECK(!task_is_running(rq, p));
		/* it runs here, and the running one is pushed then */
		if (is_dl(rq->curr) && dl_entity_preempt(p->dl, rq->curr->dl) &&
		    rq->curr->nr_allowed > 1) {
			resched_task(k, rq);
			break;
		}
		target = find_target(k, rq, p);
		if (target) {
			push_to(k, rq, target, p);
			rq_unlock(k, target);
			break;
		}
		/* the queue may have changed while it was unlocked */
		first = pick_next_pushable_dl_task(rq);
		if (first == p && p->cpu == rq->cpu)
			break;
		p = first;
	}
	path_leave(k, saved);
	return target != NULL;
}

void push_dl_tasks(struct kctx *k, struct rq *rq)
{
	/* bound: each turn takes a task away to a CPU where it runs at once */
	while (push_dl_task(k, rq))
		;
}

void task_woken_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	const struct task *curr = rq->curr;
	uint32_t saved;

	if (task_is_running(rq, p) || curr->need_resched || !rq->dl.pushable.leftmost ||
	    p->nr_allowed < 2)
		return;
	/* of equal deadlines, p waits here */
	if (!is_dl(curr) || (curr->nr_allowed >= 2 && !dl_entity_preempt(curr->dl, p->dl)))
		return;
	saved = path_enter(k, PATH_TASK_WOKEN_DL);
	push_dl_tasks(k, rq);
	path_leave(k, saved);
}
