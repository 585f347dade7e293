/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 2 sockets x 2 cores x 2 threads, numbered
 *	socket 0: cores 0,4  1,5	socket 1: cores 2,6  3,7
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select.h"

static struct hand h;
static uint64_t mask_mem[MASK_WORDS(64)];

struct wake_row {
	uint32_t waker, prev;
	const char *busy; /* digits: CPUs that run one task each, the waker's included */
	uint32_t chosen;
};

/* CPUs in ALLOWED, as digits; NULL: any. */
static const struct mask *only(const char *allowed)
{
	struct mask *m;

	if (!allowed)
		return NULL;
	m = mask_init(mask_mem, 8);
	for (; *allowed; allowed++)
		mask_set(m, (uint32_t)(*allowed - '0'));
	return m;
}

static uint32_t choose(const char *kernel, const struct wake_row *r, const char *allowed)
{
	struct task_attr attr = {.nice = 0};
	struct kctx *k;
	struct task *p;
	uint32_t cpu;

	hand_init(&h, kernel, 2, 2, 2);
	p = hand_task_in(&h, r->prev, &attr, NULL);
	sched_schedule(hand_k(&h, r->prev));
	hand_sleep(&h, r->prev);
	if (allowed)
		p->allowed = only(allowed);
	for (const char *c = r->busy; *c; c++)
		hand_tasks(&h, (uint32_t)(*c - '0'), 1);
	k = hand_k(&h, r->waker);
	if (kver_has(&h.v, FEAT_SELECT_UNDER_RQ_LOCK))
		rq_lock(k, hand_rq(&h, r->prev));
	cpu = h.v.select->select(k, p, SD_BALANCE_WAKE, 0);
	if (kver_has(&h.v, FEAT_SELECT_UNDER_RQ_LOCK))
		rq_unlock(k, hand_rq(&h, r->prev));
	hand_free(&h);
	return cpu;
}

static void check_rows(const char *kernel, const struct wake_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t cpu = choose(kernel, &rows[i], NULL);

		if (cpu != rows[i].chosen)
			fail_msg("%s row %zu: CPU %u", kernel, i, cpu);
	}
}

/* First decide between waker's and previous CPU, then look around the winner. */
static void test_affine_decision_then_an_idle_cpu_near_it(void **state)
{
	static const struct wake_row rows[] = {
		/* the waker's own CPU, idle (an interrupt) */
		{0, 0, "", 0},
		/* its sibling, the only other CPU of the lowest domain that spans both */
		{0, 0, "0", 4},
		/* lowest domain is full: it is not left, since it spans both */
		{0, 0, "04", 0},
		/* not pulled (one here, none there): prev is idle */
		{0, 4, "0", 4},
		{0, 1, "0", 1},
		{0, 2, "0", 2},
		/* prev busy: SIBLING gives its first idle CPU 5, MC overwrites: 4 is before 5 */
		{0, 1, "01", 4},
		{0, 1, "014", 5},
		{0, 1, "0145", 1},
		/* far prev, busy: near it, SIBLING then MC */
		{0, 2, "02", 3},
		{0, 2, "0236", 7},
		{0, 2, "02367", 2},
		/* this CPU idle and prev as well: pulled, and here is idle */
		{0, 2, "", 0},
		{0, 2, "2", 0},
	};

	check_rows("2.6.35", rows, sizeof(rows) / sizeof(rows[0]));
	check_rows("2.6.35-rc2", rows, sizeof(rows) / sizeof(rows[0]));
}

/* An idle neighbour found on the walk replaces the waking CPU. */
static void test_an_idle_cpu_found_on_the_walk(void **state)
{
	static const struct wake_row rows[] = {
		/* prev is in the domain and idle: prev itself */
		{0, 0, "", 0},
		{0, 4, "0", 4},
		{0, 1, "04", 1},
		/* prev outside SIBLING, but an idle thread there makes it the affine domain: */
		/* 100 x 2048 <= 105 x 1024 is false, so prev */
		{0, 1, "01", 1},
		/* waker's CPU without load: affine, and the first idle CPU of SIBLING is taken */
		{0, 1, "1", 0},
		{0, 2, "2", 0},
		/* nothing idle at SIBLING; MC has prev and an idle CPU */
		{0, 1, "045", 1},
		{0, 1, "0145", 1},
		{0, 0, "0", 0},
	};

	check_rows("2.6.34", rows, sizeof(rows) / sizeof(rows[0]));
}

/* The test for idle is the fair queue's emptiness, however a CPU's current task stands. */
static void test_idle_means_an_empty_root_queue_in_2_6_34_and_an_idle_task_later(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t chosen;
	} rows[] = {{"2.6.34", 1}, {"2.6.35", 4}};

	for (int i = 0; i < 2; i++) {
		struct task *p;
		struct kctx *k;

		hand_init(&h, rows[i].kernel, 2, 2, 2);
		p = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		hand_sleep(&h, 0);
		hand_tasks(&h, 0, 1);
		/* queued on CPU 4, which has not switched yet */
		hand_task(&h, 4, 0);
		k = hand_k(&h, 0);
		rq_lock(k, hand_rq(&h, 0));
		/* 2.6.34: not balanced, prev 0; later: CPU 4 looks idle */
		if (i == 0) {
			rq_unlock(k, hand_rq(&h, 0));
			assert_int_equal(h.v.select->select(k, p, SD_BALANCE_WAKE, 0), 0);
		} else {
			assert_int_equal(h.v.select->select(k, p, SD_BALANCE_WAKE, 0),
					 rows[i].chosen);
			rq_unlock(k, hand_rq(&h, 0));
		}
		hand_free(&h);
	}
}

/* A waker whose CPU is not allowed leaves the task where it was. */
static void test_no_affine_wakeup_to_a_forbidden_cpu(void **state)
{
	const struct wake_row r = {0, 5, "05", 5};

	assert_int_equal(choose("2.6.35", &r, "567"), 5);
	assert_int_equal(choose("2.6.34", &r, "567"), 5);
}

static void test_idle_cpus_are_looked_for_among_the_allowed(void **state)
{
	const struct wake_row r = {0, 1, "01", 5};

	/* without the mask it would be 4 */
	assert_int_equal(choose("2.6.35", &r, "015"), 5);
}

static void test_affine_wakeups_can_be_switched_off_in_2_6_34(void **state)
{
	const struct wake_row r = {0, 1, "1", 1};

	assert_int_equal(choose("2.6.34,NO_AFFINE_WAKEUPS", &r, NULL), 1);
	assert_int_equal(choose("2.6.34", &r, NULL), 0);
}

/* ---- fork and exec -------------------------------------------------------------- */

static uint32_t fork_from(struct hand *on, uint32_t cpu, const char *allowed)
{
	struct task_attr attr = {.nice = 0, .cpus = only(allowed)};
	struct kctx *k = hand_k(on, cpu);
	struct task *p = sched_new_task(k, NULL, &attr, &on->m->groups_mem[0]);

	sched_wake_up_new(k, p);
	return p->cpu;
}

/*
 * Forks of CPU 0, which runs. An idle CPU that the descent has reached leads on to its idle
 * neighbour: 0 is not less than 112 % of 0, so the local group is left.
 */
static void test_forks_spread_over_sockets_then_cores_then_threads(void **state)
{
	static const uint32_t expected[] = {7, 5, 6, 4, 2, 1, 3};
	static const char *const kernels[] = {"2.6.34", "2.6.35"};

	for (int v = 0; v < 2; v++) {
		hand_init(&h, kernels[v], 2, 2, 2);
		hand_tasks(&h, 0, 1);
		for (int i = 0; i < 7; i++)
			assert_int_equal(fork_from(&h, 0, NULL), expected[i]);
		hand_free(&h);
	}
}

/* Equal loads: the local group stays (112 % at NODE and MC), and in it this CPU. */
static void test_a_fork_on_an_even_machine_stays(void **state)
{
	hand_init(&h, "2.6.35", 2, 2, 2);
	for (uint32_t i = 0; i < 8; i++)
		hand_tasks(&h, i, 2);
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(fork_from(&h, i, NULL), i);
		/* take it away again */
		deactivate_task(hand_k(&h, i), hand_rq(&h, i), &h.m->tasks[16 + i], 0);
	}
	hand_free(&h);
}

/* This CPU wins a tie, else the first seen. */
static void test_ties_go_to_this_cpu_or_the_first(void **state)
{
	struct task p = {.nr_allowed = 8};
	struct sched_domain *top;

	hand_init(&h, "2.6.35", 1, 4, 1);
	p.allowed = h.m->online;
	top = hand_sd(&h, 2, 0);
	/* CPU 2 carries load: the first of the equal others */
	hand_tasks(&h, 2, 1);
	assert_int_equal(find_idlest(hand_k(&h, 2), &p, top, 2, SD_BALANCE_FORK), 3);
	hand_tasks(&h, 3, 1);
	assert_int_equal(find_idlest(hand_k(&h, 2), &p, top, 2, SD_BALANCE_FORK), 0);
	hand_free(&h);
}

static void test_a_group_without_allowed_cpus_is_skipped(void **state)
{
	hand_init(&h, "2.6.35", 2, 2, 2);
	hand_tasks(&h, 0, 1);
	assert_int_equal(fork_from(&h, 0, "01"), 1);
	hand_free(&h);
	hand_init(&h, "2.6.35", 2, 2, 2);
	hand_tasks(&h, 0, 1);
	assert_int_equal(fork_from(&h, 0, "7"), 7);
	hand_free(&h);
}

/* ---- locks ------------------------------------------------------------------------ */

static void test_shares_are_refreshed_with_the_rq_lock_dropped(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t more; /* locks taken during the choice */
	} rows[] = {{"2.6.34", 0}, {"2.6.35", 1}, {"2.6.35,NO_LB_SHARES_UPDATE", 0}};

	for (int i = 0; i < 3; i++) {
		bool under = i > 0;
		struct task *p;
		struct kctx *k;
		uint64_t before;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		p = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		hand_sleep(&h, 0);
		k = hand_k(&h, 1);
		if (under)
			rq_lock(k, hand_rq(&h, 0));
		before = h.locks_taken;
		h.v.select->select(k, p, SD_BALANCE_WAKE, 0);
		assert_int_equal(h.locks_taken - before, rows[i].more);
		if (under)
			rq_unlock(k, hand_rq(&h, 0));
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_affine_decision_then_an_idle_cpu_near_it),
		cmocka_unit_test(test_an_idle_cpu_found_on_the_walk),
		cmocka_unit_test(
			test_idle_means_an_empty_root_queue_in_2_6_34_and_an_idle_task_later),
		cmocka_unit_test(test_no_affine_wakeup_to_a_forbidden_cpu),
		cmocka_unit_test(test_idle_cpus_are_looked_for_among_the_allowed),
		cmocka_unit_test(test_affine_wakeups_can_be_switched_off_in_2_6_34),
		cmocka_unit_test(test_forks_spread_over_sockets_then_cores_then_threads),
		cmocka_unit_test(test_a_fork_on_an_even_machine_stays),
		cmocka_unit_test(test_ties_go_to_this_cpu_or_the_first),
		cmocka_unit_test(test_a_group_without_allowed_cpus_is_skipped),
		cmocka_unit_test(test_shares_are_refreshed_with_the_rq_lock_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
