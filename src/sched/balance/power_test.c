/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

static struct hand h;

static void test_powers_of_threads_cores_and_nodes(void **state)
{
	static const struct {
		uint32_t cores, threads;
		uint32_t thread, core, node;
	} rows[] = {{4, 2, 589, 1178, 4712}, {6, 2, 589, 1178, 7068}, {8, 2, 589, 1178, 9424}};

	for (int i = 0; i < 3; i++) {
		struct kctx *k;

		hand_init(&h, "2.6.35", 2, rows[i].cores, rows[i].threads);
		k = hand_k(&h, 0);
		for (uint32_t l = 0; l < 3; l++) {
			hand_sd(&h, 0, l)->groups->cpu_power = 1;
			update_group_power(k, hand_sd(&h, 0, l), 0);
		}
		assert_int_equal(hand_rq(&h, 0)->cpu_power, rows[i].thread);
		assert_int_equal(hand_sd(&h, 0, 0)->groups->cpu_power, rows[i].thread);
		assert_int_equal(hand_sd(&h, 0, 1)->groups->cpu_power, rows[i].core);
		assert_int_equal(hand_sd(&h, 0, 2)->groups->cpu_power, rows[i].node);
		hand_free(&h);
	}
}

static void test_a_cpu_without_threads_is_full(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 1);
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 0), 0);
	assert_int_equal(hand_rq(&h, 0)->cpu_power, 1024);
	assert_int_equal(hand_sd(&h, 0, 0)->groups->cpu_power, 1024);
	hand_free(&h);
}

/* Above the base a group is what its children were last known to be. */
static void test_upper_powers_are_sums_of_stored_ones(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 2);
	hand_sd(&h, 0, 0)->groups->next->cpu_power = 100;
	update_group_power(hand_k(&h, 0), hand_sd(&h, 0, 1), 0);
	assert_int_equal(hand_sd(&h, 0, 1)->groups->cpu_power, 689);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_powers_of_threads_cores_and_nodes),
		cmocka_unit_test(test_a_cpu_without_threads_is_full),
		cmocka_unit_test(test_upper_powers_are_sums_of_stored_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
