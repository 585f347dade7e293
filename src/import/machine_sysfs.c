/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hwloc describes hardware; the kernel's domains follow the kernel's opinion
 * of the hardware, and a sysfs tree holds that opinion word for word. They
 * differ: the two cores of a Bulldozer module are threads to Linux, a node may
 * be listed with the CPUs of another (numa=fake) where hwloc drops it, and a
 * damaged cache file makes hwloc drop the cache of a whole package. So what
 * the tree says about sharing wins over hwloc.
 *
 * CPUs share a thing when their mask files are identical. That is the
 * kernel's meaning in a sound tree, and in a damaged one it isolates the CPUs
 * whose files are wrong.
 *
 * Nothing here trusts a file: reads are bounded, numbers too. A FIFO in a tree
 * would block; the child process in which this runs has an alarm for that.
 */
#include "import/machine_sysfs.h"

#include "base/check.h"
#include "import/machine_build.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX 65536u
#define OS_ID_MAX 65535u
#define CACHES_MAX 16u /* index0, index1 ... of a CPU */

/* -- small files -- */

/* The beginning of ROOT/PATH as text; NULL if it cannot be read; to be freed. */
static char *read_text(const char *root, const char *path)
{
	char full[PATH_MAX];
	char *text;
	size_t len;
	FILE *f;

	if ((size_t)snprintf(full, sizeof(full), "%s/%s", root, path) >= sizeof(full))
		return NULL;
	f = fopen(full, "re");
	if (!f)
		return NULL;
	text = malloc(FILE_BYTES_MAX + 1);
	if (text) {
		len = fread(text, 1, FILE_BYTES_MAX, f);
		text[len] = '\0';
	}
	fclose(f);
	return text;
}

static uint32_t hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (uint32_t)(at - digits) : 16;
}

/* The kernel's mask "0000,0000000c", lowest bits last, into CPUS; false if it is none. */
static bool parse_mask(const char *text, hwloc_bitmap_t cpus)
{
	uint32_t bit = 0;

	hwloc_bitmap_zero(cpus);
	for (const char *p = text + strcspn(text, "\n"); p-- > text;) {
		uint32_t value = hex_digit(*p);

		if (*p == ',')
			continue;
		if (value > 15)
			return false;
		for (uint32_t i = 0; i < 4; i++)
			if (value >> i & 1)
				hwloc_bitmap_set(cpus, bit + i);
		bit += 4;
	}
	return bit > 0;
}

static bool read_mask(const char *root, const char *path, hwloc_bitmap_t cpus)
{
	char *text = read_text(root, path);
	bool ok = text && parse_mask(text, cpus);

	free(text);
	return ok;
}

/* -- nodes -- */

/* "node12" -> 12, else OS_ID_MAX + 1. */
static uint32_t node_number(const char *name)
{
	uint32_t number = 0;

	if (strncmp(name, "node", 4) != 0 || name[4] == '\0')
		return OS_ID_MAX + 1;
	for (const char *p = name + 4; *p; p++) {
		if (*p < '0' || *p > '9' || number > OS_ID_MAX)
			return OS_ID_MAX + 1;
		number = number * 10 + (uint32_t)(*p - '0');
	}
	return number;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t machine_sysfs_nodes(const char *root, uint32_t *os_id)
{
	char path[PATH_MAX];
	struct dirent *entry;
	uint32_t count = 0;
	DIR *dir;

	if ((size_t)snprintf(path, sizeof(path), "%s/sys/devices/system/node", root) >=
	    sizeof(path))
		return 0;
	dir = opendir(path);
	if (!dir)
		return 0;
	while (count <= TOPO_NODES_MAX && (entry = readdir(dir)) != NULL) {
		uint32_t number = node_number(entry->d_name);

		if (number <= OS_ID_MAX)
			os_id[count++] = number;
	}
	closedir(dir);
	qsort(os_id, count, sizeof(*os_id), compare_numbers);
	return count;
}

bool machine_sysfs_node_cpus(const char *root, uint32_t os_id, hwloc_bitmap_t cpus)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/devices/system/node/node%u/cpumap", os_id);
	return read_mask(root, path, cpus);
}

/* One row: a value for each node, or the row stays as it is. */
static void parse_distances(const char *text, uint8_t *row, uint32_t nnodes)
{
	uint8_t values[TOPO_NODES_MAX];
	uint32_t count = 0;

	CHECK(nnodes <= TOPO_NODES_MAX);
	while (*(text += strspn(text, " \n"))) {
		char *end;
		unsigned long value = strtoul(text, &end, 10);

		if (end == text || value < 10 || value > 255 || count == nnodes)
			return;
		values[count++] = (uint8_t)value;
		text = end;
	}
	if (count == nnodes)
		memcpy(row, values, nnodes);
}

void machine_sysfs_distances(const char *root, struct topology *t)
{
	for (uint32_t node = 0; node < t->nnodes; node++) {
		char path[64];
		char *text;

		snprintf(path, sizeof(path), "sys/devices/system/node/node%u/distance",
			 t->node[node].os_id);
		text = read_text(root, path);
		if (text)
			parse_distances(text, &t->distance[(size_t)node * t->nnodes], t->nnodes);
		free(text);
	}
}

/* -- what CPUs share -- */

static bool read_topology_mask(const char *root, uint32_t cpu, const char *name,
			       hwloc_bitmap_t cpus)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	return read_mask(root, path, cpus);
}

static char *read_cache_text(const char *root, uint32_t cpu, uint32_t cache, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cache/index%u/%s", cpu, cache,
		 name);
	return read_text(root, path);
}

/* The mask of the data or unified cache of the highest level. */
static bool read_llc_mask(const char *root, uint32_t cpu, hwloc_bitmap_t cpus)
{
	uint32_t best_level = 0, best = 0;
	bool ok;
	char *map;

	for (uint32_t cache = 0; cache < CACHES_MAX; cache++) {
		char *level = read_cache_text(root, cpu, cache, "level");
		char *type = read_cache_text(root, cpu, cache, "type");
		unsigned long value = level ? strtoul(level, NULL, 10) : 0;

		if (type && strncmp(type, "Instruction", 11) != 0 && value > best_level &&
		    value < 10) {
			best_level = (uint32_t)value;
			best = cache;
		}
		free(level);
		free(type);
	}
	map = best_level ? read_cache_text(root, cpu, best, "shared_cpu_map") : NULL;
	ok = map && parse_mask(map, cpus);
	free(map);
	return ok;
}

static bool read_part_mask(const char *root, enum topo_part part, uint32_t cpu, hwloc_bitmap_t cpus)
{
	switch (part) {
	case TOPO_PART_CORE:
		return read_topology_mask(root, cpu, "thread_siblings", cpus) ||
		       read_topology_mask(root, cpu, "core_cpus", cpus);
	case TOPO_PART_CLUSTER:
		return read_topology_mask(root, cpu, "cluster_cpus", cpus);
	case TOPO_PART_LLC:
		return read_llc_mask(root, cpu, cpus);
	case TOPO_PART_BOOK:
		return read_topology_mask(root, cpu, "book_siblings", cpus);
	case TOPO_PART_DRAWER:
		return read_topology_mask(root, cpu, "drawer_siblings", cpus);
	case TOPO_PART_DIE:
	case TOPO_PART_PACKAGE:
	case TOPO_PARTS:
		break;
	}
	return false;
}

/*
 * The lowest CPU whose mask is that of CPU. In a sound tree that is the lowest
 * bit of the mask; the search behind it is for damaged ones.
 */
static uint32_t same_mask(hwloc_bitmap_t *masks, uint32_t cpu, uint32_t ncpus)
{
	int lowest = hwloc_bitmap_first(masks[cpu]);

	if (lowest >= 0 && (uint32_t)lowest < ncpus && masks[lowest] &&
	    hwloc_bitmap_isequal(masks[lowest], masks[cpu]))
		return (uint32_t)lowest;
	for (uint32_t other = 0; other < cpu; other++)
		if (masks[other] && hwloc_bitmap_isequal(masks[other], masks[cpu]))
			return other;
	return cpu;
}

static void overlay_part(const char *root, struct topology *t, enum topo_part part,
			 hwloc_bitmap_t *masks)
{
	hwloc_bitmap_t mask = NULL;

	memset(masks, 0, t->ncpus * sizeof(*masks));
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++) {
		if (!t->cpu[cpu].online)
			continue;
		if (!mask)
			mask = hwloc_bitmap_alloc();
		if (!mask || !read_part_mask(root, part, cpu, mask) ||
		    !hwloc_bitmap_isset(mask, cpu))
			continue;
		masks[cpu] = mask;
		mask = NULL;
	}
	hwloc_bitmap_free(mask);
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		if (masks[cpu])
			*topo_cpu_part(&t->cpu[cpu], part) = same_mask(masks, cpu, t->ncpus);
	for (uint32_t cpu = 0; cpu < t->ncpus; cpu++)
		hwloc_bitmap_free(masks[cpu]);
}

bool machine_sysfs_parts(const char *root, struct topology *t)
{
	static const enum topo_part parts[] = {TOPO_PART_CORE, TOPO_PART_CLUSTER, TOPO_PART_LLC,
					       TOPO_PART_BOOK, TOPO_PART_DRAWER};
	hwloc_bitmap_t *masks = calloc(t->ncpus, sizeof(*masks));

	if (!masks)
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		overlay_part(root, t, parts[i], masks);
	free(masks);
	return true;
}

/* -- architecture -- */

bool machine_vendor_is_x86(const char *vendor)
{
	static const char *const vendors[] = {"GenuineIntel", "AuthenticAMD", "HygonGenuine",
					      "CentaurHauls", "Shanghai",     "GenuineTMx86",
					      "CyrixInstead"};

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strstr(vendor, vendors[i]))
			return true;
	return false;
}

/* ia64 has the same makers but calls the line `vendor`. */
bool machine_sysfs_is_x86(const char *root)
{
	char *text = read_text(root, "proc/cpuinfo");
	char *line = text ? strstr(text, "vendor_id") : NULL;
	bool x86 = false;

	if (line) {
		line[strcspn(line, "\n")] = '\0';
		x86 = machine_vendor_is_x86(line);
	}
	free(text);
	return x86;
}
