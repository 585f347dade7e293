/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is busiest and by how much, computed a second time in the plainest way:
 * each term of the decision is a named number, every operation goes through
 * 128 bits and is then reduced modulo 2^64. Machines in random states, also ones
 * that only races produce, must get the same answer from both.
 *
 * Linux: sched_fair.c find_busiest_group(), find_busiest_queue(); 2.6.34 and 2.6.35.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static uint64_t mod64(u128 x)
{
	return (uint64_t)(x & UINT64_MAX);
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return mod64((u128)a + b);
}

static uint64_t sub(uint64_t a, uint64_t b)
{
	return mod64(((u128)1 << 64) + a - b);
}

static uint64_t mul(uint64_t a, uint64_t b)
{
	return mod64((u128)a * b);
}

/* a * 1024 / b, the product modulo 2^64 */
static uint64_t per(uint64_t a, uint64_t b)
{
	return mul(a, 1024) / b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is asked: may CPU `cpu`, balancing domain SD for reason IDLE, take from CANDIDATES? */
struct question {
	struct hand *h;
	struct sched_domain *sd;
	uint32_t cpu;
	enum cpu_idle_type idle;
	const struct mask *candidates;
};

struct group_sums {
	uint64_t load, nr, weighted, power, avg, capacity;
	bool imb;
};

struct answer {
	const struct sched_group *busiest;
	const struct rq *queue;
	uint64_t imbalance;
	bool should_balance, sd_idle;
};

static uint32_t load_idx(const struct question *q)
{
	if (q->idle == CPU_NOT_IDLE)
		return q->sd->busy_idx;
	return q->idle == CPU_NEWLY_IDLE ? q->sd->newidle_idx : q->sd->idle_idx;
}

/* The lesser (or greater) of the load now and the decayed one. */
static uint64_t load_of(const struct question *q, uint32_t cpu, bool greater)
{
	const struct rq *rq = hand_rq(q->h, cpu);
	uint32_t idx = load_idx(q);
	uint64_t old;

	if (idx == 0 || !kver_has(&q->h->v, FEAT_LB_BIAS))
		return rq->load.weight;
	old = rq->cpu_load[idx - 1];
	if (greater)
		return old > rq->load.weight ? old : rq->load.weight;
	return least(old, rq->load.weight);
}

/* Power of the asking CPU's own group: of one thread, or the sum of what is stored below. */
static uint64_t own_power(const struct question *q)
{
	const struct sched_domain *child = q->sd->child;
	const struct sched_group *g;
	uint64_t sum = 0;

	if (!child) {
		if (!(q->sd->flags & SD_SHARE_CPUPOWER) || q->sd->span_weight == 1)
			return 1024;
		return q->sd->smt_gain / q->sd->span_weight;
	}
	g = child->groups;
	do {
		sum += g->cpu_power;
		g = g->next;
	} while (g != child->groups);
	return sum;
}

static void sum_group(const struct question *q, const struct sched_group *g, bool local,
		      struct group_sums *s, struct answer *a)
{
	uint64_t max = 0, min = UINT64_MAX;
	uint32_t job = CPU_NONE;

	*s = (struct group_sums){.power = local ? own_power(q) : g->cpu_power};
	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		const struct rq *rq = hand_rq(q->h, cpu);
		uint64_t load = load_of(q, cpu, local);

		if (!mask_test(g->cpus, cpu) || !mask_test(q->candidates, cpu))
			continue;
		if (rq->nr_running)
			a->sd_idle = false;
		if (local && job == CPU_NONE && rq->curr == rq->idle)
			job = cpu;
		if (!local) {
			max = load > max ? load : max;
			min = least(load, min);
		}
		s->load = add(s->load, load);
		s->nr = add(s->nr, rq->nr_running);
		s->weighted = add(s->weighted, rq->load.weight);
	}
	if (job == CPU_NONE)
		job = mask_first(g->cpus);
	if (local && q->idle != CPU_NEWLY_IDLE && job != q->cpu)
		a->should_balance = false;
	s->avg = per(s->load, s->power);
	s->capacity = (s->power + 512) / 1024;
	s->imb = sub(max, min) > 2 * (s->nr ? s->weighted / s->nr : 0);
}

struct terms {
	struct group_sums here, there;
	uint64_t avg, lpt_here, lpt_there;
};

/* Would the two groups together do more if one average task moved? */
static bool is_worth_one_task(const struct terms *t)
{
	const struct group_sums *here = &t->here, *there = &t->there;
	uint64_t one = per(t->lpt_there, there->power), gain;
	uint64_t now = mul(there->power, least(t->lpt_there, there->avg));
	uint64_t moved = 0;

	now = add(now, mul(here->power, least(t->lpt_here, here->avg))) / 1024;
	if (there->avg > one)
		moved = mul(there->power, least(t->lpt_there, there->avg - one));
	if (mul(there->avg, there->power) < mul(t->lpt_there, 1024))
		gain = mul(there->avg, there->power) / here->power;
	else
		gain = per(t->lpt_there, here->power);
	moved = add(moved, mul(here->power, least(t->lpt_here, add(here->avg, gain))));
	return moved / 1024 > now;
}

static uint64_t small_imbalance(const struct question *q, struct terms *t, uint64_t imbalance)
{
	const struct rq *rq = hand_rq(q->h, q->cpu);
	uint64_t one = per(t->lpt_there, t->there.power), factor = 2;

	if (t->here.nr) {
		t->lpt_here = t->here.weighted / t->here.nr;
		if (t->lpt_there > t->lpt_here)
			factor = 1;
	} else {
		t->lpt_here = rq->nr_running ? rq->load.weight / rq->nr_running : 0;
	}
	if (add(sub(t->there.avg, t->here.avg), one) >= mul(one, factor))
		return t->lpt_there;
	return is_worth_one_task(t) ? t->lpt_there : imbalance;
}

static uint64_t imbalance_of(const struct question *q, struct terms *t)
{
	const struct group_sums *here = &t->here, *there = &t->there;
	uint64_t above = UINT64_MAX, pull, imbalance;

	t->lpt_there = there->weighted / there->nr;
	if (there->imb)
		t->lpt_there = least(t->lpt_there, t->avg);
	if (there->avg < t->avg)
		return small_imbalance(q, t, 0);
	if (!there->imb)
		above = mul(mul(sub(there->nr, there->capacity), 1024), 1024) / there->power;
	pull = least(sub(there->avg, t->avg), above);
	imbalance = least(mul(pull, there->power), mul(sub(t->avg, here->avg), here->power)) / 1024;
	return imbalance < t->lpt_there ? small_imbalance(q, t, imbalance) : imbalance;
}

static void answer_group(const struct question *q, struct answer *a)
{
	const struct sched_domain *child = q->sd->child;
	const struct sched_group *g = q->sd->groups;
	uint64_t load = 0, power = 0;
	struct terms t = {.avg = 0};

	do {
		bool local = mask_test(g->cpus, q->cpu);
		struct group_sums s;

		sum_group(q, g, local, &s, a);
		if (!a->should_balance)
			return;
		load = add(load, s.load);
		power = add(power, s.power);
		if (child && (child->flags & SD_PREFER_SIBLING))
			s.capacity = least(s.capacity, 1);
		if (local) {
			t.here = s;
		} else if (s.avg > t.there.avg && (s.nr > s.capacity || s.imb)) {
			t.there = s;
			a->busiest = g;
		}
		g = g->next;
	} while (g != q->sd->groups);
	t.avg = mul(1024, load) / power;
	if (!a->busiest || !t.there.nr || t.here.avg >= t.there.avg || t.here.avg >= t.avg ||
	    mul(100, t.there.avg) <= mul(q->sd->imbalance_pct, t.here.avg)) {
		a->busiest = NULL;
		return;
	}
	a->imbalance = imbalance_of(q, &t);
}

static void answer_queue(const struct question *q, struct answer *a)
{
	uint64_t most = 0;

	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		const struct rq *rq = hand_rq(q->h, cpu);
		bool by_rq = kver_has(&q->h->v, FEAT_RQ_CPU_POWER);
		uint64_t power = by_rq ? rq->cpu_power : rq->sd->groups->cpu_power;

		if (!mask_test(a->busiest->cpus, cpu) || !mask_test(q->candidates, cpu))
			continue;
		if (power >= 512 && rq->nr_running == 1 && rq->load.weight > a->imbalance)
			continue;
		if (per(rq->load.weight, power) > most) {
			most = per(rq->load.weight, power);
			a->queue = rq;
		}
	}
}

/* -- random states -- */

/* What a CPU's queue looks like from outside; nothing else of it is true. */
static void random_queue(struct rq *rq, struct rng *r)
{
	static const uint32_t weights[] = {15, 335, 820, 1024, 1024, 1024, 1024, 3121, 88761};

	rq->nr_running = rng_below(r, 4) ? (uint32_t)rng_below(r, 6) : (uint32_t)rng_below(r, 40);
	rq->load.weight = 0;
	for (uint32_t i = 0; i < rq->nr_running; i++)
		rq->load.weight += weights[rng_below(r, 9)];
	/* tasks in groups may weigh next to nothing, and counts may be out of step */
	if (!rng_below(r, 5))
		rq->load.weight = rng_below(r, 60);
	if (!rng_below(r, 20))
		rq->nr_running = 0;
	rq->curr = rq->nr_running && rng_below(r, 10) ? rq->stop : rq->idle;
	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++) {
		rq->cpu_load[i] = rq->load.weight;
		if (rng_below(r, 2))
			rq->cpu_load[i] = rng_below(r, 2 * rq->load.weight + 1024);
	}
	rq->cpu_power = rng_below(r, 3) ? 589 : (uint32_t)rng_between(r, 1, 1200);
}

static void random_state(struct hand *h, struct rng *r)
{
	bool odd_powers = !rng_below(r, 3);

	for (uint32_t cpu = 0; cpu < h->m->ncpus; cpu++)
		random_queue(hand_rq(h, cpu), r);
	for (uint32_t i = 0; i < h->m->nsgroups; i++) {
		struct sched_group *g = h->m->sgroups[i];

		if (odd_powers)
			g->cpu_power = (uint32_t)rng_between(r, 1, 1100 * g->ncpus);
	}
}

static void compare(const struct question *q, struct answer *a)
{
	uint64_t mem[MASK_WORDS(64)];
	struct mask *cpus = mask_init(mem, q->h->m->ncpus);
	struct lb lb = {
		.sd = q->sd,
		.this_rq = hand_rq(q->h, q->cpu),
		.idle = q->idle,
		.cpus = cpus,
		.all_candidates = mask_equal(q->candidates, q->h->m->online),
		.should_balance = true,
		.sd_idle = true,
	};
	struct sched_group *busiest;

	mask_copy(cpus, q->candidates);
	*a = (struct answer){.should_balance = true, .sd_idle = true};
	answer_group(q, a);
	busiest = find_busiest_group(hand_k(q->h, q->cpu), &lb);
	assert_ptr_equal(busiest, a->busiest);
	assert_int_equal(lb.should_balance, a->should_balance);
	if (a->should_balance)
		assert_int_equal(lb.sd_idle, a->sd_idle);
	if (!busiest)
		return;
	assert_true(lb.imbalance == a->imbalance);
	answer_queue(q, a);
	assert_ptr_equal(find_busiest_queue(hand_k(q->h, q->cpu), &lb, busiest), a->queue);
}

static const struct {
	uint32_t sockets, cores, threads;
} machines[] = {{1, 2, 1}, {1, 1, 2}, {1, 4, 2}, {2, 4, 2}, {4, 2, 1}, {2, 3, 3}, {3, 1, 4}};

static void test_busiest_group_and_queue_agree_with_plain_arithmetic(void **state)
{
	static const char *const kernels[] = {"2.6.34", "2.6.35", "2.6.35-rc2",
					      "2.6.34,NO_LB_BIAS"};
	uint64_t found = 0, queues = 0, refused = 0;
	const uint32_t nmachines = sizeof(machines) / sizeof(machines[0]);

	for (uint32_t i = 0; i < nmachines * 4; i++) {
		struct rng r = rng_stream(i, "busiest", 0);
		uint64_t mem[MASK_WORDS(64)];
		struct mask *candidates;
		struct hand h;

		hand_init(&h, kernels[i % 4], machines[i / 4].sockets, machines[i / 4].cores,
			  machines[i / 4].threads);
		candidates = mask_init(mem, h.m->ncpus);
		for (uint32_t step = 0; step < 3000; step++) {
			struct question q = {.h = &h, .candidates = candidates};
			struct answer a;

			random_state(&h, &r);
			q.cpu = (uint32_t)rng_below(&r, h.m->ncpus);
			q.idle = (enum cpu_idle_type)rng_below(&r, CPU_IDLE_TYPES);
			q.sd = hand_rq(&h, q.cpu)->sd;
			while (q.sd->parent && rng_below(&r, 2))
				q.sd = q.sd->parent;
			mask_copy(candidates, h.m->online);
			if (!rng_below(&r, 4))
				mask_clear(candidates, (uint32_t)rng_below(&r, h.m->ncpus));
			compare(&q, &a);
			found += a.busiest != NULL;
			queues += a.queue != NULL;
			refused += !a.should_balance;
		}
		free(h.arena.base);
		free(h.topo.cpu);
		free(h.topo.node);
		free(h.topo.distance);
	}
	/* every way out was taken often */
	assert_true(found > 5000);
	assert_true(queues > 5000);
	assert_true(refused > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busiest_group_and_queue_agree_with_plain_arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
