/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waking without the old queue's lock. The task's own lock orders wake-ups of
 * the same task; a CPU is chosen with no queue locked; and if that CPU has
 * another last-level cache, the task is pushed on its wake list and the CPU
 * told by an interrupt, so that its queue's lock never travels.
 *
 * A task that is dequeued but still on its CPU (the CPU is balancing before it
 * goes idle, or switching) must be waited for, from the dequeue to the end of
 * the switch.
 *
 * From 5.8 on such a task is left to its CPU's wake list, without choosing a CPU, if that CPU is far
 * away or will have nothing else to run; and from 6.0 on so is any task that goes to a CPU with
 * nothing to run, however near.
 *
 * Linux: kernel/sched/core.c try_to_wake_up(), ttwu_queue(), ttwu_queue_cond(),
 * sched_ttwu_pending(), scheduler_ipi(); 3.3, 3.4, 5.4, 5.5 and 6.1.
 * Deviation: the task's pi_lock itself is not modelled; a second waker of a task that is
 * being woken fails at once instead of after a wait. From 5.8 on the list is one of all kinds of
 * calls of other CPUs, a kick for idle balancing among them, and only the first sends an
 * interrupt; here a kick has one of its own.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/select/select.h"

/* What follows reads the clock; kernels that sample it in queue operations do so there. [rq] */
static void sample_clock(struct kctx *k, struct rq *rq)
{
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
}

/* P is queued: make it runnable and let it preempt. [rq] Linux: ttwu_do_wakeup(). */
static void do_wakeup(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	check_preempt_curr(k, rq, p, flags);
	p->state = TASK_RUNNING;
	if (p->class->task_woken)
		p->class->task_woken(k, rq, p);
	update_avg_idle(k, rq);
}

static void do_activate(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	uint32_t flags_here = ENQUEUE_WAKEUP;

	/* its time was made relative when it left its queue, or at the wake-up in any case */
	if (p->wake_migrated || !feat(k, FEAT_SLEEP_ABSOLUTE))
		flags_here |= ENQUEUE_WAKING;
	activate_task(k, rq, p, flags_here);
	do_wakeup(k, rq, p, flags);
}

static void note_wakeup(struct kctx *k, const struct task *p, uint32_t prev_cpu)
{
	const struct task *waker = k->in_irq ? NULL : k->cpu->rq.curr;

	k->m->count.wakeups++;
	k->port->record(k, RECORD_WAKE, p->id, p->cpu, waker ? waker->id : 0, prev_cpu);
}

/* P is where it was; if it runs there is nobody to preempt. [rq] Linux: ttwu_runnable(), 6.12. */
static void wake_in_place(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	if (!task_is_running(rq, p))
		check_preempt_curr(k, rq, p, flags);
	p->state = TASK_RUNNING;
}

/* P slept on its queue, delayed: it wants to run again where it is. [rq] */
static void wake_delayed(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	note_wakeup(k, p, p->cpu);
	enqueue_task(k, rq, p, ENQUEUE_DELAYED);
	wake_in_place(k, rq, p, flags);
}

/* It was about to sleep and is still queued. Linux: ttwu_remote(). */
static bool wake_queued(struct kctx *k, struct task *p, uint32_t flags)
{
	struct rq *rq = task_rq_lock(k, p);
	bool queued = p->se.on_rq;

	if (queued) {
		sample_clock(k, rq);
		if (p->se.sched_delayed)
			wake_delayed(k, rq, p, flags);
		else if (feat(k, FEAT_WAKE_QUEUED_QUIET))
			wake_in_place(k, rq, p, flags);
		else
			do_wakeup(k, rq, p, flags);
	}
	rq_unlock(k, rq);
	return queued;
}

/* Wait until P has left its CPU. */
static void wait_until_off_cpu(struct kctx *k, const struct task *p)
{
	struct rq *rq = task_rq(k->m, p);

	if (rq == &k->cpu->rq)
		return;
	peek(k);
	if (rq->switching_out == p)
		k->port->wait(k, &rq->switched_out);
	else if (rq->last_out == p)
		k->port->wait_until_done(k, &rq->switched_out);
}

/* Linux: ttwu_queue_remote(). */
static void push_on_wake_list(struct kctx *k, struct rq *rq, struct task *p)
{
	bool was_empty;

	peek(k);
	was_empty = !rq->wake_list;
	p->wake_next = rq->wake_list;
	rq->wake_list = p;
	rq_changed(k->m, rq);
	if (!was_empty)
		return;
	/* the idle loop looks at the list when it sees need_resched */
	if (feat(k, FEAT_WAKE_LIST_POLLED) && rq->polls)
		resched_task(k, rq);
	else
		k->port->ipi(k, rq->cpu);
}

/* Does CPU share a cache with K's CPU, as far as the domains know? Linux: cpus_share_cache(). */
static bool shares_cache(const struct kctx *k, uint32_t cpu)
{
	const struct sched_domain *sd;

	for (sd = k->cpu->rq.sd; sd; sd = sd->parent)
		if ((sd->flags & SD_SHARE_PKG_RESOURCES) && mask_test(sd->span, cpu))
			return true;
	return cpu == k->cpu->id;
}

/* P, dequeued, has not left its CPU, another one, at this CPU's time. */
static bool is_switching_out(struct kctx *k, const struct task *p)
{
	const struct rq *rq = task_rq(k->m, p);

	if (rq == &k->cpu->rq)
		return false;
	peek(k);
	return rq->switching_out == p ||
	       (rq->last_out == p && delta_s64(rq->switched_out.done_ns, k->now_ns) > 0);
}

/* Is P to be queued by RQ's CPU itself? SWITCHING_OUT: it still has that CPU. Linux: ttwu_queue_cond(). */
static bool leaves_it_to_target(struct kctx *k, const struct rq *rq, const struct task *p,
				bool switching_out)
{
	if (!feat(k, FEAT_TTWU_QUEUE))
		return false;
	if (feat(k, FEAT_WAKE_LIST_SWITCHING) && !mask_test(p->allowed, rq->cpu))
		return false;
	if (feat(k, FEAT_WAKE_LIST_NOT_STOP) && p->class == &stop_sched_class)
		return false;
	if (!shares_cache(k, rq->cpu))
		return true;
	if (rq == &k->cpu->rq)
		return false;
	if (feat(k, FEAT_WAKE_LIST_IDLE)) {
		peek(k);
		return !rq->nr_running;
	}
	return switching_out && rq->nr_running <= 1;
}

static void ttwu_queue(struct kctx *k, struct task *p, uint32_t flags)
{
	struct rq *rq = task_rq(k->m, p);

	if (leaves_it_to_target(k, rq, p, false)) {
		push_on_wake_list(k, rq, p);
		return;
	}
	rq_lock(k, rq);
	sample_clock(k, rq);
	do_activate(k, rq, p, flags);
	rq_unlock(k, rq);
}

/* P, asleep but not yet off its CPU, is left to that CPU if it is to be so. */
static bool wake_where_it_is(struct kctx *k, struct task *p)
{
	if (!feat(k, FEAT_WAKE_LIST_SWITCHING) || !is_switching_out(k, p) ||
	    !leaves_it_to_target(k, task_rq(k->m, p), p, true))
		return false;
	p->wake_migrated = false;
	note_wakeup(k, p, p->cpu);
	push_on_wake_list(k, task_rq(k->m, p), p);
	count_wakeup(k, &k->cpu->rq, p->cpu);
	return true;
}

static bool wake_by_queue(struct kctx *k, struct task *p, uint32_t flags)
{
	uint32_t prev_cpu;

	charge(k, WORK_WAKEUP, 1);
	if (p == k->cpu->rq.curr && feat(k, FEAT_WAKE_SELF)) {
		if (p->state != TASK_INTERRUPTIBLE)
			return false;
		p->state = TASK_RUNNING;
		count_wakeup(k, &k->cpu->rq, p->cpu);
		return true;
	}
	peek(k);
	if (p->state != TASK_INTERRUPTIBLE)
		return false;
	/* one that sleeps delayed may be between two queues */
	if ((p->se.on_rq || p->migrating) && wake_queued(k, p, flags)) {
		count_wakeup(k, &k->cpu->rq, p->cpu);
		return true;
	}
	/* the world may have changed while waiting for the lock */
	if (p->state != TASK_INTERRUPTIBLE)
		return false;
	p->state = TASK_WAKING;
	if (wake_where_it_is(k, p))
		return true;
	wait_until_off_cpu(k, p);
	prev_cpu = p->cpu;
	if (p->class->waking)
		p->class->waking(k, task_rq(k->m, p), p);
	set_task_cpu(k, p, select_task_rq(k, p, SD_BALANCE_WAKE, flags));
	p->wake_migrated = p->cpu != prev_cpu;
	note_wakeup(k, p, prev_cpu);
	ttwu_queue(k, p, flags);
	count_wakeup(k, &k->cpu->rq, p->cpu);
	return true;
}

/* P and those linked behind it the other way round. */
static struct task *reversed(struct task *p)
{
	struct task *first = NULL;

	while (p) {
		struct task *next = p->wake_next;

		p->wake_next = first;
		first = p;
		p = next;
	}
	return first;
}

/*
 * Queue all that others pushed, newest first or, with WAKE_LIST_FIFO, oldest first, under one
 * lock. What is pushed while this waits for the lock is another interrupt's.
 * Linux: sched_ttwu_pending().
 */
static void drain_wake_list(struct kctx *k)
{
	struct rq *rq = &k->cpu->rq;
	struct task *p = rq->wake_list;

	if (feat(k, FEAT_WAKE_LIST_FIFO))
		p = reversed(p);
	rq->wake_list = NULL;
	rq_changed(k->m, rq);
	rq_lock(k, rq);
	sample_clock(k, rq);
	while (p) {
		struct task *next = p->wake_next;

		p->wake_next = NULL;
		do_activate(k, rq, p, 0);
		p = next;
	}
	rq_unlock(k, rq);
}

static void ipi_with_list(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_TTWU_PENDING);

	peek(k);
	/* a kick for idle balancing looks at the list too */
	if (k->cpu->rq.wake_list || (k->cpu->rq.nohz_kicked && idle_cpu(k, k->cpu->id)))
		drain_wake_list(k);
	path_leave(k, saved);
}

/* The idle loop ends. Linux: do_idle(), sched_ttwu_pending(). */
static void leave_idle_with_list(struct kctx *k)
{
	if (feat(k, FEAT_WAKE_LIST_POLLED) && k->cpu->rq.wake_list)
		drain_wake_list(k);
}

const struct wake_ops wake_ops_queue = {
	.name = "queue",
	.wake = wake_by_queue,
	.ipi = ipi_with_list,
	.leave_idle = leave_idle_with_list,
	.waits_for_switch = true,
};
