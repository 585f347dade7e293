/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks over the bytes of an hwloc XML file before a real parser reads them:
 * says what is wrong with a line number, keeps out what could make a parser use
 * up stack, memory or time, and turns files of hwloc 3 into the form that hwloc
 * 2 reads.
 */
#ifndef RUNQLAB_IMPORT_MACHINE_XML_H
#define RUNQLAB_IMPORT_MACHINE_XML_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define MACHINE_XML_BYTES_MAX ((size_t)64 << 20)

struct machine_xml {
	char *bytes; /* what hwloc may read, a zero byte behind it; to be freed */
	size_t len;  /* zero byte included */
	char arch_name[32];
};

/* WHERE names the file in errors. */
bool machine_xml_prepare(const char *bytes, size_t len, const char *where, struct machine_xml *xml,
			 struct rql_error *e);

#endif
