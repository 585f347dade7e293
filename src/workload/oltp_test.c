/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What servers, log writers and the others do, in order, by calling next() by hand.
 */
#include "by_hand.h"
#include "support.h"

#include "base/fixed.h"
#include "workload/oltp.h"
#include "workload/toy_engine.h"

/* One server, one writer, one lower, one short task: numbers 0 to 3. */
#define SERVER 0u
#define WRITER 1u
#define LOWER 2u
#define SHORT 3u

static struct oltp_params params(uint32_t servers)
{
	return (struct oltp_params){.servers = servers,
				    .classes = 1,
				    .bursts = 2,
				    .burst_ns = 1000,
				    .io_ns = 2000,
				    .client_ns = 3000,
				    .writers = 1,
				    .log_ns = 100,
				    .log_per_waiter_ns = 10,
				    .log_io_ns = 500,
				    .lower = 1,
				    .shorts = 1,
				    .short_period_ns = 5000,
				    .short_ns = 50,
				    .irqs = 2,
				    .ncpus = 8,
				    .server_prio = 50,
				    .lower_prio = 10,
				    .writer_prio = 60,
				    .short_prio = 70,
				    .seed = 1};
}

/* The client's request is worked on up to the commit. */
static void work_up_to_commit(struct behaviour *b, uint32_t task)
{
	assert_int_equal(expect(b, task, ACTION_SLEEP).flags, ACTION_IRQ_ON);
	expect(b, task, ACTION_RUN_CPUTIME);
	/* the disk answers where it was asked */
	assert_int_equal(expect(b, task, ACTION_SLEEP).value, -1);
	expect(b, task, ACTION_RUN_CPUTIME);
}

static void test_a_transaction_waits_for_disk_log_and_client(void **state)
{
	struct oltp_params p = params(1);
	struct behaviour *b = oltp_create(&p);

	assert_int_equal(b->ntasks, 4);
	assert_int_equal(b->nfirst, 4);
	expect(b, WRITER, ACTION_BLOCK);
	work_up_to_commit(b, SERVER);
	assert_int_equal(expect(b, SERVER, ACTION_WAKE).task, WRITER);
	expect(b, SERVER, ACTION_BLOCK);
	assert_int_equal(expect(b, WRITER, ACTION_RUN_CPUTIME).ns, 110);
	assert_int_equal(expect(b, WRITER, ACTION_SLEEP).ns, 500);
	assert_int_equal(expect(b, WRITER, ACTION_WAKE).task, SERVER);
	expect(b, WRITER, ACTION_BLOCK);
	assert_int_equal(expect(b, SERVER, ACTION_DONE).value, 1);
	expect(b, SERVER, ACTION_SLEEP);
	oltp_destroy(b);
}

static void test_a_writer_serves_all_that_have_come_in_order(void **state)
{
	struct oltp_params p = params(3);
	struct behaviour *b = oltp_create(&p);
	const uint32_t writer = 3;

	expect(b, writer, ACTION_BLOCK);
	for (uint32_t i = 0; i < 3; i++)
		work_up_to_commit(b, i);
	expect(b, 2, ACTION_WAKE);
	/* the writer is awake now: the next does not wake it */
	expect(b, 0, ACTION_BLOCK);
	assert_int_equal(expect(b, writer, ACTION_RUN_CPUTIME).ns, 120);
	/* who comes during a write waits for the next one */
	expect(b, 1, ACTION_BLOCK);
	expect(b, writer, ACTION_SLEEP);
	assert_int_equal(expect(b, writer, ACTION_WAKE).task, 2);
	assert_int_equal(expect(b, writer, ACTION_WAKE).task, 0);
	assert_int_equal(expect(b, writer, ACTION_RUN_CPUTIME).ns, 110);
	/* it was served before it came to sleep: it does not sleep */
	expect(b, 2, ACTION_DONE);
	oltp_destroy(b);
}

static void test_a_reply_may_take_time(void **state)
{
	struct oltp_params p = params(1);
	struct behaviour *b;

	p.reply_ns = 700;
	p.bursts = 1;
	b = oltp_create(&p);
	expect(b, SERVER, ACTION_SLEEP);
	expect(b, SERVER, ACTION_RUN_CPUTIME);
	expect(b, WRITER, ACTION_BLOCK);
	expect(b, SERVER, ACTION_WAKE);
	expect(b, WRITER, ACTION_RUN_CPUTIME);
	expect(b, WRITER, ACTION_SLEEP);
	expect(b, WRITER, ACTION_WAKE);
	expect(b, SERVER, ACTION_RUN_CPUTIME);
	expect(b, SERVER, ACTION_DONE);
	oltp_destroy(b);
}

static void test_others_run_for_ever_and_by_their_timers(void **state)
{
	struct oltp_params p = params(1);
	struct behaviour *b = oltp_create(&p);
	uint64_t first_ns;

	assert_true(expect(b, LOWER, ACTION_RUN_CPUTIME).ns > NS_PER_S * 1000000);
	first_ns = expect(b, SHORT, ACTION_SLEEP_UNTIL).ns;
	assert_in_range(first_ns, 1, 5000);
	assert_int_equal(expect(b, SHORT, ACTION_RUN_CPUTIME).ns, 50);
	assert_int_equal(expect(b, SHORT, ACTION_SLEEP_UNTIL).ns, first_ns + 5000);
	oltp_destroy(b);
}

static void test_clients_are_spread_over_the_interrupt_cpus(void **state)
{
	struct oltp_params p = params(4);
	struct behaviour *b = oltp_create(&p);

	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(expect(b, i, ACTION_SLEEP).value, i % 2 * 4);
	oltp_destroy(b);
}

static void test_tasks_have_names_and_priorities(void **state)
{
	static const struct {
		const char *comm;
		int32_t prio;
	} rows[] = {{"server-0", 50},    {"server-1", 49}, {"server-2", 50},
		    {"logwriter-0", 60}, {"lower-0", 10},  {"short-0", 70}};
	struct oltp_params p = params(3);
	struct behaviour *b;

	p.classes = 2;
	b = oltp_create(&p);
	for (uint32_t i = 0; i < 6; i++) {
		struct task_attr attr;

		memset(&attr, 0, sizeof(attr));
		b->ops->attr(b, i, &attr);
		assert_string_equal(attr.comm, rows[i].comm);
		assert_int_equal(attr.policy, POLICY_FIFO);
		assert_int_equal(attr.rt_priority, rows[i].prio);
	}
	oltp_destroy(b);
}

static void test_it_tells_the_priorities_of_all_kinds_there_are(void **state)
{
	static const int32_t prios[] = {50, 49, 60, 10};
	struct oltp_params p = params(2);
	struct task_attr attr;
	struct behaviour *b;

	p.classes = 3;
	p.shorts = 0;
	b = oltp_create(&p);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(b->ops->policy(b, i, &attr));
		assert_int_equal(attr.policy, POLICY_FIFO);
		assert_int_equal(attr.rt_priority, prios[i]);
	}
	assert_false(b->ops->policy(b, 4, &attr));
	oltp_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_transaction_waits_for_disk_log_and_client),
		cmocka_unit_test(test_a_writer_serves_all_that_have_come_in_order),
		cmocka_unit_test(test_a_reply_may_take_time),
		cmocka_unit_test(test_others_run_for_ever_and_by_their_timers),
		cmocka_unit_test(test_clients_are_spread_over_the_interrupt_cpus),
		cmocka_unit_test(test_tasks_have_names_and_priorities),
		cmocka_unit_test(test_it_tells_the_priorities_of_all_kinds_there_are),
	};

	return cmocka_run_group_tests_name("oltp", tests, NULL, NULL);
}
