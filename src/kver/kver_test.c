/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/buf.h"
#include "kver/deltas.h"
#include "kver/kver.h"
#include "sched/domain/domain.h"

#include <stdio.h>
#include <string.h>

static struct kver parsed(const char *text)
{
	struct rql_error e;
	struct kver v;

	if (!kver_parse(text, &v, &e))
		fail_msg("%s: %s", e.where, e.what);
	return v;
}

static void assert_error(const char *text, const char *where, const char *what)
{
	struct rql_error e = {.line = 9};
	struct kver v;

	assert_false(kver_parse(text, &v, &e));
	assert_string_equal(e.where, where);
	assert_string_equal(e.what, what);
	assert_int_equal(e.line, 0);
	assert_false(e.limit);
}

/* ---- what a text may say ---------------------------------------------------------- */

static void test_every_profile_is_read_under_its_name(void **state)
{
	uint32_t n = 0;

	for (; kver_profile(n); n++) {
		struct kver v = parsed(kver_profile(n)->version);
		bool pelt = kver_profile(n)->family == KVER_PELT;
		u128 deltas;
		struct rql_error e;

		assert_string_equal(v.name, kver_profile(n)->version);
		assert_string_equal(v.version, kver_profile(n)->version);
		assert_int_equal(v.approximate, kver_profile(n)->approximate);
		assert_int_equal(v.rt_only, kver_profile(n)->rt_only);
		assert_int_equal(kver_profile(n)->note != NULL, v.approximate || v.rt_only);
		assert_true(kver_deltas_of(v.name, &deltas, &e));
		assert_true(deltas == kver_profile(n)->deltas);
		assert_int_equal(v.hz, pelt ? 250 : 1000);
		assert_int_equal(v.preempt, pelt ? PREEMPT_VOLUNTARY : PREEMPT_NONE);
		assert_int_equal(v.has_autogroup, v.version[0] >= '3');
		assert_int_equal(v.schedstat_version, strncmp(v.version, "6.12", 4) ? 15 : 16);
		if (v.rt_only || pelt)
			assert_string_equal(v.sched_debug_version, "v0.11");
		else
			assert_string_equal(v.sched_debug_version,
					    v.version[0] == '3' ? "v0.10" : "v0.09");
	}
	assert_int_equal(n, 18);
}

static void test_a_feature_is_set_and_cleared(void **state)
{
	struct kver v = parsed("2.6.35,NEXT_BUDDY,NO_LAST_BUDDY");

	assert_true(kver_has(&v, FEAT_NEXT_BUDDY));
	assert_false(kver_has(&v, FEAT_LAST_BUDDY));
	assert_string_equal(v.name, "2.6.35,NEXT_BUDDY,NO_LAST_BUDDY");
	assert_string_equal(v.version, "2.6.35");
	/* the last word counts */
	v = parsed("2.6.35,NEXT_BUDDY,NO_NEXT_BUDDY");
	assert_false(kver_has(&v, FEAT_NEXT_BUDDY));
	v = parsed("2.6.35,NO_LAST_BUDDY,LAST_BUDDY");
	assert_true(kver_has(&v, FEAT_LAST_BUDDY));
}

static void test_a_delta_is_added_and_removed(void **state)
{
	struct kver v = parsed("2.6.35,+stale-h-load");

	assert_true(kver_has(&v, FEAT_STALE_H_LOAD));
	v = parsed("2.6.34,-stale-h-load");
	assert_false(kver_has(&v, FEAT_STALE_H_LOAD));
	v = parsed("2.6.34,+latency-6ms");
	assert_int_equal(v.tun.latency_ns, 6000000);
	assert_int_equal(v.tun.nr_latency, 3);
	/* once is enough, and what is not there may be taken away */
	v = parsed("2.6.35,+latency-6ms,-stale-h-load");
	assert_int_equal(v.tun.latency_ns, 6000000);
}

static void test_tunables_hz_and_preemption(void **state)
{
	struct kver v = parsed("2.6.34,sched_latency_ns=30000000,hz=250,preempt=full");

	assert_int_equal(v.tun.latency_ns, 30000000);
	assert_int_equal(v.tun_user, UINT64_C(1) << TUN_latency_ns);
	assert_int_equal(v.hz, 250);
	assert_int_equal(v.preempt, PREEMPT_FULL);
	v = parsed("2.6.34,preempt=voluntary,hz=100");
	assert_int_equal(v.preempt, PREEMPT_VOLUNTARY);
	assert_int_equal(v.hz, 100);
	assert_int_equal(parsed("2.6.34,preempt=full,preempt=none").preempt, PREEMPT_NONE);
}

/* A user's value stands whatever deltas say, before or after it. */
static void test_overrides_come_after_all_deltas(void **state)
{
	struct kver v = parsed("2.6.34,sched_latency_ns=7000000,+latency-6ms");

	assert_int_equal(v.tun.latency_ns, 7000000);
	assert_int_equal(v.tun.min_granularity_ns, 2000000);
}

static void test_every_tunable_can_be_set_to_both_its_bounds(void **state)
{
	for (uint32_t i = 0; i < TUNABLE_COUNT; i++) {
		const struct kver_tunable_info *t = kver_tunable_info(i);
		const uint64_t bound[] = {t->low, t->high};

		for (int b = 0; b < 2; b++) {
			char text[100];
			struct kver v;

			/* neither may exceed the other */
			const char *with = "";

			if (i == TUN_rt_period_us)
				with = ",sched_rt_runtime_us=0";
			else if (i == TUN_rt_runtime_us)
				with = ",sched_rt_period_us=2147483647";
			snprintf(text, sizeof(text), "%s,%s=%llu%s",
				 i == TUN_cfs_bandwidth_slice_us  ? "5.4" :
				 i == TUN_idle_min_granularity_ns ? "6.1" :
				 i == TUN_base_slice_ns           ? "6.12" :
								    "2.6.35",
				 t->name, (unsigned long long)bound[b], with);
			v = parsed(text);
			assert_int_equal(kver_tunable_value(&v, i), bound[b]);
			assert_true(v.tun_user >> i & 1);
		}
	}
}

/* A file that was renamed goes by both names in all kernels; a kernel is told by its own. */
static void test_a_renamed_tunable_has_both_names(void **state)
{
	static const struct {
		const char *text, *written;
	} rows[] = {
		{"3.4,sched_migration_cost=7", "3.4,sched_migration_cost=7"},
		{"3.4,sched_migration_cost_ns=7", "3.4,sched_migration_cost=7"},
		{"5.4,sched_migration_cost=7", "5.4,sched_migration_cost_ns=7"},
		{"5.4,sched_migration_cost_ns=7", "5.4,sched_migration_cost_ns=7"},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kver_parts parts;
		struct rql_error e;
		char out[100];

		assert_int_equal(parsed(rows[i].text).tun.migration_cost_ns, 7);
		assert_true(kver_take_apart(rows[i].text, &parts, &e));
		assert_true(kver_write(&parts, out, sizeof(out)));
		assert_string_equal(out, rows[i].written);
	}
}

static void test_a_kernel_refuses_tunables_it_does_not_have(void **state)
{
	assert_int_equal(parsed("2.6.35,sched_shares_thresh=9").tun.shares_thresh, 9);
	assert_error("3.4,sched_shares_thresh=9", "3.4,sched_shares_thresh=9",
		     "sched_shares_thresh is not a tunable of this kernel; "
		     "see runqlab list tunables");
	assert_error("3.4,sched_cfs_bandwidth_slice_us=9", "3.4,sched_cfs_bandwidth_slice_us=9",
		     "sched_cfs_bandwidth_slice_us is not a tunable of this kernel; "
		     "see runqlab list tunables");
	assert_int_equal(parsed("5.4").tun.cfs_bandwidth_slice_us, 5000);
	assert_error("5.5,sched_shares_ratelimit=9", "5.5,sched_shares_ratelimit=9",
		     "sched_shares_ratelimit is not a tunable of this kernel; "
		     "see runqlab list tunables");
	assert_error("5.4,sched_migration_cst=9", "5.4,sched_migration_cst=9",
		     "unknown tunable 'sched_migration_cst'; nearest: sched_migration_cost_ns, "
		     "sched_nr_latency, sched_rt_period_us");
}

/* The names that /sys/kernel/debug/sched_features of these kernels shows, and no other. */
static void test_features_of_5_4_are_those_of_its_file(void **state)
{
	static const char *const names[] = {
		"GENTLE_FAIR_SLEEPERS",
		"START_DEBIT",
		"NEXT_BUDDY",
		"LAST_BUDDY",
		"CACHE_HOT_BUDDY",
		"WAKEUP_PREEMPTION",
		"HRTICK",
		"DOUBLE_TICK",
		"NONTASK_CAPACITY",
		"TTWU_QUEUE",
		"SIS_AVG_CPU",
		"SIS_PROP",
		"WARN_DOUBLE_CLOCK",
		"RT_PUSH_IPI",
		"RT_RUNTIME_SHARE",
		"LB_MIN",
		"ATTACH_AGE_LOAD",
		"WA_IDLE",
		"WA_WEIGHT",
		"WA_BIAS",
		"UTIL_EST",
		"UTIL_EST_FASTUP",
	};
	const uint32_t count = sizeof(names) / sizeof(names[0]);

	for (int later = 0; later < 2; later++) {
		struct kver v = parsed(later ? "5.5" : "5.4");
		uint32_t n = 0;

		for (enum feature f = 0; f < FEATURE_COUNT; f++)
			n += feature_set_has(&v.known, f);
		assert_int_equal(n, later ? count : count - 1);
		for (uint32_t i = 0; i < n; i++) {
			char text[60];

			snprintf(text, sizeof(text), "%s,NO_%s", v.version, names[i]);
			parsed(text);
		}
	}
}

static void test_real_time_runtime_may_be_unlimited_but_not_above_the_period(void **state)
{
	struct rql_error e;
	struct kver v = parsed("3.4,sched_rt_runtime_us=-1");

	assert_true(v.tun.rt_runtime_us == TUNABLE_NONE);
	assert_int_equal(parsed("3.4").tun.rt_runtime_us, 950000);
	assert_false(kver_parse("3.4,sched_rt_period_us=-1", &v, &e));
	assert_false(kver_parse("3.4,sched_rt_runtime_us=1000001", &v, &e));
	assert_string_equal(e.what, "sched_rt_runtime_us exceeds sched_rt_period_us; "
				    "at most the period, or -1 for no limit");
}

static void test_a_set_of_features_holds_each_apart(void **state)
{
	static const unsigned places[] = {0, 1, 31, 32, 62, 63, 64, 65, 126, 127};
	const size_t n = sizeof(places) / sizeof(places[0]);

	for (size_t i = 0; i < n; i++) {
		struct feature_set one = {0}, all = {{UINT64_MAX, UINT64_MAX}};

		feature_set_add(&one, (enum feature)places[i]);
		feature_set_remove(&all, (enum feature)places[i]);
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(feature_set_has(&one, (enum feature)places[j]), i == j);
			assert_int_equal(feature_set_has(&all, (enum feature)places[j]), i != j);
		}
	}
}

/* ---- what the versions are ---------------------------------------------------------- */

static void test_features_of_the_versions(void **state)
{
	/* on 1, off 0, not there 2 */
	/* clang-format off */
	static const struct { enum feature f; int v34, v35; } rows[] = {
		{FEAT_FAIR_SLEEPERS, 1, 2},     {FEAT_GENTLE_FAIR_SLEEPERS, 1, 1},
		{FEAT_NORMALIZED_SLEEPER, 0, 2}, {FEAT_START_DEBIT, 1, 1},
		{FEAT_WAKEUP_PREEMPT, 1, 1},    {FEAT_ADAPTIVE_GRAN, 1, 2},
		{FEAT_ASYM_GRAN, 1, 2},         {FEAT_WAKEUP_SYNC, 0, 2},
		{FEAT_WAKEUP_OVERLAP, 0, 2},    {FEAT_SYNC_WAKEUPS, 1, 2},
		{FEAT_AFFINE_WAKEUPS, 1, 2},    {FEAT_SYNC_LESS, 1, 2},
		{FEAT_SYNC_MORE, 0, 2},         {FEAT_NEXT_BUDDY, 0, 0},
		{FEAT_LAST_BUDDY, 1, 1},        {FEAT_CACHE_HOT_BUDDY, 1, 1},
		{FEAT_ARCH_POWER, 0, 0},        {FEAT_HRTICK, 0, 0},
		{FEAT_DOUBLE_TICK, 0, 0},       {FEAT_LB_BIAS, 1, 1},
		{FEAT_LB_SHARES_UPDATE, 1, 1},  {FEAT_ASYM_EFF_LOAD, 1, 1},
	};
	/* clang-format on */
	static const char *const versions[] = {"2.6.34", "2.6.35-rc2", "2.6.35"};

	for (int i = 0; i < 3; i++) {
		struct kver v = parsed(versions[i]);

		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
			int expected = i ? rows[r].v35 : rows[r].v34;

			assert_int_equal(feature_set_has(&v.known, rows[r].f), expected != 2);
			if (expected != 2)
				assert_int_equal(kver_has(&v, rows[r].f), expected);
		}
	}
}

/* Which real-time rules each kernel has, and whose domains it walks. */
static void test_real_time_rules_of_the_versions(void **state)
{
	static const char *const kernels[] = {"2.6.35", "3.3", "3.4", "3.18", "3.19", "4.0"};
	static const struct {
		enum feature f;
		bool in[6];
	} rows[] = {
		{FEAT_RT_AVG_AT_TICK, {0, 1, 1, 1, 1, 1}},
		{FEAT_RT_FORK_SELECT, {0, 1, 1, 1, 1, 1}},
		{FEAT_RT_PUSH_EQUAL, {0, 1, 1, 1, 1, 1}},
		{FEAT_RT_PULL_PUSHABLE, {0, 0, 0, 1, 1, 1}},
		{FEAT_RT_PULL_IN_PICK, {0, 0, 0, 1, 1, 1}},
		{FEAT_RT_UNCOUNT_THROTTLED, {0, 0, 0, 1, 1, 1}},
		{FEAT_CPUPRI_ALL, {1, 0, 0, 1, 1, 1}},
		{FEAT_RT_KEEP_HIGHER, {0, 1, 1, 1, 1, 1}},
		{FEAT_RT_HEAD_ON_DROP, {0, 0, 0, 1, 1, 1}},
		{FEAT_RT_SELECT_CHECK, {0, 0, 0, 0, 0, 1}},
		{FEAT_RT_FIND_CHECK, {0, 0, 0, 0, 0, 1}},
	};

	for (uint32_t i = 0; i < 6; i++) {
		struct kver v = parsed(kernels[i]);

		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
			assert_int_equal(kver_has(&v, rows[r].f), rows[r].in[i]);
		assert_ptr_equal(v.domains, i < 1 ? &domain_rules_classic :
					    i < 3 ? &domain_rules_full_span :
						    &domain_rules_one_init);
	}
	assert_ptr_equal(parsed("3.19,-one-sd-init").domains, &domain_rules_full_span);
}

static void test_rules_of_the_versions(void **state)
{
	static const struct {
		enum feature f;
		bool in[6]; /* 2.6.31, .32, .33, .34, .35-rc2, .35 */
	} rows[] = {
		{FEAT_STALE_H_LOAD, {0, 1, 1, 1, 1, 0}},
		{FEAT_CLOCK_IN_QUEUE_OPS, {0, 0, 0, 0, 1, 1}},
		{FEAT_SELECT_UNDER_RQ_LOCK, {0, 0, 0, 0, 1, 1}},
		{FEAT_RQ_CPU_POWER, {0, 0, 0, 0, 1, 1}},
		{FEAT_AFFINE_POWER, {0, 0, 0, 0, 1, 1}},
		{FEAT_AVG_WAKEUP, {1, 1, 1, 1, 0, 0}},
		{FEAT_AVG_OVERLAP, {1, 1, 1, 1, 0, 0}},
		{FEAT_NOHZ_RATELIMIT, {0, 0, 0, 0, 1, 1}},
	};

	for (uint32_t i = 0; i < 6; i++) {
		struct kver v = parsed(kver_profile(i)->version);

		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
			assert_int_equal(kver_has(&v, rows[r].f), rows[r].in[i]);
			assert_true(kver_feature_info(rows[r].f)->is_rule);
		}
	}
}

static void test_numbers_of_the_versions(void **state)
{
	struct kver a = parsed("2.6.34"), b = parsed("2.6.35");

	assert_int_equal(a.tun.latency_ns, 5000000);
	assert_int_equal(a.tun.min_granularity_ns, 1000000);
	assert_int_equal(a.tun.nr_latency, 5);
	assert_int_equal(b.tun.latency_ns, 6000000);
	assert_int_equal(b.tun.min_granularity_ns, 2000000);
	assert_int_equal(b.tun.nr_latency, 3);
	assert_int_equal(a.tun.wakeup_granularity_ns, b.tun.wakeup_granularity_ns);
	assert_int_equal(b.tun.wakeup_granularity_ns, 1000000);
	assert_int_equal(b.tun.shares_ratelimit_ns, 250000);
	assert_int_equal(b.tun.shares_thresh, 4);
	assert_int_equal(b.tun.migration_cost_ns, 500000);
	assert_int_equal(b.tun.nr_migrate, 32);
	assert_int_equal(b.tun.child_runs_first, 0);
	assert_int_equal(a.inverse_plus_one, 1);
	assert_int_equal(b.inverse_plus_one, 1);
}

/* The two kernels of the first case differ in one delta. */
static void test_rc2_and_final_differ_in_stale_h_load(void **state)
{
	struct rql_error e;
	u128 a, b;

	assert_true(kver_deltas_of("2.6.35-rc2", &a, &e));
	assert_true(kver_deltas_of("2.6.35", &b, &e));
	assert_true((a ^ b) == DELTA_BIT(DELTA_STALE_H_LOAD));
}

/* Are all of NAMES, a space between, in SET? If not TEXT gets the first that is not, and SET too. */
static bool has_all(const char *names, u128 *set, char *text)
{
	while (names && *names) {
		size_t n = strcspn(names, " ");

		for (uint32_t i = 0; i < DELTA_COUNT; i++) {
			const char *name = kver_delta(i)->name;

			if (strlen(name) != n || strncmp(name, names, n) != 0 ||
			    (*set & DELTA_BIT(i)))
				continue;
			*set |= DELTA_BIT(i);
			strcat(strcat(text, ",+"), name);
			return false;
		}
		names += n + strspn(names + n, " ");
	}
	return true;
}

/* TEXT, which names delta D, is given all that D needs. */
static void add_needed(uint32_t d, char *text)
{
	u128 set = DELTA_BIT(d);
	bool complete = false;

	while (!complete) {
		complete = true;
		for (uint32_t i = 0; i < DELTA_COUNT && complete; i++)
			if (kver_delta_family(i) == kver_delta_family(d) && (set & DELTA_BIT(i)))
				complete = has_all(kver_delta(i)->needs, &set, text);
	}
}

static void test_the_table_of_deltas_is_sound(void **state)
{
	for (uint32_t i = 0; i < DELTA_COUNT; i++) {
		const struct kver_delta *d = kver_delta(i);
		char text[KVER_NAME_BYTES];
		struct kver v;
		struct rql_error e;

		assert_non_null(d->name);
		assert_non_null(d->what);
		assert_non_null(d->origin);
		assert_non_null(d->since);
		assert_non_null(d->apply);
		if (d->alias)
			for (uint32_t j = 0; j < DELTA_COUNT; j++)
				assert_string_not_equal(d->alias, kver_delta(j)->name);
		for (uint32_t j = 0; j < i; j++)
			assert_string_not_equal(d->name, kver_delta(j)->name);
		/* each by itself is a kernel, with what it needs */
		snprintf(text, sizeof(text), "%s,+%s",
			 kver_delta_family(i) == KVER_PELT ? "5.4" : "2.6.34", d->name);
		add_needed(i, text);
		if (!kver_parse(text, &v, &e))
			fail_msg("%s: %s", e.where, e.what);
	}
	assert_null(kver_delta(DELTA_COUNT));
}

/* ---- what is wrong ----------------------------------------------------------------- */

static void test_unknown_words_name_the_nearest(void **state)
{
	assert_error("2.6.36", "2.6.36",
		     "unknown kernel '2.6.36'; nearest: 2.6.31, 2.6.32, 2.6.33");
	assert_error("2.6.35-rc3", "2.6.35-rc3",
		     "unknown kernel '2.6.35-rc3'; nearest: 2.6.35-rc2, 2.6.33, 2.6.35");
	assert_error("2.6.35,+stale-hload", "2.6.35,+stale-hload",
		     "unknown delta 'stale-hload'; nearest: stale-h-load, idle-group, lb-relock");
	assert_error(
		"2.6.35,-rq-cpu-pwer", "2.6.35,-rq-cpu-pwer",
		"unknown delta 'rq-cpu-pwer'; nearest: rq-cpu-power, rt-equal-push, no-tick-skew");
	assert_error("2.6.35,NEXT_BUDY", "2.6.35,NEXT_BUDY",
		     "unknown feature or item 'NEXT_BUDY'; nearest: NEXT_BUDDY, LAST_BUDDY, "
		     "PICK_BUDDY");
	assert_error("2.6.35,NO_NEXT_BUDY", "2.6.35,NO_NEXT_BUDY",
		     "unknown feature or item 'NEXT_BUDY'; nearest: NEXT_BUDDY, LAST_BUDDY, "
		     "PICK_BUDDY");
	assert_error("2.6.35,sched_latency=1", "2.6.35,sched_latency=1",
		     "unknown tunable 'sched_latency'; nearest: sched_latency_ns, "
		     "sched_nr_latency, base_slice_ns");
}

/* Rules are not for users. */
static void test_a_rule_is_not_a_feature(void **state)
{
	struct rql_error e;
	struct kver v;

	assert_false(kver_parse("2.6.35,STALE_H_LOAD", &v, &e));
	assert_true(strncmp(e.what, "unknown feature or item 'STALE_H_LOAD'; nearest: ", 49) == 0);
}

static void test_a_feature_of_another_version(void **state)
{
	static const char text[] =
		"ADAPTIVE_GRAN is not a feature of this kernel; see runqlab list features";

	assert_error("2.6.35,ADAPTIVE_GRAN", "2.6.35,ADAPTIVE_GRAN", text);
	assert_error("2.6.35,NO_ADAPTIVE_GRAN", "2.6.35,NO_ADAPTIVE_GRAN", text);
	/* by a delta, in whatever order */
	assert_error("2.6.34,ADAPTIVE_GRAN,+no-avg-wakeup", "2.6.34,ADAPTIVE_GRAN,+no-avg-wakeup",
		     text);
}

static void test_a_delta_has_the_mails_number_too(void **state)
{
	struct rql_error e;
	u128 by_name, by_number;

	assert_true(kver_deltas_of("5.4,+lb-asym-mark", &by_name, &e));
	assert_true(kver_deltas_of("5.4,+lb-p1", &by_number, &e));
	assert_true(by_name && by_name == by_number);
}

static void test_a_delta_of_the_other_base_is_refused(void **state)
{
	assert_error("3.4,+lb-p1", "3.4,+lb-p1",
		     "lb-asym-mark is a delta of kernels from 5.4 on; see runqlab list deltas");
	assert_error("5.4,+stale-h-load", "5.4,+stale-h-load",
		     "stale-h-load is a delta of kernels up to 4.0; see runqlab list deltas");
}

static void test_what_is_not_modelled_can_only_be_off(void **state)
{
	assert_error("2.6.35,HRTICK", "2.6.35,HRTICK",
		     "HRTICK is not modelled and can only be off; leave it out");
	assert_error("2.6.35,DOUBLE_TICK", "2.6.35,DOUBLE_TICK",
		     "DOUBLE_TICK is not modelled and can only be off; leave it out");
	assert_error("2.6.35,ARCH_POWER", "2.6.35,ARCH_POWER",
		     "ARCH_POWER is not modelled and can only be off; leave it out");
	parsed("2.6.35,NO_HRTICK");
}

static void test_empty_texts_and_items(void **state)
{
	static const char items[] =
		"empty item; items are FEATURE, NO_FEATURE, +DELTA, -DELTA, TUNABLE=VALUE";

	assert_error("", "", "empty kernel; a version such as 6.12-debian");
	assert_error(",NEXT_BUDDY", ",NEXT_BUDDY", "empty kernel; a version such as 6.12-debian");
	assert_error("2.6.35,", "2.6.35,", items);
	assert_error("2.6.35,,NEXT_BUDDY", "2.6.35,,NEXT_BUDDY", items);
}

static void test_values_out_of_range_or_malformed(void **state)
{
	assert_error("2.6.35,sched_latency_ns=1", "2.6.35,sched_latency_ns=1",
		     "sched_latency_ns=1: out of range; write 100000 to 1000000000");
	assert_error("2.6.35,sched_latency_ns=", "2.6.35,sched_latency_ns=",
		     "sched_latency_ns=: empty; write a whole number");
	assert_error(
		"2.6.35,sched_latency_ns=6ms", "2.6.35,sched_latency_ns=6ms",
		"sched_latency_ns=6ms: not a whole number; a count has no unit and no fraction");
	assert_error("2.6.35,sched_nr_latency=0", "2.6.35,sched_nr_latency=0",
		     "sched_nr_latency=0: out of range; write 1 to 1000");
	assert_error(
		"3.4,sched_rt_runtime_us=-2", "3.4,sched_rt_runtime_us=-2",
		"sched_rt_runtime_us=-2: out of range; write 0 to 2147483647, or -1 for no limit");
	assert_error("2.6.35,hz=99", "2.6.35,hz=99", "hz=99: out of range; write 100 to 10000");
	assert_error("2.6.35,hz=300", "2.6.35,hz=300",
		     "hz=300: a tick must be a whole number of ns; 100, 200, 250, 500 or 1000");
	assert_error("2.6.35,preempt=rt", "2.6.35,preempt=rt",
		     "preempt=rt: unknown preemption model; none, voluntary or full");
	assert_error("2.6.35,preempt=", "2.6.35,preempt=",
		     "preempt=: unknown preemption model; none, voluntary or full");
}

/* A delta without the one it builds on: the message is the text to write. */
static void test_a_missing_need_is_written_out(void **state)
{
	assert_error("2.6.34,+no-asym-gran", "2.6.34,+no-asym-gran",
		     "delta no-asym-gran needs no-avg-wakeup; write "
		     "2.6.34,+no-asym-gran,+no-avg-wakeup");
	parsed("2.6.34,+no-asym-gran,+no-avg-wakeup");
	parsed("2.6.34,+no-avg-wakeup,+no-asym-gran");
	assert_error("2.6.35,-no-avg-wakeup", "2.6.35,-no-avg-wakeup",
		     "delta no-asym-gran needs no-avg-wakeup; write "
		     "2.6.35,-no-avg-wakeup,+no-avg-wakeup");
	parsed("2.6.35,-no-avg-wakeup,-no-asym-gran");
}

/* ---- texts taken apart and written -------------------------------------------------- */

static void test_a_text_is_written_in_the_tables_order(void **state)
{
	static const struct {
		const char *text, *written;
	} rows[] = {
		{"2.6.35", "2.6.35"},
		{"2.6.35,-stale-h-load", "2.6.35"},
		{"2.6.35,hz=250,+stale-h-load,NO_LAST_BUDDY,-rq-cpu-power,NEXT_BUDDY,preempt=full",
		 "2.6.35,+stale-h-load,-rq-cpu-power,NEXT_BUDDY,NO_LAST_BUDDY,hz=250,preempt=full"},
		{"3.4,NO_LB_BIAS,LB_BIAS", "3.4,LB_BIAS"},
		{"3.4,sched_rt_runtime_us=-1,sched_latency_ns=7000000,preempt=none",
		 "3.4,sched_latency_ns=7000000,sched_rt_runtime_us=-1,preempt=none"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[KVER_NAME_BYTES];
		struct kver_parts p, again;
		struct rql_error e;

		assert_true(kver_take_apart(rows[i].text, &p, &e));
		assert_true(kver_write(&p, text, sizeof(text)));
		assert_string_equal(text, rows[i].written);
		assert_true(kver_take_apart(text, &again, &e));
		assert_true(again.deltas == p.deltas);
		assert_memory_equal(&again.features_on, &p.features_on, sizeof(p.features_on));
		assert_memory_equal(&again.features_off, &p.features_off, sizeof(p.features_off));
		assert_true(again.tun_set == p.tun_set);
		assert_memory_equal(again.tun, p.tun, sizeof(p.tun));
		assert_true(again.hz == p.hz && again.preempt == p.preempt);
		assert_false(kver_write(&p, text, strlen(rows[i].written)));
	}
}

/* A version is a name for a set of deltas: nothing that runs may hang on the name itself. */
static void test_a_set_of_deltas_runs_the_same_under_any_version(void **state)
{
	for (uint32_t a = 0; kver_profile(a); a++) {
		for (uint32_t b = 0; kver_profile(b); b++) {
			char text[KVER_NAME_BYTES];
			struct kver_parts p;
			struct rql_error e;
			struct kver v, w = parsed(kver_profile(a)->version);

			if (kver_profile(a)->family != kver_profile(b)->family)
				continue;
			assert_true(kver_take_apart(kver_profile(a)->version, &p, &e));
			p.profile = kver_profile(b);
			assert_true(kver_write(&p, text, sizeof(text)));
			v = parsed(text);
			/* what only names it */
			memcpy(w.name, v.name, sizeof(w.name));
			memcpy(w.version, v.version, sizeof(w.version));
			w.approximate = v.approximate;
			w.rt_only = v.rt_only;
			w.sched_debug_version = v.sched_debug_version;
			if (memcmp(&v, &w, sizeof(v)) != 0)
				fail_msg("%s is not %s", text, kver_profile(a)->version);
		}
	}
}

static void test_texts_have_a_greatest_length(void **state)
{
	char text[KVER_NAME_BYTES + 50] = "2.6.35";
	struct rql_error e;
	struct kver v;

	while (strlen(text) + strlen(",LB_BIAS") <= 2047)
		strcat(text, ",LB_BIAS");
	parsed(text);
	strcat(text, ",LB_BIAS");
	assert_true(strlen(text) >= 2048);
	assert_false(kver_parse(text, &v, &e));
	assert_string_equal(e.where, "kernel");
	assert_string_equal(e.what, "the text is too long; at most 2047 characters");
}

static void test_long_and_strange_words_stay_one_line(void **state)
{
	struct rql_error e;
	struct kver v;

	assert_false(
		kver_parse("2.6.35,a_word_that_is_much_longer_than_any_feature_of_any_kernel_is\n"
			   "with a line break",
			   &v, &e));
	assert_null(strchr(e.what, '\n'));
	assert_null(strchr(e.where, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_profile_is_read_under_its_name),
		cmocka_unit_test(test_a_feature_is_set_and_cleared),
		cmocka_unit_test(test_a_delta_is_added_and_removed),
		cmocka_unit_test(test_tunables_hz_and_preemption),
		cmocka_unit_test(test_overrides_come_after_all_deltas),
		cmocka_unit_test(test_every_tunable_can_be_set_to_both_its_bounds),
		cmocka_unit_test(test_a_renamed_tunable_has_both_names),
		cmocka_unit_test(test_a_kernel_refuses_tunables_it_does_not_have),
		cmocka_unit_test(test_features_of_5_4_are_those_of_its_file),
		cmocka_unit_test(test_real_time_runtime_may_be_unlimited_but_not_above_the_period),
		cmocka_unit_test(test_a_set_of_features_holds_each_apart),
		cmocka_unit_test(test_features_of_the_versions),
		cmocka_unit_test(test_rules_of_the_versions),
		cmocka_unit_test(test_real_time_rules_of_the_versions),
		cmocka_unit_test(test_numbers_of_the_versions),
		cmocka_unit_test(test_rc2_and_final_differ_in_stale_h_load),
		cmocka_unit_test(test_the_table_of_deltas_is_sound),
		cmocka_unit_test(test_unknown_words_name_the_nearest),
		cmocka_unit_test(test_a_rule_is_not_a_feature),
		cmocka_unit_test(test_a_feature_of_another_version),
		cmocka_unit_test(test_a_delta_has_the_mails_number_too),
		cmocka_unit_test(test_a_delta_of_the_other_base_is_refused),
		cmocka_unit_test(test_what_is_not_modelled_can_only_be_off),
		cmocka_unit_test(test_empty_texts_and_items),
		cmocka_unit_test(test_values_out_of_range_or_malformed),
		cmocka_unit_test(test_a_missing_need_is_written_out),
		cmocka_unit_test(test_a_text_is_written_in_the_tables_order),
		cmocka_unit_test(test_a_set_of_deltas_runs_the_same_under_any_version),
		cmocka_unit_test(test_texts_have_a_greatest_length),
		cmocka_unit_test(test_long_and_strange_words_stay_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
