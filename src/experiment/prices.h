/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Price profiles: what the scheduler's work costs on one reality of hardware.
 *
 * A profile is a text of lines `name = integer unit  # source` in the sections
 * [sched] (the keys of model/work.def), [lock], [hardware] and [work] (the
 * fields of model/prices.h without their units); the unit is ns, us or pct.
 * Every name stands exactly once and every price says where it comes from.
 *
 * `default`, `free`, `qemu-lockstep` and `qemu-lockstep-1us` are compiled in; `free` is
 * `default` with [sched] and [lock] at zero: policy without cost; the last is the one
 * before it with a quantum of 1 us.
 */
#ifndef RUNQLAB_EXPERIMENT_PRICES_H
#define RUNQLAB_EXPERIMENT_PRICES_H

#include "base/err.h"
#include "model/prices.h"

#include <stddef.h>

/* Bytes of a profile at most. */
#define PRICES_TEXT_MAX ((size_t)64 << 10)

/* Reads the profile TEXT; WHERE is its file, for messages. */
bool prices_parse(const char *where, const char *text, struct prices *out, struct rql_error *e);

/* The compiled-in profile NAME; false without an error when there is none. */
bool prices_builtin(const char *name, struct prices *out);

/* The text of `default`, from prices_data.c. */
extern const char prices_default_text[];
/* The text of `qemu-lockstep`, from prices_lockstep.c. */
extern const char prices_lockstep_text[];

#endif
