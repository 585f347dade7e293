/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What real kernels 6.1 and 6.12 did in recorded experiments (tests/truth), against the
 * same programs simulated at the prices of the machine they were recorded on. An
 * experiment is a case, and each of its recorded figures a figure; the median over
 * seeds counts. truth_figures.h says what holds.
 *
 * Times count from the start mark of the workload, as those of the recordings do from the start of
 * their program; counters are what was added since the last millisecond before it. The
 * programs of the recordings end by being told, 5 ms after their last look; here that is when
 * CPU times and counters are taken, and nothing ends.
 */
#include "experiment/case.h"

#include <string.h>

#include "base/check.h"
#include "experiment/truth_figures.h"
#include "kver/kver.h"
#include "workload/lab.h"
#include "workload/launch.h"

#include "experiment/truth_data.def"

#define SEEDS 15
#define SAMPLE_NS NS_PER_MS
#define END_NS (5 * NS_PER_MS) /* from the last look to the end */
#define THREADS_MAX 128u
#define NODE0_CPUS 8u
/* tasks of a lab that a shell starts: what its monitor forks first, and the threads */
#define FIRST_CHILD (LAUNCH_MAIN_TASK + 1u)
#define FIRST_THREAD (LAUNCH_MAIN_TASK + LAB_FIRST_THREAD)
#define LEVELS 3u
#define SPREAD_FROM_NS (3 * NS_PER_S)

/* -- what is measured, by the names that the figures have between kind and kernel -- */

/* clang-format off */
#define SPREADS(X) \
	X(SPREAD_50MS, "spread_at_0.05s", 50) X(SPREAD_200MS, "spread_at_0.2s", 200) \
	X(SPREAD_1S, "spread_at_1s", 1000) X(SPREAD_2S, "spread_at_2s", 2000) X(SPREAD_5S, "spread_at_5s", 5000) \
	X(SPREAD_10S, "spread_at_10s", 10000) X(SPREAD_20S, "spread_at_20s", 20000)
#define MIGRATIONS(X) \
	X(MIGRATIONS_TOTAL, "migrations_total", ) X(MIGRATIONS_NODE, "migrations_cross_node", ) \
	X(MIGRATIONS_CORE, "migrations_cross_core_same_node", ) X(MIGRATIONS_SIBLING, "migrations_same_core", ) \
	X(MIGRATIONS_1S, "migrations_after_1s", ) X(MIGRATIONS_5S, "migrations_after_5s", )
#define CPU_COUNTERS(X) \
	X(SCHED_COUNT, "sched_count", sched_count) X(SCHED_GOIDLE, "sched_goidle", sched_goidle) \
	X(TTWU_COUNT, "ttwu_count", ttwu_count) X(TTWU_LOCAL, "ttwu_local", ttwu_local) X(PCOUNT, "pcount", pcount)
#define DOMAIN_COUNTERS(X) \
	X(BUSY_COUNT, "busy_lb_count", lb_count[CPU_NOT_IDLE]) \
	X(BUSY_BALANCED, "busy_lb_balanced", lb_balanced[CPU_NOT_IDLE]) \
	X(BUSY_FAILED, "busy_lb_failed", lb_failed[CPU_NOT_IDLE]) \
	X(BUSY_GAINED, "busy_lb_gained", lb_gained[CPU_NOT_IDLE]) \
	X(IDLE_COUNT, "idle_lb_count", lb_count[CPU_IDLE]) X(IDLE_GAINED, "idle_lb_gained", lb_gained[CPU_IDLE]) \
	X(NEWIDLE_COUNT, "newidle_lb_count", lb_count[CPU_NEWLY_IDLE]) \
	X(NEWIDLE_GAINED, "newidle_lb_gained", lb_gained[CPU_NEWLY_IDLE]) X(ALB_PUSHED, "alb_pushed", alb_pushed) \
	X(WAKE_REMOTE, "ttwu_wake_remote", ttwu_wake_remote) X(MOVE_AFFINE, "ttwu_move_affine", ttwu_move_affine)
#define PROCESS_FIGURES(X) \
	X(CPU_SUM, "cpu_s_sum", ) X(CPU_MIN, "cpu_s_min", ) X(CPU_MEDIAN, "cpu_s_median", ) X(CPU_MAX, "cpu_s_max", ) \
	X(PERIODS, "periods_max", ) X(LATENCY, "maxlat_us_max", )
/* clang-format on */

#define ID(id, ...) id,
#define NAME(id, name, ...) [id] = (name),
#define AT_MS(id, name, ms) [id] = (ms)*NS_PER_MS,

enum cpu_counter {
	CPU_COUNTERS(ID) CPU_COUNTERS_N
};
enum domain_counter {
	DOMAIN_COUNTERS(ID) DOMAIN_COUNTERS_N
};
enum process_figure {
	PROCESS_FIGURES(ID) PROCESS_FIGURES_N
};

/* Indices of values: first what has a name of its own, then counters and processes. */
enum value {
	SPREADS(ID) SPREAD_MEAN,
	NODE0_TASKS,
	MIGRATIONS(ID) TIME_S,
	US_PER_ROUND,
	NAMED,
	FIRST_CPU_COUNTER = NAMED,
	FIRST_DOMAIN_COUNTER = FIRST_CPU_COUNTER + CPU_COUNTERS_N,
	COUNTERS_END = FIRST_DOMAIN_COUNTER + LEVELS * DOMAIN_COUNTERS_N,
	FIRST_PROCESS = COUNTERS_END,
	VALUES = FIRST_PROCESS + LAB_PROCESSES * PROCESS_FIGURES_N,
};

#define COUNTERS (COUNTERS_END - FIRST_CPU_COUNTER)

static const char *const named[NAMED] = {
	SPREADS(NAME) MIGRATIONS(NAME)[SPREAD_MEAN] = "spread_mean_from_3s",
	[NODE0_TASKS] = "node0_tasks_at_end",
	[TIME_S] = "time_s",
	[US_PER_ROUND] = "us_per_roundtrip",
};
static const char *const cpu_counters[CPU_COUNTERS_N] = {CPU_COUNTERS(NAME)};
static const char *const domain_counters[DOMAIN_COUNTERS_N] = {DOMAIN_COUNTERS(NAME)};
static const char *const process_figures[PROCESS_FIGURES_N] = {PROCESS_FIGURES(NAME)};
static const char *const levels[LEVELS] = {"SMT", "MC", "NUMA"};
static const uint64_t spread_at_ns[] = {SPREADS(AT_MS)};

#define SPREADS_N (sizeof(spread_at_ns) / sizeof(spread_at_ns[0]))

/* -- the experiments -- */

struct experiment {
	const char *processes[LAB_PROCESSES]; /* as the recordings name them; NULL: no such process */
	uint32_t threads[LAB_PROCESSES];
	bool rt[LAB_PROCESSES];
	uint64_t duration_ns; /* 0: until the program ends */
	uint32_t rounds;      /* of pipes */
};

struct measured {
	uint64_t base[COUNTERS];
	double value[VALUES]; /* CASE_NONE where nothing was measured */
	uint64_t start_ns;
	uint64_t migrations[MIGRATIONS_5S - MIGRATIONS_TOTAL + 1];
	uint64_t next_ns; /* of the looks at spreads from SPREAD_FROM_NS on */
	double spread_sum;
	uint32_t spreads;   /* looked at so far: of spread_at_ns */
	uint32_t looks;     /* in spread_sum */
	bool forked, ended; /* forked: the monitor its first process */
};

static void read_counters(const struct run *r, uint64_t *n)
{
	const struct machine *m = run_machine(r);

	memset(n, 0, COUNTERS * sizeof(*n));
	for (uint32_t i = 0; i < m->ncpus; i++) {
		const struct rq *rq = &m->cpus[i].rq;
		uint32_t level = 0;

#define ADD(id, name, field) n[id] += rq->stats.field;
		CPU_COUNTERS(ADD)
#undef ADD
		for (const struct sched_domain *sd = rq->sd; sd && level < LEVELS;
		     sd = sd->parent) {
			uint64_t *of = &n[CPU_COUNTERS_N + level++ * DOMAIN_COUNTERS_N];

#define ADD(id, name, field) of[id] += sd->stats.field;
			DOMAIN_COUNTERS(ADD)
#undef ADD
		}
	}
}

static void note_counters(struct measured *x, const struct run *r)
{
	uint64_t n[COUNTERS];

	read_counters(r, n);
	for (uint32_t i = 0; i < COUNTERS; i++)
		x->value[FIRST_CPU_COUNTER + i] = (double)(n[i] - x->base[i]);
}

/* Which process thread INDEX of the lab belongs to. */
static uint32_t process_of(const struct experiment *ex, uint32_t index)
{
	return index - FIRST_THREAD < ex->threads[0] ? 0 : 1;
}

/* Is P a thread of the lab, which is the first workload? */
static bool is_thread(const struct task *p)
{
	return p->exec.work == 0 && p->exec.index >= FIRST_THREAD;
}

/* Threads on each CPU, real-time ones left out as in the recordings. */
static void count_threads(const struct experiment *ex, const struct machine *m, uint32_t *on_cpu)
{
	memset(on_cpu, 0, m->ncpus * sizeof(*on_cpu));
	for (uint32_t i = 0; i < m->ntasks; i++) {
		const struct task *p = &m->tasks[i];

		if (is_thread(p) && !ex->rt[process_of(ex, p->exec.index)])
			on_cpu[p->cpu]++;
	}
}

static double spread_of(const uint32_t *on_cpu, uint32_t ncpus)
{
	uint32_t least = on_cpu[0], most = on_cpu[0];

	for (uint32_t i = 1; i < ncpus; i++) {
		least = on_cpu[i] < least ? on_cpu[i] : least;
		most = on_cpu[i] > most ? on_cpu[i] : most;
	}
	return (double)most - least;
}

static void look(const struct experiment *ex, struct measured *x, const struct machine *m,
		 uint64_t since_ns)
{
	uint32_t on_cpu[256], node0 = 0;
	double spread;

	CHECK(m->ncpus <= 256);
	count_threads(ex, m, on_cpu);
	spread = spread_of(on_cpu, m->ncpus);
	while (x->spreads < SPREADS_N && spread_at_ns[x->spreads] <= since_ns)
		x->value[SPREAD_50MS + x->spreads++] = spread;
	if (x->next_ns > since_ns)
		return;
	x->next_ns += NS_PER_S;
	x->spread_sum += spread;
	x->looks++;
	for (uint32_t i = 0; i < NODE0_CPUS && i < m->ncpus; i++)
		node0 += on_cpu[i];
	x->value[SPREAD_MEAN] = x->spread_sum / x->looks;
	x->value[NODE0_TASKS] = node0;
}

/* CPU times; what a task ran since its queue's last tick is not booked yet. */
static void note_process(const struct experiment *ex, struct measured *x, const struct run *r,
			 uint32_t process)
{
	double *value = &x->value[FIRST_PROCESS + process * PROCESS_FIGURES_N];
	const struct machine *m = run_machine(r);
	double cpu_s[THREADS_MAX], sum = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->ntasks && n < THREADS_MAX; i++) {
		const struct task *p = &m->tasks[i];

		if (!is_thread(p) || process_of(ex, p->exec.index) != process)
			continue;
		cpu_s[n] = (double)p->se.sum_exec_ns / 1e9;
		sum += cpu_s[n++];
	}
	if (!n)
		return;
	value[CPU_SUM] = sum;
	value[CPU_MEDIAN] = case_median(cpu_s, n); /* which sorts them */
	value[CPU_MIN] = cpu_s[0];
	value[CPU_MAX] = cpu_s[n - 1];
}

/* What periodic threads say of themselves. */
static void note_reports(const struct experiment *ex, struct measured *x, const struct run *r)
{
	const struct behaviour *b = run_behaviour(r, 0);
	struct behaviour_report report;

	for (uint32_t i = 0; memset(&report, 0, sizeof(report)), b->ops->report(b, i, &report);
	     i++) {
		uint32_t process = process_of(ex, report.task);
		double *value = &x->value[FIRST_PROCESS + process * PROCESS_FIGURES_N];

		value[PERIODS] =
			fmax(isnan(value[PERIODS]) ? 0 : value[PERIODS], (double)report.count);
		value[LATENCY] = fmax(isnan(value[LATENCY]) ? 0 : value[LATENCY],
				      (double)(report.max_ns / 1000));
	}
}

static void end(const struct experiment *ex, struct measured *x, const struct run *r)
{
	x->ended = true;
	note_counters(x, r);
	for (uint32_t i = 0; i < LAB_PROCESSES; i++)
		if (ex->processes[i])
			note_process(ex, x, r, i);
	note_reports(ex, x, r);
	for (uint32_t i = 0; i <= MIGRATIONS_5S - MIGRATIONS_TOTAL; i++)
		x->value[MIGRATIONS_TOTAL + i] = (double)x->migrations[i];
}

static void prepare(struct measured *x)
{
	for (uint32_t i = 0; i < VALUES; i++)
		x->value[i] = CASE_NONE;
	x->next_ns = SPREAD_FROM_NS;
}

static void sample(const struct case_def *def, void *out, const struct run *r, uint64_t now_ns)
{
	const struct experiment *ex = def->of;
	struct measured *x = out;
	uint64_t since_ns;

	if (!ex->duration_ns)
		return;
	if (!x->forked)
		return;
	x->start_ns = run_work(r, 0)->start_mark_ns;
	since_ns = now_ns - x->start_ns;
	if (since_ns <= ex->duration_ns + SAMPLE_NS)
		look(ex, x, run_machine(r), since_ns);
	if (!x->ended && since_ns >= ex->duration_ns + END_NS)
		end(ex, x, r);
}

/* A thread of a lab moved from one CPU to another. */
static void count_migration(struct measured *x, const struct run *r, uint64_t time_ns,
			    uint64_t from, uint64_t to)
{
	const struct cpu *a = &run_machine(r)->cpus[from], *b = &run_machine(r)->cpus[to];
	uint64_t since_ns = time_ns - run_work(r, 0)->start_mark_ns;
	uint64_t *n = x->migrations;

	n[0]++;
	if (a->node != b->node)
		n[MIGRATIONS_NODE - MIGRATIONS_TOTAL]++;
	else if (a->core != b->core)
		n[MIGRATIONS_CORE - MIGRATIONS_TOTAL]++;
	else
		n[MIGRATIONS_SIBLING - MIGRATIONS_TOTAL]++;
	if (since_ns > NS_PER_S)
		n[MIGRATIONS_1S - MIGRATIONS_TOTAL]++;
	if (since_ns > 5 * NS_PER_S)
		n[MIGRATIONS_5S - MIGRATIONS_TOTAL]++;
}

/* The monitor forks as soon as its clock runs, right after it has read the counters. */
static void begin_counting(struct measured *x, const struct run *r, const struct task *child)
{
	uint32_t first = run_behaviour(r, 0)->endless ? FIRST_CHILD : LAUNCH_MAIN_TASK;

	if (x->forked || child->exec.work != 0 || child->exec.index != first)
		return;
	prepare(x);
	read_counters(r, x->base);
	x->forked = true;
}

/* What ends by itself is counted until the shell hears of it. */
static void end_counting(struct measured *x, const struct run *r, const struct task *p)
{
	if (p->exec.work == 0 && p->exec.index == LAUNCH_MAIN_TASK && !run_behaviour(r, 0)->endless)
		note_counters(x, r);
}

static void take(void *out, const struct run *r, const struct record *rec)
{
	const struct task *p;

	if (rec->a == 0) /* the idle task is nobody's */
		return;
	p = &run_machine(r)->tasks[rec->a - 1];
	if (rec->kind == RECORD_FORK)
		begin_counting(out, r, p);
	if (rec->kind == RECORD_EXIT)
		end_counting(out, r, p);
	if (rec->kind == RECORD_FORK || rec->kind == RECORD_EXIT)
		return;
	if (!is_thread(p) || !run_behaviour(r, 0)->endless)
		return;
	if (rec->kind == RECORD_MIGRATE)
		count_migration(out, r, rec->time_ns, rec->b, rec->c);
	else if (rec->b != rec->d) /* RECORD_WAKE: elsewhere than where it slept */
		count_migration(out, r, rec->time_ns, rec->d, rec->b);
}

/* Programs that end by themselves. */
static void finish(const struct case_def *def, void *out, struct run *r)
{
	const struct experiment *ex = def->of;
	struct measured *x = out;

	if (ex->duration_ns)
		return;
	x->value[TIME_S] = (double)run_elapsed_ns(r) / 1e9;
	if (ex->rounds)
		x->value[US_PER_ROUND] = (double)run_elapsed_ns(r) / 1e3 / ex->rounds;
}

/* -- from names to values -- */

static bool is_name(const char *text, size_t n, const char *name)
{
	return strlen(name) == n && memcmp(text, name, n) == 0;
}

static uint32_t find(const char *text, size_t n, const char *const *names, uint32_t count)
{
	uint32_t i = 0;

	while (i < count && !is_name(text, n, names[i]))
		i++;
	return i;
}

/* "NAME_REST", with REST among NAMES: FIRST plus its number. */
static uint32_t find_part(const char *text, size_t n, const char *name, const char *const *names,
			  uint32_t count, uint32_t first)
{
	size_t skip = strlen(name) + 1;
	uint32_t i;

	if (n <= skip || memcmp(text, name, skip - 1) != 0 || text[skip - 1] != '_')
		return VALUES;
	i = find(text + skip, n - skip, names, count);
	return i < count ? first + i : VALUES;
}

/* Where the value of figure TEXT[0..n), without kind and kernel, is. */
static uint32_t value_index(const struct experiment *ex, const char *text, size_t n)
{
	uint32_t i = find(text, n, named, NAMED);

	if (i < NAMED)
		return i;
	i = find(text, n, cpu_counters, CPU_COUNTERS_N);
	if (i < CPU_COUNTERS_N)
		return FIRST_CPU_COUNTER + i;
	for (uint32_t level = 0; level < LEVELS; level++) {
		i = find_part(text, n, levels[level], domain_counters, DOMAIN_COUNTERS_N,
			      FIRST_DOMAIN_COUNTER + level * DOMAIN_COUNTERS_N);
		if (i < VALUES)
			return i;
	}
	for (uint32_t process = 0; process < LAB_PROCESSES && ex->processes[process]; process++) {
		i = find_part(text, n, ex->processes[process], process_figures, PROCESS_FIGURES_N,
			      FIRST_PROCESS + process * PROCESS_FIGURES_N);
		if (i < VALUES)
			return i;
	}
	CHECK(false && "a recorded figure that nobody measures");
	return VALUES;
}

/* The median over the seeds of figure F of row ROW. */
static double simulated(const struct case_def *def, const struct measured *row, uint32_t nseeds,
			const struct case_figure *f)
{
	const char *from = strchr(f->name, '_') + 1, *to = strrchr(f->name, '_');
	uint32_t i = value_index(def->of, from, (size_t)(to - from));
	double x[CASE_SEEDS_MAX];

	for (uint32_t s = 0; s < nseeds; s++)
		x[s] = row[s].value[i];
	return case_median(x, nseeds);
}

/* NAME without its kernel ends in END. */
static bool ends_in(const char *name, const char *end)
{
	size_t n = (size_t)(strrchr(name, '_') - name), length = strlen(end);

	return n >= length && memcmp(name + n - length, end, length) == 0;
}

bool truth_stat_is_aimed_at(const char *name)
{
	static const char *const ends[] = {
		"stat_sched_count", "stat_sched_goidle", "stat_ttwu_count",
		"stat_ttwu_local",  "_lb_count",         "_lb_gained",
	};

	for (uint32_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (ends_in(name, ends[i]))
			return true;
	return false;
}

/* Which part of the judged figures of two kinds hold; 1 if there are none. */
static double part_that_holds(const struct case_def *def, const double *x, const char *kind,
			      const char *other, bool (*counts)(const char *name))
{
	const struct stats_interval none = {CASE_NONE, CASE_NONE, CASE_NONE};
	uint32_t judged = 0, hold = 0;

	for (uint32_t i = TRUTH_SUMMARIES; i < def->nfigures; i++) {
		const struct case_figure *f = &def->figures[i];

		if (!case_is_judged(f) ||
		    (strcmp(f->kind, kind) != 0 && strcmp(f->kind, other) != 0) ||
		    (counts && !counts(f->name)))
			continue;
		judged++;
		hold += case_in_bounds(f, x[i], &none);
	}
	return judged ? (double)hold / judged : 1;
}

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;
	uint32_t per_kernel = (def->nfigures - TRUTH_SUMMARIES) / def->nruns;

	for (uint32_t i = TRUTH_SUMMARIES; i < def->nfigures; i++)
		x[i] = simulated(def, &m[(i - TRUTH_SUMMARIES) / per_kernel * nseeds], nseeds,
				 &def->figures[i]);
	x[TRUTH_PLACE_SHARE_HOLD] = part_that_holds(def, x, "place", "share", NULL);
	x[TRUTH_STAT_HOLD] = part_that_holds(def, x, "stat", "stat", truth_stat_is_aimed_at);
	x[TRUTH_STAT_ALL_HOLD] = part_that_holds(def, x, "stat", "stat", NULL);
	x[TRUTH_TIME_HOLD] = part_that_holds(def, x, "time", "time", NULL);
}

/* -- the cases -- */

/*
 * CPUs take turns of 20 us or of 1 us. Nearly all sections of the kernel are shorter than the longer turn, so there nobody
 * sees another CPU in the midst of one: they are atomic. With turns of 1 us they interleave.
 */
#define BY_LOCKSTEP false
#define BY_FINE_LOCKSTEP true

/* clang-format off */
/*
 * What else ran, counted in recordings whose figures are not judged (traces, and counters at other quanta and on other
 * machines): each CPU's kworker, 0.46 times a second in 6.1 and 0.31 times in 6.12, a busy CPU's twice more in the first two
 * seconds, 9 us each, woken in a fifth of cases by another CPU; each node's kcompactd, twice a second (5 us), in
 * 6.12 half of the times woken by another CPU, as idle CPUs do not look after timers there; RCU's
 * grace periods. A machine that booted has
 * balanced: before it has, wake-ups do not look for idle CPUs (nr_idle_scan is 0). So a second before the program all is busy for a moment (BOOT).
 */
#define KWORKER_61(cpu) "kthreads:period=2200ms,run=9us,elsewhere=20,cpus=" cpu
#define KWORKER_612(cpu) "kthreads:period=3200ms,run=9us,elsewhere=20,cpus=" cpu
#define EVEN(work) work("0"), work("2"), work("4"), work("6"), work("8"), work("10"), work("12"), work("14")
#define EACH(work) EVEN(work), work("1"), work("3"), work("5"), work("7"), work("9"), work("11"), work("13"), work("15")
#define BUSY(cpu) "kthreads:period=900ms,run=9us,wakes=2,elsewhere=20,after=1s,cpus=" cpu
#define KCOMPACTD(cpus) "daemons:n=1,period=500ms,run=5us,cpus=" cpus
#define KCOMPACTD_612(cpus) "kthreads:n=1,period=500ms,run=5us,elsewhere=50,cpus=" cpus
#define BOOT "kthreads:n=16,period=1ms,run=20ms,wakes=1"
#define SYSTEM_61 BOOT, EACH(KWORKER_61), KCOMPACTD("0-7"), KCOMPACTD("8-15"), "rcu"
#define SYSTEM_612 BOOT, EACH(KWORKER_612), KCOMPACTD_612("0-7"), KCOMPACTD_612("8-15"), "rcu"

/*
 * The work. In 6.1 a process that makes threads holds its memory's lock meanwhile, and their first page faults wait
 * for it: they are woken 25 us after the thread was made, on average of recordings that are not judged. In 6.12 they do not.
 */
#define HELD_61 ",held=25us,frees=1"
#define HELD_612 ""
#define STARTED ",first=83us,shell=1001460us,align=4ms,command=300us,setup=1340us" /* at the phase to the tick that recordings had */
#define WORK_a(held, system) "lab:n=100,look=4200us" STARTED held, EACH(BUSY), system
#define WORK_b1(held, system) "/g1", "/", "lab:n=100,group1=1,look=4200us" STARTED held, EACH(BUSY), system
#define WORK_b2(held, system) "/ga:cpu.weight=100", "/gb:cpu.weight=1000", "/", "lab:n=50,n2=50,group1=1,group2=2,look=4200us" STARTED held, EACH(BUSY), system
#define WORK_c8(held, system) "lab:n=8,look=3300us" STARTED held, EVEN(BUSY), system
#define WORK_c16(held, system) "lab:n=16,look=3300us" STARTED held, EACH(BUSY), system
#define WORK_c17(held, system) "lab:n=17,look=3300us" STARTED held, EACH(BUSY), system
#define WORK_c24(held, system) "lab:n=24,look=3300us" STARTED held, EACH(BUSY), system
#define WORK_d(held, system) "lab:n=4,cpu1=0,n2=12,look=3300us" STARTED held, EACH(BUSY), system
#define WORK_e(held, system) "lab:n=16,n2=16,nice2=19,look=3500us" STARTED held, EACH(BUSY), system
#define WORK_f(held, system) "lab:n=4,fifo1=50,n2=16,look=3400us" STARTED held, EACH(BUSY), system
#define WORK_g1(held, system) "hackbench:groups=4,loops=100,fork=247us,first=25us,shell=1s,command=300us,setup=1200us", system
#define WORK_g2(held, system) "schedpipe:loops=5000,shell=1s,command=300us,setup=400us", system
#define WORK_g2core(held, system) "schedpipe:loops=5000,cpu1=2,cpu2=4,shell=1s,command=300us,setup=400us", system
#define WORK_g2node(held, system) "schedpipe:loops=5000,cpu1=2,cpu2=10,shell=1s,command=300us,setup=400us", system
#define WORK_g2same(held, system) "schedpipe:loops=5000,cpu1=2,cpu2=2,shell=1s,command=300us,setup=400us", system
#define WORK_g2smt(held, system) "schedpipe:loops=5000,cpu1=2,cpu2=3,shell=1s,command=300us,setup=400us", system
#define WORK_p1(held, system) "lab:n=1,cpu1=3,n2=1,nice2=19,cpu2=3,look=3200us" STARTED held, BUSY("3"), system
#define WORK_p1b(held, system) "lab:n=1,cpu1=3,n2=1,nice2=5,cpu2=3,look=3200us" STARTED held, BUSY("3"), system

/* ID, title, time, prices, struct experiment in brackets */
#define EXPERIMENTS(X) \
	X(a, "100 spinners", "21.4s", BY_LOCKSTEP, ({.processes = {"sl"}, .threads = {100}, .duration_ns = 20 * NS_PER_S})) \
	X(b1, "100 spinners in one cgroup", "21.4s", BY_LOCKSTEP, ({.processes = {"sl"}, .threads = {100}, .duration_ns = 20 * NS_PER_S})) \
	X(b2, "50 spinners in a cgroup of weight 100 and 50 in one of weight 1000", "21.4s", BY_LOCKSTEP, ({.processes = {"w100", "w1000"}, .threads = {50, 50}, .duration_ns = 20 * NS_PER_S})) \
	X(c8, "8 spinners on 16 CPUs", "11.4s", BY_LOCKSTEP, ({.processes = {"spin"}, .threads = {8}, .duration_ns = 10 * NS_PER_S})) \
	X(c16, "16 spinners on 16 CPUs", "11.4s", BY_LOCKSTEP, ({.processes = {"spin"}, .threads = {16}, .duration_ns = 10 * NS_PER_S})) \
	X(c17, "17 spinners on 16 CPUs", "11.4s", BY_LOCKSTEP, ({.processes = {"spin"}, .threads = {17}, .duration_ns = 10 * NS_PER_S})) \
	X(c24, "24 spinners on 16 CPUs", "11.4s", BY_LOCKSTEP, ({.processes = {"spin"}, .threads = {24}, .duration_ns = 10 * NS_PER_S})) \
	X(d, "4 spinners pinned to a CPU and 12 free ones", "11.4s", BY_LOCKSTEP, ({.processes = {"pin", "free"}, .threads = {4, 12}, .duration_ns = 10 * NS_PER_S})) \
	X(e, "16 spinners of nice 0 and 16 of nice 19", "21.4s", BY_LOCKSTEP, ({.processes = {"n0", "n19"}, .threads = {16, 16}, .duration_ns = 20 * NS_PER_S})) \
	X(f, "4 SCHED_FIFO tasks and 16 spinners", "11.4s", BY_LOCKSTEP, ({.processes = {"rt", "spin"}, .threads = {4, 16}, .rt = {true}, .duration_ns = 10 * NS_PER_S})) \
	X(g1, "hackbench", "1.5s", BY_FINE_LOCKSTEP, ({.duration_ns = 0})) \
	X(g2, "two tasks and two pipes", "1.5s", BY_FINE_LOCKSTEP, ({.rounds = 5000})) \
	X(g2core, "two tasks and two pipes on two cores", "1.5s", BY_FINE_LOCKSTEP, ({.rounds = 5000})) \
	X(g2node, "two tasks and two pipes on two nodes", "1.5s", BY_FINE_LOCKSTEP, ({.rounds = 5000})) \
	X(g2same, "two tasks and two pipes on one CPU, from which prices were taken", "1.5s", BY_FINE_LOCKSTEP, ({.rounds = 5000})) \
	X(g2smt, "two tasks and two pipes on two threads of a core", "1.5s", BY_FINE_LOCKSTEP, ({.rounds = 5000})) \
	X(p1, "spinners of nice 0 and nice 19 on one CPU", "11.4s", BY_LOCKSTEP, ({.processes = {"n0", "n19"}, .threads = {1, 1}, .duration_ns = 10 * NS_PER_S})) \
	X(p1b, "spinners of nice 0 and nice 5 on one CPU", "11.4s", BY_LOCKSTEP, ({.processes = {"n0", "n5"}, .threads = {1, 1}, .duration_ns = 10 * NS_PER_S}))

#define BARE(...) __VA_ARGS__
#define RUN(kernel_, time, fine, ...) \
	{ .name = kernel_, .machine = "lockstep-16", .kernel = kernel_, .work = {__VA_ARGS__}, .time_quick = time, .time_full = time, \
	  .prices = (fine) ? "qemu-lockstep-1us" : "qemu-lockstep", .atomic = !(fine) }
#define EXPERIMENT(id, title, time, by, of) \
	static const struct experiment experiment_##id = BARE of; \
	static const struct case_run runs_##id[] = {RUN(TRUTH_KERNEL_61, time, by, WORK_##id(HELD_61, SYSTEM_61)), RUN(TRUTH_KERNEL_612, time, by, WORK_##id(HELD_612, SYSTEM_612))};
EXPERIMENTS(EXPERIMENT)

/* Of each kernel as many figures; the first kernel's come first. */
#define FIGURES_OF(kernels, all) (TRUTH_SUMMARIES + ((uint32_t)(sizeof(all) / sizeof((all)[0])) - TRUTH_SUMMARIES) * (kernels) / 2)
#define CASE_OF(count_, id_, title_) \
	{ .of = &experiment_##id_, .id = "truth-" #id_, .title = "as recorded from real kernels: " title_, \
	  .source = "tests/truth/" #id_ ".txt, recorded by the authors of this project", .kernels = {TRUTH_KERNEL_61, (count_) > 1 ? TRUTH_KERNEL_612 : NULL}, \
	  .cost_s = 1, .figures = figures_##id_, .nfigures = FIGURES_OF(count_, figures_##id_), .runs = runs_##id_, .nruns = (count_), \
	  .middle = "medians", .nseeds = SEEDS, .measured_bytes = sizeof(struct measured), \
	  .sample_ns = SAMPLE_NS, .sample = sample, \
	  .wants = 1u << RECORD_MIGRATE | 1u << RECORD_WAKE | 1u << RECORD_FORK | 1u << RECORD_EXIT, .take = take, .finish = finish, .judge = judge },
/* clang-format on */

#define CASE_61(id, title, ...) CASE_OF(1u, id, title)
#define CASE_BOTH(id, title, ...) CASE_OF(2u, id, title)

static const struct case_def defs_61[] = {EXPERIMENTS(CASE_61)};
static const struct case_def defs_both[] = {EXPERIMENTS(CASE_BOTH)};

bool truth_has_612(void)
{
	struct rql_error e;
	struct kver v;

	return kver_parse(TRUTH_KERNEL_612, &v, &e);
}

const struct case_def *case_truth(uint32_t i)
{
	if (i >= sizeof(defs_61) / sizeof(defs_61[0]))
		return NULL;
	return truth_has_612() ? &defs_both[i] : &defs_61[i];
}
