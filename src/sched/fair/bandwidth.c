/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group's quota is handed out in two steps so that CPUs seldom meet: the pool is filled once
 * a period and each queue takes slices of 5 ms from it. Time is booked after it was used, so a
 * queue may owe some when it is throttled; it is let go when the pool has paid that back and
 * 1 ns more, and takes its next slice as soon as it has run.
 *
 * Unused runtime does not expire: a queue that runs empty keeps 1 ms and gives the rest back.
 * A queue elsewhere that waits for runtime is served by a timer, because its rq's lock cannot be
 * taken there. So a group may use what its queues had left at the end of a period in the next
 * one, a slice on each CPU at most.
 *
 * Invariants: a throttled queue has no runtime, its entity is not queued, it is on its group's
 * list and the period timer runs; throttle_count is the number of throttled queues from a queue
 * to the root; pool and what queues have left are at most quota + burst + CPUs x slice (the last
 * term is why the pool alone may exceed the quota).
 * Cost: constant for a slice; throttling and unthrottling visit all groups below.
 *
 * A queue about to be throttled asks once more with THROTTLE_RETRY: another CPU may have given
 * runtime back. With CFS_BURST what a period leaves over stays in the pool, up to the burst.
 *
 * Linux: kernel/sched/fair.c, 5.4, 5.5 and 6.1. Local runtime had an expiry up to 5.3.
 * Deviation: cfs_b->lock is free, what it guards changes at once. The slack timer fires on the
 * CPU that started it; the kernel may choose a busy one instead of one that idles. After an
 * unthrottling below another throttled queue the branch of the leaf list is completed, which 5.4
 * leaves open with a warning.
 */
#include "sched/fair/bandwidth.h"

#include "base/check.h"
#include "base/rng.h"
#include "sched/class.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/group.h"
#include "sched/pelt/blocked.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/pelt.h"

#define SLACK_PERIOD_NS (5 * NS_PER_MS)
#define REFRESH_NEAR_NS (2 * NS_PER_MS)
#define TIMER_LOOPS_MAX 3u
#define RATIO_SHIFT 20

static uint64_t slice_ns(const struct machine *m)
{
	return m->tun.cfs_bandwidth_slice_us * NS_PER_US;
}

void cfs_bandwidth_init(const struct machine *m, struct task_group *tg)
{
	struct cfs_bandwidth *b = &tg->bandwidth;
	struct rng r;

	b->quota_ns = QUOTA_NONE;
	b->period_ns = CFS_PERIOD_NS_DEFAULT;
	b->ratio = QUOTA_NONE;
	list_init(&b->throttled);
	if (!kver_has(m->v, FEAT_QUOTA_PHASE))
		return;
	r = rng_stream(m->seed, "quota", tg->id);
	b->expires_ns = rng_below(&r, b->period_ns);
}

/* ---- the pool ------------------------------------------------------------------------- */

/*
 * The expiry moves on by whole periods until it is later than now; by how many is returned.
 * Linux: hrtimer_forward_now().
 */
static uint64_t forward(const struct kctx *k, struct cfs_bandwidth *b)
{
	uint64_t overrun;

	if (k->now_ns < b->expires_ns)
		return 0;
	overrun = (k->now_ns - b->expires_ns) / b->period_ns + 1;
	b->expires_ns += overrun * b->period_ns;
	return overrun;
}

static void start_cfs_bandwidth(struct kctx *k, struct task_group *tg)
{
	struct cfs_bandwidth *b = &tg->bandwidth;

	if (b->period_active)
		return;
	b->period_active = true;
	forward(k, b);
	k->port->timer_arm(k, ktimer_cfs_period(k->m, tg->id), b->expires_ns);
}

/* Up to 5.13 burst_ns is 0, and what is left of a period is lost. Linux: __refill_cfs_bandwidth_runtime(). */
static void refill(struct cfs_bandwidth *b)
{
	if (b->quota_ns == QUOTA_NONE)
		return;
	b->runtime_ns += b->quota_ns;
	if (b->runtime_at_refill_ns > b->runtime_ns) {
		b->burst_time_ns += b->runtime_at_refill_ns - b->runtime_ns;
		b->nr_burst++;
	}
	b->runtime_ns = min_u64(b->runtime_ns, b->quota_ns + b->burst_ns);
	b->runtime_at_refill_ns = b->runtime_ns;
}

/* Q, out of runtime, takes what it owes and up to MORE_NS beyond. Linux: assign_cfs_rq_runtime(). */
static bool assign_runtime(struct kctx *k, struct cfs_rq *q, uint64_t more_ns)
{
	struct cfs_bandwidth *b = &q->tg->bandwidth;
	uint64_t want_ns = more_ns + (uint64_t)-q->bw.remaining_ns;
	uint64_t amount_ns = 0;

	CHECK(q->bw.remaining_ns <= 0);
	if (b->quota_ns == QUOTA_NONE) {
		amount_ns = want_ns;
	} else {
		start_cfs_bandwidth(k, q->tg);
		if (b->runtime_ns > 0) {
			amount_ns = min_u64(b->runtime_ns, want_ns);
			b->runtime_ns -= amount_ns;
			b->idle = false;
		}
	}
	q->bw.remaining_ns += (int64_t)amount_ns;
	return q->bw.remaining_ns > 0;
}

void account_runtime(struct kctx *k, struct cfs_rq *q, uint64_t delta_ns)
{
	q->bw.remaining_ns -= (int64_t)delta_ns;
	if (likely(q->bw.remaining_ns > 0))
		return;
	if (cfs_rq_throttled(q))
		return;
	if (!assign_runtime(k, q, slice_ns(k->m)) && q->curr)
		resched_task(k, q->rq);
}

/* ---- throttling ----------------------------------------------------------------------- */

/* The group after TG in the walk below TOP, parents first; NULL at its end. */
static struct task_group *next_below(struct task_group *tg, const struct task_group *top)
{
	if (tg->child)
		return tg->child;
	for (; tg != top; tg = tg->parent)
		if (tg->sibling)
			return tg->sibling;
	return NULL;
}

/* Time stands for all that is below Q. Linux: tg_throttle_down(). */
static void stop_below(struct kctx *k, struct cfs_rq *q)
{
	uint32_t cpu = q->rq->cpu, visited = 0;

	for (struct task_group *tg = q->tg; tg; tg = next_below(tg, q->tg)) {
		struct cfs_rq *below = &tg->cfs_rq[cpu];

		if (!below->pelt.throttle_count)
			list_del_leaf_cfs_rq(below);
		cfs_rq_clock_stop(k, below);
		visited++;
	}
	charge(k, WORK_TG_WALK, visited);
}

static struct task_group *deepest_first(struct task_group *tg)
{
	while (tg->child)
		tg = tg->child;
	return tg;
}

/* Does Q, whose clock goes again, age? */
static bool is_to_be_listed(const struct kctx *k, const struct cfs_rq *q)
{
	return feat(k, FEAT_LEAF_OF_THROTTLED) ? !cfs_rq_is_decayed(k, q) : q->nr_running > 0;
}

/* Time goes on. Children first, so that the leaf list is in order. Linux: tg_unthrottle_up(). */
static void go_below(struct kctx *k, struct cfs_rq *q)
{
	uint32_t cpu = q->rq->cpu, visited = 0;
	struct task_group *tg = deepest_first(q->tg);

	/* bound: the groups below */
	for (;;) {
		struct cfs_rq *below = &tg->cfs_rq[cpu];

		cfs_rq_clock_go(k, below);
		if (!below->pelt.throttle_count && is_to_be_listed(k, below))
			list_add_leaf_cfs_rq(below);
		visited++;
		if (tg == q->tg)
			break;
		tg = tg->sibling ? deepest_first(tg->sibling) : tg->parent;
	}
	charge(k, WORK_TG_WALK, visited);
}

void close_leaf_branch(struct entity *se)
{
	for (; se; se = se->parent)
		if (list_add_leaf_cfs_rq(se->cfs_rq))
			break;
}

static void join_throttled(struct cfs_bandwidth *b, struct cfs_rq *q)
{
	/* up to 5.7 not to be seen by a distribution that runs; else nobody is to wait for others twice */
	if (b->distributing)
		list_add(&b->throttled, &q->bw.throttled_node);
	else
		list_add_tail(&b->throttled, &q->bw.throttled_node);
}

/*
 * The tasks below a queue that is throttled (BY -1) or goes on (1), while the entities above it are
 * walked; how many of them are idle depends on the level.
 */
struct crowd {
	const struct cfs_rq *of;
	uint32_t idle;
	int by;
};

static struct crowd crowd_of(const struct cfs_rq *q, int by)
{
	return (struct crowd){q, q->idle_h_nr_running, by};
}

/* The queue of SE counts them or no longer does. */
static void count_crowd(struct entity *se, struct crowd *c)
{
	struct cfs_rq *up = se->cfs_rq;

	CHECK(c->by > 0 || up->h_nr_running >= c->of->h_nr_running);
	if (se->my_q->tg->idle)
		c->idle = c->of->h_nr_running;
	up->h_nr_running += (uint32_t)c->by * c->of->h_nr_running;
	up->idle_h_nr_running += (uint32_t)c->by * c->idle;
	up->h_nr_delayed += (uint32_t)c->by * c->of->h_nr_delayed;
}

/* An ancestor stays queued; from 5.7 on its averages follow before it counts. */
static void change_ancestor(struct kctx *k, struct entity *se, struct crowd *c)
{
	if (feat(k, FEAT_LOAD_BEFORE_COUNT)) {
		update_load_avg(k, se, c->by > 0 ? UPDATE_TG : 0);
		se_update_runnable(k, se);
	}
	count_crowd(se, c);
}

/* An entity does not stay on its queue for being throttled, and if it did before not any longer. */
static uint32_t throttle_flags(const struct entity *se)
{
	return DEQUEUE_SLEEP | DEQUEUE_SPECIAL | (se->sched_delayed ? DEQUEUE_DELAYED : 0);
}

/* All of Q leaves the queues above; true: the root's, too. */
static bool leave_queues(struct kctx *k, struct cfs_rq *q)
{
	struct crowd c = crowd_of(q, -1);
	bool dequeue = true;
	struct entity *se;

	for (se = &q->tg->se[q->rq->cpu]; se && se->on_rq; se = se->parent) {
		if (dequeue) {
			dequeue_entity(k, se->cfs_rq, se, throttle_flags(se));
			count_crowd(se, &c);
		} else {
			change_ancestor(k, se, &c);
		}
		if (se->cfs_rq->load.weight)
			dequeue = false;
	}
	return !se;
}

/* False: Q got runtime after all. */
static bool throttle_cfs_rq(struct kctx *k, struct cfs_rq *q)
{
	struct cfs_bandwidth *b = &q->tg->bandwidth;
	bool first = list_is_empty(&b->throttled);
	struct rq *rq = q->rq;

	CHECK(!q->bw.throttled);
	if (feat(k, FEAT_THROTTLE_RETRY) && assign_runtime(k, q, 1))
		return false;
	stop_below(k, q);
	if (leave_queues(k, q)) {
		sub_nr_running(rq, q->h_nr_running);
		if (!rq->cfs->h_nr_running && feat(k, FEAT_FAIR_SERVER))
			fair_server_emptied(k, rq);
	}
	q->bw.throttled = true;
	q->bw.throttled_clock_ns = rq->clock_ns;
	join_throttled(b, q);
	if (first)
		start_cfs_bandwidth(k, q->tg);
	k->port->record(k, RECORD_THROTTLE, q->tg->id, rq->cpu, q->h_nr_running, 0);
	return true;
}

/* All of Q, which has something to run, joins the queues above; NULL, or the throttled one's entity. */
static struct entity *join_queues(struct kctx *k, struct cfs_rq *q)
{
	struct crowd c = crowd_of(q, 1);
	bool enqueue = true;
	struct entity *se;

	for (se = &q->tg->se[q->rq->cpu]; se; se = se->parent) {
		if (se->sched_delayed)
			dequeue_entity(k, se->cfs_rq, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		enqueue = enqueue && !se->on_rq;
		if (enqueue) {
			enqueue_entity(k, se->cfs_rq, se, ENQUEUE_WAKEUP);
			count_crowd(se, &c);
		} else {
			change_ancestor(k, se, &c);
		}
		if (cfs_rq_throttled(se->cfs_rq))
			break;
	}
	return se;
}

static void unthrottle_cfs_rq(struct kctx *k, struct cfs_rq *q)
{
	struct cfs_bandwidth *b = &q->tg->bandwidth;
	struct rq *rq = q->rq;
	struct entity *se;

	CHECK(q->bw.throttled);
	q->bw.throttled = false;
	update_rq_clock(k, rq);
	b->throttled_time_ns += rq->clock_ns - q->bw.throttled_clock_ns;
	list_del(&q->bw.throttled_node);
	go_below(k, q);
	k->port->record(k, RECORD_UNTHROTTLE, q->tg->id, rq->cpu, q->h_nr_running, 0);
	if (!q->load.weight) {
		/* nothing runs, but something may age */
		if (!feat(k, FEAT_LEAF_OF_THROTTLED) || !q->on_leaf_list)
			return;
		close_leaf_branch(&q->tg->se[rq->cpu]);
	} else {
		bool was_empty = !rq->cfs->h_nr_running;

		se = join_queues(k, q);
		if (rq->pelt.tmp_alone_branch)
			close_leaf_branch(se);
		if (!se && was_empty && rq->cfs->h_nr_running && feat(k, FEAT_FAIR_SERVER))
			fair_server_start(k, rq);
		if (!se)
			add_nr_running(k, rq, q->h_nr_running);
	}
	CHECK(!rq->pelt.tmp_alone_branch);
	if (rq->curr == rq->idle && rq->cfs->nr_running)
		resched_task(k, rq);
}

bool throttle_if_out(struct kctx *k, struct cfs_rq *q)
{
	/* one may be made to run although it is throttled */
	return cfs_rq_throttled(q) || throttle_cfs_rq(k, q);
}

void throttle_at_enqueue(struct kctx *k, struct cfs_rq *q)
{
	/* what runs is seen to by its accounting, and when it is put back */
	if (q->curr || cfs_rq_throttled(q))
		return;
	account_runtime(k, q, 0);
	if (q->bw.remaining_ns <= 0)
		throttle_cfs_rq(k, q);
}

void sync_throttle(struct cfs_rq *q)
{
	const struct cfs_rq *up = &q->tg->parent->cfs_rq[q->rq->cpu];

	q->pelt.throttle_count = up->pelt.throttle_count;
	q->pelt.throttled_clock_ns = q->rq->pelt.clock_task_ns;
}

/* ---- handing out ---------------------------------------------------------------------- */

/*
 * The throttled queues of B, which are all on other rqs than those locked, get what they owe and
 * 1 ns more, one after the other while *LEFT_NS lasts. Linux: distribute_cfs_runtime().
 */
static void distribute(struct kctx *k, struct cfs_bandwidth *b, uint64_t *left_ns)
{
	struct list *pos = b->throttled.next, *next;

	for (; pos != &b->throttled; pos = next) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, bw.throttled_node);
		bool none_left = false;
		uint64_t runtime_ns;

		rq_lock(k, q->rq);
		next = pos->next;
		if (cfs_rq_throttled(q)) {
			CHECK(q->bw.remaining_ns <= 0);
			runtime_ns = min_u64((uint64_t)-q->bw.remaining_ns + 1, *left_ns);
			*left_ns -= runtime_ns;
			none_left = !*left_ns;
			q->bw.remaining_ns += (int64_t)runtime_ns;
			if (q->bw.remaining_ns > 0)
				unthrottle_cfs_rq(k, q);
		}
		rq_unlock(k, q->rq);
		/* taken off by a new quota while the lock was waited for */
		if (next == pos || none_left)
			break;
	}
}

/* Q, of RQ, has runtime: its CPU is to see to the rest. [rq] Linux: unthrottle_cfs_rq_async(). */
static void hand_over(struct kctx *k, struct rq *rq, struct cfs_rq *q)
{
	bool first = list_is_empty(&rq->cfsb_csd);

	list_add_tail(&rq->cfsb_csd, &q->bw.csd_node);
	if (first)
		k->port->ipi(k, rq->cpu);
}

/* The queues of HEAD, all of this CPU, go on; a new quota may have come before. */
static void go_on(struct kctx *k, struct list *head)
{
	struct rq *rq = &k->cpu->rq;

	if (list_is_empty(head))
		return;
	rq_lock(k, rq);
	/* bound: every turn takes one off */
	while (!list_is_empty(head)) {
		struct cfs_rq *q = container_of(head->next, struct cfs_rq, bw.csd_node);

		list_del(&q->bw.csd_node);
		if (cfs_rq_throttled(q))
			unthrottle_cfs_rq(k, q);
	}
	rq_unlock(k, rq);
}

void cfsb_csd_unthrottle(struct kctx *k)
{
	go_on(k, &k->cpu->rq.cfsb_csd);
}

/*
 * The same where a queue of another CPU is unthrottled by that CPU, told by an interrupt, and one
 * of this CPU when the walk is over. True: a queue did not get enough. Linux: as of 6.12.
 */
static bool distribute_async(struct kctx *k, struct cfs_bandwidth *b)
{
	struct list *pos = b->throttled.next, *next, local;
	bool short_of = false;

	list_init(&local);
	for (; pos != &b->throttled; pos = next) {
		struct cfs_rq *q = container_of(pos, struct cfs_rq, bw.throttled_node);
		struct rq *rq = q->rq;
		uint64_t runtime_ns;

		if (!b->runtime_ns) {
			short_of = true;
			break;
		}
		rq_lock(k, rq);
		next = pos->next;
		/* or it is about to be unthrottled already */
		if (cfs_rq_throttled(q) && list_is_empty(&q->bw.csd_node)) {
			CHECK(q->bw.remaining_ns <= 0);
			runtime_ns = min_u64((uint64_t)-q->bw.remaining_ns + 1, b->runtime_ns);
			b->runtime_ns -= runtime_ns;
			q->bw.remaining_ns += (int64_t)runtime_ns;
			if (q->bw.remaining_ns <= 0)
				short_of = true;
			else if (rq == &k->cpu->rq)
				list_add_tail(&local, &q->bw.csd_node);
			else
				hand_over(k, rq, q);
		}
		rq_unlock(k, rq);
		/* taken off by a new quota while the lock was waited for */
		if (next == pos)
			break;
	}
	go_on(k, &local);
	return short_of;
}

/*
 * What is in the pool is handed out as it is at each queue's turn. Up to 5.7 it is offered as it
 * was at the beginning, and stays there for others until it is given; those that come meanwhile
 * are not seen. True: some queue still waits.
 */
static bool distribute_pool(struct kctx *k, struct cfs_bandwidth *b)
{
	uint64_t left_ns = b->runtime_ns, offered_ns = left_ns;

	if (feat(k, FEAT_ASYNC_UNTHROTTLE))
		return distribute_async(k, b);
	if (feat(k, FEAT_THROTTLE_RETRY)) {
		distribute(k, b, &b->runtime_ns);
		return !list_is_empty(&b->throttled);
	}
	b->distributing = true;
	distribute(k, b, &left_ns);
	b->distributing = false;
	b->runtime_ns -= min_u64(b->runtime_ns, offered_ns - left_ns);
	return !list_is_empty(&b->throttled);
}

/* True: the timer may stop. Linux: do_sched_cfs_period_timer(). */
static bool begin_period(struct kctx *k, struct cfs_bandwidth *b, uint64_t overrun)
{
	bool throttled = !list_is_empty(&b->throttled);

	if (b->quota_ns == QUOTA_NONE)
		return true;
	b->nr_periods += overrun;
	if (feat(k, FEAT_CFS_BURST))
		refill(b);
	if (b->idle && !throttled)
		return true;
	if (!feat(k, FEAT_CFS_BURST))
		refill(b);
	if (!throttled) {
		b->idle = true;
		return false;
	}
	b->nr_throttled += overrun;
	/* bound: every turn spends runtime, and no more is made */
	while (throttled && b->runtime_ns > 0 && !b->distributing)
		throttled = distribute_pool(k, b);
	b->idle = false;
	return false;
}

/* The interrupt does not come to an end: half as many of them, of twice the length. */
static void stretch(struct cfs_bandwidth *b)
{
	if (2 * b->period_ns >= CFS_PERIOD_NS_MAX)
		return;
	b->period_ns *= 2;
	if (b->quota_ns != QUOTA_NONE)
		b->quota_ns *= 2;
	b->burst_ns *= 2;
}

void sched_cfs_period_timer(struct kctx *k, struct task_group *tg)
{
	uint32_t saved = path_enter(k, PATH_CFS_PERIOD_TIMER);
	struct cfs_bandwidth *b = &tg->bandwidth;
	uint32_t count = 0;
	bool idle = false;
	uint64_t overrun;

	CHECK(b->period_active);
	b->period_running = true;
	/* bound: a turn moves the expiry on, and periods grow until a turn is shorter */
	while ((overrun = forward(k, b)) != 0) {
		if (++count > TIMER_LOOPS_MAX) {
			stretch(b);
			count = 0;
		}
		idle = begin_period(k, b, overrun);
	}
	b->period_running = false;
	if (idle)
		b->period_active = false;
	else
		k->port->timer_arm(k, ktimer_cfs_period(k->m, tg->id), b->expires_ns);
	path_leave(k, saved);
}

/* ---- what is left over ---------------------------------------------------------------- */

/* Is B's pool being refilled, or within LEAST_NS? A timer that stands seems far away. */
static bool refresh_within(const struct kctx *k, const struct cfs_bandwidth *b, uint64_t least_ns)
{
	return b->period_running || b->expires_ns - k->now_ns < least_ns;
}

static void start_slack(struct kctx *k, struct task_group *tg)
{
	struct cfs_bandwidth *b = &tg->bandwidth;

	if (refresh_within(k, b, SLACK_PERIOD_NS + REFRESH_NEAR_NS) || b->slack_started)
		return;
	b->slack_started = true;
	k->port->timer_arm(k, ktimer_cfs_slack(k->m, tg->id), k->now_ns + SLACK_PERIOD_NS);
}

void return_runtime(struct kctx *k, struct cfs_rq *q)
{
	struct cfs_bandwidth *b = &q->tg->bandwidth;
	int64_t slack_ns = q->bw.remaining_ns - (int64_t)CFS_RQ_RUNTIME_KEPT_NS;

	if (slack_ns <= 0)
		return;
	if (b->quota_ns != QUOTA_NONE) {
		b->runtime_ns += (uint64_t)slack_ns;
		if (b->runtime_ns > slice_ns(k->m) && !list_is_empty(&b->throttled))
			start_slack(k, q->tg);
	}
	q->bw.remaining_ns -= slack_ns;
}

void sched_cfs_slack_timer(struct kctx *k, struct task_group *tg)
{
	uint32_t saved = path_enter(k, PATH_CFS_SLACK_TIMER);
	struct cfs_bandwidth *b = &tg->bandwidth;

	b->slack_started = false;
	if (!b->distributing && !refresh_within(k, b, REFRESH_NEAR_NS) &&
	    b->quota_ns != QUOTA_NONE && b->runtime_ns > slice_ns(k->m))
		distribute_pool(k, b);
	path_leave(k, saved);
}

/* ---- quotas --------------------------------------------------------------------------- */

static uint64_t own_ratio(const struct cfs_bandwidth *b)
{
	/* quota is below 2^44 and at most doubled 9 times */
	return b->quota_ns == QUOTA_NONE ?
		       QUOTA_NONE :
		       (uint64_t)(((u128)b->quota_ns << RATIO_SHIFT) / b->period_ns);
}

/* No group gets more than those above it. Linux: tg_cfs_schedulable_down(), cgroup v2. */
static void update_ratios(struct machine *m)
{
	struct task_group *tg = &m->groups_mem[0];

	for (tg = tg_next_preorder(tg); tg; tg = tg_next_preorder(tg))
		tg->bandwidth.ratio =
			min_u64(own_ratio(&tg->bandwidth), tg->parent->bandwidth.ratio);
}

void set_cfs_burst(struct kctx *k, struct task_group *tg, uint64_t burst_ns)
{
	struct cfs_bandwidth *b = &tg->bandwidth;

	CHECK(feat(k, FEAT_CFS_BURST));
	CHECK(b->quota_ns != QUOTA_NONE);
	CHECK(burst_ns <= b->quota_ns);
	b->burst_ns = burst_ns;
	set_cfs_bandwidth(k, tg, b->quota_ns, b->period_ns);
}

void set_cfs_bandwidth(struct kctx *k, struct task_group *tg, uint64_t quota_ns, uint64_t period_ns)
{
	struct cfs_bandwidth *b = &tg->bandwidth;
	uint32_t cpu;

	CHECK(feat(k, FEAT_CFS_BANDWIDTH));
	CHECK(tg->parent);
	CHECK(period_ns >= CFS_PERIOD_NS_MIN && period_ns <= CFS_PERIOD_NS_MAX);
	CHECK(quota_ns >= CFS_QUOTA_NS_MIN);
	CHECK(quota_ns <= CFS_QUOTA_NS_MAX || quota_ns == QUOTA_NONE);
	CHECK(quota_ns >= b->burst_ns);
	b->period_ns = period_ns;
	b->quota_ns = quota_ns;
	update_ratios(k->m);
	refill(b);
	if (quota_ns != QUOTA_NONE)
		start_cfs_bandwidth(k, tg);
	mask_for_each(cpu, k->m->online) {
		struct cfs_rq *q = &tg->cfs_rq[cpu];

		rq_lock(k, q->rq);
		q->bw.enabled = quota_ns != QUOTA_NONE;
		q->bw.remaining_ns = 0;
		if (cfs_rq_throttled(q))
			unthrottle_cfs_rq(k, q);
		rq_unlock(k, q->rq);
	}
}

/* ---- audit ---------------------------------------------------------------------------- */

static void audit_queue(const struct machine *m, const struct cfs_rq *q)
{
	const struct task_group *tg = q->tg;
	uint32_t above = tg->parent ? tg->parent->cfs_rq[q->rq->cpu].pelt.throttle_count : 0;

	CHECK(q->pelt.throttle_count == above + q->bw.throttled);
	CHECK(q->bw.enabled || !q->bw.throttled);
	if (!q->bw.enabled)
		return;
	CHECK(q->bw.remaining_ns <= (int64_t)max_u64(slice_ns(m), 1));
	if (!q->bw.throttled)
		return;
	CHECK(q->bw.remaining_ns <= 0 || !list_is_empty(&q->bw.csd_node));
	CHECK(!tg->se[q->rq->cpu].on_rq);
}

void cfs_bandwidth_audit(const struct machine *m, const struct task_group *tg)
{
	const struct cfs_bandwidth *b = &tg->bandwidth;
	uint32_t throttled = 0, listed = 0;
	struct list *pos;

	if (!kver_has(m->v, FEAT_CFS_BANDWIDTH))
		return;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		audit_queue(m, &tg->cfs_rq[i]);
		throttled += tg->cfs_rq[i].bw.throttled;
	}
	list_for_each(pos, &b->throttled) {
		const struct cfs_rq *q = container_of(pos, struct cfs_rq, bw.throttled_node);

		CHECK(q->tg == tg);
		CHECK(q->bw.throttled);
		listed++;
	}
	CHECK(listed == throttled);
	CHECK(!throttled || b->period_active);
	if (b->quota_ns != QUOTA_NONE)
		CHECK(b->runtime_ns <= b->quota_ns + b->burst_ns + m->nonline * slice_ns(m));
}
