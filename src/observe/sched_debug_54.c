/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file /proc/sched_debug of 5.4 and 5.5, and debugfs sched/debug of 6.1 and 6.12, which call
 * themselves v0.11: clocks and tunables, then for each online CPU its run queue, every cfs_rq in its leaf list
 * (children first, the root last), the root's rt_rq and dl_rq, and all tasks that are
 * on this CPU or slept here last, in order of creation.
 *
 * The kernel is configured as Debian configures it: schedstats on, NUMA columns there.
 * What is not modelled is 0: nr_uninterruptible, nr_spread_over, sum-sleep, sum-block, the NUMA
 * group, the statistics of group entities. nr_load_updates is 0 in 5.4
 * and 5.5, too. The machine has no CPU frequency: 0.001 MHz. The three clocks of the
 * header are one, and so are clock and clock_task: Debian's kernels do not take interrupt
 * time off.
 *
 * Linux: kernel/sched/debug.c, 5.4, 6.1, 6.12.
 * Deviation: exec_clock of the root ends at the last context switch and counts tasks of
 * all classes; wait-time is the run delay, which is read at other points of the clock;
 * tasks that have not started or have ended are not there; stoppers neither.
 */
#include "observe/sched_debug_text.h"

#include "base/buf.h"
#include "base/fixed.h"
#include "observe/jiffies.h"
#include "observe/sched_features.h"

/* 6.1 and its like: what is runnable is a number of tasks, and there are idle groups. */
static bool is_61(const struct machine *m)
{
	return kver_has(m->v, FEAT_RUNNABLE_COUNT);
}

/* 6.12: virtual deadlines, and tasks that sleep on their queue. */
static bool is_612(const struct machine *m)
{
	return m->v->schedstat_version > 15;
}

static void put_clock(struct text *t, const char *name, uint64_t ns)
{
	text_left(t, name, 40);
	text_str(t, ": ");
	sd_put_ms(t, (int64_t)ns, 0);
	text_char(t, '\n');
}

static void put_count(struct text *t, const char *name, uint64_t v)
{
	text_left(t, name, 40);
	text_str(t, ": ");
	text_u64(t, v);
	text_char(t, '\n');
}

static void put_granularities(struct text *t, const struct machine *m)
{
	sd_header_ms(t, "sysctl_sched_latency", m->tun.latency_ns);
	sd_header_ms(t, "sysctl_sched_min_granularity", m->tun.min_granularity_ns);
	if (is_61(m))
		sd_header_ms(t, "sysctl_sched_idle_min_granularity",
			     m->tun.idle_min_granularity_ns);
	sd_header_ms(t, "sysctl_sched_wakeup_granularity", m->tun.wakeup_granularity_ns);
	sd_header_u64(t, "sysctl_sched_child_runs_first", m->tun.child_runs_first);
}

static void put_header(struct text *t, const struct machine *m, uint64_t now_ns)
{
	text_str(t, "Sched Debug Version: v0.11, ");
	text_str(t, m->v->version);
	text_str(t, " #1\n");
	put_clock(t, "ktime", now_ns);
	put_clock(t, "sched_clk", now_ns);
	put_clock(t, "cpu_clk", now_ns);
	put_count(t, "jiffies", jiffies_shown(m, now_ns / m->tick_ns));
	put_count(t, "sched_clock_stable()", 1);
	text_str(t, "\nsysctl_sched\n");
	if (is_612(m))
		sd_header_ms(t, "sysctl_sched_base_slice", m->tun.base_slice_ns);
	else
		put_granularities(t, m);
	sd_header_u64(t, "sysctl_sched_features", sched_feature_bits(m->v));
	sd_header_name(t, "sysctl_sched_tunable_scaling");
	text_str(t, "1 (logarithmic)\n");
}

static void put_rq(struct text *t, const struct machine *m, const struct rq *rq)
{
	text_str(t, "\ncpu#");
	text_u64(t, rq->cpu);
	text_str(t, ", 0.001 MHz\n");
	sd_field_u64(t, "nr_running", rq->nr_running);
	sd_field_u64(t, "nr_switches", rq->nr_switches);
	if (!is_61(m))
		sd_field_u64(t, "nr_load_updates", 0);
	sd_field_u64(t, "nr_uninterruptible", 0);
	sd_field_ms(t, "next_balance", (int64_t)jiffies_shown(m, rq->next_balance));
	sd_field_u64(t, "curr->pid", rq->curr->id);
	sd_field_ms(t, "clock", (int64_t)rq->clock_ns);
	sd_field_ms(t, "clock_task", (int64_t)rq->clock_ns);
	sd_field_u64(t, "avg_idle", rq->avg_idle_ns);
	sd_field_u64(t, "max_idle_balance_cost", rq->max_idle_balance_cost_ns);
	sd_field_u64(t, "yld_count", rq->stats.yld_count & UINT32_MAX);
	sd_field_u64(t, "sched_count", rq->stats.sched_count & UINT32_MAX);
	sd_field_u64(t, "sched_goidle", rq->stats.sched_goidle & UINT32_MAX);
	sd_field_u64(t, "ttwu_count", rq->stats.ttwu_count & UINT32_MAX);
	sd_field_u64(t, "ttwu_local", rq->stats.ttwu_local & UINT32_MAX);
}

static void put_averages(struct text *t, const struct machine *m, const struct cfs_rq *q)
{
	bool later = is_61(m);

	if (!later)
		sd_field_u64(t, "runnable_weight", q->pelt.runnable_weight);
	sd_field_u64(t, "load_avg", q->avg.load_avg);
	sd_field_u64(t, later ? "runnable_avg" : "runnable_load_avg", q->avg.runnable_avg);
	sd_field_u64(t, "util_avg", q->avg.util_avg);
	sd_field_u64(t, is_612(m) ? "util_est" : "util_est_enqueued", q->avg.util_est.enqueued);
	sd_field_u64(t, "removed.load_avg", q->pelt.removed.load_avg);
	sd_field_u64(t, "removed.util_avg", q->pelt.removed.util_avg);
	sd_field_u64(t, later ? "removed.runnable_avg" : "removed.runnable_sum",
		     q->pelt.removed.runnable);
	sd_field_u64(t, "tg_load_avg_contrib", q->pelt.tg_load_avg_contrib);
	sd_field_name(t, "tg_load_avg");
	text_s64(t, q->tg->load_avg);
	text_char(t, '\n');
}

/* Sums over a queue, the current entity included: of weight x (vruntime - min_vruntime_vns), of weights. */
struct sums {
	int64_t vruntime, load;
};

/* a x b modulo 2^64, as the kernel's arithmetic wraps. */
static int64_t mul_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

static struct sums sums_of(const struct machine *m, const struct cfs_rq *q)
{
	struct sums sums = {q->avg_vruntime, q->avg_load};

	if (q->curr && q->curr->on_rq) {
		int64_t weight = (int64_t)scale_load_down(m->v, q->curr->load.weight);

		sums.vruntime +=
			mul_s64(delta_s64(q->curr->vruntime_vns, q->min_vruntime_vns), weight);
		sums.load += weight;
	}
	return sums;
}

/* The mean of the vruntimes by weight, rounded down. Linux: avg_vruntime(), which here changes nothing. */
static uint64_t mean_vns(const struct machine *m, const struct cfs_rq *q)
{
	struct sums sums = sums_of(m, q);

	if (!sums.load)
		return q->min_vruntime_vns;
	if (sums.vruntime < 0)
		sums.vruntime -= sums.load - 1;
	return q->min_vruntime_vns + (uint64_t)(sums.vruntime / sums.load);
}

/* Linux: entity_eligible(). */
static bool is_eligible(const struct machine *m, const struct entity *se)
{
	const struct cfs_rq *q = se->cfs_rq;
	struct sums sums = sums_of(m, q);

	return sums.vruntime >=
	       mul_s64(delta_s64(se->vruntime_vns, q->min_vruntime_vns), sums.load);
}

/* The model has no const container_of; nothing is written through it. */
static const struct entity *entity_at(const struct rb_node *n)
{
	return (const struct entity *)((uintptr_t)n - offsetof(struct entity, node));
}

/* The tree is in order of deadlines, and its root knows the least vruntime. */
static void put_virtual_times(struct text *t, const struct machine *m, const struct cfs_rq *q)
{
	const struct rb_node *last = q->timeline.root;
	int64_t deadline = SD_NO_TIME, left = SD_NO_TIME, right = SD_NO_TIME;

	if (last) {
		left = (int64_t)entity_at(last)->least_vruntime_vns;
		deadline = (int64_t)entity_at(q->timeline.leftmost)->deadline_vns;
		while (last->right)
			last = last->right;
		right = (int64_t)entity_at(last)->vruntime_vns;
	}
	sd_field_ms(t, "left_deadline", deadline);
	sd_field_ms(t, "left_vruntime", left);
	sd_field_ms(t, "zero_vruntime", (int64_t)q->min_vruntime_vns);
	sd_field_ms(t, "avg_vruntime", (int64_t)mean_vns(m, q));
	sd_field_ms(t, "right_vruntime", right);
	sd_field_ms(t, "spread", delta_s64((uint64_t)right, (uint64_t)left));
}

/* From the run times of Q to how many are queued. */
static void put_queue(struct text *t, const struct machine *m, const struct cfs_rq *q,
		      const struct rq *rq)
{
	const struct entity *se = q->tg->parent ? &q->tg->se[rq->cpu] : NULL;

	if (is_612(m)) {
		put_virtual_times(t, m, q);
		sd_field_u64(t, "nr_running", q->nr_running);
		sd_field_u64(t, "h_nr_runnable", q->h_nr_running - q->h_nr_delayed);
		sd_field_u64(t, "h_nr_queued", q->h_nr_running);
		sd_field_u64(t, "h_nr_delayed", q->h_nr_delayed);
	} else {
		sd_field_ms(t, "exec_clock", (int64_t)sd_exec_clock_ns(rq, se));
		sd_put_vruntimes(t, q, m->cpus[mask_first(m->online)].rq.cfs->min_vruntime_vns);
		sd_field_u64(t, "nr_spread_over", 0);
		sd_field_u64(t, "nr_running", q->nr_running);
		if (is_61(m))
			sd_field_u64(t, "h_nr_running", q->h_nr_running);
	}
	if (is_61(m)) {
		sd_field_u64(t, "idle_nr_running", q->idle_nr_running);
		sd_field_u64(t, "idle_h_nr_running", q->idle_h_nr_running);
	}
}

static void put_cfs_rq(struct text *t, const struct machine *m, const struct cfs_rq *q,
		       const struct rq *rq)
{
	bool later = is_61(m);
	const struct task_group *tg = q->tg;
	const struct entity *se = tg->parent ? &tg->se[rq->cpu] : NULL;

	text_str(t, "\ncfs_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:");
	text_str(t, tg->path);
	text_char(t, '\n');
	put_queue(t, m, q, rq);
	sd_field_u64(t, "load", q->load.weight);
	put_averages(t, m, q);
	sd_field_u64(t, "throttled", q->bw.throttled);
	sd_field_u64(t, "throttle_count", q->pelt.throttle_count);
	if (!se)
		return;
	sd_put_group_times(t, se, later ? "" : "se->statistics.");
	if (!later)
		sd_field_u64(t, "se->runnable_weight", se->runnable_weight);
	sd_field_u64(t, "se->avg.load_avg", se->avg.load_avg);
	sd_field_u64(t, "se->avg.util_avg", se->avg.util_avg);
	sd_field_u64(t, later ? "se->avg.runnable_avg" : "se->avg.runnable_load_avg",
		     se->avg.runnable_avg);
}

static void put_rt_rq(struct text *t, const struct machine *m, const struct rq *rq)
{
	text_str(t, "\nrt_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:\n");
	sd_field_u64(t, "rt_nr_running", rq->rt.nr_running);
	if (is_612(m))
		return;
	sd_field_u64(t, "rt_nr_migratory", rq->rt.nr_migratory);
	sd_field_u64(t, "rt_throttled", rq->rt.throttled);
	sd_field_ms(t, "rt_time", (int64_t)rq->rt.time_ns);
	/* unlimited: all bits, -1 to a signed print */
	sd_field_ms(t, "rt_runtime", (int64_t)rq->rt.runtime_ns);
}

static void put_dl_rq(struct text *t, const struct machine *m, const struct rq *rq)
{
	text_str(t, "\ndl_rq[");
	text_u64(t, rq->cpu);
	text_str(t, "]:\n");
	sd_field_u64(t, "dl_nr_running", rq->dl.nr_running);
	if (!is_612(m))
		sd_field_u64(t, "dl_nr_migratory", rq->dl.nr_migratory);
	sd_field_name(t, "dl_bw->bw");
	text_s64(t, (int64_t)m->rd.dl_bw.bw); /* unlimited: -1 */
	text_char(t, '\n');
	sd_field_u64(t, "dl_bw->total_bw", m->rd.dl_bw.total_bw);
}

static bool is_listed(const struct task *p)
{
	return p->state != TASK_NEW && p->state != TASK_DEAD;
}

/* From its state to its vruntime; GAP follows the state. */
static void put_task_head(struct text *t, const struct rq *rq, const struct task *p,
			  const char *gap)
{
	text_char(t, rq->curr == p ? '>' : ' ');
	text_char(t, p->state == TASK_INTERRUPTIBLE && rq->curr != p ? 'S' : 'R');
	text_str(t, gap);
	text_right(t, p->comm, 15);
	text_char(t, ' ');
	text_u64_right(t, p->id, 5);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.vruntime_vns, 9);
}

/* Switches, priority and waiting time; GAP follows the switches. */
static void put_switches(struct text *t, const struct task *p, const char *gap)
{
	char mem[24];
	struct buf prio;

	buf_init(&prio, mem, sizeof(mem));
	buf_s64(&prio, (int32_t)p->prio);
	text_u64_right(t, p->stats.nr_switches_voluntary + p->stats.nr_switches_involuntary, 9);
	text_str(t, gap);
	text_right(t, mem, 5);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->stats.run_delay_ns, 9);
}

static void put_task(struct text *t, const struct machine *m, const struct rq *rq,
		     const struct task *p)
{
	put_task_head(t, rq, p, "");
	text_char(t, ' ');
	put_switches(t, p, " ");
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.sum_exec_ns, 9);
	text_char(t, ' ');
	sd_put_ms(t, 0, 9);
	text_char(t, ' ');
	if (is_61(m)) {
		sd_put_ms(t, 0, 9);
		text_char(t, ' ');
	}
	text_u64(t, m->cpus[p->cpu].node);
	text_str(t, " 0 ");
	text_str(t, p->tg->path);
	text_char(t, '\n');
}

/* A task in columns of 6.12. */
static void put_task_612(struct text *t, const struct machine *m, const struct rq *rq,
			 const struct task *p)
{
	put_task_head(t, rq, p, " ");
	text_str(t, is_eligible(m, &p->se) ? "   E   " : "   N   ");
	sd_put_ms(t, (int64_t)p->se.deadline_vns, 9);
	text_str(t, p->se.custom_slice ? " S " : "   ");
	sd_put_ms(t, (int64_t)p->se.slice_ns, 9);
	text_char(t, ' ');
	sd_put_ms(t, (int64_t)p->se.sum_exec_ns, 9);
	text_char(t, ' ');
	put_switches(t, p, "   ");
	text_char(t, ' ');
	sd_put_ms(t, 0, 9);
	text_char(t, ' ');
	sd_put_ms(t, 0, 9);
	text_str(t, "   ");
	text_u64(t, m->cpus[p->cpu].node);
	text_str(t, "      0        ");
	text_str(t, p->tg->path);
	text_char(t, '\n');
}

static void put_columns(struct text *t, const struct machine *m)
{
	if (is_612(m)) {
		text_str(t, " S            task   PID       vruntime   eligible    deadline"
			    "             slice          sum-exec      switches  prio"
			    "         wait-time        sum-sleep       sum-block  node"
			    "   group-id  group-path\n");
		/* bound: the dashes of the kernel's line */
		for (uint32_t i = 0; i < 191; i++)
			text_char(t, '-');
		text_char(t, '\n');
		return;
	}
	text_str(t, " S           task   PID         tree-key  switches  prio"
		    "     wait-time             sum-exec        sum-sleep\n"
		    "------------------------------------------------------"
		    "-----------------------------------------------------\n");
}

static void put_tasks(struct text *t, const struct machine *m, const struct rq *rq)
{
	text_str(t, "\nrunnable tasks:\n");
	put_columns(t, m);
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];

		if (p->cpu != rq->cpu || !is_listed(p))
			continue;
		if (is_612(m))
			put_task_612(t, m, rq, p);
		else
			put_task(t, m, rq, p);
	}
}

void sd_write_54(struct text *t, const struct machine *m, uint64_t now_ns)
{
	const struct list *pos;
	uint32_t cpu;

	put_header(t, m, now_ns);
	mask_for_each(cpu, m->online) {
		const struct rq *rq = &m->cpus[cpu].rq;

		put_rq(t, m, rq);
		list_for_each(pos, &rq->leaf_cfs_rqs) {
			uintptr_t q = (uintptr_t)pos - offsetof(struct cfs_rq, leaf_node);

			put_cfs_rq(t, m, (const struct cfs_rq *)q, rq);
		}
		put_rt_rq(t, m, rq);
		put_dl_rq(t, m, rq);
		put_tasks(t, m, rq);
	}
	text_char(t, '\n');
}
