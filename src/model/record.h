/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and the sink that takes them. */
#ifndef RUNQLAB_MODEL_RECORD_H
#define RUNQLAB_MODEL_RECORD_H

#include <stdint.h>

enum record_kind {
#define RECORD(name, fingerprint, a, b, c, d) RECORD_##name,
#include "model/record.def"
	RECORD_KINDS
};

struct record {
	uint64_t time_ns;
	uint32_t cpu; /* on whose behalf the kernel code ran */
	enum record_kind kind;
	uint64_t a, b, c, d; /* as record.def says */
};

/* Someone who wants records; `wants` is a bit set of 1 << enum record_kind. */
struct record_sink {
	struct record_sink *next;
	uint32_t wants;
	uint32_t pad;
	void (*take)(struct record_sink *sink, const struct record *r);
};

#endif
