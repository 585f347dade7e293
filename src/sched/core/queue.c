/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Putting tasks on and off run queues, whatever their class, with the averages
 * and statistics that go with it.
 *
 * Linux: kernel/sched.c enqueue_task(), dequeue_task(), activate_task(),
 * deactivate_task(), check_preempt_curr(), resched_task(), set_task_cpu().
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/pelt/load_avg.h"

/* avg += (sample - avg) / 8, signed. Linux: update_avg(). */
static void update_avg(uint64_t *avg, uint64_t sample)
{
	*avg += (uint64_t)asr_s64(delta_s64(sample, *avg), 3);
}

static void sleep_averages(struct kctx *k, struct task *p)
{
	if (p->last_wakeup_ns) {
		if (feat(k, FEAT_AVG_OVERLAP))
			update_avg(&p->avg_overlap_ns, p->se.sum_exec_ns - p->last_wakeup_ns);
		p->last_wakeup_ns = 0;
	} else if (feat(k, FEAT_AVG_WAKEUP)) {
		update_avg(&p->avg_wakeup_ns, k->m->tun.wakeup_granularity_ns);
	}
}

void waker_averages(struct kctx *k, struct task *curr)
{
	uint64_t sample = curr->se.sum_exec_ns;

	if (!feat(k, FEAT_AVG_WAKEUP) && !feat(k, FEAT_AVG_OVERLAP))
		return;
	sample -= curr->last_wakeup_ns ? curr->last_wakeup_ns : curr->start_runtime_ns;
	if (feat(k, FEAT_AVG_WAKEUP))
		update_avg(&curr->avg_wakeup_ns, sample);
	curr->last_wakeup_ns = curr->se.sum_exec_ns;
}

void preempted_averages(struct kctx *k, struct task *p)
{
	uint64_t ran = p->se.sum_exec_ns - p->se.prev_sum_exec_ns;

	update_avg(&p->avg_overlap_ns, min_u64(ran, 2 * k->m->tun.migration_cost_ns));
}

void task_wait_start(struct kctx *k, struct rq *rq, struct task *p)
{
	(void)rq;
	p->stats.queued_since_ns = rq->clock_ns;
	k->port->record(k, RECORD_WAIT_START, p->id, 0, 0, 0);
}

void task_wait_end(struct kctx *k, struct rq *rq, struct task *p, bool got_cpu)
{
	uint64_t waited = 0;

	if (rq->clock_ns > p->stats.queued_since_ns)
		waited = rq->clock_ns - p->stats.queued_since_ns;
	p->stats.run_delay_ns += waited;
	rq->stats.run_delay_ns += waited;
	k->port->record(k, RECORD_WAIT_END, p->id, got_cpu, waited, 0);
}

void enqueue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	if (feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if ((flags & ENQUEUE_WAKEUP) && feat(k, FEAT_AVG_WAKEUP))
		p->start_runtime_ns = p->se.sum_exec_ns;
	if (p != rq->curr && !p->class->tells_waiting &&
	    (!p->se.sched_delayed || (flags & ENQUEUE_DELAYED)))
		task_wait_start(k, rq, p);
	p->class->enqueue(k, rq, p, flags);
}

void dequeue_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	if (feat(k, FEAT_CLOCK_IN_QUEUE_OPS))
		update_rq_clock(k, rq);
	if (flags & DEQUEUE_SLEEP)
		sleep_averages(k, p);
	if (p != rq->curr && !p->class->tells_waiting && !p->se.sched_delayed)
		task_wait_end(k, rq, p, false);
	p->class->dequeue(k, rq, p, flags);
}

void activate_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	CHECK(p->cpu == rq->cpu);
	enqueue_task(k, rq, p, flags);
	if (!p->class->counts_running)
		add_nr_running(k, rq, 1);
}

void deactivate_task(struct kctx *k, struct rq *rq, struct task *p, uint32_t flags)
{
	dequeue_task(k, rq, p, flags);
	if (!p->class->counts_running)
		sub_nr_running(rq, 1);
}

void check_preempt_curr(struct kctx *k, struct rq *rq, struct task *p, uint32_t wake_flags)
{
	const struct sched_class *curr_class = rq->curr->class;

	/* before the classes are compared here, the fair class is asked about others too */
	if (p->class == curr_class ||
	    (curr_class == &fair_sched_class && !feat(k, FEAT_CLASS_ORDER_PREEMPT)))
		curr_class->check_preempt(k, rq, p, wake_flags);
	else if (p->class->rank > curr_class->rank)
		resched_task(k, rq);
	/* The clock stays as it is until schedule() when that is coming anyway. */
	if (feat(k, FEAT_SKIP_CLOCK_BY_CURR)) {
		if (rq->curr->se.on_rq && rq->curr->need_resched)
			rq->skip_clock_update = true;
	} else if (feat(k, FEAT_CLOCK_IN_QUEUE_OPS) && p->need_resched) {
		rq->skip_clock_update = true;
	}
}

void resched_task(struct kctx *k, struct rq *rq)
{
	struct task *curr = rq->curr;

	if (curr->need_resched)
		return;
	curr->need_resched = true;
	if (rq->cpu == k->cpu->id)
		return;
	if (curr == rq->idle)
		k->port->notice(k, rq->cpu);
	else
		k->port->ipi(k, rq->cpu);
}

void resched_cpu(struct kctx *k, struct rq *rq)
{
	if (!rq_trylock(k, rq))
		return;
	resched_task(k, rq);
	rq_unlock(k, rq);
}

/* P belongs to CPU's queues from now on. Linux: __set_task_cpu(). */
static void assign_cpu(struct kctx *k, struct task *p, uint32_t cpu)
{
	struct entity *se = &p->se;

	CHECK(!se->on_rq);
	if (k->v->util_est && se->cfs_rq)
		set_task_rq_fair(k, se, se->cfs_rq, &p->tg->cfs_rq[cpu]);
	p->cpu = cpu;
	se->cfs_rq = &p->tg->cfs_rq[cpu];
	se->parent = p->tg->parent ? &p->tg->se[cpu] : NULL;
}

static void count_migration(struct kctx *k, struct task *p)
{
	p->stats.nr_migrations++;
	k->m->count.migrations++;
}

void set_first_cpu(struct kctx *k, struct task *p, uint32_t cpu)
{
	if (p->cpu != cpu && !feat(k, FEAT_FORK_NOT_COUNTED))
		count_migration(k, p);
	assign_cpu(k, p, cpu);
}

void set_task_cpu(struct kctx *k, struct task *p, uint32_t cpu)
{
	if (p->cpu != cpu) {
		count_migration(k, p);
		if (p->class->migrate && (p->state == TASK_WAKING || p->migrating))
			p->class->migrate(k, task_rq(k->m, p), p);
	}
	assign_cpu(k, p, cpu);
}
