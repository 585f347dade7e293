/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On random machines with random real-time and fair tasks, no real-time task
 * waits for long while a CPU it may use runs something less important, but for
 * what the kernels leave so (observe/rt_order.h). Everything comes from one
 * seed; a failure prints the command that replays it alone.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "chaos.h"
#include "engine/engine.h"
#include "experiment/prices.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "observe/audit_time.h"
#include "observe/rt_order.h"
#include "workload/library.h"

#define CPUS_MAX 32u
#define WORKS 2u

/*
 * What cannot be preempted is over by then. System-call work of chaos takes at most 20 ms, of a
 * CPU that is shared 32; with kernel preemption forks and what is done under spinlocks remain.
 */
#define ANSWER_NS (50 * NS_PER_MS)
#define ANSWER_PREEMPT_NS (2 * NS_PER_MS)

/* What is being tried; for the message of a failure, wherever it happens. */
static struct {
	const char *program;
	uint64_t seed;
	char text[256];
} trying;

/* Over all seeds: moves that were owed. */
static uint64_t owed_count;

static void say_how_to_replay(void)
{
	fprintf(stderr, "seed %llu:%s\nreplay: RUNQLAB_SEED=%llu %s\n",
		(unsigned long long)trying.seed, trying.text, (unsigned long long)trying.seed,
		trying.program);
}

/* May be called on any stack: the program ends, which counts as a failure. */
void check_failed(const char *file, int line, const char *cond)
{
	fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, cond);
	say_how_to_replay();
	fflush(stdout);
	_exit(1);
}

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	say_how_to_replay();
	fail();
}

struct trial {
	struct topology topo;
	struct mask *online;
	struct kver v;
	struct prices prices;
	uint64_t duration_ns;
	uint32_t ntasks, nfair;
	bool atomic;
};

static void note(const char *what)
{
	size_t n = strlen(trying.text);

	snprintf(trying.text + n, sizeof(trying.text) - n, " %s", what);
}

static void random_topology(struct trial *t, struct rng *r)
{
	struct rql_error e;
	char text[64];
	uint64_t sockets = rng_between(r, 1, 4);
	uint64_t cores = rng_between(r, 1, sockets > 2 ? 4 : 8);
	uint64_t threads = sockets * cores * 2 > CPUS_MAX ? 1 : rng_between(r, 1, 2);

	snprintf(text, sizeof(text), "%llux%llux%llu", (unsigned long long)sockets,
		 (unsigned long long)cores, (unsigned long long)threads);
	must(machine_load(text, &t->topo, &e), e.what);
	note(text);
	CHECK(t->topo.ncpus <= CPUS_MAX);
	t->online = mask_init(malloc(mask_size(t->topo.ncpus)), t->topo.ncpus);
	mask_fill(t->online, t->topo.ncpus);
}

static void random_kernel(struct trial *t, struct rng *r)
{
	static const char *const versions[] = {
		"3.3",
		"3.18",
		"3.19",
		"4.0",
		"3.3,+rt-push-lower-only",
		"3.19,+rt-push-lower-only",
		"4.0,+rt-push-lower-only",
		"3.19,+rt-select-check",
		"3.19,+rt-find-check",
		"5.4",
		"5.4,NO_RT_PUSH_IPI",
		"5.5",
		"6.1",
		"6.1-debian",
	};
	struct rql_error e;
	char text[160];
	int n;

	n = snprintf(text, sizeof(text), "%s",
		     versions[rng_below(r, sizeof(versions) / sizeof(versions[0]))]);
	if (rng_below(r, 2))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",preempt=full");
	switch (rng_below(r, 4)) {
	case 0:
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      ",sched_rt_period_us=10000,sched_rt_runtime_us=%u",
			      (unsigned)rng_between(r, 1000, 9999));
		break;
	case 1:
		n += snprintf(text + n, sizeof(text) - (size_t)n, ",sched_rt_runtime_us=-1");
		break;
	default:
		break;
	}
	if (!rng_below(r, 3))
		snprintf(text + n, sizeof(text) - (size_t)n, ",NO_RT_RUNTIME_SHARE");
	must(kver_parse(text, &t->v, &e), e.what);
	note(text);
}

static void make_trial(struct trial *t, uint64_t seed)
{
	struct rng r = rng_stream(seed, "rt-order", 0);
	char text[64];

	memset(t, 0, sizeof(*t));
	trying.seed = seed;
	trying.text[0] = 0;
	random_topology(t, &r);
	random_kernel(t, &r);
	CHECK(prices_builtin(rng_below(&r, 4) ? "default" : "free", &t->prices));
	/* from few to several a CPU */
	t->ntasks = (uint32_t)rng_between(&r, 1, t->topo.ncpus * (1 + rng_below(&r, 3)));
	t->nfair = (uint32_t)rng_below(&r, t->topo.ncpus + 1);
	t->duration_ns = rng_between(&r, 20, 200) * NS_PER_MS;
	t->atomic = !rng_below(&r, 8);
	snprintf(text, sizeof(text), "chaos:n=%u spin:n=%u%s", (unsigned)t->ntasks,
		 (unsigned)t->nfair, t->atomic ? " atomic" : "");
	note(text);
}

/* The checker can look at the machine only once there is one. */
struct late {
	struct record_sink sink; /* first */
	struct rt_order *order;
};

static void hand_on(struct record_sink *sink, const struct record *r)
{
	struct late *l = (struct late *)(void *)sink;

	if (l->order)
		l->order->sink.take(&l->order->sink, r);
}

static void watch(struct trial *t, struct engine_config *cfg, uint32_t ntasks, uint64_t seed)
{
	struct late late = {.sink = {.wants = (1u << RECORD_KINDS) - 1, .take = hand_on}};
	struct rql_error e;
	struct audit_time *audit = audit_time_create(t->topo.ncpus, ntasks, &e);
	struct engine *engine;

	must(audit, "memory");
	audit->clock_may_stand = kver_has(&t->v, FEAT_SKIP_CLOCK_BY_CURR);
	audit->sink.next = &late.sink;
	cfg->sinks = &audit->sink;
	/* slow, and random_runs_test does it always */
	cfg->audit = seed % 8 == 0;
	engine = engine_create(cfg, &e);
	must(engine, e.what);
	late.order = rt_order_create(engine_machine(engine), &e);
	must(late.order, "memory");
	late.order->answer_ns = t->v.preempt == PREEMPT_FULL ?
					late.order->bound_ns + ANSWER_PREEMPT_NS :
					late.order->bound_ns + ANSWER_NS;
	must(engine_run(engine, &e) != ENGINE_END_STUCK, e.what);
	audit_time_finish(audit, engine_totals(engine).now_ns);
	must(!audit_time_violation(audit), audit_time_violation(audit));
	must(!rt_order_violation(late.order), rt_order_violation(late.order));
	if (getenv("RUNQLAB_SEED"))
		printf("%llu moves owed, the longest for %llu ns; bound %llu ns\n",
		       (unsigned long long)late.order->nowed,
		       (unsigned long long)late.order->longest_ns,
		       (unsigned long long)late.order->bound_ns);
	owed_count += late.order->nowed;
	rt_order_free(late.order);
	engine_destroy(engine);
	audit_time_free(audit);
}

static void try_seed(uint64_t seed)
{
	struct engine_work_config work[WORKS];
	struct workload *fair = NULL;
	struct engine_config cfg;
	struct rql_error e;
	struct chaos *chaos;
	struct trial t;

	make_trial(&t, seed);
	chaos = chaos_create(seed, t.ntasks, t.online, t.topo.ncpus);
	chaos->realtime = true;
	work[0] = (struct engine_work_config){
		.behaviour = &chaos->behaviour, .start_cpu = CPU_NONE, .group = ENGINE_ROOT_GROUP};
	cfg = (struct engine_config){.topo = &t.topo,
				     .v = &t.v,
				     .prices = &t.prices,
				     .seed = seed,
				     .duration_ns = t.duration_ns,
				     .memory_limit_bytes = UINT64_C(1) << 32,
				     .events_limit = 20000,
				     .atomic = t.atomic,
				     .work = work,
				     .nwork = 1};
	if (t.nfair) {
		char text[32];

		snprintf(text, sizeof(text), "spin:n=%u", (unsigned)t.nfair);
		fair = workload_create(text, seed, t.topo.ncpus, &e);
		must(fair, e.what);
		work[1] = work[0];
		work[1].behaviour = fair->behaviour;
		cfg.nwork = 2;
	}
	watch(&t, &cfg, t.ntasks + (fair ? fair->behaviour->ntasks : 0), seed);
	workload_destroy(fair);
	chaos_destroy(chaos);
	free(t.online);
	topology_free(&t.topo);
}

static void test_real_time_tasks_run_where_they_can(void **state)
{
	const char *only = getenv("RUNQLAB_SEED");

	if (only) {
		try_seed(strtoull(only, NULL, 10));
		return;
	}
	/* they are short: five for one of other tests */
	for (uint64_t seed = 1; seed <= 5 * property_seeds(60); seed++)
		try_seed(seed);
	/* the checker had something to check */
	assert_true(owed_count > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_time_tasks_run_where_they_can),
	};

	trying.program = argv[0];
	return argc > 1 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
