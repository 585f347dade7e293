/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A binary tree of minima over an array replaces a priority queue: replacing a
 * leaf also cancels what was there, costs one compare per level and never moves
 * anything. CPUs have one, padded to a power of two, and timers another, in which
 * any number of leaves will do: node i is above 2i and 2i + 1, whatever they are.
 */
#include "engine/event.h"

#include "base/check.h"
#include "base/fixed.h"

bool event_tree_init(struct event_tree *t, uint32_t ncpus, struct arena *a)
{
	t->nleaves = 1;
	while (t->nleaves < ncpus)
		t->nleaves *= 2;
	t->guess_shift = t->nleaves > 16 ? log2_floor(t->nleaves / 16) : 0;
	t->w = arena_alloc(a, 2 * (size_t)t->nleaves, sizeof(uint64_t));
	if (!t->w)
		return false;
	for (uint32_t i = 0; i < 2 * t->nleaves; i++)
		t->w[i] = EVENT_NEVER;
	return true;
}

bool timer_tree_init(struct timer_tree *t, uint32_t max_timers, struct arena *a)
{
	/* a tree without timers has a root, too */
	uint32_t nleaves = max_timers > 0 ? max_timers : 1;

	CHECK(max_timers < UINT32_C(1) << TIMER_ID_BITS);
	t->max = max_timers;
	t->armings = 0;
	t->w = arena_alloc(a, 2 * (size_t)nleaves, sizeof(struct timer));
	if (!t->w)
		return false;
	for (size_t i = 0; i < 2 * (size_t)nleaves; i++)
		t->w[i] = (struct timer){EVENT_NEVER, UINT64_MAX};
	return true;
}

static inline bool timer_before(const struct timer *a, const struct timer *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->order < b->order;
}

static struct timer *leaf_of(const struct timer_tree *t, uint32_t id)
{
	CHECK(id > 0);
	CHECK(id <= t->max);
	return &t->w[t->max + id - 1];
}

void timer_push(struct timer_tree *t, uint64_t key, uint32_t id)
{
	const struct timer timer = {key, t->armings++ << TIMER_ID_BITS | id};
	struct timer *leaf = leaf_of(t, id);

	CHECK(leaf->key == EVENT_NEVER);
	*leaf = timer;
	for (uint32_t i = (t->max + id - 1) / 2; i > 0 && timer_before(&timer, &t->w[i]); i /= 2)
		t->w[i] = timer;
}

/* ID goes; all above it may change. Without branches: which of two is first nobody can foresee. */
static void remove_timer(struct timer_tree *t, uint32_t id)
{
	struct timer first = {EVENT_NEVER, UINT64_MAX};
	struct timer *w = t->w;

	*leaf_of(t, id) = first;
	for (uint32_t i = t->max + id - 1; i > 1; i /= 2) {
		struct timer sibling = w[i ^ 1];
		bool other = timer_before(&sibling, &first);

		first.key = other ? sibling.key : first.key;
		first.order = other ? sibling.order : first.order;
		w[i / 2] = first;
	}
}

uint32_t timer_pop(struct timer_tree *t)
{
	uint32_t id = (uint32_t)(t->w[1].order & ((UINT32_C(1) << TIMER_ID_BITS) - 1));

	CHECK(timer_min(t) != EVENT_NEVER);
	remove_timer(t, id);
	return id;
}

bool timer_cancel(struct timer_tree *t, uint32_t id)
{
	if (leaf_of(t, id)->key == EVENT_NEVER)
		return false;
	remove_timer(t, id);
	return true;
}
