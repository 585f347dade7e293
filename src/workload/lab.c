/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the order of the program: the monitor sleeps until it is to begin, starts the clock, forks the
 * processes one after the other and then sleeps until the next whole multiple of its interval.
 * A process that goes into a group waits for that first; then it creates its threads one after the other and waits for ever. After each it may hold
 * its memory's lock for a while: the thread, if its first page fault falls into it, sleeps until
 * the process lets the lock go and wakes it. A thread confines itself, sets its nice value, becomes SCHED_FIFO, each if it is asked to, and begins.
 *
 * A periodic thread takes the time when it begins: its first release is one period and its share of
 * a period later (thread i of n: i / n), and it computes until RUN_NS after it got the CPU.
 * Releases that it missed are skipped.
 *
 * A look is a number of reads of a file, each of which is one piece of kernel work.
 */
#include "workload/lab.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"
#include "base/rng.h"

#define LOOK_READS 16u
#define FOREVER_NS (UINT64_C(100) * NS_PER_S) /* one piece of an endless computation */

enum monitor_step {
	MONITOR_DELAY,
	MONITOR_START,
	MONITOR_FORK,
	MONITOR_SLEEP,
	MONITOR_LOOK,
};

enum process_step {
	PROCESS_JOIN,
	PROCESS_JOINED,
	PROCESS_SET_UP,
	PROCESS_FORK,
	PROCESS_HOLD,
	PROCESS_WAKE,
};

enum thread_step {
	THREAD_FAULT,
	THREAD_CPU,
	THREAD_NICE,
	THREAD_POLICY,
	THREAD_BEGIN,
	THREAD_SLEEP,
	THREAD_RUN,
};

struct lab_thread {
	uint64_t next_ns; /* its next release */
	uint64_t periods;
	uint64_t min_late_ns, last_late_ns, max_late_ns, sum_late_ns;
	uint8_t step; /* enum thread_step */
	uint8_t process;
	bool waits; /* for its memory's lock */
};

struct lab {
	struct behaviour behaviour; /* first */
	struct lab_params p;
	struct lab_thread *threads;
	void *masks; /* [process]: its threads' one CPU */
	uint64_t zero_ns, next_look_ns;
	uint32_t reads_left;
	uint32_t nforked;                 /* processes */
	uint32_t ncreated[LAB_PROCESSES]; /* their threads */
	bool held[LAB_PROCESSES];         /* the lock of its memory, by the process */
	uint8_t at[LAB_PROCESSES];        /* enum process_step */
	uint8_t step;                     /* enum monitor_step */
	bool joining;                     /* a process is moved into its group, and ... */
	bool join_waits[LAB_PROCESSES];   /* ... others wait until it is */
};

static struct lab *lab_of(struct behaviour *b)
{
	return (struct lab *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

/* The first thread of process I, as a task. */
static uint32_t first_thread(const struct lab *l, uint32_t i)
{
	return LAB_FIRST_THREAD + (i ? l->p.process[0].threads : 0);
}

/* --- the monitor ----------------------------------------------------------- */

static bool monitor_delay(struct lab *l, struct action *out)
{
	struct rng r = rng_stream(l->p.seed, "lab", 0);

	l->step = MONITOR_START;
	return l->p.delay_ns && act(out, ACTION_SLEEP, rng_between(&r, 1, l->p.delay_ns));
}

static bool monitor_fork(struct lab *l, struct action *out)
{
	while (l->nforked < LAB_PROCESSES && !l->p.process[l->nforked].threads)
		l->nforked++;
	if (l->nforked == LAB_PROCESSES) {
		l->step = MONITOR_SLEEP;
		return false;
	}
	out->task = 1 + l->nforked++;
	return act(out, ACTION_FORK, 0);
}

static bool monitor_sleep(struct lab *l, struct action *out)
{
	if (!l->p.monitor_ns)
		return act(out, ACTION_BLOCK, 0);
	l->next_look_ns += l->p.monitor_ns;
	l->reads_left = LOOK_READS;
	l->step = MONITOR_LOOK;
	return act(out, ACTION_SLEEP_UNTIL, l->next_look_ns);
}

static bool monitor_look(struct lab *l, struct action *out)
{
	if (!l->reads_left) {
		l->step = MONITOR_SLEEP;
		return l->p.frees && act(out, ACTION_CALL_RCU, 0);
	}
	l->reads_left--;
	out->flags = ACTION_IN_KERNEL;
	return act(out, ACTION_RUN, max_u64(l->p.look_ns / LOOK_READS, 1));
}

static bool monitor_step(struct lab *l, uint64_t now_ns, struct action *out)
{
	switch ((enum monitor_step)l->step) {
	case MONITOR_DELAY:
		return monitor_delay(l, out);
	case MONITOR_START:
		l->zero_ns = l->next_look_ns = now_ns;
		l->step = MONITOR_FORK;
		return act(out, ACTION_START_MARK, 0);
	case MONITOR_FORK:
		return monitor_fork(l, out);
	case MONITOR_SLEEP:
		return monitor_sleep(l, out);
	case MONITOR_LOOK:
		return monitor_look(l, out);
	}
	CHECK(false);
	return false;
}

/* --- processes and their threads ------------------------------------------- */

/*
 * Into its group: who moves a process waits for an RCU grace period, under a lock that others who come
 * meanwhile wait for; they find what it waited for done. Linux: cgroup_attach_lock(), percpu_down_write(),
 * rcu_sync_enter().
 */
static bool process_join(struct lab *l, uint32_t i, struct action *out)
{
	l->at[i] = l->p.process[i].group ? PROCESS_JOINED : PROCESS_SET_UP;
	if (!l->p.process[i].group)
		return false;
	l->join_waits[i] = l->joining;
	if (l->joining)
		return act(out, ACTION_BLOCK, 0);
	l->joining = true;
	return act(out, ACTION_SYNCHRONIZE_RCU, 0);
}

/* It is in its group: the next one that waits may go on. */
static bool process_joined(struct lab *l, uint32_t i, struct action *out)
{
	for (uint32_t other = 0; other < LAB_PROCESSES; other++) {
		if (!l->join_waits[other] || other == i)
			continue;
		l->join_waits[other] = false;
		out->task = 1 + other;
		return act(out, ACTION_WAKE, 0);
	}
	l->joining = false;
	l->at[i] = PROCESS_SET_UP;
	return false;
}

/* What its first thread takes more than others do. */
static bool process_set_up(struct lab *l, uint32_t i, struct action *out)
{
	l->at[i] = PROCESS_FORK;
	return l->p.first_ns && act(out, ACTION_RUN, l->p.first_ns);
}

static bool process_fork(struct lab *l, uint32_t i, struct action *out)
{
	if (l->ncreated[i] == l->p.process[i].threads)
		return act(out, ACTION_BLOCK, 0);
	if (l->p.held_ns) {
		l->held[i] = true;
		l->at[i] = PROCESS_HOLD;
	}
	out->task = first_thread(l, i) + l->ncreated[i]++;
	return act(out, ACTION_FORK, 0);
}

/* The lock was let go: the newest thread may wait for it. */
static bool process_wake(struct lab *l, uint32_t i, struct action *out)
{
	struct lab_thread *t;

	out->task = first_thread(l, i) + l->ncreated[i] - 1;
	t = &l->threads[out->task - LAB_FIRST_THREAD];
	l->held[i] = false;
	l->at[i] = PROCESS_FORK;
	return t->waits && act(out, ACTION_WAKE, 0);
}

static bool process_step(struct lab *l, uint32_t i, struct action *out)
{
	switch ((enum process_step)l->at[i]) {
	case PROCESS_JOIN:
		return process_join(l, i, out);
	case PROCESS_JOINED:
		return process_joined(l, i, out);
	case PROCESS_SET_UP:
		return process_set_up(l, i, out);
	case PROCESS_FORK:
		return process_fork(l, i, out);
	case PROCESS_HOLD:
		l->at[i] = PROCESS_WAKE;
		out->flags = ACTION_IN_KERNEL;
		return act(out, ACTION_RUN, l->p.held_ns);
	case PROCESS_WAKE:
		return process_wake(l, i, out);
	}
	CHECK(false);
	return false;
}

static bool thread_fault(const struct lab *l, struct lab_thread *t, uint32_t task,
			 struct action *out)
{
	uint32_t newest = first_thread(l, t->process) + l->ncreated[t->process] - 1;

	t->step = THREAD_CPU;
	t->waits = l->held[t->process] && task == newest;
	return t->waits && act(out, ACTION_BLOCK, 0);
}

static bool thread_cpu(const struct lab *l, struct lab_thread *t, struct action *out)
{
	t->step = THREAD_NICE;
	if (l->p.process[t->process].cpu == LAB_ANY_CPU)
		return false;
	out->cpus = (const struct mask *)(const void *)((const char *)l->masks +
							t->process * mask_size(l->p.ncpus));
	return act(out, ACTION_SET_AFFINITY, 0);
}

static bool thread_nice(const struct lab *l, struct lab_thread *t, struct action *out)
{
	t->step = THREAD_POLICY;
	out->value = l->p.process[t->process].nice;
	return l->p.process[t->process].nice != l->p.nice && act(out, ACTION_SET_NICE, 0);
}

static bool thread_policy(const struct lab *l, struct lab_thread *t, struct action *out)
{
	t->step = THREAD_BEGIN;
	if (!l->p.process[t->process].rt_prio)
		return false;
	out->policy = POLICY_FIFO;
	out->value = l->p.process[t->process].rt_prio;
	return act(out, ACTION_SET_POLICY, 0);
}

static bool thread_begin(const struct lab *l, struct lab_thread *t, uint32_t task, uint64_t now_ns,
			 struct action *out)
{
	const struct lab_process *p = &l->p.process[t->process];
	uint32_t i = task - first_thread(l, t->process);

	if (!p->rt_prio)
		return act(out, ACTION_RUN, FOREVER_NS);
	t->next_ns = now_ns + p->period_ns + i * (p->period_ns / p->threads);
	t->step = THREAD_SLEEP;
	return false;
}

static bool thread_sleep(const struct lab *l, struct lab_thread *t, uint64_t now_ns,
			 struct action *out)
{
	/* bound: what it is late, by periods */
	while (t->next_ns < now_ns)
		t->next_ns += l->p.process[t->process].period_ns;
	t->step = THREAD_RUN;
	return act(out, ACTION_SLEEP_UNTIL, t->next_ns);
}

static bool thread_run(const struct lab *l, struct lab_thread *t, uint64_t now_ns,
		       struct action *out)
{
	const struct lab_process *p = &l->p.process[t->process];

	t->last_late_ns = now_ns - t->next_ns;
	t->min_late_ns = t->periods ? min_u64(t->min_late_ns, t->last_late_ns) : t->last_late_ns;
	t->max_late_ns = max_u64(t->max_late_ns, t->last_late_ns);
	t->sum_late_ns += t->last_late_ns;
	t->periods++;
	t->next_ns += p->period_ns;
	t->step = THREAD_SLEEP;
	return act(out, ACTION_RUN_UNTIL, now_ns + p->run_ns);
}

static bool thread_step(const struct lab *l, struct lab_thread *t, uint32_t task, uint64_t now_ns,
			struct action *out)
{
	switch ((enum thread_step)t->step) {
	case THREAD_FAULT:
		return thread_fault(l, t, task, out);
	case THREAD_CPU:
		return thread_cpu(l, t, out);
	case THREAD_NICE:
		return thread_nice(l, t, out);
	case THREAD_POLICY:
		return thread_policy(l, t, out);
	case THREAD_BEGIN:
		return thread_begin(l, t, task, now_ns, out);
	case THREAD_SLEEP:
		return thread_sleep(l, t, now_ns, out);
	case THREAD_RUN:
		return thread_run(l, t, now_ns, out);
	}
	CHECK(false);
	return false;
}

static bool step(struct lab *l, uint32_t task, uint64_t now_ns, struct action *out)
{
	if (task == LAB_MONITOR_TASK)
		return monitor_step(l, now_ns, out);
	if (task < LAB_FIRST_THREAD)
		return process_step(l, task - 1, out);
	return thread_step(l, &l->threads[task - LAB_FIRST_THREAD], task, now_ns, out);
}

static void lab_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	CHECK(task < b->ntasks);
	/* bound: a few steps without an action in a row */
	while (!step(lab_of(b), task, now_ns, out))
		;
}

static void lab_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct lab *l = lab_of(b);

	CHECK(task < b->ntasks);
	memcpy(out->comm, "lab", sizeof("lab"));
	out->nice = l->p.nice;
	out->cpus = l->p.cpus;
	out->process = task < LAB_FIRST_THREAD;
	if (task == LAB_MONITOR_TASK)
		return;
	out->group =
		l->p.process[task < LAB_FIRST_THREAD ? task - 1 :
						       l->threads[task - LAB_FIRST_THREAD].process]
			.group;
}

/* What monitor and processes have, then what the threads of each process come to have. */
static bool lab_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct lab *l = (const struct lab *)(const void *)b;

	if (i > LAB_PROCESSES)
		return false;
	out->nice = l->p.nice;
	if (i == 0 || !l->p.process[i - 1].threads)
		return true;
	out->nice = l->p.process[i - 1].nice;
	out->rt_priority = l->p.process[i - 1].rt_prio;
	out->policy = out->rt_priority ? POLICY_FIFO : POLICY_NORMAL;
	return true;
}

/* How often each periodic thread ran, and how late at worst. */
static bool lab_report(const struct behaviour *b, uint32_t i, struct behaviour_report *out)
{
	const struct lab *l = (const struct lab *)(const void *)b;
	uint32_t at = 0, process;

	/* the threads of a process are all periodic or none is */
	for (process = 0; process < LAB_PROCESSES; process++) {
		uint32_t n = l->p.process[process].rt_prio ? l->p.process[process].threads : 0;

		if (i < at + n)
			break;
		at += n;
	}
	if (process == LAB_PROCESSES)
		return false;
	out->what = "wakeup_latency";
	out->task = first_thread(l, process) + i - at;
	out->rt_priority = l->p.process[process].rt_prio;
	out->interval_ns = l->p.process[process].period_ns;
	out->count = l->threads[out->task - LAB_FIRST_THREAD].periods;
	out->min_ns = l->threads[out->task - LAB_FIRST_THREAD].min_late_ns;
	out->last_ns = l->threads[out->task - LAB_FIRST_THREAD].last_late_ns;
	out->max_ns = l->threads[out->task - LAB_FIRST_THREAD].max_late_ns;
	out->sum_ns = l->threads[out->task - LAB_FIRST_THREAD].sum_late_ns;
	return true;
}

static const struct behaviour_ops lab_ops = {
	.next = lab_next,
	.attr = lab_attr,
	.policy = lab_policy,
	.report = lab_report,
};

/* --- its making ------------------------------------------------------------ */

static bool allocate(struct lab *l, uint32_t nthreads)
{
	size_t size = mask_size(l->p.ncpus);

	l->threads = calloc(nthreads, sizeof(*l->threads));
	l->masks = calloc(LAB_PROCESSES, size);
	for (uint32_t i = 0; i < LAB_PROCESSES && l->masks; i++) {
		struct mask *m = mask_init((char *)l->masks + i * size, l->p.ncpus);

		if (l->p.process[i].cpu != LAB_ANY_CPU)
			mask_set(m, l->p.process[i].cpu);
	}
	return l->threads && l->masks;
}

struct behaviour *lab_create(const struct lab_params *p)
{
	uint32_t nthreads = p->process[0].threads + p->process[1].threads;
	struct lab *l = calloc(1, sizeof(*l));

	CHECK(nthreads > 0);
	if (!l)
		return NULL;
	l->p = *p;
	l->p.cpus = NULL; /* not taken over yet */
	if (!allocate(l, nthreads)) {
		lab_destroy(&l->behaviour);
		return NULL;
	}
	l->p.cpus = p->cpus;
	for (uint32_t i = 0; i < nthreads; i++)
		l->threads[i].process = i >= p->process[0].threads;
	l->behaviour.ops = &lab_ops;
	l->behaviour.ntasks = LAB_FIRST_THREAD + nthreads;
	l->behaviour.ngroups = max_u32(p->process[0].group, p->process[1].group);
	return &l->behaviour;
}

void lab_destroy(struct behaviour *b)
{
	struct lab *l = lab_of(b);

	if (!b)
		return;
	free(l->threads);
	free(l->masks);
	free(l->p.cpus);
	free(l);
}
