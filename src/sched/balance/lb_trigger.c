/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When balancing happens from 5.4 on. A CPU about to go idle asks one domain after the
 * other as long as it expects to idle longer than the attempts have cost so far, and
 * only if some CPU of the machine has more than one task. What an attempt costs is
 * measured, remembered per domain as a maximum and forgotten by 1 % a second. So time
 * the balancer takes decides how often it runs.
 *
 * On the tick each domain that is due is balanced, in softirq context, after the averages of
 * the CPU's queues have been aged.
 *
 * Later kernels: the first domain's own cost is the gate (NEWIDLE_COST_GATE), time is taken
 * without gaps and costs decay where they are measured (NEWIDLE_COST_DECAY), and a domain is
 * tried as often as that has helped lately (NI_RANDOM): of its last thousand attempts
 * or so a part moved tasks; with that probability it is asked, and a success then
 * counts as many times as it stands for.
 *
 * Linux: kernel/sched/fair.c newidle_balance() (idle_balance()), rebalance_domains(),
 * update_next_balance(), update_newidle_cost(), update_newidle_stats(); 5.4, 5.5, 6.1.
 * Deviation: the chance of NI_RANDOM is the simulator's own.
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
#include "sched/select/select_pelt.h"

/* Newly-idle attempts are counted up to so many, then halved. */
#define NEWIDLE_WINDOW 1024u

/* Kernels that could leave a domain out of balancing mark those they do not. */
static bool domain_balances(const struct kctx *k, const struct sched_domain *sd)
{
	return (sd->flags & SD_LOAD_BALANCE) || feat(k, FEAT_SD_ALL_BALANCE);
}

/* Ticks between two attempts. Linux: get_sd_balance_interval(). */
static uint64_t balance_interval(const struct kctx *k, const struct sched_domain *sd, bool busy)
{
	uint64_t ms = sd->balance_interval_ms, ticks;

	if (busy)
		ms *= sd->busy_factor;
	ticks = ms_to_jiffies(k, ms);
	/* levels whose intervals are multiples of each other do not come due together */
	if (busy && feat(k, FEAT_LB_BUSY_INTERVAL))
		ticks--;
	return clamp_u64(ticks, 1, lb_max_interval(k));
}

/* Linux: update_next_balance(). */
static void lower_next(const struct kctx *k, const struct sched_domain *sd, uint64_t *next)
{
	*next = min_u64(*next, sd->last_balance + balance_interval(k, sd, false));
}

/* Once a second what an attempt cost at most is forgotten by 1/85. True: it was. */
static bool decay_cost(const struct kctx *k, struct sched_domain *sd)
{
	bool since_raise = feat(k, FEAT_NEWIDLE_COST_DECAY);

	if (jiffies(k) <= sd->next_decay_max_lb_cost + (since_raise ? k->v->hz : 0))
		return false;
	sd->max_newidle_lb_cost_ns = sd->max_newidle_lb_cost_ns * 253 / 256;
	sd->next_decay_max_lb_cost = jiffies(k) + (since_raise ? 0 : k->v->hz);
	return true;
}

/* Does RQ's CPU, of the kind IDLE, balance like a busy one? */
static bool is_busy(const struct kctx *k, const struct rq *rq, enum cpu_idle_type idle)
{
	return idle != CPU_IDLE &&
	       !(feat(k, FEAT_SCHED_IDLE_BALANCES) && sched_idle_cpu(k, rq->cpu));
}

/* SD's turn, if it is due. Tells the kind of CPU this is from now on. */
static void balance_if_due(struct kctx *k, struct rq *rq, struct sched_domain *sd,
			   enum cpu_idle_type *idle, bool *busy, bool *continue_balancing,
			   uint64_t *next)
{
	uint64_t interval = balance_interval(k, sd, *busy);
	bool serialize = sd->flags & SD_SERIALIZE;

	if (!serialize || k->port->trylock(k, &k->m->balancing)) {
		if (jiffies(k) >= sd->last_balance + interval) {
			if (k->v->lb->load_balance(k, rq->cpu, sd, *idle, continue_balancing)) {
				*idle = idle_cpu(k, rq->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
				*busy = is_busy(k, rq, *idle);
			}
			sd->last_balance = jiffies(k);
			interval = balance_interval(k, sd, *busy);
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
	bool continue_balancing = true, decayed = false, busy = is_busy(k, rq, idle);

	for (struct sched_domain *sd = rq->sd; sd; sd = sd->parent) {
		bool now = decay_cost(k, sd);

		/* the last domain's counts where it is asked by the way */
		decayed = feat(k, FEAT_NEWIDLE_COST_DECAY) ? now : decayed || now;
		max_cost += sd->max_newidle_lb_cost_ns;
		if (!domain_balances(k, sd))
			continue;
		if (!continue_balancing) {
			if (decayed)
				continue;
			break;
		}
		balance_if_due(k, rq, sd, &idle, &busy, &continue_balancing, &next);
	}
	if (decayed)
		rq->max_idle_balance_cost_ns = max_u64(k->m->tun.migration_cost_ns, max_cost);
	if (next < none) {
		rq->next_balance = next;
		if (idle == CPU_IDLE && next < k->m->nohz.next_balance && !feat(k, FEAT_NOHZ_NEXT))
			k->m->nohz.next_balance = next;
	}
	path_leave(k, saved);
}

/* An attempt in SD, or one left out, helped as much as SUCCESS. Linux: update_newidle_stats(). */
static void count_newidle(struct sched_domain *sd, uint32_t success)
{
	sd->newidle_call++;
	sd->newidle_success += success;
	if (sd->newidle_call < NEWIDLE_WINDOW)
		return;
	sd->newidle_ratio = sd->newidle_success;
	sd->newidle_call /= 2;
	sd->newidle_success /= 2;
}

/* For how many attempts one in SD stands; 0: none is to be made now. */
static uint32_t newidle_weight(const struct kctx *k, struct rq *rq, struct sched_domain *sd)
{
	uint32_t chance = 1 + sd->newidle_ratio;

	if (!feat(k, FEAT_NI_RANDOM))
		return 1;
	if (rng_below(&rq->newidle_rng, NEWIDLE_WINDOW) > chance) {
		count_newidle(sd, 0);
		return 0;
	}
	return (NEWIDLE_WINDOW + chance / 2) / chance;
}

/* Newly-idle balancing on its way up the domains. */
struct newidle {
	uint64_t cost_ns;  /* so far */
	uint64_t since_ns; /* up to when it is counted */
	int32_t pulled;
	bool stop; /* go no further */
};

/* SD was tried, which took up to now. */
static void count_cost(const struct kctx *k, struct sched_domain *sd, struct newidle *n,
		       uint32_t success)
{
	uint64_t took_ns = k->now_ns - n->since_ns;

	n->since_ns = k->now_ns;
	n->cost_ns += took_ns;
	if (took_ns && feature_set_has(&k->v->known, FEAT_NI_RANDOM))
		count_newidle(sd, success);
	if (took_ns > sd->max_newidle_lb_cost_ns) {
		sd->max_newidle_lb_cost_ns = took_ns;
		if (feat(k, FEAT_NEWIDLE_COST_DECAY))
			sd->next_decay_max_lb_cost = jiffies(k);
	} else if (feat(k, FEAT_NEWIDLE_COST_DECAY)) {
		decay_cost(k, sd);
	}
}

/* One domain. */
static void newidle_domain(struct kctx *k, struct rq *rq, struct sched_domain *sd,
			   struct newidle *n)
{
	bool continue_balancing = true;

	if (sd->flags & SD_BALANCE_NEWIDLE) {
		uint32_t weight = newidle_weight(k, rq, sd);

		if (!weight)
			return;
		if (!feat(k, FEAT_NEWIDLE_COST_DECAY))
			n->since_ns = k->now_ns;
		n->pulled =
			k->v->lb->load_balance(k, rq->cpu, sd, CPU_NEWLY_IDLE, &continue_balancing);
		count_cost(k, sd, n, n->pulled ? weight : 0);
	}
	n->stop = n->pulled;
	if (feat(k, FEAT_NEWIDLE_CONTINUE))
		n->stop |= !continue_balancing;
	else
		n->stop |= rq->nr_running > 0 || (rq->wake_list && feat(k, FEAT_LB_NEWIDLE_EMPTY));
}

/* rq unlocked: all domains whose cost is worth it. */
static void newidle_domains(struct kctx *k, struct rq *rq, uint64_t *next, struct newidle *n)
{
	bool asks_first = feat(k, FEAT_NEWIDLE_COST_GATE);

	n->since_ns = k->now_ns;
	update_blocked_averages(k, rq->cpu);
	for (struct sched_domain *sd = rq->sd; sd && !n->stop; sd = sd->parent) {
		if (!domain_balances(k, sd))
			continue;
		/* an attempt may change the interval */
		if (asks_first)
			lower_next(k, sd, next);
		n->stop = rq->avg_idle_ns < n->cost_ns + sd->max_newidle_lb_cost_ns;
		if (!n->stop)
			newidle_domain(k, rq, sd, n);
		if (!asks_first)
			lower_next(k, sd, next);
	}
}

/* Is RQ's CPU to idle without having balanced? */
static bool newidle_is_gated(const struct kctx *k, const struct rq *rq)
{
	if (!k->m->rd.overload)
		return true;
	if (feat(k, FEAT_NEWIDLE_COST_GATE))
		return !rq->sd || rq->avg_idle_ns < rq->sd->max_newidle_lb_cost_ns;
	return rq->avg_idle_ns < k->m->tun.migration_cost_ns;
}

/* It is not gated: tasks that came, -1 if one is of another class. */
static int32_t newidle_try(struct kctx *k, struct rq *rq, uint64_t *next)
{
	struct newidle n = {.stop = false};

	rq_unlock(k, rq);
	newidle_domains(k, rq, next, &n);
	rq_lock(k, rq);
	rq->max_idle_balance_cost_ns = max_u64(rq->max_idle_balance_cost_ns, n.cost_ns);
	return n.pulled;
}

/* PULLED, or what came while the lock was dropped. */
static int32_t what_came(const struct rq *rq, int32_t pulled)
{
	if (rq->nr_running != rq->cfs->h_nr_running)
		return -1;
	return rq->cfs->h_nr_running && !pulled ? 1 : pulled;
}

/* The others' load is aged before balancing is given up (up to 5.5), or when nothing came. */
static void age_others(struct kctx *k, struct rq *rq, bool now)
{
	if (now && k->v->nohz->newidle)
		k->v->nohz->newidle(k, rq);
}

int32_t newidle_balance(struct kctx *k, struct rq *rq)
{
	uint32_t saved = path_enter(k, PATH_IDLE_BALANCE);
	bool late = feat(k, FEAT_NOHZ_NEWILB), gate = feat(k, FEAT_NEWIDLE_COST_GATE), gated;
	uint64_t next = jiffies(k) + k->v->hz;
	int32_t pulled = 0;

	rq->misfit_task_load = 0;
	if (rq->wake_list && feat(k, FEAT_LB_NEWIDLE_EMPTY)) {
		path_leave(k, saved);
		return 0;
	}
	rq->idle_stamp_ns = rq->clock_ns;
	gated = newidle_is_gated(k, rq);
	if (gated) {
		if (rq->sd)
			lower_next(k, rq->sd, &next);
		age_others(k, rq, !late);
	} else {
		pulled = newidle_try(k, rq, &next);
	}
	if (!gated || !gate)
		pulled = what_came(rq, pulled);
	rq->next_balance = min_u64(rq->next_balance, next);
	if (pulled)
		rq->idle_stamp_ns = 0;
	else
		age_others(k, rq, late);
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
	if (feat(k, FEAT_NOHZ_NEWILB))
		rq->last_blocked_update = jiffies(k);
	update_rq_clock(k, rq);
	now_ns = rq_clock_pelt(rq);
	update_rt_rq_load_avg(k, now_ns, rq, rq->curr->class == &rt_sched_class);
	update_dl_rq_load_avg(k, now_ns, rq, rq->curr->class == &dl_sched_class);
	left = rq->pelt.avg_rt.util_avg || rq->pelt.avg_dl.util_avg;
	left |= update_blocked_fair(k, rq);
	if (!feat(k, FEAT_NOHZ_NEWILB))
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
