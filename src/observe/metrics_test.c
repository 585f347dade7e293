/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "observe/fairness.h"
#include "observe/hand_machine.h"
#include "observe/latency.h"
#include "observe/metrics.h"
#include "observe/wasted.h"

static struct hand_machine h;
static struct metric_value value[METRIC_COUNT];

static void assert_value(enum metric_id id, uint64_t num, uint64_t den)
{
	assert_int_equal(value[id].num, num);
	assert_int_equal(value[id].den, den);
}

static void test_names_are_the_interface(void **state)
{
	static const char *const names[] = {
		"elapsed_s",
		"throughput_per_s",
		"wakeup_latency_ns_p50",
		"wakeup_latency_ns_p99",
		"wakeup_latency_ns_max",
		"context_switches",
		"migrations",
		"sched_count",
		"sched_goidle",
		"ttwu_count",
		"ttwu_local",
		"rq_lock_acquired",
		"rq_lock_contended",
		"rq_lock_wait_ns",
		"sched_time_share",
		"wasted_ns",
		"fairness",
		"rt_push_locks",
		"rt_push_lock_failed",
		"rt_push_relocks",
		"rt_pushes",
		"rt_push_ns",
		"rt_pull_locks",
		"rt_pulls",
	};

	assert_int_equal(sizeof(names) / sizeof(names[0]), METRIC_COUNT);
	for (uint32_t i = 0; i < METRIC_COUNT; i++) {
		assert_string_equal(metric_info(i)->name, names[i]);
		assert_int_equal(metric_by_name(names[i], strlen(names[i])), i);
		assert_true(strlen(metric_info(i)->meaning) > 0);
	}
	assert_int_equal(metric_by_name("elapsed_sx", 10), METRIC_COUNT);
	assert_int_equal(metric_by_name("elapsed_sx", 9), METRIC_ELAPSED_S);
	assert_int_equal(metric_by_name("", 0), METRIC_COUNT);
}

static void test_totals_are_sums_over_cpus(void **state)
{
	struct observe_totals t = {.elapsed_ns = 1500000000,
				   .simulated_ns = 2000000000,
				   .done_count = 30,
				   .lock_acquired = 7,
				   .lock_contended = 3,
				   .lock_wait_ns = 11,
				   .sched_ns = 400000000};
	struct metric_sources from = {.m = hand_machine_init(&h, 4), .totals = &t};

	for (uint32_t i = 0; i < 4; i++)
		h.cpu[i].rq.stats = (struct rq_stats){.sched_count = 10 + i,
						      .sched_goidle = 1,
						      .ttwu_count = 100,
						      .ttwu_local = i};
	h.m.count = (struct machine_counts){.switches = 55, .migrations = 6};
	metrics_collect(value, &from);
	assert_value(METRIC_ELAPSED_S, 1500000000, 1000000000);
	assert_value(METRIC_THROUGHPUT_PER_S, 30000000000, 1500000000);
	assert_value(METRIC_CONTEXT_SWITCHES, 55, 1);
	assert_value(METRIC_MIGRATIONS, 6, 1);
	assert_value(METRIC_SCHED_COUNT, 46, 1);
	assert_value(METRIC_SCHED_GOIDLE, 4, 1);
	assert_value(METRIC_TTWU_COUNT, 400, 1);
	assert_value(METRIC_TTWU_LOCAL, 6, 1);
	assert_value(METRIC_RQ_LOCK_ACQUIRED, 7, 1);
	assert_value(METRIC_RQ_LOCK_CONTENDED, 3, 1);
	assert_value(METRIC_RQ_LOCK_WAIT_NS, 11, 1);
	assert_value(METRIC_SCHED_TIME_SHARE, 400000000, 8000000000);
	assert_value(METRIC_WASTED_NS, 0, 0);
	assert_value(METRIC_FAIRNESS, 0, 0);
	assert_value(METRIC_WAKEUP_LATENCY_NS_P50, 0, 0);
}

static void charge_path(const enum path_elem *elems, uint32_t n, uint64_t ns)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++)
		at = path_child(h.m.paths, at, elems[i]);
	h.m.paths->node[at].ns += ns;
}

/* Pushing is in the tree at several places, and everything below it counts. */
static void test_real_time_metrics_are_sums_over_cpus_and_paths(void **state)
{
	static const enum path_elem woken[] = {PATH_TTWU, PATH_TASK_WOKEN_RT, PATH_PUSH_RT_TASK,
					       PATH_FIND_LOCK_LOWEST_RQ, PATH_RQ_LOCK};
	static const enum path_elem post[] = {PATH_SCHEDULE, PATH_POST_SCHEDULE, PATH_PUSH_RT_TASK};
	struct observe_totals t = {.simulated_ns = 1};
	struct metric_sources from = {.m = hand_machine_init(&h, 4), .totals = &t};

	h.cpu[1].rq.rt.stats = (struct rt_stats){
		.enqueued = 1, .push_locks = 2, .push_lock_failed = 3, .push_relocks = 4};
	h.cpu[2].rq.rt.stats =
		(struct rt_stats){.push_locks = 10, .pushes = 5, .pull_locks = 6, .pulls = 7};
	charge_path(woken, 5, 1);
	charge_path(woken, 4, 10);
	charge_path(woken, 3, 100);
	charge_path(woken, 2, 1000);
	charge_path(woken, 1, 1000);
	charge_path(post, 3, 10000);
	charge_path(post, 2, 1000000);
	metrics_collect(value, &from);
	assert_value(METRIC_RT_PUSH_LOCKS, 12, 1);
	assert_value(METRIC_RT_PUSH_LOCK_FAILED, 3, 1);
	assert_value(METRIC_RT_PUSH_RELOCKS, 4, 1);
	assert_value(METRIC_RT_PUSHES, 5, 1);
	assert_value(METRIC_RT_PUSH_NS, 10111, 1);
	assert_value(METRIC_RT_PULL_LOCKS, 6, 1);
	assert_value(METRIC_RT_PULLS, 7, 1);
}

static void test_without_a_real_time_task_its_metrics_are_undefined(void **state)
{
	struct observe_totals t = {.simulated_ns = 1};
	struct metric_sources from = {.m = hand_machine_init(&h, 4), .totals = &t};
	uint32_t n = 0;

	metrics_collect(value, &from);
	for (uint32_t i = 0; i < METRIC_COUNT; i++)
		if (metric_is_rt(i)) {
			assert_int_equal(memcmp(metric_info(i)->name, "rt_", 3), 0);
			assert_value(i, 0, 0);
			n++;
		}
	assert_int_equal(n, 7);
	/* queued somewhere, never pushed: zeroes */
	h.cpu[3].rq.rt.stats.enqueued = 1;
	metrics_collect(value, &from);
	assert_value(METRIC_RT_PUSHES, 0, 1);
	assert_value(METRIC_RT_PUSH_NS, 0, 1);
}

static void test_sinks_give_their_metrics(void **state)
{
	struct observe_totals t = {.elapsed_ns = 1, .simulated_ns = 1000};
	struct metric_sources from = {.m = hand_machine_init(&h, 2), .totals = &t};
	struct rql_error e;
	struct latency *l = latency_create(HAND_TASKS, &e);
	struct wasted *w = wasted_create(&h.m, &e);
	struct fairness *f = fairness_create(HAND_TASKS, &e);

	from.latency = l;
	from.wasted = w;
	from.fairness = f;
	metrics_collect(value, &from);
	assert_value(METRIC_WAKEUP_LATENCY_NS_MAX, 0, 0); /* nobody was woken */
	assert_value(METRIC_WASTED_NS, 0, 1);

	histogram_add(&l->hist, 10);
	histogram_add(&l->hist, 20);
	w->sink.take(&w->sink, &(struct record){.kind = RECORD_WAIT_START, .a = 1, .time_ns = 400});
	f->sink.take(&f->sink, &(struct record){.kind = RECORD_FORK, .a = 1});
	f->sink.take(&f->sink, &(struct record){.kind = RECORD_FORK, .a = 2});
	h.task[0].se.sum_exec_ns = 30;
	h.task[1].se.sum_exec_ns = 40;
	metrics_collect(value, &from);
	assert_value(METRIC_WAKEUP_LATENCY_NS_P50, 10, 1);
	assert_value(METRIC_WAKEUP_LATENCY_NS_P99, 20, 1);
	assert_value(METRIC_WAKEUP_LATENCY_NS_MAX, 20, 1);
	assert_value(METRIC_WASTED_NS, 600, 1);
	assert_value(METRIC_FAIRNESS, 30, 40);
	latency_free(l);
	wasted_free(w);
	fairness_free(f);
}

static void test_big_numbers_keep_their_quotient(void **state)
{
	struct observe_totals t = {.elapsed_ns = UINT64_C(100000000000000),
				   .simulated_ns = UINT64_C(100000000000000),
				   .done_count = UINT64_C(4000000000000000),
				   .sched_ns = UINT64_C(3000000000000000)};
	struct metric_sources from = {.m = hand_machine_init(&h, 64), .totals = &t};
	uint64_t millionths;

	metrics_collect(value, &from);
	assert_true(metric_millionths(value[METRIC_THROUGHPUT_PER_S], &millionths));
	assert_in_range(millionths, 39999999900000000, 40000000100000000); /* 4e10 a second */
	assert_true(metric_millionths(value[METRIC_SCHED_TIME_SHARE], &millionths));
	assert_int_equal(millionths, 468750);
}

static void test_millionths_round_to_nearest(void **state)
{
	uint64_t out = 7;

	assert_true(metric_millionths((struct metric_value){2, 3}, &out));
	assert_int_equal(out, 666667);
	assert_true(metric_millionths((struct metric_value){5, 1}, &out));
	assert_int_equal(out, 5000000);
	assert_false(metric_millionths((struct metric_value){1, 0}, &out));
	assert_false(metric_millionths((struct metric_value){UINT64_MAX, 1}, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_the_interface),
		cmocka_unit_test(test_totals_are_sums_over_cpus),
		cmocka_unit_test(test_real_time_metrics_are_sums_over_cpus_and_paths),
		cmocka_unit_test(test_without_a_real_time_task_its_metrics_are_undefined),
		cmocka_unit_test(test_sinks_give_their_metrics),
		cmocka_unit_test(test_big_numbers_keep_their_quotient),
		cmocka_unit_test(test_millionths_round_to_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
