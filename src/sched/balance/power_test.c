/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;

static void test_powers_of_threads_cores_and_nodes(void **state)
{
	static const struct {
		uint32_t cores, threads;
		uint32_t thread, core, node;
	} rows[] = {{4, 2, 589, 1178, 4712}, {6, 2, 589, 1178, 7068}, {8, 2, 589, 1178, 9424}};

	for (int i = 0; i < 3; i++) {
		struct kctx *k;

		hand_init(&h, "2.6.35", 2, rows[i].cores, rows[i].threads);
		k = hand_k(&h, 0);
		for (uint32_t l = 0; l < 3; l++) {
			hand_sd(&h, 0, l)->groups->cpu_power = 1;
			update_group_power(k, hand_sd(&h, 0, l), 0);
		}
		assert_int_equal(hand_rq(&h, 0)->cpu_power, rows[i].thread);
		assert_int_equal(hand_sd(&h, 0, 0)->groups->cpu_power, rows[i].thread);
		assert_int_equal(hand_sd(&h, 0, 1)->groups->cpu_power, rows[i].core);
		assert_int_equal(hand_sd(&h, 0, 2)->groups->cpu_power, rows[i].node);
		hand_free(&h);
	}
}

static void test_a_cpu_without_threads_is_full(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 0), 0);
	assert_int_equal(hand_rq(&h, 0)->cpu_power, 1024);
	assert_int_equal(hand_sd(&h, 0, 0)->groups->cpu_power, 1024);
	hand_free(&h);
}

/* Above the base a group is what its children were last known to be. */
static void test_upper_powers_are_sums_of_stored_ones(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 2);
	hand_sd(&h, 0, 0)->groups->next->cpu_power = 100;
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 1), 0);
	assert_int_equal(hand_sd(&h, 0, 1)->groups->cpu_power, 689);
	hand_free(&h);
}

/* Groups that overlap hold a CPU twice: what is above them counts CPUs. */
static void test_a_group_above_overlapping_ones_counts_each_cpu_once(void **state)
{
	struct sched_domain *sd;

	hand_init(&h, "3.19", 1, 2, 2);
	sd = hand_sd(&h, 0, 1);
	sd->child->flags |= SD_OVERLAP;
	hand_rq(&h, 0)->cpu_power = 10;
	hand_rq(&h, 2)->cpu_power = 200;
	assert_int_equal(sd->groups->ncpus, 2);
	sd->child->groups->cpu_power = 7;
	update_group_power(hand_k(&h, 0), sd, 0);
	assert_int_equal(sd->groups->cpu_power, 210);
	hand_free(&h);
}

/*
 * power = 1024 * ((500 ms + since the stamp - rt) / ((500 ms + since the stamp) / 1024)) / 1024.
 */
static void test_real_time_work_lowers_power(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t rt_ms, since_ms;
		uint32_t power;
	} rows[] = {
		{"2.6.34", 0, 0, 1024},  {"2.6.34", 250, 0, 512}, {"2.6.35", 250, 500, 768},
		{"3.3", 250, 500, 768},  {"3.4", 500, 500, 512},  {"3.4", 500, 0, 1},
		{"3.19", 125, 250, 853}, {"3.4", 600, 0, 1},      {"2.6.34", 1, 0, 1021},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		rq = hand_rq(&h, 0);
		rq->rt_avg = rows[i].rt_ms * NS_PER_MS;
		rq->age_stamp_ns = rq->clock_ns - rows[i].since_ms * NS_PER_MS;
		update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 0), 0);
		assert_int_equal(rq->cpu_power, rows[i].power);
		assert_int_equal(hand_sd(&h, 0, 0)->groups->cpu_power, rows[i].power);
		hand_free(&h);
	}
}

/* A thread's share is lowered by its own real-time work. */
static void test_real_time_work_lowers_a_threads_share(void **state)
{
	struct rq *rq;

	hand_init(&h, "3.4", 1, 2, 2);
	rq = hand_rq(&h, 0);
	rq->age_stamp_ns = rq->clock_ns;
	rq->rt_avg = 125 * NS_PER_MS;
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 0), 0);
	assert_int_equal(rq->cpu_power, 589 * 768 >> 10);
	hand_free(&h);
}

/* Half a second later half is left, if the version looks then: at the use, or at the tick. */
static void test_real_time_work_is_forgotten_by_halves(void **state)
{
	static const struct {
		const char *kernel;
		bool tick;
		uint32_t power; /* 1.001 s after the stamp */
	} rows[] = {
		{"2.6.34", false, 896},
		{"2.6.35", true, 896},
		{"3.3", false, 853},
		{"3.3", true, 896},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		rq = hand_rq(&h, 0);
		rq->age_stamp_ns = HAND_START_NS;
		rq->rt_avg = 250 * NS_PER_MS;
		rq->clock_ns = HAND_START_NS + 1001 * NS_PER_MS;
		hand_at(&h, 1001 * NS_PER_MS);
		if (rows[i].tick)
			sched_tick(hand_k(&h, 0));
		update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 0), 0);
		assert_int_equal(rq->cpu_power, rows[i].power);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_powers_of_threads_cores_and_nodes),
		cmocka_unit_test(test_a_cpu_without_threads_is_full),
		cmocka_unit_test(test_upper_powers_are_sums_of_stored_ones),
		cmocka_unit_test(test_a_group_above_overlapping_ones_counts_each_cpu_once),
		cmocka_unit_test(test_real_time_work_lowers_power),
		cmocka_unit_test(test_real_time_work_lowers_a_threads_share),
		cmocka_unit_test(test_real_time_work_is_forgotten_by_halves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
