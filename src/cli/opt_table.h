/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands and options, shared by opt.c and help.c alone. */
#ifndef RUNQLAB_CLI_OPT_TABLE_H
#define RUNQLAB_CLI_OPT_TABLE_H

#include "cli/opt.h"

struct command_row {
	const char *name;
	const char *arguments; /* as the first line of its help shows them */
	const char *what;
};

struct opt_row {
	char letter;         /* 0: none */
	const char *name;    /* without -- */
	const char *value;   /* what its value is called; NULL: it has none */
	bool value_optional; /* only as --name=VALUE then */
	uint32_t commands;   /* bit per enum command; those it can stand with */
	const char *what;
};

extern const struct command_row command_rows[COMMANDS];
extern const struct opt_row opt_rows[OPT_IDS];

#endif
