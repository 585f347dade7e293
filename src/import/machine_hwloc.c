/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From hwloc's tree of objects to a struct topology. Runs in the child of
 * machine_child.h, so it may set environment variables.
 *
 * What is read from where:
 *
 *	CPUs       present: the root's complete cpuset; online: those hwloc made
 *	           an object of, cpuset (cgroup) restrictions ignored
 *	core ...   the ancestors of each CPU's object; in a sysfs tree the
 *	           kernel's own masks win (machine_sysfs.c). The LLC is the outermost
 *	           data or unified cache; a cluster is the group of that name or
 *	           else a shared L2, where it lies strictly between core and LLC
 *	node       in sysfs the node's own mask, because hwloc lends CPUs to
 *	           memory-only nodes; elsewhere hwloc's sets, the smallest first
 *	distances  in sysfs the nodes' rows, elsewhere the latency matrix
 *	capacity   LinuxCapacity of hwloc's kinds of CPUs, scaled to 1024
 *
 * Ids are the lowest CPU of the set meant, below ncpus: unique among disjoint
 * sets, and topology_finish() makes them dense. docs/MACHINES.md lists the
 * decisions for machines that contradict themselves.
 */
#include "import/machine_hwloc.h"

#include "base/check.h"
#include "import/machine_build.h"
#include "import/machine_child.h"
#include "import/machine_sysfs.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const struct machine_source *source;
	hwloc_topology_t h;
	const char *root;     /* of the sysfs tree, "" for this computer, NULL for none */
	uint32_t *tree_os_id; /* the nodes that the tree has */
	uint32_t tree_node_count;
	hwloc_obj_t *nodes;        /* [nnodes], in the order of Linux's numbers; may be NULL */
	hwloc_bitmap_t *node_cpus; /* [nnodes] */
	struct topology *t;
	struct rql_error *e;
};

/* -- loading -- */

static bool set_variable(const char *name, const char *value, struct rql_error *e)
{
	return setenv(name, value, 1) == 0 ||
	       machine_err(e, "cannot set %s for hwloc; free some memory", name);
}

/* The orders that hwloc takes from nowhere else. */
static bool set_environment(const struct machine_source *source, struct rql_error *e)
{
	static const char *const variables[][2] = {
		{"HWLOC_HIDE_ERRORS", "2"},
		{"HWLOC_GROUPING", "0"},
		{"HWLOC_DONT_MERGE_CLUSTER_GROUPS", "1"},
		{"HWLOC_PLUGINS_BLACKLIST", "hwloc_cuda,hwloc_gl,hwloc_levelzero,hwloc_nvml,"
					    "hwloc_opencl,hwloc_pci,hwloc_rsmi"},
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (!set_variable(variables[i][0], variables[i][1], e))
			return false;
	if (source->kind == MACHINE_SYSFS)
		return set_variable("HWLOC_FSROOT", source->text, e) &&
		       set_variable("HWLOC_COMPONENTS", "linux,stop", e);
	if (source->kind == MACHINE_LIVE)
		return set_variable("HWLOC_COMPONENTS", "linux,stop", e);
	return true;
}

static bool configure(hwloc_topology_t h, const struct machine_source *source, struct rql_error *e)
{
	unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
			      HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;

	if (hwloc_topology_set_flags(h, flags) != 0 ||
	    hwloc_topology_set_all_types_filter(h, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
	    hwloc_topology_set_io_types_filter(h, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
	    hwloc_topology_set_type_filter(h, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE) != 0)
		return machine_err(e, "hwloc does not take its options; version 2.5 is the least");
	if (source->kind == MACHINE_SYNTHETIC && hwloc_topology_set_synthetic(h, source->text) != 0)
		return machine_err(e, "hwloc cannot read this synthetic string; an example that it "
				      "can is \"pack:2 numa:1 l3:1 core:8 pu:2\"");
	if (source->kind == MACHINE_XML &&
	    hwloc_topology_set_xmlbuffer(h, source->bytes, (int)source->len) != 0)
		return machine_err(e,
				   "hwloc cannot read this XML; a file that hwloc's lstopo wrote "
				   "is needed");
	return true;
}

static const char *what_is_right(enum machine_source_kind kind)
{
	switch (kind) {
	case MACHINE_SYNTHETIC:
		return "an example is \"pack:2 numa:1 l3:1 core:8 pu:2\"";
	case MACHINE_XML:
		return "a file that hwloc's lstopo wrote is needed";
	case MACHINE_SYSFS:
		return "a copy of /sys/devices/system with cpu/cpu0/topology and so on is needed";
	case MACHINE_LIVE:
		return "name another machine";
	}
	return "";
}

/* -- CPUs and what they share -- */

/* The outermost data or unified cache above PU. */
static hwloc_obj_t outermost_cache(hwloc_obj_t pu)
{
	hwloc_obj_t found = NULL;

	for (hwloc_obj_t obj = pu->parent; obj; obj = obj->parent)
		if (hwloc_obj_type_is_dcache(obj->type))
			found = obj;
	return found;
}

static hwloc_obj_t ancestor_of_type(hwloc_obj_t pu, hwloc_obj_type_t type)
{
	hwloc_obj_t obj = pu->parent;

	while (obj && obj->type != type)
		obj = obj->parent;
	return obj;
}

static hwloc_obj_t ancestor_group(hwloc_obj_t pu, const char *subtype)
{
	for (hwloc_obj_t obj = pu->parent; obj; obj = obj->parent)
		if (obj->type == HWLOC_OBJ_GROUP && obj->subtype &&
		    strcmp(obj->subtype, subtype) == 0)
			return obj;
	return NULL;
}

static uint32_t id_of(hwloc_const_bitmap_t cpus)
{
	int first = hwloc_bitmap_first(cpus);

	CHECK(first >= 0);
	return (uint32_t)first;
}

static uint32_t id_of_obj(hwloc_obj_t obj)
{
	return obj ? id_of(obj->cpuset) : TOPO_NONE;
}

/* A group of that name or else the L2; prune_clusters() drops what is none. */
static uint32_t cluster_id(hwloc_obj_t pu)
{
	hwloc_obj_t group = ancestor_group(pu, "Cluster");

	return id_of_obj(group ? group : ancestor_of_type(pu, HWLOC_OBJ_L2CACHE));
}

static void fill_cpu(struct topo_cpu *cpu, hwloc_obj_t pu)
{
	hwloc_obj_t core = ancestor_of_type(pu, HWLOC_OBJ_CORE);
	hwloc_obj_t cache = outermost_cache(pu);
	hwloc_const_bitmap_t core_cpus = core ? core->cpuset : pu->cpuset;
	hwloc_const_bitmap_t llc_cpus = core_cpus;

	if (cache && hwloc_bitmap_isincluded(core_cpus, cache->cpuset))
		llc_cpus = cache->cpuset;
	cpu->present = true;
	cpu->online = true;
	cpu->core = id_of(core_cpus);
	cpu->llc = id_of(llc_cpus);
	cpu->cluster = cluster_id(pu);
	cpu->die = id_of_obj(ancestor_of_type(pu, HWLOC_OBJ_DIE));
	cpu->package = id_of_obj(ancestor_of_type(pu, HWLOC_OBJ_PACKAGE));
	cpu->book = id_of_obj(ancestor_group(pu, "Book"));
	cpu->drawer = id_of_obj(ancestor_group(pu, "Drawer"));
}

/* A CPU that the machine has but does not run says nothing about what it shares. */
static void fill_offline_cpu(struct topo_cpu *cpu, uint32_t number)
{
	cpu->present = true;
	cpu->online = false;
	cpu->core = number;
	cpu->llc = number;
	cpu->die = number;
	cpu->package = number;
}

static void fill_cpus(const struct reading *r)
{
	hwloc_const_bitmap_t complete = hwloc_topology_get_complete_cpuset(r->h);
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(r->h, HWLOC_OBJ_PU, pu)) != NULL)
		if (pu->os_index < r->t->ncpus)
			fill_cpu(&r->t->cpu[pu->os_index], pu);
	for (uint32_t i = 0; i < r->t->ncpus; i++)
		if (!r->t->cpu[i].present && hwloc_bitmap_isset(complete, i))
			fill_offline_cpu(&r->t->cpu[i], i);
}

/* -- NUMA nodes -- */

static hwloc_obj_t find_node(hwloc_topology_t h, uint32_t os_id)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(h, HWLOC_OBJ_NUMANODE, obj)) != NULL)
		if (obj->os_index == os_id)
			return obj;
	return NULL;
}

static int compare_nodes(const void *a, const void *b)
{
	const hwloc_obj_t *x = a, *y = b;

	if ((*x)->os_index != (*y)->os_index)
		return (*x)->os_index < (*y)->os_index ? -1 : 1;
	return (*x)->logical_index < (*y)->logical_index ? -1 : 1;
}

/* hwloc's nodes in Linux's order into r->nodes. */
static void collect_nodes(const struct reading *r)
{
	hwloc_obj_t obj = NULL;
	uint32_t count = 0;

	while ((obj = hwloc_get_next_obj_by_type(r->h, HWLOC_OBJ_NUMANODE, obj)) != NULL &&
	       count < r->t->nnodes)
		r->nodes[count++] = obj;
	qsort(r->nodes, count, sizeof(r->nodes[0]), compare_nodes);
	for (uint32_t node = 0; node < count; node++)
		r->t->node[node].os_id = r->nodes[node]->os_index;
}

/* The nodes of the tree into *T; r->nodes are those of them that hwloc has too. */
static void collect_tree_nodes(const struct reading *r)
{
	for (uint32_t node = 0; node < r->t->nnodes; node++) {
		r->t->node[node].os_id = r->tree_os_id[node];
		r->nodes[node] = find_node(r->h, r->tree_os_id[node]);
	}
}

static bool fill_node_cpus(const struct reading *r)
{
	for (uint32_t node = 0; node < r->t->nnodes; node++) {
		hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

		if (!cpus)
			return machine_err(r->e, "no memory for the NUMA nodes; free some");
		r->node_cpus[node] = cpus;
		if (r->tree_node_count &&
		    machine_sysfs_node_cpus(r->root, r->t->node[node].os_id, cpus))
			continue;
		if (r->nodes[node])
			hwloc_bitmap_copy(cpus, r->nodes[node]->complete_cpuset);
	}
	return true;
}

/* Memory that Linux makes a node of its own: special kinds stand behind plain memory. */
static bool node_is_special(hwloc_obj_t node)
{
	return node && node->subtype && strcmp(node->subtype, "DRAM") != 0;
}

/* Is node A the better home for a CPU that both claim? Ties go to the lower number. */
static bool node_is_better(const struct reading *r, uint32_t a, uint32_t b)
{
	bool special_a = node_is_special(r->nodes[a]);
	bool special_b = node_is_special(r->nodes[b]);
	int weight_a = hwloc_bitmap_weight(r->node_cpus[a]);
	int weight_b = hwloc_bitmap_weight(r->node_cpus[b]);

	if (special_a != special_b)
		return !special_a;
	if (weight_a != weight_b)
		return weight_a < weight_b;
	return a < b;
}

static void fill_nodes(const struct reading *r)
{
	struct topology *t = r->t;

	for (uint32_t node = 0; node < t->nnodes; node++) {
		for (uint32_t i = 0; i < t->ncpus; i++) {
			if (!hwloc_bitmap_isset(r->node_cpus[node], i))
				continue;
			if (t->cpu[i].node == TOPO_NONE || node_is_better(r, node, t->cpu[i].node))
				t->cpu[i].node = node;
		}
	}
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (t->cpu[i].node == TOPO_NONE)
			t->cpu[i].node = 0;
}

/* -- repairs -- */

/* What was not told: packages follow the nodes, dies the packages, books the packages. */
static void fill_gaps(struct topology *t)
{
	uint32_t lowest_cpu[TOPO_NODES_MAX];
	bool any_book = false, any_drawer = false;

	for (uint32_t node = 0; node < TOPO_NODES_MAX; node++)
		lowest_cpu[node] = TOPO_NONE;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		struct topo_cpu *cpu = &t->cpu[i];

		if (!cpu->present)
			continue;
		any_book |= cpu->book != TOPO_NONE;
		any_drawer |= cpu->drawer != TOPO_NONE;
		if (cpu->package != TOPO_NONE)
			continue;
		if (lowest_cpu[cpu->node] == TOPO_NONE)
			lowest_cpu[cpu->node] = i;
		cpu->package = lowest_cpu[cpu->node];
	}
	for (uint32_t i = 0; i < t->ncpus; i++) {
		struct topo_cpu *cpu = &t->cpu[i];

		if (!cpu->present)
			continue;
		if (cpu->die == TOPO_NONE)
			cpu->die = cpu->package;
		if (any_book && cpu->book == TOPO_NONE)
			cpu->book = cpu->package;
		if (any_drawer && cpu->drawer == TOPO_NONE)
			cpu->drawer = any_book ? cpu->book : cpu->package;
	}
}

/* Threads of one core share everything: where files disagree, the lowest CPU decides. */
static void follow_core(struct topology *t)
{
	for (uint32_t i = 0; i < t->ncpus; i++) {
		struct topo_cpu *cpu = &t->cpu[i];
		const struct topo_cpu *first;

		if (!cpu->present)
			continue;
		CHECK(cpu->core < t->ncpus);
		first = &t->cpu[cpu->core];
		cpu->cluster = first->cluster;
		cpu->llc = first->llc;
		cpu->die = first->die;
		cpu->package = first->package;
		cpu->book = first->book;
		cpu->drawer = first->drawer;
		cpu->node = first->node;
	}
}

static void count_ids(const struct topology *t, enum topo_part part, uint32_t *count)
{
	memset(count, 0, TOPO_CPUS_MAX * sizeof(*count));
	for (uint32_t i = 0; i < t->ncpus; i++) {
		uint32_t id = topo_cpu_part_id(&t->cpu[i], part);

		if (id != TOPO_NONE)
			count[id]++;
	}
}

/* Keep the clusters that are more than a core, less than the LLC, and within one LLC. */
static void prune_clusters(struct topology *t)
{
	uint32_t core_size[TOPO_CPUS_MAX], cluster_size[TOPO_CPUS_MAX], llc_size[TOPO_CPUS_MAX];
	uint32_t llc_of[TOPO_CPUS_MAX];
	bool drop[TOPO_CPUS_MAX] = {false};

	count_ids(t, TOPO_PART_CORE, core_size);
	count_ids(t, TOPO_PART_CLUSTER, cluster_size);
	count_ids(t, TOPO_PART_LLC, llc_size);
	for (uint32_t i = t->ncpus; i-- > 0;)
		if (t->cpu[i].cluster != TOPO_NONE)
			llc_of[t->cpu[i].cluster] = t->cpu[i].llc;
	for (uint32_t i = 0; i < t->ncpus; i++) {
		const struct topo_cpu *cpu = &t->cpu[i];
		uint32_t id = cpu->cluster;

		if (id == TOPO_NONE)
			continue;
		if (cluster_size[id] <= core_size[cpu->core] ||
		    cluster_size[id] >= llc_size[cpu->llc] || llc_of[id] != cpu->llc)
			drop[id] = true;
	}
	for (uint32_t i = 0; i < t->ncpus; i++)
		if (t->cpu[i].cluster != TOPO_NONE && drop[t->cpu[i].cluster])
			t->cpu[i].cluster = TOPO_NONE;
}

/* -- distances and capacities -- */

static uint32_t node_of_obj(const struct reading *r, hwloc_obj_t obj)
{
	for (uint32_t node = 0; node < r->t->nnodes; node++)
		if (obj && r->nodes[node] == obj)
			return node;
	return TOPO_NONE;
}

/* VALUE as a distance where LOCAL means 10: rounded, at least 10, at most 254. */
static uint8_t scaled_distance(uint64_t value, uint64_t local)
{
	if (value >= UINT64_MAX / 20 || local >= UINT64_MAX / 20)
		return 254;
	value = (value * 10 + local / 2) / local;
	if (value < 10)
		return 10;
	return value > 254 ? 254 : (uint8_t)value;
}

static void fill_from_matrix(const struct reading *r, const struct hwloc_distances_s *d)
{
	uint64_t local = UINT64_MAX;

	for (unsigned i = 0; i < d->nbobjs; i++) {
		uint64_t value = d->values[(size_t)i * d->nbobjs + i];

		local = value < local ? value : local;
	}
	if (local == 0 || local == UINT64_MAX)
		return;
	for (unsigned i = 0; i < d->nbobjs; i++) {
		uint32_t from = node_of_obj(r, d->objs[i]);

		for (unsigned j = 0; j < d->nbobjs && from != TOPO_NONE; j++) {
			uint32_t to = node_of_obj(r, d->objs[j]);

			if (to != TOPO_NONE)
				r->t->distance[(size_t)from * r->t->nnodes + to] = scaled_distance(
					d->values[(size_t)i * d->nbobjs + j], local);
		}
	}
}

/* The matrix that Linux reported, else the first one of latencies. */
static void fill_distances(const struct reading *r)
{
	struct hwloc_distances_s *d = NULL;
	unsigned count = 1;

	if (hwloc_distances_get_by_name(r->h, "NUMALatency", &count, &d, 0) != 0 || count == 0) {
		count = 1;
		if (hwloc_distances_get_by_type(r->h, HWLOC_OBJ_NUMANODE, &count, &d,
						HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
		    count == 0)
			return;
	}
	fill_from_matrix(r, d);
	hwloc_distances_release(r->h, d);
}

static const char *kind_info(hwloc_topology_t h, unsigned kind, hwloc_bitmap_t cpus,
			     const char *name)
{
	struct hwloc_info_s *infos = NULL;
	unsigned count = 0;
	int efficiency;

	if (hwloc_cpukinds_get_info(h, kind, cpus, &efficiency, &count, &infos, 0) != 0)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		if (strcmp(infos[i].name, name) == 0)
			return infos[i].value;
	return NULL;
}

/* The capacity of each kind, 0 if not told, into OF[]; the largest is returned. */
static uint32_t raw_capacities(const struct reading *r, uint32_t *of)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int kinds = hwloc_cpukinds_get_nr(r->h, 0);
	uint32_t largest = 0;

	for (int kind = 0; cpus && kind < kinds; kind++) {
		const char *text = kind_info(r->h, (unsigned)kind, cpus, "LinuxCapacity");
		unsigned long value = text ? strtoul(text, NULL, 10) : 0;

		if (value == 0 || value > UINT32_MAX / 2048)
			continue;
		for (uint32_t i = 0; i < r->t->ncpus; i++)
			if (hwloc_bitmap_isset(cpus, i))
				of[i] = (uint32_t)value;
		largest = value > largest ? (uint32_t)value : largest;
	}
	hwloc_bitmap_free(cpus);
	return largest;
}

static void fill_capacities(const struct reading *r)
{
	uint32_t raw[TOPO_CPUS_MAX] = {0};
	uint32_t largest = raw_capacities(r, raw);

	for (uint32_t i = 0; i < r->t->ncpus && largest; i++) {
		uint32_t scaled = (raw[i] * 1024u + largest / 2) / largest;

		if (raw[i])
			r->t->cpu[i].capacity = scaled ? scaled : 1;
	}
}

/* -- architecture -- */

static bool is_x86_name(const char *name)
{
	return strcmp(name, "x86_64") == 0 || strcmp(name, "x86") == 0 ||
	       strcmp(name, "amd64") == 0 ||
	       (name[0] == 'i' && strlen(name) == 4 && strcmp(name + 2, "86") == 0);
}

/* Old files name only the maker, or only the model. */
static bool package_is_x86(hwloc_obj_t package)
{
	const char *vendor = hwloc_obj_get_info_by_name(package, "CPUVendor");
	const char *model = hwloc_obj_get_info_by_name(package, "CPUModel");

	if (vendor)
		return machine_vendor_is_x86(vendor);
	return model &&
	       (strstr(model, "AMD ") || strstr(model, "Xeon") || strstr(model, "Intel(R) Core"));
}

static enum topo_arch read_arch(const struct reading *r)
{
	hwloc_obj_t root = hwloc_get_root_obj(r->h);
	const char *name = hwloc_obj_get_info_by_name(root, "Architecture");
	hwloc_obj_t package = hwloc_get_next_obj_by_type(r->h, HWLOC_OBJ_PACKAGE, NULL);
	bool x86;

	if (r->source->arch_name[0])
		name = r->source->arch_name;
	if (name)
		x86 = is_x86_name(name);
	else if (r->source->kind == MACHINE_SYNTHETIC)
		x86 = true;
	else if (r->source->kind == MACHINE_SYSFS)
		x86 = machine_sysfs_is_x86(r->root);
	else
		x86 = package && package_is_x86(package);
	return x86 ? TOPO_ARCH_X86 : TOPO_ARCH_OTHER;
}

/* -- all together -- */

static bool fill(const struct reading *r)
{
	struct topology *t = r->t;

	if (r->tree_node_count)
		collect_tree_nodes(r);
	else
		collect_nodes(r);
	if (!fill_node_cpus(r))
		return false;
	fill_cpus(r);
	if (r->root && !machine_sysfs_parts(r->root, t))
		return machine_err(r->e, "no memory for the CPUs; free some");
	fill_nodes(r);
	fill_gaps(t);
	follow_core(t);
	prune_clusters(t);
	if (r->tree_node_count)
		machine_sysfs_distances(r->root, t);
	else
		fill_distances(r);
	fill_capacities(r);
	t->arch = read_arch(r);
	snprintf(t->name, sizeof(t->name), "%s", r->source->name);
	return true;
}

/* Sizes first: what does not fit is refused before anything is indexed by it. */
static bool measure(struct reading *r)
{
	int last = hwloc_bitmap_last(hwloc_topology_get_complete_cpuset(r->h));
	int nnodes = hwloc_get_nbobjs_by_type(r->h, HWLOC_OBJ_NUMANODE);

	if (last < 0 || hwloc_get_nbobjs_by_type(r->h, HWLOC_OBJ_PU) <= 0)
		return machine_err(r->e, "the machine has no CPU; %s",
				   what_is_right(r->source->kind));
	r->tree_os_id = calloc(TOPO_NODES_MAX + 1, sizeof(*r->tree_os_id));
	if (!r->tree_os_id)
		return machine_err(r->e, "no memory for the NUMA nodes; free some");
	if (r->root)
		r->tree_node_count = machine_sysfs_nodes(r->root, r->tree_os_id);
	if (r->tree_node_count)
		nnodes = (int)r->tree_node_count;
	return topology_create(r->t, (uint32_t)last + 1, nnodes > 0 ? (uint32_t)nnodes : 1, r->e);
}

static const char *root_of(const struct machine_source *source)
{
	if (source->kind == MACHINE_SYSFS)
		return source->text;
	return source->kind == MACHINE_LIVE ? "" : NULL;
}

/* Leaves some memory to the end of the child process. */
static bool read_with(hwloc_topology_t h, const struct machine_source *source, struct topology *t,
		      struct rql_error *e)
{
	struct reading r = {source, h, root_of(source), NULL, 0, NULL, NULL, t, e};

	if (!configure(h, source, e))
		return false;
	if (hwloc_topology_load(h) != 0)
		return machine_err(e, "hwloc cannot read this machine (%s); %s", strerror(errno),
				   what_is_right(source->kind));
	if (!measure(&r))
		return false;
	r.nodes = calloc(t->nnodes, sizeof(*r.nodes));
	r.node_cpus = calloc(t->nnodes, sizeof(*r.node_cpus));
	if (!r.nodes || !r.node_cpus)
		return machine_err(e, "no memory for the NUMA nodes; free some");
	return fill(&r) && topology_finish(t, e);
}

static bool read_in_child(const void *arg, struct topology *t, struct rql_error *e)
{
	const struct machine_source *source = arg;
	hwloc_topology_t h;

	if (!set_environment(source, e))
		return false;
	if (hwloc_topology_init(&h) != 0)
		return machine_err(e, "hwloc does not start; free some memory");
	return read_with(h, source, t, e);
}

bool machine_hwloc_load(const struct machine_source *source, struct topology *out,
			struct rql_error *e)
{
	return machine_child_run(read_in_child, source, out, e);
}
