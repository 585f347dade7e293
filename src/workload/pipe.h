/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pipe with one reader whose writers never find it full, for behaviours:
 * system calls as steps. hackbench has the full model of pipes; this is its part that
 * a ping-pong or a short shell pipeline needs.
 *
 * pipe_init(). Then a task that writes, reads or closes calls pipe_write() and
 * so on again and again with a struct pipe_call of its own, zeroed before the first
 * call: as long as it gets PIPE_ACTS it returns the action from next().
 * PIPE_DONE or PIPE_EOF end the call, and pipe_call is ready for the next.
 */
#ifndef RUNQLAB_WORKLOAD_PIPE_H
#define RUNQLAB_WORKLOAD_PIPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "model/behaviour.h"

struct wpipe {
	uint32_t lock;    /* number of its wait queue's spinlock in the workload */
	uint32_t nready;  /* messages that can be read */
	uint32_t writers; /* ends still open for writing; 0: end of file */
	uint32_t reader;  /* the task in the wait queue, if listed */
	bool listed;      /* the reader is in the wait queue */
	bool woken;       /* ... and somebody has woken it */
};

struct pipe_call {
	uint8_t step; /* private; 0: between two calls */
};

enum pipe_result {
	PIPE_ACTS, /* *out is what the task does now */
	PIPE_DONE,
	PIPE_EOF, /* of pipe_read(): nothing left and no writer */
};

/* An empty pipe with WRITERS open ends. */
void pipe_init(struct wpipe *p, uint32_t lock, uint32_t writers);

/* The task writes one message. The price is drawn from RNG, 0.9 to 1.1 of the profile's. */
enum pipe_result pipe_write(struct wpipe *p, struct pipe_call *c, struct rng *rng,
			    struct action *out);
/* TASK, the only reader, reads one message and sleeps until there is one. */
enum pipe_result pipe_read(struct wpipe *p, struct pipe_call *c, uint32_t task, struct rng *rng,
			   struct action *out);
/* A writer closes its end, which costs nothing but what waking a reader costs. */
enum pipe_result pipe_close(struct wpipe *p, struct pipe_call *c, struct action *out);

#endif
