/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that the layouts of /proc/sched_debug share. The format of a line never
 * changed between 2.6.34 and 6.1, only which lines there are.
 */
#include "observe/sched_debug_text.h"

#include "base/buf.h"
#include "base/fixed.h"

#define HEADER_WIDTH 40
#define FIELD_WIDTH 30

void sd_put_ms(struct text *t, int64_t ns, size_t width)
{
	uint64_t abs_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char mem[24];
	struct buf whole;

	buf_init(&whole, mem, sizeof(mem));
	buf_s64(&whole, ns < 0 ? -(int64_t)(abs_ns / NS_PER_MS) : (int64_t)(abs_ns / NS_PER_MS));
	text_right(t, mem, width);
	text_char(t, '.');
	text_u64_zeros(t, abs_ns % NS_PER_MS, 6);
}

static void put_name(struct text *t, const char *name, size_t width)
{
	text_str(t, "  .");
	text_left(t, name, width);
	text_str(t, ": ");
}

void sd_field_name(struct text *t, const char *name)
{
	put_name(t, name, FIELD_WIDTH);
}

void sd_field_u64(struct text *t, const char *name, uint64_t v)
{
	sd_field_name(t, name);
	text_u64(t, v);
	text_char(t, '\n');
}

void sd_field_ms(struct text *t, const char *name, int64_t ns)
{
	sd_field_name(t, name);
	sd_put_ms(t, ns, 0);
	text_char(t, '\n');
}

void sd_header_name(struct text *t, const char *name)
{
	put_name(t, name, HEADER_WIDTH);
}

void sd_header_u64(struct text *t, const char *name, uint64_t v)
{
	sd_header_name(t, name);
	text_u64(t, v);
	text_char(t, '\n');
}

void sd_header_ms(struct text *t, const char *name, uint64_t ns)
{
	sd_header_name(t, name);
	sd_put_ms(t, (int64_t)ns, 0);
	text_char(t, '\n');
}

static int64_t vruntime_of(const struct rb_node *n)
{
	/* the model has no const container_of; nothing is written through it */
	uintptr_t at = (uintptr_t)n - offsetof(struct entity, node);

	return (int64_t)((const struct entity *)at)->vruntime_vns;
}

void sd_put_vruntimes(struct text *t, const struct cfs_rq *q, uint64_t rq0_min_vns)
{
	const struct rb_node *last = q->timeline.root;
	int64_t low = SD_NO_TIME, high = SD_NO_TIME;

	if (q->timeline.leftmost)
		low = vruntime_of(q->timeline.leftmost);
	while (last && last->right)
		last = last->right;
	if (last)
		high = vruntime_of(last);
	sd_field_ms(t, "MIN_vruntime", low);
	sd_field_ms(t, "min_vruntime", (int64_t)q->min_vruntime_vns);
	sd_field_ms(t, "max_vruntime", high);
	sd_field_ms(t, "spread", delta_s64((uint64_t)high, (uint64_t)low));
	sd_field_ms(t, "spread0", delta_s64(q->min_vruntime_vns, rq0_min_vns));
}

/* "  .PREFIXNAME", padded, and ": " */
static void put_statistic(struct text *t, const char *prefix, const char *name)
{
	char mem[64];
	struct buf b;

	buf_init(&b, mem, sizeof(mem));
	buf_str(&b, prefix);
	buf_str(&b, name);
	sd_field_name(t, mem);
}

void sd_put_group_times(struct text *t, const struct entity *se, const char *prefix)
{
	static const char *const times[] = {
		"wait_start", "sleep_start", "block_start", "sleep_max", "block_max",
		"exec_max",   "slice_max",   "wait_max",    "wait_sum",
	};

	sd_field_ms(t, "se->exec_start", (int64_t)se->exec_start_ns);
	sd_field_ms(t, "se->vruntime", (int64_t)se->vruntime_vns);
	sd_field_ms(t, "se->sum_exec_runtime", (int64_t)se->sum_exec_ns);
	for (uint32_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		put_statistic(t, prefix, times[i]);
		text_str(t, "0.000000\n");
	}
	put_statistic(t, prefix, "wait_count");
	text_str(t, "0\n");
	sd_field_u64(t, "se->load.weight", se->load.weight);
}

uint64_t sd_exec_clock_ns(const struct rq *rq, const struct entity *se)
{
	return se ? se->sum_exec_ns : rq->stats.rq_cpu_time_ns;
}
