/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A grace period: a tick finds callbacks that have none and wakes the thread (1); it begins one and
 * sleeps for a jiffy, which the timer wheel makes two ticks (2); CPUs with a tick notice the
 * grace period at their next one and report at a later one, or when they switched in between; the thread
 * looks for CPUs that idle (3) until none is left, by itself or woken by the last report (4). CPUs notice the
 * end at their next tick, where callbacks are invoked and later ones get the next grace period.
 */
#include "sched/core/rcu.h"

#include "base/check.h"
#include "base/mask.h"
#include "sched/core/core.h"
#include "sched/port.h"
#include "sched/sched.h"

/* A timer of one jiffy fires in the second tick from now: the wheel rounds up. Linux: calc_index(). */
#define FQS_TICKS 2u

static uint64_t completed(const struct rcu_state *s)
{
	return s->gp_seq - s->in_progress;
}

static void wake_kthread(struct kctx *k)
{
	sched_wake(k, k->m->rcu.gp_kthread, 0);
}

/* Linux: note_gp_changes(). */
static void note_gp_changes(struct kctx *k)
{
	const struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	if (d->gp_seq == s->gp_seq)
		return;
	d->gp_seq = s->gp_seq;
	d->needs_qs = s->in_progress && mask_test(s->qs_mask, k->cpu->id);
	d->passed = false;
}

/* Linux: rcu_check_quiescent_state(), rcu_report_qs_rdp(). */
static void report(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	if (!d->needs_qs || !d->passed)
		return;
	d->needs_qs = false;
	/* it may have been reported for it while it idled */
	if (!s->in_progress || d->gp_seq != s->gp_seq || !mask_test(s->qs_mask, k->cpu->id))
		return;
	mask_clear(s->qs_mask, k->cpu->id);
	if (mask_is_empty(s->qs_mask))
		wake_kthread(k);
}

/* Linux: rcu_accelerate_cbs(), rcu_start_this_gp(). */
static void accelerate(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	if (!d->next || d->wait_seq)
		return;
	d->next = false;
	d->wait_seq = s->gp_seq + 1;
	if (s->needed >= d->wait_seq)
		return;
	s->needed = d->wait_seq;
	if (!s->in_progress)
		wake_kthread(k);
}

void rcu_tick(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	if (!s->gp_kthread)
		return;
	peek(k);
	if (s->timer_cpu == k->cpu->id && jiffies(k) >= s->timer_jiffies) {
		s->timer_cpu = CPU_NONE;
		wake_kthread(k);
	}
	/* this tick is a quiescent state of what the CPU knew before */
	d->passed = true;
	note_gp_changes(k);
	report(k);
	if (d->wait_seq && completed(s) >= d->wait_seq)
		d->wait_seq = 0; /* invoked */
	accelerate(k);
}

void sched_call_rcu(struct kctx *k)
{
	if (k->m->rcu.gp_kthread)
		k->cpu->rcu.next = true;
}

/* CPUs that idle are in a quiescent state. Linux: force_qs_rnp(). */
static void force_quiescent_states(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	uint32_t cpu;

	peek(k);
	mask_for_each(cpu, s->qs_mask)
		if (mask_test(k->m->idling, cpu))
			mask_clear(s->qs_mask, cpu);
}

static void arm_timer(struct kctx *k)
{
	k->m->rcu.timer_cpu = k->cpu->id;
	k->m->rcu.timer_jiffies = jiffies(k) + FQS_TICKS;
}

/* Linux: rcu_gp_init(). */
static void begin(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	s->gp_seq++;
	s->in_progress = true;
	mask_copy(s->qs_mask, k->m->online);
	note_gp_changes(k);
	arm_timer(k);
}

/* Linux: rcu_gp_cleanup(). */
static void end(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	s->in_progress = false;
	s->timer_cpu = CPU_NONE;
}

void sched_rcu_step(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	if (!s->gp_kthread) {
		s->gp_kthread = k->cpu->rq.curr;
		s->timer_cpu = CPU_NONE;
	}
	CHECK(s->gp_kthread == k->cpu->rq.curr);
	if (s->in_progress && s->timer_cpu == CPU_NONE) {
		force_quiescent_states(k);
		if (!mask_is_empty(s->qs_mask))
			arm_timer(k);
	}
	if (s->in_progress && mask_is_empty(s->qs_mask))
		end(k);
	if (!s->in_progress && s->needed > s->gp_seq)
		begin(k);
}
