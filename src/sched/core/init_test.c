/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "sched/domain/domain.h"
#include "sched/hand_machine.h"

static struct hand h;

/* Boot values grow with 1 + log2 of the number of CPUs, up to 8 of them. */
static void test_tunables_are_scaled_by_the_number_of_cpus(void **state)
{
	static const struct {
		uint32_t ncpus;
		uint64_t factor;
	} rows[] = {{1, 1}, {2, 2}, {3, 2}, {4, 3}, {7, 3}, {8, 4}, {9, 4}, {16, 4}, {64, 4}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t f = rows[i].factor;

		hand_init(&h, "2.6.34", 1, rows[i].ncpus, 1);
		assert_int_equal(h.m->tun.latency_ns, 5 * NS_PER_MS * f);
		assert_int_equal(h.m->tun.min_granularity_ns, NS_PER_MS * f);
		assert_int_equal(h.m->tun.wakeup_granularity_ns, NS_PER_MS * f);
		assert_int_equal(h.m->tun.shares_ratelimit_ns, 250 * NS_PER_US * f);
		assert_int_equal(h.m->tun.nr_latency, 5);
		hand_free(&h);
		hand_init(&h, "2.6.35", 1, rows[i].ncpus, 1);
		assert_int_equal(h.m->tun.latency_ns, 6 * NS_PER_MS * f);
		assert_int_equal(h.m->tun.min_granularity_ns, 2 * NS_PER_MS * f);
		assert_int_equal(h.m->tun.wakeup_granularity_ns, NS_PER_MS * f);
		assert_int_equal(h.m->tun.nr_latency, 3);
		hand_free(&h);
	}
}

/* Whatever HZ, at every edge of a jiffy, up to clocks of 292 years. */
static void test_jiffies_are_whole_ticks(void **state)
{
	static const char *const kernels[] = {"2.6.35,hz=100", "2.6.35,hz=200",  "2.6.35,hz=250",
					      "2.6.35,hz=500", "2.6.35,hz=1000", "2.6.35,hz=10000"};
	struct rng r = rng_stream(1, "jiffies", 0);

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		struct kctx *k;

		hand_init(&h, kernels[i], 1, 1, 1);
		k = hand_k(&h, 0);
		for (uint32_t j = 0; j < 20000; j++) {
			uint64_t n = rng_between(&r, 1, INT64_MAX >> rng_between(&r, 0, 62));
			uint64_t edge = (n / h.m->tick_ns + 1) * h.m->tick_ns;

			k->now_ns = n;
			assert_int_equal(jiffies(k), n / h.m->tick_ns);
			k->now_ns = edge - 1;
			assert_int_equal(jiffies(k), edge / h.m->tick_ns - 1);
			k->now_ns = edge;
			assert_int_equal(jiffies(k), edge / h.m->tick_ns);
		}
		hand_free(&h);
	}
}

static void test_some_tunables_are_never_scaled(void **state)
{
	hand_init(&h, "2.6.35", 1, 8, 1);
	assert_int_equal(h.m->tun.migration_cost_ns, 500 * NS_PER_US);
	assert_int_equal(h.m->tun.nr_migrate, 32);
	assert_int_equal(h.m->tun.shares_thresh, 4);
	assert_int_equal(h.m->tun.child_runs_first, 0);
	hand_free(&h);
}

static void test_what_the_user_sets_is_taken_as_it_is(void **state)
{
	hand_init(&h, "2.6.35,sched_wakeup_granularity_ns=3000000,sched_shares_ratelimit=7", 1, 8,
		  1);
	assert_int_equal(h.m->tun.wakeup_granularity_ns, 3000000);
	assert_int_equal(h.m->tun.shares_ratelimit_ns, 7);
	assert_int_equal(h.m->tun.latency_ns, 24 * NS_PER_MS);
	assert_int_equal(h.m->tun.nr_latency, 3);
	hand_free(&h);
}

/* Writing either sysctl recomputes it, rounding up; writing it by itself wins. */
static void test_nr_latency_follows_a_set_latency_or_granularity(void **state)
{
	static const struct {
		const char *kernel;
		uint64_t nr;
	} rows[] = {
		{"2.6.35,sched_latency_ns=20000000", 3},
		{"2.6.35,sched_latency_ns=25000000", 4},
		{"2.6.35,sched_min_granularity_ns=24000000", 1},
		{"2.6.35,sched_min_granularity_ns=1000000", 24},
		{"2.6.34,sched_latency_ns=21000000", 6},
		{"2.6.34,sched_latency_ns=21000000,sched_nr_latency=2", 2},
		{"2.6.34,sched_nr_latency=9", 9},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		hand_init(&h, rows[i].kernel, 1, 8, 1);
		assert_int_equal(h.m->tun.nr_latency, rows[i].nr);
		hand_free(&h);
	}
}

static void test_every_queue_begins_empty_and_its_min_vruntime_wraps_soon(void **state)
{
	hand_init(&h, "2.6.35", 1, 2, 2);
	for (uint32_t i = 0; i < 4; i++) {
		const struct rq *rq = hand_rq(&h, i);

		assert_int_equal(rq->cfs->min_vruntime_vns, UINT64_MAX - (1u << 20) + 1);
		assert_int_equal(rq->nr_running, 0);
		assert_int_equal(rq->load.weight, 0);
		assert_int_equal(rq->cfs->h_load, 0);
		assert_ptr_equal(rq->curr, rq->idle);
		assert_int_equal(rq->idle->se.load.weight, 1024);
		assert_int_equal(rq->avg_idle_ns, NS_PER_MS);
		assert_int_equal(rq->cpu_power, 1024);
	}
	assert_int_equal(h.m->nohz.load_balancer, CPU_NONE);
	hand_free(&h);
}

static void test_groups_are_listed_newest_first_and_the_root_last(void **state)
{
	struct task_group *a, *b, *c;
	struct list *pos;

	hand_init(&h, "2.6.35", 1, 2, 1);
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, NULL, "/b");
	c = hand_group(&h, a, "/a/c");
	pos = h.m->groups.next;
	assert_ptr_equal(container_of(pos, struct task_group, all), c);
	assert_ptr_equal(container_of(pos->next, struct task_group, all), b);
	assert_ptr_equal(container_of(pos->next->next, struct task_group, all), a);
	assert_ptr_equal(container_of(pos->next->next->next, struct task_group, all),
			 &h.m->groups_mem[0]);
	assert_ptr_equal(h.m->groups_mem[0].child, b);
	assert_ptr_equal(b->sibling, a);
	assert_ptr_equal(c->se[1].parent, &a->se[1]);
	assert_ptr_equal(c->se[1].cfs_rq, &a->cfs_rq[1]);
	assert_null(a->se[1].parent);
	assert_int_equal(a->shares, 1024);
	assert_int_equal(a->se[0].load.weight, 1024);
	assert_int_equal(a->cfs_rq[0].shares, 0);
	hand_free(&h);
}

static void test_there_is_an_end_to_groups_and_tasks(void **state)
{
	struct rql_error e;
	struct task_attr attr = {.nice = 0};

	hand_init(&h, "2.6.35", 1, 1, 1);
	for (uint32_t i = 0; i < HAND_GROUPS; i++)
		hand_group(&h, NULL, "/g");
	assert_null(sched_create_group(h.m, &h.m->groups_mem[0], "/g", &e));
	assert_string_equal(e.where, "/g");
	assert_string_equal(e.what, "no room for another group; raise the limits");
	assert_true(e.limit);
	for (uint32_t i = 0; i < HAND_TASKS; i++)
		hand_task(&h, 0, 0);
	assert_null(sched_new_task(hand_k(&h, 0), NULL, &attr, &h.m->groups_mem[0]));
	hand_free(&h);
}

static void test_a_machine_needs_an_online_cpu_and_memory(void **state)
{
	struct sched_config cfg;
	struct rql_error e;
	struct arena a;
	static unsigned char little[4096];

	hand_init(&h, "2.6.35", 1, 1, 1);
	cfg = (struct sched_config){.v = &h.v,
				    .prices = &h.prices,
				    .topo = &h.topo,
				    .port = &hand_port,
				    .max_tasks = 1};
	arena_init(&a, little, sizeof(little));
	assert_null(sched_init(&a, &cfg, &e));
	assert_true(e.limit);
	h.topo.nonline = 0;
	assert_null(sched_init(&a, &cfg, &e));
	assert_string_equal(e.what, "no CPU is online; at least one is needed");
	assert_false(e.limit);
	hand_free(&h);
}

/* The group's queues get the whole of it at once, and it becomes the newest child. */
static void test_a_write_of_shares_goes_to_every_cpu(void **state)
{
	static const struct {
		uint64_t wanted, shares;
	} rows[] = {{512, 512}, {0, 2}, {1, 2}, {1u << 20, 1u << 18}};
	struct task_group *a, *b;

	hand_init(&h, "2.6.35", 1, 2, 1);
	a = hand_group(&h, NULL, "/a");
	b = hand_group(&h, NULL, "/b");
	assert_ptr_equal(h.m->groups_mem[0].child, b);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		a->cfs_rq[1].shares = 77;
		sched_group_set_shares(hand_k(&h, 0), a, rows[i].wanted);
		if (i != 2) /* an equal value changes nothing */
			assert_int_equal(a->cfs_rq[1].shares, 0);
		else
			assert_int_equal(a->cfs_rq[1].shares, 77);
		assert_int_equal(a->shares, rows[i].shares);
		assert_int_equal(a->se[0].load.weight, rows[i].shares);
		assert_int_equal(a->se[1].load.weight, rows[i].shares);
	}
	assert_ptr_equal(h.m->groups_mem[0].child, a);
	assert_ptr_equal(a->sibling, b);
	assert_null(b->sibling);
	hand_free(&h);
}

/* A machine like h.m, whose kernel builds its domains by RULES; the memory is *MEM. */
static struct machine *with_rules(const struct domain_rules *rules, void **mem)
{
	struct sched_config cfg = {.v = &h.v,
				   .prices = &h.prices,
				   .topo = &h.topo,
				   .port = &hand_port,
				   .driver = &h,
				   .max_tasks = 4,
				   .max_groups = 1};
	struct rql_error e;
	struct machine *m;
	struct arena a;
	uint64_t bytes;

	h.v.domains = rules;
	bytes = sched_memory_bound(&cfg);
	*mem = calloc(1, bytes);
	arena_init(&a, *mem, bytes);
	m = sched_init(&a, &cfg, &e);
	assert_non_null(m);
	return m;
}

static void test_shared_domains_are_attached_with_their_shortcuts(void **state)
{
	struct machine *m;
	struct rq *rq;
	void *mem;

	hand_init(&h, "3.19", 2, 2, 2);
	assert_null(hand_rq(&h, 5)->top.sd_llc);
	assert_false(h.m->smt_active);
	h.topo.arch = TOPO_ARCH_OTHER;
	for (uint32_t i = 0; i < 8; i++)
		h.topo.cpu[i].capacity = h.topo.cpu[i].llc ? 900 : 500;
	m = with_rules(&domain_rules_54, &mem);
	rq = rq_of_cpu(m, 5);
	assert_string_equal(rq->top.sd_llc->name, "MC");
	assert_ptr_equal(rq->top.sd_llc, rq->sd->parent);
	assert_int_equal(rq->top.sd_llc_id, 0);
	assert_int_equal(rq->top.sd_llc_size, 4);
	assert_string_equal(rq->top.sd_numa->name, "NUMA");
	assert_ptr_equal(rq->top.sd_asym_cpucapacity, rq->top.sd_numa);
	assert_ptr_equal(rq_of_cpu(m, 0)->top.sd_llc_shared, rq->top.sd_llc_shared);
	assert_int_equal(rq_of_cpu(m, 6)->top.sd_llc_id, 2);
	assert_int_equal(rq->cpu_capacity_orig, 500);
	assert_int_equal(rq->cpu_capacity, 500);
	assert_int_equal(rq_of_cpu(m, 7)->cpu_capacity, 900);
	assert_int_equal(m->rd.max_cpu_capacity, 900);
	assert_false(m->rd.overload);
	assert_true(m->smt_active);
	assert_true(m->asym_cpucapacity);
	assert_false(m->cluster_active);
	free(mem);
	hand_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tunables_are_scaled_by_the_number_of_cpus),
		cmocka_unit_test(test_jiffies_are_whole_ticks),
		cmocka_unit_test(test_some_tunables_are_never_scaled),
		cmocka_unit_test(test_what_the_user_sets_is_taken_as_it_is),
		cmocka_unit_test(test_nr_latency_follows_a_set_latency_or_granularity),
		cmocka_unit_test(test_every_queue_begins_empty_and_its_min_vruntime_wraps_soon),
		cmocka_unit_test(test_groups_are_listed_newest_first_and_the_root_last),
		cmocka_unit_test(test_there_is_an_end_to_groups_and_tasks),
		cmocka_unit_test(test_a_machine_needs_an_online_cpu_and_memory),
		cmocka_unit_test(test_a_write_of_shares_goes_to_every_cpu),
		cmocka_unit_test(test_shared_domains_are_attached_with_their_shortcuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
