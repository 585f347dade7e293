/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a machine in a random state, many of which no run would produce, and a task that is to
 * be placed there, seen as numbers and bits by whoever computes the place a second time. Include
 * after support.h.
 */
#ifndef RUNQLAB_TESTS_REFERENCE_RANDOM_PLACE_H
#define RUNQLAB_TESTS_REFERENCE_RANDOM_PLACE_H

#include "base/rng.h"
#include "sched/hand_machine.h"

#define SCAN_NS 7u /* what a look at a CPU costs */

/* What a CPU looks like from outside. */
struct cpu_view {
	bool idle;       /* nothing runs, waits or is on its way */
	bool sched_idle; /* it has tasks, all of SCHED_IDLE */
	uint32_t llc, core;
};

struct place {
	struct hand *h;
	struct task *p;
	uint32_t ncpus, waker;
	uint64_t allowed;
	struct cpu_view cpu[64];
};

static inline bool may(const struct place *w, uint32_t cpu)
{
	return w->allowed >> cpu & 1;
}

static inline bool is_free(const struct place *w, uint32_t cpu)
{
	return w->cpu[cpu].idle || w->cpu[cpu].sched_idle;
}

/* The CPUs of TARGET's cache from TARGET on, round to before it. */
static inline uint32_t round_from(const struct place *w, uint32_t target, uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->ncpus; i++) {
		uint32_t cpu = (target + i) % w->ncpus;

		if (w->cpu[cpu].llc == w->cpu[target].llc)
			list[n++] = cpu;
	}
	return n;
}

static inline bool whole_core_idles(const struct place *w, uint32_t cpu)
{
	for (uint32_t i = 0; i < w->ncpus; i++)
		if (w->cpu[i].core == w->cpu[cpu].core && !w->cpu[i].idle)
			return false;
	return true;
}

/* -- random states -- */

static inline void random_cpu(struct hand *h, uint32_t cpu, struct rng *r)
{
	struct rq *rq = hand_rq(h, cpu);
	uint32_t nr = rng_below(r, 2) ? 0 : (uint32_t)rng_below(r, 4);
	struct sched_avg *q = &rq->cfs->avg;
	/* a third of the machines is quiet */
	uint64_t load = rng_below(r, 3) ? rng_below(r, 3000) : rng_below(r, 200);

	rq->nr_running = nr;
	rq->cfs->h_nr_running = nr;
	rq->cfs->idle_h_nr_running = rng_below(r, 4) ? 0 : nr;
	/* switching, or woken and not yet switched to */
	set_rq_curr(h->m, rq, (nr > 0) == (rng_below(r, 12) > 0) ? rq->stop : rq->idle);
	if (rq->cfs->idle_h_nr_running)
		mask_set(h->m->had_idle_policy, cpu);
	rq->wake_list = rng_below(r, 12) ? NULL : rq->stop;
	q->load_avg = load;
	q->runnable_avg = nr ? rng_below(r, load + 1) : 0;
	q->util_avg = rng_below(r, 1300);
	q->util_est.enqueued = (uint32_t)(rng_below(r, 2) ? 0 : rng_below(r, 1300));
	rq->cfs->pelt.h_load_at = 0;
	rq->cpu_capacity = rng_below(r, 3) ? 1024 : rng_between(r, 1, 1024);
	rq->idle_stamp_ns = rng_below(r, 5) ? rng_below(r, 6) : 0;
	rq->avg_idle_ns = rng_below(r, 2) ? rng_below(r, 4000) : rng_below(r, 1000000);
	if (rq->top.sd_llc) {
		rq->top.sd_llc->avg_scan_cost_ns = rng_below(r, 60);
		rq->top.sd_llc_shared->has_idle_cores = rng_below(r, 2);
		rq->top.sd_llc_shared->nr_idle_scan = (uint32_t)rng_below(r, 9);
	}
}

static inline void random_place(struct place *w, struct rng *r)
{
	struct machine *m = w->h->m;
	struct task *p = w->p;
	uint64_t all = UINT64_MAX >> (64 - w->ncpus);
	struct mask *allowed = (struct mask *)(void *)w->h->mask_mem[0];

	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++)
		random_cpu(w->h, cpu, r);
	for (uint32_t i = 0; i < m->nsgroups; i++) {
		m->sgroups[i]->sgc->capacity = m->sgroups[i]->ncpus * rng_between(r, 300, 1024);
		m->sgroups[i]->sgc->imbalance = !rng_below(r, 6);
	}
	w->allowed = rng_below(r, 2) ? all : rng_next(r) & all;
	if (!w->allowed)
		w->allowed = all;
	mask_init(allowed, w->ncpus);
	allowed->w[0] = w->allowed;
	p->allowed = allowed;
	p->nr_allowed = mask_weight(allowed);
	p->cpu = (uint32_t)rng_below(r, w->ncpus);
	p->se.cfs_rq = hand_rq(w->h, p->cpu)->cfs;
	p->recent_used_cpu = rng_below(r, 5) ? (uint32_t)rng_below(r, w->ncpus) : CPU_NONE;
	p->se.avg.util_avg = rng_below(r, 1100);
	p->se.avg.load_avg = rng_below(r, 1100);
	p->se.avg.runnable_avg = rng_below(r, 1100);
	p->se.avg.util_est.enqueued = (uint32_t)rng_below(r, 1100);
	p->se.avg.util_est.ewma = (uint32_t)rng_below(r, 1100);
	/* a new task, not attached yet, or one that execs */
	p->se.avg.last_update_time_ns = 0;
	p->se.on_rq = false;
	w->waker = (uint32_t)rng_below(r, w->ncpus);
	if (rng_below(r, 2)) {
		struct rq *rq = hand_rq(w->h, p->cpu);

		/* as recent as its queue: ageing it changes nothing */
		p->se.avg.last_update_time_ns = rq->cfs->avg.last_update_time_ns + 1024;
		rq->cfs->avg.last_update_time_ns = p->se.avg.last_update_time_ns;
		p->se.on_rq = rng_below(r, 2);
		if (p->se.on_rq) {
			set_rq_curr(w->h->m, rq, p);
			rq->nr_running += !rq->nr_running;
		}
	}
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++) {
		const struct rq *rq = hand_rq(w->h, cpu);

		w->cpu[cpu].idle = rq->curr == rq->idle && !rq->nr_running && !rq->wake_list;
		w->cpu[cpu].sched_idle = rq->nr_running &&
					 rq->nr_running == rq->cfs->idle_h_nr_running;
		w->cpu[cpu].llc = w->h->topo.cpu[cpu].llc;
		w->cpu[cpu].core = w->h->topo.cpu[cpu].core;
	}
}

static const struct {
	uint32_t sockets, cores, threads;
} machines[] = {{1, 1, 1}, {1, 1, 2}, {1, 4, 1}, {1, 4, 2}, {2, 1, 1},
		{2, 4, 2}, {4, 2, 1}, {3, 2, 2}, {2, 8, 2}};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static inline void start(struct hand *h, struct place *w, uint64_t i, const char *kernel)
{
	static const struct task_attr attr;

	hand_init(h, kernel, machines[i % MACHINES].sockets, machines[i % MACHINES].cores,
		  machines[i % MACHINES].threads);
	h->prices.sched_ns[WORK_SELECT_SCAN] = SCAN_NS;
	*w = (struct place){.h = h, .ncpus = h->m->ncpus};
	w->p = sched_new_task(hand_k(h, 0), NULL, &attr, &h->m->groups_mem[0]);
}

#endif
