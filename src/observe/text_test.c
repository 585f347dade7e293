/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "observe/text.h"

static void test_empty_text_is_an_empty_string(void **state)
{
	struct text t;

	text_init(&t);
	assert_string_equal(text_cstr(&t), "");
	text_free(&t);
}

static void test_columns(void **state)
{
	struct text t;

	text_init(&t);
	text_left(&t, "ab", 4);
	text_char(&t, '|');
	text_right(&t, "cd", 4);
	text_char(&t, '|');
	text_right(&t, "longer", 4);
	text_char(&t, '|');
	text_u64_right(&t, 42, 5);
	text_char(&t, '|');
	text_u64_zeros(&t, 42, 6);
	text_char(&t, '|');
	text_hex(&t, 0xabc, 8);
	text_char(&t, '|');
	text_hex(&t, 0xabc, 1);
	text_char(&t, '|');
	text_s64(&t, -7);
	assert_string_equal(text_cstr(&t), "ab  |  cd|longer|   42|000042|00000abc|c|-7");
	assert_int_equal(t.len, strlen(text_cstr(&t)));
	text_free(&t);
}

static void test_text_grows_without_losing_bytes(void **state)
{
	struct text t;

	text_init(&t);
	for (uint32_t i = 0; i < 100000; i++)
		text_char(&t, (char)('a' + i % 26));
	assert_false(t.failed);
	assert_int_equal(t.len, 100000);
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(t.s[i], 'a' + i % 26);
	text_free(&t);
}

static void test_numbers_at_their_limits(void **state)
{
	struct text t;

	text_init(&t);
	text_u64(&t, UINT64_MAX);
	text_char(&t, ' ');
	text_s64(&t, INT64_MIN);
	assert_string_equal(text_cstr(&t), "18446744073709551615 -9223372036854775808");
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_text_is_an_empty_string),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_text_grows_without_losing_bytes),
		cmocka_unit_test(test_numbers_at_their_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
