/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pending events. Each CPU has at most one next event, the earliest of what
 * waits for it; a tree of minima over the CPUs gives the earliest of all. Timers,
 * of sleeping tasks and of the kernel itself, are in a tree of their own.
 *
 * The order of events is total: time, then rank, then CPU, then (timers only)
 * order of arming. A key packs the first three into one word, so comparing
 * keys compares them in that order.
 */
#ifndef RUNQLAB_ENGINE_EVENT_H
#define RUNQLAB_ENGINE_EVENT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Why this order at one instant: a kernel section already under way goes on
 * before anything new starts; a timer's wake-up precedes the interrupt that may
 * tell of it; both precede the tick, whose decisions should see them; and work
 * ends last, so that what happens at its very end still finds it running.
 */
enum event_rank {
	RANK_RESUME, /* a suspended kernel section continues */
	RANK_TIMER,  /* a timer fires */
	RANK_IPI,    /* an interrupt from another CPU arrives */
	RANK_TICK,
	RANK_BURST, /* the running task's work is done */
	RANK_COUNT
};

#define EVENT_TIME_BITS 48 /* 3.2 days of nanoseconds */
#define EVENT_TIME_MAX ((UINT64_C(1) << EVENT_TIME_BITS) - 2)
#define EVENT_NEVER UINT64_MAX

_Static_assert(RANK_COUNT <= 16, "a rank has four bits of the key");

/* Key of an event; TIME_NS at or above EVENT_TIME_MAX never happens. */
static inline uint64_t event_key(uint64_t time_ns, enum event_rank rank, uint32_t cpu)
{
	if (time_ns >= EVENT_TIME_MAX)
		return EVENT_NEVER;
	return time_ns << 16 | (uint64_t)rank << 12 | cpu;
}

static inline uint64_t event_time(uint64_t key)
{
	return key >> 16;
}

static inline enum event_rank event_rank(uint64_t key)
{
	return (enum event_rank)(key >> 12 & 15);
}

static inline uint32_t event_cpu(uint64_t key)
{
	return (uint32_t)(key & 4095);
}

/* Tree of minima: w[1] is the least of all leaves; leaf of CPU c is w[nleaves + c]. */
struct event_tree {
	uint64_t *w;
	uint32_t nleaves;     /* a power of two */
	uint32_t guess_shift; /* from a leaf to where event_guess_next() begins */
};

/* False when A is exhausted. */
bool event_tree_init(struct event_tree *t, uint32_t ncpus, struct arena *a);

/*
 * Replace CPU's next event. An earlier one, or one where there was none, goes up as far as it is
 * the least, seldom beyond the second level; a later one all the way, without branches: as a
 * rule it replaces the least of all.
 */
static inline void event_set(struct event_tree *t, uint32_t cpu, uint64_t key)
{
	uint64_t *w = t->w;
	uint32_t i = t->nleaves + cpu;
	bool earlier = key <= w[i];

	w[i] = key;
	if (earlier) {
		for (i >>= 1; i > 0 && key < w[i]; i >>= 1)
			w[i] = key;
		return;
	}
	while (i > 1) {
		uint64_t sibling = w[i ^ 1];

		key = sibling < key ? sibling : key;
		i >>= 1;
		w[i] = key;
	}
}

static inline uint64_t event_min(const struct event_tree *t)
{
	return t->w[1];
}

/*
 * CPU's event is the least: which comes next? Right with 15 of 16 CPUs, those that are not near
 * CPU in the tree; a guess is all that is wanted. EVENT_NEVER if none is known.
 */
static inline uint64_t event_guess_next(const struct event_tree *t, uint32_t cpu)
{
	uint32_t i = (t->nleaves + cpu) >> t->guess_shift;
	uint64_t least = t->w[i ^ 1];

	for (i >>= 1; i > 1; i >>= 1)
		least = t->w[i ^ 1] < least ? t->w[i ^ 1] : least;
	return least;
}

/* What a timer is ordered by: the key, then the order of arming, which the id follows. */
struct timer {
	uint64_t key;   /* event_key(time, RANK_TIMER, cpu); EVENT_NEVER: not armed */
	uint64_t order; /* count of armings << TIMER_ID_BITS | id */
};

#define TIMER_ID_BITS 24 /* 2^40 armings are days of real time */

/* Tree of minima as above, of timers with ids 1..max; leaf of id i is w[max + i - 1]. */
struct timer_tree {
	struct timer *w; /* [1], the first of all, has EVENT_NEVER if none is armed */
	uint32_t max;
	uint64_t armings;
};

bool timer_tree_init(struct timer_tree *t, uint32_t max_timers, struct arena *a);
/* ID is not armed yet; KEY is not EVENT_NEVER. */
void timer_push(struct timer_tree *t, uint64_t key, uint32_t id);
/* Remove the first, which there is. Returns its id. */
uint32_t timer_pop(struct timer_tree *t);
/* Remove ID. False: it is not armed. */
bool timer_cancel(struct timer_tree *t, uint32_t id);

/* EVENT_NEVER if there is none. */
static inline uint64_t timer_min(const struct timer_tree *t)
{
	return t->w[1].key;
}

#endif
