/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "support.h"

#include "import/machine.h"
#include "import/machine_build.h"
#include "import/machine_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What `live` reads; a bare chroot has none. */
static bool has_sysfs(void)
{
	return access("/sys/devices/system/cpu", R_OK) == 0;
}

static void load(const char *text, struct topology *t)
{
	struct rql_error e;

	if (!machine_load(text, t, &e))
		fail_msg("%s: %s", text, e.what);
}

static void assert_refused(const char *text, const char *reason)
{
	struct topology t;
	struct rql_error e;

	if (machine_load(text, &t, &e)) {
		topology_free(&t);
		fail_msg("'%.80s' was taken for a machine", text);
	}
	if (!strstr(e.what, reason))
		fail_msg("'%.80s': expected '%s' in '%s'", text, reason, e.what);
	assert_non_null(strchr(e.what, ';'));
	assert_null(strchr(e.what, '\n'));
	assert_null(t.cpu);
	assert_false(e.limit);
}

static void assert_round_trip(const struct topology *t)
{
	struct topology again;
	char *text = topology_describe(t);

	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	load(text, &again);
	assert_true(topology_equal(t, &again));
	topology_free(&again);
	free(text);
}

static void test_presets_have_their_sizes(void **state)
{
	static const struct {
		const char *name;
		uint32_t cpus, nodes, llcs, packages;
		enum topo_arch arch;
	} rows[] = {
		{"nhm-ep", 16, 2, 2, 2, TOPO_ARCH_X86},
		{"wsm-ep", 24, 2, 2, 2, TOPO_ARCH_X86},
		{"snb-ep", 32, 2, 2, 2, TOPO_ARCH_X86},
		{"arm64-2x4", 8, 1, 2, 1, TOPO_ARCH_OTHER},
		{"arm64-224", 224, 2, 2, 2, TOPO_ARCH_OTHER},
		{"biglittle-4+4", 8, 1, 2, 1, TOPO_ARCH_OTHER},
		{"ladder-8x8", 64, 8, 8, 4, TOPO_ARCH_X86},
		{"epyc-16llc", 256, 2, 16, 2, TOPO_ARCH_X86},
		{"lockstep-4", 4, 1, 1, 1, TOPO_ARCH_X86},
		{"lockstep-16", 16, 2, 2, 2, TOPO_ARCH_X86},
		{"lockstep-32", 32, 2, 2, 2, TOPO_ARCH_X86},
		{"lockstep-64", 64, 2, 2, 2, TOPO_ARCH_X86},
		{"lockstep-ring", 16, 4, 4, 4, TOPO_ARCH_X86},
	};
	size_t count;
	const struct machine_preset *presets = machine_presets(&count);

	assert_int_equal(count, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < count; i++) {
		struct topology t;

		load(presets[i].name, &t);
		assert_string_equal(t.name, rows[i].name);
		assert_int_equal(t.npresent, rows[i].cpus);
		assert_int_equal(t.nonline, t.npresent);
		assert_int_equal(t.nnodes, rows[i].nodes);
		assert_int_equal(t.cpu[t.ncpus - 1].llc, rows[i].llcs - 1);
		assert_int_equal(t.cpu[t.ncpus - 1].package, rows[i].packages - 1);
		assert_int_equal(t.arch, rows[i].arch);
		assert_round_trip(&t);
		topology_free(&t);
	}
}

/* Who shares a core, an LLC, a node with whom: CPU, its core's other threads, first and last of its LLC. */
static void test_presets_number_threads_as_their_machines_do(void **state)
{
	static const struct {
		const char *name;
		uint32_t cpu, sibling, core, llc, node, capacity;
	} rows[] = {
		{"arm64-2x4", 3, 3, 3, 0, 0, 1024},      {"arm64-2x4", 4, 4, 4, 1, 0, 1024},
		{"arm64-224", 1, 29, 1, 0, 0, 1024},     {"arm64-224", 1, 85, 1, 0, 0, 1024},
		{"arm64-224", 112, 140, 28, 1, 1, 1024}, {"arm64-224", 223, 139, 55, 1, 1, 1024},
		{"biglittle-4+4", 0, 0, 0, 0, 0, 462},   {"biglittle-4+4", 7, 7, 7, 1, 0, 1024},
		{"ladder-8x8", 0, 1, 0, 0, 0, 1024},     {"ladder-8x8", 63, 62, 31, 7, 7, 1024},
		{"ladder-8x8", 8, 9, 4, 1, 1, 1024},     {"epyc-16llc", 7, 135, 7, 0, 0, 1024},
		{"epyc-16llc", 64, 192, 64, 8, 1, 1024}, {"epyc-16llc", 63, 191, 63, 7, 0, 1024},
		{"lockstep-64", 33, 32, 16, 1, 1, 1024}, {"lockstep-16", 14, 15, 7, 1, 1, 1024},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct topo_cpu *cpu;
		struct topology t;

		load(rows[i].name, &t);
		cpu = &t.cpu[rows[i].cpu];
		assert_int_equal(cpu->core, rows[i].core);
		assert_int_equal(t.cpu[rows[i].sibling].core, rows[i].core);
		assert_int_equal(cpu->llc, rows[i].llc);
		assert_int_equal(cpu->node, rows[i].node);
		assert_int_equal(cpu->capacity, rows[i].capacity);
		topology_free(&t);
	}
}

static void test_presets_have_their_distances(void **state)
{
	struct topology t;

	load("ladder-8x8", &t);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = 0; k < 8; k++)
			assert_int_equal(topo_distance(&t, i, k), topo_distance(&t, k, i));
	assert_int_equal(topo_distance(&t, 0, 3), 22);
	assert_int_equal(topo_distance(&t, 2, 7), 16);
	topology_free(&t);
	load("epyc-16llc", &t);
	assert_int_equal(topo_distance(&t, 0, 1), 32);
	topology_free(&t);
	load("lockstep-16", &t);
	assert_int_equal(topo_distance(&t, 1, 0), 21);
	topology_free(&t);
	load("lockstep-ring", &t);
	assert_int_equal(topo_distance(&t, 0, 2), 30);
	assert_int_equal(topo_distance(&t, 3, 0), 20);
	topology_free(&t);
}

/*
 * 2x3x2: CPUs 0-2 and 3-5 are the first threads of the two sockets, 6-8 and
 * 9-11 the second.
 */
static void test_grid_numbers_threads_after_all_cores(void **state)
{
	struct topology t;

	load("2x3x2", &t);
	for (uint32_t i = 0; i < 12; i++) {
		uint32_t socket = i % 6 / 3;

		assert_int_equal(t.cpu[i].core, i % 6);
		assert_int_equal(t.cpu[i].package, socket);
		assert_int_equal(t.cpu[i].llc, socket);
		assert_int_equal(t.cpu[i].die, socket);
		assert_int_equal(t.cpu[i].node, socket);
		assert_int_equal(t.cpu[i].cluster, TOPO_NONE);
		assert_int_equal(t.cpu[i].book, TOPO_NONE);
		assert_int_equal(t.cpu[i].capacity, 1024);
	}
	assert_int_equal(topo_distance(&t, 0, 0), 10);
	assert_int_equal(topo_distance(&t, 0, 1), 20);
	topology_free(&t);
}

static void test_synthetic_numbers_siblings_adjacent(void **state)
{
	struct topology t;

	load("pack:2 numa:1 l3:1 core:8 pu:2", &t);
	assert_int_equal(t.npresent, 32);
	assert_int_equal(t.nnodes, 2);
	for (uint32_t i = 0; i < 32; i++) {
		assert_int_equal(t.cpu[i].core, i / 2);
		assert_int_equal(t.cpu[i].llc, i / 16);
		assert_int_equal(t.cpu[i].node, i / 16);
	}
	topology_free(&t);
}

static void test_synthetic_without_packages_has_one_for_each_node(void **state)
{
	struct topology t;

	load("numa:2 core:4 pu:1", &t);
	for (uint32_t i = 0; i < 8; i++) {
		assert_int_equal(t.cpu[i].package, i / 4);
		assert_int_equal(t.cpu[i].die, i / 4);
		assert_int_equal(t.cpu[i].llc, i);
	}
	topology_free(&t);
}

static void test_shared_l2_below_l3_is_a_cluster(void **state)
{
	struct topology t;

	load("pack:1 l3:1 l2:2 core:4 pu:1", &t);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(t.cpu[i].cluster, i / 4);
	topology_free(&t);
	load("pack:1 l3:1 l2:8 core:1 pu:2", &t);
	assert_int_equal(t.cpu[0].cluster, TOPO_NONE);
	topology_free(&t);
	load("pack:1 l2:2 core:4 pu:1", &t);
	assert_int_equal(t.cpu[0].cluster, TOPO_NONE);
	assert_int_equal(t.cpu[7].llc, 1);
	topology_free(&t);
}

static void test_short_forms_describe_themselves(void **state)
{
	static const char *const forms[] = {"nhm-ep",
					    "2x8x2",
					    "64x64x1",
					    "1024x4x1",
					    "pack:2 numa:1 l3:1 core:8 pu:2",
					    "pack:4 [numa] die:2 l3:2 core:4 pu:2"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct topology t;
		char *text;

		load(forms[i], &t);
		text = topology_describe(&t);
		assert_string_equal(text, forms[i]);
		free(text);
		topology_free(&t);
	}
}

static void test_changed_machine_is_described_in_full(void **state)
{
	struct topology t;
	char *text;

	load("wsm-ep", &t);
	t.cpu[3].online = false;
	t.nonline--;
	text = topology_describe(&t);
	assert_ptr_equal(strstr(text, MACHINE_TEXT_PREFIX), text);
	free(text);
	assert_round_trip(&t);
	topology_free(&t);
}

static void test_live_machine_can_be_loaded_and_described(void **state)
{
	struct topology t;

	if (!has_sysfs())
		skip();
	load("live", &t);
	assert_true(t.nonline > 0);
	assert_string_equal(t.name, "live");
	assert_round_trip(&t);
	topology_free(&t);
}

#define WHOLE                                                                                      \
	"topology:v1;name=mine;arch=other;cpus=0-7,10;offline=10;core=0-1/2-3/4-5/6-7/10;"         \
	"cluster=0-3/4-7;llc=0-7/10;die=llc;package=llc;book=all;drawer=all;"                      \
	"node=0:0-3/5:4-7,10/9:;capacity=512:4-7,10;distance=10,20,30/20,10,30/30*2,10"

static void test_description_says_everything(void **state)
{
	struct topology t;

	load(WHOLE, &t);
	assert_int_equal(t.ncpus, 11);
	assert_int_equal(t.npresent, 9);
	assert_int_equal(t.nonline, 8);
	assert_false(t.cpu[8].present);
	assert_false(t.cpu[10].online);
	assert_int_equal(t.cpu[7].core, 3);
	assert_int_equal(t.cpu[10].core, 4);
	assert_int_equal(t.cpu[10].cluster, TOPO_NONE);
	assert_int_equal(t.cpu[10].book, 0);
	assert_int_equal(t.node[1].os_id, 5);
	assert_true(t.node[2].memory_only);
	assert_int_equal(t.cpu[4].capacity, 512);
	assert_int_equal(topo_distance(&t, 2, 1), 30);
	assert_round_trip(&t);
	topology_free(&t);
}

static void test_written_description_is_the_one_read(void **state)
{
	struct topology t;
	char *text;

	load(WHOLE, &t);
	text = topology_describe(&t);
	assert_string_equal(text, WHOLE);
	free(text);
	topology_free(&t);
}

static void test_cut_description_is_whole_or_refused(void **state)
{
	char text[] = WHOLE;
	struct topology t;
	struct rql_error e;

	/* Where a prefix is a machine of its own, it must still round-trip. */
	for (size_t len = strlen(text); len-- > 0;) {
		text[len] = '\0';
		if (machine_load(text, &t, &e)) {
			assert_true(len >= strlen("topology:v1;name=mine"));
			assert_round_trip(&t);
			topology_free(&t);
		} else {
			assert_null(t.cpu);
		}
	}
}

static void test_bad_strings_say_what_is_right(void **state)
{
	static const char *const rows[][2] = {
		{"", "empty"},
		{"no-such-machine", "list machines"},
		{"0x4x2", "2x8x2"},
		{"2x0x2", "2x8x2"},
		{"-1x2x2", "2x8x2"},
		{"2x4", "2x8x2"},
		{"2x4x2x1", "2x8x2"},
		{"2x4x", "2x8x2"},
		{"65536x65536x1", "4096"},
		{"1000000000x1x1", "4096"},
		{"18446744073709551617x1x1", "4096"},
		{"1025x1x1", "1024"},
		{"4097x1x1", "4096"},
		{"pack:1000000000 core:1 pu:1", "4096"},
		{"pack:65536 core:65536 pu:1", "4096"},
		{"pack:0 core:2", "start at 1"},
		{"pack:-1 core:2", "start at 1"},
		{"pack:99999999999999999999", "4096"},
		{"pack:2 core:2 pu:", "start at 1"},
		{"pack:2 (indexes core:2", "bracket"},
		{"bogus:2 core:2 pu:1", "example"},
		{"core:2 l3:2 pu:1 pack:2", "example"},
		{"topology:v2;name=a", "v1"},
		{"topology:v1;name=a/b;arch=x86", "63"},
		{"topology:v1;name=a;arch=z80", "x86"},
		{"topology:v1;name=a;arch=x86;cpus=4096", "limits"},
		{"topology:v1;name=a;arch=x86;cpus=3-0", "descends"},
		{"topology:v1;name=a;arch=x86;cpus=0,0", "twice"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=0;llc=all;die=all;package=all;node=0:0-1",
		 "no core"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;node=0:0",
		 "no NUMA node"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=0-2;llc=all;die=all;package=all;node=0:0-1",
		 "cpus="},
		{"topology:v1;name=a;arch=x86;cpus=0-1;offline=0-1;core=all;llc=all;die=all;"
		 "package=all;node=0:0-1",
		 "no online CPU"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=all;llc=each;die=all;package=all;node=0:0-1",
		 "must share"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;"
		 "node=1:0/0:1",
		 "ascend"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;"
		 "node=0:0-1;capacity=0:0",
		 "capacity 0"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;"
		 "node=0:0/1:1;distance=10*9999/10",
		 "limits"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;"
		 "node=0:0/1:1;distance=10*3/10",
		 "one value"},
		{"topology:v1;name=a;arch=x86;cpus=0-1;core=each;llc=all;die=all;package=all;"
		 "node=0:0-1;junk=1",
		 "fixed order"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_refused(rows[i][0], rows[i][1]);
}

/* -- files -- */

static char folder[64];

static int make_folder(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/machine-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", folder);
	return system(command);
}

/* A path in the test's folder; the next call overwrites it. */
static const char *in_folder(const char *name)
{
	static char path[160];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, const char *bytes, size_t len)
{
	const char *path = in_folder(name);
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	return path;
}

#define OBJECT(type, rest)                                                                         \
	"<object type=\"" type "\" cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x1\" "        \
	"complete_nodeset=\"0x1\" " rest
#define PU(n, set)                                                                                 \
	"<object type=\"PU\" os_index=\"" n "\" cpuset=\"" set "\" complete_cpuset=\"" set         \
	"\" nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"1" n "\"/>\n"
#define XML(version, pus)                                                                          \
	"<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"                     \
	"<topology version=\"" version                                                             \
	"\">\n" OBJECT("Machine", "os_index=\"0\" allowed_cpuset=\"0x3\" allowed_nodeset=\"0x1\" " \
				  "gp_index=\"1\">\n")                                             \
		OBJECT("NUMANode", "os_index=\"0\" gp_index=\"2\"/>\n") pus                        \
		"</object>\n<info name=\"Architecture\" value=\"x86_64\"/>\n</topology>\n"

static void test_xml_of_hwloc_2_and_3_is_read(void **state)
{
	static const char *const versions[] = {XML("2.0", PU("0", "0x1") PU("1", "0x2")),
					       XML("3.0", PU("0", "0x1") PU("1", "0x2"))};

	for (size_t i = 0; i < 2; i++) {
		struct topology t;

		load(write_file("a.xml", versions[i], strlen(versions[i])), &t);
		assert_string_equal(t.name, "xml");
		assert_int_equal(t.npresent, 2);
		assert_int_equal(t.arch, TOPO_ARCH_X86);
		assert_round_trip(&t);
		topology_free(&t);
	}
}

static void test_cut_xml_is_an_error_with_a_line(void **state)
{
	static const char text[] = XML("2.0", PU("0", "0x1") PU("1", "0x2"));
	struct topology t;
	struct rql_error e;

	for (size_t len = 0; len + 2 < sizeof(text); len += 3) {
		assert_false(machine_load(write_file("a.xml", text, len), &t, &e));
		assert_true(e.line > 0);
		assert_true(e.what[0] != '\0');
		assert_non_null(strstr(e.where, "a.xml"));
	}
}

static void test_files_that_are_no_xml_say_so(void **state)
{
	static const char archive[] = "\x1f\x8b\x08 and more";
	static const char binary[] = "<\0\1\2\3";

	assert_refused(write_file("empty", "", 0), "empty");
	assert_refused(write_file("a.tar.gz", archive, sizeof(archive)), "tar -xf");
	assert_refused(write_file("b.tar.bz2", "BZh91AY", 7), "tar -xf");
	assert_refused(write_file("binary", binary, sizeof(binary)), "binary");
	assert_refused(write_file("text", "CPU(s): 4\n", 10), "no XML");
	assert_refused(write_file("html", "<html></html>", 13), "<topology>");
	assert_refused(write_file("v9", "<topology version=\"9.0\"></topology>", 35), "version");
	assert_refused(write_file("bomb", "<!DOCTYPE a [<!ENTITY b \"c\">]><topology></topology>",
				  50),
		       "entities");
	assert_refused("/dev/zero", "neither");
}

static void test_deep_nesting_is_refused(void **state)
{
	static char text[1 << 20];
	size_t len = 0;

	len += (size_t)snprintf(text, sizeof(text), "<topology version=\"2.0\">");
	while (len + 64 < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "<object type=\"Group\">");
	assert_refused(write_file("deep.xml", text, len), "nested");
}

static void test_huge_cpu_numbers_are_refused(void **state)
{
	static const char far[] = XML("2.0", PU("4000000000", "0x1"));
	static const char beyond[] =
		XML("2.0", PU("0", "0x1") "<object type=\"PU\" os_index=\"5000\"/>");

	assert_refused(write_file("far.xml", far, sizeof(far) - 1), "impossible number");
	assert_refused(write_file("beyond.xml", beyond, sizeof(beyond) - 1), "hwloc");
}

static void test_folder_without_sysfs_is_refused(void **state)
{
	assert_refused(folder, "sys/devices/system");
	assert_int_equal(mkdir(in_folder("sys"), 0755), 0);
	assert_int_equal(mkdir(in_folder("sys/devices"), 0755), 0);
	assert_int_equal(mkdir(in_folder("sys/devices/system"), 0755), 0);
	assert_refused(folder, "sys/devices/system");
	assert_int_equal(mkdir(in_folder("sys/devices/system/cpu"), 0755), 0);
	assert_refused(folder, ";");
}

static void test_dot_slash_forces_the_file(void **state)
{
	char before[1024];

	assert_non_null(getcwd(before, sizeof(before)));
	write_file("wsm-ep", "junk", 4);
	write_file("2x2x2", "junk", 4);
	write_file("pu:4", "junk", 4);
	assert_int_equal(chdir(folder), 0);
	assert_refused("./wsm-ep", "no XML");
	assert_refused("./2x2x2", "no XML");
	assert_refused("./pu:4", "no XML");
	for (size_t i = 0; i < 3; i++) {
		static const char *const forms[] = {"wsm-ep", "2x2x2", "pu:4"};
		struct topology t;

		load(forms[i], &t);
		topology_free(&t);
	}
	assert_int_equal(chdir(before), 0);
}

static void test_environment_has_no_influence(void **state)
{
	struct topology before, after;

	load("pack:2 core:2 pu:2", &before);
	setenv("HWLOC_SYNTHETIC", "pu:3", 1);
	setenv("HWLOC_XMLFILE", "/nonexistent", 1);
	setenv("HWLOC_FSROOT", "/nonexistent", 1);
	setenv("HWLOC_COMPONENTS", "-linux,-synthetic,-xml,stop", 1);
	setenv("HWLOC_XML_VERBOSE", "1", 1);
	load("pack:2 core:2 pu:2", &after);
	assert_true(topology_equal(&before, &after));
	topology_free(&before);
	topology_free(&after);
	if (has_sysfs()) {
		load("live", &after);
		assert_string_equal(after.name, "live");
		topology_free(&after);
	}
	assert_string_equal(getenv("HWLOC_SYNTHETIC"), "pu:3");
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_FSROOT");
	unsetenv("HWLOC_COMPONENTS");
	unsetenv("HWLOC_XML_VERBOSE");
}

static void test_largest_machines_load(void **state)
{
	static const char *const forms[] = {"1024x2x2", "1x4096x1", "numa:1024 core:4 pu:1"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct topology t, again;
		struct rql_error e;
		char *text;

		load(forms[i], &t);
		assert_int_equal(t.ncpus, 4096);
		text = machine_text_write(&t);
		assert_non_null(text);
		assert_true(machine_text_read(text, &again, &e));
		assert_true(topology_equal(&t, &again));
		topology_free(&again);
		topology_free(&t);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets_have_their_sizes),
		cmocka_unit_test(test_presets_number_threads_as_their_machines_do),
		cmocka_unit_test(test_presets_have_their_distances),
		cmocka_unit_test(test_grid_numbers_threads_after_all_cores),
		cmocka_unit_test(test_synthetic_numbers_siblings_adjacent),
		cmocka_unit_test(test_synthetic_without_packages_has_one_for_each_node),
		cmocka_unit_test(test_shared_l2_below_l3_is_a_cluster),
		cmocka_unit_test(test_short_forms_describe_themselves),
		cmocka_unit_test(test_changed_machine_is_described_in_full),
		cmocka_unit_test(test_live_machine_can_be_loaded_and_described),
		cmocka_unit_test(test_description_says_everything),
		cmocka_unit_test(test_written_description_is_the_one_read),
		cmocka_unit_test(test_cut_description_is_whole_or_refused),
		cmocka_unit_test(test_bad_strings_say_what_is_right),
		cmocka_unit_test_setup_teardown(test_xml_of_hwloc_2_and_3_is_read, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_cut_xml_is_an_error_with_a_line, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_files_that_are_no_xml_say_so, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_deep_nesting_is_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_huge_cpu_numbers_are_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_folder_without_sysfs_is_refused, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(test_dot_slash_forces_the_file, make_folder,
						remove_folder),
		cmocka_unit_test(test_environment_has_no_influence),
		cmocka_unit_test(test_largest_machines_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
