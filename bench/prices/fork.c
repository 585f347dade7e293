/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the cost of a short-lived process divides into what its parent does in
 * fork(), what the child does before its own code, and what its end costs; in
 * CPU time of the machine this runs on, so that other load hardly matters.
 *
 * Published figures give the sum (a loop of fork, exit and wait); this gives
 * the shares. The child does what the child of a benchmark with a common start
 * does: it closes a descriptor, writes a byte to say that it is ready and
 * waits for the start in poll(). Its first run ends when it would block. What
 * the same calls take when they are warm is measured too and taken off.
 *
 * Kernels since 3.15 map 16 pages of a file at a fault, earlier ones one: with
 * the argument `pages` one child is stepped instruction by instruction, and
 * the pages and 64 KiB blocks of code it runs through are counted.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUP 40
#define ROUNDS 50

struct report {
	uint64_t first_ns, faults;
};

static struct report *reports; /* shared with the children */
static int ready[2], start[2], spare[2];

static uint64_t cpu_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* What a child does before it waits for the start. */
static void get_ready(void)
{
	char byte = 0;

	close(spare[0]);
	if (write(ready[1], &byte, 1) != 1)
		_exit(1);
}

static void child(struct report *out)
{
	struct pollfd wait_for = {.fd = start[0], .events = POLLIN};
	struct rusage use;
	uint64_t ns;

	get_ready();
	poll(&wait_for, 1, 0);
	ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	getrusage(RUSAGE_SELF, &use);
	out->first_ns = ns;
	out->faults = (uint64_t)use.ru_minflt;
	poll(&wait_for, 1, -1);
	_exit(0);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

/* The calls of a child's first run when everything is warm. */
static uint64_t warm_ns(void)
{
	struct pollfd wait_for = {.fd = start[0], .events = POLLIN};
	uint64_t before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	char byte;

	for (int i = 0; i < 1000; i++) {
		get_ready();
		poll(&wait_for, 1, 0);
		if (read(ready[0], &byte, 1) != 1)
			abort();
	}
	return (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before) / 1000;
}

static void one_group(uint64_t *fork_ns, uint64_t *first_ns, uint64_t *faults, uint64_t *exit_ns,
		      uint64_t *reap_ns)
{
	uint64_t before = cpu_ns(CLOCK_PROCESS_CPUTIME_ID), after;
	pid_t pids[GROUP];
	char byte = 0;

	for (int i = 0; i < GROUP; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			abort();
		if (pids[i] == 0)
			child(&reports[i]);
	}
	*fork_ns = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before) / GROUP;
	for (int i = 0; i < GROUP; i++)
		if (read(ready[0], &byte, 1) != 1)
			abort();
	usleep(20000);
	if (write(start[1], &byte, 1) != 1)
		abort();
	usleep(20000);
	after = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < GROUP; i++) {
		struct rusage use;
		int status;
		uint64_t all_us;

		wait4(pids[i], &status, 0, &use);
		all_us = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000u +
			 (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
		exit_ns[i] = all_us * 1000 - reports[i].first_ns;
		first_ns[i] = reports[i].first_ns;
		faults[i] = reports[i].faults;
	}
	*reap_ns = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - after) / GROUP;
	if (read(start[0], &byte, 1) != 1)
		abort();
}

/* The classic loop, in wall time on one CPU. */
static uint64_t fork_exit_wait_ns(void)
{
	static uint64_t ns[2000];
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (size_t i = 0; i < 2000; i++) {
		uint64_t before = cpu_ns(CLOCK_MONOTONIC);
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
		ns[i] = cpu_ns(CLOCK_MONOTONIC) - before;
	}
	sched_setaffinity(0, sizeof(all), &all);
	return median(ns, 2000);
}

static void *nothing(void *arg)
{
	uint64_t *first_ns = arg;

	*first_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

static void threads(void)
{
	static uint64_t create_ns[2000], first_ns[2000];

	for (size_t i = 0; i < 2000; i++) {
		uint64_t before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
		pthread_t t;

		if (pthread_create(&t, NULL, nothing, &first_ns[i]) != 0)
			abort();
		create_ns[i] = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before;
		pthread_join(t, NULL);
	}
	printf("thread_create %.1f us\nthread_first_run %.1f us\n",
	       (double)median(create_ns, 2000) / 1e3, (double)median(first_ns, 2000) / 1e3);
}

/* Steps a child through its first run; counts the pages of its code. */
static void count_pages(void)
{
	static uint64_t pages[4096];
	size_t npages = 0, nblocks = 0, steps = 0;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		get_ready();
		raise(SIGUSR1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	for (;;) {
		struct user_regs_struct regs;
		uint64_t page;
		size_t i;

		if (!WIFSTOPPED(status) || WSTOPSIG(status) == SIGUSR1)
			break;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		page = regs.rip >> 12;
		for (i = 0; i < npages && pages[i] != page; i++)
			;
		if (i == npages && npages < 4096)
			pages[npages++] = page;
		steps++;
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid)
			break;
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	for (size_t i = 0; i < npages; i++) {
		size_t j;

		for (j = 0; j < i && pages[j] >> 4 != pages[i] >> 4; j++)
			;
		nblocks += j == i;
	}
	printf("code_pages %zu in %zu blocks of 64 KiB, %zu instructions\n", npages, nblocks,
	       steps);
}

int main(int argc, char **argv)
{
	static uint64_t fork_ns[ROUNDS], reap_ns[ROUNDS];
	static uint64_t first_ns[ROUNDS * GROUP], faults[ROUNDS * GROUP], exit_ns[ROUNDS * GROUP];

	reports = mmap(NULL, GROUP * sizeof(*reports), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reports == MAP_FAILED || pipe(ready) || pipe(start) || pipe(spare))
		abort();
	if (argc > 1 && strcmp(argv[1], "pages") == 0) {
		count_pages();
		return 0;
	}
	for (int i = 0; i < ROUNDS; i++)
		one_group(&fork_ns[i], &first_ns[i * GROUP], &faults[i * GROUP],
			  &exit_ns[i * GROUP], &reap_ns[i]);
	printf("fork_in_parent %.1f us\n", (double)median(fork_ns, ROUNDS) / 1e3);
	printf("child_first_run %.1f us, %llu faults\n",
	       (double)median(first_ns, ROUNDS * GROUP) / 1e3,
	       (unsigned long long)median(faults, ROUNDS * GROUP));
	printf("warm_calls %.1f us\n", (double)warm_ns() / 1e3);
	printf("exit %.1f us\n", (double)median(exit_ns, ROUNDS * GROUP) / 1e3);
	printf("reap_in_parent %.1f us\n", (double)median(reap_ns, ROUNDS) / 1e3);
	printf("fork_exit_wait %.1f us\n", (double)fork_exit_wait_ns() / 1e3);
	threads();
	return 0;
}
