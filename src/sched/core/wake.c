/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waking a task, for the first time (all kernels) or again (2.6.34 and 2.6.35; 3.3
 * and 3.4 do it as core/wake_queue.c says). A sleeping task's old queue is locked
 * to make its virtual time relative, a CPU is chosen, then the chosen queue is
 * locked and the task put there. 2.6.34 chooses without a lock, 2.6.35 under the
 * old queue's.
 *
 * A wake-up that finds the task still queued (it was about to sleep) only makes
 * it runnable again; one that finds it dequeued but still on its CPU (that CPU is
 * balancing before it goes idle) puts it back there.
 *
 * Linux: kernel/sched.c try_to_wake_up(), 2.6.34 and 2.6.35; wake_up_new_task(),
 * select_task_rq(), 2.6.34 to 3.4.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/fair/bandwidth.h"
#include "sched/pelt/load_avg.h"
#include "sched/rt/rt.h"

void count_wakeup(struct kctx *k, struct rq *counted, uint32_t cpu)
{
	struct sched_domain *sd;

	counted->stats.ttwu_count++;
	if (cpu == k->cpu->id) {
		counted->stats.ttwu_local++;
		return;
	}
	for (sd = k->cpu->rq.sd; sd; sd = sd->parent) {
		if (mask_test(sd->span, cpu)) {
			sd->stats.ttwu_wake_remote++;
			return;
		}
	}
}

/*
 * Average time this CPU idles; how much a balancing attempt may cost. A long one counts as
 * the most it can be; with AVG_IDLE_CAPPED it counts in full and the average is limited.
 */
void update_avg_idle(struct kctx *k, struct rq *rq)
{
	bool capped = feat(k, FEAT_AVG_IDLE_CAPPED);
	uint64_t max_ns = 2 * (capped ? rq->max_idle_balance_cost_ns : k->m->tun.migration_cost_ns);
	int64_t idle_ns;

	if (!rq->idle_stamp_ns)
		return;
	idle_ns = delta_s64(rq->clock_ns, rq->idle_stamp_ns);
	rq->idle_stamp_ns = 0;
	if (!capped && idle_ns > (int64_t)max_ns) {
		rq->avg_idle_ns = max_ns;
		return;
	}
	idle_ns -= (int64_t)rq->avg_idle_ns;
	if (feat(k, FEAT_AVG_IDLE_AGED))
		rq->avg_idle_ns += (uint64_t)(idle_ns / 8);
	else
		rq->avg_idle_ns += (uint64_t)asr_s64(idle_ns, 3);
	if (capped)
		rq->avg_idle_ns = min_u64(rq->avg_idle_ns, max_ns);
	rq->wake_stamp = jiffies(k);
	rq->wake_avg_idle_ns = rq->avg_idle_ns / 2;
}

/* An allowed CPU, of P's node if there is one. Linux: select_fallback_rq(). */
static uint32_t fallback_cpu(const struct machine *m, const struct task *p)
{
	uint32_t cpu;

	mask_for_each_and(cpu, p->allowed, m->online)
		if (m->cpus[cpu].node == m->cpus[p->cpu].node)
			return cpu;
	return mask_next_and(p->allowed, m->online, 0);
}

uint32_t select_task_rq(struct kctx *k, struct task *p, uint32_t sd_flag, uint32_t wake_flags)
{
	uint32_t saved, cpu;

	if (!p->class->select_rq)
		return p->cpu;
	saved = path_enter(k, (enum path_elem)p->class->select_path);
	cpu = p->class->select_rq(k, p, sd_flag, wake_flags);
	path_leave(k, saved);
	if (!mask_test(p->allowed, cpu) || !k->m->cpus[cpu].online)
		cpu = fallback_cpu(k->m, p);
	CHECK(cpu != MASK_NONE);
	return cpu;
}

/* Choose P's CPU and leave with that CPU's rq locked; P's old rq is locked on entry. */
static struct rq *select_and_lock(struct kctx *k, struct task *p, uint32_t flags)
{
	bool under_lock = feat(k, FEAT_SELECT_UNDER_RQ_LOCK);
	struct rq *old = task_rq(k->m, p);
	struct rq *rq;
	uint32_t cpu;

	if (!under_lock)
		rq_unlock(k, old);
	cpu = select_task_rq(k, p, SD_BALANCE_WAKE, flags);
	set_task_cpu(k, p, cpu);
	if (under_lock)
		rq_unlock(k, old);
	rq = rq_of_cpu(k->m, cpu);
	rq_lock(k, rq);
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	return rq;
}

/* P sleeps and its rq is locked: put it where it belongs. Returns with that rq locked. */
static struct rq *place_sleeper(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	uint32_t prev_cpu = p->cpu;
	uint32_t enqueue = ENQUEUE_WAKEUP;
	struct task *waker = k->in_irq ? NULL : k->cpu->rq.curr;

	if (!task_is_running(rq, p)) {
		p->state = TASK_WAKING;
		if (p->class->waking)
			p->class->waking(k, rq, p);
		rq = select_and_lock(k, p, flags);
		count_wakeup(k, rq, rq->cpu);
		enqueue |= ENQUEUE_WAKING;
	}
	k->m->count.wakeups++;
	k->port->record(k, RECORD_WAKE, p->id, rq->cpu, waker ? waker->id : 0, prev_cpu);
	activate_task(k, rq, p, enqueue);
	if (waker)
		waker_averages(k, waker);
	return rq;
}

static bool wake_by_lock(struct kctx *k, struct task *p, uint32_t flags)
{
	bool woken = false;
	struct rq *rq;

	if (!feat(k, FEAT_SYNC_WAKEUPS))
		flags &= ~WF_SYNC;
	charge(k, WORK_WAKEUP, 1);
	rq = task_rq_lock(k, p);
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (p->state == TASK_INTERRUPTIBLE) {
		woken = true;
		if (!p->se.on_rq)
			rq = place_sleeper(k, rq, p, flags);
		check_preempt_curr(k, rq, p, flags);
		p->state = TASK_RUNNING;
		if (p->class->task_woken)
			p->class->task_woken(k, rq, p);
		update_avg_idle(k, rq);
	}
	rq_unlock(k, rq);
	return woken;
}

const struct wake_ops wake_ops_lock = {
	.name = "lock",
	.wake = wake_by_lock,
};

bool sched_wake(struct kctx *k, struct task *p, uint32_t flags)
{
	uint32_t saved = path_enter(k, PATH_TTWU);
	bool woken = k->v->wake->wake(k, p, flags);

	path_leave(k, saved);
	return woken;
}

void sched_ipi(struct kctx *k)
{
	uint32_t saved = path_enter(k, PATH_IPI);

	charge(k, WORK_IPI_RECEIVE, 1);
	if (k->v->wake->ipi)
		k->v->wake->ipi(k);
	if (k->v->nohz->ipi)
		k->v->nohz->ipi(k);
	if (!list_is_empty(&k->cpu->rq.cfsb_csd))
		cfsb_csd_unthrottle(k);
	if (k->cpu->rq.rt.push_due)
		rto_push_irq_work(k);
	path_leave(k, saved);
}

/* Where P starts; locks as the version has them. */
static void choose_first_cpu(struct kctx *k, struct task *p)
{
	bool under_lock = feat(k, FEAT_SELECT_UNDER_RQ_LOCK);
	struct rq *rq = task_rq(k->m, p);

	if (under_lock)
		rq_lock(k, rq);
	set_first_cpu(k, p, select_task_rq(k, p, SD_BALANCE_FORK, 0));
	if (under_lock)
		rq_unlock(k, rq);
}

static void first_activation(struct kctx *k, struct task *p)
{
	struct rq *rq = task_rq(k->m, p);

	p->state = TASK_RUNNING;
	rq_lock(k, rq);
	if (!feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (k->v->util_est) {
		post_init_entity_util_avg(k, &p->se, p->class == &fair_sched_class);
		if (p->class == &fair_sched_class && !feat(k, FEAT_ATTACH_IN_QUEUE_OPS))
			attach_entity_cfs_rq(k, &p->se);
	}
	k->m->count.forks++;
	k->port->record(k, RECORD_FORK, p->id, k->cpu->rq.curr->id, rq->cpu, p->tg->id);
	activate_task(k, rq, p, ENQUEUE_INITIAL);
	check_preempt_curr(k, rq, p, WF_FORK);
	if (p->class->task_woken)
		p->class->task_woken(k, rq, p);
	rq_unlock(k, rq);
}

void sched_wake_up_new(struct kctx *k, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_WAKE_UP_NEW_TASK);

	CHECK(p->state == TASK_NEW);
	p->state = TASK_WAKING;
	p->recent_used_cpu = p->cpu;
	choose_first_cpu(k, p);
	first_activation(k, p);
	path_leave(k, saved);
}

void sched_wake_up_first(struct kctx *k, struct task *p)
{
	uint32_t saved = path_enter(k, PATH_WAKE_UP_NEW_TASK);

	CHECK(p->state == TASK_NEW);
	p->recent_used_cpu = p->cpu;
	first_activation(k, p);
	path_leave(k, saved);
}
