/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks from creation to end, and changes of what they are.
 *
 * Linux: kernel/sched.c sched_fork(), sched_exec(), set_user_nice(),
 * __sched_setscheduler(), set_cpus_allowed_ptr(); 2.6.34 to 3.4, 5.4; deadline tasks 3.14 to 4.0.
 * Deviation: a deadline task may fork; the kernel says EAGAIN.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/any_cpu.h"
#include "sched/core/core.h"
#include "sched/dl/dl.h"
#include "sched/fair/eevdf.h"
#include "sched/fair/shares_pelt.h"
#include "sched/fair/weight.h"
#include "sched/pelt/load_avg.h"
#include "sched/rt/rt.h"

/* What fair code reads as P's weight, whatever its class. */
static struct load_weight load_weight_of(const struct kctx *k, const struct task *p)
{
	static const struct load_weight none = {0, UINT64_C(1) << 32};
	static const struct load_weight twice_the_most = {2 * 88761, 48388 / 2};

	if (p->policy == POLICY_IDLE)
		return weight_of_idle_policy();
	if (p->class == &fair_sched_class || k->v->rt_weight == RT_WEIGHT_AS_NICE)
		return weight_of_nice(p->nice);
	return k->v->rt_weight == RT_WEIGHT_NONE ? none : twice_the_most;
}

/* UPDATE: P is not new; the averages of its queue follow. Linux: set_load_weight(). */
static void set_load_weight(struct kctx *k, struct task *p, bool update)
{
	struct load_weight lw = load_weight_of(k, p);

	if (!feat(k, FEAT_WEIGHTS_SCALED)) {
		p->se.load = lw;
		return;
	}
	lw.weight <<= WEIGHT_SHIFT;
	/* SCHED_IDLE's weight is set without ado */
	if (update && p->class == &fair_sched_class && p->policy != POLICY_IDLE)
		reweight_task_pelt(k, p, &lw);
	else
		p->se.load = lw;
}

static bool is_rt_policy(enum sched_policy policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

static bool is_fair_policy(enum sched_policy policy)
{
	return policy == POLICY_NORMAL || policy == POLICY_BATCH || policy == POLICY_IDLE;
}

/* Class, priority and weight by policy. Linux: __setscheduler(). */
static void set_scheduler(struct kctx *k, struct task *p, enum sched_policy policy, int32_t nice,
			  int32_t rt_priority, bool update)
{
	p->policy = (uint8_t)policy;
	p->nice = (int8_t)nice;
	p->rt_priority = (uint16_t)rt_priority;
	if (is_rt_policy(policy)) {
		CHECK(rt_priority >= 1 && rt_priority < (int32_t)MAX_RT_PRIO);
		p->class = &rt_sched_class;
		p->prio = MAX_RT_PRIO - 1 - (uint32_t)rt_priority;
	} else if (policy == POLICY_DEADLINE) {
		p->class = &dl_sched_class;
		p->prio = DL_PRIO;
	} else {
		p->class = &fair_sched_class;
		p->prio = (uint32_t)((int32_t)DEFAULT_PRIO + nice);
	}
	set_load_weight(k, p, update);
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
	CHECK(sched_may_create(m, attr) == POLICY_GRANTED);
	p = &m->tasks[m->ntasks++];
	p->id = m->ntasks;
	p->state = TASK_NEW;
	p->tg = tg;
	p->migrate_to = CPU_NONE;
	p->exec.last_cpu = CPU_NONE;
	p->recent_used_cpu = CPU_NONE;
	if (parent) {
		/* as all of the parent that nobody resets */
		p->last_wakee = parent->last_wakee;
		p->wakee_flips = parent->wakee_flips;
		p->wakee_flip_decay_at = parent->wakee_flip_decay_at;
	}
	p->se.exec_start_ns = LONG_AGO_NS;
	p->avg_wakeup_ns = m->tun.wakeup_granularity_ns;
	list_init(&p->lb_node);
	list_init(&p->migrate_node);
	for (unsigned i = 0; i < sizeof(p->comm); i++)
		p->comm[i] = attr->comm[i];
	p->comm[sizeof(p->comm) - 1] = 0;
	p->kthread = attr->kthread;
	rt_task_init(k, p, parent);
	dl_task_init(k, p);
	if (attr->policy == POLICY_DEADLINE) {
		dl_take_bw(k, p, &attr->dl);
		dl_set_params(k, p, &attr->dl);
	}
	set_scheduler(k, p, attr->policy, attr->nice, attr->rt_priority, false);
	set_allowed(k, p, attr->cpus);

	set_custom_slice(k, &p->se,
			 attr->slice_ns                    ? attr->slice_ns :
			 parent && parent->se.custom_slice ? parent->se.slice_ns :
							     0);

	charge(k, WORK_FORK_SCHED, 1);
	p->cpu = k->cpu->id;
	set_first_cpu(k, p, k->cpu->id);
	if (k->v->util_est)
		init_entity_load_avg(k, &p->se);
	if (p->class->fork) {
		rq_lock(k, rq);
		p->class->fork(k, rq, p);
		rq_unlock(k, rq);
	}
	path_leave(k, saved);
	return p;
}

enum policy_refusal sched_may_create(const struct machine *m, const struct task_attr *attr)
{
	if (attr->policy == POLICY_DEADLINE)
		return dl_admit(m, &attr->dl, attr->cpus ? attr->cpus : m->online, 0);
	if (is_rt_policy(attr->policy))
		return attr->rt_priority >= 1 && attr->rt_priority < (int32_t)MAX_RT_PRIO ?
			       POLICY_GRANTED :
			       POLICY_EINVAL;
	return is_fair_policy(attr->policy) ? POLICY_GRANTED : POLICY_EINVAL;
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

/* P while it is changed: off its queue and, in kernels with CHANGE_REQUEUES, off its CPU. */
struct change {
	bool queued, running;
	uint32_t flags; /* of dequeue and enqueue */
};

/* Take P off to change it. [rq] */
static struct change change_begin(struct kctx *k, struct rq *rq, struct task *p)
{
	bool requeues = feat(k, FEAT_CHANGE_REQUEUES);
	struct change c = {.queued = p->se.on_rq,
			   .running = requeues && task_is_running(rq, p),
			   .flags = requeues ? DEQUEUE_SAVE : 0};

	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (c.queued)
		dequeue_task(k, rq, p, c.flags);
	if (c.running)
		p->class->put_prev(k, rq, p);
	return c;
}

/* P goes on where it was. */
static void change_end(struct kctx *k, struct rq *rq, struct task *p, const struct change *c)
{
	if (c->queued)
		enqueue_task(k, rq, p, c->flags);
	if (c->running)
		p->class->set_curr(k, rq, p);
}

void sched_set_nice(struct kctx *k, struct task *p, int32_t nice)
{
	uint32_t old_prio;
	struct change c;
	struct rq *rq;
	int32_t delta;

	CHECK(nice >= -20);
	CHECK(nice <= 19);
	if (p->nice == nice)
		return;
	rq = task_rq_lock(k, p);
	/* kept for the day it becomes a fair task */
	if (p->class != &fair_sched_class) {
		p->nice = (int8_t)nice;
		rq_unlock(k, rq);
		return;
	}
	c = change_begin(k, rq, p);
	delta = nice - p->nice;
	old_prio = p->prio;
	p->nice = (int8_t)nice;
	p->prio = (uint32_t)((int32_t)DEFAULT_PRIO + nice);
	set_load_weight(k, p, true);
	change_end(k, rq, p, &c);
	if (feat(k, FEAT_NICE_ASKS_CLASS))
		p->class->prio_changed(k, rq, p, old_prio);
	else if (c.queued && (delta < 0 || task_is_running(rq, p)))
		resched_task(k, rq);
	rq_unlock(k, rq);
}

/* Linux: check_class_changed(). */
static void class_changed(struct kctx *k, struct rq *rq, struct task *p,
			  const struct sched_class *old_class, uint32_t old_prio)
{
	if (p->class != old_class) {
		if (old_class->switched_from)
			old_class->switched_from(k, rq, p);
		p->class->switched_to(k, rq, p);
	} else if (p->prio != old_prio || p->class == &dl_sched_class) {
		p->class->prio_changed(k, rq, p, old_prio);
	}
}

/* The priority that P will have. */
static uint32_t prio_of(const struct policy_change *c)
{
	if (is_rt_policy(c->policy))
		return MAX_RT_PRIO - 1 - (uint32_t)c->value;
	return c->policy == POLICY_DEADLINE ? DL_PRIO :
					      (uint32_t)((int32_t)DEFAULT_PRIO + c->value);
}

/* Is P already what C wants? */
static bool changes_nothing(const struct task *p, const struct policy_change *c)
{
	if (p->policy != (uint8_t)c->policy || c->dl)
		return false;
	return c->value == (is_rt_policy(c->policy) ? (int32_t)p->rt_priority : p->nice);
}

/*
 * A running task's slice begins anew. A real-time task goes to the end of its priority; with
 * RT_HEAD_ON_DROP only one that becomes more important does, any other stays ahead of its equals.
 * With CHANGE_REQUEUES one whose priority stays keeps its place, and a running task becomes
 * current again after it is queued, not before.
 * Linux: __sched_setscheduler(), 2.6.34 to 4.0, 5.4.
 */
static void change_policy(struct kctx *k, struct task *p, const struct policy_change *c)
{
	bool rt = is_rt_policy(c->policy), deadline = c->policy == POLICY_DEADLINE;
	struct rq *rq = task_rq_lock(k, p);
	const struct sched_class *old_class = p->class;
	bool requeues = feat(k, FEAT_CHANGE_REQUEUES);
	uint32_t old_prio = p->prio, flags = 0;
	bool queued = p->se.on_rq, running = task_is_running(rq, p);

	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (k->v->same_policy_stays && changes_nothing(p, c)) {
		rq_unlock(k, rq);
		return;
	}
	/* of what it was its old class knows best */
	if (queued && p->se.sched_delayed && !policy_is_fair(c->policy)) {
		dequeue_task(k, rq, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		queued = false;
	}
	if (requeues)
		flags = DEQUEUE_SAVE | (prio_of(c) == old_prio ? 0 : DEQUEUE_MOVE);
	if (queued)
		deactivate_task(k, rq, p, flags);
	if (running)
		p->class->put_prev(k, rq, p);
	if (deadline)
		dl_set_params(k, p, c->dl);
	if (policy_is_fair(c->policy))
		set_custom_slice(k, &p->se, 0);
	set_scheduler(k, p, c->policy, rt || deadline ? p->nice : c->value, rt ? c->value : 0,
		      true);
	if (running && !requeues)
		p->class->set_curr(k, rq, p);
	if (feat(k, FEAT_RT_HEAD_ON_DROP) && !prio_before(p->prio, old_prio))
		flags |= ENQUEUE_HEAD;
	if (queued)
		activate_task(k, rq, p, flags);
	if (running && requeues)
		p->class->set_curr(k, rq, p);
	class_changed(k, rq, p, old_class, old_prio);
	rq_unlock(k, rq);
	balance_callback(k, rq);
}

enum policy_refusal sched_set_policy(struct kctx *k, struct task *p, const struct policy_change *c)
{
	struct task_attr wanted = {.policy = c->policy, .rt_priority = c->value};
	uint32_t saved = path_enter(k, PATH_SETSCHEDULER);
	enum policy_refusal why;

	if (c->policy == POLICY_DEADLINE) {
		CHECK(c->dl);
		why = dl_admit(k->m, c->dl, p->allowed,
			       p->class == &dl_sched_class ? p->dl->admitted_bw : 0);
		/* at once: others ask too */
		if (why == POLICY_GRANTED)
			dl_take_bw(k, p, c->dl);
	} else {
		why = sched_may_create(k->m, &wanted);
	}
	if (why == POLICY_GRANTED)
		change_policy(k, p, c);
	path_leave(k, saved);
	return why;
}

enum policy_refusal sched_set_affinity(struct kctx *k, struct task *p, const struct mask *cpus)
{
	uint32_t dest = CPU_NONE;
	bool same = mask_equal(cpus, p->allowed);
	struct rq *rq;

	if (!mask_intersects(cpus, k->m->online))
		return POLICY_EINVAL_CPUS;
	if (p->class == &dl_sched_class && !dl_may_confine(k->m, cpus))
		return POLICY_EBUSY_CPUS;
	rq = task_rq_lock(k, p);
	if (feat(k, FEAT_CHANGE_REQUEUES)) {
		struct change c = change_begin(k, rq, p);

		set_allowed(k, p, cpus);
		change_end(k, rq, p, &c);
	} else {
		if (p->class->affinity)
			p->class->affinity(k, rq, p, mask_weight(cpus));
		set_allowed(k, p, cpus);
	}
	/* chosen in any case, but where nothing changes */
	if (!same)
		dest = any_cpu_and(k, cpus, k->m->online);
	if (mask_test(cpus, p->cpu) || !p->se.on_rq)
		dest = CPU_NONE;
	rq_unlock(k, rq);
	if (dest != CPU_NONE)
		push_task_to(k, p, dest);
	return POLICY_GRANTED;
}
