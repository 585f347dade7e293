/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the command says about itself: help, a manual page and completion for bash, from opt.c's table. */
#include <stdio.h>
#include <string.h>

#include "cli/opt.h"
#include "cli/opt_table.h"
#include "experiment/err_printf.h"

#define COLUMN 34

static bool belongs(const struct opt_row *row, enum command c)
{
	return c == COMMAND_NONE || ((row->commands >> c) & 1) || !row->commands;
}

/* "-m, --machine MACHINE" */
static void name_option(const struct opt_row *row, char *out, size_t cap)
{
	snprintf(out, cap, "%c%c%s--%s%s%s%s%s", row->letter ? '-' : ' ',
		 row->letter ? row->letter : ' ', row->letter ? ", " : "  ", row->name,
		 row->value_optional ? "[=" :
		 row->value          ? " " :
				       "",
		 row->value ? row->value : "", row->value_optional ? "]" : "", "");
}

static void print_options(FILE *f, enum command c)
{
	char name[96];

	for (uint32_t i = 0; i < OPT_IDS; i++) {
		if (!belongs(&opt_rows[i], c) || (c != COMMAND_NONE && !opt_rows[i].commands))
			continue;
		name_option(&opt_rows[i], name, sizeof(name));
		if (strlen(name) < COLUMN)
			fprintf(f, "  %-*s %s\n", COLUMN, name, opt_rows[i].what);
		else
			fprintf(f, "  %s\n  %-*s %s\n", name, COLUMN, "", opt_rows[i].what);
	}
}

static void print_help(FILE *f, enum command c)
{
	if (c != COMMAND_NONE) {
		fprintf(f, "runqlab %s %s\n    %s\n\n", command_rows[c].name,
			command_rows[c].arguments, command_rows[c].what);
		print_options(f, c);
		return;
	}
	fputs("runqlab runs the Linux CPU scheduler and its load balancing on machines you do not\n"
	      "have: a machine, a workload and a kernel in, what that kernel does out.\n\n",
	      f);
	for (uint32_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  runqlab %s %s\n        %s\n", command_rows[i].name,
			command_rows[i].arguments, command_rows[i].what);
	fputs("\nOptions; `runqlab COMMAND --help` lists those of one command:\n", f);
	print_options(f, c);
	fputs("\nTimes but 0 need a unit (ns us ms s); sizes take K, M and G (1024).\n"
	      "Exit status: 0 done and what was asked holds, 1 a case or a gate does not hold,\n"
	      "2 bad input, 3 a limit was reached or simulated time stands still.\n",
	      f);
}

/* TEXT with what troff would take for its own escaped. */
static void print_roff(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", f);
		else if (*text == '\\')
			fputs("\\e", f);
		else
			fputc(*text, f);
	}
}

static void print_man(FILE *f)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
	      ".TH RUNQLAB 1 \"\" \"runqlab " RUNQLAB_VERSION "\" \"User Commands\"\n"
	      ".SH NAME\nrunqlab \\- the Linux CPU scheduler on machines you do not have\n"
	      ".SH SYNOPSIS\n",
	      f);
	for (uint32_t i = 0; i < COMMANDS; i++) {
		fprintf(f, ".B runqlab %s\n", command_rows[i].name);
		print_roff(f, command_rows[i].arguments);
		fputs("\n.br\n", f);
	}
	fputs(".SH DESCRIPTION\n"
	      "Runs the Linux CPU scheduler and its load balancing in simulated time: a machine,\n"
	      "a workload and one or more kernels in, what each kernel does out.\n"
	      ".SH COMMANDS\n",
	      f);
	for (uint32_t i = 0; i < COMMANDS; i++)
		fprintf(f, ".TP\n.B %s\n%s\n", command_rows[i].name, command_rows[i].what);
	fputs(".SH OPTIONS\n", f);
	for (uint32_t i = 0; i < OPT_IDS; i++) {
		char name[96];

		name_option(&opt_rows[i], name, sizeof(name));
		fputs(".TP\n.B ", f);
		print_roff(f, name + (opt_rows[i].letter ? 0 : strspn(name, " ")));
		fputs("\n", f);
		print_roff(f, opt_rows[i].what);
		fputs("\n", f);
	}
	fputs(".SH EXIT STATUS\n"
	      ".TP\n0\ndone, and what was asked holds\n.TP\n1\na case or a gate does not hold\n"
	      ".TP\n2\nbad input or usage\n"
	      ".TP\n3\na limit was reached, or simulated time stands still\n",
	      f);
}

static void print_completion(FILE *f)
{
	fputs("# SPDX-License-Identifier: GPL-2.0-or-later\n"
	      "# bash completion of runqlab: eval \"$(runqlab --help=completion)\"\n"
	      "_runqlab()\n{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
	      "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	      "\t\twords='",
	      f);
	for (uint32_t i = 0; i < COMMANDS; i++)
		fprintf(f, "%s ", command_rows[i].name);
	fputs("--help --version'\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n", f);
	for (uint32_t c = 0; c < COMMANDS; c++) {
		fprintf(f, "\t\t%s) words='", command_rows[c].name);
		for (uint32_t i = 0; i < OPT_IDS; i++)
			if ((opt_rows[i].commands >> c) & 1)
				fprintf(f, "--%s ", opt_rows[i].name);
		if (c == COMMAND_LIST)
			fputs("kernels deltas features tunables machines workloads metrics", f);
		if (c == COMMAND_CASE)
			fputs("list show run", f);
		fputs("' ;;\n", f);
	}
	fputs("\t\tesac\n\tfi\n"
	      "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	      "}\n"
	      "complete -o default -F _runqlab runqlab\n",
	      f);
}

bool opt_help(enum command c, const char *kind, FILE *f, struct rql_error *e)
{
	if (!kind)
		print_help(f, c);
	else if (strcmp(kind, "man") == 0)
		print_man(f);
	else if (strcmp(kind, "completion") == 0)
		print_completion(f);
	else
		return err_printf(e, "option --help",
				  "unknown form \"%.40s\"; --help, --help=man or --help=completion "
				  "is right",
				  kind);
	return true;
}
