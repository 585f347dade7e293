/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Independent jobs in processes of their own, as many at a time as there are
 * processors. Each job fills a block of bytes; what comes back depends on the
 * jobs alone, never on which was done first.
 */
#ifndef RUNQLAB_EXPERIMENT_POOL_H
#define RUNQLAB_EXPERIMENT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Job I of ARG: fill OUT, which is zeroed; no pointers survive. False and *E: it failed. */
typedef bool pool_job(void *arg, uint32_t i, void *out, struct rql_error *e);

/*
 * Run jobs 0..n-1; job i's SIZE bytes land at OUT + i * SIZE. False with the
 * error of the first job in order that failed.
 */
bool pool_run(pool_job *job, void *arg, uint32_t n, void *out, size_t size, struct rql_error *e);

#endif
