/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signal itself: sums that halve in 32 periods, and the averages made of
 * them. Each call brings one object up to NOW_NS, a time of its PELT clock
 * (sched/pelt/clock.h), under the state it was in since its last update: update
 * before you change a weight, a queue or the current task.
 *
 * All return whether a period boundary was crossed; only then were the averages
 * computed anew. Nothing here is kept outside the object. The lock of its rq is
 * held. Linux: kernel/sched/pelt.c, 5.4 to 6.12.
 */
#ifndef RUNQLAB_SCHED_PELT_PELT_H
#define RUNQLAB_SCHED_PELT_PELT_H

#include "model/machine.h"
#include "sched/pelt/pelt_table.h"

/* What a sum can reach at least when the period has just begun. */
#define PELT_MIN_DIVIDER (LOAD_AVG_MAX - 1024u)

/* What a constant 1 adds up to at this point of SA's period. Linux: get_pelt_divider(). */
static inline uint32_t pelt_divider(const struct sched_avg *sa)
{
	return PELT_MIN_DIVIDER + sa->period_contrib;
}

/* VALUE aged by PERIODS; loses about one unit even where nothing would. Linux: decay_load(). */
uint64_t decay_load(uint64_t value, uint64_t periods);

/* How an object was since its last update. */
struct pelt_state {
	uint64_t load;     /* its weight; 0: not queued, and then the others do not count */
	uint64_t runnable; /* what runnable_sum grows by in each unit */
	bool running;
};

/* Age SA up to NOW_NS and add what STATE says. Linux: ___update_load_sum(). */
bool update_load_sum(struct sched_avg *sa, uint64_t now_ns, const struct pelt_state *state);

/* Linux: ___update_load_avg(). LOAD and RUNNABLE scale an entity's sums to its weight. */
void update_averages(struct sched_avg *sa, uint64_t load, uint64_t runnable);

/* A queued or current entity of Q. Linux: __update_load_avg_se(). */
bool update_load_avg_se(const struct kctx *k, uint64_t now_ns, const struct cfs_rq *q,
			struct entity *se);

/* An entity that slept since. Linux: __update_load_avg_blocked_se(). */
bool update_load_avg_blocked_se(const struct kctx *k, uint64_t now_ns, struct entity *se);

/* Linux: __update_load_avg_cfs_rq(). */
bool update_load_avg_cfs_rq(const struct kctx *k, uint64_t now_ns, struct cfs_rq *q);

/* RUNNING: the current task was of that class. Linux: update_rt_rq_load_avg(), ..dl.. */
bool update_rt_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct rq *rq, bool running);
bool update_dl_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct rq *rq, bool running);

/*
 * Interrupts took IRQ_NS of the time up to rq->clock_ns; they are taken to have
 * come last. Linux: update_irq_load_avg(), kernels built with irq time accounting.
 */
bool update_irq_load_avg(const struct kctx *k, struct rq *rq, uint64_t irq_ns);

/* An entity's weight in nice units. Linux: se_weight(), se_runnable(). */
static inline uint64_t se_weight(const struct kctx *k, const struct entity *se)
{
	return scale_load_down(k->v, se->load.weight);
}

/* 5.4, 5.5: the weight of what is queued. A task's is its weight. */
static inline uint64_t se_runnable_weight(const struct kctx *k, const struct entity *se)
{
	return scale_load_down(k->v, entity_is_task(se) ? se->load.weight : se->runnable_weight);
}

/*
 * Kernels that count runnable tasks: take down how many SE's queue has; call where
 * that may have changed. Nothing happens for a task. Linux: se_update_runnable().
 */
void se_update_runnable(const struct kctx *k, struct entity *se);

/* x + v, or 0 where that would be negative. Linux: add_positive(). */
static inline uint64_t add_positive(uint64_t x, int64_t v)
{
	uint64_t sum = x + (uint64_t)v;

	return v < 0 && sum > x ? 0 : sum;
}

static inline uint32_t add_positive_u32(uint32_t x, int64_t v)
{
	uint32_t sum = (uint32_t)(x + (uint64_t)v);

	return v < 0 && sum > x ? 0 : sum;
}

/* x - v, or 0 where that would be negative. Linux: sub_positive(). */
static inline uint64_t sub_positive(uint64_t x, uint64_t v)
{
	return x > v ? x - v : 0;
}

#endif
