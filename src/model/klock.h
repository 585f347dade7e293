/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A spinlock of the modelled kernel, granted in order of arrival: a ticket lock or,
 * later, a queued one. The core only names locks (port.h); the engine lets CPUs wait.
 *
 * A holder may run ahead of the other CPUs' clocks while it holds the lock, so
 * a free lock also remembers from when on it is free.
 */
#ifndef RUNQLAB_MODEL_KLOCK_H
#define RUNQLAB_MODEL_KLOCK_H

#include <stdint.h>

#define CPU_NONE UINT32_MAX

struct klock {
	uint32_t owner;                 /* CPU that holds it or is next to get it; CPU_NONE: free */
	uint32_t last_cpu;              /* who held it last; CPU_NONE: nobody yet */
	uint64_t free_ns;               /* when the last holder let go */
	uint32_t wait_first, wait_last; /* queue of waiting CPUs, linked by struct cpu.lock_next */
	uint32_t nwaiters;
	uint32_t path_elem; /* enum path_elem: what the profile calls waiting for it */
	uint64_t acquired_count, contended_count, wait_ns;
};

static inline void klock_init(struct klock *l, uint32_t path_elem)
{
	*l = (struct klock){.owner = CPU_NONE,
			    .last_cpu = CPU_NONE,
			    .wait_first = CPU_NONE,
			    .wait_last = CPU_NONE,
			    .path_elem = path_elem};
}

/*
 * A condition CPUs spin on, such as another CPU's flag: all go on when it comes
 * true. Nothing is bought and nobody is first.
 */
struct kwait {
	uint32_t first;     /* waiting CPUs, linked by struct cpu.lock_next */
	uint32_t path_elem; /* what the profile calls waiting for it */
	uint64_t done_ns;   /* when it last came true */
};

static inline void kwait_init(struct kwait *w, uint32_t path_elem)
{
	*w = (struct kwait){.first = CPU_NONE, .path_elem = path_elem};
}

#endif
