/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dialect that is read, and where errors are said to be. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "import/json_text.h"

static void test_members_keep_order_repetition_and_bare_keys(void **state)
{
	static const char text[] =
		"// a comment\n{ \"run\": 1, \"suspend\", /* \"x\": */ \"run\" : 2,\n"
		"\"list\" : [ 1, -2, ], \"o\": { \"a\": { \"b\": [] } }, \"last\" }\n";
	static const char *const keys[] = {"run", "suspend", "run", "list", "o", "last"};
	struct json_member m;
	struct json_walk w;
	struct rql_error e;
	struct json_text j;
	uint32_t n = 0, element;
	int64_t value;

	assert_true(json_text_parse(&j, "f", text, strlen(text), &e));
	w = json_walk(&j, 0);
	while (json_next_member(&w, &m)) {
		assert_true(json_is(&j, m.key, keys[n]));
		assert_int_equal(m.value == JSON_NONE, n == 1 || n == 5);
		if (n == 2) {
			assert_true(json_integer(&j, m.value, "run", 0, 10, &value, &e));
			assert_int_equal(value, 2);
			assert_false(json_integer(&j, m.value, "run", 3, 10, &value, &e));
			assert_int_equal(e.line, 2);
			assert_int_equal(e.column, 43);
		}
		if (n == 3) {
			struct json_walk v = json_walk(&j, m.value);

			assert_true(json_next_element(&v, &element));
			assert_true(json_next_element(&v, &element));
			assert_true(json_integer(&j, element, "list", -5, 5, &value, &e));
			assert_int_equal(value, -2);
			assert_false(json_next_element(&v, &element));
		}
		n++;
	}
	assert_int_equal(n, 6);
	json_text_free(&j);
}

static void test_what_is_not_json_has_a_place(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
		const char *why;
	} rows[] = {
		{"", 1, 1, "end of the file is not expected"},
		{"5", 1, 1, "'5' is not expected here; { or [ is"},
		{"{", 1, 2, "end of the file"},
		{"{\n\"a\" 1}", 2, 5, "a colon is"},
		{"{\"a\":}", 1, 6, "a value is"},
		{"{\"a\":1,,}", 1, 8, "a key"},
		{"{,}", 1, 2, "a key"},
		{"{\"a\":1]", 1, 7, "']' is not expected"},
		{"[1}", 1, 3, "'}' is not expected"},
		{"[1 2]", 1, 4, "a comma"},
		{"{\"a\":1} x", 1, 9, "the end of the file is"},
		{"{\"a\":tru}", 1, 6, "a value"},
		{"{\"a\":truex}", 1, 10, "a comma"},
		{"{\"a\":01}", 1, 6, "not a number"},
		{"{\"a\":-}", 1, 6, "not a number"},
		{"{\"a\":1.}", 1, 6, "not a number"},
		{"{\"a\":1e}", 1, 6, "not a number"},
		{"{\"a\":\"x", 1, 6, "does not end"},
		{"{\"a\":\"\\q\"}", 1, 7, "escape"},
		{"{\"a\":\"\\u12g4\"}", 1, 7, "escape"},
		{"{\"a\n\":1}", 1, 4, "line break"},
		{"{a:1}", 1, 2, "a key in quotes"},
		{"{ /* x", 1, 3, "comment that does not end"},
		{"{ / }", 1, 3, "'/' is not expected"},
		{"{\"a\":1}\n\xff", 2, 1, "UTF-8"},
		{"{ // \xc0\xaf\n}", 1, 6, "UTF-8"},
		{"{\"\xed\xa0\x80\":1}", 1, 3, "UTF-8"},
		{"{\"\xc3", 1, 3, "UTF-8"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;
		struct json_text j;

		if (json_text_parse(&j, "f", rows[i].text, strlen(rows[i].text), &e))
			fail_msg("%s: accepted", rows[i].text);
		if (e.line != rows[i].line || e.column != rows[i].column ||
		    !strstr(e.what, rows[i].why))
			fail_msg("%s: %u:%u: %s", rows[i].text, e.line, e.column, e.what);
		assert_string_equal(e.where, "f");
	}
}

static void test_a_zero_byte_is_an_error(void **state)
{
	struct rql_error e;
	struct json_text j;

	assert_false(json_text_parse(&j, "f", "{\"a\":1\0}", 8, &e));
	assert_int_equal(e.column, 7);
}

static void test_escapes_and_letters_are_read(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf{\"a\\n\\\"\\u00e4\\u20ac\xc3\xb6\" : null, \"\\u0000\", \"\\ud800\" }";
	struct json_walk w;
	struct json_member m;
	struct rql_error e;
	struct json_text j;
	char name[16];

	assert_true(json_text_parse(&j, "f", text, strlen(text), &e));
	w = json_walk(&j, 0);
	assert_true(json_next_member(&w, &m));
	assert_true(json_string(&j, m.key, name, sizeof(name), &e));
	assert_string_equal(name, "a\n\"\xc3\xa4\xe2\x82\xac\xc3\xb6");
	assert_false(json_string(&j, m.key, name, 4, &e));
	assert_true(json_next_member(&w, &m));
	assert_false(json_string(&j, m.key, name, sizeof(name), &e));
	assert_true(json_next_member(&w, &m));
	assert_false(json_string(&j, m.key, name, sizeof(name), &e));
	json_text_free(&j);
}

static void test_numbers_must_be_whole_and_in_range(void **state)
{
	static const char *const bad[] = {
		"1.0",
		"1e3",
		"11",
		"-1",
		"9223372036854775808",
		"99999999999999999999999999999",
		"-9223372036854775808",
		"true",
		"null",
		"\"5\"",
		"[]",
	};
	char text[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct rql_error e;
		struct json_text j;
		int64_t value;

		strcpy(text, "[ ");
		strcat(text, bad[i]);
		strcat(text, " ]");
		assert_true(json_text_parse(&j, "f", text, strlen(text), &e));
		assert_false(json_integer(&j, 1, "n", 0, 10, &value, &e));
		assert_int_equal(e.column, 3);
		json_text_free(&j);
	}
}

static void test_hostile_texts_end_quickly(void **state)
{
	static const char *const patterns[] = {"[",  "{\"a\":", "\"a\",", "1,",
					       "/*", "[[],",    "{},",    "\\"};
	char *text = malloc(JSON_TEXT_MAX + 2);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		size_t n = strlen(patterns[i]);
		struct rql_error e;
		struct json_text j;

		for (size_t at = 0; at < JSON_TEXT_MAX; at++)
			text[at] = patterns[i][at % n];
		assert_false(json_text_parse(&j, "f", text, JSON_TEXT_MAX, &e));
		text[0] = '[';
		assert_false(json_text_parse(&j, "f", text, JSON_TEXT_MAX, &e));
	}
	assert_false(json_text_parse(&(struct json_text){0}, "f", text, JSON_TEXT_MAX + 1,
				     &(struct rql_error){{0}, 0, 0, false, {0}}));
	free(text);
}

static void test_a_large_text_is_linear(void **state)
{
	size_t n = (size_t)1 << 19;
	char *text = malloc(n * 8 + 1);
	uint32_t members = 0;
	struct json_member m;
	struct json_walk w;
	struct rql_error e;
	struct json_text j;

	text[0] = '{';
	for (size_t i = 0; i + 1 < n; i++)
		memcpy(text + 1 + i * 8, "\"a\":{ },", 8);
	text[1 + (n - 1) * 8] = '}';
	assert_true(json_text_parse(&j, "f", text, 2 + (n - 1) * 8, &e));
	w = json_walk(&j, 0);
	while (json_next_member(&w, &m))
		members++;
	assert_int_equal(members, n - 1);
	json_text_free(&j);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_keep_order_repetition_and_bare_keys),
		cmocka_unit_test(test_what_is_not_json_has_a_place),
		cmocka_unit_test(test_a_zero_byte_is_an_error),
		cmocka_unit_test(test_escapes_and_letters_are_read),
		cmocka_unit_test(test_numbers_must_be_whole_and_in_range),
		cmocka_unit_test(test_hostile_texts_end_quickly),
		cmocka_unit_test(test_a_large_text_is_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
