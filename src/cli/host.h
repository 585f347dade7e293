/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command took of this computer, its processes for simulations included. */
#ifndef RUNQLAB_CLI_HOST_H
#define RUNQLAB_CLI_HOST_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct host_stats {
	double cpu_s, wall_s;
	uint64_t peak_bytes; /* of the largest process */
};

/* Since START, a time of CLOCK_MONOTONIC; CPU time is the whole process's. */
struct host_stats host_measure(const struct timespec *start);

/* What NSIMULATIONS with EVENTS took since START: as JSON to F; NULL: as a line to standard error. */
void host_tell(const struct timespec *start, uint32_t nsimulations, uint64_t events, FILE *f);

#endif
