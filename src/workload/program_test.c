/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs do, as the engine would see it: each test compares the whole sequence. */
#include "support.h"

#include "workload/program.h"
#include "workload/toy_engine.h"

#define US NS_PER_US

static const struct program_group main_group = {.comm = "main",
						.count = 1,
						.cpus = PROGRAM_CPUS_SAME};

static struct program *new_program(void)
{
	struct program *p = program_create(1, "test");
	struct program_attr attr = {.policy = POLICY_NORMAL};

	assert_non_null(p);
	assert_int_equal(program_attr(p, attr), 0);
	program_group(p, &main_group);
	return p;
}

static void add_threads(struct program *p, uint32_t count)
{
	struct program_group g = {.comm = "t", .count = count, .cpus = PROGRAM_CPUS_SAME};

	program_group(p, &g);
}

/* Runs P to its end or UNTIL_NS and compares what it did. */
static void expect(struct program *p, uint64_t until_ns, const char *wanted)
{
	static char text[16384];
	struct rql_error e;
	struct toy toy;
	struct buf log;

	assert_true(program_finish(p, &e));
	for (int round = 0; round < 2; round++) {
		buf_init(&log, text, sizeof(text));
		toy_start(&toy, program_behaviour(p), &log);
		toy_run(&toy, until_ns, 10000);
		toy_end(&toy);
		assert_string_equal(text, wanted);
		program_reset(p, 1);
	}
	program_destroy(p);
}

static void test_a_program_runs_sleeps_and_exits(void **state)
{
	struct program *p = new_program();

	(void)state;
	program_start_mark(p);
	program_run(p, amount_fixed(5));
	program_run(p, amount_fixed(0));
	program_run_cputime(p, amount_fixed(6));
	program_run_for(p, amount_fixed(7));
	program_sleep(p, amount_fixed(0));
	program_sleep(p, amount_fixed(10));
	program_yield(p);
	program_done(p, 3);
	program_end_mark(p);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 start\n0 0 run 5\n5 0 cputime 6\n11 0 run-until 18\n"
	       "18 0 sleep 1\n19 0 sleep 10\n29 0 yield\n29 0 done 3\n29 0 end\n"
	       "29 0 exit\n");
}

static void test_loops_nest_and_end(void **state)
{
	struct program *p = new_program();

	(void)state;
	program_loop_begin(p, 2);
	program_run(p, amount_fixed(100));
	program_loop_begin(p, 3);
	program_run(p, amount_fixed(1));
	program_loop_end(p);
	program_loop_end(p);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 run 100\n100 0 run 1\n101 0 run 1\n102 0 run 1\n"
	       "103 0 run 100\n203 0 run 1\n204 0 run 1\n205 0 run 1\n206 0 exit\n");
}

static void test_the_last_at_a_barrier_wakes_the_others_in_order(void **state)
{
	struct program *p = new_program();
	uint32_t q = program_queue(p);

	(void)state;
	program_fork(p, 1);
	program_join_all(p);
	add_threads(p, 3);
	program_barrier(p, q, 3, 1);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is t]\n"
	       "0 1 block\n"
	       "1000 0 fork 2\n  [2 is t]\n"
	       "1000 2 block\n"
	       "2000 0 fork 3\n  [3 is t]\n"
	       "2000 3 done 1\n2000 3 wake 1\n2000 1 exit\n2000 3 wake 2\n"
	       "2000 2 exit\n2000 3 exit\n"
	       "3000 0 exit\n");
}

static void test_a_barrier_serves_round_after_round(void **state)
{
	struct program *p = new_program();
	uint32_t q = program_queue(p);
	struct rql_error e;
	struct toy toy;

	(void)state;
	program_fork(p, 1);
	program_join_all(p);
	add_threads(p, 50);
	program_loop_begin(p, 100);
	program_run(p, amount_uniform(10, 2000));
	program_barrier(p, q, 50, 1);
	program_loop_end(p);
	assert_true(program_finish(p, &e));
	toy_start(&toy, program_behaviour(p), NULL);
	assert_false(toy_run(&toy, UINT64_MAX - 1, 100000));
	assert_int_equal(toy.live, 0);
	assert_int_equal(toy.done, 100);
	assert_true(toy.wakes >= 100 * 49 + 1);
	toy_end(&toy);
	program_destroy(p);
}

static void test_a_mutex_lets_one_in_and_wakes_the_first_waiter(void **state)
{
	struct program *p = new_program();
	uint32_t m = program_queue(p);

	(void)state;
	program_fork(p, 1);
	add_threads(p, 3);
	program_lock(p, m);
	program_run(p, amount_fixed(5 * US));
	program_unlock(p, m);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is t]\n0 1 run 5000\n"
	       "1000 0 fork 2\n  [2 is t]\n1000 2 block\n"
	       "2000 0 fork 3\n  [3 is t]\n2000 3 block\n"
	       "3000 0 exit\n"
	       "5000 1 wake 2\n5000 2 run 5000\n5000 1 exit\n"
	       "10000 2 wake 3\n10000 3 run 5000\n10000 2 exit\n"
	       "15000 3 exit\n");
}

static void test_a_signal_wakes_one_waiter_and_a_broadcast_all(void **state)
{
	struct program *p = new_program();
	uint32_t m = program_queue(p), c = program_queue(p);

	(void)state;
	program_signal(p, c); /* nobody waits: lost */
	program_fork(p, 1);
	program_signal(p, c);
	program_sleep(p, amount_fixed(1 * US));
	program_broadcast(p, c);
	add_threads(p, 3);
	program_lock(p, m);
	program_wait(p, c, m);
	program_unlock(p, m);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is t]\n0 1 block\n"
	       "1000 0 fork 2\n  [2 is t]\n1000 2 block\n"
	       "2000 0 fork 3\n  [3 is t]\n2000 3 block\n"
	       "3000 0 wake 1\n3000 1 exit\n3000 0 sleep 1000\n"
	       "4000 0 wake 2\n4000 2 exit\n4000 0 wake 3\n4000 3 exit\n4000 0 exit\n");
}

/*
 * Task 1 waits on c; giving up the mutex it wakes task 2, who takes it at once
 * and signals before task 1 has blocked: the signal is not lost.
 */
static void test_a_signal_before_the_block_is_not_lost(void **state)
{
	struct program *p = new_program();
	uint32_t m = program_queue(p), c = program_queue(p);

	(void)state;
	program_fork(p, 1);
	program_fork(p, 2);
	add_threads(p, 1);
	program_lock(p, m);
	program_run(p, amount_fixed(5 * US));
	program_wait(p, c, m);
	program_unlock(p, m);
	add_threads(p, 1);
	program_lock(p, m);
	program_signal(p, c);
	program_unlock(p, m);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is t]\n0 1 run 5000\n"
	       "1000 0 fork 2\n  [2 is t]\n1000 2 block\n2000 0 exit\n"
	       "5000 1 wake 2\n5000 2 exit\n5000 1 exit\n");
}

static void test_a_semaphore_remembers(void **state)
{
	struct program *p = new_program();
	uint32_t s = program_queue(p);

	(void)state;
	program_post(p, s);
	program_fork(p, 1);
	program_sleep(p, amount_fixed(1 * US));
	program_post(p, s);
	add_threads(p, 2);
	program_sem_wait(p, s);
	program_run(p, amount_fixed(1));
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is t]\n0 1 run 1\n1 1 exit\n"
	       "1000 0 fork 2\n  [2 is t]\n1000 2 block\n"
	       "2000 0 sleep 1000\n3000 0 wake 2\n3000 2 run 1\n3000 0 exit\n"
	       "3001 2 exit\n");
}

static void late_timer(bool absolute, const char *wanted)
{
	struct program_timer t = {.own = true, .absolute = absolute, .period_ns = 10};
	struct program *p = new_program();

	program_sleep(p, amount_fixed(100));
	program_zero(p);
	program_run(p, amount_fixed(4));
	program_timer(p, &t);
	program_run(p, amount_fixed(25)); /* over at 135: 120 is missed */
	program_timer(p, &t);
	program_run(p, amount_fixed(1));
	program_timer(p, &t);
	program_run(p, amount_fixed(1));
	program_timer(p, &t);
	expect(p, UINT64_MAX - 1, wanted);
}

static void test_a_relative_timer_restarts_when_late(void **state)
{
	(void)state;
	late_timer(false,
		   "  [0 is main]\n0 0 sleep 100\n100 0 start\n100 0 run 4\n104 0 sleep-until 110\n"
		   "110 0 run 25\n135 0 run 1\n136 0 sleep-until 145\n145 0 run 1\n"
		   "146 0 sleep-until 155\n155 0 exit\n");
}

static void test_an_absolute_timer_catches_up(void **state)
{
	(void)state;
	late_timer(true,
		   "  [0 is main]\n0 0 sleep 100\n100 0 start\n100 0 run 4\n104 0 sleep-until 110\n"
		   "110 0 run 25\n135 0 run 1\n136 0 run 1\n137 0 sleep-until 140\n140 0 exit\n");
}

static void test_own_timers_are_per_task_and_shared_ones_are_not(void **state)
{
	struct program_timer own = {.own = true, .period_ns = 5 * US};
	struct program *p = new_program();
	struct program_timer shared = {.timer = program_timers(p, 1), .period_ns = 5 * US};

	(void)state;
	program_zero(p);
	program_fork(p, 1);
	add_threads(p, 2);
	program_timer(p, &own);
	program_timer(p, &shared);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 start\n0 0 fork 1\n  [1 is t]\n0 1 sleep-until 5000\n"
	       "1000 0 fork 2\n  [2 is t]\n1000 2 sleep-until 5000\n2000 0 exit\n"
	       "5000 1 exit\n"
	       "5000 2 sleep-until 10000\n10000 2 exit\n");
}

static void test_attributes_change_only_when_they_differ(void **state)
{
	struct program *p = new_program();
	struct mask *mask = mask_init(malloc(mask_size(8)), 8);
	uint16_t fifo =
		program_attr(p, (struct program_attr){.policy = POLICY_FIFO, .rt_priority = 10});
	uint16_t nice = program_attr(p, (struct program_attr){.policy = POLICY_NORMAL, .nice = 5});
	uint16_t cpus;

	(void)state;
	mask_set(mask, 1);
	mask_set(mask, 3);
	cpus = program_mask(p, mask);
	program_set_attr(p, 0);
	program_set_attr(p, fifo);
	program_set_attr(p, fifo);
	program_set_attr(p, nice);
	program_set_cpus(p, cpus);
	program_set_cpus(p, cpus);
	program_delay(p, 0);
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n0 0 policy 1 10\n0 0 policy 0 0\n0 0 nice 5\n"
	       "0 0 cpus a\n0 0 exit\n");
}

static void test_a_pool_is_created_one_by_one_and_joined(void **state)
{
	struct program *p = new_program();
	struct program_group g = {.comm = "worker-with-a-long-name",
				  .count = 2,
				  .numbered = true,
				  .pool = true,
				  .cpus = PROGRAM_CPUS_SAME};

	(void)state;
	program_loop_begin(p, 3);
	program_fork_pool(p, 1);
	program_loop_end(p);
	program_join_all(p);
	program_group(p, &g);
	program_sleep(p, amount_fixed(10 * US));
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 fork 1\n  [1 is worker-w-0-0000]\n0 1 sleep 10000\n"
	       "1000 0 fork 2\n  [2 is worker-w-1-0001]\n1000 2 sleep 10000\n"
	       "2000 0 block\n10000 1 wake 0\n10000 0 block\n10000 1 exit\n"
	       "11000 2 wake 0\n11000 0 exit\n11000 2 exit\n");
}

static void test_a_loop_of_nothing_gives_the_engine_a_turn(void **state)
{
	struct program *p = new_program();
	uint32_t m = program_queue(p);
	struct rql_error e;
	struct toy toy;

	(void)state;
	program_loop_begin(p, 0);
	program_lock(p, m);
	program_unlock(p, m);
	program_loop_end(p);
	assert_true(program_finish(p, &e));
	toy_start(&toy, program_behaviour(p), NULL);
	assert_true(toy_run(&toy, UINT64_MAX - 1, 1000));
	assert_int_equal(toy.done, 0);
	assert_int_equal(toy.now_ns, 0);
	toy_end(&toy);
	program_destroy(p);
}

/* Two tasks draw the same whatever the order in which they ask. */
static void test_a_tasks_draws_are_its_own(void **state)
{
	uint64_t first[2][3];

	(void)state;
	for (int order = 0; order < 2; order++) {
		struct program *p = new_program();
		struct rql_error e;
		struct behaviour *b;
		struct task_attr attr;

		program_group(p, &(struct program_group){
					 .comm = "t", .count = 2, .cpus = PROGRAM_CPUS_SAME});
		program_loop_begin(p, 0);
		program_run(p, amount_exponential(NS_PER_MS));
		program_loop_end(p);
		assert_true(program_finish(p, &e));
		b = program_behaviour(p);
		for (uint32_t i = 0; i < 2; i++) {
			memset(&attr, 0, sizeof(attr));
			b->ops->attr(b, 1 + (order ? 1 - i : i), &attr);
		}
		for (int j = 0; j < 3; j++) {
			for (uint32_t i = 0; i < 2; i++) {
				uint32_t task = order ? 1 - i : i;
				struct action a;

				memset(&a, 0, sizeof(a));
				b->ops->next(b, 1 + task, 0, &a);
				if (order == 0)
					first[task][j] = a.ns;
				else
					assert_int_equal(first[task][j], a.ns);
			}
		}
		program_destroy(p);
	}
	assert_int_not_equal(first[0][0], first[1][0]);
}

static void test_too_many_tasks_are_an_error(void **state)
{
	struct program *p = new_program();
	struct rql_error e;

	(void)state;
	add_threads(p, PROGRAM_TASKS_MAX);
	add_threads(p, 1);
	assert_false(program_finish(p, &e));
	assert_non_null(strstr(e.what, "at most 1000000"));
	program_destroy(p);
}

/* From FIFO back to normal: the change of policy does not reset a nice value. */
static void test_a_nice_value_survives_changes_of_policy(void **state)
{
	struct program *p = new_program();

	program_set_attr(p, program_attr(p, (struct program_attr){.nice = 5}));
	program_set_attr(p,
			 program_attr(p, (struct program_attr){.policy = POLICY_BATCH, .nice = 5}));
	program_set_attr(p, program_attr(p, (struct program_attr){.policy = POLICY_RR,
								  .nice = 5,
								  .rt_priority = 9}));
	program_set_attr(p, program_attr(p, (struct program_attr){.nice = 5}));
	program_set_attr(p, program_attr(p, (struct program_attr){.policy = POLICY_IDLE}));
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n"
	       "0 0 nice 5\n0 0 policy 3 5\n0 0 policy 2 9\n0 0 policy 0 5\n"
	       "0 0 policy 5 5\n0 0 nice 0\n0 0 exit\n");
}

static void test_other_parameters_of_deadline_are_another_policy(void **state)
{
	struct program_attr one = {.policy = POLICY_DEADLINE,
				   .dl = {.runtime_ns = 1, .deadline_ns = 2, .period_ns = 3}};
	struct program_attr other = one;
	struct program *p = new_program();

	other.dl.period_ns = 4;
	program_set_attr(p, program_attr(p, one));
	program_set_attr(p, program_attr(p, one));
	program_set_attr(p, program_attr(p, other));
	expect(p, UINT64_MAX - 1,
	       "  [0 is main]\n0 0 policy 6 1/2/3\n0 0 policy 6 1/2/4\n0 0 exit\n");
}

static void test_sets_of_attributes_are_counted_and_bounded(void **state)
{
	struct program *p = new_program();
	struct program_attr attr = {.policy = POLICY_DEADLINE};
	struct rql_error e;

	for (uint32_t i = 1; i <= PROGRAM_ATTRS_MAX; i++) {
		attr.dl.runtime_ns = i;
		program_attr(p, attr);
	}
	assert_false(program_finish(p, &e));
	assert_non_null(strstr(e.what, "at most 65535 different ones"));
	program_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_program_runs_sleeps_and_exits),
		cmocka_unit_test(test_loops_nest_and_end),
		cmocka_unit_test(test_the_last_at_a_barrier_wakes_the_others_in_order),
		cmocka_unit_test(test_a_barrier_serves_round_after_round),
		cmocka_unit_test(test_a_mutex_lets_one_in_and_wakes_the_first_waiter),
		cmocka_unit_test(test_a_signal_wakes_one_waiter_and_a_broadcast_all),
		cmocka_unit_test(test_a_signal_before_the_block_is_not_lost),
		cmocka_unit_test(test_a_semaphore_remembers),
		cmocka_unit_test(test_a_relative_timer_restarts_when_late),
		cmocka_unit_test(test_an_absolute_timer_catches_up),
		cmocka_unit_test(test_own_timers_are_per_task_and_shared_ones_are_not),
		cmocka_unit_test(test_attributes_change_only_when_they_differ),
		cmocka_unit_test(test_a_pool_is_created_one_by_one_and_joined),
		cmocka_unit_test(test_a_loop_of_nothing_gives_the_engine_a_turn),
		cmocka_unit_test(test_a_tasks_draws_are_its_own),
		cmocka_unit_test(test_too_many_tasks_are_an_error),
		cmocka_unit_test(test_a_nice_value_survives_changes_of_policy),
		cmocka_unit_test(test_other_parameters_of_deadline_are_another_policy),
		cmocka_unit_test(test_sets_of_attributes_are_counted_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
