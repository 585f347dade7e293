/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a CPU's part in the sums of its groups is looked at. That sums lead to the same
 * decisions as the CPUs themselves is tested in tests/reference/cpu_sums_test.c.
 */
#include "support.h"

#include "sched/hand_machine.h"
#include "sched/select/cpu_sums.h"

static struct hand h;

/* Two sockets of two cores; nothing but the scheduler writes to queues. */
static void start(void)
{
	hand_init(&h, "5.5", 2, 2, 1);
	cpu_sums_refresh(hand_k(&h, 0));
	h.by_rules = true;
}

static const struct cpu_sums *sums_at(uint32_t cpu, uint32_t level)
{
	const struct cpu_sums *sums = hand_sd(&h, cpu, level)->groups->sgc->sums;

	assert_non_null(sums);
	return sums;
}

static void test_what_changed_is_in_the_sums_of_all_its_groups(void **state)
{
	start();
	assert_int_equal(sums_at(2, 1)->idle_cpus, 2);
	hand_tasks(&h, 2, 3);
	cpu_sums_refresh(hand_k(&h, 0));
	assert_int_equal(sums_at(2, 0)->nr_running, 3);
	assert_int_equal(sums_at(2, 1)->nr_running, 3);
	assert_int_equal(sums_at(2, 1)->h_nr_running, 3);
	assert_int_equal(sums_at(2, 1)->crowded_cpus, 1);
	assert_int_equal(sums_at(2, 1)->idle_cpus, 1);
	assert_true(sums_at(2, 1)->load_avg == hand_rq(&h, 2)->cfs->avg.load_avg);
	assert_int_equal(sums_at(0, 1)->nr_running, 0);
	hand_free(&h);
}

/* Its holder may go on changing it after somebody looked. */
static void test_a_locked_queue_is_looked_at_again(void **state)
{
	struct rq *rq;

	start();
	rq = hand_rq(&h, 1);
	rq_lock(hand_k(&h, 1), rq);
	rq->cfs->avg.load_avg = 5;
	cpu_sums_refresh(hand_k(&h, 0));
	assert_true(sums_at(1, 1)->load_avg == 5);
	rq->cfs->avg.load_avg = 7;
	cpu_sums_refresh(hand_k(&h, 0));
	assert_true(sums_at(1, 1)->load_avg == 7);
	rq->cfs->avg.load_avg = 9;
	rq_unlock(hand_k(&h, 1), rq);
	cpu_sums_refresh(hand_k(&h, 0));
	assert_true(sums_at(1, 1)->load_avg == 9);
	/* and no more: this is against the rules */
	rq->cfs->avg.load_avg = 11;
	cpu_sums_refresh(hand_k(&h, 0));
	assert_true(sums_at(1, 1)->load_avg == 9);
	hand_drop(&h);
}

static void look_and_audit(struct hand *hand, struct kctx *k, struct klock *l)
{
	cpu_sums_refresh(k);
	cpu_sums_audit(hand->m);
}

/* A task that wakes through the other socket's list, looked at wherever others could come in. */
static void test_the_wake_list_counts_without_the_lock(void **state)
{
	struct task *p;

	start();
	p = hand_task(&h, 2, 0);
	sched_schedule(hand_k(&h, 2));
	hand_task(&h, 2, 0);
	hand_sleep(&h, 2);
	hand_tasks(&h, 0, 1);
	hand_tasks(&h, 1, 1);
	hand_sleep(&h, 2);
	cpu_sums_refresh(hand_k(&h, 0));
	assert_int_equal(sums_at(2, 1)->idle_cpus, 2);
	h.before = look_and_audit;
	p->allowed = hand_cpus(&h, 4);
	p->nr_allowed = 1;
	sched_wake(hand_k(&h, 0), p, 0);
	assert_non_null(hand_rq(&h, 2)->wake_list);
	cpu_sums_refresh(hand_k(&h, 0));
	assert_int_equal(sums_at(2, 1)->idle_cpus, 1);
	sched_ipi(hand_k(&h, 2));
	cpu_sums_refresh(hand_k(&h, 0));
	assert_int_equal(sums_at(2, 1)->nr_running, 1);
	hand_free(&h);
}

/* Eight nodes in a row: at each distance every node has other neighbours. */
static void test_groups_beyond_the_room_have_no_sums(void **state)
{
	uint32_t kept = 0;

	memset(&h, 0, sizeof(h));
	hand_topology(&h.topo, 8, 2, 1);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t j = 0; j < 8; j++)
			h.topo.distance[8 * i + j] = (uint8_t)(10 + 3 * (i < j ? j - i : i - j));
	hand_build(&h, "5.5");
	for (uint32_t i = 0; i < h.m->nsgroups; i++)
		kept += h.m->sgroups[i]->sgc->sums != NULL;
	assert_in_range(kept, 16, h.m->nsgroups - 1);
	hand_tasks(&h, 3, 2);
	cpu_sums_refresh(hand_k(&h, 0));
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_changed_is_in_the_sums_of_all_its_groups),
		cmocka_unit_test(test_a_locked_queue_is_looked_at_again),
		cmocka_unit_test(test_the_wake_list_counts_without_the_lock),
		cmocka_unit_test(test_groups_beyond_the_room_have_no_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
