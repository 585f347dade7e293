/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: what the kernels from 5.4 on switch on of load tracking, and small
 * queues to try it on. Include after support.h.
 */
#ifndef RUNQLAB_SCHED_PELT_PELT_KERNELS_H
#define RUNQLAB_SCHED_PELT_PELT_KERNELS_H

#include "sched/hand_machine.h"
#include "sched/pelt/clock.h"
#include "sched/pelt/load_avg.h"
#include "sched/pelt/pelt.h"
#include "sched/pelt/util_est.h"

#define NPELT_KERNELS 4

static const char *const pelt_kernel_names[NPELT_KERNELS] = {"5.4", "5.5", "6.1", "6.12"};

/* Each has what those before it have. */
static inline void pelt_kernel(struct kver *v, const char *version)
{
	static const enum feature from_5_4[] = {FEAT_ATTACH_AGE_LOAD, FEAT_UTIL_EST};
	static const enum feature from_6_1[] = {FEAT_WEIGHT_MIN_2,      FEAT_RUNNABLE_COUNT,
						FEAT_PELT_EXACT_SUMS,   FEAT_PELT_SUM_FLOOR,
						FEAT_PELT_FLOOR_32BIT,  FEAT_PELT_LAG,
						FEAT_IDLE_CLOCK_SYNC,   FEAT_THROTTLE_BY_PELT,
						FEAT_BLOCKED_UPDATE_TG, FEAT_LEAF_KEEPS_PARENT};
	static const enum feature from_6_12[] = {FEAT_INIT_UTIL_SCALED, FEAT_TG_LOAD_RATELIMIT,
						 FEAT_SHARES_IF_LOADED, FEAT_LEAF_KEEPS_CONTRIB};
	int n = 0;

	while (strcmp(pelt_kernel_names[n], version) != 0) {
		n++;
		CHECK(n < NPELT_KERNELS);
	}
	for (size_t i = 0; i < sizeof(from_5_4) / sizeof(from_5_4[0]); i++)
		feature_set_add(&v->features, from_5_4[i]);
	v->util_est = &util_est_low_flag;
	if (n >= 1)
		feature_set_add(&v->features, FEAT_UTIL_EST_FASTUP);
	if (n >= 2) {
		for (size_t i = 0; i < sizeof(from_6_1) / sizeof(from_6_1[0]); i++)
			feature_set_add(&v->features, from_6_1[i]);
		v->util_est = &util_est_high_flag;
	}
	if (n >= 3) {
		for (size_t i = 0; i < sizeof(from_6_12) / sizeof(from_6_12[0]); i++)
			feature_set_add(&v->features, from_6_12[i]);
		v->util_est = &util_est_single;
	}
}

/* A machine of CPUS CPUs as hand_init() makes it, whose kernel tracks load as VERSION does. */
static inline void pelt_init(struct hand *h, const char *version, uint32_t cpus)
{
	hand_init(h, "3.4", 1, cpus, 1);
	pelt_kernel(&h->v, version);
}

/* CPU's clocks show NS; only what passes since their last sample counts. */
static inline void pelt_clock(struct hand *h, uint32_t cpu, uint64_t ns)
{
	struct rq *rq = hand_rq(h, cpu);
	uint64_t delta_ns = ns - rq->clock_ns;

	hand_k(h, cpu)->now_ns = ns;
	rq->clock_ns = ns;
	update_rq_clock_task(hand_k(h, cpu), rq, delta_ns, 0);
}

#endif
