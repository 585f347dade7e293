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
 * Deviation: nothing of it costs anything but the thread's time. No reader is ever preempted, callbacks are not counted, nothing is
 * expedited, offloaded or lazy; grace periods of other flavours do not exist. A CPU that idles is passed
 * even while an interrupt keeps it awake. Where the thread runs, that CPU hears of a grace period at once on
 * machines of more than one leaf (16 CPUs), too.
 */
#ifndef RUNQLAB_SCHED_CORE_RCU_H
#define RUNQLAB_SCHED_CORE_RCU_H

#include "model/machine.h"

/* This CPU ticks, no rq locked. Raises what is to be done. Linux: rcu_sched_clock_irq(), run_local_timers(). */
void rcu_tick(struct kctx *k);

/* SOFTIRQ_TIMER. Linux: run_timer_softirq(), process_timeout(). */
void rcu_run_timer(struct kctx *k);
/* SOFTIRQ_RCU. Linux: rcu_core(). */
void rcu_core(struct kctx *k);

static inline bool rcu_has_callbacks(const struct rcu_data *d)
{
	return d->next || d->wait_seq || d->next_ready_seq || d->done;
}

/*
 * This CPU is about to idle. Does RCU need its tick? Linux: rcu_needs_cpu(), and the wheel's next timer.
 * Deviation: the kernel stops the tick for the jiffy before the one in which the timer fires, unless it has
 * NOHZ_STOP_AFTER_TICK.
 */
static inline bool rcu_needs_cpu(const struct kctx *k)
{
	return k->m->rcu.gp_kthread &&
	       (rcu_has_callbacks(&k->cpu->rcu) || k->m->rcu.timer_cpu == k->cpu->id);
}

/* This CPU's tick stops: another's counts jiffies from now on. Linux: tick_nohz_stop_tick(). */
static inline void rcu_stop_tick(struct kctx *k)
{
	if (k->m->rcu.do_timer_cpu == k->cpu->id)
		k->m->rcu.do_timer_cpu = CPU_NONE;
}

/* This CPU went through schedule(). Linux: rcu_note_context_switch(). */
static inline void rcu_note_context_switch(struct kctx *k)
{
	if (k->m->rcu.gp_kthread)
		k->cpu->rcu.passed = true;
}

/* All invariants, the slow way. */
void rcu_audit(struct machine *m);

#endif
