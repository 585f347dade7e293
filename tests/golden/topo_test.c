/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `runqlab topo` prints for machines with a kernel's domains, compared with
 * tests/golden/topo-NAME.txt; the working directory is the project. With
 * RUNQLAB_BLESS set the files are written instead. And that the JSON of the
 * same machines says the same.
 */
#include "support.h"

#include "import/machine.h"
#include "observe/topo_json.h"
#include "observe/topo_text.h"
#include "sched/domain/fake_topology.h"

#include <json-c/json.h>

struct text {
	char s[1 << 17];
	size_t len;
};

static void write_text(void *ctx, const char *s, size_t len)
{
	struct text *text = ctx;

	assert_true(text->len + len < sizeof(text->s));
	memcpy(text->s + text->len, s, len);
	text->len += len;
	text->s[text->len] = '\0';
}

static struct topology *named(struct topology *t, const char *name)
{
	snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static struct topology *nhm_ep(void)
{
	return named(fake_sockets(2, 4, 2), "nhm-ep");
}

static struct topology *wsm_ep(void)
{
	return named(fake_sockets(2, 6, 2), "wsm-ep");
}

static struct topology *snb_ep(void)
{
	return named(fake_sockets(2, 8, 2), "snb-ep");
}

static struct topology *one_cpu(void)
{
	return named(fake_machine(1, 1), "1x1x1");
}

/* Offline CPUs, a memory-only node, unequal caches, not x86. */
static struct topology *crooked(void)
{
	struct topology *t = named(fake_sockets(3, 2, 2), "crooked");

	t->arch = TOPO_ARCH_OTHER;
	t->cpu[3].llc = 9;
	t->cpu[9].llc = 9;
	t->node[1].os_id = 4;
	t->node[2].os_id = 8;
	fake_distance(t, 0, 2, 31);
	fake_distance(t, 2, 0, 31);
	fake_offline(t, 4);
	fake_offline(t, 10);
	fake_offline(t, 11);
	fake_offline(t, 5);
	t->node[2].memory_only = true;
	return t;
}

/* More nodes than a NODE domain spans and a matrix shows. */
static struct topology *many_nodes(void)
{
	return named(fake_sockets(40, 2, 1), "many-nodes");
}

static struct topology *four_sockets(void)
{
	return named(fake_sockets(4, 8, 2), "4x8x2");
}

static const struct {
	const char *name; /* of the file; without -KERNEL it names the preset if there is no make() */
	struct topology *(*make)(void);
	const char *kernel;
	const struct domain_rules *rules;
} machines[] = {
	{"nhm-ep", nhm_ep, "2.6.35", &domain_rules_classic},
	{"wsm-ep", wsm_ep, "2.6.35", &domain_rules_classic},
	{"snb-ep", snb_ep, "2.6.35", &domain_rules_classic},
	{"1x1x1", one_cpu, "2.6.35", &domain_rules_classic},
	{"crooked", crooked, "2.6.35", &domain_rules_classic},
	{"many-nodes", many_nodes, "2.6.35", &domain_rules_classic},
	{"snb-ep-3.19", snb_ep, "3.19", &domain_rules_one_init},
	{"4x8x2-3.19", four_sockets, "3.19", &domain_rules_one_init},
	{"crooked-3.19", crooked, "3.19", &domain_rules_one_init},
	{"arm64-2x4", NULL, "2.6.35", &domain_rules_classic},
	{"arm64-2x4-3.19", NULL, "3.19", &domain_rules_one_init},
	{"arm64-224-3.19", NULL, "3.19", &domain_rules_one_init},
	{"biglittle-4+4-3.19", NULL, "3.19", &domain_rules_one_init},
	{"ladder-8x8", NULL, "2.6.35", &domain_rules_classic},
	{"ladder-8x8-3.19", NULL, "3.19", &domain_rules_one_init},
	{"epyc-16llc", NULL, "2.6.35", &domain_rules_classic},
	{"epyc-16llc-3.19", NULL, "3.19", &domain_rules_one_init},
	{"snb-ep-5.4", NULL, "5.4", &domain_rules_54},
	{"arm64-2x4-5.4", NULL, "5.4", &domain_rules_54},
	{"biglittle-4+4-5.4", NULL, "5.4", &domain_rules_54},
	{"biglittle-4+4-6.1", NULL, "6.1", &domain_rules_61},
	{"ladder-8x8-5.4", NULL, "5.4", &domain_rules_54},
	{"ladder-8x8-6.12", NULL, "6.12", &domain_rules_612},
	{"epyc-16llc-6.1", NULL, "6.1", &domain_rules_61},
};
#define MACHINES (sizeof(machines) / sizeof(machines[0]))

/* Row I's machine; a preset is loaded into *PRESET. */
static struct topology *make_machine(size_t i, struct topology *preset)
{
	char name[64];
	size_t len = strlen(machines[i].name), tail = strlen(machines[i].kernel) + 1;
	struct rql_error e;

	if (machines[i].make)
		return machines[i].make();
	snprintf(name, sizeof(name), "%s", machines[i].name);
	if (len > tail && strcmp(name + len - tail + 1, machines[i].kernel) == 0)
		name[len - tail] = '\0';
	if (!machine_load(name, preset, &e))
		fail_msg("%s: %s", name, e.what);
	return preset;
}

static void free_machine(struct topology *t, struct topology *preset)
{
	if (t == preset)
		topology_free(preset);
	else
		fake_free(t);
}

static void compare_with_file(const char *name, const struct text *text)
{
	static char expected[1 << 17];
	char path[128];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "tests/golden/topo-%s.txt", name);
	if (getenv("RUNQLAB_BLESS")) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(text->s, 1, text->len, file), text->len);
		fclose(file);
		return;
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s: not here; RUNQLAB_BLESS=1 makes it", path);
	len = fread(expected, 1, sizeof(expected) - 1, file);
	fclose(file);
	expected[len] = '\0';
	assert_string_equal(text->s, expected);
}

static void test_topo_prints_what_it_did(void **state)
{
	static struct text text;
	const struct topo_sink sink = {write_text, &text};
	struct topology preset;

	for (size_t i = 0; i < MACHINES; i++) {
		struct topology *t = make_machine(i, &preset);
		struct built b = build_fake(t, machines[i].rules);

		assert_true(b.done);
		text.len = 0;
		assert_true(topo_print(t, &b.set, machines[i].kernel, &sink));
		compare_with_file(machines[i].name, &text);
		built_free(&b);
		free_machine(t, &preset);
	}
}

static struct json_object *member(struct json_object *obj, const char *name)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(obj, name, &value));
	return value;
}

static void check_domain(struct json_object *obj, uint32_t cpu, const struct sched_domain *sd)
{
	struct json_object *ids = member(obj, "groups");
	const struct sched_group *g = sd->groups;
	size_t n = 0;

	assert_int_equal(json_object_get_int64(member(obj, "cpu")), cpu);
	assert_int_equal(json_object_get_int64(member(obj, "level")), sd->level);
	assert_string_equal(json_object_get_string(member(obj, "name")), sd->name);
	assert_int_equal(json_object_get_int64(member(obj, "span_weight")), sd->span_weight);
	assert_int_equal(json_object_array_length(member(obj, "flags")),
			 __builtin_popcount(sd->flags));
	do {
		struct json_object *id = json_object_array_get_idx(ids, n++);

		assert_int_equal(json_object_get_int64(id), g->id);
		g = g->next;
	} while (g != sd->groups);
	assert_int_equal(json_object_array_length(ids), n);
}

static void test_json_has_every_domain_and_group(void **state)
{
	struct topology preset;

	for (size_t i = 0; i < MACHINES; i++) {
		struct topology *t = make_machine(i, &preset);
		struct built b = build_fake(t, machines[i].rules);
		struct json_object *made = topo_json(t, &b.set, machines[i].kernel), *root,
				   *domains;
		size_t n = 0;

		assert_non_null(made);
		root = json_tokener_parse(json_object_to_json_string(made));
		assert_non_null(root);
		domains = member(root, "domains");
		for (uint32_t cpu = 0; cpu < b.set.ncpus; cpu++)
			for (struct sched_domain *sd = b.set.bottom[cpu]; sd; sd = sd->parent)
				check_domain(json_object_array_get_idx(domains, n++), cpu, sd);
		assert_int_equal(json_object_array_length(domains), n);
		assert_int_equal(json_object_array_length(member(root, "groups")), b.set.ngroups);
		assert_int_equal(json_object_array_length(member(root, "cpus")), t->npresent);
		assert_int_equal(json_object_array_length(member(root, "nodes")), t->nnodes);
		json_object_put(root);
		json_object_put(made);
		built_free(&b);
		free_machine(t, &preset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_topo_prints_what_it_did),
		cmocka_unit_test(test_json_has_every_domain_and_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
