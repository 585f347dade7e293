/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `runqlab compare` prints: tables and reasons for people, JSON for programs. */
#ifndef RUNQLAB_CLI_COMPARE_OUT_H
#define RUNQLAB_CLI_COMPARE_OUT_H

#include "experiment/compare.h"

struct json_object;

#define COMPARE_GATES_MAX 32u

struct compare_gates {
	struct compare_gate gate[COMPARE_GATES_MAX];
	uint32_t n;
};

/* Tables, reasons and gates to standard output. */
bool compare_print(const struct compare *c, const struct compare_gates *gates, struct rql_error *e);

/* The same and each seed's values; to be put back. NULL and *E: out of memory. */
struct json_object *compare_json(const struct compare *c, const struct compare_gates *gates,
				 struct rql_error *e);

/* The reasons alone, of KERNEL against the first. */
bool compare_print_why(const struct compare *c, uint32_t kernel, struct rql_error *e);
struct json_object *compare_why_json(const struct compare *c, uint32_t kernel, struct rql_error *e);

/* Do all gates hold for all kernels? */
bool compare_gates_hold(const struct compare *c, const struct compare_gates *gates);

#endif
