/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where tasks go in 5.4, after each patch that concerns it, and in 5.5, computed a second time
 * as the rules are told: CPUs are numbers, sets of CPUs are bits, each scan makes the list of
 * CPUs it goes through first. Machines are in random states, many of which no run would
 * produce; both must choose the same CPU and leave the same behind.
 *
 * Linux: kernel/sched/fair.c select_idle_sibling(), find_idlest_cpu(); 5.4, 5.5.
 */
#include "support.h"

#include "base/rng.h"
#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

#include "random_place.h"

/* What is left behind beside the choice. */
struct traces {
	bool has_idle_cores;
	uint64_t scan_cost_ns;
	uint32_t recent;
};

static bool machine_has_smt(const struct place *w)
{
	return w->h->topo.ncpus > 1 && w->h->m->smt_active;
}

/* The first thread met of a core all of whose threads idle; -1: none. */
static int idle_core(const struct place *w, uint32_t target, struct traces *t)
{
	uint32_t list[64], n = round_from(w, target, list);

	if (!machine_has_smt(w) || !t->has_idle_cores)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (may(w, list[i]) && whole_core_idles(w, list[i]))
			return (int)list[i];
	t->has_idle_cores = false;
	return -1;
}

static int idle_cpu_by_scan(const struct place *w, uint32_t target, struct traces *t)
{
	const struct rq *rq = hand_rq(w->h, w->waker);
	uint32_t list[64], n = round_from(w, target, list);
	uint64_t avg_idle = rq->avg_idle_ns / 512, cost = t->scan_cost_ns + 1, depth = 4;
	uint64_t took_ns = 0;
	int fallback = -1, found = -1;

	if (!rq->top.sd_llc)
		return -1;
	if (kver_has(&w->h->v, FEAT_SIS_AVG_CPU) && avg_idle < cost)
		return -1;
	if (n * avg_idle > 4 * cost)
		depth = n * avg_idle / cost;
	if (!kver_has(&w->h->v, FEAT_SIS_PROP))
		depth = 1000000;
	for (uint32_t i = 0; i < n && found < 0; i++) {
		/* the last of the depth is not looked at, and the time is not taken */
		if (i + 1 == depth)
			return fallback;
		if (!may(w, list[i]))
			continue;
		took_ns += SCAN_NS;
		if (w->cpu[list[i]].idle)
			found = (int)list[i];
		else if (fallback < 0 && w->cpu[list[i]].sched_idle)
			fallback = (int)list[i];
	}
	if (took_ns >= t->scan_cost_ns)
		t->scan_cost_ns += (took_ns - t->scan_cost_ns) / 8;
	else
		t->scan_cost_ns -= (t->scan_cost_ns - took_ns) / 8;
	return found;
}

static int idle_thread(const struct place *w, uint32_t target)
{
	int fallback = -1;

	if (!machine_has_smt(w))
		return -1;
	for (uint32_t i = 0; i < w->ncpus; i++) {
		if (w->cpu[i].core != w->cpu[target].core || !may(w, i))
			continue;
		if (w->cpu[i].idle)
			return (int)i;
		if (fallback < 0 && w->cpu[i].sched_idle)
			fallback = (int)i;
	}
	return fallback;
}

static uint32_t sibling(const struct place *w, uint32_t prev, uint32_t target, struct traces *t)
{
	uint32_t recent = w->p->recent_used_cpu;
	int found;

	if (is_free(w, target))
		return target;
	if (prev != target && w->cpu[prev].llc == w->cpu[target].llc && is_free(w, prev))
		return prev;
	if (recent != CPU_NONE && recent != prev && recent != target &&
	    w->cpu[recent].llc == w->cpu[target].llc && is_free(w, recent) && may(w, recent)) {
		t->recent = prev;
		return recent;
	}
	if (!hand_rq(w->h, target)->top.sd_llc)
		return target;
	found = idle_core(w, target, t);
	if (found < 0)
		found = idle_cpu_by_scan(w, target, t);
	if (found < 0)
		found = idle_thread(w, target);
	return found < 0 ? target : (uint32_t)found;
}

/* -- the idlest group, down the domains -- */

/* One group as the rules see it. */
struct sums {
	uint64_t runnable, load, util, spare, avg;
	uint64_t nr, idle_cpus;
	int type; /* 0 room, 1 full, 4 imbalanced, 5 overloaded */
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t load_of(const struct place *w, const struct rq *rq)
{
	return kver_has(&w->h->v, FEAT_WAKE_LOAD_AVG) ? rq->cfs->avg.load_avg :
							rq->cfs->avg.runnable_avg;
}

/* Its queue's utilization, or what its tasks said they use, P not counted if it was there. */
static uint64_t util_of(const struct place *w, uint32_t cpu)
{
	const struct sched_avg *q = &hand_rq(w->h, cpu)->cfs->avg;
	const struct task *p = w->p;
	uint64_t util = q->util_avg, est = q->util_est.enqueued;
	uint64_t remembered = p->se.avg.util_est.enqueued;

	if (p->se.avg.util_est.ewma > remembered)
		remembered = p->se.avg.util_est.ewma;
	remembered |= 1;
	if (p->cpu == cpu && p->se.avg.last_update_time_ns) {
		util = less(util, p->se.avg.util_avg);
		if (p->se.on_rq || hand_rq(w->h, cpu)->curr == p)
			est = less(est, remembered);
	}
	util = util > est ? util : est;
	return util < 1024 ? util : 1024;
}

static bool is_there(const struct place *w, uint32_t cpu)
{
	return kver_has(&w->h->v, FEAT_IDLEST_WITHOUT_TASK) && w->p->cpu == cpu;
}

static struct sums sum_up(const struct place *w, const struct sched_domain *sd,
			  const struct sched_group *g)
{
	uint64_t cap = g->sgc->capacity;
	struct sums s = {0};

	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++) {
		const struct rq *rq = hand_rq(w->h, cpu);
		uint64_t load = rq->cfs->avg.load_avg, nr = rq->nr_running;
		bool idle = w->cpu[cpu].idle;

		if (!mask_test(g->cpus, cpu))
			continue;
		s.runnable += load_of(w, rq);
		s.util += util_of(w, cpu);
		if (less(rq->cpu_capacity, util_of(w, cpu)) > s.spare)
			s.spare = less(rq->cpu_capacity, util_of(w, cpu));
		if (is_there(w, cpu)) {
			if (w->p->se.avg.last_update_time_ns)
				load = less(load, w->p->se.avg.load_avg * load / (load + 1));
			nr -= w->p->se.on_rq;
		}
		if (kver_has(&w->h->v, FEAT_IDLEST_WITHOUT_TASK))
			idle = (rq->curr == rq->idle || rq->curr == w->p) && !rq->wake_list;
		s.load += load;
		s.nr += nr;
		s.idle_cpus += !nr && idle;
	}
	/* classified with a weight of 0 */
	if (s.nr > 0 && cap * 100 < s.util * sd->imbalance_pct)
		s.type = 5;
	else if (g->sgc->imbalance)
		s.type = 4;
	else
		s.type = cap * 100 > s.util * sd->imbalance_pct ? 0 : 1;
	s.avg = s.type == 0 ? s.load * 1024 / cap : 0;
	s.runnable = s.runnable * 1024 / cap;
	s.load = s.load * 1024 / cap;
	return s;
}

static const struct sched_group *group_by_types(const struct place *w,
						const struct sched_domain *sd, uint32_t this_cpu)
{
	const struct sched_group *g = sd->groups, *best = NULL;
	struct sums here = {0}, b = {.type = 5, .avg = UINT32_MAX};
	bool seen = false;

	do {
		struct sums s;

		if (!(g->cpus->w[0] & w->allowed))
			continue;
		s = sum_up(w, sd, g);
		if (mask_test(g->cpus, this_cpu)) {
			here = s;
			seen = true;
		} else if (s.type < b.type ||
			   (s.type == b.type && (s.type == 0 ? s.idle_cpus > b.idle_cpus :
						 s.type != 4 ? s.avg < b.avg :
							       false))) {
			b = s;
			best = g;
		}
	} while ((g = g->next) != sd->groups);
	if (!best || (!seen && kver_has(&w->h->v, FEAT_IDLEST_AFFINITY)))
		return best;
	if (here.type != b.type)
		return here.type < b.type ? NULL : best;
	/* averages of full groups are 0: never better */
	if (here.type != 0)
		return NULL;
	if ((sd->flags & SD_NUMA) && here.idle_cpus > 0)
		return NULL;
	return here.idle_cpus >= b.idle_cpus ? NULL : best;
}

static const struct sched_group *
group_by_loads(const struct place *w, const struct sched_domain *sd, uint32_t this_cpu, bool fork)
{
	const struct sched_group *g = sd->groups, *best = NULL, *roomy = NULL;
	uint64_t imb = 1024 * (uint64_t)(sd->imbalance_pct - 100) / 100;
	uint64_t half = 100 + (sd->imbalance_pct - 100) / 2, need = w->p->se.avg.util_avg / 2;
	uint64_t this_r = UINT64_MAX, this_a = UINT64_MAX, this_spare = 0;
	uint64_t min_r = UINT64_MAX, min_a = UINT64_MAX, most_spare = 0;
	bool one = kver_has(&w->h->v, FEAT_IDLEST_SINGLE_LOAD);

	do {
		struct sums s;

		if (!(g->cpus->w[0] & w->allowed))
			continue;
		s = sum_up(w, sd, g);
		if (mask_test(g->cpus, this_cpu)) {
			this_r = s.runnable;
			this_a = s.load;
			this_spare = s.spare;
			continue;
		}
		if (one && s.load < min_a) {
			min_a = s.load;
			best = g;
		} else if (!one && min_r > s.runnable + imb) {
			min_r = s.runnable;
			min_a = s.load;
			best = g;
		} else if (!one && s.runnable < min_r + imb && 100 * min_a > half * s.load) {
			min_a = s.load;
			best = g;
		}
		if (s.spare > most_spare) {
			most_spare = s.spare;
			roomy = g;
		}
	} while ((g = g->next) != sd->groups);
	if (!fork && this_spare > need && half * this_spare > 100 * most_spare)
		return NULL;
	if (!fork && most_spare > need)
		return roomy;
	if (one) {
		min_r = min_a;
		this_r = this_a;
	}
	if (!best || ((sd->flags & SD_NUMA) && min_r + imb >= this_r))
		return NULL;
	if (one ? min_r >= this_r + imb : min_r > this_r + imb)
		return NULL;
	return this_r < min_r + imb && 100 * this_a < half * min_a ? NULL : best;
}

static uint32_t cpu_of_group(const struct place *w, const struct sched_group *g, uint32_t this_cpu)
{
	uint32_t last = CPU_NONE, giving = CPU_NONE, least = this_cpu;
	uint64_t stamp = 0, min = UINT64_MAX;

	if (mask_weight(g->cpus) == 1)
		return mask_first(g->cpus);
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++) {
		const struct rq *rq = hand_rq(w->h, cpu);

		if (!mask_test(g->cpus, cpu) || !may(w, cpu))
			continue;
		if (w->cpu[cpu].idle) {
			if (rq->idle_stamp_ns > stamp) {
				stamp = rq->idle_stamp_ns;
				last = cpu;
			}
			continue;
		}
		if (last != CPU_NONE || giving != CPU_NONE)
			continue;
		if (w->cpu[cpu].sched_idle) {
			giving = cpu;
		} else if (load_of(w, rq) < min) {
			min = load_of(w, rq);
			least = cpu;
		}
	}
	if (last != CPU_NONE)
		return last;
	return giving != CPU_NONE ? giving : least;
}

static uint32_t idlest(const struct place *w, const struct sched_domain *sd, uint32_t cpu,
		       uint32_t prev, uint32_t kind)
{
	uint32_t chosen = cpu;

	if (!(sd->span->w[0] & w->allowed))
		return prev;
	while (sd) {
		const struct sched_group *g = NULL;
		uint32_t limit = sd->span_weight;

		if (sd->flags & kind)
			g = kver_has(&w->h->v, FEAT_IDLEST_TYPES) ?
				    group_by_types(w, sd, cpu) :
				    group_by_loads(w, sd, cpu, kind == SD_BALANCE_FORK);
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

static void test_idle_siblings_agree(void **state)
{
	static const char *const kernels[] = {"5.4", "5.4,NO_SIS_PROP", "5.5,SIS_AVG_CPU", "5.5"};
	uint64_t elsewhere = 0, cleared = 0, exchanged = 0;

	for (uint64_t i = 0; i < 4 * MACHINES; i++) {
		struct rng r = rng_stream(i, "sibling", 0);
		struct place w;
		struct hand h;

		start(&h, &w, i, kernels[i / MACHINES]);
		for (uint32_t step = 0; step < 2000; step++) {
			uint32_t target, prev, llc_cpu, chosen;
			struct traces t = {false, 0, 0};
			struct rq *waker;

			random_place(&w, &r);
			target = (uint32_t)rng_below(&r, w.ncpus);
			prev = (uint32_t)rng_below(&r, w.ncpus);
			waker = hand_rq(&h, w.waker);
			llc_cpu = target;
			t.recent = w.p->recent_used_cpu;
			if (waker->top.sd_llc)
				t.scan_cost_ns = waker->top.sd_llc->avg_scan_cost_ns;
			if (hand_rq(&h, llc_cpu)->top.sd_llc)
				t.has_idle_cores =
					hand_rq(&h, llc_cpu)->top.sd_llc_shared->has_idle_cores;
			cleared += t.has_idle_cores;
			chosen = sibling(&w, prev, target, &t);
			exchanged += t.recent != w.p->recent_used_cpu;
			assert_int_equal(select_idle_sibling_scan(hand_k(&h, w.waker), w.p, prev,
								  target),
					 chosen);
			assert_int_equal(w.p->recent_used_cpu, t.recent);
			if (waker->top.sd_llc)
				assert_int_equal(waker->top.sd_llc->avg_scan_cost_ns,
						 t.scan_cost_ns);
			if (hand_rq(&h, llc_cpu)->top.sd_llc)
				assert_int_equal(
					hand_rq(&h, llc_cpu)->top.sd_llc_shared->has_idle_cores,
					t.has_idle_cores);
			cleared -= t.has_idle_cores;
			elsewhere += chosen != target && chosen != prev;
		}
		hand_drop(&h);
	}
	/* every way out was taken often */
	assert_true(elsewhere > 10000);
	assert_true(cleared > 1000);
	assert_true(exchanged > 1000);
}

static void test_idlest_cpus_agree(void **state)
{
	static const char *const kernels[] = {
		"5.4",
		"5.4,NO_UTIL_EST",
		"5.4,+lb-p9",
		"5.4,+lb-p9,+lb-p10",
		"5.4,+lb-p11",
		"5.4,+lb-p9,+lb-p11,+idlest-without-task",
		"5.4,+lb-p11,+idlest-affinity",
		"5.5",
	};
	uint64_t elsewhere = 0, nodes = 0;

	for (uint64_t i = 0; i < 8 * MACHINES; i++) {
		struct rng r = rng_stream(i, "idlest", 0);
		struct place w;
		struct hand h;

		start(&h, &w, i, kernels[i / MACHINES]);
		for (uint32_t step = 0; step < 2000 && hand_rq(&h, 0)->sd; step++) {
			struct sched_domain *sd;
			uint32_t cpu, chosen, kind;

			random_place(&w, &r);
			if (!kver_has(&h.v, FEAT_UTIL_EST))
				for (cpu = 0; cpu < w.ncpus; cpu++)
					hand_rq(&h, cpu)->cfs->avg.util_est.enqueued = 0;
			/* what was never queued does not exec */
			kind = rng_below(&r, 2) ? SD_BALANCE_EXEC : SD_BALANCE_FORK;
			if (!w.p->se.avg.last_update_time_ns)
				kind = SD_BALANCE_FORK;
			cpu = w.waker;
			sd = hand_rq(&h, cpu)->sd;
			while (sd->parent && rng_below(&r, 4))
				sd = sd->parent;
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
