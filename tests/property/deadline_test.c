/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periodic deadline tasks whose sets are schedulable meet every deadline:
 *
 * - on one CPU any set that is admitted (EDF: utilizations up to 1; Liu and
 *   Layland 1973);
 * - on m CPUs sets with U <= m (1 - u_max) + u_max (Goossens, Funk, Baruah,
 *   "Priority-driven scheduling of periodic task systems on multiprocessors", 2003).
 *
 * Utilizations are those of the reserved runtimes; the jobs need a little less. Nothing costs time at all, so
 * "met" is exact: a job ends at its deadline or before. With the prices of `default` jobs
 * need a tenth and 100 us less, which is room for all costs of their own, and may be late by
 * the 100 us that a few sections of kernel code take. Fair and real-time tasks
 * that never stop run below and must not matter.
 *
 * A deadline task that never stops gets its bandwidth and no more: what it ran differs from that by
 * at most a period, in which the runtime comes first or last, and a tick, by which it may overrun.
 *
 * And tasks that do anything at all, changing their class too, keep every invariant.
 *
 * A job's period begins at a multiple of the period, its deadline is that of the server: the
 * wake-up rule gives a task that comes on time its full runtime and period.
 *
 * A failure prints the command that replays its seed alone.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/fixed.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "experiment/prices.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "observe/audit_time.h"

#define TASKS_MAX 24u
#define CPUS_MAX 8u
#define END_NS (2 * NS_PER_S)
/*
 * What a job leaves of its runtime. Of less than 1024 ns the wake-up rule's rounding sees
 * nothing: the task keeps the deadline that is just over and goes before all others up to a tick.
 */
#define LEFT_NS 2048u
#define LATE_NS (100 * NS_PER_US)
/* below the share of 0.95 that is admitted */
#define UNIT 1000u

static const char *program;

struct job_task {
	struct dl_params dl;
	uint64_t need_ns;    /* of a job; 0: it never ends */
	uint64_t release_ns; /* of the one under way */
	bool working;
};

struct jobs {
	struct behaviour behaviour; /* first */
	struct job_task task[TASKS_MAX];
	uint32_t njobs_ended;
	uint64_t late_ns; /* the most by which one ended after its deadline */
	uint32_t late_task;
};

static void jobs_next(struct behaviour *b, uint32_t index, uint64_t now_ns, struct action *out)
{
	struct jobs *w = (struct jobs *)(void *)b;
	struct job_task *t = &w->task[index];

	if (!t->need_ns) {
		out->kind = ACTION_RUN;
		out->ns = UINT64_C(1) << 60;
		return;
	}
	if (!t->working) {
		t->working = true;
		out->kind = ACTION_RUN;
		out->ns = t->need_ns;
		return;
	}
	if (now_ns > t->release_ns + t->dl.deadline_ns &&
	    now_ns - t->release_ns - t->dl.deadline_ns > w->late_ns) {
		w->late_ns = now_ns - t->release_ns - t->dl.deadline_ns;
		w->late_task = index;
	}
	w->njobs_ended++;
	t->working = false;
	t->release_ns += t->dl.period_ns;
	out->kind = ACTION_SLEEP_UNTIL;
	out->ns = t->release_ns;
}

static void jobs_attr(struct behaviour *b, uint32_t index, struct task_attr *out)
{
	struct jobs *w = (struct jobs *)(void *)b;

	snprintf(out->comm, sizeof(out->comm), "job/%u", (unsigned)index);
	out->dl = w->task[index].dl;
	if (out->dl.runtime_ns)
		out->policy = POLICY_DEADLINE;
	else if (index % 2)
		out->policy = POLICY_FIFO, out->rt_priority = 99;
}

static const struct behaviour_ops jobs_ops = {.next = jobs_next, .attr = jobs_attr};

/* Deadline tasks with utilizations of at most MOST_EACH and MOST in all, in UNITs; then NHOGS others. */
static void random_set(struct jobs *w, struct rng *r, uint64_t most, uint64_t most_each,
		       bool priced, uint32_t nhogs)
{
	uint32_t n = 0;

	while (most >= 10 && n < TASKS_MAX - nhogs) {
		uint64_t u = rng_between(r, 10, min_u64(most, most_each));
		uint64_t period_ns = rng_between(r, 2000, 100000) * NS_PER_US;
		uint64_t runtime_ns = period_ns * u / UNIT;

		most -= u;
		/* shorter ones are nothing but costs */
		if (priced && runtime_ns < NS_PER_MS)
			continue;
		w->task[n++] = (struct job_task){
			.dl = {runtime_ns, period_ns, period_ns, 0},
			.need_ns = priced ? runtime_ns * 9 / 10 - 100 * NS_PER_US :
					    runtime_ns - LEFT_NS,
		};
	}
	w->behaviour.nfirst = n + nhogs;
	w->behaviour.ntasks = n + nhogs;
}

struct trial {
	char machine[16];
	const char *kernel;
	bool priced;
	uint32_t ncpus;
};

/* A run and all that it refers to. */
struct stage {
	struct topology topo;
	struct prices prices;
	struct kver v;
	struct engine_work_config work;
	struct engine *eng;
};

static void stage_run(struct stage *s, const struct trial *t, struct behaviour *b, uint64_t seed,
		      uint64_t duration_ns, struct record_sink *sinks)
{
	struct engine_config cfg = {
		.topo = &s->topo,
		.v = &s->v,
		.prices = &s->prices,
		.seed = seed,
		.duration_ns = duration_ns,
		.memory_limit_bytes = UINT64_C(1) << 30,
		.events_limit = UINT64_C(1) << 40,
		.audit = true,
		.work = &s->work,
		.nwork = 1,
		.sinks = sinks,
	};
	struct rql_error e = {0};
	enum engine_end end;

	memset(s, 0, sizeof(*s));
	s->work = (struct engine_work_config){
		.behaviour = b, .group = ENGINE_ROOT_GROUP, .start_cpu = CPU_NONE};
	s->prices.hardware.smt_slowdown_pct = 100;
	if (t->priced)
		assert_true(prices_builtin("default", &s->prices));
	assert_true(machine_load(t->machine, &s->topo, &e));
	assert_true(kver_parse(t->kernel, &s->v, &e));
	s->eng = engine_create(&cfg, &e);
	if (!s->eng)
		fail_msg("seed %llu: %s: %s", (unsigned long long)seed, e.where, e.what);
	end = engine_run(s->eng, &e);
	if (end != ENGINE_END_DURATION && end != ENGINE_END_WORK && end != ENGINE_END_STUCK)
		fail_msg("seed %llu: %s: %s", (unsigned long long)seed, e.where, e.what);
}

static void stage_end(struct stage *s)
{
	engine_destroy(s->eng);
	topology_free(&s->topo);
}

/* Run W's jobs; each may end LATE_NS_MAX after its deadline. */
static void run(const struct trial *t, struct jobs *w, uint64_t seed, uint64_t late_ns_max)
{
	struct stage s;

	w->behaviour.ops = &jobs_ops;
	w->behaviour.endless = true;
	stage_run(&s, t, &w->behaviour, seed, END_NS, NULL);
	assert_true(w->njobs_ended > 10);
	if (w->late_ns > late_ns_max)
		fail_msg("seed %llu (%s, %s, %s): task %u ended %llu ns after its deadline\n"
			 "replay: RUNQLAB_SEED=%llu %s",
			 (unsigned long long)seed, t->machine, t->kernel,
			 t->priced ? "default prices" : "no prices", (unsigned)w->late_task,
			 (unsigned long long)w->late_ns, (unsigned long long)seed, program);
	stage_end(&s);
}

static struct trial random_trial(struct rng *r, uint32_t ncpus, bool priced)
{
	static const char *const kernels[] = {
		"3.18", "3.19", "4.0", "3.19,+dl-grub", "3.19,preempt=full", "4.0,hz=100"};
	struct trial t = {.priced = priced, .ncpus = ncpus};

	t.kernel = kernels[rng_below(r, sizeof(kernels) / sizeof(kernels[0]))];
	if (ncpus % 2 == 0 && rng_below(r, 2))
		snprintf(t.machine, sizeof(t.machine), "2x%ux1", (unsigned)ncpus / 2);
	else
		snprintf(t.machine, sizeof(t.machine), "1x%ux1", (unsigned)ncpus);
	return t;
}

static void one_cpu(uint64_t seed)
{
	struct rng r = rng_stream(seed, "deadline-one", 0);
	struct trial t = random_trial(&r, 1, false);
	struct jobs w = {0};

	random_set(&w, &r, 949, 949, false, (uint32_t)rng_below(&r, 3));
	run(&t, &w, seed, 0);
}

static void one_cpu_priced(uint64_t seed)
{
	struct rng r = rng_stream(seed, "deadline-priced", 0);
	struct trial t = random_trial(&r, 1, true);
	struct jobs w = {0};

	random_set(&w, &r, 949, 949, true, (uint32_t)rng_below(&r, 3));
	run(&t, &w, seed, LATE_NS);
}

/* U <= m (1 - u_max) + u_max, and no more than is admitted. */
static void several_cpus(uint64_t seed)
{
	struct rng r = rng_stream(seed, "deadline-several", 0);
	uint32_t m = (uint32_t)rng_between(&r, 2, CPUS_MAX);
	uint64_t u_max = rng_between(&r, 20, 900);
	struct trial t = random_trial(&r, m, rng_below(&r, 3) == 0);
	struct jobs w = {0};

	random_set(&w, &r, min_u64(m * (UNIT - u_max) + u_max, m * UINT64_C(940)), u_max, t.priced,
		   (uint32_t)rng_below(&r, 3));
	run(&t, &w, seed, t.priced ? LATE_NS : 0);
}

static void each_got_its_bandwidth(const struct trial *t, const struct jobs *w, uint64_t seed,
				   const struct machine *m)
{
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct dl_params *dl = &w->task[i].dl;
		uint64_t got_ns = m->tasks[i].se.sum_exec_ns;
		uint64_t due_ns, off_ns;

		if (!dl->runtime_ns)
			continue;
		due_ns = (uint64_t)((u128)END_NS * dl->runtime_ns / dl->period_ns);
		off_ns = got_ns > due_ns ? got_ns - due_ns : due_ns - got_ns;
		if (off_ns > dl->period_ns + m->tick_ns)
			fail_msg("seed %llu (%s): task %u got %llu ns of %llu\n"
				 "replay: RUNQLAB_SEED=%llu %s",
				 (unsigned long long)seed, t->kernel, (unsigned)i,
				 (unsigned long long)got_ns, (unsigned long long)due_ns,
				 (unsigned long long)seed, program);
	}
}

static void hogs(uint64_t seed)
{
	struct rng r = rng_stream(seed, "deadline-hogs", 0);
	struct trial t = random_trial(&r, 1, false);
	struct jobs w = {0};
	struct stage s;

	/* with slow ticks others overrun until a task lags too far, and what it owes is forgotten */
	t.kernel = rng_below(&r, 2) ? "3.19,hz=10000" : "4.0,hz=10000,+dl-grub";
	random_set(&w, &r, 700, 300, false, (uint32_t)rng_below(&r, 3));
	for (uint32_t i = 0; i < w.behaviour.ntasks; i++)
		w.task[i].need_ns = 0;
	w.behaviour.ops = &jobs_ops;
	w.behaviour.endless = true;
	stage_run(&s, &t, &w.behaviour, seed, END_NS, NULL);
	each_got_its_bandwidth(&t, &w, seed, engine_machine(s.eng));
	stage_end(&s);
}

static void test_admitted_sets_meet_every_deadline_on_one_cpu(void **state)
{
	property_run(20, one_cpu);
}

/* -- tasks that do anything -- */

struct unruly {
	struct behaviour behaviour; /* first */
	struct rng rng[TASKS_MAX];
	struct dl_params dl[TASKS_MAX]; /* of the last change of policy */
	struct mask *masks[4];          /* NULL: affinity is not changed */
	uint64_t most;                  /* of UNIT for each task, so that none is refused */
	uint32_t nforked;
	bool reclaim;
};

static struct dl_params random_params(const struct unruly *w, struct rng *r)
{
	uint64_t period_ns = rng_between(r, 500, 30000) * NS_PER_US;
	struct dl_params dl = {.runtime_ns = period_ns * rng_between(r, 5, w->most) / UNIT};

	dl.deadline_ns = rng_below(r, 2) ? period_ns : rng_between(r, dl.runtime_ns, period_ns);
	dl.period_ns = dl.deadline_ns == period_ns && rng_below(r, 2) ? 0 : period_ns;
	dl.flags = w->reclaim && rng_below(r, 2) ? DL_RECLAIM : 0;
	return dl;
}

static void unruly_policy(struct unruly *w, uint32_t index, struct rng *r, struct action *out)
{
	out->kind = ACTION_SET_POLICY;
	switch (rng_below(r, 5)) {
	case 0:
		out->policy = POLICY_NORMAL;
		break;
	case 1:
		out->policy = rng_below(r, 2) ? POLICY_FIFO : POLICY_RR;
		out->value = (int64_t)rng_between(r, 1, 99);
		break;
	default:
		out->policy = POLICY_DEADLINE;
		w->dl[index] = random_params(w, r);
		out->dl = &w->dl[index];
		break;
	}
}

static void unruly_next(struct behaviour *b, uint32_t index, uint64_t now_ns, struct action *out)
{
	struct unruly *w = (struct unruly *)(void *)b;
	struct rng *r = &w->rng[index];

	(void)now_ns;
	out->ns = rng_between(r, 1, rng_below(r, 2) ? 20 * NS_PER_US : 5 * NS_PER_MS);
	out->task = (uint32_t)rng_below(r, b->ntasks);
	switch (rng_below(r, 16)) {
	case 0:
		if (w->nforked < b->ntasks) {
			out->kind = ACTION_FORK;
			out->task = w->nforked++;
			return;
		}
		break;
	case 1:
		if (!rng_below(r, 40)) {
			out->kind = ACTION_EXIT;
			return;
		}
		break;
	case 2:
		out->kind = ACTION_YIELD;
		return;
	case 3:
		out->kind = ACTION_SET_NICE;
		out->value = (int64_t)rng_below(r, 40) - 20;
		return;
	case 4:
		if (w->masks[0]) {
			out->kind = ACTION_SET_AFFINITY;
			out->cpus = w->masks[rng_below(r, 4)];
			return;
		}
		break;
	case 5:
	case 6:
		unruly_policy(w, index, r, out);
		return;
	case 7:
	case 8:
		out->kind = ACTION_WAKE;
		return;
	case 9:
	case 10:
	case 11:
	case 12:
		out->kind = ACTION_SLEEP;
		return;
	default:
		break;
	}
	out->kind = ACTION_RUN;
}

static void unruly_attr(struct behaviour *b, uint32_t index, struct task_attr *out)
{
	struct unruly *w = (struct unruly *)(void *)b;

	snprintf(out->comm, sizeof(out->comm), "unruly/%u", (unsigned)index);
	if (rng_below(&w->rng[index], 2))
		return;
	out->policy = POLICY_DEADLINE;
	out->dl = random_params(w, &w->rng[index]);
}

static const struct behaviour_ops unruly_ops = {.next = unruly_next, .attr = unruly_attr};

static void anything(uint64_t seed)
{
	struct rng r = rng_stream(seed, "deadline-unruly", 0);
	uint32_t ncpus = (uint32_t)rng_between(&r, 1, CPUS_MAX);
	struct trial t = random_trial(&r, ncpus, rng_below(&r, 3) > 0);
	struct unruly w = {.behaviour.ops = &unruly_ops};
	uint64_t mem[4][MASK_WORDS(CPUS_MAX)];
	struct audit_time *audit;
	struct stage s;
	struct rql_error e = {0};

	w.behaviour.ntasks = (uint32_t)rng_between(&r, 1, TASKS_MAX);
	w.behaviour.nfirst = (uint32_t)rng_between(&r, 1, w.behaviour.ntasks);
	w.nforked = w.behaviour.nfirst;
	w.most = min_u64(UINT64_C(900) * ncpus / w.behaviour.ntasks, UNIT);
	w.reclaim = strstr(t.kernel, "grub") != NULL;
	/* who comes back before its zero-lag time is admitted as if its old part were another's */
	if (w.reclaim)
		w.most /= 2;
	for (uint32_t i = 0; i < w.behaviour.ntasks; i++)
		w.rng[i] = rng_stream(seed, "deadline-unruly-task", i);
	if (rng_below(&r, 3) == 0) {
		t.kernel = "3.19,sched_rt_runtime_us=-1";
		w.reclaim = false;
		for (uint32_t i = 0; i < 4; i++) {
			w.masks[i] = mask_init(mem[i], ncpus);
			mask_set(w.masks[i], (uint32_t)rng_below(&r, ncpus));
			mask_set(w.masks[i], (uint32_t)rng_below(&r, ncpus));
		}
	}
	audit = audit_time_create(ncpus, w.behaviour.ntasks, &e);
	assert_non_null(audit);
	audit->clock_may_stand = true;
	stage_run(&s, &t, &w.behaviour, seed, 200 * NS_PER_MS, &audit->sink);
	audit_time_finish(audit, engine_totals(s.eng).now_ns);
	if (audit_time_violation(audit))
		fail_msg("seed %llu (%s, %s): %s\nreplay: RUNQLAB_SEED=%llu %s",
			 (unsigned long long)seed, t.machine, t.kernel, audit_time_violation(audit),
			 (unsigned long long)seed, program);
	stage_end(&s);
	audit_time_free(audit);
}

static void test_costs_of_the_scheduler_are_all_that_makes_late(void **state)
{
	property_run(20, one_cpu_priced);
}

static void test_task_that_never_stops_gets_its_bandwidth(void **state)
{
	property_run(20, hogs);
}

static void test_tasks_that_do_anything_keep_every_invariant(void **state)
{
	property_run(40, anything);
}

static void test_sets_below_the_bound_meet_every_deadline_on_several(void **state)
{
	property_run(20, several_cpus);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_admitted_sets_meet_every_deadline_on_one_cpu),
		cmocka_unit_test(test_costs_of_the_scheduler_are_all_that_makes_late),
		cmocka_unit_test(test_task_that_never_stops_gets_its_bandwidth),
		cmocka_unit_test(test_tasks_that_do_anything_keep_every_invariant),
		cmocka_unit_test(test_sets_below_the_bound_meet_every_deadline_on_several),
	};

	program = argv[0];
	return argc > 1 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
