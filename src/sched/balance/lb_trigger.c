/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When balancing happens in 5.4 and 5.5. A CPU about to go idle asks one domain after the
 * other as long as it expects to idle longer than the attempts have cost so far, and
 * only if some CPU of the machine has more than one task. What an attempt costs is
 * measured, remembered per domain as a maximum and forgotten by 1 % a second. So time
 * the balancer takes decides how often it runs.
 *
 * On the tick each domain that is due is balanced, in softirq context, after the averages of
 * the CPU's queues have been aged.
 *
 * Linux: kernel/sched/fair.c newidle_balance() (idle_balance()), rebalance_domains(),
 * update_next_balance(); 5.4, 5.5.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/balance/lb_steps.h"
#include "sched/domain/domain.h"

#include "sched/pelt/blocked.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/pelt.h"
#include "sched/pelt/fits.h"
#include "sched/select/select.h"

/* Ticks between two attempts. Linux: get_sd_balance_interval(). */
static uint64_t balance_interval(const struct kctx *k, const struct sched_domain *sd, bool busy)
{
	uint64_t ms = sd->balance_interval_ms;

	if (busy)
		ms *= sd->busy_factor;
	return clamp_u64(ms_to_jiffies(k, ms), 1, lb_max_interval(k));
}

/* Linux: update_next_balance(). */
static void lower_next(const struct kctx *k, const struct sched_domain *sd, uint64_t *next)
{
	*next = min_u64(*next, sd->last_balance + balance_interval(k, sd, false));
}

/* Once a second what an attempt cost at most is forgotten by 1/85. True: it was. */
static bool decay_cost(const struct kctx *k, struct sched_domain *sd)
{
	if (jiffies(k) <= sd->next_decay_max_lb_cost)
		return false;
	sd->max_newidle_lb_cost_ns = sd->max_newidle_lb_cost_ns * 253 / 256;
	sd->next_decay_max_lb_cost = jiffies(k) + k->v->hz;
	return true;
}

/* SD's turn, if it is due. Tells the kind of CPU this is from now on. */
static void balance_if_due(struct kctx *k, struct rq *rq, struct sched_domain *sd,
			   enum cpu_idle_type *idle, bool *continue_balancing, uint64_t *next)
{
	uint64_t interval = balance_interval(k, sd, *idle != CPU_IDLE);
	bool serialize = sd->flags & SD_SERIALIZE;

	if (!serialize || k->port->trylock(k, &k->m->balancing)) {
		if (jiffies(k) >= sd->last_balance + interval) {
			if (k->v->lb->load_balance(k, rq->cpu, sd, *idle, continue_balancing))
				*idle = idle_cpu(k, rq->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
			sd->last_balance = jiffies(k);
			interval = balance_interval(k, sd, *idle != CPU_IDLE);
		}
		if (serialize)
			k->port->unlock(k, &k->m->balancing);
	}
	*next = min_u64(*next, sd->last_balance + interval);
}

static void rebalance_domains_by_cost(struct kctx *k, uint32_t cpu, enum cpu_idle_type idle)
{
	uint32_t saved = path_enter(k, PATH_REBALANCE_DOMAINS);
	struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t none = jiffies(k) + 60 * k->v->hz, next = none, max_cost = 0;
	bool continue_balancing = true, decayed = false;

	for (struct sched_domain *sd = rq->sd; sd; sd = sd->parent) {
		decayed |= decay_cost(k, sd);
		max_cost += sd->max_newidle_lb_cost_ns;
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		if (!continue_balancing) {
			if (decayed)
				continue;
			break;
		}
		balance_if_due(k, rq, sd, &idle, &continue_balancing, &next);
	}
	if (decayed)
		rq->max_idle_balance_cost_ns = max_u64(k->m->tun.migration_cost_ns, max_cost);
	if (next < none) {
		rq->next_balance = next;
		if (idle == CPU_IDLE && next < k->m->nohz.next_balance)
			k->m->nohz.next_balance = next;
	}
	path_leave(k, saved);
}

/* One domain; true: go no further. */
static bool newidle_domain(struct kctx *k, struct rq *rq, struct sched_domain *sd,
			   uint64_t *cost_ns, int32_t *pulled)
{
	bool continue_balancing = true;
	uint64_t start_ns = k->now_ns, took_ns;

	if (sd->flags & SD_BALANCE_NEWIDLE) {
		*pulled =
			k->v->lb->load_balance(k, rq->cpu, sd, CPU_NEWLY_IDLE, &continue_balancing);
		took_ns = k->now_ns - start_ns;
		sd->max_newidle_lb_cost_ns = max_u64(sd->max_newidle_lb_cost_ns, took_ns);
		*cost_ns += took_ns;
	}
	return *pulled || rq->nr_running > 0;
}

/* rq unlocked: all domains whose cost is worth it. */
static int32_t newidle_domains(struct kctx *k, struct rq *rq, uint64_t *next, uint64_t *cost_ns)
{
	int32_t pulled = 0;
	bool stop = false;

	update_blocked_averages(k, rq->cpu);
	for (struct sched_domain *sd = rq->sd; sd && !stop; sd = sd->parent) {
		if (!(sd->flags & SD_LOAD_BALANCE))
			continue;
		stop = rq->avg_idle_ns < *cost_ns + sd->max_newidle_lb_cost_ns ||
		       newidle_domain(k, rq, sd, cost_ns, &pulled);
		lower_next(k, sd, next);
	}
	return pulled;
}

int32_t newidle_balance(struct kctx *k, struct rq *rq)
{
	uint32_t saved = path_enter(k, PATH_IDLE_BALANCE);
	uint64_t next = jiffies(k) + k->v->hz, cost_ns = 0;
	int32_t pulled = 0;

	rq->misfit_task_load = 0;
	rq->idle_stamp_ns = rq->clock_ns;
	if (rq->avg_idle_ns < k->m->tun.migration_cost_ns || !k->m->rd.overload) {
		if (rq->sd)
			lower_next(k, rq->sd, &next);
		if (k->v->nohz->newidle)
			k->v->nohz->newidle(k, rq);
	} else {
		rq_unlock(k, rq);
		pulled = newidle_domains(k, rq, &next, &cost_ns);
		rq_lock(k, rq);
		rq->max_idle_balance_cost_ns = max_u64(rq->max_idle_balance_cost_ns, cost_ns);
	}
	/* somebody may have come while the lock was dropped */
	if (rq->cfs->h_nr_running && !pulled)
		pulled = 1;
	rq->next_balance = min_u64(rq->next_balance, next);
	if (rq->nr_running != rq->cfs->h_nr_running)
		pulled = -1;
	if (pulled)
		rq->idle_stamp_ns = 0;
	path_leave(k, saved);
	return pulled;
}

void update_blocked_averages(struct kctx *k, uint32_t cpu)
{
	uint32_t saved = path_enter(k, PATH_UPDATE_SHARES);
	struct rq *rq = rq_of_cpu(k->m, cpu);
	uint64_t now_ns;
	bool left;

	rq_lock(k, rq);
	update_rq_clock(k, rq);
	now_ns = rq_clock_pelt(rq);
	update_rt_rq_load_avg(k, now_ns, rq, rq->curr->class == &rt_sched_class);
	update_dl_rq_load_avg(k, now_ns, rq, rq->curr->class == &dl_sched_class);
	left = rq->pelt.avg_rt.util_avg || rq->pelt.avg_dl.util_avg;
	left |= update_blocked_fair(k, rq);
	rq->last_blocked_update = jiffies(k);
	nohz_forget(k->m, rq);
	charge(k, WORK_LOAD_AVG, 1);
	if (!left)
		rq->has_blocked_load = false;
	rq_unlock(k, rq);
	path_leave(k, saved);
}

/* The balancing softirq: for others if kicked, else for this CPU. Linux: run_rebalance_domains(). */
static void softirq_by_cost(struct kctx *k)
{
	const struct rq *rq = &k->cpu->rq;

	if (k->v->nohz->balance_idle(k))
		return;
	update_blocked_averages(k, rq->cpu);
	rebalance_domains_by_cost(k, rq->cpu, rq->idle_at_tick ? CPU_IDLE : CPU_NOT_IDLE);
}

const struct trigger_ops trigger_ops_cost = {
	.name = "cost",
	.softirq = softirq_by_cost,
	.rebalance = rebalance_domains_by_cost,
};

bool sched_asym_prefer(const struct kctx *k, uint32_t a, uint32_t b)
{
	return asym_cpu_priority(k->m->topo, a) > asym_cpu_priority(k->m->topo, b);
}
