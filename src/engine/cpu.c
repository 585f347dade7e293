/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One CPU: what it does when something happens to it.
 *
 * Between sections of kernel code a CPU works off its current task's action (a
 * burst) or idles. An event starts a section: the burst is settled up to now,
 * the event handled, then whatever is pending in the order of the kernel's way
 * out of an interrupt: further interrupts, the balancing softirq, reschedule.
 * When nothing is pending, the task that is current now goes on working. A burst
 * that only gives way to the task's next one needs no section at all.
 *
 * Interrupts that arrive during a section are taken at its end.
 *
 * The speed of work depends on the CPU's capacity and on whether another
 * thread of its core is busy; when a sibling's state changes, the burst under
 * way is settled at the old speed and continued at the new one.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "engine/internal.h"
#include "sched/sched.h"

/* Is `left` an instant rather than an amount? */
static bool until_time(const struct task_exec *x)
{
	return x->kind == ACTION_RUN_UNTIL || x->kind == ACTION_SPIN;
}

static bool is_infinite(uint64_t work)
{
	return work >= UINT64_C(1) << 46;
}

/* Time that WORK (below 2^46) takes, rounded up; it may be longer than any run. */
static uint64_t duration_of(const struct ecpu *c, uint64_t work)
{
	u128 ns = work;

	if (c->slow_q10 == 1024)
		return work;
	ns = (ns * c->slow_q10 + 1023) >> 10;
	return ns < EVENT_TIME_MAX ? (uint64_t)ns : EVENT_TIME_MAX;
}

/*
 * A sibling's section that ran ahead of time changed the speed from
 * burst_start_ns on; what was counted as done up to then is still to do.
 */
static void unsettle(struct ecpu *c, struct task_exec *x, uint64_t now_ns)
{
	uint64_t ahead_ns = c->burst_start_ns - now_ns;

	if (!until_time(x) && !is_infinite(x->left))
		x->left += (ahead_ns << 10) / c->slow_before_q10;
	c->burst_start_ns = now_ns;
}

/* Bring the running task's `left` up to NOW_NS. */
static void settle(struct engine *eng, struct ecpu *c, uint64_t now_ns)
{
	struct task *p = c->k->cpu->rq.curr;
	struct task_exec *x = &p->exec;
	uint64_t ran_ns, done;

	(void)eng;
	if (c->burst_start_ns == TIME_NEVER)
		return;
	if (c->burst_end_ns <= now_ns) {
		x->left = 0;
	} else if (now_ns <= c->burst_start_ns) {
		unsettle(c, x, now_ns);
		return;
	} else if (!until_time(x) && !is_infinite(x->left)) {
		ran_ns = now_ns - c->burst_start_ns;
		done = c->slow_q10 == 1024 ? ran_ns : (ran_ns << 10) / c->slow_q10;
		/* the rest, at least 1: the end is burst_end_ns only */
		x->left = done < x->left ? x->left - done : 1;
	}
	c->burst_start_ns = now_ns;
	x->idle_actions = 0;
}

/* What the workload looks at when it is asked for the task's next action; NULL: it does not tell. */
static const unsigned char *state_of(const struct task_exec *x)
{
	const struct behaviour *b = x->behaviour;

	return b->state ? b->state + (size_t)x->index * b->state_bytes : NULL;
}

/* Work on CURR's action from START_NS on. */
static void start_burst(struct ecpu *c, struct task *curr, uint64_t start_ns)
{
	struct task_exec *x = &curr->exec;

	c->burst_task = curr;
	c->ahead[0] = (const unsigned char *)x;
	c->ahead[1] = state_of(x);
	c->burst_start_ns = start_ns;
	c->slow_q10 = c->busy_siblings ? c->slow_shared_q10 : c->slow_alone_q10;
	if (x->kind == ACTION_RUN_CPUTIME)
		c->slow_q10 = 1024;
	if (until_time(x))
		c->burst_end_ns = max_u64(x->left, start_ns);
	else if (is_infinite(x->left))
		c->burst_end_ns = TIME_NEVER;
	else
		c->burst_end_ns = start_ns + duration_of(c, x->left);
}

void cpu_arm(struct engine *eng, struct ecpu *c)
{
	uint32_t id = c->id;
	uint64_t ipi_ns = min_u64(c->ipi_ns, c->notice_ns), first_ns = c->burst_end_ns;
	enum event_rank rank = RANK_BURST;

	CHECK(!c->in_section);
	/* at one instant the lower rank comes first */
	rank = c->tick_ns <= first_ns ? RANK_TICK : rank;
	first_ns = min_u64(first_ns, c->tick_ns);
	rank = ipi_ns <= first_ns ? RANK_IPI : rank;
	first_ns = min_u64(first_ns, ipi_ns);
	event_set(&eng->events, id, event_key(first_ns, rank, id));
}

/* S, beside which a thread became busy or idle at NOW_NS, works at another speed from then on. */
static void change_speed(struct engine *eng, struct ecpu *s, uint64_t now_ns)
{
	uint32_t before_q10 = s->slow_q10;

	if (s->in_section || !s->busy || s->burst_start_ns == TIME_NEVER)
		return;
	/* already over, only not yet handled */
	if (s->burst_end_ns <= now_ns)
		return;
	if (now_ns > s->burst_start_ns)
		s->slow_before_q10 = before_q10;
	else
		now_ns = s->burst_start_ns;
	settle(eng, s, now_ns);
	start_burst(s, s->k->cpu->rq.curr, now_ns);
	cpu_arm(eng, s);
}

/* C has become busy or idle. */
static void siblings_change_speed(struct engine *eng, struct ecpu *c, uint64_t now_ns)
{
	uint32_t id = c->id;

	for (uint32_t i = c->smt_next; i != id; i = eng->cpus[i].smt_next) {
		struct ecpu *s = &eng->cpus[i];

		s->busy_siblings =
			(uint16_t)(c->busy ? s->busy_siblings + 1 : s->busy_siblings - 1);
		change_speed(eng, s, now_ns);
	}
}

static void set_busy(struct engine *eng, struct ecpu *c, bool busy)
{
	if (c->busy == busy)
		return;
	c->busy = busy;
	if (c->smt_next != c->id)
		siblings_change_speed(eng, c, c->k->now_ns);
}

/* First instant after NOW_NS at which C's tick is due. */
static uint64_t next_tick(const struct engine *eng, const struct ecpu *c, uint64_t now_ns)
{
	uint64_t tick_ns = eng->m->tick_ns;

	if (now_ns < c->tick_offset_ns)
		return c->tick_offset_ns;
	return c->tick_offset_ns + ((now_ns - c->tick_offset_ns) / tick_ns + 1) * tick_ns;
}

/* Work that moved to another CPU finds cold caches there. */
static void charge_cold_caches(struct engine *eng, struct ecpu *c, struct task *curr)
{
	const struct hardware_prices *hw = &eng->cfg.prices->hardware;
	struct task_exec *x = &curr->exec;
	uint32_t id = c->id;
	uint32_t last = x->last_cpu;

	if (last == id)
		return;
	x->last_cpu = id;
	if (last == CPU_NONE || until_time(x) || is_infinite(x->left))
		return;
	x->left += eng->llc[last] == eng->llc[id] ? hw->cold_same_llc_ns : hw->cold_remote_ns;
}

/* Take the next pending interrupt, if there is one at the section's present. */
static bool take_interrupt(struct engine *eng, struct ecpu *c)
{
	struct kctx *k = c->k;

	if (c->fired_first) {
		timers_take(eng, c);
	} else if (c->ipi_ns <= k->now_ns) {
		c->ipi_ns = TIME_NEVER;
		sched_ipi(k);
	} else if (c->tick_ns <= k->now_ns) {
		c->tick_ns = next_tick(eng, c, k->now_ns);
		sched_tick(k);
	} else {
		return false;
	}
	return true;
}

void cpu_take_interrupts(struct engine *eng, struct ecpu *c)
{
	struct kctx *k = c->k;
	uint32_t saved = k->path;
	bool in_irq = k->in_irq;

	/* not below the path that was interrupted */
	k->path = 0;
	k->in_irq = true;
	/* bound: each takes time, and the next of its kind is due later */
	for (;;) {
		if (take_interrupt(eng, c))
			continue;
		if (!sched_softirq_pending(k))
			break;
		sched_softirq(k);
	}
	k->in_irq = in_irq;
	k->path = saved;
}

static bool may_preempt(const struct engine *eng, const struct task *curr)
{
	if (eng->cfg.v->preempt == PREEMPT_FULL)
		return true;
	return !curr->exec.in_kernel || curr->exec.left == 0;
}

/* The current task needs to be rescheduled: leave idle first if it is the idle task. */
static void reschedule(struct engine *eng, struct ecpu *c)
{
	struct rq *rq = &c->k->cpu->rq;

	if (rq->curr == rq->idle) {
		sched_idle_restart_tick(c->k);
		if (c->tick_ns == TIME_NEVER)
			c->tick_ns = next_tick(eng, c, c->k->now_ns);
	}
	sched_schedule(c->k);
}

/* Do whatever is pending until the current task can work (or the CPU idle). */
static void leave_kernel(struct engine *eng, struct ecpu *c)
{
	struct kctx *k = c->k;
	struct rq *rq = &k->cpu->rq;
	uint64_t start_ns = k->now_ns;

	/* bound: interrupts and actions take time; engine_stop() ends what does not */
	while (!eng->stop) {
		struct task *curr = rq->curr;

		if (unlikely(k->now_ns - start_ns > SECTION_NS_MAX) && eng->cfg.atomic) {
			engine_section_never_ends(eng);
			return;
		}
		if (c->locks_held) {
			action_next(eng, c, curr);
			continue;
		}
		k->in_irq = true;
		if (take_interrupt(eng, c))
			continue;
		if (sched_softirq_pending(k)) {
			sched_softirq(k);
			continue;
		}
		k->in_irq = false;
		if (curr->need_resched && may_preempt(eng, curr))
			reschedule(eng, c);
		else if (curr == rq->stop)
			sched_stopper_run(k);
		else if (curr == rq->idle && sched_idle_work(k))
			continue;
		else if (curr == rq->idle || curr->exec.left)
			return;
		else
			action_next(eng, c, curr);
	}
}

static void begin_section(struct engine *eng, struct ecpu *c, uint64_t time_ns)
{
	struct kctx *k = c->k;

	k->now_ns = max_u64(k->now_ns, time_ns);
	if (c->idle_since_ns != TIME_NEVER) {
		k->now_ns += eng->cfg.prices->hardware.idle_exit_ns;
		c->idle_ns += k->now_ns - c->idle_since_ns;
		c->idle_since_ns = TIME_NEVER;
	} else {
		settle(eng, c, k->now_ns);
	}
	c->in_section = true;
	c->notice_ns = TIME_NEVER;
	c->burst_start_ns = TIME_NEVER;
	c->burst_end_ns = TIME_NEVER;
	event_set(&eng->events, c->id, EVENT_NEVER);
}

static void end_section(struct engine *eng, struct ecpu *c)
{
	struct kctx *k = c->k;
	struct rq *rq = &k->cpu->rq;
	struct task *curr = rq->curr;

	if (curr == rq->idle) {
		if (!rq->tick_stopped && sched_idle_stop_tick(k))
			c->tick_ns = TIME_NEVER;
		c->idle_since_ns = k->now_ns;
	}
	c->in_section = false;
	set_busy(eng, c, curr != rq->idle);
	if (curr != rq->idle) {
		charge_cold_caches(eng, c, curr);
		start_burst(c, curr, k->now_ns);
	}
	cpu_arm(eng, c);
	if (eng->cfg.audit)
		sched_audit(eng->m);
}

/* Is there anything for C to do at NOW_NS, when its task's burst ends, but to ask for the next? */
static bool only_next_action_is_due(const struct engine *eng, const struct ecpu *c, uint64_t now_ns)
{
	const struct task *curr = c->burst_task;
	const struct task_exec *x = &curr->exec;

	return !curr->need_resched && c->tick_ns > now_ns && c->ipi_ns > now_ns &&
	       !c->fired_first && !sched_softirq_pending(c->k) && x->timer_cpu == CPU_NONE &&
	       x->kind != ACTION_FORK && x->kind != ACTION_EXEC && x->kind != ACTION_EXIT &&
	       !eng->cfg.audit;
}

/*
 * C's task finished a burst at TIME_NS. If its next action is a burst too, it is begun at once:
 * what a section would find is the same as before. Else a section, as for any event, does it.
 */
static bool begin_next_burst(struct engine *eng, struct ecpu *c, uint64_t time_ns)
{
	struct task *curr = c->burst_task;
	struct action a;

	c->k->now_ns = max_u64(c->k->now_ns, time_ns);
	curr->exec.left = 0;
	curr->exec.idle_actions = 0;
	if (!action_ask(eng, c, curr, &a))
		return true;
	if (a.kind == ACTION_RUN) {
		action_run(eng, c, curr, &a);
		if (curr->exec.left) {
			start_burst(c, curr, c->k->now_ns);
			cpu_arm(eng, c);
			return true;
		}
		begin_section(eng, c, time_ns);
		return false;
	}
	begin_section(eng, c, time_ns);
	action_do(eng, c, curr, &a);
	return false;
}

void cpu_run_event(struct engine *eng, struct ecpu *c, uint64_t time_ns, enum event_rank rank)
{
	CHECK(!c->in_section);
	CHECK(rank != RANK_RESUME);
	if (rank == RANK_BURST && only_next_action_is_due(eng, c, time_ns)) {
		if (begin_next_burst(eng, c, time_ns))
			return;
	} else {
		begin_section(eng, c, time_ns);
	}
	leave_kernel(eng, c);
	if (!eng->stop)
		end_section(eng, c);
}

void cpu_boot(struct engine *eng)
{
	struct machine *m = eng->m;

	for (uint32_t i = 0; i < m->ncpus; i++) {
		struct ecpu *c = &eng->cpus[i];

		if (!m->cpus[i].online)
			continue;
		c->idle_since_ns = 0;
		c->tick_ns = next_tick(eng, c, 0);
		if (sched_idle_stop_tick(c->k))
			c->tick_ns = TIME_NEVER;
		cpu_arm(eng, c);
	}
}
