/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the attempts of all kernels have in common: from a group to the queue
 * to pull from, and from an outcome to statistics, failures, active balance
 * and interval.
 *
 * Linux: fair.c load_balance(), find_busiest_queue(), fix_small_capacity(),
 * need_active_balance(); 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/imbalance.h"
#include "sched/rq_lock.h"
#include "sched/select/select.h"

#define MAX_PINNED_INTERVAL_MS 512u

enum active_outcome {
	ACTIVE_NO,
	ACTIVE_STARTED,
	ACTIVE_ONE_PINNED, /* what runs there may not come here */
};

/*
 * Tasks a thread of so little power that it rounds to none may still take: one, if no
 * more than 3/32 of its power went to something else. Linux: fix_small_capacity().
 */
static uint64_t small_capacity(const struct sched_domain *sd, const struct sched_group *g)
{
	return (sd->flags & SD_SHARE_CPUPOWER) &&
	       (uint64_t)g->cpu_power * 32 > (uint64_t)g->cpu_power_orig * 29;
}

uint64_t lb_capacity_of(const struct lb *lb, const struct sched_group *g, uint64_t power)
{
	uint64_t capacity = ratio_round(power, LOAD_SCALE);

	return !capacity && lb->fix_small_capacity ? small_capacity(lb->sd, g) : capacity;
}

struct rq *find_busiest_queue(struct kctx *k, const struct lb *lb, const struct sched_group *g)
{
	uint32_t saved = path_enter(k, PATH_FIND_BUSIEST_QUEUE);
	struct rq *busiest = NULL;
	uint64_t max_load = 0;

	peek(k);
	for (uint32_t n = 0; n < g->ncpus; n++) {
		uint32_t i = g->cpu[n];
		struct rq *rq = rq_of_cpu(k->m, i);
		uint64_t power = power_of(k, i);
		uint64_t load = rq->load.weight;

		if (!mask_test(lb->cpus, i))
			continue;
		if (rq->nr_running == 1 && load > lb->imbalance && lb_capacity_of(lb, g, power))
			continue;
		load = load * LOAD_SCALE / power;
		if (load > max_load) {
			max_load = load;
			busiest = rq;
		}
	}
	charge(k, WORK_BUSIEST_SCAN, g->ncpus);
	path_leave(k, saved);
	return busiest;
}

struct rq *lb_find_busiest(struct kctx *k, struct lb *lb, const struct sched_group *group)
{
	struct domain_stats *stats = &lb->sd->stats;
	struct rq *busiest;

	if (!lb->should_balance)
		return NULL;
	if (!group) {
		stats->lb_nobusyg[lb->idle]++;
		return NULL;
	}
	busiest = find_busiest_queue(k, lb, group);
	if (!busiest) {
		stats->lb_nobusyq[lb->idle]++;
		return NULL;
	}
	CHECK(busiest != lb->this_rq);
	stats->lb_imbalance[lb->idle] += lb->imbalance;
	return busiest;
}

/* May what RQ runs now run on CPU? Idle task and stopper are bound to theirs. */
static bool current_may_run_on(const struct rq *rq, uint32_t cpu)
{
	if (rq->curr == rq->idle || rq->curr == rq->stop)
		return false;
	return mask_test(rq->curr->allowed, cpu);
}

/*
 * After several failures the running task itself is pushed, by BUSIEST's stopper.
 * Linux: need_active_balance() and what load_balance() does then.
 */
static enum active_outcome maybe_active_balance(struct kctx *k, struct lb *lb, struct rq *busiest)
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

/* The domain's next attempt is to come later. */
static void lengthen_interval(const struct lb *lb)
{
	struct sched_domain *sd = lb->sd;

	if ((lb->all_pinned && sd->balance_interval_ms < MAX_PINNED_INTERVAL_MS) ||
	    sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
}

void lb_settle(struct kctx *k, struct lb *lb, enum lb_outcome outcome, struct rq *busiest)
{
	struct sched_domain *sd = lb->sd;
	enum active_outcome active = ACTIVE_NO;

	if (outcome == LB_BALANCED) {
		sd->stats.lb_balanced[lb->idle]++;
		sd->nr_balance_failed = 0;
		lengthen_interval(lb);
		return;
	}
	if (outcome == LB_MOVED) {
		sd->nr_balance_failed = 0;
	} else {
		sd->stats.lb_failed[lb->idle]++;
		if (lb->idle != CPU_NEWLY_IDLE || !lb->newly_idle_may_fail)
			sd->nr_balance_failed++;
		active = maybe_active_balance(k, lb, busiest);
	}
	if (active == ACTIVE_ONE_PINNED)
		lengthen_interval(lb);
	else if (active == ACTIVE_NO)
		sd->balance_interval_ms = sd->min_interval_ms;
	else if (sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
}
