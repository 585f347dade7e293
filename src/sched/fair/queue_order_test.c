/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which order queueing counts, weighs and ages: what 6.1 does otherwise than 5.5. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/pelt/pelt.h"

static struct hand h;
static const struct task_attr nice_0 = {.nice = 0};

/* Runnable tasks of a group as its entity knows them: after each that comes, and after one left. */
static void test_a_groups_entity_knows_the_count_of_its_queue(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t first, second, left;
	} rows[] = {
		{"6.1", 1, 2, 1},
		{"5.5,+runnable-avg", 1, 2, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_group *tg, *below;
		const struct entity *se;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		tg = hand_group(&h, NULL, "/a");
		below = hand_group(&h, tg, "/a/b");
		se = &tg->se[0];
		hand_task_in(&h, 0, &nice_0, below);
		assert_int_equal(se->runnable_weight, rows[i].first);
		hand_task_in(&h, 0, &nice_0, below);
		assert_int_equal(se->runnable_weight, rows[i].second);
		sched_schedule(hand_k(&h, 0));
		hand_at(&h, 3 * NS_PER_MS);
		hand_sleep(&h, 0);
		assert_int_equal(se->runnable_weight, rows[i].left);
		hand_free(&h);
	}
}

/* The queue's average follows: 3 ms of two tasks that could run. */
static void test_runnable_average_of_two_tasks(void **state)
{
	struct rq *rq;

	hand_init(&h, "6.1", 1, 1, 1);
	hand_tasks(&h, 0, 2);
	rq = hand_rq(&h, 0);
	hand_at(&h, 60 * NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	/* both began with half of the capacity left: 512, then 256 */
	assert_true(rq->cfs->avg.runnable_avg > 1500);
	assert_true(rq->cfs->avg.runnable_avg < 2048);
	assert_true(rq->cfs->avg.runnable_avg > rq->cfs->avg.util_avg * 3 / 2);
	hand_free(&h);
}

/*
 * 5.5 ages a group whose second task comes after it counted it; 6.1 before, so that the time until
 * now was that of one task.
 */
static void test_time_that_passed_counts_for_those_who_were_there(void **state)
{
	static const char *const kernels[] = {"6.1", "5.5,+runnable-avg"};

	for (int i = 0; i < 2; i++) {
		struct task_group *tg, *below;
		uint64_t before, after;

		hand_init(&h, kernels[i], 1, 1, 1);
		tg = hand_group(&h, NULL, "/a");
		below = hand_group(&h, tg, "/a/b");
		hand_task_in(&h, 0, &nice_0, below);
		sched_schedule(hand_k(&h, 0));
		hand_at(&h, 4 * NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		before = hand_rq(&h, 0)->cfs->avg.runnable_avg;
		hand_at(&h, 36 * NS_PER_MS);
		hand_task_in(&h, 0, &nice_0, below);
		after = hand_rq(&h, 0)->cfs->avg.runnable_avg;
		/* half of what was, and half of 1024; the new one brings its own */
		assert_in_range(after - before / 2, 512, 512 + 512);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_groups_entity_knows_the_count_of_its_queue),
		cmocka_unit_test(test_runnable_average_of_two_tasks),
		cmocka_unit_test(test_time_that_passed_counts_for_those_who_were_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
