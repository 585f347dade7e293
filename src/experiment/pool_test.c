/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "experiment/pool.h"

#define JOBS 20u

struct answer {
	uint32_t square;
	char text[100];
};

static bool square(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	struct answer *a = out;

	/* the first ones are the last to end */
	nanosleep(&(struct timespec){0, (long)(JOBS - i) * 1000000}, NULL);
	a->square = i * i + *(const uint32_t *)arg;
	return true;
}

static bool run(pool_job *job, void *arg, uint32_t n, uint32_t at_once, struct answer *out,
		struct rql_error *e)
{
	struct pool_work w = {.job = job,
			      .arg = arg,
			      .n = n,
			      .out = out,
			      .size = sizeof(*out),
			      .at_once = at_once};

	return pool_run(&w, e);
}

static void test_answers_stand_in_the_order_of_the_jobs(void **state)
{
	struct answer answers[JOBS];
	struct rql_error e;
	static const uint32_t at_once[] = {0, 1, 2, 50};
	uint32_t base = 7;

	for (size_t k = 0; k < 4; k++) {
		memset(answers, 0xff, sizeof(answers));
		assert_true(run(square, &base, JOBS, at_once[k], answers, &e));
		for (uint32_t i = 0; i < JOBS; i++)
			assert_int_equal(answers[i].square, i * i + 7);
	}
}

static bool fail_some(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	if (i == 7)
		_exit(3);
	if (i == 5) {
		nanosleep(&(struct timespec){0, 20000000}, NULL);
		err_set(e, "five", "cannot", NULL, NULL);
		e->limit = true;
		return false;
	}
	return true;
}

static void test_the_first_failed_job_in_order_is_told(void **state)
{
	struct answer answers[JOBS];
	struct rql_error e;

	assert_false(run(fail_some, NULL, JOBS, 0, answers, &e));
	assert_string_equal(e.where, "five");
	assert_true(e.limit);
}

static bool die(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	_exit(3);
}

static void test_a_job_that_dies_has_failed(void **state)
{
	struct answer answer;
	struct rql_error e;

	assert_false(run(die, NULL, 1, 0, &answer, &e));
	assert_non_null(strstr(e.what, "died"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_stand_in_the_order_of_the_jobs),
		cmocka_unit_test(test_the_first_failed_job_in_order_is_told),
		cmocka_unit_test(test_a_job_that_dies_has_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
