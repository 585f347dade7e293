/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/schedstat of a simulated machine, layouts of versions 15 and 16. */
#ifndef RUNQLAB_OBSERVE_EXPORT_SCHEDSTAT_H
#define RUNQLAB_OBSERVE_EXPORT_SCHEDSTAT_H

#include "base/err.h"
#include "model/machine.h"
#include "observe/text.h"

/* Has the kernel V one of them? Else false and *E. */
bool export_schedstat_knows(const struct kver *v, struct rql_error *e);

/*
 * Append to T what the file shows at NOW_NS. False and *E if M's kernel has
 * another layout or memory ran out.
 */
bool export_schedstat(struct text *t, const struct machine *m, uint64_t now_ns,
		      struct rql_error *e);

/* M's NBITS (at least 1) bits as the kernel prints masks: 32-bit words, highest first. */
void text_cpumask(struct text *t, const struct mask *m, uint32_t nbits);

#endif
