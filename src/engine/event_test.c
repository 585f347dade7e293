/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>

#include "base/rng.h"
#include "engine/event.h"

static struct arena new_arena(size_t bytes)
{
	struct arena a;
	void *mem = aligned_alloc(64, bytes);

	assert_non_null(mem);
	for (size_t i = 0; i < bytes; i++)
		((unsigned char *)mem)[i] = 0;
	arena_init(&a, mem, bytes);
	return a;
}

static void test_key_keeps_time_rank_and_cpu(void **state)
{
	uint64_t key = event_key(123456789012345, RANK_TICK, 4095);

	assert_int_equal(event_time(key), 123456789012345);
	assert_int_equal(event_rank(key), RANK_TICK);
	assert_int_equal(event_cpu(key), 4095);
	assert_true(event_key(EVENT_TIME_MAX, RANK_RESUME, 0) == EVENT_NEVER);
	assert_true(event_key(EVENT_TIME_MAX - 1, RANK_BURST, 4095) < EVENT_NEVER);
	assert_true(event_key(UINT64_MAX, RANK_RESUME, 0) == EVENT_NEVER);
}

/* Each is before the next. */
static void test_events_are_ordered_by_time_then_rank_then_cpu(void **state)
{
	const uint64_t keys[] = {
		event_key(5, RANK_BURST, 9),  event_key(6, RANK_RESUME, 8),
		event_key(6, RANK_RESUME, 9), event_key(6, RANK_TIMER, 0),
		event_key(6, RANK_IPI, 0),    event_key(6, RANK_TICK, 0),
		event_key(6, RANK_BURST, 0),  event_key(7, RANK_RESUME, 0),
	};

	for (size_t i = 1; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_true(keys[i - 1] < keys[i]);
}

static void test_tree_of_minima_agrees_with_a_search(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 7, 8, 33, 200};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint32_t n = sizes[s];
		struct rng r = rng_stream(1, "event-tree", n);
		struct arena a = new_arena(8192);
		uint64_t naive[200];
		struct event_tree t;

		assert_true(event_tree_init(&t, n, &a));
		for (uint32_t i = 0; i < n; i++)
			naive[i] = EVENT_NEVER;
		assert_true(event_min(&t) == EVENT_NEVER);
		for (int step = 0; step < 5000; step++) {
			uint32_t cpu = (uint32_t)rng_below(&r, n);
			uint64_t min = EVENT_NEVER;

			naive[cpu] = EVENT_NEVER;
			if (rng_below(&r, 4))
				naive[cpu] = event_key(rng_below(&r, 50),
						       (enum event_rank)rng_below(&r, RANK_COUNT),
						       cpu);
			event_set(&t, cpu, naive[cpu]);
			for (uint32_t i = 0; i < n; i++)
				min = naive[i] < min ? naive[i] : min;
			assert_true(event_min(&t) == min);
		}
		free(a.base);
	}
}

#define TIMERS 60u

/* What the tree should say: an unordered list, searched. */
struct naive_timer {
	uint64_t key, order; /* key 0: none */
};

static uint32_t naive_first(const struct naive_timer *t)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i <= TIMERS; i++) {
		if (!t[i].key)
			continue;
		if (!best || t[i].key < t[best].key ||
		    (t[i].key == t[best].key && t[i].order < t[best].order))
			best = i;
	}
	return best;
}

/* Few different times, so that most timers tie and the order of arming decides. */
static void test_timers_fire_by_key_then_order_of_arming(void **state)
{
	struct rng r = rng_stream(2, "timers", 0);
	struct arena a = new_arena(16384);
	struct naive_timer naive[TIMERS + 1] = {{0, 0}};
	struct timer_tree h;

	assert_true(timer_tree_init(&h, TIMERS, &a));
	h.armings = UINT32_MAX - 5000;
	for (uint64_t step = 0; step < 40000; step++) {
		uint32_t task = (uint32_t)rng_between(&r, 1, TIMERS);
		uint32_t first = naive_first(naive);

		assert_true(timer_min(&h) == (first ? naive[first].key : EVENT_NEVER));
		switch (rng_below(&r, 3)) {
		case 0:
			assert_int_equal(timer_cancel(&h, task), naive[task].key != 0);
			naive[task].key = 0;
			break;
		case 1:
			if (!first)
				break;
			assert_int_equal(timer_pop(&h), first);
			naive[first].key = 0;
			break;
		default:
			if (naive[task].key)
				break;
			naive[task].key = event_key(rng_between(&r, 1, 8), RANK_TIMER,
						    (uint32_t)rng_below(&r, 3));
			naive[task].order = step;
			timer_push(&h, naive[task].key, task);
			break;
		}
	}
	free(a.base);
}

static void test_task_has_one_timer_at_most(void **state)
{
	struct arena a = new_arena(4096);
	struct timer_tree h;

	assert_true(timer_tree_init(&h, 2, &a));
	timer_push(&h, event_key(5, RANK_TIMER, 0), 1);
	expect_assert_failure(timer_push(&h, event_key(6, RANK_TIMER, 0), 1));
	expect_assert_failure(timer_push(&h, event_key(6, RANK_TIMER, 0), 3));
	free(a.base);
}

static void test_exhausted_arena_is_reported(void **state)
{
	struct arena a = new_arena(128);
	struct event_tree t;
	struct timer_tree h;

	assert_false(event_tree_init(&t, 64, &a));
	assert_false(timer_tree_init(&h, 64, &a));
	free(a.base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_keeps_time_rank_and_cpu),
		cmocka_unit_test(test_events_are_ordered_by_time_then_rank_then_cpu),
		cmocka_unit_test(test_tree_of_minima_agrees_with_a_search),
		cmocka_unit_test(test_timers_fire_by_key_then_order_of_arming),
		cmocka_unit_test(test_task_has_one_timer_at_most),
		cmocka_unit_test(test_exhausted_arena_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
