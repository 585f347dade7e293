/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel adds up what ended children took once they were waited for. */
#include "cli/host.h"

#include <string.h>
#include <sys/resource.h>

#include "base/fixed.h"
#include "experiment/err_printf.h"

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void add(struct host_stats *h, int who)
{
	struct rusage use;

	getrusage(who, &use);
	h->cpu_s += seconds_of(&use.ru_utime) + seconds_of(&use.ru_stime);
	h->peak_bytes = max_u64(h->peak_bytes, (uint64_t)use.ru_maxrss * 1024);
}

struct host_stats host_measure(const struct timespec *start)
{
	struct host_stats h = {0};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	add(&h, RUSAGE_SELF);
	add(&h, RUSAGE_CHILDREN);
	h.wall_s =
		(double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
	return h;
}

static void tell(const struct timespec *start, uint32_t nsimulations, uint64_t events, FILE *f)
{
	struct host_stats h = host_measure(start);
	double rate = h.cpu_s > 0 ? (double)events / h.cpu_s : 0.0;

	if (!f)
		fprintf(stderr,
			"host: %u simulations, %.2f s CPU, %.2f s in all, %.1f M events/s, "
			"%.1f MiB at most\n",
			(unsigned)nsimulations, h.cpu_s, h.wall_s, rate / 1e6,
			(double)h.peak_bytes / 1048576.0);
	else
		fprintf(f,
			"{ \"simulations\": %u, \"cpu_s\": %.3f, \"wall_s\": %.3f, \"events\": %llu, "
			"\"events_per_cpu_s\": %.0f, \"peak_memory_bytes\": %llu }\n",
			(unsigned)nsimulations, h.cpu_s, h.wall_s, (unsigned long long)events, rate,
			(unsigned long long)h.peak_bytes);
}

void host_out_start(struct host_out *h)
{
	memset(h, 0, sizeof(*h));
	clock_gettime(CLOCK_MONOTONIC, &h->start);
}

bool host_out_open(struct host_out *h, const struct opt *o, struct rql_error *e)
{
	if (h->file.f)
		return err_printf(e, o->place, "given twice; once is right");
	if (!*o->value)
		return err_printf(e, o->place, "an empty file name; a file to write is needed");
	return out_open(&h->file, o->value, e);
}

bool host_out_finish(struct host_out *h, uint32_t nsimulations, uint64_t events,
		     struct rql_error *e)
{
	if (h->file.f) {
		tell(&h->start, nsimulations, events, h->file.f);
		return out_commit(&h->file, e);
	}
	if (fflush(stdout) == 0 && !ferror(stdout))
		tell(&h->start, nsimulations, events, NULL);
	return true;
}

void host_out_abandon(struct host_out *h)
{
	out_abandon(&h->file);
}
