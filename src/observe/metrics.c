/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From counters to metrics. Machine totals are sums over CPUs; everything is
 * computed once, after the run. Quotients stay quotients, because this layer
 * has no floating point; a numerator or denominator beyond 64 bits is scaled
 * down together with its partner. That takes hours on thousands of CPUs or more
 * than 1.8e10 units of work; the relative error of a throughput r is then below
 * r / 2^64.
 */
#include "observe/metrics.h"

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "model/machine.h"
#include "observe/fairness.h"
#include "observe/latency.h"
#include "observe/wasted.h"

const struct metric_info *metric_info(enum metric_id id)
{
	static const struct metric_info infos[] = {
#define METRIC(id, name, unit, kind, better, meaning)                                              \
	{name, unit, meaning, METRIC_KIND_##kind, METRIC_BETTER_##better},
#include "observe/metrics.def"
	};
	_Static_assert(sizeof(infos) / sizeof(infos[0]) == METRIC_COUNT, "one row a metric");

	CHECK(id < METRIC_COUNT);
	return &infos[id];
}

enum metric_id metric_by_name(const char *name, uint64_t n)
{
	for (enum metric_id i = 0; i < METRIC_COUNT; i++)
		if (str_equal_n(name, n, metric_info(i)->name))
			return i;
	return METRIC_COUNT;
}

static struct metric_value integer(uint64_t v)
{
	return (struct metric_value){v, 1};
}

static struct metric_value undefined(void)
{
	return (struct metric_value){0, 0};
}

static struct metric_value quotient(u128 num, u128 den)
{
	/* bound: 64 halvings bring both below 2^64 */
	while (num > UINT64_MAX || den > UINT64_MAX) {
		num >>= 1;
		den >>= 1;
	}
	return (struct metric_value){(uint64_t)num, (uint64_t)den};
}

static void collect_times(struct metric_value *value, const struct metric_sources *from)
{
	const struct observe_totals *t = from->totals;
	u128 cpu_ns = (u128)t->simulated_ns * from->m->nonline;

	value[METRIC_ELAPSED_S] = quotient(t->elapsed_ns, NS_PER_S);
	value[METRIC_THROUGHPUT_PER_S] = quotient((u128)t->done_count * NS_PER_S, t->elapsed_ns);
	value[METRIC_SCHED_TIME_SHARE] = quotient(t->sched_ns, cpu_ns);
}

static void collect_counts(struct metric_value *value, const struct metric_sources *from)
{
	const struct machine *m = from->m;
	struct rq_stats sum = {0};

	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct rq_stats *s = &m->cpus[i].rq.stats;

		sum.sched_count += s->sched_count;
		sum.sched_goidle += s->sched_goidle;
		sum.ttwu_count += s->ttwu_count;
		sum.ttwu_local += s->ttwu_local;
	}
	value[METRIC_CONTEXT_SWITCHES] = integer(m->count.switches);
	value[METRIC_MIGRATIONS] = integer(m->count.migrations);
	value[METRIC_SCHED_COUNT] = integer(sum.sched_count);
	value[METRIC_SCHED_GOIDLE] = integer(sum.sched_goidle);
	value[METRIC_TTWU_COUNT] = integer(sum.ttwu_count);
	value[METRIC_TTWU_LOCAL] = integer(sum.ttwu_local);
	value[METRIC_RQ_LOCK_ACQUIRED] = integer(from->totals->lock_acquired);
	value[METRIC_RQ_LOCK_CONTENDED] = integer(from->totals->lock_contended);
	value[METRIC_RQ_LOCK_WAIT_NS] = integer(from->totals->lock_wait_ns);
}

static void collect_latency(struct metric_value *value, const struct latency *l)
{
	if (!l || latency_count(l) == 0)
		return;
	value[METRIC_WAKEUP_LATENCY_NS_P50] = integer(latency_quantile_ns(l, 500000));
	value[METRIC_WAKEUP_LATENCY_NS_P99] = integer(latency_quantile_ns(l, 990000));
	value[METRIC_WAKEUP_LATENCY_NS_MAX] = integer(latency_max_ns(l));
}

/* Time charged at PUSH_RT_TASK and below it. Parents have lower numbers than their children. */
static uint64_t push_ns(const struct path_tree *t)
{
	bool under[PATH_NODES_MAX] = {false};
	uint64_t ns = 0;

	CHECK(t->nnodes <= PATH_NODES_MAX);
	for (uint32_t i = 1; i < t->nnodes; i++) {
		CHECK(t->node[i].parent < i);
		under[i] = t->node[i].elem == PATH_PUSH_RT_TASK || under[t->node[i].parent];
		if (under[i])
			ns += t->node[i].ns;
	}
	return ns;
}

static void collect_rt(struct metric_value *value, const struct machine *m)
{
	struct rt_stats sum = {0};

	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct rt_stats *s = &m->cpus[i].rq.rt.stats;

		sum.enqueued += s->enqueued;
		sum.push_locks += s->push_locks;
		sum.push_lock_failed += s->push_lock_failed;
		sum.push_relocks += s->push_relocks;
		sum.pushes += s->pushes;
		sum.pulls += s->pulls;
		sum.pull_locks += s->pull_locks;
	}
	if (!sum.enqueued)
		return;
	value[METRIC_RT_PUSH_LOCKS] = integer(sum.push_locks);
	value[METRIC_RT_PUSH_LOCK_FAILED] = integer(sum.push_lock_failed);
	value[METRIC_RT_PUSH_RELOCKS] = integer(sum.push_relocks);
	value[METRIC_RT_PUSHES] = integer(sum.pushes);
	value[METRIC_RT_PUSH_NS] = integer(push_ns(m->paths));
	value[METRIC_RT_PULL_LOCKS] = integer(sum.pull_locks);
	value[METRIC_RT_PULLS] = integer(sum.pulls);
}

void metrics_collect(struct metric_value *value, const struct metric_sources *from)
{
	uint64_t end_ns = from->totals->simulated_ns;
	uint64_t least_ns, most_ns;

	for (uint32_t i = 0; i < METRIC_COUNT; i++)
		value[i] = undefined();
	collect_times(value, from);
	collect_counts(value, from);
	collect_rt(value, from->m);
	collect_latency(value, from->latency);
	if (from->wasted)
		value[METRIC_WASTED_NS] = integer(wasted_total_ns(from->wasted, end_ns));
	if (from->fairness && fairness_get(from->fairness, from->m, end_ns, &least_ns, &most_ns))
		value[METRIC_FAIRNESS] = quotient(least_ns, most_ns);
}

bool metric_millionths(struct metric_value v, uint64_t *out)
{
	u128 scaled;

	if (v.den == 0)
		return false;
	scaled = ((u128)v.num * 1000000 + v.den / 2) / v.den;
	if (scaled > UINT64_MAX)
		return false;
	*out = (uint64_t)scaled;
	return true;
}
