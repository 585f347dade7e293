/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as an rt-app file: refused in one line with a place inside the
 * text, or a behaviour that keeps the engine's contract for some hundred
 * actions.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "import/rtapp.h"
#include "workload/toy_engine.h"

#define TASKS_RUN_MAX 4096 /* creating more costs time and finds nothing new */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct rql_error *e)
{
	CHECK(strcmp(e->where, "fuzz") == 0);
	CHECK(e->what[0] != 0);
	CHECK(memchr(e->what, 0, sizeof(e->what)) != NULL);
	CHECK(strchr(e->what, '\n') == NULL);
	/* what is wrong; what would be right */
	CHECK(strstr(e->what, "; ") != NULL);
	CHECK((e->line == 0) == (e->column == 0));
}

static void run(const struct workload *w)
{
	struct toy toy;

	if (w->behaviour->ntasks > TASKS_RUN_MAX)
		return;
	toy_start(&toy, w->behaviour, NULL);
	toy_run(&toy, w->duration_ns ? w->duration_ns : UINT64_MAX / 4, 400);
	toy_end(&toy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rtapp_target target = {.ncpus = 8};
	struct workload *w;
	struct rql_error e;

	memset(&e, 0, sizeof(e));
	w = rtapp_parse("fuzz", (const char *)data, size, 1, &target, &e);
	if (w)
		run(w);
	else
		check_error(&e);
	workload_destroy(w);
	return 0;
}
