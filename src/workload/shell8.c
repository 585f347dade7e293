/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UnixBench's "Shell Scripts (8 concurrent)": looper forks multi.sh and waits,
 * again and again; multi.sh starts 8 copies of tst.sh in the background and waits for all.
 * A copy is, as the script had it up to version 5.1.3:
 *
 *	sort, reading a file
 *	od | sort
 *	grep | tee | wc
 *	rm
 *
 * Each program is a fork and an exec of the shell, each line is waited for. The pipes
 * carry what the programs' buffers do: od's listing of the file in three
 * writes, grep's lines in one, which tee passes on at their end.
 *
 * UnixBench runs several tests at once (-c) by as many loopers.
 *
 * What a program computes is one time for all; the sorts take twice that. No
 * source tells it: the file has some kilobytes, and starting a program costs more than what it
 * does.
 */
#include "workload/shell8.h"

#include <stdlib.h>

#include "base/check.h"
#include "workload/proctree.h"

/* Processes of a copy, after tst.sh in the order in which it makes them. */
enum place {
	PLACE_SCRIPT,
	PLACE_SORT,
	PLACE_OD,
	PLACE_SORT_OD,
	PLACE_GREP,
	PLACE_TEE,
	PLACE_WC,
	PLACE_RM,
};

enum script_pipe {
	PIPE_OD,
	PIPE_GREP,
	PIPE_TEE,
	PIPES,
};

#define COPY_STEPS 13u /* at most, of a process of a copy */
#define GROUP_STEPS 5u /* of multi.sh beside its forks */
#define LOOP_STEPS 2u  /* of a looper that is a job, for an iteration */

/* The description in one piece of memory. */
struct writer {
	struct proctree_step *step; /* the next free one */
	struct proctree_proc *proc;
	uint64_t work_ns;
};

static void add(struct writer *w, enum proctree_op op, uint32_t arg, uint64_t ns)
{
	*w->step++ = (struct proctree_step){.op = op, .time = TIME_NEAR, .arg = arg, .ns = ns};
}

static void begin(struct writer *w, const char *comm, uint32_t writes)
{
	*w->proc++ = (struct proctree_proc){.comm = comm, .steps = w->step, .writes = writes};
	add(w, PROC_EXEC, 0, 0);
}

static void add_script(struct writer *w, uint32_t first)
{
	static const uint32_t lines[4][2] = {{PLACE_SORT, PLACE_SORT},
					     {PLACE_OD, PLACE_SORT_OD},
					     {PLACE_GREP, PLACE_WC},
					     {PLACE_RM, PLACE_RM}};

	begin(w, "tst.sh", PROCTREE_NONE);
	for (uint32_t line = 0; line < 4; line++) {
		for (uint32_t i = lines[line][0]; i <= lines[line][1]; i++)
			add(w, PROC_FORK, first + i, 0);
		add(w, PROC_WAIT, 0, 0);
	}
	add(w, PROC_EXIT, 0, 0);
}

/* A program that computes and ends. */
static void add_simple(struct writer *w, const char *comm, uint64_t ns)
{
	begin(w, comm, PROCTREE_NONE);
	add(w, PROC_RUN, 0, ns);
	add(w, PROC_EXIT, 0, 0);
}

/* tst.sh as process FIRST of its job, and what it makes. */
static void add_copy(struct writer *w, uint32_t first, uint32_t pipes)
{
	add_script(w, first);
	add_simple(w, "sort", 2 * w->work_ns);
	begin(w, "od", pipes + PIPE_OD);
	for (uint32_t i = 0; i < 3; i++) {
		add(w, PROC_RUN, 0, w->work_ns / 3 + 1);
		add(w, PROC_WRITE, pipes + PIPE_OD, 0);
	}
	add(w, PROC_EXIT, 0, 0);
	begin(w, "sort", PROCTREE_NONE);
	add(w, PROC_READ, pipes + PIPE_OD, 0);
	add(w, PROC_RUN, 0, 2 * w->work_ns);
	add(w, PROC_EXIT, 0, 0);
	begin(w, "grep", pipes + PIPE_GREP);
	add(w, PROC_RUN, 0, w->work_ns);
	add(w, PROC_WRITE, pipes + PIPE_GREP, 0);
	add(w, PROC_EXIT, 0, 0);
	begin(w, "tee", pipes + PIPE_TEE);
	add(w, PROC_READ, pipes + PIPE_GREP, w->work_ns);
	add(w, PROC_WRITE, pipes + PIPE_TEE, 0);
	add(w, PROC_EXIT, 0, 0);
	begin(w, "wc", PROCTREE_NONE);
	add(w, PROC_READ, pipes + PIPE_TEE, w->work_ns);
	add(w, PROC_EXIT, 0, 0);
	add_simple(w, "rm", w->work_ns);
}

/* multi.sh as the process FIRST - 1 of a job, whose copies begin at FIRST. */
static void add_group(struct writer *w, uint32_t first, uint32_t copies)
{
	begin(w, "multi.sh", PROCTREE_NONE);
	for (uint32_t i = 0; i < copies; i++)
		add(w, PROC_FORK, first + i * SHELL8_PROCESSES_OF_COPY, 0);
	add(w, PROC_WAIT, 0, 0);
	add(w, PROC_DONE, 0, 0);
	add(w, PROC_EXIT, 0, 0);
}

/* A looper that is a job itself: process 0. */
static void add_looper(struct writer *w, uint32_t iterations, uint32_t of_group)
{
	begin(w, "looper", PROCTREE_NONE);
	for (uint32_t i = 0; i < iterations; i++) {
		add(w, PROC_FORK, 1 + i * of_group, 0);
		add(w, PROC_WAIT, 0, 0);
	}
	add(w, PROC_EXIT, 0, 0);
}

struct behaviour *shell8_create(const struct shell8_params *p)
{
	/* alone, main is the looper and a job is an iteration; else a job is a looper */
	uint32_t loopers = p->tests > 1, groups = loopers ? p->iterations : 1;
	uint32_t of_group = 1 + p->copies * SHELL8_PROCESSES_OF_COPY;
	uint32_t nprocs = loopers + groups * of_group;
	size_t nsteps = (size_t)groups * (GROUP_STEPS + p->copies + LOOP_STEPS) +
			(size_t)nprocs * COPY_STEPS;
	struct proctree_proc *procs =
		malloc(nprocs * sizeof(*procs) + nsteps * sizeof(struct proctree_step));
	struct proctree_params tree = {.comm = loopers ? "Run" : "looper",
				       .purpose = "shell8",
				       .procs = procs,
				       .nprocs = nprocs,
				       .npipes = groups * p->copies * PIPES,
				       .njobs = loopers ? p->tests : p->iterations,
				       .nparallel = p->tests,
				       .common = p->common,
				       .cpus = p->cpus,
				       .owned = procs,
				       .seed = p->seed};
	struct writer w = {.work_ns = p->work_ns};
	struct behaviour *b;

	CHECK(p->copies > 0 && p->copies <= SHELL8_COPIES_MAX);
	CHECK(p->tests > 0 && p->tests <= SHELL8_TESTS_MAX);
	CHECK(p->work_ns > 0);
	if (!procs)
		return NULL;
	w.proc = procs;
	w.step = (struct proctree_step *)(void *)(procs + nprocs);
	if (loopers)
		add_looper(&w, groups, of_group);
	for (uint32_t g = 0; g < groups; g++) {
		uint32_t first = loopers + g * of_group + 1;

		add_group(&w, first, p->copies);
		for (uint32_t i = 0; i < p->copies; i++)
			add_copy(&w, first + i * SHELL8_PROCESSES_OF_COPY,
				 (g * p->copies + i) * PIPES);
	}
	CHECK(w.proc == procs + nprocs);
	CHECK(w.step <= (struct proctree_step *)(void *)(procs + nprocs) + nsteps);
	b = proctree_create(&tree);
	if (!b)
		free(procs);
	return b;
}

void shell8_destroy(struct behaviour *b)
{
	proctree_destroy(b);
}
