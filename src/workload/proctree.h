/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of short-lived processes, as a behaviour: a main process lets job after job run, and
 * each job is a tree of processes that fork, exec, compute, pipe, wait and exit,
 * all jobs by the same description. shell8.c and kbuild.c write such descriptions.
 *
 * A description is an array of struct proctree_proc. Process 0 of a job is
 * made by main; all others are made by processes of the same job. Which number a
 * process has is fixed by job and place, so the kernel has no influence on chance.
 *
 * proctree_create(), hand it to the engine, proctree_destroy() after the run.
 * All memory is allocated by proctree_create(): about 100 bytes a process. The
 * description must outlive the behaviour.
 */
#ifndef RUNQLAB_WORKLOAD_PROCTREE_H
#define RUNQLAB_WORKLOAD_PROCTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/behaviour.h"

#define PROCTREE_TASKS_MAX 1000000u /* of all jobs, main included */
#define PROCTREE_NONE UINT32_MAX

enum proctree_op {
	PROC_EXIT, /* the end of each list: closes its pipes first */
	PROC_EXEC,
	PROC_RUN,   /* ns, drawn: see proctree_time */
	PROC_IO,    /* sleep for a disk: ns, exponential; its interrupt comes to this CPU */
	PROC_FORK,  /* the process ARG of the job */
	PROC_VFORK, /* the same, sharing memory: the parent sleeps until the child's exec */
	PROC_WAIT,  /* until all children it has made have ended */
	PROC_WRITE, /* one message into pipe ARG of the job */
	PROC_READ,  /* messages of pipe ARG up to its end, ns of work for each */
	PROC_DONE,  /* a unit of useful work */
};

/* How PROC_RUN draws its time. */
enum proctree_time {
	TIME_NEAR,        /* ns x 0.75 to 1.25 */
	TIME_LONG_TAILED, /* mean ns: 15 of 16 exponential with mean ns x 2/3, the 16th with 6 x ns */
};

struct proctree_step {
	enum proctree_op op;
	enum proctree_time time;
	uint32_t arg;
	uint64_t ns;
};

struct proctree_proc {
	const char *comm;
	const struct proctree_step *steps; /* up to PROC_EXIT */
	uint32_t writes;                   /* the pipe it may write, PROCTREE_NONE: none */
	bool vforked; /* made by PROC_VFORK; process 0: by vfork() of main, not fork() */
};

struct proctree_params {
	const char *comm;    /* main's */
	const char *purpose; /* names the tasks' streams */
	const struct proctree_proc *procs;
	uint32_t nprocs;         /* of a job; at least 1 */
	uint32_t npipes;         /* of a job, each with one writer and one reader */
	uint32_t njobs;          /* at least 1 */
	uint32_t nparallel;      /* jobs at a time; at least 1 */
	uint64_t main_ns;        /* work of main before each job */
	struct task_attr common; /* policy (not DEADLINE), nice, rt_priority, cpus of all tasks */
	struct mask *cpus;       /* what common.cpus points to, taken over when made; NULL: all */
	void *owned; /* from malloc(), freed with the behaviour: the description, if so made */
	uint64_t seed;
};

/* NULL when memory is out; then cpus and owned are still the caller's. */
struct behaviour *proctree_create(const struct proctree_params *p);
/* NULL is allowed. */
void proctree_destroy(struct behaviour *b);

#endif
