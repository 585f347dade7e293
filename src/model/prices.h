/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What things cost, in nanoseconds: one profile per machine reality, the same
 * for all kernels and all cases. Read from a profile's text by
 * experiment/prices; the compiled-in profiles are data in the same format.
 */
#ifndef RUNQLAB_MODEL_PRICES_H
#define RUNQLAB_MODEL_PRICES_H

#include <stdint.h>

enum work_kind {
#define WORK(name, key, unit, comment) WORK_##name,
#include "model/work.def"
	WORK_KINDS
};

struct lock_prices {
	uint32_t same_cpu_ns;   /* taking a free lock this CPU held last */
	uint32_t same_llc_ns;   /* ... last held by a CPU of the same LLC */
	uint32_t remote_ns;     /* ... by a CPU of another LLC */
	uint32_t per_waiter_ns; /* hand-over of a ticket lock, per CPU that waits behind */
};

struct hardware_prices {
	uint32_t ipi_latency_ns;   /* from sending to the start of the handler */
	uint32_t idle_exit_ns;     /* leaving the idle state */
	uint32_t smt_slowdown_pct; /* time work takes beside a busy sibling, 100 = no slowdown */
	uint32_t cold_same_llc_ns; /* extra work of a task's first run after a move within an LLC */
	uint32_t cold_remote_ns;   /* ... between LLCs */
	/* what a CPU with a higher number did is seen from the next multiple of this on; 0: at once */
	uint32_t quantum_ns;
};

struct work_prices {
	uint32_t fork_ns;             /* fork(), in the parent */
	uint32_t child_first_run_ns;  /* what a new process does before its own code */
	uint32_t thread_ns;           /* creating a thread, in the parent */
	uint32_t thread_first_run_ns; /* what a new thread does before its own code */
	uint32_t exec_ns;             /* exec() up to the new program's own code */
	uint32_t exit_ns;             /* the end of a task */
	uint32_t syscall_sleep_ns;    /* entering and leaving a sleep or wait system call */
	uint32_t write_ns, read_ns;   /* a small message through a pipe */
	uint32_t socket_write_ns, socket_read_ns; /* ... through a socket */
};

struct prices {
	uint32_t sched_ns[WORK_KINDS];
	struct lock_prices lock;
	struct hardware_prices hardware;
	struct work_prices work;
};

#endif
