/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little that test programs ask of the world around them. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *shared_path(const char *path)
{
	static char full[1024];
	const char *root = getenv("RUNQLAB_SHARED");

	snprintf(full, sizeof(full), "%s/%s", root && *root ? root : "../shared", path);
	if (access(full, R_OK) != 0) {
		printf("# absent: %s\n", path);
		skip();
	}
	return full;
}

FILE *shared_open(const char *path)
{
	const char *full = shared_path(path);
	size_t n = strlen(full);
	char command[1100];
	FILE *f;

	assert_null(strchr(full, '\''));
	snprintf(command, sizeof(command), "%s '%s'",
		 n > 3 && strcmp(full + n - 3, ".gz") == 0 ? "gzip -dc" : "cat", full);
	f = popen(command, "r");
	assert_non_null(f);
	return f;
}

void shared_close(FILE *f)
{
	assert_int_equal(pclose(f), 0);
}

void shared_text(const char *path, char *out, size_t cap)
{
	FILE *f = shared_open(path);
	size_t n = fread(out, 1, cap, f);

	assert_true(n < cap);
	out[n] = 0;
	shared_close(f);
}

uint64_t property_seeds(uint64_t fallback)
{
	const char *text = getenv("RUNQLAB_SEEDS");
	unsigned long long n = text ? strtoull(text, NULL, 10) : 0;

	return n > 0 ? n : fallback;
}

void property_run(uint64_t fallback, void (*try_seed)(uint64_t seed))
{
	const char *only = getenv("RUNQLAB_SEED");
	uint64_t n = property_seeds(fallback);

	if (only) {
		try_seed(strtoull(only, NULL, 10));
		return;
	}
	for (uint64_t seed = 1; seed <= n; seed++)
		try_seed(seed);
}
