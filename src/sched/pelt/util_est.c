/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task that is queued and sleeps within one PELT period has the util_avg it had:
 * nothing is to be learned. A flag in the stored number says so; it is set when
 * the number is stored and cleared by the first update of the task's averages
 * that crosses a period. The average has a weight of 1/4 for the new value.
 *
 * In 5.4 and 5.5 the flag is the lowest bit and nobody takes it out, so a task
 * counts one unit more than it used. Linux: fair.c, 5.4 to 6.12.
 */
#include "sched/pelt/util_est.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/pelt.h"

#define FLAG_LOW 1u
#define FLAG_HIGH 0x80000000u
#define WEIGHT_SHIFT_EWMA 2
#define MARGIN (CAPACITY_SCALE / 100)

/* |DIFF| is too small to matter. Linux: within_margin(). */
static bool within_margin(int64_t diff)
{
	return diff > -(int64_t)MARGIN && diff < (int64_t)MARGIN;
}

static uint32_t ewma_towards(uint32_t ewma, int64_t diff)
{
	return (uint32_t)((((int64_t)ewma << WEIGHT_SHIFT_EWMA) + diff) >> WEIGHT_SHIFT_EWMA);
}

static uint32_t value_low_flag(const struct util_est *ue)
{
	return max_u32(ue->ewma, ue->enqueued) | FLAG_LOW;
}

static void update_low_flag(const struct kctx *k, struct sched_avg *sa, uint64_t capacity)
{
	struct util_est ue = {(uint32_t)sa->util_avg | FLAG_LOW, sa->util_est.ewma};
	int64_t diff = (int64_t)ue.enqueued - ue.ewma;

	if (sa->util_est.enqueued & FLAG_LOW)
		return;
	if (feat(k, FEAT_UTIL_EST_FASTUP) && diff > 0) {
		ue.ewma = ue.enqueued;
	} else {
		if (within_margin(diff) || sa->util_avg > capacity)
			return;
		ue.ewma = ewma_towards(ue.ewma, diff);
	}
	sa->util_est = ue;
}

static uint32_t value_high_flag(const struct util_est *ue)
{
	return max_u32(ue->ewma, ue->enqueued & ~FLAG_HIGH);
}

static void update_high_flag(const struct kctx *k, struct sched_avg *sa, uint64_t capacity)
{
	struct util_est ue = {(uint32_t)sa->util_avg, sa->util_est.ewma};
	int64_t diff = (int64_t)ue.enqueued - ue.ewma;
	int64_t step = (int64_t)sa->util_est.enqueued - ue.enqueued;

	if (sa->util_est.enqueued & FLAG_HIGH)
		return;
	if (feat(k, FEAT_UTIL_EST_FASTUP) && diff > 0) {
		ue.ewma = ue.enqueued;
	} else if (within_margin(diff)) {
		if (within_margin(step))
			return;
	} else {
		if (sa->util_avg > capacity)
			return;
		ue.ewma = ewma_towards(ue.ewma, diff);
	}
	ue.enqueued |= FLAG_HIGH;
	sa->util_est = ue;
}

static uint32_t value_single(const struct util_est *ue)
{
	return ue->enqueued & ~FLAG_HIGH;
}

static void update_single(const struct kctx *k, struct sched_avg *sa, uint64_t capacity)
{
	uint32_t ewma = sa->util_est.enqueued;
	uint32_t util = (uint32_t)sa->util_avg;

	(void)k;
	if (ewma & FLAG_HIGH)
		return;
	if (ewma <= util) {
		ewma = util;
	} else if (ewma - util >= MARGIN) {
		if (util > capacity)
			return;
		/* a task that waited used less than it wanted: do not forget */
		if (util + MARGIN >= sa->runnable_avg)
			ewma = ewma_towards(ewma, (int64_t)util - ewma);
	}
	sa->util_est.enqueued = ewma | FLAG_HIGH;
}

const struct util_est_ops util_est_low_flag = {
	.name = "low-flag",
	.flag = FLAG_LOW,
	.value = value_low_flag,
	.update = update_low_flag,
};

const struct util_est_ops util_est_high_flag = {
	.name = "high-flag",
	.flag = FLAG_HIGH,
	.value = value_high_flag,
	.update = update_high_flag,
};

const struct util_est_ops util_est_single = {
	.name = "single",
	.flag = FLAG_HIGH,
	.value = value_single,
	.update = update_single,
};

static uint32_t remembered(const struct kctx *k, const struct task *p)
{
	return k->v->util_est->value(&p->se.avg.util_est);
}

void util_est_enqueue(const struct kctx *k, struct cfs_rq *q, const struct task *p)
{
	if (!feat(k, FEAT_UTIL_EST))
		return;
	CHECK(!q->tg->parent);
	q->avg.util_est.enqueued += remembered(k, p);
}

void util_est_dequeue(const struct kctx *k, struct cfs_rq *q, const struct task *p)
{
	uint32_t *sum = &q->avg.util_est.enqueued;

	if (!feat(k, FEAT_UTIL_EST))
		return;
	CHECK(!q->tg->parent);
	*sum -= min_u32(*sum, remembered(k, p));
}

void util_est_update(const struct kctx *k, struct cfs_rq *q, struct task *p)
{
	if (!feat(k, FEAT_UTIL_EST))
		return;
	CHECK(!q->tg->parent);
	k->v->util_est->update(k, &p->se.avg, q->rq->cpu_capacity_orig);
}

uint64_t task_util_est(const struct kctx *k, const struct task *p)
{
	return max_u64(p->se.avg.util_avg, remembered(k, p));
}

/* P is counted in its root queue's util_est. */
static bool is_queued(const struct kctx *k, const struct task *p)
{
	return p->se.on_rq || k->m->cpus[p->cpu].rq.curr == p;
}

uint64_t cpu_util_without(const struct kctx *k, uint32_t cpu, const struct task *p)
{
	const struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t util, est;

	if (cpu != p->cpu || !p->se.avg.last_update_time_ns)
		return cpu_util(k, cpu);
	util = sub_positive(rq->cfs->avg.util_avg, p->se.avg.util_avg);
	if (feat(k, FEAT_UTIL_EST)) {
		est = rq->cfs->avg.util_est.enqueued;
		if (is_queued(k, p))
			est = sub_positive(est, remembered(k, p));
		util = max_u64(util, est);
	}
	return min_u64(util, rq->cpu_capacity_orig);
}

uint64_t cpu_util_if(const struct kctx *k, const struct util_question *question)
{
	const struct rq *rq = rq_of_cpu(k->m, question->cpu);
	const struct task *p = question->p;
	bool comes = question->dst_cpu == question->cpu;
	uint64_t util = rq->cfs->avg.util_avg;
	uint64_t est = rq->cfs->avg.util_est.enqueued;

	CHECK(p || !comes);
	if (question->boost)
		util = max_u64(util, rq->cfs->avg.runnable_avg);
	if (p && p->cpu == question->cpu && !comes)
		util = sub_positive(util, p->se.avg.util_avg);
	else if (p && p->cpu != question->cpu && comes)
		util += p->se.avg.util_avg;
	if (feat(k, FEAT_UTIL_EST)) {
		if (comes)
			est += remembered(k, p);
		else if (p && is_queued(k, p))
			est = sub_positive(est, remembered(k, p));
		util = max_u64(util, est);
	}
	return min_u64(util, rq->cpu_capacity_orig);
}

uint64_t cpu_util_if_without(const struct kctx *k, uint32_t cpu, const struct task *p)
{
	struct util_question question = {cpu, CPU_NONE, p, false};

	if (cpu != p->cpu || !p->se.avg.last_update_time_ns)
		question.p = NULL;
	return cpu_util_if(k, &question);
}
