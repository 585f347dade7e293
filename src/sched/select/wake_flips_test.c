/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who wakes whom, on one socket of four CPUs that share a cache. CPU 0 wakes. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

static struct hand h;

static void test_flips_are_counted_and_halved_each_second(void **state)
{
	struct task *waker, *a, *b;

	hand_init(&h, "5.4", 1, 4, 1);
	a = hand_task(&h, 1, 0);
	b = hand_task(&h, 2, 0);
	waker = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	waker->wakee_flip_decay_at = jiffies(hand_k(&h, 0));
	record_wakee(hand_k(&h, 0), a);
	record_wakee(hand_k(&h, 0), a);
	assert_int_equal(waker->wakee_flips, 1);
	for (int i = 0; i < 4; i++) {
		record_wakee(hand_k(&h, 0), b);
		record_wakee(hand_k(&h, 0), a);
	}
	assert_int_equal(waker->wakee_flips, 9);
	/* not yet: a second must be over */
	hand_at(&h, NS_PER_S);
	record_wakee(hand_k(&h, 0), a);
	assert_int_equal(waker->wakee_flips, 9);
	hand_at(&h, NS_PER_S + 4 * NS_PER_MS);
	record_wakee(hand_k(&h, 0), b);
	assert_int_equal(waker->wakee_flips, 9 / 2 + 1);
	assert_int_equal(waker->wakee_flip_decay_at, jiffies(hand_k(&h, 0)));
	hand_free(&h);
}

/* The cache has 4 CPUs: the lesser must flip 4 times, the greater 4 times as often. */
static void test_a_pair_is_wide_if_both_flip_much(void **state)
{
	static const struct {
		uint32_t waker, wakee;
		bool wide;
	} rows[] = {{0, 0, false}, {3, 100, false},  {100, 3, false}, {4, 15, false},
		    {4, 16, true}, {16, 4, true},    {5, 19, false},  {5, 20, true},
		    {20, 5, true}, {100, 100, false}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *waker, *p;

		hand_init(&h, "5.5", 1, 4, 1);
		waker = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		p = hand_task(&h, 1, 0);
		waker->wakee_flips = rows[i].waker;
		p->wakee_flips = rows[i].wakee;
		assert_int_equal(wake_wide(hand_k(&h, 0), p), rows[i].wide);
		hand_free(&h);
	}
}

static void test_a_child_has_its_parents_flips(void **state)
{
	static const struct task_attr attr;
	struct task *parent, *p;

	hand_init(&h, "5.4", 1, 4, 1);
	parent = hand_task(&h, 0, 0);
	p = hand_task(&h, 1, 0);
	sched_schedule(hand_k(&h, 0));
	parent->wakee_flips = 7;
	parent->last_wakee = p;
	p = sched_new_task(hand_k(&h, 0), parent, &attr, &h.m->groups_mem[0]);
	assert_int_equal(p->wakee_flips, 7);
	assert_ptr_equal(p->last_wakee, parent->last_wakee);
	hand_free(&h);
}

/* Only where CPUs differ: none of these does. */
static void test_equal_cpus_take_every_task(void **state)
{
	struct task *p;

	hand_init(&h, "5.4", 1, 4, 1);
	p = hand_task(&h, 1, 0);
	p->se.avg.util_avg = 1024;
	assert_false(wake_cap(hand_k(&h, 0), p, 0, 1));
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flips_are_counted_and_halved_each_second),
		cmocka_unit_test(test_a_pair_is_wide_if_both_flip_much),
		cmocka_unit_test(test_a_child_has_its_parents_flips),
		cmocka_unit_test(test_equal_cpus_take_every_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
