/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is busiest in 6.1, in 6.12 and in both as Debian has them, a second time, as the rules are
 * told: all groups are looked at, then typed, then one is chosen, then the amount computed, and
 * a queue found. What a kernel has is asked by its number, not by its deltas. Machines in random
 * states, also ones that only races produce, must get the same answer from both.
 *
 * Linux: kernel/sched/fair.c update_sd_lb_stats(), find_busiest_group(), calculate_imbalance(),
 * find_busiest_queue(), update_idle_cpu_scan(), should_we_balance(); 6.1, 6.12.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"

#define MAX_GROUPS 64

enum type {
	SPARE,
	FULL,
	MISFIT,
	TWO_ON_A_CORE,
	PACK,
	IMBALANCED,
	OVERLOADED
};

struct question {
	struct hand *h;
	bool is_612, stable; /* else 6.1; with what came in stable trees */
	struct sched_domain *sd;
	uint32_t cpu;
	enum cpu_idle_type idle;
	const struct mask *candidates;
};

struct group {
	const struct sched_group *g;
	bool local, smt;
	enum type type;
	uint64_t load, util, runnable, cap, min_cap, max_cap, misfit, avg;
	uint32_t fair, nr, idle, weight;
};

struct answer {
	const struct sched_group *busiest;
	const struct rq *queue;
	int64_t imbalance;
	char kind; /* of what is to move: Load, Util, Task, Misfit */
	bool overload;
};

static const struct rq *rq_at(const struct question *q, uint32_t cpu)
{
	return hand_rq(q->h, cpu);
}

static bool idles(const struct rq *rq)
{
	return rq->curr == rq->idle && !rq->nr_running && !rq->wake_list;
}

static bool sibling_runs(const struct question *q, uint32_t cpu)
{
	for (uint32_t i = 0; i < q->h->m->ncpus; i++)
		if (i != cpu && q->h->topo.cpu[i].core == q->h->topo.cpu[cpu].core &&
		    !idles(rq_at(q, i)))
			return true;
	return false;
}

static bool has_flag(const struct question *q, uint32_t flag)
{
	return (q->sd->flags & flag) != 0;
}

static bool cpu_idles(const struct question *q)
{
	return q->idle != CPU_NOT_IDLE;
}

/* Lower numbers are ranked higher. */
static bool ranked_higher(uint32_t a, uint32_t b)
{
	return a < b;
}

static bool rank_counts(const struct question *q, uint32_t cpu)
{
	bool smt_machine = q->h->m->smt_active;

	if (!has_flag(q, SD_ASYM_PACKING))
		return false;
	return !smt_machine || has_flag(q, SD_SHARE_CPUPOWER) || !sibling_runs(q, cpu);
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t util_of(const struct rq *rq)
{
	uint64_t util = most(rq->cfs->avg.util_avg, rq->cfs->avg.util_est.enqueued);

	return util < 1024 ? util : 1024;
}

/* What is left on the balancing CPU is known anew at its lowest level. */
static bool capacity_is_new(const struct question *q)
{
	uint64_t now = jiffies(hand_k(q->h, q->cpu));

	return q->idle != CPU_NEWLY_IDLE || now >= q->sd->groups->sgc->next_update;
}

static uint64_t own_capacity(const struct question *q)
{
	uint64_t used = rq_at(q, q->cpu)->pelt.avg_rt.util_avg;

	if (q->sd->child || !capacity_is_new(q))
		return rq_at(q, q->cpu)->cpu_capacity;
	return used >= 1024 ? 1 : 1024 - used;
}

static void see_capacity(const struct question *q, struct group *s)
{
	const struct sched_group *g;

	s->cap = s->g->sgc->capacity;
	s->min_cap = s->g->sgc->min_capacity;
	s->max_cap = s->g->sgc->max_capacity;
	if (!s->local || !capacity_is_new(q))
		return;
	if (!q->sd->child) {
		s->cap = s->min_cap = s->max_cap = own_capacity(q);
		return;
	}
	s->cap = s->max_cap = 0;
	s->min_cap = UINT64_MAX;
	g = q->sd->child->groups;
	do {
		s->cap += g->sgc->capacity;
		s->max_cap = most(s->max_cap, g->sgc->max_capacity);
		if (g->sgc->min_capacity < s->min_cap)
			s->min_cap = g->sgc->min_capacity;
		g = g->next;
	} while (g != q->sd->child->groups);
}

static void see_cpu(const struct question *q, struct group *s, const struct rq *rq,
		    struct answer *a)
{
	s->load += rq->cfs->avg.load_avg;
	s->util += util_of(rq);
	s->runnable += rq->cfs->avg.runnable_avg;
	s->fair += rq->cfs->h_nr_running;
	s->nr += rq->nr_running;
	if (rq->nr_running > 1)
		a->overload = true;
	if (idles(rq)) {
		s->idle++;
		return;
	}
	if (s->local)
		return;
	if (has_flag(q, SD_ASYM_CPUCAPACITY)) {
		s->misfit = most(s->misfit, rq->misfit_task_load);
		if (s->misfit && s->misfit == rq->misfit_task_load)
			a->overload = true;
	} else if (cpu_idles(q) && rq->cfs->h_nr_running == 1 &&
		   rq->cpu_capacity * q->sd->imbalance_pct < 1024 * 100) {
		s->misfit = most(s->misfit, rq->cfs->avg.load_avg);
	}
}

static void type_group(const struct question *q, struct group *s, const struct group *l)
{
	uint64_t pct = q->sd->imbalance_pct;
	bool waits = s->cap * pct < s->runnable * 100;
	uint32_t busy = s->weight - s->idle, rank = s->g->asym_prefer_cpu;
	bool pack = false;

	if (!s->local && has_flag(q, SD_ASYM_PACKING) && cpu_idles(q) && s->fair) {
		bool higher = ranked_higher(q->cpu, rank);

		if (q->is_612)
			pack = !(s->smt && busy != 1) && rank_counts(q, q->cpu) && higher;
		else if (!l->smt && s->smt)
			pack = busy >= 2 || higher;
		else if (l->smt && s->smt)
			pack = busy == l->weight - l->idle + 1 && higher;
		else if (l->smt)
			pack = !l->nr && higher;
		else
			pack = higher;
	}
	if (s->nr > s->weight && (s->cap * 100 < s->util * pct || waits))
		s->type = OVERLOADED;
	else if (s->g->sgc->imbalance)
		s->type = IMBALANCED;
	else if (pack)
		s->type = PACK;
	else if (q->is_612 && cpu_idles(q) && !s->local && s->smt && s->fair > 1)
		s->type = TWO_ON_A_CORE;
	else if (s->misfit)
		s->type = MISFIT;
	else if (s->nr < s->weight || (!waits && s->cap * 100 > s->util * pct))
		s->type = SPARE;
	else
		s->type = FULL;
	s->avg = s->type == OVERLOADED ? s->load * 1024 / s->cap : 0;
}

static uint32_t see_groups(const struct question *q, struct group *s, struct answer *a)
{
	const struct sched_group *g = q->sd->groups;
	uint32_t n = 0;

	do {
		s[n] = (struct group){.g = g,
				      .local = n == 0,
				      .smt = g->flags & SD_SHARE_CPUPOWER,
				      .weight = mask_weight(g->cpus)};
		see_capacity(q, &s[n]);
		for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++)
			if (mask_test(g->cpus, cpu) && mask_test(q->candidates, cpu))
				see_cpu(q, &s[n], rq_at(q, cpu), a);
		type_group(q, &s[n], &s[0]);
		n++;
		g = g->next;
	} while (g != q->sd->groups);
	return n;
}

/* -- the busiest -- */

static bool fewer_idle(const struct group *s, const struct group *b)
{
	uint32_t idle = b ? b->idle : UINT32_MAX, nr = b ? b->nr : 0;

	return s->idle < idle || (s->idle == idle && s->nr > nr);
}

static bool fuller(const struct question *q, const struct group *s, const struct group *b)
{
	uint64_t avg = b ? b->avg : 0;

	if (!q->is_612 || s->avg != avg)
		return s->avg > avg;
	return !(b && b->smt);
}

static bool wins_in_type(const struct question *q, const struct group *s, const struct group *b)
{
	switch (s->type) {
	case OVERLOADED:
		return s->avg > (b ? b->avg : 0);
	case IMBALANCED:
		return false;
	case PACK:
		if (q->is_612)
			return ranked_higher(b->g->asym_prefer_cpu, s->g->asym_prefer_cpu);
		return !ranked_higher(s->g->asym_prefer_cpu, b->g->asym_prefer_cpu);
	case MISFIT:
		return q->is_612 ? s->misfit > b->misfit : s->misfit >= b->misfit;
	case TWO_ON_A_CORE:
		return s->idle || b->idle ? fewer_idle(s, b) : fuller(q, s, b);
	case FULL:
		return fuller(q, s, b);
	case SPARE:
		if (q->is_612 && b && b->smt != s->smt)
			return !s->smt || s->fair > 1;
		return fewer_idle(s, b);
	}
	return false;
}

static bool is_busier(const struct question *q, const struct group *s, const struct group *l,
		      const struct group *b)
{
	bool asym = has_flag(q, SD_ASYM_CPUCAPACITY);
	enum type type = b ? b->type : SPARE;

	if (!s->fair)
		return false;
	if (asym && s->type == MISFIT &&
	    (sibling_runs(q, q->cpu) || own_capacity(q) * 1024 <= s->max_cap * 1078 ||
	     l->type != SPARE))
		return false;
	if (asym && s->type <= FULL && s->min_cap * 1024 > own_capacity(q) * 1078)
		return false;
	return s->type > type || (s->type == type && wins_in_type(q, s, b));
}

/* Twice what is to go over so that both have as much per core. */
static int64_t task_difference(const struct question *q, const struct group *l,
			       const struct group *b)
{
	int64_t here = l->nr, there = b->nr, x;
	int64_t lc = l->g->cores, bc = b->g->cores;

	if (!q->is_612)
		return there > here ? there - here : 0;
	if (!cpu_idles(q) || !there)
		return 0;
	if (lc == bc)
		return there > here ? there - here : 0;
	x = lc * there - bc * here;
	if (x < 0)
		x = 0;
	x = (2 * x + lc + bc) / (lc + bc);
	return x <= 1 && here == 0 && there > 1 ? 2 : x;
}

static bool spreads(const struct question *q, const struct group *b)
{
	if (q->is_612)
		return b->g->flags & SD_PREFER_SIBLING;
	return q->sd->child && (q->sd->child->flags & SD_PREFER_SIBLING);
}

static bool is_balanced(const struct question *q, const struct group *l, const struct group *b,
			uint64_t avg)
{
	if (b->type == MISFIT || b->type == PACK || b->type == IMBALANCED)
		return false;
	if (l->type > b->type)
		return true;
	if (l->type == OVERLOADED &&
	    (l->avg >= b->avg || l->avg >= avg || 100 * b->avg <= q->sd->imbalance_pct * l->avg))
		return true;
	if (spreads(q, b) && l->type == SPARE && task_difference(q, l, b) > 1)
		return false;
	if (b->type == OVERLOADED)
		return false;
	if (!cpu_idles(q))
		return true;
	if (b->type == TWO_ON_A_CORE && b->smt != l->smt)
		return false;
	return (b->weight > 1 && l->idle <= b->idle + 1) || b->fair == 1;
}

/* Between nodes few tasks may be unequal. */
static int64_t forgiven(const struct question *q, const struct group *l, int64_t tasks)
{
	int64_t narrow = (int32_t)(uint32_t)tasks;

	if (!has_flag(q, SD_NUMA))
		return tasks;
	return l->nr + 1 > q->sd->imb_numa_nr || narrow > 2 ? narrow : 0;
}

static void amount(const struct question *q, struct group *l, const struct group *b, uint64_t avg,
		   struct answer *a)
{
	u128 there, here;

	a->kind = 'T';
	a->imbalance = 1;
	if (b->type == MISFIT) {
		a->kind = has_flag(q, SD_ASYM_CPUCAPACITY) ? 'M' : 'L';
		a->imbalance = a->kind == 'M' ? 1 : (int64_t)b->misfit;
		return;
	}
	if (b->type == PACK)
		a->imbalance = b->fair;
	if (b->type == PACK || b->type == TWO_ON_A_CORE || b->type == IMBALANCED)
		return;
	if (l->type == SPARE && b->type > FULL && !has_flag(q, SD_SHARE_PKG_RESOURCES)) {
		a->kind = 'U';
		a->imbalance = l->cap > l->util ? (int64_t)(l->cap - l->util) : 0;
		if (!a->imbalance && cpu_idles(q)) {
			a->kind = 'T';
			a->imbalance = 1;
		}
		return;
	}
	if (l->type == SPARE) {
		int64_t tasks = (uint32_t)(l->idle - b->idle);

		if (b->weight == 1 || spreads(q, b))
			tasks = task_difference(q, l, b);
		tasks = forgiven(q, l, tasks);
		/* halved towards minus infinity */
		a->imbalance = tasks < 0 ? -((1 - tasks) / 2) : tasks / 2;
		return;
	}
	a->kind = 'L';
	a->imbalance = 0;
	if (l->type != OVERLOADED) {
		l->avg = l->load * 1024 / l->cap;
		if (l->avg >= b->avg || (l->avg >= avg && (q->is_612 || q->stable)))
			return;
	}
	/* modulo 2^64, each */
	there = (u128)(uint64_t)(b->avg - avg) * b->cap & UINT64_MAX;
	here = (u128)(uint64_t)(avg - l->avg) * l->cap & UINT64_MAX;
	a->imbalance = (int64_t)((uint64_t)(there < here ? there : here) / 1024);
}

static void answer_group(const struct question *q, struct group *s, uint32_t n, struct answer *a)
{
	const struct group *b = NULL;
	uint64_t load = 0, cap = 0;

	for (uint32_t i = 0; i < n; i++) {
		load += s[i].load;
		cap += s[i].cap;
		if (i && is_busier(q, &s[i], &s[0], b))
			b = &s[i];
	}
	if (!b || is_balanced(q, &s[0], b, load * 1024 / cap))
		return;
	amount(q, &s[0], b, load * 1024 / cap, a);
	if (a->imbalance)
		a->busiest = b->g;
}

/* -- the queue -- */

/* What RQ is measured by; 0: it is passed over. */
static uint64_t worth_of(const struct question *q, const struct answer *a, const struct rq *rq)
{
	uint32_t nr = rq->cfs->h_nr_running;
	uint64_t load = rq->cfs->avg.load_avg, util = util_of(rq);
	bool reduced = rq->cpu_capacity * q->sd->imbalance_pct < 1024 * 100, higher;

	if (!nr)
		return 0;
	if (nr == 1 && has_flag(q, SD_ASYM_CPUCAPACITY) &&
	    own_capacity(q) * 1024 <= rq->cpu_capacity * 1078)
		return 0;
	higher = has_flag(q, SD_ASYM_PACKING) && ranked_higher(rq->cpu, q->cpu);
	if (q->is_612)
		higher = higher && rank_counts(q, rq->cpu);
	if (nr == 1 && higher)
		return 0;
	switch (a->kind) {
	case 'L':
		return nr == 1 && load > (uint64_t)a->imbalance && !reduced ? 0 : load;
	case 'U':
		if (q->is_612)
			util = most(util, most(rq->cfs->avg.runnable_avg, util));
		return nr == 1 ? 0 : util < 1024 ? util : 1024;
	case 'T':
		return nr;
	}
	return rq->misfit_task_load;
}

static void answer_queue(const struct question *q, struct answer *a)
{
	uint64_t best = 0, cap_of_best = 1;

	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		const struct rq *rq = rq_at(q, cpu);
		uint64_t worth, cap = a->kind == 'L' ? rq->cpu_capacity : 1;

		if (!mask_test(a->busiest->cpus, cpu) || !mask_test(q->candidates, cpu))
			continue;
		worth = worth_of(q, a, rq);
		if (worth * cap_of_best > best * cap) {
			best = worth;
			cap_of_best = cap;
			a->queue = rq;
		}
	}
}

/* How many CPUs of the cache wake-ups may look at; what was there is not changed elsewhere. */
static uint32_t answer_scan(const struct question *q, const struct group *s, uint32_t n,
			    uint32_t before)
{
	const struct top_domains *top = &rq_at(q, q->cpu)->top;
	uint64_t sum = 0, per_cpu, part;

	if (q->idle == CPU_NEWLY_IDLE || !top->sd_llc ||
	    q->sd->span_weight != top->sd_llc->span_weight)
		return before;
	for (uint32_t i = 0; i < n; i++)
		sum += s[i].util;
	per_cpu = sum / top->sd_llc_size;
	part = per_cpu * per_cpu * q->sd->imbalance_pct * q->sd->imbalance_pct / 10240000;
	return part >= 1024 ? 0 : (uint32_t)((1024 - part) * top->sd_llc_size / 1024);
}

/* -- random states -- */

static void random_queue(struct rq *rq, struct rng *r)
{
	struct sched_avg *avg = &rq->cfs->avg;
	uint32_t nr = (uint32_t)rng_below(r, rng_below(r, 8) ? 4 : 40);
	uint32_t others = rng_below(r, 5) ? 0 : (uint32_t)rng_below(r, 4);

	if (!rng_below(r, 3))
		nr = others = 0;
	rq->cfs->h_nr_running = nr;
	rq->nr_running = nr + others;
	rq->curr = rq->nr_running && rng_below(r, 10) ? rq->stop : rq->idle;
	avg->runnable_avg = nr * UINT64_C(1024);
	if (!rng_below(r, 3))
		avg->runnable_avg = rng_below(r, 4000);
	avg->load_avg = nr * rng_between(r, 0, rng_below(r, 3) ? 1024 : 9000);
	if (rng_below(r, 2))
		avg->load_avg += rng_below(r, 3000);
	avg->util_avg = nr ? rng_between(r, 0, 1100) : rng_below(r, 300);
	if (nr && rng_below(r, 2))
		avg->util_avg = 1024;
	avg->util_est.enqueued = (uint32_t)(rng_below(r, 3) ? 0 : rng_below(r, 1200));
	rq->misfit_task_load = rng_below(r, 2) ? 0 : 300 * rng_between(r, 1, 4);
	rq->cpu_capacity = rng_below(r, 2) ? 1024 : rng_between(r, 1, 1024);
	rq->pelt.avg_rt.util_avg = rng_below(r, 3) ? 0 : rng_below(r, 1100);
}

static void random_group(struct sched_group *g, struct rng *r)
{
	static const uint64_t some[] = {200, 300, 512, 800, 970, 1024};
	struct sched_group_capacity *sgc = g->sgc;

	sgc->capacity = 1024 * (uint64_t)g->ncpus;
	if (!rng_below(r, 3))
		sgc->capacity = rng_between(r, 1, sgc->capacity);
	sgc->min_capacity = some[rng_below(r, 6)];
	sgc->max_capacity = some[rng_below(r, 6)];
	sgc->imbalance = !rng_below(r, 6);
	sgc->next_update = rng_below(r, 2) ? 0 : UINT64_MAX;
	g->asym_prefer_cpu = g->cpu[rng_below(r, g->ncpus)];
	g->flags = (rng_below(r, 2) ? SD_SHARE_CPUPOWER : 0) |
		   (rng_below(r, 2) ? SD_PREFER_SIBLING : 0);
	g->cores = (uint32_t)rng_between(r, 1, 3);
}

static void random_state(struct question *q, struct rng *r)
{
	struct hand *h = q->h;
	uint32_t shared;

	for (uint32_t cpu = 0; cpu < h->m->ncpus; cpu++)
		random_queue(hand_rq(h, cpu), r);
	for (uint32_t i = 0; i < h->m->nsgroups; i++)
		random_group(h->m->sgroups[i], r);
	q->cpu = (uint32_t)rng_below(r, h->m->ncpus);
	q->idle = (enum cpu_idle_type)rng_below(r, CPU_IDLE_TYPES);
	q->sd = hand_rq(h, q->cpu)->sd;
	while (q->sd->parent && rng_below(r, 2))
		q->sd = q->sd->parent;
	/* SMT is what tells threads of a core: it stays */
	shared = q->sd->flags & SD_SHARE_CPUPOWER;
	q->sd->flags = shared | (rng_below(r, 4) ? 0 : SD_ASYM_PACKING) |
		       (rng_below(r, 3) ? 0 : SD_ASYM_CPUCAPACITY) |
		       (rng_below(r, 2) ? 0 : SD_NUMA) |
		       (rng_below(r, 2) ? 0 : SD_SHARE_PKG_RESOURCES);
	q->sd->imb_numa_nr = (uint32_t)rng_below(r, 9);
	if (q->sd->child) {
		q->sd->child->flags &= ~(uint32_t)SD_PREFER_SIBLING;
		q->sd->child->flags |= rng_below(r, 2) ? 0 : SD_PREFER_SIBLING;
	}
}

static char kind_of(enum migration_type type)
{
	return "LUTM"[type];
}

static void compare(const struct question *q, struct answer *a)
{
	uint64_t mem[MASK_WORDS(64)];
	struct lb_env env = {
		.sd = q->sd,
		.dst_cpu = q->cpu,
		.dst_rq = hand_rq(q->h, q->cpu),
		.idle = q->idle,
		.cpus = mask_init(mem, q->h->m->ncpus),
	};
	struct kctx *k = hand_k(q->h, q->cpu);
	struct sched_domain_shared *llc = env.dst_rq->top.sd_llc_shared;
	uint32_t before = llc ? llc->nr_idle_scan : 0, n, scan;
	struct group seen[MAX_GROUPS];
	const struct sched_group *busiest;
	struct sd_lb_stats sds;

	mask_and(env.cpus, q->candidates, q->sd->span);
	*a = (struct answer){.kind = 'L'};
	n = see_groups(q, seen, a);
	scan = answer_scan(q, seen, n, before);
	answer_group(q, seen, n, a);
	if (a->busiest)
		answer_queue(q, a);
	update_sd_lb_stats(k, &env, &sds);
	busiest = k->v->busiest->decide(k, &env, &sds);
	assert_ptr_equal(busiest, a->busiest);
	if (llc)
		assert_int_equal(llc->nr_idle_scan, scan);
	if (!q->sd->parent)
		assert_int_equal(q->h->m->rd.overload, a->overload);
	if (!busiest)
		return;
	assert_int_equal(kind_of(env.migration_type), a->kind);
	assert_true(env.imbalance == a->imbalance);
	assert_ptr_equal(find_busiest_queue_env(k, &env, busiest), a->queue);
}

static const struct {
	uint32_t sockets, cores, threads;
} machines[] = {{1, 2, 1}, {1, 1, 2}, {1, 4, 2}, {2, 4, 2}, {4, 2, 1}, {2, 3, 3}, {3, 1, 4}};

#define NMACHINES (sizeof(machines) / sizeof(machines[0]))

/* How often each kind of answer came. */
struct tally {
	uint64_t found[128], queues, none, negative;
};

static void try_kernel(const char *kernel, bool is_612, bool stable, uint32_t machine,
		       struct tally *t)
{
	struct rng r = rng_stream(machine, kernel, 1);
	uint64_t mem[MASK_WORDS(64)];
	static struct hand h;
	struct question q = {.h = &h, .is_612 = is_612, .stable = stable};
	struct mask *candidates;

	hand_init(&h, kernel, machines[machine].sockets, machines[machine].cores,
		  machines[machine].threads);
	candidates = mask_init(mem, h.m->ncpus);
	q.candidates = candidates;
	for (uint32_t step = 0; step < 10000; step++) {
		struct answer a;

		random_state(&q, &r);
		mask_copy(candidates, h.m->online);
		if (!rng_below(&r, 4))
			mask_clear(candidates, (uint32_t)rng_below(&r, h.m->ncpus));
		compare(&q, &a);
		if (a.busiest)
			t->found[(unsigned char)a.kind]++;
		t->none += !a.busiest;
		t->queues += a.queue != NULL;
		t->negative += a.imbalance < 0;
	}
	hand_drop(&h);
}

static void test_6_1_and_6_12_agree_with_the_rules_told_anew(void **state)
{
	struct tally t = {.none = 0};

	for (uint32_t i = 0; i < NMACHINES; i++) {
		try_kernel("6.1", false, false, i, &t);
		try_kernel("6.1-debian", false, true, i, &t);
		try_kernel("6.12", true, false, i, &t);
		try_kernel("6.12-debian", true, true, i, &t);
	}
	/* every kind of answer was given often */
	assert_true(t.none > 5000);
	assert_true(t.queues > 5000);
	assert_true(t.found['L'] > 1000);
	assert_true(t.found['U'] > 1000);
	assert_true(t.found['T'] > 1000);
	assert_true(t.found['M'] > 400);
	assert_true(t.negative > 50);
}

/*
 * Whose turn it is: an idle CPU of the group, in 6.12 first one whose core idles. The domain's
 * own group counts, and only CPUs that are still candidates.
 */
static uint32_t whose_turn(const struct question *q)
{
	const struct mask *balance = q->sd->groups->sgc->balance_mask;
	uint32_t thread = CPU_NONE, first = CPU_NONE;

	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		if (!mask_test(balance, cpu))
			continue;
		if (first == CPU_NONE)
			first = cpu;
		if (!idles(rq_at(q, cpu)))
			continue;
		if (!q->is_612 || has_flag(q, SD_SHARE_CPUPOWER) || !sibling_runs(q, cpu))
			return cpu;
		if (thread == CPU_NONE)
			thread = cpu;
	}
	return thread != CPU_NONE ? thread : first;
}

/* An attempt that is not its CPU's turn says so; with nothing to move none has an effect. */
static void test_turns_agree(void **state)
{
	static const char *const kernels[] = {"6.1", "6.12"};
	uint64_t own = 0, others = 0;

	for (uint32_t v = 0; v < 2; v++) {
		for (uint32_t i = 0; i < NMACHINES; i++) {
			struct rng r = rng_stream(i, "turns", v);
			static struct hand h;
			struct question q = {.h = &h, .is_612 = v};

			hand_init(&h, kernels[v], machines[i].sockets, machines[i].cores,
				  machines[i].threads);
			for (uint32_t step = 0; step < 1000; step++) {
				bool go_on = true;

				for (uint32_t cpu = 0; cpu < h.m->ncpus; cpu++) {
					struct rq *rq = hand_rq(&h, cpu);

					rq->nr_running = rng_below(&r, 3) > 0;
					rq->curr = rq->nr_running ? rq->stop : rq->idle;
				}
				q.cpu = (uint32_t)rng_below(&r, h.m->ncpus);
				q.sd = hand_rq(&h, q.cpu)->sd;
				while (q.sd->parent && rng_below(&r, 2))
					q.sd = q.sd->parent;
				h.v.lb->load_balance(hand_k(&h, q.cpu), q.cpu, q.sd, CPU_IDLE,
						     &go_on);
				assert_int_equal(go_on, whose_turn(&q) == q.cpu);
				own += go_on;
				others += !go_on;
			}
			hand_drop(&h);
		}
	}
	assert_true(own > 2000);
	assert_true(others > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_6_1_and_6_12_agree_with_the_rules_told_anew),
		cmocka_unit_test(test_turns_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
