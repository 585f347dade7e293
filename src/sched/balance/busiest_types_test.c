/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Six types of groups and what each pair of them comes to, by numbers; 5.5 where nothing else is said. */
#include "support.h"

#include "sched/balance/hand_groups.h"

struct row {
	const char *name;
	struct hand_question q;
	struct hand_verdict v;
};

static void check_row(const struct row *row)
{
	struct hand_verdict v = hand_ask(&row->q);

	if (v.busiest != row->v.busiest)
		print_error("%s: group %d, expected %d\n", row->name, v.busiest, row->v.busiest);
	assert_int_equal(v.busiest, row->v.busiest);
	if (v.busiest < 0)
		return;
	if (v.what != row->v.what || v.imbalance != row->v.imbalance)
		print_error("%s: %lld of kind %d\n", row->name, (long long)v.imbalance, v.what);
	assert_int_equal(v.what, row->v.what);
	assert_int_equal(v.imbalance, row->v.imbalance);
}

/* clang-format off */
#define ASK(idle_, pct_, flags_, siblings_, n_, ...) \
	{.kernel = "5.5", .idle = (idle_), .pct = (pct_), .flags = (flags_), .siblings = (siblings_), \
	 .ngroups = (n_), .g = {__VA_ARGS__}}
#define CORE(nr_, idle_, load_, util_) {.weight = 2, .nr = (nr_), .idle = (idle_), .load = (load_), .util = (util_)}
#define NODE(nr_, idle_, load_, util_) {.weight = 8, .nr = (nr_), .idle = (idle_), .load = (load_), .util = (util_)}

/* Cases a to j of the conformance vectors. */
static const struct row vectors[] = {
	{"a", ASK(CPU_IDLE, 117, 0, true, 3, CORE(0, 2, 0, 0), CORE(2, 0, 2046, 2000), CORE(3, 0, 3069, 2048)),
	 {.busiest = 2, .what = MIGRATE_UTIL, .imbalance = 2048}},
	{"b", ASK(CPU_IDLE, 117, 0, true, 3, CORE(0, 2, 0, 0), CORE(1, 1, 1023, 1023), CORE(2, 0, 2046, 2000)),
	 {.busiest = 2, .what = MIGRATE_TASK, .imbalance = 1}},
	{"c", ASK(CPU_NOT_IDLE, 117, 0, true, 2, CORE(1, 1, 1023, 1023), CORE(3, 0, 3069, 2046)),
	 {.busiest = 1, .what = MIGRATE_UTIL, .imbalance = 1025}},
	{"d", ASK(CPU_NOT_IDLE, 125, SD_NUMA, false, 2, NODE(46, 0, 47104, 8192), NODE(54, 0, 55296, 8192)),
	 {.busiest = HAND_NONE}},
	{"e", ASK(CPU_NOT_IDLE, 125, SD_NUMA, false, 2, NODE(44, 0, 45056, 8192), NODE(56, 0, 57344, 8192)),
	 {.busiest = 1, .what = MIGRATE_LOAD, .imbalance = 6144}},
	{"f, g", ASK(CPU_IDLE, 125, SD_NUMA, true, 2, NODE(3, 5, 3069, 3069), NODE(5, 3, 5115, 5115)),
	 {.busiest = 1, .what = MIGRATE_TASK, .imbalance = 1}},
	{"h", ASK(CPU_IDLE, 125, SD_NUMA, false, 2, NODE(6, 2, 6138, 6138), NODE(12, 0, 12276, 8184)),
	 {.busiest = 1, .what = MIGRATE_UTIL, .imbalance = 2054}},
	{"i", ASK(CPU_NOT_IDLE, 110, 0, false, 2,
	       {.weight = 1, .nr = 3, .load = 3069, .util = 1023}, {.weight = 1, .nr = 4, .load = 4092, .util = 1023}),
	 {.busiest = 1, .what = MIGRATE_LOAD, .imbalance = 511}},
	{"j", ASK(CPU_IDLE, 125, 0, false, 2,
	       {.weight = 4, .idle = 4}, {.weight = 4, .nr = 8, .load = 4000, .util = 2800}),
	 {.busiest = 1, .what = MIGRATE_TASK, .imbalance = 2}},
};
/* clang-format on */

static void test_vectors(void **state)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check_row(&vectors[i]);
}

/* A core of two CPUs in each state, from the least to the most in need of relief. */
static struct hand_group core_in(enum group_type type)
{
	struct hand_group g = {.weight = 2, .nr = 2, .load = 2048, .util = 2048};

	switch (type) {
	case GROUP_HAS_SPARE:
		return (struct hand_group){.weight = 2, .nr = 1, .idle = 1, .load = 1024};
	case GROUP_FULLY_BUSY:
		return g;
	case GROUP_MISFIT_TASK:
		g.misfit_load = 700;
		g.max_capacity = 512;
		return g;
	case GROUP_ASYM_PACKING:
		g.asym_prefer_cpu = 3;
		return g;
	case GROUP_SMT_BALANCE:
		break;
	case GROUP_IMBALANCED:
		g.imbalance = true;
		return g;
	case GROUP_OVERLOADED:
		g.nr = 3;
		g.load = 4096;
		return g;
	}
	return g;
}

/*
 * Every pair of states; '-' cannot occur. Spare room beside a spare or full group: idle CPUs
 * are compared, and one more there is not enough.
 */
static void test_every_pair_of_types(void **state)
{
	static const enum group_type local[] = {GROUP_HAS_SPARE, GROUP_FULLY_BUSY, GROUP_IMBALANCED,
						GROUP_OVERLOADED};
	static const char *const moves[] = {
		[GROUP_HAS_SPARE] = "....",   [GROUP_FULLY_BUSY] = "....",
		[GROUP_MISFIT_TASK] = "M---", [GROUP_ASYM_PACKING] = "TTTT",
		[GROUP_IMBALANCED] = "1111",  [GROUP_OVERLOADED] = "ULL.",
	};

	for (unsigned type = 0; type <= GROUP_OVERLOADED; type++) {
		for (unsigned i = 0; i < 4; i++) {
			struct hand_question q = {
				.kernel = "5.5", .idle = CPU_IDLE, .pct = 117, .ngroups = 2};
			struct hand_verdict v;
			char want, got = '.';

			if (type == GROUP_SMT_BALANCE)
				continue;
			want = moves[type][i];

			q.flags = type == GROUP_ASYM_PACKING ? SD_ASYM_PACKING : 0;
			q.g[0] = core_in(local[i]);
			q.g[1] = core_in((enum group_type)type);
			v = hand_ask(&q);
			assert_int_equal(v.type[0], local[i]);
			assert_int_equal(v.type[1], type);
			if (v.busiest == 1)
				got = v.what == MIGRATE_MISFIT                     ? 'M' :
				      v.what == MIGRATE_UTIL                       ? 'U' :
				      v.what == MIGRATE_LOAD                       ? 'L' :
				      type == GROUP_IMBALANCED && v.imbalance == 1 ? '1' :
				      v.imbalance == 2                             ? 'T' :
										     '?';
			if (want == '-')
				want = '.';
			if (got != want)
				print_error("busiest %u, local %u\n", type, (unsigned)local[i]);
			assert_int_equal(got, want);
		}
	}
}

/* Two CPUs idle here and none there: one task; a busy CPU does not care. */
static void test_idle_cpus_are_evened_out_by_those_that_idle(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint32_t here, there;
		int64_t tasks; /* 0: none */
	} rows[] = {{CPU_IDLE, 2, 0, 1}, {CPU_NEWLY_IDLE, 2, 0, 1}, {CPU_NOT_IDLE, 2, 0, 0},
		    {CPU_IDLE, 1, 0, 0}, {CPU_IDLE, 4, 0, 2},       {CPU_IDLE, 4, 1, 1},
		    {CPU_IDLE, 4, 2, 1}, {CPU_IDLE, 4, 3, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = {.kernel = "5.5", .idle = rows[i].idle, .pct = 125};
		struct hand_verdict v;

		q.ngroups = 2;
		q.g[0] = (struct hand_group){
			.weight = 4, .nr = 4 - rows[i].here, .idle = rows[i].here};
		q.g[1] = (struct hand_group){.weight = 4,
					     .nr = 4 - rows[i].there,
					     .idle = rows[i].there,
					     .load = 4096,
					     .util = 4096};
		v = hand_ask(&q);
		assert_int_equal(v.busiest, rows[i].tasks ? 1 : HAND_NONE);
		if (rows[i].tasks) {
			assert_int_equal(v.what, MIGRATE_TASK);
			assert_int_equal(v.imbalance, rows[i].tasks);
		}
	}
}

/* Siblings: two tasks more than here are needed, half the difference moves, idle or not. */
static void test_siblings_even_out_their_tasks(void **state)
{
	static const struct {
		uint32_t here, there;
		int64_t tasks;
	} rows[] = {{0, 1, 0}, {0, 2, 1}, {1, 2, 0}, {1, 3, 1}, {0, 3, 1}, {0, 4, 2}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = {.kernel = "5.5",
					  .idle = CPU_NOT_IDLE,
					  .pct = 117,
					  .siblings = true,
					  .ngroups = 2};
		struct hand_verdict v;

		q.g[0] = (struct hand_group){.weight = 2, .nr = rows[i].here, .util = 10};
		q.g[1] = (struct hand_group){.weight = 2, .nr = rows[i].there, .util = 10};
		v = hand_ask(&q);
		assert_int_equal(v.busiest, rows[i].tasks ? 1 : HAND_NONE);
		if (rows[i].tasks)
			assert_int_equal(v.imbalance, rows[i].tasks);
	}
}

/* No room left by utilization although CPUs idle: one task, if this CPU idles. */
static void test_utilization_of_the_past_stops_only_busy_cpus(void **state)
{
	static const enum cpu_idle_type idle[] = {CPU_IDLE, CPU_NEWLY_IDLE, CPU_NOT_IDLE};

	for (int i = 0; i < 3; i++) {
		struct hand_question q = {
			.kernel = "5.5", .idle = idle[i], .pct = 117, .ngroups = 2};
		struct hand_verdict v;

		q.g[0] = (struct hand_group){.weight = 2, .nr = 1, .idle = 1, .util = 2048};
		q.g[1] = core_in(GROUP_OVERLOADED);
		v = hand_ask(&q);
		assert_int_equal(v.busiest, i < 2 ? 1 : HAND_NONE);
		if (i == 2)
			continue;
		assert_int_equal(v.what, MIGRATE_TASK);
		assert_int_equal(v.imbalance, 1);
	}
}

/* Both overloaded: three tests must be passed, each fails alone. pct 125. */
static void test_overloaded_groups_compare_loads(void **state)
{
	static const struct {
		uint64_t here, there, third; /* average loads of groups of two */
		int64_t moved;
	} rows[] = {
		{1000, 1000, 0, 0},       /* not more there */
		{1000, 1250, 0, 0},       /* not 25 % more */
		{1000, 1251, 0, 250},     /* average 1125: min(126, 125) * 2 */
		{1000, 3000, 9000, 6666}, /* average 4333: min(4667, 3333) * 2 */
		{2000, 2600, 0, 600},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = {
			.kernel = "5.5", .idle = CPU_NOT_IDLE, .pct = 125, .ngroups = 2};
		struct hand_verdict v;

		q.g[0] = (struct hand_group)CORE(8, 0, 2 * rows[i].here, 2048);
		q.g[1] = (struct hand_group)CORE(8, 0, 2 * rows[i].there, 2048);
		if (rows[i].third) {
			q.ngroups = 3;
			q.g[2] = (struct hand_group)CORE(8, 0, 2 * rows[i].third, 2048);
		}
		v = hand_ask(&q);
		if (!rows[i].moved) {
			assert_int_equal(v.busiest, HAND_NONE);
			continue;
		}
		assert_int_equal(v.busiest, q.ngroups - 1);
		assert_int_equal(v.what, MIGRATE_LOAD);
		assert_int_equal(v.imbalance, rows[i].moved);
	}
}

/* Quirk: a full local group above the average makes the amount wrap: 2^64 less something, / 1024. */
static void test_a_full_group_above_the_average_asks_for_nearly_everything(void **state)
{
	struct hand_question q = {.kernel = "5.5", .idle = CPU_IDLE, .pct = 117, .ngroups = 2};
	struct hand_verdict v;

	/* averages 2000 here and 1000 there, together 1500 */
	q.g[0] = (struct hand_group)CORE(2, 0, 4000, 2048);
	q.g[1] = (struct hand_group)CORE(3, 0, 2000, 2048);
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.what, MIGRATE_LOAD);
	/* the lesser of -500 * 2048 and -500 * 2048, as unsigned numbers */
	assert_int_equal(v.imbalance, (int64_t)((0 - UINT64_C(500) * 2048) / 1024));
}

/* Of groups in one state: the most loaded; the first full one; the one of fewest idle CPUs. */
static void test_the_busiest_of_one_type(void **state)
{
	struct hand_question q = {.kernel = "5.5", .idle = CPU_IDLE, .pct = 117, .ngroups = 4};

	q.g[0] = (struct hand_group)CORE(0, 2, 0, 0);
	for (int i = 1; i < 4; i++)
		q.g[i] = (struct hand_group)CORE(3, 0, i == 2 ? 5000 : 3000, 2048);
	assert_int_equal(hand_ask(&q).busiest, 2);
	/* quirk: full groups all have an average of 0, so the first stays */
	for (int i = 1; i < 4; i++)
		q.g[i] = (struct hand_group)CORE(2, 0, i == 2 ? 5000 : 3000, 2048);
	assert_int_equal(hand_ask(&q).busiest, 1);
	q.g[0] = (struct hand_group){.weight = 8, .idle = 8};
	for (int i = 1; i < 4; i++)
		q.g[i] = (struct hand_group)NODE(2, i == 1 ? 6 : 5, 2048, 2048);
	assert_int_equal(hand_ask(&q).busiest, 2);
	/* groups without a fair task are never busiest */
	q.g[2].nr = 0;
	assert_int_equal(hand_ask(&q).busiest, 3);
}

/* Packing: a preferred CPU takes all tasks of the group whose best CPU is the least preferred. */
static void test_packing_takes_from_the_least_preferred_group(void **state)
{
	struct hand_question q = {.kernel = "5.5",
				  .idle = CPU_IDLE,
				  .pct = 117,
				  .flags = SD_ASYM_PACKING,
				  .ngroups = 3};
	struct hand_verdict v;

	q.g[0] = (struct hand_group)CORE(0, 2, 0, 0);
	q.g[1] = (struct hand_group)CORE(1, 1, 1024, 300);
	q.g[1].asym_prefer_cpu = 3;
	q.g[2] = (struct hand_group)CORE(2, 0, 2048, 300);
	q.g[2].asym_prefer_cpu = 2;
	v = hand_ask(&q);
	assert_int_equal(v.type[1], GROUP_ASYM_PACKING);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.what, MIGRATE_TASK);
	assert_int_equal(v.imbalance, 1);
	q.g[1].asym_prefer_cpu = 1;
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 2);
	assert_int_equal(v.imbalance, 2);
	/* a busy CPU packs nothing */
	q.idle = CPU_NOT_IDLE;
	assert_int_equal(hand_ask(&q).type[1], GROUP_HAS_SPARE);
}

/* Unequal CPUs: bigger ones help misfit tasks, and leave to small ones what these can do. */
static void test_groups_of_unequal_cpus(void **state)
{
	struct hand_question q = {.kernel = "5.5",
				  .idle = CPU_IDLE,
				  .pct = 117,
				  .flags = SD_ASYM_CPUCAPACITY,
				  .ngroups = 2};
	struct hand_verdict v;

	q.g[0] = (struct hand_group){.weight = 4, .idle = 4};
	q.g[1] = (struct hand_group){.weight = 4,
				     .nr = 2,
				     .idle = 2,
				     .util = 600,
				     .misfit_load = 700,
				     .capacity = 2048,
				     .min_capacity = 512,
				     .max_capacity = 512};
	v = hand_ask(&q);
	assert_int_equal(v.type[1], GROUP_MISFIT_TASK);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.what, MIGRATE_MISFIT);
	assert_int_equal(v.imbalance, 1);
	/* 820 * 1280 > 1024 * 1024: not enough bigger */
	q.g[1].max_capacity = 820;
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	/* nobody has room here */
	q.g[1].max_capacity = 512;
	q.g[0] = (struct hand_group){.weight = 4, .nr = 4, .util = 4096};
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	/* small CPUs here, big ones there, and these are not overloaded */
	q.g[0] = (struct hand_group){.weight = 4, .idle = 4, .min_capacity = 512, .capacity = 2048};
	q.g[1] = (struct hand_group){.weight = 4, .nr = 4, .util = 4096};
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	q.g[1].nr = 5;
	assert_int_equal(hand_ask(&q).busiest, 1);
	q.g[1].nr = 4;
	q.flags = 0;
	assert_int_equal(hand_ask(&q).busiest, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_every_pair_of_types),
		cmocka_unit_test(test_idle_cpus_are_evened_out_by_those_that_idle),
		cmocka_unit_test(test_siblings_even_out_their_tasks),
		cmocka_unit_test(test_utilization_of_the_past_stops_only_busy_cpus),
		cmocka_unit_test(test_overloaded_groups_compare_loads),
		cmocka_unit_test(test_a_full_group_above_the_average_asks_for_nearly_everything),
		cmocka_unit_test(test_the_busiest_of_one_type),
		cmocka_unit_test(test_packing_takes_from_the_least_preferred_group),
		cmocka_unit_test(test_groups_of_unequal_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
