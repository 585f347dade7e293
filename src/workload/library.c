/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each workload of the library is a row of a table: its keys with defaults and
 * one function that builds a program from their values, or makes a behaviour
 * of its own where a program could not say it. Reading is the same for all: split at ':' and ',', find each key among the workload's own and
 * the common ones, read its value by the key's type; the first thing that is
 * not exactly right ends it with one line that says what would be right.
 *
 * All programs have the same frame: task 0 is the program's main thread; it creates the
 * threads one after the other and then sleeps or waits for their end, as the
 * programs they stand for do. Every task inherits policy, nice value and CPUs from it.
 * A deadline task may not create others, so with policy=deadline main is a
 * normal task and each thread asks for its share of time at its start.
 *
 * The canonical text has all of the workload's own keys in the table's order,
 * then those common keys that were given; it creates the same workload even
 * when a default changes one day.
 */
#include "workload/library.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "base/params.h"
#include "workload/cyclictest.h"
#include "workload/hackbench.h"
#include "workload/oltp.h"
#include "workload/program.h"

#define TASKS_MAX UINT64_C(1000000)
#define TIME_MAX_NS (UINT64_C(1000) * NS_PER_S) /* below the 2^40 of exponential draws */
#define OWN_KEYS_MAX 20
#define RT_PRIO_DEFAULT 50
#define DL_NS_MIN UINT64_C(1024) /* Linux: __checkparam_dl(), 3.14 on */
#define TEXT_MAX 4096
#define LOOPS_MAX UINT64_C(1000000000)

enum key_type {
	KEY_COUNT,  /* 1 to TASKS_MAX */
	KEY_NUMBER, /* 0 to TASKS_MAX */
	KEY_PRIO,   /* rt_priority, 1 to 99 */
	KEY_LOOPS,  /* 0 to LOOPS_MAX */
	KEY_SIZE,   /* of a message, in bytes */
	KEY_SWITCH, /* 0 or 1 */
	KEY_MODE,   /* "process" or "threads" */
	KEY_TIME,   /* 1 ns to TIME_MAX_NS */
	KEY_SPAN,   /* 0 ns to TIME_MAX_NS */
	KEY_WAIT,   /* "block", "spin", or how long to spin before blocking */
	KEY_SPREAD, /* a time from 0, or a percentage of the time before it in the table */
};

/* What KEY_MODE reads. */
#define MODE_PROCESS 0u
#define MODE_THREADS 1u

struct request;

struct workload_kind {
	struct workload_info info;
	enum key_type types[OWN_KEYS_MAX];
	bool endless;
	bool own_policies;        /* its tasks have policies that its own keys set */
	enum sched_policy policy; /* unless another is given */
	int32_t prio;             /* of FIFO and RR unless given; 0: RT_PRIO_DEFAULT */
	/* a program ... */
	const char *purpose; /* names the tasks' streams */
	void (*build)(struct program *p, const struct request *r);
	/* ... or a behaviour of its own; NULL: no memory. Else it takes over r->cpus. */
	void (*settle)(struct request *r); /* values that depend on others; NULL: none */
	bool (*check)(const char *text, const struct request *r, struct rql_error *e);
	struct behaviour *(*make)(const struct request *r, uint64_t seed);
	void (*destroy)(struct behaviour *b);
};

/* Keys that every workload has, in the order of common_keys[]. */
enum common_key {
	COMMON_START,
	COMMON_NICE,
	COMMON_CPUS,
	COMMON_POLICY,
	COMMON_PRIO,
	COMMON_DL_RUNTIME,
	COMMON_DL_DEADLINE,
	COMMON_DL_PERIOD,
	COMMON_KEYS,
};

/* A text taken apart. */
struct request {
	const struct workload_kind *kind;
	uint64_t values[OWN_KEYS_MAX];
	bool given[OWN_KEYS_MAX];
	bool common_given[COMMON_KEYS];
	struct program_attr attr;
	uint32_t ncpus; /* CPU numbers of the machine */
	uint32_t start_cpu;
	struct mask *cpus; /* NULL: not given */
	uint16_t attr_id, cpus_id;
};

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

static const struct workload_key_info hackbench_keys[] = {
	{"groups", "N", "10", "groups of senders and receivers"},
	{"fds", "N", "20", "senders of a group, and its receivers"},
	{"loops", "N", "100", "messages from each sender to each receiver of its group"},
	{"mode", "process|threads", "process", "what the tasks are created as"},
	{"pipe", "0|1", "0", "pass messages through pipes, not through sockets"},
	{"size", "N", "100", "bytes of a message, 1 to 65536"},
};

enum hackbench_key {
	HACKBENCH_GROUPS,
	HACKBENCH_FDS,
	HACKBENCH_LOOPS,
	HACKBENCH_MODE,
	HACKBENCH_PIPE,
	HACKBENCH_SIZE,
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

static const struct workload_key_info common_keys[COMMON_KEYS] = {
	{"start", "CPU", "", "CPU where the first task starts"},
	{"nice", "N", "0", "nice value of all tasks, -20 to 19"},
	{"cpus", "LIST", "", "CPUs the tasks are confined to, as 0+2-4"},
	{"policy", "normal|batch|idle|fifo|rr|deadline", "normal",
	 "scheduling policy of all tasks"},
	{"prio", "N", "50", "rt_priority with fifo and rr, 1 to 99; 99 goes first"},
	{"dl_runtime", "TIME", "", "with deadline: CPU time of each task in a period"},
	{"dl_deadline", "TIME", "", "... within so much of the period's start; default: dl_period"},
	{"dl_period", "TIME", "", "... the period; default: dl_deadline"},
};

static const struct {
	const char *name;
	enum sched_policy policy;
} policies[] = {
	{"normal", POLICY_NORMAL}, {"batch", POLICY_BATCH}, {"idle", POLICY_IDLE},
	{"fifo", POLICY_FIFO},     {"rr", POLICY_RR},       {"deadline", POLICY_DEADLINE},
};

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

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

static bool check_hackbench(const char *text, const struct request *r, struct rql_error *e)
{
	/* each at most TASKS_MAX */
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
	/* each at most TASKS_MAX */
	if (r->values[OLTP_SERVERS] + r->values[OLTP_WRITERS] + r->values[OLTP_LOWER] +
		    r->values[OLTP_SHORT] >
	    OLTP_TASKS_MAX)
		return err_set(e, text, "too many tasks; at most 1000000 of all kinds", NULL, NULL);
	if (r->values[OLTP_CLASSES] > r->values[OLTP_SERVER_PRIO])
		return err_set(e, text, "classes: more than there are priorities from ",
			       "server_prio down to 1", NULL);
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
		return err_set(e, text, "policy of cyclictest: normal, fifo or rr is right", NULL,
			       NULL);
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
		.types = {KEY_COUNT, KEY_TIME, KEY_TIME},
		.endless = true,
		.purpose = "daemons",
		.build = build_daemons,
	},
	{
		.info = {"hackbench",
			 "senders and receivers pass messages, as rt-tests' hackbench; a unit is a message",
			 hackbench_keys, COUNT_OF(hackbench_keys)},
		.types = {KEY_COUNT, KEY_COUNT, KEY_COUNT, KEY_MODE, KEY_SWITCH, KEY_SIZE},
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
};

const struct workload_info *workload_info(uint32_t i)
{
	return i < COUNT_OF(kinds) ? &kinds[i].info : NULL;
}

const struct workload_key_info *workload_common_key(uint32_t i)
{
	return i < COMMON_KEYS ? &common_keys[i] : NULL;
}

/* " A", " A or B", " A, B or C" of names[nearest[...]]. */
static void append_choice(struct buf *b, const char *const *names, const uint32_t *nearest,
			  uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_str(b, i == 0 ? "" : i + 1 == n ? " or " : ", ");
		buf_str(b, names[nearest[i]]);
	}
}

static bool unknown_workload(const char *text, size_t n, struct rql_error *e)
{
	const char *names[COUNT_OF(kinds)];
	char what[256];
	uint32_t nearest[3], found;
	struct buf b;

	for (uint32_t i = 0; i < COUNT_OF(kinds); i++)
		names[i] = kinds[i].info.name;
	found = param_nearest(text, n, names, COUNT_OF(kinds), nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, n ? "unknown workload; nearest: " : "no workload named; for example ");
	append_choice(&b, names, nearest, found);
	buf_str(&b, " (a file needs a / in its path or ends in .json)");
	return err_set(e, text, what, NULL, NULL);
}

static bool unknown_key(const char *text, const struct request *r, const struct param *key,
			struct rql_error *e)
{
	const struct workload_info *info = &r->kind->info;
	const char *names[OWN_KEYS_MAX + COMMON_KEYS];
	uint32_t n = 0, nearest[3];
	char what[512];
	struct buf b;

	for (uint32_t i = 0; i < info->nkeys; i++)
		names[n++] = info->keys[i].name;
	for (uint32_t i = 0; i < COMMON_KEYS; i++)
		names[n++] = common_keys[i].name;
	param_nearest(key->s, key->n, names, n, nearest);
	buf_init(&b, what, sizeof(what));
	buf_str(&b, "unknown key \"");
	buf_strn(&b, key->s, min_u64(key->n, 40));
	buf_str(&b, "\", nearest ");
	buf_str(&b, names[nearest[0]]);
	buf_str(&b, "; the keys of ");
	buf_str(&b, info->name);
	buf_str(&b, " are");
	for (uint32_t i = 0; i < n; i++) {
		buf_str(&b, i ? ", " : " ");
		buf_str(&b, names[i]);
	}
	return err_set(e, text, what, NULL, NULL);
}

/* Own keys come first, then the common ones; UINT32_MAX: unknown. */
static uint32_t find_key(const struct workload_kind *kind, const char *s, size_t n)
{
	for (uint32_t i = 0; i < kind->info.nkeys; i++)
		if (str_equal_n(s, n, kind->info.keys[i].name))
			return i;
	for (uint32_t i = 0; i < COMMON_KEYS; i++)
		if (str_equal_n(s, n, common_keys[i].name))
			return kind->info.nkeys + i;
	return UINT32_MAX;
}

static const char *key_name(const struct workload_kind *kind, uint32_t key)
{
	uint32_t own = kind->info.nkeys;

	return key < own ? kind->info.keys[key].name : common_keys[key - own].name;
}

/*
 * A spread is kept as typed until the step is known: a percentage is marked
 * by the top bit, which no time has.
 */
#define PERCENT_MARK (UINT64_C(1) << 63)

static bool read_wait(const struct param *v, uint64_t *ns, struct rql_error *e)
{
	*ns = 0;
	if (str_equal_n(v->s, v->n, "block"))
		return true;
	*ns = UINT64_MAX;
	if (str_equal_n(v->s, v->n, "spin"))
		return true;
	return param_time(v, 1, TIME_MAX_NS, ns, e);
}

static bool read_mode(const struct param *v, uint64_t *mode, struct rql_error *e)
{
	*mode = str_equal_n(v->s, v->n, "process") ? MODE_PROCESS : MODE_THREADS;
	if (*mode == MODE_PROCESS || str_equal_n(v->s, v->n, "threads"))
		return true;
	return param_error(v, "unknown; write process or threads", NULL, e);
}

static bool read_spread(const struct param *v, uint64_t *out, struct rql_error *e)
{
	if (!param_is_percent(v))
		return param_time(v, 0, TIME_MAX_NS, out, e);
	if (!param_percent(v, 0, 100, out, e))
		return false;
	*out |= PERCENT_MARK;
	return true;
}

static bool read_cpus(const struct param *v, struct request *r, struct rql_error *e)
{
	void *memory = malloc(mask_size(r->ncpus));

	if (!memory)
		return err_set(e, v->where, "out of memory", NULL, NULL);
	r->cpus = mask_init(memory, r->ncpus);
	return param_cpus(v, '+', r->ncpus, r->cpus, e);
}

static bool read_policy(const struct param *v, enum sched_policy *policy, struct rql_error *e)
{
	for (uint32_t i = 0; i < COUNT_OF(policies); i++) {
		if (str_equal_n(v->s, v->n, policies[i].name)) {
			*policy = policies[i].policy;
			return true;
		}
	}
	return param_error(v, "unknown; write normal, batch, idle, fifo, rr or deadline", NULL, e);
}

/* Where the value of a time of SCHED_DEADLINE is kept. */
static uint64_t *dl_time(struct request *r, enum common_key key)
{
	if (key == COMMON_DL_RUNTIME)
		return &r->attr.dl.runtime_ns;
	return key == COMMON_DL_DEADLINE ? &r->attr.dl.deadline_ns : &r->attr.dl.period_ns;
}

static bool read_common(struct request *r, enum common_key key, const struct param *v,
			struct rql_error *e)
{
	uint64_t count = 0;
	int64_t nice = 0;
	bool ok = false;

	switch (key) {
	case COMMON_START:
		ok = param_count(v, 0, r->ncpus - 1, &count, e);
		r->start_cpu = (uint32_t)count;
		return ok;
	case COMMON_NICE:
		ok = param_integer(v, -20, 19, &nice, e);
		r->attr.nice = (int32_t)nice;
		return ok;
	case COMMON_CPUS:
		return read_cpus(v, r, e);
	case COMMON_POLICY:
		return read_policy(v, &r->attr.policy, e);
	case COMMON_PRIO:
		ok = param_count(v, 1, 99, &count, e);
		r->attr.rt_priority = (int32_t)count;
		return ok;
	case COMMON_DL_RUNTIME:
	case COMMON_DL_DEADLINE:
	case COMMON_DL_PERIOD:
		return param_time(v, DL_NS_MIN, TIME_MAX_NS, dl_time(r, key), e);
	case COMMON_KEYS:
		break;
	}
	CHECK(false);
	return false;
}

static bool read_own(struct request *r, uint32_t key, const struct param *v, struct rql_error *e)
{
	switch (r->kind->types[key]) {
	case KEY_COUNT:
		return param_count(v, 1, TASKS_MAX, &r->values[key], e);
	case KEY_NUMBER:
		return param_count(v, 0, TASKS_MAX, &r->values[key], e);
	case KEY_PRIO:
		return param_count(v, 1, 99, &r->values[key], e);
	case KEY_LOOPS:
		return param_count(v, 0, LOOPS_MAX, &r->values[key], e);
	case KEY_SIZE:
		return param_count(v, 1, HACKBENCH_SIZE_MAX, &r->values[key], e);
	case KEY_SWITCH:
		return param_count(v, 0, 1, &r->values[key], e);
	case KEY_MODE:
		return read_mode(v, &r->values[key], e);
	case KEY_TIME:
		return param_time(v, 1, TIME_MAX_NS, &r->values[key], e);
	case KEY_SPAN:
		return param_time(v, 0, TIME_MAX_NS, &r->values[key], e);
	case KEY_WAIT:
		return read_wait(v, &r->values[key], e);
	case KEY_SPREAD:
		return read_spread(v, &r->values[key], e);
	}
	CHECK(false);
	return false;
}

static bool read_value(struct request *r, uint32_t key, const struct param *v, struct rql_error *e)
{
	uint32_t own = r->kind->info.nkeys;

	return key < own ? read_own(r, key, v, e) :
			   read_common(r, (enum common_key)(key - own), v, e);
}

/* One item KEY=VALUE of N bytes. */
static bool read_item(const char *text, const char *item, size_t n, struct request *r,
		      struct rql_error *e)
{
	const char *equals = memchr(item, '=', n);
	struct param name = {text, "key", item, equals ? (size_t)(equals - item) : n};
	uint32_t key, own = r->kind->info.nkeys;
	struct param value;
	bool *given;

	if (n == 0)
		return err_set(e, text, "an empty item; write key=value between commas", NULL,
			       NULL);
	key = find_key(r->kind, name.s, name.n);
	if (key == UINT32_MAX)
		return unknown_key(text, r, &name, e);
	if (!equals)
		return err_set(e, text, key_name(r->kind, key), " has no value; write it as ",
			       "key=value");
	given = key < own ? &r->given[key] : &r->common_given[key - own];
	if (*given)
		return err_set(e, text, key_name(r->kind, key), " is given twice; once is right",
			       NULL);
	value = (struct param){text, key_name(r->kind, key), equals + 1, n - name.n - 1};
	*given = true;
	return read_value(r, key, &value, e);
}

static bool read_items(const char *text, const char *items, struct request *r, struct rql_error *e)
{
	for (;;) {
		const char *comma = strchr(items, ',');
		size_t n = comma ? (size_t)(comma - items) : strlen(items);

		if (!read_item(text, items, n, r, e))
			return false;
		if (!comma)
			return true;
		items = comma + 1;
	}
}

static bool has_rt_policy(const struct request *r)
{
	return r->attr.policy == POLICY_FIFO || r->attr.policy == POLICY_RR;
}

/* Of SCHED_DEADLINE: what is left out, and what the kernel would take. Linux: __checkparam_dl(). */
static bool complete_deadline(const char *text, struct request *r, struct rql_error *e)
{
	struct dl_params *dl = &r->attr.dl;

	if (!dl->runtime_ns)
		return err_set(e, text, "policy=deadline needs dl_runtime; ",
			       "write it, and dl_period or dl_deadline", NULL);
	if (!dl->deadline_ns && !dl->period_ns)
		return err_set(e, text, "policy=deadline needs a dl_period or dl_deadline; ",
			       "write one or both", NULL);
	if (!dl->deadline_ns)
		dl->deadline_ns = dl->period_ns;
	if (!dl->period_ns)
		dl->period_ns = dl->deadline_ns;
	if (dl->runtime_ns > dl->deadline_ns)
		return err_set(e, text, "dl_runtime is longer than the deadline; ",
			       "dl_runtime <= dl_deadline <= dl_period is right", NULL);
	if (dl->deadline_ns > dl->period_ns)
		return err_set(e, text, "dl_deadline is longer than dl_period; ",
			       "dl_runtime <= dl_deadline <= dl_period is right", NULL);
	return true;
}

/* The policy and what belongs to it; what belongs to another is an error. */
static bool complete_policy(const char *text, struct request *r, struct rql_error *e)
{
	for (uint32_t i = COMMON_POLICY; r->kind->own_policies && i <= COMMON_DL_PERIOD; i++)
		if (r->common_given[i])
			return err_set(e, text, common_keys[i].name,
				       ": the tasks of this workload have policies of their own; ",
				       "leave it out");
	if (!r->common_given[COMMON_POLICY])
		r->attr.policy = r->kind->policy;
	if (r->common_given[COMMON_PRIO] && !has_rt_policy(r))
		return err_set(e, text, "prio is of policy=fifo and policy=rr; ",
			       "write one of these or leave prio out", NULL);
	if (has_rt_policy(r) && !r->attr.rt_priority)
		r->attr.rt_priority = r->kind->prio ? r->kind->prio : RT_PRIO_DEFAULT;
	if (r->attr.policy == POLICY_DEADLINE)
		return complete_deadline(text, r, e);
	for (uint32_t i = COMMON_DL_RUNTIME; i <= COMMON_DL_PERIOD; i++)
		if (r->common_given[i])
			return err_set(e, text, common_keys[i].name,
				       " is of policy=deadline; write that or leave it out", NULL);
	return true;
}

/* Defaults for what was not given, then what depends on more than one value. */
static bool complete(const char *text, struct request *r, struct rql_error *e)
{
	const struct workload_info *info = &r->kind->info;

	for (uint32_t i = 0; i < info->nkeys; i++) {
		struct param v = {text, info->keys[i].name, info->keys[i].initial,
				  strlen(info->keys[i].initial)};

		if (!r->given[i] && !read_own(r, i, &v, e))
			return false;
		if (r->kind->types[i] != KEY_SPREAD)
			continue;
		CHECK(i > 0);
		/* at most 10^12 * 100 */
		if (r->values[i] & PERCENT_MARK)
			r->values[i] = r->values[i - 1] * (r->values[i] & ~PERCENT_MARK) / 100;
		if (r->values[i] > r->values[i - 1])
			return err_set(e, text, info->keys[i].name, " must not exceed ",
				       info->keys[i - 1].name);
	}
	if (r->cpus && r->start_cpu != WORKLOAD_START_ANY && !mask_test(r->cpus, r->start_cpu))
		return err_set(e, text, "start is not among cpus; one of them is right", NULL,
			       NULL);
	if (!complete_policy(text, r, e))
		return false;
	if (r->kind->settle)
		r->kind->settle(r);
	return !r->kind->check || r->kind->check(text, r, e);
}

static void print_cpus(struct buf *b, const struct mask *cpus)
{
	uint32_t cpu = mask_first(cpus);
	const char *before = "";

	while (cpu != MASK_NONE) {
		uint32_t last = cpu;

		while (mask_next(cpus, last + 1) == last + 1)
			last++;
		buf_str(b, before);
		buf_u64(b, cpu);
		if (last > cpu) {
			buf_char(b, '-');
			buf_u64(b, last);
		}
		before = "+";
		cpu = mask_next(cpus, last + 1);
	}
}

static void print_value(struct buf *b, enum key_type type, uint64_t value)
{
	char time_text[24];

	switch (type) {
	case KEY_COUNT:
	case KEY_NUMBER:
	case KEY_PRIO:
	case KEY_LOOPS:
	case KEY_SIZE:
	case KEY_SWITCH:
		buf_u64(b, value);
		return;
	case KEY_MODE:
		buf_str(b, value == MODE_PROCESS ? "process" : "threads");
		return;
	case KEY_WAIT:
		if (value == 0 || value == UINT64_MAX) {
			buf_str(b, value ? "spin" : "block");
			return;
		}
		break;
	case KEY_TIME:
	case KEY_SPAN:
	case KEY_SPREAD:
		break;
	}
	param_print_time(time_text, sizeof(time_text), value);
	buf_str(b, time_text);
}

/* What the policy needs is printed whether it was given or not. */
static void print_policy(struct buf *b, const struct request *r)
{
	const struct dl_params *dl = &r->attr.dl;

	if (r->attr.policy == POLICY_NORMAL && !r->common_given[COMMON_POLICY])
		return;
	for (uint32_t i = 0; i < COUNT_OF(policies); i++) {
		if (policies[i].policy == r->attr.policy) {
			buf_str(b, ",policy=");
			buf_str(b, policies[i].name);
		}
	}
	if (has_rt_policy(r)) {
		buf_str(b, ",prio=");
		buf_s64(b, r->attr.rt_priority);
	}
	if (r->attr.policy != POLICY_DEADLINE)
		return;
	buf_str(b, ",dl_runtime=");
	print_value(b, KEY_TIME, dl->runtime_ns);
	buf_str(b, ",dl_deadline=");
	print_value(b, KEY_TIME, dl->deadline_ns);
	buf_str(b, ",dl_period=");
	print_value(b, KEY_TIME, dl->period_ns);
}

static void print_request(struct buf *b, const struct request *r)
{
	const struct workload_info *info = &r->kind->info;

	buf_str(b, info->name);
	for (uint32_t i = 0; i < info->nkeys; i++) {
		buf_char(b, i ? ',' : ':');
		buf_str(b, info->keys[i].name);
		buf_char(b, '=');
		print_value(b, r->kind->types[i], r->values[i]);
	}
	if (r->common_given[COMMON_START]) {
		buf_str(b, ",start=");
		buf_u64(b, r->start_cpu);
	}
	if (r->common_given[COMMON_NICE]) {
		buf_str(b, ",nice=");
		buf_s64(b, r->attr.nice);
	}
	if (r->cpus) {
		buf_str(b, ",cpus=");
		print_cpus(b, r->cpus);
	}
	print_policy(b, r);
}

/* Canonical text of R in memory of its own: a list of CPUs takes at most 11 bytes a CPU. */
static char *canonical_text(const struct request *r)
{
	size_t cap = 1024 + (r->cpus ? (size_t)r->ncpus * 11 : 0);
	char *text = malloc(cap);
	struct buf b;

	if (!text)
		return NULL;
	buf_init(&b, text, cap);
	print_request(&b, r);
	CHECK(!b.cut);
	return text;
}

static bool out_of_memory(struct rql_error *e)
{
	return err_set(e, "workload", "out of memory", NULL, NULL);
}

static bool build_program(struct workload *w, struct request *r, uint64_t seed, struct rql_error *e)
{
	struct program *p = program_create(seed, r->kind->purpose);

	if (!p)
		return out_of_memory(e);
	r->attr_id = program_attr(p, r->attr);
	r->cpus_id = PROGRAM_CPUS_SAME;
	if (r->cpus)
		r->cpus_id = program_mask(p, r->cpus);
	r->cpus = NULL; /* the program's now */
	r->kind->build(p, r);
	if (!program_finish(p, e)) {
		memcpy(e->where, "workload", sizeof("workload"));
		program_destroy(p);
		return false;
	}
	w->behaviour = program_behaviour(p);
	w->destroy = program_destroy_behaviour;
	return true;
}

static bool make_behaviour(struct workload *w, struct request *r, uint64_t seed,
			   struct rql_error *e)
{
	w->behaviour = r->kind->make(r, seed);
	w->destroy = r->kind->destroy;
	if (!w->behaviour)
		return out_of_memory(e);
	r->cpus = NULL; /* the behaviour's now */
	return true;
}

static bool build(struct workload *w, struct request *r, uint64_t seed, struct rql_error *e)
{
	w->start_cpu = r->start_cpu;
	w->cpus = r->cpus;
	w->text = canonical_text(r);
	if (!w->text)
		return out_of_memory(e);
	if (r->kind->build ? !build_program(w, r, seed, e) : !make_behaviour(w, r, seed, e))
		return false;
	if (r->kind->endless)
		w->behaviour->endless = true;
	w->fair_tasks = !r->kind->own_policies && policy_is_fair(r->attr.policy);
	return true;
}

struct workload *workload_create(const char *text, uint64_t seed, uint32_t ncpus,
				 struct rql_error *e)
{
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	struct request r = {.start_cpu = WORKLOAD_START_ANY, .ncpus = ncpus};
	struct workload *w = NULL;
	bool ok;

	CHECK(ncpus > 0);
	if (strlen(text) > TEXT_MAX) {
		err_set(e, "workload", "a text of more than 4096 bytes; that is the most", NULL,
			NULL);
		return NULL;
	}
	for (uint32_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_equal_n(text, n, kinds[i].info.name))
			r.kind = &kinds[i];
	if (!r.kind) {
		unknown_workload(text, n, e);
		return NULL;
	}
	ok = (!colon || read_items(text, colon + 1, &r, e)) && complete(text, &r, e);
	if (ok) {
		w = calloc(1, sizeof(*w));
		ok = w ? build(w, &r, seed, e) : out_of_memory(e);
	}
	free(r.cpus);
	if (!ok) {
		workload_destroy(w);
		return NULL;
	}
	return w;
}
