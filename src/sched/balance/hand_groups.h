/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a domain whose groups are numbers, put to a kernel's busiest_ops as
 * update_sd_lb_stats() would. Group 0 is the local one; its first CPU, 0, balances. What is 0
 * in a group is filled in: a capacity of 1024 a CPU. Include after support.h.
 *
 *	struct hand_question q = {.kernel = "5.5", .idle = CPU_IDLE, .pct = 117, .ngroups = 2,
 *				  .g = {{.weight = 2, .idle = 2}, {.weight = 2, .nr = 3}}};
 *	struct hand_verdict v = hand_ask(&q);
 */
#ifndef RUNQLAB_SCHED_BALANCE_HAND_GROUPS_H
#define RUNQLAB_SCHED_BALANCE_HAND_GROUPS_H

#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"

#define HAND_GROUPS_MAX 4

struct hand_group {
	uint32_t weight, nr, idle; /* CPUs; fair tasks; CPUs without a task */
	uint64_t load, util;
	uint32_t others; /* running tasks of other classes */
	bool imbalance;  /* flagged: pinned tasks below */
	uint64_t misfit_load;
	uint64_t capacity, min_capacity, max_capacity;
	uint32_t asym_prefer_cpu;
};

struct hand_question {
	const char *kernel;
	enum cpu_idle_type idle;
	uint32_t pct, flags; /* of the domain */
	bool siblings;       /* tasks are to be spread over its groups */
	uint32_t ngroups;
	struct hand_group g[HAND_GROUPS_MAX];
	uint64_t dst_load; /* load of CPU 0's queue and its tasks, which 5.4 may look at */
	uint32_t dst_nr;
};

struct hand_verdict {
	int busiest; /* index of the group; -1: none */
	enum group_type type[HAND_GROUPS_MAX];
	enum migration_type what;
	int64_t imbalance;
};

static inline void hand_group_attach(const struct hand_group *hg, struct sched_group *g,
				     struct sched_group_capacity *sgc)
{
	*sgc = (struct sched_group_capacity){
		.capacity = hg->capacity ? hg->capacity : 1024 * (uint64_t)hg->weight,
		.min_capacity = hg->min_capacity ? hg->min_capacity : 1024,
		.max_capacity = hg->max_capacity ? hg->max_capacity : 1024,
		.imbalance = hg->imbalance,
	};
	*g = (struct sched_group){
		.sgc = sgc, .ncpus = hg->weight, .asym_prefer_cpu = hg->asym_prefer_cpu};
}

static inline struct sg_lb_stats hand_group_sums(const struct kctx *k, const struct hand_group *hg,
						 const struct sched_group *g)
{
	return (struct sg_lb_stats){
		.group_load = hg->load,
		.group_util = hg->util,
		.group_capacity = g->sgc->capacity,
		.group_weight = hg->weight,
		.misfit_load = hg->misfit_load,
		.sum_h_nr = hg->nr,
		.sum_nr = hg->nr + (feat(k, FEAT_LB_ALL_CLASSES) ? hg->others : 0),
		.idle_cpus = hg->idle,
	};
}

static inline struct hand_verdict hand_ask(const struct hand_question *q)
{
	struct sched_group_capacity sgc[HAND_GROUPS_MAX];
	struct sched_group g[HAND_GROUPS_MAX];
	struct sched_domain child = {.flags = SD_PREFER_SIBLING};
	struct sched_domain sd = {.flags = q->flags, .imbalance_pct = q->pct, .groups = g};
	struct hand_verdict v = {.busiest = -1};
	static struct hand h;
	struct lb_env env = {.sd = &sd, .idle = q->idle};
	const struct sched_group *busiest;
	const struct busiest_ops *ops;
	struct sd_lb_stats sds;
	struct kctx *k;

	CHECK(q->ngroups >= 1 && q->ngroups <= HAND_GROUPS_MAX);
	hand_init(&h, q->kernel, 1, HAND_GROUPS_MAX, 1);
	k = hand_k(&h, 0);
	env.dst_rq = hand_rq(&h, 0);
	env.dst_rq->cfs->avg.runnable_avg = q->dst_load;
	env.dst_rq->cfs->h_nr_running = q->dst_nr;
	sd.child = q->siblings ? &child : NULL;
	ops = h.v.busiest;
	ops->begin(&env, &sds);
	for (uint32_t i = 0; i < q->ngroups; i++) {
		struct sg_lb_stats s;

		hand_group_attach(&q->g[i], &g[i], &sgc[i]);
		g[i].next = &g[(i + 1) % q->ngroups];
		s = hand_group_sums(k, &q->g[i], &g[i]);
		if (i == 0)
			sds.local = &g[0];
		ops->rate(k, &env, &sds, &g[i], &s);
		v.type[i] = s.group_type;
		if (i == 0) {
			sds.local_stat = s;
		} else if (ops->is_busier(k, &env, &sds, &g[i], &s)) {
			sds.busiest = &g[i];
			sds.busiest_stat = s;
		}
		sds.total_load += s.group_load;
		sds.total_capacity += s.group_capacity;
	}
	busiest = ops->decide(k, &env, &sds);
	if (busiest)
		v.busiest = (int)(busiest - g);
	v.what = env.migration_type;
	v.imbalance = env.imbalance;
	env.dst_rq->cfs->avg.runnable_avg = 0;
	env.dst_rq->cfs->h_nr_running = 0;
	hand_free(&h);
	return v;
}

/* N groups of one kernel's answer: none. */
#define HAND_NONE (-1)

#endif
