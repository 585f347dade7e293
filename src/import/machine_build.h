/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every reader of machines needs to make a struct topology:
 * topology_create(), fill cpu[], node[] and distance[] with whatever ids are at
 * hand, then topology_finish(), which brings them into the one canonical form
 * and refuses what is no machine.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_BUILD_H
#define RUNQLAB_IMPORT_MACHINE_BUILD_H

#include "base/err.h"
#include "model/topology.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The things CPUs share, as fields of struct topo_cpu; the nodes are not among
 * them because they are told by number.
 */
enum topo_part {
	TOPO_PART_CORE,
	TOPO_PART_CLUSTER,
	TOPO_PART_LLC,
	TOPO_PART_DIE,
	TOPO_PART_PACKAGE,
	TOPO_PART_BOOK,
	TOPO_PART_DRAWER,
	TOPO_PARTS,
};

struct topo_part_info {
	const char *name;
	bool optional; /* CPUs may have none of it */
};

extern const struct topo_part_info topo_part_info[TOPO_PARTS];

/* The id of CPU's part, to be read or set. */
uint32_t *topo_cpu_part(struct topo_cpu *cpu, enum topo_part part);
uint32_t topo_cpu_part_id(const struct topo_cpu *cpu, enum topo_part part);

/*
 * Allocate cpu[NCPUS] (nothing present, all ids TOPO_NONE, capacity 1024),
 * node[NNODES] and distances (10 and 20). False with *E filled if a count is
 * 0 or above the limits, or memory is short.
 */
bool topology_create(struct topology *t, uint32_t ncpus, uint32_t nnodes, struct rql_error *e);

/*
 * Renumber the ids densely, count CPUs, mark memory-only nodes, then verify.
 * Frees *T when it returns false.
 */
bool topology_finish(struct topology *t, struct rql_error *e);

/* err_set() with a printf format and no place; always false. */
__attribute__((format(printf, 2, 3))) bool machine_err(struct rql_error *e, const char *format,
						       ...);

#endif
