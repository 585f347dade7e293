/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 3.3's pass: the classic one, group by group with the amount scaled into each
 * group's units, over the cfs_rqs that have tasks. After 33 examined tasks of one
 * list it pauses and the search is made anew; the fourth pause ends the attempt
 * with result 0, whatever moved.
 *
 * Linux: kernel/sched/fair.c balance_tasks(), load_balance_fair(), move_tasks(), 3.3.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/pass.h"
#include "sched/fair/group.h"

/* Pull tasks of Q worth MAX_LOAD in its own units; the load moved. */
static uint64_t balance_tasks(struct kctx *k, struct lb *lb, struct cfs_rq *q, uint64_t max_load)
{
	int64_t rem = (int64_t)max_load;
	uint64_t pulled = 0, examined = 0;
	struct list *pos, *next;

	if (!max_load)
		return 0;
	list_for_each_safe(pos, next, &q->tasks) {
		struct task *p = container_of(pos, struct task, lb_node);

		if (examined > k->m->tun.nr_migrate) {
			lb->need_break = true;
			break;
		}
		examined++;
		if ((p->se.load.weight >> 1) > (uint64_t)rem || !can_migrate_task(k, lb, q->rq, p))
			continue;
		rem -= (int64_t)p->se.load.weight;
		pull_task(k, lb, q->rq, p);
		pulled++;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE) {
			lb->aborted = true;
			break;
		}
		if (rem <= 0)
			break;
	}
	charge(k, WORK_EXAMINE, examined);
	lb->sd->stats.lb_gained[lb->idle] += pulled;
	return max_load - (uint64_t)rem;
}

static uint64_t load_balance_fair(struct kctx *k, struct lb *lb, struct rq *busiest,
				  uint64_t max_load)
{
	int64_t rem = (int64_t)max_load;
	struct list *pos;

	update_h_load(k, busiest->cpu);
	list_for_each(pos, &busiest->leaf_cfs_rqs) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, leaf_node);
		uint64_t h_load = q->h_load, weight = q->load.weight;
		uint64_t moved;

		if (lb->need_break || lb->aborted)
			break;
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

static uint64_t move_by_group(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	uint32_t saved = path_enter(k, PATH_MOVE_TASKS);
	uint64_t total = 0, moved;

	do {
		moved = load_balance_fair(k, lb, busiest, lb->imbalance - total);
		total += moved;
		if (lb->need_break || lb->aborted)
			break;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE &&
		    lb->this_rq->nr_running) {
			lb->aborted = true;
			break;
		}
	} while (moved && lb->imbalance > total);
	path_leave(k, saved);
	return total > 0;
}

static const struct pass_ops group_pass = {
	.move = move_by_group,
	.redo_after_break = true,
	.breaks_max = 4,
};

static int32_t load_balance_group_break(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
					enum cpu_idle_type idle, bool *should_balance)
{
	return load_balance_by_pass(k, &group_pass, this_cpu, sd, idle, should_balance);
}

/* First movable task, children's lists first. Linux: move_one_task(), 2.6.36 to 3.3. */
static bool move_one_of_leaves(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	struct list *pos;

	list_for_each(pos, &busiest->leaf_cfs_rqs) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, leaf_node);

		if (move_one_of(k, lb, busiest, &q->tasks))
			return true;
	}
	return false;
}

const struct lb_ops lb_ops_group_break = {
	.name = "group-break",
	.load_balance = load_balance_group_break,
	.active_balance = active_load_balance,
	.move_one_task = move_one_of_leaves,
};
