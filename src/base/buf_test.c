/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/buf.h"
#include "base/err.h"

static void test_text_is_joined(void **state)
{
	char mem[64];
	struct buf b;

	buf_init(&b, mem, sizeof(mem));
	buf_str(&b, "cpu ");
	buf_u64(&b, 17);
	buf_char(&b, ',');
	buf_strn(&b, "abcdef", 3);
	assert_string_equal(mem, "cpu 17,abc");
	assert_int_equal(b.len, 10);
	assert_false(b.cut);
}

static void test_numbers_at_their_limits(void **state)
{
	static const struct {
		int64_t v;
		const char *text;
	} rows[] = {
		{0, "0"},
		{-1, "-1"},
		{INT64_MAX, "9223372036854775807"},
		{INT64_MIN, "-9223372036854775808"},
	};
	char mem[32];
	struct buf b;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_init(&b, mem, sizeof(mem));
		buf_s64(&b, rows[i].v);
		assert_string_equal(mem, rows[i].text);
	}
	buf_init(&b, mem, sizeof(mem));
	buf_u64(&b, UINT64_MAX);
	assert_string_equal(mem, "18446744073709551615");
}

static void test_what_does_not_fit_is_cut_and_said(void **state)
{
	char mem[5] = "????";
	struct buf b;

	buf_init(&b, mem, 4);
	buf_str(&b, "abc");
	assert_false(b.cut);
	buf_char(&b, 'd');
	assert_true(b.cut);
	assert_string_equal(mem, "abc");
	assert_int_equal(mem[4], 0); /* beyond the capacity: untouched, as initialised */
}

static void test_strn_stops_at_the_end_of_the_text(void **state)
{
	char mem[16];
	struct buf b;

	buf_init(&b, mem, sizeof(mem));
	buf_strn(&b, "ab", 10);
	assert_string_equal(mem, "ab");
}

static void test_comparisons(void **state)
{
	assert_true(str_equal("", ""));
	assert_true(str_equal("rq", "rq"));
	assert_false(str_equal("rq", "rqs"));
	assert_false(str_equal("rqs", "rq"));
	assert_true(str_equal_n("rqs", 2, "rq"));
	assert_false(str_equal_n("rqs", 3, "rq"));
	assert_false(str_equal_n("rq", 2, "rqs"));
	assert_true(str_equal_n("x", 0, ""));
	assert_int_equal(str_len(""), 0);
	assert_int_equal(str_len("domain"), 6);
}

static void test_error_is_one_printable_line(void **state)
{
	struct rql_error e = {.line = 7, .column = 3, .limit = true};

	assert_false(err_set(&e, "a\nb", "bad \x1b[2J name", NULL, "; try x"));
	assert_string_equal(e.where, "a?b");
	assert_string_equal(e.what, "bad ?[2J name; try x");
	assert_int_equal(e.line, 0);
	assert_int_equal(e.column, 0);
	assert_false(e.limit);
}

static void test_error_too_long_is_cut_inside_its_array(void **state)
{
	static char text[2000];
	struct rql_error e;

	for (size_t i = 0; i + 1 < sizeof(text); i++)
		text[i] = 'x';
	assert_false(err_set(&e, text, text, text, NULL));
	assert_int_equal(str_len(e.where), sizeof(e.where) - 1);
	assert_int_equal(str_len(e.what), sizeof(e.what) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_joined),
		cmocka_unit_test(test_numbers_at_their_limits),
		cmocka_unit_test(test_what_does_not_fit_is_cut_and_said),
		cmocka_unit_test(test_strn_stops_at_the_end_of_the_text),
		cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_error_is_one_printable_line),
		cmocka_unit_test(test_error_too_long_is_cut_inside_its_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
