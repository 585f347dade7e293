/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a real-time task goes when it cannot run where it is: chosen at its
 * wake-up, or pushed by the CPU it waits on. Both find the target in cpupri
 * without a lock. A push then locks the target, which another CPU may have
 * filled meanwhile: then the lock was for nothing, and up to three such tries are
 * made for each task.
 *
 * The commit of 2011 that lets a woken task of *equal* priority look for
 * another CPU, and be pushed if it finds none, is RT_PUSH_EQUAL.
 *
 * Linux: kernel/sched/rt.c, 3.3, 3.18 to 4.0, 5.4 and 6.1; kernel/sched_rt.c, 2.6.34 to 2.6.36.
 * Deviation: up to 3.1 a task that could not be pushed is taken off the list of pushable ones and
 * the next is tried; here it stays there in all kernels.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/any_cpu.h"
#include "sched/rq_lock.h"
#include "sched/rt/rt.h"

#define RT_MAX_TRIES 3u

uint32_t find_lowest_rq(struct kctx *k, struct task *p)
{
	struct mask *lowest = k->m->rd.lowest;
	uint32_t cpu = p->cpu, this_cpu = k->cpu->id;
	const struct sched_domain *sd;

	if (p->nr_allowed == 1)
		return CPU_NONE;
	peek(k);
	if (!cpupri_find(k, p, lowest))
		return CPU_NONE;
	/* its caches are warm there */
	if (mask_test(lowest, cpu))
		return cpu;
	if (!mask_test(lowest, this_cpu))
		this_cpu = CPU_NONE;
	for (sd = rq_of_cpu(k->m, cpu)->sd; sd; sd = sd->parent) {
		uint32_t best;

		if (!(sd->flags & SD_WAKE_AFFINE))
			continue;
		if (this_cpu != CPU_NONE && mask_test(sd->span, this_cpu))
			return this_cpu;
		best = any_cpu_and(k, lowest, sd->span);
		if (best != MASK_NONE)
			return best;
	}
	return this_cpu != CPU_NONE ? this_cpu : any_cpu_and(k, lowest, lowest);
}

/*
 * Should P look for another CPU than the one that runs CURR? With RT_PUSH_EQUAL an equal is a
 * reason. Something more important than CURR stays: CURR is pushed away, unless it is bound.
 */
static bool in_the_way(const struct kctx *k, const struct task *curr, const struct task *p)
{
	if (!rt_task(curr))
		return false;
	if (curr->nr_allowed < 2 || !feat(k, FEAT_RT_KEEP_HIGHER))
		return true;
	if (feat(k, FEAT_RT_PUSH_EQUAL))
		return !prio_before(p->prio, curr->prio);
	return prio_before(curr->prio, p->prio);
}

/*
 * A woken task that could not run at once where it was looks for another CPU.
 * Linux: select_task_rq_rt().
 */
uint32_t select_task_rq_rt(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags)
{
	const struct task *curr;
	uint32_t target;

	(void)wake_flags;
	if (sd_flag != SD_BALANCE_WAKE &&
	    !(sd_flag == SD_BALANCE_FORK && feat(k, FEAT_RT_FORK_SELECT)))
		return sd_flag == SD_BALANCE_FORK ? k->cpu->id : p->cpu;
	if (p->nr_allowed == 1)
		return p->cpu;
	peek(k);
	curr = task_rq(k->m, p)->curr;
	if (!in_the_way(k, curr, p))
		return p->cpu;
	target = find_lowest_rq(k, p);
	if (target == CPU_NONE)
		return p->cpu;
	if (feat(k, FEAT_RT_SELECT_CHECK)) {
		peek(k);
		if (p->prio >= rq_of_cpu(k->m, target)->rt.highest_curr)
			return p->cpu;
	}
	return target;
}

/*
 * Lock TARGET beside RQ; false: P changed while RQ was unlocked, and TARGET is not locked.
 * Deviation: a task that left the class meanwhile is not pushed; up to 4.6 the kernel would.
 */
static bool lock_target(struct kctx *k, struct rq *rq, struct rq *target, const struct task *p)
{
	rq->rt.stats.push_locks++;
	if (!double_lock_balance(k, rq, target))
		return true;
	rq->rt.stats.push_relocks++;
	if (feat(k, FEAT_PUSH_RECHECKS)) {
		if (p == pick_next_pushable_task(rq) && mask_test(p->allowed, target->cpu))
			return true;
	} else if (p->cpu == rq->cpu && mask_test(p->allowed, target->cpu) &&
		   !task_is_running(rq, p) && p->se.on_rq && is_rt(p))
		return true;
	rq_unlock(k, target);
	return false;
}

/*
 * A CPU that runs something less important than P, its rq locked beside RQ; NULL: there is none.
 * RQ may have been unlocked meanwhile. Linux: find_lock_lowest_rq().
 */
static struct rq *find_lock_lowest_rq(struct kctx *k, struct rq *rq, struct task *p)
{
	for (uint32_t tries = 0; tries < RT_MAX_TRIES; tries++) {
		uint32_t cpu = find_lowest_rq(k, p);
		struct rq *target;

		rq->rt.stats.push_searches++;
		if (cpu == CPU_NONE || cpu == rq->cpu)
			return NULL;
		target = rq_of_cpu(k->m, cpu);
		if (feat(k, FEAT_RT_FIND_CHECK)) {
			peek(k);
			/* whatever else could be found runs no less either */
			if (target->rt.highest_curr <= p->prio)
				break;
		}
		if (!lock_target(k, rq, target, p)) {
			rq->rt.stats.push_lock_failed++;
			break;
		}
		if (target->rt.highest_curr > p->prio)
			return target;
		rq->rt.stats.push_lock_failed++;
		rq_unlock(k, target);
	}
	rq->rt.stats.push_given_up++;
	return NULL;
}

/* P, of RQ, goes to TARGET; both are locked. */
static void push_to(struct kctx *k, struct rq *rq, struct rq *target, struct task *p)
{
	deactivate_task(k, rq, p, 0);
	set_task_cpu(k, p, target->cpu);
	activate_task(k, target, p, 0);
	charge(k, WORK_MIGRATE, 1);
	k->port->record(k, RECORD_MIGRATE, p->id, rq->cpu, target->cpu, 3);
	rq->rt.stats.pushes++;
	resched_task(k, target);
}

static struct rq *find_target(struct kctx *k, struct rq *rq, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_FIND_LOCK_LOWEST_RQ);
	struct rq *target = find_lock_lowest_rq(k, rq, p);

	path_leave(k, saved);
	return target;
}

bool push_rt_task(struct kctx *k, struct rq *rq)
{
	uint32_t saved = path_enter(k, PATH_PUSH_RT_TASK);
	struct task *p = rq->rt.overloaded ? pick_next_pushable_task(rq) : NULL;
	struct rq *target = NULL;

	/* bound: each turn follows a change of the queue by another CPU */
	while (p) {
		struct task *first;

		CHECK(!task_is_running(rq, p));
		/* it came while this CPU was about to switch: it runs here */
		if (prio_before(p->prio, rq->curr->prio)) {
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
		first = pick_next_pushable_task(rq);
		if (first == p && p->cpu == rq->cpu)
			break;
		p = first;
	}
	path_leave(k, saved);
	return target != NULL;
}

void push_rt_tasks(struct kctx *k, struct rq *rq)
{
	/* bound: each turn takes a task away that no other CPU could run at once */
	while (push_rt_task(k, rq))
		;
}

void task_woken_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	const struct task *curr = rq->curr;
	uint32_t saved;

	if (task_is_running(rq, p) || curr->need_resched || !rq->rt.npushable || p->nr_allowed < 2)
		return;
	/* before RT_KEEP_HIGHER, whatever runs */
	if (feat(k, FEAT_RT_KEEP_HIGHER) && !in_the_way(k, curr, p))
		return;
	saved = path_enter(k, PATH_TASK_WOKEN_RT);
	push_rt_tasks(k, rq);
	path_leave(k, saved);
}
