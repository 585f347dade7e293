/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where deadline tasks wake, are pushed and pulled. Periods in ms stand for deadlines. */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

#define MS NS_PER_MS
#define T0 HAND_START_NS

static struct hand h;

/* A task due MS_LATER from now, made on CPU and run there if it may. */
static struct task *due(uint32_t cpu, uint64_t ms_later)
{
	struct task *p = hand_dl_task(&h, cpu, 1, ms_later, ms_later);

	for (uint32_t i = 0; i < h.m->ncpus; i++)
		if (hand_rq(&h, i)->curr->need_resched)
			sched_schedule(hand_k(&h, i));
	return p;
}

static struct task *curr(uint32_t cpu)
{
	return hand_rq(&h, cpu)->curr;
}

static void wake(uint32_t cpu, struct task *p)
{
	sched_wake(hand_k(&h, cpu), p, 0);
	for (uint32_t i = 0; i < h.m->ncpus; i++)
		if (hand_rq(&h, i)->curr->need_resched)
			sched_schedule(hand_k(&h, i));
}

static void test_later_task_is_pushed_to_a_free_cpu(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	a = due(0, 20);
	b = due(0, 30);
	assert_ptr_equal(curr(0), a);
	assert_ptr_equal(curr(1), b);
	assert_int_equal(h.nrecords[RECORD_MIGRATE], 1);
	assert_int_equal(h.last[RECORD_MIGRATE].a, b->id);
	assert_int_equal(h.last[RECORD_MIGRATE].b, 0);
	assert_int_equal(h.last[RECORD_MIGRATE].c, 1);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 5);
	hand_free(&h);
}

/*
 * CPU 0: due 20     CPU 1: due 50     new on CPU 0: due 40, which CPU 1 runs first.
 */
static void test_task_is_pushed_to_the_latest_deadline(void **state)
{
	struct task *a, *b, *c, *d;

	hand_init(&h, "3.19", 1, 3, 1);
	a = due(0, 20);
	b = due(1, 50);
	c = due(2, 45);
	d = due(0, 40);
	assert_ptr_equal(curr(0), a);
	assert_ptr_equal(curr(1), d);
	assert_ptr_equal(curr(2), c);
	/* b is not early enough for any CPU */
	assert_int_equal(b->cpu, 1);
	assert_true(b->dl->is_pushable);
	assert_true(hand_rq(&h, 1)->dl.overloaded);
	assert_int_equal(h.m->rd.dlo_count, 1);
	hand_free(&h);
}

static void test_task_that_is_later_than_all_waits(void **state)
{
	struct task *b;

	hand_init(&h, "3.19", 1, 2, 1);
	due(0, 20);
	due(1, 50);
	b = due(0, 60);
	assert_int_equal(b->cpu, 0);
	assert_int_equal(h.nrecords[RECORD_MIGRATE], 0);
	hand_free(&h);
}

/* The new one is due first: the running one gives way and is pushed after the switch. */
static void test_preempted_task_is_pushed_after_the_switch(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	a = due(0, 20);
	b = due(0, 10);
	assert_ptr_equal(curr(0), b);
	sched_schedule(hand_k(&h, 1));
	assert_ptr_equal(curr(1), a);
	hand_free(&h);
}

static void test_cpu_whose_task_sleeps_pulls_what_waits_elsewhere(void **state)
{
	struct task *b;
	int64_t runtime_ns;
	uint64_t deadline_ns;

	hand_init(&h, "3.19", 1, 2, 1);
	due(0, 20);
	b = due(1, 50);
	hand_at(&h, MS / 2);
	due(1, 30);
	assert_false(task_is_running(hand_rq(&h, 1), b));
	runtime_ns = b->dl->runtime_ns;
	deadline_ns = b->dl->deadline_ns;
	assert_int_equal(runtime_ns, MS / 2);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), b);
	assert_int_equal(h.last[RECORD_MIGRATE].d, 6);
	/* what it had it keeps */
	assert_int_equal(b->dl->runtime_ns, runtime_ns);
	assert_int_equal(b->dl->deadline_ns, deadline_ns);
	assert_int_equal(b->stats.nr_migrations, 1);
	assert_false(hand_rq(&h, 1)->dl.overloaded);
	hand_free(&h);
}

/* What waits there is later than what is left here. */
static void test_nothing_is_pulled_that_would_not_run(void **state)
{
	struct task *here, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	b = due(1, 80);
	due(0, 20);
	due(1, 30);
	here = due(0, 70);
	assert_int_equal(here->cpu, 0);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), here);
	assert_int_equal(b->cpu, 1);
	hand_free(&h);
}

/* Two CPUs have something; the earlier one is taken last and runs. */
static void test_pull_takes_the_earliest_of_all(void **state)
{
	struct task *b, *c;

	hand_init(&h, "3.19", 1, 3, 1);
	b = due(1, 80);
	c = due(2, 70);
	due(0, 20);
	due(1, 30);
	due(2, 40);
	assert_int_equal(h.m->rd.dlo_count, 2);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), c);
	/* the first was taken on the way, and was pushed nowhere */
	assert_int_equal(b->cpu, 0);
	hand_free(&h);
}

static void test_cpu_whose_last_deadline_task_leaves_the_class_pulls(void **state)
{
	struct task *b, *c;

	hand_init(&h, "3.19", 1, 2, 1);
	due(0, 20);
	c = due(1, 50);
	b = due(0, 60);
	assert_int_equal(b->cpu, 0);
	hand_policy(&h, 1, c, POLICY_NORMAL, 0);
	assert_int_equal(b->cpu, 1);
	assert_true(c->need_resched);
	sched_schedule(hand_k(&h, 1));
	assert_ptr_equal(curr(1), b);
	hand_free(&h);
}

static void test_woken_task_looks_for_another_cpu_if_its_own_is_taken(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 3, 1);
	b = due(0, 50);
	hand_sleep(&h, 0);
	hand_at(&h, MS);
	a = due(0, 20);
	wake(0, b);
	assert_ptr_equal(curr(0), a);
	assert_int_equal(h.last[RECORD_WAKE].b, b->cpu);
	assert_int_not_equal(b->cpu, 0);
	assert_ptr_equal(curr(b->cpu), b);
	assert_int_equal(h.nrecords[RECORD_MIGRATE], 0);
	hand_free(&h);
}

static void test_woken_task_that_is_due_first_stays(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 3, 1);
	b = due(0, 20);
	hand_sleep(&h, 0);
	hand_at(&h, MS);
	a = due(0, 50);
	wake(0, b);
	assert_ptr_equal(curr(0), b);
	/* and the other one goes */
	assert_int_not_equal(a->cpu, 0);
	hand_free(&h);
}

/* Two nodes: the free CPU of the same one is taken, though its number is higher. */
static void test_near_cpus_are_preferred(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 2, 2, 1);
	due(2, 20);
	p = due(2, 30);
	assert_int_equal(p->cpu, 3);
	hand_free(&h);
}

static void test_replenished_task_is_pushed_if_its_cpu_is_taken(void **state)
{
	struct task *a, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	a = due(0, 20);
	hand_at(&h, MS);
	sched_tick(hand_k(&h, 0));
	sched_schedule(hand_k(&h, 0));
	assert_true(a->dl->throttled);
	b = due(0, 30);
	assert_ptr_equal(curr(0), b);
	hand_at(&h, 20 * MS);
	hand_fire(&h, ktimer_replenish(a->id));
	/* due at 40, after b's 31 */
	assert_int_equal(a->cpu, 1);
	assert_true(a->dl->queued);
	hand_free(&h);
}

/* To cpupri a CPU with deadline tasks is one without real-time tasks: CPU 0 will do, CPU 1 idles. */
static void test_real_time_task_behind_a_deadline_task_is_not_pushed(void **state)
{
	struct task *rt;

	hand_init(&h, "3.19", 1, 2, 1);
	due(0, 20);
	rt = hand_rt_task(&h, 0, 99);
	assert_int_equal(rt->cpu, 0);
	assert_ptr_equal(curr(1), hand_rq(&h, 1)->idle);
	hand_free(&h);
}

/* A deadline task sleeps and leaves its CPU to a real-time task that waits elsewhere. */
static void test_leaving_deadline_task_pulls_real_time_ones(void **state)
{
	struct task *rt, *b;

	hand_init(&h, "3.19", 1, 2, 1);
	due(0, 20);
	b = hand_rt_task(&h, 1, 50);
	sched_schedule(hand_k(&h, 1));
	rt = hand_rt_task(&h, 1, 40);
	/* cpupri does not know of deadline tasks: it went to CPU 0, behind one */
	assert_int_equal(rt->cpu, 0);
	hand_sleep(&h, 0);
	assert_ptr_equal(curr(0), rt);
	assert_ptr_equal(curr(1), b);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_later_task_is_pushed_to_a_free_cpu),
		cmocka_unit_test(test_task_is_pushed_to_the_latest_deadline),
		cmocka_unit_test(test_task_that_is_later_than_all_waits),
		cmocka_unit_test(test_preempted_task_is_pushed_after_the_switch),
		cmocka_unit_test(test_cpu_whose_task_sleeps_pulls_what_waits_elsewhere),
		cmocka_unit_test(test_nothing_is_pulled_that_would_not_run),
		cmocka_unit_test(test_pull_takes_the_earliest_of_all),
		cmocka_unit_test(test_cpu_whose_last_deadline_task_leaves_the_class_pulls),
		cmocka_unit_test(test_woken_task_looks_for_another_cpu_if_its_own_is_taken),
		cmocka_unit_test(test_woken_task_that_is_due_first_stays),
		cmocka_unit_test(test_near_cpus_are_preferred),
		cmocka_unit_test(test_replenished_task_is_pushed_if_its_cpu_is_taken),
		cmocka_unit_test(test_real_time_task_behind_a_deadline_task_is_not_pushed),
		cmocka_unit_test(test_leaving_deadline_task_pulls_real_time_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
