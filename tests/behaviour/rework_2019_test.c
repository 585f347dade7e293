/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The eleven patches of "sched/fair: rework the CFS load balance" (2019, in 5.5-rc1) and the
 * three fixes before 5.5: for each a state in which it makes the difference, without it and
 * with it. P2 only renames.
 *
 * Described in the patches' own messages; kernels 5.4, 5.4 with the patches before, 5.5.
 */
#include "support.h"

#include "sched/balance/hand_groups.h"
#include "sched/pelt/clock.h"
#include "sched/select/select_pelt.h"

#define P1 "5.4,+lb-asym-mark"
#define P2 P1 ",+lb-sum-h-nr"
#define P3 P2 ",+lb-no-small-fix"
#define P4 P3 ",+lb-group-types"
#define P5 P4 ",+lb-all-classes"
#define P6 P5 ",+lb-load-avg"
#define P7 P6 ",+lb-spread-cpus"
#define P8 P7 ",+lb-misfit-util"
#define P9 P8 ",+wake-load-avg"
#define P10 P9 ",+idlest-single-load"
#define P11 P10 ",+idlest-types"
#define F1 P11 ",+idlest-without-task"
#define F2 F1 ",+idlest-affinity"
#define F3 F2 ",+lb-relax-on-failure"

static struct hand h;

static struct hand_verdict ask(const char *kernel, struct hand_question q)
{
	q.kernel = kernel;
	return hand_ask(&q);
}

static void assert_verdict(struct hand_verdict v, enum migration_type what, int64_t imbalance)
{
	assert_int_equal(v.busiest, 1);
	assert_int_equal(v.what, what);
	assert_int_equal(v.imbalance, imbalance);
}

/* A group found by its type is not packed any more: what is above the average moves, not all. */
static void test_p1_packs_only_groups_compared_to_the_end(void **state)
{
	struct hand_question q = {
		.idle = CPU_IDLE,
		.pct = 117,
		.flags = SD_ASYM_PACKING,
		.ngroups = 2,
		.g = {{.weight = 1, .idle = 1},
		      {.weight = 1, .nr = 2, .load = 2048, .util = 1024, .asym_prefer_cpu = 1}}};

	assert_verdict(ask("5.4", q), MIGRATE_LOAD, 2048);
	assert_verdict(ask(P1, q), MIGRATE_LOAD, 1024);
}

static void test_p2_changes_nothing(void **state)
{
	struct rql_error e = {.line = 0};
	struct kver without, with;

	assert_true(kver_parse(P1, &without, &e));
	assert_true(kver_parse(P2, &with, &e));
	assert_memory_equal(&without.features, &with.features, sizeof(with.features));
	assert_memory_equal(&without.tun, &with.tun, sizeof(with.tun));
	assert_ptr_equal(without.busiest, with.busiest);
	assert_ptr_equal(without.select, with.select);
}

/* Two tasks here, three there: half a task, where a whole one moved. */
static void test_p3_leaves_an_imbalance_of_less_than_a_task(void **state)
{
	struct hand_question q = {.idle = CPU_NOT_IDLE,
				  .pct = 117,
				  .ngroups = 2,
				  .g = {{.weight = 1, .nr = 2, .load = 2048, .util = 1024},
					{.weight = 1, .nr = 3, .load = 3072, .util = 1024}}};

	assert_verdict(ask(P2, q), MIGRATE_LOAD, 1024);
	assert_verdict(ask(P3, q), MIGRATE_LOAD, 512);
}

/* Two heavy tasks here on four CPUs, four light ones there: idle CPUs count, not the load. */
static void test_p4_counts_idle_cpus_where_load_misleads(void **state)
{
	struct hand_question q = {
		.idle = CPU_IDLE,
		.pct = 117,
		.ngroups = 2,
		.g = {{.weight = 4, .nr = 2, .idle = 2, .load = 2 * 9548, .util = 2000},
		      {.weight = 4, .nr = 4, .load = 4096, .util = 4096}}};

	assert_int_equal(ask(P3, q).busiest, HAND_NONE);
	assert_verdict(ask(P4, q), MIGRATE_TASK, 1);
}

/* One fair and two real-time tasks on two full CPUs are too many only if all are counted. */
static void test_p5_counts_tasks_of_all_classes(void **state)
{
	struct hand_question q = {
		.idle = CPU_IDLE,
		.pct = 125,
		.ngroups = 2,
		.g = {{.weight = 2, .idle = 2},
		      {.weight = 2, .nr = 1, .others = 2, .load = 1024, .util = 2048}}};
	struct hand_verdict v = ask(P4, q);

	assert_int_equal(v.type[1], GROUP_HAS_SPARE);
	assert_verdict(v, MIGRATE_TASK, 1);
	v = ask(P5, q);
	assert_int_equal(v.type[1], GROUP_OVERLOADED);
	assert_verdict(v, MIGRATE_UTIL, 2048);
}

/* Two CPUs with two tasks each; on the other one sleepers left a load of 2048. */
static void test_p6_counts_the_load_of_sleepers(void **state)
{
	static const char *const kernels[] = {P5, P6};

	for (int i = 0; i < 2; i++) {
		uint64_t mem[MASK_WORDS(64)];
		struct sched_group *busiest;
		struct lb_env env = {.idle = CPU_NOT_IDLE};
		struct sd_lb_stats sds;

		hand_init(&h, kernels[i], 1, 2, 1);
		for (uint32_t cpu = 0; cpu < 2; cpu++) {
			struct sched_avg *avg = &hand_rq(&h, cpu)->cfs->avg;

			hand_tasks(&h, cpu, 2);
			avg->runnable_avg = 2048;
			avg->load_avg = cpu ? 4096 : 2048;
			avg->util_avg = 1024;
		}
		env.sd = hand_rq(&h, 0)->sd;
		env.dst_rq = hand_rq(&h, 0);
		env.dst_grpmask = env.sd->groups->cpus;
		env.cpus = mask_init(mem, 2);
		mask_copy(env.cpus, h.m->online);
		update_sd_lb_stats(hand_k(&h, 0), &env, &sds);
		assert_int_equal(sds.total_load, i ? 6144 : 4096);
		busiest = h.v.busiest->decide(hand_k(&h, 0), &env, &sds);
		if (i) {
			assert_non_null(busiest);
			assert_int_equal(env.migration_type, MIGRATE_LOAD);
			assert_int_equal(env.imbalance, 1024);
			assert_ptr_equal(find_busiest_queue_env(hand_k(&h, 0), &env, busiest),
					 hand_rq(&h, 1));
		} else {
			assert_null(busiest);
		}
		hand_free(&h);
	}
}

/* A single CPU with two tasks beside an idle one; four CPUs with one fair task and three others. */
static void test_p7_evens_out_single_cpus_and_leaves_a_single_task(void **state)
{
	struct hand_question two = {.idle = CPU_IDLE,
				    .pct = 117,
				    .ngroups = 2,
				    .g = {{.weight = 1, .idle = 1},
					  {.weight = 1, .nr = 2, .load = 2048, .util = 500}}};
	struct hand_question one = {
		.idle = CPU_IDLE,
		.pct = 117,
		.ngroups = 2,
		.g = {{.weight = 4, .idle = 4},
		      {.weight = 4, .nr = 1, .others = 3, .load = 1024, .util = 1024}}};

	assert_int_equal(ask(P6, two).busiest, HAND_NONE);
	assert_verdict(ask(P7, two), MIGRATE_TASK, 1);
	assert_verdict(ask(P6, one), MIGRATE_TASK, 2);
	assert_int_equal(ask(P7, one).busiest, HAND_NONE);
}

/* What is asked for is a task, not the load that one had when it was last seen. */
static void test_p8_asks_for_one_misfit_task(void **state)
{
	struct hand_question q = {.idle = CPU_IDLE,
				  .pct = 117,
				  .flags = SD_ASYM_CPUCAPACITY,
				  .ngroups = 2,
				  .g = {{.weight = 2, .idle = 2},
					{.weight = 2,
					 .nr = 2,
					 .load = 1400,
					 .util = 900,
					 .misfit_load = 700,
					 .capacity = 1024,
					 .min_capacity = 512,
					 .max_capacity = 512}}};

	assert_verdict(ask(P7, q), MIGRATE_MISFIT, 700);
	assert_verdict(ask(P8, q), MIGRATE_MISFIT, 1);
}

/* -- where tasks start -- */

/* NCPUS CPUs that share a cache, or two nodes of as many: P, about to start, is at home on CPU 0. */
static struct task *newcomer(const char *kernel, uint32_t nodes, uint32_t ncpus)
{
	const struct task_attr attr = {.nice = 0};
	struct task *p;

	hand_init(&h, kernel, nodes, ncpus, 1);
	p = sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]);
	assert_non_null(p);
	return p;
}

/* CPU has NR tasks, of these loads and this utilization. */
static void set_cpu(uint32_t cpu, uint32_t nr, uint64_t runnable, uint64_t load, uint64_t util)
{
	struct sched_avg *avg = &hand_rq(&h, cpu)->cfs->avg;

	hand_tasks(&h, cpu, nr);
	avg->runnable_avg = runnable;
	avg->load_avg = load;
	avg->util_avg = util;
	avg->util_est = (struct util_est){0, 0};
}

/* Where P goes for FLAG, from CPU 0's domain LEVEL. */
static uint32_t place(struct task *p, uint32_t level, uint32_t flag)
{
	return find_idlest_pelt(hand_k(&h, 0), p, hand_sd(&h, 0, level), 0, 0, flag);
}

/* P never started; take it back. */
static void finish(struct task *p)
{
	if (!p->se.on_rq)
		sched_wake_up_first(hand_k(&h, 0), p);
	hand_free(&h);
}

/* The other node has nothing runnable, but sleepers' load. */
static void test_p9_sees_sleepers_when_placing(void **state)
{
	static const char *const kernels[] = {P8, P9};

	for (uint32_t i = 0; i < 2; i++) {
		struct task *p = newcomer(kernels[i], 2, 4);

		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			set_cpu(cpu, 0, 600, 600, 0);
			set_cpu(cpu + 4, 0, 0, 2000, 0);
		}
		assert_int_equal(place(p, 1, SD_BALANCE_FORK) / 4, i ? 0 : 1);
		finish(p);
	}
}

/* 500 and 480 are equal in both, until one of them is less. */
static void test_p10_takes_the_least_of_all_loads(void **state)
{
	static const char *const kernels[] = {P9, P10};

	for (uint32_t i = 0; i < 2; i++) {
		struct task *p = newcomer(kernels[i], 1, 3);

		set_cpu(0, 0, 1000, 1000, 0);
		set_cpu(1, 0, 500, 500, 0);
		set_cpu(2, 0, 480, 480, 0);
		assert_int_equal(place(p, 0, SD_BALANCE_FORK), i ? 2 : 1);
		finish(p);
	}
}

/* An idle CPU with much load left behind, beside a busy one with less. */
static void test_p11_prefers_an_idle_cpu_whatever_its_load(void **state)
{
	static const char *const kernels[] = {P10, P11};

	for (uint32_t i = 0; i < 2; i++) {
		struct task *p = newcomer(kernels[i], 1, 2);

		set_cpu(0, 1, 1000, 1000, 1024);
		set_cpu(1, 0, 0, 3000, 0);
		assert_int_equal(place(p, 0, SD_BALANCE_FORK), i);
		finish(p);
	}
}

/*
 * A bug of P11, in 5.5 too: of two full groups nobody computed the load, so a task stays
 * although the other CPU has a ninth of it.
 */
static void test_p11_does_not_compare_full_groups(void **state)
{
	struct task *p = newcomer("5.5", 1, 2);

	set_cpu(0, 9, 9000, 9000, 1024);
	set_cpu(1, 1, 1024, 1024, 1024);
	assert_int_equal(place(p, 0, SD_BALANCE_FORK), 0);
	finish(p);
	p = newcomer(P10, 1, 2);
	set_cpu(0, 9, 9000, 9000, 1024);
	set_cpu(1, 1, 1024, 1024, 1024);
	assert_int_equal(place(p, 0, SD_BALANCE_FORK), 1);
	finish(p);
}

/*
 * Its other bug: a group's CPUs count as none, so a core with one task and an idle thread, on which
 * much ran lately, is overloaded, and a core whose threads are both taken is better.
 */
static void test_p11_does_not_count_cpus(void **state)
{
	struct task *p;

	hand_init(&h, "5.5", 1, 2, 2);
	p = hand_task(&h, 0, 0);
	sched_schedule(hand_k(&h, 0));
	p = sched_new_task(hand_k(&h, 0), NULL, &(struct task_attr){.nice = 0},
			   &h.m->groups_mem[0]);
	set_cpu(0, 0, 1024, 1024, 1024);
	set_cpu(2, 0, 0, 0, 776);
	set_cpu(1, 1, 1024, 1024, 50);
	set_cpu(3, 1, 1024, 1024, 50);
	assert_int_equal(place(p, 1, SD_BALANCE_FORK) % 2, 1);
	/* 50 less: 1750 * 117 > 2048 * 100 is false */
	set_cpu(2, 0, 0, 0, 726);
	assert_int_equal(place(p, 1, SD_BALANCE_FORK) % 2, 0);
	finish(p);
}

/* Two nodes of eight, the parent alone: idle CPUs at home are enough. */
static void test_5_5_starts_tasks_at_home_while_a_cpu_idles_there(void **state)
{
	struct task *p = newcomer("5.5", 2, 8);

	set_cpu(0, 1, 1024, 1024, 1024);
	assert_in_range(place(p, 1, SD_BALANCE_FORK), 0, 7);
	finish(p);
	p = newcomer("5.5", 2, 8);
	for (uint32_t cpu = 0; cpu < 8; cpu++)
		set_cpu(cpu, 1, 1024, 1024, 1024);
	assert_in_range(place(p, 1, SD_BALANCE_FORK), 8, 15);
	finish(p);
}

/* A task alone on its CPU that becomes another program: without it both CPUs are alike. */
static void test_f1_leaves_the_task_itself_out(void **state)
{
	static const char *const kernels[] = {P11, F1};

	for (uint32_t i = 0; i < 2; i++) {
		struct task *p;

		hand_init(&h, kernels[i], 1, 2, 1);
		p = hand_task(&h, 0, 0);
		sched_schedule(hand_k(&h, 0));
		assert_ptr_equal(hand_rq(&h, 0)->curr, p);
		assert_int_equal(place(p, 0, SD_BALANCE_EXEC), i ? 0 : 1);
		hand_free(&h);
	}
}

/* Not allowed here; where it is allowed is full, which seemed worse than here. */
static void test_f2_goes_where_the_task_is_allowed(void **state)
{
	static const char *const kernels[] = {F1, F2};

	for (uint32_t i = 0; i < 2; i++) {
		struct task *p = newcomer(kernels[i], 1, 2);

		p->allowed = hand_cpus(&h, 2);
		p->nr_allowed = 1;
		set_cpu(1, 1, 1024, 1024, 1024);
		assert_int_equal(place(p, 0, SD_BALANCE_FORK), i);
		p->allowed = h.m->online;
		p->nr_allowed = 2;
		finish(p);
	}
}

/* Half a task is more than what is to move; after failures the task moves. */
static void test_f3_relaxes_after_failures(void **state)
{
	static const struct {
		const char *kernel;
		uint32_t failed;
		uint32_t moved;
	} rows[] = {{F2, 0, 0}, {F2, 9, 0}, {F3, 0, 0}, {F3, 9, 1}};

	for (int i = 0; i < 4; i++) {
		struct lb_env env = {.idle = CPU_IDLE, .imbalance = 100};
		uint64_t mem[MASK_WORDS(64)];
		struct list taken;
		struct kctx *k;

		hand_init(&h, rows[i].kernel, 1, 2, 1);
		hand_tasks(&h, 1, 2);
		hand_at(&h, 40 * NS_PER_MS);
		k = hand_k(&h, 0);
		env.sd = hand_rq(&h, 0)->sd;
		env.sd->nr_balance_failed = rows[i].failed;
		env.src_rq = hand_rq(&h, 1);
		env.src_cpu = 1;
		env.dst_rq = hand_rq(&h, 0);
		env.loop_break = env.loop_max = 32;
		env.cpus = mask_init(mem, 2);
		list_init(&taken);
		rq_lock(k, env.src_rq);
		update_rq_clock(k, env.src_rq);
		assert_int_equal(detach_tasks(k, &env, &taken), rows[i].moved);
		rq_unlock(k, env.src_rq);
		attach_tasks(k, &env, &taken);
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_p1_packs_only_groups_compared_to_the_end),
		cmocka_unit_test(test_p2_changes_nothing),
		cmocka_unit_test(test_p3_leaves_an_imbalance_of_less_than_a_task),
		cmocka_unit_test(test_p4_counts_idle_cpus_where_load_misleads),
		cmocka_unit_test(test_p5_counts_tasks_of_all_classes),
		cmocka_unit_test(test_p6_counts_the_load_of_sleepers),
		cmocka_unit_test(test_p7_evens_out_single_cpus_and_leaves_a_single_task),
		cmocka_unit_test(test_p8_asks_for_one_misfit_task),
		cmocka_unit_test(test_p9_sees_sleepers_when_placing),
		cmocka_unit_test(test_p10_takes_the_least_of_all_loads),
		cmocka_unit_test(test_p11_prefers_an_idle_cpu_whatever_its_load),
		cmocka_unit_test(test_p11_does_not_compare_full_groups),
		cmocka_unit_test(test_p11_does_not_count_cpus),
		cmocka_unit_test(test_5_5_starts_tasks_at_home_while_a_cpu_idles_there),
		cmocka_unit_test(test_f1_leaves_the_task_itself_out),
		cmocka_unit_test(test_f2_goes_where_the_task_is_allowed),
		cmocka_unit_test(test_f3_relaxes_after_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
