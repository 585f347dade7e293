/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What workloads measured themselves, in the forms that cyclictest of rt-tests made familiar. */
#ifndef RUNQLAB_OBSERVE_REPORT_TEXT_H
#define RUNQLAB_OBSERVE_REPORT_TEXT_H

#include "model/behaviour.h"
#include "observe/text.h"

/*
 * One line of R, the INDEX-th of its workload, whose task has the id TID. Times in whole us,
 * rounded down; the mean is that of the exact samples. Without a sample they are 0.
 * Deviation: cyclictest rounds each sample down before it takes the mean.
 */
void report_line(struct text *t, uint32_t index, uint32_t tid, const struct behaviour_report *r);

/*
 * The histograms of those of the N reports that have one, a column each, as `cyclictest -h` prints
 * them: rows of a bucket's us and its counts, then totals, least, mean and greatest, and how many
 * samples lay beyond. There are as many rows as the longest histogram has buckets.
 */
void report_histogram(struct text *t, const struct behaviour_report *r, uint32_t n);

#endif
