/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload without a plan: each task does whatever its stream of chance says
 * next, every kind of action included, also those that make little sense (work
 * of no length, sleeping until yesterday, waking oneself, the dead or the
 * unborn). Sooner or later most tasks exit or block for good. In half of them
 * there are real-time tasks.
 *
 * chaos_create(); use c->behaviour; chaos_destroy() after the run.
 */
#ifndef RUNQLAB_TESTS_PROPERTY_CHAOS_H
#define RUNQLAB_TESTS_PROPERTY_CHAOS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "base/rng.h"
#include "model/behaviour.h"

#define CHAOS_MASKS 4u
#define CHAOS_LOCKS 3u

struct chaos {
	struct behaviour behaviour; /* first */
	struct rng *rng;            /* [task] */
	uint32_t *holds;            /* [task]: spinlocks 0..holds-1 are its own */
	uint32_t ntasks, nforked;
	struct mask *masks[CHAOS_MASKS]; /* each with an online CPU */
	bool realtime;                   /* policies may be real-time ones */
	bool forks_fast;                 /* task 0 creates all before anything else */
	unsigned hurry;                  /* lengths are shorter by 2^hurry */
};

static inline uint64_t chaos_length(struct rng *r)
{
	switch (rng_below(r, 8)) {
	case 0:
		return rng_below(r, 3);
	case 1:
	case 2:
		return rng_between(r, 1, 20 * NS_PER_US);
	case 3:
		return rng_between(r, 1, 20 * NS_PER_MS);
	default:
		return rng_between(r, 1, 2 * NS_PER_MS);
	}
}

/* One of the actions that take time or give the CPU away. */
static inline void chaos_timed(struct chaos *c, struct rng *r, uint64_t now_ns, struct action *out)
{
	uint64_t ns = chaos_length(r) >> c->hurry;

	out->ns = ns;
	switch (rng_below(r, 13)) {
	case 12:
		out->kind = ACTION_SPIN;
		out->ns = rng_below(r, 4) ? now_ns + ns : now_ns - min_u64(now_ns, ns);
		break;
	case 0:
		out->kind = ACTION_RUN_CPUTIME;
		break;
	case 1:
		out->kind = ACTION_RUN_UNTIL;
		out->ns = rng_below(r, 4) ? now_ns + ns : now_ns - min_u64(now_ns, ns);
		break;
	case 2:
		out->kind = ACTION_SLEEP_UNTIL;
		out->ns = rng_below(r, 4) ? now_ns + ns : now_ns - min_u64(now_ns, ns);
		break;
	case 3:
	case 4:
		out->kind = ACTION_SLEEP;
		out->ns = ns + 1;
		break;
	case 5:
		out->kind = ACTION_YIELD;
		break;
	case 6:
		out->kind = rng_below(r, 2) ? ACTION_BLOCK : ACTION_SLEEP;
		out->ns = ns + 1;
		break;
	default:
		out->kind = ACTION_RUN;
		break;
	}
	if ((out->kind <= ACTION_RUN_UNTIL || out->kind == ACTION_SPIN) && !rng_below(r, 3))
		out->flags = ACTION_IN_KERNEL;
}

/* A rt_priority: often one that others have too. */
static inline int32_t chaos_rt_priority(struct rng *r)
{
	static const int32_t often[] = {1, 50, 50, 50, 51, 98, 99};

	return rng_below(r, 2) ? often[rng_below(r, 7)] : (int32_t)rng_between(r, 1, 99);
}

/* One of the actions that change something at once. */
static inline void chaos_at_once(struct chaos *c, struct rng *r, struct action *out)
{
	static const enum sched_policy policies[] = {POLICY_NORMAL, POLICY_BATCH, POLICY_IDLE};

	switch (rng_below(r, 10)) {
	case 0:
		out->kind = ACTION_SET_NICE;
		out->value = (int64_t)rng_below(r, 40) - 20;
		break;
	case 1:
		out->kind = ACTION_SET_POLICY;
		out->policy = policies[rng_below(r, 3)];
		out->value = (int64_t)rng_below(r, 40) - 20;
		if (c->realtime && rng_below(r, 3)) {
			out->policy = rng_below(r, 2) ? POLICY_FIFO : POLICY_RR;
			out->value = chaos_rt_priority(r);
		}
		break;
	case 2:
		out->kind = ACTION_SET_AFFINITY;
		out->cpus = c->masks[rng_below(r, CHAOS_MASKS)];
		break;
	case 3:
		out->kind = ACTION_DONE;
		out->value = 1;
		break;
	case 4:
	case 5:
		out->kind = ACTION_RELEASE;
		out->task = (uint32_t)rng_below(r, c->ntasks);
		break;
	default:
		out->kind = ACTION_WAKE;
		out->task = (uint32_t)rng_below(r, c->ntasks);
		if (rng_below(r, 2))
			out->flags = ACTION_SYNC;
		break;
	}
}

/* Task TASK holds spinlocks, taken in order: work, wake, take another or let the last go. */
static inline void chaos_locked(struct chaos *c, uint32_t task, struct action *out)
{
	struct rng *r = &c->rng[task];

	switch (rng_below(r, 6)) {
	case 0:
		out->kind = ACTION_LOCKED_WORK;
		out->ns = rng_below(r, 3000) >> c->hurry;
		break;
	case 1:
		out->kind = ACTION_WAKE;
		out->task = (uint32_t)rng_below(r, c->ntasks);
		break;
	case 2:
		if (c->holds[task] < CHAOS_LOCKS) {
			out->kind = ACTION_LOCK;
			out->task = c->holds[task]++;
			break;
		}
		/* fallthrough */
	default:
		out->kind = ACTION_UNLOCK;
		out->task = --c->holds[task];
		break;
	}
}

static inline void chaos_next(struct behaviour *b, uint32_t task, uint64_t now_ns,
			      struct action *out)
{
	struct chaos *c = (struct chaos *)(void *)b;
	struct rng *r = &c->rng[task];
	uint64_t what = rng_below(r, 100);

	CHECK(task < c->ntasks);
	if (c->holds[task]) {
		chaos_locked(c, task, out);
	} else if (what == 98 || what == 97) {
		out->kind = ACTION_LOCK;
		out->task = c->holds[task]++;
	} else if (c->nforked < c->ntasks && ((c->forks_fast && task == 0) || what < 8)) {
		out->kind = ACTION_FORK;
		out->task = c->nforked++;
		if (!rng_below(r, 4)) {
			out->flags = ACTION_FORK_EXTRA;
			out->ns = chaos_length(r);
		}
	} else if (what == 99 && !rng_below(r, 1 << c->hurry)) {
		out->kind = ACTION_EXIT;
	} else if (what < 50) {
		chaos_at_once(c, r, out);
	} else {
		chaos_timed(c, r, now_ns, out);
	}
}

static inline void chaos_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	struct chaos *c = (struct chaos *)(void *)b;
	struct rng r = rng_stream(c->rng[task].state, "chaos-attr", task);

	snprintf(out->comm, sizeof(out->comm), "chaos/%u", (unsigned)task);
	out->nice = rng_below(&r, 2) ? 0 : (int32_t)rng_below(&r, 40) - 20;
	if (!rng_below(&r, 6))
		out->policy = rng_below(&r, 2) ? POLICY_BATCH : POLICY_IDLE;
	if (c->realtime && rng_below(&r, 3)) {
		out->policy = rng_below(&r, 2) ? POLICY_FIFO : POLICY_RR;
		out->rt_priority = chaos_rt_priority(&r);
	}
	if (task >= b->nfirst && !rng_below(&r, 5))
		out->cpus = c->masks[rng_below(&r, CHAOS_MASKS)];
	out->process = rng_below(&r, 2);
}

static const struct behaviour_ops chaos_ops = {.next = chaos_next, .attr = chaos_attr};

/* A mask of NCPUS bits with at least one CPU of ONLINE in it. */
static inline struct mask *chaos_mask(struct rng *r, const struct mask *online, uint32_t ncpus)
{
	struct mask *m = mask_init(malloc(mask_size(ncpus)), ncpus);
	uint64_t density = rng_between(r, 1, 4);
	uint32_t start = (uint32_t)rng_below(r, ncpus);
	uint32_t cpu = mask_next(online, start);

	for (uint32_t i = 0; i < ncpus; i++)
		if (!rng_below(r, density))
			mask_set(m, i);
	mask_set(m, cpu == MASK_NONE ? mask_first(online) : cpu);
	return m;
}

static inline struct chaos *chaos_create(uint64_t seed, uint32_t ntasks, const struct mask *online,
					 uint32_t ncpus)
{
	static const struct chaos none;
	struct chaos *c = malloc(sizeof(*c));
	struct rng r = rng_stream(seed, "chaos", 0);

	CHECK(c);
	*c = none;
	c->behaviour.ops = &chaos_ops;
	c->behaviour.ntasks = ntasks;
	c->behaviour.nlocks = CHAOS_LOCKS;
	c->ntasks = ntasks;
	c->nforked = (uint32_t)rng_between(&r, 1, rng_below(&r, 2) ? ntasks : 1);
	c->behaviour.nfirst = c->nforked;
	c->forks_fast = rng_below(&r, 2);
	c->hurry = (unsigned)rng_below(&r, 7);
	c->realtime = rng_below(&r, 2);
	c->rng = calloc(ntasks, sizeof(*c->rng));
	c->holds = calloc(ntasks, sizeof(*c->holds));
	CHECK(c->rng);
	CHECK(c->holds);
	for (uint32_t i = 0; i < ntasks; i++)
		c->rng[i] = rng_stream(seed, "chaos-task", i);
	for (uint32_t i = 0; i < CHAOS_MASKS; i++)
		c->masks[i] = chaos_mask(&r, online, ncpus);
	return c;
}

static inline void chaos_destroy(struct chaos *c)
{
	for (uint32_t i = 0; i < CHAOS_MASKS; i++)
		free(c->masks[i]);
	free(c->holds);
	free(c->rng);
	free(c);
}

#endif
