/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"

static struct hand h;

static void assert_loads(const struct rq *rq, const uint64_t expected[CPU_LOAD_IDX_MAX])
{
	for (int i = 0; i < CPU_LOAD_IDX_MAX; i++)
		assert_int_equal(rq->cpu_load[i], expected[i]);
}

static void ticks(struct rq *rq, uint32_t n)
{
	while (n--)
		update_cpu_load(hand_k(&h, 0), rq);
}

static void test_decayed_loads_rise_and_fall(void **state)
{
	static const uint64_t risen_1[] = {2048, 1024, 512, 256, 128};
	static const uint64_t risen_4[] = {2048, 1920, 1400, 848, 467};
	static const uint64_t fallen_1[] = {0, 1020, 1383, 1177, 776};
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 1, 1);
	rq = hand_rq(&h, 0);
	rq->load.weight = 2048;
	ticks(rq, 1);
	assert_loads(rq, risen_1);
	ticks(rq, 3);
	assert_loads(rq, risen_4);
	ticks(rq, 4);
	rq->load.weight = 0;
	ticks(rq, 1);
	assert_loads(rq, fallen_1);
	assert_int_equal(rq->nr_load_updates, 9);
	hand_free(&h);
}

/* Rounding up while rising brings the average all the way; falling it ends at 0. */
static void test_decayed_loads_arrive(void **state)
{
	static const uint64_t full[] = {1024, 1024, 1024, 1024, 1024}, none[] = {0, 0, 0, 0, 0};
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 1, 1);
	rq = hand_rq(&h, 0);
	rq->load.weight = 1024;
	ticks(rq, 200);
	assert_loads(rq, full);
	rq->load.weight = 0;
	ticks(rq, 200);
	assert_loads(rq, none);
	hand_free(&h);
}

static void test_a_tick_samples_clock_and_load_and_books_time(void **state)
{
	struct rq *rq;

	hand_init(&h, "2.6.35", 1, 1, 1);
	rq = hand_rq(&h, 0);
	hand_tasks(&h, 0, 1);
	hand_at(&h, NS_PER_MS);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(rq->clock_ns, HAND_START_NS + NS_PER_MS);
	assert_int_equal(rq->cpu_load[0], 1024);
	assert_int_equal(rq->curr->se.sum_exec_ns, NS_PER_MS);
	assert_false(rq->idle_at_tick);
	assert_int_equal(h.nrecords[RECORD_TICK], 1);
	assert_int_equal(h.locks_held, 0);
	hand_free(&h);
}

/* A reschedule that is due anyway makes the clock stand still until it happens, from 2.6.35 on. */
static void test_the_clock_waits_for_a_reschedule_that_is_due(void **state)
{
	static const struct {
		const char *kernel;
		bool waits;
	} rows[] = {{"2.6.34", false}, {"2.6.35", true}};

	for (int i = 0; i < 2; i++) {
		struct task *p;
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 1, 1);
		rq = hand_rq(&h, 0);
		hand_tasks(&h, 0, 2);
		p = rq->curr;
		p->need_resched = true;
		check_preempt_curr(hand_k(&h, 0), rq, p, 0);
		assert_int_equal(rq->skip_clock_update, rows[i].waits);
		hand_at(&h, NS_PER_MS);
		sched_tick(hand_k(&h, 0));
		assert_int_equal(rq->clock_ns, HAND_START_NS + (rows[i].waits ? 0 : NS_PER_MS));
		sched_schedule(hand_k(&h, 0));
		assert_false(rq->skip_clock_update);
		hand_free(&h);
	}
}

/* The waking CPU's clock may be behind; the queue's never goes back. */
static void test_a_queues_clock_never_goes_back(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_at(&h, 5);
	update_rq_clock(hand_k(&h, 0), hand_rq(&h, 1));
	hand_at(&h, 3);
	update_rq_clock(hand_k(&h, 0), hand_rq(&h, 1));
	assert_int_equal(hand_rq(&h, 1)->clock_ns, HAND_START_NS + 5);
	hand_free(&h);
}

/* Missed ticks are ticks of an idle CPU; a second look within a tick changes nothing. */
static void test_missed_ticks_are_made_up_for(void **state)
{
	static const struct {
		uint64_t ticks;
		uint64_t left[CPU_LOAD_IDX_MAX];
	} rows[] = {
		{0, {2048, 2048, 2048, 2048, 2048}},
		{1, {0, 1024, 1536, 1792, 1920}},
		{2, {0, 512, 1152, 1568, 1800}},
		{6, {0, 32, 360, 918, 1378}},
		{8, {0, 8, 202, 702, 1205}},
		{9, {0, 0, 144, 602, 1140}},
		{33, {0, 0, 0, 14, 240}},
		{65, {0, 0, 0, 0, 30}},
		{129, {0, 0, 0, 0, 0}},
	};
	static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		hand_init(&h, kernels[i % 4], 1, 1, 1);
		rq = hand_rq(&h, 0);
		for (int j = 0; j < CPU_LOAD_IDX_MAX; j++)
			rq->cpu_load[j] = 2048;
		rq->last_load_update_jiffies = jiffies(hand_k(&h, 0));
		hand_at(&h, rows[i].ticks * h.m->tick_ns);
		ticks(rq, 2);
		assert_loads(rq, rows[i].left);
		assert_int_equal(rq->nr_load_updates, 2);
		hand_free(&h);
	}
}

/* The rise and the fall are as ever where no tick is missed. */
static void test_later_kernels_rise_and_fall_alike(void **state)
{
	static const uint64_t risen_1[] = {2048, 1024, 512, 256, 128};
	static const uint64_t risen_4[] = {2048, 1920, 1400, 848, 467};
	static const uint64_t fallen_1[] = {0, 1020, 1383, 1177, 776};
	struct rq *rq;

	hand_init(&h, "3.4", 1, 1, 1);
	rq = hand_rq(&h, 0);
	rq->last_load_update_jiffies = jiffies(hand_k(&h, 0));
	rq->load.weight = 2048;
	for (uint64_t t = 1; t <= 9; t++) {
		hand_at(&h, t * h.m->tick_ns);
		if (t == 9)
			rq->load.weight = 0;
		ticks(rq, 1);
		if (t == 1)
			assert_loads(rq, risen_1);
		if (t == 4)
			assert_loads(rq, risen_4);
	}
	assert_loads(rq, fallen_1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decayed_loads_rise_and_fall),
		cmocka_unit_test(test_decayed_loads_arrive),
		cmocka_unit_test(test_missed_ticks_are_made_up_for),
		cmocka_unit_test(test_later_kernels_rise_and_fall_alike),
		cmocka_unit_test(test_a_tick_samples_clock_and_load_and_books_time),
		cmocka_unit_test(test_the_clock_waits_for_a_reschedule_that_is_due),
		cmocka_unit_test(test_a_queues_clock_never_goes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
