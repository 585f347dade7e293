/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OUT: what the core asks of whoever drives it. The engine answers with
 * simulated time; a unit test with a hand-set clock may answer with nothing.
 *
 * lock() and peek() are the two doors at which CPUs interleave: every CPU
 * with an earlier local time runs before they return, so nothing read before
 * may be trusted after, as in the kernel.
 */
#ifndef RUNQLAB_SCHED_PORT_H
#define RUNQLAB_SCHED_PORT_H

#include "model/machine.h"

/* wake-up flags, as in the kernel */
#define WF_SYNC 1u /* the waker is about to sleep */
#define WF_FORK 2u /* the first activation of a new task */

struct port_ops {
	/* Take L, waiting if it is held; charges the wait to k's path below L's element. */
	void (*lock)(struct kctx *k, struct klock *l);
	/* Take L if nobody holds it. An interleaving point too. */
	bool (*trylock)(struct kctx *k, struct klock *l);
	/* Let L go at k->now_ns. Never switches to another CPU. */
	void (*unlock)(struct kctx *k, struct klock *l);
	/* Stand before an unlocked read of another CPU's state. */
	void (*peek)(struct kctx *k);
	/* Interrupts are enabled here and no lock is held: those that are pending are taken now. */
	void (*interrupts)(struct kctx *k);
	/* Spin until complete() is called on W, which has not come true yet. */
	void (*wait)(struct kctx *k, struct kwait *w);
	/* W came true already, perhaps later than k->now_ns: spin until then. */
	void (*wait_until_done)(struct kctx *k, struct kwait *w);
	/* W comes true now: all who wait go on. Never switches to another CPU. */
	void (*complete)(struct kctx *k, struct kwait *w);
	/*
	 * Interrupt CPU, which may be this one, so that it looks at need_resched and whatever else
	 * was left for it. Arrives after the hardware's latency.
	 */
	void (*ipi)(struct kctx *k, uint32_t cpu);
	/*
	 * CPU idles and watches need_resched (mwait), which was just set: it notices when the
	 * cache line has reached it, without an interrupt.
	 */
	void (*notice)(struct kctx *k, uint32_t cpu);
	/*
	 * Kernel timer TIMER (model/rt.h: enum kernel_timer), not armed yet, fires on K's CPU at
	 * AT_NS or, if that is past, as soon as interrupts are on: sched_timer() is called there.
	 */
	void (*timer_arm)(struct kctx *k, uint32_t timer, uint64_t at_ns);
	/* It does not fire any more unless armed again. False: it was not armed. */
	bool (*timer_stop)(struct kctx *k, uint32_t timer);
	/* Tell observers; see model/record.def for a..d. Never changes anything. */
	void (*record)(struct kctx *k, enum record_kind kind, uint64_t a, uint64_t b, uint64_t c,
		       uint64_t d);
};

static inline void rq_lock(struct kctx *k, struct rq *rq)
{
	k->port->lock(k, &rq->lock);
	rq_changed(k->m, rq);
}

static inline bool rq_trylock(struct kctx *k, struct rq *rq)
{
	bool taken = k->port->trylock(k, &rq->lock);

	if (taken)
		rq_changed(k->m, rq);
	return taken;
}

static inline void rq_unlock(struct kctx *k, struct rq *rq)
{
	k->port->unlock(k, &rq->lock);
}

static inline void peek(struct kctx *k)
{
	k->port->peek(k);
}

/* N units of work W were done: they take time and are booked on the current path. */
static inline void charge(struct kctx *k, enum work_kind w, uint64_t n)
{
	uint64_t ns = k->prices->sched_ns[w] * n;

	k->now_ns += ns;
	k->sched_ns += ns;
	k->m->paths->node[k->path].ns += ns;
}

/* Enter ELEM below the current path; give the result to path_leave(). */
static inline uint32_t path_enter(struct kctx *k, enum path_elem elem)
{
	uint32_t saved = k->path;

	k->path = path_child(k->m->paths, saved, elem);
	k->m->paths->node[k->path].count++;
	return saved;
}

static inline void path_leave(struct kctx *k, uint32_t saved)
{
	k->path = saved;
}

#endif
