/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rework of load balancing in 5.5: groups got types, and what is moved follows from
 * both groups' types, not from average loads alone. Its cover letter has two tables of
 * benchmarks on two arm64 machines. Here each of their rows is simulated with 5.4 and
 * with 5.5, and every row is printed, also those that come out otherwise.
 *
 * A row is strong if what was published is clear of its own noise: larger than the larger
 * of its two noises and 2 points. A strong row holds if the simulation has the same sign, its
 * 95 % interval has no 0 in it and its size is within a factor of 2.5. A weak row holds if the
 * simulation, too, stays within the noise and 2 points. In three rows the percentage does not follow
 * from the two columns beside it; nobody can tell which is right, so they count for nothing.
 *
 * The last figures are of another report: idle CPUs beside a hog in a group of its own leave
 * the many light tasks of another group waiting on other nodes, for average loads call their
 * own node busy.
 *
 * 5.5 has more than the mails measured: fixes that came after them (see the kernels' table), one of which
 * answers a regression of shell8. So the eleven patches alone over 5.4 are simulated, too, and shown.
 *
 * Improvements are means over pairs of equal seeds, with the 95 % interval of Student's t.
 *
 * Linux: kernel/sched/fair.c find_busiest_group(), calculate_imbalance(), find_idlest_group(), 5.4, 5.5.
 */
#include "experiment/case.h"

#include "base/check.h"
#include "observe/metrics.h"

struct measured {
	uint64_t done, elapsed_ns, wasted_ns;
};

#define SMALL "arm64-2x4"
#define LARGE "arm64-224"
#define LADDER "ladder-8x8"
#define LADDER_CPUS 64
#define STRONG_FACTOR 2.5
#define POINTS 2

/* The larger is better; or the less time for a given amount of work. */
enum better {
	MORE,
	LESS_TIME,
};

/*
 * A row of the tables: name, machine, the work and for how long, in both forms, what is better, the
 * published improvement and the larger of its two noises in %, whether the columns bear it out.
 */
/* clang-format off */
#define ROWS(ROW) \
	ROW(SMALL_SCHEDPIPE,  "small_schedpipe",    SMALL, "schedpipe:loops=50000",             "schedpipe:loops=1000000",             NULL, NULL, MORE, 0.60, 0.52, true) \
	ROW(SMALL_HACK_1,     "small_hackbench_1",  SMALL, "hackbench:groups=1,loops=128",      "hackbench:groups=1,loops=2560",       NULL, NULL, LESS_TIME, 10.70, 29.16, true) \
	ROW(SMALL_HACK_4,     "small_hackbench_4",  SMALL, "hackbench:groups=4,loops=32",       "hackbench:groups=4,loops=640",        NULL, NULL, LESS_TIME, 5.00, 9.69, true) \
	ROW(SMALL_HACK_8,     "small_hackbench_8",  SMALL, "hackbench:groups=8,loops=16",       "hackbench:groups=8,loops=320",        NULL, NULL, LESS_TIME, 4.57, 1.51, false) \
	ROW(SMALL_HACK_16,    "small_hackbench_16", SMALL, "hackbench:groups=16,loops=8",       "hackbench:groups=16,loops=160",       NULL, NULL, LESS_TIME, 1.07, 2.42, true) \
	ROW(SMALL_SHELL_1,    "small_shell8_1",     SMALL, "shell8:iterations=60",              "shell8:iterations=1200",              NULL, NULL, MORE, -3.09, 0.73, true) \
	ROW(SMALL_SHELL_224,  "small_shell8_224",   SMALL, "shell8:iterations=1,tests=224",     "shell8:iterations=7,tests=224",       NULL, NULL, MORE, 1.74, 0.42, true) \
	ROW(LARGE_SCHEDPIPE,  "large_schedpipe",    LARGE, "schedpipe:loops=50000",             "schedpipe:loops=1000000",             NULL, NULL, MORE, 0.29, 1.36, true) \
	ROW(LARGE_HACK_1,     "large_hackbench_1",  LARGE, "hackbench:groups=1,loops=12800",    "hackbench:groups=1,loops=256000",     NULL, NULL, LESS_TIME, 8.52, 1.99, true) \
	ROW(LARGE_HACK_4,     "large_hackbench_4",  LARGE, "hackbench:groups=4,loops=3200",     "hackbench:groups=4,loops=64000",      NULL, NULL, LESS_TIME, 6.99, 3.76, true) \
	ROW(LARGE_HACK_16,    "large_hackbench_16", LARGE, "hackbench:groups=16,loops=800",     "hackbench:groups=16,loops=16000",     NULL, NULL, LESS_TIME, -4.92, 1.72, false) \
	ROW(LARGE_HACK_32,    "large_hackbench_32", LARGE, "hackbench:groups=32,loops=400",     "hackbench:groups=32,loops=8000",      NULL, NULL, LESS_TIME, 2.54, 1.16, true) \
	ROW(LARGE_HACK_64,    "large_hackbench_64", LARGE, "hackbench:groups=64,loops=200",     "hackbench:groups=64,loops=4000",      NULL, NULL, LESS_TIME, 3.17, 1.90, true) \
	ROW(LARGE_HACK_128,   "large_hackbench_128", LARGE, "hackbench:groups=128,loops=100",   "hackbench:groups=128,loops=2000",     NULL, NULL, LESS_TIME, 5.82, 7.71, false) \
	ROW(LARGE_HACK_256,   "large_hackbench_256", LARGE, "hackbench:groups=256,loops=50",    "hackbench:groups=256,loops=1000",     NULL, NULL, LESS_TIME, 12.87, 10.09, true) \
	ROW(LARGE_DBENCH_1,   "large_dbench_1",     LARGE, "dbench:clients=1",                  NULL, "3s", "60s", MORE, 0.62, 0.32, true) \
	ROW(LARGE_DBENCH_4,   "large_dbench_4",     LARGE, "dbench:clients=4",                  NULL, "3s", "60s", MORE, 2.84, 0.66, true) \
	ROW(LARGE_DBENCH_16,  "large_dbench_16",    LARGE, "dbench:clients=16",                 NULL, "3s", "60s", MORE, 0.92, 0.88, true) \
	ROW(LARGE_DBENCH_32,  "large_dbench_32",    LARGE, "dbench:clients=32",                 NULL, "3s", "60s", MORE, 3.57, 1.72, true) \
	ROW(LARGE_DBENCH_64,  "large_dbench_64",    LARGE, "dbench:clients=64",                 NULL, "3s", "60s", MORE, 1.35, 3.39, true) \
	ROW(LARGE_DBENCH_128, "large_dbench_128",   LARGE, "dbench:clients=128",                NULL, "3s", "60s", MORE, 6.03, 10.67, true) \
	ROW(LARGE_DBENCH_256, "large_dbench_256",   LARGE, "dbench:clients=256",                NULL, "3s", "60s", MORE, 33.17, 4.97, true) \
	ROW(LARGE_SHELL_1,    "large_shell8_1",     LARGE, "shell8:iterations=208",             "shell8:iterations=4160",              NULL, NULL, MORE, -4.87, 0.11, true) \
	ROW(LARGE_SHELL_224,  "large_shell8_224",   LARGE, "shell8:iterations=2,tests=224",     "shell8:iterations=36,tests=224",      NULL, NULL, MORE, 1.03, 0.47, true)

#define ROW_ID(id, ...) id,
enum row {
	ROWS(ROW_ID)
	ROW_COUNT,
};

enum version {
	OLD,
	NEW,
	SERIES, /* the patches of the mails alone */
	VERSIONS,
};

#define OLD_KERNEL "5.4"
#define NEW_KERNEL "5.5"
#define SERIES_KERNEL \
	"5.4,+lb-p1,+lb-p2,+lb-p3,+lb-p4,+lb-p5,+lb-p6,+lb-p7,+lb-p8,+lb-p9,+lb-p10,+lb-p11"

/* Three simulations a row, then three of each kind of waste. */
enum waste {
	WASTE_BUILD,   /* the report's: a build beside two hogs */
	WASTE_NO_EXEC, /* tasks that sleep and wake instead */
	WASTES,
};

#define RUN_OF(id, version, on, w, w_full, t, t_full) \
	{ .name = id ", " version, .machine = on, .kernel = version, .work = {w}, .work_full = w_full, .time_quick = t, .time_full = t_full },
#define ROW_RUNS(id, text, on, w, w_full, t, t_full, ...) \
	RUN_OF(text, OLD_KERNEL, on, w, w_full, t, t_full) \
	RUN_OF(text, NEW_KERNEL, on, w, w_full, t, t_full) \
	RUN_OF(text, SERIES_KERNEL, on, w, w_full, t, t_full)
#define HOGS "/hog1", "spin:n=1", "/hog2", "spin:n=1"
#define WASTE_RUN(text, version, w) \
	{ .name = text ", " version, .machine = LADDER, .kernel = version, .work = {"/make", w, HOGS}, .time_quick = "10s", .time_full = "60s", .observed = true },
#define WASTE_RUNS(text, w) \
	WASTE_RUN(text, OLD_KERNEL, w) WASTE_RUN(text, NEW_KERNEL, w) WASTE_RUN(text, SERIES_KERNEL, w)

static const struct case_run runs[VERSIONS * (ROW_COUNT + WASTES)] = {
	ROWS(ROW_RUNS)
	WASTE_RUNS("a build beside two hogs", "kbuild:jobs=64,files=15000")
	WASTE_RUNS("sleepers beside two hogs", "periodic:n=64,period=20ms,run=19ms")
};

enum figure {
	/* first the rows */
	STRONG_HOLD = ROW_COUNT,
	STRONG_ROWS,
	WEAK_HOLD,
	WEAK_ROWS,
	WASTED_RATIO,
	WASTED_RATIO_NO_EXEC,
	WASTED_SHARE,
	WASTED_SHARE_NEW,
	/* the same rows with the series' patches alone */
	FIRST_OF_SERIES,
	STRONG_HOLD_SERIES = FIRST_OF_SERIES + ROW_COUNT,
	WEAK_HOLD_SERIES,
	FIGURES,
};

#define SIZE(x) ((x) < 0 ? -(x) : (x))
#define IS_STRONG(x, noise) (SIZE(x) > (noise) + POINTS)
#define LOW(x, noise) (!IS_STRONG(x, noise) ? -((noise) + POINTS) : (x) > 0 ? (x) / STRONG_FACTOR : (x) * STRONG_FACTOR)
#define HIGH(x, noise) (!IS_STRONG(x, noise) ? (noise) + POINTS : (x) > 0 ? (x) * STRONG_FACTOR : (x) / STRONG_FACTOR)
#define KIND_STRONG "strong"
#define KIND_WEAK "weak"

#define NONE CASE_NONE
#define ROW_FIGURE(id, text, on, w, w_full, t, t_full, better_, x, noise_, counts) \
	[id] = { .name = text, .what = "improvement by 5.5, " w " on " on, .unit = "%", .published = x, .published_low = NONE, .published_high = NONE, \
		 .low = (counts) ? LOW(x, noise_) : NONE, .high = (counts) ? HIGH(x, noise_) : NONE, .aim_low = NONE, .aim_high = NONE, \
		 .noise = noise_, .kind = !(counts) ? "not counted" : IS_STRONG(x, noise_) ? KIND_STRONG : KIND_WEAK, \
		 .beyond_zero = (counts) && IS_STRONG(x, noise_) },
#define SERIES_FIGURE(id, text, on, w, w_full, t, t_full, better_, x, ...) \
	[FIRST_OF_SERIES + (id)] = { .name = text "_series", .what = "... by the series' patches alone", .unit = "%", .published = x, \
		 .published_low = NONE, .published_high = NONE, .low = NONE, .high = NONE, .aim_low = NONE, .aim_high = NONE },
#define FIGURE(text, about, low_, required_) \
	{ .name = text, .what = about, .unit = "1", .published = NONE, .published_low = NONE, .published_high = NONE, \
	  .low = low_, .high = NONE, .aim_low = NONE, .aim_high = NONE, .required = required_ }

/* What the rows come to. */
#define STRONG_COUNT 7
#define WEAK_COUNT 14
#define STRONG_AIM (STRONG_COUNT * 2. / 3)
#define WEAK_AIM (WEAK_COUNT * 0.8)

static const struct case_figure figures[FIGURES] = {
	ROWS(ROW_FIGURE)
	ROWS(SERIES_FIGURE)
	[STRONG_HOLD] = FIGURE("strong_hold", "strong rows that hold: two thirds of them", STRONG_AIM, true),
	[STRONG_ROWS] = FIGURE("strong_rows", "rows whose published improvement exceeds the noise and 2 points", NONE, false),
	[WEAK_HOLD]   = FIGURE("weak_hold", "weak rows that hold: 80 % of them", WEAK_AIM, true),
	[WEAK_ROWS]   = FIGURE("weak_rows", "the other rows that count", NONE, false),
	[WASTED_RATIO] = FIGURE("wasted_ratio", "time CPUs idle while a build's tasks wait beside two hogs, 5.4 / 5.5", 5, true),
	[WASTED_RATIO_NO_EXEC] = FIGURE("wasted_ratio_no_exec", "... of tasks that sleep and wake, but never exec", NONE, false),
	[WASTED_SHARE] = FIGURE("wasted_share", "part of all CPU time so lost by 5.4 beside the build", NONE, false),
	[WASTED_SHARE_NEW] = FIGURE("wasted_share_55", "... by 5.5", NONE, false),
	[STRONG_HOLD_SERIES] = FIGURE("strong_hold_series", "strong_hold with the series' patches alone", NONE, false),
	[WEAK_HOLD_SERIES] = FIGURE("weak_hold_series", "weak_hold with the series' patches alone", NONE, false),
};
/* clang-format on */

#define ROW_BETTER(id, text, on, w, w_full, t, t_full, better, ...) [id] = better,
static const enum better better_of[ROW_COUNT] = {ROWS(ROW_BETTER)};

static void finish(const struct case_def *def, void *out, struct run *r)
{
	struct metric_value value[METRIC_COUNT];
	struct measured *m = out;

	(void)def;
	m->done = run_done_count(r);
	m->elapsed_ns = run_elapsed_ns(r);
	run_metrics(r, value);
	if (value[METRIC_WASTED_NS].den)
		m->wasted_ns = value[METRIC_WASTED_NS].num;
}

/* The simulations of one row and kernel: nseeds of them. */
static const struct measured *runs_of(const void *all, uint32_t nseeds, uint32_t row,
				      enum version v)
{
	return (const struct measured *)all + (size_t)(VERSIONS * row + v) * nseeds;
}

/* By how much NEW improves what OLD does, in %. */
static double improvement(enum better better, const struct measured *old,
			  const struct measured *new)
{
	double old_ns = (double)old->elapsed_ns, new_ns = (double)new->elapsed_ns;

	if (!old->done || !new->elapsed_ns)
		return CASE_NONE;
	if (better == LESS_TIME)
		return 100 * (old_ns - new_ns) / old_ns;
	return 100 * ((double)new->done / new_ns / ((double)old->done / old_ns) - 1);
}

static struct stats_interval improvement_of_row(const void *all, uint32_t nseeds, uint32_t row,
						enum version v)
{
	const struct measured *old = runs_of(all, nseeds, row, OLD);
	const struct measured *new = runs_of(all, nseeds, row, v);
	double none[CASE_SEEDS_MAX] = {0}, x[CASE_SEEDS_MAX];

	for (uint32_t i = 0; i < nseeds; i++)
		x[i] = improvement(better_of[row], &old[i], &new[i]);
	return stats_paired_difference(none, x, nseeds);
}

static double wasted(const void *all, uint32_t nseeds, enum waste waste, enum version v)
{
	const struct measured *m = runs_of(all, nseeds, ROW_COUNT + waste, v);
	double sum = 0;

	for (uint32_t i = 0; i < nseeds; i++)
		sum += (double)m[i].wasted_ns;
	return sum;
}

static double wasted_ratio(const void *all, uint32_t nseeds, enum waste waste)
{
	double new = wasted(all, nseeds, waste, NEW);

	return new > 0 ? wasted(all, nseeds, waste, OLD) / new : CASE_NONE;
}

static double wasted_share(const void *all, uint32_t nseeds, enum version v)
{
	const struct measured *m = runs_of(all, nseeds, ROW_COUNT + WASTE_BUILD, v);
	double sum = 0;

	for (uint32_t i = 0; i < nseeds; i++)
		sum += LADDER_CPUS * (double)m[i].elapsed_ns;
	return sum > 0 ? wasted(all, nseeds, WASTE_BUILD, v) / sum : CASE_NONE;
}

/* How many rows of one kind hold. */
static uint32_t count_rows(const void *all, uint32_t nseeds, bool strong, enum version v)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < ROW_COUNT; row++) {
		struct stats_interval i = improvement_of_row(all, nseeds, row, v);
		const struct case_figure *f = &figures[row];

		if (case_is_judged(f) && f->beyond_zero == strong)
			n += case_in_bounds(f, i.mid, &i);
	}
	return n;
}

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	uint32_t strong = 0, weak = 0;

	(void)def;
	for (uint32_t row = 0; row < ROW_COUNT; row++) {
		x[row] = improvement_of_row(all, nseeds, row, NEW).mid;
		x[FIRST_OF_SERIES + row] = improvement_of_row(all, nseeds, row, SERIES).mid;
		strong += case_is_judged(&figures[row]) && figures[row].beyond_zero;
		weak += case_is_judged(&figures[row]) && !figures[row].beyond_zero;
	}
	CHECK(strong == STRONG_COUNT);
	CHECK(weak == WEAK_COUNT);
	x[STRONG_ROWS] = strong;
	x[WEAK_ROWS] = weak;
	x[STRONG_HOLD] = count_rows(all, nseeds, true, NEW);
	x[WEAK_HOLD] = count_rows(all, nseeds, false, NEW);
	x[STRONG_HOLD_SERIES] = count_rows(all, nseeds, true, SERIES);
	x[WEAK_HOLD_SERIES] = count_rows(all, nseeds, false, SERIES);
	x[WASTED_RATIO] = wasted_ratio(all, nseeds, WASTE_BUILD);
	x[WASTED_RATIO_NO_EXEC] = wasted_ratio(all, nseeds, WASTE_NO_EXEC);
	x[WASTED_SHARE] = wasted_share(all, nseeds, OLD);
	x[WASTED_SHARE_NEW] = wasted_share(all, nseeds, NEW);
}

static void intervals(const void *all, uint32_t nseeds, struct stats_interval *out)
{
	for (uint32_t row = 0; row < ROW_COUNT; row++) {
		out[row] = improvement_of_row(all, nseeds, row, NEW);
		out[FIRST_OF_SERIES + row] = improvement_of_row(all, nseeds, row, SERIES);
	}
}

const struct case_def case_2019_load_balance_rework = {
	.id = "2019-load-balance-rework",
	.title = "balancing by types of groups instead of average loads (5.4 to 5.5)",
	.source = "\"[PATCH v4 00/10] sched/fair: rework the CFS load balance\", Vincent Guittot, "
		  "linux-kernel, 18 October 2019",
	.kernels = {OLD_KERNEL, NEW_KERNEL, SERIES_KERNEL},
	.cost_s = 70,
	.figures = figures,
	.nfigures = FIGURES,
	.runs = runs,
	.nruns = VERSIONS * (ROW_COUNT + WASTES),
	.middle = "means",
	.nseeds = 4,
	.nseeds_full = 8,
	.measured_bytes = sizeof(struct measured),
	.finish = finish,
	.judge = judge,
	.intervals = intervals,
};
