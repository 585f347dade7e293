/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pipe's calls, one action after the other. */
#include "support.h"

#include "workload/pipe.h"

#define READER 7u

static struct rng rng(void)
{
	return rng_stream(1, "pipe", 0);
}

static struct action do_write(struct wpipe *p, struct pipe_call *c, enum pipe_result want)
{
	struct action a = {0};
	struct rng r = rng();

	assert_int_equal(pipe_write(p, c, &r, &a), want);
	return a;
}

static struct action do_read(struct wpipe *p, struct pipe_call *c, enum pipe_result want)
{
	struct action a = {0};
	struct rng r = rng();

	assert_int_equal(pipe_read(p, c, READER, &r, &a), want);
	return a;
}

static void expect(struct action a, enum action_kind kind, uint32_t task)
{
	assert_int_equal(a.kind, kind);
	assert_int_equal(a.task, task);
}

/* The reader goes to sleep: it is listed and blocked. */
static void sleep_in(struct wpipe *p, struct pipe_call *c)
{
	expect(do_read(p, c, PIPE_ACTS), ACTION_LOCK, 3);
	expect(do_read(p, c, PIPE_ACTS), ACTION_UNLOCK, 3);
	expect(do_read(p, c, PIPE_ACTS), ACTION_BLOCK, 0);
}

static void test_a_message_is_there_when_its_write_ends(void **state)
{
	struct pipe_call w = {0}, r = {0};
	struct wpipe p;
	struct action a;

	pipe_init(&p, 3, 1);
	a = do_write(&p, &w, PIPE_ACTS);
	expect(a, ACTION_RUN, 3);
	assert_int_equal(a.flags, ACTION_IN_KERNEL | ACTION_PRICE_WRITE);
	assert_in_range(a.ns, 922, 1126);
	assert_int_equal(p.nready, 0);
	do_write(&p, &w, PIPE_DONE);
	assert_int_equal(p.nready, 1);
	a = do_read(&p, &r, PIPE_ACTS);
	assert_int_equal(a.flags, ACTION_IN_KERNEL | ACTION_PRICE_READ);
	do_read(&p, &r, PIPE_DONE);
	assert_int_equal(p.nready, 0);
}

static void test_a_sleeping_reader_is_woken_under_the_lock(void **state)
{
	struct pipe_call w = {0}, r = {0};
	struct wpipe p;
	struct action a;

	pipe_init(&p, 3, 1);
	sleep_in(&p, &r);
	do_write(&p, &w, PIPE_ACTS);
	expect(do_write(&p, &w, PIPE_ACTS), ACTION_LOCK, 3);
	a = do_write(&p, &w, PIPE_ACTS);
	expect(a, ACTION_WAKE, READER);
	assert_int_equal(a.flags, ACTION_SYNC);
	expect(do_write(&p, &w, PIPE_ACTS), ACTION_UNLOCK, 3);
	do_write(&p, &w, PIPE_DONE);
	/* it was taken out of the queue: no lock */
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_RUN, 3);
	do_read(&p, &r, PIPE_DONE);
}

static void test_who_runs_before_its_waker_is_done_waits_for_the_lock(void **state)
{
	struct pipe_call w = {0}, r = {0};
	struct wpipe p;

	pipe_init(&p, 3, 1);
	sleep_in(&p, &r);
	do_write(&p, &w, PIPE_ACTS);
	do_write(&p, &w, PIPE_ACTS);
	do_write(&p, &w, PIPE_ACTS);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_LOCK, 3);
	expect(do_write(&p, &w, PIPE_ACTS), ACTION_UNLOCK, 3);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_UNLOCK, 3);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_RUN, 3);
}

static void test_a_message_that_comes_meanwhile_keeps_a_reader_awake(void **state)
{
	struct pipe_call w = {0}, r = {0};
	struct wpipe p;

	pipe_init(&p, 3, 1);
	do_write(&p, &w, PIPE_ACTS);
	do_read(&p, &r, PIPE_ACTS);
	do_write(&p, &w, PIPE_DONE);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_UNLOCK, 3);
	/* leaves the queue instead of sleeping */
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_LOCK, 3);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_UNLOCK, 3);
	expect(do_read(&p, &r, PIPE_ACTS), ACTION_RUN, 3);
}

static void test_the_last_close_is_the_end_of_file(void **state)
{
	struct pipe_call w = {0}, r = {0};
	struct action a = {0};
	struct wpipe p;

	pipe_init(&p, 3, 2);
	do_write(&p, &w, PIPE_ACTS);
	do_write(&p, &w, PIPE_DONE);
	assert_int_equal(pipe_close(&p, &w, &a), PIPE_DONE);
	do_read(&p, &r, PIPE_ACTS);
	do_read(&p, &r, PIPE_DONE);
	sleep_in(&p, &r);
	assert_int_equal(pipe_close(&p, &w, &a), PIPE_ACTS);
	expect(a, ACTION_LOCK, 3);
	assert_int_equal(pipe_close(&p, &w, &a), PIPE_ACTS);
	expect(a, ACTION_WAKE, READER);
	assert_int_equal(pipe_close(&p, &w, &a), PIPE_ACTS);
	assert_int_equal(pipe_close(&p, &w, &a), PIPE_DONE);
	do_read(&p, &r, PIPE_EOF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message_is_there_when_its_write_ends),
		cmocka_unit_test(test_a_sleeping_reader_is_woken_under_the_lock),
		cmocka_unit_test(test_who_runs_before_its_waker_is_done_waits_for_the_lock),
		cmocka_unit_test(test_a_message_that_comes_meanwhile_keeps_a_reader_awake),
		cmocka_unit_test(test_the_last_close_is_the_end_of_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
