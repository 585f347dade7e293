/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GRUB, greedy reclamation of unused bandwidth. Each rq knows the bandwidth of
 * its deadline tasks (this_bw) and of those that are active (running_bw). A task
 * that goes to sleep is active until its zero-lag time, when the runtime it has left
 * would have been used up had it run at its bandwidth all along: only then
 * may others have its part. A task with SCHED_FLAG_RECLAIM is charged for its
 * run time in proportion to what is active, so it runs longer where others sleep.
 *
 * After G. Lipari, S. Baruah, "Greedy reclamation of unused bandwidth in
 * constant-bandwidth servers", ECRTS 2000.
 *
 * Linux: kernel/sched/deadline.c task_contending(), task_non_contending(), grub_reclaim(),
 * inactive_task_timer(), migrate_task_rq_dl(); 4.13 to 6.1.
 * Deviation: a task that leaves the class while it sleeps with its zero-lag time
 * past frees its bandwidth at once.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/dl/dl.h"

static void add_rq_bw(struct rq *rq, struct dl_entity *se)
{
	CHECK(!se->in_this_bw);
	se->in_this_bw = true;
	rq->dl.this_bw += se->dl_bw;
}

static void sub_rq_bw(struct rq *rq, struct dl_entity *se)
{
	CHECK(se->in_this_bw);
	CHECK(rq->dl.this_bw >= se->dl_bw);
	se->in_this_bw = false;
	rq->dl.this_bw -= se->dl_bw;
}

static void add_running_bw(struct rq *rq, struct dl_entity *se)
{
	CHECK(!se->in_running_bw);
	se->in_running_bw = true;
	rq->dl.running_bw += se->dl_bw;
}

static void sub_running_bw(struct rq *rq, struct dl_entity *se)
{
	CHECK(se->in_running_bw);
	CHECK(rq->dl.running_bw >= se->dl_bw);
	se->in_running_bw = false;
	rq->dl.running_bw -= se->dl_bw;
}

static void stop_inactive_timer(struct kctx *k, struct dl_entity *se)
{
	if (se->inactive_armed)
		k->port->timer_stop(k, ktimer_inactive(se->task->id));
	se->inactive_armed = false;
}

/* deadline - runtime x period / dl_runtime, the quotient truncated. The kernel's product is 64 bits. */
static int64_t until_zero_lag(const struct rq *rq, const struct dl_entity *se)
{
	uint64_t left_ns = (uint64_t)(se->runtime_ns < 0 ? -se->runtime_ns : se->runtime_ns);
	uint64_t used_ns = (uint64_t)((u128)left_ns * se->dl_period_ns / se->dl_runtime_ns);
	int64_t to_deadline_ns = delta_s64(se->deadline_ns, rq->clock_ns);

	return se->runtime_ns < 0 ? to_deadline_ns + (int64_t)used_ns :
				    to_deadline_ns - (int64_t)used_ns;
}

/* SE is asleep, ended or of another class, and its zero-lag time is over. */
static void end_activity(struct kctx *k, struct rq *rq, struct task *p)
{
	if (p->dl->in_running_bw)
		sub_running_bw(rq, p->dl);
	if (is_dl(p) && p->state != TASK_DEAD)
		return;
	if (p->dl->in_this_bw)
		sub_rq_bw(rq, p->dl);
	dl_free_bw(k, p);
}

/* Linux: task_non_contending(). */
static void stop_contending(struct kctx *k, struct rq *rq, struct task *p)
{
	struct dl_entity *se = p->dl;
	int64_t lag_ns = until_zero_lag(rq, se);

	CHECK(!se->non_contending);
	if (lag_ns < 0 || se->inactive_armed) {
		end_activity(k, rq, p);
		return;
	}
	se->non_contending = true;
	se->inactive_armed = true;
	k->port->timer_arm(k, ktimer_inactive(p->id), k->now_ns + (uint64_t)lag_ns);
}

void grub_enqueue(struct kctx *k, struct rq *rq, struct task *p, bool wakeup)
{
	struct dl_entity *se = p->dl;

	if (!feat(k, FEAT_DL_GRUB))
		return;
	if (!se->in_this_bw)
		add_rq_bw(rq, se);
	if (wakeup && se->non_contending) {
		se->non_contending = false;
		stop_inactive_timer(k, se);
	}
	if (!se->in_running_bw)
		add_running_bw(rq, se);
}

void grub_dequeue(struct kctx *k, struct rq *rq, struct task *p, bool sleep)
{
	if (!feat(k, FEAT_DL_GRUB))
		return;
	if (sleep) {
		stop_contending(k, rq, p);
		return;
	}
	sub_running_bw(rq, p->dl);
	sub_rq_bw(rq, p->dl);
}

/* Both sums of RQ forget SE, whatever of it they have. */
static void leave_sums(struct rq *rq, struct dl_entity *se)
{
	if (se->in_running_bw)
		sub_running_bw(rq, se);
	if (se->in_this_bw)
		sub_rq_bw(rq, se);
	se->non_contending = false;
}

void grub_forget(struct kctx *k, struct rq *rq, struct task *p)
{
	stop_inactive_timer(k, p->dl);
	leave_sums(rq, p->dl);
}

void grub_leave(struct kctx *k, struct rq *rq, struct task *p)
{
	struct dl_entity *se = p->dl;

	if (!feat(k, FEAT_DL_GRUB)) {
		dl_free_bw(k, p);
		return;
	}
	if (p->se.on_rq)
		stop_contending(k, rq, p);
	/* it may move as a task of another class: these sums have to forget it now */
	leave_sums(rq, se);
	if (!se->inactive_armed)
		dl_free_bw(k, p);
}

void grub_inactive(struct kctx *k, struct rq *rq, struct task *p)
{
	struct dl_entity *se = p->dl;

	if (is_dl(p) && !se->non_contending)
		return;
	se->non_contending = false;
	end_activity(k, rq, p);
}

/*
 * DELTA_NS x max(u_min, 1 - inactive - extra): u_min = dl_bw / bw is what the task would get if it
 * were alone. Each product is below 2^64 while DELTA_NS is below 2^43.
 */
uint64_t grub_reclaim(const struct kctx *k, const struct rq *rq, const struct dl_entity *se,
		      uint64_t delta_ns)
{
	const struct dl_bw *b = &k->m->rd.dl_bw;
	uint64_t inactive_bw = rq->dl.this_bw - rq->dl.running_bw;
	uint64_t least_bw = se->dl_bw * b->ratio >> DL_BW_RATIO_SHIFT;
	uint64_t active_bw;

	CHECK(rq->dl.this_bw >= rq->dl.running_bw);
	if (inactive_bw + b->extra_bw > DL_BW_UNIT - least_bw)
		active_bw = least_bw;
	else
		active_bw = DL_BW_UNIT - inactive_bw - b->extra_bw;
	return delta_ns * active_bw >> DL_BW_SHIFT;
}
