/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a shell starts is the same program, LAUNCH_MAIN_TASK numbers up, after fork, exec and set-up. */
#include "by_hand.h"
#include "support.h"

#include "base/fixed.h"
#include "workload/hackbench.h"
#include "workload/launch.h"

static struct behaviour *hackbench(void)
{
	struct hackbench_params p = {
		.groups = 1, .fds = 1, .loops = 1, .size = 100, .process = true, .seed = 1};

	return hackbench_create(&p);
}

static struct behaviour *launched(uint64_t after_ns, uint64_t setup_ns)
{
	struct launch_params p = {
		.program = hackbench(),
		.destroy = hackbench_destroy,
		.after_ns = after_ns,
		.setup_ns = setup_ns,
		.seed = 3,
	};

	return launch_create(&p);
}

static void test_a_shell_forks_and_waits(void **state)
{
	struct behaviour *b = launched(NS_PER_MS, 0);
	struct action a = {0};

	assert_int_equal(b->ntasks, 5);
	assert_int_equal(b->nfirst, 0);
	assert_in_range(expect(b, LAUNCH_SHELL_TASK, ACTION_SLEEP).ns, NS_PER_MS,
			NS_PER_MS + NS_PER_MS / 10);
	assert_int_equal(expect(b, LAUNCH_SHELL_TASK, ACTION_FORK).task, LAUNCH_MAIN_TASK);
	expect(b, LAUNCH_SHELL_TASK, ACTION_BLOCK);
	/* the job's end wakes it, and that is all it did */
	assert_true(b->ops->ended(b, LAUNCH_MAIN_TASK, &a));
	assert_int_equal(a.kind, ACTION_WAKE);
	assert_int_equal(a.task, LAUNCH_SHELL_TASK);
	expect(b, LAUNCH_SHELL_TASK, ACTION_EXIT);
	assert_false(b->ops->ended(b, LAUNCH_SHELL_TASK, &a));
	launch_destroy(b);
}

static void test_what_the_shell_waits_longer_is_a_multiple(void **state)
{
	struct launch_params p = {
		.destroy = hackbench_destroy,
		.after_ns = NS_PER_S + 7,
		.align_ns = 4 * NS_PER_MS,
	};
	uint64_t longest_ns = 0;

	for (p.seed = 1; p.seed <= 20; p.seed++) {
		struct behaviour *b;
		uint64_t ns;

		p.program = hackbench();
		b = launch_create(&p);
		ns = expect(b, LAUNCH_SHELL_TASK, ACTION_SLEEP).ns - p.after_ns;
		assert_int_equal(ns % p.align_ns, 0);
		assert_in_range(ns, 0, NS_PER_S / 10);
		longest_ns = ns > longest_ns ? ns : longest_ns;
		launch_destroy(b);
	}
	assert_true(longest_ns > 0);
}

static void test_a_command_comes_before(void **state)
{
	struct launch_params p = {
		.program = hackbench(),
		.destroy = hackbench_destroy,
		.command_ns = 300,
	};
	struct behaviour *b = launch_create(&p);
	struct action a = {0};

	assert_int_equal(expect(b, LAUNCH_SHELL_TASK, ACTION_FORK).task, LAUNCH_COMMAND_TASK);
	expect(b, LAUNCH_COMMAND_TASK, ACTION_EXEC);
	expect(b, LAUNCH_SHELL_TASK, ACTION_BLOCK);
	assert_int_equal(expect(b, LAUNCH_COMMAND_TASK, ACTION_RUN).ns, 300);
	expect(b, LAUNCH_COMMAND_TASK, ACTION_EXIT);
	assert_true(b->ops->ended(b, LAUNCH_COMMAND_TASK, &a));
	assert_int_equal(a.task, LAUNCH_SHELL_TASK);
	assert_int_equal(expect(b, LAUNCH_SHELL_TASK, ACTION_FORK).task, LAUNCH_MAIN_TASK);
	launch_destroy(b);
}

/* As a SCHED_FIFO program does on the shell's CPU, where it runs at once. */
static void test_what_is_over_already_is_not_waited_for(void **state)
{
	struct launch_params p = {
		.program = hackbench(),
		.destroy = hackbench_destroy,
		.command_ns = 300,
	};
	struct behaviour *b = launch_create(&p);
	struct action a = {0};

	expect(b, LAUNCH_SHELL_TASK, ACTION_FORK);
	assert_true(b->ops->ended(b, LAUNCH_COMMAND_TASK, &a));
	assert_int_equal(expect(b, LAUNCH_SHELL_TASK, ACTION_FORK).task, LAUNCH_MAIN_TASK);
	assert_true(b->ops->ended(b, LAUNCH_MAIN_TASK, &a));
	expect(b, LAUNCH_SHELL_TASK, ACTION_EXIT);
	launch_destroy(b);
}

static void test_the_program_begins_after_exec_and_set_up(void **state)
{
	struct behaviour *b = launched(0, 700), *same = hackbench();

	expect(b, LAUNCH_SHELL_TASK, ACTION_FORK);
	expect(b, LAUNCH_MAIN_TASK, ACTION_EXEC);
	assert_int_equal(expect(b, LAUNCH_MAIN_TASK, ACTION_RUN).ns, 700);
	expect(b, LAUNCH_MAIN_TASK, ACTION_CALL_RCU);
	for (int i = 0; i < 2; i++)
		assert_int_equal(expect(b, LAUNCH_MAIN_TASK, ACTION_FORK).task,
				 expect(same, 0, ACTION_FORK).task + LAUNCH_MAIN_TASK);
	launch_destroy(b);
	hackbench_destroy(same);
}

static void test_attributes_are_the_programs_own(void **state)
{
	struct behaviour *b = launched(0, 0);
	struct task_attr attr = {0};

	b->ops->attr(b, LAUNCH_SHELL_TASK, &attr);
	assert_string_equal(attr.comm, "sh");
	assert_true(attr.process);
	attr = (struct task_attr){0};
	b->ops->attr(b, LAUNCH_MAIN_TASK, &attr);
	assert_string_equal(attr.comm, "hackbench");
	assert_true(attr.process);
	launch_destroy(b);
}

static void test_what_a_child_ends_is_told_under_its_new_number(void **state)
{
	struct behaviour *b = launched(0, 0), *same = hackbench();
	struct action a = {0}, of_same = {0};
	bool tells = same->ops->ended && same->ops->ended(same, 2, &of_same);

	assert_int_equal(b->ops->ended(b, LAUNCH_MAIN_TASK + 2, &a), tells);
	if (tells)
		assert_int_equal(a.task, of_same.task + LAUNCH_MAIN_TASK);
	launch_destroy(b);
	hackbench_destroy(same);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_shell_forks_and_waits),
		cmocka_unit_test(test_what_the_shell_waits_longer_is_a_multiple),
		cmocka_unit_test(test_a_command_comes_before),
		cmocka_unit_test(test_what_is_over_already_is_not_waited_for),
		cmocka_unit_test(test_the_program_begins_after_exec_and_set_up),
		cmocka_unit_test(test_attributes_are_the_programs_own),
		cmocka_unit_test(test_what_a_child_ends_is_told_under_its_new_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
