/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a failed CHECK() does in a test program: the test at hand fails with
 * the place and the condition, and expect_assert_failure() may expect it.
 * Weak, so that a test with other plans brings its own.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/check.h"

__attribute__((weak)) void check_failed(const char *file, int line, const char *cond)
{
	mock_assert(0, cond, file, line);
	abort();
}
