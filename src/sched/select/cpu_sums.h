/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums over the CPUs of each group, kept instead of made. A CPU's part changes only under its
 * rq's lock, where tasks are put on its wake_list, or where its capacity is refreshed; all mark it in machine.stale_sums
 * (rq_lock(), rq_changed()). Who needs sums calls cpu_sums_refresh() after his peek(): the
 * CPUs marked since are looked at, and what is new of them goes to all groups they are
 * in. One that is locked just then stays marked, for it may change once more.
 *
 * So an attempt costs the CPUs that changed and the groups, not the CPUs there are.
 * sgc->sums is NULL for groups that are not kept; their CPUs are gone through as the kernel does.
 */
#ifndef RUNQLAB_SCHED_SELECT_CPU_SUMS_H
#define RUNQLAB_SCHED_SELECT_CPU_SUMS_H

#include "model/machine.h"

/* Memory cpu_sums_init() takes at most. */
uint64_t cpu_sums_bytes_max(uint32_t ncpus);

/* M's domains are attached, nothing has run yet. False: no memory. */
bool cpu_sums_init(struct machine *m);

/* Bring all sums up to date: true for this instant, up to the next lock() or peek(). */
void cpu_sums_refresh(struct kctx *k);

/* What CPU adds to the sums, read from its rq. */
struct cpu_sums cpu_sums_of(const struct kctx *k, uint32_t cpu);

/* Every unmarked CPU and every set is what it would be if it were made anew. */
void cpu_sums_audit(struct machine *m);

#endif
