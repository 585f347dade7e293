/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "observe/audit_time.h"

#define CPUS 2u
#define TASKS 4u
#define MS UINT64_C(1000000)

#define SAY(t, on, what, ...)                                                                      \
	{                                                                                          \
		.time_ns = (t), .cpu = (on), .kind = RECORD_##what, __VA_ARGS__                    \
	}

/*
 * A life without fault: task 1 starts on CPU 0, forks task 2 to CPU 1, sleeps, is
 * woken by 2 and ends; 2 is preempted by it for a while.
 */
static const struct record good[] = {
	SAY(0, 0, FORK, .a = 1),
	SAY(0, 0, WAIT_START, .a = 1),
	SAY(5, 0, WAIT_END, .a = 1, .b = 1, .c = 5),
	SAY(5, 0, SWITCH, .a = 0, .b = 1, .c = 1, .d = 1),
	SAY(10, 0, FORK, .a = 2, .b = 1, .c = 1),
	SAY(10, 0, WAIT_START, .a = 2),
	SAY(12, 1, WAIT_END, .a = 2, .b = 1, .c = 2),
	SAY(12, 1, SWITCH, .a = 0, .b = 2, .c = 1, .d = 1),
	SAY(20, 0, TICK, .a = 1, .b = 1),
	SAY(30, 0, BLOCK, .a = 1),
	SAY(30, 0, SWITCH, .a = 1, .b = 0, .c = 0, .d = 0),
	SAY(40, 1, WAKE, .a = 1, .b = 1, .c = 2, .d = 0),
	SAY(40, 1, WAIT_START, .a = 1),
	SAY(41, 1, WAIT_START, .a = 2),
	SAY(41, 1, WAIT_END, .a = 1, .b = 1, .c = 1),
	SAY(41, 1, SWITCH, .a = 2, .b = 1, .c = 1, .d = 2),
	SAY(45, 0, WAIT_END, .a = 2, .b = 0, .c = 4),
	SAY(45, 0, WAIT_START, .a = 2),
	SAY(45, 0, MIGRATE, .a = 2, .b = 1, .c = 0, .d = 1),
	SAY(45, 0, WAIT_END, .a = 2, .b = 1),
	SAY(45, 0, SWITCH, .a = 0, .b = 2, .c = 1, .d = 1),
	SAY(60, 1, SWITCH, .a = 1, .b = 0, .c = 0, .d = 0),
	SAY(60, 1, EXIT, .a = 1, .b = 44),
};

static struct audit_time *fresh(void)
{
	struct rql_error e;
	struct audit_time *a = audit_time_create(CPUS, TASKS, &e);

	assert_non_null(a);
	return a;
}

static void play(struct audit_time *a, const struct record *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_true((a->sink.wants >> r[i].kind) & 1);
		a->sink.take(&a->sink, &r[i]);
	}
}

#define PLAY_GOOD(a, n) play(a, good, n)
#define GOOD_COUNT (sizeof(good) / sizeof(good[0]))

static void test_run_without_fault_has_no_violation(void **state)
{
	struct audit_time *a = fresh();

	PLAY_GOOD(a, GOOD_COUNT);
	audit_time_finish(a, 100);
	assert_null(audit_time_violation(a));
	assert_int_equal(a->cpu[0].run_ns, 25 + 55);
	assert_int_equal(a->cpu[1].run_ns, 29 + 19);
	assert_int_equal(a->task[0].run_ns, 44);
	assert_int_equal(a->task[1].run_ns, 84);
	audit_time_free(a);
}

/* The first `keep` records of the good run, then this one, break that law. */
static const struct fault {
	size_t keep;
	struct record then;
	const char *what;
} faults[] = {
	{8, SAY(11, 1, TICK, .a = 2), "time goes back"},
	{8, SAY(20, 2, TICK, .a = 2), "no such CPU"},
	{8, SAY(20, 1, TICK, .a = 1), "another task running"},
	{8, SAY(20, 1, SWITCH, .a = 1, .b = 0), "prev is not the task"},
	{8, SAY(20, 1, SWITCH, .a = 2, .b = 2, .c = 1), "prev is next"},
	{9, SAY(30, 0, SWITCH, .a = 1, .b = 0, .c = 1), "still queued but does not wait"},
	{13, SAY(40, 0, SWITCH, .a = 0, .b = 1), "its wait did not end"},
	{11, SAY(40, 0, SWITCH, .a = 0, .b = 1), "next sleeps"},
	{8, SAY(40, 0, FORK, .a = 2), "exists already"},
	{8, SAY(40, 0, FORK, .a = 5), "no such task"},
	{8, SAY(40, 0, WAKE, .a = 3, .b = 0), "not created yet"},
	{8, SAY(40, 0, WAKE, .a = 2, .b = 0), "does not sleep"},
	{13, SAY(40, 0, WAKE, .a = 1, .b = 0), "waits for a CPU already"},
	{11, SAY(40, 0, WAKE, .a = 1, .b = 2), "no such CPU"},
	{8, SAY(40, 0, BLOCK, .a = 2), "does not run here"},
	{8, SAY(40, 0, MIGRATE, .a = 2, .b = 1, .c = 0), "running task is moved"},
	{6, SAY(40, 0, MIGRATE, .a = 2, .b = 1, .c = 1), "to where it is"},
	{13, SAY(40, 1, WAIT_START, .a = 1), "waits already"},
	{11, SAY(40, 1, WAIT_START, .a = 1), "queued but sleeps"},
	{8, SAY(40, 1, WAIT_END, .a = 1), "did not wait"},
	{8, SAY(40, 1, EXIT, .a = 2), "without having left"},
	{22, SAY(60, 1, EXIT, .a = 1, .b = 44 + 2 * MS), "more CPU time than it lived"},
	{23, SAY(70, 1, EXIT, .a = 1), "has ended already"},
	{22, SAY(70, 1, WAKE, .a = 1), "the task has ended"},
};

static void test_each_law_is_watched(void **state)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct audit_time *a = fresh();

		PLAY_GOOD(a, faults[i].keep);
		assert_null(audit_time_violation(a));
		play(a, &faults[i].then, 1);
		assert_non_null(audit_time_violation(a));
		if (!strstr(audit_time_violation(a), faults[i].what))
			fail_msg("row %zu: \"%s\" instead of \"%s\"", i, audit_time_violation(a),
				 faults[i].what);
		audit_time_free(a);
	}
}

static void test_task_on_two_cpus_is_found(void **state)
{
	static const struct record twice[] = {
		SAY(13, 0, WAIT_START, .a = 1),
		SAY(13, 0, SWITCH, .a = 1, .b = 2, .c = 1, .d = 1),
	};
	struct audit_time *a = fresh();

	PLAY_GOOD(a, 8);
	play(a, twice, 2);
	assert_non_null(strstr(audit_time_violation(a), "runs on another CPU"));
	audit_time_free(a);
}

static void test_first_violation_is_kept(void **state)
{
	struct audit_time *a = fresh();

	PLAY_GOOD(a, 8);
	play(a, &faults[2].then, 1);
	play(a, &faults[9].then, 1);
	assert_string_equal(audit_time_violation(a),
			    "at 20 ns cpu 1 TICK(1,0,0,0): the tick finds another task running");
	audit_time_free(a);
}

/* Dequeued, woken while its CPU balances, preempted there or picked again. */
static void test_task_may_be_woken_before_it_left_its_cpu(void **state)
{
	static const struct record late_wake[] = {
		SAY(30, 0, BLOCK, .a = 1),
		SAY(31, 1, WAKE, .a = 1, .b = 0, .c = 2),
		SAY(35, 0, TICK, .a = 1, .b = 1),
		SAY(50, 0, BLOCK, .a = 1),
		SAY(51, 1, WAKE, .a = 1, .b = 0, .c = 2),
		SAY(52, 0, WAIT_START, .a = 1),
		SAY(52, 0, SWITCH, .a = 1, .b = 0, .c = 1, .d = 2),
		SAY(54, 0, WAIT_END, .a = 1, .b = 1),
		SAY(54, 0, SWITCH, .a = 0, .b = 1, .c = 0, .d = 1),
	};
	struct audit_time *a = fresh();

	PLAY_GOOD(a, 8);
	play(a, late_wake, sizeof(late_wake) / sizeof(late_wake[0]));
	assert_null(audit_time_violation(a));
	audit_time_free(a);
}

/* Dequeued, woken while its CPU switches, and queued there when that is done. */
static void test_task_may_be_woken_while_it_leaves_its_cpu(void **state)
{
	static const struct record late_queue[] = {
		SAY(30, 0, BLOCK, .a = 1),
		SAY(31, 1, WAKE, .a = 1, .b = 0, .c = 2),
		SAY(35, 0, SWITCH, .a = 1, .b = 0, .c = 0, .d = 0),
		SAY(36, 0, WAIT_START, .a = 1),
		SAY(37, 0, WAIT_END, .a = 1, .b = 1),
		SAY(37, 0, SWITCH, .a = 0, .b = 1, .c = 0, .d = 1),
		/* it leaves for good */
		SAY(40, 0, SWITCH, .a = 1, .b = 0, .c = 0, .d = 0),
		SAY(41, 0, WAIT_START, .a = 1),
	};
	const size_t n = sizeof(late_queue) / sizeof(late_queue[0]);
	struct audit_time *a = fresh();

	PLAY_GOOD(a, 8);
	play(a, late_queue, n - 1);
	assert_null(audit_time_violation(a));
	play(a, &late_queue[n - 1], 1);
	assert_non_null(strstr(audit_time_violation(a), "the task has ended"));
	audit_time_free(a);
}

static void test_stoppers_are_not_followed(void **state)
{
	static const struct record stopper[] = {
		SAY(20, 1, WAKE, .a = 0, .b = 0, .c = 2),
		SAY(20, 1, WAIT_START, .a = 0),
		SAY(22, 0, WAIT_END, .a = 0, .b = 1),
		SAY(22, 0, WAIT_START, .a = 1),
		SAY(22, 0, SWITCH, .a = 1, .b = 0, .c = 1, .d = 2),
		SAY(23, 0, BLOCK, .a = 0),
		SAY(23, 0, WAIT_END, .a = 1, .b = 1),
		SAY(23, 0, SWITCH, .a = 0, .b = 1, .c = 0, .d = 1),
	};
	struct audit_time *a = fresh();

	PLAY_GOOD(a, 8);
	play(a, stopper, sizeof(stopper) / sizeof(stopper[0]));
	assert_null(audit_time_violation(a));
	audit_time_free(a);
}

static void test_sums_are_compared_with_the_end(void **state)
{
	struct audit_time *a = fresh();

	PLAY_GOOD(a, GOOD_COUNT);
	a->cpu[1].run_ns = 61;
	audit_time_finish(a, 60);
	assert_string_equal(audit_time_violation(a),
			    "at the end: the runs of cpu 1 add up to 61 ns of 60");
	audit_time_free(a);

	a = fresh();
	PLAY_GOOD(a, GOOD_COUNT);
	a->task[1].run_ns = 2 * MS;
	audit_time_finish(a, 60);
	assert_non_null(strstr(audit_time_violation(a), "the runs of task 2 add up"));
	audit_time_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_without_fault_has_no_violation),
		cmocka_unit_test(test_each_law_is_watched),
		cmocka_unit_test(test_task_on_two_cpus_is_found),
		cmocka_unit_test(test_first_violation_is_kept),
		cmocka_unit_test(test_task_may_be_woken_before_it_left_its_cpu),
		cmocka_unit_test(test_task_may_be_woken_while_it_leaves_its_cpu),
		cmocka_unit_test(test_stoppers_are_not_followed),
		cmocka_unit_test(test_sums_are_compared_with_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
