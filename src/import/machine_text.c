/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A scenario must hold its machine, not the path of a file, so a machine needs
 * a text of its own. It is a list of fields in a fixed order, each a list in
 * the kernel's own cpulist form ("0-3,8"), for example
 *
 *	topology:v1;name=sysfs;arch=x86;cpus=0-3;core=0-1/2-3;llc=all;die=all;package=all;node=0:0-3
 *
 * The reader trusts nothing: numbers have at most six digits, lists ascend,
 * text and machine are bounded, and topology_finish() verifies the result. An
 * error names the column. Both directions take time linear in the text.
 *
 * Left out on purpose: sizes of caches and memories, which no kernel's load
 * balancing reads.
 */
#include "import/machine_text.h"

#include "base/check.h"
#include "import/machine.h"
#include "import/machine_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES_MAX ((size_t)16 << 20) /* the distances of 1024 nodes take 4 MB at worst */
#define OS_ID_MAX 65535u

/* -- writing -- */

/* The CPUs that have one id, as a chain from the lowest: built once for a part. */
struct chains {
	uint32_t first[TOPO_CPUS_MAX]; /* id -> lowest CPU, TOPO_NONE */
	uint32_t next[TOPO_CPUS_MAX];  /* CPU -> next CPU of the same id, TOPO_NONE */
	uint32_t id_count;
};

static void chains_build(struct chains *c, const uint32_t *id_of, uint32_t ncpus)
{
	c->id_count = 0;
	for (uint32_t id = 0; id < TOPO_CPUS_MAX; id++)
		c->first[id] = TOPO_NONE;
	for (uint32_t cpu = ncpus; cpu-- > 0;) {
		uint32_t id = id_of[cpu];

		if (id == TOPO_NONE)
			continue;
		CHECK(id < TOPO_CPUS_MAX);
		c->next[cpu] = c->first[id];
		c->first[id] = cpu;
		if (id >= c->id_count)
			c->id_count = id + 1;
	}
}

/* The chain that starts at CPU, as "0-3,8". */
static void write_chain(FILE *f, const struct chains *c, uint32_t cpu)
{
	const char *comma = "";

	while (cpu != TOPO_NONE) {
		uint32_t last = cpu;

		while (c->next[last] == last + 1)
			last++;
		if (last == cpu)
			fprintf(f, "%s%u", comma, cpu);
		else
			fprintf(f, "%s%u-%u", comma, cpu, last);
		comma = ",";
		cpu = c->next[last];
	}
}

static void write_sets(FILE *f, const char *name, const struct chains *c)
{
	fprintf(f, ";%s=", name);
	for (uint32_t id = 0; id < c->id_count; id++) {
		if (id)
			fputc('/', f);
		write_chain(f, c, c->first[id]);
	}
}

/* The first earlier part that every CPU has equally numbered, or PART. */
static enum topo_part same_part(const struct topology *t, enum topo_part part)
{
	for (uint32_t other = 0; other < (uint32_t)part; other++) {
		bool same = true;

		for (uint32_t i = 0; i < t->ncpus && same; i++)
			same = topo_cpu_part_id(&t->cpu[i], part) ==
			       topo_cpu_part_id(&t->cpu[i], (enum topo_part)other);
		if (same)
			return (enum topo_part)other;
	}
	return part;
}

static void write_part(FILE *f, const struct topology *t, enum topo_part part, struct chains *c)
{
	const char *name = topo_part_info[part].name;
	enum topo_part same = same_part(t, part);
	uint32_t id_of[TOPO_CPUS_MAX];
	uint32_t have_count = 0;

	for (uint32_t i = 0; i < t->ncpus; i++) {
		id_of[i] = topo_cpu_part_id(&t->cpu[i], part);
		have_count += id_of[i] != TOPO_NONE;
	}
	chains_build(c, id_of, t->ncpus);
	if (c->id_count == 0)
		return;
	if (have_count == t->npresent && c->id_count == 1)
		fprintf(f, ";%s=all", name);
	else if (have_count == t->npresent && c->id_count == t->npresent)
		fprintf(f, ";%s=each", name);
	else if (same != part)
		fprintf(f, ";%s=%s", name, topo_part_info[same].name);
	else
		write_sets(f, name, c);
}

static void write_cpu_flags(FILE *f, const struct topology *t, struct chains *c)
{
	uint32_t id_of[TOPO_CPUS_MAX];

	for (uint32_t i = 0; i < t->ncpus; i++)
		id_of[i] = t->cpu[i].present ? 0 : TOPO_NONE;
	chains_build(c, id_of, t->ncpus);
	write_sets(f, "cpus", c);
	for (uint32_t i = 0; i < t->ncpus; i++)
		id_of[i] = t->cpu[i].present && !t->cpu[i].online ? 0 : TOPO_NONE;
	chains_build(c, id_of, t->ncpus);
	if (c->id_count)
		write_sets(f, "offline", c);
}

static void write_nodes(FILE *f, const struct topology *t, struct chains *c)
{
	uint32_t id_of[TOPO_CPUS_MAX];

	for (uint32_t i = 0; i < t->ncpus; i++)
		id_of[i] = t->cpu[i].node;
	chains_build(c, id_of, t->ncpus);
	fputs(";node=", f);
	for (uint32_t node = 0; node < t->nnodes; node++) {
		fprintf(f, "%s%u:", node ? "/" : "", t->node[node].os_id);
		write_chain(f, c, c->first[node]);
	}
}

/* Only what is below 1024, as "462:0-3/763:4-5", in order of capacity. */
static void write_capacities(FILE *f, const struct topology *t, struct chains *c)
{
	const char *separator = ";capacity=";
	uint32_t id_of[TOPO_CPUS_MAX];

	for (uint32_t i = 0; i < t->ncpus; i++)
		id_of[i] = t->cpu[i].present ? t->cpu[i].capacity : TOPO_NONE;
	chains_build(c, id_of, t->ncpus);
	for (uint32_t capacity = 1; capacity < 1024; capacity++) {
		if (c->first[capacity] == TOPO_NONE)
			continue;
		fprintf(f, "%s%u:", separator, capacity);
		write_chain(f, c, c->first[capacity]);
		separator = "/";
	}
}

static bool distances_are_plain(const struct topology *t)
{
	for (uint32_t from = 0; from < t->nnodes; from++)
		for (uint32_t to = 0; to < t->nnodes; to++)
			if (topo_distance(t, from, to) != (from == to ? 10 : 20))
				return false;
	return true;
}

/* Rows separated by '/', runs of one value as VALUE*COUNT. */
static void write_distances(FILE *f, const struct topology *t)
{
	if (distances_are_plain(t))
		return;
	fputs(";distance=", f);
	for (uint32_t from = 0; from < t->nnodes; from++) {
		const char *comma = from ? "/" : "";
		uint32_t to = 0;

		while (to < t->nnodes) {
			uint32_t value = topo_distance(t, from, to);
			uint32_t run = 1;

			while (to + run < t->nnodes && topo_distance(t, from, to + run) == value)
				run++;
			fprintf(f, "%s%u", comma, value);
			if (run > 1)
				fprintf(f, "*%u", run);
			comma = ",";
			to += run;
		}
	}
}

char *machine_text_write(const struct topology *t)
{
	struct chains *chains = malloc(sizeof(*chains));
	char *text = NULL;
	size_t len = 0;
	bool failed;
	FILE *f;

	CHECK(t->ncpus > 0);
	CHECK(t->ncpus <= TOPO_CPUS_MAX);
	f = open_memstream(&text, &len);
	if (!chains || !f) {
		free(chains);
		if (f)
			fclose(f);
		free(text);
		return NULL;
	}
	fprintf(f, MACHINE_TEXT_PREFIX "v1;name=%s;arch=%s", t->name,
		t->arch == TOPO_ARCH_X86 ? "x86" : "other");
	write_cpu_flags(f, t, chains);
	for (uint32_t part = 0; part < TOPO_PARTS; part++)
		write_part(f, t, (enum topo_part)part, chains);
	write_nodes(f, t, chains);
	write_capacities(f, t, chains);
	write_distances(f, t);
	free(chains);
	failed = ferror(f) != 0;
	if (fclose(f) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* -- reading -- */

struct reader {
	const char *text;
	const char *at;
	struct rql_error *e;
};

static bool fail_at(const struct reader *r, const char *what_1, const char *what_2,
		    const char *what_3)
{
	err_set(r->e, "machine", what_1, what_2, what_3);
	r->e->line = 1;
	r->e->column = (uint32_t)(r->at - r->text) + 1;
	return false;
}

static bool skip_char(struct reader *r, char c)
{
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool skip_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* ";NAME=" here? Then behind it. */
static bool skip_field(struct reader *r, const char *name)
{
	size_t len = strlen(name);

	if (r->at[0] != ';' || strncmp(r->at + 1, name, len) != 0 || r->at[1 + len] != '=')
		return false;
	r->at += len + 2;
	return true;
}

static bool need_field(struct reader *r, const char *name)
{
	return skip_field(r, name) ||
	       fail_at(r, "the field ", name, "= is missing here; fields have a fixed order");
}

static bool read_number(struct reader *r, uint32_t max, uint32_t *value)
{
	const char *start = r->at;

	*value = 0;
	while (*r->at >= '0' && *r->at <= '9' && r->at - start < 6)
		*value = *value * 10 + (uint32_t)(*r->at++ - '0');
	if (r->at == start || (*r->at >= '0' && *r->at <= '9') || *value > max) {
		r->at = start;
		return fail_at(
			r,
			"a number is missing here or too large; the limits are 4096 CPUs and 1024 nodes",
			NULL, NULL);
	}
	return true;
}

/* "0-3,8": give each CPU of the list the id ID in ID_OF; a CPU that has one already is an error. */
static bool read_list(struct reader *r, uint32_t id, uint32_t *id_of)
{
	uint32_t low, high;

	do {
		if (!read_number(r, TOPO_CPUS_MAX - 1, &low))
			return false;
		high = low;
		if (skip_char(r, '-') && !read_number(r, TOPO_CPUS_MAX - 1, &high))
			return false;
		if (high < low)
			return fail_at(r, "a range of CPUs descends; 0-3 is right", NULL, NULL);
		for (uint32_t cpu = low; cpu <= high; cpu++) {
			if (id_of[cpu] != TOPO_NONE)
				return fail_at(r, "a CPU is told twice; once is right", NULL, NULL);
			id_of[cpu] = id;
		}
	} while (skip_char(r, ','));
	return true;
}

static void ids_clear(uint32_t *id_of)
{
	for (uint32_t cpu = 0; cpu < TOPO_CPUS_MAX; cpu++)
		id_of[cpu] = TOPO_NONE;
}

/* Every CPU that has an id must be present. */
static bool only_present(const struct reader *r, const struct topology *t, const uint32_t *id_of)
{
	for (uint32_t cpu = 0; cpu < TOPO_CPUS_MAX; cpu++)
		if (id_of[cpu] != TOPO_NONE && (cpu >= t->ncpus || !t->cpu[cpu].present))
			return fail_at(r, "a CPU is named that is not among cpus=; add it there",
				       NULL, NULL);
	return true;
}

static bool read_name_and_arch(struct reader *r, char *name, size_t name_size, enum topo_arch *arch)
{
	size_t len = 0;

	if (!need_field(r, "name"))
		return false;
	for (; *r->at && *r->at != ';'; r->at++) {
		if (*r->at < 0x20 || *r->at > 0x7e || *r->at == '/' || len + 1 >= name_size)
			return fail_at(
				r,
				"this is no name of a machine; up to 63 printable characters "
				"without '/' are right",
				NULL, NULL);
		name[len++] = *r->at;
	}
	name[len] = '\0';
	if (!need_field(r, "arch"))
		return false;
	if (skip_word(r, "x86"))
		*arch = TOPO_ARCH_X86;
	else if (skip_word(r, "other"))
		*arch = TOPO_ARCH_OTHER;
	else
		return fail_at(r, "the architecture is unknown; x86 or other is right", NULL, NULL);
	return true;
}

static bool read_cpus(struct reader *r, uint32_t *id_of, uint32_t *ncpus)
{
	ids_clear(id_of);
	if (!need_field(r, "cpus") || !read_list(r, 0, id_of))
		return false;
	*ncpus = 0;
	for (uint32_t cpu = 0; cpu < TOPO_CPUS_MAX; cpu++)
		if (id_of[cpu] != TOPO_NONE)
			*ncpus = cpu + 1;
	return true;
}

/* "0:0-3/1:4-7/2:": node numbers and their CPUs. *NNODES counts, OS_ID and ID_OF are filled. */
static bool read_nodes(struct reader *r, uint32_t *id_of, uint32_t *os_id, uint32_t *nnodes)
{
	ids_clear(id_of);
	*nnodes = 0;
	do {
		if (*nnodes == TOPO_NODES_MAX)
			return fail_at(r, "too many nodes; 1024 at most", NULL, NULL);
		if (!read_number(r, OS_ID_MAX, &os_id[*nnodes]))
			return false;
		if (!skip_char(r, ':'))
			return fail_at(r, "the CPUs of a node are missing; 0:0-3 is right", NULL,
				       NULL);
		if (*r->at >= '0' && *r->at <= '9' && !read_list(r, *nnodes, id_of))
			return false;
		(*nnodes)++;
	} while (skip_char(r, '/'));
	return true;
}

static bool read_offline(struct reader *r, struct topology *t, uint32_t *id_of)
{
	ids_clear(id_of);
	if (skip_field(r, "offline") && !read_list(r, 0, id_of))
		return false;
	if (!only_present(r, t, id_of))
		return false;
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		t->cpu[cpu].online = t->cpu[cpu].present && id_of[cpu] == TOPO_NONE;
	return true;
}

/* `all`, `each` or the name of an earlier part? Then fill ID_OF and say so. */
static bool read_part_word(struct reader *r, const struct topology *t, enum topo_part part,
			   uint32_t *id_of)
{
	bool all = skip_word(r, "all");
	bool each = !all && skip_word(r, "each");

	if (all || each) {
		for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
			if (t->cpu[cpu].present)
				id_of[cpu] = each ? cpu : 0;
		return true;
	}
	for (uint32_t other = 0; other < (uint32_t)part; other++) {
		if (!skip_word(r, topo_part_info[other].name))
			continue;
		for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
			id_of[cpu] = topo_cpu_part_id(&t->cpu[cpu], (enum topo_part)other);
		return true;
	}
	return false;
}

static bool read_part(struct reader *r, struct topology *t, enum topo_part part, uint32_t *id_of)
{
	const char *name = topo_part_info[part].name;
	uint32_t id = 0;

	ids_clear(id_of);
	if (!skip_field(r, name)) {
		if (topo_part_info[part].optional)
			return true;
		return fail_at(r, "the field ", name,
			       "= is missing here; fields have a fixed order");
	}
	if (!read_part_word(r, t, part, id_of)) {
		/* At most as many sets as CPUs, for no CPU is told twice. */
		do {
			if (!read_list(r, id++, id_of))
				return false;
		} while (skip_char(r, '/'));
	}
	if (!only_present(r, t, id_of))
		return false;
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		*topo_cpu_part(&t->cpu[cpu], part) = id_of[cpu];
	return true;
}

static bool read_capacities(struct reader *r, struct topology *t, uint32_t *id_of)
{
	uint32_t capacity;

	if (!skip_field(r, "capacity"))
		return true;
	ids_clear(id_of);
	do {
		if (!read_number(r, 1024, &capacity))
			return false;
		if (!skip_char(r, ':'))
			return fail_at(r, "the CPUs of a capacity are missing; 512:0-3 is right",
				       NULL, NULL);
		if (!read_list(r, capacity, id_of))
			return false;
	} while (skip_char(r, '/'));
	if (!only_present(r, t, id_of))
		return false;
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		if (id_of[cpu] != TOPO_NONE)
			t->cpu[cpu].capacity = id_of[cpu];
	return true;
}

static bool read_distance_row(struct reader *r, struct topology *t, uint32_t from)
{
	uint32_t to = 0;
	uint32_t value, run;

	do {
		run = 1;
		if (!read_number(r, 255, &value))
			return false;
		if (skip_char(r, '*') && !read_number(r, TOPO_NODES_MAX, &run))
			return false;
		if (run == 0 || run > t->nnodes - to)
			return fail_at(
				r,
				"a row of distances is too short or too long; one value for each node is right",
				NULL, NULL);
		memset(&t->distance[(size_t)from * t->nnodes + to], (int)value, run);
		to += run;
	} while (to < t->nnodes && skip_char(r, ','));
	if (to < t->nnodes)
		return fail_at(
			r,
			"a row of distances is too short or too long; one value for each node is right",
			NULL, NULL);
	return true;
}

static bool read_distances(struct reader *r, struct topology *t)
{
	if (!skip_field(r, "distance"))
		return true;
	for (uint32_t from = 0; from < t->nnodes; from++) {
		if (from && !skip_char(r, '/'))
			return fail_at(r,
				       "a row of distances is missing; one for each node is right",
				       NULL, NULL);
		if (!read_distance_row(r, t, from))
			return false;
	}
	return true;
}

/* All behind cpus=, into the created *T. The nodes come late, but their count is needed first. */
static bool read_fields(struct reader *r, struct topology *t, uint32_t *id_of)
{
	if (!read_offline(r, t, id_of))
		return false;
	for (uint32_t part = 0; part < TOPO_PARTS; part++)
		if (!read_part(r, t, (enum topo_part)part, id_of))
			return false;
	return true;
}

/* The nodes with their CPUs, into *T, which so far has one node. */
static bool read_node_field(struct reader *r, struct topology *t, uint32_t *id_of)
{
	uint32_t os_id[TOPO_NODES_MAX];
	struct topology wide;
	uint32_t nnodes;

	if (!need_field(r, "node") || !read_nodes(r, id_of, os_id, &nnodes))
		return false;
	if (!only_present(r, t, id_of))
		return false;
	if (!topology_create(&wide, t->ncpus, nnodes, r->e))
		return false;
	memcpy(wide.cpu, t->cpu, t->ncpus * sizeof(*t->cpu));
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		wide.cpu[cpu].node = id_of[cpu];
	for (uint32_t node = 0; node < nnodes; node++)
		wide.node[node].os_id = os_id[node];
	topology_free(t);
	*t = wide;
	return true;
}

static bool read_rest(struct reader *r, struct topology *t, uint32_t *id_of)
{
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		t->cpu[cpu].present = id_of[cpu] != TOPO_NONE;
	if (!read_fields(r, t, id_of) || !read_node_field(r, t, id_of))
		return false;
	if (!read_capacities(r, t, id_of) || !read_distances(r, t))
		return false;
	if (*r->at)
		return fail_at(r,
			       "this is not part of a description; fields have a fixed order, see "
			       "docs/MACHINES.md",
			       NULL, NULL);
	return true;
}

bool machine_text_read(const char *text, struct topology *out, struct rql_error *e)
{
	struct reader r = {text, text, e};
	uint32_t id_of[TOPO_CPUS_MAX];
	char name[sizeof(out->name)];
	enum topo_arch arch = TOPO_ARCH_OTHER;
	uint32_t ncpus;

	memset(out, 0, sizeof(*out));
	if (strnlen(text, TEXT_BYTES_MAX + 1) > TEXT_BYTES_MAX)
		return machine_err(e, "the description of the machine is longer than 16 MB; 16 MB "
				      "is the limit");
	if (!skip_word(&r, MACHINE_TEXT_PREFIX "v1"))
		return fail_at(&r, "unknown version of a description; topology:v1 is the one known",
			       NULL, NULL);
	if (!read_name_and_arch(&r, name, sizeof(name), &arch) || !read_cpus(&r, id_of, &ncpus))
		return false;
	if (!topology_create(out, ncpus, 1, e))
		return false;
	memcpy(out->name, name, strlen(name) + 1);
	if (!read_rest(&r, out, id_of)) {
		topology_free(out);
		return false;
	}
	memset(out->name, 0, sizeof(out->name));
	memcpy(out->name, name, strlen(name) + 1);
	out->arch = arch;
	return topology_finish(out, e);
}
