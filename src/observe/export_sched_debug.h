/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/sched_debug of a simulated machine: layout v0.09 (2.6.31 to 2.6.35) and
 * those of v0.11 which 5.4, 5.5 and 6.1 have.
 */
#ifndef RUNQLAB_OBSERVE_EXPORT_SCHED_DEBUG_H
#define RUNQLAB_OBSERVE_EXPORT_SCHED_DEBUG_H

#include "base/err.h"
#include "model/machine.h"
#include "observe/text.h"

/* Can the layout of the kernel V be written? Else false and *E. */
bool export_sched_debug_knows(const struct kver *v, struct rql_error *e);

/*
 * Append to T what the file shows at NOW_NS. False and *E if M's kernel has
 * another layout or memory ran out.
 */
bool export_sched_debug(struct text *t, const struct machine *m, uint64_t now_ns,
			struct rql_error *e);

#endif
