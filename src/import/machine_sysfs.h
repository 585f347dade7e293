/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a sysfs tree that say what hwloc reinterprets or leaves out:
 * which CPUs the kernel itself took for threads of one core, clusters, books
 * and drawers; its caches; its NUMA nodes and their distances. ROOT is the
 * folder that holds sys/, "" for this computer.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_SYSFS_H
#define RUNQLAB_IMPORT_MACHINE_SYSFS_H

#include "model/topology.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The numbers of the nodes, ascending, into OS_ID (TOPO_NODES_MAX + 1 entries);
 * their count is returned, 0 if the tree has none and at most TOPO_NODES_MAX + 1.
 */
uint32_t machine_sysfs_nodes(const char *root, uint32_t *os_id);

/* The CPUs of node OS_ID; false if the tree does not say. */
bool machine_sysfs_node_cpus(const char *root, uint32_t os_id, hwloc_bitmap_t cpus);

/* The distances of all nodes of *T that the tree tells; the others stay. */
void machine_sysfs_distances(const char *root, struct topology *t);

/*
 * Replace the core, LLC, cluster, book and drawer of the online CPUs of *T by
 * what the tree says; ids are the lowest CPU that has the same set. Without
 * memory nothing changes and false is returned.
 */
bool machine_sysfs_parts(const char *root, struct topology *t);

/* Is the tree's /proc/cpuinfo that of an x86? */
bool machine_sysfs_is_x86(const char *root);

/* Is VENDOR, a CPU's name of its maker, one that makes x86 CPUs? */
bool machine_vendor_is_x86(const char *vendor);

#endif
