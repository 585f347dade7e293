/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains that real kernels 6.1 and 6.12 built for five machines (tests/truth), against
 * those built here: how many CPUs have, at each depth, the same name, span, intervals and
 * so on. All of them must.
 */
#include "experiment/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "experiment/truth_figures.h"
#include "observe/cpulist.h"
#include "observe/topo_text.h"

#define DEPTHS 3u
#define TEXT_MAX 2048

/* Fields of a domain, as tests/truth writes them. */
/* clang-format off */
#define FIELDS(X) \
	X(NAME, "name") X(SPAN, "span") X(MIN_INTERVAL, "min_interval") X(MAX_INTERVAL, "max_interval") \
	X(BUSY_FACTOR, "busy_factor") X(IMBALANCE_PCT, "imbalance_pct") X(CACHE_NICE_TRIES, "cache_nice_tries") \
	X(FLAGS, "flags") X(GROUPS, "groups")
/* clang-format on */
#define ID(id, text) FIELD_##id,
enum field {
	FIELDS(ID) FIELDS_N
};

#define TEXT_OF(id, text) text,
static const char *const field_names[FIELDS_N] = {FIELDS(TEXT_OF)};

struct recorded {
	const char *machine, *kernel;
	const char *const *lines; /* NULL ends them */
};

#define TRUTH_DOMAINS(machine, kernel, ...)                                                        \
	{machine, kernel, (const char *const[]){__VA_ARGS__, NULL}},
static const struct recorded recorded[] = {
#include "experiment/truth_domains.def"
};

/* How many CPUs agree, and how many had such a domain in reality. */
struct measured {
	uint32_t agree[DEPTHS][FIELDS_N];
	uint32_t domains; /* that are here, over all CPUs and depths */
};

/* -- a domain's field as text -- */

static uint32_t speaker_of(const struct sched_group *sg)
{
	return mask_first(sg->sgc->balance_mask);
}

/* From the group that speaks for the lowest CPU on; a mask where it is not the whole group. */
static void put_groups(struct buf *b, const struct sched_domain *sd)
{
	const struct sched_group *first = sd->groups, *sg;

	for (sg = sd->groups->next; sg != sd->groups; sg = sg->next)
		if (speaker_of(sg) < speaker_of(first))
			first = sg;
	sg = first;
	do {
		if (sg != first)
			buf_char(b, '+');
		cpulist_put(b, sg->cpus);
		if (!mask_equal(sg->cpus, sg->sgc->balance_mask)) {
			buf_char(b, '@');
			cpulist_put(b, sg->sgc->balance_mask);
		}
		buf_char(b, ':');
		buf_u64(b, sg->sgc->capacity);
		sg = sg->next;
	} while (sg != first);
}

/* In the words of LINE; kernels differ in that of a shared cache only. */
static void put_flags(struct buf *b, const char *line, uint32_t flags)
{
	enum sd_words words = strstr(line, "SHARE_LLC") ? SD_WORDS_LLC : SD_WORDS_CPUCAPACITY;
	const char *name, *between = "SD_";
	uint32_t flag;

	for (size_t i = 0; (name = sd_flag_name(words, i, &flag)); i++) {
		if (!(flags & flag))
			continue;
		buf_str(b, between);
		buf_str(b, name);
		between = "|SD_";
		flags &= ~flag;
	}
}

static void put_field(struct buf *b, const struct sched_domain *sd, enum field field,
		      const char *line)
{
	switch (field) {
	case FIELD_NAME:
		buf_str(b, sd->name);
		return;
	case FIELD_SPAN:
		cpulist_put(b, sd->span);
		return;
	case FIELD_MIN_INTERVAL:
		buf_u64(b, sd->min_interval_ms);
		return;
	case FIELD_MAX_INTERVAL:
		buf_u64(b, sd->max_interval_ms);
		return;
	case FIELD_BUSY_FACTOR:
		buf_u64(b, sd->busy_factor);
		return;
	case FIELD_IMBALANCE_PCT:
		buf_u64(b, sd->imbalance_pct);
		return;
	case FIELD_CACHE_NICE_TRIES:
		buf_u64(b, sd->cache_nice_tries);
		return;
	case FIELD_FLAGS:
		put_flags(b, line, sd->flags);
		return;
	case FIELD_GROUPS:
		put_groups(b, sd);
		return;
	case FIELDS_N:
		break;
	}
	CHECK(false);
}

/* -- comparison -- */

/* The recorded value of FIELD in LINE, N bytes. */
static const char *value_in(const char *line, const char *field, size_t *n)
{
	const char *at = line;
	size_t len = strlen(field);

	while ((at = strchr(at, ' '))) {
		at++;
		if (strncmp(at, field, len) == 0 && at[len] == '=') {
			*n = strcspn(at + len + 1, " ");
			return at + len + 1;
		}
	}
	CHECK(false && "a recorded domain without a field");
	return NULL;
}

static bool in_list(const char *list, uint32_t cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		unsigned long low = strtoul(list, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (cpu >= low && cpu <= high)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/* The line of CPU's domain at DEPTH, or NULL. */
static const char *line_of(const struct recorded *r, uint32_t cpu, uint32_t depth)
{
	size_t n;

	for (uint32_t i = 0; r->lines[i]; i++)
		if ((uint32_t)(r->lines[i][strlen("domain")] - '0') == depth &&
		    in_list(value_in(r->lines[i], "cpus", &n), cpu))
			return r->lines[i];
	return NULL;
}

static void compare(struct measured *x, const struct sched_domain *sd, const char *line,
		    uint32_t depth)
{
	for (uint32_t f = 0; f < FIELDS_N; f++) {
		char ours[TEXT_MAX];
		struct buf b;
		size_t n;
		const char *theirs = value_in(line, field_names[f], &n);

		buf_init(&b, ours, sizeof(ours));
		put_field(&b, sd, (enum field)f, line);
		x->agree[depth][f] += !b.cut && strlen(ours) == n && memcmp(ours, theirs, n) == 0;
	}
}

static const struct recorded *recorded_of(const char *machine, const char *kernel)
{
	for (uint32_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
		if (strcmp(recorded[i].machine, machine) == 0 &&
		    strcmp(recorded[i].kernel, kernel) == 0)
			return &recorded[i];
	CHECK(false && "domains that were not recorded");
	return NULL;
}

/* "6.1-debian" was recorded as "6.1". */
static const struct recorded *recorded_by(const struct case_def *def, const char *kernel)
{
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(kernel, "-"), kernel);
	return recorded_of(def->of, name);
}

static void finish(const struct case_def *def, void *out, struct run *r)
{
	const struct recorded *rec = recorded_by(def, run_kver(r)->version);
	const struct machine *m = run_machine(r);
	struct measured *x = out;

	for (uint32_t cpu = 0; cpu < m->ncpus; cpu++) {
		const struct sched_domain *sd = m->cpus[cpu].rq.sd;

		for (uint32_t depth = 0; depth < DEPTHS && sd; depth++, sd = sd->parent) {
			const char *line = line_of(rec, cpu, depth);

			x->domains++;
			if (line)
				compare(x, sd, line, depth);
		}
	}
}

/* -- the cases -- */

static void judge(const struct case_def *def, const void *all, uint32_t nseeds, double *x)
{
	const struct measured *m = all;
	uint32_t per_kernel = def->nfigures / def->nruns;

	for (uint32_t i = 0; i < def->nfigures; i++) {
		const struct measured *row = &m[i / per_kernel * nseeds];
		uint32_t f = i % per_kernel;

		x[i] = f ? row->agree[(f - 1) / FIELDS_N][(f - 1) % FIELDS_N] : row->domains;
	}
}

/* clang-format off */
#define FIGURE(name_, cpus) \
	{ .name = name_, .what = "CPUs that have it as a real kernel had it", .unit = "cpus", .published = cpus, .published_low = CASE_NONE, \
	  .published_high = CASE_NONE, .low = cpus, .high = cpus, .aim_low = CASE_NONE, .aim_high = CASE_NONE, .kind = "topo", .required = true }
#define DEPTH(depth, kernel, cpus) \
	FIGURE("topo_domain" depth "_name_" kernel, cpus), FIGURE("topo_domain" depth "_span_" kernel, cpus), \
	FIGURE("topo_domain" depth "_min_interval_" kernel, cpus), FIGURE("topo_domain" depth "_max_interval_" kernel, cpus), \
	FIGURE("topo_domain" depth "_busy_factor_" kernel, cpus), FIGURE("topo_domain" depth "_imbalance_pct_" kernel, cpus), \
	FIGURE("topo_domain" depth "_cache_nice_tries_" kernel, cpus), FIGURE("topo_domain" depth "_flags_" kernel, cpus), \
	FIGURE("topo_domain" depth "_groups_" kernel, cpus)
#define DEPTHS_1(kernel, cpus) FIGURE("topo_domains_" kernel, cpus), DEPTH("0", kernel, cpus)
#define DEPTHS_2(kernel, cpus) FIGURE("topo_domains_" kernel, 2 * (cpus)), DEPTH("0", kernel, cpus), DEPTH("1", kernel, cpus)
#define DEPTHS_3(kernel, cpus) \
	FIGURE("topo_domains_" kernel, 3 * (cpus)), DEPTH("0", kernel, cpus), DEPTH("1", kernel, cpus), DEPTH("2", kernel, cpus)

/* ID, preset, CPUs, depths, title */
#define MACHINES(X) \
	X(t4, "lockstep-4", 4, 1, "4 cores") \
	X(t16, "lockstep-16", 16, 3, "2 sockets x 4 cores x 2 threads") \
	X(t2x16, "lockstep-32", 32, 2, "2 sockets x 16 cores") \
	X(t64, "lockstep-64", 64, 3, "2 sockets x 16 cores x 2 threads") \
	X(t4x4ring, "lockstep-ring", 16, 3, "4 sockets x 4 cores, nodes in a ring")

#define ROW(preset, kernel_) \
	{ .name = kernel_, .machine = preset, .kernel = kernel_, .work = {"spin:n=1"}, .time_quick = "1us", .time_full = "1us", .prices = "qemu-lockstep" }
#define MACHINE(id, preset, cpus, depths, title) \
	static const struct case_figure figures_##id[] = {DEPTHS_##depths("6.1", cpus), DEPTHS_##depths("6.12", cpus)}; \
	static const struct case_run runs_##id[] = {ROW(preset, TRUTH_KERNEL_61), ROW(preset, TRUTH_KERNEL_612)};
MACHINES(MACHINE)

#define CASE_OF(count_, id_, depths, title_) \
	{ .of = #id_, .id = "truth-" #id_, .title = "domains as real kernels built them: " title_, \
	  .source = "tests/truth/topo-*-" #id_ ".txt, recorded by the authors of this project", .kernels = {TRUTH_KERNEL_61, (count_) > 1 ? TRUTH_KERNEL_612 : NULL}, \
	  .cost_s = 1, .figures = figures_##id_, .nfigures = (1 + FIELDS_N * (depths)) * (count_), .runs = runs_##id_, .nruns = (count_), \
	  .middle = "medians", .nseeds = 1, .measured_bytes = sizeof(struct measured), .finish = finish, .judge = judge },
/* clang-format on */

#define CASE_61(id, preset, cpus, depths, title) CASE_OF(1u, id, depths, title)
#define CASE_BOTH(id, preset, cpus, depths, title) CASE_OF(2u, id, depths, title)

static const struct case_def defs_61[] = {MACHINES(CASE_61)};
static const struct case_def defs_both[] = {MACHINES(CASE_BOTH)};

const struct case_def *case_truth_topo(uint32_t i)
{
	if (i >= sizeof(defs_61) / sizeof(defs_61[0]))
		return NULL;
	return truth_has_612() ? &defs_both[i] : &defs_61[i];
}
