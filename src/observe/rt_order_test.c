/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three CPUs, filled by hand. Task 1 (priority 20) runs on CPU 0 and task 2 (50)
 * waits there; CPU 1 runs task 3 (10), CPU 2 task 4 (10). Bound 1000 ns. Tests break the order.
 */
#include "support.h"

#include <string.h>

#include "observe/hand_machine.h"
#include "observe/rt_order.h"

#define CPUS 3u
#define BOUND_NS 1000u

static struct hand_machine hand;
static struct machine *m;
static struct rt_order *o;
static struct prices prices;

static struct task *task(uint32_t id)
{
	return &hand.task[id - 1];
}

static void run(uint32_t cpu, struct task *p)
{
	hand.cpu[cpu].rq.curr = p;
}

static void say(uint64_t ns, uint32_t cpu, enum record_kind kind, uint64_t a, uint64_t b)
{
	const struct record r = {.time_ns = ns, .cpu = cpu, .kind = kind, .a = a, .b = b};

	o->sink.take(&o->sink, &r);
}

static void tick(uint64_t ns)
{
	say(ns, 2, RECORD_TICK, 4, 1);
}

/* P, of PRIO, joins CPU's lists; PUSHABLE: it waits. */
static void queue(struct task *p, uint32_t cpu, uint32_t prio, bool pushable)
{
	struct rt_rq *rt = &hand.cpu[cpu].rq.rt;

	p->cpu = cpu;
	p->prio = prio;
	list_add_tail(&rt->active.queue[prio], &p->rt.run_list);
	rt->active.bits[prio / 64] |= UINT64_C(1) << prio % 64;
	if (prio < rt->highest_curr)
		rt->highest_curr = prio;
	rt->nr_running++;
	rt->overloaded = rt->nr_running > 1;
	if (!pushable)
		return;
	list_add_tail(&rt->pushable.queue[prio], &p->rt.pushable_node);
	rt->pushable.bits[prio / 64] |= UINT64_C(1) << prio % 64;
}

/* FIRST of the pushable tasks of CPU 0 goes; what it leaves is not told to cpupri. */
static void unqueue(struct task *p)
{
	struct rt_rq *rt = &hand.cpu[p->cpu].rq.rt;

	list_del(&p->rt.pushable_node);
	if (list_is_empty(&rt->pushable.queue[p->prio]))
		rt->pushable.bits[p->prio / 64] &= ~(UINT64_C(1) << p->prio % 64);
}

static void init_lists(struct rt_rq *rt)
{
	memset(rt, 0, sizeof(*rt));
	for (uint32_t i = 0; i < MAX_RT_PRIO; i++) {
		list_init(&rt->active.queue[i]);
		list_init(&rt->pushable.queue[i]);
	}
	rt->highest_curr = MAX_RT_PRIO;
	rt->highest_next = MAX_RT_PRIO;
}

/* Task 2 begins to wait at 100 ns, where all is well, unless FEATURES say otherwise. */
static void start(bool push_equal, bool pull_in_pick, bool cpupri_all)
{
	struct rql_error e;

	m = hand_machine_init(&hand, CPUS);
	m->prices = &prices;
	for (uint32_t i = 0; i < CPUS; i++) {
		init_lists(&hand.cpu[i].rq.rt);
		hand.cpu[i].idle_task.prio = DEFAULT_PRIO;
	}
	if (push_equal)
		feature_set_add(&hand.kver.features, FEAT_RT_PUSH_EQUAL);
	if (pull_in_pick)
		feature_set_add(&hand.kver.features, FEAT_RT_PULL_IN_PICK);
	if (cpupri_all)
		feature_set_add(&hand.kver.features, FEAT_CPUPRI_ALL);
	o = rt_order_create(m, &e);
	assert_non_null(o);
	o->bound_ns = BOUND_NS;
	queue(task(1), 0, 20, false);
	run(0, task(1));
	queue(task(3), 1, 10, false);
	run(1, task(3));
	queue(task(4), 2, 10, false);
	run(2, task(4));
	tick(50);
}

static void waits(void)
{
	task(2)->cpu = 0;
	task(2)->prio = 50;
	say(100, 0, RECORD_WAIT_START, 2, 0);
	queue(task(2), 0, 50, true);
}

/* CPU 1 switches to its idle task; its task 3 sleeps. */
static void cpu_1_idles(uint64_t ns)
{
	struct rt_rq *rt = &hand.cpu[1].rq.rt;

	rt->nr_running = 0;
	rt->highest_curr = MAX_RT_PRIO;
	say(ns, 1, RECORD_SWITCH, 3, 0);
	run(1, &hand.cpu[1].idle_task);
}

static bool fires(uint64_t at_ns)
{
	bool bad;

	tick(at_ns);
	bad = rt_order_violation(o) != NULL;
	rt_order_free(o);
	return bad;
}

/* -- what must not be -- */

static void test_a_task_that_is_not_pulled_is_a_violation_after_the_bound(void **state)
{
	for (uint64_t late = 0; late < 2; late++) {
		start(true, true, true);
		waits();
		tick(200);
		cpu_1_idles(5000);
		assert_int_equal(fires(6000 + late), late);
	}
}

static void test_a_task_that_is_not_pushed_at_its_arrival_is_a_violation(void **state)
{
	start(true, true, true);
	run(1, &hand.cpu[1].idle_task);
	tick(60);
	waits();
	tick(200);
	assert_true(fires(1300));
}

static void test_a_task_that_is_not_pushed_after_a_switch_is_a_violation(void **state)
{
	start(true, true, true);
	waits();
	tick(200);
	/* what CPU 1 runs turns fair beside others: nobody looks */
	hand.cpu[1].rq.rt.nr_running = 2;
	task(3)->prio = 120;
	tick(300);
	tick(5000);
	assert_null(rt_order_violation(o));
	/* CPU 0 switches: it pushes */
	queue(task(5), 0, 15, false);
	say(5100, 0, RECORD_SWITCH, 1, 5);
	run(0, task(5));
	assert_true(fires(6200));
}

static void test_a_search_that_finds_nothing_although_there_is_is_a_violation(void **state)
{
	start(true, true, true);
	waits();
	tick(200);
	hand.cpu[1].rq.rt.nr_running = 2;
	task(3)->prio = 120;
	tick(300);
	hand.cpu[0].rq.rt.stats.push_searches++;
	tick(400);
	assert_true(fires(1500));
}

static void test_a_better_task_that_is_not_let_in_is_a_violation(void **state)
{
	for (uint64_t late = 0; late < 2; late++) {
		start(true, true, true);
		o->answer_ns = 3000;
		queue(task(5), 0, 5, true);
		task(1)->need_resched = true;
		tick(200);
		assert_int_equal(fires(3200 + late), late);
	}
}

static void test_the_message_names_time_task_and_cpus(void **state)
{
	start(true, true, true);
	waits();
	tick(200);
	cpu_1_idles(5000);
	tick(6500);
	assert_string_equal(rt_order_violation(o),
			    "at 6500 ns: task 2 of priority 50 waits on cpu 0 while cpu 1 runs "
			    "priority 120, since 5000 ns");
	rt_order_free(o);
}

/* -- what may be -- */

static void test_order_and_moves_in_time_are_no_violation(void **state)
{
	start(true, true, true);
	waits();
	tick(200);
	assert_false(fires(100000));

	start(true, true, true);
	waits();
	tick(200);
	cpu_1_idles(5000);
	tick(5500);
	unqueue(task(2));
	tick(5900);
	assert_int_equal(o->nowed, 1);
	assert_int_equal(o->longest_ns, 900);
	assert_false(fires(100000));
}

static void test_a_cpu_it_may_not_use_is_none(void **state)
{
	struct mask *others;

	start(true, true, true);
	others = hand_mask(&hand);
	mask_set(others, 0);
	mask_set(others, 2);
	task(2)->allowed = others;
	waits();
	tick(200);
	cpu_1_idles(5000);
	assert_false(fires(100000));
}

static void test_states_that_kernels_leave_so(void **state)
{
	/* a stopper ends on CPU 1: only some pull */
	for (int pulls = 0; pulls < 2; pulls++) {
		start(true, pulls, true);
		hand.cpu[1].stop_task.prio = 0;
		run(1, &hand.cpu[1].stop_task);
		hand.cpu[1].rq.rt.highest_curr = MAX_RT_PRIO;
		waits();
		tick(200);
		say(5000, 1, RECORD_SWITCH, 0, 0);
		run(1, &hand.cpu[1].idle_task);
		assert_int_equal(fires(7000), pulls);
	}
	/* rt_priority 98 and 99 */
	for (int all = 0; all < 2; all++) {
		start(true, true, all);
		task(1)->prio = 0;
		task(2)->cpu = 0;
		task(2)->prio = 1;
		say(100, 0, RECORD_WAIT_START, 2, 0);
		queue(task(2), 0, 1, true);
		tick(200);
		cpu_1_idles(5000);
		assert_int_equal(fires(7000), all);
	}
	/* behind an equal; CPU 1 idled before */
	for (int equal = 0; equal < 2; equal++) {
		start(equal, true, true);
		run(1, &hand.cpu[1].idle_task);
		task(1)->prio = 50;
		tick(60);
		waits();
		tick(200);
		assert_int_equal(fires(7000), equal);
	}
	/* brought by a stopper */
	start(true, true, true);
	run(1, &hand.cpu[1].idle_task);
	tick(60);
	waits();
	o->sink.take(
		&o->sink,
		&(struct record){
			.time_ns = 100, .kind = RECORD_MIGRATE, .a = 2, .b = 2, .c = 0, .d = 2});
	tick(200);
	assert_false(fires(7000));
	/* a push that lost its targets */
	start(true, true, true);
	run(1, &hand.cpu[1].idle_task);
	tick(60);
	waits();
	hand.cpu[0].rq.rt.stats.push_given_up++;
	tick(200);
	assert_false(fires(7000));
	/* behind one that has nowhere to go, and first when that is gone */
	start(true, true, true);
	run(1, &hand.cpu[1].idle_task);
	tick(60);
	task(5)->allowed = hand_mask(&hand);
	queue(task(5), 0, 30, true);
	tick(70);
	waits();
	tick(200);
	tick(3000);
	unqueue(task(5));
	tick(3100);
	assert_false(fires(7000));
}

static void test_what_is_about_to_change_or_throttled_is_not_looked_at(void **state)
{
	for (int i = 0; i < 4; i++) {
		start(true, true, true);
		waits();
		tick(200);
		hand.cpu[1].idle_task.need_resched = i == 0;
		task(1)->need_resched = i == 1;
		hand.cpu[0].rq.rt.throttled = i == 2;
		hand.cpu[1].rq.rt.throttled = i == 3;
		cpu_1_idles(5000);
		assert_false(fires(7000));
	}
}

static void test_the_bound_grows_with_cpus_and_prices(void **state)
{
	struct prices p;

	memset(&p, 0, sizeof(p));
	p.hardware.ipi_latency_ns = 240;
	p.hardware.idle_exit_ns = 1600;
	assert_int_equal(rt_order_bound_ns(&p, 4), 1840);
	p.sched_ns[WORK_SCHEDULE] = 100;
	assert_int_equal(rt_order_bound_ns(&p, 4), 1840 + 5 * 100);
	p.sched_ns[WORK_EXAMINE] = 10;
	assert_int_equal(rt_order_bound_ns(&p, 4), 1840 + 5 * (100 + 10 + 320));
	p.lock.remote_ns = 7;
	p.lock.per_waiter_ns = 1;
	assert_int_equal(rt_order_bound_ns(&p, 4), 1840 + 5 * (430 + 7 + 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_task_that_is_not_pulled_is_a_violation_after_the_bound),
		cmocka_unit_test(test_a_task_that_is_not_pushed_at_its_arrival_is_a_violation),
		cmocka_unit_test(test_a_task_that_is_not_pushed_after_a_switch_is_a_violation),
		cmocka_unit_test(test_a_search_that_finds_nothing_although_there_is_is_a_violation),
		cmocka_unit_test(test_a_better_task_that_is_not_let_in_is_a_violation),
		cmocka_unit_test(test_the_message_names_time_task_and_cpus),
		cmocka_unit_test(test_order_and_moves_in_time_are_no_violation),
		cmocka_unit_test(test_a_cpu_it_may_not_use_is_none),
		cmocka_unit_test(test_states_that_kernels_leave_so),
		cmocka_unit_test(test_what_is_about_to_change_or_throttled_is_not_looked_at),
		cmocka_unit_test(test_the_bound_grows_with_cpus_and_prices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
