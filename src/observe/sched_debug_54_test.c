/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/sched_debug of 5.4 and sched/debug of 6.1: the whole text of 5.4, and the lines of both
 * against what a recorded 6.1 wrote, read by the same reader.
 */
#include "support.h"

#include <ctype.h>
#include <stdlib.h>

#include "observe/export_sched_debug.h"
#include "observe/hand_machine.h"

static struct hand_machine h;
static struct text t;

/* Any object will do: the exporter only asks whether there is one. */
static const struct util_est_ops *const some_util_est = (const struct util_est_ops *)&h;

static void make_machine(uint32_t ncpus)
{
	hand_machine_init(&h, ncpus);
	h.kver.sched_debug_version = "v0.11";
	h.kver.util_est = some_util_est;
	strcpy(h.kver.version, "5.4");
	h.kver.schedstat_version = 15;
	h.m.tick_ns = 4000000;
	for (uint32_t i = 0; i < HAND_TASKS; i++) {
		h.task[i].state = TASK_NEW;
		h.task[i].prio = 120;
	}
	for (uint32_t i = 0; i < ncpus; i++) {
		struct rq *rq = &h.cpu[i].rq;

		list_init(&rq->leaf_cfs_rqs);
		list_add(&rq->leaf_cfs_rqs, &rq->cfs->leaf_node);
	}
}

static const char *export_at(uint64_t now_ns)
{
	struct rql_error e;

	text_free(&t);
	assert_true(export_sched_debug(&t, &h.m, now_ns, &e));
	return text_cstr(&t);
}

static struct task *place(uint32_t id, uint32_t cpu, const char *comm, enum task_state state)
{
	struct task *p = &h.task[id - 1];

	strcpy(p->comm, comm);
	p->cpu = cpu;
	p->state = (uint8_t)state;
	p->se.on_rq = state == TASK_RUNNING;
	return p;
}

/* ---- The whole text ---- */

static void fill_rq(struct rq *rq)
{
	rq->nr_running = 2;
	rq->nr_switches = 1741;
	rq->next_balance = 686;
	rq->clock_ns = 2824605741;
	rq->avg_idle_ns = 857430;
	rq->max_idle_balance_cost_ns = 500000;
	rq->stats = (struct rq_stats){1, 137510, 628, 827, 491, 362766995, 0, 0};
	rq->rt.nr_running = 1;
	rq->rt.nr_migratory = 1;
	rq->rt.time_ns = 15497666;
	rq->rt.runtime_ns = 950000000;
	rq->dl.nr_running = 3;
	rq->dl.nr_migratory = 2;
}

static void fill_cfs_rq(struct cfs_rq *q)
{
	q->min_vruntime_vns = 23342771595;
	q->nr_running = 2;
	q->load.weight = 2097152;
	q->pelt.runnable_weight = 2097152;
	q->avg.load_avg = 22;
	q->avg.runnable_avg = 10;
	q->avg.util_avg = 11;
	q->avg.util_est.enqueued = 64;
	q->pelt.removed.load_avg = 3;
	q->pelt.removed.util_avg = 4;
	q->pelt.removed.runnable = 5;
	q->pelt.tg_load_avg_contrib = 6;
	q->bw.throttled = true;
	q->pelt.throttle_count = 7;
	q->tg->load_avg = 8;
}

static void test_one_cpu_in_full(void **state)
{
	static const char want[] =
		"Sched Debug Version: v0.11, 5.4 #1\n"
		"ktime                                   : 2827.242213\n"
		"sched_clk                               : 2827.242213\n"
		"cpu_clk                                 : 2827.242213\n"
		"jiffies                                 : 4294893002\n"
		"sched_clock_stable()                    : 1\n"
		"\n"
		"sysctl_sched\n"
		"  .sysctl_sched_latency                    : 18.000000\n"
		"  .sysctl_sched_min_granularity            : 2.250000\n"
		"  .sysctl_sched_wakeup_granularity         : 3.000000\n"
		"  .sysctl_sched_child_runs_first           : 0\n"
		"  .sysctl_sched_features                   : 0\n"
		"  .sysctl_sched_tunable_scaling            : 1 (logarithmic)\n"
		"\n"
		"cpu#0, 0.001 MHz\n"
		"  .nr_running                    : 2\n"
		"  .nr_switches                   : 1741\n"
		"  .nr_load_updates               : 0\n"
		"  .nr_uninterruptible            : 0\n"
		"  .next_balance                  : 4294.892982\n"
		"  .curr->pid                     : 1\n"
		"  .clock                         : 2824.605741\n"
		"  .clock_task                    : 2824.605741\n"
		"  .avg_idle                      : 857430\n"
		"  .max_idle_balance_cost         : 500000\n"
		"  .yld_count                     : 1\n"
		"  .sched_count                   : 137510\n"
		"  .sched_goidle                  : 628\n"
		"  .ttwu_count                    : 827\n"
		"  .ttwu_local                    : 491\n"
		"\n"
		"cfs_rq[0]:/\n"
		"  .exec_clock                    : 362.766995\n"
		"  .MIN_vruntime                  : 23342.771595\n"
		"  .min_vruntime                  : 23342.771595\n"
		"  .max_vruntime                  : 23342.771595\n"
		"  .spread                        : 0.000000\n"
		"  .spread0                       : 0.000000\n"
		"  .nr_spread_over                : 0\n"
		"  .nr_running                    : 2\n"
		"  .load                          : 2097152\n"
		"  .runnable_weight               : 2097152\n"
		"  .load_avg                      : 22\n"
		"  .runnable_load_avg             : 10\n"
		"  .util_avg                      : 11\n"
		"  .util_est_enqueued             : 64\n"
		"  .removed.load_avg              : 3\n"
		"  .removed.util_avg              : 4\n"
		"  .removed.runnable_sum          : 5\n"
		"  .tg_load_avg_contrib           : 6\n"
		"  .tg_load_avg                   : 8\n"
		"  .throttled                     : 1\n"
		"  .throttle_count                : 7\n"
		"\n"
		"rt_rq[0]:\n"
		"  .rt_nr_running                 : 1\n"
		"  .rt_nr_migratory               : 1\n"
		"  .rt_throttled                  : 0\n"
		"  .rt_time                       : 15.497666\n"
		"  .rt_runtime                    : 950.000000\n"
		"\n"
		"dl_rq[0]:\n"
		"  .dl_nr_running                 : 3\n"
		"  .dl_nr_migratory               : 2\n"
		"  .dl_bw->bw                     : 996147\n"
		"  .dl_bw->total_bw               : 104857\n"
		"\n"
		"runnable tasks:\n"
		" S           task   PID         tree-key  switches  prio     wait-time"
		"             sum-exec        sum-sleep\n"
		"----------------------------------------------------------------------"
		"-------------------------------------\n"
		">R        systemd     1     23298.741023      2199   120         1.500000"
		"      1954.757008         0.000000 2 0 /\n"
		" R    kworker/0:1     2     23342.771595         0   119         0.000000"
		"         0.000000         0.000000 2 0 /\n"
		" S    migration/0     3         0.000000         0     0         0.000000"
		"         0.000000         0.000000 2 0 /\n"
		" S       deadline     4         0.000000         0    -1         0.000000"
		"         0.000000         0.000000 2 0 /\n"
		"\n";
	struct task *p;
	struct rq *rq;

	make_machine(1);
	rq = &h.cpu[0].rq;
	h.cpu[0].node = 2;
	h.m.tun.latency_ns = 18000000;
	h.m.tun.min_granularity_ns = 2250000;
	h.m.tun.wakeup_granularity_ns = 3000000;
	h.m.rd.dl_bw.bw = 996147;
	h.m.rd.dl_bw.total_bw = 104857;
	fill_rq(rq);
	fill_cfs_rq(rq->cfs);
	p = place(1, 0, "systemd", TASK_RUNNING);
	rq->curr = p;
	p->se.vruntime_vns = 23298741023;
	p->stats.nr_switches_voluntary = 2190;
	p->stats.nr_switches_involuntary = 9;
	p->stats.run_delay_ns = 1500000;
	p->se.sum_exec_ns = 1954757008;
	p = place(2, 0, "kworker/0:1", TASK_RUNNING);
	p->prio = 119;
	p->se.vruntime_vns = 23342771595;
	rb_insert(&rq->cfs->timeline, &p->se.node, NULL, &rq->cfs->timeline.root, true);
	place(3, 0, "migration/0", TASK_INTERRUPTIBLE)->prio = 0;
	place(4, 0, "deadline", TASK_INTERRUPTIBLE)->prio = DL_PRIO;
	place(5, 0, "gone", TASK_DEAD);
	place(6, 0, "to come", TASK_NEW);
	assert_string_equal(export_at(2827242213), want);
	text_free(&t);
}

/* 5.4.22 showed 2059067 with the defaults of its features, one bit each in its own order. */
static void test_features_have_the_bits_of_the_kernel(void **state)
{
	static const enum feature off[] = {FEAT_NEXT_BUDDY,  FEAT_HRTICK, FEAT_DOUBLE_TICK,
					   FEAT_SIS_AVG_CPU, FEAT_LB_MIN, FEAT_WARN_DOUBLE_CLOCK};
	static const enum feature on[] = {FEAT_GENTLE_FAIR_SLEEPERS,
					  FEAT_START_DEBIT,
					  FEAT_LAST_BUDDY,
					  FEAT_CACHE_HOT_BUDDY,
					  FEAT_WAKEUP_PREEMPTION,
					  FEAT_NONTASK_CAPACITY,
					  FEAT_TTWU_QUEUE,
					  FEAT_SIS_PROP,
					  FEAT_RT_PUSH_IPI,
					  FEAT_RT_RUNTIME_SHARE,
					  FEAT_ATTACH_AGE_LOAD,
					  FEAT_WA_IDLE,
					  FEAT_WA_WEIGHT,
					  FEAT_WA_BIAS,
					  FEAT_UTIL_EST};
	static const char name[] = "  .sysctl_sched_features                   : ";
	const char *at;

	make_machine(1);
	for (uint32_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		feature_set_add(&h.kver.known, off[i]);
	for (uint32_t i = 0; i < sizeof(on) / sizeof(on[0]); i++)
		feature_set_add(&h.kver.known, on[i]);
	h.kver.features = h.kver.known;
	for (uint32_t i = 0; i < sizeof(off) / sizeof(off[0]); i++)
		feature_set_remove(&h.kver.features, off[i]);
	at = strstr(export_at(0), name);
	assert_non_null(at);
	assert_int_equal(strtoull(at + sizeof(name) - 1, NULL, 10), 2059067);
	/* 5.5 has one more, after them */
	feature_set_add(&h.kver.known, FEAT_UTIL_EST_FASTUP);
	feature_set_add(&h.kver.features, FEAT_UTIL_EST_FASTUP);
	at = strstr(export_at(0), name);
	assert_int_equal(strtoull(at + sizeof(name) - 1, NULL, 10), 2059067 + (1 << 21));
	text_free(&t);
}

/* The leaf list is printed, not all groups: an empty one whose averages are gone is not there. */
static void test_groups_in_the_leaf_list_come_with_their_entity(void **state)
{
	const char *b, *root;

	make_machine(2);
	hand_add_group(&h, &h.group[0], "/a");
	hand_add_group(&h, &h.group[1], "/a/b");
	list_add(&h.cpu[1].rq.leaf_cfs_rqs, &h.cfs_rq[2][1].leaf_node);
	h.group_se[2][1].sum_exec_ns = 25919533774;
	h.group_se[2][1].load.weight = 2048;
	h.group_se[2][1].runnable_weight = 1024;
	h.group_se[2][1].avg = (struct sched_avg){.load_avg = 1, .util_avg = 2, .runnable_avg = 3};
	export_at(0);
	b = strstr(text_cstr(&t), "\ncfs_rq[1]:/a/b\n");
	root = strstr(text_cstr(&t), "\ncfs_rq[1]:/\n");
	assert_non_null(b);
	assert_non_null(root);
	assert_true(b < root);
	assert_null(strstr(text_cstr(&t), "cfs_rq[1]:/a\n"));
	assert_null(strstr(text_cstr(&t), "cfs_rq[0]:/a"));
	assert_non_null(strstr(b, "  .throttle_count                : 0\n"
				  "  .se->exec_start                : 0.000000\n"));
	assert_non_null(strstr(b, "  .se->sum_exec_runtime          : 25919.533774\n"));
	assert_non_null(strstr(b, "  .se->load.weight               : 2048\n"
				  "  .se->runnable_weight           : 1024\n"
				  "  .se->avg.load_avg              : 1\n"
				  "  .se->avg.util_avg              : 2\n"
				  "  .se->avg.runnable_load_avg     : 3\n\ncfs_rq[1]:/\n"));
	assert_null(strstr(root, "se->"));
	text_free(&t);
}

static void test_tasks_are_listed_where_they_are_or_slept(void **state)
{
	const char *second;

	make_machine(2);
	h.cpu[1].rq.curr = place(3, 1, "runs", TASK_RUNNING);
	place(2, 1, "sleeps", TASK_INTERRUPTIBLE);
	place(4, 0, "other", TASK_INTERRUPTIBLE);
	second = strstr(export_at(0), "\ncpu#1");
	assert_non_null(second);
	assert_non_null(strstr(second, "\n>R           runs     3 "));
	assert_non_null(strstr(second, "\n S         sleeps     2 "));
	assert_null(strstr(second, "other"));
	assert_non_null(strstr(text_cstr(&t), "\n S          other     4 "));
	text_free(&t);
}

static void test_the_earlier_layouts_of_v011_are_refused(void **state)
{
	struct rql_error e;

	/* before PELT as it is now: 3.18 to 4.0 */
	make_machine(1);
	h.kver.util_est = NULL;
	strcpy(h.kver.version, "3.19");
	text_init(&t);
	assert_false(export_sched_debug(&t, &h.m, 0, &e));
	assert_non_null(strstr(e.what, "3.19"));
	assert_int_equal(t.len, 0);
	text_free(&t);
}

/* ---- One reader for ours and a recorded 6.1's ---- */

#define LINES_MAX 200

/* Lines as "SECTION NAME SHAPE", without numbers of CPUs. */
struct shapes {
	uint32_t n;
	char line[LINES_MAX][80];
};

static struct shapes ours, theirs;

/* "i" a whole number, "m" with six decimals, "n" with three, "t" anything else. */
static char shape_of(const char *value)
{
	size_t whole, digits;

	if (*value == '-')
		value++;
	whole = strspn(value, "0123456789");
	if (!whole)
		return 't';
	if (!value[whole])
		return 'i';
	digits = strspn(value + whole + 1, "0123456789");
	if (value[whole] != '.' || value[whole + 1 + digits])
		return 't';
	return digits == 6 ? 'm' : digits == 3 ? 'n' : 't';
}

/* A row of tasks as the shapes of its columns behind the name, which ends at NAME_END. */
static void add_task_row(struct shapes *s, const char *line, size_t name_end)
{
	char copy[512], *save = NULL;
	char shapes[20] = "";
	size_t n = 0;

	assert_true(strlen(line) > name_end && strlen(line) < sizeof(copy));
	strcpy(copy, line + name_end);
	assert_int_equal(copy[0], ' ');
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		shapes[n++] = shape_of(w);
	snprintf(s->line[s->n++], sizeof(s->line[0]), "task %s", shapes);
}

/* "NAME : VALUE"; the value stands in the same column everywhere in a section. */
static void add_field(struct shapes *s, const char *section, const char *line, long column)
{
	const char *colon = strstr(line, ": ");
	char name[51];

	assert_non_null(colon);
	assert_int_equal(colon - line, column);
	assert_int_equal(sscanf(line, "%50s", name), 1);
	snprintf(s->line[s->n++], sizeof(s->line[0]), "%.17s %s %c", section,
		 name[0] == '.' ? name + 1 : name, shape_of(colon + 2));
}

/* Up to the first row of the first CPU's tasks. */
static void read_shapes(struct shapes *s, const char *text)
{
	static char copy[1 << 20];
	char *save = NULL, section[40] = "head";
	size_t name_end = 0;

	memset(s, 0, sizeof(*s));
	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(s->n < LINES_MAX);
		if (strncmp(line, "Sched Debug Version: v0.11, ", 28) == 0 || line[0] == '-')
			continue;
		if (name_end) {
			add_task_row(s, line, name_end);
			return;
		}
		if (strncmp(line, "  .", 3) == 0) {
			add_field(s, section, line, strcmp(section, "sysctl_sched") ? 33 : 43);
		} else if (strstr(line, "tree-key") || strstr(line, "eligible")) {
			name_end = (size_t)(strstr(line, "task") + 4 - line);
		} else if (strcmp(section, "head") == 0 && strstr(line, ": ")) {
			add_field(s, section, line, 40);
		} else {
			snprintf(section, sizeof(section), "%s", line);
			section[strcspn(section, "#[")] = 0;
		}
	}
	fail_msg("no row of tasks");
}

static bool drop(struct shapes *s, const char *line)
{
	for (uint32_t i = 0; i < s->n; i++) {
		if (strcmp(s->line[i], line) != 0)
			continue;
		memmove(s->line[i], s->line[i + 1], (LINES_MAX - 1 - i) * sizeof(s->line[0]));
		s->n--;
		return true;
	}
	return false;
}

/* What the two kernels differ in; everything else is the same lines in the same order. */
static const char *const only_54[] = {
	"cpu nr_load_updates i",         "cfs_rq runnable_weight i", "cfs_rq runnable_load_avg i",
	"cfs_rq removed.runnable_sum i", "task imiimmmiit",
};
static const char *const only_61[] = {
	"sysctl_sched sysctl_sched_idle_min_granularity m",
	"cfs_rq h_nr_running i",
	"cfs_rq idle_nr_running i",
	"cfs_rq idle_h_nr_running i",
	"cfs_rq runnable_avg i",
	"cfs_rq removed.runnable_avg i",
	"task imiimmmmiit",
};

static void test_lines_are_those_of_a_recorded_6_1_but_for_what_changed(void **state)
{
	static char text[1 << 20];

	shared_text("truth/data/6.1/trace-rep0/sched_debug_boot.txt.gz", text, sizeof(text));
	read_shapes(&theirs, text);
	make_machine(2);
	place(1, 0, "one", TASK_INTERRUPTIBLE);
	read_shapes(&ours, export_at(0));
	assert_int_equal(ours.n, 6 + 5 + 15 + 21 + 5 + 4 + 1);
	for (uint32_t i = 0; i < sizeof(only_54) / sizeof(only_54[0]); i++)
		if (!drop(&ours, only_54[i]))
			fail_msg("not in ours: %s", only_54[i]);
	for (uint32_t i = 0; i < sizeof(only_61) / sizeof(only_61[0]); i++)
		if (!drop(&theirs, only_61[i]))
			fail_msg("not in theirs: %s", only_61[i]);
	assert_int_equal(ours.n, theirs.n);
	for (uint32_t i = 0; i < ours.n; i++)
		assert_string_equal(ours.line[i], theirs.line[i]);
	text_free(&t);
}

/* The same lines in the same order, of the same shapes. */
static void test_lines_of_6_1_are_those_of_a_recorded_one(void **state)
{
	static char text[1 << 20];

	shared_text("truth/data/6.1/trace-rep0/sched_debug_boot.txt.gz", text, sizeof(text));
	read_shapes(&theirs, text);
	make_machine(2);
	feature_set_add(&h.kver.features, FEAT_RUNNABLE_COUNT);
	strcpy(h.kver.version, "6.1");
	place(1, 0, "one", TASK_INTERRUPTIBLE);
	read_shapes(&ours, export_at(0));
	assert_int_equal(ours.n, theirs.n);
	for (uint32_t i = 0; i < ours.n; i++)
		assert_string_equal(ours.line[i], theirs.line[i]);
	text_free(&t);
}

static void make_machine_612(uint32_t ncpus)
{
	make_machine(ncpus);
	feature_set_add(&h.kver.features, FEAT_RUNNABLE_COUNT);
	h.kver.schedstat_version = 16;
	strcpy(h.kver.version, "6.12");
}

static void test_lines_of_6_12_are_those_of_a_recorded_one(void **state)
{
	static char text[1 << 20];
	const char *columns;
	struct task *p;

	shared_text("truth/data/6.12/trace-rep0/sched_debug_boot.txt.gz", text, sizeof(text));
	read_shapes(&theirs, text);
	/* their first line of columns and dashes */
	columns = strstr(text, "\n S            task");
	*strstr(strstr(columns, "\n---"), "-\n ") = 0;
	make_machine_612(2);
	p = place(1, 0, "one", TASK_INTERRUPTIBLE);
	p->se.cfs_rq = &h.cfs_rq[0][0];
	read_shapes(&ours, export_at(0));
	assert_non_null(strstr(text_cstr(&t), columns));
	assert_int_equal(ours.n, theirs.n);
	for (uint32_t i = 0; i < ours.n; i++)
		assert_string_equal(ours.line[i], theirs.line[i]);
	text_free(&t);
}

/* Of vruntimes 10, 20 and 36 ms, the last running: left 10, right (the later deadline) 20, mean 22 less a bit. */
static void test_virtual_times_of_6_12(void **state)
{
	static const char want[] = "  .left_deadline                 : 21.000000\n"
				   "  .left_vruntime                 : 10.000000\n"
				   "  .zero_vruntime                 : 20.000000\n"
				   "  .avg_vruntime                  : 21.999999\n"
				   "  .right_vruntime                : 10.000000\n"
				   "  .spread                        : 0.000000\n"
				   "  .nr_running                    : 3\n"
				   "  .h_nr_runnable                 : 4\n"
				   "  .h_nr_queued                   : 5\n"
				   "  .h_nr_delayed                  : 1\n";
	struct task *early, *late, *runs;
	struct cfs_rq *q;

	make_machine_612(1);
	q = &h.cfs_rq[0][0];
	early = place(1, 0, "early", TASK_RUNNING);
	late = place(2, 0, "late", TASK_RUNNING);
	runs = place(3, 0, "runs", TASK_RUNNING);
	early->se.cfs_rq = late->se.cfs_rq = runs->se.cfs_rq = q;
	early->se.load.weight = late->se.load.weight = runs->se.load.weight = 1 << 20;
	late->se.vruntime_vns = 10000000;
	late->se.deadline_vns = 23000000;
	late->se.custom_slice = true;
	late->se.slice_ns = 700000;
	early->se.vruntime_vns = 20000000;
	early->se.deadline_vns = 21000000;
	runs->se.vruntime_vns = 35999998;
	early->prio = 120;
	/* early is the root, late to the right of it */
	early->se.node.right = &late->se.node;
	early->se.least_vruntime_vns = 10000000;
	q->timeline.root = q->timeline.leftmost = &early->se.node;
	q->min_vruntime_vns = 20000000;
	q->avg_vruntime = -10000000LL * 1024;
	q->avg_load = 2048;
	q->curr = &runs->se;
	h.cpu[0].rq.curr = runs;
	q->nr_running = 3;
	q->h_nr_running = 5;
	q->h_nr_delayed = 1;
	assert_non_null(strstr(export_at(0), want));
	assert_non_null(strstr(text_cstr(&t),
			       "\n R           early     1        20.000000   E          21.000000"
			       "           0.000000         0.000000         0     120"));
	assert_non_null(strstr(text_cstr(&t),
			       "\n R            late     2        10.000000   E          23.000000"
			       " S         0.700000 "));
	assert_non_null(strstr(text_cstr(&t), "\n>R            runs     3        35.999998   N "));
	text_free(&t);
}

/* What a group's entity shows lost its prefix; the record has no group. */
static void test_a_groups_entity_in_6_1(void **state)
{
	static const char want[] = "  .se->sum_exec_runtime          : 7.000000\n"
				   "  .wait_start                    : 0.000000\n"
				   "  .sleep_start                   : 0.000000\n"
				   "  .block_start                   : 0.000000\n"
				   "  .sleep_max                     : 0.000000\n"
				   "  .block_max                     : 0.000000\n"
				   "  .exec_max                      : 0.000000\n"
				   "  .slice_max                     : 0.000000\n"
				   "  .wait_max                      : 0.000000\n"
				   "  .wait_sum                      : 0.000000\n"
				   "  .wait_count                    : 0\n"
				   "  .se->load.weight               : 3072\n"
				   "  .se->avg.load_avg              : 3\n"
				   "  .se->avg.util_avg              : 4\n"
				   "  .se->avg.runnable_avg          : 5\n"
				   "\n";
	struct entity *se;

	make_machine(1);
	feature_set_add(&h.kver.features, FEAT_RUNNABLE_COUNT);
	hand_add_group(&h, &h.group[0], "/b");
	se = &h.group_se[1][0];
	se->sum_exec_ns = 7000000;
	se->load.weight = 3072;
	se->avg.load_avg = 3;
	se->avg.util_avg = 4;
	se->avg.runnable_avg = 5;
	list_add(&h.cpu[0].rq.leaf_cfs_rqs, &h.cfs_rq[1][0].leaf_node);
	assert_non_null(strstr(export_at(0), want));
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_cpu_in_full),
		cmocka_unit_test(test_features_have_the_bits_of_the_kernel),
		cmocka_unit_test(test_groups_in_the_leaf_list_come_with_their_entity),
		cmocka_unit_test(test_tasks_are_listed_where_they_are_or_slept),
		cmocka_unit_test(test_the_earlier_layouts_of_v011_are_refused),
		cmocka_unit_test(test_lines_are_those_of_a_recorded_6_1_but_for_what_changed),
		cmocka_unit_test(test_lines_of_6_1_are_those_of_a_recorded_one),
		cmocka_unit_test(test_lines_of_6_12_are_those_of_a_recorded_one),
		cmocka_unit_test(test_virtual_times_of_6_12),
		cmocka_unit_test(test_a_groups_entity_in_6_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
