/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rolling fingerprint of a run: order-sensitive, integer fields only. Not cryptographic. */
#ifndef RUNQLAB_BASE_HASH_H
#define RUNQLAB_BASE_HASH_H

#include <stdint.h>

#define HASH_INIT UINT64_C(0x243f6a8885a308d3)

static inline uint64_t hash_step(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ (h >> 29);
}

#endif
