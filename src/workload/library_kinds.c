/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workloads: for each its keys with defaults and one function that builds
 * a program from their values, or makes a behaviour of its own where a program
 * could not say it.
 *
 * All programs have the same frame: task 0 is the program's main thread; it creates the
 * threads one after the other and then sleeps or waits for their end, as the
 * programs they stand for do. Every task inherits policy, nice value and CPUs from it.
 * A deadline task may not create others, so with policy=deadline main is a
 * normal task and each thread asks for its share of time at its start.
 */
#include "workload/library_kinds.h"

#include "base/check.h"
#include "base/mask.h"
#include "workload/cyclictest.h"
#include "workload/dbench.h"
#include "workload/hackbench.h"
#include "workload/kbuild.h"
#include "workload/lab.h"
#include "workload/oltp.h"
#include "workload/schbench.h"
#include "workload/schedpipe.h"
#include "workload/shell8.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static const struct workload_key_info spin_keys[] = {
	{"n", "N", "8", "threads"},
};

static const struct workload_key_info forkjoin_keys[] = {
	{"n", "N", "8", "threads"},
	{"step", "TIME", "1ms", "mean work of a thread between two meetings"},
	{"spread", "TIME|N%", "0%", "work is drawn from step - spread to step + spread"},
	{"wait", "block|spin|TIME", "spin",
	 "at the barrier: sleep, busy-wait, or busy-wait so long and then sleep"},
};

static const struct workload_key_info periodic_keys[] = {
	{"n", "N", "8", "tasks"},
	{"period", "TIME", "10ms", "between two releases of a task; the first is drawn"},
	{"run", "TIME", "1ms", "work of a job"},
};

static const struct workload_key_info daemons_keys[] = {
	{"n", "N", "16", "daemons"},
	{"period", "TIME", "100ms", "mean sleep (exponential)"},
	{"run", "TIME", "100us", "mean work of a wake-up (exponential)"},
};

static const struct workload_key_info kthreads_keys[] = {
	{"n", "N", "1", "threads"},
	{"period", "TIME", "1s", "mean sleep (exponential)"},
	{"run", "TIME", "10us", "mean work of a wake-up (exponential)"},
	{"wakes", "N", "0", "wake-ups of a thread, 0: without end"},
	{"elsewhere", "N", "0", "percent of its wake-ups that a CPU drawn each time does"},
	{"after", "TIME", "0ns", "the first sleep begins then"},
};

static const struct workload_key_info rcu_keys[] = {
	{"run", "TIME", "5us", "work of a step of a grace period"},
};

static const struct workload_key_info hackbench_keys[] = {
	{"groups", "N", "10", "groups of senders and receivers"},
	{"fds", "N", "20", "senders of a group, and its receivers"},
	{"loops", "N", "100", "messages from each sender to each receiver of its group"},
	{"mode", "process|threads", "process", "what the tasks are created as"},
	{"pipe", "0|1", "0", "pass messages through pipes, not through sockets"},
	{"size", "N", "100", "bytes of a message, 1 to 65536"},
	{"fork", "TIME", "0ns", "what making a child costs main; 0: the profile's price"},
	{"first", "TIME", "0ns", "a child works so long before anything else"},
};

enum hackbench_key {
	HACKBENCH_GROUPS,
	HACKBENCH_FDS,
	HACKBENCH_LOOPS,
	HACKBENCH_MODE,
	HACKBENCH_PIPE,
	HACKBENCH_SIZE,
	HACKBENCH_FORK,
	HACKBENCH_FIRST,
};

static const struct workload_key_info oltp_keys[] = {
	{"servers", "N", "300", "server tasks, each with a client of its own"},
	{"classes", "N", "1", "priorities of servers: server_prio and those below it"},
	{"burst", "TIME", "100us", "mean CPU time of a burst (exponential)"},
	{"bursts", "N", "6", "bursts of a transaction, a wait for the disk between two"},
	{"reply", "TIME", "0ns", "mean CPU time of the reply after the commit (exponential)"},
	{"io", "TIME", "300us", "mean wait for the disk (exponential)"},
	{"client", "TIME", "300us", "mean time between reply and next request (exponential)"},
	{"writers", "N", "4", "log writers"},
	{"log", "TIME", "25us", "work of a log writer for all records of a write"},
	{"log_each", "TIME", "500ns", "... and for each of them"},
	{"log_io", "TIME", "100us", "wait of a log writer for its disk"},
	{"lower", "N", "64", "tasks of low priority that always compute"},
	{"short", "N", "0", "tasks of high priority that run for a short time"},
	{"short_period", "TIME", "1ms", "... every"},
	{"short_run", "TIME", "10us", "... for"},
	{"irqs", "N", "16", "CPUs, spread evenly, that the clients' network interrupts"},
	{"server_prio", "PRIO", "50", "rt_priority of the servers, 1 to 99"},
	{"lower_prio", "PRIO", "10", "... of the tasks that always compute"},
	{"writer_prio", "PRIO", "60", "... of the log writers"},
	{"short_prio", "PRIO", "70", "... of the short tasks"},
};

enum oltp_key {
	OLTP_SERVERS,
	OLTP_CLASSES,
	OLTP_BURST,
	OLTP_BURSTS,
	OLTP_REPLY,
	OLTP_IO,
	OLTP_CLIENT,
	OLTP_WRITERS,
	OLTP_LOG,
	OLTP_LOG_EACH,
	OLTP_LOG_IO,
	OLTP_LOWER,
	OLTP_SHORT,
	OLTP_SHORT_PERIOD,
	OLTP_SHORT_RUN,
	OLTP_IRQS,
	OLTP_SERVER_PRIO,
	OLTP_LOWER_PRIO,
	OLTP_WRITER_PRIO,
	OLTP_SHORT_PRIO,
};

static const struct workload_key_info cyclictest_keys[] = {
	{"threads", "N", "1", "threads; with smp=1 as many as CPUs unless given"},
	{"interval", "TIME", "1ms", "between two wake-ups of the first thread"},
	{"distance", "TIME", "500us",
	 "each thread's interval is so much longer than the one's before; not with a histogram"},
	{"loops", "N", "0", "the run ends when a thread has woken so often; 0: it does not end"},
	{"histogram", "N", "0", "keep counts of latencies below N us; 0: none"},
	{"affinity", "0|1", "0", "confine thread i to the i-th CPU of cpus or of the machine"},
	{"smp", "0|1", "0", "a thread a CPU, confined to it, all with the same priority"},
};

enum cyclictest_key {
	CYCLICTEST_THREADS,
	CYCLICTEST_INTERVAL,
	CYCLICTEST_DISTANCE,
	CYCLICTEST_LOOPS,
	CYCLICTEST_HISTOGRAM,
	CYCLICTEST_AFFINITY,
	CYCLICTEST_SMP,
};

static const struct workload_key_info schedpipe_keys[] = {
	{"loops", "N", "1000000", "messages each way"},
	{"threads", "0|1", "0", "two threads that main joins, not a child and main"},
	{"cpu1", "CPU|any", "any", "who writes first confines itself to it before it begins"},
	{"cpu2", "CPU|any", "any", "... who answers"},
};

enum schedpipe_key {
	SCHEDPIPE_LOOPS,
	SCHEDPIPE_THREADS,
	SCHEDPIPE_CPU1,
	SCHEDPIPE_CPU2,
};

static const struct workload_key_info schbench_keys[] = {
	{"m", "N", "2", "message threads"},
	{"t", "N", "16", "workers of each message thread"},
	{"sleeptime", "TIME", "30ms",
	 "a message thread waits so long, up to a quarter more, then answers"},
	{"cputime", "TIME", "30ms", "a worker busy-waits so long by the clock before each message"},
	{"runtime", "TIME", "30s", "0: endless"},
	{"histogram", "N", "10000", "keep counts of wake-up latencies below N us; 0: none"},
};

enum schbench_key {
	SCHBENCH_M,
	SCHBENCH_T,
	SCHBENCH_SLEEPTIME,
	SCHBENCH_CPUTIME,
	SCHBENCH_RUNTIME,
	SCHBENCH_HISTOGRAM,
};

static const struct workload_key_info dbench_keys[] = {
	{"clients", "N", "8", "client processes"},
	{"disk", "TIME", "1500us", "mean wait of a journal commit for its disk (exponential)"},
	{"journal", "TIME", "300ns",
	 "under the journal's spinlock, at begin and end of a change of metadata"},
};

enum dbench_key {
	DBENCH_CLIENTS,
	DBENCH_DISK,
	DBENCH_JOURNAL,
};

static const struct workload_key_info shell8_keys[] = {
	{"copies", "N", "8", "of the script at a time, at most 1000"},
	{"iterations", "N", "100", "of the group of copies"},
	{"tests", "N", "1", "of these at once, at most 1000"},
	{"work", "TIME", "200us", "of each program beside its start, up to a quarter more or less"},
};

enum shell8_key {
	SHELL8_COPIES,
	SHELL8_ITERATIONS,
	SHELL8_TESTS,
	SHELL8_WORK,
};

static const struct workload_key_info kbuild_keys[] = {
	{"jobs", "N", "8", "files compiled at a time"},
	{"files", "N", "100", "files, after which the build ends"},
	{"cc", "TIME", "250ms", "mean CPU time of the compiler for a file (long-tailed)"},
	{"io", "TIME", "500us", "mean wait for a file's sources (exponential)"},
};

enum kbuild_key {
	KBUILD_JOBS,
	KBUILD_FILES,
	KBUILD_CC,
	KBUILD_IO,
};

static const struct workload_key_info nas_keys[] = {
	{"threads", "N", "8", "of the team, main included"},
	{"step", "TIME", "1ms", "mean parallel work of a thread in a step"},
	{"spread", "TIME|N%", "10%", "work is drawn from step - spread to step + spread"},
	{"serial", "TIME", "50us", "work of main alone before each parallel part"},
	{"steps", "N", "1000", "steps, after which the program ends"},
	{"wait", "block|spin|TIME", "spin",
	 "at a barrier: sleep, busy-wait, or busy-wait so long and then sleep"},
};

static const struct workload_key_info lab_keys[] = {
	{"n", "N", "8", "threads of the first process"},
	{"nice1", "N", "0", "their nice value, set by themselves"},
	{"cpu1", "CPU|any", "any", "they confine themselves to it"},
	{"group1", "N", "0", "they are in the run's N-th cgroup; 0: in the workload's"},
	{"fifo1", "N", "0",
	 "they are SCHED_FIFO with this rt_priority and periodic; 0: they compute"},
	{"n2", "N", "0", "threads of the second process; 0: there is none"},
	{"nice2", "N", "0", "..."},
	{"cpu2", "CPU|any", "any", "..."},
	{"group2", "N", "0", "..."},
	{"fifo2", "N", "0", "..."},
	{"period", "TIME", "10ms", "of periodic threads"},
	{"run", "TIME", "2ms", "they run so long in each"},
	{"monitor", "TIME", "1s", "the monitor looks so often; 0: never"},
	{"look", "TIME", "4ms", "CPU time of a look"},
	{"delay", "TIME", "0ns", "all begins after a time drawn from 0 to this"},
	{"first", "TIME", "0ns", "a process works so long before its first thread"},
	{"held", "TIME", "0ns",
	 "a process holds its memory's lock so long after each thread it made; 0: never"},
	{"frees", "0|1", "0",
	 "a look leaves something for RCU to free, as the closing of a file may"},
};

enum lab_key {
	LAB_N,
	LAB_NICE,
	LAB_CPU,
	LAB_GROUP,
	LAB_FIFO,
	LAB_N2, /* the same five of the second process */
	LAB_PERIOD = 2 * LAB_N2,
	LAB_RUN,
	LAB_MONITOR,
	LAB_LOOK,
	LAB_DELAY,
	LAB_FIRST,
	LAB_HELD,
	LAB_FREES,
};

enum nas_key {
	NAS_THREADS,
	NAS_STEP,
	NAS_SPREAD,
	NAS_SERIAL,
	NAS_STEPS,
	NAS_WAIT,
};

/* What tasks are created with; r->attr_id is what the threads come to be. */
static uint16_t first_attr(struct program *p, const struct request *r)
{
	struct program_attr normal = {.policy = POLICY_NORMAL, .nice = r->attr.nice};

	return r->attr.policy == POLICY_DEADLINE ? program_attr(p, normal) : r->attr_id;
}

static uint32_t add_threads(struct program *p, const struct request *r)
{
	struct program_group g = {.comm = r->kind->info.name,
				  .count = (uint32_t)r->values[0],
				  .attr = first_attr(p, r),
				  .cpus = r->cpus_id};
	uint32_t group = program_group(p, &g);

	if (g.attr != r->attr_id)
		program_set_attr(p, r->attr_id);
	return group;
}

/* Task 0, which creates the threads: the group after its own. */
static void add_main(struct program *p, const struct request *r)
{
	struct program_group g = {.comm = r->kind->info.name,
				  .count = 1,
				  .attr = first_attr(p, r),
				  .cpus = r->cpus_id};

	program_group(p, &g);
}

static void build_spin(struct program *p, const struct request *r)
{
	add_main(p, r);
	program_start_mark(p);
	program_fork(p, 1);
	program_block_forever(p);
	add_threads(p, r);
	program_run_forever(p);
}

static void build_forkjoin(struct program *p, const struct request *r)
{
	uint64_t step_ns = r->values[1], spread_ns = r->values[2];
	uint32_t barrier = program_queue(p);
	struct amount work = amount_fixed(step_ns);

	if (spread_ns)
		work = amount_uniform(step_ns - spread_ns, step_ns + spread_ns);
	program_barrier_spin(p, barrier, r->values[3]);
	add_main(p, r);
	program_fork(p, 1);
	program_join_all(p);
	add_threads(p, r);
	program_start_mark(p);
	program_loop_begin(p, 0);
	program_run(p, work);
	program_barrier(p, barrier, (uint32_t)r->values[0], 1);
	program_loop_end(p);
}

static void build_periodic(struct program *p, const struct request *r)
{
	struct program_timer release = {.own = true, .absolute = true, .period_ns = r->values[1]};

	add_main(p, r);
	program_start_mark(p);
	program_fork(p, 1);
	program_join_all(p);
	add_threads(p, r);
	program_timer_start(p, 0, amount_uniform(0, r->values[1] - 1));
	program_loop_begin(p, 0);
	program_run(p, amount_fixed(r->values[2]));
	program_done(p, 1);
	program_timer(p, &release);
	program_loop_end(p);
}

/* Background noise has no creator: it was there before, each daemon on a CPU of its own draw. */
static void build_daemons(struct program *p, const struct request *r)
{
	add_threads(p, r);
	program_first_tasks(p, (uint32_t)r->values[0]);
	program_start_mark(p);
	program_loop_begin(p, 0);
	program_sleep(p, amount_exponential(r->values[1]));
	program_run(p, amount_exponential(r->values[2]));
	program_done(p, 1);
	program_loop_end(p);
}

static void settle_kthreads(struct request *r)
{
	r->attr.kthread = true;
}

static bool check_kthreads(const char *text, const struct request *r, struct rql_error *e)
{
	if (r->values[4] <= 100)
		return true;
	return err_set(e, text, "elsewhere is more than 100 percent; write 0 to 100", NULL, NULL);
}

/* As daemons, but others may wake them, and they may have no more to do after a while. */
static void build_kthreads(struct program *p, const struct request *r)
{
	struct amount span = amount_exponential(r->values[1]);

	add_threads(p, r);
	program_first_tasks(p, (uint32_t)r->values[0]);
	program_start_mark(p);
	if (r->values[5])
		program_sleep(p, amount_fixed(r->values[5]));
	program_loop_begin(p, (uint32_t)r->values[3]);
	program_sleep_elsewhere(p, span, (uint32_t)r->values[4], r->ncpus);
	program_run(p, amount_exponential(r->values[2]));
	program_done(p, 1);
	program_loop_end(p);
	program_block_forever(p);
}

static void build_rcu(struct program *p, const struct request *r)
{
	const struct program_group g = {
		.comm = "rcu_preempt", .count = 1, .attr = r->attr_id, .cpus = r->cpus_id};

	program_group(p, &g);
	program_start_mark(p);
	program_loop_begin(p, 0);
	program_rcu(p);
	program_run(p, amount_fixed(r->values[0]));
	program_done(p, 1);
	program_loop_end(p);
}

/* The steps of a thread; main has its serial part and counts. */
static void add_nas_steps(struct program *p, const struct request *r, const uint32_t barrier[2],
			  bool is_main)
{
	uint64_t step_ns = r->values[NAS_STEP], spread_ns = r->values[NAS_SPREAD];
	uint32_t threads = (uint32_t)r->values[NAS_THREADS];

	program_loop_begin(p, (uint32_t)r->values[NAS_STEPS]);
	if (is_main && r->values[NAS_SERIAL])
		program_run(p, amount_fixed(r->values[NAS_SERIAL]));
	program_barrier(p, barrier[0], threads, 0);
	program_run(p, spread_ns ? amount_uniform(step_ns - spread_ns, step_ns + spread_ns) :
				   amount_fixed(step_ns));
	program_barrier(p, barrier[1], threads, 1);
	program_loop_end(p);
}

/* A team of threads as OpenMP makes it: main is one of them. */
static void build_nas(struct program *p, const struct request *r)
{
	const uint32_t barrier[2] = {program_queue(p), program_queue(p)};
	struct program_group team = {.comm = r->kind->info.name,
				     .count = (uint32_t)r->values[NAS_THREADS] - 1,
				     .attr = r->attr_id,
				     .cpus = r->cpus_id};

	program_barrier_spin(p, barrier[0], r->values[NAS_WAIT]);
	program_barrier_spin(p, barrier[1], r->values[NAS_WAIT]);
	add_main(p, r);
	program_start_mark(p);
	if (team.count)
		program_fork(p, 1);
	add_nas_steps(p, r, barrier, true);
	program_end_mark(p);
	if (!team.count)
		return;
	program_join_all(p);
	program_group(p, &team);
	add_nas_steps(p, r, barrier, false);
}

static bool check_hackbench(const char *text, const struct request *r, struct rql_error *e)
{
	/* each at most KIND_TASKS_MAX */
	if (r->values[HACKBENCH_GROUPS] * r->values[HACKBENCH_FDS] * 2 <= HACKBENCH_TASKS_MAX)
		return true;
	return err_set(e, text, "too many tasks; groups x fds x 2 must be at most 1000000", NULL,
		       NULL);
}

static struct behaviour *make_hackbench(const struct request *r, uint64_t seed)
{
	struct hackbench_params p = {
		.groups = (uint32_t)r->values[HACKBENCH_GROUPS],
		.fds = (uint32_t)r->values[HACKBENCH_FDS],
		.loops = (uint32_t)r->values[HACKBENCH_LOOPS],
		.size = (uint32_t)r->values[HACKBENCH_SIZE],
		.fork_ns = r->values[HACKBENCH_FORK],
		.first_ns = r->values[HACKBENCH_FIRST],
		.process = r->values[HACKBENCH_MODE] == MODE_PROCESS,
		.pipe = r->values[HACKBENCH_PIPE] != 0,
		.policy = r->attr.policy,
		.nice = r->attr.nice,
		.rt_priority = r->attr.rt_priority,
		.dl = r->attr.dl,
		.cpus = r->cpus,
		.seed = seed,
	};

	return hackbench_create(&p);
}

static bool check_oltp(const char *text, const struct request *r, struct rql_error *e)
{
	/* each at most KIND_TASKS_MAX */
	if (r->values[OLTP_SERVERS] + r->values[OLTP_WRITERS] + r->values[OLTP_LOWER] +
		    r->values[OLTP_SHORT] >
	    OLTP_TASKS_MAX)
		return err_set(e, text, "too many tasks; at most 1000000 of all kinds", NULL, NULL);
	if (r->values[OLTP_CLASSES] > r->values[OLTP_SERVER_PRIO])
		return err_set(e, text, "classes: more than there are priorities; ",
			       "at most server_prio is right", NULL);
	return true;
}

static struct behaviour *make_oltp(const struct request *r, uint64_t seed)
{
	struct oltp_params p = {
		.servers = (uint32_t)r->values[OLTP_SERVERS],
		.classes = (uint32_t)r->values[OLTP_CLASSES],
		.bursts = (uint32_t)r->values[OLTP_BURSTS],
		.reply_ns = r->values[OLTP_REPLY],
		.burst_ns = r->values[OLTP_BURST],
		.io_ns = r->values[OLTP_IO],
		.client_ns = r->values[OLTP_CLIENT],
		.writers = (uint32_t)r->values[OLTP_WRITERS],
		.log_ns = r->values[OLTP_LOG],
		.log_per_waiter_ns = r->values[OLTP_LOG_EACH],
		.log_io_ns = r->values[OLTP_LOG_IO],
		.lower = (uint32_t)r->values[OLTP_LOWER],
		.shorts = (uint32_t)r->values[OLTP_SHORT],
		.short_period_ns = r->values[OLTP_SHORT_PERIOD],
		.short_ns = r->values[OLTP_SHORT_RUN],
		.irqs = (uint32_t)r->values[OLTP_IRQS],
		.ncpus = r->ncpus,
		.server_prio = (int32_t)r->values[OLTP_SERVER_PRIO],
		.lower_prio = (int32_t)r->values[OLTP_LOWER_PRIO],
		.writer_prio = (int32_t)r->values[OLTP_WRITER_PRIO],
		.short_prio = (int32_t)r->values[OLTP_SHORT_PRIO],
		.nice = r->attr.nice,
		.cpus = r->cpus,
		.seed = seed,
	};

	return oltp_create(&p);
}

/* As rt-tests' -S: a thread for each CPU. */
static void settle_cyclictest(struct request *r)
{
	if (r->values[CYCLICTEST_SMP] && !r->given[CYCLICTEST_THREADS])
		r->values[CYCLICTEST_THREADS] = r->cpus ? mask_weight(r->cpus) : r->ncpus;
}

static bool check_cyclictest(const char *text, const struct request *r, struct rql_error *e)
{
	enum sched_policy policy = r->attr.policy;

	if (policy != POLICY_NORMAL && policy != POLICY_FIFO && policy != POLICY_RR)
		return err_set(e, text, "not a policy of cyclictest; normal, fifo or rr is right",
			       NULL, NULL);
	/* below 10^6 * 10^9 */
	if (r->values[CYCLICTEST_THREADS] * r->values[CYCLICTEST_HISTOGRAM] >
	    CYCLICTEST_BUCKETS_MAX)
		return err_set(e, text,
			       "histograms are too large; threads x histogram must be at most "
			       "16777216",
			       NULL, NULL);
	return true;
}

static struct behaviour *make_cyclictest(const struct request *r, uint64_t seed)
{
	bool smp = r->values[CYCLICTEST_SMP] != 0;
	struct cyclictest_params p = {
		.threads = (uint32_t)r->values[CYCLICTEST_THREADS],
		.interval_ns = r->values[CYCLICTEST_INTERVAL],
		.distance_ns = r->values[CYCLICTEST_DISTANCE],
		.loops = (uint32_t)r->values[CYCLICTEST_LOOPS],
		.buckets = (uint32_t)r->values[CYCLICTEST_HISTOGRAM],
		.affinity = smp || r->values[CYCLICTEST_AFFINITY],
		.smp = smp,
		.policy = r->attr.policy,
		.rt_priority = r->attr.rt_priority,
		.nice = r->attr.nice,
		.cpus = r->cpus,
		.ncpus = r->ncpus,
	};

	(void)seed;
	return cyclictest_create(&p);
}

/* What all tasks of R's workload are created with. */
static struct task_attr common_attr(const struct request *r)
{
	return (struct task_attr){.policy = r->attr.policy,
				  .nice = r->attr.nice,
				  .rt_priority = r->attr.rt_priority,
				  .cpus = r->cpus};
}

static bool check_no_deadline(const char *text, const struct request *r, struct rql_error *e)
{
	if (r->attr.policy != POLICY_DEADLINE)
		return true;
	return err_set(e, text, "policy=deadline: tasks of this workload create others; ",
		       "normal, batch, idle, fifo or rr is right", NULL);
}

static struct behaviour *make_schedpipe(const struct request *r, uint64_t seed)
{
	struct schedpipe_params p = {
		.loops = (uint32_t)r->values[SCHEDPIPE_LOOPS],
		.threads = r->values[SCHEDPIPE_THREADS] != 0,
		.cpu = {(uint32_t)r->values[SCHEDPIPE_CPU1], (uint32_t)r->values[SCHEDPIPE_CPU2]},
		.ncpus = r->ncpus,
		.common = common_attr(r),
		.cpus = r->cpus,
		.seed = seed,
	};

	return schedpipe_create(&p);
}

static bool check_schbench(const char *text, const struct request *r, struct rql_error *e)
{
	/* each at most KIND_TASKS_MAX */
	if (r->values[SCHBENCH_M] * (r->values[SCHBENCH_T] + 1) > SCHBENCH_TASKS_MAX)
		return err_set(e, text, "too many tasks; m x (t + 1) must be at most 1000000", NULL,
			       NULL);
	if (!r->values[SCHBENCH_SLEEPTIME] && !r->values[SCHBENCH_CPUTIME])
		return err_set(e, text, "sleeptime and cputime are both 0; ",
			       "one of them must take time", NULL);
	return check_no_deadline(text, r, e);
}

static struct behaviour *make_schbench(const struct request *r, uint64_t seed)
{
	struct schbench_params p = {
		.messengers = (uint32_t)r->values[SCHBENCH_M],
		.workers = (uint32_t)r->values[SCHBENCH_T],
		.sleep_ns = r->values[SCHBENCH_SLEEPTIME],
		.cpu_ns = r->values[SCHBENCH_CPUTIME],
		.runtime_ns = r->values[SCHBENCH_RUNTIME],
		.buckets = (uint32_t)r->values[SCHBENCH_HISTOGRAM],
		.common = common_attr(r),
		.cpus = r->cpus,
		.seed = seed,
	};

	return schbench_create(&p);
}

static bool check_dbench(const char *text, const struct request *r, struct rql_error *e)
{
	if (r->values[DBENCH_CLIENTS] > DBENCH_CLIENTS_MAX)
		return err_set(e, text, "clients: too many; at most 999998", NULL, NULL);
	return check_no_deadline(text, r, e);
}

static struct behaviour *make_dbench(const struct request *r, uint64_t seed)
{
	struct dbench_params p = {
		.clients = (uint32_t)r->values[DBENCH_CLIENTS],
		.disk_ns = r->values[DBENCH_DISK],
		.journal_ns = r->values[DBENCH_JOURNAL],
		.common = common_attr(r),
		.cpus = r->cpus,
		.seed = seed,
	};

	return dbench_create(&p);
}

static bool check_shell8(const char *text, const struct request *r, struct rql_error *e)
{
	uint64_t copies = r->values[SHELL8_COPIES], tests = r->values[SHELL8_TESTS];
	uint64_t processes = r->values[SHELL8_ITERATIONS] * (1 + copies * SHELL8_PROCESSES_OF_COPY);

	if (copies > SHELL8_COPIES_MAX)
		return err_set(e, text, "copies: too many; at most 1000", NULL, NULL);
	if (tests > SHELL8_TESTS_MAX)
		return err_set(e, text, "tests: too many; at most 1000", NULL, NULL);
	if (tests * ((tests > 1) + processes) >= SHELL8_TASKS_MAX)
		return err_set(e, text, "too many processes; ",
			       "tests x (1 + iterations x (1 + 8 x copies)) must be below 1000000",
			       NULL);
	return check_no_deadline(text, r, e);
}

static struct behaviour *make_shell8(const struct request *r, uint64_t seed)
{
	struct shell8_params p = {
		.copies = (uint32_t)r->values[SHELL8_COPIES],
		.iterations = (uint32_t)r->values[SHELL8_ITERATIONS],
		.tests = (uint32_t)r->values[SHELL8_TESTS],
		.work_ns = r->values[SHELL8_WORK],
		.common = common_attr(r),
		.cpus = r->cpus,
		.seed = seed,
	};

	return shell8_create(&p);
}

static bool check_kbuild(const char *text, const struct request *r, struct rql_error *e)
{
	if (r->values[KBUILD_FILES] * KBUILD_PROCESSES_OF_FILE >= KBUILD_TASKS_MAX)
		return err_set(e, text, "files: too many processes; at most 199999 files", NULL,
			       NULL);
	/* its tail is drawn with six times the mean */
	if (r->values[KBUILD_CC] > KIND_TIME_MAX_NS / 6)
		return err_set(e, text, "cc: too long; at most 166s", NULL, NULL);
	return check_no_deadline(text, r, e);
}

static struct behaviour *make_kbuild(const struct request *r, uint64_t seed)
{
	struct kbuild_params p = {
		.jobs = (uint32_t)r->values[KBUILD_JOBS],
		.files = (uint32_t)r->values[KBUILD_FILES],
		.cc_ns = r->values[KBUILD_CC],
		.io_ns = r->values[KBUILD_IO],
		.common = common_attr(r),
		.cpus = r->cpus,
		.seed = seed,
	};

	return kbuild_create(&p);
}

static bool check_lab(const char *text, const struct request *r, struct rql_error *e)
{
	if (r->values[LAB_N] + r->values[LAB_N2] > KIND_TASKS_MAX)
		return err_set(e, text, "too many threads; at most 1000000 of both processes", NULL,
			       NULL);
	for (uint32_t i = LAB_FIFO; i < LAB_PERIOD; i += LAB_N2)
		if (r->values[i] > 99)
			return err_set(e, text, r->kind->info.keys[i].name,
				       ": out of range; write 1 to 99, or 0 for none", NULL);
	return true;
}

static struct behaviour *make_lab(const struct request *r, uint64_t seed)
{
	struct lab_params p = {
		.monitor_ns = r->values[LAB_MONITOR],
		.look_ns = r->values[LAB_LOOK],
		.delay_ns = r->values[LAB_DELAY],
		.first_ns = r->values[LAB_FIRST],
		.held_ns = r->values[LAB_HELD],
		.frees = r->values[LAB_FREES] != 0,
		.nice = r->attr.nice,
		.cpus = r->cpus,
		.ncpus = r->ncpus,
		.seed = seed,
	};

	for (uint32_t i = 0; i < LAB_PROCESSES; i++) {
		const uint64_t *v = &r->values[i * LAB_N2];

		p.process[i] = (struct lab_process){
			.threads = (uint32_t)v[LAB_N],
			.nice = (int32_t)v[LAB_NICE] - (int32_t)NICE_BIAS,
			.cpu = (uint32_t)v[LAB_CPU],
			.group = (uint32_t)v[LAB_GROUP],
			.rt_prio = (int32_t)v[LAB_FIFO],
			.run_ns = r->values[LAB_RUN],
			.period_ns = r->values[LAB_PERIOD],
		};
	}
	return lab_create(&p);
}

static const struct workload_kind kinds[] = {
	{
		.info = {"spin",
			 "n threads created one after the other compute for ever; their creator sleeps",
			 spin_keys, COUNT_OF(spin_keys)},
		.types = {KEY_COUNT},
		.endless = true,
		.purpose = "spin",
		.build = build_spin,
	},
	{
		.info = {"forkjoin",
			 "n threads compute a step and meet at a barrier, again and again; a unit is a step",
			 forkjoin_keys, COUNT_OF(forkjoin_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_SPREAD, KEY_WAIT},
		.endless = true,
		.purpose = "forkjoin",
		.build = build_forkjoin,
	},
	{
		.info = {"periodic",
			 "n tasks are released every period and compute; a unit is a job",
			 periodic_keys, COUNT_OF(periodic_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_TIME},
		.endless = true,
		.purpose = "periodic",
		.build = build_periodic,
	},
	{
		.info = {"daemons",
			 "background noise: n daemons sleep and compute; a unit is a wake-up",
			 daemons_keys, COUNT_OF(daemons_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_TIME, KEY_NUMBER},
		.endless = true,
		.purpose = "daemons",
		.build = build_daemons,
	},
	{
		.info = {"kthreads",
			 "kernel threads sleep and compute, woken by their CPU or others; a unit is a wake-up",
			 kthreads_keys, COUNT_OF(kthreads_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_TIME, KEY_NUMBER, KEY_NUMBER, KEY_SPAN},
		.endless = true,
		.purpose = "kthreads",
		.build = build_kthreads,
		.settle = settle_kthreads,
		.check = check_kthreads,
	},
	{
		.info = {"rcu",
			 "RCU's grace periods, which keep ticks of idle CPUs; a unit is a step of one",
			 rcu_keys, COUNT_OF(rcu_keys)},
		.types = {KEY_TIME},
		.endless = true,
		.purpose = "rcu",
		.build = build_rcu,
		.settle = settle_kthreads,
	},
	{
		.info = {"hackbench",
			 "senders and receivers pass messages, as rt-tests' hackbench; a unit is a message",
			 hackbench_keys, COUNT_OF(hackbench_keys)},
		.types = {KEY_COUNT, KEY_COUNT, KEY_COUNT, KEY_MODE, KEY_SWITCH, KEY_SIZE, KEY_SPAN,
			  KEY_SPAN},
		.check = check_hackbench,
		.make = make_hackbench,
		.destroy = hackbench_destroy,
	},
	{
		.info = {"oltp",
			 "a database of real-time tasks in a closed loop; a unit is a transaction",
			 oltp_keys, COUNT_OF(oltp_keys)},
		.types = {KEY_COUNT, KEY_COUNT,  KEY_TIME,   KEY_COUNT, KEY_SPAN,
			  KEY_TIME,  KEY_TIME,   KEY_COUNT,  KEY_TIME,  KEY_SPAN,
			  KEY_TIME,  KEY_NUMBER, KEY_NUMBER, KEY_TIME,  KEY_TIME,
			  KEY_COUNT, KEY_PRIO,   KEY_PRIO,   KEY_PRIO,  KEY_PRIO},
		.endless = true,
		.own_policies = true,
		.check = check_oltp,
		.make = make_oltp,
		.destroy = oltp_destroy,
	},
	{
		.info = {"cyclictest",
			 "threads measure how late they wake, as rt-tests' cyclictest; fifo with prio 80 "
			 "unless given; a unit is a wake-up",
			 cyclictest_keys, COUNT_OF(cyclictest_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_SPAN, KEY_LOOPS, KEY_NUMBER, KEY_SWITCH,
			  KEY_SWITCH},
		.policy = POLICY_FIFO,
		.prio = 80,
		.settle = settle_cyclictest,
		.check = check_cyclictest,
		.make = make_cyclictest,
		.destroy = cyclictest_destroy,
	},
	{
		.info = {"schedpipe",
			 "two tasks pass a message back and forth, as perf bench sched pipe; a unit is a round",
			 schedpipe_keys, COUNT_OF(schedpipe_keys)},
		.types = {KEY_COUNT, KEY_SWITCH, KEY_CPU, KEY_CPU},
		.check = check_no_deadline,
		.make = make_schedpipe,
		.destroy = schedpipe_destroy,
	},
	{
		.info = {"schbench",
			 "workers compute and wait for message threads, as schbench of 2016; a unit is a message",
			 schbench_keys, COUNT_OF(schbench_keys)},
		.types = {KEY_COUNT, KEY_COUNT, KEY_SPAN, KEY_SPAN, KEY_SPAN, KEY_NUMBER},
		.check = check_schbench,
		.make = make_schbench,
		.destroy = schbench_destroy,
	},
	{
		.info = {"dbench",
			 "clients of a file system with a journal, as dbench; a unit is an operation",
			 dbench_keys, COUNT_OF(dbench_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_SPAN},
		.endless = true,
		.check = check_dbench,
		.make = make_dbench,
		.destroy = dbench_destroy,
	},
	{
		.info = {"shell8",
			 "concurrent scripts of short processes, as UnixBench's shell8; a unit is an iteration of all",
			 shell8_keys, COUNT_OF(shell8_keys)},
		.types = {KEY_COUNT, KEY_COUNT, KEY_COUNT, KEY_TIME},
		.check = check_shell8,
		.make = make_shell8,
		.destroy = shell8_destroy,
	},
	{
		.info = {"kbuild",
			 "make keeps chains of sh, gcc, cc1 and as running; a unit is a file",
			 kbuild_keys, COUNT_OF(kbuild_keys)},
		.types = {KEY_COUNT, KEY_COUNT, KEY_TIME, KEY_SPAN},
		.check = check_kbuild,
		.make = make_kbuild,
		.destroy = kbuild_destroy,
	},
	{
		.info = {"nas",
			 "a team of threads with serial parts and two barriers a step, as OpenMP's NAS; a unit is a step",
			 nas_keys, COUNT_OF(nas_keys)},
		.types = {KEY_COUNT, KEY_TIME, KEY_SPREAD, KEY_SPAN, KEY_COUNT, KEY_WAIT},
		.purpose = "nas",
		.build = build_nas,
		.check = check_no_deadline,
	},
	{
		.info = {"lab",
			 "a monitor forks one or two processes of spinning or periodic threads: what recorded tests/truth",
			 lab_keys, COUNT_OF(lab_keys)},
		.types = {KEY_COUNT, KEY_NICE, KEY_CPU, KEY_NUMBER, KEY_NUMBER, KEY_NUMBER,
			  KEY_NICE, KEY_CPU, KEY_NUMBER, KEY_NUMBER, KEY_TIME, KEY_TIME, KEY_SPAN,
			  KEY_SPAN, KEY_SPAN, KEY_SPAN, KEY_SPAN, KEY_SWITCH},
		.endless = true,
		.own_policies = true,
		.check = check_lab,
		.make = make_lab,
		.destroy = lab_destroy,
	},
};

const struct workload_kind *workload_kinds(uint32_t *count)
{
	_Static_assert(COUNT_OF(kinds) <= KINDS_MAX, "texts list all names");

	*count = COUNT_OF(kinds);
	return kinds;
}
