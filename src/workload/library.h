/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library of workloads: NAME[:key=value,...] becomes a behaviour. Keys may
 * stand in any order; those left out have the defaults that
 * `runqlab list workloads` prints from workload_info().
 *
 * The seed decides all chance in it. Two workloads of one run that should not
 * draw the same numbers need different seeds.
 */
#ifndef RUNQLAB_WORKLOAD_LIBRARY_H
#define RUNQLAB_WORKLOAD_LIBRARY_H

#include <stdint.h>

#include "base/err.h"
#include "workload/workload.h"

/* NULL with one line in *E if TEXT is not a workload for a machine of NCPUS CPUs. */
struct workload *workload_create(const char *text, uint64_t seed, uint32_t ncpus,
				 struct rql_error *e);

struct workload_key_info {
	const char *name;
	const char *value;   /* what to write: "N", "TIME", "TIME|N%", "CPU", "LIST" */
	const char *initial; /* the default as one would type it; "" where there is none */
	const char *what;
};

struct workload_info {
	const char *name;
	const char *what;
	const struct workload_key_info *keys; /* its own; nkeys of them */
	uint32_t nkeys;
};

/* The I-th workload of the library in the order of the manual, NULL after the last. */
const struct workload_info *workload_info(uint32_t i);
/* The I-th key that every workload has, NULL after the last. */
const struct workload_key_info *workload_common_key(uint32_t i);

#endif
