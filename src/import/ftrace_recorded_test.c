/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces that others and real kernels have recorded, kept outside the project; skipped
 * where they are absent. What is counted here was also counted in the files by other
 * means. Recordings of 6.1 and 6.12 must agree with themselves, and with what
 * /proc/schedstat counted meanwhile.
 */
#include "support.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "import/ftrace_read.h"

#define CPUS 64u
#define PIDS 32768u
#define SWITCHES_MAX 20000u

static struct ftrace_reader r;
static struct ftrace_event ev;
static struct rql_error e;

/* ---- What all recordings of the two kernels have in common ---- */

/* Where a task was put by the last event that put it somewhere. */
struct place {
	bool known;
	uint32_t before, from, to; /* CPUs; before: where it was until then */
	uint64_t time_ns;
	bool broken; /* it did not leave from where it was */
};

struct seen {
	int32_t next[CPUS]; /* whom the CPU's last switch brought; -1: none yet */
	struct place place[PIDS];
	uint64_t broken, swapped;
};

static struct seen seen;
static struct ftrace_count total;

/* A switch goes from the task that runs, which the one before brought. */
static void see_switch(void)
{
	assert_int_equal(ev.pid, ev.task.pid);
	if (seen.next[ev.cpu] >= 0)
		assert_int_equal(ev.task.pid, seen.next[ev.cpu]);
	seen.next[ev.cpu] = ev.other.pid;
	/* the idle task is never gone, and it is always the CPU's own */
	if (ev.task.pid == 0) {
		assert_true(ev.runnable);
		assert_int_equal(atoi(ev.task.comm + strlen("swapper/")), ev.cpu);
	}
	if (ev.other.pid == 0)
		assert_int_equal(atoi(ev.other.comm + strlen("swapper/")), ev.cpu);
}

/* The clocks of two CPUs of these machines differ by this at most. */
#define SKEW_NS 40000

/*
 * A task leaves from where it was put. Where two moves follow at once they may stand the
 * wrong way round: then the second ends where the first begins.
 */
static void see_move(uint32_t from)
{
	struct place *p = &seen.place[(uint32_t)ev.task.pid % PIDS];
	bool broken = p->known && p->to != from;

	if (broken && p->broken && ev.to_cpu == p->from && from == p->before &&
	    ev.time_ns - p->time_ns <= SKEW_NS) {
		seen.broken--;
		seen.swapped++;
		p->broken = false;
		return;
	}
	seen.broken += broken;
	*p = (struct place){true, p->known ? p->to : from, from, ev.to_cpu, ev.time_ns, broken};
}

/* A new task is put on its first CPU, after what its pid did before. */
static void see_start(void)
{
	struct place *p = &seen.place[(uint32_t)ev.task.pid % PIDS];

	*p = (struct place){true, ev.to_cpu, ev.to_cpu, ev.to_cpu, ev.time_ns, false};
}

static void see_event(void)
{
	assert_true(ev.cpu < CPUS);
	assert_true(ev.to_cpu < CPUS);
	if (ev.kind == FTRACE_SWITCH)
		see_switch();
	else if (ev.kind == FTRACE_MIGRATE)
		see_move(ev.from_cpu);
	else if (ev.kind == FTRACE_WAKEUP_NEW)
		see_start();
	else if (ev.kind == FTRACE_FORK)
		assert_int_equal(ev.pid, ev.task.pid);
}

static void forget(void)
{
	memset(&seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < CPUS; i++)
		seen.next[i] = -1;
}

/* PATH below the shared folder; calls SEE for each event. */
static void read_trace(const char *path, void (*see)(void))
{
	FILE *f = shared_open(path);
	enum ftrace_result result;

	ftrace_start(&r, path, ftrace_read_file, f);
	while ((result = ftrace_next(&r, &ev, &e)) == FTRACE_OK)
		see();
	if (result == FTRACE_ERROR)
		fail_msg("%s:%u: %s", path, (unsigned)e.line, e.what);
	shared_close(f);
}

static void add_counts(void)
{
	for (enum ftrace_kind i = 0; i < FTRACE_KINDS; i++)
		total.kind[i] += r.count.kind[i];
	total.skipped += r.count.skipped;
	total.lost += r.count.lost + r.count.overwritten;
	total.back += r.count.back;
}

static void test_all_recordings_of_the_kernels_are_read(void **state)
{
	char pattern[600];
	uint64_t swapped = 0, broken = 0;
	size_t root;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "%s", shared_path("truth/data"));
	root = strlen(pattern) - strlen("truth/data");
	strcat(pattern, "/*/*/*.trace.gz");
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	assert_int_equal(g.gl_pathc, 116);
	memset(&total, 0, sizeof(total));
	for (size_t i = 0; i < g.gl_pathc; i++) {
		forget();
		read_trace(g.gl_pathv[i] + root, see_event);
		add_counts();
		swapped += seen.swapped;
		broken += seen.broken;
	}
	globfree(&g);
	assert_int_equal(total.kind[FTRACE_SWITCH], 32714);
	assert_int_equal(total.kind[FTRACE_WAKING], 2760);
	assert_int_equal(total.kind[FTRACE_WAKEUP], 2760);
	assert_int_equal(total.kind[FTRACE_WAKEUP_NEW], 5447);
	assert_int_equal(total.kind[FTRACE_MIGRATE], 45488);
	assert_int_equal(total.kind[FTRACE_FORK], 5447);
	assert_int_equal(total.kind[FTRACE_EXIT], 5384);
	assert_int_equal(total.skipped, 0);
	assert_int_equal(total.lost, 0);
	assert_int_equal(total.back, 0);
	/* of 45488; those that no pair explains are three moves at once, most on 64 CPUs */
	assert_int_equal(swapped, 50);
	assert_int_equal(broken, 54);
}

/* ---- Against /proc/schedstat ---- */

struct cpu_counts {
	uint64_t arrivals[CPUS]; /* pcount: a task, not the idle one, got the CPU */
	uint64_t idle[CPUS];     /* sched_goidle: the idle task did */
	uint64_t lb_gained;      /* all domains */
};

static struct {
	uint32_t cpu;
	bool idle;
} switches[SWITCHES_MAX];
static uint32_t nswitches;

static void keep_switch(void)
{
	if (ev.kind != FTRACE_SWITCH)
		return;
	assert_true(nswitches < SWITCHES_MAX);
	switches[nswitches].cpu = ev.cpu;
	switches[nswitches++].idle = ev.other.pid == 0;
}

static void nothing(void)
{
}

/* Adds SIGN times the counters of the file PATH. */
static void add_schedstat(const char *path, uint64_t sign, struct cpu_counts *c)
{
	static char text[1 << 17];
	char *save = NULL;

	shared_text(path, text, sizeof(text));
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		unsigned long long f[9], gained[3];
		unsigned cpu;

		if (sscanf(l, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &f[0],
			   &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7], &f[8]) == 10) {
			assert_true(cpu < CPUS);
			c->idle[cpu] += sign * f[3];
			c->arrivals[cpu] += sign * f[8];
		} else if (sscanf(l,
				  "domain%*u %*s %*u %*u %*u %*u %llu %*u %*u %*u %*u %*u %*u %*u "
				  "%llu %*u %*u %*u %*u %*u %*u %*u %llu",
				  &gained[0], &gained[1], &gained[2]) == 3) {
			c->lb_gained += sign * (gained[0] + gained[1] + gained[2]);
		}
	}
}

static void read_schedstat(const char *run, struct cpu_counts *c)
{
	char path[100];

	memset(c, 0, sizeof(*c));
	snprintf(path, sizeof(path), "truth/data/%s.schedstat1.gz", run);
	add_schedstat(path, 1, c);
	snprintf(path, sizeof(path), "truth/data/%s.schedstat0.gz", run);
	add_schedstat(path, (uint64_t)-1, c);
}

static void count_switch(struct cpu_counts *c, uint32_t i, uint64_t sign)
{
	if (switches[i].idle)
		c->idle[switches[i].cpu] += sign;
	else
		c->arrivals[switches[i].cpu] += sign;
}

/*
 * The two files were read while the trace ran, so some switches in a row of the trace must
 * be those that were counted: on each CPU as many arrivals and as many of the idle task.
 */
static bool some_row_has(const struct cpu_counts *want)
{
	static struct cpu_counts have;
	uint64_t length = 0;

	memset(&have, 0, sizeof(have));
	have.lb_gained = want->lb_gained;
	for (uint32_t cpu = 0; cpu < CPUS; cpu++)
		length += want->arrivals[cpu] + want->idle[cpu];
	assert_true(length > 50 && length < nswitches);
	for (uint32_t i = 0; i < nswitches; i++) {
		count_switch(&have, i, 1);
		if (i >= length)
			count_switch(&have, i - (uint32_t)length, (uint64_t)-1);
		if (i + 1 >= length && memcmp(&have, want, sizeof(have)) == 0)
			return true;
	}
	return false;
}

static void test_switches_are_those_that_schedstat_counted(void **state)
{
	static const char *const runs[] = {
		"6.1/trace-rep0/tc8",  "6.1/trace-rep0/tc17",  "6.1/trace-rep0/tf",
		"6.1/trace-rep0/ta",   "6.1/extra-rep0/te",    "6.1/extra-rep0/tp1",
		"6.12/trace-rep0/tc8", "6.12/trace-rep0/tc17", "6.12/trace-rep0/tf",
		"6.12/trace-rep0/ta",  "6.12/extra-rep0/te",   "6.12/extra-rep0/tp1",
	};

	for (uint32_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		static struct cpu_counts want;
		char path[100];

		nswitches = 0;
		snprintf(path, sizeof(path), "truth/data/%s.trace.gz", runs[i]);
		read_trace(path, keep_switch);
		read_schedstat(runs[i], &want);
		if (!some_row_has(&want))
			fail_msg("%s: no such switches in a row", runs[i]);
	}
}

/* Each task that balancing gained has moved; few others move while spinners spin. */
static void test_balancing_gained_no_more_tasks_than_moved(void **state)
{
	static const char *const runs[] = {
		"main-rep0/a",   "main-rep0/c17", "main-rep0/c24", "main-rep0/e", "main-rep1/a",
		"main-rep1/c17", "main-rep1/c24", "main-rep1/e",   "main-rep2/a", "main-rep2/e",
	};

	for (uint32_t i = 0; i < 2 * sizeof(runs) / sizeof(runs[0]); i++) {
		static struct cpu_counts want;
		char run[80], path[100];

		snprintf(run, sizeof(run), "%s/%s", i % 2 ? "6.12" : "6.1", runs[i / 2]);
		snprintf(path, sizeof(path), "truth/data/%s.trace.gz", run);
		read_trace(path, nothing);
		read_schedstat(run, &want);
		assert_true(want.lb_gained > 0);
		assert_true(want.lb_gained <= r.count.kind[FTRACE_MIGRATE]);
	}
}

/* ---- Traces of others ---- */

static void test_other_recordings_are_read(void **state)
{
	static const struct {
		const char *file;
		uint64_t switches, wakeups, migrations, skipped;
	} rows[] = {
		{"lisa__trace.txt", 1856, 1068, 0, 17},
		{"trappy__trace_sched.txt", 0, 2, 0, 7},
		{"trappy__trace_failed_to_parse.txt", 0, 0, 0, 11},
		{"trappy__trace_no_trailing_line.txt", 1, 0, 0, 9},
		{"trappy__raw_trace.txt", 3, 0, 0, 0},
		{"bart__trace.txt", 3, 0, 0, 0},
		{"ftrace-5.16plus__five-flag-header.txt", 0, 0, 0, 2},
		{"lkml-schedidle__ftrace.txt", 4, 4, 0, 0},
		{"lkml-schedidle__ftrace-patched.txt", 4, 4, 0, 0},
		{"perfetto__cpu_frequency_limits.systrace", 0, 0, 0, 12},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[100];

		snprintf(path, sizeof(path), "inputs/traces/%s", rows[i].file);
		read_trace(path, nothing);
		assert_int_equal(r.count.kind[FTRACE_SWITCH], rows[i].switches);
		assert_int_equal(r.count.kind[FTRACE_WAKEUP], rows[i].wakeups);
		assert_int_equal(r.count.kind[FTRACE_MIGRATE], rows[i].migrations);
		assert_int_equal(r.count.skipped, rows[i].skipped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_recordings_of_the_kernels_are_read),
		cmocka_unit_test(test_switches_are_those_that_schedstat_counted),
		cmocka_unit_test(test_balancing_gained_no_more_tasks_than_moved),
		cmocka_unit_test(test_other_recordings_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
