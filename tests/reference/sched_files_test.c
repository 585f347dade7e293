/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --sched-files against what real kernels showed: every domain of every CPU, byte for byte but for
 * the cost of balancing, which a run makes; features and tunables. 6.12's domains are built on
 * the rules of that kernel whatever the rest of it is.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/machine.h"
#include "kver/kver.h"
#include "observe/sched_features.h"
#include "observe/sched_files.h"
#include "sched/domain/domain.h"
#include "sched/sched.h"

#define TEXT_MAX (1 << 20)
#define LINES_MAX 1000

static char theirs[TEXT_MAX], ours[TEXT_MAX];

struct lines {
	char *line[LINES_MAX];
	int n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* " max_newidle_lb_cost=N" goes from LINE. */
static void drop_cost(char *line)
{
	char *at = strstr(line, " max_newidle_lb_cost=");
	char *end;

	assert_non_null(at);
	end = strchr(at + 1, ' ');
	assert_non_null(end);
	memmove(at, end, strlen(end) + 1);
}

/* The lines of TEXT that begin with PREFIX, in order of their text. */
static void lines_with(struct lines *l, char *text, const char *prefix, bool domains)
{
	char *save = NULL;

	l->n = 0;
	for (char *s = strtok_r(text, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		if (strncmp(s, prefix, strlen(prefix)) != 0)
			continue;
		assert_true(l->n < LINES_MAX);
		if (domains)
			drop_cost(s);
		l->line[l->n++] = s;
	}
	qsort(l->line, (size_t)l->n, sizeof(l->line[0]), by_text);
}

/* What KERNEL shows on MACHINE at its start; RULES, if not NULL, are for domains, with schedstat's VERSION. */
static void export(const char *kernel, const char *machine, const struct domain_rules *rules,
		   uint32_t version)
{
	struct sched_config cfg = {.max_tasks = 1};
	struct prices prices = {0};
	struct topology topo;
	struct rql_error e;
	struct machine *m;
	struct arena a;
	struct kver v;
	size_t bytes;
	void *mem;
	struct text t;

	assert_true(kver_parse(kernel, &v, &e));
	if (rules) {
		v.domains = rules;
		v.schedstat_version = version;
	}
	assert_true(machine_load(machine, &topo, &e));
	cfg.topo = &topo;
	cfg.v = &v;
	cfg.prices = &prices;
	bytes = sched_memory_bound(&cfg);
	mem = calloc(1, bytes);
	assert_non_null(mem);
	arena_init(&a, mem, bytes);
	m = sched_init(&a, &cfg, &e);
	assert_non_null(m);
	text_init(&t);
	assert_true(export_sched_files(&t, m, &e));
	assert_true(t.len < sizeof(ours));
	strcpy(ours, text_cstr(&t));
	text_free(&t);
	topology_free(&topo);
	free(mem);
}

static void test_domains_are_those_of_the_records(void **state)
{
	static const struct {
		const char *record, *machine;
	} rows[] = {
		{"t4", "1x4x1"},
		{"t16", "2x4x2"},
		{"t2x16", "2x16x1"},
		{"t64", "2x16x2"},
	};
	static const struct {
		const char *kernel;
		const struct domain_rules *rules;
		uint32_t schedstat;
	} kernels[] = {
		{"6.1", NULL, 0},
		{"6.12", &domain_rules_612, 16},
	};

	for (size_t k = 0; k < sizeof(kernels) / sizeof(kernels[0]); k++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			struct lines a, b;
			char path[200];

			snprintf(path, sizeof(path), "truth/data/%s/topo-%s-rep0/sched_domains.txt",
				 kernels[k].kernel, rows[i].record);
			shared_text(path, theirs, sizeof(theirs));
			export("6.1-debian", rows[i].machine, kernels[k].rules,
			       kernels[k].schedstat);
			lines_with(&a, theirs, "cpu", true);
			lines_with(&b, ours, "cpu", true);
			assert_true(a.n > 0);
			assert_int_equal(a.n, b.n);
			for (int n = 0; n < a.n; n++)
				assert_string_equal(a.line[n], b.line[n]);
		}
	}
}

/* Two machines: on four CPUs other factors hold. */
static void test_tunables_are_those_of_the_records(void **state)
{
	static const struct {
		const char *record, *machine;
	} rows[] = {{"t4", "1x4x1"}, {"t16", "2x4x2"}};
	static const char *const files[] = {
		"features=",
		"idle_min_granularity_ns=",
		"latency_ns=",
		"migration_cost_ns=",
		"min_granularity_ns=",
		"nr_migrate=",
		"wakeup_granularity_ns=",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
			struct lines a, b;
			char path[200];

			snprintf(path, sizeof(path),
				 "truth/data/6.1/topo-%s-rep0/sched_tunables.txt", rows[i].record);
			shared_text(path, theirs, sizeof(theirs));
			export("6.1-debian", rows[i].machine, NULL, 0);
			lines_with(&a, theirs, files[f], false);
			lines_with(&b, ours, files[f], false);
			assert_int_equal(a.n, 1);
			assert_int_equal(b.n, 1);
			assert_string_equal(a.line[0], b.line[0]);
		}
	}
}

/* sysctl_sched_features of a recorded sched/debug. */
static void test_the_features_have_the_recorded_bits(void **state)
{
	static const char name[] = ".sysctl_sched_features                   : ";
	struct rql_error e;
	const char *at;
	struct kver v;

	shared_text("truth/data/6.1/topo-t16-rep0/sched_debug_boot.txt.gz", theirs, sizeof(theirs));
	at = strstr(theirs, name);
	assert_non_null(at);
	assert_true(kver_parse("6.1-debian", &v, &e));
	assert_int_equal(sched_feature_bits(&v), strtoull(at + strlen(name), NULL, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_domains_are_those_of_the_records),
		cmocka_unit_test(test_tunables_are_those_of_the_records),
		cmocka_unit_test(test_the_features_have_the_recorded_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
