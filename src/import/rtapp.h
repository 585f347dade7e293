/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads described in rt-app's JSON. What the file says is kept in its
 * order, keys that occur more than once included; what is not understood is an
 * error with its place, never ignored. docs/WORKLOADS.md has the list of keys.
 *
 * A duration in the file becomes the workload's duration_ns. Destroy with
 * workload_destroy().
 */
#ifndef RUNQLAB_IMPORT_RTAPP_H
#define RUNQLAB_IMPORT_RTAPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "workload/workload.h"

/* What the file's tasks will run on; what that cannot give is an error with its place. */
struct rtapp_target {
	uint32_t ncpus;             /* CPU numbers are below this */
	const struct mask *present; /* of ncpus bits; NULL: all are */
	const struct mask *online;  /* the same */
	const char *no_deadline; /* a kernel of the run without SCHED_DEADLINE; NULL: all have it */
};

/* NULL with *E filled when PATH cannot be read or is not such a workload. */
struct workload *rtapp_load(const char *path, uint64_t seed, const struct rtapp_target *target,
			    struct rql_error *e);
/* The same from LEN bytes at TEXT; NAME stands for the path. */
struct workload *rtapp_parse(const char *name, const char *text, size_t len, uint64_t seed,
			     const struct rtapp_target *target, struct rql_error *e);

#endif
