/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a machine from what a user types after -m: a preset, SxCxT, an hwloc
 * synthetic string, an hwloc XML file, a sysfs tree, `live`, or a description
 * that topology_describe() wrote. docs/MACHINES.md is the manual.
 *
 *	struct topology t;
 *	struct rql_error e;
 *	if (!machine_load("wsm-ep", &t, &e))
 *		return false;
 *	...
 *	topology_free(&t);
 *
 * The caller owns the topology until topology_free(). The process's own
 * environment is neither read nor changed. hwloc runs in a short-lived child
 * process, so call this before threads that hold locks of their own exist.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_H
#define RUNQLAB_IMPORT_MACHINE_H

#include "base/err.h"
#include "model/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which CPU number a thread has, S sockets of C cores of T threads. */
enum machine_numbering {
	MACHINE_THREADS_LAST,      /* thread t of core c of socket s: t*S*C + s*C + c */
	MACHINE_THREADS_IN_SOCKET, /* s*C*T + t*C + c */
	MACHINE_THREADS_ADJACENT,  /* (s*C + c)*T + t */
};

/*
 * A machine of equal sockets. Counts of 0 stand for 1. LLCs and nodes divide
 * a socket's cores into equal parts in the order of the cores; a package is one die.
 */
struct machine_preset {
	const char *name;
	uint32_t socket_count;
	uint32_t core_count;   /* of a socket */
	uint32_t thread_count; /* of a core */
	const char *what;      /* one line for `runqlab list machines` */
	uint32_t llc_count;    /* of a socket */
	uint32_t node_count;   /* of a socket */
	enum machine_numbering numbering;
	enum topo_arch arch;
	const uint8_t *distance;      /* a row for each node; NULL: 10 and 20 */
	const uint16_t *llc_capacity; /* of the CPUs of each LLC of a socket; NULL: 1024 */
};

/* The presets in the order in which they are listed; *COUNT of them. */
const struct machine_preset *machine_presets(size_t *count);

/* Fill *OUT from TEXT, or leave it zeroed, fill *E and return false. */
bool machine_load(const char *text, struct topology *out, struct rql_error *e);

/* Give back what machine_load() allocated; harmless on a zeroed or freed topology. */
void topology_free(struct topology *t);

/*
 * One line of printable ASCII from which machine_load() makes the same topology
 * again, on any computer and without any file: the preset, SxCxT or synthetic
 * string where that says it all, else the whole machine. To be freed by the
 * caller; NULL when memory runs out.
 */
char *topology_describe(const struct topology *t);

/* Are A and B the same machine, names included? */
bool topology_equal(const struct topology *a, const struct topology *b);

#endif
