/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a MACHINE on the command line means, in this order:
 *
 *	topology:v1;...          a description, read by machine_text.c
 *	nhm-ep, arm64-2x4 ...    a preset
 *	live                     the computer this runs on
 *	2x8x2                    sockets x cores x threads
 *	pack:2 core:4 pu:2       an hwloc synthetic string
 *	anything else            a path: a folder is a sysfs tree, a file hwloc XML
 *
 * So a name that means something by itself wins over a file of that name, and
 * `./name` forces the file. SxCxT is read here and made, as the presets are, in
 * machine_preset.c.
 *
 * A file's name never enters the result, because the same machine must give
 * the same scenario wherever its file lies.
 */
#include "import/machine.h"

#include "base/check.h"
#include "import/machine_build.h"
#include "import/machine_hwloc.h"
#include "import/machine_preset.h"
#include "import/machine_text.h"
#include "import/machine_xml.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Digits, 'x', digits, 'x', digits, each with a sign perhaps: meant as SxCxT, right or wrong. */
static bool looks_like_grid(const char *text)
{
	uint32_t separators = 0;

	if (!(*text >= '0' && *text <= '9') && *text != '-' && *text != '+')
		return false;
	for (const char *p = text; *p; p++) {
		if (*p == 'x' || *p == 'X')
			separators++;
		else if (!strchr("0123456789-+.", *p))
			return false;
	}
	return separators >= 1;
}

static bool bad_grid(const char *text, struct rql_error *e)
{
	return machine_err(e,
			   "machine '%.60s' is not SOCKETSxCORESxTHREADS; three counts from 1 "
			   "are right, as in 2x8x2, with at most %u CPUs and %u sockets",
			   text, TOPO_CPUS_MAX, TOPO_NODES_MAX);
}

static bool load_grid(const char *text, struct topology *out, struct rql_error *e)
{
	struct machine_preset grid = {.name = text};
	uint32_t *const counts[3] = {&grid.socket_count, &grid.core_count, &grid.thread_count};
	uint64_t product = 1;
	const char *p = text;

	for (uint32_t i = 0; i < 3; i++) {
		if (*p < '1' || *p > '9')
			return bad_grid(text, e);
		while (*p >= '0' && *p <= '9' && *counts[i] <= TOPO_CPUS_MAX)
			*counts[i] = *counts[i] * 10 + (uint32_t)(*p++ - '0');
		product *= *counts[i];
		if (product > TOPO_CPUS_MAX || *p != "xx"[i])
			return bad_grid(text, e);
		p++;
	}
	if (grid.socket_count > TOPO_NODES_MAX)
		return bad_grid(text, e);
	return machine_preset_make(&grid, out, e);
}

/* -- synthetic strings -- */

/* "word:digit" at the start, a bracket, or counts with spaces: no usual name of a file. */
static bool looks_synthetic(const char *text)
{
	size_t word_len =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	if (*text == '(' || *text == '[')
		return true;
	if (text[word_len] == ':' && word_len > 0)
		return (text[word_len + 1] >= '0' && text[word_len + 1] <= '9') ||
		       text[word_len + 1] == '-';
	return strchr(text, ' ') && strspn(text, "0123456789 ") == strlen(text);
}

static bool load_synthetic(const char *text, struct topology *out, struct rql_error *e)
{
	struct machine_source source = {
		.kind = MACHINE_SYNTHETIC, .name = "synthetic", .text = text};

	if (!machine_synthetic_check(text, e) || !machine_hwloc_load(&source, out, e))
		return false;
	/* The string is the name where it fits, so that it can stand for the machine. */
	if (strlen(text) < sizeof(out->name) && strcspn(text, ";/\t") == strlen(text))
		snprintf(out->name, sizeof(out->name), "%s", text);
	return true;
}

/* The forms that need no file: true if TEXT is one of them; then *OK says whether it loaded. */
static bool load_generated(const char *text, struct topology *out, struct rql_error *e, bool *ok)
{
	const struct machine_preset *preset = machine_preset_find(text);

	if (preset)
		*ok = machine_preset_make(preset, out, e);
	else if (looks_like_grid(text))
		*ok = load_grid(text, out, e);
	else if (looks_synthetic(text))
		*ok = load_synthetic(text, out, e);
	else
		return false;
	return true;
}

/* -- files and folders -- */

struct magic {
	size_t offset;
	const char *bytes;
	size_t len;
};

static bool is_archive(const char *bytes, size_t len)
{
	static const struct magic magics[] = {
		{0, "\x1f\x8b", 2},
		{0, "BZh", 3},
		{0,
		 "\xfd"
		 "7zXZ",
		 5},
		{0, "\x28\xb5\x2f\xfd", 4},
		{0, "PK\x03\x04", 4},
		{257, "ustar", 5},
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (len >= magics[i].offset + magics[i].len &&
		    memcmp(bytes + magics[i].offset, magics[i].bytes, magics[i].len) == 0)
			return true;
	return false;
}

/* Bytes of the regular file PATH, a zero byte behind them; NULL with *E filled. */
static char *read_file(const char *path, size_t *len, struct rql_error *e)
{
	FILE *f = fopen(path, "re");
	char *bytes;
	size_t size;
	long end;

	if (!f) {
		err_set(e, path, "cannot be opened: ", strerror(errno), "; make it readable");
		return NULL;
	}
	end = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
	size = end < 0 ? 0 : (size_t)end;
	bytes = end >= 0 && size <= MACHINE_XML_BYTES_MAX ? malloc(size + 1) : NULL;
	if (!bytes) {
		fclose(f);
		err_set(e, path, "the file cannot be read or is larger than 64 MB",
			"; an hwloc XML file of 4096 CPUs takes 8 MB", NULL);
		return NULL;
	}
	rewind(f);
	*len = fread(bytes, 1, size, f);
	bytes[*len] = '\0';
	if (ferror(f) || fclose(f) != 0) {
		free(bytes);
		err_set(e, path, "cannot be read", "; a regular file is needed", NULL);
		return NULL;
	}
	return bytes;
}

/* Errors of hwloc come without a place. Always false. */
static bool at_place(const char *where, struct rql_error *e)
{
	char what[sizeof(e->what)];

	memcpy(what, e->what, sizeof(what));
	return err_set(e, where, what, NULL, NULL);
}

/* Hand the bytes of the XML file WHERE to hwloc. */
static bool load_xml(const char *bytes, size_t len, const char *where, struct topology *out,
		     struct rql_error *e)
{
	struct machine_source source = {.kind = MACHINE_XML, .name = "xml"};
	struct machine_xml xml;
	bool ok;

	if (!machine_xml_prepare(bytes, len, where, &xml, e))
		return false;
	source.bytes = xml.bytes;
	source.len = xml.len;
	memcpy(source.arch_name, xml.arch_name, sizeof(source.arch_name));
	ok = machine_hwloc_load(&source, out, e) || at_place(where, e);
	free(xml.bytes);
	return ok;
}

static bool load_file(const char *path, struct topology *out, struct rql_error *e)
{
	size_t len = 0;
	char *bytes = read_file(path, &len, e);
	bool ok;

	if (!bytes)
		return false;
	if (is_archive(bytes, len))
		ok = err_set(
			e, path,
			"archives are not unpacked; `mkdir DIR; tar -xf ARCHIVE -C DIR` "
			"unpacks it, then give the folder in DIR that holds sys/devices/system",
			NULL, NULL);
	else
		ok = load_xml(bytes, len, path, out, e);
	free(bytes);
	return ok;
}

static bool is_folder(const char *folder, const char *below)
{
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, below) >= sizeof(path))
		return false;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool load_folder(const char *path, struct topology *out, struct rql_error *e)
{
	struct machine_source source = {.kind = MACHINE_SYSFS, .name = "sysfs", .text = path};

	if (!is_folder(path, "sys/devices/system/cpu"))
		return err_set(e, path, "the folder holds no sys/devices/system/cpu",
			       "; the folder above a copy of /sys is needed", NULL);
	return machine_hwloc_load(&source, out, e) || at_place(path, e);
}

static bool load_path(const char *path, struct topology *out, struct rql_error *e)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return err_set(e, path, "is no machine and no file: ", strerror(errno),
			       "; a preset (`runqlab list machines`), SxCxT as 2x8x2, an hwloc "
			       "synthetic string, an hwloc XML file, a folder with "
			       "sys/devices/system, or live is right");
	if (S_ISDIR(st.st_mode))
		return load_folder(path, out, e);
	if (S_ISREG(st.st_mode))
		return load_file(path, out, e);
	return err_set(e, path, "is neither a file nor a folder", "; one of them is needed", NULL);
}

/* -- the public calls -- */

bool machine_load(const char *text, struct topology *out, struct rql_error *e)
{
	struct machine_source live = {.kind = MACHINE_LIVE, .name = "live"};
	bool ok;

	CHECK(text != NULL);
	memset(out, 0, sizeof(*out));
	memset(e, 0, sizeof(*e));
	if (*text == '\0')
		return machine_err(e, "the machine is empty; name one of `runqlab list machines`");
	if (strncmp(text, MACHINE_TEXT_PREFIX, strlen(MACHINE_TEXT_PREFIX)) == 0)
		return machine_text_read(text, out, e);
	if (strcmp(text, "live") == 0)
		return machine_hwloc_load(&live, out, e) || at_place("live", e);
	if (load_generated(text, out, e, &ok))
		return ok;
	return load_path(text, out, e);
}

/* Does the name alone make this very machine again? */
static bool name_says_all(const struct topology *t)
{
	struct topology again;
	struct rql_error e;
	bool ok, same;

	if (!load_generated(t->name, &again, &e, &ok) || !ok)
		return false;
	same = topology_equal(t, &again);
	topology_free(&again);
	return same;
}

char *topology_describe(const struct topology *t)
{
	return name_says_all(t) ? strdup(t->name) : machine_text_write(t);
}
