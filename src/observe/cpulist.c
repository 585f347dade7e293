/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of set bits, joined by commas. With numbers below 10,000 the longest list
 * has two of every three CPUs in it, ten characters for three CPUs, so
 * CPULIST_BYTES() is enough.
 */
#include "observe/cpulist.h"

void cpulist_put(struct buf *out, const struct mask *m)
{
	uint32_t cpu = mask_first(m);
	const char *comma = "";

	while (cpu != MASK_NONE) {
		uint32_t last = cpu, next;

		while ((next = mask_next(m, last + 1)) == last + 1)
			last = next;
		buf_str(out, comma);
		buf_u64(out, cpu);
		if (last > cpu) {
			buf_char(out, '-');
			buf_u64(out, last);
		}
		comma = ",";
		cpu = next;
	}
}
