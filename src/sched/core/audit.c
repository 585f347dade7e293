/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every invariant of the machine, verified the slow way: walks all queues and
 * all tasks. Meant to run after every event of an audit build.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/core/core.h"
#include "sched/core/rcu.h"
#include "sched/dl/dl.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/eevdf.h"
#include "sched/fair/idle_entity.h"
#include "sched/rt/rt.h"
#include "sched/select/cpu_sums.h"

/* Sums over the entities of a queue. */
struct cfs_sums {
	uint64_t weight;
	uint32_t tasks; /* below it, those of throttled queues not counted: they are not queued */
	uint32_t idle, idle_tasks; /* entities, and tasks below, that are idle by policy or group */
	uint32_t delayed;          /* tasks below that sleep on their queues */
	uint32_t empty_groups;     /* without tasks: delayed, or what is below is */
};

static void add_entity(struct cfs_sums *sums, struct entity *se)
{
	const struct cfs_rq *q = se->my_q;
	bool idle = se_is_idle(se);

	sums->weight += se->load.weight;
	sums->idle += idle;
	if (q) {
		CHECK(!q->bw.throttled);
		CHECK(se->sched_delayed == !q->nr_running);
		sums->tasks += q->h_nr_running;
		sums->delayed += q->h_nr_delayed;
		sums->empty_groups += !q->h_nr_running;
		sums->idle_tasks += idle ? q->h_nr_running : q->idle_h_nr_running;
	} else {
		sums->tasks++;
		sums->delayed += se->sched_delayed;
		sums->idle_tasks += idle;
	}
}

/* Entities in the tree and their order. */
static uint32_t audit_timeline(const struct machine *m, const struct cfs_rq *q,
			       struct cfs_sums *sums)
{
	bool eevdf = kver_has(m->v, FEAT_LAG);
	struct rb_node *n = q->timeline.leftmost;
	const struct entity *prev = NULL;
	uint32_t count = 0;

	CHECK(rb_is_valid(&q->timeline));
	for (; n; n = rb_next(n)) {
		struct entity *se = container_of(n, struct entity, node);

		CHECK(se->on_rq);
		CHECK(se->cfs_rq == q);
		CHECK(se != q->curr);
		if (prev)
			CHECK(!(eevdf ? deadline_before(se, prev) : entity_before(se, prev)));
		add_entity(sums, se);
		prev = se;
		count++;
	}
	return count;
}

static uint32_t audit_task_list(const struct cfs_rq *q)
{
	uint64_t weight = 0;
	uint32_t count = 0;
	struct list *pos;

	list_for_each(pos, &q->tasks) {
		const struct task *p = container_of(pos, struct task, lb_node);

		CHECK(p->se.on_rq);
		CHECK(p->se.cfs_rq == q);
		CHECK(p->tg == q->tg);
		CHECK(p->cpu == q->rq->cpu);
		CHECK(p->state != TASK_NEW);
		weight += p->se.load.weight;
		count++;
	}
	CHECK(weight == q->task_weight);
	return count;
}

/* A buddy is one of the queue's own entities. */
static void audit_buddy(const struct cfs_rq *q, const struct entity *buddy)
{
	if (!buddy)
		return;
	CHECK(buddy->cfs_rq == q);
	CHECK(buddy->on_rq);
}

static void audit_cfs_rq(const struct machine *m, const struct cfs_rq *q)
{
	struct cfs_sums sums = {0};
	uint32_t nr = audit_timeline(m, q, &sums);
	uint32_t tasks = kver_has(m->v, FEAT_LB_RQ_LIST) ? 0 : audit_task_list(q);

	if (q->curr && q->curr->on_rq) {
		add_entity(&sums, q->curr);
		nr++;
	}
	CHECK(nr == q->nr_running);
	CHECK(sums.weight == q->load.weight);
	CHECK(sums.tasks == q->h_nr_running);
	CHECK(sums.idle == q->idle_nr_running);
	CHECK(sums.idle_tasks == q->idle_h_nr_running);
	CHECK(tasks <= q->h_nr_running);
	CHECK(sums.delayed == q->h_nr_delayed);
	CHECK(q->nr_running <= q->h_nr_running + sums.empty_groups);
	if (kver_has(m->v, FEAT_LAG))
		eevdf_audit(m, q);
	audit_buddy(q, q->next);
	audit_buddy(q, q->last);
	audit_buddy(q, q->skip);
}

/*
 * The one list of kernels that balance from it: all fair tasks of the rq, once each; those below
 * throttled queues do not count as running.
 */
static void audit_rq_list(const struct rq *rq)
{
	uint32_t count = 0;
	struct list *pos;

	list_for_each(pos, &rq->cfs_tasks) {
		const struct task *p = container_of(pos, struct task, lb_node);

		CHECK(p->se.on_rq);
		CHECK(p->cpu == rq->cpu);
		count += !throttled_hierarchy(p->se.cfs_rq);
	}
	CHECK(count == rq->cfs->h_nr_running);
}

/* Contributions of all CPUs add up to what the group believes. */
static void audit_group(const struct machine *m, const struct task_group *tg)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < m->ncpus; i++)
		sum += (int64_t)tg->cfs_rq[i].load_contribution;
	CHECK(sum == tg->load_weight);
}

/* Its CPU holds its lock: the current task may be put back already, and the next not be current. */
static bool may_be_switching(const struct rq *rq)
{
	return rq->lock.owner == rq->cpu;
}

/* Tasks on the lists of A, each with the list's priority; *MIGRATORY counts those allowed elsewhere. */
static uint32_t audit_prio_array(const struct rq *rq, const struct rt_prio_array *a, bool pushable,
				 uint32_t *migratory)
{
	uint32_t count = 0;

	for (uint32_t prio = 0; prio < MAX_RT_PRIO; prio++) {
		struct list *pos;

		CHECK((a->bits[prio / 64] >> prio % 64 & 1) == !list_is_empty(&a->queue[prio]));
		list_for_each(pos, &a->queue[prio]) {
			const struct task *p = pushable ? task_of_pushable(pos) :
							  task_of_run_node(pos);

			CHECK(is_rt(p));
			CHECK(p->se.on_rq);
			CHECK(p->prio == prio);
			CHECK(p->cpu == rq->cpu);
			CHECK(!pushable || p != rq->curr || may_be_switching(rq));
			*migratory += p->nr_allowed > 1;
			count++;
		}
	}
	return count;
}

/* Whoever waits and may run elsewhere is pushable, and what the machine knows is true. */
static void audit_rt_rq(const struct machine *m, const struct rq *rq)
{
	const struct rt_rq *rt = &rq->rt;
	const struct cpupri *c = &m->rd.cpupri;
	uint32_t migratory = 0, pushable = 0, waiting;

	CHECK(audit_prio_array(rq, &rt->active, false, &migratory) == rt->nr_running);
	CHECK(migratory == rt->nr_migratory);
	CHECK(audit_prio_array(rq, &rt->pushable, true, &pushable) == rt->npushable);
	CHECK(pushable == rt->npushable);
	waiting = migratory - (is_rt(rq->curr) && rq->curr->se.on_rq && rq->curr->nr_allowed > 1);
	waiting += may_be_switching(rq) && is_rt(rq->curr) &&
		   !list_is_empty(&rq->curr->rt.pushable_node);
	CHECK(pushable == waiting);
	CHECK(rt->highest_curr == prio_array_first(&rt->active));
	CHECK(rt->highest_next == prio_array_first(&rt->pushable));
	CHECK(rt->overloaded == (rt->nr_migratory && rt->nr_running > 1));
	CHECK(mask_test(m->rd.rto_mask, rq->cpu) == rt->overloaded);
	CHECK(c->level_of[rq->cpu] == cpupri_level(rt->highest_curr) ||
	      (rq->dl.nr_running && c->level_of[rq->cpu] == CPUPRI_HIGHER));
	CHECK(mask_test(c->mask[c->level_of[rq->cpu]], rq->cpu));
}

/* Tasks in a tree of the deadline class, in order; *MIGRATORY counts those allowed elsewhere. */
static uint32_t audit_dl_tree(const struct rq *rq, const struct rb_tree *t, bool pushable,
			      uint32_t *migratory)
{
	const struct dl_entity *prev = NULL;
	uint32_t count = 0;

	CHECK(rb_is_valid(t));
	for (struct rb_node *n = t->leftmost; n; n = rb_next(n)) {
		const struct dl_entity *se = pushable ? dl_of_pushable(n) : dl_of_node(n);
		const struct task *p = se->task;

		CHECK(!prev || !dl_entity_preempt(se, prev));
		prev = se;
		count++;
		if (!p) {
			CHECK(!pushable && se == &rq->dl.server);
			continue;
		}
		CHECK(is_dl(p));
		CHECK(p->se.on_rq);
		CHECK(p->cpu == rq->cpu);
		CHECK(se->queued);
		CHECK(!se->throttled);
		CHECK(!se->fresh);
		CHECK(!pushable || p != rq->curr || may_be_switching(rq));
		CHECK(!pushable || se->is_pushable);
		*migratory += p->nr_allowed > 1;
	}
	return count;
}

static void audit_dl_rq(const struct machine *m, const struct rq *rq)
{
	const struct dl_rq *dl = &rq->dl;
	uint32_t migratory = 0, pushable = 0, waiting;
	uint64_t this_bw = 0, running_bw = 0;

	CHECK(audit_dl_tree(rq, &dl->tree, false, &migratory) == dl->nr_running);
	CHECK(migratory == dl->nr_migratory);
	waiting = migratory - (is_dl(rq->curr) && rq->curr->dl->queued && rq->curr->nr_allowed > 1);
	waiting += may_be_switching(rq) && is_dl(rq->curr) && rq->curr->dl->is_pushable;
	CHECK(audit_dl_tree(rq, &dl->pushable, true, &pushable) == waiting);
	CHECK(pushable == waiting);
	if (!m->dl_mem)
		return;
	CHECK(dl->overloaded == (dl->nr_migratory && dl->nr_running > 1));
	CHECK(mask_test(m->rd.dlo_mask, rq->cpu) == dl->overloaded);
	CHECK(mask_test(m->rd.cpudl.free, rq->cpu) == !dl->nr_running);
	CHECK((dl->earliest_ns != 0) == (dl->nr_running != 0));
	if (dl->nr_running) {
		CHECK(dl->earliest_ns == dl_of_node(dl->tree.leftmost)->deadline_ns);
		CHECK(m->rd.cpudl.heap[m->rd.cpudl.place[rq->cpu]].deadline_ns == dl->earliest_ns);
	}
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct dl_entity *se = m->tasks[i].dl;

		if (m->tasks[i].cpu != rq->cpu)
			continue;
		this_bw += se->in_this_bw ? se->dl_bw : 0;
		running_bw += se->in_running_bw ? se->dl_bw : 0;
	}
	CHECK(this_bw == dl->this_bw);
	CHECK(running_bw == dl->running_bw);
}

/* What was admitted adds up, and throttled tasks wait for a timer. */
static void audit_deadline_tasks(const struct machine *m)
{
	const struct dl_bw *b = &m->rd.dl_bw;
	uint64_t total_bw = 0;

	if (!m->dl_mem)
		return;
	cpudl_audit(m);
	CHECK(mask_weight(m->rd.dlo_mask) == m->rd.dlo_count);
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];
		const struct dl_entity *se = p->dl;

		CHECK(se->task == p);
		total_bw += se->admitted_bw;
		CHECK(!se->throttled || is_dl(p));
		CHECK(!se->throttled || se->replenish_armed);
		CHECK(!se->queued || !se->throttled);
		CHECK(!is_dl(p) || !p->se.on_rq || se->queued || se->throttled);
		CHECK(!se->non_contending || se->inactive_armed);
	}
	CHECK(total_bw == b->total_bw);
}

/* Each CPU is on one level and each level knows how many it has. */
static void audit_root_domain(const struct machine *m)
{
	const struct cpupri *c = &m->rd.cpupri;
	uint32_t ncpus = 0;

	for (uint32_t l = 0; l < CPUPRI_LEVELS; l++) {
		CHECK(mask_weight(c->mask[l]) == c->count[l]);
		CHECK((c->populated[l / 64] >> l % 64 & 1) == (c->count[l] > 0));
		ncpus += c->count[l];
	}
	CHECK(ncpus == m->nonline);
	CHECK(mask_weight(m->rd.rto_mask) == m->rd.rto_count);
}

static void audit_rq(struct machine *m, struct rq *rq)
{
	uint32_t nr = rq->cfs->h_nr_running + rq->stop->se.on_rq;
	uint64_t weight = rq->cfs->load.weight;

	audit_rt_rq(m, rq);
	audit_dl_rq(m, rq);
	nr += rq->dl.nr_running - rq->dl.server.queued;
	fair_server_audit(m, rq);
	if (rq->rt.queued)
		nr += rq->rt.nr_running;
	CHECK(rq->nr_running == nr);
	CHECK(rq->load.weight == weight);
	CHECK(rq->curr->cpu == rq->cpu);
	CHECK(rq->curr->on_cpu);
	if (kver_has(m->v, FEAT_LB_RQ_LIST))
		audit_rq_list(rq);
	CHECK(rq->curr == rq->idle || rq->curr == rq->stop || rq->curr->id > 0);
	for (uint32_t g = 0; g < m->ngroups; g++) {
		struct task_group *tg = &m->groups_mem[g];

		audit_cfs_rq(m, &tg->cfs_rq[rq->cpu]);
		if (tg->parent)
			CHECK(tg->se[rq->cpu].on_rq == (tg->se[rq->cpu].sched_delayed ||
							(tg->cfs_rq[rq->cpu].nr_running > 0 &&
							 !tg->cfs_rq[rq->cpu].bw.throttled)));
	}
}

void sched_audit(struct machine *m)
{
	uint32_t queued = 0, listed = 0;

	for (uint32_t i = 0; i < m->ncpus; i++) {
		if (!m->cpus[i].online)
			continue;
		audit_rq(m, &m->cpus[i].rq);
		CHECK(mask_test(m->idling, i) == (m->cpus[i].rq.curr == m->cpus[i].rq.idle));
		queued += m->cpus[i].rq.cfs->h_nr_running + m->cpus[i].rq.rt.nr_running +
			  m->cpus[i].rq.dl.nr_running - m->cpus[i].rq.dl.server.queued;
	}
	audit_root_domain(m);
	audit_deadline_tasks(m);
	for (uint32_t i = 0; i < m->ngroups; i++)
		audit_group(m, &m->groups_mem[i]);
	for (uint32_t i = 0; i < m->ngroups; i++)
		cfs_bandwidth_audit(m, &m->groups_mem[i]);
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];

		if (!p->se.on_rq || (p->dl && p->dl->throttled))
			continue;
		if (p->class == &fair_sched_class && throttled_hierarchy(p->se.cfs_rq))
			continue;
		listed++;
		CHECK(mask_test(p->allowed, p->cpu) || p->migrate_to != CPU_NONE || p->on_cpu);
		CHECK(m->cpus[p->cpu].online);
	}
	CHECK(queued == listed);
	CHECK(m->nohz.ncpus == mask_weight(m->nohz.cpu_mask));
	cpu_sums_audit(m);
	rcu_audit(m);
}
