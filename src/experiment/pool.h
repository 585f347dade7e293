/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Independent jobs in processes of their own, by default as many at a time as
 * there are processors. Each job fills a block of bytes; what comes back depends on the
 * jobs alone, never on which was done first.
 */
#ifndef RUNQLAB_EXPERIMENT_POOL_H
#define RUNQLAB_EXPERIMENT_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Job I of ARG: fill OUT, which is zeroed; no pointers survive. False and *E: it failed. */
typedef bool pool_job(void *arg, uint32_t i, void *out, struct rql_error *e);

#define POOL_AT_ONCE_MAX 256u

struct pool_work {
	pool_job *job;
	void *arg;
	uint32_t n;       /* jobs 0..n-1 */
	void *out;        /* job i's bytes land at out + i * size */
	size_t size;      /* above 0 */
	uint32_t at_once; /* processes, at most POOL_AT_ONCE_MAX; 0: one a processor */
	void (*progress)(void *arg, uint32_t ndone); /* after each job; NULL: nobody asks */
};

/* Run all. False with the error of the first job in order that failed. */
bool pool_run(const struct pool_work *w, struct rql_error *e);

#endif
