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
 * Linux: sched_fair.c load_balance(), 2.6.34 and 2.6.35.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/rq_lock.h"

static bool smt_sibling_is_busy(const struct lb *lb)
{
	return !lb->sd_idle && (lb->sd->flags & SD_SHARE_CPUPOWER);
}

/* Search and move until something is settled. *BUSIEST: the queue tried last. */
static enum lb_outcome try_to_balance(struct kctx *k, struct lb *lb, struct rq **busiest)
{
	/* bound: each turn but the last clears one bit of lb->cpus */
	for (;;) {
		bool moved;

		if (k->v->share->update_domain)
			k->v->share->update_domain(k, lb->sd);
		*busiest = lb_find_busiest(k, lb, find_busiest_group(k, lb));
		if (!*busiest)
			return LB_BALANCED;
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
	enum lb_outcome outcome;
	int32_t result;

	lb.cpus = mask_init(cpus_mem, k->m->ncpus);
	mask_copy(lb.cpus, k->m->online);
	sd->stats.lb_count[idle]++;
	charge(k, WORK_LOAD_BALANCE, 1);
	outcome = try_to_balance(k, &lb, &busiest);
	*should_balance = lb.should_balance;
	lb_settle(k, &lb, outcome, busiest);
	if (outcome == LB_MOVED)
		result = 1;
	else
		result = smt_sibling_is_busy(&lb) ? -1 : 0;
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
	.active_balance = active_load_balance,
	.move_one_task = move_one_task_by_group,
	.max_interval_cpus = 4096, /* CONFIG_NR_CPUS */
};
