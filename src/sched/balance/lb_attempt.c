/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One attempt to balance a domain, 5.4 on: is it this CPU's turn, which group and queue
 * are busiest, take tasks there, put them here; what was pinned sends the attempt
 * to another CPU of the group or on a new search; failure after failure has the busiest CPU's
 * running task pushed by its stopper.
 *
 * Up to 5.5 that is done for failures of any kind, the count of failures is set so that the
 * task need not be cold, and the interval doubles. With LB_ACTIVE_BY_TASK only where
 * tasks are to be evened out, and the stopper does not ask whether the task is cold.
 *
 * Linux: kernel/sched/fair.c load_balance(), should_we_balance(), need_active_balance(),
 * active_load_balance_cpu_stop(); 5.4, 5.5, 6.1, 6.12.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/balance/lb_steps.h"
#include "sched/select/select.h"
#include "sched/select/select_pelt.h"

#define MAX_PINNED_INTERVAL_MS 512u
#define BREAK_AFTER 32u

/*
 * The idle CPU that balances for the group of ENV's domain; CPU_NONE: none idles. With
 * LB_CORE_FIRST, above the threads of a core, one whose core idles if there is one.
 */
static uint32_t idle_balancer(struct kctx *k, const struct lb_env *env)
{
	bool cores = feat(k, FEAT_LB_CORE_FIRST) && !(env->sd->flags & SD_SHARE_CPUPOWER);
	struct mask *left = k->cpu->select_mask;
	uint32_t cpu, looked_at = 0, thread = CPU_NONE;

	mask_and(left, env->sd->groups->sgc->balance_mask, env->cpus);
	mask_for_each(cpu, left) {
		looked_at++;
		if (!idle_cpu(k, cpu))
			continue;
		if (!cores || rest_of_core_idles(k, cpu))
			break;
		/* a busy core: its first idle thread may do */
		if (thread == CPU_NONE)
			thread = cpu;
		mask_andnot(left, left, smt_span(k, cpu));
	}
	charge(k, WORK_SELECT_SCAN, looked_at);
	return cpu == MASK_NONE ? thread : cpu;
}

/* Linux: should_we_balance(). */
static bool should_we_balance(struct kctx *k, const struct lb_env *env)
{
	uint32_t balancer;

	if (!mask_test(env->cpus, env->dst_cpu))
		return false;
	if (env->idle == CPU_NEWLY_IDLE)
		return !feat(k, FEAT_LB_NEWIDLE_EMPTY) ||
		       (!env->dst_rq->nr_running && !env->dst_rq->wake_list);
	peek(k);
	balancer = idle_balancer(k, env);
	if (balancer == CPU_NONE)
		balancer = mask_first(env->sd->groups->sgc->balance_mask);
	return balancer == env->dst_cpu;
}

static struct sched_group *find_busiest_group_env(struct kctx *k, struct lb_env *env)
{
	uint32_t saved = path_enter(k, PATH_FIND_BUSIEST_GROUP);
	struct sd_lb_stats sds;
	struct sched_group *g;

	update_sd_lb_stats(k, env, &sds);
	g = k->v->busiest->decide(k, env, &sds);
	path_leave(k, saved);
	return g;
}

/* Find env->src_rq; false: nothing to take. */
static bool find_source(struct kctx *k, struct lb_env *env)
{
	struct domain_stats *stats = &env->sd->stats;
	const struct sched_group *g = find_busiest_group_env(k, env);

	if (!g) {
		stats->lb_nobusyg[env->idle]++;
		return false;
	}
	env->src_rq = find_busiest_queue_env(k, env, g);
	if (!env->src_rq) {
		stats->lb_nobusyq[env->idle]++;
		return false;
	}
	CHECK(env->src_rq != env->dst_rq);
	env->src_cpu = env->src_rq->cpu;
	stats->lb_imbalance[env->idle] += (uint64_t)env->imbalance;
	return true;
}

/* What a search and what it moved came to. */
enum search_end {
	SEARCH_BALANCED,  /* nothing to take, or not this CPU's turn */
	SEARCH_DONE,      /* there was a source; perhaps something moved */
	SEARCH_AGAIN,     /* all of the source's tasks are pinned; others may have some */
	SEARCH_ALL_PINNED /* ... and no other is left */
};

static void restart_loop(struct lb_env *env)
{
	env->loop = 0;
	env->loop_break = BREAK_AFTER;
}

/* Some CPU of the domain is left as a source. */
static bool source_is_left(const struct lb_env *env)
{
	uint32_t cpu;

	mask_for_each(cpu, env->cpus)
		if (!mask_test(env->dst_grpmask, cpu))
			return true;
	return false;
}

/* Move what can be moved from env->src_rq. */
static enum search_end move_from_source(struct kctx *k, struct lb_env *env)
{
	struct sched_domain *parent = env->sd->parent;
	uint32_t saved = path_enter(k, PATH_MOVE_TASKS);

	env->loop_max = min_u64(k->m->tun.nr_migrate, env->src_rq->nr_running);
	/* bound: loop grows towards loop_max; a destination is given up once */
	for (;;) {
		struct list detached;
		uint32_t n;

		list_init(&detached);
		rq_lock(k, env->src_rq);
		update_rq_clock(k, env->src_rq);
		n = detach_tasks(k, env, &detached);
		rq_unlock(k, env->src_rq);
		if (n)
			attach_tasks(k, env, &detached);
		if (env->flags & LBF_NEED_BREAK) {
			env->flags &= ~LBF_NEED_BREAK;
			continue;
		}
		if (!(env->flags & LBF_DST_PINNED) || env->imbalance <= 0)
			break;
		mask_clear(env->cpus, env->dst_cpu);
		env->dst_cpu = env->new_dst_cpu;
		env->dst_rq = rq_of_cpu(k->m, env->dst_cpu);
		env->flags &= ~LBF_DST_PINNED;
		restart_loop(env);
	}
	path_leave(k, saved);
	if (parent && (env->flags & LBF_SOME_PINNED) && env->imbalance > 0)
		parent->groups->sgc->imbalance = true;
	if (!(env->flags & LBF_ALL_PINNED))
		return SEARCH_DONE;
	CHECK(env->moved == 0);
	mask_clear(env->cpus, env->src_cpu);
	if (!source_is_left(env))
		return SEARCH_ALL_PINNED;
	restart_loop(env);
	return SEARCH_AGAIN;
}

/* One search for a source among env->cpus, and what can be moved from it. */
static enum search_end search_and_move(struct kctx *k, struct lb_env *env, bool *continue_balancing)
{
	if (!should_we_balance(k, env)) {
		*continue_balancing = false;
		return SEARCH_BALANCED;
	}
	if (!find_source(k, env))
		return SEARCH_BALANCED;
	/* a running task alone is the stopper's business */
	if (env->src_rq->nr_running <= 1) {
		if (feat(k, FEAT_LB_ACTIVE_BY_TASK))
			env->flags |= LBF_ALL_PINNED;
		return SEARCH_DONE;
	}
	env->flags |= LBF_ALL_PINNED;
	return move_from_source(k, env);
}

/* Is the destination ranked higher? Linux: asym_active_balance(). */
static bool should_pack(const struct kctx *k, const struct lb_env *env)
{
	if (feat(k, FEAT_LB_ASYM_IDLE_CORE))
		return sched_use_asym_prio(k, env->sd, env->dst_cpu) &&
		       (sched_asym_prefer(k, env->dst_cpu, env->src_cpu) ||
			!sched_use_asym_prio(k, env->sd, env->src_cpu));
	return (env->sd->flags & SD_ASYM_PACKING) &&
	       sched_asym_prefer(k, env->dst_cpu, env->src_cpu);
}

/* A misfit that could not be moved is nobody's failure. */
static bool is_quiet(const struct kctx *k, const struct lb_env *env)
{
	return env->idle == CPU_NEWLY_IDLE ||
	       (feat(k, FEAT_LB_MISFIT_QUIET) && env->migration_type == MIGRATE_MISFIT);
}

/* Reasons to push a running task that need no failure before. Linux: voluntary_active_balance(). */
static bool voluntary_active_balance(const struct kctx *k, const struct lb_env *env)
{
	const struct rq *src = env->src_rq;

	if (env->idle != CPU_NOT_IDLE && should_pack(k, env))
		return true;
	if (env->idle != CPU_NOT_IDLE && src->cfs->h_nr_running == 1 &&
	    capacity_is_reduced(env->sd, src) &&
	    src->cpu_capacity * env->sd->imbalance_pct < env->dst_rq->cpu_capacity * 100)
		return true;
	return env->migration_type == MIGRATE_MISFIT;
}

/* Linux: need_active_balance(), imbalanced_active_balance(). */
static bool need_active_balance(const struct kctx *k, const struct lb_env *env)
{
	if (voluntary_active_balance(k, env))
		return true;
	if (feat(k, FEAT_LB_ACTIVE_BY_TASK) && env->migration_type != MIGRATE_TASK)
		return false;
	return env->sd->nr_balance_failed > env->sd->cache_nice_tries + 2;
}

enum push {
	PUSH_NONE,
	PUSH_STARTED,
	PUSH_PINNED
};

/* Have the stopper of the busiest CPU push its running task. */
static enum push push_running(struct kctx *k, struct lb_env *env, uint32_t this_cpu)
{
	struct rq *src = env->src_rq;
	bool started = false;

	rq_lock(k, src);
	if (src->curr == src->idle || src->curr == src->stop ||
	    !mask_test(src->curr->allowed, this_cpu)) {
		rq_unlock(k, src);
		if (!feat(k, FEAT_LB_ACTIVE_BY_TASK))
			env->flags |= LBF_ALL_PINNED;
		return PUSH_PINNED;
	}
	if (feat(k, FEAT_LB_ACTIVE_BY_TASK))
		env->flags &= ~LBF_ALL_PINNED;
	if (!src->active_balance) {
		src->active_balance = true;
		src->push_cpu = this_cpu;
		started = true;
	}
	rq_unlock(k, src);
	if (started)
		wake_stopper(k, src->cpu);
	if (!feat(k, FEAT_LB_ACTIVE_BY_TASK))
		env->sd->nr_balance_failed = env->sd->cache_nice_tries + 1;
	return started ? PUSH_STARTED : PUSH_NONE;
}

static void lengthen_interval(const struct kctx *k, const struct lb_env *env)
{
	struct sched_domain *sd = env->sd;

	if (is_quiet(k, env))
		return;
	if (((env->flags & LBF_ALL_PINNED) && sd->balance_interval_ms < MAX_PINNED_INTERVAL_MS) ||
	    sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
}

/* What keeps this group unequal is forgotten, unless all of it is pinned. */
static void settle_balanced(const struct kctx *k, struct lb_env *env)
{
	struct sched_domain *sd = env->sd;

	if (sd->parent && !(env->flags & LBF_ALL_PINNED))
		sd->parent->groups->sgc->imbalance = false;
	sd->stats.lb_balanced[env->idle]++;
	sd->nr_balance_failed = 0;
	lengthen_interval(k, env);
}

/* There was a source: env->moved tasks came. */
static void settle_moved(struct kctx *k, struct lb_env *env, uint32_t this_cpu)
{
	bool by_task = feat(k, FEAT_LB_ACTIVE_BY_TASK);
	struct sched_domain *sd = env->sd;
	enum push push = PUSH_NONE;

	if (env->moved) {
		sd->nr_balance_failed = 0;
	} else {
		sd->stats.lb_failed[env->idle]++;
		if (!is_quiet(k, env))
			sd->nr_balance_failed++;
		if (need_active_balance(k, env))
			push = push_running(k, env, this_cpu);
	}
	if (push == PUSH_PINNED) {
		lengthen_interval(k, env);
		return;
	}
	if (push == PUSH_NONE ||
	    (by_task ? need_active_balance(k, env) : voluntary_active_balance(k, env)))
		sd->balance_interval_ms = sd->min_interval_ms;
	else if (!by_task && sd->balance_interval_ms < sd->max_interval_ms)
		sd->balance_interval_ms *= 2;
}

static int32_t load_balance_env(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
				enum cpu_idle_type idle, bool *continue_balancing)
{
	uint32_t saved = path_enter(k, PATH_LOAD_BALANCE);
	struct lb_env env = {.sd = sd,
			     .dst_cpu = this_cpu,
			     .dst_rq = rq_of_cpu(k->m, this_cpu),
			     .dst_grpmask = feat(k, FEAT_LB_BALANCE_MASK) ?
						    sd->groups->sgc->balance_mask :
						    sd->groups->cpus,
			     .idle = idle,
			     .loop_break = BREAK_AFTER,
			     .cpus = k->cpu->lb_mask};
	enum search_end end;

	charge(k, WORK_LOAD_BALANCE, 1);
	sd->stats.lb_count[idle]++;
	mask_and(env.cpus, sd->span, k->m->online);
	/* bound: each turn takes a source out of the candidates */
	do
		end = search_and_move(k, &env, continue_balancing);
	while (end == SEARCH_AGAIN);
	if (end == SEARCH_DONE)
		settle_moved(k, &env, this_cpu);
	else
		settle_balanced(k, &env);
	k->port->record(k, RECORD_BALANCE, sd->level << 8 | (uint32_t)idle, (uint64_t)env.imbalance,
			env.moved, env.moved);
	path_leave(k, saved);
	return (int32_t)env.moved;
}

/* The stopper of SRC (locked) pushes a task to push_cpu. SRC is locked again on return. */
static void push_one(struct kctx *k, struct rq *src)
{
	uint32_t saved = path_enter(k, PATH_ACTIVE_BALANCE);
	struct rq *target = rq_of_cpu(k->m, src->push_cpu);
	struct task *p = NULL;
	struct sched_domain *sd;

	for (sd = target->sd; sd; sd = sd->parent)
		if (mask_test(sd->span, src->cpu))
			break;
	/* the stopper itself is counted */
	if (sd && src->nr_running > 1) {
		struct lb_env env = {.sd = sd,
				     .dst_cpu = target->cpu,
				     .dst_rq = target,
				     .src_cpu = src->cpu,
				     .src_rq = src,
				     .idle = CPU_IDLE,
				     .flags = feat(k, FEAT_LB_ACTIVE_BY_TASK) ? LBF_ACTIVE_LB :
										LBF_DST_PINNED};

		sd->stats.alb_count++;
		update_rq_clock(k, src);
		p = detach_one_task(k, &env);
		if (p) {
			sd->stats.alb_pushed++;
			sd->nr_balance_failed = 0;
		} else {
			sd->stats.alb_failed++;
		}
	}
	src->active_balance = false;
	rq_unlock(k, src);
	if (p)
		attach_one_task(k, target, p);
	rq_lock(k, src);
	path_leave(k, saved);
}

const struct lb_ops lb_ops_detach = {
	.name = "detach",
	.load_balance = load_balance_env,
	.active_balance = push_one,
};
