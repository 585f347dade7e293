/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/fairness.h"
#include "observe/hand_machine.h"

#define END_NS UINT64_C(1000)

static struct hand_machine h;
static struct behaviour spin, other;

static void birth(struct fairness *f, uint64_t id, uint64_t time_ns)
{
	f->sink.take(&f->sink, &(struct record){.kind = RECORD_FORK, .a = id, .time_ns = time_ns});
}

static void death(struct fairness *f, uint64_t id, uint64_t time_ns)
{
	f->sink.take(&f->sink, &(struct record){.kind = RECORD_EXIT, .a = id, .time_ns = time_ns});
}

/* NTASKS tasks of one workload, created at 0; task i ran for CPU_NS[i] and waited WAIT_NS[i]. */
static struct fairness *fresh(uint32_t ntasks, const uint64_t *cpu_ns, const uint64_t *wait_ns)
{
	struct rql_error e;
	struct fairness *f = fairness_create(HAND_TASKS, &e);

	assert_non_null(f);
	hand_machine_init(&h, 4);
	h.m.ntasks = ntasks;
	for (uint32_t i = 0; i < ntasks; i++) {
		h.task[i].exec.behaviour = &spin;
		h.task[i].se.sum_exec_ns = cpu_ns[i];
		h.task[i].stats.run_delay_ns = wait_ns[i];
		birth(f, i + 1, 0);
	}
	return f;
}

static void assert_fairness(struct fairness *f, uint64_t least_ns, uint64_t most_ns)
{
	uint64_t least = 0, most = 0;

	assert_true(fairness_get(f, &h.m, END_NS, &least, &most));
	assert_int_equal(least, least_ns);
	assert_int_equal(most, most_ns);
}

static void assert_undefined(struct fairness *f)
{
	uint64_t least, most;

	assert_false(fairness_get(f, &h.m, END_NS, &least, &most));
}

static void test_least_over_most_of_equal_tasks(void **state)
{
	struct fairness *f =
		fresh(3, (const uint64_t[]){300, 200, 250}, (const uint64_t[]){700, 800, 750});

	assert_fairness(f, 200, 300);
	fairness_free(f);
}

static void test_sleeping_main_thread_is_not_compared(void **state)
{
	struct fairness *f =
		fresh(3, (const uint64_t[]){5, 200, 250}, (const uint64_t[]){2, 800, 750});

	assert_fairness(f, 200, 250);
	fairness_free(f);
}

static void test_starved_task_is_compared(void **state)
{
	struct fairness *f =
		fresh(3, (const uint64_t[]){0, 500, 500}, (const uint64_t[]){0, 500, 500});

	h.task[0].se.on_rq = true; /* waits since it exists, and still does */
	h.task[0].stats.queued_since_ns = 0;
	assert_fairness(f, 0, 500);
	fairness_free(f);
}

static void test_task_alone_is_not_compared(void **state)
{
	struct fairness *f = fresh(1, (const uint64_t[]){500}, (const uint64_t[]){500});

	assert_undefined(f);
	fairness_free(f);
}

static void test_whole_run_means_first_and_last_tenth(void **state)
{
	struct fairness *f = fresh(4, (const uint64_t[]){100, 400, 380, 200},
				   (const uint64_t[]){900, 600, 620, 800});

	birth(f, 1, 101); /* too late */
	birth(f, 2, 100);
	death(f, 3, 900);
	death(f, 4, 899); /* too early */
	assert_fairness(f, 380, 400);
	fairness_free(f);
}

static void test_unlike_tasks_are_not_compared(void **state)
{
	struct task *const p = &h.task[1];

	for (uint32_t row = 0; row < 7; row++) {
		struct fairness *f =
			fresh(2, (const uint64_t[]){100, 400}, (const uint64_t[]){900, 600});
		struct mask *one = hand_mask(&h);

		mask_set(one, 1);
		if (row == 0)
			p->exec.behaviour = &other;
		else if (row == 1)
			p->nice = 5;
		else if (row == 2)
			p->policy = POLICY_BATCH;
		else if (row == 3)
			p->rt_priority = 1;
		else if (row == 4)
			p->allowed = one;
		else if (row == 5)
			p->tg = &h.group[1];
		if (row < 6)
			assert_undefined(f);
		else
			assert_fairness(f, 100, 400);
		fairness_free(f);
	}
}

static void test_equal_masks_at_different_places_are_equal(void **state)
{
	struct fairness *f = fresh(2, (const uint64_t[]){100, 400}, (const uint64_t[]){900, 600});

	for (uint32_t i = 0; i < 2; i++) {
		struct mask *one = hand_mask(&h);

		mask_set(one, 1);
		h.task[i].allowed = one;
	}
	assert_fairness(f, 100, 400);
	fairness_free(f);
}

static void test_least_fair_set_counts(void **state)
{
	struct fairness *f = fresh(6, (const uint64_t[]){90, 100, 50, 100, 70, 100},
				   (const uint64_t[]){910, 900, 950, 900, 930, 900});

	h.task[2].nice = h.task[3].nice = 3;
	h.task[4].nice = h.task[5].nice = -3;
	assert_fairness(f, 50, 100);
	fairness_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least_over_most_of_equal_tasks),
		cmocka_unit_test(test_sleeping_main_thread_is_not_compared),
		cmocka_unit_test(test_starved_task_is_compared),
		cmocka_unit_test(test_task_alone_is_not_compared),
		cmocka_unit_test(test_whole_run_means_first_and_last_tenth),
		cmocka_unit_test(test_unlike_tasks_are_not_compared),
		cmocka_unit_test(test_equal_masks_at_different_places_are_equal),
		cmocka_unit_test(test_least_fair_set_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
