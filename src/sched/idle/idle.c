/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The idle class: one task per CPU that is always ready and that everyone
 * preempts. It is never queued; picking it counts sched_goidle. Kernels with PELT tell
 * wake-ups then that a core may be idle.
 *
 * Linux: kernel/sched_idletask.c, 2.6.34 to 3.4; kernel/sched/idle.c, 5.4 on.
 */
#include "sched/class.h"

#include "base/check.h"
#include "sched/select/select_pelt.h"

static void enqueue_idle(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	(void)k;
	(void)rq;
	(void)p;
	(void)flags;
	CHECK(false && "the idle task is never queued");
}

static struct task *pick_next_idle(struct kctx *k, struct rq *rq)
{
	rq->stats.sched_goidle++;
	if (k->v->util_est)
		update_idle_core(k, rq);
	rq->idle->se.exec_start_ns = rq->clock_ns;
	return rq->idle;
}

/* The time it was idle is as good to fair tasks as if they had run. */
static void put_prev_idle(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)p;
	if (feat(k, FEAT_FAIR_SERVER))
		fair_server_idled(k, rq);
}

static void tick_idle(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)k;
	(void)rq;
	(void)p;
}

static void check_preempt_idle(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	(void)p;
	(void)wake_flags;
	resched_task(k, rq);
}

static void yield_idle(struct kctx *k, struct rq *rq)
{
	(void)k;
	(void)rq;
}

const struct sched_class idle_sched_class = {
	.name = "idle",
	.rank = 0,
	.enqueue = enqueue_idle,
	.dequeue = enqueue_idle,
	.pick_next = pick_next_idle,
	.put_prev = put_prev_idle,
	.tick = tick_idle,
	.check_preempt = check_preempt_idle,
	.yield = yield_idle,
};
