/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library's texts: what they make, and what is said of those that make nothing. */
#include "support.h"

#include "workload/library.h"
#include "workload/toy_engine.h"

static struct workload *create(const char *text)
{
	struct rql_error e;
	struct workload *w = workload_create(text, 1, 8, &e);

	if (!w)
		fail_msg("%s: %s", text, e.what);
	return w;
}

static bool is_endless(const char *text)
{
	static const char *const ends[] = {"hackbench", "schedpipe", "schbench",
					   "shell8",    "kbuild",    "nas"};

	if (strcmp(text, "schbench:runtime=0") == 0)
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strncmp(text, ends[i], strlen(ends[i])) == 0)
			return false;
	return true;
}

static void test_canonical_texts_are_complete_and_stable(void **state)
{
	static const struct {
		const char *text, *canonical;
	} rows[] = {
		{"spin", "spin:n=8"},
		{"spin:n=40,start=0", "spin:n=40,start=0"},
		{"forkjoin:step=1500us,spread=10%,n=16",
		 "forkjoin:n=16,step=1500us,spread=150us,wait=spin"},
		{"forkjoin:n=3,spread=0.5ms", "forkjoin:n=3,step=1ms,spread=500us,wait=spin"},
		{"forkjoin:n=3,wait=block", "forkjoin:n=3,step=1ms,spread=0ns,wait=block"},
		{"forkjoin:n=3,wait=200ms", "forkjoin:n=3,step=1ms,spread=0ns,wait=200ms"},
		{"forkjoin:n=3,spread=100%", "forkjoin:n=3,step=1ms,spread=1ms,wait=spin"},
		{"periodic", "periodic:n=8,period=10ms,run=1ms"},
		{"daemons", "daemons:n=16,period=100ms,run=100us"},
		{"kthreads:elsewhere=20,cpus=3",
		 "kthreads:n=1,period=1s,run=10us,wakes=0,elsewhere=20,after=0ns,cpus=3"},
		{"daemons:nice=-5,cpus=7+1-2+3,start=7",
		 "daemons:n=16,period=100ms,run=100us,start=7,nice=-5,cpus=1-3+7"},
		{"hackbench",
		 "hackbench:groups=10,fds=20,loops=100,mode=process,pipe=0,size=100,fork=0ns,first=0ns"},
		{"schedpipe:loops=2,setup=1us,shell=2ms",
		 "schedpipe:loops=2,threads=0,cpu1=any,cpu2=any,shell=2ms,align=0ns,command=0ns,setup=1us"},
		{"hackbench:size=65536,pipe=1,mode=threads,nice=1,cpus=2",
		 "hackbench:groups=10,fds=20,loops=100,mode=threads,pipe=1,size=65536,fork=0ns,first=0ns,nice=1,cpus=2"},
		{"spin:policy=normal", "spin:n=8,policy=normal"},
		{"spin:policy=idle,nice=3", "spin:n=8,nice=3,policy=idle"},
		{"spin:policy=fifo", "spin:n=8,policy=fifo,prio=50"},
		{"periodic:prio=99,policy=rr,nice=-1",
		 "periodic:n=8,period=10ms,run=1ms,nice=-1,policy=rr,prio=99"},
		{"periodic:policy=deadline,dl_runtime=2ms,dl_period=10ms",
		 "periodic:n=8,period=10ms,run=1ms,policy=deadline,dl_runtime=2ms,dl_deadline=10ms,dl_period=10ms"},
		{"periodic:policy=deadline,dl_runtime=1024ns,dl_deadline=5ms",
		 "periodic:n=8,period=10ms,run=1ms,policy=deadline,dl_runtime=1024ns,dl_deadline=5ms,dl_period=5ms"},
		{"spin:n=1,dl_deadline=3ms,dl_runtime=3ms,dl_period=4ms,policy=deadline",
		 "spin:n=1,policy=deadline,dl_runtime=3ms,dl_deadline=3ms,dl_period=4ms"},
		{"cyclictest",
		 "cyclictest:threads=1,interval=1ms,distance=500us,loops=0,histogram=0,affinity=0,smp=0,policy=fifo,prio=80"},
		{"cyclictest:smp=1,distance=0,policy=rr,prio=5",
		 "cyclictest:threads=8,interval=1ms,distance=0ns,loops=0,histogram=0,affinity=0,smp=1,policy=rr,prio=5"},
		{"cyclictest:smp=1,cpus=0-3+6,policy=normal",
		 "cyclictest:threads=5,interval=1ms,distance=500us,loops=0,histogram=0,affinity=0,smp=1,cpus=0-3+6,policy=normal"},
		{"cyclictest:smp=1,threads=2,histogram=400",
		 "cyclictest:threads=2,interval=1ms,distance=500us,loops=0,histogram=400,affinity=0,smp=1,policy=fifo,prio=80"},
		{"schedpipe", "schedpipe:loops=1000000,threads=0,cpu1=any,cpu2=any"},
		{"schedpipe:cpu2=7,loops=3", "schedpipe:loops=3,threads=0,cpu1=any,cpu2=7"},
		{"lab:n2=3,nice2=-5,cpu1=2,fifo1=50",
		 "lab:n=8,nice1=0,cpu1=2,group1=0,fifo1=50,n2=3,nice2=-5,cpu2=any,group2=0,fifo2=0,"
		 "period=10ms,run=2ms,monitor=1s,look=4ms,delay=0ns,first=0ns,held=0ns,frees=0"},
		{"schedpipe:threads=1,policy=fifo",
		 "schedpipe:loops=1000000,threads=1,cpu1=any,cpu2=any,policy=fifo,prio=50"},
		{"schbench",
		 "schbench:m=2,t=16,sleeptime=30ms,cputime=30ms,runtime=30s,histogram=10000"},
		{"schbench:runtime=0",
		 "schbench:m=2,t=16,sleeptime=30ms,cputime=30ms,runtime=0ns,histogram=10000"},
		{"dbench:clients=3", "dbench:clients=3,disk=1500us,journal=300ns"},
		{"shell8", "shell8:copies=8,iterations=100,tests=1,work=200us"},
		{"kbuild:jobs=2,policy=batch",
		 "kbuild:jobs=2,files=100,cc=250ms,io=500us,policy=batch"},
		{"nas:step=2ms,threads=3",
		 "nas:threads=3,step=2ms,spread=200us,serial=50us,steps=1000,wait=spin"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct workload *w = create(rows[i].text);
		struct workload *again = create(w->text);

		assert_string_equal(w->text, rows[i].canonical);
		assert_string_equal(again->text, rows[i].canonical);
		assert_int_equal(w->behaviour->endless, is_endless(rows[i].text));
		assert_int_equal(w->duration_ns, 0);
		workload_destroy(again);
		workload_destroy(w);
	}
}

static void test_every_wrong_text_is_one_error_line(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "no workload named"},
		{"forkjion:n=4", "unknown workload; nearest: forkjoin, "},
		{"Spin", "nearest: spin, "},
		{"spin:", "an empty item"},
		{"spin:n=1,", "an empty item"},
		{"spin:,n=1", "an empty item"},
		{"spin:n", "n has no value"},
		{"spin:n=", "n=: empty"},
		{"spin:=5", "unknown key \"\""},
		{"spin:n=1,n=1", "n is given twice"},
		{"spin:start=1,start=1", "start is given twice"},
		{"spin:cpus=1,cpus=1", "cpus is given twice"},
		{"spin:nice=1,nice=1", "nice is given twice"},
		{"spin:n=0", "n=0: out of range; write 1 to 1000000"},
		{"spin:n=-1", "out of range; write 1 to 1000000"},
		{"spin:n=1000001", "out of range; write 1 to 1000000"},
		{"spin:n=99999999999999999999999", "out of range"},
		{"spin:n=5x", "not a whole number"},
		{"spin:n=5=6", "not a whole number"},
		{"spin:m=5",
		 "unknown key \"m\", nearest n; the keys of spin are n, start, nice, cpus, policy, prio, "
		 "dl_runtime, dl_deadline, dl_period, shell, align, command, setup"},
		{"spin:step=1ms", "unknown key \"step\""},
		{"forkjoin:spred=1ms",
		 "nearest spread; the keys of forkjoin are n, step, spread, wait, start"},
		{"forkjoin:step=5",
		 "a time without a unit; write a number with its unit: ns, us, ms or s"},
		{"forkjoin:step=0ms", "out of range; write 1ns to 1000s"},
		{"forkjoin:step=0", "out of range; write 1ns to 1000s"},
		{"forkjoin:step=1001s", "out of range"},
		{"forkjoin:step=1ms,spread=2ms", "spread is too long; write at most step"},
		{"forkjoin:spread=101%", "out of range; write 0 to 100"},
		{"forkjoin:spread=%", "not a percentage"},
		{"forkjoin:spread=1.5%", "not a percentage"},
		{"forkjoin:spread=-1%", "out of range"},
		{"forkjoin:spread=5", "without a unit"},
		{"periodic:run=0us", "out of range"},
		{"daemons:period=1.0000001us", "nanoseconds"},
		{"kthreads:elsewhere=101", "elsewhere is more than 100 percent"},
		{"spin:start=8", "out of range; write 0 to 7"},
		{"spin:start=-1", "out of range"},
		{"spin:nice=20", "write -20 to 19"},
		{"spin:cpus=8", "no such CPU; the machine's are 0 to 7"},
		{"spin:cpus=", "not a list of CPUs"},
		{"spin:cpus=1,start=0", "start is not among cpus"},
		{"hackbench:loops=0", "loops=0: out of range; write 1 to 1000000"},
		{"hackbench:groups=0", "out of range"},
		{"hackbench:size=0", "out of range; write 1 to 65536"},
		{"hackbench:size=65537", "out of range; write 1 to 65536"},
		{"hackbench:pipe=2", "out of range; write 0 to 1"},
		{"hackbench:mode=fork", "mode=fork: unknown; write process or threads"},
		{"hackbench:mode=", "write process or threads"},
		{"hackbench:groups=25001", "groups x fds x 2 must be at most 1000000"},
		{"hackbench:groups=1000000,fds=1000000", "must be at most 1000000"},
		{"spin:policy=FIFO", "unknown; write normal, batch, idle, fifo, rr or deadline"},
		{"spin:policy=", "unknown; write normal, batch, idle, fifo, rr or deadline"},
		{"spin:policy=rr,policy=rr", "policy is given twice"},
		{"spin:prio=0,policy=fifo", "prio=0: out of range; write 1 to 99"},
		{"spin:prio=100,policy=fifo", "prio=100: out of range; write 1 to 99"},
		{"spin:prio=5", "prio is of policy=fifo and policy=rr; write one of these"},
		{"spin:prio=5,policy=batch", "prio is of policy=fifo and policy=rr"},
		{"spin:prio=5,policy=deadline,dl_runtime=1ms,dl_period=2ms",
		 "prio is of policy=fifo"},
		{"spin:dl_runtime=1ms", "dl_runtime is of policy=deadline; write that or leave"},
		{"spin:policy=rr,dl_deadline=1ms", "dl_deadline is of policy=deadline"},
		{"spin:setup=1ms", "setup is of what a shell starts; write shell=TIME or leave"},
		{"daemons:shell=1ms", "shell: there are several first tasks; leave shell out"},
		{"spin:policy=rr,dl_period=1ms", "dl_period is of policy=deadline"},
		{"spin:policy=deadline", "needs dl_runtime"},
		{"spin:policy=deadline,dl_period=1ms", "needs dl_runtime"},
		{"spin:policy=deadline,dl_runtime=1ms", "needs a dl_period or dl_deadline"},
		{"spin:policy=deadline,dl_runtime=1023ns,dl_period=1ms",
		 "dl_runtime=1023ns: out of range; write 1024ns to 1000s"},
		{"spin:policy=deadline,dl_runtime=2ms,dl_period=1ms",
		 "dl_runtime is longer than the deadline"},
		{"spin:policy=deadline,dl_runtime=2ms,dl_deadline=1ms,dl_period=3ms",
		 "dl_runtime is longer than the deadline"},
		{"spin:policy=deadline,dl_runtime=1ms,dl_deadline=3ms,dl_period=2ms",
		 "dl_deadline is longer than dl_period"},
		{"cyclictest:policy=batch",
		 "not a policy of cyclictest; normal, fifo or rr is right"},
		{"cyclictest:policy=deadline,dl_runtime=1ms,dl_period=2ms",
		 "not a policy of cyclictest; normal, fifo or rr is right"},
		{"cyclictest:policy=normal,prio=3", "prio is of policy=fifo"},
		{"cyclictest:interval=1000", "a time without a unit"},
		{"cyclictest:interval=0", "out of range; write 1ns to 1000s"},
		{"cyclictest:threads=0", "out of range; write 1 to 1000000"},
		{"cyclictest:loops=1000000001", "out of range; write 0 to 1000000000"},
		{"cyclictest:smp=2", "out of range; write 0 to 1"},
		{"cyclictest:threads=1000,histogram=20000",
		 "threads x histogram must be at most 16777216"},
		{"oltp:policy=rr", "policy: the tasks of this workload have policies of their own"},
		{"oltp:prio=5", "prio: the tasks of this workload have policies of their own"},
		{"hackbench:group=5",
		 "unknown key \"group\", nearest groups; the keys of hackbench"},
		{"schedpipe:loops=0", "out of range; write 1 to 1000000"},
		{"schedpipe:cpu1=8", "out of range; write 0 to 7"},
		{"schedpipe:cpu1=all", "all"},
		{"lab:nice1=20", "out of range; write -20 to 19"},
		{"lab:fifo2=100", "fifo2: out of range; write 1 to 99, or 0 for none"},
		{"lab:n=600000,n2=600000", "too many threads"},
		{"lab:policy=fifo", "policies of their own"},
		{"schedpipe:policy=deadline,dl_runtime=1ms,dl_period=9ms",
		 "tasks of this workload create others; normal, batch, idle, fifo or rr is right"},
		{"schbench:m=1000,t=1000", "too many tasks; m x (t + 1) must be at most 1000000"},
		{"schbench:sleeptime=0,cputime=0", "one of them must take time"},
		{"dbench:clients=1000000", "at most 999998"},
		{"dbench:disk=0", "out of range; write 1ns"},
		{"shell8:copies=1001", "at most 1000"},
		{"shell8:iterations=20000", "too many processes"},
		{"shell8:tests=1001", "at most 1000"},
		{"shell8:iterations=10,tests=1000,copies=13", "too many processes"},
		{"kbuild:files=200000", "at most 199999 files"},
		{"kbuild:cc=167s", "at most 166s"},
		{"nas:spread=2ms", "spread is too long; write at most step"},
		{"nas:steps=0", "out of range"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rql_error e;

		memset(&e, 0xff, sizeof(e));
		if (workload_create(rows[i].text, 1, 8, &e))
			fail_msg("%s: accepted", rows[i].text);
		if (!strstr(e.what, rows[i].why))
			fail_msg("%s: %s", rows[i].text, e.what);
		assert_string_equal(e.where, rows[i].text);
		assert_int_equal(e.line, 0);
		assert_false(e.limit);
	}
}

static void test_spin_creates_its_threads_one_after_the_other(void **state)
{
	struct workload *w = create("spin:n=2,start=3");
	char text[1024];
	struct buf log;
	struct toy toy;

	(void)state;
	assert_int_equal(w->start_cpu, 3);
	assert_int_equal(w->behaviour->ntasks, 3);
	buf_init(&log, text, sizeof(text));
	toy_start(&toy, w->behaviour, &log);
	assert_true(toy_run(&toy, NS_PER_S, 100));
	assert_string_equal(
		text, "  [0 is spin]\n0 0 start\n0 0 fork 1\n  [1 is spin]\n"
		      "0 1 run 100000000000\n"
		      "1000 0 fork 2\n  [2 is spin]\n1000 2 run 100000000000\n2000 0 block\n");
	toy_end(&toy);
	workload_destroy(w);
}

static void test_forkjoin_steps_last_as_long_as_the_slowest(void **state)
{
	struct workload *w = create("forkjoin:n=2,step=1ms,wait=block");
	char text[2048];
	struct buf log;
	struct toy toy;

	(void)state;
	assert_int_equal(w->start_cpu, WORKLOAD_START_ANY);
	buf_init(&log, text, sizeof(text));
	toy_start(&toy, w->behaviour, &log);
	assert_true(toy_run(&toy, 1500000, 100));
	assert_string_equal(text, "  [0 is forkjoin]\n0 0 fork 1\n  [1 is forkjoin]\n"
				  "0 1 start\n0 1 run 1000000\n"
				  "1000 0 fork 2\n  [2 is forkjoin]\n"
				  "1000 2 start\n1000 2 run 1000000\n2000 0 block\n"
				  "1000000 1 block\n1001000 2 done 1\n1001000 2 wake 1\n"
				  "1001000 1 run 1000000\n1001000 2 run 1000000\n");
	toy_end(&toy);
	workload_destroy(w);
}

static void test_busy_waiters_are_released_and_late_ones_woken(void **state)
{
	struct workload *w = create("forkjoin:n=3,step=10us,spread=100%,wait=2us");
	struct toy toy;

	(void)state;
	toy_start(&toy, w->behaviour, NULL);
	assert_true(toy_run(&toy, NS_PER_S, 100000));
	assert_true(toy.done > 100);
	assert_true(toy.releases > 0);
	assert_true(toy.wakes > 0);
	assert_int_equal(toy.releases + toy.wakes, 2 * toy.done);
	toy_end(&toy);
	workload_destroy(w);
}

static void test_forkjoin_spread_stays_within_its_bounds(void **state)
{
	struct workload *w = create("forkjoin:n=1,step=1ms,spread=20%");
	uint64_t low = UINT64_MAX, high = 0, sum = 0;
	struct task_attr attr;

	(void)state;
	memset(&attr, 0, sizeof(attr));
	w->behaviour->ops->attr(w->behaviour, 1, &attr);
	for (int n = 0; n < 10000;) {
		struct action a;

		memset(&a, 0, sizeof(a));
		w->behaviour->ops->next(w->behaviour, 1, 0, &a);
		if (a.kind != ACTION_RUN)
			continue;
		low = min_u64(low, a.ns);
		high = max_u64(high, a.ns);
		sum += a.ns;
		n++;
	}
	assert_in_range(low, 800000, 800400);
	assert_in_range(high, 1199600, 1200000);
	assert_in_range(sum / 10000, 995000, 1005000);
	workload_destroy(w);
}

static void test_periodic_jobs_keep_their_grid(void **state)
{
	struct workload *w = create("periodic:n=4,period=10ms,run=3ms");
	struct toy toy;

	(void)state;
	toy_start(&toy, w->behaviour, NULL);
	assert_true(toy_run(&toy, NS_PER_S, 100000));
	assert_in_range(toy.done, 4 * 99, 4 * 100);
	toy_end(&toy);
	workload_destroy(w);
}

static void test_daemons_compute_a_thousandth_of_the_time(void **state)
{
	struct workload *w = create("daemons:n=100");
	struct toy toy;

	(void)state;
	toy_start(&toy, w->behaviour, NULL);
	assert_true(toy_run(&toy, 10 * NS_PER_S, 1000000));
	assert_in_range(toy.done, 9600, 10400); /* 100 daemons, 10 s, one each 100.1 ms */
	toy_end(&toy);
	workload_destroy(w);
}

static void test_kthreads_have_no_more_to_do_after_their_wakes(void **state)
{
	struct workload *w = create("kthreads:n=5,period=1ms,run=1us,wakes=3");
	struct toy toy;

	(void)state;
	toy_start(&toy, w->behaviour, NULL);
	/* nothing can happen any more */
	assert_false(toy_run(&toy, NS_PER_S, 100000));
	assert_int_equal(toy.done, 15);
	toy_end(&toy);
	workload_destroy(w);
}

static void test_kthreads_begin_after_what_was_asked(void **state)
{
	struct workload *w = create("kthreads:n=1,period=1ms,run=1us,wakes=1,after=50ms");
	struct task_attr attr;
	struct action a = {0};

	(void)state;
	w->behaviour->ops->attr(w->behaviour, 0, &attr);
	while (a.kind != ACTION_SLEEP)
		w->behaviour->ops->next(w->behaviour, 0, 0, &a);
	assert_int_equal(a.ns, 50 * NS_PER_MS);
	do
		w->behaviour->ops->next(w->behaviour, 0, 0, &a);
	while (a.kind != ACTION_SLEEP);
	assert_in_range(a.ns, 0, 50 * NS_PER_MS - 1); /* its own sleep */
	workload_destroy(w);
}

/* How many of 1000 sleeps of a kernel thread another CPU ends; COUNTS what each CPU of 8 did. */
static uint32_t sleeps_ended_elsewhere(const char *text, uint32_t *counts)
{
	struct workload *w = create(text);
	uint32_t n = 0, sleeps = 0;
	struct task_attr attr;
	struct action a;

	w->behaviour->ops->attr(w->behaviour, 0, &attr);
	assert_true(attr.kthread);
	while (sleeps < 1000) {
		memset(&a, 0, sizeof(a));
		w->behaviour->ops->next(w->behaviour, 0, 0, &a);
		if (a.kind != ACTION_SLEEP)
			continue;
		sleeps++;
		if (!(a.flags & ACTION_IRQ_ON))
			continue;
		assert_in_range(a.value, 0, 7);
		counts[a.value]++;
		n++;
	}
	workload_destroy(w);
	return n;
}

static void test_kthreads_are_woken_elsewhere_as_often_as_asked(void **state)
{
	uint32_t counts[8] = {0};

	(void)state;
	assert_int_equal(sleeps_ended_elsewhere("kthreads", counts), 0);
	assert_in_range(sleeps_ended_elsewhere("kthreads:elsewhere=20", counts), 160, 240);
	memset(counts, 0, sizeof(counts));
	assert_int_equal(sleeps_ended_elsewhere("kthreads:elsewhere=100", counts), 1000);
	for (uint32_t i = 0; i < 8; i++)
		assert_in_range(counts[i], 90, 160);
}

static void test_nice_and_cpus_hold_for_all_tasks(void **state)
{
	struct workload *w = create("periodic:n=2,nice=7,cpus=1+3");

	(void)state;
	for (uint32_t task = 0; task < 3; task++) {
		struct task_attr attr;

		memset(&attr, 0, sizeof(attr));
		w->behaviour->ops->attr(w->behaviour, task, &attr);
		assert_string_equal(attr.comm, "periodic");
		assert_int_equal(attr.nice, 7);
		assert_int_equal(attr.policy, POLICY_NORMAL);
		assert_int_equal(attr.cpus->w[0], 0xa);
	}
	assert_int_equal(w->cpus->w[0], 0xa);
	workload_destroy(w);
}

static void test_policy_and_priority_hold_for_all_tasks(void **state)
{
	static const char *const texts[] = {"forkjoin:n=2,policy=rr,prio=7,nice=3",
					    "daemons:n=3,policy=rr,prio=7,nice=3",
					    "hackbench:groups=1,fds=1,policy=rr,prio=7,nice=3"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct workload *w = create(texts[i]);
		struct task_attr attr;

		for (uint32_t task = 0; task < 3; task++) {
			memset(&attr, 0, sizeof(attr));
			w->behaviour->ops->attr(w->behaviour, task, &attr);
			assert_int_equal(attr.policy, POLICY_RR);
			assert_int_equal(attr.rt_priority, 7);
			assert_int_equal(attr.nice, 3);
		}
		memset(&attr, 0, sizeof(attr));
		assert_true(w->behaviour->ops->policy(w->behaviour, 0, &attr));
		assert_int_equal(attr.policy, POLICY_RR);
		assert_int_equal(attr.rt_priority, 7);
		assert_false(w->behaviour->ops->policy(w->behaviour, 1, &attr));
		workload_destroy(w);
	}
}

/* Main, which creates them, may not be a deadline task itself; daemons have no creator. */
static void test_deadline_tasks_ask_for_their_share_first_of_all(void **state)
{
	static const struct {
		const char *text;
		uint32_t first; /* that asks */
	} rows[] = {
		{"spin:n=2", 1},
		{"forkjoin:n=2", 1},
		{"periodic:n=2", 1},
		{"daemons:n=2", 0},
		{"hackbench:groups=1,fds=1", 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[128];
		struct workload *w;

		snprintf(text, sizeof(text),
			 "%s,policy=deadline,nice=2,dl_runtime=1ms,dl_deadline=2ms,dl_period=3ms",
			 rows[i].text);
		w = create(text);
		for (uint32_t task = 0; task < w->behaviour->ntasks; task++) {
			struct task_attr attr;
			struct action a;

			memset(&attr, 0, sizeof(attr));
			w->behaviour->ops->attr(w->behaviour, task, &attr);
			assert_int_equal(attr.policy, POLICY_NORMAL);
			assert_int_equal(attr.nice, 2);
			if (task < rows[i].first)
				continue;
			memset(&a, 0, sizeof(a));
			w->behaviour->ops->next(w->behaviour, task, 0, &a);
			assert_int_equal(a.kind, ACTION_SET_POLICY);
			assert_int_equal(a.policy, POLICY_DEADLINE);
			assert_int_equal(a.dl->runtime_ns, NS_PER_MS);
			assert_int_equal(a.dl->deadline_ns, 2 * NS_PER_MS);
			assert_int_equal(a.dl->period_ns, 3 * NS_PER_MS);
			assert_int_equal(a.dl->flags, 0);
		}
		workload_destroy(w);
	}
}

static void test_cyclictest_ends_only_with_loops(void **state)
{
	struct workload *w = create("cyclictest"), *v = create("cyclictest:loops=1");

	assert_true(w->behaviour->endless);
	assert_false(v->behaviour->endless);
	workload_destroy(w);
	workload_destroy(v);
}

static void test_a_million_tasks_are_made(void **state)
{
	struct workload *w = create("forkjoin:n=1000000");

	(void)state;
	assert_int_equal(w->behaviour->ntasks, 1000001);
	workload_destroy(w);
}

static void test_all_defaults_and_tables_are_consistent(void **state)
{
	const struct workload_info *info;

	(void)state;
	for (uint32_t i = 0; (info = workload_info(i)) != NULL; i++) {
		struct workload *w = create(info->name);

		assert_true(info->nkeys > 0);
		workload_destroy(w);
	}
	assert_null(workload_info(1000));
	assert_string_equal(workload_common_key(0)->name, "start");
	assert_string_equal(workload_common_key(7)->name, "dl_period");
	assert_string_equal(workload_common_key(8)->name, "shell");
	assert_string_equal(workload_common_key(11)->name, "setup");
	assert_null(workload_common_key(12));
}

static void test_an_endless_text_is_refused(void **state)
{
	char *text = malloc(100001);
	struct rql_error e;

	(void)state;
	memset(text, 'x', 100000);
	text[100000] = 0;
	assert_null(workload_create(text, 1, 8, &e));
	memcpy(text, "spin:n=1", 8);
	assert_null(workload_create(text, 1, 8, &e));
	free(text);
}

/* Three threads, main among them; spinning costs the toy engine nothing. */
static void test_nas_has_a_serial_part_and_two_barriers_a_step(void **state)
{
	struct workload *w =
		create("nas:threads=3,step=1ms,spread=0,serial=10us,steps=2,wait=block");
	static char text[4000];
	struct buf log;
	struct toy toy;

	assert_int_equal(w->behaviour->ntasks, 3);
	buf_init(&log, text, sizeof(text));
	toy_start(&toy, w->behaviour, &log);
	assert_false(toy_run(&toy, NS_PER_S, 1000));
	assert_int_equal(toy.done, 2);
	assert_int_equal(toy.live, 0);
	/* the first barrier waits for the serial part, which follows two forks of 1 us */
	assert_non_null(strstr(text, "\n2000 0 run 10000\n"));
	assert_non_null(strstr(text, "\n0 1 block\n"));
	assert_non_null(strstr(text, "\n12000 1 run 1000000\n"));
	/* and the second step begins when the first has ended everywhere */
	assert_non_null(strstr(text, "\n1012000 0 run 10000\n"));
	toy_end(&toy);
	workload_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canonical_texts_are_complete_and_stable),
		cmocka_unit_test(test_nas_has_a_serial_part_and_two_barriers_a_step),
		cmocka_unit_test(test_every_wrong_text_is_one_error_line),
		cmocka_unit_test(test_spin_creates_its_threads_one_after_the_other),
		cmocka_unit_test(test_forkjoin_steps_last_as_long_as_the_slowest),
		cmocka_unit_test(test_busy_waiters_are_released_and_late_ones_woken),
		cmocka_unit_test(test_busy_waiters_are_released_and_late_ones_woken),
		cmocka_unit_test(test_forkjoin_spread_stays_within_its_bounds),
		cmocka_unit_test(test_periodic_jobs_keep_their_grid),
		cmocka_unit_test(test_daemons_compute_a_thousandth_of_the_time),
		cmocka_unit_test(test_kthreads_have_no_more_to_do_after_their_wakes),
		cmocka_unit_test(test_kthreads_begin_after_what_was_asked),
		cmocka_unit_test(test_kthreads_are_woken_elsewhere_as_often_as_asked),
		cmocka_unit_test(test_nice_and_cpus_hold_for_all_tasks),
		cmocka_unit_test(test_policy_and_priority_hold_for_all_tasks),
		cmocka_unit_test(test_deadline_tasks_ask_for_their_share_first_of_all),
		cmocka_unit_test(test_cyclictest_ends_only_with_loops),
		cmocka_unit_test(test_a_million_tasks_are_made),
		cmocka_unit_test(test_all_defaults_and_tables_are_consistent),
		cmocka_unit_test(test_an_endless_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
