/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/prices.h"

static void test_default_profile_is_complete(void **state)
{
	struct prices p;

	assert_true(prices_builtin("default", &p));
	assert_int_equal(p.sched_ns[WORK_SCHEDULE], 140);
	assert_int_equal(p.sched_ns[WORK_STOPPER], 500);
	assert_int_equal(p.lock.remote_ns, 140);
	assert_int_equal(p.hardware.smt_slowdown_pct, 160);
	assert_int_equal(p.work.fork_ns, 66000);
}

static void test_free_zeroes_scheduler_and_locks_only(void **state)
{
	struct prices normal, nothing;

	assert_true(prices_builtin("default", &normal));
	assert_true(prices_builtin("free", &nothing));
	for (int i = 0; i < WORK_KINDS; i++)
		assert_int_equal(nothing.sched_ns[i], 0);
	assert_int_equal(nothing.lock.same_cpu_ns, 0);
	assert_int_equal(nothing.lock.per_waiter_ns, 0);
	assert_memory_equal(&nothing.hardware, &normal.hardware, sizeof(normal.hardware));
	assert_memory_equal(&nothing.work, &normal.work, sizeof(normal.work));
	assert_false(prices_builtin("cheap", &normal));
}

/* Where an instruction takes 1 ns and lines cost nothing, only the quantum tells CPUs apart. */
static void test_lockstep_has_no_caches_and_two_quanta(void **state)
{
	struct prices p, fine;

	assert_true(prices_builtin("qemu-lockstep", &p));
	assert_int_equal(p.hardware.quantum_ns, 20000);
	assert_int_equal(p.hardware.smt_slowdown_pct, 100);
	assert_int_equal(p.hardware.cold_same_llc_ns + p.hardware.cold_remote_ns, 0);
	assert_int_equal(p.lock.same_cpu_ns, p.lock.remote_ns);
	assert_true(prices_builtin("qemu-lockstep-1us", &fine));
	assert_int_equal(fine.hardware.quantum_ns, 1000);
	fine.hardware.quantum_ns = p.hardware.quantum_ns;
	assert_memory_equal(&fine, &p, sizeof(p));
}

/* The default text with the first OLD replaced; in malloc()ed memory. */
static char *changed(const char *old, const char *new)
{
	const char *at = strstr(prices_default_text, old);
	size_t before = (size_t)(at - prices_default_text);
	size_t size = strlen(prices_default_text) + strlen(new) + 1;
	char *text = malloc(size);

	assert_non_null(at);
	assert_non_null(text);
	snprintf(text, size, "%.*s%s%s", (int)before, prices_default_text, new, at + strlen(old));
	return text;
}

static void test_each_fault_is_named_with_its_line(void **state)
{
	static const struct {
		const char *old, *new;
		uint32_t line;
		const char *what; /* begins the message */
	} rows[] = {
		{"schedule = 140 ns", "shedule = 250 ns", 2, "unknown name \"shedule\" in [sched]"},
		{"switch_locked = 415", "schedule = 750", 3, "schedule was given in line 2"},
		{"schedule = 140 ns", "schedule = 140", 2, "schedule: unit \"\"; ns or us"},
		{"schedule = 140 ns", "schedule = 140 ms", 2, "schedule: unit \"ms\"; ns or us"},
		{"schedule = 140 ns", "schedule = -1 ns", 2, "schedule: no whole number"},
		{"schedule = 140 ns", "schedule = 1.5 us", 2, "schedule: unit \".5 us\""},
		{"schedule = 140 ns", "schedule = 99999999999999999999 ns", 2,
		 "schedule: out of range"},
		{"schedule = 140 ns", "schedule = 1000001 us", 2, "schedule: out of range"},
		{"schedule = 140 ns", "schedule", 2, "schedule has no value"},
		{"schedule = 140 ns      # ", "schedule = 140 ns #\n#", 2,
		 "schedule has no source"},
		{"[sched]", "# nothing", 2, "a price before the first section"},
		{"[sched]", "[shed]", 1, "unknown section \"[shed]\""},
		{"160 pct", "160 ns", 41, "smt_slowdown: unit \"ns\"; pct is right"},
		{"160 pct", "99 pct", 41, "smt_slowdown: out of range; 100 to 10000 pct"},
		{"pick = 35 ns", "# pick = 35 ns", 57, "pick is missing in [sched]"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;
		struct prices p;
		char *text = changed(rows[i].old, rows[i].new);

		assert_false(prices_parse("p.txt", text, &p, &e));
		assert_string_equal(e.where, "p.txt");
		if (strncmp(e.what, rows[i].what, strlen(rows[i].what)) != 0)
			fail_msg("got: %s", e.what);
		assert_int_equal(e.line, rows[i].line);
		free(text);
	}
}

static void test_empty_profile_misses_the_first_name(void **state)
{
	struct rql_error e;
	struct prices p;

	assert_false(prices_parse("p.txt", "", &p, &e));
	assert_memory_equal(e.what, "schedule is missing", 19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_profile_is_complete),
		cmocka_unit_test(test_free_zeroes_scheduler_and_locks_only),
		cmocka_unit_test(test_lockstep_has_no_caches_and_two_quanta),
		cmocka_unit_test(test_each_fault_is_named_with_its_line),
		cmocka_unit_test(test_empty_profile_misses_the_first_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
