/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A grace period: a tick finds callbacks that have none and wakes the thread (1); it begins one and
 * sleeps for a jiffy, which the timer wheel makes two ticks (2); CPUs with a tick notice the
 * grace period at their next one and report at the one after it; the thread
 * looks for CPUs that idle (3) until none is left, by itself or woken by the last report (4). CPUs notice the
 * end at their next tick, where callbacks are invoked. The CPU of the thread notices both at once.
 *
 * Callbacks that came since the CPU last heard of a grace period are given the next that begins, as soon as it hears of
 * one or finds that none is under way; so those of two at most wait. What was asked for while a grace period
 * was under way the thread begins at its end.
 *
 * A tick only raises softirqs: the thread's timer goes before balancing, all else after it. What is shared is read
 * and written between two peeks, where the kernel has the node's lock.
 */
#include "sched/core/rcu.h"

#include "base/check.h"
#include "base/mask.h"
#include "sched/core/core.h"
#include "sched/port.h"
#include "sched/sched.h"

/* Linux: jiffies_till_first_fqs, jiffies_till_next_fqs. */
#define FQS_JIFFIES 1u

static uint64_t completed(const struct rcu_state *s)
{
	return s->gp_seq - s->in_progress;
}

/* Linux: rcu_gp_kthread_wake(). */
static void wake_kthread(struct kctx *k)
{
	sched_wake(k, k->m->rcu.gp_kthread, 0);
}

/* Callbacks whose grace period is over may be invoked. Linux: rcu_segcblist_advance(). */
static void advance(struct rcu_data *d)
{
	/* bound: two at most wait */
	while (d->wait_seq && d->wait_seq <= d->completed) {
		d->done = true;
		d->wait_seq = d->next_ready_seq;
		d->next_ready_seq = 0;
	}
}

/*
 * Those that came since are given the next to begin: one that is under way may have begun before them.
 * True: the thread is to be woken for it. Linux: rcu_accelerate_cbs(), rcu_start_this_gp().
 */
static bool accelerate(struct machine *m, struct rcu_data *d)
{
	struct rcu_state *s = &m->rcu;
	uint64_t seq = s->gp_seq + 1;

	if (!d->next)
		return false;
	d->next = false;
	if (!d->wait_seq || d->wait_seq == seq) {
		d->wait_seq = seq;
	} else {
		CHECK(!d->next_ready_seq || d->next_ready_seq == seq);
		d->next_ready_seq = seq;
	}
	for (uint32_t id = d->first_waiter; id; id = m->tasks[id - 1].rcu_next)
		if (!m->tasks[id - 1].rcu_seq)
			m->tasks[id - 1].rcu_seq = seq;
	if (s->needed >= seq)
		return false;
	s->needed = seq;
	return !s->in_progress;
}

/* CPU hears of what happened. True: the thread is to be woken. Linux: __note_gp_changes(). */
static bool note_gp_changes(struct machine *m, uint32_t cpu)
{
	struct rcu_state *s = &m->rcu;
	struct rcu_data *d = &m->cpus[cpu].rcu;
	bool wake;

	if (d->gp_seq == s->gp_seq && d->completed == completed(s))
		return false;
	if (d->completed != completed(s)) {
		d->completed = completed(s);
		d->needs_qs = false;
		advance(d);
	}
	wake = accelerate(m, d);
	if (d->gp_seq != s->gp_seq) {
		d->gp_seq = s->gp_seq;
		d->needs_qs = mask_test(s->qs_mask, cpu);
		d->passed = false;
	}
	return wake;
}

/* Linux: rcu_check_quiescent_state(), rcu_report_qs_rdp(), rcu_report_qs_rsp(). */
static void check_quiescent_state(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	if (note_gp_changes(k->m, k->cpu->id))
		wake_kthread(k);
	if (!d->needs_qs || !d->passed)
		return;
	d->needs_qs = false;
	/* it may have been passed as one that idles, and the grace period be over */
	if (d->gp_seq != s->gp_seq || !mask_test(s->qs_mask, k->cpu->id))
		return;
	mask_clear(s->qs_mask, k->cpu->id);
	if (mask_is_empty(s->qs_mask))
		wake_kthread(k);
}

/* What is due is invoked; of that, waiters are seen. Linux: rcu_do_batch(), wakeme_after_rcu(). */
static void do_batch(struct kctx *k)
{
	struct rcu_data *d = &k->cpu->rcu;
	uint32_t *link = &d->first_waiter;

	/* bound: a task is on one list, once */
	while (*link) {
		struct task *p = &k->m->tasks[*link - 1];

		if (!p->rcu_seq || p->rcu_seq > d->completed) {
			link = &p->rcu_next;
			continue;
		}
		*link = p->rcu_next;
		sched_wake(k, p, 0);
	}
	d->done = false;
}

void rcu_core(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;
	struct rcu_data *d = &k->cpu->rcu;

	peek(k);
	check_quiescent_state(k);
	if (!s->in_progress && accelerate(k->m, d))
		wake_kthread(k);
	if (d->done)
		do_batch(k);
}

/* Linux: rcu_pending(). */
static bool is_pending(const struct rcu_state *s, const struct rcu_data *d)
{
	if ((d->needs_qs && d->passed && s->in_progress) || d->done)
		return true;
	if (!s->in_progress && d->next)
		return true;
	return d->gp_seq != s->gp_seq || d->completed != completed(s);
}

/*
 * All CPUs tick at the same time, and those whose tick comes before that of the one that counts
 * see the jiffy before. Linux: tick_sched_do_timer(). Deviation: so do timers only.
 */
static void count_jiffies(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	if (s->do_timer_cpu == CPU_NONE)
		s->do_timer_cpu = k->cpu->id;
	if (s->do_timer_cpu == k->cpu->id)
		s->jiffies = jiffies(k);
}

void rcu_tick(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	if (!s->gp_kthread)
		return;
	peek(k);
	count_jiffies(k);
	if (s->timer_cpu == k->cpu->id && s->jiffies >= s->timer_jiffies)
		k->cpu->softirq_pending |= SOFTIRQ_TIMER;
	/* this tick is a quiescent state of what the CPU knew before */
	k->cpu->rcu.passed = true;
	if (is_pending(s, &k->cpu->rcu))
		k->cpu->softirq_pending |= SOFTIRQ_RCU;
}

void rcu_run_timer(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	peek(k);
	if (s->timer_cpu != k->cpu->id || s->jiffies < s->timer_jiffies)
		return;
	s->timer_cpu = CPU_NONE;
	wake_kthread(k);
}

void sched_call_rcu(struct kctx *k)
{
	if (k->m->rcu.gp_kthread)
		k->cpu->rcu.next = true;
}

bool sched_synchronize_rcu(struct kctx *k)
{
	struct task *p = k->cpu->rq.curr;

	if (!k->m->rcu.gp_kthread)
		return false;
	CHECK(p->id > 0);
	sched_call_rcu(k);
	p->rcu_seq = 0;
	p->rcu_next = k->cpu->rcu.first_waiter;
	k->cpu->rcu.first_waiter = p->id;
	return true;
}

/* CPUs that idle are in a quiescent state. Linux: force_qs_rnp(). */
static void force_quiescent_states(struct machine *m)
{
	struct rcu_state *s = &m->rcu;
	uint32_t cpu;

	mask_for_each(cpu, s->qs_mask)
		if (mask_test(m->idling, cpu))
			mask_clear(s->qs_mask, cpu);
	s->force_qs = s->jiffies + FQS_JIFFIES;
}

/* The wheel rounds up: not in the jiffy asked for, in the one after it. Linux: schedule_timeout(), calc_index(). */
static void arm_timer(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	s->timer_cpu = k->cpu->id;
	s->timer_jiffies = s->jiffies + FQS_JIFFIES + 1;
}

/* Linux: rcu_gp_init(). */
static void begin(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	s->gp_seq++;
	s->in_progress = true;
	s->force_qs = s->jiffies + FQS_JIFFIES;
	mask_copy(s->qs_mask, k->m->online);
	note_gp_changes(k->m, k->cpu->id);
}

/* Linux: rcu_gp_cleanup(). */
static void end(struct kctx *k)
{
	k->m->rcu.in_progress = false;
	note_gp_changes(k->m, k->cpu->id);
}

static void first_step(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	s->gp_kthread = k->cpu->rq.curr;
	s->timer_cpu = CPU_NONE;
	s->do_timer_cpu = CPU_NONE;
	s->jiffies = jiffies(k);
}

void sched_rcu_step(struct kctx *k)
{
	struct rcu_state *s = &k->m->rcu;

	if (!s->gp_kthread)
		first_step(k);
	CHECK(s->gp_kthread == k->cpu->rq.curr);
	peek(k);
	s->timer_cpu = CPU_NONE;
	if (s->in_progress && s->jiffies >= s->force_qs)
		force_quiescent_states(k->m);
	if (s->in_progress && mask_is_empty(s->qs_mask))
		end(k);
	if (!s->in_progress && s->needed > s->gp_seq)
		begin(k);
	if (s->in_progress)
		arm_timer(k);
}

static void audit_cpu(const struct machine *m, const struct cpu *cpu)
{
	const struct rcu_state *s = &m->rcu;
	const struct rcu_data *d = &cpu->rcu;
	uint32_t n = 0;

	CHECK(d->gp_seq <= s->gp_seq);
	CHECK(d->completed <= completed(s));
	CHECK(!d->wait_seq || (d->wait_seq > d->completed && d->wait_seq <= s->needed));
	CHECK(!d->next_ready_seq || d->wait_seq);
	CHECK(!d->next_ready_seq || d->next_ready_seq == d->wait_seq + 1);
	CHECK(d->next_ready_seq <= s->needed);
	for (uint32_t id = d->first_waiter; id; id = m->tasks[id - 1].rcu_next) {
		const struct task *p = &m->tasks[id - 1];

		CHECK(++n <= m->ntasks);
		CHECK(p->rcu_seq ? p->rcu_seq > d->completed || d->done : d->next);
	}
	/* or nobody would ever invoke them, nobody fire it */
	if (cpu->rq.tick_stopped && m->v->util_est)
		CHECK(!rcu_has_callbacks(d) && s->timer_cpu != cpu->id);
}

void rcu_audit(struct machine *m)
{
	const struct rcu_state *s = &m->rcu;

	if (!s->gp_kthread)
		return;
	CHECK(s->needed <= s->gp_seq + 1);
	CHECK(mask_is_subset(s->qs_mask, m->online));
	CHECK(s->in_progress || mask_is_empty(s->qs_mask));
	for (uint32_t i = 0; i < m->ncpus; i++)
		if (m->cpus[i].online)
			audit_cpu(m, &m->cpus[i]);
}
