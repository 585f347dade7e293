/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a system call that does nothing costs here: figures of real programs depend on it. */
#define _DEFAULT_SOURCE 1

#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CALLS 2000000L

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	double begin = cpu_ns();

	for (long i = 0; i < CALLS; i++)
		(void)syscall(SYS_getppid);
	printf("null_syscall %.0f ns\n", (cpu_ns() - begin) / (double)CALLS);
	return 0;
}
