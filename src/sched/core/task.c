/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks from creation to end, and changes of what they are.
 *
 * Linux: kernel/sched.c sched_fork(), sched_exec(), set_user_nice(),
 * __sched_setscheduler(), set_cpus_allowed_ptr(); 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/fair/weight.h"

static void set_load_weight(struct task *p)
{
	p->se.load = p->policy == POLICY_IDLE ? weight_of_idle_policy() : weight_of_nice(p->nice);
}

static void set_allowed(struct kctx *k, struct task *p, const struct mask *cpus)
{
	p->allowed = cpus ? cpus : k->m->online;
	p->nr_allowed = mask_weight(p->allowed);
}

struct task *sched_new_task(struct kctx *k, struct task *parent, const struct task_attr *attr,
			    struct task_group *tg)
{
	uint32_t saved = path_enter(k, PATH_FORK);
	struct machine *m = k->m;
	struct rq *rq = &k->cpu->rq;
	struct task *p;

	if (m->ntasks == m->max_tasks) {
		path_leave(k, saved);
		return NULL;
	}
	CHECK(!parent || parent == rq->curr);
	CHECK(attr->policy != POLICY_FIFO);
	CHECK(attr->policy != POLICY_RR);
	CHECK(attr->policy != POLICY_DEADLINE);
	p = &m->tasks[m->ntasks++];
	p->id = m->ntasks;
	p->state = TASK_NEW;
	p->policy = (uint8_t)attr->policy;
	p->nice = (int8_t)attr->nice;
	p->class = &fair_sched_class;
	p->tg = tg;
	p->migrate_to = CPU_NONE;
	p->exec.last_cpu = CPU_NONE;
	p->se.exec_start_ns = LONG_AGO_NS;
	p->avg_wakeup_ns = m->tun.wakeup_granularity_ns;
	list_init(&p->lb_node);
	list_init(&p->migrate_node);
	for (unsigned i = 0; i < sizeof(p->comm); i++)
		p->comm[i] = attr->comm[i];
	p->comm[sizeof(p->comm) - 1] = 0;
	set_load_weight(p);
	set_allowed(k, p, attr->cpus);

	charge(k, WORK_FORK_SCHED, 1);
	p->cpu = k->cpu->id;
	set_task_cpu(k, p, k->cpu->id);
	rq_lock(k, rq);
	p->class->fork(k, rq, p);
	rq_unlock(k, rq);
	path_leave(k, saved);
	return p;
}

void sched_exit(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_EXIT);
	struct task *p = k->cpu->rq.curr;

	CHECK(p != k->cpu->rq.idle);
	CHECK(p != k->cpu->rq.stop);
	k->m->count.exits++;
	p->state = TASK_DEAD;
	sched_schedule(k);
	k->port->record(k, RECORD_EXIT, p->id, p->se.sum_exec_ns, 0, 0);
	path_leave(k, saved);
}

void sched_exec(struct kctx *k)
{
	struct task *p = k->cpu->rq.curr;
	struct rq *rq = &k->cpu->rq;
	bool under_lock = feat(k, FEAT_SELECT_UNDER_RQ_LOCK);
	uint32_t dest;

	if (under_lock)
		rq_lock(k, rq);
	dest = select_task_rq(k, p, SD_BALANCE_EXEC, 0);
	if (under_lock)
		rq_unlock(k, rq);
	if (dest != k->cpu->id)
		push_task_to(k, p, dest);
}

/* Take P off its queue to change it; tells whether it was on. [rq] */
static bool change_begin(struct kctx *k, struct rq *rq, struct task *p)
{
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (!p->se.on_rq)
		return false;
	dequeue_task(k, rq, p, 0);
	return true;
}

void sched_set_nice(struct kctx *k, struct task *p, int32_t nice)
{
	struct rq *rq;
	bool queued;
	int32_t delta;

	CHECK(nice >= -20);
	CHECK(nice <= 19);
	if (p->nice == nice)
		return;
	rq = task_rq_lock(k, p);
	queued = change_begin(k, rq, p);
	delta = nice - p->nice;
	p->nice = (int8_t)nice;
	set_load_weight(p);
	if (queued) {
		enqueue_task(k, rq, p, 0);
		if (delta < 0 || task_is_running(rq, p))
			resched_task(k, rq);
	}
	rq_unlock(k, rq);
}

/* Linux: __sched_setscheduler(), prio_changed_fair(). A running task's slice begins anew. */
void sched_set_policy(struct kctx *k, struct task *p, enum sched_policy policy, int32_t value)
{
	int32_t old_nice = p->nice;
	bool queued, running;
	struct rq *rq;

	CHECK(policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE);
	rq = task_rq_lock(k, p);
	queued = change_begin(k, rq, p);
	running = task_is_running(rq, p);
	if (running)
		p->class->put_prev(k, rq, p);
	p->policy = (uint8_t)policy;
	p->nice = (int8_t)value;
	set_load_weight(p);
	if (running)
		p->class->set_curr(k, rq, p);
	if (queued) {
		enqueue_task(k, rq, p, 0);
		if (!running)
			check_preempt_curr(k, rq, p, 0);
		else if (p->nice > old_nice)
			resched_task(k, rq);
	}
	rq_unlock(k, rq);
}

void sched_set_affinity(struct kctx *k, struct task *p, const struct mask *cpus)
{
	struct rq *rq = task_rq_lock(k, p);
	uint32_t dest = CPU_NONE;

	CHECK(mask_intersects(cpus, k->m->online));
	set_allowed(k, p, cpus);
	if (!mask_test(cpus, p->cpu) && p->se.on_rq)
		dest = mask_next_and(cpus, k->m->online, 0);
	rq_unlock(k, rq);
	if (dest != CPU_NONE)
		push_task_to(k, p, dest);
}
