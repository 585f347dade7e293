/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little that test programs ask of the world around them. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
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
