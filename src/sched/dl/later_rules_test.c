/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What 6.1 and its stable tree do otherwise than 5.5 for real-time and deadline tasks. */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"
#include "sched/rq_lock.h"
#include "sched/rt/rt.h"

#define MS NS_PER_MS
#define ALL UINT64_MAX

static struct hand h;

/* Four CPUs that share a cache; CPU 0 is busy and asks, three times. */
static void test_each_question_gets_another_cpu(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t found[4];
	} rows[] = {
		{"5.5", {1, 1, 1, 1}},
		/* the first question goes past CPU 0, which is not among the lowest anyhow */
		{"6.1", {1, 2, 3, 1}},
		{"6.1,-any-distributes", {1, 1, 1, 1}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 4, 1);
		hand_rt_running(&h, 0, 60, 1);
		p = hand_rt_on(&h, 0, 50, 1);
		p->allowed = h.m->online;
		p->nr_allowed = 4;
		for (int n = 0; n < 4; n++)
			assert_int_equal(find_lowest_rq(hand_k(&h, 0), p), rows[i].found[n]);
		/* each CPU counts for itself */
		hand_k(&h, 2)->cpu->distributed = 2;
		hand_rt_running(&h, 2, 60, 4);
		assert_int_equal(find_lowest_rq(hand_k(&h, 2), p), i == 1 ? 3 : 1);
		p->nr_allowed = 1;
		hand_drop(&h);
	}
}

/* New allowed CPUs: the first of them, or the one after that which was named last. */
static void test_new_allowed_cpus_are_used_in_turn(void **state)
{
	static const char *const kernels[] = {"5.5", "6.1"};

	for (int i = 0; i < 2; i++) {
		hand_init(&h, kernels[i], 1, 4, 1);
		for (uint32_t n = 0; n < 3; n++) {
			struct task *p = hand_task(&h, 0, 0);

			sched_set_affinity(hand_k(&h, 0), p, hand_cpus(&h, 14));
			assert_int_equal(p->migrate_to, i ? n + 1 : 1);
			/* asked again for the same: nothing is named */
			sched_set_affinity(hand_k(&h, 0), p, p->allowed);
			assert_int_equal(h.m->cpus[0].distributed, i ? n + 1 : 0);
		}
		hand_drop(&h);
	}
}

/* CPU 1 runs a deadline task: for cpupri it is as good as idle up to 5.10. */
static void test_real_time_tasks_keep_away_from_deadline_tasks(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t level;
		uint32_t found;
	} rows[] = {
		{"5.5", 1, 1},
		{"6.1", CPUPRI_HIGHER, 2},
		{"6.1,-cpupri-higher", 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cpupri *c;
		struct task *p;

		hand_init(&h, rows[i].kernel, 1, 4, 1);
		c = &h.m->rd.cpupri;
		hand_dl_task(&h, 1, 5, 20, 20);
		sched_schedule(hand_k(&h, 1));
		assert_int_equal(c->level_of[1], rows[i].level);
		hand_rt_running(&h, 0, 60, 1);
		p = hand_rt_on(&h, 0, 50, 1);
		p->allowed = h.m->online;
		p->nr_allowed = 4;
		assert_int_equal(find_lowest_rq(hand_k(&h, 0), p), rows[i].found);
		p->nr_allowed = 1;
		p->allowed = hand_cpus(&h, 1);
		/* a real-time task that waits there speaks for the CPU from then on */
		hand_rt_on(&h, 1, 40, 2);
		assert_int_equal(c->level_of[1], cpupri_level(99 - 40));
		/* and it is what is left when the deadline task has gone */
		hand_sleep(&h, 1);
		assert_int_equal(c->level_of[1], cpupri_level(99 - 40));
		sched_audit(h.m);
		hand_drop(&h);
	}
}

/* 10 ms of a fair task: time passes for the class that it joins while it runs. */
static void test_a_running_task_ages_the_class_it_joins(void **state)
{
	static const char *const kernels[] = {"5.5", "6.1"};

	for (int i = 0; i < 2; i++) {
		for (int deadline = 0; deadline < 2; deadline++) {
			const struct dl_params dl = {MS, 10 * MS, 10 * MS, 0};
			struct policy_change c = {POLICY_FIFO, 50, NULL};
			const struct sched_avg *sa;
			struct task *p;

			hand_init(&h, kernels[i], 1, 1, 1);
			p = hand_task(&h, 0, 0);
			sched_schedule(hand_k(&h, 0));
			sa = &hand_rq(&h, 0)->pelt.avg_rt;
			if (deadline) {
				c = (struct policy_change){POLICY_DEADLINE, 0, &dl};
				sa = &hand_rq(&h, 0)->pelt.avg_dl;
			}
			assert_int_equal(sa->last_update_time_ns, 0);
			hand_at(&h, 10 * MS);
			sched_set_policy(hand_k(&h, 0), p, &c);
			assert_int_equal(sa->last_update_time_ns != 0, i);
			assert_int_equal(sa->util_sum, 0);
			hand_drop(&h);
		}
	}
}

static enum policy_refusal asked(uint64_t runtime_ns, uint64_t period_ns)
{
	const struct task_attr attr = {
		.policy = POLICY_DEADLINE,
		.dl = {.runtime_ns = runtime_ns, .deadline_ns = period_ns, .period_ns = period_ns}};

	return sched_may_create(h.m, &attr);
}

static void test_deadline_periods_have_limits(void **state)
{
	static const uint64_t longest = (UINT64_C(1) << 22) * NS_PER_US;

	hand_init(&h, "6.1", 1, 2, 1);
	assert_int_equal(asked(2000, 100 * NS_PER_US), POLICY_GRANTED);
	assert_int_equal(asked(2000, 100 * NS_PER_US - 1), POLICY_EINVAL);
	assert_int_equal(asked(2000, longest), POLICY_GRANTED);
	assert_int_equal(asked(2000, longest + 1), POLICY_EINVAL);
	hand_free(&h);
	hand_init(&h, "5.5", 1, 2, 1);
	assert_int_equal(asked(2000, 100 * NS_PER_US - 1), POLICY_GRANTED);
	assert_int_equal(asked(2000, longest + 1), POLICY_GRANTED);
	hand_free(&h);
}

/* Two CPUs, one at half: 0.95 of one and a half, not of two. */
static void test_small_cpus_admit_less(void **state)
{
	static const char *const kernels[] = {"5.5", "6.1"};

	for (int i = 0; i < 2; i++) {
		hand_init(&h, kernels[i], 1, 2, 1);
		hand_rq(&h, 1)->cpu_capacity_orig = 512;
		hand_dl_task(&h, 0, 9, 10, 10);
		assert_int_equal(asked(5 * MS, 10 * MS), POLICY_GRANTED);
		assert_int_equal(asked(6 * MS, 10 * MS), i ? POLICY_EBUSY : POLICY_GRANTED);
		hand_drop(&h);
	}
}

static struct task *pushed;

/* While CPU 5's rq is unlocked for a lower one, something more important comes to wait there. */
static void bring_a_better_one(struct hand *hand, struct kctx *k, struct klock *l)
{
	struct rq *src = hand_rq(hand, 5);
	struct task *p;

	(void)k;
	if (!l || src->lock.owner != CPU_NONE || pick_next_pushable_task(src) != pushed)
		return;
	hand->before = NULL;
	p = hand_rt_on(hand, 5, 55, 32);
	rq_lock(hand_k(hand, 5), src);
	deactivate_task(hand_k(hand, 5), src, p, 0);
	p->allowed = hand->m->online;
	p->nr_allowed = 8;
	activate_task(hand_k(hand, 5), src, p, 0);
	rq_unlock(hand_k(hand, 5), src);
	CHECK(pick_next_pushable_task(src) == p);
}

/* The stable tree lets the first one go then, and pushes the better one. */
static void test_a_push_asks_whether_its_task_is_still_the_first(void **state)
{
	static const char *const kernels[] = {"6.1", "6.1-debian"};

	for (int i = 0; i < 2; i++) {
		struct rq *rq;

		hand_init(&h, kernels[i], 1, 8, 1);
		rq = hand_rq(&h, 5);
		hand_rt_running(&h, 5, 60, 32);
		pushed = hand_rt_waiting(&h, 5, 50, ALL);
		h.m->cpus[5].distributed = 7;
		h.refused = &hand_rq(&h, 0)->lock;
		rq_lock(hand_k(&h, 5), rq);
		h.before = bring_a_better_one;
		assert_true(push_rt_task(hand_k(&h, 5), rq));
		h.before = NULL;
		h.refused = NULL;
		rq_unlock(hand_k(&h, 5), rq);
		assert_int_equal(pushed->cpu == 5, i);
		assert_int_equal(rq->rt.stats.push_lock_failed, i);
		hand_drop(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_question_gets_another_cpu),
		cmocka_unit_test(test_new_allowed_cpus_are_used_in_turn),
		cmocka_unit_test(test_real_time_tasks_keep_away_from_deadline_tasks),
		cmocka_unit_test(test_a_running_task_ages_the_class_it_joins),
		cmocka_unit_test(test_deadline_periods_have_limits),
		cmocka_unit_test(test_small_cpus_admit_less),
		cmocka_unit_test(test_a_push_asks_whether_its_task_is_still_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
