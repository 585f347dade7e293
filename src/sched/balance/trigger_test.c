/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When balancing happens. The domains' own work is replaced by a note of the call. */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/hand_machine.h"

#define START_TICKS(hz) (HAND_START_NS / NS_PER_S * (hz))

static struct hand h;
static struct {
	uint32_t cpu[64], level[64];
	enum cpu_idle_type idle[64];
	uint32_t n;
	int32_t result;         /* of every call */
	uint32_t stop_at;       /* this level says it is not its job */
	uint32_t interval_ms;   /* the call leaves this behind, if not 0 */
	uint32_t resched_after; /* calls until the idle task must go; 0: never */
} calls;

static int32_t note_call(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
			 enum cpu_idle_type idle, bool *should_balance)
{
	calls.cpu[calls.n] = this_cpu;
	calls.level[calls.n] = sd->level;
	calls.idle[calls.n++] = idle;
	*should_balance = sd->level != calls.stop_at;
	if (calls.interval_ms)
		sd->balance_interval_ms = calls.interval_ms;
	if (calls.resched_after == calls.n)
		k->cpu->rq.curr->need_resched = true;
	return calls.result;
}

static const struct lb_ops lb_ops_note = {.name = "note",
					  .load_balance = note_call,
					  .max_interval_cpus = 4096};

/* 2 sockets x 2 cores x 2 threads: SIBLING, MC, NODE; everything was balanced just now. */
static void start(const char *kernel)
{
	memset(&calls, 0, sizeof(calls));
	calls.stop_at = 99;
	hand_init(&h, kernel, 2, 2, 2);
	h.v.lb = &lb_ops_note;
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		for (uint32_t l = 0; l < 3; l++)
			hand_sd(&h, i, l)->last_balance = jiffies(hand_k(&h, 0));
}

static void after_ms(uint64_t ms)
{
	hand_at(&h, ms * NS_PER_MS);
	calls.n = 0;
}

static void test_a_domain_is_due_after_its_interval_times_the_busy_factor(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint64_t ms;
		uint32_t due; /* SIBLING 1, MC 2, NODE 4 */
	} rows[] = {
		/* 1 ms x 64, 64, 32 */
		{"2.6.35", CPU_NOT_IDLE, 31, 0},
		{"2.6.35", CPU_NOT_IDLE, 32, 4},
		{"2.6.35", CPU_NOT_IDLE, 63, 4},
		{"2.6.35", CPU_NOT_IDLE, 64, 7},
		{"2.6.35", CPU_IDLE, 0, 0},
		{"2.6.35", CPU_IDLE, 1, 7},
		/* a tick of 4 ms: 64 ms are 16 ticks, 1 ms is rounded up to one */
		{"2.6.35,hz=250", CPU_NOT_IDLE, 28, 0},
		{"2.6.35,hz=250", CPU_NOT_IDLE, 32, 4},
		{"2.6.35,hz=250", CPU_NOT_IDLE, 60, 4},
		{"2.6.35,hz=250", CPU_NOT_IDLE, 64, 7},
		{"2.6.35,hz=250", CPU_IDLE, 3, 0},
		{"2.6.35,hz=250", CPU_IDLE, 4, 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t due = 0;

		start(rows[i].kernel);
		after_ms(rows[i].ms);
		h.v.trigger->rebalance(hand_k(&h, 0), 0, rows[i].idle);
		for (uint32_t c = 0; c < calls.n; c++)
			due |= 1u << calls.level[c];
		if (due != rows[i].due)
			fail_msg("row %zu: due %u", i, due);
		hand_free(&h);
	}
}

/* The earliest of the next times, by the interval as it was before the call. */
static void test_next_balance_uses_the_interval_before_the_call(void **state)
{
	start("2.6.35");
	after_ms(64);
	calls.interval_ms = 4;
	h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_NOT_IDLE);
	assert_int_equal(calls.n, 3);
	assert_int_equal(hand_rq(&h, 0)->next_balance, START_TICKS(1000) + 64 + 32);
	assert_int_equal(hand_sd(&h, 0, 0)->last_balance, START_TICKS(1000) + 64);
	hand_free(&h);
}

/* At most a minute ahead. */
static void test_next_balance_is_within_a_minute(void **state)
{
	start("2.6.35");
	for (uint32_t l = 0; l < 3; l++)
		hand_sd(&h, 0, l)->balance_interval_ms = 10000000;
	h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_IDLE);
	assert_int_equal(calls.n, 0);
	assert_int_equal(hand_rq(&h, 0)->next_balance, START_TICKS(1000) + 60000);
	hand_free(&h);
}

/* Whatever came back, -1 included: the higher domains see a busy CPU. */
static void test_a_result_makes_the_cpu_busy_for_the_higher_domains(void **state)
{
	static const struct {
		int32_t result;
		uint32_t ncalls;
	} rows[] = {{0, 3}, {1, 1}, {-1, 1}};

	for (int i = 0; i < 3; i++) {
		start("2.6.35");
		after_ms(1);
		calls.result = rows[i].result;
		h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_IDLE);
		/* as busy, MC is due after 64 and NODE after 32 ms */
		assert_int_equal(calls.n, rows[i].ncalls);
		hand_free(&h);
		start("2.6.35");
		after_ms(64);
		calls.result = rows[i].result;
		h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_IDLE);
		assert_int_equal(calls.n, 3);
		assert_int_equal(calls.idle[0], CPU_IDLE);
		assert_int_equal(calls.idle[2], rows[i].result ? CPU_NOT_IDLE : CPU_IDLE);
		hand_free(&h);
	}
}

static void test_not_this_cpus_job_ends_the_walk(void **state)
{
	start("2.6.35");
	after_ms(64);
	calls.stop_at = 1;
	h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_NOT_IDLE);
	assert_int_equal(calls.n, 2);
	hand_free(&h);
}

/* One CPU of the machine at a time at NODE; who does not get the lock tries at its next turn. */
static void test_serialized_domains_are_skipped_while_another_balances(void **state)
{
	start("2.6.35");
	after_ms(64);
	h.m->balancing.owner = 5;
	h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_NOT_IDLE);
	assert_int_equal(calls.n, 2);
	assert_int_equal(hand_sd(&h, 0, 2)->last_balance, START_TICKS(1000));
	/* it was due at +32, so the next balance is, too */
	assert_int_equal(hand_rq(&h, 0)->next_balance, START_TICKS(1000) + 32);
	h.m->balancing.owner = CPU_NONE;
	calls.n = 0;
	h.v.trigger->rebalance(hand_k(&h, 0), 0, CPU_NOT_IDLE);
	assert_int_equal(calls.n, 1);
	assert_int_equal(calls.level[0], 2);
	assert_int_equal(h.m->balancing.owner, CPU_NONE);
	hand_free(&h);
}

/* ---- newly idle ---------------------------------------------------------------- */

static void newly_idle(uint32_t cpu)
{
	rq_lock(hand_k(&h, cpu), hand_rq(&h, cpu));
	idle_balance(hand_k(&h, cpu), hand_rq(&h, cpu));
	rq_unlock(hand_k(&h, cpu), hand_rq(&h, cpu));
}

static void test_short_idle_times_are_not_worth_balancing(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t avg_ns;
		uint32_t ncalls;
	} rows[] = {{"2.6.35", 499999, 0},
		    {"2.6.35", 500000, 3},
		    {"2.6.34", 499999, 0},
		    {"2.6.34", 500000, 3},
		    {"2.6.35,sched_migration_cost=0", 0, 3}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start(rows[i].kernel);
		hand_rq(&h, 0)->avg_idle_ns = rows[i].avg_ns;
		newly_idle(0);
		assert_int_equal(calls.n, rows[i].ncalls);
		/* the stamp is set all the same */
		assert_int_equal(hand_rq(&h, 0)->idle_stamp_ns, HAND_START_NS);
		hand_free(&h);
	}
}

/* A pull, or a busy sibling (-1), ends the walk, forgets the stamp and sets next_balance. */
static void test_any_result_ends_the_newly_idle_walk(void **state)
{
	static const struct {
		int32_t result;
		uint32_t ncalls;
		bool stamped;
	} rows[] = {{0, 3, true}, {1, 1, false}, {-1, 1, false}};

	for (int i = 0; i < 3; i++) {
		struct rq *rq;

		start("2.6.35");
		rq = hand_rq(&h, 0);
		calls.result = rows[i].result;
		calls.interval_ms = 2;
		rq->next_balance = START_TICKS(1000) + 500;
		newly_idle(0);
		assert_int_equal(calls.n, rows[i].ncalls);
		assert_int_equal(calls.idle[0], CPU_NEWLY_IDLE);
		assert_int_equal(rq->idle_stamp_ns != 0, rows[i].stamped);
		/* last_balance stays; the interval counts as the call left it, without a factor */
		assert_int_equal(hand_sd(&h, 0, 0)->last_balance, START_TICKS(1000));
		assert_int_equal(rq->next_balance, START_TICKS(1000) + (rows[i].result ? 2 : 500));
		hand_free(&h);
	}
}

/* Nothing pulled: a next balance that has passed is renewed, one due right now is not. */
static void test_a_passed_next_balance_is_renewed(void **state)
{
	start("2.6.35");
	hand_rq(&h, 0)->next_balance = START_TICKS(1000);
	newly_idle(0);
	assert_int_equal(hand_rq(&h, 0)->next_balance, START_TICKS(1000));
	hand_rq(&h, 0)->next_balance = START_TICKS(1000) - 1;
	newly_idle(0);
	assert_int_equal(hand_rq(&h, 0)->next_balance, START_TICKS(1000) + 1);
	hand_free(&h);
}

/* "Not my job" is not asked of the newly idle. */
static void test_a_newly_idle_walk_goes_all_the_way(void **state)
{
	start("2.6.35");
	calls.stop_at = 0;
	newly_idle(0);
	assert_int_equal(calls.n, 3);
	hand_free(&h);
}

/* ---- for others ------------------------------------------------------------------ */

static void sleep_without_tick(uint32_t cpu)
{
	mask_set(h.m->nohz.cpu_mask, cpu);
	h.m->nohz.ncpus++;
}

static void test_the_owner_balances_for_all_in_the_order_of_cpus(void **state)
{
	static const uint32_t order[] = {3, 1, 5};
	struct rq *rq;

	start("2.6.35");
	after_ms(1);
	rq = hand_rq(&h, 3);
	sleep_without_tick(1);
	sleep_without_tick(3);
	sleep_without_tick(5);
	h.m->nohz.load_balancer = 3;
	rq->idle_at_tick = true;
	hand_sd(&h, 5, 1)->balance_interval_ms = 4;
	hand_sd(&h, 5, 0)->balance_interval_ms = 4;
	hand_sd(&h, 5, 2)->balance_interval_ms = 4;
	hand_sd(&h, 3, 0)->balance_interval_ms = 9;
	hand_sd(&h, 3, 1)->balance_interval_ms = 9;
	hand_sd(&h, 3, 2)->balance_interval_ms = 9;
	h.m->cpus[3].softirq_pending = SOFTIRQ_SCHED;
	after_ms(9);
	sched_softirq(hand_k(&h, 3));
	assert_false(h.m->cpus[3].softirq_pending);
	assert_int_equal(calls.n, 9);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(calls.cpu[3 * i], order[i]);
		assert_int_equal(calls.idle[3 * i], CPU_IDLE);
	}
	/* the owner comes back as early as any of them needs: CPU 1 in 1 ms */
	assert_int_equal(rq->next_balance, START_TICKS(1000) + 10);
	hand_free(&h);
}

static void test_the_owner_stops_when_it_must_go(void **state)
{
	start("2.6.35");
	after_ms(1);
	sleep_without_tick(1);
	sleep_without_tick(3);
	sleep_without_tick(5);
	h.m->nohz.load_balancer = 3;
	hand_rq(&h, 3)->idle_at_tick = true;
	calls.resched_after = 6;
	h.m->cpus[3].softirq_pending = SOFTIRQ_SCHED;
	sched_softirq(hand_k(&h, 3));
	assert_int_equal(calls.n, 6);
	assert_int_equal(calls.cpu[5], 1);
	hand_free(&h);
}

static void test_a_busy_owner_and_others_balance_for_themselves(void **state)
{
	start("2.6.35");
	after_ms(64);
	sleep_without_tick(1);
	sleep_without_tick(3);
	h.m->nohz.load_balancer = 3;
	hand_rq(&h, 3)->idle_at_tick = false;
	h.m->cpus[3].softirq_pending = SOFTIRQ_SCHED;
	sched_softirq(hand_k(&h, 3));
	assert_int_equal(calls.n, 3);
	assert_int_equal(calls.idle[0], CPU_NOT_IDLE);
	calls.n = 0;
	hand_rq(&h, 2)->idle_at_tick = true;
	h.m->cpus[2].softirq_pending = SOFTIRQ_SCHED;
	sched_softirq(hand_k(&h, 2));
	assert_int_equal(calls.n, 3);
	assert_int_equal(calls.idle[0], CPU_IDLE);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_domain_is_due_after_its_interval_times_the_busy_factor),
		cmocka_unit_test(test_next_balance_uses_the_interval_before_the_call),
		cmocka_unit_test(test_next_balance_is_within_a_minute),
		cmocka_unit_test(test_a_result_makes_the_cpu_busy_for_the_higher_domains),
		cmocka_unit_test(test_not_this_cpus_job_ends_the_walk),
		cmocka_unit_test(test_serialized_domains_are_skipped_while_another_balances),
		cmocka_unit_test(test_short_idle_times_are_not_worth_balancing),
		cmocka_unit_test(test_any_result_ends_the_newly_idle_walk),
		cmocka_unit_test(test_a_passed_next_balance_is_renewed),
		cmocka_unit_test(test_a_newly_idle_walk_goes_all_the_way),
		cmocka_unit_test(test_the_owner_balances_for_all_in_the_order_of_cpus),
		cmocka_unit_test(test_the_owner_stops_when_it_must_go),
		cmocka_unit_test(test_a_busy_owner_and_others_balance_for_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
