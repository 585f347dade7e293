/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What kernels from 6.1 on show below debugfs sched/, as one text: a line "FILE=CONTENT" for
 * features and for each tunable, then one for each CPU's domain,
 *
 *	cpu0/domain0 busy_factor=16 cache_nice_tries=0 flags=SD_BALANCE_NEWIDLE|... name=SMT
 *
 * with its files by name. A file's blanks between flags are shown as "|", the one at its end is
 * left out. Earlier kernels have these files elsewhere and in other forms.
 *
 * Linux: kernel/sched/debug.c sched_init_debug(), register_sd(), sd_flags_show(); 6.1, 6.12.
 */
#ifndef RUNQLAB_OBSERVE_SCHED_FILES_H
#define RUNQLAB_OBSERVE_SCHED_FILES_H

#include "base/err.h"
#include "model/machine.h"
#include "observe/text.h"

/* Has the kernel V these files? Else false and *E. */
bool export_sched_files_knows(const struct kver *v, struct rql_error *e);

/* Append to T what the files show now. False and *E if M's kernel has none or memory ran out. */
bool export_sched_files(struct text *t, const struct machine *m, struct rql_error *e);

#endif
