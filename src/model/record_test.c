/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "model/record.h"

/* What happens feeds the fingerprint; when it is only looked at, it does not. */
static void test_which_records_feed_the_fingerprint(void **state)
{
	static const int fingerprint[RECORD_KINDS] = {
#define RECORD(name, feeds, a, b, c, d) [RECORD_##name] = (feeds),
#include "model/record.def"
	};

	assert_int_equal(fingerprint[RECORD_SWITCH], 1);
	assert_int_equal(fingerprint[RECORD_WAKE], 1);
	assert_int_equal(fingerprint[RECORD_FORK], 1);
	assert_int_equal(fingerprint[RECORD_EXIT], 1);
	assert_int_equal(fingerprint[RECORD_MIGRATE], 1);
	assert_int_equal(fingerprint[RECORD_BALANCE], 1);
	assert_int_equal(fingerprint[RECORD_BLOCK], 0);
	assert_int_equal(fingerprint[RECORD_TICK], 0);
	assert_int_equal(fingerprint[RECORD_WAIT_START], 0);
	assert_int_equal(fingerprint[RECORD_WAIT_END], 0);
	assert_int_equal(fingerprint[RECORD_THROTTLE], 1);
	assert_int_equal(fingerprint[RECORD_UNTHROTTLE], 1);
	assert_int_equal(RECORD_KINDS, 12);
}

/* Sinks say what they want in a word of 32 bits. */
static void test_kinds_fit_a_set(void **state)
{
	assert_true(RECORD_KINDS <= 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_records_feed_the_fingerprint),
		cmocka_unit_test(test_kinds_fit_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
