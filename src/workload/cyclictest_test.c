/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cyclictest's threads do and count. The toy engine wakes them in time; by hand they are late. */
#include "support.h"

#include "workload/cyclictest.h"
#include "workload/toy_engine.h"

#define US NS_PER_US

static struct cyclictest_params params(uint32_t threads)
{
	struct cyclictest_params p = {.threads = threads,
				      .interval_ns = 1000 * US,
				      .distance_ns = 500 * US,
				      .policy = POLICY_FIFO,
				      .rt_priority = 80,
				      .ncpus = 4};

	return p;
}

static struct behaviour *create(const struct cyclictest_params *p)
{
	struct behaviour *b = cyclictest_create(p);

	assert_non_null(b);
	return b;
}

static struct action next(struct behaviour *b, uint32_t task, uint64_t now_ns)
{
	struct action a;

	memset(&a, 0, sizeof(a));
	b->ops->next(b, task, now_ns, &a);
	return a;
}

static struct behaviour_report report(const struct behaviour *b, uint32_t i)
{
	struct behaviour_report r;

	memset(&r, 0, sizeof(r));
	assert_true(b->ops->report(b, i, &r));
	return r;
}

/* Task TASK is created and asked at NOW_NS until it sleeps; its time is returned. */
static uint64_t run_until_it_sleeps(struct behaviour *b, uint32_t task, uint64_t now_ns)
{
	for (;;) {
		struct action a = next(b, task, now_ns);

		if (a.kind == ACTION_SLEEP_UNTIL)
			return a.ns;
		assert_int_not_equal(a.kind, ACTION_EXIT);
	}
}

static void test_a_thread_sets_its_policy_and_keeps_its_grid(void **state)
{
	struct cyclictest_params p = params(1);
	char text[2048];
	struct behaviour *b;
	struct buf log;
	struct toy toy;

	p.loops = 2;
	b = create(&p);
	buf_init(&log, text, sizeof(text));
	toy_start(&toy, b, &log);
	assert_false(toy_run(&toy, NS_PER_S, 100));
	assert_string_equal(text, "  [0 is cyclictest]\n0 0 fork 1\n  [1 is cyclictest]\n"
				  "0 1 policy 1 80\n0 1 start\n0 1 sleep-until 1000000\n"
				  "1000 0 sleep 10000000\n"
				  "1000000 1 run 300\n1000300 1 done 1\n"
				  "1000300 1 sleep-until 2000000\n"
				  "2000000 1 run 300\n2000300 1 done 1\n"
				  "2000300 1 policy 0 0\n2000300 1 exit\n"
				  "10001000 0 sleep 10000000\n20001000 0 sleep 50000000\n"
				  "70001000 0 exit\n");
	assert_int_equal(report(b, 0).count, 2);
	assert_int_equal(toy.done, 2);
	toy_end(&toy);
	cyclictest_destroy(b);
}

/* The thread of a long interval is interrupted in its sleep; it does not count that wake-up. */
static void test_who_still_sleeps_at_the_end_is_interrupted(void **state)
{
	struct cyclictest_params p = params(2);
	struct behaviour *b;

	p.loops = 1;
	p.distance_ns = NS_PER_S;
	b = create(&p);
	assert_int_equal(next(b, 0, 0).task, 1);
	assert_int_equal(next(b, 0, 0).task, 2);
	assert_int_equal(run_until_it_sleeps(b, 1, 0), 1000 * US);
	assert_int_equal(run_until_it_sleeps(b, 2, 0), 1000 * US + NS_PER_S);
	assert_int_equal(next(b, 0, 0).kind, ACTION_SLEEP);
	for (int i = 0; i < 4; i++)
		next(b, 1, 1000 * US); /* run, done, policy, exit */
	assert_int_equal(next(b, 0, 10000 * US).kind, ACTION_SLEEP);
	assert_int_equal(next(b, 0, 20000 * US).ns, 50000 * US);
	assert_int_equal(next(b, 0, 70000 * US).kind, ACTION_WAKE);
	assert_int_equal(next(b, 0, 70000 * US).kind, ACTION_BLOCK);
	assert_int_equal(next(b, 2, 70000 * US).kind, ACTION_SET_POLICY);
	assert_int_equal(next(b, 2, 70000 * US).kind, ACTION_WAKE);
	assert_int_equal(next(b, 2, 70000 * US).kind, ACTION_EXIT);
	assert_int_equal(next(b, 0, 70000 * US).kind, ACTION_EXIT);
	assert_int_equal(report(b, 0).count, 1);
	assert_int_equal(report(b, 1).count, 0);
	cyclictest_destroy(b);
}

static void test_lateness_is_counted_and_made_up_for(void **state)
{
	static const uint64_t late_ns[] = {999, 1000, 2999, 3000, 2500000};
	struct cyclictest_params p = params(1);
	struct behaviour_report r;
	struct behaviour *b;
	uint64_t due_ns;

	p.buckets = 3;
	b = create(&p);
	next(b, 0, 0);
	due_ns = run_until_it_sleeps(b, 1, 0);
	for (size_t i = 0; i < 5; i++) {
		uint64_t before_ns = due_ns;

		due_ns = run_until_it_sleeps(b, 1, due_ns + late_ns[i]);
		assert_int_equal(due_ns, before_ns + 1000 * US);
	}
	r = report(b, 0);
	assert_int_equal(r.count, 5);
	assert_int_equal(r.min_ns, 999);
	assert_int_equal(r.last_ns, 2500000);
	assert_int_equal(r.max_ns, 2500000);
	assert_int_equal(r.sum_ns, 2507998);
	assert_int_equal(r.nbuckets, 3);
	assert_int_equal(r.bucket[0], 1);
	assert_int_equal(r.bucket[1], 1);
	assert_int_equal(r.bucket[2], 1);
	assert_int_equal(r.overflow, 2);
	cyclictest_destroy(b);
}

/* Of threads 0, 1 and 2 with priority 2: what each asks for, and its interval in us. */
static void test_priorities_and_intervals(void **state)
{
	static const struct {
		uint32_t buckets;
		bool smp;
		enum sched_policy policy;
		int32_t priority[3];
		uint32_t interval_us[3];
		uint32_t npolicies;
	} rows[] = {
		{0, false, POLICY_FIFO, {2, 1, 0}, {1000, 1500, 2000}, 2},
		{0, true, POLICY_RR, {2, 2, 2}, {1000, 1500, 2000}, 1},
		{5, false, POLICY_FIFO, {2, 2, 2}, {1000, 1000, 1000}, 1},
		{0, false, POLICY_NORMAL, {0, 0, 0}, {1000, 1500, 2000}, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cyclictest_params p = params(3);
		struct task_attr attr;
		struct behaviour *b;

		p.buckets = rows[i].buckets;
		p.smp = rows[i].smp;
		p.policy = rows[i].policy;
		p.rt_priority = rows[i].policy == POLICY_NORMAL ? 0 : 2;
		b = create(&p);
		assert_int_equal(b->ntasks, 4);
		for (uint32_t t = 0; t < 3; t++) {
			struct action a;

			assert_int_equal(report(b, t).rt_priority, rows[i].priority[t]);
			assert_int_equal(report(b, t).interval_ns, rows[i].interval_us[t] * US);
			assert_int_equal(report(b, t).task, t + 1);
			next(b, 0, 0);
			a = next(b, t + 1, 0);
			assert_int_equal(a.kind, rows[i].priority[t] ? ACTION_SET_POLICY :
								       ACTION_START_MARK);
			assert_int_equal(a.value, rows[i].priority[t]);
		}
		for (uint32_t n = 0; n < rows[i].npolicies; n++) {
			memset(&attr, 0, sizeof(attr));
			assert_true(b->ops->policy(b, n, &attr));
			assert_int_equal(attr.policy, rows[i].policy);
			assert_int_equal(attr.rt_priority, rows[i].priority[n]);
		}
		assert_false(b->ops->policy(b, rows[i].npolicies, &attr));
		memset(&attr, 0, sizeof(attr));
		assert_false(b->ops->report(b, 3, &(struct behaviour_report){0}));
		cyclictest_destroy(b);
	}
}

static uint64_t cpus_of(struct behaviour *b, uint32_t task)
{
	struct task_attr attr;

	memset(&attr, 0, sizeof(attr));
	b->ops->attr(b, task, &attr);
	assert_int_equal(attr.policy, POLICY_NORMAL);
	return attr.cpus ? attr.cpus->w[0] : 0;
}

static void test_affinity_takes_the_cpus_one_after_the_other(void **state)
{
	struct cyclictest_params p = params(6);
	struct behaviour *b = create(&p);

	assert_int_equal(cpus_of(b, 1), 0);
	cyclictest_destroy(b);
	p.affinity = true;
	b = create(&p);
	assert_int_equal(cpus_of(b, 0), 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(cpus_of(b, i + 1), 1u << i % 4);
	cyclictest_destroy(b);
	p.cpus = mask_init(malloc(mask_size(4)), 4);
	mask_set(p.cpus, 1);
	mask_set(p.cpus, 3);
	b = create(&p);
	assert_int_equal(cpus_of(b, 0), 0xa);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(cpus_of(b, i + 1), i % 2 ? 8 : 2);
	cyclictest_destroy(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_thread_sets_its_policy_and_keeps_its_grid),
		cmocka_unit_test(test_who_still_sleeps_at_the_end_is_interrupted),
		cmocka_unit_test(test_lateness_is_counted_and_made_up_for),
		cmocka_unit_test(test_priorities_and_intervals),
		cmocka_unit_test(test_affinity_takes_the_cpus_one_after_the_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
