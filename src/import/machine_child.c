/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hwloc takes its orders from environment variables (the root of a sysfs tree
 * can be given in no other way), prints advice on standard error, and was
 * written for the machine at hand, not for whatever file somebody has. A child
 * process answers all three: the user's HWLOC_* variables are removed and ours
 * set without touching the caller's environment, standard error goes nowhere,
 * and a file that makes the parser crash, loop or grow ends as an error message.
 * A fork costs about a millisecond, once a run.
 *
 * Protocol: one byte, 'T' and a description (machine_text.h) or 'E' and an
 * error, then a newline. A missing newline means that the child died.
 */
#include "import/machine_child.h"

#include "base/check.h"
#include "import/machine.h"
#include "import/machine_build.h"
#include "import/machine_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS_MAX 20u
#define CHILD_BYTES_MAX ((uint64_t)2 << 30) /* of address space, beyond the parent's */
#define ANSWER_BYTES_MAX ((size_t)17 << 20)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_LIMIT_WORKS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define MEMORY_LIMIT_WORKS false
#endif
#endif
#ifndef MEMORY_LIMIT_WORKS
#define MEMORY_LIMIT_WORKS true
#endif

extern char **environ;

/* -- the child -- */

static void clear_hwloc_environment(void)
{
	size_t i = 0;

	/* unsetenv() moves the rest down, so look at the same place again. */
	while (environ && environ[i]) {
		size_t len = strcspn(environ[i], "=");
		char name[256];

		if (strncmp(environ[i], "HWLOC_", 6) != 0 || len >= sizeof(name)) {
			i++;
			continue;
		}
		memcpy(name, environ[i], len);
		name[len] = '\0';
		if (unsetenv(name) != 0)
			_exit(1);
	}
}

static uint64_t address_space_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void set_limits(void)
{
	struct rlimit limit;
	uint64_t used_bytes = address_space_bytes();

	limit.rlim_cur = CHILD_SECONDS_MAX;
	limit.rlim_max = CHILD_SECONDS_MAX;
	setrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = 0;
	limit.rlim_max = 0;
	setrlimit(RLIMIT_CORE, &limit);
	if (MEMORY_LIMIT_WORKS && used_bytes) {
		limit.rlim_cur = used_bytes + CHILD_BYTES_MAX;
		limit.rlim_max = limit.rlim_cur;
		setrlimit(RLIMIT_AS, &limit);
	}
	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	alarm(CHILD_SECONDS_MAX);
}

static void silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		_exit(1);
	if (dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
		_exit(1);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

static void answer(int fd, char kind, const char *text)
{
	if (!write_all(fd, &kind, 1) || !write_all(fd, text, strlen(text)) ||
	    !write_all(fd, "\n", 1))
		_exit(1);
}

__attribute__((noreturn)) static void
child(int fd, bool (*reader)(const void *arg, struct topology *t, struct rql_error *e),
      const void *arg)
{
	struct topology t;
	struct rql_error e;
	char *text;

	if (fd <= STDERR_FILENO)
		fd = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);
	silence();
	set_limits();
	clear_hwloc_environment();
	memset(&t, 0, sizeof(t));
	memset(&e, 0, sizeof(e));
	if (!reader(arg, &t, &e)) {
		answer(fd, 'E', e.what);
		_exit(0);
	}
	text = machine_text_write(&t);
	if (!text)
		_exit(1);
	answer(fd, 'T', text);
	_exit(0);
}

/* -- the parent -- */

/* All that comes from FD, ended by a zero byte; NULL without memory or when it is too much. */
static char *read_all(int fd, size_t *len)
{
	size_t cap = 1 << 16;
	char *bytes = malloc(cap);

	*len = 0;
	while (bytes) {
		ssize_t n;

		if (*len + 1 == cap) {
			char *more = cap < ANSWER_BYTES_MAX ? realloc(bytes, cap * 2) : NULL;

			if (!more)
				break;
			bytes = more;
			cap *= 2;
		}
		n = read(fd, bytes + *len, cap - 1 - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (n == 0) {
			bytes[*len] = '\0';
			return bytes;
		}
		*len += (size_t)n;
	}
	free(bytes);
	return NULL;
}

/* How the child ended, as a reason; it gave no answer. */
static bool explain_death(int status, struct rql_error *e)
{
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGXCPU ||
				    WTERMSIG(status) == SIGKILL))
		return machine_err(e,
				   "reading the machine took longer than %u seconds or was "
				   "killed; it is damaged or not hwloc's",
				   CHILD_SECONDS_MAX);
	return machine_err(e,
			   "hwloc fails on this machine, which is damaged or too large; write it "
			   "again with lstopo");
}

static bool understand(char *text, size_t len, int status, struct topology *out,
		       struct rql_error *e)
{
	if (len < 2 || text[len - 1] != '\n')
		return explain_death(status, e);
	text[len - 1] = '\0';
	if (text[0] == 'E')
		return err_set(e, NULL, text + 1, NULL, NULL);
	CHECK(text[0] == 'T');
	return machine_text_read(text + 1, out, e);
}

bool machine_child_run(bool (*reader)(const void *arg, struct topology *t, struct rql_error *e),
		       const void *arg, struct topology *out, struct rql_error *e)
{
	int fd[2], status = 0;
	size_t len = 0;
	char *text;
	bool ok;
	pid_t pid;

	memset(out, 0, sizeof(*out));
	if (pipe(fd) != 0)
		return machine_err(e, "cannot make a pipe: %s; close some files", strerror(errno));
	pid = fork();
	if (pid < 0) {
		close(fd[0]);
		close(fd[1]);
		return machine_err(e, "cannot start a process: %s; end some", strerror(errno));
	}
	if (pid == 0) {
		close(fd[0]);
		child(fd[1], reader, arg);
	}
	close(fd[1]);
	text = read_all(fd[0], &len);
	close(fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!text)
		return machine_err(e, "no memory for the machine; free some");
	ok = understand(text, len, status, out, e);
	free(text);
	return ok;
}
