/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines that hwloc reads: synthetic strings, XML, sysfs trees and the
 * computer this runs on. Each call runs in a child process (machine_child.h).
 */
#ifndef RUNQLAB_IMPORT_MACHINE_HWLOC_H
#define RUNQLAB_IMPORT_MACHINE_HWLOC_H

#include "base/err.h"
#include "model/topology.h"

#include <stdbool.h>
#include <stddef.h>

enum machine_source_kind {
	MACHINE_SYNTHETIC, /* text: the string, already bounded by machine_synthetic_check() */
	MACHINE_XML,       /* bytes, len: from machine_xml_prepare() */
	MACHINE_SYSFS,     /* text: path of the folder that holds sys/devices/system */
	MACHINE_LIVE,
};

struct machine_source {
	enum machine_source_kind kind;
	const char *name; /* for struct topology */
	const char *text;
	const char *bytes;
	size_t len;         /* of bytes, zero byte included */
	char arch_name[32]; /* what the XML calls its architecture; empty if nothing */
};

/* Errors have no place; the caller knows it. */
bool machine_hwloc_load(const struct machine_source *source, struct topology *out,
			struct rql_error *e);

/* Is TEXT an hwloc synthetic string of bearable size? False with *E filled if not. */
bool machine_synthetic_check(const char *text, struct rql_error *e);

#endif
