/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why a kernel differs from the first one of a comparison: the places in the
 * scheduler whose time changed most, and the counters that changed by the
 * largest factors. Numbers are means over the seeds.
 */
#ifndef RUNQLAB_EXPERIMENT_COMPARE_WHY_H
#define RUNQLAB_EXPERIMENT_COMPARE_WHY_H

#include "experiment/compare.h"

#define WHY_PATHS_MAX 5u
#define WHY_COUNTERS_MAX 8u
#define WHY_NO_LEVEL UINT32_MAX

/* A number of the first kernel and the same of the other one. */
struct why_pair {
	double first, other;
};

struct why_path {
	char path[256];
	struct why_pair ns;    /* a run, callees not included */
	struct why_pair share; /* of the CPU time that was not idle */
};

struct why_counter {
	const char *name;        /* "lb_count" */
	const char *what;        /* in plain words */
	uint32_t level;          /* of the domains; WHY_NO_LEVEL: of the machine */
	const char *level_name;  /* the kernel's: "MC" */
	enum cpu_idle_type type; /* who balanced; CPU_IDLE_TYPES: no matter */
	struct why_pair count;   /* a run */
};

/* Balancing by CPUs about to go idle, a run and over all levels. */
struct why_newly_idle {
	struct why_pair attempts, moved; /* lb_count and lb_gained of newly_idle */
	struct why_pair ns;              /* spent in it, lock waits included */
};

struct compare_why {
	struct why_pair sched_share; /* of the CPU time that was not idle: in the scheduler */
	struct why_pair lock_share;  /* ... waiting for locks and taking them */
	struct why_newly_idle newly_idle;
	struct why_path path[WHY_PATHS_MAX]; /* largest change of time first */
	uint32_t npaths;                     /* those that changed by 0.1 % of CPU time or more */
	struct why_counter counter[WHY_COUNTERS_MAX]; /* largest factor first */
	uint32_t ncounters; /* those that changed by half or more, and count for something */
};

bool compare_why(const struct compare *c, uint32_t kernel, struct compare_why *out,
		 struct rql_error *e);

/* What the last element of PATH means in plain words; NULL: its name says it. */
const char *why_path_meaning(const char *path);

#endif
