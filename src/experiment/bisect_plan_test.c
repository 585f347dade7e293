/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways between kernels: the order of steps, and that every kernel on them is possible. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "experiment/bisect_plan.h"
#include "kver/deltas.h"

static struct bisect_plan p;

static void plan(const char *good, const char *bad)
{
	struct rql_error e;

	if (!bisect_plan_make(&p, good, bad, &e))
		fail_msg("%s to %s: %s: %s", good, bad, e.where, e.what);
}

/* The items of step I, joined by commas. */
static const char *step_text(uint32_t step)
{
	static char text[1000];
	char item[BISECT_ITEM_BYTES];

	text[0] = '\0';
	for (uint32_t i = 0; i < p.nchanges; i++) {
		if (p.change[i].step != step)
			continue;
		bisect_plan_item(&p, &p.change[i], item);
		if (*text)
			strcat(text, ",");
		strcat(text, item);
	}
	return text;
}

static const char *prefix_text(uint32_t n)
{
	static char text[KVER_NAME_BYTES];
	bool as_bad[BISECT_STEPS_MAX] = {false};

	for (uint32_t i = 0; i < n; i++)
		as_bad[i] = true;
	if (!bisect_plan_kernel(&p, as_bad, text))
		fail_msg("no kernel after %u steps from %s to %s", (unsigned)n, p.text[0],
			 p.text[1]);
	return text;
}

/* STEPS: what each step makes, in order, ended by NULL. */
static void assert_steps(const char *good, const char *bad, const char *const *steps)
{
	uint32_t n = 0;

	plan(good, bad);
	for (; steps[n]; n++)
		if (n < p.nsteps)
			assert_string_equal(step_text(n), steps[n]);
	assert_int_equal(p.nsteps, n);
}

#define STEPS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void test_steps_follow_the_table_of_deltas(void **state)
{
	assert_steps("3.3", "3.4", STEPS("+lb-rq-list", "+lb-relock", "+lb-min-feature"));
	assert_string_equal(prefix_text(0), "3.3");
	assert_string_equal(prefix_text(1), "3.3,+lb-rq-list");
	assert_string_equal(prefix_text(2), "3.4-rc2");
	assert_string_equal(prefix_text(3), "3.4");
	assert_steps("2.6.35",
		     "2.6.34,-stale-h-load,+latency-6ms,+no-normalized-sleeper,"
		     "+no-fair-sleepers-switch,+no-wakeup-sync,+no-sync-wakeups-switch,"
		     "+no-avg-wakeup,+no-avg-overlap,+no-asym-gran,"
		     "+no-affine-wakeups-switch,+affine-then-idle,+clock-in-queue-ops",
		     STEPS("-rq-cpu-power", "-nohz-ratelimit", "-select-under-rq-lock"));
}

static void test_the_older_end_may_be_the_bad_one(void **state)
{
	assert_steps("3.4", "3.3", STEPS("-lb-min-feature", "-lb-relock", "-lb-rq-list"));
	/* what the newer kernel lost comes back last */
	plan("2.6.35", "2.6.34");
	assert_string_equal(step_text(0), "-rq-cpu-power");
	assert_string_equal(step_text(p.nsteps - 1), "+stale-h-load");
	plan("2.6.34", "2.6.35");
	assert_string_equal(step_text(0), "-stale-h-load");
	assert_string_equal(step_text(p.nsteps - 1), "+rq-cpu-power");
}

static void test_what_is_excluded_goes_before_what_excludes_it_comes(void **state)
{
	assert_steps("3.4", "3.4-rc2,+nr-migrate-cap,+lb-list-head",
		     STEPS("-lb-min-feature", "+lb-list-head", "+nr-migrate-cap"));
	assert_steps("3.4-rc2,+nr-migrate-cap,+lb-list-head", "3.4",
		     STEPS("-nr-migrate-cap", "-lb-list-head", "+lb-min-feature"));
}

static void test_settings_come_after_deltas(void **state)
{
	assert_steps("3.4-rc2,hz=250,NO_LB_BIAS,preempt=full,sched_latency_ns=9000000",
		     "3.4,hz=100,NEXT_BUDDY,LB_BIAS,sched_migration_cost=600000",
		     STEPS("+lb-min-feature", "NEXT_BUDDY", "LB_BIAS", "(sched_latency_ns)",
			   "sched_migration_cost=600000", "hz=100", "(preempt)"));
	assert_string_equal(prefix_text(3), "3.4,NEXT_BUDDY,LB_BIAS,sched_latency_ns=9000000,"
					    "hz=250,preempt=full");
	assert_steps("3.4", "3.4,sched_rt_runtime_us=-1", STEPS("sched_rt_runtime_us=-1"));
}

/* A feature is set only as long as the kernel has it; the delta that takes it away waits. */
static void test_settings_wait_for_what_they_need(void **state)
{
	assert_steps("3.4-rc2", "3.4,LB_MIN", STEPS("+lb-min-feature", "LB_MIN"));
	assert_steps("3.4,LB_MIN", "3.4-rc2", STEPS("(LB_MIN)", "-lb-min-feature"));
	plan("2.6.34,NO_FAIR_SLEEPERS", "2.6.35");
	for (uint32_t i = 0; i <= p.nsteps; i++)
		prefix_text(i);
	/* neither is above the other on the way */
	assert_steps("3.4,sched_rt_period_us=2000,sched_rt_runtime_us=1900",
		     "3.4,sched_rt_period_us=5000,sched_rt_runtime_us=4000",
		     STEPS("sched_rt_period_us=5000", "sched_rt_runtime_us=4000"));
	assert_steps("3.4,sched_rt_period_us=5000,sched_rt_runtime_us=4000",
		     "3.4,sched_rt_period_us=2000,sched_rt_runtime_us=1900",
		     STEPS("sched_rt_runtime_us=1900", "sched_rt_period_us=2000"));
}

static void test_the_ends_keep_the_users_words(void **state)
{
	plan("2.6.35,+stale-h-load,-stale-h-load", "2.6.34,-rq-cpu-power,hz=1000");
	assert_string_equal(prefix_text(0), "2.6.35,+stale-h-load,-stale-h-load");
	assert_string_equal(prefix_text(p.nsteps), "2.6.34,-rq-cpu-power,hz=1000");
}

/* Every kernel between any two, both ways, one change a step. */
static void test_all_kernels_between_all_versions_are_possible(void **state)
{
	for (uint32_t a = 0; kver_profile(a); a++) {
		for (uint32_t b = 0; kver_profile(b); b++) {
			u128 last = kver_profile(a)->deltas;
			struct rql_error e;

			if (kver_profile(a)->deltas == kver_profile(b)->deltas ||
			    kver_profile(a)->family != kver_profile(b)->family)
				continue;
			plan(kver_profile(a)->version, kver_profile(b)->version);
			assert_int_equal(p.nsteps, p.nchanges);
			for (uint32_t i = 1; i <= p.nsteps; i++) {
				u128 deltas, one;

				assert_true(kver_deltas_of(prefix_text(i), &deltas, &e));
				one = deltas ^ last;
				assert_true(one && !(one & (one - 1)));
				last = deltas;
			}
			assert_true(last == kver_profile(b)->deltas);
		}
	}
}

static void test_a_kernel_that_cannot_be_is_none(void **state)
{
	bool as_bad[3] = {false, true, false};
	char text[KVER_NAME_BYTES];

	plan("3.3", "3.4");
	/* lb-relock without lb-rq-list */
	assert_false(bisect_plan_kernel(&p, as_bad, text));
}

static void test_kernels_of_different_bases_are_refused(void **state)
{
	struct rql_error e;

	assert_false(bisect_plan_make(&p, "3.4", "5.4", &e));
	assert_non_null(strstr(e.what, "no kernels lie between 3.4 and 5.4"));
	assert_false(bisect_plan_make(&p, "5.5", "4.0", &e));
}

static void test_equal_kernels_are_refused(void **state)
{
	static const struct {
		const char *good, *bad;
	} rows[] = {
		{"2.6.35", "2.6.35"},
		{"2.6.32", "2.6.33"},
		{"2.6.35,+stale-h-load", "2.6.35-rc2"},
		{"3.4,LB_BIAS,hz=250", "3.4,hz=250,LB_BIAS"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;

		assert_false(bisect_plan_make(&p, rows[i].good, rows[i].bad, &e));
		assert_non_null(strstr(e.what, "are the same kernel here"));
	}
}

/* -- the order alone -- */

/* 1 and 2 only together, and after 3. */
static bool pair_after_three(void *arg, const bool *made)
{
	(void)arg;
	return made[1] == made[2] && (!made[1] || made[3]);
}

static void test_changes_that_are_bound_make_one_step(void **state)
{
	uint32_t step_of[5];

	assert_int_equal(bisect_plan_order(5, pair_after_three, NULL, step_of), 4);
	assert_int_equal(step_of[0], 0);
	assert_int_equal(step_of[3], 1);
	assert_int_equal(step_of[4], 2);
	assert_int_equal(step_of[1], 3);
	assert_int_equal(step_of[2], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_follow_the_table_of_deltas),
		cmocka_unit_test(test_the_older_end_may_be_the_bad_one),
		cmocka_unit_test(test_what_is_excluded_goes_before_what_excludes_it_comes),
		cmocka_unit_test(test_settings_come_after_deltas),
		cmocka_unit_test(test_settings_wait_for_what_they_need),
		cmocka_unit_test(test_the_ends_keep_the_users_words),
		cmocka_unit_test(test_all_kernels_between_all_versions_are_possible),
		cmocka_unit_test(test_a_kernel_that_cannot_be_is_none),
		cmocka_unit_test(test_kernels_of_different_bases_are_refused),
		cmocka_unit_test(test_equal_kernels_are_refused),
		cmocka_unit_test(test_changes_that_are_bound_make_one_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
