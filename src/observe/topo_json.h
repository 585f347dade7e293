/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same as topo_text.h for programs, complete:
 *
 *	{ "machine": name, "x86": bool, "kernel": ...,
 *	  "cpus":    [ { "cpu", "online", "core", "llc", "package", "node" } ],
 *	  "nodes":   [ { "node", "cpus", "memory_only", "distances": [...] } ],
 *	  "groups":  [ { "id", "cpus", "cpu_power" } ],  from 5.4 on instead of the power
 *	             "balance_mask", "capacity", "min_capacity", "max_capacity", "flags": [...]
 *	  "domains": [ { "cpu", "level", "name", "span", "span_weight", "flags": [...], ...,
 *	                 "groups": [ids from the CPU's own on] } ] }
 *
 * Ids of cores, caches and packages only say equal or not; nodes carry Linux's
 * numbers. Lists of CPUs are strings as the kernel prints them; a node's has the
 * online ones.
 */
#ifndef RUNQLAB_OBSERVE_TOPO_JSON_H
#define RUNQLAB_OBSERVE_TOPO_JSON_H

#include "model/domain.h"
#include "model/topology.h"

struct json_object;

/* To be released with json_object_put(); NULL when memory runs out. */
struct json_object *topo_json(const struct topology *t, const struct domain_set *s,
			      const char *kernel);

#endif
