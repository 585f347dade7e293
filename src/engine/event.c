/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary tree of minima over an array replaces a priority queue for the CPUs'
 * events: replacing a leaf also cancels what was there, costs one compare per
 * level and never moves anything. Timers, of which there may be many more,
 * are in a 4-ary heap, which keeps children in one cache line; it knows where
 * each timer is, so that one can be taken out.
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
	h->at = arena_alloc(a, (size_t)max_timers + 1, sizeof(struct timer));
	h->place = arena_alloc(a, (size_t)max_timers + 1, sizeof(uint32_t));
	if (!h->at || !h->place)
		return false;
	h->at[0].key = EVENT_NEVER;
	return true;
}

static bool timer_before(const struct timer *a, const struct timer *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return (int32_t)(a->seq - b->seq) < 0;
}

static inline void put_at(struct timer_heap *h, uint32_t i, const struct timer *t)
{
	h->at[i] = *t;
	h->place[t->id] = i + 1;
}

/* The hole at I moves up to where T may be. */
static void sift_up(struct timer_heap *h, uint32_t i, const struct timer *t)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / 4;

		if (!timer_before(t, &h->at[parent]))
			break;
		put_at(h, i, &h->at[parent]);
		i = parent;
	}
	put_at(h, i, t);
}

/* ... down. */
static void sift_down(struct timer_heap *h, uint32_t i, const struct timer *t)
{
	for (;;) {
		uint32_t first = 4 * i + 1, best = first;
		uint32_t end = first + 4 < h->n ? first + 4 : h->n;

		if (first >= h->n)
			break;
		for (uint32_t j = first + 1; j < end; j++)
			if (timer_before(&h->at[j], &h->at[best]))
				best = j;
		if (!timer_before(&h->at[best], t))
			break;
		put_at(h, i, &h->at[best]);
		i = best;
	}
	put_at(h, i, t);
}

void timer_push(struct timer_heap *h, uint64_t key, uint32_t id)
{
	const struct timer t = {key, h->next_seq++, id};

	CHECK(id > 0);
	CHECK(id <= h->max);
	CHECK(!h->place[id]);
	sift_up(h, h->n++, &t);
}

/* Take out what is at I; the last one fills the hole. */
static void remove_at(struct timer_heap *h, uint32_t i)
{
	struct timer last;

	CHECK(i < h->n);
	h->place[h->at[i].id] = 0;
	last = h->at[--h->n];
	if (h->n == 0)
		h->at[0].key = EVENT_NEVER;
	if (i == h->n)
		return;
	if (i > 0 && timer_before(&last, &h->at[(i - 1) / 4]))
		sift_up(h, i, &last);
	else
		sift_down(h, i, &last);
}

uint32_t timer_pop(struct timer_heap *h)
{
	uint32_t id;

	CHECK(h->n > 0);
	id = h->at[0].id;
	remove_at(h, 0);
	return id;
}

bool timer_cancel(struct timer_heap *h, uint32_t id)
{
	if (!h->place[id])
		return false;
	remove_at(h, h->place[id] - 1);
	return true;
}
