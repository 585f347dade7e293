/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where scheduler time went: a machine's path tree as folded stacks, as a
 * table, or row by row.
 *
 *	struct profile p;
 *
 *	if (profile_build(&p, m->paths, &err)) {
 *		profile_folded(&p, &text);
 *		profile_free(&p);
 *	}
 */
#ifndef RUNQLAB_OBSERVE_PROFILE_H
#define RUNQLAB_OBSERVE_PROFILE_H

#include "base/err.h"
#include "model/path.h"
#include "observe/text.h"

struct profile_row {
	const char *path; /* "schedule;idle_balance;load_balance" */
	uint64_t ns;      /* spent here, callees not included */
	uint64_t count;   /* times entered */
};

struct profile {
	struct profile_row *row; /* by path, in byte order; no two have the same */
	uint32_t nrows;
	uint64_t total_ns;
	struct text names; /* owns the paths */
};

enum profile_by {
	PROFILE_BY_PATH,
	PROFILE_BY_FUNCTION, /* the last element of a path, wherever it was called from */
};

/* False and *E when memory runs out; P is then empty. */
bool profile_build(struct profile *p, const struct path_tree *tree, struct rql_error *e);
void profile_free(struct profile *p);

/* All time in TREE; what the scheduler charged to CPUs must be the same number. */
uint64_t profile_sum_ns(const struct path_tree *tree);

/* Time spent waiting for locks and taking them: all paths that end in a lock. */
uint64_t profile_lock_ns(const struct profile *p);

/* "PATH NS", a line for each path that has time, as flame graph tools read it. */
void profile_folded(const struct profile *p, struct text *t);

/*
 * The N rows with the most time of their own, most first, equals by name: share,
 * ns, count, name; then what is left, and the sum. Returns false (and leaves T
 * alone) when memory runs out.
 */
bool profile_top(const struct profile *p, enum profile_by by, uint32_t n, struct text *t);

#endif
