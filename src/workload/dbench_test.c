/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal and its lock, by hand; the mix of operations, by counting. */
#include "by_hand.h"
#include "support.h"

#include "workload/dbench.h"
#include "workload/toy_engine.h"

#define JOURNAL 1u

static struct dbench_params params(uint32_t clients)
{
	return (struct dbench_params){
		.clients = clients, .disk_ns = 1500000, .journal_ns = 300, .seed = 1};
}

static void test_clients_start_when_all_are_there(void **state)
{
	struct dbench_params p = params(2);
	struct behaviour *b = dbench_create(&p);

	assert_int_equal(b->ntasks, 4);
	assert_int_equal(b->nfirst, 2);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 2);
	expect(b, 2, ACTION_BLOCK);
	assert_int_equal(expect(b, 0, ACTION_FORK).task, 3);
	expect(b, 0, ACTION_START_MARK);
	assert_int_equal(expect(b, 0, ACTION_WAKE).task, 2);
	assert_int_equal(expect(b, 0, ACTION_WAKE).task, 3);
	expect(b, 0, ACTION_BLOCK);
	assert_true(next(b, 2).kind != ACTION_BLOCK);
	dbench_destroy(b);
}

static struct behaviour *started(const struct dbench_params *p)
{
	struct behaviour *b = dbench_create(p);

	for (uint32_t i = 0; i < 2 * p->clients + 1; i++)
		next(b, 0);
	expect(b, JOURNAL, ACTION_BLOCK);
	return b;
}

/* Lets TASK go on until it does KIND, which must come within a million actions. */
static struct action go_on_until(struct behaviour *b, uint32_t task, enum action_kind kind)
{
	struct action a;

	for (uint32_t i = 0; i < 1000000; i++) {
		a = next(b, task);
		if (a.kind == kind)
			return a;
		assert_int_not_equal(a.kind, ACTION_BLOCK);
	}
	fail_msg("task %u never does %d", task, (int)kind);
	return a;
}

static void test_a_flush_waits_for_a_commit(void **state)
{
	struct dbench_params p = params(1);
	struct behaviour *b = started(&p);
	struct action a;

	assert_int_equal(go_on_until(b, 2, ACTION_WAKE).task, JOURNAL);
	expect(b, 2, ACTION_BLOCK);
	a = expect(b, JOURNAL, ACTION_RUN);
	assert_int_equal(a.ns, 25500);
	a = expect(b, JOURNAL, ACTION_SLEEP);
	assert_int_equal(a.flags, ACTION_IRQ_ON);
	assert_int_equal(a.value, -1);
	assert_int_equal(expect(b, JOURNAL, ACTION_WAKE).task, 2);
	expect(b, JOURNAL, ACTION_BLOCK);
	assert_true(next(b, 2).kind != ACTION_BLOCK);
	dbench_destroy(b);
}

static void test_who_flushes_during_a_commit_is_in_the_next_one(void **state)
{
	struct dbench_params p = params(2);
	struct behaviour *b = started(&p);

	go_on_until(b, 2, ACTION_WAKE);
	expect(b, 2, ACTION_BLOCK);
	expect(b, JOURNAL, ACTION_RUN);
	/* the journal thread is awake: the second client only sleeps */
	for (uint32_t i = 0; i < 1000000; i++)
		if (next(b, 3).kind == ACTION_BLOCK)
			break;
	expect(b, JOURNAL, ACTION_SLEEP);
	assert_int_equal(expect(b, JOURNAL, ACTION_WAKE).task, 2);
	assert_int_equal(expect(b, JOURNAL, ACTION_RUN).ns, 25500);
	expect(b, JOURNAL, ACTION_SLEEP);
	assert_int_equal(expect(b, JOURNAL, ACTION_WAKE).task, 3);
	dbench_destroy(b);
}

/* What client 2 does next but for waiting: the journal thread serves it at once. */
static struct action next_served(struct behaviour *b)
{
	struct action a = next(b, 2);

	while (a.kind == ACTION_BLOCK || (a.kind == ACTION_WAKE && a.task == JOURNAL)) {
		if (a.kind == ACTION_BLOCK)
			while (next(b, JOURNAL).kind != ACTION_WAKE)
				;
		a = next(b, 2);
	}
	return a;
}

/* Each handle is lock, work, unlock; within it nothing else happens. */
static void test_metadata_is_changed_between_two_holds_of_the_journals_lock(void **state)
{
	struct dbench_params p = params(1);
	struct behaviour *b = started(&p);

	for (uint32_t i = 0; i < 100; i++) {
		struct action a = next_served(b);
		uint32_t runs = 0;

		while (a.kind != ACTION_LOCK)
			a = next_served(b);
		assert_int_equal(expect(b, 2, ACTION_LOCKED_WORK).ns, 300);
		expect(b, 2, ACTION_UNLOCK);
		/* an unlink has a run more, under the mutex */
		for (a = next(b, 2); a.kind == ACTION_RUN; a = next(b, 2))
			runs++;
		assert_in_range(runs, 1, 2);
		assert_int_equal(a.kind, ACTION_LOCK);
		expect(b, 2, ACTION_LOCKED_WORK);
		expect(b, 2, ACTION_UNLOCK);
	}
	dbench_destroy(b);
}

static void test_unlinks_exclude_each_other(void **state)
{
	struct dbench_params p = params(64);
	struct behaviour *b = dbench_create(&p);
	struct toy toy;

	toy_start(&toy, b, NULL);
	toy.wakes_may_miss = true;
	assert_true(toy_run(&toy, NS_PER_S, 400000));
	/* nobody is lost in a list: all go on */
	assert_true(toy.done > 20000);
	for (uint32_t i = 2; i < b->ntasks; i++)
		assert_int_not_equal(toy.state[i], TOY_DEAD);
	toy_end(&toy);
	dbench_destroy(b);
}

/* 5.4 million operations of the published run took 227 s of four clients, flushes not counted: 21 us each. */
static void test_operations_have_their_frequencies_and_times(void **state)
{
	struct dbench_params p = params(1);
	struct behaviour *b = started(&p);
	uint64_t ns = 0, runs = 0, done = 0, flushes = 0, locks = 0;

	for (uint32_t i = 0; i < 2000000; i++) {
		struct action a = next(b, 2);

		ns += a.kind == ACTION_RUN ? a.ns : 0;
		runs += a.kind == ACTION_RUN;
		done += a.kind == ACTION_DONE ? (uint64_t)a.value : 0;
		locks += a.kind == ACTION_LOCK;
		if (a.kind == ACTION_BLOCK)
			while (next(b, JOURNAL).kind != ACTION_WAKE)
				;
		flushes += a.kind == ACTION_BLOCK;
	}
	assert_in_range(ns / done, 20000, 23000);
	assert_in_range(flushes * 1000 / done, 11, 13);
	/* of a thousand operations 177 change metadata, each with two holds */
	assert_in_range(locks * 1000 / done, 340, 370);
	assert_true(runs >= done);
	dbench_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clients_start_when_all_are_there),
		cmocka_unit_test(test_a_flush_waits_for_a_commit),
		cmocka_unit_test(test_who_flushes_during_a_commit_is_in_the_next_one),
		cmocka_unit_test(test_metadata_is_changed_between_two_holds_of_the_journals_lock),
		cmocka_unit_test(test_unlinks_exclude_each_other),
		cmocka_unit_test(test_operations_have_their_frequencies_and_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
