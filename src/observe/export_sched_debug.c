/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file /proc/sched_debug, v0.09: a header with the tunables, then for each
 * online CPU its run queue, every group's cfs_rq on it (newest group first, root
 * last), the root's rt_rq and the table of queued tasks in order of creation.
 *
 * "No time" (-1 ns) reads 0.000001. Kernels from 5.4 on have another layout, which
 * sched_debug_54.c writes.
 *
 * The machine has no CPU frequency: every CPU shows the 0.001 MHz that an x86
 * kernel prints when it does not know its own. What is not modelled is 0:
 * nr_uninterruptible, bkl_count, nr_spread_over, sum-sleep, the statistics of
 * group entities. sysctl_sched_features numbers the features this version has in
 * the order of model/features.def, which is the kernel's.
 *
 * Linux: kernel/sched_debug.c, 2.6.34 and 2.6.35.
 * Deviation: exec_clock of the root ends at the last context switch; the statistics
 * of a group's entity have the names of 2.6.35 in both; no real-time groups.
 */
#include "observe/export_sched_debug.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "observe/sched_debug_text.h"

/* One bit for each feature this version has, the first declared lowest. */
static uint64_t feature_bits(const struct kver *v)
{
	uint64_t bits = 0;
	uint32_t n = 0;

	for (enum feature f = 0; f < FEATURE_COUNT; f++) {
		if (!feature_set_has(&v->known, f))
			continue;
		bits |= (uint64_t)kver_has(v, f) << n;
		n++;
	}
	return bits;
}

static void put_header(struct text *t, const struct machine *m, uint64_t now_ns)
{
	text_str(t, "Sched Debug Version: v0.09, ");
	text_str(t, m->v->version);
	text_str(t, " #1\nnow at ");
	sd_put_ms(t, (int64_t)now_ns, 0);
	text_str(t, " msecs\n");
	sd_header_u64(t, "jiffies", now_ns / m->tick_ns);
	sd_header_ms(t, "sysctl_sched_latency", m->tun.latency_ns);
	sd_header_ms(t, "sysctl_sched_min_granularity", m->tun.min_granularity_ns);
	sd_header_ms(t, "sysctl_sched_wakeup_granularity", m->tun.wakeup_granularity_ns);
	sd_header_u64(t, "sysctl_sched_child_runs_first", m->tun.child_runs_first);
	sd_header_u64(t, "sysctl_sched_features", feature_bits(m->v));
	sd_header_name(t, "sysctl_sched_tunable_scaling");
	text_str(t, "1 (logaritmic)\n"); /* the kernel's spelling */
}

static void put_rq(struct text *t, const struct rq *rq)
{
	static const char *const cpu_load[CPU_LOAD_IDX_MAX] = {
		"cpu_load[0]", "cpu_load[1]", "cpu_load[2]", "cpu_load[3]", "cpu_load[4]",
	};

	text_str(t, "\ncpu#");
	text_u64(t, rq->cpu);
	text_str(t, ", 0.001 MHz\n");
	sd_field_u64(t, "nr_running", rq->nr_running);
	sd_field_u64(t, "load", rq->load.weight);
	sd_field_u64(t, "nr_switches", rq->nr_switches);
	sd_field_u64(t, "nr_load_updates", rq->nr_load_updates);
	sd_field_u64(t, "nr_uninterruptible", 0);
	sd_field_ms(t, "next_balance", (int64_t)rq->next_balance);
	sd_field_u64(t, "curr->pid", rq->curr->id);
	sd_field_ms(t, "clock", (int64_t)rq->clock_ns);
	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++)
		sd_field_u64(t, cpu_load[i], rq->cpu_load[i]);
	sd_field_u64(t, "yld_count", rq->stats.yld_count & UINT32_MAX);
	sd_field_u64(t, "sched_switch", 0);
	sd_field_u64(t, "sched_count", rq->stats.sched_count & UINT32_MAX);
	sd_field_u64(t, "sched_goidle", rq->stats.sched_goidle & UINT32_MAX);
	sd_field_u64(t, "avg_idle", rq->avg_idle_ns);
	sd_field_u64(t, "ttwu_count", rq->stats.ttwu_count & UINT32_MAX);
	sd_field_u64(t, "ttwu_local", rq->stats.ttwu_local & UINT32_MAX);
	sd_field_u64(t, "bkl_count", 0);
}

static void put_cfs_rq(struct text *t, const struct machine *m, const struct task_group *tg,
		       const struct rq *rq)
{
	const struct cfs_rq *q = &tg->cfs_rq[rq->cpu];
	const struct entity *se = tg->parent ? &tg->se[rq->cpu] : NULL;

	text_str(t, "\ncfs_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:");
	text_str(t, tg->path);
	text_char(t, '\n');
	sd_field_ms(t, "exec_clock", (int64_t)sd_exec_clock_ns(rq, se));
	sd_put_vruntimes(t, q, m->cpus[mask_first(m->online)].rq.cfs->min_vruntime_vns);
	sd_field_u64(t, "nr_running", q->nr_running);
	sd_field_u64(t, "load", q->load.weight);
	sd_field_u64(t, "nr_spread_over", 0);
	sd_field_u64(t, "shares", q->shares);
	if (se)
		sd_put_group_times(t, se, "se->statistics.");
}

static void put_rt_rq(struct text *t, const struct rq *rq)
{
	text_str(t, "\nrt_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:\n");
	sd_field_u64(t, "rt_nr_running", 0);
	sd_field_u64(t, "rt_throttled", 0);
	sd_field_ms(t, "rt_time", 0);
	sd_field_ms(t, "rt_runtime", 950 * (int64_t)NS_PER_MS);
}

/* The kernel's 0..139: real-time first, 120 = nice 0. */
static uint64_t prio_of(const struct task *p)
{
	if (p->policy == POLICY_FIFO || p->policy == POLICY_RR)
		return 99u - p->rt_priority;
	return (uint64_t)(120 + p->nice);
}

static void put_task(struct text *t, const struct rq *rq, const struct task *p)
{
	text_char(t, rq->curr == p ? 'R' : ' ');
	text_right(t, p->comm, 15);
	text_char(t, ' ');
	text_u64_right(t, p->id, 5);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.vruntime_vns, 9);
	text_char(t, ' ');
	text_u64_right(t, p->stats.nr_switches_voluntary + p->stats.nr_switches_involuntary, 9);
	text_char(t, ' ');
	text_u64_right(t, prio_of(p), 5);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.vruntime_vns, 9);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.sum_exec_ns, 9);
	text_char(t, ' ');
	sd_put_ms(t, 0, 9);
	text_char(t, ' ');
	text_str(t, p->tg->path);
	text_char(t, '\n');
}

static void put_tasks(struct text *t, const struct machine *m, const struct rq *rq)
{
	uint32_t left = rq->nr_running;

	text_str(t, "\nrunnable tasks:\n"
		    "            task   PID         tree-key  switches  prio"
		    "     exec-runtime         sum-exec        sum-sleep\n"
		    "------------------------------------------------------"
		    "----------------------------------------------------\n");
	for (uint32_t i = 0; i < m->ntasks && left; i++) {
		const struct task *p = &m->tasks[i];

		if (!p->se.on_rq || p->cpu != rq->cpu)
			continue;
		put_task(t, rq, p);
		left--;
	}
}

static void write_v009(struct text *t, const struct machine *m, uint64_t now_ns)
{
	const struct list *pos;
	uint32_t cpu;

	put_header(t, m, now_ns);
	mask_for_each(cpu, m->online) {
		const struct rq *rq = &m->cpus[cpu].rq;

		put_rq(t, rq);
		list_for_each(pos, &m->groups) {
			uintptr_t tg = (uintptr_t)pos - offsetof(struct task_group, all);

			put_cfs_rq(t, m, (const struct task_group *)tg, rq);
		}
		put_rt_rq(t, rq);
		put_tasks(t, m, rq);
	}
	text_char(t, '\n');
}

/*
 * The layout of V, or NULL. Several that differ call themselves v0.11: those of 5.4 to 6.12 have
 * PELT as it is now.
 */
static void (*layout_of(const struct kver *v))(struct text *, const struct machine *, uint64_t)
{
	if (!v->sched_debug_version)
		return NULL;
	if (str_equal(v->sched_debug_version, "v0.09"))
		return write_v009;
	if (str_equal(v->sched_debug_version, "v0.11") && v->util_est)
		return sd_write_54;
	return NULL;
}

bool export_sched_debug_knows(const struct kver *v, struct rql_error *e)
{
	CHECK(v->version);
	return layout_of(v) || err_set(e, "sched-debug", "its layout in ", v->version,
				       " cannot be written; use 2.6.31 to 2.6.35, or 5.4 on");
}

bool export_sched_debug(struct text *t, const struct machine *m, uint64_t now_ns,
			struct rql_error *e)
{
	CHECK(m->tick_ns > 0);
	CHECK(m->nonline > 0);
	if (!export_sched_debug_knows(m->v, e))
		return false;
	layout_of(m->v)(t, m, now_ns);
	if (t->failed) {
		err_set(e, "sched-debug", "no memory for the text", NULL, NULL);
		e->limit = true;
		return false;
	}
	return true;
}
