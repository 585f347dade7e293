/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who writes, who reads, who waits for whom. */
#include "by_hand.h"
#include "support.h"

#include "base/mask.h"
#include "workload/schedpipe.h"
#include "workload/toy_engine.h"

static struct schedpipe_params params(uint32_t loops, bool threads)
{
	return (struct schedpipe_params){.loops = loops,
					 .threads = threads,
					 .cpu = {SCHEDPIPE_ANY_CPU, SCHEDPIPE_ANY_CPU},
					 .ncpus = 4,
					 .seed = 1};
}

/* Main writes into pipe 0 and sleeps at pipe 1; the child does it the other way round. */
static void test_main_writes_first_and_its_child_answers(void **state)
{
	struct schedpipe_params p = params(1, false);
	struct behaviour *b = schedpipe_create(&p);
	struct action a;

	assert_int_equal(b->ntasks, 2);
	expect(b, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 1);
	/* the child finds nothing and sleeps */
	assert_int_equal(expect(b, 1, ACTION_LOCK).task, 0);
	expect(b, 1, ACTION_UNLOCK);
	expect(b, 1, ACTION_BLOCK);
	a = expect(b, 0, ACTION_RUN);
	assert_int_equal(a.flags, ACTION_IN_KERNEL | ACTION_PRICE_WRITE);
	assert_int_equal(a.task, 0);
	expect(b, 0, ACTION_LOCK);
	a = expect(b, 0, ACTION_WAKE);
	assert_int_equal(a.task, 1);
	assert_int_equal(a.flags, ACTION_SYNC);
	expect(b, 0, ACTION_UNLOCK);
	assert_int_equal(expect(b, 0, ACTION_LOCK).task, 1);
	expect(b, 0, ACTION_UNLOCK);
	expect(b, 0, ACTION_BLOCK);
	assert_int_equal(expect(b, 1, ACTION_RUN).flags, ACTION_IN_KERNEL | ACTION_PRICE_READ);
	a = expect(b, 1, ACTION_RUN);
	assert_int_equal(a.flags, ACTION_IN_KERNEL | ACTION_PRICE_WRITE);
	assert_int_equal(a.task, 1);
	schedpipe_destroy(b);
}

static void run_to_the_end(uint32_t loops, bool threads, uint32_t ntasks)
{
	struct schedpipe_params p = params(loops, threads);
	struct behaviour *b = schedpipe_create(&p);
	struct toy toy;

	toy_start(&toy, b, NULL);
	toy.wakes_may_miss = true;
	assert_false(toy_run(&toy, UINT64_MAX / 2, 100000));
	assert_int_equal(toy.nlist, ntasks);
	assert_int_equal(toy.live, 0);
	assert_int_equal(toy.done, loops);
	assert_int_equal(toy.starts, 1);
	toy_end(&toy);
	schedpipe_destroy(b);
}

static void test_every_round_is_counted_once(void **state)
{
	run_to_the_end(1, false, 2);
	run_to_the_end(64, false, 2);
	run_to_the_end(65, false, 2);
	run_to_the_end(200, true, 3);
}

static void test_main_joins_threads_in_the_order_it_made_them(void **state)
{
	struct schedpipe_params p = params(1, true);
	struct behaviour *b = schedpipe_create(&p);
	struct action a = {0};

	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	expect(b, 0, ACTION_FORK);
	expect(b, 0, ACTION_BLOCK);
	assert_false(b->ops->ended(b, 2, &a));
	assert_true(b->ops->ended(b, 1, &a));
	assert_int_equal(a.kind, ACTION_WAKE);
	assert_int_equal(a.task, 0);
	assert_int_equal(a.flags, 0);
	expect(b, 0, ACTION_END_MARK);
	expect(b, 0, ACTION_EXIT);
	schedpipe_destroy(b);
}

static void test_the_end_of_a_child_process_wakes_main_synchronously(void **state)
{
	struct schedpipe_params p = params(1, false);
	struct behaviour *b = schedpipe_create(&p);
	struct action a = {0};

	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	expect(b, 0, ACTION_RUN);
	expect(b, 0, ACTION_LOCK);
	expect(b, 0, ACTION_UNLOCK);
	expect(b, 0, ACTION_BLOCK);
	expect(b, 1, ACTION_RUN);
	expect(b, 1, ACTION_RUN);
	expect(b, 1, ACTION_LOCK);
	expect(b, 1, ACTION_WAKE);
	expect(b, 1, ACTION_UNLOCK);
	expect(b, 1, ACTION_EXIT);
	expect(b, 0, ACTION_RUN);
	assert_int_equal(expect(b, 0, ACTION_DONE).value, 1);
	expect(b, 0, ACTION_BLOCK);
	assert_true(b->ops->ended(b, 1, &a));
	assert_int_equal(a.flags, ACTION_SYNC);
	expect(b, 0, ACTION_END_MARK);
	schedpipe_destroy(b);
}

static void test_players_confine_themselves_before_they_begin(void **state)
{
	struct schedpipe_params p = params(1, false);
	struct behaviour *b;
	struct action a;

	p.cpu[0] = 3;
	p.cpu[1] = 1;
	b = schedpipe_create(&p);
	expect(b, 0, ACTION_START_MARK);
	expect(b, 0, ACTION_FORK);
	a = expect(b, 0, ACTION_SET_AFFINITY);
	assert_int_equal(mask_weight(a.cpus), 1);
	assert_true(mask_test(a.cpus, 3));
	expect(b, 0, ACTION_RUN);
	a = expect(b, 1, ACTION_SET_AFFINITY);
	assert_int_equal(mask_weight(a.cpus), 1);
	assert_true(mask_test(a.cpus, 1));
	schedpipe_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_main_writes_first_and_its_child_answers),
		cmocka_unit_test(test_every_round_is_counted_once),
		cmocka_unit_test(test_players_confine_themselves_before_they_begin),
		cmocka_unit_test(test_main_joins_threads_in_the_order_it_made_them),
		cmocka_unit_test(test_the_end_of_a_child_process_wakes_main_synchronously),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
