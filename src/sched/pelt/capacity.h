/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a CPU is left for fair tasks. All in 1024ths of a big CPU. */
#ifndef RUNQLAB_SCHED_PELT_CAPACITY_H
#define RUNQLAB_SCHED_PELT_CAPACITY_H

#include "model/machine.h"

struct capacity_use {
	uint64_t whole;        /* the CPU's capacity without anything that disturbs */
	uint64_t rt_util;      /* used by real-time tasks */
	uint64_t dl_util;      /* ... deadline tasks */
	uint64_t irq_util;     /* ... interrupts; the rest runs beside them */
	uint64_t thermal_load; /* lost to heat; 6.1 */
	uint64_t pressure;     /* capacity the hardware or cpufreq withholds; 6.12 */
};

/* At least 1, at most USE->whole. Linux: fair.c scale_rt_capacity(), 5.4 to 6.12. */
uint64_t scale_rt_capacity(const struct capacity_use *use);

/*
 * RQ's present capacity by its averages; no heat, no pressure.
 * Linux: fair.c update_cpu_capacity(), the part of one CPU.
 */
uint64_t rq_cpu_capacity(const struct rq *rq);

#endif
