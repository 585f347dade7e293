/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One cache of 8 CPUs, cores (0,1) (2,3) (4,5) (6,7). A task that slept on CPU 0 is woken there. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

static struct hand h;
static struct task *sleeper;

/* BUSY: a bit for each CPU that runs a task; sockets of 8 CPUs each, numbered through. */
static void start_on(const char *kernel, uint32_t sockets, uint32_t busy)
{
	memset(&h, 0, sizeof(h));
	hand_topology(&h.topo, sockets, 4, 2);
	for (uint32_t i = 0; i < h.topo.ncpus; i++) {
		h.topo.cpu[i].core = i / 2;
		h.topo.cpu[i].llc = i / 8;
		h.topo.cpu[i].die = i / 8;
		h.topo.cpu[i].package = i / 8;
		h.topo.cpu[i].node = i / 8;
	}
	hand_build(&h, kernel);
	sleeper = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	sleeper->recent_used_cpu = CPU_NONE;
	for (uint32_t i = 0; i < h.topo.ncpus; i++)
		if (busy >> i & 1)
			hand_tasks(&h, i, 1);
	/* no rumour of an idle core yet */
	for (uint32_t i = 0; i < h.topo.ncpus; i++)
		hand_rq(&h, i)->top.sd_llc_shared->has_idle_cores = false;
	h.prices.sched_ns[WORK_SELECT_SCAN] = 1;
}

/* The next scan of CPU's cache may go so far: see scan_depth(). */
static void set_depth(uint32_t cpu, uint32_t depth)
{
	struct rq *rq = hand_rq(&h, cpu);

	CHECK(depth > 4);
	/* 8 CPUs x DEPTH over a cost of 8 */
	rq->avg_idle_ns = 512 * (uint64_t)depth;
	rq->top.sd_llc->avg_scan_cost_ns = 7;
}

static uint32_t choose(uint32_t prev, uint32_t target)
{
	return select_idle_sibling_scan(hand_k(&h, 0), sleeper, prev, target);
}

static void set_idle_cores(uint32_t cpu, bool any)
{
	hand_rq(&h, cpu)->top.sd_llc_shared->has_idle_cores = any;
}

/* CPU 0 sleeps, and the rumour of an idle core is about if its neighbour does, too. */
static void test_the_last_thread_to_idle_tells_of_its_core(void **state)
{
	for (uint32_t neighbour = 0; neighbour < 2; neighbour++) {
		start_on("5.4", 1, 0xfc | neighbour << 1);
		set_idle_cores(0, false);
		hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		assert_false(hand_rq(&h, 0)->top.sd_llc_shared->has_idle_cores);
		hand_sleep(&h, 0);
		assert_int_equal(hand_rq(&h, 0)->top.sd_llc_shared->has_idle_cores, !neighbour);
		hand_free(&h);
	}
}

static void test_an_idle_core_comes_first(void **state)
{
	start_on("5.4", 1, 0x07);
	set_idle_cores(0, true);
	assert_int_equal(choose(0, 0), 4);
	assert_true(hand_rq(&h, 0)->top.sd_llc_shared->has_idle_cores);
	/* cores (0,1), (2,3) and (4,5), all threads of each */
	assert_int_equal(hand_k(&h, 0)->now_ns, HAND_START_NS + 6);
	hand_free(&h);

	/* the thread that is met first on the way round, which may not be the core's first */
	start_on("5.4", 1, 0x8f);
	set_idle_cores(0, true);
	sleeper->allowed = hand_cpus(&h, 0xe1);
	assert_int_equal(choose(0, 0), 5);
	hand_free(&h);
}

/* A rumour of an idle core that is none is ended, and the scan goes CPU by CPU. */
static void test_a_stale_rumour_ends(void **state)
{
	static const struct {
		uint32_t depth, chosen;
	} rows[] = {{5, 3}, {0, 0}, {100, 3}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_on("5.5", 1, 0xd7);
		set_idle_cores(0, true);
		if (rows[i].depth)
			set_depth(0, rows[i].depth);
		else
			/* the least: 4, of which the last is not looked at */
			hand_rq(&h, 0)->avg_idle_ns = 0;
		assert_int_equal(choose(0, 0), rows[i].chosen);
		assert_false(hand_rq(&h, 0)->top.sd_llc_shared->has_idle_cores);
		hand_free(&h);
	}
}

/* Cost follows by an eighth; a scan that ran out of CPUs is not measured. */
static void test_a_scan_measures_itself(void **state)
{
	struct sched_domain *llc;

	start_on("5.4", 1, 0xf7);
	set_depth(0, 8);
	llc = hand_rq(&h, 0)->top.sd_llc;
	h.prices.sched_ns[WORK_SELECT_SCAN] = 100;
	assert_int_equal(choose(0, 0), 3);
	/* 0, 1, 2 and 3: 400 ns */
	assert_int_equal(llc->avg_scan_cost_ns, 7 + (400 - 7) / 8);
	hand_rq(&h, 0)->avg_idle_ns = 0;
	assert_int_equal(choose(0, 0), 0);
	assert_int_equal(llc->avg_scan_cost_ns, 7 + (400 - 7) / 8);
	hand_free(&h);

	/* nothing idles: a whole round, and cheaper than thought */
	start_on("5.4,NO_SIS_PROP", 1, 0xff);
	llc = hand_rq(&h, 0)->top.sd_llc;
	llc->avg_scan_cost_ns = 1008;
	assert_int_equal(choose(0, 0), 0);
	assert_int_equal(llc->avg_scan_cost_ns, 1008 - (1008 - 8) / 8);
	hand_free(&h);
}

/* What the task may not use counts in the depth, not in the time. */
static void test_cpus_that_are_not_allowed_use_up_the_depth(void **state)
{
	start_on("5.4", 1, 0x07);
	sleeper->allowed = hand_cpus(&h, 0xc1);
	set_depth(0, 7);
	/* 0..5 use up 6, at 6 the depth is 0: the sibling of 0, which is not allowed */
	assert_int_equal(choose(0, 0), 0);
	set_depth(0, 8);
	assert_int_equal(choose(0, 0), 6);
	hand_free(&h);
}

static void test_an_idle_sibling_is_the_last_resort(void **state)
{
	start_on("5.4", 1, 0xef);
	hand_rq(&h, 0)->avg_idle_ns = 0;
	/* CPU 5, its sibling 4 idles: it is behind by 7 on the way round */
	assert_int_equal(choose(5, 5), 4);
	hand_free(&h);
}

static void make_sched_idle(uint32_t cpu)
{
	struct task_attr attr = {.policy = POLICY_IDLE};

	hand_task_in(&h, cpu, &attr, NULL);
	sched_schedule(hand_k(&h, cpu));
	CHECK(sched_idle_cpu(hand_k(&h, cpu), cpu));
}

/* A CPU with tasks of SCHED_IDLE alone is as good as idle near by, and a fallback in the scan. */
static void test_tasks_of_sched_idle_give_way(void **state)
{
	/* the target itself; the previous CPU */
	start_on("5.4", 1, 0x00);
	make_sched_idle(0);
	assert_int_equal(choose(0, 0), 0);
	hand_tasks(&h, 1, 1);
	assert_int_equal(choose(0, 1), 0);
	hand_free(&h);

	/* the scan runs out: the first of them that it met */
	start_on("5.4", 1, 0xfd);
	make_sched_idle(1);
	hand_rq(&h, 0)->avg_idle_ns = 0;
	assert_int_equal(choose(0, 0), 1);
	hand_free(&h);

	/* it comes round: they are forgotten, but for a sibling of the target */
	start_on("5.4", 1, 0xf7);
	make_sched_idle(3);
	set_depth(0, 100);
	assert_int_equal(choose(0, 0), 0);
	assert_int_equal(choose(2, 2), 3);
	hand_free(&h);
}

static void test_the_recent_cpu_is_taken_and_exchanged(void **state)
{
	static const struct {
		uint64_t allowed;
		uint32_t recent, prev, chosen, recent_after;
	} rows[] = {
		{0xff, 6, 1, 6, 1},
		/* busy; not allowed; another cache; the same as before; none */
		{0xff, 2, 1, 0, 2},
		{0x3f, 6, 1, 0, 6},
		{0xffff, 12, 1, 0, 12},
		{0xff, 1, 1, 0, 1},
		{0xff, CPU_NONE, 1, 0, CPU_NONE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_on("5.4", 2, 0x3f);
		sleeper->allowed = hand_cpus(&h, rows[i].allowed);
		sleeper->recent_used_cpu = rows[i].recent;
		hand_rq(&h, 0)->avg_idle_ns = 0;
		assert_int_equal(choose(rows[i].prev, 0), rows[i].chosen);
		assert_int_equal(sleeper->recent_used_cpu, rows[i].recent_after);
		hand_free(&h);
	}
}

/* The target has another cache, and CPU 10 of it idles. The waker's idle time and costs count. */
static void test_the_wakers_costs_bound_the_scan(void **state)
{
	start_on("5.4", 2, 0xfbff);
	set_depth(8, 100);
	hand_rq(&h, 0)->avg_idle_ns = 0;
	hand_rq(&h, 0)->top.sd_llc->avg_scan_cost_ns = 79;
	/* 8, 9 and 10: the third is looked at, and all is booked here */
	assert_int_equal(choose(8, 8), 10);
	assert_int_equal(hand_rq(&h, 8)->top.sd_llc->avg_scan_cost_ns, 7);
	assert_int_equal(hand_rq(&h, 0)->top.sd_llc->avg_scan_cost_ns, 79 - (79 - 3) / 8);
	hand_free(&h);
}

/* The whole way: the waker's own field remembers that it pulled, its wakee is wide. */
static void test_the_waker_remembers_where_it_was(void **state)
{
	struct task *waker;

	start_on("5.4", 1, 0x01);
	waker = hand_rq(&h, 0)->curr;
	waker->recent_used_cpu = 5;
	assert_int_equal(h.v.select->select(hand_k(&h, 0), sleeper, SD_BALANCE_WAKE, 0), 1);
	assert_int_equal(waker->recent_used_cpu, 0);
	waker->recent_used_cpu = 5;
	waker->wakee_flips = 64;
	sleeper->wakee_flips = 8;
	assert_int_equal(h.v.select->select(hand_k(&h, 0), sleeper, SD_BALANCE_WAKE, 0), 1);
	assert_int_equal(waker->recent_used_cpu, 5);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_last_thread_to_idle_tells_of_its_core),
		cmocka_unit_test(test_an_idle_core_comes_first),
		cmocka_unit_test(test_a_stale_rumour_ends),
		cmocka_unit_test(test_a_scan_measures_itself),
		cmocka_unit_test(test_cpus_that_are_not_allowed_use_up_the_depth),
		cmocka_unit_test(test_an_idle_sibling_is_the_last_resort),
		cmocka_unit_test(test_tasks_of_sched_idle_give_way),
		cmocka_unit_test(test_the_recent_cpu_is_taken_and_exchanged),
		cmocka_unit_test(test_the_wakers_costs_bound_the_scan),
		cmocka_unit_test(test_the_waker_remembers_where_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
