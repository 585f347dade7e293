/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/scenario.h"

static void must(bool ok, const struct rql_error *e)
{
	if (!ok)
		fail_msg("%s: %s", e->where, e->what);
}

/* A machine, a kernel and whatever WORK holds, words divided by blanks: +PATH is a cgroup. */
static void build(struct scenario *s, const char *const *work, uint32_t n)
{
	struct rql_error e;

	scenario_init(s);
	must(scenario_set_machine(s, "nhm-ep", &e), &e);
	must(scenario_add_kernel(s, "2.6.35", &e), &e);
	must(scenario_set_duration(s, "10s", &e), &e);
	for (uint32_t i = 0; i < n; i++)
		must(work[i][0] == '/' ? scenario_add_cgroup(s, work[i], &e) :
					 scenario_add_work(s, work[i], &e),
		     &e);
	must(scenario_finish(s, &e), &e);
}

static void test_json_makes_the_same_scenario_again(void **state)
{
	static const char *const work[] = {
		"/a/b:cpu.weight=200", "spin:n=4", "/empty", "daemons", "/a/b",
		"periodic:n=2,start=3"};
	struct scenario s, again;
	struct rql_error e;
	struct json_object *one, *two;
	const char *text;

	build(&s, work, 6);
	one = scenario_json(&s);
	text = json_object_to_json_string_ext(one, JSON_C_TO_STRING_PRETTY);
	scenario_init(&again);
	must(scenario_read(&again, "s.json", text, strlen(text), &e), &e);
	two = scenario_json(&again);
	assert_string_equal(json_object_to_json_string(one), json_object_to_json_string(two));
	assert_int_equal(again.nwork, 3);
	json_object_put(one);
	json_object_put(two);
	scenario_free(&s);
	scenario_free(&again);
}

static void test_cgroup_holds_the_next_work_only(void **state)
{
	static const char *const work[] = {"/a", "/b:cpu.weight=50", "spin:n=1", "spin:n=2"};
	struct scenario s;

	build(&s, work, 4);
	assert_int_equal(s.nitems, 4);
	assert_string_equal(scenario_work_item(&s, 0)->cgroup, "/b");
	assert_string_equal(scenario_work_item(&s, 1)->cgroup, "/");
	assert_int_equal(s.items[1].limits.weight, 50);
	scenario_free(&s);
}

static void test_bad_cgroups_are_told_apart(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{"a", "cgroup path \"a\" does not start with /"},
		{"/a/../b", "cgroup path \"/a/../b\" has a name of dots only"},
		{"/a//b", "cgroup path \"/a//b\" has an empty name"},
		{"/a/", "cgroup path \"/a/\" has an empty name"},
		{"/a b", "cgroup path \"/a b\" has a character"},
		{"/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "cgroup path"},
		{"/:cpu.weight=5", "the root has no cpu.weight"},
		{"/a:cpu.weight=0", "cpu.weight=0: out of range; write 1 to 10000"},
		{"/a:cpu.weight=10001", "cpu.weight=10001: out of range"},
		{"/a:cpu.weight=-1", "cpu.weight=-1: out of range"},
		{"/a:cpu.weight", "unknown item \"cpu.weight\""},
		{"/a:cpu.wait=1", "unknown item \"cpu.wait=1\""},
		{"/:cpu.max=max", "the root has no cpu.max"},
		{"/a:cpu.max", "unknown item \"cpu.max\""},
		{"/a:cpu.max=", "cpu.max=: the quota is max or 1000 to 17592186044 microseconds"},
		{"/a:cpu.max=999", "cpu.max=999: the quota is max or 1000"},
		{"/a:cpu.max=50ms", "cpu.max=50ms: the quota is max or 1000"},
		{"/a:cpu.max=-1", "cpu.max=-1: the quota is max or 1000"},
		{"/a:cpu.max=17592186045", "cpu.max=17592186045: the quota is max"},
		{"/a:cpu.max=1000/999", "cpu.max=1000/999: the period is 1000 to 1000000"},
		{"/a:cpu.max=1000 1000001", "cpu.max=1000 1000001: the period is"},
		{"/a:cpu.max=1000 ", "cpu.max=1000 : the period is"},
		{"/a:cpu.max=max/max", "cpu.max=max/max: the period is"},
		{"/a:cpu.max=max:cpu.max=max", "cpu.max is given twice"},
		{"/a:cpu.weight=5:cpu.weight=5", "cpu.weight is given twice"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;
		struct scenario s;

		scenario_init(&s);
		assert_false(scenario_add_cgroup(&s, rows[i].text, &e));
		if (strncmp(e.what, rows[i].what, strlen(rows[i].what)) != 0)
			fail_msg("%s: got: %s", rows[i].text, e.what);
		scenario_free(&s);
	}
}

/* As the kernel's file is written, or with / for the shell's sake; a period may be left out. */
static void test_a_quota_is_read_as_cgroup_v2_writes_it(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"/a:cpu.max=50000 100000", "50000 100000"},
		{"/a:cpu.max=50000/100000", "50000 100000"},
		{"/a:cpu.max=50000", "50000 100000"},
		{"/a:cpu.max=max", "max 100000"},
		{"/a:cpu.max=max 5000:cpu.weight=7", "max 5000"},
		{"/a:cpu.weight=7:cpu.max=1000/1000", "1000 1000"},
		{"/a:cpu.max=17592186044/1000000", "17592186044 1000000"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct group_limits *limits;
		char text[CPU_MAX_BYTES];
		struct scenario s;
		struct rql_error e;

		scenario_init(&s);
		assert_true(scenario_add_cgroup(&s, rows[i].text, &e));
		limits = &s.items[0].limits;
		group_limits_max_text(text, limits->quota_us, limits->period_us);
		assert_string_equal(text, rows[i].canonical);
		assert_int_equal(limits->weight, strstr(rows[i].text, "weight") ? 7 : 0);
		assert_false(scenario_add_cgroup(&s, "/a:cpu.max=2000", &e));
		assert_string_equal(e.what, "/a was given a cpu.max before; once is right");
		scenario_free(&s);
	}
}

static void test_equal_texts_draw_different_numbers(void **state)
{
	static const char *const work[] = {"daemons:n=1", "daemons:n=1"};
	struct scenario s;
	struct rql_error e;
	uint64_t slept[2] = {0, 0};

	build(&s, work, 2);
	for (uint32_t i = 0; i < 2; i++) {
		struct workload *w = scenario_workload(&s, i, 1, &e);

		struct task_attr attr = {0};
		bool forked = false;

		w->behaviour->ops->attr(w->behaviour, 0, &attr);
		for (int step = 0; step < 10 && !slept[i]; step++) {
			struct action a = {0};

			w->behaviour->ops->next(w->behaviour, forked, 0, &a);
			if (a.kind == ACTION_FORK) {
				w->behaviour->ops->attr(w->behaviour, a.task, &attr);
				forked = true;
			}
			if (a.kind == ACTION_SLEEP || a.kind == ACTION_SLEEP_UNTIL)
				slept[i] = a.ns;
		}
		workload_destroy(w);
	}
	assert_int_not_equal(slept[0], 0);
	assert_int_not_equal(slept[0], slept[1]);
	scenario_free(&s);
}

static void test_bad_json_is_an_error_with_its_place(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
		const char *what;
	} rows[] = {
		{"{ \"machine\": \"nhm-ep\" }", 1, 1, "\"kernels\" is missing here; write it"},
		{"{ \"machin\": \"nhm-ep\" }", 1, 3, "unknown key, nearest \"machine\""},
		{"{ \"machine\": \"nhm-ep\",\n  \"machine\": \"nhm-ep\" }", 2, 3,
		 "a second \"machine\""},
		{"{ \"machine\": 5 }", 1, 14, "not a string; "},
		{"{ \"machine\": \"live\" }", 1, 14, "a file or this computer"},
		{"{ \"kernels\": [\"2.6.99\"] }", 1, 15, "2.6.99: unknown kernel"},
		{"{ \"kernels\": \"2.6.35\" }", 1, 14, "not a list; "},
		{"{ \"work\": [ {} ] }", 1, 13, "neither a workload nor a cgroup"},
		{"{ \"work\": [ { \"cgroup\": \"a\" } ] }", 1, 13, "a: cgroup path \"a\""},
		{"{ \"seed\": -1 }", 1, 11, "\"seed\": out of range"},
		{"{ \"seed\": 1.5 }", 1, 11, "\"seed\": not a whole number; "},
		{"{ \"prices\": \"cheap\" }", 1, 13, "no such price profile"},
		{"{ \"limits\": { \"events\": 0 } }", 1, 25, "\"events\": out of range"},
		{"{ \"runqlab\": 2, \"scenario\": {} }", 1, 14, "\"runqlab\": out of range"},
		{"[]", 1, 1, "not an object; write"},
		{"{", 1, 2, "the end of the file is not expected here"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;
		struct scenario s;

		scenario_init(&s);
		assert_false(scenario_read(&s, "s.json", rows[i].text, strlen(rows[i].text), &e));
		if (strncmp(e.what, rows[i].what, strlen(rows[i].what)) != 0)
			fail_msg("%s: got: %s", rows[i].text, e.what);
		assert_string_equal(e.where, "s.json");
		assert_int_equal(e.line, rows[i].line);
		assert_int_equal(e.column, rows[i].column);
		scenario_free(&s);
	}
}

static void test_what_a_run_needs_is_asked_for(void **state)
{
	struct rql_error e;
	struct scenario s;

	scenario_init(&s);
	assert_false(scenario_finish(&s, &e));
	assert_memory_equal(e.what, "no machine;", 11);
	must(scenario_set_machine(&s, "1x2x1", &e), &e);
	assert_false(scenario_finish(&s, &e));
	assert_memory_equal(e.what, "no kernel;", 10);
	must(scenario_add_kernel(&s, "2.6.34", &e), &e);
	assert_false(scenario_finish(&s, &e));
	assert_memory_equal(e.what, "no work;", 8);
	must(scenario_add_work(&s, "spin:n=1", &e), &e);
	assert_false(scenario_finish(&s, &e));
	assert_memory_equal(e.what, "this work has no end;", 21);
	must(scenario_set_duration(&s, "1ms", &e), &e);
	must(scenario_finish(&s, &e), &e);
	s.autogroup = true;
	assert_false(scenario_finish(&s, &e));
	assert_memory_equal(e.what, "this kernel has no autogroup;", 29);
	scenario_free(&s);
}

static void test_limits_are_read(void **state)
{
	struct rql_error e;
	struct scenario s;

	scenario_init(&s);
	must(scenario_set_limits(&s, "memory=64M,events=1000", &e), &e);
	assert_int_equal(s.memory_limit_bytes, 64u << 20);
	assert_int_equal(s.events_limit, 1000);
	assert_false(scenario_set_limits(&s, "memory=64M,", &e));
	assert_false(scenario_set_limits(&s, "cpus=4", &e));
	assert_false(scenario_set_limits(&s, "memory=1", &e));
	assert_false(scenario_set_limits(&s, "events=-1", &e));
	scenario_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_makes_the_same_scenario_again),
		cmocka_unit_test(test_cgroup_holds_the_next_work_only),
		cmocka_unit_test(test_bad_cgroups_are_told_apart),
		cmocka_unit_test(test_a_quota_is_read_as_cgroup_v2_writes_it),
		cmocka_unit_test(test_equal_texts_draw_different_numbers),
		cmocka_unit_test(test_bad_json_is_an_error_with_its_place),
		cmocka_unit_test(test_what_a_run_needs_is_asked_for),
		cmocka_unit_test(test_limits_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
