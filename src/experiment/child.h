/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that works for this one and does not outlive it.
 *
 *	pid = child_fork();
 *	if (pid == 0)
 *		... work, write into a pipe ..., _exit(0);
 *	... read the pipe to its end ...
 *	child_reap(pid, &status);
 *	if (what was read is not whole)
 *		child_died(status, "simulation 3", e);
 */
#ifndef RUNQLAB_EXPERIMENT_CHILD_H
#define RUNQLAB_EXPERIMENT_CHILD_H

#include <sys/types.h>

#include "base/err.h"

/* As fork(). The child is killed when its parent ends, however that ends. */
pid_t child_fork(void);

/* Wait for PID, which is a child of this process, and take its STATUS as waitpid() gives it. */
void child_reap(pid_t pid, int *status);

/*
 * False, with *E saying how WHO ended without an answer: killed from outside,
 * which is a limit reached (the kernel kills when memory runs out), or else a bug.
 */
bool child_died(int status, const char *who, struct rql_error *e);

#endif
