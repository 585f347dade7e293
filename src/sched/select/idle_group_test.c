/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where 3.3 and 3.4 wake. One socket of four cores; core i is CPUs i and i + 4. CPU 0 wakes. */
#define HAND_TASKS 1000u
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select.h"

static struct hand h;
static uint64_t mask_mem[MASK_WORDS(64)];

static const char *const kernels[] = {"3.3", "3.3,+lb-rq-list", "3.4-rc2", "3.4"};

/* A task asleep on PREV; BUSY: a bit for each CPU that runs one. */
static struct task *start(const char *kernel, uint32_t prev, uint32_t busy)
{
	struct task *p;

	hand_init(&h, kernel, 1, 4, 2);
	p = hand_task(&h, prev, 0);
	sched_schedule(hand_k(&h, prev));
	hand_sleep(&h, prev);
	for (uint32_t i = 0; i < 8; i++)
		if (busy >> i & 1)
			hand_tasks(&h, i, 1);
	return p;
}

static uint32_t choose(struct task *p)
{
	return h.v.select->select(hand_k(&h, 0), p, SD_BALANCE_WAKE, 0);
}

static void test_a_whole_idle_core_comes_first(void **state)
{
	static const struct {
		uint32_t prev, busy, chosen;
	} rows[] = {
		/* the target itself, if idle, even beside a busy thread */
		{0, 0x00, 0},
		{0, 0x10, 0},
		/* a whole idle core, from the target's on */
		{0, 0x01, 1},
		{0, 0x03, 2},
		{0, 0x23, 2},
		{0, 0x07, 3},
		/* no whole core: the idle thread of the own core, not of another */
		{0, 0x0f, 4},
		{0, 0x1f, 0},
		{0, 0xf1, 0},
		{0, 0xff, 0},
		/* near the previous CPU, whose core is the first looked at */
		{2, 0x05, 3},
		{2, 0x0f, 6},
		{3, 0x09, 1},
		{2, 0xfb, 2},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = start(kernels[i % 4], rows[i].prev, rows[i].busy);

		assert_int_equal(choose(p), rows[i].chosen);
		hand_free(&h);
	}
}

/* A core must be idle on all its threads, allowed or not; taken is the first that is allowed. */
static void test_affinity_and_whole_cores(void **state)
{
	static const struct {
		uint32_t busy, allowed, chosen;
	} rows[] = {{0x01, 0x41, 6}, {0x05, 0x41, 0}, {0x01, 0x43, 1}, {0x01, 0x11, 4}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p = start("3.3", 0, rows[i].busy);
		struct mask *m = mask_init(mask_mem, 8);

		for (uint32_t c = 0; c < 8; c++)
			if (rows[i].allowed >> c & 1)
				mask_set(m, c);
		p->allowed = m;
		p->nr_allowed = mask_weight(m);
		/* only CPUs of groups that the task may use are looked at */
		h.prices.sched_ns[WORK_SELECT_SCAN] = 1;
		assert_int_equal(choose(p), rows[i].chosen);
		if (i == 0)
			assert_int_equal(hand_k(&h, 0)->now_ns, HAND_START_NS + 1 + 2);
		hand_free(&h);
	}
}

static void test_a_bound_task_is_not_asked_for(void **state)
{
	struct task *p = start("3.4", 2, 0x04);

	mask_set(mask_init(mask_mem, 8), 2);
	p->allowed = (const struct mask *)mask_mem;
	p->nr_allowed = 1;
	h.prices.sched_ns[WORK_SELECT_SCAN] = 1;
	assert_int_equal(choose(p), 2);
	assert_int_equal(hand_k(&h, 0)->now_ns, HAND_START_NS);
	hand_free(&h);
}

/* A pending wake-up makes a CPU busy, to others and to itself. */
static void test_a_pending_wakeup_is_work(void **state)
{
	struct task *p = start("3.3", 2, 0x01), *other;

	other = hand_task(&h, 7, 0);
	sched_schedule(hand_k(&h, 7));
	hand_sleep(&h, 7);
	hand_rq(&h, 2)->wake_list = other;
	assert_int_equal(choose(p), 3);
	hand_rq(&h, 3)->wake_list = other;
	assert_int_equal(choose(p), 1);
	hand_rq(&h, 2)->wake_list = hand_rq(&h, 3)->wake_list = NULL;
	hand_free(&h);
}

/* Two tasks of one group on each of 32 CPUs; one that slept on CPU 1 is woken by CPU 0. */
static struct task *wide_group(const char *kernel)
{
	struct task_attr attr = {.nice = 0};
	struct task_group *tg;
	struct task *p = NULL;

	hand_init(&h, kernel, 2, 8, 2);
	tg = hand_group(&h, NULL, "/a");
	for (uint32_t i = 0; i < 32; i++) {
		hand_task_in(&h, i, &attr, tg);
		sched_schedule(hand_k(&h, i));
		p = hand_task_in(&h, i, &attr, tg);
	}
	for (uint64_t t = 1; t <= 8; t++) {
		hand_at(&h, t * 11 * NS_PER_MS);
		for (uint32_t i = 0; i < 32; i++)
			h.v.share->update_cpu(hand_k(&h, i), i);
	}
	tg->load_weight = 0;
	for (uint32_t i = 0; i < 32; i++) {
		tg->cfs_rq[i].load_contribution = 2048;
		tg->load_weight += 2048;
	}
	/* any queued task of CPU 1 has the group and the place that count */
	for (uint32_t t = 0; t < h.m->ntasks; t++)
		if (h.m->tasks[t].cpu == 1 && !h.m->tasks[t].on_cpu)
			p = &h.m->tasks[t];
	return p;
}

static void test_pulling_a_task_of_a_wide_group(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task *p = wide_group(kernels[v]);
		struct sched_domain *sd = hand_sd(&h, 0, 1);

		assert_int_equal(hand_rq(&h, 0)->load.weight, 32);
		assert_int_equal(hand_rq(&h, 1)->load.weight, 32);
		assert_int_equal(power_of(hand_k(&h, 0), 0), 589);
		assert_true(wake_affine(hand_k(&h, 0), sd, p, true));
		assert_false(wake_affine(hand_k(&h, 0), sd, p, false));
		assert_int_equal(sd->stats.ttwu_move_affine, 0);
		hand_free(&h);
	}
}

/*
 * A sync wake-up from an interrupt over an idle CPU: without the idle task's weight the load
 * is negative, so the answer is yes and nothing is counted.
 */
static void test_a_sync_wakeup_over_the_idle_task(void **state)
{
	for (int v = 0; v < 4; v++) {
		struct task *p = start(kernels[v], 1, 0x02);
		struct sched_domain *sd = hand_sd(&h, 0, 1);

		assert_true(wake_affine(hand_k(&h, 0), sd, p, true));
		assert_int_equal(sd->stats.ttwu_move_affine, 0);
		assert_true(wake_affine(hand_k(&h, 0), sd, p, false));
		assert_int_equal(sd->stats.ttwu_move_affine, 1);
		hand_free(&h);
	}
}

/* The power of a CPU is known from boot on; 2.6.35 learns it at the first refresh. */
static void test_cpu_power_at_boot(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t two, one;
	} rows[] = {{"2.6.35", 1024, 1024}, {"3.3", 589, 1024}, {"3.4-rc2", 589, 1024}};

	for (int i = 0; i < 3; i++) {
		hand_init(&h, rows[i].kernel, 2, 4, 2);
		for (uint32_t c = 0; c < h.m->ncpus; c++)
			assert_int_equal(power_of(hand_k(&h, 0), c), rows[i].two);
		hand_free(&h);
		hand_init(&h, rows[i].kernel, 1, 4, 1);
		assert_int_equal(power_of(hand_k(&h, 0), 3), rows[i].one);
		hand_free(&h);
		hand_init(&h, rows[i].kernel, 1, 1, 1);
		assert_int_equal(power_of(hand_k(&h, 0), 0), rows[i].one);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_whole_idle_core_comes_first),
		cmocka_unit_test(test_affinity_and_whole_cores),
		cmocka_unit_test(test_a_bound_task_is_not_asked_for),
		cmocka_unit_test(test_a_pending_wakeup_is_work),
		cmocka_unit_test(test_pulling_a_task_of_a_wide_group),
		cmocka_unit_test(test_a_sync_wakeup_over_the_idle_task),
		cmocka_unit_test(test_cpu_power_at_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
