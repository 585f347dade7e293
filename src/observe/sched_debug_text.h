/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of /proc/sched_debug that all its layouts are made of, and where the layouts
 * are: export_sched_debug.c chooses one by the kernel.
 */
#ifndef RUNQLAB_OBSERVE_SCHED_DEBUG_TEXT_H
#define RUNQLAB_OBSERVE_SCHED_DEBUG_TEXT_H

#include "model/machine.h"
#include "observe/text.h"

/* What the kernel shows for a time that there is none of. */
#define SD_NO_TIME (-1)

/*
 * NS as milliseconds with six decimals, the whole ones WIDTH columns wide. Of a negative
 * time above -1 ms the sign is lost, as in the kernel. Linux: SPLIT_NS(), 2.6.34 to 6.12.
 */
void sd_put_ms(struct text *t, int64_t ns, size_t width);

/* "  .NAME", padded, and the value: of a run queue (30 columns), of the header (40). */
void sd_field_name(struct text *t, const char *name);
void sd_field_u64(struct text *t, const char *name, uint64_t v);
void sd_field_ms(struct text *t, const char *name, int64_t ns);
void sd_header_name(struct text *t, const char *name);
void sd_header_u64(struct text *t, const char *name, uint64_t v);
void sd_header_ms(struct text *t, const char *name, uint64_t ns);

/* MIN_vruntime to spread0 of Q; RQ0_MIN_VNS is min_vruntime of the first CPU's root. */
void sd_put_vruntimes(struct text *t, const struct cfs_rq *q, uint64_t rq0_min_vns);

/*
 * What a group's entity SE shows of itself in all layouts: three times and, 0 here, the
 * statistics of waiting and sleeping, whose names begin with PREFIX.
 */
void sd_put_group_times(struct text *t, const struct entity *se, const char *prefix);

/* CPU time of Q, the cfs_rq that SE owns; SE is NULL for the root. */
uint64_t sd_exec_clock_ns(const struct rq *rq, const struct entity *se);

/* The layouts of 5.4 and 5.5, of 6.1, and of 6.12. */
void sd_write_54(struct text *t, const struct machine *m, uint64_t now_ns);

#endif
