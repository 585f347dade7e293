/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workloads written as small programs: lists of steps, one list per kind of
 * task, run by an interpreter that is a struct behaviour. The library's
 * workloads (workload/library.c) and rt-app files (import/rtapp.c) are both
 * built this way.
 *
 * Order of calls: program_create(); the objects (program_queue(),
 * program_timers(), program_mask(), program_attr()); then for each kind of
 * task program_group() and its steps; program_finish(); then
 * program_behaviour() is handed to the engine. Memory is allocated up to
 * program_finish() and never after it; program_destroy() frees all, masks
 * included. program_reset() makes a finished program ready for another run.
 *
 * Building needs no tests in between: whatever fails (memory, a limit) is
 * remembered, and program_finish() reports it.
 *
 * A group's steps are those added after program_group() up to the next group;
 * each list ends by itself in an exit. Task 0 belongs to the first group.
 */
#ifndef RUNQLAB_WORKLOAD_PROGRAM_H
#define RUNQLAB_WORKLOAD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/behaviour.h"

struct mask;
struct program;

#define PROGRAM_TASKS_MAX 1000000u  /* created at the start; the creator comes on top */
#define PROGRAM_LOOPS_MAX 3u        /* loops inside one another */
#define PROGRAM_TIMERS_MAX 4000000u /* over all tasks */
#define PROGRAM_ATTRS_MAX 65535u    /* different sets of attributes */
#define PROGRAM_CPUS_SAME UINT16_MAX

/* How long, how often: a fixed number or one drawn from the task's own stream. */
enum amount_kind {
	AMOUNT_FIXED,       /* ns */
	AMOUNT_UNIFORM,     /* in [ns, high_ns] */
	AMOUNT_EXPONENTIAL, /* mean ns, below 2^40 */
};

struct amount {
	enum amount_kind kind;
	uint64_t ns;
	uint64_t high_ns;
};

static inline struct amount amount_fixed(uint64_t ns)
{
	struct amount a = {AMOUNT_FIXED, ns, ns};
	return a;
}

static inline struct amount amount_uniform(uint64_t low_ns, uint64_t high_ns)
{
	struct amount a = {AMOUNT_UNIFORM, low_ns, high_ns};
	return a;
}

static inline struct amount amount_exponential(uint64_t mean_ns)
{
	struct amount a = {AMOUNT_EXPONENTIAL, mean_ns, mean_ns};
	return a;
}

/* Policy with its parameters and nice value, as one set. */
struct program_attr {
	enum sched_policy policy;
	int32_t nice;
	int32_t rt_priority; /* 1..99 for FIFO and RR, else 0 */
	struct dl_params dl; /* for DEADLINE, else 0 */
	bool kthread;        /* of the kernel */
};

/* A kind of task: COUNT tasks with consecutive numbers and the same steps. */
struct program_group {
	const char *comm; /* at most 15 bytes are kept, the number included */
	uint32_t count;
	bool numbered; /* the name is followed by -INDEX, a pool's also by -FORKS, as rt-app's are */
	bool pool;     /* created one at a time by program_fork_pool(), not at the start */
	uint16_t attr; /* at creation, from program_attr() */
	uint16_t cpus; /* at creation, from program_mask(), or PROGRAM_CPUS_SAME: all */
};

/*
 * SEED and the name PURPOSE choose the tasks' streams: task i draws from
 * rng_stream(seed, purpose, i). PURPOSE must outlive the program. NULL when
 * memory is out.
 */
struct program *program_create(uint64_t seed, const char *purpose);
void program_destroy(struct program *p);

/* A queue of waiting tasks with a counter: barrier, mutex, condition or semaphore by use. */
uint32_t program_queue(struct program *p);
/* N timers shared by all tasks; the number of the first one. */
uint32_t program_timers(struct program *p, uint32_t n);
/* The program takes over MASK, from malloc(); NULL counts as out of memory. */
uint16_t program_mask(struct program *p, struct mask *mask);
/* Equal sets share one number. */
uint16_t program_attr(struct program *p, struct program_attr attr);
/* Begins a group; its index. */
uint32_t program_group(struct program *p, const struct program_group *g);
/* The number of the group's first task. */
uint32_t program_first_task(const struct program *p, uint32_t group);

/* The first N tasks, all of the first group, exist at the start; without this call only task 0 does. */
void program_first_tasks(struct program *p, uint32_t n);

/* --- steps, in the order of execution ------------------------------------ */

void program_run(struct program *p, struct amount work);
void program_run_cputime(struct program *p, struct amount cputime);
/* Compute until AMOUNT from now has passed, preempted or not. */
void program_run_for(struct program *p, struct amount span);
void program_run_forever(struct program *p);
void program_sleep(struct program *p, struct amount span);
/* The same, in PERCENT of cases (0 to 100) ended by an interrupt on one of the first NCPUS CPUs, drawn each time. */
void program_sleep_elsewhere(struct program *p, struct amount span, uint32_t percent,
			     uint32_t ncpus);
void program_block_forever(struct program *p);

/*
 * Timer TIMER of the task itself (own) or of the program: the next time is the
 * previous one plus PERIOD_NS; sleep until it. When it has passed already the
 * task goes on at once, and a relative timer starts again from now, while an
 * absolute one keeps its grid. The first use counts from the program's zero
 * plus DELAY_NS unless program_timer_start() has set the timer.
 */
struct program_timer {
	uint32_t timer;
	bool own;
	bool absolute;
	uint64_t period_ns;
	uint64_t delay_ns;
};
void program_timer(struct program *p, const struct program_timer *t);
/* Own timer TIMER: sleep until AFTER from now and count the periods from there. */
void program_timer_start(struct program *p, uint32_t timer, struct amount after);
/* The program's zero is now, and the benchmark's clock starts; only the first time. */
void program_zero(struct program *p);
/* Sleep until DELAY_NS after the program's zero. */
void program_delay(struct program *p, uint64_t delay_ns);

/*
 * Wait until NEED tasks have come. The last one counts DONE units of useful
 * work (0: none), wakes the others one by one in the order they came, and
 * goes on.
 */
void program_barrier(struct program *p, uint32_t queue, uint32_t need, uint32_t done);
/*
 * Who waits at this barrier uses the CPU for SPIN_NS (UINT64_MAX: for ever)
 * before it blocks, as runtimes of parallel programs do. 0, the default: block at once.
 */
void program_barrier_spin(struct program *p, uint32_t queue, uint64_t spin_ns);
/* A mutex as the C library's: a free one costs nothing; unlock wakes the first waiter, which tries
 * again. */
void program_lock(struct program *p, uint32_t queue);
void program_unlock(struct program *p, uint32_t queue);
/* A condition variable: leave MUTEX, wait, take MUTEX again. A signal without waiters is lost. */
void program_wait(struct program *p, uint32_t condition, uint32_t mutex);
void program_signal(struct program *p, uint32_t condition);
void program_broadcast(struct program *p, uint32_t condition);
/* A counting semaphore, 0 at the start. */
void program_post(struct program *p, uint32_t semaphore);
void program_sem_wait(struct program *p, uint32_t semaphore);

/* Create all tasks of GROUP, one after the other. */
void program_fork(struct program *p, uint32_t group);
/* Create the next task of the pool GROUP; without effect once all exist. */
void program_fork_pool(struct program *p, uint32_t group);
/* Wait for the end of each other task in the order of their numbers. One task may do so. */
void program_join_all(struct program *p);

/* COUNT 0: for ever. Every loop_begin needs its loop_end in the same group. */
void program_loop_begin(struct program *p, uint32_t count);
void program_loop_end(struct program *p);

void program_done(struct program *p, uint32_t units);
void program_start_mark(struct program *p);
void program_end_mark(struct program *p);
void program_yield(struct program *p);
/* The thread is the run's rcu_preempt: see ACTION_RCU. */
void program_rcu(struct program *p);
/* Both are without effect when the task has these attributes already. */
void program_set_attr(struct program *p, uint16_t attr);
void program_set_cpus(struct program *p, uint16_t cpus);
void program_exit(struct program *p);

/* ------------------------------------------------------------------------- */

/* Steps so far, all groups: a measure for limits. */
uint32_t program_steps(const struct program *p);
/* False with a message when a limit was passed or memory is out; then only destroy. */
bool program_finish(struct program *p, struct rql_error *e);
struct behaviour *program_behaviour(struct program *p);
/* program_destroy() of the program whose behaviour B is. */
void program_destroy_behaviour(struct behaviour *b);
/* Back to the state before the first next(), with another seed. */
void program_reset(struct program *p, uint64_t seed);

#endif
