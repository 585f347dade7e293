/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bounds an hwloc synthetic string ("pack:2 numa:1 l3:1 core:8 pu:2") before
 * hwloc builds it: hwloc would set out to make a billion CPUs. The levels are
 * multiplied as they are read; what is in brackets (attributes, attached
 * nodes) makes at most one object for each object of its level. Whether the
 * string is right is hwloc's business.
 */
#include "import/machine_build.h"
#include "import/machine_hwloc.h"

#include <stdint.h>
#include <string.h>

#define SYNTHETIC_CHARS_MAX 4096u
#define LEVELS_MAX 64u

/* Behind the bracket that closes the one at P; NULL if there is none. */
static const char *skip_brackets(const char *p)
{
	char close = *p == '(' ? ')' : ']';

	p = strchr(p, close);
	return p ? p + 1 : NULL;
}

static bool read_count(const char **p, uint32_t *count)
{
	const char *start = *p;

	*count = 0;
	while (**p >= '0' && **p <= '9' && *count <= TOPO_CPUS_MAX)
		*count = *count * 10 + (uint32_t)(*(*p)++ - '0');
	return *p > start && *start != '0' && *count <= TOPO_CPUS_MAX;
}

/* One level at *P, "core:8" or "8"; *CPUS is multiplied. */
static bool read_level(const char **p, uint32_t *cpus, struct rql_error *e)
{
	size_t word_len = strcspn(*p, ": \t");
	uint32_t count;

	if ((*p)[word_len] == ':')
		*p += word_len + 1;
	if (!read_count(p, &count) || (uint64_t)*cpus * count > TOPO_CPUS_MAX)
		return machine_err(e,
				   "the synthetic machine has an impossible count at '%.20s'; "
				   "counts start at 1 and make at most %u CPUs",
				   *p, TOPO_CPUS_MAX);
	*cpus *= count;
	return true;
}

bool machine_synthetic_check(const char *text, struct rql_error *e)
{
	uint32_t cpus = 1, levels = 0;
	const char *p = text;

	if (strnlen(text, SYNTHETIC_CHARS_MAX + 1) > SYNTHETIC_CHARS_MAX)
		return machine_err(e,
				   "the synthetic machine is longer than %u characters; shorten "
				   "it",
				   SYNTHETIC_CHARS_MAX);
	while (*(p += strspn(p, " \t"))) {
		if (*p == '(' || *p == '[') {
			p = skip_brackets(p);
			if (!p)
				return machine_err(e, "a bracket of the synthetic machine is not "
						      "closed; close it");
			continue;
		}
		if (++levels > LEVELS_MAX)
			return machine_err(e,
					   "the synthetic machine has more than %u levels; drop "
					   "some",
					   LEVELS_MAX);
		if (!read_level(&p, &cpus, e))
			return false;
	}
	return true;
}
