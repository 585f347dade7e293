/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table has a row for every price: its section, its name and where it goes
 * in struct prices. Reading a line is finding its row, reading the number and
 * noting that the row was seen; at the end the rows not seen are an error. The
 * table's scheduler rows come from model/work.def, so that a new kind of work
 * is asked of every profile at once.
 *
 * Prices are whole nanoseconds (a percentage for what slows down), at most a
 * second: sums over a run then stay far from 64 bits.
 */
#include "experiment/prices.h"

#include <string.h>

#include "base/check.h"
#include "experiment/err_printf.h"
#include "base/params.h"

#define PRICE_NS_MAX UINT64_C(1000000000)

struct price_row {
	const char *section;
	const char *name;
	size_t offset; /* of a uint32_t in struct prices */
	bool is_pct;
};

#define AT(field) offsetof(struct prices, field)

static const struct price_row rows[] = {
#define WORK(name, key, unit, comment)                                                             \
	{"sched", #key, AT(sched_ns) + (size_t)WORK_##name * sizeof(uint32_t), false},
#include "model/work.def"
	{"lock", "same_cpu", AT(lock.same_cpu_ns), false},
	{"lock", "same_llc", AT(lock.same_llc_ns), false},
	{"lock", "remote", AT(lock.remote_ns), false},
	{"lock", "per_waiter", AT(lock.per_waiter_ns), false},
	{"hardware", "ipi_latency", AT(hardware.ipi_latency_ns), false},
	{"hardware", "idle_exit", AT(hardware.idle_exit_ns), false},
	{"hardware", "smt_slowdown", AT(hardware.smt_slowdown_pct), true},
	{"hardware", "cold_same_llc", AT(hardware.cold_same_llc_ns), false},
	{"hardware", "cold_remote", AT(hardware.cold_remote_ns), false},
	{"hardware", "quantum", AT(hardware.quantum_ns), false},
	{"work", "fork", AT(work.fork_ns), false},
	{"work", "child_first_run", AT(work.child_first_run_ns), false},
	{"work", "thread", AT(work.thread_ns), false},
	{"work", "thread_first_run", AT(work.thread_first_run_ns), false},
	{"work", "exec", AT(work.exec_ns), false},
	{"work", "exit", AT(work.exit_ns), false},
	{"work", "syscall_sleep", AT(work.syscall_sleep_ns), false},
	{"work", "write", AT(work.write_ns), false},
	{"work", "read", AT(work.read_ns), false},
	{"work", "socket_write", AT(work.socket_write_ns), false},
	{"work", "socket_read", AT(work.socket_read_ns), false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

_Static_assert(ROWS * sizeof(uint32_t) == sizeof(struct prices), "every price has its row");

/* A piece of the text, not terminated. */
struct span {
	const char *s;
	size_t n;
};

struct price_reader {
	const char *where;
	uint32_t line;
	const char *section; /* of rows[]; NULL before the first */
	uint32_t seen[ROWS]; /* line, or 0 */
	struct prices *out;
	struct rql_error *e;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(const char *s, size_t n)
{
	while (n && is_blank(*s)) {
		s++;
		n--;
	}
	while (n && is_blank(s[n - 1]))
		n--;
	return (struct span){s, n};
}

static bool span_is(struct span a, const char *b)
{
	return strlen(b) == a.n && memcmp(a.s, b, a.n) == 0;
}

/* How much of A a message shows. */
static int shown(struct span a)
{
	return a.n < 40 ? (int)a.n : 40;
}

static bool read_section(struct price_reader *r, struct span text)
{
	struct span name = text.n > 2 && text.s[text.n - 1] == ']' ? trim(text.s + 1, text.n - 2) :
								     (struct span){text.s, 0};

	for (size_t i = 0; i < ROWS; i++) {
		if (span_is(name, rows[i].section)) {
			r->section = rows[i].section;
			return true;
		}
	}
	return err_printf_line(
		r->e, r->where, r->line,
		"unknown section \"%.*s\"; [sched], [lock], [hardware] or [work] is right",
		shown(text), text.s);
}

/* Index of NAME in the section at hand, ROWS if it is not there. */
static size_t find_row(const struct price_reader *r, struct span name)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		if (strcmp(rows[i].section, r->section) == 0 && span_is(name, rows[i].name))
			break;
	return i;
}

static bool unknown_name(const struct price_reader *r, struct span name)
{
	const char *names[ROWS];
	uint32_t n = 0, nearest[3];

	for (size_t i = 0; i < ROWS; i++)
		if (strcmp(rows[i].section, r->section) == 0)
			names[n++] = rows[i].name;
	CHECK(n > 0);
	param_nearest(name.s, name.n, names, n, nearest);
	return err_printf_line(r->e, r->where, r->line,
			       "unknown name \"%.*s\" in [%s]; nearest: %s", shown(name), name.s,
			       r->section, names[nearest[0]]);
}

/* TEXT is "integer unit"; *OUT in nanoseconds or percent. */
static bool read_amount(const struct price_reader *r, const struct price_row *row, struct span text,
			uint32_t *out)
{
	size_t digits = 0, unit_at;
	uint64_t value = 0, low = row->is_pct ? 100 : 0, high = row->is_pct ? 10000 : PRICE_NS_MAX;
	struct span unit;

	while (digits < text.n && text.s[digits] >= '0' && text.s[digits] <= '9') {
		if (value <= PRICE_NS_MAX)
			value = value * 10 + (uint64_t)(text.s[digits] - '0');
		digits++;
	}
	if (digits == 0)
		return err_printf_line(r->e, r->where, r->line,
				       "%s: no whole number; write `%s = integer %s  # source`",
				       row->name, row->name, row->is_pct ? "pct" : "ns");
	for (unit_at = digits; unit_at < text.n && is_blank(text.s[unit_at]); unit_at++)
		;
	unit = (struct span){text.s + unit_at, text.n - unit_at};
	if (row->is_pct ? !span_is(unit, "pct") : !span_is(unit, "ns") && !span_is(unit, "us"))
		return err_printf_line(r->e, r->where, r->line, "%s: unit \"%.*s\"; %s is right",
				       row->name, shown(unit), unit.s,
				       row->is_pct ? "pct" : "ns or us");
	if (span_is(unit, "us") && value <= PRICE_NS_MAX)
		value *= 1000;
	if (value < low || value > high)
		return err_printf_line(r->e, r->where, r->line, "%s: out of range; %llu to %llu %s",
				       row->name, (unsigned long long)low, (unsigned long long)high,
				       row->is_pct ? "pct" : "ns");
	*out = (uint32_t)value;
	return true;
}

/* `name = integer unit`, the comment's text beside it. */
static bool read_price(struct price_reader *r, struct span text, struct span source)
{
	const char *equals = memchr(text.s, '=', text.n);
	struct span name = trim(text.s, equals ? (size_t)(equals - text.s) : text.n);
	uint32_t value = 0;
	size_t row;

	if (!r->section)
		return err_printf_line(r->e, r->where, r->line,
				       "a price before the first section; [sched] comes first");
	row = find_row(r, name);
	if (row == ROWS)
		return unknown_name(r, name);
	if (r->seen[row])
		return err_printf_line(r->e, r->where, r->line,
				       "%s was given in line %u; once is right", rows[row].name,
				       (unsigned)r->seen[row]);
	if (!equals)
		return err_printf_line(r->e, r->where, r->line,
				       "%s has no value; write `%s = integer ns`", rows[row].name,
				       rows[row].name);
	if (!read_amount(r, &rows[row], trim(equals + 1, (size_t)(text.s + text.n - (equals + 1))),
			 &value))
		return false;
	if (source.n == 0)
		return err_printf_line(r->e, r->where, r->line,
				       "%s has no source; say after # where the number comes from",
				       rows[row].name);
	memcpy((char *)r->out + rows[row].offset, &value, sizeof(value));
	r->seen[row] = r->line;
	return true;
}

static bool read_line(struct price_reader *r, const char *line, size_t n)
{
	const char *hash = memchr(line, '#', n);
	size_t code = hash ? (size_t)(hash - line) : n;
	struct span text = trim(line, code);
	struct span source = hash ? trim(hash + 1, n - code - 1) : (struct span){line, 0};

	if (text.n == 0)
		return true;
	if (text.s[0] == '[')
		return read_section(r, text);
	return read_price(r, text, source);
}

bool prices_parse(const char *where, const char *text, struct prices *out, struct rql_error *e)
{
	struct price_reader r = {.where = where, .out = out, .e = e};

	CHECK(text != NULL);
	memset(out, 0, sizeof(*out));
	while (*text) {
		size_t n = strcspn(text, "\n");

		r.line++;
		if (!read_line(&r, text, n))
			return false;
		text += n + (text[n] == '\n');
	}
	for (size_t i = 0; i < ROWS; i++)
		if (!r.seen[i])
			return err_printf_line(
				e, where, r.line,
				"%s is missing in [%s]; write `%s = integer %s  # source`",
				rows[i].name, rows[i].section, rows[i].name,
				rows[i].is_pct ? "pct" : "ns");
	return true;
}

bool prices_builtin(const char *name, struct prices *out)
{
	const char *text = prices_default_text;
	struct rql_error e;
	bool ok;

	if (strcmp(name, "qemu-lockstep") == 0 || strcmp(name, "qemu-lockstep-1us") == 0)
		text = prices_lockstep_text;
	else if (strcmp(name, "default") != 0 && strcmp(name, "free") != 0)
		return false;
	ok = prices_parse(name, text, out, &e);
	CHECK(ok);
	if (strcmp(name, "free") == 0) {
		memset(out->sched_ns, 0, sizeof(out->sched_ns));
		memset(&out->lock, 0, sizeof(out->lock));
	}
	if (strcmp(name, "qemu-lockstep-1us") == 0)
		out->hardware.quantum_ns = 1000;
	return true;
}
