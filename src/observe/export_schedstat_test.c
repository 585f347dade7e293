/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "observe/export_schedstat.h"
#include "observe/hand_machine.h"

/* ---- A small reader of the format, for what we write and what kernels wrote ---- */

#define LINES_MAX 2048
#define FIELDS_MAX 64

struct stat_line {
	char name[16];  /* "cpu0", "domain1" */
	char mask[512]; /* of a domain, else empty */
	uint32_t nfields;
	unsigned long long field[FIELDS_MAX];
};

struct stat_file {
	unsigned long version;
	unsigned long long timestamp;
	uint32_t nlines;
	struct stat_line line[LINES_MAX];
};

static struct stat_file ours, theirs;

static void read_line(struct stat_file *f, char *text)
{
	struct stat_line *l = &f->line[f->nlines];
	char *save = NULL;
	char *word = strtok_r(text, " ", &save);

	if (!word)
		return;
	if (strcmp(word, "version") == 0) {
		f->version = strtoul(strtok_r(NULL, " ", &save), NULL, 10);
		return;
	}
	if (strcmp(word, "timestamp") == 0) {
		f->timestamp = strtoull(strtok_r(NULL, " ", &save), NULL, 10);
		return;
	}
	memset(l, 0, sizeof(*l));
	snprintf(l->name, sizeof(l->name), "%s", word);
	if (strncmp(word, "domain", 6) == 0)
		snprintf(l->mask, sizeof(l->mask), "%s", strtok_r(NULL, " ", &save));
	while ((word = strtok_r(NULL, " ", &save))) {
		char *end;

		assert_true(l->nfields < FIELDS_MAX);
		l->field[l->nfields++] = strtoull(word, &end, 10);
		assert_int_equal(*end, 0);
	}
	f->nlines++;
}

static void read_text(struct stat_file *f, const char *text)
{
	static char copy[1 << 20];
	char *save = NULL;

	assert_true(strlen(text) < sizeof(copy));
	strcpy(copy, text);
	memset(f, 0, sizeof(*f));
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(f->nlines < LINES_MAX);
		read_line(f, line);
	}
}

static void read_shared(struct stat_file *f, const char *path)
{
	static char text[1 << 20];

	shared_text(path, text, sizeof(text));
	read_text(f, text);
}

/* ---- Machines ---- */

static struct hand_machine h;
static struct sched_domain domain[HAND_CPUS][2];

/* NCPUS CPUs, two levels: pairs of neighbours and everything. */
static void make_machine(uint32_t ncpus)
{
	static uint64_t pair_mem[HAND_CPUS][MASK_WORDS(HAND_CPUS)];

	hand_machine_init(&h, ncpus);
	h.kver.schedstat_version = 15;
	memset(domain, 0, sizeof(domain));
	for (uint32_t i = 0; i < ncpus; i++) {
		struct mask *pair = mask_init(pair_mem[i], ncpus);

		mask_set(pair, i & ~1u);
		mask_set(pair, i | 1u);
		domain[i][0].span = pair;
		domain[i][1].span = h.m.online;
		domain[i][0].parent = &domain[i][1];
		h.cpu[i].rq.sd = &domain[i][0];
	}
}

static void export_to(struct stat_file *f, uint64_t now_ns)
{
	struct rql_error e;
	struct text t;

	text_init(&t);
	assert_true(export_schedstat(&t, &h.m, now_ns, &e));
	read_text(f, text_cstr(&t));
	text_free(&t);
}

static void fill_domain_stats(struct domain_stats *s)
{
	uint64_t n = 1;

	for (uint32_t idle = 0; idle < CPU_IDLE_TYPES; idle++) {
		s->lb_count[idle] = n++;
		s->lb_balanced[idle] = n++;
		s->lb_failed[idle] = n++;
		s->lb_imbalance[idle] = n++;
		s->lb_gained[idle] = n++;
		s->lb_hot_gained[idle] = n++;
		s->lb_nobusyq[idle] = n++;
		s->lb_nobusyg[idle] = n++;
	}
	s->alb_count = n++;
	s->alb_failed = n++;
	s->alb_pushed = n++;
	s->ttwu_wake_remote = 34;
	s->ttwu_move_affine = 35;
}

/* ---- Tests ---- */

static void test_whole_file(void **state)
{
	struct rql_error e;
	struct text t;

	make_machine(2);
	h.cpu[0].rq.stats = (struct rq_stats){1, 3, 4, 5, 6, 7, 8, 9};
	domain[0][0].parent = NULL;
	h.cpu[1].rq.sd = NULL;
	fill_domain_stats(&domain[0][0].stats);
	text_init(&t);
	assert_true(export_schedstat(&t, &h.m, 1234567890, &e));
	assert_string_equal(text_cstr(&t), "version 15\n"
					   "timestamp 1234\n"
					   "cpu0 1 0 3 4 5 6 7 8 9\n"
					   "domain0 3 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 "
					   "19 20 21 22 23 24 25 26 27 0 0 0 0 0 0 34 35 0\n"
					   "cpu1 0 0 0 0 0 0 0 0 0\n");
	text_free(&t);
}

static void test_only_online_cpus_are_listed(void **state)
{
	struct mask *online;

	make_machine(4);
	online = hand_mask(&h);
	mask_set(online, 1);
	mask_set(online, 3);
	h.m.online = online;
	export_to(&ours, 0);
	assert_int_equal(ours.nlines, 6);
	assert_string_equal(ours.line[0].name, "cpu1");
	assert_string_equal(ours.line[3].name, "cpu3");
}

static void test_counters_wrap_at_32_bits_and_times_do_not(void **state)
{
	make_machine(2);
	h.cpu[0].rq.stats = (struct rq_stats){
		.yld_count = (UINT64_C(1) << 32) + 5,
		.sched_count = UINT32_MAX,
		.ttwu_count = UINT64_C(3) << 32,
		.rq_cpu_time_ns = UINT64_MAX,
		.run_delay_ns = (UINT64_C(1) << 32) + 6,
		.pcount = (UINT64_C(1) << 32) + 7,
	};
	domain[0][0].stats.lb_imbalance[CPU_IDLE] = (UINT64_C(1) << 32) + 8;
	export_to(&ours, 0);
	assert_int_equal(ours.line[0].field[0], 5);
	assert_int_equal(ours.line[0].field[2], UINT32_MAX);
	assert_int_equal(ours.line[0].field[4], 0);
	assert_true(ours.line[0].field[6] == UINT64_MAX);
	assert_true(ours.line[0].field[7] == (UINT64_C(1) << 32) + 6);
	assert_true(ours.line[0].field[8] == (UINT64_C(1) << 32) + 7);
	assert_int_equal(ours.line[1].field[3], 8);
}

static void test_masks_are_printed_as_by_the_kernel(void **state)
{
	static const struct {
		uint32_t nbits, bit;
		const char *text;
	} rows[] = {
		{1, 0, "1"},
		{4, 3, "8"},
		{5, 4, "10"},
		{16, 0, "0001"},
		{31, 30, "40000000"},
		{32, 31, "80000000"},
		{33, 32, "1,00000000"},
		{40, 33, "02,00000000"},
		{64, 63, "80000000,00000000"},
		{128, 64, "00000000,00000001,00000000,00000000"},
		{104, 103, "80,00000000,00000000,00000000"},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t mem[MASK_WORDS(HAND_CPUS)];
		struct mask *m = mask_init(mem, rows[i].nbits);
		struct text t;

		mask_set(m, rows[i].bit);
		text_init(&t);
		text_cpumask(&t, m, rows[i].nbits);
		assert_string_equal(text_cstr(&t), rows[i].text);
		text_free(&t);
	}
}

static void assert_same_shape(const struct stat_line *a, const struct stat_line *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->nfields, b->nfields);
	assert_int_equal(strlen(a->mask), strlen(b->mask));
}

static void test_fields_are_those_of_real_files(void **state)
{
	static const struct {
		const char *path;
		uint32_t ncpus; /* of ours, for masks of the same width */
	} rows[] = {
		{"inputs/procstats/procfs__schedstat", 64},
		{"inputs/procstats/node_exporter__schedstat", 64},
		{"inputs/procstats/lkml-power9-128__schedstat-before", 128},
		{"inputs/procstats/lkml-power9-128__schedstat-after", 128},
		{"inputs/procstats/khandevops__schedstat-1cpu", 1},
	};

	for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		read_shared(&theirs, rows[i].path);
		make_machine(rows[i].ncpus);
		export_to(&ours, 0);
		assert_int_equal(theirs.version, ours.version);
		assert_same_shape(&theirs.line[0], &ours.line[0]);
		for (uint32_t k = 1; k < theirs.nlines; k++) {
			bool is_cpu = theirs.line[k].mask[0] == 0;

			assert_int_equal(theirs.line[k].nfields, ours.line[is_cpu ? 0 : 1].nfields);
			assert_int_equal(strlen(theirs.line[k].mask),
					 strlen(ours.line[is_cpu ? 0 : 1].mask));
		}
	}
}

static void test_a_machine_of_104_cpus_has_as_many_lines(void **state)
{
	uint32_t ncpus = 0;

	read_shared(&theirs, "inputs/procstats/domain_nr_running__schedstat-104cpu.txt");
	for (uint32_t i = 0; i < theirs.nlines; i++)
		ncpus += theirs.line[i].mask[0] == 0;
	assert_int_equal(ncpus, 104);
	make_machine(ncpus);
	export_to(&ours, 0);
	assert_int_equal(ours.nlines, 3 * 104);
	for (uint32_t i = 0; i < theirs.nlines; i++)
		assert_int_equal(theirs.line[i].nfields, theirs.line[i].mask[0] ? 36 : 9);
	for (uint32_t i = 0; i < ours.nlines; i++)
		assert_int_equal(ours.line[i].nfields, ours.line[i].mask[0] ? 36 : 9);
}

/* What 6.1 (version 15) and 6.12 (version 16) wrote on a machine of 16 CPUs and 3 levels. */
static void test_recorded_kernels_write_the_same_lines(void **state)
{
	static const struct {
		const char *path;
		uint32_t version;
	} rows[] = {
		{"truth/data/6.1/main-rep0/a.schedstat1.gz", 15},
		{"truth/data/6.12/main-rep0/a.schedstat1.gz", 16},
	};
	static const struct util_est_ops *const any = (const struct util_est_ops *)&rows;

	for (uint32_t i = 0; i < 2; i++) {
		read_shared(&theirs, rows[i].path);
		make_machine(16);
		h.m.tick_ns = 4000000;
		h.kver.schedstat_version = rows[i].version;
		h.kver.util_est = any;
		export_to(&ours, 60 * UINT64_C(1000000000));
		assert_int_equal(ours.version, theirs.version);
		assert_int_equal(theirs.nlines, 16 * 4);
		assert_int_equal(ours.nlines, 16 * 3);
		for (uint32_t k = 0; k < 64; k++) {
			const struct stat_line *l = &theirs.line[k];
			const struct stat_line *m = &ours.line[k / 4 * 3 + (k % 4 > 0)];

			assert_int_equal(l->nfields, m->nfields);
			assert_int_equal(strlen(l->mask), strlen(m->mask));
			if (k % 4 == 0)
				assert_string_equal(l->name, m->name);
			/* the counters that are never counted */
			assert_int_equal(k % 4 ? l->field[35] : l->field[1], 0);
			for (uint32_t c = 27; k % 4 && c < 33; c++)
				assert_int_equal(l->field[c], 0);
		}
		/* both count jiffies from the same start; the recording ends after 147 s at most */
		assert_int_equal(ours.timestamp, 4294892296 + 60 * 250);
		assert_in_range(theirs.timestamp, 4294892296, 4294892296 + 147 * 250);
	}
}

/*
 * Which group of columns is which: spinners were moved only by CPUs that were busy, so
 * lb_gained stands in the first group in version 16 and in the second in version 15.
 */
static void test_versions_15_and_16_order_idle_and_busy_differently(void **state)
{
	static const struct {
		const char *path;
		uint32_t version, busy_at;
	} rows[] = {
		{"truth/data/6.1/main-rep0/a.schedstat", 15, 8},
		{"truth/data/6.12/main-rep0/a.schedstat", 16, 0},
	};

	for (uint32_t i = 0; i < 2; i++) {
		unsigned long long gained[2] = {0};
		char path[100];

		make_machine(2);
		h.kver.schedstat_version = rows[i].version;
		domain[0][0].stats.lb_gained[CPU_NOT_IDLE] = 77;
		domain[0][0].stats.lb_gained[CPU_IDLE] = 5;
		domain[0][0].stats.lb_gained[CPU_NEWLY_IDLE] = 6;
		export_to(&ours, 0);
		assert_int_equal(ours.line[1].field[rows[i].busy_at + 4], 77);
		assert_int_equal(ours.line[1].field[8 - rows[i].busy_at + 4], 5);
		assert_int_equal(ours.line[1].field[16 + 4], 6);
		for (int end = 0; end < 2; end++) {
			snprintf(path, sizeof(path), "%s%d.gz", rows[i].path, end);
			read_shared(&theirs, path);
			for (uint32_t k = 0; k < theirs.nlines; k++)
				if (strcmp(theirs.line[k].name, "domain0") == 0)
					gained[end] += theirs.line[k].field[rows[i].busy_at + 4];
		}
		assert_true(gained[1] - gained[0] > 500);
	}
}

static void test_other_layouts_are_refused(void **state)
{
	struct rql_error e;
	struct text t;

	make_machine(2);
	h.kver.schedstat_version = 17;
	strcpy(h.kver.version, "6.15");
	text_init(&t);
	assert_false(export_schedstat(&t, &h.m, 0, &e));
	assert_non_null(strstr(e.what, "6.15"));
	assert_int_equal(t.len, 0);
	text_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_file),
		cmocka_unit_test(test_only_online_cpus_are_listed),
		cmocka_unit_test(test_counters_wrap_at_32_bits_and_times_do_not),
		cmocka_unit_test(test_masks_are_printed_as_by_the_kernel),
		cmocka_unit_test(test_fields_are_those_of_real_files),
		cmocka_unit_test(test_a_machine_of_104_cpus_has_as_many_lines),
		cmocka_unit_test(test_recorded_kernels_write_the_same_lines),
		cmocka_unit_test(test_versions_15_and_16_order_idle_and_busy_differently),
		cmocka_unit_test(test_other_layouts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
