/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is busiest in 5.4, in 5.5 and after each patch between them, a second time: one
 * rule after the other in the order in which the rules are told, each patch a number that
 * turns single rules on. All groups are looked at first, then types are given, then one is
 * chosen, then the amount computed. Machines in random states, also ones that only
 * races produce, must get the same answer from both.
 *
 * Linux: kernel/sched/fair.c update_sd_lb_stats(), find_busiest_group(), calculate_imbalance(),
 * find_busiest_queue(); 5.4, commits 490ba971d8b4 to 57abff067a08, 5.5.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"

#define MAX_GROUPS 64

/* Patches in their order; PATCH(n): the n-th is there. */
static const char *const patch_names[] = {
	NULL,
	"lb-asym-mark",
	"lb-sum-h-nr",
	"lb-no-small-fix",
	"lb-group-types",
	"lb-all-classes",
	"lb-load-avg",
	"lb-spread-cpus",
	"lb-misfit-util",
	"wake-load-avg",
	"idlest-single-load",
	"idlest-types",
};
#define NPATCHES 11u

static uint64_t minus(uint64_t a, uint64_t b)
{
	return (uint64_t)((((u128)1 << 64) + a - b) & UINT64_MAX);
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return (uint64_t)((u128)a * b & UINT64_MAX);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Patches 1 to `patches` are there. */
struct question {
	struct hand *h;
	uint32_t patches;
	struct sched_domain *sd;
	uint32_t cpu;
	enum cpu_idle_type idle;
	const struct mask *candidates;
};

struct group {
	const struct sched_group *g;
	bool local, too_much, pack;
	int type;
	uint64_t load, util, cap, min_cap, max_cap, misfit, avg, lpt;
	uint32_t fair, nr, idle, weight;
};

struct answer {
	const struct sched_group *busiest;
	const struct rq *queue;
	uint64_t imbalance;
	char kind; /* of what is to move: Load, Util, Task, Misfit */
	bool overload;
};

static bool has(const struct question *q, uint32_t patch)
{
	return q->patches >= patch;
}

static bool asymmetric(const struct question *q)
{
	return q->sd->flags & SD_ASYM_CPUCAPACITY;
}

static bool prefers(uint32_t a, uint32_t b)
{
	return a < b;
}

static uint64_t load_of(const struct question *q, const struct rq *rq)
{
	return has(q, 6) ? rq->cfs->avg.load_avg : rq->cfs->avg.runnable_avg;
}

static uint64_t util_of(const struct rq *rq)
{
	uint64_t util = rq->cfs->avg.util_avg;

	if (rq->cfs->avg.util_est.enqueued > util)
		util = rq->cfs->avg.util_est.enqueued;
	return least(util, 1024);
}

static bool idles(const struct rq *rq)
{
	return rq->curr == rq->idle && !rq->nr_running && !rq->wake_list;
}

/* -- what is there -- */

/* What is stored of the group, or, of the local one, what is found when it is due. */
static void see_capacity(const struct question *q, struct group *s)
{
	const struct sched_domain *child = q->sd->child;
	const struct sched_group *g;

	s->cap = s->g->sgc->capacity;
	s->min_cap = s->g->sgc->min_capacity;
	s->max_cap = s->g->sgc->max_capacity;
	if (!s->local)
		return;
	if (q->idle == CPU_NEWLY_IDLE && jiffies(hand_k(q->h, q->cpu)) < s->g->sgc->next_update)
		return;
	if (!child) {
		uint64_t used = hand_rq(q->h, q->cpu)->pelt.avg_rt.util_avg;

		s->cap = s->min_cap = s->max_cap = used >= 1024 ? 1 : 1024 - used;
		return;
	}
	s->cap = s->max_cap = 0;
	s->min_cap = UINT64_MAX;
	g = child->groups;
	do {
		s->cap += g->sgc->capacity;
		s->min_cap = least(s->min_cap, g->sgc->min_capacity);
		if (g->sgc->max_capacity > s->max_cap)
			s->max_cap = g->sgc->max_capacity;
		g = g->next;
	} while (g != child->groups);
}

static void see_cpus(const struct question *q, struct group *s, struct answer *a)
{
	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		const struct rq *rq = hand_rq(q->h, cpu);
		bool misfit_counts = asymmetric(q);

		if (!mask_test(s->g->cpus, cpu))
			continue;
		s->weight++;
		if (!mask_test(q->candidates, cpu))
			continue;
		s->load += load_of(q, rq);
		s->util += util_of(rq);
		s->fair += rq->cfs->h_nr_running;
		s->nr += has(q, 5) ? rq->nr_running : rq->cfs->h_nr_running;
		if (rq->nr_running > 1)
			a->overload = true;
		if (idles(rq))
			s->idle++;
		if (has(q, 4) && (idles(rq) || s->local))
			misfit_counts = false;
		if (misfit_counts && rq->misfit_task_load) {
			a->overload = true;
			if (rq->misfit_task_load > s->misfit)
				s->misfit = rq->misfit_task_load;
		}
	}
}

static uint32_t see_groups(const struct question *q, struct group *s, struct answer *a)
{
	const struct sched_group *g = q->sd->groups;
	uint32_t n = 0;

	do {
		s[n] = (struct group){.g = g, .local = mask_test(g->cpus, q->cpu)};
		see_capacity(q, &s[n]);
		see_cpus(q, &s[n], a);
		n++;
		g = g->next;
	} while (g != q->sd->groups);
	return n;
}

static bool has_room(const struct question *q, const struct group *s)
{
	return s->nr < s->weight || s->cap * 100 > s->util * q->sd->imbalance_pct;
}

static bool has_too_much(const struct question *q, const struct group *s)
{
	return s->nr > s->weight && s->cap * 100 < s->util * q->sd->imbalance_pct;
}

static uint64_t average(const struct group *s, uint32_t n)
{
	uint64_t load = 0, cap = 0;

	for (uint32_t i = 0; i < n; i++) {
		load += s[i].load;
		cap += s[i].cap;
	}
	return load * 1024 / cap;
}

static bool spreads(const struct question *q)
{
	return q->sd->child && (q->sd->child->flags & SD_PREFER_SIBLING);
}

static bool packs(const struct question *q)
{
	return (q->sd->flags & SD_ASYM_PACKING) && q->idle != CPU_NOT_IDLE;
}

/* -- up to the third patch -- */

enum {
	OTHER,
	MISFIT,
	IMBALANCED,
	OVERLOADED
};

static void type_old(const struct question *q, struct group *s, const struct group *local)
{
	s->avg = s->load * 1024 / s->cap;
	s->lpt = s->fair ? s->load / s->fair : 0;
	s->too_much = has_too_much(q, s);
	if (s != local && spreads(q) && has_room(q, local) && s->fair > local->fair + 1)
		s->too_much = true;
	s->type = OTHER;
	if (s->misfit)
		s->type = MISFIT;
	if (s->g->sgc->imbalance)
		s->type = IMBALANCED;
	if (s->too_much)
		s->type = OVERLOADED;
}

/* BUSIEST: NULL, or the one so far. */
static bool is_busier_old(const struct question *q, struct group *s, const struct group *local,
			  const struct group *busiest)
{
	int type = busiest ? busiest->type : OTHER;

	if (s->type == MISFIT && !(s->max_cap * 1280 < local->max_cap * 1024 && has_room(q, local)))
		return false;
	if (s->type > type)
		return true;
	if (s->type < type || s->avg <= (busiest ? busiest->avg : 0))
		return false;
	if (asymmetric(q) && s->fair <= s->weight && local->min_cap * 1280 < s->min_cap * 1024)
		return false;
	if (asymmetric(q) && s->type == MISFIT && busiest && s->misfit < busiest->misfit)
		return false;
	if (!packs(q))
		return true;
	if (!s->fair || !prefers(q->cpu, s->g->asym_prefer_cpu))
		return false;
	s->pack = true;
	return !busiest || prefers(busiest->g->asym_prefer_cpu, s->g->asym_prefer_cpu);
}

static uint64_t small_fix(const struct question *q, struct group *l, const struct group *b,
			  uint64_t imbalance)
{
	const struct cfs_rq *here = hand_rq(q->h, q->cpu)->cfs;
	uint64_t one = b->lpt * 1024 / b->cap, factor = 2, now, moved = 0, gain;

	if (!l->fair)
		l->lpt = here->h_nr_running ? here->avg.runnable_avg / here->h_nr_running : 0;
	else if (b->lpt > l->lpt)
		factor = 1;
	if (b->avg + one >= l->avg + one * factor)
		return b->lpt;
	now = (b->cap * least(b->lpt, b->avg) + l->cap * least(l->lpt, l->avg)) / 1024;
	if (b->avg > one)
		moved = b->cap * least(b->lpt, b->avg - one);
	if (b->avg * b->cap < b->lpt * 1024)
		gain = b->avg * b->cap / l->cap;
	else
		gain = b->lpt * 1024 / l->cap;
	moved = (moved + l->cap * least(l->lpt, l->avg + gain)) / 1024;
	return moved > now ? b->lpt : imbalance;
}

static uint64_t amount_old(const struct question *q, struct group *l, struct group *b, uint64_t avg)
{
	uint64_t above = UINT64_MAX, imbalance;
	bool fixes = !has(q, 3);

	if (fixes && b->type == IMBALANCED)
		b->lpt = least(b->lpt, avg);
	if (b->type != MISFIT && (b->avg <= avg || l->avg >= avg))
		return fixes ? small_fix(q, l, b, 0) : 0;
	if (b->type == OVERLOADED && l->type == OVERLOADED && b->fair * UINT64_C(1024) > b->cap)
		above = (b->fair * UINT64_C(1024) - b->cap) * 1024 / b->cap;
	imbalance = least(times(least(minus(b->avg, avg), above), b->cap),
			  times(minus(avg, l->avg), l->cap)) /
		    1024;
	if (b->type == MISFIT && (int64_t)imbalance < (int64_t)b->misfit)
		imbalance = b->misfit;
	return fixes && imbalance < b->lpt ? small_fix(q, l, b, imbalance) : imbalance;
}

static bool is_balanced_old(const struct question *q, const struct group *l, const struct group *b,
			    uint64_t avg)
{
	if (b->type == IMBALANCED || b->type == MISFIT)
		return false;
	if (q->idle != CPU_NOT_IDLE && has_room(q, l) && b->too_much)
		return false;
	if (l->avg >= b->avg || l->avg >= avg)
		return true;
	if (q->idle == CPU_IDLE)
		return b->type != OVERLOADED && l->idle <= b->idle + 1;
	return 100 * b->avg <= q->sd->imbalance_pct * l->avg;
}

static void answer_old(const struct question *q, struct group *s, uint32_t n, struct answer *a)
{
	struct group *l = &s[0], *b = NULL;
	uint64_t avg = average(s, n);

	type_old(q, l, l);
	for (uint32_t i = 1; i < n; i++) {
		type_old(q, &s[i], l);
		if (is_busier_old(q, &s[i], l, b))
			b = &s[i];
	}
	a->kind = 'L';
	if (!b)
		return;
	if (!has(q, 1) && packs(q) && !prefers(b->g->asym_prefer_cpu, q->cpu)) {
		a->imbalance = b->load;
		a->busiest = b->g;
		return;
	}
	if (has(q, 1) && b->pack) {
		a->imbalance = b->load;
	} else {
		if (!b->fair || is_balanced_old(q, l, b, avg))
			return;
		a->imbalance = amount_old(q, l, b, avg);
	}
	a->kind = b->type == MISFIT ? 'M' : 'L';
	if (a->imbalance)
		a->busiest = b->g;
}

/* -- from the fourth patch on -- */

enum {
	SPARE,
	FULL,
	MISFIT_6,
	PACK,
	IMBALANCED_6,
	OVERLOADED_6
};

static void type_new(const struct question *q, struct group *s)
{
	s->pack = packs(q) && s->fair && prefers(q->cpu, s->g->asym_prefer_cpu);
	if (has_too_much(q, s))
		s->type = OVERLOADED_6;
	else if (s->g->sgc->imbalance)
		s->type = IMBALANCED_6;
	else if (s->pack)
		s->type = PACK;
	else if (s->misfit)
		s->type = MISFIT_6;
	else
		s->type = has_room(q, s) ? SPARE : FULL;
	s->avg = s->type == OVERLOADED_6 ? s->load * 1024 / s->cap : 0;
}

static bool is_busier_new(const struct question *q, const struct group *s, const struct group *l,
			  const struct group *b)
{
	int type = b ? b->type : SPARE;
	bool same = true;

	if (!s->fair)
		return false;
	if (s->type == MISFIT_6 && (!(s->max_cap * 1280 < l->max_cap * 1024) || l->type != SPARE))
		return false;
	if (s->type < type)
		return false;
	if (s->type == OVERLOADED_6 || s->type == FULL)
		same = s->avg > (b ? b->avg : 0);
	if (s->type == IMBALANCED_6)
		same = false;
	if (s->type == PACK && b)
		same = !prefers(s->g->asym_prefer_cpu, b->g->asym_prefer_cpu);
	if (s->type == MISFIT_6 && b)
		same = s->misfit >= b->misfit;
	if (s->type == SPARE)
		same = s->idle < (b ? b->idle : UINT32_MAX);
	if (s->type == type && !same)
		return false;
	return !(asymmetric(q) && s->type <= FULL && l->min_cap * 1280 < s->min_cap * 1024);
}

static bool is_balanced_new(const struct question *q, const struct group *l, const struct group *b,
			    uint64_t avg)
{
	bool idle_alike = l->idle <= b->idle + 1;

	if (b->type == MISFIT_6 || b->type == PACK || b->type == IMBALANCED_6)
		return false;
	if (l->type > b->type)
		return true;
	if (l->type == OVERLOADED_6 &&
	    (l->avg >= b->avg || l->avg >= avg || 100 * b->avg <= q->sd->imbalance_pct * l->avg))
		return true;
	if (spreads(q) && l->type == SPARE && b->nr > l->nr + 1)
		return false;
	if (b->type == OVERLOADED_6)
		return false;
	if (q->idle == CPU_NOT_IDLE)
		return true;
	if (!has(q, 7))
		return idle_alike;
	return (b->weight > 1 && idle_alike) || b->fair == 1;
}

static void amount_new(const struct question *q, struct group *l, const struct group *b,
		       uint64_t avg, struct answer *a)
{
	a->kind = 'T';
	if (b->type == MISFIT_6) {
		a->kind = 'M';
		a->imbalance = has(q, 8) ? 1 : b->misfit;
	} else if (b->type == PACK) {
		a->imbalance = b->fair;
	} else if (b->type == IMBALANCED_6) {
		a->imbalance = 1;
	} else if (l->type == SPARE && b->type == OVERLOADED_6) {
		a->kind = 'U';
		a->imbalance = l->cap > l->util ? l->cap - l->util : 0;
		if (!a->imbalance && q->idle != CPU_NOT_IDLE) {
			a->kind = 'T';
			a->imbalance = 1;
		}
	} else if (l->type == SPARE && (b->weight == 1 || spreads(q))) {
		a->imbalance = b->nr > l->nr ? (b->nr - l->nr) / 2 : 0;
	} else if (l->type == SPARE) {
		/* a 32-bit number that may wrap */
		a->imbalance = (minus(l->idle, b->idle) & UINT32_MAX) / 2;
	} else {
		if (l->type != OVERLOADED_6)
			l->avg = l->load * 1024 / l->cap;
		a->kind = 'L';
		a->imbalance = least(times(minus(b->avg, avg), b->cap),
				     times(minus(avg, l->avg), l->cap)) /
			       1024;
	}
}

static void answer_new(const struct question *q, struct group *s, uint32_t n, struct answer *a)
{
	struct group *l = &s[0], *b = NULL;
	uint64_t avg = average(s, n);

	type_new(q, l);
	for (uint32_t i = 1; i < n; i++) {
		type_new(q, &s[i]);
		if (is_busier_new(q, &s[i], l, b))
			b = &s[i];
	}
	if (!b || is_balanced_new(q, l, b, avg))
		return;
	amount_new(q, l, b, avg, a);
	if (a->imbalance)
		a->busiest = b->g;
}

/* -- the queue -- */

static bool is_passed_over(const struct question *q, const struct answer *a, const struct rq *rq)
{
	uint32_t nr = has(q, 4) ? rq->cfs->h_nr_running : rq->nr_running;
	bool reduced = rq->cpu_capacity * q->sd->imbalance_pct < 1024 * 100;

	if (nr != 1 || (a->kind == 'M' && !has(q, 4)))
		return false;
	if (asymmetric(q) && hand_rq(q->h, q->cpu)->cpu_capacity < rq->cpu_capacity)
		return true;
	return a->kind == 'L' && load_of(q, rq) > a->imbalance && !reduced;
}

/* The first of the CPUs with the most, by what is to move. */
static void answer_queue(const struct question *q, struct answer *a)
{
	uint64_t most = 0, cap_of_most = 1;

	for (uint32_t cpu = 0; cpu < q->h->m->ncpus; cpu++) {
		const struct rq *rq = hand_rq(q->h, cpu);
		uint64_t worth = 0, cap = 1;

		if (!mask_test(a->busiest->cpus, cpu) || !mask_test(q->candidates, cpu) ||
		    is_passed_over(q, a, rq))
			continue;
		if (a->kind == 'L') {
			worth = load_of(q, rq);
			cap = rq->cpu_capacity;
		}
		if (a->kind == 'U')
			worth = util_of(rq);
		if (a->kind == 'T')
			worth = rq->cfs->h_nr_running;
		if (a->kind == 'M')
			worth = rq->misfit_task_load;
		if (worth * cap_of_most > most * cap) {
			most = worth;
			cap_of_most = cap;
			a->queue = rq;
		}
	}
}

/* -- random states -- */

/* What a CPU's queue looks like from outside; nothing else of it is true. */
static void random_queue(struct rq *rq, struct rng *r)
{
	struct sched_avg *avg = &rq->cfs->avg;
	uint32_t nr = rng_below(r, 4) ? (uint32_t)rng_below(r, 4) : (uint32_t)rng_below(r, 40);
	uint32_t others = rng_below(r, 5) ? 0 : (uint32_t)rng_below(r, 4);

	rq->cfs->h_nr_running = nr;
	rq->nr_running = nr + others;
	rq->curr = rq->nr_running && rng_below(r, 10) ? rq->stop : rq->idle;
	avg->runnable_avg = nr * rng_between(r, 0, rng_below(r, 3) ? 1024 : 9000);
	if (rng_below(r, 3))
		avg->runnable_avg = nr * UINT64_C(1024);
	/* sleepers, and counts that are out of step */
	avg->load_avg = avg->runnable_avg + (rng_below(r, 2) ? rng_below(r, 3000) : 0);
	if (!rng_below(r, 15))
		avg->runnable_avg = rng_below(r, 500);
	avg->util_avg = nr ? rng_between(r, 0, 1100) : rng_below(r, 300);
	if (nr && rng_below(r, 2))
		avg->util_avg = 1024;
	avg->util_est.enqueued = (uint32_t)(rng_below(r, 3) ? 0 : rng_below(r, 1200));
	rq->misfit_task_load = rng_below(r, 4) ? 0 : 300 * rng_between(r, 1, 4);
	rq->cpu_capacity = rng_below(r, 2) ? 1024 : rng_between(r, 1, 1024);
	rq->pelt.avg_rt.util_avg = rng_below(r, 3) ? 0 : rng_below(r, 1100);
}

static void random_group(struct sched_group *g, struct rng *r)
{
	static const uint64_t some[] = {400, 512, 800, 820, 1024, 1024};
	struct sched_group_capacity *sgc = g->sgc;

	sgc->capacity = 1024 * (uint64_t)g->ncpus;
	if (!rng_below(r, 3))
		sgc->capacity = rng_between(r, 1, sgc->capacity);
	sgc->min_capacity = some[rng_below(r, 6)];
	sgc->max_capacity = some[rng_below(r, 6)];
	sgc->imbalance = !rng_below(r, 6);
	sgc->next_update = rng_below(r, 2) ? 0 : UINT64_MAX;
	g->asym_prefer_cpu = g->cpu[rng_below(r, g->ncpus)];
}

static void random_state(struct question *q, struct rng *r)
{
	struct hand *h = q->h;

	for (uint32_t cpu = 0; cpu < h->m->ncpus; cpu++)
		random_queue(hand_rq(h, cpu), r);
	for (uint32_t i = 0; i < h->m->nsgroups; i++)
		random_group(h->m->sgroups[i], r);
	q->cpu = (uint32_t)rng_below(r, h->m->ncpus);
	q->idle = (enum cpu_idle_type)rng_below(r, CPU_IDLE_TYPES);
	q->sd = hand_rq(h, q->cpu)->sd;
	while (q->sd->parent && rng_below(r, 2))
		q->sd = q->sd->parent;
	q->sd->flags &= ~(uint32_t)(SD_ASYM_PACKING | SD_ASYM_CPUCAPACITY);
	q->sd->flags |= rng_below(r, 4) ? 0 : SD_ASYM_PACKING;
	q->sd->flags |= rng_below(r, 3) ? 0 : SD_ASYM_CPUCAPACITY;
	if (q->sd->child) {
		q->sd->child->flags &= ~(uint32_t)SD_PREFER_SIBLING;
		q->sd->child->flags |= rng_below(r, 2) ? 0 : SD_PREFER_SIBLING;
	}
}

static char kind_of(enum migration_type type)
{
	static const char kinds[] = {
		[MIGRATE_LOAD] = 'L', [MIGRATE_UTIL] = 'U', [MIGRATE_TASK] = 'T', [MIGRATE_MISFIT] = 'M'};

	return kinds[type];
}

static void compare(const struct question *q, struct answer *a)
{
	uint64_t mem[MASK_WORDS(64)];
	struct lb_env env = {
		.sd = q->sd,
		.dst_cpu = q->cpu,
		.dst_rq = hand_rq(q->h, q->cpu),
		.dst_grpmask = q->sd->groups->cpus,
		.idle = q->idle,
		.cpus = mask_init(mem, q->h->m->ncpus),
	};
	struct kctx *k = hand_k(q->h, q->cpu);
	struct group seen[MAX_GROUPS];
	const struct sched_group *busiest;
	struct sd_lb_stats sds;
	uint32_t n;

	mask_and(env.cpus, q->candidates, q->sd->span);
	*a = (struct answer){.kind = 'L'};
	n = see_groups(q, seen, a);
	assert_true(seen[0].local);
	if (has(q, 4))
		answer_new(q, seen, n, a);
	else
		answer_old(q, seen, n, a);
	update_sd_lb_stats(k, &env, &sds);
	busiest = k->v->busiest->decide(k, &env, &sds);
	assert_ptr_equal(busiest, a->busiest);
	if (!q->sd->parent)
		assert_int_equal(q->h->m->rd.overload, a->overload);
	if (!busiest)
		return;
	assert_true((uint64_t)env.imbalance == a->imbalance);
	assert_int_equal(kind_of(env.migration_type), a->kind);
	answer_queue(q, a);
	assert_ptr_equal(find_busiest_queue_env(k, &env, busiest), a->queue);
}

static const struct {
	uint32_t sockets, cores, threads;
} machines[] = {{1, 2, 1}, {1, 1, 2}, {1, 4, 2}, {2, 4, 2}, {4, 2, 1}, {2, 3, 3}, {3, 1, 4}};

#define NMACHINES (sizeof(machines) / sizeof(machines[0]))

/* How often each kind of answer came. */
struct tally {
	uint64_t found[128], queues, none, wrapped;
};

static void try_kernel(const char *kernel, uint32_t patches, uint32_t machine, struct tally *t)
{
	struct rng r = rng_stream(machine, kernel, patches);
	uint64_t mem[MASK_WORDS(64)];
	static struct hand h;
	struct question q = {.h = &h, .patches = patches};
	struct mask *candidates;

	hand_init(&h, kernel, machines[machine].sockets, machines[machine].cores,
		  machines[machine].threads);
	candidates = mask_init(mem, h.m->ncpus);
	q.candidates = candidates;
	for (uint32_t step = 0; step < 3000; step++) {
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
		t->wrapped += a.imbalance > UINT32_MAX;
	}
	free(h.arena.base);
	free(h.topo.cpu);
	free(h.topo.node);
	free(h.topo.distance);
}

/* 5.4, 5.4 with the first patch, the first two and so on, all eleven; then 5.5. */
static void test_every_step_from_5_4_to_5_5_agrees_with_the_rules_told_anew(void **state)
{
	static char kernel[1000];
	struct tally old = {.none = 0}, new = {.none = 0};

	strcpy(kernel, "5.4");
	for (uint32_t n = 0; n <= NPATCHES + 1; n++) {
		if (n > NPATCHES) {
			strcpy(kernel, "5.5");
		} else if (n) {
			strcat(kernel, ",+");
			strcat(kernel, patch_names[n]);
		}
		for (uint32_t i = 0; i < NMACHINES; i++)
			try_kernel(kernel, n, i, n < 4 ? &old : &new);
	}
	/* every kind of answer was given often */
	assert_true(old.none > 5000);
	assert_true(old.queues > 5000);
	assert_true(old.found['L'] > 5000);
	assert_true(old.found['M'] > 300);
	assert_true(new.none > 5000);
	assert_true(new.queues > 5000);
	assert_true(new.found['L'] > 1000);
	assert_true(new.found['U'] > 1000);
	assert_true(new.found['T'] > 1000);
	assert_true(new.found['M'] > 500);
	assert_true(new.wrapped > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_step_from_5_4_to_5_5_agrees_with_the_rules_told_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
