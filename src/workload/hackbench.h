/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hackbench (of rt-tests) as a behaviour: groups of senders and receivers that
 * pass small messages through sockets or pipes.
 *
 * hackbench_create(), hand it to the engine, hackbench_destroy() after the run.
 * All memory is allocated by hackbench_create(): 64 bytes a task, 64 a queue.
 */
#ifndef RUNQLAB_WORKLOAD_HACKBENCH_H
#define RUNQLAB_WORKLOAD_HACKBENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "model/behaviour.h"

#define HACKBENCH_TASKS_MAX 1000000u /* senders and receivers; the main task comes on top */
#define HACKBENCH_SIZE_MAX 65536u

struct hackbench_params {
	uint32_t groups, fds;     /* a group has fds senders and as many receivers; at least 1 */
	uint32_t loops;           /* messages each sender sends to each receiver; at least 1 */
	uint32_t size;            /* bytes of a message, 1 to HACKBENCH_SIZE_MAX */
	uint64_t fork_ns;         /* what making a child costs main; 0: the profile's price */
	uint64_t first_ns;        /* a child works so long before anything else */
	bool process;             /* children are processes; else threads */
	bool pipe;                /* pipes; else AF_UNIX stream sockets */
	enum sched_policy policy; /* DEADLINE: of the children; main, which creates them, is normal */
	int32_t nice;
	int32_t rt_priority; /* 1..99 for FIFO and RR, else 0 */
	struct dl_params dl; /* of each child with DEADLINE */
	struct mask *cpus;   /* from malloc(), taken over when it is made; NULL: all */
	uint64_t seed;
};

/* NULL when memory is out. groups * fds * 2 must not exceed HACKBENCH_TASKS_MAX. */
struct behaviour *hackbench_create(const struct hackbench_params *p);
/* NULL is allowed. */
void hackbench_destroy(struct behaviour *b);

#endif
