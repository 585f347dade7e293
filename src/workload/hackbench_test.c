/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of what hackbench does, the limits of its sockets and pipes, and
 * that every message arrives. Where order matters, next() is called by hand:
 * one task after the other, so no lock is ever waited for.
 */
#include "by_hand.h"
#include "support.h"

#include "workload/hackbench.h"
#include "workload/toy_engine.h"

#define MAIN 0u
#define RECEIVER 1u
#define SENDER 2u

static struct behaviour *create(uint32_t groups, uint32_t fds, uint32_t loops, bool pipe,
				uint32_t size)
{
	struct hackbench_params p = {.groups = groups,
				     .fds = fds,
				     .loops = loops,
				     .size = size,
				     .process = true,
				     .pipe = pipe,
				     .seed = 1};
	struct behaviour *b = hackbench_create(&p);

	assert_non_null(b);
	return b;
}

/* Calls next() of TASK until it sleeps or ends; returns how often it wrote and read. */
static uint32_t run_until_it_sleeps(struct behaviour *b, uint32_t task)
{
	uint32_t runs = 0;

	for (;;) {
		struct action a = next(b, task);

		if (a.kind == ACTION_BLOCK || a.kind == ACTION_EXIT)
			return runs;
		runs += a.kind == ACTION_RUN;
	}
}

/* All children are created, have reported and poll; main has not yet read their bytes. */
static void all_poll(struct behaviour *b)
{
	for (uint32_t i = 1; i < b->ntasks; i++)
		assert_int_equal(next(b, MAIN).task, i);
	for (uint32_t i = 1; i < b->ntasks; i++)
		assert_int_equal(run_until_it_sleeps(b, i), 1);
}

/* ... and main has read them and written the start byte. */
static void start(struct behaviour *b)
{
	all_poll(b);
	assert_int_equal(run_until_it_sleeps(b, MAIN), b->ntasks);
}

static void test_children_report_and_poll_and_the_last_poller_is_woken_first(void **state)
{
	struct behaviour *b = create(2, 2, 1, false, 100);

	(void)state;
	assert_int_equal(b->ntasks, 9);
	assert_false(b->endless);
	all_poll(b);
	for (uint32_t i = 1; i < b->ntasks; i++)
		expect(b, MAIN, ACTION_RUN);
	expect(b, MAIN, ACTION_START_MARK);
	expect(b, MAIN, ACTION_RUN);
	expect(b, MAIN, ACTION_LOCK);
	for (uint32_t i = b->ntasks - 1; i > 0; i--) {
		struct action a = next(b, MAIN);

		assert_int_equal(a.kind, ACTION_WAKE);
		assert_int_equal(a.task, i);
		assert_int_equal(a.flags, ACTION_SYNC);
	}
	expect(b, MAIN, ACTION_UNLOCK);
	expect(b, MAIN, ACTION_BLOCK);
	hackbench_destroy(b);
}

static void test_children_cost_and_do_first_what_was_asked(void **state)
{
	struct hackbench_params p = {.groups = 1,
				     .fds = 1,
				     .loops = 1,
				     .size = 100,
				     .process = true,
				     .pipe = true,
				     .fork_ns = 247000,
				     .first_ns = 25000,
				     .seed = 1};
	struct behaviour *b = hackbench_create(&p);
	struct action a = expect(b, MAIN, ACTION_FORK);

	(void)state;
	assert_int_equal(a.flags, ACTION_FORK_EXTRA);
	assert_int_equal(a.ns, 247000);
	a = expect(b, 1, ACTION_RUN);
	assert_int_equal(a.flags, 0);
	assert_int_equal(a.ns, 25000);
	/* then it reports, through a pipe here */
	assert_int_equal(expect(b, 1, ACTION_RUN).flags, ACTION_IN_KERNEL | ACTION_PRICE_WRITE);
	hackbench_destroy(b);
}

static void test_a_poller_leaves_its_wait_queue_under_the_lock(void **state)
{
	struct behaviour *b = create(1, 1, 1, false, 100);
	struct action a;

	(void)state;
	start(b);
	a = next(b, RECEIVER);
	assert_int_equal(a.kind, ACTION_LOCK);
	assert_true(a.task < b->nlocks);
	assert_int_equal(next(b, RECEIVER).task, a.task);
	hackbench_destroy(b);
}

static void test_who_polls_after_the_start_byte_does_not_sleep(void **state)
{
	struct behaviour *b = create(1, 1, 1, false, 100);

	(void)state;
	expect(b, MAIN, ACTION_FORK);
	expect(b, MAIN, ACTION_FORK);
	expect(b, RECEIVER, ACTION_RUN);
	expect(b, SENDER, ACTION_RUN);
	expect(b, RECEIVER, ACTION_LOCK); /* the byte is written, the poll not yet begun */
	expect(b, SENDER, ACTION_LOCK);
	expect(b, SENDER, ACTION_UNLOCK);
	expect(b, SENDER, ACTION_BLOCK);
	assert_int_equal(run_until_it_sleeps(b, MAIN), 3);
	expect(b, RECEIVER, ACTION_UNLOCK);
	expect(b, RECEIVER, ACTION_LOCK);
	expect(b, RECEIVER, ACTION_UNLOCK);
	expect(b, RECEIVER, ACTION_LOCK); /* no message yet */
	hackbench_destroy(b);
}

/* A sender alone writes WRITES units, sleeps, and is woken when only LEFT are unread. */
static void check_limits(uint32_t size, bool pipe, uint32_t writes, uint32_t left)
{
	struct behaviour *b = create(1, 1, 5000, pipe, size);
	uint32_t reads = 0;
	struct action a;

	start(b);
	assert_int_equal(run_until_it_sleeps(b, SENDER), writes);
	do {
		a = next(b, RECEIVER);
		reads += a.kind == ACTION_RUN;
	} while (a.kind != ACTION_WAKE);
	assert_int_equal(a.task, SENDER);
	assert_int_equal(a.flags, ACTION_SYNC);
	assert_int_equal(reads, writes - left);
	hackbench_destroy(b);
}

static void test_a_socket_holds_what_its_send_buffer_allows(void **state)
{
	static const struct {
		uint32_t size, writes, left;
	} rows[] = {
		{1, 278, 69},   /* truesize 768 */
		{100, 278, 69}, /* 768 */
		{192, 278, 69}, /* 512 bytes with the shared info: the last of this class */
		{193, 167, 41}, /* 1280 */
		{4096, 26, 6},  /* 8448 */
		{16064, 13, 3}, /* 16640 */
		{16065, 13, 3}, /* two of 16640 */
		{65536, 13, 3}, /* five of 16640 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_limits(rows[i].size, false, rows[i].writes, rows[i].left);
}

static void test_a_pipe_holds_sixteen_pages(void **state)
{
	static const struct {
		uint32_t size, per_page;
	} rows[] = {{1, 4096}, {100, 40}, {2048, 2}, {2049, 1}, {4096, 1}, {65536, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].per_page < 300)
			check_limits(rows[i].size, true, 16 * rows[i].per_page,
				     15 * rows[i].per_page);
}

static void test_a_waiting_reader_is_woken_by_each_first_message(void **state)
{
	struct behaviour *b = create(1, 1, 10, false, 100);

	(void)state;
	start(b);
	assert_int_equal(run_until_it_sleeps(b, RECEIVER), 0);
	expect(b, SENDER, ACTION_LOCK);
	expect(b, SENDER, ACTION_UNLOCK);
	expect(b, SENDER, ACTION_RUN);
	expect(b, SENDER, ACTION_LOCK);
	assert_int_equal(next(b, SENDER).task, RECEIVER);
	/* the wake-up is under way: the receiver waits for the lock to leave */
	expect(b, RECEIVER, ACTION_LOCK);
	expect(b, SENDER, ACTION_UNLOCK);
	expect(b, RECEIVER, ACTION_UNLOCK);
	expect(b, RECEIVER, ACTION_RUN);
	expect(b, SENDER, ACTION_RUN);
	expect(b, SENDER, ACTION_RUN);
	expect(b, RECEIVER, ACTION_RUN);
	assert_int_equal(run_until_it_sleeps(b, RECEIVER), 0);
	hackbench_destroy(b);
}

static void test_calls_take_nine_to_eleven_tenths_of_their_price(void **state)
{
	struct behaviour *b = create(1, 1, 100000, false, 100);
	uint64_t low = UINT64_MAX, high = 0, sum = 0, n = 0;
	uint32_t task = SENDER;

	(void)state;
	start(b);
	while (n < 100000) {
		struct action a = next(b, task);

		if (a.kind == ACTION_BLOCK)
			task = task == SENDER ? RECEIVER : SENDER;
		if (a.kind != ACTION_RUN)
			continue;
		assert_int_equal(a.flags,
				 ACTION_IN_KERNEL | ACTION_PRICE_SOCKET |
					 (task == SENDER ? ACTION_PRICE_WRITE : ACTION_PRICE_READ));
		low = min_u64(low, a.ns);
		high = max_u64(high, a.ns);
		sum += a.ns;
		n++;
	}
	assert_in_range(low, 922, 923);
	assert_in_range(high, 1125, 1126);
	assert_in_range(sum / n, 1022, 1026);
	hackbench_destroy(b);
}

static void test_a_long_message_costs_its_copying(void **state)
{
	struct behaviour *b = create(1, 1, 10, false, 256 + 6144);

	(void)state;
	start(b);
	expect(b, SENDER, ACTION_LOCK);
	expect(b, SENDER, ACTION_UNLOCK);
	assert_in_range(next(b, SENDER).ns, 2 * 922, 2 * 1126);
	hackbench_destroy(b);
}

/* With the clock's marks where they belong. */
static void check_all_arrive(const struct hackbench_params *p)
{
	struct behaviour *b = hackbench_create(p);
	struct toy toy;

	assert_non_null(b);
	toy_start(&toy, b, NULL);
	toy.wakes_may_miss = true;
	assert_false(toy_run(&toy, UINT64_MAX / 2, 10000000));
	assert_int_equal(toy.live, 0);
	assert_int_equal(toy.nlist, p->groups * p->fds * 2 + 1);
	assert_int_equal(toy.done, (uint64_t)p->groups * p->fds * p->fds * p->loops);
	assert_int_equal(toy.starts, 1);
	toy_end(&toy);
	hackbench_destroy(b);
}

static void test_every_message_arrives(void **state)
{
	static const struct hackbench_params rows[] = {
		{.groups = 1, .fds = 1, .loops = 1, .size = 1},
		{.groups = 3, .fds = 4, .loops = 50, .size = 100},
		{.groups = 2, .fds = 5, .loops = 70, .size = 16065},
		{.groups = 1, .fds = 3, .loops = 30, .size = 65536},
		{.groups = 1, .fds = 10, .loops = 100, .size = 8000},
		{.groups = 8,
		 .fds = 20,
		 .loops = 1,
		 .size = 100}, /* more than the ready queue holds */
	};

	(void)state;
	for (size_t i = 0; i < 4 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct hackbench_params p = rows[i / 4];

		p.pipe = i & 1;
		p.process = i & 2;
		p.seed = i;
		check_all_arrive(&p);
	}
}

static void test_main_waits_for_any_process_but_for_threads_in_order(void **state)
{
	(void)state;
	for (int process = 0; process < 2; process++) {
		struct hackbench_params p = {.groups = 1,
					     .fds = 1,
					     .loops = 1,
					     .size = 100,
					     .process = process,
					     .seed = 1};
		struct behaviour *b = hackbench_create(&p);
		struct action a;

		start(b);
		assert_int_equal(run_until_it_sleeps(b, RECEIVER), 0);
		do
			a = next(b, SENDER);
		while (a.kind != ACTION_EXIT && !(a.kind == ACTION_WAKE && a.task == MAIN));
		assert_int_equal(a.kind, process ? ACTION_WAKE : ACTION_EXIT);
		if (process)
			expect(b, MAIN, ACTION_BLOCK);
		do
			a = next(b, RECEIVER);
		while (a.kind != ACTION_EXIT && !(a.kind == ACTION_WAKE && a.task == MAIN));
		assert_int_equal(a.kind, ACTION_WAKE);
		assert_int_equal(a.flags, process ? ACTION_SYNC : 0);
		expect(b, MAIN, ACTION_END_MARK);
		expect(b, MAIN, ACTION_EXIT);
		hackbench_destroy(b);
	}
}

static void test_nice_cpus_and_kind_of_task_are_everybodys(void **state)
{
	struct mask *cpus = mask_init(malloc(mask_size(8)), 8);
	struct hackbench_params p = {.groups = 1,
				     .fds = 1,
				     .loops = 1,
				     .size = 100,
				     .process = true,
				     .nice = 3,
				     .cpus = cpus};
	struct behaviour *b;

	(void)state;
	mask_set(cpus, 2);
	b = hackbench_create(&p);
	for (uint32_t task = 0; task < b->ntasks; task++) {
		struct task_attr attr;

		memset(&attr, 0, sizeof(attr));
		b->ops->attr(b, task, &attr);
		assert_string_equal(attr.comm, "hackbench");
		assert_int_equal(attr.nice, 3);
		assert_true(attr.process);
		assert_ptr_equal(attr.cpus, cpus);
	}
	hackbench_destroy(b);
}

static void test_a_million_tasks_are_made(void **state)
{
	struct behaviour *b = create(50000, 10, 1000000, false, 100);

	(void)state;
	assert_int_equal(b->ntasks, 1000001);
	hackbench_destroy(b);
	hackbench_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_cost_and_do_first_what_was_asked),
		cmocka_unit_test(test_children_report_and_poll_and_the_last_poller_is_woken_first),
		cmocka_unit_test(test_a_poller_leaves_its_wait_queue_under_the_lock),
		cmocka_unit_test(test_who_polls_after_the_start_byte_does_not_sleep),
		cmocka_unit_test(test_a_socket_holds_what_its_send_buffer_allows),
		cmocka_unit_test(test_a_pipe_holds_sixteen_pages),
		cmocka_unit_test(test_a_waiting_reader_is_woken_by_each_first_message),
		cmocka_unit_test(test_calls_take_nine_to_eleven_tenths_of_their_price),
		cmocka_unit_test(test_a_long_message_costs_its_copying),
		cmocka_unit_test(test_every_message_arrives),
		cmocka_unit_test(test_main_waits_for_any_process_but_for_threads_in_order),
		cmocka_unit_test(test_nice_cpus_and_kind_of_task_are_everybodys),
		cmocka_unit_test(test_a_million_tasks_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
