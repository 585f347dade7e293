/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A forked process has all its parent knows, so a job needs no serializing of
 * its input; its output goes through a pipe. The parent starts
 * processes in order and reads whichever pipe has something first; an answer's
 * place is its job's, so the order of their ends does not matter. A process
 * that dies counts as a failed job; none outlives the parent.
 *
 * Where no process can be made, jobs run here.
 */
#include "experiment/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fixed.h"
#include "experiment/child.h"
#include "experiment/err_printf.h"

/* What a job's process sends: this, then its SIZE bytes. */
struct answer {
	bool ok;
	struct rql_error e;
};

struct child {
	pid_t pid;
	int fd; /* where its answer comes from; -1: it is here already */
	struct answer answer;
};

static bool write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static bool read_all(int fd, void *bytes, size_t n)
{
	char *at = bytes;

	while (n) {
		ssize_t done = read(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		at += done;
		n -= (size_t)done;
	}
	return true;
}

static void *place_of(const struct pool_work *w, uint32_t i)
{
	return (char *)w->out + i * w->size;
}

/* The job in this process, as it is seen from another. */
static struct answer work(const struct pool_work *w, uint32_t i)
{
	struct answer a;

	memset(&a, 0, sizeof(a));
	memset(place_of(w, i), 0, w->size);
	a.ok = w->job(w->arg, i, place_of(w, i), &a.e);
	return a;
}

static void start(struct child *c, const struct pool_work *w, uint32_t i)
{
	int ends[2];
	struct answer a;

	c->fd = -1;
	if (pipe(ends) != 0) {
		c->answer = work(w, i);
		return;
	}
	c->pid = child_fork();
	if (c->pid == 0) {
		close(ends[0]);
		a = work(w, i);
		_exit(write_all(ends[1], &a, sizeof(a)) &&
				      write_all(ends[1], place_of(w, i), w->size) ?
			      0 :
			      1);
	}
	close(ends[1]);
	c->fd = ends[0];
	if (c->pid < 0) {
		close(ends[0]);
		c->fd = -1;
		c->answer = work(w, i);
	}
}

static void finish(struct child *c, uint32_t i, void *out, size_t size)
{
	bool whole = read_all(c->fd, &c->answer, sizeof(c->answer)) && read_all(c->fd, out, size);
	char who[32];
	int status;

	close(c->fd);
	c->fd = -1;
	child_reap(c->pid, &status);
	if (whole)
		return;
	memset(&c->answer, 0, sizeof(c->answer));
	snprintf(who, sizeof(who), "simulation %u", (unsigned)i);
	c->answer.ok = child_died(status, who, &c->answer.e);
}

/* Wait until one of the N children that run elsewhere has something to say. */
static void wait_for_one(const struct child *children, uint32_t n)
{
	struct pollfd fds[POOL_AT_ONCE_MAX];
	nfds_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		if (children[i].fd >= 0)
			fds[count++] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
	CHECK(count > 0);
	while (poll(fds, count, -1) < 0 && errno == EINTR)
		;
}

/* Is there an answer, or the end of its process, to read from C? */
static bool is_ready(const struct child *c)
{
	struct pollfd fd = {.fd = c->fd, .events = POLLIN};

	return c->fd >= 0 && poll(&fd, 1, 0) > 0;
}

static uint32_t processes_at_once(const struct pool_work *w)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (w->at_once)
		return w->at_once;
	return processors < 1 ? 1 : (uint32_t)min_u64((uint64_t)processors, POOL_AT_ONCE_MAX);
}

static void run_all(const struct pool_work *w, struct child *children)
{
	uint32_t at_once = processes_at_once(w), started = 0, running = 0;

	while (started < w->n || running) {
		for (; started < w->n && running < at_once; started++) {
			start(&children[started], w, started);
			running += children[started].fd >= 0;
		}
		if (running)
			wait_for_one(children, started);
		for (uint32_t i = 0; i < started; i++) {
			if (is_ready(&children[i])) {
				finish(&children[i], i, place_of(w, i), w->size);
				running--;
			}
		}
		if (w->progress)
			w->progress(w->arg, started - running);
	}
}

bool pool_run(const struct pool_work *w, struct rql_error *e)
{
	struct child *children = calloc(w->n ? w->n : 1, sizeof(*children));
	bool ok = true;

	CHECK(w->size > 0);
	CHECK(w->at_once <= POOL_AT_ONCE_MAX);
	if (!children)
		return err_printf(e, NULL, "out of memory");
	run_all(w, children);
	for (uint32_t i = 0; i < w->n && ok; i++) {
		ok = children[i].answer.ok;
		if (!ok)
			*e = children[i].answer.e;
	}
	free(children);
	return ok;
}
