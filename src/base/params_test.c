/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values as typed: what is read, to the digit, and what is refused. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/mask.h"
#include "base/params.h"

static struct param value(const char *s)
{
	return (struct param){"text", "key", s, strlen(s)};
}

static void test_a_time_is_exact(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{"0ns", 0},
		{"1ns", 1},
		{"007us", 7000},
		{"0", 0},
		{"00", 0},
		{"1.5ms", 1500000},
		{"0.000000001s", 1},
		{"1.0000us", 1000},
		{"2.50000000000s", UINT64_C(2500000000)},
		{"4611686018427387904ns", UINT64_C(1) << 62},
		{"4611686018s", UINT64_C(4611686018000000000)},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct param v = value(rows[i].text);
		struct rql_error e;
		uint64_t ns;

		if (!param_time(&v, 0, PARAM_TIME_NS_MAX, &ns, &e))
			fail_msg("%s", e.what);
		assert_int_equal(ns, rows[i].ns);
	}
}

static void test_what_is_no_time_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "empty"},
		{"5", "without a unit"},
		{"1.5", "without a unit"},
		{"5 ms", "not a time"},
		{"5m", "not a time"},
		{"5MS", "not a time"},
		{"ms", "not a time"},
		{".5ms", "not a time"},
		{"+5ms", "not a time"},
		{"0x5ms", "not a time"},
		{"1e3us", "not a time"},
		{"5ms ", "not a time"},
		{"1.ms", "whole number of nanoseconds"},
		{"1.5ns", "whole number of nanoseconds"},
		{"0.0000000001s", "whole number of nanoseconds"},
		{"-5ms", "out of range; write 0ns to"},
		{"4611686018427387905ns", "out of range"},
		{"99999999999999999999999999s", "out of range"},
		{"18446744073709551615s", "out of range"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct param v = value(rows[i].text);
		struct rql_error e;
		uint64_t ns;

		if (param_time(&v, 0, PARAM_TIME_NS_MAX, &ns, &e) || !strstr(e.what, rows[i].why))
			fail_msg("\"%s\": %s", rows[i].text, e.what);
		assert_string_equal(e.where, "text");
		assert_int_equal(strncmp(e.what, "key=", 4), 0);
	}
}

static void test_counts_and_integers(void **state)
{
	static const char *const bad[] = {"",   "-1", "11", "1.0", "1k",
					  " 1", "1 ", "+1", "0x1", "99999999999999999999999"};
	struct rql_error e;
	struct param v;
	uint64_t n;
	int64_t i;

	(void)state;
	v = value("10");
	assert_true(param_count(&v, 1, 10, &n, &e));
	assert_int_equal(n, 10);
	v = value("18446744073709551615");
	assert_true(param_count(&v, 1, UINT64_MAX, &n, &e));
	assert_true(n == UINT64_MAX);
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		v = value(bad[k]);
		assert_false(param_count(&v, 1, 10, &n, &e));
	}
	v = value("-20");
	assert_true(param_integer(&v, -20, 19, &i, &e));
	assert_int_equal(i, -20);
	v = value("-");
	assert_false(param_integer(&v, -20, 19, &i, &e));
	v = value("20");
	assert_false(param_integer(&v, -20, 19, &i, &e));
	assert_string_equal(e.what, "key=20: out of range; write -20 to 19");
	v = value("--2");
	assert_false(param_integer(&v, -20, 19, &i, &e));
	v = value("-9223372036854775808");
	assert_false(param_integer(&v, -20, 19, &i, &e));
}

static void test_sizes_take_powers_of_1024(void **state)
{
	static const char *const bad[] = {"", "K", "1k", "1KB", "1.5M", "-1", "17179869184G", "1T"};
	struct rql_error e;
	struct param v;
	uint64_t n;

	(void)state;
	v = value("17179869183G");
	assert_true(param_size(&v, 0, UINT64_MAX, &n, &e));
	assert_true(n == UINT64_C(17179869183) << 30);
	v = value("3K");
	assert_true(param_size(&v, 0, UINT64_MAX, &n, &e));
	assert_int_equal(n, 3072);
	v = value("100");
	assert_true(param_size(&v, 0, UINT64_MAX, &n, &e));
	assert_int_equal(n, 100);
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		v = value(bad[k]);
		assert_false(param_size(&v, 0, UINT64_MAX, &n, &e));
	}
}

static void test_a_cpu_list_has_numbers_and_ranges(void **state)
{
	static const char *const bad[] = {
		"",   "+", "0+",  "+0", "0++1", "4-2",   "0-",
		"-1", "8", "0-8", "a",  "0,1",  "0-2-3", "99999999999999999999",
		"0 "};
	struct mask *mask = mask_init(malloc(mask_size(8)), 8);
	struct rql_error e;
	struct param v;

	(void)state;
	v = value("0+2-4+3+7-7");
	assert_true(param_cpus(&v, '+', 8, mask, &e));
	assert_int_equal(mask->w[0], 0x9d);
	v = value("0-7");
	assert_true(param_cpus(&v, '+', 8, mask, &e));
	assert_int_equal(mask->w[0], 0xff);
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		v = value(bad[k]);
		if (param_cpus(&v, '+', 8, mask, &e))
			fail_msg("%s", bad[k]);
	}
	v = value("8");
	assert_false(param_cpus(&v, '+', 8, mask, &e));
	assert_string_equal(e.what, "key=8: no such CPU; the machine's are 0 to 7");
	free(mask);
}

static void test_the_nearest_names_come_first(void **state)
{
	static const char *const names[] = {"spin", "forkjoin", "periodic", "daemons"};
	uint32_t nearest[3];

	(void)state;
	assert_int_equal(param_nearest("forkjion", 8, names, 4, nearest), 3);
	assert_int_equal(nearest[0], 1);
	assert_int_equal(param_nearest("spim", 4, names, 4, nearest), 3);
	assert_int_equal(nearest[0], 0);
	assert_int_equal(param_nearest("demons", 6, names, 4, nearest), 3);
	assert_int_equal(nearest[0], 3);
	assert_int_equal(param_nearest("", 0, names, 2, nearest), 2);
	assert_int_equal(nearest[0], 0);
	assert_int_equal(nearest[1], 1);
}

static void test_a_printed_time_reads_back(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} rows[] = {{0, "0ns"},    {1, "1ns"},         {1500, "1500ns"},
		    {2000, "2us"}, {10000000, "10ms"}, {UINT64_C(3000000000), "3s"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[24];

		param_print_time(text, sizeof(text), rows[i].ns);
		assert_string_equal(text, rows[i].text);
	}
}

static void test_a_hostile_value_is_one_short_line(void **state)
{
	struct param v = {"text", "key", NULL, 100000};
	char *s = malloc(100000);
	struct rql_error e;
	uint64_t n;

	(void)state;
	memset(s, '\n', 100000);
	v.s = s;
	assert_false(param_count(&v, 0, 1, &n, &e));
	assert_null(strchr(e.what, '\n'));
	assert_true(strlen(e.what) < 200);
	memset(s, '9', 100000);
	assert_false(param_time(&v, 0, 1, &n, &e));
	assert_true(strlen(e.what) < 200);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_time_is_exact),
		cmocka_unit_test(test_what_is_no_time_is_refused),
		cmocka_unit_test(test_counts_and_integers),
		cmocka_unit_test(test_sizes_take_powers_of_1024),
		cmocka_unit_test(test_a_cpu_list_has_numbers_and_ranges),
		cmocka_unit_test(test_the_nearest_names_come_first),
		cmocka_unit_test(test_a_printed_time_reads_back),
		cmocka_unit_test(test_a_hostile_value_is_one_short_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
