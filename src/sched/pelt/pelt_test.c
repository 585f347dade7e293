/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/pelt_kernels.h"

#include <math.h>

static void test_the_table_holds_powers_of_y(void **state)
{
	for (int i = 0; i < 32; i++)
		assert_int_equal(pelt_inverse[i],
				 (uint64_t)floorl(4294967295.0L * powl(2, -i / 32.0L)));
	assert_int_equal(pelt_inverse[1], 0xfa83b2da);
	assert_int_equal(pelt_inverse[8], 0xd744fcc9);
	assert_int_equal(pelt_inverse[16], 0xb504f333);
	assert_int_equal(pelt_inverse[31], 0x82cd8698);
}

static void test_a_constant_load_settles_at_the_maximum(void **state)
{
	uint64_t m = 1024;

	while ((decay_load(m, 1) + 1024) != m)
		m = decay_load(m, 1) + 1024;
	assert_int_equal(m, LOAD_AVG_MAX);
	assert_int_equal(LOAD_AVG_MAX, 47742);
}

static void test_decay(void **state)
{
	static const struct {
		uint64_t value, periods, expected;
	} rows[] = {
		{0, 0, 0},
		{1, 0, 0}, /* even no time costs a unit */
		{47742, 0, 47741},
		{47742, 1, 46718},
		{47742, 32, 23870},
		{47742, 64, 11934},
		{47742, 2016, 0},
		{UINT64_MAX, 2016, 0}, /* 63 halvings leave 1, and that costs its unit */
		{UINT64_MAX, 1984, 2},
		{UINT64_MAX, 2017, 0},
		{UINT64_MAX, UINT64_MAX, 0},
		{UINT64_C(1) << 40, 0, (UINT64_C(1) << 40) - 256},
		{UINT64_MAX, 16, 0xb504f332ffffffff},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(decay_load(rows[i].value, rows[i].periods), rows[i].expected);
}

static void test_decay_is_monotone_in_value_and_time(void **state)
{
	for (uint64_t n = 0; n < 2100; n++) {
		assert_true(decay_load(UINT32_MAX, n + 1) <= decay_load(UINT32_MAX, n));
		assert_true(decay_load(UINT64_MAX, n + 1) <= decay_load(UINT64_MAX, n));
		for (uint64_t value = 1; value < UINT64_C(1) << 62; value *= 3)
			assert_true(decay_load(value, n) <= decay_load(value + 1, n));
	}
}

/* An entity that is always runnable and runs where the row says so. */
static void test_one_entity_over_400_ms(void **state)
{
	static const struct {
		uint64_t now_ns;
		bool runs, crossed;
		uint64_t last_ns, contrib, load_sum, util_sum, load_avg, runnable_avg, util_avg;
	} rows[] = {
		{1000000, 1, 0, 999424, 976, 976, 999424, 0, 0, 0},
		{3000000, 1, 1, 2999296, 881, 2861, 2930299, 61, 61, 61},
		{10000000, 1, 1, 9999360, 549, 8822, 9034770, 191, 191, 191},
		{42000000, 1, 1, 41999360, 55, 27129, 27781230, 593, 593, 593},
		{52000000, 0, 1, 51999744, 605, 22323, 22860555, 483, 483, 483},
		{84000000, 0, 1, 83999744, 111, 11405, 11680567, 249, 249, 249},
		{84500000, 1, 0, 84499456, 599, 11893, 12180279, 249, 249, 249},
		{116000000, 1, 1, 115999744, 641, 28862, 29556445, 624, 624, 624},
		{400000000, 1, 1, 400000000, 481, 47145, 48277985, 1022, 1022, 1022},
	};

	for (int v = 0; v < NPELT_KERNELS; v++) {
		struct entity se = {.load = {1024 << 10, 0}};
		struct cfs_rq q = {0};
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};

		pelt_kernel(&kernel, pelt_kernel_names[v]);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			/* the table's entity does nothing at all where it does not run */
			se.on_rq = rows[i].runs;
			q.curr = rows[i].runs ? &se : NULL;
			assert_int_equal(update_load_avg_se(&k, rows[i].now_ns, &q, &se),
					 rows[i].crossed);
			assert_int_equal(se.avg.last_update_time_ns, rows[i].last_ns);
			assert_int_equal(se.avg.period_contrib, rows[i].contrib);
			assert_int_equal(se.avg.load_sum, rows[i].load_sum);
			assert_int_equal(se.avg.util_sum, rows[i].util_sum);
			assert_int_equal(se.avg.load_avg, rows[i].load_avg);
			assert_int_equal(se.avg.runnable_avg, rows[i].runnable_avg);
			assert_int_equal(se.avg.util_avg, rows[i].util_avg);
		}
	}
}

static void test_time_that_goes_back_is_taken_as_it_is(void **state)
{
	struct sched_avg sa = {.last_update_time_ns = 5000000, .load_sum = 77};
	const struct pelt_state on = {1, 1, true};

	assert_false(update_load_sum(&sa, 4000000, &on));
	assert_int_equal(sa.last_update_time_ns, 4000000);
	assert_int_equal(sa.load_sum, 77);
	/* less than a unit is left for the next time */
	assert_false(update_load_sum(&sa, 4001023, &on));
	assert_int_equal(sa.last_update_time_ns, 4000000);
	assert_false(update_load_sum(&sa, 4001024, &on));
	assert_int_equal(sa.last_update_time_ns, 4001024);
	assert_int_equal(sa.load_sum, 78);
}

static void test_without_load_nothing_is_added(void **state)
{
	struct sched_avg sa = {.last_update_time_ns = 1024};
	const struct pelt_state waiting_but_no_load = {0, 1024, true};

	assert_true(update_load_sum(&sa, 1024 + (UINT64_C(5) << 20), &waiting_but_no_load));
	assert_int_equal(sa.load_sum, 0);
	assert_int_equal(sa.runnable_sum, 0);
	assert_int_equal(sa.util_sum, 0);
}

static void test_a_queue_counts_weight_or_tasks(void **state)
{
	/* three tasks of nice 0, one of them only kept there: 8 ms later, one of them running */
	static const struct {
		const char *kernel;
		uint64_t runnable_sum;
	} rows[] = {{"5.4", 2 * 1024 * 7000}, {"6.1", 3 * 1024 * 7000}, {"6.12", 2 * 1024 * 7000}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver kernel = {0};
		struct kctx k = {.v = &kernel};
		struct entity se = {0};
		struct cfs_rq q = {.load = {3072 << 10, 0}, .h_nr_running = 3, .curr = &se};
		uint64_t one;

		pelt_kernel(&kernel, rows[i].kernel);
		q.pelt.runnable_weight = 2048 << 10;
		q.h_nr_delayed = !strcmp(rows[i].kernel, "6.12");
		assert_true(update_load_avg_cfs_rq(&k, UINT64_C(8) << 20, &q));
		one = q.avg.util_sum >> 10; /* what a constant 1 adds up to in 8 periods */
		assert_int_equal(q.avg.load_sum, 3072 * one);
		assert_int_equal(q.avg.runnable_sum, rows[i].runnable_sum / 7000 * one);
	}
}

static void test_a_group_counts_the_tasks_taken_down_last(void **state)
{
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct cfs_rq q = {0}, below = {.h_nr_running = 5, .h_nr_delayed = 2};
	struct entity se = {.my_q = &below, .load = {1024 << 10, 0}, .on_rq = true};

	pelt_kernel(&kernel, "6.12");
	se_update_runnable(&k, &se);
	below.h_nr_running = 9;
	update_load_avg_se(&k, UINT64_C(1) << 20, &q, &se);
	assert_int_equal(se.avg.runnable_sum, 3 * 1024 * se.avg.load_sum);
}

static void test_a_delayed_task_has_load_but_is_not_runnable(void **state)
{
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct cfs_rq q = {0};
	struct entity se = {.load = {1024 << 10, 0}, .on_rq = true, .sched_delayed = true};

	pelt_kernel(&kernel, "6.12");
	update_load_avg_se(&k, UINT64_C(40) << 20, &q, &se);
	assert_true(se.avg.load_avg > 500);
	assert_int_equal(se.avg.runnable_avg, 0);
}

static void test_interrupts_are_taken_to_have_come_last(void **state)
{
	const struct pelt_state off = {0, 0, false}, on = {1, 1024, true};
	struct sched_avg last = {0}, first = {0};
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct rq rq = {.clock_ns = UINT64_C(100) << 20};

	pelt_kernel(&kernel, "6.1");
	rq_pelt_init(&rq.pelt);
	rq.cpu_capacity_orig = CAPACITY_SCALE;
	assert_true(update_irq_load_avg(&k, &rq, UINT64_C(50) << 20));
	update_load_sum(&last, UINT64_C(50) << 20, &off);
	update_load_sum(&last, UINT64_C(100) << 20, &on);
	update_load_sum(&first, UINT64_C(50) << 20, &on);
	update_load_sum(&first, UINT64_C(100) << 20, &off);
	assert_int_equal(rq.pelt.avg_irq.util_sum, last.util_sum);
	assert_true(last.util_sum > first.util_sum);
	assert_int_equal(rq.pelt.avg_irq.runnable_sum, 1024 * rq.pelt.avg_irq.load_sum);
	assert_int_equal(rq.pelt.avg_irq.util_avg, last.util_sum / 46718);
}

static void test_a_slow_cpu_counts_less_interrupt_time(void **state)
{
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct rq rq = {.clock_ns = 512 << 10};

	pelt_kernel(&kernel, "5.4");
	rq.cpu_capacity_orig = 512;
	rq.pelt.freq_scale_cap = 256;
	update_irq_load_avg(&k, &rq, 512 << 10);
	assert_int_equal(rq.pelt.avg_irq.load_sum, 64);
	assert_int_equal(rq.pelt.avg_irq.util_sum, 64 << 10);
	assert_int_equal(rq.pelt.avg_irq.runnable_sum, 64);
}

static void test_classes_above_fair_have_averages_of_their_own(void **state)
{
	struct kver kernel = {0};
	struct kctx k = {.v = &kernel};
	struct rq rq = {0};

	pelt_kernel(&kernel, "6.1");
	update_rt_rq_load_avg(&k, UINT64_C(32) << 20, &rq, true);
	update_dl_rq_load_avg(&k, UINT64_C(32) << 20, &rq, false);
	assert_in_range(rq.pelt.avg_rt.util_avg, 500, 523);
	assert_int_equal(rq.pelt.avg_dl.util_avg, 0);
	update_rt_rq_load_avg(&k, UINT64_C(64) << 20, &rq, false);
	assert_in_range(rq.pelt.avg_rt.util_avg, 250, 262);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_table_holds_powers_of_y),
		cmocka_unit_test(test_a_constant_load_settles_at_the_maximum),
		cmocka_unit_test(test_decay),
		cmocka_unit_test(test_decay_is_monotone_in_value_and_time),
		cmocka_unit_test(test_one_entity_over_400_ms),
		cmocka_unit_test(test_time_that_goes_back_is_taken_as_it_is),
		cmocka_unit_test(test_without_load_nothing_is_added),
		cmocka_unit_test(test_a_queue_counts_weight_or_tasks),
		cmocka_unit_test(test_a_group_counts_the_tasks_taken_down_last),
		cmocka_unit_test(test_a_delayed_task_has_load_but_is_not_runnable),
		cmocka_unit_test(test_interrupts_are_taken_to_have_come_last),
		cmocka_unit_test(test_a_slow_cpu_counts_less_interrupt_time),
		cmocka_unit_test(test_classes_above_fair_have_averages_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
