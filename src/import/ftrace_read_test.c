/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <string.h>

#include "import/ftrace_read.h"

static struct ftrace_reader r;
static struct ftrace_event ev;
static struct rql_error e;

/* ---- A text in memory, handed out in pieces of STEP bytes ---- */

struct memory {
	const char *s;
	size_t n, step;
};

static struct memory memory;

static long read_memory(void *arg, char *out, size_t cap)
{
	struct memory *m = arg;
	size_t n = m->n;

	if (n > m->step)
		n = m->step;
	if (n > cap)
		n = cap;
	memcpy(out, m->s, n);
	m->s += n;
	m->n -= n;
	return (long)n;
}

static void start(const char *text)
{
	memory = (struct memory){text, strlen(text), SIZE_MAX};
	ftrace_start(&r, "t", read_memory, &memory);
}

static void read_one(const char *text)
{
	start(text);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
}

static void assert_task(const struct ftrace_task *p, const char *comm, int32_t pid, int32_t prio)
{
	assert_string_equal(p->comm, comm);
	assert_int_equal(p->pid, pid);
	assert_int_equal(p->prio, prio);
}

/* ---- Kinds ---- */

static void test_switch(void **state)
{
	read_one("          <idle>-0       [002] d..2.     3.006582: sched_switch: "
		 "prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> "
		 "next_comm=sh next_pid=1746 next_prio=97\n");
	assert_int_equal(ev.kind, FTRACE_SWITCH);
	assert_int_equal(ev.line, 1);
	assert_int_equal(ev.cpu, 2);
	assert_int_equal(ev.pid, 0);
	assert_true(ev.time_ns == 3006582000);
	assert_task(&ev.task, "swapper/2", 0, 120);
	assert_task(&ev.other, "sh", 1746, 97);
	assert_string_equal(ev.state, "R");
	assert_true(ev.runnable);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_END);
	assert_int_equal(r.count.kind[FTRACE_SWITCH], 1);
	assert_int_equal(r.count.lines, 1);
}

static void test_states_of_a_switch(void **state)
{
	static const struct {
		const char *text;
		bool runnable;
	} rows[] = {
		{"R", true},   {"R+", true},   {"S", false},    {"D|K", false}, {"X", false},
		{"I", false},  {"0", true},    {"1", false},    {"64", false},  {"130", false},
		{"512", true}, {"4096", true}, {"1026", false},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[300];

		snprintf(text, sizeof(text),
			 "a-1 [000] d... 1.000001: sched_switch: prev_comm=a prev_pid=1 "
			 "prev_prio=120 prev_state=%s ==> next_comm=b next_pid=2 next_prio=-1",
			 rows[i].text);
		read_one(text);
		assert_string_equal(ev.state, rows[i].text);
		assert_int_equal(ev.runnable, rows[i].runnable);
		assert_task(&ev.other, "b", 2, -1);
	}
}

/* As trace-cmd report writes what old kernels recorded. */
static void test_switch_without_an_arrow(void **state)
{
	read_one("              sh-1642  [002]    76.211701: sched_switch:          prev_comm=sh "
		 "prev_pid=1642 prev_prio=120 prev_state=4096 next_comm=kworker/u12:1 "
		 "next_pid=46 next_prio=100");
	assert_task(&ev.task, "sh", 1642, 120);
	assert_task(&ev.other, "kworker/u12:1", 46, 100);
	assert_string_equal(ev.state, "4096");
	assert_true(ev.runnable);
	assert_true(ev.time_ns == 76211701000);
}

static void test_switch_in_brackets(void **state)
{
	read_one("     migration/2-18    [002] 106439.675613: sched_switch:         "
		 "migration/2:18 [0] S ==> odd: ==> x:4732 [120]");
	assert_task(&ev.task, "migration/2", 18, 0);
	assert_task(&ev.other, "odd: ==> x", 4732, 120);
	assert_string_equal(ev.state, "S");
	assert_false(ev.runnable);
}

static void test_wake_ups(void **state)
{
	static const struct {
		const char *name;
		enum ftrace_kind kind;
	} rows[] = {
		{"sched_waking", FTRACE_WAKING},
		{"sched_wakeup", FTRACE_WAKEUP},
		{"sched_wakeup_new", FTRACE_WAKEUP_NEW},
	};

	for (uint32_t i = 0; i < 3; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "lab-7 [013] dNs4. 10.5: %s: comm=rcu_preempt pid=16 prio=120 "
			 "target_cpu=004",
			 rows[i].name);
		read_one(text);
		assert_int_equal(ev.kind, rows[i].kind);
		assert_int_equal(ev.cpu, 13);
		assert_int_equal(ev.pid, 7);
		assert_true(ev.time_ns == 10500000000);
		assert_task(&ev.task, "rcu_preempt", 16, 120);
		assert_int_equal(ev.to_cpu, 4);
	}
	read_one("a-1 [0] 1.1: sched_wakeup: comm=sh pid=1642 prio=120 success=1 target_cpu=2");
	assert_task(&ev.task, "sh", 1642, 120);
	assert_int_equal(ev.to_cpu, 2);
}

static void test_migration_fork_exec_and_exit(void **state)
{
	read_one("a-1 [0] .... 1.1: sched_migrate_task: comm=sh pid=183 prio=120 orig_cpu=8 "
		 "dest_cpu=6");
	assert_int_equal(ev.kind, FTRACE_MIGRATE);
	assert_task(&ev.task, "sh", 183, 120);
	assert_int_equal(ev.from_cpu, 8);
	assert_int_equal(ev.to_cpu, 6);
	read_one("a-1 [0] .... 1.1: sched_process_fork: comm=sh pid=183 child_comm=s h "
		 "child_pid=316");
	assert_int_equal(ev.kind, FTRACE_FORK);
	assert_task(&ev.task, "sh", 183, 0);
	assert_task(&ev.other, "s h", 316, 0);
	read_one("a-1 [0] .... 1.1: sched_process_exec: filename=/bin/a b pid=9 old_pid=8");
	assert_int_equal(ev.kind, FTRACE_EXEC);
	assert_int_equal(ev.task.pid, 9);
	assert_int_equal(ev.other.pid, 8);
	read_one("a-1 [0] .... 1.1: sched_process_exit: comm=lab pid=316 prio=120");
	assert_int_equal(ev.kind, FTRACE_EXIT);
	assert_task(&ev.task, "lab", 316, 120);
	read_one("a-1 [0] .... 1.1: sched_process_exit: comm=lab pid=316 prio=120 "
		 "group_dead=true");
	assert_task(&ev.task, "lab", 316, 120);
}

static void test_statistics(void **state)
{
	static const struct {
		const char *name;
		enum ftrace_kind kind;
	} rows[] = {
		{"sched_stat_wait", FTRACE_STAT_WAIT},
		{"sched_stat_sleep", FTRACE_STAT_SLEEP},
		{"sched_stat_iowait", FTRACE_STAT_IOWAIT},
		{"sched_stat_blocked", FTRACE_STAT_BLOCKED},
	};

	for (uint32_t i = 0; i < 4; i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "a-1 [0] .... 1.1: %s: comm=b pid=5 delay=6543210 [ns]", rows[i].name);
		read_one(text);
		assert_int_equal(ev.kind, rows[i].kind);
		assert_task(&ev.task, "b", 5, 0);
		assert_true(ev.ns == 6543210);
	}
	read_one("a-1 [0] .... 1.1: sched_stat_runtime: comm=b pid=5 runtime=9214 [ns] "
		 "vruntime=18446744073709551615 [ns]");
	assert_int_equal(ev.kind, FTRACE_STAT_RUNTIME);
	assert_true(ev.ns == 9214);
	assert_true(ev.vruntime_vns == UINT64_MAX);
	read_one("a-1 [0] .... 1.1: sched_stat_runtime: comm=b pid=5 runtime=9214 [ns]");
	assert_true(ev.ns == 9214);
	assert_true(ev.vruntime_vns == 0);
}

/* ---- The line around it ---- */

/* Flags of any width, none, a thread group, ns; names that look like other things. */
static void test_heads_of_all_kernels(void **state)
{
	static const struct {
		const char *head;
		int32_t pid;
		uint32_t cpu;
		uint64_t time_ns;
	} rows[] = {
		{"a-1 [000] d... 1.000001:", 1, 0, 1000001000},
		{"a-1 [000] d..2. 1.000001:", 1, 0, 1000001000},
		{"a-1 [000] d...21.. 1.000001:", 1, 0, 1000001000},
		{"a-1 [1023] 1.000001:", 1, 1023, 1000001000},
		{"a-1 (  123) [000] d... 1.000001:", 1, 0, 1000001000},
		{"a-1 (-----) [000] d... 1.000001:", 1, 0, 1000001000},
		{"a-1 [000] d... 1.000001002:", 1, 0, 1000001002},
		{"\ta-1 [000] d... 18446744071.999999:", 1, 0, 18446744071999999000u},
		{"<...>-39771 [002] d.h. 42478.177771:", 39771, 2, 42478177771000},
		{"a b-c - [x-2 [7]-12   [003] .... 0.0:", 12, 3, 0},
		{"x-9 [001] y-3 [004] .... 5.5:", 3, 4, 5500000000},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text), "%s sched_process_exit: comm=a pid=1 prio=120",
			 rows[i].head);
		read_one(text);
		assert_int_equal(ev.pid, rows[i].pid);
		assert_int_equal(ev.cpu, rows[i].cpu);
		assert_true(ev.time_ns == rows[i].time_ns);
	}
}

static void test_names_may_look_like_fields(void **state)
{
	read_one("a-1 [0] .... 1.1: sched_wakeup: comm=x pid=1 prio= pid=5 prio=120 target_cpu=2");
	assert_task(&ev.task, "x pid=1 prio=", 5, 120);
	read_one("a-1 [0] .... 1.1: sched_switch: prev_comm=p ==> q prev_pid=1 prev_prio=120 "
		 "prev_state=S ==> next_comm= next_pid=2 next_prio=120");
	assert_task(&ev.task, "p ==> q", 1, 120);
	assert_task(&ev.other, "", 2, 120);
	read_one("a-1 [0] .... 1.1: sched_process_exit: comm=sixteen letters!! pid=3 prio=1");
	assert_task(&ev.task, "sixteen letters", 3, 1);
}

static void test_other_events_are_skipped_and_counted(void **state)
{
	start("# tracer: nop\n"
	      "\n"
	      "a-1 [000] d... 1.1: cpu_frequency: state=600000 cpu_id=0\n"
	      "a-1 [000] d... 1.1: myprobe: (sys_clone+0xc/0xa0) r0=0x1 r1=0x0\n"
	      "a-1 [000] d... 1.1: sched_switching: prev_comm\n"
	      "a-1 [000] d... 1.2: sched_process_exit: comm=a pid=1 prio=120\r\n"
	      "a-1 [000] d... 1.1: sched_wake: x");
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
	assert_int_equal(ev.line, 6);
	assert_task(&ev.task, "a", 1, 120);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_END);
	assert_int_equal(r.count.skipped, 4);
	assert_int_equal(r.count.kind[FTRACE_EXIT], 1);
	assert_int_equal(r.count.lines, 7);
	assert_int_equal(r.count.back, 1);
}

static void test_lost_events_are_told_where_they_are_missing(void **state)
{
	start("# entries-in-buffer/entries-written: 235/300   #P:16\n"
	      "CPU:3 [LOST 123 EVENTS]\n"
	      "a-1 [003] d... 1.2: sched_process_exit: comm=a pid=1 prio=120\n"
	      "CPU:12 [LOST EVENTS]\n");
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
	assert_int_equal(ev.kind, FTRACE_LOST);
	assert_int_equal(ev.cpu, 3);
	assert_int_equal(ev.ns, 123);
	assert_int_equal(ev.line, 2);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
	assert_int_equal(ev.kind, FTRACE_EXIT);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
	assert_int_equal(ev.kind, FTRACE_LOST);
	assert_int_equal(ev.cpu, 12);
	assert_int_equal(ev.ns, 0);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_END);
	assert_int_equal(r.count.overwritten, 65);
	assert_int_equal(r.count.lost, 124);
	assert_int_equal(r.count.kind[FTRACE_LOST], 2);
}

/* Blocks end anywhere. */
static void test_text_comes_in_pieces_of_any_size(void **state)
{
	static const char text[] =
		"a-1 [003] d... 1.2: sched_process_exit: comm=a pid=1 prio=120\n"
		"a-1 [003] d... 1.3: sched_migrate_task: comm=sh pid=183 prio=120 orig_cpu=8 "
		"dest_cpu=6";

	for (size_t step = 1; step < 80; step++) {
		start(text);
		memory.step = step;
		assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
		assert_int_equal(ev.kind, FTRACE_EXIT);
		assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_OK);
		assert_int_equal(ev.kind, FTRACE_MIGRATE);
		assert_int_equal(ev.to_cpu, 6);
		assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_END);
		assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_END);
	}
}

/* ---- Errors ---- */

static void test_errors_name_line_and_event(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{"hello world", "not a line of a trace; TASK-PID [CPU] FLAGS SECONDS.MICROSECONDS: "
				"EVENT: ..."},
		{"a-1 [000] d... 123456: sched_switch: x", "not a line of a trace"},
		{"a-1 [000] d... 1.0000000001: sched_switch: x", "not a line of a trace"},
		{"a-1 [000] d... 99999999999999999999.1: sched_switch: x", "not a line of a trace"},
		{"a-1 [99999] d... 1.1: sched_switch: x", "not a line of a trace"},
		{"a-99999999999 [000] d... 1.1: sched_switch: x", "not a line of a trace"},
		{"a-1 [000] d... 1.1: sched_switch", "not a line of a trace"},
		{"a [000] d... 1.1: sched_switch: x", "not a line of a trace"},
		{"CPU:3 [LOST 123 EVENTS", "not a line of a trace"},
		{"a-1 [000] d... 1.1: sched_switch: x",
		 "sched_switch with other fields than the kernel writes; "
		 "see include/trace/events/sched.h"},
		{"a-1 [000] d... 1.1: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		 "prev_state=S ==> next_comm=b next_pid=x next_prio=1",
		 "sched_switch with"},
		{"a-1 [000] d... 1.1: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 "
		 "prev_state= ==> next_comm=b next_pid=1 next_prio=1",
		 "sched_switch with"},
		{"a-1 [000] d... 1.1: sched_wakeup: comm=b pid=1 prio=120", "sched_wakeup with"},
		{"a-1 [000] d... 1.1: sched_wakeup: b pid=1 prio=120 target_cpu=1",
		 "sched_wakeup with"},
		{"a-1 [000] d... 1.1: sched_wakeup: comm=b pid=9999999999 prio=120 target_cpu=1",
		 "sched_wakeup with"},
		{"a-1 [000] d... 1.1: sched_stat_wait: comm=b pid=1 delay=1",
		 "sched_stat_wait with"},
		{"a-1 [000] d... 1.1: sched_stat_wait: comm=b pid=1 delay=18446744073709551616 [ns]",
		 "sched_stat_wait with"},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[400];

		snprintf(text, sizeof(text), "# tracer: nop\n\n%s\n", rows[i].text);
		start(text);
		assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_ERROR);
		assert_string_equal(e.where, "t");
		assert_int_equal(e.line, 3);
		assert_int_equal(e.column, 1);
		assert_true(strncmp(e.what, rows[i].what, strlen(rows[i].what)) == 0);
	}
}

static void test_long_lines_are_cut(void **state)
{
	static char text[3 * FTRACE_LINE_MAX];
	int n = snprintf(text, sizeof(text), "a-1 [000] d... 1.1: print: ");

	memset(text + n, 'x', 2 * FTRACE_LINE_MAX);
	strcpy(text + n + 2 * FTRACE_LINE_MAX,
	       "\na-1 [000] d... 1.1: sched_process_exit: comm=a pid=1 prio=120\n");
	read_one(text);
	assert_int_equal(ev.line, 2);
	assert_int_equal(r.count.skipped, 1);
	n = snprintf(text, sizeof(text), "a-1 [000] d... 1.1: sched_process_exit: comm=");
	text[n] = 'x';
	start(text);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_ERROR);
	assert_string_equal(e.what, "sched_process_exit in a line that is too long; "
				    "at most 4095 characters");
}

static void test_a_zero_byte_is_an_error(void **state)
{
	start("a-1 [000] d... 1.1: print: x?y\n");
	memory.n = 30;
	static char copy[32];
	memcpy(copy, memory.s, 31);
	copy[28] = 0;
	memory.s = copy;
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_ERROR);
	assert_string_equal(e.what, "a zero byte; a trace is text");
}

static long read_nothing(void *arg, char *out, size_t cap)
{
	(void)arg;
	(void)out;
	(void)cap;
	return -1;
}

static void test_what_cannot_be_read_is_an_error(void **state)
{
	ftrace_start(&r, "t", read_nothing, NULL);
	assert_int_equal(ftrace_next(&r, &ev, &e), FTRACE_ERROR);
	assert_string_equal(e.what, "cannot be read any further");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_states_of_a_switch),
		cmocka_unit_test(test_switch_without_an_arrow),
		cmocka_unit_test(test_switch_in_brackets),
		cmocka_unit_test(test_wake_ups),
		cmocka_unit_test(test_migration_fork_exec_and_exit),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_heads_of_all_kernels),
		cmocka_unit_test(test_names_may_look_like_fields),
		cmocka_unit_test(test_other_events_are_skipped_and_counted),
		cmocka_unit_test(test_lost_events_are_told_where_they_are_missing),
		cmocka_unit_test(test_text_comes_in_pieces_of_any_size),
		cmocka_unit_test(test_errors_name_line_and_event),
		cmocka_unit_test(test_long_lines_are_cut),
		cmocka_unit_test(test_a_zero_byte_is_an_error),
		cmocka_unit_test(test_what_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
