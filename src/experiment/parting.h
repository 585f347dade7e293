/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where two kernels part: both run the same work with the same seed, side by
 * side, and the records of the two runs are compared as they come. So
 * neither run is kept, and both end as soon as the answer is there.
 *
 *	struct parting_question q = {.first = &setup_a, .other = &setup_b, .ncpus = n};
 *	if (!parting_find(&q, &p, &e)) ...
 *
 * Only records that feed the fingerprint count (model/record.def).
 */
#ifndef RUNQLAB_EXPERIMENT_PARTING_H
#define RUNQLAB_EXPERIMENT_PARTING_H

#include "experiment/runner.h"
#include "model/record.h"

/* A record, and what the scheduler looked at as it stood when the record was made. */
struct parting_side {
	bool there; /* false: this run makes no such record */
	struct record record;
	char comm[2][16];       /* of the two tasks it names; empty: none, or an idle task */
	uint32_t cpu[2];        /* of the two CPUs it names; CPU_NONE */
	uint32_t nr_running[2]; /* there */
	uint64_t load[2];       /* there: weights of all tasks, 1024 = nice 0 */
	bool has_vruntime;      /* of SWITCH: both tasks are fair and queue in one place */
	uint64_t vruntime_vns[2];
};

struct parting {
	uint64_t nsame; /* records before the first difference, equal in all they say */
	bool differs;   /* there is a difference; if not, the runs are the same */
	struct parting_side first_any, other_any;
	/*
	 * The first choice that differs: on one CPU, the same number of equal choices
	 * after the start, something else is done. When it is done and the numbers it
	 * was chosen by do not count. False: only times and numbers differ.
	 */
	bool chooses;
	struct parting_side first, other;
};

struct parting_question {
	const struct run_setup *first, *other; /* their sinks and what is observed are set here */
	uint32_t ncpus;                        /* of the machine */
};

/* False with *E: a simulation failed, or no process could be made. */
bool parting_find(const struct parting_question *q, struct parting *out, struct rql_error *e);

/*
 * The same of records that come from two functions, for tests: NEXT fills the
 * next record of run SIDE (0 or 1) and is false at its end or, with *E
 * filled and *FAILED set, when something is wrong.
 */
struct parting_source {
	bool (*next)(void *arg, uint32_t side, struct parting_side *out, bool *failed,
		     struct rql_error *e);
	void *arg;
};
bool parting_compare(const struct parting_source *source, uint32_t ncpus, struct parting *out,
		     struct rql_error *e);

#endif
