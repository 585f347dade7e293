/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The deadline class: earliest deadline first, each task within its constant
 * bandwidth server (cbs.c). The running task stays in the tree. One that has used
 * up its runtime is taken out of it, throttled, until a timer replenishes it; it
 * is still on its rq, but counts neither as running nor as waiting.
 *
 * As in the real-time class, waiting tasks that could run elsewhere are pushable,
 * and a queue with more than one task is overloaded if one of them could.
 *
 * Runtime is booked at ticks and switches, so a task may overrun by a tick; what
 * it ran over is taken from the periods that follow.
 *
 * Linux: kernel/sched/deadline.c, 3.18 to 5.4; which rule is from when is said in each file.
 * Deviation: no inheritance of deadlines through locks; no HRTICK. New parameters end a
 * throttling at once, the timer included.
 */
#include "sched/dl/dl.h"

#include "base/check.h"
#include "base/fixed.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/pelt.h"
#include "sched/rq_lock.h"
#include "sched/rt/rt.h"

/* -- pushable tasks -- */

struct task *pick_next_pushable_dl_task(const struct rq *rq)
{
	struct rb_node *first = rq->dl.pushable.leftmost;

	return first ? dl_of_pushable(first)->task : NULL;
}

static void enqueue_pushable(struct rq *rq, struct dl_entity *se)
{
	struct rb_node **link = &rq->dl.pushable.root, *parent = NULL;
	bool leftmost = true;

	CHECK(!se->is_pushable);
	while (*link) {
		parent = *link;
		if (dl_entity_preempt(se, dl_of_pushable(parent))) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&rq->dl.pushable, &se->pushable, parent, link, leftmost);
	se->is_pushable = true;
}

static void dequeue_pushable(struct rq *rq, struct dl_entity *se)
{
	if (!se->is_pushable)
		return;
	rb_erase(&rq->dl.pushable, &se->pushable);
	se->is_pushable = false;
}

/* -- what the machine should know -- */

/* Linux: update_dl_migration(). */
static void update_overload(struct kctx *k, struct rq *rq)
{
	bool overloaded = rq->dl.nr_migratory && rq->dl.nr_running > 1;
	struct root_domain *rd = &k->m->rd;

	if (overloaded == rq->dl.overloaded)
		return;
	rq->dl.overloaded = overloaded;
	if (overloaded) {
		mask_set(rd->dlo_mask, rq->cpu);
		rd->dlo_count++;
	} else {
		CHECK(rd->dlo_count > 0);
		mask_clear(rd->dlo_mask, rq->cpu);
		rd->dlo_count--;
	}
}

struct task *pick_next_earliest_dl_task(const struct rq *rq, uint32_t cpu)
{
	struct rb_node *n = rq->dl.tree.leftmost;

	while (n) {
		struct task *p;

		n = rb_next(n);
		if (!n)
			break;
		p = dl_of_node(n)->task;
		/* or the fair server */
		if (p && !task_is_running(rq, p) && mask_test(p->allowed, cpu))
			return p;
	}
	return NULL;
}

static uint64_t next_deadline(const struct rq *rq)
{
	const struct task *next = pick_next_earliest_dl_task(rq, rq->cpu);

	return next ? next->dl->deadline_ns : 0;
}

/* The fair server is no task: its tasks are counted already. */
static uint32_t tasks_of(const struct dl_entity *se)
{
	return se->task ? 1 : 0;
}

static bool may_migrate(const struct dl_entity *se)
{
	return se->task && se->task->nr_allowed > 1;
}

static void inc_dl_tasks(struct kctx *k, struct rq *rq, const struct dl_entity *se)
{
	uint64_t deadline_ns = se->deadline_ns;
	struct dl_rq *dl = &rq->dl;

	dl->nr_running++;
	add_nr_running(k, rq, tasks_of(se));
	if (!dl->earliest_ns || dl_time_before(deadline_ns, dl->earliest_ns)) {
		if (!dl->earliest_ns && feat(k, FEAT_CPUPRI_HIGHER))
			cpupri_set(k, rq->cpu, DL_PRIO);
		dl->next_ns = dl->earliest_ns;
		dl->earliest_ns = deadline_ns;
		cpudl_set(k, rq->cpu, deadline_ns);
	} else if (!dl->next_ns || dl_time_before(deadline_ns, dl->next_ns)) {
		dl->next_ns = next_deadline(rq);
	}
	if (may_migrate(se))
		dl->nr_migratory++;
	update_overload(k, rq);
}

static void dec_dl_tasks(struct kctx *k, struct rq *rq, const struct dl_entity *se)
{
	struct dl_rq *dl = &rq->dl;

	CHECK(dl->nr_running > 0);
	dl->nr_running--;
	sub_nr_running(rq, tasks_of(se));
	if (dl->nr_running) {
		dl->earliest_ns = dl_of_node(dl->tree.leftmost)->deadline_ns;
		dl->next_ns = next_deadline(rq);
		cpudl_set(k, rq->cpu, dl->earliest_ns);
	} else {
		dl->earliest_ns = 0;
		dl->next_ns = 0;
		cpudl_clear(k, rq->cpu);
		if (feat(k, FEAT_CPUPRI_HIGHER))
			cpupri_set(k, rq->cpu, rq->rt.highest_curr);
	}
	if (may_migrate(se)) {
		CHECK(dl->nr_migratory > 0);
		dl->nr_migratory--;
	}
	update_overload(k, rq);
}

/* -- the tree -- */

/* Equal deadlines: first come, first served. Linux: __enqueue_dl_entity(), enqueue_pushable_dl_task(). */
void dl_insert(struct kctx *k, struct rq *rq, struct dl_entity *se)
{
	struct rb_node **link = &rq->dl.tree.root, *parent = NULL;
	struct task *p = se->task;
	bool leftmost = true;

	CHECK(!se->queued);
	charge(k, WORK_ENQUEUE, 1);
	while (*link) {
		parent = *link;
		if (dl_entity_preempt(se, dl_of_node(parent))) {
			link = &parent->left;
		} else {
			link = &parent->right;
			leftmost = false;
		}
	}
	rb_insert(&rq->dl.tree, &se->node, parent, link, leftmost);
	se->queued = true;
	inc_dl_tasks(k, rq, se);
	if (!p || task_is_running(rq, p))
		return;
	task_wait_start(k, rq, p);
	if (p->nr_allowed > 1)
		enqueue_pushable(rq, se);
}

/* Linux: __dequeue_task_dl(). */
void dl_take_out(struct kctx *k, struct rq *rq, struct dl_entity *se)
{
	struct task *p = se->task;

	if (!se->queued)
		return;
	charge(k, WORK_DEQUEUE, 1);
	rb_erase(&rq->dl.tree, &se->node);
	se->queued = false;
	dec_dl_tasks(k, rq, se);
	dequeue_pushable(rq, se);
	if (p && !task_is_running(rq, p))
		task_wait_end(k, rq, p, false);
}

/* -- throttling -- */

/*
 * P's timer fires when its next period begins; false: it has begun already. The rq clock
 * may be older than the present, the timer is later by as much. A microsecond past is not past.
 * Linux: start_dl_timer().
 */
static bool start_dl_timer(struct kctx *k, const struct rq *rq, struct task *p)
{
	uint64_t at_ns = dl_next_period(p->dl);
	uint64_t age_ns = k->now_ns > rq->clock_ns ? k->now_ns - rq->clock_ns : 0;

	if (delta_s64(at_ns, rq->clock_ns) <= -(int64_t)NS_PER_US)
		return false;
	if (!p->dl->replenish_armed) {
		p->dl->replenish_armed = true;
		k->port->timer_arm(k, ktimer_replenish(p->id), at_ns + age_ns);
	}
	return true;
}

/* P gets the runtime of its next period and goes on. */
static void replenish(struct kctx *k, struct rq *rq, struct task *p)
{
	dl_replenish_entity(p->dl, rq->clock_ns);
	dl_insert(k, rq, p->dl);
}

/* P, which runs, has used up its runtime. */
static void throttle(struct kctx *k, struct rq *rq, struct task *p)
{
	p->dl->throttled = true;
	dl_take_out(k, rq, p->dl);
	if (!start_dl_timer(k, rq, p))
		replenish(k, rq, p);
	if (rq->dl.tree.leftmost != &p->dl->node)
		resched_task(k, rq);
}

/*
 * A task whose deadline is before the end of its period woke between the two: it would run
 * with two runtimes in one period. It waits for the next. Linux: dl_check_constrained_dl(), 4.12 on.
 */
static void check_constrained(struct kctx *k, struct rq *rq, struct task *p)
{
	struct dl_entity *se = p->dl;

	if (se->throttled || se->fresh || dl_is_implicit(se))
		return;
	if (!dl_time_before(se->deadline_ns, rq->clock_ns) ||
	    !dl_time_before(rq->clock_ns, dl_next_period(se)) || !start_dl_timer(k, rq, p))
		return;
	se->throttled = true;
	if (se->runtime_ns > 0)
		se->runtime_ns = 0;
}

void update_curr_dl(struct kctx *k, struct rq *rq)
{
	struct task *curr = rq->curr;
	struct dl_entity *se = curr->dl;
	uint64_t delta_ns = 0;

	if (!is_dl(curr) || !se->queued)
		return;
	if (rq->clock_ns > curr->se.exec_start_ns)
		delta_ns = rq->clock_ns - curr->se.exec_start_ns;
	if (delta_ns) {
		curr->se.sum_exec_ns += delta_ns;
		curr->se.exec_start_ns = rq->clock_ns;
		rt_account_above(k, rq, delta_ns);
		se->runtime_ns -= (int64_t)(se->flags & DL_RECLAIM ?
						    grub_reclaim(k, rq, se, delta_ns) :
						    delta_ns);
	}
	if (se->yielded || (delta_ns && se->runtime_ns <= 0))
		throttle(k, rq, curr);
}

void dl_task_timer(struct kctx *k, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_DL_TIMER);
	struct rq *rq = task_rq_lock(k, p);
	struct dl_entity *se = p->dl;

	se->replenish_armed = false;
	if (is_dl(p) && se->throttled) {
		update_rq_clock(k, rq);
		if (p->se.on_rq) {
			replenish(k, rq, p);
			if (is_dl(rq->curr))
				check_preempt_curr_dl(k, rq, p, 0);
			else
				resched_task(k, rq);
			/* perhaps there is one task too many now */
			if (rq->dl.pushable.leftmost)
				push_dl_task(k, rq);
		} else {
			/* it sleeps: what it wakes up with */
			dl_replenish_entity(se, rq->clock_ns);
		}
	}
	rq_unlock(k, rq);
	path_leave(k, saved);
}

void dl_inactive_timer(struct kctx *k, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_DL_TIMER);
	struct rq *rq = task_rq_lock(k, p);

	p->dl->inactive_armed = false;
	update_rq_clock(k, rq);
	grub_inactive(k, rq, p);
	rq_unlock(k, rq);
	path_leave(k, saved);
}

/* -- the class -- */

/* A throttled task is not queued: its timer does that. */
static void enqueue_task_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	struct dl_entity *se = p->dl;

	CHECK(!p->se.on_rq);
	p->se.on_rq = true;
	check_constrained(k, rq, p);
	grub_enqueue(k, rq, p, flags & ENQUEUE_WAKEUP);
	if (se->throttled)
		return;
	if (se->fresh || flags & ENQUEUE_WAKEUP)
		dl_update_entity(se, rq->clock_ns);
	dl_insert(k, rq, p->dl);
}

static void dequeue_task_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	CHECK(p->se.on_rq);
	update_curr_dl(k, rq);
	dl_take_out(k, rq, p->dl);
	p->se.on_rq = false;
	grub_dequeue(k, rq, p, flags & DEQUEUE_SLEEP);
}

/* What deadline tasks use of the CPU, up to now; RUNNING: one of them did. */
static void age_dl_avg(struct kctx *k, struct rq *rq, bool running)
{
	if (k->v->util_est)
		update_dl_rq_load_avg(k, rq_clock_pelt(rq), rq, running);
}

/* Linux: set_next_task_dl(), 5.4. */
static void begin_running(struct kctx *k, struct rq *rq, struct task *p)
{
	p->se.exec_start_ns = rq->clock_ns;
	/* the running task is never pushable */
	dequeue_pushable(rq, p->dl);
	if (!is_dl(rq->curr))
		age_dl_avg(k, rq, false);
	if (feat(k, FEAT_BALANCE_CALLBACKS) && rq->dl.pushable.leftmost)
		rq->callbacks |= CALLBACK_PUSH_DL;
}

static bool has_runnable_dl(const struct kctx *k, const struct rq *rq)
{
	(void)k;
	return rq->dl.nr_running > 0;
}

/* Linux: pick_task_dl(), 5.x on. */
static struct task *pick_task_dl(struct kctx *k, struct rq *rq)
{
	/* bound: a server without a task is stopped */
	while (rq->dl.nr_running) {
		struct dl_entity *se = dl_of_node(rq->dl.tree.leftmost);
		struct task *p = se->task;

		charge(k, WORK_PICK, 1);
		if (!p)
			p = fair_server_pick(k, rq);
		if (p)
			return p;
	}
	return NULL;
}

static struct task *pick_next_task_dl(struct kctx *k, struct rq *rq)
{
	struct task *p;

	if (!rq->dl.nr_running)
		return NULL;
	p = dl_of_node(rq->dl.tree.leftmost)->task;
	charge(k, WORK_PICK, 1);
	begin_running(k, rq, p);
	rq->post_schedule = !feat(k, FEAT_BALANCE_CALLBACKS) && rq->dl.pushable.leftmost != NULL;
	return p;
}

static void put_prev_task_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	update_curr_dl(k, rq);
	age_dl_avg(k, rq, true);
	if (p->dl->queued && p->nr_allowed > 1)
		enqueue_pushable(rq, p->dl);
}

static void set_curr_task_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	begin_running(k, rq, p);
}

static void task_tick_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)p;
	update_curr_dl(k, rq);
	age_dl_avg(k, rq, true);
}

/*
 * P has the deadline of the running task. If only P cannot run elsewhere, the running one
 * is sent away; if it cannot either, P waits. Linux: check_preempt_equal_dl().
 */
static void check_preempt_equal_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	struct task *curr = rq->curr;

	if (curr->nr_allowed == 1 || cpudl_find(k, curr, NULL) == CPU_NONE)
		return;
	if (p->nr_allowed != 1 && cpudl_find(k, p, NULL) != CPU_NONE)
		return;
	resched_task(k, rq);
}

void check_preempt_curr_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	const struct task *curr = rq->curr;

	(void)flags;
	if (dl_entity_preempt(p->dl, curr->dl))
		resched_task(k, rq);
	else if (p->dl->deadline_ns == curr->dl->deadline_ns && !curr->need_resched)
		check_preempt_equal_dl(k, rq, p);
}

/* The rest of the runtime is given up: the task is throttled until its next period. */
static void yield_task_dl(struct kctx *k, struct rq *rq)
{
	rq->curr->dl->yielded = true;
	update_rq_clock(k, rq);
	update_curr_dl(k, rq);
}

/* A deadline task leaves. What it ran counts before other classes are asked. */
static void pull_dl(struct kctx *k, struct rq *rq, struct task *prev)
{
	if (!is_dl(prev))
		return;
	pull_dl_task(k, rq);
	/* 5.4 leaves that to put_prev */
	if (feat(k, FEAT_BALANCE_CALLBACKS))
		return;
	if (prev->se.on_rq)
		update_rq_clock(k, rq);
	update_curr_dl(k, rq);
}

static void post_schedule_dl(struct kctx *k, struct rq *rq)
{
	push_dl_tasks(k, rq);
}

/* Linux: set_cpus_allowed_dl(), up to 4.0. */
static void affinity_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t n)
{
	if (!p->dl->queued || (p->nr_allowed > 1) == (n > 1))
		return;
	if (n <= 1) {
		CHECK(rq->dl.nr_migratory > 0);
		dequeue_pushable(rq, p->dl);
		rq->dl.nr_migratory--;
	} else {
		if (!task_is_running(rq, p))
			enqueue_pushable(rq, p->dl);
		rq->dl.nr_migratory++;
	}
	update_overload(k, rq);
}

static void stop_dl_timer(struct kctx *k, struct dl_entity *se)
{
	if (se->replenish_armed)
		k->port->timer_stop(k, ktimer_replenish(se->task->id));
	se->replenish_armed = false;
}

/* The last deadline task left: others may have some to give. */
static void switched_from_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	stop_dl_timer(k, p->dl);
	p->dl->throttled = false;
	p->dl->yielded = false;
	grub_leave(k, rq, p);
	if (!p->se.on_rq || rq->dl.nr_running)
		return;
	if (feat(k, FEAT_BALANCE_CALLBACKS))
		rq->callbacks |= CALLBACK_PULL_DL;
	else if (pull_dl_task(k, rq))
		resched_task(k, rq);
}

static void switched_to_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	if (task_is_running(rq, p) && feat(k, FEAT_SWITCH_AGES))
		update_dl_rq_load_avg(k, rq_clock_pelt(rq), rq, false);
	if (!p->dl->queued || task_is_running(rq, p))
		return;
	if (feat(k, FEAT_BALANCE_CALLBACKS)) {
		if (p->nr_allowed > 1 && rq->dl.overloaded && rq->dl.pushable.leftmost)
			rq->callbacks |= CALLBACK_PUSH_DL;
	} else if (p->nr_allowed > 1 && rq->dl.overloaded && push_dl_task(k, rq) &&
		   p->cpu != rq->cpu) {
		return;
	}
	if (is_dl(rq->curr))
		check_preempt_curr_dl(k, rq, p, 0);
	else
		resched_task(k, rq);
}

/* Its parameters changed: whether its deadline came nearer is not known. */
static void prio_changed_dl(struct kctx *k, struct rq *rq, struct task *p, uint32_t old_prio)
{
	(void)old_prio;
	if (!p->se.on_rq)
		return;
	if (!rq->dl.overloaded && feat(k, FEAT_BALANCE_CALLBACKS))
		rq->callbacks |= CALLBACK_PULL_DL;
	else if (!rq->dl.overloaded)
		pull_dl_task(k, rq);
	if (task_is_running(rq, p) && dl_time_before(rq->dl.earliest_ns, p->dl->deadline_ns))
		resched_task(k, rq);
}

/* Only GRUB keeps the books of a sleeping task by its CPU. */
static void migrate_task_rq_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	if (!feat(k, FEAT_DL_GRUB))
		return;
	rq_lock(k, rq);
	grub_forget(k, rq, p);
	rq_unlock(k, rq);
}

/* Linux: task_dead_dl(). From 4.13 on the bandwidth is freed at the zero-lag time. */
static void task_dead_dl(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	stop_dl_timer(k, p->dl);
	p->dl->throttled = false;
	if (!feat(k, FEAT_DL_GRUB))
		dl_free_bw(k, p);
}

void dl_task_init(const struct kctx *k, struct task *p)
{
	if (!k->m->dl_mem)
		return;
	p->dl = &k->m->dl_mem[p->id - 1];
	p->dl->task = p;
}

uint64_t dl_memory_bound(const struct sched_config *cfg)
{
	uint64_t ncpus = cfg->topo->ncpus;

	if (!kver_has(cfg->v, FEAT_DL_CLASS))
		return 0;
	return (uint64_t)cfg->max_tasks * sizeof(struct dl_entity) +
	       ncpus * (sizeof(struct cpudl_item) + sizeof(uint32_t)) +
	       3 * (uint64_t)mask_size(cfg->topo->ncpus) + 6 * 64;
}

static struct mask *new_mask(struct machine *m)
{
	void *mem = arena_alloc(m->arena, 1, mask_size(m->ncpus));

	return mem ? mask_init(mem, m->ncpus) : NULL;
}

bool dl_init(struct machine *m)
{
	struct root_domain *rd = &m->rd;
	uint64_t runtime_us = m->tun.rt_runtime_us, period_us = m->tun.rt_period_us;

	if (!kver_has(m->v, FEAT_DL_CLASS))
		return true;
	m->dl_mem = arena_alloc(m->arena, m->max_tasks, sizeof(struct dl_entity));
	rd->dlo_mask = new_mask(m);
	rd->later = new_mask(m);
	rd->dl_bw = (struct dl_bw){
		.bw = DL_BW_UNLIMITED, .extra_bw = DL_BW_UNIT, .ratio = 1 << DL_BW_RATIO_SHIFT};
	if (runtime_us != TUNABLE_NONE) {
		rd->dl_bw.bw = to_ratio(period_us, runtime_us);
		rd->dl_bw.extra_bw = rd->dl_bw.bw;
		rd->dl_bw.ratio = to_ratio(runtime_us, period_us) >>
				  (DL_BW_SHIFT - DL_BW_RATIO_SHIFT);
	}
	return !m->arena->failed && cpudl_init(m);
}

const struct sched_class dl_sched_class = {
	.name = "dl",
	.rank = 3,
	.counts_running = true,
	.tells_waiting = true,
	.enqueue = enqueue_task_dl,
	.dequeue = dequeue_task_dl,
	.pick_next = pick_next_task_dl,
	.pick_task = pick_task_dl,
	.put_prev = put_prev_task_dl,
	.tick = task_tick_dl,
	.check_preempt = check_preempt_curr_dl,
	.select_rq = select_task_rq_dl,
	.yield = yield_task_dl,
	.set_curr = set_curr_task_dl,
	.pull = pull_dl,
	.has_runnable = has_runnable_dl,
	.post_schedule = post_schedule_dl,
	.task_woken = task_woken_dl,
	.affinity = affinity_dl,
	.migrate = migrate_task_rq_dl,
	.switched_from = switched_from_dl,
	.switched_to = switched_to_dl,
	.prio_changed = prio_changed_dl,
	.dead = task_dead_dl,
};
