/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chance by name. A stream is identified by (seed, name, id); its draws depend
 * on nothing else, so one consumer's draws never shift another's and two
 * kernels under comparison see the same arrivals and service times.
 * Integers only: the same bits on every machine.
 */
#ifndef RUNQLAB_BASE_RNG_H
#define RUNQLAB_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state; /* a counter; each draw mixes it (splitmix64) */
};

/* The stream NAME number ID of the run's SEED. */
struct rng rng_stream(uint64_t seed, const char *name, uint64_t id);

/* 64 uniform bits. */
uint64_t rng_next(struct rng *r);

/* Uniform in [0, n), n > 0, without modulo bias beyond 2^-64. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Uniform in [low, high], low <= high. */
uint64_t rng_between(struct rng *r, uint64_t low, uint64_t high);

/*
 * Exponentially distributed with the given mean, mean < 2^40; truncated at
 * about 44 means (64 bits of chance). Relative error of the mean below 1e-6.
 */
uint64_t rng_exponential(struct rng *r, uint64_t mean);

#endif
