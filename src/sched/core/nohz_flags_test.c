/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who looks after idle CPUs in 5.4, and with each change up to 6.12: two sockets of two cores of two threads, core 0 is
 * CPUs 0 and 4. What is balanced is replaced by a note of the call.
 */
#include "support.h"

#include "sched/balance/lb_steps.h"
#include "sched/core/core.h"
#include "sched/hand_machine.h"
#include "sched/pelt/clock.h"

#define BALANCE 1u
#define STATS 2u
#define NEXT 4u
#define NEWILB 8u

static struct hand h;
static struct {
	uint32_t cpu[64];
	enum cpu_idle_type idle[64];
	uint32_t n;
	uint32_t resched_after; /* calls until this CPU must reschedule; 0: never */
} calls;

static void note_rebalance(struct kctx *k, uint32_t cpu, enum cpu_idle_type idle)
{
	calls.cpu[calls.n] = cpu;
	calls.idle[calls.n++] = idle;
	if (calls.n == calls.resched_after)
		k->cpu->rq.curr->need_resched = true;
}

static struct trigger_ops noting;

/* All CPUs idle without a tick, 20 ticks after the start; nobody was looked after since. */
static void start_on(const char *kernel)
{
	memset(&calls, 0, sizeof(calls));
	hand_init(&h, kernel, 2, 2, 2);
	noting = *h.v.trigger;
	noting.rebalance = note_rebalance;
	h.v.trigger = &noting;
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		assert_true(sched_idle_stop_tick(hand_k(&h, i)));
	hand_at(&h, 20 * h.m->tick_ns);
	h.m->nohz.next_balance = 0;
	h.m->nohz.next_blocked = 0;
	h.m->nohz.has_blocked = false;
}

static void start(void)
{
	start_on("5.4");
}

/* A task ran on CPU and left averages of 500. */
static void leave_load(uint32_t cpu)
{
	struct sched_avg *avg = &hand_rq(&h, cpu)->cfs->avg;

	hand_tasks(&h, cpu, 1);
	hand_sleep(&h, cpu);
	avg->last_update_time_ns = rq_clock_pelt(hand_rq(&h, cpu)) & ~UINT64_C(1023);
	avg->load_avg = avg->util_avg = 500;
	avg->load_sum = 500 * UINT64_C(47742);
	avg->util_sum = 500 * 47742;
}

static void forget_load(uint32_t cpu)
{
	struct sched_avg *avg = &hand_rq(&h, cpu)->cfs->avg;

	avg->load_avg = avg->util_avg = avg->load_sum = 0;
	avg->util_sum = 0;
}

static uint64_t now(void)
{
	return jiffies(hand_k(&h, 0));
}

static void run_on(uint32_t cpu, uint32_t n)
{
	sched_idle_restart_tick(hand_k(&h, cpu));
	hand_tasks(&h, cpu, n);
	memset(h.ipis, 0, sizeof(h.ipis));
}

static void test_who_idles_is_in_the_mask_until_its_first_busy_tick(void **state)
{
	const struct sched_domain_shared *llc;

	start();
	llc = hand_rq(&h, 0)->top.sd_llc_shared;
	assert_int_equal(h.m->nohz.ncpus, 8);
	assert_int_equal(llc->nr_busy_cpus, 0);
	assert_true(hand_rq(&h, 0)->has_blocked_load);
	run_on(0, 1);
	assert_int_equal(h.m->nohz.ncpus, 8);
	assert_int_equal(llc->nr_busy_cpus, 0);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(h.m->nohz.ncpus, 7);
	assert_false(mask_test(h.m->nohz.cpu_mask, 0));
	assert_int_equal(llc->nr_busy_cpus, 1);
	/* idle again: at once, and there may be load to age */
	hand_sleep(&h, 0);
	h.m->nohz.has_blocked = false;
	hand_rq(&h, 0)->has_blocked_load = false;
	h.m->cpus[0].softirq_pending = 0;
	assert_true(sched_idle_stop_tick(hand_k(&h, 0)));
	assert_int_equal(h.m->nohz.ncpus, 8);
	assert_int_equal(llc->nr_busy_cpus, 0);
	assert_true(h.m->nohz.has_blocked);
	assert_true(hand_rq(&h, 0)->has_blocked_load);
	hand_free(&h);
}

static void test_an_idle_tick_kicks_nobody(void **state)
{
	start();
	h.m->nohz.has_blocked = true;
	sched_tick(hand_k(&h, 0));
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(h.ipis[i], 0);
	assert_int_equal(h.m->nohz.ncpus, 8);
	hand_free(&h);
}

/* One rule a row: what CPU 0 asks CPU 1 for on its tick. */
static void test_why_an_idle_cpu_is_kicked(void **state)
{
	static const struct {
		uint32_t tasks, on_4; /* on CPU 0, on the other thread of its core */
		int32_t next_balance; /* ticks from now */
		bool blocked;
		int32_t next_blocked;
		uint64_t capacity;
		uint32_t flags; /* 0: no kick */
	} rows[] = {
		{1, 0, 0, false, 0, 1024, 0},
		{2, 0, 0, false, 0, 1024, BALANCE | STATS},
		{2, 0, 1, false, 0, 1024, 0},
		/* ageing is due after, not at its time */
		{1, 0, 0, true, -1, 1024, STATS},
		{1, 0, 0, true, 0, 1024, 0},
		{2, 0, 1, true, -1, 1024, STATS},
		{2, 0, 0, true, -1, 1024, BALANCE | STATS},
		/* capacity * 110 < 1024 * 100: SMT tolerates 10 % */
		{1, 0, 0, false, 0, 930, BALANCE | STATS},
		{1, 0, 0, false, 0, 931, 0},
		/* another CPU of the cache is busy */
		{1, 1, 0, false, 0, 1024, BALANCE | STATS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		run_on(4, rows[i].on_4);
		if (rows[i].on_4)
			sched_tick(hand_k(&h, 4));
		run_on(0, rows[i].tasks);
		hand_rq(&h, 1)->nohz_flags = 0;
		h.m->nohz.next_balance = now() + (uint64_t)(int64_t)rows[i].next_balance;
		h.m->nohz.has_blocked = rows[i].blocked;
		h.m->nohz.next_blocked = now() + (uint64_t)(int64_t)rows[i].next_blocked;
		hand_rq(&h, 0)->cpu_capacity = rows[i].capacity;
		sched_tick(hand_k(&h, 0));
		if (hand_rq(&h, 1)->nohz_flags != rows[i].flags)
			print_error("row %zu\n", i);
		assert_int_equal(hand_rq(&h, 1)->nohz_flags, rows[i].flags);
		assert_int_equal(h.ipis[1], rows[i].flags != 0);
		hand_free(&h);
	}
}

/* Packing: a preferred idle CPU. Unequal CPUs: a misfit task, and then nothing but that. */
static void test_kicks_of_unequal_cpus(void **state)
{
	static const struct {
		bool packs, asymmetric;
		uint32_t on_4;
		uint64_t misfit_load, capacity_max, capacity;
		bool kicks;
	} rows[] = {
		/* CPU 1 has the tasks: CPU 0 is preferred */
		{true, false, 0, 0, 1024, 1024, true},    {false, true, 0, 700, 2048, 1024, true},
		{false, true, 0, 700, 1024, 1024, false}, {false, true, 0, 700, 1024, 700, true},
		{false, true, 1, 0, 2048, 1024, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		start();
		rq = hand_rq(&h, 1);
		run_on(5, rows[i].on_4);
		if (rows[i].on_4)
			sched_tick(hand_k(&h, 5));
		run_on(1, 1);
		hand_rq(&h, 0)->nohz_flags = 0;
		h.m->nohz.has_blocked = false;
		h.m->nohz.next_balance = 0;
		if (rows[i].packs)
			rq->top.sd_asym_packing = rq->sd->parent;
		if (rows[i].asymmetric)
			rq->top.sd_asym_cpucapacity = rq->sd->parent;
		rq->misfit_task_load = rows[i].misfit_load;
		h.m->rd.max_cpu_capacity = rows[i].capacity_max;
		rq->cpu_capacity = rows[i].capacity;
		rq->sd->imbalance_pct = 110;
		rq->sd->parent->imbalance_pct = 117;
		/* the rule of the lowest domain must not be the one that kicks */
		if (rows[i].asymmetric)
			rq->sd->imbalance_pct = 1000000;
		sched_tick(hand_k(&h, 1));
		if ((hand_rq(&h, 0)->nohz_flags != 0) != rows[i].kicks)
			print_error("row %zu\n", i);
		assert_int_equal(hand_rq(&h, 0)->nohz_flags, rows[i].kicks ? BALANCE | STATS : 0);
		hand_free(&h);
	}
}

/* The first that idles; whoever was asked before is not interrupted again; each kick delays the next. */
static void test_the_first_idle_cpu_is_asked_once(void **state)
{
	start();
	run_on(1, 1);
	run_on(0, 2);
	sched_tick(hand_k(&h, 0));
	/* CPU 1 is in the mask but busy */
	assert_true(mask_test(h.m->nohz.cpu_mask, 1));
	assert_int_equal(h.ipis[1], 0);
	assert_int_equal(h.ipis[2], 1);
	assert_int_equal(h.m->nohz.next_balance, 1);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(h.ipis[2], 1);
	assert_int_equal(h.m->nohz.next_balance, 2);
	hand_free(&h);
}

/* Who is kicked and still idles raises its softirq; who does not forgets what was asked. */
static void test_the_kick_arrives(void **state)
{
	for (int busy = 0; busy < 2; busy++) {
		struct rq *rq;

		start();
		rq = hand_rq(&h, 2);
		rq->idle_at_tick = false;
		rq->nohz_flags = BALANCE | STATS;
		if (busy)
			rq->curr->need_resched = true;
		h.v.nohz->ipi(hand_k(&h, 2));
		assert_int_equal(h.m->cpus[2].softirq_pending, !busy);
		assert_int_equal(rq->idle_at_tick, !busy);
		assert_int_equal(rq->nohz_flags, busy ? 0 : BALANCE | STATS);
		rq->curr->need_resched = false;
		hand_free(&h);
	}
}

/* Ascending without oneself, then oneself; next time as early as the first of them needs it. */
static void test_balancing_for_all_that_idle(void **state)
{
	start();
	run_on(5, 1);
	for (uint32_t i = 0; i < 8; i++)
		hand_rq(&h, i)->next_balance = now() + i;
	hand_rq(&h, 1)->next_balance = hand_rq(&h, 7)->next_balance = now();
	hand_rq(&h, 2)->next_balance = now();
	hand_rq(&h, 2)->idle_at_tick = true;
	hand_rq(&h, 2)->nohz_flags = BALANCE | STATS;
	assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
	/* 0, 1 and 7 are due; 5 is busy; 2 itself is balanced without asking whether it is due */
	assert_int_equal(calls.n, 4);
	assert_int_equal(calls.cpu[0], 0);
	assert_int_equal(calls.cpu[1], 1);
	assert_int_equal(calls.cpu[2], 7);
	assert_int_equal(calls.cpu[3], 2);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(calls.idle[i], CPU_IDLE);
	assert_int_equal(h.m->nohz.next_balance, now());
	assert_int_equal(h.m->nohz.next_blocked, now() + 8); /* 32 ms at 250 Hz */
	assert_int_equal(hand_rq(&h, 2)->nohz_flags, 0);
	hand_free(&h);
}

/* STATS alone ages, and balances nobody. */
static void test_ageing_for_all_that_idle(void **state)
{
	start();
	h.m->nohz.has_blocked = true;
	leave_load(3);
	hand_rq(&h, 2)->idle_at_tick = true;
	hand_rq(&h, 2)->nohz_flags = STATS;
	assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_int_equal(calls.n, 0);
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(hand_rq(&h, i)->has_blocked_load, i == 3);
		assert_int_equal(hand_rq(&h, i)->last_blocked_update, now());
	}
	/* 3 has some left, so it goes on in 32 ms */
	assert_true(h.m->nohz.has_blocked);
	forget_load(3);
	hand_rq(&h, 2)->nohz_flags = STATS;
	assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_false(h.m->nohz.has_blocked);
	assert_false(hand_rq(&h, 3)->has_blocked_load);
	hand_free(&h);
}

/* Something to run: given up; there may be load left, when to look again stays, but not when to balance. */
static void test_idle_balancing_ends_when_there_is_work(void **state)
{
	start();
	calls.resched_after = 2;
	h.m->nohz.next_balance = now() + 5;
	h.m->nohz.next_blocked = now() + 3;
	for (uint32_t i = 0; i < 8; i++)
		hand_rq(&h, i)->next_balance = now() - i;
	hand_rq(&h, 2)->idle_at_tick = true;
	hand_rq(&h, 2)->nohz_flags = BALANCE | STATS;
	assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_int_equal(calls.n, 2);
	assert_true(h.m->nohz.has_blocked);
	assert_int_equal(h.m->nohz.next_blocked, now() + 3);
	assert_int_equal(h.m->nohz.next_balance, now() - 1);
	hand_rq(&h, 2)->curr->need_resched = false;
	hand_free(&h);
}

/* The tick found this CPU busy, or nothing was asked: it balances for itself alone. */
static void test_who_is_not_kicked_balances_for_itself(void **state)
{
	start();
	hand_rq(&h, 2)->nohz_flags = BALANCE | STATS;
	hand_rq(&h, 2)->idle_at_tick = false;
	assert_false(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_int_equal(hand_rq(&h, 2)->nohz_flags, 0);
	hand_rq(&h, 2)->idle_at_tick = true;
	assert_false(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_int_equal(calls.n, 0);
	hand_free(&h);
}

/* A CPU that goes idle for long enough ages the load of the others itself; if it cannot it asks one. */
static void test_a_newly_idle_cpu_ages_the_others(void **state)
{
	static const struct {
		uint64_t avg_idle_ns;
		bool blocked, resched;
		int32_t next_blocked; /* ticks from now */
		bool ages, asks;
	} rows[] = {
		{500000, true, false, 0, true, false},   {499999, true, false, 0, false, false},
		{500000, false, false, 0, false, false}, {500000, true, false, 1, false, false},
		{500000, true, true, 0, false, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kctx *k;
		struct rq *rq;

		start();
		run_on(2, 1);
		k = hand_k(&h, 2);
		rq = hand_rq(&h, 2);
		rq->avg_idle_ns = rows[i].avg_idle_ns;
		rq->curr->need_resched = rows[i].resched;
		h.m->nohz.has_blocked = rows[i].blocked;
		h.m->nohz.next_blocked = now() + (uint64_t)(int64_t)rows[i].next_blocked;
		for (uint32_t j = 0; j < 8; j++)
			hand_rq(&h, j)->last_blocked_update = 0;
		rq_lock(k, rq);
		h.v.nohz->newidle(k, rq);
		rq_unlock(k, rq);
		rq->curr->need_resched = false;
		assert_int_equal(hand_rq(&h, 0)->last_blocked_update, rows[i].ages ? now() : 0);
		assert_int_equal(hand_rq(&h, 7)->last_blocked_update, rows[i].ages ? now() : 0);
		/* not its own: it is about to look anyway */
		assert_int_equal(rq->last_blocked_update, 0);
		assert_int_equal(hand_rq(&h, 0)->nohz_flags, rows[i].asks ? STATS : 0);
		assert_int_equal(h.ipis[0], rows[i].asks);
		assert_int_equal(calls.n, 0);
		hand_free(&h);
	}
}

/* Balancing refreshes what idles, once in a jiffy; true if some is left. */
static void test_refreshing_an_idle_cpu(void **state)
{
	struct rq *rq;

	start();
	rq = hand_rq(&h, 3);
	leave_load(3);
	rq->last_blocked_update = now();
	/* done in this jiffy already */
	hand_count_locks(&h);
	assert_true(h.v.nohz->refresh(hand_k(&h, 0), 3));
	assert_int_equal(rq->lock.acquired_count, 0);
	rq->last_blocked_update = now() - 1;
	assert_true(h.v.nohz->refresh(hand_k(&h, 0), 3));
	assert_int_equal(rq->lock.acquired_count, 1);
	forget_load(3);
	rq->last_blocked_update = now() - 1;
	assert_false(h.v.nohz->refresh(hand_k(&h, 0), 3));
	assert_false(rq->has_blocked_load);
	/* nothing to age; or it does not idle */
	assert_false(h.v.nohz->refresh(hand_k(&h, 0), 3));
	rq->has_blocked_load = true;
	mask_clear(h.m->nohz.cpu_mask, 3);
	assert_false(h.v.nohz->refresh(hand_k(&h, 0), 3));
	mask_set(h.m->nohz.cpu_mask, 3);
	assert_int_equal(rq->lock.acquired_count, 2);
	hand_free(&h);
}

/* A CPU whose clock shows NOW asks whether any CPU is due; returns 2 if one is, else is some left? */
static int due_at(uint64_t jiffy)
{
	struct kctx *k = hand_k(&h, 0);
	bool left = false;

	k->now_ns = jiffy * h.m->tick_ns;
	if (h.v.nohz->refresh_due(k, h.m->online, &left))
		return 2;
	return left;
}

/* Answers are remembered for a jiffy; what changes is asked again. */
static void test_asking_whether_ageing_is_due(void **state)
{
	struct rq *rq;
	uint64_t jiffy;

	start();
	rq = hand_rq(&h, 3);
	leave_load(3);
	jiffy = now();
	h.by_rules = true;
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		hand_rq(&h, i)->has_blocked_load = i == 3;
	rq->last_blocked_update = jiffy;
	mask_zero(h.m->nohz.fresh);
	assert_int_equal(due_at(jiffy), 1);
	assert_int_equal(due_at(jiffy), 1);
	/* nothing is left any more, in the same jiffy */
	forget_load(3);
	update_blocked_averages(hand_k(&h, 0), 3);
	assert_false(rq->has_blocked_load);
	assert_int_equal(due_at(jiffy), 0);
	/* the next jiffy; then a CPU behind it learns nothing for it */
	rq->has_blocked_load = true;
	assert_int_equal(due_at(jiffy + 1), 2);
	assert_int_equal(due_at(jiffy), 1);
	assert_int_equal(due_at(jiffy + 1), 2);
	/* only CPUs in the mask count */
	mask_clear(h.m->nohz.cpu_mask, 3);
	assert_int_equal(due_at(jiffy + 1), 0);
	mask_set(h.m->nohz.cpu_mask, 3);
	hand_drop(&h);
}

/* -- later kernels -- */

#define NEXT_54 "5.4,+nohz-next"

/* Who idles anew has the next kick look when all are due; a full kick is in the next jiffy at the earliest. */
static void test_a_new_idle_cpu_has_all_looked_at(void **state)
{
	start_on(NEXT_54);
	assert_true(h.m->nohz.needs_update);
	run_on(0, 1);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(hand_rq(&h, 1)->nohz_flags, NEXT);
	assert_int_equal(h.m->nohz.next_balance, 0);
	hand_rq(&h, 1)->nohz_flags = 0;
	hand_tasks(&h, 0, 1);
	sched_tick(hand_k(&h, 0));
	assert_int_equal(hand_rq(&h, 1)->nohz_flags, BALANCE | STATS | NEXT);
	assert_int_equal(h.m->nohz.next_balance, now() + 1);
	hand_free(&h);
}

/* The interrupt takes the flags; what comes until the softirq is another kick. */
static void test_a_kick_is_taken_by_its_interrupt(void **state)
{
	for (int busy = 0; busy < 2; busy++) {
		struct rq *rq;

		start_on(NEXT_54);
		rq = hand_rq(&h, 2);
		if (busy)
			run_on(2, 1);
		rq->nohz_flags = BALANCE | STATS;
		h.v.nohz->ipi(hand_k(&h, 2));
		assert_int_equal(rq->nohz_flags, 0);
		assert_int_equal(rq->nohz_work, busy ? 0 : BALANCE | STATS);
		assert_int_equal(rq->idle_at_tick, !busy);
		assert_int_equal(h.m->cpus[2].softirq_pending, !busy);
		h.m->cpus[2].softirq_pending = 0;
		hand_free(&h);
	}
}

/* From the next one round to oneself, who must be due as all others; NEXT alone only looks. */
static void test_the_round_begins_after_oneself(void **state)
{
	static const uint32_t order[] = {3, 4, 6, 7, 0, 1, 2};

	for (int balance = 0; balance < 2; balance++) {
		start_on(NEXT_54);
		run_on(5, 1);
		for (uint32_t i = 0; i < 8; i++)
			hand_rq(&h, i)->next_balance = now();
		hand_rq(&h, 4)->next_balance = now() + 1;
		hand_rq(&h, 2)->idle_at_tick = true;
		hand_rq(&h, 2)->nohz_work = balance ? BALANCE | NEXT : NEXT;
		h.m->nohz.next_balance = now() + 99;
		h.m->nohz.has_blocked = true;
		assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
		assert_int_equal(calls.n, balance ? 6 : 0);
		for (uint32_t i = 0, n = 0; i < 7 && balance; i++)
			if (order[i] != 4)
				assert_int_equal(calls.cpu[n++], order[i]);
		assert_int_equal(h.m->nohz.next_balance, now());
		assert_false(h.m->nohz.needs_update);
		/* ageing was not asked for */
		assert_true(h.m->nohz.has_blocked);
		assert_int_equal(h.m->nohz.next_blocked, 0);
		hand_free(&h);
	}
}

/* Something runs here: what was asked for stays to be done, and nothing else changes. */
static void test_a_round_that_was_broken_off(void **state)
{
	start_on(NEXT_54);
	run_on(2, 1);
	hand_rq(&h, 2)->curr->need_resched = true;
	hand_rq(&h, 2)->idle_at_tick = true;
	hand_rq(&h, 2)->nohz_work = BALANCE | STATS | NEXT;
	h.m->nohz.next_balance = now() + 99;
	h.m->nohz.next_blocked = now() + 3;
	assert_true(h.v.nohz->balance_idle(hand_k(&h, 2)));
	assert_int_equal(calls.n, 0);
	assert_true(h.m->nohz.needs_update);
	assert_true(h.m->nohz.has_blocked);
	assert_int_equal(h.m->nohz.next_balance, now() + 99);
	assert_int_equal(h.m->nohz.next_blocked, now() + 3);
	hand_rq(&h, 2)->curr->need_resched = false;
	hand_free(&h);
}

/* A CPU about to idle leaves ageing to its idle loop, which looks once, and not if a kick came. */
static void test_ageing_from_the_idle_loop(void **state)
{
	for (int kicked = 0; kicked < 2; kicked++) {
		struct kctx *k;
		struct rq *rq;

		start_on("5.4,+nohz-newilb,+nohz-next");
		k = hand_k(&h, 2);
		rq = hand_rq(&h, 2);
		h.m->nohz.has_blocked = true;
		leave_load(3);
		rq->avg_idle_ns = h.m->tun.migration_cost_ns;
		h.m->rd.overload = false;
		rq_lock(k, rq);
		newidle_balance(k, rq);
		rq_unlock(k, rq);
		assert_int_equal(hand_rq(&h, 3)->last_blocked_update, 0);
		assert_int_equal(rq->nohz_flags, NEWILB);
		rq->nohz_flags |= kicked ? STATS : 0;
		assert_int_equal(sched_idle_work(k), !kicked);
		assert_int_equal(hand_rq(&h, 3)->last_blocked_update, kicked ? 0 : now());
		assert_false(sched_idle_work(k));
		assert_int_equal(calls.n, 0);
		hand_free(&h);
	}
}

/* Nothing is left to run on CPU 3; what its idle loop says. */
static bool idles_without_a_tick(void)
{
	return sched_idle_stop_tick(hand_k(&h, 3));
}

static void test_the_tick_stops_once_one_has_come_while_idling(void **state)
{
	const struct sched_domain_shared *llc;

	hand_init(&h, "6.12,+nohz-stop-after-tick", 2, 2, 2);
	llc = hand_rq(&h, 3)->top.sd_llc_shared;
	assert_int_equal(llc->nr_busy_cpus, 4);
	assert_false(idles_without_a_tick());
	assert_false(hand_rq(&h, 3)->tick_stopped);
	assert_int_equal(llc->nr_busy_cpus, 4);
	sched_tick(hand_k(&h, 3));
	h.m->cpus[3].softirq_pending = 0;
	assert_true(idles_without_a_tick());
	assert_int_equal(llc->nr_busy_cpus, 3);
	/* a tick that came while a task ran does not count, nor one of an earlier idling */
	run_on(3, 1);
	sched_tick(hand_k(&h, 3));
	assert_int_equal(llc->nr_busy_cpus, 4);
	hand_sleep(&h, 3);
	h.m->cpus[3].softirq_pending = 0;
	assert_false(idles_without_a_tick());
	sched_tick(hand_k(&h, 3));
	h.m->cpus[3].softirq_pending = 0;
	sched_idle_restart_tick(hand_k(&h, 3));
	assert_false(idles_without_a_tick());
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_idles_is_in_the_mask_until_its_first_busy_tick),
		cmocka_unit_test(test_an_idle_tick_kicks_nobody),
		cmocka_unit_test(test_why_an_idle_cpu_is_kicked),
		cmocka_unit_test(test_kicks_of_unequal_cpus),
		cmocka_unit_test(test_the_first_idle_cpu_is_asked_once),
		cmocka_unit_test(test_the_kick_arrives),
		cmocka_unit_test(test_balancing_for_all_that_idle),
		cmocka_unit_test(test_ageing_for_all_that_idle),
		cmocka_unit_test(test_idle_balancing_ends_when_there_is_work),
		cmocka_unit_test(test_who_is_not_kicked_balances_for_itself),
		cmocka_unit_test(test_a_newly_idle_cpu_ages_the_others),
		cmocka_unit_test(test_refreshing_an_idle_cpu),
		cmocka_unit_test(test_asking_whether_ageing_is_due),
		cmocka_unit_test(test_a_new_idle_cpu_has_all_looked_at),
		cmocka_unit_test(test_a_kick_is_taken_by_its_interrupt),
		cmocka_unit_test(test_the_round_begins_after_oneself),
		cmocka_unit_test(test_a_round_that_was_broken_off),
		cmocka_unit_test(test_ageing_from_the_idle_loop),
		cmocka_unit_test(test_the_tick_stops_once_one_has_come_while_idling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
