/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who forks, waits and is woken; and that the two users of it end. */
#include "by_hand.h"
#include "support.h"

#include "workload/kbuild.h"
#include "workload/proctree.h"
#include "workload/shell8.h"
#include "workload/toy_engine.h"

/* A shell that forks a program and waits; the program only computes. */
static const struct proctree_step shell_steps[] = {{.op = PROC_EXEC},
						   {.op = PROC_FORK, .arg = 1},
						   {.op = PROC_WAIT},
						   {.op = PROC_DONE},
						   {.op = PROC_EXIT}};
static const struct proctree_step vfork_steps[] = {{.op = PROC_EXEC},
						   {.op = PROC_VFORK, .arg = 1},
						   {.op = PROC_WAIT},
						   {.op = PROC_DONE},
						   {.op = PROC_EXIT}};
static const struct proctree_step program_steps[] = {{.op = PROC_EXEC},
						     {.op = PROC_RUN, .ns = 1000},
						     {.op = PROC_EXIT}};

static const struct proctree_proc forked[] = {
	{.comm = "sh", .steps = shell_steps, .writes = PROCTREE_NONE},
	{.comm = "program", .steps = program_steps, .writes = PROCTREE_NONE}};
static const struct proctree_proc vforked[] = {
	{.comm = "sh", .steps = vfork_steps, .writes = PROCTREE_NONE},
	{.comm = "program", .steps = program_steps, .writes = PROCTREE_NONE, .vforked = true}};

static struct behaviour *create(const struct proctree_proc *procs, uint32_t njobs,
				uint32_t nparallel)
{
	const struct proctree_params p = {.comm = "main",
					  .purpose = "test",
					  .procs = procs,
					  .nprocs = 2,
					  .njobs = njobs,
					  .nparallel = nparallel,
					  .seed = 1};

	return proctree_create(&p);
}

/* TASK ends; whom it wakes, or PROCTREE_NONE. */
static uint32_t end(struct behaviour *b, uint32_t task)
{
	struct action a = {0};

	expect(b, task, ACTION_EXIT);
	if (!b->ops->ended(b, task, &a))
		return PROCTREE_NONE;
	assert_int_equal(a.kind, ACTION_WAKE);
	assert_int_equal(a.flags, ACTION_SYNC);
	return a.task;
}

static void test_a_parent_waits_until_its_child_has_ended(void **state)
{
	struct behaviour *b = create(forked, 1, 1);
	struct task_attr attr = {0};

	expect(b, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 1);
	expect(b, 0, ACTION_BLOCK);
	expect(b, 1, ACTION_EXEC);
	assert_int_equal(expect(b, 1, ACTION_FORK).task, 2);
	expect(b, 1, ACTION_BLOCK);
	b->ops->attr(b, 2, &attr);
	assert_string_equal(attr.comm, "program");
	assert_true(attr.process);
	expect(b, 2, ACTION_EXEC);
	assert_in_range(expect(b, 2, ACTION_RUN).ns, 750, 1250);
	assert_int_equal(end(b, 2), 1);
	expect(b, 1, ACTION_DONE);
	assert_int_equal(end(b, 1), 0);
	expect(b, 0, ACTION_END_MARK);
	expect(b, 0, ACTION_EXIT);
	proctree_destroy(b);
}

static void test_a_child_that_has_ended_is_not_waited_for(void **state)
{
	struct behaviour *b = create(forked, 1, 1);

	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	expect(b, 1, ACTION_EXEC);
	expect(b, 1, ACTION_FORK);
	expect(b, 2, ACTION_EXEC);
	expect(b, 2, ACTION_RUN);
	assert_int_equal(end(b, 2), PROCTREE_NONE);
	expect(b, 1, ACTION_DONE);
	proctree_destroy(b);
}

static void test_a_vforked_child_lets_its_parent_go_on_when_it_has_execed(void **state)
{
	struct behaviour *b = create(vforked, 1, 1);
	struct task_attr attr = {0};

	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	expect(b, 1, ACTION_EXEC);
	expect(b, 1, ACTION_FORK);
	expect(b, 1, ACTION_BLOCK);
	b->ops->attr(b, 2, &attr);
	assert_false(attr.process);
	expect(b, 2, ACTION_EXEC);
	assert_int_equal(expect(b, 2, ACTION_WAKE).task, 1);
	/* now it waits for the end */
	expect(b, 1, ACTION_BLOCK);
	expect(b, 2, ACTION_RUN);
	assert_int_equal(end(b, 2), 1);
	proctree_destroy(b);
}

static void test_main_keeps_so_many_jobs_running(void **state)
{
	struct behaviour *b = create(forked, 3, 2);

	expect(b, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 1);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 3);
	expect(b, 0, ACTION_BLOCK);
	expect(b, 3, ACTION_EXEC);
	expect(b, 3, ACTION_FORK);
	expect(b, 4, ACTION_EXEC);
	expect(b, 4, ACTION_RUN);
	end(b, 4);
	expect(b, 3, ACTION_DONE);
	assert_int_equal(end(b, 3), 0);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 5);
	expect(b, 0, ACTION_BLOCK);
	proctree_destroy(b);
}

static void run_to_the_end(struct behaviour *b, uint64_t done)
{
	struct toy toy;

	toy_start(&toy, b, NULL);
	toy.wakes_may_miss = true;
	assert_false(toy_run(&toy, UINT64_MAX / 2, 1000000));
	assert_int_equal(toy.nlist, b->ntasks);
	assert_int_equal(toy.live, 0);
	assert_int_equal(toy.done, done);
	toy_end(&toy);
}

static void test_scripts_end_with_all_their_processes(void **state)
{
	struct shell8_params p = {
		.copies = 3, .iterations = 2, .tests = 1, .work_ns = 100, .seed = 1};
	struct behaviour *b = shell8_create(&p);

	assert_int_equal(b->ntasks, 1 + 2 * (1 + 3 * 8));
	run_to_the_end(b, 2);
	shell8_destroy(b);
	p = (struct shell8_params){
		.copies = 1, .iterations = 1, .tests = 1, .work_ns = 1, .seed = 1};
	b = shell8_create(&p);
	run_to_the_end(b, 1);
	shell8_destroy(b);
}

static void test_tests_at_once_end_with_all_their_processes(void **state)
{
	struct shell8_params p = {
		.copies = 2, .iterations = 3, .tests = 5, .work_ns = 100, .seed = 1};
	struct behaviour *b = shell8_create(&p);

	assert_int_equal(b->ntasks, 1 + 5 * (1 + 3 * (1 + 2 * 8)));
	run_to_the_end(b, 5 * 3);
	shell8_destroy(b);
}

static void test_a_build_ends_with_all_its_files(void **state)
{
	struct kbuild_params p = {
		.jobs = 3, .files = 10, .cc_ns = 1000000, .io_ns = 1000, .seed = 1};
	struct behaviour *b = kbuild_create(&p);

	assert_int_equal(b->ntasks, 51);
	run_to_the_end(b, 10);
	kbuild_destroy(b);
	p.jobs = 100;
	p.io_ns = 0;
	b = kbuild_create(&p);
	run_to_the_end(b, 10);
	kbuild_destroy(b);
}

/* cc1 of each file: 15 of 16 below the mean for the most part, the mean as asked. */
static void test_compile_times_have_a_long_tail(void **state)
{
	struct kbuild_params p = {.jobs = 1, .files = 20000, .cc_ns = 1000000, .seed = 1};
	struct behaviour *b = kbuild_create(&p);
	uint64_t sum = 0, above_5 = 0;

	for (uint32_t file = 0; file < p.files; file++) {
		uint32_t cc1 = 1 + file * 5 + 2;
		uint64_t ns;

		expect(b, cc1, ACTION_EXEC);
		ns = expect(b, cc1, ACTION_RUN).ns;
		sum += ns;
		above_5 += ns > 5 * p.cc_ns;
	}
	assert_in_range(sum / p.files, 950000, 1050000);
	/* exp(-5/6)/16 + exp(-7.5) of all; one exponential alone would have 0.7 % */
	assert_in_range(above_5 * 1000 / p.files, 22, 34);
	kbuild_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_parent_waits_until_its_child_has_ended),
		cmocka_unit_test(test_a_child_that_has_ended_is_not_waited_for),
		cmocka_unit_test(test_a_vforked_child_lets_its_parent_go_on_when_it_has_execed),
		cmocka_unit_test(test_main_keeps_so_many_jobs_running),
		cmocka_unit_test(test_scripts_end_with_all_their_processes),
		cmocka_unit_test(test_tests_at_once_end_with_all_their_processes),
		cmocka_unit_test(test_a_build_ends_with_all_its_files),
		cmocka_unit_test(test_compile_times_have_a_long_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
