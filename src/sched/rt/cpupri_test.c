/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Four CPUs: 0 runs priority 50 (the kernel's), 1 runs 60, 2 a fair task, 3 idles. */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/rt/rt.h"

static struct hand h;
static uint64_t found_mem[MASK_WORDS(64)];

static int32_t rt_priority(uint32_t prio)
{
	return 99 - (int32_t)prio;
}

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 4, 1);
	hand_rt_running(&h, 0, rt_priority(50), 1);
	hand_rt_running(&h, 1, rt_priority(60), 2);
	hand_tasks(&h, 2, 1);
}

/* What a task of PRIO allowed on BITS finds; 0: nothing. */
static uint64_t find(uint32_t prio, uint64_t bits)
{
	struct mask *found = mask_init(found_mem, h.m->ncpus);
	struct task p = {.prio = prio, .allowed = hand_cpus(&h, bits)};

	p.nr_allowed = mask_weight(p.allowed);
	if (!cpupri_find(hand_k(&h, 3), &p, found)) {
		assert_false(cpupri_find(hand_k(&h, 3), &p, NULL));
		return 0;
	}
	assert_true(cpupri_find(hand_k(&h, 3), &p, NULL));
	return found->w[0];
}

static void test_levels_of_priorities(void **state)
{
	assert_int_equal(cpupri_level(140), 1);
	assert_int_equal(cpupri_level(100), 1);
	assert_int_equal(cpupri_level(99), 2);
	assert_int_equal(cpupri_level(50), 51);
	assert_int_equal(cpupri_level(1), 100);
	assert_int_equal(cpupri_level(0), 101);
}

static void test_only_the_least_busy_level_is_found(void **state)
{
	static const struct {
		uint32_t prio;
		uint64_t allowed, found;
	} rows[] = {
		{60, 0xf, 0xc}, /* idle is not told from fair */
		{60, 0x3, 0},   /* an equal is no less */
		{50, 0x3, 0x2}, {99, 0xf, 0xc}, {99, 0x3, 0},   {0, 0x3, 0x2},
		{0, 0x1, 0x1},  {40, 0x7, 0x4}, {40, 0x1, 0x1},
	};

	start("3.19");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(find(rows[i].prio, rows[i].allowed), rows[i].found);
	hand_free(&h);
}

/* rt_priority 98 and 99, between 3.2 and 3.15. */
static void test_some_kernels_find_nothing_for_the_two_best(void **state)
{
	static const struct {
		const char *kernel;
		bool finds;
	} rows[] = {
		{"2.6.34", true}, {"2.6.35", true}, {"3.3", false}, {"3.4", false},
		{"3.18", true},   {"3.19", true},   {"4.0", true},  {"3.3,-cpupri-not-top", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(rows[i].kernel);
		assert_int_equal(find(0, 0xf), rows[i].finds ? 0xc : 0);
		assert_int_equal(find(1, 0xf), rows[i].finds ? 0xc : 0);
		assert_int_equal(find(2, 0xf), 0xc);
		hand_free(&h);
	}
}

static void test_a_cpu_changes_its_level_with_its_best_task(void **state)
{
	const uint8_t *level_of;
	struct task *p;

	start("3.19");
	level_of = h.m->rd.cpupri.level_of;
	assert_int_equal(level_of[0], 51);
	assert_int_equal(level_of[1], 41);
	assert_int_equal(level_of[2], 1);
	assert_int_equal(level_of[3], 1);
	/* a worse one that waits changes nothing */
	hand_rt_waiting(&h, 0, rt_priority(70), 1);
	assert_int_equal(level_of[0], 51);
	/* a better one does when it is queued, not when it runs */
	p = hand_rt_on(&h, 0, rt_priority(10), 1);
	assert_ptr_not_equal(hand_rq(&h, 0)->curr, p);
	assert_int_equal(level_of[0], 91);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	assert_int_equal(level_of[0], 51);
	hand_sleep(&h, 0);
	assert_int_equal(level_of[0], 31);
	hand_sleep(&h, 0);
	assert_int_equal(level_of[0], 1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_of_priorities),
		cmocka_unit_test(test_only_the_least_busy_level_is_found),
		cmocka_unit_test(test_some_kernels_find_nothing_for_the_two_best),
		cmocka_unit_test(test_a_cpu_changes_its_level_with_its_best_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
