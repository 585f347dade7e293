/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file /proc/schedstat, versions 15 and 16: two lines of header, then a line for
 * each online CPU, each followed by one for every domain of that CPU from the
 * lowest up. Counters that are 32 bits wide in the kernel wrap here when
 * printed; times and pcount have 64. sched_switch and the sbe, sbf and
 * ttwu_move_balance columns are never counted in any kernel: 0. Version 16 (6.12) has
 * the same columns with what happened on a busy CPU before what happened on an idle one.
 *
 * Linux: kernel/sched_stats.h show_schedstat(), 2.6.34 to 6.12;
 * lib/bitmap.c bitmap_scnprintf().
 */
#include "observe/export_schedstat.h"

#include "base/check.h"
#include "base/fixed.h"
#include "observe/jiffies.h"

static void put_u32(struct text *t, uint64_t v)
{
	text_char(t, ' ');
	text_u64(t, v & UINT32_MAX);
}

static void put_u64(struct text *t, uint64_t v)
{
	text_char(t, ' ');
	text_u64(t, v);
}

void text_cpumask(struct text *t, const struct mask *m, uint32_t nbits)
{
	uint32_t words = (nbits + 31) / 32;

	CHECK(nbits >= 1);
	for (uint32_t i = words; i-- > 0;) {
		/* the highest word has only as many digits as it has bits */
		uint32_t bits = i == words - 1 ? nbits - 32 * i : 32;

		text_hex(t, m->w[i / 2] >> (i % 2 ? 32 : 0) & UINT32_MAX, (bits + 3) / 4);
		if (i)
			text_char(t, ',');
	}
}

static void put_cpu(struct text *t, const struct rq *rq)
{
	const struct rq_stats *s = &rq->stats;

	text_str(t, "cpu");
	text_u64(t, rq->cpu);
	put_u32(t, s->yld_count);
	put_u32(t, 0); /* sched_switch */
	put_u32(t, s->sched_count);
	put_u32(t, s->sched_goidle);
	put_u32(t, s->ttwu_count);
	put_u32(t, s->ttwu_local);
	put_u64(t, s->rq_cpu_time_ns);
	put_u64(t, s->run_delay_ns);
	put_u64(t, s->pcount);
	text_char(t, '\n');
}

static void put_balancing(struct text *t, const struct domain_stats *s, enum cpu_idle_type idle)
{
	put_u32(t, s->lb_count[idle]);
	put_u32(t, s->lb_balanced[idle]);
	put_u32(t, s->lb_failed[idle]);
	put_u32(t, s->lb_imbalance[idle]);
	put_u32(t, s->lb_gained[idle]);
	put_u32(t, s->lb_hot_gained[idle]);
	put_u32(t, s->lb_nobusyq[idle]);
	put_u32(t, s->lb_nobusyg[idle]);
}

/* How version 15 and version 16 order the three groups of a domain's counters. */
static const enum cpu_idle_type group_order[2][CPU_IDLE_TYPES] = {
	{CPU_IDLE, CPU_NOT_IDLE, CPU_NEWLY_IDLE},
	{CPU_NOT_IDLE, CPU_IDLE, CPU_NEWLY_IDLE},
};

static void put_domain(struct text *t, const struct sched_domain *sd, uint32_t number,
		       const struct machine *m)
{
	const struct domain_stats *s = &sd->stats;
	const enum cpu_idle_type *order = group_order[m->v->schedstat_version == 16];

	text_str(t, "domain");
	text_u64(t, number);
	text_char(t, ' ');
	text_cpumask(t, sd->span, m->ncpus);
	for (uint32_t i = 0; i < CPU_IDLE_TYPES; i++)
		put_balancing(t, s, order[i]);
	put_u32(t, s->alb_count);
	put_u32(t, s->alb_failed);
	put_u32(t, s->alb_pushed);
	for (uint32_t i = 0; i < 6; i++)
		put_u32(t, 0); /* sbe_* and sbf_*: count, balanced, pushed */
	put_u32(t, s->ttwu_wake_remote);
	put_u32(t, s->ttwu_move_affine);
	put_u32(t, 0); /* ttwu_move_balance */
	text_char(t, '\n');
}

bool export_schedstat_knows(const struct kver *v, struct rql_error *e)
{
	CHECK(v->version);
	return v->schedstat_version == 15 || v->schedstat_version == 16 ||
	       err_set(e, "schedstat", "only versions 15 and 16 can be written, and ", v->version,
		       " has another; use an older kernel");
}

bool export_schedstat(struct text *t, const struct machine *m, uint64_t now_ns, struct rql_error *e)
{
	uint32_t cpu;

	CHECK(m->tick_ns > 0);
	if (!export_schedstat_knows(m->v, e))
		return false;
	text_str(t, "version ");
	text_u64(t, m->v->schedstat_version);
	text_str(t, "\ntimestamp ");
	text_u64(t, jiffies_shown(m, now_ns / m->tick_ns));
	text_char(t, '\n');
	mask_for_each(cpu, m->online) {
		const struct rq *rq = &m->cpus[cpu].rq;
		uint32_t number = 0;

		put_cpu(t, rq);
		for (const struct sched_domain *sd = rq->sd; sd; sd = sd->parent)
			put_domain(t, sd, number++, m);
	}
	if (t->failed) {
		err_set(e, "schedstat", "no memory for the text", NULL, NULL);
		e->limit = true;
		return false;
	}
	return true;
}
