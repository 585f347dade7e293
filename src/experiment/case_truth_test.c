/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded figures as figures of cases: what they must lie in, and that they are measured. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/case.h"
#include "experiment/truth_figures.h"

static const struct case_figure *figure(const struct case_def *def, const char *name)
{
	for (uint32_t i = 0; i < def->nfigures; i++)
		if (strcmp(def->figures[i].name, name) == 0)
			return &def->figures[i];
	fail_msg("%s has no %s", def->id, name);
	return NULL;
}

static void assert_between(const struct case_figure *f, double low, double high)
{
	if (fabs(f->low - low) > 1e-6 || fabs(f->high - high) > 1e-6)
		fail_msg("%s: %g to %g", f->name, f->low, f->high);
}

static void test_bounds_are_those_of_the_kind(void **state)
{
	const struct case_def *a = case_by_id("truth-a"), *p1 = case_by_id("truth-p1");
	const struct case_figure *f;

	/* counters of schedstat: a quarter around the median */
	f = figure(a, "stat_sched_count_6.1");
	assert_true(f->published == 50150 && f->published_low == 50135);
	assert_between(f, 37612.5, 62687.5);
	assert_string_equal(f->kind, "stat");
	/* one task where a tenth is less */
	assert_between(figure(a, "place_spread_at_1s_6.1"), 0, 2);
	assert_between(figure(a, "place_node0_tasks_at_end_6.1"), 49 * 0.9, 51 * 1.1);
	assert_between(figure(a, "place_migrations_total_6.1"), 1389 * 0.9, 1394 * 1.1);
	assert_between(figure(a, "share_sl_cpu_s_min_6.1"), 3.032 * 0.9, 3.044 * 1.1);
	/* recorded once */
	assert_between(figure(p1, "share_n0_cpu_s_sum_6.1"), 9.8556 * 0.75, 9.8556 * 1.25);
	assert_between(figure(p1, "place_migrations_total_6.1"), 1, 3);
	/* prices come from it */
	assert_false(
		case_is_judged(figure(case_by_id("truth-g2same"), "time_us_per_roundtrip_6.1")));
	assert_true(
		case_is_judged(figure(case_by_id("truth-g2core"), "time_us_per_roundtrip_6.1")));
}

static void test_some_counters_are_aimed_at(void **state)
{
	assert_true(truth_stat_is_aimed_at("stat_sched_goidle_6.12"));
	assert_true(truth_stat_is_aimed_at("stat_SMT_newidle_lb_count_6.1"));
	assert_true(truth_stat_is_aimed_at("stat_NUMA_busy_lb_gained_6.12"));
	assert_false(truth_stat_is_aimed_at("stat_pcount_6.1"));
	assert_false(truth_stat_is_aimed_at("stat_MC_busy_lb_failed_6.1"));
	assert_false(truth_stat_is_aimed_at("stat_MC_ttwu_wake_remote_6.1"));
}

/* Every recorded figure is asked of one kernel; with a profile of the other, of both. */
static void test_each_kernel_has_all_figures(void **state)
{
	for (uint32_t i = 0; case_truth(i); i++) {
		const struct case_def *c = case_truth(i);
		uint32_t of_61 = 0, of_612 = 0;

		for (uint32_t f = TRUTH_SUMMARIES; f < c->nfigures; f++) {
			size_t n = strlen(c->figures[f].name);

			of_61 += strcmp(c->figures[f].name + n - 4, "_6.1") == 0;
			of_612 += strcmp(c->figures[f].name + n - 5, "_6.12") == 0;
		}
		assert_int_equal(of_61 + of_612, c->nfigures - TRUTH_SUMMARIES);
		assert_true(of_61 > 0);
		assert_int_equal(of_612, truth_has_612() ? of_61 : 0);
	}
}

static double simulated(const struct case_def *def, const struct case_result *r, const char *name)
{
	return r->simulated[figure(def, name) - def->figures];
}

/* What does not hang on the kernel's balancing: two pinned spinners share by their weights. */
static void test_pinned_spinners_are_measured(void **state)
{
	const struct case_def *p1 = case_by_id("truth-p1");
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(p1, false, &r, &e));
	for (uint32_t i = TRUTH_SUMMARIES; i < p1->nfigures; i++)
		if (strcmp(p1->figures[i].kind, "share") == 0 && !r.figure_holds[i])
			fail_msg("%s: %g", p1->figures[i].name, r.simulated[i]);
	assert_true(simulated(p1, &r, "place_spread_at_10s_6.1") == 2);
	assert_true(simulated(p1, &r, "place_spread_mean_from_3s_6.1") == 2);
	assert_true(simulated(p1, &r, "place_node0_tasks_at_end_6.1") == 2);
	/* each moves once at most, to the CPU it pins itself to */
	assert_true(simulated(p1, &r, "place_migrations_total_6.1") <= 2);
	assert_true(simulated(p1, &r, "stat_ttwu_count_6.1") >= 10);
	assert_true(simulated(p1, &r, "stat_SMT_idle_lb_count_6.1") > 1000);
}

static void test_programs_that_end_are_measured(void **state)
{
	const struct case_def *c = case_by_id("truth-g2smt");
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(c, false, &r, &e));
	assert_in_range((uint64_t)simulated(c, &r, "time_us_per_roundtrip_6.1"), 5, 20);
	/* two switches to a task and two to idle a round */
	assert_in_range((uint64_t)simulated(c, &r, "stat_sched_count_6.1"), 19000, 21000);
	assert_in_range((uint64_t)simulated(c, &r, "stat_ttwu_count_6.1"), 9900, 10100);
}

static void test_periodic_threads_tell_their_latency(void **state)
{
	const struct case_def *c = case_by_id("truth-f");
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(c, false, &r, &e));
	assert_in_range((uint64_t)simulated(c, &r, "time_rt_periods_max_6.1"), 999, 1001);
	assert_in_range((uint64_t)simulated(c, &r, "time_rt_maxlat_us_max_6.1"), 1, 300);
	assert_in_range((uint64_t)(100 * simulated(c, &r, "share_rt_cpu_s_sum_6.1")), 790, 830);
}

/* Names and spans are those recorded, and a figure counts CPUs. */
static void test_domains_are_compared_cpu_by_cpu(void **state)
{
	const struct case_def *c = case_by_id("truth-t4x4ring");
	struct case_result r;
	struct rql_error e;

	assert_true(case_execute(c, false, &r, &e));
	assert_true(simulated(c, &r, "topo_domains_6.1") == 48);
	assert_true(simulated(c, &r, "topo_domain0_name_6.1") == 16);
	assert_true(simulated(c, &r, "topo_domain1_span_6.1") == 16);
	assert_true(simulated(c, &r, "topo_domain2_groups_6.1") == 16);
	assert_true(simulated(c, &r, "topo_domain2_max_interval_6.1") == 16);
	assert_between(figure(c, "topo_domain2_flags_6.1"), 16, 16);
	assert_true(figure(c, "topo_domain2_flags_6.1")->required);
}

/* The same machine with the domains of an older kernel is not the same. */
static void test_other_domains_do_not_agree(void **state)
{
	struct case_def c = *case_by_id("truth-t16");
	struct case_run row = c.runs[0];
	struct case_result r;
	struct rql_error e;

	/* 2 sockets x 8 cores where 4 of 2 threads were recorded */
	row.machine = "2x8x1";
	c.runs = &row;
	c.nruns = 1;
	c.nfigures = 28;
	assert_true(case_execute(&c, false, &r, &e));
	assert_true(simulated(&c, &r, "topo_domains_6.1") == 32);
	assert_true(simulated(&c, &r, "topo_domain0_name_6.1") == 0);
	assert_true(simulated(&c, &r, "topo_domain2_name_6.1") == 0);
	assert_false(r.holds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds_are_those_of_the_kind),
		cmocka_unit_test(test_some_counters_are_aimed_at),
		cmocka_unit_test(test_each_kernel_has_all_figures),
		cmocka_unit_test(test_pinned_spinners_are_measured),
		cmocka_unit_test(test_programs_that_end_are_measured),
		cmocka_unit_test(test_periodic_threads_tell_their_latency),
		cmocka_unit_test(test_domains_are_compared_cpu_by_cpu),
		cmocka_unit_test(test_other_domains_do_not_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
