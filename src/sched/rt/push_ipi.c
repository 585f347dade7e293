/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instead of locking every overloaded queue to look for something to pull, a CPU that is about
 * to run something less important sends one work round these CPUs by interrupts. Where it
 * arrives the CPU pushes what it can under its own lock, and sends the work on to the next in
 * ascending order. There is one work for the machine. Requests are counted; after a round it goes
 * round again if there were some that it did not know of. So it goes twice for a single request,
 * and for all that come before it begins the second time.
 *
 * Who asks takes the lock of the work only if nobody else is just starting it, so many CPUs that
 * lower their priority at once do not queue for it.
 *
 * Linux: kernel/sched/rt.c tell_cpu_to_push(), rto_next_cpu(), rto_push_irq_work_func();
 * 4.15 on, as of 5.4.
 * Deviation: the work is an interrupt like any other, so one that arrives earlier takes it along.
 */
#include "sched/rt/rt.h"

#include "base/check.h"

/* Where the work goes next; CPU_NONE: it is done. Its lock is held. Linux: rto_next_cpu(). */
static uint32_t rto_next_cpu(struct kctx *k)
{
	struct root_domain *rd = &k->m->rd;

	/* bound: requests are few and counted; each turn answers all so far */
	for (;;) {
		uint32_t from = rd->rto_cpu == CPU_NONE ? 0 : rd->rto_cpu + 1;
		uint32_t cpu = mask_next(rd->rto_mask, from);

		charge(k, WORK_RTO_SCAN, 1);
		if (cpu != MASK_NONE) {
			rd->rto_cpu = cpu;
			return cpu;
		}
		rd->rto_cpu = CPU_NONE;
		if (rd->rto_loop == rd->rto_loop_next)
			return CPU_NONE;
		rd->rto_loop = rd->rto_loop_next;
	}
}

static void send_work(struct kctx *k, uint32_t cpu)
{
	struct rt_rq *rt = &rq_of_cpu(k->m, cpu)->rt;

	CHECK(!rt->push_due);
	rt->push_due = true;
	k->port->ipi(k, cpu);
}

void tell_cpu_to_push(struct kctx *k, struct rq *this_rq)
{
	uint32_t saved = path_enter(k, PATH_TELL_CPU_TO_PUSH), cpu = CPU_NONE;
	struct root_domain *rd = &k->m->rd;

	rd->rto_loop_next++;
	this_rq->rt.stats.push_requests++;
	if (!rd->rto_starting) {
		rd->rto_starting = true;
		k->port->lock(k, &rd->rto_lock);
		if (rd->rto_cpu == CPU_NONE)
			cpu = rto_next_cpu(k);
		k->port->unlock(k, &rd->rto_lock);
		rd->rto_starting = false;
	}
	if (cpu != CPU_NONE)
		send_work(k, cpu);
	path_leave(k, saved);
}

void rto_push_irq_work(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_RTO_PUSH), cpu;
	struct root_domain *rd = &k->m->rd;
	struct rq *rq = &k->cpu->rq;

	CHECK(rq->rt.push_due);
	rq->rt.push_due = false;
	rq->rt.stats.push_works++;
	if (rq->rt.npushable) {
		rq_lock(k, rq);
		push_rt_tasks(k, rq);
		rq_unlock(k, rq);
	}
	k->port->lock(k, &rd->rto_lock);
	cpu = rto_next_cpu(k);
	k->port->unlock(k, &rd->rto_lock);
	if (cpu != CPU_NONE)
		send_work(k, cpu);
	path_leave(k, saved);
}
