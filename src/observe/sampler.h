/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of nr_running on every CPU, taken at equal intervals while a run goes
 * on, as reading /proc/sched_debug in a loop would.
 *
 *	struct sampler *s = sampler_create(ncpus, max_samples, &err);
 *
 *	hand sampler_take and s to the driver; run;
 *	for (i = 0; i < s->nsamples; i++) ... s->time_ns[i], sampler_row(s, i)[cpu] ...
 *	sampler_free(s);
 *
 * Memory is reserved at the start: samples beyond MAX_SAMPLES are counted, not kept.
 */
#ifndef RUNQLAB_OBSERVE_SAMPLER_H
#define RUNQLAB_OBSERVE_SAMPLER_H

#include "base/err.h"
#include "model/machine.h"

struct sampler {
	uint32_t ncpus; /* of a row, holes included */
	uint32_t max_samples, nsamples;
	uint64_t dropped_count; /* samples for which there was no room */
	uint64_t *time_ns;      /* [sample] */
	uint32_t *nr_running;   /* [sample * ncpus + cpu] */
};

/* NULL and *E when memory runs out. */
struct sampler *sampler_create(uint32_t ncpus, uint32_t max_samples, struct rql_error *e);
void sampler_free(struct sampler *s);

/* Keep a sample of M at NOW_NS; SAMPLER is a struct sampler. CPUs that are not online have 0. */
void sampler_take(void *sampler, const struct machine *m, uint64_t now_ns);

/* nr_running by CPU in sample I. */
static inline const uint32_t *sampler_row(const struct sampler *s, uint32_t i)
{
	return &s->nr_running[(size_t)i * s->ncpus];
}

#endif
