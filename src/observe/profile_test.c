/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "observe/profile.h"

static struct path_tree tree;
static struct profile p;
static struct text t;

static uint32_t add(uint32_t at, enum path_elem elem, uint64_t ns, uint64_t count)
{
	uint32_t node = path_child(&tree, at, elem);

	tree.node[node].ns += ns;
	tree.node[node].count += count;
	return node;
}

static void plant(void)
{
	uint32_t schedule, balance, ttwu;

	memset(&tree, 0, sizeof(tree));
	ttwu = add(0, PATH_TTWU, 200, 20);
	schedule = add(0, PATH_SCHEDULE, 1000, 10);
	add(schedule, PATH_RQ_LOCK, 50, 10);
	balance = add(add(schedule, PATH_IDLE_BALANCE, 0, 4), PATH_LOAD_BALANCE, 300, 8);
	add(balance, PATH_RQ_LOCK, 450, 8);
	add(ttwu, PATH_RQ_LOCK, 0, 0);
}

static void build(void)
{
	struct rql_error e;

	assert_true(profile_build(&p, &tree, &e));
	text_init(&t);
}

static void done(void)
{
	profile_free(&p);
	text_free(&t);
}

static void test_folded_stacks_are_sorted_by_path(void **state)
{
	plant();
	build();
	profile_folded(&p, &t);
	assert_string_equal(text_cstr(&t), "schedule 1000\n"
					   "schedule;idle_balance;load_balance 300\n"
					   "schedule;idle_balance;load_balance;rq_lock 450\n"
					   "schedule;rq_lock 50\n"
					   "try_to_wake_up 200\n");
	done();
}

static void test_sum_of_rows_is_the_time_charged(void **state)
{
	uint64_t sum = 0;

	plant();
	build();
	for (uint32_t i = 0; i < p.nrows; i++)
		sum += p.row[i].ns;
	assert_int_equal(sum, 2000);
	assert_int_equal(p.total_ns, 2000);
	assert_int_equal(profile_sum_ns(&tree), 2000);
	done();
}

static void test_entered_paths_without_time_are_rows_but_not_stacks(void **state)
{
	plant();
	build();
	assert_int_equal(p.nrows, 6);
	assert_string_equal(p.row[1].path, "schedule;idle_balance");
	assert_int_equal(p.row[1].count, 4);
	done();
}

static void test_time_outside_is_called_other(void **state)
{
	plant();
	tree.node[0].ns = 7;
	build();
	profile_folded(&p, &t);
	assert_memory_equal(text_cstr(&t), "other 7\n", 8);
	done();
}

static void test_time_at_locks_is_told_wherever_they_are_taken(void **state)
{
	uint32_t schedule;

	memset(&tree, 0, sizeof(tree));
	tree.nnodes = 1;
	schedule = path_child(&tree, 0, PATH_SCHEDULE);
	tree.node[schedule].ns = 100;
	tree.node[path_child(&tree, schedule, PATH_RQ_LOCK)].ns = 20;
	tree.node[path_child(&tree, 0, PATH_RQ_LOCK)].ns = 3;
	tree.node[path_child(&tree, 0, PATH_OTHER_LOCK)].ns = 4;
	build();
	assert_int_equal(profile_lock_ns(&p), 27);
	done();
}

static void test_empty_tree_is_an_empty_profile(void **state)
{
	memset(&tree, 0, sizeof(tree));
	build();
	profile_folded(&p, &t);
	assert_string_equal(text_cstr(&t), "");
	assert_true(profile_top(&p, PROFILE_BY_PATH, 3, &t));
	assert_non_null(strstr(text_cstr(&t), "(all)"));
	done();
}

static void test_top_paths(void **state)
{
	plant();
	build();
	assert_true(profile_top(&p, PROFILE_BY_PATH, 2, &t));
	assert_string_equal(text_cstr(&t), "   share                ns         count  where\n"
					   "  50.00%              1000            10  schedule\n"
					   "  22.50%               450             8  "
					   "schedule;idle_balance;load_balance;rq_lock\n"
					   "  27.50%               550            42  (the rest)\n"
					   " 100.00%              2000            60  (all)\n");
	done();
}

static void test_top_functions_add_up_over_callers(void **state)
{
	plant();
	build();
	assert_true(profile_top(&p, PROFILE_BY_FUNCTION, 10, &t));
	assert_string_equal(text_cstr(&t),
			    "   share                ns         count  where\n"
			    "  50.00%              1000            10  schedule\n"
			    "  25.00%               500            18  rq_lock\n"
			    "  15.00%               300             8  load_balance\n"
			    "  10.00%               200            20  try_to_wake_up\n"
			    "   0.00%                 0             4  idle_balance\n"
			    " 100.00%              2000            60  (all)\n");
	done();
}

static void test_equal_times_are_ordered_by_name(void **state)
{
	memset(&tree, 0, sizeof(tree));
	add(0, PATH_TTWU, 5, 1);
	add(0, PATH_SCHEDULE, 5, 1);
	build();
	assert_true(profile_top(&p, PROFILE_BY_PATH, 9, &t));
	assert_true(strstr(text_cstr(&t), "schedule") < strstr(text_cstr(&t), "try_to_wake_up"));
	done();
}

static void test_full_tree_keeps_every_nanosecond(void **state)
{
	uint32_t at = 0;

	memset(&tree, 0, sizeof(tree));
	for (uint32_t i = 0; i < 2 * PATH_NODES_MAX; i++)
		at = add(at, (enum path_elem)(i % PATH_ELEMS), 1, 1);
	build();
	assert_int_equal(p.total_ns, 2 * PATH_NODES_MAX);
	assert_int_equal(p.nrows, PATH_NODES_MAX - 1);
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded_stacks_are_sorted_by_path),
		cmocka_unit_test(test_sum_of_rows_is_the_time_charged),
		cmocka_unit_test(test_entered_paths_without_time_are_rows_but_not_stacks),
		cmocka_unit_test(test_time_outside_is_called_other),
		cmocka_unit_test(test_time_at_locks_is_told_wherever_they_are_taken),
		cmocka_unit_test(test_empty_tree_is_an_empty_profile),
		cmocka_unit_test(test_top_paths),
		cmocka_unit_test(test_top_functions_add_up_over_callers),
		cmocka_unit_test(test_equal_times_are_ordered_by_name),
		cmocka_unit_test(test_full_tree_keeps_every_nanosecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
