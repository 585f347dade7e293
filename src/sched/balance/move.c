/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moving tasks with both queues locked, group by group, as 2.6.34 and 2.6.35 do it;
 * can_migrate_task() and pull_task() serve all kernels. The load to move is in
 * root units; for each group it is scaled into the group's own units by the
 * ratio of the group's load on the busiest CPU to its h_load there, and what
 * was moved is scaled back.
 *
 * With STALE_H_LOAD the root's h_load is 0 while there are no groups: the
 * amount is then multiplied by the whole queue's weight instead of kept, so
 * every task that may move does, and what was moved is booked as 0. That is
 * the over-scheduling of 2.6.32 to 2.6.35-rc3.
 *
 * "All pinned" means: can_migrate_task() cleared nothing. Tasks skipped by size
 * are never asked, and the last pass decides, so a pass that moved tasks
 * earlier can still end as pinned.
 *
 * Linux: sched_fair.c move_tasks(), load_balance_fair(), balance_tasks(), 2.6.34 and
 * 2.6.35; can_migrate_task(), pull_task(), task_hot(), 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/balance.h"
#include "sched/fair/group.h"

static bool task_hot(const struct kctx *k, const struct rq *src, const struct task *p)
{
	const struct cfs_rq *q = p->se.cfs_rq;
	uint64_t cost = k->m->tun.migration_cost_ns;

	if (p->class != &fair_sched_class)
		return false;
	if (feat(k, FEAT_IDLE_POLICY_COLD) && p->policy == POLICY_IDLE)
		return false;
	if (feat(k, FEAT_CACHE_HOT_BUDDY) && k->cpu->rq.nr_running &&
	    (&p->se == q->next || &p->se == q->last))
		return true;
	if (cost == 0)
		return false;
	return delta_s64(src->clock_ns, p->se.exec_start_ns) < (int64_t)cost;
}

bool can_migrate_task(struct kctx *k, struct lb *lb, struct rq *src, struct task *p)
{
	struct sched_domain *sd = lb->sd;
	bool hot;

	if (!mask_test(p->allowed, lb->this_rq->cpu))
		return false;
	lb->all_pinned = false;
	if (task_is_running(src, p))
		return false;
	hot = task_hot(k, src, p);
	if (hot && sd->nr_balance_failed <= sd->cache_nice_tries)
		return false;
	if (hot)
		sd->stats.lb_hot_gained[lb->idle]++;
	return true;
}

void pull_task(struct kctx *k, struct lb *lb, struct rq *src, struct task *p)
{
	struct rq *dst = lb->this_rq;

	deactivate_task(k, src, p, 0);
	set_task_cpu(k, p, dst->cpu);
	activate_task(k, dst, p, 0);
	check_preempt_curr(k, dst, p, 0);
	charge(k, WORK_MIGRATE, 1);
	lb->moved++;
	k->port->record(k, RECORD_MIGRATE, p->id, src->cpu, dst->cpu, 1);
}

/*
 * Pull tasks of Q worth MAX_LOAD in its own units. Returns the load moved, which
 * may exceed MAX_LOAD. Linux: balance_tasks().
 */
static uint64_t balance_tasks(struct kctx *k, struct lb *lb, struct cfs_rq *q, uint64_t max_load)
{
	int64_t rem = (int64_t)max_load;
	uint64_t pulled = 0, loops = 0;
	struct list *pos, *next;

	lb->all_pinned = max_load != 0;
	if (!max_load)
		return 0;
	list_for_each_safe(pos, next, &q->tasks) {
		struct task *p = container_of(pos, struct task, lb_node);

		if (loops++ > k->m->tun.nr_migrate)
			break;
		if ((p->se.load.weight >> 1) > (uint64_t)rem || !can_migrate_task(k, lb, q->rq, p))
			continue;
		rem -= (int64_t)p->se.load.weight;
		pull_task(k, lb, q->rq, p);
		pulled++;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE)
			break;
		if (rem <= 0)
			break;
	}
	charge(k, WORK_EXAMINE, loops);
	lb->sd->stats.lb_gained[lb->idle] += pulled;
	return max_load - (uint64_t)rem;
}

/* One pass over all groups; the load moved in root units. Linux: load_balance_fair(). */
static uint64_t load_balance_fair(struct kctx *k, struct lb *lb, struct rq *busiest,
				  uint64_t max_load)
{
	int64_t rem = (int64_t)max_load;
	struct list *pos;

	update_h_load(k, busiest->cpu);
	list_for_each(pos, &k->m->groups) {
		struct task_group *tg = container_of(pos, struct task_group, all);
		struct cfs_rq *q = &tg->cfs_rq[busiest->cpu];
		uint64_t h_load = q->h_load, weight = q->load.weight;
		uint64_t moved;

		if (!q->task_weight)
			continue;
		moved = balance_tasks(k, lb, q, (uint64_t)rem * weight / (h_load + 1));
		if (!moved)
			continue;
		rem -= (int64_t)(moved * h_load / (weight + 1));
		if (rem < 0)
			break;
	}
	return max_load - (uint64_t)rem;
}

bool move_tasks_by_group(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	uint32_t saved = path_enter(k, PATH_MOVE_TASKS);
	uint64_t total = 0, moved;

	do {
		moved = load_balance_fair(k, lb, busiest, lb->imbalance - total);
		total += moved;
		if (k->v->preempt == PREEMPT_FULL) {
			if (lb->idle == CPU_NEWLY_IDLE && lb->this_rq->nr_running)
				break;
			if (lb->this_rq->lock.nwaiters || busiest->lock.nwaiters)
				break;
		}
	} while (moved && lb->imbalance > total);
	path_leave(k, saved);
	return total > 0;
}
