/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as a workload: it must be refused in one line or make a behaviour
 * that keeps the engine's contract for some hundred actions, and its canonical
 * text must make the same again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "workload/library.h"
#include "workload/toy_engine.h"

#define TASKS_RUN_MAX 4096 /* creating more costs time and finds nothing new */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct rql_error *e)
{
	CHECK(e->what[0] != 0);
	CHECK(memchr(e->what, 0, sizeof(e->what)) != NULL);
	CHECK(strchr(e->what, '\n') == NULL);
	/* what is wrong; what would be right */
	CHECK(strstr(e->what, "; ") != NULL);
}

static void run(struct behaviour *b)
{
	struct toy toy;

	if (b->ntasks > TASKS_RUN_MAX)
		return;
	toy_start(&toy, b, NULL);
	/* hackbench's wakers look no closer; cyclictest's main interrupts threads that may sleep */
	toy.wakes_may_miss = b->nlocks > 0 || b->ops->report;
	toy_run(&toy, UINT64_MAX / 2, 300);
	toy_end(&toy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct workload *w, *again;
	struct rql_error e;
	char *text;

	if (size > 4200)
		return 0;
	text = malloc(size + 1);
	CHECK(text != NULL);
	memcpy(text, data, size);
	text[size] = 0;
	memset(&e, 0, sizeof(e));
	w = workload_create(text, 1, 8, &e);
	if (w) {
		again = workload_create(w->text, 1, 8, &e);
		CHECK(again != NULL);
		CHECK(strcmp(again->text, w->text) == 0);
		CHECK(again->behaviour->ntasks == w->behaviour->ntasks);
		run(w->behaviour);
		workload_destroy(again);
	} else {
		check_error(&e);
	}
	workload_destroy(w);
	free(text);
	return 0;
}
