/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a reader of machines in a child process of its own and brings back the
 * machine as text. Whatever the reader does to its environment, to standard
 * error or to itself stays there.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_CHILD_H
#define RUNQLAB_IMPORT_MACHINE_CHILD_H

#include "base/err.h"
#include "model/topology.h"

#include <stdbool.h>

/*
 * READER fills a topology from ARG as machine_load() does; of its error only the
 * text comes back. In the child no HWLOC_* variable is set.
 */
bool machine_child_run(bool (*reader)(const void *arg, struct topology *t, struct rql_error *e),
		       const void *arg, struct topology *out, struct rql_error *e);

#endif
