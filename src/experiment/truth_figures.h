/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real kernels did, as figures of cases, and what a simulated figure must lie in to
 * hold. The numbers are in truth_data.def, made from tests/truth.
 *
 * Names are KIND_FIGURE_KERNEL. `place`: where tasks were and how often they moved;
 * `share`: CPU time; `stat`: counters of /proc/schedstat; `time`: what programs measured;
 * `topo`: domains.
 *
 * Of the counters those of truth_stat_is_aimed_at() are judged together; all of them are counted, too.
 */
#ifndef RUNQLAB_EXPERIMENT_TRUTH_FIGURES_H
#define RUNQLAB_EXPERIMENT_TRUTH_FIGURES_H

#include "experiment/case.h"

#define TRUTH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define TRUTH_MAX(a, b) ((a) > (b) ? (a) : (b))

/* clang-format off */
#define TRUTH_FIGURE(name_, kind_, unit_, median, lowest, highest, from, to) \
	{ .name = name_, .what = "median, in real kernels", .unit = unit_, .published = median, \
	  .published_low = lowest, .published_high = highest, .low = from, .high = to, \
	  .aim_low = CASE_NONE, .aim_high = CASE_NONE, .kind = kind_ }

/* A counter of schedstat: within a quarter of the real median. */
#define TRUTH_STAT(name, median, lowest, highest) \
	TRUTH_FIGURE(name, "stat", "count", median, lowest, highest, (median) * 0.75, (median) * 1.25)
/* Within the real kernel's own range, widened by 10 % and at least by ONE, of what it counts. */
#define TRUTH_RANGE(name, kind, unit, one, median, lowest, highest) \
	TRUTH_FIGURE(name, kind, unit, median, lowest, highest, \
		     TRUTH_MIN((lowest) * 0.9, (lowest) - (one)), TRUTH_MAX((highest) * 1.1, (highest) + (one)))
/* Recorded once: within a quarter, or by ONE. */
#define TRUTH_SINGLE(name, kind, unit, one, median, lowest, highest) \
	TRUTH_FIGURE(name, kind, unit, median, lowest, highest, \
		     TRUTH_MIN((median) * 0.75, (median) - (one)), TRUTH_MAX((median) * 1.25, (median) + (one)))
/* A price was taken from it. */
#define TRUTH_SHOWN(name, kind, unit, median, lowest, highest) \
	TRUTH_FIGURE(name, kind, unit, median, lowest, highest, CASE_NONE, CASE_NONE)

/* How many of them hold: what is aimed at over all experiments is asked of each. */
#define TRUTH_AIM(name_, what_, aim) \
	{ .name = name_, .what = what_, .unit = "1", .published = CASE_NONE, .published_low = CASE_NONE, \
	  .published_high = CASE_NONE, .low = aim, .high = CASE_NONE, .aim_low = CASE_NONE, .aim_high = CASE_NONE, \
	  .required = true }
/* The same, told only. */
#define TRUTH_TOLD(name_, what_) \
	{ .name = name_, .what = what_, .unit = "1", .published = CASE_NONE, .published_low = CASE_NONE, \
	  .published_high = CASE_NONE, .low = CASE_NONE, .high = CASE_NONE, .aim_low = CASE_NONE, .aim_high = CASE_NONE }
#define TRUTH_SUMMARY \
	TRUTH_AIM("place_share_hold", "share of the figures place_ and share_ that hold", 0.9), \
	TRUTH_AIM("stat_hold", "share of the figures stat_ of switches, wake-ups, attempts and gains that hold", 0.7), \
	TRUTH_TOLD("stat_all_hold", "share of all figures stat_ that hold"), \
	TRUTH_AIM("time_hold", "share of the figures time_ that hold", 0.9),
/* clang-format on */

#define TRUTH_KERNEL_61 "6.1-debian"
#define TRUTH_KERNEL_612 "6.12-debian"

/* Is there a profile of the second kernel? Without it each case has the first one's row only. */
bool truth_has_612(void);

/*
 * Is figure NAME one of the counters that are aimed at: sched_count, sched_goidle, ttwu_count, ttwu_local, and per level and kind of
 * idleness lb_count and lb_gained?
 */
bool truth_stat_is_aimed_at(const char *name);

enum truth_summary {
	TRUTH_PLACE_SHARE_HOLD,
	TRUTH_STAT_HOLD,
	TRUTH_STAT_ALL_HOLD,
	TRUTH_TIME_HOLD,
	TRUTH_SUMMARIES,
};

#endif
