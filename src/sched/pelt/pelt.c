/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time is cut into periods of 1024 units of 1024 ns. What happened n periods ago
 * counts y^n, y^32 = 1/2. A sum is aged only when somebody looks: for p whole
 * periods it is shifted right once per 32 and multiplied once with a power of y
 * out of a table. The time between is added in three parts: what completes the
 * period the last update stopped in (aged p times), the whole periods (the
 * difference of two values of the geometric series, so no loop), and the part of
 * the present period, which is not aged yet. So an update costs the same after a
 * microsecond and after a day.
 *
 * An average is the sum over the sum that a constant 1 would have. It is computed
 * only when a period boundary was crossed; between two boundaries averages stand.
 *
 * An entity's load_sum counts the time it was queued, unweighted, and its weight is
 * applied in the average; so a change of weight acts on the past, too. A queue's
 * sum is weighted as it grows.
 *
 * Arithmetic: contributions of one update and util_sum fit 32 bits (47742 x 1024 <
 * 2^26). The product with a table entry is 64 x 32 bits of which 64 bits above the
 * low 32 are kept.
 *
 * Linux: kernel/sched/pelt.c, 5.4 to 6.12, from "per entity load tracking" (Turner, 3.8).
 * Left out: thermal and hardware pressure.
 */
#include "sched/pelt/pelt.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/util_est.h"

#define PERIOD_UNITS 1024u

/* What PERIODS leave of anything: it is shifted right, then multiplied with Y / 2^32. */
struct decay {
	uint32_t shift, y;
};

static inline struct decay decay_of(uint64_t periods)
{
	uint32_t n = (uint32_t)periods;

	if (unlikely(periods > PELT_HALF_LIFE * 63))
		return (struct decay){0, 0};
	return (struct decay){n / PELT_HALF_LIFE, pelt_inverse[n % PELT_HALF_LIFE]};
}

static inline uint64_t decayed(uint64_t value, struct decay d)
{
	return (uint64_t)((u128)(value >> d.shift) * d.y >> 32);
}

uint64_t decay_load(uint64_t value, uint64_t periods)
{
	return decayed(value, decay_of(periods));
}

/*
 * Boundaries that leave D lie between: FIRST units before the first, LAST after the last.
 * At most LOAD_AVG_MAX + 1024. Linux: __accumulate_pelt_segments().
 */
static uint32_t contribution(struct decay d, uint32_t first, uint32_t last)
{
	uint32_t begun = (uint32_t)decayed(first, d);
	uint32_t whole = LOAD_AVG_MAX - (uint32_t)decayed(LOAD_AVG_MAX, d) - PERIOD_UNITS;

	return begun + whole + last;
}

/* Time passes by UNITS > 0. Linux: accumulate_sum(). */
static inline bool accumulate(struct sched_avg *sa, uint64_t units, const struct pelt_state *state)
{
	uint32_t added = (uint32_t)units; /* no more than a period unless a boundary is crossed */
	uint64_t total = units + sa->period_contrib;
	uint64_t periods = total / PERIOD_UNITS;

	if (periods) {
		uint32_t last = (uint32_t)(total % PERIOD_UNITS);
		struct decay d = decay_of(periods);

		sa->load_sum = decayed(sa->load_sum, d);
		sa->runnable_sum = decayed(sa->runnable_sum, d);
		sa->util_sum = (uint32_t)decayed(sa->util_sum, d);
		if (state->load)
			added = contribution(d, PERIOD_UNITS - sa->period_contrib, last);
		total = last;
	}
	sa->period_contrib = (uint32_t)total;
	if (!state->load)
		return periods > 0;
	sa->load_sum += state->load * added;
	sa->runnable_sum += state->runnable * added;
	if (state->running)
		sa->util_sum += added << CAPACITY_SHIFT;
	return periods > 0;
}

/*
 * Whole units since SA's last update, which is there from now on. 0: none has passed, and nothing
 * is to be done; also where the clock went back.
 */
static inline uint64_t take_units(struct sched_avg *sa, uint64_t now_ns)
{
	uint64_t delta_ns = now_ns - sa->last_update_time_ns;
	uint64_t units = delta_ns >> 10;

	if (unlikely((int64_t)delta_ns < 0)) {
		sa->last_update_time_ns = now_ns;
		return 0;
	}
	sa->last_update_time_ns += units << 10;
	return units;
}

bool update_load_sum(struct sched_avg *sa, uint64_t now_ns, const struct pelt_state *state)
{
	uint64_t units = take_units(sa, now_ns);

	return units && accumulate(sa, units, state);
}

void update_averages(struct sched_avg *sa, uint64_t load, uint64_t runnable)
{
	uint32_t divider = pelt_divider(sa);

	CHECK(sa->period_contrib < PERIOD_UNITS);
	sa->load_avg = load * sa->load_sum / divider;
	sa->runnable_avg = runnable * sa->runnable_sum / divider;
	sa->util_avg = sa->util_sum / divider;
}

/* Tasks that are queued below Q and not only kept there until their lag is gone. */
static uint64_t runnable_tasks(const struct cfs_rq *q)
{
	CHECK(q->h_nr_delayed <= q->h_nr_running);
	return q->h_nr_running - q->h_nr_delayed;
}

void se_update_runnable(const struct kctx *k, struct entity *se)
{
	if (feat(k, FEAT_RUNNABLE_COUNT) && !entity_is_task(se))
		se->runnable_weight = runnable_tasks(se->my_q);
}

/* 5.4, 5.5: 1 if queued. Later: 1024 for each task that could run. */
static uint64_t se_runnable(const struct kctx *k, const struct entity *se)
{
	if (!feat(k, FEAT_RUNNABLE_COUNT))
		return se->on_rq;
	if (!entity_is_task(se))
		return se->runnable_weight << CAPACITY_SHIFT;
	return (uint64_t)(se->on_rq && !se->sched_delayed) << CAPACITY_SHIFT;
}

static inline bool update_se(const struct kctx *k, uint64_t units, struct entity *se,
			     const struct pelt_state *state)
{
	if (!accumulate(&se->avg, units, state))
		return false;
	update_averages(&se->avg, se_weight(k, se),
			feat(k, FEAT_RUNNABLE_COUNT) ? 1 : se_runnable_weight(k, se));
	return true;
}

bool update_load_avg_se(const struct kctx *k, uint64_t now_ns, const struct cfs_rq *q,
			struct entity *se)
{
	uint64_t units = take_units(&se->avg, now_ns);
	struct pelt_state state;

	if (!units)
		return false;
	state = (struct pelt_state){se->on_rq, se_runnable(k, se), q->curr == se};
	if (!update_se(k, units, se, &state))
		return false;
	util_est_change(k, &se->avg);
	return true;
}

bool update_load_avg_blocked_se(const struct kctx *k, uint64_t now_ns, struct entity *se)
{
	static const struct pelt_state blocked = {0, 0, false};
	uint64_t units = take_units(&se->avg, now_ns);

	return units && update_se(k, units, se, &blocked);
}

bool update_load_avg_cfs_rq(const struct kctx *k, uint64_t now_ns, struct cfs_rq *q)
{
	uint64_t units = take_units(&q->avg, now_ns);
	struct pelt_state state;

	if (!units)
		return false;
	state = (struct pelt_state){scale_load_down(k->v, q->load.weight), 0, q->curr != NULL};
	if (feat(k, FEAT_RUNNABLE_COUNT))
		state.runnable = runnable_tasks(q) << CAPACITY_SHIFT;
	else
		state.runnable = scale_load_down(k->v, q->pelt.runnable_weight);
	if (!accumulate(&q->avg, units, &state))
		return false;
	update_averages(&q->avg, 1, 1);
	return true;
}

/* Of a whole class, or of interrupts: there or not. */
static struct pelt_state all_or_nothing(const struct kctx *k, bool there)
{
	uint64_t runnable = feat(k, FEAT_RUNNABLE_COUNT) ? CAPACITY_SCALE : 1;

	return (struct pelt_state){there, there ? runnable : 0, there};
}

static bool update_class(const struct kctx *k, uint64_t now_ns, struct sched_avg *sa, bool running)
{
	struct pelt_state state = all_or_nothing(k, running);

	if (!update_load_sum(sa, now_ns, &state))
		return false;
	update_averages(sa, 1, 1);
	return true;
}

bool update_rt_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct rq *rq, bool running)
{
	return update_class(k, now_ns, &rq->pelt.avg_rt, running);
}

bool update_dl_rq_load_avg(const struct kctx *k, uint64_t now_ns, struct rq *rq, bool running)
{
	return update_class(k, now_ns, &rq->pelt.avg_dl, running);
}

bool update_irq_load_avg(const struct kctx *k, struct rq *rq, uint64_t irq_ns)
{
	const struct pelt_state not = all_or_nothing(k, false), there = all_or_nothing(k, true);
	struct sched_avg *sa = &rq->pelt.avg_irq;
	bool crossed;

	irq_ns = irq_ns * rq->pelt.freq_scale_cap >> CAPACITY_SHIFT;
	irq_ns = irq_ns * rq->cpu_capacity_orig >> CAPACITY_SHIFT;
	crossed = update_load_sum(sa, rq->clock_ns - irq_ns, &not );
	crossed |= update_load_sum(sa, rq->clock_ns, &there);
	if (crossed)
		update_averages(sa, 1, 1);
	return crossed;
}
