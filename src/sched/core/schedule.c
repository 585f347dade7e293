/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * schedule(): the current task leaves the CPU, for good or for a while, and
 * the best task of the best class takes it. If the queue ran dry, other CPUs
 * are asked for work first, with the lock dropped.
 *
 * need_resched is a flag of the task. 2.6.34 and 2.6.35 clear it before the idle
 * balance, so one that a pulled task sets on the departing task stays with that
 * task until it runs again and then costs one more turn of the loop. With
 * LATE_RESCHED_CLEAR (3.3 on) it is cleared after picking, and such a one is lost.
 *
 * Linux: kernel/sched.c (3.3 on kernel/sched/core.c) schedule(), context_switch(), 2.6.34 to 3.4;
 * core/pick.c has pick_next_task().
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/core/rcu.h"
#include "sched/dl/dl.h"
#include "sched/rt/rt.h"

void balance_callback(struct kctx *k, struct rq *rq)
{
	uint32_t saved, todo;

	if (!rq->callbacks)
		return;
	saved = path_enter(k, PATH_POST_SCHEDULE);
	rq_lock(k, rq);
	todo = rq->callbacks;
	rq->callbacks = 0;
	if (todo & CALLBACK_PUSH_DL)
		push_dl_tasks(k, rq);
	if (todo & CALLBACK_PUSH_RT)
		push_rt_tasks(k, rq);
	if ((todo & CALLBACK_PULL_DL) && pull_dl_task(k, rq))
		resched_task(k, rq);
	if ((todo & CALLBACK_PULL_RT) && pull_rt_task(k, rq))
		resched_task(k, rq);
	rq_unlock(k, rq);
	path_leave(k, saved);
}

/* Linux: post_schedule(), up to 4.0; later balance_callback(). */
static void post_schedule(struct kctx *k, struct rq *rq)
{
	uint32_t saved;

	balance_callback(k, rq);
	if (!rq->post_schedule)
		return;
	saved = path_enter(k, PATH_POST_SCHEDULE);
	rq_lock(k, rq);
	if (rq->curr->class->post_schedule)
		rq->curr->class->post_schedule(k, rq);
	rq_unlock(k, rq);
	rq->post_schedule = false;
	path_leave(k, saved);
}

/* Linux: sched_info_switch() and the counters of schedule(). */
static void account_switch(struct kctx *k, struct rq *rq, struct task *prev, struct task *next)
{
	bool requeued = prev->se.on_rq && !prev->se.sched_delayed;
	bool throttled = requeued && prev->dl && prev->dl->throttled;

	rq->nr_switches++;
	k->m->count.switches++;
	if (prev != rq->idle) {
		if (requeued)
			prev->stats.nr_switches_involuntary++;
		else
			prev->stats.nr_switches_voluntary++;
		rq->stats.rq_cpu_time_ns += rq->clock_ns - prev->stats.arrived_ns;
		if (requeued && !throttled)
			task_wait_start(k, rq, prev);
	}
	if (next != rq->idle) {
		task_wait_end(k, rq, next, true);
		next->stats.arrived_ns = rq->clock_ns;
		rq->stats.pcount++;
	}
	k->port->record(k, RECORD_SWITCH, prev->id, next->id,
			!requeued ? 0 :
			throttled ? 2 :
				    1,
			rq->nr_running);
}

/*
 * Between its dequeue and the end of the switch PREV is no longer queued but still
 * has the CPU; wakers that do not take this rq's lock must wait for the end.
 */
static void begin_switch_out(const struct kctx *k, struct rq *rq, struct task *prev)
{
	if (!k->v->wake->waits_for_switch)
		return;
	rq->switching_out = prev;
}

void task_blocked(struct kctx *k, struct rq *rq, struct task *p)
{
	CHECK(!p->se.on_rq);
	if (task_is_running(rq, p))
		begin_switch_out(k, rq, p);
}

static void end_switch_out(struct kctx *k, struct rq *rq)
{
	if (!rq->switching_out)
		return;
	rq->last_out = rq->switching_out;
	rq->switching_out = NULL;
	k->port->complete(k, &rq->switched_out);
}

static void context_switch(struct kctx *k, struct rq *rq, struct task *prev, struct task *next)
{
	uint32_t saved = path_enter(k, PATH_CONTEXT_SWITCH);

	CHECK(next->cpu == rq->cpu);
	account_switch(k, rq, prev, next);
	set_rq_curr(k->m, rq, next);
	next->on_cpu = true;
	charge(k, WORK_SWITCH_LOCKED, 1);
	prev->on_cpu = false;
	end_switch_out(k, rq);
	rq_unlock(k, rq);
	charge(k, WORK_SWITCH_TAIL, 1);
	if (prev->state == TASK_DEAD && prev->class->dead)
		prev->class->dead(k, rq, prev);
	path_leave(k, saved);
}

/* Tasks that are left to run when PREV goes to sleep; a throttled one is not counted. */
static uint32_t tasks_left(const struct rq *rq, const struct task *prev)
{
	bool counted = true;

	if (prev->class == &fair_sched_class)
		counted = !prev->se.cfs_rq->pelt.throttle_count;
	else if (prev->class == &rt_sched_class)
		counted = rq->rt.queued;
	else if (prev->class == &dl_sched_class)
		counted = prev->dl->queued;
	return rq->nr_running - counted;
}

static void schedule_once(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	struct task *prev = rq->curr;
	struct task *next;

	rq->stats.sched_count++;
	rcu_note_context_switch(k);
	charge(k, WORK_SCHEDULE, 1);
	rq_lock(k, rq);
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS) && !rq->skip_clock_update)
		update_rq_clock(k, rq);
	if (!feat(k, FEAT_LATE_RESCHED_CLEAR))
		prev->need_resched = false;

	if (prev->state != TASK_RUNNING && prev->se.on_rq) {
		if (prev->state != TASK_DEAD) {
			k->m->count.blocks++;
			k->port->record(k, RECORD_BLOCK, prev->id, tasks_left(rq, prev), 0, 0);
		}
		deactivate_task(k, rq, prev,
				prev->state == TASK_DEAD ? DEQUEUE_SLEEP | DEQUEUE_SPECIAL :
							   DEQUEUE_SLEEP);
		/* or it is delayed */
		if (!prev->se.on_rq)
			begin_switch_out(k, rq, prev);
	}
	next = k->v->pick->pick(k, rq, prev);
	if (feat(k, FEAT_LATE_RESCHED_CLEAR)) {
		prev->need_resched = false;
		rq->skip_clock_update = false;
	}
	if (prev != next) {
		context_switch(k, rq, prev, next);
	} else {
		end_switch_out(k, rq);
		rq_unlock(k, rq);
	}
	rq->polls = next == rq->idle;
	post_schedule(k, rq);
}

void sched_schedule(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_SCHEDULE);

	schedule_once(k);
	while (sched_need_resched(k)) {
		k->port->interrupts(k);
		schedule_once(k);
	}
	path_leave(k, saved);
}

void sched_set_sleeping(struct kctx *k)
{
	struct task *curr = k->cpu->rq.curr;

	CHECK(curr != k->cpu->rq.idle);
	CHECK(curr->state == TASK_RUNNING);
	curr->state = TASK_INTERRUPTIBLE;
}

void sched_do_yield(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_YIELD);
	struct rq *rq = this_rq_lock(k);

	rq->stats.yld_count++;
	rq->curr->class->yield(k, rq);
	rq_unlock(k, rq);
	sched_schedule(k);
	path_leave(k, saved);
}
