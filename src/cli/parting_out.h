/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where two kernels part, as text and as JSON. */
#ifndef RUNQLAB_CLI_PARTING_OUT_H
#define RUNQLAB_CLI_PARTING_OUT_H

#include "experiment/parting.h"

struct json_object;

/* To standard output; FIRST and OTHER are the kernels' texts. */
void parting_print(const struct parting *p, const char *first, const char *other, uint64_t seed);

/* To be put back. */
struct json_object *parting_json(const struct parting *p, const char *first, const char *other,
				 uint64_t seed);

#endif
