/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database under load, as a behaviour: real-time server tasks that fill the
 * machine just to saturation. docs/WORKLOADS.md says what it stands for.
 *
 * oltp_create(), hand it to the engine, oltp_destroy() after the run. All
 * memory is allocated by oltp_create(): 48 bytes a task.
 */
#ifndef RUNQLAB_WORKLOAD_OLTP_H
#define RUNQLAB_WORKLOAD_OLTP_H

#include <stdint.h>

#include "model/behaviour.h"

#define OLTP_TASKS_MAX 1000000u /* of all kinds */

/* Times are means of exponential draws where they vary; priorities are rt_priority, 1..99. */
struct oltp_params {
	uint32_t servers;
	uint32_t classes;          /* server I has priority server_prio - I % classes */
	uint32_t bursts;           /* of CPU time in a transaction, before its commit; at least 1 */
	uint64_t reply_ns;         /* CPU time after it, varies; 0: next to none */
	uint64_t burst_ns;         /* varies */
	uint64_t io_ns, client_ns; /* vary */
	uint32_t writers;          /* log writers; at least 1 */
	uint64_t log_ns, log_io_ns; /* a writer's work beside ... */
	uint64_t log_per_waiter_ns; /* ... that for each transaction, and its I/O */
	uint32_t lower;             /* tasks that always compute */
	uint32_t shorts;            /* tasks that often run for a short time */
	uint64_t short_period_ns, short_ns;
	uint32_t irqs;  /* CPUs that take the clients' interrupts; at least 1 */
	uint32_t ncpus; /* CPU numbers of the machine */
	int32_t server_prio, lower_prio, writer_prio, short_prio;
	int32_t nice;
	struct mask *cpus; /* from malloc(), taken over when it is made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. */
struct behaviour *oltp_create(const struct oltp_params *p);
/* NULL is allowed. */
void oltp_destroy(struct behaviour *b);

#endif
