/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the text of a scheduler trace: what the kernel's file `trace` shows (ftrace), and
 * what trace-cmd report makes of a recording.
 *
 *	struct ftrace_reader r;
 *	struct ftrace_event ev;
 *	struct rql_error e;
 *
 *	ftrace_start(&r, "trace.txt", ftrace_read_file, file);
 *	while (ftrace_next(&r, &ev, &e) == FTRACE_OK)
 *		... ev ...
 *	... r.count ...
 *
 * Events come one by one, so the memory needed is that of the reader (about 70 KiB)
 * however long the trace is. Events of other kinds are skipped and counted.
 */
#ifndef RUNQLAB_IMPORT_FTRACE_READ_H
#define RUNQLAB_IMPORT_FTRACE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* What follows this in a line is dropped; no scheduler event is that long. */
#define FTRACE_LINE_MAX 4096u
#define FTRACE_BLOCK 65536u

enum ftrace_kind {
	FTRACE_SWITCH,       /* `task` leaves the CPU in `state`, `other` gets it */
	FTRACE_WAKING,       /* `task` is to wake, on `to_cpu` so far */
	FTRACE_WAKEUP,       /* `task` is queued on `to_cpu` */
	FTRACE_WAKEUP_NEW,   /* ... for the first time */
	FTRACE_MIGRATE,      /* `task` moves from `from_cpu` to `to_cpu` */
	FTRACE_FORK,         /* `task` has made `other` */
	FTRACE_EXEC,         /* `task`, whose pid was other.pid, runs another program */
	FTRACE_EXIT,         /* `task` ends */
	FTRACE_STAT_WAIT,    /* `task` waited `ns` for a CPU */
	FTRACE_STAT_SLEEP,   /* ... slept */
	FTRACE_STAT_IOWAIT,  /* ... waited for a device */
	FTRACE_STAT_BLOCKED, /* ... slept uninterruptibly */
	FTRACE_STAT_RUNTIME, /* ... ran `ns` since the last such event; vruntime_vns */
	FTRACE_LOST,         /* events of `cpu` are missing here: `ns` of them, 0: not told */
	FTRACE_KINDS
};

/* What a text does not tell is 0 or empty. */
struct ftrace_task {
	char comm[16]; /* cut where the text has more */
	int32_t pid;
	int32_t prio; /* the kernel's: 0..99 real-time, 120 is nice 0, -1 a deadline task */
};

struct ftrace_event {
	enum ftrace_kind kind;
	uint64_t line;    /* from 1 */
	uint64_t time_ns; /* 0 for FTRACE_LOST */
	uint32_t cpu;     /* where it was recorded */
	int32_t pid;      /* of the task that ran there then; 0: idle */
	struct ftrace_task task, other;
	char state[8]; /* letters of the kernel, "R+": preempted; or a number (old kernels) */
	bool runnable; /* ... which means that the task still wants to run */
	uint32_t from_cpu, to_cpu;
	uint64_t ns;
	uint64_t vruntime_vns;
};

struct ftrace_count {
	uint64_t lines;
	uint64_t kind[FTRACE_KINDS]; /* events read, by kind */
	uint64_t skipped;            /* events of other kinds */
	uint64_t lost;               /* events that the text says are missing; at least one each */
	uint64_t overwritten;        /* ... that the head says were written and are not there */
	uint64_t back;               /* events that are earlier than the one before */
};

/* Up to CAP bytes into OUT: how many, 0 at the end, -1 if it cannot be read. */
typedef long (*ftrace_read_fn)(void *arg, char *out, size_t cap);

struct ftrace_reader {
	const char *where;
	ftrace_read_fn read;
	void *arg;
	struct ftrace_count count;
	uint64_t last_ns;
	size_t block_at, block_len;
	size_t line_len;
	bool line_cut, ended;
	char line[FTRACE_LINE_MAX];
	char block[FTRACE_BLOCK];
};

enum ftrace_result {
	FTRACE_OK,
	FTRACE_END,
	FTRACE_ERROR
};

/* WHERE names the text in messages; it and ARG must outlive R. */
void ftrace_start(struct ftrace_reader *r, const char *where, ftrace_read_fn read, void *arg);

/* ARG is a FILE. */
long ftrace_read_file(void *arg, char *out, size_t cap);

/*
 * The next event into *EV. FTRACE_ERROR and *E with the line's number for a line that is
 * none of a trace, or an event of a known kind whose text is not as any kernel writes it.
 */
enum ftrace_result ftrace_next(struct ftrace_reader *r, struct ftrace_event *ev,
			       struct rql_error *e);

/* The kernel's name, "sched_switch"; "lost events". */
const char *ftrace_kind_name(enum ftrace_kind kind);

#endif
