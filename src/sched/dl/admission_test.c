/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 0.95 of a CPU is floor(0.95 x 2^20) = 996147. */
#include "support.h"

#include "sched/dl/dl.h"
#include "sched/hand_machine.h"

#define MS NS_PER_MS
#define S NS_PER_S

static struct hand h;

static enum policy_refusal asked(struct dl_params dl)
{
	const struct task_attr attr = {.policy = POLICY_DEADLINE, .dl = dl};

	return sched_may_create(h.m, &attr);
}

static enum policy_refusal change(struct task *p, struct dl_params dl)
{
	const struct policy_change c = {POLICY_DEADLINE, 0, &dl};

	return sched_set_policy(hand_k(&h, 0), p, &c);
}

static void test_bandwidths_add_up_to_the_real_time_share(void **state)
{
	for (uint32_t ncpus = 1; ncpus <= 4; ncpus *= 2) {
		hand_init(&h, "3.19", 1, ncpus, 1);
		assert_int_equal(h.m->rd.dl_bw.bw, 996147);
		for (uint32_t i = 0; i < ncpus; i++) {
			/* 471859 twice and 52428: one less than the share */
			hand_dl_task(&h, i, 9, 20, 20);
			hand_dl_task(&h, i, 9, 20, 20);
			hand_dl_task(&h, i, 1, 20, 20);
		}
		assert_int_equal(h.m->rd.dl_bw.total_bw, 996146 * ncpus);
		/* floor(2^20 / 262144) = 4 is more than is left on up to 3 CPUs */
		assert_int_equal(asked((struct dl_params){MS, 1048576 * MS, 0, 0}), POLICY_GRANTED);
		assert_int_equal(asked((struct dl_params){MS, 1000 * MS, 0, 0}), POLICY_EBUSY);
		assert_int_equal(asked((struct dl_params){5 * MS, 1048576 * MS, 0, 0}),
				 ncpus > 4 ? POLICY_GRANTED : POLICY_EBUSY);
		hand_free(&h);
	}
}

static void test_bad_parameters_are_refused(void **state)
{
	static const struct {
		struct dl_params dl;
		enum policy_refusal why;
	} rows[] = {
		{{1024, 10 * MS, 10 * MS, 0}, POLICY_GRANTED},
		{{1023, 10 * MS, 10 * MS, 0}, POLICY_EINVAL},
		{{0, 10 * MS, 10 * MS, 0}, POLICY_EINVAL},
		{{9 * MS, 9 * MS, 10 * MS, 0}, POLICY_GRANTED},
		{{9 * MS, 9 * MS - 1, 10 * MS, 0}, POLICY_EINVAL},
		{{MS, 10 * MS, 10 * MS - 1, 0}, POLICY_EINVAL},
		{{MS, 10 * MS, 0, 0}, POLICY_GRANTED},
		{{MS, 0, 10 * MS, 0}, POLICY_EINVAL},
		{{MS, UINT64_MAX, 0, 0}, POLICY_EINVAL},
		/* reclaiming is of later kernels; 1 is SCHED_FLAG_RESET_ON_FORK */
		{{MS, 10 * MS, 0, DL_RECLAIM}, POLICY_EINVAL},
		{{MS, 10 * MS, 0, 1}, POLICY_EINVAL},
		/* more than all there is */
		{{10 * MS, 10 * MS, 0, 0}, POLICY_EBUSY},
	};

	hand_init(&h, "3.19", 1, 1, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(asked(rows[i].dl), rows[i].why);
	hand_free(&h);
	hand_init(&h, "3.19,+dl-grub", 1, 1, 1);
	assert_int_equal(asked((struct dl_params){MS, 10 * MS, 0, DL_RECLAIM}), POLICY_GRANTED);
	hand_free(&h);
}

static void test_kernels_without_the_class_refuse_it(void **state)
{
	static const char *const kernels[] = {"2.6.31", "2.6.35", "3.3", "3.4"};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct task *p;

		hand_init(&h, kernels[i], 1, 1, 1);
		assert_int_equal(asked((struct dl_params){MS, 10 * MS, 0, 0}), POLICY_EINVAL);
		p = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		assert_int_equal(change(p, (struct dl_params){MS, 10 * MS, 0, 0}), POLICY_EINVAL);
		assert_null(p->dl);
		hand_free(&h);
	}
}

static void test_task_must_be_allowed_on_every_cpu(void **state)
{
	uint64_t mem[MASK_WORDS(2)];
	struct mask *only = mask_init(mem, 2);
	struct task_attr attr = {
		.policy = POLICY_DEADLINE, .dl = {MS, 10 * MS, 0, 0}, .cpus = only};
	struct task *p;

	hand_init(&h, "3.19", 1, 2, 1);
	mask_set(only, 0);
	assert_int_equal(sched_may_create(h.m, &attr), POLICY_EPERM);
	p = hand_dl_task(&h, 0, 1, 10, 10);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(sched_set_affinity(hand_k(&h, 0), p, only), POLICY_EBUSY_CPUS);
	assert_int_equal(p->nr_allowed, 2);
	mask_set(only, 1);
	assert_int_equal(sched_may_create(h.m, &attr), POLICY_GRANTED);
	assert_int_equal(sched_set_affinity(hand_k(&h, 0), p, only), POLICY_GRANTED);
	/* confined first, it cannot join */
	hand_policy(&h, 0, p, POLICY_NORMAL, 0);
	mask_clear(only, 1);
	assert_int_equal(sched_set_affinity(hand_k(&h, 0), p, only), POLICY_GRANTED);
	assert_int_equal(change(p, attr.dl), POLICY_EPERM);
	assert_int_equal(p->policy, POLICY_NORMAL);
	hand_free(&h);
}

static void test_no_limit_means_no_test(void **state)
{
	uint64_t mem[MASK_WORDS(2)];
	struct mask *only = mask_init(mem, 2);
	struct task *p;

	hand_init(&h, "3.19,sched_rt_runtime_us=-1", 1, 2, 1);
	mask_set(only, 1);
	for (uint32_t i = 0; i < 5; i++)
		p = hand_dl_task(&h, 0, 10, 10, 10);
	assert_int_equal(sched_set_affinity(hand_k(&h, 0), p, only), POLICY_GRANTED);
	assert_int_equal(hand_rq(&h, p->cpu)->dl.nr_migratory,
			 hand_rq(&h, p->cpu)->dl.nr_running - 1);
	hand_free(&h);
	/* and a limit of nothing that there is nothing to have */
	hand_init(&h, "3.19,sched_rt_runtime_us=0", 1, 2, 1);
	assert_int_equal(asked((struct dl_params){MS, 10 * S, 0, 0}), POLICY_EPERM);
	hand_free(&h);
}

static void test_change_counts_only_the_difference(void **state)
{
	struct task *p;

	hand_init(&h, "3.19", 1, 1, 1);
	p = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	assert_int_equal(change(p, (struct dl_params){9 * MS, 10 * MS, 0, 0}), POLICY_GRANTED);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 943718);
	assert_int_equal(change(p, (struct dl_params){95 * MS, 100 * MS, 0, 0}), POLICY_GRANTED);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 996147);
	assert_int_equal(change(p, (struct dl_params){96 * MS, 100 * MS, 0, 0}), POLICY_EBUSY);
	assert_int_equal(p->dl->dl_runtime_ns, 95 * MS);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 996147);
	assert_int_equal(change(p, (struct dl_params){MS, 4 * MS, 0, 0}), POLICY_GRANTED);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 262144);
	hand_policy(&h, 0, p, POLICY_FIFO, 1);
	assert_int_equal(h.m->rd.dl_bw.total_bw, 0);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bandwidths_add_up_to_the_real_time_share),
		cmocka_unit_test(test_bad_parameters_are_refused),
		cmocka_unit_test(test_kernels_without_the_class_refuse_it),
		cmocka_unit_test(test_task_must_be_allowed_on_every_cpu),
		cmocka_unit_test(test_no_limit_means_no_test),
		cmocka_unit_test(test_change_counts_only_the_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
