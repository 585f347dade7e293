/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact reading of the small values users type: counts, times with a unit,
 * sizes, percentages, CPU lists, and the nearest known name to a misspelt one.
 * Pure functions; used for workloads, kernel strings and options alike.
 *
 * A value is a piece of a larger text: fill a struct param with where it
 * stands (for the message; may be NULL), what it is called and its bytes.
 * Every function returns false with one line in *E on anything it does not
 * read exactly: empty, sign, overflow, trailing text, missing unit.
 */
#ifndef RUNQLAB_BASE_PARAMS_H
#define RUNQLAB_BASE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mask;

struct param {
	const char *where; /* the whole text, an option, a file; becomes e->where */
	const char *name;  /* the key or option whose value this is */
	const char *s;     /* the value, N bytes, no terminator needed */
	size_t n;
};

/* Times above this (about 146 years) are refused, so that sums of two stay in 63 bits. */
#define PARAM_TIME_NS_MAX (UINT64_C(1) << 62)

/* A plain decimal count in [low, high]. */
bool param_count(const struct param *v, uint64_t low, uint64_t high, uint64_t *out,
		 struct rql_error *e);
/* A decimal integer with an optional minus sign in [low, high]. */
bool param_integer(const struct param *v, int64_t low, int64_t high, int64_t *out,
		   struct rql_error *e);
/*
 * A time with its unit (ns us ms s), a fraction allowed where it is a whole number of ns. 0 needs
 * no unit.
 */
bool param_time(const struct param *v, uint64_t low_ns, uint64_t high_ns, uint64_t *ns,
		struct rql_error *e);
/* A number of bytes, optionally with K, M or G (powers of 1024). */
bool param_size(const struct param *v, uint64_t low, uint64_t high, uint64_t *bytes,
		struct rql_error *e);
/* Does the value end in '%'? Then param_percent() reads a whole number in [low, high] before it. */
bool param_is_percent(const struct param *v);
bool param_percent(const struct param *v, uint64_t low, uint64_t high, uint64_t *percent,
		   struct rql_error *e);
/*
 * CPU numbers and ranges joined by SEPARATOR, as 0+2-4. OUT (a mask of NCPUS
 * bits) is emptied first; on success at least one bit is set.
 */
bool param_cpus(const struct param *v, char separator, uint32_t ncpus, struct mask *out,
		struct rql_error *e);

/* One error line about the value: "NAME=VALUE: WHAT_1WHAT_2". Always false. */
bool param_error(const struct param *v, const char *what_1, const char *what_2,
		 struct rql_error *e);

/*
 * Indices of the (at most 3) names nearest to the N bytes at WORD, nearest
 * first, equal distances in the order of NAMES. Returns how many (count may be
 * less than 3). Distance: insertions, deletions and substitutions.
 */
uint32_t param_nearest(const char *word, size_t n, const char *const *names, uint32_t count,
		       uint32_t nearest[3]);

/* Write NS in the largest unit that is exact, as param_time() reads it. 24 bytes suffice. */
void param_print_time(char *out, size_t cap, uint64_t ns);

#endif
