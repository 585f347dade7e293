/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command `runqlab`: finds the subcommand and lets it do the rest. Here
 * alone the program says what a failed CHECK() does: it names the bug and dies.
 */
/* SIGXFSZ is X/Open, not POSIX */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "cli/cmd.h"
#include "experiment/err_printf.h"

void check_failed(const char *file, int line, const char *cond)
{
	fprintf(stderr, "runqlab: %s:%d: a bug of runqlab: %s does not hold\n", file, line, cond);
	abort();
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0 ||
	       strncmp(argument, "--help=", 7) == 0;
}

/* --help anywhere before --; its argument, or NULL. */
static const char *find_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_help(argv[i]))
			return argv[i];
	return NULL;
}

/* Options without a command. */
static int no_command(struct opt_walk *w)
{
	struct rql_error e;
	struct opt o;

	while (opt_next(w, &o, &e)) {
		if (o.id == OPT_VERSION) {
			puts("runqlab " RUNQLAB_VERSION);
			return EXIT_DONE;
		}
	}
	if (!w->failed)
		err_printf(&e, NULL,
			   "no command; run, compare, bisect, case, topo, list or replay is right "
			   "(`runqlab --help` says more)");
	return cmd_fail(&e);
}

static int dispatch(struct opt_walk *w)
{
	switch (w->command) {
	case COMMAND_RUN:
		return cmd_run(w);
	case COMMAND_COMPARE:
		return cmd_compare(w);
	case COMMAND_BISECT:
		return cmd_bisect(w);
	case COMMAND_CASE:
		return cmd_case(w);
	case COMMAND_TOPO:
		return cmd_topo(w);
	case COMMAND_LIST:
		return cmd_list(w);
	case COMMAND_REPLAY:
		return cmd_replay(w);
	case COMMAND_NONE:
		break;
	}
	return no_command(w);
}

/*
 * A standard stream that is closed would lend its number to the next file opened,
 * and what was meant for the stream would go there. In its place comes one that
 * can be neither read nor written: what is lost is noticed as it was.
 */
static void open_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
	struct opt_walk w;
	struct rql_error e;
	const char *help;
	int status;

	open_standard_streams();
	/* a file too large is a write that fails */
	signal(SIGXFSZ, SIG_IGN);
	opt_walk_init(&w, argc, argv);
	if (!opt_command(&w, &e))
		return cmd_fail(&e);
	help = find_help(argc, argv);
	if (help) {
		const char *kind = strchr(help, '=');

		status = opt_help(w.command, kind ? kind + 1 : NULL, stdout, &e) ? EXIT_DONE :
										   cmd_fail(&e);
	} else {
		status = dispatch(&w);
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		err_printf(&e, "standard output",
			   "cannot be written: %s; a place for the output is "
			   "needed",
			   strerror(errno));
		return cmd_fail(&e);
	}
	return status;
}
