/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sockets of two CPUs: 0 and 1 share a cache, 2 and 3 another. CPU 0 wakes and is busy. */
#include "support.h"

#include "sched/core/core.h"
#include "sched/hand_machine.h"
#include "sched/select/select.h"

static struct hand h;
static uint64_t only_mem[4][MASK_WORDS(64)];

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

static void start(const char *kernel)
{
	hand_init(&h, kernel, 2, 2, 1);
	for (uint32_t i = 0; i < 4; i++)
		mask_set(mask_init(only_mem[i], h.m->ncpus), i);
	hand_tasks(&h, 0, 1);
}

/* A task asleep on CPU and bound to it. */
static struct task *sleeper(uint32_t cpu)
{
	struct task *p = hand_task(&h, cpu, 0);

	p->allowed = (const struct mask *)only_mem[cpu];
	p->nr_allowed = 1;
	sched_schedule(hand_k(&h, cpu));
	CHECK(hand_rq(&h, cpu)->curr == p);
	hand_sleep(&h, cpu);
	return p;
}

/* CPU looks at its wake list because of need_resched. */
static void k_leaves_idle(uint32_t cpu)
{
	h.v.wake->leave_idle(hand_k(&h, cpu));
}

static const struct rq_stats *stats(uint32_t cpu)
{
	return &hand_rq(&h, cpu)->stats;
}

static void clear_counts(void)
{
	for (uint32_t i = 0; i < 4; i++)
		hand_rq(&h, i)->lock.acquired_count = 0;
	memset(h.ipis, 0, sizeof(h.ipis));
	h.locks_taken = 0;
}

/* No lock, one interrupt for all; the target queues them newest first under one lock. */
static void test_another_cache_is_told_through_a_list(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task *p[3];
		struct rq *rq;

		start(kernels[v]);
		for (int i = 0; i < 3; i++)
			p[i] = sleeper(2);
		rq = hand_rq(&h, 2);
		clear_counts();
		for (int i = 0; i < 3; i++)
			assert_true(sched_wake(hand_k(&h, 0), p[i], 0));
		assert_int_equal(h.locks_taken, 0);
		assert_int_equal(h.ipis[2], 1);
		assert_ptr_equal(rq->wake_list, p[2]);
		assert_int_equal(rq->nr_running, 0);
		assert_int_equal(p[0]->state, TASK_WAKING);
		assert_false(sched_wake(hand_k(&h, 1), p[0], 0));
		assert_false(idle_cpu(hand_k(&h, 0), 2));
		/* counted where the waker is, when it has pushed */
		assert_int_equal(stats(0)->ttwu_count, 3);
		assert_int_equal(stats(0)->ttwu_local, 0);
		assert_int_equal(stats(2)->ttwu_count, 0);
		assert_int_equal(hand_sd(&h, 0, 0)->stats.ttwu_wake_remote, 0);
		assert_int_equal(hand_sd(&h, 0, 1)->stats.ttwu_wake_remote, 3);
		sched_ipi(hand_k(&h, 2));
		assert_int_equal(h.locks_taken, 1);
		assert_null(rq->wake_list);
		assert_int_equal(rq->nr_running, 3);
		assert_true(rq->curr->need_resched);
		if (kver_has(&h.v, FEAT_LB_TAIL_INSERT))
			assert_ptr_equal(rq->cfs_tasks.next, &p[2]->lb_node);
		else if (kver_has(&h.v, FEAT_LB_RQ_LIST))
			assert_ptr_equal(rq->cfs_tasks.next, &p[0]->lb_node);
		else
			assert_ptr_equal(rq->cfs->tasks.next, &p[0]->lb_node);
		hand_free(&h);
	}
}

static void test_the_own_cache_is_told_by_lock(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task *p;

		start(kernels[v]);
		p = sleeper(1);
		clear_counts();
		assert_true(sched_wake(hand_k(&h, 0), p, 0));
		assert_int_equal(h.locks_taken, 1);
		assert_int_equal(hand_rq(&h, 1)->lock.acquired_count, 1);
		assert_int_equal(hand_rq(&h, 1)->nr_running, 1);
		assert_int_equal(stats(0)->ttwu_count, 1);
		assert_int_equal(hand_sd(&h, 0, 0)->stats.ttwu_wake_remote, 1);
		hand_free(&h);
	}
}

static void test_without_the_feature_every_cpu_is_told_by_lock(void **state)
{
	struct task *p;

	start("3.3,NO_TTWU_QUEUE");
	p = sleeper(2);
	clear_counts();
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_null(hand_rq(&h, 2)->wake_list);
	assert_int_equal(hand_rq(&h, 2)->lock.acquired_count, 1);
	assert_int_equal(hand_rq(&h, 2)->nr_running, 1);
	hand_free(&h);
}

/* One that is still queued is only made runnable: no clock, but counted as any other. */
static void test_waking_what_is_about_to_sleep(void **state)
{
	struct task *p;

	start("3.4");
	hand_tasks(&h, 2, 1);
	p = hand_rq(&h, 2)->curr;
	sched_set_sleeping(hand_k(&h, 2));
	clear_counts();
	hand_at(&h, NS_PER_MS);
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_int_equal(p->state, TASK_RUNNING);
	assert_int_equal(hand_rq(&h, 2)->lock.acquired_count, 1);
	assert_int_equal(h.locks_taken, 1);
	assert_int_equal(hand_rq(&h, 2)->clock_ns, HAND_START_NS);
	assert_int_equal(stats(0)->ttwu_count, 1);
	assert_int_equal(hand_sd(&h, 0, 1)->stats.ttwu_wake_remote, 1);
	hand_free(&h);
}

/* From its dequeue to the end of the switch; only the own CPU's is over for sure. */
static void test_waiting_for_the_task_to_leave_its_cpu(void **state)
{
	struct task *p;

	start("3.3");
	p = sleeper(1);
	hand_rq(&h, 1)->switching_out = p;
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_int_equal(h.waits, 1);
	hand_rq(&h, 1)->switching_out = NULL;
	hand_free(&h);

	/* over already, but later than the waker's present */
	h.waits = 0;
	start("3.3");
	p = sleeper(1);
	assert_ptr_equal(hand_rq(&h, 1)->last_out, p);
	hand_rq(&h, 1)->switched_out.done_ns = HAND_START_NS + 500;
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_int_equal(h.waits, 1);
	assert_int_equal(hand_k(&h, 0)->now_ns, HAND_START_NS + 500);
	hand_free(&h);

	h.waits = 0;
	start("3.3");
	p = sleeper(1);
	hand_rq(&h, 1)->switched_out.done_ns = HAND_START_NS + 500;
	assert_true(sched_wake(hand_k(&h, 1), p, 0));
	assert_int_equal(h.waits, 0);
	assert_int_equal(stats(1)->ttwu_local, 1);
	hand_free(&h);
}

static struct task *pushed_meanwhile;

static void lock_after_another_push(struct kctx *k, struct klock *l)
{
	struct task *p = pushed_meanwhile;

	pushed_meanwhile = NULL;
	if (p)
		sched_wake(hand_k(&h, 0), p, 0);
	hand_lock(k, l);
}

/* The list is taken before the lock: what arrives during the wait has an interrupt of its own. */
static void test_a_push_while_the_target_waits_for_its_lock(void **state)
{
	struct port_ops port = hand_port;
	struct task *first, *second;

	start("3.3");
	first = sleeper(2);
	second = sleeper(2);
	port.lock = lock_after_another_push;
	hand_k(&h, 2)->port = &port;
	clear_counts();
	sched_wake(hand_k(&h, 0), first, 0);
	pushed_meanwhile = second;
	sched_ipi(hand_k(&h, 2));
	assert_int_equal(h.ipis[2], 2);
	assert_true(first->se.on_rq);
	assert_false(second->se.on_rq);
	assert_ptr_equal(hand_rq(&h, 2)->wake_list, second);
	sched_ipi(hand_k(&h, 2));
	assert_true(second->se.on_rq);
	hand_free(&h);
}

/* A plain reschedule interrupt takes no lock; a kick for balancing does, with an empty list. */
static void test_locks_of_an_interrupt(void **state)
{
	start("3.3");
	clear_counts();
	sched_ipi(hand_k(&h, 2));
	assert_int_equal(h.locks_taken, 0);
	assert_false(sched_softirq_pending(hand_k(&h, 2)));
	hand_rq(&h, 2)->nohz_kicked = true;
	sched_ipi(hand_k(&h, 2));
	assert_int_equal(h.locks_taken, 1);
	assert_true(sched_softirq_pending(hand_k(&h, 2)));
	assert_true(hand_rq(&h, 2)->idle_at_tick);
	hand_free(&h);
}

/* The parent's own lock and the target's; never a list, not counted as a wake-up. */
static void test_a_fork_takes_two_locks(void **state)
{
	struct task_attr attr = {.nice = 0};
	struct task *p;

	start("3.3");
	hand_tasks(&h, 1, 1);
	memset(&hand_rq(&h, 0)->stats, 0, sizeof(struct rq_stats));
	clear_counts();
	p = sched_new_task(hand_k(&h, 0), hand_rq(&h, 0)->curr, &attr, &h.m->groups_mem[0]);
	sched_wake_up_new(hand_k(&h, 0), p);
	/* ties: the second of the idle socket */
	assert_int_equal(p->cpu, 3);
	assert_int_equal(h.locks_taken, 2);
	assert_int_equal(hand_rq(&h, 3)->lock.acquired_count, 1);
	assert_int_equal(stats(0)->ttwu_count, 0);
	assert_true(p->se.on_rq);
	hand_free(&h);
}

/* A CPU with something on its list does not idle, whatever it runs. */
static void test_a_tick_with_a_pending_list_is_not_idle(void **state)
{
	struct task *p;

	start("3.3");
	p = sleeper(2);
	sched_tick(hand_k(&h, 2));
	assert_true(hand_rq(&h, 2)->idle_at_tick);
	sched_wake(hand_k(&h, 0), p, 0);
	sched_tick(hand_k(&h, 2));
	assert_false(hand_rq(&h, 2)->idle_at_tick);
	hand_free(&h);
}

/* Domains decide who shares a cache: without one above it a CPU is alone. */
static void test_a_cpu_without_a_cache_domain_shares_with_nobody(void **state)
{
	struct task *p;

	start("3.3");
	p = sleeper(1);
	hand_sd(&h, 0, 0)->flags &= ~(uint32_t)SD_SHARE_PKG_RESOURCES;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_ptr_equal(hand_rq(&h, 1)->wake_list, p);
	hand_free(&h);
}

/* The clock that a sleeper is placed by is that of its wake-up, whoever queues it. */
static void test_a_wake_up_samples_the_clock(void **state)
{
	static const char *const later[] = {"3.4", "5.4", "5.5"};

	for (int v = 0; v < 3; v++) {
		struct task *near, *far;

		start(later[v]);
		near = sleeper(1);
		far = sleeper(2);
		hand_at(&h, 50 * NS_PER_MS);
		sched_wake(hand_k(&h, 0), near, 0);
		assert_int_equal(hand_rq(&h, 1)->clock_ns, HAND_START_NS + 50 * NS_PER_MS);
		sched_wake(hand_k(&h, 0), far, 0);
		hand_at(&h, 51 * NS_PER_MS);
		sched_ipi(hand_k(&h, 2));
		assert_int_equal(hand_rq(&h, 2)->clock_ns, HAND_START_NS + 51 * NS_PER_MS);
		hand_free(&h);
	}
}

/* One that is woken before it has left its queue: what its CPU runs is measured to now. */
static void test_waking_what_is_queued_samples_the_clock(void **state)
{
	struct task *p;

	start("5.4");
	p = hand_task(&h, 1, 0);
	sched_schedule(hand_k(&h, 1));
	hand_rq(&h, 1)->curr->state = TASK_INTERRUPTIBLE;
	hand_at(&h, 3 * NS_PER_MS);
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_int_equal(hand_rq(&h, 1)->clock_ns, HAND_START_NS + 3 * NS_PER_MS);
	hand_free(&h);
}

/* Up to 5.5 the one pushed last goes first; whoever is queued last heads the list of tasks. */
static void test_the_order_of_the_wake_list(void **state)
{
	static const char *const names[] = {"5.5", "6.1", "6.1,-wake-list-fifo"};

	for (int v = 0; v < 3; v++) {
		struct task *p[3];

		start(names[v]);
		for (int i = 0; i < 3; i++)
			p[i] = sleeper(2);
		for (int i = 0; i < 3; i++)
			sched_wake(hand_k(&h, 0), p[i], 0);
		hand_rq(&h, 2)->polls = false;
		sched_ipi(hand_k(&h, 2));
		for (int i = 0; i < 3; i++)
			assert_true(p[i]->se.on_rq);
		assert_ptr_equal(hand_rq(&h, 2)->cfs_tasks.next,
				 v == 1 ? &p[2]->lb_node : &p[0]->lb_node);
		hand_free(&h);
	}
}

/* A near CPU that has nothing to run queues the task itself; one that has something does not. */
static void test_an_idle_neighbour_is_told_by_its_list(void **state)
{
	static const struct {
		const char *kernel;
		bool busy, listed;
	} rows[] = {
		{"5.5", false, false},
		{"6.1", false, true},
		{"6.1", true, false},
		{"6.1,-wake-list-idle", false, false},
		{"6.1,NO_TTWU_QUEUE", false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;
		struct task *p;

		start(rows[i].kernel);
		p = sleeper(1);
		rq = hand_rq(&h, 1);
		if (rows[i].busy)
			hand_tasks(&h, 1, 1);
		clear_counts();
		assert_true(sched_wake(hand_k(&h, 0), p, 0));
		assert_ptr_equal(rq->wake_list, rows[i].listed ? p : NULL);
		assert_int_equal(h.locks_taken, !rows[i].listed);
		assert_int_equal(p->se.on_rq, !rows[i].listed);
		/* it idles: its need_resched is set */
		assert_int_equal(h.ipis[1], !rows[i].busy);
		if (rows[i].listed)
			k_leaves_idle(1);
		assert_true(p->se.on_rq);
		hand_free(&h);
	}
}

/*
 * A task of CPU 1 is woken while it is being switched out. It is left to that CPU if nothing else
 * runs there; up to 5.5 the waker waits and then chooses a CPU.
 */
static void test_a_task_that_is_switching_out_is_left_to_its_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t others; /* tasks queued on CPU 1 */
		bool is_over;    /* the switch, but later than the waker's present */
		bool left;
	} rows[] = {
		{"5.5", 0, false, false},
		{"6.1", 0, false, true},
		{"6.1", 0, true, true},
		{"6.1", 1, false, false},
		{"6.1,-wake-list-idle", 0, false, true},
		{"6.1,-wake-list-idle", 1, false, true},
		{"6.1,-wake-list-idle", 2, false, false},
		{"6.1,-wake-list-idle,-wake-list-switching", 0, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct rq *rq;

		start(rows[i].kernel);
		p = sleeper(1);
		rq = hand_rq(&h, 1);
		if (rows[i].others)
			hand_tasks(&h, 1, rows[i].others);
		h.waits = 0;
		if (rows[i].is_over) {
			rq->last_out = p;
			rq->switched_out.done_ns = HAND_START_NS + 500;
		} else {
			rq->switching_out = p;
		}
		assert_true(sched_wake(hand_k(&h, 0), p, 0));
		assert_ptr_equal(rq->wake_list, rows[i].left ? p : NULL);
		assert_int_equal(h.waits, !rows[i].left);
		assert_int_equal(p->cpu, 1);
		assert_int_equal(stats(0)->ttwu_count, 1);
		rq->switching_out = NULL;
		if (rows[i].left)
			sched_ipi(hand_k(&h, 1));
		assert_true(p->se.on_rq);
		hand_free(&h);
	}
}

/* CPUs 0 and 1 are of two caches: then it is left to its CPU in any case. */
static void test_a_far_task_that_is_switching_out_is_left_to_its_cpu(void **state)
{
	struct task *p;

	start("6.1");
	p = sleeper(2);
	hand_tasks(&h, 2, 3);
	h.waits = 0;
	hand_rq(&h, 2)->switching_out = p;
	assert_true(sched_wake(hand_k(&h, 0), p, 0));
	assert_ptr_equal(hand_rq(&h, 2)->wake_list, p);
	assert_int_equal(h.waits, 0);
	hand_rq(&h, 2)->switching_out = NULL;
	sched_ipi(hand_k(&h, 2));
	hand_free(&h);
}

/* An idle time of 9 ms, the average being 1 ms at most (twice what balancing costs). */
static void test_the_average_idle_time(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t before_ns, idle_ns, after_ns;
	} rows[] = {
		{"3.4", 200000, 9000000, 1000000},
		{"5.4", 200000, 9000000, 1000000},
		/* 1.2 ms: all of it at once, or an eighth of the difference */
		{"3.4", 200000, 1200000, 1000000},
		{"5.4", 200000, 1200000, 325000},
		{"5.4", 200000, 40000, 180000},
		/* a difference of -7: an eighth is -1, or nothing */
		{"5.4", 200000, 199993, 199999},
		{"6.1", 200000, 199993, 200000},
		{"6.1,-avg-idle-aged", 200000, 199993, 199999},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;
		struct rq *rq;

		start(rows[i].kernel);
		p = sleeper(1);
		rq = hand_rq(&h, 1);
		rq->avg_idle_ns = rows[i].before_ns;
		rq->idle_stamp_ns = rq->clock_ns;
		hand_at(&h, rows[i].idle_ns);
		sched_wake(hand_k(&h, 0), p, 0);
		if (rq->wake_list)
			k_leaves_idle(1);
		assert_int_equal(rq->avg_idle_ns, rows[i].after_ns);
		if (kver_has(&h.v, FEAT_AVG_IDLE_AGED))
			assert_int_equal(rq->wake_avg_idle_ns, rows[i].after_ns / 2);
		assert_int_equal(rq->idle_stamp_ns, 0);
		hand_free(&h);
	}
}

/* With a second task a CPU has something to give, and others may go and look. */
static void test_a_second_task_is_an_overload(void **state)
{
	start("5.4");
	assert_false(h.m->rd.overload);
	hand_tasks(&h, 1, 1);
	assert_false(h.m->rd.overload);
	hand_tasks(&h, 1, 1);
	assert_true(h.m->rd.overload);
	hand_free(&h);
}

/* CPU 1 idles: what comes from CPU 0 is left to it, a stopper is not from 6.12 on. */
static void test_a_stopper_is_woken_under_the_lock(void **state)
{
	static const struct {
		const char *kernel;
		bool listed;
	} rows[] = {{"6.1", true}, {"6.12", false}, {"6.12,-wake-list-not-stop", true}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rq *rq;

		start(rows[i].kernel);
		rq = hand_rq(&h, 1);
		wake_stopper(hand_k(&h, 0), 1);
		assert_ptr_equal(rq->wake_list, rows[i].listed ? rq->stop : NULL);
		assert_int_equal(rq->stop->se.on_rq, !rows[i].listed);
		if (rows[i].listed)
			k_leaves_idle(1);
		hand_free(&h);
	}
}

/* A task that was about to sleep goes on; its CPU's idle time is none of this wake-up's business. */
static void test_a_task_that_did_not_sleep_yet_is_only_made_runnable(void **state)
{
	static const char *const names[] = {"6.1", "6.12"};

	for (int i = 0; i < 2; i++) {
		struct rq *rq;

		start(names[i]);
		hand_tasks(&h, 1, 1);
		rq = hand_rq(&h, 1);
		rq->idle_stamp_ns = 1000;
		sched_set_sleeping(hand_k(&h, 1));
		assert_true(sched_wake(hand_k(&h, 0), rq->curr, 0));
		assert_int_equal(rq->curr->state, TASK_RUNNING);
		assert_int_equal(rq->idle_stamp_ns, i ? 1000 : 0);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_cache_is_told_through_a_list),
		cmocka_unit_test(test_the_own_cache_is_told_by_lock),
		cmocka_unit_test(test_without_the_feature_every_cpu_is_told_by_lock),
		cmocka_unit_test(test_waking_what_is_about_to_sleep),
		cmocka_unit_test(test_waiting_for_the_task_to_leave_its_cpu),
		cmocka_unit_test(test_a_push_while_the_target_waits_for_its_lock),
		cmocka_unit_test(test_locks_of_an_interrupt),
		cmocka_unit_test(test_a_fork_takes_two_locks),
		cmocka_unit_test(test_a_tick_with_a_pending_list_is_not_idle),
		cmocka_unit_test(test_a_cpu_without_a_cache_domain_shares_with_nobody),
		cmocka_unit_test(test_a_wake_up_samples_the_clock),
		cmocka_unit_test(test_waking_what_is_queued_samples_the_clock),
		cmocka_unit_test(test_the_order_of_the_wake_list),
		cmocka_unit_test(test_an_idle_neighbour_is_told_by_its_list),
		cmocka_unit_test(test_a_task_that_is_switching_out_is_left_to_its_cpu),
		cmocka_unit_test(test_a_far_task_that_is_switching_out_is_left_to_its_cpu),
		cmocka_unit_test(test_the_average_idle_time),
		cmocka_unit_test(test_a_second_task_is_an_overload),
		cmocka_unit_test(test_a_stopper_is_woken_under_the_lock),
		cmocka_unit_test(test_a_task_that_did_not_sleep_yet_is_only_made_runnable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
