/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel versions as data. A profile (2.6.34, 2.6.35-rc2 ...) is the base plus
 * a list of named deltas, each one upstream change; a user's KERNEL text picks
 * a profile and then adds, removes and overrides.
 */
#ifndef RUNQLAB_KVER_KVER_H
#define RUNQLAB_KVER_KVER_H

#include <stddef.h>

#include "base/err.h"
#include "base/fixed.h"
#include "model/kver.h"

/* One upstream change of the scheduler. */
struct kver_delta {
	const char *name;
	const char *what;     /* one line */
	const char *origin;   /* upstream commit and subject */
	const char *since;    /* first release that has it */
	const char *until;    /* first release that no longer has it; NULL: none modelled */
	const char *needs;    /* names of deltas it cannot be without, a space between; NULL */
	const char *excludes; /* ... it cannot be with */
	void (*apply)(struct kver *v);
	const char *alias; /* another name for it; or NULL */
};

/* Deltas belong to kernels of one family; each family has a base of its own. */
enum kver_family {
	KVER_CLASSIC, /* up to 4.0 */
	KVER_PELT,    /* from 5.4 on */
};

struct kver_profile {
	const char *version;
	enum kver_family family;
	u128 deltas;             /* kver_delta_bit() of each */
	const char *sched_debug; /* version /proc/sched_debug gives itself */
	bool approximate;        /* some of its differences are not modelled */
	bool rt_only;            /* the real-time class is exact, the fair class is 3.4's */
	const char *note;        /* one line, or NULL */
};

/*
 * What a user is told of a profile: "exact", "approximate" (some of its differences are not
 * modelled) or "rt-only" (the real-time class is exact, fair tasks run by other rules).
 */
static inline const char *kver_exactness(bool approximate, bool rt_only)
{
	return rt_only ? "rt-only" : approximate ? "approximate" : "exact";
}

/* The same behind a kernel's name in a text; empty for an exact one. */
static inline const char *kver_exactness_mark(bool approximate, bool rt_only)
{
	return rt_only ? " (rt-only)" : approximate ? " (approximate)" : "";
}

/* The family of the Ith delta. */
enum kver_family kver_delta_family(uint32_t i);

/* The Ith delta's bit in a set of deltas of its family. */
u128 kver_delta_bit(uint32_t i);

/* Is the Ith delta in SET, which belongs to a kernel of P's family? */
bool kver_set_has(const struct kver_profile *p, u128 set, uint32_t i);

/* Tables in the order `runqlab list` prints them; NULL past the end. */
const struct kver_delta *kver_delta(uint32_t i);
const struct kver_profile *kver_profile(uint32_t i);

/*
 * VERSION[,ITEM]... as INTERFACE.md says; items from left to right: FEATURE,
 * NO_FEATURE, +DELTA, -DELTA, TUNABLE=VALUE, hz=N, preempt=none|voluntary|full.
 * False and *E for anything unknown, out of range or contradictory.
 */
bool kver_parse(const char *text, struct kver *out, struct rql_error *e);

/*
 * A KERNEL text taken apart: what its items come to. Whether the version has
 * these features is for kver_parse() to say.
 */
struct kver_parts {
	const struct kver_profile *profile;
	u128 deltas;                                  /* all it has, the profile's included */
	struct feature_set features_on, features_off; /* none is in both */
	uint64_t tun_set;                             /* a bit an enum tunable_id */
	uint64_t tun[TUNABLE_COUNT];                  /* of those in tun_set; TUNABLE_NONE: -1 */
	uint64_t hz;                                  /* 0: the profile's */
	int preempt;                                  /* an enum preempt_model; -1: the profile's */
};

/* False and *E as kver_parse(), but for features that the version does not have. */
bool kver_take_apart(const char *text, struct kver_parts *out, struct rql_error *e);

/*
 * The text of P: its profile's version, then deltas, features, tunables, hz,
 * preempt in the tables' order. False: it does not fit into CAP bytes.
 */
bool kver_write(const struct kver_parts *p, char *out, size_t cap);

/* "none", "voluntary", "full" */
const char *kver_preempt_name(enum preempt_model m);

/* Set of deltas of a parsed kernel, for comparison. */
bool kver_deltas_of(const char *text, u128 *deltas, struct rql_error *e);

struct kver_feature_info {
	const char *name;
	const char *what;
	bool is_rule; /* not switchable by users: set by deltas only */
};

struct kver_tunable_info {
	const char *name;    /* the kernel file's, kernels up to 4.0 */
	const char *name_54; /* ... from 5.4 on; empty: they have none */
	const char *unit;
	const char *what;
	uint64_t low, high;
	bool or_none; /* -1 is a value too: TUNABLE_NONE */
};

const struct kver_feature_info *kver_feature_info(enum feature f);
const struct kver_tunable_info *kver_tunable_info(enum tunable_id id);
/* What kernels of FAMILY call it, or the other family if they lack it. Users may write either. */
const char *kver_tunable_name(enum kver_family family, enum tunable_id id);
uint64_t kver_tunable_value(const struct kver *v, enum tunable_id id);

#endif
