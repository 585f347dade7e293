/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One balancing attempt of one CPU in one domain, as 2.6.31 to 2.6.35 make it.
 *
 * Result: 1 if load moved, 0 if not, -1 if nothing moved in an SMT domain
 * whose other threads are busy: then there is nothing to gain higher up.
 * A queue whose every examined task was "pinned" (see move.c) is taken out of
 * the candidates and the search repeated; each repetition removes one CPU, so
 * there are at most as many as CPUs in the span.
 *
 * Linux: sched_fair.c load_balance(), need_active_balance(), 2.6.34 and 2.6.35.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/rq_lock.h"

#define MAX_PINNED_INTERVAL_MS 512u

enum outcome {
	LB_BALANCED, /* nothing to do, or not this CPU's job */
	LB_MOVED,    /* load moved */
	LB_FAILED,   /* there was a busiest queue but nothing moved */
};

static bool smt_sibling_is_busy(const struct lb *lb)
{
	return !lb->sd_idle && (lb->sd->flags & SD_SHARE_CPUPOWER);
}

/* Search and move until something is settled. *BUSIEST: the queue tried last. */
static enum outcome try_to_balance(struct kctx *k, struct lb *lb, struct rq **busiest)
{
	struct domain_stats *stats = &lb->sd->stats;

	/* bound: each turn but the last clears one bit of lb->cpus */
	for (;;) {
		struct sched_group *group;
		bool moved;

		if (k->v->share->update_domain)
			k->v->share->update_domain(k, lb->sd);
		group = find_busiest_group(k, lb);
		if (!lb->should_balance)
			return LB_BALANCED;
		if (!group) {
			stats->lb_nobusyg[lb->idle]++;
			return LB_BALANCED;
		}
		*busiest = find_busiest_queue(k, lb, group);
		if (!*busiest) {
			stats->lb_nobusyq[lb->idle]++;
			return LB_BALANCED;
		}
		CHECK(*busiest != lb->this_rq);
		stats->lb_imbalance[lb->idle] += lb->imbalance;
		if ((*busiest)->nr_running <= 1)
			return LB_FAILED;

		double_rq_lock(k, lb->this_rq, *busiest);
		moved = move_tasks_by_group(k, lb, *busiest);
		double_rq_unlock(k, lb->this_rq, *busiest);
		if (moved && lb->this_rq != &k->cpu->rq)
			resched_cpu(k, lb->this_rq);
		if (!lb->all_pinned)
			return moved ? LB_MOVED : LB_FAILED;

		mask_clear(lb->cpus, (*busiest)->cpu);
		lb->all_candidates = false;
		if (mask_is_empty(lb->cpus))
			return LB_BALANCED;
	}
}

/* May what RQ runs now run on CPU? Idle task and stopper are bound to theirs. */
static bool current_may_run_on(const struct rq *rq, uint32_t cpu)
{
	if (rq->curr == rq->idle || rq->curr == rq->stop)
		return false;
	return mask_test(rq->curr->allowed, cpu);
}

/* After several failures the running task itself is pushed, by BUSIEST's stopper. */
enum active_outcome maybe_active_balance(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	struct sched_domain *sd = lb->sd;
	bool started = false;

	if (lb->idle == CPU_NEWLY_IDLE || sd->nr_balance_failed <= sd->cache_nice_tries + 2)
		return ACTIVE_NO;
	rq_lock(k, busiest);
	if (!current_may_run_on(busiest, lb->this_rq->cpu)) {
		rq_unlock(k, busiest);
		lb->all_pinned = true;
		return ACTIVE_ONE_PINNED;
	}
	if (!busiest->active_balance) {
		busiest->active_balance = true;
		busiest->push_cpu = lb->this_rq->cpu;
		started = true;
	}
	rq_unlock(k, busiest);
	if (started)
		wake_stopper(k, busiest->cpu);
	sd->nr_balance_failed = sd->cache_nice_tries + 1;
	return started ? ACTIVE_STARTED : ACTIVE_NO;
}

void lb_lengthen_interval(struct lb *lb)
{
	struct sched_domain *sd = lb->sd;

	if ((lb->all_pinned && sd->balance_interval_ms < MAX_PINNED_INTERVAL_MS) ||
	    sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
}

/* Statistics, failure count and interval. The result of load_balance(). */
static int32_t settle(struct kctx *k, struct lb *lb, enum outcome outcome, struct rq *busiest)
{
	struct sched_domain *sd = lb->sd;
	enum active_outcome active = ACTIVE_NO;

	if (outcome == LB_BALANCED) {
		sd->stats.lb_balanced[lb->idle]++;
		sd->nr_balance_failed = 0;
		lb_lengthen_interval(lb);
		return smt_sibling_is_busy(lb) ? -1 : 0;
	}
	if (outcome == LB_MOVED) {
		sd->nr_balance_failed = 0;
	} else {
		sd->stats.lb_failed[lb->idle]++;
		sd->nr_balance_failed++;
		active = maybe_active_balance(k, lb, busiest);
	}
	if (active == ACTIVE_ONE_PINNED) {
		lb_lengthen_interval(lb);
		return smt_sibling_is_busy(lb) ? -1 : 0;
	}
	if (active == ACTIVE_NO)
		sd->balance_interval_ms = sd->min_interval_ms;
	else if (sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
	if (outcome == LB_MOVED)
		return 1;
	return smt_sibling_is_busy(lb) ? -1 : 0;
}

static int32_t load_balance_classic(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
				    enum cpu_idle_type idle, bool *should_balance)
{
	uint64_t cpus_mem[MASK_WORDS(TOPO_CPUS_MAX)];
	struct lb lb = {
		.sd = sd,
		.this_rq = rq_of_cpu(k->m, this_cpu),
		.idle = idle,
		.all_candidates = true,
		.should_balance = true,
		.sd_idle = idle != CPU_NOT_IDLE && (sd->flags & SD_SHARE_CPUPOWER),
	};
	uint32_t saved = path_enter(k, PATH_LOAD_BALANCE);
	struct rq *busiest = NULL;
	enum outcome outcome;
	int32_t result;

	lb.cpus = mask_init(cpus_mem, k->m->ncpus);
	mask_copy(lb.cpus, k->m->online);
	sd->stats.lb_count[idle]++;
	charge(k, WORK_LOAD_BALANCE, 1);
	outcome = try_to_balance(k, &lb, &busiest);
	*should_balance = lb.should_balance;
	result = settle(k, &lb, outcome, busiest);
	if (result && k->v->share->update_domain)
		k->v->share->update_domain(k, sd);
	k->port->record(k, RECORD_BALANCE, (uint64_t)sd->level << 8 | idle, lb.imbalance, lb.moved,
			(uint64_t)(int64_t)result);
	path_leave(k, saved);
	return result;
}

const struct lb_ops lb_ops_classic = {
	.name = "classic",
	.load_balance = load_balance_classic,
	.move_one_task = move_one_task_by_group,
	.max_interval_cpus = 4096, /* CONFIG_NR_CPUS */
};
