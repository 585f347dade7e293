/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission: the bandwidths of all deadline tasks together may not exceed the
 * root domain's, which is the real-time share (0.95) of each of its CPUs; so
 * each task must be allowed on all of them. A limit of -1 switches both tests
 * off.
 *
 * Linux: kernel/sched/core.c dl_overflow(), __checkparam_dl(), __sched_setscheduler(),
 * sched_setaffinity(); 3.14 to 4.0. Part of it moved to deadline.c later.
 * Deviation: a task may be created in the class, which the kernel does only for one
 * that exists. The bandwidth of CPUs is their number, whatever their capacity.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"

#define RUNTIME_NS_MIN 1024u
/* Linux: sched_deadline_period_min_us, sched_deadline_period_max_us */
#define PERIOD_NS_MIN (100 * NS_PER_US)
#define PERIOD_NS_MAX ((UINT64_C(1) << 22) * NS_PER_US)

static uint64_t period_of(const struct dl_params *dl)
{
	return dl->period_ns ? dl->period_ns : dl->deadline_ns;
}

/* Linux: __checkparam_dl(); flags: sched_setattr(). */
static bool are_sane(const struct machine *m, const struct dl_params *dl)
{
	uint32_t flags = kver_has(m->v, FEAT_DL_GRUB) ? DL_RECLAIM : 0;

	if (kver_has(m->v, FEAT_DL_LIMITS) &&
	    (period_of(dl) < PERIOD_NS_MIN || period_of(dl) > PERIOD_NS_MAX))
		return false;
	return !(dl->flags & ~flags) && dl->runtime_ns >= RUNTIME_NS_MIN &&
	       dl->runtime_ns <= dl->deadline_ns && dl->deadline_ns <= period_of(dl) &&
	       period_of(dl) <= INT64_MAX;
}

/* What all CPUs can give; with DL_LIMITS a small CPU can give less. Linux: __dl_overflow(). */
static uint64_t all_bw(const struct machine *m)
{
	uint64_t capacity = 0;
	uint32_t cpu;

	if (!kver_has(m->v, FEAT_DL_LIMITS))
		return m->rd.dl_bw.bw * m->nonline;
	mask_for_each(cpu, m->online)
		capacity += m->cpus[cpu].rq.cpu_capacity_orig;
	return m->rd.dl_bw.bw * capacity >> CAPACITY_SHIFT;
}

enum policy_refusal dl_admit(const struct machine *m, const struct dl_params *dl,
			     const struct mask *allowed, uint64_t old_bw)
{
	const struct dl_bw *b = &m->rd.dl_bw;

	if (!kver_has(m->v, FEAT_DL_CLASS) || !are_sane(m, dl))
		return POLICY_EINVAL;
	if (b->bw == DL_BW_UNLIMITED)
		return POLICY_GRANTED;
	if (!mask_is_subset(m->online, allowed) || b->bw == 0)
		return POLICY_EPERM;
	if (all_bw(m) < b->total_bw - old_bw + to_ratio(period_of(dl), dl->runtime_ns))
		return POLICY_EBUSY;
	return POLICY_GRANTED;
}

bool dl_may_confine(const struct machine *m, const struct mask *cpus)
{
	return m->rd.dl_bw.bw == DL_BW_UNLIMITED || mask_is_subset(m->online, cpus);
}

/* What no CPU's tasks were promised changes by an equal part of BW. Linux: __dl_update(). */
static void add_bw(struct kctx *k, struct dl_entity *se, uint64_t bw)
{
	struct dl_bw *b = &k->m->rd.dl_bw;

	se->admitted_bw = bw;
	b->total_bw += bw;
	b->extra_bw -= bw / k->m->nonline;
}

void dl_free_bw(struct kctx *k, struct task *p)
{
	struct dl_bw *b = &k->m->rd.dl_bw;

	CHECK(b->total_bw >= p->dl->admitted_bw);
	b->total_bw -= p->dl->admitted_bw;
	b->extra_bw += p->dl->admitted_bw / k->m->nonline;
	p->dl->admitted_bw = 0;
}

void dl_take_bw(struct kctx *k, struct task *p, const struct dl_params *dl)
{
	/* it left the class a short while ago */
	if (!is_dl(p) && p->dl->inactive_armed) {
		k->port->timer_stop(k, ktimer_inactive(p->id));
		p->dl->inactive_armed = false;
	}
	dl_free_bw(k, p);
	add_bw(k, p->dl, to_ratio(period_of(dl), dl->runtime_ns));
}

void dl_set_params(struct kctx *k, struct task *p, const struct dl_params *dl)
{
	struct dl_entity *se = p->dl;

	CHECK(!se->queued);
	grub_forget(k, task_rq(k->m, p), p);
	se->dl_runtime_ns = dl->runtime_ns;
	se->dl_deadline_ns = dl->deadline_ns;
	se->dl_period_ns = period_of(dl);
	se->dl_bw = to_ratio(se->dl_period_ns, se->dl_runtime_ns);
	se->dl_density = to_ratio(se->dl_deadline_ns, se->dl_runtime_ns);
	se->flags = dl->flags;
	se->fresh = true;
	se->throttled = false;
	se->yielded = false;
	if (se->replenish_armed)
		k->port->timer_stop(k, ktimer_replenish(p->id));
	se->replenish_armed = false;
}
