/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row of counters a sample, row after row. The first samples are kept, not
 * the last: a run that goes on longer than foreseen must not change what was
 * measured of its beginning.
 */
#include "observe/sampler.h"

#include <stdlib.h>

#include "base/check.h"

struct sampler *sampler_create(uint32_t ncpus, uint32_t max_samples, struct rql_error *e)
{
	struct sampler *s = calloc(1, sizeof(*s));
	uint64_t cells = (uint64_t)ncpus * max_samples;

	if (s && cells <= SIZE_MAX / sizeof(s->nr_running[0]) - 1) {
		s->time_ns = calloc((size_t)max_samples + 1, sizeof(s->time_ns[0]));
		s->nr_running = calloc((size_t)cells + 1, sizeof(s->nr_running[0]));
	}
	if (!s || !s->time_ns || !s->nr_running) {
		sampler_free(s);
		err_set(e, "limits", "no memory for the samples; use a longer interval", NULL,
			NULL);
		e->limit = true;
		return NULL;
	}
	s->ncpus = ncpus;
	s->max_samples = max_samples;
	return s;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	free(s->time_ns);
	free(s->nr_running);
	free(s);
}

void sampler_take(void *sampler, const struct machine *m, uint64_t now_ns)
{
	struct sampler *s = sampler;
	uint32_t *row;
	uint32_t cpu;

	CHECK(m->ncpus == s->ncpus);
	if (s->nsamples == s->max_samples) {
		s->dropped_count++;
		return;
	}
	row = &s->nr_running[(size_t)s->nsamples * s->ncpus];
	mask_for_each(cpu, m->online)
		row[cpu] = m->cpus[cpu].rq.nr_running;
	s->time_ns[s->nsamples++] = now_ns;
}
