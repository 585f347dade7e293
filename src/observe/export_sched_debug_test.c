/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>

#include "observe/export_sched_debug.h"
#include "observe/hand_machine.h"

static struct hand_machine h;
static struct text t;

static const char *export_now(uint64_t now_ns)
{
	struct rql_error e;

	text_free(&t);
	assert_true(export_sched_debug(&t, &h.m, now_ns, &e));
	return text_cstr(&t);
}

static void make_machine(uint32_t ncpus)
{
	hand_machine_init(&h, ncpus);
	h.kver.sched_debug_version = "v0.09";
	strcpy(h.kver.version, "2.6.35");
}

static void queue(uint32_t id, uint32_t cpu, const char *comm, uint64_t vruntime_vns, bool running)
{
	struct task *p = &h.task[id - 1];
	struct rq *rq = &h.cpu[cpu].rq;

	strcpy(p->comm, comm);
	p->cpu = cpu;
	p->se.on_rq = true;
	p->se.vruntime_vns = vruntime_vns;
	rq->nr_running++;
	if (running)
		rq->curr = p;
}

static void test_header(void **state)
{
	static const char want[] = "Sched Debug Version: v0.09, 2.6.35 #1\n"
				   "now at 8628482.555712 msecs\n"
				   "  .jiffies                                 : 8628482\n"
				   "  .sysctl_sched_latency                    : 24.000000\n"
				   "  .sysctl_sched_min_granularity            : 8.000000\n"
				   "  .sysctl_sched_wakeup_granularity         : 4.000000\n"
				   "  .sysctl_sched_child_runs_first           : 0\n"
				   "  .sysctl_sched_features                   : 5\n"
				   "  .sysctl_sched_tunable_scaling            : 1 (logaritmic)\n"
				   "\n"
				   "cpu#0, ";

	make_machine(1);
	h.m.tun.latency_ns = 24000000;
	h.m.tun.min_granularity_ns = 8000000;
	h.m.tun.wakeup_granularity_ns = 4000000;
	/* three known features, the first and the last of them on */
	feature_set_add(&h.kver.known, FEAT_FAIR_SLEEPERS);
	feature_set_add(&h.kver.known, FEAT_START_DEBIT);
	feature_set_add(&h.kver.known, FEAT_LB_BIAS);
	h.kver.features = h.kver.known;
	feature_set_remove(&h.kver.features, FEAT_START_DEBIT);
	assert_memory_equal(export_now(8628482555712), want, sizeof(want) - 1);
	text_free(&t);
}

static void test_cpu_without_groups_in_full(void **state)
{
	static const char want[] =
		"\n"
		"cpu#0, 0.001 MHz\n"
		"  .nr_running                    : 2\n"
		"  .load                          : 2048\n"
		"  .nr_switches                   : 2095347\n"
		"  .nr_load_updates               : 240414\n"
		"  .nr_uninterruptible            : 0\n"
		"  .next_balance                  : 4.297049\n"
		"  .curr->pid                     : 1\n"
		"  .clock                         : 3158187.674744\n"
		"  .cpu_load[0]                   : 1024\n"
		"  .cpu_load[1]                   : 1029\n"
		"  .cpu_load[2]                   : 1048\n"
		"  .cpu_load[3]                   : 1073\n"
		"  .cpu_load[4]                   : 1024\n"
		"  .yld_count                     : 1\n"
		"  .sched_switch                  : 0\n"
		"  .sched_count                   : 2148427\n"
		"  .sched_goidle                  : 698042\n"
		"  .avg_idle                      : 1000000\n"
		"  .ttwu_count                    : 3\n"
		"  .ttwu_local                    : 2\n"
		"  .bkl_count                     : 0\n"
		"\n"
		"cfs_rq[0]:/\n"
		"  .exec_clock                    : 1031666.973419\n"
		"  .MIN_vruntime                  : 846287.573662\n"
		"  .min_vruntime                  : 846280.117314\n"
		"  .max_vruntime                  : 846287.573662\n"
		"  .spread                        : 0.000000\n"
		"  .spread0                       : 0.000000\n"
		"  .nr_running                    : 2\n"
		"  .load                          : 2048\n"
		"  .nr_spread_over                : 0\n"
		"  .shares                        : 0\n"
		"\n"
		"rt_rq[0]:\n"
		"  .rt_nr_running                 : 0\n"
		"  .rt_throttled                  : 0\n"
		"  .rt_time                       : 0.000000\n"
		"  .rt_runtime                    : 950.000000\n"
		"\n"
		"runnable tasks:\n"
		"            task   PID         tree-key  switches  prio     exec-runtime"
		"         sum-exec        sum-sleep\n"
		"----------------------------------------------------------------------"
		"------------------------------------\n"
		"R           bash     1    846277.617314       391   120    846277.617314"
		"      1362.246731         0.000000 /\n"
		"              dd     2    846287.573662      2432   125    846287.573662"
		"      4709.200175         0.000000 /\n"
		"\n";
	struct rq *rq;
	struct cfs_rq *q;

	make_machine(1);
	rq = &h.cpu[0].rq;
	q = rq->cfs;
	queue(1, 0, "bash", 846277617314, true);
	queue(2, 0, "dd", 846287573662, false);
	rb_insert(&q->timeline, &h.task[1].se.node, NULL, &q->timeline.root, true);
	q->min_vruntime_vns = 846280117314;
	q->nr_running = 2;
	q->load.weight = rq->load.weight = 2048;
	h.task[0].stats.nr_switches_voluntary = 390;
	h.task[0].stats.nr_switches_involuntary = 1;
	h.task[0].se.sum_exec_ns = 1362246731;
	h.task[1].stats.nr_switches_involuntary = 2432;
	h.task[1].se.sum_exec_ns = 4709200175;
	h.task[1].nice = 5;
	rq->nr_switches = 2095347;
	rq->nr_load_updates = 240414;
	rq->next_balance = 4297049;
	rq->clock_ns = 3158187674744;
	for (uint32_t i = 0; i < CPU_LOAD_IDX_MAX; i++)
		rq->cpu_load[i] = (const uint64_t[]){1024, 1029, 1048, 1073, 1024}[i];
	rq->stats = (struct rq_stats){1, 2148427, 698042, 3, 2, 1031666973419, 0, 0};
	rq->avg_idle_ns = 1000000;
	assert_string_equal(strstr(export_now(0), "\ncpu#"), want);
	text_free(&t);
}

/* `grep -A 1 cpu#`: the line and the one after it. */
static void test_nr_running_follows_each_cpu_line(void **state)
{
	static char text[1 << 20];
	uint32_t cpu = 0;
	char *save = NULL;

	make_machine(16);
	for (uint32_t i = 0; i < 16; i++)
		h.cpu[i].rq.nr_running = i % 3 ? i : 0;
	assert_true(strlen(export_now(100)) < sizeof(text));
	strcpy(text, text_cstr(&t));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char want[64];

		if (!strstr(line, "cpu#"))
			continue;
		snprintf(want, sizeof(want), "cpu#%u, 0.001 MHz", cpu);
		assert_string_equal(line, want);
		snprintf(want, sizeof(want), "  .nr_running                    : %u",
			 cpu % 3 ? cpu : 0);
		assert_string_equal(strtok_r(NULL, "\n", &save), want);
		cpu++;
	}
	assert_int_equal(cpu, 16);
	text_free(&t);
}

static void test_groups_come_newest_first_with_their_entity(void **state)
{
	const char *a, *b, *root;

	make_machine(2);
	hand_add_group(&h, &h.group[0], "/a");
	hand_add_group(&h, &h.group[1], "/a/b");
	h.group_se[1][1].sum_exec_ns = 25919533774;
	h.group_se[1][1].load.weight = 2;
	h.cfs_rq[1][1].shares = 341;
	export_now(0);
	b = strstr(text_cstr(&t), "\ncfs_rq[1]:/a/b\n");
	a = strstr(text_cstr(&t), "\ncfs_rq[1]:/a\n");
	root = strstr(text_cstr(&t), "\ncfs_rq[1]:/\n");
	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(root);
	assert_true(b < a);
	assert_true(a < root);
	assert_non_null(strstr(a, "  .exec_clock                    : 25919.533774\n"));
	assert_non_null(strstr(a, "  .shares                        : 341\n"
				  "  .se->exec_start                : 0.000000\n"));
	assert_non_null(strstr(a, "  .se->sum_exec_runtime          : 25919.533774\n"));
	assert_non_null(strstr(a, "  .se->load.weight               : 2\n\ncfs_rq[1]:/\n"));
	assert_null(strstr(root, "se->"));
	text_free(&t);
}

static void test_negative_times_are_split_as_by_the_kernel(void **state)
{
	const char *second;

	make_machine(2);
	h.cpu[0].rq.cfs->min_vruntime_vns = 6486358497432;
	h.cpu[1].rq.cfs->min_vruntime_vns = 455159987043;
	second = strstr(export_now(0), "\ncfs_rq[1]:");
	assert_non_null(second);
	assert_non_null(strstr(second, "  .MIN_vruntime                  : 0.000001\n"));
	assert_non_null(strstr(second, "  .spread0                       : -6031198.510389\n"));
	text_free(&t);
}

static void test_tasks_are_listed_on_their_own_cpu(void **state)
{
	const char *second;

	make_machine(2);
	queue(3, 1, "late", 1, true);
	queue(2, 0, "early", 1, true);
	second = strstr(export_now(0), "\ncpu#1");
	assert_non_null(second);
	assert_non_null(strstr(second, "R           late     3 "));
	assert_null(strstr(second, "early"));
	text_free(&t);
}

static void test_other_layouts_are_refused(void **state)
{
	struct rql_error e;

	make_machine(1);
	h.kver.sched_debug_version = "v0.10";
	strcpy(h.kver.version, "3.4");
	text_init(&t);
	assert_false(export_sched_debug(&t, &h.m, 0, &e));
	assert_non_null(strstr(e.what, "3.4"));
	assert_int_equal(t.len, 0);
	text_free(&t);
}

/* The names of a real file of the next version, except what that version added or dropped. */
static void test_fields_of_a_run_queue_are_those_of_a_real_file(void **state)
{
	FILE *f = fopen(shared_path("inputs/procstats/i5_info__sched_debug"), "r");
	char line[512];
	bool in_rq = false;
	uint32_t n = 0;

	assert_non_null(f);
	make_machine(1);
	export_now(0);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, "cpu#0", 5) == 0)
			in_rq = true;
		else if (line[0] == '\n')
			in_rq = false;
		else if (in_rq) {
			line[strcspn(line, ":") + 1] = 0;
			assert_non_null(strstr(text_cstr(&t), line));
			n++;
		}
	}
	fclose(f);
	assert_int_equal(n, 19);
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_cpu_without_groups_in_full),
		cmocka_unit_test(test_nr_running_follows_each_cpu_line),
		cmocka_unit_test(test_groups_come_newest_first_with_their_entity),
		cmocka_unit_test(test_negative_times_are_split_as_by_the_kernel),
		cmocka_unit_test(test_tasks_are_listed_on_their_own_cpu),
		cmocka_unit_test(test_other_layouts_are_refused),
		cmocka_unit_test(test_fields_of_a_run_queue_are_those_of_a_real_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
