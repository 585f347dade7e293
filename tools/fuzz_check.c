/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A failed CHECK() in a fuzzer or a benchmark: say where, and die so that it is noticed. */
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

__attribute__((weak)) void check_failed(const char *file, int line, const char *cond)
{
	fprintf(stderr, "%s:%d: CHECK(%s) failed\n", file, line, cond);
	abort();
}
