/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace: events whose names end, in lines that exist, then the end or one
 * line of error with a place inside the text.
 */
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "import/ftrace_read.h"

struct memory {
	const uint8_t *s;
	size_t n;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Odd pieces, so that lines end in all places of a block. */
static long read_memory(void *arg, char *out, size_t cap)
{
	struct memory *m = arg;
	size_t n = m->n < 97 ? m->n : 97;

	CHECK(n <= cap);
	if (n)
		memcpy(out, m->s, n);
	m->s += n;
	m->n -= n;
	return (long)n;
}

static void check_task(const struct ftrace_task *p)
{
	CHECK(memchr(p->comm, 0, sizeof(p->comm)));
	CHECK(p->pid >= -INT32_MAX);
}

static void check_event(const struct ftrace_reader *r, const struct ftrace_event *ev)
{
	CHECK(ev->kind < FTRACE_KINDS);
	CHECK(ev->line > 0 && ev->line <= r->count.lines);
	CHECK(ev->cpu <= UINT16_MAX && ev->from_cpu <= UINT16_MAX && ev->to_cpu <= UINT16_MAX);
	CHECK(memchr(ev->state, 0, sizeof(ev->state)));
	CHECK((ev->state[0] != 0) == (ev->kind == FTRACE_SWITCH));
	check_task(&ev->task);
	check_task(&ev->other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ftrace_reader r;
	struct memory m = {data, size};
	struct ftrace_event ev;
	struct rql_error e;
	enum ftrace_result result;
	uint64_t events = 0;

	memset(&e, 0, sizeof(e));
	ftrace_start(&r, "fuzz", read_memory, &m);
	while ((result = ftrace_next(&r, &ev, &e)) == FTRACE_OK) {
		check_event(&r, &ev);
		events++;
	}
	for (enum ftrace_kind i = 0; i < FTRACE_KINDS; i++)
		events -= r.count.kind[i];
	CHECK(events == 0);
	CHECK(r.count.lines <= size);
	if (result == FTRACE_ERROR) {
		CHECK(strcmp(e.where, "fuzz") == 0);
		CHECK(e.what[0] && !strchr(e.what, '\n'));
		CHECK(e.line > 0 && e.line <= r.count.lines);
	}
	return 0;
}
