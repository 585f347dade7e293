/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the builder (program.c) leaves for the interpreter (program_run.c). Private to both. */
#ifndef RUNQLAB_WORKLOAD_PROGRAM_STATE_H
#define RUNQLAB_WORKLOAD_PROGRAM_STATE_H

#include "base/rng.h"
#include "workload/program.h"

#define NO_TASK UINT32_MAX

enum op {
	OP_RUN,
	OP_RUN_CPUTIME,
	OP_RUN_FOR,
	OP_RUN_FOREVER,
	OP_SLEEP,
	OP_BLOCK_FOREVER,
	OP_TIMER,
	OP_TIMER_START,
	OP_ZERO,
	OP_DELAY,
	OP_BARRIER,
	OP_LOCK,
	OP_UNLOCK,
	OP_WAIT_ENTER,
	OP_WAIT_BLOCK,
	OP_SIGNAL,
	OP_BROADCAST,
	OP_POST,
	OP_SEM_WAIT,
	OP_FORK,
	OP_FORK_POOL,
	OP_JOIN_ALL,
	OP_LOOP_BEGIN,
	OP_LOOP_END,
	OP_DONE,
	OP_START_MARK,
	OP_END_MARK,
	OP_YIELD,
	OP_RCU,
	OP_SET_ATTR,
	OP_SET_CPUS,
	OP_EXIT,
	OP_COUNT
};

#define STEP_OWN 1u       /* OP_TIMER: the task's own timer */
#define STEP_ELSEWHERE 1u /* OP_SLEEP: in `level` percent a CPU below `index` ends it */
#define STEP_ABSOLUTE 2u  /* OP_TIMER: keeps its grid when late */

struct step {
	uint8_t op;
	uint8_t amount; /* enum amount_kind of [a, b] */
	uint8_t flags;
	uint8_t level;  /* OP_LOOP_*: which counter */
	uint32_t index; /* queue, timer, group, attr, cpus, or the step a loop goes back to */
	uint64_t a, b;  /* by op: an amount, a period and a delay, counts */
};

struct group {
	char comm[16];
	uint32_t first, count; /* tasks */
	uint32_t used;         /* a pool's tasks created so far */
	uint32_t pc;           /* its first step */
	uint32_t timer_first;  /* its tasks' own timers */
	uint32_t timers;       /* per task */
	uint16_t attr, cpus;
	bool numbered, pool;
};

/* A FIFO of waiting tasks, linked through task_state.link. */
struct wait_queue {
	uint32_t head, tail;
	uint32_t value;   /* barrier: arrived; mutex: 1 when taken; semaphore: its count */
	uint64_t spin_ns; /* barrier: busy-wait so long before blocking; UINT64_MAX: for ever */
};

#define TASK_CREATED 1u
#define TASK_QUEUED 2u   /* in a wait queue or in another task's chain */
#define TASK_ENTERING 4u /* queued, but its block is still to come */
#define TASK_ARRIVED 8u  /* this step's wait has begun */
#define TASK_EXITED 16u
#define TASK_SPINNING 32u /* queued, and busy-waiting */

/* All a task is; one cache line holds it. */
struct task_state {
	struct rng rng;
	uint32_t pc;
	uint32_t link;   /* next in the queue or chain */
	uint32_t chain;  /* first of those this task has yet to wake, or NO_TASK */
	uint32_t cursor; /* position inside a step of many actions; at birth: number in the name */
	uint32_t count[PROGRAM_LOOPS_MAX];
	uint32_t group;
	uint16_t attr, cpus; /* in force */
	uint8_t flags;
	uint8_t pad[3];
};

_Static_assert(sizeof(struct task_state) == 48, "a task's state grew");

struct program {
	struct behaviour behaviour; /* first */
	uint64_t seed;
	const char *purpose;

	struct step *steps;
	struct group *groups;
	struct wait_queue *queues;
	struct mask **masks;
	struct program_attr *attrs;
	struct task_state *tasks;
	uint64_t *timers; /* next time, or TIME_NEVER before the first use */
	uint32_t nsteps, ngroups, nqueues, nmasks, nattrs, ntimers;
	uint32_t steps_cap, groups_cap, queues_cap, masks_cap, attrs_cap;

	/* building */
	uint32_t loop_pc[PROGRAM_LOOPS_MAX]; /* where the open loops begin */
	uint32_t loops_open;
	uint32_t shared_timers;
	bool out_of_memory, too_many_timers, too_many_tasks, too_many_attrs;

	/* running */
	uint64_t zero_ns;
	bool zero_set;
	uint32_t created, live; /* tasks */
	uint32_t joiner;        /* task that waits for join_target's end, or NO_TASK */
	uint32_t join_target;
};

/* Are the parameters of SCHED_DEADLINE the same? */
bool program_same_dl(const struct dl_params *a, const struct dl_params *b);

extern const struct behaviour_ops program_ops;

#endif
