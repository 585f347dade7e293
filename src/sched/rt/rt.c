/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real-time class: FIFO lists by priority. The running task stays in its
 * list, at the head unless it gave way. Tasks that could run elsewhere are, while
 * they wait, also on a list of pushable ones; a queue with such tasks and more
 * than one in all is overloaded and offers them to the machine.
 *
 * An enqueue at a better priority, and a dequeue that changes the best one, are
 * told to cpupri.
 *
 * Linux: kernel/sched/rt.c, 3.3, 3.18 to 4.0, 5.4; kernel/sched_rt.c, 2.6.34 to 2.6.36.
 * Deviation: no RLIMIT_RTTIME watchdog. A task that may run everywhere counts the CPUs that are
 * online, the kernel's counts all possible ones: on a machine with one CPU it is bound here.
 */
#include "sched/rt/rt.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/pelt.h"
#include "sched/rt_avg.h"

#define RR_TIMESLICE_MS 100u

/* -- lists by priority -- */

void prio_array_init(struct rt_prio_array *a)
{
	a->bits[0] = 0;
	a->bits[1] = 0;
	for (uint32_t i = 0; i < MAX_RT_PRIO; i++)
		list_init(&a->queue[i]);
}

uint32_t prio_array_first(const struct rt_prio_array *a)
{
	if (a->bits[0])
		return (uint32_t)__builtin_ctzll(a->bits[0]);
	return a->bits[1] ? 64 + (uint32_t)__builtin_ctzll(a->bits[1]) : MAX_RT_PRIO;
}

void prio_array_add(struct rt_prio_array *a, struct list *node, uint32_t prio, bool head)
{
	CHECK(prio < MAX_RT_PRIO);
	if (head)
		list_add(&a->queue[prio], node);
	else
		list_add_tail(&a->queue[prio], node);
	a->bits[prio / 64] |= UINT64_C(1) << prio % 64;
}

void prio_array_del(struct rt_prio_array *a, struct list *node, uint32_t prio)
{
	list_del(node);
	if (list_is_empty(&a->queue[prio]))
		a->bits[prio / 64] &= ~(UINT64_C(1) << prio % 64);
}

/* -- pushable tasks -- */

struct task *pick_next_pushable_task(const struct rq *rq)
{
	uint32_t prio = prio_array_first(&rq->rt.pushable);

	return prio < MAX_RT_PRIO ? task_of_pushable(rq->rt.pushable.queue[prio].next) : NULL;
}

static void enqueue_pushable(struct rq *rq, struct task *p)
{
	struct rt_rq *rt = &rq->rt;

	if (list_is_empty(&p->rt.pushable_node))
		rt->npushable++;
	else
		prio_array_del(&rt->pushable, &p->rt.pushable_node, p->prio);
	prio_array_add(&rt->pushable, &p->rt.pushable_node, p->prio, false);
	rt->highest_next = min_u32(rt->highest_next, p->prio);
}

static void dequeue_pushable(struct rq *rq, struct task *p)
{
	struct rt_rq *rt = &rq->rt;

	if (!list_is_empty(&p->rt.pushable_node)) {
		prio_array_del(&rt->pushable, &p->rt.pushable_node, p->prio);
		rt->npushable--;
	}
	rt->highest_next = prio_array_first(&rt->pushable);
}

/* -- what the machine should know -- */

/* Linux: update_rt_migration(). */
static void update_overload(struct kctx *k, struct rq *rq)
{
	bool overloaded = rq->rt.nr_migratory && rq->rt.nr_running > 1;
	struct root_domain *rd = &k->m->rd;

	if (overloaded == rq->rt.overloaded)
		return;
	rq->rt.overloaded = overloaded;
	if (overloaded) {
		mask_set(rd->rto_mask, rq->cpu);
		rd->rto_count++;
	} else {
		CHECK(rd->rto_count > 0);
		mask_clear(rd->rto_mask, rq->cpu);
		rd->rto_count--;
	}
}

static void inc_rt_tasks(struct kctx *k, struct rq *rq, const struct task *p)
{
	struct rt_rq *rt = &rq->rt;

	rt->stats.enqueued++;
	rt->nr_running++;
	if (p->prio < rt->highest_curr) {
		rt->highest_curr = p->prio;
		cpupri_set(k, rq->cpu, p->prio);
	}
	if (p->nr_allowed > 1)
		rt->nr_migratory++;
	update_overload(k, rq);
	start_rt_bandwidth(k);
}

static void dec_rt_tasks(struct kctx *k, struct rq *rq, const struct task *p)
{
	struct rt_rq *rt = &rq->rt;
	uint32_t before = rt->highest_curr;

	CHECK(rt->nr_running > 0);
	rt->nr_running--;
	/* one that keeps its place is still in the list */
	rt->highest_curr = rt->nr_running ? prio_array_first(&rt->active) : MAX_RT_PRIO;
	if (rt->highest_curr != before)
		cpupri_set(k, rq->cpu, rt->highest_curr);
	if (p->nr_allowed > 1) {
		CHECK(rt->nr_migratory > 0);
		rt->nr_migratory--;
	}
	update_overload(k, rq);
}

/* -- the class -- */

/* Ticks a task of SCHED_RR runs before it goes to the end of its list. */
static uint32_t rr_timeslice(const struct kctx *k)
{
	return max_u32(RR_TIMESLICE_MS * k->v->hz / 1000, 1);
}

void update_curr_rt(struct kctx *k, struct rq *rq)
{
	struct task *curr = rq->curr;
	uint64_t delta_ns;

	if (!is_rt(curr) || rq->clock_ns <= curr->se.exec_start_ns)
		return;
	delta_ns = rq->clock_ns - curr->se.exec_start_ns;
	curr->se.sum_exec_ns += delta_ns;
	curr->se.exec_start_ns = rq->clock_ns;
	sched_rt_avg_update(rq, delta_ns);
	if (rt_bandwidth_enabled(k) && rt_charge_runtime(k, rq, delta_ns))
		resched_task(k, rq);
}

/* What real-time tasks use of the CPU, up to now; RUNNING: one of them did. */
static void age_rt_avg(struct kctx *k, struct rq *rq, bool running)
{
	if (k->v->util_est)
		update_rt_rq_load_avg(k, rq_clock_pelt(rq), rq, running);
}

/* The first of several begins to run: the others may have to go. Linux: set_next_task_rt(), 5.4. */
static void begin_running(struct kctx *k, struct rq *rq, struct task *p)
{
	p->se.exec_start_ns = rq->clock_ns;
	/* the running task is never pushable */
	dequeue_pushable(rq, p);
	if (!is_rt(rq->curr))
		age_rt_avg(k, rq, false);
	if (feat(k, FEAT_BALANCE_CALLBACKS) && rq->rt.npushable)
		rq->callbacks |= CALLBACK_PUSH_RT;
}

/* The queue's count of tasks follows: taken out of rq->nr_running before a change, put in after it. */
static void enqueue_task_rt(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	CHECK(!p->se.on_rq);
	charge(k, WORK_ENQUEUE, 1);
	rt_rq_uncount(k, rq);
	if (!keeps_place(flags))
		prio_array_add(&rq->rt.active, &p->rt.run_list, p->prio, flags & ENQUEUE_HEAD);
	inc_rt_tasks(k, rq, p);
	rt_rq_count(k, rq);
	p->se.on_rq = true;
	if (!task_is_running(rq, p) && p->nr_allowed > 1)
		enqueue_pushable(rq, p);
}

static void dequeue_task_rt(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	CHECK(p->se.on_rq);
	update_curr_rt(k, rq);
	charge(k, WORK_DEQUEUE, 1);
	rt_rq_uncount(k, rq);
	if (!keeps_place(flags))
		prio_array_del(&rq->rt.active, &p->rt.run_list, p->prio);
	dec_rt_tasks(k, rq, p);
	rt_rq_count(k, rq);
	p->se.on_rq = false;
	dequeue_pushable(rq, p);
}

void requeue_task_rt(struct rq *rq, struct task *p, bool head)
{
	struct list *queue = &rq->rt.active.queue[p->prio];

	CHECK(p->se.on_rq);
	list_del(&p->rt.run_list);
	if (head)
		list_add(queue, &p->rt.run_list);
	else
		list_add_tail(queue, &p->rt.run_list);
}

static bool has_runnable_rt(const struct kctx *k, const struct rq *rq)
{
	(void)k;
	return rq->rt.nr_running && !rq->rt.throttled;
}

/* Linux: pick_task_rt(), 5.x on. */
static struct task *pick_task_rt(struct kctx *k, struct rq *rq)
{
	if (!has_runnable_rt(k, rq))
		return NULL;
	charge(k, WORK_PICK, 1);
	return task_of_run_node(rq->rt.active.queue[prio_array_first(&rq->rt.active)].next);
}

static struct task *pick_next_task_rt(struct kctx *k, struct rq *rq)
{
	struct task *p;

	if (!has_runnable_rt(k, rq)) {
		/* then a throttled queue's lock is taken once more for nothing */
		if (!feat(k, FEAT_RT_PULL_IN_PICK))
			rq->post_schedule = rq->rt.npushable > 0;
		return NULL;
	}
	p = task_of_run_node(rq->rt.active.queue[prio_array_first(&rq->rt.active)].next);
	charge(k, WORK_PICK, 1);
	begin_running(k, rq, p);
	rq->post_schedule = !feat(k, FEAT_BALANCE_CALLBACKS) && rq->rt.npushable > 0;
	return p;
}

static void put_prev_task_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	update_curr_rt(k, rq);
	age_rt_avg(k, rq, true);
	if (p->se.on_rq && p->nr_allowed > 1)
		enqueue_pushable(rq, p);
}

static void set_curr_task_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	begin_running(k, rq, p);
}

static void task_tick_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	update_curr_rt(k, rq);
	age_rt_avg(k, rq, true);
	if (p->policy != POLICY_RR || --p->rt.time_slice)
		return;
	p->rt.time_slice = rr_timeslice(k);
	/* not alone at its priority */
	if (p->rt.run_list.prev != p->rt.run_list.next) {
		requeue_task_rt(rq, p, false);
		resched_task(k, rq);
	}
}

/*
 * P has the priority of the running task, which was not asked to go. If only P cannot run
 * elsewhere, the running one is sent away; if it cannot either, P waits.
 * Linux: check_preempt_equal_prio(), 3.19; 3.3 and 3.18 ask for P first.
 * Deviation: so the number of searches, which take time, is 3.19's in all.
 */
static void check_preempt_equal_prio(struct kctx *k, struct rq *rq, struct task *p)
{
	struct task *curr = rq->curr;

	if (curr->nr_allowed == 1 || !cpupri_find(k, curr, NULL))
		return;
	if (p->nr_allowed != 1 && cpupri_find(k, p, NULL))
		return;
	requeue_task_rt(rq, p, true);
	resched_task(k, rq);
}

/*
 * Linux: check_preempt_curr_rt(), 3.3 to 4.0.
 * Deviation: up to 2.6.37 it looks at need_resched of the CPU that wakes, not of RQ's.
 */
static void check_preempt_curr_rt(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	(void)flags;
	if (p->prio < rq->curr->prio)
		resched_task(k, rq);
	else if (p->prio == rq->curr->prio && !rq->curr->need_resched)
		check_preempt_equal_prio(k, rq, p);
}

static void yield_task_rt(struct kctx *k, struct rq *rq)
{
	(void)k;
	requeue_task_rt(rq, rq->curr, false);
}

static void post_schedule_rt(struct kctx *k, struct rq *rq)
{
	push_rt_tasks(k, rq);
}

/* A running task of low priority is left: does something better wait elsewhere? */
static void pull_rt(struct kctx *k, struct rq *rq, struct task *prev)
{
	if (prio_before(prev->prio, rq->rt.highest_curr))
		pull_rt_task(k, rq);
}

/* Linux: set_cpus_allowed_rt(), up to 4.0. */
static void affinity_rt(struct kctx *k, struct rq *rq, struct task *p, uint32_t n)
{
	if (!p->se.on_rq || (p->nr_allowed > 1) == (n > 1))
		return;
	if (n <= 1) {
		CHECK(rq->rt.nr_migratory > 0);
		if (!task_is_running(rq, p))
			dequeue_pushable(rq, p);
		rq->rt.nr_migratory--;
	} else {
		if (!task_is_running(rq, p))
			enqueue_pushable(rq, p);
		rq->rt.nr_migratory++;
	}
	update_overload(k, rq);
}

/*
 * The last real-time task left: others may have some to give.
 * Linux: switched_from_rt(), 3.18 to 4.0. 3.3 leaves the reschedule to the class that P joins.
 */
static void switched_from_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	if (!p->se.on_rq || rq->rt.nr_running)
		return;
	if (feat(k, FEAT_BALANCE_CALLBACKS))
		rq->callbacks |= CALLBACK_PULL_RT;
	else if (pull_rt_task(k, rq))
		resched_task(k, rq);
}

static void switched_to_rt(struct kctx *k, struct rq *rq, struct task *p)
{
	if (task_is_running(rq, p) && feat(k, FEAT_SWITCH_AGES))
		update_rt_rq_load_avg(k, rq_clock_pelt(rq), rq, false);
	if (!p->se.on_rq || task_is_running(rq, p))
		return;
	if (feat(k, FEAT_BALANCE_CALLBACKS)) {
		if (p->nr_allowed > 1 && rq->rt.overloaded && rq->rt.npushable)
			rq->callbacks |= CALLBACK_PUSH_RT;
	} else if (p->nr_allowed > 1 && rq->rt.overloaded && push_rt_task(k, rq) &&
		   p->cpu != rq->cpu) {
		return;
	}
	if (prio_before(p->prio, rq->curr->prio))
		resched_task(k, rq);
}

static void prio_changed_rt(struct kctx *k, struct rq *rq, struct task *p, uint32_t old_prio)
{
	if (!p->se.on_rq)
		return;
	if (!task_is_running(rq, p)) {
		if (prio_before(p->prio, rq->curr->prio))
			resched_task(k, rq);
		return;
	}
	if (old_prio < p->prio && feat(k, FEAT_BALANCE_CALLBACKS))
		rq->callbacks |= CALLBACK_PULL_RT;
	else if (old_prio < p->prio)
		pull_rt_task(k, rq);
	if (p->prio > rq->rt.highest_curr && task_is_running(rq, p))
		resched_task(k, rq);
}

void rt_task_init(const struct kctx *k, struct task *p, const struct task *parent)
{
	list_init(&p->rt.run_list);
	list_init(&p->rt.pushable_node);
	p->rt.time_slice = parent ? parent->rt.time_slice : rr_timeslice(k);
}

void rt_rq_init(struct machine *m, struct rq *rq)
{
	struct rt_rq *rt = &rq->rt;

	prio_array_init(&rt->active);
	prio_array_init(&rt->pushable);
	rt->highest_curr = MAX_RT_PRIO;
	rt->highest_next = MAX_RT_PRIO;
	rt->runtime_ns = m->tun.rt_runtime_us == TUNABLE_NONE ? UINT64_MAX :
								m->tun.rt_runtime_us * NS_PER_US;
}

const struct sched_class rt_sched_class = {
	.name = "rt",
	.rank = 2,
	.counts_running = true,
	.enqueue = enqueue_task_rt,
	.dequeue = dequeue_task_rt,
	.pick_next = pick_next_task_rt,
	.pick_task = pick_task_rt,
	.put_prev = put_prev_task_rt,
	.tick = task_tick_rt,
	.check_preempt = check_preempt_curr_rt,
	.select_path = PATH_SELECT_TASK_RQ_RT,
	.select_rq = select_task_rq_rt,
	.yield = yield_task_rt,
	.set_curr = set_curr_task_rt,
	.pull = pull_rt,
	.has_runnable = has_runnable_rt,
	.post_schedule = post_schedule_rt,
	.task_woken = task_woken_rt,
	.affinity = affinity_rt,
	.switched_from = switched_from_rt,
	.switched_to = switched_to_rt,
	.prio_changed = prio_changed_rt,
};
