/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select.h"

static struct hand h;

static void test_a_source_counts_the_lesser_a_target_the_greater(void **state)
{
	static const struct {
		uint64_t now, decayed, source, target;
	} rows[] = {{2048, 1000, 1000, 2048}, {2048, 3000, 2048, 3000}, {0, 7, 0, 7}};

	hand_init(&h, "2.6.35", 1, 2, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq = hand_rq(&h, 1);

		for (uint32_t idx = 1; idx <= CPU_LOAD_IDX_MAX; idx++) {
			memset(rq->cpu_load, 0x7f, sizeof(rq->cpu_load));
			/* index 1 is the first average */
			rq->cpu_load[idx - 1] = rows[i].decayed;
			rq->load.weight = rows[i].now;
			assert_int_equal(source_load(hand_k(&h, 0), 1, idx), rows[i].source);
			assert_int_equal(target_load(hand_k(&h, 0), 1, idx), rows[i].target);
		}
		assert_int_equal(source_load(hand_k(&h, 0), 1, 0), rows[i].now);
		assert_int_equal(target_load(hand_k(&h, 0), 1, 0), rows[i].now);
		rq->load.weight = 0;
	}
	hand_free(&h);
}

static void test_without_lb_bias_only_the_present_counts(void **state)
{
	hand_init(&h, "2.6.35,NO_LB_BIAS", 1, 2, 1);
	hand_tasks(&h, 1, 2);
	hand_rq(&h, 1)->cpu_load[2] = 99999;
	assert_int_equal(source_load(hand_k(&h, 0), 1, 3), 2048);
	assert_int_equal(target_load(hand_k(&h, 0), 1, 3), 2048);
	hand_free(&h);
}

static void test_load_per_task_truncates_and_is_zero_on_an_empty_cpu(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	assert_int_equal(cpu_avg_load_per_task(hand_k(&h, 0), 1), 0);
	hand_task(&h, 1, 0);
	hand_task(&h, 1, 5);
	assert_int_equal(cpu_avg_load_per_task(hand_k(&h, 0), 1), (1024 + 335) / 2);
	hand_free(&h);
}

/* 2.6.34 reads the base domain's group, later kernels the queue, which is 1024 at first. */
static void test_power_of_a_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t at_boot;
	} rows[] = {{"2.6.34", 589}, {"2.6.35-rc2", 1024}, {"2.6.35", 1024}};

	for (int i = 0; i < 3; i++) {
		hand_init(&h, rows[i].kernel, 1, 2, 2);
		assert_int_equal(power_of(hand_k(&h, 0), 1), rows[i].at_boot);
		hand_free(&h);
	}
	/* a single CPU has no domain */
	hand_init(&h, "2.6.34", 1, 1, 1);
	assert_int_equal(power_of(hand_k(&h, 0), 0), 1024);
	hand_free(&h);
}

/* What runs now tells, not what is queued. */
static void test_a_cpu_is_idle_while_its_idle_task_runs(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	hand_task(&h, 1, 0);
	assert_true(idle_cpu(hand_k(&h, 0), 1));
	sched_schedule(hand_k(&h, 1));
	assert_false(idle_cpu(hand_k(&h, 0), 1));
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_source_counts_the_lesser_a_target_the_greater),
		cmocka_unit_test(test_without_lb_bias_only_the_present_counts),
		cmocka_unit_test(test_load_per_task_truncates_and_is_zero_on_an_empty_cpu),
		cmocka_unit_test(test_power_of_a_cpu),
		cmocka_unit_test(test_a_cpu_is_idle_while_its_idle_task_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
