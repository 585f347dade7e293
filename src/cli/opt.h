/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line. One table holds every command and every option; reading,
 * --help, the manual page and shell completion all come from it.
 *
 *	struct opt_walk w;
 *	opt_walk_init(&w, argc, argv);
 *	command = opt_command(&w, &e);
 *	while (opt_next(&w, &o, &e))
 *		... o.id, o.value ...
 *	if (w.failed) ...
 *
 * Options come one by one in the order they were given, because that order
 * matters; arguments that are no options come as OPT_ARGUMENT.
 */
#ifndef RUNQLAB_CLI_OPT_H
#define RUNQLAB_CLI_OPT_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum command {
	COMMAND_RUN,
	COMMAND_COMPARE,
	COMMAND_BISECT,
	COMMAND_CASE,
	COMMAND_TOPO,
	COMMAND_LIST,
	COMMAND_REPLAY,
	COMMANDS,
	COMMAND_NONE = COMMANDS, /* options before or without a command */
};

enum opt_id {
	OPT_MACHINE,
	OPT_KERNEL,
	OPT_CGROUP,
	OPT_WORKLOAD,
	OPT_AUTOGROUP,
	OPT_TIME,
	OPT_SEED,
	OPT_SEEDS,
	OPT_JOBS,
	OPT_PRICES,
	OPT_ATOMIC,
	OPT_GATE,
	OPT_GOOD,
	OPT_BAD,
	OPT_METRIC,
	OPT_ALL,
	OPT_QUICK,
	OPT_FULL,
	OPT_SCHEDSTAT,
	OPT_SCHED_DEBUG,
	OPT_SCHED_FILES,
	OPT_TRACE,
	OPT_PROFILE,
	OPT_HISTOGRAM,
	OPT_JSON,
	OPT_HOST_STATS,
	OPT_AUDIT,
	OPT_LIMIT,
	OPT_HELP,
	OPT_VERSION,
	OPT_IDS,
	OPT_ARGUMENT = OPT_IDS,
};

struct opt_walk {
	int argc, at;
	char **argv;
	enum command command;
	bool no_more; /* after -- */
	bool failed;
};

struct opt {
	enum opt_id id;
	const char *value; /* NULL: none */
	char place[64];    /* "option -m", for messages */
};

void opt_walk_init(struct opt_walk *w, int argc, char **argv);
/* Takes the command's name if one comes next; COMMAND_NONE if not. False and *E: an unknown one. */
bool opt_command(struct opt_walk *w, struct rql_error *e);
/* False at the end and, with w->failed, for what is wrong. */
bool opt_next(struct opt_walk *w, struct opt *o, struct rql_error *e);

/* "run", "compare" ... */
const char *command_name(enum command c);

/* An error without a place becomes one of O. Always false. */
bool opt_error(const struct opt *o, struct rql_error *e);

/* O's value, a count of NAME from 1 to HIGH. */
bool opt_count(const struct opt *o, const char *name, uint64_t high, uint32_t *out,
	       struct rql_error *e);

/* What `--help[=KIND]` prints: KIND NULL, "man" or "completion". */
bool opt_help(enum command c, const char *kind, FILE *f, struct rql_error *e);

#endif
