/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One balancing attempt of one CPU in one domain, from 3.3 on. The frame is the
 * classic one without its SMT rule; new is that a pass over a long queue
 * pauses, so that others get the locks, and that a newly idle CPU's failures
 * do not count towards active balance.
 *
 * A queue is "all pinned" if can_migrate_task() was never asked or affinity
 * always said no; then it is taken out and the search repeated, with the
 * counters of the pass kept. In 3.4-rc2 a queue of tasks that are all too light
 * to move ends so, and the attempt visits one queue of the domain after the
 * other: each removes one CPU from the candidates.
 *
 * Linux: kernel/sched/fair.c load_balance(); 3.3, 367456c7, 3.4-rc2, 3.4.
 */
#include "sched/balance/pass.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/rq_lock.h"

enum attempt {
	ATTEMPT_BALANCED, /* nothing to do, not this CPU's job, or aborted */
	ATTEMPT_DONE,     /* lb->imbalance was worked on; *moved tells the result */
	ATTEMPT_AGAIN,    /* search anew */
};

/* Passes over one queue until it is done with. */
static enum attempt work_on_queue(struct kctx *k, const struct pass_ops *pass, struct lb *lb,
				  struct rq *busiest, uint64_t *moved)
{
	lb->all_pinned = true;
	lb->load_move = (int64_t)lb->imbalance;
	if (pass->new_queue)
		pass->new_queue(k, lb, busiest);
	for (;;) {
		double_rq_lock(k, lb->this_rq, busiest);
		*moved += pass->move(k, lb, busiest);
		double_rq_unlock(k, lb->this_rq, busiest);
		if (!lb->need_break || pass->redo_after_break)
			break;
		/* bound: every pause follows a number of examined tasks, which are limited */
		lb->need_break = false;
	}
	if (*moved && lb->this_rq != &k->cpu->rq)
		resched_cpu(k, lb->this_rq);
	if (lb->aborted)
		return ATTEMPT_BALANCED;
	if (lb->need_break) {
		lb->need_break = false;
		if (pass->breaks_max && ++lb->breaks == pass->breaks_max) {
			lb->aborted = true;
			return ATTEMPT_BALANCED;
		}
		return ATTEMPT_AGAIN;
	}
	if (!lb->all_pinned)
		return ATTEMPT_DONE;
	mask_clear(lb->cpus, busiest->cpu);
	lb->all_candidates = false;
	return mask_is_empty(lb->cpus) ? ATTEMPT_BALANCED : ATTEMPT_AGAIN;
}

/* One search and what follows from it. */
static enum attempt try_once(struct kctx *k, const struct pass_ops *pass, struct lb *lb,
			     struct rq **busiest, uint64_t *moved)
{
	*moved = 0;
	*busiest = lb_find_busiest(k, lb, find_busiest_group_capacity(k, lb));
	if (!*busiest)
		return ATTEMPT_BALANCED;
	if ((*busiest)->nr_running <= 1)
		return ATTEMPT_DONE;
	return work_on_queue(k, pass, lb, *busiest, moved);
}

static enum lb_outcome outcome_of(enum attempt attempt, uint64_t moved)
{
	if (attempt == ATTEMPT_BALANCED)
		return LB_BALANCED;
	return moved ? LB_MOVED : LB_FAILED;
}

int32_t load_balance_by_pass(struct kctx *k, const struct pass_ops *pass, uint32_t this_cpu,
			     struct sched_domain *sd, enum cpu_idle_type idle, bool *should_balance)
{
	uint64_t cpus_mem[MASK_WORDS(TOPO_CPUS_MAX)];
	struct lb lb = {
		.sd = sd,
		.this_rq = rq_of_cpu(k->m, this_cpu),
		.idle = idle,
		.all_candidates = true,
		.should_balance = true,
		.fix_small_capacity = true,
		.newly_idle_may_fail = true,
	};
	uint32_t saved = path_enter(k, PATH_LOAD_BALANCE);
	struct rq *busiest = NULL;
	enum lb_outcome outcome;
	enum attempt attempt;
	uint64_t moved = 0;
	int32_t result;

	lb.cpus = mask_init(cpus_mem, k->m->ncpus);
	mask_copy(lb.cpus, k->m->online);
	if (pass->start)
		pass->start(k, &lb);
	sd->stats.lb_count[idle]++;
	charge(k, WORK_LOAD_BALANCE, 1);
	/* bound: each repetition takes out a CPU or follows a pause, of which there are few */
	do
		attempt = try_once(k, pass, &lb, &busiest, &moved);
	while (attempt == ATTEMPT_AGAIN);
	*should_balance = lb.should_balance;
	outcome = outcome_of(attempt, moved);
	lb_settle(k, &lb, outcome, busiest);
	result = outcome == LB_MOVED ? (int32_t)min_u64(moved, INT32_MAX) : 0;
	k->port->record(k, RECORD_BALANCE, (uint64_t)sd->level << 8 | idle, lb.imbalance, lb.moved,
			(uint64_t)(int64_t)result);
	path_leave(k, saved);
	return result;
}
