/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual time, choosing and preemption of EEVDF. Eight CPUs: slices are 3 ms, with the stable tree 2.8. */
#include "support.h"

#include "sched/fair/cfs_rq.h"
#include "sched/fair/eevdf.h"
#include "sched/hand_machine.h"
#include "sched/pelt/shares.h"

#define SLICE_NS (3 * NS_PER_MS)

static struct hand h;
static struct kctx *k;
static struct rq *rq;
static struct cfs_rq *q;

static void start(const char *kernel)
{
	hand_init(&h, kernel, 1, 8, 1);
	k = hand_k(&h, 0);
	rq = hand_rq(&h, 0);
	q = rq->cfs;
}

static struct task *with_slice(uint64_t slice_ns)
{
	struct task_attr attr = {.slice_ns = slice_ns};

	return hand_task_in(&h, 0, &attr, NULL);
}

/* P, which waits, has this vruntime and deadline. */
static void put_at(struct task *p, uint64_t vruntime_vns, uint64_t deadline_vns)
{
	eevdf_erase(k, q, &p->se);
	p->se.vruntime_vns = vruntime_vns;
	p->se.deadline_vns = deadline_vns;
	eevdf_insert(k, q, &p->se);
}

/* P runs on CPU 0 until NS after the start, where a tick finds it. */
static void tick_at(uint64_t ns)
{
	hand_at(&h, ns);
	sched_tick(k);
}

/* ---- V and who is eligible ------------------------------------------------------------------ */

static void test_the_mean_is_rounded_down_and_eligibility_is_exact(void **state)
{
	static const struct {
		int64_t v[3], mean;
		bool eligible[3];
	} rows[] = {
		{{0, 10, 21}, 10, {true, true, false}},
		{{-10, -10, -11}, -11, {false, false, true}},
		{{7, 7, 7}, 7, {true, true, true}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p[3];

		start("6.12");
		for (int n = 0; n < 3; n++)
			p[n] = hand_task(&h, 0, 0);
		for (int n = 0; n < 3; n++)
			put_at(p[n], (uint64_t)rows[i].v[n], 100);
		assert_int_equal((int64_t)avg_vruntime(k, q), rows[i].mean);
		for (int n = 0; n < 3; n++)
			assert_int_equal(entity_eligible(k, q, &p[n]->se), rows[i].eligible[n]);
		/* the zero moved, nothing else did */
		assert_int_equal((int64_t)avg_vruntime(k, q), rows[i].mean);
		hand_free(&h);
	}
}

static void test_the_running_entity_counts_in_the_mean(void **state)
{
	struct task *p;

	start("6.12");
	hand_task(&h, 0, 0);
	sched_schedule(k);
	rq->curr->se.vruntime_vns = 500;
	/* alone it is the mean */
	assert_int_equal(avg_vruntime(k, q), 500);
	p = hand_task(&h, 0, 0);
	put_at(p, 600, 1000);
	assert_int_equal(avg_vruntime(k, q), 550);
	/* nice 5 has a weight of 335 */
	p = hand_task(&h, 0, 5);
	put_at(p, 1550, 5000);
	assert_int_equal(avg_vruntime(k, q), (1024 * 500 + 1024 * 600 + 335 * 1550) / 2383);
	hand_free(&h);
}

static void test_a_lag_is_bounded_by_two_slices_or_a_tick(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t slice_ns;
		int64_t most_ns;
	} rows[] = {
		{"6.12", 0, 6 * 1000000},          {"6.12-debian", 0, 5600000},
		{"6.12", 500000, 4 * 1000000},     {"6.12", 10 * NS_PER_MS, 20 * 1000000},
		{"6.12,hz=1000", 100000, 1000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		start(rows[i].kernel);
		hand_task(&h, 0, 0);
		p = with_slice(rows[i].slice_ns);
		put_at(p, p->se.vruntime_vns - NS_PER_S, p->se.deadline_vns);
		update_entity_lag(k, q, &p->se);
		assert_int_equal(p->se.vlag_vns, rows[i].most_ns);
		put_at(p, p->se.vruntime_vns + 2 * NS_PER_S, p->se.deadline_vns);
		update_entity_lag(k, q, &p->se);
		assert_int_equal(p->se.vlag_vns, -rows[i].most_ns);
		hand_free(&h);
	}
}

/* ---- places -------------------------------------------------------------------------------- */

/* Two tasks wait; one that owes 1 ms is placed 1.5 ms behind, and owes 1 ms again as a third of three. */
static void test_a_lag_outlives_that_its_owner_moves_the_mean(void **state)
{
	struct task *p;
	uint64_t v;

	start("6.12");
	hand_task(&h, 0, 0);
	hand_task(&h, 0, 0);
	p = hand_task(&h, 0, 0);
	eevdf_erase(k, q, &p->se);
	q->nr_running--;
	v = avg_vruntime(k, q);
	p->se.vlag_vns = -1000000;
	eevdf_place(k, q, &p->se, 0);
	assert_int_equal(p->se.vruntime_vns, v + 1500000);
	assert_int_equal(p->se.deadline_vns, p->se.vruntime_vns + SLICE_NS);
	eevdf_insert(k, q, &p->se);
	q->nr_running++;
	update_entity_lag(k, q, &p->se);
	assert_int_equal(p->se.vlag_vns, -1000000);
	hand_free(&h);
}

static void test_without_place_lag_everyone_comes_back_at_the_mean(void **state)
{
	static const char *const kernels[] = {"6.12", "6.12,NO_PLACE_LAG"};

	for (int i = 0; i < 2; i++) {
		struct entity se = {.vlag_vns = 2000000};

		start(kernels[i]);
		hand_task(&h, 0, 0);
		se.load = rq->cfs->load;
		se.cfs_rq = q;
		eevdf_place(k, q, &se, 0);
		assert_int_equal((int64_t)(avg_vruntime(k, q) - se.vruntime_vns), i ? 0 : 4000000);
		hand_free(&h);
	}
}

static void test_a_new_task_has_half_a_slice_and_no_lag(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t slice_ns;
	} rows[] = {
		{"6.12", 1500000},
		{"6.12-debian", 1400000},
		{"6.12,NO_PLACE_DEADLINE_INITIAL", 3000000},
		{"6.12,base_slice_ns=5000000", 2500000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		start(rows[i].kernel);
		p = hand_task(&h, 0, 0);
		assert_int_equal(p->se.deadline_vns - p->se.vruntime_vns, rows[i].slice_ns);
		assert_int_equal(p->se.vruntime_vns, avg_vruntime(k, q));
		hand_free(&h);
	}
}

static void test_slices_are_asked_for_within_bounds_and_inherited(void **state)
{
	static const struct {
		uint64_t asked_ns, slice_ns;
	} rows[] = {
		{0, SLICE_NS},
		{1, 100000},
		{5 * NS_PER_MS, 5 * NS_PER_MS},
		{NS_PER_S, 100 * NS_PER_MS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task_attr attr = {.nice = 0};
		struct task *p, *child;

		start("6.12");
		p = with_slice(rows[i].asked_ns);
		assert_int_equal(p->se.slice_ns, rows[i].slice_ns);
		sched_schedule(k);
		child = sched_new_task(k, p, &attr, p->tg);
		sched_wake_up_first(k, child);
		assert_int_equal(child->se.slice_ns, rows[i].slice_ns);
		/* a new policy is a new request */
		hand_policy(&h, 0, p, POLICY_BATCH, 0);
		assert_int_equal(p->se.slice_ns, SLICE_NS);
		hand_free(&h);
	}
}

/* A task that is moved has the rest of its request before it, one that slept a whole one. */
static void test_what_is_left_of_a_request_goes_along(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t left_ns;
	} rows[] = {{"6.12", 500000}, {"6.12,NO_PLACE_REL_DEADLINE", SLICE_NS}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *p;

		start(rows[i].kernel);
		hand_task(&h, 0, 0);
		sched_schedule(k);
		p = hand_task(&h, 0, 0);
		put_at(p, p->se.vruntime_vns, p->se.vruntime_vns + 500000);
		p->migrating = true;
		deactivate_task(k, rq, p, 0);
		assert_int_equal(p->se.rel_deadline, i == 0);
		set_task_cpu(k, p, 3);
		activate_task(hand_k(&h, 3), hand_rq(&h, 3), p, 0);
		p->migrating = false;
		assert_int_equal(p->se.deadline_vns - p->se.vruntime_vns, rows[i].left_ns);
		assert_false(p->se.rel_deadline);
		hand_free(&h);
	}
}

/* A lag is a time: at double the weight it is half as far in virtual time. */
static void test_a_new_weight_keeps_lag_and_rest_of_the_request(void **state)
{
	struct task *p;
	uint64_t v;

	start("6.12");
	hand_task(&h, 0, 0);
	p = hand_task(&h, 0, 0);
	put_at(p, p->se.vruntime_vns + 2000000, p->se.vruntime_vns + 3000000);
	v = avg_vruntime(k, q);
	assert_int_equal(p->se.vruntime_vns - v, 1000000);
	eevdf_reweight(k, &p->se, &(struct group_weights){.weight = UINT64_C(2048) << 10});
	assert_int_equal(p->se.vruntime_vns - v, 500000);
	assert_int_equal(p->se.deadline_vns - v, 1000000);
	assert_int_equal(q->load.weight, UINT64_C(3072) << 10);
	eevdf_audit(h.m, q);
	/* off its queue only the lag is there to change */
	eevdf_erase(k, q, &p->se);
	p->se.on_rq = false;
	p->se.vlag_vns = -1000;
	eevdf_reweight(k, &p->se, &(struct group_weights){.weight = UINT64_C(512) << 10});
	assert_int_equal(p->se.vlag_vns, -4000);
	hand_drop(&h);
}

/* ---- time passes ------------------------------------------------------------------------------- */

static void test_a_used_up_slice_reschedules_if_somebody_waits(void **state)
{
	for (int others = 0; others < 2; others++) {
		uint64_t deadline;

		start("6.12");
		hand_tasks(&h, 0, 1 + (uint32_t)others);
		deadline = rq->curr->se.deadline_vns;
		tick_at(NS_PER_MS);
		assert_false(rq->curr->need_resched);
		assert_int_equal(rq->curr->se.deadline_vns, deadline);
		/* a new task's first slice is half of one */
		tick_at(2 * NS_PER_MS);
		assert_int_equal(rq->curr->need_resched, others);
		assert_int_equal(rq->curr->se.deadline_vns, rq->curr->se.vruntime_vns + SLICE_NS);
		hand_free(&h);
	}
}

/* Once picked it may finish its slice; after that, running on, it stops when it had its part. */
static void test_protection_ends_with_the_slice(void **state)
{
	struct task *curr;

	start("6.12");
	hand_tasks(&h, 0, 3);
	curr = rq->curr;
	assert_true(slice_protected(&curr->se));
	tick_at(2 * NS_PER_MS);
	assert_false(slice_protected(&curr->se));
	/* it is behind the others: picked again, it is not protected again */
	curr->se.vruntime_vns -= 10 * NS_PER_MS;
	curr->se.deadline_vns -= 10 * NS_PER_MS;
	sched_schedule(k);
	assert_ptr_equal(rq->curr, curr);
	assert_false(slice_protected(&curr->se));
	/* it runs into its share: with PREEMPT_SHORT that is where it stops */
	curr->se.vruntime_vns = avg_vruntime(k, q) + 10 * NS_PER_MS;
	curr->se.deadline_vns = curr->se.vruntime_vns + 50 * NS_PER_MS;
	tick_at(3 * NS_PER_MS);
	assert_true(curr->need_resched);
	hand_free(&h);
	start("6.12,NO_PREEMPT_SHORT");
	hand_tasks(&h, 0, 3);
	curr = rq->curr;
	curr->se.vlag_vns = 0;
	curr->se.vruntime_vns = avg_vruntime(k, q) + 10 * NS_PER_MS;
	curr->se.deadline_vns = curr->se.vruntime_vns + 50 * NS_PER_MS;
	tick_at(3 * NS_PER_MS);
	assert_false(curr->need_resched);
	hand_free(&h);
}

/* ---- choosing ---------------------------------------------------------------------------------- */

static void test_the_earliest_deadline_of_the_eligible_is_picked(void **state)
{
	struct task *p[4];

	start("6.12");
	for (int n = 0; n < 4; n++)
		p[n] = hand_task(&h, 0, 0);
	put_at(p[0], 1100, 1500); /* earliest, but had more than its part */
	put_at(p[1], 1000, 1700);
	put_at(p[2], 900, 1600);
	put_at(p[3], 950, 1600); /* a tie goes to who was there first */
	assert_ptr_equal(eevdf_pick_entity(k, q), &p[2]->se);
	put_at(p[2], 900, 1600);
	assert_ptr_equal(eevdf_pick_entity(k, q), &p[3]->se);
	hand_free(&h);
}

static void test_who_runs_goes_on_while_it_is_protected_and_eligible(void **state)
{
	static const struct {
		const char *kernel;
		bool protected;
		int64_t ahead;
		bool goes_on;
	} rows[] = {
		{"6.12", true, -1000, true},
		{"6.12", true, 1000, false},
		{"6.12", false, -1000, false},
		{"6.12,NO_RUN_TO_PARITY", true, -1000, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct entity *curr;
		struct task *p;

		start(rows[i].kernel);
		hand_tasks(&h, 0, 1);
		curr = &rq->curr->se;
		p = hand_task(&h, 0, 0);
		put_at(p, curr->vruntime_vns, curr->vruntime_vns + 100);
		/* the mean moves by half */
		curr->vruntime_vns += (uint64_t)rows[i].ahead;
		if (rows[i].ahead > 0)
			curr->deadline_vns = curr->vruntime_vns + 10;
		curr->vlag_vns = rows[i].protected ? (int64_t)curr->deadline_vns : 0;
		if (rows[i].ahead < 0)
			put_at(p, curr->vruntime_vns, p->se.deadline_vns);
		assert_int_equal(eevdf_pick_entity(k, q) == curr, rows[i].goes_on);
		hand_drop(&h);
	}
}

static void test_a_buddy_is_picked_by_its_own_switch(void **state)
{
	static const struct {
		const char *kernel;
		bool picked;
	} rows[] = {
		{"6.12", false},
		{"6.12,NEXT_BUDDY", true},
		{"6.12-debian", true},
		{"6.12-debian,NO_PICK_BUDDY", false},
		{"6.12-debian,NO_PICK_BUDDY,NEXT_BUDDY", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *early, *late;

		start(rows[i].kernel);
		early = hand_task(&h, 0, 0);
		late = hand_task(&h, 0, 0);
		put_at(early, 1000, 2000);
		put_at(late, 1000, 3000);
		q->next = &late->se;
		assert_int_equal(eevdf_pick_entity(k, q) == &late->se, rows[i].picked);
		/* not if it had more than its part */
		put_at(late, 1001, 3000);
		assert_ptr_equal(eevdf_pick_entity(k, q), &early->se);
		hand_free(&h);
	}
}

/* ---- preemption --------------------------------------------------------------------------------- */

/* A task of SLICE_NS wakes with LAG_NS beside one that runs its first slice. */
static bool preempts(const char *kernel, uint64_t slice_ns, int64_t lag_ns,
		     enum sched_policy policy)
{
	struct task_attr attr = {.slice_ns = slice_ns, .policy = policy};
	struct task *p;
	bool resched;

	start(kernel);
	hand_tasks(&h, 0, 1);
	p = sched_new_task(k, NULL, &attr, &h.m->groups_mem[0]);
	p->se.vlag_vns = lag_ns;
	p->state = TASK_RUNNING;
	activate_task(k, rq, p, ENQUEUE_WAKEUP);
	check_preempt_curr(k, rq, p, 0);
	resched = rq->curr->need_resched;
	hand_drop(&h);
	return resched;
}

static void test_who_preempts_by_waking(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t slice_ns;
		int64_t lag_ns;
		enum sched_policy policy;
		bool preempts;
	} rows[] = {
		/* a protected slice is finished, unless who comes lacks so much that it was too long */
		{"6.12", 0, 0, POLICY_NORMAL, false},
		{"6.12", 0, 5000000, POLICY_NORMAL, true},
		/* ... not for a shorter one that is due earlier */
		{"6.12", 500000, 0, POLICY_NORMAL, true},
		{"6.12,NO_PREEMPT_SHORT", 500000, 0, POLICY_NORMAL, false},
		{"6.12", 2900000, 0, POLICY_NORMAL, false},
		/* ... nor if it had more than its part */
		{"6.12", 500000, -1000000, POLICY_NORMAL, false},
		{"6.12,NO_RUN_TO_PARITY", 500000, 0, POLICY_NORMAL, true},
		{"6.12,NO_RUN_TO_PARITY", 0, 0, POLICY_NORMAL, false},
		{"6.12,NO_WAKEUP_PREEMPTION", 500000, 0, POLICY_NORMAL, false},
		{"6.12", 500000, 0, POLICY_BATCH, false},
		{"6.12", 500000, 0, POLICY_IDLE, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(preempts(rows[i].kernel, rows[i].slice_ns, rows[i].lag_ns,
					  rows[i].policy),
				 rows[i].preempts);
}

static void test_what_is_idle_is_preempted_by_what_is_not(void **state)
{
	const struct task_attr idle = {.policy = POLICY_IDLE}, batch = {.policy = POLICY_BATCH};

	start("6.12");
	hand_task_in(&h, 0, &idle, NULL);
	sched_schedule(k);
	rq->curr->need_resched = false;
	hand_task_in(&h, 0, &batch, NULL);
	assert_true(rq->curr->need_resched);
	assert_false(slice_protected(&rq->curr->se));
	hand_free(&h);
}

/* ---- yield ------------------------------------------------------------------------------------ */

static void test_a_yield_gives_up_the_slice(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t vruntime, deadline;
	} rows[] = {
		/* the deadline moves by a slice; the vruntime only since the stable tree does */
		{"6.12", 0, 1500000 + 3000000},
		{"6.12-debian", 1400000, 1400000 + 2800000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct task *curr;
		uint64_t v;

		start(rows[i].kernel);
		hand_tasks(&h, 0, 2);
		curr = rq->curr;
		v = curr->se.vruntime_vns;
		sched_do_yield(k);
		assert_int_equal(curr->se.vruntime_vns - v, rows[i].vruntime);
		assert_int_equal(curr->se.deadline_vns - v, rows[i].deadline);
		assert_int_equal(rq->curr != curr, true);
		hand_free(&h);
	}
}

static void test_who_had_its_part_yields_nothing_more(void **state)
{
	struct task *curr;
	uint64_t deadline;

	start("6.12-debian");
	hand_tasks(&h, 0, 2);
	curr = rq->curr;
	tick_at(NS_PER_MS);
	deadline = curr->se.deadline_vns;
	sched_do_yield(k);
	assert_int_equal(curr->se.deadline_vns, deadline);
	assert_ptr_not_equal(rq->curr, curr);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_mean_is_rounded_down_and_eligibility_is_exact),
		cmocka_unit_test(test_the_running_entity_counts_in_the_mean),
		cmocka_unit_test(test_a_lag_is_bounded_by_two_slices_or_a_tick),
		cmocka_unit_test(test_a_lag_outlives_that_its_owner_moves_the_mean),
		cmocka_unit_test(test_without_place_lag_everyone_comes_back_at_the_mean),
		cmocka_unit_test(test_a_new_task_has_half_a_slice_and_no_lag),
		cmocka_unit_test(test_slices_are_asked_for_within_bounds_and_inherited),
		cmocka_unit_test(test_what_is_left_of_a_request_goes_along),
		cmocka_unit_test(test_a_new_weight_keeps_lag_and_rest_of_the_request),
		cmocka_unit_test(test_a_used_up_slice_reschedules_if_somebody_waits),
		cmocka_unit_test(test_protection_ends_with_the_slice),
		cmocka_unit_test(test_the_earliest_deadline_of_the_eligible_is_picked),
		cmocka_unit_test(test_who_runs_goes_on_while_it_is_protected_and_eligible),
		cmocka_unit_test(test_a_buddy_is_picked_by_its_own_switch),
		cmocka_unit_test(test_who_preempts_by_waking),
		cmocka_unit_test(test_what_is_idle_is_preempted_by_what_is_not),
		cmocka_unit_test(test_a_yield_gives_up_the_slice),
		cmocka_unit_test(test_who_had_its_part_yields_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
