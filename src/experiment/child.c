/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whoever kills a long comparison means all of it. A signal from the terminal
 * reaches every process of the group, but `kill -9` of the parent, a closed
 * connection, or a batch system does not: the children would compute on for
 * hours, for nobody. Linux kills them with their parent if they ask for it. The
 * parent may have ended before they could; then they have another one already.
 */
#include "experiment/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "experiment/err_printf.h"

pid_t child_fork(void)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
		_exit(1);
	return pid;
}

void child_reap(pid_t pid, int *status)
{
	CHECK(pid > 0);
	*status = 0;
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

bool child_died(int status, const char *who, struct rql_error *e)
{
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		return err_printf(e, NULL, "%s died; this is a bug of runqlab", who);
	err_printf(e, NULL,
		   "%s was killed, as the kernel does when memory runs out; fewer at once (-j) or "
		   "less work is right",
		   who);
	e->limit = true;
	return false;
}
