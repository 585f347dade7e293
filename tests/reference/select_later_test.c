/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tasks go in 6.1 and 6.12, computed a second time as the rules are told, on machines in
 * random states: the idle CPU near the target, and the idlest CPU for fork and exec. What a
 * kernel has is asked by its number.
 *
 * Linux: kernel/sched/fair.c select_idle_sibling(), find_idlest_cpu(); 6.1, 6.12.
 */
#include "support.h"

#include "sched/pelt/util_est.h"
#include "sched/select/select_pelt.h"

#include "random_place.h"

#define NONE (-1)

/* The CPUs of TARGET's cache after TARGET, round to TARGET itself. */
static uint32_t round_after(const struct place *w, uint32_t target, uint32_t *list)
{
	uint32_t all[64], n = round_from(w, target, all);

	for (uint32_t i = 0; i < n; i++)
		list[i] = all[(i + 1) % n];
	return n;
}

/* The sibling of PREV that may be used. */
static int old_core(const struct place *w, uint32_t prev)
{
	for (uint32_t i = 0; i < w->ncpus; i++)
		if (i != prev && w->cpu[i].core == w->cpu[prev].core && may(w, i) && is_free(w, i))
			return (int)i;
	return NONE;
}

/* Of the cores met on the way the first idle one; else the first thread that would do. */
static int by_core(const struct place *w, const uint32_t *list, uint32_t n, bool *none_idle)
{
	int candidate = NONE;
	uint64_t seen = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = list[i];

		if (!may(w, cpu) || seen >> w->cpu[cpu].core & 1)
			continue;
		if (whole_core_idles(w, cpu))
			return (int)cpu;
		seen |= UINT64_C(1) << w->cpu[cpu].core;
		for (uint32_t t = 0; t < w->ncpus && candidate == NONE; t++)
			if (w->cpu[t].core == w->cpu[cpu].core && may(w, t) && is_free(w, t))
				candidate = (int)t;
	}
	*none_idle = true;
	return candidate;
}

static int by_cpu(const struct place *w, const uint32_t *list, uint32_t n, uint32_t depth)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!may(w, list[i]))
			continue;
		if (depth-- == 0)
			return NONE;
		if (is_free(w, list[i]))
			return (int)list[i];
	}
	return NONE;
}

struct traces {
	bool has_idle_cores;
	uint32_t recent;
};

static uint32_t sibling(const struct place *w, uint32_t prev, uint32_t target, struct traces *t)
{
	const struct top_domains *top = &hand_rq(w->h, target)->top;
	bool smt = w->h->m->smt_active, none_idle = false;
	uint32_t recent = t->recent, list[64], n = round_after(w, target, list);
	bool near_prev = w->cpu[prev].llc == w->cpu[target].llc;
	int found = NONE;

	if (is_free(w, target))
		return target;
	if (prev != target && near_prev && is_free(w, prev))
		return prev;
	t->recent = prev;
	if (recent != CPU_NONE && recent != prev && recent != target && may(w, recent) &&
	    w->cpu[recent].llc == w->cpu[target].llc && is_free(w, recent))
		return recent;
	if (!top->sd_llc)
		return target;
	if (smt && !t->has_idle_cores && near_prev)
		found = old_core(w, prev);
	if (found == NONE && top->sd_llc_shared->nr_idle_scan) {
		if (smt && t->has_idle_cores)
			found = by_core(w, list, n, &none_idle);
		else
			found = by_cpu(w, list, n, top->sd_llc_shared->nr_idle_scan);
	}
	if (none_idle)
		t->has_idle_cores = false;
	return found == NONE ? target : (uint32_t)found;
}

/* -- the idlest group -- */

enum type {
	SPARE,
	FULL,
	IMBALANCED,
	OVERLOADED
};

struct sums {
	uint64_t load, util, runnable, avg;
	uint32_t nr, idle, cpus; /* CPUs: that P may use */
	enum type type;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* What P's own CPU has without P. */
static void add_own(const struct place *w, struct sums *s)
{
	const struct rq *rq = hand_rq(w->h, w->p->cpu);
	const struct sched_avg *q = &rq->cfs->avg, *p = &w->p->se.avg;
	bool attached = p->last_update_time_ns != 0;
	uint64_t remembered = p->util_est.enqueued & 0x7fffffff, util, est;
	uint32_t nr = rq->nr_running - w->p->se.on_rq;

	if (w->h->v.util_est->name[0] == 'h' && p->util_est.ewma > remembered)
		remembered = p->util_est.ewma;
	s->load += attached ? less(q->load_avg, p->load_avg * q->load_avg / (q->load_avg + 1)) :
			      q->load_avg;
	s->runnable += attached ? less(q->runnable_avg, p->runnable_avg) : q->runnable_avg;
	util = attached ? less(q->util_avg, p->util_avg) : q->util_avg;
	est = q->util_est.enqueued;
	if (attached && (w->p->se.on_rq || rq->curr == w->p))
		est = less(est, remembered);
	util = util > est ? util : est;
	s->util += util < 1024 ? util : 1024;
	s->nr += nr;
	s->idle += !nr && (rq->curr == rq->idle || rq->curr == w->p) && !rq->wake_list;
}

static struct sums sum_up(const struct place *w, const struct sched_domain *sd,
			  const struct sched_group *g)
{
	uint64_t cap = g->sgc->capacity, pct = sd->imbalance_pct;
	uint32_t weight = mask_weight(g->cpus);
	struct sums s = {0};
	bool waits;

	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++) {
		const struct rq *rq = hand_rq(w->h, cpu);
		uint64_t util = rq->cfs->avg.util_avg;

		if (!mask_test(g->cpus, cpu) || !may(w, cpu))
			continue;
		s.cpus++;
		if (cpu == w->p->cpu) {
			add_own(w, &s);
			continue;
		}
		if (rq->cfs->avg.util_est.enqueued > util)
			util = rq->cfs->avg.util_est.enqueued;
		s.load += rq->cfs->avg.load_avg;
		s.runnable += rq->cfs->avg.runnable_avg;
		s.util += util < 1024 ? util : 1024;
		s.nr += rq->nr_running;
		s.idle += !rq->nr_running && rq->curr == rq->idle && !rq->wake_list;
	}
	waits = cap * pct < s.runnable * 100;
	if (s.nr > weight && (cap * 100 < s.util * pct || waits))
		s.type = OVERLOADED;
	else if (g->sgc->imbalance)
		s.type = IMBALANCED;
	else if (s.nr < weight || (!waits && cap * 100 > s.util * pct))
		s.type = SPARE;
	else
		s.type = FULL;
	s.avg = s.load * 1024 / cap;
	return s;
}

/* B: NULL, or the one so far. */
static bool is_idler(const struct sums *s, const struct sums *b)
{
	if (!b)
		return s->type != OVERLOADED || s->avg < UINT32_MAX;
	if (s->type != b->type)
		return s->type < b->type;
	if (s->type == IMBALANCED)
		return false;
	if (s->type == SPARE)
		return s->idle > b->idle || (s->idle == b->idle && s->util < b->util);
	return s->avg < b->avg;
}

static bool stays(const struct place *w, const struct sched_domain *sd, const struct sums *here,
		  const struct sums *b)
{
	uint64_t margin = 1024 * (uint64_t)(sd->imbalance_pct - 100) / 100;
	bool numa = sd->flags & SD_NUMA;

	if (here->type != b->type)
		return here->type < b->type;
	switch (here->type) {
	case IMBALANCED:
		return true;
	case SPARE:
		if (numa) {
			uint32_t apart = here->idle > b->idle ? here->idle - b->idle :
								b->idle - here->idle;
			uint32_t few = sd->imb_numa_nr < here->cpus ? sd->imb_numa_nr : here->cpus;

			if (apart == 0 || (here->nr + 1 <= few && apart <= 2))
				return true;
		}
		return here->idle >= b->idle;
	case FULL:
	case OVERLOADED:
		break;
	}
	if (numa && b->avg + margin >= here->avg)
		return true;
	return b->avg >= here->avg + margin || 100 * here->avg <= sd->imbalance_pct * b->avg;
}

static const struct sched_group *idlest_group(const struct place *w, const struct sched_domain *sd,
					      uint32_t this_cpu)
{
	const struct sched_group *g = sd->groups, *best = NULL;
	struct sums here = {0}, b = {0};
	bool seen = false;

	do {
		struct sums s;

		if (!(g->cpus->w[0] & w->allowed))
			continue;
		s = sum_up(w, sd, g);
		if (mask_test(g->cpus, this_cpu)) {
			here = s;
			seen = true;
		} else if (is_idler(&s, best ? &b : NULL)) {
			b = s;
			best = g;
		}
	} while ((g = g->next) != sd->groups);
	if (!best || !seen)
		return best;
	return stays(w, sd, &here, &b) ? NULL : best;
}

static uint32_t cpu_of_group(const struct place *w, const struct sched_group *g, uint32_t this_cpu)
{
	uint32_t last = CPU_NONE, least = this_cpu;
	uint64_t stamp = 0, min = UINT64_MAX;

	if (mask_weight(g->cpus) == 1)
		return mask_first(g->cpus);
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++) {
		const struct rq *rq = hand_rq(w->h, cpu);

		if (!mask_test(g->cpus, cpu) || !may(w, cpu))
			continue;
		if (w->cpu[cpu].sched_idle)
			return cpu;
		if (w->cpu[cpu].idle) {
			if (rq->idle_stamp_ns > stamp) {
				stamp = rq->idle_stamp_ns;
				last = cpu;
			}
		} else if (rq->cfs->avg.load_avg < min) {
			min = rq->cfs->avg.load_avg;
			least = cpu;
		}
	}
	return last != CPU_NONE ? last : least;
}

static uint32_t idlest(const struct place *w, const struct sched_domain *sd, uint32_t cpu,
		       uint32_t prev, uint32_t kind)
{
	uint32_t chosen = cpu;

	if (!(sd->span->w[0] & w->allowed))
		return prev;
	while (sd) {
		const struct sched_group *g = sd->flags & kind ? idlest_group(w, sd, cpu) : NULL;
		uint32_t limit = sd->span_weight;

		if (g)
			chosen = cpu_of_group(w, g, cpu);
		if (!g || chosen == cpu) {
			sd = sd->child;
			continue;
		}
		cpu = chosen;
		sd = NULL;
		for (const struct sched_domain *d = hand_rq(w->h, cpu)->sd;
		     d && d->span_weight < limit; d = d->parent)
			if (d->flags & kind)
				sd = d;
	}
	return chosen;
}

/* -- both beside each other -- */

static const char *const kernels[] = {"6.1", "6.1-debian", "6.12", "6.12-debian"};

#define KERNELS (sizeof(kernels) / sizeof(kernels[0]))

static void test_idle_siblings_agree(void **state)
{
	uint64_t elsewhere = 0, cleared = 0, kept = 0;

	for (uint64_t i = 0; i < KERNELS * MACHINES; i++) {
		struct rng r = rng_stream(i, "sibling", 1);
		struct place w;
		struct hand h;

		start(&h, &w, i, kernels[i / MACHINES]);
		for (uint32_t step = 0; step < 2000; step++) {
			struct sched_domain_shared *llc;
			struct traces t = {false, 0};
			uint32_t target, prev, chosen;

			random_place(&w, &r);
			target = (uint32_t)rng_below(&r, w.ncpus);
			prev = (uint32_t)rng_below(&r, w.ncpus);
			llc = hand_rq(&h, target)->top.sd_llc_shared;
			t.recent = w.p->recent_used_cpu;
			t.has_idle_cores = llc && llc->has_idle_cores;
			cleared += t.has_idle_cores;
			chosen = sibling(&w, prev, target, &t);
			kept += t.recent == w.p->recent_used_cpu;
			assert_int_equal(select_idle_sibling_scan(hand_k(&h, w.waker), w.p, prev,
								  target),
					 chosen);
			assert_int_equal(w.p->recent_used_cpu, t.recent);
			assert_int_equal(llc && llc->has_idle_cores, t.has_idle_cores);
			cleared -= t.has_idle_cores;
			elsewhere += chosen != target && chosen != prev;
		}
		hand_drop(&h);
	}
	/* every way out was taken often */
	assert_true(elsewhere > 10000);
	assert_true(cleared > 1000);
	assert_true(kept > 1000);
}

static void test_idlest_cpus_agree(void **state)
{
	uint64_t elsewhere = 0, nodes = 0;

	for (uint64_t i = 0; i < KERNELS * MACHINES; i++) {
		struct rng r = rng_stream(i, "idlest", 1);
		struct place w;
		struct hand h;

		start(&h, &w, i, kernels[i / MACHINES]);
		for (uint32_t step = 0; step < 3000 && hand_rq(&h, 0)->sd; step++) {
			struct sched_domain *sd;
			uint32_t cpu, chosen, kind;

			random_place(&w, &r);
			/* what was never queued does not exec */
			kind = rng_below(&r, 2) ? SD_BALANCE_EXEC : SD_BALANCE_FORK;
			if (!w.p->se.avg.last_update_time_ns)
				kind = SD_BALANCE_FORK;
			cpu = w.waker;
			sd = hand_rq(&h, cpu)->sd;
			while (sd->parent && rng_below(&r, 4))
				sd = sd->parent;
			sd->imb_numa_nr = (uint32_t)rng_below(&r, 9);
			chosen = idlest(&w, sd, cpu, w.p->cpu, kind);
			assert_int_equal(find_idlest_pelt(hand_k(&h, cpu), w.p, sd, cpu, w.p->cpu,
							  kind),
					 chosen);
			elsewhere += chosen != cpu;
			nodes += w.cpu[chosen].llc != w.cpu[cpu].llc;
		}
		hand_drop(&h);
	}
	assert_true(elsewhere > 20000);
	assert_true(nodes > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_siblings_agree),
		cmocka_unit_test(test_idlest_cpus_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
