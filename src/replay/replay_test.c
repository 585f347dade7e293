/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traces written by hand, of decisions that are plain, and recorded ones where these are at hand. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "import/machine.h"
#include "kver/kver.h"
#include "model/machine.h"
#include "replay/replay.h"

#define KERNEL "5.5"

struct text {
	const char *at;
};

static long read_text(void *arg, char *out, size_t cap)
{
	struct text *t = arg;
	size_t n = strlen(t->at);

	n = n < cap ? n : cap;
	memcpy(out, t->at, n);
	t->at += n;
	return (long)n;
}

static bool replay_with(const char *kernel, ftrace_read_fn read, void *arg, struct replay_report *r,
			struct rql_error *e)
{
	struct topology topo;
	struct kver v;
	bool ok;

	assert_true(kver_parse(kernel, &v, e));
	assert_true(machine_load("lockstep-16", &topo, e));
	ok = replay_run(
		&(struct replay_config){
			.where = "trace", .read = read, .arg = arg, .topo = &topo, .v = &v},
		r, e);
	topology_free(&topo);
	return ok;
}

static void replay(const char *text, struct replay_report *r)
{
	struct text t = {text};
	struct rql_error e;

	if (!replay_with(KERNEL, read_text, &t, r, &e))
		fail_msg("%s: %s", e.where, e.what);
}

/* "a" runs on CPU 2, wakes "b" and sleeps; b runs on CPU TO. */
#define WAKE(to, migrate)                                                                          \
	"a-10 [002] d..2. 1.000100: sched_waking: comm=b pid=11 prio=120 target_cpu=004\n" migrate \
	"b-11 [" to "] d..2. 1.000102: sched_wakeup: comm=b pid=11 prio=120 target_cpu=" to "\n"   \
	"<idle>-0 [" to                                                                            \
	"] d..2. 1.000105: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 "              \
	"prev_state=R ==> next_comm=b next_pid=11 next_prio=120\n"

#define A_RUNS                                                                                     \
	"<idle>-0 [002] d..2. 1.000000: sched_waking: comm=a pid=10 prio=120 target_cpu=002\n"     \
	"<idle>-0 [002] d..2. 1.000001: sched_wakeup: comm=a pid=10 prio=120 target_cpu=002\n"     \
	"<idle>-0 [002] d..2. 1.000002: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 " \
	"prev_state=R ==> next_comm=a next_pid=10 next_prio=120\n"

static void test_a_sleeper_wakes_where_it_slept_if_that_idles(void **state)
{
	struct replay_report r;

	replay(A_RUNS WAKE("004", ""), &r);
	assert_int_equal(r.events, 6);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_WAKE], 2);
	assert_int_equal(r.agreed[REPLAY_WAKE], 2);
	assert_int_equal(r.ndifferences, 0);
}

static void test_a_placement_that_differs_is_told_and_obeyed(void **state)
{
	struct replay_report r;

	/* to the other node, though its own CPU idles */
	replay(A_RUNS WAKE("013",
			   "a-10 [002] d..2. 1.000101: sched_migrate_task: comm=b pid=11 prio=120 "
			   "orig_cpu=4 dest_cpu=13\n"),
	       &r);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_WAKE], 2);
	assert_int_equal(r.agreed[REPLAY_WAKE], 1);
	assert_int_equal(r.decisions[REPLAY_MOVE], 0);
	assert_int_equal(r.ndifferences, 1);
	assert_int_equal(r.difference[0].line, 4);
	assert_int_equal(r.difference[0].time_ns, 1000100000);
	assert_int_equal(r.difference[0].pid, 11);
	assert_string_equal(r.difference[0].comm, "b");
	assert_int_equal(r.difference[0].from_cpu, 4);
	assert_int_equal(r.difference[0].real_cpu, 13);
	assert_int_equal(r.difference[0].model_cpu, 4);
	assert_int_equal(r.as_loaded, 1);
	assert_non_null(strstr(r.difference[0].why, "CPU 13"));
}

/* The wake-up and the switch on CPU 4 are told before their cause on CPU 2, whose clock is ahead. */
static void test_causes_that_stand_behind_come_first(void **state)
{
	struct replay_report r;

	replay(A_RUNS
	       "b-11 [004] d..2. 1.000090: sched_wakeup: comm=b pid=11 prio=120 target_cpu=004\n"
	       "<idle>-0 [004] d..2. 1.000092: sched_switch: prev_comm=swapper prev_pid=0 "
	       "prev_prio=120 prev_state=R ==> next_comm=b next_pid=11 next_prio=120\n"
	       "b-11 [004] d..2. 1.000094: sched_switch: prev_comm=b prev_pid=11 prev_prio=120 "
	       "prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n"
	       "a-10 [002] d..2. 1.000100: sched_waking: comm=b pid=11 prio=120 target_cpu=004\n",
	       &r);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_WAKE], 2);
	assert_int_equal(r.agreed[REPLAY_WAKE], 2);
}

static void test_what_does_not_fit_is_counted(void **state)
{
	struct replay_report r;

	/* it has been moved though it sleeps; and c leaves a CPU where a runs */
	replay(A_RUNS
	       "a-10 [002] d..2. 1.000100: sched_migrate_task: comm=b pid=11 prio=120 orig_cpu=4 "
	       "dest_cpu=5\n"
	       "a-10 [002] d..2. 1.000200: sched_switch: prev_comm=d prev_pid=15 prev_prio=10 "
	       "prev_state=S ==> next_comm=e next_pid=16 next_prio=120\n",
	       &r);
	assert_int_equal(r.out_of_step, 2);
	assert_int_equal(r.decisions[REPLAY_MOVE], 0);
}

/* N tasks, pids from FIRST on, wake on CPU one after the other; the first one runs. */
static size_t crowd(char *out, size_t cap, uint32_t cpu, uint32_t first, uint32_t n, uint32_t at_us)
{
	size_t len = 0;

	for (uint32_t i = 0; i < n; i++) {
		len += (size_t)snprintf(
			out + len, cap - len,
			"<idle>-0 [%03u] d..2. 1.%06u: sched_waking: comm=t pid=%u prio=120 target_cpu=%03u\n",
			cpu, at_us + i, first + i, cpu);
		if (i == 0)
			len += (size_t)snprintf(
				out + len, cap - len,
				"<idle>-0 [%03u] d..2. 1.%06u: sched_switch: "
				"prev_comm=swapper prev_pid=0 prev_prio=120 "
				"prev_state=R ==> next_comm=t next_pid=%u next_prio=120\n",
				cpu, at_us + i, first);
	}
	return len;
}

static void test_moves_are_asked_of_the_balancer(void **state)
{
	static char text[8192];
	struct replay_report r;
	size_t n = 0;

	/* six on CPU 0, one on its sibling: one goes there. Then from there, where one waits, to five */
	n += crowd(text + n, sizeof(text) - n, 0, 100, 6, 10);
	n += crowd(text + n, sizeof(text) - n, 1, 200, 1, 30);
	snprintf(
		text + n, sizeof(text) - n,
		"t-200 [001] d..2. 1.100006: sched_migrate_task: comm=t pid=105 prio=120 orig_cpu=0 "
		"dest_cpu=1\n"
		"t-100 [000] d..2. 1.200006: sched_migrate_task: comm=t pid=105 prio=120 orig_cpu=1 "
		"dest_cpu=0\n");
	replay(text, &r);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_MOVE], 2);
	assert_int_equal(r.agreed[REPLAY_MOVE], 1);
	assert_int_equal(r.difference[r.ndifferences - 1].kind, REPLAY_MOVE);
	assert_int_equal(r.difference[r.ndifferences - 1].from_cpu, 1);
	assert_int_equal(r.difference[r.ndifferences - 1].real_cpu, 0);
	assert_int_equal(r.difference[r.ndifferences - 1].model_cpu, CPU_NONE);
}

static void test_forks_are_placements(void **state)
{
	struct replay_report r;

	replay(A_RUNS
	       "a-10 [002] d..2. 1.000100: sched_process_fork: comm=a pid=10 child_comm=a child_pid=12\n"
	       "a-10 [002] d..2. 1.000104: sched_wakeup_new: comm=a pid=12 prio=120 target_cpu=002\n",
	       &r);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_FORK], 1);
	assert_int_equal(r.as_loaded, 0);
	/* fifteen CPUs idle: no kernel would leave it beside its parent */
	assert_int_equal(r.agreed[REPLAY_FORK], 0);
	assert_int_not_equal(r.difference[0].model_cpu, 2);
}

static void test_bound_kernel_threads_have_no_choice(void **state)
{
	struct replay_report r;

	replay(A_RUNS "a-10 [002] d..2. 1.000100: sched_waking: comm=kworker/4:1 pid=13 prio=120 "
		      "target_cpu=004\n",
	       &r);
	assert_int_equal(r.out_of_step, 0);
	assert_int_equal(r.decisions[REPLAY_WAKE], 1);
}

static void test_a_cpu_that_the_machine_has_not_is_an_error(void **state)
{
	struct text t = {
		"a-1 [099] d..2. 1.0: sched_waking: comm=b pid=11 prio=120 target_cpu=004\n"};
	struct replay_report r;
	struct rql_error e;

	assert_false(replay_with(KERNEL, read_text, &t, &r, &e));
	assert_string_equal(e.where, "trace");
	assert_int_equal(e.line, 1);
	assert_non_null(strstr(e.what, "CPU 99"));
}

static void check_recorded(const char *path, const char *kernel, uint64_t wakes,
			   uint64_t agreed_pct)
{
	FILE *f = shared_open(path);
	struct replay_report r;
	struct rql_error e;

	if (!replay_with(kernel, ftrace_read_file, f, &r, &e))
		fail_msg("%s: %s", e.where, e.what);
	shared_close(f);
	assert_true(r.out_of_step * 100 <= r.events);
	assert_true(r.decisions[REPLAY_WAKE] >= wakes);
	if (r.agreed[REPLAY_WAKE] * 100 < r.decisions[REPLAY_WAKE] * agreed_pct)
		fail_msg("%s: %u of %u", path, (unsigned)r.agreed[REPLAY_WAKE],
			 (unsigned)r.decisions[REPLAY_WAKE]);
}

/* Queues follow the whole trace, and the plain decisions of a ping-pong come out as recorded. */
static void test_recorded_ping_pong_is_followed(void **state)
{
	check_recorded("truth/data/6.1/trace-rep0/tg.trace.gz", "6.1-debian", 590, 95);
	check_recorded("truth/data/6.1/trace-rep0/ta.trace.gz", "6.1-debian", 30, 85);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sleeper_wakes_where_it_slept_if_that_idles),
		cmocka_unit_test(test_a_placement_that_differs_is_told_and_obeyed),
		cmocka_unit_test(test_causes_that_stand_behind_come_first),
		cmocka_unit_test(test_what_does_not_fit_is_counted),
		cmocka_unit_test(test_moves_are_asked_of_the_balancer),
		cmocka_unit_test(test_forks_are_placements),
		cmocka_unit_test(test_bound_kernel_threads_have_no_choice),
		cmocka_unit_test(test_a_cpu_that_the_machine_has_not_is_an_error),
		cmocka_unit_test(test_recorded_ping_pong_is_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
