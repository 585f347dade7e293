/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads and powers of CPUs as placement and balancing see them. A CPU's load is
 * the sum of its tasks' weights; the decayed averages cpu_load[i] make a
 * balancer slow to act: as a source a CPU counts with the lesser of now and
 * average, as a target with the greater (LB_BIAS).
 *
 * Linux: kernel/sched.c source_load(), target_load(), weighted_cpuload().
 */
#include "base/check.h"
#include "base/fixed.h"
#include "sched/select/select.h"

uint64_t cpu_avg_load_per_task(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = &k->m->cpus[cpu].rq;

	return rq->nr_running ? rq->load.weight / rq->nr_running : 0;
}

uint64_t power_of(const struct kctx *k, uint32_t cpu)
{
	const struct rq *rq = &k->m->cpus[cpu].rq;

	if (feat(k, FEAT_RQ_CPU_POWER))
		return rq->cpu_power;
	return rq->sd ? rq->sd->groups->cpu_power : 1024;
}
