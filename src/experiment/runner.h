/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One simulation of a scenario on one of its kernels with one seed.
 *
 *	struct run *r = run_create(&setup, &e);		NULL: *e says why
 *	if (!run_execute(r, &e)) ...			a limit, or time stood still
 *	... run_totals(r), run_metrics(r, value), run_machine(r) ...
 *	run_destroy(r);
 *
 * The scenario must be finished and outlive the run. What can be looked at
 * stays valid until run_destroy(), after a failed run_execute() too.
 */
#ifndef RUNQLAB_EXPERIMENT_RUNNER_H
#define RUNQLAB_EXPERIMENT_RUNNER_H

#include "engine/engine.h"
#include "experiment/scenario.h"
#include "observe/metrics.h"

struct run;

struct run_setup {
	const struct scenario *scenario;
	uint32_t kernel; /* index into the scenario's kernels */
	uint64_t seed;
	bool audit;
	bool unobserved; /* latency, wasted time and fairness are not kept: their metrics are undefined */
	uint32_t latency_of; /* rt_priority of the tasks whose wake-up latency is kept; 0: of all */
	struct engine_sampler sampler;
	struct record_sink *sink; /* takes what it wants of all records; NULL */
};

struct run *run_create(const struct run_setup *setup, struct rql_error *e);
void run_destroy(struct run *r);

/* False with *E filled when a limit was reached or nothing moves any more. Call once. */
bool run_execute(struct run *r, struct rql_error *e);

const struct kver *run_kver(const struct run *r);
const struct machine *run_machine(const struct run *r);
const struct engine_totals *run_totals(const struct run *r);
uint64_t run_busy_ns(const struct run *r, uint32_t cpu);
uint32_t run_work_count(const struct run *r);
const struct engine_work *run_work(const struct run *r, uint32_t among_work);
/* The behaviour of the scenario's work number AMONG_WORK; tasks point to it. */
const struct behaviour *run_behaviour(const struct run *r, uint32_t among_work);

/*
 * What is measured: the workloads that have an end, if there are any, else the
 * first workload. From its first start mark to its last end (or to the end of
 * the run), and the units of useful work it did.
 */
uint64_t run_elapsed_ns(const struct run *r);
uint64_t run_done_count(const struct run *r);

/* Fill VALUE[METRIC_COUNT]. */
void run_metrics(struct run *r, struct metric_value *value);

/* CPU time of the tasks in each group and below it: CPU_NS[run_machine(r)->ngroups], by id. */
void run_group_cpu_ns(const struct run *r, uint64_t *cpu_ns);

#endif
