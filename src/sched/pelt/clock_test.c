/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/pelt/pelt_kernels.h"

#define FULL_UTIL_SUM ((46718u << 10) - 47742u)

struct fixture {
	struct kver kernel;
	struct kctx k;
	struct cfs_rq cfs;
	struct task idle, running;
	struct rq rq;
};

static void start(struct fixture *f, const char *kernel)
{
	*f = (struct fixture){.k = {.v = &f->kernel}};
	f->rq.cfs = &f->cfs;
	f->cfs.rq = &f->rq;
	f->rq.idle = &f->idle;
	f->rq.curr = &f->running;
	rq_pelt_init(&f->rq.pelt);
	f->rq.cpu_capacity_orig = CAPACITY_SCALE;
	pelt_kernel(&f->kernel, kernel);
}

static void pass(struct fixture *f, uint64_t ns, uint64_t irq_ns)
{
	f->rq.clock_ns += ns;
	update_rq_clock_task(&f->k, &f->rq, ns, irq_ns);
}

static void test_work_moves_the_clock_with_capacity_and_frequency(void **state)
{
	static const struct {
		uint32_t cpu_cap, freq_cap;
		uint64_t ns, pelt_ns;
	} rows[] = {{1024, 1024, 999, 999},
		    {512, 1024, 1001, 500},
		    {1024, 768, 1000, 750},
		    {1023, 1, 2049, 1}, /* 2049 -> 2046 -> 1 */
		    {1, 1023, 2049, 1}};
	struct fixture f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(&f, "5.4");
		f.rq.cpu_capacity_orig = rows[i].cpu_cap;
		f.rq.pelt.freq_scale_cap = rows[i].freq_cap;
		pass(&f, rows[i].ns, 0);
		assert_int_equal(rq_clock_pelt(&f.rq), rows[i].pelt_ns);
		assert_int_equal(f.rq.pelt.clock_task_ns, rows[i].ns);
	}
}

static void test_idle_time_lets_the_clock_catch_up(void **state)
{
	struct fixture f;

	start(&f, "6.1");
	f.rq.cpu_capacity_orig = 512;
	pass(&f, 10000, 0);
	assert_int_equal(rq_clock_pelt(&f.rq), 5000);
	f.rq.curr = f.rq.idle;
	pass(&f, 10000, 0);
	assert_int_equal(rq_clock_pelt(&f.rq), 20000);
	assert_int_equal(f.rq.pelt.clock_idle_ns, 20000);
	assert_int_equal(f.rq.pelt.clock_pelt_idle_ns, 20000);
}

static void test_a_saturated_cpu_loses_its_idle_time(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t util_sum;
		uint64_t at_once, after; /* a pause of 1000 */
	} rows[] = {
		{"5.4", FULL_UTIL_SUM - 1, 5000, 11000},  {"5.4", FULL_UTIL_SUM, 0, 6000},
		{"6.1", FULL_UTIL_SUM - 1, 10000, 11000}, {"6.1", FULL_UTIL_SUM, 5000, 6000},
		{"6.12", FULL_UTIL_SUM, 5000, 6000},
	};
	struct fixture f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(&f, rows[i].kernel);
		f.rq.cpu_capacity_orig = 512;
		pass(&f, 10000, 0);
		/* all three classes count */
		f.cfs.avg.util_sum = rows[i].util_sum - 3000;
		f.rq.pelt.avg_rt.util_sum = 1000;
		f.rq.pelt.avg_dl.util_sum = 2000;
		f.rq.curr = f.rq.idle;
		update_idle_rq_clock_pelt(&f.k, &f.rq);
		assert_int_equal(rq_clock_pelt(&f.rq), rows[i].at_once);
		pass(&f, 1000, 0);
		assert_int_equal(rq_clock_pelt(&f.rq), rows[i].after);
	}
}

static void test_interrupts_do_not_move_the_task_clock(void **state)
{
	struct fixture f;

	start(&f, "6.1");
	pass(&f, 10 << 20, 4 << 20);
	assert_int_equal(f.rq.pelt.clock_task_ns, 6 << 20);
	assert_int_equal(rq_clock_pelt(&f.rq), 6 << 20);
	assert_true(f.rq.pelt.avg_irq.util_avg > 0);
	assert_int_equal(f.rq.pelt.avg_irq.last_update_time_ns, 10 << 20);
}

static void test_more_interrupts_than_time_is_a_bug(void **state)
{
	struct fixture f;

	start(&f, "6.1");
	expect_assert_failure(update_rq_clock_task(&f.k, &f.rq, 1, 2));
}

static void test_a_throttled_queues_clock_stands(void **state)
{
	/* 1000 ns work, 2000 throttled twice over, 3000 work, on a CPU at half speed */
	static const struct {
		const char *kernel;
		uint64_t stopped, end;
	} rows[] = {{"5.4", 1000, 1000}, {"6.1", 500, 2000}};
	struct fixture f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(&f, rows[i].kernel);
		f.rq.cpu_capacity_orig = 512;
		pass(&f, 1000, 0);
		cfs_rq_clock_stop(&f.k, &f.cfs);
		pass(&f, 1000, 0);
		cfs_rq_clock_stop(&f.k, &f.cfs);
		assert_int_equal(cfs_rq_clock_pelt(&f.cfs), rows[i].stopped);
		cfs_rq_clock_go(&f.k, &f.cfs);
		pass(&f, 1000, 0);
		assert_int_equal(cfs_rq_clock_pelt(&f.cfs), rows[i].stopped);
		cfs_rq_clock_go(&f.k, &f.cfs);
		pass(&f, 3000, 0);
		assert_int_equal(cfs_rq_clock_pelt(&f.cfs), rows[i].end);
	}
}

static void test_a_clock_that_does_not_stand_cannot_go_on(void **state)
{
	struct fixture f;

	start(&f, "6.1");
	expect_assert_failure(cfs_rq_clock_go(&f.k, &f.cfs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_moves_the_clock_with_capacity_and_frequency),
		cmocka_unit_test(test_idle_time_lets_the_clock_catch_up),
		cmocka_unit_test(test_a_saturated_cpu_loses_its_idle_time),
		cmocka_unit_test(test_interrupts_do_not_move_the_task_clock),
		cmocka_unit_test(test_more_interrupts_than_time_is_a_bug),
		cmocka_unit_test(test_a_throttled_queues_clock_stands),
		cmocka_unit_test(test_a_clock_that_does_not_stand_cannot_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
