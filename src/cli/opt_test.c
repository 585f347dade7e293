/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt.h"
#include "cli/opt_table.h"

/* A walk over the words of TEXT, divided by blanks; TEXT is cut in place. */
static void walk_of(struct opt_walk *w, char *text, char **argv)
{
	int argc = 0;
	struct rql_error e;

	argv[argc++] = text;
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	opt_walk_init(w, argc, argv);
	assert_true(opt_command(w, &e));
}

static void test_options_come_in_order_in_all_their_forms(void **state)
{
	static const struct {
		enum opt_id id;
		const char *value;
	} rows[] = {
		{OPT_MACHINE, "a"}, {OPT_MACHINE, "b"},   {OPT_MACHINE, "c"},
		{OPT_MACHINE, "d"}, {OPT_ATOMIC, NULL},   {OPT_JSON, NULL},
		{OPT_JSON, "f"},    {OPT_ARGUMENT, "x"},  {OPT_ARGUMENT, "-"},
		{OPT_CGROUP, "-1"}, {OPT_ARGUMENT, "-m"}, {OPT_ARGUMENT, "--json"},
	};
	char text[] = "run -m a -mb --machine c --machine=d --atomic --json --json=f x - "
		      "--cgroup -1 -- -m --json";
	char *argv[32];
	struct opt_walk w;
	struct rql_error e;
	struct opt o;

	walk_of(&w, text, argv);
	assert_int_equal(w.command, COMMAND_RUN);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(opt_next(&w, &o, &e));
		assert_int_equal(o.id, rows[i].id);
		if (rows[i].value)
			assert_string_equal(o.value, rows[i].value);
		else
			assert_null(o.value);
	}
	assert_false(opt_next(&w, &o, &e));
	assert_false(w.failed);
}

static void test_what_does_not_fit_is_an_error(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} rows[] = {
		{"run --machines x", "option --machines", "unknown; nearest: --machine"},
		{"run -y", "option -y", "unknown;"},
		{"run --kernel", "option --kernel", "its value is missing; KERNEL is right"},
		{"run --audit=no", "option --audit", "has no value"},
		{"run --all", "option --all", "not an option of `runqlab run`"},
		{"--all", "option --all", "before a command"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[64];
		char *argv[32];
		struct opt_walk w;
		struct rql_error e;
		struct opt o;

		snprintf(text, sizeof(text), "%s", rows[i].text);
		walk_of(&w, text, argv);
		assert_false(opt_next(&w, &o, &e));
		assert_true(w.failed);
		assert_string_equal(e.where, rows[i].where);
		assert_memory_equal(e.what, rows[i].what, strlen(rows[i].what));
	}
}

static void test_the_table_is_whole(void **state)
{
	for (uint32_t i = 0; i < OPT_IDS; i++) {
		assert_non_null(opt_rows[i].name);
		assert_non_null(opt_rows[i].what);
		for (uint32_t j = 0; j < i; j++) {
			assert_string_not_equal(opt_rows[i].name, opt_rows[j].name);
			assert_true(!opt_rows[i].letter ||
				    opt_rows[i].letter != opt_rows[j].letter);
		}
	}
}

static void test_every_option_stands_in_help_and_manual(void **state)
{
	static const char *const kinds[] = {NULL, "man"};

	for (size_t k = 0; k < 2; k++) {
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);
		struct rql_error e;

		assert_non_null(f);
		assert_true(opt_help(COMMAND_NONE, kinds[k], f, &e));
		fclose(f);
		for (uint32_t i = 0; i < OPT_IDS; i++) {
			char name[64];

			snprintf(name, sizeof(name), "%s%.*s", k ? "\\-\\-" : "--",
				 (int)strcspn(opt_rows[i].name, "-"), opt_rows[i].name);
			assert_non_null(strstr(text, name));
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options_come_in_order_in_all_their_forms),
		cmocka_unit_test(test_what_does_not_fit_is_an_error),
		cmocka_unit_test(test_the_table_is_whole),
		cmocka_unit_test(test_every_option_stands_in_help_and_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
