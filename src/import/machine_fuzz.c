/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a machine: those that begin like XML are put into a file, all
 * others are what a user typed. What loads must be described and loaded again
 * as the same machine; what does not must say why, in one printable line.
 */
#include "base/check.h"
#include "import/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct rql_error *e, const struct topology *t)
{
	CHECK(e->what[0] != '\0');
	/* what is wrong; what would be right */
	CHECK(strstr(e->what, "; ") != NULL);
	for (const char *p = e->what; *p; p++)
		CHECK((unsigned char)*p >= 0x20);
	for (const char *p = e->where; *p; p++)
		CHECK((unsigned char)*p >= 0x20);
	CHECK(t->cpu == NULL);
	CHECK(t->node == NULL);
}

static void check_description(const struct topology *t)
{
	struct topology again;
	struct rql_error e;
	char *text = topology_describe(t);

	CHECK(text != NULL);
	CHECK(machine_load(text, &again, &e));
	CHECK(topology_equal(t, &again));
	topology_free(&again);
	free(text);
}

static void try_machine(const char *text)
{
	struct topology t;
	struct rql_error e;

	if (!machine_load(text, &t, &e)) {
		check_error(&e, &t);
		return;
	}
	check_description(&t);
	topology_free(&t);
}

static void try_file(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/machine-fuzz-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;

	CHECK(f != NULL);
	CHECK(fwrite(data, 1, size, f) == size);
	CHECK(fclose(f) == 0);
	try_machine(path);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > 0 && (data[0] == '<' || data[0] == 0xef)) {
		try_file(data, size);
		return 0;
	}
	text = malloc(size + 1);
	CHECK(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	try_machine(text);
	free(text);
	return 0;
}
