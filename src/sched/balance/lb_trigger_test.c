/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When balancing happens in 5.4, and with each change up to 6.12. The domains' own work is replaced by a note of the
 * call, which may take time.
 */
#include "support.h"

#include "sched/balance/balance.h"
#include "sched/balance/lb_steps.h"
#include "sched/hand_machine.h"
#include "sched/pelt/clock.h"

#define US UINT64_C(1000)

static struct hand h;
static struct {
	uint32_t level[64];
	enum cpu_idle_type idle[64];
	uint32_t n;
	int32_t result[64];   /* of the calls in order */
	uint32_t stop_at;     /* this level says it is not its job */
	uint64_t takes_ns;    /* a call */
	uint32_t interval_ms; /* the call leaves this behind, if not 0 */
	uint32_t task_at;     /* the n-th call: a task comes here; 0: none */
	bool real_time;       /* ... of the real-time class */
} calls;

static int32_t note_call(struct kctx *k, uint32_t this_cpu, struct sched_domain *sd,
			 enum cpu_idle_type idle, bool *should_balance)
{
	CHECK(this_cpu == k->cpu->id);
	calls.level[calls.n] = sd->level;
	calls.idle[calls.n] = idle;
	*should_balance = sd->level != calls.stop_at;
	k->now_ns += calls.takes_ns;
	if (calls.interval_ms)
		sd->balance_interval_ms = calls.interval_ms;
	if (++calls.n == calls.task_at) {
		if (calls.real_time)
			hand_rt_on(&h, this_cpu, 50, UINT64_C(1) << this_cpu);
		else
			hand_task(&h, this_cpu, 0);
	}
	return calls.result[calls.n - 1];
}

static const struct lb_ops lb_ops_note = {.name = "note", .load_balance = note_call};

/* 2 sockets x 2 cores x 2 threads: SMT, MC, NUMA; everything was balanced just now. */
static void start_on(const char *kernel)
{
	memset(&calls, 0, sizeof(calls));
	calls.stop_at = 99;
	hand_init(&h, kernel, 2, 2, 2);
	h.v.lb = &lb_ops_note;
	h.m->rd.overload = true;
	h.m->nohz.next_balance = UINT64_MAX;
	for (uint32_t l = 0; l < 3; l++) {
		struct sched_domain *sd = hand_sd(&h, 0, l);

		sd->last_balance = jiffies(hand_k(&h, 0));
		sd->next_decay_max_lb_cost = UINT64_MAX;
		sd->max_newidle_lb_cost_ns = 0;
	}
}

static void start(void)
{
	start_on("5.4");
}

static uint64_t now(void)
{
	return jiffies(hand_k(&h, 0));
}

static void rebalance(enum cpu_idle_type idle)
{
	h.v.trigger->rebalance(hand_k(&h, 0), 0, idle);
}

static uint32_t levels_called(void)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < calls.n; i++)
		bits |= 1u << calls.level[i];
	return bits;
}

/* Intervals of 2, 4 and 8 ms, 32 times as long for a busy CPU; a jiffy is 4 ms. */
static void test_a_domain_is_due_after_its_interval(void **state)
{
	static const struct {
		enum cpu_idle_type idle;
		uint64_t ms;
		uint32_t due; /* SMT 1, MC 2, NUMA 4 */
	} rows[] = {
		{CPU_IDLE, 0, 0},       {CPU_IDLE, 4, 3},       {CPU_IDLE, 8, 7},
		{CPU_NOT_IDLE, 60, 0},  {CPU_NOT_IDLE, 64, 1},  {CPU_NOT_IDLE, 128, 3},
		{CPU_NOT_IDLE, 252, 3}, {CPU_NOT_IDLE, 256, 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t next;

		start();
		hand_at(&h, rows[i].ms * NS_PER_MS);
		rebalance(rows[i].idle);
		assert_int_equal(levels_called(), rows[i].due);
		next = now() + 60 * 250;
		for (uint32_t l = 0; l < 3; l++) {
			const struct sched_domain *sd = hand_sd(&h, 0, l);
			uint64_t ms = (2u << l) * (rows[i].idle == CPU_IDLE ? 1 : 32);
			uint64_t due = sd->last_balance + (ms + 3) / 4;

			if (rows[i].due >> l & 1)
				assert_int_equal(sd->last_balance, now());
			next = due < next ? due : next;
		}
		assert_int_equal(hand_rq(&h, 0)->next_balance, next);
		assert_int_equal(h.m->nohz.next_balance,
				 rows[i].idle == CPU_IDLE ? next : UINT64_MAX);
		hand_free(&h);
	}
}

/* No interval is longer than HZ * CPUs / 10: 8 CPUs at 250 Hz: 200 jiffies. */
static void test_the_longest_interval(void **state)
{
	start();
	for (uint32_t l = 0; l < 3; l++)
		hand_sd(&h, 0, l)->balance_interval_ms = 100000;
	hand_at(&h, 199 * 4 * NS_PER_MS);
	rebalance(CPU_NOT_IDLE);
	assert_int_equal(calls.n, 0);
	hand_at(&h, 200 * 4 * NS_PER_MS);
	rebalance(CPU_NOT_IDLE);
	assert_int_equal(calls.n, 3);
	hand_free(&h);
}

/* What came makes an idle CPU busy for the domains above; the interval is that of the new state. */
static void test_what_came_makes_the_cpu_busy(void **state)
{
	start();
	calls.task_at = 1;
	calls.result[0] = 1;
	hand_at(&h, 8 * NS_PER_MS);
	rebalance(CPU_IDLE);
	/* busy: MC is due after 128 ms, and SMT again after 64 */
	assert_int_equal(levels_called(), 1);
	assert_int_equal(hand_rq(&h, 0)->next_balance, now() + 16);
	assert_int_equal(h.m->nohz.next_balance, UINT64_MAX);
	hand_free(&h);
	/* the other way round, a busy CPU whose task went */
	start();
	calls.result[0] = 1;
	hand_at(&h, 64 * NS_PER_MS);
	rebalance(CPU_NOT_IDLE);
	assert_int_equal(levels_called(), 7);
	assert_int_equal(calls.idle[0], CPU_NOT_IDLE);
	assert_int_equal(calls.idle[1], CPU_IDLE);
	hand_free(&h);
}

/* The interval that the attempt leaves behind counts. */
static void test_the_interval_is_read_again(void **state)
{
	start();
	calls.interval_ms = 40;
	hand_at(&h, 8 * NS_PER_MS);
	rebalance(CPU_IDLE);
	assert_int_equal(hand_rq(&h, 0)->next_balance, now() + 10);
	hand_free(&h);
}

/* Not this CPU's job below: nothing above either, unless costs are forgotten now. */
static void test_a_cpu_whose_turn_it_is_not_stops(void **state)
{
	for (int decays = 0; decays < 2; decays++) {
		start();
		calls.stop_at = 0;
		hand_sd(&h, 0, 0)->next_decay_max_lb_cost = decays ? 0 : UINT64_MAX;
		for (uint32_t l = 0; l < 3; l++)
			hand_sd(&h, 0, l)->max_newidle_lb_cost_ns = 400 * US;
		hand_rq(&h, 0)->max_idle_balance_cost_ns = 9999 * US;
		hand_at(&h, 8 * NS_PER_MS);
		rebalance(CPU_IDLE);
		assert_int_equal(levels_called(), 1);
		/* 400000 * 253 / 256 = 395312 of this one, and those of the others */
		assert_int_equal(hand_rq(&h, 0)->max_idle_balance_cost_ns,
				 decays ? 1195312 : 9999 * US);
		hand_free(&h);
	}
}

/* Once in a second by 3/256; the sum is the limit of what idling is thought to last, but 0.5 ms. */
static void test_costs_are_forgotten(void **state)
{
	static const struct {
		uint64_t cost_ns;
		int32_t due; /* ticks from now */
		uint64_t left_ns, limit_ns;
	} rows[] = {
		{256000, -1, 253000, 759000},
		{256000, 0, 256000, 1}, /* not due: the limit stays */
		{25600, -1, 25300, 500000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		hand_rq(&h, 0)->max_idle_balance_cost_ns = 1;
		for (uint32_t l = 0; l < 3; l++) {
			struct sched_domain *sd = hand_sd(&h, 0, l);

			sd->max_newidle_lb_cost_ns = rows[i].cost_ns;
			sd->next_decay_max_lb_cost = now() + (uint64_t)(int64_t)rows[i].due;
		}
		rebalance(CPU_IDLE);
		for (uint32_t l = 0; l < 3; l++) {
			const struct sched_domain *sd = hand_sd(&h, 0, l);

			assert_int_equal(sd->max_newidle_lb_cost_ns, rows[i].left_ns);
			if (rows[i].due < 0)
				assert_int_equal(sd->next_decay_max_lb_cost, now() + 250);
		}
		assert_int_equal(hand_rq(&h, 0)->max_idle_balance_cost_ns, rows[i].limit_ns);
		hand_free(&h);
	}
}

/* Nodes are balanced by one CPU at a time; who comes too late tries again when it would be due. */
static void test_one_cpu_at_a_time_balances_nodes(void **state)
{
	start();
	hand_at(&h, 8 * NS_PER_MS);
	h.refused = &h.m->balancing;
	rebalance(CPU_IDLE);
	assert_int_equal(levels_called(), 3);
	assert_int_equal(hand_rq(&h, 0)->next_balance, now());
	hand_free(&h);
}

/* -- going idle -- */

static int32_t go_idle(void)
{
	struct kctx *k = hand_k(&h, 0);
	int32_t came;

	rq_lock(k, hand_rq(&h, 0));
	came = newidle_balance(k, hand_rq(&h, 0));
	rq_unlock(k, hand_rq(&h, 0));
	return came;
}

/* Idle for less than an attempt costs, or nobody has two tasks: none. */
static void test_whether_a_cpu_looks_for_work_at_all(void **state)
{
	static const struct {
		uint64_t avg_idle_ns;
		bool overload;
		uint32_t calls;
	} rows[] = {{500000, true, 3}, {499999, true, 0}, {500000, false, 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		start();
		rq = hand_rq(&h, 0);
		rq->avg_idle_ns = rows[i].avg_idle_ns;
		h.m->rd.overload = rows[i].overload;
		rq->next_balance = UINT64_MAX;
		rq->idle_stamp_ns = 0;
		assert_int_equal(go_idle(), 0);
		assert_int_equal(calls.n, rows[i].calls);
		/* due when the lowest domain is for an idle CPU: 2 ms */
		assert_int_equal(rq->next_balance, now() + 1);
		assert_int_equal(rq->idle_stamp_ns, rq->clock_ns);
		hand_free(&h);
	}
}

/* As far up as what was spent and what the next costs at most is not more than the time to idle. */
static void test_how_far_a_newly_idle_cpu_looks(void **state)
{
	static const struct {
		uint64_t avg_idle_us, cost_us[3], takes_us;
		uint32_t calls;
		uint64_t limit_us; /* max_idle_balance_cost afterwards, 500 before */
	} rows[] = {
		{1000, {300, 300, 300}, 100, 3, 500}, {1000, {300, 300, 801}, 100, 2, 500},
		{1000, {300, 300, 800}, 100, 3, 500}, {1000, {1001, 0, 0}, 100, 0, 500},
		{1000, {300, 300, 300}, 400, 2, 800},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		start();
		rq = hand_rq(&h, 0);
		rq->avg_idle_ns = rows[i].avg_idle_us * US;
		calls.takes_ns = rows[i].takes_us * US;
		for (uint32_t l = 0; l < 3; l++)
			hand_sd(&h, 0, l)->max_newidle_lb_cost_ns = rows[i].cost_us[l] * US;
		assert_int_equal(go_idle(), 0);
		assert_int_equal(calls.n, rows[i].calls);
		for (uint32_t l = 0; l < 3; l++) {
			uint64_t cost_us = rows[i].cost_us[l];

			if (l < calls.n && rows[i].takes_us > cost_us)
				cost_us = rows[i].takes_us;
			assert_int_equal(hand_sd(&h, 0, l)->max_newidle_lb_cost_ns, cost_us * US);
		}
		assert_int_equal(rq->max_idle_balance_cost_ns, rows[i].limit_us * US);
		hand_free(&h);
	}
}

/* It ends with the first task that comes, however that came; one of another class is told apart. */
static void test_a_task_ends_the_search(void **state)
{
	static const struct {
		int32_t result; /* of the second call */
		uint32_t task_at;
		bool real_time;
		int32_t came;
		uint32_t calls;
	} rows[] = {
		{2, 2, false, 2, 2},
		{0, 1, false, 1, 1}, /* woken here meanwhile */
		{0, 1, true, -1, 1},
		{3, 0, false, 3, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
		calls.result[1] = rows[i].result;
		calls.task_at = rows[i].task_at;
		calls.real_time = rows[i].real_time;
		assert_int_equal(go_idle(), rows[i].came);
		assert_int_equal(calls.n, rows[i].calls);
		assert_int_equal(calls.idle[0], CPU_NEWLY_IDLE);
		assert_int_equal(hand_rq(&h, 0)->idle_stamp_ns, 0);
		hand_free(&h);
	}
}

/* A domain may leave it out; the others are asked. */
static void test_a_domain_without_newidle_is_passed_over(void **state)
{
	start();
	hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
	hand_sd(&h, 0, 1)->flags &= ~(uint32_t)SD_BALANCE_NEWIDLE;
	go_idle();
	assert_int_equal(levels_called(), 5);
	hand_free(&h);
}

/* What it looked at tells when to balance next, at most a second from now, and never later than before. */
static void test_when_a_newly_idle_cpu_balances_next(void **state)
{
	start();
	hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
	hand_rq(&h, 0)->next_balance = UINT64_MAX;
	for (uint32_t l = 0; l < 3; l++)
		hand_sd(&h, 0, l)->balance_interval_ms = 40u * (3 - l);
	go_idle();
	assert_int_equal(hand_rq(&h, 0)->next_balance, now() + 10);
	hand_rq(&h, 0)->next_balance = now() + 3;
	go_idle();
	assert_int_equal(hand_rq(&h, 0)->next_balance, now() + 3);
	/* without domains */
	hand_rq(&h, 0)->sd = NULL;
	hand_rq(&h, 0)->next_balance = UINT64_MAX;
	go_idle();
	assert_int_equal(hand_rq(&h, 0)->next_balance, now() + 250);
	hand_free(&h);
}

/* A CPU that idles has no misfit task, and before it looks it ages what was left on it. */
static void test_what_a_newly_idle_cpu_does_first(void **state)
{
	start();
	hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
	hand_rq(&h, 0)->misfit_task_load = 700;
	hand_rq(&h, 0)->last_blocked_update = 0;
	go_idle();
	assert_int_equal(hand_rq(&h, 0)->misfit_task_load, 0);
	assert_int_equal(hand_rq(&h, 0)->last_blocked_update, now());
	hand_free(&h);
}

/* Real-time averages that are left count as load to be aged. */
static void test_blocked_load_of_other_classes(void **state)
{
	struct rq *rq;

	start();
	rq = hand_rq(&h, 0);
	rq->has_blocked_load = true;
	rq->pelt.avg_rt.util_avg = 300;
	rq->pelt.avg_rt.util_sum = 300 * 47742;
	rq->pelt.avg_rt.last_update_time_ns = rq_clock_pelt(rq) & ~UINT64_C(1023);
	update_blocked_averages(hand_k(&h, 1), 0);
	assert_true(rq->has_blocked_load);
	hand_at(&h, 4000 * NS_PER_MS);
	update_blocked_averages(hand_k(&h, 1), 0);
	assert_false(rq->has_blocked_load);
	assert_int_equal(rq->pelt.avg_rt.util_avg, 0);
	assert_int_equal(rq->last_blocked_update, now());
	hand_free(&h);
}

/* -- later kernels -- */

/* 64 ms are 16 ticks; a busy CPU comes a tick earlier, an idle one does not, and a tick is the least. */
static void test_busy_cpus_balance_a_tick_earlier(void **state)
{
	static const struct {
		const char *kernel;
		enum cpu_idle_type idle;
		uint32_t interval_ms;
		uint64_t ticks; /* until SMT is due */
	} rows[] = {
		{"5.4", CPU_NOT_IDLE, 2, 16},
		{"5.4,+lb-busy-interval", CPU_NOT_IDLE, 2, 15},
		{"5.4,+lb-busy-interval", CPU_IDLE, 8, 2},
		{"5.4,+tighter-domains", CPU_NOT_IDLE, 2, 8},
		{"5.4,+tighter-domains,+lb-busy-interval", CPU_NOT_IDLE, 2, 7},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (uint64_t early = 0; early < 2; early++) {
			start_on(rows[i].kernel);
			hand_sd(&h, 0, 0)->balance_interval_ms = rows[i].interval_ms;
			hand_sd(&h, 0, 1)->balance_interval_ms = 10000;
			hand_sd(&h, 0, 2)->balance_interval_ms = 10000;
			hand_at(&h, (rows[i].ticks - early) * 4 * NS_PER_MS);
			rebalance(rows[i].idle);
			assert_int_equal(levels_called(), !early);
			hand_free(&h);
		}
	}
}

/* Idle for at least what the lowest domain costs, however little that is. */
static void test_the_gate_is_the_cost_of_the_lowest_domain(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t avg_idle_us, cost_us;
		uint32_t calls;
	} rows[] = {
		{"5.4", 300, 200, 0},
		{"5.4,+newidle-cost-gate", 300, 200, 1},
		{"5.4,+newidle-cost-gate", 200, 200, 1},
		{"5.4,+newidle-cost-gate", 199, 200, 0},
		{"5.4,+newidle-cost-gate", 600, 601, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_on(rows[i].kernel);
		hand_rq(&h, 0)->avg_idle_ns = rows[i].avg_idle_us * US;
		hand_sd(&h, 0, 0)->max_newidle_lb_cost_ns = rows[i].cost_us * US;
		hand_sd(&h, 0, 1)->max_newidle_lb_cost_ns = 10000 * US;
		assert_int_equal(go_idle(), 0);
		assert_int_equal(calls.n, rows[i].calls);
		hand_free(&h);
	}
}

/* The first domain pays for ageing, 7 us; each a second after it last grew is forgotten by 3/256. */
static void test_costs_without_gaps(void **state)
{
	for (uint64_t ticks = 250; ticks < 252; ticks++) {
		struct sched_domain *sd;

		start_on("5.4,+newidle-cost-decay");
		sd = hand_sd(&h, 0, 0);
		for (uint32_t l = 0; l < 3; l++)
			hand_sd(&h, 0, l)->next_decay_max_lb_cost = now();
		hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
		h.prices.sched_ns[WORK_LOAD_AVG] = 7 * US;
		calls.takes_ns = 100 * US;
		go_idle();
		assert_int_equal(sd->max_newidle_lb_cost_ns, 107 * US);
		assert_int_equal(sd->parent->max_newidle_lb_cost_ns, 100 * US);
		assert_int_equal(sd->next_decay_max_lb_cost, now());
		hand_at(&h, ticks * 4 * NS_PER_MS);
		calls.takes_ns = 10 * US;
		go_idle();
		assert_int_equal(sd->max_newidle_lb_cost_ns,
				 ticks == 251 ? 107 * US * 253 / 256 : 107 * US);
		hand_free(&h);
	}
}

/* A task on its way: it does not even begin, nor count as idle from then on. */
static void test_a_task_on_its_way_is_reason_to_stay_out(void **state)
{
	for (int later = 0; later < 2; later++) {
		struct rq *rq;

		start_on(later ? "5.4,+lb-newidle-empty" : "5.4");
		rq = hand_rq(&h, 0);
		rq->avg_idle_ns = 1000 * US;
		rq->idle_stamp_ns = 5;
		rq->wake_list = rq->stop;
		assert_int_equal(go_idle(), 0);
		assert_int_equal(calls.n, later ? 0 : 3);
		assert_int_equal(rq->idle_stamp_ns, later ? 5 : rq->clock_ns);
		rq->wake_list = NULL;
		hand_free(&h);
	}
}

/* One came while the lowest domain was asked, which brought none: 6.12 asks the next one. */
static void test_who_tells_that_a_task_came(void **state)
{
	for (int later = 0; later < 2; later++) {
		start_on(later ? "5.4,+lb-newidle-empty,+newidle-continue" : "5.4");
		hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
		calls.task_at = 1;
		calls.stop_at = 1; /* there an attempt would see it */
		assert_int_equal(go_idle(), 1);
		assert_int_equal(calls.n, later ? 2 : 1);
		hand_free(&h);
	}
}

/* With a ratio of R in 1024 an attempt is made in R + 2 of 1024 cases, and stands for 1024 / (R + 1). */
static void test_domains_are_tried_as_often_as_it_helped(void **state)
{
	static const struct {
		uint32_t ratio, least, most, stands_for;
	} rows[] = {
		{1023, 2000, 2000, 1}, {511, 900, 1100, 2}, {0, 1, 12, 1024}, {99, 150, 250, 10}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd;
		uint32_t tried = 0;

		start_on("5.4,+newidle-random");
		sd = hand_sd(&h, 0, 0);
		sd->parent = NULL;
		hand_rq(&h, 0)->avg_idle_ns = 1000000 * US;
		calls.takes_ns = 1;
		for (uint32_t n = 0; n < 2000; n++) {
			sd->newidle_ratio = rows[i].ratio;
			sd->newidle_call = sd->newidle_success = 0;
			calls.n = 0;
			calls.result[0] = 1;
			go_idle();
			tried += calls.n;
			assert_int_equal(sd->newidle_call, 1);
			assert_int_equal(sd->newidle_success, calls.n ? rows[i].stands_for : 0);
		}
		assert_in_range(tried, rows[i].least, rows[i].most);
		sd->parent = hand_sd(&h, 0, 0)->parent;
		hand_drop(&h);
	}
}

/* After 1024 attempts those that helped are the new ratio, and half of both counts is forgotten. */
static void test_the_ratio_follows(void **state)
{
	struct sched_domain *sd;

	start_on("5.4,+newidle-random");
	sd = hand_sd(&h, 0, 0);
	assert_int_equal(sd->newidle_call, 512);
	assert_int_equal(sd->newidle_success, 256);
	assert_int_equal(sd->newidle_ratio, 512);
	sd->newidle_call = 1023;
	sd->newidle_success = 301;
	sd->newidle_ratio = 1023;
	hand_rq(&h, 0)->avg_idle_ns = 1000 * US;
	calls.takes_ns = 1;
	calls.result[0] = 1;
	go_idle();
	assert_int_equal(sd->newidle_ratio, 302);
	assert_int_equal(sd->newidle_call, 512);
	assert_int_equal(sd->newidle_success, 151);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_domain_is_due_after_its_interval),
		cmocka_unit_test(test_the_longest_interval),
		cmocka_unit_test(test_what_came_makes_the_cpu_busy),
		cmocka_unit_test(test_the_interval_is_read_again),
		cmocka_unit_test(test_a_cpu_whose_turn_it_is_not_stops),
		cmocka_unit_test(test_costs_are_forgotten),
		cmocka_unit_test(test_one_cpu_at_a_time_balances_nodes),
		cmocka_unit_test(test_whether_a_cpu_looks_for_work_at_all),
		cmocka_unit_test(test_how_far_a_newly_idle_cpu_looks),
		cmocka_unit_test(test_a_task_ends_the_search),
		cmocka_unit_test(test_a_domain_without_newidle_is_passed_over),
		cmocka_unit_test(test_when_a_newly_idle_cpu_balances_next),
		cmocka_unit_test(test_what_a_newly_idle_cpu_does_first),
		cmocka_unit_test(test_blocked_load_of_other_classes),
		cmocka_unit_test(test_busy_cpus_balance_a_tick_earlier),
		cmocka_unit_test(test_the_gate_is_the_cost_of_the_lowest_domain),
		cmocka_unit_test(test_costs_without_gaps),
		cmocka_unit_test(test_a_task_on_its_way_is_reason_to_stay_out),
		cmocka_unit_test(test_who_tells_that_a_task_came),
		cmocka_unit_test(test_domains_are_tried_as_often_as_it_helped),
		cmocka_unit_test(test_the_ratio_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
