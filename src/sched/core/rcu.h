/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RCU, as far as the scheduler feels it: a CPU with callbacks keeps its tick while it idles until a
 * grace period has ended and they were invoked; so does the CPU where the grace periods' thread
 * armed its timer. Ticks of idle CPUs balance, and keep them counted as busy in their cache.
 *
 * A run has RCU when a task called sched_rcu_step(): that is its rcu_preempt. Without one
 * nothing here does anything.
 *
 * Linux: kernel/rcu/tree.c rcu_sched_clock_irq(), rcu_pending(), rcu_core(), note_gp_changes(),
 * rcu_gp_kthread(), rcu_gp_fqs_loop(), force_qs_rnp(); kernel/time/tick-sched.c tick_nohz_next_event()
 * (rcu_needs_cpu()); PREEMPT_RCU of 5.x to 6.12 with one leaf and RCU_JIFFIES_TILL_FORCE_QS of HZ <= 250.
 * Deviation: rcu_core() is done by the tick, not by a softirq after those of balancing; it costs nothing
 * but the thread's time. No reader is ever preempted, callbacks are not counted, nothing is
 * expedited, offloaded or lazy; grace periods of other flavours do not exist.
 */
#ifndef RUNQLAB_SCHED_CORE_RCU_H
#define RUNQLAB_SCHED_CORE_RCU_H

#include "model/machine.h"

/* At the end of this CPU's tick, no rq locked. */
void rcu_tick(struct kctx *k);

/* This CPU is about to idle. Does RCU need its tick? Linux: rcu_needs_cpu(), and the wheel's next timer. */
static inline bool rcu_needs_cpu(const struct kctx *k)
{
	const struct rcu_data *d = &k->cpu->rcu;

	return k->m->rcu.gp_kthread &&
	       (d->next || d->wait_seq || k->m->rcu.timer_cpu == k->cpu->id);
}

/* This CPU went through schedule(). Linux: rcu_note_context_switch(). */
static inline void rcu_note_context_switch(struct kctx *k)
{
	if (k->m->rcu.gp_kthread)
		k->cpu->rcu.passed = true;
}

#endif
