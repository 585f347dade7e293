/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole machine as one line of text, exact and without reference to a file.
 * The syntax is in docs/MACHINES.md.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_TEXT_H
#define RUNQLAB_IMPORT_MACHINE_TEXT_H

#include "base/err.h"
#include "model/topology.h"

#include <stdbool.h>

#define MACHINE_TEXT_PREFIX "topology:"

/* The text of *T, whatever it came from; to be freed; NULL without memory. */
char *machine_text_write(const struct topology *t);

/* Fill *OUT from what machine_text_write() wrote, or free it, fill *E, return false. */
bool machine_text_read(const char *text, struct topology *out, struct rql_error *e);

#endif
