/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stopper: one task per CPU above all others, that moves tasks which
 * cannot be moved otherwise (a running one, or one that lost its CPU). It is
 * counted in rq->nr_running while it has work.
 *
 * Linux: the migration threads of 2.6.34 (SCHED_FIFO 99), cpu_stop of 2.6.35,
 * kernel/sched_stoptask.c from 2.6.37.
 * Deviation: before 2.6.37 the stopper is a real-time task and its run time
 * counts in the real-time average; here it is a class of its own.
 */
#include "sched/class.h"

#include "base/check.h"

static void enqueue_stop(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	(void)k;
	(void)flags;
	CHECK(p == rq->stop);
	p->se.on_rq = true;
}

static void dequeue_stop(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	(void)k;
	(void)flags;
	CHECK(p == rq->stop);
	p->se.on_rq = false;
}

static struct task *pick_task_stop(struct kctx *k, struct rq *rq)
{
	(void)k;
	return rq->stop->se.on_rq ? rq->stop : NULL;
}

static void set_curr_stop(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)k;
	p->se.exec_start_ns = rq->clock_ns;
}

static struct task *pick_next_stop(struct kctx *k, struct rq *rq)
{
	struct task *p = pick_task_stop(k, rq);

	if (p)
		set_curr_stop(k, rq, p);
	return p;
}

/* Book the stopper's own time. */
static void put_prev_stop(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)k;
	if (rq->clock_ns > p->se.exec_start_ns)
		p->se.sum_exec_ns += rq->clock_ns - p->se.exec_start_ns;
	p->se.exec_start_ns = rq->clock_ns;
}

static void tick_stop(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)k;
	(void)rq;
	(void)p;
}

/* Nothing preempts the stopper. */
static void check_preempt_stop(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	(void)k;
	(void)rq;
	(void)p;
	(void)wake_flags;
}

static void yield_stop(struct kctx *k, struct rq *rq)
{
	(void)k;
	(void)rq;
	CHECK(false && "the stopper does not yield");
}

static bool has_runnable_stop(const struct kctx *k, const struct rq *rq)
{
	(void)k;
	return rq->stop->se.on_rq;
}

const struct sched_class stop_sched_class = {
	.name = "stop",
	.rank = 4,
	.has_runnable = has_runnable_stop,
	.enqueue = enqueue_stop,
	.dequeue = dequeue_stop,
	.pick_next = pick_next_stop,
	.pick_task = pick_task_stop,
	.set_curr = set_curr_stop,
	.put_prev = put_prev_stop,
	.tick = tick_stop,
	.check_preempt = check_preempt_stop,
	.yield = yield_stop,
};
