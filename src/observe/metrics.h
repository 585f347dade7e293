/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics every run has, as integers: a value is num / den, and den 0 means
 * that the run does not define it (no wake-up, no two equal tasks, ...).
 * metrics.def lists them.
 */
#ifndef RUNQLAB_OBSERVE_METRICS_H
#define RUNQLAB_OBSERVE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "observe/totals.h"

struct fairness;
struct latency;
struct machine;
struct wasted;

enum metric_id {
#define METRIC(id, name, unit, kind, better, meaning) METRIC_##id,
#include "observe/metrics.def"
	METRIC_COUNT
};

enum metric_kind {
	METRIC_KIND_INTEGER, /* den is 1 */
	METRIC_KIND_RATIO,
};

enum metric_better {
	METRIC_BETTER_NONE,
	METRIC_BETTER_LOWER,
	METRIC_BETTER_HIGHER,
};

struct metric_info {
	const char *name, *unit, *meaning;
	enum metric_kind kind;
	enum metric_better better;
};

struct metric_value {
	uint64_t num, den; /* den 0: undefined */
};

/* Where metrics come from when the run is over; a NULL sink leaves its metrics undefined. */
struct metric_sources {
	const struct machine *m;
	const struct observe_totals *totals;
	const struct latency *latency;
	const struct wasted *wasted;
	struct fairness *fairness;
};

const struct metric_info *metric_info(enum metric_id id);

/* Is it about the real-time class, and undefined where there is no real-time task? */
static inline bool metric_is_rt(enum metric_id id)
{
	return id >= METRIC_RT_PUSH_LOCKS;
}

/* The metric NAME[0..n), or METRIC_COUNT. */
enum metric_id metric_by_name(const char *name, uint64_t n);

/* Fill VALUE[METRIC_COUNT]. */
void metrics_collect(struct metric_value *value, const struct metric_sources *from);

/* V times 10^6, rounded to nearest, halves up. False if undefined or beyond 64 bits. */
bool metric_millionths(struct metric_value v, uint64_t *out);

#endif
