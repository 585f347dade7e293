/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Another behaviour, started as a program is: a shell that is there from the beginning sleeps, may run
 * another command, forks and waits; the child execs, works for a while, and then is task 0 of that behaviour. So
 * the program's first task is a new one and everything it does counts from a fork on.
 *
 * launch_create(), hand it to the engine, launch_destroy() after the run.
 */
#ifndef RUNQLAB_WORKLOAD_LAUNCH_H
#define RUNQLAB_WORKLOAD_LAUNCH_H

#include <stdint.h>

#include "model/behaviour.h"

#define LAUNCH_SHELL_TASK 0u
#define LAUNCH_COMMAND_TASK 1u /* what the shell runs before */
#define LAUNCH_MAIN_TASK 2u    /* task 0 of what was started; task I is LAUNCH_MAIN_TASK + I */

struct launch_params {
	struct behaviour *program;            /* one first task; taken over */
	void (*destroy)(struct behaviour *b); /* ends it */
	uint64_t after_ns;   /* the shell forks then and up to a tenth later; 0: at once */
	uint64_t align_ns;   /* ... by a multiple of this; 0: by any time */
	uint64_t command_ns; /* a command before works so long after its exec; 0: there is none */
	uint64_t setup_ns;   /* work of the new program before it begins; 0: none */
	uint64_t seed;       /* of that tenth */
};

/* NULL when memory is out; the program is not taken over then. */
struct behaviour *launch_create(const struct launch_params *p);
/* And the program. NULL is allowed. */
void launch_destroy(struct behaviour *b);

#endif
