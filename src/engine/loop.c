/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop, and how sections of kernel code interleave.
 *
 * The loop and the sections it starts share a stack as long as a section need
 * not wait for anybody. When one must, its stack is left as it is, and the
 * loop goes on from another stack; when its turn comes, the loop's stack is
 * left (free for the next that must wait) and the section's continued; when it
 * returns, it returns into the loop it was started from. Where the turn is
 * another suspended section's at once, as when many CPUs scan each other, its
 * stack follows without the loop between. So a section costs no switch unless it
 * really interleaves, and there are never more stacks than sections under way
 * plus one.
 */
#include "base/check.h"
#include "base/fixed.h"
#include "engine/internal.h"

#include <stdio.h>

#define CACHE_LINE 64
#define STILL_EVENTS_MAX UINT64_C(20000000)

void engine_stop(struct engine *eng, enum engine_end end)
{
	if (eng->stop)
		return;
	eng->stop = true;
	eng->end = end;
}

static void stop_with(struct engine *eng, enum engine_end end, const char *where, const char *what)
{
	snprintf(eng->error->where, sizeof(eng->error->where), "%s", where);
	snprintf(eng->error->what, sizeof(eng->error->what), "%s at %llu.%09llu s simulated", what,
		 (unsigned long long)(eng->last_ns / NS_PER_S),
		 (unsigned long long)(eng->last_ns % NS_PER_S));
	eng->error->limit = true;
	engine_stop(eng, end);
}

static void loop_entry(void *arg);

/* A stack for the loop to go on from. */
static struct fibre *get_fibre(struct engine *eng)
{
	struct fibre *f;

	if (eng->nfree_fibres)
		return eng->free_fibres[--eng->nfree_fibres];
	CHECK(eng->nall_fibres < eng->max_fibres);
	f = fibre_create(loop_entry, eng);
	if (f)
		eng->all_fibres[eng->nall_fibres++] = f;
	return f;
}

static void switch_to(struct engine *eng, struct fibre *to)
{
	struct fibre *from = eng->current;

	eng->current = to;
	fibre_switch(from, to);
}

/* CPU C's suspended section has its turn: the stack it goes on from. */
static struct fibre *take_suspended(struct engine *eng, struct ecpu *c)
{
	struct fibre *f = c->suspended;

	CHECK(f);
	c->suspended = NULL;
	event_set(&eng->events, c->id, EVENT_NEVER);
	return f;
}

/* ... and leave this stack, the loop's, to the next that needs one. */
static void resume_section(struct engine *eng, struct ecpu *c)
{
	struct fibre *f = take_suspended(eng, c);

	eng->free_fibres[eng->nfree_fibres++] = eng->current;
	switch_to(eng, f);
}

/* Limits, and whether time moves at all. */
static void check_progress(struct engine *eng, uint64_t time_ns)
{
	eng->engine_events++;
	if (likely(time_ns > eng->last_ns)) {
		eng->last_ns = time_ns;
		eng->still_count = 0;
	} else if (++eng->still_count > STILL_EVENTS_MAX) {
		stop_with(eng, ENGINE_END_STUCK, "time",
			  "too many events without any time passing; stopped");
	}
	if (total_events(eng) > eng->cfg.events_limit)
		stop_with(eng, ENGINE_END_LIMIT, "limit events",
			  "the limit on scheduler events was reached");
}

void engine_section_never_ends(struct engine *eng)
{
	stop_with(eng, ENGINE_END_STUCK, "atomic",
		  "one CPU did nothing but interrupts for a second, and the others had to wait, as "
		  "they do not without --atomic; stopped");
}

/*
 * Does nothing but a suspended section come next? Then that event is taken, and the section's
 * stack returned; NULL: the loop must look at what comes. As one_event(), which knows more ends.
 */
static struct fibre *next_suspended(struct engine *eng)
{
	uint64_t key = horizon_key(eng);
	uint64_t time_ns = event_time(key);
	uint64_t end_ns =
		min_u64(eng->end_ns, min_u64(eng->next_sample_ns, ENGINE_DURATION_NS_MAX));

	if (eng->stop || time_ns >= end_ns || event_rank(key) != RANK_RESUME)
		return NULL;
	check_progress(eng, time_ns);
	return eng->stop ? NULL : take_suspended(eng, &eng->cpus[event_cpu(key)]);
}

void engine_yield(struct engine *eng, struct ecpu *c, uint64_t key)
{
	struct fibre *next;

	eng->fibre_switches++;
	event_set(&eng->events, c->id, key);
	next = next_suspended(eng);
	if (!next)
		next = get_fibre(eng);
	if (!next) {
		stop_with(eng, ENGINE_END_LIMIT, "memory", "no memory for another stack; stopped");
		next = eng->root;
	}
	c->suspended = eng->current;
	c->ahead[0] = __builtin_frame_address(0);
	c->ahead[1] = c->ahead[0] - CACHE_LINE;
	switch_to(eng, next);
}

static void take_samples(struct engine *eng, uint64_t until_ns)
{
	while (eng->next_sample_ns <= until_ns && eng->next_sample_ns <= eng->end_ns) {
		eng->cfg.sampler.take(eng->cfg.sampler.arg, eng->m, eng->next_sample_ns);
		eng->next_sample_ns += eng->cfg.sampler.interval_ns;
	}
}

/* No event is left, yet sections are under way: they wait for each other. */
static bool is_deadlocked(const struct engine *eng)
{
	for (uint32_t i = 0; i < eng->m->ncpus; i++)
		if (eng->cpus[i].in_section)
			return true;
	return false;
}

/*
 * CPU's event is due. Have the hardware bring, while it is worked off, what the one after it will
 * look at: thousands of tasks are in no cache.
 */
static void fetch_ahead(const struct engine *eng, uint32_t cpu)
{
	uint64_t key = event_guess_next(&eng->events, cpu);
	const struct ecpu *c;

	if (key == EVENT_NEVER)
		return;
	c = &eng->cpus[event_cpu(key)];
	prefetch(&eng->m->cpus[event_cpu(key)]);
	prefetch(c->ahead[0]);
	prefetch(c->ahead[1]);
}

static void one_event(struct engine *eng)
{
	uint64_t key = horizon_key(eng);
	uint64_t time_ns = event_time(key);
	struct ecpu *c;

	if (key == EVENT_NEVER && is_deadlocked(eng)) {
		stop_with(eng, ENGINE_END_STUCK, "locks",
			  "CPUs wait for each other's locks for ever; stopped");
		return;
	}
	if (key == EVENT_NEVER && eng->end_ns == TIME_NEVER) {
		stop_with(eng, ENGINE_END_STUCK, "workload",
			  "every task sleeps for ever and nothing will wake one; stopped");
		return;
	}
	if (key == EVENT_NEVER || time_ns >= eng->end_ns) {
		if (eng->next_sample_ns != TIME_NEVER)
			take_samples(eng, eng->end_ns);
		eng->last_ns = eng->end_ns;
		engine_stop(eng, ENGINE_END_DURATION);
		return;
	}
	if (time_ns > ENGINE_DURATION_NS_MAX) {
		stop_with(
			eng, ENGINE_END_LIMIT, "limit time",
			"no more than three days can be simulated; -t ends a run earlier; stopped");
		return;
	}
	if (eng->next_sample_ns <= time_ns)
		take_samples(eng, time_ns);
	check_progress(eng, time_ns);
	if (eng->stop)
		return;
	if (event_rank(key) == RANK_TIMER) {
		timer_fire(eng);
		return;
	}
	c = &eng->cpus[event_cpu(key)];
	fetch_ahead(eng, event_cpu(key));
	if (event_rank(key) == RANK_RESUME)
		resume_section(eng, c);
	else
		cpu_run_event(eng, c, time_ns, event_rank(key));
}

/* What every stack but the root runs. */
static void loop_entry(void *arg)
{
	struct engine *eng = arg;

	for (;;) {
		while (!eng->stop)
			one_event(eng);
		switch_to(eng, eng->root);
	}
}

enum engine_end engine_run(struct engine *eng, struct rql_error *e)
{
	struct fibre *first;

	CHECK(!eng->current);
	eng->error = e;
	eng->current = eng->root;
	first = get_fibre(eng);
	if (!first) {
		stop_with(eng, ENGINE_END_LIMIT, "memory", "no memory for a stack; stopped");
		return eng->end;
	}
	switch_to(eng, first);
	CHECK(eng->stop);
	return eng->end;
}
