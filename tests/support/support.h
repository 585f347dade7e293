/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Include first in a test program: the headers cmocka wants before its own,
 * cmocka, and the way to data that lie outside the project.
 */
#ifndef RUNQLAB_TESTS_SUPPORT_H
#define RUNQLAB_TESTS_SUPPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/*
 * PATH below the folder named by RUNQLAB_SHARED (default ../shared), in a
 * buffer that the next call overwrites. Where the file is absent the test
 * says so and skips: the call does not return.
 */
const char *shared_path(const char *path);

/*
 * The file of that name, open for reading; a name that ends in .gz is unpacked by gzip.
 * Skips as shared_path() where it is absent. Close with shared_close(), which fails if
 * unpacking did.
 */
FILE *shared_open(const char *path);
void shared_close(FILE *f);

/* What that file holds, as a string in OUT. Fails where it is CAP bytes or longer. */
void shared_text(const char *path, char *out, size_t cap);

/* Seeds a property test tries: RUNQLAB_SEEDS, else FALLBACK. */
uint64_t property_seeds(uint64_t fallback);

/* TRY_SEED with seeds 1 to property_seeds(FALLBACK), or with RUNQLAB_SEED alone. */
void property_run(uint64_t fallback, void (*try_seed)(uint64_t seed));

#endif
