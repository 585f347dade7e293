/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups with quotas: in no window of time does a group use more than its quota for each period
 * and one more, a slice on each CPU, and what a CPU can run between two ticks before it is
 * noticed; and a group of spinning tasks that is alone gets nine tenths of its quota at least. Machines, groups, quotas
 * and tasks are random; the machine is audited after every section.
 *
 * The window's bound: the pool and what CPUs hold are at most quota + CPUs x slice at its begin,
 * each period adds the quota, one perhaps late. A queue may owe up to a tick. While runtime is
 * handed out, CPUs that go on already may take from a pool that is promised to others; so where
 * CPUs interleave each period may add once more what is owed (5.7 mended that, 26a8b12747c9).
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "chaos.h"
#include "engine/engine.h"
#include "experiment/prices.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "sched/sched.h"
#include "workload/library.h"

#define GROUPS_MAX 5u
#define WORKS 2u
#define SAMPLE_NS (NS_PER_MS / 2)

static const char *program;
/* What all seeds together had to show. */
static uint64_t throttled_count, samples_count;

struct usage {
	int64_t least; /* of what was used beyond the quota's rate, so far */
	int64_t worst; /* greatest rise over any window */
	uint64_t used_ns;
};

struct trial {
	uint64_t seed;
	struct topology topo;
	struct kver v;
	struct prices prices;
	struct engine_group groups[GROUPS_MAX];
	char paths[GROUPS_MAX][16];
	uint32_t ngroups;
	struct usage usage[GROUPS_MAX];
	uint64_t end_ns;
	bool alone; /* spinning tasks, one a CPU and more, in the only group */
	bool atomic;
};

static void random_groups(struct trial *t, struct rng *r)
{
	t->ngroups = t->alone ? 1 : (uint32_t)rng_between(r, 1, GROUPS_MAX);
	for (uint32_t i = 0; i < t->ngroups; i++) {
		struct engine_group *g = &t->groups[i];
		uint64_t parent = rng_below(r, i + 1), most;

		snprintf(t->paths[i], sizeof(t->paths[i]), "/g%u", (unsigned)i);
		*g = (struct engine_group){.path = t->paths[i], .shares = 1024};
		g->parent = parent == i ? ENGINE_ROOT_GROUP : (uint32_t)parent;
		if (!t->alone && !rng_below(r, 3))
			continue;
		g->period_ns =
			rng_between(r, t->alone ? 20 : 1, rng_below(r, 2) ? 25 : 120) * NS_PER_MS;
		most = max_u64(g->period_ns * t->topo.ncpus / 2, NS_PER_MS);
		g->quota_ns = rng_between(r, NS_PER_MS, most);
	}
}

static void make_trial(struct trial *t, uint64_t seed)
{
	struct rng r = rng_stream(seed, "quotas", 0);
	struct rql_error e = {0};
	char text[80];

	static const char *const kernels[] = {"5.4", "5.5", "6.1", "5.5,+throttle-retry", "6.12"};

	memset(t, 0, sizeof(*t));
	t->seed = seed;
	snprintf(text, sizeof(text), "%ux%ux%u", (unsigned)rng_between(&r, 1, 2),
		 (unsigned)rng_between(&r, 1, 5), (unsigned)rng_between(&r, 1, 2));
	assert_true(machine_load(text, &t->topo, &e));
	t->alone = rng_below(&r, 4) == 0;
	/* what a task does in the kernel is not to delay its throttling */
	snprintf(text, sizeof(text), "%s,preempt=full%s%s", kernels[rng_below(&r, 5)],
		 rng_below(&r, 3) ? "" : ",hz=1000",
		 rng_below(&r, 4) ? "" : ",sched_cfs_bandwidth_slice_us=700");
	assert_true(kver_parse(text, &t->v, &e));
	assert_true(prices_builtin(rng_below(&r, 3) ? "default" : "free", &t->prices));
	t->atomic = rng_below(&r, 2);
	t->end_ns = rng_between(&r, 300, 900) * NS_PER_MS;
	random_groups(t, &r);
}

static void group_cpu_ns(const struct machine *m, uint64_t *ns)
{
	memset(ns, 0, (GROUPS_MAX + 1) * sizeof(*ns));
	for (uint32_t i = 0; i < m->ntasks; i++)
		for (const struct task_group *tg = m->tasks[i].tg; tg; tg = tg->parent)
			ns[tg->id] += m->tasks[i].se.sum_exec_ns;
}

static void sample(void *arg, const struct machine *m, uint64_t now_ns)
{
	uint64_t ns[GROUPS_MAX + 1];
	struct trial *t = arg;

	samples_count++;
	group_cpu_ns(m, ns);
	for (uint32_t i = 0; i < t->ngroups; i++) {
		const struct engine_group *g = &t->groups[i];
		struct usage *u = &t->usage[i];
		int64_t beyond;

		u->used_ns = ns[i + 1];
		if (!g->period_ns)
			continue;
		beyond = (int64_t)ns[i + 1] - (int64_t)(now_ns / g->period_ns * g->quota_ns);
		u->least = min_s64(u->least, beyond);
		if (beyond - u->least > u->worst)
			u->worst = beyond - u->least;
	}
}

static void judge(const struct trial *t, const struct machine *m)
{
	uint64_t slice_ns = t->v.tun.cfs_bandwidth_slice_us * NS_PER_US;
	uint64_t owed_ns = NS_PER_S / t->v.hz + NS_PER_MS;

	for (uint32_t i = 0; i < t->ngroups; i++) {
		const struct engine_group *g = &t->groups[i];
		uint64_t periods = g->period_ns ? t->end_ns / g->period_ns : 0;
		uint64_t bound = 2 * g->quota_ns + m->nonline * (slice_ns + owed_ns);

		if (!g->period_ns)
			continue;
		throttled_count += m->groups_mem[i + 1].bandwidth.nr_throttled;
		if (!t->atomic)
			bound += periods * min_u64(g->quota_ns, m->nonline * owed_ns);
		if (t->usage[i].worst > (int64_t)bound)
			fail_msg("seed %llu: %s uses %lld ns more than its rate, %llu at most\n"
				 "replay: RUNQLAB_SEED=%llu %s",
				 (unsigned long long)t->seed, g->path, (long long)t->usage[i].worst,
				 (unsigned long long)bound, (unsigned long long)t->seed, program);
		/* not all: what is in the pool at the end of a period, perhaps between two ticks, is lost */
		if (t->alone &&
		    t->usage[i].used_ns + 2 * g->quota_ns + m->nonline * (slice_ns + owed_ns) <
			    periods * g->quota_ns / 10 * 9)
			fail_msg("seed %llu: %s gets %llu ns in %llu periods of %llu ns\n"
				 "replay: RUNQLAB_SEED=%llu %s",
				 (unsigned long long)t->seed, g->path,
				 (unsigned long long)t->usage[i].used_ns,
				 (unsigned long long)periods, (unsigned long long)g->quota_ns,
				 (unsigned long long)t->seed, program);
	}
}

static void try_seed(uint64_t seed)
{
	struct rng r = rng_stream(seed, "quota-work", 0);
	struct engine_work_config work[WORKS];
	struct workload *spin;
	struct engine_config cfg;
	struct engine *engine;
	struct rql_error e = {0};
	struct mask *online;
	struct chaos *chaos;
	struct trial t;
	char text[32];

	make_trial(&t, seed);
	online = mask_init(malloc(mask_size(t.topo.ncpus)), t.topo.ncpus);
	mask_fill(online, t.topo.ncpus);
	snprintf(text, sizeof(text), "spin:n=%u",
		 (unsigned)(t.alone ? t.topo.ncpus + rng_below(&r, 3) :
				      rng_between(&r, 1, t.topo.ncpus + 2)));
	spin = workload_create(text, seed, t.topo.ncpus, &e);
	assert_non_null(spin);
	chaos = chaos_create(seed, (uint32_t)rng_between(&r, 1, 3 * (uint64_t)t.topo.ncpus), online,
			     t.topo.ncpus);
	/* the time of real-time tasks is not the group's */
	chaos->realtime = false;
	for (uint32_t i = 0; i < WORKS; i++)
		work[i] = (struct engine_work_config){.behaviour = i ? &chaos->behaviour :
								       spin->behaviour,
						      .start_cpu = CPU_NONE,
						      .group = (uint32_t)rng_below(&r, t.ngroups)};
	cfg = (struct engine_config){.topo = &t.topo,
				     .v = &t.v,
				     .prices = &t.prices,
				     .seed = seed,
				     .duration_ns = t.end_ns,
				     .memory_limit_bytes = UINT64_C(1) << 30,
				     .events_limit = UINT64_C(1) << 40,
				     .atomic = t.atomic,
				     .audit = true,
				     .groups = t.groups,
				     .ngroups = t.ngroups,
				     .work = work,
				     .nwork = t.alone ? 1 : WORKS,
				     .sampler = {SAMPLE_NS, sample, &t}};
	engine = engine_create(&cfg, &e);
	assert_non_null(engine);
	assert_int_equal(engine_run(engine, &e), ENGINE_END_DURATION);
	judge(&t, engine_machine(engine));
	engine_destroy(engine);
	workload_destroy(spin);
	chaos_destroy(chaos);
	free(online);
	topology_free(&t.topo);
}

static void test_quotas_hold_in_every_window(void **state)
{
	property_run(40, try_seed);
	assert_true(samples_count > 0);
	/* the bound had something to bound */
	assert_true(throttled_count > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotas_hold_in_every_window),
	};

	program = argv[0];
	return argc > 1 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
