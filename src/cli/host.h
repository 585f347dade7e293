/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command took of this computer, its processes for simulations included. */
#ifndef RUNQLAB_CLI_HOST_H
#define RUNQLAB_CLI_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "cli/opt.h"
#include "experiment/file.h"

struct host_stats {
	double cpu_s, wall_s;
	uint64_t peak_bytes; /* of the largest process */
};

/* Since START, a time of CLOCK_MONOTONIC; CPU time is the whole process's. */
struct host_stats host_measure(const struct timespec *start);

/* Where a command of many simulations says what it took: --host-stats, else standard error. */
struct host_out {
	struct out_file file;
	struct timespec start;
};

/* The command begins. */
void host_out_start(struct host_out *h);
/* For --host-stats with O's value: opens the file. False and *E: a second one, or no name. */
bool host_out_open(struct host_out *h, const struct opt *o, struct rql_error *e);
/*
 * The last thing a command prints: what NSIMULATIONS with EVENTS took, as JSON to the file; without
 * one as a line to standard error, unless standard output failed, which is told alone.
 */
bool host_out_finish(struct host_out *h, uint32_t nsimulations, uint64_t events,
		     struct rql_error *e);
void host_out_abandon(struct host_out *h);

#endif
