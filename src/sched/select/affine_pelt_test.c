/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU 0 wakes a task that slept on CPU 1. One socket of two CPUs (MC, 117 %), or two of one
 * (NUMA, 125 %). What the rows say of queues is set by hand.
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select_pelt.h"

static struct hand h;

struct cpu_state {
	uint32_t nr;             /* tasks; 0: it idles */
	uint64_t runnable, load; /* averages of the queue */
	uint64_t capacity;       /* 0: 1024 */
};

struct row {
	const char *kernel;
	bool one_cache;
	struct cpu_state here, there;
	uint64_t task_load; /* of the woken task, whose queue's load it is a part of */
	bool sync;
	uint32_t target;
	bool counted;
};

static void set_cpu(uint32_t cpu, const struct cpu_state *s)
{
	struct rq *rq = hand_rq(&h, cpu);

	rq->nr_running = s->nr;
	rq->cfs->h_nr_running = s->nr;
	set_rq_curr(h.m, rq, s->nr ? &h.m->tasks[cpu] : rq->idle);
	rq->cfs->avg.runnable_avg = s->runnable;
	rq->cfs->avg.load_avg = s->load;
	rq->cpu_capacity = s->capacity ? s->capacity : 1024;
}

static void try_row(const struct row *r)
{
	struct sched_domain *sd;
	struct task *p;

	hand_init(&h, r->kernel, r->one_cache ? 1 : 2, r->one_cache ? 2 : 1, 1);
	/* tasks 1 and 2 stand for what runs; 3 is the woken one */
	for (uint32_t i = 0; i < 3; i++) {
		struct task_attr attr = {.nice = 0};

		p = sched_new_task(hand_k(&h, i == 0 ? 0 : 1), NULL, &attr, &h.m->groups_mem[0]);
		p->se.avg.load_avg = i == 0 ? 1024 : r->task_load;
	}
	set_cpu(0, &r->here);
	set_cpu(1, &r->there);
	sd = hand_sd(&h, 0, 0);
	assert_int_equal(wake_affine_pelt(hand_k(&h, 0), sd, p, 1, r->sync), r->target);
	assert_int_equal(sd->stats.ttwu_move_affine, r->counted);
	hand_drop(&h);
}

static void test_idle_cpus_decide_first(void **state)
{
	static const struct row rows[] = {
		/* an interrupt woke it: where it was if that idles, else here */
		{"5.4", true, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, false, 1, true},
		{"5.4", true, {0, 9000, 9000, 0}, {1, 0, 0, 0}, 0, false, 0, true},
		/* other caches: idleness here says nothing; 0 < 0 is false */
		{"5.4", false, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, false, 1, false},
		/* the waker is about to leave the CPU empty */
		{"5.4", false, {1, 9000, 9000, 0}, {1, 0, 0, 0}, 0, true, 0, true},
		{"5.5", false, {1, 9000, 9000, 0}, {1, 0, 0, 0}, 0, true, 0, true},
		/* not alone: 9000 - 1023 against 0 */
		{"5.4", false, {2, 9000, 9000, 0}, {1, 0, 0, 0}, 0, true, 1, false},
		/* an idle CPU where it was is reason enough to stay; 9000 here against 0 is one, too */
		{"5.4", false, {1, 0, 0, 0}, {0, 9000, 9000, 0}, 0, false, 0, true},
		{"5.4,+wake-prev-idle", false, {1, 0, 0, 0}, {0, 9000, 9000, 0}, 0, false, 1, true},
		{"5.4,+wake-prev-idle", false, {1, 0, 0, 0}, {1, 9000, 9000, 0}, 0, false, 0, true},
		/* but the waker that is about to leave comes first */
		{"5.4,+wake-prev-idle", false, {1, 0, 0, 0}, {0, 9000, 9000, 0}, 0, true, 0, true},
		/* only a task that is moved counts as moved */
		{"5.4,+affine-count", true, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, false, 1, false},
		{"5.4,+affine-count", true, {0, 9000, 9000, 0}, {1, 0, 0, 0}, 0, false, 0, true},
		/* without WA_IDLE only loads count */
		{"5.4,NO_WA_IDLE", true, {0, 9000, 9000, 0}, {1, 0, 0, 0}, 0, false, 1, false},
		/* and without these, it stays */
		{"5.4,NO_WA_IDLE,NO_WA_WEIGHT",
		 true,
		 {0, 0, 0, 0},
		 {9, 9999, 9999, 0},
		 0,
		 false,
		 1,
		 false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try_row(&rows[i]);
}

static void test_loads_decide_then(void **state)
{
	static const struct row rows[] = {
		/* 100 x 1000 < 108 x 1000 at MC */
		{"5.4", true, {1, 1000, 0, 0}, {1, 1000, 0, 0}, 0, false, 0, true},
		{"5.4", true, {1, 1080, 0, 0}, {1, 1000, 0, 0}, 0, false, 1, false},
		{"5.4", true, {1, 1079, 0, 0}, {1, 1000, 0, 0}, 0, false, 0, true},
		/* 112 at NUMA, of 25 halved */
		{"5.4", false, {1, 1119, 0, 0}, {1, 1000, 0, 0}, 0, false, 0, true},
		{"5.4", false, {1, 1120, 0, 0}, {1, 1000, 0, 0}, 0, false, 1, false},
		{"5.4,NO_WA_BIAS", false, {1, 1000, 0, 0}, {1, 1000, 0, 0}, 0, false, 1, false},
		{"5.4,NO_WA_BIAS", false, {1, 999, 0, 0}, {1, 1000, 0, 0}, 0, false, 0, true},
		/* load of sleepers counts from 11f10e5420f6 on */
		{"5.4", true, {1, 100, 5000, 0}, {1, 1000, 1000, 0}, 0, false, 0, true},
		{"5.4,+lb-p9", true, {1, 100, 5000, 0}, {1, 1000, 1000, 0}, 0, false, 1, false},
		{"5.5", true, {1, 100, 5000, 0}, {1, 1000, 1000, 0}, 0, false, 1, false},
		/* its own load comes here: 1000 x 999/1000 = 999; and is not counted there */
		{"5.5", true, {1, 0, 1, 0}, {2, 0, 1999, 0}, 1000, false, 0, true},
		{"5.5", true, {1, 0, 90, 0}, {2, 0, 1999, 0}, 1000, false, 1, false},
		/* half a CPU weighs twice: 1000 x 1024 against 1.08 x 1000 x 512 */
		{"5.4", true, {1, 1000, 0, 512}, {1, 1000, 0, 0}, 0, false, 1, false},
		{"5.4", true, {1, 539, 0, 512}, {1, 1000, 0, 0}, 0, false, 0, true},
		{"5.4", true, {1, 540, 0, 512}, {1, 1000, 0, 0}, 0, false, 1, false},
		/* sync: the waker's 1023 (of 1024, in a queue of 1024) is more than there is here */
		{"5.4", true, {2, 1022, 1024, 0}, {1, 0, 0, 0}, 0, true, 0, true},
		/* it is taken off, and a tie goes here */
		{"5.4", true, {2, 1023, 1024, 0}, {1, 0, 0, 0}, 0, true, 0, true},
		{"5.4", true, {2, 1024, 1024, 0}, {1, 0, 0, 0}, 0, true, 1, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try_row(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_cpus_decide_first),
		cmocka_unit_test(test_loads_decide_then),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
