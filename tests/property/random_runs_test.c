/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random machines, kernels, groups and workloads must obey laws that hold for
 * all. Everything comes from one seed. Each seed runs three times: watched in
 * every way there is and audited after every section; with nobody looking; with
 * samples taken. All three must agree to the bit.
 *
 * A failure prints the command that replays its seed alone.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "chaos.h"
#include "engine/internal.h"
#include "experiment/prices.h"
#include "import/machine.h"
#include "kver/kver.h"
#include "observe/audit_time.h"
#include "sched/sched.h"
#include "workload/library.h"

#define WORKS_MAX 4u
#define GROUPS_MAX 6u
/* No lock of the modelled kernel is waited for longer, nor another CPU; but see pass_ns(). */
#define LOCK_WAIT_MAX_NS (50 * NS_PER_MS)

/* What is being tried; for the message of a failure, wherever it happens. */
static struct {
	const char *program;
	uint64_t seed;
	char text[1024];
} trying;

static void say_how_to_replay(void)
{
	fprintf(stderr, "seed %llu: %s\nreplay: RUNQLAB_SEED=%llu %s\n",
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

#define LAW(cond, ...)                                                                             \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			say_how_to_replay();                                                       \
			fail_msg("a law is broken: " #cond);                                       \
		}                                                                                  \
	} while (0)

/* -- what a seed means -- */

struct trial {
	uint64_t seed;
	struct topology topo;
	struct mask *online;
	struct kver v;
	struct prices prices;
	struct engine_group groups[GROUPS_MAX];
	uint32_t ngroups;
	char paths[GROUPS_MAX][64];
	uint32_t nwork;
	bool is_chaos[WORKS_MAX];
	uint32_t chaos_tasks[WORKS_MAX];
	char work_text[WORKS_MAX][96];
	uint32_t work_group[WORKS_MAX];
	struct mask *work_cpus[WORKS_MAX];
	uint64_t duration_ns;
	bool atomic;
};

static void note(const char *what)
{
	size_t n = strlen(trying.text);

	snprintf(trying.text + n, sizeof(trying.text) - n, " %s", what);
}

static void random_topology(struct trial *t, struct rng *r)
{
	static const char *const texts[] = {"nhm-ep", "wsm-ep", "1x1x1", "1x2x1", "1x1x2", "4x2x2"};
	struct rql_error e;
	char text[64];

	snprintf(text, sizeof(text), "%llux%llux%llu", (unsigned long long)rng_between(r, 1, 4),
		 (unsigned long long)rng_between(r, 1, 5),
		 (unsigned long long)rng_between(r, 1, 3));
	if (!rng_below(r, 3))
		snprintf(text, sizeof(text), "%s", texts[rng_below(r, 6)]);
	LAW(machine_load(text, &t->topo, &e), "%s: %s", e.where, e.what);
	note(text);
	if (!rng_below(r, 4)) {
		t->topo.arch = TOPO_ARCH_OTHER;
		note("other-arch");
	}
	if (!rng_below(r, 3)) {
		note("capacities");
		for (uint32_t i = 1; i < t->topo.ncpus; i++)
			t->topo.cpu[i].capacity = (uint32_t)rng_between(r, 100, 1024);
	}
	if (!rng_below(r, 3)) {
		note("offline");
		for (uint32_t i = 0; i < t->topo.ncpus; i++) {
			if (t->topo.nonline == 1 || rng_below(r, 3))
				continue;
			t->topo.cpu[i].online = false;
			t->topo.nonline--;
		}
	}
	t->online = mask_init(malloc(mask_size(t->topo.ncpus)), t->topo.ncpus);
	for (uint32_t i = 0; i < t->topo.ncpus; i++)
		if (t->topo.cpu[i].online)
			mask_set(t->online, i);
}

/* ",ITEM" or nothing worth saying. */
static void random_item(struct rng *r, const struct kver *v, char *text, size_t size)
{
	static const char *const others[] = {"hz=100",       "hz=250",           "hz=300",
					     "preempt=full", "preempt=full",     "preempt=none",
					     "hz=1000",      "preempt=voluntary"};
	enum feature f;
	uint32_t n = 0;

	text[0] = 0;
	switch (rng_below(r, 4)) {
	case 0:
		f = (enum feature)rng_below(r, FEATURE_COUNT);
		if (!feature_set_has(&v->known, f))
			break;
		snprintf(text, size, ",%s%s", rng_below(r, 2) ? "" : "NO_",
			 kver_feature_info(f)->name);
		break;
	case 1:
		while (kver_delta(n))
			n++;
		snprintf(text, size, ",%c%s", rng_below(r, 2) ? '+' : '-',
			 kver_delta((uint32_t)rng_below(r, n))->name);
		break;
	case 2: {
		const struct kver_tunable_info *info =
			kver_tunable_info((enum tunable_id)rng_below(r, TUNABLE_COUNT));
		uint64_t high = rng_below(r, 2) ? info->high :
						  min_u64(info->high, info->low * 8 + 64);

		snprintf(text, size, ",%s=%llu", info->name,
			 (unsigned long long)rng_between(r, info->low, high));
		break;
	}
	default:
		snprintf(text, size, ",%s", others[rng_below(r, 8)]);
		break;
	}
}

static const char *const versions[] = {
	"2.6.31",
	"2.6.32",
	"2.6.33",
	"2.6.34",
	"2.6.35-rc2",
	"2.6.35",
	"3.3",
	"3.3,+lb-rq-list",
	"3.4-rc2",
	"3.4-rc2,+nr-migrate-cap",
	"3.4-rc2,+nr-migrate-cap,+lb-list-head",
	"3.4",
	"3.18",
	"3.19",
	"4.0",
	"5.4",
	"5.4,+lb-p1,+lb-p3,+lb-p4",
	"5.4,+lb-p9,+lb-p10",
	"5.4,+lb-p9,+lb-p11",
	"5.5",
	"5.5,-idlest-affinity",
	"5.5,+runnable-avg",
	"6.1",
	"6.1,-leaf-of-throttled",
	"6.1-debian",
	"6.12",
	"6.12-debian",
	"6.12,NO_DELAY_DEQUEUE",
};

#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* Seeds from here on mean a kernel with a tunable at one of its two ends. */
#define ENDS_FIRST UINT64_C(1000000)
#define ENDS (VERSIONS * TUNABLE_COUNT * 2)

static void kernel_at_an_end(struct trial *t)
{
	uint64_t i = (t->seed - ENDS_FIRST) % ENDS;
	const struct kver_tunable_info *info =
		kver_tunable_info((enum tunable_id)(i / 2 % TUNABLE_COUNT));
	const char *version = versions[i / 2 / TUNABLE_COUNT];
	struct rql_error e;
	char text[256];

	snprintf(text, sizeof(text), "%s,%s=%llu", version, info->name,
		 (unsigned long long)(i % 2 ? info->high : info->low));
	/* not every kernel has each, nor each end beside the other numbers */
	if (!kver_parse(text, &t->v, &e)) {
		snprintf(text, sizeof(text), "%s", version);
		LAW(kver_parse(text, &t->v, &e), "%s: %s", e.where, e.what);
	}
	note(text);
}

static void random_kernel(struct trial *t, struct rng *r)
{
	uint64_t nitems = rng_below(r, 2) ? rng_below(r, 5) : 0;
	struct rql_error e;
	char text[256];

	snprintf(text, sizeof(text), "%s", versions[rng_below(r, VERSIONS)]);
	LAW(kver_parse(text, &t->v, &e), "%s: %s", e.where, e.what);
	for (uint64_t i = 0; i < nitems; i++) {
		char longer[512], item[96];
		struct kver v;

		random_item(r, &t->v, item, sizeof(item));
		snprintf(longer, sizeof(longer), "%s%s", text, item);
		/* not every combination exists */
		if (strlen(longer) >= sizeof(text) || !kver_parse(longer, &v, &e))
			continue;
		memcpy(text, longer, strlen(longer) + 1);
		t->v = v;
	}
	note(text);
}

static void random_prices(struct trial *t, struct rng *r)
{
	uint32_t *price = (uint32_t *)(void *)&t->prices;

	CHECK(prices_builtin("default", &t->prices));
	uint64_t scale = UINT64_C(1) << rng_below(r, 6);

	switch (rng_below(r, 5)) {
	case 0:
		CHECK(prices_builtin("free", &t->prices));
		note("free");
		break;
	case 1:
	case 2:
		note("random-prices");
		for (size_t i = 0; i < sizeof(t->prices) / sizeof(*price); i++)
			price[i] = (uint32_t)(price[i] * rng_below(r, 9) * scale / 16);
		break;
	case 3:
		note("nothing-costs");
		memset(&t->prices, 0, sizeof(t->prices));
		break;
	default:
		break;
	}
}

static void random_groups(struct trial *t, struct rng *r)
{
	t->ngroups = rng_below(r, 2) ? (uint32_t)rng_below(r, GROUPS_MAX + 1) : 0;
	for (uint32_t i = 0; i < t->ngroups; i++) {
		struct engine_group *g = &t->groups[i];
		uint64_t parent = rng_below(r, i + 1);

		g->parent = parent == i ? ENGINE_ROOT_GROUP : (uint32_t)parent;
		g->shares = rng_below(r, 2) ? 1024 : rng_between(r, 1, 10000);
		snprintf(t->paths[i], sizeof(t->paths[i]), "/g%u", (unsigned)i);
		g->path = t->paths[i];
	}
	if (t->ngroups)
		note("groups");
}

static void random_work(struct trial *t, struct rng *r)
{
	t->nwork = (uint32_t)rng_between(r, 1, WORKS_MAX);
	for (uint32_t i = 0; i < t->nwork; i++) {
		unsigned n = (unsigned)rng_between(r, 1, rng_below(r, 3) ? 12 : 60);
		char *text = t->work_text[i];
		size_t size = sizeof(t->work_text[i]);

		t->work_group[i] = ENGINE_ROOT_GROUP;
		if (t->ngroups && rng_below(r, 4))
			t->work_group[i] = (uint32_t)rng_below(r, t->ngroups);
		if (!rng_below(r, 4))
			t->work_cpus[i] = chaos_mask(r, t->online, t->topo.ncpus);
		switch (rng_below(r, 8)) {
		case 0:
			snprintf(text, size, "spin:n=%u", n);
			break;
		case 1:
			snprintf(text, size, "forkjoin:n=%u,step=%lluus,spread=50%%", n,
				 (unsigned long long)rng_between(r, 50, 5000));
			break;
		case 2:
			snprintf(text, size, "periodic:n=%u,period=%lluus,run=%lluus", n,
				 (unsigned long long)rng_between(r, 500, 20000),
				 (unsigned long long)rng_between(r, 10, 3000));
			break;
		case 3:
			snprintf(text, size, "daemons:n=%u,period=2ms,run=200us", n);
			break;
		case 4:
			snprintf(text, size,
				 "hackbench:groups=%u,fds=%u,loops=%u,mode=%s,pipe=%u,size=%u",
				 (unsigned)rng_between(r, 1, 4), (unsigned)rng_between(r, 1, 8),
				 (unsigned)rng_between(r, 1, 40),
				 rng_below(r, 2) ? "process" : "threads", (unsigned)rng_below(r, 2),
				 (unsigned)rng_between(r, 1, rng_below(r, 2) ? 200 : 65536));
			break;
		default:
			t->is_chaos[i] = true;
			t->chaos_tasks[i] = n;
			snprintf(text, size, "chaos:n=%u", n);
			break;
		}
		note(text);
	}
}

static void make_trial(struct trial *t, uint64_t seed)
{
	struct rng r = rng_stream(seed, "property", 0);

	memset(t, 0, sizeof(*t));
	trying.seed = seed;
	trying.text[0] = 0;
	t->seed = seed;
	random_topology(t, &r);
	if (seed >= ENDS_FIRST)
		kernel_at_an_end(t);
	else
		random_kernel(t, &r);
	random_prices(t, &r);
	random_groups(t, &r);
	random_work(t, &r);
	t->atomic = !rng_below(&r, 4);
	if (t->atomic)
		note("atomic");
	t->duration_ns = rng_between(&r, 5, 250) * NS_PER_MS;
}

static void end_trial(struct trial *t)
{
	for (uint32_t i = 0; i < t->nwork; i++)
		free(t->work_cpus[i]);
	free(t->online);
	topology_free(&t->topo);
}

/* -- one run of it -- */

struct counting {
	struct record_sink sink; /* first */
	uint64_t n[RECORD_KINDS];
};

static void count_record(struct record_sink *sink, const struct record *r)
{
	((struct counting *)(void *)sink)->n[r->kind]++;
}

struct sampling {
	uint64_t interval_ns, last_ns, count;
};

static void take_sample(void *arg, const struct machine *m, uint64_t now_ns)
{
	struct sampling *s = arg;

	CHECK(m->ncpus > 0);
	CHECK(now_ns == s->last_ns + s->interval_ns);
	s->last_ns = now_ns;
	s->count++;
}

struct run {
	struct engine_config cfg;
	struct engine_work_config work[WORKS_MAX];
	struct workload *workloads[WORKS_MAX];
	struct chaos *chaos[WORKS_MAX];
	uint32_t ntasks;
	struct engine *engine;
	enum engine_end end;
	struct engine_totals totals;
	struct rql_error error;
};

static void prepare(struct run *r, const struct trial *t)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < t->nwork; i++) {
		uint64_t seed = t->seed * WORKS_MAX + i;

		if (t->is_chaos[i]) {
			r->chaos[i] =
				chaos_create(seed, t->chaos_tasks[i], t->online, t->topo.ncpus);
			r->work[i].behaviour = &r->chaos[i]->behaviour;
		} else {
			r->workloads[i] =
				workload_create(t->work_text[i], seed, t->topo.ncpus, &r->error);
			LAW(r->workloads[i], "%s: %s", r->error.where, r->error.what);
			r->work[i].behaviour = r->workloads[i]->behaviour;
		}
		r->work[i].start_cpu = CPU_NONE;
		r->work[i].cpus = t->work_cpus[i];
		r->work[i].group = t->work_group[i];
		r->ntasks += r->work[i].behaviour->ntasks;
	}
	r->cfg = (struct engine_config){
		.topo = &t->topo,
		.v = &t->v,
		.prices = &t->prices,
		.seed = t->seed,
		.duration_ns = t->duration_ns,
		.memory_limit_bytes = UINT64_C(1) << 32,
		.events_limit = 20000,
		.atomic = t->atomic,
		.groups = t->groups,
		.ngroups = t->ngroups,
		.work = r->work,
		.nwork = t->nwork,
	};
}

static void create(struct run *r)
{
	r->engine = engine_create(&r->cfg, &r->error);
	LAW(r->engine, "%s: %s", r->error.where, r->error.what);
}

static void execute(struct run *r)
{
	r->end = engine_run(r->engine, &r->error);
	r->totals = engine_totals(r->engine);
	LAW(r->end != ENGINE_END_STUCK, "%s: %s", r->error.where, r->error.what);
}

static void finish(struct run *r)
{
	engine_destroy(r->engine);
	for (uint32_t i = 0; i < WORKS_MAX; i++) {
		workload_destroy(r->workloads[i]);
		if (r->chaos[i])
			chaos_destroy(r->chaos[i]);
	}
}

/* -- laws -- */

/* Every count has its record, but for one that a section has not come to yet. */
static void law_records_are_counted(const struct run *r, const struct counting *c)
{
	const struct machine *m = engine_machine(r->engine);
	const struct machine_counts *n = &m->count;
	const struct {
		enum record_kind kind;
		uint64_t count;
	} pairs[] = {
		{RECORD_SWITCH, n->switches}, {RECORD_WAKE, n->wakeups}, {RECORD_BLOCK, n->blocks},
		{RECORD_TICK, n->ticks},      {RECORD_FORK, n->forks},   {RECORD_EXIT, n->exits},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		LAW(c->n[pairs[i].kind] <= pairs[i].count, "record kind %u", pairs[i].kind);
		LAW(c->n[pairs[i].kind] + m->ncpus >= pairs[i].count, "record kind %u",
		    pairs[i].kind);
	}
}

/* Time is booked twice, by CPU and by path: both sums are the same. */
static void law_paths_add_up(const struct run *r)
{
	const struct machine *m = engine_machine(r->engine);
	uint64_t by_path = 0, by_cpu = 0;

	for (uint32_t i = 0; i < m->paths->nnodes; i++)
		by_path += m->paths->node[i].ns;
	by_path += m->paths->nnodes ? 0 : m->paths->node[0].ns;
	for (uint32_t i = 0; i < m->ncpus; i++)
		by_cpu += m->cpus[i].k.sched_ns;
	LAW(by_path == by_cpu, "paths %llu ns, CPUs %llu ns", (unsigned long long)by_path,
	    (unsigned long long)by_cpu);
}

/*
 * 2.6.35 may leave skip_clock_update set when nothing is rescheduled: the clock
 * then stands still, and run time is lost for good. Its kernels lose time. So does 5.4, whose
 * schedule() leaves the clock alone after a wake-up that preempts: what a task does in the kernel
 * until then is booked to the next, to nobody if that was moved away meanwhile.
 */
static bool may_lose_time(const struct trial *t)
{
	return kver_has(&t->v, FEAT_CLOCK_IN_QUEUE_OPS) || kver_has(&t->v, FEAT_CLOCK_SKIP_ONCE);
}

/* ... or it is accounted to who runs next: a task may get more than it ran. */
static bool clock_may_stand(const struct trial *t)
{
	return may_lose_time(t) || kver_has(&t->v, FEAT_SKIP_CLOCK_BY_CURR);
}

/*
 * How long the passes of one CPU over a queue may take, at all levels of its
 * domains together. Patch 1 of April 2012 alone (nr-migrate-cap) goes round a
 * short queue until sched_nr_migrate tasks are examined. It lets the locks go
 * after each few, where all who balance from that queue take turns. But a task
 * that fell asleep leaves its CPU only when the newly idle balance is over, and
 * its waker spins until then. Other kernels stop at the queue's end: no more
 * than what LOCK_WAIT_MAX_NS allows.
 */
static uint64_t pass_ns(const struct machine *m, const struct trial *t)
{
	uint64_t examine_ns = t->prices.sched_ns[WORK_EXAMINE];
	uint64_t turn_ns = 2 * ((uint64_t)t->prices.lock.remote_ns + 8 * examine_ns);
	uint64_t turns = t->v.tun.nr_migrate / 8 + 1;
	uint64_t levels_max = 0;

	if (!kver_has(&t->v, FEAT_LB_MAX_FIXED))
		return 0;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		uint64_t levels = 0;

		for (const struct sched_domain *sd = m->cpus[i].rq.sd; sd; sd = sd->parent)
			levels++;
		levels_max = max_u64(levels_max, levels);
	}
	return levels_max * (t->v.tun.nr_migrate * examine_ns + turns * turn_ns * (m->nonline - 1));
}

/*
 * How far a switch may stray. With sections that interleave and a clock sampled
 * at the entry of schedule(): not at all. An atomic section runs ahead of the
 * others and stamps their clocks with its own, later, time. CLOCK_IN_QUEUE_OPS
 * does not sample when an idle CPU picks: its task is booked from when it was
 * queued, the interrupt's way and the idle exit included.
 */
static uint64_t slack_of(const struct machine *m, const struct trial *t)
{
	const struct hardware_prices *hw = &t->prices.hardware;
	uint64_t slack_ns = 0;

	if (t->atomic)
		slack_ns += 50 * NS_PER_US + m->nonline * pass_ns(m, t);
	if (kver_has(&t->v, FEAT_CLOCK_IN_QUEUE_OPS))
		slack_ns += 2 * ((uint64_t)hw->ipi_latency_ns + hw->idle_exit_ns) + 5 * NS_PER_US;
	return slack_ns;
}

/*
 * No task loses or gains time: what all tasks ran (as the fair class booked it,
 * and what the running ones have not booked yet) is at most the CPUs' busy time,
 * and with the scheduler's own time at least that. A section may be ahead of
 * the end of the run by AHEAD.
 */
static void law_run_times_add_up(const struct run *r, const struct trial *t)
{
	const struct machine *m = engine_machine(r->engine);
	uint64_t ran = 0, busy = 0, sched = 0, ahead = 0, now = r->totals.now_ns;
	uint64_t slack_ns = slack_of(m, t) * m->count.switches;

	for (uint32_t i = 0; i < m->ntasks; i++)
		ran += m->tasks[i].se.sum_exec_ns;
	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct cpu *cpu = &m->cpus[i];

		if (!cpu->online)
			continue;
		busy += engine_busy_ns(r->engine, i);
		sched += cpu->k.sched_ns;
		if (cpu->k.now_ns > now)
			ahead += cpu->k.now_ns - now;
		if (cpu->rq.curr->id && cpu->rq.curr->se.on_rq &&
		    cpu->rq.curr->se.exec_start_ns < now)
			ran += now - cpu->rq.curr->se.exec_start_ns;
	}
	LAW(ran <= busy + 2 * ahead + slack_ns, "ran %llu, busy %llu, ahead %llu, sched %llu",
	    (unsigned long long)ran, (unsigned long long)busy, (unsigned long long)ahead,
	    (unsigned long long)sched);
	LAW(ran + sched + 2 * ahead + slack_ns >= busy || may_lose_time(t),
	    "ran %llu, busy %llu, ahead %llu, sched %llu", (unsigned long long)ran,
	    (unsigned long long)busy, (unsigned long long)ahead, (unsigned long long)sched);
}

/* Nobody waits for a lock for ever. */
static void law_locks_are_granted(const struct run *r, const struct trial *t)
{
	const struct engine *eng = r->engine;
	uint64_t wait_max_ns = LOCK_WAIT_MAX_NS + pass_ns(eng->m, t);

	for (uint32_t i = 0; i < eng->m->ncpus; i++) {
		const struct ecpu *c = &eng->cpus[i];

		if (!c->suspended)
			continue;
		LAW(c->k->now_ns + wait_max_ns > r->totals.now_ns,
		    "cpu %u has waited since %llu ns", (unsigned)i,
		    (unsigned long long)c->k->now_ns);
	}
}

/* Sums over tasks and CPUs that are kept in two places. */
static void law_statistics_agree(const struct run *r)
{
	const struct machine *m = engine_machine(r->engine);
	uint64_t migrations = 0, switches = 0;

	for (uint32_t i = 0; i < m->ntasks; i++)
		migrations += m->tasks[i].stats.nr_migrations;
	for (uint32_t i = 0; i < m->ncpus; i++)
		switches += m->cpus[i].rq.nr_switches;
	LAW(migrations == m->count.migrations, "%llu migrations", (unsigned long long)migrations);
	LAW(switches == m->count.switches, "%llu switches", (unsigned long long)switches);
}

static void law_same_run(const struct run *a, const struct run *b, const char *what)
{
	LAW(a->totals.fingerprint == b->totals.fingerprint, "%s changes the run", what);
	LAW(a->totals.now_ns == b->totals.now_ns, "%s changes the end", what);
	LAW(a->totals.events == b->totals.events, "%s changes events", what);
	LAW(a->totals.engine_events == b->totals.engine_events, "%s changes engine events", what);
	LAW(a->totals.sched_ns == b->totals.sched_ns, "%s changes scheduler time", what);
	LAW(a->end == b->end, "%s changes how it ends", what);
}

static void try_seed(uint64_t seed)
{
	struct trial t;
	struct run watched, alone, sampled;
	struct counting counting = {
		.sink = {.wants = (1u << RECORD_KINDS) - 1, .take = count_record}};
	struct sampling sampling = {.interval_ns = 777777};
	struct audit_time *audit;

	make_trial(&t, seed);
	prepare(&watched, &t);
	audit = audit_time_create(t.topo.ncpus, watched.ntasks, &watched.error);
	LAW(audit, "memory");
	audit->clock_may_stand = clock_may_stand(&t);
	audit->sink.next = &counting.sink;
	watched.cfg.sinks = &audit->sink;
	watched.cfg.audit = true;
	create(&watched);
	/* one CPU balances for all that idle, in one section */
	if (t.atomic)
		audit->slack_ns += t.topo.nonline * pass_ns(watched.engine->m, &t);
	execute(&watched);
	audit_time_finish(audit, watched.totals.now_ns);
	LAW(!audit_time_violation(audit), "%s", audit_time_violation(audit));
	sched_audit(watched.engine->m);
	law_records_are_counted(&watched, &counting);
	law_paths_add_up(&watched);
	law_locks_are_granted(&watched, &t);
	law_statistics_agree(&watched);
	law_run_times_add_up(&watched, &t);

	prepare(&alone, &t);
	create(&alone);
	execute(&alone);
	law_same_run(&watched, &alone, "watching");

	prepare(&sampled, &t);
	sampled.cfg.sampler = (struct engine_sampler){sampling.interval_ns, take_sample, &sampling};
	create(&sampled);
	execute(&sampled);
	law_same_run(&sampled, &alone, "sampling");
	LAW(sampled.end != ENGINE_END_DURATION || sampling.count == t.duration_ns / 777777,
	    "%llu samples", (unsigned long long)sampling.count);

	finish(&watched);
	finish(&alone);
	finish(&sampled);
	audit_time_free(audit);
	end_trial(&t);
}

static void test_laws_hold_for_random_runs(void **state)
{
	property_run(20, try_seed);
}

/* A prime step takes all kinds of ends with few versions; all with all if there is time. */
static void test_laws_hold_at_the_ends_of_tunables(void **state)
{
	uint64_t step = property_seeds(20) >= 200 ? 1 : 7;

	if (getenv("RUNQLAB_SEED"))
		return; /* the other test replays it */
	for (uint64_t i = 0; i < ENDS; i += step)
		try_seed(ENDS_FIRST + i);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_laws_hold_for_random_runs),
		cmocka_unit_test(test_laws_hold_at_the_ends_of_tunables),
	};

	trying.program = argv[0];
	return argc > 1 ? 2 : cmocka_run_group_tests(tests, NULL, NULL);
}
