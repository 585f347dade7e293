/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members are added in the order of the header's comment; json-c keeps it.
 * Running out of memory is noticed per call and remembered, so that the code
 * reads straight and the result is complete or NULL.
 */
#include "observe/topo_json.h"

#include "base/check.h"
#include "observe/cpulist.h"
#include "observe/topo_text.h"

#include <json-c/json.h>
#include <stdlib.h>

struct maker {
	const struct topology *t;
	const struct domain_set *s;
	char *text; /* room for one list of CPUs */
	struct mask *mask;
	bool failed;
};

/* Put VALUE, owned from here on, into OBJ. */
static void add(struct maker *m, struct json_object *obj, const char *name,
		struct json_object *value)
{
	if (!obj || !value || json_object_object_add(obj, name, value) != 0) {
		json_object_put(value);
		m->failed = true;
	}
}

static void append(struct maker *m, struct json_object *array, struct json_object *value)
{
	if (!array || !value || json_object_array_add(array, value) != 0) {
		json_object_put(value);
		m->failed = true;
	}
}

static void add_u64(struct maker *m, struct json_object *obj, const char *name, uint64_t v)
{
	add(m, obj, name, json_object_new_int64((int64_t)v));
}

static void add_bool(struct maker *m, struct json_object *obj, const char *name, bool v)
{
	add(m, obj, name, json_object_new_boolean(v));
}

static void add_cpus(struct maker *m, struct json_object *obj, const char *name,
		     const struct mask *cpus)
{
	struct buf b;

	buf_init(&b, m->text, CPULIST_BYTES(m->t->ncpus));
	cpulist_put(&b, cpus);
	CHECK(!b.cut);
	add(m, obj, name, json_object_new_string(m->text));
}

static struct json_object *cpus_json(struct maker *m)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t cpu = 0; cpu < m->t->ncpus; cpu++) {
		const struct topo_cpu *c = &m->t->cpu[cpu];
		struct json_object *obj;

		if (!c->present)
			continue;
		obj = json_object_new_object();
		add_u64(m, obj, "cpu", cpu);
		add_bool(m, obj, "online", c->online);
		add_u64(m, obj, "core", c->core);
		add_u64(m, obj, "llc", c->llc);
		add_u64(m, obj, "package", c->package);
		add_u64(m, obj, "node", m->t->node[c->node].os_id);
		append(m, array, obj);
	}
	return array;
}

static struct json_object *nodes_json(struct maker *m)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t node = 0; node < m->t->nnodes; node++) {
		struct json_object *obj = json_object_new_object();
		struct json_object *distances = json_object_new_array();

		mask_zero(m->mask);
		for (uint32_t cpu = 0; cpu < m->t->ncpus; cpu++)
			if (m->t->cpu[cpu].present && m->t->cpu[cpu].online &&
			    m->t->cpu[cpu].node == node)
				mask_set(m->mask, cpu);
		add_u64(m, obj, "node", m->t->node[node].os_id);
		add_cpus(m, obj, "cpus", m->mask);
		add_bool(m, obj, "memory_only", m->t->node[node].memory_only);
		for (uint32_t to = 0; to < m->t->nnodes; to++)
			append(m, distances, json_object_new_int64(topo_distance(m->t, node, to)));
		add(m, obj, "distances", distances);
		append(m, array, obj);
	}
	return array;
}

static struct json_object *flags_json(struct maker *m, uint32_t flags)
{
	struct json_object *array = json_object_new_array();
	const char *name;
	uint32_t flag;

	for (size_t i = 0; (name = sd_flag_name(m->s->words, i, &flag)); i++)
		if (flags & flag)
			append(m, array, json_object_new_string(name));
	return array;
}

static void add_powers(struct maker *m, struct json_object *obj, const struct sched_group *g)
{
	const struct sched_group_capacity *sgc = g->sgc;

	if (!sgc) {
		add_u64(m, obj, "cpu_power", g->cpu_power);
		return;
	}
	add_cpus(m, obj, "balance_mask", sgc->balance_mask);
	add_u64(m, obj, "capacity", sgc->capacity);
	add_u64(m, obj, "min_capacity", sgc->min_capacity);
	add_u64(m, obj, "max_capacity", sgc->max_capacity);
	add(m, obj, "flags", flags_json(m, g->flags));
}

static struct json_object *groups_json(struct maker *m)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t i = 0; i < m->s->ngroups; i++) {
		struct json_object *obj = json_object_new_object();

		add_u64(m, obj, "id", m->s->group[i]->id);
		add_cpus(m, obj, "cpus", m->s->group[i]->cpus);
		add_powers(m, obj, m->s->group[i]);
		append(m, array, obj);
	}
	return array;
}

static struct json_object *domain_json(struct maker *m, uint32_t cpu, const struct sched_domain *sd)
{
	struct json_object *obj = json_object_new_object(), *ids = json_object_new_array();
	const struct sched_group *g = sd->groups;

	add_u64(m, obj, "cpu", cpu);
	add_u64(m, obj, "level", sd->level);
	add(m, obj, "name", json_object_new_string(sd->name));
	add_cpus(m, obj, "span", sd->span);
	add_u64(m, obj, "span_weight", sd->span_weight);
	add(m, obj, "flags", flags_json(m, sd->flags));
	add_u64(m, obj, "imbalance_pct", sd->imbalance_pct);
	add_u64(m, obj, "min_interval_ms", sd->min_interval_ms);
	add_u64(m, obj, "max_interval_ms", sd->max_interval_ms);
	add_u64(m, obj, "balance_interval_ms", sd->balance_interval_ms);
	add_u64(m, obj, "busy_factor", sd->busy_factor);
	add_u64(m, obj, "cache_nice_tries", sd->cache_nice_tries);
	add_u64(m, obj, "busy_idx", sd->busy_idx);
	add_u64(m, obj, "idle_idx", sd->idle_idx);
	add_u64(m, obj, "newidle_idx", sd->newidle_idx);
	add_u64(m, obj, "wake_idx", sd->wake_idx);
	add_u64(m, obj, "forkexec_idx", sd->forkexec_idx);
	add_u64(m, obj, "smt_gain", sd->smt_gain);
	add_u64(m, obj, "imb_numa_nr", sd->imb_numa_nr);
	do {
		append(m, ids, json_object_new_int64(g->id));
		g = g->next;
	} while (g != sd->groups);
	add(m, obj, "groups", ids);
	return obj;
}

static struct json_object *domains_json(struct maker *m)
{
	struct json_object *array = json_object_new_array();

	for (uint32_t cpu = 0; cpu < m->s->ncpus; cpu++)
		for (const struct sched_domain *sd = m->s->bottom[cpu]; sd; sd = sd->parent)
			append(m, array, domain_json(m, cpu, sd));
	return array;
}

struct json_object *topo_json(const struct topology *t, const struct domain_set *s,
			      const char *kernel)
{
	struct maker m = {.t = t, .s = s};
	struct json_object *root = json_object_new_object();
	void *mask = malloc(mask_size(t->ncpus));

	CHECK(s->ncpus == t->ncpus);
	m.text = malloc(CPULIST_BYTES(t->ncpus));
	m.failed = !root || !mask || !m.text;
	if (!m.failed) {
		m.mask = mask_init(mask, t->ncpus);
		add(&m, root, "machine", json_object_new_string(t->name));
		add_bool(&m, root, "x86", t->arch == TOPO_ARCH_X86);
		add(&m, root, "kernel", json_object_new_string(kernel));
		add(&m, root, "cpus", cpus_json(&m));
		add(&m, root, "nodes", nodes_json(&m));
		add(&m, root, "groups", groups_json(&m));
		add(&m, root, "domains", domains_json(&m));
	}
	free(mask);
	free(m.text);
	if (!m.failed)
		return root;
	json_object_put(root);
	return NULL;
}
