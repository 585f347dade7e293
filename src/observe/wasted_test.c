/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/fixed.h"
#include "base/rng.h"
#include "observe/hand_machine.h"
#include "observe/wasted.h"

static struct hand_machine h;

static struct wasted *fresh(uint32_t ncpus)
{
	struct rql_error e;
	struct wasted *w = wasted_create(hand_machine_init(&h, ncpus), &e);

	assert_non_null(w);
	return w;
}

static void say(struct wasted *w, uint64_t time_ns, const struct record *what)
{
	struct record r = *what;

	r.time_ns = time_ns;
	assert_true((w->sink.wants >> r.kind) & 1);
	w->sink.take(&w->sink, &r);
}

static void switch_to(struct wasted *w, uint64_t time_ns, uint32_t cpu, uint64_t next,
		      uint64_t nr_running)
{
	say(w, time_ns,
	    &(struct record){.kind = RECORD_SWITCH, .cpu = cpu, .b = next, .d = nr_running});
}

static void wait_start(struct wasted *w, uint64_t time_ns, uint64_t task, uint32_t cpu)
{
	h.task[task - 1].cpu = cpu;
	say(w, time_ns, &(struct record){.kind = RECORD_WAIT_START, .a = task});
}

static void wait_end(struct wasted *w, uint64_t time_ns, uint64_t task)
{
	say(w, time_ns, &(struct record){.kind = RECORD_WAIT_END, .a = task});
}

/*	CPU 0: task 1 runs 0..100, task 2 waits 10..60;  CPU 1: idle	*/
static void test_waiting_beside_an_idle_cpu_is_wasted(void **state)
{
	struct wasted *w = fresh(2);

	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 10, 2, 0);
	wait_end(w, 60, 2);
	assert_int_equal(wasted_total_ns(w, 100), 50);
	wasted_free(w);
}

static void test_each_idle_cpu_wastes_once_however_many_wait(void **state)
{
	struct wasted *w = fresh(4);

	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 10, 2, 0);
	wait_start(w, 10, 3, 0);
	assert_int_equal(wasted_total_ns(w, 20), 30);
	wasted_free(w);
}

/* A CPU about to leave idle for the only task there is wastes nothing. */
static void test_task_waiting_on_the_idle_cpu_itself_is_no_waste(void **state)
{
	struct wasted *w = fresh(1);

	wait_start(w, 10, 1, 0);
	wait_end(w, 20, 1);
	switch_to(w, 20, 0, 1, 1);
	assert_int_equal(wasted_total_ns(w, 20), 0);
	wasted_free(w);

	/* ... but the other CPU could have it at once */
	w = fresh(2);
	wait_start(w, 10, 1, 1);
	assert_int_equal(wasted_total_ns(w, 20), 10);
	wasted_free(w);
}

static void test_no_idle_cpu_no_waste(void **state)
{
	struct wasted *w = fresh(2);

	switch_to(w, 0, 0, 1, 1);
	switch_to(w, 0, 1, 2, 1);
	wait_start(w, 5, 3, 0);
	assert_int_equal(wasted_total_ns(w, 1000), 0);
	wasted_free(w);
}

static void test_affinity_decides_where_time_is_wasted(void **state)
{
	struct wasted *w = fresh(4);
	struct mask *two = hand_mask(&h);

	mask_set(two, 0);
	mask_set(two, 2);
	h.task[1].allowed = two;
	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 10, 2, 0); /* may use CPU 2 only besides its own; 1 and 3 idle in vain */
	assert_int_equal(wasted_total_ns(w, 30), 20);
	switch_to(w, 30, 2, 3, 1);
	assert_int_equal(wasted_total_ns(w, 100), 20);
	switch_to(w, 110, 2, 0, 0);
	wait_end(w, 120, 2);
	assert_int_equal(wasted_total_ns(w, 1000), 30);
	wasted_free(w);
}

static void test_mask_as_it_was_when_the_wait_began_counts(void **state)
{
	struct wasted *w = fresh(2);
	struct mask *own = hand_mask(&h);

	mask_set(own, 0);
	h.task[1].allowed = own;
	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 10, 2, 0);
	h.task[1].allowed = h.m.online;
	wait_end(w, 30, 2);
	assert_int_equal(wasted_total_ns(w, 40), 0);
	assert_int_equal(wasted_cpus(w), 0);
	wasted_free(w);
}

static void test_cpu_that_runs_its_stopper_does_not_idle(void **state)
{
	struct wasted *w = fresh(2);

	switch_to(w, 0, 0, 1, 1);
	switch_to(w, 0, 1, 0, 1); /* to the stopper: id 0, but one task is on the queue */
	wait_start(w, 10, 2, 0);
	assert_int_equal(wasted_total_ns(w, 20), 0);
	switch_to(w, 30, 1, 0, 0);
	assert_int_equal(wasted_total_ns(w, 40), 10);
	wasted_free(w);
}

static void test_late_record_counts_as_of_the_later_time(void **state)
{
	struct wasted *w = fresh(2);

	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 100, 2, 0);
	wait_end(w, 90, 2);
	wait_start(w, 95, 3, 0);
	assert_int_equal(wasted_total_ns(w, 150), 50);
	assert_int_equal(w->late_count, 2);
	assert_int_equal(w->late_ns_max, 10);
	wasted_free(w);
}

/* The definition, word by word. */
static uint32_t wasted_by_definition(const bool *idle, const bool *waits)
{
	uint32_t n = 0;

	for (uint32_t cpu = 0; cpu < h.m.ncpus; cpu++) {
		bool wasted = false;

		for (uint32_t i = 0; i < HAND_TASKS; i++)
			wasted |= waits[i] && h.task[i].cpu != cpu &&
				  mask_test(h.task[i].allowed, cpu);
		n += idle[cpu] && wasted;
	}
	return n;
}

static void random_run(uint64_t seed)
{
	struct rng r = rng_stream(seed, "wasted", 0);
	struct wasted *w = fresh(1 + (uint32_t)rng_below(&r, 5));
	bool idle[5] = {true, true, true, true, true}, waits[HAND_TASKS] = {false};
	uint64_t now_ns = 0, total_ns = 0;

	for (uint32_t i = 0; i < 4; i++) {
		struct mask *mask = hand_mask(&h);

		mask_set(mask, (uint32_t)rng_below(&r, h.m.ncpus));
		mask_set(mask, (uint32_t)rng_below(&r, h.m.ncpus));
		h.task[i].allowed = mask;
	}
	for (uint32_t step = 0; step < 500; step++) {
		uint64_t delta_ns = rng_below(&r, 50);
		uint32_t cpu = (uint32_t)rng_below(&r, h.m.ncpus);
		uint32_t task = (uint32_t)rng_below(&r, step < 250 ? 4 : HAND_TASKS);

		total_ns += delta_ns * wasted_by_definition(idle, waits);
		now_ns += delta_ns;
		if (rng_below(&r, 2)) {
			idle[cpu] = rng_below(&r, 2);
			switch_to(w, now_ns, cpu, idle[cpu] ? 0 : 1, idle[cpu] ? 0 : 1);
		} else if (waits[task]) {
			wait_end(w, now_ns, task + 1);
			waits[task] = false;
		} else {
			wait_start(w, now_ns, task + 1, cpu);
			waits[task] = true;
		}
		if (wasted_total_ns(w, now_ns) != total_ns)
			print_message("replay: RUNQLAB_SEEDS=%llu\n", (unsigned long long)seed);
		assert_int_equal(wasted_total_ns(w, now_ns), total_ns);
		assert_int_equal(wasted_cpus(w), wasted_by_definition(idle, waits));
	}
	wasted_free(w);
}

/*	CPU 0: task 1 runs, task 2 waits 10..100, its queue is throttled 30..70;  CPU 1: idle	*/
static void test_who_waits_for_runtime_wastes_nothing(void **state)
{
	static const struct record throttled = {.kind = RECORD_THROTTLE, .a = 1, .c = 1},
				   goes_on = {.kind = RECORD_UNTHROTTLE, .a = 1, .c = 1};
	struct wasted *w = fresh(2);
	struct task *p = &h.task[1], *late = &h.task[2];

	list_init(&h.cpu[0].rq.cfs_tasks);
	for (struct task *q = p; q <= late; q++) {
		q->prio = DEFAULT_PRIO;
		q->se.cfs_rq = &h.cfs_rq[0][0];
		list_add(&h.cpu[0].rq.cfs_tasks, &q->lb_node);
	}
	switch_to(w, 0, 0, 1, 1);
	wait_start(w, 10, 2, 0);
	h.cfs_rq[0][0].pelt.throttle_count = 1;
	say(w, 30, &throttled);
	assert_int_equal(wasted_cpus(w), 0);
	/* one that is queued there meanwhile, and one that leaves, too */
	wait_start(w, 40, 3, 0);
	assert_int_equal(wasted_cpus(w), 0);
	wait_end(w, 50, 3);
	wait_start(w, 60, 3, 0);
	h.cfs_rq[0][0].pelt.throttle_count = 0;
	say(w, 70, &goes_on);
	assert_int_equal(wasted_cpus(w), 1);
	wait_end(w, 90, 3);
	wait_end(w, 100, 2);
	assert_int_equal(wasted_total_ns(w, 120), 20 + 30);
	wasted_free(w);
}

static void test_random_records_agree_with_the_definition(void **state)
{
	for (uint64_t seed = 1; seed <= property_seeds(50); seed++)
		random_run(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiting_beside_an_idle_cpu_is_wasted),
		cmocka_unit_test(test_each_idle_cpu_wastes_once_however_many_wait),
		cmocka_unit_test(test_task_waiting_on_the_idle_cpu_itself_is_no_waste),
		cmocka_unit_test(test_no_idle_cpu_no_waste),
		cmocka_unit_test(test_affinity_decides_where_time_is_wasted),
		cmocka_unit_test(test_mask_as_it_was_when_the_wait_began_counts),
		cmocka_unit_test(test_cpu_that_runs_its_stopper_does_not_idle),
		cmocka_unit_test(test_late_record_counts_as_of_the_later_time),
		cmocka_unit_test(test_who_waits_for_runtime_wastes_nothing),
		cmocka_unit_test(test_random_records_agree_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
