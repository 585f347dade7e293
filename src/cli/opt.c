/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading the command line by the table. libc's getopt would keep its state in
 * globals, reorder arguments and take shortened names, which a later option
 * may make ambiguous; here every name is exact.
 */
#include "cli/opt.h"

#include <string.h>

#include "base/check.h"
#include "base/params.h"
#include "cli/opt_table.h"
#include "experiment/err_printf.h"

#define ON(c) (1u << COMMAND_##c)
#define ON_RUNS (ON(RUN) | ON(COMPARE) | ON(BISECT))
#define ON_ALL ((1u << COMMANDS) - 1)

/* clang-format off */
const struct command_row command_rows[COMMANDS] = {
	[COMMAND_RUN]     = { "run", "-m MACHINE -k KERNEL [--cgroup ...] -w WORKLOAD ... | SCENARIO.json",
			      "one simulation" },
	[COMMAND_COMPARE] = { "compare", "-m MACHINE -k KERNEL -k KERNEL ... -w WORKLOAD [-n SEEDS] [--gate METRIC=PERCENT%]",
			      "the same work on several kernels" },
	[COMMAND_BISECT]  = { "bisect", "-m MACHINE --good KERNEL --bad KERNEL -w WORKLOAD --metric METRIC [-n SEEDS]",
			      "which change of the kernel makes the difference" },
	[COMMAND_CASE]    = { "case", "list | show ID | run ID ... | run --all",
			      "published regressions, with their figures" },
	[COMMAND_TOPO]    = { "topo", "MACHINE [-k KERNEL]",
			      "sched domains and groups as that kernel builds them" },
	[COMMAND_LIST]    = { "list", "kernels | deltas | features | tunables | machines | workloads | metrics",
			      "what there is" },
	[COMMAND_REPLAY]  = { "replay", "TRACE -m MACHINE -k KERNEL",
			      "how many decisions of a recorded trace the model would make" },
};

const struct opt_row opt_rows[OPT_IDS] = {
	[OPT_MACHINE]     = { 'm', "machine", "MACHINE", false, ON_RUNS | ON(REPLAY),
			      "a preset, SxCxT, an hwloc synthetic string, an XML file, a sysfs tree or live" },
	[OPT_KERNEL]      = { 'k', "kernel", "KERNEL", false, ON(RUN) | ON(COMPARE) | ON(TOPO) | ON(REPLAY),
			      "VERSION[,FEATURE][,NO_FEATURE][,+DELTA][,-DELTA][,TUNABLE=VALUE][,hz=N][,preempt=MODE]" },
	[OPT_CGROUP]      = { 0, "cgroup", "PATH[:cpu.weight=N][:cpu.max=QUOTA/PERIOD][:cpu.max.burst=BURST][:cpu.idle=1]", false, ON_RUNS,
			      "make a task group; the next -w runs there" },
	[OPT_WORKLOAD]    = { 'w', "workload", "WORKLOAD", false, ON_RUNS,
			      "NAME[:key=value,...] of the library or an rt-app file; may be repeated" },
	[OPT_AUTOGROUP]   = { 0, "autogroup", NULL, false, ON_RUNS,
			      "each -w is a session of its own, on kernels that group sessions" },
	[OPT_TIME]        = { 't', "time", "TIME", false, ON_RUNS,
			      "simulated time, as 10s; work without an end needs it" },
	[OPT_SEED]        = { 's', "seed", "SEED", false, ON_RUNS, "of all chance (1)" },
	[OPT_SEEDS]       = { 'n', "seeds", "SEEDS", false, ON(COMPARE) | ON(BISECT),
			      "how many seeds (5)" },
	[OPT_JOBS]        = { 'j', "jobs", "N", false, ON(COMPARE) | ON(BISECT),
			      "simulations at once (one a processor); the result is the same" },
	[OPT_PRICES]      = { 0, "prices", "default|free|qemu-lockstep|FILE", false, ON_RUNS,
			      "what the scheduler's work costs" },
	[OPT_ATOMIC]      = { 0, "atomic", NULL, false, ON_RUNS,
			      "kernel sections do not interleave and locks never wait" },
	[OPT_GATE]        = { 0, "gate", "METRIC=PERCENT%", false, ON(COMPARE),
			      "exit 1 when METRIC is worse by more" },
	[OPT_GOOD]        = { 0, "good", "KERNEL", false, ON(BISECT),
			      "the kernel without the difference, written as for -k" },
	[OPT_BAD]         = { 0, "bad", "KERNEL", false, ON(BISECT), "the kernel with it" },
	[OPT_METRIC]      = { 0, "metric", "METRIC", false, ON(BISECT),
			      "what shows it, one of `runqlab list metrics`" },
	[OPT_ALL]         = { 0, "all", NULL, false, ON(CASE), "every case" },
	[OPT_QUICK]       = { 0, "quick", NULL, false, ON(CASE), "the short form (default)" },
	[OPT_FULL]        = { 0, "full", NULL, false, ON(CASE), "the long form" },
	[OPT_SCHEDSTAT]   = { 0, "schedstat", "FILE", false, ON(RUN),
			      "write /proc/schedstat as it stands at the end" },
	[OPT_SCHED_DEBUG] = { 0, "sched-debug", "FILE", false, ON(RUN),
			      "write /proc/sched_debug as it stands at the end" },
	[OPT_SCHED_FILES] = { 0, "sched-files", "FILE", false, ON(RUN),
			      "write features, tunables and domains as debugfs has them at the end" },
	[OPT_TRACE]       = { 0, "trace", "FILE", false, ON(RUN), "write a trace (not available yet)" },
	[OPT_PROFILE]     = { 0, "profile", "FILE", false, ON(RUN),
			      "write where scheduler time went, as folded stacks" },
	[OPT_HISTOGRAM]   = { 0, "histogram", "FILE", false, ON(RUN),
			      "write latencies of cyclictest:histogram=N as `cyclictest -h` prints them" },
	[OPT_JSON]        = { 0, "json", "FILE", true, ON_ALL,
			      "the result as JSON, to standard output or FILE" },
	[OPT_HOST_STATS]  = { 0, "host-stats", "FILE", false, ON_RUNS,
			      "write what the simulation took of this computer" },
	[OPT_AUDIT]       = { 0, "audit", NULL, false, ON_RUNS,
			      "verify the whole machine after every step (slow)" },
	[OPT_LIMIT]       = { 0, "limit", "memory=4G,events=10G", false, ON_RUNS,
			      "end with status 3 beyond" },
	[OPT_HELP]        = { 'h', "help", "man|completion", true, ON_ALL, "this text" },
	[OPT_VERSION]     = { 0, "version", NULL, false, 0, "the version" },
};
/* clang-format on */

void opt_walk_init(struct opt_walk *w, int argc, char **argv)
{
	memset(w, 0, sizeof(*w));
	w->argc = argc;
	w->argv = argv;
	w->at = 1;
	w->command = COMMAND_NONE;
}

const char *command_name(enum command c)
{
	CHECK(c < COMMANDS);
	return command_rows[c].name;
}

bool opt_command(struct opt_walk *w, struct rql_error *e)
{
	const char *names[COMMANDS];
	uint32_t nearest[3];
	const char *word;

	if (w->at >= w->argc || w->argv[w->at][0] == '-')
		return true;
	word = w->argv[w->at];
	for (uint32_t i = 0; i < COMMANDS; i++) {
		names[i] = command_rows[i].name;
		if (strcmp(word, names[i]) == 0) {
			w->command = (enum command)i;
			w->at++;
			return true;
		}
	}
	param_nearest(word, strlen(word), names, COMMANDS, nearest);
	return err_printf(e, word,
			  "unknown command, nearest \"%s\"; run, compare, bisect, case, topo, "
			  "list or replay is right",
			  names[nearest[0]]);
}

static bool stop(struct opt_walk *w)
{
	w->failed = true;
	return false;
}

static bool unknown_option(struct opt_walk *w, const char *name, size_t n, struct rql_error *e)
{
	const char *names[OPT_IDS];
	uint32_t nearest[3], count = 0;
	char place[64];

	for (uint32_t i = 0; i < OPT_IDS; i++)
		if (w->command == COMMAND_NONE || (opt_rows[i].commands >> w->command) & 1)
			names[count++] = opt_rows[i].name;
	snprintf(place, sizeof(place), "option --%.*s", n < 40 ? (int)n : 40, name);
	param_nearest(name, n, names, count, nearest);
	err_printf(e, place, "unknown; nearest: --%s (`runqlab %s%s--help` lists all)",
		   names[nearest[0]], w->command == COMMAND_NONE ? "" : command_name(w->command),
		   w->command == COMMAND_NONE ? "" : " ");
	return stop(w);
}

static bool fits_command(struct opt_walk *w, const struct opt *o, struct rql_error *e)
{
	uint32_t commands = opt_rows[o->id].commands;

	if (w->command == COMMAND_NONE) {
		if (o->id == OPT_HELP || o->id == OPT_VERSION)
			return true;
		err_printf(e, o->place, "before a command; `runqlab COMMAND %s ...` is right",
			   o->place + strlen("option "));
		return stop(w);
	}
	if ((commands >> w->command) & 1)
		return true;
	err_printf(e, o->place, "not an option of `runqlab %s`; `runqlab %s --help` lists them",
		   command_name(w->command), command_name(w->command));
	return stop(w);
}

/* The value of an option that must have one: ATTACHED, or the next argument. */
static bool take_value(struct opt_walk *w, struct opt *o, const char *attached, struct rql_error *e)
{
	const struct opt_row *row = &opt_rows[o->id];

	o->value = attached;
	if (!row->value && attached) {
		err_printf(e, o->place, "has no value; write it alone");
		return stop(w);
	}
	if (!row->value || attached || row->value_optional)
		return true;
	if (w->at >= w->argc) {
		err_printf(e, o->place, "its value is missing; %s is right", row->value);
		return stop(w);
	}
	o->value = w->argv[w->at++];
	return true;
}

static bool read_long(struct opt_walk *w, const char *text, struct opt *o, struct rql_error *e)
{
	size_t n = strcspn(text, "=");
	const char *attached = text[n] == '=' ? text + n + 1 : NULL;

	for (uint32_t i = 0; i < OPT_IDS; i++) {
		if (strlen(opt_rows[i].name) != n || memcmp(opt_rows[i].name, text, n) != 0)
			continue;
		o->id = (enum opt_id)i;
		snprintf(o->place, sizeof(o->place), "option --%s", opt_rows[i].name);
		return fits_command(w, o, e) && take_value(w, o, attached, e);
	}
	return unknown_option(w, text, n, e);
}

static bool read_letter(struct opt_walk *w, const char *text, struct opt *o, struct rql_error *e)
{
	for (uint32_t i = 0; i < OPT_IDS; i++) {
		if (opt_rows[i].letter != text[0])
			continue;
		o->id = (enum opt_id)i;
		snprintf(o->place, sizeof(o->place), "option -%c", text[0]);
		if (opt_rows[i].value_optional && text[1]) {
			err_printf(e, o->place, "takes no value; --%s=%s does", opt_rows[i].name,
				   opt_rows[i].value);
			return stop(w);
		}
		return fits_command(w, o, e) && take_value(w, o, text[1] ? text + 1 : NULL, e);
	}
	snprintf(o->place, sizeof(o->place), "option -%c", text[0]);
	err_printf(e, o->place, "unknown; `runqlab --help` lists all");
	return stop(w);
}

bool opt_next(struct opt_walk *w, struct opt *o, struct rql_error *e)
{
	const char *text;

	memset(o, 0, sizeof(*o));
	if (w->at < w->argc && !w->no_more && strcmp(w->argv[w->at], "--") == 0) {
		w->no_more = true;
		w->at++;
	}
	if (w->at >= w->argc)
		return false;
	text = w->argv[w->at++];
	if (!w->no_more && text[0] == '-' && text[1] == '-')
		return read_long(w, text + 2, o, e);
	if (!w->no_more && text[0] == '-' && text[1] != '\0')
		return read_letter(w, text + 1, o, e);
	o->id = OPT_ARGUMENT;
	o->value = text;
	snprintf(o->place, sizeof(o->place), "%.60s", text);
	return true;
}

bool opt_error(const struct opt *o, struct rql_error *e)
{
	if (!e->where[0])
		snprintf(e->where, sizeof(e->where), "%s", o->place);
	return false;
}

bool opt_count(const struct opt *o, const char *name, uint64_t high, uint32_t *out,
	       struct rql_error *e)
{
	struct param v = {o->place, name, o->value, strlen(o->value)};
	uint64_t value;

	if (!param_count(&v, 1, high, &value, e))
		return false;
	*out = (uint32_t)value;
	return true;
}
