/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary tree of minima over an array replaces a priority queue for the CPUs'
 * events: replacing a leaf also cancels what was there, costs one compare per
 * level and never moves anything. Timers, of which there may be many more,
 * are in a 4-ary heap, which keeps children in one cache line.
 */
#include "engine/event.h"

#include "base/check.h"

bool event_tree_init(struct event_tree *t, uint32_t ncpus, struct arena *a)
{
	t->nleaves = 1;
	while (t->nleaves < ncpus)
		t->nleaves *= 2;
	t->w = arena_alloc(a, 2 * (size_t)t->nleaves, sizeof(uint64_t));
	if (!t->w)
		return false;
	for (uint32_t i = 0; i < 2 * t->nleaves; i++)
		t->w[i] = EVENT_NEVER;
	return true;
}

bool timer_heap_init(struct timer_heap *h, uint32_t max_timers, struct arena *a)
{
	h->n = 0;
	h->max = max_timers;
	h->next_seq = 0;
	h->at = arena_alloc(a, max_timers, sizeof(struct timer));
	return h->at;
}

static bool timer_before(const struct timer *a, const struct timer *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return (int32_t)(a->seq - b->seq) < 0;
}

void timer_push(struct timer_heap *h, uint64_t key, uint32_t task)
{
	struct timer t = {key, h->next_seq++, task};
	uint32_t i;

	CHECK(h->n < h->max);
	i = h->n++;
	while (i > 0) {
		uint32_t parent = (i - 1) / 4;

		if (!timer_before(&t, &h->at[parent]))
			break;
		h->at[i] = h->at[parent];
		i = parent;
	}
	h->at[i] = t;
}

uint32_t timer_pop(struct timer_heap *h)
{
	uint32_t task, i = 0;
	struct timer last;

	CHECK(h->n > 0);
	task = h->at[0].task;
	last = h->at[--h->n];
	for (;;) {
		uint32_t first = 4 * i + 1, best = first;
		uint32_t end = first + 4 < h->n ? first + 4 : h->n;

		if (first >= h->n)
			break;
		for (uint32_t j = first + 1; j < end; j++)
			if (timer_before(&h->at[j], &h->at[best]))
				best = j;
		if (!timer_before(&h->at[best], &last))
			break;
		h->at[i] = h->at[best];
		i = best;
	}
	h->at[i] = last;
	return task;
}
