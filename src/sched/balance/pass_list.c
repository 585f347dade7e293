/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pass over one list per rq. The amount stays in root units, and a task
 * counts with its load as the root sees it: weight x h_load / load of its
 * queue. In a group that runs on many CPUs that is a few units, or none.
 *
 * What is skipped goes to the tail of the list, so a bounded pass is a window
 * that moves on. Versions differ in how far it goes (the whole queue, or
 * nr_migrate tasks), when it pauses, what it does then, where tasks join the
 * list, and in a filter that leaves tasks of less load than 16 alone until
 * balancing has failed. With the filter and many tasks of a group no task ever
 * passes, can_migrate_task() is never asked, the queue counts as pinned, and
 * nothing counts as failed: see pass.c.
 *
 * Linux: kernel/sched/fair.c move_tasks(), task_h_load(), move_one_task();
 * 367456c7, 3.4-rc2, 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/balance/pass.h"
#include "sched/fair/group.h"

/* P's load as seen from the root, its queue's h_load being fresh. */
static uint64_t task_h_load(const struct task *p)
{
	const struct cfs_rq *q = p->se.cfs_rq;

	return p->se.load.weight * q->h_load / (q->load.weight + 1);
}

static bool is_filtered(const struct kctx *k, const struct lb *lb, uint64_t load)
{
	if (!feat(k, FEAT_LB_MIN) && !feat(k, FEAT_LB_MIN_FILTER))
		return false;
	return load < 16 && !lb->sd->nr_balance_failed;
}

/* Tasks counted between two pauses: sched_nr_migrate, or a constant. */
static uint64_t tasks_per_hold(const struct kctx *k)
{
	if (feat(k, FEAT_LB_BREAK_8) && k->v->preempt == PREEMPT_FULL)
		return 8;
	if (feat(k, FEAT_LB_MAX_FIXED) || feat(k, FEAT_LB_MAX_CAPPED))
		return 32;
	return k->m->tun.nr_migrate;
}

static bool may_move(struct kctx *k, struct lb *lb, struct rq *src, struct task *p, uint64_t load,
		     bool too_big)
{
	return !is_filtered(k, lb, load) && !too_big && can_migrate_task(k, lb, src, p);
}

/* Tasks are taken from the head; one that may not move goes to the tail. From 3.4-rc2. */
static uint64_t move_from_head(struct kctx *k, struct lb *lb, struct rq *src)
{
	uint32_t saved = path_enter(k, PATH_MOVE_TASKS);
	uint64_t pulled = 0, examined = 0;

	if (lb->loop == 0)
		update_h_load(k, src->cpu);
	if (lb->load_move <= 0) {
		path_leave(k, saved);
		return 0;
	}
	while (!list_is_empty(&src->cfs_tasks)) {
		struct task *p = container_of(src->cfs_tasks.next, struct task, lb_node);
		uint64_t load;

		lb->loop++;
		if (lb->loop > lb->loop_max)
			break;
		if (lb->loop > lb->loop_break) {
			lb->loop_break += tasks_per_hold(k);
			lb->need_break = true;
			break;
		}
		examined++;
		load = task_h_load(p);
		if (!may_move(k, lb, src, p, load, load / 2 > (uint64_t)lb->load_move)) {
			list_del(&p->lb_node);
			list_add_tail(&src->cfs_tasks, &p->lb_node);
			continue;
		}
		pull_task(k, lb, src, p);
		pulled++;
		lb->load_move -= (int64_t)load;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE)
			break;
		if (lb->load_move <= 0)
			break;
	}
	charge(k, WORK_EXAMINE, examined);
	lb->sd->stats.lb_gained[lb->idle] += pulled;
	path_leave(k, saved);
	return pulled;
}

/* One walk over the list as it is, skipped tasks going to its tail; the load moved. */
static int64_t walk_list(struct kctx *k, struct lb *lb, struct rq *src, uint64_t *pulled)
{
	int64_t before = lb->load_move;
	uint64_t examined = 0;
	struct list *pos, *next;

	list_for_each_safe(pos, next, &src->cfs_tasks) {
		struct task *p = container_of(pos, struct task, lb_node);
		uint64_t load;

		lb->loop++;
		if (lb->loop > lb->loop_max) {
			lb->aborted = true;
			break;
		}
		if (lb->loop > lb->loop_break) {
			lb->loop_break += tasks_per_hold(k);
			lb->need_break = true;
			break;
		}
		examined++;
		load = task_h_load(p);
		if (!may_move(k, lb, src, p, load, load * 2 > (uint64_t)lb->load_move)) {
			list_del(&p->lb_node);
			list_add_tail(&src->cfs_tasks, &p->lb_node);
			/* the walk's next is now the skipped task if there is no other */
			continue;
		}
		pull_task(k, lb, src, p);
		(*pulled)++;
		lb->load_move -= (int64_t)load;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE) {
			lb->aborted = true;
			break;
		}
		if (lb->load_move <= 0)
			break;
	}
	charge(k, WORK_EXAMINE, examined);
	return before - lb->load_move;
}

/* Walks until one moves nothing; running out of budget aborts. 367456c7 alone. */
static uint64_t move_in_walks(struct kctx *k, struct lb *lb, struct rq *src)
{
	uint32_t saved = path_enter(k, PATH_MOVE_TASKS);
	int64_t wanted = lb->load_move, moved;
	uint64_t pulled = 0;

	update_h_load(k, src->cpu);
	/* bound: each turn but the last moves load */
	do {
		moved = lb->load_move > 0 ? walk_list(k, lb, src, &pulled) : 0;
		if (lb->need_break || lb->aborted)
			break;
		if (k->v->preempt == PREEMPT_FULL && lb->idle == CPU_NEWLY_IDLE &&
		    lb->this_rq->nr_running)
			lb->aborted = true;
	} while (moved > 0 && lb->load_move > 0 && !lb->aborted);
	lb->sd->stats.lb_gained[lb->idle] += pulled;
	path_leave(k, saved);
	return lb->load_move < wanted;
}

static void start(const struct kctx *k, struct lb *lb)
{
	lb->loop_break = tasks_per_hold(k);
	lb->loop_max = k->m->tun.nr_migrate;
}

static void new_queue(const struct kctx *k, struct lb *lb, const struct rq *busiest)
{
	if (feat(k, FEAT_LB_MAX_FIXED))
		return;
	lb->loop_max = busiest->nr_running;
	if (feat(k, FEAT_LB_MAX_CAPPED))
		lb->loop_max = min_u64(lb->loop_max, k->m->tun.nr_migrate);
}

static const struct pass_ops redo_pass = {
	.move = move_in_walks,
	.start = start,
	.new_queue = new_queue,
	.redo_after_break = true,
};

static const struct pass_ops relock_pass = {
	.move = move_from_head,
	.start = start,
	.new_queue = new_queue,
};

static int32_t load_balance_list_redo(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
				      enum cpu_idle_type idle, bool *should_balance)
{
	return load_balance_by_pass(k, &redo_pass, this_cpu, sd, idle, should_balance);
}

static int32_t load_balance_list_relock(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
					enum cpu_idle_type idle, bool *should_balance)
{
	return load_balance_by_pass(k, &relock_pass, this_cpu, sd, idle, should_balance);
}

static bool move_one_of_list(struct kctx *k, struct lb *lb, struct rq *busiest)
{
	return move_one_of(k, lb, busiest, &busiest->cfs_tasks);
}

const struct lb_ops lb_ops_list_redo = {
	.name = "list-redo",
	.load_balance = load_balance_list_redo,
	.active_balance = active_load_balance,
	.move_one_task = move_one_of_list,
};

const struct lb_ops lb_ops_list_relock = {
	.name = "list-relock",
	.load_balance = load_balance_list_relock,
	.active_balance = active_load_balance,
	.move_one_task = move_one_of_list,
};
