/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/fair/bandwidth.h"
#include "sched/hand_machine.h"

#define MS NS_PER_MS

static struct hand h;
static const struct task_attr nice_0 = {.nice = 0};

/* A group below PARENT (NULL: the root) with QUOTA_MS in each 100 ms, made MS after the start. */
static struct task_group *group_with(struct task_group *parent, const char *path, uint64_t quota_ms)
{
	struct task_group *tg = hand_group(&h, parent, path);

	sched_group_set_bandwidth(hand_k(&h, 0), tg, quota_ms * MS, 100 * MS);
	return tg;
}

static int64_t left_us(const struct task_group *tg, uint32_t cpu)
{
	return tg->cfs_rq[cpu].bw.remaining_ns / (int64_t)NS_PER_US;
}

static uint64_t pool_ms(const struct task_group *tg)
{
	return tg->bandwidth.runtime_ns / MS;
}

/* The tick at AT_MS on CPU, and the reschedule it may ask for. */
static void tick(uint32_t cpu, uint64_t at_ms)
{
	hand_at(&h, at_ms * MS);
	sched_tick(hand_k(&h, cpu));
	if (sched_need_resched(hand_k(&h, cpu)))
		sched_schedule(hand_k(&h, cpu));
	sched_audit(h.m);
}

static void reschedule(uint32_t cpu)
{
	if (sched_need_resched(hand_k(&h, cpu)))
		sched_schedule(hand_k(&h, cpu));
	sched_audit(h.m);
}

static void fire_period(const struct task_group *tg)
{
	hand_fire(&h, ktimer_cfs_period(h.m, tg->id));
	sched_audit(h.m);
}

/* When the period timer fires, ms after the start; 0: it does not. */
static uint64_t period_due_ms(const struct task_group *tg)
{
	uint64_t at_ns = h.timer_ns[ktimer_cfs_period(h.m, tg->id)];

	return at_ns ? (at_ns - HAND_START_NS) / MS : 0;
}

static uint64_t slack_due_ms(const struct task_group *tg)
{
	uint64_t at_ns = h.timer_ns[ktimer_cfs_slack(h.m, tg->id)];

	return at_ns ? (at_ns - HAND_START_NS) / MS : 0;
}

/*
 * One spinner alone, 20 ms of each 100, ticks every 4 ms, queued 10 ms after a grid point: the
 * numbers of every tick until the second throttling. 6.1 asks once more in the put, for nothing.
 */
static void test_a_spinner_uses_its_slices_up(void **state)
{
	static const struct {
		uint64_t at_ms;
		int64_t left_us;
		uint64_t pool_ms;
		bool throttled;
	} rows[] = {
		{12, 3000, 15, false}, {16, 5000, 9, false},  {20, 1000, 9, false},
		{24, 5000, 1, false},  {28, 1000, 1, false},  {32, -2000, 0, true},
		{104, 5000, 9, false}, {108, 1000, 9, false}, {112, 5000, 1, false},
		{116, 1000, 1, false}, {120, -2000, 0, true}, {204, 5000, 9, false},
		{208, 1000, 9, false}, {212, 5000, 1, false}, {216, 1000, 1, false},
		{220, -2000, 0, true},
	};
	static const char *const kernels[] = {"5.4", "5.5", "6.1"};

	for (int v = 0; v < 3; v++) {
		struct task_group *tg;
		const struct rq *rq;
		uint64_t next_ms = 100;

		hand_init(&h, kernels[v], 1, 1, 1);
		rq = hand_rq(&h, 0);
		hand_at(&h, 10 * MS);
		tg = group_with(NULL, "/a", 20);
		assert_int_equal(period_due_ms(tg), 100);
		hand_task_in(&h, 0, &nice_0, tg);
		assert_int_equal(left_us(tg, 0), 5000);
		assert_int_equal(pool_ms(tg), 15);
		sched_schedule(hand_k(&h, 0));
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (rows[i].at_ms > next_ms) {
				hand_at(&h, next_ms * MS);
				fire_period(tg);
				assert_int_equal(tg->cfs_rq[0].bw.remaining_ns, 1);
				assert_int_equal(tg->bandwidth.runtime_ns, 18 * MS - 1);
				assert_int_equal(rq->nr_running, 1);
				reschedule(0);
				next_ms += 100;
			}
			tick(0, rows[i].at_ms);
			assert_int_equal(left_us(tg, 0), rows[i].left_us);
			assert_int_equal(pool_ms(tg), rows[i].pool_ms);
			assert_int_equal(tg->cfs_rq[0].bw.throttled, rows[i].throttled);
			assert_int_equal(rq->nr_running, !rows[i].throttled);
			assert_int_equal(rq->curr == rq->idle, rows[i].throttled);
		}
		assert_int_equal(tg->bandwidth.nr_periods, 2);
		assert_int_equal(tg->bandwidth.nr_throttled, 2);
		assert_int_equal(tg->bandwidth.throttled_time_ns, (68 + 80) * MS);
		hand_free(&h);
	}
}

/* A throttled queue is told once and goes on once; its tasks stay counted in it alone. */
static void check_counts_go_up_to_where_they_are_queued_in(const char *kernel)
{
	struct task_group *a, *b;
	struct cfs_rq *root;

	hand_init(&h, kernel, 1, 1, 1);
	root = hand_rq(&h, 0)->cfs;
	a = hand_group(&h, NULL, "/a");
	b = group_with(a, "/a/b", 1);
	hand_task_in(&h, 0, &nice_0, b);
	sched_schedule(hand_k(&h, 0));
	hand_task_in(&h, 0, &nice_0, b);
	hand_task_in(&h, 0, &nice_0, a);
	assert_int_equal(root->h_nr_running, 3);
	tick(0, 4);
	/* b left a, which has another task */
	assert_true(b->cfs_rq[0].bw.throttled);
	assert_int_equal(h.nrecords[RECORD_THROTTLE], 1);
	assert_int_equal(h.last[RECORD_THROTTLE].a, b->id);
	assert_int_equal(h.last[RECORD_THROTTLE].c, 2);
	assert_int_equal(b->cfs_rq[0].h_nr_running, 2);
	assert_int_equal(a->cfs_rq[0].h_nr_running, 1);
	assert_int_equal(root->h_nr_running, 1);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	assert_ptr_equal(hand_rq(&h, 0)->curr->tg, a);
	/* one more below a throttled queue is queued there and runs nowhere */
	hand_task_in(&h, 0, &nice_0, b);
	assert_false(sched_need_resched(hand_k(&h, 0)));
	assert_int_equal(b->cfs_rq[0].h_nr_running, 3);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	/* the other sleeps: nothing is left, and a is empty */
	hand_sleep(&h, 0);
	assert_ptr_equal(hand_rq(&h, 0)->curr, hand_rq(&h, 0)->idle);
	assert_false(a->se[0].on_rq);
	sched_audit(h.m);
	hand_at(&h, 100 * MS);
	fire_period(b);
	/* 1 ms does not pay 3 ms */
	assert_true(b->cfs_rq[0].bw.throttled);
	assert_int_equal(left_us(b, 0), -2000);
	for (uint64_t at_ms = 200; at_ms <= 400; at_ms += 100) {
		hand_at(&h, at_ms * MS);
		fire_period(b);
	}
	assert_false(b->cfs_rq[0].bw.throttled);
	assert_int_equal(h.nrecords[RECORD_UNTHROTTLE], 1);
	assert_int_equal(b->bandwidth.nr_throttled, 4);
	assert_int_equal(root->h_nr_running, 3);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 3);
	reschedule(0);
	assert_ptr_equal(hand_rq(&h, 0)->curr->tg, b);
	hand_free(&h);
}

static void test_counts_go_up_to_where_they_are_queued(void **state)
{
	check_counts_go_up_to_where_they_are_queued_in("5.4");
	check_counts_go_up_to_where_they_are_queued_in("6.1");
}

/* Both are throttled; the inner one alone does not let its tasks run. */
static void check_a_queue_below_a_throttled_one_waits_for_it_in(const char *kernel)
{
	struct task_group *a, *b;

	hand_init(&h, kernel, 1, 1, 1);
	a = group_with(NULL, "/a", 2);
	b = group_with(a, "/a/b", 4);
	assert_int_equal(b->bandwidth.ratio, a->bandwidth.ratio);
	assert_int_equal(a->bandwidth.ratio, (1 << 20) / 50);
	hand_task_in(&h, 0, &nice_0, b);
	sched_schedule(hand_k(&h, 0));
	tick(0, 8);
	assert_true(a->cfs_rq[0].bw.throttled);
	assert_int_equal(a->cfs_rq[0].pelt.throttle_count, 1);
	/* the put back found b without runtime, too */
	assert_true(b->cfs_rq[0].bw.throttled);
	assert_int_equal(b->cfs_rq[0].pelt.throttle_count, 2);
	assert_int_equal(left_us(a, 0), -6000);
	assert_int_equal(left_us(b, 0), -4000);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 0);
	for (uint64_t at_ms = 100; at_ms <= 200; at_ms += 100) {
		hand_at(&h, at_ms * MS);
		fire_period(b);
		hand_at(&h, at_ms * MS);
		fire_period(a);
	}
	/* b has paid: its tasks are queued in a, which has not */
	assert_false(b->cfs_rq[0].bw.throttled);
	assert_int_equal(b->cfs_rq[0].pelt.throttle_count, 1);
	assert_true(b->se[0].on_rq);
	assert_int_equal(a->cfs_rq[0].h_nr_running, 1);
	assert_false(a->se[0].on_rq);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 0);
	for (uint64_t at_ms = 300; at_ms <= 400; at_ms += 100) {
		hand_at(&h, at_ms * MS);
		fire_period(a);
	}
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	assert_true(a->se[0].on_rq);
	reschedule(0);
	hand_free(&h);
}

static void test_a_queue_below_a_throttled_one_waits_for_it(void **state)
{
	check_a_queue_below_a_throttled_one_waits_for_it_in("5.4");
	check_a_queue_below_a_throttled_one_waits_for_it_in("6.1");
}

/*
 * CPU 0 has used its slice up, 2 ms too much; before it is put back CPU 1 gives 4 ms to the pool.
 * 6.1 takes what is owed and 1 ns more, and does not throttle.
 */
static void test_who_is_about_to_be_throttled_asks_once_more(void **state)
{
	static const char *const names[] = {"5.5", "6.1", "6.1,-throttle-retry"};

	for (int i = 0; i < 3; i++) {
		bool retries = i == 1;
		struct task_group *tg;

		hand_init(&h, names[i], 1, 2, 1);
		tg = group_with(NULL, "/a", 10);
		hand_task_in(&h, 0, &nice_0, tg);
		hand_task_in(&h, 1, &nice_0, tg);
		sched_schedule(hand_k(&h, 0));
		sched_schedule(hand_k(&h, 1));
		assert_int_equal(pool_ms(tg), 0);
		hand_at(&h, 7 * MS);
		sched_tick(hand_k(&h, 0));
		assert_int_equal(left_us(tg, 0), -2000);
		assert_true(sched_need_resched(hand_k(&h, 0)));
		tg->bandwidth.runtime_ns = 4 * MS;
		sched_schedule(hand_k(&h, 0));
		assert_int_equal(tg->cfs_rq[0].bw.throttled, !retries);
		assert_int_equal(tg->cfs_rq[0].bw.remaining_ns, retries ? 1 : -(int64_t)(2 * MS));
		assert_int_equal(tg->bandwidth.runtime_ns, retries ? 2 * MS - 1 : 4 * MS);
		assert_int_equal(hand_rq(&h, 0)->nr_running, retries);
		hand_free(&h);
	}
}

/* What a period leaves over is saved up to the burst, and counted when it is used. */
static void test_a_burst_is_saved_and_used(void **state)
{
	struct task_group *tg;

	hand_init(&h, "6.1", 1, 1, 1);
	hand_at(&h, 10 * MS);
	tg = group_with(NULL, "/a", 20);
	set_cfs_burst(hand_k(&h, 0), tg, 8 * MS);
	/* filled twice, up to both */
	assert_int_equal(pool_ms(tg), 28);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	for (uint64_t at_ms = 12; !tg->cfs_rq[0].bw.throttled; at_ms += 2)
		tick(0, at_ms);
	/* 28 ms, 2 of them owed or not by the next tick */
	assert_in_range(h.m->tasks[0].se.sum_exec_ns, 28 * MS, 30 * MS);
	hand_at(&h, 100 * MS);
	fire_period(tg);
	assert_int_equal(tg->bandwidth.nr_burst, 1);
	assert_int_equal(tg->bandwidth.burst_time_ns, 8 * MS);
	reschedule(0);
	hand_sleep(&h, 0);
	/* two periods without use: 20 of the next, no more than 28 */
	hand_at(&h, 200 * MS);
	fire_period(tg);
	hand_at(&h, 300 * MS);
	fire_period(tg);
	assert_int_equal(pool_ms(tg), 28);
	assert_int_equal(tg->bandwidth.nr_burst, 1);
	expect_assert_failure(set_cfs_burst(hand_k(&h, 0), tg, 20 * MS + 1));
	hand_drop(&h);
}

/* Queues below a throttled one are off the leaf list and come back when it goes on. */
static void test_what_is_below_a_throttled_queue_is_not_listed(void **state)
{
	static const char *const names[] = {"6.1", "5.4"};

	for (int i = 0; i < 2; i++) {
		struct task_group *a, *b;

		hand_init(&h, names[i], 1, 1, 1);
		a = group_with(NULL, "/a", 20);
		b = hand_group(&h, a, "/a/b");
		hand_task_in(&h, 0, &nice_0, a);
		sched_schedule(hand_k(&h, 0));
		tick(0, 40);
		assert_true(a->cfs_rq[0].bw.throttled);
		assert_false(a->cfs_rq[0].on_leaf_list);
		/* its first task comes meanwhile */
		hand_task_in(&h, 0, &nice_0, b);
		assert_int_equal(b->cfs_rq[0].on_leaf_list, i == 1);
		for (uint64_t at_ms = 100; a->cfs_rq[0].bw.throttled; at_ms += 100) {
			hand_at(&h, at_ms * MS);
			fire_period(a);
		}
		assert_true(a->cfs_rq[0].on_leaf_list);
		assert_true(b->cfs_rq[0].on_leaf_list);
		reschedule(0);
		hand_free(&h);
	}
}

/* Nothing of it runs, but its averages are to age: 6.1 lists it, 5.4 forgets it. */
static void test_an_empty_queue_that_goes_on_ages(void **state)
{
	static const char *const names[] = {"6.1", "5.4"};

	for (int i = 0; i < 2; i++) {
		struct task_group *a;
		struct task *p;

		hand_init(&h, names[i], 1, 1, 1);
		a = group_with(NULL, "/a", 20);
		p = hand_task_in(&h, 0, &nice_0, a);
		sched_schedule(hand_k(&h, 0));
		tick(0, 40);
		assert_true(a->cfs_rq[0].bw.throttled);
		p->state = TASK_INTERRUPTIBLE;
		deactivate_task(hand_k(&h, 0), hand_rq(&h, 0), p, DEQUEUE_SLEEP);
		for (uint64_t at_ms = 100; a->cfs_rq[0].bw.throttled; at_ms += 100) {
			hand_at(&h, at_ms * MS);
			fire_period(a);
		}
		assert_true(a->cfs_rq[0].avg.load_sum > 0);
		assert_int_equal(a->cfs_rq[0].on_leaf_list, i == 0);
		hand_free(&h);
	}
}

/* First come, first served, as far as the pool goes; who comes meanwhile goes before all. */
static void test_runtime_is_handed_out_in_the_order_of_the_list(void **state)
{
	struct task_group *tg;

	hand_init(&h, "5.4", 1, 4, 1);
	tg = group_with(NULL, "/a", 5);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		hand_task_in(&h, cpu, &nice_0, tg);
		if (cpu == 0)
			sched_schedule(hand_k(&h, 0));
	}
	/* the first took all there was */
	assert_int_equal(pool_ms(tg), 0);
	assert_false(tg->cfs_rq[0].bw.throttled);
	assert_true(tg->cfs_rq[1].bw.throttled);
	assert_true(tg->cfs_rq[2].bw.throttled);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 0);
	tick(0, 12);
	assert_int_equal(left_us(tg, 0), -7000);
	assert_ptr_equal(tg->bandwidth.throttled.prev, &tg->cfs_rq[0].bw.throttled_node);
	/* those that owe nothing need 1 ns each */
	hand_at(&h, 100 * MS);
	fire_period(tg);
	assert_false(tg->cfs_rq[1].bw.throttled);
	assert_int_equal(tg->cfs_rq[1].bw.remaining_ns, 1);
	assert_int_equal(tg->cfs_rq[2].bw.remaining_ns, 1);
	assert_true(hand_rq(&h, 1)->curr->need_resched);
	/* 2 ns less than its 5 ms for the one that owes 7 */
	assert_true(tg->cfs_rq[0].bw.throttled);
	assert_int_equal(tg->cfs_rq[0].bw.remaining_ns, -(int64_t)(2 * MS) - 2);
	assert_int_equal(tg->bandwidth.runtime_ns, 0);
	/* a distribution that runs does not see who is throttled now */
	tg->bandwidth.distributing = true;
	sched_schedule(hand_k(&h, 1));
	tick(1, 104);
	tg->bandwidth.distributing = false;
	assert_ptr_equal(tg->bandwidth.throttled.next, &tg->cfs_rq[1].bw.throttled_node);
	hand_free(&h);
}

/* The pool is filled if it was used; after a period without use the timer stops, on its grid. */
static void test_the_period_timer_stops_when_nobody_runs(void **state)
{
	struct task_group *tg;

	hand_init(&h, "5.4", 1, 1, 1);
	hand_at(&h, 33 * MS);
	tg = group_with(NULL, "/a", 20);
	assert_int_equal(period_due_ms(tg), 100);
	hand_at(&h, 100 * MS);
	fire_period(tg);
	assert_true(tg->bandwidth.idle);
	assert_int_equal(period_due_ms(tg), 200);
	hand_at(&h, 200 * MS);
	fire_period(tg);
	assert_int_equal(period_due_ms(tg), 0);
	assert_false(tg->bandwidth.period_active);
	assert_int_equal(tg->bandwidth.nr_periods, 2);
	assert_int_equal(tg->bandwidth.nr_throttled, 0);
	/* the first that takes runtime starts it again */
	hand_at(&h, 555 * MS);
	hand_task_in(&h, 0, &nice_0, tg);
	assert_int_equal(period_due_ms(tg), 600);
	assert_false(tg->bandwidth.idle);
	assert_int_equal(pool_ms(tg), 15);
	/* a late one makes up for what it missed */
	hand_at(&h, 830 * MS);
	fire_period(tg);
	assert_int_equal(tg->bandwidth.nr_periods, 5);
	assert_int_equal(period_due_ms(tg), 900);
	hand_free(&h);
}

/* So many more times a lock is waited for longer than a period. */
static uint32_t late_turns;

static void late_lock(struct hand *hand, struct kctx *k, struct klock *l)
{
	(void)hand;
	if (!l || !late_turns)
		return;
	late_turns--;
	k->now_ns += k->m->groups_mem[1].bandwidth.period_ns;
}

/* An interrupt that finds its timer expired again a fourth time would hardly ever end. */
static void test_a_period_that_is_too_short_is_doubled(void **state)
{
	static const struct {
		uint64_t period_ms;
		uint32_t late_turns;
		uint64_t factor;
		uint64_t nr_periods;
	} rows[] = {
		{10, 0, 1, 1},
		{10, 2, 1, 3},
		{10, 3, 2, 4},
		{400, 3, 2, 4},
		/* 1 s is the longest there is, and not reached by this */
		{500, 3, 1, 4},
		{1000, 3, 1, 4},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cfs_bandwidth *b;
		struct task_group *tg;

		hand_init(&h, "5.4", 1, 1, 1);
		tg = hand_group(&h, NULL, "/a");
		b = &tg->bandwidth;
		sched_group_set_bandwidth(hand_k(&h, 0), tg, MS, rows[i].period_ms * MS);
		hand_task_in(&h, 0, &nice_0, tg);
		sched_schedule(hand_k(&h, 0));
		/* it owes so much that it stays throttled */
		tick(0, 9);
		assert_int_equal(left_us(tg, 0), -8000);
		hand_at(&h, rows[i].period_ms * MS);
		late_turns = rows[i].late_turns;
		h.before = late_lock;
		fire_period(tg);
		h.before = NULL;
		assert_int_equal(late_turns, 0);
		assert_int_equal(b->period_ns, rows[i].factor * rows[i].period_ms * MS);
		assert_int_equal(b->quota_ns, rows[i].factor * MS);
		assert_int_equal(b->nr_periods, rows[i].nr_periods);
		assert_int_equal(b->nr_throttled, rows[i].nr_periods);
		hand_free(&h);
	}
}

/* A queue that runs empty keeps 1 ms. What others could use is handed out 5 ms later. */
static void test_what_is_left_over_goes_to_others(void **state)
{
	struct task_group *tg;

	hand_init(&h, "5.4", 1, 2, 1);
	tg = group_with(NULL, "/a", 12);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	hand_task_in(&h, 1, &nice_0, tg);
	sched_schedule(hand_k(&h, 1));
	assert_int_equal(pool_ms(tg), 2);
	hand_at(&h, MS / 2);
	hand_sleep(&h, 0);
	assert_int_equal(left_us(tg, 0), 1000);
	assert_int_equal(tg->bandwidth.runtime_ns, 5 * MS + MS / 2);
	/* nobody waits for it */
	assert_int_equal(slack_due_ms(tg), 0);
	tick(1, 4);
	tick(1, 8);
	assert_int_equal(left_us(tg, 1), 2500);
	tick(1, 12);
	assert_true(tg->cfs_rq[1].bw.throttled);
	assert_int_equal(left_us(tg, 1), -1500);
	/* more than a slice comes back while one waits */
	tg->bandwidth.runtime_ns = MS;
	tg->cfs_rq[0].bw.remaining_ns = 0;
	hand_at(&h, 20 * MS);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	tg->cfs_rq[0].bw.remaining_ns = 5 * MS;
	tg->bandwidth.runtime_ns = MS + 1;
	hand_sleep(&h, 0);
	assert_int_equal(tg->bandwidth.runtime_ns, 5 * MS + 1);
	assert_int_equal(slack_due_ms(tg), 25);
	hand_at(&h, 25 * MS);
	hand_fire(&h, ktimer_cfs_slack(h.m, tg->id));
	assert_false(tg->cfs_rq[1].bw.throttled);
	assert_int_equal(tg->cfs_rq[1].bw.remaining_ns, 1);
	assert_int_equal(tg->bandwidth.runtime_ns, 3 * MS + MS / 2);
	assert_int_equal(tg->bandwidth.nr_throttled, 0);
	reschedule(1);
	hand_free(&h);
}

/* A timer that starts, or fires, close before the next period has nothing to do. */
static void test_slack_waits_for_a_period_that_is_near(void **state)
{
	static const struct {
		uint64_t sleeps_us, fires_us;
		bool starts, helps;
	} rows[] = {
		{20000, 25000, true, true}, {93000, 98000, true, true},  {93001, 0, false, false},
		{99000, 0, false, false},   {93000, 98001, true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_group *tg;

		hand_init(&h, "5.4", 1, 2, 1);
		tg = group_with(NULL, "/a", 12);
		hand_task_in(&h, 1, &nice_0, tg);
		sched_schedule(hand_k(&h, 1));
		tick(1, 13);
		assert_true(tg->cfs_rq[1].bw.throttled);
		tg->bandwidth.runtime_ns = 5 * MS;
		hand_at(&h, rows[i].sleeps_us * NS_PER_US);
		hand_task_in(&h, 0, &nice_0, tg);
		sched_schedule(hand_k(&h, 0));
		tg->bandwidth.runtime_ns = 6 * MS;
		hand_sleep(&h, 0);
		assert_int_equal(tg->bandwidth.runtime_ns, 10 * MS);
		assert_int_equal(tg->bandwidth.slack_started, rows[i].starts);
		assert_int_equal(slack_due_ms(tg) > 0, rows[i].starts);
		if (rows[i].starts) {
			hand_at(&h, rows[i].fires_us * NS_PER_US);
			hand_fire(&h, ktimer_cfs_slack(h.m, tg->id));
			assert_int_equal(!tg->cfs_rq[1].bw.throttled, rows[i].helps);
			assert_false(tg->bandwidth.slack_started);
		}
		hand_free(&h);
	}
}

/* Nobody waits for the CPU below a throttled queue, however far behind. */
static void test_a_woken_task_of_a_throttled_group_preempts_nobody(void **state)
{
	struct task_group *tg;
	struct task *p;

	hand_init(&h, "5.4", 1, 1, 1);
	tg = group_with(NULL, "/a", 1);
	p = hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	hand_sleep(&h, 0);
	hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	tick(0, 40);
	tick(0, 80);
	assert_true(tg->cfs_rq[0].bw.throttled);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	assert_false(throttled_lb_pair(&h.m->groups_mem[0], 0, 0));
	assert_true(throttled_lb_pair(tg, 0, 0));
	hand_rq(&h, 0)->curr->need_resched = false;
	/* it slept long, so it is far ahead */
	sched_wake(hand_k(&h, 0), p, 0);
	assert_true(p->se.on_rq);
	assert_int_equal(tg->cfs_rq[0].h_nr_running, 2);
	assert_int_equal(hand_rq(&h, 0)->nr_running, 1);
	assert_false(sched_need_resched(hand_k(&h, 0)));
	hand_free(&h);
}

/* What was left, and what was owed, is forgotten; a throttled queue goes on at once. */
static void test_a_new_quota_lets_throttled_queues_go_on(void **state)
{
	struct task_group *tg;

	hand_init(&h, "5.4", 1, 1, 1);
	tg = group_with(NULL, "/a", 1);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	tick(0, 30);
	assert_true(tg->cfs_rq[0].bw.throttled);
	hand_at(&h, 50 * MS);
	sched_group_set_bandwidth(hand_k(&h, 0), tg, 40 * MS, 200 * MS);
	sched_audit(h.m);
	assert_false(tg->cfs_rq[0].bw.throttled);
	/* it takes its first slice when it has run */
	assert_int_equal(tg->cfs_rq[0].bw.remaining_ns, 0);
	assert_int_equal(pool_ms(tg), 40);
	assert_int_equal(tg->bandwidth.ratio, (1 << 20) / 5);
	assert_int_equal(tg->bandwidth.throttled_time_ns, 20 * MS);
	reschedule(0);
	tick(0, 54);
	assert_int_equal(left_us(tg, 0), 5000);
	assert_int_equal(pool_ms(tg), 31);
	/* the running timer keeps its time; without a quota it stops then */
	assert_int_equal(period_due_ms(tg), 100);
	sched_group_set_bandwidth(hand_k(&h, 0), tg, QUOTA_NONE, 100 * MS);
	assert_false(tg->cfs_rq[0].bw.enabled);
	tick(0, 99);
	assert_false(tg->cfs_rq[0].bw.throttled);
	hand_at(&h, 100 * MS);
	fire_period(tg);
	assert_int_equal(period_due_ms(tg), 0);
	hand_free(&h);
}

/* The least of its own and those above it; a greater one is taken and has no effect. */
static void test_no_group_may_use_more_than_those_above(void **state)
{
	struct task_group *a, *b, *c, *d;

	hand_init(&h, "5.4", 1, 1, 1);
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, a, "/a/b");
	c = hand_group(&h, b, "/a/b/c");
	d = hand_group(&h, NULL, "/d");
	assert_int_equal(c->bandwidth.ratio, QUOTA_NONE);
	sched_group_set_bandwidth(hand_k(&h, 0), b, 50 * MS, 100 * MS);
	assert_int_equal(a->bandwidth.ratio, QUOTA_NONE);
	assert_int_equal(c->bandwidth.ratio, 1 << 19);
	sched_group_set_bandwidth(hand_k(&h, 0), c, 1000 * MS, 100 * MS);
	assert_int_equal(c->bandwidth.ratio, 1 << 19);
	sched_group_set_bandwidth(hand_k(&h, 0), a, 25 * MS, 100 * MS);
	assert_int_equal(b->bandwidth.ratio, 1 << 18);
	assert_int_equal(c->bandwidth.ratio, 1 << 18);
	sched_group_set_bandwidth(hand_k(&h, 0), c, 10 * MS, 160 * MS);
	assert_int_equal(c->bandwidth.ratio, 1 << 16);
	assert_int_equal(d->bandwidth.ratio, QUOTA_NONE);
	expect_assert_failure(sched_group_set_bandwidth(hand_k(&h, 0), d, MS - 1, 100 * MS));
	expect_assert_failure(sched_group_set_bandwidth(hand_k(&h, 0), d, MS, MS - 1));
	hand_free(&h);
}

/* A throttled machine with fault number FAULT in it. */
static void break_something(int fault)
{
	struct task_group *tg;
	struct cfs_rq *q;

	hand_init(&h, "5.4", 1, 1, 1);
	tg = group_with(NULL, "/a", 1);
	q = &tg->cfs_rq[0];
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(hand_k(&h, 0));
	tick(0, 8);
	assert_true(q->bw.throttled);
	switch (fault) {
	case 0:
		tg->bandwidth.runtime_ns = 6 * MS + 2;
		break;
	case 1:
		q->bw.remaining_ns = 1;
		break;
	case 2:
		tg->bandwidth.period_active = false;
		break;
	case 3:
		q->pelt.throttle_count++;
		break;
	case 4:
		list_del(&q->bw.throttled_node);
		break;
	case 5:
		hand_rq(&h, 0)->cfs->h_nr_running++;
		break;
	default:
		q->h_nr_running++;
		break;
	}
}

static void test_the_audit_finds_what_is_wrong(void **state)
{
	static volatile int fault;

	for (fault = 0; fault < 7; fault++) {
		break_something(fault);
		expect_assert_failure(sched_audit(h.m));
		free(h.arena.base);
		free(h.topo.cpu);
		free(h.topo.node);
		free(h.topo.distance);
	}
}

/* A task on each of two CPUs, both throttled; the timer fires on the first one. */
static void test_each_cpu_unthrottles_its_own_queues(void **state)
{
	static const struct {
		const char *kernel;
		bool waits;
	} rows[] = {{"6.1", false}, {"6.1,+async-unthrottle", true}, {"6.12", true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_group *tg;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		tg = group_with(NULL, "/a", 10);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			hand_task_in(&h, cpu, &nice_0, tg);
			reschedule(cpu);
		}
		for (uint64_t ms = 4; ms <= 16; ms += 4) {
			tick(0, ms);
			tick(1, ms);
		}
		assert_true(tg->cfs_rq[0].bw.throttled);
		assert_true(tg->cfs_rq[1].bw.throttled);
		h.ipis[1] = 0;
		h.timer_cpu[ktimer_cfs_period(h.m, tg->id)] = 0;
		hand_at(&h, 200 * MS);
		fire_period(tg);
		assert_false(tg->cfs_rq[0].bw.throttled);
		assert_int_equal(tg->cfs_rq[1].bw.throttled, rows[i].waits);
		/* 1 ns beyond what it owed */
		assert_int_equal(tg->cfs_rq[1].bw.remaining_ns, 1);
		assert_int_equal(h.ipis[1], 1);
		sched_ipi(hand_k(&h, 1));
		assert_false(tg->cfs_rq[1].bw.throttled);
		reschedule(1);
		assert_ptr_not_equal(hand_rq(&h, 1)->curr, hand_rq(&h, 1)->idle);
		hand_free(&h);
	}
}

/* A new quota comes before the interrupt does. */
static void test_a_queue_is_unthrottled_once(void **state)
{
	struct task_group *tg;

	hand_init(&h, "6.12", 1, 2, 1);
	tg = group_with(NULL, "/a", 4);
	hand_task_in(&h, 1, &nice_0, tg);
	reschedule(1);
	tick(1, 4);
	tick(1, 8);
	assert_true(tg->cfs_rq[1].bw.throttled);
	h.timer_cpu[ktimer_cfs_period(h.m, tg->id)] = 0;
	hand_at(&h, 200 * MS);
	fire_period(tg);
	assert_true(tg->cfs_rq[1].bw.throttled);
	sched_group_set_bandwidth(hand_k(&h, 0), tg, 20 * MS, 100 * MS);
	assert_false(tg->cfs_rq[1].bw.throttled);
	sched_ipi(hand_k(&h, 1));
	assert_false(tg->cfs_rq[1].bw.throttled);
	assert_true(list_is_empty(&hand_rq(&h, 1)->cfsb_csd));
	hand_free(&h);
}

static void test_periods_begin_apart(void **state)
{
	uint64_t due[3];

	for (int i = 0; i < 3; i++) {
		struct task_group *a, *b;

		hand_init(&h, i ? "6.12" : "6.12,-quota-phase", 1, 1, 1);
		a = group_with(NULL, "/a", 10);
		b = group_with(NULL, "/b", 10);
		due[i] = h.timer_ns[ktimer_cfs_period(h.m, a->id)] - HAND_START_NS;
		assert_true(due[i] <= 100 * MS);
		if (!i)
			assert_int_equal(due[i], 100 * MS);
		else
			assert_true(h.timer_ns[ktimer_cfs_period(h.m, b->id)] - HAND_START_NS !=
				    due[i]);
		hand_free(&h);
	}
	/* the same in each run */
	assert_int_equal(due[1], due[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_spinner_uses_its_slices_up),
		cmocka_unit_test(test_counts_go_up_to_where_they_are_queued),
		cmocka_unit_test(test_a_queue_below_a_throttled_one_waits_for_it),
		cmocka_unit_test(test_who_is_about_to_be_throttled_asks_once_more),
		cmocka_unit_test(test_a_burst_is_saved_and_used),
		cmocka_unit_test(test_what_is_below_a_throttled_queue_is_not_listed),
		cmocka_unit_test(test_an_empty_queue_that_goes_on_ages),
		cmocka_unit_test(test_runtime_is_handed_out_in_the_order_of_the_list),
		cmocka_unit_test(test_the_period_timer_stops_when_nobody_runs),
		cmocka_unit_test(test_a_period_that_is_too_short_is_doubled),
		cmocka_unit_test(test_what_is_left_over_goes_to_others),
		cmocka_unit_test(test_slack_waits_for_a_period_that_is_near),
		cmocka_unit_test(test_a_woken_task_of_a_throttled_group_preempts_nobody),
		cmocka_unit_test(test_a_new_quota_lets_throttled_queues_go_on),
		cmocka_unit_test(test_no_group_may_use_more_than_those_above),
		cmocka_unit_test(test_the_audit_finds_what_is_wrong),
		cmocka_unit_test(test_each_cpu_unthrottles_its_own_queues),
		cmocka_unit_test(test_a_queue_is_unthrottled_once),
		cmocka_unit_test(test_periods_begin_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
