/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt-app files: what their tasks do, what is refused and where. */
#include "support.h"

#include "base/mask.h"
#include "import/rtapp.h"
#include "workload/toy_engine.h"

static const struct rtapp_target eight_cpus = {.ncpus = 8};

static struct workload *parse(const char *text)
{
	struct rql_error e;
	struct workload *w = rtapp_parse("f.json", text, strlen(text), 1, &eight_cpus, &e);

	if (!w)
		fail_msg("%u:%u: %s", e.line, e.column, e.what);
	return w;
}

/* What the tasks in TEXT do until UNTIL_NS; marks, runs and all. */
static void expect(const char *text, uint64_t until_ns, const char *wanted)
{
	static char mem[16384];
	struct workload *w = parse(text);
	struct toy toy;
	struct buf log;

	buf_init(&log, mem, sizeof(mem));
	toy_start(&toy, w->behaviour, &log);
	toy_run(&toy, until_ns, 10000);
	toy_end(&toy);
	assert_string_equal(mem, wanted);
	workload_destroy(w);
}

static void test_main_creates_the_tasks_in_order_and_they_start_together(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"instance\": 2, \"loop\": 1, \"run\": 3 },"
	       " \"b\": { \"loop\": 2, \"run\": 1, \"delay\": 10 } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 block\n"
	       "1000 0 fork 2\n  [2 is a-1]\n1000 2 block\n"
	       "2000 0 fork 3\n  [3 is b-2]\n"
	       "2000 3 wake 1\n2000 1 run 3000\n2000 3 wake 2\n2000 2 run 3000\n"
	       "2000 3 sleep-until 10000\n"
	       "3000 0 block\n5000 1 done 1\n5000 2 done 1\n5000 1 wake 0\n5000 2 exit\n"
	       "5000 0 block\n5000 1 exit\n"
	       "10000 3 run 1000\n11000 3 done 1\n11000 3 run 1000\n12000 3 done 1\n"
	       "12000 3 wake 0\n12000 0 exit\n12000 3 exit\n");
}

static void test_repeated_and_numbered_events_keep_their_order(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"loop\": 1, \"run\": 1, \"sleep\": 2, \"run\": 3, \"run0\": 4,"
	       " \"runtime_x\": 5, \"run1\": 6, \"yield\", \"sleep\": 0 } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 run 1000\n1000 0 block\n1000 1 sleep 2000\n"
	       "3000 1 run 3000\n6000 1 run 4000\n10000 1 run-until 15000\n15000 1 run 6000\n"
	       "21000 1 yield\n21000 1 sleep 1\n21001 1 done 1\n21001 1 wake 0\n21001 0 exit\n"
	       "21001 1 exit\n");
}

static void test_phases_change_policy_priority_and_cpus(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"loop\": 1, \"priority\": -5, \"phases\": {"
	       " \"p\": { \"cpus\": [1, 2], \"run\": 1 },"
	       " \"q\": { \"policy\": \"SCHED_FIFO\", \"run\": 1, \"loop\": 2 },"
	       " \"r\": { \"priority\": 20, \"run\": 1 },"
	       " \"s\": { \"policy\": \"SCHED_IDLE\", \"run\": 1 },"
	       " \"t\": { \"policy\": \"SCHED_BATCH\", \"run\": 1 } } } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0 cpus]\n0 1 start\n0 1 nice -5\n0 1 cpus 6\n0 1 run 1000\n"
	       "1000 0 block\n1000 1 done 1\n1000 1 cpus ff\n1000 1 policy 1 10\n1000 1 run 1000\n"
	       "2000 1 done 1\n2000 1 run 1000\n3000 1 done 1\n3000 1 policy 1 20\n3000 1 run 1000\n"
	       "4000 1 done 1\n4000 1 policy 5 -5\n4000 1 run 1000\n5000 1 done 1\n"
	       "5000 1 policy 3 -5\n5000 1 nice 0\n5000 1 run 1000\n6000 1 done 1\n"
	       "6000 1 policy 0 0\n6000 1 wake 0\n6000 0 exit\n6000 1 exit\n");
}

static void test_deadline_tasks_have_rt_apps_defaults(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"loop\": 1, \"policy\": \"SCHED_DEADLINE\","
	       " \"dl-runtime\": 5, \"phases\": {"
	       " \"p\": { \"run\": 1 },"
	       " \"q\": { \"dl-runtime\": 3, \"dl-period\": 10, \"run\": 1 },"
	       " \"r\": { \"dl-runtime\": 3, \"dl-deadline\": 6, \"dl-period\": 9, \"run\": 1 },"
	       " \"s\": { \"policy\": \"SCHED_FIFO\", \"run\": 1 } } } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 policy 6 5000/5000/5000\n0 1 run 1000\n"
	       "1000 0 block\n1000 1 done 1\n1000 1 policy 6 3000/10000/10000\n1000 1 run 1000\n"
	       "2000 1 done 1\n2000 1 policy 6 3000/6000/9000\n2000 1 run 1000\n3000 1 done 1\n"
	       "3000 1 policy 1 10\n3000 1 run 1000\n4000 1 done 1\n4000 1 policy 0 0\n"
	       "4000 1 wake 0\n4000 0 exit\n4000 1 exit\n");
}

/* Fair by its own policy, the file's default, or a phase's; rt-app's thread does not count. */
static void test_files_with_fair_tasks_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		bool fair;
	} rows[] = {
		{"{ \"tasks\": { \"a\": { \"run\": 1 } } }", true},
		{"{ \"tasks\": { \"a\": { \"policy\": \"SCHED_FIFO\", \"run\": 1 } } }", false},
		{"{ \"global\": { \"default_policy\": \"SCHED_RR\" },"
		 " \"tasks\": { \"a\": { \"run\": 1 } } }",
		 false},
		{"{ \"tasks\": { \"a\": { \"policy\": \"SCHED_RR\", \"run\": 1 },"
		 " \"b\": { \"policy\": \"SCHED_IDLE\", \"run\": 1 } } }",
		 true},
		{"{ \"tasks\": { \"a\": { \"policy\": \"SCHED_FIFO\", \"phases\": {"
		 " \"p\": { \"run\": 1 }, \"q\": { \"priority\": 20, \"run\": 1 } } } } }",
		 false},
		{"{ \"tasks\": { \"a\": { \"policy\": \"SCHED_FIFO\", \"phases\": {"
		 " \"p\": { \"run\": 1 }, \"q\": { \"policy\": \"SCHED_BATCH\", \"run\": 1 } } } } }",
		 true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload *w = parse(rows[i].text);

		assert_int_equal(w->fair_tasks, rows[i].fair);
		workload_destroy(w);
	}
}

static void test_unique_timers_are_per_instance(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"instance\": 2, \"loop\": 2, \"run\": 10,"
	       " \"timer\": { \"ref\": \"unique\", \"period\": 20, \"mode\": \"absolute\" } } } }",
	       25000,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 block\n"
	       "1000 0 fork 2\n  [2 is a-1]\n1000 2 wake 1\n1000 1 run 10000\n1000 2 run 10000\n"
	       "2000 0 block\n11000 1 sleep-until 20000\n11000 2 sleep-until 20000\n"
	       "20000 1 done 1\n20000 2 done 1\n20000 1 run 10000\n20000 2 run 10000\n");
}

static void test_a_fork_names_its_child_and_needs_no_meeting(void **state)
{
	expect("{ \"tasks\": { \"child\": { \"instance\": 0, \"loop\": 1, \"run\": 5 },"
	       " \"a\": { \"loop\": 2, \"fork\": \"child\", \"run\": 2 } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 fork 2\n  [2 is child-1-0000]\n"
	       "0 2 run 5000\n1000 0 block\n1000 1 run 2000\n"
	       "3000 1 done 1\n3000 1 fork 3\n  [3 is child-2-0001]\n3000 3 run 5000\n"
	       "4000 1 run 2000\n5000 2 done 1\n5000 2 exit\n6000 1 done 1\n"
	       "6000 1 wake 0\n6000 0 block\n6000 1 exit\n8000 3 done 1\n8000 3 wake 0\n"
	       "8000 0 exit\n8000 3 exit\n");
}

static void test_suspended_tasks_wait_for_a_resume(void **state)
{
	expect("{ \"tasks\": { \"a\": { \"loop\": 1, \"suspend\", \"run\": 1 },"
	       " \"b\": { \"loop\": 1, \"run\": 5, \"resume\": \"a\" } } }",
	       UINT64_MAX / 2,
	       "  [0 is rt-app]\n"
	       "0 0 fork 1\n  [1 is a-0]\n0 1 start\n0 1 block\n"
	       "1000 0 fork 2\n  [2 is b-1]\n1000 2 wake 1\n1000 1 block\n1000 2 run 5000\n"
	       "2000 0 block\n"
	       "6000 2 wake 1\n6000 1 block\n" /* the resumer still holds the mutex */
	       "6000 2 wake 1\n6000 1 run 1000\n6000 2 done 1\n6000 2 exit\n"
	       "7000 1 done 1\n7000 1 wake 0\n7000 0 exit\n7000 1 exit\n");
}

static void test_duration_and_endlessness(void **state)
{
	static const struct {
		const char *text;
		uint64_t duration_s;
		bool endless;
	} rows[] = {
		{"{\"tasks\":{\"a\":{\"run\":1}}}", 0, true},
		{"{\"tasks\":{\"a\":{\"loop\":5,\"run\":1}}}", 0, false},
		{"{\"tasks\":{\"a\":{\"loop\":5,\"run\":-1}}}", 0, true},
		{"{\"tasks\":{\"a\":{\"loop\":1,\"phases\":{\"p\":{\"loop\":-1,\"run\":1}}}}}", 0,
		 true},
		{"{\"tasks\":{\"a\":{\"phases\":{\"p\":{\"run\":1}}}}}", 0, true},
		{"{\"tasks\":{\"a\":{\"loop\":0,\"phases\":{\"p\":{\"loop\":-1,\"run\":1}}}}}", 0,
		 false},
		{"{\"tasks\":{\"a\":{\"loop\":1,\"run\":1},\"b\":{\"instance\":0,\"run\":1}}}", 0,
		 false},
		{"{\"global\":{\"duration\":7},\"tasks\":{\"a\":{\"run\":1}}}", 7, true},
		{"{\"global\":{\"duration\":-1},\"tasks\":{\"a\":{\"run\":1}}}", 0, true},
		{"{\"global\":{\"duration\":2147483647},\"tasks\":{\"a\":{\"run\":1}}}", 2147483647,
		 true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload *w = parse(rows[i].text);

		assert_int_equal(w->duration_ns, rows[i].duration_s * NS_PER_S);
		assert_int_equal(w->behaviour->endless, rows[i].endless);
		assert_int_equal(w->start_cpu, WORKLOAD_START_ANY);
		assert_string_equal(w->text, "f.json");
		workload_destroy(w);
	}
}

#define TASK(members) "{\"tasks\":{\"a\":{" members "}}}"

static void test_what_is_wrong_is_named_with_its_place(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
		const char *why;
	} rows[] = {
		{"[]", 1, 1, "not a workload of rt-app"},
		{"{}", 1, 1, "no \"tasks\""},
		{"{\"tasks\":{}}", 1, 10, "no task has an instance"},
		{"{\"taks\":{}}", 1, 2, "unknown key \"taks\"; nearest is \"tasks\""},
		{"{\"tasks\":[]}", 1, 2, "not an object; write"},
		{"{\"tasks\":{\"a\":5}}", 1, 11, "a task without an object; write"},
		{"{\n \"global\":{\"duraton\":1},\"tasks\":{}}", 2, 12, "nearest is \"duration\""},
		{"{\"global\":{\"duration\":\"1\"},\"tasks\":{}}", 1, 23,
		 "not a number; write a whole one"},
		{"{\"global\":{\"default_policy\":\"FIFO\"},\"tasks\":{}}", 1, 29, "not a policy"},
		{"{\"global\":{\"frag\":1,\"frag\":1},\"tasks\":{}}", 1, 21, "given twice"},
		{TASK(""), 1, 15, "no events"},
		{TASK("\"rum\":1"), 1, 16, "unknown key \"rum\"; nearest is \"run\""},
		{TASK("\"run\":1.5"), 1, 22, "without point or exponent"},
		{TASK("\"run\":-2"), 1, 22, "from -1 to 2147483647"},
		{TASK("\"run\":99999999999999999999"), 1, 22, "out of range"},
		{TASK("\"sleep\":-1"), 1, 24, "from 0 to"},
		{TASK("\"run\""), 1, 16, "has no value; write"},
		{TASK("\"run\":1,\"loop\":1,\"loop\":2"), 1, 33, "given twice"},
		{TASK("\"run\":1,\"loop\":0"), 1, 31, "0 makes no sense"},
		{TASK("\"run\":1,\"loop\":-2"), 1, 31, "out of range"},
		{TASK("\"run\":1,\"instance\":1000000000"), 1, 35, "from 0 to 1000000"},
		{TASK("\"run\":1,\"policy\":\"SCHED_RT\""), 1, 33,
		 "SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR or SCHED_DEADLINE"},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\""), 1, 33, "without \"dl-runtime\""},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\",\"dl-period\":9"), 1, 33,
		 "without \"dl-runtime\""},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":9,\"dl-period\":8"),
		 1, 63, "longer than the deadline"},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,"
		      "\"dl-deadline\":8,\"dl-period\":7"),
		 1, 79, "longer than the period"},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":1"), 1, 63,
		 "write a whole number from 2 to 2147483647"},
		{TASK("\"run\":1,\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,\"priority\":1"), 1,
		 76, "\"priority\": out of range; write 0, or leave it out"},
		{TASK("\"run\":1,\"dl-runtime\":5"), 1, 37, "SCHED_DEADLINE with another policy"},
		{TASK("\"run\":1,\"dl-period\":5"), 1, 36, "SCHED_DEADLINE with another policy"},
		{TASK("\"run\":1,\"dl-deadline\":5"), 1, 38, "SCHED_DEADLINE with another policy"},
		{TASK("\"run\":1,\"dl-reclaim\":true"), 1, 37, "not supported yet: reclaiming"},
		{TASK("\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,\"fork\":\"a\""), 1, 57,
		 "a deadline task cannot create others"},
		{TASK("\"phases\":{\"p\":{\"policy\":\"SCHED_DEADLINE\",\"run\":1}}"), 1, 40,
		 "without \"dl-runtime\""},
		{TASK("\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,"
		      "\"phases\":{\"p\":{\"dl-period\":5,\"run\":1}}"),
		 1, 71, "without \"dl-runtime\""},
		{TASK("\"run\":1,\"period\":1"), 1, 24, "write timer, and dl-period"},
		{TASK("\"run\":1,\"deadline\":1"), 1, 24, "write timer, and dl-deadline"},
		{TASK("\"run\":1,\"priority\":100,\"policy\":\"SCHED_FIFO\""), 1, 35, "1 to 99"},
		{TASK("\"run\":1,\"util_min\":1"), 1, 24, "not supported yet; leave out"},
		{TASK("\"run\":1,\"taskgroup\":\"/\""), 1, 24, "not supported yet"},
		{TASK("\"run\":1,\"mem\":1"), 1, 24, "not supported yet"},
		{TASK("\"exec\":1"), 1, 16,
		 "old rt-app versions; write run for the work, and dl-runtime"},
		{TASK("\"run\":1,\"priority\":20"), 1, 35, "-20 to 19"},
		{TASK("\"run\":1,\"priority\":0,\"policy\":\"SCHED_RR\""), 1, 35, "1 to 99"},
		{TASK("\"run\":1,\"cpus\":[]"), 1, 31, "is empty"},
		{TASK("\"run\":1,\"cpus\":[0,8]"), 1, 34, "from 0 to 7"},
		{TASK("\"run\":1,\"cpus\":3"), 1, 31, "not a list; write"},
		{TASK("\"run\":1,\"phases\":{\"p\":{\"run\":1}}"), 1, 16, "beside \"phases\""},
		{TASK("\"phases\":{}"), 1, 25, "is empty"},
		{TASK("\"phases\":{\"p\":{}}"), 1, 30, "no events"},
		{TASK("\"phases\":{\"p\":{\"delay\":1,\"run\":1}}"), 1, 31,
		 "a task's, not a phase's; "},
		{TASK("\"phases\":{\"p\":{\"run\":1,\"loop\":0}}"), 1, 46, "0 makes no sense"},
		{TASK("\"timer\":5"), 1, 24, "not an object; write"},
		{TASK("\"timer\":{\"ref\":\"x\",\"perod\":5}"), 1, 35, "ref, period and mode"},
		{TASK("\"timer\":{\"ref\":\"x\",\"mode\":\"abs\"}"), 1, 42, "relative or absolute"},
		{TASK("\"wait\":{\"ref\":\"x\",\"mutx\":\"m\"}"), 1, 34, "ref and mutex"},
		{TASK("\"lock\":5"), 1, 23, "not a name; write"},
		{TASK("\"fork\":\"b\""), 1, 23, "no such task; name"},
		{TASK("\"instance\":0,\"run\":1"), 1, 10, "no task has an instance"},
		{"{\"tasks\":{\"a\":{\"run\":1},\"b\":{\"instance\":0,\"barrier\":\"x\"}}}", 1, 43,
		 "no task with an instance"},
		{"{\"tasks\":{\"a\":{\"run\":1,\"instance\":600000},"
		 "\n\"b\":{\"run\":1,\"instance\":600000}}}",
		 2, 1, "more than 1000000"},
		{"{\"tasks\":{\"a\":{\"run\":1}},\"resources\":{\"m\":{\"typ\":\"x\"}}}", 1, 44,
		 "unknown key"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;

		memset(&e, 0xff, sizeof(e));
		if (rtapp_parse("f", rows[i].text, strlen(rows[i].text), 1, &eight_cpus, &e))
			fail_msg("%s: accepted", rows[i].text);
		if (e.line != rows[i].line || e.column != rows[i].column ||
		    !strstr(e.what, rows[i].why))
			fail_msg("%s: %u:%u: %s", rows[i].text, e.line, e.column, e.what);
		assert_string_equal(e.where, "f");
	}
}

/* CPUs 0, 1 and 3 are there, 3 is offline; a kernel has no SCHED_DEADLINE. */
static void test_what_the_target_cannot_give_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text;
		uint32_t line, column;
		const char *why;
	} rows[] = {
		{TASK("\"cpus\":[0,2],\"run\":1"), 1, 26, "the machine has no such CPU"},
		{TASK("\"cpus\":[3],\"run\":1"), 1, 23, "none of these CPUs is online"},
		{TASK("\"cpus\":[4],\"run\":1"), 1, 24, "out of range"},
		{TASK("\"phases\":{\"p\":{\"cpus\":[3],\"run\":1}}"), 1, 38,
		 "none of these CPUs is online"},
		{TASK("\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,\"run\":1"), 1, 25,
		 "which this kernel does not have: 3.4;"},
		{TASK("\"phases\":{\"p\":{\"policy\":\"SCHED_DEADLINE\",\"dl-runtime\":5,\"run\":1}}"),
		 1, 40, "which this kernel does not have: 3.4;"},
		{"{\"global\":{\"default_policy\":\"SCHED_DEADLINE\"},\"tasks\":{\"a\":{\"run\":1}}}",
		 1, 29, "which this kernel does not have: 3.4;"},
	};
	uint64_t present_mem[MASK_WORDS(4)], online_mem[MASK_WORDS(4)];
	struct mask *present = mask_init(present_mem, 4), *online = mask_init(online_mem, 4);
	struct rtapp_target target = {
		.ncpus = 4, .present = present, .online = online, .no_deadline = "3.4"};
	struct workload *w;
	struct rql_error e;

	mask_set(present, 0);
	mask_set(present, 1);
	mask_set(present, 3);
	mask_set(online, 0);
	mask_set(online, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&e, 0xff, sizeof(e));
		if (rtapp_parse("f", rows[i].text, strlen(rows[i].text), 1, &target, &e))
			fail_msg("%s: accepted", rows[i].text);
		if (e.line != rows[i].line || e.column != rows[i].column ||
		    !strstr(e.what, rows[i].why))
			fail_msg("%s: %u:%u: %s", rows[i].text, e.line, e.column, e.what);
	}
	w = rtapp_parse("f", TASK("\"cpus\":[1,3],\"run\":1"),
			strlen(TASK("\"cpus\":[1,3],\"run\":1")), 1, &target, &e);
	assert_non_null(w);
	workload_destroy(w);
}

static void test_a_file_that_cannot_be_read_is_an_error(void **state)
{
	struct rql_error e;

	assert_null(rtapp_load("/nonexistent/x.json", 1, &eight_cpus, &e));
	assert_string_equal(e.where, "/nonexistent/x.json");
	assert_null(rtapp_load("/", 1, &eight_cpus, &e));
	assert_null(rtapp_load("/dev/zero", 1, &eight_cpus, &e));
	assert_non_null(strstr(e.what, "32 MiB"));
}

/* A million forks, phases, names: all within the file's size, all linear. */
static void test_large_files_are_linear(void **state)
{
	static const char head[] = "{\"tasks\":{\"a\":{";
	char *text = malloc(4 << 20), *at = text;
	struct rql_error e;
	struct workload *w;

	memcpy(at, head, sizeof(head) - 1);
	at += sizeof(head) - 1;
	for (int i = 0; i < 150000; i++)
		at += sprintf(at, "\"resume\":\"n%d\",", i);
	memcpy(at, "}}}", 3);
	w = rtapp_parse("f", text, (size_t)(at + 3 - text), 1, &eight_cpus, &e);
	assert_non_null(w);
	workload_destroy(w);
	free(text);
}

/* Collected files: each loads and runs, or is refused at the place given. */
static void test_collected_files_load_or_say_where_not(void **state)
{
	static const struct {
		const char *name;
		uint32_t line, column; /* 0: loads */
		uint32_t ntasks;
	} rows[] = {
		{"lisa-wa__camera-short.json", 0, 0, 58},
		{"lisa-wa__taskset.json", 4, 13, 0},
		{"lisa-wa__video-short.json", 0, 0, 18},
		{"lkml__schedidle-preempt.json", 18, 1, 0},
		{"lkml__yield-storm.json", 0, 0, 5},
		{"rt-app-issue130__dl-plus-fifo.json", 0, 0, 3},
		{"rt-app-issue37__delay-in-phase.json", 16, 21, 0},
		{"rt-app-old__browser.json", 0, 0, 10},
		{"rt-app-old__deadline.json", 0, 0, 2},
		{"rt-app-old__deadline_no_reclaim-2.json", 0, 0, 12},
		{"rt-app-old__deadline_reclaim-5.json", 10, 19, 0},
		{"rt-app-old__mp3.json", 0, 0, 6},
		{"rt-app-old__rt-app-31.json", 0, 0, 9},
		{"rt-app-old__rt-app-50.json", 0, 0, 9},
		{"rt-app-old__rt-app-6.json", 0, 0, 9},
		{"rt-app-old__rt-app-wl.json", 0, 0, 9},
		{"rt-app-old__taskset-randexec.json", 2, 2, 0},
		{"rt-app-pr45__deadline-exec.json", 8, 7, 0},
		{"rt-app__browser-long.json", 0, 0, 10},
		{"rt-app__browser-short.json", 0, 0, 10},
		{"rt-app__dvfs.json", 0, 0, 2},
		{"rt-app__example11.json", 17, 6, 0},
		{"rt-app__example3.json", 0, 0, 13},
		{"rt-app__example4.json", 0, 0, 3},
		{"rt-app__example5.json", 0, 0, 3},
		{"rt-app__example6.json", 11, 4, 0},
		{"rt-app__example7.json", 0, 0, 3},
		{"rt-app__example9.json", 0, 0, 5},
		{"rt-app__merge-global.json", 1, 1, 0},
		{"rt-app__merge-thread0.json", 4, 10, 0},
		{"rt-app__merge-thread1.json", 4, 10, 0},
		{"rt-app__merge-thread3.json", 4, 10, 0},
		{"rt-app__spreading-tasks.json", 0, 0, 3},
		{"rt-app__template.json", 0, 0, 2},
		{"rt-app__video-long.json", 0, 0, 18},
		{"rt-app__video-short.json", 0, 0, 18},
		{"vendor-cluster-migration__10to100.json", 9, 6, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[256];
		struct rql_error e;
		struct workload *w;
		struct toy toy;

		snprintf(path, sizeof(path), "inputs/workloads/%s", rows[i].name);
		memset(&e, 0, sizeof(e));
		w = rtapp_load(shared_path(path), 1, &eight_cpus, &e);
		if (!w && (e.line == 0 || e.line != rows[i].line || e.column != rows[i].column))
			fail_msg("%s: %u:%u: %s", rows[i].name, e.line, e.column, e.what);
		if (!w)
			continue;
		if (rows[i].line || w->behaviour->ntasks != rows[i].ntasks)
			fail_msg("%s: %u tasks", rows[i].name, w->behaviour->ntasks);
		toy_start(&toy, w->behaviour, NULL);
		toy_run(&toy, w->duration_ns ? w->duration_ns : 20 * NS_PER_S, 20000);
		assert_true(toy.done > 10);
		toy_end(&toy);
		workload_destroy(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_main_creates_the_tasks_in_order_and_they_start_together),
		cmocka_unit_test(test_repeated_and_numbered_events_keep_their_order),
		cmocka_unit_test(test_phases_change_policy_priority_and_cpus),
		cmocka_unit_test(test_deadline_tasks_have_rt_apps_defaults),
		cmocka_unit_test(test_files_with_fair_tasks_are_told_apart),
		cmocka_unit_test(test_unique_timers_are_per_instance),
		cmocka_unit_test(test_a_fork_names_its_child_and_needs_no_meeting),
		cmocka_unit_test(test_suspended_tasks_wait_for_a_resume),
		cmocka_unit_test(test_duration_and_endlessness),
		cmocka_unit_test(test_what_is_wrong_is_named_with_its_place),
		cmocka_unit_test(test_what_the_target_cannot_give_is_told_with_its_place),
		cmocka_unit_test(test_a_file_that_cannot_be_read_is_an_error),
		cmocka_unit_test(test_large_files_are_linear),
		cmocka_unit_test(test_collected_files_load_or_say_where_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
