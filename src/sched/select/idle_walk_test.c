/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one walk of later kernels, delta by delta. One cache of 8 CPUs, cores (0,1) (2,3) (4,5) (6,7); a second
 * cache or two clusters if asked for. A task that slept on CPU 0 is woken there.
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

#define WALK "5.5,+sis-one-walk"
#define NEXT WALK ",+sis-scan-next"
#define UTIL NEXT ",+sis-util"

static struct hand h;
static struct task *sleeper;

static void start_clusters(const char *kernel, uint32_t sockets, uint32_t busy, bool clusters)
{
	memset(&h, 0, sizeof(h));
	hand_topology(&h.topo, sockets, 4, 2);
	for (uint32_t i = 0; i < h.topo.ncpus; i++) {
		h.topo.cpu[i].core = i / 2;
		h.topo.cpu[i].llc = i / 8;
		h.topo.cpu[i].die = i / 8;
		h.topo.cpu[i].package = i / 8;
		h.topo.cpu[i].node = i / 8;
		if (clusters)
			h.topo.cpu[i].cluster = i / 4;
	}
	hand_build(&h, kernel);
	sleeper = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	sleeper->recent_used_cpu = CPU_NONE;
	for (uint32_t i = 0; i < h.topo.ncpus; i++) {
		struct sched_domain_shared *llc = hand_rq(&h, i)->top.sd_llc_shared;

		if (busy >> i & 1)
			hand_tasks(&h, i, 1);
		llc->has_idle_cores = false;
		llc->nr_idle_scan = 8;
	}
	h.prices.sched_ns[WORK_SELECT_SCAN] = 1;
}

/* BUSY: a bit for each CPU that runs a task. */
static void start_on(const char *kernel, uint32_t busy)
{
	start_clusters(kernel, 1, busy, false);
}

static struct sched_domain_shared *llc_of(uint32_t cpu)
{
	return hand_rq(&h, cpu)->top.sd_llc_shared;
}

static uint32_t choose(uint32_t prev, uint32_t target)
{
	return select_idle_sibling_scan(hand_k(&h, 0), sleeper, prev, target);
}

static void make_sched_idle(uint32_t cpu)
{
	struct task_attr attr = {.policy = POLICY_IDLE};

	hand_task_in(&h, cpu, &attr, NULL);
	sched_schedule(hand_k(&h, cpu));
	CHECK(sched_idle_cpu(hand_k(&h, cpu), cpu));
}

/* The conformance vectors: target and previous CPU 0. */
static void test_vectors(void **state)
{
	static const struct {
		uint32_t busy;
		bool cores;
		uint32_t depth, chosen;
		bool cores_after;
	} rows[] = {
		/* 0, 1 and 2 are busy: core (2,3) gives a candidate, core (4,5) is whole */
		{0x07, true, 8, 4, true},
		/* all but 3 and 5: a stale rumour, and the candidate of the way */
		{0xd7, true, 8, 3, false},
		/* CPU by CPU from 1: 3 is the third */
		{0xd7, false, 2, 0, false},
		{0xd7, false, 3, 3, false},
		/* no depth: nothing is looked at, not even cores */
		{0x07, true, 0, 0, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_on(UTIL, rows[i].busy);
		llc_of(0)->has_idle_cores = rows[i].cores;
		llc_of(0)->nr_idle_scan = rows[i].depth;
		if (choose(0, 0) != rows[i].chosen)
			print_error("row %zu\n", i);
		assert_int_equal(choose(0, 0), rows[i].chosen);
		assert_int_equal(llc_of(0)->has_idle_cores, rows[i].cores_after);
		hand_free(&h);
	}
}

/* 2 and 5 idle (2 and 6 where the target is 5): the first allowed one after the target, on the way round. */
static void test_where_the_walk_begins(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t target, allowed, chosen;
	} rows[] = {
		{WALK, 6, 0xff, 2}, {NEXT, 3, 0xfb, 5}, {NEXT, 5, 0xff, 6},
		{NEXT, 7, 0xff, 2}, {NEXT, 6, 0x04, 2}, {NEXT, 1, 0xfb, 5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* 5 counts as busy where it is the target */
		start_on(rows[i].kernel, rows[i].target == 5 ? 0xbb : 0xdb);
		sleeper->allowed = hand_cpus(&h, rows[i].allowed);
		hand_rq(&h, 0)->avg_idle_ns = 1000000000;
		if (choose(rows[i].target, rows[i].target) != rows[i].chosen)
			print_error("row %zu\n", i);
		assert_int_equal(choose(rows[i].target, rows[i].target), rows[i].chosen);
		hand_free(&h);
	}
	/* from the target on or from the next: the cost tells whether it was looked at again */
	for (uint64_t next = 0; next < 2; next++) {
		uint64_t before;

		start_on(next ? NEXT : WALK, 0xef);
		hand_rq(&h, 0)->avg_idle_ns = 1000000000;
		before = hand_k(&h, 0)->now_ns;
		/* the neighbour 1; then 0 to 4, or 1 to 4 */
		assert_int_equal(choose(0, 0), 4);
		assert_int_equal(hand_k(&h, 0)->now_ns - before, 1 + 5 - next);
		hand_free(&h);
	}
}

/* A thread of the core where the task was, if no core is said to be idle and it shares the cache. */
static void test_the_old_core_is_asked_before(void **state)
{
	/* 5 was the task's; 4 is its sibling; the walk from 0 would find 2 */
	start_on(UTIL, 0xeb);
	assert_int_equal(choose(5, 0), 4);
	llc_of(0)->has_idle_cores = true;
	assert_int_equal(choose(5, 0), 2);
	hand_free(&h);
	/* SCHED_IDLE is idle enough */
	start_on(UTIL, 0xeb);
	make_sched_idle(4);
	assert_int_equal(choose(5, 0), 4);
	hand_free(&h);
	/* another cache: its sibling is of no use */
	start_clusters(UTIL, 2, 0xdfeb, false);
	assert_int_equal(choose(12, 0), 2);
	hand_free(&h);
}

/* On the way CPUs with SCHED_IDLE tasks count as idle; in a core as a candidate. */
static void test_tasks_of_sched_idle_on_the_way(void **state)
{
	start_on(UTIL, 0xb7);
	make_sched_idle(3);
	assert_int_equal(choose(0, 0), 3);
	llc_of(0)->has_idle_cores = true;
	assert_int_equal(choose(0, 0), 3);
	assert_false(llc_of(0)->has_idle_cores);
	hand_free(&h);
}

/* SIS_PROP in the one walk: by this CPU's idle time, which costs and jiffies take from. */
static void test_the_walk_by_idle_time(void **state)
{
	struct rq *rq;

	/* 6 is the only idle one: the sixth from 1 */
	start_on(NEXT ",+avg-idle-aged", 0xbf);
	rq = hand_rq(&h, 0);
	rq->top.sd_llc->avg_scan_cost_ns = 7;
	rq->wake_stamp = jiffies(hand_k(&h, 0));
	rq->wake_avg_idle_ns = 7;
	/* 8 x 7 / 8 = 7: six are looked at */
	assert_int_equal(choose(0, 0), 6);
	assert_int_equal(rq->wake_avg_idle_ns, 1);
	assert_int_equal(rq->top.sd_llc->avg_scan_cost_ns, 7);
	/* cut: not measured */
	assert_int_equal(choose(0, 0), 0);
	assert_int_equal(rq->wake_avg_idle_ns, 1);
	/* three jiffies later an eighth */
	rq->wake_avg_idle_ns = 8 * 7;
	rq->wake_stamp -= 3;
	assert_int_equal(choose(0, 0), 6);
	assert_int_equal(rq->wake_stamp, jiffies(hand_k(&h, 0)));
	hand_free(&h);
}

/* What is remembered of where it was: at each wake-up, and not by the waker. */
static void test_the_cpu_before_is_remembered_always(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct task *waker;

		start_on(later ? "5.5,+recent-used-prev" : "5.5", 0x01);
		waker = hand_rq(&h, 0)->curr;
		waker->recent_used_cpu = 5;
		sleeper->recent_used_cpu = 7;
		assert_int_equal(choose(2, 0), 2);
		/* the first choice did, so nothing was asked */
		assert_int_equal(sleeper->recent_used_cpu, 7);
		hand_tasks(&h, 2, 1);
		hand_tasks(&h, 7, 1);
		choose(2, 0);
		assert_int_equal(sleeper->recent_used_cpu, later ? 2 : 7);
		h.v.select->select(hand_k(&h, 0), sleeper, SD_BALANCE_WAKE, 0);
		assert_int_equal(waker->recent_used_cpu, later ? 5 : 0);
		hand_free(&h);
	}
}

/* Clusters (0-3) and (4-7): the target's first, and what is in another only if nothing else idles. */
static void test_the_cluster_comes_first(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t busy, prev, target, recent, chosen;
	} rows[] = {
		/* 1 and 6 idle, target 4: from 5 comes 6; target 5 and 6 busy: round to 1 */
		{"6.1", 0xbd, 4, 2, CPU_NONE, 6},
		{"6.12", 0xbd, 4, 2, CPU_NONE, 1},
		/* where it was idles, but in the other cluster: 1 is nearer */
		{"6.1", 0xbd, 6, 2, CPU_NONE, 6},
		{"6.12", 0xbd, 6, 2, CPU_NONE, 1},
		/* nothing else idles */
		{"6.12", 0xbf, 6, 2, CPU_NONE, 6},
		{"6.1", 0xbd, 4, 2, 6, 6},
		{"6.12", 0xbd, 4, 2, 6, 1},
		{"6.12", 0xbf, 4, 2, 6, 6},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_clusters(rows[i].kernel, 1, rows[i].busy, true);
		sleeper->recent_used_cpu = rows[i].recent;
		if (rows[i].busy == 0xbf)
			/* the walk itself looks at the neighbours only */
			llc_of(0)->nr_idle_scan = 3;
		if (choose(rows[i].prev, rows[i].target) != rows[i].chosen)
			print_error("row %zu\n", i);
		sleeper->recent_used_cpu = rows[i].recent;
		assert_int_equal(choose(rows[i].prev, rows[i].target), rows[i].chosen);
		hand_free(&h);
	}
}

/* CPUs 0 and 1 have half a capacity each: a task of 600 looks for one it fits on, one of 300 does not. */
static void test_a_big_task_looks_for_a_big_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t util, chosen;
	} rows[] = {
		{"5.5", 600, 1},
		{"5.5,+asym-wake-scan", 600, 2},
		{"5.5,+asym-wake-scan", 300, 1},
		/* nowhere: the biggest that idles */
		{"5.5,+asym-wake-scan", 1000, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&h, 0, sizeof(h));
		hand_topology(&h.topo, 1, 4, 1);
		h.topo.arch = TOPO_ARCH_OTHER;
		h.topo.cpu[0].capacity = h.topo.cpu[1].capacity = 512;
		hand_build(&h, rows[i].kernel);
		sleeper = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		hand_sleep(&h, 0);
		sleeper->recent_used_cpu = CPU_NONE;
		hand_tasks(&h, 0, 1);
		sleeper->se.avg.util_avg = rows[i].util;
		sleeper->se.avg.util_sum = rows[i].util * 47742;
		assert_int_equal(choose(0, 0), rows[i].chosen);
		hand_drop(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_where_the_walk_begins),
		cmocka_unit_test(test_the_old_core_is_asked_before),
		cmocka_unit_test(test_tasks_of_sched_idle_on_the_way),
		cmocka_unit_test(test_the_walk_by_idle_time),
		cmocka_unit_test(test_the_cpu_before_is_remembered_always),
		cmocka_unit_test(test_the_cluster_comes_first),
		cmocka_unit_test(test_a_big_task_looks_for_a_big_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
