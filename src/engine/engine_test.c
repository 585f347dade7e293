/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "engine/script.h"

static void test_work_takes_its_time(void **state)
{
	static const struct action work[] = {
		DO(RUN, .ns = 5 * MS), DO(RUN_UNTIL, .ns = 7 * MS), DO(RUN_UNTIL, .ns = 3 * MS),
		DO(RUN, .ns = 0),      DO(SLEEP, .ns = 2 * MS),     DO(RUN_CPUTIME, .ns = MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_WORK);
	assert_int_equal(asked(&rig, 0, 0), 0);
	assert_int_equal(asked(&rig, 0, 1), 5 * MS);
	assert_int_equal(asked(&rig, 0, 2), 7 * MS);
	assert_int_equal(asked(&rig, 0, 3), 7 * MS);
	assert_int_equal(asked(&rig, 0, 4), 7 * MS);
	assert_int_equal(asked(&rig, 0, 5), 9 * MS);
	assert_int_equal(asked(&rig, 0, 6), 10 * MS);
	assert_int_equal(engine_work(rig.eng, 0)->end_ns, 10 * MS);
	assert_int_equal(engine_busy_ns(rig.eng, 0), 8 * MS);
	assert_int_equal(engine_task_ns(rig.eng, 0), 8 * MS);
	rig_end(&rig);
}

/*
 * CPU 0: |---- 4 ms alone ----|- 3 ms of work in 4.5 ms beside CPU 1 -|- 3 ms alone -|
 * CPU 1:        sleeps        |- 3 ms of work in 4.5 ms --------------|
 */
static void test_busy_sibling_slows_work(void **state)
{
	static const struct action long_run[] = {DO(RUN, .ns = 10 * MS)};
	static const struct action later[] = {DO(SLEEP_UNTIL, .ns = 4 * MS), DO(RUN, .ns = 3 * MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 2), "2.6.34");
	rig.prices.hardware.smt_slowdown_pct = 150;
	RIG_TASK(&rig, 0, long_run);
	RIG_TASK(&rig, 1, later);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 1, 1), 4 * MS);
	/* each tick may round a nanosecond away */
	assert_in_range(asked(&rig, 1, 2), 8500 * US, 8500 * US + 8);
	assert_in_range(asked(&rig, 0, 1), 11500 * US, 11500 * US + 11);
	rig_end(&rig);
}

static void test_other_core_does_not_slow_work(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = 10 * MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
	rig.prices.hardware.smt_slowdown_pct = 150;
	RIG_TASK(&rig, 0, work);
	RIG_TASK(&rig, 1, work);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 1), 10 * MS);
	assert_int_equal(asked(&rig, 1, 1), 10 * MS);
	rig_end(&rig);
}

static void test_cpu_time_is_not_slowed(void **state)
{
	static const struct action work[] = {DO(RUN_CPUTIME, .ns = 4 * MS)};
	static const struct action beside[] = {DO(RUN, .ns = 2 * MS), DO(RUN_UNTIL, .ns = 9 * MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 2), "2.6.34");
	rig.prices.hardware.smt_slowdown_pct = 200;
	rig.topo->cpu[0].capacity = 512;
	rig.topo->cpu[1].capacity = 512;
	RIG_TASK(&rig, 0, work);
	RIG_TASK(&rig, 1, beside);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 1), 4 * MS);
	/* 4 ms at a quarter of the speed, then at half */
	assert_int_equal(asked(&rig, 1, 1), 6 * MS);
	rig_end(&rig);
}

static void test_small_cpu_works_slowly(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
	rig.topo->cpu[1].capacity = 256;
	RIG_TASK(&rig, 0, work);
	RIG_TASK(&rig, 1, work);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 1), MS);
	assert_int_equal(asked(&rig, 1, 1), 4 * MS);
	rig_end(&rig);
}

/* 2^45 ns of work at a thousandth of the speed: more than 64 bits in thousandths. */
static void test_very_long_work_does_not_wrap(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = UINT64_C(1) << 45)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.topo->cpu[0].capacity = 1;
	rig.cfg.duration_ns = 10 * MS;
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_DURATION);
	assert_int_equal(engine_busy_ns(rig.eng, 0), 10 * MS);
	rig_end(&rig);
}

/*
 * CPU 0's section at 1230 us ends 50 us later, past CPU 1's tick at 1250 us: the
 * sibling must not be given work for time that the tick then takes.
 */
static void test_speed_changed_ahead_of_time_gives_no_work_away(void **state)
{
	static const struct action later[] = {DO(SLEEP_UNTIL, .ns = 1230 * US),
					      DO(RUN_UNTIL, .ns = 20 * MS)};
	static const struct action work[] = {DO(RUN, .ns = 3 * MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 2), "2.6.34");
	rig.prices.hardware.smt_slowdown_pct = 150;
	rig.prices.sched_ns[WORK_SWITCH_TAIL] = 50 * US;
	rig.prices.sched_ns[WORK_TICK] = 10 * US;
	RIG_TASK(&rig, 0, later);
	RIG_TASK(&rig, 1, work);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 1, 0), 50 * US);
	/*
	 * 200 us to the tick at 250 us, 990 us to the next; from 1260 us on the other
	 * 1810 us at two thirds of the speed and two more ticks.
	 */
	assert_in_range(asked(&rig, 1, 1), 3995 * US, 3995 * US + 4);
	rig_end(&rig);
}

struct cold_row {
	uint32_t to;
	enum action_kind kind;
	uint64_t extra_ns;
};

/* CPUs 0 and 1 share a cache, CPU 2 has another. */
static void test_moved_task_finds_cold_caches(void **state)
{
	static const struct cold_row rows[] = {{1, ACTION_RUN, 100 * US},
					       {2, ACTION_RUN, 300 * US},
					       {2, ACTION_RUN_UNTIL, 0},
					       {0, ACTION_RUN, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mask *there;
		uint64_t mem[MASK_WORDS(64)];
		struct action work[] = {DO(RUN, .ns = MS), DO(SET_AFFINITY, .cpus = NULL),
					DO(RUN, .ns = MS), DO(RUN, .ns = MS)};
		struct rig rig;

		rig_init(&rig, fake_sockets(2, 2, 1), "2.6.34");
		rig.prices.hardware.cold_same_llc_ns = 100 * US;
		rig.prices.hardware.cold_remote_ns = 300 * US;
		there = mask_init(mem, rig.topo->ncpus);
		mask_set(there, rows[i].to);
		work[1].cpus = there;
		work[2].kind = rows[i].kind;
		if (rows[i].kind == ACTION_RUN_UNTIL)
			work[2].ns = 2 * MS;
		RIG_TASK(&rig, 0, work);
		rig_run(&rig);
		assert_int_equal(engine_machine(rig.eng)->tasks[0].cpu, rows[i].to);
		assert_int_equal(asked(&rig, 0, 3), 2 * MS + rows[i].extra_ns);
		assert_int_equal(asked(&rig, 0, 4), 3 * MS + rows[i].extra_ns);
		rig_end(&rig);
	}
}

/* -- ticks -- */

struct ticks {
	struct record_sink sink; /* first */
	uint64_t count[64], first_ns[64];
	uint64_t tick_ns;
	bool uneven;
};

static void take_tick(struct record_sink *sink, const struct record *r)
{
	struct ticks *t = (struct ticks *)(void *)sink;

	if (t->count[r->cpu]++ == 0)
		t->first_ns[r->cpu] = r->time_ns;
	if ((r->time_ns - t->first_ns[r->cpu]) % t->tick_ns)
		t->uneven = true;
}

/* Each CPU's tick comes half a tick over the number of CPUs after the one before it. */
static void test_ticks_are_skewed_by_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t tick_ns;
	} rows[] = {{"2.6.34", MS}, {"2.6.35,hz=250", 4 * MS}, {"2.6.34,hz=100", 10 * MS}};
	static const struct action forever[] = {DO(RUN, .ns = UINT64_C(1) << 50)};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		struct ticks t = {.sink = {.wants = 1u << RECORD_TICK, .take = take_tick}};
		struct rig rig;

		t.tick_ns = rows[row].tick_ns;
		rig_init(&rig, fake_sockets(2, 2, 1), rows[row].kernel);
		rig.cfg.sinks = &t.sink;
		rig.cfg.duration_ns = 5 * t.tick_ns;
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			RIG_TASK(&rig, cpu, forever);
		rig_run(&rig);
		assert_int_equal(rig.end, ENGINE_END_DURATION);
		assert_false(t.uneven);
		assert_int_equal(t.count[0], 4);
		assert_int_equal(t.first_ns[0], t.tick_ns);
		for (uint32_t cpu = 1; cpu < 4; cpu++) {
			assert_int_equal(t.count[cpu], 5);
			assert_int_equal(t.first_ns[cpu], t.tick_ns / 8 * cpu);
		}
		rig_end(&rig);
	}
}

/* CPUs 1 and 2 have nothing to do; one of them ticks to balance for the other. */
static void test_idle_cpu_without_duties_does_not_tick(void **state)
{
	static const struct action forever[] = {DO(RUN, .ns = UINT64_C(1) << 50)};
	struct ticks t = {.sink = {.wants = 1u << RECORD_TICK, .take = take_tick}, .tick_ns = MS};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 3, 1), "2.6.34");
	rig.cfg.sinks = &t.sink;
	rig.cfg.duration_ns = 50 * MS;
	RIG_TASK(&rig, 0, forever);
	rig_run(&rig);
	assert_int_equal(t.count[0], 49);
	assert_true(t.count[1] == 0 || t.count[2] == 0);
	rig_end(&rig);
}

/* -- sinks -- */

struct tally {
	struct record_sink sink; /* first */
	uint64_t forks, ticks;
};

static void take_tally(struct record_sink *sink, const struct record *r)
{
	struct tally *t = (struct tally *)(void *)sink;

	t->forks += r->kind == RECORD_FORK;
	t->ticks += r->kind == RECORD_TICK;
}

/* The first tasks are created with the engine; the new sink sees only what comes after. */
static void test_sinks_set_later_replace_those_of_the_config(void **state)
{
	static const struct action forever[] = {DO(RUN, .ns = UINT64_C(1) << 50)};
	const uint32_t wants = 1u << RECORD_FORK | 1u << RECORD_TICK;
	struct tally early = {.sink = {.wants = wants, .take = take_tally}};
	struct tally late = early;
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.cfg.sinks = &early.sink;
	rig.cfg.duration_ns = 5 * MS;
	RIG_TASK(&rig, 0, forever);
	rig.eng = engine_create(&rig.cfg, &rig.error);
	assert_non_null(rig.eng);
	engine_set_sinks(rig.eng, &late.sink);
	engine_run(rig.eng, &rig.error);
	assert_int_equal(early.forks, 1);
	assert_int_equal(early.ticks, 0);
	assert_int_equal(late.forks, 0);
	assert_int_equal(late.ticks, 4);
	rig_end(&rig);
}

/* However many there are; those between that want something else do not count. */
static void test_each_sink_gets_what_it_wants(void **state)
{
	static const struct action forever[] = {DO(RUN, .ns = UINT64_C(1) << 50)};
	const uint32_t wants[] = {1u << RECORD_FORK, 1u << RECORD_TICK};

	for (uint32_t n = 1; n <= 2 * 8; n++) {
		struct tally t[2 * 8];
		struct rig rig;

		memset(t, 0, sizeof(t));
		for (uint32_t i = 0; i < n; i++) {
			t[i].sink.take = take_tally;
			t[i].sink.wants = wants[i % 2];
			t[i].sink.next = i + 1 < n ? &t[i + 1].sink : NULL;
		}
		rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
		rig.cfg.sinks = &t[0].sink;
		rig.cfg.duration_ns = 5 * MS;
		RIG_TASK(&rig, 0, forever);
		rig_run(&rig);
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(t[i].forks, i % 2 ? 0 : 1);
			assert_int_equal(t[i].ticks, i % 2 ? 4 : 0);
		}
		rig_end(&rig);
	}
}

/* -- timers -- */

/* The second and third timer fire while the first one's wake-up, 5 us long, is under way. */
static void test_timers_during_a_section_are_not_lost(void **state)
{
	static const struct action sleeper[][2] = {
		{DO(SLEEP_UNTIL, .ns = MS), DO(RUN, .ns = US)},
		{DO(SLEEP_UNTIL, .ns = MS + 1 * US), DO(RUN, .ns = US)},
		{DO(SLEEP_UNTIL, .ns = MS + 2 * US), DO(RUN, .ns = US)},
		{DO(SLEEP_UNTIL, .ns = MS + 6 * US), DO(RUN, .ns = US)},
	};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (size_t i = 0; i < 4; i++) {
		struct rig rig;

		rig_init(&rig, fake_sockets(1, 1, 1), kernels[i / 2]);
		rig.cfg.atomic = i & 1;
		rig.prices.sched_ns[WORK_WAKEUP] = 5 * US;
		for (uint32_t t = 0; t < 4; t++)
			RIG_TASK(&rig, 0, sleeper[t]);
		rig_run(&rig);
		assert_int_equal(rig.end, ENGINE_END_WORK);
		for (uint32_t t = 0; t < 4; t++)
			assert_true(asked(&rig, t, 1) < MS + 30 * US);
		rig_end(&rig);
	}
}

/* Two tasks of one workload: only peers can be woken. */
struct pair {
	struct behaviour behaviour; /* first */
	const struct action *actions[2];
	uint32_t count[2], at[2];
	uint64_t asked[2][RIG_STEPS];
};

static void pair_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct pair *p = (struct pair *)(void *)b;

	p->asked[task][p->at[task]] = now_ns;
	if (p->at[task] < p->count[task])
		*out = p->actions[task][p->at[task]];
	else
		out->kind = ACTION_EXIT;
	p->at[task]++;
}

static void pair_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
}

static const struct behaviour_ops pair_ops = {.next = pair_next, .attr = pair_attr};

#define PAIR(p, a, b)                                                                              \
	{                                                                                          \
		.behaviour = {.ops = &pair_ops, .nfirst = 2, .ntasks = 2}, .actions = {a, b},      \
		.count = {                                                                         \
			sizeof(a) / sizeof((a)[0]),                                                \
			sizeof(b) / sizeof((b)[0])                                                 \
		}                                                                                  \
	}

static void run_pair(struct rig *rig, struct pair *pair)
{
	rig->cfg.nwork = 1;
	rig->work[0] = (struct engine_work_config){
		.behaviour = &pair->behaviour, .start_cpu = 0, .group = ENGINE_ROOT_GROUP};
	rig_run(rig);
}

/* Woken after 1 ms of 10: neither its next sleep nor its block is cut short by the old timer. */
static void test_early_wake_up_cancels_the_timer(void **state)
{
	static const struct action sleeper[] = {DO(SLEEP, .ns = 10 * MS), DO(SLEEP, .ns = 3 * MS),
						PLAIN(BLOCK)};
	static const struct action waker[] = {DO(SLEEP_UNTIL, .ns = MS), DO(WAKE, .task = 0),
					      DO(SLEEP_UNTIL, .ns = 20 * MS), DO(WAKE, .task = 0)};
	struct pair pair = PAIR(pair, sleeper, waker);
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	run_pair(&rig, &pair);
	assert_int_equal(rig.end, ENGINE_END_WORK);
	assert_int_equal(pair.asked[0][1], MS);
	assert_int_equal(pair.asked[0][2], 4 * MS);
	assert_int_equal(pair.asked[0][3], 20 * MS);
	rig_end(&rig);
}

static void test_release_ends_a_busy_wait(void **state)
{
	static const struct action spinner[] = {DO(SPIN, .ns = UINT64_MAX), DO(SPIN, .ns = 5 * MS)};
	static const struct action other[] = {DO(SLEEP_UNTIL, .ns = 2 * MS),
					      DO(RELEASE, .task = 0)};
	struct pair pair = PAIR(pair, spinner, other);
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
	run_pair(&rig, &pair);
	assert_int_equal(pair.asked[0][1], 2 * MS);
	assert_int_equal(pair.asked[0][2], 5 * MS);
	rig_end(&rig);
}

/* -- samples -- */

struct samples {
	uint64_t count, at_ns[16];
	uint32_t nr_running[16];
};

static void take_sample(void *arg, const struct machine *m, uint64_t now_ns)
{
	struct samples *s = arg;

	s->at_ns[s->count] = now_ns;
	s->nr_running[s->count++] = m->cpus[0].rq.nr_running;
}

/* The task sleeps from 2 to 4 ms: what happens at a sample's instant comes after it. */
static void test_samples_come_before_what_happens_then(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = 2 * MS), DO(SLEEP_UNTIL, .ns = 4 * MS),
					     DO(RUN, .ns = 9 * MS)};
	static const uint32_t running[] = {1, 1, 0, 0, 1, 1};
	struct samples s = {0};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.cfg.duration_ns = 6 * MS;
	rig.cfg.sampler = (struct engine_sampler){MS, take_sample, &s};
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(s.count, 6);
	for (uint32_t i = 0; i < 6; i++) {
		assert_int_equal(s.at_ns[i], (i + 1) * MS);
		assert_int_equal(s.nr_running[i], running[i]);
	}
	rig_end(&rig);
}

/* -- ends and limits -- */

static void test_event_limit_ends_the_run(void **state)
{
	static const struct action forever[] = {DO(RUN, .ns = UINT64_C(1) << 50)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.cfg.events_limit = 100;
	RIG_TASK(&rig, 0, forever);
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_LIMIT);
	assert_true(rig.error.limit);
	assert_string_equal(rig.error.where, "limit events");
	assert_int_equal(engine_totals(rig.eng).events, 101);
	rig_end(&rig);
}

/* Wherever the limit falls, a watched run and one that nobody looks at stop alike. */
static void test_event_limit_stops_audited_runs_at_the_same_place(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = MS + 1), DO(RUN, .ns = MS),
					     DO(WAKE, .task = 1),   DO(RUN, .ns = 300 * US),
					     DO(WAKE, .task = 1),   DO(RUN, .ns = MS)};
	static const struct action sleeper[] = {PLAIN(BLOCK), DO(RUN, .ns = 100 * US),
						PLAIN(BLOCK)};

	for (uint64_t limit = 1; limit < 30; limit++) {
		struct engine_totals totals[2];

		for (int audit = 0; audit < 2; audit++) {
			struct pair pair = PAIR(pair, work, sleeper);
			struct rig rig;

			rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
			rig.cfg.events_limit = limit;
			rig.cfg.audit = audit;
			rig.cfg.duration_ns = 10 * MS;
			run_pair(&rig, &pair);
			totals[audit] = engine_totals(rig.eng);
			rig_end(&rig);
		}
		assert_true(totals[0].fingerprint == totals[1].fingerprint);
		assert_int_equal(totals[0].events, totals[1].events);
		assert_int_equal(totals[0].now_ns, totals[1].now_ns);
	}
}

static void test_memory_limit_is_told_before_the_run(void **state)
{
	static const struct action once[] = {DO(RUN, .ns = MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(2, 4, 2), "2.6.34");
	rig.cfg.memory_limit_bytes = 10000;
	RIG_TASK(&rig, 0, once);
	assert_null(engine_create(&rig.cfg, &rig.error));
	assert_true(rig.error.limit);
	assert_string_equal(rig.error.where, "limit memory");
	rig_end(&rig);
}

static void done_next(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	out->kind = ACTION_DONE;
	out->value = 1;
}

static void test_task_that_never_takes_time_is_stuck(void **state)
{
	static const struct behaviour_ops ops = {.next = done_next, .attr = pair_attr};
	struct behaviour b = {.ops = &ops, .ntasks = 1};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.cfg.duration_ns = MS;
	rig.cfg.nwork = 1;
	rig.work[0] = (struct engine_work_config){&b, 0, NULL, ENGINE_ROOT_GROUP};
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_STUCK);
	assert_true(rig.error.limit);
	assert_non_null(strstr(rig.error.what, "without any time passing"));
	assert_int_equal(engine_totals(rig.eng).now_ns, 0);
	rig_end(&rig);
}

static void test_nothing_will_ever_happen_is_told(void **state)
{
	static const struct action block[] = {DO(RUN, .ns = MS), PLAIN(BLOCK)};
	struct rig rig;

	for (int i = 0; i < 2; i++) {
		rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
		rig.cfg.duration_ns = i ? 5 * MS : TIME_NEVER;
		RIG_TASK(&rig, 0, block);
		rig_run(&rig);
		assert_int_equal(rig.end, i ? ENGINE_END_DURATION : ENGINE_END_STUCK);
		if (i)
			assert_int_equal(engine_totals(rig.eng).now_ns, 5 * MS);
		else
			assert_non_null(strstr(rig.error.what, "nothing will wake"));
		rig_end(&rig);
	}
}

static void test_run_ends_with_its_last_workload(void **state)
{
	static const struct action shorter[] = {DO(RUN, .ns = MS), DO(DONE, .value = 2)};
	static const struct action longer[] = {PLAIN(START_MARK), DO(RUN, .ns = 2 * MS),
					       PLAIN(END_MARK), DO(RUN, .ns = MS),
					       DO(DONE, .value = 3)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 2, 1), "2.6.34");
	RIG_TASK(&rig, 0, shorter);
	RIG_TASK(&rig, 1, longer);
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_WORK);
	assert_int_equal(engine_totals(rig.eng).now_ns, 3 * MS);
	assert_int_equal(engine_work(rig.eng, 0)->end_ns, MS);
	assert_int_equal(engine_work(rig.eng, 0)->done_count, 2);
	assert_int_equal(engine_work(rig.eng, 1)->end_ns, 2 * MS);
	assert_int_equal(engine_work(rig.eng, 1)->done_count, 3);
	assert_int_equal(engine_work(rig.eng, 1)->ntasks_ended, 1);
	rig_end(&rig);
}

/* -- where the first task starts -- */

static void test_start_cpu_is_drawn_among_those_allowed(void **state)
{
	static const struct action once[] = {DO(RUN, .ns = US)};
	uint32_t seen[16] = {0};

	for (uint64_t seed = 1; seed <= 200; seed++) {
		uint64_t mem[MASK_WORDS(64)];
		struct mask *allowed;
		struct rig rig;
		uint32_t cpu;

		rig_init(&rig, fake_sockets(2, 4, 1), "2.6.34");
		fake_offline(rig.topo, 5);
		allowed = mask_init(mem, rig.topo->ncpus);
		mask_set(allowed, 2);
		mask_set(allowed, 5);
		mask_set(allowed, 6);
		mask_set(allowed, 7);
		rig.cfg.seed = seed;
		RIG_TASK(&rig, 0, once);
		rig.task[0].cpus = allowed;
		rig.work[0].cpus = allowed;
		rig.work[0].start_cpu = CPU_NONE;
		rig_run(&rig);
		cpu = engine_machine(rig.eng)->tasks[0].cpu;
		seen[cpu]++;
		rig_end(&rig);
	}
	assert_int_equal(seen[2] + seen[6] + seen[7], 200);
	assert_true(seen[2] > 30);
	assert_true(seen[6] > 30);
	assert_true(seen[7] > 30);
}

static void test_impossible_start_is_an_error(void **state)
{
	static const struct action once[] = {DO(RUN, .ns = US)};
	static const uint32_t cpus[] = {5, 1, 9};

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		uint64_t mem[MASK_WORDS(64)];
		struct mask *allowed;
		struct rig rig;

		rig_init(&rig, fake_sockets(2, 4, 1), "2.6.34");
		fake_offline(rig.topo, 5);
		allowed = mask_init(mem, rig.topo->ncpus);
		mask_set(allowed, 0);
		mask_set(allowed, 5);
		RIG_TASK(&rig, 0, once);
		rig.work[0].cpus = allowed;
		rig.work[0].start_cpu = cpus[i];
		assert_null(engine_create(&rig.cfg, &rig.error));
		assert_false(rig.error.limit);
		assert_non_null(strstr(rig.error.what, "cannot start"));
		rig_end(&rig);
	}
}

/* -- preemption -- */

/* Work of 30 ms begins at 1 ms; at 20 ms a sleeper wakes that should preempt it. */
static void test_system_call_work_is_preempted_only_by_a_full_preempt_kernel(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t flags;
		uint64_t runs_ns;
	} rows[] = {
		{"2.6.34,preempt=none", 0, 20 * MS},
		{"2.6.34,preempt=none", ACTION_IN_KERNEL, 31 * MS},
		{"2.6.34,preempt=voluntary", ACTION_IN_KERNEL, 31 * MS},
		{"2.6.34,preempt=full", ACTION_IN_KERNEL, 20 * MS},
		{"2.6.35,preempt=none", ACTION_IN_KERNEL, 31 * MS},
		{"2.6.35,preempt=full", ACTION_IN_KERNEL, 20 * MS},
	};
	static const struct action sleeper[] = {DO(SLEEP_UNTIL, .ns = 20 * MS), DO(RUN, .ns = MS)};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct action work[] = {DO(SLEEP_UNTIL, .ns = MS),
					      DO(RUN, .ns = 30 * MS, .flags = rows[i].flags)};
		struct rig rig;

		rig_init(&rig, fake_sockets(1, 1, 1), rows[i].kernel);
		RIG_TASK(&rig, 0, work);
		RIG_TASK(&rig, 0, sleeper);
		rig_run(&rig);
		assert_int_equal(asked(&rig, 1, 1), rows[i].runs_ns);
		rig_end(&rig);
	}
}

/* -- prices of leaving idle and of sleeping -- */

static void test_idle_exit_and_system_call_take_time(void **state)
{
	static const struct action work[] = {DO(SLEEP_UNTIL, .ns = 5 * MS), DO(RUN, .ns = MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.34");
	rig.prices.hardware.idle_exit_ns = 70 * US;
	rig.prices.sched_ns[WORK_TIMER_IRQ] = 3 * US;
	rig.prices.work.exit_ns = 11 * US;
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 0), 70 * US);
	assert_int_equal(asked(&rig, 0, 1), 5 * MS + 73 * US);
	assert_int_equal(asked(&rig, 0, 2), 6 * MS + 73 * US);
	assert_int_equal(engine_work(rig.eng, 0)->end_ns, 6 * MS + 84 * US);
	assert_int_equal(engine_busy_ns(rig.eng, 0), MS + 3 * US + 11 * US);
	assert_int_equal(engine_totals(rig.eng).sched_ns, 3 * US);
	rig_end(&rig);
}

/* -- exec and the end of a task -- */

static void test_exec_takes_its_price(void **state)
{
	static const struct action work[] = {DO(RUN, .ns = MS), DO(EXEC, .ns = 0),
					     DO(RUN, .ns = MS)};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.35");
	rig.prices.work.exec_ns = 350 * US;
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 2), MS + 350 * US);
	assert_int_equal(asked(&rig, 0, 3), 2 * MS + 350 * US);
	rig_end(&rig);
}

/* CPU 0 has two tasks, CPU 1 none: the one that becomes another program goes there first. */
static void test_exec_moves_a_task_to_an_idle_cpu(void **state)
{
	static const char *const kernels[] = {"2.6.35", "3.4", "4.0"};
	static const struct action other[] = {DO(RUN, .ns = 30 * MS)};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		uint64_t mem[MASK_WORDS(64)];
		struct mask *both = mask_init(mem, 2);
		const struct action work[] = {DO(SLEEP_UNTIL, .ns = MS + 100 * US),
					      DO(SET_AFFINITY, .cpus = both), DO(EXEC, .ns = 0),
					      DO(RUN, .ns = 5 * MS)};
		struct rig rig;

		mask_set(both, 0);
		mask_set(both, 1);
		rig_init(&rig, fake_sockets(1, 2, 1), kernels[i]);
		rig.prices.work.exec_ns = 100 * US;
		RIG_TASK(&rig, 0, other);
		RIG_TASK(&rig, 0, work);
		rig_run(&rig);
		assert_int_equal(engine_busy_ns(rig.eng, 0), 30 * MS);
		assert_int_equal(engine_busy_ns(rig.eng, 1), 5 * MS + 100 * US);
		rig_end(&rig);
	}
}

static void rig_family_attr(struct behaviour *b, uint32_t task, struct task_attr *out)
{
}

static bool wake_the_first(struct behaviour *b, uint32_t task, struct action *out)
{
	out->kind = ACTION_WAKE;
	out->task = 0;
	return task == 1;
}

/* A behaviour of two: task 0 makes the other and waits for its end. */
static void next_of_family(struct behaviour *b, uint32_t task, uint64_t now_ns, struct action *out)
{
	struct rig_task *t = (struct rig_task *)(void *)b;

	if (task == 1) {
		out->kind = ACTION_EXIT;
		return;
	}
	t->asked[t->at] = now_ns;
	switch (t->at++) {
	case 0:
		out->kind = ACTION_FORK;
		out->task = 1;
		break;
	case 1:
		out->kind = ACTION_BLOCK;
		break;
	default:
		out->kind = ACTION_EXIT;
	}
}

static void test_who_waits_for_a_task_is_woken_when_its_exit_is_over(void **state)
{
	static const struct action none[] = {DO(EXIT, .ns = 0)};
	static const struct behaviour_ops family = {
		.next = next_of_family, .attr = rig_family_attr, .ended = wake_the_first};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.35");
	rig.prices.work.thread_ns = 10 * US;
	rig.prices.work.exit_ns = 70 * US;
	RIG_TASK(&rig, 0, none);
	rig.task[0].behaviour.ops = &family;
	rig.task[0].behaviour.ntasks = 2;
	rig_run(&rig);
	assert_int_equal(asked(&rig, 0, 1), 10 * US);
	assert_int_equal(asked(&rig, 0, 2), 80 * US);
	rig_end(&rig);
}

/* One that has no lock yet costs no line. */
static void test_sockets_have_prices_of_their_own(void **state)
{
	static const struct action calls[] = {
		DO(RUN, .ns = 1024, .flags = ACTION_PRICE_WRITE),
		DO(RUN, .ns = 1024, .flags = ACTION_PRICE_READ),
		DO(RUN, .ns = 1024, .flags = ACTION_PRICE_WRITE | ACTION_PRICE_SOCKET),
		DO(RUN, .ns = 1024, .flags = ACTION_PRICE_READ | ACTION_PRICE_SOCKET),
		DO(EXIT, .ns = 0),
	};
	static const uint64_t takes_us[] = {1, 20, 300, 4000};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "2.6.35");
	rig.prices.work.write_ns = 1 * US;
	rig.prices.work.read_ns = 20 * US;
	rig.prices.work.socket_write_ns = 300 * US;
	rig.prices.work.socket_read_ns = 4000 * US;
	RIG_TASK(&rig, 0, calls);
	rig.task[0].behaviour.nlocks = 1;
	rig_run(&rig);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(asked(&rig, 0, i + 1) - asked(&rig, 0, i), takes_us[i] * US);
	rig_end(&rig);
}

/* 1 ms in each 10: throttled at the tick of 1 and of 11 ms. After it a yield waits for the period. */
static void test_deadline_task_waits_for_its_next_period(void **state)
{
	static const struct dl_params dl = {MS, 10 * MS, 10 * MS, 0};
	static const struct action work[] = {
		DO(SET_POLICY, .policy = POLICY_DEADLINE, .dl = &dl),
		DO(RUN, .ns = 2500 * US),
		PLAIN(YIELD),
		PLAIN(DONE),
	};
	struct rig rig;

	rig_init(&rig, fake_sockets(1, 1, 1), "3.19");
	rig.cfg.audit = true;
	RIG_TASK(&rig, 0, work);
	rig_run(&rig);
	assert_int_equal(rig.end, ENGINE_END_WORK);
	assert_int_equal(asked(&rig, 0, 2), 20500 * US);
	assert_int_equal(asked(&rig, 0, 3), 30 * MS);
	rig_end(&rig);
}

/* What the kernel refuses ends the run, and says what and to whom. */
static void test_refusals_end_the_run(void **state)
{
	static const struct dl_params all = {10 * MS, 10 * MS, 0, 0}, none = {0, MS, 0, 0},
				      some = {MS, 10 * MS, 0, 0};
	uint64_t mem[MASK_WORDS(2)];
	struct mask *both = mask_init(mem, 2);
	static uint64_t one_mem[MASK_WORDS(2)];
	struct mask *one = mask_init(one_mem, 2);
	static uint64_t offline_mem[MASK_WORDS(2)];
	struct mask *offline = mask_init(offline_mem, 2);
	const struct {
		const char *kernel, *what;
		const struct dl_params *dl;
		const struct mask *before, *after;
	} rows[] = {
		{"3.19", NULL, &some, both, both},
		{"3.19", "EINVAL", &none, both, both},
		{"3.4", "EINVAL", &some, both, both},
		{"3.19", "EPERM", &some, one, both},
		{"3.19", "EBUSY: a deadline task cannot", &some, both, one},
		{"3.19", "EINVAL: confines itself to CPUs", &some, offline, both},
		{"3.19", "EINVAL: confines itself to CPUs", &some, both, offline},
		{"3.19,sched_rt_runtime_us=-1", NULL, &all, one, one},
	};

	mask_set(one, 0);
	mask_set(both, 0);
	mask_set(both, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct action work[] = {
			DO(SET_AFFINITY, .cpus = rows[i].before),
			DO(SET_POLICY, .policy = POLICY_DEADLINE, .dl = rows[i].dl),
			DO(SET_AFFINITY, .cpus = rows[i].after),
		};
		struct rig rig;

		rig_init(&rig, fake_sockets(1, 2, 1), rows[i].kernel);
		RIG_TASK(&rig, 0, work);
		rig_run(&rig);
		if (rows[i].what) {
			assert_int_equal(rig.end, ENGINE_END_REFUSED);
			assert_memory_equal(rig.error.what, rows[i].what, strlen(rows[i].what));
			assert_memory_equal(rig.error.where, "task ", 5);
		} else {
			assert_int_equal(rig.end, ENGINE_END_WORK);
		}
		rig_end(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_takes_its_time),
		cmocka_unit_test(test_exec_takes_its_price),
		cmocka_unit_test(test_exec_moves_a_task_to_an_idle_cpu),
		cmocka_unit_test(test_who_waits_for_a_task_is_woken_when_its_exit_is_over),
		cmocka_unit_test(test_sockets_have_prices_of_their_own),
		cmocka_unit_test(test_busy_sibling_slows_work),
		cmocka_unit_test(test_other_core_does_not_slow_work),
		cmocka_unit_test(test_cpu_time_is_not_slowed),
		cmocka_unit_test(test_small_cpu_works_slowly),
		cmocka_unit_test(test_very_long_work_does_not_wrap),
		cmocka_unit_test(test_speed_changed_ahead_of_time_gives_no_work_away),
		cmocka_unit_test(test_moved_task_finds_cold_caches),
		cmocka_unit_test(test_ticks_are_skewed_by_cpu),
		cmocka_unit_test(test_idle_cpu_without_duties_does_not_tick),
		cmocka_unit_test(test_sinks_set_later_replace_those_of_the_config),
		cmocka_unit_test(test_each_sink_gets_what_it_wants),
		cmocka_unit_test(test_timers_during_a_section_are_not_lost),
		cmocka_unit_test(test_early_wake_up_cancels_the_timer),
		cmocka_unit_test(test_release_ends_a_busy_wait),
		cmocka_unit_test(test_samples_come_before_what_happens_then),
		cmocka_unit_test(test_event_limit_ends_the_run),
		cmocka_unit_test(test_event_limit_stops_audited_runs_at_the_same_place),
		cmocka_unit_test(test_memory_limit_is_told_before_the_run),
		cmocka_unit_test(test_task_that_never_takes_time_is_stuck),
		cmocka_unit_test(test_nothing_will_ever_happen_is_told),
		cmocka_unit_test(test_run_ends_with_its_last_workload),
		cmocka_unit_test(test_start_cpu_is_drawn_among_those_allowed),
		cmocka_unit_test(test_impossible_start_is_an_error),
		cmocka_unit_test(test_system_call_work_is_preempted_only_by_a_full_preempt_kernel),
		cmocka_unit_test(test_deadline_task_waits_for_its_next_period),
		cmocka_unit_test(test_refusals_end_the_run),
		cmocka_unit_test(test_idle_exit_and_system_call_take_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
