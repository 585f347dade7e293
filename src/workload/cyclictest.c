/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rt-tests' cyclictest does in its usual mode (clock_nanosleep() with
 * absolute times on CLOCK_MONOTONIC), as the source of version 0.83 has it.
 *
 * Main creates the threads and then looks every 10 ms whether one of them has
 * done its loops. If so it sleeps once more, tells all to stop, gives them
 * 50 ms, interrupts those that still sleep and waits for each. A thread sets
 * its policy, adds the interval to the time it is, and then, again and again:
 * sleeps until that time, measures how much later it is now, adds the
 * interval. A thread that is later than its next time does not sleep.
 *
 * Without a histogram each thread has a longer interval and a lower priority
 * than the one before; one whose priority would be 0 stays SCHED_OTHER. With a
 * histogram or smp all priorities are the same, with a histogram the intervals
 * too.
 *
 * Differences: with affinity threads are made on their CPU, where rt-tests
 * moves them there at their start; main's work every 10 ms takes no time but
 * that of its system call; a cycle's own work takes CYCLE_WORK_NS.
 *
 * Cost: some nanoseconds a cycle; nothing is allocated.
 */
#include "workload/cyclictest.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/fixed.h"
#include "base/mask.h"

#define MAIN_TASK 0u

#define LOOK_NS (10 * NS_PER_MS)
#define LAST_WAIT_NS (50 * NS_PER_MS)

/* Reading the clock and keeping count. */
#define CYCLE_WORK_NS 300u

/* What a thread does next. */
enum thread_step {
	THREAD_POLICY,
	THREAD_START,
	THREAD_BEGIN, /* take the time from which the cycles count */
	THREAD_SLEEP,
	THREAD_MEASURE,
	THREAD_COUNT, /* a cycle is done */
	THREAD_LEAVE, /* back to SCHED_OTHER */
	THREAD_TELL,
	THREAD_EXIT,
};

struct cyclictest_thread {
	uint64_t interval_ns, next_ns;
	uint64_t min_ns, last_ns, max_ns, sum_ns;
	uint64_t cycles;
	uint64_t overflow;
	uint64_t *bucket;
	const struct mask *cpus;
	int32_t rt_priority; /* 0: it is SCHED_OTHER */
	uint8_t step;        /* enum thread_step */
	bool ended;
};

/* What main does next. */
enum main_step {
	MAIN_FORK,
	MAIN_LOOK,
	MAIN_JUDGE, /* what it saw before its sleep */
	MAIN_INTERRUPT,
	MAIN_JOIN,
	MAIN_EXIT,
};

struct cyclictest {
	struct behaviour behaviour; /* first */
	struct cyclictest_params p;
	struct cyclictest_thread *threads;
	uint64_t *buckets; /* of all threads */
	void *masks;       /* with affinity: one for each CPU of those used */
	uint32_t nforked;
	uint32_t joining; /* the thread that main interrupts and waits for */
	bool joiner_sleeps;
	bool some_done; /* a thread has done its loops */
	bool saw_done;  /* ... when main looked last */
	bool shutdown;
	uint8_t step; /* enum main_step */
};

static struct cyclictest *cyclictest_of(struct behaviour *b)
{
	return (struct cyclictest *)(void *)b;
}

static bool act(struct action *out, enum action_kind kind, uint64_t ns)
{
	out->kind = kind;
	out->ns = ns;
	return true;
}

/* --- the main thread ------------------------------------------------------- */

static bool main_fork(struct cyclictest *c, struct action *out)
{
	if (c->nforked == c->p.threads) {
		c->step = MAIN_LOOK;
		return false;
	}
	out->task = ++c->nforked;
	return act(out, ACTION_FORK, 0);
}

static bool main_look(struct cyclictest *c, struct action *out)
{
	c->saw_done = c->some_done;
	c->step = MAIN_JUDGE;
	return act(out, ACTION_SLEEP, LOOK_NS);
}

static bool main_judge(struct cyclictest *c, struct action *out)
{
	if (!c->saw_done) {
		c->step = MAIN_LOOK;
		return false;
	}
	c->shutdown = true;
	c->step = MAIN_INTERRUPT;
	return act(out, ACTION_SLEEP, LAST_WAIT_NS);
}

/* One thread after the other: a signal for it, then its end. */
static bool main_interrupt(struct cyclictest *c, struct action *out)
{
	if (c->joining == c->p.threads) {
		c->step = MAIN_EXIT;
		return false;
	}
	c->step = MAIN_JOIN;
	if (c->threads[c->joining].ended)
		return false;
	out->task = c->joining + 1;
	return act(out, ACTION_WAKE, 0);
}

static bool main_join(struct cyclictest *c, struct action *out)
{
	if (!c->threads[c->joining].ended) {
		c->joiner_sleeps = true;
		return act(out, ACTION_BLOCK, 0);
	}
	c->joining++;
	c->step = MAIN_INTERRUPT;
	return false;
}

static bool main_step(struct cyclictest *c, struct action *out)
{
	switch ((enum main_step)c->step) {
	case MAIN_FORK:
		return main_fork(c, out);
	case MAIN_LOOK:
		return main_look(c, out);
	case MAIN_JUDGE:
		return main_judge(c, out);
	case MAIN_INTERRUPT:
		return main_interrupt(c, out);
	case MAIN_JOIN:
		return main_join(c, out);
	case MAIN_EXIT:
		return act(out, ACTION_EXIT, 0);
	}
	CHECK(false);
	return false;
}

/* --- the threads ----------------------------------------------------------- */

static bool thread_policy(const struct cyclictest *c, struct cyclictest_thread *t,
			  struct action *out)
{
	t->step = THREAD_START;
	if (t->rt_priority == 0)
		return false;
	out->policy = c->p.policy;
	out->value = t->rt_priority;
	return act(out, ACTION_SET_POLICY, 0);
}

static bool thread_sleep(const struct cyclictest *c, struct cyclictest_thread *t,
			 struct action *out)
{
	if (c->shutdown) {
		t->step = THREAD_LEAVE;
		return false;
	}
	t->step = THREAD_MEASURE;
	return act(out, ACTION_SLEEP_UNTIL, t->next_ns);
}

static void count_sample(const struct cyclictest *c, struct cyclictest_thread *t, uint64_t late_ns)
{
	t->min_ns = t->cycles ? min_u64(t->min_ns, late_ns) : late_ns;
	t->max_ns = max_u64(t->max_ns, late_ns);
	t->last_ns = late_ns;
	t->sum_ns += late_ns; /* below 2^48 a sample, that of a run's longest time */
	t->cycles++;
	if (c->p.buckets == 0)
		return;
	if (late_ns / CYCLICTEST_BUCKET_NS < c->p.buckets)
		t->bucket[late_ns / CYCLICTEST_BUCKET_NS]++;
	else
		t->overflow++;
}

/* A thread that was interrupted before its time does not measure: it leaves. */
static bool thread_measure(struct cyclictest *c, struct cyclictest_thread *t, uint64_t now_ns,
			   struct action *out)
{
	if (now_ns < t->next_ns) {
		t->step = THREAD_LEAVE;
		return false;
	}
	count_sample(c, t, now_ns - t->next_ns);
	t->next_ns += t->interval_ns;
	t->step = THREAD_COUNT;
	return act(out, ACTION_RUN, CYCLE_WORK_NS);
}

static bool thread_count(struct cyclictest *c, struct cyclictest_thread *t, struct action *out)
{
	t->step = THREAD_SLEEP;
	if (c->p.loops && t->cycles == c->p.loops) {
		t->step = THREAD_LEAVE;
		c->some_done = true;
	}
	out->value = 1;
	return act(out, ACTION_DONE, 0);
}

static bool thread_leave(const struct cyclictest *c, struct cyclictest_thread *t,
			 struct action *out)
{
	t->step = THREAD_TELL;
	if (t->rt_priority == 0)
		return false;
	out->policy = POLICY_NORMAL;
	out->value = c->p.nice;
	return act(out, ACTION_SET_POLICY, 0);
}

static bool thread_tell(struct cyclictest *c, struct cyclictest_thread *t, struct action *out)
{
	t->step = THREAD_EXIT;
	t->ended = true;
	if (!c->joiner_sleeps || t != &c->threads[c->joining])
		return false;
	c->joiner_sleeps = false;
	out->task = MAIN_TASK;
	return act(out, ACTION_WAKE, 0);
}

static bool thread_step(struct cyclictest *c, struct cyclictest_thread *t, uint64_t now_ns,
			struct action *out)
{
	switch ((enum thread_step)t->step) {
	case THREAD_POLICY:
		return thread_policy(c, t, out);
	case THREAD_START:
		t->step = THREAD_BEGIN;
		return act(out, ACTION_START_MARK, 0);
	case THREAD_BEGIN:
		t->next_ns = now_ns + t->interval_ns;
		t->step = THREAD_SLEEP;
		return false;
	case THREAD_SLEEP:
		return thread_sleep(c, t, out);
	case THREAD_MEASURE:
		return thread_measure(c, t, now_ns, out);
	case THREAD_COUNT:
		return thread_count(c, t, out);
	case THREAD_LEAVE:
		return thread_leave(c, t, out);
	case THREAD_TELL:
		return thread_tell(c, t, out);
	case THREAD_EXIT:
		return act(out, ACTION_EXIT, 0);
	}
	CHECK(false);
	return false;
}

static void cyclictest_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct cyclictest *c = cyclictest_of(b);
	bool acted = false;

	CHECK(task <= c->nforked);
	/* bound: main passes over ended threads, each once; a thread over at most four steps */
	while (!acted)
		acted = task == MAIN_TASK ? main_step(c, out) :
					    thread_step(c, &c->threads[task - 1], now_ns, out);
}

static void cyclictest_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
	const struct cyclictest *c = cyclictest_of(b);

	CHECK(task < b->ntasks);
	memcpy(out->comm, "cyclictest", sizeof("cyclictest"));
	out->policy = POLICY_NORMAL;
	out->nice = c->p.nice;
	out->cpus = task == MAIN_TASK ? c->p.cpus : c->threads[task - 1].cpus;
}

static bool cyclictest_policy(const struct behaviour *b, uint32_t i, struct task_attr *out)
{
	const struct cyclictest *c = (const struct cyclictest *)(const void *)b;
	uint32_t priorities = 1;

	if (c->p.rt_priority &&
	    c->threads[0].rt_priority != c->threads[c->p.threads - 1].rt_priority)
		priorities = min_u32(c->p.threads, (uint32_t)c->p.rt_priority);
	if (i >= priorities)
		return false;
	out->policy = c->p.policy;
	out->nice = c->p.nice;
	out->rt_priority = c->threads[i].rt_priority;
	return true;
}

static bool cyclictest_report(const struct behaviour *b, uint32_t i, struct behaviour_report *out)
{
	const struct cyclictest *c = (const struct cyclictest *)(const void *)b;
	const struct cyclictest_thread *t;

	if (i >= c->p.threads)
		return false;
	t = &c->threads[i];
	out->what = "wakeup_latency";
	out->task = i + 1;
	out->rt_priority = t->rt_priority;
	out->interval_ns = t->interval_ns;
	out->count = t->cycles;
	out->min_ns = t->min_ns;
	out->last_ns = t->last_ns;
	out->max_ns = t->max_ns;
	out->sum_ns = t->sum_ns;
	out->bucket_ns = CYCLICTEST_BUCKET_NS;
	out->nbuckets = c->p.buckets;
	out->bucket = t->bucket;
	out->overflow = t->overflow;
	return true;
}

static const struct behaviour_ops cyclictest_ops = {
	.next = cyclictest_next,
	.attr = cyclictest_attr,
	.policy = cyclictest_policy,
	.report = cyclictest_report,
};

/* --- its making -------------------------------------------------------------- */

/* How many CPUs the threads are spread over. */
static uint32_t cpus_used(const struct cyclictest *c)
{
	uint32_t n = c->p.cpus ? mask_weight(c->p.cpus) : c->p.ncpus;

	return min_u32(n, c->p.threads);
}

/* Mask I of the CPUs used: the I-th CPU alone. */
static struct mask *mask_at(const struct cyclictest *c, uint32_t i)
{
	return (struct mask *)(void *)((char *)c->masks + i * mask_size(c->p.ncpus));
}

static void init_masks(struct cyclictest *c)
{
	uint32_t cpu = c->p.cpus ? mask_first(c->p.cpus) : 0;

	for (uint32_t i = 0; i < cpus_used(c); i++) {
		mask_set(mask_init(mask_at(c, i), c->p.ncpus), cpu);
		cpu = c->p.cpus ? mask_next(c->p.cpus, cpu + 1) : cpu + 1;
	}
}

static void init_threads(struct cyclictest *c)
{
	const struct cyclictest_params *p = &c->p;
	bool same_priority = p->smp || p->buckets;

	for (uint32_t i = 0; i < p->threads; i++) {
		struct cyclictest_thread *t = &c->threads[i];

		t->interval_ns = p->interval_ns + (p->buckets ? 0 : i * p->distance_ns);
		t->rt_priority = p->rt_priority;
		if (!same_priority)
			t->rt_priority = (int32_t)i < p->rt_priority ? p->rt_priority - (int32_t)i :
								       0;
		t->bucket = p->buckets ? c->buckets + (size_t)i * p->buckets : NULL;
		t->cpus = p->affinity ? mask_at(c, i % cpus_used(c)) : p->cpus;
		t->step = THREAD_POLICY;
	}
}

struct behaviour *cyclictest_create(const struct cyclictest_params *p)
{
	struct cyclictest *c = calloc(1, sizeof(*c));
	size_t nbuckets = (size_t)p->threads * p->buckets;

	_Static_assert(sizeof(struct cyclictest_thread) == 88, "a thread's state grew");
	CHECK(p->threads > 0);
	CHECK(p->interval_ns > 0);
	CHECK(p->ncpus > 0);
	CHECK(nbuckets <= CYCLICTEST_BUCKETS_MAX);
	if (!c)
		return NULL;
	c->p = *p;
	c->threads = calloc(p->threads, sizeof(*c->threads));
	c->buckets = calloc(nbuckets + 1, sizeof(*c->buckets));
	if (p->affinity)
		c->masks = malloc(cpus_used(c) * mask_size(p->ncpus));
	if (!c->threads || !c->buckets || (p->affinity && !c->masks)) {
		c->p.cpus = NULL;
		cyclictest_destroy(&c->behaviour);
		return NULL;
	}
	if (p->affinity)
		init_masks(c);
	init_threads(c);
	c->behaviour.ops = &cyclictest_ops;
	c->behaviour.ntasks = p->threads + 1;
	c->behaviour.endless = p->loops == 0;
	return &c->behaviour;
}

void cyclictest_destroy(struct behaviour *b)
{
	struct cyclictest *c = cyclictest_of(b);

	if (!b)
		return;
	free(c->p.cpus);
	free(c->threads);
	free(c->buckets);
	free(c->masks);
	free(c);
}
