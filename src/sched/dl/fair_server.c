/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fair server: a deadline entity a CPU, 50 ms in each second, that has no task of its own. Where
 * real-time tasks leave fair ones nothing, it runs fair tasks above them, and the throttling of
 * real-time tasks is not needed any more. It is deferred: as long as fair tasks get their 50 ms by
 * themselves it only looks on.
 *
 * Its states, by flags: inactive. Waiting (throttled, defer_armed): a timer is set for the point
 * deadline - runtime, after which what is left of the runtime no longer fits before the deadline. Time
 * of fair tasks is taken from the runtime, so the point moves; when nothing is left, a new period begins
 * and it waits anew. Running (queued, defer_running): the point was reached; it is in the tree of
 * deadline tasks, and picking it picks a fair task. Used up (throttled, defer_running): a timer
 * is set for the next period. Time in which the CPU idles counts as fair time: a CPU that
 * had time to idle starves nobody.
 *
 * Linux: kernel/sched/deadline.c dl_server_start(), dl_server_stop(), dl_server_update(),
 * dl_server_update_idle_time(), dl_server_timer(), and what update_dl_entity(), replenish_dl_entity(),
 * update_curr_dl_se() do for a server; 6.12, as of 6.12.117.
 * Deviation: the servers' bandwidth is not part of what admission counts, nor of GRUB's sums. A
 * running one is not pushed away from, its timer does not push other deadline tasks. v6.12.0 is
 * the same but for SERVER_STAYS.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"
#include "sched/rq_lock.h"

#define SERVER_RUNTIME_NS (50 * NS_PER_MS)
#define SERVER_PERIOD_NS (1000 * NS_PER_MS)
/* A timer is not moved by less. Linux: dl_server_min_res. */
#define MOVE_NS_MIN NS_PER_MS

void fair_server_init(struct machine *m, struct rq *rq)
{
	struct dl_entity *s = &rq->dl.server;

	if (!kver_has(m->v, FEAT_FAIR_SERVER))
		return;
	s->dl_runtime_ns = SERVER_RUNTIME_NS;
	s->dl_deadline_ns = SERVER_PERIOD_NS;
	s->dl_period_ns = SERVER_PERIOD_NS;
	s->dl_bw = to_ratio(SERVER_PERIOD_NS, SERVER_RUNTIME_NS);
	s->dl_density = s->dl_bw;
}

static void stop_timer(struct kctx *k, const struct rq *rq, struct dl_entity *s)
{
	if (s->replenish_armed)
		k->port->timer_stop(k, ktimer_fair_server(k->m, rq->cpu));
	s->replenish_armed = false;
}

/* False: what it would wait for is past. Linux: start_dl_timer(). */
static bool start_timer(struct kctx *k, const struct rq *rq, struct dl_entity *s)
{
	uint64_t at_ns = s->defer_armed ? s->deadline_ns - (uint64_t)s->runtime_ns :
					  dl_next_period(s);
	uint64_t age_ns = k->now_ns > rq->clock_ns ? k->now_ns - rq->clock_ns : 0;

	if (delta_s64(at_ns, rq->clock_ns) <= -(int64_t)NS_PER_US)
		return false;
	if (!s->replenish_armed) {
		s->replenish_armed = true;
		k->port->timer_arm(k, ktimer_fair_server(k->m, rq->cpu), at_ns + age_ns);
	}
	return true;
}

/* It waits until it must run. */
static void defer(struct dl_entity *s)
{
	s->throttled = true;
	s->defer_armed = true;
}

/* A whole period from now on; deferred, unless deferral had ended. */
static void new_period(const struct rq *rq, struct dl_entity *s)
{
	dl_new_instance(s, rq->clock_ns);
	if (!s->defer_running)
		defer(s);
}

/* It waits if it has to and there is something to wait for, else it is queued. */
static void enqueue(struct kctx *k, struct rq *rq, struct dl_entity *s)
{
	if (s->throttled && start_timer(k, rq, s))
		return;
	if (s->throttled) {
		stop_timer(k, rq, s);
		s->defer_armed = false;
		s->throttled = false;
	}
	dl_insert(k, rq, s);
}

/* It may go before what runs. */
static void preempt(struct kctx *k, struct rq *rq, const struct dl_entity *s)
{
	if (!is_dl(rq->curr) || dl_entity_preempt(s, rq->curr->dl))
		resched_task(k, rq);
}

void fair_server_start(struct kctx *k, struct rq *rq)
{
	struct dl_entity *s = &rq->dl.server;

	if (s->server_active)
		return;
	s->server_active = true;
	if (dl_update_entity(s, rq->clock_ns)) {
		s->defer_running = false;
		defer(s);
	} else if (!s->defer_running) {
		defer(s);
	}
	enqueue(k, rq, s);
	preempt(k, rq, s);
}

static void stop(struct kctx *k, struct rq *rq)
{
	struct dl_entity *s = &rq->dl.server;

	dl_take_out(k, rq, s);
	stop_timer(k, rq, s);
	s->defer_armed = false;
	s->throttled = false;
	s->server_active = false;
}

void fair_server_emptied(struct kctx *k, struct rq *rq)
{
	if (rq->dl.server.server_active && !feat(k, FEAT_SERVER_STAYS))
		stop(k, rq);
}

struct task *fair_server_pick(struct kctx *k, struct rq *rq)
{
	struct task *p = fair_sched_class.pick_task(k, rq);

	if (!p && rq->dl.server.server_active)
		stop(k, rq);
	return p;
}

void fair_server_ran(struct kctx *k, struct rq *rq, uint64_t delta_ns)
{
	struct dl_entity *s = &rq->dl.server;

	CHECK(s->server_active);
	s->runtime_ns -= (int64_t)delta_ns;
	if (s->runtime_ns > 0)
		return;
	if (s->throttled) {
		/* nobody starves: it begins anew */
		s->defer_running = false;
		stop_timer(k, rq, s);
		new_period(rq, s);
		start_timer(k, rq, s);
		return;
	}
	s->throttled = true;
	dl_take_out(k, rq, s);
	if (!start_timer(k, rq, s)) {
		new_period(rq, s);
		start_timer(k, rq, s);
	}
	/* it was perhaps for the server that this ran */
	resched_task(k, rq);
}

void fair_server_idled(struct kctx *k, struct rq *rq)
{
	struct dl_entity *s = &rq->dl.server;
	struct entity *curr = &rq->curr->se;
	int64_t delta_ns = delta_s64(rq->clock_ns, curr->exec_start_ns);

	(void)k;
	if (s->runtime_ns < 0 || delta_ns < 0)
		return;
	s->runtime_ns -= delta_ns;
	if (s->runtime_ns < 0) {
		s->defer_running = false;
		s->runtime_ns = 0;
	}
	curr->exec_start_ns = rq->clock_ns;
}

/* It was put off for its time and may have it now. Linux: replenish_dl_entity(). */
static void replenish(const struct rq *rq, struct dl_entity *s)
{
	dl_replenish_entity(s, rq->clock_ns);
	if (s->defer_armed) {
		s->defer_armed = false;
		return;
	}
	if (!s->defer_running &&
	    dl_time_before(rq->clock_ns, s->deadline_ns - (uint64_t)s->runtime_ns))
		defer(s);
}

/* In B: fair tasks had some of the runtime, so there is more time than it seemed. True: it waits. */
static bool put_off(struct kctx *k, const struct rq *rq, struct dl_entity *s)
{
	uint64_t at_ns = s->deadline_ns - (uint64_t)s->runtime_ns;

	if (!dl_time_before(rq->clock_ns, at_ns - MOVE_NS_MIN))
		return false;
	s->replenish_armed = true;
	k->port->timer_arm(k, ktimer_fair_server(k->m, rq->cpu),
			   k->now_ns + (at_ns - rq->clock_ns));
	return true;
}

void fair_server_timer(struct kctx *k, uint32_t cpu)
{
	uint32_t saved = path_enter(k, PATH_DL_TIMER);
	struct rq *rq = rq_of_cpu(k->m, cpu);
	struct dl_entity *s = &rq->dl.server;

	s->replenish_armed = false;
	rq_lock(k, rq);
	update_rq_clock(k, rq);
	/* it may have been armed anew, or stopped, while the lock was waited for */
	if (s->server_active && s->throttled && !s->replenish_armed &&
	    !(s->defer_armed && put_off(k, rq, s))) {
		if (s->defer_armed)
			s->defer_running = true;
		replenish(rq, s);
		enqueue(k, rq, s);
		preempt(k, rq, s);
	}
	rq_unlock(k, rq);
	path_leave(k, saved);
}

void fair_server_audit(const struct machine *m, const struct rq *rq)
{
	const struct dl_entity *s = &rq->dl.server;

	CHECK(!s->task);
	CHECK(!s->server_active || kver_has(m->v, FEAT_FAIR_SERVER));
	CHECK(s->server_active || !s->queued);
	CHECK(!(s->queued && s->throttled));
	/* one that was stopped in debt and started in the same period is queued until it runs */
	CHECK(!s->queued || s->runtime_ns >= 0 || !kver_has(m->v, FEAT_SERVER_STAYS));
	CHECK(!s->server_active || s->queued || s->throttled);
	CHECK(!s->defer_armed || s->throttled);
}
