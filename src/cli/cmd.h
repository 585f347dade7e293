/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subcommands: each reads the rest of the command line and returns the exit status. */
#ifndef RUNQLAB_CLI_CMD_H
#define RUNQLAB_CLI_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/opt.h"
#include "experiment/file.h"

struct json_object;
struct scenario;

enum exit_status {
	EXIT_DONE = 0,
	EXIT_DOES_NOT_HOLD = 1,
	EXIT_BAD_INPUT = 2,
	EXIT_LIMIT = 3,
};

int cmd_run(struct opt_walk *w);
int cmd_compare(struct opt_walk *w);
int cmd_bisect(struct opt_walk *w);
int cmd_case(struct opt_walk *w);
int cmd_topo(struct opt_walk *w);
int cmd_list(struct opt_walk *w);
int cmd_replay(struct opt_walk *w);

/* Print E as the one line of an error; the exit status it means. */
int cmd_fail(const struct rql_error *e);

/*
 * One line on standard error if the set PROFILES, of scenario_rt_only(), is not empty: fair tasks
 * run by other rules than these kernels'. To be called once a command; no status changes.
 */
void cmd_warn_rt_only(uint64_t profiles);

/* If O is one of the options that make a scenario, put it into S; *DONE says so. */
bool cmd_scenario_option(struct scenario *s, const struct opt *o, bool *done, struct rql_error *e);

/* Whether NSEEDS seeds from S's on exist; else *E. */
bool cmd_seeds_fit(const struct scenario *s, uint32_t nseeds, struct rql_error *e);

/* Where --json puts its object. */
struct json_out {
	bool wanted;
	bool to_stdout; /* then nothing else goes there */
	struct out_file file;
};

/* For --json with O's value; opens the file, if any. */
bool json_out_open(struct json_out *j, const struct opt *o, struct rql_error *e);
/* Writes OBJECT and puts it back. */
bool json_out_write(struct json_out *j, struct json_object *object, struct rql_error *e);
void json_out_abandon(struct json_out *j);

#endif
