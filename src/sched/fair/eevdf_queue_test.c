/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dequeue that waits: delayed tasks and groups, how they are woken, moved, taken off. */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/eevdf.h"
#include "sched/hand_machine.h"

static struct hand h;
static struct kctx *k;
static struct rq *rq;
static struct cfs_rq *q;
static const struct task_attr nice_0 = {.nice = 0};

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 2, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
	q = rq->cfs;
}

/* The first of two tasks of TG runs for NS and goes to sleep in debt; another waits. */
static struct task *sleeper_in_debt(struct task_group *tg, uint64_t ns)
{
	struct task *p;

	hand_task_in(&h, 0, &nice_0, tg);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(k);
	p = rq->curr;
	hand_at(&h, ns);
	hand_sleep(&h, 0);
	return p;
}

static void test_a_sleeper_in_debt_stays_and_is_counted_apart(void **state)
{
	struct task *p;

	start("6.12");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	assert_true(p->se.sched_delayed);
	assert_true(p->se.on_rq);
	assert_int_equal(p->state, TASK_INTERRUPTIBLE);
	assert_ptr_not_equal(rq->curr, p);
	assert_int_equal(q->nr_running, 2);
	assert_int_equal(q->h_nr_running, 2);
	assert_int_equal(q->h_nr_delayed, 1);
	assert_int_equal(rq->nr_running, 2);
	/* it slept of its own will and does not wait */
	assert_int_equal(p->stats.nr_switches_voluntary, 1);
	assert_int_equal(h.last[RECORD_SWITCH].c, 0);
	assert_int_equal(h.nrecords[RECORD_BLOCK], 1);
	hand_free(&h);
	start("6.12,NO_DELAY_DEQUEUE");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	assert_false(p->se.on_rq);
	assert_int_equal(q->h_nr_running, 1);
	assert_int_equal(p->se.vlag_vns, -500000);
	hand_free(&h);
}

static void test_a_sleeper_without_debt_leaves(void **state)
{
	struct task *p;

	start("6.12");
	hand_tasks(&h, 0, 2);
	p = rq->curr;
	hand_sleep(&h, 0);
	assert_false(p->se.on_rq);
	assert_int_equal(q->h_nr_delayed, 0);
	assert_int_equal(rq->nr_running, 1);
	hand_free(&h);
}

static void test_who_ends_leaves_whatever_its_debt(void **state)
{
	struct task *p;

	start("6.12");
	hand_tasks(&h, 0, 2);
	p = rq->curr;
	hand_at(&h, NS_PER_MS);
	sched_exit(k);
	assert_int_equal(p->state, TASK_DEAD);
	assert_false(p->se.on_rq);
	assert_int_equal(rq->nr_running, 1);
	hand_free(&h);
}

/* When its debt is paid back and it is picked, it goes, and has earned nothing. */
static void test_who_is_picked_asleep_is_taken_off(void **state)
{
	static const struct {
		const char *kernel;
		bool keeps_more;
	} rows[] = {{"6.12", false}, {"6.12,NO_DELAY_ZERO", true}};

	for (int i = 0; i < 2; i++) {
		struct task *p;

		start(rows[i].kernel);
		p = sleeper_in_debt(NULL, NS_PER_MS);
		hand_at(&h, 8 * NS_PER_MS);
		sched_tick(k);
		sched_schedule(k);
		assert_false(p->se.on_rq);
		assert_false(p->se.sched_delayed);
		assert_int_equal(rq->nr_running, 1);
		assert_int_equal(q->h_nr_delayed, 0);
		if (rows[i].keeps_more)
			assert_true(p->se.vlag_vns > 0);
		else
			assert_int_equal(p->se.vlag_vns, 0);
		hand_free(&h);
	}
}

/* The other CPU idles, but nobody chooses it: the task is queued already. */
static void test_a_delayed_task_is_woken_where_it_is(void **state)
{
	struct task *p;
	uint64_t v;

	start("6.12");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	v = p->se.vruntime_vns;
	hand_count_locks(&h);
	assert_true(sched_wake(hand_k(&h, 1), p, 0));
	assert_int_equal(p->cpu, 0);
	assert_int_equal(p->state, TASK_RUNNING);
	assert_false(p->se.sched_delayed);
	assert_int_equal(q->h_nr_delayed, 0);
	assert_int_equal(q->h_nr_running, 2);
	/* still in debt: it keeps its place */
	assert_int_equal(p->se.vruntime_vns, v);
	assert_int_equal(h.nrecords[RECORD_WAKE], 1);
	assert_int_equal(h.last[RECORD_WAKE].b, 0);
	hand_free(&h);
}

/* Woken after the debt was paid back but before it was picked: its lag is 0 again. */
static void test_a_delayed_task_has_earned_nothing_when_it_is_woken(void **state)
{
	static const struct {
		const char *kernel;
		bool moved;
	} rows[] = {{"6.12", true}, {"6.12,NO_DELAY_ZERO", false}};

	for (int i = 0; i < 2; i++) {
		struct task *p;
		uint64_t v;

		start(rows[i].kernel);
		p = sleeper_in_debt(NULL, NS_PER_MS);
		v = p->se.vruntime_vns;
		hand_at(&h, 8 * NS_PER_MS);
		sched_tick(k);
		sched_wake(hand_k(&h, 1), p, 0);
		assert_int_equal(p->se.vruntime_vns != v, rows[i].moved);
		if (rows[i].moved)
			assert_true(delta_s64(p->se.vruntime_vns, v) > 0);
		hand_free(&h);
	}
}

static void test_a_delayed_task_is_moved_asleep(void **state)
{
	struct task *p;

	start("6.12");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	p->migrating = true;
	deactivate_task(k, rq, p, 0);
	assert_int_equal(q->h_nr_delayed, 0);
	assert_int_equal(q->h_nr_running, 1);
	set_task_cpu(k, p, 1);
	activate_task(hand_k(&h, 1), hand_rq(&h, 1), p, 0);
	p->migrating = false;
	assert_true(p->se.sched_delayed);
	assert_int_equal(hand_rq(&h, 1)->cfs->h_nr_delayed, 1);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 1);
	/* what it is to remember stays with where it slept */
	assert_int_equal(h.nrecords[RECORD_WAIT_START], 2);
	/* the first to be picked there is it, and it is taken off */
	sched_schedule(hand_k(&h, 1));
	assert_false(p->se.on_rq);
	assert_ptr_equal(hand_rq(&h, 1)->curr, hand_rq(&h, 1)->idle);
	hand_free(&h);
}

static struct task *traveller;
static uint32_t nlooks;

/* The mover gets to the task's new queue after the waker saw that the task is on none. */
static void arrives(struct hand *hand, struct kctx *waker, struct klock *l)
{
	/* the second look is that between two tries to lock its queue */
	if (l || waker->cpu->id != 0 || nlooks++ != 1)
		return;
	activate_task(hand_k(hand, 1), hand_rq(hand, 1), traveller, 0);
	traveller->migrating = false;
}

/* It is on its way from queue to queue: its waker waits and does not choose a CPU. */
static void test_a_delayed_task_on_its_way_is_woken_where_it_arrives(void **state)
{
	struct task *p;

	start("6.12");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	p->migrating = true;
	deactivate_task(k, rq, p, 0);
	set_task_cpu(k, p, 1);
	traveller = p;
	nlooks = 0;
	h.before = arrives;
	assert_true(sched_wake(k, p, 0));
	assert_false(p->migrating);
	assert_int_equal(p->cpu, 1);
	assert_int_equal(p->state, TASK_RUNNING);
	assert_true(p->se.on_rq);
	assert_false(p->se.sched_delayed);
	assert_int_equal(hand_rq(&h, 1)->nr_running, 1);
	assert_int_equal(hand_rq(&h, 1)->cfs->h_nr_delayed, 0);
	hand_free(&h);
}

static void test_a_delayed_task_that_is_changed_stays_delayed(void **state)
{
	struct task *p;

	start("6.12");
	p = sleeper_in_debt(NULL, NS_PER_MS);
	sched_set_nice(k, p, 5);
	assert_true(p->se.sched_delayed);
	assert_int_equal(q->h_nr_delayed, 1);
	/* another class does not know of it */
	hand_policy(&h, 0, p, POLICY_FIFO, 10);
	assert_false(p->se.on_rq);
	assert_int_equal(q->h_nr_delayed, 0);
	assert_int_equal(rq->nr_running, 1);
	hand_free(&h);
}

/* ---- groups ----------------------------------------------------------------------------------- */

/* The last task of a group goes; the group owes its time and stays, without a task. */
static void test_an_empty_group_may_stay(void **state)
{
	struct task_attr here = {.nice = 0};
	struct task_group *tg;
	struct task *p;

	start("6.12");
	here.cpus = hand_cpus(&h, 1);
	tg = hand_group(&h, NULL, "/a");
	p = hand_task_in(&h, 0, &here, tg);
	sched_schedule(k);
	hand_task(&h, 0, 0);
	hand_at(&h, NS_PER_MS);
	hand_sleep(&h, 0);
	assert_false(p->se.on_rq);
	assert_true(tg->se[0].on_rq);
	assert_true(tg->se[0].sched_delayed);
	assert_int_equal(q->nr_running, 2);
	assert_int_equal(q->h_nr_running, 1);
	assert_int_equal(q->h_nr_delayed, 0);
	assert_int_equal(rq->nr_running, 1);
	sched_audit(h.m);
	/* a task comes back to it */
	sched_wake(hand_k(&h, 0), p, 0);
	assert_false(tg->se[0].sched_delayed);
	assert_int_equal(q->nr_running, 2);
	assert_int_equal(rq->nr_running, 2);
	hand_free(&h);
}

static void test_an_empty_group_that_is_picked_is_taken_off(void **state)
{
	struct task_group *tg;

	start("6.12");
	tg = hand_group(&h, NULL, "/a");
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(k);
	hand_task(&h, 0, 0);
	hand_at(&h, NS_PER_MS);
	hand_sleep(&h, 0);
	hand_at(&h, 8 * NS_PER_MS);
	sched_tick(k);
	sched_schedule(k);
	assert_false(tg->se[0].on_rq);
	assert_int_equal(q->nr_running, 1);
	assert_int_equal(rq->nr_running, 1);
	hand_free(&h);
}

static void test_a_delayed_task_counts_on_all_levels(void **state)
{
	struct task_group *tg, *below;

	start("6.12");
	tg = hand_group(&h, NULL, "/a");
	below = hand_group(&h, tg, "/a/b");
	sleeper_in_debt(below, NS_PER_MS);
	assert_int_equal(below->cfs_rq[0].h_nr_delayed, 1);
	assert_int_equal(tg->cfs_rq[0].h_nr_delayed, 1);
	assert_int_equal(q->h_nr_delayed, 1);
	hand_free(&h);
}

static void test_a_group_has_the_shortest_slice_of_its_tasks(void **state)
{
	struct task_attr brief = {.slice_ns = NS_PER_MS / 5}, longer = {.slice_ns = 7 * NS_PER_MS};
	struct task_group *tg, *below;

	start("6.12");
	tg = hand_group(&h, NULL, "/a");
	below = hand_group(&h, tg, "/a/b");
	hand_task_in(&h, 0, &longer, below);
	assert_int_equal(below->se[0].slice_ns, 7 * NS_PER_MS);
	assert_int_equal(tg->se[0].slice_ns, 7 * NS_PER_MS);
	hand_task_in(&h, 0, &brief, below);
	assert_int_equal(below->se[0].slice_ns, NS_PER_MS / 5);
	assert_int_equal(tg->se[0].slice_ns, NS_PER_MS / 5);
	sched_schedule(k);
	hand_sleep(&h, 0);
	assert_int_equal(below->cfs_rq[0].nr_running, 1);
	assert_int_equal(tg->se[0].slice_ns, cfs_rq_min_slice(&below->cfs_rq[0]));
	hand_free(&h);
	start("6.12,-group-min-slice");
	tg = hand_group(&h, NULL, "/a");
	hand_task_in(&h, 0, &brief, tg);
	assert_int_equal(tg->se[0].slice_ns, h.m->tun.base_slice_ns);
	hand_free(&h);
}

/* Being throttled is no sleep. */
static void test_a_throttled_group_does_not_stay(void **state)
{
	struct task_group *tg;

	start("6.12");
	tg = hand_group(&h, NULL, "/a");
	sched_group_set_bandwidth(k, tg, 2 * NS_PER_MS, 100 * NS_PER_MS);
	hand_task_in(&h, 0, &nice_0, tg);
	sched_schedule(k);
	hand_task(&h, 0, 0);
	hand_at(&h, 3 * NS_PER_MS);
	sched_tick(k);
	sched_schedule(k);
	assert_true(tg->cfs_rq[0].bw.throttled);
	assert_false(tg->se[0].on_rq);
	assert_int_equal(q->nr_running, 1);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_sleeper_in_debt_stays_and_is_counted_apart),
		cmocka_unit_test(test_a_sleeper_without_debt_leaves),
		cmocka_unit_test(test_who_ends_leaves_whatever_its_debt),
		cmocka_unit_test(test_who_is_picked_asleep_is_taken_off),
		cmocka_unit_test(test_a_delayed_task_is_woken_where_it_is),
		cmocka_unit_test(test_a_delayed_task_has_earned_nothing_when_it_is_woken),
		cmocka_unit_test(test_a_delayed_task_is_moved_asleep),
		cmocka_unit_test(test_a_delayed_task_on_its_way_is_woken_where_it_arrives),
		cmocka_unit_test(test_a_delayed_task_that_is_changed_stays_delayed),
		cmocka_unit_test(test_an_empty_group_may_stay),
		cmocka_unit_test(test_an_empty_group_that_is_picked_is_taken_off),
		cmocka_unit_test(test_a_delayed_task_counts_on_all_levels),
		cmocka_unit_test(test_a_group_has_the_shortest_slice_of_its_tasks),
		cmocka_unit_test(test_a_throttled_group_does_not_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
