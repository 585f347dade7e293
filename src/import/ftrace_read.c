/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line is `TASK-PID [CPU] FLAGS TIME: EVENT: FIELDS`. TASK may hold anything, also
 * spaces and brackets, so a line is taken at the first " [CPU] " behind a pid where the
 * rest is a time and an event. FLAGS have as many letters as the kernel has (none, four,
 * five, eight) and are not looked at.
 *
 * Names of tasks stand between fields and may look like fields, so FIELDS are taken from
 * the right, where numbers are; what is left at the end is the name. Three forms of
 * sched_switch exist: letters and "==>" (ftrace), a number for the state and no arrow
 * (kernels before 4.14 through trace-cmd), and `NAME:PID [PRIO] STATE ==> NAME:PID [PRIO]`
 * (trace-cmd's own).
 *
 * Linux: include/trace/events/sched.h, kernel/trace/trace_output.c, 3.x to 6.12.
 */
#include "import/ftrace_read.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/fixed.h"

struct span {
	const char *s;
	size_t n;
};

static const char *const kind_names[FTRACE_KINDS] = {
	[FTRACE_SWITCH] = "sched_switch",
	[FTRACE_WAKING] = "sched_waking",
	[FTRACE_WAKEUP] = "sched_wakeup",
	[FTRACE_WAKEUP_NEW] = "sched_wakeup_new",
	[FTRACE_MIGRATE] = "sched_migrate_task",
	[FTRACE_FORK] = "sched_process_fork",
	[FTRACE_EXEC] = "sched_process_exec",
	[FTRACE_EXIT] = "sched_process_exit",
	[FTRACE_STAT_WAIT] = "sched_stat_wait",
	[FTRACE_STAT_SLEEP] = "sched_stat_sleep",
	[FTRACE_STAT_IOWAIT] = "sched_stat_iowait",
	[FTRACE_STAT_BLOCKED] = "sched_stat_blocked",
	[FTRACE_STAT_RUNTIME] = "sched_stat_runtime",
	[FTRACE_LOST] = "lost events",
};

const char *ftrace_kind_name(enum ftrace_kind kind)
{
	CHECK(kind < FTRACE_KINDS);
	return kind_names[kind];
}

/* ---- Pieces of text ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct span skip_blanks(struct span t)
{
	while (t.n && (*t.s == ' ' || *t.s == '\t')) {
		t.s++;
		t.n--;
	}
	return t;
}

static struct span drop_blanks(struct span t)
{
	while (t.n && (t.s[t.n - 1] == ' ' || t.s[t.n - 1] == '\t'))
		t.n--;
	return t;
}

static bool starts_with(struct span t, const char *s)
{
	size_t n = strlen(s);

	return t.n >= n && memcmp(t.s, s, n) == 0;
}

static struct span after(struct span t, size_t n)
{
	CHECK(n <= t.n);
	return (struct span){t.s + n, t.n - n};
}

/* Digits at the start of *T, at most MAX as a number; takes them off. */
static bool take_u64(struct span *t, uint64_t max, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	for (; i < t->n && is_digit(t->s[i]); i++) {
		uint64_t digit = (uint64_t)(t->s[i] - '0');

		if (*v > (max - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	*t = after(*t, i);
	return i > 0;
}

static bool whole_u64(struct span t, uint64_t max, uint64_t *v)
{
	return take_u64(&t, max, v) && t.n == 0;
}

static bool whole_s32(struct span t, int32_t *v)
{
	bool negative = t.n && *t.s == '-';
	uint64_t u;

	if (!whole_u64(negative ? after(t, 1) : t, INT32_MAX, &u))
		return false;
	*v = negative ? -(int32_t)u : (int32_t)u;
	return true;
}

static bool whole_cpu(struct span t, uint32_t *cpu)
{
	uint64_t u;

	if (!whole_u64(t, UINT16_MAX, &u))
		return false;
	*cpu = (uint32_t)u;
	return true;
}

/* The last " KEY=" in *T: its value is what follows, *T what is before. */
static bool take_last(struct span *t, const char *key, struct span *value)
{
	size_t n = strlen(key);

	for (size_t at = t->n; at-- > 0;) {
		struct span rest = after(*t, at);

		if (*rest.s != ' ' || !starts_with(after(rest, 1), key) || rest.n < n + 2 ||
		    rest.s[n + 1] != '=')
			continue;
		*value = drop_blanks(after(rest, n + 2));
		*t = drop_blanks((struct span){t->s, at});
		return true;
	}
	return false;
}

static bool take_last_s32(struct span *t, const char *key, int32_t *v)
{
	struct span value;

	return take_last(t, key, &value) && whole_s32(value, v);
}

static bool take_last_cpu(struct span *t, const char *key, uint32_t *cpu)
{
	struct span value;

	return take_last(t, key, &value) && whole_cpu(value, cpu);
}

/* `KEY=N [ns]` */
static bool take_last_ns(struct span *t, const char *key, uint64_t *ns)
{
	struct span value;

	if (!take_last(t, key, &value) || value.n < 5 ||
	    memcmp(value.s + value.n - 5, " [ns]", 5) != 0)
		return false;
	value.n -= 5;
	return whole_u64(value, UINT64_MAX, ns);
}

static void set_text(char *out, size_t cap, struct span t)
{
	size_t n = t.n < cap - 1 ? t.n : cap - 1;

	memcpy(out, t.s, n);
	out[n] = 0;
}

/* What is left of *T is `KEY=NAME`. */
static bool rest_is_comm(struct span t, const char *key, struct ftrace_task *task)
{
	size_t n = strlen(key);

	t = skip_blanks(t);
	if (!starts_with(t, key) || t.n < n + 1 || t.s[n] != '=')
		return false;
	set_text(task->comm, sizeof(task->comm), after(t, n + 1));
	return true;
}

/* ---- Fields of the kinds; false: not as any kernel writes it ---- */

/*
 * A number stands for bits; that of a preempted task is one that no sleeping state has,
 * another in each kernel.
 */
static bool state_is_runnable(struct span t)
{
	uint64_t bits;

	if (t.n && *t.s == 'R')
		return true;
	return whole_u64(t, UINT64_MAX, &bits) &&
	       (bits == 0 || (bits >= 512 && (bits & (bits - 1)) == 0));
}

static bool set_state(struct ftrace_event *ev, struct span t)
{
	if (t.n == 0 || t.n >= sizeof(ev->state))
		return false;
	set_text(ev->state, sizeof(ev->state), t);
	ev->runnable = state_is_runnable(t);
	return true;
}

static bool switch_by_keys(struct span t, struct ftrace_event *ev)
{
	struct span next, state;

	if (!take_last_s32(&t, "next_prio", &ev->other.prio) ||
	    !take_last_s32(&t, "next_pid", &ev->other.pid) || !take_last(&t, "next_comm", &next))
		return false;
	set_text(ev->other.comm, sizeof(ev->other.comm), next);
	if (t.n >= 4 && memcmp(t.s + t.n - 4, " ==>", 4) == 0)
		t = drop_blanks((struct span){t.s, t.n - 4});
	return take_last(&t, "prev_state", &state) && set_state(ev, state) &&
	       take_last_s32(&t, "prev_prio", &ev->task.prio) &&
	       take_last_s32(&t, "prev_pid", &ev->task.pid) &&
	       rest_is_comm(t, "prev_comm", &ev->task);
}

/* `NAME:PID [PRIO]` */
static bool task_in_brackets(struct span t, struct ftrace_task *task)
{
	size_t at;

	t = skip_blanks(drop_blanks(t));
	if (t.n < 3 || t.s[t.n - 1] != ']')
		return false;
	for (at = t.n - 1; at > 0 && t.s[at] != '['; at--)
		;
	if (!whole_s32((struct span){t.s + at + 1, t.n - at - 2}, &task->prio))
		return false;
	t = drop_blanks((struct span){t.s, at});
	for (at = t.n; at > 0 && t.s[at - 1] != ':'; at--)
		;
	if (at == 0 || !whole_s32(after(t, at), &task->pid))
		return false;
	set_text(task->comm, sizeof(task->comm), (struct span){t.s, at - 1});
	return true;
}

/* `NAME:PID [PRIO] STATE` */
static bool leaving_task(struct span t, struct ftrace_event *ev)
{
	size_t at = t.n;

	while (at > 0 && t.s[at - 1] != ' ')
		at--;
	return at > 0 && set_state(ev, after(t, at)) &&
	       task_in_brackets((struct span){t.s, at}, &ev->task);
}

/* A name may hold an arrow, too: the one that has tasks on both sides counts. */
static bool switch_by_brackets(struct span t, struct ftrace_event *ev)
{
	for (size_t at = t.n; at-- > 0;) {
		if (starts_with(after(t, at), " ==> ") &&
		    task_in_brackets(after(t, at + 5), &ev->other) &&
		    leaving_task((struct span){t.s, at}, ev))
			return true;
	}
	return false;
}

static bool read_switch(struct span t, struct ftrace_event *ev)
{
	if (starts_with(t, "prev_comm="))
		return switch_by_keys(t, ev);
	return switch_by_brackets(t, ev);
}

/* Old kernels say success=1 in between. */
static bool read_wake(struct span t, struct ftrace_event *ev)
{
	struct span success;

	if (!take_last_cpu(&t, "target_cpu", &ev->to_cpu))
		return false;
	take_last(&t, "success", &success);
	return take_last_s32(&t, "prio", &ev->task.prio) &&
	       take_last_s32(&t, "pid", &ev->task.pid) && rest_is_comm(t, "comm", &ev->task);
}

static bool read_migrate(struct span t, struct ftrace_event *ev)
{
	return take_last_cpu(&t, "dest_cpu", &ev->to_cpu) &&
	       take_last_cpu(&t, "orig_cpu", &ev->from_cpu) &&
	       take_last_s32(&t, "prio", &ev->task.prio) &&
	       take_last_s32(&t, "pid", &ev->task.pid) && rest_is_comm(t, "comm", &ev->task);
}

static bool read_fork(struct span t, struct ftrace_event *ev)
{
	struct span child;

	if (!take_last_s32(&t, "child_pid", &ev->other.pid) || !take_last(&t, "child_comm", &child))
		return false;
	set_text(ev->other.comm, sizeof(ev->other.comm), child);
	return take_last_s32(&t, "pid", &ev->task.pid) && rest_is_comm(t, "comm", &ev->task);
}

/* The path of the program is not kept. */
static bool read_exec(struct span t, struct ftrace_event *ev)
{
	return take_last_s32(&t, "old_pid", &ev->other.pid) &&
	       take_last_s32(&t, "pid", &ev->task.pid) && starts_with(t, "filename=");
}

/* Late kernels say whether the whole process ends. */
static bool read_exit(struct span t, struct ftrace_event *ev)
{
	struct span group_dead;

	take_last(&t, "group_dead", &group_dead);
	return take_last_s32(&t, "prio", &ev->task.prio) &&
	       take_last_s32(&t, "pid", &ev->task.pid) && rest_is_comm(t, "comm", &ev->task);
}

static bool read_stat(struct span t, struct ftrace_event *ev)
{
	return take_last_ns(&t, "delay", &ev->ns) && take_last_s32(&t, "pid", &ev->task.pid) &&
	       rest_is_comm(t, "comm", &ev->task);
}

/* 6.12 leaves vruntime out. */
static bool read_runtime(struct span t, struct ftrace_event *ev)
{
	struct span rest = t;

	if (take_last_ns(&rest, "vruntime", &ev->vruntime_vns))
		t = rest;
	return take_last_ns(&t, "runtime", &ev->ns) && take_last_s32(&t, "pid", &ev->task.pid) &&
	       rest_is_comm(t, "comm", &ev->task);
}

static bool read_fields(struct span t, struct ftrace_event *ev)
{
	static bool (*const readers[FTRACE_KINDS])(struct span, struct ftrace_event *) = {
		[FTRACE_SWITCH] = read_switch,
		[FTRACE_WAKING] = read_wake,
		[FTRACE_WAKEUP] = read_wake,
		[FTRACE_WAKEUP_NEW] = read_wake,
		[FTRACE_MIGRATE] = read_migrate,
		[FTRACE_FORK] = read_fork,
		[FTRACE_EXEC] = read_exec,
		[FTRACE_EXIT] = read_exit,
		[FTRACE_STAT_WAIT] = read_stat,
		[FTRACE_STAT_SLEEP] = read_stat,
		[FTRACE_STAT_IOWAIT] = read_stat,
		[FTRACE_STAT_BLOCKED] = read_stat,
		[FTRACE_STAT_RUNTIME] = read_runtime,
	};

	CHECK(readers[ev->kind]);
	return readers[ev->kind](drop_blanks(skip_blanks(t)), ev);
}

/* ---- A line ---- */

/* SECONDS.FRACTION of one to nine digits, then a colon; takes them off. */
static bool take_time(struct span *t, uint64_t *ns)
{
	uint64_t seconds, fraction;
	size_t before, digits;

	if (!take_u64(t, UINT64_MAX / NS_PER_S - 1, &seconds) || t->n == 0 || *t->s != '.')
		return false;
	*t = after(*t, 1);
	before = t->n;
	if (!take_u64(t, NS_PER_S - 1, &fraction) || t->n == 0 || *t->s != ':')
		return false;
	digits = before - t->n;
	if (digits > 9)
		return false;
	for (; digits < 9; digits++)
		fraction *= 10;
	*t = after(*t, 1);
	*ns = seconds * NS_PER_S + fraction;
	return true;
}

/* `[CPU] FLAGS TIME: EVENT: `, FLAGS perhaps not there; what follows stays in *T. */
static bool take_head(struct span *t, struct ftrace_event *ev, struct span *name)
{
	struct span flags;
	uint64_t cpu;
	size_t n = 0;

	*t = after(*t, 1);
	if (!take_u64(t, UINT16_MAX, &cpu) || !starts_with(*t, "] "))
		return false;
	ev->cpu = (uint32_t)cpu;
	*t = skip_blanks(after(*t, 1));
	flags = *t;
	if (!take_time(t, &ev->time_ns)) {
		while (flags.n && *flags.s != ' ')
			flags = after(flags, 1);
		*t = skip_blanks(flags);
		if (!take_time(t, &ev->time_ns))
			return false;
	}
	*t = skip_blanks(*t);
	while (n < t->n && t->s[n] != ':' && t->s[n] != ' ')
		n++;
	if (n == 0 || n == t->n || t->s[n] != ':')
		return false;
	*name = (struct span){t->s, n};
	*t = after(*t, n + 1);
	return true;
}

/* The number after the last '-' in T, which may be followed by the thread group's "( 12)". */
static bool pid_at_end(struct span t, int32_t *pid)
{
	size_t at;

	t = drop_blanks(t);
	if (t.n && t.s[t.n - 1] == ')') {
		while (t.n && t.s[t.n - 1] != '(')
			t.n--;
		if (t.n == 0)
			return false;
		t = drop_blanks((struct span){t.s, t.n - 1});
	}
	for (at = t.n; at > 0 && is_digit(t.s[at - 1]); at--)
		;
	return at > 0 && t.s[at - 1] == '-' && whole_s32(after(t, at), pid);
}

/* The line up to the event's fields, which are left in *T. */
static bool split_line(struct span *t, struct ftrace_event *ev, struct span *name)
{
	for (size_t at = 1; at + 1 < t->n; at++) {
		struct span rest = after(*t, at);

		if (*rest.s != '[' || t->s[at - 1] != ' ' ||
		    !pid_at_end((struct span){t->s, at}, &ev->pid) || !take_head(&rest, ev, name))
			continue;
		*t = rest;
		return true;
	}
	return false;
}

static bool line_error(const struct ftrace_reader *r, struct rql_error *e, const char *what_1,
		       const char *what_2, const char *what_3)
{
	err_set(e, r->where, what_1, what_2, what_3);
	e->line = r->count.lines < UINT32_MAX ? (uint32_t)r->count.lines : UINT32_MAX;
	e->column = 1;
	return false;
}

/* `# entries-in-buffer/entries-written: 235/300   #P:16` */
static void read_comment(struct ftrace_reader *r, struct span t)
{
	static const char key[] = "# entries-in-buffer/entries-written: ";
	uint64_t have, written;

	if (!starts_with(t, key))
		return;
	t = after(t, sizeof(key) - 1);
	if (!take_u64(&t, UINT64_MAX, &have) || !starts_with(t, "/"))
		return;
	t = after(t, 1);
	if (take_u64(&t, UINT64_MAX, &written) && written > have)
		r->count.overwritten += written - have;
}

/* `CPU:3 [LOST 123 EVENTS]` or, where their number is not known, `CPU:3 [LOST EVENTS]` */
static bool read_lost(struct span t, struct ftrace_event *ev)
{
	uint64_t cpu;

	if (!starts_with(t, "CPU:"))
		return false;
	t = after(t, 4);
	if (!take_u64(&t, UINT16_MAX, &cpu) || !starts_with(t, " [LOST "))
		return false;
	t = after(t, 7);
	ev->cpu = (uint32_t)cpu;
	if (take_u64(&t, UINT64_MAX, &ev->ns)) {
		if (!starts_with(t, " "))
			return false;
		t = after(t, 1);
	}
	ev->kind = FTRACE_LOST;
	return t.n == 7 && starts_with(t, "EVENTS]");
}

/* Lines that trace-cmd report writes before the events. */
static bool is_preamble(struct span t)
{
	return starts_with(t, "version = ") || starts_with(t, "cpus=") ||
	       (starts_with(t, "CPU ") && t.n > 9 && memcmp(t.s + t.n - 9, " is empty", 9) == 0);
}

static bool kind_of(struct span name, enum ftrace_kind *kind)
{
	for (enum ftrace_kind i = 0; i < FTRACE_LOST; i++) {
		if (!str_equal_n(name.s, name.n, kind_names[i]))
			continue;
		*kind = i;
		return true;
	}
	return false;
}

static bool read_event(struct ftrace_reader *r, struct span t, struct ftrace_event *ev,
		       bool *is_event, struct rql_error *e)
{
	struct span name;

	if (!split_line(&t, ev, &name))
		return line_error(r, e, "not a line of a trace; ",
				  "TASK-PID [CPU] FLAGS SECONDS.MICROSECONDS: EVENT: ...", NULL);
	r->count.back += ev->time_ns < r->last_ns;
	r->last_ns = ev->time_ns;
	if (!kind_of(name, &ev->kind)) {
		r->count.skipped++;
		return true;
	}
	if (r->line_cut)
		return line_error(r, e, kind_names[ev->kind],
				  " in a line that is too long; at most 4095 characters", NULL);
	if (!read_fields(t, ev))
		return line_error(r, e, kind_names[ev->kind],
				  " with other fields than the kernel writes; ",
				  "see include/trace/events/sched.h");
	*is_event = true;
	return true;
}

static bool read_line(struct ftrace_reader *r, struct ftrace_event *ev, bool *is_event,
		      struct rql_error *e)
{
	struct span t = drop_blanks((struct span){r->line, r->line_len});

	*is_event = false;
	*ev = (struct ftrace_event){.line = r->count.lines};
	if (memchr(t.s, 0, t.n))
		return line_error(r, e, "a zero byte; ", "a trace is text", NULL);
	if (t.n == 0 || is_preamble(t))
		return true;
	if (*t.s == '#') {
		read_comment(r, t);
		return true;
	}
	if (read_lost(t, ev)) {
		r->count.lost += ev->ns ? ev->ns : 1;
		*is_event = true;
		return true;
	}
	*ev = (struct ftrace_event){.line = r->count.lines};
	return read_event(r, t, ev, is_event, e);
}

/* ---- Lines of the text ---- */

static bool fill_block(struct ftrace_reader *r, struct rql_error *e)
{
	long n = r->read(r->arg, r->block, sizeof(r->block));

	if (n < 0)
		return line_error(r, e, "cannot be read any further", NULL, NULL);
	CHECK((size_t)n <= sizeof(r->block));
	r->block_at = 0;
	r->block_len = (size_t)n;
	r->ended = n == 0;
	return true;
}

/* The next line into r->line without its end; *HAS false at the end of the text. */
static bool next_line(struct ftrace_reader *r, bool *has, struct rql_error *e)
{
	r->line_len = 0;
	r->line_cut = false;
	*has = false;
	for (;;) {
		char c;

		if (r->block_at == r->block_len && !r->ended && !fill_block(r, e))
			return false;
		if (r->ended)
			break;
		c = r->block[r->block_at++];
		*has = true;
		if (c == '\n')
			break;
		if (r->line_len < sizeof(r->line) - 1)
			r->line[r->line_len++] = c;
		else
			r->line_cut = true;
	}
	if (*has)
		r->count.lines++;
	if (r->line_len && r->line[r->line_len - 1] == '\r')
		r->line_len--;
	return true;
}

void ftrace_start(struct ftrace_reader *r, const char *where, ftrace_read_fn read, void *arg)
{
	CHECK(where && read);
	memset(r, 0, sizeof(*r));
	r->where = where;
	r->read = read;
	r->arg = arg;
}

long ftrace_read_file(void *arg, char *out, size_t cap)
{
	FILE *f = arg;
	size_t n = fread(out, 1, cap, f);

	return n == 0 && ferror(f) ? -1 : (long)n;
}

enum ftrace_result ftrace_next(struct ftrace_reader *r, struct ftrace_event *ev,
			       struct rql_error *e)
{
	bool has, is_event;

	for (;;) {
		if (!next_line(r, &has, e))
			return FTRACE_ERROR;
		if (!has)
			return FTRACE_END;
		if (!read_line(r, ev, &is_event, e))
			return FTRACE_ERROR;
		if (is_event) {
			r->count.kind[ev->kind]++;
			return FTRACE_OK;
		}
	}
}
