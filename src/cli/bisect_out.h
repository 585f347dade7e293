/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `runqlab bisect` prints: text for people, JSON for programs. */
#ifndef RUNQLAB_CLI_BISECT_OUT_H
#define RUNQLAB_CLI_BISECT_OUT_H

#include "experiment/bisect.h"

struct json_object;

/* To standard output. */
bool bisect_print(const struct bisect *b, struct rql_error *e);

/* To be put back. NULL and *E: out of memory. */
struct json_object *bisect_json(const struct bisect *b, struct rql_error *e);

/* Do the ends differ, and is what was found enough to make good bad and bad good? */
bool bisect_holds(const struct bisect *b);

#endif
