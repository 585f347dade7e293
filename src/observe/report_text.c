/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line cyclictest prints for each thread and the histogram of its option
 * -h, as version 0.83 of rt-tests has them.
 */
#include "observe/report_text.h"

#include "base/check.h"
#include "base/fixed.h"

static uint64_t mean_ns(const struct behaviour_report *r)
{
	return r->count ? r->sum_ns / r->count : 0;
}

static void put_us(struct text *t, const char *name, uint64_t ns, size_t width)
{
	text_str(t, name);
	text_u64_right(t, ns / NS_PER_US, width);
}

void report_line(struct text *t, uint32_t index, uint32_t tid, const struct behaviour_report *r)
{
	CHECK(r->rt_priority >= 0);
	text_str(t, "T:");
	text_u64_right(t, index, 2);
	text_str(t, " (");
	text_u64_right(t, tid, 5);
	text_str(t, ") P:");
	text_u64_right(t, (uint64_t)r->rt_priority, 2);
	text_str(t, " I:");
	text_u64(t, r->interval_ns / NS_PER_US);
	text_str(t, " C:");
	text_u64_right(t, r->count, 7);
	put_us(t, " Min:", r->min_ns, 7);
	put_us(t, " Act:", r->last_ns, 5);
	put_us(t, " Avg:", mean_ns(r), 5);
	put_us(t, " Max:", r->max_ns, 8);
	text_char(t, '\n');
}

static void put_row(struct text *t, const struct behaviour_report *r, uint32_t n, uint32_t bucket,
		    uint64_t bucket_ns)
{
	const char *before = " ";

	text_u64_zeros(t, bucket * bucket_ns / NS_PER_US, 6);
	for (uint32_t i = 0; i < n; i++) {
		if (r[i].nbuckets == 0)
			continue;
		CHECK(r[i].bucket_ns == bucket_ns);
		text_str(t, before);
		text_u64_zeros(t, bucket < r[i].nbuckets ? r[i].bucket[bucket] : 0, 6);
		before = "\t";
	}
	text_char(t, '\n');
}

enum summary {
	SUMMARY_TOTAL,
	SUMMARY_MIN,
	SUMMARY_AVG,
	SUMMARY_MAX,
	SUMMARY_OVERFLOWS,
};

static uint64_t summary_of(const struct behaviour_report *r, enum summary which)
{
	switch (which) {
	case SUMMARY_TOTAL:
		return r->count - r->overflow;
	case SUMMARY_MIN:
		return r->min_ns / NS_PER_US;
	case SUMMARY_AVG:
		return mean_ns(r) / NS_PER_US;
	case SUMMARY_MAX:
		return r->max_ns / NS_PER_US;
	case SUMMARY_OVERFLOWS:
		return r->overflow;
	}
	CHECK(false);
	return 0;
}

static void put_summary(struct text *t, const struct behaviour_report *r, uint32_t n,
			enum summary which)
{
	static const char *const names[] = {
		[SUMMARY_TOTAL] = "# Total:",
		[SUMMARY_MIN] = "# Min Latencies:",
		[SUMMARY_AVG] = "# Avg Latencies:",
		[SUMMARY_MAX] = "# Max Latencies:",
		[SUMMARY_OVERFLOWS] = "# Histogram Overflows:",
	};

	text_str(t, names[which]);
	for (uint32_t i = 0; i < n; i++) {
		if (r[i].nbuckets == 0)
			continue;
		text_char(t, ' ');
		text_u64_zeros(t, summary_of(&r[i], which), which == SUMMARY_TOTAL ? 9 : 5);
	}
	text_char(t, '\n');
}

void report_histogram(struct text *t, const struct behaviour_report *r, uint32_t n)
{
	uint32_t rows = 0;
	uint64_t bucket_ns = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (r[i].nbuckets == 0)
			continue;
		bucket_ns = r[i].bucket_ns;
		rows = max_u32(rows, r[i].nbuckets);
	}
	text_str(t, "# Histogram\n");
	for (uint32_t i = 0; i < rows; i++)
		put_row(t, r, n, i, bucket_ns);
	for (enum summary which = SUMMARY_TOTAL; which <= SUMMARY_OVERFLOWS; which++)
		put_summary(t, r, n, which);
}
