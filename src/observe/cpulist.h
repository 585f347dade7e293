/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs as the kernel prints them: "0-3,8,10-11". An empty set is "". */
#ifndef RUNQLAB_OBSERVE_CPULIST_H
#define RUNQLAB_OBSERVE_CPULIST_H

#include "base/buf.h"
#include "base/mask.h"

/* The longest list of NCPUS CPUs, ending zero included. */
#define CPULIST_BYTES(ncpus) ((size_t)(ncpus)*4 + 8)

void cpulist_put(struct buf *out, const struct mask *m);

#endif
