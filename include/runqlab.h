/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * librunqlab: one simulation from a program of your own.
 *
 *	struct rql_scenario *s;
 *	struct rql_result *r;
 *	char error[RQL_ERROR_BYTES];
 *
 *	if (rql_scenario_read("mine.json", text, strlen(text), &s, error) != RQL_DONE)
 *		puts(error);
 *	else if (rql_run(s, &r, error) != RQL_DONE)
 *		puts(error);
 *	else
 *		puts(rql_result_json(r));
 *
 * A scenario is JSON as `runqlab run ... --json` writes it; a whole result is
 * taken too. Scenarios do not change and may be run many times. Link with
 * -lrunqlab -lhwloc -ljson-c -lm and define check_failed(), which is called
 * when the library finds a bug in itself and must not return.
 */
#ifndef RUNQLAB_H
#define RUNQLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RQL_ERROR_BYTES 1100

enum rql_status {
	RQL_DONE = 0,
	RQL_BAD_INPUT = 2,
	RQL_LIMIT = 3, /* a limit of the scenario was reached, or simulated time stands still */
};

struct rql_scenario;
struct rql_result;

/* NAME stands for the text in messages. ERROR (RQL_ERROR_BYTES) gets one line if not RQL_DONE. */
enum rql_status rql_scenario_read(const char *name, const char *text, size_t len,
				  struct rql_scenario **out, char *error);
void rql_scenario_free(struct rql_scenario *s);

/* Simulate the scenario on its first kernel with its seed. */
enum rql_status rql_run(const struct rql_scenario *s, struct rql_result **out, char *error);
void rql_result_free(struct rql_result *r);

/* The result as `runqlab run --json` writes it; valid until rql_result_free(). */
const char *rql_result_json(const struct rql_result *r);
uint64_t rql_result_fingerprint(const struct rql_result *r);
/* A metric of `runqlab list metrics`; false if there is none of that name or the run does not define it. */
bool rql_result_metric(const struct rql_result *r, const char *name, double *value);

const char *rql_version(void);

__attribute__((noreturn, cold)) void check_failed(const char *file, int line, const char *cond);

#ifdef __cplusplus
}
#endif

#endif
