/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/capacity.h"
#include "sched/pelt/clock.h"

static void test_what_is_left_for_fair_tasks(void **state)
{
	static const struct {
		struct capacity_use use;
		uint64_t left;
	} rows[] = {
		{{1024, 0, 0, 0, 0, 0}, 1024},    {{1024, 300, 100, 0, 0, 0}, 624},
		{{1024, 0, 0, 512, 0, 0}, 512},   {{1024, 512, 0, 512, 0, 0}, 256},
		{{1024, 1, 0, 1, 0, 0}, 1022}, /* 1023 * 1023 / 1024 */
		{{1024, 0, 0, 1024, 0, 0}, 1},    {{1024, 1000, 24, 0, 0, 0}, 1},
		{{1024, 1023, 0, 1023, 0, 0}, 1}, /* 1 * 1 / 1024, but at least 1 */
		{{1024, 100, 0, 0, 200, 0}, 724}, {{1024, 100, 0, 0, 0, 200}, 724},
		{{1024, 0, 0, 0, 0, 1024}, 1},    {{446, 100, 0, 0, 0, 0}, 346},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(scale_rt_capacity(&rows[i].use), rows[i].left);
}

static void test_a_cpus_averages_are_asked(void **state)
{
	struct rq rq = {0};

	rq_pelt_init(&rq.pelt);
	rq.cpu_capacity_orig = CAPACITY_SCALE;
	assert_int_equal(rq_cpu_capacity(&rq), 1024);
	rq.cpu_capacity_orig = 512;
	rq.pelt.avg_rt.util_avg = 100;
	rq.pelt.avg_dl.util_avg = 56;
	rq.pelt.avg_irq.util_avg = 256;
	assert_int_equal(rq_cpu_capacity(&rq), 178);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_left_for_fair_tasks),
		cmocka_unit_test(test_a_cpus_averages_are_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
