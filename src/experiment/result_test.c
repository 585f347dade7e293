/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/result.h"

static void test_decimals_are_rounded_and_short(void **state)
{
	static const struct {
		uint64_t num, den;
		const char *text;
	} rows[] = {
		{0, 1, "0"},
		{3, 2, "1.5"},
		{1, 3, "0.333333333"},
		{2, 3, "0.666666667"},
		{10, 1, "10"},
		{1999999999, 2000000000, "1"},
		{999999999, 1000000000, "0.999999999"},
		{UINT64_MAX, 1, "18446744073709551615"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[DECIMAL_BYTES];

		decimal_print(text, rows[i].num, rows[i].den);
		assert_string_equal(text, rows[i].text);
	}
}

static struct json_object *result_of(const char *const *work, uint32_t n, struct scenario *s)
{
	struct run_setup setup = {.scenario = s, .seed = 1};
	struct json_object *o;
	struct rql_error e;
	struct run *r;

	scenario_init(s);
	assert_true(scenario_set_machine(s, "1x2x1", &e));
	assert_true(scenario_add_kernel(s, "2.6.35", &e));
	assert_true(scenario_set_duration(s, "1s", &e));
	for (uint32_t i = 0; i < n; i++)
		assert_true(work[i][0] == '/' ? scenario_add_cgroup(s, work[i], &e) :
						scenario_add_work(s, work[i], &e));
	assert_true(scenario_finish(s, &e));
	r = run_create(&setup, &e);
	assert_non_null(r);
	assert_true(run_execute(r, &e));
	o = result_json(r, s);
	run_destroy(r);
	return o;
}

static struct json_object *get(struct json_object *o, const char *key)
{
	struct json_object *value = json_object_object_get(o, key);

	assert_non_null(value);
	return value;
}

static void test_a_scenario_gives_the_same_bytes_twice(void **state)
{
	static const char *const work[] = {"spin:n=3", "daemons"};
	struct scenario one, two;
	struct json_object *a = result_of(work, 2, &one), *b = result_of(work, 2, &two);

	assert_string_equal(json_object_to_json_string(a), json_object_to_json_string(b));
	json_object_put(a);
	json_object_put(b);
	scenario_free(&one);
	scenario_free(&two);
}

static void test_groups_have_the_time_of_those_below(void **state)
{
	static const char *const work[] = {"/a/b", "spin:n=2"};
	struct scenario s;
	struct json_object *o = result_of(work, 2, &s), *groups, *g;

	groups = get(get(o, "result"), "groups");
	assert_int_equal(json_object_array_length(groups), 3);
	for (size_t i = 0; i < 3; i++) {
		g = json_object_array_get_idx(groups, i);
		/* two CPUs for one second, but for the scheduler's own time and the last tick */
		assert_in_range(json_object_get_uint64(get(g, "cpu_ns")), 1950000000, 2000000000);
	}
	json_object_put(o);
	scenario_free(&s);
}

static void test_weights_divide_a_cpu(void **state)
{
	static const char *const work[] = {"/a:cpu.weight=300", "spin:n=1,cpus=0", "/b",
					   "spin:n=1,cpus=0"};
	struct scenario s;
	struct json_object *o = result_of(work, 4, &s), *groups;
	uint64_t a, b;

	groups = get(get(o, "result"), "groups");
	a = json_object_get_uint64(get(json_object_array_get_idx(groups, 1), "cpu_ns"));
	b = json_object_get_uint64(get(json_object_array_get_idx(groups, 2), "cpu_ns"));
	assert_in_range(a * 100 / b, 270, 330);
	json_object_put(o);
	scenario_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decimals_are_rounded_and_short),
		cmocka_unit_test(test_a_scenario_gives_the_same_bytes_twice),
		cmocka_unit_test(test_groups_have_the_time_of_those_below),
		cmocka_unit_test(test_weights_divide_a_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
