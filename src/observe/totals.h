/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver of a run counted itself; metrics read it beside the machine. */
#ifndef RUNQLAB_OBSERVE_TOTALS_H
#define RUNQLAB_OBSERVE_TOTALS_H

#include <stdint.h>

struct observe_totals {
	uint64_t elapsed_ns;   /* first start mark of a workload to its end */
	uint64_t simulated_ns; /* the whole run */
	uint64_t done_count;   /* units of useful work */
	uint64_t events;       /* scheduler events */
	uint64_t lock_acquired, lock_contended, lock_wait_ns; /* rq locks */
	uint64_t sched_ns; /* CPU time in the scheduler, lock waits included, all CPUs */
};

#endif
