/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a run as JSON, and the numbers in it as text. The same
 * scenario gives the same bytes on every computer: nothing of the host is in
 * it, and quotients are printed from integers with nine decimals.
 */
#ifndef RUNQLAB_EXPERIMENT_RESULT_H
#define RUNQLAB_EXPERIMENT_RESULT_H

#include <stdio.h>

#include "experiment/runner.h"

struct json_object;

#define DECIMAL_BYTES 48

/* NUM / DEN (DEN > 0), rounded half up at nine decimals, trailing zeros dropped: "1.5", "3". */
void decimal_print(char *out, uint64_t num, uint64_t den);

/* { "runqlab": 1, "scenario": ..., "result": ... } of an executed run; to be put back. */
struct json_object *result_json(struct run *r, const struct scenario *s);

/* Say in O of a result or a kernel that its profile is not exact; nothing where it is. */
void json_add_exactness(struct json_object *o, bool approximate, bool rt_only);

/* A number of JSON from the text TEXT. */
struct json_object *json_number_text(const char *text, double value);

/* O as text, the same for the command and the library; valid as long as O. */
const char *json_text(struct json_object *o);
/* The same and a line break. */
void json_print(FILE *f, struct json_object *o);

#endif
