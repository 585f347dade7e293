/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines that others have recorded: dumps of sysfs and hwloc XML files, kept
 * outside the project. The expected figures come with the collection or were
 * counted in the raw sysfs files by other means than this program; the test
 * skips where the collection is absent.
 */
#include "support.h"

#include "import/machine.h"
#include "import/machine_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct expected {
	const char *file;
	const char *online;     /* list of CPUs; NULL: not told */
	uint32_t present_count; /* 0: not told */
	uint32_t online_count;
	uint32_t node_count;
	const char *distances; /* from the first node, perhaps cut short; NULL: not told */
	uint32_t core_count;   /* of online CPUs; 0: the machine tells of no core */
	uint32_t package_count;
	uint32_t llc_count; /* 0: the machine tells of no cache */
};

/*
 * The modules of 64amd64-* are cores of two threads to Linux, which hwloc
 * splits. 40intel64-* has one damaged cache file, whose CPU stands alone.
 */
/* clang-format off */
static const struct expected expected[] = {
	{"hwloc__128arm-2pa2n8cluster4co.tar.bz2", "0-127", 128, 128, 4, "10 16 32 33", 128, 2, 4},
	{"hwloc__128ia64-17n4s2c.tar.bz2", NULL, 128, 128, 17, "10 17 17 17 20 20 20 20 20 20 20 20 20 20 20 20 14", 128, 64, 0},
	{"hwloc__256ia64-64n2s2c.tar.bz2", NULL, 256, 256, 64, "10 22 22 22 26 26 26 26 26 26 26 26 30 30 30 30 30 30 30 30 34 34 34", 256, 128, 0},
	{"hwloc__16amd64-8n2c-cpusets.tar.bz2", "0-3,5-15", 16, 15, 8, "10 20 20 20 20 20 20 20", 15, 8, 15},
	{"hwloc__16amd64-8n2c.tar.bz2", "0-15", 16, 16, 8, "10 20 20 20 20 20 20 20", 16, 8, 16},
	{"hwloc__16em64t-4s2c2t-offlines.tar.bz2", NULL, 16, 12, 1, "10", 7, 4, 4},
	{"hwloc__20s390-2g6s4c.tar.bz2", "0-19", 20, 20, 1, NULL, 20, 8, 0},
	{"hwloc__32intel64-2p8co2t+8ve.tar.bz2", "0-31", 32, 32, 2, "10 21", 16, 2, 2},
	{"hwloc__40intel64-4n10c+pci-conflicts.tar.bz2", "0-39", 40, 40, 4, "10 20 20 20", 40, 4, 5},
	{"hwloc__48amd64-4pa2n6c-sparse.tar.bz2", "0-47", 48, 48, 8, "10 16 16 22 16 22 16 22", 48, 4, 8},
	{"hwloc__64amd64-4s2n4ca2co.tar.bz2", "0-63", 64, 64, 8, "10 16 16 22 16 22 16 22", 32, 4, 8},
	{"hwloc__8em64t-2s2ca2c-buggynuma.tar.bz2", "0-7", 8, 8, 8, "10 10 10 10 10 10 10 10", 8, 2, 4},
	{"hwloc__8em64t-2s4c-asymcaches.tar.bz2", "0-7", 8, 8, 1, "10", 8, 2, 5},
	{"hwloc__96em64t-4no4pa3ca2co.tar.bz2", NULL, 96, 96, 4, "10 26 26 26", 96, 16, 16},
	{"hwloc__fakecpuid1f-64intel64-2p4d2n2c2t.tar.bz2", "0-63", 64, 64, 16, "10 20 20 20 20 20 20 20 20 20 20 20 20 20 20 20", 32, 4, 8},
	{"hwloc__fakeheterocpunuma.tar.bz2", NULL, 24, 24, 6, "10 20 30 40 40 50", 12, 2, 0},
	{"hwloc__fakememinitiators-1np2c+1npp+gi.tar.bz2", "0-7", 8, 8, 11, "10 21 13 21 12 11 14 17 21 21 28", 8, 2, 0},
	{"hwloc__nvidia-dgx-gb10.tar.bz2", "0-19", 20, 20, 1, "10", 20, 1, 2},
	{"hwloc__offline-cpu0-node0.tar.bz2", "4-20", 24, 17, 1, NULL, 17, 2, 2},
	{"hwloc__2ps3-2t.tar.bz2", "0-1", 2, 2, 1, NULL, 1, 1, 0},
	{"hwloc__5intel64-hybrid-lakefield.tar.bz2", "0-4", 5, 5, 1, "10", 5, 1, 1},
	{"hwloc__64amd64-4p2n4ca2co.tar.bz2", "0-63", 64, 64, 8, "10 16 16 22 16 22 16 22", 32, 4, 8},
	{"hwloc__192em64t-24n8c2t.xml", NULL, 0, 384, 24, NULL, 192, 24, 24},
	{"hwloc__192em64t-12gr2n8c2t.xml", NULL, 0, 384, 24, NULL, 192, 24, 24},
	{"hwloc__fakeheterodistances.xml", NULL, 0, 8, 8, NULL, 0, 4, 8},
	{"hwloc__64intel64-heteromem.xml", NULL, 0, 64, 8, NULL, 16, 1, 4},
	{"hwloc__96em64t-4n4d3ca2co-pci.xml", NULL, 0, 96, 4, NULL, 96, 16, 16},
	{"hwloc__power8gpudistances.xml", NULL, 0, 16, 2, NULL, 8, 2, 8},
	{"hwloc__fakecpukinds.xml", NULL, 0, 4, 1, NULL, 2, 1, 0},
	{"hwloc__16em64t-4s2c2t-offlines.xml", NULL, 0, 7, 1, NULL, 6, 4, 4},
	{"hwloc__Intel-ArrowLake-CoreUltra5-225U.xml", NULL, 0, 14, 1, NULL, 12, 1, 2},
	{"hwloc__Intel-RaptorLake-Corei7-1370P.xml", NULL, 0, 20, 1, NULL, 14, 1, 1},
	{"hwloc__Intel-IvyBridge-12xXeon-E5-4620v2.xml", NULL, 0, 192, 1, NULL, 96, 12, 12},
	{"hwloc__Intel-KnightsCorner-XeonPhi-SE10P.xml", NULL, 0, 244, 1, NULL, 61, 1, 61},
	{"hwloc__AMD-K10-Istanbul-8xOpteron-8439SE.xml", NULL, 0, 48, 1, NULL, 48, 8, 8},
	{"hwloc__AMD-15h-Bulldozer-4xOpteron-6272.xml", NULL, 0, 64, 1, NULL, 64, 4, 8},
	{"hwloc__Zhaoxin-2xCentaurHauls-KaiSheng-KH-40000.xml", NULL, 0, 64, 1, NULL, 64, 2, 16},
	{"hwloc__Intel-Core-2xXeon-E5345.xml", NULL, 0, 8, 1, NULL, 8, 2, 4},
	{"util-linux__arm-A510-A710-A715-X3.tar.gz", "0-7", 8, 8, 1, NULL, 8, 3, 1},
	{"util-linux__ppc64-POWER7-64cpu.tar.gz", "0-63", 64, 64, 2, NULL, 16, 16, 16},
	{"util-linux__rv64-milkvpioneer.tar.gz", "0-63", 64, 64, 4, NULL, 64, 1, 0},
	{"util-linux__rv64-visionfive2.tar.gz", "0-3", 4, 4, 1, NULL, 4, 1, 1},
	{"util-linux__s390-lpar-drawer.tar.gz", "0-7", 8, 8, 1, NULL, 8, 2, 8},
	{"util-linux__s390-lpar.tar.gz", "1-5,8-19", 20, 17, 1, NULL, 17, 7, 0},
	{"util-linux__sparc64.tar.gz", "6-7,10-11,14-15", 6, 6, 1, NULL, 6, 6, 0},
	{"util-linux__vmware_fpe.tar.gz", "0-15", 16, 16, 4, NULL, 8, 2, 4},
	{"util-linux__x86_64-64cpu.tar.gz", "0-63", 64, 64, 3, NULL, 32, 4, 4},
	{"util-linux__x86_64-epyc_7451.tar.gz", "0-95", 96, 96, 8, NULL, 48, 2, 16},
	{"util-linux__x86_64-dell_e4310.tar.gz", "0-3", 4, 4, 1, NULL, 2, 1, 1},
};

/* Of the same collection, but no machines. */
static const char *const no_machines[] = {
	"hwloc__64amd64-4s2n4ca2co.console",
	"hwloc__48amd64-4pa2n6c-sparse.console",
	"hwloc__256ia64-64n2s2c.console",
	"hwloc__128arm-2pa2n8cluster4co.console",
	"hwloc__offline-cpu0-node0.console",
	"util-linux__lscpu-arm-A510-A710-A715-X3",
	"util-linux__lscpu-x86_64-epyc_7451",
	"util-linux__lscpu-s390-lpar-drawer",
	"util-linux__lscpu-sparc64",
	"util-linux__lscpu-ppc64-POWER7-64cpu",
	"util-linux__lscpu-rv64-milkvpioneer",
	"util-linux__lscpu-vmware_fpe",
	"lisa-platform__hikey960.json",
	"lisa-platform__pixel.json",
	"lisa-platform__tc2.json",
	"lisa-platform__juno.json",
	"lisa-platform__odroid-xu4.json",
	"lisa__doc-plat_info.yml",
	"lisa__tutorial-platform.json",
	"lscpu__power10-1920cpu.txt",
	"numactl__5node-3memoryonly.txt",
	"lscpu-p__2xE5410-8cpu.txt",
	"oracle__domain-spans-misc.txt",
};
/* clang-format on */

static uint32_t count_part(const struct topology *t, enum topo_part part)
{
	bool seen[TOPO_CPUS_MAX] = {false};
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->ncpus; i++) {
		uint32_t id = topo_cpu_part_id(&t->cpu[i], part);

		if (!t->cpu[i].online || id == TOPO_NONE || seen[id])
			continue;
		seen[id] = true;
		count++;
	}
	return count;
}

/* Does LIST, as "0-3,8", hold CPU? */
static bool list_has(const char *list, uint32_t cpu)
{
	while (*list) {
		char *end;
		unsigned long low = strtoul(list, &end, 10);
		unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;

		if (cpu >= low && cpu <= high)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

static void check_online(const struct topology *t, const char *list)
{
	for (uint32_t cpu = 0; list && cpu < t->ncpus; cpu++)
		assert_int_equal(t->cpu[cpu].online, list_has(list, cpu));
}

static void check_distances(const struct topology *t, const char *text)
{
	for (uint32_t node = 0; text && *text; node++) {
		char *end;

		assert_true(node < t->nnodes);
		assert_int_equal(topo_distance(t, 0, node), strtoul(text, &end, 10));
		text = end + strspn(end, " ");
	}
}

static void check_round_trip(const struct topology *t)
{
	char *text = topology_describe(t);
	struct topology again;
	struct rql_error e;

	assert_non_null(text);
	assert_true(machine_load(text, &again, &e));
	assert_true(topology_equal(t, &again));
	topology_free(&again);
	free(text);
}

static void check_machine(const struct expected *x, const struct topology *t)
{
	uint32_t core_count = count_part(t, TOPO_PART_CORE);

	if (x->present_count)
		assert_int_equal(t->npresent, x->present_count);
	assert_int_equal(t->nonline, x->online_count);
	assert_int_equal(t->nnodes, x->node_count);
	assert_int_equal(core_count, x->core_count ? x->core_count : t->nonline);
	assert_int_equal(count_part(t, TOPO_PART_PACKAGE), x->package_count);
	assert_int_equal(count_part(t, TOPO_PART_LLC), x->llc_count ? x->llc_count : core_count);
	check_online(t, x->online);
	check_distances(t, x->distances);
	check_round_trip(t);
}

/*
 * Unpack of ARCHIVE into FOLDER what tells of CPUs and nodes, and put the
 * folder above its sys/devices/system into ROOT.
 */
static void unpack(const char *archive, const char *folder, char *root, size_t size)
{
	char command[1024];
	FILE *f;

	snprintf(command, sizeof(command),
		 "tar -xf '%s' -C '%s' --no-same-permissions --wildcards --exclude='*/cpuidle' "
		 "--exclude='*/cpufreq' --exclude='*/power' --exclude='*/node*/memory[0-9]*' "
		 "--exclude='*/hugepages' --exclude='*/thermal_throttle' --exclude='*/microcode' "
		 "'*/sys/devices/system/cpu' '*/sys/devices/system/node' '*/proc/cpuinfo' "
		 "'*/proc/hwloc-nofile-info' 2>/dev/null; chmod -R u+rwX '%s'; "
		 "find '%s' -path '*/sys/devices/system' -prune",
		 archive, folder, folder, folder);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(root, (int)size, f));
	pclose(f);
	*strstr(root, "/sys/devices/system") = '\0';
}

/* Thousands of small files: in memory where there is a place for it. FOLDER: 64 bytes. */
static void make_folder(char *folder)
{
	const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";

	snprintf(folder, 64, "%s/machine-files-XXXXXX", place);
	assert_non_null(mkdtemp(folder));
}

static void load_archive(const char *path, struct topology *t)
{
	char folder[64], root[1024], command[128];
	struct rql_error e;

	assert_false(machine_load(path, t, &e));
	assert_non_null(strstr(e.what, "tar -xf"));
	make_folder(folder);
	unpack(path, folder, root, sizeof(root));
	if (!machine_load(root, t, &e))
		fail_msg("%s: %s", e.where, e.what);
	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void check_file(const struct expected *x)
{
	char path[512], below[256];
	struct topology t;
	struct rql_error e;

	snprintf(below, sizeof(below), "inputs/topologies/%s", x->file);
	snprintf(path, sizeof(path), "%s", shared_path(below));
	print_message("%s\n", x->file);
	if (strstr(x->file, ".tar."))
		load_archive(path, &t);
	else if (!machine_load(path, &t, &e))
		fail_msg("%s: %s", e.where, e.what);
	check_machine(x, &t);
	topology_free(&t);
}

static void test_recorded_machines_have_their_published_figures(void **state)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_file(&expected[i]);
}

static void test_other_files_are_refused_with_advice(void **state)
{
	for (size_t i = 0; i < sizeof(no_machines) / sizeof(no_machines[0]); i++) {
		char below[256];
		struct topology t;
		struct rql_error e;

		snprintf(below, sizeof(below), "inputs/topologies/%s", no_machines[i]);
		assert_false(machine_load(shared_path(below), &t, &e));
		assert_non_null(strstr(e.what, "no XML file; "));
		assert_non_null(strstr(e.where, no_machines[i]));
	}
}

/* A hypervisor's table of eight nodes that all claim all CPUs: the first has them. */
static void check_one_home(const struct topology *t)
{
	for (uint32_t i = 0; i < t->ncpus; i++)
		assert_int_equal(t->cpu[i].node, 0);
	for (uint32_t node = 1; node < t->nnodes; node++)
		assert_true(t->node[node].memory_only);
}

static void test_cpus_claimed_by_all_nodes_live_in_the_first(void **state)
{
	char path[512];
	struct topology t;

	snprintf(path, sizeof(path), "%s",
		 shared_path("inputs/topologies/hwloc__8em64t-2s2ca2c-buggynuma.tar.bz2"));
	load_archive(path, &t);
	check_one_home(&t);
	topology_free(&t);
}

/* The preset is the recorded machine, its name apart. */
static void test_the_ladder_is_a_recorded_machine(void **state)
{
	char path[512];
	struct topology t, preset;
	struct rql_error e;

	snprintf(path, sizeof(path), "%s",
		 shared_path("inputs/topologies/hwloc__64amd64-4s2n4ca2co.tar.bz2"));
	load_archive(path, &t);
	assert_true(machine_load("ladder-8x8", &preset, &e));
	memcpy(t.name, preset.name, sizeof(t.name));
	assert_true(topology_equal(&t, &preset));
	topology_free(&t);
	topology_free(&preset);
}

static void test_capacities_are_the_kernels(void **state)
{
	static const uint32_t capacities[8] = {280, 280, 280, 855, 855, 855, 855, 1024};
	char path[512];
	struct topology t;

	snprintf(path, sizeof(path), "%s",
		 shared_path("inputs/topologies/util-linux__arm-A510-A710-A715-X3.tar.gz"));
	load_archive(path, &t);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(t.cpu[i].capacity, capacities[i]);
	assert_int_equal(t.arch, TOPO_ARCH_OTHER);
	topology_free(&t);
}

static void test_damaged_trees_end_in_a_machine_or_an_error(void **state)
{
	static const char *const damages[] = {
		"find sys -name thread_siblings -exec truncate -s 0 {} +",
		"find sys -name thread_siblings -exec sh -c 'echo zzz | tee \"$@\" >/dev/null' sh {} +",
		"find sys -name shared_cpu_map -exec sh -c 'echo 3 | tee \"$@\" >/dev/null' sh {} +",
		"find sys -name cpumap -exec sh -c 'echo 0 | tee \"$@\" >/dev/null' sh {} +",
		"find sys -name distance -exec sh -c 'echo -1 99999999999 x | tee \"$@\" >/dev/null' sh {} +",
		"mkdir sys/devices/system/node/node60000 sys/devices/system/node/node99999999999",
		"find sys -name core_siblings -exec sh -c 'head -c 99999 /dev/urandom | tee \"$@\" >/dev/null' sh {} +",
		"find sys -name level -exec sh -c 'echo 99999999999999999999 >$0' {} +",
		"find sys -name online -delete",
		"rm -r sys/devices/system/cpu/cpu*",
		"mkdir sys/devices/system/cpu/cpu5000",
	};
	char path[512], folder[64], root[1024], command[2048];
	struct topology t;
	struct rql_error e;

	snprintf(path, sizeof(path), "%s",
		 shared_path("inputs/topologies/hwloc__16amd64-8n2c.tar.bz2"));
	make_folder(folder);
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		unpack(path, folder, root, sizeof(root));
		snprintf(command, sizeof(command), "cd '%s' && %s", root, damages[i]);
		assert_int_equal(system(command), 0);
		if (machine_load(root, &t, &e)) {
			check_round_trip(&t);
			topology_free(&t);
		} else {
			assert_non_null(strchr(e.what, ';'));
		}
		snprintf(command, sizeof(command), "rm -r '%s'/*", folder);
		assert_int_equal(system(command), 0);
	}
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_machines_have_their_published_figures),
		cmocka_unit_test(test_other_files_are_refused_with_advice),
		cmocka_unit_test(test_cpus_claimed_by_all_nodes_live_in_the_first),
		cmocka_unit_test(test_the_ladder_is_a_recorded_machine),
		cmocka_unit_test(test_capacities_are_the_kernels),
		cmocka_unit_test(test_damaged_trees_end_in_a_machine_or_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
