/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the task that leaves the CPU to the one that gets it, once the former is off its
 * queue if it sleeps. Up to 4.0 others are asked for work first, then the task is put back,
 * then the classes are asked from the top. Later kernels leave all of it to the classes: a
 * class of prev's rank or below fetches work when it is its turn, and the fair class, asked
 * alone when there is no other, exchanges prev for the next without putting back
 * what both have in common. From 6.12 on all classes choose first, then prev is put back;
 * a task that goes on is neither put back nor set.
 *
 * Linux: kernel/sched.c, kernel/sched/core.c pick_next_task(), 2.6.34 to 6.12.
 */
#include "base/check.h"
#include "sched/core/core.h"
#include "sched/pelt/clock.h"

static const struct sched_class *const class_by_rank[] = {
	&stop_sched_class,
	&dl_sched_class,
	&rt_sched_class,
	&fair_sched_class,
};

#define NR_RANKS (sizeof(class_by_rank) / sizeof(class_by_rank[0]))

static bool only_fair(const struct rq *rq)
{
	return rq->nr_running == rq->cfs->h_nr_running;
}

/* Before PREV is put back: what waits elsewhere and should run here comes. */
static void pull_tasks(struct kctx *k, struct rq *rq, struct task *prev)
{
	if (!feat(k, FEAT_RT_PULL_IN_PICK)) {
		if (prev->class->pull)
			prev->class->pull(k, rq, prev);
		return;
	}
	/* picking asks the fair class alone */
	if (prev->class == &fair_sched_class && only_fair(rq))
		return;
	for (unsigned i = 0; i < NR_RANKS; i++) {
		if (class_by_rank[i]->pull)
			class_by_rank[i]->pull(k, rq, prev);
		if (class_by_rank[i]->has_runnable(k, rq))
			return;
	}
}

static struct task *pick_best(struct kctx *k, struct rq *rq)
{
	for (unsigned i = 0; i < NR_RANKS; i++) {
		struct task *p = class_by_rank[i]->pick_next(k, rq);

		if (p)
			return p;
	}
	return idle_sched_class.pick_next(k, rq);
}

static void put_prev_task(struct kctx *k, struct rq *rq, struct task *prev)
{
	if (feat(k, FEAT_CLOCK_IN_QUEUE_OPS)) {
		if (prev->se.on_rq)
			update_rq_clock(k, rq);
		if (!feat(k, FEAT_LATE_RESCHED_CLEAR))
			rq->skip_clock_update = false;
	}
	if (feat(k, FEAT_AVG_OVERLAP) && prev->state == TASK_RUNNING)
		preempted_averages(k, prev);
	prev->class->put_prev(k, rq, prev);
}

static struct task *pick_after_put(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct task *p = NULL;

	pull_tasks(k, rq, prev);
	if (!rq->nr_running)
		idle_balance(k, rq);
	put_prev_task(k, rq, prev);
	/* everyone is fair: ask that class only */
	if (only_fair(rq))
		p = fair_sched_class.pick_next(k, rq);
	return p ? p : pick_best(k, rq);
}

const struct pick_ops pick_ops_after_put = {
	.name = "after-put",
	.pick = pick_after_put,
};

/* PREV runs on as far as CLASS knows; a throttled deadline task does not. */
static bool stays_in(const struct sched_class *class, const struct task *prev)
{
	if (prev->class != class || !prev->se.on_rq)
		return false;
	return class != &dl_sched_class || prev->dl->queued;
}

/* PREV's class and those below it fetch work, until one has some. Linux: pick_next_task(), 5.4. */
static void balance_from(struct kctx *k, struct rq *rq, struct task *prev)
{
	unsigned i = 0;

	if (prev == rq->idle)
		return;
	while (i < NR_RANKS - 1 && class_by_rank[i] != prev->class)
		i++;
	for (; i < NR_RANKS - 1; i++) {
		if (class_by_rank[i]->pull && !stays_in(class_by_rank[i], prev))
			class_by_rank[i]->pull(k, rq, prev);
		for (unsigned j = 0; j <= i; j++)
			if (class_by_rank[j]->has_runnable(k, rq))
				return;
	}
	if (!rq->nr_running)
		newidle_balance(k, rq);
}

static struct task *pick_idle(struct kctx *k, struct rq *rq, struct task *prev)
{
	update_idle_rq_clock_pelt(k, rq);
	prev->class->put_prev(k, rq, prev);
	return idle_sched_class.pick_next(k, rq);
}

/* There is no task but fair ones, if any. NULL: one of another class came meanwhile. */
static struct task *pick_fair(struct kctx *k, struct rq *rq, struct task *prev)
{
	/* bound: each turn follows a task that came while the queue was unlocked, or a throttling */
	for (;;) {
		struct task *p = NULL;
		int32_t came;

		if (rq->cfs->nr_running && prev->class == &fair_sched_class) {
			p = fair_sched_class.pick_after(k, rq, prev);
		} else if (rq->cfs->nr_running) {
			prev->class->put_prev(k, rq, prev);
			p = fair_sched_class.pick_next(k, rq);
		}
		if (p)
			return p;
		came = newidle_balance(k, rq);
		if (came < 0)
			return NULL;
		if (!came)
			return pick_idle(k, rq, prev);
	}
}

static struct task *pick_in_class(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct task *p;

	if ((prev == rq->idle || prev->class == &fair_sched_class) && only_fair(rq)) {
		p = pick_fair(k, rq, prev);
		if (p)
			return p;
	}
	balance_from(k, rq, prev);
	prev->class->put_prev(k, rq, prev);
	p = pick_best(k, rq);
	/* nothing is left: for long the PELT clock was not told here */
	if (p == rq->idle && feat(k, FEAT_PELT_IDLE_ALWAYS))
		update_idle_rq_clock_pelt(k, rq);
	return p;
}

/* Linux: put_prev_set_next_task(), and the end of pick_next_task_fair(), 6.12. */
static void change_to(struct kctx *k, struct rq *rq, struct task *prev, struct task *p)
{
	if (p == prev)
		return;
	if (prev->class == p->class && p->class->exchange) {
		p->class->exchange(k, rq, prev, p);
		return;
	}
	prev->class->put_prev(k, rq, prev);
	p->class->set_curr(k, rq, p);
}

/* Nothing is to run. An idle CPU that looked in vain stays as it is. Linux: as change_to(). */
static struct task *stay_or_go_idle(struct kctx *k, struct rq *rq, struct task *prev)
{
	if (prev == rq->idle)
		return prev;
	if (feat(k, FEAT_PELT_IDLE_ALWAYS))
		return pick_idle(k, rq, prev);
	prev->class->put_prev(k, rq, prev);
	return idle_sched_class.pick_next(k, rq);
}

/* As pick_fair(). */
static struct task *choose_fair(struct kctx *k, struct rq *rq, struct task *prev)
{
	int32_t came;

	/* bound: each turn follows a task that came while the queue was unlocked */
	do {
		struct task *p = fair_sched_class.pick_task(k, rq);

		if (p) {
			change_to(k, rq, prev, p);
			return p;
		}
		came = newidle_balance(k, rq);
	} while (came > 0);
	return came < 0 ? NULL : stay_or_go_idle(k, rq, prev);
}

/* The classes are asked from the top. */
static struct task *choose_best(struct kctx *k, struct rq *rq, struct task *prev)
{
	for (unsigned i = 0; i < NR_RANKS; i++) {
		struct task *p = class_by_rank[i]->pick_task(k, rq);

		if (p) {
			change_to(k, rq, prev, p);
			return p;
		}
	}
	return stay_or_go_idle(k, rq, prev);
}

/*
 * Linux: __pick_next_task(), 6.12, where a fair server that may run counts in rq->nr_running, so that
 * an idle CPU which its timer woke does not balance (seen in 6.12.117 with probes).
 * Deviation: here it counts in this question only.
 */
static struct task *pick_before_put(struct kctx *k, struct rq *rq, struct task *prev)
{
	struct task *p;

	if ((prev == rq->idle || prev->class == &fair_sched_class) && only_fair(rq) &&
	    !rq->dl.nr_running) {
		p = choose_fair(k, rq, prev);
		if (p)
			return p;
	}
	balance_from(k, rq, prev);
	return choose_best(k, rq, prev);
}

const struct pick_ops pick_ops_before_put = {
	.name = "before-put",
	.pick = pick_before_put,
};

const struct pick_ops pick_ops_in_class = {
	.name = "in-class",
	.pick = pick_in_class,
};
