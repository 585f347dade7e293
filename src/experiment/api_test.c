/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "runqlab.h"

static const char text[] = "{ \"machine\": \"1x2x1\", \"kernels\": [\"2.6.35\"],"
			   "  \"work\": [ { \"workload\": \"periodic:n=4\" } ],"
			   "  \"duration_ns\": 1000000000 }";

static void test_a_result_is_a_scenario_again(void **state)
{
	struct rql_scenario *s, *again;
	struct rql_result *r, *r2;
	char error[RQL_ERROR_BYTES];
	double elapsed_s, nothing;

	assert_int_equal(rql_scenario_read("t", text, strlen(text), &s, error), RQL_DONE);
	assert_int_equal(rql_run(s, &r, error), RQL_DONE);
	assert_true(rql_result_metric(r, "elapsed_s", &elapsed_s));
	assert_true(elapsed_s > 0.9 && elapsed_s <= 1.0);
	assert_false(rql_result_metric(r, "beauty", &nothing));

	assert_int_equal(rql_scenario_read("r", rql_result_json(r), strlen(rql_result_json(r)),
					   &again, error),
			 RQL_DONE);
	assert_int_equal(rql_run(again, &r2, error), RQL_DONE);
	assert_string_equal(rql_result_json(r), rql_result_json(r2));
	assert_true(rql_result_fingerprint(r) == rql_result_fingerprint(r2));
	rql_result_free(r);
	rql_result_free(r2);
	rql_scenario_free(s);
	rql_scenario_free(again);
}

static void test_errors_are_one_line_with_their_place(void **state)
{
	static const char limited[] =
		"{ \"machine\": \"1x2x1\", \"kernels\": [\"2.6.35\"],"
		"  \"work\": [ { \"workload\": \"spin\" } ],"
		"  \"duration_ns\": 1000000000, \"limits\": { \"events\": 9 } }";
	struct rql_scenario *s;
	struct rql_result *r;
	char error[RQL_ERROR_BYTES];

	assert_int_equal(rql_scenario_read("t.json", "{ \"a\": 1 }", 10, &s, error), RQL_BAD_INPUT);
	assert_null(s);
	assert_memory_equal(error, "t.json:1:3: unknown key", 23);

	assert_int_equal(rql_scenario_read("t", limited, strlen(limited), &s, error), RQL_DONE);
	assert_int_equal(rql_run(s, &r, error), RQL_LIMIT);
	assert_null(r);
	assert_memory_equal(error, "limit events: ", 14);
	rql_scenario_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_result_is_a_scenario_again),
		cmocka_unit_test(test_errors_are_one_line_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
