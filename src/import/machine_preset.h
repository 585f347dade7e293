/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that need no file: the presets by name, and whatever a struct
 * machine_preset says. For import/machine.c, which is the way in.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_PRESET_H
#define RUNQLAB_IMPORT_MACHINE_PRESET_H

#include "base/err.h"
#include "import/machine.h"

#include <stdbool.h>

/* The preset called NAME, NULL if there is none. */
const struct machine_preset *machine_preset_find(const char *name);

/*
 * Fill *OUT, to be freed with topology_free(). False with *E filled if it would have too many
 * CPUs or nodes, or memory is short. llc_count and node_count must divide core_count.
 */
bool machine_preset_make(const struct machine_preset *p, struct topology *out, struct rql_error *e);

#endif
