/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "base/rng.h"
#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

#define NCPUS 13u

static struct hand h;

/* A task that is not queued, only to ask with. */
static struct task *asker(uint64_t deadline_ns)
{
	const struct task_attr attr = {.policy = POLICY_DEADLINE,
				       .dl = {.runtime_ns = NS_PER_MS,
					      .deadline_ns = 100 * NS_PER_MS}};
	struct task *p = sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]);

	p->dl->deadline_ns = deadline_ns;
	return p;
}

static void test_free_cpus_come_first_then_the_latest_deadline(void **state)
{
	struct mask *later;
	struct task *p;

	hand_init(&h, "3.19", 1, 3, 1);
	later = h.m->rd.later;
	p = asker(50);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), 0);
	assert_int_equal(mask_weight(later), 3);
	/* who looks at deadlines only finds none */
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, NULL), CPU_NONE);
	cpudl_set(hand_k(&h, 0), 0, 60);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), 1);
	assert_int_equal(mask_weight(later), 2);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, NULL), 0);
	cpudl_set(hand_k(&h, 0), 1, 70);
	cpudl_set(hand_k(&h, 0), 2, 65);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), 1);
	assert_int_equal(mask_weight(later), 1);
	/* later than P is needed, not equal */
	p->dl->deadline_ns = 70;
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), CPU_NONE);
	p->dl->deadline_ns = 69;
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), 1);
	cpudl_set(hand_k(&h, 0), 1, 61);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), CPU_NONE);
	cpudl_clear(hand_k(&h, 0), 2);
	assert_int_equal(cpudl_find(hand_k(&h, 0), p, later), 2);
	cpudl_clear(hand_k(&h, 0), 0);
	cpudl_clear(hand_k(&h, 0), 1);
	hand_free(&h);
}

/* Random changes; deadlines differ, so the latest is one CPU's, and cpudl_find() must name it. */
static void test_heap_agrees_with_a_plain_search(void **state)
{
	struct rng r = rng_stream(1, "cpudl", 0);
	uint64_t deadline_ns[NCPUS] = {0};
	struct task *p;

	hand_init(&h, "3.19", 1, NCPUS, 1);
	p = asker(1);
	for (uint64_t i = 0; i < 20000; i++) {
		uint32_t cpu = (uint32_t)rng_below(&r, NCPUS), latest = CPU_NONE;

		if (rng_below(&r, 4)) {
			deadline_ns[cpu] = (2 + rng_below(&r, 1000)) * 100 + cpu;
			cpudl_set(hand_k(&h, 0), cpu, deadline_ns[cpu]);
		} else {
			deadline_ns[cpu] = 0;
			cpudl_clear(hand_k(&h, 0), cpu);
		}
		cpudl_audit(h.m);
		for (uint32_t c = 0; c < NCPUS; c++)
			if (deadline_ns[c] &&
			    (latest == CPU_NONE || deadline_ns[c] > deadline_ns[latest]))
				latest = c;
		assert_int_equal(cpudl_find(hand_k(&h, 0), p, NULL), latest);
	}
	for (uint32_t c = 0; c < NCPUS; c++)
		cpudl_clear(hand_k(&h, 0), c);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_cpus_come_first_then_the_latest_deadline),
		cmocka_unit_test(test_heap_agrees_with_a_plain_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
