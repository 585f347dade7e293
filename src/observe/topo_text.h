/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine and the sched domains a kernel built for it, for people to read:
 *
 *	topo_print(&topology, &set, "2.6.35", &sink);
 *
 * First the machine, then one block for each class of CPUs whose chains look
 * the same (names, sizes, flags, numbers of groups), shown for the first CPU of
 * the class, domains from the lowest up, each with its groups from that CPU's
 * own on. The text depends on the arguments alone.
 */
#ifndef RUNQLAB_OBSERVE_TOPO_TEXT_H
#define RUNQLAB_OBSERVE_TOPO_TEXT_H

#include "model/domain.h"
#include "model/topology.h"

#include <stdbool.h>
#include <stddef.h>

/* Takes the text piece by piece, whole lines at a time. */
struct topo_sink {
	void (*write)(void *ctx, const char *s, size_t len);
	void *ctx;
};

/*
 * KERNEL is printed as given. False when memory runs out. S must have been
 * built for T.
 */
bool topo_print(const struct topology *t, const struct domain_set *s, const char *kernel,
		const struct topo_sink *sink);

/* Name, in the kernel's WORDS, of the flag numbered I (from 0), its bit in *FLAG; NULL after the last. */
const char *sd_flag_name(enum sd_words words, size_t i, uint32_t *flag);

#endif
