/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a workload of the library is made of, between library.c, which reads texts, and
 * library_kinds.c, where the workloads are. For these two only.
 *
 * A row of workload_kinds() has the keys of one workload with their types. library.c fills
 * a struct request from a text; then the row's functions check it and make the workload.
 */
#ifndef RUNQLAB_WORKLOAD_LIBRARY_KINDS_H
#define RUNQLAB_WORKLOAD_LIBRARY_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fixed.h"
#include "workload/library.h"
#include "workload/program.h"

#define KINDS_MAX 32u
#define KIND_TASKS_MAX UINT64_C(1000000)
#define KIND_TIME_MAX_NS (UINT64_C(1000) * NS_PER_S) /* below the 2^40 of exponential draws */
#define KIND_KEYS_MAX 20
#define KIND_LOOPS_MAX UINT64_C(1000000000)

enum key_type {
	KEY_COUNT,  /* 1 to KIND_TASKS_MAX */
	KEY_NUMBER, /* 0 to KIND_TASKS_MAX */
	KEY_PRIO,   /* rt_priority, 1 to 99 */
	KEY_LOOPS,  /* 0 to KIND_LOOPS_MAX */
	KEY_SIZE,   /* of a message, in bytes */
	KEY_SWITCH, /* 0 or 1 */
	KEY_MODE,   /* "process" or "threads" */
	KEY_TIME,   /* 1 ns to KIND_TIME_MAX_NS */
	KEY_SPAN,   /* 0 ns to KIND_TIME_MAX_NS */
	KEY_WAIT,   /* "block", "spin", or how long to spin before blocking */
	KEY_NICE,   /* a nice value, kept with NICE_BIAS added */
	KEY_CPU,    /* a CPU of the machine, or "any": KEY_ANY_CPU */
	KEY_SPREAD, /* a time from 0, or a percentage of the time before it in the table */
};

#define NICE_BIAS 20u
#define KEY_ANY_CPU UINT32_MAX

/* What KEY_MODE reads. */
#define MODE_PROCESS 0u
#define MODE_THREADS 1u

struct request;

struct workload_kind {
	struct workload_info info;
	enum key_type types[KIND_KEYS_MAX];
	bool endless;
	bool own_policies;        /* its tasks have policies that its own keys set */
	enum sched_policy policy; /* unless another is given */
	int32_t prio;             /* of FIFO and RR unless given; 0: RT_PRIO_DEFAULT */
	/* a program ... */
	const char *purpose; /* names the tasks' streams */
	void (*build)(struct program *p, const struct request *r);
	/* ... or a behaviour of its own; NULL: no memory. Else it takes over r->cpus. */
	void (*settle)(struct request *r); /* values that depend on others; NULL: none */
	bool (*check)(const char *text, const struct request *r, struct rql_error *e);
	struct behaviour *(*make)(const struct request *r, uint64_t seed);
	void (*destroy)(struct behaviour *b);
};

/* Keys that every workload has, in the order of common_keys[]. */
enum common_key {
	COMMON_START,
	COMMON_NICE,
	COMMON_CPUS,
	COMMON_POLICY,
	COMMON_PRIO,
	COMMON_DL_RUNTIME,
	COMMON_DL_DEADLINE,
	COMMON_DL_PERIOD,
	COMMON_SHELL,
	COMMON_ALIGN,
	COMMON_COMMAND,
	COMMON_SETUP,
	COMMON_KEYS,
};

/* A text taken apart. */
struct request {
	const struct workload_kind *kind;
	uint64_t values[KIND_KEYS_MAX];
	bool given[KIND_KEYS_MAX];
	bool common_given[COMMON_KEYS];
	struct program_attr attr;
	uint32_t ncpus; /* CPU numbers of the machine */
	uint32_t start_cpu;
	uint64_t shell_ns, align_ns, command_ns, setup_ns;
	struct mask *cpus; /* NULL: not given */
	uint16_t attr_id, cpus_id;
};

/* All workloads in the order of the manual; *COUNT of them, at most KINDS_MAX. */
const struct workload_kind *workload_kinds(uint32_t *count);

#endif
