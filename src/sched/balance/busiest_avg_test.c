/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The average load and the four types of groups of 5.4, by numbers; and what is left of them later. */
#include "support.h"

#include "sched/balance/hand_groups.h"

/* No small rule any more. */
#define NO_SMALL "5.4,+lb-asym-mark,+lb-no-small-fix"

/* N tasks of nice 0 that always run, on a group of WEIGHT CPUs. */
static struct hand_group busy(uint32_t weight, uint32_t nr)
{
	return (struct hand_group){.weight = weight,
				   .nr = nr,
				   .idle = nr < weight ? weight - nr : 0,
				   .load = 1024 * (uint64_t)nr,
				   .util = 1024 * (uint64_t)(nr < weight ? nr : weight)};
}

static struct hand_question between(const char *kernel, enum cpu_idle_type idle,
				    struct hand_group here, struct hand_group there)
{
	return (struct hand_question){
		.kernel = kernel, .idle = idle, .pct = 117, .ngroups = 2, .g = {here, there}};
}

/* Two single CPUs: an idle one takes a task of two; 2 against 3 is less than a task. */
static void test_vectors_of_single_cpus(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint32_t here, there;
		int64_t imbalance;
	} rows[] = {
		{"5.4", CPU_IDLE, 0, 2, 1024},
		{NO_SMALL, CPU_IDLE, 0, 2, 1024},
		{"5.4", CPU_NOT_IDLE, 2, 3, 1024},
		{NO_SMALL, CPU_NOT_IDLE, 2, 3, 512},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between(rows[i].kernel, rows[i].idle,
						 busy(1, rows[i].here), busy(1, rows[i].there));
		struct hand_verdict v = hand_ask(&q);

		assert_int_equal(v.type[1], GROUP_OVERLOADED);
		assert_int_equal(v.busiest, 1);
		assert_int_equal(v.what, MIGRATE_LOAD);
		assert_int_equal(v.imbalance, rows[i].imbalance);
	}
}

/* Flags outweigh misfit tasks, and having too much outweighs both. */
static void test_a_group_is_of_the_first_type_that_fits(void **state)
{
	static const struct {
		uint32_t nr;
		bool imbalance;
		uint64_t misfit_load;
		enum group_type type;
	} rows[] = {
		{3, true, 700, GROUP_OVERLOADED},   {2, true, 700, GROUP_IMBALANCED},
		{2, false, 700, GROUP_MISFIT_TASK}, {2, false, 0, GROUP_OTHER},
		{3, false, 0, GROUP_OVERLOADED},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between("5.4", CPU_IDLE, busy(2, 0), busy(2, rows[i].nr));

		q.g[1].imbalance = rows[i].imbalance;
		q.g[1].misfit_load = rows[i].misfit_load;
		assert_int_equal(hand_ask(&q).type[1], rows[i].type);
	}
}

/* More tasks than CPUs is not enough: they must use them, by pct. 2048 * 100 / 117 = 1750.4 */
static void test_a_group_is_overloaded_by_tasks_and_utilization(void **state)
{
	struct hand_question q = between("5.4", CPU_IDLE, busy(2, 0), busy(2, 3));

	q.g[1].util = 1750;
	assert_int_equal(hand_ask(&q).type[1], GROUP_OTHER);
	q.g[1].util = 1751;
	assert_int_equal(hand_ask(&q).type[1], GROUP_OVERLOADED);
	q.g[1].nr = 2;
	assert_int_equal(hand_ask(&q).type[1], GROUP_OTHER);
}

/* Siblings: with room here, two tasks more make a group overloaded whatever it uses. */
static void test_a_sibling_with_two_tasks_more_is_overloaded(void **state)
{
	static const struct {
		bool siblings;
		uint32_t here, there;
		enum group_type type;
	} rows[] = {
		{true, 0, 2, GROUP_OVERLOADED}, {true, 0, 1, GROUP_OTHER},
		{true, 1, 2, GROUP_OTHER},      {true, 1, 3, GROUP_OVERLOADED},
		{false, 0, 2, GROUP_OTHER},     {true, 4, 6, GROUP_OTHER},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between("5.4", CPU_NEWLY_IDLE, busy(4, rows[i].here),
						 busy(8, rows[i].there));

		q.siblings = rows[i].siblings;
		assert_int_equal(hand_ask(&q).type[1], rows[i].type);
	}
}

/* Not forced: an idle CPU counts idle ones, the others go by 17 %. */
static void test_when_two_groups_are_balanced(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint32_t idle_here, idle_there;
		uint64_t here, there; /* average loads */
		bool balanced;
	} rows[] = {
		{CPU_IDLE, 2, 0, 100, 200, false},      {CPU_IDLE, 1, 0, 100, 200, true},
		{CPU_IDLE, 3, 1, 100, 200, false},      {CPU_IDLE, 2, 1, 100, 200, true},
		{CPU_NOT_IDLE, 0, 0, 100, 117, true},   {CPU_NOT_IDLE, 0, 0, 100, 118, false},
		{CPU_NEWLY_IDLE, 4, 0, 100, 117, true}, {CPU_NEWLY_IDLE, 4, 0, 100, 118, false},
		{CPU_NOT_IDLE, 0, 0, 200, 200, true},   {CPU_IDLE, 4, 0, 201, 200, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between(NO_SMALL, rows[i].idle,
						 busy(4, 4 - rows[i].idle_here),
						 busy(4, 4 - rows[i].idle_there));
		struct hand_verdict v;

		q.g[0].load = 4 * rows[i].here;
		q.g[1].load = 4 * rows[i].there;
		v = hand_ask(&q);
		if ((v.busiest == HAND_NONE) != rows[i].balanced)
			print_error("row %zu\n", i);
		assert_int_equal(v.busiest, rows[i].balanced ? HAND_NONE : 1);
	}
}

/* As much as brings both to the average, and no more than what is there beyond a task a CPU. */
static void test_the_imbalance_is_the_least_of_three(void **state)
{
	static const struct {
		uint64_t here, there; /* loads of 2 CPUs */
		uint32_t nr_here, nr_there;
		int64_t imbalance;
	} rows[] = {
		/* averages 1024, 4096, together 2560: 1536 * 2 both ways */
		{2048, 8192, 8, 8, 3072},
		/* three tasks are one more than CPUs: 1024 * 1024 / 2048 = 512, * 2 */
		{2048, 8192, 3, 3, 1024},
		/* the local group is not overloaded: no limit */
		{2048, 8192, 2, 3, 3072},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between(NO_SMALL, CPU_NOT_IDLE, busy(2, rows[i].nr_here),
						 busy(2, rows[i].nr_there));

		q.g[0].load = rows[i].here;
		q.g[1].load = rows[i].there;
		assert_int_equal(hand_ask(&q).imbalance, rows[i].imbalance);
	}
}

/* Unequal groups: the lesser of what one may give and the other take. */
static void test_capacities_weigh_the_imbalance(void **state)
{
	struct hand_question q = between(NO_SMALL, CPU_NOT_IDLE, busy(1, 1), busy(2, 8));

	/* averages 1024 and 4096, together 9216 * 1024 / 3072 = 3072: min(1024 * 2, 2048 * 1) */
	q.g[0].util = 0;
	assert_int_equal(hand_ask(&q).imbalance, 2048);
	q.g[1].load = 9 * 1024;
	/* 4608, 3413: 1195 * 2 = 2390, 2389 * 1 */
	assert_int_equal(hand_ask(&q).imbalance, 2389);
}

/*
 * Below a task's load the small rule asks: would a whole one make the groups busier together?
 */
static void test_the_small_rule(void **state)
{
	struct hand_question q = between("5.4", CPU_NOT_IDLE, busy(1, 2), busy(1, 3));

	/* heavier tasks there: one of them counts once, 1024 + 341 >= 600 + 341 */
	q.g[0].load = 600;
	q.g[1].load = 1024;
	assert_int_equal(hand_ask(&q).imbalance, 341);
	/* nothing moves by the average, but a task of 1024 would: 3072 + 1024 >= 2048 + 2 * 1024 */
	q.g[0].load = 2048;
	q.g[1].load = 3072;
	assert_int_equal(hand_ask(&q).imbalance, 1024);
	/*
	 * lighter ones: 2700 + 900 >= 2000 + 2 * 900 is false; both groups would do 900 + 1000
	 * before and after, so what the average says stays
	 */
	q.g[0].load = 2000;
	q.g[1].load = 2700;
	assert_int_equal(hand_ask(&q).imbalance, 350);
}

/*
 * The sum of both is compared: big group of 4 CPUs with 5 tasks, here one CPU with one task.
 * Moving leaves as much there and nothing more here, so the small amount stays.
 */
static void test_the_small_rule_may_leave_the_amount(void **state)
{
	struct hand_question q = between("5.4", CPU_NEWLY_IDLE, busy(1, 1), busy(4, 5));
	struct hand_verdict v;

	/*
	 * averages 1024 and 1280, together 1228; imbalance min(52 * 4, 204) = 204 < 1024.
	 * s = 256: 1280 + 256 < 1024 + 2 * 256 is false: a task.
	 */
	v = hand_ask(&q);
	assert_int_equal(v.imbalance, 1024);
	/*
	 * 1100 here, 1290 there, together 1252: 152 * 1; s = 258. 1290 + 258 < 1100 + 516.
	 * now = (4096 * 1032 + 1024 * 1100) / 1024 = 5228.
	 * move = (4096 * 1032 + 1024 * 1100) / 1024: no gain, 152 stays.
	 */
	q.g[0].load = 1100;
	q.g[1].load = 5160;
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.imbalance, 152);
	/* the same at the average: nothing */
	q.g[0].load = 1200;
	v = hand_ask(&q);
	assert_int_equal(v.busiest, HAND_NONE);
}

/*
 * A group without tasks, which still has a load of 840: what is on the balancing CPU by now stands
 * for its task. 300 + 100 >= 210 + 2 * 100 is false. now = 100 + 4 * min(lpt, 210), after a move
 * 100 + 4 * min(lpt, 235).
 */
static void test_the_small_rule_of_an_empty_group(void **state)
{
	static const struct {
		uint32_t nr;
		uint64_t load;
		int64_t imbalance;
	} rows[] = {{0, 300, 72}, {1, 300, 100}, {2, 600, 100}, {2, 300, 72}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q = between("5.4", CPU_NEWLY_IDLE, busy(4, 0), busy(1, 3));

		q.g[0].load = 840;
		q.g[1].load = 300;
		q.dst_nr = rows[i].nr;
		q.dst_load = rows[i].load;
		assert_int_equal(hand_ask(&q).imbalance, rows[i].imbalance);
	}
}

/* Packing in 5.4: whatever group was found, if the CPU is not less preferred: all its load. */
static void test_packing_of_any_busiest_group(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint32_t prefer;
		int64_t imbalance;
	} rows[] = {
		{"5.4", CPU_IDLE, 1, 3072},
		{"5.4", CPU_NOT_IDLE, 1, 1536},
		{"5.4", CPU_IDLE, 0, 3072}, /* as preferred */
		{"5.4,+lb-asym-mark", CPU_IDLE, 1, 1536},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hand_question q =
			between(rows[i].kernel, rows[i].idle, busy(2, 0), busy(2, 3));

		q.flags = SD_ASYM_PACKING;
		q.g[1].asym_prefer_cpu = rows[i].prefer;
		assert_int_equal(hand_ask(&q).imbalance, rows[i].imbalance);
	}
}

/* With the mark: only a group that was compared by load to the end. */
static void test_packing_of_marked_groups(void **state)
{
	struct hand_question q = between("5.4,+lb-asym-mark", CPU_IDLE, busy(2, 0), busy(2, 1));
	struct hand_verdict v;

	q.flags = SD_ASYM_PACKING;
	q.g[1].asym_prefer_cpu = 1;
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.imbalance, 1024);
	/* the group's CPUs are as good as this one: no candidate in such a domain */
	q.g[1].asym_prefer_cpu = 0;
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	/* of two, the one whose best is the least preferred; equal ones: the first */
	q.ngroups = 3;
	q.g[1].asym_prefer_cpu = 2;
	q.g[2] = busy(2, 2);
	q.g[2].asym_prefer_cpu = 1;
	assert_int_equal(hand_ask(&q).busiest, 1);
	q.g[2].asym_prefer_cpu = 3;
	assert_int_equal(hand_ask(&q).busiest, 2);
}

/* A misfit task: at least its load is asked for; helpless groups are left alone. */
static void test_misfit_tasks(void **state)
{
	struct hand_question q = between("5.4", CPU_NOT_IDLE, busy(2, 1), busy(2, 2));
	struct hand_verdict v;

	q.flags = SD_ASYM_CPUCAPACITY;
	q.g[1] = (struct hand_group){.weight = 2,
				     .nr = 2,
				     .load = 1400,
				     .util = 900,
				     .misfit_load = 700,
				     .capacity = 1024,
				     .min_capacity = 512,
				     .max_capacity = 512};
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.what, MIGRATE_MISFIT);
	assert_int_equal(v.imbalance, 700);
	q.g[1].max_capacity = 820;
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	q.g[1].max_capacity = 512;
	q.g[0] = busy(2, 2);
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
}

/* Pinned tasks below: balanced or not, what is above the average moves, at least a task. */
static void test_an_imbalanced_group_is_forced(void **state)
{
	struct hand_question q = between("5.4", CPU_IDLE, busy(4, 3), busy(4, 4));
	struct hand_verdict v;

	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
	q.g[1].imbalance = true;
	/*
	 * averages 768 and 1024, together 896: 128 * 4 = 512 < min(1024, 896), so the small
	 * rule: s = 224; 1024 + 224 >= 768 + 2 * 224: a task, whose load was cut to the average
	 */
	v = hand_ask(&q);
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.imbalance, 896);
	q.kernel = NO_SMALL;
	assert_int_equal(hand_ask(&q).imbalance, 512);
	/* nothing above the average: nothing, once there is no small rule */
	q.g[0].load = 4096;
	assert_int_equal(hand_ask(&q).busiest, HAND_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors_of_single_cpus),
		cmocka_unit_test(test_a_group_is_of_the_first_type_that_fits),
		cmocka_unit_test(test_a_group_is_overloaded_by_tasks_and_utilization),
		cmocka_unit_test(test_a_sibling_with_two_tasks_more_is_overloaded),
		cmocka_unit_test(test_when_two_groups_are_balanced),
		cmocka_unit_test(test_the_imbalance_is_the_least_of_three),
		cmocka_unit_test(test_capacities_weigh_the_imbalance),
		cmocka_unit_test(test_the_small_rule),
		cmocka_unit_test(test_the_small_rule_may_leave_the_amount),
		cmocka_unit_test(test_the_small_rule_of_an_empty_group),
		cmocka_unit_test(test_packing_of_any_busiest_group),
		cmocka_unit_test(test_packing_of_marked_groups),
		cmocka_unit_test(test_misfit_tasks),
		cmocka_unit_test(test_an_imbalanced_group_is_forced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
