/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks are taken off the busiest queue under its lock alone, kept on a list of the
 * balancing CPU's own, and put on its queue under that lock alone. The queue's
 * list is walked from its tail, where the task is that has not run for longest;
 * what is passed over goes to the head.
 *
 * Linux: kernel/sched/fair.c can_migrate_task(), task_hot(), detach_task(), detach_tasks(),
 * detach_one_task(), attach_tasks(), shr_bound(); 5.4, 5.5, 6.1.
 * Deviation: NUMA balancing is off: no task is better or worse off on another node.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/lb_steps.h"
#include "sched/fair/bandwidth.h"

#include "sched/pelt/pelt.h"
#include "sched/pelt/fits.h"

#define BREAK_AFTER 32u

static bool task_hot(const struct kctx *k, const struct lb_env *env, const struct task *p)
{
	const struct cfs_rq *q = p->se.cfs_rq;
	uint64_t cost = k->m->tun.migration_cost_ns;

	if (p->class != &fair_sched_class || p->policy == POLICY_IDLE)
		return false;
	if (feat(k, FEAT_LB_SMT_NOT_HOT) && (env->sd->flags & SD_SHARE_CPUPOWER))
		return false;
	if (feat(k, FEAT_CACHE_HOT_BUDDY) && env->dst_rq->nr_running &&
	    (&p->se == q->next || &p->se == q->last))
		return true;
	if (cost == 0)
		return false;
	return delta_s64(env->src_rq->clock_ns, p->se.exec_start_ns) < (int64_t)cost;
}

/* P may not run on the destination; perhaps on another CPU of its group. */
static void note_pinned(struct lb_env *env, const struct task *p)
{
	uint32_t cpu;

	env->flags |= LBF_SOME_PINNED;
	if (env->idle == CPU_NEWLY_IDLE || (env->flags & (LBF_DST_PINNED | LBF_ACTIVE_LB)))
		return;
	mask_for_each_and(cpu, env->dst_grpmask, env->cpus) {
		if (!mask_test(p->allowed, cpu))
			continue;
		env->flags |= LBF_DST_PINNED;
		env->new_dst_cpu = cpu;
		return;
	}
}

/* Linux: kthread_is_per_cpu(). */
static bool is_per_cpu_kthread(const struct task *p)
{
	return p->kthread && p->nr_allowed == 1;
}

bool can_detach(struct kctx *k, struct lb_env *env, struct task *p)
{
	struct sched_domain *sd = env->sd;

	env->hot = false;
	if (throttled_lb_pair(p->tg, env->src_rq->cpu, env->dst_cpu))
		return false;
	if (is_per_cpu_kthread(p) && feat(k, FEAT_LB_SKIP_KTHREADS))
		return false;
	if (!mask_test(p->allowed, env->dst_cpu)) {
		note_pinned(env, p);
		return false;
	}
	env->flags &= ~LBF_ALL_PINNED;
	if (task_is_running(env->src_rq, p))
		return false;
	if (env->flags & LBF_ACTIVE_LB)
		return true;
	env->hot = task_hot(k, env, p);
	if (env->hot && sd->nr_balance_failed <= sd->cache_nice_tries)
		return false;
	if (env->hot && !feat(k, FEAT_LB_HOT_AT_DETACH))
		sd->stats.lb_hot_gained[env->idle]++;
	return true;
}

static void detach_task(struct kctx *k, struct lb_env *env, struct task *p)
{
	if (env->hot && feat(k, FEAT_LB_HOT_AT_DETACH))
		env->sd->stats.lb_hot_gained[env->idle]++;
	p->migrating = true;
	deactivate_task(k, env->src_rq, p, 0);
	set_task_cpu(k, p, env->dst_cpu);
	charge(k, WORK_MIGRATE, 1);
	env->moved++;
	k->port->record(k, RECORD_MIGRATE, p->id, env->src_rq->cpu, env->dst_cpu, 1);
}

/* VALUE halved by each failure. Linux: shr_bound(). */
static uint64_t halve_by_failures(const struct sched_domain *sd, uint64_t value)
{
	return value >> min_u32(sd->nr_balance_failed, 63);
}

/*
 * Is a LOAD more than may be moved? A task may be twice the imbalance, after failures any
 * (LB_RELAX_ON_FAILURE). With LB_SHIFT_BOUND it may be the imbalance, and twice as much for each
 * failure.
 */
static bool is_too_much_load(const struct kctx *k, const struct lb_env *env, uint64_t load)
{
	const struct sched_domain *sd = env->sd;
	uint64_t imbalance = (uint64_t)env->imbalance;

	if (feat(k, FEAT_LB_SHIFT_BOUND))
		return halve_by_failures(sd, load) > imbalance;
	return load / 2 > imbalance && (!feat(k, FEAT_LB_RELAX_ON_FAILURE) ||
					sd->nr_balance_failed <= sd->cache_nice_tries);
}

static bool is_too_much_util(const struct kctx *k, const struct lb_env *env, uint64_t util)
{
	if (feat(k, FEAT_LB_SHIFT_BOUND))
		util = halve_by_failures(env->sd, util);
	return util > (uint64_t)env->imbalance;
}

/* Is P of the right size? Then env->imbalance is less by what it is worth. */
static bool take_from_imbalance(struct kctx *k, struct lb_env *env, const struct task *p)
{
	uint64_t load;

	switch (env->migration_type) {
	case MIGRATE_LOAD:
		load = task_h_load(k, p);
		if (feat(k, FEAT_LB_SHIFT_BOUND))
			load = max_u64(load, 1);
		if (feat(k, FEAT_LB_MIN) && load < 16 && !env->sd->nr_balance_failed)
			return false;
		if (is_too_much_load(k, env, load))
			return false;
		env->imbalance -= (int64_t)load;
		return true;
	case MIGRATE_UTIL:
		load = task_util_est(k, p);
		if (is_too_much_util(k, env, load))
			return false;
		env->imbalance -= (int64_t)load;
		return true;
	case MIGRATE_TASK:
		env->imbalance--;
		return true;
	case MIGRATE_MISFIT:
		if (feat(k, FEAT_LB_MISFIT_UTIL)) {
			if (task_fits_capacity(k, p, env->src_rq->cpu_capacity))
				return false;
		} else if (task_h_load(k, p) / 2 < (uint64_t)env->imbalance) {
			return false;
		}
		env->imbalance = 0;
		return true;
	}
	CHECK(false);
	return false;
}

/* Old rules move by load whatever the type of the group. */
static bool is_worth_moving(struct kctx *k, struct lb_env *env, const struct task *p)
{
	enum migration_type type = env->migration_type;
	bool fits;

	if (k->v->busiest == &busiest_ops_types)
		return take_from_imbalance(k, env, p);
	env->migration_type = MIGRATE_LOAD;
	fits = take_from_imbalance(k, env, p);
	env->migration_type = type;
	return fits;
}

uint32_t detach_tasks(struct kctx *k, struct lb_env *env, struct list *detached)
{
	struct list *tasks = &env->src_rq->cfs_tasks;
	uint32_t n = 0, looked_at = 0;

	/* somebody was faster: what is left is not pinned */
	if (env->src_rq->nr_running <= 1 && feat(k, FEAT_LB_ACTIVE_BY_TASK)) {
		env->flags &= ~LBF_ALL_PINNED;
		return 0;
	}
	if (env->imbalance <= 0)
		return 0;
	/* bound: loop counts up to loop_max over all calls of an attempt */
	while (!list_is_empty(tasks)) {
		struct task *p = container_of(tasks->prev, struct task, lb_node);

		if (env->idle != CPU_NOT_IDLE && env->src_rq->nr_running <= 1)
			break;
		if (++env->loop > env->loop_max)
			break;
		if (env->loop > env->loop_break) {
			env->loop_break += BREAK_AFTER;
			env->flags |= LBF_NEED_BREAK;
			break;
		}
		looked_at++;
		if (!can_detach(k, env, p) || !is_worth_moving(k, env, p)) {
			list_del(&p->lb_node);
			list_add(tasks, &p->lb_node);
			continue;
		}
		detach_task(k, env, p);
		list_add(detached, &p->lb_node);
		n++;
		if (k->v->preempt == PREEMPT_FULL && env->idle == CPU_NEWLY_IDLE)
			break;
		if (env->imbalance <= 0)
			break;
	}
	charge(k, WORK_EXAMINE, looked_at);
	env->sd->stats.lb_gained[env->idle] += n;
	return n;
}

static void attach_task(struct kctx *k, struct rq *rq, struct task *p)
{
	activate_task(k, rq, p, 0);
	p->migrating = false;
	k->port->complete(k, &rq->attached);
	check_preempt_curr(k, rq, p, 0);
}

void attach_tasks(struct kctx *k, struct lb_env *env, struct list *detached)
{
	rq_lock(k, env->dst_rq);
	update_rq_clock(k, env->dst_rq);
	/* bound: every turn takes one off */
	while (!list_is_empty(detached)) {
		struct task *p = container_of(detached->next, struct task, lb_node);

		list_del(&p->lb_node);
		attach_task(k, env->dst_rq, p);
	}
	rq_unlock(k, env->dst_rq);
}

struct task *detach_one_task(struct kctx *k, struct lb_env *env)
{
	struct list *pos;

	for (pos = env->src_rq->cfs_tasks.prev; pos != &env->src_rq->cfs_tasks; pos = pos->prev) {
		struct task *p = container_of(pos, struct task, lb_node);

		charge(k, WORK_EXAMINE, 1);
		if (!can_detach(k, env, p))
			continue;
		detach_task(k, env, p);
		env->sd->stats.lb_gained[env->idle]++;
		return p;
	}
	return NULL;
}

void attach_one_task(struct kctx *k, struct rq *rq, struct task *p)
{
	rq_lock(k, rq);
	update_rq_clock(k, rq);
	attach_task(k, rq, p);
	rq_unlock(k, rq);
}
