/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file /proc/sched_debug, v0.09: a header with the tunables, then for each
 * online CPU its run queue, every group's cfs_rq on it (newest group first, root
 * last), the root's rt_rq and the table of queued tasks in order of creation.
 *
 * Times are milliseconds with six decimals, split as the kernel splits them: of a
 * negative time above -1 ms the sign is lost, so "none" (-1 ns) reads 0.000001.
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

#define HEADER_WIDTH 40
#define FIELD_WIDTH 30
#define NO_TIME (-1)

/* NS as milliseconds, the whole ones WIDTH columns wide. Linux: SPLIT_NS(). */
static void put_ms(struct text *t, int64_t ns, size_t width)
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

static void field_name(struct text *t, const char *name, size_t width)
{
	text_str(t, "  .");
	text_left(t, name, width);
	text_str(t, ": ");
}

static void field_u64(struct text *t, const char *name, uint64_t v)
{
	field_name(t, name, FIELD_WIDTH);
	text_u64(t, v);
	text_char(t, '\n');
}

static void field_ms(struct text *t, const char *name, int64_t ns)
{
	field_name(t, name, FIELD_WIDTH);
	put_ms(t, ns, 0);
	text_char(t, '\n');
}

static void header_ms(struct text *t, const char *name, uint64_t ns)
{
	field_name(t, name, HEADER_WIDTH);
	put_ms(t, (int64_t)ns, 0);
	text_char(t, '\n');
}

static void header_u64(struct text *t, const char *name, uint64_t v)
{
	field_name(t, name, HEADER_WIDTH);
	text_u64(t, v);
	text_char(t, '\n');
}

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
	put_ms(t, (int64_t)now_ns, 0);
	text_str(t, " msecs\n");
	header_u64(t, "jiffies", now_ns / m->tick_ns);
	header_ms(t, "sysctl_sched_latency", m->tun.latency_ns);
	header_ms(t, "sysctl_sched_min_granularity", m->tun.min_granularity_ns);
	header_ms(t, "sysctl_sched_wakeup_granularity", m->tun.wakeup_granularity_ns);
	header_u64(t, "sysctl_sched_child_runs_first", m->tun.child_runs_first);
	header_u64(t, "sysctl_sched_features", feature_bits(m->v));
	field_name(t, "sysctl_sched_tunable_scaling", HEADER_WIDTH);
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
	field_u64(t, "nr_running", rq->nr_running);
	field_u64(t, "load", rq->load.weight);
	field_u64(t, "nr_switches", rq->nr_switches);
	field_u64(t, "nr_load_updates", rq->nr_load_updates);
	field_u64(t, "nr_uninterruptible", 0);
	field_ms(t, "next_balance", (int64_t)rq->next_balance);
	field_u64(t, "curr->pid", rq->curr->id);
	field_ms(t, "clock", (int64_t)rq->clock_ns);
	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++)
		field_u64(t, cpu_load[i], rq->cpu_load[i]);
	field_u64(t, "yld_count", rq->stats.yld_count & UINT32_MAX);
	field_u64(t, "sched_switch", 0);
	field_u64(t, "sched_count", rq->stats.sched_count & UINT32_MAX);
	field_u64(t, "sched_goidle", rq->stats.sched_goidle & UINT32_MAX);
	field_u64(t, "avg_idle", rq->avg_idle_ns);
	field_u64(t, "ttwu_count", rq->stats.ttwu_count & UINT32_MAX);
	field_u64(t, "ttwu_local", rq->stats.ttwu_local & UINT32_MAX);
	field_u64(t, "bkl_count", 0);
}

static int64_t vruntime_of(const struct rb_node *n)
{
	/* the model has no const container_of; nothing is written through it */
	uintptr_t at = (uintptr_t)n - offsetof(struct entity, node);

	return (int64_t)((const struct entity *)at)->vruntime_vns;
}

static void put_vruntimes(struct text *t, const struct cfs_rq *q, uint64_t rq0_min_vns)
{
	const struct rb_node *last = q->timeline.root;
	int64_t low = NO_TIME, high = NO_TIME;

	if (q->timeline.leftmost)
		low = vruntime_of(q->timeline.leftmost);
	while (last && last->right)
		last = last->right;
	if (last)
		high = vruntime_of(last);
	field_ms(t, "MIN_vruntime", low);
	field_ms(t, "min_vruntime", (int64_t)q->min_vruntime_vns);
	field_ms(t, "max_vruntime", high);
	field_ms(t, "spread", delta_s64((uint64_t)high, (uint64_t)low));
	field_ms(t, "spread0", delta_s64(q->min_vruntime_vns, rq0_min_vns));
}

static void put_group_entity(struct text *t, const struct entity *se)
{
	static const char *const times[] = {
		"se->statistics.wait_start",  "se->statistics.sleep_start",
		"se->statistics.block_start", "se->statistics.sleep_max",
		"se->statistics.block_max",   "se->statistics.exec_max",
		"se->statistics.slice_max",   "se->statistics.wait_max",
		"se->statistics.wait_sum",
	};

	field_ms(t, "se->exec_start", (int64_t)se->exec_start_ns);
	field_ms(t, "se->vruntime", (int64_t)se->vruntime_vns);
	field_ms(t, "se->sum_exec_runtime", (int64_t)se->sum_exec_ns);
	for (uint32_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		field_ms(t, times[i], 0);
	field_u64(t, "se->statistics.wait_count", 0);
	field_u64(t, "se->load.weight", se->load.weight);
}

static void put_cfs_rq(struct text *t, const struct machine *m, const struct task_group *tg,
		       const struct rq *rq)
{
	const struct cfs_rq *q = &tg->cfs_rq[rq->cpu];
	const struct entity *se = tg->parent ? &tg->se[rq->cpu] : NULL;
	uint64_t exec_ns = se ? se->sum_exec_ns : rq->stats.rq_cpu_time_ns;

	text_str(t, "\ncfs_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:");
	text_str(t, tg->path);
	text_char(t, '\n');
	field_ms(t, "exec_clock", (int64_t)exec_ns);
	put_vruntimes(t, q, m->cpus[mask_first(m->online)].rq.cfs->min_vruntime_vns);
	field_u64(t, "nr_running", q->nr_running);
	field_u64(t, "load", q->load.weight);
	field_u64(t, "nr_spread_over", 0);
	field_u64(t, "shares", q->shares);
	if (se)
		put_group_entity(t, se);
}

static void put_rt_rq(struct text *t, const struct rq *rq)
{
	text_str(t, "\nrt_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:\n");
	field_u64(t, "rt_nr_running", 0);
	field_u64(t, "rt_throttled", 0);
	field_ms(t, "rt_time", 0);
	field_ms(t, "rt_runtime", 950 * (int64_t)NS_PER_MS);
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
	put_ms(t, (int64_t)p->se.vruntime_vns, 9);
	text_char(t, ' ');
	text_u64_right(t, p->stats.nr_switches_voluntary + p->stats.nr_switches_involuntary, 9);
	text_char(t, ' ');
	text_u64_right(t, prio_of(p), 5);
	text_char(t, ' ');
	put_ms(t, (int64_t)p->se.vruntime_vns, 9);
	text_char(t, ' ');
	put_ms(t, (int64_t)p->se.sum_exec_ns, 9);
	text_char(t, ' ');
	put_ms(t, 0, 9);
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

bool export_sched_debug_knows(const struct kver *v, struct rql_error *e)
{
	CHECK(v->version);
	if (v->sched_debug_version && str_equal(v->sched_debug_version, "v0.09"))
		return true;
	return err_set(e, "sched-debug", "only the layout v0.09 can be written, and ", v->version,
		       " has another; use 2.6.34 or 2.6.35");
}

bool export_sched_debug(struct text *t, const struct machine *m, uint64_t now_ns,
			struct rql_error *e)
{
	const struct list *pos;
	uint32_t cpu;

	CHECK(m->tick_ns > 0);
	CHECK(m->nonline > 0);
	if (!export_sched_debug_knows(m->v, e))
		return false;
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
	if (t->failed) {
		err_set(e, "sched-debug", "no memory for the text", NULL, NULL);
		e->limit = true;
		return false;
	}
	return true;
}
