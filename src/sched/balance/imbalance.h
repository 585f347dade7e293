/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search for the busiest group collects, and how much load it says to move. */
#ifndef RUNQLAB_SCHED_BALANCE_IMBALANCE_H
#define RUNQLAB_SCHED_BALANCE_IMBALANCE_H

#include "sched/balance/balance.h"

#define LOAD_SCALE UINT64_C(1024)

struct sd_stats {
	struct sched_group *busiest, *this;
	uint64_t total_load, total_pwr, avg_load;
	uint64_t this_load, this_nr_running, this_load_per_task;
	uint64_t max_load, busiest_nr_running, busiest_load_per_task, busiest_capacity;
	bool group_imb;

	/* versions with capacity rules */
	uint64_t this_idle_cpus, busiest_idle_cpus, busiest_group_weight;
	bool this_has_capacity, busiest_has_capacity;
};

/* Which decayed load a balance of this kind looks at. */
uint32_t lb_load_idx(const struct lb *lb);

/* Load to move from sds->busiest; may be 0. Linux: calculate_imbalance(), fix_small_imbalance(). */
uint64_t calculate_imbalance(struct kctx *k, const struct lb *lb, struct sd_stats *sds);

#endif
