/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU 0 wakes a task that slept on CPU 1. Both have the loads of a row; two
 * CPUs of one cache, or two threads of a core.
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/select.h"

static struct hand h;

struct row {
	const char *kernel;
	uint32_t threads; /* 2: factor 105 at SIBLING; 1: factor 112 at MC */
	uint32_t n_this, n_prev;
	bool sync;
	bool answer, counted;
};

static bool ask(const struct row *r, struct sched_domain **sd)
{
	struct task *p;

	hand_init(&h, r->kernel, 1, r->threads == 2 ? 1 : 2, r->threads);
	/* the wakee: created on CPU 1 and asleep there */
	p = hand_task(&h, 1, 0);
	sched_schedule(hand_k(&h, 1));
	hand_sleep(&h, 1);
	hand_tasks(&h, 0, r->n_this);
	hand_tasks(&h, 1, r->n_prev);
	/* balancing has refreshed only the power of the CPU that went idle */
	hand_rq(&h, 0)->cpu_power = 1024;
	hand_rq(&h, 1)->cpu_power = 1024;
	*sd = hand_sd(&h, 0, 0);
	(*sd)->stats.ttwu_move_affine = 0;
	return wake_affine(hand_k(&h, 0), *sd, p, r->sync);
}

static void test_who_may_be_pulled(void **state)
{
	static const struct row rows[] = {
		/* nothing here: always, and a sync one is not counted */
		{"2.6.35", 1, 0, 0, false, true, true},
		/* 100 x 2048 > 112 x 1024: no; nor 1024 + 1024 <= 1024 */
		{"2.6.35", 1, 1, 0, false, false, false},
		{"2.6.35", 1, 1, 1, false, false, false},
		/* the waker is about to leave: 100 x 1024 <= 112 x 1024 */
		{"2.6.35", 1, 1, 0, true, true, false},
		{"2.6.35", 1, 1, 1, true, true, false},
		/* what the wakee adds here is not added there: 100 x 2048 > 112 x 1024 */
		{"2.6.35", 1, 2, 1, true, false, false},
		{"2.6.35", 1, 2, 2, true, true, false},
		{"2.6.35", 1, 2, 0, true, false, false},
		/* 100 x 10 x 1024 <= 112 x 9 x 1024, but 105 x 9: no */
		{"2.6.35", 1, 9, 8, false, false, false},
		{"2.6.35", 1, 9, 9, false, true, true},
		{"2.6.35", 2, 9, 9, false, false, false},
		{"2.6.34", 1, 9, 9, false, true, true},
		{"2.6.34", 2, 9, 9, false, false, false},
		{"2.6.34", 2, 20, 20, false, true, true},
		{"2.6.34", 1, 1, 0, true, true, false},
		{"2.6.34", 1, 2, 0, true, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sched_domain *sd;
		bool answer = ask(&rows[i], &sd);

		if (answer != rows[i].answer ||
		    (sd->stats.ttwu_move_affine != 0) != rows[i].counted)
			fail_msg("row %zu: %d, counted %d", i, answer,
				 (int)sd->stats.ttwu_move_affine);
		hand_free(&h);
	}
}

/* Powers: the CPU with more of it may carry more. Before rq-cpu-power they play no part. */
static void test_loads_are_weighed_by_the_other_sides_power(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t this_power, prev_power;
		bool answer;
	} rows[] = {
		{"2.6.35", 1024, 1024, false},
		{"2.6.35", 1024, 512, true},
		{"2.6.35", 512, 1024, false},
		{"2.6.34", 1024, 512, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row r = {rows[i].kernel, 1, 1, 1, false, false, false};
		struct sched_domain *sd;
		struct task *p;

		/* 100 x P(prev) x 2048 <= 112 x P(this) x 1024 if P(prev) is half of P(this) */
		ask(&r, &sd);
		p = &h.m->tasks[0];
		hand_rq(&h, 0)->cpu_power = rows[i].this_power;
		hand_rq(&h, 1)->cpu_power = rows[i].prev_power;
		assert_int_equal(wake_affine(hand_k(&h, 0), sd, p, false), rows[i].answer);
		hand_free(&h);
	}
}

/*
 * A sync wake-up from an interrupt of an idle CPU: the idle task's 1024 is taken from
 * nothing, and only a wakee of exactly that weight brings the sum back to 0.
 */
static void test_a_negative_load_is_a_huge_one(void **state)
{
	static const struct {
		uint64_t weight;
		bool answer;
	} rows[] = {{1024, true}, {1023, false}, {1025, false}};

	for (int i = 0; i < 3; i++) {
		const struct row r = {"2.6.35", 1, 0, 0, false, false, false};
		struct sched_domain *sd;

		ask(&r, &sd);
		h.m->tasks[0].se.load.weight = rows[i].weight;
		assert_int_equal(wake_affine(hand_k(&h, 0), sd, &h.m->tasks[0], true),
				 rows[i].answer);
		hand_free(&h);
	}
}

/* SYNC_LESS: a sync hint is dropped when either overlaps long; SYNC_MORE: made when both do not. */
static void test_overlap_decides_about_the_sync_hint_in_2_6_34(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t this_ns, wakee_ns;
		bool sync, answer;
	} rows[] = {
		{"2.6.34", 0, 0, true, true},
		{"2.6.34", 500000, 500000, true, true},
		{"2.6.34", 500001, 0, true, false},
		{"2.6.34", 0, 500001, true, false},
		{"2.6.34", 0, 0, false, false},
		{"2.6.34,NO_SYNC_LESS", 500001, 500001, true, true},
		{"2.6.34,SYNC_MORE", 0, 0, false, true},
		{"2.6.34,SYNC_MORE", 500000, 0, false, false},
		{"2.6.34,SYNC_MORE", 0, 500000, false, false},
		{"2.6.35", 500001, 500001, true, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row r = {rows[i].kernel, 1, 1, 0, false, false, false};
		struct sched_domain *sd;

		ask(&r, &sd);
		hand_rq(&h, 0)->curr->avg_overlap_ns = rows[i].this_ns;
		h.m->tasks[0].avg_overlap_ns = rows[i].wakee_ns;
		assert_int_equal(wake_affine(hand_k(&h, 0), sd, &h.m->tasks[0], rows[i].sync),
				 rows[i].answer);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_may_be_pulled),
		cmocka_unit_test(test_loads_are_weighed_by_the_other_sides_power),
		cmocka_unit_test(test_a_negative_load_is_a_huge_one),
		cmocka_unit_test(test_overlap_decides_about_the_sync_hint_in_2_6_34),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
