/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

static bool be_killed(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	raise(SIGKILL);
	return true;
}

static void test_a_job_that_is_killed_is_a_limit_and_no_bug(void **state)
{
	struct answer answer;
	struct rql_error e;

	assert_false(run(be_killed, NULL, 1, 0, &answer, &e));
	assert_true(e.limit);
	assert_non_null(strstr(e.what, "simulation 0 was killed"));
}

/* A job that holds the pipe ARG open for as long as it lives, which is long. */
static bool tarry(void *arg, uint32_t i, void *out, struct rql_error *e)
{
	char here = 'x';

	assert_int_equal(write(*(const int *)arg, &here, 1), 1);
	nanosleep(&(struct timespec){60, 0}, NULL);
	return true;
}

static void test_jobs_end_with_their_parent(void **state)
{
	struct answer answers[2];
	struct rql_error e;
	struct pollfd end;
	char here;
	int ends[2];
	pid_t parent;

	assert_int_equal(pipe(ends), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		close(ends[0]);
		run(tarry, &ends[1], 2, 2, answers, &e);
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < 2; i++)
		assert_int_equal(read(ends[0], &here, 1), 1);
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	/* nobody has the other end any more */
	end = (struct pollfd){.fd = ends[0], .events = POLLIN};
	assert_int_equal(poll(&end, 1, 20000), 1);
	assert_int_equal(read(ends[0], &here, 1), 0);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_stand_in_the_order_of_the_jobs),
		cmocka_unit_test(test_the_first_failed_job_in_order_is_told),
		cmocka_unit_test(test_a_job_that_dies_has_failed),
		cmocka_unit_test(test_a_job_that_is_killed_is_a_limit_and_no_bug),
		cmocka_unit_test(test_jobs_end_with_their_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
