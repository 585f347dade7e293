/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fair class against plain second implementations: a sorted array for the
 * timeline, an unordered list of tasks with the rules of virtual time for one
 * flat queue, and the recursive definition of h_load.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/fair/cfs_rq.h"
#include "sched/fair/group.h"
#include "sched/fair/weight.h"
#include "sched/hand_machine.h"

/* -- the timeline -- */

#define ENTITIES 300u

struct sorted {
	struct entity *at[ENTITIES];
	uint32_t n;
};

/* Behind all whose vruntime is not greater, in wrapping order. */
static void sorted_insert(struct sorted *s, struct entity *se)
{
	uint32_t i = s->n++;

	while (i > 0 && (int64_t)(se->vruntime_vns - s->at[i - 1]->vruntime_vns) < 0) {
		s->at[i] = s->at[i - 1];
		i--;
	}
	s->at[i] = se;
}

static void sorted_erase(struct sorted *s, const struct entity *se)
{
	uint32_t i = 0;

	while (s->at[i] != se)
		i++;
	for (s->n--; i < s->n; i++)
		s->at[i] = s->at[i + 1];
}

static void assert_same_order(const struct cfs_rq *q, const struct sorted *s)
{
	struct rb_node *node = q->timeline.leftmost;

	for (uint32_t i = 0; i < s->n; i++) {
		assert_non_null(node);
		assert_ptr_equal(container_of(node, struct entity, node), s->at[i]);
		node = rb_next(node);
	}
	assert_null(node);
	assert_ptr_equal(cfs_rq_leftmost(q), s->n ? s->at[0] : NULL);
	assert_ptr_equal(cfs_rq_rightmost(q), s->n ? s->at[s->n - 1] : NULL);
	assert_true(rb_is_valid(&q->timeline));
}

/* Around zero, so that the unsigned times wrap; few values, so that many tie. */
static void test_timeline_agrees_with_a_sorted_array(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct rng r = rng_stream(seed, "timeline", 0);
		uint64_t spread = UINT64_C(1) << rng_below(&r, 40);
		struct entity se[ENTITIES] = {0};
		bool queued[ENTITIES] = {0};
		struct sorted s = {.n = 0};
		struct cfs_rq q = {0};

		for (uint32_t step = 0; step < 3000; step++) {
			uint32_t i = (uint32_t)rng_below(&r, ENTITIES);

			if (queued[i]) {
				timeline_erase(&q, &se[i]);
				sorted_erase(&s, &se[i]);
			} else {
				se[i].vruntime_vns = rng_below(&r, 2 * spread) - spread;
				timeline_insert(&q, &se[i]);
				sorted_insert(&s, &se[i]);
			}
			queued[i] = !queued[i];
			if (step % 50 == 0)
				assert_same_order(&q, &s);
			assert_ptr_equal(cfs_rq_leftmost(&q), s.n ? s.at[0] : NULL);
		}
	}
}

/* -- one flat queue -- */

#define TASKS 12u

/* A task as the rules see it. */
struct plain_task {
	int64_t v;
	uint64_t weight, inverse, sum_exec, exec_start;
	uint64_t queued_order; /* among equals the one that was put in the tree first */
	bool queued;
};

struct plain_queue {
	struct plain_task task[TASKS];
	int64_t min_v;
	int32_t curr; /* -1: none */
	uint64_t clock, orders;
	int64_t credit; /* of a waking sleeper */
};

/* delta * 1024 / weight with the 32-bit inverse, in 128 bits; rounds half up twice if large. */
static int64_t plain_virtual(const struct plain_task *t, uint64_t delta)
{
	u128 x = (u128)delta * 1024, half = (u128)1 << 31;

	if (t->weight == 1024)
		return (int64_t)delta;
	if (x > (u128)1 << 32) {
		x = (x + 32768) >> 16;
		return (int64_t)((x * t->inverse + 32768) >> 16);
	}
	return (int64_t)((x * t->inverse + half) >> 32);
}

static int32_t plain_first(const struct plain_queue *q)
{
	int32_t best = -1;

	for (int32_t i = 0; i < (int32_t)TASKS; i++) {
		const struct plain_task *t = &q->task[i];

		if (!t->queued || i == q->curr)
			continue;
		if (best < 0 || t->v < q->task[best].v ||
		    (t->v == q->task[best].v && t->queued_order < q->task[best].queued_order))
			best = i;
	}
	return best;
}

static void plain_update_min(struct plain_queue *q)
{
	int32_t first = plain_first(q);
	int64_t v;

	if (q->curr < 0 && first < 0)
		return;
	if (q->curr < 0)
		v = q->task[first].v;
	else if (first < 0)
		v = q->task[q->curr].v;
	else
		v = q->task[first].v < q->task[q->curr].v ? q->task[first].v : q->task[q->curr].v;
	if (v > q->min_v)
		q->min_v = v;
}

static void plain_update(struct plain_queue *q)
{
	struct plain_task *t;
	uint64_t delta;

	if (q->curr < 0)
		return;
	t = &q->task[q->curr];
	delta = q->clock - t->exec_start;
	if (!delta)
		return;
	t->sum_exec += delta;
	t->v += plain_virtual(t, delta);
	t->exec_start = q->clock;
	plain_update_min(q);
}

static void plain_enqueue(struct plain_queue *q, int32_t i, bool woken)
{
	struct plain_task *t = &q->task[i];

	if (!woken)
		t->v += q->min_v;
	plain_update(q);
	if (woken && t->v < q->min_v - q->credit)
		t->v = q->min_v - q->credit;
	t->queued = true;
	t->queued_order = q->orders++;
}

static void plain_dequeue(struct plain_queue *q, int32_t i, bool sleeps)
{
	struct plain_task *t = &q->task[i];

	plain_update(q);
	t->queued = false;
	plain_update_min(q);
	if (!sleeps)
		t->v -= q->min_v;
}

static void plain_put(struct plain_queue *q)
{
	if (q->curr >= 0 && q->task[q->curr].queued) {
		plain_update(q);
		q->task[q->curr].queued_order = q->orders++;
	}
	q->curr = -1;
}

static int32_t plain_pick(struct plain_queue *q)
{
	q->curr = plain_first(q);
	if (q->curr >= 0)
		q->task[q->curr].exec_start = q->clock;
	return q->curr;
}

/* Both sides of one queue. */
struct both {
	struct hand h;
	struct plain_queue q;
	struct task *p[TASKS];
};

static void assert_same_times(const struct both *b)
{
	const struct cfs_rq *cfs = b->h.m->cpus[0].rq.cfs;

	assert_true((int64_t)cfs->min_vruntime_vns == b->q.min_v);
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct entity *se = &b->p[i]->se;

		assert_int_equal(se->on_rq, b->q.task[i].queued);
		assert_true((int64_t)se->vruntime_vns == b->q.task[i].v);
		assert_true(se->sum_exec_ns == b->q.task[i].sum_exec);
	}
}

static void reschedule(struct both *b)
{
	struct kctx *k = hand_k(&b->h, 0);
	struct rq *rq = hand_rq(&b->h, 0);
	struct task *next;
	int32_t plain;

	rq->curr->class->put_prev(k, rq, rq->curr);
	plain_put(&b->q);
	next = fair_sched_class.pick_next(k, rq);
	plain = plain_pick(&b->q);
	assert_ptr_equal(next, plain < 0 ? NULL : b->p[plain]);
	rq->curr->on_cpu = false;
	set_rq_curr(b->h.m, rq, next ? next : rq->idle);
	rq->curr->on_cpu = true;
}

static void random_operation(struct both *b, struct rng *r)
{
	struct kctx *k = hand_k(&b->h, 0);
	struct rq *rq = hand_rq(&b->h, 0);
	int32_t i = (int32_t)rng_below(r, TASKS);
	bool sleeps = rng_below(r, 2);

	k->now_ns += rng_below(r, UINT64_C(1) << rng_below(r, 26));
	update_rq_clock(k, rq);
	b->q.clock = rq->clock_ns;
	rq->curr->need_resched = false;
	switch (rng_below(r, 4)) {
	case 0:
		reschedule(b);
		break;
	case 1:
		if (rq->curr == rq->idle)
			break;
		fair_sched_class.tick(k, rq, rq->curr);
		plain_update(&b->q);
		break;
	default:
		if (b->q.task[i].queued) {
			deactivate_task(k, rq, b->p[i], sleeps ? DEQUEUE_SLEEP : 0);
			plain_dequeue(&b->q, i, sleeps);
			if (i == b->q.curr)
				reschedule(b);
			if (sleeps)
				break;
			/* it moved away and comes back */
		}
		activate_task(k, rq, b->p[i], b->q.task[i].sum_exec && sleeps ? ENQUEUE_WAKEUP : 0);
		plain_enqueue(&b->q, i, b->q.task[i].sum_exec && sleeps);
		break;
	}
}

static void begin_both(struct both *b, const char *kernel, struct rng *r)
{
	hand_init(&b->h, kernel, 1, 1, 1);
	memset(&b->q, 0, sizeof(b->q));
	b->q.curr = -1;
	b->q.min_v = -(INT64_C(1) << 20);
	b->q.credit = (int64_t)(b->h.m->tun.latency_ns / 2);
	for (uint32_t i = 0; i < TASKS; i++) {
		const struct task_attr attr = {.nice = (int32_t)rng_below(r, 40) - 20};
		struct load_weight lw = weight_of_nice(attr.nice);
		struct task *p = sched_new_task(hand_k(&b->h, 0), NULL, &attr, b->h.m->groups_mem);

		p->state = TASK_RUNNING;
		b->p[i] = p;
		b->q.task[i] = (struct plain_task){
			.v = (int64_t)p->se.vruntime_vns, .weight = lw.weight, .inverse = lw.inv};
	}
}

static void test_flat_queue_agrees_with_the_rules(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct rng r = rng_stream(seed, "flat-queue", 0);
		struct both b;

		begin_both(&b, kernels[seed % 3], &r);
		for (uint32_t step = 0; step < 1500; step++) {
			random_operation(&b, &r);
			assert_same_times(&b);
		}
		hand_free(&b.h);
	}
}

/* -- h_load -- */

/* What of CPU's load is G's: the parent's part times G's shares there over the parent's load. */
static uint64_t plain_h_load(const struct task_group *g, uint32_t cpu)
{
	u128 up;

	if (!g->parent)
		return g->cfs_rq[cpu].rq->load.weight;
	up = plain_h_load(g->parent, cpu);
	return (uint64_t)(up * g->cfs_rq[cpu].shares /
			  ((u128)g->parent->cfs_rq[cpu].load.weight + 1));
}

static void test_h_load_agrees_with_its_definition(void **state)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct rng r = rng_stream(seed, "h-load", 0);
		uint32_t ngroups = (uint32_t)rng_below(&r, HAND_GROUPS + 1);
		struct rql_error e;
		struct hand h;

		hand_init(&h, seed & 1 ? "2.6.35" : "2.6.34", 1, 2, 1);
		for (uint32_t i = 0; i < ngroups; i++)
			assert_non_null(sched_create_group(
				h.m, &h.m->groups_mem[rng_below(&r, h.m->ngroups)], "/g", &e));
		for (uint32_t i = 0; i < h.m->ngroups; i++) {
			struct cfs_rq *q = &h.m->groups_mem[i].cfs_rq[1];

			q->h_load = 12345;
			q->load.weight = rng_below(&r, 200000);
			q->shares = rng_below(&r, MAX_SHARES);
		}
		hand_rq(&h, 1)->load.weight = rng_below(&r, 200000);
		update_h_load(hand_k(&h, 0), 1);
		for (uint32_t i = 0; i < h.m->ngroups; i++) {
			const struct task_group *g = &h.m->groups_mem[i];
			bool stale = kver_has(&h.v, FEAT_STALE_H_LOAD) && !ngroups;

			assert_true(g->cfs_rq[1].h_load == (stale ? 12345 : plain_h_load(g, 1)));
			assert_int_equal(g->cfs_rq[0].h_load, 0);
		}
		free(h.arena.base);
		free(h.topo.cpu);
		free(h.topo.node);
		free(h.topo.distance);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeline_agrees_with_a_sorted_array),
		cmocka_unit_test(test_flat_queue_agrees_with_the_rules),
		cmocka_unit_test(test_h_load_agrees_with_its_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
